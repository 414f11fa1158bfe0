"""What a Python file offers, read line by line: functions, classes, methods, fields, constants, imports, `__all__`.

Only the outline is read: statements at the top of the module and directly in a class (one level of nesting), also
inside `if`, `try` and `with`. Bodies count as a digest, by which a renamed function is known again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.base import bracketed
from daybreak.findings.languages.python_signature import (
    before_hash,
    depth_of,
    split_default,
    whole_lines,
    without_texts,
)
from daybreak.findings.languages.python_values import values_given

# --- Parts of Python files that were read before, known again by their text ---


MAX_SEEN = 12_000_000
"""Bytes, about, of parts of files and their rows that are held, twice over, to know them again."""
_ROW_BYTES = 1000
"""What a row weighs: much more than the text it was read from, when that is a line."""

Key = tuple[Hashable, str, str]
"""Where a part stands, what leads to it, and its text."""


class Seen:
    """Rows of parts of files by their text: two versions of a file differ in few parts, so most are read once.

    What was not wanted lately is let go. Used by several threads at once it may forget more, never mix things up.
    """

    def __init__(self) -> None:
        self._now: dict[Key, tuple[int, list[Row]]] = {}
        self._before: dict[Key, tuple[int, list[Row]]] = {}
        self._held = 0

    def get(self, key: Key, line: int) -> list[Row] | None:
        """The rows of a part that begins at that line."""
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            if found is None:
                return None
            self._keep(key, found)
        step = line - found[0]
        return [Row(r.kind, r.name, r.line + step, r.text, r.details) for r in found[1]] if step else found[1]

    def put(self, key: Key, line: int, rows: list[Row]) -> None:
        self._keep(key, (line, rows))

    def _keep(self, key: Key, found: tuple[int, list[Row]]) -> None:
        weight = len(key[2]) + _ROW_BYTES * len(found[1])
        self._held += weight
        if self._held > MAX_SEEN:
            self._before, self._now, self._held = self._now, {}, weight
        self._now[key] = found


MAX_ROWS = 4000
"""A file with more names is generated."""
_STATEMENT = 4000
_NOT_A_START = frozenset(" \t#)]}\r\"'.,\f\x0b")
_NOT_A_HEAD = _NOT_A_START | {""}
_DEF = re.compile(r"(?:async\s+)?def\s+([^\W\d]\w{0,120})\s*(\[[^\]]{0,200}\])?\s*\(")
_CLASS = re.compile(r"class\s+([^\W\d]\w{0,120})")
_ASSIGN = re.compile(r"([^\W\d]\w{0,120})\s*(?::\s*([^=]*))?=(?!=)\s*", re.DOTALL)
_DECLARED = re.compile(r"([^\W\d]\w{0,120})\s*:\s*(\S[^=]*)\Z", re.DOTALL)
_NOTED = re.compile(r"([^\W\d]\w{0,120})\s*:\s*(?:typing\.|t\.)?(?:A|Annotated)\[")
"""A field whose annotation carries more than its type."""
_FROM = re.compile(r"from\s+([.\w]{1,300})\s+import\s+(.*)", re.DOTALL)
_BLOCK = re.compile(r"(if|elif|else|try|except|finally|with)\b")
_TYPING = re.compile(r"if\s+(?:typing\.|t\.)?TYPE_CHECKING\b")
_ALL = re.compile(r"__all__\s*(?::[^=]*)?(?:\+?=|\.extend\(|\.append\()")
_QUOTED = re.compile(r"\"([^\"\\\n]{1,200})\"|'([^'\\\n]{1,200})'")
_NOT_DONE = re.compile(r"^\s*raise NotImplementedError\b", re.MULTILINE)
_BLANK = r"\s*(?:#[^\n]*(?:\n\s*|\Z))*"
_STUB = re.compile(
    rf"{_BLANK}(?:[rRuU]?(?:\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'){_BLANK})?"
    rf"(?:raise NotImplementedError\b|(?:(?:pass|\.\.\.|return(?: None)?){_BLANK})?\Z)"
)
"""A body that does nothing itself: a text, `pass`, `...`, nothing that is given back, or the refusal."""
_ANSWER = re.compile(
    rf"{_BLANK}(?:[rRuU]?\"[^\"\\\n]*\"{_BLANK})?return\s+(True|False|-?\d[\w.]{{0,40}}|\"[^\"\\\n]{{1,80}}\"|'[^'\\\n]{{1,80}}'){_BLANK}"
)
"""A body that gives the same plain value whatever it is asked."""
_ROW = re.compile(r"^[ \t]+return[ \t]*\(([^()]{3,400})\)\s*\Z", re.MULTILINE)
"""The values that a method gives back in a fixed order, in its only way out."""
_SEVERAL_VALUES = re.compile(r"^[ \t]+return[ \t][^\n]*(?:,|\($)", re.MULTILINE)
"""More than one value may be given back."""
_SET = re.compile(r"^[ \t]+self\.([^\W\d]\w{0,120})[ \t]*(?::|=(?!=))", re.MULTILINE)
_GLOBALS = re.compile(r"globals\(\)|[\w.]{1,100}\(\s*globals\(\)")
"""Names made at run time, by the module itself or by a helper that is handed its names."""
_BLANKS = b" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""What a text without other letters than ASCII is split at."""
_COMMENT_LINE = re.compile(r"\n[^\S\n]*+#[^\n]*+")
_CHAINED = re.compile(r"([^\W\d]\w{0,120})\s*=(?!=)\s*")
_SEVERAL = frozenset({"overload", "setter", "deleter", "getter"})
"""Decorators of functions that stand beside others of their name."""
_DEFINING = ("def ", "async ", "class ")
_KEYWORDS = frozenset(
    {"return", "raise", "assert", "del", "global", "pass", "yield", "import", "for", "while", "match"}
)


class _Place(NamedTuple):
    """Where a statement stands: the class that holds it, and whether a condition does."""

    owner: str = ""
    depth: int = 0
    conditional: bool = False
    typing: bool = False


class _Statement(NamedTuple):
    line: int
    text: str
    body: int
    """First line behind the statement's own lines."""
    end: int
    closed: bool
    """Not cut off by the end of what was looked at."""


_SEEN = Seen()


def surface(path: str, text: str) -> Surface:
    """The rows of one file; a name met more than once is marked `many` and only its being there counts."""
    del path
    code = without_texts(text)
    if code is None:
        return Surface(broken=True)
    lines = code.split("\n")
    rows: dict[tuple[str, str], Row] = {}
    for row in _block(lines, 0, len(lines), "", _Place()):
        key = (row.kind, row.name)
        if key in rows and row.kind in ("function", "class", "method", "attribute"):
            first = rows[key]
            whole = {"whole": row.text} if "overload" in first.details.get("decorators", "") else {}
            rows[key] = Row(row.kind, row.name, first.line, first.text, {**first.details, "many": "1", **whole})
        else:
            rows.setdefault(key, row)
        if len(rows) > MAX_ROWS:
            return Surface(broken=True)
    return Surface.keyed(rows)


def _heads(lines: list[str], start: int, end: int, indent: str) -> list[int]:
    """Where statements of one block may start: at its indent, and not with what goes on or says nothing."""
    width = len(indent)
    if not width:
        return [at for at, line in enumerate(lines[start:end], start) if line and line[0] not in _NOT_A_START]
    behind = width + 1
    return [
        at
        for at, line in enumerate(lines[start:end], start)
        if line[width:behind] not in _NOT_A_HEAD and line.startswith(indent)
    ]


def _statements(lines: list[str], heads: list[int], end: int) -> Iterator[_Statement]:
    """The statements of one block: each with its own lines joined, and the lines that belong to it."""
    done, count = heads[0] if heads else end, len(heads)
    for number, at in enumerate(heads):
        if at < done:
            continue
        text, done, closed = _logical(lines, at, end)
        following = number + 1
        while following < count and heads[following] < done:
            following += 1
        yield _Statement(at, text, done, heads[following] if following < count else end, closed)


def _logical(lines: list[str], at: int, end: int) -> tuple[str, int, bool]:
    """The lines of one statement as text without comments, where the next line starts, and whether it ends there."""
    first = lines[at]
    if "(" not in first and "[" not in first and "{" not in first and "\\" not in first:
        return before_hash(first).strip(), at + 1, True
    first = before_hash(first)
    depth = depth_of(first)
    if depth <= 0 and not first.endswith("\\"):
        return first.strip(), at + 1, True
    out = [first]
    at += 1
    while at < end and (depth > 0 or out[-1].endswith("\\")):
        line = before_hash(lines[at])
        depth += depth_of(line)
        out.append(line)
        at += 1
    return whole_lines(out).strip(), at, depth <= 0 and not out[-1].endswith("\\")


def _indent_of(lines: list[str], start: int, end: int) -> str | None:
    """The white space before the first statement of a block."""
    for at in range(start, end):
        line = lines[at]
        bare = line.lstrip(" \t")
        if bare and bare[0] not in "#\r\n\f" and len(bare) < len(line):
            return line[: len(line) - len(bare)]
    return None


def _block(lines: list[str], start: int, end: int, indent: str, place: _Place) -> list[Row]:
    """The rows of one block, part by part: most parts of a file are as they were in its other versions."""
    heads = _heads(lines, start, end, indent)
    cuts = _cuts(lines, heads, len(indent))
    out: list[Row] = []
    for first, last in pairwise(cuts):
        begin, stop = heads[first], heads[last] if last < len(heads) else end
        key = (place, indent, "\n".join(lines[begin:stop]))
        rows = _SEEN.get(key, begin)
        if rows is None:
            rows, closed = _part(lines, heads[first:last], stop, place)
            if not closed:  # a bracket that stays open takes in what looks like a new part; a decorator waits for it
                return out + (_part(lines, heads[first:], end, place)[0] if stop < end else rows)
            _SEEN.put(key, begin, rows)
        out += rows
    return out


def _cuts(lines: list[str], heads: list[int], width: int) -> list[int]:
    """Numbers of the heads that begin a part: a definition with its decorators, or the plain statements between two."""
    cuts: list[int] = []
    last = ""
    for number, at in enumerate(heads):
        line = lines[at]
        kind = "@" if line[width] == "@" else "def" if line.startswith(_DEFINING, width) else "plain"
        if last != "@" and (kind != "plain" or last != "plain"):
            cuts.append(number)
        last = kind
    return [*cuts, len(heads)] if heads else []


def _part(lines: list[str], heads: list[int], end: int, place: _Place) -> tuple[list[Row], bool]:
    """The rows of neighbouring statements, and whether they stand for themselves: nothing goes on behind them."""
    decorators: list[str] = []
    out: list[Row] = []
    closed = True
    for found in _statements(lines, heads, end):
        text, closed = found.text, found.closed
        if text.startswith("@"):
            decorators.append(" ".join(text[1:].split())[:300])
            continue
        if text.startswith(_DEFINING):
            out += _definition(lines, found, place, decorators)
        elif (head := _BLOCK.match(text)) is not None:
            out += _nested(lines, found, head[1], place)
        else:
            out += _plain(found, place)
        decorators = []
    return out, closed and not decorators


def _nested(lines: list[str], found: _Statement, word: str, place: _Place) -> list[Row]:
    """Names that are defined under a condition are there for somebody; under `__main__` for nobody."""
    if "__main__" in found.text or place.depth > 6:
        return []
    inner = _indent_of(lines, found.body, found.end)
    if inner is None:
        return []
    typing = place.typing or (word == "if" and _TYPING.match(found.text) is not None)
    conditional = place.conditional or word not in ("with", "try")
    return _block(lines, found.body, found.end, inner, _Place(place.owner, place.depth + 1, conditional, typing))


def _definition(lines: list[str], found: _Statement, place: _Place, decorators: list[str]) -> Iterator[Row]:
    match = _CLASS.match(found.text)
    if match:
        yield from _class(lines, found, match, place, decorators)
        return
    match = _DEF.match(found.text)
    if match is None:
        return
    body = "\n".join(lines[found.body : found.end])
    inline = found.text[-300:].rpartition(":")[2]
    details = {"decorators": "\n".join(decorators), "body": _digest(body), "size": str(found.end - found.body)}
    marks = details["decorators"]
    if place.conditional or (marks and any(d.split(".")[-1] in _SEVERAL for d in decorators)):
        details["many"] = "1"
    if "abstractmethod" in marks or "abstractproperty" in marks:
        details["abstract"] = "1"
    elif len(body) < 2000 and (
        "NotImplementedError" in inline or ("NotImplementedError" in body and _NOT_DONE.search(body))
    ):
        details["unwritten"] = "1"
    details.update(_of_body(match[1] if place.owner else "", inline, body))
    if _SEVERAL_VALUES.search(body) and (count := values_given(body)):
        details["values"] = str(count)
    if "eprecat" in marks and _is_marked_old(decorators):
        details["deprecated"] = "marked"
    elif "eprecat" in body:
        details["deprecated"] = "said"
    if match[1] == "__getattr__":
        details.update(_served(lines[found.body : found.end]))
        yield from () if place.owner else (Row("hook", "__getattr__", found.line + 1),)
    name = f"{place.owner}.{match[1]}" if place.owner else match[1]
    kind = "method" if place.owner else "function"
    yield Row(kind, name, found.line + 1, " ".join(found.text.split())[:_STATEMENT], details)


def _is_marked_old(decorators: Iterable[str]) -> bool:
    """A decorator says it by its name; what it is given, flags of a compiler for example, says nothing of the function."""
    return any("eprecat" in decorator.partition("(")[0] for decorator in decorators)


def _served(body: Sequence[str]) -> dict[str, str]:
    """What a hook which ends in a refusal gives before: the names that it writes, and the tables that it looks into."""
    base = min((len(row) - len(row.lstrip()) for row in body if row.strip()), default=0)
    outer = [row for row in body if row[base : base + 1].strip() not in _NOT_A_HEAD]
    if not outer or not outer[-1].lstrip().startswith("raise "):
        return {}
    text = "\n".join(body)
    others = _ASKED_OTHERS.search(text) and not _COMPARED.search(text)
    if len(text) > _STATEMENT or others or _HANDED_ON.search(text):  # who else is asked for the name may give any
        return {}
    names = (match[1] or match[2] for match in _QUOTED.finditer(text))
    tables = (match[1] or match[2] for match in _LOOKED_UP.finditer(_QUOTED.sub("", text)))
    return {"served": "\n".join(filter(str.isidentifier, names)), "tables": "\n".join(dict.fromkeys(tables))}


_HANDED_ON = re.compile(r"\b(?:hasattr|startswith|endswith|match)\(")
_ASKED_OTHERS = re.compile(r"\b(?:getattr|import_module)\(")
_COMPARED = re.compile(r"==|\bin\b")
_LOOKED_UP = re.compile(r"\bin\s{1,9}([^\W\d]\w{0,120}+)(?!\()|([^\W\d]\w{0,120}+)(?:\[|\.get\()")


def _of_body(method: str, inline: str, body: str) -> dict[str, str]:
    """What `__init__` gives each object, whether a method does nothing itself, and the one value that a function gives."""
    if method == "__init__":
        return {"sets": "\n".join(dict.fromkeys(_SET.findall(body)))}
    if len(body) >= 2000:
        return {}
    if method and _STUB.match(inline) and _STUB.match(body):
        return {"stub": "1"}
    answer = _ANSWER.fullmatch(body) or _ANSWER.fullmatch(inline)
    if answer:
        return {"returns": answer[1]}
    row = _ROW.search(body) if method and body.count("return ") == 1 else None
    return {"row": row[1]} if row else {}


def _digest(body: str) -> str:
    """A digest of the body without its white space; of a body too short to tell anything: nothing."""
    if "#" in body:
        body = _COMMENT_LINE.sub("", "\n" + body)
    plain = body.encode().translate(None, _BLANKS) if body.isascii() else None
    bare = plain if plain is not None else "".join(body.split())
    if len(bare) < 30:
        return ""
    data = bare if isinstance(bare, bytes) else bare.encode("utf-8", "replace")
    return hashlib.md5(data, usedforsecurity=False).hexdigest()[:16]


def _class(
    lines: list[str], found: _Statement, match: re.Match[str], place: _Place, decorators: list[str]
) -> Iterator[Row]:
    name = f"{place.owner}.{match[1]}" if place.owner else match[1]
    opened = found.text.find("(", match.end())
    span = bracketed(found.text[opened + 1 :]) if opened >= 0 else None
    bases = span.parts if span else ()
    inner = _indent_of(lines, found.body, found.end)
    rows: list[Row] = []
    if inner is not None and place.owner.count(".") < 1:
        rows = _block(lines, found.body, found.end, inner, _Place(name, place.depth + 1))
    told = "\n".join(f"{r.name[len(name) :]} {r.text} {r.details.get('body', '')}" for r in rows)
    details = {
        "bases": "\n".join(bases),
        "decorators": "\n".join(decorators),
        "body": _digest(told),
        "size": str(len(rows)),
    }
    if place.conditional:
        details["many"] = "1"
    if any(r.details.get("abstract") and r.name.count(".") == name.count(".") + 1 for r in rows):
        details["abstract"] = "1"
    if any(r.details.get("unwritten") and r.name.count(".") == name.count(".") + 1 for r in rows):
        details["unwritten"] = "1"
    if _is_marked_old(decorators):
        details["deprecated"] = "marked"
    yield Row("class", name, found.line + 1, " ".join(found.text.split())[:300], details)
    yield from rows


def _plain(found: _Statement, place: _Place) -> Iterator[Row]:
    """Assignments, declarations, imports."""
    text, line = found.text, found.line + 1
    if text.startswith(("from ", "import ")):
        yield from _imports(text, line, place)
    elif text.startswith("__all__") and not place.owner:
        yield from _all(text, line)
    elif _GLOBALS.match(text) or "sys.modules[" in text[:200] or "setattr(" in text[:200]:
        yield Row("hook", "globals()", line)
    else:
        yield from _assigned(text, line, place)


def _all(text: str, line: int) -> Iterator[Row]:
    if not _ALL.match(text):
        return
    bare = re.sub(r"\s+", "", _QUOTED.sub("", text.partition("=")[2]))
    if re.search(r"[A-Za-z_]", bare):
        yield Row("hook", "__all__", line)  # made from other lists: nobody knows what is missing
    for match in _QUOTED.finditer(text):
        yield Row("export", match[1] or match[2], line)


def _imports(text: str, line: int, place: _Place) -> Iterator[Row]:
    if place.owner:
        return
    extra = {"typing": "1"} if place.typing else {}
    match = _FROM.match(text)
    if match is None:
        for part in text[len("import ") :].split(","):
            words = part.split()
            if len(words) == 3 and words[1] == "as":
                yield Row("import", words[2], line, words[0], {"from": words[0], "name": "", **extra})
            elif len(words) == 1:
                yield Row("import", words[0].split(".")[0], line, words[0], {"from": words[0], "name": "", **extra})
        return
    if match[2].strip().startswith("*"):
        yield Row("star", match[1], line)
        return
    for part in match[2].replace("(", " ").replace(")", " ").replace("\\", " ").split(","):
        words = part.split()
        if words and (len(words) == 1 or (len(words) == 3 and words[1] == "as")):
            again = {"again": "1"} if len(words) > 1 and words[0] == words[-1] else {}
            yield Row("import", words[-1], line, match[1], {"from": match[1], "name": words[0], **extra, **again})


def _split(text: str) -> tuple[str, str, str | None] | None:
    """`x: int = 3` → name, annotation, value; no value where a field is only declared."""
    if (noted := _NOTED.match(text)) is not None:  # `x: Annotated[str, Arg(help=…)] = "auto"`: its own `=` are no value
        head, given = split_default(text)
        span = bracketed(head[noted.end() :])
        kind = span.parts[0] if span and span.parts else head[noted.end() :]
        return noted[1], " ".join(kind.split()), " ".join(given.split()) if given is not None else None
    if (match := _ASSIGN.match(text)) is not None:
        return match[1], " ".join((match[2] or "").split()), " ".join(text[match.end() :].split())
    declared = _DECLARED.match(text)
    return (declared[1], " ".join(declared[2].split()), None) if declared else None


def _assigned(text: str, line: int, place: _Place) -> Iterator[Row]:
    split = _split(text)
    if split is None or (split[2] is None and not place.owner):
        return
    name, annotation, given = split
    if name in _KEYWORDS or name.startswith("__"):
        return
    value = given or ""
    if len(value) > (4000 if "Literal[" in value[:200] else 1000):
        value = "…" + hashlib.md5(value.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:12]
    names = [name]
    while (more := _CHAINED.match(value)) is not None and len(names) < 20:  # `a = b = 1`
        names.append(more[1])
        value = value[more.end() :]
    details = {"annotation": annotation[:1000], "value": value, **({"many": "1"} if place.conditional else {})}
    for one in names:
        yield Row("attribute", f"{place.owner}.{one}" if place.owner else one, line, value[:200], details)

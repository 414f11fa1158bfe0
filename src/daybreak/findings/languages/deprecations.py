"""Deprecations of Python names, flags, variables and values: marks that come, and warnings that say so when it is used.

A warning's words name what goes and, where they do, what takes its place; words that name nothing in code give nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from textwrap import dedent

from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import Fact, ReadFile, Whole, logical
from daybreak.findings.memory import remembered
from daybreak.findings.paths import BEHIND

_MARK = re.compile(
    r"^\s*@(?:typing_extensions\.|warnings\.)?deprecated\(|\bdeprecated=True\b|\baction=\"?Deprecated\w{0,40}"
)
_SAYS = re.compile(r"eprecat")
_WARNS = re.compile(r"^\s*[\w.]{0,60}\bwarn(?:ing)?(?:_once|_deprecated)?\(")
_QUOTED = re.compile(r"[`'\"](--?[A-Za-z][\w-]{2,80}|[A-Za-z_][\w.]{2,80})[`'\"]")
_DEFINED = re.compile(r"\s*(?:async def|def|class) ([A-Za-z_]\w{0,120})")
_NAMED = (
    r"(?:(?<=`)--[a-z][\w-]{1,60} [\w.-]{1,40}(?=`)|--[a-z][\w-]{1,60}(?:\.[a-z][\w-]{1,60}){0,3}(?:=[\w.-]{1,40})?"
    r"|[a-z]\w{1,60}=(?:'[\w.-]{1,40}'|\"[\w.-]{1,40}\"|[\w.-]{1,40})"
    r"|(?<![\w-])[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,60}"
    r"|[`'\"][A-Za-z_-][\w.-]{2,80}(?:\(\))?[`'\"]"
    r"|(?<![\w.-])[a-z]\w{0,60}_\w{1,60}(?:\.\w{1,60}){0,4}(?:\(\))?"
    r"|(?<![\w.-])[A-Z][a-z0-9]{1,40}[A-Z]\w{1,60}(?:\.[a-z_]\w{1,60}(?:\(\))?)?)"
)
_CODE = re.compile(_NAMED)
_SUPPORT = re.compile(r"[Ss]upport (?:for|of) ([^.;:{}]{3,40}?) (?:is|are|has been|have been) (?:now )?deprecated")
_FEATURE = re.compile(
    r"^((?:[A-Z][\w-]{1,30}|[A-Z][\w-]{1,30} [\w-]{2,30}) support) (?:is|has been) (?:now )?deprecated"
)
"""Words for what is nothing in code; it counts where what takes its place is."""
_ARGUMENT = re.compile(r"(?i)\b(?:passing|arguments?|keywords?|parameters?|fields?|values?) ")
_HANDED = re.compile(
    r"\b(?:[Pp]assing|[Uu]sing) (`{0,2}[a-z][\w.]{1,60}`{0,2} as (?:an? )?[\w.]{2,40}) (?:is|has been) (?:now )?deprecated"
)
"""One use of it alone."""
_WITHIN = re.compile(
    r"^[A-Z][a-z]+ing ((?:\w+ ){1,4}(?:in|to|into|from|with|for) [`'\"]?--[a-z][\w-]{1,60})[`'\"]?(?: \([^()]{0,40}\))? (?:is|has been) (?:now )?deprecated"
)
"""What is not to be given to an option any more; the option stays."""
_INNER = re.compile(r"^[A-Z][a-z]+ing (?:\w+ ){1,4}(?:in|to|into|from|with|for) [`'\"]?$")
_INSTEAD = re.compile(
    r"(?:\b[Uu]s(?:e|ing)|\b[Ss]pecify it (?:via|with|by)|\b[Ss]et|\b[Pp]ass|\b[Pp]refer|(?:[Ss]witch|[Mm]igrate|[Mm]ove|renamed) to|replaced (?:by|with)|in favou?r of)"
    rf" (?:the )?(?:new )?({_NAMED})"
)
_PART = re.compile(r"\s{0,80}f?[\"']")
_SENTENCE = re.compile(r"(?<=[.;!])\s+")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Deprecations that this file's hunks bring."""
    if file.area in BEHIND or not _SAYS.search(file.change.patch):
        return
    if file.change.status in "AC":
        yield from _old_place(file, whole)
        return
    known = _marked_before(whole)  # a mark that moved with its code, within the file or from another one
    marked = [x.sign for hunk in file.hunks for x in hunk.lines if _MARK.search(x.text[:400])]
    comes = marked.count("-") < marked.count("+")  # as many as before: they only moved
    for hunk in file.hunks:
        for fact in (*(_marks(file, hunk) if comes else ()), *_warnings(file, hunk, whole)):
            if fact.symbol not in known:
                known.add(fact.symbol)
                yield fact


def _old_place(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """A module that comes to keep an old place alive and warns whoever imports it; of a package the package alone."""
    module = file.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package = f"{file.path.rpartition('/')[0]}/__init__.py"
    kept = (one for one in whole.files if one.path == package != file.path and one.change.status in "AC")
    if any(_SAYS.search(one.change.patch) for one in kept):
        return
    lines = [line for hunk in file.hunks for line in side(hunk, "+")]
    for at, line in enumerate(lines):
        names = _QUOTED.findall(_message(logical(lines, at))) if line.text.startswith("warnings.warn(") else []
        old = next((name for name in names if name == module or module.endswith(f".{name}")), None)
        instead = next((name for name in names if "." in name and name != old), None)
        if old is not None:
            kind, was = ("deprecated_for", old) if instead else ("deprecated", None)
            yield Fact(kind, file.path, line.number, old, was, instead or old)


# --- marks -------------------------------------------------------------------------------------------------------


def _marks(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    """A mark that comes; hunks that also take one away only move or reword it."""
    if any(x.sign == "-" and _MARK.search(x.text[:400]) for x in hunk.lines):
        return
    after = side(hunk, "+")
    for at, line in enumerate(after):
        if line.changed and _MARK.search(line.text[:400]) and (symbol := _marked(after, at)):
            yield Fact("deprecated", file.path, line.number, symbol, None, symbol)


@remembered(4)
def _marked_before(whole: Whole) -> set[str]:
    """What marks that went in any file of the commit were about."""
    patches = (file.hunks for file in whole.files if _SAYS.search(file.change.patch))
    sides = (side(hunk, "-") for some in patches for hunk in some)
    found = ((lines, at) for lines in sides for at, x in enumerate(lines) if x.changed and _MARK.search(x.text[:400]))
    return {symbol for lines, at in found if (symbol := _marked(lines, at))}


def _marked(lines: Sequence[SideLine], at: int) -> str | None:
    """What the text of a decorator says, else the definition under it; else a name that the text beside the mark quotes."""
    if lines[at].text.lstrip().startswith("@"):
        below = next((m[1] for x in lines[at + 1 : at + 8] if (m := _DEFINED.match(x.text))), None)
        return subject(_message(logical(lines, at).lstrip()[1:])) or below
    near = [x for x in lines[max(0, at - 3) : at + 1][::-1] if x.changed and "deprecat" in x.text.lower()]
    return next((m[1] for x in near if (m := _QUOTED.search(x.text[:400])) and not m[1].endswith("Warning")), None)


# --- warnings ----------------------------------------------------------------------------------------------------


def _warnings(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    """Warnings that come and say of something that it is deprecated; another date of one that stood is none."""
    before, after = side(hunk, "-"), side(hunk, "+")
    stood = {subject(_message(logical(before, i))) for i, x in enumerate(before) if _WARNS.match(x.text[:400])}
    for at, line in enumerate(after):
        if not _WARNS.match(line.text[:400]):
            continue
        statement = logical(after, at)
        lines = after[at : at + statement.count("\n") + 1]
        said = any(x.changed and _SAYS.search(x.text) for x in lines)  # its head may be that of a warning which went
        if not (line.changed or said) or _moved(lines, whole):
            continue
        message = _message(statement)
        symbol = subject(message)
        if symbol is None:
            own = _warning_function(after, at, message) if whole.wide or file.reach == "public" else None
            if own is not None and not any(map(_SAYS.search, whole.removed_lines)):  # its words do not say which it was
                yield Fact("deprecated", file.path, line.number, own, None, own, inner=file.reach != "public")
        elif symbol not in stood and not _said(symbol, whole):
            instead = successor(message, symbol)
            if instead is None:
                yield Fact("deprecated", file.path, line.number, symbol, None, symbol)
            else:
                yield Fact("deprecated_for", file.path, line.number, symbol, symbol, instead)


def _moved(lines: Sequence[SideLine], whole: Whole) -> bool:
    """The lines that say so stood there or somewhere else before."""
    gone = {line.strip() for line in whole.removed_lines if _SAYS.search(line)}
    return all(not x.changed or x.text.strip() in gone for x in lines if _SAYS.search(x.text))


def _said(symbol: str, whole: Whole) -> bool:
    """What went at one place said so of the same thing already: the words are others."""
    hunks = (hunk.lines for file in whole.files for hunk in file.hunks if _SAYS.search(file.change.patch))
    gone = ([x.text for x in lines if x.sign == "-"] for lines in hunks)
    return any(symbol in near for lines in gone for near in _saying(lines))


def _saying(lines: Sequence[str]) -> Iterator[str]:
    """Each line that says so, with the parts of its text before and behind it."""
    for at, line in enumerate(lines):
        if _SAYS.search(line):
            around = (x for x in (*lines[max(at - 2, 0) : at], *lines[at + 1 : at + 3]) if _PART.match(x))
            yield " ".join((line, *around))


def _message(statement: str) -> str:
    """The words of a warning; `{}` for what is put in."""
    try:
        tree = ast.parse(dedent(statement).strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    call = tree.body[0].value if tree.body and isinstance(tree.body[0], ast.Expr) else None
    words = [_words(one) for one in call.args[:2]] if isinstance(call, ast.Call) else []
    return " ".join("".join(words).split())[:1000]


def _words(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join("{}" if isinstance(part, ast.FormattedValue) else _words(part) for part in node.values)
    return ""


def subject(message: str) -> str | None:
    """What a warning says is deprecated: the first name in code of the sentence that says so, before the word."""
    for sentence in _SENTENCE.split(message):
        before, word, after = sentence.partition("eprecat")
        if word:
            part = _HANDED.search(sentence) or _WITHIN.search(sentence)
            if part:
                return part[1].replace("`", "")
            plain = _SUPPORT.search(sentence) or _feature(sentence, message)
            found = _CODE.findall(before) or ([] if before.rstrip("dD").strip() else _CODE.findall(_own(after)))
            found = [name for name in found if not _INNER.match(before.partition(name)[0])]
            named = [name for name in found if not _is_camel(_bare(name))]
            named = named or (
                [] if _ARGUMENT.search(before) else found
            )  # a class that takes it is not deprecated itself
            return _bare(named[0]) if named else plain[1] if plain else None
    return None


def _feature(sentence: str, message: str) -> re.Match[str] | None:
    """A feature that has no name in code, of which the words say what takes its place."""
    found = _FEATURE.search(sentence)
    return found if found and successor(message, found[1]) is not None else None


def _own(text: str) -> str:
    """Words behind `Deprecated …` up to those about what takes its place."""
    return re.split(r"\b[Uu]se\b|\bfavou?r\b|\breplaced?\b", text, maxsplit=1)[0]


def _is_camel(name: str) -> bool:
    """The name of a class, and not of one of its members."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper()


def successor(message: str, symbol: str) -> str | None:
    """The one thing that a warning says to use instead; of several, each is for somebody else."""
    found = next((m for m in _INSTEAD.finditer(message) if _bare(m[1]) not in (symbol, *symbol.split())), None)
    if found is None:
        return None
    rest = _SENTENCE.split(message[found.end() :], maxsplit=1)[0]
    return None if re.search(r"\b(?:and|or)\b", rest) and _CODE.search(rest) else _bare(found[1])


def _bare(name: str) -> str:
    return (name[1:-1] if name[0] in "`'\"" else name).rstrip(".")


def _warning_function(lines: Sequence[SideLine], at: int, message: str) -> str | None:
    """The function that warns about itself: always when it is called, or by its name."""
    if not _SAYS.search(logical(lines, at)):
        return None
    width, direct = _indent(lines[at].text), True
    for line in reversed(lines[max(0, at - 80) : at]):
        text = line.text[:400]
        if not text.strip() or _indent(text) >= width:
            continue
        head = _DEFINED.match(text)
        if head is None or text.lstrip().startswith("class"):
            direct = direct and text.lstrip().startswith(")")  # the end of a head over several lines
            width = _indent(text) + 1 if text.lstrip().startswith(")") else _indent(text)
            continue
        named = re.search(rf"(?<![\w.]){head[1]}\b", message) is not None
        return head[1] if (direct or named) and not head[1].startswith("_") else None
    return None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())

"""Functions of a Python file as syntax trees, before and after a change: only those that are not written alike are parsed.

Whole files say what encloses a line and what a name was given; where they are not at hand, the hunks are read as if they
were all there is.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Literal

from daybreak.findings.diff import side
from daybreak.findings.languages.base import MAX_LINE, ReadFile, Whole
from daybreak.findings.languages.python_normal import Scope, Wrapper
from daybreak.findings.languages.python_signature import (
    before_hash,
    whole_lines,
    whole_names,
    without_sentences,
    without_texts,
)
from daybreak.findings.languages.python_syntax import (
    bound,
    delegate,
    is_docstring,
    parsed,
    small,
    statements,
    walk,
)
from daybreak.findings.languages.python_wanted import is_source
from daybreak.findings.memory import remembered
from daybreak.findings.paths import BEHIND

_HEAD = re.compile(r"[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+[^\W\d]\w{0,120}")
_HEADS = re.compile(r"\n([ \t]{0,200})(def|class|async[ \t]+def)[ \t]+([^\W\d]\w{0,120})")
"""A head with the line end before it: a pattern that begins with a fixed character is looked for many times faster."""
_NAME = re.compile(r"[^\W\d]\w*")
_MARGIN = re.compile(r"(?:[ \t]*\n)*([ \t]*)")
_BLANKS = re.compile(r"(?<=\n)[ \t]+(?=\n|\Z)")
MAX_FILE = 2 << 20

Def = ast.FunctionDef | ast.AsyncFunctionDef
Sign = Literal["-", "+"]


class Function:
    """One function, or what a file holds outside its functions (its name is empty)."""

    def __init__(self, name: str, line: int, lines: Sequence[str]) -> None:
        self.name, self.line, self._lines = name, line, lines

    @cached_property
    def text(self) -> str:
        """Its lines without the margin of the first; what stands further left is part of a text, or a remark."""
        text = "\n".join(self._lines)
        margin = _MARGIN.match(text)
        cut = text[margin.end(1) :].replace(f"\n{margin[1]}", "\n") if margin and margin[1] else text
        return _BLANKS.sub("", cut)

    @cached_property
    def _rows(self) -> list[str]:
        return self.text.split("\n")

    def mentions(self, words: re.Pattern[str], *hints: str) -> bool:
        """One of the words stands in it, in whatever role; most functions have none, not even a hint of one."""
        text = "\n".join(self._lines)
        likely = any(hint in text for hint in hints) if hints else words.search(text)
        return bool(likely) and any(map(words.search, self._lines))

    def reads_like(self, other: Function) -> bool:
        """Both are written alike, line for line."""
        return self._lines == other._lines

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    def has_class_in(self, text: str) -> bool:
        """It is a method of a class that stands in the text."""
        owner = self.name.rpartition(".")[0].rpartition(".")[2]
        return bool(owner) and f"class {owner}" in text

    @cached_property
    def body(self) -> list[ast.stmt]:
        """Its statements; none when it is no Python."""
        tree = parsed(self.text)
        if tree is None:
            return []
        node = tree.body[0] if tree.body else None
        return node.body if self.name and isinstance(node, Def) else tree.body

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        tree = parsed(self.text) if self.name else None
        node = tree.body[0] if tree is not None and tree.body else None
        if not isinstance(node, Def):
            return ()
        a = node.args
        rest = [x for x in (a.vararg, a.kwarg) if x is not None]
        return tuple(x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs, *rest))

    @cached_property
    def registered(self) -> dict[str, Def]:
        """Functions inside it that a decorator hands on to others, by name."""
        found = (node for node in walk(self.body) if isinstance(node, Def) and node.decorator_list)
        return {node.name: node for node in found}

    def registered_around(self, node: ast.stmt) -> set[str]:
        """Names of those functions inside it that a statement stands in."""
        every = self.registered.items()
        return {name for name, one in every if one.lineno <= node.lineno <= (one.end_lineno or 0)}

    @cached_property
    def decorated(self) -> str:
        """The lines of its decorators."""
        heads = (n for n, line in enumerate(self._lines) if _HEAD.match(line))
        return "\n".join(self._lines[: next(heads, 0)])

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_NAME.findall(self.text))

    @cached_property
    def coded(self) -> frozenset[str]:
        """Its words but those of comments, of its docstring and of whole sentences: what is only named there is not known to it."""
        return frozenset(_NAME.findall(without_sentences(self._rows, self.body)))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it asks for or gives a value; what stands behind a dot or in a text is none of them."""
        nodes = (n for one in self.body for n in ast.walk(one))
        return (
            frozenset(n.id for n in nodes if isinstance(n, ast.Name)).union(self.bindings) if self.body else self.words
        )

    @cached_property
    def bindings(self) -> dict[str, list[ast.expr | None]]:
        """Local name → each value it is given; None for what is no plain value (a loop, an import, a parameter)."""
        found: dict[str, list[ast.expr | None]] = {name: [None] for name in self.parameters}
        nodes = walk(self.body) if ":=" in self.text else statements(self.body)
        for node in nodes:
            for name, given in bound(node):
                found.setdefault(name, []).append(given)
        return found

    @cached_property
    def _values(self) -> dict[str, ast.expr]:
        once = ((name, given[0]) for name, given in self.bindings.items() if len(given) == 1)
        return {name: value for name, value in once if value is not None and small(value)}

    def value(self, name: str) -> ast.expr | None:
        """What a local name stands for that is given one value once."""
        return self._values.get(name)

    @cached_property
    def scope(self) -> Scope:
        """Its local values in the place of their names."""
        return Scope(self.value, answers={})

    @cached_property
    def anonymous(self) -> Scope:
        """The same, with no name for what is its own."""
        return Scope(self.value, self.bindings.__contains__, loose=True, answers={})

    def meaning(self, node: ast.expr) -> frozenset[tuple[str, str]]:
        """An expression as it is written, with the values of the local names in it and in those values."""
        out: dict[str, str] = {}
        left = [("", node)]
        while left:
            name, one = left.pop()
            out[name] = self.source(one)
            words = _NAME.findall(out[name])
            left.extend((word, self._values[word]) for word in words if word in self._values and word not in out)
        if not all(map(str.isascii, out.values())):
            out[" "] = str(id(self))  # Python takes two writings for one name, so the text does not say all
        return frozenset(out.items())

    def changed(self, other: Function) -> list[str]:
        """Its lines that the other one does not have."""
        known = set(other._lines)
        return [line for line in self._lines if line not in known]

    def source(self, node: ast.expr) -> str:
        """An expression as it is written, on one line or several, without the remarks between them."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        rows = self._rows[first : last + 1]
        if len(rows) == 1 and rows[0].isascii():
            return rows[0][node.col_offset : node.end_col_offset]
        encoded = [row.encode() for row in rows] if rows else [b""]
        encoded[-1] = encoded[-1][: node.end_col_offset]
        encoded[0] = encoded[0][node.col_offset :]
        return whole_lines(before_hash(row.decode("utf-8", "replace")) for row in encoded)

    def at(self, node: ast.stmt | ast.expr) -> int:
        """The number of its first line in the file."""
        return self.line + node.lineno - 1


class Pair:
    """One function before and after; a side that does not exist is None."""

    def __init__(self, file: ReadFile, old: Function | None, new: Function | None) -> None:
        self.file, self.old, self.new = file, old, new

    @property
    def place(self) -> str:
        """`Class.method`, as readers know it; of a file's own statements the file."""
        name = (self.new or self.old or _NONE).name
        return ".".join(name.split(".")[-2:]) or self.file.path.rsplit("/", 1)[-1]


_NONE = Function("", 1, ())


# --- the functions of a file ---------------------------------------------------------------------------------------


def functions(text: str) -> dict[str, Function]:
    """The outermost functions of a file by `Class.name`, and under an empty name all that stands outside of them."""
    code = without_texts(text)
    if code is None or len(text) > MAX_FILE or code.count("\n") != text.count("\n"):
        return {}
    lines = text.split("\n")
    out: dict[str, Function] = {}
    rest = list(lines)
    count: Counter[str] = Counter()
    for name, start, end in _spans(code):
        count[name] += 1
        unique = name if count[name] == 1 else f"{name}#{count[name]}"
        out[unique] = Function(name, start + 1, lines[start:end])
        head = lines[start]
        rest[start:end] = [head[: len(head) - len(head.lstrip())] + "pass", *([""] * (end - start - 1))]
    out[""] = Function("", 1, rest)
    return out


def _spans(code: str) -> Iterator[tuple[str, int, int]]:
    """Name, index of the first line with decorators, and of the line behind, of each outermost function."""
    rows = code.split("\n")
    code = f"\n{code}"
    owners: list[tuple[int, str]] = []
    at, line = 1, 0
    for head in _HEADS.finditer(code):
        start = head.start(1)
        if start < at:
            continue
        line += code.count("\n", at, start)
        at = start
        while owners and owners[-1][0] <= at:
            owners.pop()
        end = _end(code, head)
        if head[2] == "class":
            owners.append((end, head[3]))
            continue
        behind = line + code.count("\n", at, end)
        last = behind if code.endswith("\n", at, end) else behind + 1
        while last > line + 1 and (not rows[last - 1].strip() or rows[last - 1].lstrip().startswith("#")):
            last -= 1
        yield ".".join([*(name for _, name in owners), head[3]]), _decorators(rows, line, head[1]), last
        line, at = behind, end


def _decorators(rows: Sequence[str], at: int, indent: str) -> int:
    """The first line of the decorators over a head; itself when it has none."""
    first = at
    for n in range(at - 1, max(-1, at - 40), -1):
        if rows[n].startswith(f"{indent}@"):
            first = n
        elif not rows[n].startswith((f"{indent} ", f"{indent})", f"{indent}]")):
            break
    return first


def _end(code: str, head: re.Match[str]) -> int:
    """Where the block of a head ends: at the next line of code that is not deeper, brackets that close aside."""
    found = _behind(len(head[1])).search(code, head.end())
    return found.start() + 1 if found else len(code)


@lru_cache(maxsize=64)
def _behind(indent: int) -> re.Pattern[str]:
    return re.compile(rf"\n[ \t]{{0,{indent}}}[^\s#)\]}}]")


# --- what a change did to them -------------------------------------------------------------------------------------

_TELLING = 5
"""Letters of a value that is hardly part of another file's name by chance."""


class Sources:
    """The Python files of one change, whole or as far as its hunks show them, and the functions in them."""

    def __init__(self, whole: Whole) -> None:
        self._whole = whole
        self._known = whole.sources
        self.files = [f for f in whole.files if is_source(f)]
        self._functions: dict[tuple[str, str], dict[str, Function]] = {}
        self._wrappers: dict[tuple[str, str], Wrapper | None] = {}
        self._scopes: dict[tuple[Pair, bool, bool], tuple[Scope, Scope]] = {}
        self._new_values: dict[str, bool] = {}

    def text(self, file: ReadFile, sign: Sign) -> str:
        """One side of a file."""
        found = [self._known.get(oid) if oid.strip("0") else "" for oid in (file.change.old_blob, file.change.new_blob)]
        side_of = found[0 if sign == "-" else 1]
        return side_of if side_of is not None and None not in found and any(found) else _shown(file, sign)

    def functions(self, file: ReadFile, sign: Sign) -> dict[str, Function]:
        """The functions of one side of a file."""
        key = (file.path, sign)
        if key not in self._functions:
            self._functions[key] = functions(self.text(file, sign))
        return self._functions[key]

    @cached_property
    def pairs(self) -> dict[str, list[Pair]]:
        """Path → the functions of a file that are not written alike before and after.

        One that left a file and came to another, or to another class, under the same name is the same function.
        """
        out: dict[str, list[Pair]] = {}
        for file in self.files:
            old, new = self.functions(file, "-"), self.functions(file, "+")
            out[file.path] = [
                Pair(file, old.get(name), new.get(name))
                for name in dict.fromkeys((*old, *new))
                if name not in old or name not in new or not old[name].reads_like(new[name])
            ]
        _join(out)
        return out

    def changed(self, path: str) -> Iterator[tuple[Pair, Function, Function]]:
        """Those of a file's pairs that have both sides, with the sides."""
        for pair in self.pairs.get(path, ()):
            if pair.old is not None and pair.new is not None:
                yield pair, pair.old, pair.new

    @cached_property
    def before(self) -> str:
        """All that stood before in the files."""
        return "\n".join(self.text(file, "-") for file in self.files)

    @cached_property
    def after(self) -> str:
        """All that stands in the files now."""
        return "\n".join(self.text(file, "+") for file in self.files)

    @cached_property
    def _chosen(self) -> str:
        return "\n".join(re.findall(r"\bLiteral\[[^\[\]]{1,4000}", self.after))

    def wrapper(self, name: str, sign: Sign) -> Wrapper | None:
        """The one function of this name on a side of the files, when all it does is hand on an expression."""
        key = (name, sign)
        if key not in self._wrappers:
            self._wrappers[key] = self._wrapper(name, sign)
        return self._wrappers[key]

    def _wrapper(self, name: str, sign: Sign) -> Wrapper | None:
        if f"def {name}(" not in (self.before if sign == "-" else self.after):
            return None
        known = (self.functions(f, sign) for f in self.files if f"def {name}(" in self.text(f, sign))
        found = [one for some in known for one in some.values() if one.name and one.short == name]
        hands = {ast.dump(w.body): w for one in found[:8] if (w := _handed(one)) is not None}
        return next(iter(hands.values())) if len(hands) == 1 and len(found) <= 4 else None

    def is_new(self, name: str) -> bool:
        """The change defines the name, and nothing of the kind stood in its files before."""
        return name in self._whole.defined and name not in self._stood

    @cached_property
    def _stood(self) -> frozenset[str]:
        return whole_names(self.before)

    def is_new_value(self, value: str) -> bool:
        """A text that the change brings: it stood in none of its files, and is declared now or names a file that came."""
        text = value.strip("\"'")
        if not text or text == value or any(f"{mark}{text}{mark}" in self.before for mark in "\"'"):
            return False
        if text not in self._new_values:
            name, quoted = re.escape(text), rf"[\"']{re.escape(text)}[\"']"
            given = re.compile(rf"\s*{quoted}\s*:|\s*\w+(?:\s*:\s*\w+)?\s*=\s*{quoted}\s*$|class {name}\b").match
            declared = any(given(line[:MAX_LINE]) for line in self._whole.added_lines if text in line)
            came = (f.path for f in self._whole.files if f.change.status == "A" and f.area not in BEHIND)
            named = len(text) >= _TELLING and any(text in path for path in came)
            self._new_values[text] = declared or named or any(f"{mark}{text}{mark}" in self._chosen for mark in "\"'")
        return self._new_values[text]

    def readings(self, pair: Pair) -> Iterator[tuple[Scope, Scope]]:
        """What names may mean: local values in their place; names of one side alone without a name; wrappers looked through."""
        for wrappers in (False, True):
            for hidden in (False, True):
                key = pair, hidden, wrappers
                if key not in self._scopes:  # the same ones for all readers, so that what they ask is answered once
                    self._scopes[key] = self._scope(*key, "-"), self._scope(*key, "+")
                yield self._scopes[key]

    def _scope(self, pair: Pair, hidden: bool, wrappers: bool, sign: Sign) -> Scope:
        own, other = (pair.old, pair.new) if sign == "-" else (pair.new, pair.old)
        if own is None:
            return Scope(loose=True)
        look = (lambda name: self.wrapper(name, sign)) if wrappers else (lambda _: None)
        meaning = None if hidden or wrappers else own.meaning
        if not hidden:
            return Scope(own.value, loose=True, wrappers=look, written=meaning, answers={})
        return Scope(
            lambda name: own.value(name) or self._constants[sign].get(name),
            lambda name: self._alone(name, sign),
            lambda name: other is not None and name in own.bindings and name not in other.names,
            loose=True,
            wrappers=look,
            answers={},
        )

    @cached_property
    def _constants(self) -> dict[Sign, dict[str, ast.expr]]:
        """What a constant of the files stands for on each side, where it is a collection of values that are written out."""
        signs: tuple[Sign, ...] = ("-", "+")
        return {sign: dict(_listed(self.functions(f, sign).get("") for f in self.files)) for sign in signs}

    def _alone(self, name: str, sign: Sign) -> bool:
        """Only this side knows the name: it may be another one for the same thing."""
        words = self._whole.removed_words if sign == "-" else self._whole.added_words
        return name in words and name not in (self.after if sign == "-" else self.before)


def _listed(modules: Iterable[Function | None]) -> Iterator[tuple[str, ast.expr]]:
    """Names in capitals that a module gives a collection of plain values."""
    for node in (node for module in modules if module is not None for node in module.body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Tuple | ast.List | ast.Set):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id.isupper() and all(map(_is_plain, node.value.elts)):
                yield target.id, node.value


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


@remembered(4)
def sources(whole: Whole) -> Sources:
    """Those of one change, made once for all readers."""
    return Sources(whole)


def _shown(file: ReadFile, sign: Sign) -> str:
    """The lines of one side that the hunks show, each where it stands in the file."""
    out: list[str] = []
    for hunk in file.hunks:
        lines = side(hunk, sign)
        first = lines[0].number if lines else 0
        head = hunk.context if _HEAD.match(hunk.context) else ""
        out.extend([""] * min(max(first - 1 - len(out), 0), 100_000))
        opened = lines and lines[0].text[:1] in (" ", "\t") and head and not head.endswith(",")
        if opened and out:
            out[-1] = head if head.endswith(":") else f"{head.rstrip()}: pass" if ")" in head else head
        out.extend(line.text for line in lines)
    return "\n".join(out)


def _join(found: dict[str, list[Pair]]) -> None:
    """Makes one pair of a function that went and one that came under the same name."""
    gone: dict[str, list[Pair]] = {}
    come: dict[str, list[Pair]] = {}
    for pair in (p for some in found.values() for p in some):
        if pair.new is None and pair.old is not None:
            gone.setdefault(pair.old.short, []).append(pair)
        elif pair.old is None and pair.new is not None:
            come.setdefault(pair.new.short, []).append(pair)
    for name in gone.keys() & come.keys():
        if len(gone[name]) == len(come[name]) == 1:
            was, now = gone[name][0], come[name][0]
            now.old = was.old
            found[was.file.path].remove(was)


def _handed(one: Function) -> Wrapper | None:
    """A function that returns one expression, after conditions on which it returns another."""
    body = [x for x in one.body if not isinstance(x, ast.Import | ast.ImportFrom) and not is_docstring(x)]
    if not body or len(body) > 4:
        return None
    last, out = body[-1], None
    if isinstance(last, ast.Return) and last.value is not None:
        out = delegate(last.value)
    for node in reversed(body[:-1]):
        only = node.body[0] if isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse else None
        if out is None or not isinstance(node, ast.If) or not isinstance(only, ast.Return) or only.value is None:
            return None
        out = ast.IfExp(node.test, only.value, out)
    return Wrapper(one.parameters, out) if out is not None and small(out) else None

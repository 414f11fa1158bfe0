"""Proof that a change is safe: nothing but comments, formatting, type hints, or code that moved.

Both sides of every code file are read whole and compared token by token (C, C++, CUDA) or as syntax trees (Python):
hunks alone cannot tell a comment from a line of a text. What cannot be proved is not safe. Nothing is run.

The four kinds, each of which may hold what those before it hold: `only_comments` (comments and docstrings),
`only_formatting` (blanks, line breaks, quotes, order of imports), `only_types` (hints that nothing reads at run time),
`only_moved` (renamed files, functions and classes that stand elsewhere unchanged, with the imports that follow them).
Tests, docs and CI beside the code do not count; without any code there is nothing to prove.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from daybreak.findings.languages.base import ReadFile
from daybreak.findings.safe_python import Bare, alike, differences, lines_of, parse, parts, same, written

SafeKind = Literal["only_comments", "only_formatting", "only_types", "only_moved"]
ORDER: tuple[SafeKind, ...] = ("only_comments", "only_formatting", "only_types", "only_moved")

MAX_FILES = 200
MAX_CHANGED = 20_000
"""Lines of a change that is worth proving; a larger one is never called safe."""

LARGEST = 1 << 20

_ASIDE = frozenset({"test", "docs", "ci"})
_PYTHON = re.compile(r"\.pyi?$")
_C = re.compile(r"\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl)$")
_TOKEN = re.compile(
    r"(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)"
    r"|(?P<raw>(?:u8|[uUL])?R\"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)\")"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>\w+)|(?P<join>\\\r?\n)|(?P<line>\n)|(?P<blank>[^\S\n]+)|(?P<mark>.)",
    re.DOTALL,
)


def wanted(files: Sequence[ReadFile]) -> list[str]:
    """Blob ids that a proof needs; none when the hunks already show that there is nothing to prove."""
    code = _code(files)
    if not _worth(code):
        return []
    ids = [oid for f in code if not _same_blob(f) for oid in (f.change.old_blob, f.change.new_blob)]
    return [oid for oid in dict.fromkeys(ids) if oid.strip("0")]


def safe_kind(files: Sequence[ReadFile], blobs: Mapping[str, str] | None = None) -> SafeKind | None:
    """What the whole change is nothing but; None when that cannot be proved.

    `blobs` holds the contents by blob id, at least those that `wanted` names; without them only renames are proved.
    """
    code = _code(files)
    if not code or not _worth(code):
        return None
    kinds: set[SafeKind] = set()
    rest: list[tuple[ReadFile, str, str]] = []
    for file in code:
        if _same_blob(file):
            kinds.add("only_moved")
            continue
        sides = [_content(oid, blobs or {}) for oid in (file.change.old_blob, file.change.new_blob)]
        if sides[0] is None or sides[1] is None or (file.change.mode_changed and any(map(_is_program, sides))):
            return None
        rest.append((file, sides[0], sides[1]))
    try:
        found = _kinds(code, rest)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if found is None:
        return None
    kinds |= found
    return max(kinds, key=ORDER.index) if kinds else None


def _is_program(text: str | None) -> bool:
    """The system starts it: whether it may is part of what it does."""
    return text is not None and text.startswith("#!")


def _code(files: Iterable[ReadFile]) -> list[ReadFile]:
    return [f for f in files if f.area not in _ASIDE]


def _worth(code: Sequence[ReadFile]) -> bool:
    """Cheap signs that a proof cannot succeed: unknown languages, new modes, cut patches, more lines than moved."""
    if not code or len(code) > MAX_FILES or sum(f.change.added + f.change.deleted for f in code) > MAX_CHANGED:
        return False
    for f in code:
        c = f.change
        if c.binary or c.submodule or c.symlink or c.skipped:
            return _same_blob(f) and not c.mode_changed
        if not _same_blob(f) and not (_PYTHON.search(f.path) or _C.search(f.path)):
            return False
    return _possible(code) != ""


def _possible(code: Sequence[ReadFile]) -> Literal["", "some", "moves"]:
    """A sieve, so that few files are read whole: the words that only one side has must leave a proof possible.

    None is left over: form or moves. None on lines that are surely code: comments. All stand in hints: types.
    """
    if any(not f.hunks and not _same_blob(f) for f in code):
        return ""
    lines = [line for f in code for line in _changed(f)]
    left = _unequal(lines)
    if not left:
        return "moves"
    # Nearly always one word settles both questions, and few lines hold it.
    word = min(left)
    near = [line for line in lines if word in line.text]
    if not (word in _unequal(_sure(near)) or _unequal(_sure(lines))):
        return "some"
    return "some" if word in _hinted(near) and left <= _hinted(lines) else ""


def _sure(lines: Sequence[_Line]) -> list[_Line]:
    return [line for line in lines if _SURE.match(line.text)]


def _hinted(lines: Sequence[_Line]) -> set[str]:
    """Words that stand in hints."""
    return {w for line in lines if line.python for hint in _HINT.findall(line.text) for w in _WORD.findall(hint)}


class _Line(NamedTuple):
    sign: str
    text: str
    python: bool


def _changed(file: ReadFile) -> Iterator[_Line]:
    """Changed lines without comments, imports apart."""
    python = bool(_PYTHON.search(file.path))
    mark = "#" if python else "//"
    for hunk in file.hunks:
        for x in hunk.lines:
            if x.sign != " ":
                text = x.text[:1000].partition(mark)[0]
                if not ("import" in text and _IMPORT.match(text)):
                    yield _Line(x.sign, text, python)


def _unequal(lines: Sequence[_Line]) -> set[str]:
    """Words that one side has more of."""
    won, lost = (Counter(_WORD.findall("\n".join([x.text for x in lines if x.sign == sign]))) for sign in "+-")
    return {word for word in won.keys() | lost.keys() if won[word] != lost[word]}


_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"\s*(?:from [\w.]+ import|import )")
_HINT = re.compile(r"(?::|->)([^=#()]{1,120})")
_SURE = re.compile(
    r"\s*(?:[\w.\[\]]+ [-+*/|&]?= \S|(?:if|elif|for|while|with|def|class|async|except) .*:$|(?:return|raise|assert|yield) \w+[.(\[]"
    r"|[\w.]+\(.*\)[;,]?$|.*;$|@\w)"
)


def _same_blob(file: ReadFile) -> bool:
    c = file.change
    return c.status == "R" and bool(c.old_blob) and c.old_blob == c.new_blob


def _content(oid: str, blobs: Mapping[str, str]) -> str | None:
    """One side; empty for a file that was not there, None for what is missing or no clean text."""
    text = blobs.get(oid) if oid.strip("0") else ""
    return None if text is None or "\ufffd" in text or len(text) > LARGEST else text


def _kinds(code: Sequence[ReadFile], rest: Sequence[tuple[ReadFile, str, str]]) -> set[SafeKind] | None:
    """The kind of each file that differs; what one file cannot prove alone is tried as a move over all of them."""
    kinds: set[SafeKind] = set()
    moves = Moves()
    balanced = _possible(code) == "moves"
    for file, old, new in rest:
        c = file.change
        kind = (_c_kind if _C.search(file.path) else differences)(old, new) if c.status in "MR" else None
        if kind is not None:
            kinds.add(kind)
        elif _C.search(file.path) or not balanced:
            return None
        else:
            moves.add(c.old_path or c.path, c.path, old, new)
        if c.status == "R":
            kinds.add("only_moved")
    if not moves.empty:
        if not moves.proved([(f.change.old_path or f.path, f.path) for f in code]):
            return None
        kinds.add("only_moved")
    return kinds


def _c_kind(old: str, new: str) -> Literal["only_comments", "only_formatting"] | None:
    """Same tokens, and the same preprocessor lines: else None."""
    first, second = _tokens(old), _tokens(new)
    if first is None or second is None or first[0] != second[0]:
        return None
    return "only_formatting" if first[1] == second[1] else "only_comments"


def _tokens(text: str) -> tuple[list[str], list[str]] | None:
    """Tokens without comments and blanks, and the comments; a line break counts only where it ends a directive."""
    if text.find("/*", text.rfind("*/") + 1) >= 0 or text.count('R"') > 200:
        return None  # an open comment, or more raw texts than can be looked through in time
    tokens: list[str] = []
    comments: list[str] = []
    directive, first, blank = False, True, False
    for match in _TOKEN.finditer(text):
        kind, value = match.lastgroup or "", match[0]
        if kind in ("comment", "blank", "join"):
            comments.extend([" ".join(value.split())] if kind == "comment" else ())
            blank = True
        elif kind == "line":
            tokens.extend("\n" if directive else "")
            directive, first, blank = False, True, True
        elif kind == "mark" and value in "\"'":
            return None  # a quote that never closes: nothing behind it can be trusted
        else:
            directive = directive or (first and value == "#")
            _put(tokens, value, kind, apart=blank, spaced=directive and blank and not first)
            first, blank = False, False
    return tokens, comments


def _put(tokens: list[str], value: str, kind: str, *, apart: bool, spaced: bool) -> None:
    """Adds a token; what stands close may be a part of the last one, and in a directive a blank may count."""
    if spaced:
        tokens.append(" ")  # `#define f (x)` is not `#define f(x)`
    if tokens and not apart and _glued(tokens[-1], value, kind):
        tokens[-1] += value  # `>>` is not `> >`, and `L"x"` is not `L "x"`
    else:
        tokens.append(value)


def _glued(last: str, value: str, kind: str) -> bool:
    """Blanks between the two would make another token of them."""
    if kind == "mark":
        return last[-1] in "<>=!&|+-*/%^:.#" and value in "<>=!&|+-*/%^:.#"
    return kind in ("text", "raw") and (last[-1].isalnum() or last[-1] == "_")


# Proof that Python definitions only changed places: each stands unchanged somewhere, and its names mean the same.
_LOGGER = re.compile(r"logger = [\w.]+\(__name__\)$")
_TIED = re.compile(r"\bglobal\b|\bfrom\b[\s\\]*\.")
"""Without one of these a definition has neither a state of its module nor an import relative to its place."""
_NAME_WORD = re.compile(r"[A-Za-z_]\w*")


class Definition:
    """A function or class by its content; what costs time is looked at only when its text does not settle it."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, text: str) -> None:
        self._node, self._text = node, text

    def __hash__(self) -> int:
        return hash(self._node.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Definition):
            return False
        if self._text == other._text:
            return True
        return alike(self._node, other._node) and same(self._bare, other._bare)

    @cached_property
    def _bare(self) -> ast.AST:
        bare: ast.AST = Bare().visit(self._node)
        return bare

    @cached_property
    def uses(self) -> frozenset[str]:
        """Names it reads."""
        return frozenset(n.id for n in ast.walk(self._node) if isinstance(n, ast.Name))

    @property
    def tied(self) -> bool:
        """It has a state of its module, or an import relative to its place."""
        return _TIED.search(self._text) is not None and any(
            isinstance(n, ast.Global | ast.ImportFrom) and getattr(n, "level", 1) for n in ast.walk(self._node)
        )

    def may_use(self, names: Iterable[str]) -> bool:
        """False only when none of the names is in its text; other spellings of a name are none in ASCII."""
        return not self._text.isascii() or not set(_NAME_WORD.findall(self._text)).isdisjoint(names)


Meaning = tuple[str | Definition, ...]
"""What a name stands for: a definition by its content, an import by its origin, a value by its file."""


@dataclass(slots=True)
class _Side:
    """The top level of one file before or after."""

    module: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Bound name → module and name in it."""
    others: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)

    def names(self) -> set[str]:
        """Names that stand for something here; all others stand for the same thing elsewhere."""
        return {*self.definitions, *self.imports, *self.values}


Homes = Mapping[tuple[str, str], Definition]
"""Module and name → what is defined there."""


class Moves:
    """Files that differ, to be explained together by definitions that changed places."""

    def __init__(self) -> None:
        self._given: list[tuple[str, str, str, str]] = []
        self._files: list[tuple[_Side, _Side]] = []

    @property
    def empty(self) -> bool:
        return not self._given

    def add(self, old_path: str, path: str, old: str, new: str) -> None:
        """Takes one file, to be explained with the others."""
        self._given.append((old_path, path, old, new))

    def _balanced(self) -> bool:
        """No definition comes or goes where the files differ: what stands elsewhere need not be looked at for that."""
        count = Counter[tuple[str, Definition]]()
        for _, _, old, new in self._given:
            pieces = parts(lines_of(old), lines_of(new), inside=False)
            try:
                found = [_definitions(piece) for piece in pieces]
            except (SyntaxError, ValueError):
                return True  # cut in the wrong place, or no Python at all: the whole files will tell
            count.update(found[0])
            count.subtract(found[1])
        return not any(count.values())

    def _read(self, old_path: str, path: str, old: str, new: str) -> bool:
        """Reads one file; False when it holds what no move explains."""
        before, after = _side(_module(old_path), old), _side(_module(path), new)
        if before is None or after is None or before.others != after.others:
            return False
        self._files.append((before, after))
        return True

    def proved(self, places: Sequence[tuple[str, str]]) -> bool:
        """Every definition is still there, and every name that a file or definition uses means what it meant.

        `places` are old and new paths of files of the change, renamed ones among them.
        """
        if not self._balanced() or not all(self._read(*one) for one in self._given):
            return False
        old, new = [f[0] for f in self._files], [f[1] for f in self._files]
        if _all(old) != _all(new):
            return False
        modules = {_module(a): _module(b) for a, b in places}
        before, after = _homes(old), _homes(new)
        for was, now in self._files:
            known = was.names() | now.names()
            other = {n for n in known if _means(n, was, before, modules) != _means(n, now, after, {})}
            if other and _uses(was, now, other):
                return False
        return self._moved_mean_the_same(before, after, modules)

    def _moved_mean_the_same(self, before: Homes, after: Homes, modules: Mapping[str, str]) -> bool:
        source = {item: was for was, now in self._files for item in was.definitions.items() - now.definitions.items()}
        for was, now in self._files:
            for item in now.definitions.items() - was.definitions.items():
                if item not in source:
                    return False
                for name in item[1].uses:
                    if _means(name, source[item], before, modules) != _means(name, now, after, {}):
                        return False
        return True


def _uses(was: _Side, now: _Side, names: set[str]) -> bool:
    """Whether what stayed in a file uses one of the names."""
    if names & _words(now.others) or names & was.imports.keys() & now.imports.keys():
        return True  # others may import from here what is imported here
    kept = was.definitions.items() & now.definitions.items()
    return any(not names.isdisjoint(one.uses) for _, one in kept if one.may_use(names))


def _all(sides: Sequence[_Side]) -> Counter[tuple[str, Definition]]:
    return Counter(item for s in sides for item in s.definitions.items())


def _homes(sides: Sequence[_Side]) -> Homes:
    return {(s.module, name): one for s in sides for name, one in s.definitions.items()}


def _means(name: str, side: _Side, homes: Homes, modules: Mapping[str, str]) -> Meaning:
    """What a name stands for in a file; `modules` says where a renamed module stands now."""
    if name in side.definitions:
        return ("definition", name, side.definitions[name])
    if name in side.imports:
        module, own = side.imports[name]
        held = homes.get((module, own))
        if held is not None:
            return ("definition", own, held)
        return ("import", modules.get(module, module), own)
    if name in side.values:
        return ("logger",) if name == "logger" else ("value", modules.get(side.module, side.module), name)
    return ("elsewhere",)


def _words(texts: Sequence[str]) -> set[str]:
    return {w for t in texts for w in _NAME_WORD.findall(t)}


def _module(path: str) -> str:
    """`python/pkg/a/b.py` → `pkg.a.b`."""
    parts = path.rsplit(".", 1)[0].split("/")
    parts = parts[1:] if parts[0] in ("python", "src") else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _definitions(text: str) -> list[tuple[str, Definition]]:
    """The functions and classes at the top level."""
    lines = lines_of(text)
    return [
        (node.name, Definition(node, "\n".join(written(node, lines))))
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def _side(module: str, text: str) -> _Side | None:
    """The top level of a file; None when it holds what could make a move matter."""
    side, lines = _Side(module), lines_of(text)
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in side.definitions or node.name in side.imports:
                return None  # two of one name: their order decides
            one = side.definitions[node.name] = Definition(node, "\n".join(written(node, lines)))
            if one.tied:
                return None
        elif _bound_twice(node, side):
            return None
        elif not _import(node, side) and (bare := Bare().visit(node)) is not None:
            text_of = ast.unparse(bare)
            side.values.update(n.id for n in ast.walk(bare) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            if not _LOGGER.match(text_of):
                side.others.append(text_of)
    return side


def _bound_twice(node: ast.stmt, side: _Side) -> bool:
    """An import of a name that the file has already: their order decides."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    names = {a.asname or a.name for a in node.names if isinstance(node, ast.ImportFrom) or a.asname}
    return bool(names & (side.imports.keys() | side.definitions.keys()))


def _import(node: ast.stmt, side: _Side) -> bool:
    if isinstance(node, ast.Import):
        side.imports.update({a.asname or a.name.split(".")[0]: (a.name, "") for a in node.names})
        return True
    if not isinstance(node, ast.ImportFrom):
        return False
    if any(a.name == "*" for a in node.names) or node.module == "__future__":
        return False  # stays where it is, like any other statement
    origin = node.module or ""
    if node.level:
        base = side.module.split(".")
        base = base[: len(base) - node.level]
        origin = ".".join([*base, *([origin] if origin else [])])
    side.imports.update({a.asname or a.name: (origin, a.name) for a in node.names})
    return True

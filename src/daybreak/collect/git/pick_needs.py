"""Names that a pick reads: one that neither the change nor the release defines stops whoever takes it, though it applies."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import symtable
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeGuard

from daybreak.collect.git.line_heads import statements_of
from daybreak.collect.git.patch_blocks import START, blocks
from daybreak.collect.git.pick_homes import Homes, homeless
from daybreak.collect.git.standing import NOTHING, Text, parsed
from daybreak.core.model.changes import FileChange

_LINE = 500
_LARGEST = 1 << 20
_PYTHON = (".py", ".pyi")
_MOST = 400
"""Names that are looked for; a pick that reads more is not known to work."""
_STRING = re.compile(r"(?:(?<!\w)[bfru]{1,2})?(?:\"(?:[^\"\\]|\\.){0,400}\"|'(?:[^'\\]|\\.){0,400}')", re.IGNORECASE)
_COMMENT = re.compile(r"(?:#|//).{0,500}$")
_NAME = re.compile(r"(?<![\w$])[A-Za-z_]\w*")
_BEFORE = re.compile(r"(?:([A-Za-z_]\w*)|[)\]])?\s?(?:\.|->|::)\s?$")
_HEAD = re.compile(r"\s*(?:async\s+)?(?:def|class|fn|func|struct|enum|function)\s+([A-Za-z_]\w*)")
_TARGETS = re.compile(r"\b(?:for|as|lambda|with)\s([\w\s,()*]{1,200}?)(?:\sin\b|:|,?$|\))|([A-Za-z_]\w*)\s?:=")
_ASSIGNS = re.compile(r"\s*([\w\s.,()*\[\]]{1,200}?)(?:\s?:[^=]{1,200})?\s(?:[-+*/|&]?=)\s|\s*([A-Za-z_]\w*)\s?:\s")
_IMPORTS = re.compile(r"\s*(?:from\s+[\w.]+\s+)?import\s")
_ALONE = re.compile(r"\s*[A-Za-z_]\w*,$")
"""A name of an import that goes over lines, or an argument."""
_PARAMETER = re.compile(r"(?:^|[(,])\s*[*&]{0,2}([A-Za-z_]\w*)")
_GIVEN = frozenset(
    (
        *keyword.kwlist,
        *keyword.softkwlist,
        *dir(builtins),
        *"self cls inline static constexpr const template typename auto void struct class namespace using virtual explicit".split(),  # noqa: SIM905
        *"unsigned signed extern friend mutable noexcept override final public private protected switch case sizeof".split(),  # noqa: SIM905
    )
)
_METHODS = frozenset(chain.from_iterable(map(dir, (str, bytes, dict, list, set, tuple, int, float, object, Exception))))


class Read(NamedTuple):
    """A name that an added line reads."""

    name: str
    owner: str | None
    """What stands before its dot; empty for an expression, None for a name that stands alone."""


class Lines(NamedTuple):
    """What a patch adds, and whose names those lines bring themselves."""

    reads: frozenset[Read]
    brings: frozenset[str]


class Needs(NamedTuple):
    """What a pick reads and does not find."""

    names: tuple[str, ...]
    """The branch had them before the change, and the release has not."""
    foreign: tuple[str, ...]
    """Neither has them, though one file defines all else that is called of the same object: another package brings them."""


def lacking(files: Sequence[FileChange], release: Side, branch: Side) -> Needs | None:
    """Names that the added lines of these files read, and that a release has not; None where that cannot be told. What neither
    side defines is not of this project.

    A name alone must be bound where it is read in the file as merged, or, of one that does not parse, stand in the file;
    one of an object or a module must stand there, or be defined or read off the same owner somewhere in the release, and one
    that the branch's own file gives its object must stand there; one of a class, or imported, where that is at home.
    """
    added = {file.path: _lines(file, branch.after.get(file.path, NOTHING)) for file in files if file.patch}
    brought = frozenset(chain.from_iterable(lines.brings for lines in added.values()))
    every = [(one.owner, one.name) for lines in added.values() for one in lines.reads if one.owner]
    lost = homeless(every, release.after, release.texts, lambda: (release.homes, branch.homes))
    out = dict.fromkeys(name for name in lost if name not in brought)
    left: list[Read] = []
    for path, lines in added.items():
        here, before = release.texts.get(path, NOTHING), branch.texts.get(path, NOTHING)
        unbound, always = (_unbound(path, side.after.get(path, NOTHING).raw) for side in (release, branch))
        parsed = unbound is not None and always is not None
        if unbound and always is not None:
            out.update(dict.fromkeys(sorted(unbound - always - (_unbound(path, here.raw) or set()))))
        unknown = (one for one in sorted(lines.reads, key=str) if one.name not in brought and not here.names(one.name))
        for one in unknown:
            if one.owner is None and path.endswith(_PYTHON):
                out.update({one.name: None} if before.names(one.name) and not parsed else {})
            elif one.owner == "self" and _sets(before, one.name):
                out[one.name] = None  # what another class of the release calls so is not this one's
            else:
                left.append(one)
    found = _defined(left, release)
    more = None if found is None else _defined([one for one in left if one not in found], branch)
    if found is None or more is None:
        return None
    nowhere = [one for one in left if one not in found and one not in more]
    every_name = tuple(dict.fromkeys((*out, *(one.name for one in more))))
    return Needs(every_name, tuple(sorted({one.name for one in nowhere if _is_foreign(one, branch)})))


def _sets(text: Text, name: str) -> bool:
    """A file gives an object of its own this attribute."""
    return re.search(rf"\bself\.{name}\s*(?::[^=\n]{{1,200}})?=(?!=)", text.raw) is not None


def _is_foreign(read: Read, branch: Side) -> bool:
    """A method that is called of an object whose other methods one file of the branch defines, all of them and not this."""
    if not read.owner or read.owner in ("self", "cls"):
        return False
    calls = re.compile(rf"(?<!\w){re.escape(read.owner)}\.([A-Za-z_]\w*)\(")
    called = set(
        chain.from_iterable(calls.findall(text.raw) for path, text in branch.after.items() if _is_python(path))
    )
    others = called - {read.name}
    return read.name in called and len(others) >= _FEWEST and branch.homes.defines(others)


_FEWEST = 2
"""Other methods of an object by which its class is known: one name alone is defined somewhere by chance."""


def _is_python(path: str) -> bool:
    return path.endswith(_PYTHON)


class Side(NamedTuple):
    """What a release has, or the branch before a change."""

    texts: Mapping[str, Text]
    """Of the files of the change."""
    rows: Callable[[Sequence[str]], Sequence[str] | None]
    """Lines of its tree that hold one of some names; None where it cannot be searched."""
    after: Mapping[str, Text]
    """Those files with the change."""
    homes: Homes


def _unbound(path: str, text: str) -> set[str] | None:
    """Names that a file of Python reads and nothing in reach of them binds; None where that cannot be told."""
    if not path.endswith(_PYTHON) or not text or len(text) > _LARGEST or "import *" in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = symtable.symtable(text, "file", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    read, bound, scopes = set[str](), set[str](), [module]
    while scopes:
        scope = scopes.pop()
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            binds = symbol.is_assigned() or symbol.is_imported()
            if binds and (scope is module or symbol.is_declared_global()):
                bound.add(symbol.get_name())
            elif symbol.is_referenced() and (symbol.is_global() or scope is module):
                read.add(symbol.get_name())
    return {name for name in read - bound - _GIVEN if not name.startswith("__")}


def unloaded(was: Mapping[str, Text], now: Mapping[str, Text]) -> list[str]:
    """Names by which files of Python stop as they are loaded, and did not before."""
    some = ((_for_checkers(text.raw), _for_checkers(was.get(path, NOTHING).raw)) for path, text in now.items())
    return sorted(set().union(*(late - early for late, early in some)))


def _for_checkers(source: str) -> set[str]:
    """Names that heads of functions and fields of classes read at run time, and that only type checkers see imported."""
    if "TYPE_CHECKING" not in source or (tree := parsed(source)) is None:
        return set()
    alone = [node for node in tree.body if _is_for_checkers(node)]
    loaded = [row for node in tree.body for row in (node.orelse if _is_for_checkers(node) else [node])]
    if any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in loaded):
        return set()
    read = {node.id for hint in _hints(loaded) for node in ast.walk(hint) if isinstance(node, ast.Name)}
    seen, bound = (set().union(*map(_binds, rows)) for rows in ((row for node in alone for row in node.body), loaded))
    return read & seen - bound


def _is_for_checkers(node: ast.stmt) -> TypeGuard[ast.If]:
    """A condition that holds for type checkers alone: `not TYPE_CHECKING` and the like say something else."""
    test = node.test if isinstance(node, ast.If) else None
    said = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
    return said == "TYPE_CHECKING"


def _hints(rows: Iterable[ast.stmt]) -> Iterator[ast.expr]:
    """The types that Python surely evaluates as it loads these lines: of a function's head and of fields, of classes too; a
    function's body comes later, and what stands under a condition perhaps never.
    """
    left = list(rows)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            every = node.args
            some = (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg)
            yield from (hint for hint in (node.returns, *(arg.annotation for arg in some if arg)) if hint)
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation
        elif isinstance(node, ast.ClassDef):
            left += node.body


def _binds(row: ast.stmt) -> set[str]:
    """Names that a statement gives the module, within its conditions too."""
    nodes = list(ast.walk(row))
    named = {
        alias.asname or alias.name.partition(".")[0]
        for n in nodes
        if isinstance(n, ast.Import | ast.ImportFrom)
        for alias in n.names
    }
    return (
        named
        | {n.name for n in (row,) if isinstance(n, ast.ClassDef | ast.FunctionDef)}
        | {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )


def _defined(reads: Sequence[Read], side: Side) -> list[Read] | None:
    """Those that a side defines, or reads off the same owner."""
    if not reads:
        return []
    rows = side.rows(sorted({one.name for one in reads})) if len(reads) <= _MOST else None
    return None if rows is None else [one for one in reads if _is_known(one, rows)]


def _is_known(read: Read, rows: Iterable[str]) -> bool:
    """A line defines it, sets it, imports it, or reads it off the same owner."""
    word = re.escape(read.name)
    owner = (
        rf"\b{re.escape(read.owner)}\s?(?:\.|->|::)\s?{word}\b|" if read.owner not in (None, "", "self", "cls") else ""
    )
    known = re.compile(
        rf"{owner}\b(?:def|class|fn|func|struct|enum|function|define|using|namespace|import)\b[^=\n]{{0,200}}\b{word}\b"
        rf"|\b{word}\s?(?:[-+*/|&]?=(?!=)|:(?!:)|\()|[\"']{word}[\"']"
    )
    return any(read.name in row and known.search(row) for row in rows)


def _lines(file: FileChange, after: Text) -> Lines:
    """Names of the added lines, without those of strings and comments."""
    reads, brings, open_head = set[Read](), set[str](), False
    for row in _code(file.patch, after.quoted if file.path.endswith(_PYTHON) else frozenset()):
        if _IMPORTS.match(row) or _ALONE.match(row):
            reads.update(Read(name, "") for name in _NAME.findall(row.rpartition("import")[2]) if name not in _GIVEN)
            continue
        head = _HEAD.match(row)
        open_head = head is not None or open_head
        if head:
            brings.update(_NAME.findall(row))
        elif open_head:
            brings.update(_PARAMETER.findall(row))
        open_head = open_head and not row.rstrip().endswith((":", "{"))
        for found in (*_TARGETS.finditer(row), *filter(None, (_ASSIGNS.match(row),))):
            brings.update(_NAME.findall(found[1] or found[2] or ""))
        reads.update(_reads(row))
    return Lines(frozenset(reads), frozenset(brings))


def _reads(row: str) -> Iterator[Read]:
    for found in _NAME.finditer(row):
        before = _BEFORE.search(row[max(0, found.start() - 80) : found.start()])
        named = row[found.end() : found.end() + 1] == "=" and row[found.end() : found.end() + 2] != "=="
        owner = (before[1] or "") if before else "" if named else None
        if found[0] not in (_METHODS if before else _GIVEN):
            yield Read(found[0], owner)


def _code(patch: str, quoted: Collection[int]) -> Iterator[str]:
    """Added lines of code, strings and comments taken out. `quoted`: numbers of lines within strings."""
    number = 0
    for row in patch.split("\n"):
        start = START.match(row)
        number = int(start[2]) - 1 if start else number + (row[:1] in ("+", " "))
        if row[:1] == "+" and number not in quoted:
            yield _COMMENT.sub("", _STRING.sub('""', row[1:_LINE]))


def passes_late(file: FileChange, before: Text | None, release: Text | None) -> bool:
    """All that a fix adds to a file is some names as arguments, which a function there cannot do without and the same one of
    the release does not take: that call is wrong since the function asks for them.
    """
    if before is None or release is None:
        return False
    edits = list(blocks(file))
    was = {word for edit in edits for line in edit.old for word in _NAME.findall(line)}
    now = {word for edit in edits for line in edit.new for word in _NAME.findall(line)}
    if not was < now:
        return False
    asks, takes = _parameters(before.raw, needed=True), _parameters(release.raw)
    late = {name for one, some in asks.items() if one in takes for name in some - takes[one]}
    return now - was <= late


def _parameters(source: str, needed: bool = False) -> dict[str, set[str]]:
    """Function -> what it takes, or what of that has no default; of those of one name, what any takes."""
    out: dict[str, set[str]] = {}
    tree = parsed(source)
    for node in statements_of(tree) if tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            args = node.args
            placed = [*args.posonlyargs, *args.args]
            named = [x for x, value in zip(args.kwonlyargs, args.kw_defaults, strict=True) if not (needed and value)]
            some = [*placed[: len(placed) - len(args.defaults)], *named] if needed else [*placed, *named]
            out.setdefault(node.name, set()).update(x.arg for x in some)
    return out

"""Switches that are off: modules that a tree imports nowhere but under a condition on an environment variable whose
default is off. Who has not set it does not run them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from daybreak.collect.git.line_heads import depth_of
from daybreak.collect.git.standing import NOTHING
from daybreak.collect.git.tree_search import Tree
from daybreak.core.profiles import either, field

_MODULES = 200
"""Folders and files that are asked for in one go."""
_IMPORTERS = 6
"""Files that import a folder; what more files take is no matter of one switch."""
_AROUND = 12
"""Modules of a package that may be taken unasked."""
_DEEP = 3
"""Names from which on a folder is a part of a project and not all of it."""
_LINES = 20_000
_PYTHON = ".py"
_ROOT = re.compile(r"^(?:python|src)/")
_TEST = re.compile(r"(?:^|/)(?:tests?|test_[^/]*|benchmarks?|examples?)(?:/|$)")
_VARIABLE = r"[A-Z][A-Z0-9]{1,40}(?:_[A-Z0-9]{1,40}){1,10}"
_READS = re.compile(rf"(?<!\w)({_VARIABLE})(?!\w)")
_CALLED = re.compile(rf"(\w{{1,80}}) = (?:\w{{1,40}}\.){{0,3}}({_VARIABLE})(?:\.get\(\))?$")
_TAKES = re.compile(r" {0,80}(?:from|import) ([\w.]{1,300})")
_NAMES = re.compile(r"\w+")
_ROW = 300
_OTHERWISE = re.compile(r"\b(?:not|or|is None|else)\b")


class _Import(NamedTuple):
    path: str
    line: int
    taken: str
    """The module."""


class _Gate(NamedTuple):
    """What stands before a package."""

    switch: str
    around: frozenset[str]
    """Modules of it that others import without asking."""


def behind_switches(paths: Iterable[str], tree: Tree) -> dict[str, str]:
    """Path -> the variable, off by default, without which nothing in the tree imports it or a folder that it lies in."""
    units = {path: list(_units(path)) for path in paths if path.endswith(_PYTHON) and not _TEST.search(path)}
    asked = list(dict.fromkeys(unit for some in units.values() for unit in some))[:_MODULES]
    root = next((found[0] for path in units if (found := _ROOT.match(path))), "")
    taken = _importers(asked, tree).items()
    few = {unit: some for unit, some in taken if len({one.path for one in some}) <= _IMPORTERS}
    tree.load(one.path for some in few.values() for one in some)
    gates = {unit: gate for unit, some in few.items() if (gate := _gate(unit, some, tree, root))}
    named = {
        path: next((g.switch for unit in some if (g := gates.get(unit)) and _is_behind(some[0], g)), "")
        for path, some in units.items()
        if some
    }
    return {path: switch for path, switch in named.items() if switch}


def _is_behind(module: str, gate: _Gate) -> bool:
    return not any(f"{one}.".startswith(f"{module}.") for one in gate.around)


def _units(path: str) -> Iterator[str]:
    """The module and the packages that it lies in, as they are imported."""
    names = _ROOT.sub("", path).removesuffix(_PYTHON).removesuffix("/__init__").split("/")
    if all(name.isidentifier() for name in names):
        yield from (".".join(names[:end]) for end in range(len(names), _DEEP - 1, -1))


def _importers(units: list[str], tree: Tree) -> Mapping[str, list[_Import]]:
    """Unit -> what imports it from outside, but for tests and for what other platforms alone run."""
    out: dict[str, list[_Import]] = {unit: [] for unit in units}
    least = [unit for unit in units if not any(unit.startswith(f"{one}.") for one in units)]
    asked = [f"{word} {unit}" for unit in least for word in ("from", "import")]
    for path, line, text in (tree.places(asked, [_PYTHON]) or ()) if asked else ():
        taken = found[1] if (found := _TAKES.match(text)) else ""
        here = frozenset(_around(".".join(_ROOT.sub("", path).removesuffix(_PYTHON).split("/"))))
        parts = {f"{taken}.{name}" for name in _NAMES.findall(text.partition(" import ")[2][:_ROW])}
        met = [unit for unit in (*_around(taken), *parts) if unit in out and unit not in here]
        if met and not _TEST.search(path) and not _elsewhere(path):
            for unit in met:
                out[unit].append(_Import(path, line, taken))
    return {unit: found for unit, found in out.items() if found}


def _around(module: str) -> Iterator[str]:
    """The module and all packages that it lies in."""
    while module:
        yield module
        module = module.rpartition(".")[0]


def _elsewhere(path: str) -> bool:
    return _platforms().search(path[-300:]) is not None


@cache
def _platforms() -> re.Pattern[str]:
    words = [word for name, some in field().hardware.items() if not name.startswith("sm") for word in some]
    return re.compile(rf"(?:^|[\W_])(?:{either(words).pattern})(?:[\W_]|$)", re.IGNORECASE)


def _gate(unit: str, importers: list[_Import], tree: Tree, root: str) -> _Gate | None:
    """The variable that importers ask first, where it is off by default, and what of the package others take unasked."""
    asked = [(one, _asked(one, _text(one.path, tree))) for one in importers]
    names = {name for _, name in asked if name}
    name = names.pop() if len(names) == 1 else None
    if name is None or not _is_off(name, tree):
        return None
    around = _reached(unit, [one.taken for one, of in asked if of is None], tree, root)
    return _Gate(name, around) if unit not in around else None


def _reached(unit: str, modules: list[str], tree: Tree, root: str) -> frozenset[str]:
    """These modules of a package, and what they import of it in their turn; all of it where that is much, or a package. What
    the tree has not, under a check of types maybe, leads nowhere.
    """
    found, left = set[str](), modules
    while left:
        module = left.pop()
        if module in found:
            continue
        found.add(module)
        path = f"{root}{module.replace('.', '/')}"
        text, package = _text(f"{path}{_PYTHON}", tree), f"{path}/__init__{_PYTHON}"
        tree.load([package])
        if len(found) > _AROUND or module == unit or tree.text(package) is not None:
            return frozenset({unit})
        taken = (match[1] for row in text.split("\n")[:_LINES] if (match := _TAKES.match(row)))
        left += [one for one in taken if unit in _around(one)]
    return frozenset(found)


def _text(path: str, tree: Tree) -> str:
    tree.load([path])
    return (tree.text(path) or NOTHING).raw


def _asked(one: _Import, text: str) -> str | None:
    """The variable of the condition that the line stands under; an attribute of the file may hold it."""
    rows = text.split("\n")[:_LINES]
    if one.line > len(rows):
        return None
    depth = depth_of(rows[one.line - 1])
    for row in reversed(rows[: one.line - 1]):
        if not row.strip() or depth_of(row) >= depth:
            continue
        depth, said = depth_of(row), row.strip()[:_ROW]
        if said.startswith(("def ", "class ", "async def ")) or not depth:
            return None
        if said.startswith(("if ", "elif ")) and not _OTHERWISE.search(said):
            name = said.rstrip(":").rpartition(".")[2].rpartition(" ")[2]
            found = _READS.search(said)
            return found[1] if found else _held(name, rows)
    return None


def _held(name: str, rows: list[str]) -> str | None:
    """The variable that an attribute holds, by the last line that says so."""
    called = (_CALLED.search(row[:_ROW].rstrip()) for row in reversed(rows) if f"{name} = " in row)
    return next((match[2] for match in called if match and match[1] == name), None)


def _is_off(name: str, tree: Tree) -> bool:
    """Some line of the tree declares it off, and none declares it on or leaves it open."""
    declared = re.compile(
        rf"\b{name}\s{{0,4}}(?::\s{{0,4}}[\w |]{{1,40}})?=\s{{0,4}}(?:\w{{1,40}}\()?(?P<value>[\w'\"]{{1,20}})"
        rf"|(?:getenv|environ\.get)\(\s{{0,4}}['\"]{name}['\"],\s{{0,4}}(?P<given>[\w'\"]{{1,20}})"
    )
    found = [
        (match["value"] or match["given"]).strip("'\"")
        for _, _, row in tree.places([name], [_PYTHON]) or ()
        if (match := declared.search(row[:400]))
    ]
    return bool(found) and all(one in ("0", "False", "false", "") for one in found)

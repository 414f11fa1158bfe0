"""Faults whose lines a release has, and no way to them: what fails is called since by a change that came after it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from daybreak.collect.git.picks import beside
from daybreak.collect.git.places import Own, every_place, places
from daybreak.collect.git.standing import FUNCTION, Block, Text, condition
from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change

_ENDINGS = frozenset({".py"})
_LINE = 400
_LONG = 8
"""Letters of a name that stands for one thing in a tree."""
_MOST = 4
"""Names of one fix that are looked for."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_BINDS = re.compile(r"([A-Za-z_]\w*)\s?=\s?([\w.]+)$")


class Way(NamedTuple):
    """Names by which one gets to what a fix mends."""

    inside: tuple[str, ...]
    """Functions that it touches."""
    asked: tuple[str, ...]
    """What conditions that came ask for, and their function did not before: a case that it did not know."""
    own: frozenset[str]
    """Its files."""


def called_late(fixes: Iterable[Change], tree: Tree, branch: Callable[[str], Tree], own: Own) -> set[str]:
    """Those of some fixes that mend a function which the release calls nowhere and the branch does, or a case that came to a
    function, where the branch has other calls of what that asks for than the release. `branch`: the tree of a commit.
    """
    ways = {change.sha: (change, _way(change, own)) for change in fixes if change.parents}
    asked = sorted({name for _, way in ways.values() for name in (*way.inside, *way.asked)})
    tree.expect(asked, _ENDINGS)
    out = set[str]()
    for sha, (change, way) in ways.items():
        there = {name: _calls(tree, name, way) for name in (*way.inside, *way.asked)}
        lone = [name for name in way.inside if there[name] == set()]
        asked = [name for name in way.asked if there[name]]
        if not lone and not asked:
            continue
        here = branch(change.parents[0])
        here.expect([*lone, *asked], _ENDINGS)
        if (lone and len(lone) == len(way.inside) and all(_calls(here, name, way) for name in lone)) or any(
            (_calls(here, name, way) or set()) - (there[name] or set()) for name in asked
        ):
            out.add(sha)
    return out


def _way(change: Change, own: Own) -> Way:
    functions, cases = dict[str, None](), dict[str, None]()
    for file, some in places(change):
        before = own.get((change.sha, file.old_path or file.path))
        for block in some if before is not None else ():
            if before and (name := before.function_at(block.line)):
                functions[name] = None
    bound = dict(_bound(change))
    for file, block in every_place(change):
        before = own.get((change.sha, file.old_path or file.path))
        if before is not None:
            cases.update(dict.fromkeys(_cases(block, before, bound)))
    inside = tuple(name for name in functions if len(name) >= _LONG)
    paths = frozenset(file.old_path or file.path for file in change.files)
    return Way(inside[:_MOST] if len(inside) == len(functions) else (), tuple(cases)[:_MOST], paths)


def _bound(change: Change) -> Iterator[tuple[str, str]]:
    """Names that it gives to something, and what that is called."""
    for _, block in every_place(change):
        for line in block.code:
            if match := _BINDS.match(line[:_LINE]):
                yield match[1], match[2]


def _cases(block: Block, before: Text, bound: Mapping[str, str]) -> Iterator[str]:
    """Names that a new branch of a condition asks for, where its function had no such branch."""
    name = before.function_at(block.line)
    rows = before.rows_of(name) if name else []
    known = set(_NAME.findall("\n".join(rows)))
    for line in block.code if rows else ():
        words = _NAME.findall(line[:_LINE]) if condition(line) and line.startswith(("elif", "case")) else []
        for word in words:
            some = _NAME.findall(bound[word]) if word in bound else []
            yield from (one for one in some if one not in known and len(one) >= _LONG and "_" in one)


def _calls(tree: Tree, name: str, way: Way) -> set[str] | None:
    """Lines that call something, outside of tests and, of what a fix asks for, of its own files."""
    rows = tree.places([name], _ENDINGS)
    call = re.compile(
        rf"(?<!\w){re.escape(name)}\s?(?:\.\w+)?\(|[\w.]\.{re.escape(name)}\b|(?<!\w){re.escape(name)}\s?[,)]"
    )
    return (
        None
        if rows is None
        else {
            row.strip()
            for path, _, row in rows
            if not beside(path) and (name in way.inside or path not in way.own)
            if call.search(row[:_LINE]) and not FUNCTION.match(row.strip()[:_LINE])
        }
    )

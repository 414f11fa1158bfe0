"""Lines by which a change goes back to what a release has: who runs the release meets no change there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from daybreak.collect.git.patch_blocks import blocks
from daybreak.collect.git.places import ASIDE
from daybreak.collect.git.standing import Block, Text, telling
from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change

_CHANGES = 150
"""Changes of one window that are looked at."""
_NAMED = re.compile(r"[\"']?-{0,2}[\w.-]+")
"""What a line begins with: the field, the parameter, the package."""


def back(changes: Iterable[tuple[Change, str]], at: Callable[[str], Tree]) -> dict[str, tuple[str, ...]]:
    """Sha -> `path:line` of lines that it puts in place of others, where its release has them there, and not those others."""
    asked: dict[str, list[Change]] = {}
    for change, release in islice(((c, r) for c, r in changes if any(_paths(c))), _CHANGES):
        asked.setdefault(release, []).append(change)
    out: dict[str, tuple[str, ...]] = {}
    for release, some in asked.items():
        tree = at(release)
        tree.load(chain.from_iterable(map(_paths, some)))
        out |= {change.sha: found for change in some if (found := tuple(_found(change, tree)))}
    return out


def _paths(change: Change) -> Iterator[str]:
    """Files in which it puts lines in place of others, but of pages."""
    return (
        f.old_path or f.path for f in change.files if f.status in "MR" and f.added and f.deleted and _counts(f.path)
    )


def _counts(path: str) -> bool:
    return not ASIDE.search(path) or path.endswith((".toml", ".txt", ".cfg"))


def _found(change: Change, tree: Tree) -> Iterator[str]:
    for file in change.files:
        text = tree.text(file.old_path or file.path) if file.status in "MR" and _counts(file.path) else None
        for block in blocks(file) if text is not None else ():
            yield from (f"{file.path}:{at}" for at in _back(block, text)) if text and block.old else ()


def _back(block: Block, text: Text) -> Iterator[int]:
    """Numbers of lines that came and stand in the release, where what went of that name does not; with the first the line that
    opens its statement.
    """
    went = {_name(line) for line in _standing(block, block.old, text)}
    came = set(_standing(block, block.new, text)).difference(block.old)
    opened = any(line.rstrip().endswith(("(", "[", "{")) for line in block.before[-1:])
    for line, at in zip(block.new, block.numbers, strict=True):
        if line in came and _name(line) not in went:
            yield at
            if opened and at == block.numbers[0]:
                yield at - 1


def _standing(block: Block, side: Sequence[str], text: Text) -> Iterator[str]:
    """Those of one side's lines that the release has between the same neighbours; beside one of them alone only a line that
    stands once there, since another may stand in another place.
    """
    rows, first = (*block.before, *side, *block.after), len(block.before)
    for at in range(first, first + len(side)):
        both = rows[max(at - 1, 0) : at + 2]
        around = (rows[max(at - 1, 0) : at + 1], rows[at : at + 2]) if text.has_once(rows[at]) else (both,)
        if telling(rows[at]) and any(len(some) > 1 and text.has(some) for some in around):
            yield rows[at]


def _name(line: str) -> str:
    found = _NAMED.match(line)
    return found[0] if found else line

"""Places of a fix whose code a release has otherwise: under the guard that the fix brings, without what the fix asks for, or
without the very statement that it edits. Nobody who runs such a release meets the fault, though other lines of the fix stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.collect.git.places import Own, every_place, places
from daybreak.collect.git.standing import NOTHING, Block, Text, condition, telling
from daybreak.collect.git.tree_search import PATTERNS, Tree
from daybreak.core.model.changes import Change


def is_other(change: Change, tree: Tree, own: Own) -> bool:
    """The release does the thing in another way, in which the fault cannot be."""
    return _is_guarded(change, tree) or _lacks_edited(change, tree, own) or _lacks_asked(change, tree, own)


# --- what is edited ----------------------------------------------------------------------------------------------


def _lacks_edited(change: Change, tree: Tree, own: Own) -> bool:
    """It edits statements of which the release has none, and all else that it takes away it only takes away: that may go since
    the edited statement does it.
    """
    known = [(file.old_path or file.path, block) for file, some in places(change) for block in some if block.replaces]
    edited, dropped = ([one for one in known if bool(one[1].code) is side] for side in (True, False))
    return bool(edited and dropped) and not any(
        _may_have(block, tree.text(path) or NOTHING, own.get((change.sha, path))) for path, block in edited
    )


def _may_have(block: Block, text: Text, own: Text | None) -> bool:
    if own is None or any(map(text.holds, filter(telling, block.old))) or block.varies_in(text, own):
        return True
    head = own.opening(block.line)
    return not head or text.holds(head)


# --- what comes under a guard ------------------------------------------------------------------------------------


def _is_guarded(change: Change, tree: Tree) -> bool:
    """All it takes away are lines that it puts under a condition that comes, and wherever the release has them they are under it."""
    moved = {path: (lines, guards) for path, lines, guards in _moved_under(change)}
    touched = {file.old_path or file.path for file, block in every_place(change) if block.replaces}
    return (
        bool(moved) and touched <= moved.keys() and all(_all_under(tree.text(p) or NOTHING, *moved[p]) for p in moved)
    )


def _moved_under(change: Change) -> Iterator[tuple[str, list[str], list[str]]]:
    """Of each file the lines that go and come again, and what the conditions ask that come."""
    by_path: dict[str, tuple[list[str], list[str]]] = {}
    for file, block in every_place(change):
        gone, came = by_path.setdefault(file.old_path or file.path, ([], []))
        gone += block.old
        came += block.new
    for path, (gone, came) in by_path.items():
        again = [line for line in gone if telling(line) and line in came]
        heads = [found[1] for line in came if line not in gone and (found := _GUARD.fullmatch(line[:_LINE]))]
        if again and heads:
            yield path, again, heads


def _all_under(text: Text, lines: list[str], guards: list[str]) -> bool:
    numbers = [number for line in lines for number in text.numbers_of([line], 0)]
    heads = [text.heads_of(number) for number in numbers]
    return bool(heads) and any(all(any(_asks(head, guard) for head in some) for some in heads) for guard in guards)


def _asks(head: str, guard: str) -> bool:
    return condition(head) and re.search(rf"(?<![\w.]){re.escape(guard)}(?![\w.(\[])", head) is not None


_GUARD = re.compile(r"(?:el)?if \(?([\w.]{3,80})\)?:?(?: \{)?")
_LINE = 400

# --- what is asked for -------------------------------------------------------------------------------------------


def _lacks_asked(change: Change, tree: Tree, own: Own) -> bool:
    """It only adds, and what it asks an object for stood in its files before and stands nowhere in the release: nobody
    reads there what may be missing.
    """
    known = [(own.get((change.sha, file.old_path or file.path)), block) for file, block in every_place(change)]
    asked = [_attributes(block, text) for text, block in known if block.code]
    if not asked or any(block.replaces for _, block in known) or not all(asked):
        return False
    names = sorted(set().union(*asked))[:PATTERNS]
    there = tree.words(names)
    return there is not None and all(there.isdisjoint(some) for some in asked)


def _attributes(block: Block, before: Text | None) -> set[str]:
    """Names that the lines ask for by `hasattr`, and that the file read before."""
    found = {name for line in block.code for name in _ASKED.findall(line[:_LINE])}
    return {name for name in found if before is not None and before.names(name)}


_ASKED = re.compile(r"\b(?:hasattr|getattr)\([^,()]{1,120},\s?[\"'](\w{3,80})[\"']")

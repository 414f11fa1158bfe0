"""Lines that a change after a release only put in other words, or moved: what a fix takes away may be older than the change
that seems to have brought it, and the release may have the fault under another name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from daybreak.collect.git.places import Own, every_place, replaces, younger
from daybreak.collect.git.standing import NOTHING, Block, condition, form, telling
from daybreak.collect.git.tree_search import Tree
from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change

_LINES = 4
"""Lines of a fix that are followed."""
_STEPS = 2
"""Changes that one line is followed through."""
_ALIKE = 0.6
"""Share of words in common of two forms of one line."""
_WORDY = 5
"""Words of a line that is known again in another place."""
_PATCH = 1 << 20
_LONG = 400
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|[^\w\s]+")
_OPERATION = re.compile(r"[-+*/%<>=!&|^~]+")
_AND = re.compile(r"(?:and|or|&&|\|\|)[\s(]")
"""How a line begins that goes on with a condition."""
_CALL = re.compile(r"(\w+)\(")
Ask = Callable[..., bytes]


class _Line(NamedTuple):
    path: str
    text: str
    run: int
    """Lines that went and came at one place have the same."""


def is_older(change: Change, tree: Tree, own: Own, ask: Ask) -> bool:
    """A release that lacks lines of a fix may have its fault all the same. `ask`: git, of commits."""
    if not change.parents:
        return False
    if replaces(change) and _unguarded(change, tree, own):
        return True
    asked = islice(younger(change, tree), _LINES)
    try:
        return any(_stood_otherwise(change, path, line, tree, ask) for path, line in asked if len(line) < _LONG)
    except (
        GitError
    ):  # contents that a mirror lacks, a patch too large: nobody is told to be spared by what was not read
        return True


def takes_other(change: Change, tree: Tree, ask: Ask) -> bool:
    """All that the release lacks of what a fix takes away are calls which a later change gave another callee, one that takes other
    parameters, while what they are handed stayed: that is the fault, and the release has not got it.
    """
    lines = list(islice(younger(change, tree), _LINES + 1))
    if not change.parents or not 0 < len(lines) <= _LINES:
        return False
    try:
        return all(_has_other_callee(change, path, line, tree, ask) for path, line in lines)
    except GitError:
        return False


def _has_other_callee(change: Change, path: str, line: str, tree: Tree, ask: Ask) -> bool:
    sha = _last_touched(path, line, f"{tree.commit}..{change.parents[0]}", ask) if len(line) < _LONG else ""
    went, came = _rows(sha, ask) if sha else ([], [])
    was = _earlier(path, line, went, came)
    if was is None or not (tree.text(was.path) or NOTHING).holds(was.text):
        return False
    now, then = (set(_CALL.findall(text)) for text in (line, was.text))
    if len(now - then) != 1 or len(then - now) != 1 or _CALL.sub("(", line) != _CALL.sub("(", was.text):
        return False
    old, new = (_parameters(name, rows) for name, rows in ((*(then - now), went), (*(now - then), came)))
    return bool(old and new) and old.isdisjoint(new)


def _parameters(name: str, rows: Iterable[_Line]) -> set[tuple[str, ...]]:
    """What the heads of a function take, by the names."""
    heads = (re.search(rf"\bdef {re.escape(name)}\(([^()]*)\)", row.text) for row in rows)
    return {tuple(part.partition(":")[0].partition("=")[0].strip() for part in m[1].split(",")) for m in heads if m}


def _unguarded(change: Change, tree: Tree, own: Own) -> bool:
    """Beside what it takes away it adds a condition, and the release has, in the same function, what runs there without it."""
    for file, block in every_place(change):
        path = file.old_path or file.path
        text, before = tree.text(path) or NOTHING, own.get((change.sha, path))
        if block.replaces or before is None or not any(condition(line) or _AND.match(line) for line in block.code):
            continue
        here = text.bodies.get(before.function_at(block.line), set[str]())
        if any(line in here for line in block.after if telling(line)):
            return True
    return False


def _stood_otherwise(change: Change, path: str, line: str, tree: Tree, ask: Ask) -> bool:
    """A line goes back to one that the release has in its place, or further than is looked."""
    end = change.parents[0]
    for step in range(_STEPS):
        sha = _last_touched(path, line, f"{tree.commit}..{end}", ask)
        rows = _rows(sha, ask) if sha else ([], [])
        was = _earlier(path, line, *rows)
        if was is None or (not step and _is_fault(change, line, was, rows[1], path)):
            return False
        tree.load([was.path])
        if (tree.text(was.path) or NOTHING).holds(was.text):
            return True
        path, line, end = was.path, was.text, f"{sha}^"
    return True


def _last_touched(path: str, line: str, span: str, ask: Ask) -> str:
    found = ask("log", "-1", "--first-parent", "--format=%H", f"-S{line}", span, "--", path)
    return found.decode("ascii", "replace").strip()


def _rows(sha: str, ask: Ask) -> tuple[list[_Line], list[_Line]]:
    """Lines that went and that came by a change."""
    patch = ask("show", "--first-parent", "-m", "--format=", "-U0", "--no-renames", sha, "--")
    if len(patch) > _PATCH:
        raise GitError("the patch is too large to be compared")
    sides: dict[str, list[_Line]] = {"-": [], "+": []}
    path, run, head = "", 0, True
    for row in patch.decode("utf-8", "replace").split("\n"):
        if row.startswith("diff --git "):
            head = True
        elif row.startswith("@@"):
            head, run = False, run + 1
        elif head and row.startswith(("--- a/", "+++ b/")):
            path = row[6:]
        elif not head and row[:1] in sides and len(row) < _LONG:
            sides[row[0]].append(_Line(path, row[1:].strip(), run))
    return sides["-"], sides["+"]


def _earlier(path: str, line: str, went: Iterable[_Line], came: Iterable[_Line]) -> _Line | None:
    """What most resembles a line that came, of what went at its place, else anywhere where it has words enough."""
    runs = {row.run for row in came if row.text == line and row.path == path}
    told = [row for row in went if telling(row.text)] if runs else []
    near = [row for row in told if row.run in runs]
    far = [row for row in told if row.run not in runs and _is_kin(line, row.text)]
    for some in (near, far):
        share, best = max(((_likeness(line, row.text), row) for row in some), default=(0.0, None))
        if share >= _ALIKE:
            return best
    return None


def _is_kin(line: str, other: str) -> bool:
    """Of two places: words enough, and both decide or neither does."""
    return len(_WORD.findall(line)) >= _WORDY and condition(line) == condition(other)


def _likeness(line: str, other: str) -> float:
    """Share of words in common; none where each does an operation that the other does not."""
    one, two = (set(_OPERATION.findall(text)) for text in (line, other))
    if one - two and two - one:
        return 0.0
    words, there = (Counter(_WORD.findall(text)) for text in (line, other))
    return 2 * (words & there).total() / ((words + there).total() or 1)


def _is_fault(change: Change, line: str, was: _Line, came: Iterable[_Line], path: str) -> bool:
    """At its place the line became what the fix takes out of it again, or lost what the fix puts back: that is the fault. A name
    for another name is none.
    """
    if was.run not in {row.run for row in came if row.text == line and row.path == path}:
        return False
    now, then = set(_TOKEN.findall(line)), set(_TOKEN.findall(was.text))
    old, new = (set(_tokens(change, side)) for side in ("old", "new"))
    put_back, taken_out = (then - now) & (new - old), (now - then) & (old - new)
    return bool(put_back or (taken_out and form(line) != form(was.text)))


def _tokens(change: Change, side: str) -> Iterator[str]:
    for _, block in every_place(change):
        for line in _side(block, side):
            yield from _TOKEN.findall(line[:_LONG])


def _side(block: Block, side: str) -> tuple[str, ...]:
    return block.old if side == "old" else block.new

"""Which commits a tag is the first to hold: those it reaches and no tag made shortly before it does.

The tags of many days are asked about at once, since a walk of git takes less time than a start of git.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

EARLIER = 60
"""Tags made before one that are left out of what it holds. Where more were made in the fortnight that a report tells of,
it says so."""
_WALKED = 20_000
"""Commits of one tag, newest first: a report tells of those of a fortnight, in which no branch has so many."""
AT_ONCE = 40
"""Tags whose commits are kept until their day comes."""


def held_by(git: Git, mirror: Path, tags: Mapping[str, str], name: str) -> Collection[str]:
    """Commits that this tag of them all (newest first) is the first to hold."""
    older = [f"^{sha}" for sha in _older(tags, name)]
    try:
        rows = git.run("rev-list", f"--max-count={_WALKED}", tags[name], *older, "--", at=mirror)
    except GitError:
        return ()
    return set(rows.decode("ascii").split())


def held_by_each(
    git: Git, mirror: Path, tags: Mapping[str, str], names: Sequence[str]
) -> Mapping[str, Collection[str]]:
    """The same of several tags; nothing when git cannot tell it of all of them together."""
    older = {name: set(_older(tags, name)) for name in names}
    every = set().union(*older.values())
    below = every.intersection(*older.values())
    ends = dict.fromkeys([*(tags[name] for name in names), *sorted(every)])
    asked = [sha for sha in ends if sha not in below] + [f"^{sha}" for sha in sorted(below)]
    try:
        rows = git.run("rev-list", "--parents", f"--max-count={_WALKED}", *asked, "--", at=mirror)
    except GitError:
        return {}
    parents = {sha: above for sha, *above in map(str.split, rows.decode("ascii").splitlines())}
    if len(parents) >= _WALKED:
        return {}
    return {name: _reached([tags[name]], parents, _reached(older[name], parents)) for name in names}


def _older(tags: Mapping[str, str], name: str) -> list[str]:
    """Commits of the tags made before it, without its own."""
    names = list(tags)
    return [tags[one] for one in names[names.index(name) + 1 :][:EARLIER] if tags[one] != tags[name]]


def _reached(ends: Iterable[str], parents: Mapping[str, Sequence[str]], but: Collection[str] = ()) -> set[str]:
    found: set[str] = set()
    waiting = list(ends)
    while waiting:
        sha = waiting.pop()
        if sha in parents and sha not in found and sha not in but:
            found.add(sha)
            waiting += parents[sha]
    return found

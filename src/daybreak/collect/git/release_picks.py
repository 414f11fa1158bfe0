"""Picks onto a branch of releases: what came there by a commit of its own is released all the same."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from daybreak.collect.git.patches import pull_number
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change

_WALKED = 2000
"""Commits that a release has and the branch has not, newest first."""
_SUBJECT = 400
_BODY = 20_000
_FROM = re.compile(r"\(cherry picked from commit ([0-9a-f]{40})\)")
_UNDOES = re.compile(r"\bThis reverts commit ([0-9a-f]{40})")
_REVERT = re.compile(r"\W{0,3}revert\b", re.IGNORECASE)
_NUMBER = re.compile(r"\(#(\d{1,9})\)")


class _Own(NamedTuple):
    """A commit that only the release has."""

    sha: str
    subject: str
    body: str


def releases_by_picks(
    git: Git, mirror: Path, head: str | None, newest: Mapping[str, str], changes: Sequence[Change]
) -> dict[str, str]:
    """Sha -> the highest release, where a commit that it has beside the branch says that it was picked from this one, or
    lands the same pull request, and was not taken back there.
    """
    asked = [change for change in changes if change.sha in newest] if head else []
    found: dict[str, str] = {}
    for tag in dict.fromkeys(newest[change.sha] for change in asked):
        shas, numbers = _picked(_beside(git, mirror, str(head), tag))
        some = (change for change in asked if newest[change.sha] == tag)
        found |= {change.sha: tag for change in some if change.sha in shas or change.pr in numbers}
    return found


def _beside(git: Git, mirror: Path, head: str, tag: str) -> list[_Own]:
    """Commits that a tag reaches and the branch does not; none where git does not answer."""
    how = ("log", f"--max-count={_WALKED}", "--no-merges", "--format=%H%n%s%n%b%x00", f"refs/tags/{tag}", f"^{head}")
    try:
        rows = git.run(*how, "--", at=mirror).decode("utf-8", "replace").split("\0")
    except GitError:
        return []
    parts = (row.lstrip("\n").split("\n", 2) for row in rows)
    return [_Own(part[0], part[1][:_SUBJECT], part[2][:_BODY]) for part in parts if len(part) == 3]


def _picked(rows: Iterable[_Own]) -> tuple[Collection[str], Collection[int]]:
    """Commits and pull requests that these bring, without what others of them take back."""
    every = list(rows)
    back = [row for row in every if _REVERT.match(row.subject)]
    undone = {sha for row in back for sha in _UNDOES.findall(row.body)}
    taken = {int(number) for row in back for number in _NUMBER.findall(row.subject)}
    kept = [row for row in every if row not in back and row.sha not in undone and pull_number(row.subject) not in taken]
    shas = {sha for row in kept for sha in _FROM.findall(row.body)}
    return shas, {number for row in kept if (number := pull_number(row.subject))}

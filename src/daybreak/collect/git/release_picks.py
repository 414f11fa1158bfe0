"""Picks onto a branch of releases: what came there by a commit of its own is released all the same, be it before the branch
that is told had it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from daybreak.collect.git.patches import pull_number
from daybreak.collect.git.picks import beside
from daybreak.collect.git.standing import NOTHING, Text, telling
from daybreak.collect.git.tree_search import files_of
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange

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


# --- what its files hold ---

_COMPARED = 90
"""Files of a change that are held against a release, each on four sides."""


def releases_by_content(
    git: Git, mirror: Path, head: str | None, newest: Mapping[str, str], changes: Sequence[Change]
) -> dict[str, str]:
    """Sha -> the highest release, where its own commits made of each file what the change makes of it: the release has the
    file, or at least the lines, as the change left them, and had not where it left the branch. A pick may be older than
    the change, and its message may name neither; where it names an earlier change of the branch, it is of that one.
    """
    asked = [c for c in changes if c.sha in newest and c.parents and 0 < len(c.files) == c.files_total] if head else []
    found: dict[str, str] = {}
    for tag in dict.fromkeys(newest[change.sha] for change in asked):
        base, touched = _left_at(git, mirror, str(head), tag)
        some = ((c, _shipped(c)) for c in asked if newest[c.sha] == tag)
        near = [
            (c, files) for c, files in some if len(files) <= _COMPARED and touched.issuperset(f.path for f in files)
        ]
        found |= {c.sha: tag for c, files in near if _brought(git, mirror, c, files, tag, base)}
    return found


def _left_at(git: Git, mirror: Path, head: str, tag: str) -> tuple[str, frozenset[str]]:
    """Where a release left the branch, and the files that differ since."""
    try:
        base = git.run("merge-base", f"refs/tags/{tag}", head, at=mirror).decode("ascii").split()[0]
        rows = git.run("diff", "--name-only", "--no-renames", "-z", base, f"refs/tags/{tag}", "--", at=mirror)
    except (GitError, IndexError):
        return "", frozenset()
    return base, frozenset(rows.decode("utf-8", "surrogateescape").split("\0"))


def _shipped(change: Change) -> Sequence[FileChange]:
    """Its files without tests and pages, which a pick may leave out; all of them where it has no others."""
    return [file for file in change.files if not beside(file.path)] or change.files


def _brought(git: Git, mirror: Path, change: Change, files: Sequence[FileChange], tag: str, base: str) -> bool:
    parent = change.parents[0]
    sides = [((parent, f.old_path or f.path), (change.sha, f.path), (tag, f.path), (base, f.path)) for f in files]
    texts = files_of(git, mirror, [one for some in sides for one in some if "\n" not in one[1]])
    if any(one not in texts for some in sides for one in some):
        return False
    held, before = (
        [
            _is_as_left(file, texts[old], texts[new], texts[there])
            for file, (old, new, *ends) in zip(files, sides, strict=True)
            for there in [ends[which]]
        ]
        for which in (0, 1)
    )
    return all(held) and not all(before) and not _of_others(git, mirror, change, [f.path for f in files], tag, base)


def _of_others(git: Git, mirror: Path, change: Change, paths: Sequence[str], tag: str, base: str) -> bool:
    """Whether all that a release did to these files is of pull requests that the branch had before the change: it brings
    back what had never left the release.
    """
    try:
        theirs, ours = (
            [
                pull_number(subject)
                for subject in git.run("log", "--no-merges", "--format=%s", f"{base}..{end}", "--", *paths, at=mirror)
                .decode("utf-8", "replace")
                .splitlines()
            ]
            for end in (f"refs/tags/{tag}", change.parents[0])
        )
    except GitError:
        return True
    return bool(theirs) and None not in theirs and set(theirs) <= set(ours)


def _is_as_left(file: FileChange, old: Text | None, new: Text | None, there: Text | None) -> bool:
    """A file is as a change left it: whole, or by all lines that came and those that went, as far as they tell."""
    if new is None or there is None:
        return file.status == "D" and there is None
    came, went = new.lines - (old or NOTHING).lines, (old or NOTHING).lines - new.lines
    told = any(map(telling, came | went)) and came <= there.lines and not went & there.lines
    return new.raw == there.raw or told

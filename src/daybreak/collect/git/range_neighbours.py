"""The commits on either side of a range, without their patches: what stood before it, and what came after it.

A fault may be older than the range, and its repair younger: messages and paths are enough to tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC
from pathlib import Path

from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.patches import Budget, moment, pull_number, with_shown_paths
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change
from daybreak.core.model.upgrade import Span

_BEFORE = 600
"""Commits before the range: weeks of a busy project."""
_AFTER = 1000
_FIELDS = 6


def before(git: Git, span: Span) -> tuple[Change, ...]:
    """First-parent commits up to the one both ends descend from, oldest first: titles only, which is what is named."""
    first = next(iter((*span.gained[:1], *span.lost[:1])), None)
    if span.mirror is None or first is None:
        return ()
    place = Path(span.mirror)
    return _titles(git, place, span.repo.name, _line(git, place, f"--max-count={_BEFORE}", f"{first}^1"))


def after(git: Git, span: Span, tip: str, wanted: Callable[[str], bool]) -> tuple[Change, ...]:
    """First-parent commits of the branch that neither end holds and whose title is wanted, oldest first: as many as may
    still repair the range.
    """
    if span.mirror is None:
        return ()
    place, name = Path(span.mirror), span.repo.name
    line = _line(git, place, tip, f"^{span.start.sha}", f"^{span.end.sha}")[:_AFTER]
    return _whole(git, place, name, [c.sha for c in _titles(git, place, name, line) if wanted(c.subject)])


def missing_from(git: Git, span: Span) -> frozenset[str]:
    """Commits of the start that the end does not hold in any way."""
    if span.mirror is None or not span.lost:
        return frozenset()
    try:
        rows = git.run("rev-list", span.start.sha, f"^{span.end.sha}", "--", at=Path(span.mirror))
    except GitError:
        return frozenset(span.lost)
    return frozenset(rows.decode("ascii").split())


def _line(git: Git, mirror: Path, *which: str) -> list[str]:
    """Oldest first; a hole in the history costs what lies beyond it, not the range."""
    try:
        return git.run("rev-list", "--first-parent", "--reverse", *which, "--", at=mirror).decode("ascii").split()
    except GitError:
        return []


def _titles(git: Git, mirror: Path, repo: str, shas: Sequence[str]) -> tuple[Change, ...]:
    """Who, when and what of commits, nothing more."""
    if not shas:
        return ()
    form = "--format=%H%x00%P%x00%an%x00%at%x00%ct%x00%s"
    names = "".join(f"{sha}\n" for sha in shas).encode()
    how = ("log", "--no-walk=unsorted", "--stdin", "-z", "--no-patch", "--no-notes", form)
    try:
        rows = git.run(*how, at=mirror, stdin=names)
    except GitError:
        return ()
    parts = rows.decode("utf-8", "replace").split("\0")
    out = []
    for at in range(0, len(parts) - _FIELDS + 1, _FIELDS):
        sha, parents, author, authored, committed, subject = parts[at : at + _FIELDS]
        times = moment(authored, UTC), moment(committed, UTC)
        known = tuple(parents.split())
        out.append(Change(repo, sha, known, author, *times, subject, "", pr=pull_number(subject)))
    return tuple(out)


def _whole(git: Git, mirror: Path, repo: str, shas: Sequence[str]) -> tuple[Change, ...]:
    """Messages and paths, as far as they can be read."""
    if not shas:
        return ()
    try:
        found, _ = HistoryReader(git, mirror, repo, UTC, Budget(0)).before_fault(shas, detail="files")
    except GitError:
        return ()
    return tuple(map(with_shown_paths, found))

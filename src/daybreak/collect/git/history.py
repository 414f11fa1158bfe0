"""Commit reader: commits with their patches, losing one file where one blob is missing, never the window; and those around a range."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from daybreak.collect.git.patches import (
    Budget,
    StreamBroken,
    log_arguments,
    moment,
    new_mark,
    parse,
    pull_number,
    shown_path,
    with_shown_paths,
)
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.upgrade import Span

# --- Reads commits with their patches, losing one file where one blob is missing, never the window ---
# `git log -p` dies at the first object it cannot read. So: read the stream; if it breaks, find out which objects are
# missing, read the commits without them in one more stream, and the others one by one around the hole.


_NO_BLOB = "0"
_NO_TEXT = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|tiff?|ico|pdf|mp4|mov|webm|woff2?|ttf|otf)$", re.IGNORECASE)
"""Pictures and the like, which many a clone leaves out for their size: nobody reads lines of them, so that none is missing."""
MISSING = "its content is missing from the repository"
BROKEN = "its content cannot be read (damaged object)"
BESIDE = "it cannot be read apart from a path whose content is missing"
UNREADABLE = "its patch cannot be read (missing or damaged object)"
UNLISTED = "its files cannot be listed (missing or damaged object)"
UNREAD = "the commit cannot be read (missing or damaged object)"
LOST = (MISSING, BROKEN, UNLISTED, UNREAD)
"""Reasons that only another clone can mend."""


class HistoryReader:
    """Reads the changes of one mirror."""

    def __init__(self, git: Git, mirror: Path, repo: str, zone: tzinfo, budget: Budget | None = None) -> None:
        self._git, self._mirror, self._repo, self._zone = git, mirror, repo, zone
        self._budget = budget or Budget()

    def read(self, shas: Sequence[str]) -> list[Change]:
        """One change for each sha, in that order; what cannot be read says so in its `skipped`."""
        if not shas:
            return []
        with self._git.faults.made_good():  # what cannot be read says so itself
            found = self._stream(shas)
            if len(found) < len(shas):
                found |= self._around_holes([sha for sha in shas if sha not in found])
        return [self.complete(found[sha]) for sha in shas]

    def _stream(self, shas: Sequence[str], *paths: str) -> dict[str, Change]:
        """All commits that git could read before it met a fault."""
        return {change.sha: change for change in self.before_fault(shas, *paths)[0]}

    def before_fault(
        self, shas: Sequence[str], *paths: str, detail: Literal["patch", "files"] = "patch"
    ) -> tuple[list[Change], bool]:
        """What git can read before it meets a fault, and whether it met none."""
        mark, pathspec = new_mark(), ["--", *paths] if paths else []
        out: list[Change] = []
        with self._git.stream(*log_arguments(mark, detail), *pathspec, at=self._mirror, stdin=_lines(shas)) as stream:
            try:
                # What was read before a fault stays in the list.
                out.extend(parse(stream.output, mark, self._repo, self._zone, self._budget, patches=detail == "patch"))
            except StreamBroken:
                return out, False
            # The last commit before a fault looks whole to the parser when git died between two of its files.
            return (out[:-1], False) if stream.finish() else (out, True)

    def _around_holes(self, shas: Sequence[str]) -> dict[str, Change]:
        listed = self._listed_each(shas)
        blobs = {oid for change in listed.values() for file in change.files for oid in _blobs(file)}
        missing = self._git.missing(self._mirror, sorted(blobs))
        whole = [sha for sha, change in listed.items() if not any(_lacks(file, missing) for file in change.files)]
        found = self._stream(whole) if whole else {}
        for sha in shas:
            if sha not in found:
                found[sha] = self._one(listed[sha], missing) if sha in listed else self._unreadable(sha)
        return found

    def _listed_each(self, shas: Sequence[str]) -> dict[str, Change]:
        """Files and blob ids of each commit: needs trees, no blobs; asked one by one when a tree is missing."""
        try:
            return {change.sha: change for change in self._without_patches(shas, "files")}
        except (GitError, StreamBroken):
            if len(shas) == 1:
                return {}
        return {sha: change for one in shas for sha, change in self._listed_each([one]).items()}

    def _without_patches(self, shas: Sequence[str], detail: Literal["files", "message"]) -> list[Change]:
        mark = new_mark()
        with self._git.stream(*log_arguments(mark, detail), at=self._mirror, stdin=_lines(shas)) as stream:
            changes = list(
                parse(stream.output, mark, self._repo, self._zone, Budget(0, files=self._budget.files), patches=False)
            )
            if stream.finish():
                raise StreamBroken(stream.last_words())
        return changes

    def _one(self, listed: Change, missing: set[str]) -> Change:
        """One commit with the files that can be read; the others stand with their reason."""
        bad = {file.path: MISSING for file in listed.files if _lacks(file, missing)}
        change = self._without(listed, bad)
        if change is None:
            bad |= {file.path: BROKEN for file in listed.files if file.path not in bad and self._damaged(file)}
            change = self._without(listed, bad)
        if change is None:
            return replace(listed, files=(), skipped=UNREADABLE, empty=False)
        holes = [
            replace(file, path=shown_path(file.path), binary=True)
            if _NO_TEXT.search(file.path)
            else replace(file, path=shown_path(file.path), skipped=bad[file.path])
            for file in listed.files
            if file.path in bad
        ]
        files = sorted((*change.files, *holes), key=lambda file: file.path)
        total = change.files_total + len(holes)
        return replace(change, files=tuple(files[: self._budget.files]), files_total=total, empty=False)

    def _without(self, listed: Change, bad: dict[str, str]) -> Change | None:
        """The commit as if it did not touch those files; None when git cannot read the rest either."""
        # A path left out takes what lies under it along: a file that became a folder.
        under = tuple(f"{path}/" for path in bad)
        bad |= {file.path: BESIDE for file in listed.files if file.path.startswith(under)}
        if len(bad) == listed.files_total:
            return replace(listed, files=(), files_total=0)
        try:
            return self._stream([listed.sha], ".", *(f":(exclude,literal,top){path}" for path in bad)).get(listed.sha)
        except GitError:
            return None

    def _damaged(self, file: FileChange) -> bool:
        return not all(self._git.readable_blob(self._mirror, oid) for oid in _blobs(file))

    def _unreadable(self, sha: str) -> Change:
        """A commit whose tree or own object is missing: what can be told of it, and that the rest cannot."""
        try:
            return replace(self._without_patches([sha], "message")[0], skipped=UNLISTED, empty=False)
        except (GitError, StreamBroken, IndexError):
            nobody = moment("0", self._zone)
            return Change(self._repo, sha, (), "", nobody, nobody, "", "", skipped=UNREAD)

    def complete(self, change: Change) -> Change:
        """A merge also names the commits it brought in, and is by who wrote most of them."""
        if len(change.parents) < 2:
            return change
        how = ("log", "--format=%H %an", change.sha, f"^{change.parents[0]}", "--")
        try:
            rows = self._git.run(*how, at=self._mirror).decode("utf-8", "replace").splitlines()
        except GitError:
            return change
        brought = [row.partition(" ")[::2] for row in rows if not row.startswith(change.sha)]
        merged = tuple(sha for sha, _ in brought)
        if not brought or change.merged_by:
            return replace(change, merged=merged)
        author = Counter(name for _, name in brought).most_common(1)[0][0]
        return replace(change, merged=merged, author=author, merged_by=change.author)


def _lacks(file: FileChange, missing: set[str]) -> bool:
    return any(oid in missing for oid in _blobs(file))


def _lines(shas: Sequence[str]) -> bytes:
    return "".join(f"{sha}\n" for sha in shas).encode()


def _blobs(file: FileChange) -> list[str]:
    """Blob ids that git needs to make this file's patch; a submodule has none."""
    sides = ((file.old_mode, file.old_blob), (file.new_mode, file.new_blob))
    return [oid for mode, oid in sides if mode not in ("160000", "000000") and oid.strip(_NO_BLOB)]


# --- The commits on either side of a range, without their patches: what stood before it, and what came after it ---
# A fault may be older than the range, and its repair younger: messages and paths are enough to tell.


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

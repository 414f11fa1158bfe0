"""Changes that earlier days of a run have read with their patches, for the day after that looks back at them.

What is given from here is what git would say again: only changes that were read whole are held, and whoever takes
them sees to it that his own limit would not have cut them either.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import tzinfo

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.git.patches import FILES_KEPT
from daybreak.core.model.changes import Change, FileChange, Status

HELD = 16 << 20
"""Bytes of patches, of all repositories together: a fortnight of a busy one."""


class Whole(Struct, frozen=True):
    """A change with all of its patches, as `git log -p` tells it."""

    change: Change
    size: int
    """Bytes that its patches had in git's words, at most."""


class Recalled:
    """Whole changes by repository and commit; of the oldest ones nothing is left when it gets too much."""

    def __init__(self, most: int = HELD) -> None:
        self._most, self._held = most, 0
        self._known: dict[tuple[str, str], Whole] = {}
        self._lock = threading.Lock()

    def keep(self, changes: Sequence[Change]) -> None:
        """Nothing of a day with a hole: around one, commits are read in other ways."""
        if any(change.skipped or any(file.skipped for file in change.files) for change in changes):
            return
        found = [Whole(_plain(c), _size(c)) for c in changes if _is_whole(c)]
        with self._lock:
            for one in found:
                self._drop((one.change.repo, one.change.sha))
                self._known[one.change.repo, one.change.sha] = one
                self._held += one.size
            while self._held > self._most:
                self._drop(next(iter(self._known)))

    def of(self, repo: str, shas: Iterable[str], zone: tzinfo) -> dict[str, Whole]:
        """Those that are held and tell their times in this zone."""
        with self._lock:
            found = {sha: self._known[repo, sha] for sha in shas if (repo, sha) in self._known}
        return {sha: one for sha, one in found.items() if one.change.committed_at.tzinfo == zone}

    def _drop(self, key: tuple[str, str]) -> None:
        old = self._known.pop(key, None)
        self._held -= old.size if old else 0


def _plain(change: Change) -> Change:
    """As the stream of patches tells it."""
    return replace(change, merged=(), filtered=False) if change.merged or change.filtered else change


def _is_whole(change: Change) -> bool:
    return change.files_total == len(change.files) and not any(file.patch_cut for file in change.files)


def _size(change: Change) -> int:
    """What git wrote was no longer: each byte that is no UTF-8 became three, and one line break may be gone."""
    return sum(1 + (len(f.patch) if f.patch.isascii() else len(f.patch.encode())) for f in change.files)


def listed(change: Change) -> Change | None:
    """The change as git tells it without patches and renames; None when that cannot be told from it."""
    if any(file.status == "C" or file.skipped for file in change.files):
        return None
    files = [one for file in change.files for one in _apart(file)]
    if len(files) > len(change.files):
        # git sorts by bytes, of which some may be lost, and keeps so many files.
        if len(files) > FILES_KEPT or not all(file.path.isascii() for file in files):
            return None
        files.sort(key=lambda file: file.path)
    total = change.files_total + len(files) - len(change.files)
    return replace(change, files=tuple(files), files_total=total, added=0, deleted=0)


def _apart(file: FileChange) -> tuple[FileChange, ...]:
    """The file without its patch; one that was renamed went from one place and came to another."""
    if file.status != "R":
        return (_bare(file.path, file.status, file.old_mode, file.new_mode, file.old_blob, file.new_blob),)
    nothing, no_mode = "0" * len(file.old_blob), "000000"
    gone = _bare(file.old_path or "", "D", file.old_mode, no_mode, file.old_blob, nothing)
    return gone, _bare(file.path, "A", no_mode, file.new_mode, nothing, file.new_blob)


def _bare(path: str, status: Status, old_mode: str, new_mode: str, old_blob: str, new_blob: str) -> FileChange:
    return FileChange(path, status, None, 0, 0, False, old_mode, new_mode, old_blob, new_blob)


def adds_one_of(change: Change, gone: Mapping[str, Collection[str]]) -> bool | None:
    """Whether it adds a line that is gone from the same path; None when git has to be asked about those paths alone.

    A file that came from elsewhere is a rename in the whole change, and all new when only its path is looked at.
    """
    ours = [file for file in change.files if file.path in gone or file.old_path in gone]
    if any(file.status in "RCT" for file in ours):
        return None
    if any(file.status == "A" for file in ours) and any(file.status == "D" for file in change.files):
        return None
    return has_one_of(ours, gone)


def has_one_of(files: Iterable[FileChange], gone: Mapping[str, Collection[str]]) -> bool:
    """Whether one of the files' patches adds a line that is gone from that file."""
    for file in files:
        lines = gone.get(file.path, ())
        if lines and any(x[:1] == "+" and x[1:].strip() in lines for x in file.patch.split("\n")):
            return True
    return False

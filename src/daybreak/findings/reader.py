"""The reader of changes: those that were read before from what is kept, the others anew."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.core.file_cache import code_digest, keep_newest, read_kept
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected
from daybreak.core.model.findings import Reading
from daybreak.core.plugins import LANGUAGES, stamp
from daybreak.findings.blobs import SurfaceCache

# --- Readings kept on disk by commit, so that a day which is made again is not read again ---
# A reading follows from the commit, from what of it could be read, and from our own reader; all three are in its key.


FILES_KEPT = 40
"""Files of one repository, one for each time its changes were read."""
_DECODER = msgspec.msgpack.Decoder(dict[str, Reading])
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


class ReadingCache:
    """Readings of one repository; a damaged file or a full disk costs speed, not the report."""

    def __init__(self, folder: Path | None, repo: str, releases: Mapping[str, str] | None = None) -> None:
        """`releases`: sha -> commit of the release that its findings are held against."""
        self._releases = releases or {}
        code = code_digest("core/model", "core/profiles", "findings")
        if added := stamp(LANGUAGES):
            code = hashlib.sha256(f"{code} {added}".encode()).hexdigest()[:16]
        self._folder = folder / "readings" / repo.replace("/", "+") / code if folder else None

    def get(self, changes: Iterable[Change]) -> dict[str, Reading]:
        """Those that were read before, when all were read together."""
        wanted = list(changes)
        if self._folder is None or not wanted:
            return {}
        try:
            kept = _DECODER.decode(read_kept(self._path(wanted)) or b"")
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        return kept if kept.keys() == {change.sha for change in wanted} else {}

    def put(self, changes: Iterable[Change], readings: Mapping[str, Reading]) -> None:
        wanted = list(changes)
        if self._folder is None or not wanted or any(reading.skipped for reading in readings.values()):
            return
        with suppress(UnicodeError):  # a name that is no text; it is read anew
            keep_newest(self._path(wanted), msgspec.msgpack.encode(dict(readings)), FILES_KEPT)

    def _path(self, changes: Iterable[Change]) -> Path:
        assert self._folder is not None
        digest = hashlib.sha256("\n".join(map(self._seen, changes)).encode()).hexdigest()
        return self._folder / f"{digest[:32]}.readings"

    def _seen(self, change: Change) -> str:
        """The commit, how much of it could be read, and what its release is."""
        cut = sum(file.patch_cut for file in change.files)
        lost = sum(file.skipped is not None for file in change.files)
        release = self._releases.get(change.sha, "")
        some = "" if len(change.files) == change.files_total else _digest_of(change)
        return f"{change.sha} {change.files_total} {some} {cut} {lost} {change.skipped or ''} {release}"


def _digest_of(change: Change) -> str:
    """Which of its files are there."""
    return hashlib.sha256("\0".join(file.path for file in change.files).encode("utf-8", "replace")).hexdigest()[:16]


def _releases(collected: Collected) -> dict[str, str]:
    """Sha -> commit of the newest release, of changes that no release has."""
    known = {sha: collected.tags.get(tag, "") for sha, tag in collected.newest.items()}
    return {sha: commit for sha, commit in known.items() if commit and sha not in collected.released}


MAX_FINDINGS = 60
"""A mass edit gives no more than this; the rest would never be read."""
MAX_LINES_PER_FILE = 4000
MAX_LINES_PER_CHANGE = 40_000
"""Lines of hunks that language readers look at; what stands elsewhere in the diff is still asked before a removal."""


class Limits(Struct, frozen=True):
    """How much of one change is looked at and kept."""

    findings: int = MAX_FINDINGS
    lines_per_file: int = MAX_LINES_PER_FILE
    lines_per_change: int = MAX_LINES_PER_CHANGE
    trees: bool = False
    """The change is the step between two whole trees: what Python offers is asked of the trees, not of the hunks."""
    wide: bool = False
    """What only insiders use is wanted too, and of a library that nobody surveyed every public name counts."""
    hunks: bool = True
    """The hunks to show are wanted."""


USUAL = Limits()
WHOLE_TREES = Limits(findings=100_000, lines_per_file=200_000, lines_per_change=2_000_000, trees=True, hunks=False)
"""Two folders and not a commit: nothing is cut off, however large the one change is."""


class RuleReader:
    """Reads changes with the readers of the registry: hunks for what happened inside, surfaces for what is offered."""

    def __init__(
        self,
        git: Git | None = None,
        cache: Path | None = None,
        limits: Limits = USUAL,
        surfaces: SurfaceCache | None = None,
    ) -> None:
        """`surfaces`: kept over several reads in place of those on disk."""
        self._git, self._cache, self._limits, self._kept = git, cache, limits, surfaces

    def read(self, collected: Collected) -> dict[str, Reading]:
        """Every change of the window and every late one."""
        changes = (*collected.changes, *collected.late)
        kept = ReadingCache(self._cache, collected.repo.name, _releases(collected))
        found = kept.get(changes)
        if changes and not found:
            from daybreak.findings.reading import Anew  # every language: not needed where all was read before
            from daybreak.findings.since_release import as_released
            from daybreak.findings.trees import GitTrees

            trees = GitTrees(self._git, Path(collected.mirror)) if self._git and collected.mirror else None
            anew = Anew(trees, self._limits, self._kept or self._surfaces(collected))
            before = self._faults(collected)
            found = anew.read(changes)
            if trees is not None:
                found = as_released(trees, anew.plainly, changes, found, _releases(collected))
            if self._faults(collected) == before:  # what was made of a fault is never kept
                kept.put(changes, found)
        return found

    def _faults(self, collected: Collected) -> int:
        return self._git.faults.count(Path(collected.mirror)) if self._git and collected.mirror else 0

    def _surfaces(self, collected: Collected) -> SurfaceCache:
        return SurfaceCache(self._cache, collected.repo.name)

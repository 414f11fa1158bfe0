"""The reader of changes: those that were read before from what is kept, the others anew."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected
from daybreak.core.model.findings import Reading
from daybreak.findings.blobs import SurfaceCache
from daybreak.findings.reading_cache import ReadingCache

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
        kept = ReadingCache(self._cache, collected.repo.name)
        found = kept.get(changes)
        if changes and not found:
            from daybreak.findings.reading import Anew  # every language: not needed where all was read before
            from daybreak.findings.trees import GitTrees

            trees = GitTrees(self._git, Path(collected.mirror)) if self._git and collected.mirror else None
            anew = Anew(trees, self._limits, self._kept or self._surfaces(collected))
            found = anew.read(changes)
            kept.put(changes, found)
        return found

    def _surfaces(self, collected: Collected) -> SurfaceCache:
        return SurfaceCache(self._cache, collected.repo.name)

"""Surfaces held in memory while many changes are read in turn: what was not wanted lately is let go."""

from __future__ import annotations

from daybreak.findings.blobs import SurfaceCache
from daybreak.findings.surface import Surface


class HeldSurfaces(SurfaceCache):
    """Keeps what the last two turns used: of a file that changes often, one commit's new side is the next one's old."""

    def __init__(self) -> None:
        super().__init__()
        self._now: dict[str, Surface] = {}
        self._before: dict[str, Surface] = {}

    def get(self, language: str, oid: str) -> Surface | None:
        key = f"{language}-{oid}"
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            if found is not None:
                self._now[key] = found
        return found

    def put(self, language: str, oid: str, surface: Surface) -> None:
        self._now[f"{language}-{oid}"] = surface

    def save(self) -> None:
        """The end of a turn; nothing goes to disk."""
        self._before, self._now = self._now, {}

"""Ground of a sentence: a piece of evidence, side by side, in the forms in which names and lines are compared."""

from __future__ import annotations

import re
from functools import cached_property

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Side
from daybreak.core.text import plain
from daybreak.prose.injection_patterns import ordering

_LOOSE = re.compile(r"[\s_\-]+")
_POINT = re.compile(r"(?<=\d)_(?=\d)")
WITHIN = " › "
"""Between the lines of a file that a hunk's head names: each is a line of its own."""


def loose(text: str) -> str:
    """A text without case, and with nothing for blanks, hyphens and underscores; `4_1` of a file's name is `4.1`."""
    return _LOOSE.sub("", _POINT.sub(".", text)).lower()


def _side(line: str) -> Side:
    return "+" if line.startswith("+") else "-" if line.startswith("-") else " "


class Ground:
    """One piece of evidence without the lines that give orders: data, but evidence of nothing."""

    def __init__(self, ref: str, id_: str, text: str) -> None:
        self.ref, self.id, self.diff = ref, id_, ref.startswith("D")
        orders = ordering(text)
        kept: list[str] = []
        self.orders: list[str] = []
        at = 0
        for line in text.split("\n"):
            if self.diff and line.startswith("@@") and WITHIN in line:
                first, *within = line.split(WITHIN)
                kept += [first, *(f" {one}" for one in within)]
                at += len(line) + 1
                continue
            (self.orders if at in orders else kept).append(line)
            at += len(line) + 1
        self.lines = kept
        self._sides: dict[str, str] = {}

    @cached_property
    def plain(self) -> str:
        """As names and spans are compared."""
        return plain("\n".join(map(self.bare, self.lines)))

    @cached_property
    def loose(self) -> str:
        """As loose forms are compared."""
        return loose(self.plain)

    @cached_property
    def flat_lines(self) -> tuple[tuple[Side, str], ...]:
        """Side and plain form of each line."""
        return tuple((_side(line) if self.diff else " ", plain(self.bare(line))) for line in self.lines)

    def bare(self, line: str) -> str:
        """Without its sign; of a hunk's head what it stands in."""
        if self.diff and line.startswith("@@"):
            return line.rpartition("@@")[2].strip()
        return line[1:] if self.diff and line[:1] in ("+", "-", " ") else line

    def side(self, sign: str) -> str:
        """The lines of one side as one text."""
        if sign not in self._sides:
            self._sides[sign] = "\n".join(text for side, text in self.flat_lines if side == sign)
        return self._sides[sign]

    def places(self, line: str) -> list[int]:
        """Where a line stands, whole or in part, with its sign or without; a hunk's head by what it stands in."""
        wanted = plain(self.bare(line.rpartition(WITHIN)[2]) if self.diff and line.startswith("@@") else line)
        wanted = wanted.rpartition(WITHIN)[2]
        if self.diff and wanted[:1] in ("+", "-") and (bare := wanted[1:].strip()):
            signed = _side(wanted)
            found = [at for at, (side, text) in enumerate(self.flat_lines) if side == signed and bare in text]
            if found:
                return found
        return [at for at, (_, text) in enumerate(self.flat_lines) if wanted and wanted in text]

    def side_of(self, line: str) -> Side | None:
        """The side of a line that stands here; None where it does not."""
        found, wanted = self.places(line), plain(line)
        return self.flat_lines[found[0]][0] if found else " " if wanted and wanted in self.plain else None

    def whole(self, line: str) -> str:
        """The line of the evidence that this is, or is part of, as it stands there but for its sign."""
        found = self.places(line)
        return (self.bare(self.lines[found[0]]) if found else plain(line)).rstrip()


def finding_text(finding: Finding) -> str:
    """A finding as evidence, in its own words."""
    kind = f"{finding.kind} {finding.kind.replace('_', ' ')}"
    parts = (kind, finding.symbol, finding.path, finding.before, finding.after, finding.effective)
    return "\n".join(part for part in parts if part)

"""Ground of a sentence: a piece of evidence, side by side, in the forms in which names and lines are compared."""

from __future__ import annotations

import re
from functools import cached_property

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Side
from daybreak.core.text import plain
from daybreak.prose.injection_patterns import ordering

_LOOSE = re.compile(r"[\s_\-]+")


def loose(text: str) -> str:
    """A text without case, and with nothing for blanks, hyphens and underscores."""
    return _LOOSE.sub("", text).lower()


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
            (self.orders if at in orders else kept).append(line)
            at += len(line) + 1
        self.lines = kept
        self._sides: dict[str, str] = {}

    @cached_property
    def plain(self) -> str:
        """As names and spans are compared."""
        return plain("\n".join(map(self._bare, self.lines)))

    @cached_property
    def loose(self) -> str:
        """As loose forms are compared."""
        return loose(self.plain)

    @cached_property
    def flat_lines(self) -> tuple[tuple[Side, str], ...]:
        """Side and plain form of each line."""
        return tuple((_side(line) if self.diff else " ", plain(self._bare(line))) for line in self.lines)

    def _bare(self, line: str) -> str:
        return line[1:] if self.diff and line[:1] in ("+", "-", " ") else line

    def whole(self, line: str, side: Side) -> str:
        """The line of the evidence that this is, or is part of, as it stands there but for its sign."""
        wanted = plain(line)
        bare = wanted[1:].strip() if self.diff and side != " " and wanted[:1] == side else wanted
        rows = zip(self.lines, self.flat_lines, strict=True)
        return next((self._bare(raw) for raw, (sign, flat) in rows if sign == side and bare in flat), bare).rstrip()

    def side(self, sign: str) -> str:
        """The lines of one side as one text."""
        if sign not in self._sides:
            self._sides[sign] = "\n".join(text for side, text in self.flat_lines if side == sign)
        return self._sides[sign]

    def side_of(self, line: str) -> Side | None:
        """The side of a line that stands here, whole or in part; None where it does not. With its sign or without."""
        wanted = plain(line)
        if self.diff and wanted[:1] in ("+", "-") and (bare := wanted[1:].strip()):
            signed = _side(wanted)
            if any(side == signed and bare in text for side, text in self.flat_lines):
                return signed
        for side, text in self.flat_lines:
            if wanted and wanted in text:
                return side
        return " " if wanted and wanted in self.plain else None


def finding_text(finding: Finding) -> str:
    """A finding as evidence, in its own words."""
    kind = f"{finding.kind} {finding.kind.replace('_', ' ')}"
    parts = (kind, finding.symbol, finding.path, finding.before, finding.after, finding.effective)
    return "\n".join(part for part in parts if part)

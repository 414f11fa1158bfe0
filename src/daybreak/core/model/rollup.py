"""The roll-up of a week or a month, `daybreak.rollup/1`: what still holds at its end, made of reported days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from msgspec import Struct

from daybreak.core.model.statements import Text

SCHEMA = "daybreak.rollup/1"
BY_CHANGE = ("breaks", "deprecates", "internals")
"""Parts of which one change takes one row."""

BROKEN, TESTS_BROKEN = "broken", "broken_tests"
"""Tags of a story in which a main branch was at fault for a while, and of one in which tests or CI alone were."""


STORIES = ("revert", "reland", "series", "fixup", "bump", "port")
"""Kinds of lines that tell a story."""


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that holds: what it is, who meets it, what to do, and the changes it rests on."""

    repo: str
    text: Text
    who: Text = {}
    how: Text = {}
    commits: tuple[str, ...] = ()
    """Oldest first; the last one decides what holds."""
    pr: int | None = None
    """Of the last one; of a story, which is told by its first change, of that."""
    title: str = ""
    days: tuple[str, ...] = ()
    """First and last day that tell of it."""
    tag: str = ""
    kind: str = ""
    """Of a finding or of a story."""
    symbol: str = ""
    before: str | None = None
    after: str | None = None
    released: str | None = None
    """First release that holds it, as far as the days tell."""
    rank: int | None = None
    """Its place on the first screen of the day that ranks it highest; None where no day has it there."""
    span: tuple[str, ...] = ()
    """Of a story in which a branch was at fault: from when until when, in the zone of the reports."""
    effect: str = ""
    """Of a fault whose title does not say what went wrong: its author's words that do."""


def by_change(lines: Iterable[Line]) -> list[tuple[Line, ...]]:
    """Lines that rest on the same last change together, each lot where its first line stands."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.repo, line.commits[-1] if line.commits else line.symbol), []).append(line)
    return [tuple(lot) for lot in found.values()]


class SpanDay(Struct, frozen=True):
    """One day of the span in small."""

    label: str
    commits: int
    breaking: int
    headline: Text
    outcome: Text = {}
    """What a later day of the span says of the change that it is headed by: that it was reverted, or repaired."""


class SpanRepo(Struct, frozen=True):
    """One repository over the span."""

    name: str
    url: str
    commits: int
    high: int
    breaks: int
    """That stand at the end."""
    undone: int
    """Findings that a later change of the span took back."""


class Theme(Struct, frozen=True):
    """An area of work with what is worth knowing in it."""

    area: Text
    changes: int
    lines: tuple[Line, ...]
    """Of all changes; those without a text are only named."""


class Said(Struct, frozen=True):
    """One sentence of a model about the whole that stands."""

    section: str
    text: Text
    evidence: tuple[str, ...]


class SpanProse(Struct, frozen=True, kw_only=True):
    """What a model said of the whole, and what it cost when it was first made."""

    model: str
    prompt_version: str
    said: tuple[Said, ...] = ()
    dropped: dict[str, int] = {}
    """Reason -> sentences that did not stand."""
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = None


class Rollup(Struct, frozen=True, kw_only=True):
    """Everything a roll-up tells; the same days give the same bytes."""

    schema: str = SCHEMA
    label: str
    """`2026-W29` or `2026-07`."""
    first: str
    last: str
    digest: str
    """Of the days that it was made of."""
    days: tuple[SpanDay, ...] = ()
    missing: tuple[str, ...] = ()
    """Days of the span, up to the newest report, without one."""
    repos: tuple[SpanRepo, ...] = ()
    breaks: tuple[Line, ...] = ()
    deprecates: tuple[Line, ...] = ()
    internals: tuple[Line, ...] = ()
    """What breaks plug-ins and forks."""
    fixes: tuple[Line, ...] = ()
    """Faults that were mended and stay so: security, wrong results, crashes."""
    stories: tuple[Line, ...] = ()
    pins: tuple[Line, ...] = ()
    releases: tuple[Line, ...] = ()
    news: tuple[Line, ...] = ()
    """Models, backends, methods and options that came."""
    themes: tuple[Theme, ...] = ()
    prose: SpanProse | None = None
    """Where a model was asked and answered."""

    @property
    def commits(self) -> int:
        return sum(day.commits for day in self.days)

    @property
    def to_come(self) -> tuple[str, ...]:
        """Days of the span after the newest report: without one, on whatever day it is asked."""
        told = max((*self.missing, *(day.label for day in self.days)), default=self.first)
        first, last = date.fromisoformat(told), date.fromisoformat(self.last)
        return tuple(str(first + timedelta(days=n)) for n in range(1, (last - first).days + 1))

    @property
    def length(self) -> int:
        """Days of the span, reported or not."""
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first)).days + 1

    @property
    def paragraphs(self) -> list[list[Said]]:
        """What a model said, one paragraph a section."""
        said = self.prose.said if self.prose else ()
        lots = ([one for one in said if one.section == section] for section in ("summary", "across", "conclusion"))
        return [lot for lot in lots if lot]

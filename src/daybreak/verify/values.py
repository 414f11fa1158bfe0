"""What verifying says: claims that hold, claims that are false, and claims that nothing here can decide."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from msgspec import Struct

from daybreak.core.markdown_page import Link, Page, plain
from daybreak.core.model.report import Page as MadePage
from daybreak.verify.context import SHA, Address, address
from daybreak.verify.mirror import Mirror

Kind = Literal[
    "sha",
    "link",
    "label",
    "pull request",
    "author",
    "date",
    "path",
    "line count",
    "no update",
    "anchor",
    "snippet",
    "title",
    "day",
    "count",
    "whole",
    "leak",
    "item",
    "value",
    "written",
]
"""Which sort of claim; `day`: the commit lies in the report's day, `whole`: the text is not cut, `leak`: no internals
of the tool that wrote it, `count`: how many commits there are, `item`: an issue or pull request of a forge,
`value`: what is shown as code stands in the data, `written`: the line is the one that the data gives."""


class Alarm(Struct, frozen=True):
    """A claim that is false."""

    kind: Kind
    line: int
    """From 1."""
    start: int
    """Columns of the line's own text, `[start, end)`, from 0; both 0 when the whole line is meant."""
    end: int
    said: str
    """What the report says there."""
    why: str
    """One sentence, without a full stop."""


class Verified(Struct, frozen=True):
    """One report, checked."""

    name: str
    day: str | None
    """The day it is about; None when it has none."""
    zone: str | None
    """The zone that the report states; None: the days of UTC and of Shanghai both count."""
    day_from: str
    """Where the day was taken from, in words."""
    held: dict[str, int]
    """Kind -> claims that hold."""
    alarms: tuple[Alarm, ...]
    """In the order of the text."""
    unchecked: dict[tuple[str, str], int]
    """(kind, reason) -> claims that could not be decided."""
    unread: str | None = None
    """Why the report was not read at all."""

    @property
    def checked(self) -> int:
        return sum(self.held.values()) + len(self.alarms)

    @property
    def open(self) -> int:
        """Claims that could not be decided."""
        return sum(self.unchecked.values())


@dataclass(slots=True)
class Findings:
    """Gathers what the checks say of one report."""

    held: Counter[str] = field(default_factory=Counter)
    unchecked: Counter[tuple[str, str]] = field(default_factory=Counter)
    alarms: dict[tuple[int, str, int, str], Alarm] = field(default_factory=dict)

    def true(self, kind: Kind, count: int = 1) -> None:
        self.held[kind] += count

    def unknown(self, kind: Kind, reason: str, count: int = 1) -> None:
        self.unchecked[kind, reason] += count

    def false(self, kind: Kind, line: int, said: str, why: str, span: tuple[int, int] = (0, 0)) -> None:
        """The same place is told once for each sort of claim."""
        alarm = Alarm(kind, line, span[0], span[1], said, why)
        self.alarms.setdefault((line, kind, span[0], said), alarm)

    def decide(self, holds: bool, kind: Kind, line: int, said: str, why: str, span: tuple[int, int] = (0, 0)) -> None:
        """True or false, nothing between."""
        if holds:
            self.true(kind)
        else:
            self.false(kind, line, said, why, span)

    def sorted(self) -> tuple[Alarm, ...]:
        return tuple(sorted(self.alarms.values(), key=lambda a: (a.line, a.start, a.kind, a.said)))


# --- A copy of a report with each false claim marked where it stands ---


MARKER = "<!-- daybreak verify: marked copy -->"
OPEN, CLOSE = "⟦✗ ", "⟧"
_UNSAFE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~])")
_LONGEST = 200


def annotated(text: str, verified: Verified) -> str:
    """The report's text, with a mark behind each false claim; what others wrote cannot become markup in a mark."""
    rows = text.replace("\r\n", "\n").split("\n")
    by_line: dict[int, list[Alarm]] = {}
    for alarm in verified.alarms:
        by_line.setdefault(alarm.line, []).append(alarm)
    for number, alarms in by_line.items():
        if 1 <= number <= len(rows):
            rows[number - 1] = _marked(rows[number - 1], alarms)
    number = len(verified.alarms)
    told = f"<!-- {number} false {'claim' if number == 1 else 'claims'}, each marked {OPEN.strip()}…{CLOSE} -->"
    return "\n".join([MARKER, told, "", *rows])


def _marked(row: str, alarms: list[Alarm]) -> str:
    end = _last(row)
    places = sorted(((a.end if 0 < a.end <= len(row) else end, a) for a in alarms), key=lambda p: (-p[0], p[1].kind))
    marks: dict[int, list[str]] = {}
    for at, alarm in places:
        marks.setdefault(at, []).append(f"{OPEN}{alarm.kind}: {_words(alarm.why)}{CLOSE}")
    for at, some in marks.items():
        row = f"{row[:at]} {' '.join(reversed(some))}{row[at:]}"
    return row


def _last(row: str) -> int:
    """The end of the words; in a row of a table, before its last bar."""
    end = len(row.rstrip())
    if row.lstrip().startswith("|") and row.rstrip().endswith("|"):
        end = len(row.rstrip()[:-1].rstrip())
    return end


def _words(why: str) -> str:
    plain = _UNSAFE.sub("", why)
    cut = plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"
    return _MARKUP.sub(r"\\\1", cut).replace("⟧", ")").replace("@", "@\u2060").replace("://", ":\u2060//")


# --- Links to commits and items on pages about to be published, held against git; their other words may be upstream's ---
# A title, a name or an issue may say anything, a sha of elsewhere among it; what is quoted is held against the data. Only
# code makes live links, so nothing a stranger writes can make this check object.

_NUMBER = re.compile(r"#(\d{1,9})")


def problems_of(pages: Sequence[MadePage], mirrors: Mapping[str, Mirror]) -> tuple[str, ...]:
    """What git does not bear out of the links of pages, one sentence each with page and line."""
    by_url = {mirror.url.lower(): mirror for mirror in mirrors.values()}
    read = [Page(page.path, page.text) for page in pages if page.path.endswith(".md")]
    asked: dict[str, list[str]] = {}
    for found in (found for page in read for _, _, found in _links(page)):
        if found.base in by_url:
            asked.setdefault(found.base, []).extend([found.rest] if found.kind == "commit" else [])
    git = next((mirror.git for mirror in by_url.values()), None)
    usable = git.side_by_side(lambda base: by_url[base].usable_with(asked[base]), asked) if git else []
    known = {base: by_url[base] for base, good in zip(asked, usable, strict=True) if good}
    return tuple(problem for page in read for problem in _problems(page, known))


def _links(page: Page) -> Iterator[tuple[int, Link, Address]]:
    """Line, link and where it leads, of links into repositories."""
    for line in page.prose:
        for link in line.links:
            found = address(link.target)
            if link.labelled and found is not None:
                yield line.number, link, found


def _problems(page: Page, by_url: Mapping[str, Mirror]) -> Iterator[str]:
    findings = Findings()
    for line, link, found in _links(page):
        _one(findings, by_url.get(found.base), line, link, found)
    for alarm in findings.sorted():
        yield f"{page.name}:{alarm.line}: {alarm.said[:80]}: {alarm.why}"


def _one(findings: Findings, mirror: Mirror | None, line: int, link: Link, found: Address) -> None:
    label, span = plain(link.label).strip("`* "), (link.start, link.end)
    if found.kind == "commit":
        if mirror is not None:
            words = f"{found.rest[:12]} is no commit of {mirror.name}"
            findings.decide(mirror.has_commits([found.rest])[found.rest], "sha", line, label, words, span)
        if SHA.fullmatch(label):
            words = f"the label says {label[:12]}, the link leads to {found.rest[:12]}"
            findings.decide(found.rest.startswith(label), "label", line, label, words, span)
    number = _NUMBER.fullmatch(label)
    if number and found.kind in ("pull", "issues"):
        words = f"the label says #{number[1]}, the link leads to #{found.rest}"
        findings.decide(number[1] == found.rest.split("/")[0], "label", line, label, words, span)

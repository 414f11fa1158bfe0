"""The page that compares repositories: who breaks what, who pins which version since when, and when a branch was broken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Span, Story, Text
from daybreak.core.versions import normalised
from daybreak.core.words.phrases import Phrases
from daybreak.findings.kinds import surfaces
from daybreak.report.archive.addresses import change_path, compare_path, relative, story_path
from daybreak.site.charts import element, frame, label, size_bar, text
from daybreak.site.pages.axis import Axis
from daybreak.site.pages.broken_names import INTERNALS
from daybreak.site.pages.months import picture
from daybreak.site.pages.pinned_by import Pinned, PinnedBy, exact, held_lately, owner_of, owners_of, pinned_by
from daybreak.site.pages.ranges import range_files
from daybreak.site.pages.repository import repo_names
from daybreak.site.pages.summaries import DaySummary, PinMove
from daybreak.site.pages.views import ViewPages, without_language

SHOWN = 30
"""Newest days that the pictures reach back."""
FOLDERS = 30
"""Folders that are listed."""
TOLD = 14
"""Newest days of which it is said whether a branch was broken."""
TAKEN_BACK = "taken_back"
ALL_DAY = ("00:00", "24:00")
RECENT = timedelta(days=15)
"""Older code that goes had its time."""
MOST = 16
"""Lanes of a picture; the table has all."""


class Outage(Struct, frozen=True):
    """A span in which a branch was broken, as a story has it."""

    repo: str
    story: str
    start: datetime
    end: datetime
    fault: tuple[str, str] = ("", "")
    """Sha and title of the change that began it; the title may not be known."""
    repair: tuple[str, str] = ("", "")
    by: str = ""
    """By what the first is known to be at fault."""
    shown: bool = True
    does: Text = {}
    """What the repair does: by it a reader sees who was hit."""
    left: datetime | None = None
    """When what fails was left out; such a span goes on to the end of what was read."""

    @property
    def told(self) -> str:
        """In which words a day tells it."""
        return self.by if self.is_of_tests else "broken" if self.shown else "back"

    @property
    def is_of_tests(self) -> bool:
        """Tests or CI alone were at fault."""
        return self.by in ("ci", "skipped")

    def on(self, day: date) -> tuple[str, str]:
        """The hours of a day."""
        start = f"{self.start:%H:%M}" if self.start.date() == day else "00:00"
        return start, f"{self.end:%H:%M}" if self.end.date() == day else "24:00"


class Folder(Struct, frozen=True):
    """A folder with what happened in it."""

    repo: str
    name: str
    changes: int
    lines: int
    breaking: int


class CompareView(Struct, frozen=True):
    first: str
    last: str
    surfaces: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    """Repository -> breaking changes by surface."""
    pins: tuple[Pinned, ...]
    outages: tuple[Outage, ...]
    folders: tuple[Folder, ...] = ()
    """Those with most changed lines first."""
    read: tuple[str, ...] = ()
    """Days with a report, oldest first."""
    pinned_by: tuple[PinnedBy, ...] = ()
    zone: str = ""


class ComparePages(ViewPages[CompareView]):
    """One page in each language."""

    template = "compare.html"
    section = "compare"
    beginning = "compare.html"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, CompareView]:
        every = [day for day in days if not day.unreadable]
        told = every[-SHOWN:]
        labels = [day.label for day in told] or [""]
        names, rows = _breaks(told)
        pins, outages = _pins(every, labels[0]), _outages(told)
        by = pinned_by(
            pins, owners_of(repo_names(every)), [one for _, one in range_files(self._ground)], held_lately(every)
        )
        zone = told[-1].zone if told else ""
        view = CompareView(labels[0], labels[-1], names, rows, pins, outages, _folders(told), tuple(labels), by, zone)
        return {without_language(compare_path("-")): view}

    def values(self, view: CompareView, t: Phrases) -> Mapping[str, Any]:
        if not view.first:
            return {"pins": "", "drawn": 0, "outages": "", "lines_of": None, "broken_on": ()}
        here = compare_path(t.language)
        axis = Axis(tuple(map(date.fromisoformat, view.read)))
        pins = [_pin_lane(t, here, one, axis) for one in view.pins[:MOST]]
        outages = _outage_lanes(t, here, view.outages, axis)[:MOST]
        most = max((one.lines for one in view.folders), default=0)
        return {
            "lines_of": lambda one: Markup(size_bar(one.lines, 0, most)),  # noqa: S704  figures
            "exact": exact,
            "pins": _drawn(t, "pins", axis, pins),
            "drawn": len(pins),
            "gaps": axis.gaps(),
            "outages": _drawn(t, "outages", axis, outages),
            "broken_on": _broken_on(view, t("day.weekdays").split()),
        }


def _drawn(t: Phrases, name: str, axis: Axis, rows: Sequence[Lane]) -> Markup | str:
    weekdays = t("day.weekdays").split()
    return picture(lanes(name, t(f"compare.{name}"), axis, rows, weekdays)) if rows else ""


def _breaks(days: Sequence[DaySummary]) -> tuple[tuple[str, ...], tuple[tuple[str, tuple[int, ...]], ...]]:
    """Only what somebody broke: a column of nothing says nothing."""
    found: dict[str, Counter[str]] = {name: Counter() for name in repo_names(days)}
    for day in days:
        for repo in day.repos:
            found[repo.name].update(repo.changes_breaking)
    names = tuple(one for one in (*surfaces(), INTERNALS) if any(row[one] for row in found.values()))
    order = sorted(
        found, key=lambda name: (found[name][INTERNALS] - found[name].total(), -found[name][INTERNALS], name)
    )
    return names, tuple((name, tuple(found[name][one] for one in names)) for name in order)


def _folders(days: Sequence[DaySummary]) -> tuple[Folder, ...]:
    found: dict[tuple[str, str], list[tuple[int, int, int]]] = {}
    for day in days:
        for repo in day.repos:
            for name, one in repo.churn.items():
                found.setdefault((repo.name, name), []).append(one)
    made = [Folder(*place, *(sum(column) for column in zip(*rows, strict=True))) for place, rows in found.items()]
    return tuple(sorted(made, key=lambda one: (-one.lines, one.repo, one.name))[:FOLDERS])


def _pins(days: Sequence[DaySummary], since: str) -> tuple[Pinned, ...]:
    """Pins on watched projects first, then what several pin, then what moved most; of what did not move, where it stands.
    A name with `_` and one with `-` are one package, called as it was last.
    """
    found: dict[tuple[str, str], dict[str, PinMove]] = {}
    for day in days:
        for repo in day.repos:
            for one in repo.pins:
                found.setdefault((normalised(one.package), repo.name), {})[one.sha] = one
    shared, owner = Counter(package for package, _ in found), owners_of(repo_names(days))
    order = sorted(found, key=lambda key: (owner_of(key[0], owner), -shared[key[0]], key[0], -len(found[key]), key[1]))
    moves = {key: sorted(found[key].values(), key=lambda one: one.at) for key in order}
    return tuple(Pinned(some[-1].package, repo, _lately(some, since)) for (_, repo), some in moves.items())


def _lately(moves: Sequence[PinMove], since: str) -> tuple[PinMove, ...]:
    """The moves of the time that is shown, and the one before it, which says what held at its start."""
    older = [one for one in moves if one.at.date().isoformat() < since]
    return (*older[-1:], *moves[len(older) :])


def _outages(days: Sequence[DaySummary]) -> tuple[Outage, ...]:
    """Each as its last day tells it: a story that went on is not told as it was before."""
    told = {one.sha: (one.subject, one.committed_at) for day in days for one in day.earlier}
    told |= {one.sha: (one.subject, one.committed_at) for day in days for repo in day.repos for one in repo.changes}
    last = {(repo.name, story.id): story for day in days for repo in day.repos for story in repo.stories}
    does = {sha: text for day in days for repo in day.repos for sha, text in repo.repaired.items()}
    found = [
        _outage(repo, story, span, told, does, days[-1].label)
        for (repo, _), story in last.items()
        if not any(repo == of and _told_by(story, other) for (of, _), other in last.items())
        and (span := story.broken or _taken_back(story, told)) is not None
    ]
    mended = {(one.repo, one.fault[0]) for one in found if one.left is None and one.shown}
    ended = [one for one in found if one.left is None or (one.repo, one.fault[0]) not in mended]
    return tuple(sorted(ended, key=lambda one: (one.repo, one.start, one.story)))


def _told_by(story: Story, other: Story) -> bool:
    """Whether another tells how it went on; a series that both its changes are part of tells of no fault."""
    return story.goes_on_in(other) and (story.broken is None or other.kind != "series")


def _taken_back(story: Story, told: Mapping[str, tuple[str, datetime]]) -> Span | None:
    """How long a change stood that was taken back within days, where nothing says that it was at fault."""
    ends = [told[sha][1] if sha in told else story.earlier.get(sha) for sha in (story.commits[0], story.commits[-1])]
    if story.kind != "revert" or ends[0] is None or ends[1] is None or not timedelta() < ends[1] - ends[0] <= RECENT:
        return None
    return Span(ends[0], ends[1], TAKEN_BACK)


def _outage(
    repo: str,
    story: Story,
    broken: Span,
    told: Mapping[str, tuple[str, datetime]],
    does: Mapping[str, Text],
    last_day: str,
) -> Outage:
    """With the first change of the story, and the one at whose moment the span ends."""
    ends = (sha for sha in story.commits[1:] if sha in told and told[sha][1] == broken.end)
    first, last = story.commits[0], next(ends, story.commits[-1])
    fault, repair = ((sha, told[sha][0] if sha in told else sha[:9]) for sha in (first, last))
    shown = broken.shown and broken.by != TAKEN_BACK
    one = Outage(repo, story.id, broken.start, broken.end, fault, repair, broken.by, shown, does.get(last, {}))
    behind = datetime.combine(date.fromisoformat(last_day) + timedelta(days=1), time(), broken.end.tzinfo)
    return replace(one, end=max(behind, broken.end), left=broken.end) if broken.open else one


class BrokenDay(Struct, frozen=True):
    """A day with a report, and what its branches are shown to have been broken by."""

    day: date
    weekday: str
    faults: tuple[tuple[Outage, ...], ...]
    """Of each fault its spans, the longest last: what users met first, then what tests did, then what was only taken back."""

    def hours(self, of_tests: bool) -> list[tuple[str, list[str]]]:
        """Repository -> when its branch was broken for users, or for tests alone; empty for all day."""
        found: dict[str, list[tuple[str, str]]] = {}
        for *_, last in self.faults:
            if last.shown and last.is_of_tests == of_tests:
                found.setdefault(last.repo, []).append(last.on(self.day))
        times = ((repo, _joined(some)) for repo, some in found.items())
        return [(repo, [] if some == [ALL_DAY] else [f"{start}–{end}" for start, end in some]) for repo, some in times]


def _joined(times: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those that overlap are one."""
    out: list[tuple[str, str]] = []
    for start, end in sorted(times):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out


def _broken_on(view: CompareView, weekdays: Sequence[str]) -> list[BrokenDay]:
    """Each day with a report, newest first. Nothing is said of other days: nobody read them."""
    told = [x for x in view.outages if x.shown or x.by == TAKEN_BACK]
    told.sort(key=lambda x: (not x.shown, x.is_of_tests, x.end))
    out = []
    for day in map(date.fromisoformat, reversed(view.read[-TOLD:])):
        faults: dict[tuple[str, str, str], list[Outage]] = {}
        for one in told:
            if one.start.date() <= day <= one.end.date():
                faults.setdefault((one.repo, one.fault[0], one.told), []).append(one)
        out.append(BrokenDay(day, weekdays[day.weekday()], tuple(map(tuple, faults.values()))))
    return out


def _pin_lane(t: Phrases, here: str, one: Pinned, axis: Axis) -> Lane:
    """What was pinned before the first move, and after each; across a gap it may have moved, and what the next move found
    holds there, or what was read last.
    """
    first = one.moves[0]
    spans = _found_there(first, axis.pieces(0.0, axis.at(first.at))[-1:]) if first.before else []
    for move, following in zip(one.moves, (*one.moves[1:], None), strict=True):
        place = relative(here, change_path(t.language, one.repo, move.sha))
        said, brief = move.after or t("one.absent"), _version(move.after)
        end = axis.at(following.at) if following else axis.length
        pieces = axis.pieces(axis.at(move.at), end)
        known = len(pieces) if following and following.before == move.after else int(move.at.date() >= axis.days[0])
        other = following is not None and following.before != move.after and len(pieces) > 1
        spans += [
            Held(*piece, said, place, "now" if number < known else "", brief)
            for number, piece in enumerate(pieces[:-1] if other else pieces)
        ]
        if following and other and following.before:
            spans += _found_there(following, pieces[-1:])
    return Lane(f"{one.package} · {one.repo.rpartition('/')[2]}", tuple(spans), now=True)


def _found_there(move: PinMove, pieces: Iterable[tuple[float, float]]) -> list[Held]:
    return [Held(*piece, move.before, brief=_version(move.before)) for piece in pieces]


def _version(pinned: str) -> str:
    """The figures of `[cu13] ==4.6.0`."""
    return pinned.rpartition(" ")[2].lstrip("=~<>")


def _outage_lanes(t: Phrases, here: str, outages: Sequence[Outage], axis: Axis) -> list[Lane]:
    """Spans that overlap stand below each other, since one that lies on another would hide it; their repository once."""
    rows: dict[str, list[list[Held]]] = {}
    for one in outages:
        if not any(one.start.date() <= day <= one.end.date() for day in axis.days):
            continue
        key = "story.broken_open" if one.left else "compare.broken_span"
        span_of = t(key, start=f"{one.start:%m-%d %H:%M}", end=f"{one.left or one.end:%m-%d %H:%M}")
        said = t("compare.broken_what", fault=one.fault[1], repair=one.repair[1], span=span_of)
        said += f" · {t(f'story.by_{one.by}')}" if one.by else ""
        place = relative(here, story_path(t.language, one.repo, one.story))
        start, end = axis.at(one.start), axis.at(one.end)
        tone = "" if not one.shown else "tests" if one.is_of_tests else "broken"
        spans = [Held(*piece, said, place, tone) for piece in axis.pieces(start, end)]
        own = rows.setdefault(one.repo, [])
        free = next((row for row in own if row[-1].end <= start), None)
        if free is None:
            own.append(free := [])
        free += spans
    named = [(repo if not at else "", spans) for repo, own in rows.items() for at, spans in enumerate(own)]
    return [Lane(repo, tuple(spans)) for repo, spans in named]


# Lanes: what held from when to when, one row a name, as a picture whose spans are links.
WIDE, LEFT, ROW, TOP, RIGHT = 900.0, 200.0, 26.0, 36.0, 100.0
TICKS = 15
"""Days that have room for their name: each day of a fortnight is told by its weekday."""
_LETTER = 6.4
"""Pixels of a letter, generously: words that do not fit their span are left to its title."""
_FEWEST = 5
"""Letters of a word that was cut: fewer say nothing."""
_NAMES = 27
_SHA = re.compile("[0-9a-f]{40}")


class Held(Struct, frozen=True):
    """One span of a lane, in days from the first one of the picture; `href` may be empty."""

    start: float
    end: float
    said: str
    href: str = ""
    tone: str = ""
    brief: str = ""
    """What tells it where the whole does not fit."""


class Lane(Struct, frozen=True):
    """A row."""

    name: str
    spans: tuple[Held, ...]
    now: bool = False
    """Whether what holds at the end stands beside the row: its span may be too short for words."""


def lanes(name: str, title: str, axis: Axis, rows: Sequence[Lane], weekdays: Sequence[str]) -> str:
    """The picture; the same is said in words in its description, and in a table beside it."""
    said = "; ".join(f"{row.name}: {', '.join(dict.fromkeys(one.said for one in row.spans))}" for row in rows)
    bottom, days = TOP + ROW * len(rows), axis.length
    body = [*_ticks(axis, bottom, weekdays), *_gaps(axis, name, bottom), *_rows(rows, days)]
    wide = WIDE + (RIGHT if any(row.now for row in rows) else 0)
    return frame(name, (wide, bottom + 4), title, said, body).replace(' role="img"', ' role="group"')


def _ticks(axis: Axis, bottom: float, weekdays: Sequence[str]) -> Iterator[str]:
    step = max(1, -(-len(axis.days) // TICKS))
    for when in axis.days[::step]:
        x = _x(axis.at(datetime(when.year, when.month, when.day, tzinfo=UTC)), axis.length)
        yield element("line", x1=x, x2=x, y1=TOP - 4, y2=bottom, class_="cl")
        yield label(x + 2, TOP - 22, f"{when:%m-%d}")
        yield label(x + 2, TOP - 8, weekdays[when.weekday()])


def _gaps(axis: Axis, name: str, bottom: float) -> Iterator[str]:
    """Days that were not read, hatched."""
    hatch = element("path", d="M0 6L6 0M-1 1L1 -1M5 7L7 5", class_="cl")
    size = {"width": 6, "height": 6}
    if axis.gaps():
        yield element("defs", element("pattern", hatch, id=f"{name}-gap", patternUnits="userSpaceOnUse", **size))
    for start, end in axis.gaps():
        x, high = _x(start, axis.length), bottom - TOP + 4
        paint = f"url(#{name}-gap)"
        yield element("rect", x=x, y=TOP - 4, width=_x(end, axis.length) - x, height=high, fill=paint, class_="gap")


def _rows(rows: Iterable[Lane], days: float) -> Iterator[str]:
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        short = row.name if len(row.name) <= _NAMES else f"…{row.name[1 - _NAMES :]}"
        yield label(LEFT - 8, y + 16, short, anchor="end")
        for one in row.spans:
            yield _span(one, y, days)
        if row.now and row.spans:
            yield label(WIDE + 6, y + 16, _fitting(row.spans[-1], RIGHT - 6))


def _span(one: Held, y: float, days: float) -> str:
    x, end = _x(one.start, days), _x(one.end, days)
    wide = max(end - x, 4.0)
    bar = element("rect", x=x, y=y + 3, width=wide, height=ROW - 7, rx=3, class_=f"ln {one.tone}".rstrip())
    fits = _fitting(one, wide - 8)
    words = label(x + 5, y + 16, fits, "lt") if fits else ""
    shown = element("title", text(one.said)) + bar + words
    return element("a", shown, href=one.href, aria_label=one.said) if one.href else element("g", shown)


def _fitting(one: Held, wide: float) -> str:
    whole = one.said[:12] if _SHA.fullmatch(one.said) else one.said
    return whole if len(whole) * _LETTER <= wide else _cut(one.brief or whole, wide)


def _cut(said: str, wide: float) -> str:
    """As much as fits; nothing where that would be no word."""
    most = int(wide / _LETTER)
    if len(said) <= most:
        return said
    return f"{said[: most - 1].rstrip()}…" if most > _FEWEST else ""


def _x(day: float, days: float) -> float:
    return LEFT + (WIDE - LEFT) * min(max(day, 0.0), days) / max(days, 1.0)

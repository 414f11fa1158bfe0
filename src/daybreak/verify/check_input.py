"""Everything a check is given: the page, what its lines speak of, the mirrors, the day, and what was collected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cached_property
from pathlib import PurePath

import msgspec
from msgspec import Struct, field

from daybreak.core.day_json import view
from daybreak.core.markdown_page import Page, plain
from daybreak.verify.context import Known, Spot
from daybreak.verify.mirror import Commit, Mirror
from daybreak.verify.values import Findings

# --- Issues and pull requests that a run collected, read from the report's own data (`DATE.json`) ---


class Item(Struct, frozen=True):
    number: int
    kind: str
    """`issues` or `pull`."""
    title: str
    author: str


class Items(Struct, frozen=True):
    """(repository's web address in lower case, number) -> item."""

    by_number: Mapping[tuple[str, int], Item] = field(default_factory=dict)

    def find(self, base: str, number: int) -> Item | None:
        return self.by_number.get((base.lower(), number))


def items_in(data: bytes) -> Items:
    """The items of a report's data; data that is none has no items."""
    try:
        day = _VIEW(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Items()
    return Items(
        {
            (repo.url.lower(), one.number): Item(one.number, kind, one.title, one.author)
            for repo in day.repos
            for kind, items in (("issues", repo.issues), ("pull", repo.pulls))
            for one in items
        }
    )


_VIEW = view(
    "repos.url", *(f"repos.{kind}.{name}" for kind in ("issues", "pulls") for name in ("number", "title", "author"))
)


class Values(Struct, frozen=True):
    """All words of a report's data: of each commit, and of all else."""

    commits: Mapping[str, str]
    rest: str


def values_in(data: bytes) -> Values | None:
    """None: it is no data of ours."""
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or not str(found.get("schema", "")).startswith("daybreak."):
        return None
    commits: dict[str, list[str]] = {}
    rest: list[str] = []
    _gather(found, rest, commits)
    return Values({sha: plain("\n".join(some)) for sha, some in commits.items()}, plain("\n".join(rest)))


def _gather(value: object, texts: list[str], commits: dict[str, list[str]]) -> None:
    """Words of a commit, which has a sha and a subject, go to it."""
    if isinstance(value, dict):
        if isinstance(sha := value.get("sha"), str) and "subject" in value:
            texts = commits.setdefault(sha, [])
        for one in value.values():
            _gather(one, texts, commits)
    elif isinstance(value, list):
        for one in value:
            _gather(one, texts, commits)
    elif value is not None:
        texts.append(str(value))


class Written(Struct, frozen=True):
    """How the data beside a page of ours says that it was written."""

    lines: tuple[str, ...] | None = None
    """As this program makes them of the data; None: it cannot, or another version wrote the page."""
    digest: str = ""
    """Of the whole page; empty: the data has none."""
    unmade: str = ""
    """Why there are no lines, where there could be."""


# --- Which day a report is about, and in which zone; said where it was taken from ---


SHANGHAI = timezone(timedelta(hours=8), "Asia/Shanghai")
ANYWHERE = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
"""The first and the last zone of the world in which a day begins."""
DATE = re.compile(r"(?<![\d-])(\d{4}-\d\d-\d\d)(?![\d-])")
_STATED = re.compile(r"(\d{4}-\d\d-\d\d)[^()（）]{0,60}[（(]\s*(UTC|[A-Z]\w{1,20}(?:/[\w+-]{1,30}){1,2})\s*[)）]")
_NAMED = re.compile(r"(?:报告|解读|日报|简报|速递|[Rr]eport|[Dd]igest|[Dd]aily|[Nn]ews)[^\d\n]{0,40}(\d{4}-\d\d-\d\d)")
_TODAY = re.compile(r"本日|今日|当日|\b[Tt]oday\b")
_HEAD, _TOP = 12, 40
"""Lines in which a report states its window, and in which it has its title."""


class When(Struct, frozen=True):
    """The day of a report, or the first and the last of a week's or month's; days of several zones count when it states none."""

    day: str | None
    zone: tzinfo | None
    zone_name: str | None
    source: str
    last: str | None = None
    """Of a page of several days."""

    @property
    def label(self) -> str:
        return f"{self.day} to {self.last}" if self.last else self.day or ""

    def holds(self, commit: Commit) -> bool:
        if self.day is None:
            return True
        days = (commit.times(zone)[0].strftime("%Y-%m-%d") for zone in self.zones())
        return any(self.day <= day <= (self.last or self.day) for day in days)

    def zones(self) -> tuple[tzinfo, ...]:
        """A page of several days is ours, in any zone of the world."""
        return (self.zone,) if self.zone else (SHANGHAI, UTC) if self.last is None else ANYWHERE

    def days_of(self, commit: Commit) -> set[str]:
        """Every calendar day on which it can be said to have been made."""
        zones = {UTC, SHANGHAI, *((self.zone,) if self.zone else ())}
        return {t.strftime("%Y-%m-%d") for zone in zones for t in commit.times(zone)}

    def span(self) -> tuple[float, float] | None:
        """First and last second that the day can mean."""
        if self.day is None:
            return None
        start = datetime.fromisoformat(self.day)
        end = datetime.fromisoformat(self.last or self.day) + timedelta(days=1)
        low = min(start.replace(tzinfo=zone).timestamp() for zone in self.zones())
        high = max(end.replace(tzinfo=zone).timestamp() for zone in self.zones())
        return low, high


def when(page: Page, spots: list[Spot], asked: str | None) -> When:
    """What the user says, else what the report states, else what its commits tell."""
    zone, name, stated = _stated(page)
    if page.ranged or page.index or page.rollup:
        return _of_several(page, zone, name)
    if asked:
        return When(asked, zone, name, "--date")
    if stated:
        return When(stated, zone, name, "the report")
    day = next(_titled(page), None)
    if day:
        return When(day, zone, name, "its title")
    own = DATE.search(PurePath(page.name).name)
    if own and _real(own[1]):
        return When(own[1], zone, name, "its file name")
    return _from_text(page, spots, zone, name)


def _from_text(page: Page, spots: list[Spot], zone: tzinfo | None, name: str | None) -> When:
    dates = {m[1] for line in page.prose for m in DATE.finditer(line.text) if _real(m[1])}
    if len(dates) == 1 and any(_TODAY.search(line.text) for line in page.prose):
        return When(dates.pop(), zone, name, "the only date in it")
    days = Counter(commit.times(zone or UTC)[0].strftime("%Y-%m-%d") for commit in _first(spots))
    common = days.most_common(1)
    if common and common[0][1] >= 3 and common[0][1] * 2 > sum(days.values()):
        return When(common[0][0], zone, name, f"most of its commits ({common[0][1]} of {sum(days.values())})")
    return When(None, zone, name, "the report states none")


def _first(spots: list[Spot]) -> list[Commit]:
    return list({c.sha: c for spot in spots for c in spot.own}.values())


def _stated(page: Page) -> tuple[tzinfo | None, str | None, str | None]:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    for line in page.lines[:_HEAD]:
        for m in _STATED.finditer(line.text):
            try:
                return ZoneInfo(m[2]), m[2], m[1] if _real(m[1]) else None
            except (ZoneInfoNotFoundError, ValueError, OSError):
                continue
    return None, None, None


def _titled(page: Page) -> Iterator[str]:
    """In a heading, else in a line that calls itself a report; a link to another day is neither."""
    top = [line for line in page.lines[:_TOP] if line.fence is None]
    for line in (*(one for one in top if one.heading), *(one for one in top if not one.heading and not one.links)):
        found = _NAMED.search(line.text) or (DATE.search(line.text) if line.heading else None)
        if found and _real(found[1]):
            yield found[1]


def _of_several(page: Page, zone: tzinfo | None, name: str | None) -> When:
    """From the first to the last day that the heading of a week's or a month's page names; other pages have none."""
    days = [day for line in page.lines[:_TOP] if line.heading for day in DATE.findall(line.text) if _real(day)]
    if page.rollup and days:
        return When(min(days[:2]), zone, name, "its title", max(days[:2]))
    return When(None, zone, name, "a page between two refs has none" if page.ranged else "an index has none")


def _real(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return text > "1990"


class Study(Struct, frozen=True, dict=True):
    page: Page
    spots: list[Spot]
    known: Known
    when: When
    items: Items
    there: Callable[[str], bool] | None
    """Whether a file beside the report is there, by its path from the report's folder; None: not to be known."""
    findings: Findings
    values: Values | None = None
    """Words of the data beside the report; None: there is none."""
    written: Written = Written()

    def mirror(self, repo: str | None) -> Mirror | None:
        return self.known.mirrors.get(repo or "")

    def told_by(self, commits: Iterable[Commit]) -> list[Commit]:
        """The commits, and what a merge among them brought: it is told by the title and author of that."""
        mirrors = [(c, m) for c in commits if (m := self.mirror(c.repo))]
        return [c for one, m in mirrors for c in (one, *(m.log[sha] for sha in m.brought(one)))]

    @cached_property
    def prose(self) -> list[Spot]:
        """What stands outside of code blocks; empty lines say nothing."""
        return [spot for spot in self.spots if spot.line.fence is None and not spot.line.blank]

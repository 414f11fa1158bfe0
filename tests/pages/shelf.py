"""An archive of days made by hand, which counts how often a day is decoded; and pages made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from both_languages import both
from daybreak.core.config import Config, Settings
from daybreak.core.day_json import decode
from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Commit, Coverage, Day, Finding, Importance, RepoDay, Story, Window
from daybreak.site.pages import Ground, Section

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass
class Shelf:
    """An `Archive` of stored bytes by label."""

    stored: dict[str, bytes] = field(default_factory=dict)
    decoded: list[str] = field(default_factory=list)

    def put(self, *days: Day) -> None:
        self.stored |= {day.label: msgspec.json.encode(day) for day in days}

    def labels(self) -> list[str]:
        return sorted(self.stored)

    def digests(self) -> dict[str, str]:
        return {label: f"{hash(self.stored[label])}" for label in self.labels()}

    def digest(self, label: str) -> str | None:
        return self.digests().get(label)

    def data(self, label: str) -> bytes | None:
        return self.stored.get(label)

    def day(self, label: str) -> Day | None:
        self.decoded.append(label)
        data = self.stored.get(label)
        try:
            return None if data is None else decode(data)
        except msgspec.MsgspecError as error:
            raise DaybreakError(f"The report of {label} is unreadable.", "Report it anew.") from error


def ground(shelf: Shelf, base: Path, languages: tuple[str, ...] = ("zh", "en")) -> Ground:
    return Ground(shelf, Settings(Config(languages=languages), base, {}), "look")


def shown(section: Section, path: str) -> str:
    asset = section.page(path)
    assert asset is not None, path
    return asset.body.decode("utf-8")


def commit(number: int, subject: str = "A change", **more: object) -> Commit:
    level = more.pop("level", "low")
    given = {"kind": "feature", "author": "Ada", "committed_at": NOON, "url": "https://example.org/c", **more}
    return Commit(sha=f"{number:040x}", subject=subject, importance=Importance(str(level), 0.5), **given)  # type: ignore[arg-type]


def finding(kind: str, symbol: str = "f", **more: object) -> Finding:
    return Finding("x/1", kind, "a.py", 1, symbol, **more)  # type: ignore[arg-type]


def story(id_: str, kind: str, numbers: Iterable[int], en: str = "It is so.", **more: object) -> Story:
    return Story(id_, kind, tuple(f"{n:040x}" for n in numbers), both(zh="就是这样。", en=en), **more)  # type: ignore[arg-type]


def repo(commits: Iterable[Commit] = (), name: str = "acme/engine", **more: object) -> RepoDay:
    told = tuple(commits)
    return RepoDay(name, f"https://example.org/{name}", in_git=len(told), commits=told, **more)  # type: ignore[arg-type]


def day(label: str, *repos: RepoDay, **more: object) -> Day:
    since = datetime.fromisoformat(f"{label}T00:00:00+00:00")
    told = sum(len(one.commits) for one in repos)
    coverage = more.pop("coverage", None) or Coverage(commits_in_git=told, commits_reported=told)
    window = Window(since, since, "UTC", label)
    return Day(schema="daybreak.report/1", window=window, coverage=coverage, repos=repos, **more)  # type: ignore[arg-type]

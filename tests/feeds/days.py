"""Days for the tests of feeds and of the API: small ones, made from values, in an archive that is a dict."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import msgspec

from both_languages import both
from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import (
    Action,
    Commit,
    Coverage,
    Day,
    Finding,
    Importance,
    PullRef,
    Release,
    RepoDay,
    Skipped,
    Statement,
    Story,
    Window,
)

REPO = "acme/engine"


def commit(
    number: int, subject: str = "", *, breaking: bool = False, hostile: str = "", label: str = "2026-01-19"
) -> Commit:
    """`hostile` stands in every field that a stranger writes."""
    sha = hashlib.sha1(f"{label} {number}".encode()).hexdigest()
    said = hostile or f"`flag_{number}` changes"
    finding = Finding(
        f"{sha[:12]}/1",
        "cli_option_renamed",
        hostile or "a.py",
        7,
        hostile or f"--old-{number}",
        hostile or f"--old-{number}",
        hostile or f"--new-{number}",
        breaking,
    )
    return Commit(
        sha=sha,
        url=hostile or f"https://github.com/{REPO}/commit/{sha}",
        subject=subject or hostile or f"Change {number}",
        author=hostile or "Ann",
        committed_at=datetime.fromisoformat(f"{label}T10:00:00+08:00") + timedelta(minutes=number),
        importance=Importance("high" if breaking else "low", 0.9 if breaking else 0.1),
        kind="fix",
        pr=PullRef(number, hostile or f"https://github.com/{REPO}/pull/{number}"),
        breaking=breaking,
        findings=(finding,),
        components=("engine/core",),
        statements=(
            Statement(role="what", text=both(f"改：{said}", f"Does: {said}")),
            Statement(role="action", text=both(said, said)),
        ),
        story="s1",
    )


def day(
    label: str = "2026-01-19", commits: tuple[Commit, ...] | None = None, *, hostile: str = "", open_: bool = False
) -> Day:
    commits = (
        (commit(1, hostile=hostile, breaking=True, label=label), commit(2, label=label)) if commits is None else commits
    )
    since = datetime.fromisoformat(f"{label}T00:00:00+08:00")
    first = commits[:1]
    text = both(hostile or "改用 `--new`。", hostile or "Use `--new`.")
    repo = RepoDay(
        REPO,
        f"https://github.com/{REPO}",
        commits=commits,
        stories=(Story("s1", "series", tuple(one.sha for one in commits), text),) if commits else (),
        releases=(Release(hostile or "v1", hostile or "https://x.invalid/v1", hostile, "Ann", since, "released"),)
        if hostile
        else (),
    )
    quiet = RepoDay("acme/quiet", "https://github.com/acme/quiet")
    skipped = (Skipped(hostile, hostile),) if hostile else ()
    return Day(
        schema="daybreak.report/1",
        window=Window(since, since + timedelta(days=1), "Asia/Shanghai", label, open_),
        coverage=Coverage(len(commits), len(commits), skipped=skipped),
        repos=(repo, quiet),
        actions=tuple(Action(REPO, (one.sha,), text, (f"{one.sha[:12]}/1",)) for one in first),
        summary=(Statement(role="what", text=text),),
    )


def days(count: int, last: str = "2026-01-19") -> list[Day]:
    end = date.fromisoformat(last)
    return [day((end - timedelta(days=back)).isoformat()) for back in range(count)]


@dataclass
class Shelf:
    """An archive in memory; `broken` days cannot be read."""

    kept: dict[str, Day] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    asked: int = 0

    @classmethod
    def of(cls, *found: Day) -> Shelf:
        return cls({one.label: one for one in found})

    def labels(self) -> list[str]:
        return sorted({*self.kept, *self.broken})

    def digest(self, label: str) -> str | None:
        if label in self.broken:
            return "broken"
        data = self.data(label)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def digests(self) -> dict[str, str]:
        return {label: self.digest(label) or "" for label in self.labels()}

    def day(self, label: str) -> Day | None:
        self.asked += 1
        if label in self.broken:
            raise DaybreakError(f"The report of {label} cannot be read.")
        return self.kept.get(label)

    def data(self, label: str) -> bytes | None:
        return msgspec.json.encode(self.kept[label]) if label in self.kept else None


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

"""Reported days in which every field that a stranger can write holds a hostile text, another one in each place."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from both_languages import both
from daybreak.core.model.day import (
    SCHEMA,
    Across,
    Action,
    Alias,
    Analyst,
    Bump,
    Claim,
    Claimed,
    Closes,
    Commit,
    Coverage,
    CrossStory,
    Day,
    Earlier,
    Effective,
    File,
    Finding,
    Fix,
    Hunk,
    Importance,
    Issue,
    Link,
    Place,
    Pull,
    PullRef,
    Reason,
    Release,
    RepoDay,
    Skipped,
    Statement,
    Step,
    Story,
    Text,
    Touch,
    Touches,
    Window,
)
from daybreak.core.text import escaped_bytes
from hostile_texts import TEXTS, spread

LABEL = "2026-03-06"
REPO, OTHER = "acme/engine", "acme/kernels"
CONFIG = f"""\
timezone = "Asia/Shanghai"
languages = ["zh", "en"]
[[repo]]
name = "{REPO}"
[[repo]]
name = "{OTHER}"
"""
LEVELS = ("high", "medium", "low")
AT = datetime.fromisoformat(f"{LABEL}T02:00:00+08:00")


def sha(number: int) -> str:
    return hashlib.sha1(f"hostile {number}".encode()).hexdigest()


class _Writer:
    """Takes the next text for each field."""

    def __init__(self, texts: Iterator[str]) -> None:
        self._texts = texts

    def text(self) -> str:
        return next(self._texts)

    def some(self, count: int = 2) -> tuple[str, ...]:
        return tuple(self.text() for _ in range(count))

    def said(self) -> Text:
        """As sentences of a report are: quoted names stand in backticks, and a model may write anything around them."""
        one, other = self.text(), self.text()
        return both(f"改动 `{one}`。{other}", f"Changes `{one}`. {other}")

    def statement(self, role: str = "what", *evidence: str) -> Statement:
        return Statement(
            role=role, text=self.said(), evidence=evidence, author="model" if role == "impact" else "rules"
        )

    def skipped(self) -> tuple[Skipped, ...]:
        return (Skipped(*self.some(2)),)

    # --- changes ---------------------------------------------------------------------------------------------------

    def commit(self, number: int) -> Commit:
        name = sha(number)
        finding = Finding(
            f"{name[:12]}/1", "cli_option_renamed", self.text(), 7, self.text(), self.text(), self.text(),
            number % 2 == 0, Alias("none", self.text()), Effective(self.text()),
        )  # fmt: skip
        path, lines, why = self.some(3)
        hunk = f"@@ -1,2 +1,2 @@ {self.text()}\n-{lines}\n+{self.text()}\n {self.text()}"
        return Commit(
            sha=name, url=self.text(), subject=self.text(), author=self.text(), committed_at=AT + timedelta(seconds=number),
            importance=Importance(LEVELS[number % 3], 0.5, (Reason("code", self.said()),)), kind="fix",
            body=f"{self.text()}\n\n{self.text()}", pr=PullRef(1000 + number, self.text()),
            files=(File(path=self.text(), status="R", old_path=self.text(), added=1, deleted=1), File(path=self.text(), status="A", skipped=self.text())), files_total=2,
            merged=(self.text(),), breaking=number % 2 == 0, findings=(finding,), components=self.some(),
            hunks=(Hunk(path, hunk), Hunk("engine/core.py", f"@@ -1 +1 @@\n-x = 1\n+x = '''{lines}'''")),
            released=self.text(), story=f"s{number}", skipped=why if number % 7 == 0 else None,
            statements=(self.statement("what", f"commit:{name}"), self.statement("impact"), self.statement("action")),
        )  # fmt: skip

    def story(self, number: int) -> Story:
        return Story(f"s{number}", "series", (sha(number), sha(number + 1), sha(9_000)), self.said())

    # --- the forge -------------------------------------------------------------------------------------------------

    def link(self, number: int, kind: str = "caused_by") -> Link:
        return Link(
            kind, f"issue:{REPO}#{number}", f"commit:{sha(number)}", (f"commit:{sha(number)}",), number % 2 == 0,
            self.said(), (Place(OTHER, self.text(), 3),),
        )  # fmt: skip

    def issue(self, number: int) -> Issue:
        return Issue(
            number, self.text(), self.text(), self.text(), AT, "open", self.some(), (sha(number),), ("opened",),
            self.text(), reason=self.text(), kind="accuracy", components=self.some(), fixes=(Fix(1000 + number, "open"),),
            causes=(self.link(number),),
        )  # fmt: skip

    def pull(self, number: int) -> Pull:
        claimed = Claimed(self.text(), numbers=(Claim(self.some(3), 1),), omitted=1)
        return Pull(
            1000 + number, self.text(), self.text(), self.text(), AT, "open", self.some(), (sha(number),), ("opened",),
            self.text(), review=self.text(), closes=(Closes(f"issue:{REPO}#{number}"),), coming=("breaking",),
            claimed=claimed, files=1, added=1, deleted=1,
        )  # fmt: skip

    def release(self, number: int) -> Release:
        return Release(
            f"{self.text()}{number}", self.text(), self.text(), self.text(), AT, "released", self.some(),
            (sha(number),), sha(number), (1000 + number,), notes=self.some(3),
        )  # fmt: skip

    # --- the day ---------------------------------------------------------------------------------------------------

    def across(self, number: int, tag: str) -> Across:
        bump = Bump(
            REPO, sha(number), AT, OTHER, self.text(), self.text(), self.text(), release=f"release:{REPO}@{tag}",
            between=(sha(number),),
        )  # fmt: skip
        steps = (Step("taken", REPO, AT, self.text(), (f"commit:{sha(number)}",)),)
        story = CrossStory(
            id="across-1", target=OTHER, repos=(REPO, OTHER), net=self.said(), commits=(sha(number),), steps=steps
        )
        earlier = (Earlier(REPO, sha(9_000), AT - timedelta(days=1), self.text(), 7),)
        return Across((bump,), (story,), (self.statement("what", f"commit:{sha(9_000)}"),), 1, earlier)

    def joined(self, numbers: Sequence[int]) -> Action:
        """An entry for several changes that are one story."""
        return Action(REPO, tuple(map(sha, numbers)), self.said(), (f"{sha(numbers[0])[:12]}/1",), "breaks")

    def touches(self, number: int) -> Touches:
        found = Touch(
            id="DB-1", certainty="certain", path=self.text(), line=7, repo=REPO, commits=(sha(number),), why=self.said(), action=self.said(), pinned=self.text(),
            pin_at=self.text(),
        )  # fmt: skip
        return Touches(self.some(), 3, (found,), 1, self.skipped())

    def repo(self, numbers: range, items: int) -> RepoDay:
        few = numbers[:items]
        return RepoDay(
            REPO, f"https://github.com/{REPO}", self.text(), sha(1), True, len(numbers), skipped=self.skipped(),
            commits=tuple(map(self.commit, numbers[:-1])), late=(self.commit(numbers[-1]),),
            stories=tuple(map(self.story, few)), issues=tuple(map(self.issue, few)), pulls=tuple(map(self.pull, few)),
            releases=tuple(map(self.release, few)), links=tuple(map(self.link, few)),
            assessment=(self.statement(),), rewritten=self.text(),
        )  # fmt: skip


def hostile_day(
    start: int = 0, count: int = 12, items: int = 4, texts: Sequence[str] = TEXTS, label: str = LABEL
) -> Day:
    """A day of so many changes and items of each kind; `start`: which text the first field gets.

    Every change takes the same number of texts, and how many there are is a prime: in a day of as many changes each
    field holds each text.
    """
    writer = _Writer(spread(start, tuple(texts)))
    numbers = range(1, count + 1)
    repo = writer.repo(numbers, items)
    lost = RepoDay(OTHER, f"https://github.com/{OTHER}", skipped=writer.skipped(), complete=False)
    first = datetime.fromisoformat(f"{label}T00:00:00+08:00")
    return Day(
        schema=SCHEMA,
        window=Window(first, first + timedelta(days=1), "Asia/Shanghai", label),
        coverage=Coverage(count, count, skipped=writer.skipped(), left_out=writer.skipped()),
        repos=(repo, lost),
        analyst=Analyst("model", writer.text(), "1"),
        actions=(
            *(Action(REPO, (sha(n),), writer.said(), (f"{sha(n)[:12]}/1",)) for n in numbers[:6]),
            writer.joined(numbers[6:10]),
        ),
        touches=writer.touches(2),
        links=(writer.link(1, "uses_removed"), writer.link(2, "mentions"), writer.link(3, "takes")),
        across=writer.across(1, repo.releases[0].tag),
        summary=(writer.statement(), writer.statement()),
        conclusion=(writer.statement(),),
        revised=writer.some(1),
        completed=writer.some(1),
    )


def keep(folder: Path, *days: Day) -> Path:
    """A folder in which commands can be run and that a site can be built from."""
    (folder / "reports").mkdir(parents=True, exist_ok=True)
    (folder / "daybreak.toml").write_text(CONFIG, encoding="utf-8")
    for day in days:
        (folder / "reports" / f"{day.label}.json").write_bytes(escaped_bytes(msgspec.json.encode(day)))
    return folder

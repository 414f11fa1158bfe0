"""Small reported days to search in, written as values."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

from both_languages import both
from daybreak.core.model.day import (
    Commit,
    Coverage,
    Day,
    Finding,
    Importance,
    Issue,
    Pull,
    PullRef,
    Release,
    RepoDay,
    Statement,
    Story,
    Window,
)
from daybreak.report.archive.interface import Archive
from daybreak.site.search import Search
from daybreak.store.search import in_memory


def sha(seed: str) -> str:
    return hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def moment(label: str, hour: int = 9) -> datetime:
    return datetime.fromisoformat(label).replace(hour=hour, tzinfo=UTC)


def change(subject: str, *, level: str = "low", zh: str = "", en: str = "", symbol: str = "", **more: Any) -> Commit:
    """A change whose sha follows from its subject."""
    label = more.pop("label", "2026-03-06")
    findings = (Finding("f1", "function_removed", "engine/core.py", 3, symbol, "old()", None),) if symbol else ()
    number = more.pop("pr", None)
    return Commit(
        sha=more.pop("sha", sha(subject)),
        url="https://example.org/c",
        subject=subject,
        author=more.pop("author", "Ada Lovelace"),
        committed_at=moment(label, more.pop("hour", 9)),
        importance=Importance(level, 0.5),
        kind=more.pop("kind", "fix"),
        pr=PullRef(number, "https://example.org/p") if number else None,
        findings=more.pop("findings", findings),
        statements=(Statement(role="what", text=both(zh, en)),) if zh or en else (),
        **more,
    )


def issue(number: int, title: str, **more: Any) -> Issue:
    return Issue(
        number, "https://example.org/i", title, "grace", moment("2026-03-06"), more.pop("state", "open"), **more
    )


def pull(number: int, title: str, **more: Any) -> Pull:
    return Pull(
        number, "https://example.org/p", title, "grace", moment("2026-03-06"), more.pop("state", "merged"), **more
    )


def release(tag: str, *notes: str) -> Release:
    return Release(tag, "https://example.org/r", tag, "grace", moment("2026-03-06"), "released", notes=notes)


def repo(name: str, *changes: Commit, **more: Any) -> RepoDay:
    return RepoDay(name, f"https://example.org/{name}", commits=changes, **more)


def day(label: str, *repos: RepoDay) -> Day:
    window = Window(moment(label, 0), moment(label, 23), "UTC", label)
    return Day(schema="daybreak.report/1", window=window, coverage=Coverage(), repos=repos)


class Shelf:
    """An archive of days that a test changes as it likes."""

    def __init__(self, *days: Day) -> None:
        self.days = {one.label: one for one in days}
        self.read: list[str] = []
        """Labels of the days that were asked for, in turn."""
        self.broken: set[str] = set()

    def put(self, one: Day) -> None:
        self.days[one.label] = one

    def labels(self) -> list[str]:
        return sorted(self.days)

    def digest(self, label: str) -> str | None:
        return (
            hashlib.sha256(repr(self.days[label]).encode("utf-8", "surrogatepass")).hexdigest()
            if label in self.days
            else None
        )

    def digests(self) -> dict[str, str]:
        return {label: str(self.digest(label)) for label in self.labels()}

    def day(self, label: str) -> Day | None:
        from daybreak.core.errors import DaybreakError

        self.read.append(label)
        if label in self.broken:
            raise DaybreakError("It cannot be read.")
        return self.days.get(label)

    def data(self, label: str) -> bytes | None:
        raise NotImplementedError(label)


def week() -> Shelf:
    """Two days of two repositories: something of everything."""
    first = day(
        "2026-03-05",
        repo(
            "acme/engine",
            change(
                "Remove --max-batch from the scheduler (#41)", level="high", breaking=True, pr=41, symbol="--max-batch",
                zh="移除命令行参数 `--max-batch`，调度器改为自动分批。", en="The flag `--max-batch` is removed; batches are found out.",
                label="2026-03-05", kind="refactor",
            ),
            change("Speed up KVCacheManager.allocate", level="medium", zh="显存占用降低。", kind="perf", label="2026-03-05", hour=11),
            change("docs: fix typo in max_batch notes", author="李小龙", kind="docs", label="2026-03-05", hour=12),
            issues=(issue(52, "Crash when the KV cache is full", kind="bug", labels=("bug",)),),
        ),
    )  # fmt: skip
    second = day(
        "2026-03-06",
        repo(
            "acme/engine",
            change(
                "[Feature] 支持 FP8 量化推理 (#44)", level="medium", pr=44, symbol="QuantConfig.group_size", kind="feature",
                zh="新增 FP8 量化推理，默认关闭。", en="FP8 quantization is new and off by default.", body=f"Reverts {sha('old')[:12]}",
            ),
            pulls=(pull(44, "Support FP8", claimed=None), pull(60, "Rework the scheduler", state="open", draft=True)),
            releases=(release("v1.2.0", "Batches are found out (#41)", "Breaking: --max-batch"),),
        ),
        repo(
            "acme/tile-kit",
            change("Tune warp_specialized kernels", level="low", breaking=True, author="Cheng Wan", hour=13),
        ),
    )  # fmt: skip
    return Shelf(first, second)


def search_over(shelf: Archive) -> Search:
    """Over a shelf or any other archive, with an index in memory."""
    index = in_memory()
    return Search(shelf, index, shelf.digests, index.close)


FATES = (
    ("Take it away", "cli_flag_removed", "512", None),
    ("Do otherwise", "cli_default_changed", "512", "1024"),
    ("Take other values", "cli_choices_changed", "['a', 'b']", "['a']"),
    ("Say that it goes", "cli_flag_deprecated", None, None),
    ("Bring it", "cli_flag_added", None, "512"),
)
"""Changes by what they do to `--chunk-size`, the gravest first."""


def fates(label: str = "2026-03-07") -> RepoDay:
    """The graver what happens to the flag, the lower the grade; one that only speaks of it is the highest, and so is one that
    takes an inner parameter of that name away.
    """
    inner = Finding("f1", "internal_parameter_removed", "a.py", 3, "split(chunk_size)", "chunk_size", None)
    rows = [
        change(
            subject,
            level="low" if at < 3 else "medium",
            findings=(Finding("f1", kind, "args.py", 3, "--chunk-size", before, after),),
            label=label,
        )
        for at, (subject, kind, before, after) in enumerate(FATES)
    ]
    rows.append(change("Split inside", level="medium", findings=(inner,), label=label, hour=4))
    rows.append(change("Speak of it", level="high", en="One may set --chunk-size.", label=label))
    return repo("acme/engine", *reversed(rows))


def taken_back(label: str) -> Day:
    """A later day, whose only change reverts the first of those fates."""
    back = change("Give it back (#77)", label=label, pr=77)
    told = Story("revert-1", "revert", (sha(FATES[0][0]), back.sha), both("已回退。", "It was reverted."))
    return day(label, repo("acme/engine", back, stories=(told,)))

"""A forge's half of the small report: issues of several kinds, pull requests, releases, and what runs between two."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Activity, Happened, Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    Claim,
    Coming,
    CrossForge,
    CrossStory,
    Fix,
    ForgeDay,
    IssueReading,
    Link,
    PullReading,
    ReleaseReading,
    RepoForge,
    Step,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import RepoReport
from daybreak.core.model.statements import Statement
from daybreak.judge.interface import Judgement
from render import factory
from render.factory import DAY, both, sha

ENGINE, KERNELS = "acme/engine", "acme/quiet"
WHY = "The scheduler keeps a stale backend name. It then picks the slow path."
NUMBERS = "Latency drops from 4.2 ms to 2.1 ms on H100."
TABLE = ("| batch | before | after |", "| 1 | 4.2 ms | 2.1 ms |")
BODY = f"## Purpose\n\n{WHY}\n\n## Results\n\n{NUMBERS}\n\n{TABLE[0]}\n|---|---|---|\n{TABLE[1]}\n| 2 | 5 ms | 3 ms |\n\nFixes #11"


def issue(number: int, title: str = "It fails", **more: Any) -> Issue:
    base = Issue(number, "", title, "bob", DAY + timedelta(hours=3), "open", ("opened",))
    return replace(base, **more)


def pull(number: int, title: str = "A change", state: Any = "merged", **more: Any) -> Pull:
    merged = DAY + timedelta(hours=19) if state == "merged" else None
    happened: tuple[Happened, ...] = ("opened", "merged") if state == "merged" else ("opened",)
    return replace(Pull(number, "", title, "bob", DAY, state, happened, merged), **more)


def release(tag: str = "v0.2.0", **more: Any) -> Release:
    return replace(Release(tag, "", f"Release {tag}", "bob", DAY + timedelta(hours=5)), **more)


def engine_activity(**more: Any) -> Activity:
    base = Activity(
        ENGINE,
        issues=(
            issue(11, "[Bug]: wrong tokens since the rename", comments=4, reactions=2, labels=("bug",)),
            issue(12, "How do I install it?", comments=1),
            issue(13, "Crash on start", state="closed", reason="completed", closed_at=DAY + timedelta(hours=9)),
            issue(14, "An old one", happened=("closed",), state="closed"),
        ),
        pulls=(
            pull(101, "Rename --backend values", merge_sha=sha(1), body=BODY, closes=(11,)),
            pull(103, "Fix KV events", merge_sha=sha(3), body=NUMBERS),
            pull(
                120,
                "[RFC]: drop the old engine",
                "open",
                files=80,
                added=2000,
                deleted=900,
                comments=7,
                body="Fixes #12",
            ),
            pull(121, "Never mind", "closed", happened=("closed",)),
        ),
        releases=(release("v1.2.0", prerelease=True, body="Rename #101 and #102"),),
    )
    return replace(base, **more)


def engine_forge() -> RepoForge:
    first, third = commit_id(sha(1)), commit_id(sha(3))
    eleven, twelve = issue_id(ENGINE, 11), issue_id(ENGINE, 12)
    return RepoForge(
        ENGINE,
        links=(
            Link("brings", pull_id(ENGINE, 101), first, (pull_id(ENGINE, 101), first)),
            Link("brings", pull_id(ENGINE, 103), third, (pull_id(ENGINE, 103), third)),
            Link("fixes", pull_id(ENGINE, 101), eleven, (pull_id(ENGINE, 101), eleven)),
            Link("fixes", pull_id(ENGINE, 120), twelve, (pull_id(ENGINE, 120), twelve)),
            Link(
                "caused_by",
                eleven,
                first,
                (eleven, first),
                likely=True,
                why=both("issue 中写到 `since the rename`。", "The issue says `since the rename`."),
            ),
            Link("shipped_in", first, release_id(ENGINE, "v1.2.0"), (first,)),
        ),
        issues=(
            IssueReading(ENGINE, 11, "accuracy", ("scheduler", "engine/core"), (Fix(101, "merged"),)),
            IssueReading(ENGINE, 13, "bug", cut=True),
            IssueReading(ENGINE, 12, "install", fixes=(Fix(120, "open", likely=True),)),
        ),
        pulls=(
            PullReading(ENGINE, 101, WHY, True, (Claim((NUMBERS,)), Claim(TABLE, 1)), 2),
            PullReading(ENGINE, 103, "", False, (Claim((NUMBERS,)),)),
        ),
        coming=(Coming(ENGINE, 120, ("breaking", "rfc", "large")),),
        releases=(ReleaseReading(ENGINE, "v1.2.0", (sha(60), sha(1)), (101, 102), 0),),
    )


def kernels_activity() -> Activity:
    return Activity(
        KERNELS,
        releases=(release("v0.2.0"),),
        left_out=(
            Skipped(f"{KERNELS} on GitHub: the rest (closed issues)", "GitHub gives 60 requests an hour", "Set GITHUB_TOKEN."),
        ),
    )  # fmt: skip


def across() -> CrossForge:
    second, tag = commit_id(sha(2)), release_id(KERNELS, "v0.2.0")
    pin = f"finding:{sha(2)[:12]}/1"
    bump = Bump(
        ENGINE, sha(2), DAY + timedelta(hours=19), KERNELS, "quiet", "0.1.0", "0.2.0", (pin,), release="v0.2.0",
        between=(sha(901), sha(902)), whole=True,
    )  # fmt: skip
    unsure = replace(
        bump, sha=sha(3), package="quiet-fork", sure=False, release=None, between=(), findings=(), least=True
    )
    story = CrossStory(
        id="across-1",
        target=KERNELS,
        repos=(KERNELS, ENGINE),
        steps=(
            Step("released", KERNELS, DAY + timedelta(hours=5), "v0.2.0", (tag,)),
            Step("taken", ENGINE, DAY + timedelta(hours=19), "0.2.0", (second, pin)),
        ),
        net=both(
            "`acme/quiet`：发布 `v0.2.0` → `acme/engine` 采用 `0.2.0`。",
            "`acme/quiet`: `v0.2.0` released → `acme/engine` takes `0.2.0`.",
        ),
        commits=(sha(2),),
    )
    removed = f"finding:{sha(1)[:12]}/1"
    links = (
        Link("takes", second, tag, (second, pin, tag), why=both("`quiet`：`0.1.0` → `0.2.0`。", "`quiet`: `0.1.0` → `0.2.0`.")),
        Link(
            "uses_removed",
            removed,
            f"repo:{KERNELS}",
            (removed, f"repo:{KERNELS}"),
            likely=True,
            why=both("`acme/quiet` 有 `--backend`。", "`acme/quiet` has `--backend`."),
        ),
        Link("mentions", issue_id(ENGINE, 12), tag, (issue_id(ENGINE, 12), tag)),
        Link("mentions", pull_id(ENGINE, 120), f"repo:{KERNELS}", (pull_id(ENGINE, 120),)),
    )  # fmt: skip
    return CrossForge(links, (bump, unsure), (story,), 3)


def pinned() -> RepoReport:
    """The busy repository, whose second change moves a pin."""
    busy = factory.busy()
    second = busy.entries[1]
    pin = Finding(f"{sha(2)[:12]}/1", "dependency_changed", "requirements.txt", 1, "quiet", "0.1.0", "0.2.0")
    moved = replace(second, reading=replace(second.reading, findings=(pin,)))
    return replace(busy, entries=(busy.entries[0], moved, *busy.entries[2:]))


def forge_day(**more: Any) -> ForgeDay:
    said = (Statement("what", across().stories[0].net, ("story:across-1",)),)
    base = ForgeDay(
        (engine_activity(), kernels_activity()), (engine_forge(), RepoForge(KERNELS, releases=(ReleaseReading(KERNELS, "v0.2.0"),))),
        across(), said, requests=7,
    )  # fmt: skip
    return replace(base, **more)


def report(forge: ForgeDay | None = None, languages: tuple[str, ...] = ("zh", "en")) -> Judgement:
    base = factory.report(pinned(), factory.quiet(), factory.lost(), languages=languages)
    return replace(base, forge=forge or forge_day())

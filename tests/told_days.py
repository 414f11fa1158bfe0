"""Reports as rules make them, for tests of what a model adds: changes with messages, patches and findings, no git needed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from daybreak.core.model.changes import Change, FileChange, Repo, Window
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance, Level, Statement
from daybreak.judge.interface import Judgement

SINCE = datetime(2026, 1, 19, tzinfo=UTC)
WINDOW = Window(SINCE, SINCE + timedelta(days=1), "UTC", "2026-01-19")
SCORES: dict[Level, float] = {"high": 0.9, "medium": 0.5, "low": 0.1}


def sha_of(number: int) -> str:
    return f"{number:08x}" + "ab" * 16


def patch(*lines: str, at: int = 1) -> str:
    return f"@@ -{at},{len(lines)} +{at},{len(lines)} @@\n" + "\n".join(lines) + "\n"


def file(path: str, text: str = "", **more: object) -> FileChange:
    body = text or patch("-old = 1", "+new = 2")
    return FileChange(path, "M", added=body.count("\n+"), deleted=body.count("\n-"), patch=body, **more)  # type: ignore[arg-type]


def change(number: int, subject: str, body: str = "", files: Sequence[FileChange] = (), **more: object) -> Change:
    files = tuple(files) or (file("engine/core.py"),)
    return Change(
        repo="acme/engine",
        sha=sha_of(number),
        parents=(),
        author="Ada",
        authored_at=SINCE,
        committed_at=SINCE + timedelta(minutes=number % 1000),
        subject=subject,
        body=body,
        files=files,
        files_total=len(files),
        added=sum(f.added for f in files),
        deleted=sum(f.deleted for f in files),
        **more,  # type: ignore[arg-type]
    )


def entry(
    one: Change,
    level: Level = "medium",
    findings: Sequence[Finding] = (),
    statements: Sequence[Statement] = (),
    score: float | None = None,
) -> Entry:
    plain = Statement("what", {"zh": "改动 1 个文件。", "en": "1 file changed."}, (f"commit:{one.sha}",))
    return Entry(
        one,
        Reading(one.sha, areas={"code": 1}, components=("engine",), findings=tuple(findings)),
        "fix",
        Importance(level, SCORES[level] if score is None else score),
        breaking=any(f.breaking for f in findings),
        statements=tuple(statements) or (plain,),
    )


def repository(entries: Sequence[Entry], name: str = "acme/engine") -> RepoReport:
    repo = Repo(name, f"https://github.com/{name}", f"/nowhere/{name}")
    return RepoReport(repo, "main", entries[0].change.sha if entries else None, tuple(entries), in_git=len(entries))


def report(*repos: RepoReport) -> Judgement:
    return Judgement(WINDOW, "0", ("zh", "en"), tuple(repos))

"""Small reports made by hand: one repository with everything, one quiet, one that could not be had."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange, Repo, Skipped, Window
from daybreak.core.model.day import Action
from daybreak.core.model.findings import Alias, Finding, Hunk, Reading
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding, Importance, Kind, Level, Reason, Statement, Text
from daybreak.judge.interface import Judgement

HERE = Path(__file__).parent
ZONE = "Asia/Shanghai"
DAY = datetime(2026, 1, 19, tzinfo=ZoneInfo(ZONE))
PATCH = "@@ -1,2 +1,2 @@ def f():\n-    return 1\n+    return 2\n     # end"

FENCED = "@@ -1,3 +1,3 @@\n ```python\n-x = 1\n+x = 2\n ```"


def window(label: str = "2026-01-19", *, zone: str = ZONE, open_: bool = False) -> Window:
    since = datetime.fromisoformat(label).replace(tzinfo=ZoneInfo(zone))
    until = (since.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=ZoneInfo(zone))
    return Window(since, until, zone, label, open_)


def repo(name: str = "acme/engine") -> Repo:
    return Repo(name, f"https://github.com/{name}", f"/git/{name}")


def sha(number: int) -> str:
    """Forty digits, and the first nine tell numbers apart."""
    return f"{number:08x}a" + f"{number:031x}"


def both(zh: str, en: str) -> Text:
    return {"zh": zh, "en": en}


def file(path: str = "engine/core.py", added: int = 1, deleted: int = 1, patch: str = PATCH) -> FileChange:
    return FileChange(path, "M", None, added, deleted, patch=patch)


def change(
    number: int,
    subject: str = "Fix the scheduler",
    *,
    pr: int | None = None,
    files: tuple[FileChange, ...] | None = None,
    at: datetime | None = None,
    **more: object,
) -> Change:
    files = (file(),) if files is None else files
    moment = at or DAY + timedelta(hours=20, minutes=-number)
    base = Change(
        repo="acme/engine",
        sha=sha(number),
        parents=(sha(number + 1),),
        author="Ada L.",
        authored_at=moment,
        committed_at=moment,
        subject=subject,
        body="",
        pr=pr,
        files=files,
        files_total=len(files),
        added=sum(f.added for f in files),
        deleted=sum(f.deleted for f in files),
    )
    return replace(base, **more)


def entry(of: Change, level: Level = "low", kind: Kind = "fix", *, hunk: str | None = None, **more: object) -> Entry:
    path = of.files[0].path if of.files else "engine/core.py"
    hunks = (Hunk(path, PATCH if hunk is None else hunk),) if of.files else ()
    said = Statement(
        "what", both("`f` 的返回值由 `1` 改为 `2`", "`f` now returns `2` instead of `1`"), (f"commit:{of.sha}",)
    )
    reason = Reason("code", both("改动运行时代码", "changes code that runs"))
    score = {"high": 0.9, "medium": 0.5, "low": 0.1}[level]
    base = Entry(
        of,
        Reading(of.sha, {"code": 1}, ("engine",), (), hunks),
        kind,
        Importance(level, score, (reason,)),
        statements=(said,),
    )
    return replace(base, **more)


def finding(of: Change) -> Finding:
    return Finding(
        f"{of.sha[:12]}/1",
        "cli_choice_removed",
        "engine/core.py",
        1,
        "--backend",
        "a",
        None,
        True,
        Alias("none"),
        "pin",
    )


def busy() -> RepoReport:
    """High, medium, low, filtered, merge, empty, unreadable, late, a story and a rewritten branch."""
    high = entry(change(1, "Rename --backend values (#101)", pr=101), "high", breaking=True, released="v1.2.0")
    high = _with_finding(high)
    plain = entry(
        change(2, "Change the default of flashinfer", files=(file("README.rst", patch=FENCED),)),
        "high",
        "feature",
        hunk=FENCED,
    )
    medium = entry(change(3, "Fix KV events (#103)", pr=103), "medium", story="s1")
    merge = entry(
        change(4, "Merge pull request #104 from acme/x", pr=104, merged=tuple(map(sha, range(40, 48)))), "medium"
    )
    low = entry(change(5, "docs: **read** me @ada #7 (#105)", pr=105), "low", "docs")
    empty = entry(change(6, "Trigger CI", files=(), empty=True), "low", "ci")
    filtered = entry(change(7, "Update website", filtered=True), "low", "docs")
    unread = entry(change(8, "Add weights", files=(), skipped="the patch could not be read"), "low", "other")
    late = entry(change(30, "Old fix (#99)", pr=99, at=DAY - timedelta(days=2)), "medium")
    story = Story(
        "s1",
        "fixup",
        (sha(50), late.change.sha, medium.change.sha),
        both("已恢复", "restored"),
        (DAY, DAY + timedelta(hours=2)),
    )
    entries = (high, plain, medium, merge, low, empty, filtered, unread)
    about = Statement("what", both("以修复为主", "mostly fixes"), ("repo:acme/engine",))
    return RepoReport(
        repo(),
        "main",
        high.change.sha,
        entries,
        (late,),
        (story,),
        (about,),
        in_git=len(entries),
        rewritten=sha(77),
        skipped=(Skipped(f"acme/engine {unread.change.short}", "the patch could not be read"),),
        grounding=Grounding(8, 6, 2, {"unknown_evidence": 2}),
    )


def _with_finding(of: Entry) -> Entry:
    return replace(of, reading=replace(of.reading, findings=(finding(of.change),)))


def quiet() -> RepoReport:
    return RepoReport(repo("acme/quiet"), "main", sha(900), in_git=0)


def lost() -> RepoReport:
    return RepoReport(repo("acme/lost"), None, None, skipped=(Skipped("acme/lost", "the repository does not answer"),))


def report(*repos: RepoReport, languages: tuple[str, ...] = ("zh", "en"), open_: bool = False) -> Judgement:
    repos = repos or (busy(), quiet(), lost())
    first = next((e for r in repos for e in r.entries), None)
    actions: tuple[Action, ...] = ()
    summary: tuple[Statement, ...] = ()
    if first:
        actions = (
            Action(
                "acme/engine",
                (first.change.sha,),
                both("`--backend` 的旧取值 `a` 被移除", "value `a` of `--backend` is gone"),
            ),
        )
        summary = (
            Statement(
                "what",
                both("共一处破坏性变更，见 `README.md`", "one breaking change, see `README.md`"),
                (f"commit:{first.change.sha}",),
            ),
        )
    return Judgement(
        window(open_=open_),
        "0.1.0",
        languages,
        repos,
        actions,
        summary,
        (),
        Grounding(9, 7, 2, {"unknown_evidence": 2}),
    )

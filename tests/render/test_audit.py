"""The independent auditor finds nothing false in a report on a real git repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.items import Activity
from daybreak.core.model.links import ForgeDay, Link, ReleaseReading, commit_id, pull_id
from daybreak.core.model.report import Page, RepoReport
from daybreak.core.model.statements import Level
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.index import day_line, render_index
from daybreak.report.render.markdown import data_page, markdown_pages
from render import factory, forge_factory

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "tools" / "audit_report.py"
AUDITOR = Path(os.environ.get("DAYBREAK_AUDITOR", BESIDE))

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not AUDITOR.exists(), reason=f"the auditor is not at {AUDITOR} (set DAYBREAK_AUDITOR)"),
]

SUBJECTS = [
    "Rename --backend values (#101)",
    "Handle no changes (#102)",
    "Bump flashinfer and acme/other#5 to 0.3",
    "Fix `a/b.py` | <T> & *x* __init__ $HOME @ada :tada: (#1) (#103)",
    'Emit {"files": []} when body_truncated',
    "deadbeef1",
    "See https://evil.example and www.evil.example （未闭合",
    "Merge pull request #7 from acme/flashinfer",
    "[1/N] 支持 MLA：无更新时跳过 (#104)",
]


class Upstream:
    """A repository made with fixed dates, bare, where the auditor looks for it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.work, self.bare = folder / "work", folder / "mirrors" / name.replace("/", "+") / "repo"
        self.work.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *args: str, when: datetime | None = None) -> str:
        date = (when or factory.DAY).isoformat()
        names = {
            f"GIT_{who}_{what}": value
            for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "Ada | L."), ("EMAIL", "a@b.example"), ("DATE", date))
        }
        sealed = {"PATH": os.environ["PATH"], "HOME": str(self.work), "GIT_CONFIG_NOSYSTEM": "1"}
        out = subprocess.run(
            ["git", *args], cwd=self.work, env=sealed | names, capture_output=True, text=True, check=True
        )
        return out.stdout

    def commit(self, subject: str, when: datetime, path: str = "engine/core.py") -> None:
        file = self.work / path
        file.parent.mkdir(exist_ok=True)
        old = file.read_text(encoding="utf-8") if file.exists() else "".join(f"line {n}\n" for n in range(9))
        head, tail = old[: old.index("line 4")], old[old.index("line 4") :]
        file.write_text(f"{head}new `x` {subject}\n```\n{tail}", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", subject, when=when)

    def publish(self) -> None:
        self.bare.parent.mkdir(parents=True)
        self.git("clone", "-q", "--bare", ".", str(self.bare))

    def change(self, sha: str) -> Change:
        author, moment, subject = self.git("show", "-s", "--format=%an%n%cI%n%s", sha).rstrip("\n").split("\n")
        diff = self.git("show", "-m", "--first-parent", "--format=", "--no-renames", sha)
        files = []
        for part in diff.split("diff --git ")[1:]:
            patch = part[part.index("\n@@") + 1 :].rstrip("\n")
            rows = patch.split("\n")
            added, deleted = (sum(r.startswith(sign) for r in rows) for sign in "+-")
            files.append(FileChange(re.findall(r" b/(\S+)\n", part)[0], "M", added=added, deleted=deleted, patch=patch))
        number = re.search(r"\(#(\d+)\)$", subject)
        return factory.change(
            1, subject, sha=sha, author=author, committed_at=datetime.fromisoformat(moment).astimezone(ZoneInfo(factory.ZONE)),
            pr=int(number[1]) if number else None, files=tuple(files),
        )  # fmt: skip


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path, "acme/engine")
    made.commit("Begin", factory.DAY - timedelta(days=3))
    made.commit("Late fix (#99)", factory.DAY - timedelta(days=1, hours=2))
    for number, subject in enumerate(SUBJECTS):
        made.commit(subject, factory.DAY + timedelta(hours=1 + number))
    made.git("checkout", "-q", "-b", "side", "HEAD~2")
    made.commit("On a side branch", factory.DAY + timedelta(hours=4), "engine/side.py")
    made.git("checkout", "-q", "main")
    made.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side'", "side", when=factory.DAY + timedelta(hours=20))
    made.publish()
    return made


def tell(made: Upstream) -> Judgement:
    shas = made.git("log", "--first-parent", "--format=%H").split()
    levels: list[Level] = ["high", "medium", "low"]
    entries = []
    for number, sha in enumerate(shas[:-2]):
        change = made.change(sha)
        merged = tuple(made.git("rev-list", sha, f"^{sha}^1").split()[1:])
        hunk = change.files[0].patch
        entries.append(factory.entry(replace(change, merged=merged), levels[number % 3], hunk=hunk))
    late = factory.entry(made.change(shas[-2]), "medium")
    repo = RepoReport(factory.repo(), "main", shas[0], tuple(entries), (late,), in_git=len(entries))
    return factory.report(repo)


def audit(folder: Path, mirrors: Path, pages: tuple[Page, ...]) -> str:
    for page in pages:
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, encoding="utf-8")
    files = [str(folder / page.path) for page in pages if page.path.endswith(".md")]
    run = subprocess.run(
        [sys.executable, str(AUDITOR), "--mirrors", str(mirrors), "--list", *files],
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_nothing_false(upstream: Upstream, tmp_path: Path, turn: int) -> None:
    report = tell(upstream)
    repo = report.repos[0]
    turned = tuple(replace(e, importance=repo.entries[(n + turn) % 3].importance) for n, e in enumerate(repo.entries))
    report = factory.report(replace(repo, entries=turned))
    pages = (
        *markdown_pages(day_of(report)),
        data_page(day_of(report)),
        *render_index([day_line(day_of(report))], ("zh", "en")),
    )
    out = audit(tmp_path / "out", upstream.bare.parent.parent, pages)
    assert re.findall(r"(?m)^    line .*$", out) == []
    total = out[out.index("== all") :]
    for kind in (
        "table row: time, subject",
        "heading = subject",
        "snippet stands in the diff",
        "commit of the day is listed",
    ):
        assert int(re.search(rf"{kind} +checked +(\d+)  false +0", total)[1]) > 0, kind  # type: ignore[index]


def test_nothing_false_with_a_forge(upstream: Upstream, tmp_path: Path) -> None:
    report = tell(upstream)
    by_pull = {e.change.pr: e.change.sha for e in report.entries if e.change.pr}
    base, name = forge_factory.engine_forge(), forge_factory.ENGINE
    links = [Link("brings", pull_id(name, n), commit_id(sha), ()) for n, sha in by_pull.items()]
    causes = [replace(x, target=commit_id(by_pull[101])) for x in base.links if x.kind == "caused_by"]
    fixes = [x for x in base.links if x.kind == "fixes"]
    held = (ReleaseReading(name, "v1.2.0", tuple(by_pull.values())),)
    forge = replace(base, links=(*links, *fixes, *causes), releases=held)
    bump = replace(forge_factory.across().bumps[0], sha=by_pull[102], between=(by_pull[103],))
    story = replace(forge_factory.across().stories[0], commits=(by_pull[102],))
    mention = Link("mentions", pull_id(name, 120), f"repo:{forge_factory.KERNELS}", (pull_id(name, 120),))
    across = replace(forge_factory.across(), links=(mention,), bumps=(bump,), stories=(story,))
    quiet = Activity(forge_factory.KERNELS, releases=(forge_factory.release(),))
    day = ForgeDay((forge_factory.engine_activity(), quiet), (forge,), across)
    report = replace(report, forge=day)
    pages = markdown_pages(day_of(report))
    out = audit(tmp_path / "out", upstream.bare.parent.parent, (*pages, data_page(day_of(report)), *_index(report)))
    assert re.findall(r"(?m)^    line .*$", out) == []
    assert "新 Issue" in pages[0].text
    assert "跨项目联动" in pages[0].text


def _index(report: Judgement) -> tuple[Page, ...]:
    return render_index([day_line(day_of(report))], ("zh", "en"))

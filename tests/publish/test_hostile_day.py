"""A whole day of hostile commits, through the program: in the post and in the commit nothing of it takes effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.cli import main
from daybreak.deliver.publish.folder import Links
from daybreak.deliver.publish.neutralise import disarmed
from gitrepo import GitRepo
from publish.github_marks import found_in
from publish.payloads import PAYLOADS
from publish.posts_server import LONGEST, Posts

DAY = "2026-01-19"
CONFIG = """
timezone = "UTC"
[[repo]]
name = "acme/engine"
git = "../upstream.git"
[github]
api = "{api}"
[publish]
git = "../news.git"
github_issue = "us/news"
"""


def hostile_upstream(path: Path) -> None:
    """Subjects, bodies, authors, paths and contents are payloads."""
    upstream = GitRepo.make(path)
    upstream.commit("First", {"a.py": 'parser.add_argument("--size", default=0)\n'}, at="2026-01-18T10:00:00")
    for n, payload in enumerate(PAYLOADS):
        name = payload.replace("/", "_").replace("\n", " ")[:60]
        content = f'parser.add_argument("--size", default={n + 1}, help="""{payload}""")\n'
        upstream.commit(
            f"{payload}\n\n{payload}\n",
            {"a.py": content, f"d{n}/{name}.py": f"# {payload}\nx = {n}\n"},
            at=f"{DAY}T{n // 60:02}:{n % 60:02}:00",
            author=payload.replace("\n", " ").translate({60: None, 62: None}),
        )


def test_a_day_of_hostile_commits_takes_no_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile_upstream(tmp_path / "upstream.git")
    news = GitRepo.make(tmp_path / "news.git")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setenv("GITHUB_TOKEN", "ghp_" + "Zt9" * 12)
    with Posts() as posts:
        (folder / "daybreak.toml").write_text(CONFIG.format(api=posts.url), encoding="utf-8")
        assert main(["run", "--config", str(folder / "daybreak.toml"), "--date", DAY, "--quiet"]) == 0
        (issue,) = posts.of("issue")
    assert issue.body.startswith(f"<!-- daybreak.issue/1 {DAY} -->\n")
    assert found_in(issue.body.partition("\n")[2]) == []
    assert len(issue.body) <= LONGEST
    assert news.text("log", "-1", "--format=%B|%an|%ae", "reports") == (
        f"Daybreak report of {DAY}\n|Daybreak|daybreak@example.invalid"
    )
    page = (folder / "reports" / f"{DAY}.en.md").read_text(encoding="utf-8")
    assert sum(payload.splitlines()[0][:12] in page for payload in PAYLOADS) > 10, "the payloads are there"
    assert found_in(disarmed(page.partition("\n")[2], Links("zh"))) == []

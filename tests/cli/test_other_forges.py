"""Repositories that do not live on GitHub: merge requests are linked where their forge has them, and titled by their title."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.place import DAY
from daybreak.core.model.changes import pull_path
from gitrepo import GitRepo
from program import run

MERGES = {
    "gitlab.acme.example": (
        "Merge branch 'x' into 'main'\n\nAdd a gate\n\nSee merge request a/b!7",
        "-/merge_requests/7",
    ),
    "gitee.com": ("!7 Add a gate\n\nMerge pull request !7 from ann/gate", "pulls/7"),
    "gitee.com:443": ("!7 Add a gate\nMerge pull request !7 from ann/gate", "pulls/7"),
    "gitlab.com": (
        "Add a gate (#12)\n\nSee merge request a/b!7",
        "-/merge_requests/7",
    ),
    "github.com": ("Merge pull request #7 from ann/gate\n\nAdd a gate", "pull/7"),
}


@pytest.mark.parametrize("host", MERGES)
def test_a_merge_request_is_linked_and_titled_as_its_forge_has_it(tmp_path: Path, host: str) -> None:
    message, path = MERGES[host]
    repo = GitRepo.make(tmp_path / "upstream")
    first = repo.commit("Begin", {"a.py": "x = 1\n"}, at="2026-01-18T10:00:00")
    side = repo.commit("Work", {"a.py": "x = 2\n"}, at=f"{DAY}T10:00:00", branch="side", parents=[first])
    repo.commit(message, {"a.py": "x = 2\n"}, at=f"{DAY}T11:00:00", parents=[first, side], branch="main")
    settings = 'timezone = "UTC"\nlanguages = ["en"]\n[github]\nask = false\n[[repo]]\nname = "a/b"\ngit = "upstream"\n'
    (tmp_path / "daybreak.toml").write_text(f'{settings}url = "https://{host}/a/b"\n', encoding="utf-8")
    done = run("run", "--date", DAY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    assert f"(https://{host}/a/b/{path})" in page
    assert "Add a gate" in page
    assert "Merge branch" not in page
    assert "Merge pull request" not in page


def test_a_host_that_says_nothing_is_taken_for_githubs_like() -> None:
    assert pull_path("https://git.acme.example/a/b") == "pull"
    assert pull_path("https://codeberg.org/a/b") == "pulls"
    assert pull_path("https://bitbucket.org/gitlab/b") == "pull-requests"

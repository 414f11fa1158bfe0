"""`daybreak show` of one change: by the names under which people copy it, with the grade of its report."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cli.place import DAY, Place
from daybreak.cli import main
from gitrepo import GitRepo


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the command in the same process: (exit code, stdout, stderr)."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["show", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def upstream(repo: GitRepo) -> GitRepo:
    repo.commit("Start (#1)", {"a.py": "x = 1\n"}, at="2026-01-01T10:00:00")
    repo.commit("Raise it (#3)", {"a.py": "x = 2\n"}, at="2026-01-03T10:00:00")
    return repo


def at(upstream: GitRepo) -> list[str]:
    return ["--git", str(upstream.path), "--repo", "acme/engine"]


def test_a_change_has_the_grade_of_its_report(place: Place, said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    assert place.run("run", "--date", DAY).returncode == 0
    path = place.folder / "reports" / f"{DAY}.json"
    sha = place.upstream.oid("main")
    day = json.loads(path.read_text("utf-8"))
    reason = {"code": "undone", "text": {"en": "taken back the same day"}}
    day["repos"][0]["commits"][0]["importance"] = {"level": "low", "score": 0.1, "reasons": [reason]}
    path.write_text(json.dumps(day), "utf-8")
    out = said(sha)[1]
    assert f"graded as in the report of {DAY}" in out
    assert "low" in out
    assert "· taken back the same day" in out
    row = json.loads(said(sha, "--json")[1])
    assert (row["importance"], row["score"], row["reported"]) == ("low", 0.1, DAY)
    path.unlink()
    assert "graded by itself" in said(sha)[1]
    assert json.loads(said(sha, "--json")[1])["reported"] is None


def test_what_the_report_says_of_a_change_without_a_finding_is_said_here_too(
    place: Place, said: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    sha = place.upstream.commit("Fix a wrong sum (#4)", {"pkg/note.md": "Sums were wrong.\n"}, at=f"{DAY}T12:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    path = place.folder / "reports" / f"{DAY}.json"
    day = json.loads(path.read_text("utf-8"))
    (commit,) = (one for one in day["repos"][0]["commits"] if one["sha"] == sha)
    commit["statements"] = [{"role": "what", "text": {"en": "Told in the report."}, "evidence": [f"commit:{sha}"]}]
    path.write_text(json.dumps(day), "utf-8")
    assert "  Told in the report.\n" in said(sha)[1]


@pytest.mark.parametrize(
    "what",
    [
        "acme/engine#3",
        "https://github.com/acme/engine/pull/3/files",
        "https://git.example/acme/engine/-/merge_requests/3",
        "Acme/Engine#3",
        "https://github.com/acme/engine/pull/3#issuecomment-1",
    ],
)
def test_a_change_is_found_as_people_copy_it(upstream: GitRepo, said: Any, what: str) -> None:
    code, out, _ = said(*at(upstream), what)
    assert code == 0
    assert "Raise it (#3)" in out


def test_a_commit_is_found_by_its_address(upstream: GitRepo, said: Any) -> None:
    sha = upstream.oid("main")
    for what in (f"acme/engine@{sha[:9]}", f"https://github.com/acme/engine/-/commit/{sha}"):
        assert "Raise it (#3)" in said("--git", str(upstream.path), what)[1]


def test_a_change_of_another_repository_than_the_named_one_is_refused(upstream: GitRepo, said: Any) -> None:
    code, _, err = said(*at(upstream), "acme/other#3")
    assert code == 2
    assert "is of another repository than acme/engine" in err

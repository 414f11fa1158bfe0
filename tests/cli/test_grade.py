"""`daybreak grade` as a user runs it: a row for every line, the commit and its ancestors alone, errors in one sentence."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import program
from gitrepo import GitRepo


@pytest.fixture
def upstream(repo: GitRepo) -> GitRepo:
    repo.commit("Start", {"engine/server_args.py": 'p.add_argument("--kv")\np.add_argument("--tp")\n'})
    repo.commit("Tidy arguments", {"engine/server_args.py": 'p.add_argument("--tp")\n'})
    repo.commit("[CI] Fix job", {".github/workflows/a.yml": "on: push\n"})
    return repo


def shas(upstream: GitRepo) -> list[str]:
    command = ["git", "-C", str(upstream.path), "rev-list", "--all"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def run(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return program.run("grade", *arguments, cwd=folder, stdin=stdin)


def rows(said: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in said.stdout.splitlines()]


def test_grades_from_stdin_in_any_repository(upstream: GitRepo, tmp_path: Path) -> None:
    ci, tidy, _ = shas(upstream)
    said = run(tmp_path, "acme/engine", "--git", str(upstream.path), "--commits", "-", stdin=f"{tidy[:8]}\n\n{ci}\n")
    assert said.returncode == 0, said.stderr
    first, second = rows(said)
    assert (first["sha"], first["repo"], first["breaking"]) == (tidy, "acme/engine", True)
    assert "cli_flag_removed" in [f["kind"] for f in first["findings"]]
    assert (second["sha"], second["importance"], second["kind"]) == (ci, "low", "ci")
    assert {"repo", "sha", "importance", "score", "breaking", "kind", "findings"} <= first.keys()


def test_a_row_for_every_line_readable_or_not(upstream: GitRepo, tmp_path: Path) -> None:
    newest = shas(upstream)[0]
    names = [newest, "f" * 40, "HEAD", "deadbeef", newest]
    (tmp_path / "list").write_text("\n".join(names), "utf-8")
    said = run(tmp_path, "acme/engine", "--git", str(upstream.path), "--commits", "list")
    assert said.returncode == 3
    assert [row["sha"] for row in rows(said)] == names
    assert [bool(row.get("skipped")) for row in rows(said)] == [False, True, True, True, False]


def test_a_repository_of_the_watchlist(upstream: GitRepo, tmp_path: Path) -> None:
    config = f'timezone = "UTC"\n[[repo]]\nname = "acme/engine"\ngit = "{upstream.path}"\n'
    (tmp_path / "daybreak.toml").write_text(config, "utf-8")
    said = run(tmp_path, "acme/engine", "--commits", "-", stdin=shas(upstream)[1])
    assert (said.returncode, len(rows(said))) == (0, 1)
    again = run(tmp_path, "acme/engine", "--commits", "-", "--offline", stdin=shas(upstream)[1])
    assert again.stdout == said.stdout


def test_later_commits_and_tags_change_nothing(upstream: GitRepo, tmp_path: Path) -> None:
    tidy = shas(upstream)[1]
    before = run(tmp_path, "acme/engine", "--git", str(upstream.path), "--commits", "-", stdin=tidy)
    upstream.commit('Revert "Tidy arguments"', {"engine/server_args.py": 'p.add_argument("--kv")\n'})
    subprocess.run(["git", "-C", str(upstream.path), "tag", "v1.0", tidy], check=True)
    assert (
        run(tmp_path, "acme/engine", "--git", str(upstream.path), "--commits", "-", stdin=tidy).stdout == before.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("acme/engine", "--commits", "-"), "There is no daybreak.toml"),
        (("acme/engine", "--git", "/nowhere", "--commits", "-"), "/nowhere"),
        (("acme/engine", "--git", "/nowhere", "--commits", "none.txt"), "none.txt cannot be read"),
        (("acme/engine", "--git", "-x", "--commits", "-"), "expected one argument"),
    ],
)
def test_errors_are_one_sentence_and_a_tip(arguments: tuple[str, ...], words: str, tmp_path: Path) -> None:
    said = run(tmp_path, *arguments, stdin="a" * 40)
    assert said.returncode in (1, 2)
    assert words.lower() in said.stderr.lower()
    assert "tip:" in said.stderr
    assert "Traceback" not in said.stderr
    assert said.stdout == ""

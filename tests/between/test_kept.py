"""A tree is searched once for the same words; what is kept of it never changes what is found."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from between.looked import ENGINE, KERNELS, TODAY, Watched, moment
from daybreak.core.errors import GitError, Interrupted
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.judge.cross_repo.trees import Opened, Tree

NEEDS = '[project]\nname = "engine"\ndependencies = ["tilekernels==1.0"]\n'
USE = "from tilekernels.ops import plan_tables\n"
WORDS = (["from tilekernels", "import tilekernels"], ("*.py",), [frozenset({"plan_tables"})])


class CountedTree(Tree):
    """Knows how often git was asked to search."""

    searches = 0

    def _grep(self, how: Sequence[str], words: Sequence[str], patterns: Sequence[str]) -> bytes:
        type(self).searches += 1
        return super()._grep(how, words, patterns)


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    monkeypatch.setattr(CountedTree, "searches", 0)
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    made.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    return made


def tree(watched: Watched, found: Found | None, commit: str = "refs/heads/main") -> CountedTree:
    engine = watched.repos[ENGINE]
    return CountedTree(watched.git, Opened(engine.path, found=found), engine.oid(commit))


def test_the_same_question_about_the_same_commit_is_asked_of_git_once(watched: Watched, tmp_path: Path) -> None:
    found = Found(tmp_path / "kept")
    first = tree(watched, found).using(*WORDS)
    lines = tree(watched, found).lines_with(["tilekernels"], ["pyproject.toml"])
    assert CountedTree.searches == 2
    assert first == tree(watched, found).using(*WORDS) == (["engine/run.py"], 0)
    assert lines == tree(watched, found).lines_with(["tilekernels"], ["pyproject.toml"])
    assert CountedTree.searches == 2


def test_other_words_other_files_and_another_commit_are_asked_for(watched: Watched, tmp_path: Path) -> None:
    found, (signs, patterns, needed) = Found(tmp_path / "kept"), WORDS
    tree(watched, found).using(*WORDS)
    assert tree(watched, found).using(signs, patterns, [frozenset({"run_tables"})]) == ([], 0)
    assert tree(watched, found).using(signs, ("*.toml",), needed) == ([], 0)
    assert tree(watched, found).using(["import tilekernels"], patterns, needed) == ([], 0)
    watched.repos[ENGINE].commit("More", {"engine/more.py": USE}, at=TODAY)
    assert tree(watched, found).using(*WORDS) == (["engine/more.py", "engine/run.py"], 0)
    assert CountedTree.searches == 5


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 200])
def test_an_answer_that_was_damaged_is_asked_for_again(watched: Watched, tmp_path: Path, damage: bytes) -> None:
    found = Found(tmp_path / "kept")
    first = tree(watched, found).using(*WORDS)
    [path] = (tmp_path / "kept").iterdir()
    path.write_bytes(damage)
    assert tree(watched, found).using(*WORDS) == first
    assert CountedTree.searches == 2


def test_an_answer_that_lacks_contents_is_not_kept(watched: Watched, tmp_path: Path) -> None:
    """They may be there the next time."""
    engine, found = watched.repos[ENGINE], Found(tmp_path / "kept")
    engine.lose(engine.oid("refs/heads/main:engine/run.py"))
    looked = tree(watched, found)
    assert looked.using(*WORDS) == ([], 0)
    assert looked.unread == 1
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize("ended", ["grep", "cat-file"])
@pytest.mark.parametrize("how", ["INT", "KILL"])
def test_a_git_that_was_killed_leaves_nothing_that_the_next_run_takes_for_all(
    watched: Watched, tmp_path: Path, ended: str, how: str
) -> None:
    program = tmp_path / "git"
    program.write_text(
        f'#!/bin/sh\ncase "$*" in *" {ended} "*) kill -{how} $$;; esac\nexec git "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    healthy, found = tree(watched, Found(tmp_path / "kept")), Found(tmp_path / "kept")
    killed = CountedTree(Git(healthy.git.environment, str(program)), healthy.opened, healthy.commit)
    with suppress(GitError, Interrupted):
        killed.using(*WORDS)
    assert tree(watched, found).using(*WORDS) == (["engine/run.py"], 0)


def test_a_folder_that_cannot_be_written_costs_speed_alone(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = Found(tmp_path / "file" / "kept")
    assert tree(watched, found).using(*WORDS) == tree(watched, found).using(*WORDS) == (["engine/run.py"], 0)


def test_no_more_answers_are_kept_than_said(tmp_path: Path) -> None:
    found = Found(tmp_path / "kept", most=3)
    for number in range(8):
        found.put(["question", str(number)], b"answer")
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert found.get(["question", "7"]) == b"answer"


def test_a_run_finds_the_same_with_what_an_earlier_one_kept(tmp_path: Path) -> None:
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    before = "def plan_tables(rows):\n    return rows\n\n\ndef run_tables(rows):\n    return rows\n"
    made.repos[KERNELS].commit("Begin", {"tilekernels/ops.py": before}, at=moment(30))
    made.repos[KERNELS].commit("Drop", {"tilekernels/ops.py": before.split("\n\n\n")[1]}, at=TODAY)
    made.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    plain, _ = made.looked()
    first, _ = made.looked(kept=tmp_path / "kept")
    again, skipped = made.looked(kept=tmp_path / "kept")
    assert plain[ENGINE].uses == first[ENGINE].uses == again[ENGINE].uses != ()
    assert skipped == {}
    # Now what was found cannot be read: it is counted, and nothing is made up.
    engine = made.repos[ENGINE]
    engine.lose(engine.oid("refs/heads/main:engine/run.py"))
    without, skipped = made.looked(kept=tmp_path / "kept")
    assert without[ENGINE].uses == ()
    assert [one.what for one in skipped[ENGINE]] == [f"{ENGINE} at its head"]

"""A tree near one that was asked is listed and searched in what differs alone, with the answers of the whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.git_program import Git
from daybreak.findings import near_trees
from daybreak.findings.trees import GitTrees, Where
from gitrepo import GitRepo

PYTHON = Where(endings=(".py",), without=("tests",))
TEXTS = ("tools import", "class Base(")


def history(repo: GitRepo) -> list[str]:
    """Commits that add, alter, move and remove what the texts stand in, one of them under a name that is not ASCII."""
    use = "from pkg.tools import one\n"
    return [
        repo.commit("one", {"pkg/b.py": use, "pkg/tests/t.py": use, "pkg/z.py": f"import os\n{use}{use}"}),
        repo.commit("two", {"pkg/a.py": "class Base(Some):\n", "pkg/b.py": f"# more\n{use}"}),
        repo.commit("three", {"pkg/ü.py": use, "pkg/z.py": "import os\n"}),
        repo.commit("four", {"pkg/a.py": None, "pkg/c.txt": use}),
        repo.commit("five", {"pkg-more/a.py": "class Base(Some): pass  # tools import\n"}),
    ]


def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The gits that are started from now on."""
    told: list[tuple[str, ...]] = []
    run = Git.run

    def noted(self: Git, *args: str, **how: Any) -> bytes:
        told.append(args)
        return run(self, *args, **how)

    monkeypatch.setattr(Git, "run", noted)
    return told


def whole(path: Path, commit: str, texts: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """What somebody is told who asks of nothing else."""
    return list(GitTrees(Git(dict(os.environ)), path).lines([commit], texts, PYTHON) or ())


def test_a_neighbour_has_the_lines_that_a_search_of_all_of_it_finds(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = history(repo)
    order = [*commits, *reversed(commits)]
    expected = [whole(repo.path, commit, TEXTS) for commit in order]
    trees, told = GitTrees(Git(dict(os.environ)), repo.path), asked(monkeypatch)
    assert [list(trees.lines([commit], TEXTS, PYTHON) or ()) for commit in order] == expected
    searches = [args for args in told if args[0] == "grep"]
    assert sum("*.py" in args for args in searches) == 1
    assert [(path, line) for _, path, line in expected[4]] == [
        ("pkg-more/a.py", "class Base(Some): pass  # tools import"),
        ("pkg/b.py", "from pkg.tools import one"),
        ("pkg/ü.py", "from pkg.tools import one"),
    ]


def test_a_text_that_was_not_asked_before_is_searched_everywhere(repo: GitRepo) -> None:
    first, *_, last = history(repo)
    trees = GitTrees(Git(dict(os.environ)), repo.path)
    assert trees.lines([first], TEXTS[:1], PYTHON)
    assert trees.lines([last], TEXTS, PYTHON) == whole(repo.path, last, TEXTS)


def test_a_tree_that_is_far_away_is_searched_whole(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_trees, "_FILES", 1)
    commits = history(repo)
    trees = GitTrees(Git(dict(os.environ)), repo.path)
    for commit in commits:
        assert trees.lines([commit], TEXTS, PYTHON) == whole(repo.path, commit, TEXTS)
        assert trees.files(commit) == GitTrees(Git(dict(os.environ)), repo.path).files(commit)


def test_a_neighbour_has_the_files_that_git_lists(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = history(repo)
    expected = [list(GitTrees(Git(dict(os.environ)), repo.path).files(commit).items()) for commit in commits]
    trees, told = GitTrees(Git(dict(os.environ)), repo.path), asked(monkeypatch)
    assert [list(trees.files(commit).items()) for commit in commits] == expected
    assert [args[0] for args in told].count("ls-tree") == 1


def test_a_commit_that_is_not_there_has_no_answer(repo: GitRepo) -> None:
    first, *_ = history(repo)
    trees = GitTrees(Git(dict(os.environ)), repo.path)
    assert trees.lines([first], TEXTS, PYTHON)
    assert trees.lines(["0" * 39 + "1"], TEXTS, PYTHON) is None


def test_many_texts_are_found_where_each_alone_is(repo: GitRepo) -> None:
    """git looks for many at once in another way; of texts that begin at one place the longest is told both times."""
    signs = [
        "a.b",
        "[x]",
        "f(1)",
        "p|q",
        "^t$",
        "a*+?",
        "{2,3}",
        "back\\slash",
        '"quoted"',
        "lo",
        "long",
        "longer",
        "ü.x",
    ]
    files = {f"pkg/f{n}.py": f"# {text} and {text[::-1]}\n" for n, text in enumerate(signs)}
    sha = repo.commit("one", {**files, "pkg/other.py": "axb x ff1 pq longest\n"})
    trees = GitTrees(Git(dict(os.environ)), repo.path)
    many = [*signs, *(f"absent{n}" for n in range(60))]
    assert len(many) > len(signs)
    few = list(trees.matches([sha], signs, PYTHON) or ())
    assert {text for *_, text in few} == {*signs}
    assert list(trees.matches([sha], many, PYTHON) or ()) == few

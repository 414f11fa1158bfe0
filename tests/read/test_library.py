"""Two whole trees in a real repository: Python is told by the trees, everything else by the hunks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change
from daybreak.findings.languages.base import Fact
from daybreak.findings.trees import GitTrees
from daybreak.findings.whole_trees import widened
from gitrepo import GitRepo, clean_environment, link

NOBODY = datetime.fromtimestamp(0, UTC)
GUESS = Fact("function_removed", "pkg/core.py", 1, "guess", "def guess():", None, True)
FLAG = Fact("cli_flag_removed", "pkg/cli.py", 1, "--x", "--x", None, True)
SHELL = Fact("function_removed", "run.sh", 1, "go", "go()", None, False)


def told(tmp_path: Path, after: Mapping[str, object], lost: str = "") -> set[tuple[str, str]]:
    repo = GitRepo.make(tmp_path / "r.git")
    old = repo.commit("old", {"pkg/__init__.py": "from ._in import run\n", "pkg/_in.py": "def run(a): pass\n"})
    new = repo.commit("new", dict(after))  # type: ignore[arg-type]
    if lost:
        repo.lose(repo.oid(f"{new}:{lost}"))
    change = Change("o/r", new, (old,), "", NOBODY, NOBODY, "", "")
    found = widened(GitTrees(Git(clean_environment(tmp_path)), repo.path), change, {GUESS, FLAG, SHELL})
    return {(fact.kind, fact.symbol) for fact in found}


def test_what_the_trees_say_stands_in_place_of_what_the_hunks_said(tmp_path: Path) -> None:
    found = told(tmp_path, {"pkg/_in.py": "def run(a, b): pass\n"})
    assert found == {("parameter_required_added", "run(b)"), ("cli_flag_removed", "--x"), ("function_removed", "go")}


def test_of_a_project_whose_users_are_known_the_hunks_decide(tmp_path: Path) -> None:
    found = told(
        tmp_path, {"pkg/_in.py": "def run(a, b): pass\n", "vllm/__init__.py": "", "vllm/outputs.py": "x = 1\n"}
    )
    assert found == {("function_removed", "guess"), ("cli_flag_removed", "--x"), ("function_removed", "go")}


def test_a_link_is_no_source(tmp_path: Path) -> None:
    assert ("module_removed", "pkg.link") not in told(tmp_path, {"pkg/link.py": link("../secret.py")})


@pytest.mark.parametrize("name", ["pkg/na\u00efve file.py", "pkg/tab\tname.py"])
def test_odd_file_names_are_read(tmp_path: Path, name: str) -> None:
    assert ("function_removed", "guess") not in told(tmp_path, {name: "x = 1\n"})


def test_an_object_that_is_missing_costs_its_file_alone(tmp_path: Path) -> None:
    found = told(tmp_path, {"pkg/_in.py": "def run(a, b): pass\n", "pkg/more.py": "x = 2\n"}, lost="pkg/more.py")
    assert ("parameter_required_added", "run(b)") in found


def test_a_first_commit_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    change = Change("o/r", "0" * 40, (), "", NOBODY, NOBODY, "", "")
    assert widened(GitTrees(Git(clean_environment(tmp_path)), tmp_path), change, {GUESS}) == {GUESS}


def test_a_repository_that_cannot_be_read_leaves_what_the_hunks_said(tmp_path: Path) -> None:
    change = Change("o/r", "1" * 40, ("2" * 40,), "", NOBODY, NOBODY, "", "")
    assert widened(GitTrees(Git(clean_environment(tmp_path)), tmp_path), change, {GUESS}) == {GUESS}

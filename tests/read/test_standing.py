"""A removed name is looked up in the whole tree, with real git."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.history import HistoryReader
from daybreak.gitobjects import Git
from daybreak.read.languages.base import Fact
from daybreak.read.standing import confirmed
from gitrepo import GitRepo

ENV = Fact("env_removed", "engine/envs.py", 3, "ENGINE_FAST", "1", None, breaking=True)
METRIC = Fact("metric_removed", "engine/old_metrics.py", 3, "engine:tokens_total", "x", None, breaking=True)
OPERATOR = Fact("operator_removed", "csrc/a.cpp", 3, "_C::topk", "x", None, breaking=True)
FLAG = Fact("cli_flag_removed", "engine/args.py", 3, "--fast", "--fast", None, breaking=True)


def asked(repo: GitRepo, fact: Fact, before: dict[str, str], after: dict[str, str | None]) -> set[Fact]:
    repo.commit("one", dict(before))
    sha = repo.commit("two", dict(after))
    git = Git(dict(os.environ))
    (change,) = HistoryReader(git, repo.path, "org/project", ZoneInfo("UTC")).read([sha])
    return confirmed(git, Path(repo.path), change, {fact})


USED = {"engine/envs.py": "ENGINE_FAST = 1\n", "engine/run.py": "use(envs.ENGINE_FAST)\n"}


def test_a_variable_that_code_used_and_nobody_uses_now_is_gone(repo: GitRepo) -> None:
    assert asked(repo, ENV, USED, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_variable_that_another_file_still_reads_is_not_gone(repo: GitRepo) -> None:
    before = {**USED, "engine/other.py": 'os.getenv("ENGINE_FAST")\n'}
    assert asked(repo, ENV, before, {"engine/envs.py": ""}) == set()


@pytest.mark.parametrize("line", ["use(envs.ENGINE_FAST)\n", 'raise ValueError("Set ENGINE_FAST=1 instead")\n'])
def test_a_word_about_it_does_not_keep_a_variable_alive(repo: GitRepo, line: str) -> None:
    before = {**USED, "engine/other.py": line}
    assert asked(repo, ENV, before, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_variable_that_only_its_declaration_named_breaks_nobody(repo: GitRepo) -> None:
    (fact,) = asked(repo, ENV, {"engine/envs.py": "ENGINE_FAST = 1\n"}, {"engine/envs.py": ""})
    assert not fact.breaking


@pytest.mark.parametrize("place", ["tests/test_run.py", "docs/run.py", "README.md"])
def test_tests_and_docs_do_not_keep_a_name_alive(repo: GitRepo, place: str) -> None:
    before = {**USED, place: "ENGINE_FAST\n"}
    assert asked(repo, ENV, before, {"engine/envs.py": "", "engine/run.py": "use()\n"}) == {ENV}


def test_a_counter_that_another_file_exports_without_its_suffix_is_not_gone(repo: GitRepo) -> None:
    before = {"engine/old_metrics.py": '"engine:tokens_total"\n', "engine/metrics.py": 'Counter("engine:tokens")\n'}
    assert asked(repo, METRIC, before, {"engine/old_metrics.py": None}) == set()


def test_an_operator_that_another_file_registers_is_not_gone(repo: GitRepo) -> None:
    before = {
        "csrc/a.cpp": 'm.def("topk(Tensor x) -> Tensor");\n',
        "csrc/b.cpp": 'm.def("topk(Tensor x) -> Tensor");\n',
    }
    assert asked(repo, OPERATOR, before, {"csrc/a.cpp": ""}) == set()
    assert asked(repo, OPERATOR, {}, {"csrc/b.cpp": ""}) == {OPERATOR}


def test_flags_are_not_looked_up_since_several_programs_may_have_the_same(repo: GitRepo) -> None:
    before = {"engine/args.py": '"--fast"\n', "bench/args.py": '"--fast"\n'}
    assert asked(repo, FLAG, before, {"engine/args.py": ""}) == {FLAG}


def test_a_tree_that_cannot_be_searched_changes_nothing(repo: GitRepo) -> None:
    repo.commit("one", USED)
    repo.lose(repo.oid("HEAD:engine/run.py"))
    assert asked(repo, ENV, {"other.py": "x\n"}, {"engine/envs.py": ""}) == {ENV}


RENAMED = Fact("env_renamed", "engine/envs.py", 3, "ENG_FAST", "ENG_FAST", "ENGINE_FAST", breaking=True)


def test_a_renamed_variable_whose_old_prefix_is_forwarded_still_works(repo: GitRepo) -> None:
    shim = 'for k in os.environ:\n    if k.startswith("ENG_"):\n        forward(k)\n'
    (fact,) = asked(
        repo, RENAMED, {"engine/envs.py": "ENG_FAST\n", "engine/shim.py": shim}, {"engine/envs.py": "ENGINE_FAST\n"}
    )
    assert not fact.breaking
    assert fact.alias is not None
    assert (fact.alias.status, fact.alias.where) == ("kept", "engine/shim.py")


def test_a_renamed_variable_that_nothing_forwards_is_gone(repo: GitRepo) -> None:
    assert asked(repo, RENAMED, {"engine/envs.py": "ENG_FAST\n"}, {"engine/envs.py": "ENGINE_FAST\n"}) == {RENAMED}


DECLARED = {"engine/envs.py": "ENGINE_FAST = 1\n"}
USE = "".join(f"line_{n} = {n}\n" for n in range(20)) + "use(envs.ENGINE_FAST)\n"
BEFORE: dict[str, tuple[dict[str, str], dict[str, str | None], bool]] = {
    "a file that the change deletes": ({"engine/run.py": USE}, {"engine/run.py": None}, True),
    "a file that the change renames": (
        {"engine/run.py": USE},
        {"engine/run.py": None, "engine/go.py": USE.replace("use(envs.ENGINE_FAST)", "use()")},
        True,
    ),
    "a file that the change does not touch": ({"engine/run.py": USE}, {}, True),
    "a test that the change deletes": ({"tests/run.py": USE}, {"tests/run.py": None}, False),
    "a text that the change deletes": ({"engine/notes.md": USE}, {"engine/notes.md": None}, False),
    "a file that the change adds": ({}, {"engine/run.py": USE}, False),
    "nothing": ({}, {"engine/run.py": "use()\n"}, False),
}


@pytest.mark.parametrize("most", [0, 200])
@pytest.mark.parametrize("where", BEFORE)
def test_what_named_a_variable_before_is_known_whatever_the_change_touched(
    repo: GitRepo, monkeypatch: pytest.MonkeyPatch, where: str, most: int
) -> None:
    """Searched where the change was, or all through when it was large: it makes no difference."""
    monkeypatch.setattr("daybreak.read.standing._MOST_PATHS", most)
    before, after, used = BEFORE[where]
    (fact,) = asked(repo, ENV, {**DECLARED, **before}, {"engine/envs.py": "", **after})
    assert fact.breaking is used

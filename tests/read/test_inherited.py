"""A member that a base class gives is not gone from the class, wherever the base stands."""

from __future__ import annotations

import os
from zoneinfo import ZoneInfo

import pytest

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.model.findings import Alias, Finding
from daybreak.findings.range_verdict import settled
from daybreak.findings.reader import RuleReader
from daybreak.findings.trees import GitTrees
from gitrepo import GitRepo

CHILD = "pkg/config/child_config.py"
BASE = "pkg/config/base_config.py"
OTHER = "pkg/config/root_config.py"
HEAD = "from dataclasses import dataclass\n"
FIELD = "    steps: float = 10\n"


def data(name: str, base: str, fields: str) -> str:
    return f"@dataclass\nclass {name}{base}:\n    name: str = 'x'\n{fields}\n\n"


def child(fields: str, base: str = "BaseConfig", taken: str = "from .base_config import BaseConfig\n") -> str:
    return HEAD + taken + data("ChildConfig", f"({base})", fields)


PLAIN = HEAD + data("BaseConfig", "", "")
FULL = HEAD + data("BaseConfig", "", FIELD)
TWO_LEVELS = HEAD + "from pkg.config.root_config import RootConfig\n" + data("BaseConfig", "(RootConfig)", "")


def told(repo: GitRepo, before: dict[str, str], after: dict[str, str]) -> list[Finding]:
    repo.commit("one", {"pkg/__init__.py": "", "pkg/config/__init__.py": "", **before})
    sha = repo.commit("two", after)
    changes = HistoryReader(Git(dict(os.environ)), repo.path, "org/pkg", ZoneInfo("UTC")).read([sha])
    collected = Collected(Repo("org/pkg", "https://x.example", "x"), changes=tuple(changes), mirror=str(repo.path))
    found = RuleReader(Git(dict(os.environ))).read(collected)[sha].findings
    return [f for f in found if f.symbol.startswith("ChildConfig")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({BASE: PLAIN}, {BASE: FULL}, id="another file of the change"),
        pytest.param({BASE: FULL}, {}, id="a file that the change does not touch"),
        pytest.param(
            {BASE: TWO_LEVELS, OTHER: HEAD + data("RootConfig", "", "")},
            {OTHER: HEAD + data("RootConfig", "", FIELD)},
            id="two levels up",
        ),
    ],
)
def test_a_field_that_went_up_into_a_base_is_not_gone(
    before: dict[str, str], after: dict[str, str], repo: GitRepo
) -> None:
    assert not told(repo, {CHILD: child(FIELD), **before}, {CHILD: child(""), **after})


def test_a_field_that_went_up_within_its_file_breaks_nobody(repo: GitRepo) -> None:
    was, now = (HEAD + data("BaseConfig", "", above) + data("ChildConfig", "(BaseConfig)", own) for above, own in (("", FIELD), (FIELD, "")))  # fmt: skip
    assert not told(repo, {CHILD: was}, {CHILD: now})


def test_a_field_that_no_base_has_is_gone(repo: GitRepo) -> None:
    (gone,) = told(repo, {CHILD: child(FIELD), BASE: PLAIN}, {CHILD: child("")})
    assert (gone.kind, gone.breaking) == ("field_removed", True)


def test_a_field_that_the_base_gives_with_another_default_has_that_default(repo: GitRepo) -> None:
    (other,) = told(repo, {CHILD: child(FIELD), BASE: FULL.replace("10", "500")}, {CHILD: child("")})
    assert (other.kind, other.symbol, other.before, other.after) == (
        "field_default_changed", "ChildConfig.steps", "10", "500",
    )  # fmt: skip


def test_of_a_class_of_settings_in_another_project_nobody_knows_what_it_gives(repo: GitRepo) -> None:
    taken = "from elsewhere import TrainingArguments\n"
    was, now = (child(fields, "TrainingArguments", taken) for fields in (FIELD, ""))
    assert not any(f.breaking for f in told(repo, {CHILD: was}, {CHILD: now}))


def test_a_range_that_ends_where_a_base_has_the_field_tells_nothing(repo: GitRepo) -> None:
    start = repo.commit("one", {CHILD: child(FIELD), BASE: PLAIN})
    repo.commit("two", {CHILD: child("")})
    finding = Finding(
        "x/1", "field_removed", CHILD, 4, "ChildConfig.steps", "steps: float = 10", None, True, Alias("none")
    )
    trees = GitTrees(Git(dict(os.environ)), repo.path)
    assert settled(trees, start, repo.commit("note", {"a.txt": "x"}), [(finding, True)]) == [finding]
    assert settled(trees, start, repo.commit("three", {BASE: FULL}), [(finding, True)]) == [None]

"""Merges: what they merge is their title and their author; the name of a branch says nothing."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

_TITLES = {
    "GitHub's": ("Merge pull request #14 from ann/fix-grammar\n\nPromote the gate to GA", "Promote the gate to GA", 14),
    "GitLab's": ("Merge branch 'fix-x' into 'main'\n\nAdd a gate\n\nSee merge request a/b!7", "Add a gate", 7),
    "Gitee's": ("!12 Add a gate\n\nMerge pull request !12 from ann/gate", "Add a gate", 12),
    "one that quotes another": ("Merge branch 'x' into 'main'\n\nAdd a gate\n\nAs !3 did", "Add a gate", None),
    "one without a text": ("Merge pull request #14 from ann/fix-grammar", "Merge pull request #14", 14),
    "one with trailers alone": ("Merge pull request #14 from ann/fix-x\n\nSigned-off-by: A <a@b>", "Merge pull request #14", 14),
    "one whose title begins with a part": ("Merge pull request #14 from ann/x\n\napi: add a route", "api: add a route", 14),
    "one made by hand": ("Merge branch '7.0.x'", "Merge branch '7.0.x'", None),
}  # fmt: skip


@pytest.mark.parametrize(("message", "title", "number"), _TITLES.values(), ids=_TITLES.keys())
def test_the_title_of_a_merge_is_the_first_line_of_its_text(
    repo: GitRepo, collector: Collector, message: str, title: str, number: int | None
) -> None:
    first = repo.commit("Begin", {"a": "1"}, at="2026-01-18T10:00:00")
    side = repo.commit("Work", {"b": "1"}, at="2026-01-19T10:00:00", branch="side", parents=[first], author="Bo Writer")
    repo.commit(message, {"b": "1"}, at="2026-01-19T11:00:00", author="merge-bot", parents=[first, side], branch="main")
    (change,) = collector.collect(repo).changes
    assert (change.subject, change.pr) == (title, number)
    assert (change.author, change.merged_by, change.merged) == ("Bo Writer", "merge-bot", (side,))


def test_a_commit_that_merges_nothing_keeps_its_words(repo: GitRepo, collector: Collector) -> None:
    repo.commit("Merge pull request #14 from ann/fix-x\n\nNot a merge", {"a": "1"}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).changes[0].subject == "Merge pull request #14 from ann/fix-x"


def test_a_merge_is_by_who_wrote_most_of_it(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("Begin", {"a": "1"}, at="2026-01-18T10:00:00")
    tip = first
    for number, name in enumerate(("Bo", "Cy", "Bo")):
        tip = repo.commit(
            "Work", {"b": str(number)}, branch="side", parents=[tip], author=name, at="2026-01-19T09:00:00"
        )
    text = "Merge pull request #14 from ann/x\n\nTitle"
    repo.commit(text, {"b": "2"}, at="2026-01-19T11:00:00", author="Ann", parents=[first, tip], branch="main")
    assert collector.collect(repo).changes[0].author == "Bo"

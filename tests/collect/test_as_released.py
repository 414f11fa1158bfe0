"""Values that a change puts back: where the newest release has the line already, who runs that meets no change."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.core.model.findings import Finding, Reading
from daybreak.judge.rules import grade
from gitrepo import GitRepo

PATH = "engine/config.py"


def config(value: str, other: str = "1") -> str:
    return f"class Config:\n    size: int = {other}\n    use_ragged_prefill: bool = {value}\n    depth: int = 2\n"


def opened(value: str) -> str:
    return f'ROWS = {{\n    "USE_RAGGED": lambda: (\n        os.getenv("USE_RAGGED", "{value}") == "1"\n    ),\n}}\n'


DRAFT = config("False").replace("Config", "Draft").replace("depth", "width")
TWICE = config("False") + config("False").replace("Config", "Wide").replace("= 1", "= 9")


def built(repo: GitRepo, released: str, before: str, after: str) -> str:
    """A release, a change on the branch, and the one that is asked for."""
    first = repo.commit("Begin", {PATH: released}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", first, at="2026-01-05T11:00:00")
    if before != released:
        repo.commit("Try the other way (#6)", {PATH: before}, at="2026-01-06T10:00:00")
    return repo.commit("Take the first way by default again (#7)", {PATH: after}, at="2026-01-19T10:00:00")


@pytest.mark.parametrize(
    ("released", "before", "after", "lines"),
    [
        (config("False"), config("True"), config("False"), (f"{PATH}:3",)),
        (config("False", "7"), config("True"), config("False"), (f"{PATH}:3",)),
        (opened("0"), opened("1"), opened("0"), (f"{PATH}:3", f"{PATH}:2")),
        (config("True"), config("True"), config("False"), ()),
        ("class Config:\n    size: int = 1\n", config("True"), config("False"), ()),
        (config("auto_of()"), config("True"), config("False"), ()),
        (TWICE, DRAFT.replace("False", "True"), DRAFT, ()),
    ],
    ids=[
        "as released",
        "beside another value",
        "with the line that opens its statement",
        "the release has the old one",
        "new since",
        "the release has a third",
        "the release has the line in two other places",
    ],
)
def test_a_line_that_stands_in_the_release_as_the_change_leaves_it_is_back(
    repo: GitRepo, collector: Collector, released: str, before: str, after: str, lines: tuple[str, ...]
) -> None:
    sha = built(repo, released, before, after)
    assert collector.collect(repo).back.get(sha, ()) == lines


def test_a_default_that_is_back_at_that_of_the_release_breaks_nobody_and_is_no_more_than_worth_knowing(
    repo: GitRepo, collector: Collector
) -> None:
    sha = built(repo, config("False"), config("True"), config("False"))
    collected = collector.collect(repo)
    change = next(one for one in collected.changes if one.sha == sha)
    found = Finding(f"{sha[:12]}/1", "field_default_changed", PATH, 3, "Config.use_ragged_prefill", "True", "False")
    reading = Reading(sha, areas={"code": 1}, findings=(found,))
    plain, known = grade(change, reading), grade(change, reading, back=collected.back[sha])
    assert (plain.breaking, plain.importance.level) == (True, "high")
    assert (known.breaking, known.marks, known.importance.level) == (False, (), "medium")
    assert [reason.code for reason in known.importance.reasons] == ["as_released"]
    assert known.reading.findings == reading.findings, "those who follow the branch meet it all the same"

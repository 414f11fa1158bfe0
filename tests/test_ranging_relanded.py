"""Upgrade reports between branches of releases: what was reverted, landed again or picked on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.upgrade.range import CONTRADICTED
from daybreak.upgrade.range.range_page import RangePages
from gitrepo import GitRepo
from test_ranging import Place


@pytest.fixture
def place(repo: GitRepo, tmp_path: Path) -> Place:
    return Place(repo, tmp_path / "state")


def arch(default: str | None, *more: str) -> dict[str, str]:
    """A file that reads the architecture from the environment, or does not."""
    read = (
        [] if default is None else ["def arch() -> str:", f'    return os.environ.get("ENGINE_ARCH", "{default}")', ""]
    )
    return {"engine/arch.py": "\n".join(["import os", "", *read, *more, ""])}


@pytest.mark.parametrize("later", [(), ("LIMIT = 4",)], ids=["the file is equal", "other lines of it differ"])
def test_what_both_ends_say_alike_is_not_told_whatever_was_reverted_and_landed_again(
    place: Place, later: tuple[str, ...]
) -> None:
    base = place.commit("Read the architecture (#1)", files=arch("family"))
    place.commit("Any architecture (#2)", files=arch(""), branch="release", parents=[base])
    place.commit("Revert the architecture (#3)", files=arch(None))
    place.commit("Land the architecture again, as on the release (#4)", files=arch("", *later))
    report = place.report("release..main")
    assert [net.finding.symbol for net in report.nets if net.finding.symbol == "ENGINE_ARCH"] == []
    assert report.grounding.by_reason[CONTRADICTED] >= 1


def test_what_differs_between_the_ends_is_told_though_it_was_reverted_on_the_way(place: Place) -> None:
    base = place.commit("Read the architecture (#1)", files=arch("family"))
    place.commit("Any architecture (#2)", files=arch(""), branch="release", parents=[base])
    place.commit("Revert the architecture (#3)", files=arch("sm90"))
    place.commit("Land the architecture again (#4)", files=arch("family"))
    report = place.report("release..main")
    assert [(net.finding.kind, net.finding.symbol) for net in report.nets] == [("env_default_changed", "ENGINE_ARCH")]


def test_a_change_that_the_start_has_as_a_pick_is_nothing_new(place: Place) -> None:
    base = place.commit("Start (#1)", "--tp")
    taken = place.commit("[Bugfix] Fix wrong results of drafts (#2)", files={"engine/draft.py": "DRAFT = 1\n"})
    back = place.commit("[Bugfix] Fix wrong results of prefill (#3)", files={"engine/second.py": "SECOND = 1\n"})
    draft, second = {"engine/draft.py": "DRAFT = 1\n"}, {"engine/second.py": "SECOND = 1\n"}
    place.commit("cherry-pick: #2 and #3", files=draft | second, branch="release", parents=[base])
    place.commit("Revert #3", files={"engine/second.py": None}, branch="release")
    report = place.report("release..main")
    assert report.had == (taken,)
    page = next(page.text for page in RangePages().pages(report) if page.path.endswith(".en.md"))
    told, _, listed = page.partition('<a id="commits">')
    assert (taken[:9] in told, back[:9] in told) == (False, True)
    assert listed.count("`release` has it too") == 1


def test_a_name_that_stands_at_both_ends_is_not_told_as_renamed(place: Place) -> None:
    start = place.commit("Start (#1)", "--gamma", "--tp")
    place.commit("Call it omega (#2)", "--omega", "--tp")
    place.commit("Bring gamma back (#3)", "--gamma", "--omega", "--tp")
    assert [net.finding.kind for net in place.report(f"{start}..main").nets if net.finding.breaking] == []

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


def test_what_came_and_what_it_is_are_told_as_the_end_has_them(place: Place) -> None:
    """A type that many fields have is renamed at once; a name that was exported goes by another when it comes out."""

    def io(kind: str, name: str) -> dict[str, str]:
        head = "from dataclasses import dataclass\n\n" + (f"{kind} = list\n\n\n" if kind != "list" else "\n")
        rows = f"@dataclass\nclass Output:\n    values: {kind}\n"
        return {"engine/io.py": head + rows, "engine/__init__.py": f"from engine.ops import {name}\n"}

    start = place.commit("Start (#1)", files=io("list", "keep"))
    place.commit("Name the type, offer a copy (#2)", files=io("OutputValues", "copy_over"))
    place.commit("Name it for what it holds (#3)", files=io("TokenValues", "copy_across"))
    nets = [(n.finding.symbol, n.finding.after) for n in place.report(f"{start}..main").nets]
    assert "OutputValues" not in str(nets)
    assert "copy_over" not in str([after for symbol, after in nets if after])
    assert ("Output.values", "TokenValues") in nets


def test_a_field_whose_type_a_later_commit_names_anew_is_told_with_its_last_type(place: Place) -> None:
    from daybreak.core.git_program import Git
    from daybreak.core.model.findings import Finding
    from daybreak.findings.range_ends import at_ends
    from daybreak.findings.trees import GitTrees
    from gitrepo import clean_environment

    text = "class Output:\n    values: TokenValues\n    count: int = 8\n"
    sha = place.commit("Start (#1)", files={"engine/io.py": text, "engine/__init__.py": "from .io import Output\n"})
    path, other = "engine/io.py", "engine/__init__.py"
    cases = {
        Finding("1", "field_changed", path, 2, "Output.values", "list", "OutputValues"): "TokenValues",
        Finding("2", "field_changed", path, 2, "Output.values", "list", "TokenValues"): "TokenValues",
        Finding("3", "field_changed", path, 2, "Output.values", "TokenValues", "OutputValues"): None,
        Finding("4", "field_added", path, 2, "Output.values", None, "values: OutputValues"): "values: TokenValues",
        Finding("5", "field_added", path, 2, "Output.lengths", None, "lengths: list"): None,
        Finding("6", "export_added", other, 1, "engine.Result", None, "Result"): None,
        Finding("7", "export_added", "gone.py", 1, "engine.Result", None, "Result"): "Result",
        Finding("8", "function_removed", path, 1, "was_between", "def was_between():", None): None,
        Finding("9", "internal_method_removed", path, 1, "Output._between", "def _between(self):", None): None,
        Finding("10", "internal_method_renamed", "new.py", 1, "Made._between", "_between", "between"): None,
        Finding("11", "internal_method_renamed", "new.py", 1, "Made.count", "count", "total"): "total",
        Finding("14", "internal_parameter_required_added", path, 2, "Output.limit(self)", None, "self"): None,
        Finding("15", "filled_removed", path, 2, "count", "8 if self.between", None): None,
        Finding("16", "filled_removed", path, 2, "count", "8 if values", None): True,
        Finding("17", "guard_added", path, 2, "Output", None, "if values is None: raise ValueError"): None,
        Finding("18", "guard_added", path, 2, "Output", None, "if count > values:"): "if count > values:",
        Finding("12", "internal_parameter_renamed", "new.py", 1, "Made.__init__(count)", "count", "total"): None,
        Finding("13", "internal_parameter_renamed", "new.py", 1, "Output.__init__(count)", "count", "total"): "total",
    }
    trees = GitTrees(Git(clean_environment(place.state)), place.repo.path)
    ended = at_ends(trees, sha, sha, list(cases))
    assert [one and (one.after or True) for one in ended] == list(cases.values())
    later = place.commit("Another name (#2)", files={path: text.replace("count", "total")})
    renamed = Finding("20", "internal_parameter_renamed", path, 3, "Output.__init__(count)", "count", "total")
    assert at_ends(trees, sha, later, [renamed]) == [renamed]


def test_what_a_release_has_by_a_pick_is_told_since_that_release(place: Place) -> None:
    """Its branch has another commit than main: by ancestry only the next release holds the removal."""
    start = place.commit(
        "Start (#1)", files={"engine/__init__.py": "def load():\n    pass\n\n\ndef keep():\n    pass\n"}
    )
    place.repo.tag("v1.0.0", start)
    base = place.commit("Other (#2)", files={"engine/b.py": "B = 1\n"})
    gone = {"engine/__init__.py": "def keep():\n    pass\n"}
    picked = place.commit("Drop load, picked (#3)", files=gone, branch="release", parents=[base])
    place.repo.tag("v1.1.0", picked)
    place.repo.tag("v1.2.0", place.commit("Drop load (#3)", files=gone))
    nets = place.report("v1.0.0..v1.2.0").nets
    assert [(net.finding.symbol, net.since) for net in nets if net.finding.before] == [("load", "v1.1.0")]

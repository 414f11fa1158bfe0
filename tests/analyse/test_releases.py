"""A release that is cut from a change of the day is an entry of the screen; a candidate, or another tag, is none."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from analyse.test_day import commit, day, report
from analyse.test_first_screen import finding
from daybreak.core.model.changes import Tagged
from daybreak.core.model.day import Action
from daybreak.core.model.report import RepoReport
from read.made import patch_of

CUT = commit(
    "1",
    "chore: bump version to 0.5.6 (#1)",
    {"pyproject.toml": patch_of('[project]\nversion = "0.5.5"\n', '[project]\nversion = "0.5.6"\n')},
)
PUT = finding(CUT, "version_changed", "pyproject.toml", "pyproject.toml", before="0.5.5", after="0.5.6")
NEW = ("2" * 40, "3" * 40, "1" * 40)


def tagged(tag: str, *, prerelease: bool = False, sha: str = CUT.sha) -> RepoReport:
    one = Tagged(tag, datetime(2026, 1, 19, tzinfo=UTC), "tag", prerelease, sha, NEW)
    return replace(report(CUT, extra=(PUT,)), tagged=(one,))


def entries(repo: RepoReport) -> tuple[Action, ...]:
    return day(repo).actions


def test_a_release_is_told_with_how_much_is_new_in_it_and_what_to_read_before_going_to_it() -> None:
    (entry,) = entries(tagged("v0.5.6"))
    assert entry.tag == "release"
    assert "`v0.5.6` is cut from this commit: 3 changes since `v0.5.5`." in entry.text["en"]
    assert "read `daybreak range acme/engine v0.5.5..v0.5.6` before upgrading" in entry.text["en"]
    assert "由此提交发布 `v0.5.6`：自 `v0.5.5` 起共 3 项改动" in entry.text["zh"]


@pytest.mark.parametrize(
    "repo",
    [
        tagged("v0.5.6rc1", prerelease=True),
        tagged("v0.5.6", sha="9" * 40),
        tagged("gateway-v0.4.0"),
        tagged("v10.5.6"),
        report(CUT, extra=(PUT,)),
    ],
    ids=["a candidate", "of another commit", "of another version", "of a longer version", "no tag"],
)
def test_what_is_no_release_of_this_commit_asks_for_nothing(repo: RepoReport) -> None:
    assert all(entry.tag != "release" for entry in entries(repo))

"""Changes, pull requests, issues and releases are joined by what is known, and by nothing that only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from analyse.forge.forged import REPO, change, ends, entry, issue, pull, read, release, side
from daybreak.core.model.items import Activity
from daybreak.core.model.links import Fix
from daybreak.judge.links.joins import Numbers, subject_number


@pytest.mark.parametrize(
    ("subject", "number"),
    [
        ("Bump FlashInfer to 0.6.15.post1 (#31927)", 31927),
        ("Fix crash (#12) (#34)", 34),
        ("Fix crash (#12) in the scheduler", 12),
        ("Merge pull request #5 from YaoJiayi/main", 5),
        ('Revert "Bump FlashInfer to 0.6.15 and revert regressions" (#31625)', 31625),
        ('Revert "Changes For FP8  (#1075)"', None),
        ('Revert "Fix (#7)" and "Add (#8)"', None),
        ("Fix #12", None),
        ("Version 1.0 (#0)", None),
        ("Plain subject", None),
    ],
)
def test_the_number_that_a_subject_carries_as_its_own(subject: str, number: int | None) -> None:
    assert subject_number(subject) == number


def test_a_change_is_joined_with_the_pull_request_of_its_number() -> None:
    forge = read(side(entry(change("a", "Add (#3)")), entry(change("b", "Push without number")), pulls=[pull(3)]))
    assert ends(forge, "brings") == [(f"pull:{REPO}#3", "commit:a")]
    assert forge.links[0].evidence == (f"pull:{REPO}#3", "commit:" + "a" * 40)


@pytest.mark.parametrize("known", [{"not_pulls": [3]}, {"issues": [issue(3)]}])
def test_a_number_that_is_an_issue_is_never_joined(known: dict[str, Any]) -> None:
    one = side(entry(change("a", "Fix the crash (#3)")), **known)
    assert ends(read(one), "brings") == []
    assert Numbers(one.activity, one.changes).of_change(one.entries[0].change) is None


def test_what_the_forge_says_goes_before_the_subject() -> None:
    forge = read(side(entry(change("a", "Fix (#3)")), pulls=[pull(3, merge_sha="b" * 40), pull(9, merge_sha="a" * 40)]))
    assert ends(forge, "brings") == [(f"pull:{REPO}#9", "commit:a")]


def test_a_pull_request_that_became_another_change_is_not_joined() -> None:
    entries = entry(change("a", "Add (#3)")), entry(change("b", "Follow what is said in (#3)"))
    forge = read(side(*entries, pulls=[pull(3, merge_sha="a" * 40)]))
    assert ends(forge, "brings") == [(f"pull:{REPO}#3", "commit:a")]


def test_an_open_pull_request_brought_nothing() -> None:
    assert ends(read(side(entry(change("a", "Work around (#3)")), pulls=[pull(3, state="open")])), "brings") == []


def test_a_merge_brings_the_pull_requests_whose_commits_it_merged() -> None:
    made = change("a", "Merge branch 'feature'", merged=("b" * 40,))
    assert ends(read(side(entry(made), pulls=[pull(4, merge_sha="b" * 40)])), "brings") == [
        (f"pull:{REPO}#4", "commit:a")
    ]


def test_without_the_forge_the_subject_is_all_there_is() -> None:
    numbers = Numbers(Activity(REPO), [made := change("a", "Add (#3)")])
    assert numbers.of_change(made) == 3
    assert ends(read(side(entry(made))), "brings") == []


# --- issues ------------------------------------------------------------------------------------------------------


def test_the_forge_and_the_text_say_what_is_closed_and_each_is_told_once() -> None:
    one = side(
        entry(change("a", "Fix #8 at last (#3)", body="Closes #7")),
        pulls=[pull(3, body="Fixes #7, fixes #9", closes=(6,)), pull(4, state="open")],
        issues=[issue(5, pulls=(4,)), *(issue(n) for n in (6, 7, 8, 9))],
    )
    forge = read(one)
    assert sorted(ends(forge, "fixes")) == [
        (f"pull:{REPO}#3", f"issue:{REPO}#6"),
        (f"pull:{REPO}#3", f"issue:{REPO}#7"),
        (f"pull:{REPO}#3", f"issue:{REPO}#8"),
        (f"pull:{REPO}#3", f"issue:{REPO}#9"),
        (f"pull:{REPO}#4", f"issue:{REPO}#5"),
    ]
    assert not any(link.likely for link in forge.links)
    fixes = {reading.number: reading.fixes for reading in forge.issues}
    assert fixes[5] == (Fix(4, "open"),)
    assert fixes[7] == (Fix(3, "merged"),)


def test_a_pull_request_is_not_closed_and_an_unknown_number_is_only_likely() -> None:
    one = side(
        entry(change("a", "Add (#3)")),
        entry(change("b", "Repair (#4)")),
        pulls=[pull(3), pull(4, body="Fixes #3. Fixes #777. Fixes #4. Fixes other/place#1")],
    )
    found = [link for link in read(one).links if link.kind == "fixes"]
    assert [(link.target, link.likely) for link in found] == [(f"issue:{REPO}#777", True)]
    assert found[0].why == {"zh": "正文写着 `Fixes #777`。", "en": "Its text says `Fixes #777`."}


def test_an_issue_of_another_watched_repository_is_closed_there() -> None:
    kernels = side(repo="org/kernels", issues=[issue(2)])
    one = side(entry(change("a", "Fix (#3)")), pulls=[pull(3, body="Fixes Org/Kernels#2")])
    assert ends(read(one, kernels), "fixes") == [(f"pull:{REPO}#3", "issue:org/kernels#2")]


# --- releases ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "line", "cut"), [(300, "", False), (1500, "", False), (3, "x" * 2_001, True)])
def test_every_number_of_long_notes_is_counted(count: int, line: str, cut: bool) -> None:
    notes = "\n".join((line, *(f"- Fix (#{number})" for number in range(1, count + 1))))
    [told] = read(side(releases=[release("v1.0", body=notes)])).releases
    assert (len(told.pulls), told.omitted, told.cut) == (min(count, 300), max(0, count - 300), cut)


def test_a_release_holds_its_changes_and_names_its_pull_requests() -> None:
    notes = f"* Add by @ada in https://github.com/{REPO}/pull/3\n* Fix (#4)\n* See other/place#5\n```\n#6\n```"
    one = side(
        entry(change("b", "Fix (#4)", at=5), released="v1.0"),
        entry(change("a", "Add (#3)"), released="v1.0"),
        entry(change("c", "Later"), released=None),
        releases=[release("v1.0", body=notes), release("v0.9.1")],
    )
    forge = read(one)
    assert ends(forge, "shipped_in") == [("commit:b", f"release:{REPO}@v1.0"), ("commit:a", f"release:{REPO}@v1.0")]
    assert [(r.tag, [s[0] for s in r.commits], r.pulls) for r in forge.releases] == [
        ("v1.0", ["a", "b"], (3, 4)),
        ("v0.9.1", [], ()),
    ]

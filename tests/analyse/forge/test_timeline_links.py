"""Links that rest on a timeline: what closed an issue, and what somebody linked or unlinked by hand."""

from __future__ import annotations

from datetime import timedelta

import pytest

from analyse.forge.forged import REPO, START, change, ends, entry, issue, pull, read, side
from analyse.forge.test_checked import evidence_of
from daybreak.core.model.items import Closer
from daybreak.core.model.links import Fix, Link, RepoForge
from daybreak.core.model.statements import Statement
from daybreak.judge.checks.statements import judge

AT = START + timedelta(minutes=5)
LATER = AT + timedelta(hours=1)


def fixes(forge: RepoForge) -> list[Link]:
    return [link for link in forge.links if link.kind == "fixes"]


def test_the_pull_request_that_closed_an_issue_is_its_fix_and_no_guess() -> None:
    forge = read(side(pulls=[pull(3)], issues=[issue(5, closers=(Closer(AT, number=3),))]))
    [link] = fixes(forge)
    assert (link.source, link.target, link.likely) == (f"pull:{REPO}#3", f"issue:{REPO}#5", False)
    assert link.evidence == (f"pull:{REPO}#3", f"issue:{REPO}#5")
    assert link.why is not None
    assert link.why["en"] == "The timeline on GitHub says that it closed the issue."
    assert forge.issues[0].fixes == (Fix(3, "merged"),)


def test_the_timeline_makes_sure_what_the_text_only_makes_likely() -> None:
    """The issue is known here by its timeline, so one link tells both."""
    one = side(pulls=[pull(3, body="Fixes #5")], issues=[issue(5, closers=(Closer(AT, number=3),))])
    [link] = fixes(read(one))
    assert link.why is not None
    assert "timeline" in link.why["en"]


def test_a_commit_that_closed_stands_for_the_pull_request_that_brought_it() -> None:
    made = entry(change("a", "Mend it (#3)"))
    told = issue(5, closers=(Closer(AT, sha="a" * 40),))
    assert ends(read(side(made, pulls=[pull(3)], issues=[told])), "fixes") == [(f"pull:{REPO}#3", f"issue:{REPO}#5")]
    alone = read(side(entry(change("a", "Mend it")), issues=[told]))
    assert ends(alone, "fixes") == [("commit:a", f"issue:{REPO}#5")]
    assert fixes(alone)[0].evidence == (f"commit:{'a' * 40}", f"issue:{REPO}#5")
    assert (alone.issues[0].fixes, alone.issues[0].commits) == ((), ("a" * 40,))


def test_a_commit_that_nobody_here_has_seen_is_named_and_is_no_evidence() -> None:
    forge = read(side(issues=[issue(5, closers=(Closer(AT, sha="b" * 40),))]))
    assert [(link.source[:8], link.evidence) for link in fixes(forge)] == [("commit:b", (f"issue:{REPO}#5",))]


def test_an_issue_that_was_opened_again_says_so_and_its_fix_comes_last() -> None:
    undone = Closer(AT, number=3, reopened_at=LATER)
    one = side(pulls=[pull(3), pull(4, state="open", closes=(5,))], issues=[issue(5, closers=(undone,))])
    forge = read(one)
    words = {link.source: link.why for link in fixes(forge)}[f"pull:{REPO}#3"]
    assert words is not None
    assert "opened again later" in words["en"]
    assert "重新打开" in words["zh"]
    assert forge.issues[0].fixes == (Fix(4, "open"), Fix(3, "merged", reopened=True))


def test_a_pull_request_of_an_earlier_day_after_which_it_was_reopened_is_told_all_the_same() -> None:
    forge = read(side(issues=[issue(5, closers=(Closer(AT, number=3, reopened_at=LATER),), happened=("reopened",))]))
    assert forge.issues[0].fixes == (Fix(3, "merged", reopened=True),)


def test_the_last_closing_by_the_same_pull_request_counts() -> None:
    twice = (Closer(AT, number=3, reopened_at=LATER), Closer(LATER, number=3))
    forge = read(side(pulls=[pull(3)], issues=[issue(5, closers=twice)]))
    assert len(fixes(forge)) == 1
    assert forge.issues[0].fixes == (Fix(3, "merged"),)


@pytest.mark.parametrize("told_by", ["issue", "pull"])
def test_what_is_linked_by_hand_is_a_fix_in_sight(told_by: str) -> None:
    on_issue, on_pull = ((3,), ()) if told_by == "issue" else ((), (5,))
    forge = read(side(pulls=[pull(3, state="open", connected=on_pull)], issues=[issue(5, connected=on_issue)]))
    [link] = fixes(forge)
    assert (link.likely, link.why and link.why["en"]) == (False, "Somebody linked the two by hand on GitHub.")
    assert forge.issues[0].fixes == (Fix(3, "open", by_hand=True),)


def test_what_was_unlinked_by_hand_is_no_link_whatever_the_text_says() -> None:
    one = side(
        pulls=[pull(3, state="open", body="Fixes #5. Fixes #6.")], issues=[issue(5, disconnected=(3,)), issue(6)]
    )
    assert ends(read(one), "fixes") == [(f"pull:{REPO}#3", f"issue:{REPO}#6")]


def test_what_was_unlinked_and_is_linked_by_the_forge_now_is_linked() -> None:
    one = side(pulls=[pull(3, state="open", closes=(5,))], issues=[issue(5, disconnected=(3,))])
    assert ends(read(one), "fixes") == [(f"pull:{REPO}#3", f"issue:{REPO}#5")]


def test_a_pull_request_of_another_watched_repository_closed_it_and_of_others_nobody_is_told() -> None:
    kernels = side(repo="org/kernels", pulls=[pull(7)])
    elsewhere = (Closer(AT, number=7, repo="Org/Kernels"), Closer(AT, number=8, repo="other/place"))
    forge = read(side(pulls=[pull(7)], issues=[issue(5, closers=elsewhere)]), kernels)
    assert ends(forge, "fixes") == [("pull:org/kernels#7", f"issue:{REPO}#5")]
    assert forge.issues[0].fixes == (), "its own #7 is another one"


def test_the_words_of_every_such_link_stand_up_to_the_checks() -> None:
    undone = Closer(AT, number=3, reopened_at=LATER)
    one = side(
        entry(change("a", "Mend it")),
        pulls=[pull(3), pull(4, connected=(6,))],
        issues=[issue(5, closers=(undone, Closer(LATER, sha="a" * 40), Closer(LATER, sha="b" * 40))), issue(6)],
    )
    found = fixes(read(one))
    assert len(found) == 4
    for link in found:
        assert link.why is not None
        assert judge(Statement("what", link.why, link.evidence), evidence_of(one)).ok

"""What a timeline tells of an issue: what closed it and whether that stands, what was linked and unlinked by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.items import Activity, Closer, Issue, Pull
from github_scene import REPO, TOKEN, Scene, bent, built, day_window, scene, watched

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def at(hours: float) -> datetime:
    return NOON + timedelta(hours=hours)


def stage(one: Scene) -> None:
    """Issues 1 to 5 and pull requests 11 to 13, all opened at noon."""
    one.github.add_repo(REPO)
    for number in range(1, 6):
        one.github.add_issue(REPO, f"Issue {number}", number=number, at=NOON)
    for number in (11, 12, 13):
        one.github.add_pull(REPO, f"Pull request {number}", number=number, at=NOON)


def read(one: Scene, **options: Any) -> Activity:
    return one.source(TOKEN, **options).activity(watched(REPO), day_window())


def issues(found: Activity) -> dict[int, Issue]:
    return {issue.number: issue for issue in found.issues}


def pulls(found: Activity) -> dict[int, Pull]:
    return {pull.number: pull for pull in found.pulls}


def test_what_closed_an_issue_is_a_pull_request_a_commit_or_nobody_named() -> None:
    with scene() as one:
        stage(one)
        one.github.connect(REPO, 1, 11, at=at(0.5))
        one.github.merge(REPO, 11, at=at(1))
        sha = one.github.add_commit(REPO, "Fixes #2", at=at(2)).sha
        one.github.close(REPO, 2, at=at(2), sha=sha)
        one.github.close(REPO, 3, at=at(3))
        found = issues(read(one))
        assert found[1].closers == (Closer(at(1), number=11),)
        assert found[2].closers == (Closer(at(2), sha=sha),)
        assert (found[3].closers, found[4].closers) == ((), ())
        assert one.github.complaints == []


def test_a_closing_that_was_undone_says_when_and_one_that_came_after_stands() -> None:
    with scene() as one:
        stage(one)
        one.github.close(REPO, 1, at=at(1), by_pull=11)
        one.github.reopen(REPO, 1, at=at(2))
        one.github.close(REPO, 1, at=at(3), by_pull=12)
        found = issues(read(one))[1]
        assert found.closers == (Closer(at(1), number=11, reopened_at=at(2)), Closer(at(3), number=12))
        assert found.undone == (11,)


def test_what_was_closed_before_the_window_and_reopened_in_it_is_known() -> None:
    with scene() as one:
        stage(one)
        one.github.add_issue(REPO, "Old", number=6, at=at(-90))
        one.github.close(REPO, 6, at=at(-80), by_pull=11)
        one.github.reopen(REPO, 6, at=at(1))
        found = issues(read(one))[6]
        assert found.closers == (Closer(at(-80), number=11, reopened_at=at(1)),)
        assert found.undone == (11,)


def test_the_last_word_says_whether_two_are_linked_by_hand() -> None:
    with scene() as one:
        stage(one)
        one.github.connect(REPO, 1, 11, at=at(1))
        one.github.connect(REPO, 2, 12, at=at(1))
        one.github.connect(REPO, 2, 12, at=at(2), undo=True)
        one.github.connect(REPO, 3, 13, at=at(1))
        one.github.connect(REPO, 3, 13, at=at(2), undo=True)
        one.github.connect(REPO, 3, 13, at=at(3))
        activity = read(one)
        found, asked = issues(activity), pulls(activity)
        assert [(found[n].connected, found[n].disconnected) for n in (1, 2, 3, 4)] == [
            ((11,), ()), ((), (12,)), ((13,), ()), ((), ()),
        ]  # fmt: skip
        assert [(asked[n].connected, asked[n].disconnected) for n in (11, 12, 13)] == [
            ((1,), ()),
            ((), (2,)),
            ((3,), ()),
        ]


def test_they_come_with_the_items_and_cost_no_request() -> None:
    with scene() as one:
        _, wanted = built(one, items=60)
        found = one.source(TOKEN).activities(wanted)
        assert any(issue.closers for activity in found for issue in activity.issues)
        assert any(issue.connected for activity in found for issue in activity.issues)
        items = [request.body for request in one.github.requests if "issueOrPullRequest" in request.body]
        others = [request.body for request in one.github.requests if "issueOrPullRequest" not in request.body]
        assert items
        assert all("turns:" in body for body in items)
        assert not any("turns:" in body for body in others)


# --- more than a page ------------------------------------------------------------------------------------------------


def turned_often(one: Scene, times: int) -> None:
    stage(one)
    for turn in range(times):
        one.github.connect(REPO, 1, 11, at=NOON + timedelta(minutes=turn), undo=bool(turn % 2))


@pytest.mark.parametrize(("turns", "pages"), [(49, 0), (50, 0), (51, 2), (130, 2), (260, 6)])
def test_a_long_timeline_is_read_to_its_last_page(turns: int, pages: int) -> None:
    """Both timelines, that of the issue and that of the pull request; each page of both is one request."""
    with scene() as one:
        turned_often(one, turns)
        activity = read(one)
        told = ((11,), ()) if turns % 2 else ((), (11,))
        assert (issues(activity)[1].connected, issues(activity)[1].disconnected) == told
        assert activity.skipped == ()
        asked = [request for request in one.github.requests if "issueOrPullRequest" not in request.body]
        assert sum("turns:" in request.body for request in asked) == pages // 2
        assert sum(category == "turns" for _, _, category, _ in one.envelopes.kept) == pages
        before = len(one.github.requests)
        assert read(one) == activity
        assert read(one, offline=True) == activity
        assert one.asked_since(before) == 0


def test_a_page_that_does_not_come_is_named_and_fetched_by_the_next_run() -> None:
    with scene() as one:
        turned_often(one, 131)
        one.github.fault("status", times=None, text="issue(number:")
        activity = read(one)
        assert [skipped.what for skipped in activity.skipped] == [f"{REPO} on GitHub: what closed or linked #1"]
        one.github.clear_faults()
        again = read(one)
        assert again.skipped == ()
        assert issues(again)[1].connected == (11,)


# --- kept, and read by rest ------------------------------------------------------------------------------------------


def test_answers_that_an_older_version_kept_are_read_without_them() -> None:
    with scene() as one:
        stage(one)
        one.github.close(REPO, 1, at=at(1), by_pull=11)
        read(one)
        for place, envelope in one.envelopes.kept.items():
            if place[2] == "items":
                body = {name: value for name, value in json.loads(envelope.body).items() if name != "turns"}
                one.envelopes.kept[place] = replace(envelope, body=json.dumps(body).encode())
        before = len(one.github.requests)
        found = issues(read(one))[1]
        assert (found.state, found.closers, found.connected) == ("closed", (), ())
        assert one.asked_since(before) == 0, "a closed day stands as first fetched"


def test_by_rest_only_the_commits_that_closed_are_told() -> None:
    with scene() as one:
        stage(one)
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        sha = one.github.add_commit(REPO, "Fixes #2", at=at(1)).sha
        one.github.close(REPO, 2, at=at(1), sha=sha)
        one.github.reopen(REPO, 2, at=at(2))
        one.github.close(REPO, 3, at=at(1), by_pull=11)
        one.github.connect(REPO, 4, 12, at=at(1))
        found = issues(read(one))
        assert found[2].closers == (Closer(at(1), sha=sha, reopened_at=at(2)),)
        assert (found[3].closers, found[4].connected) == ((), ())


# --- hidden and odd --------------------------------------------------------------------------------------------------


def test_an_event_about_something_hidden_costs_neither_the_issue_nor_the_others() -> None:
    def hide(body: dict[str, Any]) -> None:
        for alias, home in body["data"].items():
            item = home.get("issueOrPullRequest") or {}
            if item.get("number") == 1:
                item["turns"]["nodes"][0] = None
                path = [alias, "issueOrPullRequest", "turns", "nodes", 0, "subject"]
                body.setdefault("errors", []).append(
                    {"type": "FORBIDDEN", "path": path, "message": "protected by SAML"}
                )

    with scene() as one:
        stage(one)
        one.github.connect(REPO, 1, 11, at=at(1))
        one.github.connect(REPO, 1, 12, at=at(2))
        bent(one.github, hide)
        activity = read(one)
        assert activity.skipped == ()
        assert issues(activity)[1].connected == (12,)


def test_what_closed_an_issue_elsewhere_is_told_with_its_place_and_a_project_is_none() -> None:
    def elsewhere(body: dict[str, Any]) -> None:
        for home in body["data"].values():
            item = home.get("issueOrPullRequest") or {}
            if item.get("number") in (1, 2):
                for turn in item["turns"]["nodes"]:
                    turn["closer"] = {
                        1: {"__typename": "PullRequest", "number": 7, "repository": {"nameWithOwner": "acme/kernels"}},
                        2: {"__typename": "ProjectV2"},
                    }[item["number"]]

    with scene() as one:
        stage(one)
        one.github.close(REPO, 1, at=at(1))
        one.github.close(REPO, 2, at=at(1))
        bent(one.github, elsewhere)
        found = issues(read(one))
        assert found[1].closers == (Closer(at(1), number=7, repo="acme/kernels"),)
        assert (found[1].undone, found[2].closers) == ((), ())

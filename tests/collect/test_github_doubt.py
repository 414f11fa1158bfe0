"""Answers that are less than they seem: hidden rows, moved and closed repositories, clocks that differ, odd letters."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daybreak.collect.github.client import Bounds, mended
from daybreak.collect.github.requests import Ask
from daybreak.core.forge_answer import SOFT_WAIT, No, Spent, judge, retry_after, until_reset
from daybreak.core.http import Answer
from github_scene import (
    OTHER,
    REPO,
    SMALL,
    TOKEN,
    bent,
    built,
    day_window,
    numbers,
    scene,
    told,
    truth,
    watched,
    window_of,
)

NOW = datetime(2026, 3, 10, 0, 30, tzinfo=UTC)
NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
SINGLE = "organization (SAML)"


# --- hidden rows and odd parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["FORBIDDEN", "NOT_FOUND"])
@pytest.mark.parametrize("older", [False, True], ids=["recent", "older"])
def test_a_row_that_is_not_shown_costs_only_itself_and_is_named(kind: str, older: bool) -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=2)
        if older:
            one.github.advance(20 * 86400)
        rule = one.github.fault("hidden_row", times=None, type=kind, text="search(" if older else "orderBy")
        found = one.source(TOKEN).activities(wanted)
        assert rule.hits
        assert any("hides 1 of them" in skipped.reason for activity in found for skipped in activity.skipped)
        for activity in found:
            for name, known in truth(day, activity.repo).items():
                if not (older and name == "reopened"):
                    assert len(set(known) - set(told(activity)[name])) <= 1, "all others are there"
        one.github.clear_faults()
        found = one.source(TOKEN).activities(wanted)
        assert [activity.skipped for activity in found] == [(), ()]
        assert [told(a)["opened"] for a in found] == [truth(day, a.repo)["opened"] for a in found]


def test_a_row_hidden_once_in_a_long_list_is_found_by_the_next_pass() -> None:
    """The pass after it may not stop above it because all else is as it was."""
    with scene() as one:
        day, wanted = built(one, items=80, repos=1)
        for page in (1, 2, 3):
            one.github.fault("hidden_row", skip=page, text="issues(")
        (activity,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
        assert activity.skipped == ()
        assert told(activity) == truth(day, REPO)


def test_links_to_what_the_token_may_not_see_cost_nothing() -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Bug", number=1, at=NOON, labels=["bug"])
        one.github.add_pull(REPO, "Fix", number=2, at=NOON, closes=[1])

        def hide(body: Any) -> None:
            for alias, value in body["data"].items():
                item = value.get("issueOrPullRequest") or {}
                if item.get("__typename") == "Issue":
                    item["linked"]["nodes"].append(None)
                    item["linked"]["totalCount"] += 1
                    path = [alias, "issueOrPullRequest", "linked", "nodes", 1]
                    body["errors"] = [{"type": "FORBIDDEN", "path": path, "message": "Resource protected by SAML"}]

        bent(one.github, hide)
        activity = one.source(TOKEN).activity(watched(REPO), day_window())
    assert activity.skipped == ()
    assert activity.issues[0].pulls == (2,)


def test_a_part_of_a_form_nobody_knows_costs_only_itself() -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        rule = one.github.fault("odd_alias", times=None, text="issues(")
        found = one.source(TOKEN).activities(wanted)
        assert rule.hits == 1, "it is not asked for again and again"
        assert told(found[0]) == truth(day, REPO)
        (skipped,) = found[1].skipped
        assert "pull requests" in skipped.what
        assert "cannot be read" in skipped.reason
        one.github.clear_faults()
        assert [told(a) for a in one.source(TOKEN).activities(wanted)] == [truth(day, a.repo) for a in found]


@pytest.mark.parametrize("kind", ["lost_cursor", "short_search"])
def test_a_page_without_its_end_is_not_the_whole_list(kind: str) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=1)
        if kind == "short_search":
            one.github.advance(20 * 86400)
        rule = one.github.fault(kind, times=None, text="search(" if kind == "short_search" else "issues(")
        (activity,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
        assert rule.hits
        assert activity.skipped
        one.github.clear_faults()
        (activity,) = one.source(TOKEN).activities(wanted)
        assert activity.skipped == ()
        assert told(activity)["opened"] == truth(day, REPO)["opened"]


# --- odd letters -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\ud83d"', "\ufffd"),
        (rb'"a\ude00b"', "a\ufffdb"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud83d"', "\\ud83d"),
        (rb'"\\\ud83d"', "\\\ufffd"),
        (b'"\xff"', "\ufffd"),
        (rb'"\u0000\n"', "\x00\n"),
    ],
)
def test_half_a_letter_is_taken_out(body: bytes, expected: str) -> None:
    assert json.loads(mended(body)) == expected


@pytest.mark.parametrize("tokens", [(TOKEN,), ()], ids=["token", "none"])
def test_half_a_letter_in_a_title_costs_no_list(tokens: tuple[str, ...]) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=1)
        rule = one.github.fault("surrogate", times=None)
        (activity,) = one.source(*tokens).activities(wanted)
        assert rule.hits
        assert activity.skipped == ()
        assert told(activity)["merged"] == truth(day, REPO)["merged"]
        assert all("\ufffd" in pull.title for pull in activity.pulls)
        assert one.source(*tokens, offline=True).activities(wanted) == [activity]


# --- moved, closed, private ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["graph", "rest", "none"])
def test_an_older_day_of_a_renamed_repository_is_found(way: str) -> None:
    """A search by the old name finds nothing, and GraphQL does not even say so."""
    with scene() as one:
        day, wanted = built(one, items=40, repos=1)
        one.github.rename_repo(REPO, "acme/motor")
        one.github.advance(20 * 86400)
        if way == "rest":
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        (activity,) = one.source(*((TOKEN,) if way != "none" else ())).activities(wanted)
        assert activity.skipped == ()
        for name in ("opened", "merged"):
            assert told(activity)[name] == truth(day, REPO)[name]


def test_an_older_day_of_a_repository_we_may_not_see_is_not_an_empty_one() -> None:
    with scene() as one:
        one.github.add_repo("acme/secret", private=True)
        one.github.add_issue("acme/secret", "Hidden", number=1, at=NOON)
        one.github.add_token("ghp_" + "See" * 12, name="seeing", private=["acme/secret"])
        one.github.advance(20 * 86400)
        ask = Ask(watched("acme/secret"), day_window())
        (activity,) = one.source(TOKEN).activities([ask])
        assert "issues and pull requests" in activity.skipped[0].what
        (activity,) = one.source("ghp_" + "See" * 12).activities([ask])
        assert numbers(activity.issues, "opened") == (1,), "the empty answer was not kept"


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
@pytest.mark.parametrize("older", [False, True], ids=["recent", "older"])
def test_what_one_token_may_not_see_is_asked_with_the_next_one(rest: bool, older: bool) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.repo(REPO).sso = frozenset({"other"})
        if rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        if older:
            one.github.advance(20 * 86400)
        found = one.source(TOKEN, OTHER).activities(wanted)
        assert [activity.skipped for activity in found] == [(), ()]
        assert [told(a)["merged"] for a in found] == [truth(day, a.repo)["merged"] for a in found]
        assert {request.who for request in one.github.requests} == {"ours", "other"}


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_a_token_that_is_not_authorized_is_told_how_to_be(rest: bool) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.repo(REPO).sso = frozenset({"other"})
        if rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        closed, there = one.source(TOKEN).activities(wanted)
        (skipped,) = closed.skipped
        assert SINGLE in skipped.reason
        assert "Configure SSO" in skipped.tip
        assert "authorization_request" not in repr(closed), "the address to authorize by is a secret of its own"
        assert told(there)["merged"] == truth(day, there.repo)["merged"]


@pytest.mark.parametrize("tokens", [(TOKEN,), (TOKEN, OTHER), ()], ids=["token", "two", "none"])
def test_a_repository_closed_for_legal_reasons_is_one_line(tokens: tuple[str, ...]) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.repo(REPO).blocked = True
        closed, there = one.source(*tokens).activities(wanted)
        assert len(closed.skipped) == 1
        assert (closed.issues, closed.pulls, closed.releases) == ((), (), ())
        assert told(there)["merged"] == truth(day, there.repo)["merged"]


# --- clocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [(TOKEN,), ()], ids=["token", "none"])
def test_a_day_that_has_not_ended_by_githubs_clock_is_asked_for_again(tokens: tuple[str, ...]) -> None:
    """Our clock is ten minutes ahead: what happens in those ten minutes must not be lost."""
    with scene(now=datetime(2026, 3, 10, 0, 4, tzinfo=UTC)) as one:
        one.github.skew = -600.0
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Early", number=1, at=NOON)
        first = one.source(*tokens).activity(watched(REPO), day_window())
        assert numbers(first.issues, "opened") == (1,)
        one.github.add_issue(REPO, "Late", number=2, at=datetime(2026, 3, 9, 23, 58, tzinfo=UTC))
        one.github.advance(3600)
        second = one.source(*tokens).activity(watched(REPO), day_window())
        assert numbers(second.issues, "opened") == (1, 2)
        before = len(one.github.requests)
        assert one.source(*tokens).activity(watched(REPO), day_window()) == second
        assert one.asked_since(before) == 0


@pytest.mark.parametrize("tokens", [(TOKEN,), ()], ids=["token", "none"])
def test_a_list_read_before_a_long_wait_is_as_old_as_that(tokens: tuple[str, ...]) -> None:
    """The first lists come before midnight, the others after a limit that lasts beyond it."""
    with scene(now=datetime(2026, 3, 9, 23, 55, tzinfo=UTC)) as one:
        repos = ["acme/engine", "acme/other"]
        for name in repos:
            one.github.add_repo(name)
            one.github.add_issue(name, "Early", number=1, at=NOON)
        wanted = [Ask(watched(name), day_window()) for name in repos]
        one.github.fault("primary", skip=1 if tokens else 4, reset_in=600.0)
        bounds = Bounds(load=20)
        one.source(*tokens, bounds=bounds).activities(wanted)
        assert one.github.now > day_window().until
        for name in repos:
            one.github.add_issue(name, "Late", number=2, at=datetime(2026, 3, 9, 23, 59, tzinfo=UTC))
        one.github.advance(3600)
        found = one.source(*tokens, bounds=bounds).activities(wanted)
        assert [numbers(activity.issues, "opened") for activity in found] == [(1, 2), (1, 2)]


@pytest.mark.parametrize("skew", [-3600.0, 3600.0])
def test_a_limit_is_waited_for_by_githubs_clock(skew: float) -> None:
    with scene() as one:
        day, wanted = built(one, items=20, repos=1)
        one.github.skew = skew
        one.github.fault("primary", skip=1, reset_in=120.0)
        (activity,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
        assert told(activity) == truth(day, REPO)
        assert 100 <= sum(one.waited) <= 140


@pytest.mark.parametrize("reset", ["nan", "-inf", "", "1e999", "-5", "now"])
def test_nonsense_for_the_time_of_a_reset_is_a_bounded_wait(reset: str) -> None:
    assert 0 < until_reset({"x-ratelimit-reset": reset}, NOW) <= 10.0**9


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("30", 30.0),
        ("0", 1.0),
        ("\u00b2", None),
        ("9" * 400, None),
        ("nan", None),
        ("", None),
        ("Tue, 10 Mar 2026 00:31:00 GMT", 60.0),
    ],
)
def test_how_long_to_wait_is_read_with_care(value: str, expected: float | None) -> None:
    headers = {"retry-after": value, "date": "Tue, 10 Mar 2026 00:30:00 GMT"}
    for ours in (NOW, NOW + timedelta(hours=1)):
        assert retry_after(headers, ours) == expected


def test_what_a_refusal_for_single_sign_on_means() -> None:
    headers = {"x-github-sso": "required; url=https://github.com/orgs/acme/sso?authorization_request=SECRET"}
    found = judge(Answer(403, headers, b"{}"), NOW)
    assert isinstance(found, No)
    assert SINGLE in found.reason
    assert "SECRET" not in repr(found)
    slow = judge(Answer(403, {}, b'{"message": "You have exceeded a secondary rate limit"}'), NOW)
    assert slow == Spent("secondary rate limit", SOFT_WAIT, growing=True)


# --- older and offline -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_what_a_search_cannot_tell_of_an_older_day_is_said(rest: bool) -> None:
    with scene() as one:
        _, wanted = built(one, items=30, repos=1)
        if rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        (recent,) = one.source(TOKEN).activities(wanted)
        assert not any("reopened" in left.what for left in recent.left_out)
        one.envelopes.kept.clear()
        one.github.advance(20 * 86400)
        (older,) = one.source(TOKEN).activities(wanted)
        assert older.skipped == ()
        assert any("reopened issues" in left.what and "undone" in left.reason for left in older.left_out)
        assert one.source(TOKEN, offline=True).activities(wanted) == [older]


@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_offline_a_day_that_was_half_read_has_its_half(rest: bool) -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        if rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        path, text = ("/releases", "") if rest else ("/graphql", "releases(")
        one.github.fault("status", times=None, status=503, path=path, text=text)
        one.source(TOKEN, bounds=Bounds(tries=1)).activities(wanted)
        before = len(one.github.requests)
        found = one.source(TOKEN, offline=True).activities(wanted)
        assert one.asked_since(before) == 0
        for activity in found:
            assert told(activity)["merged"] == truth(day, activity.repo)["merged"]
            assert any("releases" in skipped.what and "offline" in skipped.reason for skipped in activity.skipped)


@pytest.mark.parametrize("way", ["graph", "rest", "none"])
@pytest.mark.parametrize("older", [False, True], ids=["recent", "older"])
def test_offline_and_without_a_token_a_day_is_what_it_was(way: str, older: bool) -> None:
    with scene() as one:
        _, wanted = built(one, items=60, repos=2)
        if older:
            one.github.advance(20 * 86400)
        if way == "rest":
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        tokens = () if way == "none" else (TOKEN,)
        first = one.source(*tokens).activities(wanted)
        assert [activity.skipped for activity in first] == [(), ()]
        before = len(one.github.requests)
        assert one.source(*tokens, offline=True).activities(wanted) == first
        assert one.source(offline=True).activities(wanted) == first
        assert one.source().activities(wanted) == first
        assert one.asked_since(before) == 0
        one.github.advance(40 * 86400)
        assert one.source(offline=True).activities(wanted) == first, "however long ago it was"


def test_an_hour_that_is_spent_without_a_token_is_completed_by_the_next_run() -> None:
    """Not the run's own fifty, but the sixty of the hour: that passes, and is said with the time."""
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.set_remaining(3, reset_in=3000)
        found = one.source().activities(wanted)
        assert any("after 2026-03-10 01:20 UTC" in skipped.tip for a in found for skipped in a.skipped)
        one.github.advance(3001)
        found = one.source().activities(wanted)
        assert [activity.skipped for activity in found] == [(), ()]
        assert [told(a)["merged"] for a in found] == [truth(day, a.repo)["merged"] for a in found]


def test_more_than_a_search_shows_in_one_second_is_named() -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        for _ in range(1010):
            one.github.add_issue(REPO, "Flood", at=NOON)
        one.github.advance(20 * 86400)
        activity = one.source(TOKEN).activity(watched(REPO), window_of(NOON, NOON + timedelta(seconds=1)))
        assert len(activity.issues) >= 1000
        assert any("found 1010 by search" in skipped.reason for skipped in activity.skipped)

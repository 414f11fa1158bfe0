"""GitHub by REST: without a token what matters most comes first and ends in time; with one, all that REST can tell."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from daybreak.collect.forge import lists, rest
from daybreak.collect.forge.asks import Ask
from daybreak.collect.forge.client import Bounds
from github_scene import REPO, SMALL, TOKEN, built, change, scene, told, truth, watched, window_of

SHORT = ("opened", "closed", "pulls_opened", "merged", "unmerged")


def short(told: dict[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    return {name: told[name] for name in SHORT}


def test_without_a_token_a_day_of_eight_repositories_ends_in_time() -> None:
    with scene() as one:
        day, wanted = built(one, items=400)
        found = one.source().activities(wanted)
        assert len(one.github.requests) <= 50
        assert all(request.who == "anonymous" for request in one.github.requests)
        for activity in found:
            assert short(told(activity)) == short(truth(day, activity.repo))
            assert activity.skipped == (), "to have no token is no fault"
            (left_out,) = activity.left_out
            assert "issues reopened, tags" in left_out.what
            assert "GITHUB_TOKEN" in left_out.tip
            assert "issues/reopened" not in activity.asked
        before = len(one.github.requests)
        assert one.source().activities(wanted) == found
        assert one.asked_since(before) == 0


def test_without_a_token_what_matters_most_comes_first() -> None:
    with scene() as one:
        day, wanted = built(one, items=400)
        found = one.source(bounds=SMALL).activities(wanted)
        assert len(one.github.requests) == 50
        paths = [request.path.rpartition("/")[2] for request in one.github.requests]
        assert paths[:8] == ["releases"] * 8
        for activity in found:
            released = set(day.truth[activity.repo].releases)
            assert {release.tag for release in activity.releases} == released
        assert any("as often as one run asks" in s.reason for a in found for s in a.skipped)
        missing = [a for a in found if told(a)["merged"] != truth(day, a.repo)["merged"]]
        assert missing
        assert all(any("pull requests" in s.what for s in a.skipped) for a in missing)


def test_a_limit_of_the_hour_without_a_token_is_said() -> None:
    with scene() as one:
        _, wanted = built(one, items=40, repos=3)
        one.github.set_remaining(4)
        found = one.source().activities(wanted)
        assert len(one.github.requests) <= 6
        assert all("rate limit" in activity.skipped[0].reason for activity in found)


@pytest.mark.parametrize("bounds", [Bounds(), SMALL])
def test_a_forge_that_refuses_graphql_is_asked_by_rest(bounds: Bounds) -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=2)
        one.github.fault("graphql_error", times=None, message="Resource not accessible by personal access token", type="FORBIDDEN")  # fmt: skip
        found = one.source(TOKEN, bounds=bounds).activities(wanted)
        for activity in found:
            known = truth(day, activity.repo)
            assert short(told(activity)) == short(known)
            assert told(activity)["reopened"] == known["reopened"], "a token gives events"
            assert [skipped.what for skipped in activity.skipped] == [f"{activity.repo} on GitHub: tags"]
        assert sum(request.path == "/graphql" for request in one.github.requests) == 1
        before = len(one.github.requests)
        assert one.source(TOKEN).activities(wanted) == found
        assert one.asked_since(before) - sum(r.path == "/graphql" for r in one.github.requests[before:]) == 0


def test_changes_are_joined_by_rest_as_well() -> None:
    with scene() as one:
        _, wanted = built(one, items=30, repos=1)
        github, old = one.github, wanted[0].window.since - timedelta(days=9)
        github.fault("graphql_error", times=None, message="Parse error", type=None)
        github.add_issue(REPO, "Issue", number=901, at=old)
        github.add_pull(REPO, "Pull", number=902, at=old)
        github.merge(REPO, 902, at=old, sha="9" * 40)
        changes = [change(REPO, "9" * 40), change(REPO, "8" * 40, 901), change(REPO, "7" * 40, 999)]
        activity = one.source(TOKEN).activity(watched(REPO), wanted[0].window, changes)
    assert activity.brought == (("9" * 40, 902),)
    assert activity.not_pulls == (901, 999)
    assert activity.pulls[-1].number == 902


@pytest.mark.parametrize("shows", [1000, 15])
@pytest.mark.parametrize("tokens", [(TOKEN,), ()], ids=["token", "none"])
def test_an_older_day_by_rest_is_searched_for(
    tokens: tuple[str, ...], shows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SEARCH_SHOWS", shows)
    with scene() as one:
        day, wanted = built(one, items=60, repos=2)
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        one.github.advance(20 * 86400)
        one.github.fault("incomplete", skip=1)
        found = one.source(*tokens).activities(wanted)
        for activity in found:
            known = truth(day, activity.repo)
            for name in SHORT if tokens else ("opened", "merged"):
                assert told(activity)[name] == known[name], name
            assert [s.what for s in activity.skipped if "issues and" in s.what] == []


def test_pages_that_did_not_change_cost_nothing() -> None:
    """A day that still runs is asked for again, but nothing of it was touched."""
    with scene() as one:
        day, wanted = built(one, items=60, repos=1)
        running = Ask(wanted[0].repo, window_of(day.since, day.until + timedelta(days=1)))
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        first = one.source(TOKEN).activities([running])
        spent, before = one.github.spent("core"), len(one.github.requests)
        assert one.source(TOKEN).activities([running]) == first
        again = [request for request in one.github.requests[before:] if request.path.startswith("/repos/")]
        assert {request.status for request in again} == {304}
        assert len(again) >= 3
        assert one.github.spent("core") == spent


def test_what_failed_is_asked_for_again_and_nothing_else() -> None:
    with scene() as one:
        _, wanted = built(one, items=60, repos=1)
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        struck = one.github.fault("status", times=5, path="/issues/events", status=503)
        (activity,) = one.source(TOKEN).activities(wanted)
        assert struck.hits == 5
        assert any("reopened issues" in skipped.what for skipped in activity.skipped)
        before = len(one.github.requests)
        (activity,) = one.source(TOKEN).activities(wanted)
        again = [request.path for request in one.github.requests[before:] if request.path.startswith("/repos/")]
        assert set(again) == {f"/repos/{REPO}/issues/events"}
        assert [skipped.what for skipped in activity.skipped] == [f"{REPO} on GitHub: tags"]


def test_the_plans_begin_with_releases() -> None:
    assert all(plan[0] is rest.RELEASES for plan in rest.PLANS)

"""GitHub by REST: without a token what matters most comes first and ends in time; with one, all that REST can tell."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.collect.github import lists, rest
from daybreak.collect.github.client import Bounds
from daybreak.collect.github.requests import Ask
from github_scene import REPO, SMALL, TOKEN, built, change, day_window, scene, told, truth, watched, window_of

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
        assert [a.skipped for a in found] == [()] * 8, "to have few requests is no fault"
        missing = [a for a in found if told(a)["merged"] != truth(day, a.repo)["merged"]]
        assert missing
        for activity in missing:
            (left_out,) = activity.left_out
            assert "pull requests merged" in left_out.what
            assert "60 requests an hour" in left_out.reason
            assert "GITHUB_TOKEN" in left_out.tip


def test_without_a_token_several_days_share_the_requests_of_the_run() -> None:
    """Three days of eight repositories need more than one run has: the rest is left out, and asked for by no request."""
    with scene() as one:
        day, wanted = built(one, items=100)
        source = one.source()
        days = []
        for ago in range(3):
            back = timedelta(days=ago)
            asked = [Ask(ask.repo, window_of(day.since - back, day.until - back)) for ask in wanted]
            days.append(source.activities(asked))
        assert len(one.github.requests) == 50 == source.requests
        assert one.waited == []
        assert [short(told(a)) for a in days[0]] == [short(truth(day, a.repo)) for a in days[0]]
        assert all(activity.skipped == () for found in days for activity in found)
        for activity in days[2]:
            (left_out,) = activity.left_out
            assert "issues opened, pull requests merged" in left_out.what
        assert "(releases, issues opened" in days[2][-1].left_out[0].what
        # With a token, the same day is whole.
        back = timedelta(days=1)
        asked = [Ask(ask.repo, window_of(day.since - back, day.until - back)) for ask in wanted]
        assert all(activity.left_out == () for activity in one.source(TOKEN).activities(asked))


def test_what_was_left_out_comes_when_there_are_requests_again() -> None:
    with scene() as one:
        _, wanted = built(one, items=60, repos=3)
        few = Bounds(requests=5)
        first = one.source(bounds=few).activities(wanted)
        assert len(one.github.requests) == 5
        assert any("pull requests merged" in left.what for a in first for left in a.left_out)
        second = one.source(bounds=few).activities(wanted)
        assert len(one.github.requests) <= 10, "what came is not asked for again"
        whole = one.source(bounds=few).activities(wanted)
        assert not any("merged" in left.what for a in whole for left in a.left_out)
        one.envelopes.kept.clear()
        assert whole == one.source().activities(wanted)
        assert second != whole or first != whole


def test_a_redirect_counts_as_a_request() -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=2)
        for ask in wanted:
            one.github.rename_repo(ask.repo.name, f"{ask.repo.name}-moved")
        source = one.source(bounds=Bounds(requests=7))
        source.activities(wanted)
        assert len(one.github.requests) == 7 == source.requests


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
            assert set(told(activity)["tags"]) <= set(known["tags"])
            assert activity.skipped == ()
            (left_out,) = activity.left_out
            assert left_out.what == f"{activity.repo} on GitHub: tags on other commits than those of the day"
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


def test_a_pull_request_of_a_change_that_does_not_come_is_said() -> None:
    with scene() as one:
        _, wanted = built(one, items=30, repos=1)
        github, old = one.github, wanted[0].window.since - timedelta(days=9)
        github.fault("graphql_error", times=None, message="Parse error", type=None)
        github.add_pull(REPO, "Pull", number=902, at=old)
        github.merge(REPO, 902, at=old, sha="9" * 40)
        github.fault("status", times=None, status=502, path="/issues/902")
        activity = one.source(TOKEN).activity(watched(REPO), wanted[0].window, [change(REPO, "9" * 40)])
    assert activity.brought == (("9" * 40, 902),)
    assert [x.what for x in activity.skipped] == [f"{REPO} on GitHub: pull requests of changes"]


def test_a_list_of_more_pages_than_are_read_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MOST_PAGES", 1)
    with scene() as one:
        _, wanted = built(one, items=60, repos=1)
        (found,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
    assert any("more than the 1 pages that are read" in x.reason for x in found.skipped)


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
        assert activity.skipped == ()


def test_the_plans_begin_with_releases() -> None:
    assert all(plan[0] is rest.RELEASES for plan in rest.PLANS)


def test_a_tag_on_a_change_of_the_day_is_dated_by_it() -> None:
    with scene() as one:
        _, wanted = built(one, items=30, repos=1)
        day = wanted[0].window
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        one.github.add_tag(REPO, "nightly-2", sha="1" * 40, at=day.since + timedelta(hours=1))
        one.github.add_tag(REPO, "elsewhere", sha="2" * 40, at=day.since + timedelta(hours=1))
        one.github.add_release(REPO, "v7", sha="3" * 40, at=day.since + timedelta(hours=2))
        at = replace(change(REPO, "1" * 40), committed_at=day.since + timedelta(hours=1))
        changes = [at, replace(at, sha="3" * 40), replace(at, sha="4" * 40)]
        activity = one.source(TOKEN).activity(watched(REPO), day, changes)
        tags = {release.tag: release.sha for release in activity.releases}
        assert tags["nightly-2"] == "1" * 40
        assert "elsewhere" not in tags, "it is said to be left out"
        assert sum(release.tag == "v7" for release in activity.releases) == 1
        assert any("tags on other commits" in left.what for left in activity.left_out)
        # When the releases do not come, no tag is called bare.
        one.github.fault("status", times=None, path="/releases", status=503)
        activity = one.source(TOKEN, bounds=Bounds(tries=1)).activity(watched(REPO), day, changes)
        one.envelopes.kept.clear()
        activity = one.source(TOKEN, bounds=Bounds(tries=1)).activity(watched(REPO), day, changes)
        assert activity.releases == ()
        assert any("releases" in skipped.what for skipped in activity.skipped)


@pytest.mark.parametrize("tokens", [(TOKEN,), ()], ids=["token", "none"])
def test_where_issues_are_turned_off_pull_requests_are_read_all_the_same(tokens: tuple[str, ...]) -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=1)
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        one.github.repo(REPO).issues_off = True
        (activity,) = one.source(*tokens).activities(wanted)
        known = truth(day, REPO)
        for name in ("pulls_opened", "merged", "unmerged"):
            assert told(activity)[name] == known[name], name
        assert activity.issues == ()
        assert activity.skipped == ()
        merged = [pull for pull in activity.pulls if pull.state == "merged" and "merged" in pull.happened]
        assert all(pull.merge_sha for pull in merged)
        before = len(one.github.requests)
        assert one.source(*tokens).activities(wanted) == [activity]
        assert sum(request.path != "/graphql" for request in one.github.requests[before:]) == 0


def test_an_issue_that_went_to_another_repository_is_not_ours() -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=2)
        window = wanted[0].window
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        one.github.add_issue(REPO, "Goes away", number=900, at=window.since + timedelta(hours=1))
        there = one.github.transfer(REPO, 900, wanted[1].repo.name)
        activity = one.source(TOKEN).activity(watched(REPO), window, [change(REPO, "8" * 40, 900)])
        assert activity.not_pulls == (900,)
        assert there not in [issue.number for issue in activity.issues if issue.title == "Goes away"]
        assert "Goes away" not in {issue.title for issue in activity.issues}


@pytest.mark.parametrize(("days", "found"), [(50, True), (200, True), (360, True), (700, False)])
@pytest.mark.parametrize("rest", [False, True], ids=["graphql", "rest"])
def test_a_release_that_lay_as_a_draft_for_most_of_a_year_is_found_behind_newer_ones(
    days: int, found: bool, rest: bool
) -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        noon = one.github.now - timedelta(hours=12)
        for number in range(60):
            one.github.add_release(REPO, f"nightly-{number}", at=noon - timedelta(days=2 + number * 12))
        late = one.github.add_release(REPO, "v1.0", at=noon - timedelta(days=days))
        late.published_at = noon
        if rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        activity = one.source(TOKEN, bounds=SMALL).activity(watched(REPO), day_window())
        assert ("v1.0" in {release.tag for release in activity.releases}) == found


def test_a_page_behind_an_unchanged_one_is_found() -> None:
    """A release that was long a draft comes behind the first page, which is as it was."""
    with scene() as one:
        one.github.add_repo(REPO)
        now = one.github.now
        for number in range(12):
            one.github.add_release(REPO, f"v{number}", at=now - timedelta(hours=20, minutes=number))
        one.github.fault("graphql_error", times=None, message="Parse error", type=None)
        running = window_of(now - timedelta(hours=30), now + timedelta(hours=6))
        first = one.source(TOKEN, bounds=SMALL).activity(watched(REPO), running)
        assert len(first.releases) == 12
        late = one.github.add_release(REPO, "late", at=now - timedelta(hours=25))
        late.published_at = now
        second = one.source(TOKEN, bounds=SMALL).activity(watched(REPO), running)
        assert "late" in {release.tag for release in second.releases}

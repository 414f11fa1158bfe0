"""A day of GitHub: complete, with few requests, asked once, and joined with the changes by the forge's own word."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from daybreak.collect.github import lists
from daybreak.collect.github.client import Bounds
from daybreak.collect.github.requests import Ask
from github_scene import (
    REPO,
    SMALL,
    TOKEN,
    asks,
    built,
    change,
    day_window,
    numbers,
    scene,
    told,
    truth,
    watched,
    window_of,
)

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def test_a_day_of_eight_repositories_is_whole_with_few_requests() -> None:
    with scene() as one:
        day, wanted = built(one, items=400)
        found = one.source(TOKEN).activities(wanted)
        assert len(one.github.requests) <= 40
        for activity in found:
            assert told(activity) == truth(day, activity.repo)
            assert activity.skipped == ()
            assert "issues/reopened" in activity.asked
        # A second run over the same day asks nothing.
        before = len(one.github.requests)
        assert one.source(TOKEN).activities(wanted) == found
        assert one.asked_since(before) == 0


@pytest.mark.parametrize("bounds", [Bounds(), SMALL])
@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/St_Johns"])
def test_edges_of_the_window_are_those_of_its_zone(zone: str, bounds: Bounds) -> None:
    with scene() as one:
        day, wanted = built(one, items=80, zone=ZoneInfo(zone), repos=1)
        (activity,) = one.source(TOKEN, bounds=bounds).activities(wanted)
        assert told(activity) == truth(day, REPO)
        assert activity.issues[0].created_at.tzinfo == wanted[0].window.since.tzinfo


def test_all_that_an_item_has_is_taken() -> None:
    with scene() as one:
        github = one.github
        github.add_repo(REPO)
        github.add_issue(
            REPO, "Slow", number=5, at=NOON, author="ada", body="<script>x</script>", labels=["perf", "bug"],
            milestone="v1", comments=2, reactions={"+1": 3, "eyes": 1},
        )  # fmt: skip
        github.add_pull(
            REPO,
            "Faster",
            number=6,
            at=NOON,
            author="robot[bot]",
            closes=[5],
            review="APPROVED",
            files=3,
            added=7,
            deleted=2,
        )
        github.merge(REPO, 6, at=NOON + timedelta(hours=1), sha="a" * 40)
        github.add_release(REPO, "v1", name="One", body="Notes", at=NOON, prerelease=True, sha="b" * 40)
        activity = one.source(TOKEN).activity(watched(REPO), day_window(), [change(REPO, "a" * 40, 6)])
    (issue,), (pull,), (release,) = activity.issues, activity.pulls, activity.releases
    assert (issue.happened, issue.state, issue.reason) == (("opened", "closed"), "closed", "completed")
    assert (issue.labels, issue.milestone, issue.comments, issue.reactions) == (("bug", "perf"), "v1", 2, 4)
    assert (issue.author, issue.body, issue.pulls) == ("ada", "<script>x</script>", (6,))
    assert (pull.happened, pull.state, pull.merge_sha) == (("opened", "merged"), "merged", "a" * 40)
    assert (pull.author, pull.closes, pull.review) == ("robot[bot]", (5,), "approved")
    assert (pull.files, pull.added, pull.deleted) == (3, 7, 2)
    assert (release.name, release.body, release.prerelease, release.sha) == ("One", "Notes", True, "b" * 40)
    assert activity.brought == (("a" * 40, 6),)


def test_a_body_of_a_megabyte_is_kept_as_it_is() -> None:
    body = "</details> @everyone Closes #1 ![x](https://beacon.example/p.png) \u202e\x00" * 14000
    with scene() as one:
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Long", at=NOON, body=body)
        activity = one.source(TOKEN).activity(watched(REPO), day_window())
    assert activity.issues[0].body == body


# --- asked once ------------------------------------------------------------------------------------------------------


def test_items_of_a_closed_day_stand_as_first_fetched() -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=1)
        first = one.source(TOKEN).activities(wanted)
        number = first[0].issues[0].number
        one.github.edit(REPO, number, title="Another title")
        one.github.add_issue(REPO, "Younger")
        assert one.source(TOKEN).activities(wanted) == first
        assert one.source(TOKEN, offline=True).activities(wanted) == first
        assert one.source().activities(wanted) == first, "a day that was read with a token needs none any more"
        forced = one.source(TOKEN).activities(wanted, force=True)
        assert next(issue for issue in forced[0].issues if issue.number == number).title == "Another title"


def test_a_day_that_was_asked_for_while_it_ran_is_asked_for_again() -> None:
    with scene(now=NOON) as one:
        one.github.add_repo(REPO)
        for hour in (1, 2):
            one.github.add_issue(REPO, f"At {hour}", number=hour, at=NOON - timedelta(hours=hour))
        window = replace(day_window(), open=True)
        running = one.source(TOKEN).activity(watched(REPO), window)
        assert numbers(running.issues, "opened") == (1, 2)
        one.github.close(REPO, 2, at=NOON + timedelta(hours=1))
        one.github.add_issue(REPO, "Later", number=3, at=NOON + timedelta(hours=1))
        one.github.advance(86400)
        before = len(one.github.requests)
        whole = one.source(TOKEN).activity(watched(REPO), day_window())
        assert numbers(whole.issues, "closed") == (2,)
        assert numbers(whole.issues, "opened") == (1, 2, 3)
        again = "".join(
            request.body for request in one.github.requests[before:] if "issueOrPullRequest" in request.body
        )
        assert '"number0":2' in again
        assert "number2" not in again, "the untouched one is not asked for again"


def test_the_same_label_in_another_zone_is_another_window() -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Early", number=1, at=datetime(2026, 3, 8, 20, tzinfo=UTC))
        one.github.add_issue(REPO, "Late", number=2, at=datetime(2026, 3, 9, 20, tzinfo=UTC))
        in_utc = one.source(TOKEN).activity(watched(REPO), day_window())
        in_shanghai = one.source(TOKEN).activity(watched(REPO), day_window(zone=ZoneInfo("Asia/Shanghai")))
    assert numbers(in_utc.issues, "opened") == (2,)
    assert numbers(in_shanghai.issues, "opened") == (1,)


def test_offline_without_envelopes_is_said() -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=1)
        (activity,) = one.source(TOKEN, offline=True).activities(wanted)
        assert one.github.requests == []
        assert "offline" in activity.skipped[0].reason
        assert activity.issues == ()


# --- changes ---------------------------------------------------------------------------------------------------------


def test_changes_are_joined_by_the_word_of_the_forge() -> None:
    """Squash, rebase, a revert that names what it reverts, an issue's number, a number that is nothing, a direct push."""
    with scene() as one:
        github = one.github
        github.add_repo(REPO)
        old = NOON - timedelta(days=20)
        github.add_issue(REPO, "An issue", number=1, at=old)
        for number in (2, 3, 4):
            github.add_pull(REPO, f"Pull {number}", number=number, at=old)
        github.merge(REPO, 2, at=old, sha="2" * 40)
        github.merge(REPO, 3, at=old, sha="3" * 40)
        github.merge(REPO, 4, at=NOON, sha="4" * 40)
        github.add_commit(REPO, "First of a rebase", sha="a" * 40, at=NOON, pulls=[4])
        github.add_commit(REPO, 'Revert "Pull 2 (#2)"', sha="b" * 40, at=NOON, pulls=[3])
        for sha in ("c" * 40, "d" * 40, "e" * 40):
            github.add_commit(REPO, "Push", sha=sha, at=NOON)
        changes = [
            change(REPO, "4" * 40, 4),
            change(REPO, "a" * 40),
            change(REPO, "b" * 40, 2),
            change(REPO, "c" * 40, 1),
            change(REPO, "d" * 40, 99),
            change(REPO, "e" * 40),
            change(REPO, "f" * 40),  # GitHub does not know it
        ]
        activity = one.source(TOKEN).activity(watched(REPO), day_window(), changes)
        assert one.source(TOKEN).activity(watched(REPO), day_window(), changes) == activity
    assert dict(activity.brought) == {"4" * 40: 4, "a" * 40: 4, "b" * 40: 3}
    assert activity.not_pulls == (1, 99)
    assert [pull.number for pull in activity.pulls] == [4, 2, 3], "those of the window first"
    assert [pull.happened for pull in activity.pulls] == [("merged",), (), ()]
    assert activity.issues == (), "an issue that only a change names did nothing in the window"
    assert activity.skipped == ()


def test_a_new_change_asks_only_for_itself() -> None:
    with scene() as one:
        _, wanted = built(one, items=40, repos=1)
        one.source(TOKEN).activities(wanted)
        before = len(one.github.requests)
        more = replace(wanted[0], changes=[*wanted[0].changes, change(REPO, "f" * 40, 101)])
        one.source(TOKEN).activities([more])
        assert one.asked_since(before) <= 2
        assert all("issues(" not in request.body for request in one.github.requests[before:])


# --- long and moving lists -------------------------------------------------------------------------------------------


def test_an_item_that_moves_between_pages_is_found() -> None:
    with scene() as one:
        day, wanted = built(one, items=80, repos=1)
        for page in range(1, 6):
            one.github.fault("touch", skip=page, text="issues(")
        one.github.fault("reorder", skip=2, text="issues(")
        one.github.fault("duplicate", skip=1, text="pullRequests(")
        (activity,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
        assert told(activity) == truth(day, REPO)


def test_more_events_than_come_with_an_item_are_read() -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Flapping", number=1, at=NOON - timedelta(days=3))
        for minute in range(130):
            act = one.github.close if minute % 2 == 0 else one.github.reopen
            act(REPO, 1, at=NOON + timedelta(minutes=minute))
        (issue,) = one.source(TOKEN).activity(watched(REPO), day_window()).issues
    assert issue.happened == ("closed", "reopened") * 65


def test_what_happened_in_the_window_holds_whatever_came_after() -> None:
    """Closed on the day and reopened the day after: on the day it was closed."""
    with scene(now=NOON + timedelta(days=2)) as one:
        one.github.add_repo(REPO)
        one.github.add_issue(REPO, "Back again", number=1, at=NOON - timedelta(days=3))
        one.github.close(REPO, 1, at=NOON)
        one.github.reopen(REPO, 1, at=NOON + timedelta(days=1))
        (issue,) = one.source(TOKEN).activity(watched(REPO), day_window()).issues
    assert (issue.happened, issue.state, issue.closed_at) == (("closed",), "open", None)


# --- older days ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shows", [1000, 15])
def test_an_older_day_is_searched_for(shows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a search finds more than it shows, its time is halved."""
    monkeypatch.setattr(lists, "SEARCH_SHOWS", shows)
    with scene() as one:
        day, wanted = built(one, items=80, repos=2)
        one.github.advance(20 * 86400)
        found = one.source(TOKEN).activities(wanted)
        assert any("search(" in request.body for request in one.github.requests)
        for activity in found:
            known = truth(day, activity.repo)
            assert "issues/reopened" not in activity.asked
            assert told(activity) | {"reopened": ()} == known | {"reopened": ()}
            assert activity.skipped == ()
        before = len(one.github.requests)
        assert one.source(TOKEN).activities(wanted) == found
        assert one.asked_since(before) == 0


def test_a_day_read_from_lists_is_not_searched_for_later() -> None:
    with scene() as one:
        _, wanted = built(one, items=30, repos=1)
        first = one.source(TOKEN).activities(wanted)
        one.github.advance(30 * 86400)
        before = len(one.github.requests)
        assert one.source(TOKEN).activities(wanted) == first
        assert one.asked_since(before) == 0


# --- which repositories ----------------------------------------------------------------------------------------------


def test_an_unknown_repository_is_one_line_and_the_others_go_on() -> None:
    with scene() as one:
        day, wanted = built(one, items=30, repos=1)
        gone = Ask(watched("acme/gone"), wanted[0].window, [change("acme/gone", "a" * 40, 7)])
        missing, there = one.source(TOKEN).activities([gone, wanted[0]])
        assert told(there) == truth(day, REPO)
        (skipped,) = missing.skipped
        assert skipped.what == "acme/gone on GitHub: releases, tags, issues, pull requests"
        assert "no such repository" in skipped.reason


@pytest.mark.parametrize("tokens", [(TOKEN,), ()])
def test_a_renamed_repository_is_found_by_its_old_name(tokens: tuple[str, ...]) -> None:
    with scene() as one:
        one.github.add_repo("acme/old")
        one.github.add_issue("acme/old", "Here", number=1, at=NOON)
        one.github.add_pull("acme/old", "Fix", number=2, at=NOON, closes=[1])
        one.github.rename_repo("acme/old", "acme/new")
        activity = one.source(*tokens).activity(watched("acme/old"), day_window())
    assert numbers(activity.issues, "opened") == (1,)
    assert activity.issues[0].pulls == ((2,) if tokens else ())


def test_a_repository_of_another_host_is_none_of_githubs() -> None:
    with scene() as one:
        elsewhere = replace(watched(REPO), url="https://gitlab.example/acme/engine")
        source = one.source(TOKEN, api="https://api.github.com")
        activity = source.activity(elsewhere, day_window())
    assert (activity.asked, activity.skipped, source.requests) == ((), (), 0)


def test_a_list_refused_for_one_repository_leaves_the_others() -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=3)
        one.github.add_repo("acme/secret", private=True)
        hidden = Ask(watched("acme/secret"), wanted[0].window)
        found = one.source(TOKEN).activities([*wanted, hidden])
        assert [told(activity) for activity in found[:3]] == [truth(day, activity.repo) for activity in found[:3]]
        assert found[3].skipped


def test_enterprise_answers_below_its_own_base() -> None:
    with scene(enterprise=True) as one:
        day, wanted = built(one, items=30, repos=2)
        assert one.github.url.endswith("/api/v3")
        for tokens in ((TOKEN,), ()):
            one.envelopes.kept.clear()
            found = one.source(*tokens).activities(wanted)
            assert [told(a)["merged"] for a in found] == [truth(day, a.repo)["merged"] for a in found]


def test_windows_of_several_days_may_be_asked_together() -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=2)
        before = [Ask(ask.repo, window_of(day.since - timedelta(days=1), day.since)) for ask in asks(day)]
        found = one.source(TOKEN).activities([*wanted, *before])
        alone = one.source(TOKEN).activities(before, force=True)
    assert [told(activity) for activity in found[:2]] == [truth(day, activity.repo) for activity in found[:2]]
    assert found[2:] == alone


def test_repositories_may_be_asked_for_one_by_one_in_threads() -> None:
    with scene() as one:
        day, wanted = built(one, items=120)
        source = one.source(TOKEN)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda ask: source.activity(ask.repo, ask.window, ask.changes), wanted))
        assert [told(activity) for activity in found] == [truth(day, activity.repo) for activity in found]
        assert source.requests == len(one.github.requests) <= 40

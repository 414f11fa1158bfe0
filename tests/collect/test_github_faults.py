"""Limits, outages and bad answers: waited for, tried again, resumed, or named; never an empty list in their place."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from daybreak.collect.github.client import Bounds, Clock, Forge
from daybreak.collect.github.lists import KINDS, Listing
from daybreak.collect.github.requests import Ask, Unavailable
from daybreak.collect.github.shapes import LightRelease, Page, PageInfo
from daybreak.collect.github.tokens import Keys, Static
from daybreak.core.forge_answer import Again, Good, No, Spent, judge
from daybreak.core.http import Answer, Http, Patience, Request
from github_scene import OTHER, REPO, SMALL, TOKEN, built, day_window, scene, told, truth, watched

NOW = datetime(2026, 3, 10, 0, 30, tzinfo=UTC)
DATE = "Tue, 10 Mar 2026 00:30:00 GMT"
EPOCH = int(NOW.timestamp())

FORMS: list[tuple[str, int, dict[str, str], bytes, Any]] = [
    ("fine", 200, {}, b"", Good()),
    ("not changed", 304, {}, b"", Good()),
    (
        "primary",
        403,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(EPOCH + 60), "date": DATE},
        b"",
        Spent("rate limit", 61.0),
    ),
    (
        "primary, while our clock is an hour wrong",
        429,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(EPOCH + 3660), "date": "Tue, 10 Mar 2026 01:30:00 GMT"},
        b"",
        Spent("rate limit", 61.0),
    ),
    ("primary with no time", 403, {"x-ratelimit-remaining": "0"}, b"", Spent("rate limit", 60.0)),
    (
        "primary with nonsense for a time",
        403,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"},
        b"",
        Spent("rate limit", 60.0),
    ),
    ("secondary with seconds", 403, {"retry-after": "30"}, b"", Spent("secondary rate limit", 30.0)),
    (
        "secondary with a date",
        429,
        {"retry-after": "Tue, 10 Mar 2026 00:31:00 GMT"},
        b"",
        Spent("secondary rate limit", 60.0),
    ),
    (
        "secondary by words alone",
        403,
        {"x-ratelimit-remaining": "4999"},
        b'{"message": "You have exceeded a secondary rate limit"}',
        Spent("secondary rate limit", 60.0, growing=True),
    ),
    ("too many, and no more said", 429, {}, b"", Spent("secondary rate limit", 60.0, growing=True)),
    (
        "forbidden",
        403,
        {"x-ratelimit-remaining": "4999"},
        b'{"message": "Must have rights"}',
        No("refuses it (403)", 403),
    ),
    ("a fault of theirs", 502, {}, b"", Again("has a fault of its own (502)", heavy=True)),
    ("not there", 404, {}, b"", No("knows no such repository, or does not show it to us (404)", 404)),
]


@pytest.mark.parametrize(("name", "status", "headers", "body", "expected"), FORMS, ids=[form[0] for form in FORMS])
def test_what_an_answer_means(name: str, status: int, headers: dict[str, str], body: bytes, expected: object) -> None:
    assert judge(Answer(status, headers, body), NOW) == expected


PASSING: list[tuple[str, dict[str, Any]]] = [
    ("primary", {"reset_in": 120.0}),
    ("primary", {"status": 403}),
    ("primary", {"status": 429}),
    ("secondary", {"retry_after": 30}),
    ("secondary", {"retry_after": None}),
    ("secondary", {"status": 200, "retry_after": 20}),
    ("secondary", {"status": 429}),
    ("status", {"status": 500}),
    ("status", {"status": 502, "html": True}),
    ("status", {"status": 504}),
    ("unauthorized", {}),
    ("drop", {}),
    ("cut", {}),
    ("broken_json", {}),
    ("empty_body", {}),
    ("slow", {}),
    ("graphql_error", {}),
    ("graphql_timeout", {}),
    ("graphql_partial", {}),
    ("resource_limits", {}),
]


_OF_TOKENS = ("graphql", "resource", "unauthorized")
"""Only who has a token meets these."""
WHO_MEETS_THEM = [
    pytest.param(kind, options, tokens, id=f"{kind} {options} {'token' if tokens else 'none'}")
    for kind, options in PASSING
    for tokens in ((TOKEN,), ())
    if tokens or not kind.startswith(_OF_TOKENS)
]


@pytest.mark.parametrize(("kind", "options", "tokens"), WHO_MEETS_THEM)
def test_a_fault_that_passes_costs_nothing_but_time(
    kind: str, options: dict[str, Any], tokens: tuple[str, ...]
) -> None:
    with scene() as one:
        _, wanted = built(one, items=20, repos=1)
        calm = one.source(*tokens).activities(wanted)
        one.envelopes.kept.clear()
        struck = one.github.fault(kind, times=1 if kind == "unauthorized" else 2, skip=1, **options)
        assert one.source(*tokens).activities(wanted) == calm
        assert struck.hits
        if kind in ("primary", "secondary"):
            assert sum(one.waited) >= 20, "it waited as it was told"


def test_an_answer_that_never_comes_is_not_waited_for() -> None:
    with scene() as one:
        day, wanted = built(one, items=20, repos=1)
        one.github.fault("hang", seconds=30.0)
        source = one.source(TOKEN, http=Http(Patience(connect=2.0, read=0.3, whole=5.0)))
        (activity,) = source.activities(wanted)
        one.github.release()
        assert told(activity) == truth(day, REPO)


def test_an_answer_that_is_too_large_is_asked_for_in_parts() -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=1)
        (activity,) = one.source(TOKEN, http=Http(largest=12000)).activities(wanted)
        assert told(activity) == truth(day, REPO)
        assert len(one.github.requests) > 10


def test_a_page_that_fails_is_resumed_and_not_the_list() -> None:
    with scene() as one:
        day, wanted = built(one, items=80, repos=1)
        one.github.fault("status", times=3, match=lambda asked: '"after1"' in asked.body)
        (activity,) = one.source(TOKEN, bounds=SMALL).activities(wanted)
        assert told(activity) == truth(day, REPO)
        pages = [request.body for request in one.github.requests if "issues(" in request.body]
        assert len(pages) - len(set(pages)) <= 3 + len(pages) // 2, (
            "only the failed page, and the second pass, come twice"
        )


def test_what_cannot_be_had_is_named_and_comes_with_the_next_run() -> None:
    with scene() as one:
        day, wanted = built(one, items=60, repos=2)
        rule = one.github.fault("status", times=None, text="pullRequests(", status=503)
        found = one.source(TOKEN).activities(wanted)
        for activity in found:
            assert any("pull requests" in skipped.what for skipped in activity.skipped)
            assert told(activity)["opened"] == truth(day, activity.repo)["opened"], "what came stays"
        assert rule.hits
        one.github.clear_faults()
        one.github.advance(600)
        before = len(one.github.requests)
        found = one.source(TOKEN).activities(wanted)
        assert [told(activity) for activity in found] == [truth(day, activity.repo) for activity in found]
        assert [activity.skipped for activity in found] == [(), ()]
        assert all("issues(" not in request.body for request in one.github.requests[before:]), (
            "the rest is not asked again"
        )


def test_an_outage_ends_soon_and_is_told_once() -> None:
    with scene() as one:
        _, wanted = built(one, items=60)
        one.github.fault("drop", times=None)
        found = one.source(TOKEN).activities(wanted)
        assert all(len(activity.skipped) == 1 for activity in found)
        assert all("ended its answer" in activity.skipped[0].reason for activity in found)
        assert len(one.github.requests) <= 60
        assert sum(one.waited) < 600


def test_one_item_that_cannot_be_worked_out_costs_only_itself() -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=1)
        victim = day.truth[REPO].opened[0]
        one.github.fault("graphql_timeout", times=None, match=lambda asked: f":{victim}," in asked.body or f":{victim}}}" in asked.body)  # fmt: skip
        (activity,) = one.source(TOKEN, bounds=Bounds(tries=2)).activities(wanted)
        (skipped,) = activity.skipped
        assert f"issues #{victim}" in skipped.what
        assert told(activity)["merged"] == truth(day, REPO)["merged"]
        assert set(told(activity)["opened"]) == set(truth(day, REPO)["opened"]) - {victim}


# --- tokens ----------------------------------------------------------------------------------------------------------


def test_the_next_token_is_used_when_one_is_exhausted() -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.set_remaining(2, who="ours", resource="graphql")
        found = one.source(TOKEN, OTHER, bounds=SMALL).activities(wanted)
        assert [told(activity) for activity in found] == [truth(day, activity.repo) for activity in found]
        assert {request.who for request in one.github.requests} == {"ours", "other"}
        assert one.waited == []


def test_of_many_tokens_the_last_one_may_be_the_one() -> None:
    tokens = [f"ghp_{'t' * 30}{number}" for number in range(9)]
    with scene() as one:
        day, wanted = built(one, items=20, repos=1)
        for token in tokens:
            one.github.add_token(token, name=token[-1])
        for token in tokens[:-1]:
            one.github.set_remaining(0, who=token[-1], resource="graphql", reset_in=3000)
        (activity,) = one.source(*tokens).activities(wanted)
        assert told(activity) == truth(day, REPO)
        assert one.waited == []


def test_a_limit_that_lasts_is_left_to_the_next_run_with_its_time() -> None:
    with scene() as one:
        day, wanted = built(one, items=40, repos=2)
        one.github.set_remaining(0, who="ours", resource="graphql", reset_in=3000)
        found = one.source(TOKEN).activities(wanted)
        assert len(one.github.requests) == 1
        for activity in found:
            (skipped,) = activity.skipped
            assert "rate limit" in skipped.reason
            assert "after 2026-03-10 01:20 UTC" in skipped.tip
            assert "GITHUB_TOKENS" in skipped.tip
        one.github.advance(3001)
        found = one.source(TOKEN).activities(wanted)
        assert [told(activity) for activity in found] == [truth(day, activity.repo) for activity in found]


def test_all_waits_together_are_bounded() -> None:
    with scene() as one:
        _, wanted = built(one, items=40, repos=1)
        one.github.fault("secondary", times=None, retry_after=600)
        (activity,) = one.source(TOKEN).activities(wanted)
        assert activity.skipped
        assert sum(one.waited) <= Bounds().waits


def test_a_refused_token_gives_way_to_the_next_one_and_then_to_none() -> None:
    with scene() as one:
        day, wanted = built(one, items=30, repos=1)
        (activity,) = one.source("ghp_" + "bad" * 12, TOKEN).activities(wanted)
        assert told(activity) == truth(day, REPO)
        one.envelopes.kept.clear()
        (activity,) = one.source("ghp_" + "bad" * 12).activities(wanted)
        assert told(activity)["merged"] == truth(day, REPO)["merged"], "what needs no token is had"
        (skipped,) = activity.skipped
        assert "refuses the token (401)" in skipped.reason
        assert "GITHUB_TOKEN" in skipped.tip


def test_a_forge_that_refuses_everybody_is_named_with_its_reason() -> None:
    """With a token and without one: what is left out has a reason that a user can act on, and nothing is called a bug."""
    for tokens in ((TOKEN,), ()):
        with scene() as one:
            _, wanted = built(one, items=10, repos=1)
            one.github.fault("unauthorized", times=None)
            (activity,) = one.source(*tokens).activities(wanted)
            assert activity.skipped
            assert all("401" in skipped.reason for skipped in activity.skipped)


def test_a_list_that_never_stands_still_is_said_to() -> None:
    with scene() as one:
        one.github.add_repo(REPO)
        at = datetime(2026, 3, 9, 1, tzinfo=UTC)
        for number in range(1, 40):
            one.github.add_issue(REPO, "Old", number=number, at=at + timedelta(seconds=number))

        def another(asked: Any) -> bool:
            """Each page brings one more of the window, which only a busy forge does."""
            one.github.add_issue(REPO, "New", at=at + timedelta(hours=1))
            return False

        one.github.fault("drop", match=another)
        activity = one.source(TOKEN, bounds=SMALL).activity(watched(REPO), day_window())
        assert any("changed too fast" in skipped.reason for skipped in activity.skipped)
        assert len(activity.issues) >= 39


def test_without_the_releases_no_tag_is_called_bare() -> None:
    """All tags came, but which of them have a release is not known."""
    with scene() as one:
        _, wanted = built(one, items=60, repos=1)
        one.github.fault("status", times=None, text="releases(", status=503)
        (activity,) = one.source(TOKEN, bounds=Bounds(tries=1)).activities(wanted)
        assert activity.releases == ()
        assert any("releases, tags" in skipped.what for skipped in activity.skipped)


class Scripted(Http):
    """Answers with the next status of a list."""

    def __init__(self, *statuses: int) -> None:
        super().__init__()
        self.left = list(statuses)

    def send(self, request: Request, before: Callable[[], None] = lambda: None) -> Answer:
        before()
        return Answer(self.left.pop(0), {}, b"{}")


def forge(http: Http, bounds: Bounds) -> Forge:
    clock = Clock(lambda: NOW, lambda _seconds: None, lambda: 0.5)
    return Forge("https://api.github.com", http, Keys([Static()]), clock, bounds, lambda _words: None)


def test_one_success_ends_an_outage() -> None:
    http = Scripted(500, 500, 200, 500, 500, 500, 200)
    asked = forge(http, Bounds(tries=2, failures=2))
    for outcome in ("given up", "had", "given up", "had"):
        try:
            asked.get("/x", lambda answer: answer.status)
            assert outcome == "had"
        except Unavailable:
            assert outcome == "given up"
    assert http.left == [], "a failure long ago does not shorten the tries of today"


def test_without_a_network_a_second_look_is_the_last_of_the_run() -> None:
    waited: list[float] = []
    sent: list[int] = []
    clock = Clock(lambda: NOW, waited.append, lambda: 1.0)
    with Http() as http:
        asked = Forge("https://no-such-host.invalid", http, Keys([Static()]), clock, Bounds(), lambda _words: None)
        for words in ("cannot be reached: no network", "is not asked any more", "is not asked any more"):
            with pytest.raises(Unavailable, match=words):
                asked.get("/x", lambda answer: answer.status)
            sent.append(asked.requests)
    assert (sent, sum(waited)) == ([2, 2, 2], 1.0)


def test_while_it_is_down_each_request_gets_one_try() -> None:
    http = Scripted(*[500] * 6)
    asked = forge(http, Bounds(tries=2, failures=2))
    for _ in range(4):
        with pytest.raises(Unavailable) as raised:
            asked.get("/x", lambda answer: answer.status)
    assert http.left == []
    assert not raised.value.heavy, "asking for less does not help"


def test_a_page_out_of_order_does_not_end_a_list_too_early() -> None:
    listing = Listing(Ask(watched(REPO), day_window()), KINDS["releases"])

    def page(*days: int, more: bool = True) -> dict[str, Page[LightRelease]]:
        times = [NOW - timedelta(days=days) for days in days]
        nodes = [LightRelease(f"v{time:%j}", time, time, is_draft=False) for time in times]
        return {"releases": Page(nodes, PageInfo(more, f"after {days}"))}

    listing.take(page(1, 500, 2))
    assert not listing.done
    assert listing.cursor == "after (1, 500, 2)"
    listing.take(page(600, 500))
    assert listing.cursor is None, "all of it lies before the window: the next pass begins"

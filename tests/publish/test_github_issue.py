"""A post for each report: one, whatever happens on the way; found again, changed, and never somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from daybreak.core.errors import PublishError
from daybreak.core.http import Http, Secret
from daybreak.deliver.publish.github_api import Clock, Github
from daybreak.deliver.publish.github_issue import GithubPosts, Kind, Post, Posted, Wanted, mark
from publish.posts_server import Posts

TOKEN = "ghp_" + "Zt9" * 12
DAY = "2026-01-19"


@pytest.fixture(scope="module")
def running() -> Iterator[Posts]:
    with Posts() as posts:
        yield posts


@pytest.fixture
def server(running: Posts) -> Posts:
    running.reset()
    return running


class Desk:
    """Posts, with what was noted of them."""

    def __init__(self, server: Posts, kind: Kind = "issue", **options: Any) -> None:
        self.noted: dict[str, Post] = {}
        self.said: list[str] = []
        clock = Clock(lambda: server.now, server.sleep, lambda: 0.5)
        github = Github(server.url, Secret(TOKEN), server.http, clock, self.said.append)
        given: dict[str, Any] = {"category": "announcements", "say": self.said.append, **options}
        self.posts = GithubPosts(github, kind, given.pop("repository", "us/news"), **given)

    def put(self, text: str = "Body", label: str = DAY) -> Posted:
        wanted = Wanted(label, f"Daily · {label}", f"{mark(self.posts.kind, label)}\n\n{text}\n")
        return self.posts.put(wanted, self.noted.get(label), lambda post: self.noted.__setitem__(label, post))


KINDS: tuple[Kind, ...] = ("issue", "discussion")


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_posted_changed_and_left_alone(server: Posts, kind: Kind) -> None:
    desk = Desk(server, kind)
    assert desk.put().done == "created"
    (item,) = server.of(kind)
    assert item.title == f"Daily · {DAY}"
    assert item.body == f"<!-- daybreak.{kind}/1 {DAY} -->\n\nBody\n"
    asked = len(server.requests)
    assert desk.put().done == "unchanged"
    assert len(server.requests) == asked
    assert desk.put("New").done == "updated"
    assert server.of(kind) == [item]
    assert item.body.endswith("\n\nNew\n")


@pytest.mark.parametrize("kind", KINDS)
def test_a_restart_between_creating_and_noting_finds_the_post(server: Posts, kind: Kind) -> None:
    Desk(server, kind).put()
    again = Desk(server, kind)
    assert again.put("Other").done == "updated"
    assert len(server.of(kind)) == 1
    assert again.noted[DAY].url.endswith("/1")


def test_a_hundred_issues_before_ours_and_many_pages_hide_nothing(server: Posts) -> None:
    Desk(server).put()
    for number in range(250):
        server.sleep(60)
        server.add(f"Somebody's {number}", "text", ours=number % 50 == 0)
    assert Desk(server).put("Other").done == "updated"
    assert [item.writes for item in server.of("issue")] == [1, *[0] * 250]
    assert server.documents("orderBy") == 1 + 3


def test_a_day_of_long_ago_is_found_among_all_our_own(server: Posts) -> None:
    days = [f"{server.now + timedelta(days=n - 1):%Y-%m-%d}" for n in range(30)]
    for n, day in enumerate(days):
        server.add(f"Daily · {day}", f"{mark('issue', day)}\n\nBody", at=server.now + timedelta(days=n))
    server.of("issue")[4].title = "Renamed by somebody"
    assert Desk(server).put("Other", days[4]).done == "updated"
    assert [item.writes for item in server.of("issue")] == [int(n == 4) for n in range(30)]


def test_of_many_days_the_list_and_the_texts_are_read_once(server: Posts) -> None:
    days = [f"{server.now + timedelta(days=n - 1):%Y-%m-%d}" for n in range(30)]
    for n, day in enumerate(days):
        server.add(f"Renamed {n}", f"{mark('issue', day)}\n\nBody", at=server.now + timedelta(days=n))
    desk = Desk(server)
    assert [desk.put("Other", day).done for day in days] == ["updated"] * 30
    assert [item.writes for item in server.of("issue")] == [1] * 30
    assert server.documents("orderBy") == 1
    assert server.documents("nodes(ids") == 3


def test_what_was_written_before_the_day_is_not_looked_at(server: Posts) -> None:
    for n in range(300):
        server.add(f"Old {n}", "text", at=server.now - timedelta(days=30 + n))
    assert Desk(server).put().done == "created"
    assert server.documents("orderBy") == 1
    assert server.documents("nodes(ids") == 0


def test_somebody_elses_issue_with_our_mark_is_not_ours(server: Posts) -> None:
    theirs = server.add(f"Daily · {DAY}", f"{mark('issue', DAY)}\n\nMine now", ours=False)
    assert Desk(server).put().done == "created"
    assert theirs.writes == 0
    assert len(server.of("issue")) == 2


@pytest.mark.parametrize(
    "body", [f"x {mark('issue', DAY)}", f"\n{mark('issue', DAY)}", mark("issue", "2026-01-20"), ""]
)
def test_a_mark_counts_in_the_first_line_alone(server: Posts, body: str) -> None:
    server.add(f"Daily · {DAY}", body)
    assert Desk(server).put().done == "created"


def test_titles_and_states_that_people_changed_stay(server: Posts) -> None:
    desk = Desk(server)
    desk.put()
    server.of("issue")[0].title = "Read this!"
    desk.put("Other")
    assert server.of("issue")[0].title == "Read this!"


def test_a_post_that_was_deleted_is_made_anew(server: Posts) -> None:
    desk = Desk(server)
    desk.put()
    server.items.clear()
    assert desk.put("Other").done == "created"
    assert "gone" in desk.said[0]


def test_a_noted_post_that_is_gone_while_another_stands_is_not_doubled(server: Posts) -> None:
    desk = Desk(server)
    desk.put()
    desk.noted[DAY] = Post("I_99", "https://github.com/us/news/issues/99")
    assert desk.put("Other").done == "updated"
    assert len(server.of("issue")) == 1


# --- lost answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "how", [{"drop": True}, {"status": 502}, {"status": 500}, {"body": {"data": None}}, {"body": "x"}]
)
def test_an_order_whose_answer_is_lost_is_not_given_twice(server: Posts, kind: Kind, how: dict[str, Any]) -> None:
    server.fault("Create", after=True, **how)
    assert Desk(server, kind).put().done == "updated"
    assert len(server.of(kind)) == 1


@pytest.mark.parametrize("how", [{"drop": True}, {"status": 503}])
def test_an_order_that_was_not_carried_out_is_given_again(server: Posts, how: dict[str, Any]) -> None:
    server.fault("Create", times=2, **how)
    assert Desk(server).put().done == "created"
    assert len(server.of("issue")) == 1


@pytest.mark.parametrize("how", [{"drop": True}, {"status": 500}])
def test_a_question_or_a_change_whose_answer_is_lost_is_asked_again(server: Posts, how: dict[str, Any]) -> None:
    desk = Desk(server)
    server.fault("orderBy", **how)
    desk.put()
    server.fault("Update", after=True, **how)
    assert desk.put("Other").done == "updated"
    assert len(server.of("issue")) == 1


def test_an_outage_is_given_up_and_the_next_run_doubles_nothing(server: Posts) -> None:
    server.fault("Create", status=502, after=True)
    desk = Desk(server)
    server.fault("nodes(ids", times=9, status=502)
    with pytest.raises(PublishError, match="fault of its own"):
        desk.put()
    server.faults.clear()
    assert Desk(server).put().done == "updated"
    assert len(server.of("issue")) == 1


# --- refusals ----------------------------------------------------------------------------------------------------------

REFUSALS: list[tuple[dict[str, Any], str, str]] = [
    ({"status": 401}, "refuses the token", "Renew the token"),
    ({"status": 403}, "refuses it", "right to write"),
    ({"status": 403, "headers": {"x-github-sso": "required; url=https://github.com/secret"}}, "SAML", "Configure SSO"),
    ({"status": 404}, "knows no such repository", "Check the name"),
    ({"status": 410}, "turned off", "Turn issues on"),
    ({"status": 422}, "does not take", "next run"),
    ({"body": {"errors": [{"type": "FORBIDDEN", "message": "secret"}]}}, "does not let this token", "right to write"),
    ({"body": {"errors": [{"type": "INSUFFICIENT_SCOPES", "message": "x"}]}}, "does not let this token", "right to"),
    ({"body": {"errors": [{"message": "Resource not accessible by integration"}]}}, "does not let this token", "right"),
    ({"body": {"errors": [{"type": "UNPROCESSABLE", "message": "secret"}]}}, "does not take the text", "next run"),
]


@pytest.mark.parametrize(("how", "said", "tip"), REFUSALS)
@pytest.mark.parametrize("word", ["orderBy", "Create"])
def test_a_refusal_is_one_sentence_without_a_word_of_the_server(
    server: Posts, how: dict[str, Any], said: str, tip: str, word: str
) -> None:
    server.fault(word, times=9, **how)
    with pytest.raises(PublishError) as caught:
        Desk(server).put()
    assert said in caught.value.message
    assert tip in caught.value.tip
    assert "secret" not in caught.value.message.lower()
    assert TOKEN not in caught.value.message + caught.value.tip
    assert server.of("issue") == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_place_cannot_do_is_said(server: Posts, kind: Kind) -> None:
    server.enabled = False
    with pytest.raises(PublishError, match="turned off in us/news"):
        Desk(server, kind).put()
    server.archived = True
    with pytest.raises(PublishError, match="archived"):
        Desk(server, kind).put()
    with pytest.raises(PublishError, match="no repository us/none"):
        Desk(server, kind, repository="us/none").put()


def test_a_category_or_a_label_that_is_not_there_is_said(server: Posts) -> None:
    with pytest.raises(PublishError, match="no discussion category 'Rumours'"):
        Desk(server, "discussion", category="Rumours").put()
    desk = Desk(server, labels=("daily", "none"))
    desk.put()
    assert server.of("issue")[0].labels == ("LA_1",)
    assert desk.said == ["us/news has no label 'none': left out"]
    Desk(server, "discussion", category="General").put()
    assert server.of("discussion")[0].category == "DC_2"


# --- limits ------------------------------------------------------------------------------------------------------------

LIMITS: list[dict[str, Any]] = [
    {"status": 403, "body": {"message": "You have exceeded a secondary rate limit."}},
    {"status": 429, "headers": {"retry-after": "30"}},
    {"status": 403, "headers": {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1768896030"}},
    {"body": {"errors": [{"type": "RATE_LIMITED", "message": "x"}]}, "headers": {"retry-after": "20"}},
    {"body": {"errors": [{"message": "was submitted too quickly"}]}},
]


@pytest.mark.parametrize("how", LIMITS)
def test_a_limit_is_waited_for(server: Posts, how: dict[str, Any]) -> None:
    server.fault("Create", **how)
    began = server.now
    desk = Desk(server)
    assert desk.put().done == "created"
    assert len(server.of("issue")) == 1
    assert 15 <= (server.now - began).total_seconds() <= 90
    assert any("asks us to wait" in words for words in desk.said)


def test_a_limit_that_lasts_is_left_to_the_next_run(server: Posts) -> None:
    server.fault("Create", status=403, headers={"retry-after": "3000"})
    with pytest.raises(PublishError, match="no requests left"):
        Desk(server).put()
    server.fault("Create", times=9, status=429)
    with pytest.raises(PublishError, match="rate limit"):
        Desk(server).put()
    assert server.of("issue") == []


def test_several_orders_are_a_second_apart(server: Posts) -> None:
    desk, began = Desk(server), server.now
    for day in ("2026-01-17", "2026-01-18", DAY):
        desk.put(label=day)
    assert (server.now - began).total_seconds() == 2


def test_the_token_goes_into_the_header_and_nowhere_else(server: Posts) -> None:
    desk = Desk(server)
    desk.put()
    assert set(server.authorizations) == {f"Bearer {TOKEN}"}
    assert TOKEN not in repr(desk.posts)
    assert TOKEN not in str(server.requests)


def test_an_enterprise_has_its_graphql_beside_rest() -> None:
    github = Github("https://git.corp.example/api/v3", Secret(TOKEN), Http())
    assert github.address == "https://git.corp.example/api/graphql"

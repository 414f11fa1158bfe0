"""What goes wrong at the fake GitHub goes wrong as it does at the real one, as often as asked, and not otherwise."""

from __future__ import annotations

import json
from threading import Thread

import httpx
import pytest

from fake_github import Server, build_day
from fake_github.conftest import REPO, Client
from fake_github.faults import BY_CHANCE, OPTIONS

PATH = f"/repos/{REPO}/issues?per_page=3"
NUMBERS = (
    '{ repository(owner: "acme", name: "engine") { issues(first: 3%s) { pageInfo { endCursor } nodes { number } } } }'
)


@pytest.fixture(autouse=True)
def _six_issues(github: Server) -> None:
    for number in range(1, 7):
        github.add_issue(REPO, "One", number=number, body="x" * 2000)


def numbers(response: httpx.Response) -> list[int]:
    return [row["number"] for row in response.json()]


@pytest.mark.parametrize(("status", "html"), [(500, False), (502, True), (503, False), (504, True)])
def test_server_errors(github: Server, client: Client, status: int, html: bool) -> None:
    github.fault("status", status=status, html=html, times=2)
    for _ in range(2):
        response = client.get(PATH)
        assert response.status_code == status
        assert response.headers["content-type"].startswith("text/html" if html else "application/json")
    assert client.get(PATH).status_code == 200
    assert [one.fault for one in github.requests] == ["status", "status", None]


@pytest.mark.parametrize("status", [403, 429])
def test_the_primary_limit_is_used_up_until_its_reset(github: Server, client: Client, status: int) -> None:
    github.fault("primary", status=status, reset_in=90)
    first = client.get(PATH)
    assert (first.status_code, first.headers["x-ratelimit-remaining"]) == (status, "0")
    assert float(first.headers["x-ratelimit-reset"]) == github.now.timestamp() + 90
    assert "rate limit exceeded" in first.json()["message"]
    assert client.get(PATH).status_code == 403, "asked too early, it is refused again"
    github.advance(90)
    assert client.get(PATH).status_code == 200
    assert github.spent() == 1


@pytest.mark.parametrize("kind", ["RATE_LIMITED", "RATE_LIMIT"])
def test_the_primary_limit_of_graphql_comes_with_200(github: Server, client: Client, kind: str) -> None:
    github.fault("primary", path="/graphql", type=kind)
    response = client.post(NUMBERS % "")
    assert (response.status_code, response.headers["x-ratelimit-remaining"]) == (200, "0")
    assert (response.json()["errors"][0]["type"], "data" in response.json()) == (kind, False)
    assert client.get(PATH).status_code == 200, "REST has a limit of its own"
    github.advance(60)
    assert "data" in client.post(NUMBERS % "").json()


@pytest.mark.parametrize(
    ("retry_after", "status", "waits"),
    [(30, 403, 30), (5, 429, 5), (None, 403, 60)],
    ids=["403", "429", "without Retry-After"],
)
def test_the_secondary_limit(github: Server, client: Client, retry_after: int | None, status: int, waits: int) -> None:
    github.fault("secondary", retry_after=retry_after, status=status)
    response = client.get(PATH)
    assert response.status_code == status
    assert "secondary rate limit" in response.json()["message"]
    assert response.headers["x-ratelimit-remaining"] == "5000"
    assert response.headers.get("retry-after") == (None if retry_after is None else str(retry_after))
    github.advance(waits - 1)
    assert client.get(PATH).status_code == 403
    github.advance(1)
    assert client.get(PATH).status_code == 200


def test_the_secondary_limit_of_graphql_may_come_with_200(github: Server, client: Client) -> None:
    github.fault("secondary", status=200)
    response = client.post(NUMBERS % "")
    assert (response.status_code, "secondary" in response.json()["errors"][0]["message"]) == (200, True)


def test_a_hanging_request_ends_when_released(github: Server, client: Client) -> None:
    github.fault("hang", seconds=30)
    went: list[type[Exception]] = []

    def ask() -> None:
        try:
            client.get(PATH)
        except httpx.HTTPError as error:
            went.append(type(error))

    thread = Thread(target=ask)
    thread.start()
    github.release()
    thread.join(timeout=60)
    assert went == [httpx.RemoteProtocolError]
    assert github.requests[0].status == 0


def test_a_client_that_does_not_wait_times_out(github: Server, client: Client) -> None:
    github.fault("hang", seconds=5)
    with pytest.raises(httpx.ReadTimeout):
        client.http.get(f"{github.url}{PATH}", timeout=httpx.Timeout(60, read=0.05))


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("drop", httpx.RemoteProtocolError),
        ("cut", httpx.RemoteProtocolError),
        ("broken_json", json.JSONDecodeError),
        ("empty_body", json.JSONDecodeError),
    ],
)
@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_broken_answers(github: Server, client: Client, kind: str, error: type[Exception], encoding: str) -> None:
    github.fault(kind)
    with pytest.raises(error):
        client.get(PATH, accept_encoding=encoding).json()
    assert numbers(client.get(PATH)) == [6, 5, 4]


def test_a_slow_answer_is_whole(github: Server, client: Client) -> None:
    github.fault("slow")
    assert numbers(client.get(PATH)) == [6, 5, 4]
    assert github.requests[0].fault == "slow"


def test_one_page_fails_after_others_came(github: Server, client: Client) -> None:
    github.fault("status", path="/issues", text="page=2")
    first = client.get(PATH)
    second = client.get(first.links["next"]["url"])
    assert (first.status_code, second.status_code) == (200, 502)
    assert numbers(client.get(first.links["next"]["url"])) == [3, 2, 1]


def test_duplicates_across_pages(github: Server, client: Client) -> None:
    github.fault("duplicate", times=2, count=2)
    assert numbers(client.get(PATH)) == [6, 5, 4, 6, 5]
    assert numbers(client.get(f"{PATH}&page=2")) == [5, 4, 3, 2, 1]
    github.fault("duplicate")
    page = client.data(NUMBERS % "")["repository"]["issues"]
    assert [row["number"] for row in page["nodes"]] == [1, 2, 3, 1]
    github.fault("duplicate")
    page = client.data(NUMBERS % f', after: "{page["pageInfo"]["endCursor"]}"')["repository"]["issues"]
    assert [row["number"] for row in page["nodes"]] == [3, 4, 5, 6]


def test_a_page_in_another_order(github: Server, client: Client) -> None:
    github.fault("reorder", times=None)
    all_six = numbers(client.get(f"/repos/{REPO}/issues"))
    assert all_six != [6, 5, 4, 3, 2, 1]
    assert sorted(all_six) == [1, 2, 3, 4, 5, 6]
    nodes = client.data(NUMBERS % "")["repository"]["issues"]["nodes"]
    assert sorted(row["number"] for row in nodes) == [1, 2, 3]


def test_an_item_moves_while_pages_are_read(github: Server, client: Client) -> None:
    """Pages by number lose one: the first item of the second page slips to the first, which was already read."""
    path = f"/repos/{REPO}/issues?per_page=3&sort=updated&direction=asc"
    github.fault("touch", number=1, text="page=2")
    assert [row["number"] for row in client.rows(path)] == [1, 2, 3, 5, 6, 1]


def test_an_issue_arrives_while_pages_are_read(github: Server, client: Client) -> None:
    github.fault("arrive", text="page=2")
    assert [row["number"] for row in client.rows(PATH)] == [6, 5, 4, 4, 3, 2, 1]
    assert github.item(REPO, 7).created_at > github.now


def test_the_search_says_that_it_is_incomplete(github: Server, client: Client) -> None:
    github.fault("incomplete")
    body = client.get(f"/search/issues?q=repo:{REPO}+is:issue").json()
    assert (body["incomplete_results"], body["total_count"], len(body["items"])) == (True, 6, 5)


def test_graphql_errors_with_no_data(github: Server, client: Client) -> None:
    github.fault("graphql_timeout")
    github.fault("graphql_timeout", status=502)
    github.fault("graphql_error", type="SERVICE_UNAVAILABLE", message="Away")
    for status, message in (
        (200, "Something went wrong while executing"),
        (502, "Something went wrong while"),
        (200, "Away"),
    ):
        response = client.post(NUMBERS % "")
        assert (response.status_code, response.json()["data"]) == (status, None)
        assert response.json()["errors"][0]["message"].startswith(message)
    assert client.get(PATH).status_code == 200


def test_one_part_of_a_graphql_answer_is_lost(github: Server, client: Client) -> None:
    query = '{ a: repository(owner: "acme", name: "engine") { name } b: repository(owner: "acme", name: "engine") { name } }'
    for fault, kind in (("graphql_partial", "SERVICE_UNAVAILABLE"), ("resource_limits", "RESOURCE_LIMITS_EXCEEDED")):
        github.fault(fault, alias="b")
        body = client.post(query).json()
        assert body["data"] == {"a": {"name": "engine"}, "b": None}
        assert [(error["type"], error["path"]) for error in body["errors"]] == [(kind, ["b"])]


def test_a_rule_strikes_only_what_it_names(github: Server, client: Client) -> None:
    rule = github.fault("status", path="/issues", match=lambda asked: asked.query.get("page") == "2", skip=1)
    answers = [client.get(path).status_code for path in (PATH, f"/repos/{REPO}", f"{PATH}&page=2", f"{PATH}&page=2")]
    assert (answers, rule.hits) == ([200, 200, 200, 502], 1)
    with pytest.raises(ValueError):
        github.fault("unheard")
    with pytest.raises(ValueError):
        github.fault("status", colour="red")


def test_chance_can_choose_every_kind_but_those_of_time() -> None:
    assert set(OPTIONS) - {kind for kind, _ in BY_CHANCE} == {"hang", "unauthorized", "surrogate"}


def struck(github: Server, client: Client, paths: list[str]) -> dict[str, list[str | None]]:
    """Each path asked four times: what happened to each, whatever came of it."""
    github.random_faults(5, rate=0.6, in_a_row=2)
    for path in paths * 4:
        try:
            client.get(path)
        except httpx.HTTPError:
            continue
        finally:
            github.advance(3600)
    found: dict[str, list[str | None]] = {}
    for one in github.requests:
        found.setdefault(f"{one.path}{one.query}", []).append(one.fault)
    return found


def test_chance_is_the_same_for_the_same_seed_in_any_order(github: Server, client: Client) -> None:
    paths = [f"/repos/{REPO}{rest}" for rest in ("", "/tags", "/issues", "/pulls", "/releases", "/issues?page=2")]
    snapshot = github.snapshot()
    forth = struck(github, client, paths)
    github.begin_again(snapshot)
    back = struck(github, client, paths[::-1])
    assert forth == back
    assert len({fault for faults in forth.values() for fault in faults}) > 3
    assert all(None in faults[:3] for faults in forth.values()), "at most two in a row"


def test_a_world_is_restored_with_full_limits(github: Server, client: Client) -> None:
    build_day(github, repos=2, items=40)
    snapshot = github.snapshot()
    query = '{ rateLimit { remaining } repository(owner: "acme", name: "engine") { issues(first: 50) { nodes { number updatedAt } } } }'
    first = client.data(query)
    assert client.data(query) == first | {"rateLimit": {"remaining": 4998}}
    github.fault("graphql_partial", alias="repository")
    assert client.post(query).json()["data"]["repository"] is None
    github.touch("acme/engine", 101)
    moved = client.data(query)
    assert moved["repository"] != first["repository"]
    github.begin_again(snapshot)
    assert (client.data(query), len(github.requests)) == (first, 1)


PAGE = '{ repository(owner: "acme", name: "engine") { issues(first: 2) { nodes { number } pageInfo { hasNextPage endCursor } } } }'


def test_bent_answers(github: Server, client: Client) -> None:
    whole = client.data(PAGE)["repository"]["issues"]["nodes"]
    github.fault("hidden_row")
    body = client.post(PAGE).json()
    assert body["data"]["repository"]["issues"]["nodes"] == [whole[0], None]
    assert body["errors"][0]["path"] == ["repository", "issues", "nodes", 1]
    github.fault("lost_cursor")
    assert client.data(PAGE)["repository"]["issues"]["pageInfo"] == {"hasNextPage": True, "endCursor": None}
    github.fault("odd_alias")
    assert "issues" not in client.data(PAGE)["repository"]
    search = '{ search(type: ISSUE, query: "repo:acme/engine is:issue", first: 5) { issueCount nodes { ... on Issue { number } } pageInfo { endCursor } } }'
    github.fault("short_search")
    found = client.data(search)["search"]
    assert len(found["nodes"]) == 4, "of a page of five"
    assert client.data(search)["search"]["issueCount"] == found["issueCount"]
    assert len(client.data(search)["search"]["nodes"]) == 5, "only once"


def test_half_a_letter_and_a_clock_that_is_ahead(github: Server, client: Client) -> None:
    github.add_issue(REPO, "One", number=1)
    github.fault("surrogate")
    assert "\\ud83d" in client.get(f"/repos/{REPO}/issues").text
    plain = client.get(f"/repos/{REPO}/issues").headers
    github.skew = 3600.0
    ahead = client.get(f"/repos/{REPO}/issues").headers
    assert int(ahead["x-ratelimit-reset"]) - int(plain["x-ratelimit-reset"]) == 3600
    assert ahead["date"] != plain["date"]

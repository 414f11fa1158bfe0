"""The fake GitHub's REST: its shapes are the official ones, its pages, limits and refusals those of the real one."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from fake_github import Server, build_day, validate_answer
from fake_github.accounts import SHA256_PREFIX
from fake_github.conftest import REPO, TOKEN, Client
from fake_github.official import DATA, rest
from fake_github.world import World

LISTS = (
    "/issues?state=all&per_page=100",
    "/issues/events",
    "/pulls?state=all&sort=updated&direction=desc",
    "/releases",
    "/tags",
)


def hour(number: int) -> datetime:
    return datetime(2026, 3, 9, number, tzinfo=UTC)


def one_of_each(github: Server) -> None:
    github.add_issue(
        REPO, "An issue", number=1, at=hour(1), body=None, author=None, labels=["bug", "two words"], milestone="v1"
    )
    github.add_pull(
        REPO, "A pull request", number=2, at=hour(2), closes=[1], author=None, comments=2, reactions={"+1": 3}
    )
    github.label(REPO, 1, "regression", at=hour(3))
    github.cross_reference(REPO, 1, REPO, 2, at=hour(4))
    github.merge(REPO, 2, at=hour(5), by=None)
    github.reopen(REPO, 1, at=hour(6), by=None)
    github.add_release(REPO, "v1.0", at=hour(7))
    github.add_tag(REPO, "nightly", at=hour(8), annotated=True)


def official(response: httpx.Response) -> list[str]:
    return validate_answer(response.request.method, response.request.url.path, response.status_code, response.json())


@pytest.mark.parametrize(
    "path",
    [
        "",
        *LISTS,
        "/issues/1",
        "/issues/2",
        "/issues/1/timeline",
        "/issues/2/comments",
        "/pulls/2",
        "/releases/latest",
        "/releases/tags/v1.0",
    ],
)
def test_each_answer_has_the_official_shape(github: Server, client: Client, path: str) -> None:
    one_of_each(github)
    response = client.get(f"/repos/{REPO}{path}")
    assert response.status_code == 200
    assert response.json()
    assert official(response) == []


def test_search_limit_and_commit_answers_have_the_official_shape(github: Server, client: Client) -> None:
    one_of_each(github)
    sha = github.item(REPO, 2).work.merge_sha  # type: ignore[union-attr]
    for path in ("/search/issues?q=repo:acme/engine+is:issue", "/rate_limit", f"/repos/{REPO}/commits/{sha}/pulls"):
        response = client.get(path)
        assert response.status_code == 200
        assert official(response) == []
    assert [row["number"] for row in response.json()] == [2]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/repos/acme/nothing", 404),
        ("/repos/acme/hidden", 404),
        ("/repos/acme/hidden/issues", 404),
        (f"/repos/{REPO}/issues/77", 404),
        (f"/repos/{REPO}/pulls/1", 404),
        (f"/repos/{REPO}/commits/feed/pulls", 422),
        ("/search/issues?q=repo:acme/hidden+is:issue", 422),
        ("/search/issues?q=repo:acme/engine", 422),
        ("/search/issues?q=is:issue+created:someday", 422),
        ("/search/issues?q=is:issue&per_page=100&page=11", 422),
    ],
)
def test_refusals(github: Server, client: Client, path: str, status: int) -> None:
    github.add_repo("acme/hidden", private=True)
    github.add_issue(REPO, "An issue", number=1)
    response = client.get(path)
    assert response.status_code == status
    assert response.json()["message"]
    if status == 404:
        assert official(response) == []


@pytest.mark.parametrize(
    ("repo", "path", "status"),
    [
        ("acme/quiet", "/issues", 410),
        ("acme/quiet", "/pulls", 200),
        ("acme/blocked", "/releases", 451),
        ("acme/inside", "/releases", 403),
    ],
)
def test_closed_doors(github: Server, client: Client, stranger: Client, repo: str, path: str, status: int) -> None:
    github.add_repo("acme/quiet", issues=False)
    github.add_repo("acme/blocked", blocked=True)
    github.add_repo("acme/inside", sso=[])
    response = client.get(f"/repos/{repo}{path}")
    assert response.status_code == status
    assert official(response) == []
    owner, name = repo.split("/")
    body = client.post(
        f'{{ repository(owner: "{owner}", name: "{name}") {{ issues(first: 5) {{ totalCount }} }} }}'
    ).json()
    if repo == "acme/quiet":
        assert body["data"]["repository"] == {"issues": {"totalCount": 0}}
    else:
        assert body["errors"][0]["type"] == "FORBIDDEN"
    assert stranger.get("/repos/acme/inside").status_code == 200, "only tokens must be authorized"


def test_an_issue_that_went_elsewhere_leads_there(github: Server, client: Client) -> None:
    other = github.add_repo("acme/other")
    github.add_issue(REPO, "Goes", number=5)
    number = github.transfer(REPO, 5, "acme/other")
    response = client.get(f"/repos/{REPO}/issues/5")
    assert response.status_code == 301
    assert response.headers["location"] == f"{github.url}/repositories/{other.id}/issues/{number}"
    assert official(response) == []
    query = '{ repository(owner: "acme", name: "engine") { issueOrPullRequest(number: 5) { __typename } } }'
    assert client.post(query).json()["errors"][0]["type"] == "NOT_FOUND"


def test_every_list_is_read_whole_by_its_links(github: Server, client: Client) -> None:
    day = build_day(github, repos=2, items=260)
    for path in LISTS:
        rows = client.rows(f"/repos/{day.repos[0]}{path}")
        keys = [row.get("id") or row["name"] for row in rows]
        assert len(keys) == len(set(keys)) > 0
    home = github.repo(day.repos[0])
    assert len(client.rows(f"/repos/{day.repos[0]}/issues?state=all&per_page=1000")) == len(home.items)
    assert len(client.rows(f"/repos/{day.repos[0]}/pulls?state=all")) == len(home.pulls)
    assert {row["name"] for row in client.rows(f"/repos/{day.repos[0]}/tags?per_page=3")} == set(home.tags)


def test_links_are_absolute_and_by_id(github: Server, client: Client) -> None:
    for _ in range(5):
        github.add_issue(REPO, "One")
    response = client.get(f"/repos/{REPO}/issues?per_page=2&page=2")
    base = f"{github.url}/repositories/{github.repo(REPO).id}/issues?per_page=2&page="
    assert {name: link["url"] for name, link in response.links.items()} == {
        "prev": f"{base}1",
        "next": f"{base}3",
        "last": f"{base}3",
        "first": f"{base}1",
    }
    assert "next" not in client.get(f"{base}3").links
    assert "link" not in client.get(f"/repos/{REPO}/issues").headers


def test_issues_hold_pull_requests_and_are_chosen_by_update(github: Server, client: Client) -> None:
    one_of_each(github)
    github.add_issue(REPO, "Old", number=3, at=hour(0))
    asked = f"/repos/{REPO}/issues?state=all&sort=updated&direction=asc&since=2026-03-09T05:00:00Z"
    rows = client.get(asked).json()
    assert [(row["number"], "pull_request" in row) for row in rows] == [(2, True), (1, False)]
    assert [row["number"] for row in client.get(f"/repos/{REPO}/issues").json()] == [1, 3]
    assert rows[0]["pull_request"]["merged_at"] == "2026-03-09T05:00:00Z"
    assert rows[0]["reactions"]["total_count"] == 3
    assert (rows[0]["user"], rows[1]["state_reason"]) == (None, "reopened")


def test_an_answer_not_changed_is_free_with_a_token_only(github: Server, client: Client, stranger: Client) -> None:
    github.add_issue(REPO, "One", number=1)
    path = f"/repos/{REPO}/issues"
    etag = client.get(path).headers["etag"]
    for asking, who, cost in ((client, "ours", 0), (stranger, "anonymous", 1)):
        etag = asking.get(path).headers["etag"]
        before = github.remaining(who)
        again = asking.get(path, if_none_match=etag)
        assert (again.status_code, again.content) == (304, b"")
        assert before - github.remaining(who) == cost == github.requests[-1].cost
    assert client.get(path, if_none_match=etag).status_code == 200, "an ETag is of one token"
    github.touch(REPO, 1, at=github.now + timedelta(seconds=1))
    assert stranger.get(path, if_none_match=etag).status_code == 200


def test_sixty_an_hour_without_a_token(github: Server, stranger: Client) -> None:
    for left in range(59, -1, -1):
        assert stranger.get(f"/repos/{REPO}").headers["x-ratelimit-remaining"] == str(left)
    refused = stranger.get(f"/repos/{REPO}")
    assert (refused.status_code, refused.headers["x-ratelimit-remaining"]) == (403, "0")
    assert stranger.get("/rate_limit").json()["resources"]["core"]["remaining"] == 0
    reset = int(refused.headers["x-ratelimit-reset"])
    github.advance(reset - github.now.timestamp())
    assert stranger.get(f"/repos/{REPO}").status_code == 200
    assert github.spent("core") == 61


def test_a_bad_token_and_a_private_repository(github: Server, client: Client) -> None:
    github.add_repo("acme/hidden", private=True)
    github.add_token("sees", name="sees", private=["acme/hidden"])
    assert Client(github, client.http, "sees").get("/repos/acme/hidden").json()["private"] is True
    github.revoke(TOKEN)
    refused = client.get(f"/repos/{REPO}")
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")
    assert github.requests[-1].who == "unknown"


def test_a_renamed_repository_leads_on(github: Server, client: Client) -> None:
    github.add_issue(REPO, "One")
    github.rename_repo(REPO, "acme/motor")
    moved = client.get(f"/repos/{REPO}/issues?state=all")
    assert moved.status_code == 301
    assert client.get(moved.headers["location"]).json()[0]["html_url"] == "https://github.com/acme/motor/issues/1"


def test_secrets_are_in_no_record(github: Server, client: Client) -> None:
    client.get(f"/repos/{REPO}")
    client.post("{viewer{login}}")
    Client(github, client.http, "ghp_not-known").get(f"/repos/{REPO}")
    assert [one.who for one in github.requests] == ["ours", "ours", "unknown"]
    assert "ghp_" not in repr(github.requests)


PRIMES = (2**521 - 1, 2**607 - 1)
KEY = (PRIMES[0] * PRIMES[1], 65537)


def jwt(claims: dict[str, object], *, alg: str = "RS256") -> str:
    """Signed with a key made of two famous primes."""

    def part(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    message = f"{part(json.dumps({'alg': alg, 'typ': 'JWT'}).encode())}.{part(json.dumps(claims).encode())}"
    size = (KEY[0].bit_length() + 7) // 8
    digest = SHA256_PREFIX + hashlib.sha256(message.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
    private = pow(KEY[1], -1, (PRIMES[0] - 1) * (PRIMES[1] - 1))
    return f"{message}.{part(pow(int.from_bytes(padded, 'big'), private, KEY[0]).to_bytes(size, 'big'))}"


def test_an_app_buys_tokens_that_die(github: Server, client: Client) -> None:
    github.add_app("77", 5, key=KEY)
    moment = int(github.now.timestamp())
    url = f"{github.url}/app/installations/5/access_tokens"

    def buy(token: str) -> httpx.Response:
        return client.http.post(url, headers={"authorization": f"Bearer {token}"})

    good = {"iss": "77", "iat": moment - 60, "exp": moment + 540}
    bought = buy(jwt(good))
    assert bought.status_code == 201
    assert official(bought) == []
    asking = Client(github, client.http, bought.json()["token"])
    assert asking.get(f"/repos/{REPO}").status_code == 200
    github.advance(3600)
    assert asking.get(f"/repos/{REPO}").status_code == 401
    late = {key: value + 3600 for key, value in good.items() if isinstance(value, int)}
    for bad in ({"iss": "78"}, {"exp": moment + 9000}, {"exp": moment}, {"iat": moment + 9000}):
        assert buy(jwt({**good, **late, **bad})).status_code == 401
    head, _, tail = jwt({**good, **late}).rpartition(".")
    assert buy(f"{head}.{tail[:-4]}AAAA").status_code == 401
    assert buy(jwt({**good, **late}, alg="none")).status_code == 401
    assert buy(jwt({**good, **late})).status_code == 201


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("is:issue", [1, 4]),
        ("is:pr", [2, 3]),
        ("is:pr is:merged", [2]),
        ("is:pr is:unmerged is:closed", [3]),
        ("is:pr closed:2026-03-09", [2, 3]),
        ("is:pr merged:2026-03-09T05:00:00Z..2026-03-09T06:00:00Z", [2]),
        ("is:pr merged:>2026-03-09T05:00:00Z", []),
        ("is:issue created:2026-03-09T08:00:00+08:00..2026-03-09T09:00:00+08:00", [1]),
        ("is:issue created:<2026-03-09T03:00:00Z", [1]),
        ("is:issue created:>=2026-03-09T03:00:00Z", [4]),
        ("is:issue updated:*..2026-03-08", []),
        ('is:issue label:"two words"', [1]),
        ("is:issue -label:bug", [4]),
        ("is:issue state:open author:ada", [4]),
        ("is:issue 精度", [4]),
    ],
)
def test_search(github: Server, client: Client, query: str, found: list[int]) -> None:
    github.add_issue(REPO, "One", number=1, at=hour(1), labels=["bug", "two words"])
    github.add_pull(REPO, "Two", number=2, at=hour(2))
    github.merge(REPO, 2, at=hour(5))
    github.add_pull(REPO, "Three", number=3, at=hour(3))
    github.close(REPO, 3, at=hour(6))
    github.add_issue(REPO, "精度 wrong", number=4, at=hour(3), author="ada")
    body = client.http.get(
        f"{github.url}/search/issues", params={"q": f"repo:{REPO} {query}", "sort": "created", "order": "asc"}
    ).json()
    assert [row["number"] for row in body["items"]] == found
    assert (body["total_count"], body["incomplete_results"]) == (len(found), False)


def test_search_ends_at_a_thousand(github: Server, client: Client) -> None:
    for _ in range(1003):
        github.add_issue(REPO, "One")
    first = client.get("/search/issues?q=is:issue&per_page=100").json()
    assert (first["total_count"], len(first["items"])) == (1003, 100)
    assert len(client.rows("/search/issues?q=is:issue&per_page=100")) == 1000


def test_enterprise_has_its_own_base() -> None:
    with Server(enterprise=True) as github, httpx.Client(verify=False) as http:
        github.add_token(TOKEN)
        github.add_repo(REPO)
        github.add_issue(REPO, "One")
        client = Client(github, http)
        assert github.url.endswith("/api/v3")
        assert client.get(f"/repos/{REPO}/issues").json()[0]["url"].startswith(f"{github.url}/repos/")
        assert client.data("{viewer{login}}") == {"viewer": {"login": "octocat"}}
        assert github.graphql_url.endswith("/api/graphql")
        assert github.requests[0].path == f"/repos/{REPO}/issues"


@pytest.mark.parametrize(
    "path",
    [
        f"/repos/{REPO}/nothing",
        f"/repos/{REPO}/issues?state=unheard",
        f"/repos/{REPO}/issues?colour=red",
        f"/repos/{REPO}/pulls?since=2026-01-01T00:00:00Z",
        "/search/issues",
    ],
)
def test_what_no_github_knows_fails_the_test(path: str) -> None:
    github = Server().start()
    github.add_repo(REPO)
    httpx.get(f"{github.url}{path}", verify=False)
    with pytest.raises(AssertionError, match=r"not described|no parameter|needs|is not one of"):
        github.__exit__(None, None, None)


def test_the_description_notices_a_lost_field_and_a_wrong_type(github: Server, client: Client) -> None:
    github.add_issue(REPO, "One", number=1)
    body = client.get(f"/repos/{REPO}/issues/1").json()
    path = f"/repos/{REPO}/issues/1"
    assert validate_answer("GET", path, 200, body) == []
    assert validate_answer("GET", path, 200, {key: value for key, value in body.items() if key != "number"})
    assert validate_answer("GET", path, 200, body | {"comments": "3"})
    assert validate_answer("GET", path, 200, body | {"user": {"login": "x"}})


def test_the_description_is_small_and_has_its_licence() -> None:
    assert sum(file.stat().st_size for file in Path(DATA).iterdir()) < 600_000
    assert "MIT" in (DATA / "LICENSE.md").read_text(encoding="utf-8")
    assert "@octokit/openapi" in rest()["source"]


def test_a_day_is_the_same_for_the_same_seed(github: Server, client: Client) -> None:
    day = build_day(github)
    other = World()
    assert build_day(other).truth == day.truth
    assert build_day(World(), seed=1).truth != day.truth
    assert len(day.repos) == 8
    assert day.items >= 400
    assert all(one.items for one in day.truth.values())
    for repo in day.repos[:2]:
        want = day.truth[repo]
        assert all(
            (want.opened, want.closed, want.reopened, want.pulls_opened, want.merged, want.unmerged, want.releases)
        )
        for qualifier, numbers in (("is:pr merged", want.merged), ("is:issue created", want.opened)):
            query = f"repo:{repo} {qualifier}:2026-03-09T00:00:00Z..2026-03-09T23:59:59Z"
            rows = client.rows(f"/search/issues?q={query.replace(' ', '+')}&per_page=100")
            assert tuple(sorted(row["number"] for row in rows)) == numbers

"""The fake GitHub's GraphQL: queries run by the official schema, pages by cursor, and errors as the real one writes them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from fake_github import Server, build_day, validate_query
from fake_github.conftest import REPO, TOKEN, Client

PAGE = """
query($owner: String!, $name: String!, $after: String, $direction: OrderDirection!) {
  repository(owner: $owner, name: $name) {
    issues(first: 7, after: $after, orderBy: {field: UPDATED_AT, direction: $direction}) {
      totalCount pageInfo { hasNextPage endCursor } nodes { number }
    }
  }
}"""
ONE = 'query($n: Int!) { repository(owner: "acme", name: "engine") { %s } rateLimit { cost remaining used nodeCount resetAt } }'


def hour(number: int) -> datetime:
    return datetime(2026, 3, 9, number, tzinfo=UTC)


def pages(client: Client, repo: str = REPO, direction: str = "ASC") -> list[list[int]]:
    owner, name = repo.split("/")
    found: list[list[int]] = []
    after = None
    while True:
        page = client.data(PAGE, owner=owner, name=name, after=after, direction=direction)["repository"]["issues"]
        found.append([node["number"] for node in page["nodes"]])
        if not page["pageInfo"]["hasNextPage"]:
            return found
        after = page["pageInfo"]["endCursor"]


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_cursors_lead_to_every_item_once(github: Server, client: Client, direction: str) -> None:
    day = build_day(github, repos=2, items=120)
    for repo in day.repos:
        found = [number for page in pages(client, repo, direction) for number in page]
        issues = sorted(
            github.repo(repo).issues, key=lambda item: (item.updated_at, item.id), reverse=direction == "DESC"
        )
        assert found == [item.number for item in issues]


def test_a_cursor_holds_while_items_move(github: Server, client: Client) -> None:
    """From the oldest update on, a moved item is read again at the end and none is lost: so a reader can be right."""
    for number in range(1, 22):
        github.add_issue(REPO, "One", number=number, at=hour(1))
    github.fault("touch", number=2, skip=1)
    assert [number for page in pages(client) for number in page] == [*range(1, 22), 2]


def test_without_a_token_it_is_closed(github: Server, stranger: Client) -> None:
    response = stranger.post("{ viewer { login } }")
    assert (response.status_code, response.json()["message"]) == (
        401,
        "This endpoint requires you to be authenticated.",
    )


def test_several_repositories_in_one_query_and_one_that_is_not_there(github: Server, client: Client) -> None:
    github.add_repo("acme/hidden", private=True)
    github.rename_repo(REPO, "acme/motor")
    body = client.post(
        """query($known: String!) {
          a: repository(owner: "acme", name: $known) { nameWithOwner }
          b: repository(owner: "acme", name: "nothing") { nameWithOwner }
          c: repository(owner: "acme", name: "hidden") { nameWithOwner }
        }""",
        known="engine",
    ).json()
    assert body["data"] == {"a": {"nameWithOwner": "acme/motor"}, "b": None, "c": None}
    assert [(error["type"], error["path"]) for error in body["errors"]] == [("NOT_FOUND", ["b"]), ("NOT_FOUND", ["c"])]


ITEM = """
  __typename
  ... on Issue {
    number title body url state stateReason(enableDuplicate: true) closedAt author { login __typename }
    comments { totalCount } reactions { totalCount } labels(first: 9) { nodes { name color } } milestone { title }
    reactionGroups { content reactors { totalCount } }
    closedByPullRequestsReferences(first: 5, includeClosedPrs: true) { nodes { number } }
    timelineItems(first: 9, itemTypes: [CLOSED_EVENT, REOPENED_EVENT, CROSS_REFERENCED_EVENT]) {
      nodes {
        __typename
        ... on ClosedEvent { createdAt closer { __typename ... on PullRequest { number } } }
        ... on ReopenedEvent { createdAt actor { login } }
        ... on CrossReferencedEvent { willCloseTarget source { ... on PullRequest { number } } }
      }
    }
  }
  ... on PullRequest {
    number pullState: state merged mergedAt isDraft reviewDecision additions deletions changedFiles mergeCommit { oid }
    closingIssuesReferences(first: 5) { nodes { number } } author { login }
  }
"""


def two_items(github: Server) -> None:
    github.add_issue(
        REPO, "Wrong", number=1, at=hour(1), author=None, body=None, labels=["bug"], milestone="v1", comments=2, reactions={"eyes": 2}
    )  # fmt: skip
    github.add_pull(
        REPO, "Mend it", number=2, at=hour(2), author="dependabot[bot]", closes=[1], review="APPROVED", files=3, added=4, deleted=5
    )  # fmt: skip
    github.cross_reference(REPO, 1, REPO, 2, at=hour(2))
    github.merge(REPO, 2, at=hour(3), sha="a" * 40)
    github.reopen(REPO, 1, at=hour(4))


def test_what_is_linked_by_hand_stands_in_both_timelines_until_it_is_unlinked(github: Server, client: Client) -> None:
    two_items(github)
    github.connect(REPO, 1, 2, at=hour(5))
    ends = "source { ... on Issue { number } ... on PullRequest { number } } subject { ... on Issue { number } ... on PullRequest { number } }"
    asked = """%s(number: $n) { timelineItems(first: 9, itemTypes: [CONNECTED_EVENT, DISCONNECTED_EVENT]) { nodes {
      __typename ... on ConnectedEvent { %s } ... on DisconnectedEvent { %s } } } }"""

    def told(name: str, number: int) -> list[tuple[str, int, int]]:
        item = client.data(ONE % (asked % (name, ends, ends)), n=number)["repository"][name]
        nodes = item["timelineItems"]["nodes"]
        return [(x["__typename"], x["source"]["number"], x["subject"]["number"]) for x in nodes]

    assert told("issue", 1) == [("ConnectedEvent", 1, 2)]
    github.connect(REPO, 1, 2, at=hour(6), undo=True)
    assert told("pullRequest", 2) == [("ConnectedEvent", 2, 1), ("DisconnectedEvent", 2, 1)]
    references = "closedByPullRequestsReferences(first: 5, includeClosedPrs: true) { nodes { number } }"
    issue = client.data(ONE % f"issue(number: $n) {{ {references} }}", n=1)["repository"]["issue"]
    assert issue["closedByPullRequestsReferences"]["nodes"] == []


def test_an_issue_with_all_that_belongs_to_it(github: Server, client: Client) -> None:
    two_items(github)
    issue = client.data(ONE % f"issueOrPullRequest(number: $n) {{ {ITEM} }}", n=1)["repository"]["issueOrPullRequest"]
    groups = {row["content"]: row["reactors"]["totalCount"] for row in issue.pop("reactionGroups")}
    assert (groups["EYES"], sum(groups.values())) == (2, 2)
    assert issue.pop("timelineItems")["nodes"] == [
        {"__typename": "CrossReferencedEvent", "willCloseTarget": True, "source": {"number": 2}},
        {
            "__typename": "ClosedEvent",
            "createdAt": "2026-03-09T03:00:00Z",
            "closer": {"__typename": "PullRequest", "number": 2},
        },
        {"__typename": "ReopenedEvent", "createdAt": "2026-03-09T04:00:00Z", "actor": {"login": "octocat"}},
    ]
    assert issue == {
        "__typename": "Issue",
        "number": 1,
        "title": "Wrong",
        "body": "",
        "url": "https://github.com/acme/engine/issues/1",
        "state": "OPEN",
        "stateReason": "REOPENED",
        "closedAt": None,
        "author": None,
        "comments": {"totalCount": 2},
        "reactions": {"totalCount": 2},
        "labels": {"nodes": [{"name": "bug", "color": "ededed"}]},
        "milestone": {"title": "v1"},
        "closedByPullRequestsReferences": {"nodes": [{"number": 2}]},
    }


def test_a_pull_request_by_number_and_by_commit(github: Server, client: Client) -> None:
    two_items(github)
    want = {
        "__typename": "PullRequest",
        "number": 2,
        "pullState": "MERGED",
        "merged": True,
        "mergedAt": "2026-03-09T03:00:00Z",
        "isDraft": False,
        "reviewDecision": "APPROVED",
        "additions": 4,
        "deletions": 5,
        "changedFiles": 3,
        "mergeCommit": {"oid": "a" * 40},
        "closingIssuesReferences": {"nodes": [{"number": 1}]},
        "author": {"login": "dependabot"},
    }
    assert (
        client.data(ONE % f"issueOrPullRequest(number: $n) {{ {ITEM} }}", n=2)["repository"]["issueOrPullRequest"]
        == want
    )
    by_commit = """query($oid: GitObjectID) { repository(owner: "acme", name: "engine") { object(oid: $oid) {
      ... on Commit { oid messageHeadline associatedPullRequests(first: 3) { nodes { number } } } } } }"""
    assert client.data(by_commit, oid="a" * 40)["repository"]["object"] == {
        "oid": "a" * 40,
        "messageHeadline": "Mend it (#2)",
        "associatedPullRequests": {"nodes": [{"number": 2}]},
    }
    assert client.data(by_commit, oid="b" * 40)["repository"]["object"] is None


@pytest.mark.parametrize(("field", "number"), [("pullRequest", 1), ("issue", 2), ("issueOrPullRequest", 3)])
def test_a_number_of_the_other_kind_is_not_found(github: Server, client: Client, field: str, number: int) -> None:
    two_items(github)
    body = client.post(ONE % f"{field}(number: $n) {{ __typename }}", n=number).json()
    assert body["data"]["repository"] == {field: None}
    assert body["errors"][0]["type"] == "NOT_FOUND"
    assert body["errors"][0]["path"] == ["repository", field]


def test_releases_and_tags(github: Server, client: Client) -> None:
    github.add_release(REPO, "v1", at=hour(1), body="Notes")
    github.add_release(REPO, "v2", at=hour(2), prerelease=True)
    github.add_release(REPO, "v3", at=hour(3), draft=True)
    github.add_tag(REPO, "nightly", at=hour(4), annotated=True)
    found = client.data(
        """{ repository(owner: "acme", name: "engine") {
          releases(first: 5, orderBy: {field: CREATED_AT, direction: DESC}) {
            nodes { tagName name isPrerelease publishedAt description author { login } tagCommit { oid } } }
          refs(refPrefix: "refs/tags/", first: 5, orderBy: {field: TAG_COMMIT_DATE, direction: DESC}) {
            nodes { name target { __typename oid ... on Commit { committedDate }
              ... on Tag { tagger { date } target { ... on Commit { committedDate } } } } } }
          latestRelease { tagName }
        } }"""
    )["repository"]
    assert [row["tagName"] for row in found["releases"]["nodes"]] == ["v2", "v1"]
    assert [row["name"] for row in found["refs"]["nodes"]] == ["nightly", "v2", "v1"]
    assert found["refs"]["nodes"][0]["target"]["target"] == {"committedDate": "2026-03-09T04:00:00Z"}
    assert found["latestRelease"] == {"tagName": "v1"}


def test_search_and_its_pages(github: Server, client: Client) -> None:
    two_items(github)
    for number in range(10, 13):
        github.add_issue(REPO, "One", number=number, at=hour(number))
    query = """query($q: String!, $after: String) { search(query: $q, type: ISSUE, first: 2, after: $after) {
      issueCount pageInfo { hasNextPage endCursor } nodes { ... on Issue { number } ... on PullRequest { number } } } }"""
    first = client.data(query, q=f"repo:{REPO} is:issue sort:created-asc")["search"]
    assert (first["issueCount"], first["nodes"]) == (4, [{"number": 1}, {"number": 10}])
    second = client.data(query, q=f"repo:{REPO} is:issue sort:created-asc", after=first["pageInfo"]["endCursor"])[
        "search"
    ]
    assert second["nodes"] == [{"number": 11}, {"number": 12}]
    assert not second["pageInfo"]["hasNextPage"]
    assert client.data(query, q="repo:acme/nothing is:issue")["search"]["issueCount"] == 0


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("issues { nodes { number } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("issues(first: 101) { nodes { number } }", "EXCESSIVE_PAGINATION"),
        ("issues(first: 100) { nodes { comments(first: 100) { nodes { reactions(first: 100) { nodes { id } } } } } }", "MAX_NODE_LIMIT_EXCEEDED"),
        ("issue(number: 1) { numbr }", None),
    ],
)  # fmt: skip
def test_what_github_refuses_to_run(asked: str, kind: str | None) -> None:
    github = Server().start()
    github.add_token(TOKEN)
    github.add_repo(REPO)
    with httpx.Client(verify=False) as http:
        query = f'{{ repository(owner: "acme", name: "engine") {{ {asked} }} }}'
        body = Client(github, http).post(query).json()
    assert body.get("data") is None
    assert body["errors"][0].get("type") == kind
    with pytest.raises(AssertionError, match="a query is"):
        github.__exit__(None, None, None)


def test_a_query_costs_its_points(github: Server, client: Client) -> None:
    two_items(github)
    inner = "labels(first: 10) { nodes { name } } comments(first: 10) { nodes { body } } assignees(first: 10) { nodes { login } }"
    limit = client.data(ONE % f"issues(first: 100) {{ nodes {{ {inner} }} }} issue(number: $n) {{ id }}", n=1)[
        "rateLimit"
    ]
    assert (limit["cost"], limit["nodeCount"], limit["used"], limit["remaining"]) == (3, 3100, 3, 4997)
    assert (github.requests[-1].cost, github.remaining("ours", "graphql")) == (3, 4997)
    assert github.remaining("ours", "core") == 5000


def test_rest_and_graphql_say_the_same(github: Server, client: Client) -> None:
    day = build_day(github, repos=1, items=60)
    owner, name = day.repos[0].split("/")
    fields = "number title url state createdAt updatedAt closedAt body comments { totalCount } reactions { totalCount } author { login }"
    data = client.data(
        f'{{ repository(owner: "{owner}", name: "{name}") {{ issues(first: 100) {{ nodes {{ {fields} }} }} '
        f"pullRequests(first: 100) {{ nodes {{ {fields} }} }} }} }}"
    )["repository"]
    by_graphql = {row["number"]: row for kind in data.values() for row in kind["nodes"]}
    rows = client.rows(f"/repos/{day.repos[0]}/issues?state=all")
    assert {row["number"] for row in rows} == set(by_graphql)
    for row in rows:
        other = by_graphql[row["number"]]
        assert (row["title"], row["html_url"], row["created_at"]) == (other["title"], other["url"], other["createdAt"])
        assert (row["updated_at"], row["closed_at"]) == (other["updatedAt"], other["closedAt"])
        assert (row["body"] or "", row["comments"]) == (other["body"], other["comments"]["totalCount"])
        assert row["reactions"]["total_count"] == other["reactions"]["totalCount"]
        assert (row["state"] == "open") == (other["state"] == "OPEN")
        logins: tuple[Any, Any] = (row["user"], other["author"])
        assert logins == (None, None) or logins[0]["login"].removesuffix("[bot]") == logins[1]["login"]


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("{ viewer { login } }", True),
        ('query($n: Int!) { repository(owner: "a", name: "b") { issue(number: $n) { title } } }', True),
        ("{ viewer { logn } }", False),
        ('query($n: String!) { repository(owner: "a", name: "b") { issue(number: $n) { title } } }', False),
        ('{ repository(owner: "a", name: "b") { issues(first: 5, orderBy: {field: NAME, direction: ASC}) { totalCount } } }', False),
        ('{ repository(owner: "a", name: "b") { pullRequest(number: 1) { databaseId } } }', False),
        ("{ viewer { login }", False),
    ],
    ids=["right", "with a variable", "misspelt field", "wrong variable", "wrong enum", "deprecated", "broken"],
)  # fmt: skip
def test_our_queries_are_held_to_the_official_schema(query: str, right: bool) -> None:
    assert (validate_query(query) == []) is right

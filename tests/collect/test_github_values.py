"""What happened in a window, told from the times and events of an item; and every query, held to the official schema."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from daybreak.collect.forge import queries
from daybreak.collect.forge.graph import chosen
from daybreak.collect.forge.queries import Part, document
from daybreak.collect.forge.shapes import Brought, Light
from daybreak.collect.forge.values import happened
from fake_github import validate_query
from github_scene import REPO, change, day_window

DAY = datetime(2026, 3, 9, tzinfo=UTC)


def at(hours: float) -> str:
    return (DAY + timedelta(hours=hours)).isoformat()


def light(
    created: float, *events: tuple[str, float], merged: float | None = None, closed: float | None = None
) -> Light:
    """Hours are counted from the window's beginning, which lasts 24 of them."""
    nodes = [{"__typename": f"{kind}Event", "createdAt": at(hours)} for kind, hours in events]
    value = {
        "__typename": "Issue" if merged is None else "PullRequest",
        "number": 1,
        "createdAt": at(created),
        "updatedAt": at(90),
        "closedAt": None if closed is None else at(closed),
        "mergedAt": None if merged is None else at(merged),
        "timelineItems": {"nodes": nodes, "pageInfo": {"hasNextPage": False, "endCursor": None}},
    }
    return msgspec.convert(value, Light, strict=False)


SECOND = 1 / 3600
CASES = [
    ("opened at the first second", light(0), ("opened",)),
    ("opened a second before", light(-SECOND), ()),
    ("opened at the last second", light(24 - SECOND), ("opened",)),
    ("opened when the window ends", light(24), ()),
    ("opened and closed", light(1, ("Closed", 2), closed=2), ("opened", "closed")),
    ("closed, with no event told", light(-50, closed=3), ("closed",)),
    ("closed in it, reopened after it", light(-50, ("Closed", 3), ("Reopened", 30)), ("closed",)),
    ("closed before it, reopened in it", light(-50, ("Reopened", 3)), ("reopened",)),
    (
        "to and fro",
        light(-50, ("Closed", 1), ("Reopened", 2), ("Closed", 3), closed=3),
        ("closed", "reopened", "closed"),
    ),
    ("events out of order and twice", light(-9, ("Reopened", 2), ("Closed", 1), ("Closed", 1)), ("closed", "reopened")),
    ("merged, which closes as well", light(-50, ("Closed", 5), merged=5, closed=5), ("merged",)),
    ("merged, closed a second later", light(-50, ("Closed", 5 + SECOND), merged=5, closed=5), ("merged",)),
    (
        "closed, reopened and merged",
        light(-50, ("Closed", 1), ("Reopened", 2), ("Closed", 5), merged=5, closed=5),
        ("closed", "reopened", "merged"),
    ),
    ("merged after the window", light(1, ("Closed", 30), merged=30, closed=30), ("opened",)),
    ("touched only", light(-50), ()),
]


@pytest.mark.parametrize(("name", "item", "expected"), CASES, ids=[case[0] for case in CASES])
def test_what_happened_in_the_window(name: str, item: Light, expected: tuple[str, ...]) -> None:
    assert happened(item, day_window()) == expected


def associated(*pulls: tuple[int, int | None, str, str]) -> Brought:
    nodes = [
        {
            "number": number,
            "mergedAt": None if merged is None else at(merged),
            "mergeCommit": {"oid": sha * 40},
            "repository": {"nameWithOwner": home},
        }
        for number, merged, sha, home in pulls
    ]
    value = {"repository": {"nameWithOwner": REPO}, "associatedPullRequests": {"nodes": nodes}}
    return msgspec.convert(value, Brought, strict=False)


@pytest.mark.parametrize(
    ("pulls", "named", "expected"),
    [
        ((), 7, None),
        (((1, 5, "a", REPO),), None, 1),
        (((1, 5, "b", REPO), (2, 9, "a", REPO)), None, 2),
        (((1, 5, "b", REPO), (2, 9, "c", REPO)), None, 1),
        (((1, 5, "b", REPO), (2, 9, "c", REPO)), 2, 2),
        (((1, 5, "b", REPO),), 7, 1),
        (((1, None, "b", REPO),), None, None),
        (((1, None, "b", REPO),), 1, 1),
        (((1, 5, "a", "fork/engine"),), None, None),
    ],
)
def test_the_pull_request_that_a_commit_came_by(
    pulls: tuple[tuple[int, int | None, str, str], ...], named: int | None, expected: int | None
) -> None:
    assert chosen(associated(*pulls), change(REPO, "a" * 40, named)) == expected


VALUES = {
    "first": 100,
    "after": None,
    "since": "2026-03-09T00:00:00Z",
    "query": "repo:a/b",
    "number": 5,
    "tag": "v1",
    "sha": "a" * 40,
}
TEXTS = [name for name, value in vars(queries).items() if name.isupper() and isinstance(value, str) and "{" in value]


def part(name: str, repo: str = "a/b", since: str = "2026-03-09T00:00:00Z") -> Part:
    text: str = getattr(queries, name)
    used = {
        k: v for k, v in (VALUES | {"since": since}).items() if f"${k}" in text or (k == "since" and "Light" in text)
    }
    return Part(repo, text, dict, used)


def test_every_query_is_known() -> None:
    assert len([name for name in TEXTS if not name.startswith("_")]) == 10


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.startswith("_")])
def test_every_query_keeps_to_the_official_schema(name: str) -> None:
    text, variables = document([part(name)])
    assert validate_query(text) == []
    assert set(variables) == {word for word in variables if f"${word}" in text}


def test_all_queries_together_are_one_valid_request() -> None:
    names = [name for name in TEXTS if not name.startswith("_")]
    parts = [part(name, repo, since) for name in names for repo in ("a/b", "a/c") for since in ("2026-03-09T00:00:00Z", "2026-03-08T00:00:00Z")]  # fmt: skip
    text, variables = document(parts)
    assert validate_query(text) == []
    assert sorted(value for name, value in variables.items() if name.startswith("name")) == ["b", "c"]


def test_a_misspelt_field_would_be_seen() -> None:
    wrong = Part("a/b", "issue(number: $number) { titel }", dict, {"number": 5})
    assert validate_query(document([wrong])[0]) != []

"""What happened in a window, told from the times and events of an item; and every query, held to the official schema."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import msgspec.inspect as mi
import pytest
from graphql import (
    FieldsOnCorrectTypeRule,
    GraphQLError,
    KnownArgumentNamesRule,
    KnownTypeNamesRule,
    ValuesOfCorrectTypeRule,
    parse,
    validate,
)

from daybreak.collect.github import queries, shapes
from daybreak.collect.github.graph import chosen
from daybreak.collect.github.queries import Part, document
from daybreak.collect.github.shapes import Brought, Light
from daybreak.collect.github.values import happened
from fake_github import validate_query
from fake_github.official import rest, schema
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
TEXTS = [name for name, value in vars(queries).items() if name.isupper() and isinstance(value, str)]


def part(name: str, repo: str = "a/b", since: str = "2026-03-09T00:00:00Z") -> Part:
    text: str = getattr(queries, name)
    used = {
        k: v for k, v in (VALUES | {"since": since}).items() if f"${k}" in text or (k == "since" and "Light" in text)
    }
    return Part(repo, text, dict, used)


def test_every_query_is_known() -> None:
    assert len([name for name in TEXTS if not name.startswith("_")]) == 13


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


NO_FIELD = re.compile(r"(?:query|on|fragment|null|true|false|[ph]\d+|issueState|pullState|linked|turns)$")
"""Words of the language, and names that we give ourselves."""


def breaks_a_rule_of_words(text: str) -> bool:
    """By the rules that see most misspelt words; `validate_query` goes by these and all others, which takes longer."""
    rules = [FieldsOnCorrectTypeRule, KnownArgumentNamesRule, KnownTypeNamesRule, ValuesOfCorrectTypeRule]
    try:
        return bool(validate(schema(), parse(text), rules, max_errors=1))
    except GraphQLError:
        return True


def test_every_misspelt_word_of_every_query_would_be_seen() -> None:
    """A word is tried once with the words before it: queries share their pieces."""
    tried = set[str]()
    for name in TEXTS:
        if name.startswith("_"):
            continue
        text, _ = document([part(name)])
        for found in re.finditer(r'(?<![$\w"/])[A-Za-z_]\w*(?!\w*[/"])', text):
            end = found.end()
            if NO_FIELD.match(found[0]) or (before := text[max(0, end - 60) : end]) in tried:
                continue
            tried.add(before)
            wrong = f"{text[:end]}Qz{text[end:]}"
            assert breaks_a_rule_of_words(wrong) or validate_query(wrong), (name, found[0])
    assert len(tried) >= 2 * len(TEXTS)


READ: list[tuple[str, type]] = [
    ("get /repos/{owner}/{repo}/issues", shapes.RestItem),
    ("get /repos/{owner}/{repo}/issues/{issue_number}", shapes.RestItem),
    ("get /search/issues", shapes.RestFound[shapes.RestItem]),
    ("get /repos/{owner}/{repo}/pulls", shapes.RestItem),
    ("get /repos/{owner}/{repo}/issues/events", shapes.RestEvent),
    ("get /repos/{owner}/{repo}/releases", shapes.RestRelease),
    ("get /repos/{owner}/{repo}/tags", shapes.RestTag),
    ("get /repos/{owner}/{repo}", shapes.RestHome),
    ("get /repos/{owner}/{repo}/commits/{commit_sha}/pulls", shapes.RestAssociated),
]
ELSEWHERE = {
    "get /repos/{owner}/{repo}/issues": {"merged_at", "merge_commit_sha"},
    "get /repos/{owner}/{repo}/issues/{issue_number}": {"merged_at", "merge_commit_sha"},
    "get /search/issues": {"merged_at", "merge_commit_sha"},
    "get /repos/{owner}/{repo}/pulls": {"comments", "reactions", "state_reason", "pull_request"},
}
"""The same form is read from lists of issues and of pull requests, which have not all of it."""


def unknown(kind: Any, described: Any, at: str = "") -> list[str]:
    """Fields that we read and that the official description does not have."""
    described = resolved(described)
    if isinstance(kind, mi.UnionType):
        return [one for part in kind.types for one in unknown(part, described, at)]
    if isinstance(kind, mi.ListType):
        return unknown(kind.item_type, described.get("items", {}), at)
    if not isinstance(kind, mi.StructType):
        return []
    found = []
    for field in kind.fields:
        if field.encode_name not in described.get("properties", {}):
            found.append(f"{at}{field.encode_name}")
        else:
            found += unknown(field.type, described["properties"][field.encode_name], f"{at}{field.encode_name}.")
    return found


def resolved(described: Any) -> Any:
    """Without references and alternatives: all properties that one of them has."""
    if "$ref" in described:
        return resolved(rest()["components"]["schemas"][described["$ref"].rpartition("/")[2]])
    whole = dict(described)
    for one in (*described.get("anyOf", ()), *described.get("oneOf", ()), *described.get("allOf", ())):
        more = resolved(one)
        whole["properties"] = {**more.get("properties", {}), **whole.get("properties", {})}
        whole.setdefault("items", more.get("items", {}))
    return whole


@pytest.mark.parametrize(("operation", "kind"), READ, ids=[operation for operation, _ in READ])
def test_every_field_that_is_read_by_rest_is_described(operation: str, kind: type) -> None:
    described = resolved(rest()["operations"][operation]["responses"]["200"])
    if described.get("type") == "array":
        described = described["items"]
    missing = unknown(mi.type_info(kind), described)
    assert {one.rpartition(".")[2] for one in missing} == ELSEWHERE.get(operation, set())


def test_a_misspelt_field_of_rest_would_be_seen() -> None:
    class Wrong(msgspec.Struct):
        tag_nam: str = ""

    described = resolved(rest()["operations"]["get /repos/{owner}/{repo}/releases"]["responses"]["200"])
    assert unknown(mi.type_info(Wrong), described["items"]) == ["tag_nam"]

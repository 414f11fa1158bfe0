"""GitHub's official description, in the small part that `scripts/github_schema.py` derives: what answers and queries are held to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jsonschema
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    NoDeprecatedCustomRule,
    build_schema,
    parse,
    specified_rules,
    validate,
)

DATA = Path(__file__).parent / "official_data"


@cache
def rest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / "rest.json").read_text(encoding="utf-8"))
    # The one place where the description is stricter than GitHub: the search shows an empty body as null, as lists do.
    found["components"]["schemas"]["issue-search-result-item"]["properties"]["body"]["type"] = ["string", "null"]
    return found


@cache
def schema() -> GraphQLSchema:
    """Assumed valid: the official one breaks a rule of deprecation itself."""
    return build_schema((DATA / "schema.graphql").read_text(encoding="utf-8"), assume_valid=True)


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Fixed words before names in braces, as a router would have it."""
    names = sorted(rest()["operations"], key=lambda name: re.sub(r"\{[^}]+\}", "{}", name).replace("{}", "~"))
    return [(re.compile(re.sub(r"\\\{[^}]+\\\}", "[^/]+", re.escape(name))), name) for name in names]


def operation(method: str, path: str) -> str | None:
    """The official operation of a request, `get /repos/{owner}/{repo}`; addresses by id are those by name."""
    named = re.sub(r"^/repositories/\d+", "/repos/o/r", path)
    spoken = f"{method.lower()} {named}"
    return next((name for pattern, name in _patterns() if pattern.fullmatch(spoken)), None)


@cache
def _validator(name: str, status: int) -> Any:
    responses = rest()["operations"][name]["responses"]
    basic = {"$ref": "#/components/schemas/basic-error"}
    known = responses.get(str(status)) or (basic if status >= 300 else None)
    assert known is not None, f"The official description has no {status} of {name}"
    whole = {"components": rest()["components"], **known}
    return jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker())


def validate_answer(method: str, path: str, status: int, body: Any) -> list[str]:
    """What an answer of REST breaks of the official description; nothing for a 304, which has no body."""
    name = operation(method, path)
    if name is None:
        return [f"{method} {path} is not described"]
    if status == 304:
        return []
    errors = _validator(name, status).iter_errors(body)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors]


def request_problems(method: str, path: str, query: Mapping[str, str]) -> list[str]:
    """What a request asks that is not described: an unknown path, parameter or value."""
    name = operation(method, path)
    if name is None:
        return [f"{method} {path} is not described"]
    described = rest()["operations"][name]
    found = [f"{name} needs {key}" for key in described["required"] if key not in query]
    for key, value in query.items():
        if key not in described["query"]:
            found.append(f"{name} has no parameter {key}")
            continue
        wanted = described["query"][key]
        typed: Any = int(value) if wanted.get("type") == "integer" and value.isdigit() else value
        found += [
            f"{name}: {key}: {error.message[:200]}"
            for error in jsonschema.Draft202012Validator(wanted).iter_errors(typed)
        ]
    return found


@lru_cache(maxsize=64)
def read_query(text: str) -> tuple[DocumentNode | None, tuple[GraphQLError, ...]]:
    """A query with all that GitHub would refuse of it; of a simulated year not all are kept."""
    try:
        document = parse(text, no_location=True)  # every token would be kept with its place
    except GraphQLError as error:
        return None, (error,)
    return document, tuple(validate(schema(), document))


def validate_query(text: str) -> list[str]:
    """What is wrong with one of our queries by the official schema; a deprecated field counts as wrong."""
    document, errors = read_query(text)
    if document is not None and not errors:
        errors = tuple(validate(schema(), document, rules=[*specified_rules, NoDeprecatedCustomRule]))
    return [error.message for error in errors]

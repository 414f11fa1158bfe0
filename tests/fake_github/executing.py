"""The GraphQL of the fake GitHub: queries really run against the official schema, over the world."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    FieldNode,
    GraphQLError,
    GraphQLResolveInfo,
    OperationDefinitionNode,
    execute_sync,
    get_operation_ast,
)

from fake_github.asked import SAML, Answer, Request, refusal
from fake_github.connection import Context
from fake_github.faults import BENT, Fault
from fake_github.official import read_query, schema
from fake_github.payloads import Payloads
from fake_github.querying import LimitError, Weight, weigh
from fake_github.roots import Root
from fake_github.world import World

WENT_WRONG = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub bug. "
    "Please include `0400:1F2E:3D4C:5B6A:7F8E9D0C` when reporting this issue."
)
NEVER_NULL = {"search", "viewer"}


class Unknown(Exception):
    """The official schema has the field, the fake has not."""


@cache
def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()


def resolve(source: Any, info: GraphQLResolveInfo[Context], **args: Any) -> Any:
    """A key of a dict, or an attribute or method of a node by its name in snake case."""
    if isinstance(source, Mapping):
        if info.field_name not in source:
            raise Unknown(f"the fake does not know {info.parent_type.name}.{info.field_name}")
        value = source[info.field_name]
    else:
        name = snake(info.field_name)
        if not hasattr(source, name):
            raise Unknown(f"the fake does not know {info.parent_type.name}.{info.field_name}")
        value = getattr(source, name)
    return value(**{snake(key): arg for key, arg in args.items()}) if callable(value) else value


def typename(source: Any, _info: GraphQLResolveInfo[Context], _kind: Any) -> str:
    found: str = source.typename
    return found


class GraphQL:
    def __init__(self, world: World, payloads: Payloads, complain: Callable[[str], None]) -> None:
        self.world, self.show, self.complain = world, payloads, complain
        self._kept: dict[Any, dict[str, Any]] = {}

    def answer(self, request: Request) -> Answer:
        if not request.account.known:
            return refusal(401, "This endpoint requires you to be authenticated.")
        try:
            asked = json.loads(request.body)
            text, variables = asked["query"], asked.get("variables") or {}
        except (ValueError, TypeError, KeyError):
            return refusal(400, "Problems parsing JSON")
        document, errors = read_query(text)
        if errors or document is None:
            for error in errors:
                self.complain(f"a query is not valid: {error.message}")
            return Answer(200, {"errors": [shown(error) for error in errors]})
        operation = get_operation_ast(document, asked.get("operationName"))
        if operation is None:
            return Answer(200, {"errors": [{"message": "Must provide operation name."}]})
        weight = weigh(document, operation, variables)
        if weight.errors:
            for error in weight.errors:
                self.complain(f"a query is refused: {error.message}")
            return Answer(200, {"data": None, "errors": [shown(error) for error in weight.errors]})
        return self._run(request, document, operation, variables, weight)

    def _run(
        self, request: Request, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any], weight: Weight
    ) -> Answer:  # fmt: skip
        failed = request.struck("graphql_error", "graphql_timeout")
        if failed is not None:
            return Answer(failed.option("status"), {"data": None, "errors": [outage(failed)]}, cost=weight.cost)
        context = Context(self.world, self.show, request.account, weight, request.fault, request.body)
        body = self._body(context, request, document, operation, variables)
        partial = request.struck("graphql_partial", "resource_limits")
        if partial is not None and body["data"]:
            self._lose(partial, operation, body)
        bent = request.struck(*BENT)
        if bent is not None and body["data"]:
            bend(bent, body)
        return Answer(200, body, cost=weight.cost)

    def _body(
        self, context: Context, request: Request, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]
    ) -> dict[str, Any]:  # fmt: skip
        """Run, or the answer to the same query over the same snapshot with the limit of now: a campaign asks it often."""
        if self.world.version is None or request.struck("duplicate", "reorder", "touch", "arrive", *BENT):
            return self._executed(context, document, operation, variables)
        key = (self.world.version, request.account.private, request.body)
        if key not in self._kept:
            self._kept[key] = self._executed(context, document, operation, variables)
        body = {name: copy(value) for name, value in self._kept[key].items()}
        for field in operation.selection_set.selections:
            if (
                isinstance(field, FieldNode)
                and field.name.value == "rateLimit"
                and field.selection_set
                and body["data"]
            ):
                values = Root(context).rate_limit()
                asked = [one for one in field.selection_set.selections if isinstance(one, FieldNode)]
                limit = {(one.alias or one.name).value: values[one.name.value] for one in asked}
                body["data"][(field.alias or field.name).value] = limit
        return body

    def _executed(
        self, context: Context, document: DocumentNode, operation: OperationDefinitionNode, variables: dict[str, Any]
    ) -> dict[str, Any]:
        result = execute_sync(
            schema(), document, Root(context), context, variables, operation.name.value if operation.name else None,
            field_resolver=resolve, type_resolver=typename,
        )  # fmt: skip
        assert isinstance(result, ExecutionResult)
        for error in result.errors or ():
            if not isinstance(error.original_error, LimitError):
                self.complain(f"a query failed: {error.message}")
        body: dict[str, Any] = {"data": result.data}
        if result.errors:
            body["errors"] = [shown(error) for error in result.errors]
        return body

    @staticmethod
    def _lose(fault: Fault, operation: OperationDefinitionNode, body: dict[str, Any]) -> None:
        """One part of the answer is null, with an error that has its path."""
        data = body["data"]
        aliases = [name for name, value in data.items() if isinstance(value, dict) and "cost" not in value]
        lost = str(fault.option("alias") or (aliases[-1] if aliases else ""))
        if lost not in data:
            return
        kind = "RESOURCE_LIMITS_EXCEEDED" if fault.kind == "resource_limits" else fault.option("type")
        message = (
            "Resource limits for this query exceeded." if fault.kind == "resource_limits" else fault.option("message")
        )
        body.setdefault("errors", []).append({"type": kind, "path": [lost], "message": message})
        names = {
            (one.alias or one.name).value: one.name.value
            for one in operation.selection_set.selections
            if isinstance(one, FieldNode)
        }
        if names.get(lost, "") in NEVER_NULL:
            body["data"] = None
        else:
            data[lost] = None


def pages(body: dict[str, Any]) -> list[tuple[list[str | int], dict[str, Any]]]:
    """The lists of an answer that have rows, with their paths; a search stands at the root."""
    found: list[tuple[list[str | int], dict[str, Any]]] = []
    for alias, value in body["data"].items():
        for path, one in [([alias], value), *(([alias, key], one) for key, one in (value or {}).items())]:
            if isinstance(one, dict) and one.get("nodes") and "pageInfo" in one:
                found.append((path, one))
    return found


def bend(fault: Fault, body: dict[str, Any]) -> None:
    """One place of the answer is other than it should be: a row that is not shown, a page without its end."""
    if fault.kind == "odd_alias" and body["data"]:
        body["data"][list(body["data"])[-1]] = {"anything": [{"else": 1}]}
        return
    chosen = [(path, one) for path, one in pages(body) if fault.kind != "short_search" or "issueCount" in one]
    for path, page in chosen[-1:]:
        if fault.kind == "lost_cursor":
            page["pageInfo"] = {"hasNextPage": True, "endCursor": None}
        elif fault.kind == "short_search":
            page["nodes"].pop()
        else:
            error = {"type": fault.option("type"), "path": [*path, "nodes", len(page["nodes"]) - 1], "message": SAML}
            page["nodes"][-1] = None
            body.setdefault("errors", []).append(error)


def outage(fault: Fault) -> dict[str, Any]:
    if fault.kind == "graphql_timeout":
        return {"message": WENT_WRONG}
    kind = fault.option("type")
    return {"message": fault.option("message"), **({"type": kind} if kind else {})}


def shown(error: GraphQLError) -> dict[str, Any]:
    """As GitHub writes it: with a `type` of its own beside the message."""
    found: dict[str, Any] = dict(error.formatted)
    cause = error if isinstance(error, LimitError) else error.original_error
    return {"type": cause.kind, **found} if isinstance(cause, LimitError) else found

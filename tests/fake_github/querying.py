"""What a GraphQL query would cost, and whether GitHub would run it at all: its limits on pages and nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    value_from_ast_untyped,
)

MOST_NODES = 500_000


@dataclass(slots=True)
class Weight:
    requests: int = 0
    nodes: int = 0
    errors: list[GraphQLError] = field(default_factory=list)

    @property
    def cost(self) -> int:
        """Points by GitHub's rule: a hundred requests that it makes inside are one point, and no query is free."""
        return max(1, round(self.requests / 100))


class LimitError(GraphQLError):
    """An error with GitHub's `type`."""

    def __init__(self, kind: str, message: str, **more: Any) -> None:
        super().__init__(message, **more)
        self.kind = kind


def weigh(document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> Weight:
    fragments = {one.name.value: one for one in document.definitions if isinstance(one, FragmentDefinitionNode)}
    given = dict(variables)
    for variable in operation.variable_definitions or ():
        name = variable.variable.name.value
        if name not in given and variable.default_value is not None:
            given[name] = value_from_ast_untyped(variable.default_value)
    weight = Weight()
    _walk(operation.selection_set, fragments, given, 1, weight)
    weight.requests = max(1, weight.requests)
    if weight.nodes > MOST_NODES:
        text = f"This query requests up to {weight.nodes:,} possible nodes which exceeds the maximum limit of {MOST_NODES:,}."
        weight.errors.append(LimitError("MAX_NODE_LIMIT_EXCEEDED", text))
    return weight


def _fields(selection: SelectionSetNode, fragments: Mapping[str, FragmentDefinitionNode]) -> Iterator[FieldNode]:
    for node in selection.selections:
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _fields(node.selection_set, fragments)
        elif isinstance(node, FragmentSpreadNode):
            yield from _fields(fragments[node.name.value].selection_set, fragments)


def _walk(
    selection: SelectionSetNode,
    fragments: Mapping[str, FragmentDefinitionNode],
    given: Mapping[str, Any],
    times: int,
    weight: Weight,
) -> None:
    for node in _fields(selection, fragments):
        values = {one.name.value: value_from_ast_untyped(one.value, dict(given)) for one in node.arguments or ()}
        inside = times
        if _is_connection(node, fragments):
            size = values.get("first") if values.get("first") is not None else values.get("last")
            weight.errors += _page_errors(node, size)
            weight.requests += times
            inside = times * (size or 0)
            weight.nodes += inside
        if node.selection_set is not None:
            _walk(node.selection_set, fragments, given, inside, weight)


def _is_connection(node: FieldNode, fragments: Mapping[str, FragmentDefinitionNode]) -> bool:
    """By what is asked of it; asked for nothing but a count, it needs no page."""
    if node.selection_set is None:
        return False
    return bool({"nodes", "edges", "pageInfo"} & {one.name.value for one in _fields(node.selection_set, fragments)})


def _page_errors(node: FieldNode, size: Any) -> list[GraphQLError]:
    name = node.name.value
    if size is None:
        text = f"You must provide a `first` or `last` value to properly paginate the `{name}` connection."
        return [LimitError("MISSING_PAGINATION_BOUNDARIES", text, nodes=node)]
    if size > 100:
        text = f"Requesting {size} records on the `{name}` connection exceeds the `first` limit of 100 records."
        return [LimitError("EXCESSIVE_PAGINATION", text, nodes=node)]
    return []

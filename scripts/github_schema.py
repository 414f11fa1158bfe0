"""Derives the small part of GitHub's official description that the tests hold the fake GitHub and our queries to.

Takes the folder into which `npm i --ignore-scripts @octokit/openapi @octokit/graphql-schema` was run. Writes
tests/fake_github/official_data: of the REST description the operations below, with the schemas they need, as JSON Schema;
of the GraphQL schema the types below, with every field whose type is among them, every argument, and every enum and input they need.
Words for readers (descriptions, examples) are left out; nothing else is changed by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import (
    EnumTypeDefinitionNode,
    InputValueDefinitionNode,
    InterfaceTypeDefinitionNode,
    NamedTypeNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    TypeDefinitionNode,
    TypeNode,
    UnionTypeDefinitionNode,
    parse,
    print_ast,
)

TARGET = Path(__file__).parent.parent / "tests" / "fake_github" / "official_data"

OPERATIONS = (
    ("get", "/repos/{owner}/{repo}"),
    ("get", "/repos/{owner}/{repo}/issues"),
    ("get", "/repos/{owner}/{repo}/issues/events"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/timeline"),
    ("get", "/repos/{owner}/{repo}/pulls"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/releases"),
    ("get", "/repos/{owner}/{repo}/releases/latest"),
    ("get", "/repos/{owner}/{repo}/releases/tags/{tag}"),
    ("get", "/repos/{owner}/{repo}/tags"),
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"),
    ("get", "/search/issues"),
    ("get", "/rate_limit"),
    ("post", "/app/installations/{installation_id}/access_tokens"),
)
NOT_SCHEMA = {
    "description",
    "summary",
    "example",
    "examples",
    "externalDocs",
    "discriminator",
    "title",
    "tags",
    "operationId",
}

QUERY_FIELDS = {"id", "repository", "search", "rateLimit", "node", "nodes", "viewer"}
KEPT = {
    "Query", "Repository", "RepositoryOwner", "RateLimit", "PageInfo", "Node", "Actor", "User", "Bot", "Organization",
    "Mannequin", "EnterpriseUserAccount", "Issue", "IssueConnection", "IssueEdge", "IssueOrPullRequest",
    "PullRequest", "PullRequestConnection", "PullRequestEdge", "Label", "LabelConnection", "LabelEdge", "Milestone",
    "MilestoneConnection", "Reaction", "ReactionGroup", "ReactionConnection", "Reactable", "ReactorConnection", "IssueComment",
    "IssueCommentConnection", "Comment", "Closable", "Closer", "Labelable", "Assignable", "Lockable",
    "ReferencedSubject", "PullRequestReview", "PullRequestReviewConnection", "ReviewRequestConnection", "Release",
    "ReleaseConnection", "ReleaseEdge", "Ref", "RefConnection", "RefEdge", "GitObject", "Tag", "Commit",
    "CommitConnection", "GitActor", "CommitHistoryConnection", "PullRequestCommit", "PullRequestCommitConnection",
    "PullRequestChangedFile", "PullRequestChangedFileConnection", "SearchResultItem", "SearchResultItemConnection",
    "SearchResultItemEdge", "UniformResourceLocatable", "UserConnection", "IssueTimelineItems",
    "IssueTimelineItemsConnection", "PullRequestTimelineItems", "PullRequestTimelineItemsConnection", "ClosedEvent",
    "ReopenedEvent", "MergedEvent", "CrossReferencedEvent", "ConnectedEvent", "DisconnectedEvent", "ReferencedEvent",
    "LabeledEvent",
}  # fmt: skip
BUILT_IN = {"Int", "Float", "String", "Boolean", "ID"}


def plain(schema: Any, *, names: bool = False) -> Any:
    """An OpenAPI 3.0 schema as JSON Schema; `names`: the keys are names of properties, not words of the schema."""
    if isinstance(schema, list):
        return [plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: plain(value, names=not names and key == "properties")
        for key, value in schema.items()
        if names or not (key in NOT_SCHEMA or key.startswith("x-"))
    }
    if names or not kept.pop("nullable", False):
        return kept
    if isinstance(kept.get("type"), str):
        kept["type"] = [kept["type"], "null"]
        if "enum" in kept and None not in kept["enum"]:
            kept["enum"] = [*kept["enum"], None]
        return kept
    return {"anyOf": [kept, {"type": "null"}]}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def resolved(document: Any, value: Any) -> Any:
    while "$ref" in value:
        reference = value["$ref"]
        value = document
        for part in reference[2:].split("/"):
            value = value[part]
    return value


def operation(document: Any, method: str, path: str) -> dict[str, Any]:
    whole = document["paths"][path]
    own = whole[method]
    parameters = [resolved(document, one) for one in [*whole.get("parameters", []), *own.get("parameters", [])]]
    responses = {}
    for status, response in own["responses"].items():
        content = resolved(document, response).get("content", {})
        responses[status] = plain(content["application/json"]["schema"]) if "application/json" in content else None
    return {
        "query": {one["name"]: plain(one["schema"]) for one in parameters if one["in"] == "query"},
        "required": [one["name"] for one in parameters if one["in"] == "query" and one.get("required")],
        "responses": responses,
    }


def rest(document: Any) -> dict[str, Any]:
    operations = {f"{method} {path}": operation(document, method, path) for method, path in OPERATIONS}
    schemas: dict[str, Any] = {}
    waiting = [*references(operations), "#/components/schemas/basic-error", "#/components/schemas/validation-error"]
    while waiting:
        reference = waiting.pop()
        name = reference.removeprefix("#/components/schemas/")
        if name not in schemas:
            schemas[name] = plain(resolved(document, {"$ref": reference}))
            waiting += references(schemas[name])
    return {
        "source": f"@octokit/openapi {document['info']['version']}, generated/api.github.com.json (MIT)",
        "operations": operations,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def named(kind: TypeNode) -> str:
    while not isinstance(kind, NamedTypeNode):
        kind = kind.type  # type: ignore[attr-defined]
    return kind.name.value


def bare(node: Any) -> Any:
    """Without words for readers; who is deprecated stays."""
    changes: dict[str, Any] = {
        "description": None,
        "directives": tuple(one for one in node.directives or () if one.name.value == "deprecated"),
    }
    for child in ("fields", "arguments", "values"):
        if getattr(node, child, None):
            changes[child] = tuple(bare(inner) for inner in getattr(node, child))
    return replace(node, **changes)


def pruned(node: Any, leaves: set[str]) -> Any:
    """A type with only what leads to types that are kept."""
    if isinstance(node, UnionTypeDefinitionNode):
        return replace(node, types=tuple(one for one in node.types or () if one.name.value in KEPT))
    if isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        fields = tuple(
            field
            for field in node.fields or ()
            if named(field.type) in KEPT | leaves and (node.name.value != "Query" or field.name.value in QUERY_FIELDS)
        )
        interfaces = tuple(one for one in node.interfaces or () if one.name.value in KEPT)
        return replace(node, fields=fields, interfaces=interfaces)
    return node


def needed(node: Any) -> Iterator[str]:
    for child in ("fields", "arguments"):
        for inner in getattr(node, child, None) or ():
            yield named(inner.type)
            if not isinstance(inner, InputValueDefinitionNode):
                yield from needed(inner)


def sdl(text: str, version: str) -> str:
    definitions: dict[str, Any] = {
        node.name.value: node
        for node in parse(text, no_location=True).definitions
        if isinstance(node, TypeDefinitionNode)
    }
    lost = KEPT - set(definitions)
    if lost:
        sys.exit(f"The official schema no longer has: {', '.join(sorted(lost))}.")
    leaf = EnumTypeDefinitionNode | ScalarTypeDefinitionNode
    leaves = BUILT_IN | {name for name, node in definitions.items() if isinstance(node, leaf)}
    chosen: dict[str, Any] = {}
    waiting = sorted(KEPT)
    while waiting:
        name = waiting.pop()
        if name in chosen or name in BUILT_IN:
            continue
        chosen[name] = bare(pruned(definitions[name], leaves))
        waiting += needed(chosen[name])
    parts = [print_ast(chosen[name]) for name in sorted(chosen)]
    return (
        f"# From @octokit/graphql-schema {version}, schema.graphql (MIT): see LICENSE.md.\n\n"
        + "\n\n".join(parts)
        + "\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where node_modules/ is")
    octokit = parser.parse_args().folder / "node_modules" / "@octokit"
    document = json.loads((octokit / "openapi" / "generated" / "api.github.com.json").read_text(encoding="utf-8"))
    version = json.loads((octokit / "graphql-schema" / "package.json").read_text(encoding="utf-8"))["version"]
    graphql = (octokit / "graphql-schema" / "schema.graphql").read_text(encoding="utf-8")
    TARGET.mkdir(parents=True, exist_ok=True)
    rows = json.dumps(rest(document), indent=1, sort_keys=True, ensure_ascii=False)
    (TARGET / "rest.json").write_text(rows + "\n", encoding="utf-8")
    (TARGET / "schema.graphql").write_text(sdl(graphql, version), encoding="utf-8")
    licences = [
        f"# {name}\n\n{(octokit / name / file).read_text(encoding='utf-8').strip()}\n"
        for name, file in (("openapi", "LICENSE"), ("graphql-schema", "LICENSE.md"))
    ]
    (TARGET / "LICENSE.md").write_text("\n".join(licences), encoding="utf-8")
    for file in sorted(TARGET.iterdir()):
        print(f"{file.stat().st_size:8} {file.name}")


if __name__ == "__main__":
    main()

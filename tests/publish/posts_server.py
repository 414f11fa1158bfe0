"""A small GitHub on loopback that knows issues and discussions: GraphQL over a list in memory, with faults on request.

What it is asked is held against the part of GitHub's official schema below.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Self

from graphql import DocumentNode, GraphQLError, build_schema, execute_sync, parse, validate

from daybreak.core.http import Http, Patience

SCHEMA = build_schema(
    """
    scalar DateTime
    scalar URI
    enum Direction { ASC DESC }
    enum ByTime { CREATED_AT UPDATED_AT }
    input IssueOrder { field: ByTime! direction: Direction! }
    input DiscussionOrder { field: ByTime! direction: Direction! }
    interface Node { id: ID! }
    type PageInfo { hasNextPage: Boolean! endCursor: String }
    type Issue implements Node { id: ID! number: Int! url: URI! title: String! body: String! createdAt: DateTime! viewerDidAuthor: Boolean! }
    type Discussion implements Node { id: ID! number: Int! url: URI! title: String! body: String! createdAt: DateTime! viewerDidAuthor: Boolean! }
    type IssueConnection { pageInfo: PageInfo! nodes: [Issue] }
    type DiscussionConnection { pageInfo: PageInfo! nodes: [Discussion] }
    type DiscussionCategory { id: ID! name: String! slug: String! }
    type DiscussionCategoryConnection { nodes: [DiscussionCategory] }
    type Label { id: ID! }
    type Repository {
      id: ID! isArchived: Boolean! hasIssuesEnabled: Boolean! hasDiscussionsEnabled: Boolean!
      issues(first: Int, after: String, orderBy: IssueOrder): IssueConnection!
      discussions(first: Int, after: String, orderBy: DiscussionOrder): DiscussionConnection!
      discussionCategories(first: Int): DiscussionCategoryConnection!
      label(name: String!): Label
    }
    input CreateIssueInput { repositoryId: ID! title: String! body: String labelIds: [ID!] }
    input UpdateIssueInput { id: ID! title: String body: String labelIds: [ID!] }
    input CreateDiscussionInput { repositoryId: ID! categoryId: ID! title: String! body: String! }
    input UpdateDiscussionInput { discussionId: ID! categoryId: ID title: String body: String }
    type CreateIssuePayload { issue: Issue }
    type UpdateIssuePayload { issue: Issue }
    type CreateDiscussionPayload { discussion: Discussion }
    type UpdateDiscussionPayload { discussion: Discussion }
    type Query { repository(owner: String!, name: String!): Repository nodes(ids: [ID!]!): [Node]! }
    type Mutation {
      createIssue(input: CreateIssueInput!): CreateIssuePayload
      updateIssue(input: UpdateIssueInput!): UpdateIssuePayload
      createDiscussion(input: CreateDiscussionInput!): CreateDiscussionPayload
      updateDiscussion(input: UpdateDiscussionInput!): UpdateDiscussionPayload
    }
    """
)
REPOSITORY = "us/news"
LONGEST = 65_536


@cache
def _valid(query: str) -> DocumentNode:
    document = parse(query)
    assert validate(SCHEMA, document) == []
    return document


@dataclass
class Item:
    """An issue or a discussion."""

    kind: str
    id: str
    title: str
    body: str
    at: datetime
    ours: bool = True
    labels: tuple[str, ...] = ()
    category: str = ""
    writes: int = 0


@dataclass
class Fault:
    """Strikes requests whose document has this word; `after`: the order is carried out all the same."""

    word: str
    times: int = 1
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    after: bool = False
    drop: bool = False


class Posts:
    """The server; `with` starts and stops it."""

    def __init__(self) -> None:
        self.categories = {"Announcements": "DC_1", "General": "DC_2"}
        self.labels = {"daily": "LA_1"}
        self.reset()
        self.http = Http(Patience(2, 2, 5))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def reset(self) -> None:
        """Nothing was written, asked or struck."""
        self.items: list[Item] = []
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.paths: list[str] = []
        self.faults: list[Fault] = []
        self.now = datetime(2026, 1, 20, 8, tzinfo=UTC)
        self.archived, self.enabled = False, True

    def __enter__(self) -> Self:
        self._thread = Thread(target=lambda: self._server.serve_forever(poll_interval=0.005), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # --- what tests do ---------------------------------------------------------------------------------------------

    def add(self, title: str, body: str, *, kind: str = "issue", ours: bool = True, at: datetime | None = None) -> Item:
        made = Item(kind, f"{kind[0].upper()}_{len(self.items) + 1}", title, body, at or self.now, ours)
        self.items.append(made)
        return made

    def of(self, kind: str) -> list[Item]:
        return [item for item in self.items if item.kind == kind]

    def fault(self, word: str, **options: Any) -> None:
        self.faults.append(Fault(word, **options))

    def documents(self, word: str) -> int:
        """How many requests had the word."""
        return sum(word in one["query"] for one in self.requests)

    def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    # --- what it answers -------------------------------------------------------------------------------------------

    def answer(self, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes | None]:
        struck = next((one for one in self.faults if one.word in asked["query"] and one.times), None)
        if struck is not None:
            struck.times -= 1
            if struck.after:
                self._executed(asked)
            body = struck.body if struck.body is not None else {"message": "A secret word of the server"}
            return struck.status, struck.headers, None if struck.drop else json.dumps(body).encode()
        return 200, {}, json.dumps(self._executed(asked)).encode()

    def _executed(self, asked: dict[str, Any]) -> dict[str, Any]:
        def typed(value: Any, *_: Any) -> str:
            return str(value["__typename"])

        document = _valid(asked["query"])
        resolvers, told = _Root(self).resolvers(), asked["variables"]
        done = execute_sync(SCHEMA, document, resolvers, variable_values=told, type_resolver=typed)
        found: dict[str, Any] = {"data": done.data}
        if done.errors:
            found["errors"] = [{"message": e.message, **(e.extensions or {}), "path": e.path} for e in done.errors]
        return found

    def row(self, item: Item) -> dict[str, Any]:
        number = int(item.id.partition("_")[2])
        return {
            "__typename": item.kind.capitalize(),
            "id": item.id,
            "number": number,
            "url": f"https://github.com/{REPOSITORY}/{item.kind}s/{number}",
            "title": item.title,
            "body": item.body,
            "createdAt": item.at.isoformat().replace("+00:00", "Z"),
            "viewerDidAuthor": item.ours,
        }


def _missing(what: str) -> GraphQLError:
    return GraphQLError(f"Could not resolve to {what}.", extensions={"type": "NOT_FOUND"})


class _Root:
    """Resolvers of the first level; rows below are plain dicts."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts

    def resolvers(self) -> dict[str, Any]:
        orders = [(done, kind) for done in ("create", "update") for kind in ("issue", "discussion")]
        found: dict[str, Any] = {f"{done}{kind.capitalize()}": self.order(kind, done) for done, kind in orders}
        return found | {"repository": self.repository, "nodes": self.nodes}

    def repository(self, _: Any, owner: str, name: str) -> dict[str, Any]:
        posts = self._posts
        if f"{owner}/{name}" != REPOSITORY:
            raise _missing("a Repository")
        rows = [{"id": number, "name": name, "slug": name.lower()} for name, number in posts.categories.items()]

        def connection(kind: str) -> Callable[..., dict[str, Any]]:
            def page(_: Any, first: int, after: str | None = None, **more: Any) -> dict[str, Any]:
                assert more == {"orderBy": {"field": "CREATED_AT", "direction": "DESC"}}
                found = sorted(posts.of(kind), key=lambda item: item.at, reverse=True)
                start = int(after or 0)
                told = {"hasNextPage": len(found) > start + first, "endCursor": str(start + first)}
                return {"pageInfo": told, "nodes": [posts.row(item) for item in found[start : start + first]]}

            return page

        def label(_: Any, name: str) -> dict[str, Any] | None:
            return {"id": posts.labels[name]} if name in posts.labels else None

        return {
            "id": "R_1",
            "isArchived": posts.archived,
            "hasIssuesEnabled": posts.enabled,
            "hasDiscussionsEnabled": posts.enabled,
            "issues": connection("issue"),
            "discussions": connection("discussion"),
            "discussionCategories": {"nodes": rows},
            "label": label,
        }

    def nodes(self, _: Any, ids: list[str]) -> list[dict[str, Any] | None]:
        known = {item.id: self._posts.row(item) for item in self._posts.items}
        return [known.get(one) for one in ids]

    def order(self, kind: str, done: str) -> Callable[..., dict[str, Any]]:
        """The resolver of `createIssue` and its like."""

        def resolve(_: Any, **told: Any) -> dict[str, Any]:
            given = told["input"]
            number = given.get("id") or given.get("discussionId")
            return {kind: self._create(kind, given) if done == "create" else self._update(number, given)}

        return resolve

    def _create(self, kind: str, told: Mapping[str, Any]) -> dict[str, Any]:
        assert told["repositoryId"] == "R_1"
        _short_enough(told)
        made = self._posts.add(told["title"], told["body"], kind=kind)
        made.labels, made.category = tuple(told.get("labelIds", ())), told.get("categoryId", "")
        return self._posts.row(made)

    def _update(self, number: str, told: Mapping[str, Any]) -> dict[str, Any]:
        item = next((one for one in self._posts.items if one.id == number), None)
        if item is None:
            raise _missing("a node")
        _short_enough(told)
        item.title, item.body = told.get("title") or item.title, told.get("body") or item.body
        item.writes += 1
        return self._posts.row(item)


def _short_enough(told: Mapping[str, Any]) -> None:
    if len(told.get("body") or "") > LONGEST:
        raise GraphQLError(f"Body is too long (maximum is {LONGEST} characters)", extensions={"type": "UNPROCESSABLE"})


def _handler(posts: Posts) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def log_message(self, *_: Any) -> None:
            """Nothing."""

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            posts.requests.append(asked)
            posts.paths.append(self.path)
            posts.authorizations.append(self.headers.get("authorization", ""))
            status, headers, body = posts.answer(asked)
            if body is None:
                self.close_connection = True
                return
            self.send_response_only(status)
            for name, value in {"content-type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

    return Handler

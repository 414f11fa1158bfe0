"""Where a GraphQL query begins: repositories, the search, single nodes and the limit."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from fake_github import searching
from fake_github.asked import SAML
from fake_github.connection import Args, Connection, Context, listed
from fake_github.nodes import Actor, GitNode, ItemNode, LabelNode, Node, RefNode, ReleaseNode, pull_state, tag_ref
from fake_github.payloads import node_id, stamp
from fake_github.querying import LimitError
from fake_github.records import Item, Release, Repo, Tag
from fake_github.rest import barred, unsettle, visible

ORDERS: dict[str, Callable[[Item], list[Any]]] = {
    "CREATED_AT": lambda item: [item.created_at.timestamp(), item.id],
    "UPDATED_AT": lambda item: [item.updated_at.timestamp(), item.id],
    "COMMENTS": lambda item: [len(item.comments), item.id],
}


class RepoNode(Node):
    typename = "Repository"

    def __init__(self, context: Context, repo: Repo) -> None:
        super().__init__(context)
        self._repo = repo
        owner, self.name = repo.name.split("/")
        self.name_with_owner = repo.name
        self.owner = self._actor(owner)
        self.id, self.database_id = node_id("R", repo.id), repo.id
        self.url, self.resource_path = f"{self.show.web}/{repo.name}", f"/{repo.name}"
        self.is_private, self.is_archived, self.is_fork, self.is_disabled = repo.private, repo.archived, False, False
        self.has_issues_enabled = not repo.issues_off
        self.created_at = stamp(repo.created_at)
        self.stargazer_count = 7
        self.visibility = "PRIVATE" if repo.private else "PUBLIC"

    def default_branch_ref(self) -> RefNode | None:
        commits = sorted(self._repo.commits.values(), key=lambda one: (one.at, one.sha))
        return RefNode(self.context, self._repo, "refs/heads/", self._repo.branch, commits[-1]) if commits else None

    def _unsettled(self) -> None:
        fault = self.context.fault
        if fault is not None and fault.kind in ("touch", "arrive"):
            self.context.fault = None
            unsettle(self.world, self._repo, fault.kind, self.context.seed, fault.options.get("number"))

    def _items(self, rows: list[Item], args: Args) -> Connection:
        order = args.get("order_by") or {"field": "CREATED_AT", "direction": "ASC"}
        wanted = args.get("labels")
        chosen = [item for item in rows if wanted is None or set(wanted) & set(item.labels)]
        key = ORDERS[order["field"]]
        return Connection(self.context, chosen, key, self._item, args, down=order["direction"] == "DESC")

    def _item(self, item: Item) -> ItemNode:
        return ItemNode(self.context, item)

    def issues(self, **args: Any) -> Connection:
        self._unsettled()
        rows, only = [] if self._repo.issues_off else self._repo.issues, args.pop("filter_by", None) or {}
        states = args.get("states") or only.get("states")
        if states:
            rows = [item for item in rows if ("OPEN" if item.closed_at is None else "CLOSED") in states]
        if only.get("since"):
            since = datetime.fromisoformat(only["since"])
            rows = [item for item in rows if item.updated_at >= since]
        if only.get("labels"):
            args["labels"] = only["labels"]
        if only.get("createdBy"):
            rows = [item for item in rows if item.author == only["createdBy"]]
        return self._items(rows, args)

    def pull_requests(self, **args: Any) -> Connection:
        self._unsettled()
        rows = self._repo.pulls
        if args.get("states"):
            rows = [item for item in rows if pull_state(item) in args["states"]]
        if args.get("base_ref_name", self._repo.branch) != self._repo.branch:
            rows = []
        return self._items(rows, args)

    def _numbered(self, number: int, what: str, *, pull: bool | None) -> ItemNode:
        item = self._repo.items.get(number)
        if item is None or pull not in (None, item.work is not None):
            raise LimitError("NOT_FOUND", f"Could not resolve to {what} with the number of {number}.")
        return ItemNode(self.context, item)

    def issue(self, number: int) -> ItemNode:
        return self._numbered(number, "an Issue", pull=False)

    def pull_request(self, number: int) -> ItemNode:
        return self._numbered(number, "a PullRequest", pull=True)

    def issue_or_pull_request(self, number: int) -> ItemNode:
        return self._numbered(number, "an issue or pull request", pull=None)

    def releases(self, **args: Any) -> Connection:
        order = args.get("order_by") or {"field": "CREATED_AT", "direction": "DESC"}
        rows = [one for one in self._repo.releases if not one.draft]
        by_name = order["field"] == "NAME"

        def key(one: Release) -> list[Any]:
            return [one.tag if by_name else one.created_at.timestamp(), one.id]

        down = order["direction"] == "DESC"
        return Connection(
            self.context, rows, key, lambda one: ReleaseNode(self.context, self._repo, one), args, down=down
        )

    def release(self, tag_name: str) -> ReleaseNode | None:
        found = next((one for one in self._repo.releases if one.tag == tag_name and not one.draft), None)
        return ReleaseNode(self.context, self._repo, found) if found else None

    def latest_release(self) -> ReleaseNode | None:
        rows = [one for one in self._repo.releases if not one.draft and not one.prerelease]
        return ReleaseNode(self.context, self._repo, max(rows, key=lambda one: one.created_at)) if rows else None

    def refs(self, ref_prefix: str, **args: Any) -> Connection:
        order = args.get("order_by") or {"field": "ALPHABETICAL", "direction": args.get("direction") or "ASC"}
        rows = list(self._repo.tags.values()) if ref_prefix == "refs/tags/" else []
        by_date = order["field"] == "TAG_COMMIT_DATE"

        def key(tag: Tag) -> list[Any]:
            return [self._repo.commits[tag.sha].at.timestamp() if by_date else tag.name, tag.name]

        down = order["direction"] == "DESC"
        return Connection(self.context, rows, key, self._tag_ref, args, down=down)

    def _tag_ref(self, tag: Tag) -> RefNode:
        return tag_ref(self.context, self._repo, tag)

    def ref(self, qualified_name: str) -> RefNode | None:
        tag = self._repo.tags.get(qualified_name.removeprefix("refs/tags/"))
        branch = self.default_branch_ref()
        if tag is None and branch is not None and qualified_name.removeprefix("refs/heads/") == branch.name:
            return branch
        return self._tag_ref(tag) if tag else None

    def object(self, oid: str | None = None, expression: str | None = None) -> GitNode | None:
        name = oid or expression or ""
        tag = self._repo.tags.get(name.removeprefix("refs/tags/"))
        if name in ("HEAD", self._repo.branch):
            branch = self.default_branch_ref()
            return branch.target if branch else None
        sha = tag.sha if tag else name
        found = [one for one in self._repo.commits.values() if len(sha) >= 7 and one.sha.startswith(sha)]
        return GitNode(self.context, self._repo, found[0]) if len(found) == 1 else None

    def labels(self, **args: Any) -> Connection:
        return listed(
            self.context, list(self._repo.labels), lambda name: LabelNode(self.context, self._repo, name), args
        )


class Root(Node):
    """What a query begins with."""

    def repository(self, owner: str, name: str, follow_renames: bool = True) -> RepoNode:
        key = f"{owner}/{name}".lower()
        while follow_renames and key not in self.world.repos and key in self.world.renamed:
            key = self.world.renamed[key]
        found = self.world.repos.get(key)
        if found is None or not visible(self.context.account, found):
            raise LimitError("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        if barred(self.context.account, found) is not None:
            raise LimitError("FORBIDDEN", "Repository access blocked" if found.blocked else SAML)
        return RepoNode(self.context, found)

    def search(self, query: str, type: str, **args: Any) -> Connection:  # noqa: A002  the official name
        try:
            search = searching.parsed(query)
        except searching.BadSearch as error:
            raise LimitError("INVALID_SEARCH", str(error)) from None
        asking = self.context.account
        seen = [one for one in self.world.repos.values() if visible(asking, one) and not barred(asking, one)]
        rows = searching.results(search, seen) if type == "ISSUE" else []
        found = listed(self.context, rows[: searching.MOST], lambda item: ItemNode(self.context, item), args)
        found.issue_count = len(rows)
        return found

    def node(self, id: str) -> Node | None:  # noqa: A002  the official name
        for repo in self.world.repos.values():
            if visible(self.context.account, repo):
                if id == node_id("R", repo.id):
                    return RepoNode(self.context, repo)
                for item in repo.items.values():
                    if id == node_id("PR" if item.work else "I", item.id):
                        return ItemNode(self.context, item)
        raise LimitError("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")

    def nodes(self, ids: list[str]) -> list[Node | None]:
        return [self.node(one) for one in ids]

    def viewer(self) -> Actor:
        return Actor(self.context, "octocat")

    def rate_limit(self, dry_run: bool = False) -> dict[str, Any]:
        bucket = self.context.account.buckets["graphql"]
        reset = bucket.turn(self.world.now)
        cost = self.context.weight.cost
        return {
            "cost": cost,
            "limit": bucket.limit,
            "remaining": max(0, bucket.remaining(self.world.now) - cost),
            "used": bucket.used + cost,
            "resetAt": stamp(reset),
            "nodeCount": self.context.weight.nodes,
        }

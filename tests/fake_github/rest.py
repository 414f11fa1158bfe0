"""The REST of the fake GitHub: paths, filters, orders and pages."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlencode

from fake_github import searching
from fake_github.accounts import Account, Accounts
from fake_github.asked import SAML, Answer, Forbidden, Missing, Request, refusal
from fake_github.payloads import Payloads
from fake_github.records import Comment, Event, Item, Repo
from fake_github.world import World

T = TypeVar("T")
Handler = Callable[[Request, Repo, "re.Match[str]"], Answer]
REPO = re.compile(r"/(?:repos/(?P<name>[^/]+/[^/]+)|repositories/(?P<id>\d+))(?P<rest>/.*)?")
CANNOT_SEARCH = (
    "The listed users and repositories cannot be searched either because the resources do not exist "
    "or you do not have permission to view them."
)


def visible(account: Account, repo: Repo) -> bool:
    return not repo.private or repo.name.lower() in account.private


def barred(account: Account, repo: Repo) -> Answer | None:
    """What the repository answers to everything, where it is not open to this account."""
    if repo.blocked:
        return refusal(451, "Repository access blocked", block={"reason": "dmca", "created_at": "2026-01-01T00:00:00Z"})
    if repo.sso is not None and account.known and account.name not in repo.sso:
        url = "https://github.com/orgs/acme/sso?authorization_request=AAAA1111BBBB2222"
        answer = refusal(403, SAML)
        answer.headers["x-github-sso"] = f"required; url={url}"
        return answer
    return None


class Rest:
    """Answers what is asked of `world`; `complain` hears of what no GitHub knows."""

    def __init__(self, world: World, accounts: Accounts, payloads: Payloads, complain: Callable[[str], None]) -> None:
        self.world, self.accounts, self.show, self.complain = world, accounts, payloads, complain
        rows: list[tuple[str, Handler]] = [
            (r"", self._repo),
            (r"/issues", self._issues),
            (r"/issues/events", self._events),
            (r"/issues/(?P<number>\d+)", self._issue),
            (r"/issues/(?P<number>\d+)/comments", self._comments),
            (r"/issues/(?P<number>\d+)/timeline", self._timeline),
            (r"/pulls", self._pulls),
            (r"/pulls/(?P<number>\d+)", self._pull),
            (r"/releases", self._releases),
            (r"/releases/latest", self._latest),
            (r"/releases/tags/(?P<tag>.+)", self._release),
            (r"/tags", self._tags),
            (r"/commits/(?P<sha>[^/]+)/pulls", self._commit_pulls),
        ]
        self._routes = [(re.compile(pattern), handler) for pattern, handler in rows]

    def answer(self, request: Request) -> Answer:
        try:
            return self._answer(request)
        except Missing:
            return refusal(404, "Not Found")
        except Forbidden as error:
            return error.answer
        except searching.BadSearch as error:
            return refusal(
                422,
                "Validation Failed",
                errors=[{"message": str(error), "resource": "Search", "field": "q", "code": "invalid"}],
            )

    def _answer(self, request: Request) -> Answer:
        if request.method == "POST":
            return self._access_token(request)
        if request.path == "/rate_limit":
            return self._rate_limit(request)
        if request.path == "/search/issues":
            return self._search(request)
        found = REPO.fullmatch(request.path)
        if found is None:
            self.complain(f"{request.method} {request.path} is not known to the fake")
            raise Missing
        rest = found["rest"] or ""
        repo, moved = self._find(request.account, found["name"], found["id"])
        if moved:
            query = f"?{urlencode(request.query)}" if request.query else ""
            url = f"{self.show.api}/repositories/{repo.id}{rest}{query}"
            return Answer(301, refusal(301, "Moved Permanently", url=url).body, {"location": url})
        for pattern, handler in self._routes:
            match = pattern.fullmatch(rest)
            if match is not None:
                self._unsettle(request, repo)
                return handler(request, repo, match)
        self.complain(f"{request.method} {request.path} is not known to the fake")
        raise Missing

    def _find(self, account: Account, name: str | None, number: str | None) -> tuple[Repo, bool]:
        """The repository, and whether it was asked for by a name that it no longer has."""
        world = self.world
        key, moved = (name or "").lower(), False
        while name is not None and key not in world.repos and key in world.renamed:
            key, moved = world.renamed[key], True
        found = (
            world.repos.get(key) if name else next((one for one in world.repos.values() if str(one.id) == number), None)
        )
        if found is None or not visible(account, found):
            raise Missing
        closed = barred(account, found)
        if closed is not None:
            raise Forbidden(closed)
        return found, moved

    def _unsettle(self, request: Request, repo: Repo) -> None:
        fault = request.struck("touch", "arrive")
        if fault is not None:
            number = fault.option("number") if fault.kind == "touch" else None
            unsettle(self.world, repo, fault.kind, f"{request.path}{request.query}", number)

    # Lists

    def _page(self, request: Request, repo: Repo | None, rows: Sequence[T], show: Callable[[T], Any]) -> Answer:
        size = min(100, max(1, _number(request, "per_page", 30)))
        page = max(1, _number(request, "page", 1))
        start = (page - 1) * size
        shown = list(rows[start : start + size])
        fault = request.struck("duplicate", "reorder")
        if fault is not None and fault.kind == "duplicate":
            count = fault.option("count")
            shown = [*rows[max(0, start - count) : start], *shown] if start and shown else [*shown, *shown[:count]]
        elif fault is not None:
            random.Random(f"{request.path}{request.query}").shuffle(shown)
        last = max(1, -(-len(rows) // size))
        headers = {"link": self._link(request, repo, page, last)} if last > 1 else {}
        return Answer(200, [show(row) for row in shown], headers)

    def _link(self, request: Request, repo: Repo | None, page: int, last: int) -> str:
        path = request.path
        if repo is not None:  # GitHub leads on by id, not by name
            path = f"/repositories/{repo.id}" + re.sub(r"^/(repos/[^/]+/[^/]+|repositories/\d+)", "", path)
        pages = {"prev": page - 1, "next": page + 1, "last": last, "first": 1}
        if page >= last:
            del pages["next"], pages["last"]
        if page == 1:
            del pages["prev"], pages["first"]
        rows = [
            f'<{self.show.api}{path}?{urlencode({**request.query, "page": number})}>; rel="{name}"'
            for name, number in pages.items()
        ]
        return ", ".join(rows)

    def _issues(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        self._only(request, "since", "state", "sort", "direction", "labels", "creator")
        if repo.issues_off:
            return refusal(410, "Issues are disabled for this repo")
        query = request.query
        rows = [item for item in repo.items.values() if _in_state(item, query.get("state", "open"))]
        if "since" in query:
            try:
                since = datetime.fromisoformat(query["since"])
            except ValueError:
                return refusal(422, "Validation Failed")
            rows = [item for item in rows if item.updated_at >= since]
        if query.get("labels"):
            rows = [item for item in rows if set(query["labels"].split(",")) <= set(item.labels)]
        if query.get("creator"):
            rows = [item for item in rows if item.author == query["creator"]]
        down = query.get("direction", "desc") == "desc"
        rows.sort(key=searching.SORTS[query.get("sort", "created")], reverse=down)
        return self._page(request, repo, rows, self.show.issue)

    def _pulls(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        self._only(request, "state", "sort", "direction", "base")
        query = request.query
        rows = [item for item in repo.pulls if _in_state(item, query.get("state", "open"))]
        if query.get("base", repo.branch) != repo.branch:
            rows = []
        sort = query.get("sort", "created")
        if sort not in ("created", "updated"):
            self.complain(f"the fake does not sort pull requests by {sort}")
        down = query.get("direction", "desc" if sort == "created" else "asc") == "desc"
        rows.sort(key=searching.SORTS.get(sort, searching.SORTS["created"]), reverse=down)
        return self._page(request, repo, rows, self.show.pull)

    def _releases(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        rows = sorted(
            (one for one in repo.releases if not one.draft), key=lambda one: (one.created_at, one.id), reverse=True
        )
        return self._page(request, repo, rows, lambda one: self.show.release(repo, one))

    def _tags(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        """By name from the end, as GitHub does: not by time."""
        rows = sorted(repo.tags.values(), key=lambda one: one.name, reverse=True)
        return self._page(request, repo, rows, lambda one: self.show.tag(repo, one))

    def _events(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        rows = [(item, event) for item in repo.items.values() for event in item.events if event.source is None]
        rows.sort(key=lambda row: (row[1].at, row[1].id), reverse=True)
        return self._page(request, repo, rows, lambda row: self.show.repo_event(*row))

    def _comments(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        item = _item(repo, match)
        return self._page(request, repo, item.comments, lambda one: self.show.comment(item, one))

    def _timeline(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        item = _item(repo, match)
        rows: list[Event | Comment] = [*item.events, *item.comments]
        rows.sort(key=lambda one: (one.at, one.id))
        return self._page(request, repo, rows, lambda one: self.show.timeline(item, one))

    def _commit_pulls(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        commit = repo.commits.get(match["sha"])
        if commit is None:
            return refusal(422, f"No commit found for SHA: {match['sha']}")
        return self._page(request, repo, [repo.items[number] for number in commit.pulls], self.show.pull)

    # Single things

    def _repo(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        return Answer(200, self.show.repo(repo, full=True))

    def _issue(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        if int(match["number"]) in repo.moved:
            target, number = repo.moved[int(match["number"])]
            url = f"{self.show.api}/repositories/{self.world.repo(target).id}/issues/{number}"
            return Answer(301, refusal(301, "Moved Permanently", url=url).body, {"location": url})
        return Answer(200, self.show.whole_issue(_item(repo, match)))

    def _pull(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        item = _item(repo, match)
        if item.work is None:
            raise Missing
        return Answer(200, self.show.whole_pull(item))

    def _latest(self, request: Request, repo: Repo, _: re.Match[str]) -> Answer:
        rows = [one for one in repo.releases if not one.draft and not one.prerelease]
        if not rows:
            raise Missing
        return Answer(200, self.show.release(repo, max(rows, key=lambda one: one.created_at)))

    def _release(self, request: Request, repo: Repo, match: re.Match[str]) -> Answer:
        found = next((one for one in repo.releases if one.tag == match["tag"] and not one.draft), None)
        if found is None:
            raise Missing
        return Answer(200, self.show.release(repo, found))

    # What is no repository's

    def _search(self, request: Request) -> Answer:
        query = request.query
        search = searching.parsed(query.get("q", ""))
        seen = [
            one
            for one in self.world.repos.values()
            if visible(request.account, one) and not barred(request.account, one)
        ]
        names = {repo.name.lower() for repo in seen}
        if not query.get("q") or (search.repos and not set(search.repos) & names):
            raise searching.BadSearch(CANNOT_SEARCH if query.get("q") else "q is missing")
        if not search.typed:
            raise searching.BadSearch("Query must include 'is:issue' or 'is:pull-request'")
        for repo in seen:
            if repo.name.lower() in search.repos:
                self._unsettle(request, repo)
                break
        rows = searching.results(search, seen, query.get("sort"), query.get("order"))
        size, page = min(100, _number(request, "per_page", 30)), _number(request, "page", 1)
        if (page - 1) * size >= searching.MOST:
            return refusal(422, "Only the first 1000 search results are available")
        answer = self._page(request, None, rows[: searching.MOST], self.show.found_issue)
        incomplete = request.struck("incomplete") is not None
        items = answer.body[:-1] if incomplete else answer.body
        answer.body = {
            "total_count": len(rows),
            "incomplete_results": incomplete,
            "items": items,
            "search_type": "lexical",
        }
        return answer

    def _rate_limit(self, request: Request) -> Answer:
        now = self.world.now
        resources = {}
        for name, bucket in request.account.buckets.items():
            reset = bucket.turn(now)
            remaining = bucket.remaining(now)
            resources[name] = {
                "limit": bucket.limit,
                "used": bucket.used,
                "remaining": remaining,
                "reset": int(reset.timestamp()),
            }
        return Answer(200, {"resources": resources, "rate": resources["core"]}, cost=0)

    def _access_token(self, request: Request) -> Answer:
        found = re.fullmatch(r"/app/installations/(\d+)/access_tokens", request.path)
        if found is None:
            self.complain(f"{request.method} {request.path} is not known to the fake")
            raise Missing
        bought = self.accounts.buy(int(found[1]), request.headers.get("authorization"), self.world.now)
        if isinstance(bought, str):
            return refusal(404 if bought == "Not Found" else 401, bought)
        token, expires = bought
        body = {"token": token, "expires_at": expires.strftime("%Y-%m-%dT%H:%M:%SZ"), "repository_selection": "all"}
        return Answer(201, body | {"permissions": {"issues": "read", "metadata": "read", "pull_requests": "read"}})

    def _only(self, request: Request, *known: str) -> None:
        for key in set(request.query) - {"page", "per_page", *known}:
            self.complain(f"{request.path}: the fake does not know the parameter {key}")


def unsettle(world: World, repo: Repo, kind: str, seed: str, number: int | None) -> None:
    """The world moves while it is read: an item is updated, or a new one comes."""
    newest = max((item.updated_at for item in repo.items.values()), default=world.now)
    later = max(newest, world.now).replace(microsecond=0) + timedelta(seconds=1)
    if kind == "arrive":
        world.add_issue(repo.name, "Came while you read", at=later)
    elif repo.items:
        chosen = number or random.Random(seed).choice(sorted(repo.items))
        world.touch(repo.name, chosen, at=later)


def _number(request: Request, name: str, default: int) -> int:
    value = request.query.get(name, "")
    return int(value) if value.isdigit() else default


def _in_state(item: Item, state: str) -> bool:
    return state == "all" or (item.closed_at is None) == (state == "open")


def _item(repo: Repo, match: re.Match[str]) -> Item:
    found = repo.items.get(int(match["number"]))
    if found is None:
        raise Missing
    return found

"""The fake GitHub: REST and GraphQL over an in-memory world, with faults on request and every request recorded.

    with Server() as github:
        github.add_token("secret", name="ours")
        github.add_repo("acme/engine")
        github.add_issue("acme/engine", "It is slow", at=github.now)
        github.fault("secondary", retry_after=30, path="/issues")
        httpx.get(f"{github.url}/repos/acme/engine/issues", headers={"authorization": "Bearer secret"})
        assert github.requests[-1].fault == "secondary"

The server has a clock of its own that stands still: `github.now`, moved by `github.advance(seconds)`. Give a client
`sleep=github.advance` and `clock=lambda: github.now`, so that it waits for limits without waiting.
Leaving the `with` fails when the server was asked something that the real GitHub does not know (`complaints`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event
from typing import Any, Self

from fake_github.accounts import Account, Accounts, App, account
from fake_github.asked import Answer, Recorded, Request, refusal
from fake_github.executing import GraphQL
from fake_github.faults import Asked, Fault, Faults
from fake_github.official import request_problems
from fake_github.payloads import Payloads
from fake_github.rest import Rest
from fake_github.wire import Wire
from fake_github.world import Snapshot, World

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
HTML = b"<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body><p>We had issues.</p></body></html>\n"


class Server(World):
    """On loopback, started by `with` or `start()`."""

    def __init__(self, *, now: datetime | None = None, enterprise: bool = False) -> None:
        super().__init__(now)
        self.requests: list[Recorded] = []
        self.complaints: list[str] = []
        """What no real GitHub knows: paths, parameters, fields; `with` fails on them at its end."""
        self.faults = Faults()
        self.accounts = Accounts()
        self.skew = 0.0
        """Seconds by which the clock that this server shows is ahead of everybody else's `now`."""
        self._released = Event()
        self._wire = Wire(self)
        self._prefix = "/api/v3" if enterprise else ""
        root = f"http://127.0.0.1:{self._wire.port}"
        self.url = f"{root}{self._prefix}"
        """Base of REST without a slash at the end; of Enterprise with `/api/v3`. What `[github] api` takes."""
        self.graphql_url = f"{root}/api/graphql" if enterprise else f"{root}/graphql"
        self._graphql_path = self.graphql_url.removeprefix(root)
        payloads = Payloads(self, self.url, "https://github.example" if enterprise else "https://github.com")
        self._rest = Rest(self, self.accounts, payloads, self.complaints.append)
        self._graphql = GraphQL(self, payloads, self.complaints.append)

    def start(self) -> Self:
        self._wire.start()
        return self

    def stop(self) -> None:
        self.release()
        self._wire.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: object, *_: object) -> None:
        self.stop()
        assert kind is not None or not self.complaints, "\n".join(self.complaints)

    @property
    def clock(self) -> datetime:
        """As the server's headers tell it."""
        return self.now + timedelta(seconds=self.skew)

    # Who may ask

    def add_token(
        self, token: str, *, name: str | None = None, core: int = 5000, graphql: int = 5000, search: int = 30,
        private: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """`private`: the private repositories it sees. Limits are per hour, of search per minute."""
        limits = {"core": core, "graphql": graphql, "search": search}
        self.accounts.add(token, account(name or self.accounts.next_name(), limits, private))

    def add_app(
        self, app_id: str, installation: int, *, key: tuple[int, int] | None = None, private: Sequence[str] = ()
    ) -> None:
        """An App whose JWT buys tokens that die after an hour. The JWT is checked: RS256, iss, iat, exp of ten minutes at
        most, and where `key` (modulus and exponent of the public key) is given, its signature."""
        self.accounts.apps[installation] = App(app_id, installation, key, frozenset(private))

    def revoke(self, token: str) -> None:
        """From now on it is bad."""
        self.accounts.remove(token)

    def set_remaining(
        self, remaining: int, *, who: str = "anonymous", resource: str = "core", reset_in: float = 3600
    ) -> None:
        with self.lock:
            bucket = self.accounts.named(who).buckets[resource]
            bucket.used = bucket.limit - remaining
            bucket.reset = self.now + timedelta(seconds=reset_in)

    def remaining(self, who: str = "anonymous", resource: str = "core") -> int:
        return self.accounts.named(who).buckets[resource].remaining(self.now)

    # What goes wrong

    def fault(
        self, kind: str, *, times: int | None = 1, skip: int = 0, path: str = "", text: str = "",
        match: Callable[[Asked], bool] | None = None, **options: Any,
    ) -> Fault:  # fmt: skip
        """The next `times` matching requests (after `skip` that pass) go wrong in this way; None is for ever.

        `path` is part of the path ("/graphql" for GraphQL), `text` part of the query string or body.
        - primary(status=403|429, reset_in=60.0, type="RATE_LIMITED"|"RATE_LIMIT"): the limit is really used up until the
          clock reaches the reset. GraphQL says it with 200 and `type`, unless a status is given.
        - secondary(status=403|429|200, retry_after=30|None): refused until the clock has passed it (60 s where None).
        - status(status=500|502|503|504, html=False); unauthorized: 401 for once
        - hang(seconds=5.0): no answer until `release()`, at most that many true seconds
        - drop: no answer at all. cut: less body than Content-Length says. broken_json, empty_body
        - slow(seconds=0.02): the body comes in pieces within that true time
        - duplicate(count=1): a page begins with the last items of the page before, the first one ends with its own first.
          reorder: a page comes in another order
        - touch(number=None): before the answer an item of the repository is updated, so that it moves in lists by update
        - arrive: before the answer a new issue comes, later than all others and than the clock
        - incomplete: the search says incomplete_results and leaves out the last item of the page
        - graphql_error(message, type=None, status=200): data is null. graphql_timeout(status=200): "Something went wrong…"
        - graphql_partial(alias=None, type, message), resource_limits(alias=None): one alias is null, with an error
        - hidden_row(type="FORBIDDEN"): the last row of a list is null, with an error. lost_cursor: a page says that more
          follow and not where. odd_alias: an alias has a form that nobody knows. short_search: a row less than counted
        - surrogate: every title holds half of a pair of surrogates
        """
        return self.faults.add(Fault(kind, times, skip, path, text, match, options))

    def random_faults(
        self, seed: int, *, rate: float = 0.2, most: int = 40, in_a_row: int = 2, kinds: Sequence[str] = ()
    ) -> None:
        """Faults by chance, the same for the same seed and the same requests however threads are ordered.

        At most `most` in all and `in_a_row` for the same request; `kinds`: only these (all but `hang` where not given).
        """
        self.faults.by_chance(seed, rate, most, in_a_row, kinds)

    def clear_faults(self) -> None:
        self.faults.clear()

    def release(self) -> None:
        """Lets hanging requests go."""
        self._released.set()

    def wait_released(self, seconds: float) -> None:
        self._released.wait(seconds)

    def begin_again(self, snapshot: Snapshot) -> None:
        """The world of the snapshot, full limits, no faults and nothing recorded: for campaigns over one world."""
        self.restore(snapshot)
        with self.lock:
            self.faults.clear()
            self.accounts.refill()
            self.requests.clear()
            self._released.clear()

    def spent(self, resource: str | None = None) -> int:
        """What all requests together took from the limits."""
        return sum(one.cost for one in self.requests if resource in (None, one.resource))

    # Answering

    def path(self, raw: str) -> str | None:
        """A path without the base of Enterprise; None where it is not below it."""
        if raw == self._graphql_path:
            return "/graphql"
        if raw == "/graphql" or not raw.startswith(self._prefix):
            return None
        return raw.removeprefix(self._prefix) or "/"

    def answer(self, request: Request) -> tuple[Request, Answer]:
        """The request with the fault that struck it, and its answer; both are recorded."""
        authorization = request.headers.get("authorization")
        buys = request.method == "POST" and request.path.startswith("/app/")
        with self.lock:
            found = self.accounts.anonymous if buys else self.accounts.asking(authorization, self.now)
            request = replace(request, account=found or self.accounts.anonymous, fault=self.faults.of(request))
            answer = self._answer(request, bad=found is None)
            if found is not None and not buys:
                bucket = found.buckets[request.resource]
                bucket.turn(self.now)
                bucket.used += answer.cost
                told = bucket.headers(self.now, request.resource)
                told["x-ratelimit-reset"] = str(int(told["x-ratelimit-reset"]) + round(self.skew))
                answer.headers = {**told, **answer.headers}
            who = "unknown" if found is None else "app" if buys else found.name
            self._record(request, answer, who)
        return request, answer

    def _record(self, request: Request, answer: Answer, who: str) -> None:
        headers = {**request.headers}
        if "authorization" in headers:
            headers["authorization"] = f"Bearer <{who}>"
        status = 0 if request.struck("drop", "hang") else answer.status
        fault = request.fault.kind if request.fault else None
        self.requests.append(
            Recorded(
                request.method,
                request.path,
                request.query,
                headers,
                request.body,
                who,
                status,
                request.resource,
                answer.cost,
                fault,
            )
        )

    def _answer(self, request: Request, *, bad: bool) -> Answer:
        if not request.headers.get("user-agent"):
            self.complaints.append("a request has no User-Agent")
            return replace(refusal(403, "Request forbidden by administrative rules."), cost=0)
        if bad or request.struck("unauthorized"):
            return replace(refusal(401, "Bad credentials"), cost=0)
        refused = self._limited(request) or self._down(request)
        if refused is not None:
            return refused
        if request.path == "/graphql":
            return self._graphql.answer(request)
        self.complaints += request_problems(request.method, request.path, request.query)
        answer = self._rest.answer(request)
        if request.method == "GET" and answer.status == 200:
            answer = self._conditional(request, answer)
        return answer

    @staticmethod
    def _down(request: Request) -> Answer | None:
        fault = request.struck("status")
        if fault is None:
            return None
        if fault.option("html"):
            return Answer(fault.option("status"), HTML, {"content-type": "text/html; charset=utf-8"})
        return refusal(fault.option("status"), "Server Error")

    @staticmethod
    def _conditional(request: Request, answer: Answer) -> Answer:
        etag = answer.etag(request.account)
        kept = {
            **answer.headers,
            "etag": etag,
            "cache-control": "private, max-age=60, s-maxage=60",
            "vary": "Accept, Authorization",
        }
        if request.headers.get("if-none-match", "").removeprefix("W/") != etag.removeprefix("W/"):
            return replace(answer, headers=kept)
        return Answer(304, None, kept, 0 if request.account.known else answer.cost)  # free only for those with a token

    def _limited(self, request: Request) -> Answer | None:
        """Refused by one of the two limits, from before or because a fault says so."""
        asking, now = request.account, self.now
        bucket = asking.buckets[request.resource]
        fault = request.struck("primary", "secondary")
        if fault is not None and fault.kind == "primary":
            bucket.used, bucket.reset = bucket.limit, now + timedelta(seconds=fault.option("reset_in"))
        elif fault is not None:
            asking.told = fault.option("retry_after")
            asking.blocked_until = now + timedelta(seconds=60 if asking.told is None else asking.told)
        if asking.blocked_until is not None and now < asking.blocked_until:
            return self._secondary(request, asking, fault)
        if (
            request.path == "/rate_limit"
            or bucket.remaining(now) > 0
            or (request.resource == "graphql" and not asking.known)
        ):
            return None
        status = fault.option("status") if fault is not None else None
        whose = "user ID 583231" if asking.known else "127.0.0.1"
        message = f"API rate limit exceeded for {whose}."
        if request.path == "/graphql" and status in (None, 200):
            kind = fault.option("type") if fault is not None else "RATE_LIMITED"
            return Answer(200, {"errors": [{"type": kind, "message": message}]}, cost=0)
        return replace(refusal(status or 403, message), cost=0)

    def _secondary(self, request: Request, asking: Account, fault: Fault | None) -> Answer:
        status = fault.option("status") if fault is not None and fault.kind == "secondary" else 403
        assert asking.blocked_until is not None
        answer = replace(refusal(403 if status == 200 and request.path != "/graphql" else status, SECONDARY), cost=0)
        if answer.status == 200:
            answer.body = {"errors": [{"type": "RATE_LIMITED", "message": SECONDARY}]}
        if asking.told is not None:
            left = (asking.blocked_until - self.now).total_seconds()
            answer.headers["retry-after"] = str(max(1, round(left)))
        return answer

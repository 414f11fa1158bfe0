"""Asks the forge until it answers, as long as that is sensible: retries, limits, waits, and the next token."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daybreak.collect.github.answers import Bundle, graph_bundle
from daybreak.collect.github.faults import Incomplete, NoGraphql, NoTokens, OutOfBudget, Refused, Unavailable
from daybreak.collect.github.json_repair import mended
from daybreak.collect.github.tokens import Keys, Seat
from daybreak.core.http.faults import NetFault, TimedOut, TooLarge
from daybreak.core.http.http import Answer, Http, Request, origin
from daybreak.core.http.limits import GOOD, Again, Good, No, Spent, Verdict, judge, server_time, until_reset
from daybreak.core.http.waits import Backoff

ACCEPT = "application/vnd.github+json"
REST_VERSION = "2022-11-28"
HIDDEN = {"core": (403, 404), "search": (403, 422), "graphql": (403, 404)}
"""How a forge says that it does not show something to one token, which another one may see."""
LATE = timedelta(seconds=5)
"""An answer may be so long on its way before our clock is thought to be ahead."""
Value = TypeVar("Value")


class Bounds(Struct, frozen=True):
    """How far we go for an answer."""

    tries: int = 5
    """Of one request, before its list is skipped."""
    wait: float = 15 * 60.0
    """Seconds of one wait for a limit; what takes longer is left to the next run."""
    waits: float = 40 * 60.0
    """Seconds of all waits of a run."""
    requests: int = 10_000
    failures: int = 8
    """Requests given up in a row, after which each one gets a single try until one succeeds."""
    page: int = 100
    """Rows of one page; GitHub gives no more."""
    load: int = 100
    """Weight of one request of GraphQL: 50 items, or pages of ten lists."""


class Clock(Struct, frozen=True):
    """The time, and how to let it pass."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    chance: Callable[[], float]
    """A number in 0..1, for jitter."""


class Forge:
    """One forge with the keys to it; may be used by several threads."""

    def __init__(
        self, api: str, http: Http, keys: Keys, clock: Clock, bounds: Bounds, say: Callable[[str], None]
    ) -> None:
        self.api = api.rstrip("/")
        self.clock = clock
        self.requests = 0
        self.bounds = bounds
        self.ahead = timedelta()
        """How far our clock is ahead of the forge's."""
        self._http, self._keys, self._say = http, keys, say
        self._backoff = Backoff()
        self._lock = threading.Lock()
        self._waited = 0.0
        self._failures = 0

    @property
    def graphql_address(self) -> str:
        """Of Enterprise, `/api/v3` is REST and `/api/graphql` is this."""
        base = self.api.removesuffix("/v3") if self.api.endswith("/api/v3") else self.api
        return f"{base}/graphql"

    # --- asking ----------------------------------------------------------------------------------------------------

    def get(self, address: str, read: Callable[[Answer], Value], etag: str | None = None) -> Value:
        """What `read` makes of the answer (200, or 304 with an ETag); when it cannot, the answer counts as broken."""
        url = address if "://" in address else f"{self.api}{address}"
        if origin(urlsplit(url)) != origin(urlsplit(self.api)):
            raise Refused("names a next page on another host")
        headers = {"accept": ACCEPT, "x-github-api-version": REST_VERSION}
        if etag is not None:
            headers["if-none-match"] = etag
        limit = "search" if urlsplit(url).path.startswith(f"{urlsplit(self.api).path}/search/") else "core"
        found: list[Value] = []

        def look(answer: Answer) -> Verdict:
            found.append(read(answer))
            return GOOD

        self._ask(Request(url, headers=headers), limit, look)
        return found[-1]

    def graphql(
        self, document: str, variables: Mapping[str, Any], aliases: Mapping[str, type], but: Sequence[Seat] = ()
    ) -> tuple[Bundle, Seat]:
        """The values of a bundle of aliases, each read as its type, or a fault in its place; and whose key was used."""
        body = msgspec.json.encode({"query": document, "variables": variables})
        request = Request(self.graphql_address, "POST", {"accept": ACCEPT, "content-type": "application/json"}, body)
        found: list[Bundle] = []

        def look(answer: Answer) -> Verdict:
            read = graph_bundle(answer, aliases, self.clock.now())
            if isinstance(read, dict):
                found.append(read)
                return GOOD
            return read

        try:
            seat = self._ask(request, "graphql", look, but)
        except Refused as fault:
            raise NoGraphql(fault.reason, fault.tip) from None
        return found[-1], seat

    def another(self, limit: str, but: Sequence[Seat]) -> Seat | None:
        """A key that may be used right now and is none of these."""
        found = self._keys.take(limit, self.clock.now(), but)
        return found if isinstance(found, Seat) else None

    # --- trying ----------------------------------------------------------------------------------------------------

    def _ask(self, request: Request, limit: str, look: Callable[[Answer], Verdict], but: Sequence[Seat] = ()) -> Seat:
        tries = slowed = 0
        turned_away = list(but)
        while True:
            seat = (self.another(limit, turned_away) if turned_away else None) or self._seat(limit)
            verdict = self._try(seat, request, limit, look)
            match verdict:
                case Good():
                    self._failures = 0
                    return seat
                case No(status=401):
                    self._keys.refuse(seat)
                case No(reason, status, tip):
                    turned_away.append(seat)
                    if status not in HIDDEN[limit] or self.another(limit, turned_away) is None:
                        raise Refused(reason, tip, status=status)
                case Spent(reason, seconds, growing):
                    if slowed >= self.bounds.tries + len(self._keys):
                        raise Unavailable(f"says not so fast again and again ({reason})")
                    self._block(seat, limit, seconds * 2.0 ** (slowed if growing else 0))
                    slowed += 1
                case Again(reason, heavy):
                    tries += 1
                    if tries >= self.bounds.tries or self._down:
                        self._failures += 1
                        raise Unavailable(reason, heavy=heavy and not self._down)
                    self._wait(self._backoff.seconds(tries - 1, self.clock.chance))

    def _try(self, seat: Seat, request: Request, limit: str, look: Callable[[Answer], Verdict]) -> Verdict:
        """One exchange and what it means."""
        try:
            answer = self._exchange(seat, request)
            self._note_time(answer)
            verdict = judge(answer, self.clock.now())
            if not isinstance(verdict, Good):
                return verdict
            self._keys.accepted(seat)
            if answer.headers.get("x-ratelimit-remaining") == "0":
                used = answer.headers.get("x-ratelimit-resource", limit)
                self._block(seat, used, until_reset(answer.headers, self.clock.now()))
            return _looked(answer, look)
        except NetFault as fault:
            return Again(fault.reason, heavy=isinstance(fault, TimedOut | TooLarge))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return Again("gave an answer that cannot be read")
        except Incomplete as fault:
            return Again(fault.reason)

    def _exchange(self, seat: Seat, request: Request) -> Answer:
        try:
            secret = seat.key.authorization(self.clock.now())
        except Unavailable as fault:
            raise Incomplete(fault.reason) from None
        except Refused as fault:
            self._say(f"GitHub {fault.reason}")
            return Answer(401, {}, b"")
        return self._http.send(Request(request.url, request.method, request.headers, request.body, secret), self._count)

    def _note_time(self, answer: Answer) -> None:
        """A list that was read before the window ended by the forge's clock is not the whole of it."""
        there = server_time(answer.headers)
        ahead = timedelta() if there is None else self.clock.now() - there
        if ahead > LATE:
            self.ahead = max(self.ahead, ahead)

    @property
    def _down(self) -> bool:
        return self._failures >= self.bounds.failures

    def _count(self) -> None:
        with self._lock:
            if self.requests >= self.bounds.requests:
                raise OutOfBudget(f"was asked {self.requests} times, which is as often as one run asks")
            self.requests += 1

    # --- waiting ---------------------------------------------------------------------------------------------------

    def _seat(self, limit: str) -> Seat:
        """A key that may be used, after waiting for one where that is sensible."""
        now = self.clock.now()
        while True:
            found = self._keys.take(limit, now)
            if isinstance(found, Seat):
                return found
            if found is None:
                raise NoTokens("refuses the token (401)", "Renew the token in GITHUB_TOKEN.")
            self._wait_for(found)
            now = max(self.clock.now(), found)

    def _wait_for(self, moment: datetime) -> None:
        seconds = (moment - self.clock.now()).total_seconds()
        if seconds > self.bounds.wait or self._waited + seconds > self.bounds.waits:
            raise Unavailable(
                "has no requests left for us (rate limit)",
                f"It can be had after {moment:%Y-%m-%d %H:%M %Z}; run again then, or give more tokens in GITHUB_TOKENS.",
            )
        self._say(f"GitHub asks us to wait {seconds:.0f} s")
        self._wait(seconds)

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._waited += seconds
            self.clock.sleep(seconds)

    def _block(self, seat: Seat, limit: str, seconds: float) -> None:
        self._keys.block(seat, limit, self.clock.now() + timedelta(seconds=seconds))


def _looked(answer: Answer, look: Callable[[Answer], Verdict]) -> Verdict:
    """A letter that is none must not cost the answer: it is looked at again without it."""
    try:
        return look(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        body = mended(answer.body)
        if body == answer.body:
            raise
        return look(replace(answer, body=body))

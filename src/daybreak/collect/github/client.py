"""Asks the forge until it answers, as long as that is sensible: retries, limits, waits, and the next token."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daybreak.collect.github.requests import Incomplete, NoGraphql, NoTokens, OutOfBudget, Refused, Unavailable
from daybreak.collect.github.tokens import Keys, Seat
from daybreak.core.forge_answer import (
    GOOD,
    SIGN_ON,
    SIGN_ON_TIP,
    SOFT_WAIT,
    Again,
    Good,
    No,
    Spent,
    Verdict,
    judge,
    retry_after,
    server_time,
    until_reset,
)
from daybreak.core.http import (
    Answer,
    Backoff,
    Http,
    NetFault,
    NoNetwork,
    Request,
    TimedOut,
    TooLarge,
    Unreachable,
    origin,
)

# --- Answers of GraphQL: which aliases came, which are refused, and which errors mean that all of it must be asked again ---
# An error with a path belongs to one alias; one without a path, or without a type that we know, spoils the whole answer.
# An alias of a form that we do not know costs only itself, and a hidden row of a list only that row.


Bundle = dict[str, Any]
"""Alias -> the value read, or the `ForgeFault` in its place."""
_SLOWER = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)
_LIMITED = ("RATE_LIMITED", "RATE_LIMIT")
_FORBIDDEN = ("FORBIDDEN", "INSUFFICIENT_SCOPES")
_OUR_MISTAKE = re.compile(
    r"doesn't exist on type|doesn't accept argument|Parse error|isn't a defined input type|not accessible by|"
    r"Cannot query field|Unknown argument|is not defined by",
    re.IGNORECASE,
)
"""Words of a forge that does not know a field, or does not open GraphQL to this token."""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    type: str | None = None
    path: list[str | int] | None = None


class _Graph(msgspec.Struct, frozen=True):
    data: dict[str, msgspec.Raw] | None = None
    errors: list[_Error] | None = None


def graph_bundle(answer: Answer, aliases: Mapping[str, type], now: datetime) -> Bundle | Verdict:
    """The values of the aliases, or what else the answer means; raises msgspec's error when it has another form."""
    graph = msgspec.json.decode(answer.body, type=_Graph)
    errors = graph.errors or []
    spoiled = _spoiled(errors, answer, now)
    if spoiled is not None:
        return spoiled
    data = graph.data
    if data is None or not aliases.keys() <= data.keys():
        return Again("gave an answer without its data", heavy=True)
    refused = {str(error.path[0]): _refusal(error) for error in errors if error.path and _refusal(error)}
    found = {alias: refused.get(alias) or _read(data[alias], kind) for alias, kind in aliases.items()}
    if all(isinstance(one, Unavailable) for one in found.values()):
        return Again("gave an answer that cannot be read")
    return found


def _read(value: msgspec.Raw, kind: type) -> Any:
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Unavailable("gave an answer that cannot be read")


def _spoiled(errors: Sequence[_Error], answer: Answer, now: datetime) -> Verdict | None:
    """What makes the whole answer useless."""
    for error in errors:
        if _SLOWER.search(error.message):
            after = retry_after(answer.headers, now)
            return Spent("secondary rate limit", SOFT_WAIT if after is None else after, growing=after is None)
        if error.type in _LIMITED:
            return Spent("rate limit", until_reset(answer.headers, now))
    for error in errors:
        if error.path and error.type in ("NOT_FOUND", *_FORBIDDEN):
            continue
        if not error.path and (error.type in _FORBIDDEN or _OUR_MISTAKE.search(error.message)):
            return No("does not answer this in GraphQL", 200)
        return Again("could not work out the whole answer", heavy=True)
    return None


def _refusal(error: _Error) -> Refused | None:
    """None for what is merely not there below a repository, and for a row of a list, which is null and counted there.

    What a row may not show of itself makes the row null, or only that place of it.
    """
    path = error.path or []
    if any(isinstance(step, int) for step in path):
        return None
    if error.type in _FORBIDDEN:
        if "SAML" in error.message:
            return Refused(SIGN_ON, SIGN_ON_TIP)
        return Refused("does not show it to this token", "Give the token the right to read the repository.")
    if len(path) == 1:
        return Refused("knows no such repository, or does not show it to us", "Look at the name in the watchlist.")
    return None


# --- Answers that are JSON but for a few letters: half a surrogate pair, bytes that are no UTF-8 ---
# Such a letter stands in one title or body, and must not cost the whole list.


_ESCAPE = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""A whole pair, half of one, or any other escape: none can begin inside another."""


def mended(body: bytes) -> bytes:
    """The same with U+FFFD in the place of what is no letter."""
    text = body.decode("utf-8", errors="replace")
    return _ESCAPE.sub(lambda found: "\\ufffd" if found[2] else found[0], text).encode()


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
    silences: int = 8
    """Exchanges in a row without an answer in time, after which nothing more is asked in this run."""
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
        self._failures, self._silences = 0, 0.0
        self._heard = False
        """It answered once: a silence of it may pass."""

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
                    if tries >= self.bounds.tries or self._down or self._mute:
                        self._failures += 1
                        raise Unavailable(reason, heavy=heavy and not self._down)
                    self._wait(self._backoff.seconds(tries - 1, self.clock.chance))

    def _try(self, seat: Seat, request: Request, limit: str, look: Callable[[Answer], Verdict]) -> Verdict:
        """One exchange and what it means."""
        began = time.monotonic()
        try:
            answer = self._exchange(seat, request)
            self._silences, self._heard = 0.0, True
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
            self._silences += isinstance(fault, TimedOut | Unreachable)
            if isinstance(fault, TooLarge):  # asked for less it may fit, but not for ever
                self._silences += (time.monotonic() - began) / self._http.patience.read
            if isinstance(fault, NoNetwork) or (isinstance(fault, TimedOut) and not self._heard):
                self._silences += self.bounds.silences // 2  # a second look, and that was it
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

    @property
    def _mute(self) -> bool:
        return self._silences >= self.bounds.silences

    def _count(self) -> None:
        """One more exchange, if there may be one."""
        if self._mute:
            raise Unavailable("did not answer again and again, and is not asked any more")
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
            if found is None and self._keys.are_none:
                raise Refused(
                    "refuses whoever has no token that it takes (401)", "Renew the token in GITHUB_TOKEN.", 401
                )
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

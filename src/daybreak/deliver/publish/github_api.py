"""Asks GitHub to write something: GraphQL with the user's token, careful about what may have happened already.

A question is asked again when its answer is lost. An order that creates something is not: it may have been carried
out, so `Unsure` is raised, and who gave the order looks first.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from daybreak.core.errors import PublishError
from daybreak.core.forge_answer import (
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
)
from daybreak.core.http import Answer, Backoff, Http, NetFault, Request, Secret

TRIES = 4
MOST_WAIT = 120.0
"""Seconds of one wait for a limit; what takes longer is left to the next run."""
ALL_WAITS = 300.0
BETWEEN_ORDERS = 1.0
"""Seconds between two orders, as GitHub asks of those who write much."""
LATER = "The next run tries again."
_SLOWER = re.compile(r"secondary rate limit|abuse detection|submitted too quickly", re.IGNORECASE)


class Unsure(PublishError):
    """The order may have been carried out: its answer was lost."""


class Gone(PublishError):
    """What is to be changed is no longer there."""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    type: str | None = None


class _Graph(msgspec.Struct, frozen=True):
    data: dict[str, Any] | None = None
    errors: list[_Error] | None = None


class Clock(Struct, frozen=True):
    """The time, and how to let it pass."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


CLOCK = Clock()


@dataclass(slots=True)
class Github:
    """One GitHub with one token."""

    api: str
    token: Secret
    http: Http
    clock: Clock = CLOCK
    say: Callable[[str], None] = lambda _: None
    requests: int = 0
    _waited: float = 0.0
    _ordered: bool = False
    _backoff: Backoff = field(default_factory=Backoff)

    @property
    def address(self) -> str:
        """Of Enterprise, `/api/v3` is REST and `/api/graphql` is this."""
        base = self.api.rstrip("/")
        return f"{base.removesuffix('/v3') if base.endswith('/api/v3') else base}/graphql"

    @property
    def host(self) -> str:
        return urlsplit(self.api).hostname or ""

    def query(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The data of a question; asked again after faults that pass."""
        return self._ask(document, variables, order=False)

    def order(self, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The data of an order; `Unsure` when it may have been carried out and we do not know."""
        if self._ordered:
            self._wait(BETWEEN_ORDERS)
        self._ordered = True
        return self._ask(document, variables, order=True)

    def pause(self, tries: int) -> None:
        """Let what may have happened become visible."""
        self._wait(self._backoff.seconds(tries, self.clock.chance))

    def _ask(self, document: str, variables: Mapping[str, Any], *, order: bool) -> dict[str, Any]:
        body = msgspec.json.encode({"query": document, "variables": variables})
        tries = slowed = 0
        while True:
            found = self._once(body)
            match found:
                case dict():
                    return found
                case Spent(reason, seconds, growing):
                    # Refused before anything was done, so an order may be given again as well.
                    slowed += 1
                    if slowed > TRIES:
                        raise PublishError(f"GitHub says not so fast again and again ({reason}).", LATER)
                    self._wait_for(seconds * 2.0 ** (slowed - 1 if growing else 0))
                case Again(reason):
                    tries += 1
                    if order:
                        raise Unsure(f"GitHub {reason}.", LATER)
                    if tries >= TRIES:
                        raise PublishError(f"GitHub {reason}.", LATER)
                    self.pause(tries - 1)
                case No(reason, status, tip):
                    raise PublishError(f"GitHub {reason}.", tip or _TIPS.get(status, LATER))

    def _once(self, body: bytes) -> dict[str, Any] | Verdict:
        headers = {"accept": "application/vnd.github+json", "content-type": "application/json"}
        bearer = Secret(f"Bearer {self.token.reveal()}")
        self.requests += 1
        try:
            answer = self.http.send(Request(self.address, "POST", headers, body, bearer))
        except NetFault as fault:
            return Again(fault.reason)
        verdict = judge(answer, self.clock.now())
        if not isinstance(verdict, Good):
            return verdict
        try:
            graph = msgspec.json.decode(answer.body, type=_Graph)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return Again("gave an answer that cannot be read")
        return self._faulty(graph, answer) or (
            Again("gave an answer without its data") if graph.data is None else graph.data
        )

    def _faulty(self, graph: _Graph, answer: Answer) -> Verdict | None:
        """What the errors of an answer mean; GitHub's words are looked at and never repeated."""
        for error in graph.errors or ():
            if error.type in ("RATE_LIMITED", "RATE_LIMIT") or _SLOWER.search(error.message):
                after = retry_after(answer.headers, self.clock.now())
                return Spent("rate limit", SOFT_WAIT if after is None else after, growing=after is None)
            if "SAML" in error.message:
                return No(SIGN_ON, 403, SIGN_ON_TIP)
            if error.type == "NOT_FOUND":
                raise Gone("GitHub knows no such thing, or does not show it to this token.", _TIPS[404])
            if error.type in ("FORBIDDEN", "INSUFFICIENT_SCOPES") or "not accessible by" in error.message:
                return No("does not let this token write there", 403)
            if error.type is None and "went wrong" in error.message.lower():
                return Again("has a fault of its own")
            return No("does not take the text (422)", 422)
        return None

    def _wait_for(self, seconds: float) -> None:
        if seconds > MOST_WAIT or self._waited + seconds > ALL_WAITS:
            raise PublishError("GitHub has no requests left for us (rate limit).", LATER)
        self.say(f"GitHub asks us to wait {seconds:.0f} s")
        self._wait(seconds)

    def _wait(self, seconds: float) -> None:
        self._waited += seconds
        self.clock.sleep(seconds)


_TIPS = {
    401: "Renew the token in GITHUB_TOKEN; the next run tries again.",
    403: "Give the token in GITHUB_TOKEN the right to write issues (or discussions) there; the next run tries again.",
    404: "Check the name under [publish], and what the token in GITHUB_TOKEN may see.",
    410: "Turn issues on in the repository's settings, or name another one under [publish].",
}

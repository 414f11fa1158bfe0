"""Connections to the service: a head must come in time, idle ones make room for new ones, and health is always answered."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any, cast

from msgspec import Struct
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from daybreak.serve.web.guard import OPEN, problem


class Limits(Struct, frozen=True):
    """What one service gives its callers."""

    head: float = 10.0
    """Seconds for a whole request, from the connection or from its first byte on."""
    answer: float = 120.0
    """Seconds for an answer to be taken."""
    idle: int = 5
    """Seconds between two requests."""
    connections: int = 256
    """Open at a time; for a new one, the longest idle one of who has most of them goes."""
    running: int = 64
    """Requests at a time."""
    turn: float = 10.0
    """Seconds that a request waits for its turn; after them it is told to come later."""


LIMITS = Limits()


class Doors:
    """So many requests at a time, the others in their order; health is beside them."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._turn, self._places = app, limits.turn, asyncio.Semaphore(limits.running)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._turn):
                await self._places.acquire()
        except TimeoutError:
            busy = problem(503, "Service Unavailable", "Too many requests at a time.", {"Retry-After": "1"})
            await busy(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._places.release()


class Connection(H11Protocol):
    """A connection with an end to each wait for the other side."""

    limits = LIMITS
    _timer: asyncio.TimerHandle | None = None
    _answering = False
    since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.since = time.monotonic()
        self._wait(self.limits.head)
        others = cast("set[Connection]", self.connections)
        if len(others) > self.limits.connections:
            self._make_room([one for one in others if one is not self and not one.busy])

    @property
    def busy(self) -> bool:
        """A request was read whole, and its answer is not."""
        cycle: Any = self.cycle  # typed as always there, and None before the first request
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def _make_room(self, idle: list[Connection]) -> None:
        """The longest idle one of the address that has most of them; where all are at work, the new one."""
        many = Counter(one.client[0] if one.client else "" for one in idle)
        worst = max(idle, key=lambda one: (many[one.client[0] if one.client else ""], -one.since), default=self)
        worst.transport.abort()

    def data_received(self, data: bytes) -> None:
        if not self._answering and self._timer is None:
            self._wait(self.limits.head)
        super().data_received(data)
        if self.busy and not self._answering:
            self._answering = True
            self._wait(self.limits.answer)

    def on_response_complete(self) -> None:
        self._answering, self.since = False, time.monotonic()
        self._stop()
        super().on_response_complete()
        if self.busy:  # the next request had come with this one
            self._answering = True
            self._wait(self.limits.answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop()
        self._timer = self.loop.call_later(seconds, self._over)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _over(self) -> None:
        self._timer = None
        self.transport.abort()


def limited(limits: Limits) -> type[Any]:
    """The protocol of a server with these limits."""
    return type("Limited", (Connection,), {"limits": limits})

"""One endpoint while a run works with it: its connection, the form it takes, its rests, and whether it was left."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

from msgspec import Struct, field

from daybreak.core.http.waits import Backoff
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.forms import Form
from daybreak.prose.llm.openai_compatible import Connection


class Patience(Struct, frozen=True):
    """How long a question is tried."""

    tries: int = 7
    """At the last endpoint, when it cannot be reached or is at fault: a restart of the server is waited for."""
    tries_first: int = 4
    """The same, while it has never answered: it may not run at all."""
    tries_before: int = 2
    """Where there is another endpoint."""
    slow: int = 2
    """Tries that may end by time."""
    limited: float = 300.0
    """Seconds in all that a question waits where there are too many requests; a tenth where there is another endpoint."""
    failures: int = 3
    """Questions given up in a row, after which an endpoint is left."""
    backoff: Backoff = field(default_factory=lambda: Backoff(first=1.0, most=30.0))


class Clock(Struct, frozen=True):
    """Time and chance, which a test sets."""

    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


class Server:
    """The state of an endpoint in this process."""

    def __init__(self, endpoint: Endpoint, timeout: float, clock: Clock) -> None:
        self.endpoint = endpoint
        self.connection = Connection(endpoint, timeout)
        self.form = Form(endpoint.structured)
        self.left = "" if endpoint.usable else f"was not asked: {endpoint.key_env} is not set"
        """Why it is asked no more."""
        self.failures = 0
        self.answered = False
        self._clock = clock
        self._rests_until = 0.0

    def answers(self) -> None:
        """It gave an answer, whatever that is worth."""
        self.failures, self.answered = 0, True

    @property
    def resting(self) -> float:
        """Seconds until it may be asked again."""
        return max(0.0, self._rests_until - self._clock.monotonic())

    def rest(self, seconds: float) -> None:
        """All questions wait: the server said that there are too many of them."""
        self._rests_until = max(self._rests_until, self._clock.monotonic() + seconds)

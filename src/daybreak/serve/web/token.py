"""The token that others need: compared without telling how much of it was right, and turned into a session for browsers."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable

from daybreak.core.errors import UsageError

VARIABLE = "DAYBREAK_TOKEN"
SHORTEST = 16
COOKIE = "daybreak_session"
LIVES = 30 * 24 * 3600
"""Seconds a browser stays known."""


class Token:
    """It is never shown, kept or put into a cookie: a session is a mark that only its holder could have made."""

    def __init__(self, secret: str, clock: Callable[[], float] = time.time) -> None:
        self._key = _hashed(secret)
        self._clock = clock

    def __repr__(self) -> str:
        return "Token(…)"

    def is_it(self, given: str) -> bool:
        """Hashes are compared, so that not even the length shows."""
        return hmac.compare_digest(_hashed(given), self._key)

    def session(self) -> str:
        """For a cookie: good until its time is over or the token is another one."""
        return self._marked(str(int(self._clock()) + LIVES))

    def opened(self, session: str) -> bool:
        """Whether this is a session of ours that is not over."""
        until = session.partition(".")[0]
        if not (until.isascii() and until.isdecimal() and len(until) <= 12):
            return False
        same = hmac.compare_digest(session.encode("utf-8", "replace"), self._marked(until).encode())
        return same and self._clock() < int(until)

    def _marked(self, until: str) -> str:
        return f"{until}.{hmac.new(self._key, f'session {until}'.encode(), hashlib.sha256).hexdigest()}"


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(b"daybreak token\0" + secret.encode("utf-8", "surrogateescape")).digest()


def token_for(environment: dict[str, str], *, others: bool) -> Token | None:
    """The token of the environment; `others`: other machines can reach us, and so there must be one."""
    secret = environment.get(VARIABLE, "").strip()
    if not secret and others:
        raise UsageError(
            f"Other machines could read everything at this address: {VARIABLE} must be set.",
            f"For example: export {VARIABLE}=$(openssl rand -hex 24); or leave --host at 127.0.0.1.",
        )
    if secret and len(secret) < SHORTEST:
        raise UsageError(
            f"{VARIABLE} is too short to be safe.",
            f"It needs at least {SHORTEST} characters: openssl rand -hex 24 makes a good one.",
        )
    return Token(secret) if secret else None

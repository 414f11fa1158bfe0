"""Answers of the forge and what they mean before anyone looks at their content: good, again, wait, or refused.

GitHub says "not so fast" in four forms: a 403 or 429 with nothing remaining and the time of the reset, one with
`Retry-After`, one with words alone, and a 200 of GraphQL with an error of type RATE_LIMITED.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

from daybreak.core.http import Answer

SOFT_WAIT = 60.0
"""A secondary limit without a time: GitHub's own advice is a minute at least, then longer."""
_WORDS_LOOKED_AT = 4096
_SLOWER = re.compile(rb"secondary rate limit|abuse detection|rate limit exceeded", re.IGNORECASE)
_SAML = re.compile(rb"SAML enforcement|SAML SSO", re.IGNORECASE)
_LONGEST_NAMED = 10.0**9
SIGN_ON = "wants the token authorized for this organization (SAML)"
SIGN_ON_TIP = "On GitHub, under the token's settings, choose Configure SSO and authorize it for the organization."


class Good(Struct, frozen=True):
    """Take it."""


class Again(Struct, frozen=True):
    """A fault that passes."""

    reason: str
    heavy: bool = False


class Spent(Struct, frozen=True):
    """This token must wait; `growing`: for longer each time it happens."""

    reason: str
    seconds: float
    growing: bool = False


class No(Struct, frozen=True):
    """Asking again gives the same."""

    reason: str
    status: int
    tip: str = ""


Verdict = Good | Again | Spent | No

GOOD = Good()


def judge(answer: Answer, now: datetime) -> Verdict:
    """By status and headers."""
    status = answer.status
    if status in (200, 304):
        return GOOD
    if status in (403, 429):
        return _slowed(answer, now) or _forbidden(answer)
    if status == 408 or status >= 500:
        return Again(f"has a fault of its own ({status})", heavy=status in (500, 502, 503, 504))
    return No(_REFUSALS.get(status, f"refuses it ({status})"), status)


_REFUSALS = {
    401: "refuses the token (401)",
    404: "knows no such repository, or does not show it to us (404)",
    410: "says it is turned off or gone (410)",
    422: "does not take the question (422)",
    451: "may not show it for legal reasons (451)",
}


def _forbidden(answer: Answer) -> No:
    """Nothing of the answer is quoted: the header of a sign-on holds an address with a word to authorize by."""
    if "x-github-sso" in answer.headers or _SAML.search(answer.body[:_WORDS_LOOKED_AT]):
        return No(SIGN_ON, answer.status, SIGN_ON_TIP)
    return No("refuses it (403)", answer.status)


def _slowed(answer: Answer, now: datetime) -> Spent | None:
    headers = answer.headers
    after = retry_after(headers, now)
    if after is not None:
        return Spent("secondary rate limit", after)
    if headers.get("x-ratelimit-remaining") == "0":
        return Spent("rate limit", until_reset(headers, now))
    if answer.status == 429 or _SLOWER.search(answer.body[:_WORDS_LOOKED_AT]):
        return Spent("secondary rate limit", SOFT_WAIT, growing=True)
    return None


def until_reset(headers: Mapping[str, str], now: datetime) -> float:
    """Seconds to the reset by the forge's own clock, since ours may be wrong; a minute when it does not say."""
    try:
        seconds = float(headers["x-ratelimit-reset"]) - (server_time(headers) or now).timestamp()
    except (KeyError, ValueError):
        return SOFT_WAIT
    return SOFT_WAIT if math.isnan(seconds) else min(max(seconds, 0.0) + 1.0, _LONGEST_NAMED)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds, said as such or as a date of the forge's own clock; None when it does not say."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return max(float(value), 1.0)
    moment = _date(value)
    if moment is None:
        return None
    return min(max((moment - (server_time(headers) or now)).total_seconds(), 1.0), _LONGEST_NAMED)


def server_time(headers: Mapping[str, str]) -> datetime | None:
    """What the forge's clock said when it answered."""
    return _date(headers.get("date"))


def _date(value: str | None) -> datetime | None:
    if not value:
        return None
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)

"""HTTP for every room: one client with limits, what an answer means, waits, and secrets that are never printed."""

from __future__ import annotations

import ipaddress
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from daybreak import __version__

if TYPE_CHECKING:
    import httpx


# --- Secrets that cannot be printed by accident, and texts from which they are taken out ---

SHORTEST = 6
"""Shorter secrets are not looked for in texts: they would blot out ordinary words."""
_FORMS = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})|(?<=[Bb]earer )[\w.~+/=-]{6,}|(?<=//)[^/@\s]+(?=@)"
)
"""Forms that GitHub's tokens have, headers that carry one, and passwords in addresses."""


class Secret:
    """A text that shows itself to nobody who does not ask by name."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written anywhere")


def redacted(text: str, secrets: Iterable[Secret] = ()) -> str:
    """The text with every known secret, and all that has the form of one, replaced by three stars."""
    for secret in secrets:
        if len(secret.reveal()) >= SHORTEST:
            text = text.replace(secret.reveal(), "***")
    return _FORMS.sub("***", text)


# --- What can go wrong with one exchange, in words of our own: no address, no header and no answer is in them ---


class NetFault(Exception):
    """The exchange did not bring a whole answer; `reason` is part of a sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TimedOut(NetFault):
    """No answer, or not the whole of it, in the time we give."""


class Unreachable(NetFault):
    """No connection could be made."""


class Cut(NetFault):
    """The connection ended inside the answer, or the answer is damaged."""


class TooLarge(NetFault):
    """The answer is larger than we take."""


class Astray(NetFault):
    """The answer sends us somewhere we do not go."""


# --- One HTTP exchange, bounded in time and size: the only file that imports httpx ---
# An authorization goes to the host it was meant for and to no other: redirects are followed here and not by the library.

LARGEST = 50 << 20
"""Bytes of an answer, unpacked."""
MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked; the authorization stands apart so that nothing can print or forward it unseen."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = field(default=None, repr=False)
    authorization: Secret | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer; the names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class Patience(Struct, frozen=True):
    """Seconds that we wait for things."""

    connect: float = 10.0
    read: float = 30.0
    """Between two pieces of the answer."""
    whole: float = 120.0


PATIENCE = Patience()


class Http:
    """Sends requests one by one; may be used by several threads."""

    def __init__(
        self,
        patience: Patience = PATIENCE,
        largest: int = LARGEST,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patience, self._largest, self._monotonic = patience, largest, monotonic
        self._client: httpx.Client | None = None
        self._lock = threading.Lock()

    def send(self, request: Request, before: Callable[[], None] = lambda: None) -> Answer:
        """The answer to the last of the redirects; a `NetFault` when there is no whole one.

        `before` is called before each exchange: a redirect costs a request as well.
        """
        for _ in range(MOST_REDIRECTS):
            before()
            answer = self._once(request)
            if answer.status not in _REDIRECTS or "location" not in answer.headers:
                return answer
            request = redirected(request, answer)
        raise Astray("was redirected too often")

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _once(self, request: Request) -> Answer:
        import httpx

        try:
            return self._exchange(request)
        except httpx.ConnectTimeout:
            raise Unreachable("cannot be reached: no connection in time") from None
        except httpx.TimeoutException:
            raise TimedOut("did not answer in time") from None
        except (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol):
            raise Unreachable("cannot be reached") from None
        except (httpx.TransportError, httpx.DecodingError, httpx.StreamError):
            raise Cut("ended its answer in the middle") from None
        except (httpx.InvalidURL, httpx.HTTPError, ValueError):
            # Whatever else the library may raise carries the request, and with it the authorization.
            raise NetFault("could not be asked") from None

    def _exchange(self, request: Request) -> Answer:
        headers = {"user-agent": f"daybreak/{__version__}", **request.headers}
        if request.authorization is not None:
            headers["authorization"] = request.authorization.reveal()
        deadline = self._monotonic() + self._patience.whole
        with self._opened().stream(request.method, request.url, headers=headers, content=request.body) as response:
            pieces, size = [], 0
            for piece in response.iter_bytes():
                size += len(piece)
                if size > self._largest:
                    raise TooLarge(f"gave an answer of more than {self._largest >> 20} MB")
                if self._monotonic() > deadline:
                    raise TimedOut("did not finish its answer in time")
                pieces.append(piece)
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status_code, found, b"".join(pieces))

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                patience = self._patience
                timeout = httpx.Timeout(patience.read, connect=patience.connect)
                self._client = httpx.Client(timeout=timeout, follow_redirects=False)
            return self._client


def redirected(request: Request, answer: Answer) -> Request:
    """The request that a redirect asks for: without authorization on another host, never from https down to http."""
    target = urljoin(request.url, answer.headers["location"])
    old, new = urlsplit(request.url), urlsplit(target)
    if new.scheme not in _PORTS or (old.scheme == "https" and new.scheme == "http"):
        raise Astray("was redirected to an unsafe address")
    same = origin(old) == origin(new)
    if request.method != "GET" and (not same or answer.status not in (307, 308)):
        raise Astray("was redirected to another address")
    return replace(request, url=target, authorization=request.authorization if same else None)


def origin(address: SplitResult) -> tuple[str, str | None, int | None]:
    """Scheme, host and port: what an authorization is given to."""
    try:
        port = address.port
    except ValueError:
        raise Astray("was redirected to an address that is none") from None
    return address.scheme, address.hostname, port or _PORTS.get(address.scheme)


# --- Which addresses no other machine can reach: what is served on the others needs a token ---


def is_loopback(host: str) -> bool:
    """Whether this is a name or number of this machine alone; with or without brackets, a final dot, capitals."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


# --- How long to wait before the next try: longer each time, and never at the same moment as everybody else ---

_HIGHEST_POWER = 16


class Backoff(Struct, frozen=True):
    """Doubling waits with jitter."""

    first: float = 1.0
    most: float = 60.0

    def seconds(self, tries: int, chance: Callable[[], float]) -> float:
        """Between half and the whole of the doubled wait; `chance` gives a number in 0..1."""
        whole: float = min(self.most, self.first * 2.0 ** min(tries, _HIGHEST_POWER))
        return whole / 2 + whole / 2 * chance()


# --- What an answer of the forge means before anyone looks at its content: good, again, wait, or refused ---
# GitHub says "not so fast" in four forms: a 403 or 429 with nothing remaining and the time of the reset, one with
# `Retry-After`, one with words alone, and a 200 of GraphQL with an error of type RATE_LIMITED.

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

"""HTTP for every room: one client with limits, faults that hold no secret, and waits."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from daybreak import __version__
from daybreak.core.http.secrets import Secret

if TYPE_CHECKING:
    import httpx


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

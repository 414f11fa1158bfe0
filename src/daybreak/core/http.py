"""HTTP for every room: one client with limits, waits, and secrets that are never printed."""

from __future__ import annotations

import ipaddress
import queue
import re
import threading
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from errno import EHOSTUNREACH, ENETUNREACH
from functools import cache
from importlib import import_module
from socket import gaierror
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from urllib.parse import SplitResult, urljoin, urlsplit

from msgspec import Struct

from daybreak import __version__
from daybreak.core.address import without_credentials

if TYPE_CHECKING:
    import ssl

    import httpx

Result = TypeVar("Result")

# --- Secrets that cannot be printed by accident, and texts from which they are taken out ---

SHORTEST = 6
"""Shorter secrets are not looked for in texts: they would blot out ordinary words."""
_FORMS = re.compile(r"\b(?:gh[a-z]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,})|(?<=[Bb]earer )[\w.~+/=-]{6,}")
"""Forms that GitHub's tokens have, and headers that carry one."""


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
    return without_credentials(_FORMS.sub("***", text))


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


class NoNetwork(Unreachable):
    """The host has no address, or no way leads there: asking it again at once is of no use."""


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
        self.patience, self._largest, self._monotonic = patience, largest, monotonic
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
            # Between two pieces the library waits for `read`, however small they are: the whole has a limit of its own.
            return within(self.patience.whole + self.patience.connect, lambda: self._exchange(request))
        except httpx.ConnectTimeout:
            raise Unreachable("cannot be reached: no connection in time") from None
        except httpx.TimeoutException:
            raise TimedOut("did not answer in time") from None
        except (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol) as error:
            raise (
                NoNetwork("cannot be reached: no network") if _no_way(error) else Unreachable("cannot be reached")
            ) from None
        except (httpx.TransportError, httpx.DecodingError, httpx.StreamError):
            raise Cut("ended its answer in the middle") from None
        except (httpx.InvalidURL, httpx.HTTPError, ValueError):
            # Whatever else the library may raise carries the request, and with it the authorization.
            raise NetFault("could not be asked") from None

    def _exchange(self, request: Request) -> Answer:
        headers = {"user-agent": f"daybreak/{__version__}", "accept-encoding": "gzip, deflate", **request.headers}
        if request.authorization is not None:
            headers["authorization"] = request.authorization.reveal()
        deadline = self._monotonic() + self.patience.whole
        with self._opened().stream(request.method, request.url, headers=headers, content=request.body) as response:
            found = {name.lower(): value for name, value in response.headers.items()}
            body = Body(found.get("content-encoding", ""), self._largest)
            for piece in response.iter_raw():
                body.add(piece)
                if self._monotonic() > deadline:
                    raise TimedOut("did not finish its answer in time")
            return Answer(response.status_code, found, body.whole())

    def _opened(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                patience = self.patience
                timeout = httpx.Timeout(patience.read, connect=patience.connect)
                self._client = httpx.Client(timeout=timeout, follow_redirects=False, verify=trust())
            return self._client


@cache
def trust() -> ssl.SSLContext:
    """Certificates that this machine trusts, for all clients: to read them takes longer than most answers."""
    import httpx

    return httpx.create_ssl_context()


# --- A body within limits: it is unpacked here, piece by piece, and never beyond what is taken ---


class Body:
    """What came of an answer so far, unpacked; good answers and errors have the same limit."""

    def __init__(self, packing: str, largest: int) -> None:
        self._largest, self._size, self._pieces = largest, 0, list[bytes]()
        name = packing.strip().lower() or "identity"
        if name not in ("identity", "gzip", "x-gzip", "deflate"):
            raise Cut("packed its answer in a way that nobody asked for")
        self._unpacking = None if name == "identity" else zlib.decompressobj(zlib.MAX_WBITS | 32)

    def add(self, piece: bytes) -> None:
        """Raises `TooLarge` before more is held than is taken."""
        room = self._largest - self._size + 1
        try:
            found = piece[:room] if self._unpacking is None else self._unpacking.decompress(piece, room)
        except zlib.error:
            raise Cut("packed its answer so that it cannot be unpacked") from None
        self._size += len(found)
        if self._size > self._largest:
            raise TooLarge(f"gave an answer of more than {max(self._largest >> 20, 1)} MB")
        self._pieces.append(found)

    def whole(self) -> bytes:
        """All of it; raises `Cut` where the packing has no end."""
        if self._unpacking is not None and self._size and not self._unpacking.eof:
            raise Cut("ended its answer in the middle")
        return b"".join(self._pieces)


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """What a call answers that may wait for ever: after so many seconds nobody waits for it any more."""
    ended: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()

    def called() -> None:
        try:
            ended.put((call(), None))
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            ended.put((None, error))

    threading.Thread(target=called, daemon=True).start()
    try:
        answer, error = ended.get(timeout=seconds)
    except queue.Empty:
        raise TimedOut("did not finish its answer in time") from None
    if error is not None:
        raise error
    return cast("Result", answer)


def limited_transport(client: type[Any], largest: int) -> Any:
    """Of an asynchronous client that another library makes: bodies come unpacked and within a limit, those of errors too.

    Its own HTTP package is used, which need not be ours; a body that is not taken is a `NetFault`, which it lets through.
    """
    home = next(one.__module__ for one in client.__mro__ if one.__name__ == "AsyncClient").partition(".")[0]
    httpx: Any = import_module(home)

    class Pieces(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, stream: Any, packing: str) -> None:
            self._stream, self._packing = stream, packing

        async def __aiter__(self) -> AsyncIterator[bytes]:
            body = Body(self._packing, largest)
            async for piece in self._stream:
                body.add(piece)
            yield body.whole()

        async def aclose(self) -> None:
            await self._stream.aclose()

    class Limited(httpx.AsyncHTTPTransport):  # type: ignore[misc]
        async def handle_async_request(self, request: Any) -> Any:
            request.headers["accept-encoding"] = "gzip, deflate"
            answer = await super().handle_async_request(request)
            answer.stream = Pieces(answer.stream, answer.headers.pop("content-encoding", ""))
            return answer

    return Limited(verify=trust(), limits=httpx.Limits(max_connections=1000, max_keepalive_connections=100))


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


def _no_way(error: BaseException | None) -> bool:
    """Whether the system itself said so, somewhere below the library's words."""
    while error is not None:
        if isinstance(error, gaierror) or getattr(error, "errno", None) in (ENETUNREACH, EHOSTUNREACH):
            return True
        error = error.__cause__ or error.__context__
    return False


class Backoff(Struct, frozen=True):
    """Doubling waits with jitter."""

    first: float = 1.0
    most: float = 60.0

    def seconds(self, tries: int, chance: Callable[[], float]) -> float:
        """Between half and the whole of the doubled wait; `chance` gives a number in 0..1."""
        whole: float = min(self.most, self.first * 2.0 ** min(tries, _HIGHEST_POWER))
        return whole / 2 + whole / 2 * chance()

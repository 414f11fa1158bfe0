"""The guard before every answer: limits, who may ask, a token where others can reach us, and headers that keep pages harmless."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from html import escape
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daybreak.core.errors import UsageError
from daybreak.core.http import is_loopback
from daybreak.core.text import escaped_bytes
from daybreak.site.pages.plain import everywhere, framed

# --- The token that others need: compared without telling how much of it was right, and turned into a session for browsers ---


VARIABLE = "DAYBREAK_TOKEN"
SHORTEST = 16
COOKIE = "daybreak_session"
SIGNED_IN = "daybreak_signed_in"
"""Holds nothing: by it the script of a page knows that there is a session to end."""
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


# --- The few pages that the server writes itself: before somebody is known, and where there is nothing to show ---


def login_page(target: str = "/", *, wrong: bool = False) -> str:
    """In all languages, since nobody knows yet which one is read here."""
    told = f'<p role="alert">{everywhere("wrong", " ")}</p>\n' if wrong else ""
    form = f"""<h1>Daybreak</h1>
{told}<form class="find" method="post" action="/login">
<input type="hidden" name="next" value="{escape(target)}">
<input type="text" name="username" value="daybreak" autocomplete="username" hidden>
<label for="token">{everywhere("token", " · ", " <code>DAYBREAK_TOKEN</code>")}</label>
<input id="token" name="token" type="password" autocomplete="current-password" required>
<button>{everywhere("enter", " · ")}</button>
</form>"""
    return framed("Daybreak", form)


def logout_page() -> str:
    """A button, since a link could be followed by a page of another site."""
    return framed(
        "Daybreak",
        f"""<h1>Daybreak</h1>
<form class="find" method="post" action="{LOGOUT}"><button>{everywhere("leave", " · ")}</button></form>""",
    )


CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
LONGEST_TARGET = 6144
LONGEST_QUERY = 4096
"""Bytes as they are sent: a Chinese character takes nine, and a search may have 400."""
MOST_HEADERS = 16_384
"""Bytes of names and values together."""
LONGEST_FORM = 4096
_LONGEST_WAY = 1500
"""Of an address that is gone on to after the form; with the rest of the form it must fit into it, encoded."""
LOGIN, LOGOUT = "/login", "/logout"
FREE = 3
"""Wrong tokens of one address that cost no time."""
LONGEST_PAUSE = 5.0
MOST_PENDING = 8
MOST_ADDRESSES = 10_000
_LOG = logging.getLogger("uvicorn.guard")
OPEN = ("/healthz", "/livez")
"""Answered without a token: whether all is well and no more of it, and that we live."""
OPEN_FOLDER = "/assets/"
"""The style, which comes with the program."""
KNOWN = "daybreak.known"
"""In the scope: whoever asks may see everything."""


def problem(status: int, title: str, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 9457 has it."""
    data = {"type": "about:blank", "title": title, "status": status, **({"detail": detail} if detail else {})}
    body = escaped_bytes(msgspec.json.encode(data)) + b"\n"
    return Response(body, status, headers, media_type="application/problem+json")


class Tries:
    """Wrong tokens by address: each is answered later than the one before, and few at a time are looked at."""

    def __init__(self, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._pause = pause
        self._wrong: dict[str, int] = {}
        self._pending: dict[str, int] = {}

    def full(self, address: str) -> bool:
        """So many wrong ones wait for their answer that no other is looked at."""
        return self._pending.get(address, 0) >= MOST_PENDING

    async def wrong(self, address: str) -> None:
        """Note it, say so now and then, and wait."""
        if len(self._wrong) > MOST_ADDRESSES:
            self._wrong.clear()
        count = self._wrong[address] = self._wrong.get(address, 0) + 1
        if count in (FREE + 1, 10, 100) or count % 1000 == 0:
            _LOG.warning("%d wrong tokens from %s", count, address)
        if count <= FREE:
            return
        self._pending[address] = self._pending.get(address, 0) + 1
        try:
            await self._pause(min(0.25 * 2.0 ** min(count - FREE - 1, 10), LONGEST_PAUSE))
        finally:
            self._pending[address] -= 1

    def right(self, address: str) -> None:
        self._wrong.pop(address, None)


class Guard:
    """Around the whole application.

    Without a token only this machine is served, by a name that is this machine's own: a page of another site could
    else have its name answered with our address and read everything.
    """

    def __init__(
        self, app: ASGIApp, token: Token | None = None, hosts: Iterable[str] = (), tries: Tries | None = None
    ) -> None:
        self._app, self._token, self._tries = app, token, tries or Tries()
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # there are no sockets, and nothing to start

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is None and self._token is not None:
            answer = await self._asked_for_token(self._token, scope, headers, receive)
        await (answer or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        allowed = ("GET", "HEAD", "POST") if self._token and scope["path"] in (LOGIN, LOGOUT) else ("GET", "HEAD")
        if scope["method"] not in allowed:
            return problem(405, "Method Not Allowed", headers={"Allow": ", ".join(allowed)})
        query = scope.get("query_string", b"")
        if len(query) > LONGEST_QUERY or len(scope.get("raw_path") or b"") + len(query) > LONGEST_TARGET:
            return problem(414, "URI Too Long", f"A query has at most {LONGEST_QUERY} bytes.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
            return problem(431, "Request Header Fields Too Large")
        hosts = headers.getlist("host")
        if len(hosts) != 1:
            return problem(400, "Bad Request", "One Host header is needed.")
        if self._token is None and not self._ours(hosts[0]):
            return problem(421, "Misdirected Request", "This service answers to localhost and 127.0.0.1 only.")
        return None

    def _ours(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdecimal():
            name = host
        return is_loopback(name) or name.lower() in self._hosts

    # --- the token ---------------------------------------------------------------------------------------------------

    async def _asked_for_token(self, token: Token, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        path, address = scope["path"], (scope.get("client") or ("",))[0]
        gives = "authorization" in headers or scope["method"] == "POST"
        if gives and self._tries.full(address):
            return problem(429, "Too Many Requests", headers={"Retry-After": str(int(LONGEST_PAUSE))})
        known = scope[KNOWN] = _is_known(token, headers)
        if path == LOGIN and scope["method"] == "POST":
            answer = await _log_in(token, scope, headers, receive)
            known = answer.status_code == 303
            if answer.status_code in (303, 401):
                await self._tried(address, right=known)
            return answer
        if "authorization" in headers:
            await self._tried(address, right=known)
        if path == LOGIN or (path == LOGOUT and known):
            return _door(scope, headers, known=known)
        if known or path in OPEN or path.startswith(OPEN_FOLDER):
            return None
        if "text/html" in headers.get("accept", "") and not path.startswith("/api/"):
            return HTMLResponse(login_page(_target(scope)), 401, {"WWW-Authenticate": "Bearer"})
        words = "Send the token of DAYBREAK_TOKEN as Authorization: Bearer."
        return problem(401, "Unauthorized", words, {"WWW-Authenticate": "Bearer"})

    async def _tried(self, address: str, *, right: bool) -> None:
        if right:
            self._tries.right(address)
        else:
            await self._tries.wrong(address)


def _target(scope: Scope) -> str:
    """What was asked for, as it was sent: a reader goes on there."""
    path, query = scope.get("raw_path") or b"/", scope.get("query_string", b"")
    return _inside((path + (b"?" + query if query else b"")).decode("latin-1"))


def _is_known(token: Token, headers: Headers) -> bool:
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.is_it(given.strip())
    return any(token.opened(value) for value in _cookies(headers))


def _cookies(headers: Headers) -> list[str]:
    pairs = (pair.strip().partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


async def _log_in(token: Token, scope: Scope, headers: Headers, receive: Receive) -> Response:
    if not _same_origin(headers):
        return _foreign()
    body = await _form(receive)
    if body is None:
        return problem(413, "Content Too Large")
    given = _fields(body)
    target = _inside(given.get("next", ["/"])[0])
    if not token.is_it(given.get("token", [""])[0].strip()):
        return HTMLResponse(login_page(target, wrong=True), 401)
    answer = RedirectResponse(target, 303)
    tls = "https" in (
        scope.get("scheme"),
        headers.get("x-forwarded-proto", "").lower(),
    )  # said falsely, it costs only who says it
    answer.set_cookie(COOKIE, token.session(), max_age=LIVES, httponly=True, samesite="strict", secure=tls)
    answer.set_cookie(SIGNED_IN, "1", max_age=LIVES, samesite="strict", secure=tls)
    return answer


def _door(scope: Scope, headers: Headers, *, known: bool) -> Response:
    """The forms to come in and to go."""
    if scope["path"] == LOGIN:
        return RedirectResponse("/", 303) if known else HTMLResponse(login_page())
    return _log_out(headers) if scope["method"] == "POST" else HTMLResponse(logout_page())


def _log_out(headers: Headers) -> Response:
    if not _same_origin(headers):
        return _foreign()
    answer = RedirectResponse(LOGIN, 303)
    for name in (COOKIE, SIGNED_IN):
        answer.delete_cookie(name, samesite="strict")
    return answer


def _foreign() -> Response:
    return problem(403, "Forbidden", "This form is answered only when it is sent from this site.")


def _fields(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode("utf-8", "replace"), max_num_fields=8)
    except ValueError:
        return {}


def _same_origin(headers: Headers) -> bool:
    """As far as a browser tells: it says `null` where pages give no referrer, and nothing at all without TLS."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin", "null")
    return origin == "null" or origin.partition("://")[2] == headers.get("host")


def _inside(path: str) -> str:
    """Only a plain path of this site is gone on to."""
    plain = path.startswith("/") and not path.startswith("//") and path.isascii() and path.isprintable()
    return path if plain and "\\" not in path and len(path) <= _LONGEST_WAY else "/"


async def _form(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LONGEST_FORM:
            return None
        if not message.get("more_body"):
            return bytes(body)

"""Local servers that imitate what the targets document: their limits, their markup, their answers, and their faults.

Real sockets on loopback; where the limits come from is in docs/notify.md.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

SECRET = "SECsigningsecret0123456789"
TOKEN = "tok3nThatNobodyMaySee9876"


class Fault(NamedTuple):
    """What goes wrong with the next request."""

    kind: str
    """status, cut (nothing was taken), lost (taken, and the answer never comes), hang, hang-lost."""
    status: int = 500
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b"{}"


Answer = tuple[int, bytes]
Judge = Callable[["Service", str, str, dict[str, str], bytes], Answer | None]


class Service:
    """One target: what it takes is in `taken`, oldest first."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.faults: deque[Fault] = deque()
        self.taken: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.refused: list[bytes] = []
        self.arrived = threading.Event()
        self._keys: set[str] = set()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                service._handle(self)

            do_PUT = do_GET = do_POST  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def forget(self) -> None:
        """As if it had just been started."""
        self.taken.clear()
        self.requests.clear()
        self._keys.clear()
        self.faults.clear()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        here = f"127.0.0.1:{self.port}"
        return {
            "feishu": f"feishu+http://{here}/open-apis/bot/v2/hook/{TOKEN}",
            "lark": f"lark+http://{here}/open-apis/bot/v2/hook/{TOKEN}",
            "wecom": f"wecom+http://{here}/cgi-bin/webhook/send?key={TOKEN}",
            "dingtalk": f"dingtalk+http://{here}/robot/send?access_token={TOKEN}",
            "slack": f"slack://T1JJ3T3L2/A1BRTD4JD/{TOKEN}/",
            "discord": f"discord://4174216298/{TOKEN}/",
            "telegram": f"tgram://123456789:{TOKEN}/-1231554/",
            "matrix": f"matrix://:{TOKEN}@{here}/!room:example.org",
            "json": f"json://user:{TOKEN}@{here}/hook",
            "form": f"form://user:{TOKEN}@{here}/hook",
        }[self.kind]

    # --- one request -------------------------------------------------------------------------------------------------

    def _handle(self, request: Any) -> None:
        body = request.rfile.read(int(request.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((request.command, request.path, headers, body))
        fault = self.faults.popleft() if self.faults and self._is_message(request.command, request.path) else None
        if fault is not None and fault.kind == "status":
            self._answer(request, fault.status, fault.body, fault.headers)
            return
        status, answer = (
            (0, b"") if fault is not None and fault.kind in ("cut", "hang") else self._judged(request, headers, body)
        )
        if fault is None:
            self._answer(request, status, answer)
        elif fault.kind.startswith("hang"):
            self.arrived.set()
            with contextlib.suppress(OSError):
                request.connection.recv(1)  # until the other side has had enough
        request.close_connection = True

    def _is_message(self, method: str, path: str) -> bool:
        return self.kind != "matrix" or (method == "PUT" and "/send/m.room.message/" in path)

    def _judged(self, request: Any, headers: dict[str, str], body: bytes) -> Answer:
        refusal = JUDGES[self.kind](self, request.command, request.path, headers, body)
        if refusal is not None:
            if self._is_message(request.command, request.path) and refusal[0] != 299:
                self.refused.append(body)
            return (200 if refusal[0] == 299 else refusal[0]), refusal[1]
        key = headers.get("idempotency-key") or (request.path if self.kind == "matrix" else "")
        if not key or key not in self._keys:
            self._keys.add(key)
            self.taken.append(self._data(body) | {"_path": request.path, "_key": key})
        return SUCCESS[self.kind]

    def _data(self, body: bytes) -> dict[str, Any]:
        if self.kind == "form":
            return {name: values[0] for name, values in parse_qs(body.decode()).items()}
        return dict(json.loads(body))

    def _answer(self, request: Any, status: int, body: bytes, headers: tuple[tuple[str, str], ...] = ()) -> None:
        with contextlib.suppress(OSError):
            request.send_response(status)
            for name, value in headers:
                request.send_header(name, value)
            request.send_header("content-length", str(0 if status == 204 else len(body)))
            request.end_headers()
            if status != 204:
                request.wfile.write(body)

    # --- what a reader sees ------------------------------------------------------------------------------------------

    def texts(self) -> list[str]:
        """The text of each message that was taken, in the target's markup."""
        return [text_of(self.kind, one) for one in self.taken]


def text_of(kind: str, data: dict[str, Any]) -> str:
    if kind in ("feishu", "lark"):
        card = data["card"]
        return "\n\n".join(
            [card["header"]["title"]["content"], *(e["content"] for e in card["elements"] if e["tag"] == "markdown")]
        )
    if kind in ("wecom", "dingtalk"):
        return str(data["markdown"].get("content") or data["markdown"]["text"])
    if kind == "slack":
        return "\n".join(block["text"]["text"] for block in data["attachments"][0]["blocks"])
    if kind in ("json", "form"):
        return f"{data['title']}\n{data['message']}"
    return str(
        {"discord": data.get("content"), "telegram": data.get("text"), "matrix": data.get("formatted_body")}[kind]
    )


SUCCESS: dict[str, Answer] = {
    "feishu": (200, b'{"StatusCode":0,"StatusMessage":"success","code":0,"data":{},"msg":"success"}'),
    "lark": (200, b'{"code":0,"msg":"success"}'),
    "wecom": (200, b'{"errcode":0,"errmsg":"ok"}'),
    "dingtalk": (200, b'{"errcode":0,"errmsg":"ok"}'),
    "slack": (200, b"ok"),
    "discord": (204, b""),
    "telegram": (200, b'{"ok":true,"result":{"message_id":5}}'),
    "matrix": (200, b'{"event_id":"$x"}'),
    "json": (200, b"thanks"),
    "form": (201, b""),
}


# --- refusals --------------------------------------------------------------------------------------------------------


def _feishu(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    data = json.loads(body)
    if not path.endswith(TOKEN):
        return 200, b'{"code":19001,"msg":"param invalid: incoming webhook access token invalid"}'
    if len(body) > 20 * 1024:
        return 200, b'{"code":9499,"msg":"Bad Request"}'
    if "sign" in data:
        key = f"{data['timestamp']}\n{SECRET}".encode()
        if data["sign"] != base64.b64encode(hmac.new(key, digestmod=hashlib.sha256).digest()).decode():
            return 200, b'{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}'
    if data["msg_type"] != "interactive" or data["card"]["header"]["title"]["tag"] != "plain_text":
        return 200, b'{"code":9499,"msg":"Bad Request"}'
    for element in data["card"]["elements"]:
        if element["tag"] == "markdown" and (not element["content"] or element["content"].count("**") % 2):
            return 200, b'{"code":11246,"msg":"card content failed"}'
    return None


def _wecom(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    data = json.loads(body)
    if parse_qs(urlsplit(path).query).get("key") != [TOKEN]:
        return 200, b'{"errcode":93000,"errmsg":"invalid webhook url"}'
    if data["msgtype"] != "markdown" or not data["markdown"]["content"]:
        return 200, b'{"errcode":40008,"errmsg":"invalid message type"}'
    if len(data["markdown"]["content"].encode()) > 4096:
        return 200, b'{"errcode":40058,"errmsg":"markdown.content exceed max length 4096"}'
    return None


def _dingtalk(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    asked = parse_qs(urlsplit(path).query)
    if len(body) > 20_000:
        return 200, b'{"errcode":460101,"errmsg":"message too long"}'
    if "sign" in asked:
        text = f"{asked['timestamp'][0]}\n{SECRET}".encode()
        right = base64.b64encode(hmac.new(SECRET.encode(), text, hashlib.sha256).digest()).decode()
        if asked["sign"] != [right]:
            return 200, b'{"errcode":310000,"errmsg":"sign not match"}'
    data = json.loads(body)
    if data["msgtype"] != "markdown" or not data["markdown"]["title"] or not data["markdown"]["text"]:
        return 200, b'{"errcode":400702,"errmsg":"title and text must not be empty"}'
    return None


def _slack(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    for block in json.loads(body)["attachments"][0]["blocks"]:
        if block["type"] != "section" or not 1 <= len(block["text"]["text"]) <= 3000:
            return 400, b"invalid_blocks"
        if block["text"]["type"] != "mrkdwn":
            return 400, b"invalid_payload"
    return None


def _discord(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    content = json.loads(body).get("content", "")
    if not 1 <= len(content) <= 2000:
        return 400, b'{"content":["Must be 2000 or fewer in length."]}'
    return None


class Tags(HTMLParser):
    """Which tags there are, and whether each is closed in its turn."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.wrong = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in ("br", "hr", "meta"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.wrong |= not self.open or self.open.pop() != tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def tags(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    parser.close()
    parser.wrong |= bool(parser.open)
    return parser


def _telegram(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    data = json.loads(body)
    found = tags(data["text"])
    if data["parse_mode"] != "HTML" or found.wrong or {tag for tag, _ in found.seen} - {"b", "i", "a", "code", "pre"}:
        return 400, b'{"ok":false,"error_code":400,"description":"Bad Request: can\'t parse entities"}'
    if len("".join(found.words).encode("utf-16-le")) // 2 > 4096:
        return 400, b'{"ok":false,"error_code":400,"description":"Bad Request: message is too long"}'
    return None


def _matrix(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    if headers.get("authorization") != f"Bearer {TOKEN}":
        return 401, b'{"errcode":"M_UNKNOWN_TOKEN"}'
    if "/send/m.room.message/" not in path:
        return (
            299,
            b'{"user_id":"@bot:example.org","device_id":"D","room_id":"!room:example.org","joined_rooms":["!room:example.org"]}',
        )
    data = json.loads(body)
    if len(body) > 65_536 or data.get("format") != "org.matrix.custom.html" or tags(data["formatted_body"]).wrong:
        return 413, b'{"errcode":"M_TOO_LARGE"}'
    return None


def _webhook(_: Service, method: str, path: str, headers: dict[str, str], body: bytes) -> Answer | None:
    wanted = base64.b64encode(f"user:{TOKEN}".encode()).decode()
    return (401, b"no") if headers.get("authorization") != f"Basic {wanted}" else None


JUDGES: dict[str, Judge] = {
    "feishu": _feishu,
    "lark": _feishu,
    "wecom": _wecom,
    "dingtalk": _dingtalk,
    "slack": _slack,
    "discord": _discord,
    "telegram": _telegram,
    "matrix": _matrix,
    "json": _webhook,
    "form": _webhook,
}
KINDS = tuple(JUDGES)


# --- mail --------------------------------------------------------------------------------------------------------------


class MailBox:
    """An SMTP server; a mailbox shows a message once, however often it was given."""

    kind = "mail"

    def __init__(self) -> None:
        from aiosmtpd.controller import Controller

        self.faults: deque[Fault] = deque()
        self.given: list[Any] = []
        self.logins: list[tuple[str, str]] = []
        self._controller = Controller(
            self, hostname="127.0.0.1", port=_free_port(), auth_require_tls=False, authenticator=self._login
        )
        self._controller.start()
        self.port = self._controller.port

    def forget(self) -> None:
        self.given.clear()
        self.faults.clear()

    def close(self) -> None:
        if self._controller.server is not None:
            self._controller.stop()

    @property
    def url(self) -> str:
        return f"mailto://bot:{TOKEN}@127.0.0.1:{self.port}/?to=ada@example.org&from=bot@example.org"

    @property
    def taken(self) -> list[Any]:
        return list({one["Message-ID"]: one for one in self.given}.values())

    def _login(self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> Any:
        from aiosmtpd.smtp import AuthResult

        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=data.password.decode() == TOKEN, handled=False)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:  # noqa: N802
        if address.startswith("nobody"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        import email
        import email.policy

        fault = self.faults.popleft() if self.faults else None
        if fault is not None and fault.kind == "status":
            return f"{451 if fault.status >= 500 or fault.status == 429 else 554} not now"
        if fault is not None and fault.kind in ("cut", "hang"):
            server.transport.close()
            return "250 nobody hears it"
        self.given.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        if fault is not None:
            server.transport.close()
        return "250 taken"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextlib.contextmanager
def running(kind: str) -> Iterator[Any]:
    service = MailBox() if kind == "mail" else Service(kind)
    try:
        yield service
    finally:
        service.close()

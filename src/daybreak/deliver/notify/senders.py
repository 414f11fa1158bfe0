"""Which sender a kind of target has, whether a second try can be told from the first, and what would be sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import smtplib
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from importlib.util import find_spec
from typing import Any, Protocol
from urllib.parse import parse_qs, quote, unquote, urlsplit

from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.http import Http, NetFault, Patience, Request, within
from daybreak.core.plugins import NOTIFIERS, load
from daybreak.deliver.notify.by_apprise import silenced
from daybreak.deliver.notify.markups import DingTalk, Feishu, Mail, Markup, Soft
from daybreak.deliver.notify.message import Edition, Message, fit, fitted, utf8
from daybreak.deliver.notify.targets import OWN, PLUGIN, SENT, Outcome, Reply, Target, failed, judged
from daybreak.report.render.escape import JOINER, clean


class Sender(Protocol):
    """Sends one message to one target, once; it never raises for what goes wrong on the way."""

    def send(self, target: Target, message: Message) -> Outcome: ...


def utc_now() -> datetime:
    return datetime.now(UTC)


class Senders:
    """All of them; each is made when it is needed."""

    def __init__(self, now: Callable[[], datetime] = utc_now) -> None:
        self._now = now
        self._made: dict[str, Sender] = {}

    def send(self, target: Target, message: Message) -> Outcome:
        """A target that cannot be one is a refusal; so is a package that is missing."""
        if target.fault is not None:
            return Outcome("refused", target.fault)
        name = _sender(target.kind)
        try:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name].send(target, message)
        except DaybreakError as error:
            return Outcome("refused", f"{error.message} {error.tip}".strip())

    def _make(self, name: str) -> Sender:
        if name == "robots":
            return Robots(self._now)
        if name == "mail":
            return Mailer(self._now)
        if name.startswith(PLUGIN):
            sender: Sender = load(NOTIFIERS, name.removeprefix(PLUGIN))()
            return sender
        from daybreak.deliver.notify.by_apprise import ByApprise

        return ByApprise(self._now)


def _sender(kind: str) -> str:
    if kind == "mail" or kind.startswith(PLUGIN):
        return kind
    return "robots" if kind in OWN else "apprise"


def lacks_package(target: Target) -> bool:
    """Whether messages to it need an extra that is not installed."""
    return _sender(target.kind) == "apprise" and find_spec("apprise") is None


def repeatable(target: Target) -> bool:
    """A second try carries the key of the first, so it may follow one whose fate is not known.

    Mailboxes know a mail by its `Message-ID`, webhooks get `Idempotency-Key`, and Matrix has transactions, which
    belong to an access token: with a password each run has another one.
    """
    if target.kind in ("mail", "webhook"):
        return True
    if target.kind == "matrix":
        try:
            parts = urlsplit(target.address.reveal())
        except ValueError:
            return False
        return not parts.username and bool(parts.password)
    return False


def preview(target: Target, message: Message) -> str:
    """What would be sent, for people: without addresses and signatures."""
    from daybreak.deliver.notify.by_apprise import FORMS

    if target.kind in ("feishu", "lark"):
        return json.dumps(card(message), ensure_ascii=False, indent=1)
    if target.kind == "wecom":
        return wecom_text(message)
    if target.kind == "dingtalk":
        return str(dingtalk(message)["markdown"]["text"])
    form = FORMS.get(target.kind)
    if form is not None:
        return fitted(message, form.markup.whole, form.size, form.limit)
    return Markup().whole(message.edition)


# --- E-mail: a text part and an HTML part of the same message, by SMTP ---
# apprise makes the text part from the HTML; ours is made from the same values, and its `Message-ID` is the same for each
# try, so that a mailbox that was given the message twice shows it once.


TIMEOUT = 30.0
TALKS = 3
"""Such times for a whole talk."""
_PORTS = {"plain": 25, "starttls": 587, "ssl": 465}


class Box(Struct, frozen=True):
    """Where mail goes and how."""

    host: str
    port: int
    mode: str
    user: str
    password: str
    sender: Address
    receivers: tuple[Address, ...]


class BadAddress(Exception):
    """The address of the target is none; the text is part of a sentence and holds nothing of it."""


def box_of(address: str) -> Box:
    """`mailto://` (plain) or `mailtos://` (STARTTLS, or `?mode=ssl`) with `to`, `from` and `smtp` as apprise has them."""
    try:
        parts = urlsplit(address)
        asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        host, port = asked.get("smtp") or parts.hostname or "", parts.port
    except ValueError:
        raise BadAddress("its address cannot be read") from None
    mode = asked.get("mode", "starttls" if parts.scheme.lower() == "mailtos" else "plain")
    if mode not in _PORTS or not host:
        raise BadAddress("its address names no server, or a mode that is not plain, starttls or ssl")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    domain = parts.hostname or host
    own = user if "@" in user else f"{user or 'daybreak'}@{domain}"
    wanted = [part for part in (asked.get("to") or unquote(parts.path)).strip("/").replace(";", ",").split(",") if part]
    sender = _address(asked.get("from", ""), own)
    receivers = tuple(_address(one, own) for one in wanted) or (_address("", own),)
    return Box(host, port or _PORTS[mode], mode, user, password, sender, receivers)


def _address(text: str, otherwise: str) -> Address:
    """A bare address; a name alone is the name of the sender."""
    name, address = ("Daybreak", text.strip()) if "@" in text else (text.strip() or "Daybreak", otherwise)
    try:
        return Address(name if address == otherwise or not text else "", addr_spec=address)
    except (ValueError, IndexError, MessageError):
        raise BadAddress("one of its e-mail addresses is none") from None


def mail(message: Message, box: Box, now: datetime) -> EmailMessage:
    """Both parts; everything of strangers is escaped in one and harmless in the other."""
    made = EmailMessage(policy=SMTP)
    made["Subject"] = clean(message.title)
    made["From"], made["To"] = box.sender, box.receivers
    made["Date"] = now
    made["Message-ID"] = f"<{message.key or 'test'}@daybreak.invalid>"
    made["Auto-Submitted"] = "auto-generated"
    told = message.edition
    made.set_content(Markup().whole(told) + "\n")
    made.add_alternative(_PAGE.format(body=Mail().whole(told), language=told.language), subtype="html")
    return made


_PAGE = """\
<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;background:#ffffff"><div style="max-width:680px;margin:0 auto;padding:16px;\
font:15px/1.6 -apple-system,'Segoe UI','PingFang SC','Microsoft YaHei',sans-serif;color:#1f2328;\
overflow-wrap:anywhere;word-break:break-word">
{body}
</div></body></html>
"""


class Mailer:
    """Sends mail, one connection for each try."""

    def __init__(self, now: Callable[[], datetime], timeout: float = TIMEOUT) -> None:
        self._now, self._timeout = now, timeout

    def send(self, target: Target, message: Message) -> Outcome:
        try:
            box = box_of(target.address.reveal())
        except BadAddress as error:
            return Outcome("refused", str(error))
        talk = _Talk(box, self._timeout)
        try:
            # A server that drips answers each wait of the library in time, and is never done.
            refused = within(TALKS * self._timeout, lambda: talk.send(mail(message, box, self._now())))
        except (smtplib.SMTPException, OSError, NetFault) as error:
            return _told(error, talk.begun)
        finally:
            talk.end()
        if refused:
            return Outcome("sent", f"{refused} of {len(box.receivers)} receivers were refused")
        return SENT


class _Talk:
    """One connection to a mail server."""

    def __init__(self, box: Box, timeout: float) -> None:
        self._box, self._timeout, self.begun = box, timeout, False
        self._server: smtplib.SMTP | None = None
        self._over = False

    def send(self, message: EmailMessage) -> int:
        """How many of the receivers were refused."""
        self._server = server = self._connected()
        box, self.begun = self._box, True
        try:
            return len(server.send_message(message, box.sender.addr_spec, [one.addr_spec for one in box.receivers]))
        finally:
            self._over = True

    def end(self) -> None:
        """Leave taken; it has the mail or not, so nobody waits for its last word.

        Whoever still waits for a word hears that there is none, and closes the rest: it must not be closed under him.
        """
        server, sock = self._server, self._server.sock if self._server is not None else None
        if server is None or sock is None:
            return
        with suppress(smtplib.SMTPException, OSError):
            server.putcmd("quit")
            sock.shutdown(socket.SHUT_RDWR)
        (server if self._over else sock).close()

    def _connected(self) -> smtplib.SMTP:
        box = self._box
        context = ssl.create_default_context() if box.mode != "plain" else None
        if box.mode == "ssl":
            server: smtplib.SMTP = smtplib.SMTP_SSL(box.host, box.port, timeout=self._timeout, context=context)
        else:
            server = smtplib.SMTP(box.host, box.port, timeout=self._timeout)
        try:
            if box.mode == "starttls":
                server.starttls(context=context)
            if box.password:
                server.login(box.user, box.password)
        except BaseException:
            server.close()
            raise
        return server


def _told(error: Exception, begun: bool) -> Outcome:
    """In our words: what a mail server says may repeat names and addresses."""
    for kind, words in _FINAL.items():
        if isinstance(error, kind):
            return Outcome("refused", words)
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        later = all(400 <= code < 500 for code, _ in error.recipients.values())
        return Outcome("later" if later else "refused", "it refused every receiver")
    if isinstance(error, smtplib.SMTPResponseException):
        later = 400 <= error.smtp_code < 500
        words = "it takes no mail for now" if later else "it refused the mail"
        return Outcome("later" if later else "refused", f"{words} (code {error.smtp_code})")
    return (
        Outcome("unsure", "it ended the connection in the middle")
        if begun
        else Outcome("later", "it cannot be reached")
    )


_FINAL: dict[type[Exception], str] = {
    smtplib.SMTPAuthenticationError: "it does not know our user or password",
    smtplib.SMTPNotSupportedError: "it does not speak TLS, or knows no way to log in",
    ssl.SSLCertVerificationError: "its certificate cannot be trusted",
}


# --- Robots of Feishu, Lark, WeCom and DingTalk: messages of their own kind, posted by us ---
# apprise sends the first three plain text, takes every answer with status 200 for a success although these robots put
# their refusal into it, and writes DingTalk's signature with two layers of percent codes.


FEISHU_BYTES = 20 * 1024 - 2048
"""A request to a custom robot may have 20 KB; room is left for the frame of the card and the signature."""
WECOM_BYTES = 4096
"""Of a `markdown` message in UTF-8; `text` has 2048."""
DINGTALK_BYTES = 20_000 - 1_000
"""Of the whole request."""
PATIENCE = Patience(connect=10.0, read=20.0, whole=30.0)
LARGEST_ANSWER = 1 << 20


class Robots:
    """Posts to robots, one exchange for each try."""

    def __init__(self, now: Callable[[], datetime], http: Http | None = None) -> None:
        self._now, self._http = now, http or Http(PATIENCE, LARGEST_ANSWER)

    def send(self, target: Target, message: Message) -> Outcome:
        url, payload = self.request(target, message)
        headers = {"content-type": "application/json; charset=utf-8"}
        request = Request(url, "POST", headers, _encoded(payload))
        try:
            with silenced():
                answer = self._http.send(request)
        except NetFault as fault:
            return failed(fault)
        return judged(target.kind, Reply(answer.status, answer.headers, answer.body), self._now())

    def request(self, target: Target, message: Message) -> tuple[str, dict[str, Any]]:
        """Where to, and what."""
        url = target.address.reveal()
        if target.kind == "wecom":
            return url, {"msgtype": "markdown", "markdown": {"content": wecom_text(message)}}
        if target.kind == "dingtalk":
            return self._signed_address(target, url), dingtalk(message)
        return url, {**self._signature(target), "msg_type": "interactive", "card": card(message)}

    def _signature(self, target: Target) -> dict[str, str]:
        """Feishu: the time and the secret are the key, and nothing is signed with it."""
        if target.secret is None:
            return {}
        moment = str(int(self._now().timestamp()))
        key = f"{moment}\n{target.secret.reveal()}".encode()
        return {"timestamp": moment, "sign": base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()}

    def _signed_address(self, target: Target, url: str) -> str:
        """DingTalk: the secret is the key, and the time with the secret is signed; both go into the address."""
        if target.secret is None:
            return url
        moment, secret = str(int(self._now().timestamp() * 1000)), target.secret.reveal()
        signed = hmac.new(secret.encode(), f"{moment}\n{secret}".encode(), hashlib.sha256).digest()
        joint = "&" if "?" in url else "?"
        return f"{url}{joint}timestamp={moment}&sign={quote(base64.b64encode(signed), safe='')}"


def _encoded(payload: dict[str, Any]) -> bytes:
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


# --- Feishu and Lark -------------------------------------------------------------------------------------------------


def card(message: Message) -> dict[str, Any]:
    """An interactive card: a coloured header, a block for each section, a button to the report."""
    told = fit(message.edition, lambda one: len(_encoded({"elements": _blocks(one)})), FEISHU_BYTES)
    return {
        "config": {"wide_screen_mode": True},
        "header": {
            "title": {"tag": "plain_text", "content": Markup().title(message.title).replace("<", f"<{JOINER}")},
            "template": "red" if message.tone == "alarm" else "blue",
        },
        "elements": _blocks(told),
    }


def _blocks(edition: Edition) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"tag": "markdown", "content": text} for text in Feishu().blocks(edition)]
    buttons = [
        {"tag": "button", "text": {"tag": "plain_text", "content": one.text}, "type": "primary", "url": one.url}
        for one in edition.links
    ]
    return [*blocks, {"tag": "action", "actions": buttons}] if buttons else blocks


# --- WeCom and DingTalk ----------------------------------------------------------------------------------------------


def wecom_text(message: Message) -> str:
    return fitted(message, Soft().whole, utf8, WECOM_BYTES)


def dingtalk(message: Message) -> dict[str, Any]:
    """`title` is what a phone shows of it; the text has it once more."""
    title = Markup().title(message.title)

    def payload(text: str) -> dict[str, Any]:
        return {"msgtype": "markdown", "markdown": {"title": title, "text": text}, "at": {"isAtAll": False}}

    def size(text: str) -> int:
        return len(_encoded(payload(text)))

    frame = size("")
    return payload(fitted(message, DingTalk().whole, lambda one: size(one) - frame, DINGTALK_BYTES - frame))

"""E-mail: a text part and an HTML part of the same message, by SMTP.

apprise makes the text part from the HTML; ours is made from the same values, and its `Message-ID` is the same for each
try, so that a mailbox that was given the message twice shows it once.
"""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable
from datetime import datetime
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from urllib.parse import parse_qs, unquote, urlsplit

from msgspec import Struct

from daybreak.deliver.notify.markup import Mail, Markup
from daybreak.deliver.notify.message import Message
from daybreak.deliver.notify.outcomes import SENT, Outcome
from daybreak.deliver.notify.targets import Target
from daybreak.report.render.escape import clean

TIMEOUT = 30.0
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
    text, html = Markup(), Mail()
    made.set_content("\n\n\n".join(text.whole(edition) for edition in message.editions) + "\n")
    inner = '\n<hr style="margin:24px 0">\n'.join(html.whole(edition) for edition in message.editions)
    made.add_alternative(_PAGE.format(body=inner, language=message.editions[0].language), subtype="html")
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
        begun = False
        try:
            with self._connected(box) as server:
                begun = True
                refused = server.send_message(
                    mail(message, box, self._now()), box.sender.addr_spec, [one.addr_spec for one in box.receivers]
                )
        except (smtplib.SMTPException, OSError) as error:
            return _told(error, begun)
        if refused:
            return Outcome("sent", f"{len(refused)} of {len(box.receivers)} receivers were refused")
        return SENT

    def _connected(self, box: Box) -> smtplib.SMTP:
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

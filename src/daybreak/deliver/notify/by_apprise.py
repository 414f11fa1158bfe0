"""Everything else, by apprise: Slack, Discord, Telegram, Matrix, webhooks, and all services that it knows.

The only file that imports apprise. It is given text that is finished for the service, and told to leave it alone;
its answers are looked at here, since it says no more than yes or no: what was answered, when to come again, and
whether the message may have arrived. Its own waits and second tries are cut short: when to try again is our business.
"""

from __future__ import annotations

import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec import field as struct_field

from daybreak.core.errors import DaybreakError
from daybreak.core.http import NetFault, within
from daybreak.core.origin import install
from daybreak.deliver.notify.markups import Discord, Html, Markup, Matrix, Slack
from daybreak.deliver.notify.message import Message, Size, fitted, utf8, utf16
from daybreak.deliver.notify.targets import SENT, Outcome, Reply, Target, judged

# --- Keeps other people's loggers still while a message is sent: they write whole addresses, and those hold tokens ---


_LOUD = ("apprise", "urllib3", "requests", "httpx", "httpcore")


@contextmanager
def silenced() -> Iterator[None]:
    """Loggers below these follow by their level, which they take from them."""
    loggers = [logging.getLogger(name) for name in _LOUD]
    before = [(logger.disabled, logger.level) for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, (disabled, level) in zip(loggers, before, strict=True):
            logger.disabled = disabled
            logger.setLevel(level)


class Form(Struct, frozen=True):
    """How a kind of target is written to."""

    markup: Markup
    limit: int
    size: Size
    declared: str | None = None
    """The format as apprise names it, where it has to know."""
    settings: dict[str, Any] = struct_field(default_factory=dict)
    """Laid over what the address says."""


FORMS: dict[str, Form] = {
    "slack": Form(Slack(), 3000, len, settings={"format": "markdown", "use_blocks": True, "include_footer": False, "include_image": False}),
    "discord": Form(Discord(), 2000, utf16, settings={"avatar": False, "include_image": False, "footer": False}),
    "telegram": Form(Html(), 4096, utf16, settings={"format": "html", "include_image": False, "preview": False}),
    "matrix": Form(Matrix(), 16_000, utf8, "html", {"format": "html", "include_image": False}),
}  # fmt: skip
"""3000: text of one block of Slack; 2000: content of Discord; 4096: text of Telegram; Matrix: an event has 65536 bytes,
and the text stands in it twice."""
_LARGEST_PLAIN = 8_000
_LOCK = threading.Lock()
LARGEST_ANSWER = 65_536
LONGEST = 30.0
"""Seconds for the head of an answer, and for the rest of it."""
_NO_RETRY = {"retry": 0, "wait": 0, "overflow": "upstream"}


class ByApprise:
    """Sends by apprise, one message for each try."""

    def __init__(self, now: Callable[[], datetime], timeout: float = 20.0) -> None:
        self._now, self._timeout = now, timeout

    def send(self, target: Target, message: Message) -> Outcome:
        with _LOCK, _silent():
            plugin = self._plugin(target, message)
            if isinstance(plugin, Outcome):
                return plugin
            title, text, declared = _written(target.kind, plugin, message)
            with _watched(message.key, target.kind) as seen:
                try:
                    sent = plugin.notify(body=text, title=title, body_format=declared)
                except (OSError, ValueError, TypeError, KeyError, AttributeError):
                    # Whatever a plugin may raise can hold the address.
                    sent = False
            return self._told(target.kind, bool(sent), seen)

    def _plugin(self, target: Target, message: Message) -> Any:
        """The plugin for the address, set up by us; why not, when there is none."""
        apprise = _apprise()
        asset = apprise.AppriseAsset(
            storage_mode="memory", http_redirects=False, secure_logging=True, async_mode=False,
            app_id="Daybreak", app_desc="Daybreak", app_url="", allow_templates=False,
        )  # fmt: skip
        found = apprise.plugins.url_to_dict(target.address.reveal(), secure_logging=True)
        form = FORMS.get(target.kind)
        if found:
            found |= {**_NO_RETRY, "cto": 10.0, "rto": self._timeout}
            found |= form.settings if form else {}
        if found and target.kind == "webhook":
            # Programs read these: which day, what for, and a key to know a second try by.
            found["payload"] = {**message.facts, "id": message.key, **found.get("payload", {})}
        plugin = apprise.Apprise.instantiate(found, asset=asset) if found else None
        if plugin is None:
            return Outcome("refused", "its address is not complete, or of a kind that is not known")
        if len(plugin) > 1 and target.kind != "matrix":
            # One of them may get the message and another not: a second try would reach the first one twice.
            return Outcome("refused", "its address names several receivers; make each a target of its own")
        plugin.request_rate_per_sec = 0  # one message a day needs no pause between its requests
        return plugin

    def _told(self, kind: str, sent: bool, seen: Seen) -> Outcome:
        if sent:  # whatever went wrong with a request that it could do without
            return SENT
        if seen.fault is not None:
            return seen.fault
        worst = next((o for o in (judged(kind, r, self._now()) for r in seen.replies) if o.kind != "sent"), None)
        return worst or Outcome("refused", "it refused the message")


def _apprise() -> Any:
    try:
        import apprise
        import apprise.plugins
    except ImportError:
        raise DaybreakError(
            "Messages to this target need the package apprise.", f"Install it: {install('notify')}"
        ) from None
    return apprise


def _written(kind: str, plugin: Any, message: Message) -> tuple[str, str, str | None]:
    """Title, text and the name of its format: one piece, within the limit, in the service's own markup."""
    form = FORMS.get(kind)
    if form is not None:
        return "", fitted(message, form.markup.whole, form.size, form.limit), form.declared
    plain = Markup()
    room = min(int(getattr(plugin, "body_maxlen", 0)) or _LARGEST_PLAIN, _LARGEST_PLAIN)
    if int(getattr(plugin, "title_maxlen", 0)) <= 0:
        return "", fitted(message, plain.whole, utf16, room), None
    return plain.title(message.title), fitted(message, plain.body, utf16, room), None


# --- watching what apprise does --------------------------------------------------------------------------------------


@dataclass(slots=True)
class Seen:
    """What was answered while apprise sent."""

    replies: list[Reply] = field(default_factory=list)
    fault: Outcome | None = None


@contextmanager
def _silent() -> Iterator[None]:
    """Neither its logs nor the warnings of its plugins are for our users."""
    with silenced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _watched(key: str, kind: str) -> Iterator[Seen]:
    """Each exchange of requests is noted; what is to be tried later ends the plugin's work, which would wait itself."""
    import requests

    seen, real = Seen(), requests.Session.send

    def send(session: Any, request: Any, **options: Any) -> Any:
        _keyed(request, key, kind)
        try:
            answer = _begun(lambda: real(session, request, **{**options, "stream": True}))
            _read(answer, time.monotonic() + LONGEST)
        except requests.RequestException as error:
            seen.fault = seen.fault or _fault(error)
            raise
        headers = {str(name).lower(): str(value) for name, value in answer.headers.items()}
        seen.replies.append(Reply(answer.status_code, headers, answer.content or b""))
        if answer.status_code == 429 or answer.status_code >= 500:
            raise requests.ConnectionError("to be tried later")
        return answer

    requests.Session.send = send  # type: ignore[method-assign,assignment]
    try:
        yield seen
    finally:
        requests.Session.send = real  # type: ignore[method-assign]


def _begun(send: Callable[[], Any]) -> Any:
    """An answer whose head has come; one that drips would be waited for without end."""
    import requests

    try:
        return within(LONGEST, send)
    except NetFault:
        raise requests.ReadTimeout("its head did not come in time") from None


def _read(answer: Any, end: float) -> None:
    """The beginning of an answer, whatever else would come, and for no longer than that."""
    import requests

    data = bytearray()
    try:
        for piece in answer.iter_content(1):  # as it comes: more at once would be waited for
            data += piece
            if len(data) >= LARGEST_ANSWER or time.monotonic() > end:
                break
    except requests.RequestException:
        if answer.ok:
            raise
    finally:
        answer.close()
    answer._content, answer._content_consumed = bytes(data), True  # noqa: SLF001  there is no other way to say so


def _keyed(request: Any, key: str, kind: str) -> None:
    """A second try carries the key of the first: Matrix has transactions for it, webhooks get a header."""
    if not key:
        return
    if kind == "webhook":
        request.headers["Idempotency-Key"] = key
    place = "/send/m.room.message/"
    if kind == "matrix" and request.method == "PUT" and place in request.url:
        request.url = request.url.partition(place)[0] + place + quote(key, safe="")


def _fault(error: Any) -> Outcome:
    import requests

    if isinstance(error, requests.exceptions.ConnectTimeout):
        return Outcome("later", "it cannot be reached: no connection in time")
    if isinstance(error, requests.exceptions.Timeout):
        return Outcome("unsure", "it did not answer in time")
    if isinstance(error, requests.exceptions.SSLError):
        return Outcome("refused", "its certificate cannot be trusted")
    if isinstance(error, requests.ConnectionError):
        unmade = "NewConnectionError" in repr(error) or "NameResolutionError" in repr(error)
        return (
            Outcome("later", "it cannot be reached")
            if unmade
            else Outcome("unsure", "it ended the connection in the middle")
        )
    return Outcome("unsure", "it gave an answer that cannot be read")

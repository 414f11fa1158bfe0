"""Which sender a kind of target has, whether a second try can be told from the first, and what would be sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urlsplit

from daybreak.core.errors import DaybreakError
from daybreak.deliver.notify.message import Message
from daybreak.deliver.notify.outcomes import Outcome
from daybreak.deliver.notify.targets import OWN, Target


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
            from daybreak.deliver.notify.robots import Robots

            return Robots(self._now)
        if name == "mail":
            from daybreak.deliver.notify.mail import Mailer

            return Mailer(self._now)
        from daybreak.deliver.notify.by_apprise import ByApprise

        return ByApprise(self._now)


def _sender(kind: str) -> str:
    return "robots" if kind in OWN else "mail" if kind == "mail" else "apprise"


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
    from daybreak.deliver.notify.markup import Markup
    from daybreak.deliver.notify.robots import card, dingtalk, wecom_text
    from daybreak.deliver.notify.truncate import joined

    if target.kind in ("feishu", "lark"):
        return json.dumps(card(message), ensure_ascii=False, indent=1)
    if target.kind == "wecom":
        return wecom_text(message)
    if target.kind == "dingtalk":
        return str(dingtalk(message)["markdown"]["text"])
    form = FORMS.get(target.kind)
    if form is not None:
        return joined(message, form.markup.whole, form.size, form.limit, form.between)
    return "\n\n".join(Markup().whole(edition) for edition in message.editions)

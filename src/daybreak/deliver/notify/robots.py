"""Robots of Feishu, Lark, WeCom and DingTalk: messages of their own kind, posted by us.

apprise sends the first three plain text, takes every answer with status 200 for a success although these robots put
their refusal into it, and writes DingTalk's signature with two layers of percent codes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import quote

from daybreak.core.http.client import Http, NetFault, Patience, Request
from daybreak.deliver.notify.markup import DingTalk, Feishu, Markup, Soft
from daybreak.deliver.notify.message import Edition, Message
from daybreak.deliver.notify.mute_loggers import silenced
from daybreak.deliver.notify.outcomes import Outcome, Reply, failed, judged
from daybreak.deliver.notify.targets import Target
from daybreak.deliver.notify.truncate import fit, joined, utf8

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
    elements: list[dict[str, Any]] = []
    for number, edition in enumerate(message.editions):
        if number:
            elements += [{"tag": "hr"}, {"tag": "markdown", "content": Feishu().strong(edition.title)}]
        share = FEISHU_BYTES // len(message.editions)
        elements += _blocks(fit(edition, lambda one: len(_encoded({"elements": _blocks(one)})), share))
    return {
        "config": {"wide_screen_mode": True},
        "header": {
            "title": {"tag": "plain_text", "content": Markup().title(message.title)},
            "template": "red" if message.tone == "alarm" else "blue",
        },
        "elements": elements,
    }


def _blocks(edition: Edition) -> list[dict[str, Any]]:
    markup = Feishu()
    texts = [markup.item(item) for item in edition.lead]
    texts += [markup.section(section, edition.more) for section in edition.sections]
    blocks: list[dict[str, Any]] = [{"tag": "markdown", "content": text} for text in texts]
    if edition.link is not None:
        label = {"tag": "plain_text", "content": edition.link.text}
        button = {"tag": "button", "text": label, "type": "primary", "url": edition.link.url}
        blocks.append({"tag": "action", "actions": [button]})
    return blocks


# --- WeCom and DingTalk ----------------------------------------------------------------------------------------------


def wecom_text(message: Message) -> str:
    return joined(message, Soft().whole, utf8, WECOM_BYTES, "\n\n")


def dingtalk(message: Message) -> dict[str, Any]:
    """`title` is what a phone shows of it; the text has it once more."""
    title = Markup().title(message.title)

    def payload(text: str) -> dict[str, Any]:
        return {"msgtype": "markdown", "markdown": {"title": title, "text": text}, "at": {"isAtAll": False}}

    def size(text: str) -> int:
        return len(_encoded(payload(text)))

    frame = size("")
    text = joined(message, DingTalk().whole, lambda one: size(one) - frame, DINGTALK_BYTES - frame, "\n\n---\n\n")
    return payload(text)

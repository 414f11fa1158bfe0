"""What became of one try to send, in words of our own: no address, no token and no answer of a stranger is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from msgspec import Struct

from daybreak.core.http import Astray, NetFault, TooLarge, Unreachable

LONGEST_WAIT = 86_400.0


class Outcome(Struct, frozen=True):
    """`later`: it surely did not arrive; `unsure`: it may have; `refused`: another try would not help."""

    kind: Literal["sent", "later", "unsure", "refused"]
    reason: str | None = None
    after: float | None = None
    """Seconds that the target asks us to wait."""


SENT = Outcome("sent")


class Reply(Struct, frozen=True):
    """An answer over HTTP; the names of headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


_BUSY = {
    "feishu": {11232, 9499998, 1000004, 1000005},
    "lark": {11232, 1000004, 1000005},
    "wecom": {-1, 45009, 45033},
    "dingtalk": {-1, 130101, 410100},
}
"""Codes of a robot that mean: not now."""
_MEANING = {
    ("feishu", 19001): "it knows no robot with this token",
    ("feishu", 19021): "the signature does not match, or this machine's clock is wrong",
    ("feishu", 19022): "it does not take messages from this IP address",
    ("feishu", 19024): "the robot wants a keyword that the message does not have",
    ("wecom", 93000): "it knows no robot with this key",
    ("wecom", 40058): "the message is too long for it",
    ("dingtalk", 310000): "the robot's keyword, signature or IP rule does not match",
    ("dingtalk", 300001): "it knows no robot with this token",
    ("dingtalk", 460101): "the message is too long for it",
}
_STATUS = {
    400: "it does not understand the message",
    401: "it does not know our token or password",
    403: "it does not let us in",
    404: "there is nothing at its address",
    410: "it is gone",
    413: "the message is too long for it",
}


def judged(kind: str, reply: Reply, now: datetime) -> Outcome:
    """What an answer means: by its status, and by the code that robots put into an answer with status 200."""
    data = _data(reply.body)
    if reply.status == 504:
        return Outcome("unsure", "a server on the way to it did not wait for its answer (status 504)")
    if reply.status == 429 or reply.status >= 500:
        words = "it takes no more messages for now" if reply.status == 429 else "it has a fault of its own"
        return Outcome("later", f"{words} (status {reply.status})", _after(reply, data, now))
    if not 200 <= reply.status < 300:
        words = _STATUS.get(reply.status, "it sends us elsewhere" if reply.status < 400 else "it refused the message")
        return Outcome("refused", f"{words} (status {reply.status})")
    code = _code(kind, data)
    if code in (0, None):
        return SENT
    if code in _BUSY.get(kind, ()):
        return Outcome("later", f"it takes no more messages for now (code {code})", _after(reply, data, now))
    family = "feishu" if kind == "lark" else kind
    return Outcome("refused", f"{_MEANING.get((family, code), 'it refused the message')} (code {code})")


def failed(fault: NetFault) -> Outcome:
    """What an exchange without an answer means."""
    if isinstance(fault, Unreachable):
        return Outcome("later", f"it {fault.reason}")
    if isinstance(fault, Astray):
        return Outcome("refused", f"it {fault.reason}")
    if isinstance(fault, TooLarge):
        return Outcome("unsure", "it gave an answer that is too large")
    return Outcome("unsure", f"it {fault.reason}")


def _data(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body[:65_536])
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _code(kind: str, data: Mapping[str, Any]) -> int | None:
    """Robots answer with status 200 and a code; a robot's answer without one is no promise, and taken as a refusal."""
    if kind in ("feishu", "lark"):
        found = data.get("code", data.get("StatusCode"))
    elif kind in ("wecom", "dingtalk"):
        found = data.get("errcode")
    else:
        return None
    return found if isinstance(found, int) and abs(found) < 10**9 else -999


def _after(reply: Reply, data: Mapping[str, Any], now: datetime) -> float | None:
    """`Retry-After`, or what Discord, Telegram and Matrix say in the answer."""
    parameters = data.get("parameters")
    inner = parameters.get("retry_after") if isinstance(parameters, dict) else None
    millis = data.get("retry_after_ms")
    for found in (inner, data.get("retry_after"), millis / 1000 if isinstance(millis, int | float) else None):
        if isinstance(found, int | float) and not isinstance(found, bool) and found >= 0:
            return min(float(found), LONGEST_WAIT)
    said = reply.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,6})?", said):
        return min(float(said), LONGEST_WAIT)
    try:
        moment = parsedate_to_datetime(said)
    except (ValueError, TypeError, IndexError):
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_WAIT)

"""What can go wrong with one request to a model, by kind; servers differ in words, so several are known for each.

No words of an answer get into a message: they may hold anything, a key as well.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal[
    "unreachable", "slow", "busy", "limited", "closed", "form", "parameter", "refused", "too_long", "rejected"
]
"""`unreachable` no connection, or it broke; `slow` not in time; `busy` a fault of the server; `limited` too many
requests; `closed` no key, a wrong key, no money left or no such model: no later try can help; `form` the server does
not take this form of structured output, `parameter` or this parameter; `refused` the content is refused; `too_long` the
prompt does not fit; `rejected` the server does not take the request, for a reason of its own."""

PASSING: frozenset[Kind] = frozenset({"unreachable", "slow", "busy"})
"""Waiting may help."""


class Trouble(Exception):
    """One request brought no answer."""

    def __init__(self, kind: Kind, detail: str, wait: float | None = None, parameter: str = "") -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind, self.detail, self.wait, self.parameter = kind, detail, wait, parameter


_TOO_LONG = re.compile(
    r"context[ _]?(?:length|size|window)|maximum (?:context|input|prompt|sequence)|max_model_len|max_seq_len"
    r"|(?:prompt|input|request|sequence)[^.]{0,40}(?:too long|too large|longer than|exceed)|too many tokens"
    r"|range of input length|reduce the length|exceeds the available context",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"content[_ ]?(?:filter|policy|management)|data_?inspection|content exists risk|inappropriate content|moderation"
    r"|safety system|sensitive (?:content|words|information)",
    re.IGNORECASE,
)
_FORM = re.compile(r"response_?format|json_?schema|json_?object|structured|guided|grammar|schema", re.IGNORECASE)
_PARAMETER = re.compile(r"\b(temperature|max_tokens|max_completion_tokens|seed)\b", re.IGNORECASE)
_NO_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|funds)|billing|exceeded your current quota", re.IGNORECASE
)
_NO_MODEL = re.compile(r"model", re.IGNORECASE)
READ = 4_000
"""Characters of a fault's text that are looked at."""


def from_status(status: int, said: str, wait: float | None = None) -> Trouble:
    """What a server's status and words mean."""
    said = said[:READ]
    if status in (401, 403):
        return _refusal_or(said, Trouble("closed", f"does not accept the key (HTTP {status})"))
    if status in (402, 404) or 300 <= status < 400:
        return Trouble("closed", f"{_closed(status, said)} (HTTP {status})")
    if status == 429:
        if _NO_MONEY.search(said):
            return Trouble("closed", f"{_closed(402, said)} (HTTP 429)")
        return Trouble("limited", "says that there are too many requests", wait)
    # Some servers give a fault of their own for a prompt that does not fit.
    if status in (408, 409, 425) or (status >= 500 and not _TOO_LONG.search(said)):
        return Trouble("busy", f"answers with HTTP {status}", wait)
    return _bad_request(status, said)


def _closed(status: int, said: str) -> str:
    if status == 402:
        return "says that the account has nothing left"
    if status == 404:
        return "does not have the model" if _NO_MODEL.search(said) else "has no chat API at this address"
    return "sends us elsewhere"


def _refusal_or(said: str, otherwise: Trouble) -> Trouble:
    return Trouble("refused", "refuses the content") if _REFUSED.search(said) else otherwise


def _bad_request(status: int, said: str) -> Trouble:
    if status == 413 or _TOO_LONG.search(said):
        return Trouble("too_long", "says that the prompt is too long")
    if _REFUSED.search(said):
        return Trouble("refused", "refuses the content")
    # A fault about the form may name other parameters beside it, and not the other way round.
    if _FORM.search(said):
        return Trouble("form", f"does not take this form of structured output (HTTP {status})")
    if named := _PARAMETER.search(said):
        return Trouble("parameter", f"does not take {named[1].lower()} (HTTP {status})", parameter=named[1].lower())
    return Trouble("rejected", f"does not take the request (HTTP {status})")


def retry_after(value: str | None, milliseconds: str | None = None) -> float | None:
    """Seconds that a server asks for, from its headers; dates are left to our own waits."""
    for text, unit in ((milliseconds, 1000.0), (value, 1.0)):
        if text and re.fullmatch(r"\s*\d{1,9}(?:\.\d{1,9})?\s*", text):
            return float(text) / unit
    return None

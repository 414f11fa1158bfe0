"""Answers of GraphQL: which aliases came, which are refused, and which errors mean that all of it must be asked again.

An error with a path belongs to one alias; one without a path, or without a type that we know, spoils the whole answer.
An alias of a form that we do not know costs only itself, and a hidden row of a list only that row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from daybreak.collect.github.faults import Refused, Unavailable
from daybreak.core.http.http import Answer
from daybreak.core.http.limits import (
    SIGN_ON,
    SIGN_ON_TIP,
    SOFT_WAIT,
    Again,
    No,
    Spent,
    Verdict,
    retry_after,
    until_reset,
)

Bundle = dict[str, Any]
"""Alias -> the value read, or the `ForgeFault` in its place."""
_SLOWER = re.compile(r"secondary rate limit|abuse detection", re.IGNORECASE)
_LIMITED = ("RATE_LIMITED", "RATE_LIMIT")
_FORBIDDEN = ("FORBIDDEN", "INSUFFICIENT_SCOPES")
_OUR_MISTAKE = re.compile(
    r"doesn't exist on type|doesn't accept argument|Parse error|isn't a defined input type|not accessible by|"
    r"Cannot query field|Unknown argument|is not defined by",
    re.IGNORECASE,
)
"""Words of a forge that does not know a field, or does not open GraphQL to this token."""


class _Error(msgspec.Struct, frozen=True):
    message: str = ""
    type: str | None = None
    path: list[str | int] | None = None


class _Graph(msgspec.Struct, frozen=True):
    data: dict[str, msgspec.Raw] | None = None
    errors: list[_Error] | None = None


def graph_bundle(answer: Answer, aliases: Mapping[str, type], now: datetime) -> Bundle | Verdict:
    """The values of the aliases, or what else the answer means; raises msgspec's error when it has another form."""
    graph = msgspec.json.decode(answer.body, type=_Graph)
    errors = graph.errors or []
    spoiled = _spoiled(errors, answer, now)
    if spoiled is not None:
        return spoiled
    data = graph.data
    if data is None or not aliases.keys() <= data.keys():
        return Again("gave an answer without its data", heavy=True)
    refused = {str(error.path[0]): _refusal(error) for error in errors if error.path and _refusal(error)}
    found = {alias: refused.get(alias) or _read(data[alias], kind) for alias, kind in aliases.items()}
    if all(isinstance(one, Unavailable) for one in found.values()):
        return Again("gave an answer that cannot be read")
    return found


def _read(value: msgspec.Raw, kind: type) -> Any:
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Unavailable("gave an answer that cannot be read")


def _spoiled(errors: Sequence[_Error], answer: Answer, now: datetime) -> Verdict | None:
    """What makes the whole answer useless."""
    for error in errors:
        if _SLOWER.search(error.message):
            after = retry_after(answer.headers, now)
            return Spent("secondary rate limit", SOFT_WAIT if after is None else after, growing=after is None)
        if error.type in _LIMITED:
            return Spent("rate limit", until_reset(answer.headers, now))
    for error in errors:
        if error.path and error.type in ("NOT_FOUND", *_FORBIDDEN):
            continue
        if not error.path and (error.type in _FORBIDDEN or _OUR_MISTAKE.search(error.message)):
            return No("does not answer this in GraphQL", 200)
        return Again("could not work out the whole answer", heavy=True)
    return None


def _refusal(error: _Error) -> Refused | None:
    """None for what is merely not there below a repository, and for a row of a list, which is null and counted there.

    What a row may not show of itself makes the row null, or only that place of it.
    """
    path = error.path or []
    if any(isinstance(step, int) for step in path):
        return None
    if error.type in _FORBIDDEN:
        if "SAML" in error.message:
            return Refused(SIGN_ON, SIGN_ON_TIP)
        return Refused("does not show it to this token", "Give the token the right to read the repository.")
    if len(path) == 1:
        return Refused("knows no such repository, or does not show it to us", "Look at the name in the watchlist.")
    return None

"""Placeholders such as `{file:3}`: blanked for the checks of words, rendered by code for readers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from daybreak.core.plain_words import outside, plain

PLACEHOLDER = re.compile(r"`?\{([A-Za-z_]{1,20}:\d{1,4})\}`?")
_BRACE = re.compile(r"\{[^{}]{0,40}\}?|\}")
_LITERAL = {"pr", "commit", "count", "issue"}
_PLAIN_VALUE = re.compile(r"#?[0-9A-Za-z]{1,40}")
MOST = 120


def blanked(text: str) -> str:
    """The text without placeholders: what the model itself wrote."""
    return PLACEHOLDER.sub(" ", text)


def unknown(text: str, names: Mapping[str, str]) -> str:
    """The first placeholder that no piece lists, or a stray one; empty when all are known."""
    for found in PLACEHOLDER.finditer(text):
        if found[1] not in names:
            return found[0]
    stray = _BRACE.search(outside(blanked(text)))
    return stray[0] if stray else ""


def rendered(text: str, names: Mapping[str, str]) -> str:
    """The text with every placeholder put in: paths and names in backticks, counts and numbers of items as they are."""
    return PLACEHOLDER.sub(lambda found: _shown(found[1], names[found[1]]), text)


def _shown(name: str, value: str) -> str:
    if name.partition(":")[0] in _LITERAL and _PLAIN_VALUE.fullmatch(value):
        return value
    text = plain(value)
    if len(text) > MOST:
        text = text[: MOST - 1].rstrip() + "…"
    return f"`{text or '?'}`"

"""Answers that are JSON but for a few letters: half a surrogate pair, bytes that are no UTF-8.

Such a letter stands in one title or body, and must not cost the whole list.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""A whole pair, half of one, or any other escape: none can begin inside another."""


def mended(body: bytes) -> bytes:
    """The same with U+FFFD in the place of what is no letter."""
    text = body.decode("utf-8", errors="replace")
    return _ESCAPE.sub(lambda found: "\\ufffd" if found[2] else found[0], text).encode()

"""Characters that nobody sees and that terminals and readers obey: left out of what is said, written as escapes in data."""

from __future__ import annotations

import re

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Control codes, direction marks, zero widths, halves of characters and tags; not tabs and line breaks."""


def without(text: str) -> str:
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def valid_text(value: str) -> str:
    """UTF-8 has no lone surrogates; bytes that were not text show as the replacement character."""
    return value if value.isascii() else value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def escaped(json: str) -> str:
    """The same data: in JSON they stand only inside strings, where an escape says the same."""
    return _UNSEEN.sub(_escape, json)


def escaped_bytes(json: bytes) -> bytes:
    """As `escaped`, of what an encoder gave."""
    return escaped(json.decode()).encode()


def _escape(found: re.Match[str]) -> str:
    half = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{half[at] << 8 | half[at + 1]:04x}" for at in range(0, len(half), 2))

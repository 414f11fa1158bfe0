"""Inline code: the only door through which a string of a repository gets into a sentence."""

from __future__ import annotations

import re
import unicodedata

MAX_CODE = 120
_BLANK = re.compile(r"\s+")
_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def code(text: str) -> str:
    """A string of outside as inline code: one line, nothing invisible, no backtick, at most 120 characters."""
    if not text.isascii() or not text.isprintable():
        text = "".join(" " if c in "\n\r\t\v\f\u2028\u2029\x85" else c for c in text[:4000])
        text = "".join(c for c in text if unicodedata.category(c) not in _CATEGORIES)
    text = _BLANK.sub(" ", text[:4000]).strip().replace("`", "'")
    if len(text) > MAX_CODE:
        text = text[: MAX_CODE - 1].rstrip() + "…"
    return f"`{text or '?'}`"


def code_pair(before: str, after: str) -> tuple[str, str]:
    """Both as inline code; two long texts that begin alike are shown from shortly before they differ."""
    shown = code(before), code(after)
    if before == after or shown[0] != shown[1] or shown[0] == code(""):
        return shown
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = before.rfind(" ", 0, max(same - 20, 0)) + 1
    return code(f"…{before[start:]}"), code(f"…{after[start:]}")

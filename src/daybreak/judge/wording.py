"""How sentences are made: literal text in both languages, with everything from outside inside backticks.

`code` is the only door through which a string of a repository gets into a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from daybreak.core.model.statements import Text

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


def say(zh: str, en: str) -> Text:
    """One sentence in both languages."""
    return {"zh": zh, "en": en}


def alike(text: str) -> Text:
    """The same in both languages: a name, a title."""
    return say(text, text)


def listed(words: Sequence[str], limit: int = 4) -> tuple[str, str]:
    """Some words as a list in Chinese and in English; the rest is told as "等" / "and more", never as a number."""
    shown, more = words[:limit], len(words) > limit
    zh = "、".join(shown) + (" 等" if more else "")
    if more:
        en = ", ".join(shown) + " and more"
    else:
        en = shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
    return zh, en


def coded(words: Iterable[str], limit: int = 4) -> tuple[str, str]:
    """`listed` over words from outside, each once, in order."""
    return listed([code(w) for w in dict.fromkeys(words)], limit)


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `3 files`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def size(added: int, deleted: int) -> str:
    """`+66 −4`, as counts stand in reports."""
    return f"+{added} −{deleted}"

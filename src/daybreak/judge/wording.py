"""Sentences as literal pairs, for the rules of kinds that do not speak by the catalogue yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daybreak.core.model.statements import Text
from daybreak.core.words.inline import MAX_CODE, code, code_pair

__all__ = ["MAX_CODE", "code", "code_pair", "coded", "listed", "plural", "say", "size"]


def say(zh: str, en: str) -> Text:
    """One sentence in both languages."""
    return {"zh": zh, "en": en}


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

"""Where an item of the first screen turns from what changed to what to do and which release has it, and what of it is of its day."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.words.phrases import table, template

_TEXT = "{text}"
_OF_WHAT = ("affected", "where", "where_file")
"""What a frame adds to what changed; all others say what to do, or where it stands."""

_OF_ITS_DAY = ("branch_only", "not_known")


def advised(text: str, language: str) -> tuple[str, str]:
    """What changed, and from the first frame on what to do; ("…", "") where it asks for nothing."""
    found = _frames(language).search(text)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")


def last_advice(text: str, language: str) -> str:
    """The last of what it says to do, or of where it stands."""
    found = list(_frames(language).finditer(text))
    return text[found[-1].start() :].strip() if found else ""


def undated(text: str, language: str) -> str:
    """Without what the next release makes untrue: that it is not released."""
    return _dated(language).sub("", text)


@cache
def _dated(language: str) -> re.Pattern[str]:
    frames = (template(language, f"judge.action.{key}").pieces[1:] for key in _OF_ITS_DAY)
    told = ("".join(re.escape(one.literal) + (".{1,200}?" if one.name else "") for one in pieces) for pieces in frames)
    return re.compile("|".join(told))


@cache
def _frames(language: str) -> re.Pattern[str]:
    """How sentences begin that `judge.action` puts behind a text, each after the end of another."""
    keys = (
        key for key, said in table(language, "judge").items() if key.startswith("action.") and said.startswith(_TEXT)
    )
    begins = {_begin(language, key) for key in keys if key.partition(".")[2] not in _OF_WHAT}
    return re.compile(rf"(?<=[.!?…。！？”」])\s*(?:{'|'.join(sorted(begins))})")


def _begin(language: str, key: str) -> str:
    """The first words of a frame behind the text; what it begins with instead of words is code."""
    _, first, second, *_ = template(language, f"judge.{key}").pieces
    return re.escape(first.literal.lstrip()) or "`[^`]*`" + re.escape(second.literal)

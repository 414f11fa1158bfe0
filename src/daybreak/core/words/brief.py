"""Brief sentences: cut between words, with what is open closed, so that a row of a table holds one."""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.model.statements import Text
from daybreak.core.words.phrases import REFERENCE, table, template

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+|\s+")
_END = re.compile(r"(?:(?<=[^\W_]{3})|(?<=[`)]))[.!?](?=\s+(?:[-*•]\s)?(?:[^\Wa-z]|`))|[。！？]")
"""Where a sentence ends and another follows; an abbreviation of one or two letters ends none."""
_AT_PATH = re.compile(r"\s?[（(]`[^`]*`[）)](?=[.。]?$)")
_CLOSED_BY = {"“": "”", "「": "」", "(": ")", "（": "）"}


_MARKS = re.compile(r"^(?:\[[^\]]{1,40}\]\s*)+(?=\S)|\s*\(#\d+\)\s*$")


def bare_title(title: str) -> str:
    """A title without the marks before it and the number behind it: a list has both beside it."""
    return _MARKS.sub("", title)


def unplaced(text: Text) -> Text:
    """A sentence without the file that it ends with."""
    return {language: unplaced_line(said) for language, said in text.items()}


def unplaced_line(said: str) -> str:
    """The same of one language: `… (`engine/args.py`)` ends before the bracket."""
    return _AT_PATH.sub("", said)


def brief(text: Text, words: int) -> Text:
    """At most so many words in every language; two Han characters are a word."""
    return {language: brief_line(said, words) for language, said in text.items()}


def brief_line(said: str, words: int) -> str:
    """The same of one language; whole where it fits."""
    left, end = 2 * words, 0
    for token in _TOKEN.finditer(said):
        if not token[0].isspace():
            left -= 1 if token[0] >= "\u3400" and len(token[0]) == 1 else 2
        if left < 0:
            return _closed(said[:end].rstrip())
        end = token.end()
    return said


def _closed(start: str) -> str:
    """Whole sentences where they are most of it; else what was cut off is marked. What it left open is closed."""
    whole = next((m.end() for m in reversed(list(_END.finditer(start)))), 0)
    if 2 * whole >= len(start) and start[:whole].count("`") % 2 == 0:
        return start[:whole] + _open(start[:whole])
    start = start.rstrip(" ,;:，；：、—-.")
    if start.count("`") % 2:
        return f"{start}…`{_open(start[: start.rindex('`')])}"
    return f"{start}…{_open(start)}"


def _open(start: str) -> str:
    found: list[str] = []
    for n, part in enumerate(start.split("`")):
        if n % 2:
            continue  # code has brackets of its own
        for char in part:
            if char in _CLOSED_BY:
                found.append(_CLOSED_BY[char])
            elif found and char == found[-1]:
                found.pop()
    return "".join(reversed(found))


# --- advice --------------------------------------------------------------------------------------------------------

# Where an item of the first screen turns from what changed to what to do and which release has it, and what of it is
# of its day.

_TEXT = "{text}"
_OF_WHAT = ("affected", "where", "where_file", "where_all")
"""What a frame adds to what changed; all others say what to do, or where it stands."""

_OF_ITS_DAY = ("branch_only", "break_later", "applies")


def advised(text: str, language: str) -> tuple[str, str]:
    """What changed, and from the first frame on what to do; ("…", "") where it asks for nothing."""
    found = _frames(language).search(text)
    return (text[: found.start()], text[found.start() :]) if found else (text, "")


def last_advice(text: str, language: str) -> str:
    """The last of what it says to do, or of where it stands."""
    found = list(_frames(language).finditer(text))
    return text[found[-1].start() :].strip() if found else ""


def first_advice(text: str, language: str) -> str:
    """The first of what it says behind what changed: which release has it."""
    found = list(_frames(language).finditer(text))
    return text[found[0].start() : found[1].start() if len(found) > 1 else len(text)].strip() if found else ""


def is_in_release(text: Text) -> bool:
    """Whether it says that a release has the fault, or the lines in which it may lie."""
    ends = (template(REFERENCE, f"judge.action.{key}").pieces[-1].literal.rstrip(".") for key in ("affects", "stands"))
    return any(end in text.get(REFERENCE, "") for end in ends)


def undated(text: str, language: str) -> str:
    """Without what the next release makes untrue: that it is not released."""
    return _dated(language).sub("", text)


@cache
def _dated(language: str) -> re.Pattern[str]:
    frames = (template(language, f"judge.action.{key}").pieces[1:] for key in _OF_ITS_DAY)
    told = (
        "".join(re.escape(one.literal) + ("`[^`]{1,200}`" if one.name else "") for one in pieces) for pieces in frames
    )
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

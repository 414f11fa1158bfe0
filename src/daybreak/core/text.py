"""Text: the plain form in which words are compared, characters that nobody sees, the arguments of a signature, and where two texts differ."""

from __future__ import annotations

import re
import unicodedata

# --- The plain form in which quoted words and evidence are compared, and the pieces of a sentence ---
# The plain form takes away what no reader sees (control, direction and zero-width characters), joins white space and
# writes a backtick as an apostrophe: exactly what quoting does to a word, so a word that was quoted is found again.


_BLANK = re.compile(r"\s+")
_SPAN = re.compile(r"`([^`]*)`")
_NAMED = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that no reader sees."""
_BREAKS = "\n\r\t\v\f\u2028\u2029\x85"


def plain(text: str) -> str:
    """The form to compare in."""
    if not text.isascii() or not text.isprintable():
        hidden = {c for c in set(text) if c in _BREAKS or unicodedata.category(c) in HIDDEN}
        text = text.translate({ord(c): " " if c in _BREAKS else None for c in hidden})
    return _BLANK.sub(" ", text).strip().replace("`", "'")


def spans(sentence: str) -> list[str]:
    """What stands in backticks."""
    return _SPAN.findall(sentence)


def named(sentence: str) -> list[str]:
    """What stands in backticks, where something does."""
    return _NAMED.findall(sentence)


def outside(sentence: str) -> str:
    """The sentence without what stands in backticks."""
    return _SPAN.sub(" ", sentence)


def numbers(text: str) -> set[str]:
    """Numbers that a sentence states."""
    return set(_NUMBER.findall(text))


def digits(text: str) -> set[str]:
    """Every run of digits in an evidence text."""
    return set(_DIGITS.findall(text))


# --- Characters that nobody sees and that terminals and readers obey: left out of what is said, written as escapes in data ---


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


# --- Signatures and operator schemas as text: the arguments that stand in their parentheses ---


def arguments(head: str) -> list[str]:
    """What stands in the first parentheses of a head or a schema, cut at its own commas; nothing if they do not close."""
    inside = head.partition("(")[2]
    out, depth, start = [], 0, 0
    for number, sign in enumerate(inside):
        depth += (sign in "([{") - (sign in ")]}")
        if (sign == "," and depth == 0) or depth < 0:
            out.append(inside[start:number].strip())
            start = number + 1
        if depth < 0:
            return out
    return []


# --- Text of strangers as a page can show it: without terminal codes, what is invisible or turns the text around ---


LONGEST = 500
"""No honest subject or symbol is longer; a longer one is cut, and `faithful` says so."""

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINS = re.compile("(?<=[\x00-\u024f])[\u200c\u200d]+|[\u200c\u200d]+(?=[\x00-\u024f]|$)")
"""Between emoji and in some writing these two join or part signs; beside Latin letters they only hide in a name."""
_BREAK = re.compile(r"[\t\n\r\v\f\u0085\u2028\u2029]+")
_NO_CHARACTERS = "\ufdd0-\ufdef" + "".join(
    f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(17)
)
_CONTROL = re.compile(f"[\x00-\x1f\x7f-\x9f\ud800-\udfff{_NO_CHARACTERS}]")
_MARK = (
    "[\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef]"
)
_PILE = re.compile(f"({_MARK}{{4}}){_MARK}+")
"""No writing needs more marks on one letter; a pile of them covers the lines around it, or is wider than the screen."""
_WORD_END = re.compile(r"[\s,;，；、)\]}]")
_IN_HUNK = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]"
)


def clean(text: str) -> str:
    """One line without terminal codes, invisible characters, line breaks and piles of marks."""
    if text.isascii() and text.isprintable() and len(text) <= LONGEST:
        return text
    text = _JOINS.sub("", _INVISIBLE.sub("", _BREAK.sub(" ", _ANSI.sub("", text))))
    text = _PILE.sub(r"\1", _CONTROL.sub("\ufffd", text))
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def shortened(text: str, most: int) -> str:
    """Cut at the end of a word, with an ellipsis; text without words is cut where it has to be."""
    text = clean(text).strip()
    if len(text) <= most:
        return text
    head = text[: most - 1]
    ends = [found.start() for found in _WORD_END.finditer(head)]
    end = ends[-1] if ends and ends[-1] > most // 3 else len(head)
    return head[:end].rstrip(" ,;，；、") + "…"


def faithful(text: str) -> bool:
    """Whether a page can show this text as it is; a quotation that had to be changed is never called verbatim."""
    return clean(text) == text


def showable(hunk: str) -> bool:
    """Whether a hunk can stand verbatim in a page: no terminal code, no character that turns the text around."""
    return not _IN_HUNK.search(hunk.replace("\r\n", "\n").rstrip("\r\n"))


def counted(number: int, thing: str) -> str:
    """`1 file`, `2 files`, `2 repositories`: English, as the terminal speaks."""
    many = f"{thing[:-1]}ies" if thing.endswith("y") and thing[-2:] != "ay" else f"{thing}s"
    return f"{number} {thing if number == 1 else many}"


# --- Two texts side by side ---


SENTENCE = 118
"""Characters of code that a sentence shows; what is longer is cut there, wherever the difference is."""


def contrast(before: str, after: str, room: int = SENTENCE) -> tuple[str, str]:
    """Two long texts cut down to where they differ, so that a reader sees what changed."""
    if max(len(before), len(after)) <= room:
        return before, after
    old, new = before.split(" "), after.split(" ")
    lead = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = 0
    while tail < min(len(old), len(new)) - lead and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    for around in (8, 5, 3, 2, 1):
        cut = _around(old, lead, tail, around), _around(new, lead, tail, around)
        if max(map(len, cut)) <= room:
            return cut
    return _from_difference(_around(old, lead, tail, 1), _around(new, lead, tail, 1), room)


def _around(words: list[str], lead: int, tail: int, around: int) -> str:
    first, last = max(0, lead - around), min(len(words), len(words) - tail + around)
    return ("… " if first else "") + " ".join(words[first:last]) + (" …" if last < len(words) else "")


def _from_difference(before: str, after: str, room: int) -> tuple[str, str]:
    """Both from shortly before the first character that differs, as much as goes into a sentence."""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = cut = max(same - 20, 0)
    while start and cut - start < 20 and (before[start - 1].isalnum() or before[start - 1] == "_"):
        start -= 1  # no part of a word, unless it is as long as a sentence
    texts = (("…" if start else "") + text[start:] for text in (before, after))
    first, second = (text if len(text) <= room else text[: room - 1] + "…" for text in texts)
    return first, second

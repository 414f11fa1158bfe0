"""Grammar: what sentences of every language are joined, ended and begun with; `[grammar]` of a catalogue says how."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.statements import Text
from daybreak.core.words.phrases import chosen, languages, table

# --- Inline code: the only door through which a string of a repository gets into a sentence ---


MAX_CODE = 120
_TICKS = re.compile(r"`{1,3}")
_BLANK = re.compile(r"\s+")
_LINKED = re.compile(r"!?\[([^\[\]]{1,200})\]\([^()\s]{1,400}\)")
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*]{1,200})(?<=[^\s*])\*\*(?!\w)")
_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def plain_line(text: str) -> str:
    """On one line, without what nobody sees."""
    if not text.isascii() or not text.isprintable():
        text = "".join(" " if c in "\n\r\t\v\f\u2028\u2029\x85" else c for c in text)
        text = "".join(c for c in text if unicodedata.category(c) not in _CATEGORIES)
    return _BLANK.sub(" ", text).strip()


def code(text: str) -> str:
    """A string of outside as inline code: one line, nothing invisible, no backtick, at most 120 characters."""
    text = plain_line(text[:4000]).replace("`", "'")
    if len(text) > MAX_CODE:
        text = text[: MAX_CODE - 1].rstrip() + "…"
    return f"`{text or '?'}`"


_LEAD = re.compile(r"(?:“([^”]{1,400})”|「([^」]{1,400})」)(.*)", re.DOTALL)


def parted(sentence: str) -> tuple[str, str]:
    """What a sentence begins with in quotation marks, and all that follows; ("", sentence) where it does not."""
    found = _LEAD.match(sentence)
    return (found[1] or found[2], found[3]) if found else ("", sentence)


def quoted(text: str) -> str:
    """Words of outside as they stand, for a sentence that sets them in quotation marks: one line, nothing invisible.

    What the author wrote as code stays code; a backtick without its pair is an apostrophe. Of a link its words are left,
    and of what is set in bold.
    """
    parts = _TICKS.split(_BOLD.sub(r"\1", _LINKED.sub(r"\1", plain_line(text[:4000]))))
    if len(parts) % 2 == 0 or not all(part.strip() for part in parts[1::2]):
        return "'".join(parts)
    return "".join(f"`{part}`" if n % 2 else part for n, part in enumerate(parts))


def code_pair(before: str, after: str) -> tuple[str, str]:
    """Both as inline code; two long texts that begin alike are shown from shortly before they differ."""
    shown = code(before), code(after)
    same = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    seen = same < MAX_CODE - 40 or max(len(before), len(after)) <= MAX_CODE
    if before == after or (seen and shown[0] != shown[1]) or shown[0] == code(""):
        return shown
    start = before.rfind(" ", 0, max(same - 20, 0)) + 1
    return code(f"…{before[start:]}"), code(f"…{after[start:]}")


Separator = Literal["space", "comma", "list", "and", "semicolon", "arrow"]
NOTHING: Text = {}
"""The part of a sentence that is not there."""


class Listing(NamedTuple):
    """Strings of outside, to be shown as a list of inline code in the manner of each language."""

    words: tuple[str, ...]
    most: int = 4

    def written(self, language: str) -> str:
        return listed([code(word) for word in self.words], language, self.most)


def listing(words: Iterable[str], most: int = 4) -> Listing:
    """Each word once, in order."""
    return Listing(tuple(dict.fromkeys(words)), most)


def listed(words: Sequence[str], language: str, most: int = 4) -> str:
    """Some words as a list; the rest is "and more", never a number."""
    how = table(language, "grammar")
    if len(words) > most:
        return how["list"].join(words[:most]) + how["and_more"]
    return how["list"].join(words[:-1]) + (how["and"] if len(words) > 1 else "") + words[-1]


def alike(text: str) -> Text:
    """The same in every language: a name, a title; what comes from outside is inline code already."""
    return dict.fromkeys(languages(), text)


def joined(texts: Iterable[Text], separator: Separator = "space") -> Text:
    """Texts one behind the other."""
    found = list(texts)
    return {
        language: table(language, "grammar")[separator].join(chosen(text, language) for text in found)
        for language in languages()
    }


def series(texts: Sequence[Text], most: int = 100) -> Text:
    """Texts as a list within a sentence, the last behind "and"; the rest is "and more"."""
    return {language: listed([chosen(text, language) for text in texts], language, most) for language in languages()}


def ended(text: Text) -> Text:
    """A sentence with exactly one stop; one that ends in a quoted sentence has its stop there."""
    return {language: _stopped(_bare(text, language), table(language, "grammar")["stop"]) for language in languages()}


def _stopped(said: str, stop: str) -> str:
    return said if _QUOTED_END.search(said) else f"{said}{stop}"


_QUOTED_END = re.compile(r"[.!?…。！？][”」]$")


def without_stop(text: Text) -> Text:
    """A sentence that goes on."""
    return {language: _bare(text, language) for language in languages()}


def clause(text: Text) -> Text:
    """A sentence as a part of a longer one: without its stop, and begun small."""
    return small(without_stop(text))


def sentence(text: Text) -> Text:
    """A clause as a sentence of its own: begun large, with a stop."""
    return ended(large(text))


def large(text: Text) -> Text:
    """As it begins a sentence."""
    return {language: _begun(said, language, str.upper) for language, said in _written(text).items()}


def small(text: Text) -> Text:
    """As it goes on behind other words; what is written in capitals stays so."""
    return {
        language: said if said[1:2].isupper() else _begun(said, language, str.lower)
        for language, said in _written(text).items()
    }


def _written(text: Text) -> Mapping[str, str]:
    return {language: chosen(text, language) for language in languages()}


def _bare(text: Text, language: str) -> str:
    return chosen(text, language).rstrip(table(language, "grammar")["stop"])


def _begun(said: str, language: str, case: Callable[[str], str]) -> str:
    """With its first letter in another case, where a language has cases."""
    if table(language, "grammar")["cases"] != "yes":
        return said
    return f"{case(said[:1])}{said[1:]}"

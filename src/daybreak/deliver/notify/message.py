"""A message: titles, items of spans, and what is left out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.text import clean, contrast, shortened
from daybreak.core.words.brief import advised, last_advice
from daybreak.core.words.grammar import parted
from daybreak.core.words.phrases import table

Kind = Literal["text", "code", "strong", "link", "break"]
Tone = Literal["calm", "alarm"]


class Span(NamedTuple):
    """A piece of one line; `link` needs an address of ours."""

    kind: Kind
    text: str
    url: str = ""


Item = tuple[Span, ...]


BREAK = Span("break", "\n")
"""Between an entry in one language and the same one in the next."""
ENTRIES = 8
"""Of a message, in all its sections: the page has the others."""
SPARE = 0
"""Of a section that stands only where there is room."""


class Section(Struct, frozen=True):
    """A heading with its items, the most important first."""

    heading: str
    items: tuple[Item, ...]
    hidden: int = 0
    """Items that are not told here."""
    keep: int = 1
    """Sections with a smaller number give up items first; `SPARE` ones all of them."""
    share: int = 0
    """Of the entries of a message, those that no other section takes from it."""


class Edition(Struct, frozen=True):
    """What is told: in one language, or in several, each entry of them together."""

    title: str
    lead: tuple[Item, ...]
    sections: tuple[Section, ...] = ()
    links: tuple[Span, ...] = ()
    more: str = "and {n} more"
    language: str = "en"

    @property
    def rest(self) -> str:
        """How many entries are not told here; empty: all are."""
        hidden = sum(section.hidden for section in self.sections)
        return self.more.format(n=hidden) if hidden else ""


def limited(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Sections with no more entries than a message has: each its share, and what is left to the first ones."""
    found = tuple(sections)
    kept = [min(one.share, len(one.items)) for one in found]
    for number, one in enumerate(found):
        kept[number] += min(len(one.items) - kept[number], ENTRIES - sum(kept))
    return tuple(_cut(one, most) for one, most in zip(found, kept, strict=True))


def _cut(section: Section, most: int) -> Section:
    return replace(section, items=section.items[:most], hidden=section.hidden + len(section.items[most:]))


def _beside(item: Item, again: Item) -> Item:
    return item if item == again else (*item, BREAK, *again)


def together(editions: Iterable[Edition]) -> Edition:
    """The message in all languages of its target: each entry once, with its words in one below those in the other."""
    first, *others = editions
    for other in others:
        sections = tuple(
            replace(
                one,
                heading=f"{one.heading} · {same.heading}",
                items=tuple(map(_beside, one.items, same.items)),
            )
            for one, same in zip(first.sections, other.sections, strict=True)
        )
        lead = (*first.lead, (Span("strong", other.title),), *other.lead)
        links, more = (*first.links, *other.links), f"{first.more} · {other.more}"
        first = replace(first, lead=lead, sections=sections, links=links, more=more)
    return first


class Message(Struct, frozen=True):
    """What is sent."""

    edition: Edition
    key: str = ""
    """The same for each try, so that a target that can tells a second one from the first."""
    tone: Tone = "calm"
    facts: dict[str, str] = field(default_factory=dict)
    """For programs: event, day."""

    @property
    def title(self) -> str:
        return self.edition.title


# --- spans from sentences of a report ----------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[。！？])(?![”」])|(?<=[.!?])(?=\s)|(?<=[.!?…。！？][”」])(?!\s?[:：→])")
_WHOLE = re.compile(r"(?:[。！？.!?][”」]?|…[”」])\s*$")
LONGEST = 280
"""Characters of an item's sentences."""
LONGEST_CODE = 90


_QUOTES = {"“": "”", "「": "」"}
_BEGUN = re.compile(r"\s*(?:[(（][^()（）]*)?$")
"""A bracket that nothing closes any more."""
_TITLED = 48
"""Characters of a title by which a change is still known."""
_PLACE = re.compile(r"\s?[(（]`[^`\s]*/[^`\s]*`[)）]")
"""The file where it stands, which the page has."""


def entry(said: str, language: str, most: int = LONGEST) -> Item:
    """An entry of the report within one limit: where it is too long the file goes first, then the end of a title before a
    fact, then what is told of the change ends sooner, then what to do; which release has it stays.
    """
    if _length(said) > most:
        said = _PLACE.sub("", said)
    what, way = advised(said, language)
    if not way or _length(said) <= most:
        return _told(said, most)
    space = table(language, "grammar")["space"]
    last = spans(last_advice(said, language), most // 2)
    do = way.strip()[: -len(last_advice(said, language))].strip()
    tail = _together(spans(do, most // 2 - len(plain(last)) - 1), last, space) if do else last
    return _together(_told(what, most - len(plain(tail)) - 1), tail, space)


def _told(what: str, most: int) -> Item:
    """Where not even one sentence fits, a title gives way to what is known; words that are quoted give way to it."""
    told = spans(what, most)
    title, rest = parted(what)
    if not plain(told).endswith("…") or not title or any(mark in rest for mark in _QUOTES):
        return told
    bare = title.replace("`", "")
    shorter = shortened(bare, max(_TITLED, len(bare) - (_length(what) - most)))
    return spans(what.replace(title, shorter, 1), most)


def _together(head: Item, tail: Item, space: str) -> Item:
    return (*head, Span("text", space), *tail) if head else tail


def _length(said: str) -> int:
    return len(plain(tuple(_pieces(said))))


def spans(sentence: str, most: int = LONGEST) -> Item:
    """A sentence of a report, `code` in backticks; cut after a whole sentence when it is long."""
    return tuple(_fitting(_pieces(sentence), most))


def _pieces(sentence: str) -> Iterator[Span]:
    parts = clean(sentence).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is a literal one
        parts[-2:] = ["`".join(parts[-2:])]
    for number in range(1, len(parts) - 2, 2):
        if parts[number + 1] == " → ":  # both sides are cut where they differ
            parts[number], parts[number + 2] = contrast(parts[number], parts[number + 2], LONGEST_CODE)
    for number, part in enumerate(parts):
        if part:
            yield Span("code", shortened(part, LONGEST_CODE)) if number % 2 else Span("text", part)


def _fitting(pieces: Iterator[Span], most: int) -> Iterator[Span]:
    """Whole sentences as long as there is room; of the first one, whole words. No quotation is left open."""
    out: list[Span] = []
    used = whole = 0
    for span in pieces:
        for part in [p for p in _SENTENCE.split(span.text) if p] if span.kind == "text" else [span.text]:
            if used + len(part) > most:
                yield from out[:whole] if whole else _begun(out, span.kind, part, most)
                return
            out.append(Span(span.kind, part))
            used += len(part)
            if span.kind == "text" and _WHOLE.search(part) and not _open(out):
                whole = len(out)
    yield from out


def _begun(out: list[Span], kind: Kind, part: str, most: int) -> Iterator[Span]:
    """With as much of a part as there is room for; a quotation that is open ends there, a bracket does not begin."""
    room = most - len(plain(tuple(out))) - 1  # for the end of a quotation
    if kind == "text" and room > 20:
        start = part[: len(part) - len(part.lstrip())]  # between it and the code before it
        out = [*out, Span("text", start + shortened(part, room - len(start)))]
    else:
        while out and (over := len(plain(tuple(out))) - (most - 3)) > 0:
            last = out[-1]
            kept = shortened(last.text, len(last.text) - over).rstrip("…") if last.kind == "text" else ""
            out = [*out[:-1], last._replace(text=kept)] if kept.strip() else out[:-1]
        out = [*out[:-1], out[-1]._replace(text=_BEGUN.sub("", out[-1].text)), Span("text", " …")] if out else []
    yield from out
    if end := _open(out):
        yield Span("text", end)


def _open(some: Sequence[Span]) -> str:
    """The mark that closes a quotation which is open at the end; empty: none is."""
    said = plain(tuple(some))
    return next((end for begin, end in _QUOTES.items() if said.count(begin) > said.count(end)), "")


def plain(item: Item) -> str:
    return "".join(span.text for span in item)


# --- Makes a message fit its target: items go as a whole, the least important first, and the rest is counted ---


Size = Callable[[str], int]


def without_subject(sentence: str, subject: str) -> str:
    """What follows a subject need not begin with it again."""
    title, rest = parted(sentence)
    return rest[1:].lstrip() if title and title.rstrip("…") in subject and rest[:1] in ":：" else sentence


def is_safe(address: str) -> bool:
    """An address that no markup of a message can be broken by."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not set(address) & set(" <>\"'`\\()[]|\n\r\t")


def utf8(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def utf16(text: str) -> int:
    """As Discord and Telegram count: a character beyond the basic plane is two."""
    return len(text.encode("utf-16-le", "replace")) // 2


def fit(edition: Edition, measured: Callable[[Edition], int], limit: int) -> Edition:
    """The edition with as many items as there is room for; title and counts stay, and are shorter than any limit."""
    while measured(edition) > limit:
        smaller = _without_one(edition)
        if smaller is None:
            break
        edition = smaller
    return edition


def fitted(message: Message, draw: Callable[[Edition], str], size: Size, limit: int) -> str:
    """The text of a message with as many entries as there is room for."""
    return draw(fit(message.edition, lambda one: size(draw(one)), limit))


def _without_one(edition: Edition) -> Edition | None:
    """Without the last item of the section that matters least: what is only worth knowing goes, then all sections are
    brought to three items, to one, to none.
    """
    order = sorted(range(len(edition.sections)), key=lambda number: edition.sections[number].keep)
    for least, up_to in ((0, SPARE), (3, math.inf), (1, math.inf), (0, math.inf)):
        for number in order:
            section = edition.sections[number]
            if section.keep <= up_to and len(section.items) > least:
                smaller = _cut(section, len(section.items) - 1)
                sections = (*edition.sections[:number], smaller, *edition.sections[number + 1 :])
                return replace(edition, sections=sections)
    return None

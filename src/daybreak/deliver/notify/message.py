"""A message before it has a markup: titles, items of spans, and what is left out of it, counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.report.render.escape import clean

Kind = Literal["text", "code", "strong", "link"]
Tone = Literal["calm", "alarm"]


class Span(NamedTuple):
    """A piece of one line; `link` needs an address of ours."""

    kind: Kind
    text: str
    url: str = ""


Item = tuple[Span, ...]


class Section(Struct, frozen=True):
    """A heading with its items, the most important first."""

    heading: str
    items: tuple[Item, ...]
    hidden: int = 0
    """Items that are not told here."""
    keep: int = 1
    """Sections with a smaller number give up items first."""


class Edition(Struct, frozen=True):
    """The message in one language."""

    title: str
    lead: tuple[Item, ...]
    sections: tuple[Section, ...] = ()
    link: Span | None = None
    more: str = "and {n} more"
    language: str = "en"


class Message(Struct, frozen=True):
    """What is sent: one edition for each language of the target."""

    editions: tuple[Edition, ...]
    key: str = ""
    """The same for each try, so that a target that can tells a second one from the first."""
    tone: Tone = "calm"
    facts: dict[str, str] = field(default_factory=dict)
    """For programs: event, day."""

    @property
    def title(self) -> str:
        return self.editions[0].title


# --- spans from sentences of a report ----------------------------------------------------------------------------------

_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])(?=\s)")
_WORD_END = re.compile(r"[\s,;，；、)\]}]")
LONGEST = 280
"""Characters of an item's sentences."""
LONGEST_CODE = 90


def spans(sentence: str, most: int = LONGEST) -> Item:
    """A sentence of a report, `code` in backticks; cut after a whole sentence when it is long."""
    return tuple(_fitting(_pieces(sentence), most))


def _pieces(sentence: str) -> Iterator[Span]:
    parts = clean(sentence).split("`")
    if len(parts) % 2 == 0:  # a lone backtick is a literal one
        parts[-2:] = ["`".join(parts[-2:])]
    for number, part in enumerate(parts):
        if part:
            yield Span("code", shortened(part, LONGEST_CODE)) if number % 2 else Span("text", part)


def _fitting(pieces: Iterator[Span], most: int) -> Iterator[Span]:
    """Whole sentences as long as there is room; of the first one, whole words."""
    out: list[Span] = []
    used = whole = 0
    for span in pieces:
        for part in [p for p in _SENTENCE.split(span.text) if p] if span.kind == "text" else [span.text]:
            if used + len(part) > most:
                if whole:
                    yield from out[:whole]
                    return
                yield from out
                room = most - used
                if span.kind == "text" and room > 20:
                    yield Span("text", shortened(part, room))
                elif out:
                    yield Span("text", " …")
                return
            out.append(Span(span.kind, part))
            used += len(part)
            if span.kind == "text" and re.search(r"[。！？.!?]\s*$", part):
                whole = len(out)
    yield from out


def shortened(text: str, most: int) -> str:
    """Cut at the end of a word, with an ellipsis; text without words is cut where it has to be."""
    text = clean(text).strip()
    if len(text) <= most:
        return text
    head = text[: most - 1]
    ends = [found.start() for found in _WORD_END.finditer(head)]
    end = ends[-1] if ends and ends[-1] > most // 3 else len(head)
    return head[:end].rstrip(" ,;，；、") + "…"


def contrast(before: str, after: str, most: int) -> tuple[str, str]:
    """Two texts, shortened so that what differs is seen: what both begin with, or end with, gives way first."""
    before, after = clean(before).strip(), clean(after).strip()
    if max(len(before), len(after)) > most and before and after:
        same = next(
            (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
        )
        while same and (before[same - 1].isalnum() or before[same - 1] == "_"):
            same -= 1
        if same > most // 3:
            before, after = f"…{before[same:]}", f"…{after[same:]}"
    return shortened(before, most), shortened(after, most)


def plain(item: Item) -> str:
    return "".join(span.text for span in item)


# --- Makes a message fit its target: items go as a whole, the least important first, and the rest is counted ---


Size = Callable[[str], int]


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


def joined(message: Message, draw: Callable[[Edition], str], size: Size, limit: int, between: str) -> str:
    """All editions in one text; each has its share of the room, and what one does not need is the next one's."""
    texts: list[str] = []
    left = limit
    for number, edition in enumerate(message.editions):
        share = left // (len(message.editions) - number) - size(between)
        texts.append(draw(fit(edition, lambda one: size(draw(one)), share)))
        left -= size(texts[-1]) + size(between)
    return between.join(texts)


def _without_one(edition: Edition) -> Edition | None:
    """Without the last item of the section that matters least: all are brought to three items, to one, to none."""
    order = sorted(range(len(edition.sections)), key=lambda number: edition.sections[number].keep)
    for least in (3, 1, 0):
        for number in order:
            section = edition.sections[number]
            if len(section.items) > least:
                smaller = replace(section, items=section.items[:-1], hidden=section.hidden + 1)
                sections = (*edition.sections[:number], smaller, *edition.sections[number + 1 :])
                return replace(edition, sections=sections)
    return None

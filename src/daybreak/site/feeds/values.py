"""What a feed is made of: entries whose text is kept as pieces, so that markup and plain text say the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from msgspec import Struct

from daybreak.report.render.escape import clean

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WEB = re.compile(r"https?://[^\s\"'<>\\^`{|}\x00-\x20\x7f]+", re.IGNORECASE)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Span(Struct, frozen=True):
    """A piece of a line; `link`: an address of the site, or one of the web."""

    text: str
    code: bool = False
    link: str = ""


Line = tuple[Span, ...]


class Block(Struct, frozen=True):
    """Lines under a title; without one, each is a paragraph."""

    lines: tuple[Line, ...]
    title: str = ""


class Entry(Struct, frozen=True):
    """One piece of news."""

    id: str
    """Stays the same wherever the site lies."""
    title: str
    updated: datetime
    path: str
    """The page about it, as an address of the site."""
    blocks: tuple[Block, ...]
    tags: tuple[str, ...] = ()
    source: str = ""
    """Where it happened, on the web."""


class Feed(Struct, frozen=True):
    """All that one file tells; `updated`: when there was news last, by the data and not by a clock."""

    id: str
    title: str
    about: str
    language: str
    path: str
    home: str
    updated: datetime
    entries: tuple[Entry, ...]


def shown(text: str) -> str:
    """One line of a stranger's text that any reader of XML and JSON can hold and show."""
    return _NOT_XML.sub("", clean(text)).strip()


def sentence(text: str) -> Line:
    """A sentence of the report: literal text in which single backticks hold code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return tuple(_spans(parts))


def _spans(parts: Iterable[str]) -> Iterator[Span]:
    for i, part in enumerate(parts):
        kept = _NOT_XML.sub("", clean(part))
        if kept.strip() or (kept and i % 2 == 0):
            yield Span(kept, code=i % 2 == 1)


def web(address: str) -> str:
    """An address that may be linked to: of the web, with nothing odd in it; anything else becomes empty."""
    return address if _WEB.fullmatch(address) and address.isascii() else ""


def moment(at: datetime) -> datetime:
    """In UTC, as both formats want it with its offset; a time out of all reason is the first one there is."""
    try:
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    except (OverflowError, ValueError):
        return EPOCH


def stamp(at: datetime) -> str:
    """As RFC 3339 writes it."""
    return moment(at).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")

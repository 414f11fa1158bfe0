"""Feed formats: entries whose text is kept as pieces, written as Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
from msgspec import Struct

from daybreak import __version__
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


# --- Where a feed and what it links to lie: absolute below a base address, else relative to the feed's own file ---


class Place(Struct, frozen=True):
    """Of one feed; `base`: the address of the site's root, or empty where it is not known."""

    path: str
    base: str = ""

    @property
    def known(self) -> bool:
        return bool(web(self.base))

    def href(self, target: str) -> str:
        """The link to an address of the site or of the web; empty where there is none to give."""
        if not target or "://" in target:
            return web(target)
        if self.known:
            return f"{self.base.rstrip('/')}/{target}"
        path, mark, anchor = target.partition("#")
        return posixpath.relpath(path, posixpath.dirname(self.path) or ".") + mark + anchor


# --- The text of an entry as HTML and as plain text: all of it is escaped, and nothing but our own few elements is markup ---


def as_html(entry: Entry, place: Place) -> str:
    return "\n".join(_block(block, place) for block in entry.blocks)


def as_text(entry: Entry) -> str:
    """The same without links."""
    return "\n\n".join(_plain(block) for block in entry.blocks)


def _block(block: Block, place: Place) -> str:
    if not block.title:
        return "\n".join(f"<p>{_line(line, place)}</p>" for line in block.lines)
    items = "".join(f"<li>{_line(line, place)}</li>" for line in block.lines)
    return f"<p><b>{escape(block.title)}</b></p>\n<ul>{items}</ul>"


def _line(line: Line, place: Place) -> str:
    return "".join(_span(span, place) for span in line)


def _span(span: Span, place: Place) -> str:
    text = escape(span.text)
    if span.code:
        text = f"<code>{text}</code>"
    address = place.href(span.link)
    return f'<a href="{escape(address)}">{text}</a>' if address else text


def _plain(block: Block) -> str:
    lines = ["".join(f"`{span.text}`" if span.code else span.text for span in line) for line in block.lines]
    return "\n".join(lines) if not block.title else "\n".join([block.title, *(f"- {line}" for line in lines)])


# --- Feed formats: Atom (RFC 4287) and JSON Feed 1.1, written by libraries that escape ---

# --- Atom (RFC 4287): one feed as XML, written by a library that escapes, from text that holds nothing XML cannot ---


ATOM_MEDIA_TYPE = "application/atom+xml; charset=utf-8"
_ATOM = "http://www.w3.org/2005/Atom"
_XML = "http://www.w3.org/XML/1998/namespace"


def atom(feed: Feed, base: str = "") -> bytes:
    place = Place(feed.path, base)
    root = ET.Element("feed", {"xmlns": _ATOM, f"{{{_XML}}}lang": feed.language})
    _add(root, "id", feed.id)
    _add(root, "title", feed.title)
    _add(root, "subtitle", feed.about)
    _add(root, "updated", stamp(feed.updated))
    _add(_add(root, "author"), "name", "Daybreak")
    _add(root, "generator", "Daybreak", version=__version__)
    _add(root, "link", rel="self", type="application/atom+xml", href=place.href(feed.path))
    _add(root, "link", rel="alternate", type="text/html", href=place.href(feed.home))
    for entry in feed.entries:
        _entry(_add(root, "entry"), entry, place)
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode").encode() + b"\n"


def _entry(element: ET.Element, entry: Entry, place: Place) -> None:
    _add(element, "id", entry.id)
    _add(element, "title", entry.title)
    _add(element, "updated", stamp(entry.updated))
    _add(element, "published", stamp(entry.updated))
    _add(element, "link", rel="alternate", type="text/html", href=place.href(entry.path))
    if entry.source:
        _add(element, "link", rel="related", href=entry.source)
    for tag in entry.tags:
        _add(element, "category", term=tag)
    _add(element, "summary", as_text(entry), type="text")
    _add(element, "content", as_html(entry, place), type="html")


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, name, attributes)
    if text:
        element.text = text
    return element


# --- JSON Feed 1.1: one feed as JSON; addresses stand in it where the site's own is known, since they must be absolute ---


JSON_MEDIA_TYPE = "application/feed+json"


def json_feed(feed: Feed, base: str = "") -> bytes:
    place = Place(feed.path, base)
    addresses = {"home_page_url": place.href(feed.home), "feed_url": place.href(feed.path)} if place.known else {}
    data: dict[str, Any] = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        **addresses,
        "description": feed.about,
        "language": feed.language,
        "authors": [{"name": "Daybreak"}],
        "items": [_item(entry, place) for entry in feed.entries],
    }
    return msgspec.json.format(msgspec.json.encode(data), indent=1) + b"\n"


def _item(entry: Entry, place: Place) -> dict[str, Any]:
    addresses = {"url": place.href(entry.path)} if place.known else {}
    if entry.source:
        addresses["external_url"] = entry.source
    return {
        "id": entry.id,
        **addresses,
        "title": entry.title,
        "content_html": as_html(entry, place),
        "content_text": as_text(entry),
        "date_published": stamp(entry.updated),
        "date_modified": stamp(entry.updated),
        **({"tags": list(entry.tags)} if entry.tags else {}),
    }

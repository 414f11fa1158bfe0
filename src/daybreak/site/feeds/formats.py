"""Feed formats: Atom (RFC 4287) and JSON Feed 1.1, written by libraries that escape."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import msgspec

from daybreak import __version__
from daybreak.site.feeds.values import Entry, Feed, Place, as_html, as_text, stamp

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

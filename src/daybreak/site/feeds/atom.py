"""Atom (RFC 4287): one feed as XML, written by a library that escapes, from text that holds nothing XML cannot."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from daybreak import __version__
from daybreak.site.feeds.markup import as_html, as_text
from daybreak.site.feeds.places import Place
from daybreak.site.feeds.values import Entry, Feed, stamp

MEDIA_TYPE = "application/atom+xml; charset=utf-8"
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

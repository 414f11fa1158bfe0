"""JSON Feed 1.1: one feed as JSON; addresses stand in it where the site's own is known, since they must be absolute."""

from __future__ import annotations

from typing import Any

import msgspec

from daybreak.site.feeds.markup import as_html, as_text
from daybreak.site.feeds.places import Place
from daybreak.site.feeds.values import Entry, Feed, stamp

MEDIA_TYPE = "application/feed+json"


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

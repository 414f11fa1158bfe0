"""Strict readers of both formats: what RFC 4287 and JSON Feed 1.1 demand, and what feedparser makes of it."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import feedparser

_A = "{http://www.w3.org/2005/Atom}"
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_ONCE_IN_FEED = ("id", "title", "updated", "subtitle", "generator")
_ONCE_IN_ENTRY = ("id", "title", "updated", "published", "summary", "content")
_IN_FEED = {*_ONCE_IN_FEED, "author", "link", "entry", "category"}
_IN_ENTRY = {*_ONCE_IN_ENTRY, "author", "link", "category"}
_TAG = re.compile(r"tag:[a-z0-9.-]+,\d{4}(?:-\d\d){0,2}:[A-Za-z0-9._~!$&'()*+,;=:@/?%-]+")


def valid_atom(body: bytes) -> Any:
    """What feedparser reads; fails where the feed is not valid."""
    root = ET.fromstring(body.decode())
    assert root.tag == f"{_A}feed"
    _children(root, _ONCE_IN_FEED, _IN_FEED)
    assert root.findtext(f"{_A}author/{_A}name")
    entries = root.findall(f"{_A}entry")
    for entry in entries:
        _children(entry, _ONCE_IN_ENTRY, _IN_ENTRY)
        assert [link.get("rel") for link in entry.findall(f"{_A}link")].count("alternate") == 1
        for kind, name in (("text", "summary"), ("html", "content")):
            element = entry.find(f"{_A}{name}")
            assert element is not None
            assert element.get("type") == kind
            assert len(element) == 0, "markup stands escaped"
    ids = [str(one.findtext(f"{_A}id")) for one in (root, *entries)]
    assert len(set(ids)) == len(ids)
    assert all(_TAG.fullmatch(one) for one in ids), ids
    stamps = [element.text or "" for name in ("updated", "published") for element in root.iter(f"{_A}{name}")]
    assert all(_STAMP.fullmatch(one) and datetime.fromisoformat(one) for one in stamps), stamps
    assert [link.get("rel") for link in root.findall(f"{_A}link")] == ["self", "alternate"]
    for link in root.iter(f"{_A}link"):
        assert urlsplit(link.get("href", "")).scheme in ("", "http", "https")
    read = feedparser.parse(body)
    assert read.bozo == 0, read.get("bozo_exception")
    assert read.version == "atom10"
    assert len(read.entries) == len(entries)
    return read


def _children(element: ET.Element, once: tuple[str, ...], known: set[str]) -> None:
    names = [child.tag.removeprefix(_A) for child in element]
    assert set(names) <= known, names
    for name in once:
        assert names.count(name) == 1, (name, names)
        assert (element.findtext(f"{_A}{name}") or "").strip(), name


def valid_json(body: bytes, *, absolute: bool) -> dict[str, Any]:
    """The feed; fails where it is not valid. Addresses stand in it only when they are absolute."""
    feed = json.loads(body.decode())
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert isinstance(feed["title"], str)
    assert feed["title"]
    assert feed["language"] in ("zh", "en")
    addresses = [feed.get("home_page_url"), feed.get("feed_url")]
    ids = []
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        ids.append(item["id"])
        assert item["content_html"] or item["content_text"]
        for name in ("date_published", "date_modified"):
            assert _STAMP.fullmatch(item[name])
        assert all(isinstance(tag, str) and tag for tag in item.get("tags", []))
        addresses.append(item.get("url"))
        if "external_url" in item:
            assert urlsplit(item["external_url"]).scheme in ("http", "https")
    assert len(set(ids)) == len(ids)
    if absolute:
        assert all(urlsplit(one).scheme == "https" and urlsplit(one).netloc for one in addresses)
    else:
        assert set(addresses) == {None}
    return dict(feed)

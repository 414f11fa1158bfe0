"""Feeds of days in which every field is hostile: still valid, with nothing in them but text and our own few elements."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import pytest

from daybreak.report.archive import addresses
from daybreak.site.feed_formats import atom, json_feed, sentence, shown
from daybreak.site.feeds import FeedMaker
from feeds.days import Shelf
from feeds.test_feeds import _OURS, LANGUAGES, _seen, feeds
from feeds.validating import valid_atom, valid_json
from hostile_days import OTHER, REPO, hostile_day
from hostile_texts import EVERY, TEXTS

UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]"
)
CONTENT = "{http://www.w3.org/2005/Atom}content"


def check(count: int, start: int = 0) -> None:
    day = hostile_day(start, count)
    maker = FeedMaker(Shelf.of(day), addresses)
    for language in LANGUAGES:
        for feed in feeds(maker, language, (REPO, OTHER)):
            body = atom(feed)
            items = valid_json(json_feed(feed), absolute=False)["items"]
            read = valid_atom(body)
            markup = [element.text or "" for element in ET.fromstring(body.decode()).iter(CONTENT)]
            assert markup == [item["content_html"] for item in items]
            for text, item in zip(markup, items, strict=True):
                assert set(_seen(text).tags) <= _OURS
                assert not UNSEEN.search(text + item["title"] + item["content_text"])
                assert "\n" not in item["title"]
            assert len(read.entries) == len(items)
            for entry in read.entries:  # what a reader makes of it: no element of a stranger
                assert not re.search(r"<(?!/?(?:p|b|ul|li|code|a)\b)[a-z!]", entry.content[0].value)


def test_feeds_of_a_hostile_day_are_valid_and_hold_text_only() -> None:
    check(12)


def test_every_text_becomes_a_line_that_any_reader_can_hold() -> None:
    for text in EVERY:
        for line in (shown(text), "".join(span.text for span in sentence(text))):
            assert not UNSEEN.search(line), text
            assert "\n" not in line
            ET.fromstring(f"<x>{html.escape(line)}</x>")


@pytest.mark.soak
def test_feeds_of_a_day_with_every_text_in_every_field() -> None:
    for start in range(0, len(TEXTS), 20):
        check(60, start)

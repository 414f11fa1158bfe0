"""A title stands once in an entry: on pages as the link, in messages as the subject."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daybreak.core.words.grammar import parted
from daybreak.deliver.notify.message import without_subject

TITLES = {"en": "Drop the legacy sampler", "zh": "Drop the legacy sampler"}


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_title_of_an_entry_stands_once_on_the_day_page(demo_week: Path, language: str) -> None:
    page = (demo_week / "site" / language / "days" / "2026-03-06.html").read_text(encoding="utf-8")
    entries = re.findall(r"<li\b[^>]*>.*?</li>", page.partition('class="actions"')[2].partition("</ol>")[0], re.DOTALL)
    shown = [" ".join(re.sub(r"<[^>]+>", " ", entry).split()) for entry in entries]
    (one,) = [text for text in shown if TITLES[language] in text]
    assert one.count(TITLES[language]) == 1
    assert "“" not in one.partition(TITLES[language])[0]


def test_what_a_sentence_begins_with_in_quotation_marks_is_taken_apart() -> None:
    assert parted("“Fix it”: it was broken") == ("Fix it", ": it was broken")
    assert parted("「Fix it」：坏了") == ("Fix it", "：坏了")
    assert parted("It says “so”") == ("", "It says “so”")


def test_a_message_does_not_repeat_its_subject() -> None:
    assert without_subject("“Fix it”: it was broken", "Fix it (#1)") == "it was broken"
    assert without_subject("“Fix another”: it was broken", "Fix it (#1)") == "“Fix another”: it was broken"

"""Brief sentences: a row of a table holds one, and what is cut stays whole in form."""

from __future__ import annotations

import pytest

from daybreak.core.words.brief import brief, brief_line

LONG = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("A comment says: “Short.”", "A comment says: “Short.”"),
        (f"Says: “{LONG}”", "Says: “one two three four five…”"),
        (f"Adds `{LONG}` to it.", "Adds `one two three four five…`"),
        (f"Says: “what `a` is (and {LONG})”", "Says: “what `a` is (and one…)”"),
        (f"Says: “It is so always. And {LONG}”", "Says: “It is so always.”"),
        (f"Says: “Yes. {LONG}”", "Says: “Yes. one two three four…”"),
        ("文档写道：「" + "长" * 40 + "」", "文档写道：「" + "长" * 6 + "…」"),
    ],
)
def test_a_long_sentence_is_cut_between_words_and_closed(said: str, told: str) -> None:
    assert brief_line(said, 6) == told


def test_each_language_is_cut_by_itself() -> None:
    assert brief({"en": LONG, "zh": "短。"}, 3) == {"en": "one two three…", "zh": "短。"}


def test_a_hostile_text_is_cut_in_no_time() -> None:
    assert len(brief_line("“(" * 100_000 + " " + "`" * 100_001 + " x" * 100_000, 20)) < 600_000

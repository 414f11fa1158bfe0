"""Characters that nobody sees: gone from what is said, the same data where they are escaped."""

from __future__ import annotations

import json

from daybreak.core.text import escaped, escaped_bytes, without
from daybreak.report.render.escape import clean, faithful
from hostile_texts import EVERY, TEXTS


def test_escaped_data_is_the_same_data_and_shows_all_of_it() -> None:
    for text in EVERY:
        shown = escaped(json.dumps(text, ensure_ascii=False))
        assert json.loads(shown) == text
        assert without(shown) == shown
    for text in TEXTS:
        assert json.loads(escaped_bytes(json.dumps(text, ensure_ascii=False).encode())) == text


def test_what_is_seen_stays() -> None:
    assert without("中文 é 👍 a\tb\nc") == "中文 é 👍 a\tb\nc"
    assert without("a\x9b1m\u061cb\u2060\ud800\U000e0041") == "a1mb"


def test_a_pile_of_marks_is_cut_and_honest_marks_are_not() -> None:
    assert clean("Z" + "\u0335" * 300 + "x") == "Z" + "\u0335" * 4 + "x"
    assert faithful("Việt, ế, שָׁלוֹם, กี่, ❤️")

"""Every text of the shared corpus as the forge's words on the pages of a day: no live HTML, link, image or mention."""

from __future__ import annotations

import pytest

from daybreak.judge.day_value import day_of
from daybreak.report.gate import problems
from hostile_texts import EVERY
from render.test_forge_hostile import inert, rendered, told


def check(text: str) -> None:
    report = told(text)
    found = rendered(report)
    assert problems(found, day_of(report), lambda _: True) == (), text[:80]
    for page in found:
        if page.path.endswith(".md"):
            inert(page)


def test_joined_texts_take_no_effect_in_markdown() -> None:
    """Several in one field; a run over all of them is in the tests of the command line."""
    short = [text for text in EVERY if len(text) <= 60]
    for start in range(2):
        check(" ".join(short[start::20]))


@pytest.mark.soak
def test_every_text_takes_no_effect_in_markdown() -> None:
    for text in EVERY:
        check(text)

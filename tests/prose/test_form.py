"""What is read from an answer about a change: the order of its paragraph."""

from __future__ import annotations

import pytest

from daybreak.prose.form import filled
from scripted_telling import form, said

GAIN = said("解码更快。", "Decoding is faster.", "D1: +    fused = True")
DO = said("请设置 `a`。", "Set `a`.", "D1: -    raise_old()", role="action")
HARM = said("`old()` 不再存在。", "`old()` is gone.", "D1: -    raise_old()", role="risk")


@pytest.mark.parametrize(
    ("lost", "first"),
    [
        ([{"at": "D1", "line": "-    raise_old()"}], HARM),
        ([], GAIN),
        ([{"at": "D2", "line": "-    raise_old()"}], GAIN),
    ],
)
def test_the_sentence_on_what_somebody_loses_begins_the_paragraph(lost: list[dict[str, str]], first: dict[str, str]) -> None:  # fmt: skip
    drafts = filled(form(GAIN, DO, HARM, lost=lost), ("zh", "en")).drafts
    assert drafts[0][1].text["en"] == first["en"]
    assert len(drafts) == 3

"""What is read from an answer about a change: its paragraph in order, and what is lost."""

from __future__ import annotations

from daybreak.prose.form import filled
from scripted_telling import form, said

GAIN = said("解码更快。", "Decoding is faster.", "D1: +    fused = True")
DO = said("请设置 `a`。", "Set `a`.", "D1: -    raise_old()", role="action")
HARM = said("`old()` 不再存在。", "`old()` is gone.", "D1: -    raise_old()", role="risk")


def test_the_order_of_the_paragraph_is_its_writers_and_what_is_lost_is_read_beside_it() -> None:
    found = filled(form(GAIN, DO, HARM, lost=[{"at": "D1", "line": "-    raise_old()"}]), ("zh", "en"))
    assert [draft.text["en"] for _, draft in found.drafts] == [GAIN["en"], DO["en"], HARM["en"]]
    assert [(span.ref, span.line) for span in found.lost] == [("D1", "-    raise_old()")]

"""What of an answer stands is one paragraph: nothing in it hangs in the air."""

from __future__ import annotations

from daybreak.core.model.drafts import Draft, Span
from daybreak.core.model.statements import Statement
from daybreak.core.words.grammar import alike
from daybreak.prose.paragraphs import carried, in_place
from daybreak.prose.questions import Standing


def draft(text: str, ref: str) -> Draft:
    return Draft("impact", alike(text), (Span(ref, f"{text} line"),), ())


def test_what_the_release_does_is_told_behind_what_the_change_does_and_never_in_its_place() -> None:
    change, release = draft("Graphs are captured.", "D1"), draft("In the release, capture raises.", "R1")
    rows = (("", change), ("", release))
    standing = [Standing(Statement("impact", one.text, ("commit:1",)), one, "") for _, one in rows]
    for some, texts in ((standing, [change.text, release.text]), (standing[1:], []), (standing[:1], [change.text])):
        placed = in_place(rows, some, (), ())
        assert [one.statement.text for one in carried(rows, placed)] == texts

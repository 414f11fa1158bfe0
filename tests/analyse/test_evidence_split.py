"""Evidence is cut between lines, never silently, and never into parts that are larger than asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.model.changes import FileChange
from daybreak.prose.evidence_pieces import (
    GOES_ON,
    brief,
    hunks,
    material,
    one_line,
    split_hunk,
    split_lines,
    tokens,
    visible,
)
from daybreak.prose.questions import Asker, Limits
from told_days import change, entry, file, patch

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r[]"), max_size=200), max_size=30)


def without_marks(parts: list[str]) -> str:
    """What the parts hold, with lines that were cut put together again."""
    return "\n".join(parts).replace(f" {GOES_ON}\n{GOES_ON} ", "")


@given(LINES, st.integers(40, 200))
def test_parts_hold_everything_and_none_is_too_large(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    parts = list(split_lines(text, most))
    assert without_marks(parts) == text
    assert all(tokens(part) <= most for part in parts)


def test_a_line_longer_than_a_part_is_cut_and_marked_at_both_ends() -> None:
    parts = list(split_lines("x" * 1000, 60))
    assert len(parts) > 1
    assert all(part.endswith(GOES_ON) for part in parts[:-1])
    assert all(part.startswith(GOES_ON) for part in parts[1:])


def test_a_short_text_is_one_part_without_marks() -> None:
    assert list(split_lines("one\ntwo", 60)) == ["one\ntwo"]


def test_a_patch_falls_into_its_hunks() -> None:
    patch = "@@ -1,2 +1,2 @@\n-a\n+b\n@@ -9 +9 @@ def f():\n c\n"
    assert hunks(patch) == ["@@ -1,2 +1,2 @@\n-a\n+b", "@@ -9 +9 @@ def f():\n c"]


def test_each_part_of_a_long_hunk_can_be_read_alone() -> None:
    hunk = "@@ -1,90 +1,90 @@\n" + "\n".join(f"+line number {n}" for n in range(90))
    parts = split_hunk(hunk, 100)
    assert len(parts) > 2
    assert all(part.startswith("@@ -1,90 +1,90 @@") for part in parts)
    assert all("(continued)" in part for part in parts[1:])
    assert all(any(f"+line number {n}" in part.split("\n") for part in parts) for n in range(90))


def test_a_hunk_that_fits_stays_as_it_is() -> None:
    assert split_hunk("@@ -1 +1 @@\n-a\n+b", 50) == ["@@ -1 +1 @@\n-a\n+b"]


def test_what_no_reader_sees_is_no_evidence() -> None:
    assert visible("a\u200bb\u202ec\x1b[0md\r\ne\udce9\tf") == "abc[0md\ne\tf"
    assert one_line(" a\n\tb\u2060 ") == "a b"


def test_what_is_made_brief_is_marked_as_cut() -> None:
    assert brief("one\ntwo", 7) == "one two"
    assert brief("one\ntwo", 6) == "one t…"


@given(st.text(max_size=300))
def test_no_text_makes_it_raise_and_the_estimate_never_shrinks(text: str) -> None:
    seen = visible(text)
    assert visible(seen) == seen
    assert tokens(text + "a") >= tokens(text)


def test_of_a_large_new_file_its_heads_words_settings_and_refusals_are_shown() -> None:
    body = [f"+        step_{n}()" for n in range(90)]
    rows = [
        "+def run(level: int = 3):",
        '+    """Runs it."""',
        *body,
        "+    if level > 9:",
        "+        raise ValueError(level)",
    ]
    hunk = f"@@ -0,0 +1,{len(rows)} @@\n" + "\n".join(rows)
    one = change(1, "Add a runner", files=[FileChange("engine/run.py", "A", added=len(rows), patch=hunk)])
    (shown,) = material(entry(one), "acme/engine", None, 3000).diff
    assert all(row in shown.text for row in (rows[0], rows[1], rows[-1]))
    assert "step_50" not in shown.text


def test_of_a_low_change_that_a_look_brought_up_one_part_is_read_and_the_rest_is_counted() -> None:
    files = [
        file(f"engine/part_{n}.py", patch(*(f"+    step_{n}_{at}(one, two)" for at in range(250)))) for n in range(12)
    ]
    one = change(1, "Tidy", files=files)
    for level, parts in (("low", 1), ("medium", 3)):
        asked = Asker(("zh", "en")).about_change(entry(one, level), "acme/engine", None, Limits())  # type: ignore[arg-type]
        assert (len(asked.questions) == 1, asked.unread > 0) == (parts == 1, parts == 1)

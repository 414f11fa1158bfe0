"""Titles and lines that were made to be slow: work grows with a text's length and no faster."""

import pytest

from daybreak.judge import change_kinds, line_ties
from timing import cpu

PLAIN = "[Model] Add rope scaling for a long context " * 8


@pytest.mark.parametrize("blanks", range(1, 9))
@pytest.mark.parametrize("sign", ["", ":"])
def test_blanks_between_tags_are_tried_in_one_way(blanks: int, sign: str) -> None:
    hostile = f"[x]{sign}{' ' * blanks}" * 6 + "zzz"

    def all_of(subject: str) -> None:
        for _ in range(200):
            change_kinds.bare(subject)
            change_kinds.untagged(subject)
            change_kinds._by_verb(subject)

    assert cpu(lambda: all_of(hostile)) < 20 * cpu(lambda: all_of(PLAIN)) + 0.01


@pytest.mark.parametrize("line", ["a" + " " * 60_000 + "!", "Abcd " * 12_000 + "(", "a, " * 20_000 + "!"])
def test_a_line_of_any_length_is_read_at_once(line: str) -> None:
    hostile = ["@@ -1 +1 @@", "+from a import (", f"+{line}"]
    plain = ["@@ -1 +1 @@", "+from a import (", *(f"+    name_{n}," for n in range(500))]
    assert cpu(lambda: list(line_ties._code(hostile, "+"))) < 20 * cpu(lambda: list(line_ties._code(plain, "+"))) + 0.01


@pytest.mark.parametrize(
    ("subject", "found"),
    [
        ("Automatically resolve the backend", None),
        ("Properly handle an empty batch", "fix"),
        ("[Core] [V1]: Avoid a second copy", None),
        ("[Core] [V1]: Prevent a second copy", "fix"),
    ],
)
def test_an_adverb_says_repair_only_where_it_was_done_badly(subject: str, found: str | None) -> None:
    assert (change_kinds._by_verb(subject) == "fix") is (found == "fix")

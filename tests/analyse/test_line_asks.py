"""Conditions that ask more or less than before, in words; and lines that only say a short name."""

import pytest

from daybreak.judge.line_asks import told
from daybreak.judge.line_conditions import without_aliases
from daybreak.judge.line_worth import Turn


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("if a:", "if a and not b:", "`if a` now also asks `not b`"),
        ("elif a and b:", "elif b:", "`if b` no longer asks `a`"),
        ("if a:", "if (a or b.c()):", "`if a` now holds for `b.c()` as well"),
        ("if a or b:", "if a:", "`if a` no longer holds for `b`"),
        ("if a and b:", "if (a and b and (not c or d)):", "`if a and b` now also asks `(not c or d)`"),
        ("if isinstance(x, A):", "if isinstance(x, (A, B)):", "`if isinstance(x, A)` now takes `B` as well"),
        ("if isinstance(x, (A, B)):", "if isinstance(x, A):", "`if isinstance(x, A)` no longer takes `B`"),
        ("} else if (a) {", "} else if (a && b) {", "`if a` now also asks `b`"),
        ("if a == 1:", "if a == 2:", None),
        ("if a and b:", "if b and c:", None),
        ("if a and b:", "if a or b:", None),
        ("x = a", "x = a and b", None),
    ],
)
def test_what_a_condition_asks_besides_or_no_longer_is_told_and_nothing_of_any_other_turn(
    old: str, new: str, said: str | None
) -> None:
    found = told(old, new)
    assert (found and found["en"]) == said


def test_a_long_part_is_cut_and_marked() -> None:
    found = told("if a:", f"if a and {' + '.join(['some_long_name'] * 20)}:")
    assert found is not None
    assert found["en"].endswith(" …`")


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        ("return cfg.size", "return size", False),
        ("return cfg.size", "return size + 1", True),
        ("x = cfg.size", "x = size * 2", True),
        ("run(cfg.size, x)", "run(size,", False),
        ("run(cfg.size, x)", "size, x", False),
    ],
    ids=["the name alone", "one more", "twice", "the first of two lines", "the second of three"],
)
def test_a_short_name_in_a_line_that_does_something_else_hides_nothing(old: str, new: str, stays: bool) -> None:
    alias, turn = Turn("a.py", 1, "", "size = cfg.size", "", ""), Turn("a.py", 2, old, new, "", "")
    assert (turn in without_aliases([alias, turn], [alias, turn])) is stays

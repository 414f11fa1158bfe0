"""Of a change that a later one of the same window undoes, the later one alone is told."""

from __future__ import annotations

from daybreak.judge.undone import undone_later
from told_days import change, file, patch

KINDS, MORE = '    elif kind in ["swa", "nsa"]:', '    elif kind in ["swa", "nsa", "dsv4"]:'
ADDS = change(
    1, "Add dsv4", files=[file("engine/conn.py", patch(f"-{KINDS}", f"+{MORE}", "+        # dsv4 has a flat pool"))]
)


def test_a_change_whose_lines_go_again_with_all_that_they_brought_is_undone() -> None:
    back = change(2, "Unify", files=[file("engine/conn.py", patch(f"-{MORE}", f"+{KINDS}"))])
    assert undone_later([back, ADDS]) == {ADDS.sha}
    assert undone_later([ADDS, back]) == frozenset()


def test_a_line_that_only_goes_on_or_that_goes_elsewhere_undoes_nothing() -> None:
    further = change(2, "One more", files=[file("engine/conn.py", patch(f"-{MORE}", '+    elif kind in ["swa", "nsa", "dsv4", "mla"]:'))])  # fmt: skip
    elsewhere = change(3, "Clean up", files=[file("engine/other.py", patch(f"-{MORE}", f"+{KINDS}"))])
    assert undone_later([elsewhere, further, ADDS]) == frozenset()


def test_a_change_of_which_little_goes_again_stands() -> None:
    wide = change(
        1, "Add a pool", files=[file("engine/conn.py", patch(*(f"+    pool_{n} = make_pool({n})" for n in range(9))))]
    )
    some = change(2, "Drop a pool", files=[file("engine/conn.py", patch("-    pool_3 = make_pool(3)"))])
    assert undone_later([some, wide]) == frozenset()

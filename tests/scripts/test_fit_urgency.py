"""The script that fits what moves a change on the first screen, and what it wrote."""

import json
from pathlib import Path

import pytest
from scripts.fit_urgency import HERE, Example, fit, solved

from daybreak.judge import urgency
from daybreak.judge import urgency as urgency_marks

DAY = ("2026-01-19", "UTC", ("acme/engine",))


def test_equations_are_solved_whatever_their_order() -> None:
    assert solved([[0.0, 2.0], [4.0, 1.0]], [6.0, 11.0]) == pytest.approx([2.0, 3.0])


def test_what_readers_choose_weighs_and_what_tells_nothing_does_not() -> None:
    rows = [
        Example(DAY, {"chosen": float(n % 4 == 0), "noise": float(n % 3 == 0)}, 4.0, float(n % 4 == 0), 1.0)
        for n in range(400)
    ]
    found = fit(rows, ["chosen", "noise"])
    assert found["chosen"] > 4 * abs(found["noise"])


def test_the_weights_are_those_of_marks_that_the_code_gives() -> None:
    text = Path(urgency_marks.__file__).read_text("utf-8")
    places = {f"in_{name}" for name, _ in urgency_marks.PLACES_SEEN}
    lines = {name for name, _, _ in urgency_marks.LINES_SEEN}
    for name in urgency.weights():
        assert name in places | lines | {"is_fix", "is_feature"} or f'"{name}"' in text, name


def test_a_first_screen_has_at_most_eight_lines_of_whole_shas() -> None:
    screens = [json.loads(line) for line in (HERE / "first_screens.jsonl").read_text("utf-8").splitlines()]
    assert len(screens) >= 24
    for screen in screens:
        assert 1 <= len(screen["lines"]) <= 8
        assert all(len(sha) == 40 for line in (*screen["lines"], *screen["runners_up"]) for sha in line)

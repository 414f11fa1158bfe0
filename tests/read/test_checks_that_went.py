"""Checks that run by themselves in a class which stays: whoever was turned away or given a value is not, once they go."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH = "engine/entrypoints/openai/protocol.py"
FIELDS = "class ChatRequest(BaseModel):\n    effort: str = 'auto'\n    include_reasoning: bool = True\n"
MARK = "\n    @model_validator(mode='before')\n    @classmethod\n    def settle(cls, data):\n"
TURNS_AWAY = (
    f"{MARK}        if data.get('effort') == 'none':\n            raise ValueError('no')\n        return data\n"
)
GIVES = f"{MARK}        if data.get('effort') == 'none':\n            data['include_reasoning'] = False\n        return data\n"
GIVEN = ("include_reasoning", "False if data.get('effort') == 'none'")
BEHIND = (
    "\n    def __post_init__(self):\n        if self.effort == 'none':\n            self.include_reasoning = False\n"
)


def _told(before: str, after: str, path: str = PATH) -> list[tuple[str, str, str | None, str | None]]:
    return [(f.kind, f.symbol, f.before, f.after) for f in read({path: before}, {path: after})]


def test_a_validator_that_goes_turns_nobody_away_any_more() -> None:
    text = "if data.get('effort') == 'none': raise ValueError"
    assert _told(FIELDS + TURNS_AWAY, FIELDS) == [("guard_removed", "ChatRequest.settle", text, None)]
    assert _told(FIELDS, FIELDS + TURNS_AWAY) == [("guard_added", "ChatRequest.settle", None, text)]


def test_a_validator_that_goes_no_longer_writes_into_the_request() -> None:
    assert _told(FIELDS + GIVES, FIELDS) == [("filled_removed", *GIVEN, None)]
    assert _told(FIELDS, FIELDS + GIVES) == [("filled_added", GIVEN[0], None, GIVEN[1])]


def test_what_a_class_does_behind_its_constructor_goes_with_it() -> None:
    assert [row[:2] for row in _told(FIELDS + BEHIND, FIELDS)] == [("filled_removed", "include_reasoning")]


@pytest.mark.parametrize(
    ("what", "before", "after"),
    [
        ("another name", FIELDS + GIVES, FIELDS + GIVES.replace("settle", "settle_reasoning")),
        ("up into a base", f"class Base(BaseModel):\n    n: int = 1\n\n\n{FIELDS}{GIVES}", f"class Base(BaseModel):\n    n: int = 1\n{GIVES}\n\n{FIELDS}"),
        ("the class goes too", f"{FIELDS}{TURNS_AWAY}", "\n"),
        ("a helper that nobody called", FIELDS + GIVES.replace("@model_validator(mode='before')\n    @classmethod", "@staticmethod"), FIELDS),
        ("a check by the same words", FIELDS + TURNS_AWAY, FIELDS + TURNS_AWAY.replace("'before'", "'after'")),
    ],
)  # fmt: skip
def test_a_check_that_stands_elsewhere_or_never_ran_by_itself_is_not_gone(what: str, before: str, after: str) -> None:
    kinds = {row[0] for row in _told(before, after)}
    assert not kinds & {"guard_removed", "guard_added", "filled_removed", "filled_added"}, what


def test_what_another_object_is_given_in_a_validator_is_no_field_of_the_request() -> None:
    other = GIVES.replace("data['include_reasoning']", "TABLE['include_reasoning']")
    assert _told(FIELDS + other, FIELDS) == []

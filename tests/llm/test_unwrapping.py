"""The object in a model's text is found or it is not; no text makes the search fail or take long."""

from __future__ import annotations

import json
import time
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.prose.llm.answers import fault_of, object_in
from model_scene import SCHEMA
from timing import beside

YES = {"word": "yes"}


@pytest.mark.parametrize(
    "text",
    [
        '{"word": "yes"}',
        '```json\n{"word": "yes"}\n```',
        '```\n{"word": "yes"}```',
        '<think>{"word": "no"}</think>{"word": "yes"}',
        '<think>never closed? it was</think>\n<think>twice</think>{"word": "yes"}',
        'First {"word": "no"}, but finally: {"word": "yes"} - done {really}',
        '{"wrap": {"word": "no"}} {"word": "yes"}',
        '{"word": "yes",\n}',
        'Sure! {"a": 1} { not json } {"word": "yes"}',
        '\ufeff{"word": "yes"}\x00',
    ],
)
def test_the_object_is_found(text: str) -> None:
    assert object_in(text, SCHEMA) == (YES, "")


def test_a_comma_in_a_text_stays() -> None:
    assert object_in('{"word": "a,} b,] \\",}",}', SCHEMA).data == {"word": 'a,} b,] ",}'}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "it holds no JSON object"),
        ("no", "it holds no JSON object"),
        ('{"word": ', "it holds no JSON object"),
        ('{"other": 1}', "the answer lacks 'word'"),
        ('{"word": 1}', "word must be string"),
        ('"word"', "it holds no JSON object"),
        ("NaN", "it holds no JSON object"),
    ],
)
def test_what_is_wrong_is_said(text: str, wrong: str) -> None:
    assert object_in(text, SCHEMA) == (None, wrong)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 500_000,
        '{"a":' * 200_000,
        '"\\"' * 300_000,
        "," + " " * 500_000 + "x",
        ", " * 400_000,
        "<think>" * 100_000,
        "</think>" * 100_000,
        "[" * 1_000_000,
        "1" * 1_000_000,
        '{"word": ' + "9" * 900_000 + "}",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    assert object_in(text, SCHEMA).data is None
    assert time.process_time() - began < beside(5)


@given(st.text(), st.dictionaries(st.text(), st.text()), st.text())
def test_nothing_raises(before: str, data: dict[str, str], after: str) -> None:
    found = object_in(before + json.dumps(data) + after, {"type": "object"})
    assert found.data is None or isinstance(found.data, dict)
    if not before.strip() and not after.strip():
        assert found.data == data or "\\ud" in json.dumps(data)


# --- schemas ---------------------------------------------------------------------------------------------------------

LIST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"role": {"type": "string", "enum": ["what", "why"]}, "line": {"type": "integer"}},
                "required": ["role"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "maxItems": 3,
        },
        "note": {"type": "string", "maxLength": 5, "minLength": 1},
    },
    "required": ["items"],
    "additionalProperties": False,
}

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats(-1, 2, allow_nan=False)
    | st.sampled_from(["what", "F1", ""])
)
items = st.dictionaries(st.sampled_from(["role", "line", "x"]), scalars, max_size=4)
values = st.dictionaries(
    st.sampled_from(["items", "note", "x"]),
    scalars | st.lists(items | st.builds(lambda line: {"role": "what", "line": line}, scalars), max_size=4),
    max_size=4,
)


@given(values)
def test_our_verdict_is_the_standards(value: dict[str, Any]) -> None:
    expected = jsonschema.Draft202012Validator(LIST).is_valid(value)
    if any(isinstance(v, float) and v.is_integer() for v in _leaves(value)):
        return  # the standard takes 1.0 for an integer, and we need not
    assert (fault_of(value, LIST) is None) == expected, fault_of(value, LIST)


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    return [leaf for inner in value for leaf in _leaves(inner)] if isinstance(value, list) else [value]


def test_a_fault_names_its_place() -> None:
    assert fault_of({"items": [{"role": "what"}, {"role": "who"}]}, LIST) == "items[1].role must be one of what, why"


@pytest.mark.parametrize("schema", [{"oneOf": []}, {"$ref": "#"}, {"type": "strange"}])
def test_a_schema_that_is_not_understood_is_not_silently_fulfilled(schema: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        fault_of({}, schema)

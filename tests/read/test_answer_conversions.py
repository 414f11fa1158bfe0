"""Parsers that make something else of what a model wrote: trimmed otherwise, or cast by others; no rewrite that does the same."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "vllm/tool_parsers/one_tool_parser.py"
SPLIT = "class {owner}:\n    def parse(self, text):\n        parts = text.split(self.end)\n        content = {content}\n        return Result(content)\n"
CASTS = "        if kind == 'int':\n            return int(value)\n        return json.loads(value)\n"
CONVERTS = "import json\nfrom vllm.utils import coerce_to_type\n\n\nclass OneToolParser:\n    def {name}(self, value, kind):\n{body}\n{more}"
HANDED = "        return coerce_to_type(value, kind)\n"
OWN = "    def convert_checked(self, value, kind):\n" + CASTS


def told(before: str, after: str, path: str = PATH) -> list[tuple[str, str | None, str | None, str | None]]:
    found = read({path: before}, {path: after}, project="vllm-project/vllm")
    return [(f.symbol, f.before, f.after, mark_of(f)) for f in found if f.kind == "conversion_changed"]


@pytest.mark.parametrize(
    ("owner", "path", "was", "now", "differs"),
    [
        ("OneToolParser", PATH, "parts[1].strip()", "parts[1]", True),
        ("OneDetector", PATH, "parts[1]", "parts[1].rstrip()", True),
        ("OneDetector", PATH, "parts[1].strip()", "parts[1].strip(' ')", False),
        ("OneToolParser", PATH, "parts[1].strip()", "self.last(text)", False),
        ("Loop", PATH, "parts[1].strip()", "parts[1]", False),
        ("OneToolParser", "tests/one_tool_parser.py", "parts[1].strip()", "parts[1]", False),
    ],
)
def test_a_statement_that_only_trims_otherwise(owner: str, path: str, was: str, now: str, differs: bool) -> None:
    before, after = (SPLIT.format(owner=owner, content=one) for one in (was, now))
    expected = [(f"{owner}.parse", f"content = {was}", f"content = {now}", "breaks")] if differs else []
    assert told(before, after, path) == expected


@pytest.mark.parametrize(
    ("name", "after", "more", "expected"),
    [
        ("_convert_value", HANDED, "", [("OneToolParser._convert_value", "int(…), loads(…)", "coerce_to_type(…)", "breaks")]),
        ("read_value", HANDED, "", []),
        ("_convert_value", "        return self.convert_checked(value, kind)\n", OWN, []),
        ("_convert_value", CASTS.replace("kind == 'int'", "'int' == kind"), "", []),
    ],
    ids=["handed to another converter", "no converter", "by a new function of its own", "written otherwise"],
)  # fmt: skip
def test_a_converter_that_hands_values_to_another_one(
    name: str, after: str, more: str, expected: list[tuple[str, str, str, str]]
) -> None:
    before, now = (CONVERTS.format(name=name, body=body, more=x) for body, x in ((CASTS, ""), (after, more)))
    assert told(before, now) == expected


VALUES = "def {name}(text, kind):\n    if kind == 'integer':\n        return int(text)\n{asks}    value = loads(text)\n    return value\n\n\nclass {owner}:\n    x = 1\n"
ASKS = "    if arg_type == 'string':\n        return text\n"


@pytest.mark.parametrize(
    ("name", "owner", "asks", "expected"),
    [
        ("parse_arguments", "GlmDetector", ASKS, ["arg_type == 'string'"]),
        ("_convert_param_value", "OneToolParser", ASKS.replace("return text", "kind = 'object'"), ["arg_type == 'string'"]),
        ("parse_arguments", "GlmDetector", ASKS.replace("return text", "log(text)"), []),
        ("parse_arguments", "GlmDetector", "    if not text:\n        return None\n", []),
        ("parse_arguments", "Loop", ASKS, []),
        ("read_all", "GlmDetector", ASKS, []),
        ("parse_arguments", "GlmDetector", "", []),
    ],
)  # fmt: skip
def test_a_type_that_is_made_something_else_of(name: str, owner: str, asks: str, expected: list[str]) -> None:
    sides = [{PATH: VALUES.format(name=name, owner=owner, asks=one)} for one in ("", asks)]
    found = [f for f in read(sides[0], sides[1], project="vllm-project/vllm") if f.kind == "conversion_added"]
    assert [f.after for f in found] == expected

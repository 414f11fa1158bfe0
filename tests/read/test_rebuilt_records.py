"""Structures that a process builds from what another one answers."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "python/sglang/srt/disaggregation/conn.py"
FORM = """import requests
from dataclasses import dataclass


{decorated}class Info:
    size: int
{field}

def ask(url):
    data = {given}
    return Info({how})
"""
FIELD = "    port: int | None = None\n"
PLAIN = {"decorated": "@dataclass\n", "given": "requests.get(url).json()", "how": "**data"}


@pytest.mark.parametrize(
    ("what", "other", "fields", "expected"),
    [
        ("a field that came", {}, ("", FIELD), ["Info.port"]),
        ("one that went", {}, (FIELD, ""), []),
        ("of what takes anything", {"decorated": ""}, ("", FIELD), []),
        ("of what is built field by field", {"how": "size=data['size']"}, ("", FIELD), []),
        ("of what the process made itself", {"given": "dict(size=1)"}, ("", FIELD), []),
        ("of what is read from a text", {"given": "json.loads(url)"}, ("", FIELD), ["Info.port"]),
        ("that no constructor takes", {}, ("", "    port: int = field(init=False)\n"), []),
        ("nothing", {}, (FIELD, FIELD), []),
    ],
)
def test_a_field_that_an_older_reader_refuses(
    what: str, other: dict[str, str], fields: tuple[str, str], expected: list[str]
) -> None:
    sides = [{PATH: FORM.format(**{**PLAIN, **other}, field=field)} for field in fields]
    found = [f for f in read(sides[0], sides[1], project="sgl-project/sglang") if f.kind == "sent_field_refused"]
    assert [f.symbol for f in found] == expected, what
    assert all(mark_of(f) == "breaks" for f in found)

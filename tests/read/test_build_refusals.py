"""Builds that stop with an error from now on."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH = "CMakeLists.txt"
HEAD = "cmake_minimum_required(VERSION 3.26)\nproject(kit)\n"
STOP = 'if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS "11.3")\n  message(FATAL_ERROR\n    "GCC >= 11.3 is required")\nendif()\n'
ASKED = 'CMAKE_CXX_COMPILER_VERSION VERSION_LESS "11.3"'


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("an error that came", "", STOP, [ASKED]),
        ("other words", STOP.replace("required", "asked for"), STOP, []),
        ("a status", "", STOP.replace("FATAL_ERROR", "STATUS"), []),
        ("without a question", "", 'message(FATAL_ERROR "no")\n', []),
        ("of an option of its own", "", 'option(KIT_FAST OFF)\nif(KIT_FAST)\n  message(FATAL_ERROR "not here")\nendif()\n', []),
        ("of an else", "", 'if(FOUND)\n  set(X 1)\nelse()\n  message(FATAL_ERROR "none found")\nendif()\n', ["NOT (FOUND)"]),
        ("one that goes", STOP, "", []),
        ("nothing", STOP, STOP, []),
    ],
)  # fmt: skip
def test_an_error_of_a_build(what: str, before: str, after: str, expected: list[str]) -> None:
    found = [f for f in read({PATH: HEAD + before}, {PATH: HEAD + after}) if f.kind == "build_refused"]
    assert [f.after for f in found] == expected, what
    assert all(f.breaking for f in found)


def test_a_file_that_came_stops_nobody_who_built_before() -> None:
    assert [f for f in read({}, {"cmake/extra.cmake": STOP}) if f.kind == "build_refused"] == []

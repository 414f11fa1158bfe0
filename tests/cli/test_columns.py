"""Columns of a terminal: wide characters take two, lines break where they may, and nothing is wider than asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.cli.console import cut, padded, width, wrapped


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("abc", 3), ("长度", 4), ("a长，", 5), ("e\u0301", 1)])
def test_width(text: str, columns: int) -> None:
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one two three", ["one two", "three"]),
        ("长长长长长长", ["长长长长", "长长"]),
        ("长长长长。长", ["长长长", "长。长"]),
        ("长长长（长）", ["长长长", "（长）"]),
        ("abcdefghijk", ["abcdefgh", "ijk"]),
        ("", [""]),
    ],
)
def test_lines_break_at_spaces_and_between_wide_characters(text: str, lines: list[str]) -> None:
    assert wrapped(text, 8) == lines


def test_what_does_not_fit_is_said_to_go_on() -> None:
    assert wrapped("one two three four", 8, 2) == ["one two", "three …"]
    assert cut("长长长", 5) == "长长…"
    assert cut("abc", 3) == "abc"
    assert padded("长", 4) == "长  "


@given(st.text(max_size=300), st.integers(8, 40))
def test_no_line_is_too_wide_and_nothing_is_lost(text: str, columns: int) -> None:
    lines = wrapped(text, columns, 1000)
    assert all(width(line) <= columns for line in lines)
    from daybreak.cli.console import harmless

    assert "".join("".join(lines).split()) == "".join(harmless(text).split())


@given(st.text(alphabet="ab 长。（", max_size=200), st.integers(8, 20), st.integers(1, 3))
def test_a_cut_answer_keeps_its_width(text: str, columns: int, most: int) -> None:
    lines = wrapped(text, columns, most)
    assert len(lines) <= most
    assert all(width(line) <= columns for line in lines)

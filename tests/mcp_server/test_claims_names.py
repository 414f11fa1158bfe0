"""Names in a statement that is to be checked: found at once, however they are made up."""

from __future__ import annotations

import pytest

from daybreak.serve.mcp.claims import _MARKED


@pytest.mark.parametrize(
    ("name", "is_name"),
    [("--max-len", True), ("ENGINE_X", True), ("a.b", True), ("word", False), ("f(x)", False), ("--", False)],
)
def test_a_name_is_what_no_plain_word_can_be(name: str, is_name: bool) -> None:
    assert bool(_MARKED.fullmatch(name)) is is_name


@pytest.mark.timeout(20)
def test_a_long_run_of_separators_is_looked_at_once() -> None:
    assert _MARKED.fullmatch("a" + "_a" * 60 + "(") is None

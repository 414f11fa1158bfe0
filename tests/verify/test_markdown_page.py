"""The one reader of pages: what is a link, what is code, and what only looks like it."""

from __future__ import annotations

import pytest

from daybreak.core.markdown_page import Page, ticked_in, without_code


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("see [a](x) and [b](y)", [("a", "x"), ("b", "y")]),
        (r"[ok](x) \](https://evil.example)", [("ok", "x")]),
        (r"\[no\](x)", []),
        ("[a [b] c](x)", [("a [b] c", "x")]),
        ("[a [b](x)", [("b", "x")]),
        ("`[a](x)` [b](y)", [("b", "y")]),
        ("``[a` ](x)`` [b](y)", [("b", "y")]),
        (f"[{'a' * 2000}](x)", [("a" * 2000, "x")]),
        ("[v1 \u2013 v2](x\u2013y)", [("v1 \u2013 v2", "x\u2013y")]),
    ],
)
def test_links_as_written(text: str, links: list[tuple[str, str]]) -> None:
    (line,) = Page("x.md", text).lines
    assert [(link.label, link.target) for link in line.raw_links] == links


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("see https://evil.example", True),
        ("see WWW.evil.example", True),
        (r"[ok](x) \](https://evil.example)", True),
        ("[a](https://example.org)", False),
        ("`https://example.org` and <code>www.example.org</code>", False),
        ("x" * 60_000 + " https://evil.example", True),
    ],
)
def test_an_address_in_words_is_seen(text: str, bare: bool) -> None:
    (line,) = Page("x.md", text).lines
    assert line.bare_address is bare


def test_code_is_shown_as_its_marks_say() -> None:
    text = "`&lt;` ``a`b`` <code>&lt;</code> rest"
    assert [one.shown for one in ticked_in(text)] == ["&lt;", "a`b", "<"]
    assert without_code(text).split() == ["rest"]

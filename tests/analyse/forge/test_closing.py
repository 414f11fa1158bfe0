"""Closing keywords are read as GitHub reads them, and nothing else closes an issue."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.judge.links.texts import MAX_TEXT, closing, mentioned, prose, without_code
from timing import beside

KEYWORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")


def closed(text: str) -> list[tuple[str | None, int | None]]:
    return [(one.repo, one.number) for one in closing(text)]


@pytest.mark.parametrize("word", KEYWORDS)
@pytest.mark.parametrize(
    "form", ["{} #12", "{}: #12", "{} GH-12", "({} #12)", "This {} #12.", "- {} #12", "**{} #12**"]
)
def test_every_keyword_closes_in_every_form(word: str, form: str) -> None:
    for written in (word, word.upper(), word.capitalize()):
        assert closed(form.format(written)) == [(None, 12)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Fixes org/kernels#7", [("org/kernels", 7)]),
        ("resolves https://github.com/org/engine/issues/8.", [("org/engine", 8)]),
        ("closes #1, closes #2 and fixes #3", [(None, 1), (None, 2), (None, 3)]),
        ("fixes #1, #2", [(None, 1)]),
        ("Fixes #4 and again fixes #4", [(None, 4)]),
        ("## Purpose\nFix #5 (crash on start)", [(None, 5)]),
        ("<details>\nFixes #6\n</details>", [(None, 6)]),
        ("<!-- note --> Fixes #9", [(None, 9)]),
        ("a `code` word, fixes #10", [(None, 10)]),
    ],
)
def test_what_closes(text: str, want: list[tuple[str | None, int]]) -> None:
    assert closed(text) == want


@pytest.mark.parametrize(
    "text",
    [
        "see #12",
        "prefixes #12",
        "hotfix #12",
        "bug-fix #12",
        "fixing #12",
        "fixes issue 12",
        "fixes #12abc",
        "fixes #0",
        "fixes #xxxx",
        "FIX #xxxx (*link existing issues this PR will resolve*)",
        "fixes\n\n#12",
        "fixes https://github.com/org/engine/commit/1a2b3c4d5e",
        "fixes https://nvbugs.example.org/bug/6563314",
        "`fixes #12`",
        "``a ` fixes #12``",
        "`spans\nlines fixes #12`",
        "```\nfixes #12\n```",
        "~~~ text\nfixes #12\n~~~",
        "- item\n  ```\n  fixes #12\n  ```",
        "```\nnever closed\nfixes #12",
        "````\n```\nfixes #12\n````",
        "> fixes #12",
        "> a quotation\nthat goes on, fixes #12",
        "<!-- fixes #12 -->",
        "<!-- a comment\nover lines\nfixes #12\n-->",
        "<!-- never closed\nfixes #12",
        "<pre>\nfixes #12\n</pre>",
        "<script>\nfixes #12\n</script>",
        "text\n\n    fixes #12",
        "<code>fixes #12</code>",
    ],
)
def test_what_closes_nothing(text: str) -> None:
    assert closed(text) == []


def test_text_after_a_fence_a_comment_and_a_script_counts_again() -> None:
    text = "```\nfixes #1\n```\n<!-- fixes #2\n-->fixes #3\n<script>fixes #4\n</script>\n\nfixes #5"
    assert closed(text) == [(None, 3), (None, 5)]


def test_mentions_know_what_an_address_says() -> None:
    text = "see #3, org/kernels#4, https://github.com/org/kernels/pull/5 and https://github.com/a/b/commit/1a2b3c4d"
    found = [(m.repo, m.number, m.sha, m.page) for m in mentioned(text)]
    assert found == [
        (None, 3, None, None),
        ("org/kernels", 4, None, None),
        ("org/kernels", 5, None, "pull"),
        ("a/b", None, "1a2b3c4d", "commit"),
    ]


WORD = st.sampled_from([*KEYWORDS, "see", "prefixes", "the"])
PIECE = st.sampled_from(
    ["`", "```", "\n", "\n\n", "<!--", "-->", "> ", "#", "|", "- ", "    ", "<details>", "</details>", " "]
)


@given(st.lists(st.one_of(PIECE, WORD, st.text(max_size=8), st.just("fixes #77 ")), max_size=40))
def test_any_text_is_read_and_only_numbers_of_the_text_close(parts: list[str]) -> None:
    text = "".join(parts)
    for one in closing(text):
        assert one.number == 77 or f"#{one.number}" in text or f"/{one.number}" in text or f"-{one.number}" in text
        assert one.words in text


@given(st.text(alphabet="ab`\n ", max_size=60), st.integers(1, 999_999_999))
def test_code_never_closes_and_plain_text_always_does(noise: str, number: int) -> None:
    plain = noise.replace("`", "").replace("\n", " ")
    fence = f"```\n{plain} fixes #{number}\n```"
    assert closed(fence) == []
    assert closed(f"{plain.strip()}\n\nfixes #{number}") == [(None, number)]


@given(st.text(alphabet="x`\n", max_size=80))
def test_blanking_code_keeps_every_place(text: str) -> None:
    blank = without_code(text)
    assert len(blank) == len(text)
    assert [i for i, c in enumerate(text) if c == "\n"] == [i for i, c in enumerate(blank) if c == "\n"]
    assert all(b in (t, " ") for t, b in zip(text, blank, strict=True))


@given(st.text(max_size=200))
def test_every_block_stands_in_the_text(text: str) -> None:
    whole = " ".join(text.replace("\r", "\n").split())
    for block in prose(text).blocks:
        for line in block.text.split("\n"):
            assert " ".join(line.split()) in whole


@pytest.mark.parametrize(
    "unit",
    ["`" * 7 + "a", "<!--", "-->", "fixes #", "fixes  ", "> ", "|a", "[](", "<details>", "a/b#", "https://github.com/",
     "a" * 50, "--a-b-c", "x_y", "\n", "``` \n", "0123456789abcdef", "Aa", "1.0 ms ", "since "],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_no_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    closing(text)
    mentioned(text)
    took = time.process_time() - began
    assert took < beside(2)
    assert prose(text).cut
    assert sum(len(b.text) for b in prose(text).blocks) <= MAX_TEXT

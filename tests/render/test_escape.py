"""Whatever upstream wrote, a page shows it as text and nothing of it takes effect."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from daybreak.report.render.escape import (
    JOINER,
    aside,
    bold,
    cell,
    clean,
    code,
    faithful,
    fence,
    heading,
    showable,
    statement,
    text,
    url,
)

HOSTILE = [
    "**bold** _em_ ~~gone~~ `code` ``two`` ***",
    "[link](http://evil.example) ![img](x) [ref][1] [^1] <http://evil.example>",
    "<script>alert(1)</script><img src=x onerror=y><!-- -->&lt;b&gt; &copy &amp;",
    "@torvalds fixes #123, closes GH-7 and owner/repo#9, mail a.b+c@example.com",
    "see https://evil.example/x?y=1 or www.evil.example, ftp://x.example, mailto:a@b.example //cdn.example",
    ":tada: :+1: $x^2$ $$y$$ \\(z\\) a_b_c __init__ _x_ snake_case",
    "| a | b | \\| c",
    "# heading", "- item", "+ item", "* item", "1. item", "12) item", "> quote", "--- ", "===", "```", "~~~", "    indented",
    "trailing backslash \\", "ends in #", "C#", "a ## ", "\\", "`", "![", "](", "](http://x)", "*", "_", "~",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 bell\x07 back\x08", "a\nb\r\nc\td\u2028e", "\u202eevil\u202c \u200b\ufeff\u2066x\u2069",
    "no changes", "No updates", "昨日无更新", "（没有闭合", '{"sha": "x", "files": []}', "patch_truncated: true",
    "\ud800 lone", "\x00nul", "- [x] task", "[ ] task", "Term\n: definition", "a  \nb", "&#35;12 &#x23; &num;", "|---|---|",
]  # fmt: skip

PIECES = st.sampled_from(
    [*HOSTILE, *"*_`~[]()<>#@:|\\&$!-+=\"'./ \t\n", "http://", "www.", "a", "Z9", "中文", "é", "😀", "x.com", "(#12)"]
)
STRINGS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map("".join))

ALLOWED = {"text", "inline", "paragraph_open", "paragraph_close", "softbreak"}


def parser() -> MarkdownIt:
    md = MarkdownIt("gfm-like", {"linkify": True, "html": True})
    md.linkify.set({"fuzzy_link": False})  # type: ignore[union-attr]  # GitHub links only addresses with a scheme or www
    return md


MD = parser()


def plain(quoted: str) -> str:
    """The auditor's reading of quoted text."""
    quoted = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", re.sub("[\u200b\u2060\ufeff]", "", html.unescape(quoted)))
    return quoted.strip()


def tokens(source: str) -> list[Token]:
    return [t for block in MD.parse(source) for t in (block, *(block.children or ()))]


def shown(source: str) -> str:
    """What a reader sees of one inline run."""
    out = "".join(t.content for t in tokens(source) if t.type in ("text", "code_inline"))
    return out.replace(JOINER, "")


def only_text(source: str, *more: str) -> None:
    kinds = {t.type for t in tokens(source)}
    assert kinds <= ALLOWED | set(more), (source, kinds - ALLOWED)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_alone_in_a_paragraph(value: str) -> None:
    only_text(text(value))


@settings(max_examples=120, deadline=None)
@given(STRINGS)
def test_text_is_only_text(value: str) -> None:
    only_text(text(value))
    only_text("- " + text(value), "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close")
    only_text("### " + text(value), "heading_open", "heading_close")
    only_text("### 🔴 " + heading(value, keep_number=True), "heading_open", "heading_close")
    only_text("[" + text(value) + "](#x)", "link_open", "link_close")


@settings(max_examples=120, deadline=None)
@given(STRINGS)
def test_nothing_github_looks_for_is_left(value: str) -> None:
    out = html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text(value)))
    assert not re.search(r"@\w", out)
    assert not re.search(r"#\d", out)
    assert not re.search(r"(?i)\bgh-\d|\bwww\.|(?:https?|ftp)://", out)
    assert not re.search(r":[a-z0-9_+-]+:", out)
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]", out)


@settings(max_examples=150, deadline=None)
@given(STRINGS, STRINGS)
def test_a_cell_never_ends_its_row(author: str, subject: str) -> None:
    source = f"| a | b | c |\n| --- | --- | --- |\n| 1 | {cell(author)} | {cell(subject)} |\n"
    found = [t for t in MD.parse(source) if t.type == "td_open"]
    assert len(found) == 3
    assert {
        t.type for t in tokens(source) if t.type.endswith(("link_open", "html_inline", "image", "em_open"))
    } == set()


@settings(max_examples=120, deadline=None)
@given(STRINGS)
@example("[Perf] fuse q, k norm for `Flux2Attention` (#17241)")
@example("Fix a_b_c, __init__ & <T> | $HOME (11->12) &copy; &copy C:\\temp\\* (#1) (#22)")
def test_an_ordinary_subject_can_be_read_back(value: str) -> None:
    value = value.strip()
    if faithful(value) and not re.search("[\u200b\u2060\ufeff]", value):
        assert plain(text(value)) == value
        assert plain(heading(value, keep_number=True)) == value
        assert plain(cell(value)) == value


@settings(max_examples=120, deadline=None)
@given(STRINGS)
def test_code_shows_its_content(value: str) -> None:
    for out in (code(value), aside(value)):
        only_text(f"x {out} y", "code_inline", "html_inline")
        tags = [t.content for t in tokens(f"x {out} y") if t.type == "html_inline"]
        assert tags in ([], ["<code>", "</code>"])
        assert out.count("`") in (0, 2)
    if faithful(value) and value.strip() and JOINER not in value:
        assert shown(code(value)).strip() == value.strip()


@settings(max_examples=120, deadline=None)
@given(STRINGS)
def test_a_statement_is_text_and_code(value: str) -> None:
    only_text(statement(value), "code_inline", "html_inline")
    assert {t.content for t in tokens(statement(value)) if t.type == "html_inline"} <= {"<code>", "</code>"}


def test_a_statement_keeps_its_code() -> None:
    assert statement("`--flag` now takes `a|b`, *not* `c`") == (
        "`--flag` now takes <code>a&#124;b</code>, \\*not\\* `c`"
    )
    assert statement("a stray ` stays") == "a stray &#96; stays"


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(["```", "````", " ```", "+ ~~~", "- x", " y", "`", "+````````"]), max_size=6))
def test_a_fence_is_longer_than_any_inside(lines: list[str]) -> None:
    body = "\n".join(lines)
    found = MD.parse(fence(body, "diff"))
    assert [t.type for t in found] == ["fence"]
    assert found[0].content == (body + "\n" if body else "\n") or found[0].content.rstrip("\n") == body.rstrip("\n")


@settings(max_examples=120, deadline=None)
@given(STRINGS)
def test_bold_holds(value: str) -> None:
    if text(value):
        kinds = [t.type for t in tokens(f"- {bold(text(value))} · x") if t.type in ("strong_open", "html_inline")]
        assert kinds in (["strong_open"], ["html_inline", "html_inline"])


def test_a_final_number_stays_only_where_it_is_asked_for() -> None:
    assert text("Fix (#12) (#34)", keep_number=True) == f"Fix (#{JOINER}12) (#34)"
    assert text("Fix (#34)") == f"Fix (#{JOINER}34)"


def test_a_heading_names_no_other_repository() -> None:
    assert "vllm-project/vllm" not in heading("Take vllm-project/vllm#12")


def test_words_of_ours_are_not_put_into_our_mouth() -> None:
    for quoted in ("no changes", "No updates", "昨日无更新", "no commits"):
        for out in (text(quoted), code(quoted), statement(f"x `{quoted}`")):
            assert not re.search(r"无更新|\b[Nn]o (?:updates?|commits|changes)\b", out)
            assert shown(out).endswith(quoted)


def test_a_hunk_with_terminal_codes_is_not_shown() -> None:
    assert showable("@@ -1 +1 @@\n-\ta\n+b\r\n c")
    assert not showable("+\x1b[31mred")
    assert not showable("+if x: \u202e# comment")
    assert not showable("+a\rb")


def test_a_link_target_cannot_end_early() -> None:
    assert url("https://x.example/a(b) c") == "https://x.example/a%28b%29%20c"


def test_long_text_is_cut_and_not_called_faithful() -> None:
    assert not faithful("x" * 501)
    assert text("x" * 5000).endswith("…")


def test_joiners_stay_between_emoji_and_hide_in_no_name() -> None:
    family, hindi = "\U0001f469\u200d\U0001f467", "\u0915\u094d\u200d\u0937"
    assert clean(f"{family} {hindi}") == f"{family} {hindi}"
    assert clean("zero\u200c\u200dwidth\u200d") == "zerowidth"
    assert clean("a\ufffeb\ufdd0c\U0001ffff") == "a\ufffdb\ufffdc\ufffd"


def test_an_address_in_a_reason_can_be_copied_and_is_no_link_by_itself() -> None:
    from daybreak.report.render.escape import reason

    said = reason("https://git.acme.example/a_b.git cannot be reached: no network, see http://x.example/y.")
    assert said == "`https://git.acme.example/a_b.git` cannot be reached: no network, see `http://x.example/y`."
    assert reason("ssh://git@host/a") == "`ssh://git@host/a`"
    assert reason("连不上 https://x.example/a/b.git：没有网络。") == "连不上 `https://x.example/a/b.git`：没有网络。"
    assert reason("1. *odd* @name") == text("1. *odd* @name")
    assert "\u2060" in reason("mail @name")
    assert reason("") == ""


def test_a_bar_in_code_is_written_as_an_element_in_tables_alone() -> None:
    assert code("int | None", in_table=False) == "`int | None`"
    assert "|" not in code("int | None")
    assert code("a`|`b", in_table=False).startswith("<code>")

"""Hunks in colour: nothing of the text is lost, both sides are told apart, and time grows with the text alone."""

from __future__ import annotations

import html
import re
from time import process_time

import pytest

from daybreak.site.pages.hunks import LONGEST, folded_hunk_html, hunk_html
from pages.building import parsed
from timing import beside

HUNK = '''@@ -1,6 +1,6 @@ def old():
 # a comment "not a string"
-def size(a: int = 8192) -> str:
-    return "a" + 'b'  # was
+def size(a: int = 2048) -> str:
+    return """many
+lines"""
 @decorated
 class Kept: pass
\\ No newline at end of file'''


def plain(shown: str) -> str:
    text = re.sub(r"</?pre[^>]*>|<i class=\"[a-z]\">|</i>|<(?:s|ins|del)>", "", shown)
    return html.unescape(re.sub(r"</(?:s|ins|del)>", "\n", text)).rstrip("\n")


@pytest.mark.parametrize("name", ["a.py", "a.cu", "a.yaml", "Dockerfile", "CMakeLists.txt", "a.unknown", "BUILD", ""])
def test_a_hunk_keeps_every_character_in_every_language(name: str) -> None:
    shown = hunk_html(name, HUNK)
    assert shown is not None
    assert plain(shown) == HUNK


def test_keywords_strings_numbers_comments_and_names_are_told_apart() -> None:
    shown = str(hunk_html("a.py", HUNK))
    for piece in ('<i class="k">def</i>', '<i class="f">size</i>', '<i class="n">8192</i>', '<i class="c"># was</i>',
                  '<i class="f">@decorated</i>', '<i class="f">Kept</i>'):  # fmt: skip
        assert piece in shown
    assert "<ins>+lines" not in shown
    assert '\n+<i class="s">lines&#34;&#34;&#34;</i></ins>' in shown


def test_neighbouring_lines_are_one_block() -> None:
    shown = str(hunk_html("a.txt", "@@ -1,4 +1,4 @@\n-a\n-b\n+c\n+d\n e\n+f"))
    assert shown == '<pre tabindex="0"><s>@@ -1,4 +1,4 @@</s><del>-a\n-b</del><ins>+c\n+d</ins> e\n<ins>+f</ins></pre>'


@pytest.mark.parametrize("name", ["a.py", "a.cu", "a.yaml", "a.unknown"])
@pytest.mark.parametrize("sign", ["", "é", "说", "\U0001f680"])
def test_a_folded_hunk_holds_the_same_text_and_the_same_colours(name: str, sign: str) -> None:
    text = HUNK.replace("many", f'many {sign} "x"').replace("# was", f"# was {sign} <&>")
    shown, folded = str(hunk_html(name, text)), str(folded_hunk_html(name, text))
    assert plain(folded) == plain(shown) == text
    attribute = re.search(r'data-m="([^"]*)"', folded)
    assert attribute is not None
    inner = re.sub(r"</?(?:pre|s|ins|del)[^>]*>", "", folded)
    units, at, found = html.unescape(inner).encode("utf-16-le"), 0, []
    for gap, mark, length in re.findall(r"([0-9]+)([a-z])([0-9]+)", attribute[1]):
        start, at = at + int(gap), at + int(gap) + int(length)
        found.append((mark, units[2 * start : 2 * at].decode("utf-16-le")))
    assert found == [(mark, html.unescape(value)) for mark, value in re.findall(r'<i class="(.)">(.*?)</i>', shown)]


def test_what_cannot_be_shown_safely_is_not_shown() -> None:
    assert hunk_html("a.py", "@@ -1 +1 @@\n+a\u202eb") is None
    assert hunk_html("a.py", "@@ -1 +1 @@\n+a\x1b[31m") is None


def test_line_endings_of_other_systems_are_no_characters() -> None:
    assert plain(str(hunk_html("a.py", "@@ -1 +1 @@\r\n-a\r\n+b\r\n"))) == "@@ -1 +1 @@\n-a\n+b"


@pytest.mark.parametrize("piece", ["/*", '"""', "'''", '"', "\\", "#", "0.", "@", '" \\', " ", "a" * 50 + " "])
def test_text_that_was_made_to_hold_us_up_does_not(piece: str) -> None:
    for ending in ("py", "cu", "yaml"):
        text = "@@ -1 +1 @@\n+" + piece * (LONGEST // len(piece) - 20)
        start = process_time()
        assert hunk_html(f"x.{ending}", text) is not None
        assert process_time() - start < beside(1.0)


def test_a_hunk_that_is_too_long_for_colours_is_whole() -> None:
    text = "@@ -1 +1 @@\n+" + "def f(): pass\n+" * (LONGEST // 10)
    shown = str(hunk_html("x.py", text))
    assert parsed(shown).tags["i"] == 0
    assert shown.count("def f()") == LONGEST // 10

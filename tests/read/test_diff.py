"""The patch parser: exact on what git prints, silent on what it does not."""

from hypothesis import given
from hypothesis import strategies as st

from daybreak.findings.diff import hunks, side

PATCH = """@@ -1,3 +1,4 @@ class Engine:
 a
-b
+B
+++ c
 d
@@ -10 +11,0 @@
-only
\\ No newline at end of file"""


def test_numbers_and_signs() -> None:
    first, second = hunks(PATCH)
    assert first.context == "class Engine:"
    assert [(x.sign, x.text, x.old, x.new) for x in first.lines] == [
        (" ", "a", 1, 1),
        ("-", "b", 2, 0),
        ("+", "B", 0, 2),
        ("+", "++ c", 0, 3),
        (" ", "d", 3, 4),
    ]
    assert [(x.sign, x.old) for x in second.lines] == [("-", 10)]


def test_text_is_verbatim() -> None:
    assert "\n".join(h.text for h in hunks(PATCH)) == PATCH


def test_a_lying_header_gives_what_is_there() -> None:
    (hunk,) = hunks("@@ -1,99 +1,99 @@\n-a\n+b")
    assert len(hunk.lines) == 2


def test_sides() -> None:
    first = hunks(PATCH)[0]
    assert [x.text for x in side(first, "-")] == ["a", "b", "d"]
    assert [(x.text, x.changed) for x in side(first, "+")] == [("a", False), ("B", True), ("++ c", True), ("d", False)]


_LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(st.sampled_from("+- "), _LINE), min_size=1, max_size=30))
def test_counts_equal_what_was_put_in(lines: list[tuple[str, str]]) -> None:
    old = sum(s != "+" for s, _ in lines)
    new = sum(s != "-" for s, _ in lines)
    patch = "\n".join([f"@@ -5,{old} +7,{new} @@", *(s + t for s, t in lines)])
    (hunk,) = hunks(patch)
    assert [(x.sign, x.text) for x in hunk.lines] == lines
    assert hunk.text == patch


@given(st.text())
def test_never_raises(text: str) -> None:
    assert sum(len(h.raw) for h in hunks(text)) <= text.count("\n") + 1

"""Lines of a file taken back to the base that both sides share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.upgrade.fork.fork_lines import (
    Doubt,
    Edit,
    Versions,
    any_touch,
    applied,
    context_name,
    edits,
    our_span,
    python_names,
    regions,
    split_lines,
    touch,
)

BASE = [f"{n}\n" for n in range(1, 11)]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ("@@ -5 +5 @@ def f(x):\n-5\n+five", [Edit(4, 5, ("five\n",), "def f(x):")]),
        ("@@ -5,0 +6,2 @@\n+a\n+b", [Edit(5, 5, ("a\n", "b\n"))]),
        ("@@ -0,0 +1 @@\n+a\n\\ No newline at end of file", [Edit(0, 0, ("a",))]),
        ("@@ -2,5 +2,5 @@\n 2\n-3\n 4\n+new\n 5\n 6", [Edit(2, 3, ()), Edit(4, 4, ("new\n",))]),
        ("@@ -10 +10 @@\n-10\n\\ No newline at end of file\n+10", [Edit(9, 10, ("10\n",))]),
        ("@@ -1,2 +1,2 @@\n-a\n---- b\n+++ c\n+d", [Edit(0, 2, ("++ c\n", "d\n"))]),
        ("no patch at all\n", []),
        ("@@ -x +y @@\n", []),
    ],
)
def test_edits_of_a_patch(patch: str, expected: list[Edit]) -> None:
    assert edits(patch) == expected


@given(st.text(max_size=300))
def test_any_text_is_read_without_fault(text: str) -> None:
    some = edits(text)
    assert "".join(split_lines(text)) == text
    try:
        Versions(split_lines(text)).apply(some)
    except Doubt:
        assert any(edit.end > len(split_lines(text)) for edit in some)


@st.composite
def rewrites(draw: st.DrawFn) -> list[Edit]:
    """Edits of ten lines, in order, at least one line apart."""
    found, at = [], 0
    while at <= 10 and draw(st.booleans()):
        start = draw(st.integers(at, 10))
        end = draw(st.integers(start, 10))
        new = tuple(f"{start}/{n}\n" for n in range(draw(st.integers(0, 3))))
        if end > start or new:
            found.append(Edit(start, end, new))
        at = end + 1
    return found


@given(rewrites(), st.integers(1, 9))
def test_an_untouched_line_stands_for_itself(some: list[Edit], number: int) -> None:
    file = Versions(BASE)
    file.apply(some)
    assert tuple(line.text for line in file.lines) == applied(BASE, some, 0, 10)
    for line in file.lines:
        if line.text in BASE:
            assert (line.low, line.high) == (int(line.text) - 1, int(line.text))
    outside = [edit for edit in some if not touch(edit.place, (number, number + 1))]
    if outside == some:
        assert file.state((number, number + 1)) == (BASE[number],)


@given(rewrites(), rewrites())
def test_places_of_upstream_touch_ours_as_git_has_it(ours: list[Edit], theirs: list[Edit]) -> None:
    _, spans = Versions(BASE).apply(theirs)
    expected = any(touch(one.place, two.place) for one in ours for two in theirs)
    assert any_touch(spans, [our_span(edit.place) for edit in ours]) == expected
    if regions(BASE, ours, theirs):
        assert expected


def test_identical_edits_are_no_region_and_others_name_our_edits() -> None:
    same, other = Edit(4, 5, ("x\n",)), Edit(4, 6, ("y\n",))
    assert regions(BASE, [same], [same]) == []
    assert regions(BASE, [same], [Edit(6, 7, ("y\n",))]) == []
    (region,) = regions(BASE, [same, Edit(8, 9, ())], [other])
    assert (region.place, region.ours, region.wanted) == ((4, 6), ((4, 5),), ("x\n", "6\n"))


def test_a_file_put_back_stands_for_the_same_lines_as_before() -> None:
    file = Versions(BASE, "one")
    file.apply([Edit(2, 8, ("x\n",))], "two")
    file.apply([Edit(2, 3, tuple(BASE[2:8]))], "one")
    places, _ = file.apply([Edit(4, 5, ("five\n",))], "three")
    assert places == [(4, 5)]


@pytest.mark.parametrize(
    ("line", "names"),
    [(0, {"A"}), (2, {"A.f"}), (4, {"A.f"}), (6, {"A.g.inner"}), (8, {"A.g"}), (10, {"top"}), (11, set()), (40, set())],
)
def test_the_function_around_a_line(line: int, names: set[str]) -> None:
    code = [
        "class A:", "    def f(", "        self,", "    ):", "        return 1", "    def g(self):",
        "        def inner(): return 2", "", "        return inner", "async def top():", "    return 3", "x = 4",
    ]  # fmt: skip
    assert python_names(code, line, line + 1) == names


@pytest.mark.parametrize(
    ("context", "name"),
    [
        ("void launch(int x) {", "launch"),
        ("class Tile : public Base {", "Tile"),
        ("def forward(self):", "forward"),
        ("if (x) {", ""),
        ("", ""),
    ],
)
def test_the_name_behind_a_hunk(context: str, name: str) -> None:
    assert context_name(context) == name

"""Charts: well-formed XML with the right figures, readable without colour and without eyes, whatever the labels are."""

from __future__ import annotations

import re
from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from daybreak.site.charts import (
    BOTTOM,
    HEIGHT,
    TOP,
    BarChart,
    HeatMap,
    LineChart,
    Series,
    bar_chart,
    data_table,
    figured,
    frame,
    heat_levels,
    heat_map,
    level_of,
    line_chart,
    swatch,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = tuple(f"M{at}" for at in range(1, 13))
HOSTILE = (
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "</text></svg><img src=x onerror=alert(1)>",
    "]]><!--",
    "&lt;b&gt; & 'q'",
    "\x00\x1b[31m\ud800\ufffe\u202eabc",
    "javascript:alert(1)",
    "x" * 5000,
)


def bars(labels: tuple[str, ...] = ("03-02", "03-09"), *rows: tuple[int, ...]) -> BarChart:
    rows = rows or ((8, 2), (16, 0), (10, 5))
    return BarChart("c", "Commits", labels, tuple(Series(f"s{at}", row, "high") for at, row in enumerate(rows)))


def heat(values: dict[date, int], **more: object) -> HeatMap:
    first, last = (min(values), max(values)) if values else (date(2026, 3, 2), date(2026, 3, 8))
    given = {"first": first, "last": last, "weekdays": DAYS, "months": MONTHS, **more}
    return HeatMap("h", "Activity", "figures", values=values, **given)  # type: ignore[arg-type]


def tree(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)


def shown(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def test_bars_are_a_picture_with_title_and_every_figure_in_words() -> None:
    root = tree(bar_chart(bars()))
    assert (root.tag, root.get("role"), root.get("viewBox")) == (f"{SVG}svg", "img", "0 0 400 190")
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == (title.get("id"), description.get("id"))
    assert title.text == "Commits"
    assert description.text == "03-02: s0 8, s1 16, s2 10; 03-09: s0 2, s1 0, s2 5"


def test_bars_are_as_high_as_their_figures_and_stand_on_each_other() -> None:
    root = tree(bar_chart(bars()))
    found = [one for one in root.iter(f"{SVG}rect") if "cb" in (one.get("class") or "").split()]
    assert len(found) == 5  # a figure of 0 has no bar
    room = HEIGHT - TOP - BOTTOM
    heights = [float(one.get("height") or 0) for one in found]
    assert heights == pytest.approx([room * n / 40 for n in (8, 16, 10, 2, 5)], abs=0.02)
    first, second = found[0], found[1]
    assert float(second.get("y") or 0) + float(second.get("height") or 0) == pytest.approx(
        float(first.get("y") or 0), abs=0.02
    )
    assert {"34", "7", "0", "40"} <= set(shown(root))


def test_series_differ_by_pattern_and_not_by_colour_alone() -> None:
    root = tree(bar_chart(bars(("a",), (1,), (2,), (3,), (4,))))
    found = [one for one in root.iter(f"{SVG}rect") if "cb" in (one.get("class") or "").split()]
    assert [one.get("fill") for one in found] == [None, "url(#c-b)", "url(#c-c)", None]
    assert "ch" in (found[3].get("class") or "").split()
    assert [one.get("id") for one in root.iter(f"{SVG}pattern")] == ["c-b", "c-c"]


def test_no_chart_has_a_style_or_a_colour_of_its_own() -> None:
    drawn = [
        bar_chart(bars()),
        line_chart(LineChart("l", "t", ("a", "b"), (Series("x", (1, 2)), Series("y", (3, 4))))),
        heat_map(heat({date(2026, 3, 2): 3})),
        swatch("c", 1, "low"),
    ]
    for one in drawn:
        assert not re.search(r"style=|<style|#[0-9a-fA-F]{3,6}\"|rgb\(|\bon\w+=|href", one)


def test_weeks_that_are_not_whole_are_marked() -> None:
    chart = BarChart("c", "t", ("a", "b", "c"), (Series("s", (1, 2, 3)),), partial=(True, False, True))
    root = tree(bar_chart(chart))
    assert len([one for one in root.iter(f"{SVG}circle") if one.get("class") == "cp"]) == 2


def test_a_chart_without_figures_is_still_a_chart() -> None:
    for drawn in (
        bar_chart(BarChart("c", "t", (), ())),
        bar_chart(bars(("a",), (0,))),
        line_chart(LineChart("l", "t", (), (Series("s", ()),))),
        heat_map(heat({})),
        heat_map(heat({date(2026, 3, 2): 0})),
    ):
        assert tree(drawn).get("role") == "img"


@pytest.mark.parametrize(
    ("highest", "expected"),
    [(0, [0, 1]), (1, [0, 1]), (4, [0, 1, 2, 3, 4]), (34, [0, 10, 20, 30, 40]), (7, [0, 2, 4, 6, 8])],
)
def test_the_axis_has_round_figures_up_to_the_highest(highest: int, expected: list[int]) -> None:
    assert ticks(highest) == expected


def test_figures_on_bars_leave_room_for_each_other() -> None:
    assert figured([3, 0, 12]) == {0, 2}
    many = [120] * 25 + [130]
    assert figured(many) == {25}
    assert figured([999, *many[1:]]) == {0, 25}
    assert figured([]) == set()


def test_labels_under_the_axis_are_thinned_and_the_newest_stays() -> None:
    labels = tuple(f"w{at:02}" for at in range(26))
    root = tree(bar_chart(bars(labels, tuple(range(26)))))
    under = [one for one in shown(root) if one.startswith("w")]
    assert "w25" in under
    assert 5 <= len(under) <= 9


def test_lines_have_marks_of_their_own_and_end_with_their_figure() -> None:
    rows = (Series("opened", (5, 9), "opened"), Series("closed", (2, 7), "closed"))
    root = tree(line_chart(LineChart("l", "Issues", ("a", "b"), rows)))
    marks = [one.get("d") for one in root.iter(f"{SVG}path") if (one.get("class") or "").startswith("cm")]
    assert len(marks) == 2
    assert "a3 3" in (marks[0] or "")
    assert "h6v6" in (marks[1] or "")
    assert {"9", "7"} <= set(shown(root))
    description = root.find(f"{SVG}desc")
    assert description is not None
    assert description.text == "a: opened 5, closed 2; b: opened 9, closed 7"


def test_a_day_of_the_heat_map_stands_in_its_week_and_weekday() -> None:
    monday = date(2026, 3, 2)
    root = tree(heat_map(heat({monday: 1, monday + timedelta(days=4): 4, monday + timedelta(days=7): 0})))
    shapes: dict[str | None, str] = {}
    for one in root.iter(f"{SVG}path"):  # the legend comes after the days
        shapes.setdefault(one.get("class"), one.get("d") or "")
    assert shapes["ce activity l1"] == "M34 22h6v6h-6z"  # centre of the first cell is 37, 25
    assert shapes["ce activity l4"] == "M30.75 74.75h12.5v12.5h-12.5z"  # fifth row
    assert shapes["ce activity l0"].startswith("M49 23h4v4")  # second column, first row


def test_days_that_are_not_whole_have_a_ring_and_others_have_not() -> None:
    day = date(2026, 3, 2)
    assert "cr" in heat_map(heat({day: 1}, partial=frozenset({day})))
    assert 'class="cr"' not in heat_map(heat({day: 1}))


@pytest.mark.parametrize(
    ("highest", "levels"),
    [
        (0, ()),
        (1, ((1, 1),)),
        (2, ((1, 1), (2, 2))),
        (11, ((1, 3), (4, 6), (7, 9), (10, 11))),
        (123, ((1, 31), (32, 62), (63, 93), (94, 123))),
    ],
)
def test_levels_cover_every_figure_once(highest: int, levels: tuple[tuple[int, int], ...]) -> None:
    assert heat_levels(highest) == levels
    covered = [one for low, high in levels for one in range(low, high + 1)]
    assert covered == list(range(1, highest + 1))


def test_the_highest_figure_has_the_highest_level_and_none_has_none() -> None:
    for highest in range(1, 200):
        assert level_of(highest, highest) == 4
        assert level_of(0, highest) == 0
        found = [level_of(value, highest) for value in range(1, highest + 1)]
        assert found == sorted(found)
        assert set(found) <= {1, 2, 3, 4}


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_text_in_every_chart(label: str) -> None:
    series = (Series(label, (1,)), Series(label, (2,)))
    drawn = [
        bar_chart(BarChart("c", label, (label,), series)),
        line_chart(LineChart("l", label, (label,), series)),
        heat_map(
            HeatMap(
                "h",
                label,
                label,
                date(2026, 3, 2),
                date(2026, 3, 2),
                {date(2026, 3, 2): 1},
                (label,) * 7,
                (label,) * 12,
            )
        ),
        data_table(label, label, [label], series),
    ]
    known = {"svg", "title", "desc", "text", "rect", "path", "defs", "pattern", "circle"}
    for at, one in enumerate(drawn):
        tags = {element.tag.removeprefix(SVG) for element in tree(one).iter()}
        assert tags <= (known if at < 3 else {"table", "caption", "thead", "tbody", "tr", "th", "td"})
        assert not re.search(r"<script|<img|\son\w+=(?!\")", re.sub(r">[^<]*<", "><", one))


def test_an_id_is_a_name() -> None:
    with pytest.raises(ValueError, match="no id"):
        frame('x" onload="y', (1, 1), "t", "d", [])


def test_the_table_says_the_same_as_the_picture() -> None:
    root = tree(data_table("Commits", "Week", ["w1", "w2"], (Series("high", (1, 2)), Series("low", (3, 4)))))
    rows = [[cell.text for cell in row] for row in root.iter("tr")]
    assert rows == [["Week", "high", "low"], ["w1", "1", "3"], ["w2", "2", "4"]]
    assert [one.get("scope") for one in root.iter("th")] == ["col", "col", "col", "row", "row"]


def test_the_same_values_give_the_same_bytes() -> None:
    values = {date(2026, 1, 1) + timedelta(days=at): at % 9 for at in range(120)}
    assert heat_map(heat(values)) == heat_map(heat(dict(reversed(values.items()))))

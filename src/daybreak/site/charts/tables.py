"""The figures of a chart as an HTML table: the same for those who read it aloud, copy it, or see no picture."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.site.charts.svg import Series, element, text


def data_table(caption: str, corner: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """One row for each label, one column for each series; `corner` says what the labels are."""
    head = element("th", text(corner), scope="col")
    head += "".join(element("th", text(one.name), scope="col", class_="num") for one in series)
    rows = (
        element("th", text(one), scope="row")
        + "".join(element("td", str(row.values[at]), class_="num") for row in series)
        for at, one in enumerate(labels)
    )
    body = "".join(element("tr", row) for row in rows)
    return element(
        "table",
        element("caption", text(caption)) + element("thead", element("tr", head)) + element("tbody", body),
        class_="figures",
    )

"""SVG text: elements with escaped values, the frame that every chart has, and the patterns that tell series apart.

No chart has an inline style or a colour: a class says what a shape is, so that light, dark and print are the style
sheet's. Nothing is told by colour alone: series differ in pattern or shape, and figures stand as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from msgspec import Struct

STYLES = ("a", "b", "c", "d")
"""How series are told apart: full, striped, dotted, hollow; in lines by their marks."""
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class Series(Struct, frozen=True):
    """A row of figures, one for each label of its chart."""

    name: str
    values: tuple[int, ...]
    tone: str = ""
    """Class that gives it a colour, such as `high`; its pattern follows from its place."""


def text(value: str) -> str:
    """Any text as the content of an element or the value of an attribute; what XML cannot hold is shown as missing."""
    return escape(_UNFIT.sub("\ufffd", value), quote=True)


def number(value: float) -> str:
    """A coordinate: at most two digits after the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def element(tag: str, content: str | None = None, **attributes: float | str | None) -> str:
    """`content` is markup already; a final `_` of a name is dropped and `_` stands for `-`."""
    shown = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{shown}/>" if content is None else f"<{tag}{shown}>{content}</{tag}>"


def label(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> str:
    """Text in the picture; a screen reader gets the description instead."""
    return element("text", text(content), x=x, y=y, class_=f"ct {kind}".rstrip(), text_anchor=anchor)


def frame(name: str, size: tuple[float, float], title: str, description: str, body: Iterable[str]) -> str:
    """A picture that scales with its place and says in words what it shows."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no id")
    width, height = size
    head = element("title", text(title), id=f"{name}-t") + element("desc", text(description), id=f"{name}-d")
    return element(
        "svg",
        head + "".join(body),
        class_="chart",
        role="img",
        aria_labelledby=f"{name}-t",
        aria_describedby=f"{name}-d",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        xmlns="http://www.w3.org/2000/svg",
    )


def described(labels: Sequence[str], series: Sequence[Series], *, colon: str = ": ", comma: str = ", ") -> str:
    """All figures in words, for those who do not see the picture."""
    rows = (
        f"{one}{colon}{comma.join(f'{row.name} {row.values[at]}' for row in series)}" for at, one in enumerate(labels)
    )
    return "; ".join(rows)


def patterns(name: str, series: Sequence[Series]) -> str:
    """Fills of the second and later series: stripes, dots; the fourth and later are hollow and need none."""
    made = []
    for at, one in enumerate(series[1:3], 1):
        ground = element("rect", width=6, height=6, class_=f"cg {one.tone}".rstrip())
        ink = "M0 6L6 0M-1 1L1 -1M5 7L7 5" if at == 1 else "M3 1.8a1.2 1.2 0 1 0 .01 0z"
        mark = element("path", d=ink, class_=("cs " if at == 1 else "cd ") + one.tone)
        size = {"width": 6, "height": 6}
        made.append(element("pattern", ground + mark, id=f"{name}-{STYLES[at]}", patternUnits="userSpaceOnUse", **size))
    return element("defs", "".join(made)) if made else ""


def fill(name: str, at: int) -> str | None:
    """The fill of a series as an attribute: a pattern by its id; the first is full by its class."""
    return f"url(#{name}-{STYLES[at]})" if at in (1, 2) else None


def ticks(highest: int, most: int = 4) -> list[int]:
    """Round numbers from 0 up to at least `highest`."""
    if highest <= 0:
        return [0, 1]
    step = 1
    for step in (unit * 10**power for power in range(18) for unit in (1, 2, 5)):
        if step * most >= highest:
            break
    return list(range(0, -(-highest // step) * step + 1, step))


def swatch(name: str, at: int, tone: str, line: bool = False) -> str:
    """A sample of a series of the chart `name` for its legend; the legend says in words what it is."""
    if line:
        body = element("path", d="M0 6H20", class_=f"cw cw{at} {tone}") + element(
            "path", d=mark(at, 10, 6), class_=f"cm {tone}"
        )
    else:
        kind = f"cb {tone}" + (" ch" if at > 2 else "")
        body = element("rect", x=3, y=0.5, width=14, height=11, class_=kind, fill=fill(name, at))
    return element("svg", body, class_="swatch", aria_hidden="true", viewBox="0 0 20 12", width=20, height=12)


def mark(at: int, x: float, y: float) -> str:
    """A point of a line: circle, square, triangle, diamond."""
    if at % 4 == 0:
        return f"M{number(x - 3)} {number(y)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z"
    if at % 4 == 1:
        return f"M{number(x - 3)} {number(y - 3)}h6v6h-6z"
    if at % 4 == 2:
        return f"M{number(x)} {number(y - 4)}l4 7h-8z"
    return f"M{number(x)} {number(y - 4)}l4 4l-4 4l-4 -4z"


# --- The figures of a chart as an HTML table: the same for those who read it aloud, copy it, or see no picture ---


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

"""Numbers that stand in a Markdown table: the cell with its column's head and what it was measured with, never a raw row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from daybreak.core.words.inline import MAX_CODE, code

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?\s{0,40}:?-+:?\s{0,40}(?:\|\s{0,40}:?-+:?\s{0,40})*\|?")
_CELL = re.compile(r"</?t[dhr]\b", re.IGNORECASE)
_MARKS = "*_`~ "
_MOST = 4
"""Cells left of the number that tell what it was measured with; beyond them only the first is shown."""

Stands = Callable[[str, str], bool]


class Row(Struct, frozen=True):
    """One row of a table: its cells, and the heads of their columns."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]


def is_row(line: str) -> bool:
    """A line that is, or may be, a row of a table: it begins with a bar, or has two of them."""
    return line.lstrip().startswith("|") or len(_BAR.findall(line)) > 1


def has_row(text: str) -> bool:
    """Some of a table is in it, in Markdown or in HTML: not to be shown as it stands."""
    return is_row(text) or _CELL.search(text) is not None


def rows(lines: Sequence[str]) -> Iterator[Row]:
    """Rows below the rule of a table; lines without a rule among them are no table that heads could be read from."""
    heads: tuple[str, ...] = ()
    before = ""
    for line in lines:
        if "-" in line and _RULE.fullmatch(line.strip()):
            heads = _cells(before)
        elif heads:
            yield Row(heads, _cells(line))
        before = line


def shown(row: Row, numbers: Sequence[str], stands: Stands) -> str:
    """The numbers' cells after those that tell their condition, each with its head; empty where it cannot be said."""
    if len(row.heads) != len(row.cells):
        return ""
    at = [i for i, cell in enumerate(row.cells) if any(stands(n, cell) for n in numbers)]
    if not at or not all(row.heads[i] for i in at):
        return ""
    if not all(any(stands(n, f"{row.heads[i]} {row.cells[i]}") for i in at) for n in numbers):
        return ""
    left = [i for i in range(at[0]) if row.cells[i]]
    told = [*(left if len(left) <= _MOST else left[:1]), *at]
    if any(len(text) > MAX_CODE for i in told for text in (row.heads[i], row.cells[i])):
        return ""
    return ", ".join(
        f"{code(row.heads[i])} = {code(row.cells[i])}" if row.heads[i] else code(row.cells[i]) for i in told
    )


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(" ".join(cell.split()).strip(_MARKS) for cell in _BAR.split(inner))

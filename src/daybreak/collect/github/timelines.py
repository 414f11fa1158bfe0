"""Timelines with more turns than came with their items: the rest of them, page by page, kept like everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from daybreak.collect.github.faults import Unavailable
from daybreak.collect.github.fetch_items import Want
from daybreak.collect.github.queries import TURNS_OF_ISSUE, TURNS_OF_PULL
from daybreak.collect.github.requests import Gathered
from daybreak.collect.github.shapes import Page, Whole, WithTurns

MOST_PAGES = 20
"""Beyond the first one."""

Place = Callable[[Gathered, Whole], None]
"""Puts an item in the place of the one before."""


def note(gathered: Gathered, whole: Whole) -> None:
    """Remember an item of whose timeline there is more."""
    if whole.turns is not None and whole.turns.page_info.has_next_page:
        gathered.unfinished[whole.number] = whole


def finish(all_gathered: Sequence[Gathered], satisfy: Callable[[list[Want]], None], place: Place) -> None:
    """Read them to their ends; a page that does not come is skipped by the number of its item."""
    for _ in range(MOST_PAGES):
        wants = [_next(gathered, whole, place) for gathered in all_gathered for whole in gathered.unfinished.values()]
        if not wants:
            return
        for gathered in all_gathered:
            gathered.unfinished = {}
        satisfy(wants)
    for gathered in all_gathered:
        for number in gathered.unfinished:
            gathered.skip("timelines", Unavailable("names too many events"), f" #{number}")


def _next(gathered: Gathered, whole: Whole, place: Place) -> Want:
    assert whole.turns is not None
    before, after = whole.turns, whole.turns.page_info.end_cursor

    def take(body: bytes) -> None:
        found = msgspec.json.decode(body, type=WithTurns | None)
        if found is not None:
            joined = Page([*before.rows, *found.turns.rows], found.turns.page_info)
            place(gathered, msgspec.structs.replace(whole, turns=joined))

    text = TURNS_OF_ISSUE if whole.typename == "Issue" else TURNS_OF_PULL
    values = {"number": whole.number, "after": after}
    return Want(gathered, "timelines", "turns", f"{whole.number}/{after}", text, values, take)

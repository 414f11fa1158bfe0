"""Rows of an answer: what is left off is counted, and whoever follows the cursor sees every row."""

from __future__ import annotations

from both_languages import both
from daybreak.core.model.day import Link, Place, Statement
from daybreak.serve.mcp.context import sentence_row
from daybreak.serve.mcp.days import ROOM, Room, link_row, start_of


def read_whole(lists: list[list[str]], limit: int, room: int = ROOM) -> list[list[str]]:
    """All that a client is given who goes on until nothing is left off."""
    given: list[list[str]] = [[] for _ in lists]
    start: int | None = 0
    while start is not None:
        answer = Room(room)
        for number, items in enumerate(lists):
            given[number] += answer.fill("events", items, lambda one: one, limit, start)
        left = answer.omitted.get("events")
        after = start_of(left["next"])[1] if left else None
        assert after is None or after > start, "the cursor gets on"
        start = after
    return given


def test_one_list_is_given_once_and_whole() -> None:
    rows = [f"row {n}" for n in range(25)]
    assert read_whole([rows], 10) == [rows]


def test_of_several_lists_with_one_cursor_no_row_is_passed_over() -> None:
    first, second = [f"a{n}" for n in range(30)], ["b" * 40 + str(n) for n in range(30)]
    for lists in ([first, second], [second, first]):
        given = read_whole(lists, 10, room=300)
        assert [list(dict.fromkeys(rows)) for rows in given] == lists


def test_what_is_left_off_is_counted_over_all_lists() -> None:
    room = Room()
    for items in (["a"] * 5, ["b"] * 9, ["c"] * 2):
        room.fill("events", items, lambda one: one, 3)
    assert room.omitted == {"events": {"count": 8, "next": "events:3"}}


def ids(many: int) -> tuple[str, ...]:
    return tuple(f"commit:{n:040x}" for n in range(many))


def test_ids_of_evidence_that_are_left_off_are_counted() -> None:
    for many, left in ((1, None), (8, None), (9, 1), (30, 22)):
        row = sentence_row(Statement(role="what", text=both("改。", "Changes."), evidence=ids(many)), "en")
        assert (len(row["evidence"]), row.get("evidence_omitted")) == (min(many, 8), left)
        linked = link_row(Link("mentions", "a", "b", ids(many)), "en")
        assert (len(linked["evidence"]), linked.get("evidence_omitted")) == (min(many, 8), left)


def test_ids_that_are_quoted_count_for_themselves() -> None:
    files = tuple(f"file:{n:040x}:a.py" for n in range(10))
    row = sentence_row(Statement(role="what", text=both("改。", "Changes."), evidence=(*ids(9), *files)), "en")
    assert row["evidence_omitted"] == 1
    assert row["untrusted"]["evidence"].endswith("(+2)")


def test_places_of_a_link_that_are_left_off_are_counted() -> None:
    places = tuple(Place("acme/engine", "a.py", n) for n in range(7))
    assert link_row(Link("mentions", "a", "b", places=places), "en")["untrusted"]["places"].endswith("a.py:4 (+2)")

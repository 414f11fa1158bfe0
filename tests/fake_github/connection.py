"""Lists of GraphQL: pages by cursor, and the faults that strike them."""

from __future__ import annotations

import base64
import binascii
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from fake_github.accounts import Account
from fake_github.faults import Fault
from fake_github.payloads import Payloads
from fake_github.querying import LimitError, Weight
from fake_github.world import World

T = TypeVar("T")
Key = Callable[[T], list[Any]]
Args = dict[str, Any]


@dataclass(slots=True)
class Context:
    """What all nodes of one query share."""

    world: World
    show: Payloads
    account: Account
    weight: Weight
    fault: Fault | None
    seed: str

    def pages(self) -> Fault | None:
        """The fault of a page, for the first list that asks."""
        fault = self.fault if self.fault is not None and self.fault.kind in ("duplicate", "reorder") else None
        if fault is not None:
            self.fault = None
        return fault


def cursor(value: list[Any]) -> str:
    return base64.b64encode(b"cursor:v2:" + json.dumps(value).encode()).decode()


def opened(text: str, field: str) -> list[Any]:
    try:
        head, version, value = base64.b64decode(text, validate=True).split(b":", 2)
        found: list[Any] = json.loads(value)
    except (ValueError, binascii.Error):
        found, head, version = [], b"", b""
    if (head, version) != (b"cursor", b"v2"):
        raise LimitError("INVALID_CURSOR_ARGUMENTS", f"`{text}` does not appear to be a valid cursor ({field}).")
    return found


class Connection:
    """A page of a list. A cursor is the key of a row: rows after it are read even when rows before it moved."""

    def __init__(
        self, context: Context, rows: Sequence[T], key: Key[T], wrap: Callable[[T], Any], args: Args, *, down: bool = False, total: int | None = None
    ) -> None:  # fmt: skip
        self._key, self._wrap = key, wrap
        ordered: list[Any] = sorted(rows, key=key, reverse=down)
        self.total_count = self.issue_count = len(ordered) if total is None else total
        keys = [key(row) for row in ordered]
        start, stop = 0, len(ordered)
        if args.get("after"):
            mark = opened(args["after"], "after")
            start = sum((one >= mark) if down else (one <= mark) for one in keys)
        if args.get("before"):
            mark = opened(args["before"], "before")
            stop = sum((one > mark) if down else (one < mark) for one in keys)
        if args.get("first") is not None:
            stop = min(stop, start + args["first"])
        elif args.get("last") is not None:
            start = max(start, stop - args["last"])
        page = ordered[start:stop]
        ends = [cursor(key(row)) for row in (page[0], page[-1])] if page else [None, None]
        self.page_info = {
            "hasNextPage": stop < len(ordered),
            "hasPreviousPage": start > 0,
            "startCursor": ends[0],
            "endCursor": ends[1],
        }
        self._page = self._faulty(
            context.pages() if page and len(ordered) > 1 else None, ordered, page, start, context.seed
        )

    @staticmethod
    def _faulty(fault: Fault | None, ordered: list[Any], page: list[Any], start: int, seed: str) -> list[Any]:
        if fault is None:
            return page
        if fault.kind == "reorder":
            shuffled = list(page)
            random.Random(seed).shuffle(shuffled)
            return shuffled
        count = fault.option("count")
        return [*ordered[max(0, start - count) : start], *page] if start else [*page, *page[:count]]

    def nodes(self) -> list[Any]:
        return [self._wrap(row) for row in self._page]

    def edges(self) -> list[Any]:
        return [{"cursor": cursor(self._key(row)), "node": self._wrap(row)} for row in self._page]


def listed(context: Context, rows: Sequence[Any], wrap: Callable[[Any], Any], args: Args) -> Connection:
    """A connection in the order that the rows have."""
    places = list(enumerate(rows))
    return Connection(context, places, lambda row: [row[0]], lambda row: wrap(row[1]), args)

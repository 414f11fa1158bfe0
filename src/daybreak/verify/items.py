"""Issues and pull requests that a run collected, read from the report's own data (`DATE.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class Item(Struct, frozen=True):
    number: int
    kind: str
    """`issues` or `pull`."""
    title: str
    author: str


class Items(Struct, frozen=True):
    """(repository's web address in lower case, number) -> item."""

    by_number: Mapping[tuple[str, int], Item] = field(default_factory=dict)

    def find(self, base: str, number: int) -> Item | None:
        return self.by_number.get((base.lower(), number))


def items_in(text: str | bytes) -> Items:
    """The items of a report's data; data that is none has no items."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return Items()
    found: dict[tuple[str, int], Item] = {}
    for repo in _list(data, "repos"):
        base = str(repo.get("url", "")).lower()
        for kind, name in (("issues", "issues"), ("pull", "pulls")):
            for row in _list(repo, name):
                number = row.get("number")
                if isinstance(number, int):
                    found[base, number] = Item(number, kind, str(row.get("title", "")), str(row.get("author", "")))
    return Items(found)


def _list(data: Any, name: str) -> list[dict[str, Any]]:
    rows = data.get(name) if isinstance(data, dict) else None
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

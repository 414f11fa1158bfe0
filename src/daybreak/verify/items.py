"""Issues and pull requests that a run collected, read from the report's own data (`DATE.json`)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct, field

from daybreak.core.day_json import view


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


def items_in(data: bytes) -> Items:
    """The items of a report's data; data that is none has no items."""
    try:
        day = _VIEW(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Items()
    return Items(
        {
            (repo.url.lower(), one.number): Item(one.number, kind, one.title, one.author)
            for repo in day.repos
            for kind, items in (("issues", repo.issues), ("pull", repo.pulls))
            for one in items
        }
    )


_VIEW = view(
    "repos.url", *(f"repos.{kind}.{name}" for kind in ("issues", "pulls") for name in ("number", "title", "author"))
)

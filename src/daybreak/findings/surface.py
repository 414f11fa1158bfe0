"""What a file offers to the world, as a flat table: one row a function, option, variable, field, route…

A surface is read once per blob and kept by blob id; two surfaces are compared row by row. So what a change did to a
file follows from two tables, whatever the programming language, and comparing a file with itself gives nothing.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from typing import Self

import msgspec


class Row(msgspec.Struct, frozen=True):
    """One thing a file offers; of all values the one that is made most often, so it is of the kind made fastest."""

    kind: str
    """`function`, `class`, `method`, `field`, `option`, `env`, `route`, `metric`, `operator`, `pin`, `alias`…"""
    name: str
    """Unique within the kind and the file: `Class.method`, `--flag`, `VLLM_X`."""
    line: int
    text: str = ""
    """What is shown as before and after: the signature, the default, the pinned version."""
    details: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Parts that are compared one by one: `default`, `choices`, `param:x`, `decorators`, `body` (a digest)…"""


class Surface(Mapping[tuple[str, str], Row]):
    """The rows of one file by kind and name; of rows with the same name the first one counts."""

    def __init__(self, rows: Iterable[Row] = (), broken: bool = False) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        for row in rows:
            self._rows.setdefault((row.kind, row.name), row)
        self._kinds: dict[str, list[Row]] | None = None
        self._members: dict[str, dict[str, dict[str, Row]]] = {}
        self.broken = broken
        """The file could not be understood: nothing in it may be called added or removed."""

    @classmethod
    def keyed(cls, rows: dict[tuple[str, str], Row]) -> Self:
        """Of rows that stand by kind and name already; the table is not copied."""
        out = cls()
        out._rows = rows
        return out

    def __getitem__(self, key: tuple[str, str]) -> Row:
        return self._rows[key]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def items(self) -> ItemsView[tuple[str, str], Row]:
        return self._rows.items()

    def values(self) -> ValuesView[Row]:
        return self._rows.values()

    def of(self, *kinds: str) -> list[Row]:
        if len(kinds) == 1:
            return list(self._by_kind().get(kinds[0], ()))
        return [row for row in self._rows.values() if row.kind in kinds]

    def methods(self, owner: str) -> dict[str, Row]:
        """The methods that stand directly in a class, by their full names."""
        found = self._members.get("method")
        if found is None:
            found = self._members["method"] = {}
            for row in self._by_kind().get("method", ()):
                found.setdefault(row.name.rpartition(".")[0], {})[row.name] = row
        return found.get(owner, {})

    def attributes(self) -> dict[str, dict[str, Row]]:
        """Class, or nothing for the module itself, → its attributes by their short names."""
        found = self._members.get("attribute")
        if found is None:
            found = self._members["attribute"] = {}
            for row in self._by_kind().get("attribute", ()):
                owner, _, name = row.name.rpartition(".")
                found.setdefault(owner, {})[name] = row
        return found

    def _by_kind(self) -> dict[str, list[Row]]:
        if self._kinds is None:
            kinds: dict[str, list[Row]] = {}
            for row in self._rows.values():
                kinds.setdefault(row.kind, []).append(row)
            self._kinds = kinds
        return self._kinds

    def has(self, kind: str, name: str) -> bool:
        return (kind, name) in self._rows

"""Seals of the store's tables: how many rows each has, and their hashes as one number, so that a row that is gone is missed.

A hash tells of its own row alone. Each write brings the seal of a table on by the rows that it adds and drops, in the
same transaction: whatever else becomes of the rows leaves the seal behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daybreak.store.connection import Connection

_COUNT, _WIDTH = 8, 32
NOTHING = bytes(_COUNT + _WIDTH)
"""The seal of a table without rows."""


def sealed(seal: bytes, keys: Iterable[object], by: int = 1) -> bytes:
    """A seal with these rows more; with `by = -1`, without them."""
    count, total = _parts(seal)
    for key in keys:
        if isinstance(key, bytes):
            count, total = count + by, total ^ int.from_bytes(key[:_WIDTH], "big")
    return (count % (1 << 8 * _COUNT)).to_bytes(_COUNT, "big") + total.to_bytes(_WIDTH, "big")


def _parts(seal: bytes) -> tuple[int, int]:
    return int.from_bytes(seal[:_COUNT], "big"), int.from_bytes(seal[_COUNT:][:_WIDTH], "big")


def bring_on(connection: Connection, name: str, change: bytes) -> None:
    """The seal of a table after a change, which is written as a seal itself."""
    known = connection.value("SELECT digest FROM seals WHERE name = ?", (name,))
    if isinstance(known, bytes):  # one that is gone stays so, and is told
        (more, by), (count, total) = _parts(change), _parts(known)
        after = ((count + more) % (1 << 8 * _COUNT)).to_bytes(_COUNT, "big") + (total ^ by).to_bytes(_WIDTH, "big")
        connection.change("UPDATE seals SET digest = ? WHERE name = ?", (after, name))


def broken_seal(connection: Connection, name: str) -> str | None:
    """What is wrong with the rows of a table, in words; None where they are those that were written."""
    # In one question: another program may write between two.
    asked = f"SELECT 0, hash FROM {name} UNION ALL SELECT 1, digest FROM seals WHERE name = ?"  # noqa: S608  our own names
    rows = connection.rows(asked, (name,))
    left = [value for kind, value in rows if kind == 1]
    found = sealed(NOTHING, (value for kind, value in rows if kind == 0))
    if left == [found]:
        return None
    if not left or not isinstance(left[0], bytes):
        return "nobody knows any more how many rows there were"
    missing = _parts(left[0])[0] - _parts(found)[0]
    if missing > 0:
        return f"{missing} of {_parts(left[0])[0]} rows that were written {'is' if missing == 1 else 'are'} gone"
    return (
        f"{-missing} rows are there that were never written" if missing else "its rows are not those that were written"
    )


def seal_anew(connection: Connection, name: str) -> None:
    """What is there counts from now on."""
    keys = connection.column(f"SELECT hash FROM {name}")  # noqa: S608  our own names
    connection.change("DELETE FROM seals WHERE name = ?", (name,))
    connection.change("INSERT INTO seals (name, digest) VALUES (?, ?)", (name, sealed(NOTHING, keys)))

"""Content hashes: what identifies a row, and what tells later whether it is still as it was written.

A hash covers all columns of a row after its keys, in the order of the schema, and all rows that live and die with it:
a change's hash covers its files, so a file row that is altered, lost or added is seen. NULLs at the end do not count.
So a column that a migration adds at the end, empty, leaves the hashes of older rows as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

Row = Sequence[Any]
_encode = msgspec.msgpack.Encoder().encode
_sha256 = hashlib.sha256


def content_hash(table: str, row: Row, *children: Sequence[Row]) -> bytes:
    """The hash of a row with the rows that belong to it."""
    return _sha256(_encode((table, row, children))).digest()


def stored_hash(table: str, row: Row, *children: Sequence[Row]) -> bytes:
    """The same, from rows as the database gives them back: later columns may stand at their end."""
    return content_hash(table, _trimmed(row), *([_trimmed(child) for child in rows] for rows in children))


def _trimmed(row: Row) -> Row:
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row if end == len(row) else row[:end]


def digest(*parts: bytes | str) -> str:
    """One name for several inputs of a step."""
    return _sha256(_encode(parts)).hexdigest()

"""Content hashes: what identifies a row, and what tells later whether it is still as it was written.

A hash covers all columns of a row after its key, in the order of the schema. NULLs at the end do not count: so a column
that a migration adds at the end, empty, leaves the hashes of older rows as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

Row = Sequence[Any]
_encode = msgspec.msgpack.Encoder().encode
_sha256 = hashlib.sha256


def content_hash(table: str, row: Row) -> bytes:
    """The hash of a row."""
    # The empty list stood for rows that lived and died with this one: the hashes in users' stores have it.
    return _sha256(_encode((table, row, ()))).digest()


def stored_hash(table: str, row: Row) -> bytes:
    """The same, from a row as the database gives it back: later columns may stand at its end."""
    return content_hash(table, trimmed(row))


def trimmed(row: Row) -> Row:
    """The row without NULLs at its end."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row if end == len(row) else row[:end]


def digest(*parts: bytes | str) -> str:
    """One name for several inputs of a step."""
    return _sha256(_encode(parts)).hexdigest()

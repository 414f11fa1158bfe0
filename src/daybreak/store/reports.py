"""Reports in the store, and memory over them: the same answers as from the written files."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec

from daybreak.core.checkpoint import Recorded
from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Day
from daybreak.store import schema
from daybreak.store.database import Database, damaged
from daybreak.store.report_files import decode_report, recorded, unreadable
from daybreak.store.schema import content_hash

# --- Values as columns: what no database can hold is left out, and times are text ---


Values = tuple[Any, ...]
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(value: Any) -> Any:
    """The same without characters that databases refuse: NUL and halves of surrogate pairs."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    return tuple(map(storable, value)) if isinstance(value, tuple) else value


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def from_iso(text: str) -> datetime:
    return datetime.fromisoformat(text)


_MOST = 1 << 30
"""Bytes a report's data may unfold to: a damaged store must not fill the memory."""


def put_report(database: Database, data: bytes) -> None:
    """A day by its JSON, as it is now; what was stored of it before is replaced, unless it is the same."""
    table = schema.reports
    label = storable(decode_report(data).window.label)
    digest, packed = hashlib.sha256(data).hexdigest(), zlib.compress(data, 6)
    with database.write() as connection:
        old = connection.first(f"{table.rows} WHERE label = ?", (label,))
        # All of its columns: a row that was damaged beside its hash is written anew.
        if old is not None and old == _row(label, old[2], digest, packed):
            return
        database.delete(table, "label = ?", (label,))
        database.insert(table, [_row(label, iso(database.clock()), digest, packed)])


def _row(*values: Any) -> Values:
    return content_hash("reports", values), *values


# --- memory ----------------------------------------------------------------------------------------------------------


class StoredReports:
    """Days already reported, read from the store; the same questions as to the files."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._decode = lru_cache(maxsize=64)(self._decoded)

    def labels(self) -> list[str]:
        with self._database.read() as connection:
            return sorted(connection.column("SELECT label FROM reports"))

    def digests(self) -> dict[str, str]:
        with self._database.read() as connection:
            rows = connection.rows("SELECT label, digest FROM reports")
        return {str(label): str(digest) for label, digest in rows}

    def digest(self, label: str) -> str | None:
        found: str | None = self._value("digest", label)
        return found

    def data(self, label: str) -> bytes | None:
        packed = self._value("data", label)
        return None if packed is None else self._unpacked(packed)

    def _value(self, column: str, label: str) -> Any:
        with self._database.read() as connection:
            return connection.value(f"SELECT {column} FROM reports WHERE label = ?", (label,))  # noqa: S608  our own name

    def repositories(self, label: str) -> list[str]:
        report = self._load(label)
        return [] if report is None else [repo.name for repo in report.repos]

    def day(self, label: str, repo: str) -> Recorded | None:
        report = self._load(label)
        return None if report is None else recorded(report, label, repo)

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._records([day for day in reversed(self.labels()) if day < label], repo)

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._records([day for day in self.labels() if day > label], repo)

    def _records(self, labels: Iterable[str], repo: str) -> Iterator[Recorded]:
        for label in labels:
            record = self.day(label, repo)
            if record is not None:
                yield record

    def _load(self, label: str) -> Day | None:
        """A hash never means two reports, so what was decoded once stays good."""
        key = self._value("hash", label)
        return None if key is None else self._decode(label, key)

    def _decoded(self, label: str, _: bytes) -> Day:
        data = self.data(label)
        try:
            return decode_report(data or b"")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._bad(label, error) from error

    def _bad(self, label: str, error: Exception) -> DaybreakError:
        return unreadable(f"The report of {label} in {self._database.shown}", error)

    def _unpacked(self, packed: bytes) -> bytes:
        return unpacked(packed, self._database.shown)


def unpacked(packed: bytes, shown: str) -> bytes:
    """What was compressed, whole; anything else is damage."""
    machine = zlib.decompressobj()
    try:
        data = machine.decompress(packed, _MOST)
    except zlib.error as error:
        raise damaged(shown) from error
    if not machine.eof:
        raise damaged(shown)
    return data

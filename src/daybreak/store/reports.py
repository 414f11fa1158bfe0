"""Reports in the store, and memory over them: the same answers as from the written files."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec
from sqlalchemy import Connection, Table, delete, select

from daybreak.core.errors import DaybreakError
from daybreak.core.memory import Recorded
from daybreak.core.model.day import Day
from daybreak.core.model.report import Page, Report
from daybreak.store import faults, schema
from daybreak.store.database import Database
from daybreak.store.published import digests
from daybreak.store.report_files import decode_report, recorded, unreadable, whole
from daybreak.store.report_rows import from_data, report_rows, told_rows
from daybreak.store.rows import Values, as_json, from_json, hashed, iso, storable

CHILDREN = (schema.stories, schema.statements, schema.verdicts)
_MOST = 1 << 30
"""Bytes a report's data may unfold to: a damaged store must not fill the memory."""


def put_report(database: Database, report: Report, data: bytes, pages: Iterable[Page]) -> None:
    """The day as it is now; what was stored of it before is replaced, unless it is the same."""
    table, window = schema.reports, report.window
    told_pages = digests(pages)
    values: Values = (
        window.label,
        iso(window.since),
        iso(window.until),
        window.timezone,
        +window.open,
        report.tool_version,
        as_json(report.languages),
        iso(database.clock()),
        as_json(dict(sorted(told_pages.items()))),
        zlib.compress(data, 6),
    )
    children = [storable(rows) for rows in report_rows(report)]
    with database.write() as connection:
        old = connection.execute(select(table).where(table.c.label == window.label)).first()
        if old is not None and _same(tuple(old), values, children):
            return
        _replace(database, connection, values, children)


def take_in(database: Database, data: bytes) -> None:
    """A day that was published by a run without this store: its data, and what that tells; its pages are not known."""
    report = decode_report(data)
    window = report.window
    values: Values = (
        window.label,
        iso(window.since),
        iso(window.until),
        window.timezone,
        +window.open,
        report.tool.version,
        as_json(tuple(report.languages)),
        iso(database.clock()),
        as_json({f"reports/{window.label}.json": hashlib.sha256(data).hexdigest()}),
        zlib.compress(data, 6),
    )
    with database.write() as connection:
        _replace(database, connection, storable(values), [storable(rows) for rows in told_rows(from_data(data))])


def amend_pages(database: Database, label: str, pages: Iterable[Page]) -> None:
    """What some pages of the day are now; all else of it stays."""
    table = schema.reports
    told_pages = digests(pages)
    with database.write() as connection:
        old = connection.execute(select(table).where(table.c.label == label)).first()
        if old is None or (known := from_json(old.pages, dict[str, str])).items() >= told_pages.items():
            return
        children = [_children(connection, child, old.hash) for child in CHILDREN]
        told = as_json(dict(sorted({**known, **told_pages}.items())))
        _replace(database, connection, (*old[1:9], told, *old[10:]), children)


def _replace(database: Database, connection: Connection, values: Values, children: Sequence[Sequence[Values]]) -> None:
    """The day's row, whose first value is its label, and the rows below it; what was there of the day goes."""
    table = schema.reports
    connection.execute(delete(table).where(table.c.label == values[0]))
    key, values, kept = hashed("reports", values, *children)
    database.insert(table, [(key, *values)])
    for child, rows in zip(CHILDREN, kept, strict=True):
        database.insert(child, [(key, number, *row) for number, row in enumerate(rows)])


def _children(connection: Connection, child: Table, key: bytes) -> list[Values]:
    parent, number = child.columns[0], child.columns[1]
    rows = connection.execute(select(child).where(parent == key).order_by(number))
    return [tuple(row)[2:] for row in rows]


def _same(old: Values, values: Values, children: list[list[Values]]) -> bool:
    """Only the time of making differs."""
    as_before = (*values[:7], old[8], *values[8:])
    # Its columns too: a row that was damaged beside its hash is written anew.
    return tuple(old[1:]) == as_before and bool(hashed("reports", as_before, *children)[0] == old[0])


# --- memory ----------------------------------------------------------------------------------------------------------


class StoredReports:
    """Days already reported, read from the store; the same questions as to the files."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._decode = lru_cache(maxsize=64)(self._decoded)

    def labels(self) -> list[str]:
        table = schema.reports
        with self._database.read() as connection:
            return sorted(connection.execute(select(table.c.label)).scalars())

    def rows(self) -> dict[str, str]:
        with self._database.read() as connection:
            rows = connection.exec_driver_sql("SELECT label, hash FROM reports").fetchall()
        return {label: bytes(key).hex() for label, key in rows}

    def data(self, label: str) -> bytes | None:
        table = schema.reports
        with self._database.read() as connection:
            packed = connection.execute(select(table.c.data).where(table.c.label == label)).scalar()
        return None if packed is None else self._unpacked(packed)

    def pages(self, label: str) -> Mapping[str, str]:
        table = schema.reports
        with self._database.read() as connection:
            text = connection.execute(select(table.c.pages).where(table.c.label == label)).scalar()
        return {} if text is None else from_json(text, dict[str, str])

    def whole(self, label: str) -> bool:
        report = self._load(label)
        return report is not None and whole(report)

    def repositories(self, label: str) -> list[str]:
        report = self._load(label)
        return [] if report is None else [repo.name for repo in report.repos]

    def main_language(self) -> str | None:
        newest = self.labels()[-1:]
        report = self._load(newest[0]) if newest else None
        return next(iter(report.languages), None) if report else None

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
        table = schema.reports
        with self._database.read() as connection:
            key = connection.execute(select(table.c.hash).where(table.c.label == label)).scalar()
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
        raise faults.damaged(shown) from error
    if not machine.eof:
        raise faults.damaged(shown)
    return data

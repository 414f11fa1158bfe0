"""Raw answers of a forge in the store, each in its place: a day is made again from them without asking anybody.

They stand as first fetched, and retention does not take them: without them a closed day could not be made again.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, delete, or_, select

from daybreak.core.errors import DaybreakError
from daybreak.core.model.items import Envelope
from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.hashes import content_hash
from daybreak.store.reports import unpacked
from daybreak.store.rows import Values, from_iso, iso, storable

Place = tuple[str, str, str, str]
"""Repository, label, category, id."""


class StoredAnswers:
    """What a source keeps its envelopes in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, repo: str, label: str, category: str, name: str, /) -> Envelope | None:
        """The one in that place; a damaged one is as good as none, and `verify` tells of it."""
        place: Place = storable((repo, label, category, name))
        with self._database.read() as connection:
            row = connection.execute(select(schema.answers).where(*_at(place))).first()
        if row is None:
            return None
        try:
            body = unpacked(row.body, self._database.shown)
        except DaybreakError:
            return None
        _, repo, label, category, name, origin, fetched, version, etag = row[:9]
        return Envelope(repo, label, category, name, origin, from_iso(fetched), version, etag, body)

    def put(self, envelopes: Sequence[Envelope], /) -> None:
        """All of them or none; what stood in their places is replaced."""
        rows = {row[1:5]: row for row in map(_row, envelopes)}
        with self._database.write() as connection:
            for place, row in rows.items():
                # The key alone is another row only when that one is damaged.
                same = or_(and_(*_at(place)), schema.answers.c.hash == row[0])
                connection.execute(delete(schema.answers).where(same))
            self._database.insert(schema.answers, list(rows.values()))


def _at(place: Place) -> tuple[ColumnElement[bool], ...]:
    table = schema.answers
    columns = (table.c.repo, table.c.label, table.c.category, table.c.id)
    return tuple(column == value for column, value in zip(columns, place, strict=True))


def _row(one: Envelope) -> Values:
    told = (one.repo, one.label, one.category, one.id, one.origin, iso(one.fetched_at), one.version, one.etag)
    values = (*storable(told), zlib.compress(one.body, 6))
    return content_hash("answers", values), *values

"""Answers of models in the store, by the content of their questions: a second run asks nothing, a crash costs one answer.

Rows are only ever added. A question that was asked again (`--force`) has several, and the newest one counts.
"""

from __future__ import annotations

import zlib

from sqlalchemy import select

from daybreak.core.errors import DaybreakError
from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.hashes import content_hash
from daybreak.store.reports import unpacked
from daybreak.store.rows import iso, storable
from daybreak.store.runs import next_number


class StoredModelAnswers:
    """What an analyst keeps the answers of its models in; may be used by several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str, /) -> bytes | None:
        """The newest one that can be read; a damaged one is as good as none, and `verify` tells of it."""
        table = schema.model_answers
        wanted = select(table).where(table.c.question == storable(key)).order_by(table.c.id.desc())
        with self._database.read() as connection:
            rows = connection.execute(wanted).fetchall()
        for row in rows:
            if content_hash("model_answers", tuple(row[1:])) != row[0]:
                continue
            try:
                return unpacked(row.body, self._database.shown)
            except DaybreakError:
                continue
        return None

    def put(self, key: str, answer: bytes, /) -> None:
        """One transaction: it is written when this returns."""
        database = self._database
        with database.write():
            number = next_number(database, schema.model_answers)
            values = (number, storable(key), iso(database.clock()), zlib.compress(answer, 6))
            database.insert(schema.model_answers, [(content_hash("model_answers", values), *values)])

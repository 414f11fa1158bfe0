"""Facts in the store: what was collected, the commits with their files, what was read from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import Table, delete, select

from daybreak import __version__
from daybreak.core.model.changes import Change, Collected, Repo, Skipped, Window
from daybreak.core.model.findings import Reading
from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.hashes import content_hash
from daybreak.store.rows import (
    Values,
    as_json,
    change_from,
    change_rows,
    from_json,
    iso,
    reading_from,
    reading_rows,
    repository_row,
    storable,
)

AT_ONCE = 1000
"""Commits whose rows are made and written together: memory stays flat however long the history."""
GIT = "git"
Thing = TypeVar("Thing")


class Gathered(Struct, frozen=True):
    """What an envelope holds beside the commits, which have rows of their own."""

    branch: str | None
    head: str | None
    in_git: int | None
    newest: str | None
    rewritten: str | None
    changes: tuple[str, ...]
    late: tuple[str, ...]
    revised: tuple[str, ...]
    released: dict[str, str]
    skipped: tuple[tuple[str, str, str, str], ...]


# --- collected -------------------------------------------------------------------------------------------------------


def put_collected(database: Database, window: Window, collected: Collected) -> None:
    """One transaction: the repository, its commits, and the envelope that lists them."""
    with database.write():
        _put_repository(database, collected.repo)
        _put(database, schema.changes, schema.files, map(change_rows, (*collected.changes, *collected.late)))
        _put_envelope(database, window, collected)


def _put_repository(database: Database, repo: Repo) -> None:
    row, table = repository_row(repo), schema.repositories
    with database.write() as connection:
        known = connection.execute(select(table.c.hash).where(table.c.name == row[1])).scalar()
        if known != row[0]:
            connection.execute(delete(table).where(table.c.name == row[1]))
            database.insert(table, [row])


def _put_envelope(database: Database, window: Window, collected: Collected) -> None:
    """What has not changed is left as it was fetched first."""
    table = schema.envelopes
    payload = as_json(
        Gathered(
            branch=collected.branch,
            head=collected.head,
            in_git=collected.in_git,
            newest=collected.newest,
            rewritten=collected.rewritten,
            changes=tuple(change.sha for change in collected.changes),
            late=tuple(change.sha for change in collected.late),
            revised=collected.revised,
            released=dict(collected.released),
            skipped=tuple((s.what, s.reason, s.tip, s.detail) for s in collected.skipped),
        )
    )
    origin = repository_row(collected.repo)[3]
    place = (collected.repo.name, window.label, GIT, origin, iso(window.since), iso(window.until), window.timezone)
    values = storable((*place, __version__, iso(database.clock()), payload))
    where = (table.c.repo == values[0], table.c.label == values[1], table.c.category == GIT)
    with database.write() as connection:
        old = connection.execute(select(table).where(*where)).first()
        if old is not None and (*old[1:8], old[10]) == (*values[:7], payload):
            return
        connection.execute(delete(table).where(*where))
        database.insert(table, [(content_hash("envelopes", values), *values)])


def get_collected(database: Database, window: Window, repo: Repo) -> Collected | None:
    """What was put for the window, in its zone."""
    table = schema.envelopes
    where = (table.c.repo == repo.name, table.c.label == window.label, table.c.category == GIT)
    with database.read() as connection:
        text = connection.execute(select(table.c.payload).where(*where)).scalar()
        if text is None:
            return None
        found = from_json(text, Gathered)
        zone = ZoneInfo(window.timezone)
        known = {change.sha: change for change in _changes(database, repo.name, (*found.changes, *found.late), zone)}
    if not known.keys() >= {*found.changes, *found.late}:
        return None  # damage that `verify` tells of; a run collects again
    return Collected(
        repo=repo,
        branch=found.branch,
        head=found.head,
        changes=tuple(known[sha] for sha in found.changes),
        late=tuple(known[sha] for sha in found.late),
        in_git=found.in_git,
        released=found.released,
        newest=found.newest,
        rewritten=found.rewritten,
        revised=found.revised,
        skipped=tuple(Skipped(*parts) for parts in found.skipped),
    )


# --- changes ---------------------------------------------------------------------------------------------------------


def put_changes(database: Database, changes: Iterable[Change]) -> int:
    """Add those that are not there yet, piece by piece: a history that is cut short is gone on with, not begun anew."""
    pieces = _pieces(map(change_rows, changes))
    return sum(_add_piece(database, schema.changes, schema.files, some) for some in pieces)


def missing(database: Database, repo: str, shas: Sequence[str]) -> list[str]:
    known = {
        place[1]
        for some in _pieces(iter(shas))
        for place, _ in _known(database, schema.changes, [(repo, sha) for sha in some])
    }
    return [sha for sha in shas if sha not in known]


def changes_between(database: Database, repo: str, since: datetime, until: datetime) -> Iterator[Change]:
    table = schema.changes
    low, high = int(since.timestamp()), int(until.timestamp())
    where = (table.c.repo == repo, table.c.committed_at >= low, table.c.committed_at < high)
    with database.read() as connection:
        order = (table.c.committed_at.desc(), table.c.sha)
        shas = connection.execute(select(table.c.sha).where(*where).order_by(*order)).scalars().all()
    for some in _pieces(iter(shas)):
        found = {change.sha: change for change in _changes(database, repo, some, UTC)}
        yield from (found[sha] for sha in some if sha in found)


def _changes(database: Database, repo: str, shas: Sequence[str], zone: tzinfo) -> Iterator[Change]:
    for row, files in _with_children(database, schema.changes, schema.files, repo, shas):
        yield change_from(row, files, zone)


# --- readings --------------------------------------------------------------------------------------------------------


def put_readings(database: Database, repo: str, readings: Iterable[Reading]) -> None:
    rows = (reading_rows(repo, reading) for reading in readings)
    _put(database, schema.readings, schema.findings, rows)


def get_readings(database: Database, repo: str, shas: Sequence[str]) -> Mapping[str, Reading]:
    found = _with_children(database, schema.readings, schema.findings, repo, shas)
    return {row[2]: reading_from(row, findings) for row, findings in found}


# --- rows with their children ----------------------------------------------------------------------------------------


def _put(database: Database, table: Table, child: Table, rows: Iterable[tuple[Values, list[Values]]]) -> None:
    """Write what is not there, and replace what is there for the same commit and differs; all or nothing."""
    with database.write():
        for some in _pieces(iter(rows)):
            _put_piece(database, table, child, some)


def _put_piece(database: Database, table: Table, child: Table, rows: Sequence[tuple[Values, list[Values]]]) -> None:
    once = {(row[1], row[2]): (row, children) for row, children in rows}
    with database.write() as connection:
        known = dict(_known(database, table, list(once)))
        old = [key for place, key in known.items() if key != once[place][0][0]]
        if old:
            connection.execute(delete(table).where(table.c.hash.in_(old)))
        same = known.keys() - {place for place, key in known.items() if key in set(old)}
        # In the order of their keys, neighbours in the database are written one after the other.
        fresh = sorted(pair for place, pair in once.items() if place not in same)
        database.insert(table, [row for row, _ in fresh])
        database.insert(child, [row for _, children in fresh for row in children])


def _add_piece(database: Database, table: Table, child: Table, rows: Sequence[tuple[Values, list[Values]]]) -> int:
    """As a rule all are new: so they are written, and only if some were there it is asked which."""
    once = sorted({(row[1], row[2]): (row, children) for row, children in rows}.values())
    with database.write():
        new = database.insert(table, [row for row, _ in once], unless_there=True)
        if not new:
            return 0
        if new < len(once):
            known = {key for _, key in _known(database, table, [(row[1], row[2]) for row, _ in once])}
            once = [pair for pair in once if pair[0][0] in known]
        database.insert(child, [row for _, children in once for row in children], unless_there=new < len(once))
    return new


def _known(
    database: Database, table: Table, places: Sequence[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], bytes]]:
    """Which commits of these are there, with their hashes; plain SQL, since a thousand marks take long to compile."""
    mark = database.mark
    for repo in sorted({repo for repo, _ in places}):
        shas = [sha for name, sha in places if name == repo]
        marks = ", ".join([mark] * len(shas))
        asked = f"SELECT sha, hash FROM {table.name} WHERE repo = {mark} AND sha IN ({marks})"  # noqa: S608  our own names
        with database.read() as connection:
            for sha, key in connection.exec_driver_sql(asked, (repo, *shas)):
                yield (repo, sha), key


def _with_children(
    database: Database, table: Table, child: Table, repo: str, shas: Sequence[str]
) -> Iterator[tuple[Sequence[Any], Sequence[Sequence[Any]]]]:
    key, number = child.columns[0], child.columns[1]
    for some in _pieces(iter(shas)):
        with database.read() as connection:
            rows = connection.execute(select(table).where(table.c.repo == repo, table.c.sha.in_(some))).fetchall()
            found = select(child).where(key.in_([row[0] for row in rows])).order_by(key, number)
            children: dict[bytes, list[Sequence[Any]]] = {}
            for one in connection.execute(found):
                children.setdefault(one[0], []).append(one)
        for row in rows:
            yield row, children.get(row[0], ())


def _pieces(things: Iterator[Thing]) -> Iterator[list[Thing]]:
    while some := list(islice(things, AT_ONCE)):
        yield some

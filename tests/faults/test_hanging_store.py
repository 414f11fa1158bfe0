"""A PostgreSQL that stops answering: the run ends within its time, and the lock of a dead process is taken over."""

from __future__ import annotations

import select
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import program
from contracts.conftest import opened
from daybreak.core.errors import LockedError
from daybreak.store import Holder
from daybreak.store import postgres as store_on_postgres
from daybreak.store.database import StoreLost
from daybreak.store.sql import this_process
from faults.hanging import MANNERS
from gitrepo import GitRepo
from postgres_fixture import Postgres


class Proxy:
    """Carries bytes between us and the server, until it falls silent or drips; both connections stand."""

    def __init__(self, server: str) -> None:
        self._server = store_on_postgres.address_of(server)
        self.silent = threading.Event()
        self.manner, self.said, self.most = "silent", 0, 1 << 60
        """What becomes of the server's bytes from some number on; how many it said."""
        self._over, self._carrying = threading.Event(), set[threading.Thread]()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        user, password = self._server.get("user", ""), self._server.get("password", "")
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{self._server['dbname']}"

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self._listening.accept()
                carrying = threading.Thread(target=self._carry, args=(peer,), daemon=True)
                self._carrying.add(carrying)
                carrying.start()

    def mend(self) -> None:
        """All is carried again; whoever was left in the middle is gone."""
        self._over.set()
        for one in self._carrying:
            one.join(10)
        self._carrying.clear()
        self._over.clear()
        self.most = 1 << 60

    def _carry(self, peer: socket.socket) -> None:
        host, port = self._server["host"], int(self._server.get("port", 5432))
        if host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{host}/.s.PGSQL.{port}")
        else:
            server = socket.create_connection((host, port))
        with peer, server, suppress(OSError):
            while not self._over.is_set():
                for ready in select.select([peer, server], [], [], 0.05)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if ready is server:
                        self._answer(peer, data)
                    elif not self.silent.is_set():
                        server.sendall(data)

    def _answer(self, peer: socket.socket, data: bytes) -> None:
        room = 0 if self.silent.is_set() else max(0, self.most - self.said)
        self.said += len(data)
        peer.sendall(data[:room])
        for byte in data[room:] if self.manner == "dripping" else b"":
            if self._over.wait(0.05):
                return
            peer.sendall(bytes((byte,)))
        while self.manner == "endless" and data[room:] and not self._over.is_set():
            peer.sendall(data[room:])

    def close(self) -> None:
        self._over.set()
        self._listening.shutdown(socket.SHUT_RDWR)  # or whoever waits there waits for ever
        self._listening.close()


@pytest.fixture
def proxy(postgres: Postgres) -> Iterator[Proxy]:
    made = Proxy(postgres.fresh())
    yield made
    made.close()


def test_a_server_that_falls_silent_is_lost_within_its_time(
    proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_on_postgres, "SILENCE", 3.0)  # it answers until then, on a busy machine too
    store = opened(proxy.url, tmp_path)
    with pytest.raises(StoreLost, match="cannot be reached"), store.hold():  # noqa: PT012  it is held until then
        proxy.silent.set()
        store.labels()
    store.close()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", [0.02, 0.6, *(pytest.param(one, marks=pytest.mark.soak) for one in (0.0, 0.3, 0.9))])
@pytest.mark.parametrize("manner", MANNERS)
def test_a_server_that_hangs_in_a_run_ends_it_in_time_and_the_next_one_is_whole(
    proxy: Proxy, postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float, manner: str
) -> None:
    upstream = GitRepo.make(tmp_path / "good.git")
    upstream.commit("Add a thing (#3)", {"pkg/a.py": "def other(request):\n    return 2\n"}, at="2026-01-19T10:00:00")

    def run(name: str, store: str) -> tuple[int, str, str]:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        rows = f'timezone = "UTC"\nstore = "{store}"\n[[repo]]\nname = "org/good"\ngit = "{upstream.path}"\n'
        (folder / "daybreak.toml").write_text(rows, encoding="utf-8")
        answer = program.run("run", "--date", "2026-01-19", cwd=folder)
        page = folder / "reports" / "2026-01-19.md"
        return answer.returncode, answer.stderr, page.read_text(encoding="utf-8") if page.exists() else ""

    code, _, page = run("calm", proxy.url)
    assert code == 0
    whole = Proxy(address := postgres.fresh())
    monkeypatch.setattr(store_on_postgres, "SILENCE", 1.0)
    monkeypatch.setattr(store_on_postgres, "WAIT", 2)
    whole.most, whole.manner = int(share * proxy.said), manner
    code, said, _ = run("other", whole.url)
    whole.close()
    told = "The store " if manner == "endless" else "cannot be reached"  # words out of turn are no silence
    assert (code, told in said) == (1, True), said
    monkeypatch.undo()
    assert run("other", address)[::2] == (0, page)


def test_the_lock_of_a_process_that_is_gone_is_taken_over_and_that_of_a_living_one_is_not(
    postgres: Postgres, tmp_path: Path
) -> None:
    address = postgres.fresh()
    first, second = opened(address, tmp_path), opened(address, tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    with pytest.raises(StoreLost), first.hold():  # noqa: PT012  it is held until then
        with pytest.raises(LockedError), second.hold():
            pass
        here = this_process(first._database.clock)
        first._name(Holder(here.host, gone.pid, here.since))  # type: ignore[attr-defined]
        with second.hold():
            assert second.holder() is not None
        first.labels()
    first.close()
    second.close()

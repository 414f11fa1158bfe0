"""Bodies without end: no peer can make us hold more than a limit, or wait longer, whether it says yes or no."""

from __future__ import annotations

import asyncio
import socket
import threading
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache

import pytest

from daybreak.core.http import Body, Cut, Http, NetFault, Patience, Request, Secret, TimedOut, TooLarge
from daybreak.deliver.notify import by_apprise
from daybreak.deliver.notify.by_apprise import ByApprise
from daybreak.deliver.notify.message import Edition, Message, Span
from daybreak.deliver.notify.targets import Target
from daybreak.prose.llm import openai_compatible
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.openai_compatible import Connection
from faults.hanging import Talk, dripping, endless, server

SHORT = Patience(connect=5.0, read=5.0, whole=1.0)
MEGABYTE = 1 << 20
MANY = 40 * MEGABYTE
"""Far more than any limit here, and than all that lies in buffers on the way."""


def head(status: int, packing: str = "") -> bytes:
    more = f"Content-Encoding: {packing}\r\n" if packing else ""
    return f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{more}\r\n".encode()


@cache
def bomb() -> bytes:
    """A few kilobytes that unpack to far more."""
    packing = zlib.compressobj(1, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return b"".join(packing.compress(bytes(MEGABYTE)) for _ in range(32)) + packing.flush()


class Counted:
    """A talk, with the bytes that were taken of it."""

    def __init__(self, talk: Talk) -> None:
        self._talk, self.taken = talk, 0

    def __call__(self, peer: socket.socket, over: threading.Event) -> None:
        counted = self

        class Peer:
            def recv(self, size: int) -> bytes:
                return peer.recv(size)

            def sendall(self, data: bytes) -> None:
                counted.taken += len(data)
                if counted.taken > MANY:
                    raise OSError("it took them all")
                peer.sendall(data)

        with suppress(OSError):
            self._talk(Peer(), over)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_endless_answer_is_not_taken_beyond_the_limit(status: int) -> None:
    talk = Counted(endless(head(status)))
    with server(talk) as port, Http(largest=MEGABYTE) as http, pytest.raises(TooLarge):
        http.send(Request(f"http://127.0.0.1:{port}/"))
    assert talk.taken < MANY


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_a_packed_answer_is_measured_unpacked(packing: str) -> None:
    with server(endless(head(500, packing), bomb())) as port, Http(largest=MEGABYTE) as http, pytest.raises(TooLarge):
        http.send(Request(f"http://127.0.0.1:{port}/"))
    body = Body(packing, 100)
    with pytest.raises(TooLarge):
        body.add(bomb())


def test_a_packing_that_nobody_asked_for_or_that_has_no_end_is_no_answer() -> None:
    with pytest.raises(Cut):
        Body("br", 100)
    body = Body("gzip", 100)
    body.add(zlib.compress(b"abc", wbits=31)[:-8])
    with pytest.raises(Cut):
        body.whole()


@pytest.mark.parametrize("talk", [dripping(head(200)), dripping(b"HTTP/1.1 200 OK\r\nX: ")], ids=["body", "head"])
def test_a_dripping_answer_has_an_end(talk: Talk) -> None:
    with server(talk) as port, Http(SHORT) as http, pytest.raises(TimedOut):
        http.send(Request(f"http://127.0.0.1:{port}/"))


@pytest.mark.parametrize("status", [200, 400, 429, 500])
@pytest.mark.parametrize("packing", ["", "gzip"])
def test_a_model_server_without_end_is_not_taken_beyond_the_limit(
    monkeypatch: pytest.MonkeyPatch, status: int, packing: str
) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(openai_compatible, "LARGEST", MEGABYTE)
    talk = Counted(endless(head(status, packing), bomb() if packing else b" " * 65536))

    async def asked(port: int) -> None:
        connection = Connection(Endpoint(f"http://127.0.0.1:{port}/v1", "fake"), 60.0)
        try:
            await connection.send([{"role": "user", "content": "?"}], {})
        finally:
            await connection.close()

    with server(talk) as port, pytest.raises(openai_compatible.Trouble, match="more than 1 MB"):
        asyncio.run(asked(port))
    assert 0 < talk.taken < MANY, "it was asked, and not taken whole"


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("drips", [False, True], ids=["endless", "dripping"])
def test_a_webhook_without_end_is_left_in_time(monkeypatch: pytest.MonkeyPatch, status: int, drips: bool) -> None:
    pytest.importorskip("apprise")
    monkeypatch.setattr(by_apprise, "LONGEST", 0.5)
    talk = Counted(dripping(head(status)) if drips else endless(head(status)))
    message = Message(Edition("title", ((Span("text", "All is well."),),)))
    with server(talk) as port:
        target = Target(1, "1", "hook", "webhook", Secret(f"json://127.0.0.1:{port}/"))
        outcome = ByApprise(lambda: datetime.now(UTC), 5.0).send(target, message)
    assert outcome.kind == ("sent" if status == 200 else "later")
    assert talk.taken < MANY


def test_faults_of_an_exchange_are_one_family() -> None:
    assert issubclass(TooLarge, NetFault)

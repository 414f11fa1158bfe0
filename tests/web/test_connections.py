"""Callers that hold connections, ask too much or guess: pages and health are answered all the same."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import cast

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from daybreak.serve.web.app import Apart
from daybreak.serve.web.guard import FREE, LONGEST_PAUSE, MOST_PENDING, Guard, Token, Tries
from daybreak.serve.web.metrics import Facts
from daybreak.serve.web.service import Joined, Limits, make_server

TIGHT = Limits(head=0.5, answer=0.5, idle=1, connections=10, running=2, turn=0.2)
WIDE = Limits(head=60.0, answer=60.0, idle=60, connections=10, running=2, turn=0.2)
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "


async def plain(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("well")(scope, receive, send)


@contextmanager
def served(app: ASGIApp, limits: Limits) -> Iterator[int]:
    server = make_server(app, limits)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def status(port: int, path: str = "/") -> int:
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        asking.request("GET", path)
        return asking.getresponse().status
    finally:
        asking.close()


@pytest.mark.parametrize("sent", [b"", HALF, b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"])
def test_connections_that_are_held_make_room_for_new_ones(sent: bytes) -> None:
    with served(plain, WIDE) as port, ExitStack() as held:
        for _ in range(5 * WIDE.connections):
            one = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(sent)
        assert [status(port) for _ in range(20)] == [200] * 20


def closed(one: socket.socket) -> bool:
    one.settimeout(30)
    try:
        while one.recv(65536):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


def test_a_head_that_does_not_come_and_one_that_drips_are_ended() -> None:
    with served(plain, TIGHT) as port:
        for sent in (b"", HALF):
            with socket.create_connection(("127.0.0.1", port)) as one:
                one.sendall(sent)
                assert closed(one)
        with socket.create_connection(("127.0.0.1", port)) as one, pytest.raises(OSError, match=r".*"):
            drip(one)


def drip(one: socket.socket) -> None:
    one.sendall(HALF)
    while True:
        one.sendall(b"y")
        time.sleep(0.02)  # there is no dripping without time


def test_more_requests_than_are_answered_at_a_time_are_told_so_and_health_is_not() -> None:
    go = threading.Event()

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/slow":
            await asyncio.to_thread(go.wait)
        await plain(scope, receive, send)

    with served(slow, WIDE) as port, ExitStack() as held:
        for _ in range(WIDE.running):
            one = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(b"GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        while status(port) != 503:  # both have begun
            pass
        assert status(port, "/healthz") == 200
        go.set()
        while status(port) != 200:
            pass


def test_health_is_answered_while_the_store_is_not() -> None:
    stuck = threading.Event()

    def look() -> Facts:
        stuck.wait()
        return Facts(datetime.now(UTC))

    async def asked() -> list[Facts]:
        health = Apart(look, 0.05)
        found = [await health(), await health()]
        stuck.set()
        return [*found, await Apart(look)()]

    first, second, third = asyncio.run(asked())
    assert first.fault == second.fault == "What was reported cannot be looked at in time."
    assert third.fault is None


class Guessing:
    """Tokens sent to a guard whose pauses are noted and not waited for."""

    def __init__(self) -> None:
        self.pauses: list[float] = []
        self.held: asyncio.Event | None = None
        self.guard = Guard(plain, Token("the right one, long enough"), tries=Tries(self.pause))

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if self.held:
            await self.held.wait()

    async def ask(self, token: str, address: str = "10.0.0.1") -> int:
        headers = [(b"host", b"x"), (b"authorization", f"Bearer {token}".encode())]
        scope: Scope = {"type": "http", "method": "GET", "path": "/api/x", "headers": headers, "client": (address, 1)}
        found: list[int] = []

        async def send(message: object) -> None:
            assert isinstance(message, dict)
            found.extend([message["status"]] if "status" in message else [])

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": b""}

        await self.guard(scope, receive, send)
        return found[0]


def test_wrong_tokens_are_answered_ever_later_and_are_told(caplog: pytest.LogCaptureFixture) -> None:
    guessing = Guessing()

    async def guess() -> list[int]:
        return [await guessing.ask("wrong") for _ in range(20)] + [await guessing.ask("the right one, long enough")]

    with caplog.at_level("WARNING"):
        assert asyncio.run(guess()) == [401] * 20 + [200]
    assert len(guessing.pauses) == 20 - FREE
    assert guessing.pauses == sorted(guessing.pauses)
    assert guessing.pauses[-1] == LONGEST_PAUSE
    assert "wrong tokens from 10.0.0.1" in caplog.text


def test_of_many_guesses_at_once_few_are_looked_at_and_others_are_not_hindered() -> None:
    guessing = Guessing()

    async def guess() -> tuple[list[int], int]:
        guessing.held = asyncio.Event()
        asked = [asyncio.create_task(guessing.ask("wrong")) for _ in range(200)]
        await asyncio.sleep(0)
        other = await guessing.ask("the right one, long enough", "10.0.0.2")
        guessing.held.set()
        return list(await asyncio.gather(*asked)), other

    answers, other = asyncio.run(guess())
    assert other == 200
    assert answers.count(401) <= FREE + MOST_PENDING
    assert answers.count(429) >= 200 - FREE - MOST_PENDING


class Sent:
    """A transport that notes what is handed to it at a time."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False

    def writelines(self, some: Sequence[bytes]) -> None:
        self.sent.append(b"".join(some))

    def close(self) -> None:
        self.closed = True


def test_the_head_of_an_answer_is_sent_with_its_body_and_none_is_kept_back() -> None:
    sent = Sent()
    joined = Joined(cast("asyncio.Transport", sent))
    for data in (b"HTTP/1.1 200 OK\r\n\r\n", b"body", b"", b"more", b"HTTP/1.1 100 Continue\r\n\r\n"):
        joined.write(data)
    assert sent.sent == [b"HTTP/1.1 200 OK\r\n\r\nbody", b"more", b"HTTP/1.1 100 Continue\r\n\r\n"]
    joined.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    joined.close()
    assert (sent.sent[-1], sent.closed) == (b"HTTP/1.1 400 Bad Request\r\n\r\n", True)

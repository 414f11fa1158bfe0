"""Two hundred readers of a day's page beside a running job: hardly slower than from a plain server of the same bytes."""

from __future__ import annotations

import asyncio
import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from demo_week import whole_copy
from program import PROGRAM

READERS = 200
PAUSE = 1.0
"""Seconds that a reader reads."""
TURN = 5.0
MOST = 4.0
DAY = "2026-03-06"
PAGE = f"/en/days/{DAY}.html"
SECONDS = float(os.environ.get("LOAD_SECONDS", "600"))
PLAIN = """
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
class Server(ThreadingHTTPServer):
    request_queue_size = 1024
server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def started(command: list[str], folder: Path, heard: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, text=True, **{heard: subprocess.PIPE})  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


async def reader(port: int, path: str, end: float, took: list[float], sizes: set[int]) -> None:
    """Reads the page again and again over one connection."""
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    while time.monotonic() < end:
        began = time.monotonic()
        outgoing.write(asked)
        head = (await incoming.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200"), head
        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await incoming.readexactly(size)
        sizes.add(size)
        took.append(time.monotonic() - began)
        await asyncio.sleep(PAUSE)
    outgoing.close()


async def readers(port: int, path: str, took: list[float], sizes: set[int]) -> None:
    end = time.monotonic() + TURN

    async def late(number: int) -> None:
        await asyncio.sleep(PAUSE * number / READERS)
        await reader(port, path, end, took, sizes)

    await asyncio.gather(*map(late, range(READERS)))


def p95(took: list[float]) -> float:
    return sorted(took)[int(len(took) * 0.95)]


@contextmanager
def both(
    demo_week: Path, folder: Path
) -> Iterator[tuple[Path, subprocess.Popen[str], int, subprocess.Popen[str], int]]:
    """Our service over a week of its own, and a plain server of the same page, each with its port."""
    week = whole_copy(demo_week, folder / "week")
    with (
        started([*PROGRAM, "serve", "--port", "0"], week, "stderr") as service,
        started([sys.executable, "-c", PLAIN], folder, "stdout") as plain,
    ):
        assert service.stderr is not None
        assert plain.stdout is not None
        line = next(line for line in service.stderr if "serving on" in line)
        port, other = int(line.rpartition(":")[2].strip(" /\n")), int(plain.stdout.readline())
        (folder / "page").write_bytes(_body(port, PAGE))
        yield week, service, port, plain, other


def spent(process: subprocess.Popen[str], port: int, path: str, times: int) -> float:
    """CPU seconds of a server for so many answers over one connection."""
    client = http.client.HTTPConnection("127.0.0.1", port)

    def used() -> float:
        told = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    began = 0.0
    for number in range(times + 5):
        if number == 5:
            began = used()
        client.request("GET", path)
        assert client.getresponse().read()
    client.close()
    return used() - began


def test_a_page_that_is_read_again_costs_little_more_than_from_a_plain_server(demo_week: Path, tmp_path: Path) -> None:
    """What keeps two hundred readers quick, without them: no store is opened, nothing is made or summed up again."""
    with both(demo_week, tmp_path) as (week, service, port, plain, other):
        spent(service, port, PAGE, 1)
        for one in (week / ".daybreak").glob("daybreak.db*"):
            os.utime(one, (1_700_000_000, 1_700_000_000))  # nobody has written for long
        assert spent(service, port, PAGE, 300) <= MOST * max(0.1, spent(plain, other, "/page", 300))


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_two_hundred_readers_beside_a_running_job_wait_little_longer_than_at_a_plain_server(
    demo_week: Path, tmp_path: Path
) -> None:
    with both(demo_week, tmp_path) as (week, _, port, __, other):
        ours: list[float] = []
        theirs: list[float] = []
        sizes: set[int] = set()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            with started([*PROGRAM, "run", "--date", DAY, "--force"], week, "stdout"):
                asyncio.run(readers(port, PAGE, ours, sizes))
            with started([*PROGRAM, "run", "--date", DAY, "--force"], week, "stdout"):
                asyncio.run(readers(other, "/page", theirs, sizes))
    print(
        f"{len(ours)} pages of ours, p95 {p95(ours):.3f} s; {len(theirs)} plain ones, p95 {p95(theirs):.3f} s; {sizes}"
    )
    assert p95(ours) <= MOST * p95(theirs)


def _body(port: int, path: str) -> bytes:
    from urllib.request import urlopen

    with urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        return bytes(answer.read())

"""Peers that do not come to an end: servers on loopback that are silent, drip or never stop, and a program that waits."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.git_program import Git
from daybreak.core.git_watch import Limits

Talk = Callable[[socket.socket, threading.Event], None]


def silent(_peer: socket.socket, over: threading.Event) -> None:
    """Takes the connection and says nothing."""
    over.wait()


def endless_refs(peer: socket.socket, over: threading.Event) -> None:
    """A git server whose list of refs never ends."""
    peer.recv(4096)
    line = b"".join(b"003f%040x refs/heads/branch\n" % number for number in range(200))
    with suppress(OSError):
        while not over.is_set():
            peer.sendall(line)


def dripping(head: bytes, drop: bytes = b"x") -> Talk:
    """An answer of HTTP that comes byte by byte and has no end."""

    def talk(peer: socket.socket, over: threading.Event) -> None:
        peer.recv(4096)
        with suppress(OSError):
            peer.sendall(head)
            while not over.wait(0.05):
                peer.sendall(drop)

    return talk


def endless(head: bytes, piece: bytes = b" " * 65536) -> Talk:
    """An answer that comes as fast as it is taken, and has no end."""

    def talk(peer: socket.socket, over: threading.Event) -> None:
        peer.recv(4096)
        with suppress(OSError):
            peer.sendall(head)
            while not over.is_set():
                peer.sendall(piece)

    return talk


DROP = 0.2
"""Seconds between two bytes of a place that drips: what is left of its words must take longer than a slow machine looks away."""
MANNERS = ("silent", "dripping", "endless")
"""What a peer does from the middle of its words on: it says nothing, a byte at a time, or never ends."""


class Relay:
    """Carries bytes to a server and back, until so many were said; what comes then follows its manner.

    It hangs up only when its peer did: what the peer still says must not turn into a broken connection, which could cost it
    the answer that is on its way.
    """

    def __init__(self, port: int) -> None:
        self._port, self.said, self.most, self.manner = port, 0, 1 << 60, "silent"

    def __call__(self, peer: socket.socket, over: threading.Event) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._port)) as behind:
            asks = threading.Thread(target=self._ask, args=(peer, behind), daemon=True)
            asks.start()
            while data := behind.recv(65536):
                room = max(0, self.most - self.said)
                self.said += len(data)
                peer.sendall(data[:room])
                if self.said > self.most:
                    self._hang(peer, data[room:], over)
                    return
            peer.shutdown(socket.SHUT_WR)
            asks.join()

    def _hang(self, peer: socket.socket, rest: bytes, over: threading.Event) -> None:
        while self.manner == "endless" and not over.is_set():
            peer.sendall(rest)
        for byte in rest if self.manner == "dripping" else b"":
            if over.wait(DROP):
                return
            peer.sendall(bytes((byte,)))
        over.wait()

    @staticmethod
    def _ask(peer: socket.socket, behind: socket.socket) -> None:
        with suppress(OSError):
            while data := peer.recv(65536):
                behind.sendall(data)
            behind.shutdown(socket.SHUT_WR)


@contextmanager
def server(talk: Talk) -> Iterator[int]:
    """The port of a peer that talks so with everybody who comes."""
    over = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))

    def one(peer: socket.socket) -> None:
        with peer:
            talk(peer, over)

    def serve() -> None:
        with suppress(OSError):
            while True:
                peer, _ = listening.accept()
                threading.Thread(target=one, args=(peer,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def hurry(patch: pytest.MonkeyPatch, limits: Limits, peer: str = "127.0.0.1") -> None:
    """Gits that talk to a peer, told by its address or its mirror's, get this long, and all others what they always get: on
    a busy machine a git that reads a good repository takes longer than anybody wants to wait for one that hangs.
    """
    begun = Git._begun

    def limited(git: Git, args: Any, at: Path | None, *rest: Any, **how: Any) -> AbstractContextManager[Any]:
        there = any(peer in one for one in (*args, str(at)))
        return begun(replace(git, limits=limits) if there else git, args, at, *rest, **how)

    patch.setattr(Git, "_begun", limited)


def waiting_program(folder: Path) -> Path:
    """A program that only waits, as an `ssh` does whose peer is gone; it leaves its number behind."""
    path = folder / "waits"
    path.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\nexec sleep 600\n", encoding="ascii")
    path.chmod(0o755)
    return path

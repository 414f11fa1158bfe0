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


def hurry(patch: pytest.MonkeyPatch, limits: Limits) -> None:
    """Gits that talk to a peer on loopback get this long, and all others what they always get: on a busy machine a git that
    reads a good repository takes longer than anybody wants to wait for one that hangs.
    """
    begun = Git._begun

    def limited(git: Git, args: Any, *rest: Any, **how: Any) -> AbstractContextManager[Any]:
        there = any("127.0.0.1" in one for one in args)
        return begun(replace(git, limits=limits) if there else git, args, *rest, **how)

    patch.setattr(Git, "_begun", limited)


def waiting_program(folder: Path) -> Path:
    """A program that only waits, as an `ssh` does whose peer is gone; it leaves its number behind."""
    path = folder / "waits"
    path.write_text(f"#!/bin/sh\necho $$ > {folder}/pid\nexec sleep 600\n", encoding="ascii")
    path.chmod(0o755)
    return path

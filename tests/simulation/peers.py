"""What stands around the program in a simulated world and may fail: a git server, the gits it starts, its disk, its model."""

from __future__ import annotations

import errno
import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from fake_model import Asked, Reply
from faults.test_failing_git import ENDS, SPEAKING
from simulation.upstreams import daemon, ended

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class GitServer:
    """Serves the repositories of a folder over the protocol of git, as well as its mode lets it."""

    def __init__(self, root: Path) -> None:
        self._root, self.mode, self.after = root, "open", 0
        self._over = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._over.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self._listening.accept()
                threading.Thread(target=self._talk, args=(peer, self.mode, self.after), daemon=True).start()

    def _talk(self, peer: socket.socket, mode: str, after: int) -> None:
        with peer, suppress(OSError):
            if mode == "shut":
                return
            if mode == "silent":
                peer.recv(65536)
                while peer.recv(65536) and not self._over.is_set():
                    pass
                return
            self._served(peer, mode, after)

    def _served(self, peer: socket.socket, mode: str, after: int) -> None:
        """As git does it; `cut`: until so many bytes were said, `drip`: from there on a byte at a time."""
        process = subprocess.Popen(
            daemon(self._root), stdin=peer.fileno(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert process.stdout is not None
        said = 0
        try:
            while piece := process.stdout.read(65536 if mode == "open" or said < after else 1):
                if mode == "cut" and said + len(piece) > after:
                    return
                peer.sendall(piece)
                said += len(piece)
                if mode == "drip" and said >= after and self._over.wait(0.05):
                    return
        finally:
            ended(process)
            process.stdout.close()


class Gits:
    """The gits that a run starts; the one whose turn it is ends as it should not."""

    def __init__(self) -> None:
        self.turn, self.end, self.started = 0, "", 0
        self._lock = threading.Lock()

    def popen(self) -> type:
        ours, real = self, subprocess.Popen

        class Started(real):  # type: ignore[valid-type, misc]
            def __init__(self, command: Any, *rest: Any, **how: Any) -> None:
                super().__init__(ours.changed(command), *rest, **how)

        return Started

    def changed(self, command: Any) -> Any:
        if isinstance(command, str) or "daemon" in command or not str(command[0]).endswith("git"):
            return command
        with self._lock:
            self.started += 1
            if self.started != self.turn:
                return command
        return (*ENDS[self.end], *(("sh", *command) if self.end in SPEAKING else ()))


class Disk:
    """Refuses the n-th opening for writing below a folder, and those after it for as long as it is full."""

    def __init__(self) -> None:
        self.folder, self.left, self.refusals, self.counts = "", -1, 0, False
        sys.addaudithook(self._audit)

    def fill(self, folder: Path, left: int, refusals: int) -> None:
        """From the next run on: what else goes wrong is still to be drawn."""
        self.folder, self.left, self.refusals = str(folder), left, refusals

    def clear(self) -> None:
        self.left, self.counts = -1, False

    def _audit(self, event: str, details: tuple[Any, ...]) -> None:
        if (
            not self.counts
            or self.left < 0
            or event != "open"
            or not isinstance(details[2], int)
            or not details[2] & WRITING
        ):
            return
        if not str(details[0]).startswith(self.folder):
            return
        self.left -= self.left > 0
        if not self.left and self.refusals:
            self.refusals -= 1
            raise OSError(errno.ENOSPC, "No space left on device", str(details[0]))


DISK = Disk()
"""One for all: what listens to a Python cannot be taken away again."""


def say(asked: Asked) -> Reply:
    """A model that says of a new function what its diff says."""
    if '{"tells"' not in asked.user:
        return {"statements": []}
    rows = []
    for found in re.finditer(r"^\+def (step_\d+)\(request\):$", asked.user, re.MULTILINE):
        name = found[1]
        spans = [{"at": "D1", "line": f"+def {name}(request):"}]
        rows.append(
            {"role": "what", "spans": spans, "zh": f"新增函数 `{name}`。", "en": f"Adds the function `{name}`."}
        )
    return {"tells": rows[:1], "hit": "nobody", "severity": "internal", "lost": [], "fault": [], "wrong_findings": []}

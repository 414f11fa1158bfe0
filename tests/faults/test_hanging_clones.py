"""Upstreams that hang, drip or never end in the middle of a clone or a fetch: the day is there in time, the next run has it all."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import product
from pathlib import Path
from random import Random

import pytest

import program
from daybreak.core.git_watch import Limits
from faults.hanging import MANNERS, Relay, hurry, server
from faults.test_failing_git import reports, without_completion
from faults.test_hanging_pushes import over_git, over_http
from gitrepo import GitRepo, clean_environment

DAYS = ("2026-01-18", "2026-01-19")
SHORT = Limits(silence=0.8, asking=0.8, greeting=0.8, transfer=20.0, reading=20.0, largest=64 << 20)
PUMP = """
import os, socket, threading
peer = socket.create_connection(("127.0.0.1", {port}))
def asks():
    while data := os.read(0, 65536):
        peer.sendall(data)
    peer.shutdown(socket.SHUT_WR)
threading.Thread(target=asks, daemon=True).start()
while data := peer.recv(65536):
    os.write(1, data)
"""


@contextmanager
def over_ssh(root: Path) -> Iterator[int]:
    """What an `ssh` would start on the other side."""

    def talk(peer: socket.socket, _: threading.Event) -> None:
        command = ["git", "upload-pack", str(root / "bad.git")]
        own = clean_environment(root)
        with suppress(OSError):
            subprocess.run(command, stdin=peer.fileno(), stdout=peer.fileno(), stderr=subprocess.DEVNULL, env=own, check=False)  # fmt: skip
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536):
                pass

    with server(talk) as port:
        yield port


WAYS: dict[str, tuple[Callable[[Path], object], str]] = {
    "git": (over_git, "git://127.0.0.1:{port}/bad.git"),
    "http": (over_http, "http://127.0.0.1:{port}/bad.git"),
    "ssh": (over_ssh, "ssh://127.0.0.1/bad.git"),
}
STEPS = ("clone", "fetch")
ALL = list(product(WAYS, MANNERS, STEPS, (0.0, 0.2, 0.5, 0.8, 0.99)))
SOME = Random(26).sample(ALL, 4)


class Upstreams:
    """A good repository and one behind a relay, and a folder that reports both."""

    def __init__(self, root: Path, way: str, held: ExitStack) -> None:
        self.folder = root / "place"
        self.folder.mkdir(parents=True)
        self.good, self.bad = (GitRepo.make(root / f"{name}.git") for name in ("good", "bad"))
        opened, address = WAYS[way]
        self.relay = Relay(held.enter_context(opened(root)))  # type: ignore[arg-type]
        port = held.enter_context(server(self.relay))
        pump = root / "ssh"
        pump.write_text(f"#!/bin/sh\nexec {sys.executable} {root}/pump.py\n", encoding="ascii")
        (root / "pump.py").write_text(PUMP.format(port=port), encoding="ascii")
        pump.chmod(0o755)
        rows = f'[[repo]]\nname = "org/bad"\ngit = "{address.format(port=port)}"\n'
        rows += f'[[repo]]\nname = "org/good"\ngit = "{self.good.path}"\n'
        (self.folder / "daybreak.toml").write_text(f'timezone = "UTC"\nlanguages = ["en"]\n{rows}', encoding="utf-8")
        self._ssh = {"GIT_SSH_COMMAND": str(pump), "GIT_SSH_VARIANT": "ssh"}

    def bring(self, number: int) -> None:
        """A commit of that day in each, with noise that no packing makes small."""
        for repo in (self.good, self.bad):
            files = {"pkg/a.py": f"def step_{number}(request):\n    return {number}\n", "noise": Random(number).randbytes(3000).hex()}  # fmt: skip
            repo.commit(f"Add step {number}", files, at=f"{DAYS[number]}T10:00:00")

    def run(self, number: int = 1) -> tuple[int, str]:
        answer = program.run("run", "--date", DAYS[number], "--force", cwd=self.folder, env=self._ssh)
        return answer.returncode, answer.stderr


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("way", "manner", "step", "share"),
    [pytest.param(*one, marks=() if one in SOME else pytest.mark.soak) for one in ALL],
)
def test_an_upstream_that_hangs_midway_is_named_and_the_next_run_has_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, manner: str, step: str, share: float
) -> None:
    with ExitStack() as held:
        calm, other = (Upstreams(tmp_path / name, way, held) for name in ("calm", "other"))
        for one in (calm, other):
            one.bring(0)
            if step == "fetch":
                assert one.run(0)[0] == 0
                one.relay.said = 0
            one.bring(1)
        code, said = calm.run()
        assert code == 0, said
        expected = without_completion(reports(calm.folder))
        other.relay.most, other.relay.manner = int(share * calm.relay.said), manner
        with monkeypatch.context() as short:
            for peer in ("127.0.0.1", "bad.git"):
                hurry(short, SHORT, peer)
            code, said = other.run()
        found = without_completion(reports(other.folder))
        if code:
            assert (code, "skipped: org/bad" in said) == (3, True), said
            assert any(b"Add step 1" in row for row in found[f"reports/{DAYS[1]}.md"]), "the good one is reported"
        else:
            assert (manner == "silent", found) == (False, expected), "its last words may come in time"
        other.relay.most = 1 << 60
        code, said = other.run()
        assert code == 0, said
        assert without_completion(reports(other.folder)) == expected


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_folder_whose_disk_does_not_answer_costs_its_repository_and_not_the_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    hurry(monkeypatch, Limits(silence=0.6, asking=0.6, greeting=0.6, transfer=0.6, reading=0.6), "bad.git")
    with ExitStack() as held:
        place = Upstreams(tmp_path, "git", held)
        place.bring(1)
        config = place.folder / "daybreak.toml"
        rows = [
            f'git = "{scheme}{place.bad.path}"' if '/bad.git"' in row else row for row in config.read_text().split("\n")
        ]
        config.write_text("\n".join(rows), encoding="utf-8")
        (place.bad.path / "HEAD").unlink()
        os.mkfifo(place.bad.path / "HEAD")
        code, said = place.run()
        assert (code, "skipped: org/bad" in said) == (3, True), said
        assert b"Add step 1" in reports(place.folder)[f"reports/{DAYS[1]}.md"]

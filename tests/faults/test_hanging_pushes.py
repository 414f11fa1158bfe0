"""Places that pages are published to and that hang or drip at any step: the day is there in time, the next run publishes."""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

import program
from daybreak.core.git_watch import Limits
from daybreak.core.http import Http, Patience
from daybreak.deliver.publish import github_api
from faults.hanging import MANNERS, Relay, hurry, server, waiting_program
from gitrepo import GitRepo, clean_environment
from publish.posts_server import Posts
from publish.test_git_http import handler

DAY = "2026-01-19"
SHORT = Limits(silence=0.8, asking=0.8, transfer=30.0, reading=30.0)
HURRY = Patience(connect=0.5, read=0.5, whole=1.0)
SHARES = (0.0, 0.5, *(pytest.param(one, marks=pytest.mark.soak) for one in (0.2, 0.8, 0.99)))


@contextmanager
def over_git(root: Path) -> Iterator[int]:
    def talk(peer: socket.socket, _: threading.Event) -> None:
        command = ["git", "daemon", "--inetd", "--export-all", "--enable=receive-pack", f"--base-path={root}"]
        own, nobody = clean_environment(root), subprocess.DEVNULL
        subprocess.run(command, stdin=peer.fileno(), stdout=peer.fileno(), stderr=nobody, env=own, check=False)
        with suppress(OSError):
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(65536):
                pass

    with server(talk) as port:
        yield port


@contextmanager
def over_http(root: Path) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(root, open_to_all=True)) as made:
        threading.Thread(target=lambda: made.serve_forever(poll_interval=0.005), daemon=True).start()
        yield made.server_port
        made.shutdown()


@contextmanager
def posts(_: Path) -> Iterator[int]:
    with Posts() as made:
        yield int(made.url.rpartition(":")[2])


ISSUES = 'github_issue = "us/news"\n[github]\napi = "http://127.0.0.1:{port}"\nask = false'
WAYS = {
    "git": (over_git, 'git = "git://127.0.0.1:{port}/news.git"', 'git = "{root}/news.git"'),
    "http": (over_http, 'git = "http://127.0.0.1:{port}/news.git"', 'git = "{root}/news.git"'),
    "issues": (posts, ISSUES, ISSUES),
}
"""How a place is opened; how it is named where it hangs, and to the next run: by its folder, where it has one."""


def reported(root: Path, publish: str) -> tuple[int, str]:
    """The end of a run and what it said; the day is there whatever became of its publishing."""
    folder = root / "place"
    folder.mkdir(exist_ok=True)
    row = f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "org/good"\ngit = "{root}/good.git"\n'
    (folder / "daybreak.toml").write_text(f"{row}[publish]\n{publish}\n", encoding="utf-8")
    env = {"DAYBREAK_NOW": "2026-01-20T06:00:00+00:00", "GITHUB_TOKEN": "ghp_" + "Zt9" * 12}
    answer = program.run("run", "--date", DAY, cwd=folder, env=env)
    assert "Add a thing" in (folder / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    return answer.returncode, answer.stderr


def published(root: Path, publish: str) -> None:
    code, said = reported(root, publish)
    assert code == 0, said


def prepare(root: Path) -> Path:
    root.mkdir()
    GitRepo.make(root / "news.git")
    good = GitRepo.make(root / "good.git")
    good.commit("Add a thing (#3)", {"pkg/a.py": "def other(request):\n    return 2\n"}, at=f"{DAY}T10:00:00")
    return root


@pytest.mark.timeout(600)
@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("manner", [*MANNERS[:2], pytest.param(MANNERS[2], marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", WAYS)
def test_a_place_that_hangs_costs_its_publishing_and_the_next_run_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, manner: str, share: float
) -> None:
    opened, hanging, there = WAYS[way]
    monkeypatch.setattr(github_api.Github, "_wait", lambda *_: None)
    with ExitStack() as held:
        calm, root = prepare(tmp_path / "calm"), prepare(tmp_path / "other")
        whole = Relay(held.enter_context(opened(calm)))
        _, said = reported(calm, hanging.format(port=held.enter_context(server(whole))))
        assert whole.said > 0, said  # what a place says in all; whether that was enough is no matter here
        behind = held.enter_context(opened(root))
        relay = Relay(behind)
        relay.most, relay.manner = int(share * whole.said), manner
        with server(relay) as port, monkeypatch.context() as short:
            hurry(short, SHORT)
            short.setattr(Http.__init__, "__defaults__", (HURRY, *(Http.__init__.__defaults__ or ())[1:]))
            code, said = reported(root, hanging.format(port=port))
        if code or manner == "silent" or (manner == "dripping" and share < 0.9):  # the last drops may come in time
            assert (code, "next run" in said) == (3, True), said
        published(root, there.format(port=behind, root=root))


def test_an_ssh_that_waits_while_it_pushes_is_ended_and_the_next_run_pushes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = prepare(tmp_path / "root")
    through, waits = tmp_path / "ssh", waiting_program(tmp_path)
    ask = 'for last; do :; done\ncase "$last" in *receive-pack*) {} ;; esac\nexec sh -c "$last"\n'
    through.write_text("#!/bin/sh\n" + ask.format(f"exec {waits}"), encoding="ascii")
    through.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(through))
    publish = f'git = "ssh://127.0.0.1{root}/news.git"'
    with monkeypatch.context() as short:
        hurry(short, SHORT)
        code, said = reported(root, publish)
    assert (code, "does not answer" in said) == (3, True), said
    through.write_text("#!/bin/sh\n" + ask.format(":"), encoding="ascii")
    published(root, publish)

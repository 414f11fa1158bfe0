"""Addresses with secrets: git is let in by them, and they stand nowhere else: no page, store, message, file or process."""

from __future__ import annotations

import base64
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import program
from daybreak.core.address import Address, readable
from gitrepo import GitRepo

SECRET = "Wz9q-secret"
BARE = {
    "https://u:p@github.com/a/b.git": ("https://github.com/a/b.git", "u", "p"),
    "https://u:p@s/w x@host.org:8443/a": ("https://host.org:8443/a", "u", "p@s/w x"),
    "https://u:p%40s@host.org/a": ("https://host.org/a", "u", "p@s"),
    "https://token@github.com/a/b": ("https://github.com/a/b", "token", ""),
    "https://host.org/a?access_token=x": ("https://host.org/a", "", "x"),
    "https:u:p@host.org/a": ("https://host.org/a", "u", "p"),
    "https://u:1/2@host.org/a": ("https://host.org/a", "u", "1/2"),
    "git://u:p@host.org/a": ("git://host.org/a", "", ""),
    "ssh://git:p@host.org:22/a": ("ssh://git@host.org:22/a", "", ""),
    "u:p@host:a/b": ("u@host:a/b", "", ""),
}
AS_THEY_ARE = (
    *("https://github.com/a/b.git", "https://host.org/p@v2/x.git", "http://intranet/a@b", "git@github.com:a/b.git"),
    *("ssh://git@host.org/a", "/home/me/a@b/c", "file:///a@b/c", "http://127.0.0.1:8000/a@b", "../a:b@c"),
)


@pytest.mark.parametrize("text", BARE)
def test_an_address_has_a_bare_form_and_its_secrets_stand_apart(text: str) -> None:
    found = Address.of(text)
    assert (found.bare, found.user, found.secret) == BARE[text]
    assert found.secret not in repr(found) or not found.secret.strip("px1/2")


@pytest.mark.parametrize("text", AS_THEY_ARE)
def test_an_address_without_secrets_stays_as_it_is(text: str) -> None:
    assert Address.of(text) == Address(text)


def test_words_of_others_lose_what_stands_before_a_host_and_tokens_in_a_query() -> None:
    assert (
        readable("unable to access 'https://u:p@s/w@host.org/x/': no")
        == "unable to access 'https://***@host.org/x/': no"
    )
    assert readable("see https://x.org/a?b=1&private_token=abc&c=2") == "see https://x.org/a?b=1&***&c=2"


class Door(ThreadingHTTPServer):
    """Asks for a password, notes what it is given and who shows it, and has no repository."""

    given: set[str]
    shown: set[str]


class Asking(BaseHTTPRequestHandler):
    server: Door

    def do_GET(self) -> None:
        self.server.shown |= {one for one in commands() if SECRET in one} | (
            {self.path} if SECRET in self.path else set()
        )
        words = self.headers.get("authorization", "")
        self.server.given.add(words)
        self.send_response(404 if words else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


def commands() -> Iterator[str]:
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield place.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue


@pytest.fixture
def door() -> Iterator[Door]:
    with Door(("127.0.0.1", 0), Asking) as made:
        made.given, made.shown = set(), set()
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "form",
    ["http://ann:{}@{}/x.git", "http://ann:{}%2F@{}/x.git", "http://{}@{}/x.git", "http://{1}/x.git?access_token={0}"],
)
def test_a_run_lets_git_in_and_leaves_the_secret_nowhere(tmp_path: Path, door: Door, form: str) -> None:
    good = GitRepo.make(tmp_path / "good.git")
    good.commit("Add a thing", {"a": "1\n"})
    home = tmp_path / "place"
    home.mkdir()
    address = form.format(SECRET, f"127.0.0.1:{door.server_port}")
    rows = f'[[repo]]\nname = "org/bad"\nurl = "{address}"\ngit = "{address}"\n[[repo]]\nname = "org/good"\ngit = "{good.path}"\n'
    (home / "daybreak.toml").write_text(f'timezone = "UTC"\n{rows}', encoding="utf-8")
    answer = program.run("run", "--date", "2026-01-19", "--verbose", cwd=home)
    assert answer.returncode == 3, answer.stderr
    assert_kept_apart(door, home, answer)


@pytest.mark.parametrize(
    "command", ["show|0123abc", "range|org/bad|v1..v2", "grade|org/bad|--commits|-", "impact|.|--range|org/bad|v1..v2"]
)
def test_a_question_by_an_address_lets_git_in_and_leaves_the_secret_nowhere(
    tmp_path: Path, door: Door, command: str
) -> None:
    home = tmp_path / "place"
    home.mkdir()
    address = f"http://ann:{SECRET}@127.0.0.1:{door.server_port}/x.git"
    env = {"XDG_CACHE_HOME": str(home)}
    answer = program.run(*command.split("|"), "--git", address, "--verbose", cwd=home, env=env, stdin="0123abc\n")
    assert answer.returncode == 1, answer.stderr
    assert_kept_apart(door, home, answer)
    assert home.joinpath("daybreak").stat().st_mode & 0o077 == 0, "what is kept of a private repository is its owner's"


def assert_kept_apart(door: Door, home: Path, answer: subprocess.CompletedProcess[str]) -> None:
    """Git was let in by the secret, and no message, process or file has it but the config."""
    given = [base64.b64decode(words.removeprefix("Basic ")).decode() for words in door.given if words]
    assert given
    assert all(SECRET in words for words in given)
    assert door.shown == set()
    assert SECRET not in answer.stdout + answer.stderr
    left = [path for path in home.rglob("*") if path.is_file() and path.name != "daybreak.toml"]
    assert [path for path in left if SECRET.encode() in path.read_bytes()] == []

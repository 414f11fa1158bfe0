"""Pushing over HTTP with a password: the user's own credential helper is asked, the token of the environment is offered."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from daybreak.core.errors import PublishError
from daybreak.core.git_program import Git
from daybreak.deliver.publish.folder import own_files
from daybreak.deliver.publish.git_branch import _OFFER, GitBranch, Target
from gitrepo import GitRepo, clean_environment

SECRET = "hunter22-secret"


def handler(root: Path, open_to_all: bool = False) -> type[BaseHTTPRequestHandler]:
    """`git http-backend` behind a password."""
    wanted = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nothing."""

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if not open_to_all and self.headers.get("authorization") != wanted:
                self._send(401, {"www-authenticate": "Basic realm=x"}, b"no")
                return
            path, _, query = self.path.partition("?")
            told = {
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "REMOTE_USER": "me",
            }
            env = clean_environment(root) | told
            out = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=True).stdout
            head, _, rest = out.partition(b"\r\n\r\n")
            lines = [line.partition(": ") for line in head.decode().split("\r\n")]
            headers = {name.lower(): value for name, _, value in lines}
            self._send(int(headers.pop("status", "200 OK").split()[0]), headers, rest)

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    GitRepo.make(tmp_path / "root" / "news.git")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(tmp_path / "root"))
    thread = Thread(target=lambda: server.serve_forever(poll_interval=0.005), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/news.git"
    server.shutdown()
    thread.join()
    server.server_close()


def branch(tmp_path: Path, address: str) -> tuple[GitBranch, Path]:
    out = tmp_path / "out"
    (out / "reports").mkdir(parents=True)
    (out / "reports" / "2026-01-19.md").write_text("<!-- daybreak.report/1 -->\n")
    git = Git(dict(os.environ))
    git.take_user_settings(tmp_path / "state")
    target = Target(address, "reports", "", "Daybreak", "d@example.invalid")
    return GitBranch(git, target, tmp_path / "state" / "clone.git", datetime(2026, 1, 20, tzinfo=UTC)), out


def test_the_users_helper_is_asked_and_its_secret_is_written_nowhere(
    tmp_path: Path, own_home: Path, address: str
) -> None:
    helper = f'!f() {{ test "$1" = get && echo username=me && echo password={SECRET}; }}; f'
    quoted = helper.replace("\\", "\\\\").replace('"', '\\"')
    (own_home / ".gitconfig").write_text(f'[credential]\n\thelper = "{quoted}"\n')
    made, out = branch(tmp_path, address)
    pushed = made.publish(out, own_files(out))
    assert GitRepo(tmp_path / "root" / "news.git").oid("reports") == pushed.commit
    written = b"".join(path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file())
    assert SECRET.encode() not in written


def test_without_credentials_nobody_is_asked_and_one_sentence_is_said(tmp_path: Path, address: str) -> None:
    made, out = branch(tmp_path, address)
    with pytest.raises(PublishError, match="does not accept our credentials") as caught:
        made.publish(out, own_files(out))
    assert "credential helper" in caught.value.tip


def test_a_wrong_password_is_refused_without_being_said(tmp_path: Path, address: str) -> None:
    made, out = branch(tmp_path, address.replace("//", "//me:wrong-password@"))
    with pytest.raises(PublishError) as caught:
        made.publish(out, own_files(out))
    assert "does not accept our credentials" in caught.value.message
    assert "wrong-password" not in caught.value.message + caught.value.tip


@pytest.mark.parametrize(
    ("host", "offered"), [("github.com", True), ("github.com.evil.example", False), ("evil.example", False)]
)
def test_the_token_is_offered_to_its_host_alone(tmp_path: Path, host: str, offered: bool) -> None:
    git = Git({**os.environ, "GITHUB_TOKEN": "ghp_offered"})
    asked = ("-c", f"credential.https://github.com.helper={_OFFER}", "credential", "fill")
    stdin = f"protocol=https\nhost={host}\n\n".encode()
    if offered:
        said = git.run(*asked, stdin=stdin).decode()
        assert "username=x-access-token\npassword=ghp_offered\n" in said
    else:
        with pytest.raises(Exception, match="terminal prompts disabled"):
            git.run(*asked, stdin=stdin)

"""Remotes: cloned once with all contents, judged as a folder is, and clear words when they do not answer."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import TYPE_CHECKING

import pytest

from daybreak.collect.git.chain import explain, lacks_objects
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from faults.test_flips import flipped
from gitrepo import GitRepo, clean_environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import Collector


@pytest.fixture
def served(repo: GitRepo) -> GitRepo:
    """A repository whose server can leave blobs out."""
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("base", {f"f{n}": f"{n}\n" for n in range(20)}, at="2026-01-10T00:00:00")
    repo.commit("one", {"f1": "new\n", "f2": None, "g2": "2\nmore\n"})
    repo.commit("two", {"f3": "new\n", "f4": "4\n4\n"})
    return repo


@pytest.fixture
def logging_git(tmp_path: Path) -> tuple[str, Path]:
    """A git that notes each command it is given, those of its children too."""
    log = tmp_path / "commands.log"
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "git"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {log}\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    return str(program), log


def mirror(collector: Collector) -> GitRepo:
    return GitRepo(collector.mirrors / "org+project.git")


def test_a_remote_is_cloned_with_all_contents_and_asked_once(
    served: GitRepo, collector: Collector, logging_git: tuple[str, Path]
) -> None:
    collector.program, log = logging_git
    found = collector.collect(f"file://{served.path}")
    assert [(change.subject, change.added, change.deleted) for change in found.changes] == [
        ("two", 2, 1),
        ("one", 3, 2),
    ]
    assert not found.skipped
    there = mirror(collector).text("cat-file", "--batch-all-objects", "--batch-check").splitlines()
    assert sum(" blob " in row for row in there) == 23
    log.write_text("")
    assert collector.collect(f"file://{served.path}") == found
    assert not [command for command in log.read_text().splitlines() if " fetch " in f" {command} "]


def test_a_clone_is_judged_as_the_folder_itself(served: GitRepo, collector: Collector) -> None:
    served.commit("base of a release", {"run.py": "def run(size):\n    return size // 0\n"}, at="2026-01-11T00:00:00")
    served.git("tag", "v1.0.0", "main")
    served.commit("Fix division", {"run.py": "def run(size):\n    return size // 2\n"})
    cloned = collector.collect(f"file://{served.path}")
    shutil.rmtree(collector.mirrors)
    local = collector.collect(served, name="org/project")
    assert cloned.exposed == local.exposed != {}
    assert cloned.changes == local.changes


def test_a_mirror_made_without_contents_is_made_anew_with_them(served: GitRepo, collector: Collector) -> None:
    address = f"file://{served.path}"
    collector.mirrors.mkdir(parents=True)
    partial = ["git", "clone", "-q", "--bare", "--filter=blob:none", address, str(mirror(collector).path)]
    subprocess.run(partial, check=True, env=clean_environment(collector.mirrors))
    found = collector.collect(address)
    assert not found.skipped
    assert all(file.patch for change in found.changes for file in change.files)
    assert any("no file contents" in said for said in collector.said)


def test_what_is_missing_is_found_without_a_server(served: GitRepo, collector: Collector) -> None:
    collector.collect(f"file://{served.path}")
    there = served.oid("main^{tree}")
    git = Git(dict(os.environ))
    assert git.missing(mirror(collector).path, [there, "1" * 40]) == {"1" * 40}
    assert git.missing(mirror(collector).path, []) == set()


def test_new_commits_and_rewritten_ones_are_fetched(served: GitRepo, collector: Collector) -> None:
    address = f"file://{served.path}"
    collector.collect(address)
    new = served.commit("three", {"f5": "x\n"})
    assert collector.collect(address).changes[0].sha == new
    served.move(served.oid("main~2"))
    other = served.commit("instead", {"f6": "x\n"})
    found = collector.collect(address)
    assert (found.changes[0].sha, found.skipped) == (other, ())
    assert len(found.changes) == 2


def test_a_tag_on_a_commit_that_was_fetched_before_is_fetched_though_the_branch_stays(
    served: GitRepo, collector: Collector
) -> None:
    collector.collect(f"file://{served.path}")
    served.git("tag", "v1.0.0", "main")
    collector.collect(f"file://{served.path}")
    assert "v1.0.0" in mirror(collector).text("tag").split()


def test_offline_uses_the_disk_alone(served: GitRepo, collector: Collector) -> None:
    address = f"file://{served.path}"
    missing = collector.collect(address, offline=True)
    assert missing.in_git is None
    assert "no mirror on disk" in missing.skipped[0].reason
    before = collector.collect(address)
    served.commit("unseen", {"f7": "x\n"})
    assert collector.collect(address, offline=True) == before


def test_a_port_nobody_listens_on_is_said_not_to_answer(collector: Collector) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    found = collector.collect(f"http://user:secret@127.0.0.1:{port}/x.git")
    assert "does not answer" in found.skipped[0].reason
    assert "secret" not in found.skipped[0].reason + "".join(collector.said)


def test_a_host_without_address_is_told_as_no_network(collector: Collector) -> None:
    found = collector.collect("https://no-such-host.invalid/x.git")
    assert "no network" in found.skipped[0].reason


def test_a_server_whose_own_copy_lacks_an_object_is_said_to_lack_it(
    served: GitRepo, collector: Collector, tmp_path: Path
) -> None:
    shutil.copytree(served.path, tmp_path / "torn")
    torn = GitRepo(tmp_path / "torn")
    torn.lose(torn.oid("main:f1"))
    (skipped,) = collector.collect(f"file://{torn.path}").skipped
    assert "objects that it needs are missing from" in skipped.reason, skipped


def test_git_s_words_are_told_without_how_far_it_was(tmp_path: Path) -> None:
    program = tmp_path / "git"
    words = "remote: Enumerating objects: 8, done.\nremote: Counting objects:  12% (1/8)        \r"
    words += "Receiving objects: 100% (8/8), 1.20 MiB | 19.7 MiB/s\rfatal: 7% of it is lost\n"
    program.write_text(f"#!/bin/sh\nprintf '{words.replace('%', '%%')}' >&2\nexit 128\n")
    program.chmod(0o755)
    with pytest.raises(GitError) as said:
        Git(clean_environment(tmp_path), program=str(program)).run("clone")
    assert said.value.detail == "fatal: 7% of it is lost"


def test_an_address_that_the_user_s_git_config_leads_elsewhere_is_told_with_that(
    collector: Collector, tmp_path: Path
) -> None:
    error = GitError("", detail="fatal: '/srv/copies/x.git' does not appear to be a git repository")
    for address, sent in (("https://example.org/x.git", True), ("git@example.org:x.git", False), ("/srv/x", False)):
        assert ("git was sent to /srv/copies/x.git" in explain(error, address).tip) is sent


@pytest.mark.parametrize("address", ["ext::sh -c 'touch {mark}'", "fd::7", "nonsense://x/y"])
def test_exotic_protocols_are_refused_and_run_nothing(collector: Collector, tmp_path: Path, address: str) -> None:
    mark = tmp_path / "ran"
    found = collector.collect(address.format(mark=mark))
    assert found.skipped
    assert "protocol" in found.skipped[0].reason
    assert not mark.exists()


class GitOverHttp(BaseHTTPRequestHandler):
    """`git http-backend` as a server on this machine."""

    root: str
    requests: list[str]

    def do_GET(self) -> None:
        self.answer(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(body)

    def answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        self.requests.append(f"{self.command} {path}")
        env = clean_environment(self.server_root()) | {
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_ADDR": "127.0.0.1",
        }
        out = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False).stdout
        head, _, content = out.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        self.send_response(int(lines.pop("Status", "200 OK").split()[0]))
        for name, value in lines.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def server_root(self) -> Path:
        from pathlib import Path

        return Path(self.root)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def http(served: GitRepo) -> Iterator[tuple[str, list[str]]]:
    requests: list[str] = []
    handler = type("Handler", (GitOverHttp,), {"root": str(served.path.parent), "requests": requests})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/{served.path.name}", requests
    server.shutdown()
    thread.join()
    server.server_close()


def test_smart_http_gives_the_same_as_the_path(
    served: GitRepo, collector: Collector, http: tuple[str, list[str]]
) -> None:
    address, requests = http
    found = collector.collect(address)
    assert found.changes == collector.collect(served, name="org/project").changes
    assert not found.skipped
    assert sum(request.startswith("POST") for request in requests) <= 5


def test_a_repository_the_server_does_not_have(collector: Collector, http: tuple[str, list[str]]) -> None:
    found = collector.collect(http[0].replace("upstream", "other"))
    assert found.in_git is None
    assert found.skipped
    assert "Daybreak" not in found.skipped[0].reason


def test_several_repositories_at_once(tmp_path: Path, collector: Collector) -> None:
    repos = [GitRepo.make(tmp_path / f"r{n}.git") for n in range(6)]
    shas = [repo.commit("x", {"a": str(n)}) for n, repo in enumerate(repos)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pair: collector.collect(pair[1], name=f"org/r{pair[0]}"), enumerate(repos)))
    assert [part.changes[0].sha for part in found] == shas


@pytest.mark.parametrize("lost", ["main:f3", "main~2", "main~1^{tree}"])
@pytest.mark.parametrize("damaged", [False, True])
def test_a_clone_whose_objects_are_lost_or_damaged_is_made_anew_once(
    served: GitRepo, collector: Collector, lost: str, damaged: bool
) -> None:
    address = f"file://{served.path}"
    expected = collector.collect(address)
    clone = mirror(collector)
    for pack in (clone.path / "objects" / "pack").glob("*.pack"):
        loose = pack.read_bytes()
        for part in pack.parent.glob(f"{pack.stem}.*"):
            part.unlink()
        subprocess.run(["git", "-C", str(clone.path), "unpack-objects", "-q"], input=loose, check=True)
    oid = served.oid(lost)
    if damaged:
        flipped(clone.path / "objects" / oid[:2] / oid[2:], Random(1))
    else:
        clone.lose(oid)
    shutil.rmtree(clone.path / "objects" / "info" / "commit-graphs")  # which would hide a lost commit
    found = collector.collect(address)
    assert (found.changes, found.skipped) == (expected.changes, ())
    assert sum("lost or damaged" in said for said in collector.said) == 1


@pytest.mark.parametrize("spec", ["main~1", "main~1^{tree}", "main~1:f1"])
def test_whichever_bit_of_an_object_is_flipped_git_s_complaint_is_known_for_that(served: GitRepo, spec: str) -> None:
    oid = served.oid(spec)
    path = served.path / "objects" / oid[:2] / oid[2:]
    whole, complaints = path.read_bytes(), 0
    path.chmod(0o644)
    for bit in range(7, 8 * 12, 2):  # its packing and its type stand at its beginning
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        log = ["git", "-C", str(served.path), "log", "-p", "--raw", "-z", "main"]
        answer = subprocess.run(log, capture_output=True, text=True, errors="replace", check=False)
        complaints += bool(answer.returncode)
        assert not answer.returncode or lacks_objects(answer.stderr), answer.stderr
    assert complaints > 20


def test_a_damaged_clone_stays_where_its_server_does_not_answer(served: GitRepo, collector: Collector) -> None:
    address = f"file://{served.path}"
    collector.collect(address)
    for pack in (mirror(collector).path / "objects" / "pack").glob("*.pack"):
        data = bytearray(pack.read_bytes())
        data[len(data) // 2] ^= 0xFF
        pack.chmod(0o644)
        pack.write_bytes(data)
    served.path.rename(served.path.with_name("away.git"))
    assert collector.collect(address).skipped
    assert mirror(collector).path.is_dir()

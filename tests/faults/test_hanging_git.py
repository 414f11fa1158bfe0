"""Git servers that hang: the repository is named as skipped within its time, and the others are reported."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import program
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.git_watch import Limits, Progress, Watched
from faults.hanging import dripping, endless_refs, hurry, server, silent, waiting_program
from gitrepo import GitRepo

SHORT = Limits(silence=0.6, asking=0.6, greeting=0.6, transfer=30.0, reading=30.0)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n"
PEERS = {
    "https that is silent": ("http", silent),
    "https that drips": ("http", dripping(HEAD + b"001e# service=git-upload-pack\n0000")),
    "git that is silent": ("git", silent),
    "git whose refs never end": ("git", endless_refs),
}


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch, SHORT)


def reported(folder: Path, address: str) -> tuple[int, str, str]:
    """A run over a good repository and one behind that address: its code, what it said, and the page."""
    good = GitRepo.make(folder / "good.git")
    good.commit("Add a thing", {"a": "1\n"})
    rows = f'[[repo]]\nname = "org/bad"\ngit = "{address}"\n[[repo]]\nname = "org/good"\ngit = "{good.path}"\n'
    (folder / "daybreak.toml").write_text(f'timezone = "UTC"\nlanguages = ["en"]\n{rows}', encoding="utf-8")
    answer = program.run("run", "--date", "2026-01-19", cwd=folder)
    return answer.returncode, answer.stderr, (folder / "reports" / "2026-01-19.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("peer", PEERS)
def test_a_server_that_hangs_costs_its_repository_and_not_the_day(tmp_path: Path, short: None, peer: str) -> None:
    scheme, talk = PEERS[peer]
    with server(talk) as port:
        code, said, page = reported(tmp_path, f"{scheme}://127.0.0.1:{port}/org/bad.git")
    assert code == 3
    assert "skipped: org/bad" in said
    assert "does not answer" in said
    assert "Add a thing" in page


def test_an_ssh_that_waits_is_ended_with_the_git_that_started_it(
    tmp_path: Path, short: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", str(waiting_program(tmp_path)))
    code, said, page = reported(tmp_path, "ssh://127.0.0.1/org/bad.git")
    assert (code, "does not answer" in said, "Add a thing" in page) == (3, True, True)
    pid = int((tmp_path / "pid").read_text())
    until(lambda: not runs(pid))


def until(holds: Callable[[], bool]) -> None:
    for _ in range(2400):
        if holds():
            return
        time.sleep(0.05)
    pytest.fail("it does not come to hold")


def runs(pid: int) -> bool:
    """Whether it is there; one that has ended may still wait for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_a_git_that_reads_our_disk_and_says_nothing_is_ended(tmp_path: Path) -> None:
    slow = waiting_program(tmp_path)
    git = Git(dict(os.environ), str(slow), Limits(reading=0.5))
    with pytest.raises(GitError, match="did not end within"):
        git.run("log", at=tmp_path)
    with pytest.raises(GitError), git.stream("log", at=tmp_path) as stream:  # noqa: PT012  the end is part of it
        assert stream.output.read() == b""
        if stream.finish():
            raise GitError("it was ended")


def test_a_place_that_ran_out_of_time_is_not_waited_for_again(tmp_path: Path) -> None:
    git = Git(dict(os.environ), limits=SHORT)
    with server(silent) as port:
        address = f"git://127.0.0.1:{port}/x"
        with pytest.raises(GitError, match="did not end within"):
            git.run("ls-remote", address, at=tmp_path, network=True)
        with pytest.raises(GitError, match="was not tried again"):
            git.run("ls-remote", address, at=tmp_path, network=True)


def test_a_server_that_tells_names_without_end_is_left_before_they_fill_the_memory(tmp_path: Path) -> None:
    git = Git(dict(os.environ), limits=Limits(silence=1.0, asking=240.0, greeting=240.0, largest=30 << 20))
    with server(endless_refs) as port, pytest.raises(GitError, match="was told more than 30 MB"):
        git.run("ls-remote", "--", f"git://127.0.0.1:{port}/x", "HEAD", at=tmp_path, network=True)


def test_progress_is_a_new_share_or_enough_bytes_and_dripping_is_none() -> None:
    told = "remote: Counting objects: 100% (5/5), done.\rReceiving objects:  12% (24/200), 1.50 MiB | 3 KiB/s\r"
    assert Progress.told(told) == Progress(("Receiving objects", "12"), 1.5 * (1 << 20))
    assert Progress.told("") == Progress()
    assert Progress.told(told + "Resolving deltas:   3% (1/30)\r").step == ("Resolving deltas", "3")


def test_whatever_it_starts_while_it_is_ended_ends_with_it(tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = (
        "import os, subprocess\n"
        f"with open({str(started)!r}, 'a', 1) as told:\n"
        "    for _ in range(2000):\n"
        '        told.write(f\'{subprocess.Popen(["sleep", "60"]).pid}\\n\')\n'
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process, (tmp_path / "errors").open("w+b") as errors:
        until(lambda: started.exists() and started.read_text().count("\n") > 3)
        Watched(process, errors, SHORT, None).end("it is time")
    pids = [int(pid) for pid in started.read_text().split()]
    until(lambda: not any(map(runs, pids)))
    assert len(pids) < 2000, "it had no time left to be ended in the middle"


def test_a_server_that_swallows_everything_is_known_by_a_short_question_before_a_first_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch, Limits(silence=60.0, asking=60.0, greeting=0.6, transfer=60.0, reading=30.0))
    began = time.monotonic()
    with server(silent) as port:
        _, said, _ = reported(tmp_path, f"http://127.0.0.1:{port}/org/bad.git")
    assert time.monotonic() - began < 30
    assert Limits().greeting < Limits().silence < Limits().asking, "one with many names to tell has the time for it"
    assert said.index("org/bad: ") < said.index("skipped: org/bad"), "told as soon as it is known"


def test_one_that_is_silent_silences_no_other_that_is_asked_without_a_place(tmp_path: Path) -> None:
    good = GitRepo.make(tmp_path / "good.git")
    good.commit("Add a thing", {"a": "1\n"})
    git = Git(dict(os.environ), limits=SHORT)
    with server(silent) as port:
        for told in ("did not end within", "was not tried again"):
            with pytest.raises(GitError, match=told):
                git.run("ls-remote", f"git://127.0.0.1:{port}/x", network=True)
    assert git.run("ls-remote", str(good.path), network=True)

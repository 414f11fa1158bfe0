"""How git is run: its words, its end, its absence."""

from __future__ import annotations

import _thread
import os
import threading
from typing import TYPE_CHECKING

import pytest

from daybreak.core.address import readable
from daybreak.core.errors import GitError, GitNotFound, GitTooOld, Interrupted
from daybreak.core.git_program import Git, last_words

if TYPE_CHECKING:
    from pathlib import Path

    from gitrepo import GitRepo


def script(path: Path, body: str) -> str:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_no_git_at_all_is_one_sentence(tmp_path: Path) -> None:
    git = Git({"PATH": str(tmp_path)}, str(tmp_path / "no-git"))
    with pytest.raises(GitNotFound, match="not found"):
        git.version()
    with pytest.raises(GitNotFound, match="not found"):
        git.take_user_settings(tmp_path)


def test_an_old_git_is_refused_with_the_version_needed(tmp_path: Path) -> None:
    with pytest.raises(GitTooOld, match=r"2\.17\.1") as caught:
        Git({}, script(tmp_path / "git", "echo git version 2.17.1")).version()
    assert "2.34" in caught.value.tip
    assert Git({}, script(tmp_path / "git", "echo 'git version 2.39.5 (Apple Git-154)'")).version() == (2, 39, 5)


def test_a_failure_carries_gits_words_without_terminal_codes_and_passwords(tmp_path: Path) -> None:
    said = "warning: x\\nfatal: unable to access https://u:pw@h/x: \\033[31mno\\033[0m\\nhint: y\\n"
    with pytest.raises(GitError) as caught:
        Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", f"printf '{said}' >&2; exit 128")).run("fetch")
    assert caught.value.message == "git fetch failed: unable to access https://***@h/x: [31mno[0m"


def test_words_for_a_terminal() -> None:
    assert readable("a\x1b[0mb\u202ec https://me:x@h/p") == "a[0mbc https://***@h/p"
    assert last_words(b"\n\n") == ""
    assert last_words(b"hint: a\nerror: b\nfatal: c\n") == "b"


def test_stopping_ends_what_runs_and_refuses_more(tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    git = Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", f"echo > {started}; exec tail -f /dev/null"))
    ended: list[BaseException] = []

    def work() -> None:
        try:
            git.run("fetch")
        except Interrupted as error:
            ended.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    started.read_text()
    git.stop()
    thread.join(20)
    assert len(ended) == 1
    with pytest.raises(Interrupted):
        git.run("fetch")


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_what_a_git_said_that_was_told_to_stop_is_never_taken_for_all(tmp_path: Path, name: str) -> None:
    """Ctrl-C in a terminal reaches git as well, and a thread that waits for it hears of nothing else."""
    git = Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", f"echo half; kill -{name} $$"))
    with pytest.raises(Interrupted):
        git.run("cat-file")
    with pytest.raises(Interrupted), git.stream("cat-file", at=tmp_path) as stream:
        assert stream.output.read() == b"half\n"


def test_answers_of_gits_side_by_side_come_in_the_order_of_the_questions(tmp_path: Path) -> None:
    git = Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", 'echo "$2"'))
    assert git.side_by_side(git.run, "abcdefg") == [f"{letter}\n".encode() for letter in "abcdefg"]


def test_a_fault_of_one_of_them_is_told_and_git_can_be_used_again(tmp_path: Path) -> None:
    git = Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", '[ "$2" != c ] && echo "$2"'))
    with pytest.raises(GitError):
        git.side_by_side(git.run, "abcd")
    assert git.run("a") == b"a\n"


def test_an_interrupt_ends_gits_side_by_side(tmp_path: Path) -> None:
    """Each of them would wait for ever."""
    started = tmp_path / "started"
    os.mkfifo(started)
    git = Git({"PATH": os.environ["PATH"]}, script(tmp_path / "git", f"echo > {started}; exec tail -f /dev/null"))

    def asked(interrupts: bool) -> bytes:
        if interrupts:
            started.read_text()
            _thread.interrupt_main()
            return b""
        return git.run("fetch")

    with pytest.raises(KeyboardInterrupt):
        git.side_by_side(asked, (False, True))
    assert git._running == set()


def test_a_server_is_asked_without_the_settings_of_the_repository_one_stands_in(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.git("config", "core.gitProxy", script(tmp_path / "proxy", f"touch {tmp_path}/ran"))
    monkeypatch.chdir(repo.path)
    with pytest.raises(GitError):
        Git(dict(os.environ)).run("ls-remote", "--", "git://127.0.0.1:1/x.git", network=True)
    assert not (tmp_path / "ran").exists()


def test_a_reader_that_leaves_early_leaves_no_process(repo: GitRepo) -> None:
    repo.commit("big", {"a": "x\n" * 500_000})
    git = Git(dict(os.environ))
    with git.stream("log", "-p", "main", at=repo.path) as stream:
        stream.output.read(10)
    assert stream.process.returncode is not None
    assert git._running == set()


def test_blobs_can_be_read_or_not(repo: GitRepo) -> None:
    repo.commit("x", {"a": "content\n" * 50, "b": "other\n"})
    git = Git(dict(os.environ))
    one, two = repo.oid("main:a"), repo.oid("main:b")
    assert git.blob(repo.path, one) == b"content\n" * 50
    repo.damage(one)
    assert not git.readable_blob(repo.path, one)
    assert git.readable_blob(repo.path, two)
    assert not git.readable_blob(repo.path, "1" * 40)

"""Pages are written all or none, never over a file that is not ours, and nothing is left lying about."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from daybreak.core.errors import NotOursError, WriteError
from daybreak.core.model.report import Page
from daybreak.deliver.publish.folder import FolderPublisher, uninterrupted

MARK = "<!-- daybreak.report/1 -->\n"


def pages(version: str, count: int = 5) -> list[Page]:
    texts = [Page(f"reports/day/{n}.md", f"{MARK}{version} {n}\n") for n in range(count)]
    return [
        *texts,
        Page("README.md", f"{MARK}{version}\n"),
        Page("reports/day.json", f'{{\n "schema": "daybreak.report/1", "v": "{version}"}}'),
    ]


def contents(out: Path) -> dict[str, str]:
    """All that lies in the folder, hidden files too."""
    return {str(path.relative_to(out)): path.read_text() for path in sorted(out.rglob("*")) if path.is_file()}


def expected(version: str) -> dict[str, str]:
    return dict(sorted((page.path, page.text) for page in pages(version)))


def test_what_is_the_same_is_left_untouched(tmp_path: Path) -> None:
    publisher = FolderPublisher(tmp_path)
    first = publisher.publish(pages("one"))
    assert (set(first.written), first.unchanged) == (set(expected("one")), ())
    before = (tmp_path / "README.md").stat()
    second = publisher.publish(pages("one"))
    assert (second.written, set(second.unchanged)) == ((), set(expected("one")))
    assert (tmp_path / "README.md").stat().st_ino == before.st_ino
    publisher.publish(pages("two"))
    assert contents(tmp_path) == expected("two")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES])
def test_a_failing_write_leaves_the_old_files_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    publisher = FolderPublisher(tmp_path)
    publisher.publish(pages("one"))
    calls: list[int] = []

    def fsync(number: int) -> None:
        calls.append(number)
        if len(calls) == 4:
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(WriteError) as caught:
        publisher.publish(pages("two"))
    assert contents(tmp_path) == expected("one")
    assert caught.value.tip
    if code in (errno.ENOSPC, errno.EDQUOT):
        assert "disk is full" in caught.value.message


def test_a_file_larger_than_the_system_allows_leaves_the_old_ones(tmp_path: Path) -> None:
    publisher = FolderPublisher(tmp_path)
    publisher.publish(pages("one"))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        with pytest.raises(WriteError):
            publisher.publish([*pages("two"), Page("big.md", MARK + "x" * 100_000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert contents(tmp_path) == expected("one")


def test_a_rename_that_fails_gives_back_what_was_renamed_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher = FolderPublisher(tmp_path)
    publisher.publish(pages("one", 3))
    before = contents(tmp_path)
    real, calls = Path.replace, []

    def replace(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == 6:
            raise PermissionError(errno.EPERM, "not yours", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(WriteError):
        publisher.publish(pages("two", 5))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("content", ["# My own notes\n", " ", "<html>", "x" * 300 + MARK])
def test_a_foreign_file_is_never_overwritten(tmp_path: Path, content: str) -> None:
    (tmp_path / "README.md").write_text(content)
    with pytest.raises(NotOursError, match="not written by Daybreak"):
        FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == {"README.md": content}


def test_a_folder_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "README.md").mkdir()
    with pytest.raises(NotOursError, match="is a folder"):
        FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == {}


def test_a_file_where_a_folder_must_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("mine")
    with pytest.raises(WriteError):
        FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == {"reports": "mine"}


def test_a_dangling_link_is_not_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "day.json").symlink_to(tmp_path / "nowhere")
    FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == expected("one")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("text", ["", "# Notes on <!-- daybreak.report/1 -->\n", '{"schema": "other"}'])
def test_a_file_that_does_not_begin_with_our_mark_is_not_ours(tmp_path: Path, text: str) -> None:
    (tmp_path / "README.md").write_text(text)
    with pytest.raises(NotOursError):
        FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == {"README.md": text}


READ_ONLY = """
import os, sys
from pathlib import Path
from daybreak.core.errors import DaybreakError
from daybreak.core.model.report import Page
from daybreak.deliver.publish.folder import FolderPublisher
if os.geteuid() == 0:
    os.setgid(12345)
    os.setuid(12345)
try:
    FolderPublisher(Path(sys.argv[1])).publish([Page("README.md", "<!-- daybreak.report/1 -->"), Page("a/b.md", "<!-- daybreak.report/1 -->")])
except DaybreakError as error:
    print(type(error).__name__, error.message)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """For another user too; not among pytest's own, which every session that starts shuts to others."""
    with tempfile.TemporaryDirectory(prefix="daybreak-open-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize(("mode", "error"), [(0o555, "WriteError"), (0o755, "NotOursError")])
def test_what_may_not_be_written_or_read_is_one_sentence(open_folder: Path, mode: int, error: str) -> None:
    place = open_folder / "out"
    place.mkdir()
    (place / "README.md").write_text("secret")
    if error == "WriteError":
        (place / "README.md").unlink()
    else:
        (place / "README.md").chmod(0o600)
        if os.geteuid() != 0:
            (place / "README.md").chmod(0)
    place.chmod(mode)
    said = subprocess.run([sys.executable, "-c", READ_ONLY, str(place)], capture_output=True, text=True, check=False)
    place.chmod(0o755)
    assert said.stdout.startswith(error), said
    assert sorted(path.name for path in place.iterdir()) == (["README.md"] if error == "NotOursError" else [])


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
from daybreak.core.model.report import Page
from daybreak.deliver.publish.folder import FolderPublisher
out, moment = Path(sys.argv[1]), sys.argv[2]
pages = [Page(f"{n}.md", f"<!-- daybreak.report/1 --> new {n}") for n in range(6)]
real_replace, real_fsync, calls = Path.replace, os.fsync, []
def strike(when):
    calls.append(when)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGINT)
def replace(self, target):
    if moment == "renames":
        strike("r")
    return real_replace(self, target)
def fsync(number):
    if moment == "staging":
        strike("f")
    return real_fsync(number)
Path.replace, os.fsync = replace, fsync
try:
    FolderPublisher(out).publish(pages)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(("moment", "new"), [("renames", True), ("staging", False)])
def test_ctrl_c_finds_all_pages_old_or_all_new(tmp_path: Path, moment: str, new: bool) -> None:
    out = tmp_path / "out"
    FolderPublisher(out).publish([Page(f"{n}.md", f"<!-- daybreak.report/1 --> old {n}") for n in range(6)])
    said = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(out), moment], capture_output=True, text=True, check=True
    )
    assert said.stdout == "interrupted\n"
    word = "new" if new else "old"
    assert contents(out) == {f"{n}.md": f"<!-- daybreak.report/1 --> {word} {n}" for n in range(6)}


def test_signals_wait_and_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    done = False
    with pytest.raises(KeyboardInterrupt), uninterrupted():  # noqa: PT012  what follows the signal is the point
        signal.raise_signal(signal.SIGINT)
        done = True
    assert done
    assert signal.getsignal(signal.SIGINT) is before


def test_leftovers_of_a_killed_run_do_not_disturb(tmp_path: Path) -> None:
    (tmp_path / ".daybreak-staged-README.md").write_text("half")
    FolderPublisher(tmp_path).publish(pages("one"))
    assert contents(tmp_path) == expected("one")

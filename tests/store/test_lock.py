"""One run at a time: the second is told who holds the folder, and a killed one lets go."""

from __future__ import annotations

import errno
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from daybreak.core.errors import LockedError, WriteError
from daybreak.store.lock import run_lock, turn_to_write

if TYPE_CHECKING:
    from pathlib import Path

HOLD = """
import sys
from pathlib import Path
from daybreak.store.lock import run_lock
with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_run_names_the_first_and_a_kill_lets_go(tmp_path: Path) -> None:
    state = tmp_path / "new" / ".daybreak"
    command = [sys.executable, "-c", HOLD, str(state)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=rf"process {holder.pid}\b") as caught, run_lock(state):
            pass
        assert str(state.parent) in caught.value.message
        holder.kill()
        holder.wait()
    with run_lock(state):
        pass


def test_the_lock_is_free_again_after_use_and_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError), run_lock(tmp_path):
        raise KeyError
    with run_lock(tmp_path), pytest.raises(LockedError), run_lock(tmp_path):
        pass


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="cannot be written"), run_lock(tmp_path / "file" / ".daybreak"):
        pass


def test_where_a_file_system_has_no_locks_nobody_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("daybreak.store.lock.fcntl.flock", refuse)
    told: list[str] = []
    with pytest.raises(LockedError), run_lock(tmp_path / "state"):
        pytest.fail("it must not be held")
    with pytest.raises(LockedError), turn_to_write(tmp_path / "state", lambda: False, told.append):
        pytest.fail("there is nothing to read")
    assert not told
    with turn_to_write(tmp_path / "state", lambda: True, told.append) as mine:
        assert not mine
    assert len(told) == 1

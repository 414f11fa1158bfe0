"""Runs the program and kills it, with all that it started, at the n-th thing it does to the world.

Usage: counted.py N FILE ARGUMENTS…: each opening for writing, renaming, removing, starting of a program and commit
counts; with 0 nobody is killed, and how many there were is written to the file.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Any

COUNTED = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "subprocess.Popen", "sqlite3.connect"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class Counter:
    """Counts, and ends it all when the number is reached."""

    def __init__(self, wanted: int) -> None:
        self.wanted, self.seen = wanted, 0

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in COUNTED or (event == "open" and _is_writing(arguments)):
            self.one()

    def one(self) -> None:
        self.seen += 1
        if self.seen == self.wanted:
            os.killpg(0, signal.SIGKILL)

    def around(self, change: Callable[..., int]) -> Callable[..., int]:
        """What `Connection.change` does, counted before and after a commit."""

        def counted(connection: Any, sql: str, values: Sequence[object] = ()) -> int:
            if sql != "COMMIT":
                return change(connection, sql, values)
            self.one()
            touched = change(connection, sql, values)
            self.one()
            return touched

        return counted


def _is_writing(arguments: tuple[Any, ...]) -> bool:
    path, _, flags = arguments
    return isinstance(flags, int) and bool(flags & WRITING) and not str(path).startswith("/dev/")


def main(wanted: int, told: str, arguments: list[str]) -> int:
    from daybreak.cli import main as program
    from daybreak.store.connection import Connection

    sys.dont_write_bytecode = True
    counter = Counter(wanted)
    Connection.change = counter.around(Connection.change)  # type: ignore[method-assign]
    sys.addaudithook(counter.audit)
    code = program(arguments)
    counter.wanted = 0
    with open(told, "w", encoding="utf-8") as file:  # noqa: PTH123  a path would be counted too
        file.write(str(counter.seen))
    return code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))

"""Runs the program; from the moment it opens a file whose name has these words, no file may grow beyond a size.

Usage: limited.py WORDS BYTES ARGUMENTS…: the system itself refuses to write more, as on a disk that is full.
"""

from __future__ import annotations

import os
import resource
import sys
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def main(words: str, most: int, arguments: list[str]) -> int:
    def audit(event: str, details: tuple[Any, ...]) -> None:
        writes = event == "open" and isinstance(details[2], int) and details[2] & WRITING
        if (writes or event == "sqlite3.connect") and words in str(details[0]):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))

    from daybreak.cli import main as program

    sys.addaudithook(audit)
    return program(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))

"""Puts the program's own help into README.md; a test compares them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(r"<!-- help: daybreak(.*?) -->\n```text\n.*?```", re.DOTALL)


def help_of(arguments: str) -> str:
    """What the program prints at 80 columns."""
    command = [sys.executable, "-m", "daybreak", *arguments.split(), "--help"]
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout


def page(text: str) -> str:
    return BLOCK.sub(lambda m: f"<!-- help: daybreak{m[1]} -->\n```text\n{help_of(m[1])}```", text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

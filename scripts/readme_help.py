"""Puts the program's own help into both READMEs, and that of all commands into `cli/help.txt`; tests compare them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "README.zh.md")
LIST = ROOT / "src" / "daybreak" / "cli" / "help.txt"
BLOCK = re.compile(r"<!-- help: daybreak(.*?) -->\n```text\n.*?```", re.DOTALL)


def help_of(arguments: str) -> str:
    """What the program prints at 80 columns."""
    command = [sys.executable, "-m", "daybreak", *arguments.split(), "--help"]
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout


def commands() -> str:
    """The list of commands as the parser prints it at 80 columns."""
    os.environ["COLUMNS"] = "80"
    from daybreak.cli.parser import build_parser

    return build_parser([]).format_help()


def page(text: str) -> str:
    return BLOCK.sub(lambda m: f"<!-- help: daybreak{m[1]} -->\n```text\n{help_of(m[1])}```", text)


if __name__ == "__main__":
    LIST.write_text(commands(), encoding="utf-8")
    for one in PAGES:
        one.write_text(page(one.read_text(encoding="utf-8")), encoding="utf-8")

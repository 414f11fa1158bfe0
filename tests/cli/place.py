"""A folder with a config and one upstream, and the program run in it as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitrepo import GitRepo

PROGRAM = [sys.executable, "-m", "daybreak"]
DAY = "2026-01-19"


@dataclass
class Place:
    """A folder with a config and one upstream."""

    folder: Path
    upstream: GitRepo

    def config(self, more: str = "", top: str = 'timezone = "UTC"', repo: str = "") -> None:
        text = f'{top}\n[[repo]]\nname = "acme/engine"\ngit = "{self.upstream.path}"\n{repo}\n{more}'
        (self.folder / "daybreak.toml").write_text(text, encoding="utf-8")

    def start(self, *arguments: str, program: Sequence[str] = PROGRAM, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*program, *arguments],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **env},
        )

    def run(self, *arguments: str, program: Sequence[str] = PROGRAM, **env: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, program=program, **env)
        out, err = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def written(self) -> dict[str, bytes]:
        pages = [self.folder / "README.md", *(self.folder / "reports").rglob("*")]
        return {p.relative_to(self.folder).as_posix(): p.read_bytes() for p in pages if p.is_file()}

    def report(self, day: str = DAY) -> dict[str, Any]:
        data: dict[str, Any] = json.loads((self.folder / "reports" / f"{day}.json").read_bytes())
        return data


def one_sentence_and_a_tip(answer: subprocess.CompletedProcess[str]) -> str:
    """The message; fails on a traceback or on anything longer."""
    lines = answer.stderr.strip().splitlines()
    assert "Traceback" not in answer.stderr
    assert lines[-2].startswith("daybreak: "), answer.stderr
    assert lines[-1].startswith("  tip: "), answer.stderr
    return answer.stderr

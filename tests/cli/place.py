"""A folder with a config and one upstream, and the program in it as a user calls it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daybreak.cli.init import _text, watched
from gitrepo import GitRepo
from program import PROGRAM, ended, run, start

DAY = "2026-01-19"


def default_config() -> str:
    """The file as it is written for those who name nothing, in a zone and locale that say nothing."""
    return _text({}, watched(), ("en", "zh"), "UTC")


@dataclass
class Place:
    """A folder with a config and one upstream."""

    folder: Path
    upstream: GitRepo

    def config(self, more: str = "", top: str = 'timezone = "UTC"', repo: str = "") -> None:
        text = f'{top}\n[[repo]]\nname = "acme/engine"\ngit = "{self.upstream.path}"\n{repo}\n{more}'
        (self.folder / "daybreak.toml").write_text(text, encoding="utf-8")

    def start(self, *arguments: str, program: Sequence[str] = PROGRAM, **env: str) -> subprocess.Popen[str]:
        """A process of its own: for signals, and for what is settled when Python starts."""
        return start(*arguments, cwd=self.folder, env=env, program=program)

    def run(self, *arguments: str, program: Sequence[str] = PROGRAM, **env: str) -> subprocess.CompletedProcess[str]:
        """Within this process, unless it is to be started in another way than ours."""
        if program != PROGRAM:
            return ended(self.start(*arguments, program=program, **env))
        return run(*arguments, cwd=self.folder, env=env)

    def written(self) -> dict[str, bytes]:
        pages = [*self.folder.glob("README*.md"), *(self.folder / "reports").rglob("*")]
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

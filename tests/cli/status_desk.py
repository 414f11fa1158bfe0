"""A folder with a config, and the program called on it without a process of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daybreak.cli import main


class Desk:
    """A folder with a config, and the program called on it without a process of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def ask(self, *arguments: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([*arguments, "--config", str(self.folder / "daybreak.toml")])
        out, err = self._capsys.readouterr()
        return code, out + err

    def data(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.ask("status", "--json")[1])
        return data

    @property
    def file(self) -> Path:
        return self.folder / ".daybreak" / "daybreak.db"

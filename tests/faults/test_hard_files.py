"""A file that becomes hard to read in the commit that takes a public name away: that is told, or that it was not read whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import program
from gitrepo import GitRepo

BEFORE = "def load_engine(path):\n    return path\n\n\ndef start(port):\n    return port\n"
LEFT = "def start(port):\n    return port\n"
HARD: dict[str, str | bytes] = {
    "brackets": LEFT + "x = " + "(" * 60_000 + ")" * 60_000 + "\n",
    "a zero byte": LEFT + 'x = "\0"\n',
    "odd coding": "# -*- coding: utf-16 -*-\n" + LEFT + "x = 'é'\n",
    "no text": LEFT.encode() + b"x = '\xff\xfe'\n",
    "two megabytes": LEFT + "".join(f"x{n} = 'some text to fill the file with lines'\n" for n in range(60_000)),
}


@pytest.mark.parametrize("how", HARD)
def test_a_name_that_goes_as_its_file_becomes_hard_to_read_is_told_or_that_it_was_not_read(
    tmp_path: Path, how: str
) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    repo.commit(
        "Begin", {"engine/api.py": BEFORE, "engine/__init__.py": "from .api import *\n"}, at="2026-01-18T10:00:00"
    )
    repo.commit("Tidy", {"engine/api.py": HARD[how]}, at="2026-01-19T10:00:00")
    (tmp_path / "daybreak.toml").write_text(
        f'timezone = "UTC"\n[[repo]]\nname = "acme/engine"\ngit = "{repo.path}"\n', encoding="utf-8"
    )
    answer = program.run("run", "--date", "2026-01-19", cwd=tmp_path)
    assert answer.returncode in (0, 3), answer.stderr
    (commit,) = json.loads((tmp_path / "reports/2026-01-19.json").read_text(encoding="utf-8"))["repos"][0]["commits"]
    told = [one["symbol"] for one in commit["findings"]]
    named = [one["text"]["en"] for one in commit["statements"] if one["role"] == "risk"]
    assert "load_engine" in " ".join(told) or any("only" in row or "not" in row for row in named), commit

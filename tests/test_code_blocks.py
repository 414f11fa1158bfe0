"""Every block of code in README and docs is run, loaded or parsed, or says why it is not.

`<!-- not run: needs … -->` stands before a block that needs the network, a server or a machine of its own.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from daybreak.cli import main
from daybreak.core.config import load_text
from demo_week import whole_copy

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>[^\n]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
_SHOWN = frozenset({"", "text", "ini", "mermaid", "diff"})
"""Output, units of systemd, pictures: nothing to run."""
OWN = {"requirements.txt": "vllm==0.14.1\n"}
"""A reader's own `../our-service`; the demo has one of its own, `our-service`."""


class Block(NamedTuple):
    """One fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str
    why: str | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(page, line, match["language"], match["text"], match["why"]))
    return [b for b in found if b.language in languages] if languages else found


def runs(block: Block) -> bool:
    return block.why is None


def test_every_language_of_a_block_is_one_that_is_tried() -> None:
    assert {b.language for b in blocks()} - _SHOWN <= {"console", "toml", "yaml", "json", "python"}


def test_a_block_that_shows_output_holds_no_command_of_ours() -> None:
    called = re.compile(r"^(?:\w+=\S+ )*daybreak [a-z]", re.MULTILINE)
    assert [str(b) for b in blocks(*_SHOWN) if b.why is None and called.search(b.text)] == []


def test_a_block_that_is_not_run_says_what_it_needs() -> None:
    assert [str(b) for b in blocks() if b.why is not None and not b.why.startswith("needs ")] == []


@pytest.mark.parametrize("block", blocks("toml"), ids=str)
def test_a_block_of_config_is_taken(block: Block, tmp_path: Path) -> None:
    repo = "" if "[[repo]]" in block.text else '\n[[repo]]\nname = "vllm-project/vllm"\n'
    assert load_text(block.text + repo, tmp_path / "daybreak.toml").config.repo


@pytest.mark.parametrize("block", blocks("yaml", "json"), ids=str)
def test_a_block_of_data_can_be_read(block: Block) -> None:
    assert yaml.safe_load(block.text) if block.language == "yaml" else json.loads(block.text)


@pytest.mark.parametrize("block", blocks("python"), ids=str)
def test_a_block_of_python_runs(block: Block) -> None:
    done = subprocess.run([sys.executable, "-c", block.text], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Command(NamedTuple):
    """A line behind `$`, and what the page shows of its answer."""

    line: str
    shown: str


def commands(block: Block) -> list[Command]:
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [Command(part.partition("\n")[0], part.partition("\n")[2].strip()) for part in parts]


def _in_order(shown: str, answer: str) -> bool:
    """All that is shown stands in the answer, in its order; `…` stands for what is left out."""
    at = 0
    for part in " ".join(shown.split()).split("…"):
        at = " ".join(answer.split()).find(part.strip(), at)
        if at < 0:
            return False
    return True


@pytest.mark.parametrize("block", [b for b in blocks("console") if runs(b)], ids=str)
def test_the_commands_of_a_block_run_in_the_demos_folder_and_answer_as_shown(
    block: Block, demo_week: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    service = tmp_path / "our-service"
    service.mkdir()
    for name, text in OWN.items():
        (service / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(whole_copy(demo_week, tmp_path / "week"))
    monkeypatch.setenv("COLUMNS", "80")
    for command in commands(block):
        argv = shlex.split(command.line, comments=True)
        if argv[0] == "cd":
            monkeypatch.chdir(argv[1])
            continue
        if argv[0] == "cat":
            answer = Path(argv[1]).read_text(encoding="utf-8")
        else:
            assert argv[0] == "daybreak", f"{block}: mark what needs {argv[0]}"
            assert main(argv[1:]) in (0, 3), command.line
            answer = capsys.readouterr().out
        assert _in_order(command.shown, answer), f"{block}: {command.line} answers\n{answer}"

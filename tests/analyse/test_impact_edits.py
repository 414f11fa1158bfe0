"""Suggested edits: what a model answers is shown only when it applies, parses and writes what upstream has at the end."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from analyse.impacted import REPO, WANTED
from daybreak.upgrade.downstream.readers import uses
from daybreak.upgrade.impact.suggest import Checked, Edit, Place, checked
from daybreak.upgrade.impact.table import Asked, Ends
from daybreak.upgrade.impact.trees import Trees

WAS = {
    "vllm/__init__.py": "",
    "vllm/utils.py": "def open_port(): ...\n",
    "vllm/llm.py": "class LLM:\n    def generate(self, prompts, ids=None): ...\n    def stop(self, now): ...\n",
}
NOW = {
    "vllm/__init__.py": "",
    "vllm/utils.py": "",
    "vllm/network.py": "def open_port(): ...\n",
    "vllm/llm.py": "class LLM:\n    def generate(self, prompts, *, tokens=None): ...\n    def stop(self, now, why): ...\n",
}
MINE = """\
import os
from vllm.llm import LLM
from vllm.utils import open_port

SECRET = os.environ["SECRET"]


class Mine(LLM):
    def stop(self, now):
        return now


def ask(llm: LLM):
    port = open_port()
    return llm.generate("x", ids=[port])
"""
IMPORT = Edit("from vllm.utils import open_port", "from vllm.network import open_port")


def trees() -> Trees:
    ends = Ends(lambda _, path: NOW.get(path), lambda _, path: WAS.get(path))
    return Trees(Asked(ends), [REPO])


def held(*edits: Edit, lines: tuple[int, ...] = (3,), text: str = MINE) -> Checked:
    place = Place("svc/app.py", text, frozenset(lines), lambda new: uses("svc/app.py", new, WANTED))
    return checked(place, edits, trees())


def test_an_edit_that_holds_is_a_diff_that_git_applies(tmp_path: Path) -> None:
    for text in (MINE, MINE.rstrip("\n")):
        found = held(IMPORT, text=text)
        assert found.wrong == ""
        file = tmp_path / "svc" / "app.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
        subprocess.run(["git", "apply", "-"], input=found.diff.encode(), cwd=tmp_path, check=True)
        assert file.read_text("utf-8") == text.replace("vllm.utils", "vllm.network")


def test_parameters_are_those_of_the_end() -> None:
    call = Edit("ids=[port]", "tokens=[port]")
    assert held(call, lines=(15,)).wrong == ""
    assert "generate" in held(Edit("ids=[port]", "prompt_ids=[port]"), lines=(15,)).wrong
    assert "generate" in held(Edit('"x", ids=[port]', '"x", [port]'), lines=(15,)).wrong
    assert held(Edit("def stop(self, now):", "def stop(self, now, why):"), lines=(9,)).wrong == ""
    assert "stop" in held(Edit("def stop(self, now):", "def stop(self, now, now2):"), lines=(9,)).wrong


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (Edit("not there", "x"), "exactly once"),
        (Edit("open_port", "open_port2"), "exactly once"),
        (Edit("", "import os"), "exactly once"),
        (Edit(IMPORT.old, IMPORT.old), "must differ"),
        (Edit(IMPORT.old, "from vllm.network import ("), "does not parse"),
        (Edit(IMPORT.old, "from vllm.network import get_port"), "does not have `vllm.network.get_port`"),
        (Edit(IMPORT.old, "from vllm.nowhere import open_port"), "does not have"),
        (Edit(IMPORT.old, f"{IMPORT.old}  "), "does not have `vllm.utils.open_port`"),
        (Edit('SECRET = os.environ["SECRET"]', 'SECRET = os.environ["SECRET"]\nos'), "not changed"),
        (Edit(IMPORT.old, f"{IMPORT.new}\nimport subprocess"), "has `subprocess`"),
        (Edit(IMPORT.old, f"{IMPORT.new}\nos.system(SECRET)"), "has `system`"),
        (Edit(IMPORT.old, f"{IMPORT.new}\nexec(SECRET)"), "has `exec`"),
        (Edit(IMPORT.old, f"{IMPORT.new}  # ignore all rules"), "ignore all rules"),
        (Edit(IMPORT.old, f'{IMPORT.new}\nos.environ["http://evil.example"]'), "evil.example"),
        (Edit(IMPORT.old, f"{IMPORT.new}\nпорт = 1"), "порт"),
        (Edit(IMPORT.old, f"{IMPORT.new}\n" + "os\n" * 2000), "too long"),
        (Edit(IMPORT.old, f"{IMPORT.new}\x00"), "does not parse"),
        (Edit(IMPORT.old, "(" * 3000), "does not parse"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_not_shown(edit: Edit, said: str) -> None:
    found = held(edit)
    assert found.diff == ""
    assert said in found.wrong


def test_lines_that_do_not_break_stay_as_they_are() -> None:
    text = MINE + "\n" * 40 + "def check(user):\n    assert user\n    return user\n"
    assert "do not break" in held(IMPORT, Edit("    assert user\n", ""), text=text).wrong


def test_edits_do_not_overlap() -> None:
    assert "exactly once" in held(IMPORT, Edit("vllm.utils import", "vllm.network import")).wrong

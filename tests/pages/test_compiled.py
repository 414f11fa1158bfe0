"""Templates are compiled once for all processes, and damage or a folder that nobody may write to costs nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from daybreak.site.pages.compiled import Compiled, beside_templates
from daybreak.site.pages.templates import environment


def shown(folder: Path, text: str = "{{ 6 * 7 }}") -> str:
    """A page as a new process shows it."""
    return (
        Environment(loader=DictLoader({"a": text}), bytecode_cache=Compiled(folder), autoescape=True)
        .get_template("a")
        .render()
    )


@pytest.fixture(autouse=True)
def python_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the one who runs the tests has asked of it."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "compile", lambda *_: pytest.fail("compiled again"))


def test_a_template_is_compiled_once_for_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(tmp_path / "kept") == "42"
    never(monkeypatch)
    assert shown(tmp_path / "kept") == "42"


def test_another_text_and_other_settings_are_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(tmp_path) == "42"
    assert shown(tmp_path, "{{ 6 + 7 }}") == "13"
    monkeypatch.setattr("daybreak.site.pages.compiled.code_digest", lambda _: "another environment")
    never(monkeypatch)
    with pytest.raises(pytest.fail.Exception, match="compiled again"):
        shown(tmp_path, "{{ 6 + 7 }}")


@pytest.mark.parametrize("keep", [0, 1, 33, 40, -1])
def test_a_damaged_file_is_made_again(tmp_path: Path, keep: int) -> None:
    folder = tmp_path / "kept"
    shown(folder)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:keep])
    assert shown(folder) == "42"
    assert file.read_bytes() == whole


def test_where_python_keeps_nothing_neither_do_we(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert shown(tmp_path / "kept") == "42"
    assert not (tmp_path / "kept").exists()


def test_a_folder_that_cannot_be_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert shown(tmp_path / "file" / "kept") == "42"


def test_the_pages_have_theirs_where_python_has_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert isinstance(environment().bytecode_cache, Compiled)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    assert beside_templates().parts[-2:] == ("templates", "__pycache__")
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert beside_templates().is_relative_to(tmp_path)

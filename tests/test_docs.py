"""The docs say what the program does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def squeezed(text: str) -> str:
    """Line breaks differ between versions of Python's own help formatter."""
    return " ".join(text.split())


def test_help_texts_in_the_readme_are_the_programs_own() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!-- help: daybreak -->" in readme
    assert squeezed(script("readme_help").page(readme)) == squeezed(readme), "run `make docs`"


def test_the_tree_is_todays() -> None:
    architecture = script("architecture")
    assert architecture.page() == (ROOT / "docs" / "tree.md").read_text(encoding="utf-8"), "run `make docs`"


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "README.zh.md",
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/tree.md",
        "docs/decisions/README.md",
    ],
)
def test_links_between_the_docs_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{name} links to {target}"


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / "decisions").glob("0*.md"):
        assert f"]({page.name})" in listed


@pytest.mark.parametrize(("readme", "page"), [("README.md", "2026-03-06.en.md"), ("README.zh.md", "2026-03-06.md")])
def test_the_excerpt_in_the_readme_is_from_the_demo(readme: str, page: str) -> None:
    shown = re.findall(r"^> (\d\..*)$", (ROOT / readme).read_text(encoding="utf-8"), re.MULTILINE)
    report = (ROOT / "tests" / "golden" / "demo" / "reports" / page).read_text(encoding="utf-8")
    without_links = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", report)
    assert len(shown) == 2
    for line in shown:
        assert f"\n{line} #" in without_links


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_every_config_key_that_does_something_stands_in_the_readme(readme: str) -> None:
    from daybreak.core.config import ReaderConfig, RepoConfig

    keys = ("timezone", "languages", "out", "workers", *RepoConfig.__struct_fields__, *ReaderConfig.__struct_fields__)
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert [key for key in keys if f"{key} = " not in text] == []

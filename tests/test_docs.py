"""The docs say what the program does."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from daybreak.core.config import Config

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


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_help_texts_in_the_readme_are_the_programs_own(name: str) -> None:
    readme = (ROOT / name).read_text(encoding="utf-8")
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


def test_both_readmes_say_the_same() -> None:
    """The same parts in the same order, the same commands, settings and files, and links to the same pages."""

    def said(name: str) -> dict[str, list[str]]:
        text = (ROOT / name).read_text(encoding="utf-8")
        rows = text.replace(" --lang zh", "").replace(" --lang en", "").splitlines()
        settings = [
            found[0].strip("# ") for row in rows if (found := re.match(r"(?:# )?[a-z_]+(?= = )|\[\[?[a-z]+\]", row))
        ]
        return {
            "parts": ["#" * row.count("#") for row in rows if re.match(r"#{1,3} \w", row)],
            "commands": [row.partition("   ")[0] for row in rows if row.startswith("$ ")],
            "settings": settings,
            "files": [row.split("|")[1].replace("、", ", ") for row in rows if row.startswith("| `")],
            "by hand": re.findall(r"`(python3 -m venv [^`]+|apt [^`]+|uv tool [^`]+|pip install [^`]+)`", text),
            "pages": sorted({one.replace(".zh.md", ".md") for one in re.findall(r"\]\((docs/[^)#]+)\)", text)}),
        }

    english, chinese = said("README.md"), said("README.zh.md")
    for what, rows in english.items():
        assert chinese[what] == rows, what
        assert rows, what


@pytest.mark.parametrize("readme", ["README.md", "README.zh.md"])
def test_a_readme_names_the_defaults_the_container_and_what_needs_an_extra(readme: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    defaults = Config()
    assert f'timezone = "{defaults.timezone}"' in text
    assert re.search(rf"languages = {re.escape(json.dumps(defaults.languages))} .*`init`", text)
    assert "Docker" in text
    for line in text.splitlines():
        if ".[notify]" in line:
            named = line.replace("，", "；").replace("; ", "；").partition("；")[2]
            assert "Slack" in named
            assert "e-mail" not in named


def test_the_chinese_readme_says_of_every_english_page_that_it_is_one() -> None:
    text = (ROOT / "README.zh.md").read_text(encoding="utf-8").partition("## 更多")[0]
    for paragraph in text.split("\n\n"):
        for found in re.finditer(r"\]\(docs/([a-z-]+)\.md[^)]*\)", paragraph):
            assert "英文" in paragraph[found.start() :], found[1]


@pytest.mark.parametrize("page", ["README.md", "README.zh.md", "docs/quick-start.md", "docs/quick-start.zh.md"])
def test_nobody_is_told_to_install_into_the_system_s_own_python(page: str) -> None:
    """Debian and Ubuntu refuse that: an environment is made before the first `pip install`, on the same line."""
    first = next(line for line in (ROOT / page).read_text(encoding="utf-8").splitlines() if "pip install" in line)
    assert re.search(r"-m venv .* && pip install \.", first)

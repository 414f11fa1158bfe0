"""A repository that nobody wrote down, read as usual: what its package hands on is public, what it keeps is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.findings.reader import USUAL
from read.test_wide import Tree, findings, shown

RUN = "def run(prompt, limit=3):\n    return prompt\n"
CHANGED = "def run(prompt):\n    return prompt\n"
TOLD = "!parameter_removed run(limit)"


def read(folder: Path, inits: Tree, path: str = "engine/core/loop.py") -> set[str]:
    return shown(findings(folder, {**inits, path: RUN}, {path: CHANGED}, USUAL))


@pytest.mark.parametrize(
    ("why", "inits"),
    [
        ("by its package", {"engine/__init__.py": "from engine.core.loop import run\n"}),
        ("by a relative import", {"engine/__init__.py": "from .core.loop import run\n"}),
        ("under another name", {"engine/__init__.py": "from .core.loop import run as go\n"}),
        (
            "through a package between",
            {"engine/__init__.py": "from .core import run\n", "engine/core/__init__.py": "from .loop import run\n"},
        ),
        (
            "through a package between, under another name there",
            {
                "engine/__init__.py": "from .core import go\n",
                "engine/core/__init__.py": "from .loop import run as go\n",
            },
        ),
    ],
)
def test_a_name_that_the_outermost_package_hands_on_is_public(tmp_path: Path, why: str, inits: Tree) -> None:
    assert read(tmp_path, inits) == {TOLD}, why


@pytest.mark.parametrize(
    ("why", "inits"),
    [
        ("nobody hands it on", {"engine/__init__.py": ""}),
        ("another name is handed on", {"engine/__init__.py": "from .core.loop import stop\n"}),
        ("under a private name", {"engine/__init__.py": "from .core.loop import run as _run\n"}),
        ("only inside", {"engine/__init__.py": "", "engine/core/__init__.py": "from .loop import run\n"}),
        (
            "the package between keeps it",
            {"engine/__init__.py": "from .core import stop\n", "engine/core/__init__.py": "from .loop import run\n"},
        ),
    ],
)
def test_a_name_that_it_keeps_breaks_nobody(tmp_path: Path, why: str, inits: Tree) -> None:
    assert not any(told.startswith("!") for told in read(tmp_path, inits)), why


def test_the_package_may_stand_in_a_folder_that_only_holds_it(tmp_path: Path) -> None:
    inits = {"python/engine/__init__.py": "from .core.loop import run\n"}
    assert read(tmp_path, inits, "python/engine/core/loop.py") == {TOLD}


def test_a_handed_on_name_that_leaves_its_module_is_gone(tmp_path: Path) -> None:
    inits = {"engine/__init__.py": "from .core.loop import run\n", "engine/core/loop.py": f"{RUN}x = 1\n"}
    gone = {"engine/__init__.py": "", "engine/core/loop.py": "x = 1\n"}
    assert "!function_removed run" in shown(findings(tmp_path, inits, gone, USUAL))


@pytest.mark.parametrize("path", ["engine/config/cache.py", "src/engine/config.py", "python/engine/settings.py"])
def test_settings_are_public_by_where_they_stand(tmp_path: Path, path: str) -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass CacheConfig:\n    size: int = 0\n    pages: int = 0\n"
    found = findings(tmp_path, {path: text}, {path: text.replace("    pages: int = 0\n", "")}, USUAL)
    assert shown(found) == {"!field_removed CacheConfig.pages"}


def test_a_base_class_named_so_is_for_others_to_implement(tmp_path: Path) -> None:
    text = (
        "from abc import ABC, abstractmethod\nclass StoreBase(ABC):\n    @abstractmethod\n    def get(self, key): ...\n"
    )
    found = findings(tmp_path, {"engine/store.py": text}, {"engine/store.py": text.replace("key", "key, page")}, USUAL)
    assert shown(found) == {"!extension_method_changed StoreBase.get"}


def test_of_a_project_with_a_profile_the_profile_decides(tmp_path: Path) -> None:
    inits = {"vllm/__init__.py": "from .core.loop import run\n"}
    told = read(tmp_path, inits, "vllm/core/loop.py")
    assert {one.startswith("!internal_") for one in told} == {True}  # forks alone reach it


LISTED = 'from .loop import run\n\n__all__ = ["run"]\n'


def test_what_a_package_inside_lists_in_its_all_is_public(tmp_path: Path) -> None:
    assert read(tmp_path, {"engine/__init__.py": "", "engine/core/__init__.py": LISTED}) == {TOLD}


@pytest.mark.parametrize("init", [LISTED, "from .loop import run as run\n"])
def test_a_function_that_a_package_lists_or_hands_on_by_name_is_public_though_others_bear_a_mark(
    tmp_path: Path, init: str
) -> None:
    inits = {"flashinfer/__init__.py": "", "flashinfer/core/__init__.py": init}
    assert any(told.startswith("!") for told in read(tmp_path, inits, "flashinfer/core/loop.py"))


@pytest.mark.parametrize(
    ("why", "inits"),
    [
        ("too far in", {"engine/core/__init__.py": "", "engine/core/deep/__init__.py": LISTED}),
        ("another name is listed", {"flashinfer/core/__init__.py": LISTED.replace('["run"]', '["stop"]')}),
        ("taken, not listed", {"flashinfer/core/__init__.py": "from .loop import run\n"}),
        ("an application shares its lists with itself", {"vllm/__init__.py": "", "vllm/core/__init__.py": LISTED}),
    ],
)
def test_what_is_not_listed_breaks_nobody(tmp_path: Path, why: str, inits: Tree) -> None:
    root = next(iter(inits)).split("/", maxsplit=1)[0]
    folder = list(inits)[-1].rpartition("/")[0]
    told = read(tmp_path, {f"{root}/__init__.py": "", **inits}, f"{folder}/loop.py")
    assert not any(one.startswith("!") and not one.startswith("!internal_") for one in told), why


def test_a_field_of_a_listed_class_that_goes_breaks_its_readers(tmp_path: Path) -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass Answer:\n    tokens: list\n    number: int\n"
    inits = {
        "flashinfer/__init__.py": "",
        "flashinfer/ep/__init__.py": 'from .made import Answer\n__all__ = ["Answer"]\n',
    }
    made = {**inits, "flashinfer/ep/made.py": text}
    gone = {"flashinfer/ep/made.py": text.replace("    number: int\n", "")}
    assert shown(findings(tmp_path, made, gone, USUAL)) == {"!field_removed Answer.number"}


def test_a_function_that_a_package_goes_on_listing_moved_for_nobody(tmp_path: Path) -> None:
    listed = 'from .{} import run\n__all__ = ["run"]\n'
    package, core, other = (f"flashinfer/fused_moe/{name}.py" for name in ("__init__", "core", "other"))
    text = f"@flashinfer_api\n{RUN}"
    before = {"flashinfer/__init__.py": "", package: listed.format("core"), core: f"{text}\n\nKEPT = 1\n"}
    moved = {package: listed.format("other"), core: "KEPT = 1\n", other: text}
    told = shown(findings(tmp_path / "on", before, moved, USUAL))
    assert told
    assert not any(one.startswith("!") for one in told)
    dropped = {**moved, package: "LISTED = 1\n"}
    assert any(one.startswith("!") for one in shown(findings(tmp_path / "off", before, dropped, USUAL)))

"""A repository that nobody wrote down: what its packages offer is public, what they keep is not, on every output alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.findings.reader import USUAL
from read.test_wide import WIDE, Tree, findings, shown

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
        ("another name is handed on", {"engine/__init__.py": "from .core.loop import stop\n"}),
        ("it defines a name itself", {"engine/__init__.py": "def stop():\n    return 1\n"}),
    ],
)
def test_where_the_outermost_package_hands_names_on_without_a_list_all_are_public(
    tmp_path: Path, why: str, inits: Tree
) -> None:
    assert read(tmp_path, inits) == {TOLD}, why


@pytest.mark.parametrize(
    ("why", "inits"),
    [
        ("nobody hands it on", {"engine/__init__.py": ""}),
        ("under a private name", {"engine/__init__.py": "from .core.loop import run as _run\n"}),
        ("only inside", {"engine/__init__.py": "", "engine/core/__init__.py": "from .loop import run\n"}),
        ("what others made is handed on", {"engine/__init__.py": "import os\nfrom typing import Any\n"}),
        ("it says its version", {"engine/__init__.py": '__version__ = "1.0"\n'}),
        ("its package lists others", {"engine/__init__.py": 'from .core.loop import stop\n__all__ = ["stop"]\n'}),
    ],
)
def test_a_name_that_it_keeps_breaks_nobody(tmp_path: Path, why: str, inits: Tree) -> None:
    assert not any(told.startswith("!") for told in read(tmp_path, inits)), why


FIELD = "from dataclasses import dataclass\nfrom elsewhere import BaseConfig\n@dataclass\nclass ShapeConfig(BaseConfig):\n    size: int = 0\n    share: float = 1.0\n"
LOOP = "def loop(config):\n    return config.share\n"


@pytest.mark.parametrize(
    ("front", "told"),
    [
        ("from .shapes import anything\n", "!field_removed ShapeConfig.share"),
        ("", "!internal_field_removed ShapeConfig.share"),
    ],
)
def test_a_field_is_internal_or_public_for_a_day_and_for_a_range_alike(tmp_path: Path, front: str, told: str) -> None:
    """Of a class with a base elsewhere, which would give the field only if somebody still read it."""
    before = {"engine/__init__.py": front, "engine/wide/deep/config_of.py": FIELD, "engine/loop.py": LOOP}
    after = {
        "engine/wide/deep/config_of.py": FIELD.replace("    share: float = 1.0\n", ""),
        "engine/loop.py": LOOP.replace("config.share", "config.size"),
    }
    for name, limits in (("day", USUAL), ("range", WIDE)):
        found = findings(tmp_path / name, before, after, limits)
        assert shown([one for one in found if one.symbol == "ShapeConfig.share" and not one.inner]) == {told}, name


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
    assert not any(told.startswith("!") for told in read(tmp_path, inits, "vllm/core/loop.py"))


LISTED = 'from .loop import run\n\n__all__ = ["run"]\n'


def test_what_a_package_inside_lists_in_its_all_is_public(tmp_path: Path) -> None:
    assert read(tmp_path, {"engine/__init__.py": "", "engine/core/__init__.py": LISTED}) == {TOLD}


def test_however_far_in_it_stands(tmp_path: Path) -> None:
    inits = {"engine/__init__.py": "", "engine/trial/core/__init__.py": LISTED}
    assert read(tmp_path, inits, "engine/trial/core/loop.py") == {TOLD}


@pytest.mark.parametrize("init", [LISTED, "from .loop import run as run\n"])
def test_a_function_that_a_package_lists_or_hands_on_by_name_is_public_though_others_bear_a_mark(
    tmp_path: Path, init: str
) -> None:
    inits = {"flashinfer/__init__.py": "", "flashinfer/core/__init__.py": init}
    assert any(told.startswith("!") for told in read(tmp_path, inits, "flashinfer/core/loop.py"))


@pytest.mark.parametrize(
    ("why", "inits"),
    [
        ("too far in", {"flashinfer/core/__init__.py": "", "flashinfer/core/deep/__init__.py": LISTED}),
        ("another name is listed", {"flashinfer/core/__init__.py": LISTED.replace('["run"]', '["stop"]')}),
        ("taken, not listed", {"flashinfer/core/__init__.py": "from .loop import run\n"}),
        ("an application shares its lists with itself", {"vllm/__init__.py": "", "vllm/core/__init__.py": LISTED}),
    ],
)
def test_what_is_not_listed_breaks_nobody(tmp_path: Path, why: str, inits: Tree) -> None:
    root = next(iter(inits)).split("/", maxsplit=1)[0]
    folder = list(inits)[-1].rpartition("/")[0]
    told = read(tmp_path, {f"{root}/__init__.py": "", **inits}, f"{folder}/loop.py")
    assert not any(one.startswith("!") for one in told), why


def test_a_field_of_a_listed_class_that_goes_breaks_its_readers(tmp_path: Path) -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass Answer:\n    tokens: list\n    number: int\n"
    inits = {
        "flashinfer/__init__.py": "",
        "flashinfer/ep/__init__.py": 'from .made import Answer\n__all__ = ["Answer"]\n',
    }
    made = {**inits, "flashinfer/ep/made.py": text}
    gone = {"flashinfer/ep/made.py": text.replace("    number: int\n", "")}
    assert shown(findings(tmp_path, made, gone, USUAL)) == {"!field_removed Answer.number"}

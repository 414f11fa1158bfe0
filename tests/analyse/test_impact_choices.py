"""A module of yours that a version test chooses is judged for the versions for which it is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from analyse.impacted import REPO, WANTED
from analyse.test_impact_objects import ends
from daybreak.upgrade.downstream.walk import read_uses
from daybreak.upgrade.impact.join import join

PATCH = "from vllm import LLM\nLLM('m', device='cpu')\n"
CHOOSER = """
import vllm
if vllm.__version__ < "0.12":
    {old}
else:
    {new}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "app" / "patches"
    place.mkdir(parents=True)
    for name in ("old", "new"):
        (place / f"{name}.py").write_text(PATCH, "utf-8")
    return tmp_path


def paths(project: Path) -> list[str]:
    known = replace(ends(), versions={REPO: "v0.12.0"})
    uses = read_uses(project, WANTED)
    assert not [use for use in uses.uses if ":" in use.name]
    return sorted({hit.use.path for hit in join(uses, {REPO: ()}, ends=known)})


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("app/start.py", "from app.patches import old", "from app.patches import new"),
        ("app/start.py", "from .patches.old import LLM", "from .patches.new import LLM"),
        ("app/patches/__init__.py", "from . import old", "from . import new"),
        ("app/patches/__init__.py", "from .old import *", "from .new import *"),
        ("main.py", "import app.patches.old as patch", "import app.patches.new as patch"),
    ],
)
def test_only_the_module_that_is_chosen_at_the_end_is_judged(project: Path, file: str, old: str, new: str) -> None:
    (project / file).write_text(CHOOSER.format(old=old, new=new), "utf-8")
    assert paths(project) == ["app/patches/new.py"]


def test_a_package_that_is_chosen_takes_its_modules_along(project: Path) -> None:
    (project / "app/patches/old.py").unlink()
    for name, inside in (("__init__", "from . import inner\n"), ("inner", PATCH)):
        (project / "app/patches/old").mkdir(exist_ok=True)
        (project / f"app/patches/old/{name}.py").write_text(inside, "utf-8")
    (project / "app/start.py").write_text(
        "import vllm\n"
        "if vllm.__version__ == '0.10.0':\n    from app.patches import old\n"
        "elif vllm.__version__ in ('0.10.1', '0.10.2'):\n    from app.patches import old\n"
        "else:\n    from app.patches import new\n",
        "utf-8",
    )
    assert paths(project) == ["app/patches/new.py"]


def test_a_module_that_is_imported_without_a_condition_as_well_is_judged(project: Path) -> None:
    (project / "app/start.py").write_text(
        CHOOSER.format(old="from app.patches.old import LLM", new="from app.patches.new import LLM"), "utf-8"
    )
    (project / "app/other.py").write_text("from app.patches.old import LLM\n", "utf-8")
    assert paths(project) == ["app/patches/new.py", "app/patches/old.py"]

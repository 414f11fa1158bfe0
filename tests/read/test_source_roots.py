"""Python names are told as users import them, wherever the repository keeps its packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.place import Place
from daybreak.core.source_roots import module_of, source_roots
from daybreak.findings.reader import USUAL
from gitrepo import GitRepo
from read.test_wide import Tree, findings, shown

HATCH = '[tool.hatch.build.targets.wheel]\npackages = ["parts/code/acme"]\n'
POETRY = '[tool.poetry]\npackages = [{include = "acme", from = "code"}]\n'
LAYOUTS = [
    ("at the top", "", {}),
    ("in src", "src/", {}),
    ("in src of a part", "parts/src/", {}),
    ("in python of a part", "lib/bindings/python/", {}),
    ("where hatch lists it", "parts/code/", {"pyproject.toml": HATCH}),
    ("where setuptools finds it", "py/", {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["py"]\n'}),
    ("where setuptools maps it", "py/", {"pyproject.toml": '[tool.setuptools.package-dir]\n"" = "py"\n'}),
    ("where setup.py finds it", "py/", {"setup.py": 'setup(packages=find_packages(where="py"))\n'}),
    ("where setup.py maps it", "py/", {"setup.py": 'setup(package_dir={"": "py"})\n'}),
    ("where maturin takes it", "b/code/", {"b/pyproject.toml": '[tool.maturin]\npython-source = "code"\n'}),
    ("where poetry takes it", "b/code/", {"b/pyproject.toml": POETRY}),
    ("in the folder of its project", "python/acme/", {"python/acme/pyproject.toml": '[project]\nname = "acme"\n'}),
    ("beside its project file", "lib/", {"lib/acme/pyproject.toml": '[project]\nname = "acme"\n'}),
]
"""Why, folder that holds the package, files that say so."""
layouts = pytest.mark.parametrize(("root", "project"), [row[1:] for row in LAYOUTS], ids=[row[0] for row in LAYOUTS])
ARGS = "class RouterConfig:\n    def __init__(self, size=1):\n        self.size = size\n"


def placed(root: str, tree: Tree) -> Tree:
    return {f"{root}{path}": text for path, text in tree.items()}


@layouts
def test_a_class_that_moves_is_told_by_its_import_names_in_any_layout(tmp_path: Path, root: str, project: Tree) -> None:
    before = {"acme/__init__.py": "", "acme/router/__init__.py": "", "acme/router/old.py": ARGS}
    after = {"acme/router/old.py": None, "acme/router/new.py": ARGS}
    found = findings(tmp_path, {**project, **placed(root, before)}, placed(root, after), USUAL)
    told = {(f.before, f.after) for f in found if f.kind in ("class_moved", "module_moved")}
    names = {(before.partition(" (")[0], after) for before, after in told if before}
    assert names in (
        {("acme.router.old", "acme.router.new")},
        {("acme.router.old.RouterConfig", "acme.router.new.RouterConfig")},
    )


@layouts
def test_your_import_of_a_module_that_went_is_found_in_any_layout(tmp_path: Path, root: str, project: Tree) -> None:
    """A namespace package: `acme` itself has no file, and two parts of the repository hold modules of it."""
    upstream = GitRepo.make(tmp_path / "upstream.git")
    kept = {"acme/router/__init__.py": "", "acme/router/args.py": "def parse():\n    return 1\n"}
    more = {"other/src/acme/llm/__init__.py": "def load():\n    return 1\n"}
    gone = {"acme/router/backend.py": f"{ARGS}\n\ndef make():\n    return RouterConfig()\n"}
    if root in ("lib/", ""):  # there the package must be one to be known for what it is
        kept["acme/__init__.py"] = ""
    first = upstream.commit("First (#1)", {**project, **more, **placed(root, {**kept, **gone})})
    last = upstream.commit("Take it away (#2)", placed(root, {"acme/router/backend.py": None}))
    folder = tmp_path / "work"
    (folder / "svc").mkdir(parents=True)
    own = "from acme.llm import load\nfrom acme.router.backend import RouterConfig\n\nload()\nRouterConfig(size=2)\n"
    (folder / "svc/app.py").write_text(own, "utf-8")
    place = Place(folder, upstream)
    asked = ("--range", "o/acme", f"{first}..{last}", "--git", str(upstream.path), "--format", "json")
    said = place.run("impact", "svc", *asked, DAYBREAK_NOW="2026-01-20T08:00:00+00:00")
    assert said.returncode == 3, said.stdout + said.stderr
    hits = json.loads(said.stdout)["hits"]
    told = [(hit["certainty"], hit["use"]["line"]) for hit in hits]
    assert told[0] == ("certain", 2)
    assert set(told[1:]) <= {("certain", 5)}  # where the lost class is used
    assert "acme.router.backend" in hits[0]["finding"]["symbol"] or hits[0]["finding"]["symbol"] == "RouterConfig"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("acme/run/loop.py", "acme.run.loop"),
        ("acme/run/__init__.py", "acme.run"),
        ("python/acme/loop.py", "acme.loop"),
        ("parts/src/acme/loop.pyi", "acme.loop"),
        ("lib/acme/loop.py", "acme.loop"),
        ("some-tool/acme/loop.py", "acme.loop"),
        ("setup.py", "setup"),
    ],
)
def test_a_path_alone_gives_a_name_that_can_be_imported(path: str, name: str) -> None:
    assert module_of(path) == name


# --- Names that a package hands on from a private or compiled module ---

STUB = "class PushRouter:\n    def route(self, key: int) -> int: ...\n\nclass Config:\n    size: int\n"


def compiled(stub: str, init: str) -> Tree:
    return {"lib/python/src/acme/_core.pyi": stub, "lib/python/src/acme/llm/__init__.py": init}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from acme._core import PushRouter as PushRouter\n", "from acme._core import Router as Router\n"),
        (
            'from acme._core import PushRouter\n\n__all__ = ["PushRouter"]\n',
            'from acme._core import Router\n\n__all__ = ["Router"]\n',
        ),
    ],
)
def test_a_class_renamed_in_a_stub_is_told_where_the_package_hands_it_on(
    tmp_path: Path, before: str, after: str
) -> None:
    changed = compiled(STUB.replace("PushRouter", "Router"), after)
    found = findings(tmp_path, compiled(STUB, before), changed, USUAL)
    assert shown(found) == {"!class_renamed PushRouter"}
    assert [(f.path, f.before, f.after) for f in found] == [
        ("lib/python/src/acme/llm/__init__.py", "PushRouter", "Router")
    ]


def test_a_name_of_a_stub_that_goes_is_told_as_the_package_handed_it_on(tmp_path: Path) -> None:
    both = "from acme._core import Config as Config\nfrom acme._core import PushRouter as PushRouter\n"
    one = "from acme._core import Config as Config\n"
    found = findings(tmp_path, compiled(STUB, both), compiled(STUB[STUB.index("class Config") :], one), USUAL)
    assert shown(found) == {"!export_removed acme.llm.PushRouter"}


def test_a_name_that_its_package_hands_on_before_and_after_a_move_is_kept(tmp_path: Path) -> None:
    init = 'from acme.llm.{} import Config\n\n__all__ = ["Config"]\n'
    handler = (
        "class Config:\n    def __init__(self, size):\n        self.size = size\n\n\ndef helper():\n    return 1\n"
    )
    before = {"src/acme/llm/__init__.py": init.format("old"), "src/acme/llm/old.py": handler}
    after = {
        "src/acme/llm/__init__.py": init.format("new"),
        "src/acme/llm/old.py": None,
        "src/acme/llm/new.py": handler,
    }
    found = [f for f in findings(tmp_path, before, after, USUAL) if f.kind == "module_moved"]
    assert [(f.breaking, f.alias and f.alias.status, f.alias and f.alias.where) for f in found] == [
        (False, "kept", "acme.llm.*")
    ]


@pytest.mark.parametrize("text", ["[tool.poetry]\npackages = 1\n", f"a = {'9' * 5000}\n", "[tool\n"])
def test_an_odd_project_file_names_no_folder_and_ends_nothing(text: str) -> None:
    assert source_roots(["pyproject.toml", "acme/__init__.py"], {"pyproject.toml": text}) == ()


@pytest.mark.parametrize(
    ("after", "told"),
    [
        ('from ._stub.types import Vector\n\n__all__ = ["Vector"]\n', set()),
        ('from ._stub.types import Scalar\n\n__all__ = ["Scalar"]\n', {"!class_moved Vector"}),
    ],
    ids=["its package has it", "its package lost it"],
)
def test_a_name_that_moves_between_private_modules_breaks_only_where_its_package_loses_it(
    tmp_path: Path, after: str, told: set[str]
) -> None:
    vector = "class Vector:\n    def at(self, place):\n        return place\n"
    scalar = "class Scalar:\n    def get(self):\n        return self\n"
    init, stub = "src/acme/lang/__init__.py", "src/acme/lang/_stub"
    before = {
        init: 'from ._stub import Vector\n\n__all__ = ["Vector"]\n',
        f"{stub}/__init__.py": 'from .core import Vector\n\n__all__ = ["Vector"]\n',
        f"{stub}/core.py": vector,
    }
    moved = {init: after, f"{stub}/__init__.py": "", f"{stub}/core.py": "", f"{stub}/types.py": vector + scalar}
    found = findings(tmp_path, before, moved, USUAL)
    assert {one for one in shown(found) if one.startswith("!")} == told

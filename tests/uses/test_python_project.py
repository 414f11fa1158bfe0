"""Classes, functions and objects of yours that stand for something upstream, met in another file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import pytest

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import Unreadable, Wanted
from daybreak.upgrade.downstream import python
from daybreak.upgrade.downstream.python import uses
from daybreak.upgrade.downstream.python_project import Project

WANTED = Wanted(packages=frozenset({"vllm"}))
BASE = """
from vllm import Worker, LLM

class Base(Worker):
    def own(self): ...

def engine() -> LLM: ...

shared = LLM()
plain = 1
"""


def together(files: dict[str, str], named: Callable[[str, BaseException], None] = lambda *_: None) -> set[Use]:
    """What files use that are read together."""
    project = Project(WANTED)
    for path, text in files.items():
        project.look(path, text)
    found: dict[str, list[Use]] = {}
    for level in project.levels():
        found |= {path: list(project.uses(path, files[path], named)) for path in level}
        project.admit(level)
    while stale := project.stale():
        found |= {path: list(project.uses(path, files[path], named)) for path in stale}
        project.admit(stale)
    found |= {path: list(project.uses(path, files[path], named)) for path in project.last}
    assert found.keys() == files.keys()
    return {use for used in found.values() for use in used}


def told(files: dict[str, str]) -> set[str]:
    """What comes to light by reading the files together, as `file:line kind name`."""
    alone = {use for path, text in files.items() for use in uses(path, text, WANTED)}
    return {f"{use.path}:{use.line} {use.kind} {use.name}" for use in together(files) - alone}


def test_a_class_of_another_file_is_followed_to_its_upstream_base() -> None:
    user = "from app.base import Base\nclass Mine(Base):\n    def run(self):\n        self.own()\n        self.up()\n"
    assert told({"src/app/base.py": BASE, "src/app/user.py": user}) == {
        "src/app/user.py:2 subclass vllm.Worker",
        "src/app/user.py:3 override vllm.Worker.run",
        "src/app/user.py:5 call vllm.Worker.up",
    }


def test_relative_imports_functions_objects_and_whole_modules() -> None:
    user = "from ..base import engine, shared\nimport app.base as b\nengine().a()\nshared.b()\nb.Base().c()\n"
    assert told({"app/base.py": BASE, "app/sub/user.py": user}) == {
        "app/sub/user.py:3 call vllm.LLM.a",
        "app/sub/user.py:4 call vllm.LLM.b",
        "app/sub/user.py:5 call vllm.Worker",
        "app/sub/user.py:5 call vllm.Worker.c",
    }


def test_a_chain_of_files_and_a_package_that_hands_names_on() -> None:
    files = {
        "app/__init__.py": "from .base import Base\nfrom vllm import LLM\n",
        "app/base.py": BASE,
        "app/last.py": "from app.mid import Mid\nclass Last(Mid):\n    def g(self): ...\n",
        "app/mid.py": "from app import Base\nclass Mid(Base):\n    def f(self): ...\n",
        "main.py": "from app import LLM\nLLM(n=1)\n",
    }
    assert told(files) == {
        "app/mid.py:2 subclass vllm.Worker",
        "app/mid.py:3 override vllm.Worker.f",
        "app/last.py:2 subclass vllm.Worker",
        "app/last.py:3 override vllm.Worker.g",
        "main.py:2 call vllm.LLM",
    }


def test_a_name_that_two_files_have_is_nobodys() -> None:
    files = {
        "a/base.py": BASE,
        "b/base.py": BASE,
        "c/user.py": "from base import Base\nclass Mine(Base): ...\n",
        "d/user.py": "from base import plain\nplain.x\n",
    }
    assert told(files) == set()


def test_files_that_import_each_other_in_a_circle_know_each_other() -> None:
    files = {
        "app/a.py": "from app.b import B\nclass A(B):\n    def f(self): ...\n",
        "app/b.py": "from vllm import Worker\nfrom app.c import C\nclass B(Worker): ...\n",
        "app/c.py": "def g():\n    from app.a import A\n    A().h()\nclass C: ...\n",
    }
    for order in permutations(files):
        assert told({path: files[path] for path in order}) == {
            "app/a.py:2 subclass vllm.Worker",
            "app/a.py:3 override vllm.Worker.f",
            "app/c.py:3 call vllm.Worker",
            "app/c.py:3 call vllm.Worker.h",
        }


def test_each_file_of_a_project_without_circles_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: str, *given: Any, **more: Any) -> Iterator[Use]:
        read.append(path)
        return python.read(path, *given, **more)

    monkeypatch.setattr("daybreak.upgrade.downstream.python_project.read", counted)
    files = {
        "app/__init__.py": "from .base import Base\n",
        "app/base.py": BASE,
        "app/last.py": "from app.mid import Mid\nclass Last(Mid): ...\n",
        "app/mid.py": "from app import Base\nclass Mid(Base): ...\n",
        "apart.py": "import vllm\n",
    }
    together(files)
    assert read[:3] == ["app/base.py", "app/__init__.py", "app/mid.py"]
    assert sorted(read) == sorted(files)


def test_a_module_imported_by_a_string_or_from_above_is_read_before() -> None:
    files = {
        "a.py": "import importlib\nfrom app import x\nimportlib.import_module('app.base').Base().f()\n",
        "app/__init__.py": "from vllm import LLM as x\n",
        "app/base.py": BASE,
        "b.py": "import app\napp.base.Base().g()\n",
    }
    assert told(files) >= {"a.py:3 call vllm.Worker.f", "b.py:2 call vllm.Worker.g"}


def test_what_a_class_of_yours_defines_further_up_is_not_upstreams() -> None:
    files = {
        "app/a.py": BASE,
        "app/b.py": "from app.a import Base\nclass B(Base): ...\n",
        "c.py": "from app.b import B\nB().own()\nB().other()\n",
    }
    assert {one for one in told(files) if one.startswith("c.py")} == {
        "c.py:2 call vllm.Worker",
        "c.py:3 call vllm.Worker",
        "c.py:3 call vllm.Worker.other",
    }


def test_a_broken_file_says_so_where_it_says_something_of_upstream() -> None:
    user = "from base import Base\nclass Mine(Base): ...\ndef ("
    assert told({"base.py": BASE, "user.py": user}) == set()
    with pytest.raises(Unreadable):
        together({"base.py": BASE, "user.py": f"import vllm\n{user}"})


def test_a_long_chain_of_classes_is_no_trouble() -> None:
    chain = "from vllm import A as C0\n" + "".join(f"class C{n + 1}(C{n}): ...\n" for n in range(3000))
    assert len(together({"base.py": chain, "user.py": "from base import C3000\nC3000().f()\n"})) == 3003


def test_a_long_chain_of_files_is_no_trouble() -> None:
    files = {"m0.py": "from vllm import A as C\n"}
    files |= {f"m{n + 1}.py": f"from m{n} import C as B\nclass C(B): ...\n" for n in range(800)}
    assert "m800.py:2 subclass vllm.A" in told(dict(reversed(files.items())))


COMMON = "from vllm import *\ndef own(): ...\nPLAIN = 1\n"


def test_what_a_module_has_by_a_star_import_is_handed_on() -> None:
    user = "from lab.common import LLM, own, PLAIN, _hidden\nllm = LLM()\nllm.a()\nown().b()\nPLAIN.c()\n_hidden()\n"
    assert told({"lab/common.py": COMMON, "lab/run.py": user}) == {
        "lab/run.py:2 call vllm.LLM",
        "lab/run.py:3 call vllm.LLM.a",
    }


def test_stars_of_your_own_are_followed() -> None:
    files = {
        "lab/common.py": "from vllm import LLM as Engine\n" + COMMON,
        "lab/mid.py": "from .common import *\nEngine().a()\nown()\n",
        "lab/run.py": "from lab.mid import Engine, SamplingParams\nEngine().b()\nSamplingParams()\n",
    }
    assert told(files) == {
        "lab/mid.py:2 call vllm.LLM",
        "lab/mid.py:2 call vllm.LLM.a",
        "lab/run.py:2 call vllm.LLM",
        "lab/run.py:2 call vllm.LLM.b",
        "lab/run.py:3 call vllm.SamplingParams",
    }


def test_a_module_beside_a_star_import_is_not_upstreams() -> None:
    files = {
        "lab/__init__.py": "from vllm import *\n",
        "lab/tools.py": "def f(): ...\n",
        "run.py": "from lab import tools, LLM\ntools.f()\nLLM()\n",
    }
    assert told(files) == {"run.py:3 call vllm.LLM"}


def test_a_name_that_a_plain_module_imports_is_handed_on() -> None:
    files = {"app/a.py": "from vllm import LLM\nimport os\n", "app/b.py": "from app.a import LLM, os\nLLM()\nos.x()\n"}
    assert told(files) == {"app/b.py:2 call vllm.LLM"}


@pytest.mark.parametrize("fault", [RecursionError, MemoryError, KeyError])
def test_a_file_that_cannot_be_read_together_is_named_and_costs_no_other(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    files = dict.fromkeys(("bad.py", "good.py"), "from base import Base\nclass A(Base): ...\n") | {"base.py": BASE}
    reading = Project._together

    def failing(self: Project, path: str, *given: Any) -> Iterator[Use]:
        if path == "bad.py":
            raise fault
        return reading(self, path, *given)

    monkeypatch.setattr(Project, "_together", failing)
    named: list[tuple[str, type[BaseException]]] = []
    found = together(files, lambda path, error: named.append((path, type(error))))
    assert named == [("bad.py", fault)]
    assert {use.path for use in found} == {"base.py", "good.py"}

"""Classes, functions and objects of yours that stand for something upstream, met in another file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from daybreak.upgrade import Use
from daybreak.uses.interface import Wanted
from daybreak.uses.python_project import Project

WANTED = Wanted(packages=frozenset({"vllm"}))
BASE = """
from vllm import Worker, LLM

class Base(Worker):
    def own(self): ...

def engine() -> LLM: ...

shared = LLM()
plain = 1
"""


def told(files: dict[str, str]) -> set[str]:
    """What comes to light by reading the files together, as `file:line kind name`."""
    project = Project(WANTED)
    alone = {use for path, text in files.items() for use in project.uses(path, text)}
    together = set(project.joined(files.get))
    assert {use.path for use in together} <= set(files)
    return {f"{use.path}:{use.line} {use.kind} {use.name}" for use in together - alone}


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


def test_a_file_that_is_gone_or_broken_on_the_second_look_costs_nothing() -> None:
    project = Project(WANTED)
    user = "from base import Base\nclass Mine(Base): ...\n"
    list(project.uses("base.py", BASE))
    list(project.uses("gone.py", user))
    list(project.uses("user.py", user))
    texts = {"user.py": "def ("}
    assert list(project.joined(texts.get)) == []


def test_a_long_chain_of_classes_is_no_trouble() -> None:
    chain = "from vllm import A as C0\n" + "".join(f"class C{n + 1}(C{n}): ...\n" for n in range(3000))
    project = Project(WANTED)
    assert len(list(project.uses("base.py", chain))) == 3001


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
def test_a_file_that_cannot_be_read_again_is_named_and_costs_no_other(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    files = dict.fromkeys(("bad.py", "good.py"), "from base import Base\nclass A(Base): ...\n") | {"base.py": BASE}
    project = Project(WANTED)
    for path, text in files.items():
        list(project.uses(path, text))
    again = Project._again

    def failing(self: Project, path: str, text: str) -> Iterator[Use]:
        if path == "bad.py":
            raise fault
        return again(self, path, text)

    monkeypatch.setattr(Project, "_again", failing)
    named: list[tuple[str, type[BaseException]]] = []
    found = list(project.joined(files.get, lambda path, error: named.append((path, type(error)))))
    assert named == [("bad.py", fault)]
    assert {use.path for use in found} == {"good.py"}

"""Classes, functions and objects of yours that stand for something upstream, met in another file."""

from __future__ import annotations

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

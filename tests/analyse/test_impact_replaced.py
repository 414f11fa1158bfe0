"""What of upstream is replaced: classes that become functions, mixins, and functions of yours in the place of theirs."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from analyse.impacted import REPO, WANTED, uses_of
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Uses
from daybreak.upgrade.downstream.python_definitions import NAMED
from daybreak.upgrade.downstream.walk import read_uses
from daybreak.upgrade.impact.ends import Upstream, ends_of
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends
from gitrepo import GitRepo

BEFORE = """
    class Layer:
        def __init__(self, size, depth=1):
            self.router = 1
            self.method = 2
            self.rank = 3
    class Method:
        def apply(self, layer: Layer, x): ...
    class Serving:
        def prepare(self, request): ...
    class Engine:
        def __init__(self, config): ...
        def step(self, batch): ...
        def close(self, now): ...
    def build(args): ...
"""
AFTER = """
    class Runner:
        def __init__(self):
            self.router = 1
    class Experts:
        def __init__(self):
            self.rank = 3
    def Layer(size) -> Runner: ...
    class Method:
        def apply(self, layer: Experts, x): ...
    class Serving: ...
    class Engine:
        def __init__(self, config): ...
        def step(self, batch, late=False): ...
        def close(self): ...
    def build(args, late=None): ...
"""


def told(code: str, *, passed: bool = True) -> str:
    files = [{"vllm/__init__.py": "", "vllm/core.py": textwrap.dedent(text)} for text in (BEFORE, AFTER)]
    ends = Ends(
        lambda _, path: files[1].get(path), lambda _, path: files[0].get(path),
        passes=lambda *_: passed, defined=lambda *_: {},
    )  # fmt: skip
    hits = join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: []}, ends=ends)
    return " ".join(f"{hit.certainty}:{hit.use.line}" for hit in sorted(hits, key=lambda hit: hit.use.line))


CASES = {
    "a class that is a function now, asked for as a class": (
        "from vllm.core import Layer\nisinstance(1, (int, Layer))\nclass Mine(Layer): ...\n", "look:1 certain:2 certain:3"),
    "what is reached through its name": (
        "from vllm.core import Layer\nbefore = Layer.__init__\nLayer.extra = 1\n", "look:1 certain:2"),
    "what its objects had and those of the function have": (
        "from vllm.core import Layer\ndef f(layer: Layer):\n    layer.router\n    layer.method\n", "look:1 likely:4"),
    "what upstream passes now to a method of yours": (
        "from vllm.core import Layer, Method\nclass Mine(Method):\n    def apply(self, layer: Layer, x):\n        layer.router\n        layer.rank\n", "look:1 look:3 likely:4"),
    "an object that a function of yours makes": (
        "from vllm.core import Layer\ndef make(n):\n    return Layer(n)\nmake(1).to('x').method\n", "likely:4"),
    "what is made of it follows": (
        "from vllm.core import Layer\ndef f(layer: Layer):\n    held = layer.method\n    held.copy()\n", "look:1 likely:3"),
    "a method that a mixin puts before upstream's": (
        "from vllm.core import Serving\nclass Mixin:\n    def prepare(self, request):\n        return super().prepare(request)\nclass Mine(Mixin, Serving): ...\n",
        "likely:3 certain:4"),
    "a mixin that meets no upstream class": (
        "from vllm.core import Serving\nclass Mixin:\n    def prepare(self, request): ...\nclass Mine(Mixin): ...\n", ""),
    "a function of yours in the place of a method": (
        "from vllm.core import Engine\ndef step(self, batch): ...\nEngine.step = step\n", "likely:2"),
    "one that takes what comes": (
        "from vllm.core import Engine\ndef step(self, *args, **kw): ...\nEngine.step = step\n", ""),
    "a function of yours in the place of a function, put there by a word": (
        "import vllm.core\ndef build(args): ...\nsetattr(vllm.core, 'build', build)\n", "likely:2"),
    "a constructor of yours that hands on what it is given": (
        "from vllm.core import Layer\ndef start(self, *args, **kw): ...\nLayer.__init__ = start\nLayer(1, depth=2)\n",
        "certain:3 certain:4"),
    "what was there before it was replaced is upstream's": (
        "from vllm.core import Engine\nold = Engine.close\ndef close(self, now, *rest):\n    old(self, now)\nEngine.close = close\n",
        "certain:4"),
    "what a file keeps before it puts its own there, and a member that it puts there anew": (
        "from vllm.core import Serving\nold = Serving.prepare\ndef mine(self, request):\n    return old(self, request)\nServing.prepare = mine\nServing.other = mine\nServing.other\n",
        "certain:2 likely:3 certain:5"),
    "what a class of yours calls above itself, though another stands in the place of that class elsewhere": (
        "from vllm.core import Engine\nimport vllm.run\nclass Mine(Engine):\n    def close(self, *rest):\n        super().close(1)\nvllm.core.Engine = Mine\n",
        "certain:5"),
    "a question for a class, whatever names may be missing there": (
        "from vllm.core import Layer\ntry:\n    isinstance(1, Layer)\nexcept AttributeError:\n    found = None\ntry:\n    isinstance(1, Layer)\nexcept (AttributeError, TypeError):\n    found = None\n",
        "look:1 certain:3"),
    "a method of upstream that is called by its class": (
        "from vllm.core import Engine\nclass Mine(Engine):\n    def close(self, *rest):\n        Engine.close(self, 1)\n",
        "certain:4"),
    "a function that is called as the method that it works for": (
        "from vllm.core import Serving\ndef work(self):\n    self.prepare(1)\nclass Mine(Serving):\n    def go(self):\n        work(self)\n",
        "certain:3"),
    "a function that such a function calls, and one that is put there by its name": (
        "from mock import patch\ndef inner(self):\n    self.close(1)\ndef outer(self, *x):\n    inner(self)\npatch('vllm.core.Engine.step', outer)\n",
        "certain:3"),
    "a dict that is made of others and filled later": (
        "from vllm.core import Layer\nbase = dict(size=1)\nkw = base | {}\nkw.update(dict(\n    depth=2,\n))\nLayer(**kw)\n",
        "certain:5"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_upstream_replaced(name: str) -> None:
    code, expected = CASES[name]
    assert told(code) == expected


def test_a_class_that_a_string_names_is_made_by_whoever_reads_it(tmp_path: Path) -> None:
    texts = {
        "app/own.py": "from vllm.core import Comm\nclass Mine(Comm):\n    def __init__(self, group):\n        self.group = group\n",
        "app/platform.py": "import vllm\ndef name():\n    return 'app.own.Mine'\n",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    (init,) = [use for use in read_uses(tmp_path, WANTED).uses if use.kind == "override"]
    assert init.value == NAMED
    (tmp_path / "app/platform.py").unlink()
    (init,) = [use for use in read_uses(tmp_path, WANTED).uses if use.kind == "override"]
    assert init.value != NAMED


MIXIN = "class Mixin:\n    def prepare(self, request): ...\n    def start(self):\n        self.engine.close(1)\n"
WORKER = """
    class Engine:
        def close(self{now}): ...
    class Worker:
        engine: Engine
        def prepare(self, request{now}): ...
"""
NAMING = {
    "by a keyword": ("", "start(worker_extension_cls='app.own.Worker')\n"),
    "by a constant beside it": ("THE_WORKER_EXTENSION_CLS: str = f'{__name__}.Worker'\n", "import app.own\n"),
    "by a field over two lines": (
        "",
        "class Args:\n    worker_extension_cls: str | None = (\n        'app.own.Worker'\n    )\n",
    ),
    "by nobody": ("", "start(other_cls='app.own.Worker')\n"),
}


@pytest.mark.parametrize("name", NAMING)
def test_a_class_that_upstream_extends_its_own_by_must_bring_new_names(name: str, tmp_path: Path) -> None:
    beside, start = NAMING[name]
    before, after = WORKER.format(now=", now"), WORKER.format(now="") + "        def start(self): ...\n"
    files = [{"vllm/__init__.py": "", "vllm/v1/worker/gpu_worker.py": textwrap.dedent(one)} for one in (before, after)]
    ends = Ends(lambda _, path: files[1].get(path), lambda _, path: files[0].get(path), defined=lambda *_: {})
    own = f"from app.mixin import Mixin\nclass Worker(Mixin): ...\n{beside}"
    texts = {"app/mixin.py": MIXIN.replace("prepare", "ready"), "app/own.py": own, "main.py": f"import vllm\n{start}"}
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    hits = [hit for hit in join(read_uses(tmp_path, WANTED), {REPO: []}, ends=ends) if hit.use.path == "app/mixin.py"]
    expected = [] if name == "by nobody" else [("certain", 3, "override"), ("certain", 4, "call")]
    assert sorted((hit.certainty, hit.use.line, hit.use.kind) for hit in hits) == expected


def test_a_mixin_of_another_file_stands_before_the_upstream_class_of_whoever_takes_it(tmp_path: Path) -> None:
    texts = {
        "mixin.py": MIXIN,
        "own.py": "from vllm.core import Serving\nfrom mixin import Mixin\nclass A(Mixin, Serving): ...\n",
    }
    for path, text in texts.items():
        (tmp_path / path).write_text(text)
    told = [(use.line, use.kind, use.name) for use in read_uses(tmp_path, WANTED).uses if use.path == "mixin.py"]
    assert told == [
        (2, "override", "vllm.core.Serving.prepare"),
        (3, "override", "vllm.core.Serving.start"),
        (4, "call", "vllm.core.Serving.engine.close"),
    ]


@pytest.mark.parametrize(("own", "told"), [("from vllm import core", ["own.py:2"]), ("from first import *", [])])
def test_a_name_reached_through_an_import_of_its_own_is_not_repaired_in_another_file(
    own: str, told: list[str], tmp_path: Path
) -> None:
    """Whoever has the module by an own import of it does not get the name from the file of yours that imports it."""
    files = [{"vllm/__init__.py": "", "vllm/core.py": text} for text in ("TABLE = {}\n", "")]
    ends = Ends(lambda _, path: files[1].get(path), lambda _, path: files[0].get(path), defined=lambda *_: {})
    first = "from vllm import core\nfrom vllm.core import TABLE\n"
    (tmp_path / "first.py").write_text(first)
    (tmp_path / "own.py").write_text(f"{own}\ncore.TABLE[1] = 2\n")
    hits = join(read_uses(tmp_path, WANTED), {REPO: []}, ends=ends)
    assert [f"{hit.use.path}:{hit.use.line}" for hit in hits if hit.use.path == "own.py"] == told


def test_an_optional_parameter_that_nobody_upstream_passes_is_missed_by_nobody() -> None:
    code, _ = CASES["a function of yours in the place of a method"]
    assert told(code, passed=False) == ""


@pytest.mark.parametrize(
    ("call", "name", "place", "expected"),
    [
        ("engine.step(1, late=True)", ".step", 1, True),
        ("engine.step(1, 2)", ".step", 1, True),
        ("engine.step(1)", ".step", 1, False),
        ("step(1, 2)", ".step", 1, False),
        ("Engine.step(1, 2)", ".step", 1, False),
        ("build(1, 2)", "build", 1, True),
        ("build(1, 2)", "build", None, False),
        ("found(size=1, rank=2, late=3)", "", 1, True),
        ("found(size=1, late=3)", "", 1, False),
    ],
)
def test_upstream_passes_a_parameter_by_name_or_by_place(
    tmp_path: Path, call: str, name: str, place: int | None, expected: bool
) -> None:
    repo = GitRepo.make(tmp_path / "upstream.git")
    sha = repo.commit("Call it", {"vllm/run.py": f"{call}\n"})
    upstream = Upstream(Repo(REPO, "", ""), "", mirror=str(repo.path), end=sha, start=sha)
    passes = ends_of([upstream], dict(os.environ), Uses("/", (), 0, 0)).passes
    assert passes is not None
    assert passes(REPO, name, "late", place, ("size", "rank")) is expected

"""Objects whose class no annotation of yours tells, and shapes of what upstream gives, held against the trees at both ends."""

from __future__ import annotations

import ast
import textwrap

import pytest

from analyse.impacted import REPO, uses_of
from daybreak.core.model.upgrade import Hit
from daybreak.upgrade.downstream.python_values import Value
from daybreak.upgrade.downstream.python_walk import Walk
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

CORE = """
    from collections.abc import AsyncIterator
    from contextlib import asynccontextmanager
    from typing import Any, NamedTuple
    class Row(NamedTuple):
        key: int
        cost: int
    class Data:
        def __init__(self): ...
    class Engine:
        def __init__(self, n=1):
            self.seen = {}
        def drop(self): ...
        def rows(self) -> list[Row]: ...
        def pair(self):
            if self.a:
                return self.a, self.b
            return 1, 2
        def flush(self): ...
        def rest(self): ...
        def info(self) -> dict[str, Any]: ...
        def first(self) -> Data: ...
    @asynccontextmanager
    async def lend(args) -> AsyncIterator[Engine]:
        yield Engine()
    class Base:
        def __init__(self, config, parallel): ...
        def receive(self, info, load): ...
        def plan(self, a, old=1): ...
    class Factory:
        @classmethod
        def register(cls, name: str, kind: "str | type[Base]", class_name: str | None = None): ...
    class Lazy:
        @classmethod
        def register_it(cls, name: str, module: str, class_name: str): ...
        @classmethod
        def create_it(cls, name) -> Base: ...
    """
CHANGES = (
    ("        cost: int\n", ""),
    ("        def drop(self): ...\n", ""),
    ("            self.seen = {}\n", "            pass\n"),
    ("return self.a, self.b", "return self.a, self.b, 0"),
    ("return 1, 2", "return 1, 2, 3"),
    ("def flush", "async def flush"),
    ("-> dict[str, Any]", "-> Data"),
    ("first(self) -> Data", "first(self) -> dict[str, Any]"),
    ("config, parallel", "config, settings, device"),
    ("info, load", "info"),
    ("def plan(self, a, old=1)", "def plan(self, a, **kwargs)"),
)


def hits(code: str) -> tuple[Hit, ...]:
    before = after = textwrap.dedent(CORE)
    for old, new in CHANGES:
        assert old.strip() in after
        after = after.replace(old.removeprefix("    ") if old.startswith("        ") else old, new)
    trees = [{"vllm/__init__.py": "", "vllm/core.py": text} for text in (after, before)]
    ends = Ends(lambda _, path: trees[0].get(path), lambda _, path: trees[1].get(path), defined=lambda *_: {})
    return join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: ()}, ends=ends)


HEAD = "from vllm.core import Base, Engine, Factory, Lazy, lend\n"
OWN = "class Own:\n    def drop(self): ...\n"
MINE = "class Mine:\n    def __init__(self, config, parallel): ...\n    def receive(self, info, load): ...\n"
CASES = {
    "what a context manager lends": ("async def f(a):\n    async with lend(a) as e:\n        e.drop()\n", "certain:4"),
    "a parameter, by a call": ("def f(e):\n    e.drop()\nf(Engine())\n", "certain:3"),
    "a parameter of a method, by a call": (
        "class Mine:\n    def go(self):\n        self.f(e=Engine())\n    def f(self, e):\n        e.drop()\n", "certain:6"),
    "a parameter that is kept on self": (
        ("class Mine:\n    def __init__(self, e):\n        self.e = e\n    def f(self):\n        e = self.e\n        e.drop()\n"
        "Mine(Engine())\n"), "certain:7"),
    "callers that pass several kinds of things": ("def f(e):\n    e.drop()\nf(Engine())\nf(Base(1, 2, 3))\n", ""),
    "callers that pass yours and theirs": (f"{OWN}def f(e):\n    e.drop()\nf(Engine())\nf(Own())\n", ""),
    "a caller that passes something unknown": ("def f(e):\n    e.drop()\nf(Engine())\nf(*rest)\n", ""),
    "a caller that passes none": ("def f(e):\n    e.drop()\nf(Engine())\nf(None)\n", "certain:3"),
    "a function that calls itself": ("def f(e, n):\n    e.drop()\n    f(e, n - 1)\nf(Engine(), 3)\n", "certain:3"),
    "a function that another hands it on to": ("def f(e):\n    e.drop()\ndef g(e):\n    f(e)\ng(Engine())\n", "certain:3"),
    "a default of yours": (f"{OWN}def f(e=Own()):\n    e.drop()\nf(Engine())\n", ""),
    "two functions of one name in two others": (
        f"{OWN}def a():\n    def h(e):\n        e.drop()\n    h(Own())\ndef b():\n    def h(e):\n        pass\n    h(Engine())\n", ""),
    "two functions of one name in one place": (
        "if x:\n    def h(e):\n        e.drop()\nelse:\n    def h(e):\n        pass\nh(Engine())\n", ""),
    "what a method of yours gives": (
        ("class Mine:\n    def f(self):\n        e = self.get()\n        e.drop()\n    def get(self):\n        return self.e\n"
        "    def __init__(self):\n        self.e = Engine()\n"), "certain:5"),
    "a name of the module": (
        "e = None\ndef a():\n    global e\n    e = Engine()\ndef b():\n    e.drop()\n", "certain:7"),
    "a list of objects": ("for e in [Engine() for _ in range(2)]:\n    e.drop()\n", "certain:3"),
    "a list that grows": ("all = []\nall.append(Engine())\nall[0].drop()\n", "certain:4"),
    "an annotated list": ("def f(all: dict[str, Engine]):\n    for e in all.values():\n        e.drop()\n", "certain:4"),
    "an item of what upstream's class has": (
        "class Mine(Engine):\n    def f(self, i):\n        self.seen[i] = Engine()\n        return self.seen\n", "certain:4 certain:5"),
    "an object of yours that takes others": (
        ("class Mine:\n    def __init__(self):\n        self.e = Engine()\n    def append(self, e): ...\n"
        "m = Mine()\nm.append(Engine())\nm.e.drop()\n"), "certain:8"),
    "the keys of an annotated dict": ("def f(all: dict[str, Engine]):\n    for k in all:\n        k.drop()\n", ""),
    "the keys of a dict, in order": ("def f(all: dict[str, Engine]):\n    for k in sorted(all):\n        k.drop()\n", ""),
    "the first key of a dict": ("def f(all: dict[str, Engine]):\n    next(iter(all)).drop()\n    min(all).drop()\n", ""),
    "the keys of a dict that is made": (
        "def f(ks):\n    all = {k: Engine() for k in ks}\n    for k in all:\n        k.drop()\n    all[1].drop()\n", "certain:6"),
    "the keys of a dict that grows": ("all = {}\nall[1] = Engine()\nfor k in all:\n    k.drop()\nall[1].drop()\n", "certain:6"),
    "the pairs of a dict": (
        "all = {}\nall[1] = Engine()\nfor k, e in all.items():\n    k.drop()\n    e.drop()\n", "certain:6"),
    "a list of which one item is set": ("all = [None]\nall[0] = Engine()\nfor e in all:\n    e.drop()\n", "certain:5"),
    "a list of yours and theirs": (f"{OWN}for e in [Engine(), Own()]:\n    e.drop()\n", ""),
    "a list that grows by yours": (
        f"{OWN}all = [Engine()]\nall.append(Own())\nfor e in all:\n    e.drop()\n", ""),
    "a list of yours that grows by theirs": (
        f"{OWN}all = []\nall.append(Own())\nall.append(Engine())\nfor e in all:\n    e.drop()\n", ""),
    "a list that began with yours": (f"{OWN}all = [Own()]\nall.append(Engine())\nfor e in all:\n    e.drop()\n", ""),
    "a list that is given": ("def f(all):\n    all.append(Engine())\n    for e in all:\n        e.drop()\n", ""),
    "a piece of a list": ("a = [Engine()]\nb = a[1:]\nb.drop()\nb[0].drop()\n", "certain:5"),
    "one of yours instead": (f"{OWN}def f(e):\n    e = e or Own()\n    e.drop()\nf(Engine())\n", ""),
    "one of theirs instead": ("def f(e):\n    e = e or Engine()\n    e.drop()\n", "certain:4"),
    "what a function gives, theirs or yours": (
        (f"{OWN}def get(x):\n    if x:\n        return Own()\n    e = Engine()\n    return e\nclass A:\n    def get(self, x):\n"
        "        if x:\n            return Engine()\n        return Own()\n    def f(self):\n        self.get(1).drop()\n"), ""),
    "a comprehension": ("costs = [row.cost for row in Engine().rows()]\n", "certain:2"),
    "one of several": ("next(iter(Engine().rows())).cost\n", "certain:2"),
    "numbered rounds": ("for at, row in enumerate(Engine().rows()):\n    row.cost\n", "certain:3"),
    "a kind that is asked for": (
        "def f(e):\n    if isinstance(e, Engine):\n        e.drop()\n    else:\n        e.drop()\n", "certain:4"),
    "a kind of yours that is asked for": (
        f"{OWN}def f(e):\n    if isinstance(e, Own):\n        e.drop()\n    else:\n        e.drop()\nf(Engine())\n", "certain:8"),
    "several kinds that are asked for": (
        f"{OWN}def f(e):\n    if isinstance(e, (Own, str)):\n        e.drop()\nf(Engine())\n", ""),
    "a kind that it is not": ("def f(e):\n    if not isinstance(e, Engine):\n        e.drop()\n    e.drop()\nf(Engine())\n", "certain:5"),
    "any kind but one": (
        ("def f(e):\n    if isinstance(e, Engine):\n        pass\n    elif e:\n        e.drop()\n    else:\n        e.drop()\n"
        "f(Engine())\n"), ""),
    "a kind that is done with": (
        "def f(e):\n    if isinstance(e, Engine):\n        return\n    e.drop()\nf(Engine())\n", ""),
    "a kind that is made where it is not": (
        "def f(e):\n    if not isinstance(e, Engine):\n        e = Engine(e)\n    e.drop()\n", "certain:5"),
    "a kind that is sure in one branch only": (
        "def f(e, x):\n    if x:\n        if not isinstance(e, Engine):\n            return\n    e.drop()\n", ""),
    "a kind that is made sure of": ("def f(e):\n    assert isinstance(e, Engine)\n    e.drop()\n", "certain:4"),
    "how many values are given, without an annotation": ("a, b = Engine().pair()\n", "certain:2"),
    "how many values a named tuple has": ("for a, b in Engine().rows():\n    pass\n", "certain:2"),
    "what must be awaited now": ("e = Engine()\ne.flush()\ne.rest()\n", "certain:3"),
    "what is awaited already": ("async def f(e: Engine):\n    await e.flush()\n", ""),
    "what another function may await": ("def f(e: Engine):\n    return e.flush()\n", ""),
    "an object where a dict was": ("info = Engine().info()\ninfo['x']\n", "certain:3"),
    "a dict where an object was": ("Engine().first().seen\n", ""),
    "a class that is registered": (f"{MINE}Factory.register('x', Mine)\n", "likely:3 likely:4"),
    "a class that is registered by its name": (
        f"def go():\n    Factory.register('x', 'svc.app', 'Mine')\n{MINE}", "likely:5 likely:6"),
    "what a factory makes by a name": (f"{MINE}Lazy.register_it('x', __name__, 'Mine')\n", "likely:3 likely:4"),
    "a class of yours that nobody registers": (MINE, ""),
    "a class put in the place of one": (f"{MINE}import vllm.core\nvllm.core.Base = Mine\n", "likely:3 likely:4"),
    "a parameter that went into **kwargs": ("class Mine(Base):\n    def plan(self, a, old=1): ...\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_objects_without_an_annotation(code: str, expected: str) -> None:
    found = sorted(hits(HEAD + code), key=lambda hit: hit.use.line)
    assert " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in found)) == expected


NESTED = {
    "numbered rounds": "[x for i, x in enumerate({})]",
    "several at once": "[x for x, y in zip({}, z)]",
    "pairs": "[v for k, v in {}.items()]",
    "values": "[v for v in {}.values()]",
    "an item that a round sets": "[0 for {}.x[0] in y]",
}


@pytest.mark.parametrize("form", NESTED.values(), ids=NESTED.keys())
def test_nested_rounds_are_read_in_as_many_steps_as_they_are_deep(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    visit, steps = Walk.visit, []

    def counted(walk: Walk, node: ast.AST) -> Value:
        steps.append(node)
        assert len(steps) < 1_000, "a node is read more than once at every depth"
        return visit(walk, node)

    monkeypatch.setattr(Walk, "visit", counted)
    code = "Engine()"
    for _ in range(30):
        code = form.format(code)
    hits(f"{HEAD}a = {code}\n")


def test_the_words_of_another_shape_name_what_gives_it() -> None:
    (hit,) = hits(f"{HEAD}data = Engine().info()\ndata['x']\n")
    assert "Engine" in hit.why["en"]
    assert "dict" in hit.why["en"] or "list" in hit.why["en"]

"""What is reached through objects, dicts and wrappers, held against the trees at both ends; no finding is needed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest

from analyse.impacted import REPO, uses_of
from daybreak.core.model.upgrade import Hit
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

BEFORE = {
    "vllm/__init__.py": """
        MODULE_ATTRS = {"LLM": ".entrypoints.llm:LLM"}
        def __getattr__(name): ...
        from vllm.params import SamplingParams
        """,
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/llm.py": """
        from typing import overload
        from vllm.config import EngineArgs
        from vllm.outputs import Output
        class LLM:
            def __init__(self, model, **kwargs):
                self.engine = Engine.make(EngineArgs(model=model, **kwargs))
            @overload
            def generate(self, prompts, *, n=1) -> list[Output]: ...
            def generate(self, prompts=None, params=None, prompt_token_ids=None) -> "list[Output]":
                return []
        class Engine:
            def __init__(self, args: EngineArgs):
                self.args = args
                self.buffer = Buffer()
            @classmethod
            def make(cls, args):
                return cls(args)
            def step(self) -> tuple[Output, int]: ...
            def drop(self): ...
        class Buffer:
            def __init__(self):
                self.cpu = 1
        """,
    "vllm/config.py": """
        from dataclasses import dataclass
        @dataclass
        class EngineArgs:
            model: str
            device: str = "auto"
            seed: int = 0
        """,
    "vllm/outputs.py": """
        class Output:
            def __init__(self):
                self.text = ""
                self.score = 1.0
        """,
    "vllm/params.py": """
        class SamplingParams:
            n: int = 1
            def __init__(self, n=1, best_of=None, seed=None): ...
        """,
    "vllm/utils.py": "def get_port(): ...\n",
    "vllm/old.py": "class Worker:\n    def __init__(self, rank): ...\n    def run(self): ...\n",
    "vllm/manager.py": """
        from vllm.models import Lora
        class Manager:
            def __init__(self, kind: type[Lora] = Lora):
                self._kind = kind
            def load(self): ...
        """,
    "vllm/models.py": "class Lora:\n    @classmethod\n    def read(cls, path, padding=0): ...\n",
}
AFTER = BEFORE | {
    "vllm/entrypoints/llm.py": """
        import torch
        from vllm.config import EngineArgs
        from vllm.outputs import Output
        class LLM:
            def __init__(self, model, **kwargs):
                self.engine = Engine.make(EngineArgs(model=model, **kwargs))
            def generate(self, prompts, params=None) -> list[Output]: ...
        class Engine:
            def __init__(self, args: EngineArgs):
                self.args = args
                self.buffer = torch.zeros(1)
            @classmethod
            def make(cls, args):
                return cls(args)
            def step(self) -> tuple[Output, int, int]: ...
            def start(self): ...
        """,
    "vllm/config.py": """
        from dataclasses import dataclass
        @dataclass
        class EngineArgs:
            model: str
            seed: int = 0
        """,
    "vllm/outputs.py": "class Output:\n    def __init__(self):\n        self.text = ''\n",
    "vllm/params.py": "class SamplingParams:\n    n: int = 1\n    def __init__(self, n=1, seed=None): ...\n",
    "vllm/utils.py": """
        import warnings
        def __getattr__(name):
            if name == "get_port":
                warnings.warn("get_port is deprecated and will be removed in v0.13")
        """,
    "vllm/models.py": "class Lora:\n    @classmethod\n    def read(cls, path): ...\n",
}


def ends() -> Ends:
    def tree(files: Mapping[str, str]) -> Mapping[str, str]:
        return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}

    before, after = tree(BEFORE), tree(AFTER)
    return Ends(lambda _, path: after.get(path), lambda _, path: before.get(path))


def hits(code: str) -> tuple[Hit, ...]:
    return join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: ()}, ends=ends())


CASES = {
    "a keyword of an overloaded method": ("from vllm import LLM\nLLM('m').generate(prompt_token_ids=[1])\n", "certain:2"),
    "the line of the keyword, not of the call": (
        "from vllm import LLM\nllm = LLM('m')\nllm.generate(\n    prompt_token_ids=[1],\n)\n", "certain:4"),
    "a keyword handed on by **kwargs upstream": ("from vllm import LLM\nLLM('m', device='cpu')\n", "certain:2"),
    "an attribute of what a method gives": (
        "from vllm import LLM\nfor out in LLM('m').generate('x'):\n    print(out.text, out.score)\n", "certain:3"),
    "a field of a field": ("from vllm import LLM\nllm = LLM('m')\nllm.engine.args.device\n", "certain:3"),
    "what a class method makes": (
        "from vllm.entrypoints.llm import Engine\nengine = Engine.make(1)\nengine.drop()\n", "certain:3"),
    "the number of values that are given": (
        "from vllm.entrypoints.llm import Engine\ndef f(engine: Engine):\n    out, n = engine.step()\n", "certain:3"),
    "an attribute that holds another kind of thing": (
        "from vllm.entrypoints.llm import Engine\ndef f(engine: Engine):\n    engine.buffer.cpu\n", "likely:3"),
    "self of a subclass": (
        "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def go(self):\n        self.drop()\n", "certain:4"),
    "self of a function that is put on a class": (
        """
        from vllm.manager import Manager
        def load(self):
            return self._kind.read("x", padding=1)
        def put(kind, name, function): setattr(kind, name, function)
        put(Manager, "load", load)
        """, "certain:3"),
    "an attribute that a later method sets": (
        """
        from vllm.config import EngineArgs
        class Mine:
            def __init__(self):
                self.prepare()
                print(self.args.device)
            def prepare(self):
                self.args = EngineArgs("m")
        """, "certain:5"),
    "a dict on self": (
        """
        from vllm import LLM
        class Mine:
            def __init__(self):
                self.args = {
                    "device": "cpu",
                }
                self.args.update(seed=1)
            def start(self):
                return LLM("m", **self.args)
        """, "certain:5"),
    "a dict that comes from outside": (
        "from vllm import SamplingParams\ndef f(kw):\n    kw['best_of'] = 2\n    return SamplingParams(**kw)\n", "certain:3"),
    "keys from a loop": (
        ("from vllm import SamplingParams\ndef f(c):\n    kw = {}\n    for key in ['n', 'best_of']:\n"
        "        kw[key] = getattr(c, key)\n    return SamplingParams(**kw)\n"), "certain:4"),
    "a dict that is rebuilt": (
        "from vllm import SamplingParams\nkw = {'best_of': 2}\nkw = {k: v for k, v in kw.items() if v}\nSamplingParams(**kw)\n",
        "certain:2"),
    "a wrapper of yours": (
        "from vllm import SamplingParams\ndef make(scale, **kw):\n    return SamplingParams(**kw)\nmake(1, best_of=2)\n",
        "certain:4"),
    "the import that lives of two": (
        "try:\n    from vllm.older import Worker\nexcept ImportError:\n    from vllm.old import Worker\nWorker(1).run()\n", ""),
    "an alias that is kept with a warning": ("from vllm.utils import get_port\n", "look:1"),
    "a name that a base gains": (
        "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def start(self, port): ...\n", "look:3"),
    "what is the same at both ends": (
        ("from vllm import LLM, SamplingParams\nllm = LLM('m', seed=1)\nllm.generate('x', params=SamplingParams(n=2))\n"
        "llm.engine.args.seed\n"), ""),
    "what was never there": ("from vllm import LLM\nLLM('m').unheard_of()\nLLM('m').generate(unheard=1)\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_the_trees_tell(code: str, expected: str) -> None:
    assert " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in hits(code))) == expected


def test_an_alias_says_until_when() -> None:
    (hit,) = hits("from vllm.utils import get_port\n")
    assert "v0.13" in hit.why["en"]


def test_a_tree_that_does_not_parse_says_nothing() -> None:
    broken = Ends(lambda _, path: "class (" if path.endswith(".py") else None, lambda _, path: "class (")
    code = "from vllm import LLM\nLLM('m').generate(prompt_token_ids=[1])\n"
    assert join(uses_of("svc/app.py", code), {REPO: ()}, ends=broken) == ()

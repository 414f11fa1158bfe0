"""What is reached through objects, dicts and wrappers, held against the trees at both ends; no finding is needed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest

from analyse.impacted import KEPT, OLD, REPO, net, uses_of
from daybreak.core.model.upgrade import Hit, Net
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
            def warm(self) -> None: ...
            def rest(self) -> None: ...
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
        @dataclass
        class Limits:
            longest: int = 1
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
    "vllm/entrypoints/early.py": "class Parser: ...\n",
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
            def warm(self) -> float: ...
            def rest(self) -> float | None: ...
        """,
    "vllm/config.py": """
        from dataclasses import dataclass
        @dataclass
        class EngineArgs:
            model: str
            seed: int = 0
        @dataclass
        class Limits:
            longest: InitVar[int] = 1
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
    "vllm/entrypoints/late.py": "class Parser: ...\n",
}
del AFTER["vllm/entrypoints/early.py"]


def ends() -> Ends:
    def tree(files: Mapping[str, str]) -> Mapping[str, str]:
        return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}

    before, after = tree(BEFORE), tree(AFTER)
    late = {"Parser": ("vllm/entrypoints/late.py",)}
    return Ends(lambda _, path: after.get(path), lambda _, path: before.get(path), defined=lambda *_: late)


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
    "a dict that is rebuilt, with an annotation": (
        ("from typing import Any\nfrom vllm import SamplingParams\nkw: dict[str, Any] = {'best_of': 2}\n"
        "kw = {k: v for k, v in kw.items() if v}\nSamplingParams(**kw)\n"), "certain:3"),
    "a wrapper of yours": (
        "from vllm import SamplingParams\ndef make(scale, **kw):\n    return SamplingParams(**kw)\nmake(1, best_of=2)\n",
        "certain:4"),
    "a call that a thread makes": (
        ("import asyncio\nfrom vllm import LLM\nasync def f(llm: LLM):\n"
        "    await asyncio.to_thread(llm.generate, prompt_token_ids=[1])\n"), "certain:4"),
    "a place that stands in a string": ("PARSERS = {'one': 'vllm.entrypoints.early.Parser', 'two': 'vllm.entrypoints.early:Parser'}\n", "certain:1"),
    "a place that is written out": ("import vllm.entrypoints.early\ndef f():\n    return vllm.entrypoints.early.Parser()\n", "certain:1 certain:3"),
    "a member that went is not there by any import": (
        """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from vllm.entrypoints.llm import Engine
        def f(engine: "Engine"):
            engine.drop()
        """, "certain:5"),
    "what an import hands on is repaired there": (
        "from vllm.entrypoints.early import Parser\ndef f():\n    return Parser()\n", "certain:1"),
    "the import that lives of two": (
        "try:\n    from vllm.older import Worker\nexcept ImportError:\n    from vllm.old import Worker\nWorker(1).run()\n", ""),
    "an alias that is kept with a warning": ("from vllm.utils import get_port\n", "look:1"),
    "a name that a base gains": (
        "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def start(self, port): ...\n", "look:3"),
    "a field that only the constructor takes now": (
        "from vllm.config import Limits\nlimits = Limits(longest=2)\nprint(limits.longest)\n", "certain:3"),
    "an override that gives nothing where the base gives a value now": (
        ("from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def warm(self):\n        print(1)\n"
        "    def rest(self):\n        return\n"), "likely:3"),
    "an override that gives what the base gives now": (
        "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def warm(self):\n        return 1.0\n", ""),
    "what is the same at both ends": (
        ("from vllm import LLM, SamplingParams\nllm = LLM('m', seed=1)\nllm.generate('x', params=SamplingParams(n=2))\n"
        "llm.engine.args.seed\n"), ""),
    "an import that failed before": (
        ("from vllm.entrypoints.early.inner import Parser\nclass Mine(Parser):\n    def run(self):\n"
        "        return super().run()\n"), ""),
    "what was never there": ("from vllm import LLM\nLLM('m').unheard_of()\nLLM('m').generate(unheard=1)\n", ""),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_the_trees_tell(code: str, expected: str) -> None:
    assert " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in hits(code))) == expected


def remedies(code: str, homes: Mapping[str, tuple[str, ...]], *nets: Net, **after: str) -> list[str]:
    """What to do about each hit where the end defines names in these files."""
    one = ends()
    assert one.tree is not None
    there, tree = {f"vllm/entrypoints/{name}.py": text for name, text in after.items()}, one.tree
    known = Ends(lambda repo, path: there.get(path) or tree(repo, path), one.start, defined=lambda *_: homes)
    return [hit.action["en"] for hit in join(uses_of("svc/app.py", code), {REPO: nets}, ends=known)]


def test_a_value_of_the_same_name_is_not_what_a_lost_class_became() -> None:
    code = "from vllm.entrypoints.early import Parser\n"
    kept = {"Parser": ("vllm/entrypoints/late.py",)}
    (moved,) = remedies(code, kept)
    (none,) = remedies(code, kept, late="Parser = Literal['a', 'b']\n")
    assert "vllm.entrypoints.late" in moved
    assert "vllm.entrypoints.late" not in none


def test_of_several_files_the_one_that_defines_a_name_is_where_to_import_it_from() -> None:
    code = "from vllm.entrypoints.early import Parser\n"
    both = {"Parser": ("vllm/entrypoints/late.py", "vllm/entrypoints/other.py")}
    (told,) = remedies(code, both, other="from vllm.entrypoints.late import Parser as _P\nParser = _P\n")
    assert "vllm.entrypoints.late" in told


def test_a_name_of_a_module_that_was_split_is_told_where_it_went_itself() -> None:
    split = ("module_moved", "vllm/entrypoints/other.py", "vllm.entrypoints.early (2 names)", "vllm.entrypoints.early")
    moved = net((*split, "vllm.entrypoints.other"))
    late = {"Parser": ("vllm/entrypoints/late.py",)}
    (told,) = remedies("from vllm.entrypoints.early import Parser\n", late, moved, other="from .late import Parser\n")
    assert "vllm.entrypoints.late" in told


def test_what_a_lost_base_held_is_no_loss_where_the_class_has_it_still() -> None:
    code = "from vllm.entrypoints.llm import Engine\ndef f(engine: Engine):\n    engine.args\n    engine.drop()\n"
    lost = [("attribute_removed", "vllm/entrypoints/llm.py", f"Engine.{name}", None, None) for name in ("args", "drop")]
    found = join(uses_of("svc/app.py", code), {REPO: [*map(net, lost)]}, ends=ends())
    assert [hit.use.line for hit in found] == [4]


def test_a_field_that_can_only_be_read_is_not_passed_any_more() -> None:
    lost = net(("field_removed", "vllm/config.py", "EngineArgs.device", "device: str", None), KEPT)
    code = "from vllm.config import EngineArgs\nEngineArgs('m', device='cpu')\n"
    (hit,) = join(uses_of("svc/app.py", code), {REPO: [lost]}, ends=ends())
    assert hit.certainty == "certain"


def test_what_is_gone_is_not_told_again_as_to_go() -> None:
    gone = net(("function_removed", "vllm/entrypoints/llm.py", "Engine.drop", "def drop(self)", None))
    goes = net(("name_deprecated", "vllm/entrypoints/llm.py", "Engine.drop", None, None), OLD, False)
    code = "from vllm.entrypoints.llm import Engine\nclass Mine(Engine):\n    def drop(self): ...\n"
    found = join(uses_of("svc/app.py", code), {REPO: [gone, goes]}, ends=ends())
    assert [hit.certainty for hit in found] == ["likely"]


def test_an_alias_says_until_when() -> None:
    (hit,) = hits("from vllm.utils import get_port\n")
    assert "v0.13" in hit.why["en"]


def test_a_tree_that_does_not_parse_says_nothing() -> None:
    broken = Ends(lambda _, path: "class (" if path.endswith(".py") else None, lambda _, path: "class (")
    code = "from vllm import LLM\nLLM('m').generate(prompt_token_ids=[1])\n"
    assert join(uses_of("svc/app.py", code), {REPO: ()}, ends=broken) == ()

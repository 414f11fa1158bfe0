"""Values of another kind than before, classes that are no classes any more, and what an override must take and give."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import pytest

from analyse.impacted import REPO, net, uses_of
from daybreak.core.model.upgrade import Hit, Net
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

BEFORE = {
    "vllm/__init__.py": "",
    "vllm/moe.py": """
        from torch import nn
        class Experts(nn.Module):
            def __init__(self, size): self.size = size
        """,
    "vllm/config.py": """
        from dataclasses import dataclass
        @dataclass
        class Seen:
            level: int = 0
        @dataclass
        class Passes:
            fast: bool = False
        @dataclass
        class Config:
            seen: Seen | None = None
            names: "Optional[list[str]]" = None
            kept: Seen | None = None
            backend: str = "a"
            mode: str = "b"
            passes: Passes = Passes()
        """,
    "vllm/worker.py": """
        class Worker:
            def warm(self) -> float: ...
            def pair(self) -> tuple[int, str]: ...
            def model(self) -> Model: ...
            def start(self, config, cache=None): ...
            def stop(self, config, cache=None): ...
        """,
    "vllm/envs.py": "variables = {\n" + "".join(f'    "VLLM_{x}": lambda: 1,\n' for x in range(40)) + "}\n",
    "vllm/first.py": "class Parser: ...\nKind = int | str\nOther = int | str\n",
    "vllm/second.py": "class Parser: ...\nclass Kind: ...\n",
}
AFTER = {
    **BEFORE,
    "vllm/moe.py": """
        from torch import nn
        class Runner(nn.Module):
            def __init__(self): self.inner = 1
        def Experts(size) -> Runner: ...
        """,
    "vllm/config.py": """
        from dataclasses import dataclass
        from enum import Enum, StrEnum
        class Backend(Enum):
            A = "a"
        class Mode(StrEnum):
            B = "b"
        @dataclass
        class Seen:
            level: int = 0
        @dataclass
        class Passes:
            quick: bool = False
        @dataclass
        class Config:
            seen: Seen = Seen()
            names: dict[str, int] | None = None
            kept: Seen | None = None
            backend: Backend = Backend.A
            mode: Mode = Mode.B
            passes: Passes = Passes()
        """,
    "vllm/worker.py": """
        class Worker:
            def warm(self) -> Times: ...
            def pair(self) -> tuple[int, str, int]: ...
            def model(self) -> AnyModel: ...
            def start(self, config, cache): ...
            def stop(self, config, cache=None): ...
        """,
}
del AFTER["vllm/first.py"]
AFTER["vllm/second.py"] += "Other = int | str | None\n"


def ends() -> Ends:
    def tree(files: Mapping[str, str]) -> Mapping[str, str]:
        return {path: textwrap.dedent(text).lstrip("\n") for path, text in files.items()}

    before, after = tree(BEFORE), tree(AFTER)
    homes = dict.fromkeys(("Parser", "Kind", "Other"), ("vllm/second.py",))
    return Ends(lambda _, path: after.get(path), lambda _, path: before.get(path), defined=lambda *_: homes)


def hits(code: str, *nets: Net) -> tuple[Hit, ...]:
    return join(uses_of("svc/app.py", textwrap.dedent(code).lstrip("\n")), {REPO: nets}, ends=ends())


def said(code: str, *nets: Net) -> str:
    return " ".join(dict.fromkeys(f"{hit.certainty}:{hit.use.line}" for hit in hits(code, *nets)))


CONFIG = "from vllm.config import Config\n"
MINE = "from vllm.worker import Worker\nclass Mine(Worker):\n"
CASES = {
    "a pattern asks for a class": (
        "from vllm.moe import Experts\ndef f(x):\n    match x:\n        case Experts():\n            return 1\n", "certain:4 look:1"),
    "what something else puts on objects that you make": (
        "from vllm.moe import Experts\nlayer = Experts(1)\nlayer.weight.data = 0\n", "look:3"),
    "what something else puts on objects that you are given": (
        "from vllm.moe import Experts\ndef f(layer: Experts):\n    layer.weight.data = 0\n", "look:1"),
    "what is called of it": (
        "from vllm.moe import Experts\nlayer = Experts(1)\nlayer.weight.copy_(0)\nlayer.to('x')\n", "look:3"),
    "what the new object has as well": ("from vllm.moe import Experts\nlayer = Experts(1)\nlayer.inner = 0\n", ""),
    "None where it is not taken any more": (CONFIG + "Config(seen=None)\n", "likely:2"),
    "None on a line of its own": (CONFIG + "Config(\n    backend=x,\n    seen=None,\n)\n", "likely:4"),
    "a list where a table is asked for": (CONFIG + "Config(names=['a'])\n", "likely:2"),
    "None where it is still taken": (CONFIG + "Config(kept=None, names=None)\n", ""),
    "a value that is not written out": (CONFIG + "Config(seen=given)\n", ""),
    "a string that an enum is compared with": (CONFIG + "def f(c: Config):\n    return c.backend == 'a'\n", "likely:3"),
    "a string that an enum is set to": (CONFIG + "def f(c: Config):\n    c.backend = 'a'\n", "likely:3"),
    "an enum that is a string": (CONFIG + "def f(c: Config):\n    return c.mode == 'b'\n", ""),
    "an enum that is handed on": (CONFIG + "def f(c: Config):\n    return c.backend\n", ""),
    "an override gives another kind of value": (MINE + "    def warm(self) -> float:\n        return 1.0\n", "likely:3"),
    "an override gives fewer values": (MINE + "    def pair(self):\n        return 1, ''\n", "likely:3"),
    "an override gives what is asked for now": (MINE + "    def warm(self) -> Times:\n        return Times()\n", ""),
    "of two classes one may stand for the other": (MINE + "    def model(self):\n        return Model()\n", ""),
    "an override lacks what was optional": (MINE + "    def start(self, config): ...\n    def stop(self, config): ...\n", "likely:3"),
    "a field that is kept under the same name": (
        CONFIG + "class Mine:\n    def __init__(self, c: Config):\n        self.fast = c.passes.fast\n    def go(self):\n        if self.fast: ...\n",
        "certain:4"),
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES.keys())
def test_kinds_tell(code: str, expected: str) -> None:
    assert said(code) == expected


REMOVED = net(("env_removed", "vllm/envs.py", "VLLM_7", None, None))


def test_a_copy_of_upstreams_list_of_variables_sets_none_of_them() -> None:
    copy = BEFORE["vllm/envs.py"].replace("lambda: 1", "os.environ.get")
    assert said(f"import os\n{copy}", REMOVED) == ""
    assert said("import os\nos.environ['VLLM_7'] = '1'\n", REMOVED) == "certain:2"


def test_a_question_whether_a_variable_is_set_sets_nothing() -> None:
    (hit,) = hits("import os\nif 'VLLM_7' in os.environ: ...\n", REMOVED)
    assert (hit.certainty, "You set" in hit.why["en"]) == ("look", False)


@pytest.mark.parametrize(("name", "went"), [("Parser", False), ("Kind", False), ("Other", True)])
def test_what_another_module_had_all_the_time_is_not_where_a_lost_name_went(name: str, went: bool) -> None:
    """Be it a class or the name of a type: only a module that has it now and had it not can be where it went."""
    (hit,) = hits(f"from vllm.first import {name}\n")
    assert hit.certainty == "certain"
    assert ("vllm.second" in hit.action["en"]) is went

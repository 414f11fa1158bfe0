"""Tables of Python files before and after with the findings that must come out: no more, no fewer."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.model import FileChange
from daybreak.read import paths
from daybreak.read.compare import FilePair
from daybreak.read.diff import hunks
from daybreak.read.kinds import KINDS
from daybreak.read.languages.base import Fact, ReadFile, Whole
from daybreak.read.languages.python_compare import compare, surface, touched
from daybreak.read.surface import Surface
from read.made import read
from read.made import told as shown

Told = tuple[str, str, str | None, str | None, bool]
API = "engine/__init__.py"
LIB = "flash_attn/flash_attn_interface.py"
INNER = "engine/core/loop.py"
ARGS = "python/engine/server_args.py"
CONFIG = "vllm/config/cache.py"
PLATFORM = "engine/platforms/interface.py"


def compared(
    files: Mapping[str, tuple[str | None, str | None]], renames: dict[str, str] | None = None, whole: bool = True
) -> list[Fact]:
    """The facts of a commit, given each file before and after; `renames` is new path → old path."""
    parsed = []
    for path, (before, after) in files.items():
        old_path = (renames or {}).get(path)
        status = "R" if old_path else "A" if before is None else "D" if after is None else "M"
        diff = difflib.unified_diff((before or "").splitlines(), (after or "").splitlines(), lineterm="", n=3)
        patch = "\n".join(list(diff)[2:])
        change = FileChange(path=path, status=status, old_path=old_path, patch=patch)  # type: ignore[arg-type]
        parsed.append(ReadFile(change, paths.area(path), tuple(hunks(patch))))
    pairs = [
        FilePair(file, *(surface(file.path, text) if text is not None else Surface() for text in files[file.path]))
        for file in parsed
        if touched(file)
    ]
    facts = list(compare(pairs, Whole(parsed, whole)))
    assert {f.kind for f in facts} <= KINDS.keys()
    return facts


def told(facts: Iterable[Fact]) -> list[Told]:
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in facts]


def one(path: str, before: str, after: str) -> list[Told]:
    return told(compared({path: (before, after)}))


DEEP = "        total = first.size + second.size\n        return total * 3 + offset(first)\n"
BODY = "    total = first.size + second.size\n    return total * 3 + offset(first)\n"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        # functions and classes
        ("a public function goes", API, "def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, True)]),
        ("a public class goes", API, "class Run(Base):\n    pass\n", "", [("class_removed", "Run", "class Run(Base):", None, True)]),
        ("a function comes", API, "", "def run(x):\n    pass\n", [("function_added", "run", None, "def run(x):", False)]),
        ("a private function goes", API, "def _run(x):\n    pass\n", "", []),
        ("an internal function goes", INNER, "def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, False)]),
        ("an internal function comes", INNER, "", "def run(x):\n    pass\n", []),
        ("a test helper goes", "tests/test_a.py", "def run(x):\n    pass\n", "", []),
        ("a script's function goes", "scripts/a.py", "def run(x):\n    pass\n", "", []),
        ("an example's function goes", "examples/a.py", "def run(x):\n    pass\n", "", []),
        ("a vendored function goes", "third_party/a/__init__.py", "def run(x):\n    pass\n", "", []),
        ("the name is imported now", API, "def run(x):\n    pass\n", "from engine.core import run\n", [("function_moved", "run", "engine.run", "engine.core.run", False)]),
        ("the name is imported from below", API, "def run(x):\n    pass\n", "from .core import run\n", [("function_moved", "run", "engine.run", "engine.core.run", False)]),
        ("the name is imported under another", API, "def run(x):\n    pass\n", "from .core import go as run\n", [("function_renamed", "run", "engine.run", "engine.core.go", False)]),
        ("an alias keeps the name", API, "class Run:\n    pass\n", "class Go:\n    pass\nRun = Go\n", [("class_renamed", "Run", "Run", "Go", False), ("class_added", "Go", None, "class Go:", False)]),
        ("a star may keep the name", API, "def run(x):\n    pass\n", "from .core import *\n", []),
        ("a module hook may keep the name", API, "def run(x):\n    pass\n", "def __getattr__(name):\n    return old(name)\n", []),
        ("globals may keep the name", API, "def run(x):\n    pass\n", "globals().update(vars(core))\n", []),
        ("a function is renamed", API, f"def run(first, second):\n{BODY}", f"def go(first, second):\n{BODY}", [("function_renamed", "run", "run", "go", True)]),
        ("a rename that leaves a wrapper", API, f"def run(first, second):\n{BODY}", f"def go(first, second):\n{BODY}\ndef run(first, second):\n    warn('deprecated')\n    return go(first, second)\n", [("function_renamed", "run", "run", "go", False)]),
        ("a word of the name is replaced everywhere", INNER, "def get_nsa_size(a, b):\n    nsa = a\n    return nsa\n", "def get_dsa_size(a, b):\n    dsa = a\n    return dsa\n", [("function_renamed", "get_nsa_size", "get_nsa_size", "get_dsa_size", False)]),
        ("an unlike name with an unlike body is no rename", INNER, "def load(a, b):\n    return a\n", "def save_all(a):\n    return 1\n", [("function_removed", "load", "def load(a, b):", None, False)]),
        ("a class is renamed", INNER, f"class Run:\n    def go(self, first, second):\n{DEEP}", f"class Walk:\n    def go(self, first, second):\n{DEEP}", [("class_renamed", "Run", "Run", "Walk", False)]),
        ("defined under a condition", API, "if X:\n    def run(a): pass\nelse:\n    def run(b): pass\n", "def run(c): pass\n", []),
        ("one of two definitions goes", API, "try:\n    from a import run\nexcept ImportError:\n    def run(x): pass\n", "from a import run\n", [("function_moved", "run", "engine.run", "a.run", False)]),
        ("only a docstring and a comment change", API, 'def run(x):\n    """Old.\n\n    def go(): x\n    """\n    return 1\n', 'def run(x):\n    """New."""\n    # note\n    return 1\n', []),
        ("only the body changes", API, "def run(x):\n    return 1\n", "def run(x):\n    return 2\n", []),
        ("a function turns into a class", API, "def run(x):\n    pass\n", "class run:\n    pass\n", []),
        # methods of public classes
        ("a public method goes", API, "class A:\n    def go(self):\n        pass\n    def on(self):\n        pass\n", "class A:\n    def on(self):\n        pass\n", [("function_removed", "A.go", "def go(self):", None, True)]),
        ("a public method comes", API, "class A:\n    x = 1\n", "class A:\n    x = 1\n    def go(self):\n        pass\n", [("function_added", "A.go", None, "def go(self):", False)]),
        ("a method is inherited now", API, "class B:\n    pass\nclass A(B):\n    def go(self):\n        pass\n", "class B:\n    def go(self):\n        pass\nclass A(B):\n    pass\n", [("function_added", "B.go", None, "def go(self):", False)]),
        ("a method goes with a new base", API, "class A(B):\n    def go(self):\n        pass\n", "class A(C):\n    pass\n", [("base_removed", "A", "B", None, False)]),
        ("a method is renamed", API, f"class A:\n    def go(self, first, second):\n{DEEP}", f"class A:\n    def walk(self, first, second):\n{DEEP}", [("function_renamed", "A.go", "A.go", "A.walk", True)]),
        ("an internal method goes", INNER, "class A:\n    def go(self):\n        pass\n", "class A:\n    pass\n", []),
        ("an internal method that was marked deprecated goes", INNER, "class A:\n    @deprecated('use b')\n    def go(self):\n        pass\n", "class A:\n    pass\n", [("function_removed", "A.go", "def go(self):", None, True)]),
        ("a dunder goes", API, "class A:\n    def __len__(self):\n        pass\n", "class A:\n    pass\n", []),
        # signatures
        ("a default changes", API, "def run(x, y=1):\n    pass\n", "def run(x, y=2):\n    pass\n", [("parameter_default_changed", "run(y)", "1", "2", False)]),
        ("a default changes deep inside", INNER, "def run(x, y=1):\n    pass\n", "def run(x, y=2):\n    pass\n", [("parameter_default_changed", "run(y)", "1", "2", False)]),
        ("a default changes its quotes", API, "def run(x='a'):\n    pass\n", 'def run(x="a"):\n    pass\n', []),
        ("a required parameter comes", API, "def run(x):\n    pass\n", "def run(x, y):\n    pass\n", [("parameter_required_added", "run(y)", None, "y", True)]),
        ("an optional parameter comes", API, "def run(x):\n    pass\n", "def run(x, y: int = 0):\n    pass\n", [("parameter_added", "run(y)", None, "y=0", False)]),
        ("a parameter is renamed", API, "def run(x, z):\n    pass\n", "def run(y, z):\n    pass\n", [("parameter_renamed", "run(x)", "x", "y", True)]),
        ("a parameter by place alone is renamed", API, "def run(x, /):\n    pass\n", "def run(y, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "y", False)]),
        ("parameters go", API, "def run(x, y, z=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_removed", "run(y)", "y", None, True), ("parameter_removed", "run(z)", "z=1", None, True)]),
        ("parameters go, but any keyword is taken", API, "def run(x, y):\n    pass\n", "def run(x, **kwargs):\n    pass\n", [("parameter_removed", "run(y)", "y", None, False)]),
        ("a private parameter goes", API, "def run(x, _y=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_removed", "run(_y)", "_y=1", None, False)]),
        ("a default goes", API, "def run(x=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_required_added", "run(x)", "x=1", "x", True)]),
        ("a default comes", API, "def run(x):\n    pass\n", "def run(x=1):\n    pass\n", [("parameter_default_changed", "run(x)", None, "1", False)]),
        ("by keyword alone now", API, "def run(x, y=1):\n    pass\n", "def run(x, *, y=1):\n    pass\n", [("parameter_kind_changed", "run(y)", "both", "only keyword", True)]),
        ("by place too now", API, "def run(x, *, y=1):\n    pass\n", "def run(x, y=1):\n    pass\n", [("parameter_kind_changed", "run(y)", "only keyword", "both", False)]),
        ("another order", API, "def run(x, y):\n    pass\n", "def run(y, x):\n    pass\n", [("parameter_moved", "run", "x, y", "y, x", True)]),
        ("another order of keywords", API, "def run(*, x, y):\n    pass\n", "def run(*, y, x):\n    pass\n", []),
        ("only a type changes", API, "def run(x: int):\n    pass\n", "def run(x: float):\n    pass\n", [("annotation_changed", "run(x)", "int", "float", False)]),
        ("only the result's type changes", API, "def run(x) -> int:\n    pass\n", "def run(x) -> float:\n    pass\n", [("return_changed", "run", "int", "float", False)]),
        ("only the layout changes", API, "def run(x, y=(1, 2)):\n    pass\n", "def run(\n    x,\n    y=(1, 2),  # a, b\n):\n    pass\n", []),
        ("an internal parameter goes", INNER, "def run(x, y):\n    pass\n", "def run(x):\n    pass\n", []),
        ("overloads", API, "@overload\ndef run(x):\n    pass\n", "@overload\ndef run(x, y):\n    pass\n", []),
        ("a constructor asks for more", API, "class A:\n    def __init__(self, x):\n        pass\n", "class A:\n    def __init__(self, x, y):\n        pass\n", [("parameter_required_added", "A.__init__(y)", None, "y", True)]),
        ("a static method's first parameter", API, "class A:\n    @staticmethod\n    def go(x):\n        pass\n", "class A:\n    @staticmethod\n    def go(x, y):\n        pass\n", [("parameter_required_added", "A.go(y)", None, "y", True)]),
        # decorators
        ("a method turns into a property", API, "class A:\n    def go(self):\n        pass\n", "class A:\n    @property\n    def go(self):\n        pass\n", [("decorator_changed", "A.go", None, "@property", True)]),
        ("a property is kept for good", API, "class A:\n    @property\n    def go(self):\n        pass\n", "class A:\n    @cached_property\n    def go(self):\n        pass\n", [("decorator_changed", "A.go", "@property", "@cached_property", False)]),
        ("a function is compiled", INNER, "def go(x):\n    pass\n", "@torch.compile(dynamic=True)\ndef go(x):\n    pass\n", [("decorator_changed", "go", None, "@torch.compile", False)]),
        ("a decorator that does not matter", API, "def go(x):\n    pass\n", "@traced\ndef go(x):\n    pass\n", []),
        # bases
        ("an error has another base", API, "class AError(ValueError):\n    pass\n", "class AError(RuntimeError):\n    pass\n", [("base_removed", "AError", "ValueError", None, True)]),
        ("a base comes", API, "class A:\n    pass\n", "class A(B):\n    pass\n", []),
        # enum members
        ("a member goes", API, "class A(Enum):\n    X = 1\n    Y = 2\n", "class A(Enum):\n    X = 1\n", [("enum_member_removed", "A.Y", "Y = 2", None, True)]),
        ("a member comes", API, "class A(Enum):\n    X = 1\n", "class A(Enum):\n    X = 1\n    Y = 2\n", [("enum_member_added", "A.Y", None, "Y = 2", False)]),
        ("a member changes", API, "class A(str, Enum):\n    X = 'x'\n", "class A(str, Enum):\n    X = 'y'\n", [("enum_member_changed", "A.X", "'x'", "'y'", False)]),
        ("an internal member goes", INNER, "class A(Enum):\n    X = 1\n    Y = 2\n", "class A(Enum):\n    X = 1\n", [("enum_member_removed", "A.Y", "Y = 2", None, False)]),
        # constants
        ("a constant changes", API, "LIMIT = 8\n", "LIMIT = 16\n", [("attribute_changed", "LIMIT", "8", "16", False)]),
        ("a listed constant goes", API, '__all__ = ["LIMIT"]\nLIMIT = 8\n', "__all__ = []\n", [("attribute_removed", "LIMIT", "LIMIT", None, True)]),
        ("a table changes", API, "LIMITS = {1: 2}\n", "LIMITS = {1: 3}\n", []),
        ("a variable of the environment is not ours", "engine/envs.py", "A_B: int = 8\n", "A_B: int = 9\n", []),
        # what packages hand on
        ("a re-export goes", API, "from .core import run, walk\n", "from .core import walk\n", [("export_removed", "engine.run", "run", None, True)]),
        ("a re-export comes", API, "from .core import walk\n", "from .core import run, walk\n", [("export_added", "engine.run", None, "run", False)]),
        ("a re-export from another place", API, "from .core import run\n", "from .main import run\n", []),
        ("an import for itself goes", API, "import os\nfrom typing import Any\n", "", []),
        ("a listed name goes", API, '__all__ = ["run", "go"]\nfrom .core import run, go\n', '__all__ = ["go"]\nfrom .core import go\n', [("export_removed", "engine.run", "run", None, True)]),
        ("an unlisted name goes", API, '__all__ = ["go"]\nfrom .core import run, go\n', '__all__ = ["go"]\nfrom .core import go\n', []),
        ("a name leaves the list only", API, '__all__ = ["run", "go"]\nfrom .core import run, go\n', '__all__ = ["go"]\nfrom .core import run, go\n', []),
        ("a re-export of an internal package goes", "engine/core/__init__.py", "from .a import run\n", "from .a import go\n", [("export_removed", "engine.core.run", "run", None, False)]),
        # FlashInfer marks what is public
        ("a marked function goes", "flashinfer/decode.py", "@flashinfer_api\ndef run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, True)]),
        ("an unmarked function goes", "flashinfer/decode.py", "def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, False)]),
        ("a marked wrapper asks for more", "flashinfer/decode.py", "class W:\n    @flashinfer_api\n    def plan(self, x):\n        pass\n", "class W:\n    @flashinfer_api\n    def plan(self, x, y):\n        pass\n", [("parameter_required_added", "W.plan(y)", None, "y", True)]),
        ("an interface file", LIB, "def run(x):\n    pass\n", "def run(x, y):\n    pass\n", [("parameter_required_added", "run(y)", None, "y", True)]),
        ("a listed DSL name goes", "python/CuTeDSL/cutlass/cute/core.py", '__all__ = ["size"]\ndef size(x): pass\ndef inner(x): pass\n', "__all__ = []\n", [("function_removed", "size", "def size(x): pass", None, True), ("function_removed", "inner", "def inner(x): pass", None, False)]),
    ],
)  # fmt: skip
def test_names(what: str, path: str, before: str, after: str, expected: list[Told]) -> None:
    assert one(path, before, after) == expected, what


DATA = "@dataclass\nclass {0}:\n    port: int = 1\n{1}"


def data(fields: str, name: str = "ServerArgs", head: str = "@dataclass\n", base: str = "") -> str:
    return f"{head}class {name}{base}:\n    port: int = 1\n{fields}"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("a default changes", ARGS, data("    chunk: int = 8\n"), data("    chunk: int = 16\n"), [("field_default_changed", "ServerArgs.chunk", "8", "16", False)]),
        ("a field goes", ARGS, data("    chunk: int = 8\n"), data(""), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, True)]),
        ("a field comes", ARGS, data(""), data("    chunk: int = 8\n"), [("field_added", "ServerArgs.chunk", None, "chunk: int = 8", False)]),
        ("a required field comes", ARGS, data(""), data("    chunk: int\n"), [("field_required_added", "ServerArgs.chunk", None, "chunk: int", True)]),
        ("a field is renamed", ARGS, data("    chunk: int = 8\n"), data("    piece: int = 8\n"), [("field_renamed", "ServerArgs.chunk", "chunk", "piece", True)]),
        ("two fields are renamed", ARGS, data("    nsa_mode: str = 'a'\n    nsa_size: int = 1\n"), data("    dsa_mode: str = 'a'\n    dsa_size: int = 1\n"), [("field_renamed", "ServerArgs.nsa_mode", "nsa_mode", "dsa_mode", True), ("field_renamed", "ServerArgs.nsa_size", "nsa_size", "dsa_size", True)]),
        ("a field turns into a property", ARGS, data("    chunk: int = 8\n"), data("    @property\n    def chunk(self):\n        return 8\n"), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, False)]),
        ("a field that is still translated", ARGS, data("    chunk: int = 8\n"), data("    def set(self, d):\n        d.pop('chunk', None)\n"), [("field_removed", "ServerArgs.chunk", "chunk: int = 8", None, False)]),
        ("a pydantic default is the same", CONFIG, data("    size: int = 8\n", "CacheConfig"), data("    size: int = Field(default=8, ge=0)\n", "CacheConfig"), []),
        ("a pydantic default changes", CONFIG, data("    size: int = Field(default=8, ge=0)\n", "CacheConfig", "@config\n"), data("    size: int = Field(default=9, ge=0)\n", "CacheConfig", "@config\n"), [("field_default_changed", "CacheConfig.size", "8", "9", False)]),
        ("a pydantic bound changes", CONFIG, data("    size: int = Field(default=8, ge=0)\n", "CacheConfig"), data("    size: int = Field(default=8, ge=1)\n", "CacheConfig"), []),
        ("a factory stays", CONFIG, data("    size: list[int] = field(default_factory=list)\n", "CacheConfig"), data("    size: list[int] = field(default_factory=list, repr=False)\n", "CacheConfig"), []),
        ("a deprecated setting goes", CONFIG, data('    size: float = Field(default=0, ge=0)\n    """DEPRECATED."""\n', "CacheConfig", "@config\n"), data("", "CacheConfig", "@config\n"), [("field_removed", "CacheConfig.size", "size: float = 0", None, True)]),
        ("a struct's field goes", "engine/sampling_params.py", "class P(msgspec.Struct):\n    n: int = 1\n    m: int = 1\n", "class P(msgspec.Struct):\n    n: int = 1\n", [("field_removed", "P.m", "m: int = 1", None, False)]),
        ("parameters' field goes", "engine/sampling_params.py", "class SamplingParams(msgspec.Struct):\n    n: int = 1\n    m: int = 1\n", "class SamplingParams(msgspec.Struct):\n    n: int = 1\n", [("field_removed", "SamplingParams.m", "m: int = 1", None, True)]),
        ("an internal struct's field goes", INNER, data("    chunk: int = 8\n", "Batch"), data("", "Batch"), []),
        ("an internal setting's default", INNER, data("    chunk: int = 8\n", "PoolConfig"), data("    chunk: int = 9\n", "PoolConfig"), [("field_default_changed", "PoolConfig.chunk", "8", "9", False)]),
        ("a request of a server is told elsewhere", "engine/entrypoints/openai/protocol.py", data("    n: int = 8\n", "ChatRequest", base="(BaseModel)"), data("", "ChatRequest", base="(BaseModel)"), []),
        ("a private field", ARGS, data("    _chunk: int = 8\n"), data("    _chunk: int = 9\n"), []),
        ("a class variable is no field", ARGS, data("    KIND: ClassVar[str] = 'a'\n"), data(""), []),
        ("text that looks like a field", ARGS, data('    """\n    note: int = x\n    """\n'), data('    """\n    note: int = y\n    """\n'), []),
        ("a default over lines", ARGS, data('    chunk: A[\n        int,\n        "help, text",\n    ] = None\n'), data('    chunk: A[\n        int,\n        "help, text",\n    ] = 4\n'), [("field_default_changed", "ServerArgs.chunk", "None", "4", False)]),
        # choices
        ("a choice goes", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', True)]),
        ("a choice comes", CONFIG, 'Mode = Literal["a"]\n', 'Mode = Literal[\n    "a",\n    "b",\n]\n', [("literal_widened", "Mode", '"a"', '"a", "b"', False)]),
        ("choices in another order", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["b", "a"]\n', []),
        ("a field's choice goes", CONFIG, data('    mode: Literal["a", "b"] = "a"\n', "CacheConfig"), data('    mode: Literal["a"] | None = "a"\n', "CacheConfig"), [("literal_narrowed", "CacheConfig.mode", '"a", "b"', '"a"', True)]),
        ("a choice that is still translated", CONFIG, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\nOLD = {"b": "a"}\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', False)]),
        ("an internal choice goes", INNER, 'Mode = Literal["a", "b"]\n', 'Mode = Literal["a"]\n', [("literal_narrowed", "Mode", '"a", "b"', '"a"', False)]),
    ],
)  # fmt: skip
def test_fields_and_choices(what: str, path: str, before: str, after: str, expected: list[Told]) -> None:
    assert one(path, before, after) == expected, what


def point(methods: str, name: str = "WorkerBase", base: str = "(ABC)") -> str:
    return f"class {name}{base}:\n    def close(self):\n        return self.done.wait(timeout=self.limit)\n{methods}"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("an abstract method comes", point(""), point("    @abstractmethod\n    def go(self):\n        pass\n"), [("extension_method_added", "WorkerBase.go", None, "def go(self):", True)]),
        ("a hook with a body comes", point(""), point("    def go(self):\n        return None\n"), [("extension_method_added", "WorkerBase.go", None, "def go(self):", False)]),
        ("a hook goes", point("    @abstractmethod\n    def go(self):\n        pass\n"), point(""), [("extension_method_removed", "WorkerBase.go", "def go(self):", None, True)]),
        ("a hook is renamed", point("    @abstractmethod\n    def get_nsa_pool(self, x):\n        pass\n"), point("    @abstractmethod\n    def get_dsa_pool(self, x):\n        pass\n"), [("extension_method_renamed", "WorkerBase.get_nsa_pool", "WorkerBase.get_nsa_pool", "WorkerBase.get_dsa_pool", True)]),
        ("a hook is called with more", point("    def go(self, x):\n        raise NotImplementedError\n"), point("    def go(self, x, y):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x)", "go(self, x, y)", True)]),
        ("a hook may be called with more", point("    def go(self, x):\n        raise NotImplementedError\n"), point("    def go(self, x, y=1):\n        raise NotImplementedError\n"), [("extension_method_changed", "WorkerBase.go", "go(self, x)", "go(self, x, y=1)", False)]),
        ("only a type of a hook changes", point("    @abstractmethod\n    def go(self, x: int):\n        pass\n"), point("    @abstractmethod\n    def go(self, x: str):\n        pass\n"), []),
        ("an attribute of a hook class goes", point("    ready: bool = False\n", "AttentionBackend"), point("", "AttentionBackend"), [("attribute_removed", "AttentionBackend.ready", "ready = False", None, True)]),
        ("an abstract class of the house", point("", "Helper"), point("    @abstractmethod\n    def go(self):\n        pass\n", "Helper"), [("extension_method_added", "Helper.go", None, "def go(self):", False)]),
        ("a private abstract class", point("", "_Helper"), point("    @abstractmethod\n    def go(self):\n        pass\n", "_Helper"), []),
        ("a protocol's method goes", point("    def go(self): ...\n", "Runs", "(Protocol)"), point("", "Runs", "(Protocol)"), [("extension_method_removed", "Runs.go", "def go(self): ...", None, False)]),
        ("a plain class", point("", "Helper", ""), point("    def go(self):\n        pass\n", "Helper", ""), []),
    ],
)  # fmt: skip
def test_extension_points(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert one("engine/v1/worker/worker_base.py", before, after) == expected, what


def functions(*names: str) -> str:
    return "\n".join(f"def {name}(first, second):\n    mark = '{name}'\n{BODY}" for name in names)


def test_a_function_that_moved() -> None:
    facts = compared({API: (functions("run"), ""), "engine/core.py": ("", functions("run"))})
    assert told(facts) == [("function_moved", "run", "engine.run", "engine.core.run", True)]
    assert facts[0].alias is not None
    assert facts[0].alias.status == "none"


def test_a_function_that_moved_and_left_a_shim() -> None:
    facts = compared({API: (functions("run"), "from .core import run\n"), "engine/core.py": (None, functions("run"))})
    assert told(facts) == [("function_moved", "run", "engine.run", "engine.core.run", False)]
    assert facts[0].alias is not None
    assert facts[0].alias.status == "kept"


def test_a_mass_move_is_one_finding() -> None:
    facts = compared(
        {"engine/a.py": (functions("a", "b", "c", "d"), ""), "engine/b/c.py": (None, functions("a", "b", "c", "d"))}
    )
    assert told(facts) == [("module_moved", "engine.a (4 names)", "engine.a", "engine.b.c", False)]


def test_a_mass_move_of_public_names_breaks_unless_a_star_keeps_them() -> None:
    files = {"deep_gemm/utils.py": (functions("a", "b", "c"), ""), "deep_gemm/x/y.py": (None, functions("a", "b", "c"))}
    assert [f.breaking for f in compared(files)] == [True]
    files["deep_gemm/utils.py"] = (functions("a", "b", "c"), "from .x.y import *\n")
    kept = compared(files)
    assert [(f.kind, f.breaking, f.alias and f.alias.status) for f in kept] == [("module_moved", False, "kept")]


def test_a_renamed_file_is_a_moved_module() -> None:
    facts = compared(
        {"engine/new/b.py": (functions("a"), functions("a"))}, renames={"engine/new/b.py": "engine/old/a.py"}
    )
    assert told(facts) == [("module_moved", "engine.old.a", "engine.old.a", "engine.new.b", False)]


def test_a_module_that_became_a_package_lost_nothing() -> None:
    text = functions("a", "b", "c")
    assert compared({"engine/x/__init__.py": (text, text)}, renames={"engine/x/__init__.py": "engine/x.py"}) == []


def test_a_package_that_moved_is_one_finding() -> None:
    files: dict[str, tuple[str | None, str | None]] = {}
    renames = {}
    for name in ("a", "b", "c", "d"):
        files[f"engine/new/{name}.py"] = (functions(name, f"{name}2"), functions(name, f"{name}2"))
        renames[f"engine/new/{name}.py"] = f"engine/old/{name}.py"
    assert told(compared(files, renames)) == [
        ("module_moved", "engine.old.* (4 modules, 8 names)", "engine.old.*", "engine.new.*", False)
    ]


def test_a_module_that_goes_is_one_finding() -> None:
    assert told(compared({"engine/a.py": (functions("a", "b", "c"), None)})) == [
        ("module_removed", "engine.a", "engine.a", None, False)
    ]


def test_a_name_that_leaves_its_package_too_breaks_and_is_told_once() -> None:
    files = {API: ("from .impl import run\n", ""), "engine/impl.py": (functions("run", "go"), functions("go"))}
    assert [(f.kind, f.symbol, f.breaking) for f in compared(files)] == [("function_removed", "run", True)]


def test_nothing_is_gone_when_part_of_the_diff_is_missing() -> None:
    assert compared({API: (functions("run"), "")}, whole=False) == []


def test_a_flag_that_stays_keeps_the_field_alive() -> None:
    before = data("    nsa_mode: str = 'a'\n") + "def add(p):\n    p.add_argument('--nsa-mode')\n"
    after = data("    dsa_mode: str = 'a'\n") + "def add(p):\n    p.add_argument('--dsa-mode', '--nsa-mode')\n"
    (fact,) = compared({ARGS: (before, after)})
    assert (fact.kind, fact.breaking, fact.alias and fact.alias.status) == ("field_renamed", False, "kept")


RAISES = "if x:\n    raise ValueError('bad x')\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("another type", RAISES, RAISES.replace("ValueError", "TypeError"), [("exception_changed", "TypeError", "ValueError", "TypeError", False)]),
        ("another text", RAISES, RAISES.replace("bad", "odd"), []),
        ("another type and text", RAISES, RAISES.replace("ValueError('bad", "TypeError('odd"), []),
        ("a new raise", "", RAISES, []),
        ("another place", RAISES, "raise TypeError('bad x')\n", []),
    ],
)  # fmt: skip
def test_exceptions(what: str, before: str, after: str, expected: list[Told]) -> None:
    found = [f for f in read(INNER, before, after) if f.kind == "exception_changed"]
    assert shown(found) == expected, what


# --- properties ----------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["run", "walk", "load_all", "Stop", "x", "value"])
DEFAULTS = st.sampled_from(["", "=1", "=None", ": int", ": int = 2", ": str = 'a'"])
ORDERED = {"": 0, ": int": 0}


@st.composite
def heads(draw: st.DrawFn) -> str:
    params = draw(st.lists(st.tuples(st.sampled_from("abcd"), DEFAULTS), max_size=4, unique_by=lambda p: p[0]))
    params.sort(key=lambda p: p[1] not in ORDERED)
    return ", ".join(name + rest for name, rest in params)


@st.composite
def sources(draw: st.DrawFn) -> str:
    out = []
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        shape = draw(st.sampled_from(["def", "class", "enum", "data", "const", "literal", "abc"]))
        if shape == "def":
            out.append(f"def {name}({draw(heads())}):\n    return 'a body of {name} that is long enough'\n")
        elif shape == "const":
            out.append(f"{name} = {draw(st.integers(0, 3))}\n")
        elif shape == "literal":
            out.append(
                f"{name} = Literal[{', '.join(repr(c) for c in draw(st.lists(st.sampled_from('abc'), min_size=1, unique=True)))}]\n"
            )
        else:
            head = {
                "class": f"class {name}:",
                "enum": f"class {name}(Enum):",
                "data": f"@dataclass\nclass {name}:",
                "abc": f"class {name}(ABC):",
            }
            out.append(head[shape] + "\n    pass\n")
            for member in draw(st.lists(st.sampled_from("pqrs"), max_size=3, unique=True)):
                if shape in ("class", "abc"):
                    out.append(
                        f"    def {member}(self{draw(st.sampled_from(['', ', a', ', a=1']))}):\n        return {member!r}\n"
                    )
                else:
                    out.append(f"    {member}: int = {draw(st.integers(0, 2))}\n")
    return "".join(out)


def mirrored(fact: Fact) -> tuple[str, str | None, str | None]:
    """A finding as the way back would tell it; where a kind has no exact way back, its family."""
    verb = {"added": "removed", "removed": "added", "widened": "literal", "narrowed": "literal"}
    family, _, last = fact.kind.rpartition("_")
    return (f"{family}_{verb.get(last, last)}", fact.after, fact.before)


PAIRED = frozenset({"parameter_default_changed", "parameter_renamed", "parameter_moved", "annotation_changed", "return_changed",
                    "field_default_changed", "enum_member_changed", "attribute_changed", "class_added", "class_removed",
                    "function_added", "function_removed", "field_added", "field_removed", "enum_member_added",
                    "enum_member_removed", "function_renamed", "class_renamed"})  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(sources(), sources())
def test_the_way_back_is_the_mirror(first: str, second: str) -> None:
    there, back = compared({API: (first, second)}), compared({API: (second, first)})
    there_keys = sorted(
        (f.kind, f.before or "", f.after or "") for f in there if f.kind in PAIRED and None not in (f.before, f.after)
    )
    back_keys = sorted((k, b or "", a or "") for k, b, a in map(mirrored, back) if k in PAIRED and None not in (b, a))
    assert there_keys == back_keys
    came = sorted(
        f.symbol for f in there if f.kind in ("function_added", "class_added", "enum_member_added", "field_added")
    )
    went = sorted(
        f.symbol
        for f in back
        if f.kind in ("function_removed", "class_removed", "enum_member_removed", "field_removed")
    )
    assert came == went


@settings(max_examples=60, deadline=None)
@given(sources())
def test_a_file_compared_with_itself_gives_nothing(text: str) -> None:
    assert compared({API: (text, text), INNER: (text, text)}) == []


BITS = [
    "def f(",
    "):\n",
    "class A(B):\n",
    "    ",
    "\n",
    "x: int = 3\n",
    "@property\n",
    "Literal[",
    "]",
    "'a'",
    ",",
    "__all__ = [",
    "from .a import b\n",
    '"""',
    "(",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(BITS), max_size=40), st.lists(st.sampled_from(BITS), max_size=40))
def test_never_raises(first: list[str], second: list[str]) -> None:
    compared(
        {API: ("".join(first), "".join(second)), INNER: ("".join(second), "".join(first)), ARGS: (None, "".join(first))}
    )

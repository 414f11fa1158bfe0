"""Tables of Python files before and after with the findings that must come out: no more, no fewer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.base import Fact
from read.python_pairs import API, ARGS, INNER, LIB, Told, compared, one, told

DEEP = "        total = first.size + second.size\n        return total * 3 + offset(first)\n"
BODY = "    total = first.size + second.size\n    return total * 3 + offset(first)\n"
OVERWRITES = 'def add(x, rows):\n    """Add.\n\n    rows : Tensor\n        Added.\n{1}    """\n    total = {0}\n    return total\n'


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        # functions and classes
        ("a public function goes", API, "def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, True)]),
        ("a public class goes", API, "class Run(Base):\n    pass\n", "", [("class_removed", "Run", "class Run(Base):", None, True)]),
        ("a function comes", API, "", "def run(x):\n    pass\n", [("function_added", "run", None, "def run(x):", False)]),
        ("a parameter that nobody used gets a name", API, "def run(_, x):\n    pass\n", "def run(req, x):\n    return req\n", []),
        ("a private function goes", API, "def _run(x):\n    pass\n", "", []),
        ("an internal function goes", INNER, "def run(x):\n    pass\n", "", [("function_removed", "run", "def run(x):", None, False)]),
        ("an internal function comes", INNER, "", "def run(x):\n    pass\n", []),
        ("a test helper goes", "tests/test_a.py", "def run(x):\n    pass\n", "", []),
        ("a script's function goes", "scripts/a.py", "def run(x):\n    pass\n", "", []),
        ("an example's function goes", "examples/a.py", "def run(x):\n    pass\n", "", []),
        ("a vendored function goes", "third_party/a/__init__.py", "def run(x):\n    pass\n", "", []),
        ("the name is imported now, and its source stood there before", API, "def run(x):\n    pass\n", "from engine.core import run\n", []),
        ("the name is imported from below", API, "def run(x):\n    pass\n", "from .core import run\n", []),
        ("the name is imported under another", API, "def run(x):\n    pass\n", "from .core import go as run\n", []),
        ("an alias keeps the name", API, "class Run:\n    pass\n", "class Go:\n    pass\nRun = Go\n", [("class_renamed", "Run", "Run", "Go", False), ("class_added", "Go", None, "class Go:", False)]),
        ("what it only called is its value now", INNER, "import time\ndef now():\n    return time.time()\n", "import time\nnow = time.time\n", []),
        ("a star may keep the name", API, "def run(x):\n    pass\n", "from .core import *\n", []),
        ("a module hook may keep the name", API, "def run(x):\n    pass\n", "def __getattr__(name):\n    return old(name)\n", []),
        ("a module hook that refuses the name", API, "def run(x):\n    pass\n", "def __getattr__(name):\n    if name == 'go':\n        warn('deprecated, gone in v2')\n        return walk\n    raise AttributeError(f'no {name}')\n", [("function_removed", "run", "def run(x):", None, True)]),
        ("a module hook that asks another object", API, "def run(x):\n    pass\n", "def __getattr__(name):\n    if hasattr(core, name):\n        return getattr(core, name)\n    raise AttributeError(name)\n", []),
        ("a module hook that serves what begins so", API, "def run(x):\n    pass\n", "def __getattr__(name):\n    if name.startswith('ru'):\n        return old\n    raise AttributeError(name)\n", []),
        ("a module hook that has the name in a table", API, "def run(x):\n    pass\n", "OLD = {'run': 'walk'}\ndef __getattr__(name):\n    if name in OLD:\n        return load(OLD[name])\n    raise AttributeError(name)\n", []),
        ("a table of a module hook without the name", API, "def run(x):\n    pass\n", "OLD = {'go': 'walk'}\ndef __getattr__(name):\n    if name in OLD:\n        return load(OLD[name])\n    raise AttributeError(name)\n", [("function_removed", "run", "def run(x):", None, True)]),
        ("globals may keep the name", API, "def run(x):\n    pass\n", "globals().update(vars(core))\n", []),
        ("a function is renamed", API, f"def run(first, second):\n{BODY}", f"def go(first, second):\n{BODY}", [("function_renamed", "run", "run", "go", True)]),
        ("a name that is private now, with another body", API, f"def run(first, second):\n{BODY}", "def _run(rows):\n    return [row for row in rows]\n", [("function_renamed", "run", "run", "_run", True)]),
        ("a rename that leaves a wrapper", API, f"def run(first, second):\n{BODY}", f"def go(first, second):\n{BODY}\ndef run(first, second):\n    warn('deprecated')\n    return go(first, second)\n", [("function_renamed", "run", "run", "go", False)]),
        ("a word of the name is replaced everywhere", INNER, "def get_nsa_size(a, b):\n    nsa = a\n    return nsa\n", "def get_dsa_size(a, b):\n    dsa = a\n    return dsa\n", [("function_renamed", "get_nsa_size", "get_nsa_size", "get_dsa_size", False)]),
        ("words of the name in another order", INNER, "def build_fp4_gemm_graph(a, b):\n    x = a\n    return x\n", "def build_gemm_fp4_graph(a, policy, b, c):\n    return fill(a, b, c)\n", [("function_renamed", "build_fp4_gemm_graph", "build_fp4_gemm_graph", "build_gemm_fp4_graph", False)]),
        ("a word put into the name", INNER, "def run_moe_scale_wrapper(a, b):\n    x = a\n    return x\n", "def run_moe_scale_out_wrapper(a, b, out):\n    out.copy(a)\n    return out\n", [("function_renamed", "run_moe_scale_wrapper", "run_moe_scale_wrapper", "run_moe_scale_out_wrapper", False)]),
        ("half of the words are others", INNER, "def build_fp4_gemm_graph(a, b):\n    x = a\n    return x\n", "def execute_fp8_gemm_graph(a):\n    return a\n", [("function_removed", "build_fp4_gemm_graph", "def build_fp4_gemm_graph(a, b):", None, False)]),
        ("an unlike name with an unlike body is no rename", INNER, "def load(a, b):\n    return a\n", "def save_all(a):\n    return 1\n", [("function_removed", "load", "def load(a, b):", None, False)]),
        ("a class is renamed", INNER, f"class Run:\n    def go(self, first, second):\n{DEEP}", f"class Walk:\n    def go(self, first, second):\n{DEEP}", [("class_renamed", "Run", "Run", "Walk", False)]),
        ("defined under a condition", API, "if X:\n    def run(a): pass\nelse:\n    def run(b): pass\n", "def run(c): pass\n", []),
        ("a stand-in for an import goes", API, "try:\n    from a import run\nexcept ImportError:\n    def run(x): pass\n", "from a import run\n", []),
        ("only a docstring and a comment change", API, 'def run(x):\n    """Old.\n\n    def go(): x\n    """\n    return 1\n', 'def run(x):\n    """New."""\n    # note\n    return 1\n', []),
        ("only the body changes", API, "def run(x):\n    return 1\n", "def run(x):\n    return 2\n", []),
        ("a function turns into a class", API, "def run(x):\n    pass\n", "class run:\n    pass\n", []),
        ("another way is taken by default", API, "def run(x, backend='first'):\n    pass\n", "def run(x, backend='second'):\n    pass\n", [("parameter_default_changed", "run(backend)", "'first'", "'second'", True)]),
        ("the way that is taken by default is left open", API, "def run(x, backend='first'):\n    pass\n", "def run(x, backend='auto'):\n    pass\n", [("parameter_default_changed", "run(backend)", "'first'", "'auto'", False)]),
        ("an argument that a call overwrites now, as its docs say", API, OVERWRITES.format("sum_of(x, rows)", ""), OVERWRITES.format("add_to(rows, x)", "        **Modified in-place** to hold the sum.\n"), [("parameter_overwritten", "add(rows)", None, "rows", True)]),
        ("docs that say what a call did before", API, OVERWRITES.format("sum_of(x, rows)", ""), OVERWRITES.format("sum_of(x, rows)", "        **Modified in-place** to hold the sum.\n"), []),
        ("docs that said so before", API, OVERWRITES.format("sum_of(x, rows)", "        Updated in place.\n"), OVERWRITES.format("add_to(rows, x)", "        Modified in-place.\n"), []),
        ("another number by default", API, "def run(x, depth=1):\n    pass\n", "def run(x, depth=2):\n    pass\n", [("parameter_default_changed", "run(depth)", "1", "2", False)]),
        ("a scale that is left to the function", API, "def run(x, scale=1.0):\n    pass\n", "def run(x, scale=None):\n    pass\n", [("parameter_default_changed", "run(scale)", "1.0", "None", True)]),
        ("the same scale", API, "def run(x, scale=1.0):\n    pass\n", "def run(x, scale=1.00):\n    pass\n", []),
        ("another scale deep inside", INNER, "def run(x, scale=1.0):\n    pass\n", "def run(x, scale=.5):\n    pass\n", [("parameter_default_changed", "run(scale)", "1.0", ".5", False)]),
        ("a part of the answer is another, whose class comes with it", API, "def run(x) -> tuple[Tensor, Tensor]:\n    return go(x)\n", "class Score:\n    rows: list\ndef run(x) -> tuple[Score, None]:\n    return go(x)\n", [("class_added", "Score", None, "class Score:", False), ("return_replaced", "run", "tuple[Tensor, Tensor]", "tuple[Score, None]", True)]),
        ("another answer, whose class comes with it", API, "def run(x) -> list[float]:\n    return go(x)\n", "class Score:\n    rows: list\ndef run(x) -> Score:\n    return go(x)\n", [("class_added", "Score", None, "class Score:", False), ("return_replaced", "run", "list[float]", "Score", True)]),
        ("another hint of what is answered", API, "class Score:\n    rows: list\ndef run(x) -> list[float]:\n    return go(x)\n", "class Score:\n    rows: list\ndef run(x) -> Score:\n    return go(x)\n", [("return_changed", "run", "list[float]", "Score", False)]),
        ("an attribute goes with the argument that filled it", API, "class A:\n    def __init__(self, x, *, y=None, **rest):\n        self.x = x\n        self.y = y or {}\n", "class A:\n    def __init__(self, x, **rest):\n        self.x = x\n", [("parameter_removed", "A.__init__(y)", "y=None", None, False), ("attribute_removed", "A.y", "y", None, True)]),
        ("an attribute that the class made itself goes", API, "class A:\n    def __init__(self, x):\n        self.x = x\n        self.y = x.y\n", "class A:\n    def __init__(self, x):\n        self.x = x\n", []),
        # methods of public classes
        ("a public method goes", API, "class A:\n    def go(self):\n        pass\n    def on(self):\n        pass\n", "class A:\n    def on(self):\n        pass\n", [("function_removed", "A.go", "def go(self):", None, True)]),
        ("a public method comes", API, "class A:\n    x = 1\n", "class A:\n    x = 1\n    def go(self):\n        pass\n", [("function_added", "A.go", None, "def go(self):", False)]),
        ("a method is inherited now", API, "class B:\n    pass\nclass A(B):\n    def go(self):\n        pass\n", "class B:\n    def go(self):\n        pass\nclass A(B):\n    pass\n", [("function_added", "B.go", None, "def go(self):", False)]),
        ("a method goes with a new base", API, "class A(B):\n    def go(self):\n        pass\n", "class A(C):\n    pass\n", [("base_removed", "A", "B", None, False)]),
        ("a method is renamed, has another body and takes one thing more", API, f"class A:\n    def log_step_stats(self, first, second=0):\n{DEEP}", "class A:\n    def report_step_stats(self, first, second=0, third=0):\n        return second\n", [("function_renamed", "A.log_step_stats", "A.log_step_stats", "A.report_step_stats", True)]),
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
        ("a parameter is renamed and options come", API, "def run(x: int, z):\n    pass\n", "def run(y: int, z, w=1):\n    pass\n", [("parameter_renamed", "run(x)", "x", "y", True), ("parameter_added", "run(w)", None, "w=1", False)]),
        ("a parameter is renamed and an option goes", API, "def run(x: int, z, w=1):\n    pass\n", "def run(y: int, z):\n    pass\n", [("parameter_renamed", "run(x)", "x", "y", True), ("parameter_removed", "run(w)", "w=1", None, True)]),
        ("one goes and two must be given", API, "def run(x, z):\n    pass\n", "def run(y, z, w):\n    pass\n", [("parameter_removed", "run(x)", "x", "y", True), ("parameter_required_added", "run(y)", None, "y", True), ("parameter_required_added", "run(w)", None, "w", True)]),
        ("a parameter by place alone is renamed", API, "def run(x, /):\n    pass\n", "def run(y, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "y", False)]),
        ("parameters by place alone are renamed: nobody could name them", API, "def run(x, y, /, *, z=1):\n    pass\n", "def run(a, b, /, *, z=1):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_renamed", "run(y)", "y", "b", False)]),
        ("by place alone as it was written before the slash", API, "def run(__x, __y, z=1):\n    pass\n", "def run(__a, __b, z=1):\n    pass\n", [("parameter_renamed", "run(__x)", "__x", "__a", False), ("parameter_renamed", "run(__y)", "__y", "__b", False)]),
        ("by place alone, with another name and another type", API, "def run(x: str, /):\n    pass\n", "def run(a: Data, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False)]),
        ("by place alone, with another name and no default", API, "def run(x=1, /):\n    pass\n", "def run(a, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_required_added", "run(x)", "x=1", "a", True)]),
        ("by place alone, one less", API, "def run(x, y, /):\n    pass\n", "def run(a, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_removed", "run(y)", "y", None, True)]),
        ("by place alone, one less, and keywords do not take its place", API, "def run(x, y, /, **more):\n    pass\n", "def run(x, /, **more):\n    pass\n", [("parameter_removed", "run(y)", "y", None, True)]),
        ("by place alone, one less, but any number is taken", API, "def run(x, y, /):\n    pass\n", "def run(x, /, *more):\n    pass\n", [("parameter_removed", "run(y)", "y", None, False)]),
        ("by place alone, one more", API, "def run(x, /):\n    pass\n", "def run(a, b, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_required_added", "run(b)", None, "b", True)]),
        ("by place alone, an option more", API, "def run(x, /):\n    pass\n", "def run(a, b=1, /):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_added", "run(b)", None, "b=1", False)]),
        ("by place alone, an option in between", API, "def run(x, y=1, /):\n    pass\n", "def run(x, z=0, y=1, /):\n    pass\n", [("parameter_added", "run(z)", None, "z=0", False), ("parameter_moved", "run", "x, y", "x, z, y", True)]),
        ("an option in between, where calls count places", API, "def run(x, y=1):\n    pass\n", "def run(x, z=0, y=1):\n    pass\n", [("parameter_added", "run(z)", None, "z=0", False), ("parameter_moved", "run", "x, y", "x, z, y", True)]),
        ("an option in between, far behind", API, "def run(a, b, c, d, e, f, y=1):\n    pass\n", "def run(a, b, c, d, e, f, z=0, y=1):\n    pass\n", [("parameter_added", "run(z)", None, "z=0", False), ("parameter_moved", "run", "…, f, y", "…, f, z, y", True)]),
        ("an option in between, by name alone", API, "def run(x, *, y=1):\n    pass\n", "def run(x, *, z=0, y=1):\n    pass\n", [("parameter_added", "run(z)", None, "z=0", False)]),
        ("by place alone, in another order", API, "def run(x, y, /):\n    pass\n", "def run(y, x, /):\n    pass\n", [("parameter_moved", "run", "x, y", "y, x", True)]),
        ("a slash comes: it can no longer be named", API, "def run(x, y=1):\n    pass\n", "def run(x, /, y=1):\n    pass\n", [("parameter_kind_changed", "run(x)", "both", "only positional", True)]),
        ("a slash comes with another name: by place it is what it was", API, "def run(x, y=1):\n    pass\n", "def run(a, /, y=1):\n    pass\n", [("parameter_kind_changed", "run(x)", "both", "only positional", True)]),
        ("a slash goes: nobody named it", API, "def run(x, /, y=1):\n    pass\n", "def run(x, y=1):\n    pass\n", [("parameter_kind_changed", "run(x)", "only positional", "both", False)]),
        ("a slash goes with another name", API, "def run(x, /, y=1):\n    pass\n", "def run(a, y=1):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_kind_changed", "run(x)", "only positional", "both", False)]),
        ("only by name, no longer by place", API, "def run(x, y, /):\n    pass\n", "def run(x, /, *, y):\n    pass\n", [("parameter_kind_changed", "run(y)", "only positional", "only keyword", True)]),
        ("names behind the slash still count", API, "def run(x, /, y):\n    pass\n", "def run(a, /, b):\n    pass\n", [("parameter_renamed", "run(x)", "x", "a", False), ("parameter_renamed", "run(y)", "y", "b", True)]),
        ("parameters go", API, "def run(x, y, z=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_removed", "run(y)", "y", None, True), ("parameter_removed", "run(z)", "z=1", None, True)]),
        ("parameters go, but any keyword is taken", API, "def run(x, y):\n    pass\n", "def run(x, **kwargs):\n    pass\n", [("parameter_kind_changed", "run(y)", "both", "**kwargs", False)]),
        ("a private parameter goes", API, "def run(x, _y=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_removed", "run(_y)", "_y=1", None, False)]),
        ("a default goes", API, "def run(x=1):\n    pass\n", "def run(x):\n    pass\n", [("parameter_required_added", "run(x)", "x=1", "x", True)]),
        ("a default comes", API, "def run(x):\n    pass\n", "def run(x=1):\n    pass\n", []),
        ("by keyword alone now", API, "def run(x, y=1):\n    pass\n", "def run(x, *, y=1):\n    pass\n", [("parameter_kind_changed", "run(y)", "both", "only keyword", True)]),
        ("by place too now", API, "def run(x, *, y=1):\n    pass\n", "def run(x, y=1):\n    pass\n", [("parameter_kind_changed", "run(y)", "only keyword", "both", False)]),
        ("behind overloads a parameter must be given", API, "@overload\ndef run(x: int) -> int: ...\n@overload\ndef run(x: str) -> str: ...\ndef run(x):\n    return x\n", "@overload\ndef run(x: int, *, y: int) -> int: ...\n@overload\ndef run(x: str, *, y: int) -> str: ...\ndef run(x, *, y):\n    return x\n", [("parameter_required_added", "run(y)", None, "y", True)]),
        ("another order", API, "def run(x, y):\n    pass\n", "def run(y, x):\n    pass\n", [("parameter_moved", "run", "x, y", "y, x", True)]),
        ("another order of keywords", API, "def run(*, x, y):\n    pass\n", "def run(*, y, x):\n    pass\n", []),
        ("a check refuses the old type", API, "def run(x: float):\n    pass\n", "def run(x: torch.Tensor):\n    if not isinstance(x, torch.Tensor):\n        raise TypeError('x')\n", [("annotation_changed", "run(x)", "float", "torch.Tensor", False), ("parameter_changed", "run(x)", "float", "torch.Tensor", True)]),
        ("an assert asks for a class that came, under another name", API, "def run(x: Tensor, y: Tensor):\n    pass\n", "class Plan:\n    pass\ndef run(x: Plan, y: None = None):\n    plan = x\n    assert isinstance(plan, Plan), 'x'\n    assert y is None, 'y'\n", [("class_added", "Plan", None, "class Plan:", False), ("annotation_changed", "run(x)", "Tensor", "Plan", False), ("parameter_changed", "run(x)", "Tensor", "Plan", True), ("annotation_changed", "run(y)", "Tensor", "None", False), ("parameter_changed", "run(y)", "Tensor", "None", True)]),
        ("a check of a base refuses nobody", API, "def run(x: Linear):\n    pass\n", "def run(x: Module):\n    if not isinstance(x, Module):\n        raise TypeError('x')\n", [("annotation_changed", "run(x)", "Linear", "Module", False)]),
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
        ("a head that goes on behind a backslash", API, "def load(a, \\\n         b=1):\n    pass\n", "def load(a, b=1):\n    pass\n", []),
        # bases
        ("an error has another base", API, "class AError(ValueError):\n    pass\n", "class AError(RuntimeError):\n    pass\n", [("error_base_removed", "AError", "ValueError", None, True)]),
        ("an error meets its base by way of another", API, "class AError(ValueError):\n    pass\n", "class Bad(ValueError):\n    pass\nclass AError(Bad):\n    pass\n", [("class_added", "Bad", None, "class Bad(ValueError):", False)]),
        ("an error stays an error", API, "class AError(Exception):\n    pass\n", "from x import Bad\nclass AError(Bad):\n    pass\n", []),
        ("a base that is made in its place is written on one line", API, "class A(\n    namedtuple(\n        'A', 'x y')\n    ):\n    pass\n", "class A(namedtuple('A', 'x y')):\n    pass\n", []),
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
        ("a marked function asks for more, in a package that the profile does not list", "flashinfer/mamba/ssu.py", "@flashinfer_api\ndef run(x):\n    pass\n", "@flashinfer_api\ndef run(x, y):\n    pass\n", [("parameter_required_added", "run(y)", None, "y", True)]),
        ("a marked wrapper asks for more", "flashinfer/decode.py", "class W:\n    @flashinfer_api\n    def plan(self, x):\n        pass\n", "class W:\n    @flashinfer_api\n    def plan(self, x, y):\n        pass\n", [("parameter_required_added", "W.plan(y)", None, "y", True)]),
        ("an interface file", LIB, "def run(x):\n    pass\n", "def run(x, y):\n    pass\n", [("parameter_required_added", "run(y)", None, "y", True)]),
        ("a listed DSL name goes", "python/CuTeDSL/cutlass/cute/core.py", '__all__ = ["size"]\ndef size(x): pass\ndef inner(x): pass\n', "__all__ = []\n", [("function_removed", "size", "def size(x): pass", None, True), ("function_removed", "inner", "def inner(x): pass", None, False)]),
    ],
)  # fmt: skip
def test_names(what: str, path: str, before: str, after: str, expected: list[Told]) -> None:
    assert one(path, before, after) == expected, what


def functions(*names: str) -> str:
    return "\n".join(f"def {name}(first, second):\n    mark = '{name}'\n{BODY}" for name in names)


def test_a_function_that_moved() -> None:
    facts = compared({API: (functions("run"), ""), "engine/core.py": ("", functions("run"))})
    assert told(facts) == [("function_moved", "run", "engine.run", "engine.core.run", True)]
    assert facts[0].alias is not None
    assert facts[0].alias.status == "none"


def test_a_function_that_the_module_which_imported_it_defines_now_moved_whatever_it_does() -> None:
    old = "def get_module():\n    spec = generate_everything()\n    return spec.build_and_load()\n"
    taker = "from engine.core.loop import get_module\n\n\ndef run(x):\n    return get_module().run(x)\n"
    new = "def get_module(layout):\n    return compiled_modules_by_layout[layout]\n\n\ndef run(x):\n    return get_module(x).run(x)\n"
    files = {INNER: (old + "\n\nstays = 1\n", "stays = 1\n"), "engine/core/run.py": (taker, new)}
    assert [f.kind for f in compared(files)] == ["function_moved"]
    stranger = {**files, "engine/core/run.py": (taker.replace("import get_module", "import other"), new)}
    assert "function_moved" not in [f.kind for f in compared(stranger)]


def test_a_function_that_moved_and_left_a_shim() -> None:
    facts = compared({API: (functions("run"), "from .core import run\n"), "engine/core.py": (None, functions("run"))})
    assert told(facts) == [("function_moved", "run", "engine.run", "engine.core.run", False)]
    assert facts[0].alias is not None
    assert facts[0].alias.status == "kept"


def test_a_mass_move_is_one_finding() -> None:
    facts = compared(
        {"engine/a.py": (functions("a", "b", "c", "d"), None), "engine/b/c.py": (None, functions("a", "b", "c", "d"))}
    )
    assert told(facts) == [("module_moved", "engine.a (4 names)", "engine.a", "engine.b.c", False)]


def test_a_mass_move_of_public_names_breaks_unless_a_star_keeps_them() -> None:
    files = {"deep_gemm/utils.py": (functions("a", "b", "c"), ""), "deep_gemm/x/y.py": (None, functions("a", "b", "c"))}
    assert [f.breaking for f in compared(files)] == [True]
    files["deep_gemm/utils.py"] = (functions("a", "b", "c"), "from .x.y import *\n")
    kept = compared(files)
    assert [(f.kind, f.breaking, f.alias and f.alias.status) for f in kept] == [("module_moved", False, "kept")]


def test_names_that_leave_a_module_which_stays_move_one_by_one() -> None:
    names, text = ("a", "b", "c"), functions("a", "b", "c")
    for left in (functions("rest"), "from .b.c import a, b, c\n" + functions("rest")):
        facts = compared({"engine/a.py": (text + functions("rest"), left), "engine/b/c.py": (None, text)})
        assert [f[:2] for f in told(facts)] == [("function_moved", name) for name in names]


def test_names_of_a_renamed_file_that_went_elsewhere_are_told_with_their_new_module() -> None:
    files = {
        "engine/calls.py": (functions("parse", "validate"), functions("parse")),
        "engine/serve.py": (None, functions("validate")),
    }
    assert [f[0:4] for f in told(compared(files, renames={"engine/calls.py": "engine/utils.py"}))] == [
        ("function_moved", "parse", "engine.utils.parse", "engine.calls.parse"),
        ("function_moved", "validate", "engine.utils.validate", "engine.serve.validate"),
    ]


def test_another_name_of_a_function_and_a_table_that_other_modules_took_are_names_that_go() -> None:
    path, user = "engine/inner/state.py", "engine/inner/use.py"
    alias = compared({path: (functions("group") + "old_group = group\n", functions("group"))})
    assert [f[:2] for f in told(alias)] == [("function_removed", "old_group")]
    table = (functions("a") + "by_spec = {}\n", functions("a"))
    taken = compared({path: table, user: ("from engine.inner.state import by_spec\n", "x = 1\n")})
    assert [f[:2] for f in told(taken)] == [("attribute_removed", "by_spec")]
    assert compared({path: table}) == []


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
    alone = {(f"engine.old.{name}", f"engine.new.{name}") for name in "abcd"}
    assert {(f[2], f[3]) for f in told(compared(files, renames))} == alone, "others may have stayed in the package"
    files["engine/new/__init__.py"] = ("", "")
    renames["engine/new/__init__.py"] = "engine/old/__init__.py"
    assert told(compared(files, renames)) == [
        ("module_moved", "engine.old.* (4 modules, 8 names)", "engine.old.*", "engine.new.*", False)
    ]


def test_a_package_whose_modules_went_to_several_places_is_told_module_by_module() -> None:
    files: dict[str, tuple[str | None, str | None]] = {}
    renames = {}
    for name, place in zip("abcdef", ("attention",) * 3 + ("memory",) * 3, strict=True):
        files[f"engine/ops/{place}/{name}.py"] = (functions(name), functions(name))
        renames[f"engine/ops/{place}/{name}.py"] = f"engine/old/{name}.py"
    files["engine/ops/__init__.py"], renames["engine/ops/__init__.py"] = ("", ""), "engine/old/__init__.py"
    moved = told(compared(files, renames))
    assert [(f[2], f[3]) for f in moved] == [
        (f"engine.old.{path[-4]}", path[:-3].replace("/", ".")) for path in sorted(files) if "__init__" not in path
    ], "`engine.old.*` went to neither of the two"


def test_a_module_that_goes_is_one_finding() -> None:
    assert told(compared({"engine/a.py": (functions("a", "b", "c"), None)})) == [
        ("module_removed", "engine.a", "engine.a", None, False)
    ]


def test_a_package_that_goes_as_a_whole_is_one_finding() -> None:
    files: dict[str, tuple[str | None, str | None]] = {
        f"engine/cute/{name}.py": (functions(f"{name}_a", f"{name}_b"), None) for name in ("a", "b", "c", "deep/d")
    }
    files["engine/cute/__init__.py"] = ("from .a import a_a\n", None)
    assert told(compared(files)) == [("module_removed", "engine.cute", "engine.cute", None, False)]
    files["engine/cute/a.py"] = (functions("a_a", "a_b"), functions("a_a"))
    assert ("module_removed", "engine.cute", "engine.cute", None, False) not in told(compared(files))


def test_a_name_that_leaves_its_package_too_breaks_and_is_told_once() -> None:
    files = {API: ("from .impl import run\n", ""), "engine/impl.py": (functions("run", "go"), functions("go"))}
    assert [(f.kind, f.symbol, f.breaking) for f in compared(files)] == [("function_removed", "run", True)]


def test_nothing_is_gone_when_part_of_the_diff_is_missing() -> None:
    assert compared({API: (functions("run"), "")}, whole=False) == []


def packaged(before: str, after: str, path: str = "setup.cfg") -> list[bool]:
    """Whether a folder's new name breaks, given the packaging before and after."""
    text = functions("a", "b", "c")
    files = {"python/wide_gen/__init__.py": (text, text), path: (before, after)}
    facts = compared(files, renames={"python/wide_gen/__init__.py": "python/wide/__init__.py"})
    assert [f.kind for f in facts] == ["module_moved"]
    return [f.breaking for f in facts]


@pytest.mark.parametrize(
    ("what", "before", "after", "breaks"),
    [
        ("it had the new name before", "  wide_gen=python/wide\n", "  wide_gen=python/wide_gen\n", False),
        ("it keeps the old name", "  wide=python/wide\n", "  wide = python/wide_gen\n", False),
        ("a table in Python", "d = {'wide_gen': 'python/wide'}\n", "d = {'wide_gen': 'python/wide_gen'}\n", False),
        ("it gets the new name", "  wide=python/wide\n", "  wide_gen=python/wide_gen\n", True),
        ("another setting names the folder", "  where = python/wide\n", "  where = python/wide_gen\n", True),
        ("packaging says nothing", "x = 1\n", "x = 2\n", True),
    ],
)
def test_a_folder_under_another_name(what: str, before: str, after: str, breaks: bool) -> None:
    assert packaged(before, after) == [breaks], what


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
    there, back = (
        # A rename that keeps the old name for a while has no exact way back.
        [f for f in compared({API: pair}) if not (f.kind.endswith("_renamed") and f.alias and f.alias.status != "none")]
        for pair in ((first, second), (second, first))
    )
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
    kept = {f.after for f in compared({API: (first, second)}) if f.kind.endswith("_renamed")}
    assert came == [name for name in went if name not in kept or name in came]


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


PACKAGE = 'from ._stub import {0}\n\n__all__ = ("wait", "{0}")\n'

"""Two whole trees of a library, before and after, with the breakages that must come out: no more, no fewer."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.kinds import kinds
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_library import library_facts
from daybreak.findings.languages.python_tree import Tree

Files = Mapping[str, str]
FIRST, REST = "pkg/__init__.py", "pkg/core.py"


def tree(files: Files) -> dict[str, str]:
    return {FIRST: "", **files}


def facts(before: Files, after: Files) -> list[Fact]:
    found = library_facts(tree(before), tree(after))
    assert {f.kind for f in found} <= kinds().keys()
    return found


def breaks(before: Files, after: Files) -> list[tuple[str, str]]:
    return sorted((f.kind, f.symbol) for f in facts(before, after) if f.breaking)


def core(before: str, after: str) -> list[tuple[str, str]]:
    return breaks({REST: before}, {REST: after})


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        # which names are public
        ("nothing changes", {REST: "def run(x): pass\n"}, {REST: "def run(x): pass\n"}, []),
        ("a function of a public module goes", {REST: "def run(): pass\n"}, {REST: ""}, [("function_removed", "run")]),
        ("a private one goes", {REST: "def _run(): pass\n"}, {REST: ""}, []),
        ("one of a private module goes", {"pkg/_in.py": "def run(): pass\n"}, {"pkg/_in.py": ""}, []),
        ("one of a private module behind a public name goes", {FIRST: "from ._in import run\n", "pkg/_in.py": "def run(): pass\n"}, {"pkg/_in.py": ""}, [("function_removed", "run")]),
        ("the way to it goes, it stands", {FIRST: "from ._in import run\n", "pkg/_in.py": "def run(): pass\n"}, {"pkg/_in.py": "def run(): pass\n"}, [("export_removed", "pkg.run")]),
        ("what __all__ does not list goes", {REST: "__all__ = ['a']\ndef a(): pass\ndef run(): pass\n"}, {REST: "__all__ = ['a']\ndef a(): pass\n"}, []),
        ("what __all__ of another module lists goes", {FIRST: "from . import core\nfrom .core import *\n__all__ = [] + core.__all__\n", REST: "__all__ = ['run']\ndef run(): pass\n"}, {FIRST: "from . import core\nfrom .core import *\n__all__ = [] + core.__all__\n", REST: "__all__ = []\n"}, [("function_removed", "run")]),
        ("what a star hands on changes", {FIRST: "from ._in import *\n", "pkg/_in.py": "def run(x): pass\n"}, {FIRST: "from ._in import *\n", "pkg/_in.py": "def run(x, y): pass\n"}, [("parameter_required_added", "run(y)")]),
        ("what it takes by name goes with its module, beside a star", {FIRST: "from ._in import run\nfrom ._more import *\n", "pkg/_in.py": "def run(x): pass\n", "pkg/_more.py": ""}, {FIRST: "from ._more import *\n", "pkg/_more.py": ""}, [("function_removed", "run")]),
        ("tests go", {"tests/__init__.py": "", "tests/test_a.py": "def run(): pass\n"}, {}, []),
        ("tests inside the package go", {"pkg/tests/__init__.py": "", "pkg/tests/a.py": "def run(): pass\n"}, {}, []),
        ("a script goes", {"tools/gen.py": "def run(): pass\n"}, {}, []),
        ("a type variable goes", {REST: "F = t.TypeVar('F')\n"}, {REST: ""}, []),
        ("a constant goes", {REST: "LIMIT = 3\n"}, {REST: ""}, [("attribute_removed", "LIMIT")]),
        ("one of two names of a constant goes", {REST: "A = B = 3\n"}, {REST: "A = 3\n"}, [("attribute_removed", "B")]),
        ("the stand-in for a failed import goes", {REST: "try:\n    import fast\nexcept ImportError:\n    fast = None\n"}, {REST: ""}, []),
        ("an alias of another project's name goes", {REST: "import weakref\nfinal = weakref.finalize\n"}, {REST: ""}, []),
        ("an alias goes with its class", {REST: "class Run: pass\ngo = Run\n"}, {REST: ""}, [("attribute_removed", "go"), ("class_removed", "Run")]),
        # where names went
        ("it is imported now", {REST: "def run(): pass\n"}, {REST: "from ._in import run\n", "pkg/_in.py": "def run(): pass\n"}, []),
        ("it is an alias now", {REST: "class Run: pass\n"}, {REST: "class Go: pass\nRun = Go\n"}, []),
        ("a hook serves it", {REST: "def run(): pass\n"}, {REST: "def __getattr__(name):\n    if name == 'run':\n        warn(name)\n"}, []),
        ("a hook serves others", {REST: "def run(): pass\n"}, {REST: "def __getattr__(name):\n    if name == 'go':\n        warn(name)\n"}, [("function_removed", "run")]),
        ("a helper is handed the names", {REST: "class Old: pass\n"}, {REST: "lazy(\n    globals(),\n    aliases={'Old': '.legacy'},\n)\n"}, []),
        ("it moved to another public module", {REST: "def run(): pass\n"}, {REST: "", "pkg/new.py": "def run(): pass\n"}, [("function_moved", "run")]),
        ("a module goes", {"pkg/old.py": "def run(): pass\n"}, {}, [("module_removed", "pkg.old")]),
        ("a module moves", {"pkg/old.py": "def a(): pass\ndef b(): pass\ndef c(): pass\n"}, {"pkg/new.py": "def a(): pass\ndef b(): pass\ndef c(): pass\n"}, [("module_moved", "pkg.old")]),
        ("two common names are no home", {"pkg/old.py": "def a(): pass\ndef b(): pass\n"}, {"pkg/new.py": "def a(): pass\ndef b(): pass\n"}, [("module_removed", "pkg.old")]),
        ("a module becomes a package", {"pkg/a.py": "def run(): pass\n"}, {"pkg/a/__init__.py": "from .b import run\n", "pkg/a/b.py": "def run(): pass\n"}, []),
        ("a module becomes a function", {"pkg/run.py": "def go(): pass\n"}, {FIRST: "from ._run import run\n", "pkg/_run.py": "def run(): pass\n"}, [("module_removed", "pkg.run")]),
        ("a package goes, told once", {"pkg/a/__init__.py": "x = 1\n", "pkg/a/b.py": "y = 1\n"}, {}, [("module_removed", "pkg.a")]),
        ("a file that cannot be read says nothing", {REST: "def run(): pass\n"}, {REST: '"""never closed\n'}, []),
    ],
)  # fmt: skip
def test_names(what: str, before: Files, after: Files, expected: list[tuple[str, str]]) -> None:
    assert breaks(before, after) == expected, what


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a parameter in the middle", "def run(a, b=1): pass\n", "def run(a, c=0, b=1): pass\n", [("parameter_moved", "run")]),
        ("a parameter at the end", "def run(a, b=1): pass\n", "def run(a, b=1, c=0): pass\n", []),
        ("one before a private one", "def run(a, _b=1): pass\n", "def run(a, c=0, _b=1): pass\n", []),
        ("free keywords go", "def run(a, **kw): pass\n", "def run(a): pass\n", [("parameter_removed", "run(**kw)")]),
        ("free keywords get another name", "def run(a, **kw): pass\n", "def run(a, **rest): pass\n", []),
        ("free keywords are spelled out", "def run(a, **kw): pass\n", "def run(a, *, b=1): pass\n", []),
        ("free places go", "def run(*args): pass\n", "def run(): pass\n", [("parameter_removed", "run(*args)")]),
        ("by place alone, another name", "def run(__a): pass\n", "def run(a, /): pass\n", []),
        ("a name goes into free keywords", "def run(a, b=1): pass\n", "def run(a, **kw): pass\n", [("parameter_kind_changed", "run(b)")]),
        ("a keyword goes into free keywords", "def run(a, *, b=1): pass\n", "def run(a, **kw): pass\n", []),
        ("an option takes another's place", "def run(a, mix_stderr=True): pass\n", "def run(a, catch=True): pass\n", [("parameter_removed", "run(mix_stderr)")]),
        ("an option is renamed", "def run(a, hostname=1): pass\n", "def run(a, host=1): pass\n", [("parameter_renamed", "run(hostname)")]),
        ("behind overloads the last one counts", "@overload\ndef run(a: int): ...\n@overload\ndef run(a: str): ...\ndef run(a): pass\n", "@overload\ndef run(a: int, b: int): ...\ndef run(a, b): pass\n", [("parameter_required_added", "run(b)")]),
        ("overloads alone", "@overload\ndef run(a: int): ...\ndef run(a, b=1): pass\n", "@overload\ndef run(a: int, b: int): ...\ndef run(a, b=1): pass\n", []),
        ("a lambda with commas", "def run(a, f=None): pass\n", "def run(a, f=lambda x, y: 1): pass\n", []),
        ("a default changes", "def run(a=1): pass\n", "def run(a=2): pass\n", []),
        ("under a condition nobody knows", "if X:\n    def run(a): pass\n", "if X:\n    def run(a, b): pass\n", []),
    ],
)  # fmt: skip
def test_signatures(what: str, before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert core(before, after) == expected, what


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a method goes", "class A:\n    def go(self): pass\n", "class A:\n    pass\n", [("function_removed", "A.go")]),
        ("a method is inherited now", "class B: pass\nclass A(B):\n    def go(self): pass\n", "class B:\n    def go(self): pass\nclass A(B): pass\n", []),
        ("a method is inherited from the standard library", "from typing import Mapping\nclass A(Mapping[str, str]):\n    def get(self, key): pass\n", "from typing import Mapping\nclass A(Mapping[str, str]):\n    pass\n", []),
        ("the standard library has no such method", "import io\nclass A(io.IOBase):\n    def from_lib(self): pass\n", "import io\nclass A(io.IOBase):\n    pass\n", [("function_removed", "A.from_lib")]),
        ("another project's class may have it", "import click\nclass A(click.Command):\n    def go(self): pass\n", "import click\nclass A(click.Command):\n    pass\n", []),
        ("a field of a model goes", "from pydantic import BaseModel\nclass A(BaseModel):\n    x: int\n    y: int\n", "from pydantic import BaseModel\nclass A(BaseModel):\n    x: int\n", [("field_removed", "A.y")]),
        ("what a base loses is told once", "class B:\n    def go(self): pass\nclass A(B): pass\n", "class B: pass\nclass A(B): pass\n", [("function_removed", "B.go")]),
        ("what a child loses with its base", "class B:\n    def go(self): pass\nclass A(B): pass\n", "class B:\n    def go(self): pass\nclass A: pass\n", [("base_removed", "A"), ("function_removed", "A.go")]),
        ("a base that is gone itself", "class B: pass\nclass A(B): pass\n", "class A: pass\n", [("class_removed", "B")]),
        ("a base far away stands", "class B: pass\nclass A(B): pass\n", "class B: pass\nclass _C(B): pass\nclass A(_C): pass\n", []),
        ("an attribute of objects goes", "class A:\n    def __init__(self):\n        self.x = 1\n", "class A:\n    def __init__(self):\n        pass\n", [("attribute_removed", "A.x")]),
        ("it is given elsewhere", "class A:\n    def __init__(self):\n        self.x = 1\n", "class A:\n    def __init__(self):\n        self.go()\n    def go(self):\n        self.x = 1\n", []),
        ("it is declared over several lines", "class A:\n    def __init__(self):\n        self.x = 1\n", "class A:\n    def __init__(self):\n        self.x: Doc[\n            int\n        ] = 1\n", []),
        ("another class gives it", "class A:\n    def __init__(self):\n        self.x = 1\n", "class A:\n    def __init__(self):\n        pass\nclass B:\n    def __init__(self):\n        self.x = 1\n", [("attribute_removed", "A.x")]),
        ("a new hook may serve it", "class A:\n    x = 1\n", "class A:\n    def __getattr__(self, name): pass\n", []),
        ("an old hook did not", "class A:\n    x = 1\n    def __getattr__(self, name): pass\n", "class A:\n    def __getattr__(self, name): pass\n", [("attribute_removed", "A.x")]),
        ("`async with` is refused", "class A:\n    async def __aenter__(self): pass\n", "class A:\n    pass\n", [("function_removed", "A.__aenter__")]),
        ("only tools call it", "class A:\n    def __repr__(self): pass\n", "class A:\n    pass\n", []),
        ("a method becomes a property", "class A:\n    def go(self): pass\n", "class A:\n    @property\n    def go(self): pass\n", [("decorator_changed", "A.go")]),
        ("an attribute becomes a property", "class A:\n    x = 1\n", "class A:\n    @property\n    def x(self): pass\n", []),
        ("a nested class loses a member", "class A:\n    class B:\n        x = 1\n        y = 2\n", "class A:\n    class B:\n        x = 1\n", [("attribute_removed", "A.B.y")]),
        ("a member of an enum goes", "import enum\nclass A(enum.Enum):\n    X = 1\n    Y = 2\n", "import enum\nclass A(enum.Enum):\n    X = 1\n", [("enum_member_removed", "A.Y")]),
        ("a class becomes a function", "class Run: pass\n", "def Run(): pass\n", [("attribute_changed", "Run")]),
        ("a class becomes a union", "class Run: pass\n", "Run = Union[A, B]\n", [("attribute_changed", "Run")]),
        ("an alias becomes a class of its own", "from other import Url\nAny = Annotated[Url, 1]\n", "class Any: pass\n", [("base_removed", "Any")]),
        ("an alias becomes a child", "from other import Url\nAny = Url\n", "from other import Url\nclass Any(Url): pass\n", []),
        ("a dataclass asks for more", "@dataclass\nclass A:\n    x: int\n", "@dataclass\nclass A:\n    x: int\n    y: int\n", [("parameter_required_added", "A.__init__(y)")]),
        ("a dataclass gets an option", "@dataclass\nclass A:\n    x: int\n", "@dataclass\nclass A:\n    x: int\n    y: int = 0\n", []),
        ("a constructor becomes a dataclass", "class A:\n    def __init__(self, *, x, y): pass\n", "@dataclass\nclass A:\n    x: int\n", [("parameter_removed", "A.__init__(y)")]),
        ("fields that are spelled out", "class B:\n    def __init__(self, **kw): pass\nclass A(B):\n    x: int\n", "class B:\n    def __init__(self, **kw): pass\nclass A(B):\n    x: int\n    def __init__(self, x, **kw): pass\n", []),
    ],
)  # fmt: skip
def test_classes(what: str, before: str, after: str, expected: list[tuple[str, str]]) -> None:
    assert core(before, after) == expected, what


def test_a_name_that_a_hook_serves_is_told_as_deprecated() -> None:
    hook = "def __getattr__(name):\n    if name == 'run':\n        warnings.warn('deprecated')\n"
    (fact,) = facts({REST: "def run(): pass\n"}, {REST: hook})
    assert (fact.kind, fact.breaking, fact.alias and fact.alias.status) == ("function_removed", False, "deprecated")


def test_a_src_layout_and_an_archive_folder_are_the_same_library() -> None:
    for root in ("src/", "pkg-1.0/", "pkg-1.0/src/"):
        names = Tree({f"{root}pkg/__init__.py": "", f"{root}pkg/a/b.py": "x = 1\n", f"{root}setup.py": ""}).modules
        assert sorted(names) == ["pkg", "pkg.a.b"]


LINES = st.sampled_from(
    [
        "from .core import *", "from . import core", "from pkg import *", "from .a import b as b", "__all__ = ['x']",
        "x = y", "y = x", "class A(B): pass", "class B(A): pass", "class C(A, B, x): z = 1", "def f(a, *b, c=1): pass",
        "def __getattr__(name): return 'x'", "import pkg.core as c", "__all__ += core.__all__", "if", "(", '"""',
    ]
)  # fmt: skip
SOURCES = st.lists(LINES, max_size=8).map("\n".join)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from([FIRST, REST, "pkg/a.py"]), SOURCES), st.dictionaries(st.sampled_from([FIRST, REST, "pkg/a.py"]), SOURCES))  # fmt: skip
def test_circles_and_broken_files_are_read(before: Files, after: Files) -> None:
    """Whatever imports whatever: reading ends, does not raise, and a tree compared with itself says nothing."""
    library_facts(before, after)
    assert library_facts(before, before) == []


def test_stars_in_a_ring_cost_little() -> None:
    ring = {f"pkg/m{i}.py": "\n".join(f"from .m{j} import *" for j in range(40)) for i in range(40)}
    assert breaks(ring, ring) == []


def test_a_long_chain_of_bases_ends() -> None:
    chain = "class A0: pass\n" + "".join(f"class A{i}(A{i - 1}): pass\n" for i in range(1, 900))
    assert core(chain, chain) == []

"""The outline of a Python file: what is read, what is not, and that nothing hostile breaks it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.python_signature import before_hash, depth_of, split_default, without_texts
from daybreak.findings.languages.python_surface import surface
from timing import beside


def names(text: str) -> list[str]:
    return [f"{row.kind} {row.name}" for row in surface("a.py", text).values()]


@pytest.mark.parametrize(
    ("what", "text", "expected"),
    [
        ("a function", "def run(x):\n    pass\n", ["function run"]),
        ("an async function", "async def run(x):\n    pass\n", ["function run"]),
        ("a generic function", "def run[T](x: T) -> T:\n    pass\n", ["function run"]),
        ("a function inside a function is nobody's", "def run():\n    def inner():\n        pass\n", ["function run"]),
        ("a class with a method", "class A:\n    def go(self):\n        pass\n", ["class A", "method A.go"]),
        ("two spaces", "class A:\n  x: int = 3\n  def go(self):\n    y = 3\n", ["class A", "attribute A.x", "method A.go"]),
        ("tabs", "class A:\n\tdef go(self):\n\t\ty = 3\n", ["class A", "method A.go"]),
        (
            "a class in a class",
            "class A:\n    class B:\n        x: int = 1\n        class C:\n            y = 2\n",
            ["class A", "class A.B", "attribute A.B.x", "class A.B.C"],
        ),
        ("a local variable is no field", "class A:\n    def go(self):\n        x: int = 3\n", ["class A", "method A.go"]),
        ("code in a docstring is text", '"""\ndef run():\n    pass\n"""\ndef go(): pass\n', ["function go"]),
        ("code in a string inside a function", "def go():\n    x = '''\ndef run(): pass\n'''\n    return x\n", ["function go"]),
        ("three quotes in a comment", '# """\ndef go(): pass\n# """\n', ["function go"]),
        ("three quotes in a string", "x = '\"\"\"'\ndef go(): pass\ny = '\"\"\"'\n", ["attribute x", "function go", "attribute y"]),
        ("what follows a long text", 'x = """\na\n""".format(1)\ndef go(): pass\n', ["attribute x", "function go"]),
        (
            "a signature over many lines",
            "def go(\n    a,  # one)\n    b=')',\n):\n    x = 1\n\n\ndef on():\n    pass\n",
            ["function go", "function on"],
        ),
        ("a table at the top", "X = {\n'a': 1,\n'b': [\n2,\n],\n}\ndef go(): pass\n", ["attribute X", "function go"]),
        ("a fallback import", "try:\n    from a import b\nexcept ImportError:\n    b = None\n", ["import b", "attribute b"]),
        ("a condition", "if X:\n    def go(): pass\nelse:\n    def go(): pass\n", ["function go"]),
        ("only as a program", 'if __name__ == "__main__":\n    def go(): pass\n', []),
        ("imports", "import os\nimport a.b as c\nfrom .d import (\n    e,\n    f as g,\n)\n", ["import os", "import c", "import e", "import g"]),
        ("a star", "from .d import *\n", ["star .d"]),
        ("a list of names", '__all__ = [\n    "a",\n    "b",\n]\n', ["export a", "export b"]),
        ("a grown list of names", '__all__ = ["a"] + more\n', ["hook __all__", "export a"]),
        ("a module hook", "def __getattr__(name):\n    pass\n", ["hook __getattr__", "function __getattr__"]),
        ("globals", "globals().update(vars(x))\n", ["hook globals()"]),
        ("an enum", "class A(Enum):\n    X = 1\n    Y = auto()\n", ["class A", "attribute A.X", "attribute A.Y"]),
        ("no assignment", "x == 3\nprint(x)\nx.y = 3\nx[1] = 3\n", []),
        ("carriage returns", "def go():\r\n    pass\r\nclass A:\r\n    x: int = 1\r\n", ["function go", "class A", "attribute A.x"]),
        ("a comment at the edge inside a body", "def go():\n    a = 1\n# note\n    b = 2\n\nx = 1\n", ["function go", "attribute x"]),
        ("a call over lines", "go(\n    1,\n)\nx = 1\n", ["attribute x"]),
        ("a line carried on", "x = 1 + \\\n    2\ny = 2\n", ["attribute x", "attribute y"]),
    ],
)  # fmt: skip
def test_outline(what: str, text: str, expected: list[str]) -> None:
    assert names(text) == expected, what


def test_lines_and_signatures_are_those_of_the_file() -> None:
    row = surface(
        "a.py",
        '"""\nText\n"""\n\n\n@deco(1)\ndef go(\n    a: int,  # why\n    b: str = "x",\n) -> int:\n    return 1\n',
    )["function", "go"]
    assert (row.line, row.text) == (7, 'def go( a: int, b: str = "x", ) -> int:')
    assert row.details["decorators"] == "deco(1)"


def test_a_body_is_known_again_whatever_its_layout() -> None:
    one = surface("a.py", "def go(a):\n    total = a.first + a.second\n    return total * 2  + 17\n")["function", "go"]
    two = surface("a.py", "def on(a):\n  # note\n  total = a.first + a.second\n\n  return total * 2 + 17\n")[
        "function", "on"
    ]
    assert one.details["body"] == two.details["body"] != ""


@pytest.mark.parametrize("text", ['x = """never closed', "'''", 'def f():\n    """doc\n    pass\n'])
def test_a_text_that_never_ends_makes_the_file_unreadable(text: str) -> None:
    assert surface("a.py", text).broken


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("x", ("x", None)),
        ("x: int = 3", ("x: int", "3")),
        ("x: Annotated[int, f(a=1)] = 4", ("x: Annotated[int, f(a=1)]", "4")),
        ('x: str = "a=b"', ("x: str", '"a=b"')),
        ('x: "A = B"', ('x: "A = B"', None)),
        ("x=lambda a: a == 1", ("x", "lambda a: a == 1")),
    ],
)
def test_defaults(part: str, expected: tuple[str, str | None]) -> None:
    assert split_default(part) == expected


def test_text_helpers() -> None:
    assert before_hash("x = '#'  # y") == "x = '#'"
    assert depth_of("f('(', [1") == 2
    assert without_texts('a """b\nc""" d\n') == 'a ""\n' + " " * 80 + " d\n"


BITS = ["def f(", ")", "):", "class A:", "class B(A):", "\n", "\n    ", "'", '"""', "'''", "\\", "#", "@x", "x: int = 3", "if X:", "[", "]",
        "__all__ = [", "from a import b", "import *", ",", "=", " ", "\t", "\r", "\x00", "é"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(BITS) | st.text(max_size=6), max_size=60))
def test_never_raises(bits: list[str]) -> None:
    text = "".join(bits)
    first, again = surface("a.py", text), surface("a.py", text)
    assert dict(first) == dict(again)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200_000,
        "x = [\n" * 50_000,
        '"' * 200_001,
        '\'"""' * 50_000,
        "#'''\n" * 50_000,
        "\\\n" * 100_000,
        "class A:\n" + "    x: int = 1\n" * 30_000,
        "if a:\n" + "".join(" " * n + "if a:\n" for n in range(1, 400)),
        "".join(" " * n + "class A:\n" for n in range(400)),
        "\\" * 100_000 + '"""' + "\\" * 100_000 + '"""',
        "@a\n" * 50_000,
        "def f(" + "a, " * 50_000,
        "x = '''" + "\\'''" * 50_000,
    ],
)
def test_hostile_files_are_read_in_no_time(text: str) -> None:
    start = time.process_time()
    surface("a.py", text)
    assert time.process_time() - start < beside(2)


@pytest.mark.parametrize(
    ("what", "text", "expected"),
    [
        ("a chain of names", "A = B = 3\n", {"A", "B"}),
        ("a comparison is no chain", "A = B == 3\n", {"A"}),
        ("a chain in a class", "class C:\n    x = y = 1\n", {"C.x", "C.y"}),
    ],
)
def test_chained_assignments_give_every_name(what: str, text: str, expected: set[str]) -> None:
    assert {row.name for row in surface("a.py", text).of("attribute")} == expected, what


def test_behind_overloads_the_last_definition_is_kept() -> None:
    text = "@overload\ndef run(a: int): ...\n@overload\ndef run(a: str): ...\ndef run(a, b=1): pass\n"
    assert surface("a.py", text)["function", "run"].details["whole"] == "def run(a, b=1): pass"


def test_an_attribute_that_is_declared_over_lines_is_given() -> None:
    text = (
        "class A:\n    def __init__(self):\n        self.x: Doc[\n            int\n        ] = 1\n        self.y == 2\n"
    )
    assert surface("a.py", text)["method", "A.__init__"].details["sets"] == "x"


@pytest.mark.parametrize(
    ("text", "hooks"),
    [
        ("lazy(\n    globals(),\n    {'a': '.b'},\n)\n", True),
        ("globals().update(x)\n", True),
        ("x = 1\n", False),
        ("print(a, globals)\n", False),
    ],
)
def test_a_helper_that_is_handed_the_names_is_a_hook(text: str, hooks: bool) -> None:
    assert bool(surface("a.py", text).of("hook")) is hooks

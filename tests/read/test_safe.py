"""What is safe: proved for both sides of every file, or not said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.core.model.changes import FileChange, Status
from daybreak.findings.diff import hunks
from daybreak.findings.languages.base import ReadFile
from daybreak.findings.paths import area
from daybreak.findings.safe import safe_kind, wanted
from read.behaviour import patch

PY = "engine/core.py"
CU = "csrc/a.cu"


def proof(
    *files: tuple[str, str, str], status: Status | None = None, old_path: str | None = None, new_mode: str = "000000"
) -> str | None:
    """The verdict on files given as path, before, after; an empty side means the file was not there."""
    parts: list[ReadFile] = []
    blobs: dict[str, str] = {}
    for n, (path, before, after) in enumerate(files):
        kind: Status = status or ("A" if not before else "D" if not after else "M")
        text = patch(before, after)
        rows = text.split("\n")
        old, new = f"{n}a" if before else "", f"{n}b" if after else ""
        if before == after:
            new = old
        blobs |= {old: before, new: after}
        change = FileChange(
            path=path,
            status=kind,
            old_path=old_path,
            added=sum(r.startswith("+") for r in rows),
            deleted=sum(r.startswith("-") for r in rows),
            old_blob=old,
            new_blob=new,
            patch=text,
            new_mode=new_mode,
        )
        parts.append(ReadFile(change, area(path), tuple(hunks(text))))
    assert set(wanted(parts)) <= set(blobs)
    return safe_kind(parts, {key: value for key, value in blobs.items() if key})


BODY = "import b\nimport a\n\n\ndef f(x, y):\n    z = x + y\n    return z\n"
CASES: dict[str, tuple[str, str, str, str | None]] = {
    "a comment": (PY, BODY, BODY.replace("    z =", "    # why\n    z ="), "only_comments"),
    "a docstring": (PY, BODY, BODY.replace("    z =", '    """Adds."""\n    z ='), "only_comments"),
    "a comment behind code": (PY, BODY, BODY.replace("+ y", "+ y  # sum"), "only_comments"),
    "line breaks": (PY, BODY, BODY.replace("f(x, y)", "f(\n    x,\n    y,\n)"), "only_formatting"),
    "blank lines": (PY, BODY, BODY.replace("    return", "\n    return"), "only_formatting"),
    "quotes": (PY, "x = 'a'\n", 'x = "a"\n', "only_formatting"),
    "order of imports": (PY, BODY, BODY.replace("import b\nimport a", "import a\nimport b"), "only_formatting"),
    "hints": (PY, BODY, BODY.replace("(x, y)", "(x: int, y: int) -> int"), "only_types"),
    "a hint of a local name": (PY, BODY, BODY.replace("z = x", "z: int = x"), "only_types"),
    "hints with their import": (
        PY,
        BODY,
        "from typing import Any\n" + BODY.replace("(x, y)", "(x: Any, y: Any)"),
        "only_types",
    ),
    "a function that moved within its file": (
        PY,
        "def a():\n    return 1\n\n\ndef b():\n    return 2\n",
        "def b():\n    return 2\n\n\ndef a():\n    return 1\n",
        "only_moved",
    ),
    "C comments": (CU, "int a; // x\nint b;\n", "int a; // y\nint b;\n", "only_comments"),
    "C block comments": (CU, "int a;\nint b;\n", "int a;\n/* one\n two */\nint b;\n", "only_comments"),
    "C blanks": (CU, "int f(int a,int b);\n", "int f(int a,\n      int b);\n", "only_formatting"),
    # not safe
    "another operator": (PY, BODY, BODY.replace("+", "-"), None),
    "two statements that changed places": (PY, "a()\nb()\n", "b()\na()\n", None),
    "two functions of one name": (
        PY,
        "def a():\n    return 1\n\n\ndef a():\n    return 2\n",
        "def a():\n    return 2\n\n\ndef a():\n    return 1\n",
        None,
    ),
    "two imports that bind one name": (
        PY,
        "from a import x\nfrom b import x\n",
        "from b import x\nfrom a import x\n",
        None,
    ),
    "a hash inside a text": (PY, 'x = """\n# a\n"""\n', 'x = """\n# b\n"""\n', None),
    "the hint of a field": (PY, "class A:\n    x: int = 1\n", "class A:\n    x: float = 1\n", None),
    "a hint that an operator's schema is read from": (
        PY,
        "def f(x: int):\n    return x\n\n\ndirect_register_custom_op(f)\n",
        "def f(x: float):\n    return x\n\n\ndirect_register_custom_op(f)\n",
        None,
    ),
    "a hint under an unknown decorator": (
        PY,
        "@reads_hints\ndef f(x: int):\n    return x\n",
        "@reads_hints\ndef f(x: float):\n    return x\n",
        None,
    ),
    "a default": (PY, "def f(x=1):\n    pass\n", "def f(x=2):\n    pass\n", None),
    "indentation that means something": (
        PY,
        "if a:\n    b()\n    c()\n",
        "if a:\n    b()\nc()\n",
        None,
    ),
    "what cannot be parsed": (PY, "def f(:\n", "def f(:  # x\n", None),
    "a macro with and without arguments": (CU, "#define f(x) 1\nint a;\n", "#define f (x) 1\nint a;\n", None),
    "a directive that lost its line end": (CU, "#define A 1\nint b;\n", "#define A 1 int b;\n", None),
    "slashes inside a text": (CU, 'auto s = "a//b";\n', 'auto s = "a//c";\n', None),
    "a raw text": (CU, 'auto s = R"(\n// a\n)";\n', 'auto s = R"(\n// b\n)";\n', None),
    "two signs that become one": (CU, "a = b - -c;\n", "a = b --c;\n", None),
    "an open comment": (CU, "int a; /* x\n", "int a; /* y\n", None),
    "an unknown language": ("engine/a.rs", "// a\n", "// b\n", None),
    "a configuration": ("configs/a.yaml", "# a\n", "# b\n", None),
}


@pytest.mark.parametrize("case", CASES)
def test_safe(case: str) -> None:
    path, before, after, expected = CASES[case]
    assert proof((path, before, after)) == expected
    assert proof((path, after, before)) == expected


def test_a_function_that_moved_to_another_file_with_the_import_that_follows_it() -> None:
    left, taken = "import os\n\n\ndef a():\n    return 1\n", "\n\ndef b():\n    return os.sep\n"
    user = "from engine.core import b\n\n\ndef c():\n    return b()\n"
    assert (
        proof(
            (PY, left + taken, left),
            ("engine/extra.py", "", "import os\n" + taken),
            ("engine/user.py", user, user.replace("engine.core", "engine.extra")),
        )
        == "only_moved"
    )


def test_a_move_that_gives_a_name_another_meaning_is_not_safe() -> None:
    source = "from x import help\n\n\ndef a():\n    return 1\n"
    taken = "\n\ndef b():\n    return help()\n"
    there = "from y import help\n\n\ndef c():\n    return help()\n"
    assert proof((PY, source + taken, source), ("engine/extra.py", there, there + taken)) is None


def test_a_move_that_also_changes_the_function_is_not_safe() -> None:
    rest = "def a():\n    return 1\n"
    assert (
        proof((PY, rest + "\n\ndef b():\n    return 2\n", rest), ("engine/x.py", "", "def b():\n    return 3\n"))
        is None
    )


def test_an_import_of_something_else_is_not_safe() -> None:
    assert proof((PY, "from a import x\n\n\nx()\n", "from b import x\n\n\nx()\n")) is None


@pytest.mark.parametrize(("head", "kind"), [("", "only_comments"), ("#!/usr/bin/env python\n", None)])
def test_a_new_mode_is_nothing_to_a_file_that_is_imported_and_something_to_a_program(
    head: str, kind: str | None
) -> None:
    after = BODY.replace("    z =", "    # why\n    z =")
    assert proof((PY, f"{head}{BODY}", f"{head}{after}"), new_mode="100755") == kind


def test_a_renamed_file_with_the_same_content() -> None:
    assert proof(("engine/new.py", BODY, BODY), status="R", old_path=PY) == "only_moved"


def test_files_of_several_kinds_count_as_the_widest() -> None:
    comment = (CU, "int a; // x\n", "int a; // y\n")
    assert proof(comment, (PY, *CASES["hints"][1:3])) == "only_types"
    assert proof(comment, (PY, "a = 1\n", "a = 2\n")) is None


def test_tests_beside_the_code_do_not_count_and_tests_alone_prove_nothing() -> None:
    test = ("tests/test_a.py", "a = 1\n", "a = 2\n")
    assert proof((PY, *CASES["a comment"][1:3]), test) == "only_comments"
    assert proof(test) is None


def test_without_contents_nothing_is_proved() -> None:
    text = patch("a = 1\n", "a = 1  # x\n")
    change = FileChange(PY, "M", added=1, deleted=1, old_blob="1", new_blob="2", patch=text)
    assert safe_kind([ReadFile(change, "code", tuple(hunks(text)))]) is None


BITS = ["def f():", "    return 1", "\n", "# c", "//", "/*", "*/", '"', "'", '"""', "x = 1", "#define A", 'R"(', "\\"]


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from([PY, CU]),
    st.lists(st.sampled_from(BITS) | st.text(max_size=4)),
    st.lists(st.sampled_from(BITS) | st.text(max_size=4)),
)
def test_never_raises(path: str, first: list[str], second: list[str]) -> None:
    before, after = "".join(first), "".join(second)
    assert proof((path, before, after)) == proof((path, after, before))

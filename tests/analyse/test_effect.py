"""Statements that a change alters in what users run; all that does nothing is taken out first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.judge.effect import alters, switches_on
from read.made import change_of, patch_of
from timing import cpu


def does(path: str, before: str, after: str) -> bool:
    return alters(change_of({path: patch_of(before, after)}))


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("engine/a.py", "    # old\n", "    # new\n"),
        ("engine/a.py", "    a = 1  # old\n", "    a = 1  # new\n"),
        ("engine/a.py", 'def f():\n    """Old."""\n', 'def f():\n    """New."""\n'),
        (
            "engine/a.py",
            'def f():\n    """Text\n    old\n    """\n    x()\n',
            'def f():\n    """Text\n    new\n    """\n    x()\n',
        ),
        ("src/a.rs", "/// let x = old();\n", "/// let x = new();\n"),
        ("src/a.rs", "//! old\n", "//! new\n"),
        ("pkg/a.go", "// Run does a.\n", "// Run does b.\n"),
        ("src/A.java", "/**\n * Old {@code x}.\n */\n", "/**\n * New {@code y}.\n */\n"),
        ("csrc/a.cu", "/* old */\n", "/* new */\n"),
    ],
)
def test_comments_and_docstrings_do_nothing(path: str, before: str, after: str) -> None:
    assert not does(path, before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("engine/a.py", '    logger.info("old")\n', '    logger.warning("new %s", x)\n'),
        (
            "engine/a.py",
            '    logger.info(\n        "old",\n        a,\n    )\n',
            '    logger.info(\n        "new",\n    )\n',
        ),
        ("src/a.rs", '    info!("old");\n', '    info!("new");\n'),
        ("pkg/a.go", '\tklog.Infof("old")\n', '\tklog.Infof("new")\n'),
    ],
)
def test_what_is_only_logged_does_nothing(path: str, before: str, after: str) -> None:
    assert not does(path, before, after)


@pytest.mark.parametrize(
    ("before", "after", "alters_it"),
    [
        ('    assert ready(x), "Cannot be so."\n', '    assert ready(x), "Isn\'t so: use y."\n', False),
        (
            '    assert not Kind(\n        x\n    ).is_y(), "No y."\n',
            '    assert not Kind(\n        x\n    ).is_y(), "Not y."\n',
            False,
        ),
        ('    raise ValueError("Cannot be so.")\n', '    raise ValueError("Use y.")\n', False),
        ('    assert x in ("a", "b")\n', '    assert x in ("a", "c")\n', True),
        ('    assert x == "a", "No."\n', '    assert x == "b", "No."\n', True),
        ('    raise ValueError("No.")\n', '    raise TypeError("No.")\n', True),
    ],
)
def test_words_of_a_refusal_do_nothing_and_its_condition_does(before: str, after: str, alters_it: bool) -> None:
    assert does("engine/a.py", f"    # why\n{before}", f"    # why else\n{after}") is alters_it


LOOP = "for x in rows:\n    if x:\n        y = f(x)\n    else:\n        y = x\n{}out.append(y)\nreturn out\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LOOP.format("    "), LOOP.format("        ")),
        (LOOP.format("        "), LOOP.format("    ")),
        (LOOP.format("    "), LOOP.format("")),
        ("        y = f(x)\n    out.append(y)\nreturn out\n", "        y = f(x)\n        out.append(y)\nreturn out\n"),
        ("if a:\n    e()\n    f(\n        b,\n    )\n", "if a:\n    e()\nf(\n    b,\n)\n"),
        ("for x in y:\n    f(x)\n    g(x)\nh()\n", "for x in y:\n    f(x)\nh()\ng(x)\n"),
    ],
)
def test_a_python_statement_in_another_block_is_another_statement(before: str, after: str) -> None:
    assert does("engine/a.py", before, after)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("engine/a.py", "if a:\n  f()\n  for x in y:\n    g(x)\n", "if a:\n    f()\n    for x in y:\n        g(x)\n"),
        ("engine/a.py", "f(\n    a,\n    b,\n)\n", "f(\n        a,\n        b,\n)\n"),
        ("engine/a.py", "    a,\n    b,\n)\ng()\n", "        a,\n        b,\n)\ng()\n"),
        ("engine/a.py", "a = b + \\\n    c\n", "a = b + \\\n        c\n"),
        ("engine/a.py", "if a:\n    f()\n    # why\n", "if a:\n    f()\n# why\n"),
        ("src/a.rs", "if a {\n  f();\n  g();\n}\n", "if a {\n  f();\n    g();\n}\n"),
    ],
)
def test_white_space_that_moves_no_statement_into_another_block_does_nothing(
    path: str, before: str, after: str
) -> None:
    assert not does(path, before, after)


def test_another_line_break_does_nothing() -> None:
    assert not does("engine/a.py", "    f(a, b)\n", "    f(\n        a, b\n    )\n")


def test_what_is_written_down_of_a_return_does_nothing() -> None:
    assert not does("engine/a.py", "def run(a: int):\n    go(a)\n", "def run(a: int) -> list[Row] | None:\n    go(a)\n")
    assert does("engine/a.py", "def run(a: int):\n    go(a)\n", "def run(a: int, b: int) -> None:\n    go(a)\n")


def test_a_renaming_that_goes_through_does_nothing() -> None:
    before, after = (
        "def verifiy(x):\n    y = x\n    return verifiy(y)\n",
        "def verify(x):\n    y = x\n    return verify(y)\n",
    )
    assert not does("engine/a.py", before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("    a = 1\n", "    a = 2\n"),
        ("    a = True\n", "    a = False\n"),
        ("    return f(x)\n", "    return g(x)\n"),
        ('    d["old"] = 1\n', '    d["new"] = 1\n'),
        ("    old = f()\n    return old\n", "    new = f()\n    return old\n"),
        ("    if a:\n", "    if not a:\n"),
        ("    if is_old:\n        x()\n", "    if is_new:\n        x()\n"),
        ("    x()\n    y()\n", "    y()\n    x()\n"),
        ("    x = a()\n    y = b()\n    return y\n", "    x = a()\n    x = b()\n    return y\n"),
        ("    part.weight._loader = f()\n", "    part.weight.loader = f()\n"),
        ("", "    x()\n"),
        ('    x = """old\n    """\n', '    x = """new\n    """\n'),
    ],
)
def test_another_statement_does_something(before: str, after: str) -> None:
    assert does("engine/a.py", before, after)


MOVED = """@@ -10,7 +10,7 @@ def run(self):
     for one in self.rows:
-        self.count(one)
         if one.done:
{}
+        self.count(one)
     self.end()
"""


@pytest.mark.parametrize(
    ("between", "alters_it"),
    [("             continue", True), ("             return one", True), ("             one.close()", False)],
)
def test_a_statement_that_moves_behind_one_that_leaves_does_something(between: str, alters_it: bool) -> None:
    assert alters(change_of({"engine/a.py": MOVED.format(between)})) is alters_it


@pytest.mark.parametrize(
    ("moved", "passed", "alters_it"),
    [
        ("    top[r] = most", "    most = 0.0 if most == LOW else most", True),
        ("    most = self.top", "    self.top = most_of(rows)", True),
        ("    total = sum_of(rows)", "    for total in rows:", True),
        ("    top[r] = most", "    least = 0.0", False),
        ("    self.top = most", "    self.bottom = least", False),
    ],
)
def test_a_statement_that_moves_past_one_that_it_depends_on_does_something(
    moved: str, passed: str, alters_it: bool
) -> None:
    for first, last in ("-+", "+-"):
        patch = f"@@ -2,3 +2,3 @@ def f(self, r):\n     begin()\n{first}{moved}\n {passed}\n{last}{moved}\n"
        assert alters(change_of({"engine/a.py": patch})) is alters_it


@pytest.mark.parametrize(
    ("later", "alters_it"), [("class Top:", True), ("class Other:", False)], ids=["same class", "another"]
)
def test_a_statement_that_moves_past_what_is_not_shown_may_do_something(later: str, alters_it: bool) -> None:
    patch = f"""@@ -10,2 +10,3 @@ class Top:
     most = most_of(rows)
+    top[r] = most
     begin(rows)
@@ -30,3 +31,2 @@ {later}
     scale(rows)
-    top[r] = most
     finish(rows)
"""
    assert alters(change_of({"engine/a.py": patch})) is alters_it


def test_a_function_that_moves_behind_another_one_does_nothing() -> None:
    whole = """@@ -1,6 +1,6 @@
-def first():
-    return 1
 def second():
     return 2
+def first():
+    return 1
 """
    assert not alters(change_of({"engine/a.py": whole}))


def test_other_words_of_an_error_do_nothing() -> None:
    for head in ("    raise ValueError(\n", "    assert x, (\n"):
        before, after = (f'{head}        f"x is {said}: {{x}}"\n    )\n' for said in ("small", "large"))
        assert not does("engine/a.py", before, after)


def test_another_error_and_a_new_one_do_something() -> None:
    said = '        "x is small"\n    )\n'
    assert does("engine/a.py", f"    raise ValueError(\n{said}", f"    raise TypeError(\n{said}")
    assert does("engine/a.py", "    y()\n", f"    raise ValueError(\n{said}    y()\n")
    assert does("engine/a.py", '    x = f(\n        "a b"\n    )\n', '    x = f(\n        "c d"\n    )\n')


@pytest.mark.parametrize("path", ["tests/test_a.py", "samples/a.py", ".devcontainer/a.py", "docs/a.py", "ci/a.py"])
def test_files_that_nobody_is_given_do_nothing(path: str) -> None:
    assert not does(path, "    a = 1\n", "    a = 2\n")


def test_what_was_not_seen_may_do_something() -> None:
    assert alters(change_of({"engine/a.py": ""}))
    assert alters(change_of({"docs/a.md": "@@ -1 +1 @@\n-a\n+b"}, files_total=2000))


@given(st.text(max_size=400), st.text(max_size=400))
def test_hostile_patches_never_raise(before: str, after: str) -> None:
    does("engine/a.py", before, after)
    does("engine/a.cu", before, after)


def test_time_grows_with_the_names_that_are_changed_and_no_faster() -> None:
    def cost(count: int) -> float:
        before, after = ("".join(f"{letter}{n} = {n}\n" for n in range(count)) for letter in "ab")
        change = change_of({"engine/a.py": patch_of(before, after)})
        return cpu(lambda: alters(change))

    cost(50)
    small, large = cost(300), cost(3_000)
    assert large < 30 * max(small, 0.002)


@pytest.mark.parametrize(
    ("was", "now", "on"),
    [
        ("a()\n", "a()\nif envs.ENGINE_DUMP.get():\n    dump_stacks()\n", True),
        ("a()\n", "dump = envs.ENGINE_DUMP.get()\nwrite(dump)\na()\n", True),
        ("dump_stacks()\n", "if envs.ENGINE_DUMP.get():\n    dump_stacks()\n", False),
        ("a()\n", "if not envs.ENGINE_DUMP.get():\n    return\na()\n", False),
    ],
)
def test_a_new_setting_that_is_on_is_a_default_unless_it_only_switches_off_what_stood_there(
    was: str, now: str, on: bool
) -> None:
    change = change_of({"engine/run.py": patch_of(was, now)}, subject="Dump stacks (#1)")
    found = Finding("1/1", "env_added", "engine/envs.py", 1, "ENGINE_DUMP", after="ENGINE_DUMP", default="True")
    assert switches_on(change, found) == on
    assert not switches_on(change, replace(found, default="False"))

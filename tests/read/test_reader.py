"""The reader as a whole: never raises, quotes verbatim, says the same twice, stays fast."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.core.model.findings import Reading
from daybreak.findings import reading
from daybreak.findings.reading import MAX_LINES
from daybreak.judge.rules import statements
from read.made import change_of, patch_of, read_one
from timing import beside

PATHS = [
    "a/server_args.py",
    "envs.py",
    "include/a.h",
    "csrc/b.cu",
    "requirements.txt",
    "Dockerfile",
    "x/\x00\u202e.py",
    "",
]
BITS = ["def f(", ")", "class A:", "add_argument(", '"--x"', "choices=[", "]", "EnvBool(", "os.getenv('A_BC'", "#", "\n", "'", '"""',
        "    x: int = 3", 'ops.def("', "GIT_TAG ", "torch==", "=", ",", "\\", "{", "@deprecated("]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(PATHS), st.lists(st.sampled_from(BITS) | st.text(max_size=8), max_size=40), st.data())
def test_never_raises(path: str, bits: list[str], data: st.DataObject) -> None:
    text = "".join(bits)
    lines = [data.draw(st.sampled_from("+- ")) + line for line in text.split("\n")]
    patch = "\n".join([f"@@ -1,{len(lines)} +1,{len(lines)} @@", *lines])
    reading = read_one(change_of({path: patch}))
    assert reading == read_one(change_of({path: patch}))
    for hunk in reading.hunks:
        assert hunk.text in patch


@settings(max_examples=50, deadline=None)
@given(st.text())
def test_a_patch_that_is_no_patch(text: str) -> None:
    read_one(change_of({"server_args.py": text}))


@given(st.lists(st.sampled_from(BITS) | st.text(max_size=8), max_size=30))
def test_a_file_that_only_moved_its_lines_about_itself_gives_nothing(bits: list[str]) -> None:
    body = ["".join(bits).replace("\n", " ")]
    patch = "\n".join(["@@ -1,1 +1,1 @@", *(" " + x for x in body)])
    assert read_one(change_of({"a/server_args.py": patch})).findings == ()


def test_hostile_sizes_are_linear() -> None:
    for text in (
        "(" * 300_000,
        '"' * 300_000,
        "def f(" + "a=1," * 80_000,
        "x" * 900_000,
        "--a" * 200_000,
        " " * 500_000,
    ):
        started = time.process_time()
        read_one(change_of({"a/server_args.py": patch_of(text[::-1], text), "include/a.h": patch_of("", text)}))
        assert time.process_time() - started < beside(2)


def test_the_hunk_with_the_finding_is_shown() -> None:
    noise = patch_of("x = 1\n" * 3, "x = 2\n" * 9)
    telling = patch_of('    p.add_argument("--kv", default=1)\n', '    p.add_argument("--kv", default=2)\n')
    reading = read_one(change_of({"a/core.py": noise, "a/server_args.py": telling, "tests/test_a.py": noise}))
    assert [(h.path, h.text) for h in reading.hunks] == [("a/server_args.py", telling)]


def test_a_long_hunk_is_its_first_lines() -> None:
    patch = patch_of("", "".join(f"x{n} = 1\n" for n in range(100)))
    (hunk,) = read_one(change_of({"a/core.py": patch})).hunks
    assert patch.startswith(hunk.text + "\n")
    assert len(hunk.text.split("\n")) == MAX_LINES + 1


def test_docs_are_shown_only_when_there_is_nothing_else() -> None:
    reading = read_one(change_of({"docs/a.md": patch_of("a\n", "b\n"), "a/core.py": patch_of("a\n", "b\n")}))
    assert [h.path for h in reading.hunks] == ["a/core.py"]


def test_what_is_beyond_a_limit_is_counted_and_told() -> None:
    many = "".join(f'    p.add_argument("--option-{n}")\n' for n in range(80))
    huge = "".join(f"x{n} = {n}\n" for n in range(5000))
    change = change_of({"engine/server_args.py": patch_of("", many), "engine/data.py": patch_of("", huge)})
    reading = read_one(change)
    assert (len(reading.findings), reading.omitted, reading.partly) == (60, 20, 1)
    for level in ("high", "low"):
        told = [s.text["en"] for s in statements(change, reading, level)]
        assert "Too many findings: not all are listed." in told
        assert "1 file changed too much to look at whole; only the first hunks were analysed." in told


def test_a_file_that_a_reader_fails_on_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_file: object, _whole: object) -> list[object]:
        raise ValueError

    monkeypatch.setattr("daybreak.findings.reading.readers", lambda _path: (fails,))
    assert read_one(change_of({"a.py": patch_of("x\n", "y\n")})).unparsed == ("a.py",)


def test_a_fault_of_python_itself_costs_one_more_reading_and_not_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    change = change_of({"engine/core.py": patch_of("a = 1\n", "a = 2\n")})
    faults = [SystemError("AST constructor recursion depth mismatch")]

    def read(*_: Any) -> Reading:
        if faults:
            raise faults.pop()
        return Reading(change.sha)

    monkeypatch.setattr(reading, "read_change", read)
    nothing: Any = None
    again = reading._guarded_change(change, (), nothing, nothing, nothing, nothing, {}, frozenset())
    assert again == Reading(change.sha)

"""Python files that are strange, broken, deep or long: read as far as they go, and never for long."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.core.projects import Unreadable
from daybreak.upgrade.downstream.python import uses
from daybreak.upgrade.downstream.readers import lines_of
from uses.python_reading import WANTED, told


def test_a_file_that_does_not_parse_gives_what_single_lines_show_and_says_so() -> None:
    source = "from vllm import LLM, X as Y\ndef (\nos.environ['VLLM_A']\ncmd = 'vllm serve m --dtype half'\n"
    reading = uses("app.py", source, WANTED)
    assert [told(next(reading)) for _ in range(4)] == [
        "1 import vllm.LLM",
        "1 import vllm.X",
        "3 env VLLM_A",
        "4 cli_flag --dtype =half @vllm serve",
    ]
    with pytest.raises(Unreadable, match="not readable by this Python"):
        next(reading)


def test_a_byte_order_mark_and_strange_line_ends_are_no_trouble() -> None:
    got = list(uses("app.py", "\ufeffimport vllm\r\n\x0cx = '\u2028'\rvllm.f()\n", WANTED))
    assert [told(use) for use in got] == ["1 import vllm", "3 call vllm.f() 0"]


@pytest.mark.parametrize(
    "source",
    [
        "import vllm\nx = " + "+".join(["vllm.a"] * 900),
        "import vllm\nif a: vllm.b\n" + "elif a: vllm.b\n" * 900,
    ],
    ids=["a long sum", "a long chain of elif"],
)
def test_long_expressions_are_read(source: str) -> None:
    assert {use.name for use in uses("app.py", source, WANTED)} == {"vllm", "vllm.a", "vllm.b"} & {
        "vllm",
        "vllm.a" if "vllm.a" in source else "vllm.b",
    }


def test_what_is_nested_too_deeply_is_named() -> None:
    source = "import vllm\nvllm.f()\nx = " + "f(" * 90 + ")" * 90 + "\ny = a" + ".b()" * 900
    with pytest.raises(Unreadable, match=r"nested|not readable by this Python"):
        list(uses("app.py", source, WANTED))


def test_calls_inside_calls_take_linear_time() -> None:
    source = "import vllm\nx = " + "getattr(" * 40 + "vllm" + ", 'a')" * 40
    names = [use.name for use in uses("app.py", source, WANTED)]
    assert len(names) < 100


PIECES = st.sampled_from(
    [
        "import vllm", "from vllm import *", "from vllm.a import B as C", "class D(C):", "    def f(self, *a, **k):",
        "        self.x = C(); super().f(**k)", "try:", "except ImportError:", "    pass", "if hasattr(vllm, 'x'):",
        "x = {**x, 'VLLM_A': 1}", "cmd = ['vllm', *cmd, '--a']", "cmd += ['--b', f'{x}']", "x: 'C' = vllm.y",
        "requests.post(f'{url}/x', json=x)", "lambda vllm=C: vllm.z", "[C for C in vllm.q if C]", "del vllm.z",
        "torch.ops._C.f.default()", "vllm.z = 0xffff", "match x:", "    case C(a=1): vllm", "'''vllm", "\x0c", "\r",
        "setattr(C, 'z', 1)", "@C.reg('n')", "global x", "getattr(C, x)", "print('vllm serve --x')", "'vllm:a_b'",
        "cmd.append('--z')", "os.environ['VLLM_B'] = x", "x.update(x)", "cast(C, x).y", "async with C() as x: await x.y",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES | st.text(max_size=20), max_size=14).map("\n".join))
def test_any_text_gives_uses_whose_lines_exist_or_says_why_not(text: str) -> None:
    lines = lines_of(text)
    with suppress(Unreadable):
        for use in uses("app.py", text, WANTED):
            assert 1 <= use.line <= len(lines)
            assert use.text == lines[use.line - 1].strip()[:200]
            assert use.name

"""Command line options: what holds for any text, backwards as well, and in time that grows with it."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages import options
from read.offers import facts_of, mirrored, plainly
from read.test_options import ARGS, flag
from timing import beside

names = st.sampled_from(["max-seqs", "max-seqs-total", "tp", "port", "log", "a-b"])
defs = st.builds(
    lambda name, default, kind: flag(name, f"type={kind}, default={default}"),
    names,
    st.integers(0, 3),
    st.sampled_from(["int", "str"]),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(defs, max_size=5, unique_by=lambda d: d.split('"')[1]),
    st.lists(defs, max_size=5, unique_by=lambda d: d.split('"')[1]),
)
def test_backwards_is_mirrored(old: list[str], new: list[str]) -> None:
    there = facts_of(options, {ARGS: ("".join(old), "".join(new))})
    back = facts_of(options, {ARGS: ("".join(new), "".join(old))})
    assert mirrored(there) == plainly(back)


BITS = ["p.add_argument(", '"--x"', "choices=[", "]", ")", "default=", "class ServerArgs:\n", "    x: A[int, ", "Arg(", "\n", "'", '"""', "#", ",",
        "X_CHOICES = [", "=", "Literal[", "click.option(", "typer.Option(", "1", "\\", "{", "f'--{x}'"]  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(BITS) | st.text(max_size=5), max_size=40))
def test_never_raises(bits: list[str]) -> None:
    text = "".join(bits)
    try:
        surface = options.surface(ARGS, text)
    except ValueError:
        return  # counted as a file that is not understood
    assert surface.of("option") == options.surface(ARGS, text).of("option")


@pytest.mark.parametrize(
    "text",
    [".add_argument(" * 60_000, 'p.add_argument("--a",\n' * 40_000, '"--a"' * 100_000, "X_CHOICES = [\n" * 40_000, '"""' * 200_000,
     "class AArgs:\n    x: A[" * 20_000, "parser" + "add_cli_args(" * 50_000, "parser" + "".join(f"\nX{n}.add_cli_args(p" for n in range(20_000)),
     "class G(A):\n    def __call__(self):\n" + "    ####\n" * 50_000 + "p.add_argument('--a', action=G)\n" * 5_000, "".join(f'p.add_argument("--a{n}", default=X{n}AA)\n' for n in range(15_000))],
)  # fmt: skip
def test_hostile_sizes_are_linear(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(ValueError):  # counted as a file that is not understood
        options.surface(ARGS, text)
    assert time.process_time() - started < beside(4)

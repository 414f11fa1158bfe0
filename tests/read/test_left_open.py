"""Defaults that are left open, and what the change itself makes of them."""

from __future__ import annotations

import pytest

from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.left_open import settled
from read.behaviour import file_of

ARGS = "python/engine/server_args.py"
OLD = "def choose(args):\n    backend = args.gemm_backend\n    run(backend)\n"
BY_CHIP = (
    '    if backend == "auto":\n        if is_new_chip():\n            backend = "cudnn"\n'
    '        else:\n            backend = "cutlass"\n'
)
FLAG = Fact("cli_default_changed", ARGS, 9, "--gemm", '"cutlass"', '"auto"')
FIELD = Fact("field_default_changed", ARGS, 2, "ServerArgs.gemm_backend", '"cutlass"', '"auto"')


def after(branch: str, *facts: Fact) -> list[str | None]:
    """The new defaults, where the branch stands in the function that reads the setting."""
    new = OLD.replace("    run", f"{branch}    run")
    file = file_of("python/engine/layers/choose.py", OLD, new)
    whole = Whole([file], True, sources={OLD: OLD, new: new})
    return [fact.after for fact in settled(facts or (FIELD,), whole)]


@pytest.mark.parametrize(
    ("what", "branch", "expected"),
    [
        ("a branch for each", BY_CHIP, ['"cudnn" if is_new_chip() else "cutlass"']),
        ("one value for all", '    if backend == "auto":\n        backend = "cudnn"\n', ['"cudnn"']),
        ("what it was before", '    if backend == "auto":\n        backend = "cutlass"\n', []),
        ("another setting", BY_CHIP.replace("backend", "other"), ['"auto"']),
        ("a value that is computed", '    if backend == "auto":\n        backend = find()\n', ['"auto"']),
        ("a branch without another", BY_CHIP.partition("        else")[0], ['"auto"']),
        ("another value is asked for", BY_CHIP.replace('"auto"', '"fast"'), ['"auto"']),
    ],
)
def test_a_default_that_is_left_open_is_what_the_change_makes_of_it(
    what: str, branch: str, expected: list[str | None]
) -> None:
    assert after(branch) == expected, what


def test_the_option_of_a_field_comes_to_the_same_under_its_own_name() -> None:
    assert after(BY_CHIP, FIELD, FLAG) == ['"cudnn" if is_new_chip() else "cutlass"'] * 2
    other = Fact("cli_default_changed", "engine/cli.py", 9, "--gemm", '"cutlass"', '"auto"')
    assert after(BY_CHIP, FIELD, other)[1] == '"auto"'


UNSET = "def settle(args):\n    if args.width {0}:\n        args.width = {1}\n    if args.depth {0}:\n        args.depth = args.chips\n    run(args)\n"


@pytest.mark.parametrize(
    ("what", "width", "expected"),
    [
        ("what nobody set comes to what it came to", "1", []),
        ("it comes to another value", "2", [("--width", "1", "2")]),
        ("it is worked out from now on", "args.chips - 1", [("--width", "-1", "None")]),
    ],
)
def test_another_mark_for_a_setting_that_nobody_set_is_no_other_default(
    what: str, width: str, expected: list[tuple[str, str, str]]
) -> None:
    old, new = UNSET.format("== -1", "1"), UNSET.format("is None", width)
    whole = Whole([file_of("python/engine/settle.py", old, new)], True, sources={old: old, new: new})
    facts = [Fact("cli_default_changed", ARGS, n, name, "-1", "None") for n, name in enumerate(("--width", "--depth"))]
    assert [(one.symbol, one.before, one.after) for one in settled(facts, whole)] == expected, what


FORCED = (
    "def settle(self):\n    if self.scheduler.is_async and not self.parallel.no_nccl:\n"
    "        log()\n        self.parallel.no_nccl = True\n    run(self)\n"
)
LEFT = (
    "def settle(self):\n    if self.parallel.no_nccl is None:\n        if self.scheduler.is_async:\n"
    "            self.parallel.no_nccl = True\n        else:\n            self.parallel.no_nccl = False\n    run(self)\n"
)


@pytest.mark.parametrize(
    ("what", "old", "new", "expected"),
    [
        ("the same under the same condition", FORCED, LEFT, ("field_heeded", "self.scheduler.is_async", None)),
        (
            "under another condition",
            FORCED.replace("is_async", "is_late"),
            LEFT,
            (
                "field_default_changed",
                "True if self.scheduler.is_late else False",
                "True if self.scheduler.is_async else False",
            ),
        ),
        (
            "nothing overrode it",
            FORCED.replace("        self.parallel.no_nccl = True\n", ""),
            LEFT,
            ("field_default_changed", "False", "True if self.scheduler.is_async else False"),
        ),
    ],
)
def test_a_default_that_a_condition_overrode_is_told_by_what_it_came_to(
    what: str, old: str, new: str, expected: tuple[str, str, str | None]
) -> None:
    fact = Fact("field_default_changed", "engine/parallel.py", 3, "ParallelConfig.no_nccl", "False", "None")
    whole = Whole([file_of("engine/config.py", old, new)], True, sources={old: old, new: new})
    assert [(one.kind, one.before, one.after) for one in settled([fact], whole)] == [expected], what


def test_a_parameter_that_comes_to_a_constant_of_the_same_value_is_no_other_default() -> None:
    old = "def build(chunk=256):\n    run(chunk)\n"
    resolved = "def size_of(chunk, given):\n    if chunk is None:\n        chunk = given.pop('size', None)\n    if chunk is None:\n        chunk = MOST\n    return chunk\n"
    facts = [Fact("parameter_default_changed", ARGS, 1, "Config.__init__(chunk)", "256", "None")]
    for value, told in (("256", []), ("128", ["128"])):
        new = f"MOST = {value}\n\n\n{resolved}\n\ndef build(chunk=None):\n    run(size_of(chunk, {{}}))\n"
        whole = Whole([file_of(ARGS, old, new)], True, sources={old: old, new: new})
        assert [fact.after for fact in settled(facts, whole)] == told

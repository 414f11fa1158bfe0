"""Values of a setting are told by the flag that gives it, where a parser of the tree declares one."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.findings import read
from daybreak.findings.reader import USUAL
from read.test_wide import findings

CONFIG = "acme/config/parallel.py"
TEXT = 'Backend = Literal[{}]\n\n\n@dataclass\nclass ParallelConfig:\n    comm_backend: Backend = "plain"\n    size: int = 1\n'
BEFORE, AFTER = TEXT.format('"plain", "mori"'), TEXT.format('"plain", "mori_fast"')


@pytest.mark.parametrize(
    ("why", "parser", "told"),
    [
        ("a parser declares it", "group.add_argument('--comm-backend', **known['comm_backend'])\n", ("cli_choices_changed", "--comm-backend")),
        ("no parser does", "group.add_argument('--size')\n", ("literal_narrowed", "ParallelConfig.comm_backend")),
        ("a comment speaks of it", "# see '--comm-backend'\n", ("literal_narrowed", "ParallelConfig.comm_backend")),
    ],
)  # fmt: skip
def test_a_value_is_told_by_the_flag_that_gives_it(
    tmp_path: Path, why: str, parser: str, told: tuple[str, str]
) -> None:
    tree = {CONFIG: BEFORE, "acme/__init__.py": "", "acme/config/__init__.py": "", "acme/args.py": parser}
    (found,) = findings(tmp_path, tree, {CONFIG: AFTER}, USUAL)
    assert (found.kind, found.symbol) == told, why
    assert found.breaking
    assert (found.before or "").strip("[]") == '"plain", "mori"'


def test_a_value_that_a_field_and_its_flag_list_in_one_file_is_told_once(tmp_path: Path) -> None:
    both = (
        'from typing import Literal\n\n\nclass ServerArgs:\n    comm_backend: Literal[{0}] = "plain"\n\n'
        "    def add(parser):\n        parser.add_argument('--comm-backend', choices=[{0}])\n"
    )
    path, tree = "acme/server_args.py", {"acme/__init__.py": ""}
    before, after = both.format('"plain", "mori"'), both.format('"plain", "mori", "fast"')
    found = findings(tmp_path, {**tree, path: before}, {path: after}, USUAL)
    assert [(f.kind, f.symbol, f.line) for f in found] == [("cli_choices_changed", "--comm-backend", 5)]


def test_two_settings_that_take_each_other_s_value_are_both_told() -> None:
    body = "from dataclasses import dataclass\n\n\n@dataclass\nclass EngineConfig:\n    fast: bool = {}\n    safe: bool = {}\n"
    found = read({CONFIG: body.format(False, True)}, {CONFIG: body.format(True, False)})
    assert {f.symbol for f in found} == {"EngineConfig.fast", "EngineConfig.safe"}


def test_a_default_that_stands_at_a_field_which_a_flag_of_another_name_fills_is_told_by_the_flag() -> None:
    text = (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass ServerArgs:\n    gemm_runner_backend: str = {0}\n\n"
        "    def add(parser):\n        parser.add_argument('--gemm-backend', default={0}, dest='gemm_runner_backend')\n"
    )
    path = "acme/server_args.py"
    found = read({path: text.format('"auto"')}, {path: text.format('"fast"')})
    assert [f.symbol for f in found] == ["--gemm-backend"]

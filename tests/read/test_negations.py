"""`--no-x` is gone only where no declaration of `--x` makes it, and an option is told by its own state."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.findings.reader import USUAL
from read.test_wide import findings

ARGS = "acme/args.py"
OWN = (
    "parser.add_argument('--size', default=1)\n"
    "parser.add_argument('--no-reuse', action='store_false', dest='reuse', default=True)\n"
)
HELPER = (
    "import argparse\n\n\ndef add_switch(parser, *, name, default):\n"
    "    parser.add_argument(name, default=default, action=argparse.BooleanOptionalAction)\n"
)
PLAIN_HELPER = "def add_switch(parser, *, name, default):\n    parser.add_argument(name, default=default)\n"
DIRECT = "parser.add_argument('--reuse', action=argparse.BooleanOptionalAction, default=True)\n"
BY_HELPER = "add_switch(parser, name='--reuse', default=True)\n"


def gone(folder: Path, after: dict[str, str | None]) -> set[str]:
    found = findings(folder, {ARGS: OWN, "acme/__init__.py": "", "acme/cli.py": ""}, after, USUAL)
    return {f.symbol for f in found if f.kind == "cli_flag_removed"}


@pytest.mark.parametrize(
    ("why", "after"),
    [
        ("argparse makes it", {ARGS: f"parser.add_argument('--size', default=1)\n{DIRECT}"}),
        ("another file declares it", {ARGS: "parser.add_argument('--size', default=1)\n", "acme/cli.py": DIRECT}),
        (
            "a helper declares it",
            {ARGS: f"parser.add_argument('--size', default=1)\n{BY_HELPER}", "acme/tools.py": HELPER},
        ),
        (
            "click takes both",
            {ARGS: "parser.add_argument('--size', default=1)\n", "acme/cli.py": "@click.option('--reuse/--no-reuse')\ndef run(reuse): ...\n"},
        ),
    ],
)  # fmt: skip
def test_a_negation_that_a_declaration_makes_is_not_gone(
    tmp_path: Path, why: str, after: dict[str, str | None]
) -> None:
    assert gone(tmp_path, after) == set(), why


@pytest.mark.parametrize(
    ("why", "after"),
    [
        ("nothing declares it", {ARGS: "parser.add_argument('--size', default=1)\n"}),
        (
            "the flag has no negation",
            {ARGS: "parser.add_argument('--size', default=1)\nparser.add_argument('--reuse', type=int)\n"},
        ),
        (
            "the helper makes none",
            {ARGS: f"parser.add_argument('--size', default=1)\n{BY_HELPER}", "acme/tools.py": PLAIN_HELPER},
        ),
    ],
)
def test_a_negation_that_no_declaration_makes_is_gone(tmp_path: Path, why: str, after: dict[str, str | None]) -> None:
    assert gone(tmp_path, after) == {"--no-reuse"}, why


@pytest.mark.parametrize(
    ("declared", "state"),
    [
        ("action='store_false', dest='reuse', default=True", "False"),
        ("action='store_false', dest='reuse'", "False"),
        ("action='store_true'", "False"),
        ("action='store_true', default=True", "True"),
        ("action=argparse.BooleanOptionalAction, default=True", "True"),
        ("action=argparse.BooleanOptionalAction, default=False", "False"),
    ],
)
def test_an_option_that_came_is_told_by_its_own_state(tmp_path: Path, declared: str, state: str) -> None:
    before, after = ("parser.add_argument('--size', default=1)\n", f"parser.add_argument('--no-store', {declared})\n")
    found = findings(tmp_path, {ARGS: before}, {ARGS: before + after}, USUAL)
    assert [(f.symbol, f.default) for f in found if f.kind == "cli_flag_added"] == [("--no-store", state)]


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [("store_false", "False", "True"), ("store_true", "True", "False")],
)
def test_another_default_is_told_as_the_option_has_it(tmp_path: Path, action: str, before: str, after: str) -> None:
    line = "parser.add_argument('--no-store', action='{}', dest='store', default={})\n"
    found = findings(tmp_path, {ARGS: line.format(action, True)}, {ARGS: line.format(action, False)}, USUAL)
    assert [(f.before, f.after) for f in found if f.kind == "cli_default_changed"] == [(before, after)]

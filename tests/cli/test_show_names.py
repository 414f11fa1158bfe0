"""What is a name to `daybreak show`: which findings are about it, which lines declare it, what follows it."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.upgrade.name_history import carries, concerns, declares, in_order, others, takes_away

ARGS, ENVS, BASE = "engine/server_args.py", "engine/envs.py", "engine/base.py"


def finding(kind: str, symbol: str, before: str | None = None, after: str | None = None) -> Finding:
    return Finding("0/0", kind, "a.py", 1, symbol, before, after)


@pytest.mark.parametrize(
    ("one", "name", "about"),
    [
        (finding("cli_flag_added", "--size"), "--size", True),
        (finding("cli_flag_added", "--size-limit"), "--size", False),
        (finding("cli_flag_added", "--max-size"), "size", False),
        (finding("function_removed", "Box.open"), "open", True),
        (finding("function_removed", "Box.open"), "Box.open", True),
        (finding("function_removed", "Box.open"), "Box.opener", False),
        (finding("function_removed", "run", "def run(size)"), "size", False),
        (finding("parameter_added", "run(size)"), "run", True),
        (finding("parameter_added", "run(size)"), "run(size)", True),
        (finding("env_renamed", "A_B", "A_B", "A_C"), "A_C", True),
        (finding("env_added", "A_BC"), "A_B", False),
    ],
)
def test_which_findings_are_about_a_name(one: Finding, name: str, about: bool) -> None:
    assert concerns(one, name) is about


def test_a_rename_gives_the_other_name_and_a_move_none() -> None:
    assert others(finding("env_renamed", "A", "A", "B"), "A") == ["B"]
    assert others(finding("env_renamed", "A", "A", "B"), "B") == ["A"]
    assert others(finding("class_renamed", "A", "p.A", "q.B"), "A") == ["B"]
    assert others(finding("class_moved", "A", "p.A", "q.A"), "A") == []


@pytest.mark.parametrize(
    ("one", "name", "about"),
    [
        (finding("cli_flag_added", "--max-size"), "max_size", True),
        (finding("field_added", "Args.max_size"), "--max-size", True),
        (finding("field_added", "Args.max_size"), "max-size", True),
        (finding("parameter_added", "run(max_size)"), "--max-size", True),
        (finding("function_added", "max_size"), "--max-size", False),
        (finding("function_added", "max_size"), "max_size", True),
        (finding("cli_flag_added", "--max-size-limit"), "max_size", False),
    ],
)
def test_dashes_and_underscores_are_alike_for_settings(one: Finding, name: str, about: bool) -> None:
    assert concerns(one, name) is about


@pytest.mark.parametrize(
    ("text", "name", "family"),
    [
        ('        "--max-size",', "max_size", ("cli_flag", "--max-size")),
        ("class Box(Base):", "Box", ("class", "Box")),
        ("    async def take(self):", "Box.take", ("function", "take")),
        ("    max_size: int = 3", "--max-size", ("field", "max_size")),
        ("LIMIT = 3", "LIMIT", ("attribute", "LIMIT")),
        ("#define LIMIT 3", "LIMIT", ("cpp", "LIMIT")),
        ("limit==3", "limit", None),
        ("    limit = 3", "limit", None),
        ("class Boxes:", "Box", None),
        ("take(Box)", "Box", None),
    ],
)
def test_which_lines_declare_a_name(text: str, name: str, family: tuple[str, str] | None) -> None:
    assert declares(text, name) == family


def test_the_move_of_a_module_carries_the_files_in_it() -> None:
    one = finding("module_moved", "p.a (3 names)", "p.a", "p.b")
    assert carries(one, ["src/p/b.py"])
    assert carries(one, ["p/b/inner.py"])
    assert not carries(one, ["p/bb.py"])
    assert not carries(finding("class_moved", "A", "p.a", "p.b"), ["p/b.py"])


def test_names_are_told_in_the_order_of_their_renames() -> None:
    renames = [finding("cli_flag_renamed", "--a", "--a", "--b"), finding("cli_flag_renamed", "--b", "--b", "--c")]
    assert in_order(["b", "--a", "--c"], renames) == ("--a", "--b", "--c")
    assert in_order(["b"], []) == ("b",)


def test_what_takes_a_name_away_may_spell_it_otherwise() -> None:
    assert takes_away(finding("cli_flag_removed", "--max-size"), "max_size")
    assert takes_away(finding("field_removed", "Args.max_size"), "max-size")
    assert not takes_away(finding("parameter_removed", "run(max_size)"), "run")

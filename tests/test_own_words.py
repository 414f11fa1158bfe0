"""What the program itself says at the end of a range: errors of checks, values of types, names that a variable is set for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.findings.trees import Trees
from daybreak.upgrade.range.own_words import with_own_words

PATH = "engine/config.py"
CHECKS = """import os
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["fast", "slow"]


def check(count, tool, backend):
    if count > 0 and tool not in ("none", "auto"):
        raise ValueError(
            f"{backend.name} takes either constraints "
            "or tools, not both. Use one. A third sentence."
        )
    if "FAST" not in os.environ and any(a in ("NewModel", "OtherModel") for a in backend.models):
        os.environ["FAST"] = "1"
    if "SLOW" not in os.environ and backend.slow:
        os.environ["SLOW"] = "1"
"""


class Files:
    """Files of commits, as texts."""

    def __init__(self, **texts: str) -> None:
        self._texts = {f"{commit}:{PATH}": text for commit, text in texts.items()}

    def blobs_at(self, names: Iterable[str]) -> dict[str, str]:
        return {name: name for name in names if name in self._texts}

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
        return ((oid, self._texts[oid]) for oid in oids)


def told(kind: str, symbol: str, line: int, end: str = CHECKS, after: str | None = "x") -> Net:
    finding = Finding(f"a/{line}", kind, PATH, line, symbol, None, after, breaking=True)
    trees = cast("Trees", Files(then=CHECKS, end=end))
    return with_own_words(trees, "end", [Net(finding, ("then",))])[0]


def test_a_check_says_what_its_error_says_as_long_as_the_end_has_it() -> None:
    for line in (8, 9):
        said = told("guard_added", "check", line).says
        assert said == "<backend.name> takes either constraints or tools, not both. Use one."
    moved = f"# moved\n\n{CHECKS}".replace("Use one", "Drop one")
    assert told("guard_added", "check", 8, moved).says.endswith("Drop one."), "in the words of the end"
    assert told("guard_added", "check", 8, CHECKS.replace("count > 0", "count > 1")).says == "", "another check by now"
    assert told("guard_added", "check", 3).says == "", "no check stands there"
    assert told("guard_added", "check", 8, "def broken(:").says == ""


def test_a_type_names_its_values_and_a_variable_those_it_is_set_for() -> None:
    assert told("field_changed", "Config.mode", 1, after="Mode | None").only == ("fast", "slow", "None")
    assert told("field_changed", "Config.mode", 1, after="Mode").only == ("fast", "slow")
    for more in ("dict[str, Mode]", "list[Mode]", "Mode | int", "Mode | Other | None"):
        assert told("field_changed", "Config.mode", 1, after=more).only == (), more
    assert told("field_changed", "Config.mode", 1, after="Other").only == ()
    assert told("env_filled", "FAST", 14, after="1").only == ("NewModel", "OtherModel")
    assert told("env_filled", "SLOW", 16, after="1").only == (), "a condition that names nobody"


def test_values_that_are_not_all_told_are_none() -> None:
    many = ", ".join(f'"m{n:02}"' for n in range(14))
    for values in ('"fast", "x y"', '"fast", ""', '"fast", "a"', '"fast", 1', '"fast", None', many):
        end = CHECKS.replace('"fast", "slow"', values)
        assert told("field_changed", "Config.mode", 1, end, after="Mode").only == (), values
    elsewhere = CHECKS.replace("Mode: TypeAlias", "Other: TypeAlias")
    assert told("field_changed", "Config.mode", 1, elsewhere, after="Mode").only == (), "only the commit before has it"


def test_a_check_is_quoted_in_the_words_of_its_own_class() -> None:
    one = "class {0}:\n    def check(self):\n        if self.n < 0:\n            raise ValueError('{0} must not be negative.')\n"
    both = one.format("Depth") + one.format("Width")
    finding = Finding("a/7", "guard_added", PATH, 7, "Width", None, "x", breaking=True)
    trees = cast("Trees", Files(then=both, end=both))
    assert with_own_words(trees, "end", [Net(finding, ("then",))])[0].says == "Width must not be negative."
    twice = both.replace(
        "class Width:", "class Width:\n    def check(self):\n        if self.n < 0:\n            raise E('No.')\n"
    )
    trees = cast("Trees", Files(then=both, end=twice))
    assert with_own_words(trees, "end", [Net(finding, ("then",))])[0].says == "", "two that say other things"


def test_a_variable_that_is_set_for_others_too_names_nobody() -> None:
    for more in (
        'os.environ["FAST"] = "1"\n',
        'os.environ.setdefault("FAST", "1")\n',
        'def other(model):\n    if model == "Third":\n        os.environ["FAST"] = "1"\n',
    ):
        assert told("env_filled", "FAST", 14, CHECKS + more, after="1").only == (), more
    asked = "any(a in"
    for end in (
        CHECKS.replace(asked, "count and any(a in"),
        CHECKS.replace('"OtherModel")', "OTHER)"),
        CHECKS.replace("backend.models)", "backend.models if count)"),
        CHECKS.replace('    if "FAST"', '    if count:\n        return\n    if "FAST"'),
    ):
        assert end != CHECKS
        assert told("env_filled", "FAST", 14, end, after="1").only == (), end

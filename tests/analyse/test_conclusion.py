"""The conclusion names what the screen's entries name, in their order, and every repair that applies to a release."""

from __future__ import annotations

from msgspec.structs import replace

from analyse.test_day import ARGS, BREAKS, commit, day, report
from analyse.test_first_screen import finding
from daybreak.core.model.changes import Change, Exposure
from daybreak.core.model.findings import Alias, Finding
from read.made import patch_of

CORE = "engine/core.py"
SPEAKS = patch_of("    a = 1\n", "    # Pages that one rank merges are merged.\n    a = 2\n")
TURNED = commit("7", "Merge pages by default (#7)", {CORE: SPEAKS})


def settled(*changes: Change, extra: tuple[Finding, ...] = ()) -> str:
    told = [one.text["en"] for one in day(report(*changes, extra=extra)).conclusion]
    return next((text for text in told if text.startswith("Before upgrading")), "")


def gone(digit: str) -> tuple[Change, Finding]:
    """A model that goes."""
    name = f"Old{digit}ForCausalLM"
    change = commit(
        digit, f"Remove family {digit} (#{digit})", {"engine/models/registry.py": patch_of(f"x = {name}\n", "")}
    )
    found = finding(change, "model_removed", "engine/models/registry.py", name, number=9, before=name, breaking=True)
    return change, replace(found, alias=Alias("none"))


def test_what_to_deal_with_are_breaks_and_defaults_of_the_screen_each_by_its_name_or_else_by_its_title() -> None:
    found = day(report(BREAKS, TURNED))
    assert [action.tag for action in found.actions] == ["breaks", "default"]
    assert settled(BREAKS, TURNED).endswith("first `--kv` and “Merge pages by default”.")
    assert not any("measure before upgrading" in one.text["en"] for one in found.conclusion), "it is told once"


def test_a_check_that_came_is_named_by_the_title_of_its_change() -> None:
    change = commit("6", "Guard groups (#6)", {ARGS: patch_of("a()\n", "check()\n")})
    demand = finding(change, "demand_added", ARGS, "--groups", number=9, after="if not groups: raise", breaking=True)
    assert "“Guard groups”" in settled(change, extra=(demand,))


def test_models_that_go_are_one_of_what_is_to_be_dealt_with() -> None:
    (one, first), (two, second) = gone("8"), gone("9")
    told = settled(BREAKS, one, two, extra=(first, second))
    assert told.partition(", first ")[2].startswith("`--kv` and the models `Old")
    assert "`Old8ForCausalLM`" in told
    assert "`Old9ForCausalLM`" in told


def test_all_repairs_that_apply_to_a_release_are_named_the_grave_ones_first() -> None:
    lines = {CORE: patch_of("a()\n", "    # The last row was lost, and it crashed.\n    b()\n")}
    plain = {CORE: patch_of("a()\n", "    # The last page was skipped.\n    c()\n")}
    some = [commit("1", "Fix crash of a row (#1)", lines), commit("2", "Fix wrong logits of a row (#2)", lines)]
    made = report(*some, commit("3", "Fix the size of a page (#3)", plain))
    old = Exposure("v1.0", has=True, applies=True)
    found = day(replace(made, entries=tuple(replace(e, exposure=old) for e in made.entries)))
    (take,) = [one.text["en"] for one in found.conclusion if one.text["en"].startswith("Take the fixes")]
    assert take.index("“Fix wrong logits of a row”") < take.index("“Fix crash of a row”")
    assert take.endswith(", then “Fix the size of a page”. `v1.0` has these faults.")

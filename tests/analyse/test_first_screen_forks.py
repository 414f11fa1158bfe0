"""The first screen: what forks and plug-ins alone meet stands below what users do."""

from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding, graded, tags
from analyse.test_first_screen_order import VLLM, lines
from daybreak.core.model.findings import Alias
from read.made import patch_of


def test_a_name_that_only_forks_know_otherwise_now_does_not_stand_before_what_is_mended() -> None:
    path = "engine/moe/tiles.py"
    note = "    # The tiles take bfloat16 logits, otherwise the wrong experts would be chosen.\n"
    change = commit(
        "6", "[Bugfix] Disable tiles for float32 logits (#6)", {path: patch_of("    a()\n", f"{note}    b()\n")}
    )
    for kind, after, lead in (
        ("function_renamed", "takes_tiles_fp8", "a comment says"),
        ("function_removed", None, "removes"),
    ):
        gone = finding(change, kind, path, "takes_tiles", before="takes_tiles", after=after, alias=Alias("none"))
        found = day(graded(report(change, extra=(gone,)), {"6": "medium"}))
        (line,) = (*found.actions, *found.also)
        assert f"”: {lead}" in line.text["en"]


def test_what_breaks_users_stands_before_what_breaks_forks_however_much_was_built_on_that() -> None:
    moved = commit("1", "Rework the context (#1)", lines("slot_map", *"abcdefghi"))
    gone = finding(
        moved, "function_removed", "engine/context.py", "slot_map", before="def slot_map():", alias=Alias("none")
    )
    flags = commit("2", "Drop an option (#2)", {ARGS: patch_of("a()\n", "b()\n")})
    flag = replace(finding(flags, "cli_flag_removed", ARGS, "--slots", before="--slots"), breaking=True)
    found = day(graded(report(moved, flags, extra=(gone, flag)), {"1": "high", "2": "medium"}))
    assert [action.tag for action in found.actions] == ["breaks", "fork"]


def test_what_is_built_inside_with_more_is_nothing_for_forks_to_act_on() -> None:
    """A required field of a structure inside, or a parameter of a helper, is met by whoever builds or calls it: the project itself."""
    change = commit("1", "Lay out shards anew (#1)", {"vllm/v1/worker/state.py": patch_of("a()\n", "b()\n")}, repo=VLLM)
    for kind, name, tag in (
        ("internal_field_required_added", "BatchState.rows", ""),
        ("extension_method_changed", "ShardHelper.cut", ""),
        ("extension_method_changed", "AttentionBackend.cut", "fork"),
    ):
        found = finding(change, kind, "vllm/v1/worker/state.py", name, before="a", after="b", breaking=True)
        assert tags(graded(report(change, extra=(found,)), {"1": "medium"})) == [tag], name

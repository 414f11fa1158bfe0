"""The order of what the screen shows: what most meet in silence first, what few meet last."""

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, report
from analyse.test_first_screen import finding, graded
from daybreak.core.model.changes import Change, Exposure
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.words.grammar import alike
from daybreak.judge.first_screen import candidates, first_screen
from read.made import patch_of

VLLM = "vllm-project/vllm"
CORE = "vllm/v1/engine/core.py"


def mended(digit: str, subject: str, path: str = CORE, *, test: bool = True) -> Change:
    files = {path: patch_of("    a()\n", "    if ready:\n        b()\n")}
    held = {"tests/test_core.py": patch_of("", "def test_it():\n    assert run()\n")} if test else {}
    return commit(
        digit, f"{subject} (#{digit})", files | held, repo=VLLM, body="Requests were lost where none was ready."
    )


def gone(digit: str, kind: str, path: str, name: str) -> tuple[Change, Finding]:
    change = commit(digit, f"Tidy up (#{digit})", {path: patch_of("a()\n", "b()\n")}, repo=VLLM)
    return change, finding(change, kind, path, name, before=name, breaking=True, alias=Alias("none"), effective=name)


def order(*changes: Change, extra: tuple[Finding, ...] = (), has: str = "") -> list[str]:
    """Digits of the commits on the screen; a release has the faults of `has`."""
    made = graded(report(*changes, extra=extra), dict.fromkeys((c.sha[0] for c in changes), "medium"), VLLM)
    entries = tuple(
        replace(e, exposure=Exposure("v1.2", has=True)) if e.change.sha[0] in has else e for e in made.entries
    )
    return [one.commits[0][0] for one in first_screen((replace(made, entries=entries),))[0]]


@pytest.mark.parametrize(
    ("kind", "path", "name"),
    [("extra_removed", "setup.py", "tiles-kernel"), ("env_removed", "vllm/envs.py", "VLLM_TILE_ROUNDS")],
)
def test_what_few_ask_for_stands_behind_a_fault_that_a_release_has_however_much_its_value(
    kind: str, path: str, name: str
) -> None:
    change, found = gone("1", kind, path, name)
    assert order(change, mended("2", "Fix lost requests"), extra=(found,), has="2") == ["2", "1"]


def test_a_flag_that_users_type_stands_behind_a_fault_of_a_release_with_all_that_shows_it_and_before_any_other() -> (
    None
):
    change, found = gone("1", "cli_flag_removed", ARGS, "--tile-rounds")
    assert order(change, mended("2", "Fix lost requests"), extra=(found,), has="2") == ["2", "1"]
    untested = mended("2", "Fix requests of images", "vllm/assets/base.py", test=False)
    assert order(change, untested, extra=(found,), has="2")[0] == "1"


def test_what_corrupts_only_what_is_counted_stands_behind_another_fault_of_the_release() -> None:
    counted = mended("1", "Fix wrong values of counters", "vllm/v1/metrics/loggers.py")
    assert order(counted, mended("2", "Fix lost requests"), has="12") == ["2", "1"]


def test_a_fix_for_hardware_that_its_title_alone_names_stands_last() -> None:
    other = mended("1", "Fix lost requests against SM121")
    assert order(other, mended("2", "Fix dropped requests", test=False), has="12") == ["2", "1"]


def test_a_name_of_code_in_a_title_is_no_hardware() -> None:
    named = mended("1", "Fix lost requests of `cpu group` and of cpu_group")
    assert order(named, mended("2", "Fix dropped requests", test=False), has="12") == ["1", "2"]


@pytest.mark.parametrize(("has", "guard", "tags"), [(True, True, ["fix"]), (None, True, [""]), (True, False, [""])])
def test_a_fix_told_only_by_a_comment_is_to_act_on_where_a_release_has_the_fault_and_a_guard_comes(
    has: bool | None, guard: bool, tags: list[str]
) -> None:
    """That somebody met it is known by the issue that it closes."""
    steps = f"{'    if held:' if guard else '    look()'}\n        b()\n" + "".join(
        f"    count_{n}(held)\n" for n in range(12)
    )
    change = commit(
        "1", "[Bugfix] Keep blocks of a transfer (#1)", {CORE: patch_of("", steps)}, repo=VLLM, body="Fixes #7"
    )
    made = graded(report(change), {"1": "medium"}, VLLM)
    said = "A request keeps the blocks of its transfer."
    gist = Gist(alike(said), "comment", (Quote("comment", CORE, 10, "added", said),))
    entries = tuple(replace(e, exposure=Exposure("v1.2", has=has), gist=gist) for e in made.entries)
    assert [one.tag for one in candidates((replace(made, entries=entries),))] == tags


def test_a_request_that_is_refused_from_now_on_stands_before_what_forks_have_to_follow() -> None:
    refuses = commit("1", "Check ports (#1)", {ARGS: patch_of("a()\n", "b()\n")})
    guard = finding(
        refuses, "guard_added", ARGS, "ServerArgs.check", after="if port < 1: raise ValueError", breaking=True
    )
    forks = commit("2", "Cut otherwise (#2)", {"engine/worker.py": patch_of("a()\n", "b()\n")})
    cut = finding(
        forks, "extension_method_changed", "engine/worker.py", "Backend.cut", before="a", after="b", breaking=True
    )
    assert order(refuses, forks, extra=(guard, cut)) == ["1", "2"]

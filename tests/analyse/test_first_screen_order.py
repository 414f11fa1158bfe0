"""The first screen: what leads, and what stays below."""

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import dropped, finding, graded, tags, told
from daybreak.core.model.changes import Exposure
from daybreak.core.model.findings import Alias
from daybreak.judge.first_screen import first_screen
from daybreak.judge.importance import importance
from daybreak.judge.phrases import what
from daybreak.judge.successors import successor
from read.made import patch_of


def lines(of: str, *names: str) -> dict[str, str]:
    """Files that use a name and use another one now."""
    return {f"engine/{name}.py": patch_of(f"use({of})\n", f"use({of}_new)\n") for name in names}


def test_a_name_that_much_was_built_on_stands_on_the_screen_and_one_that_nothing_follows_below() -> None:
    for users, tag in ((("a", "b", "c"), "fork"), (("a",), "")):
        change = commit("6", "Rework the context (#6)", lines("slot_map", *users))
        gone = finding(
            change, "function_removed", "engine/context.py", "slot_map", before="def slot_map():", alias=Alias("none")
        )
        assert tags(graded(report(change, extra=(gone,)), {"6": "medium"})) == [tag]


@pytest.mark.parametrize("names", [1, 9])
def test_what_stops_under_load_stands_before_names_however_much_of_the_project_had_to_follow(names: int) -> None:
    moved = commit("1", "Rework the context (#1)", lines("slot_map", *"abcdefghi"[:names]))
    gone = finding(
        moved, "function_removed", "engine/context.py", "slot_map", before="def slot_map():", alias=Alias("none")
    )
    stops = commit(
        "2",
        "Fix a deadlock of ranks (#2)",
        {"engine/ranks.py": patch_of("a()\n", "if ready:\n    b()\n")},
        body="It waits.",
    )
    found = day(graded(report(moved, stops, extra=(gone,)), dict.fromkeys("12", "medium")))
    assert (*found.actions, *found.also)[0].commits[0][0] == "2"


def test_what_stops_under_load_stands_before_what_is_met_at_the_first_try() -> None:
    made = [
        commit(
            digit,
            f"Fix {fault} of ranks (#{digit})",
            {f"engine/{digit}.py": patch_of("a()\n", "if ready:\n    b()\n")},
            body="So.",
        )
        for digit, fault in (("1", "a crash"), ("2", "a deadlock"))
    ]
    assert list(told(report(*made))) == ["2", "1"]


def test_of_fixes_alike_those_in_the_path_of_requests_come_first() -> None:
    told_by = "    # The last of them was left out, so it never came back.\n"
    paths = {"1": "vllm/assets/base.py", "2": "vllm/v1/core/pool.py", "3": "vllm/v1/spec_decode/pool.py"}
    made = [
        commit(
            digit, f"Fix the last of them in {digit}", {path: patch_of("    a()\n", f"{told_by}    b()\n")}, repo=VLLM
        )
        for digit, path in paths.items()
    ]
    found = day(graded(report(*made), dict.fromkeys("123", "medium"), VLLM))
    assert [one.commits[0][0] for one in (*found.actions, *found.also)] == ["2", "3", "1"]


def test_a_repair_in_the_path_of_requests_without_a_test_stands_before_one_elsewhere_that_has_one() -> None:
    paths = {"1": ("vllm/assets/base.py", "tests/test_assets.py"), "2": ("vllm/v1/engine/core.py",)}
    made = [
        commit(
            digit,
            f"Fix the last of them in {digit}",
            {path: patch_of("    a()\n", "    b()\n") for path in some},
            repo=VLLM,
        )
        for digit, some in paths.items()
    ]
    found = day(graded(report(*made), dict.fromkeys("12", "medium"), VLLM))
    assert [one.commits[0][0] for one in (*found.actions, *found.also)] == ["2", "1"]


VLLM = "vllm-project/vllm"


def test_a_removed_extension_point_is_told_before_a_deprecation() -> None:
    change = commit("6", "Rename slow to fast (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    found = (
        finding(change, "cli_flag_deprecated", ARGS, "--slow-path", before="--slow-path", after="--fast-path"),
        finding(
            change,
            "extension_method_removed",
            "engine/platforms.py",
            "Platform.slow_pool",
            number=2,
            breaking=True,
            alias=Alias("none"),
        ),
    )
    (line,) = day(report(change, extra=tuple(found))).actions
    assert "Platform.slow_pool" in line.text["en"]
    assert line.tag == "fork"


def test_of_findings_that_weigh_alike_the_one_that_the_title_names_is_told() -> None:
    change = commit("6", "Drop the offload window (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    found = tuple(
        finding(change, "cli_flag_removed", ARGS, name, number=at, breaking=True, alias=Alias("none"), effective=name)
        for at, name in enumerate(("--graph-size", "--offload-window"), 1)
    )
    (line,) = day(report(change, extra=tuple(found))).actions
    assert line.text["en"].startswith("“Drop the offload window”: removes the command line option `--offload-window`")


@pytest.mark.parametrize(("then", "tag"), [("go out of bounds", "corrupts"), ("go out of bounds and crash", "crash")])
def test_an_access_out_of_bounds_that_a_comment_names_corrupts_and_is_a_crash_where_it_says_so(
    then: str, tag: str
) -> None:
    after = f"# A smaller value makes the gather of the draft {then}.\nlimit = max(limit, target)\n"
    change = commit("6", "[BugFix] draft position limit (#6)", {"engine/draft.py": patch_of("", after)})
    (line,) = day(report(change)).actions
    assert line.tag == tag
    assert "go out of bounds" in line.text["en"]


def test_a_check_of_what_the_title_says_was_wrong_is_the_repair_and_no_new_rule() -> None:
    change = commit("6", "Fix negative max_tokens for long prompts (#6)", {"engine/api.py": patch_of("a()\n", "b()\n")})
    guard = finding(change, "guard_added", "engine/api.py", "take", after="if max_tokens < 0: raise ValueError")
    found = day(report(change, extra=(guard,)))
    assert all(action.tag != "rejects" for action in (*found.actions, *found.also))
    assert all("rejected now" not in action.text["en"] for action in (*found.actions, *found.also))


def test_a_constant_beside_a_repair_is_not_what_it_is_about() -> None:
    change = commit("6", "Fix the infinite loop of pending requests (#6)", {"engine/pd.py": patch_of("a()\n", "b()\n")})
    retries = finding(
        change, "parameter_default_changed", "engine/pd.py", "Link.ensure(retries)", before="20", after="5"
    )
    found = day(report(change, extra=(retries,)))
    assert not any("retries" in action.text["en"] for action in (*found.actions, *found.also))


def test_off_that_is_left_open_now_is_no_other_default() -> None:
    change = commit("6", "Update the bindings (#6)", {"engine/bind.py": patch_of("a()\n", "b()\n")})
    opened = finding(change, "cli_default_changed", ARGS, "--inline", before="False", after="None")
    found = day(report(change, extra=(opened,)))
    assert (found.actions, found.also) == ((), ())


def test_a_patch_of_a_package_beside_a_feature_asks_nothing_of_an_image() -> None:
    change = commit("6", "Load models from a store (#6)", {"pyproject.toml": patch_of("a\n", "b\n")})
    patch = finding(change, "dependency_changed", "pyproject.toml", "store-client", before=">=0.15.5", after=">=0.15.7")
    assert day(report(change, extra=(patch,))).actions == ()


def test_an_upper_bound_that_went_is_told_before_a_patch_of_another_package_and_is_not_low() -> None:
    change = commit("6", "Update to kit v5 (#6)", {"requirements/common.txt": patch_of("a\n", "b\n")})
    tensors = finding(
        change, "dependency_changed", "requirements/common.txt", "tensors", before="==0.14.0", after="==0.14.1"
    )
    bounds = {"before": ">=4.56.0,<5", "after": ">=4.56.0" + "".join(f",!=5.{n}.*" for n in range(12))}
    for name in ("transformers", "kit"):
        opened = finding(change, "dependency_changed", "requirements/common.txt", name, **bounds)
        made = report(change, extra=(tensors, opened))
        found = day(made)
        (action,) = (*found.actions, *found.also)
        assert f"no longer holds the dependency `{name}` to `<5` (`requirements/common.txt`)" in action.text["en"]
        assert bool(found.actions) == ("new installations" in action.text["en"]) == (name == "transformers")
        level = importance(change, made.entries[0].reading, "dependency", None)
        assert (level.level, [reason.code for reason in level.reasons]) == ("medium", ["dependency_changed"])


def test_a_bound_that_went_with_a_higher_minimum_is_told_with_both_requirements() -> None:
    change = commit("6", "Update to kit v5 (#6)", {"requirements/common.txt": patch_of("a\n", "b\n")})
    moved = finding(change, "dependency_changed", "requirements/common.txt", "kit", before=">=4.51,<5", after=">=4.56")
    (action,) = day(report(change, extra=(moved,))).actions
    assert "`>=4.51,<5` → `>=4.56`" in action.text["en"]


def test_a_pin_of_an_extra_asks_nobody_to_act_and_is_told_as_that_of_the_extra() -> None:
    change = commit("6", "Fix the fusion of tiles (#6)", {"setup.py": patch_of("a\n", "b\n")})
    extra = finding(change, "extra_dependency_changed", "setup.py", "[tiles] torch", before="==0.3.3", after="==1.0.0")
    found = day(report(change, extra=(extra,)))
    assert all(action.tag != "build" and "torch" not in action.text["en"] for action in (*found.actions, *found.also))
    (told_as,) = what((extra,), 1)
    assert told_as.text["en"] == "For the extra alone, `[tiles] torch`: `==0.3.3` → `==1.0.0` (`setup.py`)."


def test_a_condition_without_its_branch_leaves_the_word_to_the_author() -> None:
    after = "# Streams cannot be traced, so the serial path runs inside a graph.\nif on_gpu and not in_graph():\n"
    change = commit("6", "Enable graphs for hybrids (#6)", {"engine/run.py": patch_of("if on_gpu:\n", after)})
    turn = finding(
        change, "dispatch_changed", "engine/run.py", "run", before="on_gpu", after="on_gpu and not in_graph()"
    )
    ours = report(change, extra=(turn,))
    found = day(ours)
    assert all("dispatch condition" not in action.text["en"] for action in (*found.actions, *found.also))
    gist = ours.entries[0].gist
    assert gist is not None
    assert "the serial path runs inside a graph" in gist.text["en"]


def test_the_fix_of_one_model_stands_behind_one_that_many_meet() -> None:
    files = ("engine/models/lama.py", "engine/scheduler.py")
    one, many = (
        commit(
            digit, f"Fix wrong logits of {path} (#{digit})", {path: patch_of("a\n", "b\n")}, repo="vllm-project/vllm"
        )
        for digit, path in zip("12", files, strict=True)
    )
    assert list(told(report(one, many))) == ["2", "1"]


def test_advice_names_what_the_change_itself_puts_in_the_place_of_a_name_that_goes() -> None:
    new = "def take_fast(rows):\n    return rows\n"
    files = {"engine/rows.py": patch_of("def take_rows(rows):\n    return rows\n", new)}
    files |= {
        f"engine/{x}.py": patch_of("def run(x):\n    take_rows(x)\n", "def run(x):\n    take_fast(x)\n") for x in "abc"
    }
    change = commit("6", "Take rows by another way (#6)", files)
    gone = finding(change, "function_removed", "engine/rows.py", "take_rows", before="def take_rows(rows):")
    made = report(change)
    own = replace(made.entries[0].reading, findings=(replace(gone, alias=Alias("none")),))
    entry = replace(made.entries[0], reading=own, marks=("breaks_internals",))
    (line,) = day(graded(replace(made, entries=(entry,)), {"6": "medium"})).actions
    assert "What to do: use `take_fast` instead" in line.text["en"]


def test_no_name_is_advised_for_a_family_of_which_it_follows_one() -> None:
    """What stands in the place of one class of several that go is not what to use instead of the others."""
    old = "class NarrowMethod:\n    pass\n\n\nclass WideMethod:\n    pass\n"
    files = {"engine/rows.py": patch_of(old, "class NarrowScheme:\n    pass\n")}
    files |= {"engine/a.py": patch_of("def run(x):\n    NarrowMethod(x)\n", "def run(x):\n    NarrowScheme(x)\n")}
    change = commit("6", "Refactor the schemes (#6)", files)
    gone = [
        finding(change, "class_removed", "engine/rows.py", name, number=n, before=f"class {name}:", alias=Alias("none"))
        for n, name in enumerate(("NarrowMethod", "WideMethod"), 1)
    ]
    assert successor(change, gone[:1]) == "NarrowScheme"
    assert successor(change, gone) is None


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("        if take_rows():\n            run()\n", "        if settings.TAKE_ROWS:\n            run()\n", "settings.TAKE_ROWS"),
        ("        self.rows = take_rows(\n            1,\n            2,\n        )\n", "        self.rows = made_rows(\n            key=1,\n        )\n", "made_rows"),
        ("        self.rows = take_rows(1)\n        self.rows = other(2)\n", "        self.rows = made_rows(\n            key=1,\n        )\n", None),
    ],
    ids=["read, and called no more", "made otherwise", "given twice"],
)  # fmt: skip
def test_what_sources_have_in_the_place_of_a_call_is_its_successor_whatever_tests_have(
    old: str, new: str, expected: str | None
) -> None:
    gone = "def take_rows(a=1, b=2):\n    return a\n"
    files = {"engine/rows.py": patch_of(gone, ""), "engine/run.py": patch_of(f"class Run:\n    def go(self):\n{old}", f"class Run:\n    def go(self):\n{new}")}  # fmt: skip
    files |= {"tests/test_rows.py": patch_of("x = take_rows(1)\n", "x = fixture(1)\n")} if expected else {}
    change = commit("6", "Take rows by another way (#6)", files)
    found = finding(change, "function_removed", "engine/rows.py", "take_rows", before="def take_rows(a=1, b=2):")
    assert successor(change, [replace(found, alias=Alias("none"))]) == expected


def test_what_names_no_file_is_told_of_all_files_at_once() -> None:
    change = commit("6", "Turn the decorator round (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    refused = [
        finding(change, "unknown_refused", f"engine/config/{name.lower()}.py", name, number=n, breaking=True)
        for n, name in enumerate(("Attention", "Cache", "Device"), 1)
    ]
    (line,) = day(report(change, extra=tuple(refused))).actions
    assert "unknown fields of `Attention`, `Cache` and `Device` are refused now" in line.text["en"]


def test_a_module_that_moves_reaches_as_far_as_those_who_imported_it() -> None:
    change = commit("6", "Move the experts (#6)", lines("old_experts", "a", "b", "c"))
    moved = finding(
        change,
        "module_moved",
        "engine/new/old_experts.py",
        "engine.old_experts (10 names)",
        before="engine.old_experts",
        after="engine.new.old_experts",
        alias=Alias("none"),
    )
    (line,) = day(report(change, extra=(moved,))).actions
    assert line.tag == "fork"


def test_a_list_that_is_called_a_sequence_is_sent_alike() -> None:
    change = commit("6", "Accept any sequence (#6)", {"engine/protocol.py": patch_of("a()\n", "b()\n")})

    def tags(after: str) -> list[str]:
        types = {"before": "list[Message]", "after": after, "breaking": True}
        field = finding(change, "request_field_changed", "engine/protocol.py", "ChatRequest.messages", **types)
        return [action.tag for action in day(report(change, extra=(field,))).actions]

    assert tags("Message") == ["breaks"]
    assert "breaks" not in tags("Sequence[ Message ]")


def test_a_default_that_a_call_makes_is_no_value_that_somebody_relied_on() -> None:
    change = commit("6", "Annotate the fields (#6)", {ARGS: patch_of("a()\n", "b()\n")})

    def tags(before: str, after: str) -> list[str]:
        made = finding(change, "cli_default_changed", ARGS, "--urls", before=before, after=after)
        return [action.tag for action in day(report(change, extra=(made,))).actions]

    assert tags('"a"', '"b"') == ["default"]
    assert "default" not in tags("list()", "field(default_factory=list)")


def test_a_helper_that_a_package_happened_to_import_is_no_name_that_much_was_built_on() -> None:
    change = commit("6", "Clean up (#6)", lines("init_logger", "a", "b", "c"))
    gone = finding(
        change,
        "export_removed",
        "engine/pool/__init__.py",
        "engine.pool.init_logger",
        before="init_logger",
        alias=Alias("none"),
    )
    assert "fork" not in tags(report(change, extra=(gone,)))


def test_wrong_results_of_one_model_that_a_release_has_are_not_behind_faults_of_the_branch() -> None:
    path = "vllm/model_executor/models/lama.py"
    wrong, stops = (
        commit(
            digit,
            f"Fix {fault} (#{digit})",
            {at: patch_of("a\n", "if ready:\n    b\n")},
            repo="vllm-project/vllm",
            body="Rows past it.",
        )
        for digit, fault, at in (("1", "wrong logits", path), ("2", "a hang", "vllm/engine/scheduler.py"))
    )
    made = graded(report(wrong, stops), dict.fromkeys("12", "medium"))
    for has, first in ((True, "1"), (None, "2")):
        known = {"1": has, "2": None}
        entries = tuple(replace(e, exposure=Exposure("v1.2", has=known[e.change.sha[0]])) for e in made.entries)
        actions = first_screen((replace(made, entries=entries),))[0]
        assert actions[0].commits[0][0] == first


def test_what_no_release_has_is_nothing_that_a_fork_follows() -> None:
    change = commit("6", "Rework the context (#6)", lines("slot_map", "a", "b", "c"))
    gone = finding(
        change, "function_removed", "engine/context.py", "Young.slot_map", before="def slot_map():", alias=Alias("none")
    )
    made = report(change, extra=(gone,))
    for absent, shown in (((), ["fork"]), (("Young",), [])):
        entries = (replace(made.entries[0], exposure=Exposure("v1.2", absent=absent)),)
        assert [action.tag for action in day(replace(made, entries=entries)).actions] == shown


def test_what_callers_meet_is_told_before_a_field_and_all_that_goes_with_it_is_named() -> None:
    change = commit("6", "Remove inplace experts (#6)", lines("inplace", "a", "b", "c"))
    gone = {"before": "inplace", "breaking": True, "alias": Alias("none")}
    field = finding(change, "internal_field_removed", "engine/config.py", "Config.inplace_experts", **gone)
    calls = [
        finding(change, "internal_parameter_removed", f"engine/{name}.py", f"{name}(inplace)", number=at, **gone)
        for at, name in enumerate(("experts", "kernel", "marlin", "pool"), 2)
    ]
    (line,) = day(report(change, extra=(field, *calls))).actions
    assert line.text["en"].startswith(
        "“Remove inplace experts”: `inplace` is gone from `experts`, `kernel`, `marlin` and `pool`. "
        "Gone as well: `Config.inplace_experts`."
    )


def test_a_story_stands_where_the_gravest_of_its_changes_does() -> None:
    gone = dropped(7)
    made = graded(report(*gone), {**dict.fromkeys("123456", "medium"), "7": "low"})
    of_story = {gone[0].sha, gone[-1].sha}
    entries = tuple(replace(e, story="fixup-1") if e.change.sha in of_story else e for e in made.entries)
    found = day(replace(made, entries=entries))
    assert [action.commits[0][0] for action in found.actions] == ["1", "2", "3", "4", "5", "6"]


def test_behind_a_finding_stands_what_its_author_says_of_it() -> None:
    before = 'def add(p):\n    p.add_argument("--timeout", default=1)\n'
    after = (
        "def add(p):\n    # The timeout of a prefetch was too short for long prompts, so that they would fail.\n"
        '    p.add_argument("--timeout", default=30)\n'
    )
    change = commit("1", "Raise the timeout of a prefetch for long prompts", {ARGS: patch_of(before, after)})
    (action,) = day(report(change)).actions
    assert "`1` → `30`" in action.text["en"]
    assert "The timeout of a prefetch was too short" in action.text["en"]


def test_a_fix_that_a_test_holds_and_a_release_needs_stands_before_one_that_nothing_bears_out() -> None:
    said = patch_of("a()\n", "# Blocks of the pool stay until every rank has read them.\nb()\n")
    plain = commit("1", "Fix blocks of the pool (#1)", {"engine/pool.py": said})
    tested = commit("2", "Fix blocks of the pool again (#2)", {"engine/pool.py": said, "tests/test_pool.py": said})
    made = report(plain, tested)
    has = tuple(replace(e, story=None, exposure=Exposure("v1.2", has=e.change.sha[0] == "2")) for e in made.entries)
    found = day(replace(made, entries=has, stories=()))
    assert [(one.commits[0][0], one.tag) for one in (*found.actions, *found.also)] == [("2", "fix"), ("1", "")]


def test_wrong_results_that_a_release_gives_stand_before_one_name_that_programs_call_and_behind_a_flag_that_goes() -> (
    None
):
    wrong = commit(
        "1",
        "Fix wrong logits (#1)",
        {"vllm/model_executor/models/lama.py": patch_of("a\n", "b\n")},
        repo=VLLM,
        body="Rows past it.",
    )
    other = commit("2", "Tidy up (#2)", {"vllm/outputs.py": patch_of("a()\n", "b()\n")}, repo=VLLM)
    for kind, path, name, order in (
        ("function_removed", "vllm/outputs.py", "merge_outputs", "12"),
        ("cli_flag_removed", "vllm/engine/arg_utils.py", "--merge-outputs", "21"),
    ):
        gone = finding(other, kind, path, name, before=name, breaking=True, alias=Alias("none"), effective=name)
        made = graded(report(wrong, other, extra=(gone,)), dict.fromkeys("12", "high"))
        entries = tuple(replace(e, exposure=Exposure("v1.2", has=True)) for e in made.entries)
        actions = first_screen((replace(made, entries=entries),))[0]
        assert "".join(action.commits[0][0] for action in actions) == order


def test_a_default_that_everybody_meets_is_told_before_what_a_build_is_for() -> None:
    files = {
        "engine/envs.py": patch_of('ENGINE_CUDA = "12.9"\n', 'ENGINE_CUDA = "13.0"\n'),
        "CMakeLists.txt": patch_of("set(ARCHS sm_70 sm_80)\n", "set(ARCHS sm_80)\n"),
    }
    change = commit("6", "Switch the default toolkit to 13 (#6)", files)
    build = finding(
        change,
        "arch_removed",
        "CMakeLists.txt",
        "sm_70",
        before="ARCHS=sm_70;sm_80",
        after="ARCHS=sm_80",
        breaking=True,
    )
    default = finding(change, "env_default_changed", "engine/envs.py", "ENGINE_CUDA", before="12.9", after="13.0")
    (action,) = day(report(change, extra=(replace(build, id=f"{build.id}0"), default))).actions
    assert "`12.9` → `13.0`" in action.text["en"]


def test_a_default_that_a_fix_puts_right_is_told_with_how_to_keep_it_and_not_as_a_fault_of_a_release() -> None:
    change = commit("6", "Fix usage returned with empty options (#6)", lines("x", "a", "b", "c"))
    turned = finding(
        change, "env_default_changed", "engine/envs.py", "ENGINE_USAGE_OPTIONS", before="True", after="False"
    )
    made = report(change, extra=(turned,))
    fix = replace(made.entries[0], kind="fix", exposure=Exposure("v1.0", has=True))
    (line,) = day(replace(made, entries=(fix,))).actions
    assert line.tag == "default"
    assert line.text["en"].endswith("What to do: set `ENGINE_USAGE_OPTIONS=1` to keep the old default.")


def test_what_requests_must_carry_is_told_before_a_check_that_few_meet() -> None:
    path = "engine/transfer.py"
    change = commit("6", "Rework the transfer connector (#6)", {path: patch_of("a()\n", "b(id=1)\n")})
    guard = 'if stages > 1: raise ValueError("The transfer connector does not support stages.")'
    found = [
        finding(change, "guard_added", path, "TransferConnector.__init__", after=guard, breaking=True),
        *(
            finding(change, "request_field_required_added", path, name, number=n, after=name, breaking=True)
            for n, name in enumerate(("extra.id", "extra.peer"), 2)
        ),
    ]
    (line,) = day(report(change, extra=tuple(found))).actions
    assert "requests must now carry the fields `extra.id` and `extra.peer`" in line.text["en"]
    assert line.text["en"].endswith("What to do: send the fields.")

"""The first screen names few changes, each with what shows it; what else is worth knowing has a line each."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, BREAKS, DEFAULT, commit, day, repairs, report
from daybreak.core.model.changes import Change, Exposure
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import RepoReport
from daybreak.core.model.statements import Importance, Level, Reason
from daybreak.core.words.grammar import alike
from daybreak.judge.action_questions import asked
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.first_screen import A_REPOSITORY, MOST_HAN, MOST_WORDS, first_screen
from daybreak.judge.phrases import what
from read.made import patch_of

TORCH = commit("7", "Follow torch (#7)", {"pyproject.toml": patch_of("a\n", "b\n")})


def finding(of: Change, kind: str, path: str, symbol: str, **fields: Any) -> Finding:
    return Finding(f"{of.sha[:12]}/{fields.pop('number', 1)}", kind, path, 1, symbol, **fields)


def told(part: RepoReport) -> dict[str, str]:
    """First digit of a commit -> what is said of it."""
    return {action.commits[0][0]: action.text["en"] for action in day(part).actions}


def test_a_title_alone_never_enters() -> None:
    long = {"engine/scheduler.py": patch_of("a()\n" * 40, "".join(f"b{n}()\n" for n in range(40)))}
    silent = commit("1", "Fix wrong logits (#1)", long)
    told_by_body = commit("2", "Fix wrong results (#2)", long, body="Rows past the last page were read as zeros.")
    found = day(report(silent, told_by_body))
    assert [action.commits[0][0] for action in found.actions] == ["2"]
    assert "“Rows past the last page were read as zeros.”" in found.actions[0].text["en"]
    assert found.also == ()


def graded(part: RepoReport, levels: dict[str, Level], name: str = "acme/engine") -> RepoReport:
    """The same with these grades, by the first digit of a commit."""
    score: dict[Level, float] = {"high": 0.95, "medium": 0.7, "low": 0.3}
    entries = tuple(
        replace(e, importance=Importance(level, score[level])) if (level := levels.get(e.change.sha[0])) else e
        for e in part.entries
    )
    return replace(part, repo=replace(part.repo, name=name), entries=entries)


def dropped(count: int) -> list[Change]:
    options = (f'    p.add_argument("--kv-{n}")\n' for n in range(1, count + 1))
    return [commit(f"{n:x}", f"Drop {n}", {ARGS: patch_of(option, "")}) for n, option in enumerate(options, 1)]


def test_no_repository_takes_the_whole_screen_and_the_rest_stands_below() -> None:
    gone = dropped(6)
    found = day(graded(report(*gone), dict.fromkeys("123456", "medium")))
    assert [action.tag for action in found.actions] == ["breaks"] * A_REPOSITORY
    assert len(found.also) == len(gone) - A_REPOSITORY
    assert all("removes the command line option" in action.text["en"] for action in found.also)


def test_what_is_graded_high_stands_above_what_is_not_on_the_screen_and_below_it() -> None:
    ours = graded(report(*dropped(6)), {"1": "medium"})
    other = graded(report(*dropped(3)), dict.fromkeys("123", "medium"), "acme/other")
    found = AllChecks().day(day(ours, other))
    levels = [
        next(r for r in (ours, other) if r.repo.name == action.repo)
        .entries[int(action.commits[0][0]) - 1]
        .importance.level
        for action in (*found.actions, *found.also)
    ]
    assert levels == ["high"] * 4 + ["medium"] * 3 + ["high", "medium"]
    assert max(Counter(action.repo for action in found.actions).values()) == A_REPOSITORY


def test_what_is_to_spare_for_the_screen_stands_below_it() -> None:
    halves = (report(*dropped(6)), graded(report(*dropped(6)), {}, "acme/other"))
    found = AllChecks().day(day(*halves))
    assert (len(found.actions), len(found.also), found.more_actions) == (MOST_ACTIONS, 4, 0)
    told_of = [(action.repo, action.commits) for action in (*found.actions, *found.also)]
    assert len(set(told_of)) == 12


def test_a_repair_of_what_the_release_has_stands_above_one_of_which_that_is_not_known() -> None:
    files = {"engine/scheduler.py": patch_of("a\n", "b\n")}
    first, second = commit("a", "Fix wrong logits (#1)", files), commit("b", "Fix garbage output of drafts (#2)", files)
    made = report(first, second)
    known = Exposure("v1.2", has=True)
    entries = tuple(replace(e, exposure=known) if e.change.sha == second.sha else e for e in made.entries)
    actions = day(replace(made, entries=entries)).actions
    assert [action.commits[0] for action in actions] == [second.sha, first.sha]
    assert "`v1.2` has the code that it mends" in actions[0].text["en"]
    assert [action.tag for action in actions] == ["corrupts", "corrupts"]


def test_a_story_is_one_entry() -> None:
    first, second = repairs(2)
    made = report(first, second)
    both = tuple(replace(entry, story="series-1") for entry in made.entries)
    assert len(day(replace(made, entries=both)).actions) == 1


def test_another_torch_is_told_with_its_versions() -> None:
    versions = {"before": "==2.11.0", "after": "==2.13.0", "breaking": True, "alias": Alias("none")}
    moved = finding(TORCH, "dependency_changed", "pyproject.toml", "torch", **versions)
    line = told(report(DEFAULT, TORCH, extra=(moved,)))["7"]
    assert "`==2.11.0` → `==2.13.0`" in line
    assert "alias" not in line, "a version has no alias"


def test_an_option_of_a_script_stands_below_one_that_a_deployment_types() -> None:
    option = patch_of('    p.add_argument("--combine")\n', "")
    script = commit("9", "Drop an option of the runner", {"engine/kernel_src/mega_runner.py": option})
    default = commit("2", "Raise it", {ARGS: DEFAULT.files[0].patch})
    assert next(iter(told(report(script, BREAKS, default)))) == "1"
    assert next(iter(told(report(script, default)))) == "2"


def test_a_fix_that_takes_something_away_is_no_fix_to_take_unread() -> None:
    change = commit("6", "Fix wrong results with pipelines (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    gone = finding(change, "class_removed", "engine/run.py", "Pipeline", before="class Pipeline:", alias=Alias("none"))
    rejects = finding(change, "guard_added", "engine/run.py", "run", after="if pp > 1: raise ValueError")
    for shown in (gone, rejects):
        (line,) = day(report(change, extra=(shown,))).actions
        assert "Fix" not in line.text["en"].partition("`")[0]
        assert "cherry-pick" not in line.text["en"]
        assert (shown.after or shown.symbol) in line.text["en"]


def test_what_is_new_and_off_is_not_looked_at_before_upgrading() -> None:
    change = commit("6", "Add a path (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    flags = [
        finding(change, "cli_flag_added", ARGS, f"--new-{at}", number=at, after=f"--new-{at}", default=value)
        for at, value in ((1, "False"), (2, "True"))
    ]
    off, on = (asked(report(change, extra=(flag,)), report(change, extra=(flag,)).entries[0]) for flag in flags)
    assert off is not None
    assert on is not None
    assert (off.does, on.does) == ("adds", "otherwise")
    assert "default `False`" in (off.text or {})["en"]
    assert "on by default" in (on.text or {})["en"]


def test_the_gravest_is_told_first_and_the_rest_is_counted() -> None:
    change = commit("6", "Rework the cache (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    found = (
        finding(change, "cli_flag_added", ARGS, "--new", number=1, after="--new"),
        finding(change, "guard_removed", "engine/run.py", "run", number=2, before="if x: raise ValueError"),
        finding(
            change,
            "request_field_removed",
            "engine/api.py",
            "ChatRequest.n",
            number=3,
            breaking=True,
            alias=Alias("none"),
        ),
    )
    (line,) = day(report(change, extra=found)).actions
    assert line.text["en"].startswith("`Rework the cache`: removes the request field `ChatRequest.n`")
    assert "And 2 more." in line.text["en"]


def test_an_assertion_deep_inside_is_no_line_and_one_over_settings_is() -> None:
    change = commit("6", "Rework the worker (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    inside, outside = (
        finding(change, "guard_added", path, "run", after="assert top_k == self.top_k")
        for path in ("engine/worker/run.py", "engine/config/model.py")
    )
    assert day(report(change, extra=(inside,))).actions == ()
    assert day(report(change, extra=(replace(inside, path="engine/launch_rows.cuh"),))).actions == ()
    (line,) = day(report(change, extra=(outside,))).actions
    assert "assert top_k" in line.text["en"]


def test_a_fallback_that_switches_something_is_a_default() -> None:
    change = commit("6", "Load in threads by default (#6)", {"engine/loader.py": patch_of("a()\n", "b()\n")})
    turned = finding(change, "passing_default_changed", "engine/loader.py", "threads", before="False", after="True")
    (line,) = day(report(change, extra=(turned,))).actions
    assert line.tag == "default"


def test_what_has_no_room_for_its_finding_is_told_by_its_authors_words_or_not_at_all() -> None:
    gone = dropped(6)
    also = day(graded(report(*gone), dict.fromkeys("123456", "medium"))).also
    assert also
    for action in also:
        title = next(change.subject for change in gone if change.sha in action.commits)
        assert action.text["en"].strip("`.") != title


def test_what_no_release_had_asks_nobody_for_anything() -> None:
    options = {name: patch_of(f'    p.add_argument("--{name}")\n', "") for name in ("old", "young")}
    old, young = (
        commit(digit, f"Drop {name}", {ARGS: options[name]}) for digit, name in (("1", "old"), ("2", "young"))
    )
    made = report(young, old)
    lacks = Exposure("v1.2", absent=("young",))
    entries = tuple(replace(e, exposure=lacks) if e.change.sha == young.sha else e for e in made.entries)
    found = day(replace(made, entries=entries))
    assert [action.commits for action in (*found.actions, *found.also)] == [(old.sha,)]


def test_what_is_for_other_hardware_stands_below_the_screen() -> None:
    change = commit("6", "Fix wrong logits (#6)", {"engine/npu/sampler.py": patch_of("a = 1\n", "a = 2\n")})
    made = report(change)
    yours = replace(made.entries[0], importance=Importance("medium", 0.5, (Reason("not_yours", alike("x")),)))
    assert day(replace(made, entries=(yours,))).actions == ()


@pytest.mark.parametrize(("default", "on"), [("True", True), ("1", False), ("16", False)])
def test_a_number_is_no_switch(default: str, on: bool) -> None:
    change = commit("6", "Add a pool of threads (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    threads = finding(change, "env_added", "engine/envs.py", "ENGINE_THREADS", after="ENGINE_THREADS", default=default)
    (phrase,) = what([threads], 1)
    assert "`ENGINE_THREADS`" in phrase.text["en"]
    assert ("on by default" in phrase.text["en"]) == on
    found = day(report(change, extra=(threads,)))
    assert any("on by default" in one.text["en"] for one in (*found.actions, *found.also)) == on


# --- what leads, and what stays below ---


def lines(of: str, *names: str) -> dict[str, str]:
    """Files that use a name and use another one now."""
    return {f"engine/{name}.py": patch_of(f"use({of})\n", f"use({of}_new)\n") for name in names}


def test_a_name_that_much_was_built_on_stands_on_the_screen_and_one_that_nothing_follows_below() -> None:
    for users, tags in ((("a", "b", "c"), ["fork"]), (("a",), [])):
        change = commit("6", "Rework the context (#6)", lines("slot_map", *users))
        gone = finding(
            change, "function_removed", "engine/context.py", "slot_map", before="def slot_map():", alias=Alias("none")
        )
        found = day(report(change, extra=(gone,)))
        assert [action.tag for action in found.actions] == tags
        assert len(found.actions) + len(found.also) == 1


def test_what_is_for_forks_takes_no_more_than_half_of_a_repository_s_part() -> None:
    made, found = [], []
    for digit in "123":
        change = commit(digit, f"Rework the part {digit}", lines(f"slot_map_{digit}", "a", "b", "c"))
        name = f"slot_map_{digit}"
        made.append(change)
        found.append(
            finding(change, "function_removed", "engine/context.py", name, before=f"def {name}():", alias=Alias("none"))
        )
    told_of = day(report(*made, extra=tuple(found)))
    assert [action.tag for action in told_of.actions] == ["fork"] * (A_REPOSITORY // 2)
    assert len(told_of.also) == 1


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
    (line,) = day(report(change, extra=found)).actions
    assert "Platform.slow_pool" in line.text["en"]
    assert line.tag == "fork"


def test_of_findings_that_weigh_alike_the_one_that_the_title_names_is_told() -> None:
    change = commit("6", "Drop the offload window (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    found = tuple(
        finding(change, "cli_flag_removed", ARGS, name, number=at, breaking=True, alias=Alias("none"), effective=name)
        for at, name in enumerate(("--graph-size", "--offload-window"), 1)
    )
    (line,) = day(report(change, extra=found)).actions
    assert line.text["en"].startswith("`Drop the offload window`: removes the command line option `--offload-window`")


def test_a_fault_that_only_a_comment_names_makes_a_fix_one_to_take() -> None:
    after = "# A smaller value makes the gather of the draft go out of bounds.\nlimit = max(limit, target)\n"
    change = commit("6", "[BugFix] draft position limit (#6)", {"engine/draft.py": patch_of("", after)})
    (line,) = day(report(change)).actions
    assert line.tag == "crash"
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


def test_a_condition_without_its_branch_leaves_the_word_to_the_author() -> None:
    after = "# Streams cannot be traced, so the serial path runs inside a graph.\nif on_gpu and not in_graph():\n"
    change = commit("6", "Enable graphs for hybrids (#6)", {"engine/run.py": patch_of("if on_gpu:\n", after)})
    turn = finding(
        change, "dispatch_changed", "engine/run.py", "run", before="on_gpu", after="on_gpu and not in_graph()"
    )
    found = day(report(change, extra=(turn,)))
    assert all("dispatch condition" not in action.text["en"] for action in (*found.actions, *found.also))


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
    (line,) = day(replace(made, entries=(entry,))).actions
    assert "What to do: use `take_fast` instead" in line.text["en"]


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


def test_all_that_is_said_on_the_screen_can_be_read_at_once() -> None:
    said = "Rows past the last page of a request were read as zeros by every rank, and the sum of the layer was wrong. "
    more = (
        "That holds for all requests that end within a page, whatever the size of the batch or the number of ranks is."
    )
    many = [
        commit(
            f"{n:x}",
            f"Fix wrong results of {name} (#{n})",
            {f"engine/{name}.py": patch_of("a\n", f"{name}()\n")},
            body=said + more,
        )
        for n, name in enumerate(("prefill", "decode", "drafts", "logprobs", "lora", "images", "routers", "graphs"), 1)
    ]
    halves = (report(*many[:4]), report(*many[4:]))
    second = replace(halves[1], repo=replace(halves[1].repo, name="acme/other"))
    found, *_ = first_screen((halves[0], second))
    assert len(found) == MOST_ACTIONS
    around = [f"{n}. CORRUPTS · {one.repo} · #{n} abcdef123" for n, one in enumerate(found)]
    assert sum(len(f"{words} {one.text['en']}".split()) for words, one in zip(around, found, strict=True)) <= MOST_WORDS
    assert sum(sum("\u4e00" <= sign <= "\u9fff" for sign in one.text["zh"]) for one in found) <= MOST_HAN


def test_a_list_that_is_called_a_sequence_is_sent_alike() -> None:
    change = commit("6", "Accept any sequence (#6)", {"engine/protocol.py": patch_of("a()\n", "b()\n")})
    types = {"before": "list[Message]", "after": "Sequence[ Message ]", "breaking": True}
    field = finding(change, "request_field_changed", "engine/protocol.py", "ChatRequest.messages", **types)
    assert all(action.tag != "breaks" for action in day(report(change, extra=(field,))).actions)


def test_a_default_that_a_call_makes_is_no_value_that_somebody_relied_on() -> None:
    change = commit("6", "Annotate the fields (#6)", {ARGS: patch_of("a()\n", "b()\n")})
    made = finding(change, "cli_default_changed", ARGS, "--urls", before="list()", after="field(default_factory=list)")
    assert all(action.tag != "default" for action in day(report(change, extra=(made,))).actions)


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
    assert day(report(change, extra=(gone,))).actions == ()


def test_wrong_results_of_one_model_that_a_release_has_are_not_behind_those_of_many() -> None:
    path = "vllm/model_executor/models/lama.py"
    wrong, stops = (
        commit(
            digit,
            f"Fix {fault} (#{digit})",
            {at: patch_of("a\n", "b\n")},
            repo="vllm-project/vllm",
            body="Rows past it.",
        )
        for digit, fault, at in (("1", "wrong logits", path), ("2", "a crash", "vllm/engine/scheduler.py"))
    )
    made = graded(report(wrong, stops), dict.fromkeys("12", "medium"))
    for has, first in ((True, "1"), (None, "2")):
        entries = tuple(replace(e, exposure=Exposure("v1.2", has=has)) for e in made.entries)
        actions = first_screen((replace(made, entries=entries),))[0]
        assert actions[0].commits[0][0] == first


def test_what_is_for_a_part_that_few_run_stands_below_the_screen() -> None:
    option = 'merge = os.environ.get("ENGINE_MERGE", "{}")\n'
    path = "engine/multimodal_gen/runtime/lora.py"
    change = commit("6", "Merge in float (#6)", {path: patch_of(option.format(0), option.format(1))})
    turned = finding(change, "env_default_changed", path, "ENGINE_MERGE", before="0", after="1")
    found = day(report(change, extra=(turned,)))
    assert found.actions == ()
    assert [action.tag for action in found.also] == [""]


def test_what_no_release_has_is_nothing_that_a_fork_follows() -> None:
    change = commit("6", "Rework the context (#6)", lines("slot_map", "a", "b", "c"))
    gone = finding(
        change, "function_removed", "engine/context.py", "Young.slot_map", before="def slot_map():", alias=Alias("none")
    )
    made = report(change, extra=(gone,))
    for absent, tags in (((), ["fork"]), (("Young",), [])):
        entries = (replace(made.entries[0], exposure=Exposure("v1.2", absent=absent)),)
        assert [action.tag for action in day(replace(made, entries=entries)).actions] == tags


def test_what_callers_meet_is_told_before_a_field_and_up_to_three_names_of_it_are_named() -> None:
    change = commit("6", "Remove inplace experts (#6)", lines("inplace", "a", "b", "c"))
    gone = {"before": "inplace", "breaking": True, "alias": Alias("none")}
    field = finding(change, "internal_field_removed", "engine/config.py", "Config.inplace_experts", **gone)
    calls = [
        finding(change, "internal_parameter_removed", f"engine/{name}.py", f"{name}(inplace)", number=at, **gone)
        for at, name in enumerate(("experts", "kernel", "marlin", "pool"), 2)
    ]
    (line,) = day(report(change, extra=(field, *calls))).actions
    assert line.text["en"].startswith(
        "`Remove inplace experts`: an internal interface loses the parameter `experts(inplace)`"
    )
    assert "Gone as well: `kernel(inplace)` and `marlin(inplace)`. And 2 more." in line.text["en"]


def test_a_story_stands_where_the_gravest_of_its_changes_does() -> None:
    gone = dropped(7)
    made = graded(report(*gone), {**dict.fromkeys("123456", "medium"), "7": "low"})
    of_story = {gone[0].sha, gone[-1].sha}
    entries = tuple(replace(e, story="fixup-1") if e.change.sha in of_story else e for e in made.entries)
    found = day(replace(made, entries=entries))
    assert [action.commits[0][0] for action in found.actions] == ["1", "2", "3", "4"]

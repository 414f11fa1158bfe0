"""The grade of a change: what it is shown to do, and whom it reaches; a title decides nothing."""

from typing import Any

import pytest

from daybreak.core.config import ReaderConfig
from daybreak.core.model.findings import Alias, Finding, Reading
from daybreak.core.model.statements import Importance
from daybreak.judge.importance import EFFECTS, importance
from daybreak.judge.reach import EVERYBODY
from daybreak.judge.rules import grade as grade_whole
from read.made import change_of, patch_of, read_one

FLAG = patch_of('    p.add_argument("--kv", default=1)\n', "")
CODE = patch_of("    a = 1\n", "    a = 2\n")
TEST = {"tests/test_core.py": CODE}
WRONG = patch_of("    a = 1\n", "    # The engine sampled stale rows, so its output was garbage.\n    a = 2\n")
CRASHED = patch_of("    a = 1\n", "    # A batch of the engine that is empty would crash here.\n    a = 2\n")
KNOWN = "vllm-project/vllm"
"""A project of the field, of which it is known what its folders mean."""


def grade(files: dict[str, str], subject: str, reader: ReaderConfig = EVERYBODY, **fields: Any) -> Importance:
    change = change_of(files, subject=subject, **fields)
    return grade_whole(change, read_one(change), reader).importance


def shown(kind: str, subject: str = "Tidy (#1)", path: str = "engine/core.py", **fields: Any) -> Importance:
    """The grade of a change in which one finding stands."""
    change = change_of({path: CODE}, subject=subject)
    found = Finding(f"{change.short}/1", kind, path, 1, **{"symbol": "Engine.step", **fields})
    return grade_whole(change, Reading(change.sha, areas={"code": 1}, findings=(found,))).importance


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("docs/a.md", "only_docs"),
        ("tests/test_a.py", "only_test"),
        (".github/workflows/a.yml", "only_ci"),
    ],
)
def test_what_no_user_sees_is_low_whatever_the_title_says(path: str, reason: str) -> None:
    found = grade({path: CODE}, "[Security] Fix crash, wrong results and hang: BREAKING CHANGE")
    assert (found.level, found.reasons[0].code) == ("low", reason)


def test_a_removed_flag_is_high_and_says_why() -> None:
    found = grade({"python/engine/server_args.py": FLAG}, "Clean up arguments")
    assert found.level == "high"
    assert found.reasons[0].text == {"zh": "删除命令行参数 `--kv`", "en": "removes CLI flag `--kv`"}


def test_a_removed_flag_that_no_release_had_breaks_nobody_is_medium_and_says_why() -> None:
    change = change_of({"python/engine/server_args.py": FLAG}, subject="Clean up arguments")
    entry = grade_whole(change, read_one(change), absent=("kv",))
    assert (entry.importance.level, entry.breaking, entry.marks) == ("medium", False, ())
    assert [reason.code for reason in entry.importance.reasons] == ["unreleased"]


def test_an_option_of_a_script_and_a_model_that_goes_stop_few() -> None:
    assert shown("cli_flag_removed", path="engine/plot.py", symbol="--kv", breaking=True).level == "medium"
    assert shown("model_removed", path="engine/registry.py", symbol="Plamo", breaking=True).level == "medium"


def test_another_reader_before_a_check_counts_but_is_a_matter_of_security_only_where_the_title_says_so() -> None:
    found = [shown("trust_changed", title).level for title in ("Tidy (#1)", "[Security] Tidy (#1)")]
    assert found == ["medium", "high"]


def test_what_a_revert_takes_back_came_a_moment_ago() -> None:
    found = grade({"python/engine/server_args.py": FLAG}, 'Revert "Add a flag" (#1)')
    assert (found.level, found.reasons[0].code) == ("medium", "revert")


@pytest.mark.parametrize(
    ("kind", "breaking", "level"),
    [
        ("class_removed", True, "high"),
        ("base_removed", True, "medium"),
        ("extension_method_removed", True, "high"),
        ("extension_method_renamed", True, "high"),
        ("extension_method_added", True, "medium"),
        ("class_removed", False, "medium"),
        ("class_moved", False, "medium"),
        ("function_removed", False, "low"),
        ("internal_parameter_removed", True, "low"),
    ],
)
def test_what_plug_ins_implement_is_graver_than_what_they_can_import(kind: str, breaking: bool, level: str) -> None:
    """What users are offered is graver than both; what the project alone calls is nobody's."""
    assert shown(kind, before="x", after=None, breaking=breaking).level == level


@pytest.mark.parametrize(("files", "level"), [(1, "low"), (3, "high")])
def test_a_field_that_much_is_built_on_is_a_contract(files: int, level: str) -> None:
    uses = {f"engine/use_{n}.py": patch_of("    a(context.lane)\n", "    a()\n") for n in range(files)}
    change = change_of({"engine/context.py": CODE} | uses, subject="Tidy (#1)")
    gone = Finding("1/1", "internal_field_removed", "engine/context.py", 1, "Context.lane", "lane: int", breaking=True)
    assert grade_whole(change, Reading(change.sha, areas={"code": 2}, findings=(gone,))).importance.level == level


@pytest.mark.parametrize(("subject", "level"), [("Fix Basic Models", "medium"), ("Fix Basic Models Test", "low")])
def test_a_fix_of_a_test_is_none_that_a_deployment_wants(subject: str, level: str) -> None:
    note = "# The rows are looked up again here since they may be empty.\n"
    assert (
        grade({"engine/core.py": patch_of("    a = 1\n", f"    {note}    a = 2\n")}, f"{subject} (#1)").level == level
    )


def test_wrong_results_that_the_author_speaks_of_are_high() -> None:
    found = grade({"engine/core.py": WRONG}, "Fix stale rows of the engine (#1)")
    assert (found.level, found.reasons[0].code) == ("high", "corrupts")
    assert grade({"engine/core.py": WRONG}, "Refactor stale rows of the engine (#1)").level == "low"


@pytest.mark.parametrize(
    ("subject", "code", "said"),
    [
        ("Fix wrong logits of the engine (#1)", "corrupts", "its author says that results were wrong"),
        ("Fix stale rows of the engine (#1)", "corrupts", "its author speaks of “stale rows”"),
        ("Fix race of the engine (#1)", "corrupts", "its author speaks of “stale rows”"),
        ("Fix crash of the engine (#1)", "crash", "its author says that it crashed"),
        ("Fix overflow of the engine (#1)", "crash", "its author speaks of “overflow”"),
        ("Fix hang of the engine (#1)", "hang", "its author says that it hung"),
    ],
)
def test_what_an_author_is_said_to_say_stands_in_the_authors_words(subject: str, code: str, said: str) -> None:
    reason = grade({"engine/core.py": WRONG}, subject).reasons[0]
    assert (reason.code, reason.text["en"]) == (code, said)


def test_what_lines_alone_show_no_author_is_said_to_say() -> None:
    before, after = "run(\n    rows=rows,\n)\n", "run(\n    rows=rows,\n    scale=scale,\n)\n"
    reason = grade({"engine/core.py": patch_of(before, after)}, "Fix (#1)").reasons[0]
    assert reason.code == "corrupts"
    assert "author says" not in reason.text["en"]
    assert "作者说明" not in reason.text["zh"]


@pytest.mark.parametrize(
    ("title", "note", "body", "code"),
    [
        ("the store", "startup race condition", "", "mends"),
        ("the store", "race condition of one log file", "", "mends"),
        ("the store", "a race for the values of a buffer", "", "corrupts"),
        ("the store", "a race for a buffer raises an error", "", "mends"),
        ("a race of the store", "a place for outputs, avoiding races", "", "corrupts"),
        (
            "a race of the store",
            "a place for outputs, avoiding races",
            "Two builds race, which gives an error.",
            "mends",
        ),
        ("a race of the store", "would hang for long", "", "hang"),
    ],
)
def test_a_race_is_a_wrong_result_only_where_words_speak_of_values(title: str, note: str, body: str, code: str) -> None:
    new = f"    # The store of the engine: {note}\n    a = 2\n"
    found = grade({"engine/core.py": patch_of("    a = 1\n", new)}, f"Fix {title} of the engine (#1)", body=body)
    assert found.reasons[0].code == code


def test_a_comment_on_something_else_is_no_evidence() -> None:
    assert grade({"engine/core.py": WRONG}, "Fix the tokenizer (#1)").reasons[0].code == "mends"


GUARDED = patch_of("    a = 1\n", "    if not rows:\n        return 0\n    a = 2\n")


@pytest.mark.parametrize(("fault", "level", "code"), [("deadlock", "high", "hang"), ("crash", "medium", "crash")])
def test_what_stops_under_load_is_high_and_what_is_met_at_the_first_try_is_medium(
    fault: str, level: str, code: str
) -> None:
    for where in ("", "nightly CI: "):
        found = grade({"engine/core.py": GUARDED}, f"Fix {where}{fault} of an engine with an empty batch (#1)")
        assert (found.level, found.reasons[0].code) == (level, code)
    assert grade({"engine/core.py": CRASHED}, "Fix an engine with an empty batch (#1)").level == "medium"


def test_a_fix_of_what_a_program_logs_is_low() -> None:
    for said, level in (
        ("the order of requests", "medium"), ("log_softmax of a request", "medium"), ("log probs", "medium"),
        ("the order of logs", "low"), ("a warning", "low"),
    ):  # fmt: skip
        assert grade({"engine/core.py": CRASHED}, f"Fix {said} (#1)").level == level


def test_a_leak_is_medium_and_says_so_where_another_place_bears_it_out() -> None:
    leaked = patch_of("run()\n", "# The blocks of a request would be orphaned, since no rank frees them.\nrun(1)\n")
    found = grade({"engine/core.py": leaked}, "Fix orphaned blocks of a request (#1)")
    assert (found.level, found.reasons[0].code) == ("medium", "leak")
    assert grade({"engine/core.py": CODE} | TEST, "Fix orphaned blocks of a request (#1)").reasons[0].code == "mends"


def test_a_fix_of_which_nothing_is_said_is_low() -> None:
    big = patch_of("", "".join(f"x{n} = {n}\n" for n in range(12)))
    assert grade({"engine/core.py": big}, "Fix the sampler (#1)").level == "low"


def test_a_fix_of_a_few_lines_counts_where_words_or_a_test_bear_it_out() -> None:
    assert grade({"engine/core.py": CODE}, "Fix the sampler (#1)").level == "low"
    assert grade({"engine/core.py": CODE} | TEST, "Fix the sampler (#1)").level == "medium"
    assert grade({"engine/core.py": WRONG}, "Fix the tokenizer (#1)").level == "medium"


@pytest.mark.parametrize(
    ("path", "level"),
    [
        ("vllm/v1/core/pool.py", "medium"),
        ("vllm/v1/attention/paged.py", "medium"),
        ("vllm/model_executor/model_loader/weights.py", "medium"),
        ("vllm/model_executor/models/first.py", "low"),
        ("vllm/assets/base.py", "low"),
    ],
)
def test_a_fix_of_a_few_lines_counts_in_a_part_that_has_a_name_and_is_not_one_models(path: str, level: str) -> None:
    assert grade({path: CODE}, "Fix the size of a page (#1)", repo=KNOWN).level == level


def test_a_fix_that_is_tagged_as_one_of_the_checks_mends_nothing_that_users_run() -> None:
    assert grade({"engine/core.py": WRONG}, "[Bugfix][CI] Fix the tokenizer (#1)").level == "low"


@pytest.mark.parametrize(
    ("subject", "level"),
    [
        ("[Core] Merge pages by default (#1)", "high"),
        ("[Core] Default merging of pages to one rank (#1)", "high"),
        ("Make merged pages the default (#1)", "high"),
        ("Add merged pages, off by default (#1)", "low"),
        ("Merge pages (#1)", "low"),
    ],
)
def test_another_default_that_the_title_speaks_of_is_high_where_statements_are_others(subject: str, level: str) -> None:
    assert grade({"engine/core.py": CODE}, subject).level == level
    new = grade({"engine/core.py": patch_of("", "    a = 2\n")}, subject)
    assert (new.level, new.reasons) == ("low", ())


def test_an_operator_that_goes_is_high_since_those_outside_call_it() -> None:
    gone = shown(
        "operator_removed", symbol="engine::paged", before="engine::paged(Tensor x)", after=None, breaking=True
    )
    assert gone.level == "high"


def test_an_extension_point_that_goes_is_high_though_the_project_itself_has_no_use_for_it() -> None:
    gone: dict[str, Any] = {"before": "def scale(self, name)", "after": None, "breaking": False}
    assert shown("extension_method_removed", alias=Alias("none"), **gone).level == "high"
    assert shown("extension_method_removed", alias=Alias("kept", "scale_of"), **gone).level == "low"


def test_what_users_read_says_that_something_is_to_go() -> None:
    said = patch_of("", "The role **both** (deprecated): name the role of each worker instead.\n")
    turned = {"vllm/engine/roles.py": patch_of("    run(a)\n", "    run(b)\n"), "docs/roles.md": said}
    found = grade(turned, "Take roles of workers one by one (#1)")
    assert (found.level, found.reasons[0].code) == ("medium", "deprecates")


@pytest.mark.parametrize(
    ("path", "test", "level"),
    [
        ("vllm/v1/core/pool.py", TEST, "medium"),
        ("vllm/v1/core/pool.py", {}, "low"),
        ("vllm/v1/attention/paged.py", TEST, "low"),
        ("vllm/assets/base.py", TEST, "low"),
    ],
)
def test_work_on_what_every_request_runs_through_counts_where_a_test_holds_it(
    path: str, test: dict[str, str], level: str
) -> None:
    told = patch_of(
        "    a = 1\n", "    # Blocks of the pool are merged, so that no rank waits for another.\n    a = 2\n"
    )
    assert grade({path: told} | test, "Merge blocks of the pool (#1)", repo=KNOWN).level == level


@pytest.mark.parametrize(
    ("path", "test", "level"),
    [
        ("vllm/v1/core/sched/pages.py", TEST, "low"),
        ("vllm/v1/core/sched/pages.py", {}, "low"),
        ("vllm/assets/base.py", TEST, "low"),
    ],
)
def test_what_is_new_and_breaks_nobody_asks_for_nothing_wherever_it_stands(
    path: str, test: dict[str, str], level: str
) -> None:
    note = "    # Pages of two sizes are held apart, because a kernel reads one of them at a time.\n    a = 2\n"
    files = {path: patch_of("    a = 1\n", note)} | test
    assert grade(files, "Support pages of two sizes (#1)", repo=KNOWN).level == level
    assert grade({path: CODE} | test, "Support pages of two sizes (#1)", repo=KNOWN).level == "low"  # no word of how


@pytest.mark.parametrize(
    ("subject", "level"), [("[Perf] Speed up the sampler by 12%", "medium"), ("[Perf] Speed up the sampler", "low")]
)
def test_speed_is_medium_where_somebody_says_how_much(subject: str, level: str) -> None:
    assert grade({"engine/core.py": CODE}, subject).level == level


def test_tuned_values_are_speed_where_the_title_says_how_much() -> None:
    tuned = {"engine/configs/moe.json": patch_of('{"block": 1}\n', '{"block": 2}\n')}
    assert grade(tuned, "[Perf] Tune the experts (+25% at batch 96)").level == "medium"
    assert grade(tuned, "[Perf] Tune the experts").level == "low"


def test_what_a_fix_says_counts_only_where_it_alters_what_users_run() -> None:
    found = grade({"engine/core.py": patch_of("# a\n", "# b\n")}, "Fix wrong output of the engine (#1)")
    assert (found.level, found.reasons[0].code) == ("low", "only_inert")


@pytest.mark.parametrize(
    "word",
    ["Support", "Enable", "Add", "E2E", "7.0.x", "stale", "stream", "blocking", "BREAKING CHANGE:"],
)
def test_no_other_word_of_a_title_changes_a_level(word: str) -> None:
    plain, told = (grade({"engine/util.py": CODE}, f"The {said} path of a kernel") for said in ("x", word))
    assert plain == told


def test_a_fix_that_alters_source_is_medium_and_one_of_the_build_alone_low() -> None:
    assert grade({"engine/core.py": CODE} | TEST, "Fix the sampler (#1)").level == "medium"
    assert grade({"docker/Dockerfile": patch_of("RUN a\n", "RUN b\n")}, "Fix the image (#1)").level == "low"


def test_that_we_see_no_effect_is_no_reason_where_a_statement_that_users_run_is_another() -> None:
    found = grade({"engine/core.py": CODE}, "Rework the sampler (#1)")
    assert (found.level, found.reasons) == ("low", ())


def test_a_mixed_commit_is_graded_by_its_code() -> None:
    alone = grade({"engine/a.py": CODE}, "Fix wrong output")
    mixed = grade({"engine/a.py": CODE, "docs/a.md": CODE, ".github/w.yml": CODE}, "Fix wrong output")
    assert mixed.level == alone.level


def test_tags_of_titles_change_nothing_but_hardware() -> None:
    tagged = grade({"engine/a.py": CODE}, "[Bugfix][Core] Fix wrong output (#12)")
    plain = grade({"engine/a.py": CODE}, "Fix wrong output")
    assert tagged == plain
    other = grade({"engine/a.py": CODE}, "[Bugfix][ROCm] Fix wrong output (#12)")
    assert (plain.level, other.level) == ("high", "low")


def test_a_version_bump_is_low() -> None:
    assert grade({"pyproject.toml": patch_of('version = "1.0"\n', 'version = "1.1"\n')}, "Release 1.1").level == "low"
    assert grade({"version.txt": patch_of("1.0\n", "1.1\n")}, "bump version to 1.1").level == "low"


def test_an_empty_commit_is_low() -> None:
    assert grade({}, "Fix security hole", empty=True).level == "low"


def test_what_could_not_be_read_is_open() -> None:
    found = grade({}, "x", skipped="missing object")
    assert (found.level, found.reasons[0].code) == ("medium", "unread")


def test_the_scale_falls_and_scores_stand_in_their_levels() -> None:
    levels = [level for level, _ in EFFECTS]
    assert levels == sorted(levels, key=("high", "medium").index)
    high = grade({"python/engine/server_args.py": FLAG}, "Clean up arguments")
    medium = grade({"engine/core.py": CODE} | TEST, "Fix the sampler (#1)")
    low = grade({"engine/core.py": CODE}, "Rework the sampler (#1)")
    assert 1 >= high.score >= 0.9 > medium.score >= 0.5 > low.score > 0


@pytest.mark.parametrize("subject", ["Tidy (#1)", "Fix a (#1)", "[Refactor] Move a (#1)", "Add a (#1)", "Merge x"])
@pytest.mark.parametrize(
    "path", ["lib/core/a.py", "src/a.rs", "pkg/engine/a.go", "engine/rocm/a.py", "engine/models/a.py"]
)
def test_a_reason_has_the_direction_of_its_grade(subject: str, path: str) -> None:
    found = grade({path: CODE}, subject, repo=KNOWN)
    lowers = {"unshown", "one_model", "few", "not_yours"}
    assert {reason.code in lowers for reason in found.reasons} <= {found.level == "low"}
    assert found.reasons or found.level == "low"


def test_what_only_training_runs_is_called_so_and_not_a_part_that_few_run() -> None:
    found = grade({"engine/ops/backward.py": CODE} | TEST, "Fix wrong output of a pass (#1)")
    assert [(r.code, r.text["en"]) for r in found.reasons if r.code == "few"] == [
        ("few", "concerns what only training runs")
    ]


@pytest.mark.parametrize(("repo", "level"), [(KNOWN, "medium"), ("acme/shop", "high")])
def test_one_model_reaches_fewer_and_only_in_projects_that_have_models(repo: str, level: str) -> None:
    found = grade({"shop/models/order.py": CODE}, "Fix wrong output of an order (#1)", repo=repo)
    assert found.level == level


def test_a_finding_reaches_those_who_run_the_file_it_stands_in() -> None:
    files = {"engine/rocm/server_args.py": FLAG, "engine/core.py": CODE, "engine/util.py": CODE}
    assert grade(files, "Tidy (#1)").level == "medium"


@pytest.mark.parametrize(
    ("paths", "reader", "goes_down"),
    [
        (["engine/kernels/gemm_sm90.cu"], ReaderConfig(hardware=("sm100",)), True),
        (["engine/kernels/gemm_sm90.cu"], ReaderConfig(hardware=("sm90", "sm100")), False),
        (["engine/kernels/gemm_sm90.cu"], ReaderConfig(hardware=("H100",)), False),
        (["engine/kernels/gemm_sm90.cu", "engine/core.py"], ReaderConfig(hardware=("sm100",)), False),
        (["engine/platforms/rocm.py"], ReaderConfig(hardware=("sm90",)), True),
        (["engine/platforms/rocm.py"], ReaderConfig(hardware=("gfx942",)), False),
        (["engine/platforms/rocm.py"], ReaderConfig(), True),
        (["engine/models/qwen3.py"], ReaderConfig(models=("deepseek",)), True),
        (["engine/models/deepseek_v3.py"], ReaderConfig(models=("DeepSeek-V3",)), False),
        (["engine/models/registry.py"], ReaderConfig(models=("deepseek",)), False),
        (["engine/diffusion/pipe.py"], ReaderConfig(ignore=("diffusion",)), True),
        (["engine/core.py"], ReaderConfig(ignore=("diffusion",), hardware=("sm90",), models=("x",)), False),
        (["engine/core.py", "tests/diffusion/test_a.py"], ReaderConfig(ignore=("diffusion",)), False),
        (["engine/core.py"], ReaderConfig(), False),
    ],
)
def test_a_fix_of_what_the_reader_has_not_is_low(paths: list[str], reader: ReaderConfig, goes_down: bool) -> None:
    found = grade(dict.fromkeys(paths, CODE), "Fix wrong output (#1)", reader)
    assert found.level == ("low" if goes_down else "high")
    assert ("not_yours" in [reason.code for reason in found.reasons]) is goes_down


def test_whose_a_change_is_follows_most_of_its_lines_and_not_its_first_file() -> None:
    long = patch_of("a()\n" * 40, "b()\n" * 40)
    files = {"vllm/models/lima/amd/rocm.py": CODE, "vllm/models/lima/core.py": long}
    change = change_of(files, subject="Tidy (#1)", repo=KNOWN)
    found = [Finding(f"{change.short}/{n}", "guard_added", path, 1, "Lima.run") for n, path in enumerate(files)]
    entry = grade_whole(change, Reading(change.sha, areas={"code": 1}, findings=tuple(found)))
    assert [reason.code for reason in entry.importance.reasons] == ["one_model"]


KERNEL = "    # The kernel of the library is taken.\n"
CHOSEN = patch_of("    out = plain_gemm(x)\n", f"{KERNEL}    out = cutlass_gemm(x)\n")


@pytest.mark.parametrize(
    ("files", "subject", "level"),
    [
        ({"engine/core.py": CHOSEN}, "[Kernel] Use CUTLASS for the gemm of prefill", "medium"),
        ({"engine/core.py": CHOSEN}, "[Kernel] Tidy the gemm of prefill", "low"),
        ({"engine/core.py": patch_of("", f"{KERNEL}    out = cutlass_gemm(x)\n")}, "Use CUTLASS for prefill", "low"),
        ({"engine/core.py": CODE}, "[Kernel] Use CUTLASS for the gemm of prefill", "low"),
    ],
)
def test_another_library_that_does_the_work_is_medium_where_lines_bear_the_title_out(
    files: dict[str, str], subject: str, level: str
) -> None:
    assert grade(files, subject).level == level


def test_another_library_behind_a_new_switch_is_met_by_nobody_who_does_not_ask_for_it() -> None:
    flag = patch_of("", '    parser.add_argument("--gemm", default="plain")\n')
    found = grade(
        {"engine/core.py": CHOSEN, "python/engine/server_args.py": flag}, "Use CUTLASS for the gemm of prefill"
    )
    assert "chooses" not in [reason.code for reason in found.reasons]


def test_a_low_grade_of_a_marked_change_does_not_say_that_nothing_shows_an_effect() -> None:
    found = shown("function_removed", path="engine/inner.py", before="def step():", alias=Alias("none"))
    assert (found.level, [reason.code for reason in found.reasons]) == ("low", ["inner"])


def test_a_default_of_what_looks_into_a_program_is_no_matter_of_all() -> None:
    for name, level in (("profiler_with_stack", "medium"), ("prefix_with_stack", "high")):
        path = "engine/config/settings.py"
        change = change_of({path: patch_of("a()\n", "b()\n")}, subject="Take schedules")
        found = Finding(
            f"{change.sha[:12]}/1", "field_default_changed", path, 1, f"Config.{name}", "True", "False", breaking=True
        )
        assert importance(change, Reading(change.sha, {"api": 1}, findings=(found,)), "other", None).level == level


@pytest.mark.parametrize(
    ("path", "title", "level"),
    [
        ("engine/core.py", "Fuse by default (#1)", "high"),
        ("engine/core.py", "[Log] Once by default (#1)", "low"),
        ("engine/logger.py", "Once by default (#1)", "low"),
        ("engine/debug_utils.py", "Once by default (#1)", "low"),
    ],
)
def test_another_default_of_what_logs_is_never_high(path: str, title: str, level: str) -> None:
    assert grade({path: CODE}, title).level == level

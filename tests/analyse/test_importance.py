"""Importance by effect: what breaks is high, what no user sees is low, whatever the title says."""

from typing import Any

import pytest

from daybreak.core.config import ReaderConfig
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.statements import Importance, Reason
from daybreak.findings.reading import read_one
from daybreak.judge.change_kinds import kind_of
from daybreak.judge.importance import HIGH, features, importance, is_decisive, weights
from daybreak.judge.reader_grade import for_reader
from daybreak.judge.rules import grade as grade_whole
from read.made import change_of, patch_of

FLAG = patch_of('    p.add_argument("--kv", default=1)\n', "")
CODE = patch_of("    a = 1\n", "    a = 2\n")


def grade(files: dict[str, str], subject: str, **fields: Any) -> Importance:
    change = change_of(files, subject=subject, **fields)
    reading = read_one(change)
    return importance(change, reading, kind_of(change, reading))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("docs/a.md", "only_docs"),
        ("tests/test_a.py", "only_test"),
        (".github/workflows/a.yml", "only_ci"),
    ],
)
def test_what_no_user_sees_is_low(path: str, reason: str) -> None:
    found = grade({path: CODE}, "[Security] Fix crash, wrong results and hang: BREAKING CHANGE")
    assert (found.level, found.reasons[0].code) == ("low", reason)


def test_a_removed_flag_is_high_and_says_why() -> None:
    change = change_of({"python/engine/server_args.py": FLAG}, subject="Clean up arguments")
    found = grade_whole(change, read_one(change)).importance
    assert found.level == "high"
    assert found.reasons[0].text == {"zh": "删除命令行参数 `--kv`", "en": "removes CLI flag `--kv`"}


def test_code_that_runs_again_is_not_low_though_its_title_speaks_of_ci() -> None:
    change = change_of({"engine/ops.py": patch_of("    return\n", "")}, subject="[CI] Tidy topk (#1)")
    ran = Finding("1/1", "switched_on", "engine/ops.py", 3, "topk", "return", "kernel(x)")
    quiet, told = (importance(change, Reading(change.sha, findings=some), "refactor") for some in ((), (ran,)))
    assert (quiet.level, told.level) == ("low", "medium")


def test_what_a_fix_says_that_it_repairs_raises_it_where_it_alters_something() -> None:
    plain = grade({"engine/util.py": CODE}, "Fix the scheduler")
    told = grade({"engine/util.py": CODE}, "Fix corrupted output in scheduler")
    talk = grade({"engine/util.py": patch_of("    # a\n", "    # b\n")}, "Fix corrupted output in scheduler")
    assert told.score > plain.score
    assert "fixes wrong results" in [r.text["en"] for r in told.reasons]
    assert (talk.level, talk.reasons[0].code) == ("low", "only_inert")


@pytest.mark.parametrize(
    "word", ["Support", "Enable", "Add", "E2E", "7.0.x", "stale", "by default", "stream", "blocking"]
)
def test_no_other_word_of_a_title_changes_a_grade(word: str) -> None:
    plain, told = (grade({"engine/util.py": CODE}, f"Feature: {said} the path of a kernel") for said in ("x", word))
    assert (plain.level, plain.score) == (told.level, told.score) or told.reasons[0].code == "kind_feature"


def test_wrong_results_weigh_more_than_a_crash() -> None:
    wrong = grade({"engine/a.py": CODE}, "Fix wrong output of the sampler")
    crash = grade({"engine/a.py": CODE}, "Fix a crash of the sampler")
    assert wrong.score > crash.score


def test_a_mixed_commit_is_graded_by_its_code() -> None:
    alone = grade({"engine/a.py": CODE}, "Fix wrong output")
    mixed = grade({"engine/a.py": CODE, "docs/a.md": CODE, ".github/w.yml": CODE}, "Fix wrong output")
    assert mixed.level == alone.level


def test_tags_of_titles_change_nothing() -> None:
    tagged = grade({"engine/a.py": CODE}, "[Bugfix][Core][ROCm] Fix wrong output (#12)")
    plain = grade({"engine/a.py": CODE}, "Fix wrong output")
    assert tagged == plain


def test_size_is_bounded() -> None:
    large = patch_of("".join(f"a{i} = {i}\n" for i in range(3000)), "".join(f"b{i} = {i}\n" for i in range(3000)))
    change = change_of({"engine/a.py": large}, subject="Rework")
    reading = read_one(change)
    assert all(0 <= f.value <= 1 for f in features(change, reading, kind_of(change, reading)))


def test_a_code_file_in_a_folder_called_media_is_code() -> None:
    assert not is_decisive(grade({"engine/media/video.py": CODE}, "Enforce a frame limit").reasons[0].code)


def test_a_version_bump_is_low() -> None:
    assert grade({"pyproject.toml": patch_of('version = "1.0"\n', 'version = "1.1"\n')}, "Release 1.1").level == "low"
    assert grade({"version.txt": patch_of("1.0\n", "1.1\n")}, "bump version to 1.1").level == "low"


def test_an_empty_commit_is_low() -> None:
    assert grade({}, "Fix security hole", empty=True).level == "low"


def test_what_could_not_be_read_is_open() -> None:
    found = grade({}, "x", skipped="missing object")
    assert (found.level, found.reasons[0].code) == ("medium", "unread")


def test_the_levels_part_the_scores() -> None:
    assert 0 < weights().medium < HIGH < 1


def test_no_feature_knows_a_repository() -> None:
    names = " ".join(weights().weight)
    assert not any(word in names for word in ("vllm", "sglang", "flashinfer", "cutlass"))


@pytest.mark.parametrize(
    ("paths", "reader", "goes_down"),
    [
        (["engine/kernels/gemm_sm90.cu"], ReaderConfig(hardware=("sm100",)), True),
        (["engine/kernels/gemm_sm90.cu"], ReaderConfig(hardware=("sm90", "sm100")), False),
        (["engine/kernels/gemm_sm90.cu", "engine/core.py"], ReaderConfig(hardware=("sm100",)), False),
        (["engine/platforms/rocm.py"], ReaderConfig(hardware=("sm90",)), True),
        (["engine/platforms/rocm.py"], ReaderConfig(hardware=("gfx942",)), False),
        (["engine/models/qwen3.py"], ReaderConfig(models=("deepseek",)), True),
        (["engine/models/deepseek_v3.py"], ReaderConfig(models=("DeepSeek-V3",)), False),
        (["engine/models/registry.py"], ReaderConfig(models=("deepseek",)), False),
        (["engine/diffusion/pipe.py"], ReaderConfig(ignore=("diffusion",)), True),
        (["engine/core.py"], ReaderConfig(ignore=("diffusion",), hardware=("sm90",), models=("x",)), False),
        (["engine/core.py", "tests/diffusion/test_a.py"], ReaderConfig(ignore=("diffusion",)), False),
        (["engine/core.py"], ReaderConfig(), False),
    ],
)
def test_what_is_not_the_readers_goes_down(paths: list[str], reader: ReaderConfig, goes_down: bool) -> None:
    change = change_of(dict.fromkeys(paths, CODE), subject="[diffusion] Qwen on sm90")
    found = for_reader(Importance("high", 0.9), change, reader)
    assert (found.level == "medium" and found.reasons[0].code == "not_yours" and found.score < 0.9) is goes_down


def test_other_hardware_goes_down_for_whoever_names_none() -> None:
    change = change_of({"engine/platforms/rocm.py": CODE}, subject="Add a path")
    assert for_reader(Importance("high", 0.9), change, ReaderConfig()).level == "medium"
    low = for_reader(Importance("medium", 0.5, (Reason("kind_feature", {"en": "new"}),)), change, ReaderConfig())
    assert (low.level, [reason.code for reason in low.reasons]) == ("low", ["not_yours"])
    assert for_reader(Importance("high", 0.9), change, ReaderConfig(hardware=("gfx942",))).level == "high"

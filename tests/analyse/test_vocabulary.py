"""Words of subjects: what a fix says that it repairs, which hardware a title or path names."""

import pytest

from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Kind
from daybreak.findings.reading import read_one
from daybreak.judge.change_kinds import elsewhere
from daybreak.judge.faults import fault
from daybreak.judge.vocabulary import for_few, hardware, model_of
from daybreak.upgrade.fork.forking import wanted
from read.made import change_of, patch_of

CODE = patch_of("    a = 1\n", "    a = 2\n")


def entry(subject: str, kind: Kind = "fix") -> Entry:
    change = change_of({"engine/core.py": CODE}, subject=subject)
    return Entry(change, read_one(change), kind, Importance("medium", 0.5))


def repair(subject: str) -> str | None:
    of = entry(subject)
    found = fault(of.change, of.kind)
    return found.kind if found else None


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("Fix wrong logits of the draft", "wrong_result"),
        ("[Bugfix] Fix garbled output after a swap", "wrong_result"),
        ("Fix NaN in softmax", "wrong_result"),
        ("Fix hang at exit", "hang"),
        ("Fix a deadlock of the queue", "hang"),
        ("Fix OOB read in grouped GEMM", "crash"),
        ("Fix out-of-bounds access", "crash"),
        ("Fix KeyError from a vocabulary", "crash"),
        ("Fix a regression of the norm", "regression"),
    ],
)
def test_a_fix_says_what_it_repairs_in_words_that_mean_nothing_else(subject: str, kind: str) -> None:
    assert repair(subject) == kind


@pytest.mark.parametrize(
    "subject",
    [
        "Fix stale build-args",
        "Fix duplicated import",
        "Fix repo sync writing a file to the wrong path",
        "Fix precision flag",
        "Fix broken doc examples",
        "Fix blocking copy",
        "Fix test failure",
        "Release the pin on failed store",
    ],
)
def test_a_word_that_means_several_things_claims_nothing(subject: str) -> None:
    assert repair(subject) is None


def test_only_a_fix_repairs() -> None:
    of = entry("Add a check for wrong results", "feature")
    assert fault(of.change, of.kind) is None


@pytest.mark.parametrize(
    ("subject", "zh"),
    [("Fix wrong logits", "修复结果错误"), ("Fix hang at exit", "修复卡死"), ("Fix crash at start", "修复崩溃或报错")],
)
def test_what_a_fix_repairs_is_said_for_a_fork(subject: str, zh: str) -> None:
    wish = wanted(entry(subject))
    assert wish is not None
    assert wish.why["zh"].startswith(zh)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("engine/core.py", "    # The queue of the engine would deadlock at exit.\n    a = 2\n"),
        ("tests/test_core.py", "def test_queue_of_the_engine_does_not_deadlock():\n    pass\n"),
    ],
)
def test_a_fix_also_says_in_comments_and_tests_what_it_repairs(path: str, text: str) -> None:
    files = {"engine/core.py": CODE} | {path: patch_of("    a = 1\n", text)}
    found = fault(change_of(files, subject="Fix the queue of the engine"), "fix")
    assert found is not None
    assert found.quote is not None
    assert (found.kind, found.titled, found.quote.path) == ("hang", False, path)
    assert fault(change_of(files, subject="Fix another part of it"), "fix") is None


def test_an_error_that_a_docstring_says_is_raised_is_no_fault() -> None:
    raised = patch_of("    a = 1\n", '    """The engine raises ValueError for a queue that leaks."""\n    a = 2\n')
    assert fault(change_of({"engine/core.py": raised}, subject="Fix the queue of the engine"), "fix") is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("engine/rocm/attention.py", {"rocm"}),
        ("engine/platforms/xpu.py", {"xpu"}),
        ("csrc/cpu/gemm.cpp", {"cpu"}),
        ("engine/kv_offload/cpu/manager.py", set()),
        ("engine/sm90_kernel.cu", {"sm90"}),
        ("engine/shipping.py", set()),
        ("[ROCm][MUSA] ", {"rocm", "musa"}),
    ],
)
def test_hardware_that_paths_and_titles_name(text: str, named: set[str]) -> None:
    assert hardware(text) == named


def test_a_change_is_of_other_hardware_by_all_its_files_or_by_its_tags() -> None:
    assert elsewhere(change_of({"engine/rocm/a.py": CODE, "tests/test_a.py": CODE}))
    assert elsewhere(change_of({"engine/a.py": CODE}, subject="[Bugfix][ROCm] Fix a"))
    assert not elsewhere(change_of({"engine/a.py": CODE}, subject="Fix a seen on ROCm"))
    assert not elsewhere(change_of({"engine/rocm/a.py": CODE, "engine/a.py": CODE}))
    assert not elsewhere(change_of({"engine/a.py": CODE}, subject="[ROCm][SM90] Fix a"))


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("engine/models/qwen3.py", "qwen3"),
        ("engine/tool_parsers/glm.py", "glm"),
        ("engine/models/registry.py", ""),
        ("engine/models/base_model.py", ""),
        ("engine/core.py", ""),
    ],
)
def test_the_one_model_whose_file_it_is(path: str, model: str) -> None:
    assert model_of(path) == model


def test_a_part_that_few_run_is_for_few() -> None:
    assert for_few("python/engine/multimodal_gen/a.py")
    assert not for_few("python/engine/core/a.py")

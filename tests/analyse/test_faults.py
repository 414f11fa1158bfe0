"""Faults: what a fix says that it repairs, in its title and in what is quoted of it."""

import pytest

from analyse.test_day import commit, day, report
from daybreak.core.model.changes import Change
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Kind
from daybreak.findings.reading import read_one
from daybreak.judge.faults import Fault, fault
from daybreak.judge.gist import gist
from daybreak.upgrade.fork.forking import wanted
from read.made import change_of, patch_of

CODE = patch_of("    a = 1\n", "    a = 2\n")


def entry(subject: str, kind: Kind = "fix") -> Entry:
    change = change_of({"engine/core.py": CODE}, subject=subject)
    return Entry(change, read_one(change), kind, Importance("medium", 0.5))


def repair(subject: str) -> str | None:
    of = entry(subject)
    found = fault(of.change, of.kind, None)
    return found.hazard.name if found else None


def told(change: Change) -> Fault | None:
    return fault(change, "fix", gist(change, read_one(change)))


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
        ("Fix a leak of blocks", "leak"),
        ("Fix crash that left wrong results", "crash"),
        ("Fix a double reduce", "wrong_result"),
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
        "Fix double buffering",
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
    assert fault(of.change, of.kind, None) is None


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
    found = told(change_of(files, subject="Fix the queue of the engine"))
    assert found is not None
    assert found.quote is not None
    assert (found.hazard.name, found.titled, found.quote.path) == ("hang", False, path)
    assert told(change_of(files, subject="Fix another part of it")) is None


def test_an_error_that_a_docstring_says_is_raised_is_no_fault() -> None:
    raised = patch_of("    a = 1\n", '    """The engine raises ValueError for a queue that leaks."""\n    a = 2\n')
    assert told(change_of({"engine/core.py": raised}, subject="Fix the queue of the engine")) is None


@pytest.mark.parametrize(
    ("subject", "comment", "code"),
    [
        ("Fix wrong logits of the draft", "The draft has other shapes.", "corrupts"),
        ("Fix the draft of the engine", "Here the draft would read stale KV blocks of the engine.", "corrupts"),
        ("Fix crash of the draft engine", "The draft of the engine would crash here.", "crash"),
    ],
)
def test_the_grade_and_the_first_screen_take_a_fix_for_the_same_repair(subject: str, comment: str, code: str) -> None:
    change = commit(
        "7", f"{subject} (#7)", {"engine/core.py": patch_of("    a = 1\n", f"    # {comment}\n    a = 2\n")}
    )
    of = report(change)
    (line,) = day(of).actions
    assert line.tag == code
    assert of.entries[0].importance.reasons[0].code == code

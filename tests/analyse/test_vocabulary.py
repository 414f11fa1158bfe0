"""Words of subjects: which fault a fix speaks of, and what is no fault at all."""

import pytest

from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Kind
from daybreak.findings.reading import read_one
from daybreak.judge.importance import importance
from daybreak.judge.urgency import Repair, marks, repaired
from daybreak.judge.vocabulary import WORDS
from daybreak.upgrade.fork.forking import wanted
from read.made import change_of, patch_of

FAULTS = ("wrong_result", "crash", "hang", "regression")
CODE = patch_of("    a = 1\n", "    a = 2\n")


def faults(text: str) -> dict[str, str]:
    """Fault -> the word that says it."""
    return {name: match[0] for name, pattern in WORDS if name in FAULTS and (match := pattern.search(text))}


def entry(subject: str, body: str = "", kind: Kind = "fix") -> Entry:
    change = change_of({"engine/core.py": CODE}, subject=subject, body=body)
    return Entry(change, read_one(change), kind, Importance("medium", 0.5))


def repair(subject: str, body: str = "") -> Repair:
    of = entry(subject, body)
    found = repaired(of.change, of.kind)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        ("Fix inference mode mismatch in warmup", "mode mismatch"),
        ("fix returning size mismatch on the proposer", "size mismatch"),
        ("Fix batch_size mismatch under load", "size mismatch"),
        ("Fix hidden-size mismatch of the draft", "size mismatch"),
        ("Fix cuda/cpu device mismatch", "device mismatch"),
        ("Fix dtype mismatches of cos and sin", "dtype mismatches"),
        ("Fix argument mismatch of the embedding", "argument mismatch"),
        ("Fix mismatched gemm output shape", "mismatched gemm output shape"),
        ("Fix mismatched number of arguments", "mismatched number of arguments"),
    ],
)
def test_what_does_not_fit_hints_at_a_crash_and_not_at_wrong_results(subject: str, word: str) -> None:
    assert faults(subject) == {"crash": word}
    found = repair(subject)
    assert (found.kind, found.word, found.said) == ("crash", word, False)


@pytest.mark.parametrize(
    "subject", ["Fix filter mismatch of the draft", "Fix mismatched requests", "Fix mis-match of x"]
)
def test_any_other_mismatch_may_be_wrong_results_and_is_not_claimed(subject: str) -> None:
    assert faults(subject) == {}
    found = repair(subject)
    assert (found.kind, found.said) == ("wrong_result", False)
    wish = wanted(entry(subject))
    assert wish is not None
    assert "may fix wrong results" in wish.why["en"]


@pytest.mark.parametrize(
    ("subject", "body", "word"),
    [
        ("Fix dtype mismatch that ends in RuntimeError", "", "RuntimeError"),
        ("Fix KeyError from a vocabulary mismatch", "", "KeyError"),
        ("Inject buffers of the module", "TypeError: Mismatched number of arguments", "TypeError"),
    ],
)
def test_an_error_that_is_named_says_more_than_a_mismatch(subject: str, body: str, word: str) -> None:
    found = repair(subject, body)
    assert (found.kind, found.word, found.said) == ("crash", word, True)


def test_a_word_of_wrong_results_stands_above_a_mismatch() -> None:
    found = repair("Fix garbled output after a dtype mismatch")
    assert (found.kind, found.word, found.said) == ("wrong_result", "garbled", True)


@pytest.mark.parametrize(
    "subject",
    [
        "Release the pin on failed store",
        "Clean up resources after initialization failure",
        "Free blocks after KV cache transfer failure",
        "Cancel the paired decode when prefill fails",
        "Drop the handle if loading failed",
        "Close the socket upon failure",
        "Return early instead of failing",
    ],
)
def test_a_failure_that_is_the_circumstance_is_not_the_fault(subject: str) -> None:
    assert faults(subject) == {}


@pytest.mark.parametrize(
    "subject",
    [
        "Fix failure on Blackwell",
        "Server fails when the queue is empty",
        "Fix compilation failure",
        "Fix failed import, seen on ROCm",
        "Fix resolution failure",
        "Fix python version: builds fail",
    ],
)
def test_a_failure_that_is_the_fault(subject: str) -> None:
    assert faults(subject)["crash"].startswith("fail")


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        ("Fix send_multipart blocking after prefill failure", "blocking"),
        ("Prevent the scheduler from blocking on sends", "blocking"),
        ("Fix a handshake that blocks forever", "blocks forever"),
        ("Tokenizing blocks the event loop", "blocks the event loop"),
    ],
)
def test_what_blocks_hangs(subject: str, word: str) -> None:
    assert faults(subject) == {"hang": word}
    assert (repair(subject).kind, repair(subject).said) == ("hang", True)


@pytest.mark.parametrize(
    "subject",
    [
        "Make the copy non-blocking",
        "Pass non_blocking to the copy",
        "Free KV blocks of the window",
        "Zero freed cache blocks on the GPU",
        "Count blocks the manager holds",
        "Use cache blocking in the GEMM",
        "Solve the bug blocking the release",
        "Drop a blocking H2D copy",
        "Unblock the queue",
        "Accept blocked layouts",
    ],
)
def test_a_block_of_memory_and_a_copy_hang_nothing(subject: str) -> None:
    assert "hang" not in faults(subject)


@pytest.mark.parametrize(
    ("subject", "kind", "word"),
    [
        ("Fix OOB read in grouped GEMM", "crash", "OOB"),
        ("Fix out-of-bounds access", "crash", "out-of-bounds"),
        ("Fix out of bound write", "crash", "out of bound"),
        ("Fix the cause of repeated outputs with tp16", "wrong_result", "repeated outputs"),
        ("Fix output repetition of the draft", "wrong_result", "output repetition"),
        ("Prevent KV cache data loss when a node is split", "wrong_result", "data loss"),
    ],
)
def test_words_of_crashes_and_wrong_results(subject: str, kind: str, word: str) -> None:
    assert faults(subject) == {kind: word}
    assert (repair(subject).kind, repair(subject).said) == (kind, True)


@pytest.mark.parametrize(
    "subject", ["Avoid repeated scans", "Read repetition_penalty", "Report the loss of data-parallel training"]
)
def test_what_repeats_or_is_lost_elsewhere_is_no_wrong_result(subject: str) -> None:
    assert faults(subject) == {}


def tidies(subject: str) -> bool:
    return "tidies" in dict(marks(entry(subject, kind="other"), proven=False))


@pytest.mark.parametrize(
    "subject",
    [
        "Improve type annotations in the radix cache",
        "Add a return type annotation",
        "[PD] docs: clarify device formats",
        "doc: name the owners",
        "[lang][nfc] Move lowerings",
        "NFC: replace the fragment",
        "Share the context (NFC)",
        "Remove the tree that is no longer in use",
        "Remove no longer used `get_metadata`",
        "Remove orphaned test configs",
        "Remove orphaned helpers of the runner",
        "Remove unncessary classes",
        "remove unecessary threshold",
        "Drop unneccesary copies",
        "Drop unneeded headers",
    ],
)
def test_titles_that_tidy(subject: str) -> None:
    assert tidies(subject)


@pytest.mark.parametrize(
    "subject",
    [
        "Abort orphaned requests of a batch",
        "Prevent orphaned worker processes",
        "Normalize prompts to NFC text",
        "Route docs of the index to the ranker",
        "Flags are no longer read",
        "Change the type of annotations",
        "Raise when a necessary key lacks",
    ],
)
def test_titles_that_do_not_tidy(subject: str) -> None:
    assert not tidies(subject)


@pytest.mark.parametrize(
    ("subject", "zh"),
    [
        ("Fix wrong logits", "修复结果错误：`wrong`"),
        ("Fix hang at exit", "修复卡死或竞态：`hang`"),
        ("Fix crash at start", "修复崩溃或报错：`crash`"),
        ("Fix regression of the norm", "修复回归：`regression`"),
    ],
)
def test_what_a_fix_repairs_is_said_alike_for_a_fork_and_as_a_reason(subject: str, zh: str) -> None:
    of = entry(subject)
    wish = wanted(of)
    assert wish is not None
    assert wish.why["zh"].startswith(zh)
    assert zh in [reason.text["zh"] for reason in importance(of.change, of.reading, of.kind).reasons]

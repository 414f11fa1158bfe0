"""Faults: what a fix says that it repairs, in its title and in what is quoted of it."""

import pytest

from analyse.test_day import commit, day, report
from daybreak.core.model.changes import Change
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Kind
from daybreak.judge.faults import Fault, fault
from daybreak.judge.gist import gist
from daybreak.upgrade.fork.forking import wanted
from read.made import change_of, patch_of, read_one

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
        ("Fix failure to allocate blocks error", "crash"),
        ("Fix a deadlock of the queue", "hang"),
        ("Fix a race condition in the cache of blocks", "race"),
        ("Fix missing `prepare_event` synchronization of two runs", "race"),
        ("Fix shared-object aliasing of two choices in one stream", "race"),
        ("Fix OOB read in grouped GEMM", "wrong_result"),
        ("Fix out-of-bounds access", "wrong_result"),
        ("Fix under-allocation of the rows of a draft", "wrong_result"),
        ("Fix a miscompile of the fused norm", "wrong_result"),
        ("Fix OOB write that ended in an illegal memory access", "crash"),
        ("Fix out-of-bounds IndexError of the router", "crash"),
        ("Fix crash by an out-of-bounds access", "crash"),
        ("Fix crash by a KeyError from a vocabulary", "crash"),
        ("Fix a regression of the norm", "regression"),
        ("Fix a leak of blocks", "leak"),
        ("Fix crash that left wrong results", "crash"),
        ("Fix a double reduce", "wrong_result"),
        ("Fix: skip NaN states instead of crashing the run", "crash"),
        ("Fix the router to return an error rather than hang", "hang"),
        ("Fix averages: skip NaN values", None),
        ("Fix the reader to drop any corrupted rows", None),
        ("Fix skipped layers giving wrong output", "wrong_result"),
        ("Fix ignored padding causing incorrect results", "wrong_result"),
        ("Fix dropped scale giving wrong results", "wrong_result"),
    ],
)
def test_a_fix_says_what_it_repairs_in_words_that_mean_nothing_else(subject: str, kind: str | None) -> None:
    assert repair(subject) == kind


@pytest.mark.parametrize(
    ("subject", "note", "shown"),
    [
        ("Fix race of the engine", "", False),
        ("Fix stale rows of the engine", "", False),
        ("Fix race of the engine", "    # Two readers of the engine race for one buffer.\n", True),
        ("Fix crash of the engine", "", False),
        ("Fix overflow of the engine", "", False),
        ("Fix crash of the engine", "    # The engine would crash here.\n", True),
        ("Fix crash of the engine", "    if a is None:\n        return\n", True),
    ],
)
def test_a_title_lifts_nothing_that_neither_lines_nor_words_beside_it_show(
    subject: str, note: str, shown: bool
) -> None:
    found = told(
        change_of({"engine/core.py": patch_of("    a = reads(1)\n", f"{note}    a = reads(2)\n")}, subject=subject)
    )
    assert found is not None
    assert found.shown is shown


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
        "Fix KeyError from a vocabulary",  # a request fails, and no process ends
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


def lines_of(subject: str, before: str, after: str, **tests: str) -> Change:
    files = {"engine/loader.py": patch_of(before, after)} | {f"tests/{name}.py": text for name, text in tests.items()}
    return change_of(files, subject=subject)


def hazard_of(change: Change) -> tuple[str, str] | None:
    found = told(change)
    return (found.hazard.does, found.hazard.name) if found else None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("yield from rows\n", "for name, row in rows:\n    yield name, row.clone()\n"),
        ("self.rows = rows\n", "self.rows = rows.copy()\n"),
        ("return rows\n", "out = narrow(rows)\nreturn out.clone() if out is rows else out\n"),
    ],
)
def test_a_copy_says_that_memory_was_shared_and_not_that_anybody_wrote_to_it(before: str, after: str) -> None:
    assert hazard_of(lines_of("Fix rows while loading", before, after)) is None
    assert hazard_of(lines_of("Fix buffer aliasing while loading", before, after)) == ("corrupts", "race")


@pytest.mark.parametrize(
    ("before", "after", "ended"),
    [
        ("row = self.rows.pop(name)\n", "row = self.rows.pop(name, None)\n", True),
        ("row = self.rows.pop(name)\n", "if row := self.rows.get(name):\n    use(row)\n", True),
        ("spec = specs[layer.name]\n", "spec = specs.get(layer.name)\nif spec is None:\n    continue\n", True),
        ("row = self.rows.pop(name)\n", "row = self.others.pop(name, None)\n", False),
        ("row = rows[name] if name in rows else None\n", "row = rows.get(name)\n", False),
        ("try:\n    row = rows[name]\nexcept KeyError:\n    row = 0\n", "row = rows.get(name)\n", False),
        ("row = self.rows.pop(name, None)\n", "row = self.rows.get(name)\n", False),
        ("rows[name] = row\n", "rows[name] = rows.get(name) or row\n", False),
    ],
)
def test_a_fix_after_which_an_entry_may_be_missing_says_that_it_was_an_error(
    before: str, after: str, ended: bool
) -> None:
    assert (hazard_of(lines_of("Fix rows that are shared", before, after)) == ("stops", "crash")) is ended


def test_a_fix_that_only_hands_an_argument_on_says_that_it_was_ignored() -> None:
    call = "run(\n    rows=rows,\n)\n"
    forwards = lines_of("Fix the sum of the router", call, "run(\n    rows=rows,\n    scale=scale,\n)\n")
    assert hazard_of(forwards) == ("corrupts", "ignored")
    (line,) = day(report(forwards)).actions
    assert "`scale` is passed on from now on, which it was not until now" in line.text["en"]
    new = lines_of("Fix the sum", "def f():\n    g()\n", "def f(scale=1):\n    g(scale=scale)\n")
    assert hazard_of(new) is None


@pytest.mark.parametrize(
    ("subject", "does"),
    [
        ("Fix the correctness of windows with a prefix", "corrupts"),
        ("Fix accuracy degradation under compile", "corrupts"),
        ("Fix the wrong mask of a window", "corrupts"),
        ("Fix accuracy test of the router", None),
        ("Fix flaky correctness checks", None),
    ],
)
def test_accuracy_in_the_title_of_a_fix_is_that_of_results_unless_a_test_has_it(subject: str, does: str | None) -> None:
    of = entry(subject)
    found = fault(of.change, of.kind, None)
    assert (found.hazard.does if found else None) == does


def test_a_comment_over_a_call_of_what_the_change_defines_is_no_fault_of_a_release() -> None:
    comment = "# A cyclic schema of a tool would end in a crash of the request.\n"
    calls = comment + "plain(schema)\n"
    subject = "fix: schema of a tool request"
    assert hazard_of(lines_of(subject, "", calls)) == ("stops", "crash")
    assert hazard_of(lines_of(subject, "", calls + "def plain(schema):\n    return schema\n")) is None


def test_a_test_that_compares_results_says_that_they_were_wrong() -> None:
    after = "# A smaller value makes the gather of the draft overflow.\nlimit = max(limit, target)\n"
    subject = "[BugFix] draft position limit"
    close = patch_of("", "def test_limit():\n    torch.testing.assert_close(a, b)\n")
    raises = patch_of("", "def test_limit():\n    with pytest.raises(ValueError):\n        assert_close(a, b)\n")
    assert hazard_of(lines_of(subject, "", after)) == ("stops", "crash")
    assert hazard_of(lines_of(subject, "", after, test_limit=close)) == ("corrupts", "wrong_result")
    assert hazard_of(lines_of(subject, "", after, test_limit=raises)) == ("stops", "crash")
    stuck = "# A smaller value makes the gather of the draft deadlock on uneven ranks.\nlimit = max(limit, target)\n"
    assert hazard_of(lines_of(subject, "", stuck, test_limit=close)) == ("stops", "hang"), "as the words say"


def test_what_the_message_begins_with_is_a_fault_where_it_says_that_it_stood_still() -> None:
    files = {"engine/core.py": CODE}
    stuck = change_of(
        files, subject="fix: a drain loop for the attention", body="The attention of long rows deadlocks.\n\nMore."
    )
    found = fault(stuck, "fix", None)
    assert found is not None
    assert (found.hazard.does, found.titled) == ("stops", False)
    later = change_of(
        files, subject="fix: a drain loop for the attention", body="The attention is slow.\n\nIt deadlocks elsewhere."
    )
    assert fault(later, "fix", None) is None


def test_correctness_beside_speed_is_no_fault() -> None:
    assert repair("fix: two small perf/correctness wins") is None


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("the next owner would see the stale value of the slot and answer with it", "corrupts"),
        ("reset so that the slot shows no stale value, avoiding a false-positive mismatch of owners", None),
        ("a stale entry of the slot makes the next request fail with an error", None),
        ("wrong offsets of the slot silently invalidate the cache, which forces a recompile", None),
        ("garbage in the slot would be sent although the check raises", "corrupts"),
    ],
)
def test_a_wrong_state_that_somebody_notices_gives_no_wrong_result(said: str, does: str | None) -> None:
    files = {"engine/core.py": patch_of("    a = 1\n", f"    # {said.capitalize()}.\n    a = 2\n")}
    found = hazard_of(change_of(files, subject="Fix the slot of an owner"))
    assert (found[0] if found else None) == does


@pytest.mark.parametrize(
    "subject", ["Fix NaN after an illegal memory access", "Fix illegal memory access with NaN scales"]
)
def test_an_address_that_may_not_be_read_is_told_before_what_comes_of_it(subject: str) -> None:
    assert repair(subject) == "crash"


@pytest.mark.parametrize(("word", "said"), [("hangs", "hung"), ("crashes", "crashed")])
def test_what_hangs_is_nowhere_said_to_crash(word: str, said: str) -> None:
    note = f"    # The draft {word} the engine here.\n    a = 2\n"
    of = report(
        commit("7", f"Fix: the draft {word} the engine (#7)", {"engine/core.py": patch_of("    a = 1\n", note)})
    )
    made = day(of)
    (line,) = made.actions
    assert line.tag == "crash"
    assert of.entries[0].importance.reasons[0].text["en"].endswith(said)
    assert any(word in one.text["en"] for one in made.conclusion)
    assert ("crash" in " ".join(one.text["en"] for one in made.conclusion)) is (word == "crashes")


def test_what_only_the_title_says_is_no_tag() -> None:
    name = {"tests/test_core.py": patch_of("", "def test_the_draft_of_the_engine_is_sent_at_once():\n    pass\n")}
    long = {"engine/core.py": patch_of("", "".join(f"a{n} = {n}\n" for n in range(60)))}
    assert not day(report(commit("7", "Fix crash of the draft (#7)", long | name))).actions


@pytest.mark.parametrize(("guard", "tag"), [("if pages is None:\n    pages = ()\n", "corrupts"), ("", "")])
def test_a_title_that_names_corruption_is_borne_out_by_a_guard_and_never_by_itself(guard: str, tag: str) -> None:
    lines = {"engine/core.py": patch_of("", guard + "pages_of_abort = 1\n")}
    entry = report(commit("7", "Fix corruption of pages on abort (#7)", lines)).entries[0]
    assert [reason.code for reason in entry.importance.reasons][:1] == ([tag] if tag else [])


def test_another_type_of_the_same_width_bears_no_overflow_out() -> None:
    for was, now, shown in (("int64", "uint64", False), ("int32", "int64", True)):
        lines = patch_of(f"    a = buffer(n, dtype=torch.{was})\n", f"    a = buffer(n, dtype=torch.{now})\n")
        found = told(change_of({"engine/core.py": lines}, subject="Fix pointer overflow of buffers"))
        assert found is not None
        assert found.shown is shown

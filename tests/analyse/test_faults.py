"""Faults: what a fix says that it repairs, in its title and in what is quoted of it."""

import pytest

from analyse.test_day import commit, day, report
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Kind
from daybreak.findings.reading import read_one
from daybreak.judge.faults import Fault, fault
from daybreak.judge.gist import gist
from daybreak.judge.hazards import hazard
from daybreak.judge.rules import grade
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
        ("Fix failure to allocate blocks error", "crash"),
        ("Fix a deadlock of the queue", "hang"),
        ("Fix a race condition in the cache of blocks", "race"),
        ("Fix OOB read in grouped GEMM", "crash"),
        ("Fix out-of-bounds access", "crash"),
        ("Fix crash by a KeyError from a vocabulary", "crash"),
        ("Fix a regression of the norm", "regression"),
        ("Fix a leak of blocks", "leak"),
        ("Fix crash that left wrong results", "crash"),
        ("Fix a double reduce", "wrong_result"),
    ],
)
def test_a_fix_says_what_it_repairs_in_words_that_mean_nothing_else(subject: str, kind: str) -> None:
    assert repair(subject) == kind


@pytest.mark.parametrize(
    ("subject", "note", "shown"),
    [
        ("Fix race of the engine", "", False),
        ("Fix stale rows of the engine", "", False),
        ("Fix race of the engine", "    # Two readers of the engine race for one buffer.\n", True),
        ("Fix crash of the engine", "", True),
    ],
)
def test_a_title_that_names_a_cause_alone_says_nothing_of_what_was_met(subject: str, note: str, shown: bool) -> None:
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
    ("before", "after", "shared"),
    [
        ("yield from rows\n", "for name, row in rows:\n    yield name, row.clone()\n", True),
        ("self.rows = rows\n", "self.rows = rows.copy()\n", True),
        ("return rows.clone()\n", "return rows[0].clone()\n", False),
        ("total = rows\n", "total = rows.clone()\n", False),
    ],
)
def test_a_fix_that_only_copies_what_it_hands_out_says_that_memory_was_shared(
    before: str, after: str, shared: bool
) -> None:
    assert (hazard_of(lines_of("Fix buffers while loading", before, after)) == ("corrupts", "shared")) is shared


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
    after = "# A smaller value makes the gather of the draft go out of bounds.\nlimit = max(limit, target)\n"
    subject = "[BugFix] draft position limit"
    close = patch_of("", "def test_limit():\n    torch.testing.assert_close(a, b)\n")
    raises = patch_of("", "def test_limit():\n    with pytest.raises(ValueError):\n        assert_close(a, b)\n")
    assert hazard_of(lines_of(subject, "", after)) == ("stops", "crash")
    assert hazard_of(lines_of(subject, "", after, test_limit=close)) == ("corrupts", "wrong_result")
    assert hazard_of(lines_of(subject, "", after, test_limit=raises)) == ("stops", "crash")


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


@pytest.mark.parametrize("subject", ["Fix OOB reads of scales leading to NaN", "Fix NaN from out-of-bounds scales"])
def test_an_access_out_of_bounds_is_told_before_what_comes_of_it(subject: str) -> None:
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


SCALES = "rows = round_up(m, 128)\n    return {}(rows, dtype=int32)\n"
CONFESSES = (
    "    # The kernel does not write every row that the next one reads. memory.empty_rows leaves those\n"
    "    # uninitialized, which corrupts the scales.\n"
)
NEW_STATE = (
    "    # Lengths cap the reads of each request so any garbage past the end of memory.empty_rows is never consumed.\n"
)


@pytest.mark.parametrize(
    ("comment", "is_fix"),
    [(CONFESSES, True), (NEW_STATE, False), ("    # memory.empty_rows is slower than this.\n", False)],
)
def test_a_comment_that_says_what_the_old_call_corrupted_makes_a_repair_of_any_title(
    comment: str, is_fix: bool
) -> None:
    before, after = SCALES.format("memory.empty_rows"), SCALES.format("memory.zero_rows")
    after = after.replace("    return", f"{comment}    return")
    change = change_of({"engine/scales.py": patch_of(before, after)}, subject="[Perf] Fill the scales (#7)")
    found = grade(change, read_one(change))
    assert (found.kind, found.importance.level == "high") == (("fix", True) if is_fix else ("perf", False))


@pytest.mark.parametrize(
    ("wait", "comment", "kind"),
    [
        (
            "self.plan_stream.wait_stream(self.run_stream)",
            "# WAR barrier: writes of shared buffers wait for reads.",
            "fix",
        ),
        ("self.plan_stream.wait_stream(self.run_stream)", "# Let the plan go on.", "other"),
        ("self.plan_stream.start(self.run_stream)", "# WAR barrier: writes of shared buffers wait for reads.", "other"),
    ],
)
def test_a_wait_that_puts_reads_and_writes_in_order_repairs_a_race(wait: str, comment: str, kind: str) -> None:
    loop = "while True:\n    batch = self.next_batch()\n    self.run(batch)\n"
    after = loop.replace("    self.run", f"    {comment}\n    {wait}\n    self.run")
    change = change_of({"engine/loop.py": patch_of(loop, after)}, subject="[core] WAR barrier for buffer writes (#7)")
    assert grade(change, read_one(change)).kind == kind


def test_a_comment_on_the_safe_state_is_no_proof_that_the_old_one_was_wrong() -> None:
    for said, shown in (
        ("caps reads of encoder lengths so any garbage behind them is never consumed", False),
        ("without the cap of encoder lengths garbage behind them was consumed", True),
    ):
        after = f"    # This {said}.\n    a = 2\n"
        change = change_of({"engine/core.py": patch_of("    a = 1\n", after)}, subject="Fix encoder lengths (#7)")
        found = told(change)
        assert (found is not None) is shown


@pytest.mark.parametrize(
    ("comment", "level"),
    [
        (
            "Padded rows must point at slot 0, so that reads land there instead of a stale row of an earlier run.",
            "high",
        ),
        ("Padded rows point at slot 0, as a stale row is of no use.", "low"),
    ],
)
def test_a_comment_that_says_what_must_hold_instead_of_a_wrong_state_makes_a_repair(comment: str, level: str) -> None:
    runner = "def fill(self):\n    self.lens.zero_()\n    self.run()\n"
    after = runner.replace("    self.run", f"    # {comment}\n    self.rows.zero_()\n    self.run")
    change = change_of({"engine/graph.py": patch_of(runner, after)}, subject="Zero the padding of rows (#7)")
    assert grade(change, read_one(change)).importance.level == level


def test_a_title_that_lets_a_test_run_again_hides_a_repair_of_partial_results() -> None:
    block = "def forward(x):\n    x = experts(x)\n    return x\n"
    for line, kind in (("x = expert_all_reduce(x)", "fix"), ("x = scale(x)", "other")):
        after = block.replace("    return", f"    {line}\n    return")
        change = change_of({"engine/moe.py": patch_of(block, after)}, subject="Enable the moe test (#7)")
        assert grade(change, read_one(change)).kind == kind


@pytest.mark.parametrize(
    "subject", ["Fix weight sharding of the gate with TP > 1", "fix only the grids from last split item is collected"]
)
def test_what_is_split_or_gathered_wrongly_gives_wrong_results(subject: str) -> None:
    assert repair(subject) == "wrong_result"


def test_an_argument_that_is_taken_and_handed_on_was_ignored() -> None:
    takes = patch_of("def serve(\n    model,\n):\n", "def serve(\n    model,\n    limits: dict | None = None,\n):\n")
    hands = patch_of("serve(\n    model,\n)\n", "serve(\n    model,\n    limits=args.limits,\n)\n")
    change = change_of({"engine/serve.py": takes, "engine/main.py": hands}, subject="[Bugfix] Pass limits (#7)")
    found = told(change)
    assert found is not None
    assert found.hazard.name == "ignored"


def test_a_help_text_that_is_put_right_does_nothing_to_what_runs() -> None:
    lines = 'parser.add_argument(\n    "--log",\n    help="Log requests, {} on the level.",\n)\n'
    patch = patch_of(lines.format("dependant"), lines.format("dependent"))
    change = change_of({"engine/arguments.py": patch}, subject="fix typo (#7)")
    assert grade(change, read_one(change)).importance.level == "low"


def test_a_fix_of_loading_weights_counts_though_it_is_of_one_model() -> None:
    note = "    # The older name of the layer is in checkpoints of last year.\n    a = 2\n"
    files = {"vllm/model_executor/models/mini.py": patch_of("    a = 1\n", note)}
    for what, level in (("weight loading of the layer", "medium"), ("name of the layer", "low")):
        change = change_of(files, subject=f"[Bugfix] Fix {what} in Mini (#7)", repo="vllm-project/vllm")
        assert grade(change, read_one(change)).importance.level == level


MERGE = "def merge(self, other):\n    self.has_stream |= other.has_stream\n"


@pytest.mark.parametrize(
    ("new", "kind"),
    [
        ("    self.prefill_only = self.prefill_only and other.prefill_only\n", "fix"),
        ("    self.has_grammar |= other.has_grammar\n", "fix"),
        ("    self.prefill_only = other.prefill_only\n    self.note(other)\n", "feature"),
        ("    self.prefill_only = choose(other)\n", "feature"),
    ],
)
def test_a_field_that_is_carried_over_as_those_beside_it_were_had_been_forgotten(new: str, kind: str) -> None:
    change = change_of({"engine/batch.py": patch_of(MERGE, MERGE + new)}, subject="Add update in merge batch (#9)")
    made = grade(change, read_one(change))
    assert made.kind == kind
    assert (made.gist is not None and "carried over as well" in made.gist.text["en"]) is (kind == "fix")


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("[Fix] Fix accuracy bug in sparse kernel (#9)", "fix"),
        ("Bump kernels to fix accuracy (#9)", "dependency"),
        ("fix(deps): update kernels (#9)", "dependency"),
    ],
)
def test_a_fix_that_only_moves_the_sources_that_are_built_is_a_fix(subject: str, kind: str) -> None:
    change = change_of({"cmake/kernels.cmake": patch_of("GIT_TAG 1\n", "GIT_TAG 2\n")}, subject=subject)
    moved = Finding("a/1", "source_changed", "cmake/kernels.cmake", 1, "sparse", "1" * 40, "2" * 40, effective="core")
    made = grade(change, Reading(change.sha, {"build": 1}, findings=(moved,)))
    assert made.kind == kind
    if kind == "fix":
        assert made.gist is not None
        assert made.gist.text["en"].endswith("takes effect with a release of `core`.")


def test_a_test_that_names_the_fault_of_the_title_bears_it_out_though_it_says_that_it_cannot_be() -> None:
    held = patch_of(
        "", 'def test_long_requests():\n    """Long requests are refused, rather than accepted and hanging."""\n'
    )
    for files, shown in (({"tests/test_core.py": held}, True), ({"tests/test_core.py": CODE}, False)):
        found = fault(change_of({"engine/core.py": CODE, **files}, subject="[Bugfix] Long requests hang"), "fix", None)
        assert found is not None
        assert found.shown is shown


STARTS = "An empty name is read at its first letter, which raises IndexError: index out of range, crashing all workers."


@pytest.mark.parametrize(
    ("body", "level"),
    [(STARTS, "high"), (STARTS.replace(", crashing all workers", ""), "medium"), ("An empty name is none.", "low")],
)
def test_a_crash_that_the_message_tells_decides_the_grade_though_the_title_names_none(body: str, level: str) -> None:
    change = change_of({"engine/core.py": CODE}, subject="Fix: protect against an empty name (#7)", body=body)
    assert grade(change, read_one(change)).importance.level == level


WRONG = "    # Only size 128 is taken. Size 256 produces incorrect results in the first kernel and is\n"
UNTIL = "    # disabled until the kernel bug is fixed.\n"


@pytest.mark.parametrize(("until", "level"), [(UNTIL, "high"), ("    # the one that most tests ask for.\n", "low")])
def test_a_comment_that_says_what_gives_wrong_results_and_is_not_taken_any_more_is_a_repair(
    until: str, level: str
) -> None:
    old = "def tactics():\n    for size in [128, 256]:\n        yield size\n"
    new = old.replace("    for size in [128, 256]", f"{WRONG}{until}    for size in [128]")
    change = change_of({"engine/core.py": patch_of(old, new)}, subject="chore: clean up (#7)")
    graded = grade(change, read_one(change))
    assert graded.importance.level == level
    assert (graded.gist is not None and "produces incorrect results" in graded.gist.text["en"]) or level == "low"


def test_a_fix_that_is_worth_knowing_and_that_nothing_tells_shows_one_of_its_lines() -> None:
    old = "".join(f"rows_{n} = take(part_{n}, {n})\n" for n in range(70))
    test = patch_of("", "def test_rows():\n    assert rows() == 1\n")
    files = {"engine/core.py": patch_of(old, old.replace("take(", "hold(1, ")), "tests/test_rows.py": test}
    for n in range(70):  # each changes in its own way
        files["engine/core.py"] = files["engine/core.py"].replace(f"hold(1, part_{n},", f"hold_{n}(part_{n},")
    change = change_of(files, subject="Fix what regressed (#7)")
    graded = grade(change, read_one(change))
    assert graded.importance.level == "medium"
    assert graded.gist is not None


DOWNLOAD = "    fetch(name)\n    if place.exists():\n        remove(place)\n"
PURPOSES = (
    "Remove the download only after it is complete to avoid data loss",
    "Keeps the old download, which prevents data loss",
    "Guards against data loss of the download",
    "In order not to see data loss after a download",
)


@pytest.mark.parametrize("said", [*PURPOSES, "A download that stops leaves garbage behind"])
def test_a_comment_that_goes_says_nothing_of_the_fault_though_it_be_quoted(said: str) -> None:
    old = DOWNLOAD.replace("        remove", f"        # {said}\n        remove")
    new = DOWNLOAD.replace("fetch(name)", "fetch(name, timeout=60)")
    change = change_of({"engine/core.py": patch_of(old, new)}, subject="Fix the timeout of a download")
    quote = Quote("comment", "engine/core.py", 12, "removed", said)
    assert fault(change, "fix", Gist({"zh": said, "en": said}, "comment", (quote,))) is None


@pytest.mark.parametrize("said", PURPOSES)
def test_a_comment_that_says_what_the_code_is_for_says_nothing_of_the_fault(said: str) -> None:
    new = DOWNLOAD.replace("fetch(name)", "fetch(name, timeout=60)").replace(
        "        remove", f"        # {said}\n        remove"
    )
    assert told(change_of({"engine/core.py": patch_of(DOWNLOAD, new)}, subject="Fix the timeout of a download")) is None


@pytest.mark.parametrize("title", ["fix crash dump", "Fix hang detector", "fix leak checker", "Repair race detection"])
def test_what_is_for_a_fault_is_no_fault(title: str) -> None:
    assert hazard(title) is None
    assert hazard(f"{title}: it leaks") is not None


def test_a_fault_is_one_whatever_follows_it() -> None:
    assert all(hazard(title) for title in ("fix crash when dumping", "fix hang in detector", "fix leak of checkers"))

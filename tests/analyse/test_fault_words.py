"""Faults that a title does not name: told by comments, tests, messages and the lines of a fix."""

import pytest

from analyse.test_faults import CODE, repair, told
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote
from daybreak.judge.faults import fault
from daybreak.judge.hazards import hazard
from daybreak.judge.rules import grade
from read.made import change_of, patch_of, read_one

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


@pytest.mark.parametrize(("what", "does"), [("return value", "wrong_result"), ("return value type", None)])
def test_a_wrong_type_of_a_value_is_no_wrong_value(what: str, does: str | None) -> None:
    found = hazard(f"Fix the wrong {what} of the runner")
    assert (found.name if found else None) == does


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


def test_a_fix_that_is_worth_knowing_and_that_nothing_tells_shows_none_of_its_many_lines() -> None:
    old = "".join(f"rows_{n} = take(part_{n}, {n})\n" for n in range(70))
    test = patch_of("", "def test_rows():\n    assert rows() == 1\n")
    files = {"engine/core.py": patch_of(old, old.replace("take(", "hold(1, ")), "tests/test_rows.py": test}
    for n in range(70):  # each changes in its own way
        files["engine/core.py"] = files["engine/core.py"].replace(f"hold(1, part_{n},", f"hold_{n}(part_{n},")
    change = change_of(files, subject="Fix what regressed (#7)")
    graded = grade(change, read_one(change))
    assert graded.importance.level == "medium"
    assert graded.gist is None


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


def test_an_assertion_that_fails_is_a_crash_however_it_is_written() -> None:
    for name in ("AssertionError", "assertion error"):
        found = hazard(f"Fix {name} of the cache with offloading")
        assert found is not None
        assert (found.name, found.at_once) == ("crash", True)


def test_a_title_that_denies_a_regression_names_none() -> None:
    assert hazard("Fix a throughput regression of the sampler") is not None
    denials = ("not a regression", "not regressed", "never regressed")
    assert not any(hazard(f"Choose the faster path, it has {said} before") for said in denials)

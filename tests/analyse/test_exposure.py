"""Who has the bug: which release a repair names, and when a pick is advised."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyse.storied import commit
from daybreak.core.model.changes import Collected, Exposure, Repo
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry, FaultEvidence, Story
from daybreak.core.model.statements import Importance, Reason
from daybreak.core.words.grammar import alike
from daybreak.judge.conditions import met_on
from daybreak.judge.exposure import (
    beside_break,
    dated,
    exposure_of,
    met,
    put_back,
    released_part,
    repair_missed,
    unaffected,
    weighed,
)
from daybreak.judge.gist import gist
from read.made import change_of, patch_of

FIX = commit("2", "Fix crash of the scheduler (#12)")
CAUSE = commit("1", "Rewrite the scheduler (#11)")


def entry(found: Exposure | None, **more: object) -> Entry:
    made = Entry(FIX, Reading(FIX.sha), "fix", Importance("medium", 0.5), after="v1.0", exposure=found)
    return replace(made, **more)


_SAID = {
    "the release has it": (
        Exposure("v1.0", True),
        None,
        "Fix. `v1.0` has this fault.",
    ),
    "the release and candidates after it have it": (
        Exposure("v1.0", True, ("v1.1rc0", "v1.1rc1")),
        None,
        "Fix. `v1.0` has this fault. `v1.1rc1` has it too.",
    ),
    "a candidate brings the fix": (
        Exposure("v1.0", True),
        "v1.1rc2",
        "Fix. `v1.0` has this fault; fixed in `v1.1rc2`.",
    ),
    "its test sets what the release lacks": (
        Exposure("v1.0", option="--reuse-rows", doubted=True),
        None,
        "Fix. Its own test sets `--reuse-rows`, which `v1.0` does not have.",
    ),
    "no release has it": (Exposure("v1.0", False), None, "Fix. `v1.0` is not affected."),
    "a candidate has it": (
        Exposure("v1.0", False, ("v1.1rc0", "v1.1rc1")),
        None,
        "Fix. The fault is in `v1.1rc0` and `v1.1rc1`; `v1.0` is not affected.",
    ),
    "the release takes another version": (
        Exposure("v1.0", pin="kernels==0.6", doubted=True),
        None,
        "Fix. The fault comes with other versions than `v1.0` takes (`kernels==0.6`).",
    ),
    "the branch alone had it, since a change": (
        Exposure("v1.0", False, cause="#6"),
        None,
        "Fix. On the branch since `#6`; `v1.0` is not affected.",
    ),
    "what brought it is a fix itself": (
        Exposure("v1.0", False, ("v1.1rc1",), cause="#6", after_fix=True),
        None,
        "Fix. It goes on with the fix `#6`, which `v1.0` lacks too.",
    ),
    "it was picked": (Exposure("v1.0", False, picked=True), None, "Fix. `v1.0` has the fix too."),
    "it applies, and more is not known": (
        Exposure("v1.0", applies=True),
        None,
        "Fix. The fix is not in `v1.0` yet; it cherry-picks cleanly.",
    ),
    "nobody knows": (Exposure("v1.0"), None, "Fix."),
    "the newest release has the fix": (Exposure("v1.1", False), "v1.1", "Fix. Released in `v1.1`."),
    "nobody knows of a released one": (None, "v1.1rc2", "Fix. Released in `v1.1rc2`."),
}


@pytest.mark.parametrize(("found", "released", "said"), _SAID.values(), ids=_SAID.keys())
def test_which_release_a_repair_names(found: Exposure | None, released: str | None, said: str) -> None:
    assert dated(alike("Fix."), entry(found, released=released), "fix")["en"] == said


def test_where_no_advice_stands_beside_it_a_repair_says_whether_it_can_be_picked() -> None:
    for exposure, said in (
        (Exposure("v1.0", True, applies=True), "; the fix cherry-picks cleanly."),
        (
            Exposure("v1.0", True, applies=True, without=("benchmarks/norm.py",)),
            "; the fix cherry-picks cleanly without `benchmarks/norm.py`.",
        ),
        (Exposure("v1.0", True, needs=("size",)), "; cherry-picked alone, the fix leaves `size` undefined there."),
        (Exposure("v1.0", True), "; cherry-picking the fix conflicts."),
        (Exposure("v1.0", True, applies=None), "."),
    ):
        found = dated(alike("Fix."), entry(exposure), "fix", picks=True)["en"]
        assert found == f"Fix. `v1.0` has this fault{said}"
    assert dated(alike("Fix."), entry(Exposure("v1.0", False)), "fix", picks=True)["en"].endswith("is not affected.")


@pytest.mark.parametrize(
    ("subject", "path", "hit"),
    [
        ("Fix the shape of masks (#12)", "engine/worker/xpu_worker.py", "xpu"),
        ("Fix the shape of masks (#12)", "engine/attention/backends/rocm_attn.py", "rocm"),
        ("[XPU] Fix the shape of masks (#12)", "engine/worker/xpu_worker.py", ""),
        ("Fix the shape of masks (#12)", "engine/worker/worker.py", ""),
        ("Fix the shape of masks (#12)", "engine/kernels/sm100_attn.py", ""),
    ],
)
def test_a_fault_of_one_platform_says_whom_it_hits_where_its_title_does_not(subject: str, path: str, hit: str) -> None:
    fix = commit("2", subject, {path: patch_of("mask = rows\n", "mask = columns\n")})
    said = met_on(alike("Fix."), entry(None, change=fix))["en"]
    assert said == (f"Fix. Hits `{hit}` only." if hit else "Fix.")


@pytest.mark.parametrize(
    ("note", "hit"),
    [
        ("# Guard it: on HIP, -1 // 32 == 0 sets the last bit.", "rocm"),
        ("# Guard it: on HIP and on XPU the last bit is set.", ""),
        ("# Computed on CPU to spare a copy.", ""),
        ("# Guard the last bit.", ""),
    ],
)
def test_a_platform_that_a_fix_names_in_its_own_comment_is_the_one_that_the_fault_hits(note: str, hit: str) -> None:
    change = commit("2", "Fix the routing (#7)", {"engine/routing.py": patch_of("a = 1\n", f"{note}\na = 2\n")})
    whole = replace(entry(Exposure("v1.0", has=True)), change=change)
    assert met_on(alike("Text."), whole)["en"] == (f"Text. Hits `{hit}` only." if hit else "Text.")
    assert ("hits" in beside_break(alike("Text."), whole)["en"]) is bool(hit)


def test_what_is_no_repair_says_nothing_of_who_has_a_bug() -> None:
    said = dated(alike("Default moved."), entry(Exposure("v1.0", True)), "default")["en"]
    assert said == "Default moved. Not in `v1.0` yet."


def test_a_pick_is_advised_only_where_it_applies_and_narrows_nothing() -> None:
    fits = Exposure("v1.0", True, applies=True)
    guard = Finding(f"{FIX.sha[:12]}/1", "guard_added", "a.py", 1, "f", after="x")
    narrow = replace(Reading(FIX.sha), findings=(guard,))
    cases = [
        entry(fits),
        entry(Exposure("v1.0", True)),
        entry(fits, reading=narrow),
        entry(fits, breaking=True),
        entry(Exposure("v1.0", applies=True)),
    ]
    said = [dated(alike("It."), one, "fix", picks=True)["en"] for one in cases]
    assert said[0] == "It. `v1.0` has this fault; the fix cherry-picks cleanly."
    assert said[1] == "It. `v1.0` has this fault; cherry-picking the fix conflicts."
    assert set(said[2:4]) == {"It. `v1.0` has this fault."}
    assert said[4] == "It. The fix is not in `v1.0` yet; it cherry-picks cleanly.", (
        "nobody knows whether the release has it"
    )


def test_a_pick_that_reads_names_which_the_release_lacks_is_not_advised_and_the_names_are_told() -> None:
    found = entry(Exposure("v1.0", True, needs=("parts_done", "drained", "third")))
    said = dated(alike("It."), found, "fix", picks=True)["en"]
    assert said.endswith("cherry-picked alone, the fix leaves `parts_done`, `drained` and more undefined there.")


def test_a_cause_that_the_release_lacks_settles_it_and_is_named() -> None:
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(FIX, CAUSE), exposed={FIX.sha: Exposure("v1.0", True)}, released={CAUSE.sha: "v1.1rc1"}
    )
    found = exposure_of(entry(None), story, replace(known, younger=(CAUSE.sha, FIX.sha)))
    assert found == Exposure("v1.0", False, candidates=("v1.1rc1",), cause="#11")
    assert unaffected(entry(found))
    assert exposure_of(entry(None), story, known) == Exposure("v1.0", True), (
        "a release that holds the cause has the bug"
    )


def test_another_default_of_a_name_that_no_release_had_counts_for_nobody_and_a_new_name_stays() -> None:
    new = Finding(f"{FIX.sha[:12]}/1", "env_added", "a.py", 1, "NEW_INDEXER", after="NEW_INDEXER")
    default = Finding(f"{FIX.sha[:12]}/2", "env_default_changed", "a.py", 1, "NEW_INDEXER", "False", "True")
    old = replace(default, id=f"{FIX.sha[:12]}/3", symbol="OLD_INDEXER")
    whole = entry(Exposure("v1.0", absent=("NEW_INDEXER",)), reading=Reading(FIX.sha, findings=(new, default, old)))
    assert met(whole).reading.findings == (new, old)


def test_what_takes_away_only_names_that_no_release_had_counts_for_nobody() -> None:
    gone = Finding(f"{FIX.sha[:12]}/1", "function_removed", "a.py", 1, "Cache.pin_prefix", breaking=True)
    kept = Finding(f"{FIX.sha[:12]}/2", "function_removed", "a.py", 9, "Cache.lock_prefix", breaking=True)
    repo = Collected(Repo("acme/engine", "", ""), absent={FIX.sha: ("pin_prefix",)}, newest={FIX.sha: "v1.0"})
    whole = entry(None, kind="refactor", reading=replace(Reading(FIX.sha), findings=(gone,)))
    whole = replace(whole, exposure=exposure_of(whole, None, repo))
    assert met(whole).reading.findings == ()
    both = replace(whole, reading=replace(whole.reading, findings=(gone, kept)))
    assert met(both).reading.findings == (kept,)


def test_a_parameter_that_no_release_had_counts_for_nobody_and_one_of_the_same_name_elsewhere_stays() -> None:
    gone = Finding(f"{FIX.sha[:12]}/1", "parameter_removed", "a.py", 1, "Engine.stop(timeout)", breaking=True)
    kept = replace(gone, id=f"{FIX.sha[:12]}/2", symbol="Engine.wait(timeout)")
    whole = entry(Exposure("v1.0", absent=("stop(timeout)",)), reading=Reading(FIX.sha, findings=(gone, kept)))
    assert met(whole).reading.findings == (kept,)


def test_a_module_that_no_release_had_and_moves_is_no_break_of_it() -> None:
    moved = Finding("2/0", "module_moved", "engine/late.py", 1, "engine.ops.late", "engine.ops.late", "engine.late")
    other = Finding("2/1", "module_moved", "engine/old.py", 1, "engine.ops.old", "engine.ops.old", "engine.old")
    reading = Reading(FIX.sha, findings=(moved, other))
    assert released_part(reading, ("src.engine.ops.late",)).findings == (other,)
    assert released_part(reading, ("late",)) == reading


def test_a_field_and_a_function_of_a_module_that_no_release_had_count_for_nobody() -> None:
    field = Finding("2/0", "internal_field_removed", "a.py", 1, "Cache.late_rank", "late_rank", breaking=True)
    other = replace(field, id="2/1", symbol="Engine.late_rank")
    moved = Finding(
        "2/2", "function_moved", "engine/b.py", 1, "run_late", "engine.ops.late.run_late", "engine.b.run_late"
    )
    reading = Reading(FIX.sha, findings=(field, other, moved))
    assert released_part(reading, ("Cache.late_rank", "src.engine.ops.late")).findings == (other,)


@pytest.mark.parametrize(("switch", "level"), [("", "high"), ("FAST_RUNNER", "medium")])
def test_a_fix_of_what_nobody_runs_without_a_variable_that_is_off_is_at_most_medium_and_says_so(
    switch: str, level: str
) -> None:
    found = entry(Exposure("v1.0", True, switch=switch), importance=Importance("high", 0.95))
    assert weighed(found).importance.level == level
    said = met_on(alike("Fix."), found)["en"]
    assert said == ("Fix. Hits `FAST_RUNNER=1` only." if switch else "Fix.")


def test_a_fault_of_one_model_that_a_release_has_is_worth_knowing() -> None:
    one = Importance("low", 0.2, (Reason("one_model", alike("concerns one model")),))
    for has, level in ((True, "medium"), (False, "low"), (None, "low")):
        assert weighed(entry(Exposure("v1.0", has), importance=one)).importance.level == level


GUARD = "if not rows:\n    return 0\na = 2\n"


@pytest.mark.parametrize(
    ("subject", "path", "now", "has", "level"),
    [
        ("Fix crash of the scheduler (#12)", "vllm/v1/core/sched/scheduler.py", GUARD, True, "high"),
        ("Fix crash of the scheduler (#12)", "vllm/v1/core/sched/scheduler.py", "a = 2\n", True, "medium"),
        ("Fix wrong tokens of the scheduler (#12)", "vllm/v1/core/sched/scheduler.py", "a = 2\n", True, "high"),
        ("Fix data race of the block table (#12)", "vllm/v1/core/sched/scheduler.py", "a = 2\n", True, "medium"),
        ("Fix crash of the scheduler (#12)", "vllm/v1/core/sched/scheduler.py", GUARD, None, "medium"),
        ("Fix rounding of the scheduler (#12)", "vllm/v1/core/sched/scheduler.py", GUARD, True, "medium"),
        ("Fix crash of the loader (#12)", "vllm/model_executor/model_loader/loader.py", GUARD, True, "medium"),
    ],
)
def test_what_stops_or_corrupts_what_much_rests_on_counts_in_full_where_a_release_has_it(
    subject: str, path: str, now: str, has: bool | None, level: str
) -> None:
    """The lines of the fix have to bear out its title as well: the release has them whatever they do."""
    change = change_of({path: patch_of("a = 1\n", now)}, subject=subject, repo="vllm-project/vllm")
    mends = Importance("medium", 0.7, tuple(Reason(one, alike(one)) for one in ("mends", "flag_changed")))
    reading = Reading(change.sha)
    made = Entry(change, reading, "fix", mends, gist=gist(change, reading), exposure=Exposure("v1.0", has))
    assert weighed(made).importance.level == level
    few = replace(mends, reasons=(*mends.reasons, Reason("few", alike("few run it"))))
    assert weighed(replace(made, importance=few)).importance.level == "medium"


def test_what_comes_with_a_package_of_its_own_is_not_advised_to_be_picked() -> None:
    pin = Finding(f"{FIX.sha[:12]}/1", "source_changed", "kernels/fetch.cmake", 1, "mla", effective="kernels")
    whole = entry(Exposure("v1.0", True, applies=True), reading=Reading(FIX.sha, findings=(pin,)))
    assert "pick" not in dated(alike("It."), whole, "fix", picks=True)["en"]
    assert dated(alike("Fix."), whole, "fix", picks=True)["en"] == "Fix. `v1.0` has this fault."
    patch = {"sgl-kernel/csrc/a.cu": patch_of("int a;\n", "int b;\n")}
    kernel = replace(FIX, repo="sgl-project/sglang", files=change_of(patch).files)
    said = dated(alike("Fix."), entry(Exposure("v1.0", True, applies=True), change=kernel), "fix", picks=True)["en"]
    assert said == "Fix. `v1.0` has this fault. The fix comes with a release of `sgl-kernel`."


def test_a_fix_of_wrong_results_under_a_flag_keeps_its_grade_and_says_whom_they_hit() -> None:
    wrong = Importance("high", 0.95, (Reason("corrupts", alike("wrong")),))
    crash = Importance("high", 0.95, (Reason("crash", alike("crashed")),))
    found = Exposure("v1.0", True, switch="--enable-rows")
    levels = [weighed(entry(found, importance=one)).importance.level for one in (wrong, crash)]
    assert levels == ["high", "medium"]
    assert met_on(alike("Fix."), entry(found))["en"] == "Fix. Hits `--enable-rows` only."
    named = replace(FIX, subject="Fix crash with --enable-rows (#12)")
    assert met_on(alike("Fix."), entry(found, change=named))["en"] == "Fix."


@pytest.mark.parametrize(
    ("first", "has"),
    [
        ("Fix crash of the scheduler in capture (#11)", None),
        ("Fix the order of weights (#11)", False),
    ],
)
@pytest.mark.parametrize("begins", ["Fix crash", "Name the device in the fix of the crash"])
def test_a_fix_after_a_fix_does_not_spare_the_release(first: str, has: bool | None, begins: str) -> None:
    cause = replace(CAUSE, subject=first)
    later = replace(FIX, subject=f"{begins} of the scheduler in capture of graphs (#12)")
    story = Story("fixup-1-2", "fixup", (cause.sha, later.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(later, cause), exposed={later.sha: Exposure("v1.0", False)}, younger=(cause.sha, later.sha)
    )
    found = exposure_of(entry(None, change=later), story, known)
    assert found is not None
    assert found.has is has
    assert "not affected" not in dated(alike("Fix."), entry(found, change=later), "fix")["en"]


def test_a_cause_that_only_put_it_in_other_words_does_not_spare_the_release() -> None:
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    unknown = Exposure("v1.0", None, older=True)
    known = Collected(
        Repo("org/x", "", ""), changes=(FIX, CAUSE), exposed={FIX.sha: unknown}, younger=(CAUSE.sha, FIX.sha)
    )
    assert exposure_of(entry(None), story, known) == unknown


@pytest.mark.parametrize("by", ["lines", "ci"])
@pytest.mark.parametrize("has", [True, False, None])
def test_a_fix_that_had_to_be_mended_itself_is_no_pick_and_its_lines_are_told_where_a_release_has_them(
    has: bool | None, by: FaultEvidence
) -> None:
    """A repair of its tests alone changes nothing of it."""
    later = replace(CAUSE, sha="c" * 40)
    story = Story("fixup-1-2", "fixup", (FIX.sha, later.sha), alike("net"), broken_by=by)
    exposed = {FIX.sha: Exposure("v1.0", has, applies=True)}
    known = Collected(Repo("org/x", "", ""), changes=(later, FIX), exposed=exposed, younger=(later.sha, FIX.sha))
    found = exposure_of(entry(None), story, known)
    assert found is not None
    assert found.has is has
    assert found.applies is (True if by == "ci" else None)
    assert found.unsaid is (has is True and by == "lines")


def test_a_release_that_has_a_part_of_the_lines_is_not_spared_by_what_brought_the_others() -> None:
    fixed = replace(FIX, files=change_of({"engine/core.py": patch_of("old_call(rows)\n", "new_call(rows)\n")}).files)
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    known = Collected(
        Repo("org/x", "", ""),
        changes=(fixed, CAUSE),
        exposed={FIX.sha: Exposure("v1.0", some=True)},
        younger=(CAUSE.sha, FIX.sha),
    )
    found = exposure_of(entry(None, change=fixed), story, known)
    told = dated(alike("Fix."), entry(found, change=fixed), "fix")
    assert told["en"] == "Fix."


def test_a_release_that_was_cut_before_the_repair_of_what_it_has_is_named_with_it() -> None:
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    known = Collected(Repo("org/x", "", ""), changes=(FIX, CAUSE), released={CAUSE.sha: "v1.1rc0"})
    missed = repair_missed(CAUSE, story, known)
    assert missed
    one = replace(entry(None, released="v1.1rc0", change=CAUSE), unmended=missed)
    assert (
        dated(alike("It."), one, "fix")["en"]
        == f"It. Released in `v1.1rc0`. `v1.1rc0` lacks its own repair `{missed}`."
    )
    both = replace(known, released={CAUSE.sha: "v1.1rc0", FIX.sha: "v1.1rc0"})
    assert not repair_missed(CAUSE, story, both)
    assert not repair_missed(FIX, story, known)


@pytest.mark.parametrize(("doubted", "has"), [(False, True), (True, None)])
def test_a_release_that_holds_the_change_at_fault_has_what_it_broke(doubted: bool, has: bool | None) -> None:
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(FIX, CAUSE), exposed={FIX.sha: Exposure("v1.0", doubted=doubted)}, younger=(FIX.sha,)
    )
    found = exposure_of(entry(None), story, known)
    assert found is not None
    assert found.has is has


@pytest.mark.parametrize(
    "title", ["[Refactor] Move the flush into the parser (#11)", 'Revert "Flush late" (#11)', "Reland the flush (#11)"]
)
@pytest.mark.parametrize(("has", "then"), [(None, None), (True, True), (False, False)])
def test_a_change_that_only_moved_or_put_back_what_is_mended_does_not_spare_the_release(
    has: bool | None, then: bool | None, title: str
) -> None:
    cause = replace(CAUSE, subject=title)
    story = Story("fixup-1-2", "fixup", (cause.sha, FIX.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(FIX, cause), exposed={FIX.sha: Exposure("v1.0", has)}, younger=(cause.sha, FIX.sha)
    )
    found = exposure_of(entry(None), story, known)
    assert found is not None
    assert found.has is then


@pytest.mark.parametrize(("kind", "picks"), [("guard_removed", True), ("function_removed", False)])
def test_a_pick_that_only_drops_a_check_takes_nothing_away(kind: str, picks: bool) -> None:
    gone = Finding(f"{FIX.sha[:12]}/1", kind, "engine/core.py", 1, "Calculator.state", before="if x: raise ValueError")
    whole = entry(Exposure("v1.0", True, applies=True), reading=Reading(FIX.sha, findings=(gone,)))
    assert ("pick" in dated(alike("It."), whole, "fix", picks=True)["en"]) is picks


def test_two_fixes_whose_titles_share_little_more_than_the_part_mend_two_faults() -> None:
    cause = replace(CAUSE, subject="Fix loading of expert weights with padded hidden dimensions of drafts (#11)")
    later = replace(FIX, subject="Fix inner dimension not being narrowed before weights of layers are loaded (#12)")
    story = Story("fixup-1-2", "fixup", (cause.sha, later.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(later, cause), exposed={later.sha: Exposure("v1.0")}, younger=(cause.sha, later.sha)
    )
    found = exposure_of(entry(None, change=later), story, known)
    assert found is not None
    assert unaffected(entry(found))


def test_what_only_goes_back_to_what_the_release_has_says_so_and_counts_for_nobody_who_runs_it() -> None:
    found = Finding("a/1", "field_default_changed", "engine/config.py", 3, "Config.fast", "True", "False")
    patch = "@@ -3 +3 @@\n-    fast: bool = True\n+    fast: bool = False"
    back = Exposure("v1.0", back=("engine/config.py:3",))
    change = commit("2", "Fix the default (#12)", {"engine/config.py": patch})
    whole = entry(back, change=change, reading=Reading(FIX.sha, findings=(found,)))
    assert met(whole).reading.findings == ()
    assert put_back(alike("Text."), met(whole))["en"] == (
        "Text. Back to what `v1.0` has: only who follows the branch meets a change."
    )
    beside = replace(found, id="a/2", line=9)
    more = replace(whole, reading=Reading(FIX.sha, findings=(found, beside)))
    assert met(more).reading.findings == (beside,)
    assert put_back(alike("Text."), more) == alike("Text."), "something else changed as well"
    wide = commit(
        "2", "Fix the default (#12)", {"engine/config.py": patch, "engine/a.py": patch_of("a = 1\n", "a = 2\n")}
    )
    assert put_back(alike("Text."), replace(whole, change=wide)) == alike("Text."), "another place is not back"
    came = replace(found, kind="registry_added", before=None)
    new = replace(whole, reading=Reading(FIX.sha, findings=(came,)))
    assert met(new).reading.findings == (came,), "what comes may stand there a second time"


def test_a_revert_that_puts_back_the_lines_of_the_release_says_so_without_any_finding() -> None:
    change = commit("2", "Revert the fast path (#12)", {"engine/core.py": "@@ -3 +3 @@\n-    fast()\n+    slow()"})
    known = Collected(
        Repo("org/x", "https://example.org/org/x", ""), changes=(change,), newest={change.sha: "v1.0"},
        back={change.sha: ("engine/core.py:3",)},
    )  # fmt: skip
    for kind, told in (("revert", "Text. Back to what `v1.0` has"), ("feature", "Text.")):
        plain = replace(entry(None, change=change), kind=kind)
        whole = replace(plain, exposure=exposure_of(plain, None, known))
        assert put_back(alike("Text."), whole)["en"].startswith(told), kind
        assert ("Back to" in put_back(alike("Text."), whole)["en"]) is (kind == "revert")


_TABLE = " PARSERS = {\n     'one': One,\n+    'two': Two,\n }\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (f"+from engine.two import Two\n{_TABLE}", False),
        (f"+LIMIT = 8\n{_TABLE}", True),
        ("+from engine import two\n x = 1\n", True),
        (" run(\n     'one': One,\n+    clamped,\n )\n", True),
        (_TABLE.replace("'two': Two", "'eos': self.eos"), True),
        (_TABLE.replace("'one': One", "go()"), True),
    ],
    ids=["a row", "a row and a value", "an import", "handed on", "what is not its own", "no table"],
)
def test_a_file_that_comes_with_its_row_in_a_table_is_no_fault_of_a_release(body: str, told: bool) -> None:
    rows = body.splitlines()
    table = f"@@ -1,{sum(row[0] == ' ' for row in rows)} +1,{len(rows)} @@\n{body}"
    files = {"engine/two.py": patch_of("", "class Two:\n    pass\n"), "engine/parsers.py": table}
    change = commit("3", "Fix calls of functions of Two (#13)", files)
    came = tuple(replace(f, status="A") if f.path.endswith("two.py") else f for f in change.files)
    change = replace(change, files=came)
    known = Collected(Repo("org/x", "", ""), changes=(change,), exposed={change.sha: Exposure("v1.0", True)})
    assert (exposure_of(entry(None, change=change), None, known) is not None) is told

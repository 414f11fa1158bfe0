"""Who has the bug: which release a repair names, and when a pick is advised."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyse.storied import commit
from daybreak.core.model.changes import Collected, Exposure, Repo
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Importance
from daybreak.core.words.grammar import alike
from daybreak.judge.exposure import dated, exposure_of, met, pickable, take, unaffected

FIX = commit("2", "Fix crash of the scheduler (#12)")
CAUSE = commit("1", "Rewrite the scheduler (#11)")


def entry(found: Exposure | None, **more: object) -> Entry:
    made = Entry(FIX, Reading(FIX.sha), "fix", Importance("medium", 0.5), after="v1.0", exposure=found)
    return replace(made, **more)


_SAID = {
    "the release has it": (
        Exposure("v1.0", True),
        None,
        "Fix. `v1.0` has the code that it mends.",
    ),
    "a candidate brings the fix": (
        Exposure("v1.0", True),
        "v1.1rc2",
        "Fix. `v1.0` has the code that it mends; fixed in `v1.1rc2`.",
    ),
    "no release has it": (Exposure("v1.0", False), None, "Fix. `v1.0` is not affected."),
    "a candidate has it": (Exposure("v1.0", False, "v1.1rc1"), None, "Fix. `v1.1rc1` has it; `v1.0` is not affected."),
    "it was picked": (Exposure("v1.0", False, picked=True), None, "Fix. `v1.0` has the fix too."),
    "nobody knows": (Exposure("v1.0"), None, "Fix. On the branch only, not in `v1.0`."),
    "nobody knows of a released one": (None, "v1.1rc2", "Fix. Released in `v1.1rc2`."),
}


@pytest.mark.parametrize(("found", "released", "said"), _SAID.values(), ids=_SAID.keys())
def test_which_release_a_repair_names(found: Exposure | None, released: str | None, said: str) -> None:
    assert dated(alike("Fix."), entry(found, released=released), "fix")["en"] == said


def test_what_is_no_repair_says_nothing_of_who_has_a_bug() -> None:
    said = dated(alike("Default moved."), entry(Exposure("v1.0", True)), "default")["en"]
    assert said == "Default moved. On the branch only, not in `v1.0`."


def test_a_pick_is_advised_only_where_it_applies_and_narrows_nothing() -> None:
    fits = Exposure("v1.0", True, applies=True)
    guard = Finding(f"{FIX.sha[:12]}/1", "guard_added", "a.py", 1, "f", after="x")
    narrow = replace(Reading(FIX.sha), findings=(guard,))
    cases = [
        entry(fits),
        entry(Exposure("v1.0", True)),
        entry(fits, reading=narrow),
        entry(fits, breaking=True),
    ]
    assert [pickable(one) for one in cases] == [True, False, False, False]
    assert "cherry-pick" in take(cases[0])["en"]
    assert not any("cherry-pick" in take(one)["en"] for one in cases[1:])


def test_a_cause_that_the_release_lacks_settles_it_and_is_named() -> None:
    story = Story("fixup-1-2", "fixup", (CAUSE.sha, FIX.sha), alike("net"))
    repo = Repo("org/x", "https://example.org/org/x", "")
    known = Collected(
        repo, changes=(FIX, CAUSE), exposed={FIX.sha: Exposure("v1.0", True)}, released={CAUSE.sha: "v1.1rc1"}
    )
    found = exposure_of(entry(None), story, replace(known, younger=(CAUSE.sha, FIX.sha)))
    assert found == Exposure("v1.0", False, candidate="v1.1rc1", cause="#11")
    assert unaffected(entry(found))
    assert exposure_of(entry(None), story, known) == Exposure("v1.0", True), (
        "a release that holds the cause has the bug"
    )


def test_what_takes_away_only_names_that_no_release_had_counts_for_nobody() -> None:
    gone = Finding(f"{FIX.sha[:12]}/1", "function_removed", "a.py", 1, "Cache.pin_prefix", breaking=True)
    kept = Finding(f"{FIX.sha[:12]}/2", "function_removed", "a.py", 9, "Cache.lock_prefix", breaking=True)
    repo = Collected(Repo("acme/engine", "", ""), absent={FIX.sha: ("pin_prefix",)}, newest={FIX.sha: "v1.0"})
    whole = entry(None, kind="refactor", reading=replace(Reading(FIX.sha), findings=(gone,)))
    whole = replace(whole, exposure=exposure_of(whole, None, repo))
    assert met(whole).reading.findings == ()
    both = replace(whole, reading=replace(whole.reading, findings=(gone, kept)))
    assert met(both).reading.findings == (kept,)

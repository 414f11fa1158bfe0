"""What stands first in the day's summary: faults that users met, then what kind of day it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Exposure, Repo, Window
from daybreak.core.model.day import MOST_ACTIONS, MOST_ALSO
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import RepoReport
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.day import summary as day_summary
from daybreak.judge.interface import Judgement
from daybreak.judge.rules import RuleAnalyst
from read.made import change_of, patch_of, read_one

START = datetime(2026, 1, 19, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=1), "UTC", "2026-01-19")
REPO = Repo("acme/engine", "https://github.com/acme/engine", "x")


def commit(digit: str, subject: str, files: dict[str, str], at: int = 60) -> Change:
    return change_of(files, subject=subject, sha=digit * 40, committed_at=START + timedelta(minutes=at), author=digit)


def reading(change: Change) -> Reading:
    return read_one(change)


def report(*changes: Change, recent: tuple[Change, ...] = ()) -> RepoReport:
    collected = Collected(REPO, "main", None, changes, in_git=len(changes), recent=recent)
    found = RuleAnalyst().repository(collected, {c.sha: reading(c) for c in changes}, WINDOW)
    return RepoReport(REPO, "main", None, found.entries, found.late, found.stories, found.assessment, len(changes))


def summary(*changes: Change, recent: tuple[Change, ...] = ()) -> list[str]:
    day = Judgement(WINDOW, "0", ("zh", "en"), (report(*changes, recent=recent),))
    return [s.text["en"] for s in RuleAnalyst().day(day).summary]


@pytest.mark.parametrize(
    ("path", "title", "told"),
    [
        ("engine/core.py", "Fix the crash caused by #10", True),
        ("csrc/attention.cu", "Fix the crash caused by #10", True),
        ("engine/core.py", "Fix the value of #10", False),
        ("engine/core.py", "[ROCm] Fix the crash caused by #10", False),
        ("docker/wheels.Dockerfile", "Fix the crash caused by #10", False),
        ("scripts/build_wheel.sh", "Fix the crash caused by #10", False),
    ],
)
def test_a_fault_is_in_the_summary_only_where_code_that_most_users_run_was_mended_and_it_was_grave(
    path: str, title: str, told: bool
) -> None:
    wrong, right = "call_with(the_wrong_value)\n", "if the_value is not None:\n    call_with(the_right_value)\n"
    first = commit("1", "Take another value (#10)", {path: patch_of("", wrong)}, at=-90)
    later = commit("2", f"{title} (#11)", {path: patch_of(wrong, right)})
    (story,) = report(later, recent=(first,)).stories
    assert story.broken is not None
    said = summary(later, recent=(first,))
    assert [text for text in said if "had a fault" in text] == told * [
        "From 2026-01-18 22:30 to 2026-01-19 01:00 the branch of engine had a fault, which “Fix the crash caused by #10” repaired."
    ]


def test_it_says_what_kind_of_day_it_was_and_where_the_work_lies() -> None:
    fixes = [
        commit(f"{n}", f"Fix part {n} (#{n})", {"src/server/http.py": patch_of("a\n", f"b{n}\n")}) for n in range(1, 8)
    ]
    assert summary(*fixes) == [
        "More fixes than features and optimizations.",
        "Most fixes are in API and parsers.",
    ]


def test_a_part_is_named_only_where_more_than_half_of_it_lies_there() -> None:
    places = ("src/server/http.py", "src/cache/pool.py", "src/router/way.py", "src/loader/file.py")
    spread = [
        commit(f"{n:x}", f"Fix part {n} (#{n})", {places[n % 4]: patch_of("a\n", f"b{n}\n")}) for n in range(1, 13)
    ]
    assert not any(text.startswith("Most") for text in summary(*spread))
    more = [commit(f"{n:x}", f"Fix part {n} (#{n})", {places[0]: patch_of("a\n", f"b{n}\n")}) for n in range(13, 20)]
    assert not any(text.startswith("Most") for text in summary(*spread, *more[:6]))  # half is not more than half
    assert "Most fixes are in API and parsers." in summary(*spread, *more)


def test_few_changes_are_a_quiet_day() -> None:
    assert summary(commit("1", "Fix it (#1)", {"engine/core.py": patch_of("a\n", "b\n")})) == ["A quiet day."]


def test_few_changes_of_which_one_is_as_large_as_a_release_are_said_so() -> None:
    large = commit("1", "v4.6 update", {"engine/core.py": patch_of("", "".join(f"x{n} = {n}\n" for n in range(5200)))})
    assert summary(large) == ["Few changes, one of them large."]


def test_repairs_and_new_work_have_their_own_places() -> None:
    http, cache = "src/server/http.py", "src/cache/pool.py"
    titles = [(f"Fix part {n} (#{n})", http) for n in range(1, 4)] + [
        (f"Add part {n} (#{n})", cache) for n in range(4, 7)
    ]
    changes = [commit(title[-2], title, {path: patch_of("a()\n", "b()\n")}) for title, path in titles]
    assert "Most fixes are in API and parsers, most features and optimizations in `src/cache`." in summary(*changes)
    same = [commit(title[-2], title, {http: patch_of("a()\n", "b()\n")}) for title, _ in titles]
    assert "Most fixes and most new work are in API and parsers." in summary(*same)


@pytest.mark.parametrize(
    ("titles", "told"),
    [
        (("Load NewModel V4 (#1)", "Tune NewModel-V4 (#2)"), ["engine and server alike work on NewModel V4."]),
        (("Load the model (#1)", "Tune the model (#2)"), []),
        (("Run it in BF16 (#1)", "Tune BF16 (#2)"), []),
        (("Load NewModel V4 (#1)", "Tune the rows (#2)"), []),
        (("Build on H100 (#1)", "Tune for H100 (#2)"), []),
        (("[BugFix] Load rows (#1)", "BugFix: tune rows (#2)"), []),
    ],
)
def test_what_several_repositories_work_on_is_said_by_its_name(titles: tuple[str, str], told: list[str]) -> None:
    one = report(
        *(commit(f"{n}", title, {"src/a.py": patch_of("a()\n", f"b{n}()\n")}) for n, title in enumerate(titles, 1))
    )
    two = replace(one, repo=replace(REPO, name="acme/server"))
    found = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (one, two)))
    assert [s.text["en"] for s in found.summary if "alike" in s.text["en"]] == told
    assert AllChecks().day(found).grounding.dropped == 0


def test_the_repairs_that_are_counted_are_those_whose_lines_say_that_a_release_has_the_fault() -> None:
    wrong = {"engine/core.py": patch_of("a()\n", "    # The last row was lost.\n    b()\n")}
    fixes = [commit(f"{n:x}", f"Fix wrong logits of part {n} (#{n})", wrong) for n in range(1, 16)]
    fixes += [commit("f", "Fix wrong logits of all (#16)", wrong)]
    made = report(*fixes)
    had = tuple(replace(e, exposure=Exposure("v1.0", has=True)) for e in made.entries)
    told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=had),)))
    assert len((*told.actions[:MOST_ACTIONS], *told.also[:MOST_ALSO])) < len(had)
    assert f"has {len(had)} of the faults" in told.summary[1].text["en"]
    low = replace(had[0], importance=replace(had[0].importance, level="low"))  # its row says it
    same = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=(low, *had[1:])),)))
    assert f"has {len(had)} of the faults" in same.summary[1].text["en"]


def test_the_conclusion_names_wrong_results_before_crashes_and_those_at_an_exit_last() -> None:
    def first(*titles: str) -> str:
        lines = {"engine/core.py": patch_of("a()\n", "    # The last row was lost, and it crashed.\n    b()\n")}
        made = report(*(commit(f"{n}", title, lines) for n, title in enumerate(titles, 1)))
        had = tuple(replace(e, exposure=Exposure("v1.0", has=True, applies=True)) for e in made.entries)
        told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=had),)))
        return next(one.text["en"] for one in told.conclusion if one.text["en"].startswith("Take the fixes"))

    leaving, serving, wrong = "Fix crash of a row at shutdown", "Fix crash of a row", "Fix wrong logits of a row"
    assert f"“{serving}”" in first(leaving, serving)
    assert f"“{wrong}”" in first(leaving, serving, wrong)


def test_a_revert_of_what_only_runs_in_checks_of_the_project_is_not_named() -> None:
    for path, named in ((".github/workflows/run.yml", False), ("engine/core.py", True)):
        was, now = patch_of("a()\n", "b()\n"), patch_of("b()\n", "a()\n")
        old = commit("1", "Use a token (#1)", {path: was}, at=-600)
        back = change_of(
            {path: now},
            subject='Revert "Use a token" (#2)',
            sha="2" * 40,
            body=f"This reverts commit {'1' * 40}.",
            committed_at=START + timedelta(minutes=60),
        )
        made = report(back, recent=(old,))
        told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (made,)))
        assert any("was taken back" in one.text["en"] for one in told.conclusion) is named


def test_it_says_how_many_changes_break_and_how_many_repairs_a_release_needs_and_the_conclusion_what_stands_below() -> (
    None
):
    option = patch_of('    p.add_argument("--kv")\n', "")
    wrong = {"engine/core.py": patch_of("a()\n", "    # The last row was lost.\n    b()\n")}
    fixes = [commit(f"{n}", f"Fix wrong logits of part {n} (#{n})", wrong) for n in range(1, 9)]
    made = report(commit("9", "Drop an option", {"python/engine/server_args.py": option}), *fixes)
    had = tuple(replace(e, exposure=Exposure("v1.0", e.change.sha[0] != "7")) for e in made.entries)
    told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=had),)))
    assert [said.text["en"] for said in told.summary[1:3]] == [
        "At least 1 breaking change in engine: see “Drop an option”.",
        "The newest release has 7 of the faults fixed in engine: see “Fix wrong logits of part 1”.",
    ]
    assert (
        told.summary[2].text["zh"] == "engine 修复的缺陷中，有 7 项存在于最新发布版，见「Fix wrong logits of part 1」。"
    )
    some = tuple(replace(e, exposure=None) if e.change.sha[0] == "7" else e for e in had)
    asked = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=some),))).summary[2].text
    assert "至少有 7 项存在于最新发布版" in asked["zh"]
    assert "has at least 7 of the faults" in asked["en"], "one of them was not checked"
    below = 7 - sum(action.tag == "corrupts" for action in told.actions[:MOST_ACTIONS])
    rest = told.conclusion[-1].text["en"]
    assert rest.startswith(f"{below} more fixes further down are for faults that the newest release has (engine): “Fix")
    assert rest.count("“") == min(below, 2)


def test_the_summary_counts_what_breaks_as_the_head_of_the_page_does_and_links_what_most_meet() -> None:
    """What breaks on hardware that few have breaks as well."""
    option = patch_of('    p.add_argument("--kv")\n', "")
    few = commit("8", "[ROCm] Drop an option of the plug-in", {"python/engine/rocm/server_args.py": option})
    all_ = commit("9", "Drop an option", {"python/engine/server_args.py": option})
    made = report(few, all_)
    assert sum(e.breaking for e in made.entries) == 2
    told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (made,))).summary
    stands_out = next(one for one in told if "breaking" in one.text["en"])
    assert "At least 2 breaking changes in engine: see “Drop an option”" in stands_out.text["en"]
    assert stands_out.evidence[1].endswith("9" * 40)


def test_what_is_named_of_many_is_never_one_that_is_graded_low_where_others_are_not() -> None:
    option = patch_of('    p.add_argument("--kv")\n', "")
    lines = {"engine/core.py": patch_of("a()\n", "b()\n")}
    first = commit("6", "Drop an option that few set", {"python/engine/server_args.py": option})
    second = commit("7", "Drop an option", {"python/engine/server_args.py": option})
    fixes = (commit("8", "Fix a part that few run", lines), commit("9", "Fix crash of a row", lines))
    made = report(first, second, *fixes)
    few, grades = {"6" * 40, "8" * 40}, {True: "low", False: "medium"}
    entries = tuple(
        replace(
            e,
            exposure=Exposure("v1.0", has=True) if e.kind == "fix" else None,
            importance=replace(e.importance, level=grades[e.change.sha in few]),
        )
        for e in made.entries
    )
    told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=entries),))).summary
    named = [one.text["en"].rpartition("see ")[2] for one in told if "see “" in one.text["en"]]
    assert named == ["“Drop an option”.", "“Fix crash of a row”."]


def test_the_repair_to_take_first_is_one_that_a_release_is_known_to_need() -> None:
    lines = {"engine/core.py": patch_of("a()\n", "    # The last row was lost, and it crashed.\n    b()\n")}
    titles = ("Fix wrong logits of a row", "Fix crash of a row")
    made = report(*(commit(f"{n}", title, lines) for n, title in enumerate(titles)))
    had = tuple(
        replace(e, exposure=Exposure("v1.0", has="crash" in e.change.subject or None, applies=True))
        for e in made.entries
    )
    told = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (replace(made, entries=had),)))
    assert {one.commits[0][0] for one in told.actions} == {"0", "1"}
    (take,) = [one.text["en"] for one in told.conclusion if one.text["en"].startswith("Take the fixes")]
    assert take.endswith("starting with “Fix crash of a row”. `v1.0` has this fault.")


def test_repairs_are_more_only_where_they_outnumber_all_that_is_called_new_and_a_revert_is_none() -> None:
    def said(*titles: str) -> str:
        some = (
            commit(f"{n}", title, {"src/cache/pool.py": patch_of("a()\n", f"b{n}()\n")})
            for n, title in enumerate(titles)
        )
        return summary(*some)[0]

    fixes, quicker = ["Fix part 1", "Fix part 2"], ["[Perf] Speed up part 3", "[Perf] Speed up part 4"]
    assert said(*fixes, *quicker, 'Revert "Add part 5"') == "Fixes as well as features and optimizations."
    assert said(*fixes, "Fix part 6", *quicker) == "More fixes than features and optimizations."


def test_an_entry_that_says_nothing_of_a_release_is_not_named_as_a_repair_of_its_fault() -> None:
    wrong = {"engine/core.py": patch_of("a()\n", "    # The last row was lost.\n    b()\n")}
    made = report(*(commit(f"{n}", f"Fix wrong logits of part {n} (#{n})", wrong) for n in range(1, 3)))
    had = tuple(replace(e, exposure=Exposure("v1.0", has=True)) for e in made.entries)
    at = replace(made, entries=had)
    silent, *rest = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (at,))).actions
    silent = replace(silent, text={"zh": "默认值变了。", "en": "Another default."})
    said = next(one for one in day_summary((at,), (silent, *rest)) if "newest release" in one.text["en"])
    assert "has at least 1 of the faults" in said.text["en"]
    assert f"commit:{silent.commits[0]}" not in said.evidence

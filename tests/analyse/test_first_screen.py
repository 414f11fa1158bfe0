"""The first screen names few changes, each with what shows it; what else is worth knowing has a line each."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, BREAKS, DEFAULT, commit, day, repairs, report
from daybreak.core.model.changes import Change, Exposure
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import RepoReport
from daybreak.core.model.statements import Importance, Level, Reason
from daybreak.core.words.grammar import alike
from daybreak.judge.action_questions import asked
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.first_screen import A_REPOSITORY, candidates
from daybreak.judge.phrases import what
from read.made import patch_of

TORCH = commit("7", "Follow torch (#7)", {"pyproject.toml": patch_of("a\n", "b\n")})


def finding(of: Change, kind: str, path: str, symbol: str, **fields: Any) -> Finding:
    return Finding(f"{of.sha[:12]}/{fields.pop('number', 1)}", kind, path, 1, symbol, **fields)


def tags(part: RepoReport) -> list[str]:
    """What asks for action on a day on which others ask for more: with the tag that it has then."""
    return [one.tag for one in candidates([part])]


def told(part: RepoReport) -> dict[str, str]:
    """First digit of a commit -> what is said of it."""
    return {action.commits[0][0]: action.text["en"] for action in day(part).actions}


def test_a_title_alone_never_enters() -> None:
    long = {"engine/scheduler.py": patch_of("a()\n" * 40, "".join(f"b{n}()\n" for n in range(40)))}
    silent = commit("1", "Fix wrong logits (#1)", long)
    told_by_body = commit("2", "Fix wrong results (#2)", long, body="Rows past the last page were read as zeros.")
    found = day(report(silent, told_by_body))
    assert [action.commits[0][0] for action in found.actions] == ["2"]
    assert "“Rows past the last page were read as zeros.”" in found.actions[0].text["en"]
    assert found.also == ()


def graded(part: RepoReport, levels: dict[str, Level], name: str = "acme/engine") -> RepoReport:
    """The same with these grades, by the first digit of a commit."""
    score: dict[Level, float] = {"high": 0.95, "medium": 0.7, "low": 0.3}
    entries = tuple(
        replace(e, importance=Importance(level, score[level])) if (level := levels.get(e.change.sha[0])) else e
        for e in part.entries
    )
    return replace(part, repo=replace(part.repo, name=name), entries=entries)


def dropped(count: int) -> list[Change]:
    options = (f'    p.add_argument("--kv-{n}")\n' for n in range(1, count + 1))
    return [commit(f"{n:x}", f"Drop {n}", {ARGS: patch_of(option, "")}) for n, option in enumerate(options, 1)]


def test_no_repository_takes_the_whole_screen_and_the_rest_stands_below() -> None:
    gone = dropped(8)
    found = day(graded(report(*gone), dict.fromkeys("12345678", "medium")))
    assert [action.tag for action in found.actions] == ["breaks"] * A_REPOSITORY
    assert len(found.also) == len(gone) - A_REPOSITORY
    assert all("removes the command line option" in action.text["en"] for action in found.also)


def test_what_is_graded_high_stands_above_what_is_not_on_the_screen_and_below_it() -> None:
    ours = graded(report(*dropped(8)), {"1": "medium"})
    other = graded(report(*dropped(3)), dict.fromkeys("123", "medium"), "acme/other")
    found = AllChecks().day(day(ours, other))
    levels = [
        next(r for r in (ours, other) if r.repo.name == action.repo)
        .entries[int(action.commits[0][0]) - 1]
        .importance.level
        for action in (*found.actions, *found.also)
    ]
    assert levels == ["high"] * 6 + ["medium"] * 2 + ["high"] + ["medium"] * 2
    assert max(Counter(action.repo for action in found.actions).values()) == A_REPOSITORY


def test_what_is_to_spare_for_the_screen_stands_below_it() -> None:
    halves = (report(*dropped(6)), graded(report(*dropped(6)), {}, "acme/other"))
    found = AllChecks().day(day(*halves))
    assert (len(found.actions), len(found.also), found.more_actions) == (MOST_ACTIONS, 4, 0)
    told_of = [(action.repo, action.commits) for action in (*found.actions, *found.also)]
    assert len(set(told_of)) == 12


def test_a_repair_of_what_the_release_has_stands_above_one_of_which_that_is_not_known() -> None:
    files = {"engine/scheduler.py": patch_of("a\n", "b\n")}
    first, second = commit("a", "Fix wrong logits (#1)", files), commit("b", "Fix garbage output of drafts (#2)", files)
    made = report(first, second)
    known = Exposure("v1.2", has=True)
    entries = tuple(replace(e, exposure=known) if e.change.sha == second.sha else e for e in made.entries)
    actions = day(replace(made, entries=entries)).actions
    assert [action.commits[0] for action in actions] == [second.sha, first.sha]
    assert "`v1.2` has this fault" in actions[0].text["en"]
    assert [action.tag for action in actions] == ["corrupts", "corrupts"]


def test_a_story_is_one_entry() -> None:
    first, second = repairs(2)
    made = report(first, second)
    both = tuple(replace(entry, story="series-1") for entry in made.entries)
    assert len(day(replace(made, entries=both)).actions) == 1


def test_another_torch_is_told_with_its_versions() -> None:
    versions = {"before": "==2.11.0", "after": "==2.13.0", "breaking": True, "alias": Alias("none")}
    moved = finding(TORCH, "dependency_changed", "pyproject.toml", "torch", **versions)
    line = told(report(DEFAULT, TORCH, extra=(moved,)))["7"]
    assert "`==2.11.0` → `==2.13.0`" in line
    assert "alias" not in line, "a version has no alias"


def test_an_option_of_a_script_stands_below_one_that_a_deployment_types() -> None:
    option = patch_of('    p.add_argument("--combine")\n', "")
    script = commit("9", "Drop an option of the runner", {"engine/kernel_src/mega_runner.py": option})
    default = commit("2", "Raise it", {ARGS: DEFAULT.files[0].patch})
    assert next(iter(told(report(script, BREAKS, default)))) == "1"
    assert next(iter(told(report(script, default)))) == "2"


def test_a_fix_that_takes_something_away_is_no_fix_to_take_unread() -> None:
    change = commit("6", "Fix wrong results with pipelines (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    gone = finding(change, "class_removed", "engine/run.py", "Pipeline", before="class Pipeline:", alias=Alias("none"))
    rejects = finding(change, "guard_added", "engine/run.py", "run", after="if pp > 1: raise ValueError")
    for shown in (gone, rejects):
        (line,) = day(report(change, extra=(shown,))).actions
        assert line.text["en"].startswith("“Fix wrong results with pipelines”: ")
        assert "cherry-pick" not in line.text["en"]
        assert (shown.after or shown.symbol) in line.text["en"]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Exposure("v1.2", has=True, applies=True), True),
        (Exposure("v1.2", has=False), False),
        (Exposure("v1.2"), False),
    ],
)
def test_a_fix_that_is_told_by_what_it_breaks_says_that_the_release_has_the_fault(found: Exposure, said: bool) -> None:
    change = commit("6", "Fix wrong results with pipelines (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    gone = finding(change, "class_removed", "engine/run.py", "Pipeline", before="class Pipeline:", alias=Alias("none"))
    made = report(change, extra=(gone,))
    shown = day(replace(made, entries=tuple(replace(one, exposure=found) for one in made.entries)))
    (line,) = (*shown.actions, *shown.also)
    assert "`Pipeline`" in line.text["en"]
    assert ("`v1.2` has this fault" in line.text["en"]) is said


@pytest.mark.parametrize("has", [True, None])
def test_a_fix_that_no_words_tell_is_told_by_its_title_where_a_release_has_the_fault(has: bool | None) -> None:
    change = commit("6", "Fix the size of replay buffers (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    made, medium = report(change), Importance("medium", 0.5, ())
    entries = tuple(replace(e, gist=None, importance=medium, exposure=Exposure("v1.2", has=has)) for e in made.entries)
    shown = day(replace(made, entries=entries))
    assert any("`v1.2` has this fault" in line.text["en"] for line in (*shown.actions, *shown.also)) is bool(has)


def test_what_is_new_and_off_is_not_looked_at_before_upgrading() -> None:
    change = commit("6", "Add a path (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    flags = [
        finding(change, "cli_flag_added", ARGS, f"--new-{at}", number=at, after=f"--new-{at}", default=value)
        for at, value in ((1, "False"), (2, "True"))
    ]
    off, on = (asked(report(change, extra=(flag,)), report(change, extra=(flag,)).entries[0]) for flag in flags)
    assert off is not None
    assert off.told is not None
    assert on is not None
    assert on.told is not None
    assert (off.does, on.does) == ("adds", "otherwise")
    assert "default `False`" in off.told.text()["en"]
    assert "on by default" in on.told.text()["en"]


def test_the_gravest_is_told_first_and_what_came_beside_it_is_no_matter() -> None:
    change = commit("6", "Rework the cache (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    found = (
        finding(change, "cli_flag_added", ARGS, "--new", number=1, after="--new"),
        finding(change, "guard_removed", "engine/run.py", "run", number=2, before="if x: raise ValueError"),
        finding(
            change,
            "request_field_removed",
            "engine/api.py",
            "ChatRequest.n",
            number=3,
            breaking=True,
            alias=Alias("none"),
        ),
    )
    (line,) = day(report(change, extra=found)).actions
    assert line.text["en"].startswith("“Rework the cache”: removes the request field `ChatRequest.n`")
    assert "--new" not in line.text["en"]


def test_an_assertion_deep_inside_is_no_line_and_one_over_settings_is() -> None:
    change = commit("6", "Rework the worker (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    inside, outside = (
        finding(change, "guard_added", path, "run", after="assert top_k == self.top_k")
        for path in ("engine/worker/run.py", "engine/config/model.py")
    )
    assert day(report(change, extra=(inside,))).actions == ()
    assert day(report(change, extra=(replace(inside, path="engine/launch_rows.cuh"),))).actions == ()
    (line,) = day(report(change, extra=(outside,))).actions
    assert "assert top_k" in line.text["en"]


def test_a_fallback_that_switches_something_is_a_default() -> None:
    change = commit("6", "Load in threads by default (#6)", {"engine/loader.py": patch_of("a()\n", "b()\n")})
    turned = finding(change, "passing_default_changed", "engine/loader.py", "threads", before="False", after="True")
    (line,) = day(report(change, extra=(turned,))).actions
    assert line.tag == "default"


def test_what_has_no_room_for_its_finding_is_told_by_its_authors_words_or_not_at_all() -> None:
    gone = dropped(8)
    also = day(graded(report(*gone), dict.fromkeys("12345678", "medium"))).also
    assert also
    for action in also:
        title = next(change.subject for change in gone if change.sha in action.commits)
        assert action.text["en"].strip("`.") != title


def test_what_no_release_had_asks_nobody_for_anything() -> None:
    options = {name: patch_of(f'    p.add_argument("--{name}")\n', "") for name in ("old", "young")}
    old, young = (
        commit(digit, f"Drop {name}", {ARGS: options[name]}) for digit, name in (("1", "old"), ("2", "young"))
    )
    made = report(young, old)
    lacks = Exposure("v1.2", absent=("young",))
    entries = tuple(replace(e, exposure=lacks) if e.change.sha == young.sha else e for e in made.entries)
    found = day(replace(made, entries=entries))
    assert [action.commits for action in (*found.actions, *found.also)] == [(old.sha,)]


def test_what_is_for_other_hardware_stands_below_the_screen() -> None:
    change = commit("6", "Fix wrong logits (#6)", {"engine/npu/sampler.py": patch_of("a = 1\n", "a = 2\n")})
    made = report(change)
    yours = replace(made.entries[0], importance=Importance("medium", 0.5, (Reason("not_yours", alike("x")),)))
    assert day(replace(made, entries=(yours,))).actions == ()


@pytest.mark.parametrize(("code", "there"), [("few", True), ("not_yours", False)])
def test_what_breaks_a_part_that_few_run_stands_where_there_is_room_and_on_others_hardware_never(
    code: str, there: bool
) -> None:
    made = report(*dropped(1))
    few = replace(made.entries[0], importance=Importance("medium", 0.7, (Reason(code, alike("x")),)))
    assert [action.tag for action in day(replace(made, entries=(few,))).actions] == ["breaks"] * there


@pytest.mark.parametrize(("default", "on"), [("True", True), ("1", False), ("16", False)])
def test_a_number_is_no_switch(default: str, on: bool) -> None:
    change = commit("6", "Add a pool of threads (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    threads = finding(change, "env_added", "engine/envs.py", "ENGINE_THREADS", after="ENGINE_THREADS", default=default)
    (phrase,) = what([threads], 1)
    assert "`ENGINE_THREADS`" in phrase.text["en"]
    assert ("on by default" in phrase.text["en"]) == on
    found = day(graded(report(change, extra=(threads,)), {"6": "medium"}))
    assert any("on by default" in one.text["en"] for one in (*found.actions, *found.also)) == on


@pytest.mark.parametrize(
    "note", ["", "# Slots that are copied by default, and can be left out by setting slots=None\n"]
)
def test_a_fix_that_plug_ins_must_follow_is_told_by_what_it_mends_and_who_has_that(note: str) -> None:
    path, now = "engine/kv/base.py", f"{note}copy(at, slots=slots)\n"
    change = commit("6", "Fix missing slots of a copy (#6)", {path: patch_of("copy(at)\n", now)})
    own = finding(
        change, "extension_method_changed", path, "Pool.get_copy", number=1, breaking=True,
        before="get_copy(self, **kwargs)", after="get_copy(self, slots=None)",
    )  # fmt: skip
    made = report(change, extra=(own,))
    has = replace(made, entries=tuple(replace(one, exposure=Exposure("v1.2", has=False)) for one in made.entries))
    shown = day(has)
    (line,) = (*shown.actions, *shown.also)
    mends, release, meet = (
        line.text["en"].find(part) for part in ("`copy(at, slots=slots)`", "`v1.2` is not affected", "Extension method")
    )
    assert 0 < mends < release < meet


def test_a_line_for_forks_tells_what_of_theirs_goes_where_there_is_room_for_one_thing() -> None:
    path = "engine/kv/base.py"
    change = commit("6", "Fix missing slots of a copy (#6)", {path: patch_of("copy(at)\n", "copy(at, slots=slots)\n")})
    own = finding(
        change, "extension_method_changed", path, "Pool.get_copy", number=1, breaking=True,
        before="get_copy(self, **kwargs)", after="get_copy(self, slots=None)",
    )  # fmt: skip
    gone = [
        commit(f"{n}a", f"Drop it {n}", {ARGS: patch_of(f'    p.add_argument("--old-{n}")\n', "")}) for n in range(9)
    ]
    made = report(change, *gone, extra=(own,))
    exposed = Exposure("v1.2", has=True)
    has = replace(
        made, entries=tuple(replace(one, exposure=exposed) if one.change == change else one for one in made.entries)
    )
    (line,) = (one for one in day(has).also if one.commits == (change.sha,))
    assert line.tag == "fork"
    assert "`Pool.get_copy`: loses `**kwargs`, gains `slots=None`" in line.text["en"]
    assert "mends a fault" not in line.text["en"], "what the release has may be the lines of the break"


def test_a_fix_that_refuses_somebody_is_told_by_what_it_mends_before_that() -> None:
    path = "engine/server_args.py"
    change = commit("6", "Fix missing slots of a copy (#6)", {path: patch_of("copy(at)\n", "copy(at, slots=slots)\n")})
    own = finding(
        change, "guard_narrowed", path, "ServerArgs.check", number=1,
        before="if self.width < 0: raise ValueError", after="if self.width < 1: raise ValueError",
    )  # fmt: skip
    made = report(change, extra=(own,))
    has = replace(made, entries=tuple(replace(one, exposure=Exposure("v1.2", has=True)) for one in made.entries))
    shown = day(graded(has, {"6": "medium"}))
    (line,) = (*shown.actions, *shown.also)
    assert 0 < line.text["en"].find("`copy(at, slots=slots)`") < line.text["en"].find("`v1.2` has this fault")


def test_a_revert_is_not_told_by_names_inside_that_went_with_what_it_takes_back() -> None:
    change = commit(
        "6", 'Revert "Swap rows (#5)" (#6)', {"engine/rows.py": patch_of("def swap_rows():\n    x = 1\n", "")}
    )
    gone = finding(change, "function_removed", "engine/rows.py", "swap_rows", number=1, before="def swap_rows():")
    shown = day(graded(report(change, extra=(replace(gone, alias=Alias("none")),)), {"6": "medium"}))
    (line,) = (*shown.actions, *shown.also)
    assert line.text["en"] == "“Swap rows” was reverted: what it did is not on the branch."


@pytest.mark.parametrize("never", [True, False])
def test_a_revert_of_what_no_release_had_is_told_by_what_it_takes_back_and_no_upgrade_waits_for_it(never: bool) -> None:
    """The check that it puts back is the one that a release has."""
    text = 'raise NotImplementedError("rows run on one platform only")\n'
    change = commit(
        "6", 'Revert "Swap rows (#5)" (#6)', {"engine/rows.py": patch_of("swap()\n", f"if is_rocm():\n    {text}")}
    )
    guard = finding(
        change, "guard_added", "engine/rows.py", "rows", number=1,
        after='if is_rocm(): raise NotImplementedError("rows run on one platform only")',
    )  # fmt: skip
    made = graded(report(change, extra=(replace(guard, breaking=True),)), {"6": "medium"})
    known = Exposure("v1.2", never=never)
    (entry,) = (replace(one, exposure=known, after="v1.2", marks=("breaks",), breaking=True) for one in made.entries)
    found = day(replace(made, entries=(entry,)))
    (line,) = (*found.actions, *found.also)
    assert ("is now refused" not in line.text["en"]) is never
    assert ("was reverted: what it did is not on the branch" in line.text["en"]) is never
    assert any("Before upgrading" in one.text["en"] for one in found.conclusion) is not never


def test_a_revert_is_told_by_what_users_lose_with_it_and_not_by_the_check_that_it_puts_back() -> None:
    change = commit(
        "6", 'Revert "Swap rows (#5)" (#6)', {"engine/rows.py": patch_of("swap()\n", "if is_rocm():\n    raise ValueError\n")}
    )  # fmt: skip
    guard = finding(change, "guard_added", "engine/rows.py", "rows", number=1, after="if is_rocm(): raise ValueError")
    model = finding(change, "model_removed", "engine/models/registry.py", "RowsModel", number=2, before="RowsModel")
    for extra, lost in (((guard, replace(model, alias=Alias("none"))), True), ((guard,), False)):
        made = graded(report(change, extra=extra), {"6": "medium"})
        (entry,) = (replace(one, exposure=Exposure("v1.2", never=True)) for one in made.entries)
        shown = day(replace(made, entries=(entry,)))
        (line,) = (*shown.actions, *shown.also)
        assert line.text["en"].startswith("“Swap rows” was reverted: what it did is not on the branch.")
        assert "refused" not in line.text["en"]
        assert ("`RowsModel`" in line.text["en"]) is lost


def test_a_revert_that_says_no_more_than_that_is_left_to_the_table() -> None:
    for subject, is_told in (("Revert rows and roles (#5)", False), ('Revert "Swap rows (#5)" (#6)', True)):
        change = commit("6", subject, {"engine/rows.py": patch_of("def swap():\n    x = 1\n", "")})
        made = report(change)
        (entry,) = made.entries
        assert (asked(made, replace(entry, gist=None)) is not None) is is_told


@pytest.mark.parametrize("subject", ["Fix wrong logits of drafts (#2)", "Fix hang of the scheduler (#2)"])
def test_a_fault_that_the_release_has_stands_above_a_variable_that_is_not_read_any_more(subject: str) -> None:
    patch = patch_of('FAST = os.environ.get("ENGINE_FAST", "0") == "1"\n', "FAST = False\n")
    gone = commit("9", "Always run it (#9)", {"engine/envs.py": patch})
    mended = commit("2", subject, {"engine/scheduler.py": patch_of("a\n", "if ready:\n    b\n")})
    made = report(gone, mended)
    known = Exposure("v1.2", has=True)
    entries = tuple(replace(e, exposure=known) if e.change.sha == mended.sha else e for e in made.entries)
    assert [action.commits[0] for action in day(replace(made, entries=entries)).actions] == [mended.sha, gone.sha]
    first = day(report(BREAKS, mended)).actions[0]
    assert first.commits[0] == BREAKS.sha, "an option that goes stops a start"

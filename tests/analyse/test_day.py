"""The repository's and the day's words, from the analyst as a whole."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.day_json import decode, encoded
from daybreak.core.model.changes import Change, Collected, Exposure, FileChange, Repo, Skipped, Window
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import RepoReport
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.judge.rules import RuleAnalyst, grade
from daybreak.report.render.markdown import all_pages
from read.made import change_of, patch_of, read_one

START = datetime(2026, 1, 19, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=1), "UTC", "2026-01-19")
REPO = Repo("acme/engine", "https://github.com/acme/engine", "x")
ARGS = "python/engine/server_args.py"


def commit(digit: str, subject: str, files: dict[str, str], **fields: Any) -> Change:
    return change_of(files, subject=subject, sha=digit * 40, **fields)


BREAKS = commit("1", "Drop an option (#1)", {ARGS: patch_of('    p.add_argument("--kv")\n', "")})
DEFAULT = commit(
    "2",
    "Raise the default (#2)",
    {ARGS: patch_of('    p.add_argument("--n", default=1)\n', '    p.add_argument("--n", default=2)\n')},
)
DOCS = commit("3", "[Security] docs (#3)", {"docs/a.md": patch_of("a\n", "b\n")})
SECURE = commit("4", "Fix path traversal in loader (#4)", {"engine/loader.py": patch_of("a\n", "b\n")})
OLD_REVERT = commit(
    "5", 'Revert "Fuse norm" (#5)', {"engine/core.py": patch_of("a\n", "b\n")}, body=f"This reverts commit {'e' * 40}."
)

FUSED = commit("e", "Fuse norm (#4)", {}, committed_at=START - timedelta(days=40))


def report(
    *changes: Change, late: tuple[Change, ...] = (), skipped: tuple[Skipped, ...] = (), extra: tuple[Finding, ...] = ()
) -> RepoReport:
    """`extra`: findings that hunks alone do not give, of the changes whose shas their ids begin with."""
    readings = {c.sha: read_one(c) for c in (*changes, *late)}
    for one in extra:
        sha = next(sha for sha in readings if one.id.startswith(sha[:12]))
        readings[sha] = replace(readings[sha], findings=(*readings[sha].findings, one))
    collected = Collected(REPO, "main", None, changes, late=late, in_git=len(changes), skipped=skipped, recent=(FUSED,))
    found = RuleAnalyst().repository(collected, readings, WINDOW)
    made = RepoReport(
        REPO, "main", None, found.entries, found.late, found.stories, found.assessment, len(changes), skipped=skipped
    )
    checked = AllChecks().repository(made)
    assert checked.grounding.dropped == 0
    return checked


def day(*repos: RepoReport) -> Judgement:
    found = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), repos))
    assert AllChecks().day(found).grounding.dropped == 0
    return found


def test_what_lands_again_is_of_the_kind_that_it_was_at_first() -> None:
    """What its second title mends is the first try, which no release has."""
    norm = patch_of("a = 1\n", "a = fused_norm(query, key)\n")
    first = commit("6", "Fuse norm of query and key (#6)", {"engine/core.py": norm})
    back = commit(
        "7",
        'Revert "Fuse norm of query and key" (#7)',
        {"engine/core.py": patch_of("a = fused_norm(query, key)\n", "a = 1\n")},
    )
    again = commit("8", "Fuse norm of query and key (fix ci) (#8)", {"engine/core.py": norm})
    changes = (again, back, first)
    collected = Collected(REPO, "main", None, changes, in_git=3)
    found = RuleAnalyst().repository(collected, {c.sha: read_one(c) for c in changes}, WINDOW)
    kinds = {entry.change.sha[0]: entry.kind for entry in found.entries}
    assert kinds["8"] == kinds["6"] != "fix"


def test_actions_most_urgent_first_and_nothing_low() -> None:
    found = day(report(DOCS, DEFAULT, OLD_REVERT, BREAKS, SECURE)).actions
    assert [a.commits[0][0] for a in found] == ["4", "1", "2"]
    assert found[1].text == {
        "zh": "「Drop an option」：删除命令行参数 `--kv`，未保留兼容别名（`python/engine/server_args.py`）。受影响：启动命令或部署脚本里用到 `--kv` 的部署。处理：升级前删去该参数。",
        "en": "“Drop an option”: removes the command line option `--kv`, no alias is kept (`python/engine/server_args.py`). Affected: "
        "deployments whose launch commands use `--kv`. What to do: remove the option before upgrading.",
    }
    assert found[1].findings == ("1" * 12 + "/1",)
    assert found[2].text["zh"] == (
        "「Raise the default」：`--n` 的默认值：`1` → `2`（`python/engine/server_args.py`）。受影响：没有显式设置 `--n` 的部署。处理：需要保留旧默认值时启动加上 `--n 1`。"
    )


@pytest.mark.parametrize(
    ("subject", "body", "claimed"),
    [
        ("Fix wrong logits of the draft model (#1)", "", True),
        ("Fix offsets of the page table (#1)", "", False),
        ("Fix the scheduler: drop a stale guard (#1)", "", False),
        ("Fix wrong prefill log (#1)", "", False),
        ("Fix the last page (#1)", "The output was garbage.", False),
    ],
)
def test_a_repair_is_claimed_only_where_the_subject_says_it(subject: str, body: str, claimed: bool) -> None:
    change = commit("1", subject, {"engine/scheduler.py": patch_of("a()\n", "b()\n")}, body=body)
    told = [action for action in day(report(change)).actions if action.tag == "corrupts"]
    assert bool(told) is claimed


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("engine/scheduler.py", "# a\n", "# b\n"),
        ("engine/scheduler.py", 'logger.info("a")\n', 'logger.info("b")\n'),
        ("tests/test_scheduler.py", "a()\n", "b()\n"),
        (".devcontainer/setup.py", "a()\n", "b()\n"),
        ("samples/run.py", "a()\n", "b()\n"),
    ],
)
def test_what_alters_nothing_that_users_run_leads_nowhere(path: str, before: str, after: str) -> None:
    change = commit("1", "Fix wrong results of the engine (#1)", {path: patch_of(before, after)})
    assert day(report(change)).actions == ()


def repairs(count: int) -> list[Change]:
    files = {"engine/scheduler.py": patch_of("a\n", "b\n")}
    return [commit(f"{n:x}", f"Fix wrong logits of part {n} (#{n})", files) for n in range(10, count + 10)]


def another_default(before: str, after: str) -> Change:
    old, new = (f'    p.add_argument("--m", default={value})\n' for value in (before, after))
    return commit("8", "Set it (#8)", {ARGS: patch_of(old, new)})


def test_where_there_is_room_each_default_has_a_line_with_whom_it_hits() -> None:
    found = day(report(DEFAULT, another_default("True", "False"))).actions
    assert {action.commits for action in found} == {("2" * 40,), ("8" * 40,)}
    assert all("Affected: deployments that do not set" in action.text["en"] for action in found)


def test_a_default_that_is_left_open_is_less_grave_than_one_that_is_set() -> None:
    found = day(report(another_default("1", "None"), DEFAULT)).actions
    assert [action.commits[0][0] for action in found] == ["2", "8"]


def test_the_gravest_line_comes_first_whoever_it_concerns() -> None:
    niche = commit("6", "fix(security): bound the decoder (#6)", {"engine/xpu/decode.py": patch_of("a\n", "b\n")})
    found = day(report(BREAKS, niche)).actions
    assert [action.commits[0][0] for action in found] == ["6", "1"]


def test_a_folder_that_is_built_by_itself_and_moves_is_told() -> None:
    files = (
        FileChange("python/kernels/sub/CMakeLists.txt", "R", "kernel/sub/CMakeLists.txt"),
        FileChange("python/kernels/pyproject.toml", "R", "kernel/pyproject.toml"),
        FileChange("python/kernels/src/a.cu", "R", "kernel/src/a.cu", 3, 1, patch="@@ -1 +1 @@\n-a\n+b\n"),
    )
    (told,) = day(report(replace(commit("7", "Move the kernels (#7)", {}), files=files))).actions
    assert told.text["en"].startswith("Source folder moved: `kernel/` → `python/kernels/`.")


def test_the_revert_of_a_test_asks_for_nothing() -> None:
    script = {"scripts/run_tests.sh": patch_of("a\n", "b\n")}
    back = commit("5", 'Revert "test: run in shards (#8)" (#9)', script, body=f"This reverts commit {'e' * 40}.")
    assert day(report(back)).actions == ()


def test_a_flag_that_is_to_go_is_named_and_rejection_sampling_rejects_nobody() -> None:
    old = '    p.add_argument("--kv", help="Cache.")\n'
    new = '    p.add_argument("--kv", help="(Deprecated, use --cache) Cache.")\n'
    sampling = commit("2", "Support rejection sampling", {"engine/sample.py": patch_of("raise A()\n", "raise B()\n")})
    told = report(commit("1", "Wire the cache (1/2)", {ARGS: patch_of(old, new)}), sampling)
    assert [entry.marks for entry in told.entries] == [("deprecates",), ()]
    assert not any(entry.breaking for entry in told.entries)
    (action,) = day(told).actions
    assert action.tag == "deprecates"
    assert not any("nothing that has to be done" in one.text["en"] for one in day(told).conclusion)
    assert "deprecates the command line option `--kv`" in action.text["en"]


def test_what_came_and_went_in_one_window_asks_for_nothing() -> None:
    flag = '    p.add_argument("--kv")\n'
    came = commit("a", "Add the cache (#8)", {ARGS: patch_of("", flag)}, committed_at=START + timedelta(hours=1))
    went = commit(
        "b", 'Revert "Add the cache (#8)" (#9)', {ARGS: patch_of(flag, "")}, body=f"This reverts commit {came.sha}."
    )
    both = report(went, came)
    assert day(both).actions == ()
    assert [entry.breaking for entry in both.entries] == [False, False]
    assert [entry.breaking for entry in report(went).entries] == [True]
    assert [a.commits for a in day(report(commit("c", "Drop it (#9)", {ARGS: patch_of(flag, "")}))).actions] == [
        ("c" * 40,)
    ]


def test_nobody_is_told_to_set_the_digest_of_a_build_back() -> None:
    old, new = (f'    p.add_argument("--build", default="{digit * 40}/fmha")\n' for digit in "ab")
    build = commit("7", "Take the next build (#1)", {ARGS: patch_of(old, new)})
    plain, digest = (day(report(change)).actions for change in (DEFAULT, build))
    assert "What to do" in plain[0].text["en"]
    assert not any("What to do" in action.text["en"] for action in digest)


def test_at_most_eight_actions() -> None:
    changes = [
        commit(f"{n:x}", f"Drop {n}", {ARGS: patch_of(f'    p.add_argument("--kv-{n}")\n', "")}) for n in range(1, 13)
    ]
    parts = [replace(report(*changes), repo=replace(REPO, name=f"acme/{name}")) for name in ("one", "two", "three")]
    offered = day(*parts)
    assert len(offered.actions) > MOST_ACTIONS  # a check may drop some of them
    checked = AllChecks().day(offered)
    assert len(checked.actions) == MOST_ACTIONS == 8


def test_changes_that_ask_for_action_and_have_no_room_are_counted_on_the_page_in_both_languages() -> None:
    changes = [
        commit(f"{n:x}", f"Drop {n}", {ARGS: patch_of(f'    p.add_argument("--kv-{n}")\n', "")}) for n in range(1, 13)
    ]
    parts = [replace(report(*changes), repo=replace(REPO, name=f"acme/{name}")) for name in ("one", "two", "three")]
    checked = AllChecks().day(day(*parts))
    more = 36 - len(checked.actions) - len(checked.also)
    assert checked.more_actions == more > 0
    found = day_of(checked)
    pages = {page.path: page.text for page in all_pages(found)}
    assert f"另有 {more} 个变更需要处理" in pages[f"reports/{found.label}.md"]
    assert f"{more} more changes ask for action" in pages[f"reports/{found.label}.en.md"]
    assert decode(encoded(found).encode()).more_actions == more


def test_a_day_that_shows_all_that_asks_for_action_counts_no_more() -> None:
    assert AllChecks().day(day(report(BREAKS, DEFAULT))).more_actions == 0


def test_what_was_filtered_asks_for_nothing() -> None:
    hidden = commit("1", "Drop an option", {ARGS: patch_of('    p.add_argument("--kv")\n', "")}, filtered=True)
    made = report(hidden)
    assert day(made).actions == ()
    assert (made.entries[0].importance.level, made.entries[0].breaking) == ("low", False)


def test_summary_and_conclusion() -> None:
    found = day(report(DOCS, BREAKS, skipped=(Skipped("x", "y"),)))
    assert [s.text["zh"] for s in found.summary] == [
        "平静的一天。",
        "engine 至少有 1 项不兼容改动，见「Drop an option」。",
    ]
    assert [s.text["en"] for s in found.conclusion] == [
        "Before upgrading engine, deal with what no longer works as before, first `--kv`.",
        "Something could not be handled; the appendix says what and why.",
    ]


def test_a_break_on_other_hardware_alone_is_nothing_that_the_conclusion_asks_to_settle() -> None:
    option = patch_of('    p.add_argument("--kv")\n', "")
    found = day(report(commit("1", "[XPU] Drop an option (#1)", {"engine/xpu/server_args.py": option})))
    told = [s.text["en"] for s in found.conclusion]
    assert not any("deal with" in text or "nothing that has to be done" in text for text in told)
    assert "1 breaking change in engine" in str(found.summary), "the summary counts as the head of the page does"


def test_the_conclusion_names_only_kinds_of_repairs_that_the_day_has() -> None:
    wrong = commit(
        "6", "Fix wrong logits (#6)", {"engine/scheduler.py": patch_of("a()\n", "b()\n")}, body="Rows got lost."
    )
    assert day(report(SECURE)).conclusion[0].text == {
        "zh": "engine 中针对安全问题的修复应优先查看，首先是「Fix path traversal in loader」。",
        "en": "Look first at the fixes for security holes in engine, starting with “Fix path traversal in loader”.",
    }
    both = day(report(SECURE, wrong)).conclusion[0].text
    assert "fixes for security holes and wrong results in engine" in both["en"]
    assert "崩溃" not in both["zh"]


def test_the_conclusion_names_what_runs_by_default_and_the_release_that_has_a_fault() -> None:
    core = {"engine/core.py": patch_of("    a = 1\n", "    # Pages that one rank merges are merged.\n    a = 2\n")}
    turned = commit("7", "Merge pages by default (#7)", core)
    wrong = commit(
        "6", "Fix wrong logits (#6)", {"engine/scheduler.py": patch_of("a()\n", "b()\n")}, body="Rows got lost."
    )
    made = report(turned, wrong)
    old = Exposure("v1.0", True, applies=True)
    had = replace(made, entries=tuple(replace(e, exposure=old) if e.kind == "fix" else e for e in made.entries))
    assert [s.text["en"] for s in day(had).conclusion] == [
        "Take the fixes for wrong results in engine first, starting with “Fix wrong logits”. `v1.0` has this fault.",
        "Defaults changed in engine (“Merge pages by default”): measure before upgrading.",
    ]


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        (None, False),
        (Exposure("v1.0"), False),
        (Exposure("v1.0", True, applies=False), False),
        (Exposure("v1.0", True, applies=None), False),
        (Exposure("v1.0", True, applies=True), True),
    ],
)
def test_only_a_fix_of_a_fault_that_a_release_has_and_that_applies_there_is_to_be_taken_first(
    found: Exposure | None, taken: bool
) -> None:
    lines = {"engine/scheduler.py": patch_of("a()\n", "b()\n")}
    made = report(commit("6", "Fix wrong logits (#6)", lines, body="Rows got lost."))
    whole = day(replace(made, entries=tuple(replace(e, exposure=found) for e in made.entries)))
    assert any("first, starting with" in one.text["en"] for one in whole.conclusion) is taken


def test_the_conclusion_gives_the_first_repair_of_the_screen_as_its_example() -> None:
    wrong, other = (
        commit(n, f"Fix wrong {what} (#{n})", {f"engine/{what}.py": patch_of("a()\n", "b()\n")}, body="Rows got lost.")
        for n, what in (("6", "logits"), ("8", "scores"))
    )
    found = day(report(SECURE, wrong, other))
    first = next(a for a in found.actions if a.tag in ("security", "corrupts", "crash"))
    example = next(s for s in found.conclusion if s.text["en"].startswith("Look first at"))
    assert f"commit:{first.commits[0]}" in str(example.evidence) or first.commits[0] in str(example)


def test_the_conclusion_says_of_what_no_release_has_who_has_to_update() -> None:
    wrong = commit(
        "6", "Fix wrong logits (#6)", {"engine/scheduler.py": patch_of("a()\n", "b()\n")}, body="Rows got lost."
    )
    made = report(BREAKS, wrong)
    new = Exposure("v1.0", False)
    spared = replace(made, entries=tuple(replace(e, exposure=new) if e.kind == "fix" else e for e in made.entries))
    assert day(spared).conclusion[-1].text == {
        "zh": "engine 修复的其他问题（「Fix wrong logits」）不在任何发布版中，只有使用主分支的用户需要更新。",
        "en": "No release has the other faults fixed in engine (“Fix wrong logits”): only those who run the main branch need to update.",
    }
    later = Exposure("v1.0", False, cause="#4", after_fix=True)
    for had in (Exposure("v1.0", False, ("v1.1rc0",)), later, Exposure("v1.0", False, pin="torch< 3")):
        met = replace(made, entries=tuple(replace(e, exposure=had) if e.kind == "fix" else e for e in made.entries))
        told = str(day(met).conclusion)
        assert "No release has" not in told  # a candidate is one, and so is what lacks the fix before
    other = commit("5", "Fix lost rows (#5)", {"engine/rows.py": patch_of("a()\n", "b()\n")}, body="Rows got lost.")
    made = report(BREAKS, wrong, other)
    marked = tuple(replace(e, exposure=new) if e.change.sha == wrong.sha else e for e in made.entries)
    assert "no release had" not in str(day(replace(made, entries=marked)).conclusion)


def test_the_conclusion_of_a_day_without_anything_to_act_on_says_so() -> None:
    assert [s.text["zh"] for s in day(report(DOCS)).conclusion] == ["规则没有发现升级前必须处理的改动。"]


def test_assessment() -> None:
    made = report(DOCS, BREAKS, OLD_REVERT, late=(DEFAULT,))
    assert [s.text["zh"] for s in made.assessment] == [
        "改动不多。",
        "「Fuse norm」被回退。",
        "另有属于更早窗口的提交迟到。",
    ]


def test_a_quiet_repository_says_nothing() -> None:
    made = report()
    assert made.assessment == ()
    found = day(made)
    assert (found.actions, found.summary, found.conclusion) == ((), (), ())


def test_entries_keep_order_story_and_release() -> None:
    readings = {c.sha: read_one(c) for c in (OLD_REVERT, DOCS)}
    collected = Collected(REPO, "main", None, (OLD_REVERT, DOCS), in_git=2, released={"3" * 40: "v1"}, recent=(FUSED,))
    found = RuleAnalyst().repository(collected, readings, WINDOW)
    assert [e.change.sha[0] for e in found.entries] == ["5", "3"]
    assert [e.story for e in found.entries] == ["revert-" + "e" * 9, None]
    assert [e.released for e in found.entries] == [None, "v1"]


def test_same_input_same_words() -> None:
    assert report(DOCS, BREAKS, DEFAULT) == report(DOCS, BREAKS, DEFAULT)


def test_what_is_undone_within_the_window_is_low_for_that_reason() -> None:
    gone, back = (
        patch_of(*sides) for sides in (('    p.add_argument("--kv")\n', ""), ("", '    p.add_argument("--kv")\n'))
    )
    first, later = commit("1", "Drop --kv (#10)", {ARGS: gone}), commit("2", 'Revert "Drop --kv" (#11)', {ARGS: back})
    for entry in report(later, first).entries:
        assert (entry.importance.level, entry.marks) == ("low", ())
        why = "revert" if entry.kind == "revert" else "undone"
        assert [reason.code for reason in entry.importance.reasons] == [why], "the revert itself stands"
        assert {said.role for said in entry.statements} <= {"what", "why"}, "nobody is hit, and nothing is asked"
        assert entry.gist is not None
        taken = entry.kind == "revert"
        assert entry.gist.text["en"] == ("Takes an earlier change back" if taken else "Undone within the window")


def test_a_fix_after_which_an_argument_holds_something_else_is_no_repair_of_a_release() -> None:
    change = commit("9", "fix: update rows in place (#9)", {"engine/core.py": patch_of("a = 1\n", "a = 2\n")})
    told = Finding(
        f"{change.sha[:12]}/1", "parameter_overwritten", "engine/core.py", 1, "add(rows)", None, "rows", True
    )
    assert grade(change, read_one(change)).kind == "fix"
    made = grade(change, Reading(change.sha, findings=(told,)))
    assert (made.kind, made.breaking) == ("other", True)

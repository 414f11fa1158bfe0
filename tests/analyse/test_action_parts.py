"""A line of several changes is a list: each by itself, with what it does and what to do about it."""

from typing import Any

from msgspec.structs import replace

from analyse.test_day import ARGS, BREAKS, DEFAULT, WINDOW, another_default, busy, commit, day, repairs, report
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import RepoReport
from daybreak.judge.action_questions import asked
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.interface import Judgement
from daybreak.judge.rules import RuleAnalyst
from read.made import patch_of

TORCH = commit("7", "Follow torch (#7)", {"pyproject.toml": patch_of("a\n", "b\n")})


def finding(of: Change, kind: str, path: str, symbol: str, **fields: Any) -> Finding:
    return Finding(f"{of.sha[:12]}/{fields.pop('number', 1)}", kind, path, 1, symbol, **fields)


def told(part: RepoReport) -> dict[str, str]:
    """First digit of a commit -> what is said of it by itself."""
    return {x.commits[0][0]: x.text["en"] for action in day(part).actions for x in (action.parts or (action,))}


def test_each_default_of_a_line_says_whom_it_hits_and_how_to_go_back() -> None:
    *_, line = day(busy(DEFAULT, another_default("True", "False"))).actions
    assert line.lead == {"zh": "默认值变动。", "en": "Defaults changed."}
    assert [part.commits for part in line.parts] == [("2" * 40,), ("8" * 40,)]
    assert line.parts[0].text["en"] == (
        f"`Raise the default`: default of `--n`: `1` → `2` (`{ARGS}`). Affected: deployments that do not set `--n` "
        "themselves. What to do: set `1` explicitly to keep the old behaviour."
    )
    assert line.parts[0].findings == ("2" * 12 + "/1",)


def test_repairs_have_one_remedy_and_it_stands_once() -> None:
    (line,) = day(report(*repairs(2))).actions
    assert line.lead is not None
    assert line.lead["en"] == (
        "Fixes worth taking: where they hit you, build from the branch or wait for the next release."
    )
    assert [part.text["en"] for part in line.parts] == [
        "`Fix wrong logits of part 10` (by its title, repairs wrong results).",
        "`Fix wrong logits of part 11` (by its title, repairs wrong results).",
    ]


def test_a_repair_that_is_released_is_taken_with_its_release() -> None:
    made = report(*repairs(2))
    out = replace(made, entries=tuple(replace(entry, released="v1.2") for entry in made.entries))
    (line,) = day(out).actions
    assert line.lead is not None
    assert line.lead["en"].endswith("take a version that holds these commits. Released in `v1.2`.")


def test_a_line_of_one_change_has_no_parts() -> None:
    (line,) = day(report(BREAKS)).actions
    assert (line.lead, line.parts) == (None, ())
    assert line.gravest == line.text


def test_the_headline_of_a_line_is_its_gravest_part() -> None:
    *_, line = day(busy(DEFAULT, another_default("1", "None"))).actions
    assert line.lead is not None
    headline = line.gravest
    assert headline["zh"] == line.parts[0].text["zh"] + line.lead["zh"]
    assert "`--n`" in headline["en"]


def test_another_torch_is_told_with_its_versions_before_a_changed_default() -> None:
    versions = {"before": "==2.11.0", "after": "==2.13.0", "breaking": True, "alias": Alias("none")}
    moved = finding(TORCH, "dependency_changed", "pyproject.toml", "torch", **versions)
    first, *_ = day(report(DEFAULT, TORCH, extra=(moved,))).actions
    assert first.commits == (TORCH.sha,)
    assert "`==2.11.0` → `==2.13.0`" in first.text["en"]
    assert "alias" not in first.text["en"], "a version has no alias"


def test_an_option_of_a_script_stands_below_one_that_a_deployment_types() -> None:
    option = patch_of('    p.add_argument("--combine")\n', "")
    script = commit("9", "Drop an option of the runner", {"engine/kernel_src/mega_runner.py": option})
    default = commit("2", "Raise it", {ARGS: DEFAULT.files[0].patch})
    assert next(iter(told(report(script, BREAKS, default)))) == "1"
    assert next(iter(told(report(script, default)))) == "2"


def test_a_part_that_does_not_stand_goes_alone() -> None:
    made = report(*repairs(3))
    found = RuleAnalyst().day(Judgement(WINDOW, "0", ("zh", "en"), (made,)))
    (line,) = found.actions
    false = replace(line.parts[1], text={"zh": "`made_up_name` 变了。", "en": "`made_up_name` changed."})
    spoilt = replace(line, parts=(line.parts[0], false, line.parts[2]))
    checked = AllChecks().day(Judgement(WINDOW, "0", ("zh", "en"), (made,), (spoilt,), (), ()))
    (kept,) = checked.actions
    assert kept.parts == (line.parts[0], line.parts[2])
    assert kept.commits == (*line.parts[0].commits, *line.parts[2].commits)
    assert "made_up_name" not in kept.text["en"]
    assert checked.grounding.dropped == 1


def test_a_fix_that_takes_something_away_is_no_fix_to_take_unread() -> None:
    change = commit("6", "Fix wrong results with pipelines (#6)", {"engine/run.py": patch_of("a()\n", "b()\n")})
    gone = finding(change, "class_removed", "engine/run.py", "Pipeline", before="class Pipeline:", alias=Alias("none"))
    rejects = finding(change, "guard_added", "engine/run.py", "run", after="if pp > 1: raise ValueError")
    for shown in (gone, rejects):
        (line,) = day(report(change, extra=(shown,))).actions
        assert "Fix" not in line.text["en"].partition("`")[0]
        assert "cherry-pick" not in line.text["en"]
        assert (shown.after or shown.symbol) in line.text["en"]


def test_what_is_new_and_off_is_not_looked_at_before_upgrading() -> None:
    change = commit("6", "Add a path (#6)", {"engine/run.py": patch_of("a()\n" * 60, "b()\n" * 60)})
    flags = [
        finding(change, "cli_flag_added", ARGS, f"--new-{at}", number=at, after=f"--new-{at}", default=value)
        for at, value in ((1, "False"), (2, "True"))
    ]
    off, on = (asked(report(change, extra=(flag,)), report(change, extra=(flag,)).entries[0]) for flag in flags)
    assert off is not None
    assert on is not None
    assert (off.group, on.group) == ("new", "otherwise")
    assert "default `False`" in off.text["en"]
    assert "on by default" in on.text["en"]


def test_the_gravest_is_told_first_and_the_rest_is_counted() -> None:
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
    assert line.text["en"].startswith("`Rework the cache`: removes the request field `ChatRequest.n`")
    assert "And 2 more." in line.text["en"]

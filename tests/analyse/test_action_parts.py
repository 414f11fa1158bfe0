"""A line of several changes is a list: each by itself, with what it does and what to do about it."""

from typing import Any

from msgspec.structs import replace

from analyse.test_day import ARGS, BREAKS, DEFAULT, WINDOW, another_default, busy, commit, day, repairs, report
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.report import RepoReport
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
        "`Fix wrong logits of part 10` (repairs wrong results).",
        "`Fix wrong logits of part 11` (repairs wrong results).",
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


def test_what_the_title_speaks_of_is_told_before_what_it_does_not_name() -> None:
    change = commit("6", "Rework the radix cache (#6)", {"engine/scheduler.py": patch_of("a\n" * 60, "b\n" * 60)})
    gone = [
        finding(change, "class_removed", path, name, number=at, before=f"class {name}:", alias=Alias("none"))
        for at, (path, name) in enumerate([("engine/a.py", "HostList"), ("engine/scheduler.py", "RadixCache")], start=1)
    ]
    said = told(report(change, extra=tuple(gone)))["6"]
    assert "`RadixCache`" in said
    assert "`HostList`" not in said


def test_where_only_the_size_is_known_a_title_is_enough() -> None:
    plain = commit("a", "Rework batching (#1)", {"engine/scheduler.py": patch_of("a\n" * 60, "b\n" * 60)})
    assert told(report(plain))["a"] == "Look before upgrading: `Rework batching`."


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

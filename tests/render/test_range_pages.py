"""The pages of an upgrade report: what breaks first, nothing cut, nothing hostile, the same in every language."""

from __future__ import annotations

import os
import re

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.findings import Alias
from daybreak.core.model.statements import Level
from daybreak.core.model.upgrade import Net, RangeReport, Ref
from daybreak.upgrade.range import range_sections
from daybreak.upgrade.range.check_ranges import check_pages
from daybreak.upgrade.range.range_page import RangePages, worded
from render import factory, range_factory

STEM = "reports/range/acme-engine-v1.1.0..v1.2.0"
HOSTILE = "<img src=x> [a](http://evil.example) @ada `x` | **b** :tada: \x1b[31m"


def pages(report: RangeReport) -> dict[str, str]:
    return {page.path: page.text for page in RangePages().pages(report)}


def main(report: RangeReport) -> str:
    return next(iter(pages(report).values()))


def english(report: RangeReport) -> str:
    return next(text for path, text in pages(report).items() if path.endswith(".en.md"))


def headings(text: str) -> list[str]:
    return re.findall(r"(?m)^## (.*)$", text)


# --- the files ---------------------------------------------------------------------------------------------------


def test_a_page_for_each_language_and_the_data() -> None:
    assert list(pages(range_factory.report())) == [f"{STEM}.md", f"{STEM}.en.md", f"{STEM}.json"]
    other = pages(range_factory.report(languages=("en", "zh")))
    assert list(other) == [f"{STEM}.md", f"{STEM}.zh.md", f"{STEM}.json"]
    assert "# Upgrade report" in other[f"{STEM}.md"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("v1.1.0", "v1.1.0"),
        ("release-1.1+cu12", "release-1.1+cu12"),
        ("origin/main", "origin-main-0000000ba"),
        ("../../etc/passwd", "etc-passwd-0000000ba"),
        ("a b\n", "a-b-0000000ba"),
        ("版本", "0000000ba"),
        ("x" * 200, "x" * 60 + "-0000000ba"),
    ],
)
def test_file_names_stay_in_their_folder(name: str, file: str) -> None:
    report = range_factory.report()
    start = replace(report.span.start, name=name)
    found = pages(replace(report, span=replace(report.span, start=start)))
    assert next(iter(found)) == f"reports/range/acme-engine-{file}..v1.2.0.md"


@pytest.mark.parametrize("language", ["zh", "en"])
def test_golden(language: str) -> None:
    """One small page, word for word: a change of form is seen in review."""
    text = main(replace(range_factory.small(), languages=(language,)))
    golden = factory.HERE / f"range.{language}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_same_data_same_bytes() -> None:
    assert pages(range_factory.report()) == pages(range_factory.report())


# --- what comes first --------------------------------------------------------------------------------------------


def test_the_order_of_the_sections() -> None:
    assert headings(english(range_factory.report())) == [
        "Breaking",
        "Breaking, judged by the commit",
        "When main was broken",
        "Defaults and behaviour",
        "Security and fixes",
        "Performance",
        "Features",
        "Everything else",
        "Left behind by the upgrade",
        "All commits",
        "Appendix · how to check",
    ]
    asked = range_factory.report(hits=range_factory.hits(), ignored=9)
    assert headings(english(asked))[:3] == [
        "Touches your code", "Faults that a later change repairs", "Other breaking changes",
    ]  # fmt: skip


def test_the_head_counts() -> None:
    head = english(range_factory.report()).split("\n")[4]
    assert head.startswith("> From `v1.1.0` ([`0000000ba`](")
    assert head.endswith(" · commits 10 / 10 · left behind 1 · breaking 11 · judged by the commit 1 · not processed 1")


def test_names_that_went_and_break_by_no_promise_are_counted_beside_the_table() -> None:
    """Who imports one finds a head of `Python API 1` that says nothing of it."""
    breaks = range_factory.finding(1, "function_removed", "engine.run", breaking=True)
    quiet = range_factory.finding(1, "function_removed", "engine.inside.helper", 2)
    moved = range_factory.finding(1, "module_moved", "engine.utils", 3, before="engine.utils", after="engine.kit")
    came = range_factory.finding(1, "function_added", "engine.more", 4)
    report = range_factory.report(nets=tuple(range_factory.net(one, 1) for one in (breaks, quiet, moved, came)))
    text = english(report)
    assert "| [Python API](#breaking-python) | 1 |" in text
    assert "\n2 modules, classes and functions of Python went or moved and are not counted here" in text
    assert not check_pages(RangePages().pages(report), report)
    alone = range_factory.report(nets=(range_factory.net(breaks, 1), range_factory.net(came, 1)))
    assert "not counted here" not in english(alone)


def test_the_table_counts_as_the_head_counts() -> None:
    """A head of `operators 1` above a row of 3 leaves a reader to guess which of them is right."""
    kinds = ("operator_removed", "internal_method_removed", "extension_method_removed")
    found = [range_factory.finding(1, kind, f"n{at}", at, breaking=True) for at, kind in enumerate(kinds)]
    report = range_factory.report(nets=tuple(range_factory.net(one, 1) for one in found))
    text = english(report)
    rows = re.findall(r"\(#breaking-\w+\) \| (\d+)(?:, for plug-ins and forks (\d+))? \|", text)
    users, forks = (sum(int(row[at] or 0) for row in rows) for at in (0, 1))
    assert f" · breaking {users}, for plug-ins and forks {forks} ·" in text.split("\n")[4]
    assert users + forks == len(kinds)
    assert not check_pages(RangePages().pages(report), report)


def test_surfaces_stand_in_the_agreed_order_whatever_the_order_of_the_nets() -> None:
    kinds = [
        "model_removed", "arch_removed", "dependency_changed", "extension_method_removed", "cpp_removed",
        "metric_removed", "route_removed", "field_removed", "env_removed", "cli_flag_removed", "function_removed",
    ]  # fmt: skip
    found = [range_factory.finding(1, kind, f"n{i}", i, breaking=True) for i, kind in enumerate(kinds)]
    nets = tuple(worded(Net(f, (factory.sha(1),))) for f in found)
    text = english(range_factory.report(nets=nets))
    assert re.findall(r"(?m)^### <a id=\S+</a>(.*) \(1\)$", text)[1:12] == [
        "Command line", "Environment", "Configuration", "Server API", "Models", "Dependencies", "Hardware", "Metrics",
        "Python API", "Operators and C++/CUDA", "Extension points",
    ]  # fmt: skip


def shown(text: str) -> int:
    """Lines of a page that stand outside of folds."""
    depth = count = 0
    for line in text.splitlines():
        count += depth == 0
        depth += line.count("<details>") - line.count("</details>")
    return count


def fixes(*levels: Level) -> str:
    """The section of a range of fixes that no reason tells more of, of these grades."""
    whole = range_factory.report()
    made = [range_factory.graded(number, f"Mend {number}", level) for number, level in enumerate(levels, 50)]
    entries = tuple(made)
    span = replace(whole.span, gained=tuple(e.change.sha for e in reversed(entries)))
    text = english(replace(whole, span=span, entries=entries, nets=(), outages=()))
    assert f"[Security and fixes {len(levels)}](#fixes)" in text
    return text.split('<a id="fixes"></a>')[1].split("\n## ")[1]


def test_every_fix_above_low_is_listed_and_the_others_are_counted_with_where_they_stand() -> None:
    some = fixes("low", "medium", "low", "high")
    assert [line[2] for line in some.splitlines() if line.startswith("- ")] == ["🔴", "🟡"]
    assert "2 more fixes of low importance: [All commits](#commits)." in some
    assert "3 fixes of low importance: [All commits](#commits)." in fixes("low", "low", "low")


def test_a_long_release_is_read_in_300_lines_and_every_change_says_less_before_one_is_folded() -> None:
    kinds = [
        "model_removed", "arch_removed", "extension_method_removed", "cpp_removed", "route_removed", "field_removed",
        "env_removed", "cli_flag_removed", "function_removed", "field_default_changed", "cli_deprecated", "guard_added",
        "env_added", "cli_flag_added", "route_added",
    ]  # fmt: skip
    whole = range_factory.report()
    nets, entries = [], list(whole.entries)
    for number in range(20, 60):
        mild = {"env_added", "cli_flag_added", "route_added", "field_default_changed", "cli_deprecated", "guard_added"}
        found = [
            range_factory.finding(
                number, kind, f"{kind}_{number}_{n}", 100 * at + n, before="1", after="2", breaking=kind not in mild
            )
            for at, kind in enumerate(kinds)
            for n in range(3)
        ]
        nets += [range_factory.net(f, number) for f in found]
        entries.append(range_factory.graded(number, f"Change {number}", "high", "refactor", *found))
        loud = range_factory.graded(number + 100, f"Loud {number}", "high", "feature", reason=range_factory.FIX)
        entries += [replace(loud, breaking=True), range_factory.graded(number + 200, "Fast", "high", "perf")]
        entries.append(range_factory.graded(number + 300, "New", "high", "feature"))
    span = replace(whole.span, gained=tuple(e.change.sha for e in reversed(entries)))
    report = replace(whole, span=span, entries=tuple(entries), nets=tuple(nets), outages=whole.outages * 20)
    text = english(report)
    assert check_pages(RangePages().pages(report), report) == []
    assert shown(text) <= 300
    part = text.split('<a id="breaking-cli"></a>')[1].split("###")[0].split("<details><summary>The rest")[0]
    assert part.count("  - Removes") == part.count("\n- ") >= 2  # one sentence each, the others named in a line


def test_a_short_release_says_all_it_can() -> None:
    found = [range_factory.finding(6, "env_removed", f"NAME_{n}", n, breaking=True) for n in range(6)]
    text = english(range_factory.report(nets=tuple(range_factory.net(f, 6) for f in found)))
    assert text.count("  - Removes") == 6


# --- one finding -------------------------------------------------------------------------------------------------


def test_a_rename_in_two_steps_names_both_changes_and_the_new_name() -> None:
    line = next(x for x in english(range_factory.report()).split("\n") if x.startswith("- Renames the command"))
    assert "`--tp` to `--tensor-size`" in line
    assert "What to do: Use `--tensor-size` instead." in line
    assert re.findall(r"\[#(\d+)\]", line) == ["105", "103"]
    assert " → " in line


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("none", "no alias is kept"),
        ("deprecated", "still works but is deprecated"),
        ("kept", "the old name still works"),
    ],
)
def test_the_fate_of_the_old_name_is_told(status: str, words: str) -> None:
    alias = Alias(status)
    net = range_factory.net(range_factory.REMOVED, 4, alias=alias)
    assert words in english(range_factory.report(nets=(net,)))


def test_many_steps_are_counted_not_dropped() -> None:
    net = range_factory.net(range_factory.RENAMED, 9, 8, 7, 6, 5)
    assert re.search(r"#109\].*→ 3 more commits →.*#105\]", english(range_factory.report(nets=(net,))))


def test_a_release_is_named_unless_it_is_the_end_itself() -> None:
    text = english(range_factory.report())
    assert "What names no release is new in `v1.2.0`." in text
    assert "since `v1.2.0`" not in text
    early = replace(range_factory.nets()[9], since="v1.1.1")
    assert "since `v1.1.1`" in english(range_factory.report(nets=(early,)))


@pytest.mark.parametrize("title", ['Revert "Remove swap space" (#90)', "[Reland] Remove swap space (#91)"])
def test_what_a_revert_or_a_reland_puts_back_is_in_a_release_and_not_since_it(title: str) -> None:
    entries = tuple(
        replace(one, change=replace(one.change, subject=title)) if one.change.sha == factory.sha(4) else one
        for one in range_factory.entries()
    )
    early = replace(range_factory.net(range_factory.REMOVED, 4), since="v1.1.1")
    text = english(range_factory.report(nets=(early,), entries=entries))
    assert "in `v1.1.1`" in text
    assert "since `v1.1.1`" not in text


def test_a_net_without_words_is_told_plainly() -> None:
    bare = replace(range_factory.nets()[10], text={}, how=None)
    assert "- `--tp`: `--tp` → `--tensor-size` (`engine/args.py`)." in english(range_factory.report(nets=(bare,)))


def test_findings_of_one_change_stand_together_and_none_is_lost() -> None:
    text = main(range_factory.report())
    assert "- **Drop the old engine** [#106]" in text
    assert "同一改动另有 3 处" in text
    assert all(f"engine.old.f{n}" in text for n in range(1, 10))


# --- long lists --------------------------------------------------------------------------------------------------


def many(count: int) -> RangeReport:
    """As many commits, each of which removes a flag."""
    found = [range_factory.finding(n, "cli_flag_removed", f"--flag-{n}", breaking=True) for n in range(1, count + 1)]
    told = tuple(range_factory.graded(n, f"Remove {n}", "low", "refactor", f) for n, f in enumerate(found, 1))
    nets = tuple(worded(Net(f, (e.change.sha,))) for f, e in zip(found, told, strict=True))
    return replace(range_factory.report(), span=range_factory.span(count, 0), entries=told, left_behind=(), nets=nets)


def test_a_long_list_is_folded_and_whole() -> None:
    text = english(many(300))
    assert "<details><summary>The rest (288)</summary>" in text
    assert all(f"`--flag-{n}`" in text for n in range(1, 301))
    first = text[: text.index("<details>")]
    assert first.count("\n- Removes") == 12


def test_a_fold_for_one_or_two_lines_is_not_made() -> None:
    assert "The rest" not in english(many(14))
    assert "The rest (3)" in english(many(15))


def test_very_many_commits_have_pages_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_sections, "COMMITS_SHOWN", 30)
    monkeypatch.setattr(range_sections, "COMMITS_A_PAGE", 20)
    report = replace(many(35), nets=())
    found = pages(report)
    assert list(found)[:3] == [f"{STEM}.md", f"{STEM}.commits-1.md", f"{STEM}.commits-2.md"]
    assert list(found)[3:] == [f"{STEM}.en.md", f"{STEM}.commits-1.en.md", f"{STEM}.commits-2.en.md", f"{STEM}.json"]
    links = re.findall(r"\((acme[^)]*\.commits-\d\.en\.md)\)", found[f"{STEM}.en.md"])
    assert [f"reports/range/{link}" for link in links] == list(found)[4:6]
    assert "## All commits, page 2 (15)" in found[f"{STEM}.commits-2.en.md"]
    made = RangePages().pages(report)
    assert check_pages(made, report) == []
    lacking = check_pages([page for page in made if ".commits-2.en" not in page.path], report)
    assert f"{STEM}.en.md:1: leaves out {factory.sha(35)[:9]} of acme/engine" in lacking


def test_the_first_screen_of_a_long_report_says_what_breaks() -> None:
    first = english(many(300)).split("\n")[:24]
    assert any("| [Command line](#breaking-cli) | 300 | `--flag-1`" in line for line in first)


# --- when main was broken ----------------------------------------------------------------------------------------


def test_whether_an_end_lies_inside_is_said_in_words_and_first() -> None:
    text = english(range_factory.report())
    held = [
        x
        for x in text.split("Faults that a later change repairs (1)\n")[1].split("###")[0].split("\n")
        if x[:2] == "- "
    ]
    assert "**The end `v1.2.0` lies inside: `v1.1.0` does not have the fault, and the upgrade brings it.**" in held[0]
    lines = [x for x in text.split("## When main was broken")[1].split("## ")[0].split("\n") if x.startswith("- ")]
    assert "**The start `v1.1.0` lies inside: what you run has the fault, and `v1.2.0` does not.**" in lines[0]
    assert lines[1].endswith("Neither the start `v1.1.0` nor the end `v1.2.0` lies inside.")


def test_a_fault_of_the_end_stands_near_the_top_with_where_its_repair_is_to_be_had() -> None:
    report = range_factory.report()
    assert "The repair is in no release yet: cherry-pick it." in english(report)
    outages = tuple(replace(one, repaired_in="v1.2.1" if one.holds_end else None) for one in report.outages)
    report = replace(report, outages=outages)
    text = english(report)
    assert "Repaired in `v1.2.1`." in text
    assert check_pages(RangePages().pages(report), report) == []
    assert text.index("Repaired in") < text.index('<a id="breaking-') < text.index("## When main was broken")


def test_a_report_of_very_much_is_short_before_its_folds() -> None:
    shown = re.sub(r"<details>.*?</details>", "", english(many(300)), flags=re.DOTALL)
    assert len(shown.split("\n")) <= 300


def test_a_fault_that_is_not_repaired() -> None:
    outage = replace(range_factory.report().outages[2], repair=None, end=None, holds_start=True)
    text = english(range_factory.report(outages=(outage,)))
    assert "it is not repaired at the end. **The start `v1.1.0` and the end `v1.2.0` lie inside" in text


# --- your code ---------------------------------------------------------------------------------------------------


def test_hits_by_certainty_with_every_place() -> None:
    text = english(range_factory.report(hits=range_factory.hits(), ignored=9))
    assert re.findall(r"(?m)^### (.*)$", text)[:3] == ["Certain", "Likely", "Worth a look"]
    assert "You pin `1.1.0` (`requirements.txt:2`)." in text
    assert "  - `run.sh:3` `engine serve --swap 4`" in text
    assert "5 places: `jobs/1.yaml:1`, `jobs/2.yaml:2`, `jobs/3.yaml:3`, `jobs/4.yaml:4`, `jobs/5.yaml:5`" in text
    assert "9 further breaking findings: no use of them was found in your code." in text
    assert "accepted: the tool goes away" in text
    assert "[Touches your code 7](#hits)" in text


def test_what_touches_nothing_is_told_by_surface_and_folded() -> None:
    """One fold without an order began with what no user meets; the table says how much there is of what."""
    text = english(range_factory.report(hits=range_factory.hits(), ignored=9))
    part = text.split("## Other breaking changes")[1].split("\n## ")[0]
    assert "No use of these was found in your code." in part
    part = part.partition("| surface | breaking | among them |")[2]
    assert part.index("### <a id") < part.index("<details><summary>")
    assert "--swap" not in part
    quiet = english(range_factory.report(hits=(), ignored=11)).split("## Other breaking changes")[1]
    surfaces = [line for line in quiet.split("\n") if line.startswith("### <a id")]
    assert surfaces == [line for line in english(range_factory.report()).split("\n") if '### <a id="breaking-' in line]


def test_the_head_counts_what_users_meet_and_beside_it_what_only_plug_ins_and_forks_do() -> None:
    report = range_factory.report()
    inner = range_factory.net(range_factory.finding(1, "extension_method_removed", "Worker.run", breaking=True), 1)
    head = english(replace(report, nets=(*report.nets, inner))).split("\n")[4]
    assert " · breaking 11, for plug-ins and forks 1 · judged" in head


def test_a_pin_that_is_the_same_for_all_is_said_once() -> None:
    pinned = tuple(replace(h, pinned="1.1.0", pin_at="requirements.txt:2") for h in range_factory.hits())
    text = english(range_factory.report(hits=pinned, ignored=9))
    assert text.count("You pin `1.1.0` (`requirements.txt:2`).") == 1
    assert text.index("You pin") < text.index("### Certain")


def test_who_asked_for_their_own_code_finds_the_rest_folded() -> None:
    text = english(range_factory.report(hits=range_factory.hits(), ignored=9))
    assert "## Performance\n\n<details><summary>Show (1)</summary>" in text
    assert "### Defaults (1)\n\n<details><summary>Show (1)</summary>" in text


def test_no_hit_is_said_plainly() -> None:
    text = english(range_factory.report(hits=(), ignored=11))
    assert "Nothing was found that touches your code." in text
    assert "11 further breaking findings" in text


# --- plain words for plain ranges --------------------------------------------------------------------------------


def test_an_empty_range_says_so() -> None:
    assert "`main` and `v1.2.0` are the same commit: nothing differs." in english(range_factory.empty())
    assert "`main` 与 `v1.2.0` 是同一个提交，两者没有差别。" in main(range_factory.empty())
    bounds = range_factory.empty().span
    same = replace(range_factory.empty(), span=replace(bounds, start=bounds.end))
    assert "Both ends are `v1.2.0`: nothing differs." in english(same)
    assert "两端都是 `v1.2.0`，没有差别。" in main(same)
    assert headings(english(range_factory.empty())) == ["Appendix · how to check"]


def test_a_step_back_says_so() -> None:
    text = english(range_factory.back())
    assert "`v1.1.0` is an ancestor of `v1.2.0`: this is a step back" in text
    assert "Back at `v1.1.0`, these commits of `v1.2.0` are gone." in text


def test_nothing_breaking_is_said() -> None:
    told = range_factory.small().entries[:1]
    assert "Nothing breaking was detected." in english(replace(range_factory.small(), nets=(), entries=told))


def test_a_ref_that_is_a_sha_is_shown_short() -> None:
    report = range_factory.report()
    sha = factory.sha(11)
    text = english(replace(report, span=replace(report.span, start=Ref(sha, sha, report.span.start.committed_at))))
    assert "# Upgrade report · acme/engine · 0000000ba → v1.2.0" in text
    assert "> From <code>0000000ba</code> (2025-12-30) to" in text


def test_a_repository_without_a_web_address_gets_no_links() -> None:
    report = range_factory.report()
    local = replace(report.span.repo, url="/git/acme/engine")
    text = english(replace(report, span=replace(report.span, repo=local)))
    assert "/commit/" not in text
    assert "`00000004a`" in text


def test_what_is_not_whole_stands_before_everything() -> None:
    text = english(range_factory.report(skipped=(Skipped("acme/engine a.py", "too large"),)))
    assert text.index("acme/engine a.py: too large.") < text.index("## Breaking")
    assert "2 of them" not in text
    assert "1 commit could not be read; what it changes is not above." in text
    assert (
        "16 of 17 statements can be traced to the diff, which is not a proof of their conclusion; 1 could not and were removed (removed because: not read in its commits 1)."
        in text
    )


def test_both_editions_say_the_same_things() -> None:
    zh, en, _ = pages(range_factory.report(hits=range_factory.hits(), ignored=9)).values()
    for pattern in (r"/(?:commit|pull)/\w+", r"(?m)^\| .* \|$", r"(?m)^#+ ", r"(?m)^ *- ", r"<details>", r"`[^`\n]+`"):
        assert len(re.findall(pattern, zh)) == len(re.findall(pattern, en)), pattern


# --- hostile names -----------------------------------------------------------------------------------------------

"""An upgrade report that is true passes; every kind of lie, in the data or on the pages, is found."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Page
from daybreak.core.model.statements import Statement
from daybreak.core.model.upgrade import Net, Outage, RangeReport
from daybreak.upgrade.range import summary_of
from daybreak.upgrade.range.check_ranges import check_pages, check_range
from daybreak.upgrade.range.range_page import RangePages, worded
from read_back import rules_read_back  # noqa: F401  a fixture
from render import factory, range_factory
from render.factory import both, sha

TRUE = replace(range_factory.report(), grounding=range_factory.small().grounding)
ASKED = replace(TRUE, hits=range_factory.hits(), ignored=9)
REMOVED, TWICE, DEFAULT = range_factory.nets()[9:12]
MAIN = "reports/range/acme-engine-v1.1.0..v1.2.0.md"
FOURTH = sha(4)


# --- the data ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "report",
    [TRUE, ASKED, range_factory.small(), range_factory.empty(), range_factory.back()],
    ids=["whole", "with hits", "small", "empty", "back"],
)
def test_a_true_report_passes_whole(report: RangeReport) -> None:
    found = check_range(report)
    assert replace(found, grounding=report.grounding) == report
    assert found.grounding.dropped == 0
    assert check_pages(RangePages().pages(found), found) == []


def test_checking_twice_changes_nothing() -> None:
    lying = replace(TRUE, nets=(*TRUE.nets, replace(REMOVED, commits=("f" * 40,))))
    once = check_range(lying)
    assert check_range(once) == once


def test_no_sentence_counts_what_was_dropped() -> None:
    lying = replace(TRUE, nets=(*TRUE.nets, replace(REMOVED, commits=("f" * 40,))))
    once = check_range(replace(lying, summary=summary_of(lying)))
    assert once.nets == TRUE.nets
    assert once.summary == summary_of(TRUE)


def test_the_default_of_a_setting_that_came_is_borne_out_by_its_finding() -> None:
    """Its sentence fell, and the page said “`--window`: `--window`” of every new option with a default."""
    came = range_factory.finding(8, "cli_flag_added", "--window", after="--window", default="4096")
    entry = range_factory.graded(8, "feat: a window", "low", "feature", came)
    net = range_factory.net(came, 8)
    kept = check_range(replace(range_factory.report(nets=(net,)), entries=(entry,), summary=())).nets
    assert [one.text["en"] for one in kept] == [net.text["en"]]
    assert "default `4096`" in net.text["en"]


def test_what_was_dropped_before_stays_counted() -> None:
    found = check_range(range_factory.report())
    assert (found.grounding.statements, found.grounding.kept, found.grounding.dropped) == (20, 19, 1)
    assert found.grounding.by_reason == {"finding_not_read": 1}


def other(net: Net, **more: object) -> Net:
    """The same net with another finding, worded as that finding asks."""
    return worded(replace(net, finding=replace(net.finding, **more)))


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        (replace(REMOVED, commits=()), "unknown_net"),
        (replace(REMOVED, commits=("f" * 40,)), "unknown_net"),
        (replace(REMOVED, commits=(FOURTH, "f" * 40)), "unknown_net"),
        (replace(REMOVED, commits=(sha(1),)), "finding_not_read"),
        (other(REMOVED, symbol="--other"), "finding_not_read"),
        (other(REMOVED, kind="cli_flag_added"), "finding_not_read"),
        (other(REMOVED, kind="env_removed"), "finding_not_read"),
        (other(REMOVED, path="engine/elsewhere.py"), "finding_not_read"),
        (other(REMOVED, before="--swap-space"), "finding_not_read"),
        (other(TWICE, after="--world-size"), "finding_not_read"),
        (other(TWICE, before="--tensors"), "finding_not_read"),
        (other(TWICE, kind="cli_flag_removed"), "finding_not_read"),
        (other(DEFAULT, after="64"), "finding_not_read"),
        (other(DEFAULT, before="32", after="16"), "finding_not_read"),
        (other(DEFAULT, breaking=True), "finding_not_read"),
    ],
)
def test_a_net_that_its_commits_did_not_make_is_dropped(lie: Net, reason: str) -> None:
    found = check_range(replace(TRUE, nets=(lie,), summary=()))
    assert found.nets == ()
    assert found.grounding.by_reason == {reason: 1}


def test_values_may_not_change_places_with_those_of_a_neighbour() -> None:
    one = range_factory.finding(7, "field_default_changed", "Config.a", 1, before="1", after="2")
    two = range_factory.finding(7, "field_default_changed", "Config.b", 2, before="3", after="4")
    told = range_factory.graded(7, "Change defaults", "medium", "feature", one, two)
    report = replace(TRUE, entries=(told,), summary=(), outages=())
    net = worded(Net(one, (sha(7),)))
    assert check_range(replace(report, nets=(net,))).nets == (net,)
    for lie in (other(net, after="4"), other(net, before="2", after="1"), other(net, before="3", after="4")):
        assert check_range(replace(report, nets=(lie,))).nets == ()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"text": both("删除 `--other`。", "Removes `--other`.")}, "word_not_in_evidence"),
        ({"text": both("删除 `--swap`，共 7 处。", "Removes `--swap` in 7 places.")}, "number_not_in_evidence"),
        ({"text": {"zh": "删除 `--swap`。"}}, "language_missing"),
        ({"text": both("删除 `--swap`。", "Removes `--swap` `engine/args.py`.")}, "languages_differ"),
        ({"text": both("见 [这里](x)。", "See [here](x).")}, "markup"),
        ({"how": both("改用 `--paging`", "use `--paging`")}, "word_not_in_evidence"),
        ({"who": both("用 `--paging` 的人", "users of `--paging`")}, "word_not_in_evidence"),
    ],
)
def test_false_words_go_and_what_breaks_stays(words: dict[str, object], reason: str) -> None:
    lie = replace(REMOVED, **words)
    found = check_range(replace(TRUE, nets=(lie,), summary=()))
    assert found.nets == (REMOVED,)
    assert (found.nets[0].text, found.nets[0].who, found.nets[0].how) == ({}, None, None)
    assert found.grounding.by_reason == {reason: 1}
    assert check_pages(RangePages().pages(found), found) == []


def test_what_the_range_takes_back_may_be_told_as_its_opposite() -> None:
    added = range_factory.finding(20, "cli_flag_added", "--late")
    left = range_factory.graded(20, "Pick: add --late", "low", "feature", added)
    gone = worded(Net(replace(added, kind="cli_flag_removed", breaking=True), (sha(20),)))
    assert check_range(replace(TRUE, left_behind=(left,), nets=(gone,), summary=())).nets == (gone,)
    same = replace(gone, finding=added)
    assert check_range(replace(TRUE, left_behind=(left,), nets=(same,), summary=())).nets == ()


def test_what_stands_under_a_net_is_checked_too() -> None:
    lie = replace(REMOVED, finding=replace(REMOVED.finding, symbol="--other"))
    found = check_range(replace(TRUE, nets=(replace(DEFAULT, under=(range_factory.nets()[12], lie)),), summary=()))
    assert found.nets[0].under == (range_factory.nets()[12],)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            Statement("what", both("`--paging` 没了。", "`--paging` is gone."), (f"commit:{FOURTH}",)),
            "word_not_in_evidence",
        ),
        (Statement("what", both("共 99 个提交。", "99 commits."), ("repo:acme/engine",)), "number_not_in_evidence"),
        (Statement("what", both("见此。", "See this."), ("commit:" + "f" * 40,)), "unknown_evidence"),
        (Statement("what", both("见此。", "See this."), ()), "no_evidence"),
    ],
)
def test_a_summary_that_the_facts_do_not_carry_is_dropped(statement: Statement, reason: str) -> None:
    found = check_range(replace(TRUE, summary=(*TRUE.summary, statement)))
    assert found.summary == TRUE.summary
    assert found.grounding.by_reason == {reason: 1}


def test_the_counts_of_the_range_are_evidence() -> None:
    said = both(
        "`v1.1.0` → `v1.2.0`：10 个提交，破坏性 11 项：Python API 9、命令行 2。",
        "`v1.1.0` → `v1.2.0`: 10 commits, 11 breaking: Python API 9, command line 2.",
    )
    assert check_range(replace(TRUE, summary=(Statement("what", said, ("repo:acme/engine",)),))).summary


def test_an_end_may_be_named_by_its_sha_and_no_other_commit() -> None:
    span = replace(TRUE.span, start=replace(TRUE.span.start, name=sha(11)))
    good = Statement("what", both(f"从 `{sha(11)}` 起。", f"From `{sha(11)}` on."), ("repo:acme/engine",))
    bad = Statement("what", both(f"见 `{FOURTH}`。", f"See `{FOURTH}`."), (f"commit:{FOURTH}",))
    found = check_range(replace(TRUE, span=span, summary=(good, bad)))
    assert found.summary == (good,)
    assert check_pages(RangePages().pages(found), found) == []


FIRST, SECOND, THIRD = TRUE.outages


@pytest.mark.parametrize(
    "lie",
    [
        replace(FIRST, start=FIRST.start - timedelta(minutes=1)),
        replace(FIRST, end=(FIRST.end or FIRST.start) + timedelta(minutes=1)),
        replace(FIRST, end=None),
        replace(FIRST, holds_end=True),
        replace(FIRST, fault="e" * 40, repair="f" * 40),
        replace(THIRD, end=THIRD.start - timedelta(days=1)),
        Outage("e" * 40, None, FIRST.start, None, holds_start=True),
    ],
)
def test_a_time_of_fault_that_the_commits_contradict_is_dropped(lie: Outage) -> None:
    found = check_range(replace(TRUE, outages=(SECOND, lie), summary=()))
    assert found.outages == (SECOND,)
    assert found.grounding.by_reason == {"outage_disagrees": 1}


def test_a_fault_cannot_be_in_a_start_that_the_end_descends_from() -> None:
    span = replace(TRUE.span, lost=())
    report = replace(TRUE, span=span, left_behind=(), outages=(replace(FIRST, holds_start=True),))
    assert check_range(report).outages == ()
    copied = replace(TRUE, outages=(replace(FIRST, holds_start=True),))
    assert len(check_range(copied).outages) == 1


def test_a_fault_around_the_whole_range_is_believed() -> None:
    around = Outage("e" * 40, None, FIRST.start, None, holds_start=True, holds_end=True)
    assert check_range(replace(TRUE, outages=(around,))).outages == (around,)


# --- hits --------------------------------------------------------------------------------------------------------

HIT = range_factory.hits()[0]


@pytest.mark.parametrize(
    "lie",
    [
        replace(HIT, repo="acme/other"),
        replace(HIT, net=replace(HIT.net, commits=(sha(1),))),
        replace(HIT, net=replace(HIT.net, finding=replace(HIT.net.finding, symbol="--other"))),
        replace(HIT, use=replace(HIT.use, line=0)),
        replace(HIT, use=replace(HIT.use, path="")),
    ],
)
def test_a_hit_of_what_the_range_did_not_do_is_dropped(lie: object) -> None:
    found = check_range(replace(ASKED, hits=(*range_factory.hits(), lie)))
    assert found.hits == range_factory.hits()
    assert found.grounding.by_reason == {"unknown_net": 1}


def test_false_words_of_a_hit_are_replaced_by_those_of_its_net() -> None:
    lie = replace(HIT, why=both("`--paging` 没了。", "`--paging` is gone."))
    found = check_range(replace(ASKED, hits=(lie, *range_factory.hits()[1:])))
    assert found.hits is not None
    assert found.hits[0].why == REMOVED.text
    assert found.hits[0].action == REMOVED.how
    assert found.hits[0].use == HIT.use
    assert found.grounding.by_reason == {"word_not_in_evidence": 1}


def test_a_hit_may_speak_of_the_readers_own_code() -> None:
    said = both("`run.sh:3` 的 `engine serve --swap 4`，第 3 行。", "`engine serve --swap 4` in `run.sh:3`, line 3.")
    found = check_range(replace(ASKED, hits=(replace(HIT, why=said), *range_factory.hits()[1:])))
    assert found.grounding.dropped == 0


def test_what_may_be_ignored_is_counted_again() -> None:
    found = check_range(replace(ASKED, ignored=12))
    assert found.ignored == 9
    assert found.grounding.by_reason == {"wrong_count": 1}


def test_what_a_dropped_hit_touched_is_not_called_safe() -> None:
    lie = replace(HIT, use=replace(HIT.use, line=0))
    assert check_range(replace(ASKED, hits=(lie, *range_factory.hits()[1:]))).ignored == 9


def test_a_hit_under_a_net_touches_the_net() -> None:
    whole = range_factory.nets()[0]
    member = range_factory.nets()[1]
    nets = (replace(whole, under=(member,)), *range_factory.nets()[2:])
    hit = replace(HIT, net=member, why=member.text, action=member.how or {})
    found = check_range(replace(ASKED, nets=nets, hits=(hit,), ignored=9))
    assert found.hits == (hit,)
    assert (found.ignored, found.grounding.dropped) == (9, 0)
    assert check_pages(RangePages().pages(found), found) == []


# --- the pages ---------------------------------------------------------------------------------------------------


def problems(edit: Callable[[str], str], report: RangeReport = TRUE, ending: str = ".md") -> list[str]:
    """What is found when the main page is changed after it was made."""
    pages = list(RangePages().pages(report))
    at = next(i for i, page in enumerate(pages) if page.path.endswith(ending))
    changed = Page(pages[at].path, edit(pages[at].text))
    assert changed != pages[at], "the edit must change something"
    pages[at] = changed
    return check_pages(pages, report)


def swap(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def without(part: str) -> Callable[[str], str]:
    return lambda text: "\n".join(line for line in text.split("\n") if part not in line)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (swap(f"commit/{FOURTH}", f"commit/{FOURTH[:39]}"), "which has 39 digits"),
        (swap(f"commit/{FOURTH}", "commit/" + "f" * 40), "which the report does not know in acme/engine"),
        (swap(f"[`{FOURTH[:9]}`]", "[`abcdef123`]"), "labels commit 00000004a as abcdef123"),
        (swap(f"[`{FOURTH[:9]}`]", "[`abcdef123`]"), "shows 'abcdef123', which is not in the data"),
        (swap("/pull/104)", "/pull/999)"), "links to pull request 999"),
        (swap("[#104](", "[#105]("), "labels pull request 104 as #105"),
        (swap("github.com/acme/engine/commit", "github.com/acme/other/commit"), "no commit or pull request of a watched"),
        (swap("(#breaking-cli)", "(#breaking-nothing)"), "has no such anchor"),
        (swap("(acme-engine-v1.1.0..v1.2.0.en.md)", "(other.md)"), "there is no reports/range/other.md"),
        (swap("</details>\n\n##", "\n\n##"), "<details>"),
        (swap("`engine/args.py`", "`engine/other.py`"), "shows 'engine/other.py', which is not in the data"),
        (swap("`--tensor-size`", "`--world-size`"), "shows '--world-size', which is not in the data"),
        (swap("<code>engine.old.f7</code>", "<code>engine.old.f77</code>"), "shows 'engine.old.f77'"),
        (swap("提交 10 / 10", "提交 9 / 10"), "counts 9 10 1 11 0 1 1, but the data has 10 10 1 11 0 1 1"),
        (swap("破坏性变更 11 ", "破坏性变更 10 "), "but the data has"),
        (swap("· 另按提交判断 1 ", ""), "but the data has"),
        (swap("未能处理 1", "未能处理 0"), "but the data has"),
        (swap("> 从 `v1.1.0`", "> 从 `v1.2.0`"), "does not name v1.1.0"),
        (without("> 从"), "does not state its range"),
        (swap("[破坏性变更 11](#breaking)", "[破坏性变更 3](#breaking)"), "counts 3 under breaking, but the data has 11"),
        (swap("[全部提交 10](#commits)", "[全部提交 11](#commits)"), "counts 11 under commits"),
        (swap("(#breaking-cli) | 2 |", "(#breaking-cli) | 3 |"), "has a table of 12 breaking changes, not 11"),
        (swap("全部提交（10 条）", "全部提交（12 条）"), "folds 12 lines, but has 10"),
        (swap("另有 3 处", "另有 5 处"), "folds 5 names, but shows 3"),
        (swap("2025-12-30", "2025-12-31"), "gives the date 2025-12-31"),
        (without(sha(8)), "leaves out 00000008a of acme/engine"),
        (without(sha(20)), "leaves out 00000014a"),
        (lambda text: text.replace("--swap", "--gone"), "leaves out the breaking change of '--swap'"),
        (swap("<!-- daybreak.range/1 -->", ""), "marker"),
        (lambda text: text + "see https://evil.example\n", "would turn into a link"),
    ],
)  # fmt: skip
def test_a_false_page_is_found(edit: Callable[[str], str], words: str) -> None:
    found = problems(edit)
    assert any(words in sentence for sentence in found), found
    assert all(sentence.startswith(f"{MAIN}:") for sentence in found)


def test_a_hit_that_is_left_out_is_found() -> None:
    found = problems(swap("`run.sh:3`", "`run.sh`"), ASKED)
    assert any("leaves out what touches run.sh:3" in sentence for sentence in found)


def test_data_that_is_not_the_reports_is_found() -> None:
    assert problems(swap(f'"sha": "{sha(3)}"', f'"sha": "{sha(2)}"'), ending=".json")


def test_a_missing_page_is_found() -> None:
    pages = RangePages().pages(TRUE)
    assert any("languages" in sentence for sentence in check_pages(pages[1:], TRUE))
    assert "there is no page with the data" in check_pages(pages[:2], TRUE)


def test_commits_that_git_does_not_list_or_nobody_tells_are_found() -> None:
    strange = replace(TRUE, entries=(*TRUE.entries, factory.entry(factory.change(50))))
    assert "00000032a is told, but is no commit of the range" in check_pages(RangePages().pages(strange), strange)
    fewer = replace(TRUE, entries=TRUE.entries[:-1], skipped=())
    assert "acme/engine: 1 commits are not told, and nothing is skipped" in check_pages(
        RangePages().pages(fewer), fewer
    )


def test_a_long_hostile_name_is_found_on_its_page() -> None:
    evil = "<b>`x` | [y](http://evil.example) \u202e" + "z" * 700
    found = Finding(f"{FOURTH[:12]}/1", "cli_flag_removed", "engine/args.py", 1, evil, breaking=True)
    told = range_factory.graded(4, evil, "high", "refactor", found)
    report = replace(
        range_factory.small(), entries=(range_factory.entries()[0], told), nets=(worded(Net(found, (FOURTH,))),)
    )
    checked = check_range(report)
    assert checked.grounding.dropped == 0
    assert check_pages(RangePages().pages(checked), checked) == []


PIECES = st.sampled_from(
    [*"*_`~[]()<>#@:|\\&$!-+=\"'./ \t\n", "a", "Z9", "中文", "\x1b[31m", "\u202e", "<code>", "</details>", "×2", "…"]
)


@settings(max_examples=40, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=12).map("".join), st.sampled_from(["cli_flag_renamed", "guard_changed"]))
def test_no_name_makes_the_pages_contradict_the_data(name: str, kind: str) -> None:
    found = [range_factory.finding(4, kind, name, n, before=name, after=f"{name}{n}", breaking=True) for n in range(9)]
    told = range_factory.graded(4, name, "high", "refactor", *found)
    nets = tuple(worded(Net(f, (FOURTH,), name)) for f in found)
    entries = (range_factory.entries()[0], told)
    hit = replace(HIT, net=nets[0], why=nets[0].text, action={}, use=replace(HIT.use, path=name, text=name, name=name))
    for hits in (None, (hit,)):
        checked = check_range(
            replace(range_factory.small(), entries=entries, nets=nets, hits=hits, ignored=8 if hits else 0)
        )
        assert check_pages(RangePages().pages(checked), checked) == []


def test_a_check_that_is_told_by_its_error_alone_is_not_left_out() -> None:
    long = " and ".join(f"the_long_field_number_{number} is None" for number in range(6))
    after = f'if {long}: raise ValueError("Exactly one of the `fields` must be given")'
    net = range_factory.nets()[0]
    finding = replace(net.finding, kind="guard_added", symbol="Request.validate_it", before=None, after=after)
    told = worded(replace(net, finding=finding, under=()))
    found = replace(TRUE, nets=(told, *range_factory.nets()[1:]))
    missing = "leaves out the breaking change of 'Request.validate_it'"

    def unnamed(text: str) -> str:
        return text.replace("`Request.validate_it`", "")  # a table with room for few names has others

    assert not any(missing in one for one in problems(unnamed, found))
    assert any(missing in one for one in problems(lambda text: unnamed(text).replace("Exactly one", ""), found))

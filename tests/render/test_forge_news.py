"""What the summary says of a forge's day, what was closed, and changes of other days that links name."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.links import (
    Earlier,
    ForgeDay,
    IssueReading,
    Link,
    Place,
    RepoForge,
    commit_id,
    issue_id,
    pull_id,
)
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.markdown import all_pages
from render import forge_factory
from render.factory import DAY, both, sha
from render.forge_factory import ENGINE, KERNELS

WEB = "https://github.com/acme"


def pages(report: Judgement) -> dict[str, str]:
    found = all_pages(day_of(report))
    assert problems(found, day_of(report), lambda _: True) == ()
    return {page.path: page.text for page in found}


def day(report: Judgement, ending: str = ".md") -> str:
    return pages(report)[f"reports/2026-01-19{ending}"]


def told(readings: tuple[IssueReading, ...], **more: Any) -> Judgement:
    activity = forge_factory.engine_activity(**more)
    return forge_factory.report(ForgeDay((activity,), (RepoForge(ENGINE, issues=readings),)))


def summary(text: str) -> str:
    return text.split("\n## 摘要\n")[1].split("\n## ", maxsplit=1)[0]


def test_the_summary_counts_kinds_and_names_regressions_and_wrong_results_first() -> None:
    found = summary(
        day(
            told(
                (
                    IssueReading(ENGINE, 12, "question"),
                    IssueReading(ENGINE, 13, "accuracy"),
                    IssueReading(ENGINE, 11, "regression"),
                )
            )
        )
    )
    assert "- GitHub：新 Issue 3（回归 1、结果错误 1、提问 1） · 合并 PR 2 · 发布 1。\n" in found
    lines = [line for line in found.split("\n") if line.startswith("  - ")]
    assert lines[0].startswith(f"  - **回归** acme/engine [#11]({WEB}/engine/issues/11) ")
    assert lines[1].startswith(f"  - **结果错误** acme/engine [#13]({WEB}/engine/issues/13) ")
    assert len(lines) == 2, "a question does not press"


def test_a_reopened_issue_is_not_counted_as_new_without_a_word() -> None:
    again = forge_factory.issue(50, happened=("reopened",))
    found = summary(day(told((IssueReading(ENGINE, 50, "bug"),), issues=(again,))))
    assert "新 Issue 1（缺陷 1；其中重新打开 1）" in found


def test_many_pressing_ones_are_not_all_in_the_summary_which_says_so() -> None:
    many = tuple(forge_factory.issue(100 + n) for n in range(7))
    found = summary(day(told(tuple(IssueReading(ENGINE, x.number, "regression") for x in many), issues=many)))
    assert found.count("**回归**") == 5
    assert "  - 其余见各仓库。" in found


def test_a_forge_that_has_nothing_of_the_day_adds_nothing_to_the_summary() -> None:
    quiet = told((), issues=(), pulls=(), releases=())
    assert "GitHub：" not in day(quiet)
    assert "GitHub：" not in day(replace(quiet, forge=None))


def test_a_closed_issue_says_why_and_by_what() -> None:
    base = forge_factory.forge_day()
    old = forge_factory.issue(14, "An old one", happened=("closed",), state="closed", reason="not_planned")
    fixed = forge_factory.issue(15, "Mended", happened=("closed",), state="closed", reason="completed", comments=2)
    odd = forge_factory.issue(16, "Odd", happened=("closed",), state="closed", reason="<b>new</b>")
    activity = replace(base.activities[0], issues=(old, fixed, odd))
    link = Link("fixes", pull_id(ENGINE, 103), issue_id(ENGINE, 15), (pull_id(ENGINE, 103),))
    text = day(forge_factory.report(ForgeDay((activity,), (RepoForge(ENGINE, (link,)),))), ".en.md")
    assert f"- Issue [#14]({WEB}/engine/issues/14) An old one · closed (not planned)\n" in text
    assert (
        f"- Issue [#15]({WEB}/engine/issues/15) Mended · closed (completed)"
        f" · fix [#103]({WEB}/engine/pull/103) (merged 2026-01-19) · 2 comments\n"
    ) in text
    assert "Odd · closed (&lt;b&gt;new&lt;/b&gt;)" in text


def test_a_change_of_an_earlier_day_is_named_with_its_date_and_linked() -> None:
    base = forge_factory.forge_day()
    before = Earlier(ENGINE, sha(77), DAY, "Break it | <b>", 9)
    cause = Link("caused_by", issue_id(ENGINE, 11), commit_id(sha(77)), (issue_id(ENGINE, 11),), likely=True)
    reading = replace(base.readings[0], links=(cause,))
    forge = replace(base, readings=(reading, *base.readings[1:]), earlier=(before,))
    found = pages(forge_factory.report(forge))
    line = f"2026-01-19 Break it &#124; &lt;b&gt; [`{sha(77)[:9]}`]({WEB}/engine/commit/{sha(77)})"
    assert line in found["reports/2026-01-19.md"]
    assert '"subject": "Break it | <b>"' in found["reports/2026-01-19.json"]
    unknown = pages(forge_factory.report(replace(forge, earlier=())))["reports/2026-01-19.md"]
    assert line not in unknown
    assert "更早的提交" in unknown


def test_places_that_use_a_removed_name_are_shown_as_text() -> None:
    base = forge_factory.forge_day()
    found = next(x for x in base.across.links if x.kind == "uses_removed")
    places = tuple(Place(KERNELS, f"a/<b>{n}.py", n) for n in range(1, 7))
    used = replace(found, places=places, places_omitted=3, why=found.why or both("用到。", "Used."))
    others = tuple(x for x in base.across.links if x is not found)
    text = pages(forge_factory.report(replace(base, across=replace(base.across, links=(used, *others)))))
    page = text["reports/2026-01-19.en.md"]
    assert "Where acme/quiet uses it: <code>a/&#60;b&#62;1.py&#58;1</code>, " in page
    assert "(5 more places)" in page
    assert '"places_omitted": 3' in text["reports/2026-01-19.json"]


def test_without_a_forge_only_what_runs_between_repositories_is_told() -> None:
    base = forge_factory.forge_day()
    git_only = ForgeDay(across=replace(base.across, links=tuple(x for x in base.across.links if x.kind == "takes")))
    found = pages(forge_factory.report(git_only))
    text = found["reports/2026-01-19.md"]
    assert "## 跨项目联动" in text
    assert "新 Issue" not in text
    assert "GitHub" not in text


def test_a_quiet_repository_whose_head_could_not_be_searched_still_has_no_updates() -> None:
    base = forge_factory.report(ForgeDay())
    quiet = next(r for r in base.repos if r.repo.name == KERNELS)
    lacking = replace(quiet, skipped=(Skipped(f"{KERNELS} at its head", "cannot be read"),))
    report = replace(base, forge=None, repos=tuple(lacking if r is quiet else r for r in base.repos))
    assert "当日无更新。" in day(report)
    lost = replace(quiet, skipped=(Skipped(f"{KERNELS} {sha(5)}", "cannot be read"),))
    other = replace(report, repos=tuple(lost if r is lacking else r for r in report.repos))
    assert "当日无更新。" not in day(other)

"""A forge's half of the pages: what stands where, what is marked as whose words, and that nothing is left off silently."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.items import Activity, Closer
from daybreak.core.model.links import (
    Claim,
    Coming,
    CrossForge,
    Fix,
    ForgeDay,
    IssueReading,
    PullReading,
    ReleaseReading,
    RepoForge,
)
from daybreak.core.model.statements import Statement
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.forge import MOST
from daybreak.report.render.markdown import all_pages, markdown_pages
from render import factory, forge_factory
from render.factory import both, sha
from render.forge_factory import BODY, ENGINE, NUMBERS, TABLE, WHY

WEB = "https://github.com/acme"


def pages(report: Judgement) -> dict[str, str]:
    found = all_pages(day_of(report))
    assert (
        problems(found, day_of(report), lambda path: "README" in path or path.endswith(("2026-01.md", "2026-01.en.md")))
        == ()
    )
    return {page.path: page.text for page in found}


def day(report: Judgement, ending: str = ".md") -> str:
    return pages(report)[f"reports/2026-01-19{ending}"]


def own(report: Judgement, ending: str = ".md") -> str:
    return pages(report)[f"reports/2026-01-19/acme-engine{ending}"]


def part(text: str, heading: str) -> str:
    """From one heading to the next of its depth or above."""
    start = text.index(f"\n{heading}")
    depth = len(heading) - len(heading.lstrip("#"))
    end = re.search(rf"\n#{{1,{depth}}} ", text[start + 1 :])
    return text[start : start + 1 + end.start()] if end else text[start:]


def with_engine(**more: Any) -> Judgement:
    """The report with other readings of its first repository."""
    base = forge_factory.forge_day()
    return forge_factory.report(replace(base, readings=(replace(base.readings[0], **more), *base.readings[1:])))


def items(**more: Any) -> Judgement:
    base = forge_factory.forge_day()
    return forge_factory.report(replace(base, activities=(replace(base.activities[0], **more), *base.activities[1:])))


# --- issues ------------------------------------------------------------------------------------------------------


def test_new_issues_stand_in_the_order_of_the_analysis_with_kind_part_fix_and_comments() -> None:
    lines = part(day(forge_factory.report()), "### 新 Issue（3 条）").strip().split("\n")
    link = f"[#11]({WEB}/engine/issues/11)"
    assert lines[2] == (
        f"- **结果错误** {link} \\[Bug\\]: wrong tokens since the rename · 涉及 <code>scheduler</code>、<code>engine/core</code>"
        f" · 评论 4 · 表情回应 2 · 修复 PR [#101]({WEB}/engine/pull/101)（2026-01-19 合并）"
    )
    assert lines[3].startswith("  - 可能的起因：Rename --backend values ")
    assert lines[3].endswith("。issue 中写到 <code>since the rename</code>。")
    assert [line.split("**")[1] for line in lines if line.startswith("- ")] == ["结果错误", "缺陷", "安装"]


@pytest.mark.parametrize(("pull", "told"), [(True, "Rename --backend values"), (False, "Rename it all")])
def test_a_merge_that_may_be_the_cause_is_called_by_its_pull_request(pull: bool, told: str) -> None:
    """By the forge's title where that is known, else by the one that the merge carries in its message."""
    whole = forge_factory.report()
    repo = whole.repos[0]
    made = replace(
        repo.entries[0].change, subject="Merge pull request #101 from ada/rename", body="Rename it all\n\nMore."
    )
    repos = (replace(repo, entries=(replace(repo.entries[0], change=made), *repo.entries[1:])), *whole.repos[1:])
    assert whole.forge is not None
    first = whole.forge.readings[0]
    links = tuple(link for link in first.links if pull or link.kind != "brings")
    forge = replace(whole.forge, readings=(replace(first, links=links), *whole.forge.readings[1:]))
    text = markdown_pages(day_of(replace(whole, repos=repos, forge=forge)))[0].text
    assert f"  - 可能的起因：{told} [#101]" in text


def test_an_open_fix_is_told_as_open_and_a_guess_as_likely() -> None:
    text = day(forge_factory.report(), ".en.md")
    assert f"fix [#120]({WEB}/engine/pull/120) (likely, open)" in text
    assert "Crash on start · closed (completed) · no fix seen · the text is long" in text


def test_a_question_is_not_told_to_lack_a_fix() -> None:
    asked = with_engine(issues=(IssueReading(ENGINE, 12, "question"),))
    assert "修复 PR" not in part(day(asked), "### 新 Issue")
    assert "未见修复 PR" in part(day(with_engine(issues=(IssueReading(ENGINE, 12, "bug"),))), "### 新 Issue")


@pytest.mark.parametrize(
    ("fix", "zh", "en"),
    [
        (Fix(120, "open", by_hand=True), "（未合并，手动关联）", " (open, linked by hand)"),
        (Fix(101, "merged", reopened=True), "（2026-01-19 合并，issue 之后又重新打开）",
         " (merged 2026-01-19, the issue was opened again after it)"),
        (Fix(77, "merged", reopened=True), "（已合并，issue 之后又重新打开）",
         " (merged, the issue was opened again after it)"),
    ],
)  # fmt: skip
def test_how_a_fix_was_linked_and_that_it_did_not_last_is_told(fix: Fix, zh: str, en: str) -> None:
    told = with_engine(issues=(IssueReading(ENGINE, 12, "bug", fixes=(fix,)),))
    link = f"[#{fix.number}]({WEB}/engine/pull/{fix.number})" if fix.number != 77 else "\\#\u206077"
    assert f"修复 PR {link}{zh}" in part(day(told), "### 新 Issue")
    assert f"fix {link}{en}" in day(told, ".en.md")


def test_a_commit_that_closed_an_issue_without_a_pull_request_is_linked() -> None:
    told = with_engine(issues=(IssueReading(ENGINE, 12, "bug", commits=(sha(3),)),))
    link = f"[`{sha(3)[:9]}`]({WEB}/engine/commit/{sha(3)})"
    assert f"由提交 {link} 关闭" in part(day(told), "### 新 Issue")
    assert "未见修复 PR" not in part(day(told), "### 新 Issue")
    unseen = with_engine(issues=(IssueReading(ENGINE, 12, "bug", commits=("f" * 40,)),))
    assert "由提交 <code>fffffffff</code> 关闭" in part(day(unseen), "### 新 Issue")
    assert f"closed by commit {link}" in day(told, ".en.md")


def test_an_issue_that_was_only_closed_is_told_in_a_folded_line_and_not_as_new() -> None:
    text = own(forge_factory.report())
    assert "An old one" not in part(text, "## 新 Issue（3 条）")
    assert part(text, "## 关闭（2 条）").strip().split("\n")[2:8] == [
        "<details><summary>关闭（2 条）</summary>",
        "",
        f"- Issue [#14]({WEB}/engine/issues/14) An old one · 已关闭",
        f"- PR [#121]({WEB}/engine/pull/121) Never mind（已关闭，未合并）",
        "",
        "</details>",
    ]
    assert "- **GitHub**：新开 Issue 3 · 关闭 Issue 1 · 新开 PR 3 · 合并 PR 2 · 关闭而未合并的 PR 1 · 发布 1\n" in text


@pytest.mark.parametrize(("count", "folded", "in_data"), [(6, 0, 0), (7, 1, 0), (MOST + 5, MOST - 6, 5)])
def test_many_issues_are_folded_and_none_is_left_off_without_a_word(count: int, folded: int, in_data: int) -> None:
    base = forge_factory.forge_day()
    many = tuple(forge_factory.issue(1000 + n) for n in range(count))
    readings = tuple(IssueReading(ENGINE, one.number, "bug") for one in many)
    activity = replace(base.activities[0], issues=(*base.activities[0].issues, *many))
    reading = replace(base.readings[0], issues=readings)
    report = forge_factory.report(
        replace(base, activities=(activity, base.activities[1]), readings=(reading, *base.readings[1:]))
    )
    found = part(day(report, ".en.md"), f"### New issues ({count})")
    shown, _, rest = found.partition("<details>")
    assert shown.count("\n- **bug**") == 6
    assert rest.count("\n- **bug**") == folded
    assert (f"{folded} more</summary>" in rest) == bool(folded)
    assert (f"{in_data} more are in the data file." in rest) == bool(in_data)


# --- changes -----------------------------------------------------------------------------------------------------


def test_a_change_whose_issue_was_opened_again_says_so() -> None:
    base = forge_factory.forge_day()
    reopened = Closer(
        base.activities[0].issues[0].created_at, number=101, reopened_at=base.activities[0].issues[0].created_at
    )
    issues = tuple(replace(x, closers=(reopened,)) if x.number == 11 else x for x in base.activities[0].issues)
    activities = (replace(base.activities[0], issues=issues), *base.activities[1:])
    text = own(forge_factory.report(replace(base, activities=activities)))
    assert "\\[Bug\\]: wrong tokens since the rename（issue 之后又重新打开）。" in part(
        text, "### 🔴 Rename --backend values (#101)"
    )


def test_a_pull_request_gives_its_change_the_authors_words_marked_as_such() -> None:
    text = part(own(forge_factory.report()), "### 🔴 Rename --backend values (#101)")
    pull = f"[#101]({WEB}/engine/pull/101)"
    assert f"- **关闭的 Issue**：[#11]({WEB}/engine/issues/11) \\[Bug\\]: wrong tokens since the rename。" in text
    assert "- **测试**：PR 写明了测试方法。" in text
    assert f"\n{pull} 作者的说明（原文）：\n\n> {WHY}\n" in text
    assert f"\n{pull} 作者给出的数据（原文，未经核实）：\n\n```text\n{NUMBERS}\n```\n" in text
    table = "\n".join(TABLE)
    assert f"\n{pull} 作者给出的数据（原文，未经核实，另有 1 行见 PR）：\n\n```text\n{table}\n```\n" in text
    assert "PR 里还有 2 组数据，这里没有引用。" in text


def test_a_sentence_that_only_repeats_the_pull_request_is_not_told_twice() -> None:
    base = forge_factory.report()
    busy = base.repos[0]
    again = Statement("why", both("PR 说明：`REPEATED`。", "It says `REPEATED`."), (f"pull:{ENGINE}#101",))
    cause = Statement(
        "risk",
        both("`CAUSE` 可能与此有关。", "`CAUSE` may come from this."),
        (f"issue:{ENGINE}#11", f"commit:{sha(1)}"),
    )
    first = replace(busy.entries[0], statements=(*busy.entries[0].statements, again, cause))
    report = replace(base, repos=(replace(busy, entries=(first, *busy.entries[1:])), *base.repos[1:]))
    assert "REPEATED" not in own(report)
    assert f"`CAUSE` 可能与此有关。 [#11]({WEB}/engine/issues/11)" in own(report)
    assert "REPEATED" in own(replace(report, forge=None))


def test_what_a_model_says_of_the_pull_request_is_told_beside_its_words() -> None:
    base = forge_factory.report()
    busy, cites = base.repos[0], (f"pull:{ENGINE}#101",)
    reason = Statement("why", both("`REASON` 是原因。", "`REASON` is why."), cites, author="model")
    number = Statement("impact", both("`NUMBER` 更快。", "`NUMBER` faster."), cites, "performance", author="model")
    first = replace(busy.entries[0], statements=(*busy.entries[0].statements, reason, number))
    report = replace(base, repos=(replace(busy, entries=(first, *busy.entries[1:])), *base.repos[1:]))
    assert "\n`REASON` 是原因。" in own(report)
    assert "NUMBER" not in own(report)  # the table that it is from is quoted
    assert "`NUMBER` faster." in own(replace(report, forge=None), ".en.md")


# --- coming and releases -----------------------------------------------------------------------------------------


def test_what_is_coming_is_told_as_open_with_its_weight() -> None:
    assert part(day(forge_factory.report(), ".en.md"), "### Coming (1)").strip().split("\n")[2] == (
        f"- [#120]({WEB}/engine/pull/120) \\[RFC\\]: drop the old engine (open) · **breaking, RFC, large**"
        " · 80 files +2000 −900 · 7 comments"
    )


def test_a_release_tells_what_it_holds_and_how_much_is_not_shown() -> None:
    found = part(day(forge_factory.report()), "### 发布（1 条）")
    assert (
        f"- **[<code>v1.2.0</code>]({WEB}/engine/releases/tag/v1.2.0)** Release v1.2.0 · 2026-01-19 05:00 · 预发布"
        " · 当日及此前几天的提交中，至少有 2 个首次随它发布 · 发布说明列出 PR 2 个 · 发布说明（原文，未经核实）：\n"
        "  > - Rename #\u2060101 and #\u2060102\n  - Rename --backend values "
    ) in found
    assert "  - 另有 1 个提交，见数据文件。" in found


@pytest.mark.parametrize("tag", ["v1.0", "release/1.0", "a(b)", "v1_0", "x#1", "v%20", "<b>", "日本", "a`b", "@ada"])
def test_any_tag_is_linked_by_an_address_that_is_made_of_it(tag: str) -> None:
    base = forge_factory.forge_day()
    activity = replace(base.activities[1], releases=(forge_factory.release(tag),))
    reading = RepoForge(activity.repo, releases=(ReleaseReading(activity.repo, tag),))
    told = ForgeDay((base.activities[0], activity), (base.readings[0], reading), CrossForge())
    assert "### 发布（1 条）" in part(day(forge_factory.report(told)), "## acme/quiet")


# --- across ------------------------------------------------------------------------------------------------------


def test_what_runs_between_projects_is_a_section_of_the_day_page_alone() -> None:
    text = day(forge_factory.report())
    assert text.index("## 摘要") < text.index("## 跨项目联动") < text.index("## 按仓库")
    assert "跨项目联动" not in own(forge_factory.report())
    found = part(text, "## 跨项目联动")
    assert found.count("发布 <code>v0.2.0</code> →") == 1, "the story's own statement is not told again"
    assert (
        "  - acme/engine 的 <code>quiet</code> 从 <code>0.1.0</code> 更新到 <code>0.2.0</code>（acme/quiet）" in found
    )
    assert "    - 随之带来主线上 2 个提交。" in found
    assert "- **可能** acme/engine 的 <code>quiet-fork</code>" in found
    assert "（acme/quiet，按名称推断是同一个项目）" in found
    assert "- **可能** <code>acme/quiet</code> 有 <code>--backend</code>。" in found
    assert "<details><summary>互相提及（2 条）</summary>" in found
    assert "还有 3 处提及没有列出。" in found


def test_a_quiet_day_between_projects_has_no_such_section() -> None:
    quiet = replace(forge_factory.forge_day(), across=CrossForge(), statements=())
    assert "跨项目联动" not in day(forge_factory.report(quiet))


def test_a_sentence_that_no_value_tells_is_told() -> None:
    said = Statement("what", both("`acme/quiet` 另有一事。", "Something else of `acme/quiet`."), ("repo:acme/quiet",))
    base = forge_factory.forge_day()
    assert "- `acme/quiet` 另有一事。" in day(forge_factory.report(replace(base, statements=(*base.statements, said))))


# --- what is not there -------------------------------------------------------------------------------------------


def test_what_was_not_asked_for_is_told_with_how_to_get_it() -> None:
    rows = (
        (".md", "设置 GITHUB_TOKEN", "acme/quiet（GitHub）：其余（closed issues）"),
        (".en.md", "Set GITHUB_TOKEN", "acme/quiet on GitHub: the rest (closed issues)"),
    )
    for language, words, what in rows:
        text = part(day(forge_factory.report(), language), "## 附录" if language == ".md" else "## Appendix")
        assert what in text
        assert words in text
    assert "> 1 个仓库在 GitHub 上的部分内容没有查询" in day(forge_factory.report()).split("\n## ")[0]
    assert "GITHUB_TOKEN" not in own(forge_factory.report())


def test_a_list_that_did_not_come_is_skipped_and_says_nothing_of_commits() -> None:
    lost = Skipped("acme/quiet on GitHub: issues", "GitHub does not answer")
    base = forge_factory.forge_day()
    activity = Activity("acme/quiet", skipped=(lost,))
    forge = replace(base, activities=(base.activities[0], activity), readings=base.readings[:1], across=CrossForge())
    told = AllChecks().day(forge_factory.report(replace(forge, statements=())))
    assert told.repos[1].skipped == (lost,), "what the forge lacks is counted, whoever joined it"
    text = day(told)
    assert "未能处理 3" in text.split("\n")[4]
    assert text.count("acme/quiet（GitHub）：issue：GitHub 没有响应。") == 2
    assert "当日无更新。" in part(text, "## acme/quiet")
    assert "有列表未取全，数字是下限" in pages(told)["reports/2026-01-19/acme-quiet.md"]


def test_a_quiet_repository_with_a_release_is_not_called_without_updates() -> None:
    found = part(day(forge_factory.report()), "## acme/quiet")
    assert "窗口内没有新提交。" in found
    assert "无更新" not in found


def test_a_repository_that_was_not_asked_has_none_of_it() -> None:
    base = forge_factory.forge_day()
    report = forge_factory.report(ForgeDay(base.activities[1:], base.readings[1:]))
    assert "GitHub" not in own(report)
    assert "新 Issue" not in day(report)


def test_without_a_forge_the_pages_are_as_before() -> None:
    for page in markdown_pages(day_of(replace(forge_factory.report(), forge=None))):
        assert "GitHub" not in page.text
        assert "Issue" not in page.text


def test_a_repository_without_a_web_address_gets_no_links() -> None:
    base = forge_factory.report()
    local = replace(base.repos[0], repo=replace(base.repos[0].repo, url="/git/engine"))
    found = markdown_pages(day_of(replace(base, repos=(local, *base.repos[1:]))))
    text = part(found[0].text, "### 新 Issue")
    assert "](" not in text
    assert "<code>&#35;11</code>" in text


def test_both_editions_say_the_same_things() -> None:
    found = pages(forge_factory.report())
    for path in [p for p in found if p.endswith(".md") and not p.endswith(".en.md")]:
        zh, en = found[path], found[path.removesuffix(".md") + ".en.md"]
        for pattern in (r"/(?:commit|pull|issues|releases/tag)/\w+", r"(?m)^#+ ", r"(?m)^ *(?:-|\d+\.) ", r"<details>"):
            assert len(re.findall(pattern, zh)) == len(re.findall(pattern, en)), (path, pattern)


def test_same_data_same_bytes() -> None:
    assert pages(forge_factory.report()) == pages(forge_factory.report())


def test_the_check_lets_true_values_stand() -> None:
    checked = AllChecks().day(forge_factory.report())
    assert checked.forge == forge_factory.forge_day()


def test_kinds_and_reasons_all_have_words() -> None:
    kinds = ("regression", "accuracy", "bug", "performance", "install", "rfc", "feature", "question", "other")
    reasons = ("breaking", "rfc", "large")
    issues = tuple(forge_factory.issue(number) for number in range(11, 20))
    open_pulls = tuple(forge_factory.pull(number, state="open") for number in range(120, 123))
    forge = forge_factory.forge_day()
    activity = replace(forge.activities[0], issues=issues, pulls=(*forge.activities[0].pulls[:2], *open_pulls))
    reading = replace(
        forge.readings[0],
        issues=tuple(IssueReading(ENGINE, n, kind) for n, kind in enumerate(kinds, 11)),  # type: ignore[arg-type]
        coming=tuple(Coming(ENGINE, n, (reason,)) for n, reason in enumerate(reasons, 120)),  # type: ignore[arg-type]
    )
    report = forge_factory.report(
        replace(forge, activities=(activity, forge.activities[1]), readings=(reading, forge.readings[1]))
    )
    assert part(day(report), "### 新 Issue（9 条）").count("\n- **") == 9
    assert part(day(report), "### 即将到来（3 条）").count("\n- ") == 3


def test_a_reading_without_its_item_is_passed_over() -> None:
    report = with_engine(
        issues=(IssueReading(ENGINE, 999, "bug"),),
        coming=(Coming(ENGINE, 999, ("large",)),),
        releases=(ReleaseReading(ENGINE, "v9"),),
        pulls=(PullReading(ENGINE, 999, WHY, claims=(Claim((NUMBERS,)),)),),
    )
    assert "新 Issue" not in day(report)
    assert BODY not in day(report)
    assert factory.sha(1) in day(report)

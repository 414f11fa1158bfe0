"""The pages of a day: order, head, links, and what they say when something is missing."""

from __future__ import annotations

import os
import re

import pytest
from msgspec.structs import replace

from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Page, RepoReport
from daybreak.core.model.statements import Level, Statement
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.render.day_page import WORDS
from daybreak.report.render.escape import JOINER
from daybreak.report.render.markdown import markdown_pages
from render import factory


def pages(report: Judgement) -> dict[str, str]:
    return {page.path: page.text for page in markdown_pages(day_of(report))}


def day(report: Judgement, ending: str = ".md") -> str:
    return pages(report)[f"reports/2026-01-19{ending}"]


@pytest.mark.parametrize(("ending", "told"), [(".md", " 再来。再来。"), (".en.md", " Again. Again.")])
def test_a_sentence_after_links_is_apart_from_them(ending: str, told: str) -> None:
    whole = factory.report()
    first = whole.repos[0].entries[0].change
    said = [
        Statement("what", {"zh": "先看。", "en": "Look."}, (f"commit:{first.sha}",)),
        Statement("what", {"zh": "再来。", "en": "Again."}, (f"repo:{whole.repos[0].repo.name}",)),
        Statement("what", {"zh": "再来。", "en": "Again."}, (f"repo:{whole.repos[0].repo.name}",)),
    ]
    repo = replace(whole.repos[0], assessment=tuple(said))
    text = day(replace(whole, repos=(repo, *whole.repos[1:])), ending)
    assert f"{first.sha}){told}" in text


def test_what_a_model_says_of_a_repository_is_a_list_below_its_counts() -> None:
    whole = factory.report()
    name, first = whole.repos[0].repo.name, whole.repos[0].entries[0].change
    said = (
        Statement("what", {"zh": "2 个提交。", "en": "2 commits."}, (f"repo:{name}",)),
        Statement("what", {"zh": "先看。", "en": "Look."}, (f"commit:{first.sha}",), author="model"),
        Statement("what", {"zh": "再来。", "en": "Again."}, (f"repo:{name}",), author="model"),
    )
    report = replace(whole, repos=(replace(whole.repos[0], assessment=said), *whole.repos[1:]))
    text = day(report, ".en.md")
    assert "## acme/engine\n\n" in text
    assert "\n\n2 commits.\n\n- Look. [" in text
    assert f"{first.sha})\n- Again.\n\n" in text
    assert "\n\n2 commits.\n\n- Look. [" in pages(report)["reports/2026-01-19/acme-engine.en.md"]


def depth(report: Judgement, ending: str = ".md") -> str:
    return pages(report)[f"reports/2026-01-19/acme-engine{ending}"]


def headings(text: str) -> list[str]:
    outside = re.sub(r"(?ms)^(`{3,})diff$.*?^\1$", "", text)
    return re.findall(r"(?m)^#+ .*$", outside)


def test_every_language_has_a_day_page_and_a_page_for_each_repository() -> None:
    assert list(pages(factory.report())) == [
        "reports/2026-01-19.md",
        "reports/2026-01-19/acme-engine.md",
        "reports/2026-01-19/acme-quiet.md",
        "reports/2026-01-19/acme-lost.md",
        "reports/2026-01-19.en.md",
        "reports/2026-01-19/acme-engine.en.md",
        "reports/2026-01-19/acme-quiet.en.md",
        "reports/2026-01-19/acme-lost.en.md",
    ]


def test_the_main_edition_is_the_first_language() -> None:
    found = pages(factory.report(languages=("en", "zh")))
    assert "> Window " in found["reports/2026-01-19.md"]
    assert "> 窗口 " in found["reports/2026-01-19.zh.md"]


def test_names_that_would_share_a_page_do_not() -> None:
    one = replace(factory.quiet(), repo=factory.repo("a-b/c"))
    two = replace(factory.quiet(), repo=factory.repo("a/b-c"))
    found = pages(factory.report(one, two, languages=("zh",)))
    assert list(found)[1:] == ["reports/2026-01-19/a-b-c.md", "reports/2026-01-19/a-b-c-2.md"]


def test_the_head_has_the_agreed_form() -> None:
    whole = factory.report(replace(factory.busy(), skipped=()), factory.quiet())
    assert day(whole).split("\n")[:5] == [
        "<!-- daybreak.report/1 -->",
        "",
        "# AI Infra 日报 · 2026-01-19",
        "",
        "> 窗口 2026-01-19 00:00 – 24:00（Asia/Shanghai）· 2 个仓库 · 提交 8 / 8 · 🔴 2 🟡 2 🟢 3 · 破坏性变更（现有用法可能失效或改变） 1 · 未能处理 0 · 已过滤 1 · 迟到 1",
    ]
    assert (
        "> Window 2026-01-19 00:00 – 24:00 (Asia/Shanghai) · 2 repositories · commits 8 / 8 · 🔴 2 🟡 2 🟢 3 · breaking (existing use may fail or change) 1"
        " · not processed 0 · filtered 1 · late 1"
    ) in day(whole, ".en.md").split("\n")[:10]


def test_a_repository_page_has_its_own_counts() -> None:
    found = pages(factory.report())
    head = found["reports/2026-01-19/acme-quiet.en.md"].split("\n")[:10]
    assert (
        "· 1 repository · commits 0 / 0 · 🔴 0 🟡 0 🟢 0 · breaking (existing use may fail or change) 0 · not processed 0"
        in head[4]
    )
    assert "commits 0 / ? ·" in found["reports/2026-01-19/acme-lost.en.md"].split("\n")[4]
    assert "提交 8 / ≥ 8 ·" in day(factory.report())


def test_an_open_window_says_so() -> None:
    assert "窗口尚未结束" in day(factory.report(open_=True)).split("\n")[4]
    assert "当日无更新" not in day(factory.report(open_=True))


def test_a_breaking_commit_that_no_action_names_stands_under_the_actions() -> None:
    told = replace(factory.report(), actions=())
    zh, en = (day(told, ending).split("\n## ")[1] for ending in (".md", ".en.md"))
    where = "[acme/engine](2026-01-19/acme-engine"
    assert f"另有 1 个提交是破坏性变更：\n\n- {where}" in zh
    assert f"1 more commit breaks existing use:\n\n- {where}" in en
    for page, named in ((zh, "「Rename --backend values」"), (en, "“Rename --backend values”")):
        assert f"· {named} " in page.split("\n- ")[-1], "whose it is, then its title"
        assert f"[`{factory.sha(1)[:9]}`](https://github.com/acme/engine/commit/{factory.sha(1)})" in page
    assert "breaks existing use:" not in day(factory.report(), ".en.md")


def test_a_page_that_was_completed_says_what_it_lacked_at_first() -> None:
    late = replace(factory.busy(), completed=("acme/engine 1a2b3c4d5 a|b.py", "acme/engine"))
    text = day(factory.report(late, factory.quiet()), ".en.md")
    told = "This page was completed later: 2 things that could not be had or read at first are in it now."
    assert f"> {told}" in text.split("\n## ")[0]
    assert f"- {told} acme/engine 1a2b3c4d5 a&#124;b.py, acme/engine" in text
    assert "completed later" not in day(factory.report(), ".en.md")


def test_the_first_screen_is_what_to_do() -> None:
    assert [h for h in headings(day(factory.report())) if h.startswith("## ")] == [
        "## 需要行动",
        "## 摘要",
        "## 按仓库",
        "## acme/engine",
        "## acme/lost",
        "## acme/quiet",
        "## 总结",
        "## 附录 · 如何核对",
    ]


def test_nothing_to_act_on_is_said_plainly() -> None:
    assert "未发现升级前需要处理的改动。" in day(factory.report(factory.quiet()))
    assert "Nothing was found that asks for action before an upgrade." in day(factory.report(factory.quiet()), ".en.md")


def test_what_was_skipped_stands_before_everything_else() -> None:
    text = day(factory.report())
    assert text.index("⚠️ **未能处理**") < text.index("## 需要行动")
    assert text.count("the repository 没有响应") == 3  # block, section, appendix
    assert day(factory.report(), ".en.md").count("the repository does not answer") == 3


def test_no_update_is_said_only_when_git_says_so() -> None:
    text = day(factory.report())
    assert text.count("当日无更新") == 1
    assert text.index("## acme/quiet") < text.index("当日无更新")
    doubtful = replace(factory.quiet(), skipped=factory.lost().skipped)
    assert "当日无更新" not in day(factory.report(doubtful))
    assert "No updates" not in day(factory.report(doubtful), ".en.md")
    assert "当日无更新" not in day(factory.report(factory.lost()))


def test_a_numbered_subject_is_the_heading_verbatim() -> None:
    assert "### 🔴 Rename --backend values (#101)" in headings(depth(factory.report()))


def test_a_heading_without_number_carries_the_commit() -> None:
    sha = factory.sha(2)
    link = f"[`{sha[:9]}`](https://github.com/acme/engine/commit/{sha})"
    assert f"### 🔴 {link} Change the default of flashinfer" in headings(depth(factory.report()))


def test_the_decisive_hunk_stands_in_a_longer_fence() -> None:
    assert f"\n````diff\n{factory.FENCED}\n````\n" in depth(factory.report())
    assert f"\n```diff\n{factory.PATCH}\n```\n" in depth(factory.report())


def test_every_commit_is_a_row_of_the_table() -> None:
    sha = factory.sha(5)
    assert (
        f"| 2026-01-19 19:55:00 | Ada L. | docs: \\*\\*read\\*\\* me @{JOINER}ada #{JOINER}7 (#{JOINER}105) "
        f"| [`{sha[:9]}`](https://github.com/acme/engine/commit/{sha}) |"
    ) in depth(factory.report())
    assert depth(factory.report()).count("\n| 2026-01-19 ") == 8
    assert re.search(r"\| Update website \| .* · 已过滤 \|", depth(factory.report()))
    assert re.search(r"\| Add weights \| .* · 未能读取 \|", depth(factory.report()))


def rows(text: str) -> list[list[str]]:
    """Cells of the rows that list commits on the page of the day."""
    return [line.strip("| ").split(" | ") for line in text.split("\n") if re.match(r"\| .{0,3}\[[#`]", line)]


@pytest.mark.parametrize("ending", [".md", ".en.md"])
def test_every_commit_stands_once_in_the_listing_of_the_day(ending: str) -> None:
    report = factory.report()
    text = day(report, ending)
    told = {sha for one in report.actions for sha in one.commits}
    for entry in report.repos[0].entries:
        sha = entry.change.sha
        assert sum(f"/commit/{sha})" in cells[0] for cells in rows(text)) == (sha not in told), entry.change.subject


def test_a_row_has_the_sentence_of_its_change_and_else_a_dash() -> None:
    long = "word " * 40
    said = Gist(factory.both(f"代码注释写道：「{long}end.」", f"A comment says: “{long}end.”"), "comment")
    told = replace(factory.entry(factory.change(1, "Do this (#1)", pr=1)), gist=said)
    mute = factory.entry(factory.change(2, "Do that (#2)", pr=2))
    one = RepoReport(factory.repo(), "main", told.change.sha, (told, mute), in_git=2)
    text = day(replace(factory.report(one), actions=()), ".en.md")
    first, second = ([cell.strip() for cell in cells] for cells in rows(text))
    assert first[1:] == ["Do this", "A comment says: “" + ("word " * 17).strip() + "…”"]
    assert len(first[2].split()) == WORDS
    assert second[1:] == ["Do that", "–"]


def test_the_page_of_the_day_counts_no_files_and_gives_no_reasons_of_grades() -> None:
    text = day(factory.report(), ".en.md")
    body = text[: text.index("## Appendix")]
    assert not re.search(r"\d+ files?\b|\(\+\d+ −\d+\)|Why (?:high|medium|low)", body)


def test_a_subject_that_cannot_be_shown_is_not_called_exact() -> None:
    odd = factory.entry(factory.change(1, "Fix \x1b[31mred (#5)", pr=5), "high")
    text = depth(factory.report(RepoReport(factory.repo(), "main", odd.change.sha, (odd,), in_git=1)))
    assert "\x1b" not in text
    assert "| 2026-01-19 19:59:00  | Ada L. | Fix red" in text
    assert not any(h.endswith("(#5)") for h in headings(text))


def test_merges_tell_what_they_brought_in() -> None:
    text = depth(factory.report())
    shown = [factory.sha(n) for n in range(40, 45)]
    assert all(f"[`{s[:9]}`](https://github.com/acme/engine/commit/{s})" in text for s in shown)
    assert "合并带入 8 个提交" in text
    assert "其余 3 个见合并提交" in text


def test_late_arrivals_stand_apart_with_their_date() -> None:
    text = day(factory.report(), ".en.md")
    part = text[text.index("### Late arrivals") :]
    assert re.search(r"\| 🟡 \[#99\]\(\S+\) \S+ \| 2026-01-17 00:00:00 · Old fix \|", part)


def test_a_story_counts_earlier_commits_it_cannot_date() -> None:
    line = next(x for x in day(factory.report(), ".en.md").split("\n") if x.startswith("- **Follow-up fix**"))
    assert "2026-01-17 00:00:00 Old fix" in line
    assert "and 1 earlier commit." in line
    assert "Net effect: restored." in line
    assert "from 2026-01-19 00:00 to 2026-01-19 02:00" in line


def test_a_rewritten_branch_is_said_without_a_dead_link() -> None:
    text = day(factory.report())
    assert "分支历史被改写" in text
    assert factory.sha(77) not in text


def test_an_empty_commit_says_so_in_its_row() -> None:
    assert "空提交" in day(factory.report())


def test_scope_counts_files_and_lines() -> None:
    files = tuple(factory.file(f"a/{n}.py", n, 1) for n in range(1, 17))
    one = factory.entry(factory.change(1, "Big (#5)", pr=5, files=files), "high")
    text = depth(factory.report(RepoReport(factory.repo(), "main", one.change.sha, (one,), in_git=1)))
    shown = "、".join(f"`a/{n}.py` (+{n} −1)" for n in range(16, 8, -1))
    assert f"- **范围**：{shown}，另有 8 个文件。" in text


def test_a_file_that_the_change_does_not_touch_is_no_claim() -> None:
    assert "<code>README.md</code>" in day(factory.report())
    assert "`README.md`" not in day(factory.report())


def test_the_contents_lead_to_every_change() -> None:
    text = pages(factory.report())["reports/2026-01-19/acme-engine.md"]
    targets = re.findall(r"\]\(#([^)]+)\)", text)
    ids = re.findall(r'<a id="([^"]+)"></a>', text)
    assert len(ids) == len(set(ids))
    assert set(targets) <= set(ids)
    assert {f"c-{factory.sha(n)[:9]}" for n in (1, 2, 3, 4, 5, 6, 8)} <= set(targets)


def test_statistics() -> None:
    text = pages(factory.report())["reports/2026-01-19/acme-engine.en.md"]
    assert "- **Kinds**: fix 3 · docs 1 · feature 1 · CI 1 · other 1" in text.replace(
        "feature 1 · docs 1", "docs 1 · feature 1"
    )
    assert "- **Authors**: 1" in text
    assert "- **Most touched**: `engine` 7" in text
    assert "- **Importance**: 🔴 2 🟡 2 🟢 3" in text


def test_the_appendix_says_how_it_was_checked() -> None:
    text = day(factory.report())
    assert (
        "陈述 9 条：7 条能追溯到 diff（这不等于结论已被证明），追溯不到而删去 2 条（删去原因：证据不存在 2）。" in text
    )
    assert text.rstrip().endswith("[机器可读数据](2026-01-19.json)")


def test_a_rebuilt_day_says_what_was_added() -> None:
    text = day(factory.report(replace(factory.busy(), revised=(factory.sha(3),))), ".en.md")
    assert text.count("1 commit that appeared after the first report was added.") == 2


def test_both_editions_say_the_same_things() -> None:
    found = pages(factory.report())
    for path in [p for p in found if not p.endswith(".en.md")]:
        zh, en = found[path], found[path.removesuffix(".md") + ".en.md"]
        for pattern in (r"/(?:commit|pull)/\w+", r"(?m)^\| .* \|$", r"(?m)^#+ ", r"(?m)^ *(?:-|\d+\.) "):
            assert len(re.findall(pattern, zh)) == len(re.findall(pattern, en)), (path, pattern)


def test_same_data_same_bytes() -> None:
    assert pages(factory.report()) == pages(factory.report())


def test_nothing_hostile_takes_effect() -> None:
    evil = "<img src=x> [a](http://evil.example) @ada `x` | **b** :tada: (#7)"
    one = factory.change(1, evil, pr=7, author=evil, files=(factory.file(evil + ".py"),))
    levels: list[Level] = ["high", "medium", "low"]
    graded = [factory.entry(replace(one, sha=factory.sha(n)), level) for n, level in enumerate(levels, 1)]
    late = factory.entry(replace(one, sha=factory.sha(4)), "high")
    part = RepoReport(factory.repo(), evil, None, tuple(graded), (late,), in_git=3)
    found = markdown_pages(day_of(factory.report(part)))
    for page in found:
        outside = _without_code(page)
        assert "<img" not in outside
        assert "http://evil.example" not in outside
        assert "@ada" not in outside
        assert ":tada:" not in outside


def _without_code(page: Page) -> str:
    return re.sub(r"`[^`\n]+`", "", re.sub(r"(?ms)^(`{3,})diff$.*?^\1$", "", page.text))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_golden(language: str) -> None:
    """One small page, word for word: a change of form is seen in review."""
    one = factory.entry(factory.change(1, "Rename --backend values (#101)", pr=101), "high", breaking=True)
    two = factory.entry(factory.change(2, "Tidy up"), "low", "refactor")
    small = RepoReport(factory.repo(), "main", one.change.sha, (one, two), in_git=2)
    text = markdown_pages(day_of(factory.report(small, languages=(language,))))[0].text
    golden = factory.HERE / f"golden.{language}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")

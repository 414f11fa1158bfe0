"""Patterns are tried sparingly, only where one of their words stands: nothing is lost by it."""

from __future__ import annotations

import pytest

from daybreak.core.markdown_page import Page
from daybreak.verify import commit_checks, file_checks, page_checks, verifying
from daybreak.verify.context import _ADVICE_IN, _IMPACT_IN, NOT_MERGED_IN, Sieve

SAID = {
    _ADVICE_IN: "关注建议|潜在风险|风险 与|建议：|**建议|对开发者|对使用者|关键风险|技术洞察|后续关注|Recommendations"
    "|suggested|Suggestions|advice|Potential risks|risk and|next steps|What to watch",
    _IMPACT_IN: "影响范围|影响模块|Affected modules",
    NOT_MERGED_IN: "open|Opened|draft|coming|unmerged|closed|proposed|WIP|todo|pending|未合并|未合入|进行中|即将|开放|草稿|待合|评审|计划|提议",
    verifying._NONE_IN: "无更新|没有更新|暂无更新|无新提交|没有新提交|无提交|没有提交|No updates|no new commits|no changes",
    page_checks._TEXT[0]: "patch_truncated|finish_reason|prompt_tokens|completion_tokens",
    page_checks._BARE[0]: "内容已截断|补丁被截断|patch 完整，未截断|The Diff was truncated",
    page_checks._BARE[1]: '"sha": "|"patch": {|"html_url": "',
    page_checks._BARE[
        2
    ]: "<think>|[INST]|[/INST]|<<SYS>>|As an AI model|I cannot browse|I can't access the|my knowledge cutoff"
    "|作为一个AI模型|作为 人工智能助手|system prompt:|Here is the report you|以下是根据您的要求",
    page_checks._BARE[3]: "{{ name }}|${HOME_DIR}|[TODO]|[INSERT here]|[PLACEHOLDER]",
    commit_checks._LABELLED_IN: "作者：A|提交者: A|Authors: A|committed by: A|by: A",
    commit_checks._DATED_IN: "提交时间：2026-01-01|日期: 2026-01-01|Date: 2026-01-01|Committed on: 2026-01-01|Time: 2026-01-01",
    file_checks._TOTAL_IN: "累计 12 行|共计 12 行|合计 12 行|总计 12 行|共 12 行|in total 12 lines|totaling 12 lines",
    file_checks._OF_COMMIT_IN: "4 个文件 +7 -7|4 files changed, +7 -7|1 file +1 -0",
}


@pytest.mark.parametrize(("sieve", "said"), SAID.items(), ids=[f"pattern {n}" for n in range(len(SAID))])
def test_a_pattern_that_is_spared_would_have_found_nothing(sieve: Sieve, said: str) -> None:
    for words in said.split("|"):
        assert sieve.pattern.search(words), words
        for text in {words, words.upper(), words.lower(), words.title()}:
            at = sieve.on(Page("r.md", f"# Report\n\n{text}\n"))(text)
            real = sieve.pattern.search(text)
            assert (at and at.span()) == (real and real.span()), text
    assert sieve.on(Page("r.md", "# Report\n\nNothing to see.\n"))("Nothing to see.") is None


def test_letters_that_only_patterns_take_for_others_are_searched_for() -> None:
    text = "potential ri\u017fks"
    assert _ADVICE_IN.on(Page("r.md", text))(text)
    assert not _ADVICE_IN.on(Page("r.md", "potential tasks"))("potential tasks")

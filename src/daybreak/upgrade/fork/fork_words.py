"""The phrases of the fork report, and its parts in the order in which every form shows them.

`{n:file|files}` is the word for one, and for any other number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter

from daybreak.core.model.changes import Repo
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import ForkReport, ForkTouch, Overlap

ORDER: tuple[Overlap, ...] = ("conflict", "hunk", "symbol", "file")
FILES_SHOWN = 20
"""Changes that merely touch the same file; the rest is counted."""

WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "title": "fork 与上游",
        "sides": "{branch} 自 {base} 以来有 {ours} 个自有提交，{upstream} 有 {theirs} 个新提交",
        "merges": "合并 {upstream}：无冲突",
        "conflicts": "合并 {upstream}：{n} 个文件冲突",
        "untried": "合并 {upstream}：未能尝试",
        "conflict": "与我们的补丁冲突",
        "hunk": "改动同一处代码行",
        "symbol": "改动同一函数、类或名字",
        "file": "改动同一文件",
        "picks": "可直接 cherry-pick 的小修复",
        "order": "已逐个并按此顺序试过，均能干净应用",
        "ours": "我们的提交",
        "names": "名字",
        "none": "上游没有改动涉及我们的补丁。",
        "nopicks": "没有可直接应用的小修复。",
        "skipped": "未能处理 {n} 项",
        "more": "另有 {n} 项",
        "colon": "：",
        "comma": "、",
        "stop": "。",
    },
    "en": {
        "title": "Fork and upstream",
        "sides": "{branch} has {ours} {ours:commit|commits} of its own since {base}, {upstream} has {theirs} new {theirs:one|ones}",
        "merges": "Merging {upstream}: no conflicts",
        "conflicts": "Merging {upstream}: conflicts in {n} {n:file|files}",
        "untried": "Merging {upstream}: could not be tried",
        "conflict": "Conflict with our patches",
        "hunk": "Touch the same lines",
        "symbol": "Touch the same function, class or name",
        "file": "Touch the same file",
        "picks": "Small fixes to cherry-pick",
        "order": "Each was tried alone and in this order, and applies cleanly",
        "ours": "our commits",
        "names": "names",
        "none": "No upstream change touches our patches.",
        "nopicks": "No small fix applies as it is.",
        "skipped": "{n} could not be handled",
        "more": "{n} more",
        "colon": ": ",
        "comma": ", ",
        "stop": ".",
    },
}


class _Counting(Formatter):
    """Knows the words that go with a number."""

    def format_field(self, value: object, format_spec: str) -> str:
        one, bar, many = format_spec.partition("|")
        return (one if value == 1 else many) if bar else str(value)


class ForkWords:
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        self.language = language if language in WORDS else "en"

    def __call__(self, key: str, **values: object) -> str:
        phrase = WORDS[self.language][key]
        return _Counting().vformat(phrase, (), values) if values else phrase

    def say(self, text: Text) -> str:
        """The sentence in this language, or in the first one it has."""
        return text.get(self.language) or next(iter(text.values()), "")

    def verdict(self, report: ForkReport, upstream: str) -> str:
        """Whether it still merges."""
        if report.merges is None:
            return self("untried", upstream=upstream)
        return self("merges" if report.merges else "conflicts", upstream=upstream, n=len(report.conflicts))


def by_overlap(report: ForkReport) -> Iterator[tuple[Overlap, list[ForkTouch]]]:
    """Strongest first; kinds that nothing has are left out."""
    for overlap in ORDER:
        found = [touch for touch in report.touches if touch.overlap == overlap]
        if found:
            yield overlap, found


def shown(overlap: Overlap, found: list[ForkTouch]) -> list[ForkTouch]:
    """All of them, but only the newest of those that merely share a file."""
    return found[:FILES_SHOWN] if overlap == "file" else found


def subjects(report: ForkReport) -> dict[str, str]:
    """First lines of messages by sha, of both sides."""
    return {entry.change.sha: entry.change.subject for entry in report.theirs} | dict(report.subjects)


def upstream_repo(report: ForkReport) -> Repo:
    return report.repo or Repo("upstream", "", "")

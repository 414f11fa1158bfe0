"""The first lines of an upgrade report: how much there is, what breaks and where, and whether an end is at fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Statement
from daybreak.core.model.upgrade import Net, Outage, Span
from daybreak.judge.tally import tally
from daybreak.judge.wording import code, plural, say

SURFACE_NAMES: dict[str, tuple[str, str]] = {
    "python": ("Python API", "Python API"),
    "cli": ("命令行", "command line"),
    "environment": ("环境变量", "environment"),
    "config": ("配置", "configuration"),
    "server": ("服务接口", "server API"),
    "metrics": ("指标", "metrics"),
    "operators": ("算子与 C++/CUDA", "operators and C++/CUDA"),
    "extension": ("扩展点", "extension points"),
    "dependencies": ("依赖", "dependencies"),
    "hardware": ("硬件", "hardware"),
    "models": ("模型", "models"),
    "behaviour": ("行为", "behaviour"),
}
"""In the order in which a report shows them."""
_CITED = 8
_SHA = re.compile(r"[0-9a-fA-F]{7,64}")


def range_summary(
    span: Span,
    entries: Sequence[Entry],
    left: Sequence[Entry],
    nets: Sequence[tuple[Net, str]],
    outages: Sequence[Outage],
    skipped: Sequence[Skipped],
) -> tuple[Statement, ...]:
    """Up to five statements; each net comes with the surface it belongs to."""
    where = f"repo:{span.repo.name}"
    if not entries and not left:
        zh, en = _ends(span)
        text = say(
            f"{zh[0]} 与 {zh[1]} 之间没有需要升级的提交。",
            f"Between {en[0]} and {en[1]} there are no commits to take over.",
        )
        return (Statement("what", text, (where,)),)
    return (
        *_counts(where, span, entries),
        *_breaks(where, entries, nets),
        *_faults(where, span, outages),
        *_left(where, span, left),
        *_unread(where, skipped),
    )


def _ends(span: Span) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both ends in Chinese and in English; a sha is no name that a sentence is better for."""
    start = ("起点", "the start") if _SHA.fullmatch(span.start.name) else (code(span.start.name),) * 2
    end = ("终点", "the end") if _SHA.fullmatch(span.end.name) else (code(span.end.name),) * 2
    return (start[0], end[0]), (start[1], end[1])


def _counts(where: str, span: Span, entries: Sequence[Entry]) -> Iterator[Statement]:
    if not entries or not span.repo.url:  # the one change between two folders of sources is made up
        return
    t = tally(entries)
    zh, en = _ends(span)
    text = say(
        f"{zh[0]} → {zh[1]}：{t.commits} 个提交；重要度{t.levels_zh()}。",
        f"From {en[0]} to {en[1]}: {plural(t.commits, 'commit')}; importance {t.levels_en()}.",
    )
    yield Statement("what", text, (where,))


def _breaks(where: str, entries: Sequence[Entry], nets: Sequence[tuple[Net, str]]) -> Iterator[Statement]:
    found = [(net, surface) for net, surface in nets if net.finding.breaking]
    if not found:
        if any(entry.breaking and not any(f.breaking for f in entry.reading.findings) for entry in entries):
            text = say(
                "两端之间没有读出逐项的破坏性变更；可能影响现有用法的改动另列一节。",
                "No name or setting was found to break between the ends; changes that may break existing use have their "
                "own section.",
            )
            yield Statement("what", text, (where,), "compatibility")
        elif entries:
            text = say("规则没有识别出破坏性变更。", "The rules see nothing that breaks existing use.")
            yield Statement("what", text, (where,), "compatibility")
        return
    counts = Counter(surface for _, surface in found)
    named = [(SURFACE_NAMES[name], counts[name]) for name in SURFACE_NAMES if counts[name]]
    zh = "、".join(f"{name[0]} {count}" for name, count in named)
    en = ", ".join(f"{name[1]} {count}" for name, count in named)
    text = say(
        f"需要处理的破坏性变更 {len(found)} 项：{zh}。",
        f"{plural(len(found), 'breaking change')} to handle: {en}.",
    )
    cited = tuple(f"finding:{net.finding.id}" for net, _ in found[:_CITED])
    yield Statement("action", text, (where, *cited), "compatibility")


def _faults(where: str, span: Span, outages: Sequence[Outage]) -> Iterator[Statement]:
    zh, en = _ends(span)
    inside = sum(o.holds_end for o in outages)
    if inside:
        text = say(
            f"{zh[1]} 带有 {inside} 项之后才修复的问题，切换前请确认。",
            f"In {en[1]} there {'is' if inside == 1 else 'are'} {plural(inside, 'fault')} that a later change repairs;"
            " check before you switch.",
        )
        yield Statement("risk", text, (where,))
    mended = sum(o.holds_start and not o.holds_end for o in outages)
    if mended:
        text = say(
            f"{zh[0]} 中的 {mended} 项问题在 {zh[1]} 里已修复。",
            f"{plural(mended, 'fault')} of {en[0]} {'is' if mended == 1 else 'are'} repaired in {en[1]}.",
        )
        yield Statement("impact", text, (where,))
    between = len(outages) - inside - mended
    if between:
        text = say(
            f"区间内主分支{'另' if inside or mended else ''}有 {between} 次出现问题后修复，两端都不受影响。",
            f"Within the range main was at fault {plural(between, 'more time' if inside or mended else 'time')} and"
            " repaired; neither end is affected.",
        )
        yield Statement("what", text, (where,))


def _left(where: str, span: Span, left: Sequence[Entry]) -> Iterator[Statement]:
    if left:
        zh, en = _ends(span)
        text = say(
            f"{zh[0]} 上的 {len(left)} 个提交不在 {zh[1]} 中。",
            f"{plural(len(left), 'commit')} of {en[0]} {'is' if len(left) == 1 else 'are'} not in {en[1]}.",
        )
        yield Statement("risk", text, (where,))


def _unread(where: str, skipped: Sequence[Skipped]) -> Iterator[Statement]:
    if skipped:
        text = say(
            f"未能处理 {len(skipped)} 项，原因见附录。",
            f"{plural(len(skipped), 'item')} could not be handled; the appendix says why.",
        )
        yield Statement("risk", text, (where,))

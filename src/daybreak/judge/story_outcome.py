"""What a story says: the state at the end of the window, in both languages."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Area
from daybreak.core.model.report import RepoReport, Story
from daybreak.core.model.statements import Statement, Text
from daybreak.judge.message_refs import title
from daybreak.judge.places import front
from daybreak.judge.reverts import Chain
from daybreak.judge.series import Part
from daybreak.judge.wording import code, coded, plural, say

_SHOWN = "%Y-%m-%d %H:%M"
_RUN: frozenset[Area] = frozenset({"code", "api", "kernel"})


def broken_statement(story: Story) -> Statement | None:
    """What the report must say first: a change of an earlier day was at fault until this window mended it."""
    if story.broken is None or story.commits[0] not in story.earlier:
        return None
    start, end = (moment.strftime(_SHOWN) for moment in story.broken)
    text = say(
        f"主分支在 {start} 至 {end} 之间受影响：{story.net['zh']}",
        f"The branch was affected from {start} to {end}: {story.net['en']}",
    )
    return Statement("risk", text, (f"story:{story.id}",))


def met_by_users(story: Story, repo: RepoReport) -> bool:
    """What was mended is code that users run: a builder of wheels, a workflow or a test was at fault for nobody else."""
    mended = (entry for sha in story.commits[1:] if (entry := repo.find(sha)) is not None)
    return any(front(entry.change) and set(entry.reading.areas) & _RUN for entry in mended)


def came_and_went(story: Story) -> bool:
    """It landed and was taken back within one report: whoever upgrades over it meets nothing."""
    return story.kind == "revert" and len(story.commits) > 1 and not story.earlier


def _name(change: Change) -> str:
    """Its number, which the line beside it links; its title when it has none."""
    return code(f"#{change.pr}") if change.pr else code(title(change))


def _after(first: Change, last: Change) -> tuple[str, str]:
    """How long after: days and hours from two on, minutes below; nothing when the clock ran backwards."""
    minutes = round((last.committed_at - first.committed_at).total_seconds() / 60)
    if minutes < 1:
        return "后", "later"
    if minutes >= 48 * 60:
        return f" {minutes // 1440} 天后", f"{plural(minutes // 1440, 'day')} later"
    if minutes >= 120:
        return f" {minutes // 60} 小时后", f"{plural(minutes // 60, 'hour')} later"
    return f" {minutes} 分钟后", f"{plural(minutes, 'minute')} later"


def of_chain(chain: Chain) -> Text:
    zh_titles, en_titles = coded((title(c) for c in chain.roots), 3)
    zh, en = _after(chain.roots[-1], chain.undone_by)
    were = "was" if len(chain.roots) == 1 else "were"
    if chain.stands:
        back = _name(chain.back_by)
        return say(
            f"{zh_titles} 被回退后由 {back} 重新合入；窗口结束时在主分支上，以 {back} 为准。",
            f"{en_titles} {were} reverted and landed again by {back}; on the branch at the end of the window as {back} has it.",
        )
    if chain.opposite:
        return say(
            f"{zh_titles} 合入{zh}被回退，两次改动的行正好相反，代码没有净变化。",
            f"{en_titles} {were} reverted {en}; the two diffs are exact opposites, so the code is as before.",
        )
    return say(
        f"{zh_titles} 合入{zh}被回退；窗口结束时不在主分支上。",
        f"{en_titles} {were} reverted {en}; not on the branch at the end of the window.",
    )


def repaired(first: Change, fixes: Sequence[Change], lines: int) -> Text:
    one, two = code(title(first)), code(title(fixes[0]))
    zh, en = _after(first, fixes[0])
    if lines:
        head = (
            f"{one} 合入{zh}，{two} 修改了它新增的 {lines} 行",
            f"{two} changed, {en}, {plural(lines, 'line')} that {one} had added",
        )
    else:
        head = (f"{one} 合入{zh}由 {two} 修复", f"{one} was repaired {en} by {two}")
    more = [_name(c) for c in fixes[1:]]
    tail_zh = f"，之后又有 {'、'.join(more)}" if more else ""
    tail_en = f", and again by {', '.join(more)}" if more else ""
    return say(
        f"{head[0]}{tail_zh}；截至窗口结束，主分支已含修复。",
        f"{head[1]}{tail_en}; at the end of the window the branch has the fix.",
    )


def followed(first: Change, later: Sequence[Change]) -> Text:
    zh, en = coded((title(c) for c in later), 3)
    one = code(title(first))
    return say(
        f"{zh} 接续 {one}；窗口结束时都在主分支上。",
        f"{en} {'follows' if len(later) == 1 else 'follow'} {one}; all of it is on the branch at the end of the window.",
    )


def of_series(name: str, parts: Sequence[Part], now: Sequence[Part]) -> Text:
    zh, en = coded((_label(p) for p in now), 8)
    before = [p for p in parts if p not in now]
    zh, en = f"系列 {code(name)}：本窗口合入 {zh}", f"Series {code(name)}: {en} landed in this window"
    if before:
        zh_before, en_before = coded((_label(p) for p in before), 8)
        zh, en = f"{zh}，此前已合入 {zh_before}", f"{en}, {en_before} before"
    total = parts[0].total
    if total.isdigit() and len(parts) == int(total):
        zh, en = f"{zh}；至此全部合入", f"{en}; it is complete"
    return say(f"{zh}。", f"{en}.")


def _label(part: Part) -> str:
    if part.sign == "of":
        return f"{part.number}/{part.total}"
    return f"{part.sign} {part.number}" + (f"/{part.total}" if part.total else "")


def of_stack(group: Sequence[Change]) -> Text:
    zh, en = coded((f"#{c.pr}" for c in group), 8)
    return say(
        f"同一作者先后合入、改动相同文件的一组 PR：{zh}。",
        f"A stack by one author on the same files: {en}.",
    )


def of_rfc(number: int) -> Text:
    rfc = code(f"RFC #{number}")
    return say(f"同属 {rfc}。", f"Parts of {rfc}.")


def moved(symbol: str, before: str, after: str) -> Text:
    pin = f"{code(symbol)}：{code(before)} → {code(after)}"
    return say(f"{pin}，本窗口内多次变更。", f"{pin.replace('：', ': ')}, moved more than once in this window.")


def taken(name: str, version: str, count: int) -> Text:
    what = code(f"{name} {version}")
    return say(f"{what} 分 {count} 个提交完成。", f"{what} came in {plural(count, 'commit')}.")


def picked(first: Change, change: Change) -> Text:
    return say(
        f"{code(title(change))} 拣选自 {_name(first)}；窗口结束时两者都在主分支上。",
        f"{code(title(change))} is a cherry-pick of {_name(first)}; both are on the branch at the end of the window.",
    )


def ported(change: Change, source: str) -> Text:
    return say(
        f"{code(title(change))} 移植自 {code(source)}。", f"{code(title(change))} is ported from {code(source)}."
    )

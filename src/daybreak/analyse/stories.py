"""Changes that are one event: reverts, re-lands, series, fix-ups, and a pin that moved more than once.

A link needs a mark that cannot be chance: a sha, a pull request number, a quoted title, or lines that one change
added and the next took away. A change is told in one story only, in the order of `_FINDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from daybreak.analyse import links
from daybreak.analyse.kinds import QUIET, is_revert
from daybreak.analyse.links import Index
from daybreak.analyse.wording import code, coded, plural, say
from daybreak.model import Change, Reading, Story, Text

Finder = Callable[[Sequence[Change], Index, Mapping[str, Reading]], Iterator[Story]]


def stories(changes: Sequence[Change], readings: Mapping[str, Reading]) -> tuple[Story, ...]:
    """The stories among some changes of one repository, given oldest first."""
    index = Index(changes)
    told: set[str] = set()
    out: list[Story] = []
    for finder in _FINDERS:
        for story in finder(changes, index, readings):
            if not told & set(story.commits):
                out.append(story)
                told.update(story.commits)
    return tuple(out)


# --- reverts and re-lands ----------------------------------------------------------------------------------------


def _reverts(changes: Sequence[Change], index: Index, readings: Mapping[str, Reading]) -> Iterator[Story]:
    """One story per change that was taken back, with what came after it."""
    del readings
    chains: dict[str, list[Change]] = {}
    for change in changes:
        target = links.reverted(change, index)
        if target is not None:
            root = next((r for r, chain in chains.items() if any(c.sha == target for c in chain)), target)
            chains.setdefault(root, []).append(change)
    for root, chain in chains.items():
        later = [c for c in changes if c not in chain and c.sha != root and links.relands(c, root, chain, index)]
        yield _revert_story(root, chain, later, index)


def _revert_story(root: str, chain: Sequence[Change], later: Sequence[Change], index: Index) -> Story:
    first = index.by_sha.get(root)
    title = code(links.title(first)) if first else code(links.quoted_title(chain[0]) or links.title(chain[0]))
    commits = tuple(dict.fromkeys((root, *(c.sha for c in chain), *(c.sha for c in later))))
    if later or len(chain) % 2 == 0:
        text = say(
            f"{title} 被回退后重新合入；窗口结束时在分支上。",
            f"{title} was reverted and landed again; it is on the branch at the end of the window.",
        )
        return Story(f"reland-{root[:9]}", "reland", commits, text)
    return Story(f"revert-{root[:9]}", "revert", commits, _revert_net(first, chain[-1], title))


def _revert_net(first: Change | None, last: Change, title: str) -> Text:
    if first is None:
        return say(
            f"{title} 已被回退；窗口结束时不在分支上。",
            f"{title} was reverted; it is not on the branch at the end of the window.",
        )
    zh, en = _after(first, last)
    if links.inverse(first, last):
        return say(
            f"{title} 合入{zh}被回退，两次改动的行正好相反，净效果：代码没有变化。",
            f"{title} was reverted {en}; the two diffs are exact opposites, so the net effect on the code is none.",
        )
    return say(
        f"{title} 合入{zh}被回退；窗口结束时不在分支上。",
        f"{title} was reverted {en}; it is not on the branch at the end of the window.",
    )


def _after(first: Change, last: Change) -> tuple[str, str]:
    """How long after: hours from two on, minutes below; nothing when the clock ran backwards."""
    minutes = int((last.committed_at - first.committed_at).total_seconds() // 60)
    if minutes < 1:
        return "后", "later"
    if minutes >= 120:
        return f" {minutes // 60} 小时后", f"{plural(minutes // 60, 'hour')} later"
    return f" {minutes} 分钟后", f"{plural(minutes, 'minute')} later"


# --- series ------------------------------------------------------------------------------------------------------


def _series(changes: Sequence[Change], index: Index, readings: Mapping[str, Reading]) -> Iterator[Story]:
    del index, readings
    groups: dict[tuple[str, ...], dict[str, Change]] = {}
    for change in changes:
        part = links.series_part(change)
        if part is not None and not is_revert(change.subject):
            groups.setdefault((change.author, part.total, part.name), {}).setdefault(part.number, change)
    for (_, total, name), parts in groups.items():
        if len(parts) < 2:
            continue
        members = list(parts.values())
        zh, en = coded((f"{n}/{total}" for n in parts), 8)
        text = say(f"系列 {code(name)}：本窗口合入 {zh}。", f"Series {code(name)}: {en} landed in this window.")
        yield Story(f"series-{members[0].short}", "series", tuple(c.sha for c in members), text)


# --- fix-ups -----------------------------------------------------------------------------------------------------


def _fixups(changes: Sequence[Change], index: Index, readings: Mapping[str, Reading]) -> Iterator[Story]:
    """A later change that names an earlier one of the window, or takes back lines that it had added."""
    for at, change in enumerate(changes):
        if _quiet(readings.get(change.sha)) or is_revert(change.subject):
            continue
        earlier = links.named(change, index, changes[:at])
        if earlier is not None and not _quiet(readings.get(earlier.sha)):
            yield _fixup_story(earlier, change, 0)
            continue
        best = max(
            ((links.took_back(e, change, index), e) for e in changes[:at]), key=lambda x: x[0], default=(0, change)
        )
        if best[0] and not _quiet(readings.get(best[1].sha)):
            yield _fixup_story(best[1], change, best[0])


def _quiet(reading: Reading | None) -> bool:
    return reading is None or not reading.areas or set(reading.areas) <= QUIET


def _fixup_story(first: Change, later: Change, lines: int) -> Story:
    one, two = code(links.title(first)), code(links.title(later))
    if lines:
        zh, en = _after(first, later)
        text = say(
            f"{two}{zh}合入，删去的 {lines} 行与 {one} 新增的行相同；窗口结束时以后者为准。",
            f"{two} ({en}) deletes {plural(lines, 'line')} identical to what {one} had added; the later one stands.",
        )
    else:
        text = say(
            f"{two} 的提交信息指明接续 {one}；窗口结束时两者都在分支上。",
            f"The message of {two} names {one}; both are on the branch at the end of the window.",
        )
    return Story(f"fixup-{first.short}-{later.short}", "fixup", (first.sha, later.sha), text)


# --- pins --------------------------------------------------------------------------------------------------------


def _bumps(changes: Sequence[Change], index: Index, readings: Mapping[str, Reading]) -> Iterator[Story]:
    """A pin that moved in several changes: from the first value to the last."""
    del index
    moves: dict[tuple[str, str], list[tuple[Change, str, str]]] = {}
    for change in changes:
        for f in readings[change.sha].findings if change.sha in readings else ():
            if f.kind in ("dependency_changed", "pin_changed") and f.before and f.after:
                moves.setdefault((f.path, f.symbol), []).append((change, f.before, f.after))
    for (_, symbol), steps in moves.items():
        shas = tuple(dict.fromkeys(c.sha for c, _, _ in steps))
        if len(shas) < 2:
            continue
        pin = f"{code(symbol)}：{code(steps[0][1])} → {code(steps[-1][2])}"
        text = say(f"{pin}，本窗口内多次变更。", f"{pin.replace('：', ': ')}, moved more than once in this window.")
        yield Story(f"bump-{shas[0][:9]}", "bump", shas, text)


_FINDERS: tuple[Finder, ...] = (_reverts, _series, _fixups, _bumps)

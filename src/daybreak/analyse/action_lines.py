"""Lines of the first screen: what one remedy settles in one repository is one line, so that eight of them hold a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daybreak.analyse.wording import code, say
from daybreak.model import MOST_ACTIONS, Action, Entry, Text

JOINED = 10
"""Changes of one line: more would be a list that nobody reads to its end."""

_HEADS: dict[str, Text] = {
    "fix": say("值得升级的修复", "Fixes worth taking"),
    "security": say("安全相关", "Security"),
    "default": say("默认值变动", "Defaults changed"),
    "api": say("自有代码可能调用的接口变动", "Interfaces moved that your own code may call"),
    "requires": say("依赖或构建来源变动", "Requirements or build sources moved"),
    "otherwise": say("升级前留意", "Look before upgrading"),
}
"""What a line joins -> how it begins; one of several kinds begins as the last, which claims nothing."""
_REMEDIES: dict[str, Text] = {
    "fix": say("受影响的部署升级到包含这些提交的版本", "where they hit you, take a version that holds these commits"),
    "security": say("升级到包含这些提交的版本", "take a version that holds these commits"),
    "default": say("需要旧行为时显式设回旧值", "set the old value explicitly to keep the old behaviour"),
    "api": say("在自己的代码里查找这些名字", "look for these names in your own code"),
    "requires": say("与新的要求对齐", "align with the new requirements"),
}
"""The same -> what to do about it, where there is something."""
_BEFORE_UPGRADING = frozenset({"default", "api", "requires", "otherwise"})
"""What is looked at in one go, before an upgrade: such changes of one repository share a line."""
_TELLING_ALONE = 5.5
"""So grave is what says more as a line of its own: whom it hits, what to do. Repairs have one remedy and stay together."""


class Candidate(NamedTuple):
    """One change that asks for something, before it becomes a line or a part of one."""

    urgency: float
    """Whether it is on the first screen."""
    gravity: float
    """Where it stands there: what it was shown to do, whoever it concerns."""
    repo: str
    commits: tuple[str, ...]
    text: Text
    """As a line of its own, without when it was released."""
    entry: Entry
    findings: tuple[str, ...] = ()
    group: str = ""
    """Key of what it may be joined with, or empty: it stands alone."""
    item: Text | None = None
    """How a line that joins several names it."""


def lines(found: Iterable[Candidate]) -> list[Action]:
    """The most urgent make the first screen; there the gravest come first, in each line and among the lines."""
    ranked = sorted(found, key=lambda c: (-c.urgency, c.repo, c.commits))
    rows: list[list[Candidate]] = []
    open_rows: dict[tuple[str, str, str | None, str | None], list[Candidate]] = {}
    for one in ranked:
        joins = "before" if one.group in _BEFORE_UPGRADING else one.group
        key = (one.repo, joins, one.entry.released, one.entry.after)
        row = open_rows.get(key) if joins else None
        if row is None or len(row) == JOINED:
            row = []
            rows.append(row)
            open_rows |= {key: row} if joins else {}
        row.append(one)
    _spread(rows)
    for row in rows:
        row.sort(key=lambda c: -c.gravity)
    screen = sorted(rows[:MOST_ACTIONS], key=lambda row: (-row[0].gravity, -row[0].urgency))
    return [_line(row) for row in (*screen, *rows[MOST_ACTIONS:])]


def _spread(rows: list[list[Candidate]]) -> None:
    """Where the screen has room, the gravest parts of lines stand alone, with whom they hit and what exactly to do."""
    parts = [
        (one, row) for row in rows for one in row if one.group in _BEFORE_UPGRADING and one.gravity >= _TELLING_ALONE
    ]
    for one, row in sorted(parts, key=lambda part: (-part[0].gravity, -part[0].urgency)):
        if len(rows) < MOST_ACTIONS and len(row) > 1:
            row.remove(one)
            rows.append([one])


def _line(row: Sequence[Candidate]) -> Action:
    first = row[0]
    commits = tuple(dict.fromkeys(sha for one in row for sha in one.commits))
    findings = tuple(dict.fromkeys(ident for one in row for ident in one.findings))
    text = first.text if len(row) == 1 else _joined(row)
    return Action(first.repo, commits, dated(text, first.entry), findings)


def _joined(row: Sequence[Candidate]) -> Text:
    kinds = [kind for kind in _HEADS if any(one.group == kind for one in row)]
    head = _HEADS[kinds[0] if len(kinds) == 1 else "otherwise"]
    items = [_numbered(one) for one in row]
    zh, en = "；".join(x["zh"] for x in items), "; ".join(x["en"] for x in items)
    text = say(f"{head['zh']}：{zh}。", f"{head['en']}: {en}.")
    remedies = [_REMEDIES[kind] for kind in kinds if kind in _REMEDIES]
    if not remedies:
        return text
    how = "；".join(x["zh"] for x in remedies), "; ".join(x["en"] for x in remedies)
    return say(f"{text['zh']}改法：{how[0]}。", f"{text['en']} What to do: {how[1]}.")


def _numbered(one: Candidate) -> Text:
    """With its pull request: the links stand at the line's end, and a reader must know which is whose."""
    item, number = one.item or one.text, one.entry.change.pr
    return item if number is None else say(f"{item['zh']} #{number}", f"{item['en']} #{number}")


def dated(text: Text, entry: Entry) -> Text:
    """In which release the reader meets it."""
    if entry.released:
        name = code(entry.released)
        return say(f"{text['zh']}已在 {name} 中。", f"{text['en']} Released in {name}.")
    if entry.after:
        name = code(entry.after)
        return say(f"{text['zh']}仅在主分支，{name} 不含。", f"{text['en']} On the branch only, not in {name}.")
    return text

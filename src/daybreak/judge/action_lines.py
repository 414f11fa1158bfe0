"""Lines of the first screen: what one remedy settles in one repository is one line, so that eight of them hold a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daybreak.core.model.report import MOST_ACTIONS, Action, ActionPart, Entry
from daybreak.core.model.statements import Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import ended, joined

JOINED = 10
"""Changes of one line: more would be a list that nobody reads to its end."""

_REMEDIES = frozenset({"fix", "security"})
"""What one remedy settles and nothing else is joined with."""
_BEFORE_UPGRADING = frozenset({"default", "api", "requires", "otherwise"})
"""What is looked at in one go, before an upgrade: such changes of one repository share a line."""
_TELLING_ALONE = 5.5
"""So grave is what says more as a line of its own: whom it hits, what to do. Repairs have one remedy and stay together."""


class Candidate(NamedTuple):
    """One change that asks for something, before it becomes a line or a part of one."""

    urgency: float
    """Whether it is on the first screen."""
    gravity: float
    """Where it stands there: what it was shown to do, lower where few have what it concerns."""
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
    part: Text | None = None
    """How a list of several tells it, where that is not as alone."""


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
    if len(row) == 1:
        return Action(first.repo, commits, dated(first.text, first.entry), findings)
    text, lead = dated(_joined(row), first.entry), dated(_lead(row), first.entry)
    return Action(first.repo, commits, text, findings, lead, tuple(map(_part, row)))


def _part(one: Candidate) -> ActionPart:
    """What one remedy settles needs no more than a name; else whom it hits and what to do have room here."""
    told = one.item if one.item and one.group in _REMEDIES else one.part or one.text
    return ActionPart(one.commits, ended(told), one.findings)


def _lead(row: Sequence[Candidate]) -> Text:
    """How the list of a line's parts begins: with what settles all of them, where one thing does."""
    head, how = _head(row), _remedy(row)
    return ended(head) if how is None else say("judge.action.lead", head=head, how=how)


def _joined(row: Sequence[Candidate]) -> Text:
    head, how = _head(row), _remedy(row)
    items = joined(map(_numbered, row), "semicolon")
    if how is None:
        return say("judge.action.joined", head=head, items=items)
    return say("judge.action.joined_remedy", head=head, items=items, how=how)


def _head(row: Sequence[Candidate]) -> Text:
    """How a line begins; one of several kinds claims nothing."""
    kinds = {one.group for one in row}
    return term("judge.action_head", row[0].group if len(kinds) == 1 else "otherwise")


def _remedy(row: Sequence[Candidate]) -> Text | None:
    """Where a release has it, and where none has."""
    if row[0].group not in _REMEDIES:
        return None
    if row[0].entry.released:
        return term("judge.remedy_released", row[0].group)
    return term("judge.remedy_branch", row[0].group)


def _numbered(one: Candidate) -> Text:
    """With its pull request: who reads a line as one sentence must know which is whose."""
    item, number = one.item or one.text, one.entry.change.pr
    return item if number is None else say("judge.action.numbered", item=item, number=number)


def dated(text: Text, entry: Entry) -> Text:
    """In which release the reader meets it."""
    if entry.released:
        return say("judge.action.released", text=text, tag=entry.released)
    if entry.after:
        return say("judge.action.branch_only", text=text, tag=entry.after)
    return text

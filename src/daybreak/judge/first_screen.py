"""The first screen: at most eight changes to act on, each with what shows it, the gravest first; then what else to know.

Changes are counted, not lines: a change enters by a finding or by its author's own words, never by its title. What a
story tells is one entry, and no repository takes the whole screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.core.model.day import MOST_ACTIONS, MOST_ALSO, Action
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, code, ended
from daybreak.judge import urgency
from daybreak.judge.action_questions import Made, asked, named
from daybreak.judge.breaking import mark_of
from daybreak.judge.exposure import dated, never_released, take, unaffected
from daybreak.judge.gist import brief
from daybreak.judge.message_refs import title
from daybreak.judge.net_findings import netted
from daybreak.judge.phrases import effect_of
from daybreak.judge.story_outcome import settled

A_REPOSITORY = 4
"""Entries of one repository on the screen."""
_SPARE = 4
"""How many more are offered than shown: a check may drop some."""
_ON_SCREEN = 150
"""Characters of a quote on the screen, which has two lines for a change; below it has one."""
_BELOW = 110
_REPAIRS = frozenset({"corrupts", "crash"})
_TAKES_AWAY = frozenset({"breaks", "fork"})


class Candidate(NamedTuple):
    """One change that asks for something."""

    gravity: float
    """What it does, and lower where few meet it."""
    repo: str
    commits: tuple[str, ...]
    entry: Entry
    made: Made
    tag: str
    """What kind of thing it is to act on; empty where it is only worth knowing."""

    @property
    def key(self) -> str:
        """What is told once: a story, or else the change alone."""
        return f"{self.repo} {self.entry.story or self.commits[0]}"


def first_screen(repos: Sequence[RepoReport]) -> tuple[tuple[Action, ...], tuple[Action, ...], int]:
    """What to act on, what else to know, and how many more ask for action; nothing of low importance, nothing that
    `paths` or `exclude` filtered.
    """
    ranked = sorted(
        (c for repo in repos for c in _of_repository(repo)),
        key=lambda c: (-c.gravity, -c.entry.importance.score, c.repo, c.commits),
    )
    told, beyond = set[str](), set[str]()
    screen, also, room = list[Action](), list[Action](), Counter[str]()
    for one in ranked:
        if one.key in told:
            continue
        line, short = _line(one) if one.tag else None, _short(one)
        if line is not None and len(screen) < MOST_ACTIONS + _SPARE and room[one.repo] < A_REPOSITORY:
            screen.append(line)
            room[one.repo] += 1
        elif short is not None and len(also) < MOST_ALSO + _SPARE:
            also.append(short)
        else:
            beyond |= {one.key} if one.tag and (line or short) else set()
            continue
        told.add(one.key)
    return tuple(screen), tuple(also), len(beyond - told)


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once, by its net: what cancels out within the window asks for nothing."""
    undone = settled(repo.stories)
    for entry in netted(repo.entries):
        change = entry.change
        if entry.importance.level == "low" or change.filtered or change.skipped or change.sha in undone:
            continue
        made = asked(repo, entry)
        if made is None:
            continue
        base, tag = made.base, _tag(entry, made)
        if tag in _REPAIRS and entry.exposure is not None and entry.exposure.has:
            base += urgency.RELEASED
        if tag != "security" and any(reason.code == "not_yours" for reason in entry.importance.reasons):
            tag = ""
        if tag in _TAKES_AWAY and never_released(entry):
            base -= urgency.NOBODY_HAS_IT
        if "fix" in made.group and unaffected(entry):
            base, tag = base - urgency.UNSURE, ""
        if urgency.rank(entry, base, made.findings) >= urgency.LEAST:
            gravity = urgency.gravity(entry, base, made.findings)
            yield Candidate(gravity, repo.repo.name, _commits(repo, entry), entry, made, tag)


def _tag(entry: Entry, made: Made) -> str:
    """By what shows it: the mark of its finding, or what a fix says that it repairs."""
    if made.group in _TAGS:
        return _TAGS[made.group]
    if made.group == "fix":
        found = urgency.repaired(entry.change, entry.kind)
        return _MENDED.get(found.kind, "") if found else ""
    if not made.findings:
        return ""
    return _MARKED.get(mark_of(made.findings[0]) or "") or _EFFECTS.get(effect_of(made.findings[0]), "")


_TAGS = {"security": "security", "default": "default", "requires": "build"}
_MENDED = {"wrong_result": "corrupts", "hang": "crash", "crash": "crash"}
_MARKED = {"breaks": "breaks", "breaks_internals": "fork"}
_EFFECTS: dict[str, str] = {"tightened": "rejects"}
"""Of what bears no mark; another way through the code alone is worth knowing, and no more can be said of it."""


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = repo.story_of(entry) if entry.kind == "revert" else None
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)


def _line(one: Candidate) -> Action | None:
    """As an entry of the screen: what changed, whom it hits, what to do, and which release has a bug that it mends."""
    made, entry = one.made, one.entry
    if made.text is not None:
        told = one.tag in _TAKES_AWAY and never_released(entry)
        return _action(one, dated(made.text, entry, made.group) if told else made.text, _ids(made))
    gist = entry.gist
    said = brief(gist, _ON_SCREEN) if gist else None
    if gist is None or said is None:
        return None
    text = ended(named(title(entry.change), said))
    if one.tag in _REPAIRS or one.tag == "security":
        text = dated(say("judge.action.remedy", text=text, how=take(entry)), entry, "fix")
    return _action(one, text, gist.findings)


def _short(one: Candidate) -> Action | None:
    """In one line: the title, and what shows what it does."""
    made, gist = one.made, one.entry.gist
    bare = alike(code(title(one.entry.change)))
    if made.item is not None and made.item != bare:
        return _action(one, made.item, _ids(made))
    said = brief(gist, _BELOW) if gist else None
    if gist is None or said is None:
        return None
    return _action(one, named(title(one.entry.change), said), gist.findings)


def _action(one: Candidate, text: Text, findings: tuple[str, ...]) -> Action:
    return Action(one.repo, one.commits, ended(text), findings, tag=one.tag)


def _ids(made: Made) -> tuple[str, ...]:
    return tuple(finding.id for finding in made.findings)

"""The first screen: at most eight changes to act on, each with what shows it, the gravest first; then what else to know.

Changes are counted, not lines: a change enters by a finding or by its author's own words, never by its title. What a
story tells is one entry, and no repository takes the whole screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.day import LEVELS, MOST_ACTIONS, MOST_ALSO, Action
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, code, ended, joined
from daybreak.core.words.phrases import REFERENCE, chosen, languages
from daybreak.judge.action_questions import FIXES, ORDER, Does, Made, asked, named
from daybreak.judge.exposure import dated, met, take, unaffected
from daybreak.judge.gist import brief
from daybreak.judge.message_refs import title
from daybreak.judge.model_reading import said_by_model
from daybreak.judge.net_findings import netted
from daybreak.judge.reach import aside, reach
from daybreak.judge.robots import is_routine
from daybreak.judge.story_outcome import settled

A_REPOSITORY = 4
"""Entries of one repository on the screen."""
_SPARE = 4
"""How many more are offered than shown: a check may drop some."""
_ON_SCREEN = (150, 110, 80)
"""Characters of a quote on the screen, which has two lines for a change; fewer where all together are too long."""
MOST_WORDS, MOST_HAN = 320, 480
"""Words of the whole screen as a reader counts them, in the reference language, and characters of a language without blanks."""
_AROUND = 8
"""Words that an entry has around what is said: its number, tag, repository and change, and the marks between them."""
_BELOW = 110


class Candidate(NamedTuple):
    """One change that asks for something."""

    place: tuple[int, bool, int, bool, int]
    """Its grade, whether few meet it, what it does by `ORDER`, whether no release is known to have it, how far it reaches."""
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
    """What to act on, what else to know, and how many more ask for action; nothing that `paths` or `exclude` filtered,
    and no robot's routine. What is to spare for the screen stands below it as well, until a check makes room.
    """
    ranked = sorted(
        (c for repo in repos for c in _of_repository(repo)),
        key=lambda c: (c.place, -c.entry.importance.score, c.repo, c.commits),
    )
    stories: dict[str, Candidate] = {}
    for one in ranked:
        if one.key not in stories and (_line(one, _ON_SCREEN[0]) or _short(one)):
            stories[one.key] = one
    once = list(stories.values())
    asking = [one for one in once if one.tag and _line(one, _ON_SCREEN[0])]
    screen = _screen(asking)
    first = sorted(screen[:MOST_ACTIONS], key=lambda one: (*one.place[:2], _SHOWN.index(one.made.does)))
    shown = {one.key for one in first}
    also = {one.key: short for one in once if one.key not in shown and (short := _short(one))}
    shown.update(islice(also, MOST_ALSO))
    below = tuple(islice(also.values(), MOST_ALSO + _SPARE))
    return (*_lines(first), *_lines(screen[MOST_ACTIONS:])), below, sum(one.key not in shown for one in asking)


def _screen(asking: Sequence[Candidate]) -> list[Candidate]:
    """Those that the screen has room for, what is graded high first; no repository takes it all."""
    room = Counter[str]()
    ranked = sorted(asking, key=lambda one: one.entry.importance.level != "high")
    return [one for one in ranked if _fits(one, room)][: MOST_ACTIONS + _SPARE]


def _lines(shown: Sequence[Candidate]) -> list[Action]:
    """As long as the screen has room for: where all together are too long, with shorter quotes, then the last in short."""
    lines: list[Action] = []
    for at in range(1, len(_ON_SCREEN) + 1):
        tries = ((_line(one, most) for most in _ON_SCREEN[at - 1 :: -1]) for one in shown)
        lines = [line for found in tries if (line := next(filter(None, found), None))]
        if _fit(lines):
            return lines
    for at in range(len(lines) - 1, -1, -1):
        short = _short(shown[at]) if len(lines) == len(shown) else None
        lines[at] = short if short and _size(short, REFERENCE) < _size(lines[at], REFERENCE) else lines[at]
        if _fit(lines):
            break
    return lines


def _fit(lines: Sequence[Action]) -> bool:
    return all(
        sum(_size(line, language) for line in lines) <= (MOST_WORDS if language == REFERENCE else MOST_HAN)
        for language in languages()
    )


def _size(line: Action, language: str) -> int:
    """Words of an entry as it stands on the page; of a language without blanks, its characters."""
    text = chosen(line.text, language)
    return len(text.split()) + _AROUND if language == REFERENCE else len(_HAN.findall(text))


_HAN = re.compile(r"[\u4e00-\u9fff]")


def _fits(one: Candidate, room: Counter[str]) -> bool:
    """No repository takes the whole screen, and what only plug-ins and forks meet no more than half of its part."""
    fits = room[one.repo] < A_REPOSITORY and (one.tag != "fork" or room[f"{one.repo} fork"] < A_REPOSITORY // 2)
    room.update((one.repo, f"{one.repo} {one.tag}") if fits else ())
    return fits


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once, by its net: what cancels out within the window asks for nothing."""
    undone = settled(repo.stories)
    for entry in map(met, netted(repo.entries)):
        change = entry.change
        if change.filtered or change.skipped or change.sha in undone or _is_routine(entry):
            continue
        made = asked(repo, entry)
        if made is not None:
            yield Candidate(_place(entry, made), repo.repo.name, _commits(repo, entry), entry, made, _tag(entry, made))


def _is_routine(entry: Entry) -> bool:
    """A robot's bump that breaks nobody."""
    return "breaks" not in entry.marks and is_routine(entry.change, entry.reading)


def _place(entry: Entry, made: Made) -> tuple[int, bool, int, bool, int]:
    """By grade; then stands before others what many meet, what does more, what a release has, what reaches further."""
    found = aside(entry.change, [finding.path for finding in made.findings]) if made.does != "security" else None
    nobody = made.does in FIXES and unaffected(entry)
    has = entry.exposure is not None and entry.exposure.has is True
    wrong = made.does == "corrupts" and has  # nobody who runs the model is told, so that somebody has to
    few = found is not None and not (wrong and found.why == "one_model")
    far = reach(entry.change, entry.reading.findings) if made.does in _OF_FORKS else 0
    level = LEVELS.index(entry.importance.level) if made.does != "security" else 0
    return level, few or nobody, ORDER.index(made.does), made.does in FIXES and not has, -far


def _tag(entry: Entry, made: Made) -> str:
    """What kind of thing it is to act on; nothing where it is not the reader's, or no release has what it puts right."""
    if made.does == "security":
        return "security"
    if any(reason.code in ("not_yours", "few") for reason in entry.importance.reasons):
        return ""
    return "" if made.does in FIXES and unaffected(entry) else _TAGS.get(made.does, "")


_TAGS: dict[Does, str] = {
    "security": "security",
    "breaks": "breaks",
    "corrupts": "corrupts",
    "stops": "crash",
    "default": "default",
    "fork": "fork",
    "requires": "build",
    "breaks_few": "breaks",
    "announced": "announced",
    "rejects": "rejects",
}
_SHOWN = tuple(_TAGS)
"""In which order those are told that the screen has room for: what nobody is told of before what stops aloud."""
_OF_FORKS: frozenset[Does] = frozenset({"fork", "fork_few"})


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = repo.story_of(entry) if entry.kind == "revert" else None
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)


def _line(one: Candidate, most: int) -> Action | None:
    """As an entry of the screen: what changed, whom it hits, what to do, and which release has a bug that it mends."""
    made, entry = one.made, one.entry
    if made.text is not None:
        text = _with_consequence(made.text, entry) if most > _ON_SCREEN[-1] else made.text
        return _action(one, text, _ids(made))
    gist = entry.gist
    said = _said(one, most)
    if said is None:
        return None
    text = ended(named(title(entry.change), said))
    if made.does in FIXES or one.tag == "security":
        how = take(entry)
        spared = most < _ON_SCREEN[0] and how == say("judge.action.take_branch")  # nobody needs to be told to wait
        text = dated(text if spared else say("judge.action.remedy", text=text, how=how), entry, "fix")
    return _action(one, text, gist.findings if gist else ())


def _said(one: Candidate, most: int) -> Text | None:
    """What is told beside the title: a model's words, or the change's own sentence."""
    entry = one.entry
    by_model = said_by_model(entry, "impact") or said_by_model(entry, "what")
    return by_model or brief(entry, most)


def _with_consequence(text: Text, entry: Entry) -> Text:
    """The rules' fact, then what follows from it by the model's reading."""
    more = said_by_model(entry, "impact")
    return joined((ended(text), more)) if more else text


def _short(one: Candidate) -> Action | None:
    """In one line: the title, and what shows what it does."""
    made, gist = one.made, one.entry.gist
    bare = alike(code(title(one.entry.change)))
    if made.item is not None and made.item != bare:
        return _action(one, made.item, _ids(made))
    said = _said(one, _BELOW)
    if said is None:
        return None
    return _action(one, named(title(one.entry.change), said), gist.findings if gist else ())


def _action(one: Candidate, text: Text, findings: tuple[str, ...]) -> Action:
    return Action(one.repo, one.commits, ended(text), findings, tag=one.tag)


def _ids(made: Made) -> tuple[str, ...]:
    return tuple(finding.id for finding in made.findings)

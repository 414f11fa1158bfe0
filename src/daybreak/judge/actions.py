"""What a reader must act on: security, breaks, reverts, changed defaults, repairs, requirements; most urgent first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change
from daybreak.core.model.day import MOST_ACTIONS, Action, ActionPart
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance, Level, Reason, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import ended, joined
from daybreak.judge import urgency
from daybreak.judge.action_questions import asked
from daybreak.judge.change_kinds import elsewhere, front
from daybreak.judge.exposure import REPAIRS, dated, of_branch, remedy, state, unaffected
from daybreak.judge.message_refs import title
from daybreak.judge.story_outcome import settled
from daybreak.judge.vocabulary import hardware

# --- Lines of the first screen: what one remedy settles in one repository is one line, so that eight of them hold a day ---


JOINED = 10
"""Changes of one line: more would be a list that nobody reads to its end."""

_BEFORE_UPGRADING = frozenset({"default", "api", "requires", "deprecates", "otherwise"})
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
    open_rows: dict[tuple[object, ...], list[Candidate]] = {}
    for one in ranked:
        joins = "before" if one.group in _BEFORE_UPGRADING else one.group
        key = (one.repo, joins, state(one.entry, one.group))
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
        return Action(first.repo, commits, dated(first.text, first.entry, first.group), findings)
    last = max((one.entry for one in row), key=lambda entry: entry.change.committed_at)  # its release holds the others
    text, lead = dated(_joined(row), last, first.group), dated(_lead(row), last, first.group)
    return Action(first.repo, commits, text, findings, lead, tuple(map(_part, row)))


def _part(one: Candidate) -> ActionPart:
    """What one remedy settles needs no more than a name; else whom it hits and what to do have room here."""
    told = one.item if one.item and one.group in REPAIRS else one.part or one.text
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
    """What settles all of a line."""
    if row[0].group == "branch_fix":
        return term("judge.remedy_branch", "branch_fix")
    return remedy([one.entry for one in row], row[0].group) if row[0].group in REPAIRS else None


def _numbered(one: Candidate) -> Text:
    """With its pull request: who reads a line as one sentence must know which is whose."""
    item, number = one.item or one.text, one.entry.change.pr
    return item if number is None else say("judge.action.numbered", item=item, number=number)


OFFERED = 12
"""A check may drop some of them."""


def actions(repos: Sequence[RepoReport]) -> tuple[Action, ...]:
    """The day's actions; nothing of low importance, nothing that `paths` or `exclude` filtered."""
    return tuple(lines(c for repo in repos for c in _of_repository(repo))[:OFFERED])


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once, by its net: what cancels out within the window asks for nothing."""
    undone = settled(repo.stories)
    for entry in repo.entries:
        change = entry.change
        if entry.importance.level == "low" or change.filtered or change.skipped or change.sha in undone:
            continue
        made = asked(repo, entry)
        if made is not None and made.group == "fix" and unaffected(entry):
            text, item = of_branch(entry, title(change))
            made = made._replace(base=made.base - urgency.UNSURE, text=text, group="branch_fix", item=item, part=None)
        rank = urgency.rank(entry, made.base, made.findings) if made else 0.0
        if made is not None and rank >= (urgency.LEAST_FIX if "fix" in made.group else urgency.LEAST):
            commits = _commits(repo, entry) if entry.kind == "revert" else (change.sha,)
            findings = tuple(f.id for f in made.findings)
            gravity = urgency.gravity(entry, made.base, made.findings)
            words = (made.group, made.item, made.part)
            yield Candidate(rank, gravity, repo.repo.name, commits, made.text, entry, findings, *words)


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = next((s for s in repo.stories if s.id == entry.story), None)
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)


# --- The grade for one reader: what is not the reader's goes down, never away ---
# `[reader]` names hardware, models and things to ignore. Whose a change is, is judged by the code it touches: the paths
# of its files that are not tests, docs or CI, and nothing of its title.


_DOWN: dict[Level, Level] = {"high": "medium", "medium": "low", "low": "low"}
_FACTOR = 0.4

_ARCH = re.compile(r"(?<![a-z0-9])(?:sm_?(\d{2,3})[af]?|(gfx\d{3,4})[a-z]?)(?![a-z0-9])", re.IGNORECASE)
_MODEL = re.compile(
    r"(?:^|/)(?:models?|model_executor/models|models_\w{1,20}|tool_parsers|reasoning)/([\w-]{1,80})(?:\.py$|/)"
)
_SHARED = re.compile(
    r"^(?:registry|utils?|interfaces\w{0,10}|base|__init__|common|adapters|config|vision|transformers)$"
)
"""Files of a models folder that belong to no one model."""


def for_reader(found: Importance, change: Change, reader: ReaderConfig) -> Importance:
    """One level down, and lower within it, when all the code touched is for what the reader does not use.

    Who names no hardware is taken to have what most have.
    """
    paths = [file.path[-300:] for file in front(change)]
    foreign = _foreign(paths, reader) if paths else ""
    if found.level == "low" or not (foreign or (not reader.hardware and elsewhere(change))):
        return found
    words = say("judge.grade.not_yours", what=foreign) if foreign else say("judge.grade.elsewhere")
    lower = _DOWN[found.level]
    why = () if lower == "low" else found.reasons  # what made it medium is no reason for low
    reasons = (Reason("not_yours", words), *why)[:3]
    return replace(found, level=lower, score=round(found.score * _FACTOR, 4), reasons=reasons)


def _foreign(paths: Sequence[str], reader: ReaderConfig) -> str:
    """The word that makes every path foreign; empty when one of them may be the reader's."""
    words = [_ignored(p, reader.ignore) or _hardware(p, reader.hardware) or _model(p, reader.models) for p in paths]
    return words[0] if all(words) else ""


def _ignored(path: str, ignore: Iterable[str]) -> str:
    """A word to ignore that stands in the path between marks."""
    for word in ignore:
        if word and re.search(rf"(?:^|[/_.-]){re.escape(word)}(?:[/_.-]|s?/|$)", path, re.IGNORECASE):
            return word
    return ""


def _hardware(path: str, wanted: Sequence[str]) -> str:
    """Hardware the path is for, when it is none of the wanted."""
    named = {f"sm{m[1]}" if m[1] else m[2].lower() for m in _ARCH.finditer(path)}
    named |= hardware(path)
    ours = {
        word.lower().replace("_", "").rstrip("af") if word.lower().startswith("sm") else word.lower() for word in wanted
    }
    if "rocm" in named and any(word.startswith(("gfx", "mi3", "amd")) for word in ours):
        return ""
    return min(named) if wanted and named and not named & ours else ""


def _model(path: str, wanted: Sequence[str]) -> str:
    """The model whose file it is, when it is none of the wanted; files that many models share are everybody's."""
    match = _MODEL.search(path)
    if not wanted or match is None or _SHARED.match(match[1]):
        return ""
    plain = re.sub(r"[\W_]", "", match[1].lower())
    mine = any(re.sub(r"[\W_]", "", word.lower()) in plain for word in wanted if word)
    return "" if mine else match[1]

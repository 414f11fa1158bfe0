"""Ranking: one look at all that stands of a day's changes, and which of them a reader must see first.

A model that reads one change at a time knows how bad it is to those it hits, not how many those are beside all others. It
sees checked sentences and what code knows of reach and proof, no titles; a place lifts or lowers a grade by one step, never below proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import LEVELS, MOST_ACTIONS, MOST_ALSO
from daybreak.core.model.drafts import Piece
from daybreak.core.model.links import commit_id
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import ModelReading, Role, Text
from daybreak.core.words.brief import unplaced
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.judge.breaking import mark_of
from daybreak.judge.exposure import unaffected
from daybreak.judge.model_reading import lead_of, told_by_model
from daybreak.judge.reach import aside, reach
from daybreak.judge.undone import undone_later
from daybreak.judge.work_areas import area_name, area_of
from daybreak.prose.evidence_pieces import brief, one_line, tokens
from daybreak.prose.form import TEXT, object_form
from daybreak.prose.llm import Prompt
from daybreak.prose.prompt_files import fence_of, prompt_file, told_pieces

_ANSWER = 400
_SENTENCES, _LONGEST = 3, 320
_FACTS = 2
_ROLES: tuple[Role, ...] = ("why", "impact", "action", "what", "risk")
_SOME = {"type": "array", "items": TEXT}
FORM = object_form({"first": _SOME, "next": _SOME})
Key = tuple[str, str]
"""Repository and sha."""


class Ranking(Struct, frozen=True):
    """One prompt about a day's changes, and which they are."""

    prompt: Prompt
    keys: Mapping[str, Key]

    def places(self, answer: Mapping[str, Any]) -> dict[Key, int]:
        """Places from 1 on, those of the first screen and then those below it; 0 for whatever was seen and not named."""
        first = self._named(answer.get("first"))[:MOST_ACTIONS]
        after = [key for key in self._named(answer.get("next")) if key not in first][:MOST_ALSO]
        if not first and not after:
            return {}
        named = {key: n for n, key in enumerate(first, start=1)}
        named |= {key: n for n, key in enumerate(after, start=MOST_ACTIONS + 1)}
        return dict.fromkeys(self.keys.values(), 0) | named

    def _named(self, refs: object) -> list[Key]:
        some = [self.keys.get(ref) for ref in refs if isinstance(ref, str)] if isinstance(refs, list) else []
        return list(dict.fromkeys(key for key in some if key is not None))


def ranking(repos: Sequence[RepoReport], room: int) -> Ranking | None:
    """What a model told, the most important first, as far as there is room; None where there is nothing to choose from."""
    file = prompt_file("rank")
    left = room - tokens(file.system) - tokens(file.user) - 64
    pieces: list[Piece] = []
    keys: dict[str, Key] = {}
    for repo, entry in sorted(_told(repos), key=lambda one: _order(*one)):
        piece = Piece(f"C{len(pieces) + 1}", commit_id(entry.change.sha), _shown(repo, entry))
        left -= tokens(piece.text) + 8
        if left < 0:
            break
        pieces.append(piece)
        keys[piece.ref] = repo, entry.change.sha
    if len(pieces) <= 1:
        return None
    evidence = told_pieces(pieces)
    values = {"evidence": evidence, "fence": fence_of(evidence), "first": str(MOST_ACTIONS), "next": str(MOST_ALSO)}
    system, user = file.fill(values)
    return Ranking(Prompt(file.task, file.version, system, user, FORM, _ANSWER), keys)


def placed(repo: RepoReport, places: Mapping[Key, int]) -> RepoReport:
    """The report with the place of each change in the model's reading of it."""

    def at(entry: Entry) -> Entry:
        place = places.get((repo.repo.name, entry.change.sha))
        if place is None:
            return entry
        return replace(entry, by_model=replace(entry.by_model or ModelReading(), place=place))

    return replace(repo, entries=tuple(map(at, repo.entries))) if places else repo


def _told(repos: Sequence[RepoReport]) -> Iterator[tuple[str, Entry]]:
    for repo in repos:
        undone = undone_later([entry.change for entry in repo.entries])
        told = (entry for entry in repo.entries if told_by_model(entry) and entry.change.sha not in undone)
        yield from ((repo.repo.name, entry) for entry in told)


def _order(repo: str, entry: Entry) -> tuple[int, float, str, str]:
    return LEVELS.index(entry.importance.level), -entry.importance.score, repo, entry.change.sha


def _shown(repo: str, entry: Entry) -> str:
    """The project, what code knows of the change, and the sentences about it that decide."""
    read = entry.by_model
    marks = [
        *_known(entry),
        *(
            mark
            for mark in (read and read.shown is not False and read.severity, read and read.hit and f"hits {read.hit}")
            if mark
        ),
    ]
    told, lead = told_by_model(entry), lead_of(entry)
    some = sorted(told, key=lambda one: (one != lead, _ROLES.index(one.role)))[:_SENTENCES]
    shown = [
        *_proved(entry),
        *(one.text for one in told if one in some),
    ]  # in their order: one may point to the one before it
    head = ", ".join((entry.kind, *(mark.replace("_", " ") for mark in marks)))
    return f"`{one_line(repo)}` {head}: " + " ".join(brief(chosen(text, REFERENCE), _LONGEST) for text in shown)


def _known(entry: Entry) -> Iterator[str]:
    """How far it reaches, by its files and by the releases."""
    change, found = entry.change, entry.exposure
    if area := area_of(entry):
        yield f"in {chosen(area_name(area), REFERENCE)}"
    yield f"{change.files_total} {'file' if change.files_total == 1 else 'files'}"
    if (follow := reach(change, entry.reading.findings)) > 1:
        yield f"{follow} files or names had to follow"
    if (beside := aside(change, ())) is not None:
        yield f"only {beside.what}" if beside.what else _ASIDE[beside.why]
    yield from (f"proved: {mark}" for mark in entry.marks)
    if found is not None and found.switch:
        yield f"only with {found.switch}"
    if found is not None and found.has:
        yield (
            "the newest release has the lines that it replaces" if found.unsaid else "the newest release has the fault"
        )
    elif unaffected(entry):
        yield f"the newest release pins {found.pin}" if found is not None and found.pin else "no release has the fault"


_ASIDE = {"not_yours": "of few", "elsewhere": "of few", "few": "of a part that few run", "one_model": "of one model"}


def _proved(entry: Entry) -> list[Text]:
    """What findings show that breaks, in the words of the rules."""
    breaks = {f"finding:{one.id}" for one in entry.reading.findings if mark_of(one)}
    own = (
        one.text
        for one in entry.statements
        if one.author != "model" and one.role == "what" and breaks & {*one.evidence}
    )
    return [unplaced(text) for text in own][:_FACTS]

"""Worth knowing: the changes below the first screen that say themselves what they do, by area of work, one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.day import MOST_WORTH, Action, WorkArea
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Level, Statement, Text
from daybreak.core.words import known, say
from daybreak.core.words.brief import brief
from daybreak.core.words.grammar import ended, large, small
from daybreak.judge.headline import quoted_title, unplaced
from daybreak.judge.reach import concerns_few
from daybreak.judge.work_areas import area_name, area_of, in_order

_RANK: dict[Level, int] = {"high": 0, "medium": 1, "low": 2}
_WORDS = 30
_SPARE = 12
"""How many more are offered than shown: a check may drop some."""
_TITLE = 110
"""Characters of a title in front of its sentence."""


class Line(NamedTuple):
    """One change with the area that it is told in."""

    area: str
    action: Action


def lines(repos: Sequence[RepoReport], above: Iterable[Action]) -> list[Line]:
    """By grade, then by how many it reaches; nothing that stands above, of one story one change, and some to spare."""
    told = {(action.repo, sha) for action in above for sha in action.commits}
    chosen: list[Line] = []
    for repo, entry, said in sorted(_candidates(repos), key=lambda found: _order(*found[:2])):
        keys = {(repo.repo.name, entry.change.sha), *([(repo.repo.name, entry.story)] if entry.story else [])}
        if keys & told:
            continue
        told |= keys
        chosen.append(Line(area_of(entry), _action(repo, entry, said)))
        if len(chosen) == MOST_WORTH + _SPARE:
            break
    return chosen


def by_area(found: Iterable[Line]) -> tuple[WorkArea, ...]:
    """The first of them that there is room for, each under its area."""
    areas: dict[str, list[Action]] = {}
    for area, action in islice(found, MOST_WORTH):
        areas.setdefault(area, []).append(action)
    return tuple(WorkArea(_named(area), tuple(areas[area])) for area in in_order(areas))


def sentence_of(entry: Entry) -> Gist | None:
    """What a change does in one sentence, without the file it stands in; where a model told it, in its words."""
    for one in entry.statements:
        if one.author == "model" and one.role == "what":
            return Gist(one.text, "model", findings=_cited(one))
    return replace(entry.gist, text=ended(unplaced(entry.gist.text))) if entry.gist is not None else None


def _cited(one: Statement) -> tuple[str, ...]:
    return tuple(name.removeprefix("finding:") for name in one.evidence if name.startswith("finding:"))


def _named(area: str) -> Text:
    """As a heading."""
    if not area:
        return say("judge.worth.elsewhere")
    return large(area_name(area)) if known("judge.area", area) else area_name(area)


def _candidates(repos: Sequence[RepoReport]) -> Iterator[tuple[RepoReport, Entry, Text]]:
    for repo in repos:
        for entry in repo.entries:
            if entry.importance.level == "low" or entry.change.filtered or entry.change.skipped:
                continue
            said = sentence_of(entry)
            if said is not None:
                yield repo, entry, said.text


def _order(repo: RepoReport, entry: Entry) -> tuple[int, bool, float, str, str]:
    level, change = entry.importance, entry.change
    return _RANK[level.level], concerns_few(change), -level.score, repo.repo.name, change.sha


def _action(repo: RepoReport, entry: Entry, said: Text) -> Action:
    text = say("judge.worth.entry", title=quoted_title(entry, _TITLE), said=small(brief(said, _WORDS)))
    found = sentence_of(entry)
    return Action(repo.repo.name, (entry.change.sha,), ended(text), found.findings if found else ())

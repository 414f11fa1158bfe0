"""Worth knowing: the changes below the first screen that say themselves what they do, by area of work, one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.day import MOST_WORTH, Action, WorkArea
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Level, Statement, Text
from daybreak.core.words import known, say
from daybreak.core.words.brief import brief, unplaced
from daybreak.core.words.grammar import ended, large, small
from daybreak.judge.conditions import met_on
from daybreak.judge.exposure import dated, is_known, put_back
from daybreak.judge.headline import titled
from daybreak.judge.importance import offers
from daybreak.judge.model_reading import Steps, told_by_model, told_within
from daybreak.judge.reach import concerns_few
from daybreak.judge.rows import row
from daybreak.judge.work_areas import area_name, area_of, in_order

_RANK: dict[Level, int] = {"high": 0, "medium": 1, "low": 2}
_WORDS, _TOLD_WORDS = 30, 45
"""Of a line; of one that a model tells, which is one sentence and not cut for a few words."""
_SPARE = 12
"""How many more are offered than shown: a check may drop some."""
_TITLE = 110
"""Characters of a title in front of its sentence."""


Tags = Mapping[tuple[str, str], str]
"""Repository and sha of what asks for action -> what kind of thing it is to act on."""


class Line(NamedTuple):
    """One change with the area that it is told in."""

    area: str
    action: Action


def lines(repos: Sequence[RepoReport], above: Iterable[Action], tags: Tags) -> list[Line]:
    """What asks for action and has no room above; then by grade, and by how many it reaches; of one story one change, and
    some to spare.
    """
    told = {(action.repo, sha) for action in above for sha in action.commits}
    chosen: list[Line] = []
    for repo, entry, said in sorted(_candidates(repos, tags), key=lambda found: _order(found[0], found[1], tags)):
        keys = {(repo.repo.name, entry.change.sha), *([(repo.repo.name, entry.story)] if entry.story else [])}
        if keys & told:
            continue
        told |= keys
        tag = tags.get((repo.repo.name, entry.change.sha), "")
        chosen.append(Line(area_of(entry), replace(_action(repo, entry, said), tag=tag)))
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
    """What a change does in one sentence, without the file it stands in; where a model told it, in its words: what tells the
    whole, and of a change that has no paragraph elsewhere what is said besides. A sentence that does not stand alone is none.
    """
    text = told_within(entry, _WORDS if entry.importance.level == "low" else 0, _ROLES)
    if text is not None:
        used = [one for one in told_by_model(entry) if all(said in text[lang] for lang, said in one.text.items())]
        return Gist(text, "model", findings=tuple(dict.fromkeys(name for one in used for name in _cited(one))))
    return replace(entry.gist, text=ended(unplaced(entry.gist.text))) if entry.gist is not None else None


_ROLES: Steps = (("what",), ("why",), ("impact",), ("action",), ("risk",))


def _cited(one: Statement) -> tuple[str, ...]:
    return tuple(name.removeprefix("finding:") for name in one.evidence if name.startswith("finding:"))


def _named(area: str) -> Text:
    """As a heading."""
    if not area:
        return say("judge.worth.elsewhere")
    return large(area_name(area)) if known("judge.area", area) else area_name(area)


def _candidates(repos: Sequence[RepoReport], tags: Tags) -> Iterator[tuple[RepoReport, Entry, Gist]]:
    for repo in repos:
        for entry in repo.entries:
            asks = (repo.repo.name, entry.change.sha) in tags
            if entry.change.filtered or entry.change.skipped or not (asks or _is_worth(entry)):
                continue
            said = sentence_of(entry)
            if said is not None:
                yield repo, entry, said


def _is_worth(entry: Entry) -> bool:
    """What is not low; behind it what users can set or choose from now on, and speed that nobody measured."""
    quiet = all(reason.code == "unshown" for reason in entry.importance.reasons)
    return entry.importance.level != "low" or (quiet and (entry.kind == "perf" or offers(entry.reading)))


def _order(repo: RepoReport, entry: Entry, tags: Tags) -> tuple[bool, int, bool, float, str, str]:
    level, change = entry.importance, entry.change
    quiet = (repo.repo.name, change.sha) not in tags
    return quiet, _RANK[level.level], concerns_few(change), -level.score, repo.repo.name, change.sha


def _action(repo: RepoReport, entry: Entry, said: Gist) -> Action:
    text = ended(say("judge.worth.entry", title=titled(entry, _TITLE), said=small(_fitting(entry, said))))
    if is_known(entry.exposure):
        text = dated(met_on(text, entry), entry, "fix", picks=True)
    return Action(repo.repo.name, (entry.change.sha,), put_back(text, entry), said.findings)


def _fitting(entry: Entry, said: Gist) -> Text:
    """As many words as a line holds; of what a model told the first."""
    own = row(entry, _WORDS, short=False) if said.source != "model" else None
    return own or brief(said.text, _WORDS if said.source != "model" else _TOLD_WORDS)

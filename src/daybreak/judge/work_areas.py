"""Areas of work: which part of a project a change is about, by the paths of the code that it touches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.profiles import generic, profile_of
from daybreak.core.words import known, term
from daybreak.core.words.grammar import alike, code
from daybreak.core.words.phrases import REFERENCE, table
from daybreak.judge.change_kinds import front

_LONGEST = 300
"""Characters at the end of a path that say where it belongs."""
_MOST_FILES = 2000


def area_of(entry: Entry) -> str:
    """The area that a change among others is about."""
    return work_area(entry.change, entry.reading)


def work_area(change: Change, reading: Reading) -> str:
    """The area that most of its changed lines lie in; of a project that nobody wrote down, the folder, unless that is all of it."""
    weights: Counter[str] = Counter()
    for file in front(change)[:_MOST_FILES]:
        weights[_area(change.repo, file.path[-_LONGEST:])] += file.added + file.deleted + 1
    if not weights:
        return ""
    best = min(weights, key=lambda area: (-weights[area], area))
    if best or profile_of(change.repo).repo:
        return best
    folder = next(iter(reading.components), "")
    return "" if folder.rpartition("/")[2].lower() == change.repo.rpartition("/")[2].lower() else folder


@lru_cache(maxsize=8192)
def _area(repo: str, path: str) -> str:
    own = profile_of(repo)
    areas = own.of_area or generic().of_area
    return next((area for area, pattern in areas if pattern.search(path)), "")


def area_name(area: str) -> Text:
    """What readers call it; a folder is called what it is called."""
    return term("judge.area", area) if known("judge.area", area) else alike(code(area))


def in_order(areas: Iterable[str]) -> list[str]:
    """As the catalogue has them, then folders by name, then what has no area."""
    places = {
        key.rpartition(".")[2]: at
        for at, key in enumerate(k for k in table(REFERENCE, "judge") if k.startswith("area."))
    }
    return sorted(areas, key=lambda area: (not area, places.get(area, len(places)), area))

"""Order of what the screen shows: what most of its readers meet in silence first, and what few meet last, whatever it does to them.

Which changes have a place there is decided by their value (`first_screen.py`). Which of them is read first, and stands in titles of
messages and pages, is decided here: first the kind of harm on the path that everybody runs, then the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.report import Entry
from daybreak.core.profiles import either, field, profile_of
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge.action_answers import FIXES, Does, Made
from daybreak.judge.breaking import mark_of
from daybreak.judge.change_kinds import front
from daybreak.judge.entry_words import Candidate
from daybreak.judge.exposure import shows_fault
from daybreak.judge.reach import aside, hardware
from daybreak.judge.work_areas import area_of

_SURFACE: frozenset[Does] = frozenset({"breaks", "refuses", "default", "rejects"})
"""What users type, send or set is gone, refused or another."""
_BUILT: frozenset[Does] = frozenset({"requires", "releases"})
_INSIDE: frozenset[Does] = frozenset({"fork", "fork_few", "breaks_one"})
"""What those meet who write against the project."""
_OF_FEW: frozenset[Does] = frozenset({"breaks_few"})
_LAST = 9
FULL = 0.32
"""Value of a fix of which a release has the fault, on what every request runs through."""


def in_order(shown: Sequence[Candidate]) -> list[Candidate]:
    """The same changes; those of one place stay as they are, by their value."""
    return sorted(shown, key=_place)


def users_first(ranked: Sequence[Candidate]) -> list[Candidate]:
    """What breaks plug-ins and forks alone stands behind what breaks users, however much was built on it."""
    last = max((at for at, one in enumerate(ranked) if one.tag in ("security", "breaks")), default=-1) + 1
    return [*sorted(ranked[:last], key=lambda one: one.tag == "fork"), *ranked[last:]]


def pins_last(shown: Sequence[Candidate]) -> list[Candidate]:
    """Where a model gave the places, another version of a dependency stands behind what breaks or befalls those who run the project, and behind all else where
    the title is of an example, a test or CI.
    """
    last = max((at for at, one in enumerate(shown) if one.tag in _GRAVER), default=-1) + 1
    behind = [*sorted(shown[:last], key=lambda one: one.tag == "build"), *shown[last:]]
    return sorted(behind, key=_is_beside_code)


_GRAVER = frozenset({"security", "breaks", "corrupts", "crash", "default", "rejects"})


def _place(one: Candidate) -> int:
    """Security, silent wrong results that a release gives by default, what ends or is mended there with all that shows it, what users
    set or send, what images need, other faults, what forks build on, and all else; at the end what few meet.
    """
    does = one.made.does
    if does == "security":
        return 0
    if is_narrow(one):
        return _LAST
    # What one model gives wrong in silence is told, behind this.
    by_all = aside(one.entry.change, one.made.findings) is None
    if by_all and does in ("corrupts", "stops", "mends") and shows_fault(one.entry) and one.value >= FULL:
        return 1 if does == "corrupts" else 2
    if does in _SURFACE or does == "corrupts":
        return 6 if does == "default" and _is_off_the_path(one.entry) else 3
    return _place_behind(one)


def _place_behind(one: Candidate) -> int:
    """What images need, other faults, what forks build on, and all else."""
    does = one.made.does
    if does in _BUILT:
        return 4
    if does in FIXES:
        return 5 if shows_fault(one.entry) else 6
    return 6 if does in _INSIDE else 7


def _is_off_the_path(entry: Entry) -> bool:
    """Neither on what every request runs through, nor where much rests, nor where requests and flags come in."""
    known = profile_of(entry.change.repo).repo
    return bool(known) and area_of(entry) not in (*field().heart, *field().trunk, *field().shell)


def is_narrow(one: Candidate) -> bool:
    """Few meet it: by its files or its switch, by the hardware that its title names, or because they have to ask for it first. What only
    watches a service alters none of its answers.
    """
    made, entry = one.made, one.entry
    if one.few or made.does in _OF_FEW or is_idle(made) or _is_asked_for(made):
        return True
    named = hardware(_NAMES.sub(" ", entry.change.subject[:400]))
    return (bool(named) and named.isdisjoint(field().most_have)) or _is_beside_code(one) or only_watches(entry)


_NAMES = re.compile(r"`[^`]{0,200}`|\b\w{1,80}_\w{1,80}\b")
"""Names of code in a title: a `cpu_group` is for no hardware."""


def is_idle(made: Made) -> bool:
    """All that users meet is that a variable of the environment is not read any more: nothing fails that sets it."""
    gone = [kind_of(f.kind) for f in made.findings if mark_of(f) == "breaks"]
    return bool(gone) and all(kind.surface == "environment" and kind.change in GONE for kind in gone)


def _is_asked_for(made: Made) -> bool:
    """An extra and what it was for: who installs the package as it is has none of it."""
    families = {kind_of(f.kind).family for f in made.findings}
    return not families.isdisjoint(_EXTRAS) and families <= _EXTRAS | {"registry", "module"}


_EXTRAS = frozenset({"extra", "extra_dependency"})


def _is_beside_code(one: Candidate) -> bool:
    return one.tag == "build" and _BESIDE_CODE.search(one.entry.change.subject[:400]) is not None


_BESIDE_CODE = re.compile(r"\b(?:examples?|tests?|CI)\b", re.IGNORECASE)


def only_watches(entry: Entry) -> bool:
    paths = [file.path[-300:] for file in front(entry.change)]
    return entry.kind == "fix" and bool(paths) and all(map(either(field().watching, re.IGNORECASE).search, paths))

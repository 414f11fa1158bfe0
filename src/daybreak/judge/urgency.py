"""How urgent a change is to someone who upgrades tonight: not how newsworthy it is, but what it does to what runs.

A new model is important and asks for nothing; a small repair of wrong results is the reverse. So the first screen has
a scale of its own, set by hand: what a change is shown to do decides, what concerns few stands lower, and among equals
the grade decides. Nothing here adds an item that is of low importance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind
from daybreak.judge import change_kinds
from daybreak.judge.change_kinds import elsewhere, front
from daybreak.judge.faults import fault

SECURITY = 12.0
BREAKS_SETTING = 11.0
"""A flag, variable, route, request field or metric that is gone: the deployment does not start, or goes dark."""
BREAKS_API = 8.5
BREAKS_REQUIREMENT = 9.0
"""Another torch, CUDA or kernel library: images and wheels built on the old one do not go on."""
CHANGES_DEFAULT = 8.0
SWITCHES = 7.0
"""Code that users ran does nothing from now on, or runs again."""
TIGHTENS = 7.0
"""What was accepted is rejected."""
REQUIRES = 7.0
TAKEN_BACK = 6.5
WRONG_RESULT = 6.5
BREAKS_FEW = 6.5
"""A model or a registered name that is gone stops those who run it, and nobody else."""
REGRESSION = 6.0
HANG = 6.0
CRASH = 5.5
DEPRECATES = 5.5
BREAKS_INTERNALS = 4.5
"""Operators, C++ and names of modules are called by the project itself and by few others."""
BEHAVES_OTHERWISE = 4.0
LEAVES_OPEN = 4.0
"""A default that becomes None: code decides from now on, mostly as before."""
REPAIRS = 3.5
ADDS = 3.0

UNSURE = 1.0
"""How much lower a repair stands that no release needs."""
NOBODY_HAS_IT = 4.0
"""How much lower stands what takes a name away that no release had."""
RELEASED = 2.7
"""How much graver a repair is whose fault the newest release has."""

LEAST = 5.0
"""Below this an item is not worth a line of the first screen."""
_GRADE = 3.0
"""How far the grade moves a change on the scale."""
_FEW = 4.0
"""How much lower stands what concerns few."""

_BASES = {"wrong_result": WRONG_RESULT, "regression": REGRESSION, "hang": HANG, "crash": CRASH}


class Repair(NamedTuple):
    """What a fix says that it repairs."""

    kind: str
    word: str
    """The word that says it."""
    base: float


def repaired(change: Change, kind: Kind) -> Repair | None:
    """What a fix says that it repairs, and how urgent that is."""
    found = fault(change, kind)
    return Repair(found.kind, found.word, _BASES[found.kind]) if found else None


def concerns_few(change: Change, shown: Sequence[Finding] = ()) -> bool:
    """What users run of it, what is told of it, or its title is of hardware or of a part that few have."""
    paths = [file.path for file in front(change)]
    told = [finding.path for finding in shown] or paths
    return change_kinds.concerns_few(paths) or change_kinds.concerns_few(told) or elsewhere(change)


def rank(entry: Entry, base: float, shown: Sequence[Finding] = ()) -> float:
    """Where a change stands; what stops a deployment or makes it unsafe is not moved below what it is."""
    return gravity(entry, base, shown) + _GRADE * entry.importance.score


def gravity(entry: Entry, base: float, shown: Sequence[Finding] = ()) -> float:
    """Where a change stands among those shown: by what it does, and below others where it concerns few."""
    return base - _FEW if base < BREAKS_SETTING and concerns_few(entry.change, shown) else base

"""The value of a change for the first screen: what it does × where it lies × whom it reaches × what shows it.

Each factor is one table here. They were set by the lists of nine days that readers made blind (`eval/judged_days.jsonl`); `make judged`
holds reports beside them. What one reader lists among fifty others' fixes is not known better than that: no factor has more than one digit of truth.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from daybreak.core.model.report import Entry
from daybreak.core.profiles import field, profile_of
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.languages.python_public import is_plugin_name
from daybreak.judge.action_answers import FIXES, Does, Made
from daybreak.judge.breaking import is_of_few
from daybreak.judge.entry_words import OF_FORKS
from daybreak.judge.exposure import is_opt_in, spared
from daybreak.judge.faults import fault
from daybreak.judge.reach import WIDE, aside, reach
from daybreak.judge.screen_order import is_idle, only_watches
from daybreak.judge.work_areas import area_of

Where = Literal["inside", "shell", "outside"]
"""In what much rests on or every request runs through; where requests and flags come in; elsewhere."""


class Weight(NamedTuple):
    """What something does to somebody who upgrades tonight, and the part of it that is left by where it lies."""

    harm: float
    shell: float = 1.0
    outside: float = 0.5


_SECURITY, _IDLE, _FORK = Weight(0.65, 0.9, 0.7), Weight(0.6), Weight(0.66, 0.5, 0.4)
_WEIGHTS: dict[Does, Weight] = {
    "security": _SECURITY,
    "breaks": Weight(0.97),
    "default": Weight(0.93, 1.0, 0.8),
    "refuses": Weight(0.9),
    "corrupts": Weight(0.95, 0.8, 0.7),
    "requires": Weight(0.8, 1.0, 1.0),
    "fork": _FORK,
    "releases": Weight(0.75, 1.0, 1.0),
    "stops": Weight(0.75, 0.7, 0.5),
    "breaks_one": Weight(0.6),
    "mends": Weight(0.55, 0.5, 0.35),
    "announced": Weight(0.5),
    "taken_back": Weight(0.5),
    "regression": Weight(0.5, 0.5, 0.3),
    "fork_few": Weight(0.45, 0.4, 0.15),
    "deprecates": Weight(0.4),
    "rejects": Weight(0.35),
    "breaks_few": Weight(0.3),
    "otherwise": Weight(0.3),
    "adds": Weight(0.2),
    "needs": Weight(0.1, 1.0, 1.0),
}
"""`_IDLE`: all that users meet is a variable of the environment that is not read any more. `_FORK`: what those outside implement, or
what is gone that much of the project had to follow; any other name weighs as `fork_few`.
"""
FEW_OF_ALL, FEW = 0.7, 0.2
_ONE_MODEL, _WATCHED, _FARTHEST = 0.6, 0.3, 100
"""Those of one model, of a few settings, who ask for it or have other hardware; what only watches a service alters no answer of it."""
_UNKNOWN, _IN_NO_RELEASE, _NO_WORDS, _NO_TEST, _HALF_SHOWN, _LATER = 0.9, 0.5, 0.75, 0.8, 0.75, 0.5
_NAMED = 1.6
"""A fix whose title names a grave fault that nothing else bears out."""


def value_of(entry: Entry, made: Made) -> float:
    """What forks have to follow for a repair weighs no less than the repair."""
    repair = made.does in OF_FORKS and entry.kind == "fix" and has_fault(entry)
    beside = _placed(_WEIGHTS["mends"], entry) * _shown(entry, "mends") if repair else 0.0
    weighed = _placed(_weight(entry, made), entry) * reached(entry, made) * _borne_out(entry, made)
    return max(weighed, beside)


def _weight(entry: Entry, made: Made) -> Weight:
    if made.does in OF_FORKS:
        return _FORK if is_built_on(entry, made) else _WEIGHTS["fork_few"]
    return _IDLE if made.does == "breaks" and is_idle(made) else _WEIGHTS[made.does]


def _placed(weight: Weight, entry: Entry) -> float:
    where = _where(entry)
    return weight.harm * (weight.shell if where == "shell" else weight.outside if where == "outside" else 1.0)


def _where(entry: Entry) -> Where:
    """Of a project that nobody wrote down it is not known: all of it counts."""
    if not profile_of(entry.change.repo).repo:
        return "inside"
    part = area_of(entry)
    return "inside" if part in (*field().heart, *field().trunk) else "shell" if part in field().shell else "outside"


# --- whom it reaches ---


def reached(entry: Entry, made: Made) -> float:
    """Everybody, or those of one model or of a part that few have; a name that goes reaches as many files as follow."""
    if is_opt_in(entry) and made.does in FIXES:
        return FEW
    if made.does in FIXES and only_watches(entry):
        return _WATCHED
    found = aside(entry.change, made.findings) if made.does != "security" else None
    if found is None:
        few = made.does == "breaks" and made.findings and all(map(is_of_few, made.findings))
        follow = reach(entry.change, entry.reading.findings) if made.does in OF_FORKS else _moved_files(entry)
        far = min(follow, _FARTHEST) / 1000
        return FEW_OF_ALL if few else 1 + far
    if found.why == "one_model" and made.does == "corrupts" and has_fault(entry):
        return 1.0  # a release gives wrong results to all who run that model: nobody else tells them
    return _ONE_MODEL if found.why == "one_model" else FEW


def _moved_files(entry: Entry) -> int:
    """Files of a source tree that lies elsewhere: each patch of a fork has to follow."""
    moves = any(kind_of(f.kind).family == "tree" for f in entry.reading.findings)
    return entry.change.files_total if moves else 0


def is_built_on(entry: Entry, made: Made) -> bool:
    """What those outside implement, or what is gone that so much had to follow that they use it too."""
    gone = (f for f in made.findings if kind_of(f.kind).change in GONE)
    return _is_implemented(entry, made) or any(reach(entry.change, (one,)) >= WIDE for one in gone)


def is_inside(entry: Entry, made: Made) -> bool:
    """Nobody outside implements it, and nothing is gone that they could import: it is built and called inside, with more than before."""
    gone = any(kind_of(f.kind).change in GONE for f in made.findings)
    return bool(made.findings) and not gone and not _is_implemented(entry, made)


def _is_implemented(entry: Entry, made: Made) -> bool:
    """A contract: of a project that somebody wrote down, of a class that plug-ins are known to derive from."""
    profile = profile_of(entry.change.repo)
    contracts = (f.symbol.partition("(")[0].split(".") for f in made.findings if kind_of(f.kind).family in _CONTRACTS)
    return any(not profile.repo or any(is_plugin_name(name, profile) for name in names) for names in contracts)


_CONTRACTS = frozenset({"base", "extension_method", "extension_return", "sent_field"})

# --- what shows it ---


def _borne_out(entry: Entry, made: Made) -> float:
    """A finding shows all; a fix is worth what a release has of the fault."""
    if made.does not in FIXES:
        later = made.does == "breaks_one" and all(f.effective for f in made.findings)  # with a package of its own
        known = made.findings or made.told is not None or made.does == "security"
        return (1.0 if known else _HALF_SHOWN) * (_LATER if later else 1.0)
    return _shown(entry, made.does)


def _shown(entry: Entry, does: Does) -> float:
    """Whether a release has the fault, and where the fix names none, what its author says of it and a test that comes with it."""
    known = 1.0 if has_fault(entry) else _IN_NO_RELEASE if spared(entry) else _UNKNOWN
    if does in ("corrupts", "stops"):
        return known
    source = entry.gist.source if entry.gist is not None else "line"
    named = fault(entry.change, entry.kind, entry.gist)
    doubted = _NAMED if named is not None and not named.shown else 1.0
    return (
        known
        * doubted
        * (_NO_WORDS if source == "line" else 1.0)
        * (1.0 if "test" in entry.reading.areas else _NO_TEST)
    )


def has_fault(entry: Entry) -> bool:
    """The newest release has what the change puts right."""
    return entry.exposure is not None and entry.exposure.has is True

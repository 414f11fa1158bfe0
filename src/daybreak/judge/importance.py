"""The grade of a change: what it does to what runs, as far as something shows it, and whom it reaches.

`EFFECTS` is the whole scale, the gravest first. The first effect that is shown gives the level for whoever runs the
default path; what reaches one model, a part that few run or hardware that the reader does not have stands one level
lower, and what is shown to do nothing is low. Shown by a finding, by statements that users' settings and requests meet,
or by the author of a fix who says, where it alters what users run, what went wrong: no other word of a title decides
anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Area, Finding, Reading
from daybreak.core.model.quotes import Gist
from daybreak.core.model.statements import Importance, Kind, Level, Reason
from daybreak.core.profiles import field, profile_of
from daybreak.core.words import say, term
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.quotes.announced import is_to_go
from daybreak.judge.breaking import LOOKS_IN, is_core, is_of_few, mark_of, said_by
from daybreak.judge.change_kinds import (
    GAIN,
    bare,
    chosen_by,
    claims_default,
    front,
    is_front,
    is_quiet,
    lines,
    moved_root,
    tags,
)
from daybreak.judge.effect import alters, statements
from daybreak.judge.faults import Fault, as_said, fault
from daybreak.judge.hazards import says_stop
from daybreak.judge.phrases import lifted_bound
from daybreak.judge.purpose import is_longer_list
from daybreak.judge.reach import EVERYBODY, Aside, aside, is_wide
from daybreak.judge.rejections import refuses_start
from daybreak.judge.robots import is_routine
from daybreak.judge.work_areas import work_area


class Case(NamedTuple):
    """One change, and what is asked of it more than once."""

    change: Change
    kind: Kind
    findings: Sequence[Finding]
    """Of what users are given."""
    fault: Fault | None
    said: Gist | None
    """What it does in one sentence, of what alters source; none where nothing says it."""
    runs: bool
    """It alters source that users run."""
    tested: bool
    """A test comes with it."""
    area: str


class Shown(NamedTuple):
    """What shows an effect."""

    reason: Reason
    at: tuple[Finding, ...] = ()
    """The findings; none where the change as a whole shows it."""


# --- The scale: what a change does, and what shows it ---


def _security(case: Case) -> Shown | None:
    return _whole("security") if case.kind == "security" else None


def _breaks(case: Case) -> Shown | None:
    """What users set, send, call or install is gone or another; a default that is left open is less grave."""
    if case.kind == "revert":  # what it takes back came a moment ago
        return None
    return _found(case, lambda f: mark_of(f) == "breaks" and not is_of_few(f) and not _is_left_open(f))


def _is_left_open(finding: Finding) -> bool:
    """It is chosen elsewhere, or is a variable that the program sets where nobody does."""
    own = kind_of(finding.kind).slot == "env_given"
    return kind_of(finding.kind).change == "default_changed" and (finding.after == "None" or own)


def _corrupts(case: Case) -> Shown | None:
    found = case.fault
    if found is None or found.hazard.does != "corrupts" or not _is_met(case):
        return None
    return Shown(Reason("corrupts", as_said("corrupts", found)))


def _is_met(case: Case) -> bool:
    """Words or lines of what users run bear out what the title says."""
    return case.fault is not None and case.fault.shown


def _crash(case: Case) -> Shown | None:
    """It stopped under load, or it stood still, and the title says so, or the message in the sentence that tells it."""
    return None if case.fault is None or case.fault.hazard.at_once or _stopped(case) == "leak" else _ends(case)


def _ends(case: Case) -> Shown | None:
    """It stopped at the first try, which whoever has it knows, or stops in the end: a leak another place has to bear out."""
    found, name = case.fault, _stopped(case)
    if found is None or not name or (name == "leak" and found.quote is None):
        return None
    return Shown(Reason(name, as_said(name, found)))


def _stopped(case: Case) -> str:
    found = case.fault
    if found is None or found.hazard.does != "stops" or case.said is None or not _is_met(case):
        return ""
    quote = found.quote
    said = quote and (quote.source == "line" or (quote.source == "body" and says_stop(quote.text)))
    return "" if not (found.titled or said) else found.hazard.name if found.hazard.name in ("hang", "leak") else "crash"


def _by_default(case: Case) -> Shown | None:
    """What runs where nobody sets anything is another: the title says so, and statements that stood there are others."""
    title = tags(case.change.subject)
    if case.said is None or _OF_TESTS.search(title) or _looks_in(title) or not claims_default(case.change.subject):
        return None
    ours = (file for file in front(case.change) if not _looks_in(file.path[-200:]))
    stood = (line for file in ours for line in statements(file, "-"))
    return _whole("by_default") if next(stood, None) is not None else None


def _looks_in(text: str) -> bool:
    """Where a program tells what it does: another default there is another line in a log."""
    return _LOG.search(text) is not None or LOOKS_IN.search(text) is not None


_LOG = re.compile(r"(?<![a-z])(?:log(?:s|ging|gers?)?|warnings?)(?![a-z_-]|\s(?:prob|sum|soft|lik))", re.IGNORECASE)


def _refuses(case: Case) -> Shown | None:
    """What started with a warning until now does not start."""
    return _found(case, lambda f: refuses_start(case.change, f)) if case.kind != "revert" else None


def _fork(case: Case) -> Shown | None:
    """What plug-ins implement, what programs send each other or where sources lie is another."""
    if case.kind == "revert":
        return None
    found = _found(case, lambda f: _is_contract(f, case.change))
    return found or (_whole("moved") if moved_root(case.change) else None)


def _taken_back(case: Case) -> Shown | None:
    """What is taken back and somebody builds on; all else that a revert takes back came a moment ago."""
    return _whole("revert") if case.kind == "revert" and _is_marked(case) else None


def _is_marked(case: Case) -> bool:
    return any(mark_of(finding) is not None for finding in case.findings)


def _mends(case: Case) -> Shown | None:
    """Any other fix that words or a test bear out; in a part of the project that is known by name its lines do."""
    title = case.change.subject[:400]
    of_tests = _OF_TESTS.search(tags(title)) or _MENDED_TEST.search(bare(title))
    if case.kind != "fix" or not case.runs or of_tests or _LOG.search(title) or (case.said or case.fault) is None:
        return None  # what nobody tells, and no fault is named of
    known = case.tested or case.area in profile_of(case.change.repo).areas
    words = case.said is not None and {case.said.source, *(q.source for q in case.said.quotes)} != {"line"}
    return _whole("mends") if words or (known and alters(case.change)) else None


_OF_TESTS = re.compile(r"\b(?:CI|tests?|docs?)\b", re.IGNORECASE)
_MENDED_TEST = re.compile(r"\b(?:CI|tests?|docs?)(?: (?:failures?|errors?|cases?|suites?))?\s{0,4}$", re.IGNORECASE)
"""Tags of what puts checks or pages of the project right, and the end of a title that says so."""


def _told(case: Case) -> Shown | None:
    """What users set, send, install or import, or what is chosen or refused, is another: a finding that is always told."""
    open_to_all = _is_marked(case) or case.kind == "perf"

    def is_met(finding: Finding) -> bool:
        told = kind_of(finding.kind).told == "always" and not finding.inner and not _is_narrow(finding, case.change)
        return told and (open_to_all or not _is_offered(finding))

    return None if case.kind == "refactor" and not open_to_all else _found(case, is_met)


def _is_offered(finding: Finding) -> bool:
    """It came, or is allowed from now on, and refuses nobody: whoever does not ask for it meets nothing."""
    kind = kind_of(finding.kind)
    came = kind.change in CAME and kind.effect != "tightened"
    return came or kind.effect == "relaxed" or is_longer_list(finding)


def offers(reading: Reading) -> bool:
    """Users can set, send or choose something that they could not until now."""
    told = (f for f in reading.findings if kind_of(f.kind).told == "always" and not f.inner and is_front(f.path))
    return any(kind_of(f.kind).surface in _OFFERED and _is_offered(f) for f in told)


def _is_narrow(finding: Finding, change: Change) -> bool:
    """Hardly anybody meets it: its old name stays, only the project itself calls it, which goes with its callers, or it is
    another version of something small.
    """
    kind = kind_of(finding.kind)
    kept = finding.alias is not None and finding.alias.status == "kept" and not finding.breaking
    called = mark_of(finding) == "breaks_internals" and (kind.family in _CALLED or kind.means("function", "removed"))
    if kind.surface == "environment" and not _TESTS_IN.isdisjoint(finding.symbol.split("_")):
        return True
    moved = kind.effect == "pin" and not is_core(finding.symbol) and lifted_bound(finding) is None
    return kept or moved or kind.surface == "safe" or (called and not is_wide(change, finding))


_TESTS_IN = frozenset({"TEST", "TESTS", "TESTING", "CI"})
"""Words of variables that only those set who test the project."""


def _chooses(case: Case) -> Shown | None:
    """What requests run through is done by another library or kernel: the title says by which, and statements that stood
    there gave way to lines that name it.
    """
    by = chosen_by(case.change.subject) if case.kind not in ("fix", "revert") and case.said is not None else ""
    if not by or any(kind_of(f.kind).change == "added" and kind_of(f.kind).surface in _SET for f in case.findings):
        return None  # who does not ask for it meets it not
    named = any(by in line.lower() for line in lines(case.change, "+"))
    stood = (line for file in front(case.change) for line in statements(file, "-"))
    return _whole("chooses") if named and next(stood, None) is not None else None


def _deprecates(case: Case) -> Shown | None:
    """What users have is to go: words that they read say so."""
    said = case.said.quotes if case.said is not None else ()
    to_go = (q for q in said if q.source in _READ_BY_USERS and q.side == "added" and is_to_go(q))
    return _whole("deprecates") if next(to_go, None) is not None else None


_READ_BY_USERS = frozenset({"docs", "log", "help", "error", "changelog"})


def _noted(case: Case) -> Shown | None:
    """Its project tells users of it: a line of the changelog that comes with it."""
    return _whole("noted") if case.said is not None and case.said.source == "changelog" else None


def _speeds(case: Case) -> Shown | None:
    """What is quicker or smaller, by how much: what only says so is told below. Of tuned values the title says it."""
    if case.kind != "perf":
        return None
    figures = f"{case.change.subject[:400]} {case.change.body[:4000] if case.said else ''}"
    return _whole("speeds") if GAIN.search(figures) else None


def _works(case: Case) -> Shown | None:
    """What every request runs through works otherwise: its author says how, and a test that comes with it holds it."""
    if case.kind not in _WORK or not case.tested or case.said is None or case.said.source == "line":
        return None
    if case.kind == "feature" and not _is_marked(case):
        return None  # what only came is met by those who ask for it
    return _whole("works") if case.area in (*field().heart, *field().trunk) else None


_WORK: frozenset[Kind] = frozenset({"feature", "perf", "other"})


EFFECTS: tuple[tuple[Level, Callable[[Case], Shown | None]], ...] = (
    ("high", _security),
    ("high", _breaks),
    ("high", _corrupts),
    ("high", _crash),
    ("high", _by_default),
    ("high", _refuses),
    ("high", _fork),
    ("medium", _ends),
    ("medium", _taken_back),
    ("medium", _mends),
    ("medium", _told),
    ("medium", _chooses),
    ("medium", _deprecates),
    ("medium", _noted),
    ("medium", _speeds),
    ("medium", _works),
)
"""The level of each effect for whoever runs the default path, the gravest first. All else is low."""

_SET = frozenset({"cli", "environment", "config", "server"})
_OFFERED = _SET | {"models", "metrics", "operators"}
_CONTRACTS = frozenset({"extension_method", "extension_return", "frame"})
_CALLED = frozenset({"internal_parameter", "internal_field", "cpp", "macro"})
"""What the project calls itself, and hardly anybody else."""


def _is_contract(finding: Finding, change: Change) -> bool:
    kind = kind_of(finding.kind)
    if kind.family == "tree":
        return True
    new = kind.change in CAME or (kind.change == "renamed" and kind.surface != "extension")  # one word to follow
    met = kind.means("operator", "removed")  # those outside call it by its name
    met = met or (kind.means("internal_field", "removed") and is_wide(change, finding))  # or read it
    return (met or (not new and kind.family in _CONTRACTS)) and mark_of(finding) == "breaks_internals"


def _found(case: Case, holds: Callable[[Finding], bool]) -> Shown | None:
    found = [f for f in case.findings if holds(f)]
    return Shown(said_by(found[0]), tuple(found)) if found else None


def _whole(code: str) -> Shown:
    return Shown(_reason(code))


def _reason(code: str) -> Reason:
    return Reason(code, term("judge.reason", code))


def _lower(few: Aside) -> Reason:
    """Why it stands one level lower than its effect."""
    if few.why == "few":
        return Reason("few", term("judge.reason", "trained" if few.what else "few"))
    if few.why == "one_model":
        return Reason("one_model", term("judge.reason", "one_parser" if few.what else "one_model"))
    if not few.what:
        return _reason(few.why)
    words = (
        say("judge.grade.not_yours", what=few.what)
        if few.why == "not_yours"
        else say("judge.grade.elsewhere", what=few.what)
    )
    return Reason("not_yours", words)


# --- The grade ---


_DOWN: dict[Level, Level] = {"high": "medium", "medium": "low", "low": "low"}
_SPAN: dict[Level, tuple[float, float]] = {"high": (0.9, 1.0), "medium": (0.5, 0.9), "low": (0.1, 0.5)}
"""Where the scores of a level lie: within it by the place on the scale, and by size a little."""
NOTHING = 0.02
MAX_REASONS = 3


def importance(
    change: Change, reading: Reading, kind: Kind, said: Gist | None, reader: ReaderConfig = EVERYBODY
) -> Importance:
    """The grade of one change for one reader; `said`: the sentence that tells it."""
    if change.filtered:
        return Importance("low", 0.0, (Reason("filtered", say("judge.grade.filtered")),))
    if change.skipped is not None:
        return Importance("medium", 0.5, (Reason("unread", say("judge.grade.unread")),))
    if (without := _without_effect(change, reading)) is not None:
        return Importance("low", NOTHING, (without,))
    ours = [f for f in reading.findings if not f.awaited and (is_front(f.path) or kind_of(f.kind).family == "tree")]
    runs = not _CODE.isdisjoint(reading.areas)
    tested = any(_TEST.search(file.path[-200:]) for file in change.files)
    part = work_area(change, reading)
    case = Case(change, kind, ours, fault(change, kind, said), said if runs else None, runs, tested, part)
    if is_routine(change, reading) and _breaks(case) is None:
        return Importance("low", NOTHING, (Reason("robot", say("judge.grade.robot")),))
    return _graded(case, reader)


_TEST = re.compile(r"(?:^|[/_.-])tests?(?:[/_.]|$)|Tests?\.\w{1,5}$")
"""Files that hold a test; what only measures holds none."""


def _graded(case: Case, reader: ReaderConfig) -> Importance:
    found = list(_effects(case))
    if not found:
        return Importance("low", _score("low", len(EFFECTS), case.change), _unshown(case))
    graded = [(at, *_for_reader(case, full, shown, reader)) for at, full, shown in found]
    at, level, lower = min(graded, key=lambda one: tuple(_DOWN).index(one[1]))  # each effect by its own reach
    raising = [] if level == "low" else [one.reason for _, _, one in found]
    told = list({chosen(reason.text, REFERENCE): reason for reason in raising}.values())
    last = [] if lower is None else [lower]
    reasons = (*told[: MAX_REASONS - len(last)], *last)
    return Importance(level, _score(level, at, case.change), reasons)


def _for_reader(case: Case, full: Level, shown: Shown, reader: ReaderConfig) -> tuple[Level, Reason | None]:
    """The level of one effect for whoever meets it, and why that is lower than it is."""
    few = aside(case.change, shown.at, reader)
    if few is None:
        return full, None
    lower = _lower(few)
    # what a fix says of hardware that the reader has not is nothing to the reader
    return "low" if lower.code == "not_yours" and not shown.at else _DOWN[full], lower


def _unshown(case: Case) -> tuple[Reason, ...]:
    """Why nothing raises it. That we see no effect is no reason where a statement is another: it may well have one."""
    marks = {mark for f in case.findings if (mark := mark_of(f)) is not None}
    if marks == {"breaks_internals"}:
        return (_reason("inner"),)
    return () if marks or alters(case.change) else (_reason("unshown"),)


def _effects(case: Case) -> Iterator[tuple[int, Level, Shown]]:
    for at, (level, ask) in enumerate(EFFECTS):
        if (shown := ask(case)) is not None:
            yield at, level, shown


def _score(level: Level, at: int, change: Change) -> float:
    size = min(1.0, math.log10(1 + _size(change)) / 4)
    least, most = _SPAN[level]
    return round(least + (most - least) * (0.8 * (1 - at / len(EFFECTS)) + 0.19 * size), 4)


def _size(change: Change) -> int:
    return sum(file.added + file.deleted for file in front(change))


def scored_as(level: Level, score: float) -> float:
    """A score of another level, as near to what it was as this level has room for."""
    least, most = _SPAN[level]
    return min(max(score, least), most if level == "high" else most - _NEXT)


_NEXT = 0.001
"""By how much the best of a level stays below the next one."""

# --- What does nothing to what users run ---


_ONLY: tuple[tuple[str, frozenset[Area]], ...] = (
    ("only_docs", frozenset({"docs"})),
    ("only_test", frozenset({"test"})),
    ("only_ci", frozenset({"ci"})),
)
_CODE: frozenset[Area] = frozenset({"code", "api", "kernel"})
_BUILT: frozenset[Area] = frozenset({"build", "dependency", "data"})
_VERSION_FILE = re.compile(
    r"(?:^|/)(?:version\.txt|VERSION|_?version\.py|versions?\.toml|CHANGELOG[\w.]{0,6})$", re.IGNORECASE
)
_VERSION_LINE = re.compile(
    r"^\s{0,40}(?:\w{0,20}version\w{0,4}[\"']?\s{0,4}[:=]\s{0,4})?[\"']?v?\d{1,4}(?:\.\w{1,12}){1,4}[\"']?,?\s{0,8}$",
    re.IGNORECASE,
)


def _without_effect(change: Change, reading: Reading) -> Reason | None:
    """What shows that nothing is altered that a user runs."""
    if change.empty:
        return _reason("empty")
    if is_quiet(change, reading):
        return _reason(next((name for name, areas in _ONLY if set(reading.areas) <= areas), "only_quiet"))
    kinds = [kind_of(f.kind) for f in reading.findings]
    if kinds and all(kind.surface == "safe" for kind in kinds) and not set(reading.areas) & _BUILT:
        return Reason((first := min(kinds, key=lambda kind: kind.name)).name, first.brief)
    if _version_only(change):
        return _reason("only_version")
    told = any(kind.told == "always" for kind in kinds)
    return None if told or alters(change) else _reason("only_inert")


def _version_only(change: Change) -> bool:
    """Nothing but the project's own version and what is told beside it."""
    ours = front(change)
    if not ours or any(f.binary or f.patch_cut or f.skipped for f in ours):
        return False
    if all(_VERSION_FILE.search(f.path[-200:]) for f in ours):
        return True
    edited = (line for sign in "+-" for line in lines(change, sign) if line.strip())
    first = next(edited, "")
    return _VERSION_LINE.search(first) is not None and all(map(_VERSION_LINE.search, edited))

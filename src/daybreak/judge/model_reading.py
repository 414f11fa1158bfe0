"""A model's reading of a change: it moves the grade by one step at most, and gives the first screen consequence and advice.

Never below what a finding proves, never by a commit's own words alone: what the model says of a change counts only where
sentences of it stand, and its severity and whom it hits come out of closed lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import (
    MARKS,
    Hit,
    Importance,
    Level,
    Mark,
    ModelReading,
    Reason,
    Role,
    Severity,
    Statement,
    Text,
)
from daybreak.core.words import term
from daybreak.core.words.grammar import joined
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.judge.antecedents import leans
from daybreak.judge.importance import scored_as

GRAVE: frozenset[Severity] = frozenset({"wrong_result", "crash", "refuses"})
"""What a deployment must know of before it takes the change, or wants the change for."""
_LEVELS: tuple[Level, ...] = ("low", "medium", "high")
_SOME: frozenset[Hit] = frozenset({"model", "platform", "plugins"})


def regraded(entry: Entry) -> Entry:
    """With the grade one step nearer to what the model's reading says."""
    read = entry.by_model
    if read is None or read.severity is None or read.hit is None or not told_by_model(entry):
        return entry
    now, wanted = (
        _LEVELS.index(level) for level in (entry.importance.level, _wanted(entry, read, read.severity, read.hit))
    )
    step = (wanted > now) - (wanted < now)
    # Somebody took it back for a reason that the lines need not show.
    proved = bool(entry.marks) or entry.kind in ("security", "revert")
    if step == 0 or (step < 0 and proved):
        return entry
    level = _LEVELS[now + step]
    reason = Reason("by_model", term("judge.by_model", read.severity))
    graded = Importance(level, scored_as(level, entry.importance.score), (reason, *entry.importance.reasons)[:3])
    return replace(entry, importance=graded)


def is_chosen(entry: Entry) -> bool:
    """Named for the first screen, beside all other changes of the day."""
    return entry.by_model is not None and 0 < (entry.by_model.place or 0) <= MOST_ACTIONS


def is_named(entry: Entry) -> bool:
    """The same, or for what stands below the first screen."""
    return entry.by_model is not None and bool(entry.by_model.place)


def read_as(entry: Entry) -> Severity | None:
    """What it does to those who run it, by the model's reading: grave, and not of who builds on it alone."""
    read = entry.by_model
    if read is None or read.severity not in GRAVE or read.hit in ("plugins", "developers") or not told_by_model(entry):
        return None
    if read.shown is False:
        return None
    return read.severity


def _wanted(entry: Entry, read: ModelReading, severity: Severity, hit: Hit) -> Level:
    """By how bad it is and whom it hits; one more where it was named for the first screen of the day and no critic denied how bad it is,
    and not high where the day's changes were weighed and it was not.
    """
    level = _LEVELS.index(_level(severity, hit, shown=read.shown is not False))
    if is_chosen(entry):
        return _LEVELS[min(level + (read.shown is not False), 2)]
    return _LEVELS[level if read.place is None else min(level, 1)]


def _level(severity: Severity, hit: Hit, *, shown: bool) -> Level:
    """What a reader would call it: grave and by default high, grave for some or another default by default medium, felt by default medium,
    else low. Of one model, one platform or plug-ins only what a critic found grave is more than low.
    """
    grave, contract = severity in GRAVE, severity in ("contract", "default")
    if hit == "default":
        return "high" if shown and (grave or contract) else "low" if severity == "internal" else "medium"
    if hit == "flag":
        return "medium" if grave or contract else "low"
    return "medium" if grave and shown and hit in _SOME else "low"


def remarked(entry: Entry) -> Entry:
    """With the mark of a contract that is another now, or of a start or request that is refused now, where a critic found it in the lines
    and a sentence on it rests on a line that came or went; not of what no release had.
    """
    read = entry.by_model
    mark = _MARKS.get(read.hit) if read is not None and read.hit is not None else None
    if read is None or mark is None or mark in entry.marks or not read.shown or not shows_change(entry):
        return entry
    if read.severity != "contract" and not (read.severity == "refuses" and entry.kind not in ("fix", "security")):
        return entry
    if entry.kind == "revert" or any(reason.code in OF_BRANCH for reason in entry.importance.reasons):
        return entry
    marks = tuple(one for one in MARKS if one in (mark, *entry.marks))
    return replace(entry, marks=marks, breaking="breaks" in marks)


_MARKS: dict[Hit, Mark] = {
    "default": "breaks",
    "flag": "breaks",
    "model": "breaks",
    "platform": "breaks",
    "plugins": "breaks_internals",
}
OF_BRANCH = frozenset({"as_released", "unreleased"})
"""Reasons of a grade: what goes or is other came after the newest release."""


def shows_change(entry: Entry) -> bool:
    """A sentence of the model on what is so now, or whom it hits, rests on a line that came or went."""
    told = (one for one in told_by_model(entry) if one.role in ("what", "impact"))
    return any(proof.side != " " for one in told for proof in one.proof)


def told_by_model(entry: Entry) -> tuple[Statement, ...]:
    return tuple(one for one in entry.statements if one.author == "model")


def risks(entry: Entry) -> tuple[Statement, ...]:
    """What may go wrong by the change, as a model read it in the lines; what lines that were there before put at risk it does not bring."""
    told = (one for one in told_by_model(entry) if one.role == "risk")
    return tuple(one for one in told if not one.proof or any(proof.side != " " for proof in one.proof))


def said_by_model(entry: Entry, *roles: Role) -> Text | None:
    """Its first sentence of each of these roles that stands alone, or else behind what it points to, as one text."""
    told, found = told_by_model(entry), list[Statement]()
    for role in roles:
        ways = [behind(found, told, at) for at, one in enumerate(told) if one.role == role]
        found = min((way for way in ways if len(way) > len(found)), key=len, default=found)
    return joined(one.text for one in found) if found else None


def lead_of(entry: Entry) -> Statement | None:
    """The sentence that begins its paragraph and tells the whole."""
    first = told_by_model(entry)[:1] if entry.by_model is not None and entry.by_model.led else ()
    return next((one for one in first if not leans(one.text)), None)


def brings(entry: Entry) -> bool:
    """What leads is no trouble that it takes away but one that comes with it."""
    return entry.by_model is not None and entry.by_model.brings and lead_of(entry) is not None


Steps = tuple[tuple[Role, ...], ...]
"""Roles of sentences, the most wanted first; those of one step in the order in which the model gave them."""


def told_within(entry: Entry, words: int, steps: Steps, *, led: bool = True, does: bool = False) -> Text | None:
    """What tells the whole, where it is wanted (`led`), then sentences of these roles, as long as all together have no more words.
    The first is told however long it is, and so is what to do (`does`): without it a reader is left alone.
    """
    told, lead = told_by_model(entry), lead_of(entry) if led else None
    found = [lead] if lead is not None else []
    for at in [at for at, one in enumerate(told) if does and found and one.role == "action"][:1]:
        found = behind(found, told, at)
    for at in (at for roles in steps for at, one in enumerate(told) if one.role in roles):
        more = behind(found, told, at)
        if not found or _fits(more, words):
            found = more
    return joined(one.text for one in found) if found else None


def behind(shown: Sequence[Statement], told: Sequence[Statement], at: int) -> list[Statement]:
    """What is shown, and behind it this sentence with those that it points to; unchanged where it cannot stand there."""
    first, found = at, list(shown)
    while first and leans(told[first].text):
        first -= 1
    chain = list(told[first : at + 1])
    if leans(chain[0].text) or chain[-1] in found:
        return found
    if len(chain) > 1 and found[-1:] == chain[-2:-1]:
        return [*found, chain[-1]]
    return [*found, *chain] if not any(one in found for one in chain) else found


def _fits(some: Sequence[Statement], words: int) -> bool:
    """Two languages alike: a word takes one and a half characters of a language without blanks."""
    english = sum(len(chosen(one.text, REFERENCE).split()) for one in some)
    han = sum(len(_HAN.findall(text)) for one in some for text in one.text.values())
    return english <= words and 2 * han <= 3 * words


_HAN = re.compile(r"[\u4e00-\u9fff]")

"""Conditions of use: whom a fault hits and when, in words that users know, by the platform, the switch and the part its lines are of."""

from __future__ import annotations

from functools import lru_cache

from daybreak.core.model.changes import Change
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.profiles import profile_of
from daybreak.core.words import say, term
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.judge.code_places import statements_at
from daybreak.judge.reach import aside, hardware, model_of
from daybreak.judge.telling_words import stems, words

_LONGEST = 300
"""Characters at the end of a place that say what it is of."""


def met_on(text: Text, entry: Entry) -> Text:
    """A repair of what one platform alone runs, of those who set a switch, or of a part that not everybody uses, says whom the fault
    hits, unless its title does.
    """
    if what := hit(entry):
        return say("judge.action.hits", text=text, what=what)
    part = None if entry.exposure is not None and entry.exposure.has is False else met_with(entry.change)
    return say("judge.action.met", text=text, what=part) if part else text


def hit(entry: Entry) -> str:
    """The switch or the platform without which nobody runs into it."""
    if entry.exposure is not None and entry.exposure.switch:
        switch = entry.exposure.switch
        return "" if switch in entry.change.subject else switch if switch.startswith("--") else f"{switch}=1"
    found = aside(entry.change, ())
    if found is None or found.why not in ("elsewhere", "not_yours"):
        return ""
    return "" if found.what in hardware(entry.change.subject[:400]) or not hardware(found.what) else found.what


def met_with(change: Change) -> Text | None:
    """What must be in use for any of its lines to run, where its title has no word of that."""
    found = {_used(change.repo, f"{path[-_LONGEST:]}:{name}") for path, name, _ in statements_at(change)}
    part, name = found.pop() if len(found) == 1 else ("", "")
    if not part:
        return None
    said = term("judge.met", part, name=name)
    named = words(name) if name else words(chosen(said, REFERENCE))
    return None if stems(named) & stems(words(change.subject[:400])) else said


@lru_cache(maxsize=8192)
def _used(repo: str, place: str) -> tuple[str, str]:
    """The part that a place is of, and its name where it is one of several; two empty ones for what everybody runs."""
    for part, pattern in profile_of(repo).met_with:
        if found := pattern.search(place):
            return part, (found[1] or "") if pattern.groups else ""
    model = model_of(place.partition(":")[0]) if profile_of(repo).repo else ""
    return ("model", model) if model else ("", "")

"""Conditions of use: whom a fault hits and when, in words that users know, by the platform, the switch and the part its lines are of."""

from __future__ import annotations

from functools import lru_cache, reduce

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
    """What must be in use for any of its lines to run: a part, or one of a few; those that its title has a word of say nothing new."""
    found = {_used(change.repo, f"{path[-_LONGEST:]}:{name}"): "" for path, name, _ in statements_at(change)}
    if ("", "") in found or not 0 < len(found) <= _PARTS:
        return None
    told = [
        (said, words(name) or words(chosen(said, REFERENCE))) for part, name in found for said in [_said(part, name)]
    ]
    title = stems(words(change.subject[:400]))
    if any(stems(named) & title for _, named in told):
        return None
    return reduce(lambda one, other: say("judge.action.met_either", one=one, other=other), (said for said, _ in told))


_PARTS = 3
"""Of more parts nobody is told which they are."""


def _said(part: str, name: str) -> Text:
    return term("judge.met", part, name=name)


@lru_cache(maxsize=8192)
def _used(repo: str, place: str) -> tuple[str, str]:
    """The part that a place is of, and its name where it is one of several; two empty ones for what everybody runs."""
    for part, pattern in profile_of(repo).met_with:
        if found := pattern.search(place):
            return part, (found[1] or "") if pattern.groups else ""
    model = model_of(place.partition(":")[0]) if profile_of(repo).repo else ""
    return ("model", model) if model else ("", "")

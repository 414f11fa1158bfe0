"""The same change on two branches: a cherry-pick is known by the sha it names, its pull request, or title and author."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.core.model.changes import Change
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.message_refs import plain

_PICKED = re.compile(r"\(?cherry[- ]picked from commit ([0-9a-f]{7,40})\b", re.IGNORECASE)
_LAST = re.compile(r"(?:\s{0,3}\(#\d{1,9}\)){1,6}\s*$")
"""Numbers in brackets at the end: those of the pull requests by which a change came, the pick's own last."""
_SAYS_SO = re.compile(r"\bcherry[- ]?pick|\bback-?port|\brelease port\b", re.IGNORECASE)
"""A title that says so names what it picks: every number in it counts."""
_SHORT = 9
_LEAST_WORDS = 3
"""A shorter title (`Fix lint`) may be that of many changes of one author."""
_BODY = 20_000

Key = tuple[str, str]


def keys(change: Change) -> frozenset[Key]:
    """The names by which a change is known wherever it stands."""
    subject = change.subject[:400]
    out: set[Key] = {("sha", change.sha[:_SHORT])}
    out |= {("sha", sha[:_SHORT]) for sha in _PICKED.findall(change.body[:_BODY]) if len(sha) >= _SHORT}
    last = _LAST.search(subject)
    picks = _SAYS_SO.search(subject) is not None
    numbers = re.findall(r"#(\d{1,9})\b", subject if picks else last[0] if last else "")
    # The title of a revert may also give the number of what it takes back.
    out |= {("pr", number.lstrip("0")) for number in (numbers[-1:] if is_revert(subject) else numbers)}
    name = plain(_LAST.sub("", subject))
    if len(name.split()) >= _LEAST_WORDS:
        out.add(("title", f"{name}\n{change.author}"))
    return frozenset(out)


def held(changes: Iterable[Change]) -> frozenset[Key]:
    """The names of all of them."""
    return frozenset(key for change in changes for key in keys(change))


def among(change: Change, known: frozenset[Key]) -> bool:
    """Whether the change, or a copy of it, is one of those."""
    return not known.isdisjoint(keys(change))

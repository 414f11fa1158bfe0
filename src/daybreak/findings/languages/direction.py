"""Whether a changed guard lets fewer or more values through, from the texts of a `guard_changed` finding."""

from __future__ import annotations

import re
from typing import Literal

from daybreak.findings.languages.blocks import squeezed

_BOUND = re.compile(r"(?P<left>.*?)\s*(?P<sign><=|>=|<|>)\s*(?P<right>-?\d[\d_.]*)$")
_MEMBER = re.compile(r"(?P<left>.*?)\s+(?P<sign>not in|in)\s+[\[({](?P<items>.*?),?\s*[\])}]$")


def direction(before: str, after: str) -> Literal["tightened", "loosened"] | None:
    """Whether the new form of a guard lets fewer or more values through; None when that cannot be said.

    Takes the texts of a `guard_changed` finding.
    """
    was, now = _accepted(before), _accepted(after)
    if was is None or now is None or was[1] != now[1]:
        return None
    less = _narrower(was[0], now[0])
    if less is None:
        return None
    return "tightened" if less == was[1] else "loosened"


def _accepted(text: str) -> tuple[str, bool] | None:
    """The condition of a shown guard, and whether it says what passes (assert) or what fails (raise)."""
    if text.endswith("…"):
        return None
    if text.startswith("assert "):
        return text[7:], True
    head, _, tail = text.rpartition(": raise ")
    return (head[3:], False) if head.startswith("if ") and tail else None


def _narrower(was: str, now: str) -> bool | None:
    """Whether `now` holds for fewer values than `was`; None when neither holds the other."""
    for word, fewer in ((" and ", True), (" or ", False)):
        parts = [{squeezed(p) for p in text.split(word)} for text in (was, now)]
        if parts[0] != parts[1] and not any(other in was + now for other in (" and ", " or ", " if ") if other != word):
            if parts[0] < parts[1]:
                return fewer
            if parts[1] < parts[0]:
                return not fewer
    return _narrower_bound(was, now)


def _narrower_bound(was: str, now: str) -> bool | None:
    if any(word in was + now for word in (" and ", " or ", " if ")):
        return None
    first, second = _MEMBER.match(was), _MEMBER.match(now)
    if first and second and first["left"] == second["left"] and first["sign"] == second["sign"]:
        items = [{squeezed(p) for p in m["items"].split(",")} for m in (first, second)]
        if items[0] < items[1]:
            return first["sign"] == "not in"
        return first["sign"] == "in" if items[1] < items[0] else None
    low, high = _BOUND.match(was), _BOUND.match(now)
    if not (
        low and high and low["left"] == high["left"] and low["sign"] == high["sign"] and low["right"] != high["right"]
    ):
        return None
    try:
        grew = float(high["right"].replace("_", "")) > float(low["right"].replace("_", ""))
    except ValueError:
        return None
    return grew == (low["sign"][0] == ">")

"""Changes of a day that the model was to tell and that were left to the rules, in words for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from daybreak.core.model.day import Day


def left_to_rules(day: Day) -> Iterator[str]:
    """What the model was to tell and did not."""
    told = day.retelling
    if told is None:
        return
    whole = told.told - told.briefly
    asked = whole + sum(bool(one.sha) for one in told.left)
    more = f", {told.briefly} more in a sentence or two" if told.briefly else ""
    yield f"{day.label}: {whole} of {asked} changes are told by the model{more}; {told.grounding.dropped} statements dropped"
    reasons = Counter(f"{one.why} ({one.detail})" if one.detail else one.why for one in told.left if one.sha)
    if reasons:
        named = ", ".join(f"{_WHY_RULES.get(why, why)} {n}" for why, n in sorted(reasons.items()))
        yield f"{day.label}: left to the rules: {named}"


_WHY_RULES = {"rules": "nothing it said stood", "budget": "the budget was spent"}

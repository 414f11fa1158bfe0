"""Lists of values that a setting or a type takes: what went out of them and what came in."""

from __future__ import annotations

import re

from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import kind_of

_QUOTED = re.compile(r"[\"']([^\"'\n]{1,80})[\"']")


def is_choice(finding: Finding) -> bool:
    return kind_of(finding.kind).change == "choices_changed"


def _lists_values(finding: Finding) -> bool:
    """Values that a type allows, both lists whole: of a list that was cut nobody knows what went."""
    sides = (finding.before or "", finding.after or "")
    whole = all("…" not in side and side.count("[") == side.count("]") for side in sides)
    return kind_of(finding.kind).family == "literal" and whole and lost_and_new(finding) != ([], [])


def is_list_of_values(finding: Finding) -> bool:
    """Told by what came and what went of it."""
    return is_choice(finding) or _lists_values(finding)


def lost_and_new(finding: Finding) -> tuple[list[str], list[str]]:
    """Literal values that only the old list has, and that only the new one has."""
    was, now = (_QUOTED.findall(x or "") for x in (finding.before, finding.after))
    return [v for v in was if v not in now], [v for v in now if v not in was]

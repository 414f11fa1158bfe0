"""Whether an option that a check asks for is one that users can give: a parser or a field declares it, and the program does
not work it out by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.core.model.changes import Change
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)


def without_unsettable(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without demands of options that nobody can give."""
    found = set(facts)
    asked = {
        f: f.symbol.partition("=")[0] for f in found if kind_of(f.kind).family == "demand" and f.symbol[:2] == "--"
    }
    texts = {text for flag in asked.values() for text in (flag, flag[2:].replace("-", "_"))}
    rows = trees.lines([change.sha], texts, _PYTHON) if asked else None
    lines = [line for _, _, line in rows or ()]
    return found if rows is None else {f for f in found if f not in asked or _is_settable(asked[f], lines)}


def _is_settable(flag: str, lines: Iterable[str]) -> bool:
    name = re.escape(flag[2:].replace("-", "_"))
    declared = re.compile(rf"[^#]*[\"']--{name.replace('_', '[-_]')}[\"']|\s+{name}\s*:\s*[A-Z\"'\w]")
    made = re.compile(
        rf"\s{{0,4}}\w*args\.{name}\s*=(?!=)(?!.*\b{name}\b)"
    )  # not under a condition: whatever was given
    lines = list(lines)
    return any(map(declared.match, lines)) and not any(map(made.match, lines))

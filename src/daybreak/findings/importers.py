"""How much a name is used that moved or went, as far as a change shows it: what most others take is told first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact, ReadFile

_TAKES = re.compile(
    r"(?m)^[- ][ \t]{0,80}(?:from [\w.]{1,200} import ([^\n(]{1,400})|([A-Za-z_]\w{0,100})(?: as \w{1,100})?,)[ \t]{0,20}$"
)
"""An import that went or stays, or a name of a list: where only the head of the list is another, its names stay."""
_NAME = re.compile(r"(?:^|,)[ \t]{0,20}([A-Za-z_]\w{0,100})")


def importers(patches: Iterable[str]) -> Counter[str]:
    """Name → files that imported it before the change."""
    found: Counter[str] = Counter()
    for patch in patches:
        found.update({name for line, listed in _TAKES.findall(patch) for name in (_NAME.findall(line) or [listed])})
    return found


def losers(facts: Iterable[Fact], files: Sequence[ReadFile]) -> Counter[str]:
    """Variable that went → lines that lost it: code, tests, docs and scripts say how much it was used."""
    names = {fact.symbol for fact in facts if kind_of(fact.kind).means("env", "removed")}
    few = files if 1 < len(names) <= _MOST_COUNTED else ()
    lines = (line for file in few for line in file.change.patch.split("\n") if line.startswith("-"))
    return Counter(name for line in lines for name in names if name in line)


_MOST_COUNTED = 40

"""How many files of a change import a name: of names that moved, those that most others take are told first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

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

"""Names of metrics in queries, dashboards and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from daybreak.uses.found import Found
from daybreak.uses.interface import Wanted


@lru_cache(maxsize=8)
def _pattern(prefixes: frozenset[str]) -> re.Pattern[str]:
    any_prefix = "|".join(re.escape(one) for one in sorted(prefixes))
    return re.compile(rf"(?<![\w:])(?:{any_prefix})[A-Za-z_][\w:]{{0,150}}")


def prefixes(wanted: Wanted) -> frozenset[str]:
    """The metric prefixes among the namespaces."""
    return frozenset(one for one in wanted.namespaces if one.endswith(":"))


def metrics(text: str, line: int, wanted: Wanted, own: frozenset[str] = frozenset()) -> Iterator[Found]:
    """The watched metrics a query names; `own` are recorded under a name of yours and are not theirs."""
    known = prefixes(wanted)
    if not known or not any(one in text for one in known):
        return
    seen = 0
    for match in _pattern(known).finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        after = text[match.end() : match.end() + 2]
        if match.group() not in own and after not in ("::", "//"):
            yield Found("metric", match.group().rstrip(":"), line)

"""Names of metrics in queries, dashboards and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream.readers import Found

_WHOLE = re.compile(r"[a-z][a-z0-9]{0,60}(?:_[a-z0-9]{1,60}){2,20}")
_QUERY = re.compile(
    r"[\w)\]}]\s{0,9}(?:[\[{>]|<(?![/\w])|[=!]=)|\b(?:sum|rate|max|min|avg|count|label_values|increase)\b"
)


@lru_cache(maxsize=8)
def _pattern(prefixes: frozenset[str]) -> re.Pattern[str]:
    any_prefix = "|".join(re.escape(one) for one in sorted(prefixes))
    return re.compile(rf"(?<![\w:])(?:{any_prefix})[A-Za-z_][\w:]{{0,150}}")


@lru_cache(maxsize=8)
def joined_pattern(words: frozenset[str]) -> re.Pattern[str]:
    """Metrics that start with a project's name and an underscore; a label or a function of that name is none."""
    first = "|".join(re.escape(one) for one in sorted(words)) or r"(?!)"
    return re.compile(
        rf"(?<![\w:./$-])(?:{first})[a-z][a-z0-9_]{{1,150}}(?![\w:./-]|\s{{0,9}}(?:=(?!=)|!=\s{{0,9}}\"|=~|!~|\())"
    )


def prefixes(wanted: Wanted) -> frozenset[str]:
    """The metric prefixes among the namespaces that end with a colon."""
    return frozenset(one for one in wanted.namespaces if one.endswith(":"))


def metrics(
    text: str, line: int, wanted: Wanted, own: frozenset[str] = frozenset(), *, query: bool = False
) -> Iterator[Found]:
    """The watched metrics a query names; `own` are recorded under a name of yours and are not theirs.

    A colon is a mark of a metric; a name joined by an underscore may be anything, so it counts in a `query` or in a
    text that looks like one.
    """
    known = prefixes(wanted)
    patterns = [_pattern(known)] if any(one in text for one in known) else []
    if any(one in text for one in wanted.metrics) and (query or looks_asked(text)):
        patterns.append(joined_pattern(wanted.metrics))
    for pattern in patterns:
        yield from _matches(pattern, text, line, own)


def looks_asked(text: str) -> bool:
    """Whether a text is one long name or has the marks of a query: `rate(x[1m])`, `x{a="b"}`, `x > 3`."""
    return _WHOLE.fullmatch(text) is not None or _QUERY.search(text[:2000]) is not None


def _matches(pattern: re.Pattern[str], text: str, line: int, own: frozenset[str]) -> Iterator[Found]:
    seen = 0
    for match in pattern.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        after = text[match.end() : match.end() + 2]
        if match.group() not in own and after not in ("::", "//"):
            yield Found("metric", match.group().rstrip(":"), line)

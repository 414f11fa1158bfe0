"""Whom a check turns away, in words and the right way round: an `if` that raises refuses what meets its condition, an
`assert` what does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say

_RAISES = re.compile(r"if (?P<asked>.+?): raise [\w.]{1,80}(?:\(.*\))?")
_ASSERTS = re.compile(r"assert (?P<asked>.+)")
_SETTING = re.compile(
    r"(?:\w{1,60}\.){0,3}(?:self|cls|values|data|\w{0,40}(?:args|config|params|request))\.(?P<name>[a-z]\w{1,60})"
    r" is (?P<set>not )?None"
)
_KEY = re.compile(r"[\"'](?P<name>[\w.-]{2,60})[\"'] (?P<unset>not )?in [a-z_][\w.]{0,60}")
_EMPTY = re.compile(r"len\((?P<name>[a-z_][\w.]{1,60})\) == 0")
_LONGEST = 60
"""Characters of a condition; a longer one stands in the sentence before, and is not read twice."""


def turned_away(findings: Sequence[Finding]) -> Text:
    """Requests and settings that checks which came refuse; several checks are told together."""
    if len(findings) > 1:
        return say("judge.refused.several")
    text = findings[0].after or ""
    raises, asserts = _RAISES.fullmatch(text), _ASSERTS.fullmatch(text)
    found = raises or asserts
    asked = found["asked"].removeprefix("… and ") if found else "…"  # not asked of everybody, and right of those it is
    if "…" in asked or len(asked) > _LONGEST:
        return say("judge.refused.it")
    return _told(asked, raises is not None)


def _told(asked: str, when: bool) -> Text:
    """`when`: what meets the condition is refused, and not what does not."""
    if setting := _SETTING.fullmatch(asked):
        return say("judge.refused.set" if bool(setting["set"]) is when else "judge.refused.unset", name=setting["name"])
    if key := _KEY.fullmatch(asked):
        return say("judge.refused.unset" if bool(key["unset"]) is when else "judge.refused.set", name=key["name"])
    if (empty := _EMPTY.fullmatch(asked)) and when:
        return say("judge.refused.empty", name=empty["name"])
    return say("judge.refused.holds" if when else "judge.refused.fails", asked=asked)

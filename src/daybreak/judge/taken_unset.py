"""Conditions that take in whoever sets nothing: what they set is another default, whatever the title of the change is about."""

from __future__ import annotations

import re

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.findings.kinds import kind_of

_UNSET = re.compile(r"\b(?:\w{1,40}\.)?(\w{2,60}) is None\b")


def taken_unset(finding: Finding) -> Text | None:
    """What is set from now on also where a setting is left out, and on which machine."""
    if kind_of(finding.kind).family not in ("dispatch", "filled") or not finding.default:
        return None
    came = [name for name in _UNSET.findall(finding.after or "") if name not in _UNSET.findall(finding.before or "")]
    name, _, value = finding.default.partition(" = ")
    if not came or name in came:
        return None
    text = say("judge.action.unset", name=name, value=value, unset=came[0], path=finding.path)
    return say("judge.action.unset_on", said=text, machine=finding.under) if finding.under else text

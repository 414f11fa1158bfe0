"""The sentences of a hit: what you use and what became of it, and what to write instead."""

from __future__ import annotations

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Net
from daybreak.core.words import say, term
from daybreak.core.words.grammar import sentence
from daybreak.findings.kinds import ANOTHER_NAME, kind_of
from daybreak.judge import phrases
from daybreak.upgrade.impact.base import Judged


def why(judged: Judged, net: Net) -> Text:
    """What you use, and what upstream did to it."""
    use = term("upgrade.use", judged.role, what=judged.what, part=judged.part)
    return say("upgrade.hit.why", use=use, upstream=_upstream(net.finding))


def action(judged: Judged, net: Net) -> Text:
    """What to write instead."""
    finding, kind = net.finding, kind_of(net.finding.kind)
    if judged.role == "reach":
        return say("upgrade.hit.outdated")
    mine = judged.role == "override" or (judged.role == "patch" and judged.certainty != "certain")
    own = judged.role in ("implement", "place") or (mine and not _renames(finding))
    if own:
        return term("upgrade.use_action", judged.role, part=judged.part)
    if kind.means("cli_flag", "deprecated") and finding.after:
        return say("upgrade.hit.instead", new=finding.after)
    if judged.role == "pass" and kind.family in ("field", "cli_flag") and kind.change == "removed":
        return say("upgrade.hit.drop", part=judged.part)
    how = phrases.remedy((finding,))
    if how is None:
        return say("upgrade.hit.look") if judged.certainty == "look" else say("upgrade.hit.outdated")
    return sentence(how)


def _renames(finding: Finding) -> bool:
    return kind_of(finding.kind).change in ANOTHER_NAME and bool(finding.after)


def _upstream(finding: Finding) -> Text:
    found = phrases.what((finding,), 1)
    return found[0].text if found else say("upgrade.hit.changed", name=finding.symbol, path=finding.path)

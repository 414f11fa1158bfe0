"""What holds over a range, in both languages: the sentences of net findings."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Net
from daybreak.findings.kinds import kind_of
from daybreak.judge import phrases
from daybreak.judge.wording import code, code_pair, say

_UNKNOWN = code("")
"""What stands in a sentence for a value that is not there."""


def worded(net: Net) -> Net:
    """The same net with what it is, who meets it and what to write instead."""
    found = (net.finding,)
    told = phrases.what(found, 1)
    text = told[0].text if told else None
    who, how = _whole(phrases.affected(found)), _whole(phrases.remedy(found))
    return replace(net, text=_whole(text) or _plain(net.finding), who=who, how=how)


def _whole(text: Text | None) -> Text | None:
    """The sentence, unless it speaks of a value that the finding has not."""
    return text if text and not any(_UNKNOWN in said for said in text.values()) else None


def _plain(finding: Finding) -> Text:
    """The name, and what it was and is: for kinds that no table words, and for values that only came or only went."""
    name, path = code(finding.symbol), code(finding.path)
    default = kind_of(finding.kind).change == "default_changed"
    if finding.before and finding.after:
        before, after = code_pair(finding.before, finding.after)
        zh, en = f"：{before} → {after}", f": {before} → {after}"
    elif finding.after:
        after = code(finding.after)
        zh, en = (
            f"：新增{'默认值' if default else ''} {after}",
            f": {'has the default' if default else 'gains'} {after} now",
        )
    elif finding.before:
        before = code(finding.before)
        zh, en = f"：去掉{'默认值' if default else ''} {before}", f": loses {'the default ' if default else ''}{before}"
    else:
        zh, en = " 有改动", " changed"
    return say(f"{name}{zh}（{path}）。", f"{name}{en} ({path}).")

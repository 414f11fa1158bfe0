"""What a revert takes away: the change that it undoes by its title, and what users could choose or had by default through that."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import ended, joined, large
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge.action_answers import Made
from daybreak.judge.action_words import Told, has_words, headed, in_quotes
from daybreak.judge.change_kinds import is_front
from daybreak.judge.gist import brief
from daybreak.judge.message_refs import quoted_title, title
from daybreak.judge.phrases import gravest
from daybreak.judge.story_outcome import called_lost, unmended


def takes_back(repo: RepoReport, entry: Entry) -> Made | None:
    """The answer of a revert: what is not on the branch any more."""
    if entry.kind != "revert":
        return None
    story = repo.story_of(entry)
    if story is not None and story.kind == "reland":
        return None  # back on the branch: nothing to do
    undone = quoted_title(entry.change)
    if undone is None:
        text = say("judge.action.revert", title=in_quotes(title(entry.change)))
    else:
        text = say("judge.action.reverted", title=in_quotes(undone or title(entry.change)))
    found = entry.exposure
    if found is not None and found.lost and found.cause:
        lost = called_lost(text, found.lost, found.cause)
        return Made("taken_back", Told(lost), item=lost)
    bare, text = text, unmended((entry.change,), text)
    away = _taken_away(entry, (repo.find(entry.change.sha) or entry).reading.findings)
    content = large(unplaced(headed(away))) if away else _said(entry)
    if undone is None and content is None and text == bare:
        return None  # that something is taken back, and not what, is in its title
    text = joined((text, ended(content))) if content else text
    return Made("taken_back", Told(text), away, text)


def _told(entry: Entry) -> list[Finding]:
    told = entry.gist.findings if entry.gist is not None else ()
    return [finding for finding in entry.reading.findings if finding.id in told]


def _said(entry: Entry) -> Text | None:
    """Why it goes, or what its lines show. A name inside that went is said by that it was reverted; a check that it puts back is the one
    that was there before, and nobody's new rule.
    """
    kinds = [kind_of(finding.kind) for finding in _told(entry)]
    inside = bool(kinds) and all(kind.surface == "python" and kind.change in GONE for kind in kinds)
    return None if inside or any(kind.family == "guard" for kind in kinds) else brief(entry, _CONTENT)


def _taken_away(entry: Entry, findings: Sequence[Finding]) -> list[Finding]:
    """What can be chosen no more, or the default that goes back, what more users meet first, also where no release had it; nothing
    where its author's words tell it.
    """
    if not _told(entry) and brief(entry, _CONTENT):
        return []
    ours = [f for f in findings if is_front(f.path) and kind_of(f.kind).is_operated and has_words(f)]
    gone = gravest(f for f in ours if kind_of(f.kind).change in GONE)
    found = gone or gravest(f for f in ours if kind_of(f.kind).change == "default_changed")
    return [f for f in found if f.kind == found[0].kind]


_CONTENT = 110
"""Characters of what a revert takes back, or of why."""

"""How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.catalogue import REFERENCE, chosen
from daybreak.core.words.grammar import alike, clause, joined, small
from daybreak.core.words.inline import code
from daybreak.judge import phrases

LONGEST_NOTE = 120
"""Of what a line of several says beside a title, in the reference language."""


def take(entry: Entry) -> Text:
    """How a deployment comes by a repair: with a release that has it, or else from the branch."""
    if entry.released:
        return say("judge.action.take_release")
    return say("judge.action.take_branch")


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, one.path, phrases.side(one)

    return [f for f in found if told_as(f) == told_as(found[0])]


def tell(found: Sequence[Finding], most: int = 1) -> Text:
    """What, who, how: of the first kind of finding, in so many sentences; the change itself tells the rest."""
    group, used = first_kind(found), grounds(found, most)
    sentences = phrases.what(group, most)
    text = joined(one.text for one in sentences) if sentences else say("judge.action.changed", name=group[0].symbol)
    who, how = phrases.affected(used), phrases.remedy(used) if len(sentences) < 2 else say("judge.action.old_values")
    if who:
        text = say("judge.action.affected", text=text, who=who)
    return say("judge.action.remedy", text=text, how=how) if how else text


def grounds(found: Sequence[Finding], most: int = 1) -> tuple[Finding, ...]:
    """The findings that `tell` and `headed` speak of: all of them are the evidence of what these say."""
    group = first_kind(found)
    return tuple(f for one in phrases.what(group, most) for f in one.findings) or tuple(group[:1])


def headed(found: Sequence[Finding]) -> Text:
    """What alone, as a part of a longer sentence."""
    sentence = phrases.what(first_kind(found), 1)
    return clause(sentence[0].text if sentence else alike(code(found[0].symbol)))


def has_words(finding: Finding) -> bool:
    """Whether there is a sentence for it; of some kinds there is none, since nobody would act on them."""
    return bool(phrases.what([finding], 1))


def named(title: str, said: Text) -> Text:
    """A title, and what code says of the change, as sentences."""
    return say("judge.action.named", title=title, said=small(said))


def noted(title: str, more: Text) -> Text:
    """A title, and what code says of it, unless that would fill the line."""
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        return alike(code(title))
    return say("judge.action.noted", title=title, more=more)

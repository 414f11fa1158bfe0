"""How an item of the first screen is put into words: what changed, whom it hits, what to do; alone and among others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import alike, clause, code, joined, quoted, series, small
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge import announcements, phrases
from daybreak.judge.breaking import mark_of
from daybreak.judge.change_kinds import is_front
from daybreak.judge.message_refs import title
from daybreak.judge.quote_rank import words
from daybreak.judge.reach import is_tool
from daybreak.judge.replacements import replaced
from daybreak.judge.successors import as_argument, brings, successor

LONGEST_NOTE = 200
"""Of what a line of several says beside a title, in the reference language."""


def first_kind(found: Sequence[Finding]) -> list[Finding]:
    def told_as(one: Finding) -> tuple[object, ...]:
        return one.kind, one.path, phrases.side(one)

    return [f for f in found if told_as(f) == told_as(found[0])]


def told_of(entry: Entry, found: Sequence[Finding], most: int = 1) -> tuple[Text, Text | None]:
    """The title, what, who, how, and how much more there is; and where something is to be done, the same in fewer words,
    without who and more. Nobody is told to bring back what a fix puts right.
    """
    back, used = kind_of(found[0].kind).change == "default_changed", grounds(found, most)
    advised = not (back and entry.kind == "fix") and not all(is_tool(f.path) for f in used)
    announced = announcements.advice(entry, used) or as_argument(entry.change, used)
    announced = announced or replaced(entry.change, entry.reading.findings, used)
    how = partial(tell, found, most, instead=successor(entry.change, used), said=announced)
    names, hooks, rest = beside(entry, used)
    text, fewer = (named(title(entry.change), how(advised=advised, whom=whom)) for whom in (True, False))
    if names:
        text = say("judge.action.beside", text=text, names=series([alike(code(f.symbol)) for f in names]))
    if hooks:
        text = say("judge.action.hooks", text=text, names=series([alike(code(f.symbol)) for f in hooks]))
    bare = named(title(entry.change), how(advised=False, whom=False))
    return say("judge.action.more", text=text, n=rest) if rest else text, fewer if fewer != bare else None


def beside(entry: Entry, used: Sequence[Finding]) -> tuple[list[Finding], list[Finding], int]:
    """Of what a change does besides: what goes as well and others call, and beside an extension point the new ones of other
    classes, whose plug-ins meet it too, named up to `_NAMED` in all; and how much more.
    """
    ours = [f for f in entry.reading.findings if f not in used and is_front(f.path)]
    others = [one.findings[0] for one in phrases.what([f for f in ours if phrases.effect_of(f) != "internal"], _MOST)]
    gone = [f for f in others if is_called(f) and mark_of(f)]
    new = brings(entry.change) if gone else ()
    gone = [f for f in gone if f.symbol.rpartition(".")[2] not in new]
    gone.sort(key=lambda f: -near(f, entry))
    left = max(0, _NAMED - len(used))
    names = gone[:left] if any(map(is_called, used)) else []
    owners = {_owner(f) for f in used if kind_of(f.kind).surface == "extension"}
    met = [f for f in others if kind_of(f.kind).means("extension_method", "added") and _owner(f) not in owners]
    hooks = met[: left - len(names)] if owners else []
    return names, hooks, len(others) - len(names) - len(hooks)


def _owner(finding: Finding) -> str:
    """The class of a method."""
    return finding.symbol.rpartition(".")[0]


_MOST = 99
_NAMED = 3
_CALLED = frozenset({"parameter", "internal_parameter", "operator", "function", "class"})


def is_called(finding: Finding) -> bool:
    """What callers outside meet: they call it by name, and need no part of it open before them."""
    kind = kind_of(finding.kind)
    return kind.family in _CALLED and kind.change in GONE


def tell(
    found: Sequence[Finding],
    most: int = 1,
    *,
    advised: bool = True,
    instead: str | None = None,
    said: Text | None = None,
    whom: bool = True,
) -> Text:
    """What, who, how: of the first kind of finding, in so many sentences; the change itself tells the rest.

    `instead`: what the change itself puts in place of the name that goes. `said`: how, in the author's words.
    """
    group, used = first_kind(found), grounds(found, most)
    sentences = phrases.what(group, most)
    text = joined(one.text for one in sentences) if sentences else say("judge.action.changed", name=group[0].symbol)
    who, how = phrases.affected(used), phrases.remedy(used) if len(sentences) < 2 else say("judge.action.old_values")
    if who and instead:
        how = say("judge.finding.instead", name=instead)
    how = said or how
    if who and whom:
        text = say("judge.action.affected", text=text, who=who)
    return say("judge.action.remedy", text=text, how=how) if how and advised else text


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
    return say("judge.action.named", title=in_quotes(title), said=small(said))


def in_quotes(title: str) -> Text:
    """A title as what it is: words of its author."""
    cut = title if len(title) <= _LONGEST_TITLE else f"{title[: _LONGEST_TITLE - 1].rstrip()}…"
    return say("judge.headline.title", title=alike(quoted(cut)))


_LONGEST_TITLE = 120


def noted(title: str, more: Text) -> Text:
    """A title, and what code says of it, without the place where that would fill the line."""
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        more = unplaced(more)
    if len(chosen(more, REFERENCE)) > LONGEST_NOTE:
        return in_quotes(title)
    return say("judge.action.noted", title=in_quotes(title), more=more)


def near(finding: Finding, entry: Entry) -> int:
    """Words that a finding shares with the title."""
    return len(words(f"{finding.symbol} {finding.after or ''}"[:400]) & words(entry.change.subject[:400]))

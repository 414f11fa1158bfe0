"""Headline of the day: its first entry in one line, for titles, subjects and tables; of a quiet day a plain sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.day import Action
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words import say
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import alike, clause, large, quoted, without_stop
from daybreak.core.words.phrases import REFERENCE, chosen, languages, table
from daybreak.judge import phrases
from daybreak.judge.interface import Judgement
from daybreak.judge.message_refs import quoted_title as reverted_title
from daybreak.judge.model_reading import lead_of, said_by_model
from daybreak.judge.reach import without_plain_tags
from daybreak.judge.rows import SIDES, within

_LONGEST = 100
"""Characters of what happened: a line of a mailbox or of a table shows no more."""
_NUMBERS = re.compile(r"(?:\s?\(#\d{1,9}\)){1,4}\s*$")
_PREFIX = re.compile(r"^[a-z]{2,12}(?:\([^()]{0,60}\))?!?:\s+")
"""`fix(moe): ` and its like."""


def headline(day: Judgement) -> Text:
    """The first thing to act on; else what is most worth knowing, or that there is nothing. A model's line is of one change, and
    stands where that is the first.
    """
    first = day.actions[0] if day.actions else None
    if day.lead is not None and first is not None and is_of(day.lead, first.commits[0]):
        return _told(day, first, clause(day.lead.text))
    for action in (*day.actions, *day.also):
        what = told_briefly(day.repos, action)
        if what is not None:
            return _told(day, action, what)
    if any(repo.in_git is None for repo in day.repos) and not day.entries:
        return say("judge.headline.unknown")
    if day.entries:
        return say("judge.headline.quiet", n=len(day.entries))
    return say("judge.headline.nothing_yet") if day.window.open else say("judge.headline.nothing")


def is_of(line: Statement, sha: str) -> bool:
    """Short enough for a headline, and resting on nothing but this change."""
    own = [name for name in line.evidence if not name.startswith("repo:")]
    short = len(chosen(line.text, REFERENCE)) <= _LONGEST
    return short and bool(sha and own) and all(sha[:12] in name for name in own)


def _told(day: Judgement, action: Action, what: Text) -> Text:
    where = alike(short_name(action.repo, [repo.repo.name for repo in day.repos]))
    if day.actions:
        if not action.tag:
            return say("judge.headline.also", repo=where, what=large(what))
        return say("judge.headline.act", tag=_tag(action.tag), repo=where, what=large(what))
    return say("judge.headline.quiet_also", repo=where, what=what)


def _tag(tag: str) -> Text:
    """What pages call a tag; one that is newer than a catalogue stands as it is."""
    return {language: table(language, "report").get(f"day.tag_{tag}", tag.upper()) for language in languages()}


def short_name(name: str, all_names: Sequence[str]) -> str:
    """The repository without its owner, where that says which one is meant."""
    short = name.rpartition("/")[2]
    return short if sum(one.rpartition("/")[2] == short for one in all_names) == 1 else name


def told_briefly(repos: Sequence[RepoReport], action: Action) -> Text | None:
    """What its findings say, unless a model's sentence tells the entry: its tag is of that; else its title, quoted."""
    repo = next((one for one in repos if one.repo.name == action.repo), None)
    entry = repo.find(action.commits[0]) if repo is not None and action.commits else None
    if entry is None:
        return None
    own = {finding.id: finding for finding in entry.reading.findings}
    lead = lead_of(entry)
    by_model = lead is not None and chosen(action.text, REFERENCE).startswith(
        chosen(without_stop(lead.text), REFERENCE)
    )
    found = [own[name] for name in action.findings if name in own and not by_model]  # as the entry tells them
    like_first = [finding for finding in found if finding.kind == found[0].kind]
    # Of several names the first, where all are long.
    cut = (within(found[0], room) for room in SIDES) if found else ()  # both sides, where the whole has no room
    for sentence in (one for some in (like_first, found[:1], *([one] for one in cut)) for one in phrases.what(some, 1)):
        said = clause(unplaced(sentence.text))
        if len(chosen(said, REFERENCE)) <= _LONGEST:
            return said
    trouble = said_by_model(entry, "why") if entry.kind == "fix" else None
    told = trouble or said_by_model(entry, "impact") or said_by_model(entry, "what")
    if told is not None and len(chosen(told, REFERENCE)) <= _LONGEST:
        return clause(told)
    return titled(entry, _LONGEST)


def titled(entry: Entry, most: int) -> Text:
    """The title in quotation marks; of what takes a change back, that it does."""
    title = quoted_title(entry, most)
    return say("judge.headline.reverted", title=title) if reverted_title(entry.change) else title


def quoted_title(entry: Entry, most: int) -> Text:
    """The title in quotation marks, without number and tags, but those that say whose it is; of what takes a change back, that change's title."""
    change = entry.change
    title = (
        _PREFIX.sub("", without_plain_tags(_NUMBERS.sub("", reverted_title(change) or change.subject))).strip()
        or change.short
    )
    if len(title) > most:
        start = title[:most]
        title = f"{(start.rpartition(' ')[0] or start).rstrip(' ,;:.')}…"
    return say("judge.headline.title", title=alike(quoted(title)))

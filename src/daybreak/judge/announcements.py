"""Announcements of a change, held against its findings: what is announced and found, announced and not found, and found
without a word.

A claim is quoted and never makes a mark; it may say what the finding means to users, and what they should do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Announcement, Quote, State
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Statement, Text
from daybreak.core.text import outside
from daybreak.core.words import say, term
from daybreak.core.words.grammar import NOTHING, alike, ended, joined, listing, quoted
from daybreak.core.words.phrases import REFERENCE
from daybreak.findings import paths
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.quotes import prose
from daybreak.findings.quotes.announced import BANG, MOST, SIGN, announced, in_files, is_changelog, lines_of
from daybreak.findings.unread import unread_languages
from daybreak.judge.breaking import mark_of
from daybreak.judge.change_kinds import front, is_front, is_revert
from daybreak.judge.phrases import effect_of
from daybreak.judge.quote_rank import shortened
from daybreak.judge.telling_words import words

_BEFORE = re.compile(r"\s{0,4}(?:\[[^\]\n]{0,60}\]\s{0,2}){0,4}")
_TAGGED = re.compile(r"\[(?:bc[- ]|api[- ])?breaking(?:[- ]changes?)?\]", re.IGNORECASE)
"""A tag among those before the title."""
_SOURCES = frozenset({"api", "code", "kernel"})
_TOLD = 2
"""Announcements that a change's entry quotes."""
_QUOTE, ON_SCREEN = 240, 150
"""Characters of one, in the entry and on the first screen."""
_GRAVE = ("breaks", "removes", "deprecates")
_DOUBT = ("not_found", "not_read")
_OTHERWISE = frozenset({"tightened", "behaviour", "pin", "extension"})
_CODE = re.compile(
    r"`([^`\n]{2,80})`|(?<![\w-])(--[a-z][\w-]{2,60})|\b([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)\b|\b([A-Za-z_]\w+(?:[._]\w+)+)\b"
)
_LINK = re.compile(r"!?\[([^\]\n]{0,200})\](?:\([^)\s]{0,400}\)|\[[^\]\n]{0,80}\])?")
_TARGET = re.compile(r"`([^`<>\n]{1,200}?)\s{0,4}<[^`<>\n]{1,300}>`_{0,2}")
"""reStructuredText's `words <target>`."""
_ROLE = re.compile(r":[a-z:]{2,20}:(?=`)|``(?=\S)|(?<=\S)``")
_REFERENCES = re.compile(r"(?:\s*[\[(]{0,2}#\d{1,7}[\])]{0,2},?)+\s*\.?$")
_ADVISES = re.compile(r"\b(?:use|switch|migrate|replace|set|pass|call|update|upgrade|pin|rename|move)\b", re.IGNORECASE)
_SHOWN = re.compile(r"https?:|www\.|<[/!a-zA-Z]|(?<![\w.])@[A-Za-z]|&#?\w{1,10};|/(?:commit|pull|issues)/")


# --- What is announced ---


def announcements(change: Change, reading: Reading) -> tuple[Announcement, ...]:
    """What the message and the changelogs of a change announce, held against its own findings."""
    if change.skipped is not None or change.filtered or is_revert(change.subject):
        return ()
    found = _once([*_in_message(change), *in_files(change)][:MOST])
    written = sum(one.form == "changelog" for one in found)
    if written > 1 and not any(paths.area(file.path) in _SOURCES for file in change.files):
        found = [replace(one, state="elsewhere") if one.form == "changelog" else one for one in found]
    return tuple(_held(one, change, reading) for one in found)


def with_description(entry: Entry, body: str, pull: str) -> Entry:
    """The entry with what its pull request announces beyond the commit, told on that pull request's word."""
    change = entry.change
    if change.skipped is not None or change.filtered or is_revert(change.subject):
        return entry
    lines = announced(lines_of(body), message=True)
    found = [line.as_of("release_note" if line.note else "pull", "pull") for line in lines]
    own = [one for one in entry.announced if one.form != "title" or all(new.claim != "breaks" for new in found)]
    new = [_held(one, change, entry.reading) for one in _once([*own, *found])[len(own) : MOST]]
    if not new:
        return entry
    gone = {one.text[REFERENCE] for one in _claims(entry, [x for x in entry.announced if x not in own])}
    kept = [one for one in entry.statements if one.text.get(REFERENCE) not in gone]
    said = [replace(one, evidence=(pull,)) for one in _claims(entry, new)][: _TOLD - min(len(own), _TOLD)]
    return replace(entry, announced=(*own, *new), statements=(*kept, *said))


def of_release(notes: str, entries: Mapping[int, Entry]) -> tuple[Announcement, ...]:
    """What the notes of a release announce, held against the changes of the report that they name."""
    found = [line.as_of("release", "release") for line in announced(lines_of(notes))][:MOST]
    return tuple(_elsewhere(one, entries) for one in found)


def _in_message(change: Change) -> Iterator[Announcement]:
    """The footer says more than the sign of a title that stands for the same."""
    lines = [*announced(lines_of(change.body), message=True)]
    yield from (line.as_of("release_note" if line.note else "message", "body") for line in lines)
    if not any(line.claim == "breaks" for line in lines):
        subject = change.subject[:400]
        before = _BEFORE.match(subject)
        rest = before.end() if before else 0
        if BANG.match(subject, rest) or _TAGGED.search(subject, 0, rest) or SIGN.search(subject):
            yield Announcement("breaks", "title", Quote("title", "", 0, "message", " ".join(subject.split())))


def _once(found: Iterable[Announcement]) -> list[Announcement]:
    """What a message and a changelog say in the same words stands once."""
    return list({" ".join(one.quote.text.lower().split()): one for one in reversed([*found])}.values())[::-1]


# --- Held against findings ---


def _held(one: Announcement, change: Change, reading: Reading) -> Announcement:
    if _of_others(one, change):
        return replace(one, state="elsewhere")
    shown = _shows(one, reading.findings)
    state: State = "found" if shown else "not_read" if _unread(change) else "not_found"
    return replace(one, state=state, findings=tuple(finding.id for finding in shown))


def _of_others(one: Announcement, change: Change) -> bool:
    """A changelog that is written for a release tells of the changes that it names, and not of the one that writes it."""
    if one.state == "elsewhere" or one.form not in ("changelog", "fragment"):
        return one.state == "elsewhere"
    apart = one.form == "changelog" and one.pulls and change.pr not in (None, *one.pulls)
    return not front(change) or (bool(apart) and not _shares(one, change))


def _shares(one: Announcement, change: Change) -> bool:
    return len(words(one.quote.text) & words(change.subject)) >= 2


def _unread(change: Change) -> bool:
    """Half of its sources or more are in languages that nobody reads."""
    return sum(language.share for language in unread_languages([change])) >= 0.5


def _shows(one: Announcement, findings: Sequence[Finding]) -> list[Finding]:
    """Findings of the claim's kind: those that it names; where it names no code, or its sign stands for the whole change,
    all of them.
    """
    fit = [finding for finding in findings if not finding.inner and _fits(one, finding)]
    names = {name.strip("-").lower() for m in _CODE.finditer(one.quote.text) for name in m.groups() if name}
    named = [finding for finding in fit if _names(finding, one.quote.text, names)]
    return named or ([] if names and one.form != "title" else fit)


def _fits(one: Announcement, finding: Finding) -> bool:
    """Whether it is what such a claim would be shown by."""
    mark, kind = mark_of(finding), kind_of(finding.kind)
    if one.claim == "deprecates":
        return mark == "deprecates"
    if one.claim == "removes":
        return mark in ("breaks", "breaks_internals") or (kind.change in GONE and is_front(finding.path))
    if mark in ("breaks", "breaks_internals"):
        return True
    return kind.change not in CAME and is_front(finding.path) and effect_of(finding) in _OTHERWISE


def _names(finding: Finding, text: str, names: Iterable[str]) -> bool:
    """The claim names what the finding is about, whole or by the words of its name."""
    own = finding.symbol.replace(":", ".").lower().strip("-./)")
    last = re.split(r"[./ (]", own)[-1].strip("-")
    known = {
        own,
        last,
        last.replace("-", "_"),
        (finding.before or "").lower().strip("-"),
        (finding.after or "").lower(),
    }
    if any(name in known or name.replace("-", "_") in known or name.rpartition(".")[2] == last for name in names):
        return True
    parts = words(re.split(r"[./ (]", finding.symbol.rstrip(")"))[-1])
    return bool(parts) and parts <= words(text)


def hold(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries of which those that announce for others are held against these, as far as they are here."""
    if not any(one.state == "elsewhere" for entry in entries for one in entry.announced):
        return tuple(entries)
    by = {entry.change.pr: entry for entry in entries if entry.change.pr}
    return tuple(
        replace(
            entry, announced=tuple(_elsewhere(one, by) if one.state == "elsewhere" else one for one in entry.announced)
        )
        if entry.announced
        else entry
        for entry in entries
    )


def _elsewhere(one: Announcement, by: Mapping[int, Entry]) -> Announcement:
    """Held against the changes that it names; where none of them is here, it is about changes elsewhere."""
    named = [by[number] for number in one.pulls if number in by]
    if not named:
        return replace(one, state="elsewhere")
    shown = [finding for entry in named for finding in _shows(one, entry.reading.findings)]
    state: State = "found" if shown else "not_read" if all(_unread(e.change) for e in named) else "not_found"
    return replace(one, state=state, findings=tuple(finding.id for finding in shown))


def unannounced(entry: Entry) -> tuple[Finding, ...]:
    """Findings that break existing use and that nothing of the change announces, where it announces at all: a project
    that never does so leaves nothing out.
    """
    speaks = any(one.state != "elsewhere" for one in entry.announced) or any(
        is_changelog(f.path) for f in entry.change.files
    )
    told = {name for one in entry.announced for name in one.findings}
    if not speaks or "breaks" not in entry.marks or any(one.form == "title" for one in entry.announced):
        return ()
    return tuple(f for f in entry.reading.findings if mark_of(f) == "breaks" and f.id not in told)


# --- In words ---


def claim_text(one: Announcement, most: int = _QUOTE) -> Text | None:
    """What is announced, in its author's words, and whether a finding shows it; None where it cannot be quoted."""
    said = _quotable(one, most)
    if not said:
        return None
    text = term("judge.announced", one.claim, quote=alike(quoted(said)))
    return term("judge.announcement", one.state, text=text) if one.claim in _GRAVE and one.state in _DOUBT else text


def _quotable(one: Announcement, most: int) -> str:
    """Whole sentences where some fit; empty where they could only be shown with an address or markup in them."""
    said = _readable(one.quote.text)
    said = _whole(said, most) or shortened(said, most)
    return "" if _SHOWN.search(outside(said)) else said


def _whole(text: str, most: int) -> str:
    """As many sentences as fit, and the first even where it is somewhat longer: cut before its verb it says nothing."""
    out = ""
    for one in prose.split(text):
        if out and len(out) + len(one) >= most:
            break
        out = prose.joined((out, one)) if out else one
    return out if len(out) <= most * _LONGER and not out.endswith("…") else ""


_LONGER = 1.6


def _readable(text: str) -> str:
    """Without links, marks of emphasis and the numbers at its end, which the entry has beside it."""
    bare = _TARGET.sub(r"\1", _LINK.sub(lambda m: m[1], text))
    return _REFERENCES.sub("", _ROLE.sub(lambda m: "`" if m[0] == "``" else "", bare).replace("**", "")).strip()


def statements(entry: Entry) -> tuple[Statement, ...]:
    """What the entry says of its announcements: the gravest, and what was found and not announced."""
    return tuple(_statements(entry))


def _statements(entry: Entry) -> Iterator[Statement]:
    yield from _claims(entry, entry.announced)
    yield from _of_release(entry)
    silent = unannounced(entry)
    if silent:
        text = say("judge.change.unannounced", names=listing([finding.symbol for finding in silent], 3))
        ids = (f"commit:{entry.change.sha}", *(f"finding:{finding.id}" for finding in silent))
        yield Statement("risk", text, ids, "compatibility")


def _of_release(entry: Entry) -> Iterator[Statement]:
    """What a changelog that is written for a release tells of other changes: the gravest, and how many more there are."""
    found = sorted((one for one in entry.announced if one.state == "elsewhere"), key=_rank)
    said = [text for one in found[: 2 * _TOLD] if (text := _quotable(one, ON_SCREEN))][:_TOLD]
    if said:
        quotes = joined(
            (say("judge.action.author", quote=alike(quoted(text.rstrip(".")))) for text in said), "semicolon"
        )
        more = say("judge.change.release_more", n=len(found) - len(said)) if len(found) > len(said) else NOTHING
        told = say("judge.change.release_notes", quotes=quotes, more=more)
        yield Statement("what", told, (f"commit:{entry.change.sha}",), "compatibility")


def _claims(entry: Entry, found: Iterable[Announcement]) -> Iterator[Statement]:
    """The gravest, but for what its sentence says already."""
    said = entry.gist.quotes[0].text if entry.gist and entry.gist.quotes else ""
    for one in sorted((one for one in found if one.state != "elsewhere"), key=_rank)[:_TOLD]:
        text = None if one.claim == "changes" and said and said in one.quote.text else claim_text(one)
        if text is not None:
            yield Statement("impact", ended(text), (f"commit:{entry.change.sha}",), "compatibility")


def _rank(one: Announcement) -> tuple[bool, int]:
    return one.claim not in _GRAVE, _GRAVE.index(one.claim) if one.claim in _GRAVE else 0


def doubted(entry: Entry) -> Announcement | None:
    """A break or a removal that is announced and that no finding shows, where users run what the change touches."""
    if not front(entry.change) or any(one.state == "found" for one in entry.announced):
        return None
    grave = (one for one in entry.announced if one.claim in ("breaks", "removes") and one.state in _DOUBT)
    return next(grave, None)


def advice(entry: Entry, findings: Iterable[Finding]) -> Text | None:
    """What users should do, in the author's words, about what these findings show; None where they do not say it."""
    ids = {finding.id for finding in findings}
    for one in entry.announced:
        if one.form != "title" and ids & {*one.findings}:
            said = next(
                (x for x in prose.split(_readable(one.quote.text)) if _ADVISES.search(x) and len(x) <= ON_SCREEN), ""
            )
            if said and not _SHOWN.search(outside(said)):
                return say("judge.action.author", quote=alike(quoted(said.rstrip("."))))
    return None

"""Whom a check turns away, in words and the right way round: an `if` that raises refuses what meets its condition, an
`assert` what does not; and only of those who come to it, so that without all the conditions around it nobody is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.quotes import Quote
from daybreak.core.model.statements import Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, joined, listing, quoted
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.quotes import quotes
from daybreak.findings.quotes.prose import is_prose, split
from daybreak.findings.quotes.prose import joined as paragraph
from daybreak.judge.change_kinds import is_front
from daybreak.judge.quote_rank import shortened

_RAISES = re.compile(r"if (?P<asked>.+?): raise [\w.]{1,80}(?:\(.*\))?")
_ASSERTS = re.compile(r"(?:if (?P<under>.+?): )?assert (?P<asked>.+)")
_SOME = "… and "
_SETTING = re.compile(
    r"(?:\w{1,60}\.){0,3}(?:self|cls|values|data|\w{0,40}(?:args|config|params|request))\.(?P<name>[a-z]\w{1,60})"
    r" is (?P<set>not )?None"
)
_KEY = re.compile(r"[\"'](?P<name>[\w.-]{2,60})[\"'] (?P<unset>not )?in [a-z_][\w.]{0,60}")
_EMPTY = re.compile(r"len\((?P<name>[a-z_][\w.]{1,60})\) == 0")
_MOST = 3
_TOGETHER = 2
_LONGEST = 80
"""Characters of a condition; a longer one stands in the sentence before, and is not read twice."""
ERROR_WORDS = re.compile(r": raise [\w.]{1,80}\(\"(?P<words>.{1,300})\"\)")
_ADVISES = re.compile(
    r"(?:^|[.;:,] )((?:[Pp]lease )?(?:[Ee]ither )?"
    r"(?:[Uu]se|[Ss]et|[Pp]ass|[Ss]pecify|[Ee]nable|[Dd]isable|[Rr]emove|[Uu]pgrade|[Ii]nstall|[Cc]hoose)"
    r" (?:[^.;]|[.;](?=\S)|;(?= or\b)){3,300}?)(?:\.(?!\S)|;(?!\S| or\b)|$)"
)
"""A sentence with all ways out that it names, however long it is."""


def turned_away(findings: Sequence[Finding]) -> Text:
    """Requests and settings that checks which came refuse; several checks are told together."""
    each = [_of_one(finding) for finding in findings]
    known = [one for at, one in enumerate(each) if one not in each[:at]]
    vague = any(term("judge.refused", key) in known for key in ("it", "meets", "misses"))
    if len(findings) > 1 and (vague or len(known) > _TOGETHER):
        return term("judge.refused", "several")
    return joined(known, "and")


def _of_one(finding: Finding) -> Text:
    text = finding.after or ""
    raises, asserts = _RAISES.fullmatch(text), _ASSERTS.fullmatch(text)
    found = asserts or raises
    if found is None:
        return term("judge.refused", "it")
    asked, under = found["asked"], asserts["under"] if asserts else None
    if asserts is None and (named := _set_by_some(asked)):
        return named
    if "…" in asked + (under or "") or len(asked + (under or "")) > _LONGEST:
        unseen = under or ERROR_WORDS.search(text)
        return term("judge.refused", "it" if unseen else "misses" if asserts else "meets")
    if under:
        return term("judge.refused_under", "fails", under=under, asked=asked)
    return _told(asked, asserts is None)


def _set_by_some(asked: str) -> Text | None:
    """A setting that is refused, not to everybody: right of whoever sets it, and of nobody else."""
    if not asked.startswith(_SOME):
        return None
    rest = asked.removeprefix(_SOME)
    setting, key = _SETTING.fullmatch(rest), _KEY.fullmatch(rest)
    is_set = (setting and setting["set"]) or (key and not key["unset"])
    return _told(rest, when=True) if is_set else None


def _told(asked: str, when: bool) -> Text:
    """`when`: what meets the condition is refused, and not what does not."""
    if setting := _SETTING.fullmatch(asked):
        return term("judge.refused_name", "set" if bool(setting["set"]) is when else "unset", name=setting["name"])
    if key := _KEY.fullmatch(asked):
        return term("judge.refused_name", "unset" if bool(key["unset"]) is when else "set", name=key["name"])
    if (empty := _EMPTY.fullmatch(asked)) and when:
        return term("judge.refused_name", "empty", name=empty["name"])
    return term("judge.refused_asked", "holds" if when else "fails", asked=asked)


class Refusal(NamedTuple):
    """What a check says to whom it turns away, and what it says to do."""

    what: Text
    how: Text | None
    briefly: Text
    """Without its condition."""


def refusal(change: Change, findings: Sequence[Finding]) -> Refusal | None:
    """Of a check that came whose error finds no room beside its condition: the error, which says more than the code."""
    first = findings[0]
    if len(findings) > 1 or not kind_of(first.kind).means("guard", "added") or ERROR_WORDS.search(first.after or ""):
        return None
    error = next(_errors(change, first), None)
    if error is None:
        return None
    said = [one for one in split(error.text) if not _ADDRESS.search(one)]
    wrong = [one for one in said if not _ADVISES.search(one)] or said
    said_whole = paragraph(wrong)
    quote = alike(quoted(shortened(said_whole, _ROOM) or f"{said_whole[:_ROOM].rpartition(' ')[0]} …"))
    raises = _RAISES.fullmatch(first.after or "")
    asked = raises["asked"] if raises and "…" not in raises["asked"] else ""
    briefly = say("judge.action.refuses", quote=quote, path=first.path)
    what = say("judge.action.refuses_where", quote=quote, asked=asked, path=first.path) if asked else briefly
    if values := listed_values(change, first.after or ""):
        what = say("judge.action.refuses_listed", text=what, names=listing(values, _LISTED))
    return Refusal(what, _advice([paragraph(said)]), briefly) if said else None


def refused_with(finding: Finding) -> Text | None:
    """What a check that came says to whom it turns away: its error tells more than its code."""
    error = ERROR_WORDS.search(finding.after or "") if kind_of(finding.kind).means("guard", "added") else None
    if error is None:
        return None
    asked = (finding.after or "")[: error.start()].removeprefix("if ")
    quote = alike(quoted(error["words"]))
    if "…" in asked or len(asked) > _SHORT_ASKED:
        return say("judge.finding.refused", quote=quote, path=finding.path)
    return say("judge.finding.refused_where", quote=quote, asked=asked, path=finding.path)


_SHORT_ASKED = 60


def listed_values(change: Change, asked: str) -> list[str]:
    """What a list of texts holds that the check asks and the change brings: who chose one of them is refused."""
    named = _IN_LIST.search(asked)
    head = (
        re.compile(rf"^\+{named[1]}(?:: [\w\[\]., ]{{1,60}})? = (?:\w{{1,20}}\()?[\[({{]$", re.MULTILINE)
        if named
        else None
    )
    for file in change.files if head else ():
        if head and (found := head.search(file.patch)):
            block = file.patch[found.end() : found.end() + _WIDEST].partition("\n+]")[0].partition("\n+}")[0]
            return _ENTRY.findall(block)
    return []


_IN_LIST = re.compile(r"(?<!not) in (?:\w{1,60}\.){0,4}([A-Z][A-Z0-9_]{3,80})\b")
_ENTRY = re.compile(r"^\+[ ]{1,8}[\"']([\w.:-]{1,60})[\"'],[ ]*(?:#.*)?$", re.MULTILINE)
_WIDEST = 2000
_LISTED = 20
_FOR_TESTS = re.compile(r"\b(?:py)?tests?\b")
"""Words for who tests the program itself: nobody who runs it can follow them."""
_BELOW = 10
"""Lines between a check and the words of its error."""
_ROOM = 200
_ADDRESS = re.compile(r"https?://")


def _errors(change: Change, finding: Finding) -> Iterator[Quote]:
    """What a check that came says to whom it turns away."""
    for quote in quotes(change):
        at = quote.path == finding.path and 0 <= quote.line - finding.line <= _BELOW
        if at and (quote.source, quote.side) == ("error", "added") and is_prose(quote.text):
            yield quote


def refused_option(change: Change, finding: Finding, findings: Sequence[Finding]) -> bool:
    """A check that came turns away an option by its name, and the option did not come with it: whoever starts with it does not start."""
    if not kind_of(finding.kind).means("guard", "added"):
        return False
    came = {f.symbol for f in findings if kind_of(f.kind).means("cli_flag", "added")}
    texts = [match["words"] for match in [ERROR_WORDS.search(finding.after or "")] if match]
    texts += [q.text for q in _errors(change, finding)]
    return any(name not in came for text in texts for name in _REFUSED_OPTION.findall(text))


_REFUSED_OPTION = re.compile(
    r"(?<![\w-])(--[a-z][\w-]{2,60})[`'\"]? (?:is|are|cannot|can't|does|do)(?:n't| not)?\b(?=.{0,40}(?:support|allow|compatible|work|be used|with))"
)


def advised(findings: Sequence[Finding]) -> Text | None:
    """What the error itself says to do; None where it only says what is wrong."""
    return _advice([match["words"] for f in findings if (match := ERROR_WORDS.search(f.after or ""))])


def error_advice(change: Change, findings: Sequence[Finding], near: Finding | None = None) -> Text | None:
    """What an error or a warning that came says to do, by an option or a variable that did not come with it, wherever the change
    raises it; beside a finding, the one of its check. A change that says much of the kind is told by none of it.
    """
    every = quotes(change) if near is None else _errors(change, near)
    spoken = [one for one in every if one.source in _SPOKEN and is_front(one.path) and is_prose(one.text)]
    stood = " ".join(one.text for one in spoken if one.side == "removed")
    fresh = {f.symbol for f in findings if kind_of(f.kind).change in CAME}
    told = [
        way
        for one in spoken
        if one.side == "added"
        for way in _ways([paragraph([x for x in split(one.text) if not _ADDRESS.search(x)])])
        if way not in stood and (names := _OPTION.findall(way)) and fresh.isdisjoint(names)
    ]
    return _quoted(told) if len(dict.fromkeys(told)) <= _TOGETHER else None


_SPOKEN = frozenset({"error", "log"})
_OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]{2,60}|\b[A-Z][A-Z0-9]+_[A-Z0-9_]{3,}\b")


def _advice(words: Sequence[str]) -> Text | None:
    return _quoted(_ways(words))


def _ways(words: Sequence[str]) -> list[str]:
    found = (match[1] for text in words for match in _ADVISES.finditer(text))
    return list(dict.fromkeys(one for one in found if not _FOR_TESTS.search(one)))


def _quoted(ways: Iterable[str]) -> Text | None:
    told = [say("judge.action.author", quote=alike(quoted(one))) for one in dict.fromkeys(ways)]
    return joined(told[:_MOST], "semicolon") if told else None

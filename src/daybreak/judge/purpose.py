"""Purpose: what the author of a change says of the setting, the value or the name that a finding tells of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.words.grammar import joined, small, without_stop
from daybreak.findings.diff import hunks, side
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.quotes.prose import BAR, is_prose, is_row
from daybreak.judge.empty_words import described
from daybreak.judge.quote_gist import PURPOSE, WRITTEN, is_of_another, quoting
from daybreak.judge.quote_rank import LEAST, TITLE_MOST, Topic, ranked, shortened
from daybreak.judge.telling_words import words
from daybreak.judge.told_users import announces
from daybreak.judge.value_lists import is_list_of_values, lost_and_new

NAMED = 2
"""Words of its name in the title that make a name what the title is about."""


def with_purpose(found: Gist, change: Change, reading: Reading, about: Topic, author: Sequence[Quote]) -> Gist:
    """What came, with what its author says it is for; what goes or is another, with what its author says follows."""
    told = [finding for finding in reading.findings if finding.id in found.findings]
    said = [
        q for q in author if (q.source in WRITTEN and q.source != "docs" and q.side == "added") or announces(q, about)
    ]
    names = {leaf(finding) for finding in told}
    said = [q for q in said if q.source != "docstring" or described(q.text) in ("", *names)]  # of another parameter
    if told and (kind_of(told[0].kind).change in CAME or is_longer_list(told[0])):
        if refusal := _refusal(author, told[0]):
            return behind(found, refusal)
        model = words(told[0].symbol) if kind_of(told[0].kind).surface == "models" else frozenset[str]()
        uses = _uses(change, told[0])
        near = [q for q in said if _describes(q, told[0]) or _is_at(q, uses) or _is_plain_log(q)]
        near = [q for q in said if words(q.text) & model] if model else near
        best = sorted(ranked(near, about, PURPOSE), key=lambda one: one.quote.source != "log")
        best = [one for one in best if one.score >= LEAST] if model else best
        helped = any(one.quote.source == "help" for one in best)
        if listed := None if helped else next(_in_tables(change, told[0]), None):
            return behind(found, listed)
    else:
        best = [
            one for one in ranked(said, about, PURPOSE) if one.score >= FOLLOWS and _follows(one.quote, told, about)
        ]
        best = best or ranked([q for q in author if told and _was_for(q, told[0])], about, PURPOSE)
    return behind(found, best[0].quote) if best else found


def _was_for(quote: Quote, finding: Finding) -> bool:
    """The docstring or the help text that went with a thing: what it was for, and not that it was to go."""
    if "deprecated" in quote.text.lower():
        return False
    if quote.side != "removed" or quote.source not in ("docstring", "help") or kind_of(finding.kind).change not in GONE:
        return False
    at, name = quote.path == finding.path and 0 <= quote.line - finding.line <= _OVER, finding.symbol.rpartition(".")[2]
    return at or (not (name.isalpha() and name.islower()) and name in quote.text)  # any sentence may have a plain word


def _refusal(author: Sequence[Quote], finding: Finding) -> Quote | None:
    """What the program says from now on to whoever passes the limit that came, and where it can be set."""
    if not (finding.default or "").strip("\"'").isdigit():
        return None
    named = (q for q in author if q.source == "error" and q.side == "added" and finding.symbol in q.text)
    return next((replace(q, text=text) for q in named if (text := shortened(q.text, PURPOSE))), None)


def _in_tables(change: Change, finding: Finding) -> Iterator[Quote]:
    """What a page says of the thing in a row of a table that names it."""
    pages = (
        file for file in change.files if file.path.endswith((".md", ".mdx", ".rst")) and finding.symbol in file.patch
    )
    for file in pages:
        for line in (line for hunk in hunks(file.patch) for line in side(hunk, "+")):
            if line.changed and finding.symbol in line.text and is_row(line.text):
                said = max(filter(is_prose, map(str.strip, BAR.split(line.text))), key=len, default="")
                said = shortened(said, PURPOSE)
                yield from [Quote("docs", file.path, line.number, "added", said)] if said else []


def _is_plain_log(quote: Quote) -> bool:
    return quote.source == "log" and "%" not in quote.text


def _describes(quote: Quote, finding: Finding) -> bool:
    """It names the thing, or stands right beside it in a file where settings have words beside them."""
    name = leaf(finding)
    if name in quote.text or _says_name(quote.text, name):
        return True
    apart = quote.line - finding.line
    if quote.source == "comment":  # one further off is of a neighbour
        return quote.path == finding.path and -_OVER <= apart <= 0
    if quote.source == "docstring":  # one above is of what stands above
        return quote.path == finding.path and 0 < apart <= _BELOW
    return quote.path == finding.path and -_ABOVE <= apart <= _BELOW and quote.source != "docs"


def leaf(finding: Finding) -> str:
    """What came by its own name: of a list that is longer the value that is new."""
    return lost_and_new(finding)[1][0] if is_longer_list(finding) else finding.symbol.rpartition(".")[2]


def is_longer_list(finding: Finding) -> bool:
    lost, came = lost_and_new(finding)
    return is_list_of_values(finding) and bool(came) and not lost


def _says_name(text: str, name: str) -> bool:
    """It has the words of a long name, but for one and for what all names of the project begin with."""
    own = words(name)
    return len(own) > NAMED and len(own & words(text)) >= max(NAMED, len(own) - 2)


def _uses(change: Change, finding: Finding) -> set[tuple[str, int]]:
    """File and number of the new lines that name the thing, or the constant that holds its name."""
    held = re.compile(
        rf"(?m)^\+\s{{0,40}}([A-Z][A-Z0-9_]{{3,80}})\s?(?::[^=\n]{{1,60}})?= ?[\"']{re.escape(finding.symbol)}[\"']"
    )
    names = {leaf(finding), *(one for file in change.files for one in held.findall(file.patch))}
    files = (file for file in change.files if file.path != finding.path and any(name in file.patch for name in names))
    lines = ((file.path, line) for file in files for hunk in hunks(file.patch) for line in side(hunk, "+"))
    return {(path, line.number) for path, line in lines if line.changed and any(name in line.text for name in names)}


def _is_at(quote: Quote, uses: set[tuple[str, int]]) -> bool:
    """A comment right over a line that names the thing, or the first below it; a help text below it."""
    near = {"comment": range(-2, _OVER + 1), "help": range(-_OVER, 1)}.get(quote.source, range(0))
    return any((quote.path, quote.line + n) in uses for n in near)


_OVER = 4


def _follows(quote: Quote, told: Sequence[Finding], about: Topic) -> bool:
    """It has a word of the name that goes or is another, and some of the title, or is a field's own docstring."""
    own, fields = words(quote.text), [f for f in told if kind_of(f.kind).family == "field" and f.path == quote.path]
    named = any(not own.isdisjoint(words(finding.symbol)) for finding in told if not is_of_another(quote, finding))
    below = quote.source == "docstring" and any(0 < quote.line - f.line <= _OVER for f in fields)
    return named and (below or len(own & about.title) >= TITLE_MOST)


_ABOVE, _BELOW = 14, 6
"""Lines in which a comment stands over what it is about, or a help text below."""
FOLLOWS = 5.0
"""What a sentence must tell at least to stand behind a finding."""


def behind(found: Gist, quote: Quote) -> Gist:
    text = joined((without_stop(found.text), small(quoting(quote).text)), "semicolon")
    return replace(found, text=text, quotes=(quote,))

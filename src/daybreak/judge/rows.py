"""Rows: the sentence of a change where there is room for so many words, and of a quote the clauses that tell most there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.text import contrast
from daybreak.core.words.brief import brief, brief_line
from daybreak.core.words.grammar import ended, joined, small, without_stop
from daybreak.findings.quotes.prose import split
from daybreak.judge.breaking import mark_of
from daybreak.judge.changed_lines import WIDE, changed_lines
from daybreak.judge.leaning import hangs
from daybreak.judge.quote_clauses import OTHERWISE, is_closed
from daybreak.judge.quote_gist import of_findings, quoting, reworded, topic_of
from daybreak.judge.quote_rank import ITEM, Topic, score

WORDS = 20
"""Of a row in a table."""
_FRAME, _SHORT_FRAME = 4, 2
"""Words around a quote, in the language that has most of them."""
_LEAST_BESIDE = 6
"""Words that a quote behind a finding must have room for."""
_MOST_CLAUSES = 24
_FEWEST = 5
"""Words of a clause that can stand alone."""
_BEGUN = 3
"""Words of a clause that is worth beginning."""
_BEGINS, _ENDS, _HALF = -0.9, -0.4, -1.5
"""What it costs to begin or end within a sentence, and to leave out a list's lead."""
_WORD = 0.12
"""What each further word is worth."""
_CLAUSE = re.compile(
    r"[,;:—，；：](?=\s)|[，；]|(?<=\s)(?:--?|—)(?=\s)|(?<=\w)(?=\s(?:so|because|since|otherwise|but|which)\s)"
)
_PATH = re.compile(r"\s?[（(]`[^`\n]{0,200}[/.][^`\n]{1,200}`[）)](?=[.。,，;；]|$)")
_TOKEN = re.compile(r"\S+")
_JOINT = re.compile(
    r"\W*(?:a|an|the|and|or|of|to|in|on|for|with|by|at|as|is|are|was|were|be|it|its|that|which|so|if|when|from|into|not|no|e\.g\.)[,;:]?|\W+"
)
"""A word that needs another behind it."""
_LEANS = re.compile(
    r"\W*(?:(?:which|that|who|and|or|where|but)\b|(?:(?:so|because|since|otherwise|then|when|if)\s+)?(?:it|its|they|their|this|these|that)\b)",
    re.IGNORECASE,
)
"""How a clause begins that says nothing without the one before it."""
_LOOKED_AT = 1200


def row(entry: Entry, words: int = WORDS, *, short: bool = True) -> Text | None:
    """What a change does in at most so many words; whole where it fits."""
    found = entry.gist or _marked_by(entry)
    if found is None:
        return None
    whole = ended(unpathed(found.text))
    framed = short and found.quotes and found.source != "line" and not _is_reworded(found.quotes)
    if _fits(whole, words) and not framed:
        return whole  # also with what is known of an old name
    if found.source == "finding" or found.lead is not None:
        return ended(_of_finding(found, entry, words, short))
    if found.source == "line":
        ways = ((2, WIDE, True), (1, WIDE, True), (1, WIDE // 3, True), (1, WIDE // 3, False))
        shown = [changed_lines(entry.change, n, bare=True, wide=wide, placed=placed) for n, wide, placed in ways]
        texts = [ended(one.text) for one in shown if one is not None]
        return next((text for text in texts if _fits(text, words)), brief(texts[-1] if texts else whole, words))
    said = (
        _of_quotes(found.quotes, topic_of(entry.change, entry.reading, entry.kind), words, short)
        if found.quotes
        else None
    )
    return brief(ended(said or whole), words)


def _marked_by(entry: Entry) -> Gist | None:
    """What gave a change its mark, where nothing else tells it: a mark without its sentence says that something breaks, and not what."""
    return next(of_findings([f for f in entry.reading.findings if mark_of(f) in entry.marks]), None)


def unpathed(text: Text) -> Text:
    """A sentence without the files that it names in brackets."""
    return {language: _PATH.sub("", said) for language, said in text.items()}


def _of_finding(found: Gist, entry: Entry, words: int, short: bool) -> Text:
    """The finding, or the names that came, and behind it as much of the author's words as there is room for."""
    told = [replace(f, alias=None) for f in entry.reading.findings if f.id in found.findings]
    alone = unpathed(found.lead or next(of_findings(told), found).text)
    for room in SIDES if found.lead is None and not _fits(ended(alone), words) else ():
        cut = [within(f, room) for f in told]
        alone = unpathed(next(of_findings(cut), found).text)
        if _fits(ended(alone), words):
            break
    room = min(_room(text, words) for text in alone.values())
    if not found.quotes or room < _LEAST_BESIDE + _SHORT_FRAME:
        return brief(alone, words)
    said = _said(found.quotes[0], topic_of(entry.change, entry.reading, entry.kind), room, short)
    return brief(joined((without_stop(alone), small(said)), "semicolon"), words) if said else brief(alone, words)


SIDES = (64, 44, 28)
"""Characters of what was and of what is, where both must find room: half of a turn says nothing of what changed."""


def within(finding: Finding, room: int) -> Finding:
    if finding.before is None or finding.after is None:
        return finding
    before, after = contrast(finding.before, finding.after, room)
    return replace(finding, before=before, after=after)


def _of_quotes(quotes: Sequence[Quote], about: Topic, words: int, short: bool) -> Text | None:
    """The first, and the second as far as there is room for it; of words that were put otherwise, where they differ."""
    if _is_reworded(quotes):
        old, new = _where_they_differ(quotes[1].text, quotes[0].text, words // 2 - 3)
        return reworded(replace(quotes[0], text=new), replace(quotes[1], text=old)).text
    first = _said(quotes[0], about, words, short)
    room = min(_room(text, words) for text in first.values()) if first and len(quotes) > 1 else 0
    second = _said(quotes[1], about, room, short) if room >= _LEAST_BESIDE + _SHORT_FRAME else None
    return joined((without_stop(first), small(second)), "semicolon") if first and second else first


def _is_reworded(quotes: Sequence[Quote]) -> bool:
    """What is said now, and what was said."""
    return len(quotes) > 1 and quotes[1].side == "removed" != quotes[0].side and quotes[1].source != "line"


def _where_they_differ(old: str, new: str, words: int) -> tuple[str, str]:
    """So many words of both, from shortly before the first that is another."""
    a, b = old.split(), new.split()
    same = sum(1 for _ in takewhile(lambda pair: _bare(pair[0]) == _bare(pair[1]), zip(a, b, strict=False)))
    first = max(0, min(same - 2, max(len(a), len(b)) - words))
    cut = (
        f"{'… ' if first else ''}{' '.join(one[first : first + words])}{' …' if first + words < len(one) else ''}"
        for one in (a, b)
    )
    return next(cut), next(cut)


def _bare(word: str) -> str:
    return word.strip("`'\",.;:()").lower()


def _room(said: str, words: int) -> int:
    """Words that are left of so many behind a sentence."""
    return next((left for left in range(words, 0, -1) if _fit(said, words - left)), 0)


def _fit(said: str, words: int) -> bool:
    return brief_line(said, words) == said


def _fits(text: Text, words: int) -> bool:
    return all(_fit(said, words) for said in text.values())


def _said(quote: Quote, about: Topic, words: int, short: bool) -> Text | None:
    """The quote within so many words, its frame among them."""
    if quote.source == "line":
        return None
    text = most_in(quote, about, words - (_SHORT_FRAME if short else _FRAME))
    return quoting(replace(quote, text=text), short=short).text if text else None


# --- the clauses of a quote that tell most ---


class _Run(NamedTuple):
    worth: float
    text: str


def most_in(quote: Quote, about: Topic, words: int) -> str:
    """Whole sentences or clauses, one behind the other, that tell most in so many words; what is left out is marked."""
    if _fit(quote.text, words):
        return quote.text
    best = max(_runs(quote, about, words), key=lambda run: run.worth, default=None)
    return best.text if best else brief_line(quote.text, words)


def _runs(quote: Quote, about: Topic, words: int) -> Iterator[_Run]:
    """From where a clause begins to where one ends, or as far as there is room."""
    text = quote.text[:_LOOKED_AT].removesuffix(" …")
    cuts, starts = _cuts(text)
    for n, first in enumerate(cuts[:-1]):
        if OTHERWISE.match(text, first):
            continue
        fitting = [last for last in cuts[n + 1 :] if _fit(text[first:last].strip(), words)]
        whole = len(fitting) == len(cuts) - n - 1
        for last in (*fitting, *(() if whole else (_filled(text, first, words, [first, *fitting]),))):
            said, within = text[first:last].strip(), (first in starts, last in starts)
            shown = _marked(said, *within)
            if _stands(said, *within) and len(shown.split()) >= min(_FEWEST, words):
                yield _Run(_worth(said, quote, about, *within), shown)


def _filled(text: str, first: int, words: int, cuts: Sequence[int]) -> int:
    """Where the last word ends that there is room for, without those that need another behind them, and without a clause
    of which hardly a word fits.
    """
    last = first
    for match in _TOKEN.finditer(text, first):
        if not _fit(text[first : match.end()].strip(), words):
            break
        if not _JOINT.fullmatch(match[0].lower()):
            last = match.end()
    return cuts[-1] if len(text[cuts[-1] : last].split()) < _BEGUN else last


def _cuts(text: str) -> tuple[list[int], frozenset[int]]:
    """Where clauses begin, and where sentences do."""
    at, starts = 0, [0]
    for one in split(text):
        at = text.find(one, at) + len(one)
        starts.append(at)
    ends = {match.end() for match in _CLAUSE.finditer(text)}
    return sorted({*ends, *starts})[: _MOST_CLAUSES + 1], frozenset(starts)


def _stands(said: str, begins: bool, ends: bool) -> bool:
    """It is no rest of a bracket or a list, and has its subject."""
    if "\n" in said or said.endswith(":") or (not begins and _LEANS.match(said)):
        return False
    fewest = len(said.split()) >= _FEWEST or not said.isascii()
    return (
        fewest
        and (is_closed(said) or (not ends and "(" in said and is_closed(said.rpartition("(")[0])))
        and not (begins and hangs(said))
        and not said.startswith(("(", "（"))
    )


def _worth(said: str, quote: Quote, about: Topic, begins: bool, ends: bool) -> float:
    found = score(said, quote, about) + _WORD * len(said.split())
    found += 0.0 if begins else _BEGINS
    found += 0.0 if ends else _ENDS
    return found + (_HALF if ITEM.match(said) else 0.0)


def _marked(said: str, begins: bool, ends: bool) -> str:
    bare = said if ends else said.rstrip(",;:—-，；： ")
    bare = bare if ends or is_closed(bare) else bare.rpartition("(")[0].rstrip(",;:—- ")
    bare = bare if begins else bare.lstrip(",;:—-，；： ")
    return f"{'' if begins else '… '}{bare}{'' if ends else ' …'}"

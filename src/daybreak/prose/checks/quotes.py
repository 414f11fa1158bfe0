"""Check: a cause, effect or risk carries a verbatim quote of its evidence that bears on what is said."""

from __future__ import annotations

from daybreak.core.plain_words import plain
from daybreak.prose.checks.injection_patterns import speaks_to_reader
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.lexicon import lexicon
from daybreak.prose.checks.stems import stems

LEAST, MOST = 6, 400


class Quotes:
    """The quote is there where it must be, stands in a cited piece, and shares a word with the statement."""

    def fault(self, claim: Claim) -> Fault | None:
        quote = plain(claim.draft.quote)
        if not quote:
            return Fault("quote_missing") if claim.causal else None
        if speaks_to_reader(quote):
            return Fault("quote_is_order", quote[:80])
        bare = quote.strip("\"'“”").lstrip("+-").strip()
        stands = any(q in g.plain or q in g.unsigned for q in (quote, bare) if q for g in claim.cited)
        if len(quote) > MOST or not stands:
            return Fault("quote_not_verbatim", quote[:80])
        return self._idle(claim, quote, bare) if claim.causal else None

    def _idle(self, claim: Claim, quote: str, bare: str) -> Fault | None:
        if len(bare) < LEAST:
            return Fault("quote_missing", quote)
        return None if _bears(claim, quote) or _bears(claim, _around(claim, bare)) else Fault("quote_idle", quote[:80])


def _around(claim: Claim, quote: str) -> str:
    """The lines the quote stands in, with those beside them and the name of the piece's file."""
    for ground in claim.cited:
        for at, line in enumerate(ground.lines):
            if quote[:40] in plain(line):
                return "\n".join((ground.lines[0], *ground.lines[max(at - 3, 0) : at + 4]))
    return ""


def _bears(claim: Claim, quote: str) -> bool:
    """Whether quote and statement share a word, a name's part, a number or a meaning."""
    said = stems(" ".join((*claim.shown.values(),)))
    table = lexicon()
    quoted = stems(quote)
    if any(s in quoted for s in said if not _empty(s)):
        return True
    numbers = {n.value for sentence in claim.sentences.values() for n in sentence.numbers}
    if any(n in quote for n in numbers):
        return True
    meant = {
        c.name
        for sentence in claim.sentences.values()
        for w in sentence.words
        for c in w.concepts
        if c.weight != "plain"
    }
    carried = {c.name for s in quoted for c in table.by_stem.get(s, ()) if c.weight != "plain"}
    carried |= {c.name for word in table.chinese.findall(quote) for c in table.by_chinese[word] if c.weight != "plain"}
    return bool(meant & carried)


def _empty(stem: str) -> bool:
    """A word that claims nothing by itself."""
    concepts = lexicon().by_stem.get(stem, ())
    return len(stem) < 3 or any(c.weight == "plain" for c in concepts)

"""Check: where a sentence of the evidence says nearly the same, it must not say the contrary.

Words alone do not tell `the first token` from `the last token`: the sentence that has the statement's other words is
found, and of words that exclude each other (first and last, CPU and GPU, on and off, with and without a "not") it
must have the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from daybreak.core.text import outside, plain
from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.injection_patterns import speaks_to_reader
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.safety import on_removed_side
from daybreak.prose.checks.sentences import lexicon, stem, stems

GROUPS: tuple[frozenset[str], ...] = tuple(
    frozenset(row.split())
    for row in (
        "first last second third", "before after", "on off", "cpu gpu", "prefill decode", "small large", "short long",
        "smallest largest", "shortest longest", "oldest newest", "quietest loudest", "with without", "local remote",
        "beginning end", "front back", "left right", "forward backward", "input output", "client server", "read write",
        "sent received", "upper lower", "minimum maximum", "always never", "every only", "each once",
        "own same", "own shared", "encoder decoder", "sender receiver", "producer consumer", "host device", "rows columns",
        "inside outside", "above below", "true false", "enabled disabled", "row column", "lower higher", "hot cold",
        "dense sparse", "sync async", "static dynamic", "new old", "query key value", "weights activations",
        "fp4 fp8 fp16 fp32 bf16 int8 int4 nvfp4 mxfp4 mxfp8 float16 float32 bfloat16", "sm80 sm89 sm90 sm100 sm103 sm120 sm121",
        "tp pp dp ep sp cp", "python c++", "silently loudly", "train inference",
    )
)  # fmt: skip
_BY_WORD: dict[str, list[frozenset[str]]] = {}
for _group in GROUPS:
    for _word in _group:
        _BY_WORD.setdefault(_word, []).append(_group)
_SPLIT = re.compile(
    r"(?<=[.!?;])(?<!e\.g\.)(?<!i\.e\.)\s+|\n\s*\n|\n(?=[-*•] )|,\s+(?=(?:so|which|but|and|because|since|while)\b)"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_+]*|\d+(?:\.\d+)?")
_DENIES = re.compile(r"\b(?:not|never|cannot)\b|n't\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"\b(?:that|which|who|when|if|where|unless|although)\b[^,.;]{0,40}\b(?:not|never|cannot)\b", re.IGNORECASE
)
"""A denial in a clause of its own says nothing about the whole."""
_ANY_DENIAL = re.compile(
    r"\b(?:not|never|cannot|no|none|without|nothing|instead|only|unable|lack\w*|missing|skip\w*|reject\w*|drop\w*|remov\w*"
    r"|ignor\w*|disabl\w*|off|fail\w*|prevent\w*|avoid\w*|stop\w*|unless|revert\w*|wrong|forbid\w*|refus\w*|block\w*|exclud\w*"
    r"|omit\w*|bypass\w*|hid(?:e|es|den)|neither|nor|absent|lost|loses?|unset|unaware|unsupported|fix\w*|keeps? .{1,80} from)\b|n't\b",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"\b(?:did|was|were|had|could|would) (?:never|not)\b|\b(?:did|was|were|had|could|would)n't\b|\bno longer\b|\bbefore\b|\bpreviously\b",
    re.IGNORECASE,
)
"""How it was before the change is the contrary of what the change says of itself."""
_ORDERED_OFF = re.compile(
    r"^(?:\W{0,3}\[[^\]]{1,30}\]\s?|\w{1,12}(?:\([^)]{1,30}\))?:\s)*(?:do not|don't|never)\b", re.IGNORECASE
)
_NOW = re.compile(r"\bnow\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:used to|was|were|had|[a-z]{3,}ed)\b", re.IGNORECASE)
_PLACES = frozenset("before after with without above below inside outside".split())  # noqa: SIM905
"""Words that mean something only together with what follows them."""
_STATES = frozenset("on off true false enabled disabled always never with without new old every only each once".split())  # noqa: SIM905
"""Words that a denial turns into their contrary: `not on` is off."""
NEAR, VERY_NEAR = 0.5, 0.75
PARTLY = 0.25
"""A long sentence of the evidence is read in parts, and the denial may stand in another one."""
_MOST_LINES = 2000


class _Said(NamedTuple):
    text: str
    stems: frozenset[str]
    words: frozenset[str]


class NoContrary:
    """Of words that exclude each other, the statement has the one that its evidence has."""

    def fault(self, claim: Claim) -> Fault | None:
        if not claim.grounds.of_change:
            return None
        text = claim.shown["en"]
        stated = _said(text)
        told = [g for g in claim.grounds.near(claim.cited) if not g.diff and g.ref[:1] in "MPI"]
        sentences = [said for ground in told for said in _sentences(ground)]
        sentences += [said for ground in claim.cited if ground.diff for said in _comments(ground)]
        return self._contrast(stated, sentences) or self._negated(stated, sentences, claim.draft.quote)

    def _contrast(self, stated: _Said, sentences: Iterable[_Said]) -> Fault | None:
        every = list(sentences)
        spoken = _said(outside(stated.text)).words
        for word in sorted(stated.words & spoken):  # names are for other checks: each stands in the change
            for group in _BY_WORD.get(word, ()):
                others = stated.stems - {stem(w) for w in group}
                near = [s for s in every if len(others & s.stems) >= 2 and _share(others, s) >= NEAR]
                if not near or any(word in s.words for s in near):
                    continue
                best = max(near, key=lambda s: _share(others, s))
                contrary = {w for w in (group & best.words) - stated.words if w not in word and word not in w}
                if word in _STATES and (_ANY_DENIAL.search(stated.text) or _ANY_DENIAL.search(best.text)):
                    continue
                if contrary and (word not in _PLACES or _same_place(word, contrary, stated, best)):
                    return Fault("opposite", f"{word} / {min(contrary)}")
        return None

    def _negated(self, stated: _Said, sentences: Sequence[_Said], quote: str) -> Fault | None:
        near = [s for s in sentences if len(stated.stems & s.stems) >= 3 and _share(stated.stems, s) >= VERY_NEAR]
        if not near:
            return None
        if _DENIES.search(stated.text.replace("whether or not", "")):
            if _WAS.search(stated.text) or _ANY_DENIAL.search(quote):
                return None  # what is quoted says so itself
            aside = _ASIDE.search(stated.text)
            told = [s for s in sentences if _share(stated.stems, s) >= PARTLY]
            return None if aside or any(_ANY_DENIAL.search(s.text) for s in told) else Fault("opposite", "not")
        if _ANY_DENIAL.search(stated.text) or _PAST.search(stated.text):
            return None
        now = bool(_NOW.search(stated.text))
        if all(_ORDERED_OFF.search(s.text) or (not now and _DENIES.search(s.text)) for s in near):
            return Fault("opposite", "not")
        return None


def _same_place(word: str, contrary: Iterable[str], stated: _Said, best: _Said) -> bool:
    """`before the request` and `after the request`, and not `before` and `after the startup`."""
    follows = _following(word, stated.text)
    return bool(follows) and any(follows == _following(other, best.text) for other in contrary)


def _following(word: str, text: str) -> str:
    found = re.search(rf"\b{word}\s(?:the |a |an |its |all )?([\w`-]+)", text, re.IGNORECASE)
    return stem(found[1].strip("`")) if found else ""


def _share(stems: Iterable[str], said: _Said) -> float:
    wanted = set(stems)
    return len(wanted & said.stems) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=4096)
def _said(text: str) -> _Said:
    found = _WORD.findall(plain(text))
    table = lexicon()
    parts = [part for word in found for part in word.split("_") if part]
    content = frozenset(
        stem(p)
        for p in (*found, *parts)
        if len(p) > 1 and not any(c.weight == "plain" for c in table.by_stem.get(stem(p), ()))
    )
    return _Said(text, content - _LITTLE, frozenset(p.lower() for p in parts))


_LITTLE = frozenset(stem(w) for w in "the and for with from that this its are was were has had not but into onto when now of to in on at by as is it an or so be".split())  # noqa: SIM905  # fmt: skip


_DOC = '"""'
_COMMENT = re.compile(r"^[+ ]\s*(?:#|//|\*|/\*|\"\"\"|<!--)\s?(.{12,})")


def _comments(ground: Ground) -> Iterator[_Said]:
    """Sentences that comments of the new code say; lines that follow each other are one text, as is a docstring."""
    text: list[str] = []
    doc = False
    for line in (*ground.lines[:_MOST_LINES], ""):
        found = _COMMENT.match(line)
        if found:
            text.append(found[1])
            doc = line.count(_DOC) == 1
        elif doc and line[:1] in ("+", " ") and _DOC not in line:
            text.append(line[1:].strip())
        elif text:
            yield from (_said(part[:1000]) for part in _SPLIT.split(" ".join(text)))
            text, doc = [], False


def _sentences(ground: Ground) -> Iterator[_Said]:
    """Sentences of a message or a discussion; wrapped lines are joined."""
    text = "\n".join(ground.lines[:_MOST_LINES])
    for part in _SPLIT.split(text):
        yield _said(" ".join(part.split())[:1000])


# --- Check: a statement does not say the contrary of the very words that it quotes ---


_ADDS = re.compile(r"\b(?:adds|added|gains|introduces|now has)\b", re.IGNORECASE)
_REMOVES = re.compile(r"\b(?:remov|delet|drop|eliminat|strip|retir)\w*|\bno longer\b|\bgone\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:renam|replac|chang|switch|mov|instead|rather|before|previous|old|former|used to|from|fix|revert)\w*",
    re.IGNORECASE,
)
_ADDED = re.compile(r"\b(?:add|new|introduc|support|enabl|creat|fix)\w*", re.IGNORECASE)
_PAIRS = (
    (r"\bno longer\b", r"\b(?:still|remains?|continues? to)\b"),
    (r"\b(?:is|are|turned|switched) on\b|\b(?:is|are) enabled\b", r"\b(?:is|are|turned|switched) off\b|\b(?:is|are) disabled\b"),
)  # fmt: skip
_AMOUNT = re.compile(r"\b([a-z]\w*(?:[ _][a-z]\w*)?)\s(?:of|is|at|=)\s`?(\d+)`?(?![\w.])", re.IGNORECASE)
_DEVICE = re.compile(r"(?<![A-Za-z0-9])SM_?\d{2,3}(?!\d)", re.IGNORECASE)
_QUOTED_DENIES = re.compile(
    r"\b(?:not|never|unless|without|but|except|while|instead|before|until|if)\b|n't\b", re.IGNORECASE
)


class QuoteAgrees:
    """Whoever quotes a line says what the line says."""

    def fault(self, claim: Claim) -> Fault | None:
        quote, said = plain(claim.draft.quote or ""), claim.bare["en"]
        if not quote:
            return None
        if _ADDS.search(said) and not _REMOVES.search(said) and not _TURNS.search(said):
            gone = on_removed_side(quote, claim.cited, claim.grounds)
            if gone or (_REMOVES.search(quote) and not _ADDED.search(quote)):
                return Fault("added_removed", quote[:80])
        if other := _other_amount(quote, said) or _other_device(quote, said):
            return Fault("opposite", other[:80])
        for one, two in _PAIRS:
            for mine, other in ((one, two), (two, one)):
                if _only(mine, other, said) and _only(other, mine, quote):
                    return Fault("opposite", quote[:80])
        return None


def _other_amount(quote: str, said: str) -> str:
    """`A head_dim of 64`, where the quote has `head_dim 128` and no other."""
    for found in _AMOUNT.finditer(said):
        given = re.findall(rf"\b{re.escape(found[1])}s?\s?(?:is|of|=|==|:)?\s?(\d+)(?![\w.])", quote, re.IGNORECASE)
        if given and found[2] not in given:
            return found[0]
    return ""


def _other_device(quote: str, said: str) -> str:
    """Which architectures it is for, where the quote names others only."""
    theirs, mine = (set(map(str.lower, _DEVICE.findall(text))) for text in (quote, said))
    if not theirs or not mine or theirs & mine or _QUOTED_DENIES.search(said):
        return ""  # that the others are left out follows from the quote
    return min(mine)


def _only(wanted: str, contrary: str, text: str) -> bool:
    """It says the one, nothing of the other, and nothing that turns a meaning round."""
    has, lacks = re.search(wanted, text, re.IGNORECASE), re.search(contrary, text, re.IGNORECASE)
    return bool(has) and not lacks and not _QUOTED_DENIES.search(text)


# --- Check: a cause, effect or risk carries a verbatim quote of its evidence that bears on what is said ---


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

"""Rank of quotes: which of an author's words tell most of a change. Every weight of it stands here.

A sentence gains by what it shares with the title and with the lines that decide, and by saying a cause, a condition, a
consequence or what was before; it loses by being short, a step of a recipe, a wish for later, or gone with the change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Hunk
from daybreak.core.model.quotes import Quote, QuoteSource
from daybreak.findings import paths
from daybreak.findings.quotes.prose import is_note, is_prose, joined, split
from daybreak.judge.empty_words import described, is_guarded, is_later, is_no_news, is_step, is_tested, is_to_reviewers
from daybreak.judge.fault_spots import spots
from daybreak.judge.hazards import hazard
from daybreak.judge.leaning import begins_with_pronoun, hangs, opened, outcome, unplaced
from daybreak.judge.quote_clauses import OTHERWISE, faulty_clause, first_clauses, telling_clauses
from daybreak.judge.sayings import (
    BEFORE,
    CAUSE,
    CONSEQUENCE,
    FAULT,
    POSSIBLE,
    SNAKE,
    effect,
    says,
    tells_fault,
)
from daybreak.judge.telling_words import letters, stems, words

MEASURED = 0.8
"""A number with a unit of time, memory or speed."""
_MEASURED = re.compile(
    r"(?<![\w.])~?\d[\d.,]{0,12}(?: ?(?:ms|us|µs|ns|s|sec|seconds?|minutes?|GiB|GB|MiB|MB|%)(?!\w)|[x×](?= (?:fast|slow|speed|more|less)))"
)
TITLE, TITLE_MOST = 0.8, 3
MORE_TITLE, MORE_TITLE_MOST = 0.8, 4
"""Of the words of the title beyond those."""
LINES, LINES_MOST = 0.25, 4
DECIDES = 0.8
"""It stands in a file whose hunk decides."""
APART = -2.0
"""It is of a fix, and stands where nothing went, though elsewhere something did: it speaks of what came along."""
MET = 1.2
"""It stands in a file that users meet: settings, requests, variables."""
SOURCE: dict[QuoteSource, float] = {
    "comment": 0.6,
    "docstring": 0.3,
    "help": 2.4,
    "changelog": 0.5,
    "docs": 0.0,
    "error": 0.6,
    "log": 0.0,
    "test": 0.0,
    "body": 0.0,
    "line": 0.0,
}
REMOVED, REMOVED_ERROR = -2.4, -0.8
"""What went tells of the time before; an error that went says what is allowed now."""
SHORT, SHORT_BELOW, LATER, STEP, ONLY_STEP = -0.8, 7, -2.5, -0.8, -2.2
"""`ONLY_STEP`: a step with neither a cause nor what follows from it; one that says what was before is news."""
UNPLACED, UNPLACED_MOST = -1.0, -3.0
"""A comment or docstring names what only the code beside it shows."""
NO_NEED = -2.0  # `is_no_news`
AGAINST = -3.0
"""The title says that something is no longer so, and it says that this must be."""
_NOLONGER = re.compile(
    r"\b(?:do(?:es)? not|don't|stop|no longer|not) (?:force|require|need|always|enforce|use)\w{0,3}\b", re.IGNORECASE
)
_MUST = re.compile(r"\b(?:requires?|must|needs?|has to|have to|always|enforces?|forced?)\b", re.IGNORECASE)
ALOOF = -1.0
"""It may be about something beside the change: the title has not a word of it."""
_ABOUT_CODE: frozenset[QuoteSource] = frozenset({"comment", "docstring"})
_WRITTEN_OUT: frozenset[QuoteSource] = frozenset({"comment", "docstring", "test"})
_OF_TEST = re.compile(r"\W*(?:[\w-]{1,20} ){0,2}tests? (?:for|of|that)\b", re.IGNORECASE)
LEAD = re.compile(
    r"\W*(?:(?:regression|unit)(?: tests?)?(?: (?:for|of|that)\b|:)|(?:this )?tests? (?:(?:verif|check|ensur)\w+ )?that\b)\s+(?!https?:|\W*#|issue\b)",
    re.IGNORECASE,
)
"""How authors begin to say what a test is for: none of it is about what holds."""
ECHO_BELOW = 2
"""It is a comment, a docstring or of a test, and has fewer words than these that the title has not."""
SILENT = -0.8
"""It says none of `SAYS`."""
STAYS = -2.5
"""A test of a fix says that it holds what the fix leaves as it was."""
NOTED = 2
"""Words of the title that a comment must have which is half a formula."""
CONFESSED = 3.0
"""Whoever mends it calls this what was wrong."""
_CONFESSES = re.compile(
    r"\W*(?:(?:the )?(?:bug|issue|problem|root cause|symptom)(?: was| is)?\s?:|regression (?:for|of|where)\b)",
    re.IGNORECASE,
)
_WITHOUT_IT = re.compile(r"\b(?:before|without|prior to) (?:this|the) (?:fix|change|patch|PR)\b", re.IGNORECASE)
WHOM = 3.0
"""It says what goes wrong, and on which hardware or with which option."""
_WHOM = re.compile(
    r"(?i:\bsm_?\d{2,3}\b|\b(?:hopper|blackwell|h[12]00|b[23]00|rocm|npu|xpu)\b)|(?<![\w-])--[a-z]|\b[A-Z]{2,}_[A-Z_]{3,}\b"
)
OWN_FAULT = 3.0
"""A comment of a fix says what would happen, and that is what its title names."""
LEAST, LEAST_SPOKEN, LEAST_TEST, LEAST_ALONE = 2.2, 0.8, 2.0, 0.5
"""Below them prose, what a program says, and a test say too little to stand for a change, and prose where nobody else speaks."""

MARKED = re.compile(r"\W*(?:TODO|FIXME|XXX|HACK)\b")
ITEM = re.compile(r"\W*(?:[-*•+]|\(?\d{1,2}[.)])\s")
_ADDRESS = re.compile(r"https?://\S+")


class Topic(NamedTuple):
    """What a change is about: words of its title, words of the lines that decide, and their files."""

    title: frozenset[str]
    lines: frozenset[str]
    files: frozenset[str]
    mends: bool = False
    """Something is put right by it."""
    fault: str = ""
    """What the fault does that the title of a fix names."""
    ended: bool = False
    """Something is no longer forced or asked for, by its title."""
    spots: frozenset[tuple[str, int, int]] = frozenset()
    """Of a fix, file and lines of the hunks in which statements went."""
    letters: str = ""
    """Of its title, all together."""
    names: frozenset[str] = frozenset()
    """Names of the sources that the lines which decide, and those beside them, have."""

    def foreign(self, text: str) -> int:
        """How many names of the sources a text has that stand neither there nor in the title: what it is of did not change."""
        return sum(name not in self.names and not self.spells(name) for name in set(SNAKE.findall(text)))

    def spells(self, name: str) -> bool:
        """The title has the whole of a name, in whatever way it is written there."""
        flat = letters(name)
        return len(flat) >= _OF_NAME and flat in self.letters

    def shares(self, text: str) -> float:
        """What a text has in common with it."""
        own = words(text)
        title, lines = len(own & self.title), len(own & self.lines - self.title)
        more = min(max(title - TITLE_MOST, 0), MORE_TITLE_MOST)
        return TITLE * min(title, TITLE_MOST) + MORE_TITLE * more + LINES * min(lines, LINES_MOST)

    def is_apart(self, quote: Quote) -> bool:
        """It stands in no hunk in which something went, though there are such; a test stands in none."""
        at = any(path == quote.path and first <= quote.line <= last for path, first, last in self.spots)
        return bool(self.spots) and not at and paths.area(quote.path) != "test"


def is_about(text: str, about: Topic) -> bool:
    """Whether a text shares a word with the title, whatever its ending."""
    return not stems(about.title).isdisjoint(stems(words(text)))


class Ranked(NamedTuple):
    """A quote cut to the sentences that tell most, and how much they tell."""

    score: float
    quote: Quote


def topic(change: Change, hunks: Sequence[Hunk], *, mends: bool = False) -> Topic:
    """Of a change and the hunks that show it; `mends`: it is a fix."""
    changed = (line for hunk in hunks for line in hunk.text.split("\n")[1:] if line[:1] in "+-")
    return Topic(
        words(_about(re.sub(r"\(#\d+\)", "", change.subject[:400]))),
        words(" ".join(changed)[:20_000]),
        frozenset(h.path for h in hunks),
        mends,
        named.does if mends and (named := hazard(change.subject[:400])) else "",
        _NOLONGER.search(change.subject[:400]) is not None,
        frozenset(spots(change)) if mends else frozenset(),
        letters(change.subject[:400]),
        frozenset(name for hunk in hunks if paths.area(hunk.path) != "test" for name in SNAKE.findall(hunk.text)),
    )


_OF_NAME = 5
"""Letters of a name that are no part of another word."""


def _about(subject: str) -> str:
    """The part of a title that names a fault, where another part is about something else."""
    parts = _PARTS.split(subject)
    return next((part for part in parts if hazard(part)), subject) if len(parts) > 1 else subject


_PARTS = re.compile(r"\s[+&]\s|[;,]\s")


def score(sentence: str, quote: Quote, about: Topic) -> float:
    """How much one sentence tells of the change."""
    sentence = LEAD.sub("", sentence, count=1) if LEAD.match(sentence) else sentence
    if is_tested(sentence):
        return LATER
    found = SOURCE[quote.source] + about.shares(sentence)
    known = len(words(sentence) & about.title) >= TITLE_MOST + MORE_TITLE_MOST - 1
    found += says(sentence) or (0.0 if known else SILENT)
    found += STAYS if about.mends and quote.source == "test" and is_guarded(sentence) else 0.0
    found += DECIDES if quote.path in about.files else 0.0
    found += MET if quote.path and paths.area(quote.path) == "api" else 0.0
    if quote.side == "removed":
        found += REMOVED_ERROR if quote.source == "error" else REMOVED
    found += SHORT if len(sentence.split()) < SHORT_BELOW and sentence.isascii() else 0.0
    fault = hazard(sentence, titled=False) if about.mends and quote.side != "removed" else None
    wrong = fault is not None
    own = fault and quote.source == "comment" and fault.does == about.fault and says(sentence, (POSSIBLE,))
    found += OWN_FAULT if own else 0.0
    beside = quote.source in (*_ABOUT_CODE, "error", "log") or (quote.source == "test" and not about.mends)
    if beside and about.title.isdisjoint(words(sentence)):
        found += 0.0 if wrong and quote.path in about.files else ALOOF
    found += APART if quote.source in _ABOUT_CODE and not wrong and about.is_apart(quote) else 0.0
    if about.mends and quote.side != "removed":
        found += FAULT if wrong or says(sentence, (CONSEQUENCE, POSSIBLE)) else 0.0
        found += CONFESSED if _CONFESSES.match(quote.text) or _WITHOUT_IT.search(sentence) else 0.0
    found += MEASURED if _MEASURED.search(sentence) else 0.0
    if quote.source in _ABOUT_CODE:
        found += max(UNPLACED * unplaced(sentence, about.title), UNPLACED_MOST)
    elif quote.source == "test":
        found += UNPLACED * about.foreign(sentence)
    found += WHOM if wrong and _WHOM.search(sentence) else 0.0
    found += LATER if is_later(sentence) or (quote.path and is_to_reviewers(sentence)) else 0.0
    found += NO_NEED if is_no_news(sentence) else 0.0
    found += NO_NEED if quote.source == "docstring" and described(sentence) else 0.0
    found += AGAINST if opposes(sentence, about) else 0.0
    return found + (_of_step(sentence) if quote.source not in ("body", "test") and is_step(sentence) else 0.0)


def _of_step(sentence: str) -> float:
    if says(_WHICH.sub(" ", sentence), (BEFORE,)):
        return 0.0
    return STEP if says(sentence, (CONSEQUENCE, CAUSE)) else ONLY_STEP


_WHICH = re.compile(r"\b(?:that|which) (?:was|were)\b", re.IGNORECASE)
"""What a thing was that a step is about, and not what the step was."""


def opposes(text: str, about: Topic) -> bool:
    """It says that something must be which the title says need not be any more."""
    return about.ended and _MUST.search(text) is not None


def says_why(quote: Quote, about: Topic) -> bool:
    """Words on most of what a title names that give a cause or a condition."""
    return len(words(quote.text) & about.title) >= min(TITLE_MOST, len(about.title)) and says(quote.text) > 0


def speaks_of(text: str, about: Topic) -> bool:
    """It has some words of the title, and some that the title has not."""
    own = words(text)
    return len(own & about.title) >= NOTED and len(own - about.title) >= ECHO_BELOW


def tells_more(text: str, about: Topic) -> bool:
    """Whether words say more than the title does, and speak of what it, or a line that decides, speaks of."""
    if not about.shares(text) and not says(text):
        return False
    new = words(_ADDRESS.sub(" ", text)) - about.title
    return len(new) >= (4 if says(text) else 7)


def ranked(quotes: Iterable[Quote], about: Topic, most: int) -> list[Ranked]:
    """Each quote cut to its most telling sentences, the best first; of equals the one that stands first."""
    found = [one for quote in quotes for one in _best(quote, about, most)]
    return sorted(found, key=lambda one: -one.score)


def _best(quote: Quote, about: Topic, most: int) -> Iterator[Ranked]:
    """The sentence that tells most, with those behind and before it as far as they fit."""
    said = split(quote.text)
    scores = [score(one, quote, about) for one in said]
    telling = [at for at, one in enumerate(said) if _tells(one, quote, about)]
    order = sorted(telling, key=lambda at: -scores[at])
    spans = (_span(said, scores, at, most) for at in order)
    best, first, last = next((span for span in spans if span[1] <= span[0] < span[2]), (0, 0, 0))
    if order and not first <= order[0] < last and (text := _what_follows(said[order[0]], about, most)):
        yield Ranked(scores[order[0]], Quote(quote.source, quote.path, quote.line, quote.side, text))
        return
    if first == last and quote.source == "body":  # of a list that is too long the item that tells most
        items = [at for at in telling if ITEM.match(said[at]) and not said[at].endswith(":")]
        best = max(items, key=lambda at: scores[at], default=0)
        first, last = (best, best + 1) if items else (0, 0)
    if first == last:
        return
    text = shortened(joined(said[first:last]), most)
    if about.mends and hazard(said[best], titled=False) and not hazard(text, titled=False):
        text = telling_clauses(said[best], most, _worth(quote, about))
    worth = scores[best] - about.shares(said[best]) + about.shares(text)
    if not text or _is_echo(quote, text, about) or OTHERWISE.match(text):
        return
    yield Ranked(worth, Quote(quote.source, quote.path, quote.line, quote.side, opened(text)))


def _what_follows(sentence: str, about: Topic, most: int) -> str:
    """Of a fix what goes wrong, where only the clause that says when leans on what is not told; else nothing."""
    if not about.mends:
        return ""
    return faulty_clause(sentence, most, lambda text: says(text, (CONSEQUENCE,)) > 0 and not _GOES_ON.match(text))


_GOES_ON = re.compile(r"(?:where|which|who|that|while|as|since|because|it|they)\b", re.IGNORECASE)
"""How a clause begins that says nothing without the one before it."""


def _is_echo(quote: Quote, text: str, about: Topic) -> bool:
    """The title once more; what went wrong is no echo where the title does not say it."""
    if quote.source not in _WRITTEN_OUT or not text.isascii():
        return False
    said = _OF_TEST.sub("", text)
    tells = hazard(said) is not None and hazard(" ".join(about.title)) is None
    new = words(said) - about.title
    return not new or (not tells and len(new) < ECHO_BELOW)


def _tells(sentence: str, quote: Quote, about: Topic) -> bool:
    """A sentence that can stand for a change: no note of what is left to do; a formula where the title has its words."""
    if quote.source == "test" or (quote.path and is_to_reviewers(sentence)):
        return quote.source == "test"
    if MARKED.match(sentence):  # what is left to do may be why a fix is as it is
        return about.mends and quote.source == "comment" and hazard(sentence) is not None
    if quote.source == "docstring" and len(_SLOT.findall(sentence)) > 1:  # a form to be filled in
        return False
    noted = quote.source == "comment" and is_note(sentence) and len(words(sentence) & about.title) >= NOTED
    return quote.source == "error" or is_prose(sentence) or noted


_SLOT = re.compile(r"\{\w{1,40}\}")
_TAKES_BACK = re.compile(r"\W*(?:however|but|yet|nevertheless|currently)\b", re.IGNORECASE)


def _span(said: Sequence[str], scores: Sequence[float], best: int, most: int) -> tuple[int, int, int]:
    """The sentence with those behind and before it as far as they fit, without a beginning or an end that hangs."""
    first, last = best, best + 1
    while first > 0 and (hangs(said[first]) or (first < best and ITEM.match(said[first]))):  # what it leans on first
        if not _fits(said[first - 1 : last], most):
            break
        first -= 1
    while (
        last < len(said)
        and _fits(said[first : last + 1], most)
        and not is_no_news(said[last])
        and (scores[last] > 0 or said[last - 1].endswith(":") or (last == best + 1 and hazard(said[best])))
    ):
        last += 1
    while first > 0 and _fits(said[first - 1 : last], most) and (scores[first - 1] > 0 or hangs(said[first])):
        first -= 1
    if last < len(said) and _TAKES_BACK.match(said[last]):  # alone it would say the opposite
        last = last + 1 if _fits(said[first : last + 1], most) else first
    led = not ITEM.match(said[0])
    while first < last and (
        (hangs(said[first]) and not _may_hang(said, first)) or (first and led and ITEM.match(said[first]))
    ):
        first += 1
    return best, first, first + len(_closed(said[first:last], cut=last < len(said)))


def _may_hang(said: Sequence[str], at: int) -> bool:
    """What went wrong is told even where the case is missing in which it did."""
    return not begins_with_pronoun(said[at]) and hazard(said[at], titled=False) is not None


def _closed(said: Sequence[str], *, cut: bool) -> Sequence[str]:
    """Without a last line that leads to what is missing, and without a list of which the rest is missing."""
    end = len(said)
    if cut and not all(map(ITEM.match, said)):
        while end and ITEM.match(said[end - 1]):
            end -= 1
    while end and said[end - 1].endswith((":", "：")):
        end -= 1
    return said[:end]


def _fits(said: Sequence[str], most: int) -> bool:
    return len(joined(said)) <= most


def shortened(text: str, most: int) -> str:
    """Whole sentences, as many as fit, and no list of which the rest is missing; of one that is longer its first clauses."""
    if len(text) <= most:
        return text
    out: list[str] = []
    for one in split(text):
        rest = most - len(joined(out))
        if len(one) >= rest:
            if rest > most // 2 and not ITEM.match(one) and (cut := first_clauses(one, rest)):
                return joined((*out, cut))
            break
        out.append(one)
    return joined(_closed(out, cut=True))


def most_telling(quote: Quote, about: Topic, most: int) -> str:
    """Whole sentences around the most telling one, as many as fit; of one that is much longer its most telling clauses."""
    said = [one for one in split(quote.text) if not one.endswith("…") and not is_tested(one)]
    scores = [score(one, quote, about) for one in said]
    wrong = [at for at, one in enumerate(said) if about.mends and tells_fault(one)]
    # Of a fix some clauses of what went wrong tell more than a whole sentence on what is left alone; what stands alone comes first.
    order = sorted(wrong or range(len(said)), key=lambda at: -scores[at])
    for at, alone in [(at, alone) for alone in (True, False) for at in order]:
        room = int(most * LONGER) if hangs(said[at]) else most  # it says nothing without the one before it
        _, first, last = _span(said, scores, at, room)
        text = joined(said[first:last])
        if first <= at < last and len(text) <= most * LONGER and not (alone and hangs(said[first])):
            return opened(text)
        if (end := outcome(said[at])) and len(end) <= most * LONGER:
            return end
    if about.mends and order and len(said[order[0]]) <= most and says(said[order[0]], (CONSEQUENCE,)):
        return f"… {said[order[0]]}"  # what follows tells more than what it follows from
    stands = [one for one in [said[at] for at in wrong] or split(quote.text) if not hangs(one)]
    best = max(stands, key=lambda one: score(one, quote, about), default="")
    if len(best) <= most:
        return best or (_what_follows(said[order[0]], about, most * _LONGEST) if order else "")
    cut = telling_clauses(best, int(most * LONGER), _worth(quote, about))
    if not (about.mends and tells_fault(best)) or tells_fault(cut):
        return cut
    return best if len(best) <= most * _LONGEST else faulty_clause(best, int(most * LONGER), tells_fault)


LONGER, _LONGEST = 1.6, 2
"""How much longer than its place whole sentences may be, and one of which a part would not say what went wrong."""


def _worth(quote: Quote, about: Topic) -> Callable[[str], float]:
    """What some clauses of a quote tell; what follows from something counts twice."""
    return lambda text: score(text.strip(), quote, about) + effect(text)

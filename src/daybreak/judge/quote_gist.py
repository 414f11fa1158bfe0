"""What the words of a change tell of it: its message, its comments, what it says to users, its tests, and of a small diff its lines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSide, QuoteSource
from daybreak.core.model.statements import Kind
from daybreak.core.text import SENTENCE, contrast
from daybreak.core.words import term
from daybreak.core.words.grammar import alike, joined, quoted, small, without_stop
from daybreak.findings.kinds import kind_of
from daybreak.findings.paths import area
from daybreak.findings.quotes.announced import is_to_go
from daybreak.findings.quotes.prose import is_prose, is_sentence
from daybreak.judge import phrases
from daybreak.judge.arrivals import arrived, brought_data, files_gone
from daybreak.judge.change_kinds import front, is_front, is_revert
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.hazards import hazard, names_fault
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.moves import moved
from daybreak.judge.quote_rank import (
    LEAD,
    LEAST,
    LEAST_ALONE,
    LEAST_SPOKEN,
    LEAST_TEST,
    MARKED,
    Topic,
    is_about,
    opposes,
    ranked,
    says_why,
    shortened,
    speaks_of,
    tells_more,
    topic,
)
from daybreak.judge.reach import is_tool
from daybreak.judge.repair_lines import forgotten_field, repaired_by_lines
from daybreak.judge.robots import by_robot, is_bump
from daybreak.judge.sayings import CAUSE, says, tells_fault, trouble
from daybreak.judge.suppliers import supplied
from daybreak.judge.telling_words import words
from daybreak.judge.told_users import allowed, announces, chooses, says_what_to_set
from daybreak.judge.unguarded import unguarded

VALUE = 80
"""Characters that can be read as one value."""
_MARK = re.compile(r"^(?:[-*•+]|\(?\d{1,2}[.)])\s+|^NOTE:\s+|^>[>*\\\s]{0,12}", re.IGNORECASE)
"""What an item of a list, a note or a line of a page that is set off begins with."""
WRITTEN: frozenset[QuoteSource] = frozenset({"comment", "docstring", "help", "docs", "changelog"})
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})
_MENDING: frozenset[Kind] = frozenset({"fix", "security", "revert"})
MOST, PURPOSE = 280, 200
"""Characters of a quote, and of one behind something else."""


def topic_of(change: Change, reading: Reading, kind: Kind) -> Topic:
    """What a change of a kind is about."""
    return topic(change, reading.hunks, mends=kind in _MENDING)


def of_findings(findings: Sequence[Finding]) -> Iterator[Gist]:
    """The first sentence of findings."""
    for told in phrases.what(findings, 1):
        yield Gist(told.text, "finding", findings=tuple(f.id for f in told.findings))


def of_body(change: Change, about: Topic) -> Iterator[Gist]:
    """What its message tells beyond the title; a robot that moves versions writes of itself and of the other project."""
    return iter(()) if by_robot(change) and is_bump(change) else _body(message_quotes(change.body), about)


def _by_side(change: Change, about: Topic, does: Kind, found: Sequence[Quote]) -> Iterator[Gist]:
    """What came, then what went; a comment that is no sentence beside the lines that changed."""
    for side in ("added", "removed"):
        spoken = [q for q in found if _speaks(q, side, about) and (q.source != "comment" or _is_on(q, about))]
        spoken = [q for q in spoken if does != "refactor" or not _is_gone(q)]
        for one in _most_telling(spoken, about):
            text = one.quotes[0].text
            whole = one.source != "comment" or (is_prose(text) and not MARKED.match(text))
            lines = None if whole else changed_lines(change, 1)
            yield _behind(one.quotes[0], lines) if lines else one


def of_quotes(
    change: Change,
    reading: Reading,
    about: Topic,
    options: Sequence[Finding],
    does: Kind,
    said: Callable[[], Sequence[Quote]],
) -> Iterator[Gist]:
    """What its words tell, the best witness first."""
    yield from of_body(change, about)
    yield from filter(None, [brought_data(change)])
    yield from _named_fault(change)
    ours = {file.path for file in front(change) if not is_tool(file.path)}
    beside = [
        q for q in said() if not ours or q.path in ours or not _is_aside(q, does)
    ]  # what measures, shows or tests it is not it
    found = [q for q in beside if _may_speak(q, about, does) and not (does == "fix" and _is_for_callers(q, change))]
    pages = [q for q in found if _is_page(q, about)] if front(change) else []
    again = {q for q in found if q.source in _OF_CODE and (_is_restated(q, found, about) or _stands(q, beside))}
    found = [q for q in found if q not in pages and q not in again]
    went = {file.path for file in change.files if file.status == "D" and not is_revert(change.subject)}
    found = [q for q in found if q.path not in went]  # of a file that goes nothing from inside is another now
    yield from _noted(found, about)
    if repair := (repaired_by_lines(change) if does == "fix" else None) or forgotten_field(change):
        yield Gist(term("judge.repair", repair.hazard.name, what=repair.hazard.word), "line", (repair.quote,))
    if is_revert(
        change.subject
    ):  # what its lines say stood there before; of what went, the fault that a fix named is back
        fault = [q for q in found if q.side == "removed" and q.source in WRITTEN and tells_fault(q.text)]
        yield from _best(fault if _FIXED.search(change.subject) else (), about, -math.inf)
        yield from filter(None, [changed_lines(change)])
        return
    yield from filter(None, [files_gone(change)])
    yield from supplied(change) if does not in _MENDING else ()
    yield from moved(change) if does not in ("fix", "perf") else ()  # what is fused is new, though its pieces are not
    yield from _best(allowed(found, reading, about) if does != "refactor" else (), about, -math.inf)
    yield from of_findings(options)
    if does in REPAIRS:
        yield from _of_repair(change, about, found)
    else:
        yield from _of_work(change, reading, about, does, found, pages)


def _of_work(
    change: Change, reading: Reading, about: Topic, does: Kind, found: Sequence[Quote], pages: Sequence[Quote]
) -> Iterator[Gist]:
    """What is new or otherwise, by its own words; at the end by lines, and by what stands beside it."""
    yield from _of_reworded(found, about)
    yield from (quoting(replace(q, text=text)) for q in found if chooses(q) and (text := shortened(q.text, MOST)))
    yield from _by_side(change, about, does, found)
    written = [q for q in found if q.source in WRITTEN and q.side == "added"]
    yield from (_explained(lines, written, about) for lines in filter(None, [changed_lines(change, whole=True)]))
    yield from filter(None, [arrived(change, reading) if does not in _MENDING else None, changed_lines(change)])
    told = (q for q in (*written, *pages) if q.side == "added" and not _FOR_TOOLS.search(q.path))
    yield from _best([q for q in told if is_about(q.text, about)], about, LEAST_ALONE)


def _of_repair(change: Change, about: Topic, found: Sequence[Quote]) -> Iterator[Gist]:
    """What went wrong, by whoever says most of it; else the lines of a small diff. How the new code works says nothing of that,
    and stands for no repair.
    """
    said = [q for q in found if q.side == "added" or (q.source in _SPOKEN and is_about(q.text, about))]
    said = [q for q in said if is_front(q.path) or area(q.path) == "test"]
    said = [q for q in said if not _is_off(q, about)]
    tellers = [
        (one.score + _handicap(one.quote, about, mends=True), one.quote)
        for one in ranked(said, about, MOST)
        if one.score >= _least(one.quote)
    ]
    near = any(says_why(quote, about) and quote.source in _OF_CODE for _, quote in tellers)
    wrong = {quote: 0.0 if _came_along(quote, about, near) else trouble(quote) for _, quote in tellers}
    yield from (quoting(q) for q in said if says_what_to_set(q) and len(words(q.text) & about.title) > NAMED_TWICE)
    tellers.sort(key=lambda one: -one[0] - wrong[one[1]])
    yield from (quoting(quote) for _, quote in tellers if wrong[quote])
    yield from filter(None, [unguarded(change)])
    lines = changed_lines(change, whole=True)
    for _, quote in tellers:
        if says_why(quote, about) and quote.source not in _SPOKEN:
            over = lines is not None and any(_stands_over(quote, line) for line in lines.quotes)
            yield _behind(quote, lines) if lines and over else quoting(quote)
    yield from [_explained(lines, [q for q in said if is_about(q.text, about)], about)] if lines else []


def _is_off(quote: Quote, about: Topic) -> bool:
    """Words in the code of a fix that have none of its title, where that names the fault or nothing went there."""
    beside = quote.source in _OF_CODE and not names_fault(quote.text) and not is_about(quote.text, about)
    return beside and (bool(about.fault) or about.is_apart(quote))


def _came_along(quote: Quote, about: Topic, near: bool) -> bool:
    """What it warns of is met by code that came with a fix: no fault of the time before. `near`: others say why what the title
    names was done; then what has not a word of that, nor tells its fault, is beside it.
    """
    fault = hazard(quote.text, titled=False)
    beside = near and not is_about(quote.text, about) and (fault is None or fault.does != about.fault)
    return quote.source in _OF_CODE and (beside or (about.is_apart(quote) and not names_fault(quote.text)))


def held(said: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """What a test that comes with a change holds of what its title is about."""
    tests = (q for q in said if q.source == "test" and speaks_of(q.text, about))
    # what only says, or is called by, what is tested tells nothing of what was wrong
    yield from _best([q for q in tests if says(q.text) > 0 or trouble(q)], about, LEAST_ALONE)


def inserted(said: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """Of a repair that no lines tell, what its docstrings say that it does, or said until now, in words of its title; its comments
    where they say why, or where nothing went and the title names the fault.
    """
    silent = about.spots or not about.fault
    ours = [q for q in said if q.source in _OF_CODE and is_front(q.path) and speaks_of(q.text, about)]
    ours = [q for q in ours if len(words(q.text) & about.title) >= NAMED_TWICE]
    near = [q for q in ours if q.source == "docstring" or _gives_cause(q, about) or (q.side == "added" and not silent)]
    yield from _best(near, about, LEAST)


def _gives_cause(quote: Quote, about: Topic) -> bool:
    """Beside a line that went it says why, or said of what went that it was at fault."""
    return (
        tells_fault(quote.text)
        if quote.side == "removed"
        else says(quote.text, (CAUSE,)) > 0 and not about.is_apart(quote)
    )


REPAIRS: frozenset[Kind] = frozenset({"fix", "security"})


def _is_for_callers(quote: Quote, change: Change) -> bool:
    """An error that begins with the name of a function whose file changed: whoever uses the program never calls that."""
    name = _NAMES_FUNCTION.match(quote.text) if (quote.source, quote.side) == ("error", "added") else None
    patches = (file.patch for file in change.files if file.path == quote.path)
    return name is not None and any(re.search(rf"\bdef {name[1]}\(", patch) for patch in patches)


_NAMES_FUNCTION = re.compile(r"[`'\"]?([a-z]\w{0,80}_\w{1,80})\b")


def _is_aside(quote: Quote, does: Kind) -> bool:
    """What helps tests says how they work; of a repair it may say what went wrong."""
    helps = quote.source in _OF_CODE and does not in REPAIRS and area(quote.path) == "test"
    return helps or is_tool(quote.path) or (quote.source == "help" and not is_front(quote.path))


def _is_page(quote: Quote, about: Topic) -> bool:
    """Docs beside sources; those that have the title's words tell users what it names."""
    return quote.source == "docs" and not is_to_go(quote) and len(words(quote.text) & about.title) < _OF_PAGE


_OF_PAGE = 4
"""Words of the title from which on a line of the docs is about the change."""
_FOR_TOOLS = re.compile(r"(?:^|/)\.[a-z]|(?:^|/)(?:AGENTS|CLAUDE|GEMINI|SKILL)\.md$")
"""Pages that tell programs, and those who send patches, how to work on the sources."""


def _explained(lines: Gist, found: Sequence[Quote], about: Topic) -> Gist:
    """Changed lines behind the comment that stands over them."""
    over = [q for q in found if q.source == "comment" and any(_stands_over(q, line) for line in lines.quotes)]
    best = next((one.quote for one in ranked(over, about, PURPOSE) if not opposes(one.quote.text, about)), None)
    return _behind(best, lines) if best else lines


def _behind(quote: Quote, lines: Gist) -> Gist:
    text = joined((without_stop(quoting(quote).text), small(lines.text)), "semicolon")
    return replace(lines, text=text, quotes=(quote, *lines.quotes))


_OF_CODE: frozenset[QuoteSource] = frozenset({"comment", "docstring"})


def _stands_over(quote: Quote, line: Quote) -> bool:
    return quote.path == line.path and line.side == "added" and 0 < line.line - quote.line <= _OVER


_OVER = 5
"""Lines between the beginning of a comment and the code that it is about."""


def _of_reworded(found: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """A help text that says something else: what it said and what it says, where the two differ."""
    for new in (q for q in found if q.source == "help" and q.side == "added" and is_about(q.text, about)):
        if old := _stood(new, found):
            yield reworded(new, old)
            return


def _stood(new: Quote, found: Sequence[Quote]) -> Quote | None:
    """What was said nearly alike at the same place before."""
    gone = (q for q in found if (q.path, q.source, q.side) == (new.path, new.source, "removed"))
    return next((q for q in gone if new.side == "added" and _is_reworded(q.text, new.text)), None)


def _is_restated(new: Quote, found: Sequence[Quote], about: Topic) -> bool:
    """It was said nearly alike before, and is not the docstring that has a word of the title from now on."""
    old = _stood(new, found)
    return old is not None and not (new.source == "docstring" and about.title & (words(new.text) - words(old.text)))


def _stands(old: Quote, found: Sequence[Quote]) -> bool:
    """What went stands in the same file in other words."""
    came = (q for q in found if (q.path, q.side) == (old.path, "added") and q.source in _OF_CODE)
    return old.side == "removed" and any(_is_reworded(old.text, q.text) for q in came)


def reworded(new: Quote, old: Quote, room: int = SENTENCE) -> Gist:
    """What was said and what is said now, in so many characters each."""
    before, after = (alike(quoted(text)) for text in contrast(old.text, new.text, room))
    return Gist(term("judge.reworded", new.source, before=before, after=after), new.source, (new, old))


def _is_reworded(old: str, new: str) -> bool:
    one, two = words(old), words(new)
    return 2 * len(one & two) > len(one | two)


def _noted(found: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """What the change itself writes down for users; many lines are the notes of a release, which tell of other changes."""
    lines = [q for q in found if q.source == "changelog" and q.side == "added"]
    items = [replace(q, text=item) for q in lines for item in q.text.split("\n")] if len(lines) <= _OWN_NOTES else []
    own = [q for q in items if is_about(q.text, about)]
    for best in ranked(own, about, MOST)[:1]:
        said = best.quote.text  # begins like a sentence, which its row may not
        yield quoting(
            replace(best.quote, text=shortened(next((q.text for q in own if said in q.text), said), MOST) or said)
        )


_OWN_NOTES = 3


def _most_telling(found: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """Whoever tells most, as far as he tells enough: what is written before what a program says and what a test is called."""
    tellers = [
        (one.score + _handicap(one.quote, about, mends=about.mends), one.quote)
        for one in ranked(found, about, MOST)
        if one.score >= _least(one.quote)
    ]
    if tellers:
        best = max(tellers, key=lambda one: one[0])[1]
        yield _with_another(
            best, [quote for worth, quote in tellers if worth >= ANOTHER and is_about(quote.text, about)]
        )


ANOTHER = 1.5
"""What a second quote must tell at least."""


def _with_another(quote: Quote, others: Sequence[Quote]) -> Gist:
    """A short quote with another short one that says something else."""
    own = words(quote.text)
    for one in others if len(quote.text) <= _HALF else ():
        new = words(one.text)
        if len(one.text) <= _HALF and 2 * len(own & new) < min(len(own), len(new)) and one.side == quote.side:
            text = joined((without_stop(quoting(quote).text), small(quoting(one).text)), "semicolon")
            return Gist(text, quote.source, (quote, one))
    return quoting(quote)


_HALF = 110
"""Characters of a quote that leaves room for another."""


def _least(quote: Quote) -> float:
    """What a quote must tell at least; a test that says in a sentence what holds, as little as what a program says."""
    if quote.source in _SPOKEN or (quote.source == "test" and is_sentence(quote.text)):
        return LEAST_SPOKEN
    return LEAST_TEST if quote.source == "test" else LEAST


def _handicap(quote: Quote, about: Topic, *, mends: bool) -> float:
    """What a program says from now on is not what was wrong, and a test is about the code; unless it tells users."""
    if announces(quote, about):
        return 1.0 if about.title.isdisjoint(_OF_LOGS) else _SUBJECT
    if quote.source == "test" and is_sentence(quote.text):  # of the test as a whole: what must hold, and why
        return -0.5 if mends else -1.5
    if quote.source in _SPOKEN or quote.source == "test":
        limits = quote.source == "error" and _SUPPORTS.search(quote.text) is not None
        return -1.5 if mends or limits else -2.5
    return -1.0 if mends and quote.source == "docs" else 0.0


_SUPPORTS = re.compile(r"\bsupports?\b(?! (?:yet|for now))|\bmust be\b|\brequires?\b", re.IGNORECASE)
"""An error that says what can be done, and not only what cannot."""
_OF_LOGS = words("logs logging warnings messages")
_SUBJECT = 4.0
"""Where the title is about what the program says, that is what the change does."""


def _best(found: Sequence[Quote], about: Topic, least: float) -> Iterator[Gist]:
    best = ranked(found, about, MOST)
    if best and best[0].score >= least:
        yield quoting(best[0].quote)


def _speaks(quote: Quote, side: QuoteSide, about: Topic) -> bool:
    """What was said before speaks only of what the title is about: all else goes with the lines that it was about, and a
    comment that went does not say what stands in its place.
    """
    return quote.side == side and (side == "added" or (quote.source not in _OF_CODE and is_about(quote.text, about)))


def _is_gone(quote: Quote) -> bool:
    """Words about code that went; in code that was put in order they went with it to somewhere else."""
    return quote.side == "removed" and quote.source != "log"


def _is_on(quote: Quote, about: Topic) -> bool:
    """It has a word of the title; or says why, in a file that is called like what the title is about."""
    own = words(quote.path.rpartition("/")[2].partition(".")[0])
    return is_about(quote.text, about) or (len(own & about.title) >= NAMED_TWICE and says(quote.text, (CAUSE,)) > 0)


def _may_speak(quote: Quote, about: Topic, does: Kind) -> bool:
    """Not the docstring of something that the title has no word of, nor in code that was put in order what it says: both
    stood somewhere before, or are beside the change.
    """
    if quote.source == "docstring":
        wrong = does == "fix" and quote.path in about.files and hazard(quote.text, titled=False) is not None
        return wrong or is_about(quote.text, about)
    if quote.source not in _SPOKEN or quote.side != "added" or announces(quote, about):
        return True
    # new code may refuse and report many things beside what it is for, and check itself
    if quote.source == "error" and does in ("feature", "perf") and not _LIMITS.search(quote.text):
        return False
    return does != "refactor" and len(words(quote.text) & about.title) >= min(NAMED_TWICE, len(about.title))


_LIMITS = re.compile(
    r"\b(?:support|allow|requir|need|must|only|cannot|can't|can not|at least|at most|max|min|unless|without|should|disabled|use|set|provide|install|expect)"
    r"|(?<![\w-])--[a-z]",
    re.IGNORECASE,
)
"""What an error says that tells users what they can do and what not."""
NAMED_TWICE = 2
"""Words of the title that an error or a log line must have which came."""


def _body(found: Iterable[Quote], about: Topic) -> Iterator[Gist]:
    """Of the first paragraphs that say more than the title the most telling one, where it is much; else the first."""
    said = [quote for quote in islice(found, _PARAGRAPHS) if tells_more(quote.text, about)]
    best, most, first = None, -math.inf, 0
    for at, quote in enumerate(said):
        for one in ranked([quote], about, MOST):
            worth = one.score - (_BEHIND * at if at or about.mends else -_FIRST)
            text = quote.text if len(quote.text) <= MOST else one.quote.text
            if not text.endswith(":") and worth > most:
                most, first, best = worth, at, text
    if best and not about.mends and not _THIS.search(said[first].text):
        best = next(_does(said[first + 1 : first + 2]), best)
    if best:
        yield quoting(Quote("body", "", said[0].line, "message", best))


def _named_fault(change: Change) -> Iterator[Gist]:
    """A message of one line that names a fault, as `Fix perf regression`, which the title does not."""
    line = change.body.strip()
    if "\n" not in line and len(line) <= VALUE and _MENDS.match(line) and hazard(line) and not hazard(change.subject):
        yield quoting(Quote("body", "", 1, "message", line))


_FIXED = re.compile(r"\b(?:bug ?)?fix", re.IGNORECASE)
_MENDS = re.compile(r"(?:fix(?:es|ed)?|avoids?|prevents?|resolves?)\s+\w", re.IGNORECASE)


def _does(found: Iterable[Quote]) -> Iterator[str]:
    """What a change does by its own words, where what stands before them is how it was; of a fix that is what counts."""
    for quote in found:
        if _THIS.match(quote.text) and (text := shortened(quote.text, MOST)) and not text.endswith(":"):
            yield text


_THIS = re.compile(r"\b(?:this|the) (?:PR|pull request|commit|change|patch) (?!is\b|was\b)\w+s\b", re.IGNORECASE)
_PARAGRAPHS = 8
_FIRST = 2.0
"""What the first paragraph has before all others, but where something is mended: there the fault counts."""
_BEHIND = 1.2
"""What a paragraph must tell more than the one before it."""


def quoting(quote: Quote, *, short: bool = False) -> Gist:
    """A quote in its frame; a short one is a word."""
    side = "_gone" if quote.side == "removed" else "_before" if _is_past(quote) else ""
    bare = _MARK.sub("", quote.text)
    bare = bare[lead.end() :] if (lead := LEAD.match(bare)) else bare
    bare = bare.removesuffix("\\n")
    key, said = f"{quote.source}{side}", alike(quoted(bare))
    text = term("judge.row", key, quote=said) if short else term("judge.quote", key, quote=said)
    return Gist(text, quote.source, (quote,))


def _is_past(quote: Quote) -> bool:
    """A message tells first how it is without the change."""
    return quote.source == "body" and _NOW.match(quote.text) is not None


_NOW = re.compile(r"\W*(?:currently|at present|at the moment|right now|as of now|today)\b", re.IGNORECASE)


def is_of_another(quote: Quote, finding: Finding) -> bool:
    """A docstring over a field is of the field before it."""
    above = quote.path == finding.path and quote.line < finding.line
    return quote.source == "docstring" and above and kind_of(finding.kind).family == "field"

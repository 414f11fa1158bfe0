"""The one sentence of a change, by the best of its witnesses; nothing where none of them speaks.

Findings with their values, the body's first paragraph, the best quote, a text that the program says, the name of a test,
and of a small diff the changed lines themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind, Text
from daybreak.core.profiles import profile_of
from daybreak.core.words.brief import unplaced
from daybreak.core.words.grammar import joined, small, without_stop
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.paths import area
from daybreak.findings.quotes import quotes
from daybreak.findings.quotes.prose import is_sentence, split
from daybreak.judge.arrivals import arrived, departed, name_of, of_names
from daybreak.judge.breaking import mark_of, must_follow
from daybreak.judge.change_kinds import front
from daybreak.judge.change_kinds import kind_of as kind_of_change
from daybreak.judge.changed_lines import LOOKED_AT, MIDDLE, WIDE, are_beside, changed_lines, is_came
from daybreak.judge.effect import statements
from daybreak.judge.phrases import as_read, is_hash, is_typed_at
from daybreak.judge.purpose import NAMED, behind, is_longer_list, leaf, with_purpose
from daybreak.judge.quote_gist import (
    PURPOSE,
    REPAIRS,
    VALUE,
    WRITTEN,
    held,
    inserted,
    of_body,
    of_findings,
    of_quotes,
    quoting,
    topic_of,
)
from daybreak.judge.quote_rank import LONGER, Ranked, Topic, most_telling, ranked
from daybreak.judge.refused import ERROR_WORDS
from daybreak.judge.repair_lines import confessed
from daybreak.judge.sayings import says, tells_fault
from daybreak.judge.telling_words import letters, words
from daybreak.judge.told_users import says_what_to_set, way_out

_LITERAL = re.compile(
    r"[\"'].*[\"']|[-+]?[\d.][\w.+-]*|None|True|False|null|true|false|[\[({].*[\])}]|[<>=~!^].*|v?\d[\w.+-]*",
    re.DOTALL,
)
_DIGEST = re.compile(r"\b(?=\w{0,39}\d)[0-9a-f]{32,}\b")
_AS_CODE = frozenset({*CAME, "signature_changed", "passing_changed"})
"""Changes that are told by a piece of code, or by nothing but a name."""
_TYPED = frozenset({"cli", "environment", "server", "models", "metrics"})
"""What came or went there is a name that users type, send or watch, which says more than words about it."""


def gist(change: Change, reading: Reading) -> Gist | None:
    """What one change does, in one sentence."""
    if change.skipped is not None or change.filtered:
        return None
    kind = kind_of_change(change, reading)
    if kind == "refactor" and (shown := confessed(change)) is not None and shown.quote.source == "comment":
        return quoting(shown.quote)  # what gave wrong results, before what was cleaned up beside it
    about = topic_of(change, reading, kind)
    told = [finding for finding in reading.findings if not _is_beside(finding, about, kind)]
    worded = [finding for finding in told if not _is_bare_check(finding, kind)]
    resolved = sorted((f for f in told if _resolved(f, about)), key=lambda finding: _nearness(finding, about))
    nearest = [f for f in as_read(resolved, told) if f.kind == resolved[0].kind]
    if kind == "fix" and not nearest:
        nearest = [f for f in reading.findings if _is_built(f) and _shared(f, about)]
    options = sorted((f for f in told if _is_option(f, about)), key=lambda finding: _nearness(finding, about))
    # what comes along with a fix is not what was wrong, where words say that
    along = kind == "fix" and bool(nearest) and kind_of(nearest[0].kind).change in CAME and not nearest[0].breaking
    said = cache(lambda: quotes(change))
    of_fault = cache(lambda: [q for q in said() if q.source not in ("help", "log")])
    found_quotes = of_quotes(change, reading, about, () if along else options, kind, of_fault if along else said)
    if kind not in (*REPAIRS, "revert"):
        found_quotes = _before_lines(found_quotes, worded, about)
    if kind == "fix":  # what its callers inside had to follow says nothing of what was wrong
        worded, nearest = ([f for f in some if not _is_inner(f)] for some in (worded, nearest))
    witnesses = [of_findings(nearest), found_quotes, of_findings(worded)]
    quiet = kind == "fix" or (
        kind != "refactor" and nearest and (not nearest[0].breaking or (kind in _TOLD_BY_USE and _is_inner(nearest[0])))
    )
    # what went wrong, before what had to follow
    if along or (quiet and nearest and (_is_inside(nearest[0]) or nearest[0] not in resolved)):
        witnesses[:2] = [_worded(found_quotes), of_findings(nearest)]
    elif nearest and kind_of(nearest[0].kind).change in CAME and _shared(nearest[0], about) < NAMED:
        witnesses.insert(0, of_body(change, about))  # what the message tells beside it
    refusing = _refusing(told, nearest, said) if kind not in ("fix", "security") else ()
    found = next((one for witness in (refusing, *witnesses) for one in witness), None)
    if found is not None and kind not in ("test", *REPAIRS) and _is_of_tests(found, change, about):
        return _of_source(change) or next(of_findings(worded), found)
    if found is not None and found.source == "finding":
        told_with = with_purpose(found, change, reading, about, said())
        inner = kind in _TOLD_BY_USE and any(_is_inner(f) for f in reading.findings if f.id in found.findings)
        return quoting(told_with.quotes[0]) if inner and told_with.quotes else told_with
    beside = [q for q in said() if q.source in WRITTEN and q.side == "added"]
    best = ranked(beside, about, PURPOSE)
    return _with_names(found, change, reading, kind, best) or _at_last(change, reading, kind)


def _refusing(
    told: Sequence[Finding], nearest: Sequence[Finding], said: Callable[[], Sequence[Quote]]
) -> Iterator[Gist]:
    """What whoever starts it is refused with from now on, where nothing else that users set or send is told."""
    if all(map(_is_inside, nearest[:1])) and any(map(_is_refusal, told)):
        yield from map(quoting, filter(says_what_to_set, said()))


def _is_refusal(finding: Finding) -> bool:
    return (kind := kind_of(finding.kind)).family == "guard" and kind.change in CAME


def _is_built(finding: Finding) -> bool:
    """Of sources that are built along: what is mended may lie there."""
    return kind_of(finding.kind).family in ("source", "submodule")


def _of_source(change: Change) -> Gist | None:
    """What users run, before what only tests it."""
    line = changed_lines(change, 1, last=MIDDLE)
    return line if line is not None and not is_came(line) else None


def _is_of_tests(found: Gist, change: Change, about: Topic) -> bool:
    """Nothing but tests says it: neither what went wrong, or would, nor in a sentence what the title names."""
    profile, said = profile_of(change.repo), found.quotes
    told = any(tells_fault(q.text) or (is_sentence(q.text) and len(words(q.text) & about.title) > NAMED) for q in said)
    return bool(said) and not told and all(area(quote.path, profile) == "test" for quote in said)


def _at_last(change: Change, reading: Reading, kind: Kind) -> Gist | None:
    """Where nothing tells it: lines, or names of what came. Of a fix the line with a name that its title spells out, what its test
    holds, or a line with words of its title: more would pass for its fault.
    """
    if kind not in REPAIRS:
        return _line_or_names(change, reading, MIDDLE)
    line, names = changed_lines(change, 1, last=MIDDLE), _SPELT.findall(change.subject[:_LOOKED_AT])
    if line is not None and any(name in quote.text for name in names for quote in line.quotes):
        return line
    said, about = quotes(change), topic_of(change, reading, kind)
    told = next((one for some in (held, inserted) for one in some(said, about)), None)
    gone = departed(change, reading) if _TAKES_AWAY.search(change.subject[:_LOOKED_AT]) else None
    beside = line is None or are_beside(line, change.subject) or _renames(line)
    return told or gone or (None if beside else line)


def _renames(line: Gist) -> bool:
    """What stood there and what stands there now differ in nothing but names."""
    forms = [(quote.side, _WORD.sub("", quote.text)) for quote in line.quotes]
    return {form for side, form in forms if side == "removed"} == {form for side, form in forms if side == "added"}


_WORD = re.compile(r"\w+")


_TAKES_AWAY = re.compile(r"\b(?:remov|delet|drop)\w{0,5}\b|\bnot? longer\b", re.IGNORECASE)
_SPELT = re.compile(r"\w{1,60}_\w{1,60}|\w{0,60}[a-z][A-Z]\w{1,60}")
"""A name of the sources in a title."""


def shown_at_least(change: Change, reading: Reading, kind: Kind) -> Gist | None:
    """A line of what is worth knowing and nothing tells: it decides no grade, and so may be of a larger diff. Of a repair it
    would pass for what was wrong.
    """
    return None if kind in REPAIRS else _line_or_names(change, reading, LOOKED_AT)


def _line_or_names(change: Change, reading: Reading, lines: int) -> Gist | None:
    line = changed_lines(change, 1, last=lines)
    if line is not None and is_came(line) and changed_lines(change, 1, last=lines, whole=True) is None:
        line = None  # one of many that came
    if not any(any(statements(file, "+")) for file in front(change)):
        return departed(change, reading) or line
    if line is not None and not is_came(line):
        return line
    return line or arrived(change, reading, named=False)


def _with_names(
    found: Gist | None, change: Change, reading: Reading, kind: Kind, best: Sequence[Ranked]
) -> Gist | None:
    """What its words tell, behind the names of what came with it, where the title is about them; a message says it itself,
    and so do a line that is another and an error that is no longer raised. Names alone say nothing.
    """
    if kind in _TOLD_BY_WORDS or (found is not None and found.source in ("body", "changelog", "help")):
        return found
    lines = found is None or found.source == "line"
    alone = changed_lines(change, 1, whole=True) is not None if lines else False
    if found is not None and alone and found.lead is None and (kind != "feature" or not is_came(found)):
        return found
    if found is not None and any(quote.side == "removed" for quote in found.quotes if not lines):
        return found
    came = arrived(change, reading, alone=True)
    if came is None:
        return found
    said = of_names(came, [] if found is None or lines else found.quotes, best)
    if said is None:
        return (None if lines else found) or arrived(change, reading) or found
    lead = name_of(came, said)
    text = joined((without_stop(lead), small(quoting(said).text)), "semicolon")
    return replace(quoting(said), text=text, lead=lead)


_TOLD_BY_USE: frozenset[Kind] = frozenset({"feature", "perf"})
_TOLD_BY_WORDS: frozenset[Kind] = frozenset({"fix", "security", "revert", "test", "docs", "ci"})


def brief(entry: Entry, most: int) -> Text | None:
    """The same where there is less room: the most telling sentences; None for what cannot be cut and is longer."""
    found = entry.gist
    if found is None:
        return None
    if found.source == "finding":
        return _brief_finding(found, entry, most)
    if found.source == "line" and found.quotes[0].source in WRITTEN and not _fits(found, most):
        lines = None if tells_why(found) else changed_lines(entry.change, 1)
        found = lines or quoting(found.quotes[0])
    if found.source == "line":
        change, placed = entry.change, most > _LITTLE
        if not placed and found in (changed_lines(change), changed_lines(change, 1)):
            found = changed_lines(change, 1, placed=False) or found
        wides = () if _fits(found, most) else (WIDE, WIDE // 3)
        shorter = filter(None, (changed_lines(change, 1, wide=wide, placed=placed) for wide in wides))
        return next((one.text for one in (found, *shorter) if _fits(one, most)), None)
    if not found.quotes or (len(found.quotes) > 1 and _fits(found, most)):
        return _whole(found, most)
    about = topic_of(entry.change, entry.reading, entry.kind)
    text = way_out(found.quotes[0], int(most * LONGER)) or most_telling(found.quotes[0], about, most)
    return quoting(replace(found.quotes[0], text=text)).text if text else None


def _fits(found: Gist, most: int) -> bool:
    return len(chosen(found.text, REFERENCE)) <= most + _FRAME


def _whole(found: Gist, most: int) -> Text | None:
    return found.text if _fits(found, most) else None


def quoted_beside(entry: Entry) -> Text | None:
    """What the author says of what findings tell."""
    found = entry.gist
    return quoting(found.quotes[0]).text if found and found.source == "finding" and found.quotes else None


def tells_why(found: Gist) -> bool:
    """Words of its author that say a cause, a condition or a consequence: what a finding alone does not say."""
    return bool(found.quotes) and found.quotes[0].source in _IN_WORDS and says(found.quotes[0].text) > 0


_IN_WORDS = frozenset({"body", "comment", "docstring", "help", "docs", "changelog"})


def _brief_finding(found: Gist, entry: Entry, most: int) -> Text | None:
    """With the author's words where there is room for them."""
    if _fits(found, most):
        return found.text
    alone = next(of_findings([f for f in entry.reading.findings if f.id in found.findings]), found)
    room = most + _FRAME - len(chosen(alone.text, REFERENCE)) - _AROUND_QUOTE
    if alone is not found and found.quotes and room > _LEAST_QUOTE:
        first = split(found.quotes[0].text)[0]
        shorter = behind(alone, replace(found.quotes[0], text=first)) if len(first) <= room else alone
        return _whole(shorter, most) or _whole(alone, most)
    return _whole(alone, most) or _whole(replace(alone, text=unplaced(alone.text)), most)


_FRAME = 60
"""What a line has around a quote."""
_LITTLE = 80
"""Characters of a line that has no room for the function it stands in."""
_AROUND_QUOTE, _LEAST_QUOTE = 24, 30
"""Characters that say whose words a quote is, and of one that is worth its room."""


def _nearness(finding: Finding, about: Topic) -> tuple[int, bool, bool, int, int]:
    """What users type and the title spells out, then what breaks, then what users set and send and plug-ins implement, then what the title names."""
    own, kind = words(finding.symbol), kind_of(finding.kind)
    spelt = kind.surface in _TYPED and about.spells(finding.symbol)
    return (
        (-1 if kind.change in CAME else -2) if spelt else 0,
        not finding.breaking,
        _is_inside(finding),
        len(own - about.title) - len(own & about.title),
        -_shared(finding, about),
    )


def _is_inner(finding: Finding) -> bool:
    return kind_of(finding.kind).family.startswith("internal")


def _is_inside(finding: Finding) -> bool:
    """Whoever only sets and sends things never meets it."""
    return kind_of(finding.kind).surface == "python" or _is_inner(finding)


def _before_lines(found: Iterator[Gist], worded: Sequence[Finding], about: Topic) -> Iterator[Gist]:
    """Before lines and names of code what is another under a name of its own; where a line is another, as far as the title is
    about that name.
    """
    if (first := next(found, None)) is not None and first.source in ("line", "test"):
        came, other = is_came(first), [f for f in worded if not is_hash(f.after or "") and not _is_kept(f)]
        stays = [f for f in other if kind_of(f.kind).change != "moved"]  # who moved with it, its lines tell
        yield from of_findings(
            [
                f
                for f in stays
                if _shared(f, about) or _shuts_out(f, about) or (came and kind_of(f.kind).change not in GONE)
            ]
        )
    yield from () if first is None else (first,)


def _worded(found: Iterator[Gist]) -> Iterator[Gist]:
    """The first of them, where it is in words."""
    yield from (one for one in islice(found, 1) if one.source not in ("line", "finding"))


def _shared(finding: Finding, about: Topic) -> int:
    return len(words(f"{finding.symbol} {finding.after or ''}"[:_LOOKED_AT]) & about.title)


_LOOKED_AT = 400


def _shuts_out(finding: Finding, about: Topic) -> bool:
    """Another version of a package that the title names, in whatever letters, and that somebody had otherwise."""
    package = letters(finding.symbol.rpartition(" ")[2])
    pinned = "pinned" in kind_of(finding.kind).traits and mark_of(finding) == "breaks"
    return pinned and len(package) >= _PACKAGE and package in about.letters


_PACKAGE = 4
"""Letters of a package's name, of which fewer may stand in any word."""


def _is_beside(finding: Finding, about: Topic, does: Kind) -> bool:
    """Not what the change is about: a patch of a package, or in a fix a value inside that its title has nothing of."""
    kind = kind_of(finding.kind)
    if does == "fix" and kind.requires and kind.change == "changed" and not _shared(finding, about):
        return True  # what moves along says nothing of what was wrong
    if "pinned" in kind.traits or kind.family == "dependency":
        pinned = kind.change == "changed" and not must_follow(finding) and not _shuts_out(finding, about)
        return does not in ("dependency", "build") and (
            pinned or (kind.surface == "dependencies" and is_hash(finding.after or ""))
        )
    return (
        does == "fix"
        and kind.surface in ("python", "behaviour")
        and not finding.breaking
        and not _shared(finding, about)
    )


def _is_bare_check(finding: Finding, does: Kind) -> bool:
    """A check inside that came without words of its error: its code alone says nothing of what is refused. What is quicker or
    put in order checks what came with it.
    """
    kind, text = kind_of(finding.kind), finding.after or ""
    came = kind.family == "guard" and kind.change in CAME
    if came and does in ("perf", "refactor"):
        return not is_typed_at(finding.path)
    bare = came and not ERROR_WORDS.search(text)
    return bare and not finding.breaking and not is_typed_at(finding.path)


def _resolved(finding: Finding, about: Topic) -> bool:
    """It is about names and values that a reader can use as they stand, not about a piece of code.

    What only insiders meet speaks first where the title names it: elsewhere it follows from what the change is about.
    """
    kind, values = kind_of(finding.kind), (finding.before or "", finding.after or "")
    if finding.inner or _is_kept(finding) or kind.told != "always" or "condition" in kind.traits:
        return False
    if kind.change in _AS_CODE:
        named = kind.family == "dependency" and _shared(finding, about) > 0
        return kind.change in CAME and (kind.surface in _TYPED or named)
    member = kind.family == "enum_member" and about.title.isdisjoint(words(leaf(finding)))
    if member or (kind.mark == "internals" and not _is_named(finding, about)):
        return False
    if any(len(value) > VALUE or _DIGEST.search(value) for value in values):
        return False  # no reader can do anything with such a value
    gone = kind.change in GONE and (all(values) or kind.surface in _TYPED or _shared(finding, about) >= NAMED)
    if not finding.breaking and not gone and not (all(values) and kind.surface != "python"):
        return False  # what only those meet who call it so
    return kind.change not in ("default_changed", "changed") or all(map(_LITERAL.fullmatch, filter(None, values)))


def _is_kept(finding: Finding) -> bool:
    return finding.alias is not None and finding.alias.status == "kept"


def _is_named(finding: Finding, about: Topic) -> bool:
    """The title has a word of its name; of what breaks nobody, most of the name itself, without what it is in."""
    if finding.breaking:
        return not about.title.isdisjoint(words(finding.symbol))
    leaf = words(finding.symbol.rpartition(".")[2])
    return len(leaf & about.title) >= min(NAMED, len(leaf))


def _is_option(finding: Finding, about: Topic) -> bool:
    """A flag, a variable, a field of a configuration or of a request that comes, and that the title is about."""
    kind = kind_of(finding.kind)
    if is_longer_list(finding):
        return not finding.inner and about.spells(leaf(finding))
    if finding.inner or kind.told != "always" or kind.change not in CAME or kind.surface == "python":
        return False
    return kind.surface in _OPTIONS and (bool(_shared(finding, about)) or about.spells(finding.symbol))


_OPTIONS = frozenset({"cli", "environment", "config", "server", "metrics"})

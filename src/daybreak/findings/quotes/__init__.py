"""Quotes of a change: what its author wrote in comments, docstrings, messages of the program, pages and tests.

Everything is verbatim; what the commit only moved is left out, and so are licences, marks for tools and code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import Quote, QuoteSide, QuoteSource
from daybreak.core.profiles import Profile, profile_of
from daybreak.findings import paths
from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.quotes.announced import is_changelog
from daybreak.findings.quotes.comments import blocks, form_of
from daybreak.findings.quotes.names_of_tests import names_of_tests, runs
from daybreak.findings.quotes.prose import JOINTS, Sentence, is_boilerplate, is_note, is_prose, joined, sentences, split
from daybreak.findings.quotes.spoken import spoken

MOST = 400
"""Quotes of one change."""
MOST_LINES = 20_000
"""Lines of hunks that are looked at."""
_SOURCE: frozenset[Area] = frozenset({"code", "api", "kernel", "build", "dependency", "data"})
_NEVER: frozenset[Area] = frozenset({"generated", "vendored", "lock"})
_PAGE = re.compile(r"\.(?:md|mdx|rst|adoc)$", re.IGNORECASE)
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})
_COMPARED = 60
_STEM = 5
_WORD = re.compile(r"\w{3,}")
_PREFIX = re.compile(r"\b[fFrRbBuU]{1,2}(?=[\"'])")
"""The letter before a literal, which is none of its text."""
_BETWEEN = re.compile(r"[\W_]+")
_LOOKED_AT = 200_000
"""Letters of one side of a file among which words are sought."""
_AS_THEY_ARE: frozenset[QuoteSource] = frozenset({"error", "test"})
_SIDES: tuple[tuple[QuoteSide, str], ...] = (("added", "+"), ("removed", "-"))


class _Found(NamedTuple):
    source: QuoteSource
    path: str
    side: QuoteSide
    block: tuple[int, int]
    sentence: Sentence


Standing = dict[tuple[str, QuoteSide], list[tuple[DiffHunk, str]]]
"""The hunks of a file with the sign of one side: what is found among the letters there was not said anew."""


def quotes(change: Change) -> list[Quote]:
    """The author's words in the files of a change, file by file."""
    standing: Standing = {}
    found = [*_in_files(change.files, profile_of(change.repo), standing)]
    return list(islice(_joined(_without_moved(found, standing)), MOST))


def _in_files(files: Sequence[FileChange], profile: Profile, standing: Standing) -> Iterator[_Found]:
    left, count = MOST_LINES, 0
    alone = not any(paths.area(file.path, profile) in _SOURCE for file in files)
    for file in files:
        area = paths.area(file.path, profile)
        if area in _NEVER or not file.patch or left < 0:
            continue
        tests = _Tests(area, file.patch, alone)
        for hunk in hunks(file.patch):
            left -= len(hunk.lines)
            if left < 0:
                break
            for name, sign in _SIDES:
                standing.setdefault((file.path, name), []).append((hunk, sign))
                for source, number, sentence in _in_hunk(file.path, tests, hunk, sign):
                    yield _Found(source, file.path, name, (count, number), sentence)
                count += 1


class _Tests:
    """What a file's tests may say: a comment is a new test's only where the test is new, else one that is a comment."""

    def __init__(self, area: Area, patch: str, alone: bool) -> None:
        self.area, self.alone = area, alone
        sides = {sign: [side(hunk, "+" if sign == "+" else "-") for hunk in hunks(patch)] for _, sign in _SIDES}
        self._stood = {
            "+" if sign == "-" else "-": {name for lines in some for _, name in names_of_tests(lines)}
            for sign, some in (sides.items() if area == "test" else ())
        }

    def named(self, lines: Sequence[SideLine], sign: str) -> list[tuple[SideLine, str]]:
        """Tests that one side has and the other has not: one whose head was altered is the same test."""
        return [(line, name) for line, name in names_of_tests(lines) if name not in self._stood[sign]]

    def source(self, kind: QuoteSource, block: Sequence[SideLine], new: set[int]) -> QuoteSource | None:
        """What a comment is a word of; None for one beside a test, where the change is about the code."""
        if self.area != "test" or any(line.number in new for line in block):
            return "test" if self.area == "test" else kind
        return kind if self.alone else None


def _in_hunk(path: str, tests: _Tests, hunk: DiffHunk, sign: str) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    area, lines = tests.area, side(hunk, "+" if sign == "+" else "-")
    if not any(line.changed for line in lines):
        return
    if _PAGE.search(path) or (area == "docs" and form_of(path) is None):
        page: QuoteSource = "changelog" if is_changelog(path) else "docs"
        yield from _prose(page, sign, 0, lines)
        return
    form = form_of(path)
    if form is None:
        return
    named = tests.named(lines, sign) if area == "test" else []
    for number, (line, words) in enumerate(named if sign == "+" else (), 200_000):
        yield "test", number, Sentence(words, line.number, True, 0, 0)
    new = runs(lines, frozenset(line.number for line, _ in named))
    for number, (kind, block) in enumerate(blocks(lines, form), 1):
        source = tests.source(kind, block, new)
        if source is not None:
            yield from _prose(source, sign, number, block)
    if area != "test":
        yield from _spoken(lines)


def _spoken(lines: list[SideLine]) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    for number, said in enumerate(spoken(lines), 100_000):
        if is_prose(said.text) or (said.source == "error" and len(said.text.split()) > 3):
            for place, text in enumerate(split(said.text)):
                yield said.source, number, Sentence(text, said.line.number, True, 0, place)


def _prose(
    source: QuoteSource, sign: str, number: int, lines: list[SideLine]
) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    """Sentences that the change touched; of those that went, the ones of which no line stays."""
    for one in sentences(lines):
        if (
            (one.whole if sign == "-" else one.changed)
            and not is_boilerplate(one.text)
            and (source != "test" or is_prose(one.text))
        ):
            yield source, number * 40 + min(one.paragraph, 39), one


def _without_moved(found: list[_Found], standing: Standing) -> Iterator[_Found]:
    """What stands on both sides was moved, wrapped into another call, or its lines were broken anew."""
    sides: dict[QuoteSide, set[str]] = {"added": set(), "removed": set()}
    for one in found:
        sides[one.side].add(_plain(one.sentence.text))
    other: dict[QuoteSide, QuoteSide] = {"added": "removed", "removed": "added"}
    texts = {key: _letters(standing.get(key, ())) for key in {(one.path, other[one.side]) for one in found}}
    said = [(one.side, _stems(one.sentence.text)) for one in found if one.source in _SPOKEN]
    for one in found:
        plain = _plain(one.sentence.text)
        if plain in sides[other[one.side]] or plain in texts[one.path, other[one.side]]:
            continue
        if one.source in _SPOKEN and _reworded(one, [text for side, text in said if side != one.side]):
            continue
        yield one


def _reworded(one: _Found, others: Sequence[frozenset[str]]) -> bool:
    """The program says the same in other words."""
    own = _stems(one.sentence.text)
    return any(len(own & other) * 5 >= len(own | other) * 3 for other in others[:_COMPARED])


def _stems(text: str) -> frozenset[str]:
    """Beginnings of the words that say something: `requires` and `required` are one."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower()) if word not in JOINTS)


def _letters(hunks_of: Iterable[tuple[DiffHunk, str]]) -> str:
    sides = (" ".join(x.text for x in hunk.lines if x.sign in (" ", sign)) for hunk, sign in hunks_of)
    return "\n".join(_plain(_PREFIX.sub("", text)) for text in sides)[:_LOOKED_AT]


def _plain(text: str) -> str:
    return _BETWEEN.sub("", text).lower()


def _joined(found: Iterable[_Found]) -> Iterator[Quote]:
    """Sentences of one paragraph that stand one behind the other as one quote; one of them at least is prose."""
    held: list[_Found] = []
    for one in found:
        if held and not _follows(held[-1], one):
            yield from _quote(held)
            held = []
        held.append(one)
    yield from _quote(held)


def _follows(one: _Found, two: _Found) -> bool:
    return (one.block, one.path, one.sentence.place + 1) == (two.block, two.path, two.sentence.place)


def _says(one: _Found) -> bool:
    return is_prose(one.sentence.text) or (one.source == "comment" and is_note(one.sentence.text))


def _quote(found: list[_Found]) -> Iterator[Quote]:
    text = joined(x.sentence.text for x in found)
    if any(x.source in _AS_THEY_ARE or _says(x) for x in found) or (found and is_prose(text)):
        first = found[0]
        yield Quote(first.source, first.path, first.sentence.line, first.side, text)

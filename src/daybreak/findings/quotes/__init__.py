"""Quotes of a change: what its author wrote in comments, docstrings, messages of the program, pages and tests.

Everything is verbatim; what the commit only moved is left out, and so are licences, marks for tools and code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import Quote, QuoteSide, QuoteSource
from daybreak.core.profiles import Profile, profile_of
from daybreak.findings import paths
from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.memory import remembered
from daybreak.findings.quotes.announced import is_changelog
from daybreak.findings.quotes.comments import blocks, form_of, without_comment
from daybreak.findings.quotes.prose import (
    JOINTS,
    Sentence,
    is_boilerplate,
    is_misspelt,
    is_note,
    is_prose,
    joined,
    sentences,
    split,
)
from daybreak.findings.quotes.spoken import spoken

MOST = 400
"""Quotes of one change."""
MOST_LINES = 20_000
"""Lines of hunks that are looked at."""
_SOURCE: frozenset[Area] = frozenset({"code", "api", "kernel", "build", "dependency", "data"})
_NEVER: frozenset[Area] = frozenset({"generated", "vendored", "lock"})
_PAGE = re.compile(r"\.(?:md|mdx|rst|adoc)$", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,12}(?:`{3}|~{3})")
_FENCE_OF = re.compile(r"\s{0,12}(?:`{3,9}|~{3,9}) ?\w")
_TAG = r"</?[A-Za-z][^<>\n]{0,200}>"
_TAGS = re.compile(rf"^\s{{0,80}}(?:{_TAG}\s{{0,8}}){{1,9}}|(?:\s{{0,8}}{_TAG}){{1,9}}$")
"""Tags at the ends of a line, which set a paragraph apart and say nothing."""
_IMPORT = re.compile(r"\s*(?:(?:from\s+[\w.]{1,200}\s+)?import\s|#include\b|use\s+[\w:]{1,200}[;:{])")
"""What stands below a comment on how modules find each other, which tells nothing of what they do."""
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})
_COMPARED = 60
_PARAGRAPHS = 40
"""Of one block that are told apart."""
_STEM = 5
_WORD = re.compile(r"\w{3,}")
_NOTE = re.compile(r"^(?:NOTE|IMPORTANT)(?:\s?\([\w@., -]{1,40}\))?:\s+(?=\S)", re.IGNORECASE)
"""How a remark begins that is signed: who wrote it says nothing of what it is about."""
_PREFIX = re.compile(r"\b[fFrRbBuU]{1,2}(?=[\"'])")
"""The letter before a literal, which is none of its text."""
_BETWEEN = re.compile(r"[\W_]+")
_LOOKED_AT = 200_000
"""Letters of one side of a file among which words are sought."""
_AS_THEY_ARE: frozenset[QuoteSource] = frozenset({"error", "test"})
_SIDES: tuple[tuple[QuoteSide, str], ...] = (("added", "+"), ("removed", "-"))


_RECORDED = ".ipynb"
"""A notebook's file is a record of cells, no text of an author."""


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
    return list(_of_files(change.repo, change.files))


@remembered(256)
def _of_files(repo: str, files: tuple[FileChange, ...]) -> tuple[Quote, ...]:
    """Read once: whoever grades a change asks, and whoever tells of its fault asks again."""
    standing: Standing = {}
    found = [*_in_files(files, profile_of(repo), standing)]
    return tuple(islice(_joined(_without_moved(found, standing)), MOST))


def _in_files(files: Sequence[FileChange], profile: Profile, standing: Standing) -> Iterator[_Found]:
    left, count = MOST_LINES, 0
    alone = not any(paths.area(file.path, profile) in _SOURCE for file in files)
    tested = [file for file in files if file.patch and paths.area(file.path, profile) == "test"]
    moved = frozenset(
        name for file in tested for hunk in hunks(file.patch) for _, name in names_of_tests(side(hunk, "-"))
    )
    reworded, coded = list[_Found](), False
    for file in files:
        area = paths.area(file.path, profile)
        if area in _NEVER or not file.patch or file.path.endswith(_RECORDED) or left < 0:
            continue
        tests = Tests(file.path, area, file.patch, alone, moved)
        for hunk in hunks(file.patch):
            left -= len(hunk.lines)
            if left < 0:
                break
            remarks = area in _SOURCE and _only_reworded(file.path, hunk)
            coded = coded or (area in _SOURCE and not remarks)
            for name, sign in _SIDES:
                standing.setdefault((file.path, name), []).append((hunk, sign))
                found = (
                    _Found(source, file.path, name, (count, number), sentence)
                    for source, number, sentence in _in_hunk(file.path, tests, hunk, sign)
                )
                if remarks:
                    reworded.extend(found)
                else:
                    yield from found
                count += 1
    yield from () if coded else reworded


def _in_hunk(path: str, tests: Tests, hunk: DiffHunk, sign: str) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    lines = side(hunk, "+" if sign == "+" else "-")
    if not any(line.changed for line in lines):
        return
    if _PAGE.search(path) or (tests.area == "docs" and form_of(path) is None):
        page: QuoteSource = "changelog" if is_changelog(path) else "docs"
        yield from _prose(page, 0, _outside_fences(lines))
        return
    code, tested = tests.parted(hunk, lines, sign)
    yield from _in_code(path, code, _inserted(hunk) if sign == "+" else frozenset())
    yield from _in_tests(path, tests, tested, sign)


def _only_reworded(path: str, hunk: DiffHunk) -> bool:
    """Remarks over code that stays were put in other words: nothing there is otherwise than before."""
    form = form_of(path)
    if form is None:
        return False
    gone, came = (
        [
            ("" if _REMARK.match(line.text) else without_comment(line.text, form).strip(), line.text.strip())
            for line in side(hunk, sign)
            if line.changed
        ]
        for sign in ("-", "+")
    )
    bare = [[code for code, _ in some if code] for some in (gone, came)]
    remarks = any(text != code for code, text in gone) and any(text != code for code, text in came)
    return remarks and bare[0] == bare[1]


def _inserted(hunk: DiffHunk) -> frozenset[int]:
    """Numbers of lines that came where no comment went: what they say is no part of a sentence that stands there."""
    runs_of = (list(rows) for changed, rows in groupby(hunk.lines, lambda line: line.sign != " ") if changed)
    pure = (rows for rows in runs_of if not any(x.sign == "-" and _REMARK.match(x.text) for x in rows))
    return frozenset(line.new or 0 for rows in pure for line in rows)


_REMARK = re.compile(r"\s*(?:#|//|\*|/\*)")


def _in_code(path: str, lines: list[SideLine], inserted: frozenset[int]) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    form = form_of(path)
    if form is None or not lines:
        return
    below = {line.number: next_ for line, next_ in pairwise(line for line in lines if line.text.strip())}
    for number, (kind, block) in enumerate(blocks(lines, form), 1):
        last = below.get(block[-1].number)
        if kind != "comment":
            yield from _prose(kind, number, block)
        elif last is None or not _IMPORT.match(last.text):
            for _, rows in groupby(block, lambda line: line.number in inserted):
                yield from _prose(kind, number, list(rows))
    yield from _spoken(lines)


def _in_tests(path: str, tests: Tests, lines: list[SideLine], sign: str) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    """Names of new tests, and what their authors say of a test as a whole."""
    form = form_of(path)
    if form is None or not lines:
        return
    for number, (line, words) in enumerate(tests.named(lines, sign) if sign == "+" else (), 200_000):
        yield "test", number, Sentence(words, line.number, True, 0, 0)
    new = runs(lines, frozenset(line.number for line, _ in tests.named(lines, sign)))
    for number, (kind, block) in enumerate(blocks(lines, form), 100):
        source = tests.source(kind, block, lines, new)
        if source is not None:
            yield from _prose(source, number, block)


def _outside_fences(lines: Sequence[SideLine]) -> list[SideLine]:
    """A page without its commands and samples, and without the fields over it that tell programs how it is called; a
    hunk that begins within a sample is known by a mark that names no language before one that does.
    """
    lines = lines[_fields(lines) :]
    marks = [at for at, line in enumerate(lines) if _FENCE.match(line.text)]
    named = next((n for n, at in enumerate(marks) if _FENCE_OF.match(lines[at].text)), 0)
    inside, out = named % 2 == 1, []
    for line in lines:
        if _FENCE.match(line.text):
            inside = not inside
        hidden = inside or _FENCE.match(line.text) is not None
        out.append(line._replace(text="" if hidden else _TAGS.sub("", line.text)))
    return out


def _fields(lines: Sequence[SideLine]) -> int:
    """How many lines at its beginning stand between two rules, as `title: …` does."""
    if not lines or lines[0].number != 1 or lines[0].text.strip() != "---":
        return 0
    return next((at + 1 for at, line in enumerate(lines) if at and line.text.strip() == "---"), 0)


def _spoken(lines: list[SideLine]) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    for number, said in enumerate(spoken(lines), 100_000):
        if is_prose(said.text) or (said.source == "error" and len(said.text.split()) > 3):
            for place, text in enumerate(split(said.text)):
                yield said.source, number, Sentence(text, said.line.number, True, 0, place, whole=not said.stays)


def _prose(source: QuoteSource, number: int, lines: list[SideLine]) -> Iterator[tuple[QuoteSource, int, Sentence]]:
    """Sentences that the change touched."""
    for one in sentences(lines):
        if one.changed and not is_boilerplate(one.text) and (source != "test" or is_prose(one.text)):
            yield source, number * _PARAGRAPHS + min(one.paragraph, _PARAGRAPHS - 1), one


def _without_moved(found: list[_Found], standing: Standing) -> Iterator[_Found]:
    """What stands on both sides was moved, wrapped into another call, or its lines were broken anew."""
    sides: dict[QuoteSide, set[str]] = {"added": set(), "removed": set()}
    for one in found:
        sides[one.side].add(_plain(one.sentence.text))
    other: dict[QuoteSide, QuoteSide] = {"added": "removed", "removed": "added"}
    texts = {key: _letters(standing.get(key, ())) for key in {(one.path, other[one.side]) for one in found}}
    said = [(one.side, _stems(one.sentence.text)) for one in found if one.source in _SPOKEN]
    written = {(one.side, _ordinary(one.sentence.text)) for one in found if one.source not in _SPOKEN}
    beside: dict[tuple[str, QuoteSide], list[str]] = {}
    for one in found:
        beside.setdefault((one.path, one.side), []).append(one.sentence.text)
    docs = [one for one in found if one.source == "docstring"]
    gone = [(one.path, _stems(one.sentence.text)) for one in docs if one.side == "removed"]
    along = {_whole(one) for one in docs if one.side == "added" and _taken_along(one, gone)}
    for one in found:
        plain = _plain(one.sentence.text)
        if one.side == "removed" and not one.sentence.whole:
            continue  # some of it stays
        if plain in sides[other[one.side]] or plain in texts[one.path, other[one.side]]:
            continue
        if one.source not in _SPOKEN and (other[one.side], _ordinary(one.sentence.text)) in written:
            continue
        if any(
            is_misspelt(one.sentence.text, text) for text in beside.get((one.path, other[one.side]), [])[:_COMPARED]
        ):
            continue
        if one.source == "docstring" and _whole(one) in along:
            continue
        if one.source in _SPOKEN and _reworded(one, [text for side, text in said if side != one.side]):
            continue
        yield one


def _reworded(one: _Found, others: Sequence[frozenset[str]]) -> bool:
    """The program says the same in other words."""
    own = _stems(one.sentence.text)
    return any(len(own & other) * 5 >= len(own | other) * 3 for other in others[:_COMPARED])


def _whole(one: _Found) -> tuple[int, int]:
    """The block of a sentence, whichever paragraph of it."""
    return one.block[0], one.block[1] // _PARAGRAPHS


def _taken_along(one: _Found, gone: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """A docstring that went with its function from another file: most of what was said there is said here."""
    own = _stems(one.sentence.text)
    elsewhere = islice((words for path, words in gone if path != one.path), _COMPARED)
    return any(len(words) >= _FEWEST and len(own & words) * 4 >= len(words) * 3 for words in elsewhere)


def _ordinary(text: str) -> tuple[str, ...]:
    """The words of a sentence that are no names of code: where they are the same, only names have changed. Few words say
    nothing either way.
    """
    found = tuple(word for word in text.split() if _ORDINARY.fullmatch(word))
    return found if len(found) >= _FEWEST else (text,)


_ORDINARY = re.compile(r"[A-Z]?[a-z'-]{1,40}[,;:.!?]?")
_FEWEST = 5


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
        yield Quote(first.source, first.path, first.sentence.line, first.side, _NOTE.sub("", text))


# Tests of a file: names of new ones in words, and which comments say what a test is for and not how it is set up.
_NAMES = re.compile(
    r"\s*(?:async\s+)?def (test_\w{6,160})\(|func (Test\w{6,160})\(|\s*fn (\w{8,160})\(\)|TEST(?:_[FP])?\((\w{1,80}\s*,\s*\w{4,120})\)"
    r"|\s*(?:it|test|describe)\(\s*[\"'`]([^\"'`]{8,200})[\"'`]"
)
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def names_of_tests(lines: Sequence[SideLine]) -> Iterator[tuple[SideLine, str]]:
    """New tests with their names in words."""
    marked = False
    for line in lines:
        match = _NAMES.match(line.text[:400]) if line.changed else None
        if match and (match[3] is None or marked):
            yield line, _words(next(filter(None, match.groups())))
        marked = "test]" in line.text or (marked and line.text.lstrip().startswith("#["))


class Tests:
    """The tests of a file: all of it, or in Rust what stands behind the mark of its tests."""

    def __init__(self, path: str, area: Area, patch: str, alone: bool, moved: frozenset[str]) -> None:
        """`moved`: tests that the change takes out of some file: in another one they are not new."""
        self.area, self.alone = area, alone
        self._within = path.endswith(".rs") and area != "test"
        self._begun = {"+": False, "-": False}
        tested = self._within or area == "test"
        some = list(hunks(patch)) if tested else []
        self._stood = {
            "+": {name for hunk in some for _, name in names_of_tests(side(hunk, "-"))} | moved,
            "-": {name for hunk in some for _, name in names_of_tests(side(hunk, "+"))},
        }

    def parted(self, hunk: DiffHunk, lines: list[SideLine], sign: str) -> tuple[list[SideLine], list[SideLine]]:
        """Lines of code and lines of tests: tests within a source stand at its end."""
        if not self._within:
            return ([], lines) if self.area == "test" else (lines, [])
        first = next((at for at, line in enumerate(lines) if RUST_TESTS.match(line.text)), len(lines))
        begun = self._begun[sign] or RUST_TESTS.match(hunk.context) is not None
        self._begun[sign] = begun or first < len(lines)
        return ([], lines) if begun else (lines[:first], lines[first:])

    def named(self, lines: Sequence[SideLine], sign: str) -> list[tuple[SideLine, str]]:
        """Tests that one side has and the other has not: one whose head was altered is the same test."""
        return [(line, name) for line, name in names_of_tests(lines) if name not in self._stood[sign]]

    def source(
        self, kind: QuoteSource, block: Sequence[SideLine], lines: Sequence[SideLine], new: set[int]
    ) -> QuoteSource | None:
        """What words of a test count as; None for a comment on how it is set up, or on an old test beside the code."""
        if self.alone and not any(line.number in new for line in block):
            return kind
        if kind == "docstring":
            if not any(line.number in new for line in block):
                return kind
            return None if _is_of_helper(block, lines) else "test"
        return "test" if any(line.number in new for line in block) and _is_beside_head(block, lines) else None


def _is_beside_head(block: Sequence[SideLine], lines: Sequence[SideLine]) -> bool:
    """A comment right over the head of a test, or the first thing below it, is about the test as a whole."""
    above = [line.text for line in lines if line.number < block[0].number and line.text.strip()][-_HEAD_LINES:]
    below = (line.text for line in lines if line.number > block[-1].number and line.text.strip())
    first = next((text for text in below if not text.lstrip().startswith(("@", "#[", ")", "]"))), "")
    if _NAMES.match(first[:400]):
        return True
    at = next((n for n, text in enumerate(reversed(above)) if _NAMES.match(text[:400])), None)
    if at is None or not above[-1].rstrip().endswith((":", "{", "=> {")):
        return False
    return not any(text.rstrip().endswith((":", "{", ";")) for text in above[len(above) - at - 1 : -1])


def _is_of_helper(block: Sequence[SideLine], lines: Sequence[SideLine]) -> bool:
    """The docstring of what tests are made with, and of no test."""
    above = [line.text for line in lines if line.number < block[0].number and line.text.strip()][-_HEAD_LINES:]
    head = next((match for text in reversed(above) if (match := _ANY_HEAD.match(text[:400]))), None)
    return head is not None and not head[1].lower().lstrip("_").startswith("test") and above[-1].rstrip().endswith(":")


_ANY_HEAD = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w{1,160})")
_HEAD_LINES = 12
"""Lines that the head of a test has at most."""
RUST_TESTS = re.compile(r"\s*(?:mod tests?\s*\{|#\[cfg\(test\)\]|#\[(?:\w+::)?test\b)")


def runs(lines: Sequence[SideLine], heads: frozenset[int]) -> set[int]:
    """Numbers of the changed lines that stand together with one of these heads, blank ones between them or not."""
    out: set[int] = set()
    held: list[int] = []
    for line in (*lines, SideLine("end", 0, False)):
        if line.changed:
            held.append(line.number)
        elif line.text.strip() and held:
            out.update(held if not heads.isdisjoint(held) else ())
            held = []
    return out


def _words(name: str) -> str:
    if " " in name and "," not in name:
        return " ".join(name.split())
    name = name.rpartition(",")[2].strip()
    name = re.sub(r"^[Tt]est_?", "", name)
    return " ".join(_HUMPS.sub(" ", name.replace("_", " ")).split())

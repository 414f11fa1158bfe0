"""Repairs by their lines: a fix of few statements that shows itself what was wrong, whatever its author says.

An argument is handed on that was taken and never read. Or an entry may be missing that had to be there. Or a field is carried
over from one object to another as its neighbours were. That what is handed out is a copy from now on says that two had the same
memory, and not that anybody wrote to it: no more than that it bears out an author who says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.quotes import Quote
from daybreak.findings.diff import SideLine, hunks, side
from daybreak.findings.paths import area
from daybreak.findings.quotes import quotes
from daybreak.judge.change_kinds import RUNS_TEST, bare, front, is_front
from daybreak.judge.effect import statements
from daybreak.judge.hazards import Hazard, hazard, is_noticed
from daybreak.judge.telling_words import words

_FEW = 4
"""Statements of a side; among more, an argument is not what the fix is about."""
_COPIES = re.compile(r"\.(?:clone|copy|deepcopy)\(|\bcopy\.copy\(|\bdeepcopy\(")
_HANDS_OUT = re.compile(
    r"(?:yield|return)\b|self\.\w{1,60}(?:\[[^\]]{1,60}\])? ?=(?!=)|[\w.]{1,80}\.(?:append|put|send)\("
)
_HANDS_ON = re.compile(r"(?:[\w.]{1,80}\()?(\w{2,60})=(?:(?:self|args)\.)?\1\)?,?")
_TAKES = re.compile(r"(\w{2,60})(?:\s?:[^=]{1,80})?\s?=\s?None,")
"""A parameter that came for what is handed on."""
_LONGEST = 200


class Repair(NamedTuple):
    """What the statements of a fix show to have been wrong."""

    hazard: Hazard
    """Its word is the statement, or the name of the argument."""
    quote: Quote


def repaired_by_lines(change: Change) -> Repair | None:
    """What is wrong until a fix, by the few statements that it alters."""
    files = [file for file in front(change) if file.patch]
    if not files or any(file.patch_cut or len(file.patch) > _MOST for file in files):
        return None
    was = [line for file in files for line in statements(file, "-")]
    now = [(file, line[:_LONGEST]) for file in files for line in statements(file, "+")]
    if len(was) > _FEW or len(now) > _FEW:
        return None
    told = " ".join(file.patch for file in files)
    needed = {(one[1], one[2] or one[3]) for line in was for one in _MUST_HAVE.finditer(line[:_LONGEST])}
    needed = {pair for pair in needed if not _is_asked_for(*pair, told)}
    for file, line in now:
        if (found := _MAY_LACK.search(line)) and (found[1], found[2] or found[3]) in needed:
            return Repair(Hazard("stops", "crash", found[1]), _quote(file, line))
    ons = [match[1] for _, line in now if (match := _HANDS_ON.fullmatch(line))]
    takes = [match[1] for _, line in now if not _HANDS_ON.fullmatch(line) and (match := _TAKES.fullmatch(line))]
    if was or not ons or len(ons) + len(takes) < len(now) or not set(takes) <= set(ons):
        return None
    first = next(one for one in now if _HANDS_ON.fullmatch(one[1]))
    return Repair(Hazard("corrupts", "ignored", ons[0]), _quote(*first))


def hands_out_copy(change: Change) -> bool:
    """Few statements come, and one of them copies what it hands out; until now nothing was copied there."""
    files = [file for file in front(change) if file.patch and len(file.patch) <= _MOST]
    was, now = ([line for file in files for line in statements(file, sign)] for sign in "-+")
    copies = any(_HANDS_OUT.match(line) and _COPIES.search(line[:_LONGEST]) for line in now)
    return copies and len(was) <= _FEW >= len(now) and not any(map(_COPIES.search, was))


def bears_out(change: Change, said: Hazard) -> bool:
    """What the change itself shows of the fault that its title names; of wrong results also that a value is computed otherwise.
    Another type of the same width shows none.
    """
    return (said.does == "corrupts" and any(map(_computes, front(change)))) or averts(change)


def averts(change: Change) -> bool:
    """A guard, an error path, a wait or a wider number comes, or a test that asks for something."""
    return any(map(_averts, front(change))) or any(map(_tests, change.files))


def _computes(file: FileChange) -> bool:
    """A statement gives way to one that differs from it in more than the name of a type."""
    was, now = ([_TYPE.sub("", line[:_LONGEST]) for line in statements(file, sign)] for sign in "-+")
    return bool(set(was) - set(now)) and bool(set(now) - set(was))


_TYPE = re.compile(r"\b(?:torch\.|tl\.|np\.|std::)?(?:u?int|float|bfloat|half|double|long)\d{0,3}(?:_t)?\b")


def _averts(file: FileChange) -> bool:
    was, now = ([line[:_LONGEST] for line in statements(file, sign)] for sign in "-+") if file.patch else ([], [])
    wide = any(map(_WIDE.search, now)) and not any(map(_WIDE.search, was))
    return wide or any(_AVERTS.search(line) for line in now if line not in was)


def _tests(file: FileChange) -> bool:
    """A check of a test that comes."""
    return not is_front(file.path) and area(file.path) == "test" and _CHECKS.search(file.patch[:_MOST]) is not None


_AVERTS = re.compile(
    r"^(?:\}\s?)?(?:if|elif|else if|while|assert|raise|throw|try|except|catch|finally|continue|break|(?:async )?with .{0,80}lock)\b"
    r"|\b(?:min|max|clamp\w{0,4}|where)\(|\b(?:synchronize|wait_stream|wait_event|record_stream|__syncthreads|wait|join|acquire)\("
    r"|\.(?:clone|copy|contiguous|zero_|fill_|free|release|close|clear|discard|masked_fill_?)\(| (?:if .{1,120} else|\?\??|or) |\.get\(|\bgetattr\("
)
"""How a statement begins, or what it calls, that goes on only where it may, or leaves nothing behind."""
_WIDE = re.compile(r"(?:int|long|uint|size_)64|\bsize_t\b|\blong long\b")
_CHECKS = re.compile(
    r"(?m)^\+\s{0,60}(?:assert|self\.assert\w|EXPECT_|ASSERT_|with pytest\.raises|(?:async )?def test_|fn \w{1,80}_test|#\[test)"
)


def _is_asked_for(table: str, key: str, told: str) -> bool:
    """Something near it knows that the entry may be missing, so that it was no error."""
    return _CAUGHT.search(told) is not None or f"{key} in {table}" in told or f"{key} not in {table}" in told


_CAUGHT = re.compile(
    r"\bexcept \(?(?:\w{1,40}, ){0,4}(?:KeyError|LookupError|Exception)\b|= ?(?:\w{1,40}\.)?(?:defaultdict|Counter)\("
)
_MUST_HAVE = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{1,80})(?:\.pop\(([\w.]{1,60})\)|\[([\w.]{1,60})\](?! ?=[^=]))")
_MAY_LACK = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{1,80})\.(?:get\(([\w.]{1,60})\b|pop\(([\w.]{1,60}), )")


def forgotten_field(change: Change) -> Repair | None:
    """A field that is carried over from now on, among others that were: nothing but such statements comes."""
    files = [file for file in front(change) if file.patch]
    if not files or any(file.patch_cut or len(file.patch) > _MOST for file in files):
        return None
    new = [(file, line[:_LONGEST]) for file in files for line in statements(file, "+")]
    if not 0 < len(new) <= _FEW or any(any(statements(file, "-")) for file in files):
        return None
    carried = [(file, line, _CARRIES.match(line)) for file, line in new]
    beside = (line.text.strip()[:_LONGEST] for file in files for hunk in hunks(file.patch) for line in side(hunk, "-"))
    if not all(found for _, _, found in carried) or not any(map(_CARRIES.match, beside)):
        return None
    file, line, found = carried[0]
    return Repair(Hazard("corrupts", "forgotten", found[2]), _quote(file, line)) if found else None


_CARRIES = re.compile(
    r"(\w{1,40})\.(\w{3,60}) ?(?:[|&+]=|=(?!=)) ?(?:[\w.]{1,80} (?:and|or|[|&+]) )?(?!\1\.)\w{1,40}\.\2;?$"
)
"""`self.streams |= other.streams`, `self.done = self.done and other.done`."""


def corrected(change: Change) -> Repair | None:
    """A value that is computed from something else from now on, in one statement among few, where the title says that such a
    thing was not right, or a test that comes with it compares results; or a transfer that was missing, with nothing but
    statements that come and are about what the title names. What somebody was told aloud is no wrong result.
    """
    subject = bare(change.subject)
    files = [file for file in front(change) if file.patch]
    if not files or is_noticed(subject) or any(file.patch_cut or len(file.patch) > _MOST for file in files):
        return None
    was = [line[:_LONGEST] for file in files for line in statements(file, "-")]
    now = [(file, line[:_LONGEST]) for file in files for line in statements(file, "+")]
    wrong = Hazard("corrupts", "wrong_result", "")
    if 0 < len(was) <= 2 * _FEW >= len(now):
        speaks = _OPERAND.search(subject) is not None or asserts_agreement(change)
        others = (one for one in now if any(_is_other_value(line, one[1]) for line in was))
        other = next((one for one in others if speaks or _is_corrected(subject, one[1])), None)
        return Repair(wrong, _quote(*other)) if other else None
    if not was and _MISSING.search(subject):
        title = words(subject)
        named = next((one for one in now if len(words(f"{one[0].path} {one[1]}") & title) > 1 and "=" in one[1]), None)
        return Repair(wrong, _quote(*named)) if named else None
    return None


_OPERAND = re.compile(
    r"\b(?:correct(?:s|ed|ing)?|wrong|incorrect|fix(?:e[sd])?)\b.{0,60}"
    r"\b(?:layouts?|scales?|(?:re-?)?scaling|strides?|offsets?|transpos\w{1,5}|operands?|axis)\b",
    re.IGNORECASE,
)
_MISSING = re.compile(r"\bmissing\b.{1,40}\b(?:transfer|sync\w{0,14}|cop(?:y|ies)|all-?reduce)\b", re.IGNORECASE)
_VALUE = re.compile(r"([\w.\[\]:, ]{1,80}?) ?(?:[-+*/|&]?=)(?!=) ?(.{1,200})")


def _is_other_value(was: str, now: str) -> bool:
    """The same name is given what is computed from something else; the same for some alone is none."""
    old, new = _VALUE.fullmatch(was), _VALUE.fullmatch(now)
    if old is None or new is None or old[1] != new[1] or old[2] == new[2]:
        return False
    return bool(_COMPUTED.search(new[2])) and not new[2].startswith(f"{old[2]} if ")


_COMPUTED = re.compile(r"[(\[]")


def _is_corrected(subject: str, now: str) -> bool:
    """The title says that the very name was not right which is read from now on."""
    names = {name for name in re.findall(r"\w{5,80}", now.partition("=")[2]) if "_" in name}
    return _CORRECT.search(subject) is not None and any(name in subject for name in names)


_CORRECT = re.compile(r"\b(?:correct(?:s|ed|ing)?|wrong|incorrect)\b", re.IGNORECASE)


class Remark(NamedTuple):
    """A new comment as one text, the code below it, and what the lines around it stopped calling."""

    path: str
    text: str
    line: int
    """Its last."""
    below: SideLine | None
    went: frozenset[str]


def confessed(change: Change) -> Repair | None:
    """What a comment of a change says that the code it takes away did, whatever kind of change the title makes of it; or
    what must hold and did not, or what gave wrong results and is not taken any more; or a wait that comes where there was none, with words that say which writes and reads were
    not in order.
    """
    files = [file for file in front(change) if file.patch and len(file.patch) <= _MOST and file.status == "M"]
    files = [file for file in files if area(file.path) not in _BUILT]
    remarks = [remark for file in files for remark in _remarks(file)]
    for ask in (_blamed, _demanded, _withdrawn, _ordered):
        for remark in remarks:
            if found := ask(change, remark):
                return Repair(found, Quote("comment", remark.path, remark.line, "added", remark.text))
    return _enabled(change, files)


_BUILT = frozenset({"build", "dependency"})
"""Where comments say what a build would otherwise do, and not what ran."""


def _remarks(file: FileChange) -> Iterator[Remark]:
    for hunk in hunks(file.patch):
        lines = side(hunk, "+")
        if not any(line.changed and _REMARK.match(line.text) for line in lines):
            continue
        went = _called(line for line in side(hunk, "-") if line.changed)
        went -= _called(line for line in lines if not _COMMENT.match(line.text))
        for is_comment, some in groupby(lines, lambda line: line.changed and bool(_REMARK.match(line.text))):
            if is_comment:
                rows = list(some)
                last = rows[-1].number
                below = next((line for line in lines if line.number > last and line.text.strip()), None)
                text = " ".join(_REMARK.sub("", row.text).strip() for row in rows)
                yield Remark(file.path, text, last, below, went)


def _called(lines: Iterable[SideLine]) -> frozenset[str]:
    return frozenset(name for line in lines for name in _NAMED.findall(line.text[:_LONGEST]))


def _wrong(text: str) -> Hazard | None:
    said = hazard(text, titled=False)
    return said if said is not None and said.does == "corrupts" else None


def _blamed(_change: Change, remark: Remark) -> Hazard | None:
    """A comment says of what is called no longer that it does wrong."""
    names = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", remark.text) for name in remark.went)
    return _wrong(remark.text) if names and _DOES.search(remark.text) else None


def _demanded(change: Change, remark: Remark) -> Hazard | None:
    """A comment over a new statement says what must hold, and which wrong state was met instead."""
    if remark.below is None or not remark.below.changed or not _MUST.search(remark.text):
        return None
    return None if speaks_of_new_code(change, remark.path, remark.line) else _wrong(remark.text)


_MUST = re.compile(
    r"\b(?:must|has to|have to|needs? to)\b.{1,300}\b(?:instead of|rather than|otherwise|or else)\b", re.IGNORECASE
)


def _withdrawn(change: Change, remark: Remark) -> Hazard | None:
    """A comment over a statement that is another says what gives wrong results, and that it is not taken any more."""
    if remark.below is None or not remark.below.changed or not _WITHDRAWN.search(remark.text):
        return None
    return None if speaks_of_new_code(change, remark.path, remark.line) else _wrong(remark.text)


_WITHDRAWN = re.compile(
    r"\b(?:disabled|switched off|turned off|not (?:enabled|used)|skipped|excluded)\b.{0,80}\b(?:until|because|due to|since)\b"
    r"|\b(?:incorrect|wrong)\b.{1,120}\b(?:so|and)\b.{1,40}\b(?:disabled|skipped|excluded|switched off|turned off)\b",
    re.IGNORECASE,
)


def _ordered(change: Change, remark: Remark) -> Hazard | None:
    """The title has two words of what a comment over a new wait says of reads and writes."""
    first = remark.below
    if first is None or not first.changed or not _WAITS.search(first.text[:_LONGEST]) or not _ORDER.search(remark.text):
        return None
    shared = words(bare(change.subject)) & words(remark.text)
    return Hazard("corrupts", "race", "race") if len(shared) > 1 else None


def _enabled(change: Change, files: Sequence[FileChange]) -> Repair | None:
    """A title that lets a test run again, over a change of source: results are gathered that were only a part."""
    if not RUNS_TEST.search(bare(change.subject)):
        return None
    for file in files:
        for line in statements(file, "+"):
            if found := _GATHERS.search(line[:_LONGEST]):
                return Repair(Hazard("corrupts", "partial", found[1]), _quote(file, line[:_LONGEST]))
    return None


_GATHERS = re.compile(r"=\s?(?:[\w.]{1,80}\.)?(\w{0,60}(?:all_?reduce|all_?gather|reduce_?scatter)\w{0,30})\(")


_REMARK = re.compile(r"^\s*(?:#+|//+)\s?")
_NAMED = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=\()|(?<![\w.])[A-Za-z_]\w{5,80}(?=\()")
"""What a line calls."""
_DOES = re.compile(
    r"\b(?:leaves?|left|corrupts?|caus(?:es?|ed|ing)|would|could|was|were|does not|did not|races?)\b", re.IGNORECASE
)
_WAITS = re.compile(
    r"\.(?:wait_stream|wait_event|synchronize|record_stream)\(|\b(?:cudaStreamWaitEvent|cudaStreamSynchronize|__syncthreads)\("
)
_ORDER = re.compile(
    r"\b(?:WAR|RAW|WAW|[Rr]aces?|(?:data|write|read)[- ]hazards?)\b|\bwrites?\b.{1,80}\breads?\b|\breads?\b.{1,80}\bwrites?\b"
)


def spared(change: Change) -> bool:
    """Nothing goes, what is met under a condition that came is passed over, and a test that comes with it says that such a thing
    must be kept: until now it was not.
    """
    files = [file for file in front(change) if file.patch]
    if not files or any(file.status != "M" or file.patch_cut or any(statements(file, "-")) for file in files):
        return False
    passes = any(_PASSES_OVER.search(file.patch) for file in files)
    tests = (quote.text for quote in quotes(change) if quote.source == "test") if passes else ()
    return any(_KEPT.search(text) for text in tests)


_PASSES_OVER = re.compile(
    r"(?m)^\+(\s{0,40})(?:if|elif)\b.{1,300}:\n(?:\+\1\s.{0,300}\n|\+\n){0,12}?\+\1\s{1,8}(?:continue|return)$"
)
_KEPT = re.compile(
    r"\bmust (?:be (?:kept|preserved|retained)|stay|remain|survive|not be (?:removed|dropped|deleted))\b"
)


def _quote(file: FileChange, text: str) -> Quote:
    lines = (line for hunk in hunks(file.patch) for line in side(hunk, "+") if line.changed and text in line.text)
    return Quote("line", file.path, next((line.number for line in lines), 0), "added", text)


_MOST = 20_000
"""Characters of a patch; a longer one has more statements than a few."""


def speaks_of_new_code(change: Change, path: str, line: int) -> bool:
    """Whether a comment stands over a call of what this change itself defines: its fault is in no release."""
    file = next((file for file in change.files if file.path == path), None)
    if file is None or file.status.startswith("A"):
        return file is not None
    new = {name for one in front(change) for name in _DEFINES.findall(one.patch)}
    for hunk in hunks(file.patch) if new else ():
        below = (one for one in side(hunk, "+") if one.number >= line and not _COMMENT.match(one.text))
        first = next(below, None)
        if first is not None and any(one.number == line for one in side(hunk, "+")):
            return first.changed and not new.isdisjoint(_CALLS.findall(first.text[:_LONGEST]))
    return False


def asserts_agreement(change: Change) -> bool:
    """The tests that come with it ask whether results agree, and not whether something is raised."""
    behind = "\n".join(file.patch[:_MOST] for file in change.files if not is_front(file.path))
    return _AGREES.search(behind) is not None and _RAISES.search(behind) is None


_AGREES = re.compile(r"(?m)^\+.{0,200}\b(?:assert_(?:all)?close|allclose|torch\.equal|(?:assert_)?array_equal)\(")
_RAISES = re.compile(r"(?m)^\+.{0,200}\b(?:raises|does_not_raise|assertRaises)\(")
_DEFINES = re.compile(r"(?m)^\+\s{0,80}(?:async )?(?:def|fn|func|class) (\w{1,80})")
_CALLS = re.compile(r"(\w{1,80})\(")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|$)")

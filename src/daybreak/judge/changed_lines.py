"""Changed lines of a small diff as its sentence: what stood there and what stands there now.

Lines that change alike, however many they are, count as one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import takewhile
from typing import NamedTuple, TypeVar

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import Gist, Quote
from daybreak.core.model.statements import Text
from daybreak.core.profiles import Profile, profile_of
from daybreak.core.words import say
from daybreak.core.words.grammar import alike, code_pair, joined
from daybreak.findings import paths
from daybreak.findings.diff import DiffHunk, DiffLine, hunks
from daybreak.findings.quotes.prose import is_prose
from daybreak.judge.quote_rank import words

AT_MOST = 10
"""Changed lines of source, each counted once however often it stands in the diff, and those that change alike once."""
LOOKED_AT = 300
"""Changed lines among which those that change alike are sought."""
SHOWN = 2
NAMED = 2
"""Words of the title that a line must have to stand for a larger diff."""
_SOURCE: frozenset[Area] = frozenset({"code", "api", "kernel", "build", "dependency", "data"})
_EMPTY = re.compile(
    r"\s*(?:[()\[\]{},;:\"'`]*|#.*|//.*|/?\*.*|(?:from [\w.]+ )?import .*|#include.*"
    r"|[})\s]*(?:pass|else|try|do|loop|unsafe|finally|return|break|continue)\b[\s:;{(]*)\s*$"
)
_WIDEST = 400
_ALIKE, _SAME, _TURNED = 0.5, 0.75, 0.8
"""How like two lines are that stand for one another, at one place, at two, and for a larger diff."""
_NEEDS_PLACE = 60
"""Characters of a turn below which the function must be named that it stands in."""
_HEAD = re.compile(
    r"(?:(?:async|pub(?:\([\w:]{1,40}\))?|export|default|static|inline|const|constexpr|unsafe|extern|virtual|public|private"
    r"|protected|abstract|final|__\w{4,20}__)\s+){0,6}"
    r"(?:def|class|fn|func|function|void|struct)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w{1,80})\s*[(<:{\[]"
)
_TOKEN = re.compile(r"\w+|\W")
_CONDITION = re.compile(r"[}\s]*(?:else\s+)?(?:if|elif|for|while|switch|match|case|assert|return|and|or)\b")
_TEXT = re.compile(r"\w{1,40}\s?=\s?[\"'](.{20,})[\"'],?$")
"""A text under a name, such as `help="…",`."""
_CALLEE = re.compile(r"\b(?!(?:if|for|while|switch|match|return|sizeof)\b)([A-Za-z_]\w{2,80})!?\(")
One = TypeVar("One")


class Turn(NamedTuple):
    """What stood at a place and what stands there now, empty where there is nothing, and the function it is in."""

    path: str
    line: int
    old: str
    new: str
    within: str
    above: str
    """The line that stands above it now."""
    others: int = 0
    """Lines besides it that change alike."""


def changed_lines(change: Change, most: int = SHOWN) -> Gist | None:
    """Of a diff with few lines of source: the pairs that differ, so many at most, or what came, or what went."""
    patches = [(f.path, f.patch) for f in change.files if _is_source(f, profile_of(change.repo))]
    if not patches or _many(patches):
        return None
    found = _as_one(_met(list(_turns(patches))))
    if not found:
        return None
    title = words(change.subject[:_WIDEST])
    known = frozenset(name for turn in found for name in _CALLEE.findall(turn.old))
    found.sort(key=lambda turn: -_worth(turn, title, known))
    few = len({text for turn in found for text in (turn.old, turn.new) if text}) <= AT_MOST
    shown = _shown(found)[:most] if few else [turn for turn in found if _names(turn, title)][:1]
    if not shown:
        return None
    told = joined([_said(turn) for turn in shown], "semicolon")
    text = say("judge.lines.all", lines=told) if few else say("judge.lines.some", lines=told)
    return Gist(text, "line", tuple(quote for turn in shown for quote in _quotes(turn)))


def _shown(found: Sequence[Turn]) -> list[Turn]:
    """The most telling ones; beside what only came, what only went."""
    shown = list(found[:SHOWN])
    gone = next((turn for turn in found if turn.old and not turn.new), None)
    if gone is not None and len(shown) == SHOWN and not any(turn.old for turn in shown):
        shown[-1] = gone
    return shown


def _names(turn: Turn, title: frozenset[str]) -> bool:
    """Of many lines one is shown only where it is what the title is about: one line that turned, with words of it."""
    if not (turn.old and turn.new) or turn.old == turn.new or len(words(f"{turn.old} {turn.new}") & title) < NAMED:
        return False
    return _nearest([(turn.old, turn.new, turn)], _TURNED) is not None


def _is_source(file: FileChange, profile: Profile) -> bool:
    return bool(file.patch) and not file.submodule and paths.area(file.path, profile) in _SOURCE


def _many(patches: Sequence[tuple[str, str]]) -> bool:
    """Whether more lines changed than are looked at; asked first, since most diffs are larger."""
    seen: set[str] = set()
    for _, patch in patches:
        for line in patch.split("\n"):
            if line[:1] in ("+", "-") and not _EMPTY.match(line[1:_WIDEST]):
                seen.add(line[1:].strip())
                if len(seen) > LOOKED_AT:
                    return True
    return False


# --- which line stands for which ---


def _turns(patches: Sequence[tuple[str, str]]) -> Iterator[Turn]:
    seen: set[tuple[str, str]] = set()
    for path, patch in patches:
        for hunk in hunks(patch):
            above, gone = _lines_above(hunk), "\n".join(x.text for x in hunk.lines if x.sign == "-")
            for line, old, new, within in _pairs(hunk):
                stood = not old and (text := _TEXT.match(new)) is not None and text[1] in gone
                if (old, new) not in seen and _bare(old) != _bare(new) and not _rewrapped(old, new) and not stood:
                    seen.add((old, new))
                    yield Turn(path, line, old, new, within, above.get(line, ""))


def _lines_above(hunk: DiffHunk) -> dict[int, str]:
    """Line of the new file -> the last line before it that is not empty."""
    found, last = {}, ""
    for line in hunk.lines:
        if line.new:
            found[line.new] = last
            last = line.text.strip() or last
    return found


def _bare(text: str) -> str:
    """A line in which blanks, quotes and what ends it do not count."""
    return "".join(text.split()).translate(_QUOTES).rstrip(",;")


_QUOTES = str.maketrans({"'": '"', "`": '"'})


def _rewrapped(old: str, new: str) -> bool:
    """Broken behind a bracket, or joined again: what stands in the brackets is on lines of its own."""
    short, long = sorted((old, new), key=len)
    return short.endswith(("(", "[", "{")) and long.startswith(short)


def _pairs(hunk: DiffHunk) -> Iterator[tuple[int, str, str, str]]:
    """Lines that went and came at one place, each with the one that is most like it, and the function that it is in."""
    gone: list[DiffLine] = []
    come: list[DiffLine] = []
    scopes = _Scopes(hunk.header.split("@@", 2)[-1][1:])
    within: dict[tuple[int, int], str] = {}
    for line in (*hunk.lines, DiffLine(" ", "", 0, 0)):
        within[line.old if line.sign == "-" else 0, line.new] = scopes.at(line.text)
        if line.sign == " ":
            yield from ((number, a, b, within.get(key, "")) for number, a, b, key in _matched(gone, come))
            gone, come = [], []
        elif len(line.text) <= _WIDEST and not _EMPTY.match(line.text) and not is_prose(line.text):
            (gone if line.sign == "-" else come).append(line)


class _Scopes:
    """The functions that are open at a line, by indentation: git's own words for a hunk may name one that ended above it."""

    def __init__(self, head: str) -> None:
        self._open: list[tuple[int, str]] = []
        self.at(head)

    def at(self, line: str) -> str:
        text = line.lstrip()[:_WIDEST]
        if text and not text.startswith(_KEEPS):
            depth = len(line) - len(line.lstrip())
            while self._open and self._open[-1][0] >= depth:
                self._open.pop()
        here = self._open[-1][1] if self._open else ""
        if head := _HEAD.match(text):  # it stands in what is around it
            self._open.append((len(line) - len(line.lstrip()), head[1]))
        return here


_KEEPS = (")", "]", "}", "{", "#", "//", "*", "public:", "private:", "protected:")
"""How lines begin that end no function though they are not deeper than its head."""
_Match = tuple[int, str, str, tuple[int, int]]


def _matched(gone: list[DiffLine], come: list[DiffLine]) -> Iterator[_Match]:
    """Number, old and new text, and the numbers of the line whose function counts."""
    if len(gone) == len(come) and all(_one_piece(a.text, b.text) for a, b in zip(gone, come, strict=True)):
        yield from ((b.new, a.text.strip(), b.text.strip(), (0, b.new)) for a, b in zip(gone, come, strict=True))
        return
    gone, left = _unwrapped(gone, come), _unwrapped(come, gone)
    for old in gone:
        near = None
        if len(gone) <= AT_MOST and len(come) <= AT_MOST:
            near = _nearest([(old.text, new.text, new) for new in left], _ALIKE)
        if near is not None:
            left.remove(near)
            yield near.new, old.text.strip(), near.text.strip(), (0, near.new)
        else:
            yield old.old, old.text.strip(), "", (old.old, 0)
    yield from ((x.new, "", x.text.strip(), (0, x.new)) for x in left)


def _unwrapped(lines: list[DiffLine], others: list[DiffLine]) -> list[DiffLine]:
    """Without arguments that stand on the other side too, on a line of their own or among others."""
    if not others or len(lines) > AT_MOST or len(others) > AT_MOST:
        return list(lines)
    pieces = {piece for line in others for piece in _arguments(line.text)}
    return [line for line in lines if "," not in line.text or not pieces.issuperset(_arguments(line.text))]


def _arguments(text: str) -> list[str]:
    """What stands between the commas, without blanks and without brackets at the ends."""
    return [bare for piece in text.split(",") if (bare := "".join(piece.split()).strip("()[]{}"))]


def _nearest(pairs: Sequence[tuple[str, str, One]], least: float) -> One | None:
    """What stands beside the pair of lines that are most alike, and more so than that; what cannot be is not compared.

    Letters alone make no pair: half of the words are the same.
    """
    best, found = least, None
    for old, new, one in pairs:
        matcher = SequenceMatcher(None, old.strip(), new.strip(), autojunk=False)
        if matcher.real_quick_ratio() <= best or matcher.quick_ratio() <= best or not _akin(old, new):
            continue
        if (like := matcher.ratio()) > best:
            best, found = like, one
    return found


def _akin(old: str, new: str) -> bool:
    one, two = (Counter(_NAME.findall(text)) for text in (old, new))
    alone = one.total() == two.total() == 1 and _NAME.sub("", old.strip()) == _NAME.sub("", new.strip())
    return alone or 4 * (one & two).total() >= one.total() + two.total() > 0


_NAME = re.compile(r"\w+")


def _differ(old: str, new: str) -> tuple[str, str]:
    """The tokens between the first and the last that differ, on both sides."""
    a, b = _TOKEN.findall(old.strip()), _TOKEN.findall(new.strip())
    lead = _same_start(a, b)
    tail = min(_same_start(a[::-1], b[::-1]), len(a) - lead, len(b) - lead)
    return "".join(a[lead : len(a) - tail]), "".join(b[lead : len(b) - tail])


def _same_start(one: Sequence[str], two: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _one_piece(old: str, new: str) -> bool:
    """Whether two lines are the same but for one piece, and half of the shorter one is what they share."""
    before, _ = _differ(old, new)
    return _akin(old, new) and 2 * (len(old.strip()) - len(before)) >= min(len(old.strip()), len(new.strip()))


def _met(found: Sequence[Turn]) -> list[Turn]:
    """What went at one place and came at another, with few words changed or none, is one turn."""
    gone, out = [turn for turn in found if not turn.new], list[Turn]()
    for turn in found:
        near = None
        if not turn.old and len(gone) <= AT_MOST:
            near = _nearest([(other.old, turn.new, other) for other in gone], _SAME)
        if near is not None:
            gone.remove(near)
            if near.old == turn.new or _bare(near.old) != _bare(turn.new):
                out.append(turn._replace(old=near.old))
        elif turn.new:
            out.append(turn)
    return [*out, *gone]


def _as_one(found: Sequence[Turn]) -> list[Turn]:
    """Turns in which the same piece stands for the same other one, as the first of them."""
    groups: dict[tuple[str, str], list[Turn]] = {}
    for turn in found:
        key = _differ(turn.old, turn.new) if turn.old and turn.new else (turn.old, turn.new)
        groups.setdefault(key, []).append(turn)
    return [turns[0]._replace(others=len(turns) - 1) for turns in groups.values()]


# --- what is shown ---


def _worth(turn: Turn, title: frozenset[str], known: frozenset[str]) -> float:
    """A pair tells more than a line that came, a condition or a new call more than an argument, words of the title most.

    What only moved tells least.
    """
    text = turn.new or turn.old
    found = 2.0 if turn.old and turn.new else 1.0 if turn.new else 0.8
    found += 0.6 if _CONDITION.match(text) else 0.0
    found += 0.0 if known.issuperset(_CALLEE.findall(turn.new)) else 1.2
    found -= 1.5 if turn.old == turn.new else 0.0
    found += 0.4 * min(len(words(f"{turn.old} {turn.new}") & title), 3)
    found -= 1.7 if text.endswith(("(", "[")) else 0.5 if text.endswith("{") else 0.0
    return found + min(len(text), 60) / 100


def _quotes(turn: Turn) -> Iterator[Quote]:
    """All that is said of it, as it stands in the diff."""
    if turn.old:
        yield Quote("line", turn.path, turn.line, "removed", turn.old)
    for text in filter(None, (turn.new, turn.within, turn.above)):
        yield Quote("line", turn.path, turn.line, "added", text)


def _said(turn: Turn) -> Text:
    if turn.old == turn.new and turn.above:
        text = say("judge.lines.moved", line=turn.new, above=turn.above)
    elif turn.old and turn.new:
        before, after = code_pair(turn.old, turn.new)
        text = say("judge.lines.turn", before=alike(before), after=alike(after))
    else:
        text = say("judge.lines.came", line=turn.new) if turn.new else say("judge.lines.went", line=turn.old)
    if len(turn.old + turn.new) < _NEEDS_PLACE and turn.within and not turn.others:
        text = say("judge.lines.within", name=turn.within, lines=text)
    return say("judge.lines.others", lines=text, n=turn.others) if turn.others else text

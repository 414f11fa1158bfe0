"""Patch between two texts, written as git writes it: hunks with three lines of context, from the first `@@`.

Lines are matched by `difflib`; where a block of changes could stand a few lines up or down, it stands where git would
put it (its indent heuristic), so that readers of hunks say of two texts what they say of the same commit.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

CONTEXT = 3
_DIRECTLY = 1000
"""Lines of either side that are matched one against the other; longer texts are first split at lines they hold once."""
_MOST_SLIDING = 100
_FUNCTION = re.compile(r"[A-Za-z_$]")
"""Where a line that git shows behind `@@` begins: `def run(self):`."""
_NO_NEWLINE = "\\ No newline at end of file"

Changed = tuple[list[bool], list[bool]]
"""For each line of the old and of the new text whether it changed; all others are pairs, in order."""


def patch(before: str, after: str) -> str:
    r"""The hunks that make one text the other; empty for equal texts.

    `before`, `after`: whole texts of a file, "" for a side that does not exist. Lines end at `\n` alone.
    """
    sides = _lines(before), _lines(after)
    if before == after:
        return ""
    changed = _changed(*sides)
    _slide(sides[0], changed[0], changed[1])
    _slide(sides[1], changed[1], changed[0])
    names = _functions(sides[0])
    return "".join(f"{row}\n" for hunk in _hunks(*changed) for row in _written(*sides, hunk, names))


def _lines(text: str) -> list[str]:
    """Each line with its end, as far as it has one: a last line without an end differs from the same with one."""
    return [line for line in re.split(r"(?<=\n)", text) if line]


# --- matching ------------------------------------------------------------------------------------------------------


def _changed(old: Sequence[str], new: Sequence[str]) -> Changed:
    gone, come = [True] * len(old), [True] * len(new)
    for at, to, size in _matches(old, new):
        gone[at : at + size] = come[to : to + size] = [False] * size
    return gone, come


def _matches(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """(line, line, how many): runs of equal lines, in order."""
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    tail = next((n for n in range(most - head) if old[-1 - n] != new[-1 - n]), most - head)
    yield 0, 0, head
    one, two = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(one), len(two)) <= _DIRECTLY:
        found = SequenceMatcher(None, one, two).get_matching_blocks() if one and two else []
        yield from ((head + m.a, head + m.b, m.size) for m in found)
    else:
        yield from ((head + at, head + to, size) for at, to, size in _split(one, two))
    yield len(old) - tail, len(new) - tail, tail


def _split(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Matches between lines that both sides hold once; with none of those the whole was rewritten."""
    at = to = 0
    for anchor, other in [*_anchors(old, new), (len(old), len(new))]:
        if (at, to) != (0, 0) or (anchor, other) != (len(old), len(new)):
            yield from ((at + a, to + b, size) for a, b, size in _matches(old[at:anchor], new[to:other]))
        if anchor < len(old):
            yield anchor, other, 1
        at, to = anchor + 1, other + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest run of lines in the same order on both sides, of those that stand once on each."""
    once = {line for line, count in Counter(old).items() if count == 1}
    place = {line: n for n, line in enumerate(new) if line in once}
    for line, count in Counter(line for line in new if line in once).items():
        if count > 1:
            del place[line]
    ends: list[int] = []
    steps: list[tuple[int, int, int]] = []
    last: list[int] = []
    for at, line in enumerate(old):
        if (to := place.get(line)) is None:
            continue
        length = bisect_left(ends, to)
        steps.append((at, to, last[length - 1] if length else -1))
        ends[length : length + 1] = [to]
        last[length : length + 1] = [len(steps) - 1]
    found: list[tuple[int, int]] = []
    step = last[-1] if last else -1
    while step >= 0:
        at, to, step = steps[step]
        found.append((at, to))
    return found[::-1]


# --- where a block of changes stands -------------------------------------------------------------------------------


def _slide(lines: Sequence[str], changed: list[bool], other: Sequence[bool]) -> None:
    """Each block of changed lines moved, within equal lines, to where git shows it."""
    taken = _gaps(other)
    end = 0
    while end < len(lines):
        if not changed[end]:
            end += 1
            continue
        start = end
        while end < len(lines) and changed[end]:
            end += 1
        start, first, end = _reach(lines, changed, start, end)
        if first == end:
            continue
        size, pairs, stop = end - start, changed[:start].count(False), end
        at = next((to for to in range(end, first - 1, -1) if pairs - (end - to) in taken), None)
        if at is None:
            at = _best(lines, range(max(first, end - size - 1, end - _MOST_SLIDING), end + 1), size)
        changed[stop - size : stop] = [False] * size
        changed[at - size : at] = [True] * size


def _reach(lines: Sequence[str], changed: list[bool], start: int, end: int) -> tuple[int, int, int]:
    """(start, first end it can have, end) of a block moved down as far as it goes; blocks that it meets become one."""
    while True:
        size = end - start
        while start and lines[start - 1] == lines[end - 1]:
            start, end = start - 1, end - 1
            changed[start], changed[end] = True, False
            while start and changed[start - 1]:
                start -= 1
        first = end
        while end < len(lines) and lines[start] == lines[end]:
            changed[start], changed[end] = False, True
            start, end = start + 1, end + 1
            while end < len(lines) and changed[end]:
                end += 1
        if end - start == size:
            return start, first, end


def _gaps(changed: Sequence[bool]) -> set[int]:
    """How many equal lines stand before each block of the other side: there two blocks make one replacement."""
    found, pairs = set(), 0
    for one in changed:
        if one:
            found.add(pairs)
        else:
            pairs += 1
    return found


def _best(lines: Sequence[str], ends: range, size: int) -> int:
    best, least = ends[-1], (0, 0)
    for at, end in enumerate(ends):
        one, two = _score(lines, end), _score(lines, end - size)
        score = one[0] + two[0], one[1] + two[1]
        worse = 60 * ((score[0] > least[0]) - (score[0] < least[0])) + score[1] - least[1]
        if at == 0 or worse <= 0:
            best, least = end, score
    return best


def _score(lines: Sequence[str], at: int) -> tuple[int, int]:
    """Indent and penalty of a border before line `at`; the numbers are git's (`xdiff/xdiffi.c`)."""
    indent = _indent(lines[at]) if at < len(lines) else -1
    blank_before, above = _near(lines, range(at - 1, -1, -1))
    blank_after, below = _near(lines, range(at + 1, len(lines)))
    penalty = (above == -1 and blank_before == 0) + 21 * (at >= len(lines))
    after = 1 + blank_after if indent == -1 else 0
    blank = blank_before + after
    penalty += -30 * blank + 6 * after
    indent = indent if indent != -1 else below
    if -1 in (indent, above) or indent == above:
        return indent, penalty
    if indent > above:
        return indent, penalty + (10 if blank else -4)
    if below > indent:
        return indent, penalty + (17 if blank else 24)
    return indent, penalty + (17 if blank else 23)


def _near(lines: Sequence[str], order: range) -> tuple[int, int]:
    """How many blank lines come first, and the indent of the line behind them; -1 when there is none."""
    for count, at in enumerate(order):
        if count >= 20:
            return count, 0
        if (found := _indent(lines[at])) != -1:
            return count, found
    return len(order), -1


def _indent(line: str) -> int:
    bare = line.lstrip()
    return min(len(line[: len(line) - len(bare)].expandtabs(8)), 200) if bare else -1


# --- writing -------------------------------------------------------------------------------------------------------

_Block = tuple[int, int, int, int]
"""First and last line of the old and of the new text, the last not counted: `(0, 1, 0, 2)`."""


def _hunks(gone: Sequence[bool], come: Sequence[bool]) -> Iterator[list[_Block]]:
    """Blocks of changed lines that stand so near that one hunk shows them."""
    hunk: list[_Block] = []
    for block in _blocks(gone, come):
        if hunk and block[0] - hunk[-1][1] > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _blocks(gone: Sequence[bool], come: Sequence[bool]) -> Iterator[_Block]:
    at = to = 0
    while at < len(gone) or to < len(come):
        start = at, to
        while at < len(gone) and gone[at]:
            at += 1
        while to < len(come) and come[to]:
            to += 1
        if start == (at, to):
            at, to = at + 1, to + 1
        else:
            yield start[0], at, start[1], to


def _written(old: list[str], new: list[str], hunk: list[_Block], names: list[str]) -> Iterator[str]:
    lead = min(CONTEXT, hunk[0][0])
    tail = min(CONTEXT, len(old) - hunk[-1][1])
    at, to = hunk[0][0] - lead, hunk[0][2] - lead
    stop, end = hunk[-1][1] + tail, hunk[-1][3] + tail
    yield f"@@ -{_span(at, stop)} +{_span(to, end)} @@{names[at]}"
    for first, last, begin, finish in [*hunk, (stop, stop, end, end)]:
        yield from _rows(" ", old[at:first])
        yield from _rows("-", old[first:last])
        yield from _rows("+", new[begin:finish])
        at = last


def _rows(sign: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield sign + line.removesuffix("\n")
        if not line.endswith("\n"):
            yield _NO_NEWLINE


def _span(start: int, end: int) -> str:
    """`12,3`, `12` for one line, `11,0` for none behind line 11."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + bool(count)},{count}"


def _functions(old: Sequence[str]) -> list[str]:
    """For each line, and for the end, what git shows behind `@@`: the nearest line above that looks like a name."""
    found = [""]
    for line in old:
        name = line.rstrip().encode(errors="replace")[:80].decode(errors="ignore").rstrip()
        found.append(f" {name}" if _FUNCTION.match(line) else found[-1])
    return found

"""Two states of some files as texts, read like one commit of a repository: what stands behind `read` and `compare_trees`."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher
from hashlib import sha1
from pathlib import Path

from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Change, FileChange, Skipped
from daybreak.core.model.findings import Reading
from daybreak.core.source_folder import source_folder
from daybreak.findings.blobs import LARGEST, SurfaceCache
from daybreak.findings.reader import Limits
from daybreak.findings.reading import Anew
from daybreak.findings.trees import Row, Where

# --- Patch between two texts, written as git writes it: hunks with three lines of context, from the first `@@` ---
# Lines are matched by `difflib`; where a block of changes could stand a few lines up or down, it stands where git would
# put it (its indent heuristic), so that readers of hunks say of two texts what they say of the same commit.


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


Texts = Mapping[str, str]
"""Path from the root of the project, with `/` -> text of the file."""

_SIMILAR = 0.5
"""Share of a file that must stand in another for the two to be one that was renamed; git's default."""
_MOST_PAIRS = 10_000
"""Pairs of files that are weighed against each other; beyond that only files without any change count as renamed."""
_NONE = "0" * 40
_BINARY_WITHIN = 8000
"""Characters in which a zero makes a file no text; git's number."""
_DAY = datetime.fromtimestamp(0, UTC)


class TextTrees:
    """The two states as trees; files that did not change may be among them, and are searched too."""

    partial = True

    def __init__(self, states: Mapping[str, Texts]) -> None:
        """`states`: name of a commit -> its files."""
        self._states = states
        self._ids = {commit: {path: blob_id(text) for path, text in texts.items()} for commit, texts in states.items()}
        self._blobs = {
            self._ids[commit][path]: text for commit, texts in states.items() for path, text in texts.items()
        }

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Texts of blobs that are small enough."""
        for oid in dict.fromkeys(oids):
            text = self._blobs.get(oid)
            if text is not None and len(text) <= LARGEST:
                yield oid, text

    def blobs_at(self, names: Iterable[str]) -> dict[str, str]:
        """Blob ids of `commit:path`."""
        split = ((name, *name.partition(":")[::2]) for name in names)
        known = ((name, self._ids.get(commit, {}).get(path)) for name, commit, path in split)
        return {name: oid for name, oid in known if oid is not None}

    def files(self, commit: str) -> dict[str, str]:
        """Every file of a state."""
        return self._ids[commit]

    def names(self, commit: str, folder: str) -> set[str]:
        """Files and folders of one folder."""
        start = f"{folder}/"
        inside = (path.removeprefix(start) for path in self._states[commit] if path.startswith(start))
        return {start + path.partition("/")[0] for path in inside}

    def matches(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterator[Row]:
        """Each match for itself; of two that begin at the same place the longer one."""
        pattern = _any_of(texts)
        for commit, path, line in self._lines(commits, where):
            yield from ((commit, path, found[0]) for found in pattern.finditer(line))

    def lines(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterator[Row]:
        """Each line with a match."""
        pattern = _any_of(texts)
        return (row for row in self._lines(commits, where) if pattern.search(row[2]))

    def _lines(self, commits: Iterable[str], where: Where) -> Iterator[Row]:
        for commit in commits:
            for path, text in self._states[commit].items():
                if where.holds(path) and not _binary(text):
                    yield from ((commit, path, line) for line in text.split("\n"))


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def blob_id(text: str) -> str:
    """What git calls a file of this text."""
    data = text.encode("utf-8", "replace")
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def reading_of(before: Texts, after: Texts, repo: str, limits: Limits) -> Reading:
    """What the step from one state to the other does; an error when it could not be read at all."""
    files = tuple(_file_changes(before, after))
    steps = "\n".join(f"{f.old_path or ''}\0{f.path}\0{f.old_blob}\0{f.new_blob}" for f in files)
    start, end = (blob_id(f"{side}\n{steps}") for side in ("before", "after"))
    change = Change(repo, end, (start,), "", _DAY, _DAY, "", "", files=files, files_total=len(files))
    trees = TextTrees({start: before, end: after})
    reading = Anew(trees, limits, SurfaceCache()).read([change])[end]
    if reading.skipped:
        raise DaybreakError(f"The two states could not be compared: {reading.skipped}.")
    return reading


def texts_in(folder: Path) -> tuple[dict[str, str], list[Skipped]]:
    """The files of a folder as texts, and what is left out of it; links are no sources and are left out as well."""
    source = source_folder(folder)
    texts = {
        path.decode("utf-8", "replace"): content.decode("utf-8", "replace")
        for mode, path, content in source.files()
        if mode.startswith(b"100")
    }
    return texts, source.skipped


# --- the change ----------------------------------------------------------------------------------------------------


def _file_changes(before: Texts, after: Texts) -> Iterator[FileChange]:
    """In git's order, by path."""
    gone = {path: text for path, text in before.items() if path not in after}
    come = {path: text for path, text in after.items() if path not in before}
    renames = _renames(gone, come)
    left = gone.keys() - renames.values()
    changed = {path for path, text in after.items() if path in come or before[path] != text}
    for path in sorted(changed | left, key=lambda name: name.encode("utf-8", "replace")):
        old_path = renames.get(path)
        yield _file_change(path, before.get(old_path or path), after.get(path), old_path)


def _file_change(path: str, before: str | None, after: str | None, old_path: str | None) -> FileChange:
    binary = _binary(before or "") or _binary(after or "")
    text = "" if binary else patch(before or "", after or "")
    signs = Counter(line[:1] for line in text.split("\n"))
    return FileChange(
        path=path,
        status="R" if old_path else "A" if before is None else "D" if after is None else "M",
        old_path=old_path,
        added=signs["+"],
        deleted=signs["-"],
        binary=binary,
        old_mode="000000" if before is None else "100644",
        new_mode="000000" if after is None else "100644",
        old_blob=_NONE if before is None else blob_id(before),
        new_blob=_NONE if after is None else blob_id(after),
        patch=text,
    )


def _binary(text: str) -> bool:
    return "\0" in text[:_BINARY_WITHIN]


# --- renames -------------------------------------------------------------------------------------------------------


def _renames(gone: Texts, come: Texts) -> dict[str, str]:
    """New path -> old path: files without any change first, then those most alike."""
    found: dict[str, str] = {}
    left = {path: text for path, text in gone.items() if text}
    by_text: dict[str, list[str]] = {}
    for path, text in sorted(left.items()):
        by_text.setdefault(text, []).append(path)
    for path, text in sorted(come.items()):
        if same := by_text.get(text):
            found[path] = next((old for old in same if _base(old) == _base(path)), same[0])
            same.remove(found[path])
            del left[found[path]]
    rest = {path: text for path, text in come.items() if path not in found and text}
    if len(left) * len(rest) > _MOST_PAIRS:
        return found
    return found | _alike(left, rest)


def _alike(gone: Texts, come: Texts) -> dict[str, str]:
    lines = {path: Counter(re.split(r"(?<=\n)", text)) for some in (gone, come) for path, text in some.items()}
    pairs = [
        (share, _base(old) == _base(new), old, new)
        for new in come
        for old in gone
        if (share := _share(lines[old], lines[new], max(len(gone[old]), len(come[new])))) >= _SIMILAR
    ]
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, old, new in sorted(pairs, key=lambda pair: (-pair[0], not pair[1], pair[2], pair[3])):
        if new not in found and old not in taken:
            found[new] = old
            taken.add(old)
    return found


def _share(one: Counter[str], two: Counter[str], size: int) -> float:
    return sum(len(line) * min(count, two[line]) for line, count in one.items() if line in two) / size


def _base(path: str) -> str:
    return path.rpartition("/")[2]

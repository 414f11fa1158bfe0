"""Lines that tie two changes together: taken away after they came, put back, or exactly undone.

Only lines long enough to mean something count, and never those that a change merely moved. That a fix repairs a
change is shown by code alone: imports, comments and docstrings move with anything, pins and versions move on their own,
a call that gets one more argument was not wrong, and a line in which a change only renamed something is not its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from daybreak.core.model.changes import Change, FileChange
from daybreak.judge.robots import is_manifest

Lines = dict[str, "Counter[str]"]

ENOUGH = 3
"""Fewer shared lines than this may be chance."""
_TELLING = 16
_MAX_PATCH = 200_000
"""Patches beyond this are mass edits; lines shared with them say nothing."""
_MAX_LINE = 500
"""What kind of line it is shows at its beginning; lines are equal only as a whole."""
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|\.github|\.buildkite|benchmarks?|examples?)/|(?:^|/)test_[^/]*$|\.(?:md|rst|txt|json|lock|ya?ml)$"
)
_IMPORT = re.compile(
    r"(?:from\s+[\w.]+\s+import|import|(?:pub\s+)?use|using\s+namespace)\s|using\s+[\w:]+;|export\s.*\sfrom\s"
)
_IMPORTED = re.compile(r"[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*\s*(?:,\s*)?(?:#.*)?$")
"""A line within the brackets of an import."""
_COMMENT = ("#", "//", "*", "/*", "<!--", '"""', "'''")
_SENTENCE = re.compile(r"[a-z`)]\.(?:\"{3}|'{3})?$")
_STRING = re.compile(r"\"[^\"]*\"?")
_IN_A_ROW = re.compile(r"(?<![\w.])(?:[A-Za-z][a-z]+ ){3,30}[a-z]+(?![\w(\[=])")
_KEYWORDS = frozenset(
    """if else and or not in is for while return yield await async def class lambda from import as with raise
    assert case new static const constexpr inline unsigned signed long short int char bool float double void
    auto struct enum template typename public private virtual extern volatile typedef pub fn let mut impl
    where match type export function default""".split()  # noqa: SIM905  words read better than a list of strings
)
_COMMIT = re.compile(r"(?<!\w)[0-9a-f]{40}(?!\w)")
"""A pointer into another repository: that of a submodule, or a pin."""
_VERSION = re.compile(r"\d\.\d")
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_IF = re.compile(r"(?:el)?if\s+(.{1,400}):$")
_AND = re.compile(r"\s+and\s+")
_EDIT = 400
"""Lines of one place of a patch; more than that are compared with none."""
_NONE: Counter[str] = Counter()
_NO_LINES: Mapping[str, Collection[str]] = {}
_WORD = re.compile(r"\w")


class LineIndex:
    """Lines of changes by path, each read once."""

    def __init__(self, older: Mapping[str, Collection[str]] = _NO_LINES) -> None:
        self.older = older
        """Change -> lines that it did not add, since they stood in the tree before it."""
        self._all: dict[str, tuple[Lines, Lines]] = {}
        self._code: dict[str, tuple[Lines, Lines]] = {}
        self._added: dict[tuple[str, str], Counter[str]] = {}
        self._unmoved: dict[str, tuple[Lines, Lines]] = {}
        self._renamed: dict[str, frozenset[str]] = {}
        self._lengthened: dict[str, frozenset[str]] = {}

    def all(self, change: Change) -> tuple[Lines, Lines]:
        """Telling lines that a change added and deleted."""
        if change.sha not in self._all:
            self._all[change.sha] = _read(change)
        return self._all[change.sha]

    def code(self, change: Change) -> tuple[Lines, Lines]:
        """The same without imports, comments and docstrings."""
        if change.sha not in self._code:
            self._code[change.sha] = _read(change, code=True)
        return self._code[change.sha]

    def added(self, change: Change, file: FileChange) -> Counter[str]:
        """Code that a change added to one of its files: most comparisons need no more of it."""
        key = change.sha, file.path
        if key not in self._added:
            self._added[key] = Counter(row[1:].strip() for row in _code(file.patch.split("\n"), "+"))
        return self._added[key]

    def unmoved(self, change: Change) -> tuple[Lines, Lines]:
        """Code without the lines that it both added and deleted."""
        if change.sha not in self._unmoved:
            self._unmoved[change.sha] = _unmoved(*self.code(change))
        return self._unmoved[change.sha]

    def renamed(self, change: Change) -> frozenset[str]:
        """Lines that stood before it under other names, there or elsewhere, and conditions that it took out of a block."""
        if change.sha not in self._renamed:
            self._renamed[change.sha] = frozenset((*_renamed(change), *_taken_out(change)))
        return self._renamed[change.sha]

    def lengthened(self, change: Change) -> frozenset[str]:
        """Lines that it replaced only to give a call or a signature another argument, or a name another form."""
        if change.sha not in self._lengthened:
            self._lengthened[change.sha] = frozenset((*_lengthened(change), *_only_renamed(change)))
        return self._lengthened[change.sha]


def _read(change: Change, code: bool = False) -> tuple[Lines, Lines]:
    added: Lines = {}
    deleted: Lines = {}
    for file in _code_files(change):
        rows = file.patch.split("\n")
        for sign, side in (("+", added), ("-", deleted)):
            for line in _code(rows, sign) if code else _told(rows, sign):
                side.setdefault(file.path, Counter())[line[1:].strip()] += 1
    return added, deleted


def _code_files(change: Change) -> Iterator[FileChange]:
    return (f for f in change.files if f.patch and len(f.patch) <= _MAX_PATCH and not _ASIDE.search(f.path))


def _edits(change: Change) -> Iterator[tuple[list[str], list[str]]]:
    """Lines that went and that came, place by place."""
    for file in _code_files(change):
        edit: dict[str, list[str]] = {"-": [], "+": []}
        for row in (*file.patch.split("\n"), " "):
            if row[:1] in edit:
                edit[row[0]].append(row[1:].strip()[:_MAX_LINE])
            elif edit["-"] or edit["+"]:
                if edit["-"] and edit["+"] and len(edit["-"]) + len(edit["+"]) <= _EDIT:
                    yield edit["-"], edit["+"]
                edit = {"-": [], "+": []}


def _renamed(change: Change) -> Iterator[str]:
    """A name that becomes another one, which shares a word with it, on most of the lines that differ in names alone,
    wherever the change put them.
    """
    pairs = _pairs(_edits(change))
    went, came = (Counter(_rows(change, sign)) for sign in "-+")
    went, came = went - came, came - went
    went.subtract(was for was, _, _ in pairs)
    came.subtract(now for _, now, _ in pairs)
    pairs += _pairs([(list(went.elements()), list(came.elements()))])
    votes = Counter(pair for _, _, some in pairs for pair in set(some))
    every = Counter(old for _, _, some in pairs for old, _ in set(some))
    names = {(old, new) for (old, new), n in votes.items() if n > 1 and n * 3 >= every[old] * 2 and _akin(old, new)}
    return (line for _, line, some in pairs if some and names.issuperset(some))


def _taken_out(change: Change) -> Iterator[str]:
    """Conditions that stood deeper before: what they have more of may be what the block around them asked, which no hunk shows."""
    for file in _code_files(change):
        rows = [(row[0], len(row) - len(row[1:].lstrip()), row[1:].strip()) for row in file.patch.split("\n") if row]
        tests = [
            (sign, deep, line, set(_AND.split(found[1]))) for sign, deep, line in rows if (found := _IF.match(line))
        ]
        went = [(deep, parts) for sign, deep, _, parts in tests if sign == "-"]
        yield from (
            line for sign, deep, line, has in tests if sign == "+" and any(d > deep and p < has for d, p in went)
        )


def _only_renamed(change: Change) -> Iterator[str]:
    """Lines that went and came again with a name in place of another, which nothing that came has, and nothing that went
    had the first: what a name was called was no fault. A variable in place of another one that was there may mend it.
    """
    pairs = _pairs(_edits(change))
    sides = [
        {name for edit in _edits(change) for line in edit[side] for name in _NAME.findall(line)} for side in (0, 1)
    ]
    names = Counter(pair for _, _, some in pairs for pair in set(some))
    fresh = {(old, new) for (old, new), n in names.items() if n > 1 and old not in sides[1] and new not in sides[0]}
    return (line for line, _, some in pairs if some and fresh.issuperset(some))


def _pairs(edits: Iterable[tuple[list[str], list[str]]]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Lines that went and came with the same signs, and the names that differ in them."""
    pairs: list[tuple[str, str, list[tuple[str, str]]]] = []
    for went, came in edits:
        left: dict[str, list[str]] = {}
        for line in reversed(went):
            left.setdefault(_NAME.sub("x", line), []).append(line)
        for line in came:
            if same := left.get(_NAME.sub("x", line)):
                was = same.pop()
                both = zip(_NAME.findall(was), _NAME.findall(line), strict=False)
                pairs.append((was, line, [(old, new) for old, new in both if old != new]))
    return pairs


def _akin(old: str, new: str) -> bool:
    one, two = ({piece.lower() for piece in _PIECE.findall(name) if len(piece) > 2} for name in (old, new))
    return not one.isdisjoint(two)


def _lengthened(change: Change) -> Iterator[str]:
    for went, came in _edits(change):
        text = "\n".join(came)
        yield from (line for line in went if _tells(line) and _has_more(line, text))


def _has_more(line: str, text: str) -> bool:
    """The same call, or the same line of arguments, with others between them."""
    head, bracket, rest = line.partition("(")
    if not bracket:
        return "," in line and _in_order(_arguments(line)[0], _arguments(text)[0])
    at = f"\n{text}".find(f"\n{head}(")
    if at < 0:
        return False
    (old, old_tail), (new, new_tail) = _arguments(rest), _arguments(text[at + len(head) + 1 :])
    return old_tail.rstrip(",") == new_tail.partition("\n")[0].rstrip(",") and _in_order(old, new)


def _arguments(text: str) -> tuple[list[str], str]:
    """What stands between the commas, up to the bracket that closes them; and what is behind that."""
    depth = start = 0
    out: list[str] = []
    for at, sign in enumerate(text):
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        if depth < 0 or (sign == "," and not depth):
            out.append(text[start:at].strip())
            start = at + 1
        if depth < 0:
            return [one for one in out if one], text[start:]
    return [one for one in (*out, text[start:].strip()) if one], ""


def _in_order(some: Sequence[str], more: Sequence[str]) -> bool:
    """All of some, in their order, among more."""
    rest = iter(more)
    return bool(some) and len(some) < len(more) and all(one in rest for one in some)


def _told(rows: Sequence[str], sign: str) -> Iterator[str]:
    return (row for row in rows if row[:1] == sign and _telling(row))


def _code(rows: Sequence[str], sign: str) -> Iterator[str]:
    """Telling lines of one sign that are code; the names of an import over several lines are none, where the hunk shows it."""
    importing = False
    for row in rows:
        first = row[:1]
        if first == "@" and row.startswith("@@"):
            importing = _opens(row.rpartition("@@")[2].strip()[:_MAX_LINE])
        elif first == " " and not importing and not row.rstrip().endswith(_GOES_ON):
            continue  # most lines
        elif first in (sign, " "):
            text = row[1:].strip()[:_MAX_LINE]
            importing = _opens(text) or (importing and bool(_IMPORTED.match(text)))
            if first == sign and not importing and _tells(text) and not _aside(text):
                yield row


def _opens(text: str) -> bool:
    """An import whose names follow on the next lines."""
    return text.endswith(_GOES_ON) and bool(_IMPORT.match(text))


_GOES_ON = ("(", "{", "\\")


def _aside(text: str) -> bool:
    """An import, a comment, or the prose of a docstring, which a hunk may show without its marks."""
    return text.startswith(_COMMENT) or bool(_IMPORT.match(text)) or _prose(text)


def _prose(text: str) -> bool:
    """It ends as a sentence does, or holds four words in a row that no language of code has."""
    if _SENTENCE.search(text):
        return True
    if text.count(" ") < 3 or not _IN_A_ROW.search(text):  # most lines
        return False
    bare = _STRING.sub('""', text).partition("  #")[0].partition(" //")[0]
    for row in _IN_A_ROW.findall(bare):
        plain = "".join("-" if word in _KEYWORDS else "x" for word in row.split())
        if "xxxx" in plain:
            return True
    return False


def _unmoved(added: Lines, deleted: Lines) -> tuple[Lines, Lines]:
    came: Counter[str] = Counter()
    went: Counter[str] = Counter()
    for lines in added.values():
        came += lines
    for lines in deleted.values():
        went += lines
    both = (came & went).keys()
    return _without(added, both), _without(deleted, both)


def _without(side: Lines, moved: Collection[str]) -> Lines:
    return {path: Counter({x: n for x, n in lines.items() if x not in moved}) for path, lines in side.items()}


def _telling(line: str) -> bool:
    return _tells(line[1:].strip())


def _tells(text: str) -> bool:
    return (
        len(text) >= _TELLING
        and bool(_WORD.search(text))
        and not text.startswith(("#", "//", "import ", "*", '"""', "return None", "@"))
    )


def took_back(first: Change, later: Change, index: LineIndex) -> int:
    """How many lines of code the later change deleted that equal lines the first one added in the same file.

    None of it counts unless those lines are most of what it deleted. A line that stood in the tree before was not added,
    nor one in which the first renamed something or gave a value that it took from another line; what the later only
    lengthened or renamed was not at fault.
    """
    touched = {file.path for file in later.files}
    near = [file for file in first.files if file.path in touched]
    if not near:  # most changes: not worth reading their lines for it
        return 0
    (came, gone), deleted = index.all(first), index.unmoved(later)[1]
    shared = [f for f in near if not deleted.get(f.path, _NONE).keys().isdisjoint(came.get(f.path, _NONE))]
    if not shared:
        return 0
    both = [(f.path, index.added(first, f) & deleted[f.path]) for f in shared]
    older = frozenset(index.older.get(first.sha, ()))
    # a line that many places have stood elsewhere before: that it came here as well says nothing for or against the tie
    beside = sum(n for _, lines in both for line, n in lines.items() if line in older)
    moved = index.renamed(first).union(index.lengthened(later), older, *gone.values())
    values = {value for lines in gone.values() for line in lines if (value := _value(line))}
    old = (line for lines in deleted.values() for line in lines if _value(line) in values)
    moved = moved.union(old)
    same = sum(n for path, lines in both for line, n in lines.items() if line not in moved and not _pins(path, line))
    everything = sum(lines.total() for lines in deleted.values()) - beside
    with_moved = sum(lines.total() for lines in index.code(later)[1].values()) - beside
    enough = same >= max(ENOUGH, beside) or (same == everything and not beside)
    return same if same and same * 2 >= with_moved and enough else 0


def shared_lines(first: Change, later: Change) -> int:
    """All lines, short ones too, that the first added and the later deleted in the same file."""
    came = {file.path: _signed(file.patch)[0] for file in first.files}
    return sum((came.get(file.path, _NONE) & _signed(file.patch)[1]).total() for file in later.files)


def _value(line: str) -> str:
    """What a line gives a name or an argument, where that tells."""
    value = line[:_MAX_LINE].partition("=")[2].strip().rstrip(",;")
    return value if len(value) >= _TELLING and not value.startswith("=") else ""


def _pins(path: str, line: str) -> bool:
    """It says which version, or which commit, of something else is taken."""
    return bool(_COMMIT.search(line)) or (is_manifest(path) and bool(_VERSION.search(line)))


def touches(first: Change, later: Change, index: LineIndex) -> bool:
    """The later change takes away, or stands beside, code that the first one added; as far as their lines are known."""
    if not all(any(file.patch for file in change.files) for change in (first, later)):
        return True
    near = {file.path: file for file in first.files}
    for file in later.files:
        if file.path in near and not _ASIDE.search(file.path):
            around = {row[1:].strip() for row in file.patch.split("\n") if row[:1] in ("-", " ")}
            if not around.isdisjoint(index.added(first, near[file.path])):
                return True
    return False


def began(changes: Iterable[Change], later: Change) -> Change | None:
    """The first of these that began to give a call an argument, both of which a later one names in its title and on a line."""
    said = {word.lower() for word in _SIMPLE.findall(later.subject[:400])}
    rows = (set(_SIMPLE.findall(row)) for row in _rows(later, "+"))
    words = {word for row in rows for word in row if len(said & {one.lower() for one in row}) > 1}
    if len(words) < 2:  # most fixes
        return None
    for first in changes:
        old = {pair for row in _rows(first, "-") for pair in _given(row)}
        new = {pair for row in _rows(first, "+") for pair in _given(row)} - old
        if any({one.lower(), two.lower()} <= said and {one, two} <= words for one, two in new):
            return first
    return None


def _rows(change: Change, sign: str) -> Iterator[str]:
    for file in _code_files(change):
        yield from (row[1:].strip()[:_MAX_LINE] for row in file.patch.split("\n") if row[:1] == sign)


def _given(row: str) -> Iterator[tuple[str, str]]:
    """Calls of one line, each with the names of its arguments; short names are those of anything."""
    for call in _CALL.finditer(row):
        yield from ((call[1], name) for name in _ARGUMENT.findall(call[2]))


_SIMPLE = re.compile(r"[A-Za-z_]\w{4,80}")
_CALL = re.compile(r"\b([A-Za-z_]\w{4,80})\(([^()]{1,200})")
_ARGUMENT = re.compile(r"\b([A-Za-z_]\w{4,80})=(?!=)")


def redone(revert: Change, later: Change, index: LineIndex) -> bool:
    """The later change does most of what the revert undid, enough of it not to be chance, and not much beside it."""
    touched = {file.path for file in revert.files}
    if not any(file.path in touched for file in later.files):  # most changes: not worth reading their lines for it
        return False
    same, every = _opposed(revert, later, index)
    return same >= ENOUGH and same * 2 >= every and same * 3 >= _opposed(later, revert, index)[1]


def mostly_undone(first: Change, later: Change, index: LineIndex) -> bool:
    """The later change takes most of the first one back, as far as lines tell."""
    same, every = _opposed(first, later, index)
    return same * 2 >= every


def partly_undone(first: Change, later: Change, index: LineIndex, least: float = 0.5) -> bool:
    """Most of the later change, or as much as is asked for, takes lines of the first one back; a few lines of much that came,
    in whose place nothing is put back, are cleaned up.
    """
    touched = {file.path for file in first.files}
    if not any(file.path in touched for file in later.files):
        return False
    same, every = _opposed(later, first, index)
    return same >= ENOUGH and same >= least * every and not _cleans_up(first, later, index)


def _cleans_up(first: Change, later: Change, index: LineIndex) -> bool:
    (came, gone), (again, away) = index.all(first), index.all(later)
    return not _flat(gone) & _flat(again) and (_flat(came) & _flat(away)).total() < _A_PART * _flat(came).total()


_A_PART = 0.1
"""Of the lines that came: fewer that go are no part of what they did."""


def _opposed(first: Change, later: Change, index: LineIndex) -> tuple[int, int]:
    """How many of the lines that the first change added and deleted the later one deleted and added; and of how many."""
    if not all(any(file.patch for file in change.files) for change in (first, later)):
        return 0, 0
    (came, gone), (again, away) = index.all(first), index.all(later)
    sides = ((_flat(came), _flat(away)), (_flat(gone), _flat(again)))
    return sum((one & two).total() for one, two in sides), sum(one.total() for one, _ in sides)


def _flat(side: Lines) -> Counter[str]:
    out: Counter[str] = Counter()
    for lines in side.values():
        out.update(lines)
    return out


def wholly_undone(first: Change, later: Change) -> bool:
    """The later change deletes every line that the first one added, and puts nothing there but what stood there before.

    Lines that the first one deleted elsewhere may stay away, as long as they are few.
    """
    paths = {file.path for file in first.files}
    whole = [*first.files, *(file for file in later.files if file.path in paths)]
    if len(whole) != 2 * first.files_total or not all(f.patch and not f.patch_cut for f in whole):
        return False
    if any(len(file.patch) > _MAX_PATCH for file in whole):
        return False
    one, two = ({f.path: _signed(f.patch) for f in side} for side in (first.files, whole[len(first.files) :]))
    came = [path for path, (added, _) in one.items() if added]
    if any(one[p][0] - two[p][1] or two[p][0] != one[p][1] for p in came):
        return False
    undone = sum(one[p][0].total() for p in came)
    every = sum(side.total() for sides in one.values() for side in sides)
    return undone >= ENOUGH and undone * _NEARLY[1] >= every * _NEARLY[0]


_NEARLY = (3, 4)
"""The share of a change's lines that must be undone."""


def _signed(patch: str) -> tuple[Counter[str], Counter[str]]:
    """Lines that a patch adds and deletes, without blank ones."""
    rows = [row for row in patch.split("\n") if row[1:].strip()]
    return Counter(x[1:] for x in rows if x[0] == "+"), Counter(x[1:] for x in rows if x[0] == "-")


def inverse(first: Change, later: Change) -> bool:
    """The second diff undoes the first one line for line."""
    one = {f.path: f for f in first.files}
    two = {f.path: f for f in later.files}
    if one.keys() != two.keys() or len(one) != first.files_total or len(two) != later.files_total:
        return False
    return all(one[p].patch and not one[p].patch_cut and _opposite(one[p].patch, two[p].patch) for p in one)


def _opposite(first: str, later: str) -> bool:
    sides = [[sorted(x[1:] for x in patch.split("\n") if x[:1] == sign) for sign in "+-"] for patch in (first, later)]
    return sides[0][0] == sides[1][1] and sides[0][1] == sides[1][0]

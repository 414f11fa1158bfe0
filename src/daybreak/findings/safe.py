"""Proof that a change is safe: nothing but comments, formatting, type hints, or code that moved.

Both sides of every code file are read whole and compared token by token (C, C++, CUDA) or as syntax trees (Python):
hunks alone cannot tell a comment from a line of a text. What cannot be proved is not safe. Nothing is run.

The four kinds, each of which may hold what those before it hold: `only_comments` (comments and docstrings),
`only_formatting` (blanks, line breaks, quotes, order of imports), `only_types` (hints that nothing reads at run time),
`only_moved` (renamed files, functions and classes that stand elsewhere unchanged, with the imports that follow them).
Tests, docs and CI beside the code do not count; without any code there is nothing to prove.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from daybreak.findings.languages.base import ReadFile
from daybreak.findings.safe_moves import Moves
from daybreak.findings.safe_python import differences

SafeKind = Literal["only_comments", "only_formatting", "only_types", "only_moved"]
ORDER: tuple[SafeKind, ...] = ("only_comments", "only_formatting", "only_types", "only_moved")

MAX_FILES = 200
MAX_CHANGED = 20_000
"""Lines of a change that is worth proving; a larger one is never called safe."""

LARGEST = 1 << 20

_ASIDE = frozenset({"test", "docs", "ci"})
_PYTHON = re.compile(r"\.pyi?$")
_C = re.compile(r"\.(?:c|cc|cpp|cxx|cu|cuh|h|hpp|hh|inl)$")
_TOKEN = re.compile(
    r"(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)"
    r"|(?P<raw>(?:u8|[uUL])?R\"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)\")"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')"
    r"|(?P<word>\w+)|(?P<join>\\\r?\n)|(?P<line>\n)|(?P<blank>[^\S\n]+)|(?P<mark>.)",
    re.DOTALL,
)


def wanted(files: Sequence[ReadFile]) -> list[str]:
    """Blob ids that a proof needs; none when the hunks already show that there is nothing to prove."""
    code = _code(files)
    if not _worth(code):
        return []
    ids = [oid for f in code if not _same_blob(f) for oid in (f.change.old_blob, f.change.new_blob)]
    return [oid for oid in dict.fromkeys(ids) if oid.strip("0")]


def safe_kind(files: Sequence[ReadFile], blobs: Mapping[str, str] | None = None) -> SafeKind | None:
    """What the whole change is nothing but; None when that cannot be proved.

    `blobs` holds the contents by blob id, at least those that `wanted` names; without them only renames are proved.
    """
    code = _code(files)
    if not code or not _worth(code):
        return None
    kinds: set[SafeKind] = set()
    rest: list[tuple[ReadFile, str, str]] = []
    for file in code:
        if _same_blob(file):
            kinds.add("only_moved")
            continue
        sides = [_content(oid, blobs or {}) for oid in (file.change.old_blob, file.change.new_blob)]
        if sides[0] is None or sides[1] is None:
            return None
        rest.append((file, sides[0], sides[1]))
    try:
        found = _kinds(code, rest)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if found is None:
        return None
    kinds |= found
    return max(kinds, key=ORDER.index) if kinds else None


def _code(files: Iterable[ReadFile]) -> list[ReadFile]:
    return [f for f in files if f.area not in _ASIDE]


def _worth(code: Sequence[ReadFile]) -> bool:
    """Cheap signs that a proof cannot succeed: unknown languages, new modes, cut patches, more lines than moved."""
    if not code or len(code) > MAX_FILES or sum(f.change.added + f.change.deleted for f in code) > MAX_CHANGED:
        return False
    for f in code:
        c = f.change
        if c.binary or c.submodule or c.symlink or c.skipped or c.mode_changed:
            return _same_blob(f) and not c.mode_changed
        if not _same_blob(f) and not (_PYTHON.search(f.path) or _C.search(f.path)):
            return False
    return _possible(code) != ""


def _possible(code: Sequence[ReadFile]) -> Literal["", "some", "moves"]:
    """A sieve, so that few files are read whole: the words that only one side has must leave a proof possible.

    None is left over: form or moves. None on lines that are surely code: comments. All stand in hints: types.
    """
    if any(not f.hunks and not _same_blob(f) for f in code):
        return ""
    lines = [line for f in code for line in _changed(f)]
    left = _unequal(lines)
    if not left:
        return "moves"
    # Nearly always one word settles both questions, and few lines hold it.
    word = min(left)
    near = [line for line in lines if word in line.text]
    if not (word in _unequal(_sure(near)) or _unequal(_sure(lines))):
        return "some"
    return "some" if word in _hinted(near) and left <= _hinted(lines) else ""


def _sure(lines: Sequence[_Line]) -> list[_Line]:
    return [line for line in lines if _SURE.match(line.text)]


def _hinted(lines: Sequence[_Line]) -> set[str]:
    """Words that stand in hints."""
    return {w for line in lines if line.python for hint in _HINT.findall(line.text) for w in _WORD.findall(hint)}


class _Line(NamedTuple):
    sign: str
    text: str
    python: bool


def _changed(file: ReadFile) -> Iterator[_Line]:
    """Changed lines without comments, imports apart."""
    python = bool(_PYTHON.search(file.path))
    mark = "#" if python else "//"
    for hunk in file.hunks:
        for x in hunk.lines:
            if x.sign != " ":
                text = x.text[:1000].partition(mark)[0]
                if not ("import" in text and _IMPORT.match(text)):
                    yield _Line(x.sign, text, python)


def _unequal(lines: Sequence[_Line]) -> set[str]:
    """Words that one side has more of."""
    won, lost = (Counter(_WORD.findall("\n".join([x.text for x in lines if x.sign == sign]))) for sign in "+-")
    return {word for word in won.keys() | lost.keys() if won[word] != lost[word]}


_WORD = re.compile(r"\w+")
_IMPORT = re.compile(r"\s*(?:from [\w.]+ import|import )")
_HINT = re.compile(r"(?::|->)([^=#()]{1,120})")
_SURE = re.compile(
    r"\s*(?:[\w.\[\]]+ [-+*/|&]?= \S|(?:if|elif|for|while|with|def|class|async|except) .*:$|(?:return|raise|assert|yield) \w+[.(\[]"
    r"|[\w.]+\(.*\)[;,]?$|.*;$|@\w)"
)


def _same_blob(file: ReadFile) -> bool:
    c = file.change
    return c.status == "R" and bool(c.old_blob) and c.old_blob == c.new_blob


def _content(oid: str, blobs: Mapping[str, str]) -> str | None:
    """One side; empty for a file that was not there, None for what is missing or no clean text."""
    text = blobs.get(oid) if oid.strip("0") else ""
    return None if text is None or "\ufffd" in text or len(text) > LARGEST else text


def _kinds(code: Sequence[ReadFile], rest: Sequence[tuple[ReadFile, str, str]]) -> set[SafeKind] | None:
    """The kind of each file that differs; what one file cannot prove alone is tried as a move over all of them."""
    kinds: set[SafeKind] = set()
    moves = Moves()
    balanced = _possible(code) == "moves"
    for file, old, new in rest:
        c = file.change
        kind = (_c_kind if _C.search(file.path) else differences)(old, new) if c.status in "MR" else None
        if kind is not None:
            kinds.add(kind)
        elif _C.search(file.path) or not balanced:
            return None
        else:
            moves.add(c.old_path or c.path, c.path, old, new)
        if c.status == "R":
            kinds.add("only_moved")
    if not moves.empty:
        if not moves.proved([(f.change.old_path or f.path, f.path) for f in code]):
            return None
        kinds.add("only_moved")
    return kinds


def _c_kind(old: str, new: str) -> Literal["only_comments", "only_formatting"] | None:
    """Same tokens, and the same preprocessor lines: else None."""
    first, second = _tokens(old), _tokens(new)
    if first is None or second is None or first[0] != second[0]:
        return None
    return "only_formatting" if first[1] == second[1] else "only_comments"


def _tokens(text: str) -> tuple[list[str], list[str]] | None:
    """Tokens without comments and blanks, and the comments; a line break counts only where it ends a directive."""
    if text.find("/*", text.rfind("*/") + 1) >= 0 or text.count('R"') > 200:
        return None  # an open comment, or more raw texts than can be looked through in time
    tokens: list[str] = []
    comments: list[str] = []
    directive, first, blank = False, True, False
    for match in _TOKEN.finditer(text):
        kind, value = match.lastgroup or "", match[0]
        if kind in ("comment", "blank", "join"):
            comments.extend([" ".join(value.split())] if kind == "comment" else ())
            blank = True
        elif kind == "line":
            tokens.extend("\n" if directive else "")
            directive, first, blank = False, True, True
        elif kind == "mark" and value in "\"'":
            return None  # a quote that never closes: nothing behind it can be trusted
        else:
            directive = directive or (first and value == "#")
            _put(tokens, value, kind, apart=blank, spaced=directive and blank and not first)
            first, blank = False, False
    return tokens, comments


def _put(tokens: list[str], value: str, kind: str, *, apart: bool, spaced: bool) -> None:
    """Adds a token; what stands close may be a part of the last one, and in a directive a blank may count."""
    if spaced:
        tokens.append(" ")  # `#define f (x)` is not `#define f(x)`
    if tokens and not apart and _glued(tokens[-1], value, kind):
        tokens[-1] += value  # `>>` is not `> >`, and `L"x"` is not `L "x"`
    else:
        tokens.append(value)


def _glued(last: str, value: str, kind: str) -> bool:
    """Blanks between the two would make another token of them."""
    if kind == "mark":
        return last[-1] in "<>=!&|+-*/%^:.#" and value in "<>=!&|+-*/%^:.#"
    return kind in ("text", "raw") and (last[-1].isalnum() or last[-1] == "_")

"""Scanning whole files for calls, tables and class bodies: what the readers of options, variables, routes share.

Everything is linear: a scan never goes back, a call that does not close within `MAX_CALL` is given up, and a file with
many of those is not understood at all.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from msgspec.structs import replace

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import side
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.languages.base import Fact, ReadFile, Whole, literal
from daybreak.findings.paths import BEHIND

MAX_CALL = 12_000
"""Characters of one call or statement."""
MAX_TABLE = 400_000
MAX_OPEN = 40
"""Calls of a file that never close, before the file is given up."""

MAX_PAIRS = 20_000
"""Comparisons in search of renames; a commit that needs more of them is a rewrite."""

_STRINGS = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
_MARK = re.compile(rf"[()\[\]{{}},]|#[^\n]*|{_STRINGS}")
_STATED = re.compile(rf"[()\[\]{{}}\n]|=+|#[^\n]*|{_STRINGS}")
# a line break in front, rather than `^`, lets the regex engine leap from line to line
_CLASS = re.compile(r"\nclass[ \t]+(\w+)")
_TOP = re.compile(r"\n[A-Za-z_@]")
_FIELD = re.compile(r"\n    ([A-Za-z]\w*)[ \t]*:(?![:=])")
_VALUE = re.compile(r"[\"'\d\[({+-]|[rbfRBF][\"']|(?:[Tt]rue|[Ff]alse|None)\b")
_TEXT = re.compile(r"\"[^\"\\\n]{0,100}\"|'[^'\\\n]{0,100}'")
_ASKED = re.compile(r"(?<![\w.])(?<!not )[A-Za-z_](?:\w*\.)+([A-Za-z_]\w*)\b(?![.(])")
_REFUSAL = re.compile(r"\braise\b|\.error\(")
_INTERNAL = re.compile(
    r"(?:^|/)(?:bench|benchmark|test|example|demo|profile|tun(?:e|ing)|eval|debug|plot|convert|export)\w{0,60}\.\w{1,4}$"
    r"|(?:^|/)(?:bench\w{0,20}|debug_utils|profil\w{1,10}|experimental)/|(?:^|/)disaggregation/\w{1,40}/conn\.py$",
    re.IGNORECASE,
)
_SIGNS: tuple[Literal["-"], Literal["+"]] = ("-", "+")
_FRONT = frozenset({"api", "code"})


class Call(NamedTuple):
    """The arguments of one call, and where it ends."""

    parts: tuple[str, ...]
    end: int


class Statement(NamedTuple):
    """`head = value`, comments and line breaks taken out."""

    head: str
    value: str | None
    end: int


class Source:
    """A file's text with its line numbers and its long strings."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lost = 0
        """Calls that never close: a file that has one is not understood."""
        self._known = (0, 1)

    @cached_property
    def _quotes(self) -> list[int]:
        return list(self.find('"""'))

    def find(self, word: str) -> Iterator[int]:
        """Every place of a word: much faster than a pattern, which is then tried at these places only."""
        at = self.text.find(word)
        while at >= 0:
            yield at
            at = self.text.find(word, at + len(word))

    def line(self, offset: int) -> int:
        """Number of the line; asked from top to bottom it is counted once."""
        at, number = self._known if self._known[0] <= offset else (0, 1)
        number += self.text.count("\n", at, offset)
        self._known = (offset, number)
        return number

    def line_start(self, offset: int) -> int:
        return self.text.rfind("\n", max(0, offset - 400), offset) + 1

    def quiet(self, offset: int) -> bool:
        """In a comment or a doc string."""
        if bisect_right(self._quotes, offset) % 2:
            return True
        return self.text[self.line_start(offset) : offset].lstrip().startswith(("#", "//"))

    def asked_over(self, offset: int) -> frozenset[str]:
        """Attributes that must be set for a line to run: those of the questions around it, as far as its function goes."""
        return frozenset(name for head in self.questions_over(offset) for name in _ASKED.findall(head))

    def questions_over(self, offset: int) -> Iterator[str]:
        """The heads of the questions around a line, however many lines lie between, as far as its function goes."""
        start, depth, end = max(0, self.line_start(offset) - MAX_CALL), 1 << 20, offset
        for line in reversed(self.text[start:offset].split("\n")):
            at, end = end - len(line), end - len(line) - 1
            bare = line.lstrip()
            if not bare or bare[0] in "#)]}" or len(line) - len(bare) >= depth:
                continue
            depth = len(line) - len(bare)
            if bare.startswith(("if ", "elif ")):
                yield self.text[at : at + 400].partition(":\n")[0]
            elif not depth or bare.startswith(("def ", "async def ", "class ")):
                break

    def calls(self, *words: str) -> Iterator[tuple[int, str, Call]]:
        """(place, word, arguments) for every call that one of the words opens; calls inside calls are passed."""
        end = 0
        for at, word in sorted((place, one) for one in words for place in self.find(one)):
            if at < end or self.quiet(at):
                continue
            call = self.arguments(at + len(word))
            if call is not None:
                end = call.end
                yield at, word, call

    def arguments(self, start: int, limit: int = MAX_CALL) -> Call | None:
        """From just behind an opening bracket to its match, cut at its commas."""
        depth, at, parts, piece = 0, start, [], []
        for mark in _MARK.finditer(self.text, start, start + limit):
            char = mark[0]
            if char[0] == "#":
                piece.append(self.text[at : mark.start()])
                at = mark.end()
            elif char in "([{":
                depth += 1
            elif char in ")]}" or (char == "," and depth == 0):
                depth -= char != ","
                if depth < 0 or char == ",":
                    parts.append(" ".join("".join((*piece, self.text[at : mark.start()])).split()))
                    at, piece = mark.end(), []
                if depth < 0:
                    return Call(tuple(p for p in parts if p), mark.end())
            elif _unclosed(char):
                break
        self._lost()
        return None

    def statement(self, start: int) -> Statement | None:
        """From `start` to the line break outside all brackets, cut at its first `=`."""
        depth, at, piece, head = 0, start, [], None
        for mark in _STATED.finditer(self.text, start, start + MAX_CALL):
            char = mark[0]
            if char[0] == "#":
                piece.append(self.text[at : mark.start()])
                at = mark.end()
            elif char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
            elif (char == "=" and depth == 0 and head is None) or (char == "\n" and depth <= 0):
                text = " ".join("".join((*piece, self.text[at : mark.start()])).split())
                if char == "\n":
                    return Statement(text, None, mark.end()) if head is None else Statement(head, text, mark.end())
                head, at, piece = text, mark.end(), []
            elif _unclosed(char):
                break
        self._lost()
        return None

    def _lost(self) -> None:
        self.lost += 1
        if self.lost > MAX_OPEN:
            raise ValueError("a file of open brackets")

    def classes(self) -> Iterator[tuple[str, tuple[str, ...], int, int]]:
        """(name, bases, start of the body, its end) of every class that stands at the left edge."""
        text = self.text
        first = re.match(r"class[ \t]+(\w+)", text)
        for match in (*((first,) if first else ()), *_CLASS.finditer(text)):
            if self.quiet(match.start(1) - 6):
                continue
            after = match.end()
            call = self.arguments(after + 1) if text[after : after + 1] == "(" else None
            start = call.end if call else after
            yield match[1], call.parts if call else (), start, self._body_end(start)

    def _body_end(self, start: int) -> int:
        for top in _TOP.finditer(self.text, start):
            if not self.quiet(top.start() + 1):
                return top.start() + 1
        return len(self.text)

    def fields(self, start: int, end: int) -> Iterator[tuple[str, int, Statement]]:
        """The annotated names of a class body: name, place, and `annotation = default`."""
        at = start
        while (match := _FIELD.search(self.text, at, end)) is not None:
            at = match.end()
            if match[1] in ("class", "def", "else", "try", "finally", "with", "if", "for") or self.quiet(
                match.start(1)
            ):
                continue
            stated = self.statement(match.end())
            if stated is not None:
                at = max(at, stated.end - 1)
                yield match[1], match.start(1), stated

    def table(self, start: int) -> Iterator[tuple[str, int, str]]:
        """(key, place, value) of a dict's entries, from just behind its brace; spreads and computed keys are passed."""
        call, at = self.arguments(start, MAX_TABLE), start
        for part in call.parts if call else ():
            key = re.match(r"(\"[^\"\\]{1,200}\"|'[^'\\]{1,200}')\s?:\s?", part)
            if key:
                at = max(at, self.text.find(key[1], at, at + MAX_CALL))
                yield key[1][1:-1], at, part[key.end() :]


def _unclosed(char: str) -> bool:
    return char[0] in "\"'" and (len(char) == 1 or char[-1] != char[0])


# --- values ------------------------------------------------------------------------------------------------------


def is_value(text: str) -> bool:
    """A literal, as far as its first character says; a name may stand for anything."""
    return bool(_VALUE.match(text))


def evaluated(text: str) -> object:
    if len(text) > 4000 or "\\" in text:  # a bad escape would make Python warn about our reader
        raise ValueError("no plain value")
    try:
        value = ast.literal_eval(text)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError("no value") from error
    return (type(value), value) if isinstance(value, bool | int | float) else value


def plain(text: str) -> str:
    """A string without its quotes; anything else as it stands."""
    inside = literal(text)
    return text if inside is None else inside


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.lower()))


def alike(one: str, other: str) -> float:
    """Share of words in common."""
    a, b = words(one), words(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def pairing(lost: Sequence[Row], new: Sequence[Row], fits: Callable[[Row, Row], bool]) -> dict[str, str]:
    """Old name → new name, where exactly one new row fits a lost one and the other way round."""
    if len(lost) * len(new) > MAX_PAIRS:
        return {}
    forward = {row.name: [n.name for n in new if fits(row, n)] for row in lost}
    claims = Counter(name for found in forward.values() for name in found)
    return {old: found[0] for old, found in forward.items() if len(found) == 1 and claims[found[0]] == 1}


def one_slot(old: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Name that went → name that came in its place: between two neighbours that stayed, as many came as went."""
    stayed = set(old) & set(new)
    gone, come = _runs(old, stayed), _runs(new, stayed)
    return {
        a: b
        for after, run in gone.items()
        if len(run) == len(come.get(after, ()))
        for a, b in zip(run, come[after], strict=True)
    }


def _runs(names: Sequence[str], stayed: set[str]) -> dict[str, list[str]]:
    """The one that stayed → those between it and the next that stayed."""
    runs, last = dict[str, list[str]](), ""
    for name in names:
        if name in stayed:
            last = name
        else:
            runs.setdefault(last, []).append(name)
    return runs


# --- files -------------------------------------------------------------------------------------------------------


def met_by_users(file: ReadFile) -> bool:
    """What this file offers is met by users; scripts beside kernels, tests, benchmarks and tools are not."""
    return file.area in _FRONT and not file.tool and not _INTERNAL.search(file.path[-200:])


def quiet_file(file: ReadFile) -> bool:
    """Nothing this file offers is worth telling."""
    return file.tool or file.area in BEHIND


def lives(file: ReadFile) -> bool:
    """There before and after: a program that comes or goes as a whole is not told option by option."""
    return file.change.status not in ("A", "D")


def changed_lines(file: ReadFile) -> Iterator[str]:
    return (x.text for h in file.hunks for x in h.lines if x.sign != " ")


def quoted(file: ReadFile) -> frozenset[str]:
    """Strings of the lines that came, but for those before a refusal: a value that they name is still taken there."""
    out: set[str] = set()
    for hunk in file.hunks:
        lines = [x.text[:2000] for x in hunk.lines if x.sign != "-"]
        for at, line in enumerate(x for x in hunk.lines if x.sign != "-"):
            if line.sign == "+" and not any(_REFUSAL.search(text) for text in lines[at : at + 3]):
                out |= {m[0][1:-1] for m in _TEXT.finditer(line.text[:2000])}
    return frozenset(out)


def changed_text(file: ReadFile) -> str:
    """The changed lines, each up to 400 characters, as one text; several readers ask for one file in turn."""
    global _last  # noqa: PLW0603
    last = _last
    if last is not None and last[0] is file:
        return last[1]
    text = "\n".join([line[:400] for line in changed_lines(file)])
    _last = (file, text)
    return text


_last: tuple[ReadFile, str] | None = None


class Reads(Protocol):
    """Reads the surface of a text that may be a whole file or only what a diff shows of it."""

    def __call__(self, path: str, text: str, partial: bool = False) -> Surface: ...


def shown(file: ReadFile, read: Reads, touched: Callable[[ReadFile], bool]) -> FilePair | None:
    """The two sides of a file's hunks as surfaces, when its blobs are not known; else None."""
    if file.change.old_blob or file.change.new_blob or not touched(file):
        return None
    old = "\n".join(x.text for h in file.hunks for x in side(h, "-"))
    new = "\n".join(x.text for h in file.hunks for x in side(h, "+"))
    return FilePair(file, read(file.path, old + "\n", partial=True), read(file.path, new + "\n", partial=True))


def unseen(facts: Iterable[Fact], file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Of facts read from hunks alone, those that the rest of the diff does not contradict, with the file's lines."""
    numbers = {sign: [x.number for h in file.hunks for x in side(h, sign)] for sign in _SIGNS}
    for fact in facts:
        change = kind_of(fact.kind).change
        gone = change in ("removed", "renamed") and (not whole.complete or whole.stands(fact.symbol))
        if not gone and not (change in CAME and whole.stood(fact.symbol)):
            place = numbers["-" if change == "removed" else "+"][fact.line - 1 : fact.line]
            yield replace(fact, line=place[0] if place else fact.line)


def names(surfaces: Iterable[Surface], *kinds: str) -> set[str]:
    return {row.name for surface in surfaces for row in surface.of(*kinds)}


_SHORT = 5
"""Letters up to which the name of a folder begins other words by chance."""
_FEW = 2
"""Variables of one beginning that a compiled file reads of another project."""


def is_own(name: str, pair: FilePair) -> bool:
    """The project's own variable begins as its folders, packages or several that one compiled file reads; others read all."""
    file, (first, _, _) = pair.file, name.partition("_")
    places = "/".join((file.path, *file.profile.names.packages)).lower()
    whole = re.sub(r"[^a-z0-9/]", "", places.rpartition(".")[0] or places).split("/")
    named = first.lower() in re.split(r"[/_.-]", places)
    plain = name.replace("_", "").lower()
    alike = [row for row in pair.old.of("read") if row.name.startswith(f"{first}_")]
    home = len(alike) > _FEW and not file.path.endswith((".py", ".sh", ".bash"))
    return named or home or any(len(x) > _SHORT and plain.startswith(x) for x in whole)

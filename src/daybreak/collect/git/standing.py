"""Lines of a change in the tree of a commit: whether what it replaces, or what it added, stands there, at whatever path.

Lines are compared without their indentation and without blank ones, so that code which moved is found where it went.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile

from msgspec import Struct

from daybreak.collect.git.line_heads import CLOSES, Heads, depth_of, statements_of

TELLING = 16
"""Characters of a line that is hardly there by chance."""
_WORD = re.compile(r"\w")
_BESIDE = re.compile(
    r"(?:#|//|/\*|\*(?=[\s*/]|$)|<!--|\"\"\"|'''|@|import\s|from\s+[\w.]+\s+import\b|(?:pub\s+)?use\s|using\s|#include\b|logger\.|log\.)"
)
"""How lines begin that move with anything: comments, imports, decorators, words for a log."""


NOTE = re.compile(r"#(?=[\s#]|$)|//")
"""How a line begins that says something and does nothing: places are compared without these."""


def telling(line: str) -> bool:
    """Long enough, and code."""
    return len(line) >= TELLING and bool(_WORD.search(line)) and not _BESIDE.match(line)


def condition(line: str) -> bool:
    """A line that decides what runs."""
    return _DECIDES.match(line) is not None


def defining(line: str) -> bool:
    """A line that decides what runs, or the head of what others call."""
    return condition(line) or FUNCTION.match(line[:_HEAD]) is not None or line.startswith(("class ", "struct "))


def meant(line: str) -> bool:
    """A condition, a call or a value: what a fault may lie in."""
    return len(line) < _MAX_LINE and not _BESIDE.match(line) and (condition(line) or (telling(line) and "(" in line))


_GIVES = re.compile(r"(?:self|this)(?:\.|->)([A-Za-z_]\w*)[^=(]{0,80}=(?!=)")
_ARGUMENT = re.compile(r"[\w.]{1,200},")
"""A name that is passed, on a line of its own."""
_PARAMETER = re.compile(r"\*{0,2}\w{1,80}\s?:\s?[^=(){}:]{1,120}(?:=[^=(){}]{1,60})?,|\*,|/,")
"""What a function takes, on a line of its own."""
_DECIDES = re.compile(r"(?:\}\s?)?(?:if|elif|else if|while|assert|switch|match|case)\b.*\w")
_MAX_LINE = 400
_WORDS = re.compile(r"[A-Za-z_]\w*")
_STATEMENT = 12
"""Lines of a statement that are looked at."""
_PLACES = 1000
"""Places of the same lines in a file that are told apart."""
_WORDY = 5
"""Words of a line that is known again though one of them is another."""


class Block(Struct, frozen=True):
    """Lines of one place of a patch, without indentation: what went, what came, and what stood around them."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    line: int = 0
    """Number, in the file as it was, of the last line that went, or of the one above what came."""
    numbers: tuple[int, ...] = ()
    """Of each line that came, its number in the file as it is since."""

    @property
    def replaces(self) -> bool:
        """It takes code away; else it only adds, or touches imports, comments and the head of a function."""
        return any(line and not _BESIDE.match(line) and not _PARAMETER.fullmatch(line) for line in self.old)

    @property
    def code(self) -> list[str]:
        """What came, without imports and comments."""
        return [line for line in self.new if line and not _BESIDE.match(line)]

    @property
    def was(self) -> tuple[str, ...]:
        """The place as it was."""
        return (*self.before, *self.old, *self.after)

    @property
    def now(self) -> tuple[str, ...]:
        """The place as it is since."""
        return (*self.before, *(line for line in self.new if not NOTE.match(line)), *self.after)

    def stood_in(self, text: Text, own: Text | None = None) -> bool | None:
        """Whether the place as it was stands in a file; None where its lines could be there by chance.

        `own`: the file as it was before the change, which says what function the place is in and which others there are.
        """
        if not self.has_call(text, own):
            return False
        first = max(0, len(self.before) - 1)
        near = self.was[first : len(self.before) + len(self.old) + 1]
        at = len(self.before) + len(self.old) - 1 if self.old else first
        same = own is not None and self._is_untouched(text, own)
        if same or self._is_off(text, own) or (self.replaces and self._is_in(text, near, at - first, own)):
            return True
        if any(map(telling, self.old)):
            return self._is_in(text, self.old, len(self.old) - 1, own) or self._is_laid_out_otherwise(text, own)
        known = [line for line in self.was if telling(line)]
        if known and text.has(self.was):
            return self._is_in(text, self.was, at, own)
        if not known or (any(line in text.lines for line in known) and not self._is_closed(text)):
            return None
        here = own.function_at(self.line) if own else ""
        return None if here and here in text.functions and not self.replaces else False

    def _is_closed(self, text: Text) -> bool:
        """What only goes, where the lines around it stand next to each other without it."""
        return all((self.old, self.before, self.after)) and not self.new and text.has((*self.before, *self.after))

    def _is_untouched(self, text: Text, own: Text) -> bool:
        """The function that all of it is in, or the whole file, is the same, letter by letter."""
        here = own.function_at(self.line)
        rows = own.rows_of(here) if here else []
        return text.raw == own.raw or (bool(rows) and rows == text.rows_of(here) and {*self.old} <= {*rows})

    def _is_off(self, text: Text, own: Text | None) -> bool:
        """Lines that were commented out before the change, and are code since, stand so in the same function of a file."""
        off = {line for line in self.old if NOTE.match(line)}
        here = own.function_at(self.line) if own else ""
        return bool(off) and off.issubset(text.rows_of(here))

    def _is_laid_out_otherwise(self, text: Text, own: Text | None) -> bool:
        """What went stands in the same function with other breaks: on one line, or as a part of one that is not the cure."""
        here = own.function_at(self.line) if own else ""
        old, new, there = ("".join("".join(some).split()) for some in (self.old, self.new, text.rows_of(here)))
        return bool(here) and len(old) >= 2 * TELLING and old in there and not (new and new in there)

    def has_call(self, text: Text, own: Text | None) -> bool:
        """Lines that are but arguments say nothing without the call that they are of, which the file must have too."""
        head = own.opening(self.line) if own and self.old and all(map(_ARGUMENT.fullmatch, self.old)) else ""
        return not head or text.holds(head)

    def only_drops(self, text: Text) -> str:
        """The attribute whose one value it takes away, where a file gives it in other words: who reads it decides."""
        found = _GIVES.match(self.old[0]) if self.old and not self.code else None
        given = text.statements_giving(found[1]) if found else []
        depth = sum(sum(map(line.count, "([{")) - sum(map(line.count, ")]}")) for line in self.old[:-1])
        one = len(self.old) == 1 or depth > 0
        return found[1] if found and given and one else ""

    def varies_in(self, text: Text, own: Text | None) -> bool:
        """A line that went stands in a file in other words, which the file before the change has no longer, nor has got
        again.
        """
        if own is None:
            return False
        later = own.lines.union(self.new)
        return any(text.varies(line, later) for line in self.old if meant(line) and telling(line))

    def shares_function(self, text: Text, own: Text | None) -> bool:
        """A file has the function that the place is in, or it is in none."""
        here = own.function_at(self.line) if own else ""
        return not here or here in text.functions

    def _is_in(self, text: Text, lines: Sequence[str], at: int, own: Text | None) -> bool:
        """These lines, that one of them in the same function: of the same name, one whose name is gone and whose lines are in
        this one more than in any other, or one that this one was taken out of.
        """
        if not text.has(lines) or (own is not None and self._is_another(text, lines, at, own)):
            return False
        here = own.function_at(self.line) if own else ""
        if own is None or not here:
            return True
        there = text.functions_with(lines, at)
        if here in there or any(own.most_like(text.bodies[name]) == here for name in there - own.functions):
            return True
        return here not in text.functions and any(self._left(lines[at], own, name) for name in there & own.functions)

    def _is_another(self, text: Text, lines: Sequence[str], at: int, own: Text) -> bool:
        """Wherever these lines stand in a file, they are another place of this one: under heads under which this has them
        too, and not those of the place.
        """
        every, there = own.numbers_of(lines, at), text.numbers_of(lines, at)
        if max(len(every), len(there)) > _PLACES:
            return False
        place = min(
            every, key=lambda line: abs(line - self.line), default=0
        )  # what comes may have an empty line above it
        others = {own.heads_of(line) for line in every if line != place} - {own.heads_of(place)}
        return bool(others) and all(text.heads_of(line) in others for line in there)

    def _left(self, line: str, own: Text, function: str) -> bool:
        """A function that had a line lacks it by now, and was not mended itself in the same way."""
        body = own.bodies[function]
        return bool(function) and telling(line) and line not in body and not any(map(body.__contains__, self.new))


def parsed(source: str) -> ast.Module | None:
    """None of what is no Python."""
    try:
        with warnings.catch_warnings():  # a bad escape would make Python warn about our reader
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class Text:
    """A file of a tree."""

    def __init__(self, raw: str) -> None:
        self.raw = raw

    @cached_property
    def _plain(self) -> str:
        rows = map(str.strip, self.raw.split("\n"))
        return "\n".join(("", *(row for row in rows if row and not NOTE.match(row)), ""))

    @cached_property
    def docstrings(self) -> frozenset[int]:
        """Numbers of the lines of texts that are statements of their own; none of a file that is no Python."""
        module = parsed(self.raw)
        if module is None:
            return frozenset()
        alone = (node.value for node in statements_of(module) if isinstance(node, ast.Expr))
        texts = (node for node in alone if isinstance(node, ast.Constant))
        lines = self.raw.split("\n")
        rows = (
            row for row in texts if isinstance(row.value, str) and not lines[row.lineno - 1][: row.col_offset].strip()
        )
        return frozenset(at for row in rows for at in range(row.lineno, (row.end_lineno or row.lineno) + 1))

    @cached_property
    def quoted(self) -> frozenset[int]:
        """Numbers of the lines that a text of several lines goes over; none of a file that is no Python."""
        module = parsed(self.raw)
        texts = (n for n in (ast.walk(module) if module else ()) if isinstance(n, ast.Constant | ast.JoinedStr))
        spans = ((one.lineno, one.end_lineno or one.lineno) for one in texts)
        return frozenset(at for first, last in spans if last > first for at in range(first, last + 1))

    @cached_property
    def lines(self) -> frozenset[str]:
        return frozenset(filter(None, map(str.strip, self.raw.split("\n"))))

    @cached_property
    def _functions(self) -> list[str]:
        return list(_functions(self.raw.split("\n")))

    @cached_property
    def functions(self) -> frozenset[str]:
        """Names of those that it has."""
        return frozenset(self._functions)

    @cached_property
    def _starts(self) -> list[tuple[int, int]]:
        """Where each line of `_plain` begins, and its number."""
        out, at = list[tuple[int, int]](), 1
        for number, row in enumerate(self.raw.split("\n"), 1):
            if (line := row.strip()) and not NOTE.match(line):
                out.append((at, number))
                at += len(line) + 1
        return out

    def function_at(self, line: int) -> str:
        """The innermost function that holds a line of it; empty outside of all, or where that is not known."""
        return self._functions[line - 1] if 0 < line <= len(self._functions) else ""

    def statement_to(self, line: int) -> list[str]:
        """The lines of the statement that ends with a line of it, as far as its brackets show."""
        rows, out, depth = self.raw.split("\n")[:line], list[str](), 0
        for row in reversed(rows[-_STATEMENT:]):
            text = row.strip()
            out.insert(0, text)
            depth += sum(map(text.count, ")]}")) - sum(map(text.count, "([{"))
            if text and depth <= 0:
                break
        return out

    def statement_from(self, line: int) -> list[str]:
        """The lines of the statement that begins behind a line of it, with what it is the head of."""
        rows = [row for row in self.raw.split("\n")[line : line + 2 * _STATEMENT] if row.strip()]
        inner = takewhile(lambda row: depth_of(row) > depth_of(rows[0]) or row.lstrip().startswith(CLOSES), rows[1:])
        return [row.strip() for row in (*rows[:1], *inner)]

    def opening(self, line: int) -> str:
        """The line above that opens the bracket in which a line of it stands; empty where it stands in none."""
        depth = 0
        for row in reversed(self.raw.split("\n")[max(0, line - 1 - _STATEMENT) : max(0, line - 1)]):
            depth += sum(map(row.count, ")]}")) - sum(map(row.count, "([{"))
            if depth < 0:
                return row.strip()
        return ""

    def statements_giving(self, name: str) -> list[str]:
        """The lines of the statements that give the object an attribute, as far as their brackets show."""
        gives, out, depth = re.compile(rf"(?:self|this)(?:\.|->){re.escape(name)}\b[^=(]{{0,80}}=(?!=)"), list[str](), 0
        for row in self.raw.split("\n"):
            text = row.strip()
            if depth > 0 or gives.match(text):
                out.append(text)
                depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
        return out

    @cached_property
    def bodies(self) -> dict[str, set[str]]:
        """Telling lines of each function."""
        out: dict[str, set[str]] = {name: set() for name in self.functions}
        for row, name in zip(self.raw.split("\n"), self._functions, strict=True):
            if telling(line := row.strip()):
                out[name].add(line)
        return out

    def rows_of(self, function: str) -> list[str]:
        """All lines of a function, or outside of any."""
        return self._rows.get(function, [])

    @cached_property
    def _rows(self) -> dict[str, list[str]]:
        out: dict[str, list[str]] = {}
        for row, name in zip(self.raw.split("\n"), self._functions, strict=True):
            out.setdefault(name, []).append(row.strip())
        return out

    def most_like(self, body: set[str]) -> str:
        """The function that has most of these lines, and half of its own among them; empty where none has."""
        found = ((len(body & own), name) for name, own in self.bodies.items() if 2 * len(body & own) >= len(own) > 0)
        return max(found, default=(0, ""))[1]

    def functions_with(self, lines: Sequence[str], which: int) -> set[str]:
        """The functions in which one of these lines stands, where they stand one after the other."""
        return set(map(self.function_at, self.numbers_of(lines, which)))

    def numbers_of(self, lines: Sequence[str], which: int) -> list[int]:
        """Numbers of one of these lines, where they stand one after the other."""
        code = [line for line in lines if not NOTE.match(line)]
        wanted, found = "\n".join(("", *code, "")), list[int]()
        ahead = 1 + sum(len(line) + 1 for line in lines[:which] if not NOTE.match(line))
        at = self._plain.find(wanted) if code else -1
        while at >= 0:
            found.append(self._starts[bisect_right(self._starts, (at + ahead, _LAST)) - 1][1])
            at = self._plain.find(wanted, at + 1)
        return found

    def heads_of(self, line: int) -> tuple[str, ...]:
        """The lines that a line of it is under, by indentation, the innermost first; of another branch than the first of a
        condition, those of the branches before it too.
        """
        return self._heads.of(line)

    @cached_property
    def _heads(self) -> Heads:
        return Heads(self.raw.split("\n"))

    def names(self, word: str) -> bool:
        """The word stands there, and not as a part of a longer one."""
        at = self.raw.find(word)
        while at >= 0:
            around = self.raw[max(at - 1, 0) : at] + self.raw[at + len(word) : at + len(word) + 1]
            if not _WORD.search(around):
                return True
            at = self.raw.find(word, at + 1)
        return False

    def has(self, lines: Sequence[str]) -> bool:
        """These lines one after the other, whatever is said between them."""
        code = [line for line in lines if not NOTE.match(line)]
        return bool(code) and "\n".join(("", *code, "")) in self._plain

    def has_once(self, line: str) -> bool:
        """The line stands in one place."""
        return self._plain.count(f"\n{line}\n") == 1

    @cached_property
    def _tight(self) -> str:
        return "".join(self.raw.split())

    @cached_property
    def _forms(self) -> frozenset[str]:
        return frozenset(map(form, self.lines))

    def holds(self, line: str) -> bool:
        """The line stands there, however it is laid out."""
        return "".join(line.split()).rstrip(",") in self._tight

    def varies(self, line: str, later: Collection[str]) -> bool:
        """A line stands there that most words of this one are in, most of its own in this one, and that is not among those
        of a later form of the file.
        """
        words = set(_WORDS.findall(line))
        for there, other in self._worded if len(words) >= _WORDY else ():
            both = len(words & there)
            if both * 4 >= 3 * max(len(words), len(there)) and other not in later:
                return True
        return False

    @cached_property
    def _worded(self) -> list[tuple[frozenset[str], str]]:
        rows = (line for line in self.lines if telling(line) and len(line) < _MAX_LINE)
        return [(frozenset(_WORDS.findall(line)), line) for line in rows]

    def resembles(self, line: str) -> bool:
        """A line that differs in its names alone stands there."""
        return form(line) in self._forms


def form(line: str) -> str:
    return _WORDS.sub(lambda word: word[0] if word[0] in _KEYWORDS else "_", line[:_MAX_LINE])


_KEYWORDS = frozenset(
    {"if", "elif", "else", "while", "assert", "not", "is", "and", "or", "in", "None", "True", "False"}
)
NOTHING = Text("")
FUNCTION = re.compile(
    r"(?:(?:async|pub(?:\([\w:]{1,40}\))?|const|unsafe|export|default|static)\s+){0,4}"
    r"(?:def|fn|func|function)\s+(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w{0,120})"
)


def _functions(rows: Iterable[str]) -> Iterator[str]:
    """The innermost function of each line, by indentation; of languages whose functions have no word for it, none."""
    open_: list[tuple[int, str]] = []
    for row in rows:
        text = row.lstrip()
        depth = depth_of(row)
        if text and not text.startswith(CLOSES):
            while open_ and open_[-1][0] >= depth:
                open_.pop()
            if head := FUNCTION.match(text[:_HEAD]):
                open_.append((depth, head[1]))
        yield open_[-1][1] if open_ else ""


_HEAD = 300
_LAST = 1 << 40

"""How many values a function gives back, wherever it ends: whoever takes them apart writes as many names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import DiffHunk, side
from daybreak.findings.languages.base import MAX_LINE, Fact, Whole, bracketed
from daybreak.findings.languages.python_public import exported, forked, hidden, may_be_written, read_at_all

_RETURN = re.compile(r"^[ \t]+return\b[ \t]*", re.MULTILINE)
_INNER = re.compile(r"^[ \t]+(?:async )?def |^[ \t]+class |\byield\b", re.MULTILINE)
_TAKEN = r"^[ \t]*\(?((?:[\w.]{{1,80}},\s{{1,40}}){{1,20}}[\w.]{{1,80}})\)?\s=\s\(?\s{{0,40}}(?:await )?({})\("
_NAMED = r"(?:[\w.]{{1,80}}\.)?{}"
_UNNAMED = {"forward": r"(?:self\.)?\w{1,80}", "__call__": r"(?:self\.)?\w{1,80}"}
"""Methods that are called by the name of their object, and what such a call looks like."""
_LONGEST = 20_000


def values_given(body: str) -> int:
    """The number of values, where every way out gives as many of them, written out; 0 where that is not known."""
    if len(body) > _LONGEST or _INNER.search(body):
        return 0
    counts = {_count(body[match.end() :]) for match in _RETURN.finditer(body)}
    return counts.pop() if len(counts) == 1 else 0


def _count(text: str) -> int:
    """Values of one statement; 0 of a single one, which may itself be several."""
    parts = _listed(text)
    if len(parts) == 1 and parts[0].startswith("("):
        inner = bracketed(parts[0][1:])
        parts = inner.parts if inner and inner.whole and inner.length == len(parts[0]) - 1 else parts
    return 0 if len(parts) < 2 or any(part.startswith("*") for part in parts) else len(parts)


def _listed(text: str) -> tuple[str, ...]:
    """What stands between the commas of a statement that begins here."""
    end = 0
    while True:
        end = text.find("\n", end)
        statement = text if end < 0 else text[:end]
        span = bracketed(f"{statement}\n)")
        if span is None or (span.whole and not statement.rstrip().endswith("\\")):
            return span.parts if span and span.length == len(statement) + 2 else ()
        if end < 0:
            return ()
        end += 1


def other_number(pair: FilePair, was: Row, now: Row, whole: Whole) -> Iterator[Fact]:
    """Another number of values: who takes them apart fails. Of what nobody outside imports, where others had to follow."""
    first, second = was.details.get("values"), now.details.get("values")
    if not first or not second or first == second or "many" in now.details or not may_be_written(pair.file, now.name):
        return
    ours, short = exported(pair.file, pair.old, was), now.name.rpartition(".")[2]
    met = forked(pair.file, now.name) or (
        not hidden(pair.file.path) and _taken_otherwise(pair.file.path, short, (first, second), whole)
    )
    if ours or met:
        kind = "value_count_changed" if ours else "internal_value_count_changed"
        yield Fact(kind, pair.file.path, now.line, f"{now.name}()", first, second, breaking=True)


def _taken_otherwise(path: str, name: str, counts: tuple[str, str], whole: Whole) -> bool:
    """Another file of the commit takes the old number of values from a call of that name before, and the new one after; of an
    object that is called itself from the same one.
    """
    called = _UNNAMED.get(name)
    for file in whole.files:
        if file.path != path and read_at_all(file) and (called or f"{name}(" in file.change.patch):
            form = called or _NAMED.format(re.escape(name))
            was = _taken(file.hunks, "-", form, int(counts[0]))
            now = _taken(file.hunks, "+", form, int(counts[1]))
            if was and now and not (called and was.isdisjoint(now)):
                return True
    return False


def _taken(hunks: Iterable[DiffHunk], sign: Literal["-", "+"], called: str, count: int) -> set[str]:
    """What is called in statements with a changed line that take that many values from it."""
    taken, found = re.compile(_TAKEN.format(called), re.MULTILINE), set()
    for lines in (side(hunk, sign) for hunk in hunks):
        text = "\n".join(line.text[:MAX_LINE] for line in lines)
        for match in taken.finditer(text):
            first, last = (text.count("\n", 0, at) for at in match.span())
            if match[1].count(",") + 1 == count and any(line.changed for line in lines[first : last + 1]):
                found.add(match[2])
    return found

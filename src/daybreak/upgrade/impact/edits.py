"""An edit that somebody suggests for a file of yours: held against the file and against upstream's end, or not shown.

It has to apply, to parse, to stay where something breaks, and to write nothing that the file or upstream does not have:
every upstream name in it is there at the end, with parameters that take what is passed.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from typing import NamedTuple

from daybreak.core.model.upgrade import Use
from daybreak.upgrade.impact.base import unknown_rest
from daybreak.upgrade.impact.chains import Thing, steps_of
from daybreak.upgrade.impact.source import tree_of
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.trees import USES, Trees

_NEAR = 12
"""Lines around what breaks that an edit may touch; imports it may touch anywhere."""
_LONGEST = 4000
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_DIRECTION = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


class Edit(NamedTuple):
    """Text of the file, and what stands there instead."""

    old: str
    new: str


class Checked(NamedTuple):
    """A diff that holds, or in one sentence what is wrong with it."""

    diff: str = ""
    wrong: str = ""


class Place(NamedTuple):
    """A file of yours and the lines of it that break."""

    path: str
    text: str
    lines: frozenset[int]
    read: Callable[[str], Iterable[Use]]
    """What a text of the file uses of upstream."""


def checked(place: Place, edits: Sequence[Edit], trees: Trees) -> Checked:
    """The edits as a diff, if everything about them holds."""
    if not edits or sum(len(one.new) for one in edits) > _LONGEST:
        return Checked(wrong="There is no edit, or it is too long.")
    new = applied(place.text, edits)
    if new is None or new == place.text:
        return Checked(wrong="Each `old` must be in the file exactly once, and `new` must differ.")
    was = tree_of(place.text)
    if was is None or tree_of(new) is None:
        return Checked(wrong="The file does not parse with the edit.")
    wrong = _far(place, edits, was) or _invented(place, new, trees)
    return Checked(wrong=wrong) if wrong else Checked(_diff(place, new))


def _invented(place: Place, new: str, trees: Trees) -> str:
    """What the edit writes that is not there; empty when there is nothing like that."""
    uses = list(_touched(place, new))
    unknown = next((use.name for use, fresh in uses if not _holds(use, fresh, trees)), "")
    if unknown:
        return f"Upstream does not have `{unknown}` like that at the end of the range."
    foreign = _foreign(place.text, new, (use for use, _ in uses))
    return f"Neither the file nor upstream has `{foreign[:80]}`." if foreign else ""


def applied(text: str, edits: Iterable[Edit]) -> str | None:
    """The file with the edits; None when one of them does not fit exactly one place."""
    spans = []
    for edit in edits:
        if not edit.old.strip() or text.count(edit.old) != 1:
            return None
        at = text.index(edit.old)
        spans.append((at, at + len(edit.old), edit.new))
    out, done = "", 0
    for start, end, new in sorted(spans):
        if start < done:
            return None
        out, done = out + text[done:start] + new, end
    return out + text[done:]


def _far(place: Place, edits: Sequence[Edit], tree: ast.Module) -> str:
    """What is wrong with where the edits are: something breaks that they leave, or they change what does not break."""
    imports = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    covered: set[int] = set()
    for edit in edits:
        first = place.text[: place.text.index(edit.old)].count("\n") + 1
        lines = range(first, first + edit.old.rstrip("\n").count("\n") + 1)
        covered |= {*lines}
        near = all(any(abs(line - one) <= _NEAR for one in place.lines) for line in lines)
        if not near and not imports.issuperset(lines):
            return "An edit changes lines that do not break."
    return "" if place.lines <= covered else "A line that breaks is not changed."


def _touched(place: Place, new: str) -> Iterator[tuple[Use, bool]]:
    """What the new text uses of upstream on lines that changed or as it was not used before; and whether it is new."""
    was, now = place.text.split("\n"), new.split("\n")
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    lines = {line + 1 for tag, _, _, start, end in steps if tag != "equal" for line in range(start, end)}
    known = Counter(map(_key, place.read(place.text)))
    for use in place.read(new):
        fresh = known[_key(use)] <= 0
        known[_key(use)] -= 1
        if fresh or use.line in lines:
            yield use, fresh


def _key(use: Use) -> tuple[object, ...]:
    return use.kind, use.name, use.keywords, use.positional, use.value


def _holds(use: Use, fresh: bool, trees: Trees) -> bool:
    """Whether the end has what is used, as it is used; what cannot be said counts against what is new."""
    pair = trees.of(use.name) if use.kind in USES else None
    if pair is None:
        return not fresh
    found = pair[1].reach(use.name)
    if found.steps < len(steps_of(use.name)):
        return not fresh and not found.gone
    if use.kind not in ("call", "override") or found.thing is None:
        return True
    return _fits(use, found.thing, pair[1], fresh)


def _fits(use: Use, thing: Thing, end: Surface, fresh: bool) -> bool:
    """Whether a call or an override goes with the parameters at the end."""
    takes = end.signature(thing)
    if takes is None:
        return not fresh
    words = [word for word in use.keywords if not word.startswith("*")]
    if use.kind == "override":
        return len(words) < len(use.keywords) or {*takes.places, *takes.required} <= {*words}
    if not all(end.accepts(thing, word) for word in words):
        return False
    return unknown_rest(use) or takes.takes(use.positional or 0, words)


# --- words ---------------------------------------------------------------------------------------------------------


def _foreign(was: str, now: str, uses: Iterable[Use]) -> str:
    """A name, text or remark that is neither in the file nor upstream's; empty when there is none."""
    old, new = _words(was), _words(now)
    if old is None or new is None:
        return "?"
    names = {*old, *keyword.kwlist, *keyword.softkwlist}
    for use in uses:
        names |= {*steps_of(use.name), *use.keywords}
    return next((word for word in new if word not in names), "")


def _words(text: str) -> list[str] | None:
    """Names, strings and remarks of a file; None when it has no tokens or turns the direction of writing."""
    skipped = {tokenize.OP, tokenize.NUMBER, tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT}
    try:
        found = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    if _DIRECTION & set(text):
        return None
    return [one.string for one in found if one.type not in skipped and one.type != tokenize.ENDMARKER]


def _diff(place: Place, new: str) -> str:
    """The form that `git apply` takes."""
    was, now = (_LINE.findall(text) for text in (place.text, new))
    rows = unified_diff(was, now, f"a/{place.path}", f"b/{place.path}")
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)

"""Elements of lists that came or went, with the name of the list: what is taken out of `ignored` counts from now on.

An element alone says neither what it is in nor whether that is a good or a bad place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.findings.diff import hunks, side
from daybreak.judge.line_worth import STRING, Turn

_ELEMENT = re.compile(r"(?:\"[^\"\n]{1,120}\"|'[^'\n]{1,120}'|[A-Za-z_]\w*(?:(?:\.|::)\w+)+),?")
"""A text, or a member of something, with nothing around it."""
_NAME = re.compile(
    r"(?:([A-Za-z_][\w.]{0,80})(?:: [^=]{1,80})? ?= ?|(?:return |(?:el)?if |assert )?[\w.]{1,60} (?:not )?in )[\w.]{0,60}[(\[{]{1,2}$"
)
"""`names = [`, `names: set[str] = {`, `names = frozenset({`, `return kind in {`."""
_CALLS = re.compile(r"(?!.*\b(?:set|frozenset|tuple|list)\($)(?!.* in \($).*[\w\])]\($")


def with_lists(found: Sequence[Turn], patches: Sequence[tuple[str, str]], title: str) -> list[Turn]:
    """Elements with the list that holds them; of a list that the diff does not name only those that the title names."""
    return list(_named(found, dict(patches), frozenset(_WORD.findall(title[:400]))))


_WORD = re.compile(r"\w+")


def _named(found: Sequence[Turn], patches: dict[str, str], title: frozenset[str]) -> Iterator[Turn]:
    for turn in found:
        if bool(turn.old) == bool(turn.new) or not _ELEMENT.fullmatch(turn.new or turn.old):
            yield turn
        elif _CALLS.match(opening := _opening(patches[turn.path], turn)):
            yield turn  # an argument
        elif name := _NAME.match(opening):
            yield turn._replace(held=name[1] or name[0])
        elif (turn.new or turn.old).strip("\"',") in title:
            yield turn


def _opening(patch: str, turn: Turn) -> str:
    """The line that opens the bracket around an element, empty where its hunk does not show it."""
    text, sign = (turn.new, "+") if turn.new else (turn.old, "-")
    for hunk in hunks(patch):
        rows = side(hunk, "+") if sign == "+" else side(hunk, "-")
        at = next((n for n, row in enumerate(rows) if row.changed and row.text.strip() == text), None)
        if hunk.header != turn.hunk or at is None:
            continue
        depth = 0
        for row in reversed(rows[:at]):
            bare = STRING.sub("", row.text[:400])
            depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
            if depth > 0:
                return bare.strip()
    return ""

"""What a fix that only adds lines is about: the statements between which they come. Where a release has those, in whatever
surroundings, it may have the fault.
"""

from __future__ import annotations

import builtins
import re

from daybreak.collect.git.standing import FUNCTION, Block, Text, telling

_IMPORTS = re.compile(r"(?:from\s+[\w.]{1,200}\s+)?import\s")
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_][\w.]{2,120})\(")
_CLASS = re.compile(r"(?:class|struct)\s")
_ANYWHERE = frozenset(f"{name}(" for name in dir(builtins))
"""Calls that say nothing of what is meant."""


def construct_is_in(block: Block, text: Text, own: Text) -> bool:
    """A file has a line of these statements, imports too, or a call of theirs that other places of `own`, the file before the
    change, do not account for.
    """
    rows = construct(block, own)
    if any(row in text.lines for row in rows if telling(row) or _IMPORTS.match(row)):
        return True
    said = "\n".join(rows)
    calls = {f"{call}(" for call in _CALLED.findall(said)} - _ANYWHERE
    return any(text.raw.count(call) > own.raw.count(call) - said.count(call) for call in calls)


def construct(block: Block, own: Text) -> list[str]:
    """Their lines, without comments and the head of what is defined there."""
    rows = (*own.statement_to(block.line), *own.statement_from(block.line)) if block.code else ()
    return [
        row[:_LINE] for row in rows if row[:1] not in "#/@" and not (FUNCTION.match(row[:_LINE]) or _CLASS.match(row))
    ]


_LINE = 400

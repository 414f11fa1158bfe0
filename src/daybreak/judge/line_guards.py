"""Guards of changed lines: the flag that a line stands under and that stays, and what came to stand under one, or stands free of it now.

A line says what is done; the flag around it says whom that hits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.quotes.comments import form_of
from daybreak.judge.line_conditions import indent, under
from daybreak.judge.line_pairs import EMPTY, INNER, OUTER
from daybreak.judge.line_worth import Turn
from daybreak.judge.telling_words import words

_IF = re.compile(r"\s*(?:el)?if (.{3,}?):\s*(?:#.*)?$")
_SCOPE = re.compile(r"\s*(?:async def|def|class)\b")
_BRANCH = re.compile(r"\s*(?:else|except|finally)\b")
_PART = re.compile(
    r"(?:not )?(?:[\w.]*(?:\b|_)(?:is|use|enable|has|supports?|config)_?\w*(?:\.\w+)*(?:\(\))?"
    r"|[\w.]+(?:\(\))? (?:==|!=) [\"'][\w.+-]{1,40}[\"']|[\w.]+(?:\[\d\])?(?: // \d+)? (?:==|!=|>=?|<=?) \d+)"
)
_LONGEST = 70
"""Characters of a condition that can be read behind a line."""


def guarded(turn: Turn, patches: Sequence[tuple[str, str]]) -> Turn:
    """A line that is another, or came, with the flag that its block stands under before as after, where the hunk shows that."""
    if not turn.new or turn.under or turn.above in (INNER, OUTER) or form_of(turn.path) != "python":
        return turn
    for hunk in hunks(dict(patches)[turn.path]):
        now = side(hunk, "+")
        found = next((at for at, line in enumerate(now) if line.changed and line.number == turn.line), None)
        if found is not None:
            return turn._replace(under=_flag_above(now, found))
    return turn


def _flag_above(lines: Sequence[SideLine], at: int) -> str:
    """The nearest condition that asks for a mode, a platform or a size: not behind an `else`, where it does not hold, and not
    beyond the function.
    """
    deep = indent(lines[at].text)
    for line in reversed(lines[:at]):
        text = line.text.strip()
        if not text or text.startswith(("#", ")", "]")) or indent(line.text) >= deep:
            continue
        deep, found = indent(line.text), _IF.match(line.text)
        if _SCOPE.match(line.text) or _BRANCH.match(line.text) or (found and line.changed):
            return ""
        if found and len(found[1]) <= _LONGEST and all(map(_PART.fullmatch, re.split(r" (?:and|or) ", found[1]))):
            return found[1]
    return ""


def with_moved_in(found: Sequence[Turn], patches: Sequence[tuple[str, str]], title: str) -> list[Turn]:
    """A condition that came over statements that stood beside it, as the one of these that the title is about most: it ran in any case."""
    patch_of, about = dict(patches), words(title)
    return [_moved_in(turn, patch_of[turn.path], about) or turn for turn in found]


def _moved_in(turn: Turn, patch: str, about: frozenset[str]) -> Turn | None:
    head = None if turn.old or turn.under else re.fullmatch(r"if (.{3,}):", turn.new)
    if head is None or len(head[1]) > _LONGEST or form_of(turn.path) != "python":
        return None
    hunk = next((one for one in hunks(patch) if one.header == turn.hunk), None)
    rows = list(_beside_before(hunk, turn.line)) if hunk is not None else []
    best = max(rows, key=lambda row: len(words(row.text) & about), default=None)
    if best is None or not words(best.text) & about:
        return None
    text = best.text.strip()
    return turn._replace(line=best.number, old=text, new=text, above=INNER, under=head[1])


def _beside_before(hunk: DiffHunk, number: int) -> Iterator[SideLine]:
    """Statements of one line in the block of a condition that stood where the condition stands."""
    now = side(hunk, "+")
    at = next((n for n, line in enumerate(now) if line.number == number), len(now))
    deep = indent(now[at].text) if at < len(now) else 0
    stood = {line.text.strip() for line in hunk.lines if line.sign == "-" and indent(line.text) == deep}
    for line in now[at + 1 :]:
        if line.text.strip() and indent(line.text) <= deep:
            return
        if line.changed and line.text.strip() in stood and not EMPTY.match(line.text) and line.text[-1] not in "([{:,":
            yield line


def moved_import(path: str, patch: str, text: str) -> Turn | None:
    """An import that came out of a condition, or into one: who does not meet the condition has the name, or lacks it."""
    at: dict[str, tuple[int, str, int]] = {}
    for hunk in hunks(patch):
        for sign in ("-", "+"):
            rows = side(hunk, sign)
            for n, line in enumerate(rows):
                if line.changed and line.text.strip() == text:
                    at[sign] = (indent(line.text), under(rows, n), line.number)
    if len(at) < 2 or at["-"][0] == at["+"][0]:
        return None
    deeper = at["+"][0] > at["-"][0]
    condition = at["+" if deeper else "-"][1]
    return Turn(path, at["+"][2], text, text, "", INNER if deeper else OUTER, under=condition) if condition else None

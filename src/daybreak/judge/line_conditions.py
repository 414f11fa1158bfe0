"""Conditions of changed lines: under which `if` a Python statement stands, what it replaces there, and what its new names hold.

A line alone often says what is done, and not when; both stand in the diff.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.quotes.comments import form_of
from daybreak.judge.line_worth import CALLEE, LEFT, LOGS, Turn

_HEAD = re.compile(r"\s*((?:el)?if|else|for|while|with|try|except|finally|def|class|async)\b(.*)$")
_IF = re.compile(r"\s*(?:el)?if (.{3,}):\s*(?:#.*)?$")
_LONGEST = 100
"""Characters of a condition, or of what a name is given, that can be read beside a line."""


_FAR = 400
"""Lines before and behind one that are looked at."""


def indent(text: str) -> int:
    """How far in a line begins."""
    return len(text.expandtabs()) - len(text.expandtabs().lstrip())


def under(lines: Sequence[SideLine], at: int) -> str:
    """The condition of the nearest block around a line of one side, empty where that is no `if`, or the hunk does not show it."""
    deep = indent(lines[at].text)
    for line in reversed(lines[max(at - _FAR, 0) : at]):
        if line.text.strip() and indent(line.text) < deep:
            found = _IF.match(line.text)
            return found[1].strip() if found and len(found[1]) <= _LONGEST else ""
    return ""


def condition_at(patch: str, number: int) -> str:
    """The same of a line of the new file."""
    for hunk in hunks(patch):
        now = side(hunk, "+")
        for at, line in enumerate(now):
            if line.number == number:
                return under(now, at)
    return ""


class Split(NamedTuple):
    """What ran in any case and stands in the `else` of a condition that came."""

    condition: str
    line: int
    """Of the condition."""
    old: str


def splits(hunk: DiffHunk) -> Iterator[Split]:
    """Statements that stood alone and are now what is done where a new condition does not hold."""
    stood = {"".join(line.text.split()): indent(line.text) for line in hunk.lines if line.sign == "-"}
    now = side(hunk, "+")
    for at, line in enumerate(now):
        if not (line.changed and line.text.strip() == "else:"):
            continue
        deep, back = indent(line.text), range(at - 1, max(at - _FAR, -1), -1)
        first = next((n for n in back if now[n].text.strip() and indent(now[n].text) <= deep), at)
        head = now[first]
        found = _IF.match(head.text) if first < at and head.changed and indent(head.text) == deep else None
        block = _block(now[at + 1 : at + _FAR], deep)
        old = " ".join(text.strip() for text in block)
        rows = ["".join(text.split()) for text in block]
        rows = rows if all(row in stood for row in rows) else ["".join(old.split())]
        same = bool(rows) and stood.get(rows[0]) == deep
        if found and block and same and not head.text.lstrip().startswith("el") and len(found[1]) <= _LONGEST:
            yield Split(found[1].strip(), head.number, _TIGHT.sub(r"\1", old))


_TIGHT = re.compile(r"([(\[{]) |,? (?=[)\]}])")


def _block(lines: Sequence[SideLine], deep: int) -> list[str]:
    """The first statement of a block."""
    out: list[str] = []
    depth = 0
    for line in lines:
        if not line.text.strip() or (not depth and (out or indent(line.text) <= deep)):
            break
        out.append(line.text)
        depth += sum(map(line.text.count, "([{")) - sum(map(line.text.count, ")]}"))
    return out


def with_old(found: Sequence[Turn], patches: Sequence[tuple[str, str]]) -> list[Turn]:
    """What came under a condition as the turn of what is done where that does not hold, and was done in any case before."""
    apart = {
        (path, split.line): split
        for path, patch in patches
        if form_of(path) == "python" and "+" in patch and "else:" in patch
        for hunk in hunks(patch)
        for split in splits(hunk)
    }
    if not apart:
        return list(found)
    heads = {key: turn for turn in found if not turn.old and (key := (turn.path, turn.line)) in apart}
    out: list[Turn] = []
    for turn in found:
        split, lone = apart.get((turn.path, turn.line)), apart.get((turn.path, turn.line - 1))
        head = f"if {split.condition}:" if split else ""
        if split and not turn.old and turn.new.startswith(f"{head} "):
            deed = turn.new[len(head) + 1 :]
            stands_for = turn._replace(old=split.old, new=deed, under=split.condition)
            out.append(stands_for if _is_one_deed(split.old, deed) else turn)
        elif lone and not turn.old and (turn.path, turn.line - 1) in heads and _is_one_deed(lone.old, turn.new):
            out.append(turn._replace(old=lone.old, under=lone.condition))
        else:
            out.append(turn)
    used = {(turn.path, turn.line - 1) for turn in out if turn.under}
    return [turn for turn in out if turn.under or turn.old or (turn.path, turn.line) not in used]


def _is_one_deed(old: str, new: str) -> bool:
    """Both give the same name something, or none does and something else is called or given back, or they call the same: else
    the new one stands beside the old one, which is still there.
    """
    names = [found[1] if (found := LEFT.match(text)) else "" for text in (old, new)]
    if all(names) or not any(names):
        return names[0] == names[1] and not LOGS.match(new)
    return not {*CALLEE.findall(old)}.isdisjoint(CALLEE.findall(new))


def with_given(found: Sequence[Turn], stood: Sequence[Turn], patches: Sequence[tuple[str, str]]) -> list[Turn]:
    """Pairs whose new side names a variable that came with them, with what that holds: the name alone says nothing. What it
    holds only where something is so, or in one of two places, is not what it holds.
    """
    once = Counter((t.path, t.within, match[1]) for t in stood if (match := _GIVEN.match(t.new)))
    given = {
        key: turn.new
        for turn in stood
        if not turn.old and (match := _GIVEN.match(turn.new)) and len(turn.new) <= _LONGEST
        if once[key := (turn.path, turn.within, match[1])] == 1 and turn.new[-1] not in "([{,"
        if not condition_at(dict(patches)[turn.path], turn.line)
    }
    out, beside = list[Turn](), set[str]()
    for turn in found:
        names = [name for name in _VALUE.findall(turn.new) if name not in _VALUE.findall(turn.old)] if turn.old else []
        texts = dict.fromkeys(given.get((turn.path, turn.within, name), "") for name in names)
        told = [text for text in texts if text and text != turn.new]
        new = len(told) == 1 and bool(turn.new) and told[0] not in beside
        beside.update(told if new else ())
        out.append(turn._replace(given=told[0]) if new else turn)
    return [turn for turn in out if turn.old or turn.new not in beside]


_GIVEN = re.compile(r"([A-Za-z_]\w{1,60}) = (?!None$|\[\]$|\{\}$)\S")
_VALUE = re.compile(r"(?<![\w.\"'])([A-Za-z_]\w{1,60})\b(?!\s*=(?!=)|\(|[\"'])")

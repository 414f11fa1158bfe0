"""Conditions of changed lines: under which `if` a Python statement stands, what it replaces there, and what its new names hold.

A line alone often says what is done, and not when; both stand in the diff.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from daybreak.findings.diff import DiffHunk, SideLine, hunks, side
from daybreak.findings.quotes.comments import form_of
from daybreak.judge.line_worth import CALLEE, DECLARES, HEAD, LEFT, LOGS, Turn

_HEAD = re.compile(r"\s*((?:el)?if|else|for|while|with|try|except|finally|def|class|async)\b(.*)$")
_IF = re.compile(r"\s*(?:el)?if (.{3,}):\s*(?:#.*)?$")
_LONGEST = 120
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
        key: turn
        for turn in stood
        if not turn.old and (match := _GIVEN.match(turn.new)) and len(turn.new) <= _LONGEST
        if once[key := (turn.path, turn.within, match[1])] == 1 and turn.new[-1] not in "([{,"
    }
    out, beside = list[Turn](), set[str]()
    for turn in found:
        names = [name for name in _VALUE.findall(turn.new) if name not in _VALUE.findall(turn.old)] if turn.old else []
        came = [given[key] for name in dict.fromkeys(names) if (key := (turn.path, turn.within, name)) in given]
        told = [one.new for one in came if one.new != turn.new and _holds_there(one, turn, dict(patches)[turn.path])]
        new = len(told) == 1 and bool(turn.new) and told[0] not in beside
        beside.update(told if new else ())
        out.append(turn._replace(given=told[0]) if new else turn)
    return [turn for turn in out if turn.old or turn.new not in beside]


def _holds_there(given: Turn, turn: Turn, patch: str) -> bool:
    """What a variable is given holds in any case, or where the line stands as well."""
    under = condition_at(patch, given.line)
    return not under or under == condition_at(patch, turn.line)


_GIVEN = re.compile(r"([A-Za-z_]\w{1,60}) = (?!None$|\[\]$|\{\}$)\S")
_VALUE = re.compile(r"(?<![\w.\"'])([A-Za-z_]\w{1,60})\b(?!\s*=(?!=)|\(|[\"'])")


def without_aliases(found: Sequence[Turn], stood: Sequence[Turn]) -> list[Turn]:
    """Without lines that only say a short name for what they said in full, or the other way round, and without that name."""
    named: dict[tuple[str, str], str] = {}
    for turn in stood:
        if bool(turn.old) != bool(turn.new) and (match := _ALIAS.fullmatch(turn.old or turn.new)):
            named[turn.path, match[1]] = match[2]
    pairs = [turn for turn in found if turn.old and turn.new and turn.old != turn.new] if named else []
    same = [turn for turn in pairs if _is_same(turn, named)]
    used = {(turn.path, name) for turn in same for name in _ALONE.findall(f"{turn.old} {turn.new}")}
    aliases = {key for key in named if key in used}
    left = [turn for turn in found if turn not in same]
    return [t for t in left if not ((match := _ALIAS.fullmatch(t.old or t.new)) and (t.path, match[1]) in aliases)]


def _is_same(turn: Turn, named: Mapping[tuple[str, str], str]) -> bool:
    """With its names in full one side is the other, or a line of it that was broken otherwise."""
    short = any((turn.path, name) in named for name in _ALONE.findall(f"{turn.old} {turn.new}"))
    was, now = (_in_full(turn.path, text, named) for text in (turn.old, turn.new))
    less, more = sorted((was, now), key=len)
    before = more.partition(less)[0] if less else ""
    return short and bool(less) and less in more and (less == more or _is_open(before) or _is_open(less))


def _is_open(text: str) -> bool:
    """A bracket of it is not closed: the statement goes on in the next line."""
    return sum(map(text.count, "([{")) > sum(map(text.count, ")]}"))


def _in_full(path: str, text: str, named: Mapping[tuple[str, str], str]) -> str:
    """Without blanks, and with what short names stand for, which may be said in short themselves."""
    for _ in range(_SHORT_NAMES):
        text = _ALONE.sub(lambda found: named.get((path, found[0]), found[0]), text)
    return "".join(text.split()).replace(",)", ")").rstrip(",;")


_ALIAS = re.compile(r"([A-Za-z_]\w{0,60}) = ([A-Za-z_]\w{0,60}(?:\.\w{1,60}){1,6})")
_ALONE = re.compile(r"(?<![\w.])[A-Za-z_]\w{0,80}\b(?!\s?=(?!=))")
_SHORT_NAMES = 3
"""Names of names that are followed."""


def led(found: Sequence[Turn]) -> list[Turn]:
    """A condition that came, with the first of the lines that came below it, and one that went, with what went: neither says
    much alone.
    """
    return _led_on(_led_on(found, "new"), "old")


def _led_on(found: Sequence[Turn], side: Literal["new", "old"]) -> list[Turn]:
    def alone(turn: Turn) -> str:
        """What only came, or only went."""
        return "" if turn.old and turn.new else turn.new if side == "new" else turn.old

    below = {
        (x.path, x.line): x for x in found if (row := alone(x)) and not DECLARES.match(row) and not LOGS.match(row)
    }
    out, seen = list[Turn](), set[tuple[str, int]]()
    for turn in found:
        head = alone(turn)
        deed = _first_below(turn, below) if HEAD.match(head) else None
        row = alone(deed) if deed is not None else ""
        if row and not HEAD.match(row) and len(head) <= _TOGETHER and not row.endswith(("(", "[", "{", "=")):
            text = f"{head} {row}"
            out.append(turn._replace(new=text) if side == "new" else turn._replace(old=text))
            seen.add((turn.path, deed.line if deed else 0))
        else:
            out.append(turn)
    return [turn for turn in out if not alone(turn) or (turn.path, turn.line) not in seen]


def _first_below(head: Turn, below: Mapping[tuple[str, int], Turn]) -> Turn | None:
    """The first statement of a block, comments before it or not, below the last line of its condition."""
    for line in range(head.line + 1, head.line + 1 + _COMMENTED):
        if (deed := below.get((head.path, line))) is not None:
            near = line == head.line + 1 or (head.new or head.old).endswith(deed.above or "#")
            return deed if near or deed.above.startswith(("#", "//")) else None
    return None


_COMMENTED = 6
"""Lines of a condition or of a comment below it, and one."""
_TOGETHER = 100
"""Characters of a condition that leave room for what follows from it."""


def without_swapped(found: Sequence[Turn], patches: Sequence[tuple[str, str]]) -> list[Turn]:
    """Without a condition that asks the opposite where what stood under its `else` stands under itself now: the same is done."""
    patch_of = dict(patches)
    return [turn for turn in found if not (_is_opposite(turn) and _lost_else(patch_of[turn.path], turn.hunk))]


def _is_opposite(turn: Turn) -> bool:
    conditions = [match[1] if (match := _IF.match(text)) else "" for text in (turn.old, turn.new)]
    short, long = sorted(conditions, key=len)
    return bool(short) and long in (f"not {short}", f"not ({short})", f"!{short}", f"!({short})")


def _lost_else(patch: str, header: str) -> bool:
    rows = (line for hunk in hunks(patch) if hunk.header == header for line in hunk.lines)
    return any(line.sign == "-" and _ELSE.fullmatch(line.text) for line in rows)


_ELSE = re.compile(r"[}\s]*else\s*[:{]\s*")

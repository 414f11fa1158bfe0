"""Checks and limits of C++ and CUDA code: conditions of `TORCH_CHECK`, `static_assert` and their kin, before and after.

Read from hunks: a check that only moved, whose message alone was reworded, or that reaches its names through another
namespace gives nothing, nor does one of code that comes or goes with it: a new kernel's own checks turn nobody away.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.core.profiles import field
from daybreak.core.text import contrast
from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole, joined, touched
from daybreak.findings.languages.blocks import shown
from daybreak.findings.languages.clauses import implies, written
from daybreak.findings.languages.cpp_text import quieted, split_top
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_syntax import expression
from daybreak.findings.paths import BEHIND

_CHECK = re.compile(
    rf"\b((?:STD_)?TORCH_CHECK(?:_\w{{1,30}})?|{'|'.join(field().checks)}|static_assert|RuntimeCheck"
    r"|CHECK_(?:EQ|NE|LE|LT|GE|GT|INPUT|SHAPE|DIM|CUDA|CONTIGUOUS)\w{0,20})\s{0,2}\("
)
_COMPARED = re.compile(r"_(EQ|NE|LE|LT|GE|GT)$")
_SIGNS = {"EQ": "==", "NE": "!=", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
_WORD = re.compile(r"[A-Za-z_]\w*|\d+")
_SUBJECT = re.compile(r"(?<![\w.:])[A-Za-z_]\w*\b(?!\s*(?:::|\(|<))")
_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|//.*")
_IN_PYTHON = {"&&": " and ", "||": " or ", "!": " not ", "::": ".", "->": ".", "true": "True", "false": "False"}
_AS_PYTHON = re.compile(r"&&|\|\||!(?!=)|::|->|\btrue\b|\bfalse\b")
_SANE = re.compile(
    r"[\w.:>()-]{1,120}\s?(?:>\s?0|>=\s?[01]|!=\s?(?:nullptr|NULL|0))[uUlL]{0,3}"
    r"|[\w.:>()-]{1,120}\s?==\s?[\w:]*(?:[sS]uccess|SUCCESS|OK|kOk)|[\w.:>()-]{1,120}(?:\.|->)(?:defined|ok|has_value)\(?"
)
MOST = 6
"""Checks of one file that are told; a file rewritten throughout has more than anyone reads."""


class _Check(NamedTuple):
    macro: str
    condition: str
    line: int
    changed: bool
    part: bool
    """The block around it came or went with it."""

    @property
    def normal(self) -> str:
        """The condition, wherever its names are reached from and in whatever order and parentheses its parts stand."""
        bare = re.sub(r"\bk(?=[A-Z])", "", re.sub(r"\b\w+::", "", self.condition))
        read = _as_python(bare)
        return "".join(bare.split()) if read is None else written(question(read))

    @property
    def words(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.condition))


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Checks that came, went or changed in a file that stays."""
    if file.area in BEHIND or file.change.status[:1] not in "MR":
        return
    found = [fact for hunk in file.hunks if _holds(hunk) for fact in _compared(file, hunk, whole)]
    if len(found) <= MOST:
        yield from found


def _holds(hunk: DiffHunk) -> bool:
    return any(_CHECK.search(x.text[:MAX_LINE]) for x in hunk.lines)


def _compared(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    before, after = _checks(side(hunk, "-")), _checks(side(hunk, "+"))
    stays = {c.normal for c in before} & {c.normal for c in after}
    lost = [c for c in before if c.changed and c.normal not in stays]
    come = [c for c in after if c.changed and c.normal not in stays]
    for old in list(lost):
        new = _partner(old, lost, come)
        if new is not None:
            lost.remove(old)
            come.remove(new)
            if not (old.part or new.part):
                kind = _direction(old.condition, new.condition)
                if kind == "check_narrowed" and _sent_elsewhere(old, new, file):
                    continue
                yield Fact(kind, file.path, new.line, new.macro, *contrast(old.condition, new.condition))
    if not whole.complete:
        return
    for old in lost:
        if not old.part and not old.words <= whole.added_words | _numbers(old):
            yield Fact("check_removed", file.path, old.line, old.macro, shown(old.condition), None)
    for new in come:
        stood = new.words <= whole.removed_words | _numbers(new)
        # what a compiler asserts of its own sources turns away nobody who runs them
        if not (new.part or stood or new.macro == "static_assert" or _opened(new, whole) or _is_sane(new)):
            yield Fact("check_added", file.path, new.line, new.macro, None, shown(new.condition))


def _sent_elsewhere(old: _Check, new: _Check, file: ReadFile) -> bool:
    """A branch that came asks for what the check dropped, and leaves: who comes by that never meets the check now."""
    dropped = {name for name in old.words - new.words if len(name) > 2 and not name.isdigit()}
    came = [[x.text[:MAX_LINE] for x in hunk.lines if x.sign != "-" and x.new < new.line] for hunk in file.hunks]
    return any(
        re.search(r"\bif\s*\(", text)
        and not dropped.isdisjoint(_WORD.findall(text))
        and _leaves(lines[at : at + _BRANCH])
        for lines in came
        for at, text in enumerate(lines)
    )


_BRANCH = 12
"""Lines in which a branch leaves that was made for it."""


def _leaves(lines: list[str]) -> bool:
    """A way out stands in the block that the first line opens."""
    depth = 0
    for text in lines:
        depth += text.count("{") - text.count("}")
        if re.match(r"\s*return\b", text):
            return True
        if depth <= 0 and "}" in text:
            return False
    return False


def _direction(was: str, now: str) -> str:
    """Whether fewer or more values come through; neither where that does not follow from the form."""
    before, after = map(_as_python, (was, now))
    if before is None or after is None:
        return "check_changed"
    first, second = question(before), question(after)
    fewer, more = implies(second, first), implies(first, second)
    return "check_changed" if fewer == more else "check_narrowed" if fewer else "check_widened"


def _as_python(text: str) -> ast.expr | None:
    return expression(_AS_PYTHON.sub(lambda m: _IN_PYTHON[m[0]], text).strip())


def _is_sane(check: _Check) -> bool:
    """It asks for nothing but a size above zero, a pointer that points somewhere, or a call that went well."""
    return all(_SANE.fullmatch(part.strip(" ()")) for part in check.condition.split("&&"))


def _opened(check: _Check, whole: Whole) -> bool:
    """A parameter that it asks about came with the change, or all else did; or it always fails."""
    named = _SUBJECT.findall(check.condition)
    given = any(_declared(name, whole, ",)>") for name in named)
    return check.condition == "false" or given or (bool(named) and all(_declared(name, whole) for name in named))


def _declared(name: str, whole: Whole, before: str = ",)=;{>") -> bool:
    """The change declares the name, before one of these signs, and it stood nowhere before."""
    declared = re.compile(rf"[\w>&*\]]\s*[\s&*]{re.escape(name)}\s*[{re.escape(before)}]")
    return not whole.stood(name) and any(name in x and declared.search(x[:MAX_LINE]) for x in whole.added_lines)


def _numbers(check: _Check) -> frozenset[str]:
    return frozenset(word for word in check.words if word.isdigit())


def _partner(old: _Check, lost: list[_Check], come: list[_Check]) -> _Check | None:
    """The one new check about the same names, when the other way round it is the same pair."""
    near = [c for c in come if _alike(old, c)]
    if len(near) != 1 or sum(_alike(c, near[0]) for c in lost) != 1:
        return None
    return near[0]


def _alike(one: _Check, other: _Check) -> bool:
    both = {w for w in one.words & other.words if not w.isdigit()}
    most = max(len(one.words), len(other.words))
    return 2 * len(both) >= most or (most <= 4 and bool(both))


def _checks(lines: list[SideLine]) -> list[_Check]:
    out: list[_Check] = []
    for at, line in enumerate(lines):
        match = _CHECK.search(line.text[:MAX_LINE])
        if match is None or line.text.lstrip().startswith(("//", "*", "#")) or len(out) > 200:
            continue
        text = joined(lines, at, 20)
        span = _inside(text, match.end())
        if span is None:
            continue
        parts = [" ".join(p.split()) for p in split_top(span)]
        compared = _COMPARED.search(match[1])
        condition = f"{parts[0]} {_SIGNS[compared[1]]} {_plain(parts[1])}" if compared and len(parts) > 1 else parts[0]
        changed = touched(lines, at, match.end() + len(span) - 1)
        out.append(_Check(match[1], condition[:1000], line.number, changed, changed and _in_new_block(lines, at)))
    return out


def _in_new_block(lines: list[SideLine], at: int) -> bool:
    """The bracket that opens the block around a line is on a changed line."""
    depth = 0
    for line in reversed(lines[max(0, at - 200) : at]):
        bare = _TEXT.sub("", line.text[:MAX_LINE])
        for mark in reversed(re.findall(r"[{}]", bare)):
            depth += 1 if mark == "}" else -1
            if depth < 0:
                return line.changed
    return False


def _plain(part: str) -> str:
    return part.partition(" <<")[0]


def _inside(text: str, at: int) -> str | None:
    """The call's arguments, verbatim; None when its end is not in the hunk."""
    clean, depth = quieted(text), 1
    for match in re.finditer(r"[()]", clean[at:]):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            inside = text[at : at + match.start()]
            return inside if "\n" not in inside or "//" not in inside else clean[at : at + match.start()]
    return None

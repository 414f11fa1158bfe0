"""Branches that a parameter chose between: whoever passed another value than its default loses that branch with it.

"Drop the argument" is no advice then: the call would do something else in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.findings.diff import DiffLine, hunks
from daybreak.judge.change_kinds import front, front_hunks

_WIDEST = 400
_TELLING = 8
"""Characters of a line that is hardly there by chance."""
_ELSE = re.compile(r"\s*(?:\}\s?)?(?:else|elif)\b")


def default_of(change: Change, name: str) -> str | None:
    """The default of a parameter that goes, where a line that goes has it as a plain value."""
    word, value = re.escape(name), r"([\w.\"'+-]{1,40})\s?(?:[,)]|$)"
    given = re.compile(rf"(?:\bdef\b.{{0,300}}(?<![\w.]){word}\s?=|(?<![\w.]){word}\s?:[^=,()]{{1,80}}=)\s?{value}")
    found = {match[1] for _, line in _gone(change, name) if (match := given.search(line.text[:_WIDEST]))}
    return found.pop() if len(found) == 1 else None


def kept_value(change: Change, name: str) -> str | None:
    """The value with which a call does what it did, now that the parameter is gone; empty where code that it steered went and
    none is shown to have stayed, None where nothing went.
    """
    if _is_asked_as_member(change, name):
        return None
    default = default_of(change, name)
    stays = _staying(change)
    kept = {_stays(lines, line, found, stays) for lines, line, found in _conditions(change, name)} - {None}
    if len(kept) > 1 or "" in kept:
        return ""
    if kept:
        value = kept.pop()
        on = default not in (*_OFF, None)
        return default if default and on == (value == "True") else value if default in ("True", "False") else ""
    if not _is_read(change, name, default):
        return None
    return default if default and _is_inlined(change, name, default) else ""


def _is_asked_as_member(change: Change, name: str) -> bool:
    """One value of several stands in the place of the switch: `elif fp8_on` is `elif dtype == Dtype.fp8`, in the same hunk, each
    time that it was asked.
    """
    members = "|".join(map(re.escape, (part for part in name.split("_") if len(part) > 1)))
    compared = re.compile(
        rf"\s*(?:if|elif)\b.{{0,200}}(?:==|\bis|\bin)\s.{{0,80}}(?:[.\"'])(?:{members})\b", re.IGNORECASE
    )
    asked = [lines for lines, _, _ in _conditions(change, name)] if members else []
    return bool(asked) and all(
        any(line.sign == "+" and compared.match(line.text[:_WIDEST]) for line in lines) for lines in asked
    )


_OFF = ("False", "None", "0", '""', "''")


def _conditions(change: Change, name: str) -> Iterator[tuple[Sequence[DiffLine], DiffLine, re.Match[str]]]:
    """Lines that go and ask for the parameter alone, with what stands before and behind its name."""
    asks = re.compile(rf"\s*(?:if|elif)\b(.{{0,200}}?)(?<![\w.]){re.escape(name)}\b(.{{0,200}})")
    for lines, line in _gone(change, name):
        if found := asks.match(line.text[:_WIDEST]):
            yield lines, line, found


def _stays(lines: Sequence[DiffLine], line: DiffLine, found: re.Match[str], stays: set[str]) -> str | None:
    """Which of both values (on, off) the code that is left does the work of; empty where it does that of neither, None where
    it does that of both.
    """
    negated = bool(re.search(r"\bnot\s*$", found[1])) != bool(re.match(r"\s*is\s+None\b", found[2]))
    bodies = {value: _body(lines, line, behind=(value == "True") == negated) for value in ("True", "False")}
    went = {value for value, rows in bodies.items() if rows and 2 * sum(row in stays for row in rows) < len(rows)}
    if not went:
        return None
    return "" if len(went) == len(bodies) else "False" if "True" in went else "True"


def _is_read(change: Change, name: str, default: str | None) -> bool:
    """Code that goes did something with a parameter that has a default, and no code that comes knows its name."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    if default is None or any(word.search(row) for row in _coming(change, name)):
        return False
    reads = re.compile(rf"(?<![\w.]){re.escape(name)}\b(?!\s?[:=](?!=))")
    gone = (line.text[:_WIDEST] for _, line in _gone(change, name))
    return any(reads.search(text) and not _SAID.match(text) and not _HEAD.search(text) for text in gone)


def _is_inlined(change: Change, name: str, default: str) -> bool:
    """A line comes with the default where one that goes read the parameter."""
    word, came = re.compile(rf"(?<![\w.]){re.escape(name)}\b"), {row.strip() for row in _coming(change, name)}
    gone = (line.text[:_WIDEST].strip() for _, line in _gone(change, name))
    return any(word.sub(lambda _: default, row) in came for row in gone if not _HEAD.search(row))


def _coming(change: Change, name: str) -> Iterator[str]:
    for hunk in front_hunks(change, lambda patch: name in patch):
        yield from (line.text[:_WIDEST] for line in hunk.lines if line.sign == "+")


_SAID = re.compile(r"\s*(?:#|//|/?\*|:\w|[\"']|\w[\w ]{0,40}:\s)")
"""A comment, or words on a parameter."""
_HEAD = re.compile(r"\b(?:def|fn|func|if|elif|while)\s|^\s*\w+,?\s*$|^\s*\w+\s?:[^=]{1,80},?\s*$")
"""A line of a signature, or of a call that hands it on under its own name; of conditions `_stays` knows more."""


def _gone(change: Change, name: str) -> Iterator[tuple[Sequence[DiffLine], DiffLine]]:
    for hunk in front_hunks(change, lambda patch: name in patch):
        yield from ((hunk.lines, line) for line in hunk.lines if line.sign == "-" and name in line.text)


def _body(lines: Sequence[DiffLine], head: DiffLine, *, behind: bool) -> list[str]:
    """Telling lines below a condition that goes; `behind`: those of its `else`."""
    depth, out, inside = _depth(head), list[str](), not behind
    for line in lines[lines.index(head) + 1 :]:
        if line.sign == "+" or not line.text.strip():
            continue
        if _depth(line) <= depth:
            if not (behind and not inside and _depth(line) == depth and _ELSE.match(line.text)):
                break
            inside = True
        elif inside and len(line.text.strip()) >= _TELLING:
            out.append(line.text.strip())
    return out


def _depth(line: DiffLine) -> int:
    return len(line.text) - len(line.text.lstrip())


def _staying(change: Change) -> set[str]:
    rows = (line for file in front(change) for hunk in hunks(file.patch or "") for line in hunk.lines)
    return {line.text.strip() for line in rows if line.sign != "-"}

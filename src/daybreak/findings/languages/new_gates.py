"""What ran before and runs now only when a new setting is switched on, or the reverse.

Such a change adds a flag, so it looks like news; but for everyone who does not set the flag a path is gone. Only a
setting that is new in the same commit and off by default counts, and only when the code around it is otherwise the
same: one more `and` in a condition, or one more `if` around lines that stood there before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from daybreak.findings.diff import DiffHunk, DiffLine
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import one_line, quiet, shown

MAX_EXTRA = 14
"""Tokens that a new condition may have; more is another piece of code, not a gate."""
MAX_RUN = 40
PER_FILE = 3

_OFF = re.compile(
    r"^\s{1,40}(\w{3,60})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}(?:False\b|field\(default=False\b)(?!\s{0,4},)"
    r"|^\s{0,60}[\"']--([\w-]{3,60})[\"'],.{0,120}store_true"
    r"|add_argument\(\s{0,4}[\"']--([\w-]{3,60})[\"'].{0,200}(?:store_true|default=False)"
    r"|^\s{0,40}[\"']?([A-Z][A-Z0-9_]{4,60})[\"']?\s{0,4}[:=].{0,120}(?:EnvBool\(False\)|[\"']0[\"']\)|[\"']False[\"']\))"
)
_ON = re.compile(r"\b(\w{3,60})\s{0,4}:\s{0,4}bool\s{0,4}=\s{0,4}(?:True\b|field\(default=True\b)")
_TOKEN = re.compile(r"[A-Za-z_][\w.]{0,120}|\d[\w.]{0,20}|[^\s\w]")
_BRACKETS = frozenset("()")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Gates that this file's hunks put up or take down."""
    if quiet(file):
        return
    put_up, taken_down = _settings(whole)
    found = 0
    for hunk in file.hunks if put_up or taken_down else ():
        for lost, won in _runs(hunk):
            for fact in (_gate(lost, won, put_up, file.path, True), _gate(won, lost, taken_down, file.path, False)):
                if fact is not None and found < PER_FILE:
                    found += 1
                    yield fact


@lru_cache(maxsize=4)
def _settings(whole: Whole) -> tuple[frozenset[str], frozenset[str]]:
    """Settings, off by default, that the commit adds, and those that it takes away."""
    added, removed = _declared(whole.added_lines), _declared(whole.removed_lines)
    return (
        frozenset(name for name in added - removed if not whole.stood(name)),
        frozenset(name for name in removed - added if not whole.stands(name)),
    )


def _declared(lines: Sequence[str]) -> set[str]:
    """Settings that are off wherever they are declared; one that some class or call has on is on for somebody."""
    off = {next(filter(None, m.groups())) for line in lines if _says_off(line) and (m := _OFF.search(line[:MAX_LINE]))}
    on = {match[1] for line in lines if "True" in line and (match := _ON.search(line[:MAX_LINE]))}
    return {name.replace("-", "_") for name in off} - on


def _says_off(line: str) -> bool:
    """One of these is in every line that the pattern finds, and in few others."""
    return "False" in line or "store_true" in line or '0")' in line or "0')" in line


def _runs(hunk: DiffHunk) -> Iterator[tuple[list[DiffLine], list[DiffLine]]]:
    """Neighbouring lines that went and came, as pairs."""
    lost: list[DiffLine] = []
    won: list[DiffLine] = []
    for line in (*hunk.lines, DiffLine(" ", "", 0, 0)):
        if line.sign == "-" and not won:
            lost.append(line)
        elif line.sign == "+":
            won.append(line)
        else:
            if lost and won and max(len(lost), len(won)) <= MAX_RUN:
                yield lost, won
            lost, won = ([line] if line.sign == "-" else []), []


def _gate(few: Sequence[DiffLine], more: Sequence[DiffLine], names: frozenset[str], path: str, up: bool) -> Fact | None:
    """The gate that `more` has over `few`, when that is all it has."""
    if not names:
        return None
    plain, gated = (_tokens(lines) for lines in (few, more))
    name = _asked(_extra(plain, gated), names)
    if name is None or not plain:
        return None
    short, long = (shown(one_line("\n".join(x.text for x in lines))) for lines in (few, more))
    at = more[0].new or more[0].old
    return Fact("gate_added", path, at, name, short, long) if up else Fact("gate_removed", path, at, name, long, short)


def _asked(extra: Sequence[str], names: frozenset[str]) -> str | None:
    """The setting that the extra tokens ask for; with an `else` or a `not` the old way is still the default."""
    if not 2 <= len(extra) <= MAX_EXTRA or {"not", "else", "or", '"', "'"} & set(extra):
        return None
    if extra[0] not in ("and", "if") and extra[-1] not in ("and", "if"):
        return None
    return next((word for token in extra if (word := token.rsplit(".", 1)[-1]) in names), None)


def _tokens(lines: Sequence[DiffLine]) -> list[str]:
    """Words and signs; brackets only hold a condition together over several lines."""
    text = "\n".join(x.text[:MAX_LINE] for x in lines if not x.text.lstrip().startswith("#"))
    return [token for token in _TOKEN.findall(text) if token not in _BRACKETS]


def _extra(plain: Sequence[str], gated: Sequence[str]) -> Sequence[str]:
    """What `gated` has in one place over `plain`; nothing when they differ otherwise too."""
    head = 0
    while head < len(plain) and head < len(gated) and plain[head] == gated[head]:
        head += 1
    rest = len(plain) - head
    if len(gated) <= len(plain) or (rest and list(gated[-rest:]) != list(plain[head:])):
        return ()
    return gated[head : len(gated) - rest]

"""Defaults given in passing: `getattr(x, "k", D)`, `cfg.get("k", D)`, `kwargs.pop("k", D)`.

A model's configuration or a request without the key now behaves otherwise, though nothing declares that default.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole, bracketed, joined, literal, touched
from daybreak.findings.languages.blocks import PER_FILE, fresh, quiet, quoted, shown, squeezed

_CALL = re.compile(r"\bgetattr\(|([\w.\[\]\"']{0,80})\.(?:get|pop)\(\s*(?=[\"'\n]|$)")
_ENVIRONMENT = re.compile(r"environ|\benv\b|envs\b|headers|queue|session", re.IGNORECASE)
_NOTHING = frozenset({"None", "False", '""', "0", "[]", "{}", "()", "dict()", "list()", "0.0", "set()", "tuple()"})


class _Default(NamedTuple):
    line: int
    receiver: str
    value: str
    changed: bool


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys whose default is another one on the other side of the same hunk."""
    del whole
    patch = file.change.patch
    if quiet(file) or not ("getattr(" in patch or ".get(" in patch or ".pop(" in patch):
        return
    told = 0
    for hunk in file.hunks:
        for fact in _compare(file, hunk):
            told += 1
            if told <= PER_FILE:
                yield fact


def _compare(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    old, new = _defaults(side(hunk, "-")), _defaults(side(hunk, "+"))
    for key in sorted(old.keys() & new.keys()):
        if len(old[key]) != 1 or len(new[key]) != 1:
            continue
        was, now = old[key][0], new[key][0]
        if not (was.changed or now.changed) or squeezed(was.value) == squeezed(now.value):
            continue
        if "(" in was.value + now.value or was.value.split(".")[-1] == now.value.split(".")[-1] != was.value[-1:]:
            continue  # a value that is computed, or the same one reached another way
        if {squeezed(was.value), squeezed(now.value)} <= _NOTHING or was.receiver != now.receiver:
            continue
        yield Fact("passing_default_changed", file.path, now.line, key, shown(was.value), shown(now.value))


def _defaults(lines: Sequence[SideLine]) -> dict[str, list[_Default]]:
    """Key → its calls with a default, on one side."""
    out: dict[str, list[_Default]] = defaultdict(list)
    texts = quoted(lines)
    for at, line in enumerate(lines):
        text = line.text
        if at in texts or len(text) > MAX_LINE or not ("getattr(" in text or ".get(" in text or ".pop(" in text):
            continue
        for match in _CALL.finditer(text):
            found = _default(lines, at, match)
            if found and len(out[found[0]]) < 2 and not fresh(lines, at):
                out[found[0]].append(found[1])
    return out


def _default(lines: Sequence[SideLine], at: int, match: re.Match[str]) -> tuple[str, _Default] | None:
    span = bracketed(joined(lines, at, 8)[match.end() :])
    own = match[1] is None
    if span is None or not span.whole or len(span.parts) != (3 if own else 2):
        return None
    receiver = span.parts[0] if own else match[1]
    key = literal(span.parts[1 if own else 0])
    if not key or not key.isidentifier() or key.startswith("_") or _ENVIRONMENT.search(receiver):
        return None
    changed = touched(lines, at, match.end() + span.length - 1)
    return key, _Default(lines[at].number, receiver.split(".")[-1], span.parts[-1], changed)

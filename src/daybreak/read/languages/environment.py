"""Environment variables, in every way the watched projects read them.

A table row (`"VLLM_X": lambda: …`, `SGLANG_X = EnvBool(…)`) defines a variable for users: its removal can break them.
A plain read (`os.getenv("X")`) only says that one place does or does not look at it any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.read.diff import DiffHunk
from daybreak.read.languages.base import MAX_LINE, Fact, ReadFile, Whole

_NAME = r"([A-Z][A-Z0-9]*_[A-Z0-9_]{2,100})"
_ROW = re.compile(
    rf"^\s{{0,16}}[\"']{_NAME}[\"']\s{{0,3}}:\s{{0,3}}(?:lambda\b|env_\w+\(|maybe_\w+\(|get_\w*env\w*\()"
    rf"|^\s{{0,16}}{_NAME}\s{{0,3}}=\s{{0,3}}Env[A-Z]\w{{0,30}}\("
)
_READ = re.compile(
    rf"(?:environ(?:\.get|\.pop|\.setdefault)?\s{{0,2}}[(\[]|getenv\(|get_(?:bool|int|str|float)?_?env(?:_var)?\(|env::var\()"
    rf"\s{{0,2}}[\"']{_NAME}[\"']"
)
_HINTS = ("env", "Env", "lambda")
_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})
_DEFAULT = re.compile(r"Env[A-Z]\w{0,30}\((.{0,200})\)\s*(?:#.*)?$|getenv\(\s*[\"']\w+[\"'],\s*([^()]{1,80})\)")


class _Seen(NamedTuple):
    name: str
    line: int
    table: bool
    default: str | None
    body: str


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Variables that come, go, change their default or their name."""
    if file.area in _QUIET or file.tool or not any(hint in file.change.patch for hint in _HINTS):
        return
    for hunk in file.hunks:
        yield from _compare(file, hunk, whole)


def _compare(file: ReadFile, hunk: DiffHunk, whole: Whole) -> Iterator[Fact]:
    gone, come = _seen(hunk, "-"), _seen(hunk, "+")
    for name in gone.keys() & come.keys():
        was, now = gone[name].default, come[name].default
        if was is not None and now is not None and was != now:
            yield Fact("env_default_changed", file.path, come[name].line, name, was, now)
    lost = [s for n, s in gone.items() if whole.complete and not whole.stands(n)]
    new = [s for n, s in come.items() if not whole.stood(n)]
    if len(lost) == len(new) == 1 and lost[0].table and new[0].table and lost[0].body == new[0].body:
        yield Fact("env_renamed", file.path, new[0].line, lost[0].name, lost[0].name, new[0].name, True)
        return
    for s in lost:
        kind = "env_removed" if s.table else "env_read_removed"
        yield Fact(kind, file.path, s.line, s.name, s.name, None, s.table)
    for s in new:
        yield Fact("env_added" if s.table else "env_read_added", file.path, s.line, s.name, None, s.name)


def _seen(hunk: DiffHunk, sign: str) -> dict[str, _Seen]:
    """Variables on the hunk's lines of one sign, first place each; a table row wins over a read."""
    out: dict[str, _Seen] = {}
    for x in hunk.lines:
        if x.sign != sign or len(x.text) > MAX_LINE or "_" not in x.text:
            continue
        row = _ROW.match(x.text)
        for match in (row,) if row else _READ.finditer(x.text):
            name = next(g for g in match.groups() if g)
            if name not in out or (row and not out[name].table):
                default = _DEFAULT.search(x.text)
                value = next((g.strip() for g in default.groups() if g), None) if default else None
                out[name] = _Seen(name, x.old or x.new, bool(row), value, x.text.replace(name, "").strip())
    return out

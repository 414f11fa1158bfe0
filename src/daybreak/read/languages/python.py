"""Python, from hunks alone: deprecations that come, and exceptions that became others at the same place.

What a file offers (functions, classes, fields) is compared as a whole in `python_compare`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from daybreak.read.diff import DiffHunk, DiffLine, SideLine, side
from daybreak.read.languages.base import Fact, ReadFile, Whole

_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})
_DEPRECATION = re.compile(
    r"^\s*@(?:typing_extensions\.|warnings\.)?deprecated\(|\b(?:Pending)?DeprecationWarning\b|\bdeprecated=True\b"
    r"|\baction=\"?Deprecated\w{0,40}"
)
_QUOTED = re.compile(r"[`'\"](--?[A-Za-z][\w-]{2,80}|[A-Za-z_][\w.]{2,80})[`'\"]")
_RAISE = re.compile(r"(\s*)raise ([A-Z]\w{2,60})\((.*)")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What single hunks say."""
    del whole
    if file.area in _QUIET or file.change.status in "AC":
        return
    for hunk in file.hunks:
        yield from _deprecations(file, hunk, side(hunk, "+"))
        yield from _exceptions(file, hunk)


# --- exceptions --------------------------------------------------------------------------------------------------


def _exceptions(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    """The same `raise` with another type: one went, one came, side by side at the same indent."""
    for block in _blocks(hunk.lines):
        gone = [(x, m) for x in block if x.sign == "-" and (m := _RAISE.match(x.text[:400]))]
        come = [(x, m) for x in block if x.sign == "+" and (m := _RAISE.match(x.text[:400]))]
        if len(gone) != 1 or len(come) != 1:
            continue
        (_, was), (line, now) = gone[0], come[0]
        if was[1] == now[1] and was[2] != now[2] and was[3] == now[3]:
            yield Fact("exception_changed", file.path, line.new, now[2], was[2], now[2])


def _blocks(lines: Sequence[DiffLine]) -> Iterator[list[DiffLine]]:
    """Runs of changed lines between lines that stayed."""
    run: list[DiffLine] = []
    for line in lines:
        if line.sign == " ":
            if run:
                yield run
            run = []
        else:
            run.append(line)
    if run:
        yield run


# --- deprecations ------------------------------------------------------------------------------------------------


def _deprecations(file: ReadFile, hunk: DiffHunk, after: Sequence[SideLine]) -> Iterator[Fact]:
    """A deprecation mark that comes; hunks that also take one away only move or reword it."""
    if any(x.sign == "-" and _DEPRECATION.search(x.text[:400]) for x in hunk.lines):
        return
    for at, line in enumerate(after):
        if not line.changed or not _DEPRECATION.search(line.text[:400]) or "import " in line.text:
            continue
        if "ignore" in line.text or "filterwarnings" in line.text or "except" in line.text or "raises" in line.text:
            continue
        symbol = _deprecated_name(after, at)
        if symbol:
            yield Fact("deprecated", file.path, line.number, symbol, None, symbol)
        return


def _deprecated_name(lines: Sequence[SideLine], at: int) -> str | None:
    """The name that a deprecation mark is about: the definition under a decorator, else a name its text quotes."""
    if lines[at].text.lstrip().startswith("@"):
        heads = (re.match(r"\s*(?:async def|def|class) ([A-Za-z_]\w{0,120})", x.text) for x in lines[at + 1 : at + 8])
        return next((m[1] for m in heads if m), None)
    for line in _nearest(lines, at):
        match = _QUOTED.search(line.text[:400])
        if match and not match[1].endswith("Warning"):
            return match[1]
    return None


def _nearest(lines: Sequence[SideLine], at: int) -> Iterable[SideLine]:
    return [x for x in lines[max(0, at - 3) : at + 1][::-1] if x.changed and "deprecat" in x.text.lower()]

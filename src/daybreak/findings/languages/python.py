"""Python, from hunks alone: deprecations that come, and exceptions that became others at the same place.

What a file offers (functions, classes, fields) is compared as a whole in `python_compare`.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable, Iterator, Sequence

from daybreak.findings.diff import DiffHunk, DiffLine, SideLine, side
from daybreak.findings.languages.base import Fact, ReadFile, Whole

_QUIET = frozenset({"test", "docs", "ci", "generated", "vendored"})
_DEPRECATION = re.compile(
    r"^\s*@(?:typing_extensions\.|warnings\.)?deprecated\(|\b(?:Pending)?DeprecationWarning\b|\bdeprecated=True\b"
    r"|\baction=\"?Deprecated\w{0,40}"
)
_QUOTED = re.compile(r"[`'\"](--?[A-Za-z][\w-]{2,80}|[A-Za-z_][\w.]{2,80})[`'\"]")
_WARNS = re.compile(r"\bwarn(?:ing|_once|ing_once)?\(")
_HEAD = re.compile(r"\s*(?:async\s+)?def ([A-Za-z_]\w{0,120})")
_RAISE = re.compile(r"(\s*)raise ([A-Z]\w{2,60})\((.*)")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What single hunks say."""
    if file.area in _QUIET or file.change.status in "AC":
        return
    told: set[tuple[str | None, str | None]] = set()
    for hunk in file.hunks:
        yield from _deprecations(file, hunk, side(hunk, "+"), whole)
        for fact in _exceptions(file, hunk):  # the same step at ten places of a file is one
            if (fact.before, fact.after) not in told:
                told.add((fact.before, fact.after))
                yield fact


# --- exceptions --------------------------------------------------------------------------------------------------


def _exceptions(file: ReadFile, hunk: DiffHunk) -> Iterator[Fact]:
    """The same `raise` with another type: one went, one came, side by side at the same indent.

    One that derives from the other is caught as before.
    """
    for block in _blocks(hunk.lines):
        gone = [(x, m) for x in block if x.sign == "-" and (m := _RAISE.match(x.text[:400]))]
        come = [(x, m) for x in block if x.sign == "+" and (m := _RAISE.match(x.text[:400]))]
        if len(gone) != 1 or len(come) != 1:
            continue
        (_, was), (line, now) = gone[0], come[0]
        if was[1] == now[1] and not _derives(now[2], was[2]) and was[3] == now[3]:
            yield Fact("exception_changed", file.path, line.new, now[2], was[2], now[2])


def _derives(name: str, base: str) -> bool:
    """Whether whoever catches the second name catches the first; of types that a project defines, `Exception` only."""
    own, above = (getattr(builtins, one, None) for one in (name, base))
    if isinstance(own, type) and isinstance(above, type):
        return issubclass(own, above)
    return name == base or (own is None and base in ("Exception", "BaseException"))


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


def _deprecations(file: ReadFile, hunk: DiffHunk, after: Sequence[SideLine], whole: Whole) -> Iterator[Fact]:
    """A deprecation mark that comes; hunks that also take one away only move or reword it."""
    if not any("eprecat" in x.text for x in hunk.lines):
        return
    if any(x.sign == "-" and _DEPRECATION.search(x.text[:400]) for x in hunk.lines):
        return
    marked = [x.sign for h in file.hunks for x in h.lines if _DEPRECATION.search(x.text[:400])]
    if marked.count("-") >= marked.count("+"):
        return  # as many as before: they only moved
    for at, line in enumerate(after):
        if not line.changed or not _DEPRECATION.search(line.text[:400]) or "import " in line.text:
            continue
        if "ignore" in line.text or "filterwarnings" in line.text or "except" in line.text or "raises" in line.text:
            continue
        symbol = _deprecated_name(after, at)
        if symbol:
            yield Fact("deprecated", file.path, line.number, symbol, None, symbol)
        elif whole.wide and (symbol := _warning_function(after, at)):
            yield Fact("deprecated", file.path, line.number, symbol, None, symbol, inner=file.reach != "public")
        return


def _warning_function(lines: Sequence[SideLine], at: int) -> str | None:
    """The function that warns about itself: always when it is called, or by its name."""
    start = next((n for n in range(at, max(-1, at - 6), -1) if _WARNS.search(lines[n].text[:400])), None)
    if start is None:
        return None
    width, direct = _indent(lines[start].text), True
    for line in reversed(lines[max(0, start - 80) : start]):
        text = line.text[:400]
        if not text.strip() or _indent(text) >= width:
            continue
        head = _HEAD.match(text)
        if head is None:
            direct = direct and text.lstrip().startswith(")")  # the end of a head over several lines
            width = _indent(text) + 1 if text.lstrip().startswith(")") else _indent(text)
            continue
        said = " ".join(x.text[:400] for x in lines[start : at + 3])
        named = re.search(rf"(?<![\w.]){head[1]}\b", said) is not None
        return head[1] if (direct or named) and not head[1].startswith("_") else None
    return None


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


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

"""Python, from hunks alone: exceptions that became others at the same place.

What a file offers (functions, classes, fields) is compared as a whole in `python_compare`.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.findings.diff import DiffHunk, DiffLine
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.memory import remembered
from daybreak.findings.paths import BEHIND

_RAISE = re.compile(r"(\s*)raise ([A-Z]\w{2,60})\((.*)")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """What single hunks say."""
    if file.area in BEHIND or file.change.status in "AC":
        return
    told: set[tuple[str | None, str | None]] = set()
    for hunk in file.hunks:
        for fact in _exceptions(file, hunk):  # the same step at ten places of a file is one
            if (fact.before, fact.after) not in told and _fewer(fact.before or "", whole):
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


def _fewer(name: str, whole: Whole) -> bool:
    """The commit as a whole raises it less often: where code is taken apart, lines of two functions stand side by side."""
    went, came = _raised(whole)
    return went[name] > came[name]


@remembered(4)
def _raised(whole: Whole) -> tuple[Counter[str], Counter[str]]:
    """How often lines that went, and lines that came, raise each error."""
    sides = ((_RAISE.match(line[:400]) for line in lines) for lines in (whole.removed_lines, whole.added_lines))
    went, came = (Counter(found[2] for found in side if found) for side in sides)
    return went, came


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

"""Names of tests in words: what a new test says that must hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.findings.diff import SideLine

_NAMES = re.compile(
    r"\s*(?:async\s+)?def (test_\w{6,160})\(|func (Test\w{6,160})\(|\s*fn (\w{8,160})\(\)|TEST(?:_[FP])?\((\w{1,80}\s*,\s*\w{4,120})\)"
    r"|\s*(?:it|test|describe)\(\s*[\"'`]([^\"'`]{8,200})[\"'`]"
)
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def names_of_tests(lines: Sequence[SideLine]) -> Iterator[tuple[SideLine, str]]:
    """New tests with their names in words."""
    marked = False
    for line in lines:
        match = _NAMES.match(line.text[:400]) if line.changed else None
        if match and (match[3] is None or marked):
            yield line, _words(next(filter(None, match.groups())))
        marked = "test]" in line.text or (marked and line.text.lstrip().startswith("#["))


def runs(lines: Sequence[SideLine], heads: frozenset[int]) -> set[int]:
    """Numbers of the changed lines that stand together with one of these heads, blank ones between them or not."""
    out: set[int] = set()
    held: list[int] = []
    for line in (*lines, SideLine("end", 0, False)):
        if line.changed:
            held.append(line.number)
        elif line.text.strip() and held:
            out.update(held if not heads.isdisjoint(held) else ())
            held = []
    return out


def _words(name: str) -> str:
    if " " in name and "," not in name:
        return " ".join(name.split())
    name = name.rpartition(",")[2].strip()
    name = re.sub(r"^[Tt]est_?", "", name)
    return " ".join(_HUMPS.sub(" ", name.replace("_", " ")).split())

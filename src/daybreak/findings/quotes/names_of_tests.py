"""Tests of a file: names of new ones in words, and which comments say what a test is for and not how it is set up."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Area
from daybreak.core.model.quotes import QuoteSource
from daybreak.findings.diff import DiffHunk, SideLine, hunks, side

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


class Tests:
    """The tests of a file: all of it, or in Rust what stands behind the mark of its tests."""

    def __init__(self, path: str, area: Area, patch: str, alone: bool) -> None:
        self.area, self.alone = area, alone
        self._within = path.endswith(".rs") and area != "test"
        self._begun = {"+": False, "-": False}
        tested = self._within or area == "test"
        some = list(hunks(patch)) if tested else []
        self._stood = {
            "+": {name for hunk in some for _, name in names_of_tests(side(hunk, "-"))},
            "-": {name for hunk in some for _, name in names_of_tests(side(hunk, "+"))},
        }

    def parted(self, hunk: DiffHunk, lines: list[SideLine], sign: str) -> tuple[list[SideLine], list[SideLine]]:
        """Lines of code and lines of tests: tests within a source stand at its end."""
        if not self._within:
            return ([], lines) if self.area == "test" else (lines, [])
        first = next((at for at, line in enumerate(lines) if RUST_TESTS.match(line.text)), len(lines))
        begun = self._begun[sign] or RUST_TESTS.match(hunk.context) is not None
        self._begun[sign] = begun or first < len(lines)
        return ([], lines) if begun else (lines[:first], lines[first:])

    def named(self, lines: Sequence[SideLine], sign: str) -> list[tuple[SideLine, str]]:
        """Tests that one side has and the other has not: one whose head was altered is the same test."""
        return [(line, name) for line, name in names_of_tests(lines) if name not in self._stood[sign]]

    def source(
        self, kind: QuoteSource, block: Sequence[SideLine], lines: Sequence[SideLine], new: set[int]
    ) -> QuoteSource | None:
        """What words of a test count as; None for a comment on how it is set up, or on an old test beside the code."""
        if self.alone:
            return "test" if any(line.number in new for line in block) else kind
        if kind == "docstring":
            if not any(line.number in new for line in block):
                return kind
            return None if _is_of_helper(block, lines) else "test"
        return "test" if any(line.number in new for line in block) and _is_beside_head(block, lines) else None


def _is_beside_head(block: Sequence[SideLine], lines: Sequence[SideLine]) -> bool:
    """A comment right over the head of a test, or the first thing below it, is about the test as a whole."""
    above = [line.text for line in lines if line.number < block[0].number and line.text.strip()][-_HEAD_LINES:]
    below = (line.text for line in lines if line.number > block[-1].number and line.text.strip())
    first = next((text for text in below if not text.lstrip().startswith(("@", "#[", ")", "]"))), "")
    if _NAMES.match(first[:400]):
        return True
    at = next((n for n, text in enumerate(reversed(above)) if _NAMES.match(text[:400])), None)
    if at is None or not above[-1].rstrip().endswith((":", "{", "=> {")):
        return False
    return not any(text.rstrip().endswith((":", "{", ";")) for text in above[len(above) - at - 1 : -1])


def _is_of_helper(block: Sequence[SideLine], lines: Sequence[SideLine]) -> bool:
    """The docstring of what tests are made with, and of no test."""
    above = [line.text for line in lines if line.number < block[0].number and line.text.strip()][-_HEAD_LINES:]
    head = next((match for text in reversed(above) if (match := _ANY_HEAD.match(text[:400]))), None)
    return head is not None and not head[1].lower().lstrip("_").startswith("test") and above[-1].rstrip().endswith(":")


_ANY_HEAD = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w{1,160})")
_HEAD_LINES = 12
"""Lines that the head of a test has at most."""
RUST_TESTS = re.compile(r"\s*(?:mod tests?\s*\{|#\[cfg\(test\)\]|#\[(?:\w+::)?test\b)")


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

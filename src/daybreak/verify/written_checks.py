"""Check of a page of ours against the same page made again from the data beside it: every count, quote, tag and grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.markdown_page import LATER, Page, page_digest
from daybreak.verify.check_input import Study
from daybreak.verify.values import Findings

_OURS = 0.5
"""Share of its lines that a page of this program has as the data gives them; one of another version has fewer."""
_SHOWN = 160


def written_lines(study: Study) -> list[str]:
    """What the page must hold, line by line; nothing where it was never written so, whoever altered some of it since."""
    given = [row for row in study.written.lines or () if row.strip()]
    rows, known = _rows(study.page), set(given)
    return given if sum(row in known for _, row in rows) >= _OURS * len(rows) else []


def _rows(page: Page) -> list[tuple[int, str]]:
    return [(line.number, line.raw.rstrip("\r")) for line in page.lines if line.raw.strip()]


def check_written(study: Study) -> None:
    """A line that the data does not give is false, and so is one that is gone, or stands elsewhere."""
    rows, given, digest = _rows(study.page), written_lines(study), study.written.digest
    if given and (not digest or page_digest("\n".join(given)) == digest):
        _hold(study.findings, rows, given)
        return
    if digest:  # a build with other words made it, so that no line of it can be named
        held = page_digest("\n".join(row for _, row in rows)) == digest
        why = "it is not the page that was written with the data beside it"
        study.findings.decide(held, "written", 1, study.page.name, why)
        if notes := sum(row.startswith(LATER) for _, row in rows):
            study.findings.unknown("written", "notes that say they are of later reports", notes)
        if study.written.lines:
            study.findings.unknown("written", "each line: another build of the program wrote the page", len(rows))
    if study.written.unmade and study.page.ours:
        study.findings.unknown("written", study.written.unmade, len(rows))


def _hold(findings: Findings, rows: list[tuple[int, str]], given: list[str]) -> None:
    altered = list(_beyond(rows, Counter(given)))
    gone = [row for _, row in _beyond(list(enumerate(given)), Counter(row for _, row in rows))]
    findings.true("written", len(rows) - len(altered))
    if len(altered) == len(gone):
        for (number, row), real in zip(altered, gone, strict=True):
            _altered(findings, number, row, real)
        if not altered and [row for _, row in rows] != given:
            number = next(at for (at, row), real in zip(rows, given, strict=True) if row != real)
            findings.false("written", number, "", "from here on the lines stand in another order than the data gives")
        return
    for number, row in altered:
        findings.false("written", number, row[:_SHOWN], "the data beside the page gives no such line")
    for real in gone if not altered else ():
        findings.false("written", 1, "", f"a line that the data gives is not on the page: {real[:_SHOWN]}")


def _beyond(rows: Sequence[tuple[int, str]], left: Counter[str]) -> Iterator[tuple[int, str]]:
    """Rows of which there are more than `left` counts."""
    for number, row in rows:
        left[row] -= 1
        if left[row] < 0:
            yield number, row


def _altered(findings: Findings, number: int, row: str, real: str) -> None:
    """Told by the words that differ."""
    start = _alike(row, real)
    behind = min(_alike(row[::-1], real[::-1]), len(row) - start, len(real) - start)
    start = max(row.rfind(" ", 0, start) + 1, 0)
    ends = [_word_end(text, len(text) - behind) for text in (row, real)]
    said, data = row[start : ends[0]], real[start : ends[1]]
    why = f"the data beside the page gives {data[:_SHOWN]!r}"
    findings.false("written", number, said[:_SHOWN], why, (start, ends[0]))


def _alike(one: str, other: str) -> int:
    """How many signs both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _word_end(text: str, at: int) -> int:
    end = text.find(" ", at)
    return len(text) if end < 0 else end

"""Numbers about speed and memory: whatever a model makes of them, they are shown as their author's words, with the condition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Piece
from daybreak.core.model.statements import Statement
from daybreak.core.words import say
from daybreak.core.words.grammar import MAX_CODE, alike, code
from daybreak.findings.quotes.prose import BAR, has_row, is_row

# --- Numbers that stand in a Markdown table: the cell with its column's head and what it was measured with, never a raw row ---


_RULE = re.compile(r"\|?\s{0,40}:?-+:?\s{0,40}(?:\|\s{0,40}:?-+:?\s{0,40})*\|?")
_MARKS = "*_`~ "
_MOST = 4
"""Cells left of the number that tell what it was measured with; beyond them only the first is shown."""

Stands = Callable[[str, str], bool]


class Row(Struct, frozen=True):
    """One row of a table: its cells, and the heads of their columns."""

    heads: tuple[str, ...]
    cells: tuple[str, ...]


def rows(lines: Sequence[str]) -> Iterator[Row]:
    """Rows below the rule of a table; lines without a rule among them are no table that heads could be read from."""
    heads: tuple[str, ...] = ()
    before = ""
    for line in lines:
        if "-" in line and _RULE.fullmatch(line.strip()):
            heads = _cells(before)
        elif heads:
            yield Row(heads, _cells(line))
        before = line


def shown(row: Row, numbers: Sequence[str], stands: Stands) -> str:
    """The numbers' cells after those that tell their condition, each with its head; empty where it cannot be said."""
    if len(row.heads) != len(row.cells):
        return ""
    at = [i for i, cell in enumerate(row.cells) if any(stands(n, cell) for n in numbers)]
    if not at or not all(row.heads[i] for i in at):
        return ""
    if not all(any(stands(n, f"{row.heads[i]} {row.cells[i]}") for i in at) for n in numbers):
        return ""
    left = [i for i in range(at[0]) if row.cells[i]]
    told = [*(left if len(left) <= _MOST else left[:1]), *at]
    if any(len(text) > MAX_CODE for i in told for text in (row.heads[i], row.cells[i])):
        return ""
    return ", ".join(
        f"{code(row.heads[i])} = {code(row.cells[i])}" if row.heads[i] else code(row.cells[i]) for i in told
    )


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return tuple(" ".join(cell.split()).strip(_MARKS) for cell in BAR.split(inner))


_NUMBER = re.compile(
    r"(?<![\w.])[~+−-]?(\d+(?:[.,]\d+)?)\s{0,2}"
    r"(%|×|x(?![\w])|X(?![\w])|倍|ms\b|us\b|µs|ns\b|seconds?\b|s(?![\w])|min\b|tok(?:en)?s?/s\b|tokens?/sec\b|t/s\b|req/s\b"
    r"|QPS\b|[KMGT]i?B(?:/s)?\b|[GTP]?FLOPS\b|[GTP]FLOP/s\b|qps\b|毫秒|秒|微秒|fps\b)",
)
_ABOUT = re.compile(
    r"fast|slow|speed|throughput|latency|TTFT|TPOT|ITL|overhead|perf|improv|gain|regress|reduc|saving|bandwidth|memory"
    r"|快|慢|加速|提速|吞吐|延迟|时延|显存|内存|开销|性能|提升|降低|减少|节省|带宽|耗时",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])")
_ITEM = re.compile(r"\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s")
_LONGEST = 300


def states_performance(statement: Statement) -> list[str]:
    """Numbers of performance that a sentence states, as digits."""
    found: dict[str, None] = {}
    for text in statement.text.values():
        if statement.dimension == "performance" or _ABOUT.search(text):
            found |= dict.fromkeys(match[1] for match in _NUMBER.finditer(text))
    return list(found)


def is_claim(statement: Statement) -> bool:
    """It tells numbers in their author's words."""
    lead = say("judge.claim.lead")
    return any(text.startswith(lead.get(language, "\n")) for language, text in statement.text.items())


def as_claim(statement: Statement, case: Case, refs: Sequence[str]) -> Statement | None:
    """The sentence, or its number in the author's words; None when nobody said the number.

    A number that a finding shows before or after the change is no measurement.
    """
    numbers = states_performance(statement)
    if not numbers:
        return statement
    set_by_code = " ".join(f"{f.before} {f.after}" for f in case.findings)
    measured = [n for n in numbers if not _stands(n, set_by_code)]
    if not measured:
        return statement
    said = [piece for piece in case.pieces if piece.ref[0] in "MP"]
    said.sort(key=lambda piece: piece.ref not in refs)
    cited = [piece for piece in case.pieces if piece.ref in refs and piece.ref[0] == "D"]
    for piece in (*said, *cited):
        shown = _words(piece, measured)
        if shown:
            text = say("judge.claim.author", lead=say("judge.claim.lead"), quote=alike(shown))
            return replace(statement, role="impact", dimension="performance", text=text, evidence=(piece.id,))
    return None


def _words(piece: Piece, numbers: Sequence[str]) -> str:
    """The paragraph that holds the numbers, or the sentences around them, in pieces that code can show whole.

    Of a table only the cells are shown; what cannot be said without a raw row is not said.
    """
    for block in _blocks(piece.text):
        if isinstance(block, Row):
            if told := shown(block, numbers, _stands):
                return told
        elif all(_stands(n, block) for n in numbers) and not has_row(words := _around(block, numbers)):
            return " ".join(map(code, _shown(words.removesuffix("."))))  # the sentence around it has its own stop
    return ""


def _stands(number: str, text: str) -> bool:
    """The number itself, not a part of another one or of a name."""
    return re.search(rf"(?<![\w.])(?<!\w-){re.escape(number)}(?!\d|[.,-]\w)", text) is not None


def _blocks(text: str) -> Iterator[str | Row]:
    """Paragraphs, items of lists, and rows of tables."""
    held: list[str] = []
    table: list[str] = []
    for raw in [*text.split("\n"), ""]:
        line = raw.strip().removeprefix("+").strip()
        row = is_row(line)
        if held and (row or not line or _ITEM.match(raw)):
            yield " ".join(held)
            held = []
        if row:
            table.append(line)
            continue
        yield from rows(table)
        table = []
        if line:
            held.append(line)


def _around(block: str, numbers: Sequence[str]) -> str:
    """The whole paragraph, or of a long one the sentence of the number with its neighbours: the condition is there."""
    block = " ".join(block.split())
    if len(block) <= _LONGEST:
        return block
    sentences = [one for one in _SENTENCE.split(block) if one.strip()]
    at = next((i for i, one in enumerate(sentences) if numbers[0] in one), 0)
    near = " ".join(sentences[max(at - 1, 0) : at + 2])
    return near if len(near) <= 2 * _LONGEST else sentences[at]


def _shown(text: str) -> Iterator[str]:
    """Cut at blanks into what one piece of code may have; nothing is left out."""
    while len(text) > MAX_CODE:
        at = text.rfind(" ", 1, MAX_CODE)
        at = at if at > 0 else MAX_CODE
        yield text[:at].strip()
        text = text[at:].strip()
    if text:
        yield text

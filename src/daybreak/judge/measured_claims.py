"""Numbers about speed and memory: somebody gave them in the change, and a sentence tells them as their author's claim."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.core.model.drafts import Case
from daybreak.core.model.statements import Statement
from daybreak.core.words import say

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
_ATTRIBUTED = re.compile(
    r"\b(?:authors?|comments?|message|claims?|reports?|according)\b|作者|注释|称|据", re.IGNORECASE
)
"""The sentence says itself that somebody said so."""


def states_performance(statement: Statement) -> list[str]:
    """Numbers of performance that a sentence states, as digits."""
    found: dict[str, None] = {}
    for text in statement.text.values():
        if statement.dimension == "performance" or _ABOUT.search(text):
            found |= dict.fromkeys(match[1] for match in _NUMBER.finditer(text))
    return list(found)


def is_claim(statement: Statement) -> bool:
    """It tells numbers as their author's."""
    return statement.author == "model" and statement.dimension == "performance" and bool(states_performance(statement))


def as_claim(statement: Statement, case: Case, refs: Sequence[str]) -> Statement | None:
    """The sentence as its author's claim, where it states a number; None when nobody said the number.

    A number that a finding shows before or after the change is no measurement.
    """
    numbers = states_performance(statement)
    set_by_code = " ".join(f"{f.before} {f.after}" for f in case.findings)
    measured = [n for n in numbers if not _stands(n, set_by_code)]
    if not measured:
        return statement
    said = [piece for piece in case.pieces if piece.ref[0] in "MP" or (piece.ref in refs and piece.ref[0] == "D")]
    said.sort(key=lambda piece: piece.ref not in refs)
    piece = next((one for one in said if all(_stands(n, one.text) for n in measured)), None)
    if piece is None:
        return None
    lead, text = say("judge.claim.lead"), statement.text
    if not all(map(_ATTRIBUTED.search, text.values())):
        text = {language: lead[language] + told for language, told in text.items()}
    evidence = tuple(dict.fromkeys((*statement.evidence, piece.id)))
    return replace(statement, dimension="performance", text=text, evidence=evidence)


def _stands(number: str, text: str) -> bool:
    """The number itself, not a part of another one or of a name."""
    return re.search(rf"(?<![\w.])(?<!\w-){re.escape(number)}(?!\d|[.,-]\w)", text) is not None

"""Pieces that every data file is made of: texts, statements, what was skipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from daybreak.core.model.changes import Skipped
from daybreak.core.model.statements import Statement

Json = dict[str, Any]


def statements_data(statements: Sequence[Statement]) -> list[Json]:
    return [
        {
            "role": s.role,
            "dimension": s.dimension,
            "text": texts_data(s.text),
            "evidence": [text_data(e) for e in s.evidence],
            "author": s.author,
        }
        for s in statements
    ]


def skipped_data(skipped: Iterable[Skipped]) -> list[Json]:
    return [{"what": text_data(one.what), "reason": text_data(one.reason)} for one in skipped]


def texts_data(text: Mapping[str, str]) -> Json:
    return {language: text_data(sentence) for language, sentence in text.items()}


def text_data(value: str) -> str:
    """UTF-8 has no lone surrogates; bytes that were not text show as the replacement character."""
    return value if value.isascii() else value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def optional_data(value: str | None) -> str | None:
    return None if value is None else text_data(value)

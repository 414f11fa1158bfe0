"""The optional second model: judges whether the evidence entails a statement that every offline check let stand.

It can only take away. What it answers is read as yes or no; nothing it writes reaches a reader.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Fate

FILE = Path(__file__).with_name("critic.txt")
MOST = 24_000
"""Characters of evidence in one question; each piece has the same share, and what is cut is cut from its middle and marked."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"entailed": {"type": "boolean"}, "why": {"type": "string", "maxLength": 300}},
    "required": ["entailed", "why"],
    "additionalProperties": False,
}
_SLOT = re.compile(r"\{(zh|en|quote|evidence)\}")
Ask = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Takes the question and the schema of its answer; None when there is no answer."""


@lru_cache(maxsize=1)
def _template() -> str:
    return FILE.read_text(encoding="utf-8")


def question(fate: Fate, case: Case) -> str:
    """What the second model is asked: the cited pieces, the statement in both languages, its quote."""
    draft = fate.draft
    pieces = [piece for piece in case.pieces if piece.ref in draft.refs]
    share = MOST // max(len(pieces), 1)
    evidence = "\n\n".join(f"[{piece.ref}]\n{_shortened(_tame(piece.text), share)}" for piece in pieces)
    text = fate.statement.text if fate.statement else draft.text
    values = {"zh": _tame(text.get("zh", "")), "en": _tame(text.get("en", "")), "quote": _tame(draft.quote)}
    values["evidence"] = evidence
    return _SLOT.sub(lambda found: values[found[1]], _template())


def _tame(text: str) -> str:
    """Outside text cannot close the marks it stands between."""
    return text.replace("</", "<\\/").replace("<evidence", "<\\evidence").replace("<sentence", "<\\sentence")


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


async def entailed(fate: Fate, case: Case, ask: Ask) -> Fate:
    """The same fate, or a dropped one when the second model says no. Without its answer the offline checks stand."""
    if fate.statement is None:
        return fate
    answer = await ask(question(fate, case), SCHEMA)
    if answer is None or answer.get("entailed") is True:
        return fate
    why = answer.get("why")
    return replace(fate, statement=None, reason="not_entailed", detail=why[:200] if isinstance(why, str) else "")

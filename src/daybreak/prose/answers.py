"""The form of a model's answer: its JSON Schema, and drafts from what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from daybreak.core.model.drafts import Draft
from daybreak.core.model.statements import Dimension, Role

ROLES: tuple[Role, ...] = get_args(Role)
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
SECTIONS = ("summary", "across", "conclusion")
_SMALL_TEXT = {"zh": 16, "en": 60}
"""Characters; a weak model spends up to three tokens on a Chinese one, and half of its answer on the form."""
_SMALL_QUOTE = 24


def schema(
    languages: Sequence[str], refs: Sequence[str], most: int, *, small: bool = False, sections: bool = False
) -> dict[str, Any]:
    """The answer's JSON Schema, in the words that every server with structured output takes.

    A small one keeps a weak model within few tokens. Of another one nothing is bounded here: what is too long, too much
    or cites a wrong id costs its statement, not the whole answer.
    """
    fields: dict[str, Any] = {"section": {"type": "string", "enum": list(SECTIONS)}} if sections else {}
    fields["role"] = {"type": "string", "enum": list(ROLES)}
    if not small:
        fields["dimension"] = {"type": ["string", "null"], "enum": [*DIMENSIONS, None]}
    for language in languages:
        fields[language] = {"type": "string"} | _bounds(small, minLength=1, maxLength=_SMALL_TEXT.get(language, 40))
    name = {"type": "string"} | _bounds(small, enum=list(refs))
    fields["evidence"] = {"type": "array", "items": name} | _bounds(small, minItems=1, maxItems=1)
    fields["quote"] = {"type": "string"} | _bounds(small, maxLength=_SMALL_QUOTE)
    item = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    listed = {"type": "array", "items": item} | _bounds(small, minItems=1, maxItems=most)
    return {
        "type": "object",
        "properties": {"statements": listed},
        "required": ["statements"],
        "additionalProperties": False,
    }


def _bounds(small: bool, **bounds: object) -> dict[str, object]:
    return bounds if small else {}


def drafts_of(data: Mapping[str, Any], languages: Sequence[str]) -> list[tuple[str, Draft]]:
    """Section (empty where there is none) and draft of each statement that has the form of one."""
    found = data.get("statements")
    rows = [row for row in found if isinstance(row, Mapping)] if isinstance(found, list) else []
    drafts = [(str(row.get("section") or ""), _draft(row, languages)) for row in rows]
    return [(section, draft) for section, draft in drafts if draft is not None]


def _draft(row: Mapping[str, Any], languages: Sequence[str]) -> Draft | None:
    role, dimension, refs = row.get("role"), row.get("dimension"), row.get("evidence")
    if role not in ROLES or not isinstance(refs, list):
        return None
    if dimension not in DIMENSIONS or role not in ("impact", "risk"):
        dimension = None
    texts = {language: " ".join(str(row.get(language) or "").split()) for language in languages}
    names = tuple(dict.fromkeys(ref for ref in refs if isinstance(ref, str)))
    return Draft(role, texts, names, str(row.get("quote") or "").strip(), dimension)

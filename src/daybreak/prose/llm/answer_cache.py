"""Kept answers: the key that a question has by its content, and an answer as bytes.

Faults of content are kept as well (refused, cut, empty, no JSON …): the same question would bring the same fault, and a
second run must not pay for it again. What a later try could mend (no connection, too many requests, no budget) is not.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec

from daybreak.prose.llm.interface import Answer, ModelFault, Prompt, Refusal, Usage

FORMAT = "daybreak.answer/1"
LASTING: frozenset[Refusal] = frozenset({"refused", "malformed", "cut", "empty", "language", "too_long"})


class _Kept(msgspec.Struct, omit_defaults=True):
    """What stands behind a key."""

    model: str
    endpoint: str
    usage: Usage
    data: dict[str, Any] | None = None
    fault: str = ""
    detail: str = ""


def key_of(prompt: Prompt, model: str) -> str:
    """By content: the same evidence, instructions, version, schema and length, asked of the same model."""
    schema = json.dumps(prompt.schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    parts = (FORMAT, model, prompt.task, prompt.version, prompt.system, prompt.user, schema, prompt.most)
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()


def packed(answer: Answer) -> bytes:
    return msgspec.json.encode(_Kept(answer.model, answer.endpoint, answer.usage, dict(answer.data)))


def packed_fault(fault: ModelFault, model: str, endpoint: str) -> bytes:
    return msgspec.json.encode(_Kept(model, endpoint, fault.usage, fault=fault.refusal, detail=fault.detail))


def unpacked(body: bytes) -> Answer | ModelFault | None:
    """None for what this version cannot read: the question is asked again."""
    try:
        kept = msgspec.json.decode(body, type=_Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if kept.data is not None:
        return Answer(kept.data, kept.model, kept.endpoint, kept.usage, kept=True)
    if kept.fault in LASTING:
        return ModelFault(kept.fault, kept.detail, kept.usage, kept=True)
    return None

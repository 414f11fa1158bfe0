"""Kept answers: the key that a question has by its content, and an answer as bytes.

Faults of content are kept as well (refused, cut, empty, no JSON …): the same question would bring the same fault, and a
second run must not pay for it again. What a later try could mend (no connection, too many requests, no budget) is not.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, get_args

import msgspec

from daybreak.core.errors import DaybreakError
from daybreak.prose.llm import Accept, Answer, ModelFault, Prompt, Refusal, Usage
from daybreak.prose.llm.extract_json import fault_of

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


# --- Answers from a JSON-lines file, for golden cases and demos: no server, no key, the same each time ---
# A line is `{"task": …, "holds": [words that the question must hold], "answer": {…}}`, with `"fault": "refused"` in place
# of an answer to tell a fault. The first line that fits is taken; a line may be taken many times.


NAME = "recorded"


class Line(msgspec.Struct, forbid_unknown_fields=True):
    """One recorded answer."""

    task: str
    holds: list[str] = []
    answer: dict[str, Any] | None = None
    fault: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def fits(self, prompt: Prompt) -> bool:
        return self.task == prompt.task and all(words in prompt.user for words in self.holds)


class RecordedModel:
    """Answers what was recorded, and nothing else."""

    def __init__(self, lines: tuple[Line, ...]) -> None:
        self._lines = lines
        self.asked: list[Prompt] = []

    async def ask(self, prompt: Prompt, accept: Accept | None = None) -> Answer:
        self.asked.append(prompt)
        line = next((line for line in self._lines if line.fits(prompt)), None)
        if line is None:
            raise ModelFault("unreachable", "nothing is recorded for this question")
        usage = Usage(1, line.prompt_tokens, line.completion_tokens)
        if line.answer is None:
            raise ModelFault(_refusal(line.fault), "as recorded", usage)
        wrong = fault_of(line.answer, prompt.schema) or (accept(line.answer) if accept else None)
        if wrong:
            raise ModelFault("malformed", wrong, usage)
        return Answer(line.answer, NAME, NAME, usage, kept=True)

    async def close(self) -> None:
        pass


def recorded(path: Path) -> RecordedModel:
    """The answers of a file; a mistake in it names its line."""
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = msgspec.convert(json.loads(text), Line)
        except (ValueError, msgspec.ValidationError) as error:
            raise DaybreakError(
                f"{path.name}, line {number}: {error}.", "A line holds task, holds and answer."
            ) from None
        if (line.answer is None) == (line.fault not in get_args(Refusal)):
            raise DaybreakError(
                f"{path.name}, line {number}: neither an answer nor a fault.", f"Faults: {get_args(Refusal)}."
            )
        lines.append(line)
    return RecordedModel(tuple(lines))


def _refusal(name: str) -> Refusal:
    return next(one for one in get_args(Refusal) if one == name)

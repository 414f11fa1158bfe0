"""Answers from a JSON-lines file, for golden cases and demos: no server, no key, the same each time.

A line is `{"task": …, "holds": [words that the question must hold], "answer": {…}}`, with `"fault": "refused"` in place
of an answer to tell a fault. The first line that fits is taken; a line may be taken many times.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec

from daybreak.core.errors import DaybreakError
from daybreak.prose.llm.interface import Accept, Answer, ModelFault, Prompt, Refusal, Usage
from daybreak.prose.llm.schemas import fault_of

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

"""The seam to a language model: one prompt in, one validated JSON object out, or a fault with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct

Refusal = Literal["unreachable", "limited", "refused", "malformed", "cut", "empty", "language", "too_long", "budget"]
"""Why there is no answer: no endpoint could be reached, all of them said to wait too long, the content was refused, the
answer was no JSON of the schema, it was cut by its length, it was empty, it was in another language, the prompt does not
fit the model, the budget is spent."""


class Prompt(Struct, frozen=True):
    """What is asked, complete: nothing of it is cut. Where a server takes no schema, it is told behind `system`, and a
    second try says behind `user` what was wrong with the first.
    """

    task: str
    """Name of the prompt's file."""
    version: str
    system: str
    user: str
    schema: Mapping[str, Any]
    """JSON Schema of the answer."""
    most: int
    """Tokens the answer may have."""

    @property
    def stage(self) -> str:
        """What it is asked for, as costs are told: triage, write, repair, critic, day or batch."""
        return "repair" if "+" in self.task else _STAGES.get(self.task, "write")


_STAGES = {"triage": "triage", "batch": "batch", "critic": "critic", "rank": "day", "repository": "day", "day": "day"}


class Usage(Struct, frozen=True):
    """What the server counted."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = None
    """By the prices of the config; None without them."""


class Answer(Struct, frozen=True):
    """A JSON object of the prompt's schema."""

    data: Mapping[str, Any]
    model: str
    endpoint: str
    usage: Usage
    """What it cost when it was first made."""
    kept: bool = False
    """It was made by an earlier run or an earlier question: nothing was asked now."""


class ModelFault(Exception):
    """There is no usable answer; the rules take over."""

    def __init__(self, refusal: Refusal, detail: str = "", usage: Usage | None = None, *, kept: bool = False) -> None:
        super().__init__(f"{refusal}: {detail}" if detail else refusal)
        self.refusal, self.detail, self.usage, self.kept = refusal, detail, usage or Usage(), kept


class WrongLanguage(str):
    """The sentence that an `accept` gives back when the answer is in another language than the one asked for."""

    __slots__ = ()


Accept = Callable[[Mapping[str, Any]], str | None]
"""Looks at a schema-valid object: None to take it, or in one sentence what is wrong with it (asked again once; after that
the fault is `language` for a `WrongLanguage` and `malformed` for any other sentence)."""


class Model(Protocol):
    """Answers prompts; may be asked many times at once on one event loop."""

    async def ask(self, prompt: Prompt, accept: Accept | None = None) -> Answer: ...

    async def close(self) -> None: ...


class KeptAnswers(Protocol):
    """Answers by content key, written down at once: a crash costs the answers in flight, no more."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, answer: bytes) -> None: ...

"""Questions for models in tests: a small schema, a clock that stands until somebody waits, a memory of answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from daybreak.prose.llm import Accept, Answer, ModelFault, Prompt
from daybreak.prose.llm.asking import AskedModel
from daybreak.prose.llm.endpoints import Endpoint
from daybreak.prose.llm.openai_compatible import Clock, Patience
from fake_model import FakeModel

Value = TypeVar("Value")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 200}},
    "required": ["word"],
    "additionalProperties": False,
}


def prompt(user: str = "Say a word.", **more: Any) -> Prompt:
    values = {"task": "word", "version": "1", "system": "You say words.", "schema": SCHEMA, "most": 50, **more}
    return Prompt(user=user, **values)


@dataclass
class SetClock:
    """Time passes only where somebody waits for it."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def clock(self, chance: float = 0.5) -> Clock:
        return Clock(lambda: self.now, self.sleep, lambda: chance)


class Kept(dict[str, bytes]):
    """Answers in memory."""

    def put(self, key: str, answer: bytes) -> None:
        self[key] = answer


@dataclass
class Scene:
    """A model over some servers, and all that is heard of it."""

    kept: Kept = field(default_factory=Kept)
    said: list[str] = field(default_factory=list)
    time: SetClock = field(default_factory=SetClock)

    def model(self, *servers: FakeModel | Endpoint | str, **more: Any) -> AskedModel:
        more = {"timeout": 10.0, "patience": Patience(), "clock": self.time.clock(), **more}
        return AskedModel([endpoint(one) for one in servers], self.kept, self.said.append, **more)

    def ask(self, *servers: FakeModel | Endpoint | str, accept: Accept | None = None, **more: Any) -> Answer:
        """One question to a model of its own."""
        return done(self.model(*servers, **more), accept=accept)[0]

    def fault(self, *servers: FakeModel | Endpoint | str, accept: Accept | None = None, **more: Any) -> ModelFault:
        """The same, where no answer comes."""
        found = outcomes(self.model(*servers, **more), prompt(), accept=accept)[0]
        assert isinstance(found, ModelFault)
        return found


def endpoint(of: FakeModel | Endpoint | str) -> Endpoint:
    if isinstance(of, Endpoint):
        return of
    return Endpoint(of if isinstance(of, str) else of.url, "fake")


def outcomes(model: AskedModel, *prompts: Prompt, accept: Accept | None = None) -> list[Answer | ModelFault]:
    """What came of each, asked one after the other."""

    async def work() -> list[Answer | ModelFault]:
        found: list[Answer | ModelFault] = []
        for one in prompts:
            try:
                found.append(await model.ask(one, accept))
            except ModelFault as fault:
                found.append(fault)
        await model.close()
        return found

    return asyncio.run(work())


def done(model: AskedModel, *prompts: Prompt, accept: Accept | None = None) -> list[Answer]:
    """Answers to all of them, or the first fault."""
    found = outcomes(model, *(prompts or (prompt(),)), accept=accept)
    for one in found:
        if isinstance(one, ModelFault):
            raise one
    return [one for one in found if isinstance(one, Answer)]


def at_once(model: AskedModel, prompts: list[Prompt]) -> list[Answer | ModelFault]:
    """What came of each, all asked at the same time."""

    async def one(asked: Prompt) -> Answer | ModelFault:
        try:
            return await model.ask(asked)
        except ModelFault as fault:
            return fault

    async def work() -> list[Answer | ModelFault]:
        found = await asyncio.gather(*map(one, prompts))
        await model.close()
        return found

    return asyncio.run(work())


def run(work: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run(work)

"""Asks models in order of preference until one gives a usable answer, and keeps what came of it.

Each fault has its path. A server that is at fault or busy is waited for, one that stays so is left and the next one is
asked; an answer that cannot be used is asked for once more with the reason; what no endpoint can give is a `ModelFault`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.prose.llm import Accept, Answer, KeptAnswers, ModelFault, Prompt, Refusal, Usage, WrongLanguage
from daybreak.prose.llm.answers import LASTING, key_of, object_in, packed, packed_fault, unpacked
from daybreak.prose.llm.endpoints import Endpoint, most_tokens, tokens
from daybreak.prose.llm.openai_compatible import PASSING, Clock, Patience, Reply, Server, Trouble, compact

# --- What a run may use and what it used, by model: checked before each request, counted after it, shared by all questions ---
# Those who ask first are served first: a request that does not fit waits until those under way have come back cheaper
# than feared, and only when nothing is under way is the budget spent.


class Spent(Struct, frozen=True):
    """What one model was used for in this run."""

    model: str
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    hits: int = 0
    """Questions that a kept answer met."""
    money: float | None = None
    stages: Mapping[str, Usage] = field(default_factory=dict)
    """What of it went into which stage."""


def plus(one: Usage, other: Usage) -> Usage:
    money = None if one.money is None and other.money is None else (one.money or 0.0) + (other.money or 0.0)
    return Usage(
        one.requests + other.requests,
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
        money,
    )


class Purse:
    """The budget of a run and its sums."""

    def __init__(self, tokens: int = 0, money: float = 0.0, told: Callable[[Spent], None] | None = None) -> None:
        self._limits = (float(tokens), money)
        self._used = [0.0, 0.0]
        self._held = [0.0, 0.0]
        self._under_way = 0
        self._told = told
        self._sums: dict[str, Spent] = {}
        self._untold: set[str] = set()
        self._telling = threading.Lock()
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    async def hold(self, tokens: int, money: float | None) -> tuple[float, float]:
        """Set so much aside for a request, or raise `budget`; what is given back goes to `settle`."""
        wanted = (float(tokens), money or 0.0)
        async with self._turn:
            while not self._fits(wanted):
                if not self._under_way:
                    raise ModelFault("budget", "the budget of this run is spent")
                self._freed.clear()
                await self._freed.wait()
            self._under_way += 1
            self._held = [held + one for held, one in zip(self._held, wanted, strict=True)]
        return wanted

    def _fits(self, wanted: tuple[float, float]) -> bool:
        sums = zip(self._limits, self._used, self._held, wanted, strict=True)
        return all(not limit or used + held + one <= limit for limit, used, held, one in sums)

    def settle(self, held: tuple[float, float], tokens: int, money: float | None) -> None:
        """The request is over and used so much: what the server counted, or what we feared where it did not count."""
        self._under_way -= 1
        self._held = [one - other for one, other in zip(self._held, held, strict=True)]
        self._used = [self._used[0] + tokens, self._used[1] + (money or 0.0)]
        self._freed.set()

    def count(self, model: str, usage: Usage, hits: int = 0, stage: str = "") -> None:
        """For the costs that are shown: what servers reported, and nothing that we guessed."""
        old = self._sums.get(model, Spent(model))
        sums = plus(Usage(old.requests, old.prompt_tokens, old.completion_tokens, old.money), usage)
        new = replace(
            old,
            requests=sums.requests,
            prompt_tokens=sums.prompt_tokens,
            completion_tokens=sums.completion_tokens,
            hits=old.hits + hits,
            money=sums.money,
            stages={**old.stages, stage: plus(old.stages.get(stage, Usage()), usage)} if stage else old.stages,
        )
        self._sums[model] = new
        self._untold.add(model)

    def tell(self) -> None:
        """Tell the newest sums of models whose sums changed; may be called by several threads."""
        with self._telling:
            for model in [self._untold.pop() for _ in range(len(self._untold))]:
                if self._told is not None:
                    self._told(self._sums[model])

    @property
    def spent(self) -> tuple[Spent, ...]:
        return tuple(self._sums[name] for name in sorted(self._sums))


MOST_FORMS = 8
"""Times that one question is put in another form."""
TOLD_WAIT = 5.0
"""Seconds of a wait from which on it is told."""


class Judged(NamedTuple):
    """What a reply is worth."""

    data: Mapping[str, Any] | None
    refusal: Refusal = "malformed"
    wrong: str = ""
    formless: bool = False
    """It does not have the form that was asked for."""


@dataclass(slots=True)
class Question:
    """A prompt on its way through the endpoints."""

    prompt: Prompt
    accept: Accept | None
    used: Usage
    """Since something was last kept of it."""
    total: Usage


def under_way(slots: int) -> int:
    """Questions that are asked and not written down yet, at most: all that a kill may cost.

    A few more than the requests at once, so that the server works while answers are written.
    """
    return slots + max(1, slots // 4)


class AskedModel:
    """The models behind a list of endpoints."""

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        kept: KeptAnswers,
        say: Callable[[str], None],
        *,
        slots: int = 8,
        timeout: float = 120.0,
        purse: Purse | None = None,
        offline: bool = False,
        force: bool = False,
        patience: Patience | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._clock, self._patience = clock or Clock(), patience or Patience()
        self._servers = [Server(one, timeout, self._clock) for one in endpoints]
        self._kept, self._say, self.offline, self.force = kept, say, offline, force
        self._line = asyncio.Lock()
        """Questions keep their order while kept answers are looked up: what a budget serves are the first ones."""
        self._slots = asyncio.Semaphore(slots)
        self._unwritten = asyncio.Semaphore(under_way(slots))
        self.purse = purse or Purse()
        self._paid: set[str] = set()
        """Keys of what this run has asked for and kept."""
        self.left: list[str] = []
        """Endpoints that were given up, in words: for the report and for the reader of the run."""

    async def ask(self, prompt: Prompt, accept: Accept | None = None) -> Answer:
        keys = [key_of(prompt, server.endpoint.voice) for server in self._servers]
        async with self._line:
            known = await asyncio.to_thread(self._looked_up, keys)
        if (found := self._met(known, accept)) is not None:
            return found
        question, faults = Question(prompt, accept, Usage(), Usage()), []
        for number, server in enumerate(self._servers):
            before = known[number]
            try:
                if isinstance(before, ModelFault):
                    question.total = plus(question.total, before.usage)
                    self.purse.count(server.endpoint.model, Usage(), hits=1)
                    raise before
                return await self._asked(server, keys[number], question)
            except ModelFault as fault:
                faults.append(fault)
                if fault.refusal == "budget":
                    break
        raise _final(faults, question.total)

    async def close(self) -> None:
        """End the connections; what was met in the cache since the last answer is told now."""
        for server in self._servers:
            await server.connection.close()
        await asyncio.to_thread(self.purse.tell)

    # --- kept answers ------------------------------------------------------------------------------------------------

    def _looked_up(self, keys: Sequence[str]) -> list[Answer | ModelFault | None]:
        """A forced run takes only what it has paid for itself, and offline what there is: nobody can be asked."""
        all_count = not self.force or self.offline
        bodies = (self._kept.get(key) if all_count or key in self._paid else None for key in keys)
        return [None if body is None else unpacked(body) for body in bodies]

    def _met(self, known: Sequence[Answer | ModelFault | None], accept: Accept | None) -> Answer | None:
        """A kept answer of any endpoint, in order of preference, before anything is asked."""
        used = Usage()
        for one, server in zip(known, self._servers, strict=True):
            if isinstance(one, ModelFault):
                used = plus(used, one.usage)
            if isinstance(one, Answer) and (accept is None or accept(one.data) is None):
                self.purse.count(server.endpoint.model, Usage(), hits=1)
                return replace(one, usage=plus(used, one.usage))
        return None

    async def _asked(self, server: Server, key: str, question: Question) -> Answer:
        """Ask one endpoint and keep what came of it: the answer, or a fault that would come again."""
        async with self._unwritten:
            return await self._asked_and_kept(server, key, question)

    async def _asked_and_kept(self, server: Server, key: str, question: Question) -> Answer:
        endpoint = server.endpoint
        try:
            data = await self._usable(server, question)
        except ModelFault as fault:
            if fault.refusal in LASTING and question.used.requests:
                body = packed_fault(
                    ModelFault(fault.refusal, fault.detail, question.used), endpoint.model, endpoint.name
                )
                await asyncio.to_thread(self._write, key, body)
                question.used = Usage()
            else:
                await asyncio.to_thread(self.purse.tell)
            raise
        answer = Answer(data, endpoint.model, endpoint.name, question.used)
        await asyncio.to_thread(self._write, key, packed(answer))
        return replace(answer, usage=question.total)

    def _write(self, key: str, body: bytes) -> None:
        self._kept.put(key, body)
        self._paid.add(key)
        self.purse.tell()

    # --- one endpoint ------------------------------------------------------------------------------------------------

    async def _usable(self, server: Server, question: Question) -> Mapping[str, Any]:
        """An answer that can be used, at the second try at the latest."""
        if self.offline:
            raise ModelFault("unreachable", "nothing is asked offline")
        judged = Judged(None)
        for _ in range(2):
            if judged.wrong and not _fits(server, question.prompt, judged):
                break  # asked again it would be larger than the model takes
            judged = _judged(await self._reply(server, question, judged), question)
            if judged.data is not None:
                return judged.data
            if judged.refusal == "refused":
                break
        raise ModelFault(judged.refusal, judged.wrong)

    async def _reply(self, server: Server, question: Question, before: Judged) -> Reply:
        """Whatever the model says, after as many tries as it takes and patience allows; `before`: its last answer."""
        tries, waited, learned = 0, 0.0, 0
        while True:
            options = server.form.options(question.prompt)
            if not _fits(server, question.prompt, before):
                room = server.endpoint.context
                raise ModelFault("too_long", f"the prompt and its answer need more than {room} tokens")
            try:
                messages = server.form.messages(question.prompt, before.wrong, formless=before.formless)
                reply = await self._once(server, question, messages, options)
            except Trouble as trouble:
                if trouble.kind in PASSING:
                    tries += 1
                    await self._passing(server, trouble, tries)
                elif trouble.kind == "limited":
                    waited += await self._limited(server, trouble, waited)
                elif trouble.kind in ("too_long", "refused"):
                    raise ModelFault(trouble.kind, trouble.detail) from None
                elif (learned := learned + 1) > MOST_FORMS or not server.form.learn(trouble, options):
                    self._failed(server, trouble, at_once=trouble.kind == "closed")
            else:
                server.answers()
                server.form.works(options)
                return reply

    async def _passing(self, server: Server, trouble: Trouble, tries: int) -> None:
        """Wait before the next try, or give up."""
        patience, backoff = self._patience, self._patience.backoff
        most = patience.tries if server.answered else patience.tries_first
        if not self._is_last(server):
            most = patience.tries_before
        if tries >= (min(most, patience.slow) if trouble.kind == "slow" else most):
            self._failed(server, trouble)
        wait = backoff.seconds(tries - 1, self._clock.chance)
        if trouble.wait is not None:
            wait = max(wait, min(trouble.wait, backoff.most))
        await self._clock.sleep(wait)

    async def _limited(self, server: Server, trouble: Trouble, waited: float) -> float:
        """Let the server rest as long as it asks for, or a while; too long a wait is given up. Seconds of the rest."""
        backoff = self._patience.backoff
        wait = trouble.wait
        if wait is None:
            wait = backoff.seconds(int(waited / backoff.first).bit_length(), self._clock.chance)
        allowed = self._patience.limited if self._is_last(server) else self._patience.limited / 10
        if waited + wait > allowed:
            raise ModelFault("limited", f"{server.endpoint.name} {trouble.detail}")
        if wait >= TOLD_WAIT and not server.resting:
            self._say(f"{server.endpoint.name} {trouble.detail}: waiting {wait:.0f} seconds")
        server.rest(wait)
        # Not all of them at the same moment.
        await self._clock.sleep(wait + min(wait, 1.0) * self._clock.chance())
        return max(wait, backoff.first)

    def _failed(self, server: Server, trouble: Trouble, *, at_once: bool = False) -> None:
        """The question is given up here; after a few in a row, or at once, the endpoint is left, which is said once."""
        server.failures += 1
        if not server.left and (at_once or server.failures >= self._patience.failures):
            server.left = trouble.detail
            others = [one.endpoint for one in self._servers if not one.left]
            then = f"going on with {others[0].model} at {others[0].name}" if others else "no model is left"
            told = f"the model {server.endpoint.model} is left: {server.endpoint.name} {trouble.detail}"
            self.left.append(told)
            self._say(f"{told}; {then}")
        raise ModelFault("unreachable", f"{server.endpoint.name} {trouble.detail}")

    def _is_last(self, server: Server) -> bool:
        later = self._servers[self._servers.index(server) + 1 :]
        return all(one.left for one in later)

    # --- one request -------------------------------------------------------------------------------------------------

    async def _once(
        self, server: Server, question: Question, messages: Sequence[Mapping[str, str]], options: Mapping[str, Any]
    ) -> Reply:
        endpoint, most = server.endpoint, question.prompt.most
        form = compact(options.get("response_format", {}))
        feared = sum(most_tokens(one["content"]) for one in messages) + most_tokens(form)
        async with self._slot(server):
            held = await self.purse.hold(feared + most, endpoint.money(feared, most))
            used, paid, counted = 0, None, Usage()
            try:
                reply = await server.connection.send(messages, options)
                paid = endpoint.money(reply.prompt_tokens, reply.completion_tokens)
                counted = Usage(1, reply.prompt_tokens, reply.completion_tokens, paid)
                used = reply.prompt_tokens + reply.completion_tokens
                if not reply.counted:
                    used, paid = feared + most, endpoint.money(feared, most)
            except Trouble as trouble:
                counted = Usage(1, money=endpoint.money(0, 0))
                if trouble.kind == "slow":  # the server may have worked on it all that time
                    used, paid = feared + most, endpoint.money(feared, most)
                raise
            finally:
                self.purse.settle(held, used, paid)
                self.purse.count(endpoint.model, counted, stage=question.prompt.stage)
                question.used, question.total = plus(question.used, counted), plus(question.total, counted)
        return reply

    @asynccontextmanager
    async def _slot(self, server: Server) -> AsyncIterator[None]:
        """One of the requests under way; while the server rests, nobody holds a place."""
        while True:
            if server.left:
                raise ModelFault("unreachable", f"{server.endpoint.name} {server.left}")
            async with self._slots:
                if not server.resting and not server.left:
                    yield
                    return
            await self._clock.sleep(server.resting)


def _fits(server: Server, prompt: Prompt, before: Judged) -> bool:
    """Whether the model takes all that is sent, with the form and the reason where these are told in words."""
    messages = server.form.messages(prompt, before.wrong, formless=before.formless)
    needed = sum(tokens(one["content"]) for one in messages) + prompt.most
    return not server.endpoint.context or needed <= server.endpoint.context


def _judged(reply: Reply, question: Question) -> Judged:
    """An object of the schema that is accepted, or what is wrong."""
    if reply.refused:
        return Judged(None, "refused", "the content was refused")
    data, wrong = object_in(reply.text, question.prompt.schema)
    if reply.cut and data is None:
        return Judged(None, "cut", f"it was longer than {question.prompt.most} tokens and was cut; be shorter")
    if not reply.text.strip():
        return Judged(None, "empty", "it was empty")
    if data is None:
        return Judged(None, "malformed", wrong, formless=True)
    refused = question.accept(data) if question.accept is not None else None
    if refused is None:
        return Judged(data)
    return Judged(None, "language" if isinstance(refused, WrongLanguage) else "malformed", str(refused))


def _final(faults: Sequence[ModelFault], used: Usage) -> ModelFault:
    """What is told when no endpoint gave an answer: what the caller can act on comes first."""
    by_use = {"budget": 0, "too_long": 1}
    worst = min(faults, key=lambda fault: by_use.get(fault.refusal, 3 - (fault.refusal in LASTING)))
    return ModelFault(worst.refusal, worst.detail, used, kept=all(fault.kept for fault in faults))

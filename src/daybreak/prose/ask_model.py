"""Asks a model and sorts what it says: what stands, what goes back once with the reason, what is dropped."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec import field as struct_field
from msgspec.structs import replace

from daybreak.core.config.sections import GRADES
from daybreak.core.model.drafts import Case, Draft, Fate, Outcome
from daybreak.core.model.items import Pull
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Grounding, Statement
from daybreak.judge.rules import RuleAnalyst
from daybreak.prose.llm import Model, ModelFault, Usage
from daybreak.prose.questions import MOST, Asker, Limits, Question, Standing, Told, drafts_of

# --- The analyst whose prose a model writes: grades, stories and facts by the rules, and the order in which changes are asked about ---


class ModelAnalyst(RuleAnalyst):
    """Everything that no model may decide is the rules'; `daybreak.prose.model_prose` asks and `retold` joins the words."""


class Subject(Struct, frozen=True):
    """One change to ask about."""

    repo: str
    entry: Entry
    pull: Pull | None = None


class Plan(Struct, frozen=True):
    """The changes to ask about, most important first, and how many are below the grade."""

    subjects: tuple[Subject, ...]
    below: int


def planned(repos: Sequence[RepoReport], forge: ForgeDay | None, grade: str) -> Plan:
    """Importance decides who is asked about first, and so whom the budget reaches; the rest is for the same bytes."""
    pulls = {(a.repo, p.number): p for a in forge.activities for p in a.pulls} if forge is not None else {}
    wanted = GRADES[: GRADES.index(grade) + 1]
    subjects, below = [], 0
    for repo in repos:
        for entry in (*repo.entries, *repo.late):
            change = entry.change
            if change.filtered or change.empty or change.skipped is not None:
                continue
            if entry.importance.level not in wanted:
                below += 1
                continue
            subjects.append(Subject(repo.repo.name, entry, pulls.get((repo.repo.name, change.pr or 0))))
    subjects.sort(key=lambda one: (-one.entry.importance.score, one.repo, one.entry.change.sha))
    return Plan(tuple(subjects), below)


Made = TypeVar("Made")
Stands = Callable[[Draft, Question, str], Fate]
"""Holds a draft against all that its question showed; the last argument is the section it was written for."""
Critic = Callable[[Fate, Case], Awaitable[Fate]]
"""A second opinion about what stands so far: the same fate, or a dropped one."""
JOINED = "joined"
"""Reason of statements that went into others."""
TOO_MANY = "too_many"
"""Reason of statements beyond those that were asked for."""
_ROUNDS = 4
"""Times that parts are joined again before what there is is taken as it is."""


@dataclass(slots=True)
class Heard:
    """What came of one question or of several."""

    standing: list[Standing] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(one.statement for one in self.standing)

    def grounding(self) -> Grounding:
        kept, dropped = len(self.standing), self.dropped.total()
        return Grounding(kept + dropped, kept, dropped, dict(sorted(self.dropped.items())))

    def replaced(self, by: list[Standing], reason: str = JOINED) -> None:
        """What stood until now gives way to these: it is joined into them, or there is no room for it."""
        gone = len(self.standing) - sum(one in self.standing for one in by)
        self.standing = by
        if gone:
            self.dropped[reason] += gone


class Result(Struct, frozen=True):
    """What came of one change."""

    outcome: Outcome
    heard: Heard = struct_field(default_factory=Heard)
    detail: str = ""
    unread: int = 0
    """Pieces of evidence that no answered question showed."""


class Meter:
    """What the answers in use cost when they were first made, and who gave them."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str]] = Counter()
        self.unheard = 0
        """Statements that the second model gave no answer about."""
        self._usages: list[Usage] = []

    def add(self, usage: Usage, endpoint: str = "", model: str = "") -> None:
        self._usages.append(usage)
        if model:
            self.answers[(endpoint, model)] += 1

    def total(self) -> Usage:
        """The same sum in whatever order they came."""
        paid = [usage.money for usage in self._usages if usage.money is not None]
        return Usage(
            sum(usage.requests for usage in self._usages),
            sum(usage.prompt_tokens for usage in self._usages),
            sum(usage.completion_tokens for usage in self._usages),
            round(fsum(paid), 9) if paid else None,
        )


class Inquiry:
    """One model, asked about changes and summaries.

    Questions are made and answers judged in one thread of their own: the event loop is left to the requests, so that
    a free slot of the server is taken at once.
    """

    def __init__(
        self,
        model: Model,
        asker: Asker,
        stands: Stands,
        meter: Meter,
        thinker: Executor,
        critic: Critic | None = None,
    ) -> None:
        self._model, self._asker, self._stands, self._meter, self._critic = model, asker, stands, meter, critic
        self._thinker = thinker

    async def _thought(self, work: Callable[[], Made]) -> Made:
        return await asyncio.get_running_loop().run_in_executor(self._thinker, work)

    async def change(self, subject: Subject, limits: Limits) -> Result:
        """What the model says of a change and the checks let stand; smaller prompts where the model wants them."""
        while True:
            try:
                return await self._change(subject, limits)
            except ModelFault as fault:
                smaller = limits.halved() if fault.refusal == "too_long" else None
                if smaller is None:
                    return Result("budget" if fault.refusal == "budget" else "fault", detail=fault.refusal)
                limits = smaller

    async def _change(self, subject: Subject, limits: Limits) -> Result:
        entry, repo, pull = subject.entry, subject.repo, subject.pull
        asking = await self._thought(lambda: self._asker.about_change(entry, repo, pull, limits))
        answers = await asyncio.gather(*(self._tried(question, limits) for question in asking.questions))
        faults = [one for one in answers if isinstance(one, ModelFault)]
        for fault in faults:
            if fault.refusal == "too_long" or len(faults) == len(answers):
                raise fault
        heard = _together([one for one in answers if isinstance(one, Heard)])
        shown = zip(asking.questions, answers, strict=True)
        unread = asking.unread + sum(len(q.case.pieces) for q, one in shown if isinstance(one, ModelFault))
        if len(asking.questions) > 1:
            await self._joined(subject, heard, limits)
        return Result("told" if heard.standing else "rules", heard, unread=unread)

    async def _tried(self, question: Question, limits: Limits) -> Heard | ModelFault:
        try:
            return await self.ask(question, limits)
        except ModelFault as fault:
            return fault

    async def _joined(self, subject: Subject, heard: Heard, limits: Limits) -> None:
        """What was found in parts, as one account; where that cannot be had, the first of what was found."""
        for _ in range(_ROUNDS):
            if len(heard.standing) < 2:
                break
            questions = await self._thought(
                lambda: self._asker.joining(subject.entry, subject.repo, heard.standing, subject.pull, limits)
            )
            answers = await asyncio.gather(*(self._tried(question, limits) for question in questions))
            found = _together([one for one in answers if isinstance(one, Heard)])
            if len(found.standing) == 0 or any(isinstance(one, ModelFault) for one in answers):
                break
            heard.dropped += found.dropped
            heard.replaced(found.standing)
            if len(questions) == 1:
                break
        heard.replaced(heard.standing[: MOST[subject.entry.importance.level]], TOO_MANY)

    async def summed_up(
        self, told: Sequence[Told], make: Callable[[Sequence[Told]], list[Question]], limits: Limits
    ) -> Heard | ModelFault | None:
        """Statements about many statements; None when there is nothing to ask or no room to ask it."""
        out = Heard()
        for _ in range(_ROUNDS):
            questions = await self._thought(partial(make, told))
            if not questions:
                return out if out.standing else None
            answers = await asyncio.gather(*(self._tried(question, limits) for question in questions))
            for one in answers:
                if isinstance(one, ModelFault):
                    return one
            found = _together([one for one in answers if isinstance(one, Heard)])
            out.dropped += found.dropped
            out.replaced(found.standing)
            if len(questions) == 1 or not found.standing:
                break
            told = [Told(_home(one, questions), one.statement) for one in found.standing]
        return out

    async def ask(self, question: Question, limits: Limits) -> Heard:
        """One question; drafts that do not stand go back once with the reason. Raises when there is no answer."""
        fates = await self._answered(question)
        heard = Heard([one for one in fates if isinstance(one, Standing)])
        refused = [one for one in fates if isinstance(one, Fate)]
        heard.dropped.update(one.reason for one in refused if one.reason == TOO_MANY)
        refused = [one for one in refused if one.reason != TOO_MANY]
        again = self._asker.again(question, refused, limits) if refused else None
        if again is not None:
            try:
                second = await self._answered(again)
            except ModelFault:
                second = []
            heard.standing += [one for one in second if isinstance(one, Standing)]
            lasting = [one for one in second if isinstance(one, Fate)]
            # A draft that did not come back was given up: it is dropped for its first reason.
            refused = lasting + refused[len(second) :]
        heard.dropped.update(fate.reason for fate in refused)
        return heard

    async def _answered(self, question: Question) -> list[Standing | Fate]:
        try:
            answer = await self._model.ask(question.prompt)
        except ModelFault as fault:
            self._meter.add(fault.usage)
            raise
        self._meter.add(answer.usage, answer.endpoint, answer.model)
        judged = await self._thought(lambda: self._judged(answer.data, question))
        fates: list[Standing | Fate] = []
        for section, found in judged:
            fate = found
            if fate.statement is not None and sum(isinstance(one, Standing) for one in fates) >= question.most:
                fate = replace(fate, statement=None, reason=TOO_MANY)
            elif fate.statement is not None and self._critic is not None:
                fate = await self._critic(fate, question.case)
            if fate.statement is None:
                fates.append(fate)
            else:
                fates.append(Standing(fate.statement, fate.draft, question.case.names, section))
        return fates

    def _judged(self, data: Mapping[str, Any], question: Question) -> list[tuple[str, Fate]]:
        drafts = drafts_of(data, self._asker.languages)
        return [(section, self._stands(draft, question, section)) for section, draft in drafts]


def _together(some: Sequence[Heard]) -> Heard:
    out = Heard()
    for one in some:
        out.standing += one.standing
        out.dropped += one.dropped
    return out


def _home(one: Standing, questions: Sequence[Question]) -> str:
    """The repository that a statement about statements speaks of first."""
    homes = {ref: home for question in questions for ref, home in question.homes.items()}
    return next((homes[ref] for ref in one.draft.refs if ref in homes), "")

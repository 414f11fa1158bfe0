"""Asks a model and sorts what it says: what stands, what goes back with the reason, what is dropped."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, field
from math import fsum
from typing import TypeVar

from msgspec import Struct
from msgspec import field as struct_field
from msgspec.structs import replace

from daybreak.core.config.sections import GRADES
from daybreak.core.model.changes import Exposure
from daybreak.core.model.drafts import Case, Draft, Fate, Outcome, Span
from daybreak.core.model.items import Pull
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Grounding, Hit, ModelReading, Severity, Statement
from daybreak.judge.rules import RuleAnalyst
from daybreak.prose.batch import Frames, batches
from daybreak.prose.critic import Opinion, Opinions, critic_prompt, opinions
from daybreak.prose.fault_lines import located, named
from daybreak.prose.form import SEVERITIES, Filled, filled
from daybreak.prose.llm import Answer, Model, ModelFault, Prompt, Usage
from daybreak.prose.paragraphs import LEANS, begins, carried, headless, in_place, origin
from daybreak.prose.questions import MOST, Asker, Limits, Question, Standing
from daybreak.prose.ranking import Key, ranking
from daybreak.prose.surroundings import Surroundings
from daybreak.prose.triage import looks

# --- The analyst whose prose a model writes: grades, stories and facts by the rules, and the order in which changes are asked about ---


class ModelAnalyst(RuleAnalyst):
    """Everything that no model may decide is the rules'; `daybreak.prose.model_prose` asks and `retold` joins the words."""


class Subject(Struct, frozen=True):
    """One change to ask about."""

    repo: str
    entry: Entry
    pull: Pull | None = None


class Plan(Struct, frozen=True):
    """The changes to ask about, most important first, and those below the grade."""

    subjects: tuple[Subject, ...]
    below: tuple[Subject, ...]


def planned(repos: Sequence[RepoReport], forge: ForgeDay | None, grade: str) -> Plan:
    """Importance decides who is asked about first, and so whom the budget reaches; the rest is for the same bytes."""
    pulls = {(a.repo, p.number): p for a in forge.activities for p in a.pulls} if forge is not None else {}
    wanted = GRADES[: GRADES.index(grade) + 1]
    subjects: list[Subject] = []
    below: list[Subject] = []
    for repo in repos:
        for entry in (*repo.entries, *repo.late):
            change = entry.change
            if change.filtered or change.empty or change.skipped is not None:
                continue
            chosen = subjects if entry.importance.level in wanted else below
            chosen.append(Subject(repo.repo.name, entry, pulls.get((repo.repo.name, change.pr or 0))))
    subjects.sort(key=lambda one: (-one.entry.importance.score, one.repo, one.entry.change.sha))
    return Plan(tuple(subjects), tuple(below))


Made = TypeVar("Made")
Stands = Callable[[Fate, Question, str], Fate]
"""Holds what the frame let stand against the report's own facts; the last argument is the section it was written for."""
Around = Callable[[str], Surroundings | None]
"""Repository -> what surrounds its changes, where its mirror can be read."""
TOO_MANY = "too_many"
"""Reason of statements beyond those that were asked for."""


@dataclass(slots=True)
class Heard:
    """What came of one question or of several."""

    standing: list[Standing] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    severity: Severity | None = None
    hit: Hit | None = None
    refuted: frozenset[str] = frozenset()
    """Ids of findings that model and critic both hold for wrong."""
    fault: tuple[str, ...] = ()
    """Of a fix, lines of the code before it in which what it mends lies."""
    harm: bool | None = None
    """Whether the critic found the severity in the lines."""
    brings: bool = False
    """What leads rests on a line by which somebody loses what worked, and no line of a fault is named."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(one.statement for one in self.standing)

    @property
    def reading(self) -> ModelReading | None:
        """The model's reading of the change as a whole, where something of what it said stands."""
        if not self.standing and not self.refuted:
            return None
        led = any(one.lead for one in self.standing[:1])
        return ModelReading(
            self.severity, self.hit, tuple(sorted(self.refuted)), led=led, brings=led and self.brings, shown=self.harm
        )

    def grounding(self) -> Grounding:
        kept, dropped = len(self.standing), self.dropped.total()
        return Grounding(kept + dropped, kept, dropped, dict(sorted(self.dropped.items())))

    def replaced(self, by: list[Standing], reason: str) -> None:
        """What stood until now gives way to these: there is no room for it."""
        gone = len(self.standing) - sum(one in self.standing for one in by)
        self.standing = by
        if gone:
            self.dropped[reason] += gone


class Round(Struct, frozen=True):
    """What came of one answer and of the critic's about it."""

    standing: tuple[Standing, ...] = ()
    refused: tuple[Fate, ...] = ()
    """These go back."""
    fallen: tuple[str, ...] = ()
    """Reasons of those that do not."""
    form: Filled = Filled()
    refuted: frozenset[str] = frozenset()
    harm: bool | None = None


class Result(Struct, frozen=True):
    """What came of one change."""

    outcome: Outcome
    heard: Heard = struct_field(default_factory=Heard)
    detail: str = ""
    unread: int = 0
    """Pieces of evidence that no answered question showed."""
    exposure: Exposure | None = None
    """Who has what it mends, where the lines that the writer named decide it."""


class Meter:
    """What the answers in use cost when they were first made, and who gave them."""

    def __init__(self) -> None:
        self.answers: Counter[tuple[str, str]] = Counter()
        self.unheard = 0
        """Sentences that the critic gave no answer about."""
        self.unlooked: set[str] = set()
        """Changes below the grade that no answer came about."""
        self.mended = 0
        """Sentences that came back so that they stand."""
        self.weighed, self.unranked = 0, 0
        """Changes that were weighed beside each other, or for which no usable answer came."""
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
        critic: Model | None = None,
        around: Around = lambda _: None,
    ) -> None:
        self._around = around
        self._model, self._asker, self._stands, self._meter, self._critic = model, asker, stands, meter, critic
        self._thinker = thinker

    async def _thought(self, work: Callable[[], Made]) -> Made:
        return await asyncio.get_running_loop().run_in_executor(self._thinker, work)

    async def brought_up(self, repo: str, below: Sequence[Subject], limits: Limits) -> list[Subject]:
        """Those of the changes below the grade that a cheap look holds for worth reading; what no answer came about is counted."""
        subjects = {subject.entry.change.sha: subject for subject in below}
        made = await self._thought(lambda: looks(repo, [subject.entry for subject in below], limits.prompt))
        found: list[Subject] = []
        for look in made:
            try:
                answer = await self._asked(self._model, look.prompt)
            except ModelFault:
                self._meter.unlooked |= {entry.change.sha for entry in look.entries.values()}
                continue
            found += [subjects[entry.change.sha] for entry in look.wanted(answer.data)]
        return found

    async def briefly(self, repo: str, subjects: Sequence[Subject], limits: Limits) -> list[tuple[Subject, Result]]:
        """What the model says in a sentence each of many changes; smaller batches where it wants them. Without an answer none."""
        of = {subject.entry.change.sha: subject for subject in subjects}
        some = [(subject.entry, subject.pull) for subject in subjects]
        made, left = await self._thought(lambda: batches(self._asker, repo, some, limits, self._around(repo)))
        self._meter.unlooked |= left
        answers = await asyncio.gather(*(self._tried(question, limits) for question in made))
        found: list[tuple[Subject, Result]] = []
        for question, heard in zip(made, answers, strict=True):
            shas = {case.about for case in question.batch.values()}
            if isinstance(heard, Heard):
                self._meter.unlooked -= shas
                found += [(of[sha], one) for sha, one in _shared_out(question, heard)]
            elif heard.refusal == "too_long" and (smaller := limits.halved()) and not smaller.small:
                found += await self.briefly(repo, [of[sha] for sha in shas], smaller)
            else:
                self._meter.unlooked |= shas
        return found

    async def ranked(self, repos: Sequence[RepoReport], limits: Limits) -> dict[Key, int]:
        """The place of each change that was told, beside all others; nothing for a small model, or without an answer."""
        made = None if limits.small else await self._thought(lambda: ranking(repos, limits.prompt))
        if made is None:
            return {}
        try:
            places = made.places((await self._asked(self._model, made.prompt)).data)
        except ModelFault:
            places = {}
        self._meter.weighed, self._meter.unranked = len(places), 0 if places else len(made.keys)
        return places

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
        asking = await self._thought(lambda: self._asker.about_change(entry, repo, pull, limits, self._around(repo)))
        answers = await asyncio.gather(*(self._tried(question, limits) for question in asking.questions))
        faults = [one for one in answers if isinstance(one, ModelFault)]
        for fault in faults:
            if fault.refusal == "too_long" or len(faults) == len(answers):
                raise fault
        parts = [one for one in answers if isinstance(one, Heard)]
        heard = _together(parts)
        shown = zip(asking.questions, answers, strict=True)
        unread = asking.unread + sum(len(q.case.pieces) for q, one in shown if isinstance(one, ModelFault))
        if len(asking.questions) > 1:
            heard.replaced(_one_paragraph(parts, MOST[entry.importance.level]), TOO_MANY)
        around = self._around(repo)
        exposure = entry.exposure
        if around is not None and heard.fault:
            exposure = await self._thought(lambda: located(entry, heard.fault, around.trees))
        exposure = named(exposure, entry, heard.statements, heard.severity if self._critic is not None else None)
        return Result("told" if heard.standing else "rules", heard, unread=unread, exposure=exposure)

    async def _tried(self, question: Question, limits: Limits) -> Heard | ModelFault:
        try:
            return await self.ask(question, limits)
        except ModelFault as fault:
            return fault

    async def summed_up(self, make: Callable[[], Question | None], limits: Limits) -> Heard | ModelFault | None:
        """Statements about many statements; None when there is nothing to ask or no room to ask it."""
        question = await self._thought(make)
        return await self._tried(question, limits) if question is not None else None

    async def ask(self, question: Question, limits: Limits) -> Heard:
        """One question; what does not stand goes back once with the line or word at fault. Raises when there is no answer."""
        frame = await self._thought(lambda: Frames(question))
        first = await self._round(question, frame)
        rows, refused = first.form.drafts, [fate.draft for fate in first.refused]
        heard = Heard([], Counter(first.fallen), first.form.severity, first.form.hit, first.refuted, harm=first.harm)
        heard.fault = tuple(_bare(span) for span in first.form.fault if _was_code(span, frame))
        mended = await self._mended(question, frame, first, heard, limits)
        heard.standing = in_place(rows, first.standing, refused, mended)
        heard.replaced(list(carried(rows, heard.standing)), LEANS)
        tells = {span for one in heard.standing[:1] for span in one.draft.spans}
        heard.brings = not heard.fault and not tells.isdisjoint(first.form.lost)
        return heard

    async def _mended(
        self, question: Question, frame: Frames, first: Round, heard: Heard, limits: Limits
    ) -> list[Standing]:
        """What came back so that it stands. What tells the whole has a third try: without it a reader is told of a part."""
        mended: list[Standing] = []
        open_: Sequence[Fate] = first.refused
        for last in (bool(question.batch or question.rests or question.small), True):
            again = self._asker.again(question, open_, limits) if open_ else None
            found = Round()
            if again is not None:
                with suppress(ModelFault):
                    found = await self._round(again, frame, first)
            heard.dropped.update(found.fallen)
            heard.harm = heard.harm if heard.harm is not None else found.harm
            mended += found.standing
            # A sentence that did not come back was given up: it is dropped for its first reason.
            settled = len(found.standing) + len(found.fallen)
            refused = found.refused[: max(len(open_) - settled, 0)]
            heard.dropped.update(fate.reason for fate in open_[settled + len(refused) :])
            open_ = [] if last else _lead_again(first, replace(found, refused=refused))
            heard.dropped.update(fate.reason for fate in refused if fate not in open_)
            if not open_:
                break
        self._meter.mended += len(mended)
        return mended

    async def _round(self, question: Question, frame: Frames, first: Round | None = None) -> Round:
        """One answer held in the frame, and what then stands before the critic; what stood at first is not judged again."""
        answer = await self._asked(self._model, question.prompt)
        form = filled(answer.data, self._asker.languages)
        known = [one.draft for one in first.standing] if first is not None else []
        rows = [row for row in form.drafts if row[1] not in known]
        fates = await self._thought(lambda: [self._judged(draft, question, frame, section) for section, draft in rows])
        told = headless(fates, rows) if first is None else fates
        judged = [(section, fate) for (section, _), fate in zip(rows, told, strict=True)]
        good = [(section, fate) for section, fate in judged if fate.statement is not None]
        refused = [fate for _, fate in judged if fate.statement is None]
        homes = [fate.draft.home for _, fate in good]
        kept = [one for n, one in enumerate(good) if homes[:n].count(homes[n]) < question.most]
        fallen, good = [TOO_MANY] * (len(good) - len(kept)), kept
        # How bad it is goes to the critic once, with the first sentences that it sees.
        read = form.severity if first is None else first.form.severity if first.harm is None else None
        severity = None if question.batch or question.rests else read
        found = await self._criticised([fate.draft for _, fate in good], question, frame, severity)
        # What tells the whole of a change is worth a second try where it says more than is shown; all else then falls.
        leads = [rows[at][1] for at in begins(rows)] if first is None and not question.rests else []
        standing = []
        for at, (section, fate) in enumerate(good):
            opinion = found.each[at]
            if opinion.verdict == "contradicted" and opinion.line is not None:
                fault = replace(fate, statement=None, reason="contradicted", detail=opinion.line.line)
                refused.append(replace(fault, at=(opinion.line.ref, *_cited_beside(fate.draft, rows))))
            elif _may_be_said_less(opinion, fate.draft in leads):
                fault = replace(fate, statement=None, reason=opinion.verdict, detail=opinion.when)
                refused.append(replace(fault, at=_cited_beside(fate.draft, rows)))
            elif opinion.verdict != "carried" or at in found.exclusive:
                fallen.append(opinion.verdict if opinion.verdict != "carried" else "excludes_another")
            elif fate.statement is not None:
                standing.append(Standing(fate.statement, fate.draft, section))
        return Round(
            tuple(standing),
            tuple(refused),
            tuple(fallen),
            form,
            self._refuted(form, found, frame, question.case),
            found.harm,
        )

    async def _criticised(
        self, drafts: Sequence[Draft], question: Question, frame: Frames, severity: Severity | None
    ) -> Opinions:
        """The critic's opinion of each; without a critic or its answer names and numbers alone are checked, and that is counted."""
        unasked = Opinions((Opinion("carried"),) * len(drafts))
        if self._critic is None or not drafts:
            return unasked
        prompt = await self._thought(lambda: critic_prompt(question.case, drafts, self._asker.languages, severity))
        try:
            answer = await self._asked(self._critic, prompt)
        except ModelFault:
            self._meter.unheard += len(drafts)
            return unasked
        return await self._thought(lambda: opinions(answer.data, drafts, frame, severity))

    async def _asked(self, model: Model, prompt: Prompt) -> Answer:
        try:
            answer = await model.ask(prompt)
        except ModelFault as fault:
            self._meter.add(fault.usage)
            raise
        self._meter.add(answer.usage, answer.endpoint, answer.model)
        return answer

    def _judged(self, draft: Draft, question: Question, frame: Frames, section: str) -> Fate:
        fate = frame.fate(draft)
        return self._stands(fate, question, section) if fate.statement is not None else fate

    @staticmethod
    def _refuted(form: Filled, found: Opinions, frame: Frames, case: Case) -> frozenset[str]:
        """Findings that writer and critic both hold for wrong, each with a line that stands in the diff."""
        ids = {piece.ref: piece.id.removeprefix("finding:") for piece in case.pieces if piece.ref.startswith("F")}
        theirs = {one.finding for one in found.refuted}
        shown = (one for one in form.refuted if one.span.ref.startswith("D") and frame.side_of(one.span) is not None)
        mine = {one.finding for one in shown}
        return frozenset(ids[ref] for ref in mine & theirs if ref in ids)


def _lead_again(first: Round, found: Round) -> list[Fate]:
    """What came back for a sentence that tells the whole, where that does not stand yet."""
    rows, drafts = first.form.drafts, [fate.draft for fate in first.refused]
    leads = [rows[at][1] for at in begins(rows) if rows[at][1] in drafts]
    if any(origin(one.draft, drafts) in leads for one in found.standing):
        return []
    return [fate for fate in found.refused if origin(fate.draft, drafts) in leads][:1]


def _was_code(span: Span, frame: Frames) -> bool:
    return span.ref.startswith("D") and frame.side_of(span) in ("-", " ")


def _bare(span: Span) -> str:
    return span.line.removeprefix("-").strip()


def _may_be_said_less(opinion: Opinion, tells_whole: bool) -> bool:
    """It holds under a narrower condition, or it tells the whole and says more than is shown, or nothing: worth a second try."""
    return opinion.verdict == "narrower" or (opinion.verdict in ("not_shown", "empty") and opinion.said and tells_whole)


def _cited_beside(draft: Draft, rows: Sequence[tuple[str, Draft]]) -> tuple[str, ...]:
    """What the other sentences about the same change rest on: a narrower one may need it."""
    return tuple(ref for _, one in rows if one.home == draft.home for ref in one.cited)


def _shared_out(question: Question, heard: Heard) -> Iterator[tuple[str, Result]]:
    """Each change's own sentences, and nothing of what the answer says of all; what fell is counted with the first."""
    fell = heard.dropped
    for home, case in question.batch.items():
        own = Heard([one for one in heard.standing if one.draft.home == home], fell)
        fell = Counter()
        yield case.about, Result("told" if own.standing else "rules", own)


def _one_paragraph(parts: Sequence[Heard], most: int) -> list[Standing]:
    """Of a change that was read in parts what the most telling of them says, and of each other the sentence that tells the whole of it."""
    first, *others = [one.standing for one in parts if one.standing] or [[]]
    leads = [one for other in others for one in other[:1] if one.lead][: most - 1]
    return [*first[: most - len(leads)], *leads]


def _together(some: Sequence[Heard]) -> Heard:
    out = Heard()
    for one in some:
        out.standing += one.standing
        out.dropped += one.dropped
        out.refuted |= one.refuted
        out.fault += one.fault
        if out.severity is None or (one.severity and SEVERITIES.index(one.severity) < SEVERITIES.index(out.severity)):
            out.severity, out.hit, out.harm, out.brings = one.severity, one.hit, one.harm, one.brings
    return out

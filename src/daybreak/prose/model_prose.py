"""A report retold by a model: asked about the most important changes first, every answer held against the facts.

The report comes in whole, made by rules; whatever the model cannot or may not say stays as it was. Its reading moves a
grade by one step at most and gives the first screen its consequence; findings, stories and links are the rules' alone.
Answers are kept by content as they arrive, so an interrupted run loses only those that were under way, and a second run
asks nothing.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.errors import DaybreakError, GitError
from daybreak.core.model.day import MOST_ACTIONS, MOST_ALSO, Action
from daybreak.core.model.drafts import Case, Draft, Fate, Left, Retelling
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.rollup import Rollup
from daybreak.core.model.statements import Grounding, Statement
from daybreak.core.text import named, outside
from daybreak.findings.trees import Where
from daybreak.judge.checks.day import forge_evidence
from daybreak.judge.checks.evidence import FactEvidence, day_evidence
from daybreak.judge.checks.statements import total
from daybreak.judge.conclusion import conclusion
from daybreak.judge.day import summary
from daybreak.judge.first_screen import first_screen
from daybreak.judge.headline import is_of
from daybreak.judge.interface import Judgement
from daybreak.judge.model_reading import regraded, remarked
from daybreak.prose.ask_model import Around, Heard, Inquiry, Made, Meter, Plan, Result, Subject, planned
from daybreak.prose.batch import apart
from daybreak.prose.frame import GONE
from daybreak.prose.held import held, widened
from daybreak.prose.llm import Model, ModelFault
from daybreak.prose.merge_model_text import made_way, retold, whole
from daybreak.prose.plain_sentence import blank
from daybreak.prose.prompt_files import prompt_version
from daybreak.prose.questions import Asker, Limits, Question
from daybreak.prose.ranking import placed
from daybreak.prose.span_prose import SpanQuestion
from daybreak.prose.sum_questions import Told, about_day, about_repository, threads, worth_summing_up
from daybreak.prose.surroundings import Surroundings

Results = Sequence[tuple[Subject, Result]]
DEFAULT_LIMITS = Limits()
NOT_THE_FIRST = "not_the_first"


class Wanted(Struct, frozen=True):
    """What is asked for, from the config."""

    grade: str = "medium"
    slots: int = 8
    limits: Limits = DEFAULT_LIMITS
    changes: int = 0
    """Changes of a day that are asked about at most; 0: all from the grade on."""
    preferred: str = ""
    """Endpoint that the config names first."""


class Telling:
    """Retells the reports of a run; one event loop for all of them, so that connections and sums live on."""

    def __init__(
        self,
        open_model: Callable[[], Model],
        asker: Asker,
        wanted: Wanted,
        critic: Model | None = None,
        say: Callable[[str], None] = lambda _: None,
        around: Around = lambda _: None,
    ) -> None:
        self._around = around
        self._open, self._asker, self._wanted = open_model, asker, wanted
        self._critic, self._say = critic, say
        self._runner = asyncio.Runner()
        self._thinker = ThreadPoolExecutor(1, "telling")
        self._model: Model | None = None

    def tell(self, report: Judgement) -> Judgement:
        """The same report with what the model says and the checks let stand."""
        return self._runner.run(self._told(report))

    def sum_up(self, span: Rollup) -> Rollup:
        """A week or a month with what the model says of the whole and the checks let stand; without an answer as it was."""
        return self._runner.run(self._summed_up(span))

    async def _summed_up(self, span: Rollup) -> Rollup:
        asked = SpanQuestion(self._asker, self._wanted.limits, span)
        if not asked.told:
            return span
        self._say(f"{span.label}: asking the model about the whole")
        meter, thinks = Meter(), (self._thinker, self._critic, self._around)
        heard = await asked.answered(Inquiry(self._opened(), self._asker, asked.stands, meter, *thinks))
        if heard is None:
            self._say(f"{span.label}: no answer about the whole: told by rules")
            return span
        return replace(span, prose=asked.prose(heard, meter))

    def _opened(self) -> Model:
        if self._model is None:
            self._model = self._open()
        return self._model

    async def _told(self, report: Judgement) -> Judgement:
        plan = planned(report.repos, report.forge, self._wanted.grade)
        if plan.subjects:
            self._say(f"{report.window.label}: asking the model about {len(plan.subjects)} changes")
        day = _Day(self._asker, self._wanted, report, plan, self._critic is not None)
        day.at_end = EndNames(self._around, {repo.repo.name: repo.head for repo in report.repos})
        thinks = self._thinker, self._critic, self._around
        day.inquiry = Inquiry(self._opened(), self._asker, day.stands, day.meter, *thinks)
        told = await day.told()
        for line in _unanswered(day.meter):
            self._say(f"{report.window.label}: {line}")
        return told

    def close(self) -> None:
        try:
            for one in {id(one): one for one in (self._model, self._critic) if one is not None}.values():
                self._runner.run(one.close())
        finally:
            self._runner.close()
            self._thinker.shutdown(cancel_futures=True)


class _Day:
    """One report on its way."""

    inquiry: Inquiry
    at_end: EndNames

    def __init__(self, asker: Asker, wanted: Wanted, report: Judgement, plan: Plan, criticised: bool) -> None:
        self._asker, self._wanted, self._report, self._plan = asker, wanted, report, plan
        self._criticised = criticised
        self._facts = _facts(report)
        self.meter = Meter()
        self._left: list[Left] = []
        self._first = ""

    async def told(self) -> Judgement:
        await self._triaged()
        results = await self._changes()
        repos = await self._ranked([self._retold(repo, results) for repo in self._report.repos])
        self._facts = _facts(replace(self._report, repos=tuple(repos)))  # with the marks that a model's reading gave
        told = {subject.repo for subject, one in results if one.outcome == "told"}
        heard = await asyncio.gather(*(self._assessed(repo, repo.repo.name in told) for repo in repos))
        repos = [_with_assessment(repo, one) for repo, one in zip(repos, heard, strict=True)]
        actions, also = first_screen(repos) if told else ((), ())
        day = await self._summed_up(repos, actions[:MOST_ACTIONS], also[:MOST_ALSO]) if told else Heard()
        briefly = await self._briefly()
        repos = [self._retold(repo, briefly) for repo in repos]
        report = self._report
        if told or any(one.outcome == "told" for _, one in briefly):
            actions, also = first_screen(repos)
            report = replace(report, actions=actions, also=also, asking=None)
            # The model's summary begins with the first of what asks for action.
            first = actions[:MOST_ACTIONS] if not day.standing else ()
            report = replace(
                report, summary=summary(repos, first), conclusion=conclusion(repos, actions[:MOST_ACTIONS])
            )
        report = replace(
            report,
            repos=tuple(repos),
            summary=_placed(report.summary, day, ("summary", "across")),
            conclusion=(*report.conclusion, *_of(day, ("conclusion",))),
            lead=next(iter(_of(day, ("headline",))), None),
            # Those that stand are counted where the day's statements are checked.
            grounding=replace(day.grounding(), statements=day.dropped.total(), kept=0),
        )
        made = [one.heard.grounding() for _, one in (*results, *briefly)]
        made += [one.grounding() for one in (*heard, day)]
        return replace(report, retelling=self._retelling(results, briefly, made))

    # --- changes ---------------------------------------------------------------------------------------------------

    async def _triaged(self) -> None:
        """What is below the grade and yet worth reading is asked about too, after all that is not."""
        limits, below = self._wanted.limits, self._below()
        found = await asyncio.gather(*(self.inquiry.brought_up(name, some, limits) for name, some in below.items()))
        brought = [subject for some in found for subject in some]
        rest = tuple(subject for subject in self._plan.below if subject not in brought)
        self._plan = Plan((*self._plan.subjects, *brought), rest)

    async def _briefly(self) -> Results:
        """What is left below the grade, in a sentence each: asked last, so that the budget reaches all else before."""
        below, limits = self._below(), self._wanted.limits
        found = await asyncio.gather(*(self._safely(self.inquiry.briefly(*of, limits)) for of in below.items()))
        for some, one in zip(below.values(), found, strict=True):
            self.meter.unlooked |= (
                {subject.entry.change.sha for subject in some} if isinstance(one, Exception) else set()
            )
        return [one for some in found if not isinstance(some, Exception) for one in some]

    def _below(self) -> dict[str, list[Subject]]:
        """By repository; none for a small model, nor where only so many changes may be asked about."""
        below = () if self._wanted.limits.small or self._wanted.changes else self._plan.below
        of: dict[str, list[Subject]] = {}
        for subject in below:
            of.setdefault(subject.repo, []).append(subject)
        return of

    async def _changes(self) -> Results:
        """Every change in turn, so many at a time that the model always has something to do."""
        subjects = self._plan.subjects
        asked = subjects[: self._wanted.changes] if self._wanted.changes else subjects
        found: list[Result | None] = [None] * len(asked)
        waiting = iter(range(len(asked)))

        async def work() -> None:
            for at in waiting:
                found[at] = await self._change(asked[at])

        # Twice as many as there are slots: whenever one is free, a question is ready for it.
        workers = min(len(asked), 2 * self._wanted.slots)
        await asyncio.gather(*(work() for _ in range(workers)))
        rest = [Result("budget") for _ in subjects[len(asked) :]]
        return list(zip(subjects, [*(one or Result("fault") for one in found), *rest], strict=True))

    async def _change(self, subject: Subject) -> Result:
        found = await self._safely(self.inquiry.change(subject, self._wanted.limits))
        return Result("fault", detail=type(found).__name__) if isinstance(found, Exception) else found

    @staticmethod
    async def _safely(work: Awaitable[Made]) -> Made | Exception:
        """A fault of ours costs one change or summary its words, not the day."""
        try:
            return await work
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001
            return error

    def _retold(self, repo: RepoReport, results: Results) -> RepoReport:
        own = {subject.entry.change.sha: one for subject, one in results if subject.repo == repo.repo.name}
        if not own:
            return repo
        gone, counted = 0, []

        def told(entry: Entry) -> Entry:
            nonlocal gone
            result = own.get(entry.change.sha)
            if result is None:
                return entry
            counted.append(_counted_here(result.heard))
            read = replace(entry, by_model=result.heard.reading, exposure=result.exposure or entry.exposure)
            written = result.heard.statements
            gone += made_way(read, written)
            return replace(read, statements=retold(read, written))

        entries, late = tuple(map(told, repo.entries)), tuple(map(told, repo.late))
        before = replace(repo.grounding, statements=repo.grounding.statements - gone, kept=repo.grounding.kept - gone)
        return replace(repo, entries=entries, late=late, grounding=total((before, *counted)))

    async def _ranked(self, repos: Sequence[RepoReport]) -> list[RepoReport]:
        """Each change graded by what the model makes of it, and by its place beside all others of the day."""
        places = await self._safely(self.inquiry.ranked(repos, self._wanted.limits))
        known = [placed(repo, {} if isinstance(places, Exception) else places) for repo in repos]
        return [replace(one, entries=_graded(one.entries), late=_graded(one.late)) for one in known]

    # --- summaries ---------------------------------------------------------------------------------------------------

    async def _assessed(self, repo: RepoReport, wanted: bool) -> Heard:
        told = worth_summing_up(repo) if wanted else []
        return await self._about(partial(about_repository, self._asker, repo, told, self._wanted.limits), told, repo)

    async def _summed_up(self, repos: Sequence[RepoReport], leads: Sequence[Action], also: Sequence[Action]) -> Heard:
        told, window = list(_of_day(repos, leads, also)), self._report.window
        self._first = leads[0].commits[0] if leads else ""
        return await self._about(partial(about_day, self._asker, repos, told, window, self._wanted.limits), told)

    async def _about(
        self, make: Callable[[], Question | None], told: Sequence[Told], of: RepoReport | None = None
    ) -> Heard:
        if not told:
            return Heard()  # changes of low importance alone: nothing is to be summed up, and nobody is at fault
        repo = of.repo.name if of is not None else ""
        heard = await self._safely(self.inquiry.summed_up(make, self._wanted.limits))
        if isinstance(heard, Heard):
            if not heard.standing:
                self._left.append(Left(repo, "", "rules"))
            return heard
        fault = "too_long" if heard is None else type(heard).__name__
        refusal = heard.refusal if isinstance(heard, ModelFault) else fault
        self._left.append(Left(repo, "", "budget" if refusal == "budget" else "fault", refusal))
        return Heard()

    # --- what stands -------------------------------------------------------------------------------------------------

    def stands(self, fate: Fate, question: Question, section: str) -> Fate:
        """As the sentence that a reader would see, held against the report's own facts."""
        draft = fate.draft
        if fate.statement is None:
            return fate
        if not question.rests:
            case = question.cases[draft.home]
            if lost := self.at_end.missing(apart(draft), case) or self.at_end.replaced(fate.statement, case):
                return Fate(draft, None, NOT_AT_END, lost[:80])
        if section == "headline" and not is_of(widened(fate, question), self._first):
            return Fate(draft, None, NOT_THE_FIRST)
        return held(fate, question, section, self._facts)

    def _retelling(self, results: Results, briefly: Results, made: Sequence[Grounding]) -> Retelling:
        cost, answers = self.meter.total(), self.meter.answers
        whole, brief = (sum(one.outcome == "told" for _, one in some) for some in (results, briefly))
        ranked = sorted(answers.items(), key=lambda one: (-one[1], one[0]))
        named = [(subject.repo, subject.entry.change.sha, one) for subject, one in results]
        left = [Left(repo, sha, one.outcome, one.detail) for repo, sha, one in named if one.outcome != "told"]
        partly = [Left(repo, sha, "told", str(one.unread)) for repo, sha, one in named if one.unread]
        return Retelling(
            model=", ".join(dict.fromkeys(model for (_, model), _ in ranked)),
            prompt_version=prompt_version(),
            grounding=total(made),
            told=whole + brief,
            briefly=brief,
            below=len(self._plan.below) - brief,
            left=(*left, *sorted(self._left, key=lambda one: one.repo)),
            partly=tuple(partly),
            answers=tuple((endpoint, model, count) for (endpoint, model), count in ranked),
            preferred=self._wanted.preferred,
            requests=cost.requests,
            prompt_tokens=cost.prompt_tokens,
            completion_tokens=cost.completion_tokens,
            money=cost.money,
            critic=self._criticised,
            unheard=self.meter.unheard,
            mended=self.meter.mended,
            unlooked=len(self.meter.unlooked),
            weighed=self.meter.weighed,
            unranked=self.meter.unranked,
        )


def _graded(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    return tuple(remarked(regraded(entry)) for entry in entries)


def _unanswered(meter: Meter) -> Iterator[str]:
    """What nobody judged or looked at, for who watches the run."""
    if n := meter.unheard:
        about = f"{n} sentence{'' if n == 1 else 's'}"
        yield f"no critic's answer about {about}: names and numbers checked, meaning not"
    if n := len(meter.unlooked):
        yield f"no answer about {n} change{'' if n == 1 else 's'} below the grade: told by rules"
    if n := meter.unranked:
        yield f"no answer that weighs {n} changes beside each other: grades and order are each change's own"


def _facts(report: Judgement) -> FactEvidence:
    found = day_evidence(report.repos, report.window)
    return found.merged(forge_evidence(report.forge)) if report.forge is not None else found


def _counted_here(heard: Heard) -> Grounding:
    """What a change adds to its repository's count; sentences that cite a forge are counted when those are checked."""
    found = heard.grounding()
    elsewhere = sum(any(name.startswith("pull:") for name in one.evidence) for one in heard.statements)
    return replace(found, statements=found.statements - elsewhere, kept=found.kept - elsewhere)


def _with_assessment(repo: RepoReport, heard: Heard) -> RepoReport:
    if not heard.standing and not heard.dropped:
        return repo
    grounding = total((repo.grounding, heard.grounding()))
    return replace(repo, assessment=(*repo.assessment, *heard.statements), grounding=grounding)


def _of_day(repos: Sequence[RepoReport], leads: Sequence[Action], also: Sequence[Action]) -> Iterator[Told]:
    """What the day is summed up from, each change once and the gravest first: the screen in its order, what stands below it, what runs
    over several days; of a project that has none of these, what it is about.
    """
    of = {repo.repo.name: repo for repo in repos}
    shown = set[str]()
    for at, action in enumerate((*leads, *also)):
        entry = next((e for e in of[action.repo].entries if e.change.sha == action.commits[0]), None)
        if entry is not None and (said := whole(entry)) is not None:
            shown.add(action.repo)
            yield Told(action.repo, said, entry, leads=at == 0)
    for repo in repos:
        yield from threads(repo)
        if repo.repo.name not in shown:
            yield from [Told(repo.repo.name, one) for one in repo.assessment if one.author == "model"][:1] or [
                told for told in worth_summing_up(repo) if not told.thread
            ][:1]


def _of(heard: Heard, sections: Sequence[str]) -> tuple[Statement, ...]:
    return tuple(one.statement for section in sections for one in heard.standing if one.section == section)


def _placed(rules: Sequence[Statement], heard: Heard, sections: Sequence[str]) -> tuple[Statement, ...]:
    """After what is at fault, which the rules say before all else, and before the counts."""
    first = [one for one in rules if one.role == "risk"]
    return (*first, *_of(heard, sections), *(one for one in rules if one not in first))


# --- end names -----------------------------------------------------------------------------------------------------

# Names that a reader is told to set or to use must be there at the end of the window, or be told as gone by the change
# itself; of the lines that a sentence says are so now one must stand there, or a later change has replaced it.

NOT_AT_END = "not_at_end"
"""Reason of advice that names what is not there."""
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)")
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b")
_SYMBOL = re.compile(r"[A-Za-z_]\w{3,}(?:\.[A-Za-z_]\w*)*(?:\(\))?")
_ELSEWHERE = Where(without=("docs", "tests", "test"))


class EndNames:
    """What the trees at the end of a window have, each name looked for once."""

    def __init__(self, around: Callable[[str], Surroundings | None], heads: Mapping[str, str | None]) -> None:
        self._around, self._heads = around, heads
        self._known: dict[tuple[str, str], bool] = {}

    def missing(self, draft: Draft, case: Case) -> str:
        """The first name of advice that is not there; none where it is no advice, or the tree cannot be searched."""
        if draft.role != "action":
            return ""
        names = dict.fromkeys(name for text in draft.text.values() for name in _asked_for(blank(text)))
        lacking = [name for name in names if not self._is_there(case.repo, name)]
        # Told as gone, or beside what takes its place.
        gone = len(lacking) < len(names) or any(GONE.search(outside(text)) for text in draft.text.values())
        return next((name for name in lacking if not (gone and _went(name, case))), "")

    def replaced(self, said: Statement, case: Case) -> str:
        """The first added line that a sentence rests on, where none of them is in its file at the end; none where that cannot be read."""
        head, around = self._heads.get(case.repo), self._around(case.repo)
        came = [one for one in said.proof if one.side == "+" and one.evidence.startswith(f"file:{case.about}:")]
        if not (head and around and came) or head == case.about:
            return ""
        try:
            for one in came:
                blobs = around.trees.blobs_at([f"{head}:{one.evidence.split(':', 2)[2]}"])
                texts = [text for _, text in around.trees.contents(dict.fromkeys(blobs.values()))]
                if not texts or one.line.strip() in texts[0]:
                    return ""
        except GitError:
            return ""
        return came[0].line.strip()

    def _is_there(self, repo: str, name: str) -> bool:
        if (repo, name) not in self._known:
            self._known[repo, name] = self._found(repo, name)
        return self._known[repo, name]

    def _found(self, repo: str, name: str) -> bool:
        head, around = self._heads.get(repo), self._around(repo)
        if not head or around is None:
            return True
        flag = _FLAG.fullmatch(name)
        # Programs make flags of a field: `max_len` is `--max-len`, `trace` also `--no-trace`.
        bare = flag[1].removeprefix("no-") if flag else name
        forms = [name, bare, bare.replace("-", "_")] if flag else [name]
        try:
            rows = around.trees.lines([head], dict.fromkeys(forms), _ELSEWHERE)
        except GitError:
            return True
        return rows is None or any(_whole(form, line) for _, _, line in rows for form in forms)


def _went(name: str, case: Case) -> bool:
    """The change takes it away."""
    texts = (case.context, *(piece.text for piece in case.pieces if piece.ref.startswith("D")))
    return any(line.startswith("-") and _whole(name, line) for text in texts for line in text.split("\n"))


def _whole(name: str, line: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", line) is not None


def _asked_for(text: str) -> Iterator[str]:
    """Flags, variables and the last parts of symbols that stand in backticks; values and expressions are none."""
    for name in named(text):
        if found := [*_FLAG.finditer(name)] or [*_VARIABLE.finditer(name)]:
            yield from (one[0] for one in found)
        elif _SYMBOL.fullmatch(name.strip()) and re.search(r"_|[a-z][A-Z]", name):
            yield name.strip().removesuffix("()").rpartition(".")[2]

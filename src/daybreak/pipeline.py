"""The six stages in order: collect → read → analyse → check → render → publish.

Only interfaces are known here; `wiring` says which implementations stand behind them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from daybreak import assemble
from daybreak.analyse.interface import Analyst
from daybreak.check.interface import Checker
from daybreak.collect.interface import Source
from daybreak.errors import CheckError, DaybreakError
from daybreak.execute.interface import Executor
from daybreak.links import ForgeDay
from daybreak.memory import Memory
from daybreak.model import (
    Collected,
    Note,
    Page,
    Reading,
    Receipt,
    Repo,
    RepoReport,
    Report,
    Touches,
    Window,
)
from daybreak.parts import Kept, Part, Took, brief, inputs_of, revived, timed
from daybreak.publish.interface import Publisher
from daybreak.read.interface import Reader
from daybreak.render.interface import Renderer


@dataclass(frozen=True, slots=True)
class Stages:
    """What runs in each stage."""

    source: Source
    reader: Reader
    analyst: Analyst
    checker: Checker
    renderers: tuple[Renderer, ...]
    publisher: Publisher
    executor: Executor
    memory: Memory
    touches: Callable[[Sequence[RepoReport], Window], Touches] | None = None
    """Joins the day with the reader's own code; None when the config names none."""
    away: Away | None = None
    """Who has the repositories done in other processes; None when threads of this one do it."""
    forge: Joiner | None = None
    """Joins the day with what GitHub has of it; None when no repository is asked about."""
    teller: Teller | None = None
    """Has a model retell the day; None when rules write it alone."""
    verifier: Callable[[Sequence[Page], Report, Callable[[str], bool]], tuple[str, ...]] | None = None
    """Holds finished pages against git; None: only against the report's data."""
    stop: Callable[[], None] = lambda: None
    """Ends every program that the stages started."""


@dataclass(frozen=True, slots=True)
class Job:
    """One day to report on."""

    window: Window
    repos: tuple[Repo, ...]
    languages: tuple[str, ...]
    version: str
    force: bool = False
    settings: str = ""
    """Names the settings that decide what is said."""
    kept: Mapping[str, Kept] = field(default_factory=dict)
    """Repository -> its part, which a run finished before it was interrupted."""


Done = Callable[[Part], None]


class Away(Protocol):
    """Makes the parts of a day outside of this process."""

    def parts(self, job: Job, stages: Stages, done: Done) -> tuple[Part, ...]: ...


class Joiner(Protocol):
    """Joins the changes of a day with what a forge has of it."""

    def join(
        self, parts: Sequence[Part], window: Window, force: bool
    ) -> tuple[tuple[RepoReport, ...], ForgeDay | None]:
        """The parts with what the forge adds to them, and all else that it has; None when it was not asked."""
        ...


class Teller(Protocol):
    """Lets a model retell a report that rules made."""

    def tell(self, report: Report) -> Report:
        """The same report, with statements of the model that stand; grades, order, actions and links as they were."""
        ...


def make_report(job: Job, stages: Stages, done: Done) -> Report:
    """Collect, read, analyse and check; `done` hears of each repository's part as it is finished."""
    made = (stages.away or _Here()).parts(job, stages, done)
    joined = tuple(part.report for part in made)
    forge = None
    if stages.forge:
        joined, forge = stages.forge.join(made, job.window, job.force)
    parts = tuple(_completed(part, job, stages.memory) for part in joined)
    day = stages.analyst.day(parts, job.window)
    report = Report(
        window=job.window,
        tool_version=job.version,
        languages=job.languages,
        repos=parts,
        actions=day.actions,
        summary=day.summary,
        conclusion=day.conclusion,
        touches=stages.touches(parts, job.window) if stages.touches else None,
        notes=tuple(
            note for part in parts for note in later_notes(part.repo, job.window.label, stages.memory, _told(part))
        ),
        forge=forge,
    )
    return stages.checker.day(stages.teller.tell(report) if stages.teller else report)


def _completed(part: RepoReport, job: Job, memory: Memory) -> RepoReport:
    """The part, with what an earlier report of the closed day lacked and this one has."""
    before = memory.day(job.window.label, part.repo.name)
    if before is None or before.open:
        return part
    lacking = {skipped.what for skipped in part.skipped}
    had = dict.fromkeys((*before.completed, *before.skipped))
    told = _told(part)

    def is_here(what: str) -> bool:
        """The repository or a list of its forge, or a commit of the day: a rewritten branch may have lost that."""
        sha = _COMMIT.match(what.removeprefix(part.repo.name))
        return not sha or any(one.startswith(sha[1]) for one in told)

    return replace(part, completed=tuple(what for what in had if what not in lacking and is_here(what)))


_COMMIT = re.compile(r" ([0-9a-f]{7,40})(?: |$)")


def _told(part: RepoReport) -> set[str]:
    return {entry.change.sha for entry in (*part.entries, *part.late)}


def later_notes(repo: Repo, label: str, memory: Memory, told: Collection[str] | None = None) -> Iterator[Note]:
    """What later reports learned of this day's changes; `told`: its changes, when memory may not have the day yet."""
    if told is None:
        today = memory.day(label, repo.name)
        told = {*today.commits, *today.late} if today else set()
    for later in memory.later(label, repo.name) if told else ():
        for span in later.broken:
            if span.fault in told:
                yield Note(repo, span.fault, span.repair, span.start, span.end, later.label)


class _Here:
    """In threads of this process."""

    def parts(self, job: Job, stages: Stages, done: Done) -> tuple[Part, ...]:
        def one(repo: Repo) -> Part:
            took: list[Took] = []
            return analysed(collected(repo, job, stages, took), job, stages, took)

        return tuple(stages.executor.map(one, job.repos, lambda _, part: done(part)))


def collected(repo: Repo, job: Job, stages: Stages, took: list[Took]) -> Collected:
    """What one repository has of the day."""
    with timed(took, "collect"):
        return stages.source.collect(repo, job.window, stages.memory, job.force)


def analysed(
    collected: Collected,
    job: Job,
    stages: Stages,
    took: list[Took],
    readings: Mapping[str, Reading] | None = None,
) -> Part:
    """Its part of the report; `readings`: when they were made elsewhere."""
    lean = replace(collected, mirror=None, recent=())
    recent = tuple(map(brief, collected.recent))
    inputs = inputs_of(collected, job.window, job.settings)
    kept = job.kept.get(collected.repo.name)
    if kept is not None and kept.inputs == inputs and (report := revived(kept, collected)) is not None:
        return Part(report, lean, inputs, tuple(took), kept=True, recent=recent)
    try:
        if readings is None:
            with timed(took, "read"):
                readings = stages.reader.read(collected)
        with timed(took, "analyse"):
            analysis = stages.analyst.repository(collected, readings, job.window)
    except (DaybreakError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  a fault of ours costs one repository its analysis, not the day
        return Part(assemble.without_analysis(collected, error), lean, inputs, tuple(took), recent=recent)
    report = stages.checker.repository(assemble.together(collected, analysis, readings))
    return Part(report, lean, inputs, tuple(took), recent=recent)


def render_pages(report: Report, stages: Stages, existing: Callable[[str], bool]) -> tuple[Page, ...]:
    """The report as pages that agree with its data and with git; pages that do not are never published."""
    pages = tuple(page for renderer in stages.renderers for page in renderer.pages(report))
    problems = stages.checker.pages(pages, report, existing)
    if not problems and stages.verifier:
        problems = stages.verifier(pages, report, existing)
    if problems:
        raise CheckError(
            f"The pages of {report.window.label} contradict the data or git ({len(problems)} places), so they are not published: "
            f"{problems[0]}",
            "This is a bug in Daybreak: please report it with the config and the day.",
        )
    return pages


def publish_pages(pages: Sequence[Page], stages: Stages) -> Receipt:
    """Hand the pages to the publisher; the report's data goes last, since it marks the day as reported."""
    ordered = sorted(pages, key=lambda page: page.path.endswith(".json"))
    return stages.publisher.publish(ordered)

"""The six stages in order: collect → read → analyse → check → render → publish.

Only interfaces are known here; `wiring` says which implementations stand behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from daybreak import assemble
from daybreak.analyse.interface import Analyst
from daybreak.check.interface import Checker
from daybreak.collect.interface import Source
from daybreak.errors import CheckError, DaybreakError
from daybreak.execute.interface import Executor
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


class Away(Protocol):
    """Makes the parts of a day outside of this process."""

    def parts(self, job: Job, stages: Stages, done: Callable[[str], None]) -> tuple[RepoReport, ...]: ...


def make_report(job: Job, stages: Stages, done: Callable[[str], None]) -> Report:
    """Collect, read, analyse and check; `done` hears of each repository as it is finished."""
    parts = (stages.away or _Here()).parts(job, stages, done)
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
        notes=tuple(note for part in parts for note in later_notes(part.repo, job.window.label, stages.memory)),
    )
    return stages.checker.day(report)


def later_notes(repo: Repo, label: str, memory: Memory) -> Iterator[Note]:
    """What later reports learned of this day's changes."""
    today = memory.day(label, repo.name)
    told = {*today.commits, *today.late} if today else set()
    for later in memory.later(label, repo.name) if told else ():
        for span in later.broken:
            if span.fault in told:
                yield Note(repo, span.fault, span.repair, span.start, span.end, later.label)


class _Here:
    """In threads of this process."""

    def parts(self, job: Job, stages: Stages, done: Callable[[str], None]) -> tuple[RepoReport, ...]:
        def one(repo: Repo) -> RepoReport:
            return analysed(collected(repo, job, stages), job, stages)

        return tuple(stages.executor.map(one, job.repos, lambda repo, _: done(repo.name)))


def collected(repo: Repo, job: Job, stages: Stages) -> Collected:
    """What one repository has of the day."""
    return stages.source.collect(repo, job.window, stages.memory, job.force)


def analysed(
    collected: Collected, job: Job, stages: Stages, readings: Mapping[str, Reading] | None = None
) -> RepoReport:
    """Its part of the report; `readings`: when they were made elsewhere."""
    try:
        readings = stages.reader.read(collected) if readings is None else readings
        analysis = stages.analyst.repository(collected, readings, job.window)
    except (DaybreakError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  a fault of ours costs one repository its analysis, not the day
        return assemble.without_analysis(collected, error)
    return stages.checker.repository(assemble.together(collected, analysis, readings))


def render_pages(report: Report, stages: Stages, existing: Callable[[str], bool]) -> tuple[Page, ...]:
    """The report as pages that agree with its data; pages that do not are never published."""
    pages = tuple(page for renderer in stages.renderers for page in renderer.pages(report))
    problems = stages.checker.pages(pages, report, existing)
    if problems:
        raise CheckError(
            f"The pages of {report.window.label} contradict the data ({len(problems)} places), so they are not published: "
            f"{problems[0]}",
            "This is a bug in Daybreak: please report it with the config and the day.",
        )
    return pages


def publish_pages(pages: Sequence[Page], stages: Stages) -> Receipt:
    """Hand the pages to the publisher; the report's data goes last, since it marks the day as reported."""
    ordered = sorted(pages, key=lambda page: page.path.endswith(".json"))
    return stages.publisher.publish(ordered)

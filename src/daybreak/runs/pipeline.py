"""The six stages in order: collect → read → analyse → check → render → publish.

Only interfaces are known here (`stages`); `wiring` says which implementations stand behind them. What judges is read
in when there is something to judge: the first git is to be asked soon.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.collect import Source
from daybreak.core.checkpoint import Kept, Memory, Part, Took, brief, inputs_of, packed, revived, timed
from daybreak.core.errors import CheckError, DaybreakError
from daybreak.core.file_cache import Found, code_digest
from daybreak.core.model.changes import Collected, Repo, Skipped, Window
from daybreak.core.model.day import Day, Touches
from daybreak.core.model.findings import Reading
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Note, Page, Receipt, RepoReport
from daybreak.core.plugins import LANGUAGES, stamp
from daybreak.deliver.publish import Publisher
from daybreak.findings.interface import Reader
from daybreak.judge.interface import Analyst, Checker, Judgement
from daybreak.runs.executors import Executor

# --- What a run works with: one implementation for each stage, those that stand beside the stages, and the day to report ---


class Stages(Struct, frozen=True):
    """What runs in each stage."""

    source: Source
    reader: Reader
    analyst: Analyst
    checker: Checker
    pages: Callable[[Day, Sequence[Note]], tuple[Page, ...]]
    """The files of a day."""
    gate: Callable[[Sequence[Page], Day, Callable[[str], bool], Sequence[Note]], tuple[str, ...]]
    """What finished pages say that the day does not; empty when they may be published."""
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
    verifier: Callable[[Sequence[Page], Day], tuple[str, ...]] | None = None
    """Holds finished pages against git; None: only against the report's data."""
    stop: Callable[[], None] = lambda: None
    """Ends every program that the stages started."""
    judged: Callable[[Repo], Found] | None = None
    """Parts of days on disk, by all that decided them; None: none are kept."""
    faults: Callable[[Repo], Mapping[str, str]] = lambda _: {}
    """Commands of git that failed on a repository since this was asked, where nobody told it, and what git said."""
    lacking: Callable[[Repo, str], Skipped | None] = lambda _repo, _said: None
    """What git said of a repository as missing objects; None where it says something else."""


class Job(Struct, frozen=True):
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
    title: str = ""


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

    def tell(self, day: Judgement) -> Judgement:
        """The same day, with statements of the model that stand; grades, order, actions and links as they were."""
        ...


def make_report(job: Job, stages: Stages, done: Done) -> Day:
    """Collect, read, analyse and check; `done` hears of each repository's part as it is finished."""
    judged = judge_day(job, stages, done)
    from daybreak.judge.day_value import day_of

    return day_of(judged)


def judge_day(job: Job, stages: Stages, done: Done) -> Judgement:
    """What the report is made from: with the patches and texts that it rests on."""
    made = (stages.away or _Here()).parts(job, stages, done)
    from daybreak.judge.repo_report import completed

    joined = tuple(part.report for part in made)
    forge = None
    if stages.forge:
        joined, forge = stages.forge.join(made, job.window, job.force)
    joined = tuple(replace(one, skipped=_with_faults(one.repo, one.skipped, stages)) for one in joined)
    parts = tuple(completed(part, job.window.label, stages.memory) for part in joined)
    touches = stages.touches(parts, job.window) if stages.touches else None
    bare = Judgement(job.window, job.version, job.languages, parts, touches=touches, forge=forge, title=job.title)
    day = stages.analyst.day(bare)
    return stages.checker.day(stages.teller.tell(day) if stages.teller else day)


class _Here:
    """In threads of this process."""

    def parts(self, job: Job, stages: Stages, done: Done) -> tuple[Part, ...]:
        def one(repo: Repo) -> Part:
            took: list[Took] = []
            return analysed(collected(repo, job, stages, took), job, stages, took)

        return tuple(stages.executor.map(one, job.repos, lambda _, part: done(part)))


def collected(repo: Repo, job: Job, stages: Stages, took: list[Took]) -> Collected:
    """What one repository has of the day."""
    stages.faults(repo)  # whatever failed before is nothing of this day
    with timed(took, "collect"):
        found = stages.source.collect(repo, job.window, stages.memory, job.force)
    return replace(found, skipped=_with_faults(repo, found.skipped, stages))


def _with_faults(repo: Repo, skipped: tuple[Skipped, ...], stages: Stages) -> tuple[Skipped, ...]:
    """What is missing, with the gits that failed where nothing else tells that something is."""
    failed = stages.faults(repo)
    if not failed or skipped:
        return skipped
    named = ", ".join(f"git {command}" for command in failed)
    said = "\n".join(f"git {command}: {words.strip() or 'it said nothing'}" for command, words in failed.items())
    if lacking := stages.lacking(repo, said):
        return (lacking,)
    return (Skipped(repo.name, f"{named} failed, so findings, stories or releases may be missing", detail=said),)


def analysed(
    collected: Collected,
    job: Job,
    stages: Stages,
    took: list[Took],
    readings: Mapping[str, Reading] | None = None,
) -> Part:
    """Its part of the report; `readings`: when they were made elsewhere."""
    from daybreak.judge import repo_report

    lean = replace(collected, mirror=None, recent=())
    recent = tuple(map(brief, collected.recent))
    inputs = inputs_of(collected, job.window, job.settings)
    kept = job.kept.get(collected.repo.name)
    if kept is not None and kept.inputs == inputs and (report := revived(kept, collected)) is not None:
        return Part(report, lean, inputs, tuple(took), kept=True, recent=recent)
    judged = stages.judged(collected.repo) if stages.judged else None
    if judged and (data := judged.get((_code(), inputs))) and (report := revived(Kept(inputs, data), collected)):
        return Part(report, lean, inputs, (*took, Took("analyse", 0.0)), recent=recent)
    try:
        if readings is None:
            with timed(took, "read"):
                readings = stages.reader.read(collected)
        with timed(took, "analyse"):
            analysis = stages.analyst.repository(collected, readings, job.window)
    except (DaybreakError, OSError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  a fault of ours costs one repository its analysis, not the day
        return Part(repo_report.without_analysis(collected, error), lean, inputs, tuple(took), recent=recent)
    if (skipped := _with_faults(collected.repo, collected.skipped, stages)) != collected.skipped:
        collected, lean = replace(collected, skipped=skipped), replace(lean, skipped=skipped)
        inputs = inputs_of(collected, job.window, job.settings)
    report = stages.checker.repository(repo_report.together(collected, analysis, readings))
    part = Part(report, lean, inputs, tuple(took), recent=recent)
    if judged and report.complete and (data := packed(part)) is not None:
        judged.put((_code(), inputs), data)
    return part


def _code() -> str:
    """All code that a part follows from; settings and commits are among its inputs."""
    return f"{code_digest('core', 'collect', 'findings', 'judge', 'prose')} {stamp(LANGUAGES)}"


def render_pages(day: Day, stages: Stages, existing: Callable[[str], bool]) -> tuple[Page, ...]:
    """The day as pages that agree with it and with git; pages that do not are never published."""
    from daybreak.judge.repo_report import notes_on

    notes = tuple(notes_on(day, stages.memory))
    pages = stages.pages(day, notes)
    problems = stages.gate(pages, day, existing, notes)
    if not problems and stages.verifier:
        problems = stages.verifier(pages, day)
    if problems:
        raise CheckError(
            f"The pages of {day.label} contradict the data or git ({len(problems)} places), so they are not published: "
            f"{problems[0]}",
            "This is a bug in Daybreak: please report it with the config and the day.",
        )
    return pages


def publish_pages(pages: Sequence[Page], stages: Stages) -> Receipt:
    """Hand the pages to the publisher; the report's data goes last, since it marks the day as reported."""
    ordered = sorted(pages, key=lambda page: page.path.endswith(".json"))
    return stages.publisher.publish(ordered)

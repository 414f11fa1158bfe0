"""The six stages in order: collect → read → analyse → check → render → publish.

Only interfaces are known here (`stages`); `wiring` says which implementations stand behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.checkpoint import Part, Took, brief, inputs_of, revived, timed
from daybreak.core.errors import CheckError, DaybreakError
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Page, Receipt, Report
from daybreak.judge import repo_report
from daybreak.judge.corrections import completed, notes_on
from daybreak.runs.run_context import Done, Job, Stages


def make_report(job: Job, stages: Stages, done: Done) -> Report:
    """Collect, read, analyse and check; `done` hears of each repository's part as it is finished."""
    made = (stages.away or _Here()).parts(job, stages, done)
    joined = tuple(part.report for part in made)
    forge = None
    if stages.forge:
        joined, forge = stages.forge.join(made, job.window, job.force)
    parts = tuple(completed(part, job.window.label, stages.memory) for part in joined)
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
        notes=tuple(note for part in parts for note in notes_on(part, job.window.label, stages.memory)),
        forge=forge,
    )
    return stages.checker.day(stages.teller.tell(report) if stages.teller else report)


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
        return Part(repo_report.without_analysis(collected, error), lean, inputs, tuple(took), recent=recent)
    report = stages.checker.repository(repo_report.together(collected, analysis, readings))
    return Part(report, lean, inputs, tuple(took), recent=recent)


def render_pages(report: Report, stages: Stages, existing: Callable[[str], bool]) -> tuple[Page, ...]:
    """The report as pages that agree with its data and with git; pages that do not are never published."""
    pages = tuple(page for renderer in stages.renderers for page in renderer.pages(report))
    problems = stages.checker.pages(pages, report, existing)
    if not problems and stages.verifier:
        problems = stages.verifier(pages, report)
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

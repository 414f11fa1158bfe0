"""One repository's side of the question: what a range or a window of it comes to, and where its ends stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.collect.git.chain import explain, walk
from daybreak.collect.git.mirror import Say
from daybreak.collect.git.refs import resolve
from daybreak.core.errors import DaybreakError, GitError, RepositoryError
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Net, RangeReport, Span
from daybreak.upgrade.impact.files import file_of
from daybreak.upgrade.range import Job, Opened, opened, range_report, report_of

_PROJECT_FILES = ("pyproject.toml", "python/pyproject.toml")


class Upstream(Struct, frozen=True):
    """One repository's side of the question."""

    repo: Repo
    what: str
    """`v0.14.1..v0.15.0`, or the days of a window."""
    nets: tuple[Net, ...] = ()
    subjects: Mapping[str, str] = field(default_factory=dict)
    project: str = ""
    """Text of its pyproject.toml at the end, which says what its package is called."""
    skipped: tuple[Skipped, ...] = ()
    failed: bool = False
    """It could not be had at all."""
    mirror: str | None = None
    end: str = ""
    """Commit at which the end stands."""
    start: str = ""
    """Commit at which the start stands."""
    empty: bool = False
    """Nothing happened in the window."""


def in_range(job: Job, text: str, say: Say) -> Upstream:
    """What holds between two refs; raises what is wrong with the repository or the refs."""
    return of_report(range_report(job, text, say, broken=False), job.environment)


def of_report(report: RangeReport, environment: Mapping[str, str]) -> Upstream:
    """The upstream side of an upgrade report."""
    span = report.span
    subjects = {entry.change.sha: entry.change.subject for entry in (*report.entries, *report.left_behind)}
    skipped = (*span.skipped, *report.skipped)
    what = f"{span.start.name}..{span.end.name}"
    project = _project(span, environment)
    return Upstream(
        span.repo, what, report.nets, subjects, project, skipped,
        mirror=span.mirror, end=span.end.sha, start=span.start.sha,
    )  # fmt: skip


def in_window(job: Job, since: datetime, until: datetime, what: str, say: Say) -> Upstream:
    """What the first-parent commits of `[since, until)` come to; a repository that cannot be had is `failed`."""
    try:
        place = opened(job, say)
        inside, below = _inside(place, since, until)
        if not inside:
            return Upstream(job.repo, what, empty=True)
        around = resolve(place.git, place.mirror, job.repo, f"{below}..{inside[-1]}", job.offline)
        found, refused = place.graded(inside)
        span = replace(around, gained=inside, lost=(), skipped=(*around.skipped, *refused))
        # With commits of other days among them, the trees at both ends show more than what these commits did.
        whole = around.gained == inside and not around.lost
        tip = place.mirror.tip if whole else None
        report = report_of(place.git, span, found, job.languages, tip, broken=False)
        return replace(of_report(report, job.environment), what=what)
    except (GitError, RepositoryError) as error:
        known = error if isinstance(error, RepositoryError) else explain(error, job.repo.git, job.repo.branch)
        skipped = Skipped(job.repo.name, known.reason, known.tip, known.detail)
        return Upstream(job.repo, what, skipped=(skipped,), failed=True)


def _inside(place: Opened, since: datetime, until: datetime) -> tuple[tuple[str, ...], str]:
    """The commits dated in the window, oldest first, as the report of that day has them; and the one below them all.

    Dates need not be in order: a commit made on one day may be pushed on top of those of the next.
    """
    chain = walk(place.git, place.mirror.path, place.mirror.tip)
    inside = chain.between(since, until)
    if not inside:
        return (), ""
    return tuple(chain.sha(at) for at in reversed(inside)), chain.sha(min(inside[-1] + 1, len(chain) - 1))


def _project(span: Span, environment: Mapping[str, str]) -> str:
    """Not every project has such a file; its name says the rest then."""
    found = (file_of(environment, span.mirror, span.end.sha, path) for path in _PROJECT_FILES)
    return next((text for text in found if text is not None), "")


def every_failure(upstreams: Sequence[Upstream]) -> DaybreakError | None:
    """The error to end with when not one repository could be had."""
    if not upstreams or not all(upstream.failed for upstream in upstreams):
        return None
    first = upstreams[0].skipped[0]
    return RepositoryError(f"{first.what}: {first.reason}.", first.tip, first.detail)

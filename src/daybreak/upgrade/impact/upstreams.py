"""One repository's side of the question: what a range or a window of it comes to, and where its ends stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.collect.git.chain import explain, walk
from daybreak.collect.git.mirror import Say
from daybreak.collect.git.refs import resolve
from daybreak.core.errors import DaybreakError, GitError, RepositoryError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import Net, RangeReport, Span, Uses
from daybreak.core.versions import normalised
from daybreak.findings.blobs import contents
from daybreak.findings.kinds import kind_of
from daybreak.upgrade.impact.native import is_required
from daybreak.upgrade.impact.table import UNREAD
from daybreak.upgrade.range import Job, Opened, opened, range_report, report_of

# --- Files of one commit, as a mirror has them: some may be listed there and their contents lie on the server only ---


def file_of(environment: Mapping[str, str], mirror: str | None, sha: str, path: str) -> str | None:
    """One file of a commit; None when it is not there or cannot be had."""
    if mirror is None:
        return None
    try:
        return Git(environment).run("cat-file", "blob", f"{sha}:{path}", at=Path(mirror)).decode("utf-8", "replace")
    except GitError:
        return None


class Files:
    """Files of one commit: those that your code is likely to ask for are read in one go, the others one by one."""

    def __init__(self, environment: Mapping[str, str], mirror: str | None, sha: str, names: Iterable[str]) -> None:
        self._environment, self._mirror, self._sha, self._names = environment, mirror, sha, names
        self._oids: dict[str, str] | None = None
        """Path → blob of the commit; None when they cannot be listed."""
        self._texts: dict[str, str | None] = {}
        self._opened = False

    def text(self, path: str) -> str | None:
        """A file; None when there is none, UNREAD when it is listed and its contents cannot be had."""
        if not self._opened:
            self._open()
        if path not in self._texts:
            self._texts[path] = self._alone(path)
        return self._texts[path]

    def _alone(self, path: str) -> str | None:
        if self._oids is not None and path not in self._oids:
            return None
        text = file_of(self._environment, self._mirror, self._sha, path)
        return UNREAD if text is None and self._oids is not None else text

    def _open(self) -> None:
        self._opened = True
        if self._mirror is None:
            return
        git, at = Git(self._environment), Path(self._mirror)
        try:
            listed = git.run("ls-tree", "-r", "-z", "--full-tree", self._sha, at=at)
        except GitError:
            return  # each is asked for by its path
        rows = (row.partition("\t") for row in listed.decode("utf-8", "surrogateescape").split("\0"))
        self._oids = {path: head.split()[2] for head, _, path in rows if " blob " in head}
        wanted = {path: self._oids[path] for path in _modules(self._oids, self._names)}
        found = dict(contents(git, at, wanted.values()))
        self._texts = {path: found[oid] for path, oid in wanted.items() if oid in found}


def _modules(paths: Iterable[str], names: Iterable[str]) -> list[str]:
    """Those of the paths that are the module of a dotted name, or a package around it."""
    wanted = {"/".join(parts[:size]) for parts in (name.split(".") for name in names) for size in range(1, len(parts))}
    tops = {one for one in wanted if "/" not in one}
    found = []
    for path in paths:
        module = path.removesuffix("/__init__.py") if path.endswith("/__init__.py") else path.removesuffix(".py")
        parts = module.split("/") if module != path else []
        if any(part in tops and "/".join(parts[at:]) in wanted for at, part in enumerate(parts)):
            found.append(path)
    return found


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


# --- What your code uses of the repositories that are asked about ---


def refuse_unreadable(root: Path) -> None:
    """Raises for a path that is not there or no code, before anything is fetched for it."""
    from daybreak.core.projects import Wanted
    from daybreak.upgrade.downstream.walk import read_uses

    if not root.exists():
        raise UsageError(f"There is no {root}.", "Name a folder or a file with your code.")
    if not root.is_dir():
        read_uses(root, Wanted())


def read_code(root: Path, upstreams: Sequence[Upstream], workers: int) -> tuple[Uses, dict[str, str]]:
    """What the code at a path uses of these repositories; and which distributions carry their version."""
    from daybreak.core.projects import wanted_for
    from daybreak.upgrade.downstream.walk import read_uses

    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {u.repo.name: u.project for u in upstreams if u.project})
    # What they depend on is looked for as well: your own pin may leave no version for both.
    needed = {
        normalised(net.finding.symbol): upstream.repo.name
        for upstream in upstreams
        for net in upstream.nets
        if is_required(kind_of(net.finding.kind))
    }
    wide = replace(wanted, projects={**needed, **wanted.projects})
    return read_uses(root, wide, workers), wanted.released

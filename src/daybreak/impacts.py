"""What upstream changes mean for your own code: nets of a range or a window, your uses, hits, acknowledgements.

A window is exactly the commits dated in it, wherever they stand on the branch; they are read in the same way as those
of a range and from the same cache. Your code is only read, never run.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path

from daybreak import __version__
from daybreak.analyse.impact import fingerprint, join
from daybreak.analyse.impact_modules import Ends, Tree
from daybreak.analyse.versions import normalised
from daybreak.collect.chain import walk
from daybreak.collect.faults import explain
from daybreak.collect.refs import resolve
from daybreak.errors import DaybreakError, GitError, RepositoryError, UsageError
from daybreak.gitobjects import Git
from daybreak.model import Repo, Skipped
from daybreak.ranging import Job, Opened, opened, range_report, report_of
from daybreak.render.impact_report import ImpactReport, Scope, Told
from daybreak.store.acks import Ack, accepted
from daybreak.upgrade import ForkReport, Hit, Net, RangeReport, Span, Uses

__all__ = [
    "ImpactReport",
    "Upstream",
    "Yours",
    "fork_rendered",
    "impact",
    "in_range",
    "in_window",
    "rendered",
    "touching",
]

Say = Callable[[str], None]
_PROJECT_FILES = ("pyproject.toml", "python/pyproject.toml")
_DEPENDENCIES = frozenset({"dependency_changed", "dependency_added", "python_required_changed"})
_ASIDE = ("**/*.md", "**/*.rst", "**/*.txt", "docs/**", "**/tests/**", "**/test/**", "**/CHANGELOG*")


@dataclass(frozen=True, slots=True)
class Upstream:
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


@dataclass(frozen=True, slots=True)
class Yours:
    """Your side of the question."""

    root: Path
    shown: str
    """As the user wrote it; paths of hits are told from there."""
    today: date
    acks: tuple[Ack, ...] = ()
    acks_file: str = ""
    every: bool = False
    """Show acknowledged hits too."""


# --- upstream ------------------------------------------------------------------------------------------------------


def in_range(job: Job, text: str, say: Say) -> Upstream:
    """What holds between two refs; raises what is wrong with the repository or the refs."""
    return of_report(range_report(job, text, say), job.environment)


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
        report = report_of(place.git, span, found, job.languages, place.mirror.tip if whole else None)
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
    found = (_file(environment, span.mirror, span.end.sha, path) for path in _PROJECT_FILES)
    return next((text for text in found if text is not None), "")


def _file(environment: Mapping[str, str], mirror: str | None, sha: str, path: str) -> str | None:
    if mirror is None:
        return None
    try:
        return Git(environment).run("cat-file", "blob", f"{sha}:{path}", at=Path(mirror)).decode("utf-8", "replace")
    except GitError:
        return None


class _Files:
    """Files of one commit: those that your code is likely to ask for are read in one go, the others one by one."""

    def __init__(self, environment: Mapping[str, str], mirror: str | None, sha: str, names: Iterable[str]) -> None:
        self._environment, self._mirror, self._sha, self._names = environment, mirror, sha, names
        self._there: Container[str] | None = None
        """Paths of the commit; None when they cannot be listed."""
        self._texts: dict[str, str | None] = {}
        self._opened = False

    def text(self, path: str) -> str | None:
        if not self._opened:
            self._open()
        if path not in self._texts:
            there = self._there is None or path in self._there
            self._texts[path] = _file(self._environment, self._mirror, self._sha, path) if there else None
        return self._texts[path]

    def _open(self) -> None:
        self._opened = True
        if self._mirror is None:
            return
        git, at = Git(self._environment), Path(self._mirror)
        try:
            listed = git.run("ls-tree", "-r", "-z", "--full-tree", self._sha, at=at)
        except GitError:
            return
        rows = (row.partition(b"\t") for row in listed.split(b"\0") if row)
        oids = {path.decode("utf-8", "surrogateescape"): head.split(b" ")[2] for head, _, path in rows}
        self._there = oids.keys()
        wanted = {oids[path]: path for path in _modules(oids, self._names)}
        try:
            answer = git.run("cat-file", "--batch", at=at, stdin=b"".join(b"%s\n" % oid for oid in wanted))
        except GitError:
            return  # a clone without them: each is asked for by itself
        found = {oid: text.decode("utf-8", "replace") for oid, text in _blobs(answer)}
        self._texts = {path: found[oid] for path in _modules(oids, self._names) if (oid := oids[path]) in found}


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


def _blobs(answer: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Objects and contents in the output of `cat-file --batch`; what is missing is left out."""
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        words = answer[at:end].split(b" ")
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            if words[1] == b"blob":
                yield words[0], answer[at : at + size]
            at += size + 1


def _ends_of(upstreams: Sequence[Upstream], environment: Mapping[str, str], uses: Uses) -> Ends:
    """What the repositories hold at both ends, as far as they have their history at hand."""
    from daybreak.uses.projects import wanted_for

    by_name = {upstream.repo.name: upstream for upstream in upstreams}
    programs = {name: wanted_for([name], {name: one.project}).programs for name, one in by_name.items()}
    if any(upstream.mirror is None for upstream in upstreams if upstream.nets):
        return Ends(programs=programs)
    hints = {use.name for use in uses.uses if "." in use.name}

    def tree(at: Callable[[Upstream], str]) -> Tree:
        files = {name: _Files(environment, one.mirror, at(one), hints) for name, one in by_name.items()}
        return lambda repo, path: files[repo].text(path)

    def mentions(repo: str, word: str) -> bool:
        return _mentions(environment, by_name[repo], word)

    return Ends(tree(lambda one: one.end), tree(lambda one: one.start), mentions, programs)


def _mentions(environment: Mapping[str, str], upstream: Upstream, word: str) -> bool:
    """A file that is not there to be read by people or tests has the word at the end; so it is assumed on failure."""
    if upstream.mirror is None:
        return True
    asked = ["grep", "-l", "-w", "-F", "-e", word, upstream.end, "--", *(f":(exclude,glob){x}" for x in _ASIDE)]
    try:
        return bool(Git(environment).run(*asked, at=Path(upstream.mirror)))
    except GitError as error:
        return bool(error.detail.strip())  # without a word it has looked and found nothing


# --- your code -----------------------------------------------------------------------------------------------------


def refuse_unreadable(root: Path) -> None:
    """Raises for a path that is not there or no code, before anything is fetched for it."""
    from daybreak.uses.interface import Wanted
    from daybreak.uses.walk import read_uses

    if not root.exists():
        raise UsageError(f"There is no {root}.", "Name a folder or a file with your code.")
    if not root.is_dir():
        read_uses(root, Wanted())


def read_code(root: Path, upstreams: Sequence[Upstream]) -> tuple[Uses, dict[str, str]]:
    """What the code at a path uses of these repositories; and which distributions carry their version."""
    from daybreak.uses.projects import wanted_for
    from daybreak.uses.walk import read_uses

    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {u.repo.name: u.project for u in upstreams if u.project})
    # What they depend on is looked for as well: your own pin may leave no version for both.
    needed = {
        normalised(net.finding.symbol): upstream.repo.name
        for upstream in upstreams
        for net in upstream.nets
        if net.finding.kind in _DEPENDENCIES
    }
    wide = replace(wanted, projects={**needed, **wanted.projects})
    released = {name: repo for name, repo in wanted.projects.items() if name in wanted.releases}
    return read_uses(root, wide), released


# --- together ------------------------------------------------------------------------------------------------------


def impact(
    yours: Yours, upstreams: Sequence[Upstream], environment: Mapping[str, str], *, window: bool = False
) -> ImpactReport:
    """Which of the nets touch your code, surest first."""
    from daybreak.uses.walk import few_collections

    uses, released = read_code(yours.root, upstreams)
    nets = {upstream.repo.name: upstream.nets for upstream in upstreams}
    with few_collections():
        hits = join(uses, nets, released, window=window, ends=_ends_of(upstreams, environment, uses))
    prefix = _prefix(yours)
    found = [(fingerprint(hit.repo, hit.net.finding), _placed(hit, prefix), (hit.use.path,)) for hit in hits]
    over = accepted(yours.acks, [(name, hit, (hit.use.path, *own)) for name, hit, own in found], yours.today)
    told = [
        Told(name, replace(hit, acknowledged=reason))
        for (name, hit, _), reason in zip(found, over.reasons, strict=True)
        if reason is None or yours.every
    ]
    return ImpactReport(
        path=yours.shown,
        tool_version=__version__,
        scopes=tuple(Scope(upstream.repo, upstream.what, upstream.empty) for upstream in upstreams),
        told=tuple(told),
        acknowledged=sum(reason is not None for reason in over.reasons),
        acks=yours.acks_file,
        expired=tuple((ack.shown, str(ack.expires)) for ack in over.expired),
        unused=tuple(ack.shown for ack in over.unused),
        files=uses.files,
        lines=uses.lines,
        every=yours.every,
        skipped=tuple(one for upstream in upstreams for one in upstream.skipped),
        unread=_placed_files(uses.skipped, prefix),
        subjects={sha: subject for upstream in upstreams for sha, subject in upstream.subjects.items()},
    )


def touching(
    report: RangeReport,
    root: Path,
    environment: Mapping[str, str],
    acks: Sequence[Ack] = (),
    today: date = date.min,
) -> RangeReport:
    """An upgrade report with what of it touches the code at a path, and how much of what breaks does not."""
    from daybreak.uses.walk import few_collections

    upstream = of_report(report, environment)
    uses, released = read_code(root, (upstream,))
    with few_collections():
        hits = join(uses, {upstream.repo.name: report.nets}, released, ends=_ends_of((upstream,), environment, uses))
    rows = [(fingerprint(hit.repo, hit.net.finding), hit, (hit.use.path,)) for hit in hits]
    over = accepted(acks, rows, today)
    hits = tuple(replace(hit, acknowledged=reason) for hit, reason in zip(hits, over.reasons, strict=True))
    touched = {hit.net for hit in hits}
    ignored = sum(net.finding.breaking and net not in touched for net in report.nets)
    return replace(report, hits=hits, ignored=ignored, unread=uses.skipped)


def _prefix(yours: Yours) -> str:
    """What turns a path below the root into one from where the user stands; nothing when the root lies elsewhere."""
    try:
        inner = yours.root.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return ""
    if yours.root.is_file():
        inner = inner.rpartition("/")[0] or "."
    return "" if inner == "." else f"{inner}/"


def _placed(hit: Hit, prefix: str) -> Hit:
    """The same hit with paths from where the user stands."""
    pin_at = f"{prefix}{hit.pin_at}" if hit.pin_at else None
    return replace(hit, use=replace(hit.use, path=f"{prefix}{hit.use.path}"), pin_at=pin_at) if prefix else hit


def _placed_files(skipped: Sequence[Skipped], prefix: str) -> tuple[Skipped, ...]:
    return tuple(replace(one, what=f"{prefix}{one.what}") for one in skipped)


def every_failure(upstreams: Sequence[Upstream]) -> DaybreakError | None:
    """The error to end with when not one repository could be had."""
    if not upstreams or not all(upstream.failed for upstream in upstreams):
        return None
    first = upstreams[0].skipped[0]
    return RepositoryError(f"{first.what}: {first.reason}.", first.tip, first.detail)


# --- shown ----------------------------------------------------------------------------------------------------------


def rendered(report: ImpactReport, form: str, language: str) -> str:
    """The answer as `text`, `markdown`, `json`, `sarif` or `github`."""
    if form == "json":
        from daybreak.render.impact_json import impact_json

        return impact_json(report)
    if form == "sarif":
        from daybreak.render.impact_sarif import impact_sarif

        return impact_sarif(report, language)
    if form == "github":
        from daybreak.render.impact_github import impact_github

        return impact_github(report, language)
    if form == "markdown":
        from daybreak.render.impact_markdown import impact_markdown

        return impact_markdown(report, language)
    from daybreak.render.impact_text import impact_text

    return impact_text(report, language)


def fork_rendered(report: ForkReport, form: str, language: str) -> str:
    """How a fork stands, as `text`, `markdown` or `json`."""
    if form == "json":
        from daybreak.render.fork_data import fork_json

        return fork_json(report)
    if form == "markdown":
        from daybreak.render.fork_markdown import fork_markdown

        return fork_markdown(report, language)
    from daybreak.render.fork_text import fork_text

    return fork_text(report, language)

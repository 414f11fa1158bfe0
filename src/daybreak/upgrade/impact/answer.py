"""The answer: what a range or a window of each repository comes to, and which of it touches your code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak import __version__
from daybreak.collect.git.chain import explain, walk
from daybreak.collect.git.mirror import Say
from daybreak.collect.git.refs import resolve
from daybreak.core.errors import DaybreakError, GitError, RepositoryError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped, Window
from daybreak.core.model.day import Touch, Touches
from daybreak.core.model.findings import Unread
from daybreak.core.model.report import RepoReport
from daybreak.core.model.upgrade import Hit, Net, RangeReport, Span, Uses
from daybreak.core.versions import normalised
from daybreak.findings.blobs import contents
from daybreak.findings.kinds import kind_of
from daybreak.findings.unread import languages_by_strings
from daybreak.store.acks import Ack, accepted
from daybreak.upgrade.impact.form_text import ImpactReport, Scope, Told
from daybreak.upgrade.impact.join import RANK, fingerprint, join
from daybreak.upgrade.impact.native import is_required
from daybreak.upgrade.impact.table import UNREAD, Ends, Tree
from daybreak.upgrade.range import Job, Opened, opened, range_report, report_of
from daybreak.upgrade.range.net import net

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


# --- Which of what changed upstream touches your code, without what you have acknowledged ---

# --- What the repositories hold at both ends, as far as they have their history at hand ---


_ASIDE = ("**/*.md", "**/*.rst", "**/*.txt", "docs/**", "**/tests/**", "**/test/**", "**/CHANGELOG*")


def ends_of(upstreams: Sequence[Upstream], environment: Mapping[str, str], uses: Uses) -> Ends:
    """What the repositories hold at both ends, as far as they have their history at hand."""
    from daybreak.core.projects import wanted_for

    by_name = {upstream.repo.name: upstream for upstream in upstreams}
    programs = {name: wanted_for([name], {name: one.project}).programs for name, one in by_name.items()}
    if any(upstream.mirror is None for upstream in upstreams if upstream.nets):
        return Ends(programs=programs)
    hints = {use.name for use in uses.uses if "." in use.name}

    def tree(at: Callable[[Upstream], str]) -> Tree:
        files = {name: Files(environment, one.mirror, at(one), hints) for name, one in by_name.items()}
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
        return not error.found_nothing


class Yours(Struct, frozen=True):
    """Your side of the question."""

    root: Path
    shown: str
    """As the user wrote it; paths of hits are told from there."""
    today: date
    acks: tuple[Ack, ...] = ()
    acks_file: str = ""
    every: bool = False
    """Show acknowledged hits too."""
    workers: int = 1
    """Processes that may read a large code base."""


def impact(
    yours: Yours, upstreams: Sequence[Upstream], environment: Mapping[str, str], *, window: bool = False
) -> ImpactReport:
    """Which of the nets touch your code, surest first."""
    uses, hits = _joined(yours.root, upstreams, environment, yours.workers, window=window)
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
        blind=_blind(uses, upstreams, environment),
        subjects={sha: subject for upstream in upstreams for sha, subject in upstream.subjects.items()},
    )


def touching(
    report: RangeReport,
    root: Path,
    environment: Mapping[str, str],
    acks: Sequence[Ack] = (),
    today: date = date.min,
    workers: int = 1,
) -> RangeReport:
    """An upgrade report with what of it touches the code at a path, and how much of what breaks does not."""
    uses, hits = _joined(root, (of_report(report, environment),), environment, workers)
    rows = [(fingerprint(hit.repo, hit.net.finding), hit, (hit.use.path,)) for hit in hits]
    over = accepted(acks, rows, today)
    hits = tuple(replace(hit, acknowledged=reason) for hit, reason in zip(hits, over.reasons, strict=True))
    touched = {hit.net for hit in hits}
    ignored = sum(net.finding.breaking and net not in touched for net in report.nets)
    return replace(report, hits=hits, ignored=ignored, unread=uses.skipped)


_MUCH = 0.1
"""Share of a project's sources that makes it one of the language."""


def _blind(uses: Uses, upstreams: Sequence[Upstream], environment: Mapping[str, str]) -> tuple[Unread, ...]:
    """Languages of your code whose names are not read, where a repository is written in them too."""
    if not uses.languages:
        return ()
    written = {
        one.language
        for upstream in upstreams
        if not upstream.empty
        for one in languages_by_strings(_paths(upstream, environment))
        if one.share >= _MUCH
    }
    return tuple(one for one in uses.languages if one.language in written)


def _paths(upstream: Upstream, environment: Mapping[str, str]) -> Iterable[str]:
    """What the repository holds at the end, or at least what changed in it."""
    if upstream.mirror is not None and upstream.end:
        with suppress(GitError):
            told = Git(environment).run("ls-tree", "-r", "-z", "--name-only", upstream.end, at=Path(upstream.mirror))
            return told.decode("utf-8", "replace").split("\0")
    return (net.finding.path for net in upstream.nets)


def _joined(
    root: Path, upstreams: Sequence[Upstream], environment: Mapping[str, str], workers: int, *, window: bool = False
) -> tuple[Uses, tuple[Hit, ...]]:
    """What the code at a path uses of the repositories, and what of it their nets touch."""
    from daybreak.upgrade.downstream.walk import few_collections

    uses, released = read_code(root, upstreams, workers)
    nets = {upstream.repo.name: upstream.nets for upstream in upstreams}
    with few_collections():
        return uses, join(uses, nets, released, window=window, ends=ends_of(upstreams, environment, uses))


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


# --- What of a day touches the reader's own code: the day's findings netted, joined with what the code uses ---
# The code is only read, never run. What cannot be read of it is named in the report, and costs nobody the day.


def touches_of(
    repos: Sequence[RepoReport], window: Window, paths: Sequence[tuple[str, Path]], acks: Sequence[Ack] = ()
) -> Touches:
    """Every path's hits together, surest first; `paths` are names as the config has them, with their places."""
    nets = {repo.repo.name: _nets(repo) for repo in repos}
    found: list[Touch] = []
    skipped: list[Skipped] = []
    files = dropped = 0
    for name, root in paths:
        try:
            count, hits, unread = _of_path(root, nets)
        except (DaybreakError, OSError) as error:
            words = error.message if isinstance(error, DaybreakError) else f"it cannot be read ({error.strerror})"
            skipped.append(Skipped(name, words.rstrip("."), "Correct `paths` in [impact], or let this user read them."))
            continue
        files += count
        skipped += [replace(item, what=_below(name, item.what)) for item in unread]
        rows = [
            (fingerprint(hit.repo, hit.net.finding), hit, (_below(name, hit.use.path), hit.use.path)) for hit in hits
        ]
        over = accepted(acks, rows, date.fromisoformat(window.label))
        dropped += sum(reason is not None for reason in over.reasons)
        kept = [hit for (_, hit, _), reason in zip(rows, over.reasons, strict=True) if reason is None]
        found += [_touch(name, hit) for hit in kept]
    found.sort(key=lambda one: (RANK[one.certainty], one.path, one.line, one.repo, one.findings))
    return Touches(tuple(name for name, _ in paths), files, tuple(found), dropped, tuple(skipped))


def _nets(repo: RepoReport) -> tuple[Net, ...]:
    """What the day comes to; a change that `paths` or `exclude` filtered is not the reader's."""
    told = [entry for entry in reversed(repo.entries) if not entry.change.filtered]
    released = {entry.change.sha: entry.released for entry in told}
    steps = ((entry.change.sha, finding) for entry in told for finding in entry.reading.findings)
    return tuple(replace(one, since=released.get(one.commits[-1])) for one in net(steps))


def _of_path(root: Path, nets: dict[str, tuple[Net, ...]]) -> tuple[int, tuple[Hit, ...], tuple[Skipped, ...]]:
    from daybreak.core.projects import wanted_for
    from daybreak.upgrade.downstream.walk import read_uses

    wanted = wanted_for(nets)
    uses = read_uses(root, wanted)
    return uses.files, join(uses, nets, wanted.released, window=True), uses.skipped


def _touch(name: str, hit: Hit) -> Touch:
    return Touch(
        certainty=hit.certainty,
        path=_below(name, hit.use.path),
        line=hit.use.line,
        repo=hit.repo,
        commits=hit.net.commits,
        why=hit.why,
        action=hit.action,
        findings=(hit.net.finding.id,),
        pinned=hit.pinned,
        pin_at=_below(name, hit.pin_at) if hit.pin_at else None,
        id=fingerprint(hit.repo, hit.net.finding),
    )


def _below(name: str, path: str) -> str:
    bare = name.rstrip("/")
    if path == ".":
        return name
    return path if bare in ("", ".") else f"{bare}/{path}"

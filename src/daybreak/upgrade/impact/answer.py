"""The answer: what a range or a window of each repository comes to, and which of it touches your code."""

from __future__ import annotations

import io
import re
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak import __version__
from daybreak.collect.git.chain import Chain, explain, walk
from daybreak.collect.git.mirror import Say
from daybreak.collect.git.refs import resolve
from daybreak.core.errors import DaybreakError, GitError, RepositoryError, UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Skipped, Window
from daybreak.core.model.day import Touch, Touches
from daybreak.core.model.findings import Unread
from daybreak.core.model.report import RepoReport
from daybreak.core.model.upgrade import Hit, Net, RangeReport, Span, Uses
from daybreak.core.versions import normalised
from daybreak.findings.kinds import kind_of
from daybreak.findings.unread import languages_by_strings
from daybreak.store.acks import Ack, accepted
from daybreak.upgrade.impact.ends import Upstream, ends_of, file_of
from daybreak.upgrade.impact.form_text import ImpactReport, Scope, Told
from daybreak.upgrade.impact.harm import RANK
from daybreak.upgrade.impact.join import fingerprint, join
from daybreak.upgrade.impact.lost_members import lost_names
from daybreak.upgrade.impact.native import is_required, package_named, packages_of
from daybreak.upgrade.impact.other_versions import for_step, steps_of
from daybreak.upgrade.impact.programs import PROJECT_FILES
from daybreak.upgrade.impact.scripts import Gone, gone_scripts, scripts_of
from daybreak.upgrade.range import Job, opened, range_report, report_of
from daybreak.upgrade.range.net import net

if TYPE_CHECKING:
    from daybreak.core.projects import Wanted

_NONE: Mapping[str, str] = {}
_NONE_GONE: Gone = {}


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
        with opened(job, say) as place:
            chain = walk(place.git, place.mirror.path, place.mirror.tip)
        inside, below = _inside(chain, since, until)
        if not inside:
            newest = datetime.fromtimestamp(chain.time(0), since.tzinfo) if len(chain) else None
            return Upstream(job.repo, what, empty=True, newest=str(newest.date()) if newest else "")
        around = resolve(place.git, place.mirror, job.repo, f"{below}..{inside[-1]}", offline=True)
        found = place.graded(inside)
        span = replace(around, gained=inside, lost=())
        # With commits of other days among them, the trees at both ends show more than what these commits did.
        whole = around.gained == inside and not around.lost
        tip = place.mirror.tip if whole else None
        report = report_of(place.git, span, found, job.languages, tip, broken=False)
        others = frozenset(around.gained).difference(inside)
        return replace(of_report(report, job.environment), what=what, others=others)
    except (GitError, RepositoryError) as error:
        known = error if isinstance(error, RepositoryError) else explain(error, job.repo.git, job.repo.branch)
        skipped = Skipped(job.repo.name, known.reason, known.tip, known.detail)
        return Upstream(job.repo, what, skipped=(skipped,), failed=True)


def _inside(chain: Chain, since: datetime, until: datetime) -> tuple[tuple[str, ...], str]:
    """The commits dated in the window, oldest first, as the report of that day has them; and the one below them all.

    Dates need not be in order: a commit made on one day may be pushed on top of those of the next.
    """
    inside = chain.between(since, until)
    if not inside:
        return (), ""
    return tuple(chain.sha(at) for at in reversed(inside)), chain.sha(min(inside[-1] + 1, len(chain) - 1))


def _project(span: Span, environment: Mapping[str, str]) -> str:
    """Not every project has such a file; its name says the rest then."""
    found = (file_of(environment, span.mirror, span.end.sha, path) for path in PROJECT_FILES)
    return next((text for text in found if text is not None), "")


def every_failure(upstreams: Sequence[Upstream]) -> DaybreakError | None:
    """The error to end with when not one repository could be had."""
    if not upstreams or not all(upstream.failed for upstream in upstreams):
        return None
    first = upstreams[0].skipped[0]
    return RepositoryError(f"{first.what}: {first.reason.rstrip('.')}.", first.tip, first.detail)


# --- What your code uses of the repositories that are asked about ---


def refuse_unreadable(root: Path) -> None:
    """Raises for a path that is not there or no code, before anything is fetched for it."""
    from daybreak.core.projects import Wanted
    from daybreak.upgrade.downstream.walk import read_uses

    if not root.exists():
        raise UsageError(f"There is no {root}.", "Name a folder or a file with your code.")
    if not root.is_dir():
        read_uses(root, Wanted())


def read_code(
    root: Path,
    upstreams: Sequence[Upstream],
    workers: int,
    launchers: Mapping[str, str],
    environment: Mapping[str, str] = _NONE,
    lost: frozenset[str] = frozenset(),
    gone: Gone = _NONE_GONE,
) -> tuple[Uses, dict[str, str]]:
    """What the code at a path uses of these repositories; and which distributions carry their version."""
    from daybreak.core.projects import wanted_for, with_launchers
    from daybreak.upgrade.downstream.walk import files_of, read_uses

    names = [upstream.repo.name for upstream in upstreams]
    wanted = wanted_for(names, {u.repo.name: u.project for u in upstreams if u.project})
    # What they depend on is looked for as well: your own pin may leave no version for both.
    needed = {
        normalised(net.finding.symbol): upstream.repo.name
        for upstream in upstreams
        for net in upstream.nets
        if is_required(kind_of(net.finding.kind))
    }
    parts = {name: upstream.repo.name for upstream in upstreams for name in _parts(upstream, environment)}
    wide = replace(wanted, projects={**parts, **needed, **wanted.projects}, lost=lost)
    wide = with_launchers(_with_variables(wide, [net for upstream in upstreams for net in upstream.nets]), launchers)
    scripts = scripts_of(environment, upstreams, gone)
    own = {path.name for path, _ in files_of(root, wide)} if scripts else set()
    theirs = {name: command for name, command in scripts.items() if name not in own}
    return read_uses(root, replace(wide, launchers={**theirs, **wide.launchers}), workers), wanted.released


def _with_variables(wanted: Wanted, nets: Iterable[Net]) -> Wanted:
    """With the variables that the span touches, whatever their names begin with: not every one bears its project's name."""
    touched = {net.finding.symbol for net in nets if kind_of(net.finding.kind).surface == "environment"}
    return replace(wanted, variables=wanted.variables | touched)


def _parts(upstream: Upstream, environment: Mapping[str, str]) -> set[str]:
    """Crates and their like that a repository holds and whose requirements changed: they count for who takes them."""
    required = (net.finding.path for net in upstream.nets if is_required(kind_of(net.finding.kind)))
    paths = {path for path in required if packages_of(path) != "python"}
    texts = (file_of(environment, upstream.mirror, upstream.end, path) for path in sorted(paths))
    return {name for text in texts if (name := package_named(text or ""))}


# --- Which of what changed upstream touches your code, without what you have acknowledged ---


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
    exclude: tuple[str, ...] = ()
    """Globs of paths below the root that do not count."""
    launchers: Mapping[str, str] = field(default_factory=dict)
    """Your own programs that hand their options on to one of upstream."""


def impact(
    yours: Yours, upstreams: Sequence[Upstream], environment: Mapping[str, str], *, window: bool = False
) -> ImpactReport:
    """Which of the nets touch your code, surest first."""
    uses, hits = _joined(
        yours.root, upstreams, environment, yours.workers, yours.exclude, yours.launchers, window=window
    )
    prefix = prefix_of(yours)
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
        scopes=tuple(Scope(upstream.repo, upstream.what, upstream.empty, upstream.pin) for upstream in upstreams),
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
    launchers: Mapping[str, str] = _NONE,
) -> RangeReport:
    """An upgrade report with what of it touches the code at a path, and how much of what breaks does not."""
    uses, hits = _joined(root, (of_report(report, environment),), environment, workers, launchers=launchers)
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
    root: Path,
    upstreams: Sequence[Upstream],
    environment: Mapping[str, str],
    workers: int,
    exclude: Sequence[str] = (),
    launchers: Mapping[str, str] = _NONE,
    *,
    window: bool = False,
) -> tuple[Uses, tuple[Hit, ...]]:
    """What the code at a path uses of the repositories, and what of it their nets touch."""
    from daybreak.upgrade.downstream.walk import few_collections

    lost = {upstream.repo.name: lost_names(environment, upstream) for upstream in upstreams}
    words = frozenset(name for names in lost.values() for name in names)
    gone = {upstream.repo.name: gone_scripts(environment, upstream) for upstream in upstreams}
    uses, released = read_code(root, upstreams, workers, launchers, environment, words, gone)
    if exclude:
        kept = tuple(use for use in uses.uses if not any(fnmatch(use.path, glob) for glob in exclude))
        uses = replace(uses, uses=kept)
    uses = for_step(uses, steps_of({upstream.repo.name: upstream.what for upstream in upstreams}, released))
    nets = {upstream.repo.name: upstream.nets for upstream in upstreams}
    ends = ends_of(upstreams, environment, uses, lost)
    with few_collections():
        return uses, join(uses, nets, released, window=window, ends=replace(ends, scripts=gone))


def prefix_of(yours: Yours) -> str:
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
    repos: Sequence[RepoReport],
    window: Window,
    paths: Sequence[tuple[str, Path]],
    acks: Sequence[Ack] = (),
    launchers: Mapping[str, str] = _NONE,
) -> Touches:
    """Every path's hits together, surest first; `paths` are names as the config has them, with their places."""
    nets = {repo.repo.name: _nets(repo) for repo in repos}
    found: list[Touch] = []
    skipped: list[Skipped] = []
    files = dropped = 0
    for name, root in paths:
        try:
            count, hits, unread = _of_path(root, nets, launchers)
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


def _of_path(
    root: Path, nets: dict[str, tuple[Net, ...]], launchers: Mapping[str, str]
) -> tuple[int, tuple[Hit, ...], tuple[Skipped, ...]]:
    from daybreak.core.projects import wanted_for, with_launchers
    from daybreak.upgrade.downstream.walk import read_uses

    wanted = _with_variables(wanted_for(nets), [net for some in nets.values() for net in some])
    uses = read_uses(root, with_launchers(wanted, launchers))
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


# An answer beside that for another commit of your own repository: what both have is not what your change brings.
_NAME = re.compile(r"(?!-)[\w./@{}^~-]{1,200}")
_LARGEST = 5_000_000
"""Bytes of a file that is written out to be read; a larger one is not read in your folder either."""


def beside(
    report: ImpactReport,
    yours: Yours,
    upstreams: Sequence[Upstream],
    environment: Mapping[str, str],
    commit: str,
    window: bool = False,
) -> ImpactReport:
    """The report without the hits that the code of a commit has as well."""
    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        _write_out(environment, yours.root, commit, Path(folder))
        before = impact(replace(yours, root=Path(folder), every=True), upstreams, environment, window=window)
    had = Counter(_key(one, "") for one in before.told)
    prefix = prefix_of(yours)
    kept = []
    for one in report.told:
        key = _key(one, prefix)
        had[key] -= 1
        if had[key] < 0:
            kept.append(one)
    return replace(report, told=tuple(kept), against=commit, known=len(report.told) - len(kept))


def _key(one: Told, prefix: str) -> tuple[str, ...]:
    """The same hit in another state of the code: lines above it may have come and gone."""
    use = one.hit.use
    return one.id, use.path.removeprefix(prefix), use.kind, use.name, use.text


def _write_out(environment: Mapping[str, str], root: Path, commit: str, folder: Path) -> None:
    """The files of a commit below a root; what is no plain file is left out."""
    if not _NAME.fullmatch(commit):
        raise UsageError(f"{commit!r} is not a commit.", "Give a sha, a branch or a tag of your own repository.")
    try:
        packed = Git(environment).run("archive", "--format=tar", commit, at=root if root.is_dir() else root.parent)
    except GitError as error:
        raise UsageError(
            f"{root} cannot be compared with {commit}: {error.message}",
            "Is it a git repository, and is that commit in it? In CI: check out with fetch-depth: 0.",
        ) from error
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for one in files:
            place, held = PurePosixPath(one.name), files.extractfile(one) if one.isfile() else None
            if held is None or one.size > _LARGEST or place.is_absolute() or ".." in place.parts:
                continue
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(held.read())  # by hand: Python before 3.11.4 has no filter of its own

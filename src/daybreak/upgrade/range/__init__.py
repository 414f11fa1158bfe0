"""An upgrade report: refs → graded entries → what holds over the whole → the report; what `daybreak range` does.

Commits are read some at a time and kept without their patches, so that memory does not grow with the range, and a
second report over the same commits reads no patch at all.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from daybreak import __version__
from daybreak.collect.git import history
from daybreak.collect.git.chain import explain
from daybreak.collect.git.mirror import Mirror, Say, open_mirror
from daybreak.collect.git.picks import TEST, three_ways
from daybreak.collect.git.refs import releases_of, resolve, split
from daybreak.collect.git.trees import import_trees
from daybreak.core.config import ReaderConfig
from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Repo, Skipped
from daybreak.core.model.findings import Area, Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Grounding, Statement
from daybreak.core.model.upgrade import Net, Outage, RangeReport, Span
from daybreak.core.text import counted
from daybreak.core.versions import Version, version
from daybreak.core.words.phrases import languages
from daybreak.findings import paths
from daybreak.findings.diff import hunks, side
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.quotes.comments import blocks, form_of
from daybreak.findings.quotes.prose import is_prose, sentences
from daybreak.findings.range_ends import at_ends, earlier
from daybreak.findings.range_verdict import settled, unborne
from daybreak.findings.trees import GitTrees, Trees
from daybreak.judge.announcements import hold
from daybreak.judge.outages import Around, among, had, held, may_mend, outages
from daybreak.upgrade.range.advice import to_follow
from daybreak.upgrade.range.entries import EntryCache, Task, make_ready, read_entries
from daybreak.upgrade.range.own_words import with_own_words
from daybreak.upgrade.range.range_page import SURFACES, range_summary, worded
from daybreak.upgrade.range.since import since, tags_of

NOBODY = ReaderConfig()
CONTRADICTED = "contradicted_by_end_tree"
_UNPARSED = "its content could not be parsed, or only in part"
Outside = tuple[tuple[Change, ...], tuple[Change, ...]]
"""The changes before a range, and those after it."""
_ORDER: dict[str, int] = {surface: place for place, surface in enumerate(SURFACES)}


def _unheard(_count: int) -> None:
    pass


def _nobody_else() -> AbstractContextManager[bool]:
    return nullcontext(enter_result=True)


@dataclass(frozen=True, slots=True)
class Job:
    """Where a range is read, and for whom."""

    repo: Repo
    state: Path
    """Folder of mirrors and caches."""
    environment: Mapping[str, str]
    languages: tuple[str, ...] = field(default_factory=languages)
    wanted: ReaderConfig = NOBODY
    offline: bool = False
    workers: int = 1
    expect: Callable[[int], None] = field(default=_unheard, compare=False)
    """Hears how many commits will be read."""
    done: Callable[[int], None] = field(default=_unheard, compare=False)
    """Hears how many more commits were read."""
    turn: Callable[[], AbstractContextManager[bool]] = field(default=_nobody_else, compare=False)
    """Held while the mirror is brought up to date; False: somebody else is at it, and it is only read."""


class Opened(Struct, frozen=True):
    """A repository whose history can be asked."""

    job: Job
    git: Git
    mirror: Mirror

    def graded(self, shas: Sequence[str]) -> dict[str, Entry]:
        """Slim entries by sha, read now or kept from an earlier time."""
        job, repo = self.job, self.job.repo
        job.expect(len(shas))
        task = Task(repo, self.mirror.path, job.state, job.environment, job.wanted, tuple(shas))
        return read_entries(task, _cache(job), job.workers, job.done)


def _cache(job: Job) -> EntryCache:
    return EntryCache(job.state / "cache", job.repo, job.wanted)


@contextmanager
def opened(job: Job, say: Say) -> Iterator[Opened]:
    """The repository's mirror, made or updated unless offline; within, more may be fetched into it."""
    git = Git(job.environment)
    with job.turn() as mine:
        there = job if mine else dataclasses.replace(job, offline=True)
        git.take_user_settings(job.state)
        yield Opened(there, git, open_mirror(git, job.repo, job.state / "mirrors", there.offline, say))


def range_report(job: Job, text: str, say: Say, *, broken: bool = True) -> RangeReport:
    """What an upgrade from A to B means; what is wrong with the repository as a whole is one error.

    Without `broken`, the times when main was broken and the program's own words are left out: who asks for the nets only
    need not wait for them.
    """
    split(text)
    make_ready(_cache(job), job.workers)
    try:
        with opened(job, say) as place:
            span = resolve(place.git, place.mirror, job.repo, text, place.job.offline)
        start, end = split(text)
        lost = f", and {len(span.lost)} in {start} that {end} lacks" if span.lost else ""
        say(f"{job.repo.name}: {counted(len(span.gained), 'commit')} in {end} that {start} lacks{lost}")
        if span.start.committed_at > span.end.committed_at and len(span.lost) > len(span.gained):
            say(f"{job.repo.name}: {start} is the newer one, so this is the way back; the upgrade is {end}..{start}")
        with ThreadPoolExecutor(1) as beside:
            outside = beside.submit(_outside, place.git, span, place.mirror.tip) if broken else None
            found = place.graded((*span.gained, *span.lost))
            around_it = outside.result if outside else None
            report = report_of(place.git, span, found, job.languages, place.mirror.tip, around_it, broken=broken)
        if len(report.left_behind) < len(span.lost):
            some = len(report.left_behind)
            others = f"what {'the others' if some else f'commits of {start} alone'} do, {end} has as well"
            say(f"{job.repo.name}: " + (f"{counted(some, 'commit')} of {start} left behind; " if some else "") + others)
        return report
    except GitError as error:
        known = error if isinstance(error, RepositoryError) else explain(error, job.repo.git, job.repo.branch)
        raise RepositoryError(f"{job.repo.name}: {known.message.rstrip('.')}.", known.tip, known.detail) from error


def trees_report(job: Job, old: Path, new: Path) -> RangeReport:
    """The same between two folders of sources; everything made on the way is gone afterwards."""
    git = Git(job.environment)
    git.take_user_settings(job.state)
    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        span = import_trees(git, old, new, Path(folder))
        task = Task(span.repo, Path(folder) / "trees.git", job.state, job.environment, job.wanted, span.gained, True)
        found = read_entries(task, EntryCache(None, span.repo, job.wanted), 1, job.done)
        report = report_of(git, span, found, job.languages, None)
        return replace(report, span=replace(report.span, mirror=None, repo=replace(span.repo, git="")))


def report_of(
    git: Git,
    span: Span,
    found: Mapping[str, Entry],
    languages: tuple[str, ...],
    tip: str | None,
    outside: Callable[[], Outside] | None = None,
    *,
    broken: bool = True,
) -> RangeReport:
    """The report over entries that were read; `tip`: the branch's newest commit, for repairs that came later.

    `outside` gives the commits before and after the range, where they were asked for already.
    """
    gained, lost = ([_released(found[sha], span) for sha in side] for side in (span.gained, span.lost))
    missing = history.missing_from(git, span)
    taken = held(entry.change for entry in gained)
    left = [e for e in lost if e.change.sha in missing and not among(e.change, taken)]
    # findings between two trees were read from both ends, and rest on more than the one file they name
    nets, grounding = _nets(git, span if tip is not None else replace(span, mirror=None), gained, lost, words=broken)
    report = RangeReport(
        span=span,
        tool_version=__version__,
        languages=languages,
        entries=hold(gained[::-1]),
        left_behind=tuple(reversed(left)),
        had=had((entry.change for entry in gained), [entry.change for entry in lost]),
        nets=nets,
        outages=()
        if tip is None or not broken
        else with_releases(
            git, span, outages(*_around(gained, lost, (outside or partial(_outside, git, span, tip))()))
        ),
        skipped=tuple(_skipped(span.repo.name, (*reversed(gained), *reversed(lost)))),
        grounding=grounding,
    )
    return replace(report, summary=summary_of(report))


def _released(entry: Entry, span: Span) -> Entry:
    return replace(entry, released=span.released.get(entry.change.sha))


def summary_of(report: RangeReport) -> tuple[Statement, ...]:
    """Its first lines, of what it holds now."""
    nets = [(net, kind_of(net.finding.kind).surface) for net in report.nets]
    lost = (*report.skipped, *report.span.skipped)
    return range_summary(report.span, report.entries, report.left_behind, nets, report.outages, lost)


# --- what holds over the whole -------------------------------------------------------------------------------------


def steps(gained: Iterable[Entry], lost: Sequence[Entry]) -> Iterator[tuple[str, Finding]]:
    """The way from one end to the other: what the start has is undone, newest first; then the end's own, oldest first."""
    from daybreak.upgrade.range.net import mirrored

    for entry in reversed(lost):
        if not entry.change.filtered:
            yield from ((entry.change.sha, mirrored(finding)) for finding in reversed(entry.reading.findings))
    for entry in gained:
        if not entry.change.filtered:
            yield from ((entry.change.sha, finding) for finding in entry.reading.findings)


def _nets(
    git: Git, span: Span, gained: Sequence[Entry], lost: Sequence[Entry], *, words: bool = True
) -> tuple[tuple[Net, ...], Grounding]:
    """Netted, and held against the trees at both ends; with `words`, what the program itself says of what breaks."""
    from daybreak.upgrade.range.net import net

    way = list(steps(gained, lost))
    found = net(way)
    if span.mirror is not None:
        trees = GitTrees(git, Path(span.mirror))
        untrue = _untrue(trees, span, found, (*gained, *lost))
        came = [one.finding for one in found if one.finding.after is not None and one not in untrue]
        given = {_thing(finding.kind, finding.after) for finding in came}
        pairs = [(_asked(one.finding, given), len(one.commits) == 1) for one in found]
        settled_ones = settled(trees, span.start.sha, span.end.sha, pairs)
        ends = [
            None if one in untrue else one.finding if asked.breaking != one.finding.breaking else end
            for one, (asked, _), end in zip(found, pairs, settled_ones, strict=True)
        ]
        standing = [finding for finding in ends if finding is not None]
        told = iter(at_ends(trees, span.start.sha, span.end.sha, standing))
        ends = [next(told) if finding is not None else None for finding in ends]
    else:
        ends = [one.finding for one in found]
    known = since(way, found, span.released, set(span.lost))
    there = [(one, finding, tag) for one, finding, tag in zip(found, ends, known, strict=True) if finding is not None]
    if span.mirror is not None:
        tags = tags_of(span.released, set(span.lost))
        before = earlier(trees, span.start.sha, tags, [finding for _, finding, _ in there], [tag for *_, tag in there])
        there = [(one, finding, tag) for (one, finding, _), tag in zip(there, before, strict=True)]
    kept = [_told(replace(one, finding=finding, since=tag)) for one, finding, tag in there]
    if span.mirror is not None and words:
        kept = [*to_follow(trees, span.end.sha, with_own_words(trees, span.end.sha, kept))]
    dropped = len(found) - len(kept)
    reasons = {CONTRADICTED: dropped} if dropped else {}
    return tuple(sorted(kept, key=_place)), Grounding(len(found), len(kept), dropped, reasons)


def _untrue(trees: Trees, span: Span, nets: Sequence[Net], entries: Iterable[Entry]) -> set[Net]:
    """Those that the file they were read from does not bear out; what one change alone did to a file stands in both ends."""
    touched: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for file in entry.change.files:
            touched[file.path].add(entry.change.sha)
    asked = [one for one in nets if len(by := touched[one.finding.path]) > 1 and by.intersection(one.commits)]
    against = unborne(trees, span.start.sha, span.end.sha, [one.finding for one in asked])
    return {one for one, untrue in zip(asked, against, strict=True) if untrue}


def _told(one: Net) -> Net:
    """With its words; what only the project itself uses is data for those who use it too, and no page tells it."""
    return one if one.finding.inner else worded(one)


def _asked(finding: Finding, given: set[tuple[str, str | None]]) -> Finding:
    """What is gone is not contradicted by something else that was given its name since: that is not asked about."""
    gone = kind_of(finding.kind).change in ("renamed", "removed")
    return replace(finding, breaking=False) if gone and _thing(finding.kind, finding.before) in given else finding


def _thing(kind: str, name: str | None) -> tuple[str, str | None]:
    known = kind_of(kind)
    return known.family if known.change in CAME | GONE else kind, name


def _place(one: Net) -> tuple[bool, int, str, str, str]:
    finding = one.finding
    surface = _ORDER.get(kind_of(finding.kind).surface, len(_ORDER))
    return (not finding.breaking, surface, finding.symbol, finding.path, finding.kind)


# --- when main was broken ------------------------------------------------------------------------------------------


def _outside(git: Git, span: Span, tip: str) -> Outside:
    return history.before(git, span), history.after(git, span, tip, may_mend)


def _around(gained: Sequence[Entry], lost: Sequence[Entry], outside: Outside) -> tuple[Around, dict[str, Reading]]:
    """The changes of the range and around it, and what is known of them."""
    earlier, later = outside
    readings = {entry.change.sha: entry.reading for entry in (*gained, *lost)}
    readings |= {change.sha: Reading(change.sha, _areas(change)) for change in later}
    new, old = ([entry.change for entry in side] for side in (gained, lost))
    return Around(earlier, new, old, later), readings


def _areas(change: Change) -> dict[Area, int]:
    return dict(Counter(paths.area(file.path) for file in change.files))


# --- what could not be read ----------------------------------------------------------------------------------------


def _skipped(name: str, found: Iterable[Entry]) -> Iterator[Skipped]:
    for entry in found:
        what, change = f"{name} {entry.change.short}", entry.change
        for reason in (change.skipped, entry.reading.skipped):
            if reason:
                yield Skipped(what, reason)
        yield from (Skipped(f"{what} {file.path}", file.skipped) for file in change.files if file.skipped)
        yield from (Skipped(f"{what} {path}", _UNPARSED) for path in entry.reading.unparsed)


# Where a fault that the end of a range has is repaired: in the end itself, by a commit of its own; in a patch release
# with the repair picked; or in a later release.
_MOST = 12
"""Faults whose repair is looked for."""
_NOTHING_IN_COMMON = 1
"""How git ends that finds no common commit."""
_FILES = 20
"""Files of a repair that is looked for in the end; one of more is told as missing there."""
_PULL = re.compile(r"\(#(\d{1,9})\)\s*$")
_PATCH, _SOURCES, _SAID = 200_000, 3, 200


def with_releases(git: Git, span: Span, outages: Sequence[Outage]) -> tuple[Outage, ...]:
    """Those that hold the end with the release that repairs them, None where there is none yet; without those that
    the end never had, and those whose repair stands in it: it came there by another commit, as on a branch of releases.
    """
    if span.mirror is None or not any(one.holds_end and one.repair for one in outages):
        return tuple(outages)
    place, left, found = Path(span.mirror), _MOST, []
    for one in outages:
        known = one.repair if one.holds_end and left else None
        left -= known is not None
        if known and not _faulty(git, place, span.end.sha, one.fault, known):
            continue
        found.append(_repaired(git, place, span, one, known) if known else one)
    return tuple(found)


def _repaired(git: Git, place: Path, span: Span, one: Outage, repair: str) -> Outage:
    says, files = _told_by(git, place, repair)
    return replace(one, repaired_in=_release(git, place, span, repair), repair_says=says, repair_files=files)


def _told_by(git: Git, place: Path, repair: str) -> tuple[str, tuple[str, ...]]:
    """The first comment that a repair adds to the sources, and which of them it changes: whom the fault hits, a title seldom says."""
    shown = ("-c", "core.quotePath=false", "diff-tree", "-p", "--no-renames", "--diff-filter=M", f"{repair}^", repair)
    try:
        patch = _text(git, place, *shown)[:_PATCH]
    except GitError:
        return "", ()
    files = [part.partition("\n") for part in f"\n{patch}".split("\ndiff --git ")[1:]]
    parts = [(head.rpartition(" b/")[2], part) for head, _, part in files]
    sources = [(path, part[part.find("\n@@") + 1 :]) for path, part in parts if paths.area(path) in paths.SOURCES]
    said = (text for path, part in sources if (text := _comment(path, part)))
    return next(said, ""), tuple(dict.fromkeys(path.rpartition("/")[2] for path, _ in sources[:_SOURCES]))


def _comment(path: str, patch: str) -> str:
    """The first sentence of a comment that is new as a whole: of one that goes on what stood there, half would be told."""
    form = form_of(path)
    for hunk in hunks(patch) if form else ():
        for kind, block in blocks(side(hunk, "+"), form) if form else ():
            told = next((one.text for one in sentences(block)), "") if kind == "comment" else ""
            whole = told[:1].isupper() and told.endswith(".") and len(told) <= _SAID
            if whole and is_prose(told) and all(line.changed for line in block):
                return told
    return ""


def _faulty(git: Git, place: Path, end: str, fault: str, repair: str) -> bool:
    """Whether the end was made with what brought the fault in, and without its repair."""
    with git.faults.made_good():
        try:
            came = _text(git, place, "merge-base", fault, end) == fault
        except GitError as error:
            came = error.code != _NOTHING_IN_COMMON  # who could not be asked is not acquitted
    return came and not _stands(git, place, end, repair)


def _stands(git: Git, place: Path, end: str, repair: str) -> bool:
    """Whether a pick of the repair would leave the end as it is."""
    named = ("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=M", "--name-only", f"{repair}^", repair)
    try:
        paths = [one for one in _text(git, place, *named).split("\0") if one and not TEST.search(one)]
        return 0 < len(paths) <= _FILES and all(_has(git, place, end, repair, path) for path in paths)
    except GitError:
        return False


def _has(git: Git, place: Path, end: str, repair: str, path: str) -> bool:
    base, ours, theirs = (_file(git, place, at, path) for at in (f"{repair}^", end, repair))
    merged = three_ways(git, base, ours, theirs)
    return merged is not None and merged.raw == ours


def _file(git: Git, place: Path, at: str, path: str) -> str:
    return git.run("cat-file", "blob", f"{at}:{path}", at=place).decode("utf-8", "surrogateescape")


def _release(git: Git, place: Path, span: Span, repair: str) -> str | None:
    try:
        return _picked(git, place, span, repair) or _later(git, place, span, repair)
    except GitError:
        return None


def _picked(git: Git, place: Path, span: Span, repair: str) -> str | None:
    """The first release made on top of the end whose history names the pull request of the repair."""
    found = _PULL.search(_text(git, place, "log", "--no-walk", "--format=%s", repair))
    names = _text(git, place, "tag", "--contains", span.end.sha).split("\n") if found else []
    patches = sorted((one, name) for name in names if (one := version(name)) is not None and _whole(one))
    for _, name in patches:
        titles = _text(git, place, "log", "--format=%s", f"{span.end.sha}..refs/tags/{name}", "--")
        if found and re.search(rf"#{found[1]}\b", titles):
            return name
    return None


def _whole(one: Version) -> bool:
    return one.stage == 0 and one.final == 1


def _later(git: Git, place: Path, span: Span, repair: str) -> str | None:
    base = _text(git, place, "merge-base", span.end.sha, repair)
    return releases_of(git, place, span.repo, base, (repair,)).get(repair) if base else None


def _text(git: Git, place: Path, *arguments: str) -> str:
    return git.run(*arguments, at=place).decode("utf-8", "replace").strip()

"""Which of what changed upstream touches your code, without what you have acknowledged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from daybreak import __version__
from daybreak.core.errors import DaybreakError, GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Skipped, Window
from daybreak.core.model.day import Touch, Touches
from daybreak.core.model.findings import Unread
from daybreak.core.model.report import RepoReport
from daybreak.core.model.upgrade import Hit, Net, RangeReport, Uses
from daybreak.findings.unread import languages_by_strings
from daybreak.store.acks import Ack, accepted
from daybreak.upgrade.impact.form_text import ImpactReport, Scope, Told
from daybreak.upgrade.impact.join import RANK, fingerprint, join
from daybreak.upgrade.impact.table import Ends, Tree
from daybreak.upgrade.impact.upstreams import Files, Upstream, of_report, read_code
from daybreak.upgrade.range.net import net

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

"""The git source: a mirror, the branch as a line, the window's commits with their patches."""

from __future__ import annotations

import time
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from daybreak.collect.git.bearing import Bearings
from daybreak.collect.git.borne import Asked, Borne, borne
from daybreak.collect.git.chain import Chain, Selection, explain, lacks_objects, select, walk
from daybreak.collect.git.changelogs import with_notes
from daybreak.collect.git.commit_graph import counted_alike, damaged_graphs, drop_graphs
from daybreak.collect.git.families import is_final
from daybreak.collect.git.history import LOST, HistoryReader
from daybreak.collect.git.known_releases import Releases
from daybreak.collect.git.lookback import DAYS, Recalled, RecentReader, Seen
from daybreak.collect.git.mirror import Mirror, Say, discard, open_mirror, renew
from daybreak.collect.git.patches import COMMIT_KEPT, STREAM_KEPT, Budget, StreamBroken, log_arguments, new_mark, parse
from daybreak.collect.git.release_picks import ReleasePicks
from daybreak.collect.git.tags import (
    Tags,
    candidates,
    crowded,
    earlier,
    first_releases,
    near_tags,
    newest_releases,
    sooner,
    tagged,
    tags_before,
    younger,
)
from daybreak.collect.git.tree_search import still_lacks
from daybreak.collect.git.unread import cut_off, stale, unreadable
from daybreak.core.checkpoint import Memory, Recorded
from daybreak.core.config import is_remote
from daybreak.core.errors import GitError, Interrupted, RepositoryError
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, Repo, Skipped, Window

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


# --- `paths` and `exclude` of a repository: which commits are left out of the text, never out of the count ---


def is_filtered(repo: Repo, change: Change) -> bool:
    """True when the commit touches none of `paths`, or nothing but `exclude`."""
    if not (repo.paths or repo.exclude) or change.skipped or change.files_total > len(change.files):
        return False  # what cannot be seen whole is not left out
    paths = [file.path for file in change.files] + [file.old_path for file in change.files if file.old_path]
    if repo.paths:
        wanted = _globs(repo.paths)
        paths = [path for path in paths if wanted.match_file(path)]
    if repo.exclude:
        unwanted = _globs(repo.exclude)
        paths = [path for path in paths if not unwanted.match_file(path)]
    return not paths


@lru_cache(maxsize=64)
def _globs(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)


# --- The coming days of one repository, read by a single git that waits until each of them is asked for ---
# A git of its own for each day unpacks the same objects again and again: a month of a busy branch costs half as much in
# one go. Nothing is read far ahead: git stops when its pipe is full, so that a day's patches are in memory only when it
# is the day's turn. What is given from here is what a git for that day alone would say; where that is not sure, nothing is.


COMMITS = 2000
"""Of one git; the days after those get one of their own."""
ROOM = STREAM_KEPT - COMMIT_KEPT
"""Bytes of patches of a day up to which its limit cannot have cut any of them."""


class Ahead:
    """Days in the order in which they will be asked for, each with the commits that it will probably have."""

    def __init__(self, git: Git, mirror: Path, repo: str, zone: tzinfo, days: Mapping[str, Sequence[str]]) -> None:
        self._git, self._mirror, self._repo, self.zone = git, mirror, repo, zone
        self.days = days
        self._waiting = list(days)
        self._changes = self._read()

    @property
    def over(self) -> bool:
        """Nothing more will come."""
        return not self._waiting

    @property
    def waiting(self) -> Sequence[str]:
        """Days that are still to come."""
        return tuple(self._waiting)

    def take(self, label: str) -> Mapping[str, Change]:
        """The day's commits, less those that could not be read; days before it that nobody asked for are passed over."""
        if label not in self._waiting:
            return {}
        found: dict[str, Change] = {}
        size = 0
        try:
            with self._git.faults.made_good():
                for day in self._waiting[: self._waiting.index(label) + 1]:
                    found.clear()
                    size = 0
                    for sha, (change, kept) in zip(self.days[day], self._changes, strict=False):
                        if change.sha != sha:
                            raise StreamBroken("a commit is not where it was asked for")
                        found[sha] = change
                        size += kept
                    self._waiting.remove(day)
        except (StreamBroken, GitError):
            # Whoever asks reads the day by himself, around the hole.
            self._waiting.clear()
        if self.over:
            self.close()
        return found if size <= ROOM else {}

    def close(self) -> None:
        """End the git, if it still waits."""
        self._waiting.clear()
        with suppress(Interrupted):  # whoever stopped the run is told so by what he stopped
            self._changes.close()

    def _read(self) -> Generator[tuple[Change, int], None, None]:
        """Each change and the bytes that are kept of its patches, once another one follows or git has ended well: one
        that a fault has cut short looks whole.
        """
        mark, budget = new_mark(), Budget()
        shas = "".join(f"{sha}\n" for some in self.days.values() for sha in some).encode()
        before: tuple[Change, int] | None = None
        with self._git.stream(*log_arguments(mark), at=self._mirror, stdin=shas) as stream:
            for change in parse(stream.output, mark, self._repo, self.zone, budget):
                if before is not None:
                    yield before
                before = change, STREAM_KEPT - budget.left
                budget.left = STREAM_KEPT
            if stream.finish():
                raise StreamBroken(stream.last_words())
        if before is not None:
            yield before


FRESH = 900.0
"""Seconds after which a run asks the other side again."""
WAITING = 8
"""Gits that may wait for the next day, each of another repository: a waiting one holds some memory."""


class GitSource:
    """Collects from git alone."""

    def __init__(self, git: Git, mirrors: Path, offline: bool, say: Say, cache: Path | None = None) -> None:
        """`cache`: where answers that only save work are kept."""
        self._git, self._mirrors, self._offline, self._say, self._cache = git, mirrors, offline, say, cache
        self._opened: dict[str, tuple[float, Mirror]] = {}
        self._tags: dict[str, tuple[Mirror, Tags]] = {}
        self._chains: dict[str, tuple[str, Chain]] = {}
        self._recalled = Recalled()
        self._seen: dict[str, Seen] = {}
        """Of the repositories of this run, for its next day: a month is thirty days of one branch."""
        self._renewed: set[str] = set()
        self._expected: tuple[Window, ...] = ()
        self._ahead: dict[str, Ahead] = {}

    def expect(self, windows: Sequence[Window]) -> None:
        """Days that will be asked for in this order, with no other one between them; it changes no answer."""
        labels = {window.label for window in windows}
        for name, ahead in list(self._ahead.items()):
            if labels.isdisjoint(ahead.days):
                self._ahead.pop(name).close()
        self._expected = tuple(windows)

    def collect(self, repo: Repo, window: Window, memory: Memory, force: bool = False) -> Collected:
        """One repository's part of the window; whatever is wrong with the repository is a `Skipped` in it."""
        try:
            mirror = self._mirror(repo)
            try:
                found = self._from_mirror(repo, mirror, window, memory, force)
                if not self._is_renewed(repo, mirror, found):
                    return found
                mirror = self._mirror(repo)
            except GitError as error:
                mirror = self._made_anew(repo, mirror, error)
            return self._from_mirror(repo, mirror, window, memory, force)
        except GitError as error:
            known = error if isinstance(error, RepositoryError) else explain(error, repo.git, repo.branch)
            return Collected(repo, skipped=(Skipped(repo.name, known.reason, known.tip, known.detail),))

    def _mirror(self, repo: Repo) -> Mirror:
        """Brought up to date once for all days of a run, unless the run takes long."""
        at, mirror = self._opened.get(repo.name, (0.0, None))
        if mirror is None or mirror.stale or time.monotonic() - at > FRESH:
            mirror = open_mirror(self._git, repo, self._mirrors, self._offline, self._say)
            self._opened[repo.name] = time.monotonic(), mirror
        return mirror

    def _chain(self, repo: Repo, mirror: Mirror) -> Chain:
        tip, chain = self._chains.get(repo.name, ("", None))
        if chain is None or tip != mirror.tip or chain.broken_at:
            if damaged_graphs(mirror.path):
                self._without_graph(repo, mirror)
            chain = walk(self._git, mirror.path, mirror.tip)
            self._chains[repo.name] = mirror.tip, chain
        return chain

    def _chosen(
        self, repo: Repo, mirror: Mirror, window: Window, memory: Memory, kept: Recorded | None
    ) -> tuple[Chain, Selection]:
        """The branch and what of it belongs to the report, counted once more by the commits alone."""
        chain = self._chain(repo, mirror)
        chosen = _as_recorded(kept) if kept else select(chain, window, repo.name, memory)
        if not _recounted(self._git, mirror, chain, chosen):
            self._without_graph(repo, mirror)
            self._chains[repo.name] = mirror.tip, (chain := walk(self._git, mirror.path, mirror.tip))
            chosen = _as_recorded(kept) if kept else select(chain, window, repo.name, memory)
        return chain, chosen

    def _without_graph(self, repo: Repo, mirror: Mirror) -> None:
        self._say(f"{repo.name}: a commit-graph is damaged, reading the commits themselves")
        drop_graphs(self._git, mirror.path)

    def _tags_of(self, repo: Repo, mirror: Mirror) -> Tags:
        """They come and go only when the mirror is brought up to date."""
        of, tags = self._tags.get(repo.name, (None, None))
        if tags is None or of is not mirror:
            tags = Tags(self._git, mirror.path, repo.name, repo.tags)
            self._tags[repo.name] = mirror, tags
        return tags

    def _made_anew(self, repo: Repo, mirror: Mirror, error: GitError) -> Mirror:
        """A mirror whose newest commit is gone is of no use: once, it is made again; any other fault is raised."""
        if self._offline or not self._git.missing(mirror.path, [mirror.tip]):
            raise error
        self._say(f"{repo.name}: its mirror is damaged, making it anew")
        discard(mirror.path)
        self._forget(repo)
        return self._mirror(repo)

    def _is_renewed(self, repo: Repo, mirror: Mirror, found: Collected) -> bool:
        """A clone whose objects are lost or damaged is made anew, once in a run; the old one stays where that fails."""
        said = [*(one.reason for one in found.skipped), *self._git.faults.said(mirror.path)]
        gap = self._chains[repo.name][1].broken_at
        lost = gap is not None or any(one.startswith(LOST) or lacks_objects(one) for one in said)
        if not lost or self._offline or mirror.stale or repo.name in self._renewed or not is_remote(repo.git):
            return False
        self._renewed.add(repo.name)
        try:
            renew(self._git, repo, mirror.path, self._say)
        except (GitError, OSError):
            return False
        self._forget(repo)
        self._git.faults.take(mirror.path)
        return True

    def _forget(self, repo: Repo) -> None:
        for known in (self._opened, self._chains, self._seen):
            known.pop(repo.name, None)
        if (ahead := self._ahead.pop(repo.name, None)) is not None:
            ahead.close()

    def _changes(self, repo: Repo, mirror: Mirror, chain: Chain, window: Window, wanted: Sequence[str]) -> list[Change]:
        """The day's commits with their patches, from the git that reads the coming days when it has them all."""
        reader = HistoryReader(self._git, mirror.path, repo.name, ZoneInfo(window.timezone))
        ahead = self._ahead.get(repo.name)
        if wanted and (ahead is None or window.label not in ahead.days):
            ahead = self._read_ahead(repo, mirror, chain, window, wanted)
        known = ahead.take(window.label) if ahead else {}
        if any(sha not in known for sha in wanted):
            known = self._read_before(repo, window, wanted)
        if ahead is not None:
            self._look_back(window, ahead)
        if any(sha not in known for sha in wanted):
            return reader.read(wanted)
        return [reader.complete(known[sha]) for sha in wanted]

    def _read_before(self, repo: Repo, window: Window, wanted: Sequence[str]) -> Mapping[str, Change]:
        """The day's commits, if a later day has looked back at all of them."""
        found = self._recalled.of(repo.name, wanted, ZoneInfo(window.timezone))
        whole = len(found) == len(wanted) and sum(one.size for one in found.values()) <= ROOM
        return {sha: one.change for sha, one in found.items()} if whole else {}

    def _look_back(self, window: Window, ahead: Ahead) -> None:
        """When the newest days come first, what a day looks back at is still to be read: now, and not twice."""
        first = window.since - timedelta(days=DAYS)
        labels = {one.label for one in self._expected if first < one.until <= window.since}
        for label in ahead.waiting:
            if label not in labels:
                break
            self._recalled.keep(list(ahead.take(label).values()))

    def _read_ahead(
        self, repo: Repo, mirror: Mirror, chain: Chain, window: Window, wanted: Sequence[str]
    ) -> Ahead | None:
        """One git for this day and the expected ones after it; None when there are none of them."""
        if window not in self._expected:
            return None
        if sum(not ahead.over for name, ahead in self._ahead.items() if name != repo.name) >= WAITING:
            return None
        days, coming = {window.label: wanted}, self._expected[self._expected.index(window) + 1 :]
        known = set(wanted)
        for one in coming:
            top = chain.head_before(one.until)
            found = [] if top is None else [chain.sha(at) for at in chain.between(one.since, one.until, top)]
            days[one.label] = [sha for sha in found if sha not in known]
            known.update(found)
            if len(known) > COMMITS:
                break
        if len(known) == len(wanted):
            return None
        if (old := self._ahead.pop(repo.name, None)) is not None:
            old.close()
        self._ahead[repo.name] = Ahead(self._git, mirror.path, repo.name, ZoneInfo(window.timezone), days)
        return self._ahead[repo.name]

    def _from_mirror(self, repo: Repo, mirror: Mirror, window: Window, memory: Memory, force: bool) -> Collected:
        before = _same_day(memory.day(window.label, repo.name), window, mirror)
        kept = before if before and before.final and not force else None
        chain, chosen = self._chosen(repo, mirror, window, memory, kept)
        tags = self._tags_of(repo, mirror)
        changes, skipped = self._of_window(repo, mirror, chain, window, [*chosen.commits, *chosen.late])
        ours, late = _of_the_day(changes[: len(chosen.commits)], window), changes[len(chosen.commits) :]
        picks = ReleasePicks(self._git, mirror, chosen.head)
        releases = self._releases(tags, chain, chosen, window, changes, kept, picks)
        recent = self._recent(repo, mirror, window, chain, chosen, changes)
        dated, fresh = tags_before(tags, window)
        known = [change.sha for change in (*reversed((*ours, *recent)), *late)]
        near = picks.first(near_tags(tags, window, DAYS), [*changes, *recent])
        held = (tags.held_with_picks(_before(name, dated), name, self._expected, near) for name in fresh)
        holds = {name: _among(known, shas) for name, shas in zip(fresh, held, strict=True)}
        trees = self._borne(mirror, Asked(changes, recent, releases, chosen.head), {t[1]: t[2] for t in tags.dated()})
        return Collected(
            repo=repo,
            branch=mirror.branch,
            head=chosen.head,
            asleep=_asleep(chain, chosen, window),
            changes=ours,
            late=tuple(late),
            in_git=_in_git(chain, chosen, window) - len(chosen.commits) + len(ours),
            released=releases.released,
            newest=releases.newest,
            rewritten=chosen.rewritten,
            revised=_revised(before, chosen),
            skipped=(
                *skipped,
                *(Skipped(f"{repo.name} tags", why) for why in (*crowded(tags, window), *picks.crowded())),
            ),
            mirror=str(mirror.path),
            recent=recent,
            tags=dated,
            holds=holds,
            tagged=with_notes(self._git, mirror, tagged(tags, window, holds)),
            younger=_among(known, younger(self._git, mirror.path, tags, chain, chosen.head, window)),
            exposed=trees.exposed,
            absent=trees.absent,
            back=trees.back,
            standing=trees.standing,
            older=trees.older,
            forgotten=trees.forgotten,
        )

    def _releases(
        self,
        tags: Tags,
        chain: Chain,
        chosen: Selection,
        window: Window,
        changes: Sequence[Change],
        kept: Recorded | None,
        picks: ReleasePicks,
    ) -> Releases:
        """Of a day that is kept, what it was told to be released in stays as it was told."""
        newest = newest_releases(tags, chosen.head, window, changes)
        if kept:
            released = kept.released
        else:
            first = first_releases(tags, chain, chosen, window, changes)
            # a release that has it by a pick goes before any candidate of the next one
            left = {sha: tag for sha, tag in newest.items() if not is_final(first.get(sha))}
            asked = {sha: (tag, *sooner(tags, window, tag, first.get(sha))) for sha, tag in left.items()}
            released = picks.added(first, asked, changes)
        return Releases(newest, released, partial(candidates, tags, window), partial(earlier, tags, window))

    def _recent(
        self, repo: Repo, mirror: Mirror, window: Window, chain: Chain, chosen: Selection, changes: Sequence[Change]
    ) -> tuple[Change, ...]:
        seen = self._seen.setdefault(repo.name, Seen(self._recalled))
        # Days that a run goes through one after the other are reported and then not asked for again.
        keeps = window not in self._expected[:-1]
        reader = RecentReader(self._git, mirror, repo.name, window, seen, keeps)
        return reader.read(chain, chosen, changes)

    def _borne(self, mirror: Mirror, asked: Asked, tags: Mapping[str, str]) -> Borne:
        trees = Bearings(self._git, mirror)
        found = Found(self._cache / "trees" / mirror.path.name) if self._cache else None
        before = self._git.faults.count(mirror.path)
        lacks = partial(still_lacks, self._git, mirror.path)
        return borne(trees, asked, tags, found, lambda: self._git.faults.count(mirror.path) == before, lacks)

    def _of_window(
        self, repo: Repo, mirror: Mirror, chain: Chain, window: Window, wanted: Sequence[str]
    ) -> tuple[list[Change], list[Skipped]]:
        """The window's commits with their patches, and what of them could not be had."""
        changes = self._changes(repo, mirror, chain, window, wanted)
        self._recalled.keep(changes)
        changes = [replace(change, filtered=True) if is_filtered(repo, change) else change for change in changes]
        return changes, [
            *stale(repo, mirror),
            *cut_off(repo, chain),
            *unreadable(repo, changes),
        ]


def _recounted(git: Git, mirror: Mirror, chain: Chain, chosen: Selection) -> bool:
    """Whether the commits of the report stand where the branch has them, told without a commit-graph."""
    top = chain.index(chosen.head) if chosen.head else None
    places = [at for sha in (*chosen.commits, *chosen.late) if (at := chain.index(sha)) is not None]
    return top is None or counted_alike(git, mirror.path, chain, top, max((top, *places)))


def _before(name: str, dated: Mapping[str, str]) -> Mapping[str, str]:
    """The tags that a release is counted from: a candidate from all others, a release not from its own candidates."""
    return {tag: sha for tag, sha in dated.items() if is_final(tag)} if is_final(name) else dated


def _same_day(record: Recorded | None, window: Window, mirror: Mirror) -> Recorded | None:
    """The record of the same hours of the same branch: after a change of zone or branch, the day is another one."""
    hours = (window.since, window.until)
    return (
        record if record and (record.since, record.until) == hours and record.branch in (None, mirror.branch) else None
    )


def _among(known: Sequence[str], held: Collection[str]) -> tuple[str, ...]:
    return tuple(sha for sha in known if sha in held)


def _in_git(chain: Chain, chosen: Selection, window: Window) -> int:
    """How many commits the branch has in the window as of the report's head, counted apart from what was chosen."""
    top = chain.index(chosen.head) if chosen.head else None
    return len(chosen.commits) if top is None else len(chain.between(window.since, window.until, top))


def _asleep(chain: Chain, chosen: Selection, window: Window) -> datetime | None:
    """When the branch last had a commit, where that is long before the window."""
    top = chain.index(chosen.head) if chosen.head else None
    last = datetime.fromtimestamp(chain.time(top), window.since.tzinfo) if top is not None else window.since
    return last if last < window.since - timedelta(days=7) else None


def _as_recorded(record: Recorded) -> Selection:
    """A day that was reported whole keeps its commits, whatever was pushed since."""
    return Selection(record.head, list(record.commits), list(record.late), record.rewritten)


def _of_the_day(changes: Sequence[Change], window: Window) -> tuple[Change, ...]:
    """A commit-graph keeps 34 bits of a time, so that a date centuries away can look like one of the day."""
    return tuple(change for change in changes if change.skipped or window.holds(change.committed_at))


def _revised(before: Recorded | None, chosen: Selection) -> tuple[str, ...]:
    """What a day holds now that its first complete report did not."""
    told = before if before is not None and before.final else None
    known = set(told.commits) - set(told.revised) if told is not None else set(chosen.commits)
    return tuple(sha for sha in chosen.commits if sha not in known)

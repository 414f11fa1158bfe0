"""Which release first holds a commit, as of the window: a tag on the branch, not later than its head."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path

from daybreak.collect.git.chain import Chain, Selection
from daybreak.collect.git.families import PASSING, Families, Tag, families, family_of, folders, is_final, parsed
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Tagged, Window

# --- Which commits a tag is the first to hold: those it reaches and no tag made shortly before it does ---
# The tags of many days are asked about at once, since a walk of git takes less time than a start of git.


EARLIER = 500
"""Tags made before one that are left out of what it holds: more than a branch gets in a fortnight with one a commit."""
_WALKED = 20_000
"""Commits of one tag, newest first: a report tells of those of a fortnight, in which no branch has so many."""
AT_ONCE = 40
"""Tags whose commits are kept until their day comes."""


def held_by(git: Git, mirror: Path, tags: Mapping[str, str], name: str) -> Collection[str]:
    """Commits that this tag of them all (newest first) is the first to hold."""
    older = [f"^{sha}" for sha in _older(tags, name)]
    try:
        rows = git.run("rev-list", f"--max-count={_WALKED}", tags[name], *older, "--", at=mirror)
    except GitError:
        return ()
    return set(rows.decode("ascii").split())


def held_by_each(
    git: Git, mirror: Path, tags: Mapping[str, str], names: Sequence[str]
) -> Mapping[str, Collection[str]]:
    """The same of several tags; nothing when git cannot tell it of all of them together."""
    older = {name: set(_older(tags, name)) for name in names}
    every = set().union(*older.values())
    below = every.intersection(*older.values())
    ends = dict.fromkeys([*(tags[name] for name in names), *sorted(every)])
    asked = [sha for sha in ends if sha not in below] + [f"^{sha}" for sha in sorted(below)]
    try:
        rows = git.run("rev-list", "--parents", f"--max-count={_WALKED}", *asked, "--", at=mirror)
    except GitError:
        return {}
    parents = {sha: above for sha, *above in map(str.split, rows.decode("ascii").splitlines())}
    if len(parents) >= _WALKED:
        return {}
    return {name: _reached([tags[name]], parents, _reached(older[name], parents)) for name in names}


def _older(tags: Mapping[str, str], name: str) -> list[str]:
    """Commits of the tags made before it, without its own."""
    names = list(tags)
    return [tags[one] for one in names[names.index(name) + 1 :][:EARLIER] if tags[one] != tags[name]]


def _reached(ends: Iterable[str], parents: Mapping[str, Sequence[str]], but: Collection[str] = ()) -> set[str]:
    found: set[str] = set()
    waiting = list(ends)
    while waiting:
        sha = waiting.pop()
        if sha in parents and sha not in found and sha not in but:
            found.add(sha)
            waiting += parents[sha]
    return found


_DATED = (
    "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    " %(taggerdate:unix) %(refname:strip=2)"
)
_MOST = 500
"""Tags of one report, newest first: what a story or a bump names lies among them."""


class Tags:
    """The tags of a mirror as it is now: asked for once for all days of a run; what git fails to tell is asked again."""

    def __init__(self, git: Git, mirror: Path, repo: str, pattern: str = "") -> None:
        self._git, self._mirror, self._repo, self._pattern = git, mirror, repo, pattern
        self._shipped: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._names: dict[str, list[Tag]] | None = None
        self._living: tuple[Window, Families] | None = None
        self._dated: list[tuple[int, str, str]] | None = None
        self._made: dict[str, float] = {}
        self._held: dict[str, Collection[str]] = {}

    def names(self) -> Mapping[str, Sequence[Tag]]:
        """Tagged commit -> its tags that name a version, the highest last."""
        if self._names is None:
            try:
                rows = self._git.run("show-ref", "--tags", "--dereference", at=self._mirror)
            except GitError:
                return {}  # git's way to say that there are no tags
            self._names = _by_commit(rows.decode("utf-8", "replace").splitlines(), self._pattern)
        return self._names

    def families(self, window: Window) -> Families:
        """Those of the tags made before the window's end."""
        if self._living is None or self._living[0] != window:
            self._living = window, self._families(window)
        return self._living[1]

    def _families(self, window: Window) -> Families:
        until = window.until.timestamp()
        known = [(made, name) for made, name, _ in self.dated() if made < until]
        if not self.dated():  # one that cannot be read hides when all others were made
            known = [(0, tag.name) for some in self.names().values() for tag in some]
        return families(known, self._repo, self._pattern)

    def family_of(self, change: Change, known: Families, head: str) -> str | None:
        """The family whose releases bring a change; the folders of parts are looked for once."""
        if known.parts not in self._shipped:
            self._shipped[known.parts] = folders(self._git, self._mirror, head, known)
        paths = [file.path for file in change.files]
        return family_of(paths, known.main, self._shipped[known.parts])

    def dated(self) -> Sequence[tuple[int, str, str]]:
        """When each tag was made, newest first, its name and its commit; nothing when one of them cannot be read."""
        if self._dated is None:
            try:
                rows = self._git.run("for-each-ref", "--sort=-creatordate", _DATED, "refs/tags", at=self._mirror)
            except GitError:
                return ()
            told = [row.split(" ", 6) for row in rows.decode("utf-8", "replace").splitlines()]
            self._made.update((row[-1], _made(row[1], row[5])) for row in told if "\ufffd" not in row[-1])
            self._dated = [
                (int(made), name, oid if kind == "commit" else tagged if inner == "commit" else "")
                for made, kind, oid, inner, tagged, _, name in told
                if made.isdigit() and not PASSING.search(name)
            ]
        return self._dated

    def made_before(self, name: str, limit: float) -> bool:
        """An annotated tag knows when it was made; a plain one counts from its commit on."""
        if name not in self._made:
            self.dated()
        if name not in self._made:
            form = "--format=%(objecttype) %(taggerdate:unix)"
            try:
                told = self._git.run("for-each-ref", form, f"refs/tags/{name}", at=self._mirror).decode().strip()
            except GitError:
                return False  # the tag's own object is missing
            kind, _, made = told.partition(" ")
            self._made[name] = _made(kind, made)
        return self._made[name] < limit

    def left_branch(self, chain: Chain, head: str, window: Window) -> Mapping[str, Sequence[Tag]]:
        """Where the branch was left for a tag that does not stand on it -> such tags of the window, the newest first: none
        made before it holds a change of the window.
        """
        since, until = window.since.timestamp(), window.until.timestamp()
        beside = {sha for made, _, sha in self.dated() if since <= made < until and sha and chain.index(sha) is None}
        found: dict[str, list[Tag]] = {}
        for made, name, sha in self.dated():
            some = [tag for tag in self.names().get(sha, ()) if tag.name == name] if sha in beside else []
            if some and since <= made < until and (base := self._base(sha, head)):
                found.setdefault(base, []).extend(some)
        return found

    def _base(self, sha: str, head: str) -> str:
        """The newest commit that both have; empty where git cannot tell."""
        try:
            return next(iter(self._git.run("merge-base", sha, head, at=self._mirror).decode("ascii").split()), "")
        except GitError:
            return ""

    def held(self, dated: Mapping[str, str], name: str, windows: Sequence[Window]) -> Collection[str]:
        """What the tag (of the dated ones, newest first) is the first to hold; tags of the windows are asked with it."""
        if name not in self._held:
            coming = [one for window in windows for one in tags_before(self, window)[1][: _MOST // 2]]
            some = coming[coming.index(name) :][:AT_ONCE] if name in coming else []
            every = {one: sha for _, one, sha in self.dated() if sha}
            self._held = dict(held_by_each(self._git, self._mirror, every, some)) if len(some) > 1 else {}
        # Each is asked for once.
        found = self._held.pop(name, None)
        others = is_final(name) and not all(is_final(tag) for _, tag, _ in self.dated())  # it is not counted from these
        return found if found is not None and not others else held_by(self._git, self._mirror, dated, name)

    def held_with_picks(
        self,
        dated: Mapping[str, str],
        name: str,
        windows: Sequence[Window],
        picks: Mapping[str, Collection[str]],
    ) -> Collection[str]:
        """The same with what it is the first to have by a pick (tags oldest first), without what one before it picked."""
        held, own = {*self.held(dated, name, windows)}, {*picks.get(name, ())}
        sooner = takewhile(lambda tag: tag != name, picks if name in picks else ())
        if own:
            older = [f"^{sha}" for sha in _older(dated, name)]
            try:
                rows = self._git.run("rev-list", f"--max-count={_WALKED}", *own, *older, "--", at=self._mirror)
            except GitError:
                return held
            own &= set(rows.decode("ascii").split())
        return (held | own).difference(*(picks[tag] for tag in sooner if dated.get(tag, dated[name]) != dated[name]))


def _made(kind: str, told: str) -> float:
    return -math.inf if kind != "tag" else int(told) if told.isdigit() else math.inf


def first_releases(
    tags: Tags, chain: Chain, chosen: Selection, window: Window, changes: Iterable[Change]
) -> dict[str, str]:
    """Sha -> tag for those chosen commits that a release of what they touch holds: one on the branch, or one cut from it."""
    known = tags.families(window)
    top = chain.index(chosen.head) if chosen.head is not None else None
    if top is None or chosen.head is None or not known.tags:
        return {}
    wanted = {change.sha: tags.family_of(change, known, chosen.head) for change in changes}
    names, limit = tags.names(), window.until.timestamp()
    left = tags.left_branch(chain, chosen.head, window)
    found: dict[str, str] = {}
    # From the head downwards: the tag met last before a commit is the oldest one that holds it.
    holders: dict[str, str] = {}
    for sha in (chain.sha(index) for index in range(top, len(chain))):
        holders |= {tag.family: tag.name for tag in left.get(sha, ())}
        holders |= {tag.family: tag.name for tag in names.get(sha, ()) if tags.made_before(tag.name, limit)}
        family = wanted.pop(sha, None)
        if family in holders:
            found[sha] = holders[family]
        if not wanted:
            break
    return found


def newest_releases(tags: Tags, head: str | None, window: Window, changes: Iterable[Change]) -> dict[str, str]:
    """Sha -> highest release made before the window's end, wherever it lies, of what the change touches."""
    known = tags.families(window)
    if head is None or not known.tags:
        return {}
    last = {change.sha: known.newest(tags.family_of(change, known, head)) for change in changes}
    return {sha: tag.name for sha, tag in last.items() if tag is not None}


def earlier(tags: Tags, window: Window, release: str) -> str | None:
    """The release before one, of its family."""
    for some in tags.families(window).tags.values():
        names = [tag.name for tag in some if not tag.candidate]
        if release in names:
            return names[names.index(release) - 1] if names.index(release) else None
    return None


def younger(git: Git, mirror: Path, tags: Tags, chain: Chain, head: str | None, window: Window) -> frozenset[str]:
    """Commits of the branch up to the head that the project's highest release does not hold."""
    known = tags.families(window)
    last, top = known.newest(known.main), chain.index(head) if head else None
    if last is None or head is None or top is None:
        return frozenset()
    try:
        base = git.run("merge-base", last.name, head, at=mirror).decode("ascii").split()[0]
    except (GitError, IndexError):
        return frozenset()
    end = chain.index(base)
    return frozenset(chain.sha(at) for at in range(top, end)) if end is not None else frozenset()


def candidates(tags: Tags, window: Window, release: str) -> list[str]:
    """Candidates of what comes after a release, the highest first."""
    return [one.name for one in _candidates(tags, window, release)]


def sooner(tags: Tags, window: Window, release: str, holder: str | None) -> list[str]:
    """The same, oldest first: those made before one that holds a change."""
    names = [one.name for one in sorted(_candidates(tags, window, release), key=lambda one: one.made)]
    return (names[: names.index(holder)] if holder in names else names)[-_CANDIDATES:]


_CANDIDATES = 8


def _candidates(tags: Tags, window: Window, release: str) -> list[Tag]:
    known = tags.families(window)
    family = next((name for name, some in known.tags.items() if any(one.name == release for one in some)), None)
    return known.candidates(family)


def near_tags(tags: Tags, window: Window, days: int) -> dict[str, str]:
    """Tags made not long before the window's end, oldest first, with their commits."""
    since, until = (window.since - timedelta(days=days)).timestamp(), window.until.timestamp()
    found = [(name, sha) for made, name, sha in tags.dated() if sha and since <= made < until][:AT_ONCE]
    return dict(reversed(found))


def tags_before(tags: Tags, window: Window) -> tuple[dict[str, str], list[str]]:
    """Tag -> its commit, newest first, of those made before the window's end; and those of them made in the window."""
    since, until = window.since.timestamp(), window.until.timestamp()
    dated = [(made, name, sha) for made, name, sha in tags.dated() if sha and made < until][:_MOST]
    return {name: sha for _, name, sha in dated}, [name for made, name, _ in dated if made >= since]


def tagged(tags: Tags, window: Window, holds: Mapping[str, tuple[str, ...]]) -> tuple[Tagged, ...]:
    """The releases of the window, oldest first: tags of living families made in it. A plain one counts on the day of its
    commit, so that one put on an old commit is not announced.
    """
    known = {tag.name: tag for some in tags.families(window).tags.values() for tag in some}
    zone = window.since.tzinfo
    return tuple(
        Tagged(
            name,
            datetime.fromtimestamp(made, zone),
            "commit" if tags.made_before(name, 0) else "tag",
            known[name].candidate,
            sha,
            holds[name],
        )
        for made, name, sha in reversed(tags.dated())
        if name in known and name in holds
    )


def crowded(tags: Tags, window: Window) -> Iterator[str]:
    """Why something may be missing of what releases hold: more tags were made than are looked at."""
    since, until = window.since.timestamp(), window.until.timestamp()
    today = sum(since <= at < until for at, _, sha in tags.dated() if sha)
    if today > _MOST:
        yield f"{today} were made in the window, and only the newest {_MOST} are looked into"


def _by_commit(rows: Iterable[str], pattern: str) -> dict[str, list[Tag]]:
    """Tagged commit -> its tags that name a version, the highest last, which is the one told."""
    found: dict[str, dict[str, Tag]] = {}
    for row in rows:
        sha, _, ref = row.partition(" refs/tags/")
        name = ref.removesuffix("^{}")
        tag = parsed(name) if not pattern or fnmatchcase(name, pattern) else None
        if tag is not None:
            one = Tag(name, "", tag.prefix, tag.key) if pattern else tag
            found.setdefault(sha, {})[name] = one
    return {sha: sorted(some.values(), key=lambda tag: tag.key) for sha, some in found.items()}

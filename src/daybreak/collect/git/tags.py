"""Which release first holds a commit, as of the window: a tag on the branch, not later than its head."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from daybreak.collect.git.chain import Chain, Selection
from daybreak.collect.git.refs import named_as_releases
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Window

# --- Which commits a tag is the first to hold: those it reaches and no tag made shortly before it does ---
# The tags of many days are asked about at once, since a walk of git takes less time than a start of git.


EARLIER = 60
"""Tags made before one that are left out of what it holds. Where more were made in the fortnight that a report tells of,
it says so."""
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


_PASSING = re.compile(r"nightly|snapshot|[.-]dev", re.IGNORECASE)
"""Tags of builds that come and go: nobody would call them the release that holds a commit."""
_DATED = (
    "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    " %(taggerdate:unix) %(refname:strip=2)"
)
_FORTNIGHT = 14 * 86400
"""Seconds: older commits are told of by no report."""
_MOST = 500
"""Tags of one report, newest first: what a story or a bump names lies among them."""


class Tags:
    """The tags of a mirror as it is now: asked for once for all days of a run; what git fails to tell is asked again."""

    def __init__(self, git: Git, mirror: Path) -> None:
        self._git, self._mirror = git, mirror
        self._names: dict[str, list[str]] | None = None
        self._dated: list[tuple[int, str, str]] | None = None
        self._made: dict[str, float] = {}
        self._held: dict[str, Collection[str]] = {}

    def names(self) -> Mapping[str, Sequence[str]]:
        """Tagged commit -> names of its tags in their natural order."""
        if self._names is None:
            try:
                rows = self._git.run("show-ref", "--tags", "--dereference", at=self._mirror)
            except GitError:
                return {}  # git's way to say that there are no tags
            self._names = _by_commit(rows.decode("utf-8", "replace").splitlines())
        return self._names

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
                if made.isdigit() and not _PASSING.search(name)
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

    def held(self, dated: Mapping[str, str], name: str, windows: Sequence[Window]) -> Collection[str]:
        """What the tag (of the dated ones, newest first) is the first to hold; tags of the windows are asked with it."""
        if name not in self._held:
            coming = [one for window in windows for one in tags_before(self, window)[1][: _MOST // 2]]
            some = coming[coming.index(name) :][:AT_ONCE] if name in coming else []
            every = {one: sha for _, one, sha in self.dated() if sha}
            self._held = dict(held_by_each(self._git, self._mirror, every, some)) if len(some) > 1 else {}
        # Each is asked for once.
        found = self._held.pop(name, None)
        return found if found is not None else held_by(self._git, self._mirror, dated, name)


def _made(kind: str, told: str) -> float:
    return -math.inf if kind != "tag" else int(told) if told.isdigit() else math.inf


def first_releases(tags: Tags, chain: Chain, chosen: Selection, window: Window) -> dict[str, str]:
    """Sha -> tag for those chosen commits that a tag on the branch holds."""
    wanted = {*chosen.commits, *chosen.late}
    if not wanted or chosen.head is None:
        return {}
    top = chain.index(chosen.head)
    if top is None:
        return {}
    names, limit = tags.names(), window.until.timestamp()
    found: dict[str, str] = {}
    # From the head downwards: the tag met last before a commit is the oldest one that holds it.
    holder: str | None = None
    for sha in (chain.sha(index) for index in range(top, len(chain))):
        holder = next((name for name in names.get(sha, ()) if tags.made_before(name, limit)), holder)
        if sha in wanted:
            wanted.discard(sha)
            found |= {sha: holder} if holder else {}
        if not wanted:
            break
    return found


def newest_release(tags: Tags, window: Window) -> str | None:
    """The last release made before the window's end, wherever it lies; candidates and nightly builds do not count."""
    limit = window.until.timestamp()
    return next(iter(named_as_releases(name for made, name, _ in tags.dated() if made < limit)), None)


def tags_before(tags: Tags, window: Window) -> tuple[dict[str, str], list[str]]:
    """Tag -> its commit, newest first, of those made before the window's end; and those of them made in the window."""
    since, until = window.since.timestamp(), window.until.timestamp()
    dated = [(made, name, sha) for made, name, sha in tags.dated() if sha and made < until][:_MOST]
    return {name: sha for _, name, sha in dated}, [name for made, name, _ in dated if made >= since]


def crowded(tags: Tags, window: Window) -> Iterator[str]:
    """Why something may be missing of what releases hold: more tags were made than are looked at."""
    since, until = window.since.timestamp(), window.until.timestamp()
    made = [at for at, _, sha in tags.dated() if sha and at < until]
    today, lately = sum(at >= since for at in made), sum(at >= since - _FORTNIGHT for at in made)
    if today > _MOST:
        yield f"{today} were made in the window, and only the newest {_MOST} are looked into"
    if lately > EARLIER:
        yield f"{lately} were made in a fortnight, and each is compared with the {EARLIER} before it only"


def _by_commit(rows: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        sha, _, name = row.partition(" refs/tags/")
        if _PASSING.search(name):
            continue
        found.setdefault(sha, []).append(name.removesuffix("^{}"))
    return {sha: sorted(names, key=_natural) for sha, names in found.items()}


def _natural(name: str) -> list[tuple[int, str]]:
    """v0.9 before v0.10; a release before its nightly and release candidates."""
    return [(len(name), "")] + [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]

"""Which release first holds a commit, as of the window: a tag on the branch, not later than its head."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from daybreak.collect.chain import Chain, Selection
from daybreak.collect.releases import named_as_releases
from daybreak.errors import GitError
from daybreak.gitobjects import Git
from daybreak.model import Window

_PASSING = re.compile(r"nightly|snapshot|[.-]dev", re.IGNORECASE)
"""Tags of builds that come and go: nobody would call them the release that holds a commit."""
_MOST = 500
_EARLIER = 60
_WALKED = 20_000


def first_releases(git: Git, mirror: Path, chain: Chain, chosen: Selection, window: Window) -> dict[str, str]:
    """Sha -> tag for those chosen commits that a tag on the branch holds."""
    wanted = {*chosen.commits, *chosen.late}
    if not wanted or chosen.head is None:
        return {}
    top = chain.index(chosen.head)
    if top is None:
        return {}
    tags = _tags(git, mirror)
    found: dict[str, str] = {}
    # From the head downwards: the tag met last before a commit is the oldest one that holds it.
    holder: str | None = None
    for sha in (chain.sha(index) for index in range(top, len(chain))):
        holder = next((name for name in tags.get(sha, ()) if _made_before(git, mirror, name, window)), holder)
        if sha in wanted:
            wanted.discard(sha)
            found |= {sha: holder} if holder else {}
        if not wanted:
            break
    return found


def newest_release(git: Git, mirror: Path, window: Window) -> str | None:
    """The last release made before the window's end, wherever it lies; candidates and nightly builds do not count."""
    form = "--format=%(creatordate:unix) %(refname:strip=2)"
    try:
        rows = git.run("for-each-ref", "--sort=-creatordate", form, "refs/tags", at=mirror)
    except GitError:
        return None
    limit = window.until.timestamp()
    dated = (row.partition(" ") for row in rows.decode("utf-8", "replace").splitlines())
    made = [name for at, _, name in dated if at.isdigit() and int(at) < limit and not _PASSING.search(name)]
    return next(iter(named_as_releases(made)), None)


def tags_before(git: Git, mirror: Path, window: Window) -> tuple[dict[str, str], list[str]]:
    """Tag -> its commit, newest first, of those made before the window's end; and those of them made in the window."""
    form = "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname:strip=2)"
    try:
        rows = git.run("for-each-ref", "--sort=-creatordate", form, "refs/tags", at=mirror)
    except GitError:
        return {}, []
    found: dict[str, str] = {}
    fresh: list[str] = []
    for row in rows.decode("utf-8", "replace").splitlines():
        made, kind, oid, inner, tagged, name = row.split(" ", 5)
        sha = oid if kind == "commit" else tagged if inner == "commit" else ""
        if not sha or not made.isdigit() or int(made) >= window.until.timestamp() or _PASSING.search(name):
            continue
        found[name] = sha
        fresh += [name] if int(made) >= window.since.timestamp() else []
        if len(found) == _MOST:
            break
    return found, fresh


def held_by(git: Git, mirror: Path, tags: Mapping[str, str], name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Those of the commits, given oldest first, that this tag of them all (newest first) is the first to hold."""
    names = list(tags)
    older = [f"^{tags[one]}" for one in names[names.index(name) + 1 :][:_EARLIER] if tags[one] != tags[name]]
    try:
        rows = git.run("rev-list", f"--max-count={_WALKED}", tags[name], *older, "--", at=mirror)
    except GitError:
        return ()
    new = set(rows.decode("ascii").split())
    return tuple(sha for sha in known if sha in new)


def _tags(git: Git, mirror: Path) -> dict[str, list[str]]:
    """Tagged commit -> names of its tags in their natural order."""
    found: dict[str, list[str]] = {}
    try:
        rows = git.run("show-ref", "--tags", "--dereference", at=mirror).decode("utf-8", "replace").splitlines()
    except GitError:
        return {}  # git's way to say that there are no tags
    for row in rows:
        sha, _, name = row.partition(" refs/tags/")
        if _PASSING.search(name):
            continue
        found.setdefault(sha, []).append(name.removesuffix("^{}"))
    return {sha: sorted(names, key=_natural) for sha, names in found.items()}


def _natural(name: str) -> list[tuple[int, str]]:
    """v0.9 before v0.10; a release before its nightly and release candidates."""
    return [(len(name), "")] + [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def _made_before(git: Git, mirror: Path, name: str, window: Window) -> bool:
    """An annotated tag knows when it was made; a plain one counts from its commit on."""
    form = "--format=%(objecttype) %(taggerdate:unix)"
    try:
        kind, _, made = git.run("for-each-ref", form, f"refs/tags/{name}", at=mirror).decode().strip().partition(" ")
    except GitError:
        return False  # the tag's own object is missing
    return kind != "tag" or (made.isdigit() and int(made) < window.until.timestamp())

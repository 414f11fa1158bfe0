"""Which release of a repository is the newest, and which one first held a commit, wherever the tags lie."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git

_RELEASE = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){1,5})(?:\.?post(\d{1,9}))?")
"""v0.14.1, 4.3.5, 0.6.2.post1; not v0.15.0rc1."""
_PART_RELEASE = re.compile(rf"[A-Za-z][\w-]{{0,30}}[-/]{_RELEASE.pattern}")
_MOST = 120
"""Tags that are asked: a range that lies before more releases than that is ancient history."""


def latest(tags: Iterable[str]) -> str | None:
    """The release with the highest number; candidates and nightly builds do not count."""
    return max(named_as_releases(tags), key=_version, default=None)


def named_as_releases(tags: Iterable[str]) -> list[str]:
    """Those tags that are named like a release, in the order given."""
    known = list(tags)
    plain = [name for name in known if _RELEASE.fullmatch(name)]
    # A project may tag parts of itself (gateway-v0.3.1); the release is what carries no name but its number.
    return plain or [name for name in known if _PART_RELEASE.fullmatch(name)]


def _version(name: str) -> tuple[tuple[int, ...], int, str]:
    found = _RELEASE.search(name)
    assert found is not None
    numbers = tuple(int(part) for part in found[1].split("."))
    return (*numbers, *(0,) * (6 - len(numbers))), int(found[2] or -1), name


def releases_of(git: Git, path: Path, base: str, shas: Iterable[str], besides: Iterable[str] = ()) -> dict[str, str]:
    """Sha -> first release that holds it; all are `base` or descendants of it. `besides`: tags that count though they
    are not named like a release.
    """
    wanted = set(shas)
    found: dict[str, str] = {}
    for name, commit in _dated(git, path, base, {*besides}).items():
        if not wanted:
            break
        held = wanted & _held(git, path, base, commit)
        found |= dict.fromkeys(held, name)
        wanted -= held
    return found


def _dated(git: Git, path: Path, base: str, besides: set[str]) -> Mapping[str, str]:
    """Releases made since the base, oldest first, with their commits."""
    form = "--format=%(creatordate:unix) %(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname:strip=2)"
    try:
        start = int(git.run("log", "--no-walk", "--no-patch", "--format=%ct", base, "--", at=path))
        rows = git.run("for-each-ref", "--sort=creatordate", form, "refs/tags", at=path)
    except (GitError, ValueError):
        return {}
    known: list[tuple[int, str, str]] = []
    for row in rows.decode("utf-8", "surrogateescape").splitlines():
        made, kind, oid, inner, tagged, name = row.split(" ", 5)
        sha = oid if kind == "commit" else tagged if inner == "commit" else ""
        if sha and made.isdigit() and int(made) >= start:
            known.append((int(made), name, sha))
    releases = [x for x in known if _RELEASE.fullmatch(x[1]) or x[1] in besides]
    chosen = releases or [x for x in known if _PART_RELEASE.fullmatch(x[1])]
    return {name: sha for _, name, sha in chosen[:_MOST]}


def _held(git: Git, path: Path, base: str, commit: str) -> set[str]:
    """Commits of a release from the base on, which may be asked for itself; of a history that is cut off below it,
    those above it.
    """
    for below in (f"^{base}^@", f"^{base}"):
        try:
            return set(git.run("rev-list", commit, below, "--", at=path).decode("ascii").split())
        except GitError:
            continue
    return set()

"""Where a fault that the end of a range has is repaired: in the end itself, by a commit of its own; in a patch release with
the repair picked; or in a later release.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from daybreak.collect.git.picks import TEST, three_ways
from daybreak.collect.git.refs import releases_of
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.upgrade import Outage, Span
from daybreak.core.versions import Version, version

_MOST = 12
"""Faults whose repair is looked for."""
_NOTHING_IN_COMMON = 1
"""How git ends that finds no common commit."""
_FILES = 20
"""Files of a repair that is looked for in the end; one of more is told as missing there."""
_PULL = re.compile(r"\(#(\d{1,9})\)\s*$")


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
        found.append(replace(one, repaired_in=_release(git, place, span, known)) if known else one)
    return tuple(found)


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

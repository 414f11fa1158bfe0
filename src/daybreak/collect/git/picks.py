"""Picks: what git makes of a change on a release, file by file, as `cherry-pick` does: three sides, and renames followed."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from daybreak.collect.git.standing import Text
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import FileChange

TEST = re.compile(r"(?:^|/)(?:tests?|testing|benchmarks?|examples?)/|(?:^|/)test_[^/]*$|_test\.\w+$")
DEBUG = re.compile(r"(?:^|/)debug\w{0,12}/")
_PAGE = re.compile(r"(?:^|/)(?:docs?|\.github|\.buildkite)/|\.(?:md|rst)$")


class Sides(NamedTuple):
    """One file before a change, in a release, and after the change; None where it is not there."""

    base: Text | None
    ours: Text | None
    theirs: Text | None


class Pick(NamedTuple):
    """A change that merges into a release."""

    sides: Mapping[str, Sides]
    merged: Mapping[str, Text]
    """By path, like the sides; without what does not merge."""
    without: tuple[str, ...]
    """Paths of its tests and pages that do not merge: whoever picks it leaves those out."""


def picked(git: Git, files: Sequence[FileChange], sides: Callable[[FileChange], Sides]) -> Pick | None:
    """What a pick makes of these files; None where one that runs does not merge."""
    three = {file.path: sides(file) for file in files}
    merged: dict[str, Text] = {}
    for file in sorted(files, key=lambda one: beside(one.path)):
        text = _merged(git, file, three[file.path])
        if text is not None:
            merged[file.path] = text
        elif not beside(file.path):
            return None
    return Pick(three, merged, without=tuple(path for path in three if path not in merged))


def beside(path: str) -> bool:
    """A test, a page, or an aid to find faults."""
    return any(kind.search(path) for kind in (TEST, _PAGE, DEBUG))


def _merged(git: Git, file: FileChange, sides: Sides) -> Text | None:
    """The file as a pick leaves it, empty where it goes; None for a conflict."""
    base, ours, theirs = sides
    if file.status == "A":
        return theirs if ours is None or (theirs is not None and ours.raw == theirs.raw) else None
    if base is None or ours is None:
        return None
    if file.status == "D":
        return Text("") if ours.raw == base.raw else None
    if theirs is None or ours.raw == base.raw:
        return theirs
    return None if file.binary else three_ways(git, base.raw, ours.raw, theirs.raw)


def three_ways(git: Git, base: str, ours: str, theirs: str) -> Text | None:
    """A file as a merge leaves it; None for a conflict."""
    with tempfile.TemporaryDirectory(prefix="daybreak-") as place, git.faults.made_good():
        folder = Path(place)
        for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        try:
            return Text(
                git.run("merge-file", "-p", "-q", "ours", "base", "theirs", at=folder).decode("utf-8", "replace")
            )
        except GitError:  # a conflict, or nothing that has lines
            return None


def renames(git: Git, mirror: Path, release: str, commit: str, paths: Collection[str]) -> dict[str, str]:
    """Path at a commit -> path of the same file in a release: by what both hold, or by its name, where the files around it
    came from one folder; empty where that cannot be told.
    """
    how = ("diff", "--name-status", "-z", "-M", "--diff-filter=RD", release, commit)
    with git.faults.made_good():
        try:
            cells = iter(git.run(*how, at=mirror).decode("utf-8", "surrogateescape").split("\0"))
        except GitError:  # a mirror without contents
            return {}
    moved, gone, folders = dict[str, str](), set[str](), dict[str, set[str]]()
    for kind, old in zip(cells, cells, strict=False):
        if kind == "D":
            gone.add(old)
            continue
        moved[new := next(cells)] = old
        folders.setdefault(_folder(new), set()).add(_folder(old))
    for path in set(paths) - moved.keys():
        found = {f"{folder}/{path.rpartition('/')[2]}" for folder in folders.get(_folder(path), ())} & gone
        moved |= {path: found.pop()} if len(found) == 1 else {}
    return {path: moved[path] for path in paths if path in moved}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]

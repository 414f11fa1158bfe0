"""Trees of a project, whole, by commit: what the reader of changes asks beyond the hunks of a change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.blobs import blobs_at, contents
from daybreak.findings.near_trees import NearTrees

Row = tuple[str, str, str]
"""Commit, file, and the text that was found there."""

ASIDE_NAMES = ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
"""Folders whose files say nothing of what the project does for its users."""


class Where(Struct, frozen=True):
    """The files of a tree that are searched; all of them when nothing is said."""

    endings: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    """Names of folders: a file below one of them is searched whatever its ending."""
    without: tuple[str, ...] = ()
    """Names of folders whose files are not searched."""
    paths: tuple[str, ...] = ()
    """These files alone."""

    def holds(self, path: str) -> bool:
        """Whether the file is searched."""
        folders = set(path.split("/")[:-1])
        if self.paths and path not in self.paths:
            return False
        named = path.endswith(self.endings) or not folders.isdisjoint(self.within)
        return (named or not (self.endings or self.within)) and folders.isdisjoint(self.without)

    @property
    def pathspecs(self) -> tuple[str, ...]:
        """The same for git."""
        return (
            *(f"*{ending}" for ending in self.endings),
            *(f":(glob)**/{name}/**" for name in self.within),
            *(f":(exclude,glob)**/{name}/**" for name in self.without),
            *(f":(literal,top){path}" for path in self.paths),
        )


class Trees(Protocol):
    """Whole trees; those in a repository of git, or two states of some files that somebody gave as texts."""

    @property
    def partial(self) -> bool:
        """Files of the project may be missing: what is not found here may stand elsewhere."""
        ...

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(blob id, text) for those that are there and not too large; what is missing is left out."""
        ...

    def blobs_at(self, names: Iterable[str]) -> dict[str, str]:
        """`commit:path` -> blob id, of those that are there; may raise `GitError`."""
        ...

    def files(self, commit: str) -> dict[str, str]:
        """Path -> blob id of every regular file of a tree; may raise `GitError`."""
        ...

    def names(self, commit: str, folder: str) -> set[str]:
        """Paths of what stands in a folder; none when the tree cannot be read."""
        ...

    def matches(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterable[Row] | None:
        """Every place of one of the texts; None when a tree cannot be searched.

        Of two texts that overlap where they stand, only the one that begins first is told, or else the longer one.
        """
        ...

    def lines(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterable[Row] | None:
        """Every line that holds one of the texts; None when a tree cannot be searched."""
        ...


class GitTrees:
    """The trees of a repository."""

    def __init__(self, git: Git, mirror: Path) -> None:
        self.git, self.mirror = git, mirror
        self._near = NearTrees(git, mirror)
        self._sizes: dict[str, int] = {}

    @property
    def partial(self) -> bool:
        """A commit holds all of its files."""
        return False

    def contents(self, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Texts of blobs, by one process for all."""
        return contents(self.git, self.mirror, oids, self._sizes)

    def blobs_at(self, names: Iterable[str]) -> dict[str, str]:
        """Blob ids of `commit:path`."""
        return blobs_at(self.git, self.mirror, names)

    def files(self, commit: str) -> dict[str, str]:
        """What `ls-tree` lists, links and submodules left out."""
        return self._near.files(commit)

    def names(self, commit: str, folder: str) -> set[str]:
        """What `ls-tree` lists of one folder."""
        try:
            told = self.git.run("ls-tree", "-z", "--name-only", commit, f"{folder}/", at=self.mirror)
        except GitError:
            return set()
        return set(told.decode("utf-8", "replace").split("\0"))

    def matches(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterable[Row] | None:
        """One `git grep` for all texts and commits, each match for itself."""
        how = ("grep", "-I", "-z", "--no-color", "-o", *_asked_for(sorted(texts)), *commits, "--", *where.pathspecs)
        try:
            told = self.git.run(*how, at=self.mirror, whole=True)
        except GitError as error:
            return iter(()) if error.found_nothing else None
        return _parsed(told.decode("utf-8", "replace"))

    def lines(self, commits: Iterable[str], texts: Iterable[str], where: Where) -> Iterable[Row] | None:
        """Line by line; of a tree near one that was searched for the same, only in the files that differ."""
        wanted, rows = list(texts), list[Row]()
        for commit in commits:
            found = self._near.lines(commit, wanted, where)
            if found is None:
                return None
            rows += [(commit, path, line) for path, line in found]
        return rows


_FEW = 20
"""Texts that git looks for one after the other in less time than for all at once."""


def _asked_for(texts: Sequence[str]) -> list[str]:
    if len(texts) <= _FEW:
        return ["-F", *(part for text in texts for part in ("-e", text))]
    return ["-E", "-e", "|".join(re.sub(r"[][\\.^$*+?{}()|]", r"\\\g<0>", text) for text in texts)]


def _parsed(told: str) -> Iterator[Row]:
    for row in told.split("\n"):
        place, _, text = row.partition("\0")
        commit, _, path = place.partition(":")
        if path:
            yield commit, path, text

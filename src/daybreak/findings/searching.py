"""Searches whole trees for texts: one `git grep` for all that is asked of a change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.blobs import blobs_at, contents

CODE = ("*.py", "*.pyi", "*.cpp", "*.cc", "*.cu", "*.cuh", "*.h", "*.hpp", "*.rs", "*.go", "*.sh")
ASIDE_NAMES = ("tests", "test", "docs", "benchmarks", "benchmark", "examples")
"""Folders whose files say nothing of what the project does for its users."""
ASIDE = tuple(f":(exclude,glob)**/{name}/**" for name in ASIDE_NAMES)

Places = dict[tuple[str, str], set[str]]
"""(commit, text) -> files that hold it."""


def searched(
    git: Git, mirror: Path, commits: Sequence[str], texts: Iterable[str], paths: Sequence[str]
) -> Places | None:
    """The places of all texts in whole trees; None when one cannot be searched.

    Of two texts that overlap where they stand, only the one that begins first is told, or else the longer one.
    """
    found: Places = {}
    rows = _rows(git, mirror, commits, texts, paths, "-o")
    if rows is None:
        return None
    for commit, path, text in rows:
        found.setdefault((commit, text), set()).add(path)
    return found


def lines_with(
    git: Git, mirror: Path, commit: str, texts: Iterable[str], paths: Sequence[str]
) -> list[tuple[str, str]] | None:
    """(file, line) of every line of a tree that holds one of the texts; None when the tree cannot be searched."""
    rows = _rows(git, mirror, [commit], texts, paths)
    return None if rows is None else [(path, line) for _, path, line in rows]


def texts_at(git: Git, mirror: Path, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Path -> text in the tree of a commit; what is not there, too large or no text is left out."""
    try:
        blobs = blobs_at(git, mirror, (f"{commit}:{path}" for path in paths))
    except GitError:
        return {}
    texts = dict(contents(git, mirror, blobs.values()))
    return {name.partition(":")[2]: texts[oid] for name, oid in blobs.items() if oid in texts}


def _rows(
    git: Git, mirror: Path, commits: Sequence[str], texts: Iterable[str], paths: Sequence[str], *options: str
) -> Iterator[tuple[str, str, str]] | None:
    """(commit, file, what git tells of it)."""
    words = [part for text in sorted(texts) for part in ("-e", text)]
    how = ("grep", "-I", "-F", "-z", "--no-color", *options, *words, *commits, "--", *paths)
    try:
        told = git.run(*how, at=mirror, whole=True)
    except GitError as error:
        return iter(()) if error.found_nothing else None
    return _parsed(told.decode("utf-8", "replace"))


def _parsed(told: str) -> Iterator[tuple[str, str, str]]:
    for row in told.split("\n"):
        place, _, text = row.partition("\0")
        commit, _, path = place.partition(":")
        if path:
            yield commit, path, text

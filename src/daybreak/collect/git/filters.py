"""`paths` and `exclude` of a repository: which commits are left out of the text, never out of the count."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from daybreak.core.model.changes import Change, Repo

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


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

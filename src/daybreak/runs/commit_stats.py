"""The whole history of a repository with its line counts, put into the store: what trends are drawn from.

What the store has is not asked of git again, so a history that was cut short is gone on with, and one that is there
costs a list of commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from daybreak import __version__
from daybreak.collect.git.chain import explain, walk
from daybreak.collect.git.mirror import Say, fetch_missing_blobs, open_mirror
from daybreak.collect.git.statistics import statistics
from daybreak.core.config import Settings
from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Repo
from daybreak.store.interface import Store

AT_ONCE = 2000
"""Commits asked of git together, and written before the next are asked for."""


@dataclass(slots=True)
class Counted:
    """What came of one repository."""

    repo: str
    commits: int
    """On its branch, along first parents."""
    new: int = 0
    unread: int = 0
    """New ones that could not be read, or only in part; the store has why."""


@contextmanager
def history_store(settings: Settings) -> Iterator[Store]:
    """The store, held and with a run in it."""
    from daybreak.store.opening import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        with store.hold(), store.run("history", __version__):
            yield store
    finally:
        store.close()


def put_history(settings: Settings, repo: Repo, store: Store, offline: bool, say: Say) -> Counted:
    """Every commit of the branch that the store lacks."""
    git = Git(settings.environment)
    git.take_user_settings(settings.state)
    try:
        mirror = open_mirror(git, repo, settings.state / "mirrors", offline, say)
        chain = walk(git, mirror.path, mirror.tip)
        shas = [chain.sha(index) for index in range(len(chain))]
        found = Counted(repo.name, len(shas))
        missing = store.missing(repo.name, shas)
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            if mirror.blobless and not offline:
                fetch_missing_blobs(git, mirror, some)
            found.new += store.put_changes(_noted(statistics(git, mirror.path, repo.name, some), found))
    except GitError as error:
        known = error if isinstance(error, RepositoryError) else explain(error, repo.git, repo.branch)
        raise RepositoryError(f"{repo.name}: {known.message}.", known.tip) from error
    return found


def _noted(changes: Iterable[Change], found: Counted) -> Iterator[Change]:
    for change in changes:
        found.unread += bool(change.skipped or any(file.skipped for file in change.files))
        yield change

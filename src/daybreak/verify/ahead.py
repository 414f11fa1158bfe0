"""Git's answers about many pages, asked for in threads while the pages are read: no page waits for another's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future

from daybreak.verify.checks.counts import counted
from daybreak.verify.facts import Commit
from daybreak.verify.mirror import Mirror
from daybreak.verify.study import Study

WORKERS = 4
"""Programs at a time; more would only wait for each other."""


class Ahead:
    """Asks every mirror at once; an answer that fails is asked for again by whoever needs it."""

    def __init__(self, mirrors: Mapping[str, Mirror], pool: Executor) -> None:
        self._mirrors, self._pool = mirrors, pool
        self._logs: list[Future[None]] = [pool.submit(mirror.read_log) for mirror in mirrors.values()]

    def logs(self) -> None:
        for future in self._logs:
            future.result()

    def files(self) -> None:
        for mirror in self._mirrors.values():
            mirror.read_files(self._pool)

    def patches(self, studies: Sequence[Study]) -> None:
        """The most first, since the others fit beside them."""
        wanted = patches_for(studies)
        for repo in sorted(wanted, key=lambda name: -len(wanted[name])):
            self._mirrors[repo].read_patches(self._pool, wanted[repo])


def files_for(studies: Iterable[Study]) -> dict[str, dict[str, None]]:
    """Repository -> commits of which a line gives paths or counts."""
    return _by_repo(
        (study, commit)
        for study in studies
        for spot in study.prose
        if "`" in spot.line.text or counted(spot.line.text)
        for commit in spot.commits
    )


def patches_for(studies: Iterable[Study]) -> dict[str, dict[str, None]]:
    """Repository -> commits with a code block."""
    return _by_repo(
        (study, commit)
        for study in studies
        for spot in study.spots
        if spot.line.fence is not None
        for commit in spot.commits
    )


def _by_repo(commits: Iterator[tuple[Study, Commit]]) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for study, commit in commits:
        if study.mirror(commit.repo):
            found.setdefault(commit.repo, {})[commit.sha] = None
    return found

"""What is measured in a process of its own: `python -m scripts.bench.tasks NAME JSON` prints its costs as JSON.

The clock starts after the imports and after what is given beforehand, and stops before anything is tidied up.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.bench.cost import Cost

from daybreak.__main__ import collect_seldom

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.core.model.changes import Collected, Window

Days = Sequence[str]
"""First and last day."""
AT_ONCE = 500
"""Commits that one git is given."""


class Clock:
    """Wall and CPU of this process and its children between two moments, and the memory of this process alone."""

    def __init__(self) -> None:
        self.count = 0
        self.cost = Cost(0, 0, 0)

    @contextmanager
    def running(self) -> Iterator[None]:
        cpu, wall = _cpu(), time.perf_counter()
        yield
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.cost = Cost(time.perf_counter() - wall, _cpu() - cpu, peak)


def _cpu() -> float:
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def moments(days: Days) -> tuple[datetime, datetime]:
    """The first second and the last one of a span of days."""
    first, last = (datetime.fromisoformat(day).replace(tzinfo=UTC) for day in days)
    return first, last + timedelta(seconds=86399)


# --- ours ------------------------------------------------------------------------------------------------------------


def collect(clock: Clock, config: str, days: Days, workers: int = 1) -> None:
    """Every day of every repository, as a back-fill collects."""
    from daybreak.collect.git.source import GitSource
    from daybreak.core.git_program import Git
    from daybreak.runs.executors import LocalExecutor
    from daybreak.store.report_files import ReportFiles

    settings, windows = _settings(config, days)
    git = Git(settings.environment)
    source = GitSource(git, settings.state / "mirrors", False, lambda _: None)
    memory = ReportFiles(settings.out)
    with clock.running():
        source.expect(windows)
        for window in windows:
            found = LocalExecutor(workers, git.stop).map(lambda r: source.collect(r, window, memory), settings.repos())  # noqa: B023
            clock.count += sum(len(one.changes) for one in found)


def gather(clock: Clock, config: str, days: Days, workers: int) -> None:
    """The commits of some days with their patches, in one piece: what `git log -p` gives."""
    from daybreak.collect.git.chain import walk
    from daybreak.collect.git.history import HistoryReader
    from daybreak.collect.git.mirror import open_mirror
    from daybreak.core.git_program import Git
    from daybreak.runs.executors import LocalExecutor

    settings, windows = _settings(config, days)
    git = Git(settings.environment)
    with clock.running():
        for repo in settings.repos():
            mirror = open_mirror(git, repo, settings.state / "mirrors", False, lambda _: None)
            chain = walk(git, mirror.path, mirror.tip)
            shas = [chain.sha(at) for at in chain.between(windows[0].since, windows[-1].until)]
            reader = HistoryReader(git, mirror.path, repo.name, settings.zone)
            pieces = [shas[at : at + AT_ONCE] for at in range(0, len(shas), AT_ONCE)]
            for found in LocalExecutor(workers, git.stop).map(reader.read, pieces):
                clock.count += len(found)


def read(clock: Clock, config: str, days: Days) -> None:
    """What was collected, read with nothing read before."""
    from daybreak.core.git_program import Git
    from daybreak.findings.reader import RuleReader

    settings, found = _collected(config, days)
    reader = RuleReader(Git(settings.environment), None)
    with clock.running():
        clock.count = sum(len(reader.read(one)) for one in found)


# --- floors ----------------------------------------------------------------------------------------------------------


def parse(clock: Clock, config: str, days: Days) -> None:
    """`ast.parse` of both sides of every Python file of the days."""
    import ast

    from daybreak.core.git_program import Git
    from daybreak.findings.blobs import contents

    settings, found = _collected(config, days)
    texts: list[str] = []
    for one in found:
        files = [file for change in one.changes for file in change.files if file.path.endswith(".py")]
        wanted = {oid for file in files for oid in (file.old_blob, file.new_blob) if oid.strip("0")}
        texts += [text for _, text in contents(Git(settings.environment), Path(one.mirror or ""), sorted(wanted))]
    with clock.running():
        for text in texts:
            try:
                ast.parse(text)
            except (SyntaxError, ValueError):
                continue
    clock.count = len(texts)


# --- peers -----------------------------------------------------------------------------------------------------------


def pydriller(clock: Clock, repos: Sequence[str], days: Days | None = None, methods: bool = False) -> None:
    """Every commit with its files, counts and diffs; with the methods that changed, when asked."""
    from pydriller import Repository

    since, until = moments(days) if days else (None, None)
    with clock.running():
        for repo in repos:
            for commit in Repository(repo, since=since, to=until).traverse_commits():
                clock.count += 1
                for file in commit.modified_files:
                    _ = (file.added_lines, file.deleted_lines, len(file.diff))
                    if methods:
                        _ = file.changed_methods


def perceval(clock: Clock, repos: Sequence[str], days: Days | None = None) -> None:
    """Every commit with its files and counts; it gives no diffs."""
    from perceval.backends.core.git import Git

    since, until = moments(days) if days else (None, None)
    with clock.running():
        for repo in repos:
            branch = Path(repo, "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: refs/heads/")
            source = Git(repo, repo)
            between = {"from_date": since, "to_date": until} if days else {}
            clock.count += sum(1 for _ in source.fetch(branches=[branch], no_update=True, **between))


# --- what is given beforehand ----------------------------------------------------------------------------------------


def _settings(config: str, days: Days) -> tuple[Settings, list[Window]]:
    from daybreak.core.config import load, now
    from daybreak.core.windows import windows

    settings = load(Path(config), {}, dict(os.environ))
    after = (datetime.fromisoformat(days[1]) + timedelta(days=1)).date().isoformat()
    return settings, windows(settings.zone, now(os.environ), on=None, since=days[0], until=after, last=None)


def _collected(config: str, days: Days) -> tuple[Settings, list[Collected]]:
    from daybreak.collect.git.source import GitSource
    from daybreak.core.git_program import Git
    from daybreak.store.report_files import ReportFiles

    settings, windows = _settings(config, days)
    source = GitSource(Git(settings.environment), settings.state / "mirrors", False, lambda _: None)
    memory = ReportFiles(settings.out)
    return settings, [source.collect(repo, window, memory) for window in windows for repo in settings.repos()]


TASKS: dict[str, Callable[..., None]] = {
    task.__name__: task for task in (collect, gather, read, parse, pydriller, perceval)
}


def main(name: str, given: dict[str, Any]) -> None:
    """Do one task and print what it cost; ours as the program does them, the others as they come."""
    if name not in ("pydriller", "perceval"):
        collect_seldom()
    clock = Clock()
    TASKS[name](clock, **given)
    print(json.dumps(asdict(replace(clock.cost, count=clock.count))))


if __name__ == "__main__":
    main(sys.argv[1], json.loads(sys.argv[2]))

"""The parts of a day made in other processes, here or on other machines: values go out, values come back.

A task carries the config, the repository, the window and what was reported before. Everything else, the mirror above
all, is found where the task runs, or made there; so it may run anywhere, and twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from msgspec import Struct, structs
from msgspec.structs import replace

from daybreak.core.checkpoint import Memory, Part, Recorded, Took, timed
from daybreak.core.config import ExecuteConfig, ImpactConfig, Settings, environment
from daybreak.core.errors import DaybreakError, LockedError
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.model.findings import Reading
from daybreak.runs import pipeline, wiring
from daybreak.runs.executors import join, split
from daybreak.runs.pipeline import Done, Job, Stages
from daybreak.store.lock import run_lock

SHARD_OVER = 400
"""Changes of one repository in one window beyond which they are read in pieces: most days have a tenth of it."""
SHARD = 100
PATIENCE = 60.0
"""Seconds a task waits for another one at the same mirror: one that was given up for lost may still be there."""


class MoreMemory(Exception):
    """Asked for more of what was reported before than the task was given."""


class Remembered(Struct, frozen=True):
    """What was reported of one repository, as a value; by far most days need the day itself and the one before."""

    today: Recorded | None
    before: tuple[Recorded, ...]
    after: tuple[Recorded, ...] | None
    """None: only the newest of `before` are here, and nothing of `after`."""

    def day(self, label: str, repo: str) -> Recorded | None:  # noqa: ARG002  it knows one day of one repository
        return self.today

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:  # noqa: ARG002
        yield from self.before
        if self.after is None:
            raise MoreMemory

    def later(self, label: str, repo: str) -> Iterator[Recorded]:  # noqa: ARG002
        if self.after is None:
            raise MoreMemory
        yield from self.after


def glimpse(memory: Memory, label: str, repo: str) -> Remembered:
    """The day and what is newest of the days before, down to one that has a head."""
    before = []
    for record in memory.earlier(label, repo):
        before.append(record)
        if record.head:
            return Remembered(memory.day(label, repo), tuple(before), None)
    return Remembered(memory.day(label, repo), tuple(before), tuple(memory.later(label, repo)))


def everything(memory: Memory, label: str, repo: str) -> Remembered:
    return Remembered(memory.day(label, repo), tuple(memory.earlier(label, repo)), tuple(memory.later(label, repo)))


# --- values ----------------------------------------------------------------------------------------------------------


class RepoTask(Struct, frozen=True):
    """One repository of one day."""

    settings: Settings
    job: Job
    repo: Repo
    offline: bool
    distant: bool
    """Another machine may do it: with its own folders and its own environment."""
    memory: Remembered
    pieces: bool = True
    """A long list of changes comes back collected, to be read in pieces."""

    @property
    def place(self) -> str:
        """Where its mirror is."""
        return self.repo.name


class ShardTask(Struct, frozen=True):
    """Some changes of one repository, to be read; they go to any node."""

    task: RepoTask
    collected: Collected


class Finished(Struct, frozen=True):
    """What came of a task: a part of the report, or a long list that is still to be read."""

    said: tuple[str, ...]
    part: Part | None = None
    long: Collected | None = None
    more_memory: bool = False
    took: tuple[Took, ...] = ()
    """Of the collecting, when the rest is still to be done."""


# --- where the work is done ------------------------------------------------------------------------------------------


def run_task(task: RepoTask) -> Finished:
    """Collect, read, analyse and check one repository."""
    said: list[str] = []
    took: list[Took] = []
    with _alone_at_its_mirror(task), _made(task, said) as stages:
        try:
            collected = pipeline.collected(task.repo, task.job, stages, took)
        except MoreMemory:
            return Finished(tuple(said), more_memory=True)
        if task.pieces and not task.job.kept and len(collected.changes) + len(collected.late) > SHARD_OVER:
            return Finished(tuple(said), long=collected, took=tuple(took))
        return Finished(tuple(said), pipeline.analysed(collected, task.job, stages, took))


def read_shard(shard: ShardTask) -> dict[str, Reading] | None:
    """Read some changes; None when a reader fails on them: then the repository is done in one piece, which tells it."""
    said: list[str] = []
    # Alone only until the mirror is there: pieces of one repository are read side by side.
    with _alone_at_its_mirror(shard.task):
        mirror = wiring.mirror_with(
            _here(shard.task), shard.task.repo, shard.collected, shard.task.offline, said.append
        )
    with _made(shard.task, said) as stages:
        try:
            found = dict(stages.reader.read(replace(shard.collected, mirror=str(mirror))))
            return None if stages.faults(shard.task.repo) else found
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception:  # noqa: BLE001  told by the whole
            return None


@contextmanager
def _made(task: RepoTask, said: list[str]) -> Iterator[Stages]:
    """The stages on this machine; every git they started is stopped when the task is given up."""
    stages = wiring.stages(_here(task), task.offline, said.append, task.memory)
    try:
        yield stages
    except BaseException:
        stages.stop()
        raise


def _alone_at_its_mirror(task: RepoTask) -> AbstractContextManager[None]:
    place = _here(task).state / "tasks" / task.repo.name.replace("/", "+")
    return _alone(place) if task.distant else nullcontext()


def _here(task: RepoTask) -> Settings:
    """The settings as this machine understands them: the folder of the config where it exists, else one of its own.

    Only what a task needs is taken over; secrets stay where they are, so a node has those that it was given itself.
    """
    if not task.distant:
        return task.settings
    chosen = task.settings.config.execute.state
    base = Path(chosen).expanduser() if chosen else task.settings.base
    if not chosen and not base.is_dir():
        base = Path.home() / ".cache" / "daybreak"
    return structs.replace(task.settings, base=base, environment=environment())


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            lock = run_lock(place)
            lock.__enter__()
            break
        except LockedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


# --- where it is asked for -------------------------------------------------------------------------------------------


class Away(Struct, frozen=True):
    """Gives out the repositories of a day and takes their parts in."""

    settings: Settings
    offline: bool
    distant: bool
    say: Callable[[str], None]

    def parts(self, job: Job, stages: Stages, done: Done) -> tuple[Part, ...]:
        """One part for each repository, in their order."""
        tasks = [self._task(repo, job, stages) for repo in job.repos]
        found = self._run(tasks, stages, done)
        more = [task for task in tasks if found[task.repo.name].more_memory]
        found |= self._run([self._remembering(task, stages) for task in more], stages, done)
        long = [task for task in tasks if found[task.repo.name].long]
        whole = [task for task in long if not self._read(task, found, stages, done)]
        found |= self._run([replace(self._remembering(task, stages), pieces=False) for task in whole], stages, done)
        parts = [found[repo.name].part for repo in job.repos]
        assert all(parts), "every repository has a part"
        return tuple(part for part in parts if part)

    def _task(self, repo: Repo, job: Job, stages: Stages) -> RepoTask:
        kept = {name: part for name, part in job.kept.items() if name == repo.name}
        slim = replace(job, repos=(repo,), kept=kept)
        config = structs.replace(
            self.settings.config,
            impact=ImpactConfig(),
            repo=(),
            execute=ExecuteConfig(state=self.settings.config.execute.state),
        )
        own = {} if self.distant else self.settings.environment
        settings = structs.replace(self.settings, config=config, environment=own)
        memory = glimpse(stages.memory, job.window.label, repo.name)
        return RepoTask(settings, slim, repo, self.offline, self.distant, memory)

    def _remembering(self, task: RepoTask, stages: Stages) -> RepoTask:
        return replace(task, memory=everything(stages.memory, task.job.window.label, task.repo.name))

    def _run(self, tasks: Sequence[RepoTask], stages: Stages, done: Done) -> dict[str, Finished]:
        def heard(_: RepoTask, finished: Finished) -> None:
            for words in finished.said:
                self.say(words)
            if finished.part:
                done(finished.part)

        answers = stages.executor.map(run_task, tasks, heard)
        return {task.repo.name: answer for task, answer in zip(tasks, answers, strict=True)}

    def _read(self, task: RepoTask, found: dict[str, Finished], stages: Stages, done: Done) -> bool:
        """Read a long list in pieces all over the cluster, and analyse it here; False when a reader failed."""
        collected, took = found[task.repo.name].long, list(found[task.repo.name].took)
        assert collected is not None
        changes = (*collected.changes, *collected.late)
        lean = Collected(task.repo, collected.branch)
        shards = (ShardTask(task, replace(lean, changes=piece)) for piece in split(changes, SHARD))
        with timed(took, "read"):
            answers = stages.executor.map(read_shard, shards)
        if any(answer is None for answer in answers):
            return False
        readings = join((change.sha for change in changes), (answer for answer in answers if answer is not None))
        part = pipeline.analysed(collected, task.job, stages, took, readings)
        found[task.repo.name] = Finished((), part)
        done(part)
        return True


def stages(settings: Settings, offline: bool, say: Callable[[str], None], memory: Memory) -> Stages:
    """The stages of a run; its repositories are done away from here where the config says so."""
    made = wiring.stages(settings, offline, say, memory)
    if not wiring.in_other_processes(settings):
        return made
    return replace(made, away=Away(settings, offline, settings.config.execute.kind == "ray", say))

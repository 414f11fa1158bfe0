"""Runs that are killed: the jobs, the killing, and what must be equal in the end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from contracts.conftest import opened
from daybreak.store import schema
from program import PROGRAM, run

SQLITE = "sqlite:///.daybreak/daybreak.db"
PATIENCE = 120.0
OF_RUNS = {"runs", "steps", "costs", "holders", "schema_versions", "seals"}
"""Tables that tell how it came about, and not what came out; seals cover hashes that cover times, and `verify` holds them."""
TIMES = {"made_at", "fetched_at"}


@dataclass(frozen=True)
class Command:
    """One call of the program, and what must be so before it."""

    arguments: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] = lambda: None


@dataclass(frozen=True)
class Job:
    """Commands that are run one after the other in a folder with this config."""

    config: str
    commands: tuple[Command, ...]
    store: str = SQLITE


@dataclass(frozen=True)
class Came:
    """What came out of a job."""

    written: dict[str, bytes]
    stored: dict[str, list[Any]]


# --- running and killing ---------------------------------------------------------------------------------------------


@dataclass
class Victim:
    """The program in a session of its own: whatever it starts can be found."""

    process: subprocess.Popen[bytes]

    @classmethod
    def start(cls, folder: Path, command: Command, program: tuple[str, ...] = PROGRAM) -> Victim:
        with (folder.parent / f"{folder.name}.err").open("ab") as said:
            process = subprocess.Popen(
                [*program, *command.arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={**os.environ, "PYTHONFAULTHANDLER": "1", **command.env},
                start_new_session=True,
            )
        return cls(process)

    def ends_within(self, seconds: float) -> bool:
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self) -> None:
        """It and every git it started, at once; its workers lead groups of their own and must notice themselves."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.nobody_is_left()

    def nobody_is_left(self) -> None:
        end = time.monotonic() + PATIENCE
        while left := self._session():
            assert time.monotonic() < end, f"still there: {left}"
            time.sleep(0.002)  # there is no other way to see somebody else's children go

    def _session(self) -> list[str]:
        found = []
        for place in Path("/proc").glob("[0-9]*/stat"):
            try:
                told = place.read_text(errors="replace")
            except OSError:
                continue
            state, *numbers = told.rpartition(") ")[2].split()
            if state != "Z" and int(numbers[2]) == self.process.pid:
                found.append(told)
        return found


def last_words(folder: Path) -> str:
    return (folder.parent / f"{folder.name}.err").read_text(errors="replace")[-2000:]


def new_folder(root: Path, name: str, job: Job) -> Path:
    folder = root / name
    folder.mkdir()
    (folder / "daybreak.toml").write_text(job.config, encoding="utf-8")
    return folder


def done(folder: Path, command: Command, program: tuple[str, ...] = PROGRAM) -> None:
    """Run to the end, which must be a good one."""
    command.before()
    victim = Victim.start(folder, command, program)
    code = victim.process.wait(PATIENCE)
    assert code == 0, (code, last_words(folder))


def done_here(folder: Path, command: Command) -> None:
    """The same within this process, where only what comes of it matters."""
    command.before()
    answer = run(*command.arguments, cwd=folder, env=command.env)
    assert answer.returncode == 0, answer.stderr


def undisturbed(root: Path, job: Job) -> tuple[Came, list[float]]:
    """What comes out when nobody interferes, and how long each command takes."""
    folder, took = new_folder(root, "undisturbed", job), []
    for command in job.commands:
        began = time.monotonic()
        done(folder, command)
        took.append(time.monotonic() - began)
    return came(folder, job), took


@dataclass
class Campaign:
    """Kills a job at random moments, spread over the time that it takes, and has it start again each time."""

    root: Path
    job: Job
    expected: Came
    took: list[float]
    chance: Random
    kills: int = 0
    trials: int = 0

    def until(self, kills: int, most: int) -> None:
        """Trials with at most so many kills each, until there were enough of them."""
        while self.kills < kills:
            assert self.trials < 5 * kills, "it is never alive when it should be killed"
            self.trial(min(most, kills - self.kills))

    def trial(self, most: int) -> None:
        """The whole job once, killed at most so often."""
        self.trials += 1
        folder = new_folder(self.root, f"trial-{self.trials}", self.job)
        took = tuple(self.took)
        moments = [self.chance.uniform(0, sum(took)) for _ in range(most)]
        for number, command in enumerate(self.job.commands):
            command.before()
            begins = sum(took[:number])
            for moment in sorted(m - begins for m in moments if begins <= m < begins + took[number]):
                # The later it is killed, the more is done already: so each start gets its own moment.
                if self._killed(folder, number, moment):
                    self._nothing_is_half_written(folder)
            done(folder, command)
        assert_equal(came(folder, self.job), self.expected)
        shutil.rmtree(folder)

    def _killed(self, folder: Path, number: int, moment: float) -> bool:
        began = time.monotonic()
        victim = Victim.start(folder, self.job.commands[number])
        if victim.ends_within(moment):
            assert victim.process.returncode == 0, last_words(folder)
            # The machine had more to do when the time was taken: later moments are chosen from the shorter one.
            self.took[number] = min(self.took[number], time.monotonic() - began)
            return False
        victim.kill()
        self.kills += 1
        return True

    def _nothing_is_half_written(self, folder: Path) -> None:
        """A day's data is written last: when it is there, it is final, and so are the pages it goes with."""
        pages = written(folder)
        for name in pages:
            if name.endswith(".json"):
                assert pages[name] == self.expected.written[name], name
                label = name.removesuffix(".json")
                missing = {page for page in self.expected.written if page.startswith(label)} - pages.keys()
                assert not missing, (name, missing)


# --- what must be equal ----------------------------------------------------------------------------------------------


def written(folder: Path) -> dict[str, bytes]:
    """All that a reader sees; nothing else may lie there in the end."""
    ours = {"daybreak.toml", ".daybreak"}
    tops = [top for top in folder.iterdir() if top.name not in ours]  # a run at work makes and drops its own files
    files = [p for top in tops for p in (top, *top.rglob("*")) if p.is_file()]
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}


def came(folder: Path, job: Job) -> Came:
    leftovers = [p.name for p in folder.rglob("*") if p.name.startswith(".daybreak-staged") or ".git.new-" in p.name]
    assert not leftovers
    return Came(written(folder), stored(job.store, folder))


def stored(address: str, folder: Path) -> dict[str, list[Any]]:
    """The rows of all tables that tell what came out, without times of making; the store is sound and tidy."""
    store = opened(address, folder)
    try:
        assert list(store.verify()) == []
        assert store.holder() is None
        found: dict[str, list[Any]] = {}
        with store._database.read() as connection:
            kept = connection.value("SELECT count(*) FROM steps WHERE output IS NOT NULL")
            assert kept == 0, "what was kept for a restart must be dropped"
            for table in schema.TABLES.values():
                if table.name not in OF_RUNS:
                    rows = [dict(zip(table.columns, row, strict=True)) for row in connection.rows(table.rows)]
                    # The seal of the search index, which has no label, covers the order in which days came.
                    rows = [row for row in rows if row.get("label") != ""]
                    found[table.name] = sorted(map(_lasting, rows), key=repr)
        return found
    finally:
        store.close()


def _lasting(row: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A row without its times, and without the hashes that cover them."""
    if row.keys() & TIMES:
        del row["hash"]
    return tuple((name, value) for name, value in row.items() if name not in TIMES)


def assert_equal(found: Came, expected: Came) -> None:
    assert sorted(found.written) == sorted(expected.written)
    for name, data in expected.written.items():
        assert found.written[name] == data, name
    for table, rows in expected.stored.items():
        gone = [row for row in rows if row not in found.stored[table]]
        more = [row for row in found.stored[table] if row not in rows]
        assert (table, gone, more) == (table, [], [])
        assert len(rows) == len(found.stored[table])

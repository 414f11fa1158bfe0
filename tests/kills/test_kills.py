"""A run that is killed goes on where it stopped, and in the end nobody can tell that it was."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from kills.jobs import PROCESSES, demo_week, long_week
from kills.killing import Came, Campaign, Job, Victim, assert_equal, came, done, done_here, new_folder, undisturbed

Maker = Callable[..., Job]


def campaign(root: Path, job: Job, seed: int) -> Campaign:
    expected, took = undisturbed(root, job)
    assert expected.written
    assert expected.stored["reports"]
    return Campaign(root, job, expected, took, Random(seed))


@pytest.mark.parametrize(("make", "days", "kills", "more"), [(demo_week, 2, 2, ""), (long_week, 1, 1, PROCESSES)])
def test_a_run_killed_at_random_moments_ends_as_if_it_had_not_been(
    tmp_path: Path, make: Maker, days: int, kills: int, more: str
) -> None:
    made = campaign(tmp_path, make(tmp_path, days, more), seed=5)
    made.until(kills, most=kills)


@pytest.mark.soak
@pytest.mark.parametrize("more", ["", PROCESSES], ids=["threads", "processes"])
@pytest.mark.parametrize("make", [demo_week, long_week])
def test_a_week_killed_at_25_random_moments_ends_as_if_it_had_not_been(tmp_path: Path, make: Maker, more: str) -> None:
    made = campaign(tmp_path, make(tmp_path, 7, more), seed=25)
    made.until(25, most=5)
    print(f"{make.__name__}: {made.kills} kills in {made.trials} trials, {sum(made.took):.1f} s undisturbed")


# --- at everything it does -------------------------------------------------------------------------------------------


class Counted:
    """The last morning of some, which is killed at the n-th thing that it does to the world."""

    def __init__(self, root: Path, mornings: int) -> None:
        self._root, self._job = root, demo_week(root, mornings)
        self._before = new_folder(root, "before", self._job)
        for command in self._job.commands[:-1]:
            done_here(self._before, command)
        self._last = self._job.commands[-1]
        folder = self._copy("counted")
        done(folder, self._last, self._program(0))
        self.total = int((root / "total").read_text())
        self._expected: Came = came(folder, self._job)

    def killed_at(self, number: int) -> None:
        folder = self._copy(f"at-{number}")
        victim = Victim.start(folder, self._last, self._program(number))
        victim.process.wait(60)
        victim.nobody_is_left()
        done_here(folder, self._last)
        assert_equal(came(folder, self._job), self._expected)
        shutil.rmtree(folder)

    def _copy(self, name: str) -> Path:
        return Path(shutil.copytree(self._before, self._root / name))

    def _program(self, number: int) -> tuple[str, ...]:
        return (sys.executable, str(Path(__file__).with_name("counted.py")), str(number), str(self._root / "total"))


@pytest.mark.parametrize(("mornings", "moments"), [(1, (0.4,)), (3, (0.95,))])
def test_killed_before_or_after_a_write_it_ends_as_if_it_had_not_been(
    tmp_path: Path, mornings: int, moments: tuple[float, ...]
) -> None:
    """The first morning makes mirrors; the third adds notes to pages that were written before."""
    counted = Counted(tmp_path, mornings)
    assert counted.total > 100
    for moment in moments:
        counted.killed_at(int(counted.total * moment))


@pytest.mark.soak
@pytest.mark.parametrize("mornings", [1, 3])
def test_killed_before_or_after_any_write_it_ends_as_if_it_had_not_been(tmp_path: Path, mornings: int) -> None:
    counted = Counted(tmp_path, mornings)
    for number in range(1, counted.total + 1, 3):
        counted.killed_at(number)
    print(f"{mornings} mornings: killed at every third of {counted.total} writes")

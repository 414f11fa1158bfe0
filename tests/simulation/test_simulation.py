"""A week of mornings with three faults each, and in the long lane a year of them: nothing is lost in silence.

`SIMULATION=seed:mornings` plays a world again.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from postgres_fixture import Postgres
from simulation.world import World

WEEK, MONTH, YEAR = 7, 30, 365


def again(seed: int, mornings: int) -> tuple[int, int]:
    """What was asked for by hand, or these."""
    told = os.environ.get("SIMULATION", f"{seed}:{mornings}").partition(":")
    return int(told[0]), int(told[2])


def play(world: World, mornings: int) -> None:
    """Memory is that of the second month: the world itself grows, by its upstreams and what was found in them."""
    sizes = []
    with world:
        for _ in range(mornings):
            world.morning()
            sizes.append(resident())
        world.check_end()
    print(f"seed {world.seed}: {mornings} mornings, {world.counted}, {sizes[0]:.0f} → {sizes[-1]:.0f} MiB")
    if mornings > 2 * MONTH:
        assert sizes[-1] < 1.5 * sizes[MONTH]


def resident() -> float:
    """MiB of this process."""
    told = Path("/proc/self/statm").read_text(encoding="ascii").split()
    return int(told[1]) * resource.getpagesize() / (1 << 20)


@pytest.mark.timeout(600)
def test_a_week_of_faults_loses_nothing_in_silence(tmp_path: Path) -> None:
    seed, mornings = again(26, WEEK)
    play(World(tmp_path / "world", seed), mornings)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_a_year_of_faults_loses_nothing_in_silence(tmp_path: Path, seed: int) -> None:
    play(World(tmp_path / "world", seed), YEAR)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mornings", [3, pytest.param(YEAR, marks=pytest.mark.soak)])
def test_a_server_for_a_store_that_has_faults_too_loses_nothing_in_silence(
    tmp_path: Path, postgres: Postgres, mornings: int
) -> None:
    seed, mornings = again(11, mornings)
    play(World(tmp_path / "world", seed, postgres.fresh(), faults=4), mornings)

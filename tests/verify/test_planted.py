"""Random true reports give no alarm; one false claim of any sort, planted anywhere, gives one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from daybreak.verify.verifying import verify
from verify.scenes import PLANTS, World, build, true_report

LANGUAGES = ("zh", "en")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(Path(tmp_path_factory.mktemp("world")))


def holds(world: World, seed: int, language: str) -> None:
    result = verify("report.md", true_report(random.Random(seed), world, language), world.mirrors)
    assert result.alarms == (), f"seed {seed}, {language}"
    assert result.checked > 20


def found(world: World, seed: int, language: str, name: str) -> bool:
    """Whether the report had a claim to falsify at all."""
    rng = random.Random(seed)
    text = true_report(rng, world, language)
    plant, kinds = PLANTS[name]
    false = plant(rng, text, world)
    if false is None or false == text:
        return False
    alarms = verify("report.md", false, world.mirrors).alarms
    assert kinds & {alarm.kind for alarm in alarms}, f"seed {seed}, {language}: {name} was not found in\n{false}"
    return True


@pytest.mark.parametrize("language", LANGUAGES)
def test_true_reports_give_no_alarm(world: World, language: str) -> None:
    for seed in range(30):
        holds(world, seed, language)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PLANTS)
def test_a_planted_error_is_found(world: World, name: str, language: str) -> None:
    assert sum(found(world, seed, language, name) for seed in range(8)) >= 2


@pytest.mark.soak
@pytest.mark.parametrize("language", LANGUAGES)
def test_many_reports_and_errors(world: World, language: str) -> None:
    for seed in range(100, 600):
        holds(world, seed, language)
        for name in PLANTS:
            found(world, seed, language, name)


def test_a_planted_error_alone_is_told_and_nothing_else(world: World) -> None:
    """Each error names its own line: no cloud of alarms around it."""
    for name, (plant, kinds) in PLANTS.items():
        rng = random.Random(5)
        text = true_report(rng, world, "zh")
        false = plant(rng, text, world)
        if false is None or false == text:
            continue
        alarms = verify("report.md", false, world.mirrors).alarms
        assert 1 <= len(alarms) <= 4, f"{name}: {alarms}"
        assert kinds & {alarm.kind for alarm in alarms}

"""Random faults over a day of eight repositories: the data is that of a calm day, or what is missing is named."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from daybreak.collect.forge.client import Bounds
from daybreak.items import Activity
from github_scene import SMALL, TOKEN, built, scene

NAMED = {
    "issues": ("issues",),
    "pulls": ("pull requests",),
    "releases": ("releases", "tags"),
    "not_pulls": ("pull requests",),
    "brought": ("pull requests",),
}
"""Part of an activity -> the words of a `Skipped` that tell of it."""


@cache
def calm(items: int, bounds: Bounds, tokens: tuple[str, ...]) -> tuple[Activity, ...]:
    with scene() as one:
        _, wanted = built(one, items=items)
        return tuple(one.source(*tokens, bounds=bounds).activities(wanted))


def key(row: Any) -> Any:
    return getattr(row, "number", None) or getattr(row, "tag", None) or row


def silent(found: Activity, true: Activity) -> list[str]:
    """What differs and is not named; and what never was."""
    told = " ".join(skipped.what for skipped in (*found.skipped, *found.left_out))
    wrong = []
    for part, words in NAMED.items():
        mine, theirs = getattr(found, part), getattr(true, part)
        if mine != theirs and not any(word in told for word in words):
            wrong.append(f"{found.repo} {part}: {set(map(key, mine)) ^ set(map(key, theirs))}")
        if not set(map(key, mine)) <= set(map(key, theirs)):
            wrong.append(f"{found.repo} {part} invented {set(map(key, mine)) - set(map(key, theirs))}")
    return wrong


def campaign(seed: int, items: int, bounds: Bounds, tokens: tuple[str, ...], in_a_row: int) -> tuple[int, int]:
    """One sequence of faults, then a calm run that completes the day; how many faults struck, how much was skipped."""
    true = calm(items, bounds, tokens)
    with scene() as one:
        _, wanted = built(one, items=items)
        one.github.random_faults(seed, rate=0.15 + 0.1 * (seed % 8), most=400, in_a_row=in_a_row)
        found = one.source(*tokens, bounds=bounds).activities(wanted)
        assert [line for activity, other in zip(found, true, strict=True) for line in silent(activity, other)] == []
        struck = sum(request.fault is not None for request in one.github.requests)
        one.github.clear_faults()
        one.github.advance(3600)
        assert tuple(one.source(*tokens, bounds=bounds).activities(wanted)) == true, "the next run completes it"
        before = len(one.github.requests)
        assert tuple(one.source(*tokens, bounds=bounds).activities(wanted)) == true
        assert one.asked_since(before) == 0, "and the one after that has nothing to ask"
        skipped = sum(len(activity.skipped) for activity in found) - sum(len(activity.skipped) for activity in true)
    return struck, skipped


@pytest.mark.parametrize("seed", range(12))
def test_faults_with_a_token_leave_no_silent_difference(seed: int) -> None:
    struck, _ = campaign(seed, 60, SMALL, (TOKEN,), in_a_row=2 if seed % 2 else 12)
    assert struck


@pytest.mark.parametrize("seed", range(4))
def test_faults_without_a_token_leave_no_silent_difference(seed: int) -> None:
    campaign(seed, 60, Bounds(), (), in_a_row=2 if seed % 2 else 12)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_sequences_over_four_hundred_items(seed: int) -> None:
    tokens = () if seed % 5 == 4 else (TOKEN,)
    bounds = SMALL if tokens and seed % 3 == 0 else Bounds()
    campaign(1000 + seed, 400, bounds, tokens, in_a_row=(2, 4, 12, 30)[seed % 4])

"""Random faults over a day of eight repositories: the data is that of a calm day, or what is missing is named."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from daybreak.collect.github.client import Bounds
from daybreak.collect.github.requests import Ask
from daybreak.core.model.items import Activity
from fake_github import Day
from fake_github.world import Snapshot
from github_scene import REPO, SMALL, TOKEN, Scene, built, scene

LISTS = {
    "issues": ("issues", "issues and pull requests", "reopened issues", "what closed or linked"),
    "pulls": ("pull requests", "issues and pull requests", "reopened issues", "pull requests of changes"),
    "releases": ("releases", "tags"),
    "not_pulls": ("pull requests of changes",),
    "brought": ("pull requests of changes",),
}
"""Part of an activity -> the lists that make it. An issue that a change names may come by a list, as well as alone."""
MADE_BY_LISTS = ("not_pulls", "brought")


@dataclass(frozen=True, slots=True)
class Way:
    """How a day is read."""

    items: int = 60
    bounds: Bounds = SMALL
    tokens: tuple[str, ...] = (TOKEN,)
    older: bool = False
    rest: bool = False

    def refuse(self, one: Scene) -> None:
        if self.rest:
            one.github.fault("graphql_error", times=None, message="Parse error", type=None)

    def read(self, one: Scene, wanted: list[Ask]) -> tuple[Activity, ...]:
        return tuple(one.source(*self.tokens, bounds=self.bounds).activities(wanted))


class Stages:
    """One server for each world, which begins again for each sequence: to build a world takes longer than to read it."""

    def __init__(self, closing: ExitStack) -> None:
        self._closing = closing
        self._built: dict[tuple[int, bool], tuple[Scene, list[Ask], Snapshot]] = {}
        self._calm: dict[Way, tuple[Activity, ...]] = {}

    def begin(self, way: Way) -> tuple[Scene, list[Ask]]:
        place = (way.items, way.older)
        if place not in self._built:
            one = self._closing.enter_context(scene())
            day, wanted = built(one, items=way.items)
            turn_often(one, day)
            one.github.advance(20 * 86400 * way.older)
            self._built[place] = (one, wanted, one.github.snapshot())
        one, wanted, snapshot = self._built[place]
        one.github.begin_again(snapshot)
        one.envelopes.kept.clear()
        way.refuse(one)
        return one, wanted

    def calm(self, way: Way) -> tuple[Activity, ...]:
        if way not in self._calm:
            self._calm[way] = way.read(*self.begin(way))
        return self._calm[way]


def turn_often(one: Scene, day: Day) -> None:
    """One issue has a timeline of several pages."""
    number, pull = day.truth[REPO].opened[0], day.truth[REPO].merged[0]
    for turn in range(130):
        at = day.until - timedelta(minutes=4, seconds=-turn)
        one.github.connect(REPO, number, pull, at=at, undo=bool(turn % 2))


@pytest.fixture(scope="module")
def stages() -> Iterator[Stages]:
    with ExitStack() as closing:
        yield Stages(closing)


def key(row: Any) -> Any:
    return getattr(row, "number", None) or getattr(row, "tag", None) or row


def named(found: Activity) -> tuple[set[str], set[str]]:
    """The whole lists that are said to be missing, and the single things of them."""
    lists: set[str] = set()
    single: set[str] = set()
    for skipped in found.skipped:
        for part in skipped.what.removeprefix(f"{found.repo} on GitHub: ").split(", "):
            words = re.sub(r" and \d+ more$", "", part)
            if words != part:
                single.add("more")
            name = re.sub(r" (#\d+|[0-9a-f]{9}|v[\d.]+)$", "", words)
            if name in {one for names in LISTS.values() for one in names}:
                if name == words:
                    lists.add(name)
                    continue
                words = words.removeprefix(f"{name} ")
            single.add(words)
    return lists, single


def spent(found: Activity, true: Activity) -> set[str]:
    """Lists for which a run without a token had no requests left, and a calm one had."""
    mine, theirs = (
        {name for one in each.left_out for name in one.what.rpartition("(")[2].rstrip(")").split(", ")}
        for each in (found, true)
    )
    names = mine - theirs
    return {list_ for list_ in ("issues", "pull requests", "releases") if any(name.startswith(list_) for name in names)}


def silent(found: Activity, true: Activity) -> list[str]:
    """What differs and is not named, list by list and item by item; and what never was."""
    lists, single = named(found)
    lists |= spent(found, true)
    wrong = []
    for part, names in LISTS.items():
        mine = {key(row): row for row in getattr(found, part)}
        theirs = {key(row): row for row in getattr(true, part)}
        if not set(mine) <= set(theirs):
            wrong.append(f"{found.repo} {part} invented {set(mine) - set(theirs)}")
        whole = part in MADE_BY_LISTS and bool(lists | single)
        for one, row in theirs.items():
            told = {f"#{one}", str(one), "more"} & single
            if mine.get(one) != row and not (whole or told or lists & set(names)):
                wrong.append(f"{found.repo} {part} {one}: {found.skipped}")
    return wrong


def campaign(stages: Stages, seed: int, way: Way, in_a_row: int) -> tuple[int, int]:
    """One sequence of faults, then a calm run that completes the day; how many faults struck, how much was skipped."""
    true = stages.calm(way)
    one, wanted = stages.begin(way)
    one.github.random_faults(seed, rate=0.15 + 0.1 * (seed % 8), most=400, in_a_row=in_a_row)
    found = way.read(one, wanted)
    assert [line for activity, other in zip(found, true, strict=True) for line in silent(activity, other)] == []
    struck = sum(request.fault is not None for request in one.github.requests)
    one.github.clear_faults()
    way.refuse(one)
    for _ in range(1 if way.tokens else 3):
        one.github.advance(3600)
        again = way.read(one, wanted)
    assert again == true, "the next run completes it"
    one.github.requests.clear()
    assert way.read(one, wanted) == true
    paths = {request.path for request in one.github.requests}
    assert paths == ({"/graphql"} if way.rest else set()), "the one after that asks nothing"
    assert one.github.complaints == []
    skipped = sum(len(activity.skipped) for activity in found) - sum(len(activity.skipped) for activity in true)
    return struck, skipped


@pytest.mark.parametrize("seed", range(6))
def test_faults_with_a_token_leave_no_silent_difference(stages: Stages, seed: int) -> None:
    struck, _ = campaign(stages, seed, Way(), in_a_row=2 if seed % 2 else 12)
    assert struck


@pytest.mark.parametrize("seed", range(3))
def test_faults_without_a_token_leave_no_silent_difference(stages: Stages, seed: int) -> None:
    campaign(stages, seed, Way(bounds=Bounds(), tokens=()), in_a_row=2 if seed % 2 else 12)


@pytest.mark.parametrize("seed", range(3))
def test_faults_over_an_older_day_leave_no_silent_difference(stages: Stages, seed: int) -> None:
    campaign(stages, seed, Way(older=True), in_a_row=2 if seed % 2 else 12)


@pytest.mark.parametrize("seed", range(3))
def test_faults_by_rest_leave_no_silent_difference(stages: Stages, seed: int) -> None:
    campaign(stages, seed, Way(bounds=Bounds(page=40), rest=True, older=seed > 1), in_a_row=2 if seed % 2 else 12)


WAYS = (
    Way(400, SMALL),
    Way(400, Bounds()),
    Way(400, Bounds(), older=True),
    Way(400, Bounds(page=40), rest=True),
    Way(400, Bounds(), ()),
    Way(400, Bounds()),
    Way(400, Bounds(page=40), rest=True, older=True),
)
BEGIN = int(os.environ.get("CAMPAIGN_SEED", "1000"))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_two_hundred_sequences_over_four_hundred_items(stages: Stages, seed: int) -> None:
    campaign(stages, BEGIN + seed, WAYS[seed % len(WAYS)], in_a_row=(2, 4, 12, 30)[seed % 4])

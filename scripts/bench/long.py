"""What is done once and is long: a month collected, a month's reports, and how that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

from scripts.bench import generated, peers
from scripts.bench.cost import Cost, task
from scripts.bench.daily import GIT, Place, beside_both, count, floors, log, span
from scripts.bench.table import MEMORY, Bar, Contender, Group

GROWTH = 2.1
"""Twice as much may take that many times as long."""


# --- a month ---------------------------------------------------------------------------------------------------------


def month_group(place: Place, days: Sequence[str], rounds: int) -> Group:
    """In one piece, which is what the floor does; and day by day with the fortnight before each, as a back-fill does."""
    given = {"config": place.config, "days": days}

    def daily() -> Cost:
        place.forget(".daybreak/mirrors/*/daybreak-recent")
        return task("collect", **given)()

    there = count(place.paths, days)
    gather = task("gather", **given, workers=2)
    bars = (*beside_both(1.3, "cpu"), peers.faster_than_pydriller(8), Bar(MEMORY, "MiB"))
    return Group(
        f"collect {days[0]}..{days[1]}, {', '.join(place.repos)}, {there} commits",
        "cpu",
        (
            *floors(place.paths, days),
            Contender("ours, 2 workers", gather, bars),
            Contender("ours, day by day", daily, (*beside_both(1.3, "cpu"), Bar(MEMORY, "MiB"))),
            *peers.both(place.paths, days),
        ),
        rounds,
        gather,
        commits=there,
    )


# --- a month's reports -----------------------------------------------------------------------------------------------


def after(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def backfill_group(place: Place, first: str, days: int, rounds: int) -> Group:
    span_of_run = ("--since", first, "--until", after(first, days))
    whole = (first, after(first, days - 1))
    there = count(place.paths, whole)

    def begin() -> Cost:
        place.forget_all()
        return place.run(*span_of_run)

    name = "ours, first"
    return Group(
        f"daybreak run, {days} days, {len(place.repos)} repositories, {there} commits",
        "cpu",
        (
            Contender(GIT, log(place.paths, "-p", *span(whole))),
            Contender(name, begin, (Bar(MEMORY, "MiB"),)),
            Contender(
                "ours, all days there",
                lambda: place.run(*span_of_run),
                (Bar(0.02, "cpu", over=name), Bar(0.02, "wall", over=name)),
            ),
            *peers.both(place.paths, whole),
        ),
        rounds,
        lambda: place.run("--date", first),
        commits=there,
    )


# --- growth ----------------------------------------------------------------------------------------------------------


def growth_groups(folder: Path, rounds: int) -> list[Group]:
    """Twice the commits, the repositories, the days; always beside half of it in the same round."""
    return [
        _growth("commits of a day", _days(folder, "c1", 4, 2, 160), _days(folder, "c2", 4, 2, 320), (4, 4), rounds),
        _growth("repositories", _days(folder, "r1", 4, 2, 160), _days(folder, "r2", 4, 4, 320), (4, 4), rounds),
        _growth("days", _days(folder, "d1", 16, 2, 320), _days(folder, "d2", 16, 2, 320), (8, 16), rounds),
    ]


FIRST = "2026-01-05"


def _days(folder: Path, name: str, days: int, repos: int, commits: int) -> Callable[[], Place]:
    """A place with generated repositories; a first report makes their mirrors."""

    def made() -> Place:
        root = folder / name
        generated.busy_days(root / "mirrors", FIRST, days, repos, commits)
        found = {path.parent.name.replace("+", "/"): path for path in sorted(root.glob("mirrors/*/repo"))}
        place = Place(root / "work", found)
        place.run("--date", FIRST)
        return place

    return made


def _growth(
    what: str, less: Callable[[], Place], more: Callable[[], Place], days: tuple[int, int], rounds: int
) -> Group:
    places: list[Place] = []

    def prepare() -> None:
        places.extend((less(), more()))

    def run(number: int) -> Cost:
        places[number].forget_all()
        return places[number].run("--since", FIRST, "--until", after(FIRST, days[number]))

    once, twice = "ours", "ours, twice as much"
    bars = (Bar(GROWTH, "cpu"), Bar(MEMORY, "MiB"))
    return Group(
        f"daybreak run, twice the {what}",
        "cpu",
        (Contender(once, lambda: run(0)), Contender(twice, lambda: run(1), bars)),
        rounds,
        prepare,
    )

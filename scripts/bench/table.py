"""Contenders in groups, measured in interleaved rounds, told as one table and as JSON."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from scripts.bench.cost import Contend, Cost, Left, less

Of = Literal["wall", "cpu"]
MEMORY = 200.0
"""MiB that ours may take, however much there is to do."""


@dataclass(frozen=True)
class Bar:
    """What was promised: a cost beside another contender's, in the same round, or a peak of memory."""

    limit: float
    of: Literal["wall", "cpu", "MiB"]
    over: str = ""
    """The other contender; the group's floor when empty."""
    times: bool = False
    """The other one takes at least that many times as long; else this one at most that part of it."""
    minus: str = ""
    """A contender that both contain."""
    real_only: bool = False
    """Says nothing about generated repositories."""


@dataclass(frozen=True)
class Contender:
    """Somebody who does the group's work; `ours` is held to the bars."""

    name: str
    run: Contend | Left
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Group:
    """Contenders that do the same work. The first one is the floor."""

    title: str
    of: Of
    contenders: tuple[Contender, ...]
    rounds: int = 3
    prepare: Callable[[], object] = field(default=lambda: None)
    commits: int = 0
    """That there are; whoever finds another number is told with it."""

    def __post_init__(self) -> None:
        names = [one.name for one in self.contenders]
        assert len(set(names)) == len(names)
        assert all(
            bar.over in ("", *names) and bar.minus in ("", *names) for one in self.contenders for bar in one.bars
        )

    @property
    def floor(self) -> str:
        return self.contenders[0].name


Costs = Mapping[str, Sequence[Cost]]
"""Contender -> its costs, a round each; those who took no part are not in it."""


@dataclass(frozen=True)
class Judged:
    """A bar with what was measured; `kept` is None where it cannot be said."""

    bar: Bar
    value: float
    kept: bool | None


@dataclass(frozen=True)
class Row:
    """One contender of a group after all rounds."""

    name: str
    left: str | None
    cost: Cost
    ratio: float
    """To the floor, in the group's measure; the median of the rounds."""
    judged: tuple[Judged, ...] = ()


def measure(group: Group) -> dict[str, list[Cost]]:
    """Every contender once a round: what disturbs the machine disturbs all of them."""
    group.prepare()
    taking_part = [(one.name, one.run) for one in group.contenders if not isinstance(one.run, Left)]
    found: dict[str, list[Cost]] = {name: [] for name, _ in taking_part}
    for _ in range(group.rounds):
        for name, run in taking_part:
            found[name].append(run())
    return found


def rows(group: Group, costs: Costs, real: bool) -> Iterator[Row]:
    for one in group.contenders:
        if isinstance(one.run, Left):
            yield Row(one.name, one.run.reason, Cost(0, 0, 0), 0.0)
            continue
        judged = tuple(
            Judged(bar, value, _kept(bar, value, real))
            for bar in one.bars
            if (value := value_of(bar, group, one.name, costs)) is not None
        )
        ratio = _median_ratio(costs[one.name], costs[group.floor], group.of)
        yield Row(one.name, None, _median(costs[one.name]), ratio, judged)


def value_of(bar: Bar, group: Group, name: str, costs: Costs) -> float | None:
    """What the bar is about; None when the other one took no part."""
    if bar.of == "MiB":
        return max(cost.peak for cost in costs[name])
    other = bar.over or group.floor
    if other not in costs:
        return None
    ours, theirs = costs[name], costs[other]
    if bar.minus:
        ours = [less(a, b) for a, b in zip(ours, costs[bar.minus], strict=True)]
        theirs = [less(a, b) for a, b in zip(theirs, costs[bar.minus], strict=True)]
    return _median_ratio(theirs, ours, bar.of) if bar.times else _median_ratio(ours, theirs, bar.of)


def _kept(bar: Bar, value: float, real: bool) -> bool | None:
    if bar.real_only and not real:
        return None
    return value >= bar.limit if bar.times else value <= bar.limit


def _median_ratio(costs: Sequence[Cost], others: Sequence[Cost], of: Of) -> float:
    pairs = zip(costs, others, strict=True)
    return statistics.median(a.wall / b.wall if of == "wall" else a.cpu / b.cpu for a, b in pairs)


def _median(costs: Sequence[Cost]) -> Cost:
    middle = statistics.median
    peak = max(c.peak for c in costs)
    return Cost(middle(c.wall for c in costs), middle(c.cpu for c in costs), peak, costs[0].count)


# --- as text ---------------------------------------------------------------------------------------------------------

HEAD = f"{'':34} {'wall s':>7} {'cpu s':>7} {'MiB':>4} {'ratio':>6}  bars"


def lines(group: Group, found: Sequence[Row]) -> Iterator[str]:
    """The group's part of the table: at most a hundred columns."""
    yield f"{group.title} · {group.of}"
    for row in found:
        name = f"  {row.name}"
        if row.left is not None:
            yield f"{name:34} {row.left}"
            continue
        cost = row.cost
        start = f"{name:34} {cost.wall:7.3f} {cost.cpu:7.3f} {cost.peak:4.0f} {row.ratio:6.2f}"
        words = [told(one, group) for one in row.judged]
        if group.commits and cost.count not in (0, group.commits):
            words.append(f"{cost.count} commits")
        yield f"{start}  {words[0]}" if words else start
        # What does not fit beside the numbers goes under them, in the same column.
        yield from (f"{'':62}  {more}" for more in words[1:])


def told(one: Judged, group: Group) -> str:
    """A bar in words: what it is about, the measured value, the limit, and how that ended."""
    bar = one.bar
    verdict = {True: "ok", False: "MISSED", None: "-"}[one.kept]
    if bar.of == "MiB":
        return f"{one.value:.0f} ≤ {bar.limit:.0f} MiB {verdict}"
    if bar.times:
        return f"{bar.over} {one.value:.1f} ≥ {bar.limit:g}× {verdict}"
    value = f"{one.value:.2f}" if bar.limit >= 0.1 else f"{one.value:.3f}"
    of = f" {bar.of}" if bar.of != group.of else ""
    short = bar.over.removeprefix("ours, ").removeprefix("git log -p ")
    other = f" of {short}" if bar.over not in ("", group.floor) else ""
    return f"{value} ≤ {bar.limit:g}{of}{other} {verdict}"


# --- as data ---------------------------------------------------------------------------------------------------------


def data(group: Group, costs: Costs, found: Sequence[Row]) -> dict[str, Any]:
    return {
        "group": group.title,
        "measure": group.of,
        "floor": group.floor,
        "contenders": [
            {
                "name": row.name,
                "left": row.left,
                "ratio": None if row.left is not None else row.ratio,
                "rounds": [vars(cost) for cost in costs.get(row.name, ())],
                "bars": [{**vars(one.bar), "value": one.value, "kept": one.kept} for one in row.judged],
            }
            for row in found
        ],
    }

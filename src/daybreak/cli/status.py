"""`daybreak status`: what ran, what is incomplete, what it cost."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any

from daybreak.cli.console import Voice, cut, harmless, padded, width, wrapped
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, UsageError
from daybreak.core.text import counted
from daybreak.store import SHOWN

if TYPE_CHECKING:
    from datetime import date

    from daybreak.store.status import DayTold, MessageTold, ModelTold, Overview, Problem, RunTold, StepTold

COLUMNS = 80
DAYS = 14
LONGEST = 3660
NAMED = 3
"""Things a day's line names; the others are counted."""
STEPS = 12


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak status` with its options."""
    parser = commands.add_parser(
        "status", parents=[common], allow_abbrev=False, help="what ran, what is incomplete, what it cost"
    )
    parser.add_argument("--last", metavar="N", default=str(DAYS), help="days to tell of (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="everything as JSON on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:  # noqa: ARG001  all commands are called alike
    """Look at the store, never wait for it, never make it; exit code 3 when something is to be looked at."""
    from daybreak.cli.common_options import printed
    from daybreak.core.config import environment, load, now
    from daybreak.store.status import overview

    days = _number(arguments.last)
    settings = load(_path(arguments.config), {}, environment())
    told = overview(settings, now(settings.environment), days)
    printed(_as_json(told) if arguments.json else "".join(f"{line}\n" for line in _lines(told, f"{settings.base}/")))
    return EXIT_LOOK if told.problems else EXIT_DONE


def _path(name: str) -> Any:
    from pathlib import Path

    return Path(name)


def _number(text: str) -> int:
    digits = text.removesuffix("d")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 6 and 1 <= int(digits) <= LONGEST):
        raise UsageError(f"--last {text!r} is not a number of days.", f"For example --last 30; at most {LONGEST}.")
    return int(digits)


def _as_json(told: Overview) -> str:
    """In ASCII: a terminal that shows it obeys nothing of what others wrote."""
    import json

    from daybreak.store.status import as_data

    return json.dumps(as_data(told), indent=2) + "\n"


# --- text ------------------------------------------------------------------------------------------------------------


def _lines(told: Overview, base: str = "") -> Iterator[str]:
    """Places below `base`, the folder of the config, are told from there on."""
    place = told.store.address.removeprefix(base)
    if not told.there:
        yield from _nothing(told, place)
        return
    yield from _head(told, place)
    if told.runs:
        yield from ("", "Runs")
        for one in told.runs:
            yield from _run(one, told.at)
    if told.first_report:
        yield from ("", f"Days ({told.timezone})")
        yield from _days(told)
    if told.steps:
        yield from ("", f"Steps of run {told.steps[0].run} that were not done")
        yield from _steps(told.steps)
    if told.messages:
        yield from ("", "Messages that did not get through")
        yield from _messages(told.messages)
    if told.costs:
        yield from ("", "Costs of all runs (of the last one)")
        for cost in told.costs:
            yield from _piece("  ", f"{cost.what}: {cost.amount:,.10g} {cost.unit} ({cost.last_run:,.10g})")
    yield from _mends(told)
    if told.problems:
        yield from ("", *_piece(f"Exit code {EXIT_LOOK}: ", "; ".join(_PROBLEMS[one] for one in told.problems) + "."))


_PROBLEMS: dict[Problem, str] = {
    "last-run-failed": "the last run failed or was killed",
    "days-missing": "days are missing",
    "days-incomplete": "days lack something",
    "store-damaged": "the store is damaged",
    "messages-not-sent": "messages of the newest day did not get through",
}


def _nothing(told: Overview, place: str) -> Iterator[str]:
    yield from _piece("", f"Nothing has run yet: there is no store at {place}.")
    if told.reports_outside:
        yield from _piece(
            "", f"The next run takes in what is in reports/: {counted(told.reports_outside, 'reported day')}."
        )


def _head(told: Overview, place: str) -> Iterator[str]:
    store = told.store
    known = f", schema {store.schema}, {_size(store.bytes)}" if store.schema else ""
    yield from _field("Store", f"{SHOWN[store.kind]}{known}: {place}")
    if store.damage:
        yield from _field("DAMAGED", f"{store.damage} Look with `daybreak doctor --store`.")
    yield from _field("Mirrors", _size(told.mirrors))
    kept = f"runs and steps are kept for {counted(told.retention_days, 'day')}, reports and facts for good"
    yield from _field("Retention", kept if told.retention_days else "everything is kept")
    if told.holder:
        since = told.holder.since.astimezone(told.at.tzinfo)
        yield from _field("Held by", f"process {told.holder.pid} on {told.holder.host}, since {since:%Y-%m-%d %H:%M}")
    yield from _field("Newest", _newest(told))


def _newest(told: Overview) -> str:
    if told.newest_report is None:
        return "no day was reported yet"
    if told.lag_days is None:
        return f"{told.newest_report}, which is not over"
    closed = _closed(told)
    after = f"; {told.newest_report} is reported and not over" if told.newest_report > closed else ""
    if any(day.day == closed and day.unknown for day in told.days):
        return f"{closed}, of which nothing is known: no repository could be had{after}"
    behind = f"{counted(told.lag_days, 'day')} behind yesterday" if told.lag_days else "which was yesterday"
    return f"{closed}, {behind}{after}"


def _closed(told: Overview) -> str:
    """The newest reported day that is over."""
    from datetime import timedelta

    return (told.at.date() - timedelta(days=1 + (told.lag_days or 0))).isoformat()


def _run(one: RunTold, at: datetime) -> Iterator[str]:
    """When, how long, what came of it, what it was."""
    began = one.started_at.astimezone(at.tzinfo)
    seconds = (at - one.started_at).total_seconds() if one.state == "running" else one.seconds
    took = "" if seconds is None else _time(max(seconds, 0.0))
    state = "was killed" if one.state == "killed" else one.state
    yield from _piece(f"  {began:%Y-%m-%d %H:%M}  {took:>8}  {state:<10}  ", one.command, 2)
    if one.reason:
        yield from _piece("      ", one.reason, 3)
    for model in one.models:
        yield from _piece("      ", _model(model), 3)
    for stage in one.stages:
        tokens = f"{stage.prompt_tokens:,} + {stage.completion_tokens:,} tokens"
        yield from _piece("      ", f"{stage.stage}: {counted(stage.requests, 'request')}, {tokens}", 1)


def _model(told: ModelTold) -> str:
    """What a run used a model for."""
    tokens = f"{told.prompt_tokens:,} + {told.completion_tokens:,} tokens"
    money = "" if told.money is None else f", {_money(told.money)} {told.currency}"
    asked = f"{counted(told.requests, 'request')}, {tokens}{money}, {counted(told.cache_hits, 'answer')} from the cache"
    return f"{told.model}: {asked}"


def _money(amount: float) -> str:
    """Cents, or what there is below them."""
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}"


def _days(told: Overview) -> Iterator[str]:
    """Neighbours of which the same is to be said share a line; a gap between two reported days is told, counted or not."""
    reported = [number for number, day in enumerate(told.days) if day.state != "before"]
    days = told.days[reported[0] : reported[-1] + 1] if reported else []
    for (state, _), group in groupby(days, key=lambda day: (day.state, day.skipped and day.day)):
        some = list(group)
        span = some[0].day if len(some) == 1 else f"{some[0].day} to {some[-1].day}"
        many = f" ({len(some)} days)" if len(some) > 1 else ""
        if state == "skipped":
            yield from _skipped(some[0])
        else:
            yield f"  {span:<24}  {_STATES[state]}{many}"
    before = f"before the last {counted(len(told.days), 'day')}"
    if told.older:
        span = told.older[0] if len(told.older) == 1 else f"{told.older[0]} to {told.older[-1]}"
        yield from _piece("  ", f"{before}: {counted(len(told.older), 'day')} reported, {span}")
    shown = {day.day for day in days}
    older = [day for day in (*told.missing, *told.incomplete, *told.damaged) if day not in shown]
    if older:
        yield from _piece("  ", f"{before}: {counted(len(older), 'day')} missing or not whole, since {min(older)}")
    if told.lag_days and not told.missing:
        yield f"  {_closed(told)} stands alone; days after it do not count as missing"
    elif not days and not told.older:
        yield "  no day before today is reported"


_STATES = {
    "whole": "whole",
    "open": "reported before it was over",
    "missing": "MISSING",
    "before": "no report; so long a gap is not MISSING",
    "damaged": "DAMAGED: its report cannot be read",
}


def _skipped(day: DayTold) -> Iterator[str]:
    yield f"  {day.day:<24}  {len(day.skipped)} skipped"
    for one in day.skipped[:NAMED]:
        yield from _piece("      ", f"{one.what}: {one.reason}", 2)
    if len(day.skipped) > NAMED:
        yield f"      and {len(day.skipped) - NAMED} more"


def _steps(steps: Sequence[StepTold]) -> Iterator[str]:
    for step in steps[:STEPS]:
        told = f"{step.repo or 'the day'}, {step.day}, {step.stage}: {step.outcome}"
        yield from _piece("  ", f"{told}: {step.reason}" if step.reason else told, 3)
    if len(steps) > STEPS:
        yield f"  and {len(steps) - STEPS} more"


def _messages(messages: Sequence[MessageTold]) -> Iterator[str]:
    states = {
        "planned": "to be tried again",
        "sending": "being sent",
        "failed": "given up",
        "unsure": "may have arrived",
    }
    for one in messages[-STEPS:]:
        reason = f": {one.reason}" if one.reason else ""
        yield from _piece("  ", f"{one.day} {one.target}, {one.event}: {states.get(one.state, one.state)}{reason}")
    if len(messages) > STEPS:
        yield f"  and {len(messages) - STEPS} older ones"


def _mends(told: Overview) -> Iterator[str]:
    """What to do, in the last line, where it is seen."""
    from datetime import date

    from daybreak.store.status import ALONE

    wrong = sorted(map(date.fromisoformat, (*told.missing, *told.incomplete)))
    spans = list[list[date]]()
    for day in wrong:
        if spans and (day - spans[-1][-1]).days == 1:
            spans[-1].append(day)
        else:
            spans.append([day])
    if wrong:
        yield from ("", f"To complete {counted(len(wrong), 'day')}: daybreak run {_asked(spans[0])}")
        yield from (f"  and: daybreak run {_asked(span)}" for span in spans[1:SPANS])
        if len(spans) > SPANS:
            yield f"(and {counted(len(spans) - SPANS, 'more span')})"
    if told.lag_days and (not wrong or told.lag_days > ALONE):
        yield from ("", "To go on with yesterday alone: daybreak run")


SPANS = 3
"""Of days that are to be completed, so many are shown with their command."""


def _asked(days: Sequence[date]) -> str:
    """The options of `run` that ask for these days, which follow one another."""
    from datetime import timedelta

    return f"--date {days[0]}" if len(days) == 1 else f"--since {days[0]} --until {days[-1] + timedelta(days=1)}"


# --- pieces ----------------------------------------------------------------------------------------------------------


def _field(name: str, text: str) -> Iterator[str]:
    return _piece(f"{name:<10} ", text)


def _piece(begin: str, text: str, most: int = 4) -> Iterator[str]:
    """Text behind a beginning, in as many lines as it needs."""
    begin = cut(harmless(begin), COLUMNS // 2 + 10)
    for number, line in enumerate(wrapped(text, COLUMNS - width(begin), most)):
        yield (begin + line if number == 0 else padded("", width(begin)) + line).rstrip()


def _size(number: int) -> str:
    size = float(number)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds) // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02}"

"""Metrics in the text form of Prometheus, made from one look at the store; the only file that knows its client."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from daybreak import __version__
from daybreak.serve.web.facts import Facts
from daybreak.serve.web.worker import Status

CONTENT_TYPE = CONTENT_TYPE_LATEST
OUTCOMES = ("done", "skipped", "failed")


def exposition(facts: Facts, status: Status | None) -> bytes:
    """The whole page; `status`: None without a schedule."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(_Made((*_of_service(facts, status), *_of_reports(facts), *_of_runs(facts))))
    return generate_latest(registry)


class _Made(Collector):
    """Metrics that are made already."""

    def __init__(self, made: Iterable[Metric]) -> None:
        self._made = tuple(made)

    def collect(self) -> Iterable[Metric]:
        return self._made


def _of_service(facts: Facts, status: Status | None) -> Iterator[Metric]:
    yield _labelled("daybreak_build_info", "Version of the service.", {"version": {__version__: 1.0}})
    yield _gauge("daybreak_store_up", "1 when the store answers.", facts.fault is None)
    yield _gauge("daybreak_schedule_enabled", "1 when this service runs the daily job.", status is not None)
    running = facts.holder is not None or (status is not None and status.task is not None)
    yield _gauge("daybreak_run_in_progress", "1 while a run works with the store, started here or elsewhere.", running)
    if status is None:
        return
    yield _moment("daybreak_next_run_timestamp_seconds", "When the next day is due.", status.next_at)
    yield _gauge("daybreak_days_without_report", "Days that are due and have no report.", len(status.waiting))
    yield _gauge("daybreak_days_failing", "Days whose last run failed.", len(status.failures))


def _of_reports(facts: Facts) -> Iterator[Metric]:
    newest = facts.newest
    yield _gauge("daybreak_reports_stored", "Reports in the store.", None if facts.fault else facts.reports)
    yield _gauge("daybreak_report_skipped", "What the newest report skipped.", newest.skipped if newest else None)
    yield _moment(
        "daybreak_newest_report_timestamp_seconds", "End of the newest report.", newest.until if newest else None
    )
    whole = facts.whole_until
    lag = None if whole is None else (facts.at - whole).total_seconds()
    yield _gauge("daybreak_lag_seconds", "Time since the end of the newest report that lacks nothing.", lag)


def _of_runs(facts: Facts) -> Iterator[Metric]:
    success = "When the newest run that did not fail ended."
    yield _moment("daybreak_last_success_timestamp_seconds", success, facts.success)
    run = facts.run
    if run is not None:
        yield _moment("daybreak_last_run_timestamp_seconds", "When the newest run began.", run.started_at)
        yield _gauge("daybreak_last_run_duration_seconds", "How long the newest run that ended took.", run.seconds)
        ended = run.outcome or ("running" if facts.holder else "killed")
        known = {outcome: float(outcome == ended) for outcome in (*OUTCOMES, "running", "killed")}
        yield _labelled("daybreak_last_run_outcome", "1 for how the newest run ended.", {"outcome": known})
        steps = {outcome: float(facts.steps.get(outcome, 0)) for outcome in OUTCOMES}
        yield _labelled("daybreak_last_run_steps", "Steps of the newest run by how they ended.", {"outcome": steps})
    costs = CounterMetricFamily("daybreak_cost", "What all runs used, by what and unit.", labels=("what", "unit"))
    for (what, unit), amount in sorted(facts.costs.items()):
        costs.add_metric((what, unit), amount)
    yield costs


def _gauge(name: str, what: str, value: float | None) -> Metric:
    """A number; without one there is the name and no sample."""
    return GaugeMetricFamily(name, what, value=None if value is None else float(value))


def _moment(name: str, what: str, value: datetime | None) -> Metric:
    return _gauge(name, what, value.timestamp() if value else None)


def _labelled(name: str, what: str, values: Mapping[str, Mapping[str, float]]) -> Metric:
    """One label with its values."""
    label, samples = next(iter(values.items()))
    family = GaugeMetricFamily(name, what, labels=(label,))
    for word, value in samples.items():
        family.add_metric((word,), value)
    return family

"""Health: the reasons why somebody should look, in words that hold nothing secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from daybreak.serve.web.facts import Facts
from daybreak.serve.web.worker import Status, ending

OVERDUE = 3600.0
"""Seconds a day may stay without a report while nothing is done about it."""
STUCK = 6 * 3600.0
"""Seconds after which a run ought to be done."""


def reasons(facts: Facts, status: Status | None, steady: float) -> Iterator[str]:
    """What is not as it should be; `status`: None without a schedule."""
    if facts.fault is not None:
        yield facts.fault
    if status is None:
        return
    for label, failure in sorted(status.failures.items()):
        yield f"The run for {label} failed (tries: {failure.times}, last with {ending(failure.code)}); the log says why."
    if status.task is not None:
        if steady - status.since > STUCK:
            yield f"The run for {status.task.label} has been going on for {_hours(steady - status.since)} hours."
        return
    late = {label: since for label, since in status.waiting.items() if steady - since > OVERDUE}
    for label, since in sorted(late.items()):
        if label not in status.failures:
            yield f"{label} has been due for {_hours(steady - since)} hours. {status.blocked or ''}".rstrip()


def as_data(facts: Facts, status: Status | None, steady: float) -> tuple[bool, dict[str, Any]]:
    """Whether all is well, and the answer of `/healthz`."""
    found = list(reasons(facts, status, steady))
    newest = facts.newest
    data: dict[str, Any] = {
        "status": "failing" if found else "ok",
        "reasons": found,
        "newest_report": {"day": newest.label, "skipped": newest.skipped} if newest else None,
        "schedule": None if status is None else _schedule(status),
    }
    return not found, data


def _schedule(status: Status) -> dict[str, Any]:
    return {
        "running": status.task.label if status.task else None,
        "next_run": status.next_at.isoformat() if status.next_at else None,
        "without_report": sorted(status.waiting),
    }


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f}"

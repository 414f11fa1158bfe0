"""Tool `symbol_history`: what became of a name, from mirrors on disk, or from reported days where there is none."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from daybreak.core.errors import GitError
from daybreak.core.model.day import Commit, Finding
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.changes import fact_row, tracer_of
from daybreak.serve.mcp.context import MOST_DAYS, Desk, day_of, days_before
from daybreak.serve.mcp.days import Room, start_of
from daybreak.serve.mcp.rows import address, finding_row, plain_word, quoted, visible

if TYPE_CHECKING:
    from daybreak.core.model.changes import Repo
    from daybreak.upgrade.name_history import Event, Trace

LONGEST = 40.0
"""Seconds after which no further mirror is begun; those that are left are named. Clients wait for about a minute."""
BACK = 182
"""Days that are looked through when nobody says how many."""
_PRESENT = 5


def symbol_history(
    desk: Desk,
    name: str,
    repo: str | None = None,
    since: str | None = None,
    limit: int = 30,
    cursor: str | None = None,
) -> answers.History:
    """In one repository or in all of the watchlist; over the last half year, if no day is named."""
    from daybreak.upgrade.name_history.names import check

    name = name.strip()
    check(name)
    wanted, start = desk.repo(repo), start_of(cursor)[1]
    first = _first(desk, since)
    repos = [one for one in desk.settings.repos() if wanted in (None, one.name)]
    if len(repos) > 1:
        known = _told_in(desk, name, first)
        repos.sort(key=lambda one: one.name not in known)  # where reports know of it first
    begun, room = time.monotonic(), Room()
    answer: answers.History = {"name": name, "found": [], "nothing_in": [], "not_searched": [], "omitted": {}}
    with desk.alone():
        for one in repos:
            if time.monotonic() - begun > LONGEST:
                reason = f"{LONGEST:.0f} s had passed; ask with `repo`"
                answer["not_searched"].append({"untrusted": {"what": one.name, "reason": reason}})
                continue
            row = _in_mirror(desk, one, name, first, room, limit, start)
            row = row or _in_reports(desk, one, name, first, room, limit, start)
            if row["events"] or row.get("present"):
                answer["found"].append(row)
            else:
                answer["nothing_in"].append(one.name)
    answer["omitted"] = room.omitted
    return answer


def _first(desk: Desk, since: str | None) -> datetime | None:
    """The moment from which on; None: all of it. Without a day, half a year before the newest report."""
    from daybreak.core.config import now

    if since == "all":
        return None
    day = day_of(since, "since")
    if day is None:
        labels = desk.archive.labels()
        today = now(desk.settings.environment).astimezone(UTC).date().isoformat()
        day = days_before(labels[-1] if labels else today, BACK)
    return datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)


# --- from a mirror ---------------------------------------------------------------------------------------------------


def _in_mirror(
    desk: Desk, repo: Repo, name: str, first: datetime | None, room: Room, limit: int, start: int
) -> dict[str, Any] | None:
    """None when there is no mirror that can be read."""
    try:
        trace = tracer_of(desk, repo).trace(name, first, lambda _: None)
    except GitError:
        return None
    events = list(reversed(trace.events))
    row: dict[str, Any] = {
        "repo": repo.name,
        "source": "mirror",
        "commits_searched": trace.searched,
        "events": room.fill("events", events, lambda event: _event_row(event, repo, desk.settings.zone), limit, start),
        "state": _state(trace),
        "present": [{"untrusted": {"at": visible(place, 200)}} for place in trace.here[:_PRESENT]],
        "present_in_all": len(trace.here),
        "untrusted": quoted(300, names=" → ".join(trace.names)),
    }
    if trace.skipped:
        row["skipped"] = [{"untrusted": quoted(300, what=s.what, reason=s.reason)} for s in trace.skipped[:5]]
        row["skipped_in_all"] = len(trace.skipped)
    return row


def _state(trace: Trace) -> str:
    """Whether the name stands in the newest commit."""
    if trace.gone is not None:
        return "gone"
    return "present" if trace.here else "not there"


def _event_row(event: Event, repo: Repo, zone: tzinfo) -> dict[str, Any]:
    row: dict[str, Any] = {
        "date": event.change.committed_at.astimezone(zone).date().isoformat(),
        "sha": event.change.sha[:12],
        "url": address(f"{repo.url}/commit/{event.change.sha}"),
        **fact_row(event.finding),
        "release": plain_word(event.release) or "unreleased",
    }
    if event.change.pr:
        row["pr"] = event.change.pr
    row["untrusted"] = row["untrusted"] | quoted(160, subject=event.change.subject)
    return row


# --- from reported days ----------------------------------------------------------------------------------------------


def _in_reports(
    desk: Desk, repo: Repo, name: str, first: datetime | None, room: Room, limit: int, start: int
) -> dict[str, Any]:
    """What the findings of stored days say; days without a report are not seen, and that is said by `source`."""
    labels = _labels(desk, first)
    found: list[dict[str, Any]] = []
    for day in desk.days(labels):
        for told, commit in day.changes():
            for finding in _about(commit, name) if told.name == repo.name else ():
                row: dict[str, Any] = {"date": day.label, "sha": commit.sha[:12], "url": address(commit.url)}
                row |= dict(finding_row(finding))
                row["untrusted"] = row["untrusted"] | quoted(160, subject=commit.subject)
                found.append(row)
    return {
        "repo": repo.name,
        "source": "reports",
        "days_searched": min(len(labels), MOST_DAYS),
        "events": room.fill("events", found, lambda row: row, limit, start),
    }


def _labels(desk: Desk, first: datetime | None) -> list[str]:
    return desk.labels(first.date().isoformat() if first else None)


def _about(commit: Commit, name: str) -> list[Finding]:
    """Findings about the name, before or after."""
    from daybreak.upgrade.name_history.names import is_symbol

    return [
        finding
        for finding in commit.findings
        if any(is_symbol(side, name) for side in (finding.symbol, finding.before or "", finding.after or ""))
    ]


def _told_in(desk: Desk, name: str, first: datetime | None) -> set[str]:
    """Repositories whose reported findings know the name."""
    days = desk.days(_labels(desk, first))
    return {repo.name for day in days for repo, commit in day.changes() if _about(commit, name)}

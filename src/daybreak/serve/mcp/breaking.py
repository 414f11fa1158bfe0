"""Tool `list_breaking`: what breaks existing use, over reported days or between two refs of a repository."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Commit, Day, RepoDay, in_language
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.changes import fact_row
from daybreak.serve.mcp.context import MOST_DAYS, Desk, days_before
from daybreak.serve.mcp.days import Room, start_of
from daybreak.serve.mcp.rows import address, change_row, finding_row, plain_word, quoted, shas, without_nothing

if TYPE_CHECKING:
    from daybreak.core.model.changes import Repo
    from daybreak.core.model.upgrade import Net, RangeReport

LONGEST = 45.0
"""Seconds that reading a range may take; what was read is kept, so that asking again goes on from there."""
_FINDINGS = 4
_RANGE = re.compile(r"[A-Za-z0-9][\w./+-]{0,199}\.\.[A-Za-z0-9][\w./+-]{0,199}")


def list_breaking(
    desk: Desk,
    since: str | None = None,
    until: str | None = None,
    repo: str | None = None,
    range: str | None = None,  # noqa: A002  # the word that users know from `daybreak range`
    language: str | None = None,
    limit: int = 12,
    cursor: str | None = None,
) -> answers.Breaking:
    """Of days (the last week, if none are named), or of a range `A..B`."""
    if range is not None:
        if since or until:
            raise UsageError("A range and days exclude each other.", "Leave `since` and `until` out.")
        return _of_range(desk, repo, range, desk.language(language), limit, start_of(cursor)[1])
    labels = desk.labels()
    if not labels:
        raise DaybreakError(
            "There is no reported day yet.", "Make one with `daybreak run`, or give `range` and `repo`."
        )
    first = since or (days_before(until or labels[0], 6))
    chosen = desk.labels(first, until)
    return _of_days(desk, chosen, desk.repo(repo), desk.language(language), limit, start_of(cursor)[1])


# --- days ------------------------------------------------------------------------------------------------------------


def _of_days(
    desk: Desk, labels: list[str], wanted: str | None, language: str, limit: int, start: int
) -> answers.Breaking:
    found: list[tuple[Day, RepoDay, Commit]] = [
        (day, repo, commit)
        for day in desk.days(labels)
        for repo, commit in day.changes()
        if commit.breaking and wanted in (None, repo.name)
    ]
    room = Room()
    rows = room.fill("changes", found, lambda one: _row(*one, language), limit, start)
    answer: answers.Breaking = {
        "source": "reports",
        "days": len(labels[:MOST_DAYS]),
        "total": len(found),
        "changes": rows,
        "skipped": [{"untrusted": {"reason": f"{len(labels) - MOST_DAYS} older days were not looked at"}}]
        if len(labels) > MOST_DAYS
        else [],
        "omitted": room.omitted,
    }
    if labels:
        answer |= {"since": labels[-1], "until": labels[0]}
    return answer


def _row(day: Day, repo: RepoDay, commit: Commit, language: str) -> dict[str, Any]:
    """The change, what breaks in it, and what to do."""
    row: dict[str, Any] = dict(change_row(repo, commit, language, day.label))
    breaks = [finding for finding in commit.findings if finding.breaking] or list(commit.findings)
    action = next((in_language(a.about(commit.sha), language) for a in day.actions if commit.sha in a.commits), None)
    if action is None:
        action = next((in_language(s.text, language) for s in commit.statements if s.role == "action"), None)
    if action is not None and (breaks or len(action) > 80):
        row["untrusted"].pop("what", None)  # the findings and what to do say it
    row["untrusted"].pop("author", None)
    row["untrusted"] |= quoted(400, to_do=action) | quoted(80, released=commit.released)
    row["breaks"] = [finding_row(finding, 120) for finding in breaks[:_FINDINGS]]
    row = without_nothing(row)
    if len(breaks) > _FINDINGS:
        row["breaks_omitted"] = len(breaks) - _FINDINGS
    return row


# --- a range ---------------------------------------------------------------------------------------------------------


def _of_range(desk: Desk, repo: str | None, text: str, language: str, limit: int, start: int) -> answers.Breaking:
    name = desk.repo(repo)
    if name is None:
        raise UsageError("A range needs its repository.", f"Give `repo`, one of {', '.join(desk.names()[:20])}.")
    if not _RANGE.fullmatch(text.strip()):
        raise UsageError(f"{text[:80]!r} is no range.", "Write it as v0.1.0..v0.2.0; `latest` is the newest release.")
    where = next(one for one in desk.settings.repos() if one.name == name)
    report = _report(desk, where, text.strip())
    nets = [net for net in report.nets if net.finding.breaking]
    room = Room()
    rows = room.fill("nets", nets, lambda net: _net_row(net, where, language), limit, start)
    skipped = (*report.skipped, *report.span.skipped)
    told: list[answers.Missing] = [{"untrusted": quoted(300, what=s.what, reason=s.reason)} for s in skipped[:5]]
    if len(skipped) > len(told):
        told.append({"untrusted": {"reason": f"and {len(skipped) - len(told)} more, named by `daybreak range`"}})
    return {
        "source": "range",
        "repo": name,
        "range": _span_row(report),
        "total": len(nets),
        "nets": rows,
        "skipped": told,
        "omitted": room.omitted,
    }


def _report(desk: Desk, repo: Repo, text: str) -> RangeReport:
    """Read from the mirror as it is on disk."""
    from daybreak.upgrade.range import Job, range_report

    settings, end = desk.settings, time.monotonic() + LONGEST
    read = 0

    def done(count: int) -> None:
        nonlocal read
        read += count
        if time.monotonic() > end:
            raise DaybreakError(
                f"The range is long: {read} commits were read in {LONGEST:.0f} s, and more are left.",
                "Ask again to go on from there, or run `daybreak range` once.",
            )

    wanted, workers = settings.config.reader, settings.workers
    job = Job(repo, settings.state, settings.environment, settings.languages, wanted, True, workers, done)
    with desk.alone():
        return range_report(job, text, lambda _: None, broken=False)


def _span_row(report: RangeReport) -> dict[str, Any]:
    span = report.span
    return {
        "start": {"sha": span.start.sha[:12], "committed_at": span.start.committed_at.isoformat()},
        "end": {"sha": span.end.sha[:12], "committed_at": span.end.committed_at.isoformat()},
        "commits": len(span.gained),
        "left_behind": len(report.left_behind),
        "untrusted": quoted(100, start=span.start.name, end=span.end.name),
    }


def _net_row(net: Net, repo: Repo, language: str) -> dict[str, Any]:
    """What holds over the whole range, with the change that decided it."""
    row: dict[str, Any] = dict(fact_row(net.finding))
    who, how = (text.get(language) if text else None for text in (net.who, net.how))
    row["untrusted"] = row["untrusted"] | quoted(400, text=net.text.get(language), who=who, how=how)
    if net.commits:
        row |= {"commits": shas(net.commits, 4), "url": address(f"{repo.url}/commit/{net.commits[-1]}")}
    if since := plain_word(net.since):
        row["since"] = since
    return row

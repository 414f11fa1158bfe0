"""Tools `list_breaking`, `findings` and `symbol_history`: what breaks existing use, facts, and what became of a name."""

from __future__ import annotations

import difflib
import re
import time
from datetime import UTC, date, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from daybreak.core.errors import DaybreakError, GitError, UsageError
from daybreak.core.model.day import Commit, Day, Finding, RepoDay, in_language
from daybreak.core.model.statements import Mark
from daybreak.findings.kinds import kind_of, kinds
from daybreak.judge.breaking import mark_of
from daybreak.judge.day_value import reader_finding
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.changes import fact_row, tracer_of
from daybreak.serve.mcp.context import (
    MOST_DAYS,
    Desk,
    address,
    change_row,
    day_of,
    days_before,
    finding_row,
    plain_word,
    quoted,
    shas,
    visible,
    without_nothing,
)
from daybreak.serve.mcp.days import Room, start_of

if TYPE_CHECKING:
    from daybreak.core.model.changes import Repo
    from daybreak.core.model.upgrade import Net, RangeReport
    from daybreak.upgrade.name_history import Event, Trace


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
    mark: str = "breaks",
    language: str | None = None,
    limit: int = 25,
    cursor: str | None = None,
) -> answers.Breaking:
    """Of days (the last week, if none are named), or of a range `A..B`."""
    if range is not None:
        if since or until:
            raise UsageError("A range and days exclude each other.", "Leave `since` and `until` out.")
        return _of_range(desk, repo, range, MARKS[mark], desk.language(language), limit, start_of(cursor)[1])
    labels = desk.labels()
    if not labels:
        raise DaybreakError(
            "There is no reported day yet.", "Make one with `daybreak run`, or give `range` and `repo`."
        )
    first = since or (days_before(until or labels[0], 6))
    chosen = desk.labels(first, until)
    return _of_days(desk, chosen, desk.repo(repo), MARKS[mark], desk.language(language), limit, start_of(cursor)[1])


# --- days ------------------------------------------------------------------------------------------------------------


def _of_days(
    desk: Desk, labels: list[str], wanted: str | None, mark: Mark, language: str, limit: int, start: int
) -> answers.Breaking:
    found: list[tuple[Day, RepoDay, Commit]] = [
        (day, repo, commit)
        for day in desk.days(labels)
        for repo, commit in day.changes()
        if wanted in (None, repo.name) and (_is_marked(commit, mark) or any(_has(one, mark) for one in commit.findings))
    ]
    if mark == "breaks_internals":  # what plug-ins implement, and first screens, before what only forks reach into
        found.sort(
            key=lambda one: (
                not (_on_first_screen(*one) or any(map(_is_held_by_plugins, one[2].findings))),
                -one[2].importance.score,
            )
        )
    room = Room()
    rows = room.fill("changes", found, lambda one: _row(*one, mark, language), limit, start)
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


def _on_first_screen(day: Day, _: RepoDay, commit: Commit) -> bool:
    return any(commit.sha in one.commits for one in day.actions)


def _is_marked(commit: Commit, mark: Mark) -> bool:
    return mark in commit.marks or (mark == "breaks" and commit.breaking)


def _has(finding: Finding, mark: Mark) -> bool:
    """Whoever implements an extension point meets its new form, also where callers of ours do not break by it."""
    return mark_of(reader_finding(finding)) == mark or (mark == "breaks_internals" and _is_contract(finding))


def _is_contract(finding: Finding) -> bool:
    """Of what plug-ins implement: a method that is called otherwise, or no more; one more method asks nothing."""
    kind = kind_of(finding.kind)
    return kind.family.startswith("extension") and kind.change != "added"


def _is_held_by_plugins(finding: Finding) -> bool:
    """What they implement, or a class that they may derive from and that is gone."""
    kind = kind_of(finding.kind)
    return _is_contract(finding) or (kind.family, kind.change) == ("class", "removed")


def _shown_of(day: Day, commit: Commit, mark: Mark) -> list[Finding]:
    """Findings with the mark: extension points first, then what the first screen names, then the others."""
    named = {name for action in (*day.actions, *day.also) for name in action.findings}
    found = [one for one in commit.findings if _has(one, mark)]
    return sorted(found, key=lambda one: (not _is_contract(one), not _is_held_by_plugins(one), one.id not in named))


def _row(day: Day, repo: RepoDay, commit: Commit, mark: Mark, language: str) -> dict[str, Any]:
    """The change, what has the mark in it, and what to do."""
    row: dict[str, Any] = dict(change_row(repo, commit, language, day.label))
    breaks = _shown_of(day, commit, mark)
    action = next((in_language(a.text, language) for a in day.actions if commit.sha in a.commits), None)
    if action is None:
        action = next((in_language(s.text, language) for s in commit.statements if s.role == "action"), None)
    if action is not None and (breaks or len(action) > 80):
        row["untrusted"].pop("what", None)  # the findings and what to do say it
    row["untrusted"].pop("author", None)
    row["untrusted"] |= quoted(400, to_do=action) | quoted(80, released=commit.released)
    row["breaks"] = [finding_row(finding, 120) for finding in breaks[:_FINDINGS]]
    if not breaks:  # its author says so, and no finding shows it
        row["facts"] = [finding_row(finding, 120) for finding in commit.findings[:_FINDINGS]]
    row = without_nothing(row)
    if len(breaks) > _FINDINGS:
        row["breaks_omitted"] = len(breaks) - _FINDINGS
    return row


# --- Tool `findings`: facts of reported days by kind, symbol and mark ---

MARKS: dict[str, Mark] = {"breaks": "breaks", "deprecates": "deprecates", "internals": "breaks_internals"}
"""As they are asked for -> as reports have them."""


def findings(
    desk: Desk,
    kind: str | None = None,
    symbol: str | None = None,
    repo: str | None = None,
    since: str | None = None,
    until: str | None = None,
    mark: str | None = None,
    limit: int = 30,
    cursor: str | None = None,
) -> answers.Facts:
    """Newest day first; of the last 30 days, if none is named."""
    known = {name for name, one in kinds().items() if kind in (None, name, one.surface)}
    if not known:
        surfaces = sorted({one.surface for one in kinds().values()})
        near = difflib.get_close_matches(kind or "", [*kinds(), *surfaces], n=1)
        tip = f"Did you mean {near[0]}?" if near else f"Give a kind, or a surface: {', '.join(surfaces)}."
        raise UsageError(f"{(kind or '')[:60]!r} is no kind of finding.", tip)
    wanted, marked = desk.repo(repo), MARKS[mark] if mark else None
    newest = desk.labels()
    labels = desk.labels(since or (days_before(until or newest[0], 29) if newest else None), until)
    found = [
        (day, part, commit, one)
        for day in desk.days(labels)
        for part, commit in day.changes()
        if wanted in (None, part.name)
        for one in commit.findings
        if one.kind in known
        and (symbol is None or is_part(one.symbol, symbol))
        and (marked is None or _has(one, marked))
    ]
    room = Room()
    rows = room.fill("findings", found, lambda one: _fact(*one), limit, start_of(cursor)[1])
    return {"days": len(labels[:MOST_DAYS]), "total": len(found), "findings": rows, "omitted": room.omitted}


def is_part(symbol: str, asked: str) -> bool:
    """The symbol as it is written, or one of its parts: `AttentionBackend` has its methods."""
    symbol, asked = symbol.lower(), asked.strip().lower()
    return symbol == asked or asked in re.split(r"[.:(/]+", symbol.rstrip(")"))


def _fact(day: Day, repo: RepoDay, commit: Commit, finding: Finding) -> dict[str, Any]:
    row: dict[str, Any] = dict(finding_row(finding, 160))
    row |= {"date": day.label, "repo": repo.name, "sha": commit.sha[:12], "url": address(commit.url)}
    mark = mark_of(reader_finding(finding)) or ("breaks_internals" if _is_contract(finding) else None)
    if mark:
        row["mark"] = mark.removeprefix("breaks_")
    row["untrusted"] |= quoted(200, subject=commit.subject, released=commit.released)
    return row


# --- a range ---------------------------------------------------------------------------------------------------------


def _of_range(
    desk: Desk, repo: str | None, text: str, mark: Mark, language: str, limit: int, start: int
) -> answers.Breaking:
    name = desk.repo(repo)
    if name is None:
        raise UsageError("A range needs its repository.", f"Give `repo`, one of {', '.join(desk.names()[:20])}.")
    if not _RANGE.fullmatch(text.strip()):
        raise UsageError(f"{text[:80]!r} is no range.", "Write it as v0.1.0..v0.2.0; `latest` is the newest release.")
    where = next(one for one in desk.settings.repos() if one.name == name)
    report = _report(desk, where, text.strip())
    nets = [net for net in report.nets if mark_of(net.finding) == mark and not net.finding.inner]
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


# --- Tool `symbol_history`: what became of a name, from mirrors on disk, or from reported days where there is none ---

LONGEST_NAME = 40.0
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
    from daybreak.upgrade.name_history import check

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
            if time.monotonic() - begun > LONGEST_NAME:
                reason = f"{LONGEST_NAME:.0f} s had passed; ask with `repo`"
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
    from daybreak.upgrade.name_history import is_symbol

    return [
        finding
        for finding in commit.findings
        if any(is_symbol(side, name) for side in (finding.symbol, finding.before or "", finding.after or ""))
    ]


def _told_in(desk: Desk, name: str, first: datetime | None) -> set[str]:
    """Repositories whose reported findings know the name."""
    days = desk.days(_labels(desk, first))
    return {repo.name for day in days for repo, commit in day.changes() if _about(commit, name)}

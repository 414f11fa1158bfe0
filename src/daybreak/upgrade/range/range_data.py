"""The upgrade report as data, `reports/range/OWNER-NAME-A..B.json`: what other programs read."""

from __future__ import annotations

from typing import Any

from daybreak.core.day_json import encoded, fields_of
from daybreak.core.model.report import Entry, Page
from daybreak.core.model.upgrade import Hit, Net, Outage, RangeReport, Ref
from daybreak.findings.kinds import kind_of
from daybreak.report.day_changes import commit_of, finding_of, grounding_of, statements_of
from daybreak.report.day_changes import skipped_of as skipped_values
from daybreak.upgrade.impact.hit_data import advice_data, use_data
from daybreak.upgrade.range.range_edition import as_repo, breaking_nets, judged, range_stem, reverted, skipped_of

SCHEMA = "daybreak.range/1"


class RangeData:
    """Renders the JSON file of an upgrade report."""

    def pages(self, report: RangeReport) -> tuple[Page, ...]:
        """The one file."""
        return (Page(f"reports/range/{range_stem(report)}.json", encoded(as_range_data(report))),)


def as_range_data(report: RangeReport) -> dict[str, Any]:
    """All of the report; statements about single commits are not part of it, since its pages tell none."""
    span = report.span
    return {
        "schema": SCHEMA,
        "repo": {"name": span.repo.name, "url": span.repo.url},
        "start": _ref(span.start),
        "end": _ref(span.end),
        "languages": list(report.languages),
        "tool": {"name": "daybreak", "version": report.tool_version},
        "coverage": {
            "commits_in_git": len(span.gained),
            "commits_reported": len(report.entries),
            "lost_in_git": len(span.lost),
            "left_behind": len(report.left_behind),
            "breaking": len(breaking_nets(report)),
            "judged": len(judged(report)),
            "skipped": skipped_values(skipped_of(report)),
        },
        "summary": statements_of(report.summary),
        "hits": None if report.hits is None else [_hit(hit) for hit in report.hits],
        "ignored": report.ignored,
        "unread": skipped_values(report.unread),
        "nets": [net_data(net) for net in report.nets],
        "judged": [e.change.sha for e in judged(report)],
        "reverted": sorted(reverted(report)),
        "outages": [_outage(outage) for outage in report.outages],
        "commits": _commits(report, report.entries),
        "left_behind": _commits(report, report.left_behind),
        "gained": list(span.gained),
        "lost": list(span.lost),
        "grounding": grounding_of(report.grounding),
    }


def net_data(net: Net) -> dict[str, Any]:
    """One net finding with its words."""
    return {
        **fields_of(finding_of(net.finding)),
        "surface": kind_of(net.finding.kind).surface,
        "commits": list(net.commits),
        "since": net.since,
        "names": list(net.names),
        "under": [net_data(one) for one in net.under],
        "text": net.text,
        "who": net.who,
        "how": net.how,
    }


def _ref(ref: Ref) -> dict[str, Any]:
    return {"name": ref.name, "sha": ref.sha, "committed_at": ref.committed_at.isoformat()}


def _commits(report: RangeReport, entries: tuple[Entry, ...]) -> list[dict[str, Any]]:
    repo, out = as_repo(report), []
    for entry in entries:
        data = fields_of(commit_of(repo, entry))
        del data["statements"], data["story"], data["hunks"]
        data["released"] = entry.released or report.span.released.get(entry.change.sha)
        out.append(data)
    return out


def _outage(outage: Outage) -> dict[str, Any]:
    return {
        "fault": outage.fault,
        "repair": outage.repair,
        "from": outage.start.isoformat(),
        "to": outage.end.isoformat() if outage.end else None,
        "holds_start": outage.holds_start,
        "holds_end": outage.holds_end,
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "certainty": hit.certainty,
        "use": use_data(hit.use),
        "net": net_data(hit.net),
        **advice_data(hit),
    }

"""`daybreak impact` as data, `daybreak.impact/1`: what other programs read."""

from __future__ import annotations

from typing import Any

from daybreak.core.day_json import encoded
from daybreak.report.day_changes import finding_of, skipped_of
from daybreak.upgrade.impact.form_report import ORDER, ImpactReport, Told
from daybreak.upgrade.impact.hit_data import advice_data, use_data

SCHEMA = "daybreak.impact/1"


def impact_json(report: ImpactReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_impact_data(report))


def as_impact_data(report: ImpactReport) -> dict[str, Any]:
    """All of the answer."""
    levels = [one.hit.certainty for one in report.counted]
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": report.tool_version},
        "path": report.path,
        "scopes": [
            {
                "repo": s.repo.name,
                "url": s.repo.url,
                "what": s.what + (" (no commits)" if s.empty else ""),
            }
            for s in report.scopes
        ],
        "counts": {level: levels.count(level) for level in ORDER},
        "acknowledged": report.acknowledged,
        "hits": [hit_data(report, one) for one in report.told],
        "acknowledgements": {
            "file": report.acks,
            "expired": [{"what": what, "date": date} for what, date in report.expired],
            "unused": list(report.unused),
        },
        "read": {"files": report.files, "lines": report.lines},
        "skipped": skipped_of((*report.skipped, *report.unread)),
        "unread": skipped_of(report.unread),
    }


def hit_data(report: ImpactReport, one: Told) -> dict[str, Any]:
    """One hit: your place, what changed, by which change, since when, what to do."""
    hit, net = one.hit, one.hit.net
    return {
        "id": one.id,
        "certainty": hit.certainty,
        "repo": hit.repo,
        "use": use_data(hit.use),
        "finding": finding_of(net.finding),
        "commits": list(net.commits),
        "url": report.url(hit) or None,
        "since": net.since,
        **advice_data(hit),
    }

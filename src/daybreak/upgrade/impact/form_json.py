"""`daybreak impact` as data, `daybreak.impact/1`: what other programs read."""

from __future__ import annotations

from daybreak.report.render.data import encoded, finding_data
from daybreak.report.render.data_parts import Json, optional_data, skipped_data, text_data
from daybreak.upgrade.impact.form_report import ORDER, ImpactReport, Told
from daybreak.upgrade.impact.hit_data import advice_data, use_data

SCHEMA = "daybreak.impact/1"


def impact_json(report: ImpactReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_impact_data(report))


def as_impact_data(report: ImpactReport) -> Json:
    """All of the answer."""
    levels = [one.hit.certainty for one in report.counted]
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": report.tool_version},
        "path": text_data(report.path),
        "scopes": [
            {
                "repo": text_data(s.repo.name),
                "url": text_data(s.repo.url),
                "what": text_data(s.what) + (" (no commits)" if s.empty else ""),
            }
            for s in report.scopes
        ],
        "counts": {level: levels.count(level) for level in ORDER},
        "acknowledged": report.acknowledged,
        "hits": [hit_data(report, one) for one in report.told],
        "acknowledgements": {
            "file": text_data(report.acks),
            "expired": [{"what": text_data(what), "date": date} for what, date in report.expired],
            "unused": [text_data(what) for what in report.unused],
        },
        "read": {"files": report.files, "lines": report.lines},
        "skipped": skipped_data((*report.skipped, *report.unread)),
        "unread": skipped_data(report.unread),
    }


def hit_data(report: ImpactReport, one: Told) -> Json:
    """One hit: your place, what changed, by which change, since when, what to do."""
    hit, net = one.hit, one.hit.net
    return {
        "id": one.id,
        "certainty": hit.certainty,
        "repo": text_data(hit.repo),
        "use": use_data(hit.use),
        "finding": finding_data(net.finding),
        "commits": list(net.commits),
        "url": report.url(hit) or None,
        "since": optional_data(net.since),
        **advice_data(hit),
    }

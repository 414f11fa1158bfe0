"""The upgrade report as data, `reports/range/OWNER-NAME-A..B.json`: what other programs read."""

from __future__ import annotations

from daybreak.core.model.report import Entry, Page
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Hit, Net, Outage, RangeReport, Ref
from daybreak.findings.kinds import kind_of
from daybreak.report.render.data import encoded, entry_data, finding_data, grounding_data
from daybreak.report.render.data_parts import Json, optional_data, skipped_data, statements_data, text_data, texts_data
from daybreak.upgrade.impact.hit_data import advice_data, use_data
from daybreak.upgrade.range.range_edition import as_repo, breaking_nets, judged, range_stem, reverted, skipped_of

SCHEMA = "daybreak.range/1"


class RangeData:
    """Renders the JSON file of an upgrade report."""

    def pages(self, report: RangeReport) -> tuple[Page, ...]:
        """The one file."""
        return (Page(f"reports/range/{range_stem(report)}.json", encoded(as_range_data(report))),)


def as_range_data(report: RangeReport) -> Json:
    """All of the report; statements about single commits are not part of it, since its pages tell none."""
    span = report.span
    return {
        "schema": SCHEMA,
        "repo": {"name": text_data(span.repo.name), "url": text_data(span.repo.url)},
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
            "skipped": skipped_data(skipped_of(report)),
        },
        "summary": statements_data(report.summary),
        "hits": None if report.hits is None else [_hit(hit) for hit in report.hits],
        "ignored": report.ignored,
        "unread": skipped_data(report.unread),
        "nets": [net_data(net) for net in report.nets],
        "judged": [e.change.sha for e in judged(report)],
        "reverted": sorted(reverted(report)),
        "outages": [_outage(outage) for outage in report.outages],
        "commits": _commits(report, report.entries),
        "left_behind": _commits(report, report.left_behind),
        "gained": list(span.gained),
        "lost": list(span.lost),
        "grounding": grounding_data(report.grounding),
    }


def net_data(net: Net) -> Json:
    """One net finding with its words."""
    return {
        **finding_data(net.finding),
        "surface": kind_of(net.finding.kind).surface,
        "commits": list(net.commits),
        "since": optional_data(net.since),
        "names": [text_data(name) for name in net.names],
        "under": [net_data(one) for one in net.under],
        "text": texts_data(net.text),
        "who": _words(net.who),
        "how": _words(net.how),
    }


def _ref(ref: Ref) -> Json:
    return {"name": text_data(ref.name), "sha": ref.sha, "committed_at": ref.committed_at.isoformat()}


def _commits(report: RangeReport, entries: tuple[Entry, ...]) -> list[Json]:
    repo, out = as_repo(report), []
    for entry in entries:
        data = entry_data(repo, entry)
        del data["statements"], data["story"], data["hunks"]
        data["released"] = entry.released or report.span.released.get(entry.change.sha)
        out.append(data)
    return out


def _outage(outage: Outage) -> Json:
    return {
        "fault": outage.fault,
        "repair": outage.repair,
        "from": outage.start.isoformat(),
        "to": outage.end.isoformat() if outage.end else None,
        "holds_start": outage.holds_start,
        "holds_end": outage.holds_end,
    }


def _hit(hit: Hit) -> Json:
    return {
        "certainty": hit.certainty,
        "use": use_data(hit.use),
        "net": net_data(hit.net),
        **advice_data(hit),
    }


def _words(text: Text | None) -> Json | None:
    return None if text is None else texts_data(text)

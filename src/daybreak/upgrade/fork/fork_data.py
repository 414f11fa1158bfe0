"""`daybreak impact --fork` as data, `daybreak.fork/1`: what other programs read."""

from __future__ import annotations

from typing import Any

from daybreak import __version__
from daybreak.core.day_json import encoded
from daybreak.core.model.upgrade import ForkReport
from daybreak.report.day_changes import skipped_of
from daybreak.upgrade.fork.fork_words import subjects, upstream_repo

SCHEMA = "daybreak.fork/1"


def fork_json(report: ForkReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_fork_data(report))


def as_fork_data(report: ForkReport) -> dict[str, Any]:
    """All of the answer; changes of upstream newest first, picks in the order in which they were tried."""
    known = subjects(report)
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": __version__},
        "repo": upstream_repo(report).name,
        "branch": report.branch,
        "upstream": report.upstream,
        "base": report.base,
        "merges": report.merges,
        "conflicts": list(report.conflicts),
        "ours": [{"sha": sha, "subject": known.get(sha, "")} for sha in report.ours],
        "touches": [
            {
                "sha": touch.sha,
                "subject": known.get(touch.sha, ""),
                "overlap": touch.overlap,
                "paths": list(touch.paths),
                "symbols": list(touch.symbols),
                "ours": list(touch.ours),
            }
            for touch in report.touches
        ],
        "picks": [{"sha": pick.sha, "subject": known.get(pick.sha, ""), "why": pick.why} for pick in report.picks],
        "theirs": [
            {
                "sha": entry.change.sha,
                "subject": entry.change.subject,
                "kind": entry.kind,
                "importance": entry.importance.level,
                "breaking": entry.breaking,
            }
            for entry in report.theirs
        ],
        "skipped": skipped_of(report.skipped),
    }

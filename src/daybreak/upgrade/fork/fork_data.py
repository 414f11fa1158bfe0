"""`daybreak impact --fork` as data, `daybreak.fork/1`: what other programs read."""

from __future__ import annotations

from daybreak import __version__
from daybreak.core.model.upgrade import ForkReport
from daybreak.report.render.data import encoded
from daybreak.report.render.data_parts import Json, skipped_data, text_data, texts_data
from daybreak.upgrade.fork.fork_words import subjects, upstream_repo

SCHEMA = "daybreak.fork/1"


def fork_json(report: ForkReport) -> str:
    """The file's text, with a final newline."""
    return encoded(as_fork_data(report))


def as_fork_data(report: ForkReport) -> Json:
    """All of the answer; changes of upstream newest first, picks in the order in which they were tried."""
    known = subjects(report)
    return {
        "schema": SCHEMA,
        "tool": {"name": "daybreak", "version": __version__},
        "repo": text_data(upstream_repo(report).name),
        "branch": text_data(report.branch),
        "upstream": text_data(report.upstream),
        "base": report.base,
        "merges": report.merges,
        "conflicts": [text_data(path) for path in report.conflicts],
        "ours": [{"sha": sha, "subject": text_data(known.get(sha, ""))} for sha in report.ours],
        "touches": [
            {
                "sha": touch.sha,
                "subject": text_data(known.get(touch.sha, "")),
                "overlap": touch.overlap,
                "paths": [text_data(path) for path in touch.paths],
                "symbols": [text_data(name) for name in touch.symbols],
                "ours": list(touch.ours),
            }
            for touch in report.touches
        ],
        "picks": [
            {"sha": pick.sha, "subject": text_data(known.get(pick.sha, "")), "why": texts_data(pick.why)}
            for pick in report.picks
        ],
        "theirs": [
            {
                "sha": entry.change.sha,
                "subject": text_data(entry.change.subject),
                "kind": entry.kind,
                "importance": entry.importance.level,
                "breaking": entry.breaking,
            }
            for entry in report.theirs
        ],
        "skipped": skipped_data(report.skipped),
    }

"""One change in the terminal, with the grade that the report of its day gives it, and the forms that `show` prints in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from daybreak.cli.common_options import entry_row
from daybreak.cli.console import wrapped
from daybreak.core.day_json import decode
from daybreak.core.text import counted, escaped_bytes

if TYPE_CHECKING:
    from daybreak.core.model.findings import Finding
    from daybreak.core.model.report import Entry
    from daybreak.upgrade.name_history import Tracer

NUMBER = re.compile(r"#\d{1,9}|\d{1,6}")
SHA = re.compile(r"[0-9a-f]{7,64}")
WIDTH = 80
_REASONS_TOLD, _FINDINGS_TOLD = 5, 40


def show_changes(tracer: Tracer, what: str, zone: tzinfo, reports: Path | None, as_json: bool) -> int:
    """How many changes were shown; `reports`: where the days of the watchlist lie."""
    told = [_as_reported(entry, zone, reports) for entry in _changes(tracer, what)]
    if told:
        rows = [_entry_row(entry, label) for entry, label in told]
        written(as_json, rows, (line for entry, label in told for line in _entry_lines(entry, label, zone)))
    return len(told)


def _as_reported(entry: Entry, zone: tzinfo, reports: Path | None) -> tuple[Entry, str]:
    """With the grade that the report of its day gives, which also weighs what releases have and what came the same day, and
    with its sentences; and that day, empty where no report tells of the change.
    """
    from daybreak.core.model.statements import Importance, Kind, Mark, Statement

    label = f"{entry.change.committed_at.astimezone(zone):%Y-%m-%d}"
    try:
        found = decode((reports / f"{label}.json").read_bytes()).find(entry.change.sha) if reports else None
        if found is None or found[0].name != entry.change.repo or found[1].filtered:
            return entry, ""
        commit = found[1]
        graded = replace(
            entry,
            kind=msgspec.convert(commit.kind, Kind),
            importance=msgspec.convert(commit.importance, Importance, from_attributes=True),
            breaking=commit.breaking,
            marks=msgspec.convert(commit.marks, tuple[Mark, ...]),
            statements=msgspec.convert(commit.statements, tuple[Statement, ...], from_attributes=True),
        )
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):  # a report that cannot be read tells nothing
        return entry, ""
    return graded, label


def _changes(tracer: Tracer, what: str) -> list[Entry]:
    """The commits that a sha or a number names; none for a name."""
    if NUMBER.fullmatch(what):
        return tracer.entries(tracer.by_number(int(what.lstrip("#"))))
    if not SHA.fullmatch(what):
        return []
    return [entry for entry in tracer.entries([what]) if entry.change.skipped is None]


def _entry_lines(entry: Entry, label: str, zone: tzinfo) -> Iterator[str]:
    change = entry.change
    yield from wrapped(f"{change.repo} {change.short}  {change.subject}", WIDTH, 3)
    released = f"in {entry.released}" if entry.released else "in no release yet"
    yield from wrapped(
        f"{change.committed_at.astimezone(zone):%Y-%m-%d %H:%M} ({zone}), {change.author}, {released}; {entry.kind}, "
        f"{entry.importance.level}{', breaking' if entry.breaking else ''}; "
        f"{counted(change.files_total, 'file')}, +{change.added} −{change.deleted}",
        WIDTH,
    )
    yield (
        f"  graded as in the report of {label}"
        if label
        else "  graded by itself: a report also weighs releases and its day"
    )
    reasons, findings = entry.importance.reasons, entry.reading.findings
    for reason in reasons[:_REASONS_TOLD]:
        yield from (f"  {line}" for line in wrapped(f"· {reason.text.get('en', '')}", WIDTH - 2))
    yield from _rest(len(reasons) - _REASONS_TOLD, "reason")
    for statement in () if findings else entry.statements:  # what the report says where no finding does
        yield from (f"  {line}" for line in wrapped(statement.text.get("en", ""), WIDTH - 2))
    for finding in findings[:_FINDINGS_TOLD]:
        text = f"{finding.path}:{finding.line}  {finding.symbol}: {happened(finding, finding.symbol)}"
        first, *rest = wrapped(text, WIDTH - 4, 4)
        yield f"  {'!' if finding.breaking else '-'} {first}"
        yield from (f"    {line}" for line in rest)
    yield from _rest(len(findings) - _FINDINGS_TOLD, "finding")
    yield ""


def _rest(count: int, name: str) -> Iterator[str]:
    if count > 0:
        yield f"  … {count} more {name}{'' if count == 1 else 's'}, with --json"


def _entry_row(entry: Entry, label: str) -> dict[str, Any]:
    return entry_row(entry) | {
        "subject": entry.change.subject,
        "pr": entry.change.pr,
        "committed_at": entry.change.committed_at.isoformat(),
        "released": entry.released,
        "reported": label or None,
    }


def happened(finding: Finding, name: str) -> str:
    """`default changed: 1 → 2`; what is not about the bare name says its symbol."""
    from daybreak.findings.kinds import kind_of
    from daybreak.upgrade.name_history import plain

    kind = finding.kind.replace("_", " ").removeprefix("cli ").removeprefix("env ")
    told = f"{kind} (breaking)" if finding.breaking else kind
    own = (plain(name), plain(finding.symbol))
    module = kind_of(finding.kind).means("module", "moved")
    if plain(finding.symbol) != plain(name) and finding.symbol != finding.before and not module:
        told = f"{finding.symbol}: {told}"
    sides = [text for text in (finding.before, finding.after) if text is not None and plain(text) not in own]
    if finding.before is not None and finding.after is not None:
        return f"{told}: {_cut(finding.before)} → {_cut(finding.after)}"
    return f"{told}: {_cut(sides[0])}" if sides else told


def _cut(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:69]}…"


def written(as_json: bool, rows: Sequence[dict[str, Any]], lines: Iterator[str]) -> None:
    if as_json:
        for row in rows:
            sys.stdout.buffer.write(escaped_bytes(msgspec.json.encode(row)) + b"\n")
        sys.stdout.buffer.flush()
        return
    printed_lines(lines)


def printed_lines(lines: Iterator[str]) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        sys.stdout.write(line.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stdout.flush()

"""Values of the model as rows and back; a row's hash is made here, from the very values that are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar, cast

import msgspec

from daybreak.core.model.changes import Change, FileChange, Repo, Status
from daybreak.core.model.findings import Alias, Area, Finding, Reading
from daybreak.store.hashes import content_hash

Values = tuple[Any, ...]
Value = TypeVar("Value")
_json = msgspec.json.Encoder()
_CREDENTIALS = re.compile(r"(?<=//)[^/@\s]+@")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


# --- small things --------------------------------------------------------------------------------------------------


def as_json(value: object) -> str:
    """JSON text; None and what no database can hold never reach a column."""
    try:
        return _json.encode(value).decode()
    except UnicodeEncodeError:
        return _json.encode(storable(msgspec.to_builtins(value))).decode()


def from_json(text: str, kind: type[Value]) -> Value:
    return msgspec.json.decode(text, type=kind)


def storable(value: Any) -> Any:
    """The same without characters that databases refuse: NUL and halves of surrogate pairs."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(key): storable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(storable, value))
    return value


def hashed(
    table: str, values: Values, *children: Sequence[Values]
) -> tuple[bytes, Values, tuple[Sequence[Values], ...]]:
    """The hash of a row and its children, with all of them as they can be stored.

    Looking for NULs costs more than hashing; git never gives one, so only free text of a change is looked at.
    """
    try:
        return content_hash(table, values, *children), values, children
    except UnicodeEncodeError:
        values, children = storable(values), storable(children)
        return content_hash(table, values, *children), values, children


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def from_iso(text: str) -> datetime:
    return datetime.fromisoformat(text)


# --- repositories ----------------------------------------------------------------------------------------------------


def repository_row(repo: Repo) -> Values:
    """Addresses are kept without the secrets that may stand in them."""
    values = storable((repo.name, _CREDENTIALS.sub("", repo.url), _CREDENTIALS.sub("", repo.git)))
    return content_hash("repositories", values), *values


# --- changes ---------------------------------------------------------------------------------------------------------


def change_rows(change: Change) -> tuple[Values, list[Values]]:
    """The row of a commit and those of its files."""
    subject, body, author = change.subject, change.body, change.author
    if "\0" in subject or "\0" in body or "\0" in author:
        subject, body, author = storable((subject, body, author))
    values = (
        change.repo,
        change.sha,
        author,
        int(change.authored_at.timestamp()),
        int(change.committed_at.timestamp()),
        subject,
        body,
        change.pr,
        change.skipped,
        " ".join(change.parents),
        as_json(change.trailers) if change.trailers else "[]",
        " ".join(change.merged),
        change.files_total,
        change.added,
        change.deleted,
        +change.empty,
        +change.filtered,
    )
    files: Sequence[Values] = [
        (
            f.path,
            f.status,
            f.old_path,
            f.old_mode,
            f.new_mode,
            f.old_blob,
            f.new_blob,
            f.skipped,
            +f.binary,
            +f.patch_cut,
            f.added,
            f.deleted,
        )
        for f in change.files
    ]
    key, values, (files,) = hashed("changes", values, files)
    return (key, *values), [(key, number, *row) for number, row in enumerate(files)]


def change_from(row: Sequence[Any], files: Iterable[Sequence[Any]], zone: tzinfo) -> Change:
    """A commit as it was put, but for its patches; times in the given zone."""
    (_, repo, sha, author, authored, committed, subject, body, pr, skipped, parents, trailers, merged, *counts) = row[
        :18
    ]
    return Change(
        repo=repo,
        sha=sha,
        parents=tuple(parents.split()),
        author=author,
        authored_at=datetime.fromtimestamp(authored, zone),
        committed_at=datetime.fromtimestamp(committed, zone),
        subject=subject,
        body=body,
        trailers=from_json(trailers, tuple[tuple[str, str], ...]),
        pr=pr,
        files=tuple(file_from(file) for file in files),
        files_total=counts[0],
        added=counts[1],
        deleted=counts[2],
        merged=tuple(merged.split()),
        empty=bool(counts[3]),
        filtered=bool(counts[4]),
        skipped=skipped,
    )


def file_from(row: Sequence[Any]) -> FileChange:
    path, status, old_path, old_mode, new_mode, old_blob, new_blob, skipped, binary, cut, added, deleted = row[2:14]
    return FileChange(
        path=path,
        status=cast("Status", status),
        old_path=old_path,
        added=added,
        deleted=deleted,
        binary=bool(binary),
        old_mode=old_mode,
        new_mode=new_mode,
        old_blob=old_blob,
        new_blob=new_blob,
        patch_cut=bool(cut),
        skipped=skipped,
    )


# --- readings --------------------------------------------------------------------------------------------------------


def reading_rows(repo: str, reading: Reading) -> tuple[Values, list[Values]]:
    """The row of what was read from a commit and those of its findings."""
    values = (
        repo,
        reading.sha,
        as_json(dict(reading.areas)),
        as_json(reading.components),
        as_json(reading.unparsed),
        reading.skipped,
        reading.omitted,
        reading.partly,
    )
    findings: Sequence[Values] = [storable(_finding(f)) for f in reading.findings]
    key, values, (findings,) = hashed("readings", values, findings)
    return (key, *values), [(key, number, *row) for number, row in enumerate(findings)]


def _finding(finding: Finding) -> Values:
    alias = finding.alias
    return (
        finding.id,
        finding.kind,
        finding.path,
        finding.line,
        finding.symbol,
        finding.before,
        finding.after,
        finding.effective,
        alias.status if alias else None,
        alias.where if alias else None,
        +finding.breaking,
        +finding.inner,
    )


def reading_from(row: Sequence[Any], findings: Iterable[Sequence[Any]]) -> Reading:
    """What was read, as it was put, but for its hunks."""
    _, _, sha, areas, components, unparsed, skipped, omitted, partly = row[:9]
    return Reading(
        sha=sha,
        areas=cast("Mapping[Area, int]", from_json(areas, dict[str, int])),
        components=from_json(components, tuple[str, ...]),
        findings=tuple(_finding_from(finding) for finding in findings),
        skipped=skipped,
        unparsed=from_json(unparsed, tuple[str, ...]),
        omitted=omitted,
        partly=partly,
    )


def _finding_from(row: Sequence[Any]) -> Finding:
    name, kind, path, line, symbol, before, after, effective, alias, where, breaking, inner = row[2:14]
    return Finding(
        id=name,
        kind=kind,
        path=path,
        line=line,
        symbol=symbol,
        before=before,
        after=after,
        breaking=bool(breaking),
        alias=Alias(alias, where) if alias else None,
        effective=effective,
        inner=bool(inner),
    )

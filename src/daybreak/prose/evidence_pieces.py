"""A change as numbered pieces of evidence: message, pull request, counts, findings, and the whole diff."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.drafts import Piece
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Pull
from daybreak.core.model.links import commit_id, pull_id
from daybreak.core.model.report import Entry
from daybreak.prose.evidence_order import in_reading_order, telling_hunks_first
from daybreak.prose.evidence_split import brief, hunks, split_hunk, split_lines, tokens, visible

_WHAT_HAPPENED = {
    "A": "new file",
    "D": "deleted file",
    "R": "renamed file",
    "C": "copied file",
    "T": "file of another type",
    "M": "changed file",
}


class Material(Struct, frozen=True):
    """All that is known of one change, as pieces that a question can take; none is larger than was asked."""

    said: tuple[Piece, ...]
    """Message, then the pull request's text."""
    facts: tuple[Piece, ...]
    """Counts and findings."""
    diff: tuple[Piece, ...]
    """Most telling first."""
    title: Piece
    """The subject alone: what a question that shows a later part begins with."""


def material(entry: Entry, repo: str, pull: Pull | None, most: int) -> Material:
    """The evidence of a change, in pieces of at most so many tokens."""
    change = entry.change
    findings = [f for f in entry.reading.findings if not f.inner]
    subject = Piece("M1", commit_id(change.sha), brief(change.subject, 300), _numbers(change))
    said = [*_numbered("M", _message(change), commit_id(change.sha), most, _numbers(change))]
    if pull is not None:
        text = visible(f"{pull.title}\n\n{pull.body}").strip()
        said += _numbered("P", text, pull_id(repo, pull.number), most, {"pr:1": f"#{pull.number}"})
    numbers = {file.path: at for at, file in enumerate(change.files, start=1)}
    facts = [_counts(change), *(_finding(n, f, numbers) for n, f in enumerate(findings, start=1))]
    return Material(tuple(said), tuple(facts), tuple(_diff(change, findings, most)), subject)


def context_of(change: Change, pull: Pull | None) -> str:
    """Every plain fact of the change in one text: what a true word about it must stand in."""
    parts = [change.subject, change.body]
    parts += [pull.title, pull.body] if pull is not None else []
    for file in change.files:
        parts += [file.path, file.old_path or "", file.patch]
    return visible("\n".join(parts))


def _numbers(change: Change) -> dict[str, str]:
    return {"pr:1": f"#{change.pr}"} if change.pr else {}


def _message(change: Change) -> str:
    return visible(f"{change.subject}\n\n{change.body}").strip() or "(no message)"


def _numbered(letter: str, text: str, name: str, most: int, names: dict[str, str]) -> Iterator[Piece]:
    for at, part in enumerate(split_lines(text, most), start=1):
        yield Piece(f"{letter}{at}", name, part, names)


def _counts(change: Change) -> Piece:
    """Numbers that a sentence may need; it writes their names."""
    values = {"count:1": change.files_total, "count:2": change.added, "count:3": change.deleted}
    told = "files changed {count:1}; lines added {count:2}; lines deleted {count:3}"
    beyond = change.files_total - len(change.files)
    if beyond > 0:
        told += f"; {beyond} files were not read"
    return Piece("N1", commit_id(change.sha), told, {name: str(value) for name, value in values.items()})


def _finding(number: int, finding: Finding, files: dict[str, int]) -> Piece:
    """A typed fact in one line."""
    at = files.get(finding.path)
    where = f" in {{file:{at}}}" if at else ""
    parts = [f"{finding.kind.replace('_', ' ')}: {brief(finding.symbol, 300)}{where}"]
    parts += [f"before: {brief(finding.before, 300)}"] if finding.before is not None else []
    parts += [f"after: {brief(finding.after, 300)}"] if finding.after is not None else []
    parts += ["breaks existing use"] if finding.breaking else []
    if finding.alias is not None:
        parts.append({"none": "the old name is gone", "deprecated": "the old name works, deprecated", "kept": "the old name still works"}[finding.alias.status])  # fmt: skip
    parts += [f"takes effect with {brief(finding.effective, 100)}"] if finding.effective else []
    names = {f"file:{at}": finding.path} if at else {}
    return Piece(f"F{number}", f"finding:{finding.id}", "; ".join(parts), names)


def _diff(change: Change, findings: list[Finding], most: int) -> Iterator[Piece]:
    at = 0
    for number, file in in_reading_order(change, findings):
        for text in _parts(file, findings, most):
            at += 1
            yield Piece(f"D{at}", f"file:{change.sha}:{file.path}", text, {f"file:{number}": file.path})


def _parts(file: FileChange, findings: list[Finding], most: int) -> Iterator[str]:
    """The file's hunks, small neighbours together; a file without any is told in words."""
    remark = _remark(file)
    if not file.patch:
        yield remark
        return
    held = [remark] if file.status != "M" or file.patch_cut else []
    size = sum(map(tokens, held))
    for hunk in telling_hunks_first(hunks(visible(file.patch)), findings, file.path):
        for part in split_hunk(hunk, most):
            cost = tokens(part) + 1
            if held and size + cost > most:
                yield "\n".join(held)
                held, size = [], 0
            held.append(part)
            size += cost
    if held:
        yield "\n".join(held)


def _remark(file: FileChange) -> str:
    """What happened to the file as a whole, and what of it could not be read."""
    told = [_WHAT_HAPPENED[file.status]]
    told += [f"from {brief(file.old_path, 300)}"] if file.old_path and file.status in "RC" else []
    told += ["binary"] if file.binary else []
    told += ["submodule"] if file.submodule else []
    told += [f"mode {file.old_mode} to {file.new_mode}"] if file.mode_changed else []
    told += [f"content could not be read: {brief(file.skipped, 200)}"] if file.skipped else []
    told += ["only the first hunks of its diff were read"] if file.patch_cut else []
    return "(" + "; ".join(told) + ")"

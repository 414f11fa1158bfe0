"""The reader of changes: paths, findings, components and the hunks to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from daybreak.model import Change, FileChange, Finding, Reading
from daybreak.read import paths
from daybreak.read.decisive import decisive
from daybreak.read.diff import DiffHunk, hunks
from daybreak.read.languages import readers
from daybreak.read.languages.base import Fact, ReadFile, Whole

MAX_FINDINGS = 60
"""A mass edit gives no more than this; the rest would never be read."""
MAX_LINES_PER_FILE = 4000
MAX_LINES_PER_CHANGE = 40_000
"""Lines of hunks that language readers look at; what stands elsewhere in the diff is still asked before a removal."""


class RuleReader:
    """Reads a change with the language readers of the registry; holds no state."""

    def read(self, change: Change) -> Reading:
        files = [_parse(f) for f in change.files]
        whole = Whole(files, _complete(change))
        facts = sorted(_facts(files, whole), key=_order)
        findings = tuple(_finding(change.sha, number, fact) for number, fact in enumerate(facts[:MAX_FINDINGS], 1))
        return Reading(
            sha=change.sha,
            areas=dict(Counter(f.area for f in files).most_common()),
            components=paths.components((f.path, f.added + f.deleted) for f in change.files),
            findings=findings,
            hunks=decisive(files, findings),
        )


def _parse(change: FileChange) -> ReadFile:
    area = "dependency" if change.submodule else paths.area(change.path)
    parsed = () if area in ("generated", "lock") else tuple(hunks(change.patch))
    return ReadFile(change, area, parsed)


def _complete(change: Change) -> bool:
    """All of the diff is here: only then may a name that is not seen be called gone."""
    return len(change.files) == change.files_total and not any(f.patch_cut or f.skipped for f in change.files)


def _facts(files: Sequence[ReadFile], whole: Whole) -> Iterator[Fact]:
    left = MAX_LINES_PER_CHANGE
    for file in files:
        if file.change.submodule:
            yield from _submodule(file)
        elif file.hunks and left > 0:
            readable = _bounded(file, min(left, MAX_LINES_PER_FILE))
            left -= sum(len(h.lines) for h in readable.hunks)
            yield from _guarded(readable, whole)


def _bounded(file: ReadFile, lines: int) -> ReadFile:
    """The file with its first hunks, as many as fit; a mass edit has no findings worth the time they would take."""
    kept: list[DiffHunk] = []
    for hunk in file.hunks:
        lines -= len(hunk.lines)
        if lines < 0:
            break
        kept.append(hunk)
    return file if len(kept) == len(file.hunks) else replace(file, hunks=tuple(kept))


def _guarded(file: ReadFile, whole: Whole) -> Iterable[Fact]:
    """One reader that stumbles over hostile input costs its own facts, not the change."""
    out: list[Fact] = []
    for reader in readers(file.path):
        try:
            out.extend(reader(file, whole))
        except (ValueError, IndexError, KeyError, RecursionError, StopIteration):
            continue
    return out


def _submodule(file: ReadFile) -> Iterator[Fact]:
    """A bumped gitlink: git prints the two commits as `Subproject commit` lines."""
    shas = {x.sign: x.text.split()[-1] for h in file.hunks for x in h.lines if x.text.startswith("Subproject commit ")}
    if "-" in shas and "+" in shas and shas["-"] != shas["+"]:
        yield Fact("submodule_changed", file.path, 1, file.path, shas["-"], shas["+"])


def _order(fact: Fact) -> tuple[bool, bool, str, int, str, str]:
    """Breaking first, additions last, then by place: the same diff always gives the same numbers."""
    return (not fact.breaking, fact.kind.endswith("_added"), fact.path, fact.line, fact.kind, fact.symbol)


def _finding(sha: str, number: int, fact: Fact) -> Finding:
    return Finding(
        id=f"{sha[:12]}/{number}",
        kind=fact.kind,
        path=fact.path,
        line=fact.line,
        symbol=fact.symbol,
        before=fact.before,
        after=fact.after,
        breaking=fact.breaking,
        alias=fact.alias,
        effective=fact.effective,
    )

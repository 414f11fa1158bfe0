"""Reads and grades commits of a range: each with all its findings, and without its patches afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC

import msgspec
from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.patches import Budget
from daybreak.collect.git.source import is_filtered
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry
from daybreak.findings.blobs import HeldSurfaces
from daybreak.findings.reader import WHOLE_TREES, Limits, RuleReader
from daybreak.judge.grading import Grader
from daybreak.judge.rules import grade
from daybreak.upgrade.range.entries import Task

MANY_FINDINGS = Limits(findings=600, wide=True, hunks=False)
"""A report of a day names a few findings of a change; what breaks over a range must all be there to be netted."""
_TREES = Budget(left=96 << 20, commit=96 << 20, file=8 << 20, files=20_000)
_BODY_KEPT = 20_000


@dataclass(slots=True)
class RangeGrader(Grader):
    """Grades with the repository's filter, and with room for what a range asks of one commit."""

    whole: bool = False

    def _history(self, shas: Sequence[str]) -> list[Change]:
        budget = copy(_TREES) if self.whole else Budget()
        found = HistoryReader(self.git, self.mirror, self.repo.name, UTC, budget).read(shas)
        return [replace(change, filtered=is_filtered(self.repo, change)) for change in found]

    def _entry(self, change: Change, reading: Reading) -> Entry:
        """What only insiders use says nothing about how important a change is to others."""
        told = tuple(finding for finding in reading.findings if not finding.inner)
        entry = grade(change, replace(reading, findings=told), self.wanted)
        return replace(entry, reading=reading)


def read_task(task: Task) -> list[Entry]:
    """The entries of a task, in its order, without patches and hunks."""
    git = Git(task.environment)
    git.take_user_settings(task.state)
    limits = WHOLE_TREES if task.whole else MANY_FINDINGS
    reader = RuleReader(git, None, limits, HeldSurfaces())
    grader = RangeGrader(git, task.repo, task.mirror, reader, task.wanted, whole=task.whole)
    return [slim(entry) for entry in grader.grade(task.shas)]


def slim(entry: Entry) -> Entry:
    """The entry without what only its reading needed."""
    change = entry.change
    files = tuple(map(_without_patch, change.files))
    return replace(
        entry,
        change=replace(change, files=files, body=change.body[:_BODY_KEPT]),
        reading=replace(entry.reading, hunks=()),
    )


def _without_patch(file: FileChange) -> FileChange:
    return FileChange(
        path=file.path,
        status=file.status,
        old_path=file.old_path,
        added=file.added,
        deleted=file.deleted,
        binary=file.binary,
        old_mode=file.old_mode,
        new_mode=file.new_mode,
        patch_cut=file.patch_cut,
        skipped=file.skipped,
    )


def packed_task(task: Task) -> list[bytes | Entry]:
    """What another process hands back: bytes, which travel faster than values and are what is kept on disk."""
    return [packed(entry) for entry in read_task(task)]


def packed(entry: Entry) -> bytes | Entry:
    try:
        return msgspec.msgpack.encode(entry)
    except (UnicodeError, msgspec.MsgspecError):
        return entry  # text that is none is not kept

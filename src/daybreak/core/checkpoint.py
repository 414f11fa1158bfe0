"""One repository's part of a day as it is kept for a run that goes on, and the memory of what earlier runs reported."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Literal, Protocol

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Skipped, Window
from daybreak.core.model.report import Entry, RepoReport

Stage = Literal["collect", "read", "analyse"]

_DECODER = msgspec.json.Decoder(RepoReport)
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


class Took(Struct, frozen=True):
    """How long a stage worked on it."""

    stage: Stage
    seconds: float


class Kept(Struct, frozen=True):
    """A part that an interrupted run had finished, without its patches: the mirror has those."""

    inputs: str
    data: bytes


class Part(Struct, frozen=True):
    """A repository's part with how it came about."""

    report: RepoReport
    collected: Collected
    """What it was made from; without what only this machine has."""
    inputs: str
    """Names all that decided it."""
    took: tuple[Took, ...] = ()
    kept: bool = False
    """It is the work of an earlier run, which was interrupted."""
    recent: tuple[Change, ...] = ()
    """Changes of the days before, newest first: what they are, not what they do."""


class Asked(Struct, frozen=True):
    """How asking a forge about a day went."""

    requests: int
    seconds: float
    skipped: tuple[Skipped, ...] = ()
    """What could not be had."""


def brief(change: Change) -> Change:
    """A change without its files and its text."""
    return replace(change, body="", trailers=(), files=())


@contextmanager
def timed(took: list[Took], stage: Stage) -> Iterator[None]:
    """Note how long the block worked."""
    began = time.monotonic()
    yield
    took.append(Took(stage, time.monotonic() - began))


def inputs_of(collected: Collected, window: Window, settings: str) -> str:
    """One name for all that decides a part; a commit's id stands for the commit, so only what git may lack is added."""
    told = (
        settings,
        window,
        replace(collected, changes=(), late=(), recent=(), mirror=None),
        [[_marks(change) for change in some] for some in (collected.changes, collected.late, collected.recent)],
    )
    return hashlib.sha256(msgspec.json.encode(told)).hexdigest()


def _marks(change: Change) -> tuple[object, ...]:
    """What is not decided by the id: what could not be had of it, and what the config leaves out."""
    cut = [file.path.encode("utf-8", "surrogateescape") for file in change.files if file.skipped or file.patch_cut]
    return change.sha, change.skipped, change.filtered, cut


def packed(part: Part) -> bytes | None:
    """The part without patches; None for one that text cannot hold: then it is made again."""
    try:
        return msgspec.json.encode(_unpatched(part.report))
    except UnicodeEncodeError:
        return None


def revived(kept: Kept, collected: Collected) -> RepoReport | None:
    """A kept part with the patches of what was collected now; None when it is not of this version."""
    try:
        report = _DECODER.decode(kept.data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    known = {change.sha: change for change in (*collected.changes, *collected.late)}
    if any(entry.change.sha not in known for entry in (*report.entries, *report.late)):
        return None

    def with_patches(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(replace(entry, change=known[entry.change.sha]) for entry in entries)

    return replace(report, entries=with_patches(report.entries), late=with_patches(report.late))


def _unpatched(report: RepoReport) -> RepoReport:
    def without(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(
            replace(e, change=replace(e.change, files=tuple(replace(f, patch="") for f in e.change.files)))
            for e in entries
        )

    return replace(report, entries=without(report.entries), late=without(report.late))


# --- What earlier runs reported: the Protocol that stages are given, and the value it speaks of ---
# The implementation is passed in by wiring, so that no stage knows where memory is kept.


class Broken(Struct, frozen=True):
    """A span in which the branch was at fault, as a day's report told it."""

    fault: str
    repair: str
    start: datetime
    end: datetime


class Recorded(Struct, frozen=True):
    """One repository's part of a day that was reported."""

    label: str
    since: datetime
    until: datetime
    open: bool
    complete: bool
    """Nothing of this repository was skipped: its list of commits is final."""
    branch: str | None
    head: str | None
    commits: tuple[str, ...]
    late: tuple[str, ...]
    released: Mapping[str, str] = field(default_factory=dict)
    rewritten: str | None = None
    revised: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """What could not be had or read of it."""
    completed: tuple[str, ...] = ()
    """What was skipped at first and had later."""
    broken: tuple[Broken, ...] = ()
    """Spans that began with a change of an earlier day."""

    @property
    def final(self) -> bool:
        """A closed day, reported whole: a later run keeps its list."""
        return self.complete and not self.open


class Memory(Protocol):
    """Days already reported."""

    def day(self, label: str, repo: str) -> Recorded | None:
        """That day's record of the repository, if it was reported."""
        ...

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        """Records of days before `label`, newest first; read one at a time, since most questions need only one."""
        ...

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        """Records of days after `label`, oldest first."""
        ...

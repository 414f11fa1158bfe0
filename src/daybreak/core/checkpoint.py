"""One repository's part of a day: what decides it, how long it took, and how it is kept for a run that goes on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import msgspec
from msgspec import Struct
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

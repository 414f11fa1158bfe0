"""What of a window could not be read, as a report names it: a branch that was not updated, a history cut off, lost contents."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.collect.git.chain import Chain
from daybreak.collect.git.history import BESIDE, MISSING
from daybreak.collect.git.mirror import Mirror
from daybreak.core.address import readable
from daybreak.core.model.changes import Change, Repo, Skipped

_FOR_GOOD = (
    "Bring it into {clone} with `git fetch --refetch`. Missing for good, the rest of the day is told without it, and after "
    "some tries later runs leave the day as it is; only `--date` reads it again."
)


def stale(repo: Repo, mirror: Mirror) -> list[Skipped]:
    """That the newest commits may not be here."""
    why = f"could not be updated, its newest commits may be missing: {mirror.stale}"
    return [] if mirror.stale is None else [Skipped(repo.name, why)]


def cut_off(repo: Repo, chain: Chain) -> list[Skipped]:
    """Where a branch can be followed no further."""
    if chain.broken_at is None:
        return []
    reason = f"its history cannot be read below {chain.sha(len(chain) - 1)[:9]}: commit {chain.broken_at[:9]} is missing or damaged"
    return [Skipped(repo.name, reason)]


def unreadable(repo: Repo, changes: Sequence[Change]) -> list[Skipped]:
    """Commits and files without their contents, with what brings these."""
    commits = [Skipped(f"{repo.name} {c.short}", c.skipped) for c in changes if c.skipped]
    files = [Skipped(f"{repo.name} {c.short} {f.path}", f.skipped) for c in changes for f in c.files if f.skipped]
    found = commits + files
    tip = _FOR_GOOD.format(clone=readable(repo.git))
    return [replace(one, tip=tip if one.reason in (MISSING, BESIDE) else "") for one in found]

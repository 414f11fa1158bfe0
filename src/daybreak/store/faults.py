"""What can go wrong with a store, as one sentence and one tip each; no driver's words and no password among them."""

from __future__ import annotations

from daybreak.core.errors import DaybreakError, LockedError, WriteError

KEPT = "What was stored before is kept; the next run goes on from there."


class StoreError(DaybreakError):
    """The store cannot be used; nothing is half-written, since each write is one transaction."""


class StoreDamaged(StoreError):
    """What is on disk is not what was written."""


class StoreTooNew(StoreError):
    """A newer program has changed the schema."""


class StoreLost(StoreError):
    """The connection broke, or there is no server."""


def unknown(shown: str, error: BaseException) -> StoreError:
    """A fault nobody foresaw: its kind is told, its words (which may hold anything) are not."""
    kind = type(getattr(error, "orig", None) or error).__name__
    return StoreError(f"The store {shown} failed ({kind}).", f"{KEPT} --verbose shows more.")


def full(shown: str) -> WriteError:
    return WriteError(f"There is no space left for the store {shown}.", f"Free some space, then run again. {KEPT}")


def read_only(shown: str) -> WriteError:
    return WriteError(f"The store {shown} may not be written.", "Check the permissions of the file and its folder.")


def damaged(shown: str) -> StoreDamaged:
    return StoreDamaged(
        f"The store {shown} is damaged.",
        "Look with `daybreak doctor --store`; restore it, or move it away: the written reports stay, and days can be run again.",
    )


def lost(shown: str) -> StoreLost:
    return StoreLost(
        f"The store {shown} cannot be reached.",
        f"See that the server runs and `store` names it, then run again. {KEPT}",
    )


def busy(shown: str, seconds: float) -> LockedError:
    return LockedError(
        f"Another program has been writing to the store {shown} for {seconds:.0f} seconds.",
        "Wait until it is done, then run again.",
    )


def disk(shown: str) -> StoreError:
    return StoreError(
        f"The disk failed while the store {shown} was used.", f"Check the disk and its free space. {KEPT}"
    )

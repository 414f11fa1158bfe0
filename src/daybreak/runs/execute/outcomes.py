"""What came of one call, as a value: an answer or a failure that can travel between processes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from daybreak.runs.execute.interface import Item, Result


class Foreign(Exception):
    """A failure elsewhere whose own class cannot travel."""


class Outcome(Struct, frozen=True):
    """An answer, or why there is none."""

    answer: Any = None
    error: BaseException | None = None
    told: str = ""
    """The traceback as it was printed where it happened, for --verbose."""

    def result(self) -> Any:
        """The answer; raises the failure, with the lines from where it happened."""
        if self.error is None:
            return self.answer
        self.error.add_note(f"In the process that did the work:\n{self.told}")
        raise self.error


def outcome(function: Callable[[Item], Result], item: Item) -> Outcome:
    """Call, and whatever comes of it is a value."""
    try:
        return Outcome(function(item))
    except Exception as error:  # noqa: BLE001  raised again where the answer is awaited
        return failure(error)


def failure(error: Exception) -> Outcome:
    """Why there is no answer."""
    told = "".join(traceback.format_exception(error))
    return Outcome(error=_travelling(error), told=told)


def _travelling(error: Exception) -> Exception:
    """The error itself when it survives the way as it is, else one that says the same."""
    try:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes of a moment ago
    except Exception:  # noqa: BLE001  classes decide how they are packed, and may fail in any way
        again = None
    if type(again) is type(error) and str(again) == str(error):
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    return Foreign(f"{type(error).__name__}: {error}")

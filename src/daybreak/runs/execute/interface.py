"""Runs one function over many items, somewhere."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from msgspec import Struct

Item = TypeVar("Item")
Result = TypeVar("Result")


def unheard(_item: Any, _result: Any) -> None:
    """For those who wait for the whole and do not ask how far it is."""


class Executor(Protocol):
    """Answers come back in the order of the items; the first failure ends the whole, and what was begun is stopped.

    To run in another process, or on another machine, the function stands at the top of a module and items and answers
    are values; and it may run twice on one item, since a machine can be lost after the work and before the answer.
    Items are taken one by one as there is room for them, so that many may be given without being held.
    An item with a text in its `place` goes where others of that place go, as far as the executor has places.
    """

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        """`done` hears of each answer as it comes, here in the caller's own thread."""
        ...

    def close(self) -> None:
        """Let go of what is kept between two calls."""
        ...


# --- What came of one call, as a value: an answer or a failure that can travel between processes ---


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

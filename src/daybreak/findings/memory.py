"""Memories of one reading: what readers work out of a change and ask for again is let go when its repository is read."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
_FORGETS: list[Callable[[], None]] = []


def remembered(most: int) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Answers of a function about a change, as many as that, until `forget`."""

    def made(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        known: Any = lru_cache(maxsize=most)(function)
        _FORGETS.append(known.cache_clear)
        answers: Callable[Given, Answer] = known
        return answers

    return made


def forget() -> None:
    """Let go of all of them. A change and what is known of it refer to one another, and such rings are looked for seldom
    (`collect_seldom`).
    """
    for one in _FORGETS:
        one()
    gc.collect(1)

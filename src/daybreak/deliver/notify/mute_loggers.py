"""Keeps other people's loggers still while a message is sent: they write whole addresses, and those hold tokens."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

_LOUD = ("apprise", "urllib3", "requests", "httpx", "httpcore")


@contextmanager
def silenced() -> Iterator[None]:
    """Loggers below these follow by their level, which they take from them."""
    loggers = [logging.getLogger(name) for name in _LOUD]
    before = [(logger.disabled, logger.level) for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, (disabled, level) in zip(loggers, before, strict=True):
            logger.disabled = disabled
            logger.setLevel(level)

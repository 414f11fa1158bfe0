"""Lets go of what only explains how reports came about, when it is old enough; reports and answers stay."""

from __future__ import annotations

from datetime import date, timedelta

from daybreak.core.config import Settings
from daybreak.store.interface import Store


def tidy(store: Store, settings: Settings, today: date) -> int:
    """Drop runs and steps that are older than `[retention] days`; how many rows went.

    The store counts days in UTC and the caller may not: one day more is kept, so that nothing goes early.
    """
    days = settings.config.retention.days
    if not days:
        return 0
    return store.forget(today - timedelta(days=min(days, today.toordinal() - 2) + 1))

"""Notifications: a short message to each target when a day is reported, once, with a receipt in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.deliver.notify.delivery import Notifier
    from daybreak.store import Store


def notifier(settings: Settings, store: Store) -> Notifier:
    """Who tells the targets of the config; raises ConfigError for a target that cannot be one.

    `report(day) -> tuple[Receipt, ...]`, `failure(label, message) -> tuple[Receipt, ...]` and
    `retry_pending() -> tuple[Receipt, ...]` never raise for what goes wrong with a target: the receipt says it
    (`state`, `reason`). The caller holds the store, as every run does.
    """
    from daybreak.deliver.notify.delivery import Notifier

    return Notifier(settings, store)

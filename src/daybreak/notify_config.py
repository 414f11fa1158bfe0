"""The `[notify]` part of `daybreak.toml`: whom to tell, and of what."""

from __future__ import annotations

from msgspec import Struct


class NotifyConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Whom to tell, and of what."""

    urls: tuple[str, ...] = ()
    on: tuple[str, ...] = ("report", "breaking", "failure")


def check_notify(config: NotifyConfig, file: str) -> None:
    """What types alone cannot say; raises ConfigError."""

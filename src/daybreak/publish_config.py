"""The `[publish]` part of `daybreak.toml`: where reports go besides the folder."""

from __future__ import annotations

from msgspec import Struct


class PublishConfig(Struct, frozen=True, forbid_unknown_fields=True):
    """Where reports go besides the folder."""

    git: str = ""
    github_issue: str = ""
    site: bool = False


def check_publish(config: PublishConfig, file: str) -> None:
    """What types alone cannot say; raises ConfigError."""

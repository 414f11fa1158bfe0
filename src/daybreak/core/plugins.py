"""Plug-ins: what other installed packages add by entry points.

Only installed packages are asked, never the folder one stands in: `importlib.metadata` looks through `sys.path`, from which the
program took that folder at its start. A plug-in that does not load costs itself, and is named.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from daybreak.core.errors import ConfigError

LANGUAGES = "daybreak.languages"
NOTIFIERS = "daybreak.notifiers"
PUBLISHERS = "daybreak.publishers"
SOURCES = "daybreak.sources"


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """Name → entry point, of one group; of two with one name the first found, as Python imports."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, point)
    return dict(sorted(found.items()))


def load(group: str, name: str) -> Any:
    """The object behind a name; ConfigError when there is none, or it does not load."""
    point = installed(group).get(name)
    if point is None:
        known = ", ".join(installed(group)) or "none is installed"
        raise ConfigError(f"There is no plug-in {name!r} for {group}.", f"Installed: {known}.")
    try:
        return point.load()
    except Exception as error:
        raise ConfigError(
            f"The plug-in {name!r} ({point.value}) does not load: {type(error).__name__}.",
            "Install its package again, or take it out.",
        ) from error


def stamp(group: str) -> str:
    """Which plug-ins of a group there are, with their versions: part of the name of whatever is kept of their work."""
    parts = (
        f"{name}={point.value}@{point.dist.version if point.dist else ''}" for name, point in installed(group).items()
    )
    return ",".join(parts)

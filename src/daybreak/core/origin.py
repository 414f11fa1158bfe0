"""Origin of this installation: the one place that decides which install command is said, in messages and in the docs."""

from __future__ import annotations

ON_INDEX = False
"""True once the name is ours on an index; until then the docs give the commands of a clone."""


def install(extra: str) -> str:
    """The command that adds an extra to what runs now, from wherever that was had: a folder, an address, an index."""
    return f'pip install "{_wanted(extra, _direct_url())}"'


def _wanted(extra: str, told: str | None) -> str:
    """The requirement for pip, as the record of a direct installation (PEP 610) has it; without one, by name."""
    import json
    from urllib.parse import unquote, urlsplit

    try:
        record = json.loads(told or "")
        url, kind = str(record["url"]), record.get("vcs_info", {}).get("vcs", "")
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"daybreak[{extra}]"
    if kind:
        return f"daybreak[{extra}] @ {kind}+{url}"
    if "dir_info" in record and url.startswith("file:"):
        return f"{unquote(urlsplit(url).path)}[{extra}]"
    return f"daybreak[{extra}] @ {url}"


def _direct_url() -> str | None:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("daybreak").read_text("direct_url.json")
    except PackageNotFoundError:
        return None

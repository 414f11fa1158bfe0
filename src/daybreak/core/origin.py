"""Origin of this installation: the one place that decides which install command is said, in messages and in the docs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ON_INDEX = False
"""True once the name is ours on an index; until then the docs give the commands of a clone."""


def install(extra: str) -> str:
    """The command that adds an extra to what runs now, from wherever that was had and by whatever installed it."""
    import sys
    from importlib.util import find_spec
    from pathlib import Path

    here = Path(sys.prefix)
    tool = _text(here / "uv-receipt.toml")
    if tool:  # it is put up anew: the extras that it has are named again
        return f'uv tool install "{_wanted(",".join(sorted({extra, *_extras(tool)})), _direct_url())}"'
    wanted = f'"{_wanted(extra, _direct_url())}"'
    by_uv = find_spec("pip") is None and (here / "pyvenv.cfg").is_file()
    return f'uv pip install --python "{here}" {wanted}' if by_uv else f"pip install {wanted}"


def _extras(receipt: str) -> tuple[str, ...]:
    """The extras of this program that uv was asked for, as its receipt has them."""
    import tomllib

    try:
        asked = tomllib.loads(receipt)["tool"]["requirements"]
        return tuple(extra for one in asked if one.get("name") == "daybreak" for extra in one.get("extras", ()))
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError):
        return ()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


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

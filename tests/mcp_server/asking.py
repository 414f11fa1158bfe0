"""A desk on a folder, questions to a server in this process, and answers looked through from end to end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp.client.client import Client
from mcp.server import MCPServer

from daybreak.core.config import load
from daybreak.report.archive.opening import open_archive
from daybreak.serve.mcp.context import Desk
from daybreak.serve.mcp.server import make_server

RENAME = "eb4ec46c756d"
"""The change of the demo that renames `--max-num-seqs` to `--max-running-requests` (pull request 418)."""
DEFAULT = "e5533bc14111"
"""The change that turns the default of `--chunked-prefill-size` from 8192 to 2048."""
REMOVAL = "2d140d57694e"
"""The change that removes `LANTERN_USE_LEGACY_SAMPLER`."""
DAY = "2026-03-06"
TOOLS = [
    "list_days",
    "get_report",
    "search",
    "get_change",
    "list_breaking",
    "findings",
    "symbol_history",
    "check_statement",
]
EVERY: list[tuple[str, dict[str, Any]]] = [
    ("list_days", {}),
    ("get_report", {"date": DAY, "level": "low", "language": "en"}),
    ("search", {"query": "max-num-seqs"}),
    ("get_change", {"change": RENAME}),
    ("list_breaking", {"since": "2026-03-02"}),
    ("symbol_history", {"name": "max-num-seqs", "repo": "lantern"}),
    ("check_statement", {"text": f"{RENAME} renames `--max-num-seqs` to `--max-running-requests`."}),
]
"""A question for every tool, to which the demo's week has an answer."""


def desk_of(folder: Path, environment: Mapping[str, str] | None = None) -> Desk:
    settings = load(folder / "daybreak.toml", {}, dict(environment or {}))
    return Desk(settings, open_archive(settings))


_made: dict[int, tuple[Desk, MCPServer[Any]]] = {}


def server_of(desk: Desk) -> MCPServer[Any]:
    """Made once for a desk: schemas take a tenth of a second."""
    if id(desk) not in _made:
        _made[id(desk)] = desk, make_server(desk)
    return _made[id(desk)][1]


async def answered(client: Client, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A good answer, whose text is the same data."""
    result = await client.call_tool(name, dict(arguments))
    text = result.content[0].text  # type: ignore[union-attr]
    assert not result.is_error, text
    assert isinstance(result.structured_content, dict)
    assert json.loads(text) == result.structured_content
    return result.structured_content


def ask(desk: Desk, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """One question over the protocol, in this process."""

    async def one() -> dict[str, Any]:
        async with Client(server_of(desk)) as client:
            return await answered(client, name, arguments)

    return asyncio.run(one())


def refused(desk: Desk, name: str, arguments: Mapping[str, Any]) -> str:
    """What is said instead of an answer."""

    async def one() -> str:
        async with Client(server_of(desk)) as client:
            result = await client.call_tool(name, dict(arguments))
            assert result.is_error
            assert result.structured_content is None
            return str(result.content[0].text)  # type: ignore[union-attr]

    return asyncio.run(one())


def texts(value: Any, marked: bool = False) -> Iterator[tuple[str, bool]]:
    """Every text of an answer, keys too, and whether it stands under `untrusted`."""
    if isinstance(value, str):
        yield value, marked
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key, marked
            yield from texts(inner, marked or key == "untrusted")
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, marked)

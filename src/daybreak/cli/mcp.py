"""`daybreak mcp`: the reports as tools for programs that speak MCP, over stdin and stdout or over HTTP."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, ConfigError, UsageError

if TYPE_CHECKING:
    from daybreak.serve.mcp.context import Desk


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak mcp [--http]`."""
    parser = commands.add_parser(
        "mcp", parents=[common], allow_abbrev=False, help="the reports as tools for agents (MCP), over stdio or HTTP"
    )
    parser.add_argument("--http", action="store_true", help="streamable HTTP at /mcp instead of stdin and stdout")
    parser.add_argument("--host", metavar="H", help="address to listen on, with --http (default: 127.0.0.1)")
    parser.add_argument("--port", metavar="P", type=int, help="port, with --http (default: 8090; 0: a free one)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Answer until the client goes, or until SIGTERM or Ctrl-C."""
    if not arguments.http and (arguments.host is not None or arguments.port is not None):
        raise UsageError("--host and --port go with --http.", "Add --http, or leave them out.")
    port = 8090 if arguments.port is None else arguments.port
    if not 0 <= port <= 65535:
        raise UsageError(f"{port} is no port.", "Ports go from 1 to 65535; 0 takes a free one.")
    _needed()
    desk = _desk(arguments.config)
    with _logged(voice):
        if arguments.http:
            _serve(desk, arguments.host or "127.0.0.1", port, voice)
        else:
            from daybreak.serve.mcp.server import run_stdio

            run_stdio(desk)
    return EXIT_DONE


def _needed() -> None:
    from importlib.util import find_spec

    from daybreak.core.origin import install

    if find_spec("mcp") is None:
        raise ConfigError("The MCP server needs the package mcp.", f"Install it: {install('mcp')}")


def _desk(config: str) -> Desk:
    from daybreak.cli.common_options import settings_of
    from daybreak.report.archive.opening import open_archive
    from daybreak.serve.mcp.context import Desk

    settings = settings_of(config, {}, "start it in the folder of one")
    return Desk(settings, open_archive(settings))


def _serve(desk: Desk, host: str, port: int, voice: Voice) -> None:
    import asyncio

    from daybreak.core.http import is_loopback
    from daybreak.serve.mcp.server import PATH, application
    from daybreak.serve.web.guard import token_for
    from daybreak.serve.web.service import bound, serve, shown

    token = token_for(desk.settings.environment, others=not is_loopback(host))
    listener = bound(host, port)

    async def answer() -> None:
        async with application(desk, host, token.is_it if token else None) as app:
            said = f"MCP at {shown(listener).rstrip('/')}{PATH}" + (", with a token" if token else "")
            await serve(listener, app, None, lambda: voice.say(said))

    asyncio.run(answer())


@contextmanager
def _logged(voice: Voice) -> Iterator[None]:
    """What the SDK and the server say goes to stderr in our voice: stdout carries the protocol and nothing else."""
    handler = _Passed(voice)
    root = logging.getLogger()
    root.addHandler(handler)
    level = root.level
    root.setLevel(logging.INFO if voice.verbose else logging.WARNING)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


class _Passed(logging.Handler):
    def __init__(self, voice: Voice) -> None:
        super().__init__()
        self._voice = voice

    def emit(self, record: logging.LogRecord) -> None:
        said = self._voice.warn if record.levelno >= logging.WARNING else self._voice.detail
        said(f"{record.name}: {record.getMessage()}"[:500])
        if record.exc_info:
            self._voice.detail(logging.Formatter().formatException(record.exc_info))

"""`daybreak serve`: the pages, search and a JSON API, with the daily schedule."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, UsageError


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak serve` with its options."""
    parser = commands.add_parser(
        "serve", parents=[common], allow_abbrev=False, help="the pages, search and a JSON API, with the daily schedule"
    )
    parser.add_argument(
        "--host",
        metavar="H",
        default="127.0.0.1",
        help="address to listen on (default: %(default)s; any that others reach needs DAYBREAK_TOKEN)",
    )
    parser.add_argument(
        "--port", metavar="P", type=int, default=8080, help="port (default: %(default)s; 0: a free one)"
    )
    parser.add_argument("--schedule", action="store_true", help="report on each day at [schedule] at, and catch up")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Serve until SIGTERM or Ctrl-C, which is the ordinary end."""
    from pathlib import Path

    from daybreak.core.config import environment, load
    from daybreak.serve.web.service import Wish, run_service

    if not 0 <= arguments.port <= 65535:
        raise UsageError(f"{arguments.port} is no port.", "Ports go from 1 to 65535; 0 takes a free one.")
    path = Path(arguments.config)
    settings = load(path, {}, environment())
    wish = Wish(arguments.host, arguments.port, arguments.schedule, arguments.verbose)
    run_service(settings, path, wish, _Log(voice))
    return EXIT_DONE


class _Log:
    """Lines of the service in the program's voice, each with its time; a log that nobody reads stops nothing."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    def __call__(self, level: str, message: str, facts: Mapping[str, Any]) -> None:
        from contextlib import suppress
        from datetime import UTC, datetime

        told = {**facts, "time": datetime.now(UTC).isoformat(timespec="milliseconds")}
        with suppress(OSError, ValueError):
            if level == "error":
                self._voice.error(message, str(told.pop("tip", "")), **told)
            else:
                {"warning": self._voice.warn, "debug": self._voice.detail}.get(level, self._voice.say)(message, **told)

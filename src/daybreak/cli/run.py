"""`daybreak run`: the main job."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import days_of
from daybreak.cli.console import Voice
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from daybreak.core.config import Settings


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak run` with its options."""
    parser = commands.add_parser(
        "run", parents=[common], allow_abbrev=False, help="the main job: report on the window (default: yesterday)"
    )
    parser.add_argument("--date", metavar="D", help="one day, such as 2026-01-19 (or `today`, `yesterday`)")
    parser.add_argument("--since", metavar="T", help="first day of several; one report a day")
    parser.add_argument("--until", metavar="T", help="the day after the last one")
    parser.add_argument("--last", metavar="7d", help="the last days that are over")
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="only this one of the watchlist (repeat)"
    )
    parser.add_argument("--lang", choices=languages(), action="append", default=[], help="report languages (repeat)")
    parser.add_argument("--analyst", choices=("rules", "llm"), help="who writes the prose")
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--out", metavar="DIR", help="where reports/ and README.md go")
    parser.add_argument("--json", action="store_true", help="print the report's data on stdout")
    parser.add_argument("--force", action="store_true", help="make reported days again, with what arrived late")
    parser.add_argument("--newest-first", action="store_true", help="of several days, the newest first")
    parser.add_argument("--no-publish", action="store_true", help="write no pages")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Report on each day of the window."""
    from daybreak.cli.reporting import Wish, report_days

    settings = load_settings(arguments)
    wish = Wish(
        only=tuple(arguments.repo),
        offline=arguments.offline,
        force=arguments.force,
        publish=not arguments.no_publish,
        json=arguments.json,
        newest_first=arguments.newest_first,
        complete=not (arguments.date or arguments.since or arguments.until or arguments.last or arguments.repo),
    )
    return report_days(settings, days_of(arguments, settings), voice, wish)


def load_settings(arguments: argparse.Namespace) -> Settings:
    """The config with this command's flags laid over it; `--out` is relative to where the user stands."""
    from pathlib import Path

    from daybreak.core.config import environment, load

    flags: dict[str, Any] = {}
    if arguments.lang:
        flags["languages"] = list(dict.fromkeys(arguments.lang))
    if arguments.out:
        flags["out"] = str(Path(arguments.out).absolute())
    if arguments.analyst:
        flags["analyst"] = {"kind": arguments.analyst}
    return load(Path(arguments.config), flags, environment())

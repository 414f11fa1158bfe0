"""`daybreak history`: every commit of the watchlist with its line counts, put into the store."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import listed, settings_of
from daybreak.cli.console import Voice, harmless
from daybreak.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOOK, RepositoryError, UsageError

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.core.model.changes import Repo
    from daybreak.runs.commit_stats import Counted
    from daybreak.store.interface import Store


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak history`."""
    parser = commands.add_parser(
        "history",
        parents=[common],
        allow_abbrev=False,
        help="put every commit with its line counts into the store, for trends",
    )
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="only this one of the watchlist (repeat)"
    )
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """A line for each repository; exit code 3 when something could not be read, 1 when no repository could."""
    from daybreak.cli.signals import terminated_like_interrupted
    from daybreak.runs.commit_stats import history_store
    from daybreak.store.lock import run_lock

    settings = settings_of(arguments.config, {})
    repos = settings.repos()
    if not repos:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    if arguments.repo:
        repos = tuple(listed(repos, name) for name in dict.fromkeys(arguments.repo))
    with terminated_like_interrupted(), run_lock(settings.state), history_store(settings) as store:
        found = [_one(repo, settings, store, arguments.offline, voice) for repo in repos]
    if not any(found):
        return EXIT_FAILED
    return EXIT_DONE if all(one is not None and not one.unread for one in found) else EXIT_LOOK


def _one(repo: Repo, settings: Settings, store: Store, offline: bool, voice: Voice) -> Counted | None:
    """Its line; None when it could not be had, which is told."""
    from daybreak.runs.commit_stats import put_history

    try:
        found = put_history(settings, repo, store, offline, voice.say)
    except RepositoryError as error:
        voice.error(error.message, error.tip)
        return None
    told = f"{found.repo}: {found.commits} commits, {found.new} new in the store"
    told += f", {found.unread} not read as a whole" if found.unread else ""
    sys.stdout.write(harmless(told) + "\n")
    sys.stdout.flush()
    return found

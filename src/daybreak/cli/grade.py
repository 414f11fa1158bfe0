"""`daybreak grade`: importance, kind and findings of listed commits, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import BY_GIT, entry_row, kept_of, listed, settings_of, told_of_git, turn_of, unlisted
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, UsageError
from daybreak.core.text import escaped_bytes

if TYPE_CHECKING:
    from daybreak.judge.grading import Job


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak grade REPO --commits FILE`."""
    parser = commands.add_parser(
        "grade", parents=[common], allow_abbrev=False, help="grade the listed commits and print JSON lines"
    )
    parser.add_argument("repo", metavar="REPO", help="name on the watchlist, or any OWNER/NAME with --git")
    parser.add_argument("--commits", metavar="FILE", required=True, help="one sha a line; `-` reads them from stdin")
    parser.add_argument(
        "--git", metavar="URL", help="grade in this repository (a path or an address), without a config"
    )
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--json", action="store_true", help="JSON lines are the only form there is")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Print one row for each listed commit; exit code 3 when one of them could not be read."""
    import msgspec

    from daybreak.judge.grading import grade_commits

    names = _names(arguments.commits)
    unread = 0
    with told_of_git(arguments.git), _job(arguments, voice) as job:
        for entry in grade_commits(job, names, voice.say):
            unread += entry.change.skipped is not None
            sys.stdout.buffer.write(escaped_bytes(msgspec.json.encode(entry_row(entry))) + b"\n")
            sys.stdout.buffer.flush()
    if unread:
        voice.say(f"{unread} of {len(names)} commits could not be read; their rows say why")
    return EXIT_LOOK if unread else EXIT_DONE


def _names(source: str) -> list[str]:
    """The first word of each line; empty lines and comments are no commits."""
    try:
        text = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UsageError(
            f"{source} cannot be read: {error.strerror}.", "Name a file with one sha a line, or `-` for stdin."
        ) from None
    rows = (line.split() for line in text.decode("utf-8-sig", "replace").splitlines())
    return [words[0] for words in rows if words and not words[0].startswith("#")]


@contextmanager
def _job(arguments: argparse.Namespace, voice: Voice) -> Iterator[Job]:
    """A repository of the watchlist, or any repository by its address."""
    from daybreak.judge.grading import Job

    if arguments.git is None:
        settings = settings_of(arguments.config, {}, BY_GIT)
        repo = listed(settings.repos(), arguments.repo)
        with turn_of(settings.state, repo, voice) as mine:
            offline = arguments.offline or not mine
            yield Job(repo, settings.state, settings.environment, settings.config.reader, offline)
        return
    repo, variables = unlisted(arguments.repo, arguments.git)
    with kept_of(repo) as folder, turn_of(folder, repo, voice) as mine:
        yield Job(repo, folder, variables, offline=arguments.offline or not mine)

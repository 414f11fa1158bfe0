"""`daybreak doctor`: is everything there that a run needs? One line each, with the mend."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from daybreak.cli.voice import Voice, harmless
from daybreak.errors import EXIT_DONE, EXIT_LOOK, DaybreakError, UsageError

if TYPE_CHECKING:
    from daybreak.config import Settings

ENOUGH_DISK = 2 << 30


class Finding(NamedTuple):
    """One line of the doctor."""

    ok: bool
    what: str
    mend: str = ""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak doctor`."""
    parser = commands.add_parser(
        "doctor", parents=[common], allow_abbrev=False, help="check config, git, repositories, disk; one line each"
    )
    parser.add_argument("--offline", action="store_true", help="do not ask the repositories' servers")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:  # noqa: ARG001  all commands are called alike
    """Print a line for each check; exit code 3 when one failed."""
    bad = 0
    for finding in _checks(arguments):
        mark = "ok  " if finding.ok else "FAIL"
        mend = "" if finding.ok or not finding.mend else f" — {finding.mend}"
        sys.stdout.write(f"{mark} {harmless(finding.what)}{harmless(mend)}\n")
        bad += not finding.ok
    return EXIT_LOOK if bad else EXIT_DONE


def _checks(arguments: argparse.Namespace) -> Iterator[Finding]:
    from functools import partial
    from pathlib import Path

    from daybreak.config import environment, load
    from daybreak.wiring import git_version

    yield _tried("git", lambda: git_version(environment()))
    settings: list[Settings] = []
    yield _tried(arguments.config, lambda: _loaded(settings, load(Path(arguments.config), {}, environment())))
    for found in settings:
        yield from _folders(found)
        yield from _repositories(found, arguments.offline)
        token = "set" if found.environment.get("GITHUB_TOKEN") else "not set (not needed for a report from git alone)"
        yield Finding(True, f"GITHUB_TOKEN: {token}")
        yield _tried(
            f"analyst {found.config.analyst.kind}, executor {found.config.execute.kind}", partial(_stages, found)
        )


def _stages(settings: Settings) -> None:
    from daybreak.wiring import stages

    if not settings.config.repo:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    stages(settings, offline=True, say=lambda _: None)


def _loaded(kept: list[Settings], settings: Settings) -> str:
    kept.append(settings)
    count = len(settings.config.repo)
    return f"config: {count} repositories, {settings.config.timezone}, {', '.join(settings.languages)}"


def _folders(settings: Settings) -> Iterator[Finding]:
    import os
    import shutil

    from daybreak.wiring import refuse_foreign

    for name, folder in (("out", settings.out), ("state", settings.state)):
        place = folder
        while not place.exists():
            place = place.parent
        fine = place.is_dir() and os.access(place, os.W_OK)
        yield Finding(fine, f"{name}: {folder} can be written", "Check its permissions, or set `out`.")
    free = shutil.disk_usage(place).free
    yield Finding(
        free >= ENOUGH_DISK, f"disk: {free / 2**30:.1f} GiB free", "Mirrors need about 2 GiB: free some space."
    )
    yield _tried("out: nothing foreign in the way", lambda: refuse_foreign(settings))


def _repositories(settings: Settings, offline: bool) -> Iterator[Finding]:
    from functools import partial

    from daybreak.wiring import ask_upstream

    for repo in settings.repos():
        yield _tried(repo.name, partial(ask_upstream, settings, repo, offline))


def _tried(name: str, question: Callable[[], object]) -> Finding:
    try:
        answer = question()
        return Finding(True, answer if isinstance(answer, str) else name)
    except DaybreakError as error:
        return Finding(False, f"{name}: {error.message}", error.tip)

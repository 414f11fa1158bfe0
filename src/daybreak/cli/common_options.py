"""What several commands ask for in the same way: a repository, a config, days, a worker for each core; and entries as data."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.core.day_json import fields_of
from daybreak.core.errors import ConfigError, GitError, UsageError
from daybreak.core.text import valid_text

if TYPE_CHECKING:
    import argparse

    from daybreak.cli.console import Voice
    from daybreak.core.config import Settings
    from daybreak.core.model.changes import Repo, Window
    from daybreak.core.model.findings import Finding
    from daybreak.core.model.report import Entry
    from daybreak.upgrade.range import Job

_OF_CONFIG = "daybreak.toml"
_ALIKE = 0.65
"""Share of letters in common from which one name may be the other misspelt."""
BY_GIT = "say where the repository is with --git"


# --- where -----------------------------------------------------------------------------------------------------------


def settings_of(config: str, flags: Mapping[str, Any], instead: str = "go to its folder") -> Settings:
    """The config; when there is none, the error says what else the command can do (`instead`)."""
    from daybreak.core.config import environment, load

    path = Path(config)
    if not path.exists():
        raise ConfigError(
            f"There is no {path}.", f"Write one with `daybreak init`, name it with --config, or {instead}."
        )
    return load(path, flags, environment())


_NAMED = 8
"""Repositories of a watchlist that a tip names."""


def _address(text: str) -> str:
    """As a browser or a forge writes it."""
    return text.lower().rstrip("/").removesuffix(".git")


def listed(repos: Sequence[Repo], name: str, instead: str = ", or say where it is with --git") -> Repo:
    """The one of the watchlist with this name or address, or the only one whose name ends so; the error suggests what was
    meant, and what else the command can do (`instead`).
    """
    lies = [repo for repo in repos if _address(name) in (_address(repo.url), _address(repo.git))]
    if len(lies) == 1:
        return lies[0]
    same = [repo for repo in repos if repo.name.lower() == name.lower()]  # forges look at no case
    found = next((repo for repo in same if repo.name == name), same[0] if len(same) == 1 else None)
    short = [repo for repo in repos if repo.name.rpartition("/")[2].lower() == name.lower()]
    if found is None and len(short) == 1:
        return short[0]
    if found is None:
        near = _near([repo.name for repo in repos], name)
        there = f"It has {', '.join(repo.name for repo in repos)}. " if 0 < len(repos) <= _NAMED else ""
        tip = f"Add it to daybreak.toml as a [[repo]]{instead}."
        raise UsageError(f"{name!r} is not on the watchlist.", f"Did you mean {near!r}? {tip}" if near else there + tip)
    return found


def _near(names: Sequence[str], asked: str) -> str | None:
    """The full name that something like it stands for; two repositories are not alike for having the same owner."""
    from difflib import SequenceMatcher

    def alike(name: str) -> float:
        theirs, _, last = name.lower().rpartition("/")
        same = SequenceMatcher(None, last, asked_last).ratio()
        return same if same == 1 or not owner else min(same, SequenceMatcher(None, theirs, owner).ratio())

    owner, _, asked_last = asked[:200].lower().rpartition("/")
    best = max(names, key=alike, default=None)
    return best if best is not None and alike(best) >= _ALIKE else None


def refuse_no_ranges(told: Sequence[str]) -> None:
    """What is no range A..B is told before anybody waits for another run."""
    if told:
        from daybreak.collect.git.refs import split

        for one in told:
            split(one)


def unread_told(count: int) -> str:
    """Files of the reader's that were left out."""
    return f"{count} of your files could not be read and {'was' if count == 1 else 'were'} not compared"


def unlisted(name: str, address: str) -> tuple[Repo, dict[str, str]]:
    """Any repository, by its path or bare address, and the environment in which git is let in there."""
    from daybreak.core.address import Address, packed
    from daybreak.core.config import environment, is_remote
    from daybreak.core.model.changes import Repo

    if not address or address.startswith("-"):
        raise UsageError(f"{address!r} is not an address.", "Give a path or a URL that git can fetch from.")
    asked = Address.of(address)
    place = asked.bare if is_remote(asked.bare) else str(Path(address).expanduser().resolve())
    return Repo(name, f"https://github.com/{name}", place), {**environment(), **packed({name: asked})}


@contextmanager
def kept_of(repo: Repo) -> Iterator[Path]:
    """The folder of mirror and caches of a repository that no config names: in the user's cache, so that the next question
    about it begins where this one ended. Where that cannot be written, one that is gone afterwards.
    """
    import hashlib
    import os
    import tempfile

    from daybreak.core.config import environment

    mark = hashlib.sha256(repo.git.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    said = environment().get("XDG_CACHE_HOME", "")
    with ExitStack() as held:
        try:
            above = Path(said) if Path(said).is_absolute() else Path("~/.cache").expanduser()
            above.joinpath("daybreak").mkdir(0o700, parents=True, exist_ok=True)  # code of others may be private
            folder = above / "daybreak" / f"{repo.name.replace('/', '+')}-{mark}"
            folder.mkdir(exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError
        except (OSError, RuntimeError):  # the last: nobody's home
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="daybreak-")))
        yield folder


def turn_of(state: Path, repo: Repo, voice: Voice) -> AbstractContextManager[bool]:
    """Whether this question may bring the repository's mirror up to date: not while somebody else works in the folder."""
    from daybreak.collect.git.mirror import has_mirror
    from daybreak.store.lock import turn_to_write

    return turn_to_write(state, lambda: has_mirror(repo, state / "mirrors"), voice.say)


@contextmanager
def told_of_git(address: str | None) -> Iterator[None]:
    """What is wrong with an address given with --git is not a matter of the config."""
    try:
        yield
    except GitError as error:
        if address is not None and _OF_CONFIG in error.tip:
            error.tip = "Check the address given with --git."
        raise


def days_of(arguments: argparse.Namespace, settings: Settings) -> list[Window]:
    """The days that --date, --since, --until and --last mean."""
    from daybreak.core.config import now
    from daybreak.core.windows import windows

    return windows(
        settings.zone,
        now(settings.environment),
        on=arguments.date,
        since=arguments.since,
        until=arguments.until,
        last=arguments.last,
    )


def spoken(variables: Mapping[str, str]) -> tuple[str, ...]:
    """Both editions; the main one is Chinese where the locale is."""
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := variables.get(name))), "")
    return ("zh", "en") if locale.lower().startswith("zh") else ("en", "zh")


def range_job(settings: Settings, repo: Repo, offline: bool, voice: Voice) -> Job:
    """Commits of a repository of the watchlist, read as the config says."""
    from functools import partial

    from daybreak.upgrade.range import Job

    return Job(
        repo,
        settings.state,
        settings.environment,
        settings.languages,
        settings.config.reader,
        offline,
        settings.workers,
        turn=partial(turn_of, settings.state, repo, voice),
    )


@contextmanager
def with_progress(job: Job, voice: Voice) -> Iterator[Job]:
    """The job, whose commits are counted as they are read; each takes about as long as the next."""
    from dataclasses import replace

    with voice.progress(f"{job.repo.name}: commits read" if job.repo.name else "sources read", even=True) as steps:
        yield replace(job, expect=steps.expect, done=steps.more)


def cores() -> int:
    """Workers of a command that no config speaks for."""
    import os

    return min(os.cpu_count() or 1, 8)


def printed(text: str) -> None:
    """On stdout as UTF-8, whatever the terminal says it speaks: others read it too."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def as_line(data: Mapping[str, Any] | Sequence[Any]) -> str:
    """Data on one line, in ASCII: a terminal that shows it obeys nothing of what others wrote."""
    import json

    return json.dumps(data) + "\n"


# --- as data ---------------------------------------------------------------------------------------------------------


def entry_row(entry: Entry) -> dict[str, Any]:
    """A graded commit."""
    change, grade = entry.change, entry.importance
    row: dict[str, Any] = {
        "repo": change.repo,
        "sha": change.sha,
        "importance": grade.level,
        "score": grade.score,
        "breaking": entry.breaking,
        "marks": list(entry.marks),
        "kind": entry.kind,
        "findings": [finding_row(finding) for finding in entry.reading.findings],
        "reasons": [{"code": reason.code, "text": dict(reason.text)} for reason in grade.reasons],
    }
    return row | ({"skipped": change.skipped} if change.skipped else {})


def finding_row(finding: Finding) -> dict[str, Any]:
    """As in reports, without the id, which only means something inside a report."""
    from daybreak.judge.day_value import finding_of

    row = fields_of(finding_of(finding))
    return {name: valid_text(value) if isinstance(value, str) else value for name, value in row.items() if name != "id"}

"""`daybreak grade`: importance, kind and findings of listed commits, as JSON lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.voice import Voice
from daybreak.errors import EXIT_DONE, EXIT_LOOK, UsageError

if TYPE_CHECKING:
    from daybreak.grading import Job
    from daybreak.model import Entry, Finding, Repo


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
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Print one row for each listed commit; exit code 3 when one of them could not be read."""
    import msgspec

    from daybreak.grading import grade_commits

    names = _names(arguments.commits)
    unread = 0
    with _job(arguments) as job:
        for entry in grade_commits(job, names, voice.say):
            unread += entry.change.skipped is not None
            sys.stdout.buffer.write(msgspec.json.encode(_row(entry)) + b"\n")
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
def _job(arguments: argparse.Namespace) -> Iterator[Job]:
    """A repository of the watchlist, or any repository in a folder that is forgotten afterwards."""
    from daybreak.config import Settings, environment, load
    from daybreak.grading import Job
    from daybreak.store.lock import run_lock

    if arguments.git is None:
        settings: Settings = load(Path(arguments.config), {}, environment())
        repo = _listed(settings.repos(), arguments.repo)
        with run_lock(settings.state):
            yield Job(repo, settings.state, settings.environment, settings.config.reader, arguments.offline)
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        yield Job(_unlisted(arguments.repo, arguments.git), Path(folder), environment())


def _listed(repos: Sequence[Repo], name: str) -> Repo:
    found = next((repo for repo in repos if repo.name == name), None)
    if found is None:
        import difflib

        near = difflib.get_close_matches(name, [repo.name for repo in repos], n=1)
        tip = f"Did you mean {near[0]!r}?" if near else "Add it to daybreak.toml, or say where it is with --git."
        raise UsageError(f"{name!r} is not on the watchlist.", tip)
    return found


def _unlisted(name: str, address: str) -> Repo:
    from daybreak.config import is_remote
    from daybreak.model import Repo

    if not address or address.startswith("-"):
        raise UsageError(f"{address!r} is not an address.", "Give a path or a URL that git can fetch from.")
    place = address if is_remote(address) else str(Path(address).expanduser().resolve())
    return Repo(name, f"https://github.com/{name}", place)


def _row(entry: Entry) -> dict[str, Any]:
    change, grade = entry.change, entry.importance
    row: dict[str, Any] = {
        "repo": change.repo,
        "sha": change.sha,
        "importance": grade.level,
        "score": grade.score,
        "breaking": entry.breaking,
        "kind": entry.kind,
        "findings": [_finding(finding) for finding in entry.reading.findings],
        "reasons": [{"code": reason.code, "text": dict(reason.text)} for reason in grade.reasons],
    }
    return row | ({"skipped": change.skipped} if change.skipped else {})


def _finding(finding: Finding) -> dict[str, Any]:
    """As in reports, without the id, which only means something inside a report."""
    alias = finding.alias
    return {
        "kind": finding.kind,
        "path": _text(finding.path),
        "line": finding.line,
        "symbol": _text(finding.symbol),
        "before": None if finding.before is None else _text(finding.before),
        "after": None if finding.after is None else _text(finding.after),
        "breaking": finding.breaking,
        "alias": {"status": alias.status, "where": alias.where} if alias else None,
        "effective": {"with": finding.effective} if finding.effective else None,
    }


def _text(value: str) -> str:
    """UTF-8 has no lone surrogates; bytes that were not text show as the replacement character."""
    return value if value.isascii() else value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")

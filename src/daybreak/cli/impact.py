"""`daybreak impact`: which upstream changes of a window or a range touch your own code."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import cores, days_of, listed, printed, range_job, settings_of, told_of_git, unlisted
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, UsageError
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybreak.core.config import Settings
    from daybreak.core.model.changes import Repo
    from daybreak.upgrade.impact import ImpactReport, Upstream, Yours

_INSTEAD = "ask about any repository: --range OWNER/NAME A..B --git URL"
FORMATS = ("text", "markdown", "json", "sarif", "github")


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak impact PATH` with its options."""
    parser = commands.add_parser(
        "impact", parents=[common], allow_abbrev=False, help="which upstream changes touch your own code"
    )
    parser.add_argument("path", metavar="PATH", help="folder or file with your code, configs and scripts; never run")
    parser.add_argument(
        "--range", metavar=("REPO", "A..B"), nargs=2, action="append", default=[], help="between two refs (repeat)"
    )
    parser.add_argument("--date", metavar="D", help="one day, such as 2026-01-19 (default: yesterday)")
    parser.add_argument("--since", metavar="T", help="first day of several")
    parser.add_argument("--until", metavar="T", help="the day after the last one")
    parser.add_argument("--last", metavar="7d", help="the last days that are over")
    parser.add_argument(
        "--repo", metavar="NAME", action="append", default=[], help="only this one of the watchlist (repeat)"
    )
    parser.add_argument("--git", metavar="URL", help="with --range: look in this repository, without a config")
    parser.add_argument("--fork", metavar="BRANCH", help="PATH is a clone: how this branch of it stands to upstream")
    parser.add_argument("--upstream", metavar="REF", help="with --fork: what it is a fork of (default: the remote's)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the answer (default: %(default)s)")
    parser.add_argument("--lang", choices=languages(), help="language of the answer (default: the config's first)")
    parser.add_argument("--acks", metavar="F", help="file of acknowledgements (default: daybreak-acks.toml)")
    parser.add_argument("--all", action="store_true", help="show acknowledged ones too")
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Print what touches the code; exit code 3 when something does that nobody has acknowledged."""
    _refuse_mixed(arguments)
    root = Path(arguments.path)
    if arguments.fork:
        return _fork(arguments, root, voice)
    from daybreak.core.config import environment
    from daybreak.upgrade.impact import every_failure, impact, refuse_unreadable, rendered

    refuse_unreadable(root)
    with told_of_git(arguments.git), _asked(arguments, voice) as (upstreams, yours, language):
        failure = every_failure(upstreams)
        if failure is not None:
            raise failure
        report = impact(yours, upstreams, environment(), window=not arguments.range)
    printed(rendered(report, arguments.format, language))
    _tell(report, upstreams, arguments, voice)
    known = not report.blind and not any(upstream.failed for upstream in upstreams)
    return EXIT_DONE if known and not report.counted else EXIT_LOOK


def _refuse_mixed(arguments: argparse.Namespace) -> None:
    days = any((arguments.date, arguments.since, arguments.until, arguments.last))
    if arguments.range and days:
        raise UsageError("--range and days name two different things to look at.", "Use one of them.")
    if arguments.range and arguments.repo:
        raise UsageError("--range names its repository itself.", "Leave --repo out.")
    if arguments.git is not None and len(arguments.range) != 1:
        raise UsageError("--git needs one --range REPO A..B.", "For example --range acme/engine v1.0..v1.1 --git URL.")
    if arguments.fork and (arguments.range or days or arguments.repo or arguments.git is not None):
        raise UsageError("--fork compares two branches of one clone.", "Leave the window, --range and --repo out.")
    if arguments.upstream and not arguments.fork:
        raise UsageError("--upstream belongs to --fork.", "For example --fork main --upstream upstream/main.")


# --- what is asked -------------------------------------------------------------------------------------------------


@contextmanager
def _asked(arguments: argparse.Namespace, voice: Voice) -> Iterator[tuple[list[Upstream], Yours, str]]:
    """Both sides of the question, and the language of the answer."""
    from daybreak.core.config import environment
    from daybreak.store.lock import run_lock

    if arguments.git is None:
        settings = settings_of(arguments.config, {}, _INSTEAD)
        with run_lock(settings.state):
            found = _ranges(arguments, settings, voice) if arguments.range else _windows(arguments, settings, voice)
            language = arguments.lang or settings.languages[0]
            yield found, _yours(arguments, settings.base, settings.environment, settings.workers), language
        return
    import tempfile

    from daybreak.upgrade.impact import in_range
    from daybreak.upgrade.range import Job

    (name, text) = arguments.range[0]
    with tempfile.TemporaryDirectory(prefix="daybreak-") as folder:
        job = Job(unlisted(name, arguments.git), Path(folder), environment(), workers=cores())
        upstream = in_range(job, text, voice.say)
        base = Path(arguments.config).parent.resolve()
        yield [upstream], _yours(arguments, base, environment(), cores()), arguments.lang or "en"


def _yours(arguments: argparse.Namespace, base: Path, variables: dict[str, str], workers: int) -> Yours:
    from daybreak.core.config import now
    from daybreak.store.acks import FILE_NAME, load_acks
    from daybreak.upgrade.impact import Yours

    file = Path(arguments.acks) if arguments.acks else base / FILE_NAME
    if arguments.acks and not file.exists():
        raise UsageError(f"There is no {file}.", "Write one with `daybreak ack`.")
    today = now(variables).date()
    return Yours(Path(arguments.path), arguments.path, today, load_acks(file), file.name, arguments.all, workers)


def _ranges(arguments: argparse.Namespace, settings: Settings, voice: Voice) -> list[Upstream]:
    from daybreak.upgrade.impact import in_range

    repos = settings.repos()
    asked = [(listed(repos, name), text) for name, text in arguments.range]
    return [in_range(range_job(settings, repo, arguments.offline), text, voice.say) for repo, text in asked]


def _windows(arguments: argparse.Namespace, settings: Settings, voice: Voice) -> list[Upstream]:
    from daybreak.upgrade.impact import in_window

    days = days_of(arguments, settings)
    what = days[0].label if len(days) == 1 else f"{days[0].label} – {days[-1].label}"
    found = []
    repos = _chosen(settings, arguments.repo)
    with voice.progress(what, len(repos)) as steps:
        for repo in repos:
            job = range_job(settings, repo, arguments.offline)
            found.append(in_window(job, days[0].since, days[-1].until, what, voice.say))
            steps.done(repo.name)
    return found


def _chosen(settings: Settings, only: Sequence[str]) -> list[Repo]:
    repos = settings.repos()
    if not repos:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    return [listed(repos, name) for name in dict.fromkeys(only)] if only else list(repos)


# --- the answer ----------------------------------------------------------------------------------------------------


def _tell(report: ImpactReport, upstreams: Sequence[Upstream], arguments: argparse.Namespace, voice: Voice) -> None:
    """What the chosen form leaves out, on stderr."""
    for upstream in upstreams:
        for skipped in upstream.skipped if upstream.failed else ():
            voice.warn(f"skipped: {skipped.what}: {skipped.reason}. {skipped.tip}".rstrip(), skipped=skipped.what)
            voice.detail(skipped.detail)
    if report.unread:
        voice.warn(f"{len(report.unread)} of your files could not be read and were not compared")
    if arguments.format == "github":
        for what, day in report.expired:
            voice.warn(f"an acknowledgement has expired and counts again: {what} ({day})")
        for what in report.unused:
            voice.warn(f"an acknowledgement that nothing needs: {what}")
    if report.files == 0:
        voice.warn(f"{arguments.path}: there is nothing that can be read as code, settings or scripts")


# --- forks ---------------------------------------------------------------------------------------------------------


def _fork(arguments: argparse.Namespace, root: Path, voice: Voice) -> int:
    from daybreak.core.config import environment
    from daybreak.upgrade.fork.forking import fork_report
    from daybreak.upgrade.impact import fork_rendered

    if arguments.format in ("sarif", "github"):
        raise UsageError(f"--fork has no form {arguments.format!r}.", "Use --format text, markdown or json.")
    language = arguments.lang or _first_language(arguments.config)
    report = fork_report(root, arguments.fork, arguments.upstream, environment(), voice.say)
    printed(fork_rendered(report, arguments.format, language))
    return EXIT_LOOK if report.touches or report.skipped or not report.merges else EXIT_DONE


def _first_language(config: str) -> str:
    """The config's, if there is one: forks are compared without it as well."""
    return settings_of(config, {}).languages[0] if Path(config).exists() else "en"

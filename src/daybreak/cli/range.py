"""`daybreak range`: the upgrade report between two refs, or between two folders of sources."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import (
    BY_GIT,
    cores,
    kept_of,
    listed,
    printed,
    range_job,
    refuse_no_ranges,
    settings_of,
    told_of_git,
    turn_of,
    unlisted,
    unread_told,
    with_progress,
)
from daybreak.cli.console import Voice, harmless
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, UsageError
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybreak.core.model.report import Page
    from daybreak.core.model.upgrade import RangeReport
    from daybreak.upgrade.range import Job

_TOLD = 10
"""Skipped things that are told one by one; the report names them all."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak range REPO A..B` with its options."""
    parser = commands.add_parser(
        "range", parents=[common], allow_abbrev=False, help="an upgrade report between two refs of a repository"
    )
    parser.hint = "Write `daybreak range OWNER/NAME v1.0..v1.1`, or `daybreak range --trees OLD NEW`."
    parser.add_argument("repo", metavar="REPO", nargs="?", help="name on the watchlist, or any OWNER/NAME with --git")
    parser.add_argument("range", metavar="A..B", nargs="?", help="tags, branches or shas; `latest`: the newest release")
    parser.add_argument("--git", metavar="URL", help="look in this repository (a path or an address), without a config")
    parser.add_argument("--trees", metavar=("OLD", "NEW"), nargs=2, help="compare two folders of sources instead")
    parser.add_argument("--impact", metavar="PATH", help="show what of it touches the code at PATH")
    parser.add_argument("--lang", choices=languages(), action="append", default=[], help="report languages (repeat)")
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.add_argument("--out", metavar="DIR", help="where reports/range/ goes")
    parser.add_argument("--json", action="store_true", help="print the report's data on stdout")
    parser.add_argument("--no-publish", action="store_true", help="write no pages; print the main edition on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Report on the range; exit code 3 when something was skipped, or touches the code that was asked about."""
    _refuse_mixed(arguments)
    with told_of_git(arguments.git), _job(arguments, voice) as (job, out):
        report = _report(arguments, job, voice)
        if arguments.impact:
            report = _touching(arguments, report, job)
    from daybreak.runs.wiring import checked_pages, counted
    from daybreak.upgrade.range.range_sections import skipped_of

    report, pages = checked_pages(report)
    _publish(arguments, report, pages, out, voice)
    skipped = skipped_of(report)
    for one in skipped[:_TOLD]:
        voice.skipped(one)
    if len(skipped) > _TOLD:
        voice.warn(f"skipped: {len(skipped) - _TOLD} more, named in the report")
    if report.unread:
        voice.warn(unread_told(len(report.unread)) + "; the report names them")
    return EXIT_LOOK if skipped or counted(report) else EXIT_DONE


def _refuse_mixed(arguments: argparse.Namespace) -> None:
    if arguments.trees:
        if arguments.repo or arguments.git is not None:
            raise UsageError("--trees compares two folders and nothing else.", "Leave REPO, A..B and --git out.")
    elif not arguments.repo or not arguments.range:
        raise UsageError(
            "A repository and a range A..B are needed.", "For example `daybreak range pytorch/pytorch v2.8.0..latest`."
        )
    else:
        refuse_no_ranges([arguments.range])
    if arguments.impact and not Path(arguments.impact).exists():
        raise UsageError(f"There is no {arguments.impact}.", "Name a folder or a file with your code.")


def _report(arguments: argparse.Namespace, job: Job, voice: Voice) -> RangeReport:
    from daybreak.upgrade.range import range_report, trees_report

    if arguments.trees:
        old, new = map(Path, arguments.trees)
        return trees_report(job, old, new)
    return range_report(job, arguments.range, voice.say)


def _touching(arguments: argparse.Namespace, report: RangeReport, job: Job) -> RangeReport:
    """With what touches the code, under the acknowledgements beside the config."""
    from daybreak.core.config import now
    from daybreak.store.acks import FILE_NAME, load_acks
    from daybreak.upgrade.impact import touching

    acks = load_acks(Path(arguments.config).parent / FILE_NAME)
    today = now(job.environment).date()
    known = settings_of(arguments.config, {}).config.impact.launchers if Path(arguments.config).exists() else {}
    return touching(report, Path(arguments.impact), job.environment, acks, today, job.workers, known)


@contextmanager
def _job(arguments: argparse.Namespace, voice: Voice) -> Iterator[tuple[Job, Path]]:
    """What is read and where the pages go: by the config, or else beside it in the user's cache."""
    from tempfile import TemporaryDirectory

    from daybreak.core.config import environment
    from daybreak.upgrade.range import Job

    flags: dict[str, Any] = {"languages": list(dict.fromkeys(arguments.lang))} if arguments.lang else {}
    if arguments.out:
        flags["out"] = str(Path(arguments.out).absolute())
    if arguments.git is None and not arguments.trees:
        settings = settings_of(arguments.config, flags, BY_GIT)
        repo = listed(settings.repos(), arguments.repo)
        reading = range_job(settings, repo, arguments.offline, voice)
        with with_progress(reading, voice) as job:
            yield job, settings.out
        return
    from daybreak.core.model.changes import Repo

    trees = (Repo("", "", ""), environment())
    asked, variables = trees if arguments.trees else unlisted(arguments.repo, arguments.git)
    with TemporaryDirectory(prefix="daybreak-") if arguments.trees else kept_of(asked) as folder:
        editions = tuple(flags.get("languages", languages()))
        turn = partial(turn_of, Path(folder), asked, voice)
        plain = Job(asked, Path(folder), variables, editions, offline=arguments.offline, workers=cores(), turn=turn)
        with with_progress(plain, voice) as job:
            yield job, Path(flags.get("out", Path.cwd()))


def _publish(
    arguments: argparse.Namespace, report: RangeReport, pages: Sequence[Page], out: Path, voice: Voice
) -> None:
    if not arguments.no_publish:
        from daybreak.runs.wiring import publish
        from daybreak.store.lock import folder_lock

        with folder_lock((out / pages[0].path).parent, voice.say):  # nobody else writes there: a run is not waited for
            publish(pages, out)
    if arguments.json:
        printed(pages[-1].text)
    elif arguments.no_publish:
        printed(pages[0].text)
    else:
        from daybreak.runs.wiring import line

        printed(harmless(f"{line(report)} → {out / pages[0].path}") + "\n")

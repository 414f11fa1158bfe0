"""`daybreak rollup`: a week or a month of stored days, netted over the whole span."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import printed, settings_of
from daybreak.cli.console import Voice
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK
from daybreak.core.text import counted
from daybreak.core.windows import stretches
from daybreak.core.words.phrases import languages

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.core.model.rollup import Rollup
    from daybreak.upgrade.rollup.pages import SumUp


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak rollup --week | --month` with its options."""
    parser = commands.add_parser(
        "rollup", parents=[common], allow_abbrev=False, help="a week or a month of reported days as one page",
        description="What still holds at the end of a week or a month: breaks that stand, faults that were mended, "
        "stories with their outcome, pins and releases. Made of stored days; nothing is read again, and a configured model is asked "
        "one question about the whole, once its last day is reported. Exit code 3: a "
        "day of it that is over has no report; 1: none has.",
    )  # fmt: skip
    span = parser.add_mutually_exclusive_group(required=True)
    span.add_argument("--week", metavar="2026-W05", help="a week as ISO 8601 counts them, Monday to Sunday")
    span.add_argument("--month", metavar="2026-02", help="a month")
    parser.add_argument("--lang", choices=languages(), action="append", default=[], help="languages (repeat)")
    parser.add_argument("--json", action="store_true", help="print the data on stdout")
    parser.add_argument("--no-publish", action="store_true", help="write no pages; print the main one on stdout")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Roll it up; exit code 3 when a day of the span has no report."""
    from daybreak.core.config import today
    from daybreak.deliver.publish.folder import FolderPublisher
    from daybreak.report.archive.opening import open_archive
    from daybreak.upgrade.rollup import rollup, span_of
    from daybreak.upgrade.rollup.pages import pages, summed_up

    flags: dict[str, Any] = {"languages": list(dict.fromkeys(arguments.lang))} if arguments.lang else {}
    span = span_of(arguments.week, arguments.month)
    settings = settings_of(arguments.config, flags)
    now = today(settings)
    with asking(settings, f"rollup {span[0]}", voice) as sum_up:
        report = summed_up(rollup(open_archive(settings), *span, now), settings.out, sum_up)
    made = pages(report, settings.languages)
    if not arguments.no_publish:
        FolderPublisher(settings.out).publish(made)
    shown = made[-1].text if arguments.json else made[0].text
    printed(shown if arguments.json or arguments.no_publish else f"{settings.out / made[0].path}\n")
    missing = without_report(report, now)
    if missing:
        voice.warn(told_days(missing))
    return EXIT_LOOK if missing else EXIT_DONE


@contextmanager
def asking(settings: Settings, command: str, voice: Voice) -> Iterator[SumUp | None]:
    """Asks the configured model, where there is one; a run of its own tells what that cost. Nothing is opened before it is asked."""
    with ExitStack() as stack:

        def sum_up(span: Rollup) -> Rollup:
            from daybreak.runs.run_log import recording
            from daybreak.runs.wiring import telling
            from daybreak.store import ModelCosts
            from daybreak.store.report_files import ReportFiles

            made = stack.enter_context(recording(settings, ReportFiles(settings.out), command))
            costs = ModelCosts(made.store, made.run.id, settings.config.analyst.currency)
            kept = made.store.model_answers
            teller = telling(settings, kept, voice.say, costs, offline=False, force=False)
            return stack.enter_context(teller).sum_up(span)

        yield sum_up if settings.config.analyst.kind == "llm" else None


def without_report(report: Rollup, today: date) -> list[str]:
    """Days of the span without a report that are over; the page, which is the same on any day, names all."""
    return [label for label in (*report.missing, *report.to_come) if label < str(today)]


def told_days(labels: Sequence[str]) -> str:
    """That days have no report, those that follow one another as one."""
    verbs = "has no report and is" if len(labels) == 1 else "have no report and are"
    return f"{counted(len(labels), 'day')} {verbs} not in it: {', '.join(stretches(labels, 'to'))}"

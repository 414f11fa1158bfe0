"""`daybreak notify`: a test message to each target, or what is due for a day that is stored."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from daybreak.cli.console import Voice, harmless
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, EXIT_USAGE, DaybreakError, UsageError

if TYPE_CHECKING:
    from datetime import tzinfo

    from daybreak.core.config import Settings
    from daybreak.core.model.day import Day
    from daybreak.deliver.notify.delivery import Notifier
    from daybreak.deliver.notify.targets import Target
    from daybreak.store import Receipt, Store


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak notify` with its options."""
    parser = commands.add_parser(
        "notify",
        parents=[common],
        allow_abbrev=False,
        help="send a test message, or what is due for a stored day",
        epilog="Targets are in [notify] of the config; secrets come from the environment. See `daybreak docs notify`.",
    )
    parser.hint = "Say --test, or name a day with --date."
    parser.add_argument("--test", action="store_true", help="send a test message to each target")
    parser.add_argument(
        "--date", metavar="DAY", help="send what is due for this stored day; sent ones are not repeated"
    )
    parser.add_argument("--week", metavar="2026-W05", help="send the roll-up of this week")
    parser.add_argument("--month", metavar="2026-02", help="send the roll-up of this month")
    parser.add_argument("--target", metavar="N", help="only to the target with this number (1 is the first)")
    parser.add_argument("--again", action="store_true", help="with --date: also what may have arrived already")
    parser.add_argument("--dry-run", action="store_true", help="print the messages of the day and send nothing")
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Exit code 3 when a message did not get through, 2 when a package is missing for that."""
    from daybreak.cli.common_options import settings_of

    if not (arguments.test or arguments.date or arguments.week or arguments.month or arguments.dry_run):
        raise UsageError("Nothing to send is named.", "Say --test, or name a day with --date.")
    if sum(map(bool, (arguments.test, arguments.date, arguments.week, arguments.month))) > 1:
        raise UsageError("More than one thing to send is named.", "Say one of --test, --date, --week and --month.")
    if arguments.test and (arguments.dry_run or arguments.again):
        raise UsageError("--test sends no day.", "Leave out --again and --dry-run.")
    settings = settings_of(arguments.config, {})
    if arguments.dry_run and not settings.config.notify.targets():
        voice.say(f"the config has no target: this is what one would get. {ADD_ONE}")
        settings = _with_a_sample(settings)
    number = _number(arguments.target, len(settings.config.notify.targets()))
    with _opened(settings, hold=not (arguments.test or arguments.dry_run)) as store:
        notifier = _notifier(settings, store)
        if arguments.test:
            return _test(notifier, number, arguments.json)
        what: Day | str = _span(settings, arguments.week, arguments.month) or _day(store, arguments.date)
        if arguments.dry_run:
            return _dry_run(notifier, what, number, voice, arguments.json)
        how = {"again": arguments.again, "as_data": arguments.json, "zone": settings.zone}
        return _send(notifier, what, number, voice, **how)


def _span(settings: Settings, week: str | None, month: str | None) -> str:
    """Its label, when it is rolled up and lies beside the reports; empty: none is asked for."""
    if not (week or month):
        return ""
    from daybreak.core.config import today
    from daybreak.deliver.publish.folder import FolderPublisher
    from daybreak.report.archive.opening import open_archive
    from daybreak.upgrade.rollup import rollup, span_of
    from daybreak.upgrade.rollup.pages import pages, summed_up

    span = span_of(week, month)
    report = summed_up(rollup(open_archive(settings), *span, today(settings)), settings.out, None)
    FolderPublisher(settings.out).publish(pages(report, settings.languages))
    return span[0]


def _with_a_sample(settings: Settings) -> Settings:
    """Whoever has no target yet may see what a message would say."""
    from msgspec.structs import replace

    notify = replace(settings.config.notify, urls=("json://localhost/",))
    return replace(settings, config=replace(settings.config, notify=notify))


ADD_ONE = 'Add one: [notify] urls = ["feishu://${FEISHU_TOKEN}"]; see `daybreak docs notify`.'


def _number(text: str | None, count: int) -> int | None:
    if not count:
        raise UsageError(
            "The config has no target.",
            ADD_ONE,
        )
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= count):
        raise UsageError(f"--target {text!r} is no target.", f"The config has {count}: use 1 to {count}.")
    return int(text)


@contextmanager
def _opened(settings: Settings, hold: bool) -> Iterator[Store]:
    """Held when something is sent with a receipt: a run that sends the same day waits outside."""
    from contextlib import nullcontext

    from daybreak.store import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        with store.hold() if hold else nullcontext():
            yield store
    finally:
        store.close()


def _notifier(settings: Settings, store: Store) -> Notifier:
    from daybreak.deliver.notify import notifier

    return notifier(settings, store)


def _day(store: Store, label: str | None) -> Day:
    import msgspec

    from daybreak.core.day_json import decode

    labels = store.labels()
    if label is None and labels:
        label = labels[-1]
    if label is None or label not in labels:
        what = (
            f"There is no report of {harmless(label)[:40]} in the store."
            if label
            else "There is no report in the store."
        )
        raise DaybreakError(what, f"The newest one is of {labels[-1]}." if labels else "Make one with `daybreak run`.")
    try:
        return decode(store.report_data(label) or b"")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise DaybreakError(
            f"The stored report of {label} is damaged.", "Look with `daybreak doctor --store`."
        ) from None


# --- what is done ------------------------------------------------------------------------------------------------------


def _chosen(targets: Sequence[Target], number: int | None) -> list[Target]:
    return [target for target in targets if number in (None, target.number)]


def _test(notifier: Notifier, number: int | None, as_data: bool) -> int:
    from daybreak.deliver.notify.senders import lacks_package

    bad = 0
    rows: list[dict[str, Any]] = []
    for target in _chosen(notifier.targets, number):
        outcome = notifier.test(target)
        bad += outcome.kind != "sent"
        rows.append({"target": target.number, "shown": target.shown, "state": outcome.kind, "reason": outcome.reason})
        if as_data:
            continue
        told = "sent" if outcome.kind == "sent" else "not sent" if outcome.kind != "unsure" else "not sure"
        print(harmless(f"{target.number}  {target.shown}: {told}{f' ({outcome.reason})' if outcome.reason else ''}"))
    _data(as_data, rows)
    if any(map(lacks_package, _chosen(notifier.targets, number))):
        return EXIT_USAGE  # as wherever an extra is missing
    return EXIT_LOOK if bad else EXIT_DONE


def _data(asked: bool, rows: Sequence[dict[str, Any]]) -> None:
    if asked:
        from daybreak.cli.common_options import as_line, printed

        printed(as_line(rows))


def _dry_run(notifier: Notifier, what: Day | str, number: int | None, voice: Voice, as_data: bool) -> int:
    """Exit code 3 when a target could not be sent to as things stand."""
    from daybreak.cli.common_options import printed
    from daybreak.deliver.notify.senders import preview

    rows: list[dict[str, Any]] = []
    label = what if isinstance(what, str) else what.label
    found = notifier.would_send_span(what) if isinstance(what, str) else notifier.would_send(what)
    for target, event, message in found:
        if number not in (None, target.number):
            continue
        text = None if message is None else preview(target, message)
        rows.append({"target": target.number, "shown": target.shown, "event": event, "day": label, "text": text})
        if as_data:
            continue
        head = f"{target.number}  {target.shown} · {event or 'nothing to send'} · {label}"
        printed("".join(f"{harmless(line)}\n" for line in (head, *(text or "").splitlines(), "")))
    _data(as_data, rows)
    faulty = [target for target in _chosen(notifier.targets, number) if target.fault]
    for target in faulty:
        voice.error(
            f"Target {target.number} would get nothing: {target.fault}.", "Mend it, then try it with `notify --test`."
        )
    return EXIT_LOOK if faulty else EXIT_DONE


def _send(
    notifier: Notifier, what: Day | str, number: int | None, voice: Voice, again: bool, as_data: bool, zone: tzinfo
) -> int:
    if number is not None:
        notifier = notifier.only(number)
    label = what if isinstance(what, str) else what.label
    before = notifier.sent(label)
    if isinstance(what, str):
        receipts = notifier.span(what, asked=True, again=again)
    else:
        receipts = notifier.report(what, asked=True, again=again)
    _data(
        as_data,
        [
            {"target": r.shown, "event": r.event, "state": r.state, "reason": r.reason, "before": r.id in before}
            for r in receipts
        ],
    )
    for receipt in () if as_data else receipts:
        print(harmless(line_of(receipt, receipt.id in before, zone)))
    if not receipts:
        voice.say(f"nothing is due for {label}")
    return EXIT_LOOK if any(receipt.state != "sent" for receipt in receipts) else EXIT_DONE


def line_of(receipt: Receipt, before: bool, zone: tzinfo) -> str:
    """One receipt on one line; `before`: it was sent by an earlier call."""
    if before and receipt.ended_at is not None:
        when = f"{receipt.ended_at.astimezone(zone):%Y-%m-%d %H:%M}"
        return f"{receipt.label}  {receipt.shown} · {receipt.event}: sent before ({when}), not repeated"
    tries = f", {receipt.tries} tries" if receipt.tries > 1 else ""
    reason = f": {receipt.reason}" if receipt.reason else ""
    state = {"unsure": "not sure", "failed": "not sent", "planned": "to be tried again"}.get(
        receipt.state, receipt.state
    )
    return f"{receipt.label}  {receipt.shown} · {receipt.event}: {state}{tries}{reason}"

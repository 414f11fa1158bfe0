"""`daybreak doctor`: is everything there that a run needs? One line each, with the mend."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from daybreak.cli.console import Voice, harmless
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, EXIT_USAGE, DaybreakError, UsageError
from daybreak.store import ROWS, SHOWN

if TYPE_CHECKING:
    from daybreak.core.config import Settings
    from daybreak.store import Damage
    from daybreak.store.read_only import LookedAt

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
    parser.add_argument("--store", action="store_true", help="look at every row of the store, and at nothing else")
    parser.add_argument("--mend", action="store_true", help="with --store: drop what is damaged, to have it made again")
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:  # noqa: ARG001  all commands are called alike
    """Print a line for each check; exit code 3 when one failed, 2 when that is the config."""
    if arguments.mend and not arguments.store:
        raise UsageError("--mend is for the store.", "Use it with --store.")
    bad = 0
    rows: list[dict[str, Any]] = []
    for finding in _store_checks(arguments) if arguments.store else _checks(arguments):
        bad += not finding.ok
        rows.append(finding._asdict())
        if arguments.json:
            continue
        mark = "ok  " if finding.ok else "FAIL"
        mend = "" if finding.ok or not finding.mend else f" — {finding.mend}"
        sys.stdout.write(f"{mark} {harmless(finding.what)}{harmless(mend)}\n")
    if arguments.json:
        from daybreak.cli.common_options import as_line, printed

        printed(as_line(rows))
    config = (
        arguments.config,
        arguments.config.rpartition("/")[2],
    )  # a message names the file itself, or is told of it
    wrong_config = any(not row["ok"] and row["what"].startswith(config) for row in rows)
    return EXIT_USAGE if wrong_config else EXIT_LOOK if bad else EXIT_DONE


def _checks(arguments: argparse.Namespace) -> Iterator[Finding]:
    from functools import partial
    from pathlib import Path

    from daybreak.core.config import environment, load
    from daybreak.runs.run_log import ask_github, git_version

    git = _tried("git", lambda: git_version(environment()))
    yield git
    settings: list[Settings] = []
    yield _tried(arguments.config, lambda: _loaded(settings, load(Path(arguments.config), {}, environment())))
    for found in settings:
        yield from _folders(found)
        yield _tried("store", partial(_store_opens, found))
        yield from _repositories(found, arguments.offline) if git.ok else ()
        yield _tried("GitHub", partial(ask_github, found, arguments.offline))
        yield from _models(found, arguments.offline)
        yield from _targets(found)
        yield from _plugins(found)
        stages = f"analyst {found.config.analyst.kind}, executor {found.config.execute.kind}"
        yield from (_tried(stages, partial(_stages, found)),) if git.ok else ()  # that git is missing is told once


def _targets(settings: Settings) -> Iterator[Finding]:
    """Whether each target of messages can be written to, as far as its address says; nothing is sent."""
    from daybreak.core.origin import install
    from daybreak.deliver.notify.senders import lacks_package
    from daybreak.deliver.notify.targets import targets_of

    for one in targets_of(settings):
        lacks = one.fault is None and lacks_package(one)
        fault = "needs the package apprise" if lacks else one.fault
        said = f"notify: {one.shown}" if fault is None else f"notify: {one.shown}: {fault}"
        told = f"`daybreak notify --test --target {one.number}` sends one a message."
        yield Finding(fault is None, said, f"Install it: {install('notify')}" if lacks else told)


def _plugins(settings: Settings) -> Iterator[Finding]:
    """Whether each plug-in that a run would call is there and loads."""
    from functools import partial

    from daybreak.collect.git.brought import source_of
    from daybreak.core.plugins import LANGUAGES, NOTIFIERS, PUBLISHERS, SOURCES, installed, load
    from daybreak.deliver.notify.targets import PLUGIN, targets_of

    sent = (one.kind.removeprefix(PLUGIN) for one in targets_of(settings) if one.kind.startswith(PLUGIN))
    called = {
        SOURCES: filter(None, (source_of(repo.git) for repo in settings.repos())),
        LANGUAGES: installed(LANGUAGES),
        NOTIFIERS: sent,
        PUBLISHERS: settings.config.publish.plugins,
    }
    for group, names in called.items():
        for name in dict.fromkeys(names):
            finding = _tried(f"plug-in {name}", partial(load, group, name))
            yield finding._replace(what=f"plug-in {name} ({group})") if finding.ok else finding


def _stages(settings: Settings) -> None:
    from daybreak.runs.wiring import stages
    from daybreak.store.report_files import ReportFiles

    if not settings.config.repo:
        raise UsageError("The watchlist is empty.", "Add a [[repo]] with its name to daybreak.toml.")
    stages(settings, offline=True, say=lambda _: None, memory=ReportFiles(settings.out))


def _loaded(kept: list[Settings], settings: Settings) -> str:
    kept.append(settings)
    count = len(settings.config.repo)
    return f"config: {count} {'repository' if count == 1 else 'repositories'}, {settings.config.timezone}, {', '.join(settings.languages)}"


def _folders(settings: Settings) -> Iterator[Finding]:
    import os
    import shutil

    for name, folder in (("out", settings.out), ("state", settings.state)):
        place = folder
        while not place.exists():
            place = place.parent
        fine = place.is_dir() and os.access(place, os.W_OK)
        said = f"{name}: {folder} {'can' if fine else 'cannot'} be written"
        yield Finding(fine, said, "Check its permissions, or set `out`.")
    free = shutil.disk_usage(place).free
    yield Finding(
        free >= ENOUGH_DISK, f"disk: {free / 2**30:.1f} GiB free", "Mirrors need about 2 GiB: free some space."
    )
    yield _tried("out", lambda: _nothing_foreign(settings))


def _nothing_foreign(settings: Settings) -> str:
    from daybreak.runs.run_log import refuse_foreign

    refuse_foreign(settings)
    return "out: nothing foreign in the way"


def _repositories(settings: Settings, offline: bool) -> Iterator[Finding]:
    from functools import partial

    from daybreak.runs.run_log import ask_upstream

    for repo in settings.repos():
        yield _tried(repo.name, partial(ask_upstream, settings, repo, offline))


def _models(settings: Settings, offline: bool) -> Iterator[Finding]:
    """A line for each model that is asked; a config that names none gets a line as well."""
    from daybreak.runs.run_log import ask_models

    try:
        questions = ask_models(settings, offline)
    except DaybreakError as error:
        yield Finding(False, f"analyst: {error.message}", error.tip)
        return
    for name, question in questions:
        yield _tried(name, question)


def _tried(name: str, question: Callable[[], object]) -> Finding:
    try:
        answer = question()
        return Finding(True, answer if isinstance(answer, str) else name)
    except DaybreakError as error:
        # A message that names the file itself is not told of the file once more.
        said = error.message if error.message.startswith(name.rpartition("/")[2]) else f"{name}: {error.message}"
        return Finding(False, said, error.tip)


# --- the store -------------------------------------------------------------------------------------------------------

MOST = 100
"""Damages that get a line of their own."""
BACKUP = "Restore a backup, or move it away (name another `store`): the next run makes a new one from reports/."
UNKNOWN = "D"
"""Stands for a day in what is told."""
DROP = "`daybreak doctor --store --mend` drops it; "
COUNT = "`daybreak doctor --store --mend` goes on with what is left; "
AGAIN = {
    "reports": "the next run takes it in again from reports/.",
    "runs": "it only tells what ran.",
    "steps": "an interrupted run does this step again.",
    "costs": "the costs told are lower by so much.",
    "answers": "`daybreak run --date {day} --force` asks for it again.",
    "model_answers": "a run that needs it asks the model again.",
    "receipts": "a run that reports on its day again sends that message once more.",
}
"""Table -> what becomes of a damaged row once it is dropped."""
UNWRITTEN = (
    "There is no reports/{day}.json to take it in from: restore that file, or write it again with"
    " `daybreak run --date {day} --force`; then `daybreak doctor --store --mend`."
)


def _store_opens(settings: Settings) -> str:
    from daybreak.store import kind_of
    from daybreak.store.read_only import SCHEMA, looked_at, place_of

    address, base = settings.config.store, settings.base
    kind, place = SHOWN[kind_of(address)], place_of(address, base)
    with looked_at(address, base) as store:
        if store is None:
            return f"store: {kind}, {place} (not there yet; the first run makes it)"
        return f"store: {kind}, schema {SCHEMA}, {place}"


def _store_checks(arguments: argparse.Namespace) -> Iterator[Finding]:
    """What is wrong with the config or the server ends it with an error: then nothing was looked at."""
    from pathlib import Path

    from daybreak.core.config import environment, load
    from daybreak.store.database import StoreDamaged
    from daybreak.store.read_only import looked_at, place_of
    from daybreak.store.report_files import ReportFiles

    settings = load(Path(arguments.config), {}, environment())
    address, base = settings.config.store, settings.base
    try:
        with looked_at(address, base) as store:
            if store is None:
                yield Finding(True, f"store: there is none yet at {place_of(address, base)}, the first run makes it")
                return
            yield from _verified(store, set(ReportFiles(settings.out).labels()), arguments.mend)
    except StoreDamaged as error:
        yield Finding(False, error.message, BACKUP)


def _verified(store: LookedAt, written: set[str], mend: bool) -> Iterator[Finding]:
    """A line for each damage, and what was looked at; with `mend`, what could be dropped is told as such."""
    found = _damages(store)
    left = set(found)
    # Damaged pages make sound rows look altered, and what is written into them may be lost: nothing is dropped then.
    broken = any(not damage.table for damage in found)
    if mend and found and not broken:
        with store.hold():
            store.drop_damaged(written)
            left = set(store.verify())
    for damage in found[:MOST]:
        name = f"{damage.table} {damage.what}".strip()
        if damage in left:
            yield Finding(False, f"{name}: {damage.reason}", BACKUP if broken else _mend(damage, written))
        else:
            done = "what is left counts" if damage.what == ROWS else "so it was dropped"
            yield Finding(True, f"{name}: {damage.reason}, {done}; {_again(damage)}")
    if len(found) > MOST:
        yield Finding(not left, f"and {len(found) - MOST} more like these")
    rows = store.rows()
    told = ", ".join(f"{number} {name}" for name, number in rows.items() if number)
    yield Finding(not left, f"store: {sum(rows.values())} rows ({told or 'it is empty'}), {len(left)} damages")


def _damages(store: LookedAt) -> list[Damage]:
    """A row that a run replaced meanwhile looks damaged once, but not twice."""
    found = list(dict.fromkeys(store.verify()))
    again = set(store.verify()) if found and store.holder() else set(found)
    return [damage for damage in found if damage in again]


def _mend(damage: Damage, written: set[str]) -> str:
    if damage.table not in AGAIN or damage.what == f"the table {damage.table}":
        return BACKUP
    day = _day(damage)
    if damage.table == "reports" and damage.what != ROWS and day not in {*written, UNKNOWN}:
        return UNWRITTEN.format(day=day)
    return (COUNT if damage.what == ROWS else DROP) + _again(damage)


def _again(damage: Damage) -> str:
    return AGAIN.get(damage.table, "nothing needs it.").format(day=_day(damage))


def _day(damage: Damage) -> str:
    """The day that a damaged row is about, where it says so."""
    words = damage.what.split(" ")
    day = words[0] if damage.table == "reports" else words[-1]
    return day if _is_day(day) else UNKNOWN


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False

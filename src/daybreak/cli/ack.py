"""`daybreak ack`: accept a finding of `daybreak impact` once, with a reason, in a file that can be committed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Collection, Iterable
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.console import Voice, harmless
from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, UsageError

if TYPE_CHECKING:
    from datetime import date

    from daybreak.store.acks import Ack

_EXAMPLE = (
    "Example: daybreak ack DB-3f9a2c11 --path 'deploy/**' --reason 'we pin 0.14 until March' --expires 30d. "
    "The file is TOML with one [[ack]] for each: finding, repo, path, reason, expires."
)
_COPY = "Copy the id that `daybreak impact` prints beside each place."
_FINDING = re.compile(r"DB-|[a-z_]{1,60}[: \t]")
"""How an id, or kind:symbol, begins."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak ack FINDING` with its options."""
    parser = commands.add_parser(
        "ack",
        parents=[common],
        allow_abbrev=False,
        help="accept a finding of `impact`, with a reason",
        epilog=_EXAMPLE,
    )
    parser.add_argument("finding", metavar="FINDING", nargs="?", help="the id `impact` prints (DB-…), or kind:symbol")
    parser.add_argument("--path", metavar="GLOB", default="", help="only in these files of yours, such as 'deploy/**'")
    parser.add_argument("--repo", metavar="NAME", default="", help="only of this repository")
    parser.add_argument("--reason", metavar="TEXT", help="why it is accepted")
    parser.add_argument("--expires", metavar="DATE", help="the day from which it counts again, or 30d from today")
    parser.add_argument(
        "--elsewhere", action="store_true", help="the id was told on another machine: it is not checked"
    )
    parser.add_argument("--list", action="store_true", help="print the entries of the file")
    parser.add_argument("--remove", action="store_true", help="take the entries on FINDING out")
    parser.add_argument("--acks", metavar="F", help="the file (default: daybreak-acks.toml beside the config)")
    parser.add_argument("--json", action="store_true", help="print data instead of text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Add, list or take out; exit code 3 when a listed entry has expired."""
    from daybreak.core.config import environment, now
    from daybreak.store.acks import FILE_NAME, Ack, add_ack, checked, expiry, remove_ack

    file = Path(arguments.acks) if arguments.acks else Path(arguments.config).parent / FILE_NAME
    today = now(environment()).date()
    if arguments.list:
        return _list(file, today, voice, as_data=arguments.json)
    if arguments.finding is None:
        raise UsageError("There is no FINDING.", "Use the id that `daybreak impact` prints, or --list.")
    if arguments.remove:
        count = remove_ack(file, arguments.finding)
        if not count:
            raise UsageError(f"{file.name} has no entry on {arguments.finding!r}.", "See `daybreak ack --list`.")
        voice.say(f"{count} taken out of {file.name}")
        _data(arguments.json, {"file": str(file), "removed": count})
        return EXIT_DONE
    if not _FINDING.match(arguments.finding.strip()):
        raise UsageError(
            f"{arguments.finding!r} is neither the id of a finding (DB-3f9a2c11) nor kind:symbol "
            "(cli_flag_removed:--size).",
            _COPY,
        )
    if not arguments.reason:
        raise UsageError("An acknowledgement needs --reason.", "Say why it is accepted: others will read it.")
    _refuse_unknown(arguments, voice)
    until = expiry(arguments.expires, today) if arguments.expires else None
    ack = Ack(arguments.finding.strip(), arguments.reason.strip(), arguments.repo, arguments.path, until)
    add_ack(file, checked(ack, "This acknowledgement"))
    voice.say(f"added to {file.name}: {ack.shown}")
    _data(arguments.json, {"file": str(file), "added": _row(ack, today)})
    return EXIT_DONE


def _refuse_unknown(arguments: argparse.Namespace, voice: Voice) -> None:
    """An entry on a finding that nothing has would accept nothing, and nobody would notice."""
    finding = arguments.finding.strip()
    if not finding.startswith("DB-"):
        from daybreak.findings.kinds import kinds

        kind = re.split(r"[: \t]", finding, maxsplit=1)[0]
        if kind not in kinds():
            raise UsageError(f"There is no kind of finding {kind!r}.", _meant(kind, kinds()) + _COPY)
    elif not arguments.elsewhere:
        known = _known(arguments.config, finding)
        if known is None:
            voice.warn(f"{finding} could not be checked: nobody has asked `daybreak impact` here yet")
        elif finding not in known:
            other = "Was it told on another machine? Add --elsewhere."
            raise UsageError(f"No answer of `daybreak impact` here has {finding}.", _meant(finding, known) + other)


def _known(config: str, finding: str) -> Collection[str] | None:
    """Ids that answers and reports told here; None where there are neither."""
    from daybreak.cli.common_options import settings_of
    from daybreak.store.acks import told_ids

    if not Path(config).exists():
        return None
    settings = settings_of(config, {})
    known = told_ids(settings.state)
    if known is None or finding not in known:
        for report in (settings.out / "reports").rglob("*.json"):
            with suppress(OSError):
                if f'"{finding}"'.encode() in report.read_bytes():
                    return (finding,)
    return known


def _meant(asked: str, known: Iterable[str]) -> str:
    near = get_close_matches(asked, list(known), n=1, cutoff=0.7)
    return f"Did you mean {near[0]}? " if near else ""


def _data(asked: bool, data: Any) -> None:
    if asked:
        from daybreak.cli.common_options import as_line, printed

        printed(as_line(data))


def _row(ack: Ack, today: date) -> dict[str, Any]:
    until = None if ack.expires is None else ack.expires.isoformat()
    told = {"finding": ack.finding, "repo": ack.repo, "path": ack.path, "reason": ack.reason}
    return {**told, "expires": until, "holds": ack.holds(today)}


def _list(file: Path, today: date, voice: Voice, as_data: bool) -> int:
    from daybreak.store.acks import load_acks

    acks = load_acks(file)
    _data(as_data, [_row(ack, today) for ack in acks])
    for ack in () if as_data else acks:
        state = (
            "" if ack.expires is None else f" until {ack.expires}" if ack.holds(today) else f" EXPIRED {ack.expires}"
        )
        sys.stdout.write(f"{harmless(ack.shown)}{state}: {harmless(ack.reason)}\n")
    if not acks:
        voice.say(f"{file.name} has no entries")
    return EXIT_DONE if all(ack.holds(today) for ack in acks) else EXIT_LOOK

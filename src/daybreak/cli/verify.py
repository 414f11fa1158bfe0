"""`daybreak verify`: every checkable claim of any Markdown report, held against git and what was collected."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybreak.cli.common_options import printed
from daybreak.cli.console import Voice, cut, harmless, padded, wrapped
from daybreak.core.errors import EXIT_DONE, EXIT_FAILED, EXIT_LOOK, NotOursError, UsageError, WriteError
from daybreak.core.text import valid_text

if TYPE_CHECKING:
    from daybreak.verify.mirror import Mirror
    from daybreak.verify.values import Verified

WIDTH = 80
LARGEST, MOST_LINES = 8_000_000, 100_000
"""Bytes and lines of a report that is read; no report has more."""
TOLD = 40
"""False claims of one report that a terminal takes; the rest is counted, and `--json` has all."""
_CODES = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""What JSON leaves as it is, and a terminal may act upon."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NO_CLAIM = "Name a Markdown file that tells of commits."
_OTHERS = frozenset((".json", ".xml", ".html", ".csv", ".toml", ".yaml", ".yml", ".py"))
"""Texts that are no Markdown; what is no text at all is told by its bytes."""
_DATED = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_HEAD = 2_000
"""Characters within which a report says its day."""


def add(commands: Any, common: argparse.ArgumentParser) -> None:
    """`daybreak verify REPORT.md…`."""
    parser = commands.add_parser(
        "verify", parents=[common], allow_abbrev=False, help="check every claim of Markdown reports against git"
    )
    parser.hint = "Name the reports first: `daybreak verify report.md --annotate`."
    parser.add_argument("reports", metavar="REPORT.md", nargs="+", help="a report of Daybreak or of another tool")
    parser.add_argument("--date", metavar="D", help="the day the report is about, when it does not say")
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    parser.add_argument(
        "--annotate", metavar="DIR", nargs="?", const="", help="write a copy with each false claim marked (in DIR, or "
        "beside the report as NAME.verified.md)"
    )  # fmt: skip
    parser.add_argument("--offline", action="store_true", help="use nothing but what is on disk")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace, voice: Voice) -> int:
    """Exit code 3 when a claim is false, 1 when a report could not be read, else 0."""
    if arguments.date and not _DAY.fullmatch(arguments.date):
        raise UsageError(f"{arguments.date!r} is not a day.", "Write it as YYYY-MM-DD.")
    _some_there(arguments.reports)
    texts = {name: _text(name) for name in dict.fromkeys(arguments.reports)}
    read = {name: text for name, text in texts.items() if not isinstance(text, Exception)}
    mirrors = _mirrors(arguments, "\n".join(read.values()), voice)
    results: list[Verified] = []
    for name, text in texts.items():
        if isinstance(text, Exception):
            voice.error(f"{name} is not verified: {text}.", "Name a Markdown file.")
            continue
        results.append(_verified(name, text, mirrors, arguments.date))
        if arguments.annotate is not None:
            _annotate(name, text, results[-1], arguments.annotate, voice)
        if not arguments.json:
            printed("".join(f"{line}\n" for line in lines_of(results[-1])))
    if arguments.json:
        data = json.dumps(data_of(results), ensure_ascii=False, indent=1)
        printed(_CODES.sub(lambda m: f"\\u{ord(m[0]):04x}", data) + "\n")
    if results:
        _tell(results, voice)
    bare = [result for result in results if not (result.alarms or result.open or set(result.held) - {"whole"})]
    empty = [
        result for result in bare if not _DATED.search(read[result.name][:_HEAD])
    ]  # a quiet day has nothing to check
    for result in empty:
        voice.error(f"{harmless(result.name)} says nothing that could be checked.", _NO_CLAIM)
    if any(result.alarms for result in results):
        return EXIT_LOOK
    return EXIT_FAILED if empty or len(read) < len(texts) else EXIT_DONE


def _tell(results: Sequence[Verified], voice: Voice) -> None:
    false, checked = sum(len(r.alarms) for r in results), sum(r.checked for r in results)
    words = f"{checked} claims checked, {false} false"
    unchecked = sum(r.open for r in results)
    voice.say(words + (f"; {unchecked} could not be checked" if unchecked else ""))


# --- what is read ------------------------------------------------------------------------------------------------------


def _some_there(names: Sequence[str]) -> None:
    """Raises UsageError where none of them is."""
    if not any(_there(Path(name)) for name in names):
        raise UsageError(f"There is no {harmless(names[0])}.", "Name a report that is there, as reports/2026-01-19.md.")


def _text(name: str) -> str | Exception:
    """The report, or why it cannot be read."""
    if Path(name).suffix.lower() in _OTHERS:
        return ValueError("its name says that it is no Markdown")
    try:
        size = Path(name).stat().st_size
        if size > LARGEST:
            return ValueError(f"it has {size // 1_000_000} MB, and no report has more than {LARGEST // 1_000_000}")
        with Path(name).open("rb") as file:
            data = file.read(LARGEST)
        if b"\0" in data:
            return ValueError("it is no text")
        text = data.decode("utf-8-sig", "replace")
        if text.count("\n") > MOST_LINES:
            return ValueError(f"it has more than {MOST_LINES:,} lines")
        return text
    except OSError as error:
        return ValueError(error.strerror or "it cannot be read")


def _mirrors(arguments: argparse.Namespace, text: str, voice: Voice) -> dict[str, Mirror]:
    """Mirrors of the repositories that the reports speak of; one that cannot be had is said."""
    from daybreak.core.config import environment, load
    from daybreak.runs.wiring import mirror_paths, program
    from daybreak.verify.mirror import Mirror

    path = Path(arguments.config)
    if not path.exists() and arguments.config == "daybreak.toml":
        voice.warn("there is no daybreak.toml: without its repositories only the form of a report can be checked")
        return {}
    settings = load(path, {}, environment())
    low = re.sub(r"[^a-z0-9]+", "", text.lower())
    repos = [r for r in settings.repos() if re.sub(r"[^a-z0-9]+", "", r.name.rpartition("/")[2].lower()) in low]
    found, skipped = mirror_paths(settings, repos, arguments.offline, voice.say)
    for one in skipped:
        voice.warn(f"not checked: {one.what}: {one.reason}. {one.tip}".rstrip())
    git = program(settings)
    return {repo.name: Mirror(repo.name, repo.url, git, *found[repo.name]) for repo in repos if repo.name in found}


def _verified(name: str, text: str, mirrors: Mapping[str, Mirror], day: str | None) -> Verified:
    from daybreak.cli.beside_report import beside
    from daybreak.verify.verifying import verify

    found = beside(Path(name), text, day)
    there = lambda file: _there(Path(name).parent / file)  # noqa: E731
    return verify(
        name, text, mirrors, day=day, items=found.items, values=found.values, there=there, written=found.written
    )


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


# --- what is said ------------------------------------------------------------------------------------------------------


def lines_of(result: Verified) -> Iterator[str]:
    """A table of at most 80 columns."""
    day = f"{result.day} ({result.day_from})" if result.day else f"no day: {result.day_from}"
    yield cut(harmless(f"{result.name} · {day}"), WIDTH)
    yield f"  {padded('claim', 16)}{'holds':>8}{'false':>8}{'not checked':>14}"
    false, open_ = _by_kind(result)
    for kind in dict.fromkeys((*result.held, *false, *open_)):
        yield f"  {padded(kind, 16)}{result.held.get(kind, 0):>8}{false.get(kind, 0):>8}{open_.get(kind, 0):>14}"
    yield f"  {padded('all', 16)}{sum(result.held.values()):>8}{len(result.alarms):>8}{result.open:>14}"
    for alarm in result.alarms[:TOLD]:
        yield ""
        yield cut(harmless(f"  line {alarm.line}, {alarm.kind}: {alarm.said}"), WIDTH)
        yield from (f"    {row}" for row in wrapped(alarm.why, WIDTH - 4, 3))
    if len(result.alarms) > TOLD:
        yield ""
        yield f"  and {len(result.alarms) - TOLD} more: `--json` and `--annotate` have all"
    if result.unchecked:
        yield ""
        for (kind, reason), number in sorted(result.unchecked.items()):
            yield cut(harmless(f"  not checked: {number} × {kind}: {reason}"), WIDTH)
    yield ""


def _by_kind(result: Verified) -> tuple[dict[str, int], dict[str, int]]:
    false: dict[str, int] = {}
    for alarm in result.alarms:
        false[alarm.kind] = false.get(alarm.kind, 0) + 1
    open_: dict[str, int] = {}
    for (kind, _), number in result.unchecked.items():
        open_[kind] = open_.get(kind, 0) + number
    return false, open_


def data_of(results: Sequence[Verified]) -> dict[str, Any]:
    """All of it, for programs."""
    return {"schema": "daybreak.verify/1", "reports": [_row(result) for result in results]}


def _row(result: Verified) -> dict[str, Any]:
    return {
        "report": valid_text(result.name),
        "day": result.day,
        "zone": result.zone,
        "day_from": result.day_from,
        "checked": result.checked,
        "false": len(result.alarms),
        "unchecked": result.open,
        "holds": result.held,
        "alarms": [
            {
                "kind": a.kind,
                "line": a.line,
                "start": a.start,
                "end": a.end,
                "said": valid_text(a.said),
                "why": valid_text(a.why),
            }
            for a in result.alarms
        ],
        "not_checked": [
            {"kind": kind, "reason": reason, "count": number}
            for (kind, reason), number in sorted(result.unchecked.items())
        ],
    }


def _annotate(name: str, text: str, result: Verified, folder: str, voice: Voice) -> None:
    from daybreak.verify.values import MARKER, annotated

    report = Path(name)
    path = Path(folder) / report.name if folder else report.with_name(f"{report.stem}.verified.md")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.read_bytes()[: len(MARKER)] == MARKER.encode():
            raise NotOursError(f"{path} was not written by verify.", "Name another folder with --annotate.")
        fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
        fresh.write_text(annotated(text, result), encoding="utf-8", errors="replace")
        fresh.replace(path)
    except OSError as error:
        raise WriteError(
            f"{path} cannot be written: {error.strerror}.", "Name another folder with --annotate."
        ) from None
    voice.say(f"marked copy: {path}")

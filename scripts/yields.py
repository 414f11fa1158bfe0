"""Yield of the readers on real days, and of the checks of a model's prose on the corpora: who finds what nobody else does.

    yields.py readers --mirrors DIR OWNER/NAME [OWNER/NAME …] --days DAY [DAY …]
    yields.py checks

DIR holds <owner>+<name>/repo. Of a reader: its findings by kind, how many of them are of a kind that is told, how many a
sentence of the rules speaks of, and how many break something. Of a check: how many lies and true statements of
`tests/corpora` it objects to, and how many of them nothing else objects to.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

from daybreak.collect.git.chain import walk
from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, Repo
from daybreak.core.model.findings import Finding, Reading
from daybreak.findings import reading
from daybreak.findings.compare import SURFACES
from daybreak.findings.kinds import kinds
from daybreak.findings.languages import readers
from daybreak.findings.reader import RuleReader
from daybreak.judge.rules import grade
from daybreak.prose.frame import Frame

TESTS = Path(__file__).resolve().parent.parent / "tests"
ZONE = ZoneInfo("Asia/Shanghai")
CORPORA = ("tuned", "heldout", "later")
ELSEWHERE = "(no reader of a language)"
"""Whoever looks at a change as a whole: submodules, and the proof that nothing but comments changed."""

Row = tuple[str | int, ...]
Name = tuple[str, str, str]
"""Kind, path and symbol: what stays of a fact when the tree has been asked about it."""


# --- readers -------------------------------------------------------------------------------------------------------


class Yields:
    """Counts by reader and kind."""

    def __init__(self) -> None:
        self.commits = 0
        self.found: Counter[tuple[str, str]] = Counter()
        self.told: Counter[tuple[str, str]] = Counter()
        self.said: Counter[tuple[str, str]] = Counter()
        self.breaking: Counter[tuple[str, str]] = Counter()
        self._readers: dict[Name, str] = {}

    def watch(self, name: str, read: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
        """The same function; whose facts they are is kept."""

        def watched(*given: object) -> list[Any]:
            facts = list(read(*given))
            self._readers |= {(fact.kind, fact.path, fact.symbol): name for fact in facts}
            return facts

        return watched

    def count(self, change: Change, found: Reading) -> None:
        """The findings of one change, and which of them the rules speak of."""
        spoken = {key for said in grade(change, found).statements for key in said.evidence}
        self.commits += 1
        for finding in found.findings:
            key = (self._reader(finding), finding.kind)
            self.found[key] += 1
            self.told[key] += kinds()[finding.kind].told != "data" and not finding.inner
            self.said[key] += f"finding:{finding.id}" in spoken
            self.breaking[key] += finding.breaking

    def _reader(self, finding: Finding) -> str:
        return self._readers.get((finding.kind, finding.path, finding.symbol), ELSEWHERE)

    def rows(self) -> Iterator[Row]:
        """Readers with the most findings first, and in each its kinds."""
        totals: Counter[str] = Counter()
        for (reader, _), count in self.found.items():
            totals[reader] += count
        for reader, _ in totals.most_common():
            yield self._row(reader, "", [key for key in self.found if key[0] == reader])
            for key, _ in self.found.most_common():
                if key[0] == reader:
                    yield self._row("", key[1], [key])

    def _row(self, reader: str, kind: str, keys: Sequence[tuple[str, str]]) -> Row:
        counts = (self.found, self.told, self.said, self.breaking)
        return (reader, kind, *(sum(count[key] for key in keys) for count in counts))

    def unseen(self) -> list[str]:
        """Kinds that were not met."""
        return sorted(kinds().keys() - {kind for _, kind in self.found})


@contextmanager
def watching(yields: Yields) -> Iterator[None]:
    """While it is open, each reader's facts are known as its own."""

    def watched(path: str) -> tuple[Any, ...]:
        return tuple(yields.watch(read.__module__.rpartition(".")[2], read) for read in readers(path))

    with ExitStack() as stack:
        stack.enter_context(patch.object(reading, "readers", watched))
        for language in SURFACES:
            module: Any = import_module(language.module)
            stack.enter_context(patch.object(module, "compare", yields.watch(language.name, module.compare)))
        yield


def read_days(mirror: Path, name: str, days: Sequence[str], yields: Yields) -> None:
    """Reads the first-parent commits of the days of one repository."""
    git = Git({"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
    line = walk(git, mirror, git.run("rev-parse", "HEAD", at=mirror).decode().strip())
    repo = Repo(name, f"https://github.com/{name}", "")
    for day in days:
        since = datetime.fromisoformat(day).replace(tzinfo=ZONE)
        until = since + timedelta(days=1)
        head = line.head_before(until)
        shas = [line.sha(at) for at in line.between(since, until, head)] if head is not None else []
        changes = HistoryReader(git, mirror, name, ZONE).read(shas)
        found = RuleReader(git).read(Collected(repo, changes=tuple(changes), mirror=str(mirror)))
        for change in changes:
            yields.count(change, found[change.sha])


def readers_report(mirrors: Path, names: Sequence[str], days: Sequence[str]) -> str:
    """The table of the readers."""
    yields = Yields()
    with watching(yields):
        for name in names:
            read_days(mirrors / name.replace("/", "+") / "repo", name, days, yields)
    head = f"{len(names)} repositories, {len(days)} days, {yields.commits} commits, {yields.found.total()} findings"
    rows = table(("reader", "kind", "found", "told", "said", "breaking"), yields.rows())
    return "\n".join((head, *rows, f"not met ({len(yields.unseen())}): {', '.join(yields.unseen())}"))


# --- checks --------------------------------------------------------------------------------------------------------


def checks_report() -> str:
    """How many drafts of each kind the frame lets stand, and why it drops the others."""
    sys.path.insert(0, str(TESTS))
    from corpora.statements import samples

    every = [(one, Frame(one.case).fate(one.draft)) for name in CORPORA for one in samples(name)]
    rows: list[Row] = [
        (
            "(stands)",
            *(sum(f.statement is not None and bool(s.poison) == lie for s, f in every) for lie in (False, True)),
        )
    ]
    for reason in sorted({fate.reason for _, fate in every if fate.reason}):
        found = [bool(sample.poison) for sample, fate in every if fate.reason == reason]
        rows.append((reason, found.count(False), found.count(True)))
    return "\n".join(table(("reason", "true", "lies"), rows))


# --- both ----------------------------------------------------------------------------------------------------------


def table(head: Row, rows: Iterable[Row]) -> list[str]:
    """Columns under each other: words to the left, numbers to the right."""
    every = [head, *rows]
    widths = [max(len(str(row[at])) for row in every) for at in range(len(head))]
    words = [any(isinstance(row[at], str) for row in every[1:]) for at in range(len(head))]
    return [
        "  ".join(
            str(cell).ljust(width) if word else str(cell).rjust(width)
            for cell, width, word in zip(row, widths, words, strict=True)
        ).rstrip()
        for row in every
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="yields.py", description=(__doc__ or "").partition("\n")[0])
    parts = parser.add_subparsers(dest="part", required=True)
    days = parts.add_parser("readers", help="findings of each reader on days of mirrors")
    days.add_argument("--mirrors", type=Path, required=True, metavar="DIR")
    days.add_argument("names", nargs="+", metavar="OWNER/NAME")
    days.add_argument("--days", nargs="+", required=True, metavar="DAY")
    parts.add_parser("checks", help="what the frame drops of the corpora, and why")
    asked = parser.parse_args(arguments)
    print(readers_report(asked.mirrors, asked.names, asked.days) if asked.part == "readers" else checks_report())
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The store while a run works with it: what was done is written down as it is done, and an interrupted run goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile

from msgspec import Struct

from daybreak import __version__
from daybreak.core.checkpoint import Asked, Kept, Part, packed
from daybreak.core.config import Settings
from daybreak.core.model.changes import Skipped, Window
from daybreak.core.model.day import Day
from daybreak.core.model.report import Page
from daybreak.store.interface import Cost, Outcome, Run, Step, Store
from daybreak.store.report_files import ReportFiles
from daybreak.store.watchlist_guard import refuse_other

GONE_ON = "finished by a run that was interrupted"
_DAYS = re.compile(r"run (\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?")
COMPARED = 60
"""Newest reports whose files are compared with the store: what a day takes from earlier ones lies among them."""
_LAST = "analyse"
"""The stage whose step keeps a finished part."""


@contextmanager
def recording(settings: Settings, files: ReportFiles, command: str) -> Iterator[Recorder]:
    """Hold the store and record a run in it."""
    from daybreak.store.opening import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        with store.hold():
            refuse_other(store, settings)
            with store.run(command, __version__) as run:
                yield Recorder(store, run, _taken_in(store, files))
    finally:
        store.close()


def _taken_in(store: Store, files: ReportFiles) -> frozenset[str]:
    """Memory speaks of the files that are there: other ones are taken in. Days that the store knew differently."""
    known, labels = store.report_digests(), files.labels()
    recent = set(labels[-COMPARED:])
    looked_at = [label for label in labels if label not in known or label in recent]
    changed = {label for label in looked_at if files.digest(label) != known.get(label)}
    for label in sorted(changed):
        store.put_report(files.data(label))
    return frozenset(changed & known.keys())


class Recorder(Struct, frozen=True):
    """One run in the store."""

    store: Store
    run: Run
    changed: frozenset[str]
    """Days whose report was not the stored one: a run that wrote it was killed, or it came from elsewhere."""

    def before(self, label: str) -> Mapping[str, Kept]:
        """Parts of the day that an interrupted run had finished."""
        return {repo: Kept(*found) for repo, found in self.store.outputs(label, _LAST).items()}

    def attempts(self, window: Window) -> int:
        """How many runs reported on the day when it was over."""
        return self.store.attempts(window.label, window.until)

    def broken_off(self) -> set[str]:
        """Days that an earlier run was to report and did not: it was killed, or it failed."""
        reported = set(self.store.labels())
        return {label for run in self.store.runs() for label in self._not_finished(run)} - reported

    def cut_short(self) -> list[list[str]]:
        """Reported days of each run that was ended since one last came to its end: nobody may have heard of them."""
        reported = set(self.store.labels())
        others = (run for run in self.store.runs() if run.id != self.run.id and _DAYS.fullmatch(run.command))
        ended = takewhile(lambda run: run.outcome != "done", others)
        return [found for run in ended if (found := [x for x in self._not_finished(run) if x in reported])]

    def _not_finished(self, run: Run) -> list[str]:
        """The days of a run that did not come to its end."""
        span = _DAYS.fullmatch(run.command)
        if not span or run.outcome == "done" or run.id == self.run.id:
            return []
        first, last = date.fromisoformat(span[1]), date.fromisoformat(span[2] or span[1])
        return [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]

    def part(self, window: Window, part: Part) -> None:
        """A repository is done: its steps, and what a run that goes on needs."""
        name = part.report.repo.name
        for stage, seconds in _stages(part):
            outcome, reason = _came_of(part, stage)
            step = _step(self.run, name, window.label, stage, part.inputs, outcome, reason, seconds)
            whole = stage == _LAST and not part.kept and part.report.complete
            self.store.add_step(self.run, step, packed(part) if whole else None)

    def forge(self, window: Window, asked: Asked) -> None:
        """GitHub was asked about the day."""
        outcome: Outcome = "skipped" if asked.skipped else "done"
        reason = _told(asked.skipped) if asked.skipped else None
        self.store.add_step(self.run, _step(self.run, "", window.label, "github", "", outcome, reason, asked.seconds))
        if asked.requests:
            self.store.add_cost(Cost(self.run.id, "github", "requests", asked.requests))

    @contextmanager
    def publishing(self, day: Day, pages: Sequence[Page], inputs: str) -> Iterator[None]:
        """The pages go out inside; then the report is remembered, and what was kept for a restart is dropped."""
        began, label, skipped = time.monotonic(), day.label, day.coverage.skipped
        yield
        data = next(page.text for page in pages if page.path == f"reports/{label}.json")
        self.store.put_report(data.encode("utf-8", "surrogateescape"))
        self.store.settle(label)
        outcome: Outcome = "skipped" if skipped else "done"
        reason = f"{len(skipped)} skipped" if skipped else None
        step = _step(self.run, "", label, "publish", inputs, outcome, reason, time.monotonic() - began)
        self.store.add_step(self.run, step)


def _stages(part: Part) -> list[tuple[str, float]]:
    took: dict[str, float] = {one.stage: one.seconds for one in part.took}
    return [(stage, took.get(stage, 0.0)) for stage in ("collect", "read", _LAST)]


def _came_of(part: Part, stage: str) -> tuple[Outcome, str | None]:
    if stage == "collect":
        faults = part.collected.skipped
    elif part.kept:
        return "done", GONE_ON
    elif _LAST not in {one.stage for one in part.took}:
        return "failed", part.report.skipped[-1].reason if part.report.skipped else None
    else:
        faults = tuple(s for s in part.report.skipped if s not in part.collected.skipped) if stage == "read" else ()
    return ("skipped", _told(faults)) if faults else ("done", None)


def _told(faults: Sequence[Skipped]) -> str:
    more = len(faults) - 1
    return f"{faults[0].what}: {faults[0].reason}" + (f" (and {more} more)" if more else "")


def _step(
    run: Run, repo: str, label: str, stage: str, inputs: str, outcome: Outcome, reason: str | None, seconds: float
) -> Step:
    began = datetime.now(UTC) - timedelta(seconds=seconds)
    return Step(0, run.id, repo, label, stage, inputs, outcome, reason, began, seconds)

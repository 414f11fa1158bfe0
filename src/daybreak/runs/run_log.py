"""The run's notes and needs: what was done is written to the store as it is done, and what must be there is checked."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from daybreak import __version__
from daybreak.core.checkpoint import Asked, Kept, Part, packed
from daybreak.core.config import Settings, is_remote
from daybreak.core.errors import ConfigError, DaybreakError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped, Window
from daybreak.core.model.day import Day
from daybreak.core.model.items import Envelope
from daybreak.core.model.report import Page
from daybreak.runs.wiring import mirror_path, program
from daybreak.store import Cost, Outcome, Run, Step, Store
from daybreak.store.report_files import ReportFiles, refuse_other

if TYPE_CHECKING:
    from daybreak.prose.llm.endpoints import Endpoint


GONE_ON = "finished by a run that was interrupted"
_DAYS = re.compile(r"run (\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?")
COMPARED = 60
"""Newest reports whose files are compared with the store: what a day takes from earlier ones lies among them."""
_LAST = "analyse"
"""The stage whose step keeps a finished part."""


@contextmanager
def recording(settings: Settings, files: ReportFiles, command: str) -> Iterator[Recorder]:
    """Hold the store and record a run in it."""
    from daybreak.store import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        with store.hold():
            refuse_other(store, settings)
            with store.run(command, __version__) as run:
                lost = store.lost()
                yield Recorder(store, run, _taken_in(store, files), lost)
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
    lost: Mapping[str, str]
    """Tables of which rows are gone, and what is wrong with each; reports are taken in again by now, where they lie in the folder."""

    def own_up(self, label: str) -> list[str]:
        """What was lost, in words that are written down as well; from then on, what is there counts."""
        told = [f"{table}: {words}" for table, words in self.lost.items()]
        for reason in told:
            self.store.add_step(self.run, _step(self.run, "", label, "store", "", "failed", reason, 0.0))
        if told:
            self.store.seal()
        return told

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

    def settle(self, whole: Callable[[str], bool]) -> None:
        """Drop what a run kept that was killed as it made a day again: the day is there, and nobody will go on with it."""
        for label in self.store.unsettled():
            if whole(label):
                self.store.settle(label)


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


# --- Checks of what a run needs: git, upstreams, GitHub, models, a folder of its own; each answers in words, or raises what a run would meet ---


def git_version(environment: Mapping[str, str]) -> str:
    """The git program's version in words; raises when there is none, or an old one."""
    return "git " + ".".join(map(str, Git(environment).version()))


def _asked(settings: Settings, repo: Repo) -> str:
    """Without its server there is still the mirror, where a run made one."""
    from daybreak.collect.git.mirror import reachable

    try:
        return reachable(program(settings), repo)
    except RepositoryError as error:
        if is_remote(repo.git) and mirror_path(settings, repo).exists():
            error.tip = f"{error.tip} Until then runs go on with the mirror on disk, and say so.".lstrip()
        raise


def ask_upstream(settings: Settings, repo: Repo, offline: bool) -> str:
    """Where a repository stands upstream, or that its mirror is on disk; raises what a run would meet."""
    from daybreak.collect.git.mirror import refuse_missing

    if not offline:
        return f"{repo.name}: {_asked(settings, repo)}"
    if mirror_path(settings, repo).exists():
        return f"{repo.name}: mirror on disk"
    if not is_remote(repo.git) and Path(repo.git).is_dir():
        return f"{repo.name}: on this disk at {repo.git}; the first run makes a mirror of it"
    refuse_missing(repo)
    raise ConfigError("It has no mirror on disk.", "`daybreak run` makes it, without --offline.")


def refuse_foreign(settings: Settings) -> None:
    """Raises when a file that is not ours stands where the index would be written."""
    from daybreak.deliver.publish.folder import FolderPublisher
    from daybreak.store.report_files import index_file

    FolderPublisher(settings.out).refuse_foreign([index_file(one, settings.languages) for one in settings.languages])


def ask_github(settings: Settings, offline: bool) -> str:
    """Which credentials there are and what GitHub leaves them, in words; raises what a run would meet."""
    from daybreak.collect.github.client import Bounds
    from daybreak.collect.github.requests import ForgeFault
    from daybreak.collect.github.source import Credentials, GithubSource

    credentials = Credentials.found_in(settings.environment)
    told = f"GitHub: {credentials}" + (
        "" if credentials else " (GITHUB_TOKEN is not set: 50 requests a run, releases and new issues first)"
    )
    if not any(map(settings.asked, settings.repos())):
        return f"{told}; no repository is asked about"
    if offline or settings.config.github.offline:
        return f"{told}; not asked now"
    source = GithubSource(_Nothing(), credentials, settings.config.github.api, bounds=Bounds(tries=2, wait=0.0))
    try:
        limit = source.limit()
    except ForgeFault as fault:
        raise DaybreakError(f"GitHub {fault.reason}.", fault.tip or "Check [github] api and the network.") from None
    finally:
        source.close()
    return f"{told}; " + (
        "no limit" if limit is None else f"{limit.remaining} of {limit.limit} requests left this hour"
    )


class _Nothing:
    """Keeps no answers."""

    def get(self, *_: str) -> None:
        return None

    def put(self, _: Sequence[Envelope], /) -> None:
        return None


def ask_models(settings: Settings, offline: bool) -> list[tuple[str, Callable[[], str]]]:
    """For each model that the config names: what to call it, and a question that tells of it or raises what a run meets."""
    import asyncio

    from daybreak.prose.llm.endpoints import critic_of, endpoints_of
    from daybreak.prose.llm.opening import look_at

    config = settings.config.analyst
    if config.kind != "llm":
        return []
    critic = critic_of(config, settings.environment)
    found = (*endpoints_of(config, settings.environment), *([critic] if critic else []))

    def asked(endpoint: Endpoint) -> str:
        return asyncio.run(look_at(endpoint, offline=offline))

    return [(f"model {one.model}", partial(asked, one)) for one in found]

"""Health and metrics: what the store and the reports say at one moment, also in the text form of Prometheus."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl

from msgspec import Struct, field
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from daybreak import __version__
from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError, LockedError
from daybreak.core.file_cache import LastUsed
from daybreak.core.model.day import Day
from daybreak.report.archive.addresses import search_path
from daybreak.report.archive.interface import Archive
from daybreak.report.archive.opening import FolderArchive, StoreArchive, open_archive
from daybreak.serve.web.endpoints import Sources
from daybreak.serve.web.plan import Days, Reported, Status, Timetable
from daybreak.serve.web.rows import Index
from daybreak.site.pages import Asset, Ground
from daybreak.site.pages.search_page import answer
from daybreak.site.pages.site import Site
from daybreak.site.pages.templates import look_digest
from daybreak.site.search import Search, open_search
from daybreak.store import Holder, Run, Store, kind_of, open_store, sqlite
from daybreak.store.lock import run_lock

_RUNS = 200
"""Newest runs among which the last good one is looked for."""
_GOOD = ("done", "skipped")


class Facts(Struct, frozen=True):
    """One look."""

    at: datetime
    fault: str | None = None
    """Why the store does not answer."""
    reports: int = 0
    newest: Reported | None = None
    whole_until: datetime | None = None
    run: Run | None = None
    """The newest one."""
    success: datetime | None = None
    """When the newest good run ended."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """Outcome -> how many steps of the newest run."""
    costs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """What and unit -> how much of it, over all runs."""
    holder: Holder | None = None


@contextmanager
def store_of(settings: Settings) -> Iterator[Store]:
    """The store for one question: a service that is at rest holds nothing that others may want to replace."""
    store = open_store(settings.config.store, settings.base)
    try:
        yield store
    finally:
        store.close()


def look(settings: Settings, days: Days, clock: Callable[[], datetime]) -> Facts:
    """Everything at once; a store that does not answer is a fact as well."""
    at = clock()
    newest, whole_until = days.newest(at), days.whole_until(at)
    try:
        with store_of(settings) as store:
            return _asked(store, at, newest, whole_until)
    except DaybreakError as error:
        return Facts(at, fault=error.message, newest=newest, whole_until=whole_until)


def _asked(store: Store, at: datetime, newest: Reported | None, whole_until: datetime | None) -> Facts:
    runs = store.runs(_RUNS)
    amounts: dict[tuple[str, str], float] = {}
    for cost in store.costs():
        amounts[cost.what, cost.unit] = amounts.get((cost.what, cost.unit), 0.0) + cost.amount
    return Facts(
        at=at,
        reports=len(store.labels()),
        newest=newest,
        whole_until=whole_until,
        run=runs[0] if runs else None,
        success=next((run.ended_at for run in runs if run.outcome in _GOOD), None),
        steps=Counter(step.outcome for step in store.steps(runs[0].id)) if runs else {},
        costs=amounts,
        holder=store.holder(),
    )


def busy(settings: Settings) -> str | None:
    """Who else works with the store or the folder now, in words; raises when the store does not answer."""
    with store_of(settings) as store:
        holder = store.holder()
    if holder is not None:
        return f"process {holder.pid} on {holder.host} works with the store since {holder.since:%Y-%m-%d %H:%M:%S} UTC"
    try:
        with run_lock(settings.state):
            return None
    except LockedError as error:
        return error.message


def tried_before(settings: Settings, table: Timetable, now: datetime) -> dict[str, date]:
    """Days that were tried since the newest turn, by whomever: what they skipped need not be tried at once again.

    A run that failed or was killed is no such try: it may have skipped things for that reason alone.
    """
    turn = table.turn(now)
    with store_of(settings) as store:
        recent = [run for run in store.runs(_RUNS) if run.outcome in _GOOD and table.turn(run.started_at) == turn]
        return {step.label: turn for run in recent for step in store.steps(run.id)}


# --- Metrics in the text form of Prometheus, made from one look at the store; the only file that knows its client ---

CONTENT_TYPE = CONTENT_TYPE_LATEST
OUTCOMES = ("done", "skipped", "failed")


def exposition(facts: Facts, status: Status | None) -> bytes:
    """The whole page; `status`: None without a schedule."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    registry.register(_Made((*_of_service(facts, status), *_of_reports(facts), *_of_runs(facts))))
    return generate_latest(registry)


class _Made(Collector):
    """Metrics that are made already."""

    def __init__(self, made: Iterable[Metric]) -> None:
        self._made = tuple(made)

    def collect(self) -> Iterable[Metric]:
        return self._made


def _of_service(facts: Facts, status: Status | None) -> Iterator[Metric]:
    yield _labelled("daybreak_build_info", "Version of the service.", {"version": {__version__: 1.0}})
    yield _gauge("daybreak_store_up", "1 when the store answers.", facts.fault is None)
    yield _gauge("daybreak_schedule_enabled", "1 when this service runs the daily job.", status is not None)
    running = facts.holder is not None or (status is not None and status.task is not None)
    yield _gauge("daybreak_run_in_progress", "1 while a run works with the store, started here or elsewhere.", running)
    if status is None:
        return
    yield _moment("daybreak_next_run_timestamp_seconds", "When the next day is due.", status.next_at)
    yield _gauge("daybreak_days_without_report", "Days that are due and have no report.", len(status.waiting))
    yield _gauge("daybreak_days_failing", "Days whose last run failed.", len(status.failures))


def _of_reports(facts: Facts) -> Iterator[Metric]:
    newest = facts.newest
    yield _gauge("daybreak_reports_stored", "Reports in the store.", None if facts.fault else facts.reports)
    yield _gauge("daybreak_report_skipped", "What the newest report skipped.", newest.skipped if newest else None)
    yield _moment(
        "daybreak_newest_report_timestamp_seconds", "End of the newest report.", newest.until if newest else None
    )
    whole = facts.whole_until
    lag = None if whole is None else (facts.at - whole).total_seconds()
    yield _gauge("daybreak_lag_seconds", "Time since the end of the newest report that lacks nothing.", lag)


def _of_runs(facts: Facts) -> Iterator[Metric]:
    success = "When the newest run that did not fail ended."
    yield _moment("daybreak_last_success_timestamp_seconds", success, facts.success)
    run = facts.run
    if run is not None:
        yield _moment("daybreak_last_run_timestamp_seconds", "When the newest run began.", run.started_at)
        yield _gauge("daybreak_last_run_duration_seconds", "How long the newest run that ended took.", run.seconds)
        ended = run.outcome or ("running" if facts.holder else "killed")
        known = {outcome: float(outcome == ended) for outcome in (*OUTCOMES, "running", "killed")}
        yield _labelled("daybreak_last_run_outcome", "1 for how the newest run ended.", {"outcome": known})
        steps = {outcome: float(facts.steps.get(outcome, 0)) for outcome in OUTCOMES}
        yield _labelled("daybreak_last_run_steps", "Steps of the newest run by how they ended.", {"outcome": steps})
    costs = CounterMetricFamily("daybreak_cost", "What all runs used, by what and unit.", labels=("what", "unit"))
    for (what, unit), amount in sorted(facts.costs.items()):
        costs.add_metric((what, unit), amount)
    yield costs


def _gauge(name: str, what: str, value: float | None) -> Metric:
    """A number; without one there is the name and no sample."""
    return GaugeMetricFamily(name, what, value=None if value is None else float(value))


def _moment(name: str, what: str, value: datetime | None) -> Metric:
    return _gauge(name, what, value.timestamp() if value else None)


def _labelled(name: str, what: str, values: Mapping[str, Mapping[str, float]]) -> Metric:
    """One label with its values."""
    label, samples = next(iter(values.items()))
    family = GaugeMetricFamily(name, what, labels=(label,))
    for word, value in samples.items():
        family.add_metric((word,), value)
    return family


# --- What the service reads, put together from a config: archive, site, rows and search, each opened when it is needed ---

# --- Pages as the server takes them from the site: by clean addresses only, and made again only when a day changed ---


_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_LONGEST = 300
_HELD = 32 << 20
"""Bytes of pages that are held."""

AskedPage = Callable[[str, str], Asset | None]
"""A page that depends on a question, by path and query; None: it does not."""


class Shelf:
    """Nothing of an address ever becomes a path of this machine: the site knows its pages by name."""

    def __init__(self, site: Site, archive: CurrentArchive, asked: AskedPage | None = None) -> None:
        self._site, self._archive, self._asked = site, archive, asked
        self._state: tuple[dict[str, str], str] = ({}, "")
        """Digests of all days, and the one name for them."""
        self._making: dict[tuple[str, str], Lock] = {}
        self._held = LastUsed[tuple[str, str], Asset](_HELD, lambda asset: len(asset.body))
        self._lock = Lock()

    def page(self, path: str, query: bytes = b"") -> Asset | None:
        """None: there is no such page."""
        path = _whole(path)
        if len(path) > _LONGEST or not _PLAIN.fullmatch(path):
            return None
        found = self._asked(path, query.decode("ascii", "replace")) if self._asked is not None else None
        return found or self._made(path)

    def feed(self, path: str, base: str) -> Asset | None:
        """A feed for a reader who knows us by this address; not held, since others know us by another."""
        return self._site.feed(path, base) if _PLAIN.fullmatch(path) else None

    def _made(self, path: str) -> Asset | None:
        key = (path, self._name(self._archive.digests()))
        with self._lock:
            turn = self._making.setdefault(key, Lock())
        with turn:  # of many who want the same page, one makes it
            asset = self._held.get(key) or self._site.page(path)
            if asset is not None:
                self._held.put(key, asset)
        with self._lock:
            self._making.pop(key, None)
        return asset

    def held(self, path: str) -> Asset | None:
        """A page as it was made, if all days are known to be as they were then: nobody is waited for."""
        known = self._archive.known()
        return None if known is None else self._held.get((_whole(path), self._name(known)))

    def _name(self, digests: dict[str, str]) -> str:
        state = self._state
        if state[0] is not digests:
            state = digests, hashlib.sha256(repr(sorted(digests.items())).encode()).hexdigest()
            self._state = state
        return state[1]


def _whole(path: str) -> str:
    return f"{path}index.html" if not path or path.endswith("/") else path


Sign = tuple[object, ...]
_SETTLED = 200_000_000
"""Nanoseconds after which a file that is written once more has another time."""
_INDEX_HEAD = 48
"""Bytes of a log's index that change with every commit; how many frames the log has stands at 16."""


def sign_of(settings: Settings) -> Sign | None:
    """The state of the files of a SQLite store; None: it cannot be told by them, or the store was written just now."""
    files = _files_of(settings.config.store, settings.base)
    if files is None:
        return None
    path, index = files
    try:
        stat = os.stat(path)  # noqa: PTH116  asked for with every page: a third of the time of a Path
    except OSError:
        return None
    if abs(time.time_ns() - stat.st_mtime_ns) < _SETTLED:
        return None
    try:
        file = os.open(index, os.O_RDONLY)
        try:
            head = os.read(file, _INDEX_HEAD)
        finally:
            os.close(file)
    except OSError:  # nobody has the store open, and everything is in its file
        head = b""
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, head if any(head[16:20]) else b""


@lru_cache(8)
def _files_of(address: str, base: Path) -> tuple[str, str] | None:
    """A SQLite store's file, and the index of its log."""
    if kind_of(address) != "sqlite":
        return None
    path = str(sqlite.path_of(address, base))
    return path, f"{path}-shm"


class CurrentArchive:
    """The archive as it is now: a service that began with an empty folder goes over to the store with its first report."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, Lock()
        self._found: Archive | None = None
        self._known: tuple[Sign, dict[str, str]] | None = None
        """Digests of all days, and the state of the store's files that they were read in."""
        self._read: tuple[float, dict[str, str]] = (-1.0, {})
        """When the store was last asked for them, and what it said."""
        self._turn = Lock()

    def labels(self) -> list[str]:
        return self._now().labels()

    def digest(self, label: str) -> str | None:
        return self._now().digest(label)

    def digests(self) -> dict[str, str]:
        """Asked for with every page: a store whose files are as they were is not opened again."""
        asked = time.monotonic()
        with self._turn:  # whoever waited finds what the one before has read
            if self._read[0] > asked:  # begun after we asked: it holds all that was written until then
                return self._read[1]
            sign, began = sign_of(self._settings), time.monotonic()
            if (known := self.known(sign)) is not None:
                return known
            found = self._now().digests()
            self._read = began, found
            if sign is not None and isinstance(self._found, StoreArchive):
                self._known = sign, found
            return found

    def known(self, sign: Sign | None = None) -> dict[str, str] | None:
        """The digests, if the store's files are as they were when it was asked."""
        sign, kept = sign or sign_of(self._settings), self._known
        return kept[1] if sign is not None and kept is not None and kept[0] == sign else None

    def day(self, label: str) -> Day | None:
        return self._now().day(label)

    def data(self, label: str) -> bytes | None:
        return self._now().data(label)

    def _now(self) -> Archive:
        with self._lock:
            if self._found is None or isinstance(self._found, FolderArchive):
                found = open_archive(self._settings)
                if self._found is None or type(found) is not type(self._found):
                    self._found = found
            return self._found


class Reading:
    """Everything there is to read."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, Lock()
        self._search: Search | None = None
        archive = CurrentArchive(settings)
        self._ground = Ground(archive, settings, look_digest())
        self.shelf = Shelf(Site(archive, settings), archive, self._results)
        self.sources = Sources(Index(archive), self.search)

    def search(self) -> Search:
        """Opened by the first question."""
        with self._lock:
            if self._search is None:
                self._search = open_search(self._settings)
            return self._search

    def _results(self, path: str, query: str) -> Asset | None:
        """The search page, which here comes with its results."""
        language = next((one for one in self._ground.languages if path == search_path(one)), None)
        if language is None:
            return None
        try:
            asked = dict(parse_qsl(query, max_num_fields=16))
        except ValueError:
            asked = {}
        start = asked.get("from", "0")
        at = int(start) if start.isascii() and start.isdecimal() and len(start) <= 6 else 0
        return answer(self._ground, self.search(), language, asked.get("q", ""), at)

    def close(self) -> None:
        with self._lock:
            if self._search is not None:
                self._search.close()
                self._search = None

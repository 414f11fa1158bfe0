"""The store: what runs leave behind for the next ones, for `status`, and for those who ask about days long gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Literal, Protocol, TypeVar

from msgspec import Struct

from daybreak.core.memory import Memory
from daybreak.core.model.changes import Change, Collected, Repo, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.items import Envelope
from daybreak.core.model.report import Page, Report
from daybreak.store.notices import Receipt, Receipts, ReceiptState

__all__ = ["Receipt", "ReceiptState", "Receipts"]  # part of the store as well, in a file of their own

Outcome = Literal["done", "skipped", "failed"]
Value = TypeVar("Value")


class Run(Struct, frozen=True):
    """One run of the program over the store."""

    id: int
    """Counts up: the order of runs, whatever the clock says."""
    host: str
    pid: int
    command: str
    version: str
    started_at: datetime
    ended_at: datetime | None = None
    """None: it runs, or it was killed (ask whether anyone holds the store)."""
    outcome: Outcome | None = None
    reason: str | None = None
    seconds: float | None = None


class Step(Struct, frozen=True):
    """One stage of one repository and window, as a run recorded it."""

    id: int
    run: int
    repo: str
    label: str
    stage: str
    inputs: str
    """Hash of all that decides the outcome: equal inputs need not be worked on twice."""
    outcome: Outcome
    reason: str | None
    started_at: datetime
    seconds: float


class Cost(Struct, frozen=True):
    """What a run used of something that is counted or paid for."""

    run: int
    what: str
    unit: str
    amount: float


class Holder(Struct, frozen=True):
    """Who works with the store now."""

    host: str
    pid: int
    since: datetime


class Damage(Struct, frozen=True):
    """Something in the store that is not as it was written."""

    table: str
    what: str
    reason: str


class OpenStep(Protocol):
    """A step while it is worked on; leaving its block records it as done, an error in it as failed."""

    def keep(self, value: object) -> None:
        """The stage's result, for a run that goes on after this one was killed."""
        ...

    def skip(self, reason: str) -> None:
        """Record the step as skipped: it is tried again by the next run."""
        ...


class Answers(Protocol):
    """Raw answers of a forge, each in its place: (repo, label, category, id). Nothing is ever forgotten of them."""

    def get(self, repo: str, label: str, category: str, name: str, /) -> Envelope | None:
        """The one whose `id` is that name."""
        ...

    def put(self, envelopes: Sequence[Envelope], /) -> None:
        """All of them or none; what stood in their places is replaced."""
        ...


class ModelAnswers(Protocol):
    """Answers of models by the content of their questions: added to, never changed; the newest one counts."""

    def get(self, key: str, /) -> bytes | None: ...

    def put(self, key: str, answer: bytes, /) -> None:
        """Written when it returns."""
        ...


class Document(Struct, frozen=True):
    """What is searched: a change, issue, pull request or release of a day, with its tokens."""

    id: int
    """Its number, which is its rank as well: grade, day and place in the day, the greatest first."""
    label: str
    kind: str
    repo: str
    key: str
    title: str
    level: str
    breaking: bool
    at: str
    author: str
    topic: str
    url: str
    text: str
    """What a snippet may be cut from."""
    tokens: str
    """Divided by one space each; left empty in what a question is answered with."""


class IndexedDay(Struct, frozen=True):
    """A day whose documents are in the index."""

    label: str
    report: str
    """The report's row, which changes with anything about it."""
    digest: str
    """Of the report's data, which is all that documents are made from."""
    version: int
    """Of the tokenizer."""


class Phrase(Struct, frozen=True):
    """Tokens that stand side by side; with `start`, the last one is only the beginning of a token."""

    tokens: tuple[str, ...]
    start: bool = False


class Wanted(Struct, frozen=True):
    """Documents that have, of each group in `each` (never empty), one phrase, and none of `without`."""

    each: tuple[tuple[Phrase, ...], ...]
    without: tuple[tuple[Phrase, ...], ...] = ()
    days: tuple[int, int] = (0, (1 << 20) - 1)
    """First and last day, counted from 1970-01-01."""


class SearchIndex(Protocol):
    """Documents by their tokens; made from reports, so that all of it may be forgotten and made again."""

    def days(self) -> Mapping[str, IndexedDay]:
        """What is in it."""
        ...

    def put(self, day: IndexedDay, documents: Sequence[Document]) -> None:
        """The day as it is now, as a whole; what was there of it goes."""
        ...

    def confirm(self, day: IndexedDay) -> None:
        """The report's row changed, and its data did not."""
        ...

    def drop(self, label: str) -> None: ...

    def clear(self) -> None:
        """Everything: a new tokenizer reads all days again."""
        ...

    def count(self, wanted: Wanted) -> int: ...

    def numbers(self, wanted: Wanted, limit: int, offset: int) -> list[int]:
        """The greatest first."""
        ...

    def documents(self, numbers: Sequence[int]) -> list[Document]:
        """In the order of the numbers."""
        ...

    def of_day(self, label: str) -> list[Document]:
        """All of a day, with their tokens."""
        ...

    def repos(self) -> list[str]:
        """Repositories with documents."""
        ...


class Store(Memory, Protocol):
    """Every write is one transaction: it is there as a whole or not at all.

    It may be used by several threads, which wait for each other; each process opens its own.
    """

    # --- facts ---------------------------------------------------------------------------------------------------

    def put_collected(self, window: Window, collected: Collected) -> None:
        """What a source gave for a window; patches, `recent` and `mirror` are left to the mirror."""
        ...

    def collected(self, window: Window, repo: Repo) -> Collected | None: ...

    def put_changes(self, changes: Iterable[Change]) -> int:
        """Add commits that are not there yet (a history, say), a thousand to a transaction; how many were new."""
        ...

    def missing(self, repo: str, shas: Sequence[str]) -> list[str]:
        """Those of the commits that are not there, in their order."""
        ...

    def changes(self, repo: str, since: datetime, until: datetime) -> Iterator[Change]:
        """Commits of that time, newest first, in UTC."""
        ...

    def put_readings(self, repo: str, readings: Iterable[Reading]) -> None:
        """What was read from commits; `hunks` are left to the mirror."""
        ...

    def readings(self, repo: str, shas: Sequence[str]) -> Mapping[str, Reading]: ...

    @property
    def answers(self) -> Answers:
        """What a forge answered."""
        ...

    @property
    def model_answers(self) -> ModelAnswers:
        """What models answered."""
        ...

    @property
    def receipts(self) -> Receipts:
        """What was sent to whom."""
        ...

    @property
    def search(self) -> SearchIndex:
        """What reports tell, by its words."""
        ...

    def report_rows(self) -> Mapping[str, str]:
        """Label -> something that changes whenever anything about that day's report does; quick for all days."""
        ...

    # --- reports -------------------------------------------------------------------------------------------------

    def put_report(self, report: Report, data: bytes, pages: Iterable[Page]) -> None:
        """A finished day: its values, its JSON, and what its pages were; replaces the day's earlier report."""
        ...

    def take_in(self, data: bytes) -> None:
        """A day that was published without this store, by its JSON; raises msgspec's error when it is none."""
        ...

    def labels(self) -> list[str]:
        """Days with a report, oldest first."""
        ...

    def report_data(self, label: str) -> bytes | None:
        """The day's JSON as it was written."""
        ...

    def amend_pages(self, label: str, pages: Iterable[Page]) -> None:
        """Pages of a day that was stored were written again, with a note: what they are now."""
        ...

    def report_pages(self, label: str) -> Mapping[str, str]:
        """Path -> SHA-256 of the day's pages as they were published."""
        ...

    def whole(self, label: str) -> bool:
        """A closed day that was reported with nothing skipped."""
        ...

    def repositories(self, label: str) -> list[str]:
        """Names of the repositories that the day was reported with."""
        ...

    def main_language(self) -> str | None:
        """Language of the main edition, as the newest report has it."""
        ...

    # --- runs ----------------------------------------------------------------------------------------------------

    def hold(self) -> AbstractContextManager[None]:
        """Be the one who works with the store; LockedError names who else is."""
        ...

    def holder(self) -> Holder | None:
        """Who works with it now, if anyone."""
        ...

    def run(self, command: str, version: str) -> AbstractContextManager[Run]:
        """Record a run; an error in the block is its outcome."""
        ...

    def step(self, run: Run, repo: str, label: str, stage: str, inputs: str) -> AbstractContextManager[OpenStep]: ...

    def add_step(self, run: Run, step: Step, output: bytes | None = None) -> None:
        """A step that was done elsewhere: its number and its run are given here."""
        ...

    def outputs(self, label: str, stage: str) -> Mapping[str, tuple[str, bytes]]:
        """Repository -> (inputs, output) of the newest done steps of the day that still have one."""
        ...

    def attempts(self, label: str, since: datetime) -> int:
        """How many runs published the day, from that moment on."""
        ...

    def settle(self, label: str) -> None:
        """The day is published: what its steps kept is dropped."""
        ...

    def done(self, inputs: str) -> Step | None:
        """The newest step that did just this."""
        ...

    def kept(self, step: Step, kind: type[Value]) -> Value | None:
        """What the step kept; None when it kept nothing, or nothing that this version can read."""
        ...

    def runs(self, most: int = 20) -> list[Run]:
        """Newest first."""
        ...

    def steps(self, run: int) -> list[Step]: ...

    def add_cost(self, cost: Cost) -> None: ...

    def put_cost(self, cost: Cost) -> None:
        """The sum so far: replaces what the run has of the same thing and unit."""
        ...

    def costs(self, run: int | None = None) -> list[Cost]: ...

    # --- care ----------------------------------------------------------------------------------------------------

    def forget(self, before: date) -> int:
        """Drop envelopes, runs and steps of days before; reports, facts and answers stay. How many rows went."""
        ...

    def verify(self) -> Iterator[Damage]:
        """Re-derive every hash and name what is not as it was written; never raises for damage."""
        ...

    def close(self) -> None: ...

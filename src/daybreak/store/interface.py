"""The store: what runs leave behind for the next ones, for `status`, and for those who ask about days long gone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Literal, Protocol

from msgspec import Struct

from daybreak.core.memory import Memory
from daybreak.core.model.items import Envelope
from daybreak.store.notices import Receipt, Receipts, ReceiptState

__all__ = ["Receipt", "ReceiptState", "Receipts"]  # part of the store as well, in a file of their own

Outcome = Literal["done", "skipped", "failed"]


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

    # --- reports -------------------------------------------------------------------------------------------------

    def put_report(self, data: bytes) -> None:
        """A finished day by its JSON; replaces the day's earlier report. Raises msgspec's error when it is none."""
        ...

    def labels(self) -> list[str]:
        """Days with a report, oldest first."""
        ...

    def report_data(self, label: str) -> bytes | None:
        """The day's JSON as it was written."""
        ...

    def report_digests(self) -> Mapping[str, str]:
        """Label -> SHA-256 of the day's JSON; quick for all days."""
        ...

    def report_digest(self, label: str) -> str | None: ...

    def repositories(self, label: str) -> list[str]:
        """Names of the repositories that the day was reported with."""
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

    def add_step(self, run: Run, step: Step, output: bytes | None = None) -> None:
        """A step that is over: its number and its run are given here."""
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
        """Drop runs and steps of days before; reports and answers stay. How many rows went."""
        ...

    def verify(self) -> Iterator[Damage]:
        """Re-derive every hash and name what is not as it was written; never raises for damage."""
        ...

    def close(self) -> None: ...

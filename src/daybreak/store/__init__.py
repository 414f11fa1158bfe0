"""The store: what runs leave behind for the next ones, for `status`, and for those who ask about days long past."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, cast

from msgspec import Struct

from daybreak.core.checkpoint import Memory
from daybreak.core.errors import ConfigError
from daybreak.core.model.items import Envelope

STORES = {
    "sqlite": "daybreak.store.sqlite:SqliteStore",
    "postgresql": "daybreak.store.postgres:PostgresStore",
}
SHOWN = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
"""Kind of store -> what people call it."""


# --- Receipts of notifications as values: what was planned, sent or given up, and to whom ---

ReceiptState = Literal["planned", "sending", "sent", "failed", "unsure"]
"""`unsure`: it may have arrived, and the target has no way to tell a second one from the first; not sent again."""


class Receipt(Struct, frozen=True):
    """One message to one target: planned, sent, or what became of it. No address and no secret is in it."""

    id: int
    target: str
    """Hash of the target's address without its secrets."""
    shown: str
    """What people know the target by: its name, or its kind and host."""
    event: str
    label: str
    digest: str
    """What makes it another message than the day's first: a hash of the places of your code it tells of."""
    state: ReceiptState
    tries: int
    planned_at: datetime
    due: datetime | None = None
    """Not to be tried before."""
    ended_at: datetime | None = None
    reason: str | None = None
    said: str | None = None
    """What is needed to make the message again: the places it tells of, or the words of a failure."""


class Receipts(Protocol):
    """Receipts of notifications; each change is one transaction, and of two who begin a message one is told no."""

    def plan(self, target: str, shown: str, event: str, label: str, digest: str, said: str | None = None) -> Receipt:
        """A message that is to be sent; the one that is already there when it was planned before."""
        ...

    def begin(self, number: int) -> Receipt | None:
        """`planned` becomes `sending`; None when it is anything else."""
        ...

    def end(
        self, number: int, state: ReceiptState, reason: str | None = None, due: datetime | None = None
    ) -> Receipt: ...

    def of_day(self, label: str) -> tuple[Receipt, ...]: ...

    def in_state(self, *states: ReceiptState) -> tuple[Receipt, ...]:
        """Oldest first."""
        ...


# --- The store: what runs leave behind for the next ones, for `status`, and for those who ask about days long gone ---

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


ROWS = "as a whole"
"""What of a table is damaged where rows of it are gone."""


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
    but: tuple[tuple[tuple[Phrase, ...], ...], ...] = ()
    """Nor those that meet every group of one of these."""


class Traits(NamedTuple):
    """What documents are alike in, as far as a filter may ask for it."""

    month: str
    repo: str
    topic: str
    level: str
    kind: str
    breaking: bool


class SearchIndex(Protocol):
    """Documents by their tokens; made from reports, so that all of it may be forgotten and made again."""

    def days(self) -> Mapping[str, IndexedDay]:
        """What is in it."""
        ...

    def change(self) -> AbstractContextManager[object]:
        """Several changes as one: all of them or none."""
        ...

    def seal(self) -> tuple[str | None, str]:
        """Of what was written, and of what is there now."""
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

    def numbers(self, wanted: Wanted, limit: int | None, offset: int) -> list[int]:
        """The greatest first; without a limit all of them."""
        ...

    def traits(self) -> dict[int, Traits]:
        """Of every document."""
        ...

    def titles(self) -> list[str]:
        """Of all documents."""
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

    def unsettled(self) -> list[str]:
        """Days of which a step still keeps something."""
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

    def lost(self, *only: str) -> Mapping[str, str]:
        """Tables (all, or these) whose rows are not those that were written, since some are gone or came from elsewhere: what is wrong."""
        ...

    def seal(self) -> None:
        """From now on the rows that are there count."""
        ...

    def verify(self) -> Iterator[Damage]:
        """Re-derive every hash and name what is not as it was written; never raises for damage."""
        ...

    def close(self) -> None: ...


# --- What models were used for, as costs of a run: requests, tokens, kept answers and money of each model, summed as it goes ---

MODEL = "model "
"""What a cost of a model is called begins so; its name follows."""
STAGE = "stage "
"""What a cost of one stage is called begins so; the stage and the model's name follow."""
REQUESTS, PROMPT, COMPLETION, HITS = "requests", "prompt tokens", "completion tokens", "cache hits"


class StageSpent(Protocol):
    """What went into a model, or into one stage of it."""

    @property
    def requests(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...


class Spent(StageSpent, Protocol):
    """The sums so far of one model in a run."""

    @property
    def model(self) -> str: ...
    @property
    def hits(self) -> int: ...
    @property
    def money(self) -> float | None: ...
    @property
    def stages(self) -> Mapping[str, StageSpent]: ...


class ModelCosts:
    """Writes the sums of a run down whenever they change, so that a killed run has its costs as well."""

    def __init__(self, store: Store, run: int, currency: str) -> None:
        self._store, self._run, self._currency = store, run, currency
        self._written: dict[tuple[str, str], float] = {}

    def __call__(self, spent: Spent) -> None:
        amounts: dict[str, float] = {
            REQUESTS: spent.requests,
            PROMPT: spent.prompt_tokens,
            COMPLETION: spent.completion_tokens,
            HITS: spent.hits,
        }
        if spent.money is not None:
            amounts[self._currency] = spent.money
        self._write(f"{MODEL}{spent.model}", amounts)
        for stage, one in spent.stages.items():
            counts = {REQUESTS: one.requests, PROMPT: one.prompt_tokens, COMPLETION: one.completion_tokens}
            self._write(f"{STAGE}{stage} {spent.model}", counts)

    def _write(self, what: str, amounts: Mapping[str, float]) -> None:
        for unit, amount in amounts.items():
            if amount and self._written.get((what, unit)) != amount:
                self._store.put_cost(Cost(self._run, what, unit, amount))
                self._written[what, unit] = amount


# --- Opens the store that an address names; the databases are imported only here, since that takes a third of a second ---


def open_store(address: str, base: Path) -> Store:
    """The store at `sqlite:///PATH` (relative to `base`) or `postgresql+psycopg://…`, with the newest schema."""
    kind = kind_of(address)
    module, _, name = STORES[kind].partition(":")
    return cast("Store", getattr(import_module(module), name)(address, base))


def kind_of(address: str) -> str:
    """Which kind of store an address names; an unknown one is told the nearest, and never shown whole."""
    scheme = address.partition(":")[0].partition("+")[0].lower()
    scheme = "postgresql" if scheme == "postgres" else scheme
    known = list(STORES)
    if scheme in known and "://" in address:
        return scheme
    near = difflib.get_close_matches(scheme, known, n=1, cutoff=0.4) or known[:1]
    raise ConfigError(
        f"store: {scheme[:20]!r} is no kind of store.",
        f"Did you mean {near[0]}://? For example sqlite:///.daybreak/daybreak.db.",
    )

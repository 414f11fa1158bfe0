"""Values for stores: one of everything, and what of it comes back."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from daybreak.core.checkpoint import Recorded
from daybreak.core.model.changes import Window
from daybreak.core.model.items import Envelope
from daybreak.core.model.report import Page
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.render.markdown import data_page
from daybreak.store import Cost, Step
from render import factory

if TYPE_CHECKING:
    from daybreak.core.errors import DaybreakError
    from daybreak.store import Run, Store
    from daybreak.store.connection import Connection
    from daybreak.store.schema import Table
    from daybreak.store.sql import SqlStore


def day_report(label: str = "2026-01-19") -> tuple[Judgement, bytes, tuple[Page, ...]]:
    """A finished day: its values, its JSON, its pages."""
    report = factory.report()
    since = factory.DAY + (factory.window(label).since - factory.window().since)
    report = replace(report, window=Window(since, since + timedelta(days=1), factory.ZONE, label))
    page = data_page(day_of(report))
    return report, page.text.encode(), (page, Page(f"reports/{label}.md", "# text\n"))


def day_data(label: str = "2026-01-19") -> bytes:
    """The JSON of a finished day."""
    return day_report(label)[1]


def data_of(report: Judgement) -> bytes:
    return data_page(day_of(report)).text.encode()


def answer(name: str = "5", **more: Any) -> Envelope:
    """What a forge said of one item; not all that comes is text."""
    body = more.pop("body", b'{"title": "\xff\x00 <script>"}')
    at = factory.DAY + timedelta(days=1, hours=1)
    made = Envelope("acme/engine", "2026-01-19", "items", name, "https://api.example", at, "github/1", 'W/"7"', body)
    return replace(made, **more)


def fill(store: Store) -> None:
    """One of everything."""
    store.answers.put([answer(), answer("6", etag=None), answer("index", category="index/issues")])
    store.model_answers.put("key-1", b'{"answer": 1}')
    store.receipts.plan("0123456789abcdef", "feishu", "report", "2026-01-19", "", "DB-1 deploy/run.sh")
    store.put_report(day_data())
    with store.run("run --date 2026-01-19", "1.0") as run:
        record(store, run, "acme/engine", output=b"the part")
        record(store, run, "acme/lost", inputs="inputs-2", outcome="skipped", reason="it does not answer")
        store.add_cost(Cost(run.id, "tokens", "count", 12.5))


def record(store: Store, run: Run, repo: str, *, output: bytes | None = None, **more: Any) -> None:
    """A step of the run, done when the run began unless told otherwise."""
    plain = Step(0, run.id, repo, "2026-01-19", "collect", "inputs-1", "done", None, run.started_at, 1.5)
    store.add_step(run, replace(plain, **more), output)


def answers(memory: object, labels: list[str]) -> list[Recorded | None]:
    """All that a memory says of some days."""
    said: list[Recorded | None] = []
    for name in ("acme/engine", "acme/quiet", "acme/lost", "acme/none"):
        for label in ("2026-01-01", *labels, "2027-01-01"):
            said.append(memory.day(label, name))  # type: ignore[attr-defined]
            said += [None, *memory.earlier(label, name), None, *memory.later(label, name)]  # type: ignore[attr-defined]
    return said


def inputs(store: Store) -> set[str]:
    """What the steps that are there were done from."""
    return {step.inputs for run in store.runs() for step in store.steps(run.id)}


def many(low: int, high: int, body: bytes = b"words") -> list[Envelope]:
    """As many answers, which are written together or not at all."""
    return [answer(str(number), category="many", body=body) for number in range(low, high)]


def wordy(store: Store) -> None:
    """Three hundred steps whose reason stands in the file as it is."""
    with store.run("run", "1.0") as run:
        for number in range(300):
            record(store, run, f"acme/{number}", outcome="skipped", reason="words " * 30)


def known(store: SqlStore) -> int:
    """How many of those are there."""
    with store._database.read() as connection:
        asked = "SELECT count(*) FROM answers WHERE category = 'many'"
        return int(connection.value(asked) or 0)


def set_all(connection: Connection, table: Table, **values: object) -> None:
    """Other values in every row of a table, under hashes that do not know of it."""
    names = ", ".join(f"{name} = ?" for name in values)
    connection.change(f"UPDATE {table.name} SET {names}", tuple(values.values()))


def clear(error: DaybreakError) -> None:
    """One sentence, one tip, no words of a driver."""
    assert error.message.endswith(".")
    assert error.tip
    for word in ("psycopg", "sqlite3.", "SELECT", "INSERT", "\n"):
        assert word not in error.message + error.tip

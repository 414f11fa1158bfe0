"""Values for stores: one of everything, and what of it comes back."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from daybreak.core.memory import Recorded
from daybreak.core.model.changes import Collected, Skipped, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.items import Envelope
from daybreak.core.model.report import Page, Report
from daybreak.report.render.data import DataRenderer
from daybreak.store.interface import Cost
from render import factory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybreak.core.errors import DaybreakError
    from daybreak.core.model.changes import Change
    from daybreak.store.interface import Store


def bare(change: Change) -> Change:
    """A change without what is left to the mirror."""
    return replace(change, files=tuple(replace(file, patch="") for file in change.files))


def collected() -> Collected:
    part = factory.busy()
    return Collected(
        repo=part.repo,
        branch="main",
        head=part.head,
        changes=tuple(bare(entry.change) for entry in part.entries),
        late=tuple(bare(entry.change) for entry in part.late),
        in_git=8,
        released={part.entries[0].change.sha: "v1.2.0"},
        newest="v1.2.0",
        rewritten=factory.sha(77),
        revised=(part.entries[1].change.sha,),
        skipped=(Skipped("acme/engine", "it is late", "wait", "git said so"),),
    )


def readings() -> tuple[Reading, ...]:
    return tuple(replace(entry.reading, hunks=()) for entry in factory.busy().entries)


def day_report(label: str = "2026-01-19") -> tuple[Report, bytes, tuple[Page, ...]]:
    """A finished day: its values, its JSON, its pages."""
    report = factory.report()
    since = factory.DAY + (factory.window(label).since - factory.window().since)
    report = replace(report, window=Window(since, since + timedelta(days=1), factory.ZONE, label))
    pages = DataRenderer().pages(report)
    return report, pages[0].text.encode(), (*pages, Page(f"reports/{label}.md", "# text\n"))


def data_of(report: Report) -> bytes:
    return DataRenderer().pages(report)[0].text.encode()


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
    store.put_collected(factory.window(), collected())
    store.put_readings("acme/engine", readings())
    report, data, pages = day_report()
    store.put_report(report, data, pages)
    with store.run("run --date 2026-01-19", "1.0") as run:
        with store.step(run, "acme/engine", "2026-01-19", "collect", "inputs-1") as step:
            step.keep({"answer": 42})
        with store.step(run, "acme/lost", "2026-01-19", "collect", "inputs-2") as step:
            step.skip("it does not answer")
        store.add_cost(Cost(run.id, "tokens", "count", 12.5))


def answers(memory: object, labels: list[str]) -> list[Recorded | None]:
    """All that a memory says of some days."""
    said: list[Recorded | None] = []
    for name in ("acme/engine", "acme/quiet", "acme/lost", "acme/none"):
        for label in ("2026-01-01", *labels, "2027-01-01"):
            said.append(memory.day(label, name))  # type: ignore[attr-defined]
            said += [None, *memory.earlier(label, name), None, *memory.later(label, name)]  # type: ignore[attr-defined]
    return said


def history(low: int, high: int, body: str = "") -> Iterator[Change]:
    return (bare(factory.change(number, body=body)) for number in range(low, high))


def known(store: Store) -> int:
    year = timedelta(days=365)
    return sum(1 for _ in store.changes("acme/engine", factory.DAY - year, factory.DAY + year))


def clear(error: DaybreakError) -> None:
    """One sentence, one tip, no words of a driver."""
    assert error.message.endswith(".")
    assert error.tip
    for word in ("sqlalche", "psycopg", "sqlite3.", "SELECT", "INSERT", "\n"):
        assert word not in error.message + error.tip

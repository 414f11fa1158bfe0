"""What the service answers, by a real server on a real store."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from starlette.types import ASGIApp

from contracts.stored import day_report, fill, record
from daybreak.core.config import Settings, load
from daybreak.core.errors import DaybreakError
from daybreak.serve.web.app import OVERDUE, STUCK, make_app
from daybreak.serve.web.metrics import Facts, busy, look, store_of, tried_before
from daybreak.serve.web.plan import Days, Failure, Log, Status, Task, Timetable
from daybreak.serve.web.service import bound, logged, make_server, shown
from daybreak.store import Cost
from daybreak.store.lock import run_lock
from web.exposition import samples
from web.world import utc

NOW = utc("2026-01-21T00:00")
QUIET = Status(next_at=utc("2026-01-22T07:00"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


def settings_in(folder: Path, top: str = "") -> Settings:
    (folder / "daybreak.toml").write_text(f'timezone = "UTC"\n{top}\n[[repo]]\nname = "acme/engine"\n')
    return load(folder / "daybreak.toml", {}, dict(os.environ))


def write(settings: Settings, label: str = "2026-01-19", change: Callable[[str], str] = str) -> None:
    """Publish a day as a run does."""
    path = settings.out / "reports" / f"{label}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(change(day_report(label)[1].decode()))


def without_skipped(text: str) -> str:
    data = json.loads(text)
    data["coverage"]["skipped"] = []
    return json.dumps(data)


@contextmanager
def serving(app: ASGIApp, log: Log = lambda *_: None) -> Iterator[httpx.Client]:
    listener = bound("127.0.0.1", 0)
    address, server = shown(listener), make_server(app)
    with logged(log):
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        try:
            with httpx.Client(base_url=address, timeout=30, verify=False) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def asked(settings: Settings, status: Status | None = None, steady: float = 0.0) -> Iterator[httpx.Client]:
    days = Days(settings.out)
    with serving(make_app(lambda: look(settings, days, lambda: NOW), lambda: status, lambda: steady)) as client:
        yield client


# --- metrics ---------------------------------------------------------------------------------------------------------


def test_metrics_of_an_empty_store(settings: Settings) -> None:
    with asked(settings) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert re.match(r"text/plain; version=[01]\.0\.[04]; charset=utf-8", answer.headers["content-type"])
    found = samples(answer.text)
    assert found["daybreak_store_up"] == 1
    assert found["daybreak_reports_stored"] == 0
    assert found["daybreak_schedule_enabled"] == 0
    assert found["daybreak_run_in_progress"] == 0
    absent = ("daybreak_lag_seconds", "daybreak_last_success_timestamp_seconds", "daybreak_next_run_timestamp_seconds")
    assert not any(name in found for name in absent)


def test_metrics_tell_what_the_store_holds(settings: Settings) -> None:
    write(settings, "2026-01-18", without_skipped)
    write(settings)
    with store_of(settings) as store:
        fill(store)
        run = store.runs(1)[0]
        store.add_cost(Cost(run.id, "tokens", "count", 2.5))
        store.add_cost(Cost(run.id, 'a "b"\n\\', "€", 1.0))
        with pytest.raises(DaybreakError), store.run("run 2026-01-20", "1.0"):
            raise DaybreakError("hush hush")
    with asked(settings, QUIET) as client:
        text = client.get("/metrics").text
    found = samples(text)
    assert found["daybreak_reports_stored"] == 1
    assert found["daybreak_report_skipped"] > 0
    assert found["daybreak_lag_seconds"] == (2 * 24 + 8) * 3600  # the reports are of days in Shanghai
    assert found["daybreak_newest_report_timestamp_seconds"] == utc("2026-01-19T16:00").timestamp()
    assert found["daybreak_last_run_outcome{outcome=failed}"] == 1
    assert found["daybreak_last_run_outcome{outcome=done}"] == 0
    assert found["daybreak_last_run_duration_seconds"] >= 0
    assert run.ended_at is not None
    assert found["daybreak_last_success_timestamp_seconds"] == pytest.approx(run.ended_at.timestamp(), rel=0, abs=1e-4)
    assert found["daybreak_cost_total{unit=count,what=tokens}"] == 15.0
    assert found['daybreak_cost_total{unit=€,what=a "b"\n\\}'] == 1.0
    assert found["daybreak_next_run_timestamp_seconds"] == utc("2026-01-22T07:00").timestamp()
    assert "hush" not in text


def test_metrics_count_the_steps_of_the_newest_run(settings: Settings) -> None:
    with store_of(settings) as store:
        fill(store)
        with pytest.raises(DaybreakError), store.run("run 2026-01-20", "1.0") as run:
            raise DaybreakError("lost")
        record(store, run, "acme/engine", label="2026-01-20", stage="read", outcome="failed", reason="lost")
    with asked(settings) as client:
        found = samples(client.get("/metrics").text)
    steps = [found[f"daybreak_last_run_steps{{outcome={outcome}}}"] for outcome in ("done", "skipped", "failed")]
    assert steps == [0, 0, 1]


def test_metrics_know_a_run_that_goes_on_from_one_that_was_killed(settings: Settings) -> None:
    with asked(settings) as client, store_of(settings) as store:
        with store.hold(), store.run("run 2026-01-20", "1.0"):
            during = samples(client.get("/metrics").text)
        with store.run("run 2026-01-20", "1.0"):  # nobody holds the store: whoever began this is gone
            killed = samples(client.get("/metrics").text)
    assert during["daybreak_run_in_progress"] == 1
    assert during["daybreak_last_run_outcome{outcome=running}"] == 1
    assert killed["daybreak_run_in_progress"] == 0
    assert killed["daybreak_last_run_outcome{outcome=killed}"] == 1


def test_metrics_of_the_schedule(settings: Settings) -> None:
    status = replace(
        QUIET, task=Task(date(2026, 1, 20)), failures={"2026-01-19": Failure(2, 1, 0.0)}, waiting={"a": 1.0}
    )
    with asked(settings, status) as client:
        found = samples(client.get("/metrics").text)
    assert found["daybreak_run_in_progress"] == 1
    assert found["daybreak_days_failing"] == 1
    assert found["daybreak_days_without_report"] == 1


# --- health ----------------------------------------------------------------------------------------------------------


def test_health_without_a_schedule_is_that_of_the_store(settings: Settings) -> None:
    write(settings)
    with asked(settings) as client:
        answer = client.get("/healthz")
    assert answer.status_code == 200
    data = answer.json()
    assert (data["status"], data["reasons"], data["schedule"]) == ("ok", [], None)
    assert data["newest_report"]["day"] == "2026-01-19"


@pytest.mark.parametrize(
    ("status", "steady", "words"),
    [
        (QUIET, 0.0, ""),
        (replace(QUIET, waiting={"2026-01-19": 0.0}), OVERDUE, ""),
        (replace(QUIET, waiting={"2026-01-19": 0.0}), OVERDUE + 1, "2026-01-19 has been due for 1.0 hours."),
        (
            replace(QUIET, waiting={"2026-01-19": 0.0}, blocked="process 7 works with the store"),
            3 * 3600,
            "2026-01-19 has been due for 3.0 hours. process 7 works with the store",
        ),
        (
            replace(QUIET, failures={"2026-01-19": Failure(3, -9, 0.0)}),
            0.0,
            "The run for 2026-01-19 failed (tries: 3, last with signal 9); the log says why.",
        ),
        # A failure says more than that the day is late.
        (
            replace(QUIET, failures={"2026-01-19": Failure(1, 1, 0.0)}, waiting={"2026-01-19": 0.0}),
            OVERDUE + 1,
            "The run for 2026-01-19 failed (tries: 1, last with exit code 1); the log says why.",
        ),
        # While something is done about them, days may wait.
        (replace(QUIET, task=Task(date(2026, 1, 18)), since=9e5, waiting={"2026-01-19": 0.0}), 9e5 + 60, ""),
        (
            replace(QUIET, task=Task(date(2026, 1, 18)), since=0.0),
            STUCK + 3600,
            "The run for 2026-01-18 has been going on for 7.0 hours.",
        ),
    ],
)
def test_health_of_the_schedule(settings: Settings, status: Status, steady: float, words: str) -> None:
    with asked(settings, status, steady) as client:
        answer = client.get("/healthz")
    assert (answer.status_code, answer.json()["reasons"]) == ((503, [words]) if words else (200, []))
    assert answer.json()["schedule"]["next_run"] == "2026-01-22T07:00:00+00:00"


def test_a_store_that_does_not_answer_is_said_without_its_password(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    settings = settings_in(tmp_path, 'store = "postgresql+psycopg://ann:hush@127.0.0.1:1/reports"')
    write(settings)
    with asked(settings, QUIET) as client:
        health, found, page = client.get("/healthz"), client.get("/metrics"), client.get("/")
    assert health.status_code == 503
    assert health.json()["reasons"] == ["The store postgresql://127.0.0.1:1/reports cannot be reached."]
    assert found.status_code == 200
    assert samples(found.text)["daybreak_store_up"] == 0
    assert "daybreak_reports_stored" not in samples(found.text)
    assert not any("hush" in answer.text or "ann:" in answer.text for answer in (health, found, page))


def test_a_damaged_store_makes_us_ill_and_a_mended_one_well(settings: Settings) -> None:
    with store_of(settings):
        pass
    path = settings.state / "daybreak.db"
    good = path.read_bytes()
    with asked(settings) as client:
        path.write_bytes(b"not a database at all" * 500)
        ill = client.get("/healthz")
        for name in ("daybreak.db-wal", "daybreak.db-shm"):
            (settings.state / name).unlink(missing_ok=True)
        path.write_bytes(good)
        well = client.get("/healthz")
    assert (ill.status_code, well.status_code) == (503, 200)
    assert "damaged" in ill.json()["reasons"][0]


# --- the rest --------------------------------------------------------------------------------------------------------


def test_before_there_is_a_site_the_page_is_plain_and_says_what_is_known(settings: Settings) -> None:
    write(settings)
    with asked(settings, QUIET) as client:
        answer = client.get("/")
        assert client.get("/none").status_code == 404
        page = client.get("/none").text
        assert '<a href="/">' in page, "a way home"
        assert '<p lang="en">There is no such page.</p>' in page, "each sentence says of which language it is"
        assert client.post("/healthz").status_code == 405
    assert "2026-01-19" in answer.text
    assert "2026-01-22 07:00 UTC" in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; ")
    assert "<script" not in answer.text


def test_a_head_is_an_answer_without_its_body(settings: Settings) -> None:
    with asked(settings) as client:
        head, whole = client.head("/"), client.get("/")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(whole.content))


def test_a_fault_of_ours_tells_its_kind_and_not_its_words() -> None:
    words = "hush"

    def broken() -> Facts:
        raise RuntimeError(words)

    lines: list[tuple[str, str]] = []
    app = make_app(broken, lambda: None, time.monotonic)
    with serving(app, lambda level, message, _: lines.append((level, message))) as client:
        answer = client.get("/healthz")
    assert answer.status_code == 500
    assert answer.text == "This is a bug in Daybreak: RuntimeError.\n"
    assert [level for level, _ in lines if level != "debug"] == ["error"]
    assert "hush" not in str(lines)
    assert any("RuntimeError" in message and "in broken" in message for _, message in lines)


def test_the_store_is_busy_while_somebody_holds_it_or_the_folder(settings: Settings) -> None:
    assert busy(settings) is None
    with store_of(settings) as store, store.hold():
        assert f"process {os.getpid()} on " in str(busy(settings))
    with run_lock(settings.state):
        assert f"process {os.getpid()}" in str(busy(settings))
    assert busy(settings) is None


def test_what_was_tried_since_the_last_turn_is_known_from_the_store(settings: Settings) -> None:
    with store_of(settings) as store:
        fill(store)
        began = store.runs(1)[0].started_at
        with pytest.raises(DaybreakError), store.run("run 2026-01-18", "1.0") as run:
            raise DaybreakError("what fails is no such try")
        record(store, run, "acme/engine", label="2026-01-18", stage="read", outcome="failed", reason="lost")
    table = Timetable.of(settings.zone, "00:00", 3)
    assert tried_before(settings, table, began) == {"2026-01-19": began.date()}
    assert tried_before(settings, table, began + timedelta(days=1)) == {}


# --- reports ---------------------------------------------------------------------------------------------------------


def test_reports_are_read_again_when_they_change(settings: Settings) -> None:
    days = Days(settings.out)
    assert days.of("2026-01-19") is None
    write(settings)
    first = days.of("2026-01-19")
    assert first is not None
    assert not first.whole
    write(settings, change=without_skipped)
    second = days.of("2026-01-19")
    assert second is not None
    assert second.whole


@pytest.mark.parametrize("text", ["", "{}", "[" * 10_000, '{"schema": "other/1"}', "\udcff"])
def test_a_report_that_cannot_be_read_is_none(settings: Settings, text: str) -> None:
    write(settings)
    path = settings.out / "reports" / "2026-01-19.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    days = Days(settings.out)
    assert days.of("2026-01-19") is None
    assert days.newest(NOW) is None
    assert days.whole_until(NOW) is None


def test_reports_of_days_to_come_are_no_news(settings: Settings) -> None:
    write(settings, "2026-01-19", without_skipped)
    write(settings, "2026-01-25", without_skipped)
    days = Days(settings.out)
    newest = days.newest(NOW)
    assert newest is not None
    assert newest.label == "2026-01-19"
    assert days.whole_until(NOW) == utc("2026-01-19T16:00")

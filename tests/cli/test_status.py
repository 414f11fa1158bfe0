"""`daybreak status` as a user meets it: what it says, how it fits a terminal, and its exit codes."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from cli.place import DAY, Place
from cli.status_desk import Desk
from contracts import stored
from contracts.conftest import opened
from contracts.test_overview import WORK, put_day
from contracts.test_store_faults import as_nobody, open_to_all
from daybreak.cli.console import width
from daybreak.cli.status import COLUMNS, _lines, _size, _time
from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Skipped
from daybreak.store import Cost, Holder
from daybreak.store.status import CostTold, DayTold, MessageTold, Overview, RunTold, SkippedTold, StepTold, StoreTold

__all__ = ["open_to_all"]  # a fixture of theirs
ADDRESS = "sqlite:///.daybreak/daybreak.db"
NOW = "2026-01-20T09:00:00+08:00"
TOO_NEW = "INSERT INTO schema_versions VALUES (99, 'from the future', 'then')"


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("DAYBREAK_NOW", NOW)
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "daybreak.toml").write_text('timezone = "Asia/Shanghai"\n[retention]\ndays = 90\n')
    return Desk(folder, capsys)


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """Two whole days."""
    with closing(opened(ADDRESS, desk.folder)) as store:
        for label in ("2026-01-18", "2026-01-19"):
            put_day(store, label)
        with store.hold(), store.run("run 2026-01-19", "1.0"):
            pass
    return desk


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# --- what it says ----------------------------------------------------------------------------------------------------


def test_nothing_has_run_yet_is_a_sentence_and_nothing_is_made(desk: Desk) -> None:
    code, said = desk.ask("status")
    assert code == 0
    assert said == "Nothing has run yet: there is no store at .daybreak/daybreak.db.\n"
    assert desk.data()["there"] is False
    assert list(files(desk.folder)) == ["daybreak.toml"]


def test_all_is_well(filled: Desk) -> None:
    code, said = filled.ask("status")
    assert code == 0
    assert "Newest     2026-01-19, which was yesterday" in said
    assert "2026-01-18 to 2026-01-19  whole (2 days)" in said
    assert "kept for 90 days" in said
    assert "done        run 2026-01-19" in said
    for word in ("Costs", "Steps", "Held", "To complete", "MISSING", "DAMAGED"):
        assert word not in said


def test_a_day_on_which_no_repository_could_be_had_is_not_up_to_date(filled: Desk) -> None:
    report = stored.day_report()[0]
    lost = replace(report.repos[0], entries=(), late=(), in_git=None, skipped=(Skipped("acme/lost", "gone"),))
    label = report.window.label
    with closing(opened(ADDRESS, filled.folder)) as store:
        store.put_report(stored.data_of(replace(report, repos=(lost,))))
    code, said = filled.ask("status", "--last", "30d")
    assert code == 3
    assert (f"Newest     {label}, of which nothing is known: no repository could be had" in said) == (
        label >= "2026-01-19"
    )
    assert [day["unknown"] for day in filled.data()["days"] if day["day"] == label] in ([True], [])


def test_a_day_that_was_reported_long_ago_is_still_told_after_later_ones_ran(filled: Desk) -> None:
    """It was gone from the list as if it had never been, as soon as newer days filled it."""
    with closing(opened(ADDRESS, filled.folder)) as store:
        put_day(store, "2025-09-15")
    _, said = filled.ask("status")
    assert "  before the last 14 days: 1 day reported, 2025-09-15\n" in said
    assert "2026-01-18 to 2026-01-19  whole (2 days)" in said
    assert filled.data()["older"] == ["2025-09-15"]


def test_what_is_incomplete_is_named_with_how_to_complete_it(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store:
        put_day(store, "2026-01-15", whole=False)
        with store.run("run 2026-01-15", "1.0") as run:
            store.add_cost(Cost(run.id, "model", "tokens", 1234567.0))
            reason = "it does not answer"
            stored.record(store, run, "acme/lost", label="2026-01-15", stage="read", outcome="skipped", reason=reason)
    code, said = filled.ask("status", "--last", "5d")
    assert code == 3
    assert "2026-01-15                2 skipped\n" in said
    assert "      acme/lost: the repository does not answer\n" in said
    assert "2026-01-16 to 2026-01-17  MISSING (2 days)" in said
    assert "  acme/lost, 2026-01-15, read: skipped: it does not answer" in said
    assert "  model: 1,234,567 tokens (1,234,567)" in said
    assert "To complete 3 days: daybreak run --since 2026-01-15 --until 2026-01-18\n" in said
    assert said.endswith("\nExit code 3: days are missing; days lack something.\n")
    code, said = filled.ask("status", "--last", "1")
    assert code == 3
    assert "before the last 1 day: 3 days missing or not whole, since 2026-01-15" in said


def test_days_with_a_gap_between_them_are_not_told_as_one_span(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store:
        put_day(store, "2025-11-02")
    code, said = filled.ask("status", "--last", "300")
    assert code == 0
    assert "  2025-11-02                whole\n" in said
    assert "  2025-11-03 to 2026-01-17  no report; so long a gap is not MISSING (76 days)\n" in said
    assert "  2026-01-18 to 2026-01-19  whole (2 days)\n" in said


def test_days_to_complete_that_do_not_follow_one_another_are_asked_for_apart(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store:
        put_day(store, "2026-01-12", whole=False)
        put_day(store, "2026-01-15")
    code, said = filled.ask("status")
    assert code == 3
    assert "To complete 5 days: daybreak run --since 2026-01-12 --until 2026-01-15\n" in said
    assert "  and: daybreak run --since 2026-01-16 --until 2026-01-18\n" in said


def test_many_skipped_things_are_counted(filled: Desk) -> None:
    report = stored.day_report()[0]
    skipped = tuple(Skipped(f"acme/lost{number}", "gone") for number in range(9))
    report = replace(report, repos=(replace(report.repos[0], skipped=skipped),))
    with closing(opened(ADDRESS, filled.folder)) as store:
        store.put_report(stored.data_of(report))
    named = len(json.loads(stored.data_of(report))["coverage"]["skipped"])
    _, said = filled.ask("status")
    assert f"2026-01-19                {named} skipped" in said
    assert f"      and {named - 3} more" in said


def test_a_failed_run_is_told_with_its_reason(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store, pytest.raises(DaybreakError), store.run("run x", "1.0"):
        raise DaybreakError("There is no space left.", "Free some.")
    code, said = filled.ask("status")
    assert code == 3
    assert "failed      run x\n      There is no space left.\n" in said
    assert said.endswith("\nExit code 3: the last run failed or was killed.\n")


def test_a_run_that_was_killed_is_told_as_such(filled: Desk) -> None:
    command = [sys.executable, "-c", WORK, ADDRESS, str(filled.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "at work\n"
        code, said = filled.ask("status")
        assert (code, f"Held by    process {run.pid} on " in said, "running     run 2026-01-19" in said) == (
            0,
            True,
            True,
        )
        run.kill()
    code, said = filled.ask("status")
    assert (code, "Held by" in said, "was killed  run 2026-01-19" in said) == (3, False, True)
    assert filled.data()["runs"][0]["state"] == "killed"


def test_json_has_the_fields_of_the_docs(filled: Desk) -> None:
    """Every field is named in the page about the store."""
    page = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
    with closing(opened(ADDRESS, filled.folder)) as store:
        stored.fill(store)
    data = filled.data()
    assert data["schema"] == "daybreak.status/1"
    assert data["days"][-1]["skipped"]
    for table in (data, data["store"], data["runs"][0], data["days"][0], data["steps"][0], data["costs"][0]):
        for name in table:
            assert f"`{name}`" in page, name


# --- a real run ------------------------------------------------------------------------------------------------------


def test_a_run_is_seen_by_status(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    watching = Desk(place.folder, capsys)
    assert watching.ask("status")[1].startswith("Nothing has run yet")
    assert watching.ask("run", "--date", DAY)[0] == 0
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-20T12:00:00+00:00")
    code, said = watching.ask("status")
    assert code == 0
    assert f"  {DAY}                whole\n" in said
    assert f"done        run {DAY}\n" in said
    assert watching.data()["mirrors"] > 0


# --- a terminal ------------------------------------------------------------------------------------------------------

HOSTILE = "\x1b[2J\x9b31m\u202edrow\r\n\x07 改为默认启用 " + "w" * 200


def test_hostile_text_does_nothing_to_a_terminal(filled: Desk) -> None:
    report = stored.day_report()[0]
    report = replace(report, repos=(replace(report.repos[0], skipped=(Skipped(HOSTILE, HOSTILE),)),))
    with closing(opened(ADDRESS, filled.folder)) as store:
        store.put_report(stored.data_of(report))
        with store.run(HOSTILE, HOSTILE) as run:
            store.add_cost(Cost(run.id, HOSTILE, HOSTILE, 1.0))
            stored.record(store, run, HOSTILE, stage=HOSTILE, outcome="skipped", reason=HOSTILE)
    _, said = filled.ask("status")
    assert "drow" in said
    assert not {c for c in said if ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e"} - {"\n"}
    assert max(map(width, said.splitlines())) <= COLUMNS
    _, data = filled.ask("status", "--json")
    assert data.isascii()
    assert "\x1b" not in data
    assert json.loads(data)["runs"][0]["command"] == HOSTILE


words = st.text(max_size=300)
moments = st.integers(10**7, 10**11).map(lambda n: datetime.fromtimestamp(n, UTC))
numbers = st.integers(0, 2**62)
amounts = st.floats(0, 1e300)
states = st.sampled_from(["whole", "skipped", "open", "missing", "damaged", "before"])
skips = st.lists(st.builds(SkippedTold, words, words), max_size=5).map(tuple)
dates = st.dates(date(1971, 1, 1), date(9000, 1, 1)).map(str)
overviews = st.builds(
    Overview,
    schema=st.just("daybreak.status/1"),
    at=moments,
    timezone=st.just("America/Argentina/ComodRivadavia"),
    store=st.builds(StoreTold, st.just("sqlite"), words, st.just(3), numbers, st.none() | words),
    there=st.booleans(),
    reports_outside=numbers,
    mirrors=numbers,
    retention_days=numbers,
    holder=st.none() | st.builds(Holder, words, numbers, moments),
    first_report=st.none() | dates,
    newest_report=st.none() | dates,
    lag_days=st.none() | numbers,
    runs=st.lists(
        st.builds(
            RunTold,
            numbers,
            words,
            st.sampled_from(["done", "failed", "killed", "running", "skipped"]),
            st.none() | words,
            moments,
            st.none(),
            st.none() | amounts.map(lambda n: min(n, 1e9)),
            words,
            words,
            numbers,
        ),
        max_size=3,
    ),
    days=st.lists(st.builds(DayTold, dates, states, skips), max_size=4),
    missing=st.lists(dates, max_size=2),
    incomplete=st.lists(dates, max_size=2),
    damaged=st.lists(dates, max_size=2),
    steps=st.lists(
        st.builds(
            StepTold, numbers, words, dates, words, st.sampled_from(["failed", "skipped"]), words, moments, amounts
        ),
        max_size=14,
    ),
    costs=st.lists(st.builds(CostTold, words, words, amounts, amounts), max_size=2),
    messages=st.lists(
        st.builds(
            MessageTold,
            dates,
            words,
            words,
            st.sampled_from(["planned", "failed", "unsure"]),
            numbers,
            st.none() | words,
        ),
        max_size=14,
    ),
    problems=st.just([]),
)


@settings(max_examples=60)
@given(overviews)
def test_every_line_fits_a_terminal(told: Overview) -> None:
    lines = list(_lines(told))
    assert lines
    for line in lines:
        assert width(line) <= COLUMNS
        assert "\n" not in line
        assert "\x1b" not in line


def test_sizes_and_times_are_for_people() -> None:
    assert [_size(n) for n in (0, 1023, 1024, 5 << 20, 3 << 30)] == [
        "0 bytes", "1023 bytes", "1.0 KiB", "5.0 MiB", "3.0 GiB",
    ]  # fmt: skip
    assert [_time(n) for n in (0.04, 59.9, 60, 3599, 3600, 90061)] == [
        "0.0 s", "59.9 s", "1 min", "59 min", "1 h 00", "25 h 01",
    ]  # fmt: skip


# --- faults ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", ["0", "-1", "x", "", "9999", "1e3", "٣"])
def test_a_wrong_number_of_days_is_bad_usage(desk: Desk, last: str) -> None:
    code, said = desk.ask("status", f"--last={last}")
    assert code == 2
    assert "is not a number of days" in said


def test_asking_changes_nothing(filled: Desk) -> None:
    before = files(filled.folder)
    for arguments in (("status",), ("status", "--json"), ("doctor", "--store")):
        filled.ask(*arguments)
    assert files(filled.folder) == before


def test_a_store_of_a_newer_program_is_refused_in_a_sentence(filled: Desk) -> None:
    with closing(sqlite3.connect(filled.file)) as connection:
        connection.execute(TOO_NEW)
        connection.commit()
    code, said = filled.ask("status")
    assert code == 1
    assert "was made by a newer Daybreak (schema 99" in said
    assert "  tip: " in said


def test_a_file_of_something_else_is_refused_and_left_alone(desk: Desk) -> None:
    desk.file.parent.mkdir()
    with closing(sqlite3.connect(desk.file)) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
        connection.commit()
    before = files(desk.folder)
    code, said = desk.ask("status")
    assert (code, "is a database of something else" in said) == (1, True)
    assert files(desk.folder) == before


def test_a_damaged_file_is_something_to_look_at(filled: Desk) -> None:
    filled.file.write_bytes(b"\xa5" * 100 + filled.file.read_bytes()[100:])
    code, said = filled.ask("status")
    assert code == 3
    assert "DAMAGED" in said
    assert "daybreak doctor --store" in " ".join(said.split())
    data = filled.data()
    assert (data["problems"], data["store"]["schema"]) == (["store-damaged"], None)


def test_a_damaged_report_hides_no_other_day(filled: Desk) -> None:
    with closing(sqlite3.connect(filled.file)) as connection:
        connection.execute("UPDATE reports SET data = x'00' WHERE label = '2026-01-18'")
        connection.commit()
    code, said = filled.ask("status")
    assert code == 3
    assert "2026-01-18                DAMAGED" in said
    assert "2026-01-19                whole" in said
    assert (filled.data()["damaged"], filled.data()["problems"]) == (["2026-01-18"], ["store-damaged"])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET started_at = 'noon'",
        "UPDATE reports SET label = '2026-99-99' WHERE label = '2026-01-18'",
        "UPDATE reports SET data = ''",
        "UPDATE runs SET command = cast(x'fffe' AS TEXT)",
    ],
)
def test_a_row_that_makes_no_sense_is_damage_and_no_bug(filled: Desk, statement: str) -> None:
    with closing(sqlite3.connect(filled.file)) as connection:
        connection.execute(statement)
        connection.commit()
    code, said = filled.ask("status")
    assert (code, "DAMAGED" in said, "bug" in said) == (3, True, False)


@pytest.mark.parametrize("left", ["nothing", "a log"])
def test_a_folder_that_may_not_be_written_can_be_looked_at(
    open_to_all: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, left: str
) -> None:
    monkeypatch.setenv("DAYBREAK_NOW", NOW)
    desk = Desk(open_to_all, capsys)
    (open_to_all / "daybreak.toml").write_text('timezone = "Asia/Shanghai"\nstore = "sqlite:///state/daybreak.db"\n')
    store = opened("sqlite:///state/daybreak.db", open_to_all)
    put_day(store, "2026-01-19")
    whole = desk.ask("status")  # loads what is needed before we become nobody
    assert whole[0] == 0
    desk.ask("doctor", "--store")
    if left == "nothing":
        store.close()
    state = open_to_all / "state"
    for path in state.iterdir():
        path.chmod(0o444)
    state.chmod(0o555)
    open_to_all.chmod(0o555)
    before = sorted(path.name for path in state.iterdir())
    with as_nobody():
        code, said = desk.ask("status")
        assert (code, "2026-01-19                whole" in said) == (0, True), said
        assert desk.ask("doctor", "--store")[0] == 0
    assert sorted(path.name for path in state.iterdir()) == before
    store.close()


def test_no_config_is_bad_usage(desk: Desk) -> None:
    (desk.folder / "daybreak.toml").unlink()
    code, said = desk.ask("status")
    assert (code, "daybreak: There is no " in said, "\n  tip: " in said) == (2, True, True)


def test_a_clock_that_was_set_back_is_no_reason_to_fail(filled: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for moment in ("2020-01-01T00:00:00+00:00", "1980-01-01T00:00:00+00:00"):
        monkeypatch.setenv("DAYBREAK_NOW", moment)
        code, said = filled.ask("status")
        assert (code, "no day before today is reported" in said) == (0, True)

"""`daybreak doctor --store`: damage of every kind is found, told with its mend, and the mend mends."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.place import DAY, Place
from cli.status_desk import Desk
from cli.test_status import ADDRESS, TOO_NEW, desk, files
from contracts import stored
from contracts.conftest import opened
from daybreak.store import schema

__all__ = ["desk"]  # a fixture of theirs


@pytest.fixture
def filled(desk: Desk) -> Desk:
    """One of everything, and the report's file beside it."""
    with closing(opened(ADDRESS, desk.folder)) as store:
        stored.fill(store)
    (desk.folder / "reports").mkdir()
    (desk.folder / "reports" / f"{DAY}.json").write_bytes(stored.day_report()[1])
    return desk


def alter(desk: Desk, *statements: str) -> None:
    with closing(sqlite3.connect(desk.file)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def lines(said: str, mark: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith(mark)]


# --- looking ---------------------------------------------------------------------------------------------------------


def test_a_sound_store_is_one_line_with_what_was_looked_at(filled: Desk) -> None:
    before = files(filled.folder)
    code, said = filled.ask("doctor", "--store")
    assert code == 0
    assert len(said.splitlines()) == 1
    assert said.startswith("ok   store: ")
    assert "1 reports, 1 runs, 2 steps, 1 costs" in said
    assert said.endswith("0 damages\n")
    assert files(filled.folder) == before


@pytest.mark.parametrize("arguments", [("--store",), ("--offline",), ("--store", "--mend")])
def test_a_store_that_is_not_there_is_not_made(desk: Desk, arguments: tuple[str, ...]) -> None:
    _, said = desk.ask("doctor", *arguments)
    (line,) = [line for line in said.splitlines() if line.startswith(("ok   store", "FAIL store"))]
    assert line.startswith("ok   store: ")
    assert "the first run makes it" in line
    assert list(files(desk.folder)) == ["daybreak.toml"]


def test_without_store_the_doctor_only_opens_it(filled: Desk) -> None:
    alter(filled, "UPDATE answers SET version = 'x'")
    before = files(filled.folder)
    _, said = filled.ask("doctor", "--offline")
    assert f"ok   store: SQLite, schema {len(_sentences())}, {filled.file}\n" in said
    assert files(filled.folder) == before


def _sentences() -> list[str]:
    from daybreak.store.migrations import MIGRATIONS

    return [migration.sentence for migration in MIGRATIONS]


ALTERED = {
    "reports": "digest = 'x'",
    "runs": "command = 'x'",
    "steps": "reason = 'x'",
    "costs": "amount = 1",
    "answers": "version = 'x'",
    "model_answers": "question = 'x'",
    "receipts": "reason = 'x'",
}


@pytest.mark.parametrize("table", ALTERED)
def test_each_kind_of_damage_is_told_with_its_mend_and_mended_by_it(filled: Desk, table: str) -> None:
    alter(filled, f"UPDATE {table} SET {ALTERED[table]}")
    code, said = filled.ask("doctor", "--store")
    assert code == 3
    *told, summary = lines(said, "FAIL")
    assert told
    for line in told:
        assert line.startswith(f"FAIL {table} ")
        assert "its content is not what was written — `daybreak doctor --store --mend` drops it; " in line
    assert summary.endswith(f", {len(told)} damages")
    code, said = filled.ask("doctor", "--store", "--mend")
    assert code == 0
    assert len(lines(said, f"ok   {table} ")) == len(told)
    assert "so it was dropped; " in said
    assert filled.ask("doctor", "--store")[0] == 0


def test_every_hashed_table_has_its_case_and_its_mend() -> None:
    from daybreak.cli.doctor import AGAIN

    assert set(AGAIN) == {table.name for table in schema.HASHED}
    assert set(ALTERED) == {table.name for table in schema.HASHED}


def test_a_damaged_report_names_its_day_and_is_not_dropped_while_it_is_the_only_one(filled: Desk) -> None:
    alter(filled, "UPDATE reports SET digest = 'x'")
    (filled.folder / "reports" / f"{DAY}.json").rename(filled.folder / "away")
    for more in ((), ("--mend",)):
        code, said = filled.ask("doctor", "--store", *more)
        assert code == 3
        assert f"`daybreak run --date {DAY} --force`" in said
    (filled.folder / "away").rename(filled.folder / "reports" / f"{DAY}.json")
    assert filled.ask("doctor", "--store", "--mend")[0] == 0


def test_hostile_text_in_a_damaged_row_does_nothing_to_a_terminal(filled: Desk) -> None:
    alter(filled, "UPDATE runs SET host = 'x' || char(27) || '[2J' || char(10) || 'FAIL y'")
    _, said = filled.ask("doctor", "--store")
    assert "\x1b" not in said
    assert len(lines(said, "FAIL runs 1 x[2J FAIL y")) == 1


def test_many_damages_are_counted(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store:
        stored.wordy(store)
    alter(filled, "UPDATE steps SET reason = 'x'")
    code, said = filled.ask("doctor", "--store")
    assert code == 3
    assert len(said.splitlines()) == 102
    assert "more like these" in said.splitlines()[-2]
    code, said = filled.ask("doctor", "--store", "--mend")
    assert (code, said.splitlines()[-1].endswith(", 0 damages")) == (0, True)


# --- bytes -----------------------------------------------------------------------------------------------------------


def test_flipped_bytes_in_the_file_are_found_and_told(filled: Desk) -> None:
    with closing(opened(ADDRESS, filled.folder)) as store:
        stored.wordy(store)
    data = bytearray(filled.file.read_bytes())
    at = data.index(b"words words")
    data[at : at + 5] = b"swrod"
    filled.file.write_bytes(bytes(data))
    code, said = filled.ask("doctor", "--store")
    assert code == 3
    (told, _) = lines(said, "FAIL")
    assert told.startswith("FAIL steps ")
    assert filled.ask("doctor", "--store", "--mend")[0] == 0


@pytest.mark.parametrize("where", ["header", "pages", "half"])
def test_a_file_that_cannot_be_read_is_told_with_its_mend(filled: Desk, where: str) -> None:
    data = filled.file.read_bytes()
    if where == "half":
        filled.file.write_bytes(data[: len(data) // 2 // 4096 * 4096])
    else:
        begin, end = (0, 100) if where == "header" else (4096, len(data))
        filled.file.write_bytes(data[:begin] + b"\xa5" * (end - begin) + data[end:])
    for more in ((), ("--mend",)):
        code, said = filled.ask("doctor", "--store", *more)
        assert code == 3
        assert "Restore a backup, or move it away" in said
        assert "bug" not in said


def flipped(desk: Desk, at: int, mask: int) -> None:
    data = bytearray(desk.file.read_bytes())
    data[at] ^= mask
    desk.file.write_bytes(bytes(data))


@pytest.mark.parametrize("more", [(), ("--mend",)])
@pytest.mark.parametrize("at", [5, 14, 44], ids=["word", "name", "column"])
def test_a_flipped_byte_in_what_a_table_is_made_of_is_damage_with_its_mend(
    filled: Desk, more: tuple[str, ...], at: int
) -> None:
    flipped(filled, filled.file.read_bytes().index(b"CREATE TABLE runs") + at, 0x80)
    before = filled.file.read_bytes()
    code, said = filled.ask("doctor", "--store", *more)
    assert (code, len(said.splitlines())) == (3, 1)
    assert said.startswith(f"FAIL The store {filled.file} is damaged. — Restore a backup, or move it away")
    code, said = filled.ask("status")
    assert (code, "DAMAGED" in said, "failed" in said) == (3, True, False)
    assert filled.data()["problems"] == ["store-damaged"]
    assert filled.file.read_bytes() == before


def test_of_a_file_with_damaged_pages_no_row_is_dropped(filled: Desk) -> None:
    """What is written into them may be lost."""
    with closing(opened(ADDRESS, filled.folder)) as store:
        stored.wordy(store)
    with closing(sqlite3.connect(filled.file)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data = filled.file.read_bytes()
    leaves = [at for at in range(0, len(data), size) if data[at] == 0x0D and b"words words" in data[at : at + size]]
    flipped(filled, leaves[0] + 4, 0x01)  # how many rows the page has
    before = filled.file.read_bytes()
    code, said = filled.ask("doctor", "--store", "--mend")
    assert code == 3
    assert "so it was dropped" not in said
    assert "--mend` drops it" not in said
    assert "Restore a backup, or move it away" in said
    assert filled.file.read_bytes() == before


@pytest.fixture
def watching(place: Place, capsys: pytest.CaptureFixture[str]) -> Desk:
    """A desk with an upstream."""
    return Desk(place.folder, capsys)


def test_a_file_moved_away_is_the_mend_that_is_promised(watching: Desk) -> None:
    """The next run makes a new store and takes in the reports that were written."""
    assert watching.ask("run", "--date", "2026-01-18")[0] == 0
    watching.file.write_bytes(b"\xa5" * watching.file.stat().st_size)
    assert watching.ask("doctor", "--store")[0] == 3
    watching.file.rename(watching.folder / "damaged.db")
    assert watching.ask("run", "--date", DAY)[0] == 0
    with closing(opened(ADDRESS, watching.folder)) as store:
        assert store.labels() == ["2026-01-18", DAY]
        assert store.report_data("2026-01-18") == (watching.folder / "reports" / "2026-01-18.json").read_bytes()
    assert watching.ask("doctor", "--store")[0] == 0


def test_a_dropped_report_is_taken_in_again_by_the_next_run(watching: Desk) -> None:
    assert watching.ask("run", "--date", "2026-01-18")[0] == 0
    alter(watching, "UPDATE reports SET digest = 'x'")
    assert watching.ask("doctor", "--store")[0] == 3
    assert watching.ask("doctor", "--store", "--mend")[0] == 0
    assert watching.ask("run", "--date", DAY)[0] == 0
    with closing(opened(ADDRESS, watching.folder)) as store:
        assert store.labels() == ["2026-01-18", DAY]
        assert list(store.verify()) == []


# --- what keeps it from looking --------------------------------------------------------------------------------------


def test_a_store_of_a_newer_program_is_refused_in_a_sentence(filled: Desk) -> None:
    alter(filled, TOO_NEW)
    code, said = filled.ask("doctor", "--store")
    assert (code, "was made by a newer Daybreak (schema 99" in said) == (1, True)
    code, said = filled.ask("doctor", "--offline")
    (told,) = [line for line in lines(said, "FAIL") if "schema 99" in line]
    assert (code, told.startswith("FAIL store: The store ")) == (3, True)


def test_mend_needs_store_and_a_config(desk: Desk) -> None:
    code, said = desk.ask("doctor", "--mend")
    assert (code, "\n  tip: Use it with --store." in said) == (2, True)
    (desk.folder / "daybreak.toml").unlink()
    code, said = desk.ask("doctor", "--store")
    assert (code, "daybreak: There is no " in said, "\n  tip: " in said) == (2, True, True)


def test_nothing_is_dropped_while_a_run_works(filled: Desk) -> None:
    alter(filled, "UPDATE answers SET version = 'x'")
    with closing(opened(ADDRESS, filled.folder)) as store, store.hold():
        code, said = filled.ask("doctor", "--store", "--mend")
        assert (code, "Another run (process " in said) == (1, True)
        assert filled.ask("doctor", "--store")[0] == 3
    assert filled.ask("doctor", "--store", "--mend")[0] == 0


def test_no_server_is_a_sentence_without_the_password(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("DAYBREAK_STORE", "postgresql+psycopg://me:hunter2@127.0.0.1:1/daybreak?password=hunter2")
    for arguments, expected in ((("doctor", "--store"), 1), (("status",), 1), (("doctor", "--offline"), 3)):
        code, said = desk.ask(*arguments)
        assert (code, "hunter2" in said) == (expected, False)
        assert "postgresql://127.0.0.1:1/daybreak cannot be reached" in said


def test_an_address_of_nothing_known_is_a_mistake_of_the_config(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBREAK_STORE", "mysql://me:hunter2@host/x")
    for arguments, expected in ((("doctor", "--store"), 2), (("status",), 2), (("doctor", "--offline"), 3)):
        code, said = desk.ask(*arguments)
        assert (code, "hunter2" in said, "is no kind of store" in said) == (expected, False, True)


def test_files_are_where_the_config_says(desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    odd = tmp_path / "odd ?#%41 名"
    odd.mkdir()
    monkeypatch.setenv("DAYBREAK_OUT", str(odd))
    (desk.folder / "daybreak.toml").write_text(f'store = "sqlite:///{odd}/x%20y.db"\n', encoding="utf-8")
    with closing(opened(f"sqlite:///{odd}/x%20y.db", desk.folder)) as store:
        stored.fill(store)
    _, said = desk.ask("status")
    assert "schema" in said
    assert desk.ask("doctor", "--store")[0] == 0


def test_a_target_of_messages_that_cannot_be_written_to_is_told_and_nothing_is_sent(desk: Desk) -> None:
    config = desk.folder / "daybreak.toml"
    targets = '\n[notify]\nurls = ["blah+http://example.org/x", "json://127.0.0.1:9/x"]\n'
    config.write_text(config.read_text(encoding="utf-8") + targets, encoding="utf-8")
    _, said = desk.ask("doctor", "--offline")
    told = [line for line in said.splitlines() if "notify: " in line]
    assert [line[:4].strip() for line in told] == ["FAIL", "ok"]
    assert "of no known kind" in told[0]

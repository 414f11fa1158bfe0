"""What a report says becomes the same rows, whether the report is at hand or only its JSON."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from contracts import stored
from daybreak.store.opening import open_store
from daybreak.store.report_rows import Told, from_data, report_rows, told_rows

TABLES = ("stories", "statements", "verdicts")


def rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """Without the report's own key, which covers when it was made."""
    with sqlite3.connect(file) as connection:
        return {table: [row[1:] for row in connection.execute(f"SELECT * FROM {table} ORDER BY 2")] for table in TABLES}


def test_a_report_taken_in_from_its_json_has_the_rows_it_had_when_it_was_made(tmp_path: Path) -> None:
    report, data, pages = stored.day_report()
    made = open_store(f"sqlite:///{tmp_path}/made.db", tmp_path)
    made.put_report(report, data, pages)
    taken = open_store(f"sqlite:///{tmp_path}/taken.db", tmp_path)
    taken.take_in(data)
    assert list(taken.verify()) == []
    made.close()
    taken.close()
    known = rows(tmp_path / "made.db")
    assert rows(tmp_path / "taken.db") == known
    assert all(known.values()), "a report without stories, statements or verdicts shows nothing"


def test_a_report_taken_in_again_replaces_its_rows(tmp_path: Path) -> None:
    _, data, _ = stored.day_report()
    less = json.loads(data)
    less["summary"] = []
    with_all, without = from_data(data), from_data(json.dumps(less).encode())
    store = open_store(f"sqlite:///{tmp_path}/taken.db", tmp_path)
    store.take_in(data)
    store.take_in(json.dumps(less).encode())
    assert list(store.verify()) == []
    store.close()
    assert len(with_all.summary) > 0 == len(without.summary)
    assert len(rows(tmp_path / "taken.db")["statements"]) == len(told_rows(without)[1])


def test_rows_from_values_equal_rows_from_json() -> None:
    report, data, _ = stored.day_report()
    assert told_rows(from_data(data)) == report_rows(report)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b'{"repos": 5}', b'{"summary": [{"role": 1}]}', b'{"grounding": {"kept": "x"}}', b"\xff"]
)
def test_json_of_another_form_tells_nothing(data: bytes) -> None:
    assert from_data(data) == Told()

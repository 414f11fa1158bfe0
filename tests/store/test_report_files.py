"""Reports as memory: what they hold is found, what is broken is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from daybreak.core.errors import DaybreakError
from daybreak.store.report_files import ReportFiles

if TYPE_CHECKING:
    from pathlib import Path


def write(out: Path, label: str, **changes: Any) -> None:
    report = {
        "schema": "daybreak.report/1",
        "window": {
            "since": f"{label}T00:00:00+08:00",
            "until": f"{label}T23:00:00+08:00",
            "timezone": "x",
            "label": label,
        },
        "coverage": {"commits_in_git": 1, "skipped": []},
        "repos": [
            {
                "name": "org/a",
                "branch": "main",
                "head": "h",
                "commits": [{"sha": "s", "committed_at": f"{label}T01:00:00+08:00", "released": "v1"}],
                "late": [{"sha": "l", "committed_at": f"{label}T02:00:00+08:00"}],
            }
        ],
        "revised": ["s", "elsewhere"],
        **changes,
    }
    (out / "reports").mkdir(parents=True, exist_ok=True)
    (out / "reports" / f"{label}.json").write_text(json.dumps(report))


def test_days_come_in_order_and_only_days_count(tmp_path: Path) -> None:
    for label in ("2026-01-03", "2026-01-01", "2026-01-02"):
        write(tmp_path, label)
    for other in ("2026-01.json", "2026-01-04.md", "x2026-01-05.json", "2026-01-06.json.bak"):
        (tmp_path / "reports" / other).write_text("no report")
    memory = ReportFiles(tmp_path)
    assert memory.labels() == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert [r.label for r in memory.earlier("2026-01-03", "org/a")] == ["2026-01-02", "2026-01-01"]
    assert [r.label for r in memory.later("2026-01-01", "org/a")] == ["2026-01-02", "2026-01-03"]
    assert list(memory.earlier("2026-01-03", "org/b")) == []
    assert memory.day("2026-01-09", "org/a") is None
    assert ReportFiles(tmp_path / "nowhere").labels() == []


def test_a_record_holds_what_the_report_says(tmp_path: Path) -> None:
    write(tmp_path, "2026-01-01")
    record = ReportFiles(tmp_path).day("2026-01-01", "org/a")
    assert record is not None
    assert (record.head, record.commits, record.late, record.released) == ("h", ("s",), ("l",), {"s": "v1"})
    assert (record.revised, record.final) == (("s",), True)
    assert record.since.isoformat() == "2026-01-01T00:00:00+08:00"


@pytest.mark.parametrize(
    ("what", "final"),
    [
        ("org/a", False),
        ("org/a 123456789", False),
        ("org/a 123456789 src/x y.py", False),
        ("org/ab", True),
        ("org/b org/a", True),
    ],
)
def test_only_its_own_faults_leave_a_repository_incomplete(tmp_path: Path, what: str, final: bool) -> None:
    write(tmp_path, "2026-01-01", coverage={"skipped": [{"what": what, "reason": "r"}]})
    memory = ReportFiles(tmp_path)
    record = memory.day("2026-01-01", "org/a")
    assert record is not None
    assert record.final is final
    assert not memory.whole("2026-01-01")


def test_an_open_day_is_not_final(tmp_path: Path) -> None:
    hours = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
    window = {**hours, "timezone": "UTC", "label": "2026-01-01", "open": True}
    write(tmp_path, "2026-01-01", window=window)
    record = ReportFiles(tmp_path).day("2026-01-01", "org/a")
    assert record is not None
    assert not record.final


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"schema": 1}', "\xff", '{"schema":"daybreak.report/1"}'])
def test_a_broken_memory_is_said_and_not_taken_for_silence(tmp_path: Path, text: str) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "2026-01-01.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DaybreakError, match="cannot be read as a report"):
        ReportFiles(tmp_path).day("2026-01-01", "org/a")


def test_a_day_just_written_is_read_anew_after_forget(tmp_path: Path) -> None:
    write(tmp_path, "2026-01-01")
    memory = ReportFiles(tmp_path)
    memory.day("2026-01-01", "org/a")
    write(tmp_path, "2026-01-01", repos=[])
    assert memory.day("2026-01-01", "org/a") is not None
    memory.forget()
    assert memory.day("2026-01-01", "org/a") is None

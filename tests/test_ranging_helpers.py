"""Helpers of a range: the work that several processes share, and what it is without them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pytest

from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo
from daybreak.core.model.report import Entry
from daybreak.upgrade.range import Job, range_report, reading, report_of
from daybreak.upgrade.range import entries as kept
from test_ranging import Place, code, place, subjects

__all__ = ["place"]  # a fixture of theirs


@pytest.mark.parametrize("count", [0, 1, 7, 300, 1015])
def test_portions_hold_every_commit_once_and_few_at_a_time(count: int) -> None:
    shas = [f"{number:040x}" for number in range(count)]
    portions = list(kept._portions(shas))
    assert [sha for portion in portions for sha in portion] == shas
    assert all(len(portion) <= kept.AT_A_TIME for portion in portions)


def test_without_other_processes_it_is_done_by_one(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    start = place.commit("Start (#1)", "--tp")
    for number in range(2, 8):
        place.commit(f"Change {number} (#{number})", "--tp", f"--x{number}")
    monkeypatch.setattr(kept, "FEW", 1)
    monkeypatch.setattr(kept, "AT_A_TIME", 2)

    def refused(tasks: Sequence[kept.Task], workers: int) -> Iterator[list[bytes | Entry]]:
        del workers
        yield reading.packed_task(tasks[0])
        raise OSError("no more processes")

    monkeypatch.setattr(kept, "_beside", refused)
    assert len(place.report(f"{start}..main", workers=2).entries) == 6


# --- what cannot be read -------------------------------------------------------------------------------------------


def test_a_missing_blob_costs_its_file_and_is_named(place: Place) -> None:
    start = place.commit("Start (#1)", "--tp")
    lost = place.commit("Binary (#2)", files={"data.txt": "some text\n" * 20, "more.txt": "x\n"})
    place.commit("Rename tp (#3)", "--pp")
    place.repo.lose(place.repo.oid(f"{lost}:data.txt"))
    report = place.report(f"{start}..main")
    assert subjects(report) == ["Rename tp (#3)", "Binary (#2)"]
    assert [skipped.what for skipped in report.skipped] == [f"acme/engine {lost[:9]} data.txt"]
    assert (report.nets[0].finding.kind, report.nets[0].finding.symbol) == ("cli_flag_renamed", "--tp")
    assert not list(place.state.rglob(f"{lost}.entry"))


def test_what_the_settings_leave_out_is_counted_and_not_netted(place: Place) -> None:
    start = place.commit("Start (#1)", "--kv", "--tp")
    place.commit("Drop kv (#2)", "--tp")
    repo = Repo("acme/engine", "https://example.org/acme/engine", str(place.repo.path), exclude=("engine/**",))
    report = range_report(Job(repo, place.state, dict(os.environ)), f"{start}..main", lambda _: None)
    assert [entry.change.filtered for entry in report.entries] == [True]
    assert report.nets == ()


# --- two trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("workers", "before", "started"), [(2, False, 1), (1, False, 0), (2, True, 0)])
def test_helpers_are_made_ready_only_where_nothing_was_kept(
    place: Place, monkeypatch: pytest.MonkeyPatch, workers: int, before: bool, started: int
) -> None:
    start = place.commit("Start (#1)", "--tp")
    place.commit("Second (#2)", "--tp", "--a")
    if before:
        place.report(f"{start}..main")
    starts: list[int] = []
    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", lambda: starts.append(1))
    assert subjects(place.report(f"{start}..main", workers=workers)) == ["Second (#2)"]
    assert len(starts) == started


def test_a_machine_without_helpers_is_none_the_worse(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError("no more processes")

    start = place.commit("Start (#1)", "--tp")
    place.commit("Second (#2)", "--tp", "--a")
    monkeypatch.setattr("multiprocessing.forkserver.ensure_running", refuse)
    assert subjects(place.report(f"{start}..main", workers=2)) == ["Second (#2)"]


def test_commits_around_the_range_are_asked_for_where_nobody_did(place: Place) -> None:
    first = place.commit("Start (#1)", **code(1))
    place.commit("Fuse the norm of all layers (#2)", **code(2))
    inside = place.commit("Something else (#3)", **code(3))
    tip = place.commit('Revert "Fuse the norm of all layers (#2)" (#4)', **code(4))
    report = place.report(f"{first}..{inside}")
    known = {entry.change.sha: entry for entry in report.entries}
    again = report_of(Git(dict(os.environ)), report.span, known, report.languages, tip)
    assert again.outages == report.outages
    assert len(report.outages) == 1

"""Late arrivals: every commit of a reported day is shown once, old reports keep their list, a rewrite is said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from daybreak.store.report_files import ReportFiles

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Collector
    from daybreak.core.model.changes import Change, Collected
    from gitrepo import GitRepo


class Diary:
    """Writes the little of each DATE.json that memory reads."""

    def __init__(self, out: Path, collector: Collector, repo: GitRepo) -> None:
        self.out, self.collector, self.repo = out, collector, repo

    @property
    def memory(self) -> ReportFiles:
        return ReportFiles(self.out)

    def report(self, on: str, *, force: bool = False, is_open: bool = False, **more: Any) -> Collected:
        found = self.collector.collect(self.repo, on, memory=self.memory, force=force, **more)
        self.write(on, found, is_open)
        return found

    def write(self, on: str, found: Collected, is_open: bool = False) -> None:
        day, following = int(on[-2:]), int(on[-2:]) + 1
        window = {
            "since": f"2026-01-{day:02}T00:00:00+00:00",
            "until": f"2026-01-{following:02}T00:00:00+00:00",
            "label": on,
        }
        part = {
            "name": found.repo.name,
            "branch": found.branch,
            "head": found.head,
            "commits": [row(c) | {"released": found.released.get(c.sha), "subject": "x"} for c in found.changes],
            "late": [row(c) for c in found.late],
            "rewritten": found.rewritten,
        }
        report = {
            "schema": "daybreak.report/1",
            "window": {**window, "open": is_open, "timezone": "UTC"},
            "coverage": {"skipped": [{"what": s.what, "reason": s.reason} for s in found.skipped]},
            "repos": [{"name": "org/another", "branch": "main", "head": None, "commits": [], "late": []}, part],
            "revised": list(found.revised),
        }
        folder = self.out / "reports"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{on}.json").write_text(json.dumps(report))


def row(change: Change) -> dict[str, str | None]:
    return {"sha": change.sha, "committed_at": change.committed_at.isoformat()}


@pytest.fixture
def diary(tmp_path: Path, collector: Collector, repo: GitRepo) -> Diary:
    return Diary(tmp_path / "out", collector, repo)


def shas(found: Collected) -> list[str]:
    return [change.sha for change in found.changes]


def late(found: Collected) -> list[str]:
    return [change.sha for change in found.late]


def commit(repo: GitRepo, day: int, hour: int = 12) -> str:
    return repo.commit(
        f"{day}/{hour}",
        {"a": f"{day} {hour} {len(repo.text('rev-list', '--all'))}"},
        at=f"2026-01-{day:02}T{hour:02}:00:00",
    )


def test_a_late_commit_is_shown_once_in_the_next_report(diary: Diary, repo: GitRepo) -> None:
    one = commit(repo, 10)
    diary.report("2026-01-10")
    tardy = commit(repo, 10, 20)
    two = commit(repo, 11)
    found = diary.report("2026-01-11")
    assert (shas(found), late(found)) == ([two], [tardy])
    commit(repo, 12)
    assert late(diary.report("2026-01-12")) == []
    assert late(diary.report("2026-01-11")) == [tardy]
    assert shas(diary.report("2026-01-10")) == [one]


def test_an_old_report_keeps_its_list_and_its_head(diary: Diary, repo: GitRepo) -> None:
    one = commit(repo, 10)
    repo.tag("v1", one)
    first = diary.report("2026-01-10")
    commit(repo, 10, 20)
    commit(repo, 12)
    repo.tag("v0", one)
    again = diary.report("2026-01-10")
    assert (again.changes, again.head, again.released, again.revised) == (first.changes, first.head, first.released, ())


def test_a_forced_rebuild_takes_the_late_one_in_and_says_so_from_then_on(diary: Diary, repo: GitRepo) -> None:
    one = commit(repo, 10)
    diary.report("2026-01-10")
    tardy = commit(repo, 10, 20)
    commit(repo, 11)
    diary.report("2026-01-11")
    forced = diary.report("2026-01-10", force=True)
    assert (shas(forced), forced.revised) == ([tardy, one], (tardy,))
    again = diary.report("2026-01-10")
    assert (shas(again), again.revised) == ([tardy, one], (tardy,))
    later = commit(repo, 10, 22)
    assert set(diary.report("2026-01-10", force=True).revised) == {tardy, later}
    assert late(diary.report("2026-01-11")) == [tardy]


def test_a_late_commit_of_a_day_never_reported_waits_for_that_day(diary: Diary, repo: GitRepo) -> None:
    commit(repo, 10)
    diary.report("2026-01-10")
    old = commit(repo, 5)
    assert late(diary.report("2026-01-11")) == []
    assert shas(diary.report("2026-01-05")) == [old]


def test_commits_of_an_incomplete_day_come_late_rather_than_never(diary: Diary, repo: GitRepo) -> None:
    commit(repo, 9)
    diary.report("2026-01-09")
    repo.path.rename(repo.path.with_name("away"))
    failed = diary.report("2026-01-10")
    assert failed.in_git is None
    repo.path.with_name("away").rename(repo.path)
    ten, eleven = commit(repo, 10), commit(repo, 11)
    found = diary.report("2026-01-11")
    assert (shas(found), late(found)) == ([eleven], [ten])
    completed = diary.report("2026-01-10")
    assert (shas(completed), completed.skipped) == ([ten], ())


def test_a_day_reported_while_open_is_rebuilt_or_its_rest_comes_late(diary: Diary, repo: GitRepo) -> None:
    morning = commit(repo, 10, 8)
    diary.report("2026-01-10", is_open=True)
    evening = commit(repo, 10, 20)
    assert late(diary.report("2026-01-11")) == [evening]
    assert shas(diary.report("2026-01-10")) == [evening, morning]


def test_a_rewritten_branch_is_noticed_and_loses_nothing(diary: Diary, repo: GitRepo) -> None:
    base = commit(repo, 8)
    diary.report("2026-01-08")
    gone = commit(repo, 9)
    diary.report("2026-01-09")
    repo.move(base)
    instead = commit(repo, 9, 13)
    ten = commit(repo, 10)
    found = diary.report("2026-01-10")
    assert (found.rewritten, shas(found), late(found)) == (gone, [ten], [instead])
    commit(repo, 11)
    after = diary.report("2026-01-11")
    assert (after.rewritten, late(after)) == (None, [])
    assert diary.report("2026-01-10").rewritten == gone
    assert shas(diary.report("2026-01-09")) == [gone]


def test_filling_in_newest_first_shows_each_commit_in_its_day(diary: Diary, repo: GitRepo) -> None:
    made = {day: commit(repo, day) for day in (10, 11, 12, 13)}
    for day in (13, 12, 11, 10):
        found = diary.report(f"2026-01-{day}")
        assert (shas(found), late(found)) == ([made[day]], [])
    commit(repo, 14)
    assert late(diary.report("2026-01-14")) == []


def test_a_repository_new_on_the_watchlist_has_no_late_past(diary: Diary, repo: GitRepo, tmp_path: Path) -> None:
    for day in (9, 10, 11):
        commit(repo, day)
    diary.report("2026-01-09", name="org/first")
    diary.report("2026-01-10", name="org/first")
    found = diary.report("2026-01-11", name="org/project")
    assert (len(found.changes), late(found), found.rewritten) == (1, [], None)


def test_two_late_commits_around_one_of_the_day_keep_their_order(diary: Diary, repo: GitRepo) -> None:
    commit(repo, 9)
    commit(repo, 10)
    diary.report("2026-01-09")
    diary.report("2026-01-10")
    first = commit(repo, 9, 13)
    today = commit(repo, 11)
    second = commit(repo, 10, 13)
    found = diary.report("2026-01-11")
    assert (shas(found), late(found)) == ([today], [second, first])


def test_a_late_commit_on_top_is_the_head_from_which_the_next_day_goes_on(diary: Diary, repo: GitRepo) -> None:
    commit(repo, 9)
    diary.report("2026-01-09")
    commit(repo, 10)
    top = commit(repo, 9, 23)
    found = diary.report("2026-01-10")
    assert (found.head, late(found)) == (top, [top])
    commit(repo, 11)
    after = diary.report("2026-01-11")
    assert (late(after), after.rewritten) == ([], None)


def test_a_quiet_day_between_hides_nothing(diary: Diary, repo: GitRepo) -> None:
    commit(repo, 9)
    diary.report("2026-01-09")
    diary.report("2026-01-10")
    tardy = commit(repo, 10)
    assert late(diary.report("2026-01-11")) == [tardy]
    assert late(diary.report("2026-01-12")) == []

"""Every commit of the window, no more and no fewer, whatever shape the branch has."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from daybreak.core.windows import day

if TYPE_CHECKING:
    from conftest import Collector
    from daybreak.core.model.changes import Collected
    from gitrepo import GitRepo


def shas(collected: Collected) -> list[str]:
    return [change.sha for change in collected.changes]


def span(on: str, zone: str) -> tuple[int, int]:
    from conftest import LONG_AFTER

    window = day(date.fromisoformat(on), ZoneInfo(zone), LONG_AFTER)
    return int(window.since.timestamp()), int(window.until.timestamp())


def test_commits_of_the_day_are_those_git_lists_newest_first(repo: GitRepo, collector: Collector) -> None:
    for hour in range(0, 72, 5):
        repo.commit(f"c{hour}", {"a": str(hour)}, at=1768694400 + hour * 3600)
    for on in ("2026-01-18", "2026-01-19", "2026-01-20"):
        found = collector.collect(repo, on)
        assert shas(found) == repo.log(*span(on, "UTC"))
        assert found.in_git == len(found.changes) > 0
        assert not found.skipped


def test_both_ends_of_the_window_are_exact(repo: GitRepo, collector: Collector) -> None:
    low, high = span("2026-01-19", "Asia/Shanghai")
    made = [repo.commit(str(t), {"a": str(t)}, at=t) for t in (low - 1, low, high - 1, high)]
    assert shas(collector.collect(repo, zone="Asia/Shanghai")) == [made[2], made[1]]


def test_an_old_dated_commit_on_top_hides_nothing_below_it(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("of the day", {"a": "1"}, at="2026-01-19T08:00:00")
    repo.commit("made long ago, pushed now", {"a": "2"}, at="2025-06-01T00:00:00")
    last = repo.commit("of the day too", {"a": "3"}, at="2026-01-19T09:00:00")
    repo.commit("old again", {"a": "4"}, at="2025-07-01T00:00:00")
    assert shas(collector.collect(repo)) == [last, first]


def test_dates_out_of_order_keep_the_order_of_the_branch(repo: GitRepo, collector: Collector) -> None:
    made = [repo.commit(str(h), {"a": str(h)}, at=f"2026-01-19T{h:02}:00:00") for h in (9, 3, 17, 1, 12)]
    assert shas(collector.collect(repo)) == made[::-1]


@pytest.mark.parametrize(
    ("zone", "on", "hours"),
    [
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25),
        ("Asia/Beirut", "2025-03-30", 23),
        ("Africa/Cairo", "2025-04-25", 23),
        ("America/Havana", "2025-11-02", 25),
        ("Asia/Kathmandu", "2026-01-19", 24),
    ],
)
def test_days_on_which_clocks_change_have_all_their_hours(
    repo: GitRepo, collector: Collector, zone: str, on: str, hours: int
) -> None:
    low, high = span(on, zone)
    assert high - low == hours * 3600
    for t in (low - 1, *range(low, high, 3600), high - 1, high):
        repo.commit(str(t), {"a": str(t)}, at=t)
    found = collector.collect(repo, on, zone=zone)
    assert shas(found) == repo.log(low, high)
    assert len(found.changes) == hours + 1
    assert {change.committed_at.date().isoformat() for change in found.changes} == {on}


def test_a_day_without_commits_is_empty_and_complete(repo: GitRepo, collector: Collector) -> None:
    head = repo.commit("earlier", {"a": "1"}, at="2026-01-10T00:00:00")
    repo.commit("later", {"a": "2"}, at="2026-01-25T00:00:00")
    found = collector.collect(repo)
    assert (found.changes, found.in_git, found.skipped, found.head) == ((), 0, (), head)


def test_a_branch_younger_than_the_day_has_no_head_yet(repo: GitRepo, collector: Collector) -> None:
    repo.commit("later", {"a": "2"}, at="2026-01-25T00:00:00")
    found = collector.collect(repo)
    assert (found.changes, found.in_git, found.head, found.skipped) == ((), 0, None, ())


def test_head_is_the_newest_commit_before_the_end(repo: GitRepo, collector: Collector) -> None:
    inside = repo.commit("in", {"a": "1"})
    repo.commit("after", {"a": "2"}, at="2026-01-20T00:00:00")
    assert collector.collect(repo).head == inside


@pytest.mark.parametrize("time", [0, 1, 999_999_999, 10_000_000_000, 17_179_869_183])
def test_commits_of_other_ages_do_not_disturb_the_day(repo: GitRepo, collector: Collector, time: int) -> None:
    repo.commit("of another age", {"a": "0"}, at=time)
    inside = repo.commit("in", {"a": "1"})
    repo.commit("of another age", {"a": "2"}, at=time)
    assert shas(collector.collect(repo)) == [inside]


@pytest.mark.parametrize(
    ("time", "on"), [(946_728_000, "2000-01-01"), (43_200, "1970-01-01"), (10_413_748_800, "2299-12-31")]
)
def test_a_history_of_one_far_age_is_found_there_and_only_there(
    repo: GitRepo, collector: Collector, time: int, on: str
) -> None:
    sha = repo.commit("x", {"a": "1"}, at=time)
    assert shas(collector.collect(repo, on)) == [sha]
    assert shas(collector.collect(repo)) == []
    assert collector.collect(repo).head == (sha if time < 1_768_780_800 else None)


def test_a_date_no_calendar_has_falls_in_no_day(repo: GitRepo, collector: Collector) -> None:
    inside = repo.commit("in", {"a": "1"})
    tree = repo.oid("main^{tree}")
    for date_text in (
        "3155692597470000000 +0000",
        "99999999999999999999999 +0000",
        "-12345 +0000",
        "nonsense",
        "1768821000",
    ):
        who = f"Ann Lee <a@example.org> {date_text}"
        repo.write_commit(f"tree {tree}\nparent {repo.oid('main')}\nauthor {who}\ncommitter {who}\n\nodd\n".encode())
    top = repo.commit("in too", {"a": "2"})
    low, high = span("2026-01-19", "UTC")
    assert shas(collector.collect(repo)) == repo.log(low, high)
    assert {inside, top} <= set(shas(collector.collect(repo)))


def test_a_time_beyond_what_a_commit_graph_holds_falls_in_no_day(repo: GitRepo, collector: Collector) -> None:
    """A commit-graph keeps 34 bits of a time: this one would look like the day's."""
    inside = repo.commit("in", {"a": "1"})
    repo.commit("in the year 2570", {"a": "2"}, at=(1 << 34) + 1_768_824_000)
    found = collector.collect(repo)
    assert shas(found) == [inside]
    assert found.in_git == 1


def test_a_merge_is_one_change_with_its_diff_against_the_first_parent(repo: GitRepo, collector: Collector) -> None:
    base = repo.commit("base", {"a": "1\n"}, at="2026-01-10T00:00:00")
    one = repo.commit("one", {"b": "1\n"}, branch="side", parents=[base], at="2026-01-12T00:00:00")
    two = repo.commit("two", {"c": "1\n2\n"}, branch="side", at="2026-01-19T10:00:00")
    main = repo.commit("main", {"a": "2\n"}, at="2026-01-19T11:00:00")
    merge = repo.commit("Merge pull request #7 from x/side", {"b": "1\n", "c": "1\n2\n"}, parents=[main, two])
    found = collector.collect(repo)
    assert shas(found) == [merge, main]
    change = found.changes[0]
    assert (change.parents, change.merged, change.pr) == ((main, two), (two, one), 7)
    assert {(file.path, file.added) for file in change.files} == {("b", 1), ("c", 2)}
    assert found.changes[1].merged == ()


def test_an_octopus_merge_lists_all_it_brought_in(repo: GitRepo, collector: Collector) -> None:
    base = repo.commit("base", {"a": "1\n"}, at="2026-01-10T00:00:00")
    arms = [repo.commit(n, {n: "1\n"}, branch=n, parents=[base], at="2026-01-12T00:00:00") for n in ("x", "y", "z")]
    merge = repo.commit("octopus", dict.fromkeys(("x", "y", "z"), "1\n"), parents=[base, *arms])
    change = collector.collect(repo).changes[0]
    assert (change.sha, set(change.merged), change.files_total) == (merge, set(arms), 3)


def test_a_merge_that_changes_nothing_is_empty_and_still_counted(repo: GitRepo, collector: Collector) -> None:
    base = repo.commit("base", {"a": "1\n"})
    side = repo.commit("side", {"b": "1\n"}, branch="side", parents=[base])
    merge = repo.commit("ours", {}, parents=[base, side])
    change = collector.collect(repo).changes[0]
    assert (change.sha, change.empty, change.files, change.merged) == (merge, True, (), (side,))


def test_root_and_empty_commits_are_changes(repo: GitRepo, collector: Collector) -> None:
    repo.commit("root", {"a": "1\n2\n"})
    repo.commit("nothing", {})
    nothing, root = collector.collect(repo).changes
    assert (nothing.empty, nothing.files_total) == (True, 0)
    assert (root.empty, root.parents, root.added, root.files[0].status) == (False, (), 2, "A")


def test_an_empty_repository_is_skipped_with_its_reason(repo: GitRepo, collector: Collector) -> None:
    found = collector.collect(repo)
    assert (found.in_git, found.changes) == (None, ())
    assert "empty" in found.skipped[0].reason


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_repository_whose_head_names_no_branch_of_it_is_told_with_those_it_has(
    repo: GitRepo, collector: Collector, form: str
) -> None:
    repo.commit("first", {"a": "1"})
    repo.commit("other", {"a": "2"}, branch="aside")
    repo.git("symbolic-ref", "HEAD", "refs/heads/gone")
    found = collector.collect(form.format(repo.path))
    assert found.skipped[0].reason == "org/project names no default branch; it has main, aside"


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_branch_that_is_misspelt_is_told_with_the_one_that_is_meant(
    repo: GitRepo, collector: Collector, form: str
) -> None:
    repo.commit("first", {"a": "1"})
    (told,) = collector.collect(form.format(repo.path), branch="mian").skipped
    assert "branch 'mian' does not exist" in told.reason
    assert told.tip.startswith("Did you mean 'main'?")


def test_a_repository_that_was_empty_is_read_once_it_has_commits(repo: GitRepo, collector: Collector) -> None:
    collector.collect(repo)
    sha = repo.commit("first", {"a": "1"})
    assert shas(collector.collect(repo)) == [sha]
    assert not collector.collect(repo).skipped


def test_facts_of_a_commit(repo: GitRepo, collector: Collector) -> None:
    body = "Why it was needed.\n\nSigned-off-by: Ann Lee <a@example.org>\nCo-authored-by: Bo\n  <b@example.org>\n"
    repo.commit(f"[Core] speed up (#12) again (#34)\n\n{body}", {"a": "1\n"}, at="2026-01-19T23:30:00", author="Zoë 李")
    change = collector.collect(repo, "2026-01-20", zone="Asia/Shanghai").changes[0]
    assert (change.subject, change.pr, change.author) == ("[Core] speed up (#12) again (#34)", 34, "Zoë 李")
    assert change.body == body.strip()
    assert change.trailers == (("Signed-off-by", "Ann Lee <a@example.org>"), ("Co-authored-by", "Bo <b@example.org>"))
    assert change.committed_at.isoformat() == "2026-01-20T07:30:00+08:00"


def test_releases_are_those_known_on_that_day(repo: GitRepo, collector: Collector) -> None:
    one = repo.commit("one", {"a": "1"}, at="2026-01-19T01:00:00")
    two = repo.commit("two", {"a": "2"}, at="2026-01-19T02:00:00")
    three = repo.commit("three", {"a": "3"}, at="2026-01-19T03:00:00")
    after = repo.commit("next day", {"a": "4"}, at="2026-01-20T03:00:00")
    repo.tag("v1", two, at="2026-01-19T05:00:00")
    repo.tag("v0-made-later", one, at="2026-01-25T00:00:00")
    repo.tag("v2", after)
    assert collector.collect(repo).released == {one: "v1", two: "v1"}
    assert three not in collector.collect(repo).released


def test_a_tag_whose_object_is_missing_costs_no_more_than_that_tag(repo: GitRepo, collector: Collector) -> None:
    sha = repo.commit("one", {"a": "1"})
    repo.tag("v1", sha, at="2026-01-19T13:00:00")
    repo.tag("v2", sha, at="2026-01-19T14:00:00")
    repo.lose(repo.oid("refs/tags/v2"))
    for _ in range(2):
        found = collector.collect(repo)
        assert shas(found) == [sha]
        assert found.skipped == ()
    assert found.released == {sha: "v1"}


def test_filtered_commits_are_marked_and_still_counted(repo: GitRepo, collector: Collector) -> None:
    repo.commit("code", {"src/a.py": "1"})
    repo.commit("docs", {"docs/a.md": "1"})
    repo.commit("moved out", {"src/a.py": None, "old/a.py": "1"})
    found = collector.collect(repo, paths=("src/**",))
    assert [change.filtered for change in found.changes] == [False, True, False]
    assert [c.filtered for c in collector.collect(repo, exclude=("docs/**",)).changes] == [False, True, False]
    assert found.in_git == 3

"""Days that are told beforehand are read by one git, and each of them is what a run for it alone would collect."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from branchdays import collect, history, source, windows
from daybreak.collect.git import source as collecting
from daybreak.collect.git import source as reading_ahead
from daybreak.collect.git.chain import Chain
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.source import GitSource
from daybreak.collect.git.tags import held_by, held_by_each
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Window
from gitrepo import GitRepo, clean_environment

DAYS = 6


@pytest.fixture
def own_gits(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """The commits of each git that was started for one day alone."""
    asked: list[Sequence[str]] = []
    real = HistoryReader.read

    def counted(self: HistoryReader, shas: Sequence[str]) -> object:
        asked.append(shas)
        return real(self, shas)

    monkeypatch.setattr(HistoryReader, "read", counted)
    return asked


def told(one: GitSource, repo: GitRepo, days: Sequence[Window]) -> list[Collected]:
    one.expect(days)
    return [collect(one, repo, window) for window in days]


def alone(home: Path, repo: GitRepo, days: Sequence[Window]) -> list[Collected]:
    return [collect(source(home, f"alone{window.label}"), repo, window) for window in days]


@pytest.mark.parametrize(("seed", "newest_first"), [(11, False), (12, True), (13, False)])
def test_days_read_in_one_go_equal_each_day_alone(
    tmp_path: Path, own_gits: list[Sequence[str]], seed: int, newest_first: bool
) -> None:
    repo = history(tmp_path / "up.git", seed, DAYS)
    days = windows(DAYS)[:: -1 if newest_first else 1]
    together = told(source(tmp_path, "together"), repo, days)
    assert own_gits == [], "no day had a git of its own"
    assert list(map(repr, together)) == list(map(repr, alone(tmp_path, repo, days)))
    assert any(one.holds for one in together), "a history without tags shows nothing of them"
    assert any(change.merged for one in together for change in one.changes)


def test_a_day_that_nobody_asks_for_in_the_end_is_passed_over(tmp_path: Path, own_gits: list[Sequence[str]]) -> None:
    repo = history(tmp_path / "up.git", 14, DAYS)
    days, one = windows(DAYS), source(tmp_path, "together")
    one.expect(days)
    found = [collect(one, repo, days[n]) for n in (0, 2, 5)]
    assert own_gits == []
    assert list(map(repr, found)) == list(map(repr, alone(tmp_path, repo, [days[n] for n in (0, 2, 5)])))


def test_a_day_that_was_not_told_is_read_alone(tmp_path: Path, own_gits: list[Sequence[str]]) -> None:
    repo = history(tmp_path / "up.git", 15, DAYS)
    days, one = windows(DAYS), source(tmp_path, "together")
    told(one, repo, days[:3])
    again, beyond = collect(one, repo, days[1]), collect(one, repo, days[4])
    assert len(own_gits) == 1, "the one that was read before is still known"
    assert [repr(again), repr(beyond)] == list(map(repr, alone(tmp_path, repo, [days[1], days[4]])))


def test_an_object_that_is_lost_costs_one_file_of_one_day(tmp_path: Path, own_gits: list[Sequence[str]]) -> None:
    repo = GitRepo.make(tmp_path / "up.git")
    for day in range(10, 16):
        repo.commit(f"Day {day}", {"a.py": f"a{day}\n", "b.py": f"b{day}\n"}, at=f"2026-01-{day}T01:00:00")
    repo.lose(repo.oid("main~3:b.py"))
    days = windows(DAYS)
    together = told(source(tmp_path, "together"), repo, days)
    holes = {one.changes[0].subject: [f.path for f in one.changes[0].files if f.skipped] for one in together}
    assert {day: paths for day, paths in holes.items() if paths} == {"Day 12": ["b.py"], "Day 13": ["b.py"]}
    assert [len(shas) for shas in own_gits] == [1] * 5, "from shortly before the hole on, each day is read by itself"
    assert list(map(repr, together)) == list(map(repr, alone(tmp_path, repo, days)))


def test_a_day_whose_patches_reach_its_limit_is_cut_as_it_is_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_gits: list[Sequence[str]]
) -> None:
    repo = history(tmp_path / "up.git", 16, DAYS)
    # The day's own limit is a default that was taken when it was defined; the one here is asked each time.
    monkeypatch.setattr(collecting, "ROOM", 2500)
    monkeypatch.setattr(reading_ahead, "ROOM", 2500)
    found = told(source(tmp_path, "together"), repo, windows(DAYS))
    assert 0 < len(own_gits) < DAYS, "some days are small enough to be sure of"
    assert list(map(repr, found)) == list(map(repr, alone(tmp_path, repo, windows(DAYS))))


def test_more_commits_than_one_git_is_given_go_to_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_gits: list[Sequence[str]]
) -> None:
    monkeypatch.setattr(collecting, "COMMITS", 12)
    started: list[int] = []
    real = reading_ahead.Ahead.__init__

    def counted(self: reading_ahead.Ahead, *rest: object) -> None:
        started.append(len(rest[-1]))  # type: ignore[arg-type]
        real(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(reading_ahead.Ahead, "__init__", counted)
    repo = history(tmp_path / "up.git", 17, DAYS)
    found = told(source(tmp_path, "together"), repo, windows(DAYS))
    assert own_gits == []
    assert started == [2, 2, 2], "days of five commits and more"
    assert list(map(repr, found)) == list(map(repr, alone(tmp_path, repo, windows(DAYS))))


def test_only_so_many_gits_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_gits: list[Sequence[str]]) -> None:
    monkeypatch.setattr(collecting, "WAITING", 0)
    repo = history(tmp_path / "up.git", 18, DAYS)
    told(source(tmp_path, "together"), repo, windows(DAYS))
    assert len(own_gits) == DAYS


def test_nothing_waits_when_no_day_is_expected_any_more(tmp_path: Path) -> None:
    repo, git = history(tmp_path / "up.git", 19, DAYS), Git(clean_environment(tmp_path))
    one = GitSource(git, tmp_path / "mirrors", False, lambda _: None)
    one.expect(windows(DAYS))
    collect(one, repo, windows(DAYS)[0])
    assert len(git._running) == 1
    one.expect(())
    assert not git._running
    assert collect(one, repo, windows(DAYS)[1]).changes


def test_a_run_that_was_stopped_lets_its_waiting_gits_go_without_a_word(tmp_path: Path) -> None:
    repo, git = history(tmp_path / "up.git", 20, DAYS), Git(clean_environment(tmp_path))
    one = GitSource(git, tmp_path / "mirrors", False, lambda _: None)
    one.expect(windows(DAYS))
    collect(one, repo, windows(DAYS)[0])
    git.stop()
    one.expect(())
    assert not git._running


@pytest.mark.parametrize("seed", range(8))
def test_several_tags_hold_together_what_each_holds_alone(tmp_path: Path, seed: int) -> None:
    dice, repo, git = random.Random(seed), GitRepo.make(tmp_path / "up.git"), Git(clean_environment(tmp_path))
    shas = [repo.commit("Root", {"a": "0"})]
    tags: dict[str, str] = {}
    for number in range(40):
        parents = dice.sample(shas[-8:], min(len(shas), dice.choice((1, 1, 1, 2))))
        shas.append(repo.commit(f"{number}", {"a": str(number)}, branch=f"b{number % 3}", parents=parents))
        if dice.random() < 0.3:
            tags[f"v{number}"] = dice.choice(shas[-5:])
    newest_first = dict(reversed(tags.items()))
    names = [name for name in newest_first if dice.random() < 0.6]
    each = {name: set(held_by(git, repo.path, newest_first, name)) for name in names}
    assert held_by_each(git, repo.path, newest_first, names) == each


def test_places_by_time_are_those_a_look_at_each_commit_finds() -> None:
    dice = random.Random(5)
    times = [dice.randrange(1_700_000_000, 1_700_000_400) for _ in range(300)]
    chain = Chain("".join(f"{time} {n:040x}\n" for n, time in enumerate(times)).encode())
    day = windows(1)[0].since
    for _ in range(200):
        low, high = sorted(dice.randrange(1_699_999_990, 1_700_000_410) for _ in range(2))
        start = dice.randrange(300)
        since, until = (day.fromtimestamp(moment, day.tzinfo) for moment in (low, high))
        inside = [n for n, time in enumerate(times) if n >= start and low <= time < high]
        assert chain.between(since, until, start) == inside
        assert chain.index(chain.sha(start)) == start == chain.starting_with(chain.sha(start)[:40])
        assert chain.head_before(until) == next((n for n, time in enumerate(times) if time < high), None)

"""The benchmark counts rightly: ratios of the same round, bars, the table, the repositories it makes and borrows."""

from __future__ import annotations

import ast
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from scripts.bench import generated, peers
from scripts.bench.cost import Cost, Left, spend, total
from scripts.bench.table import Bar, Contender, Group, Row, data, lines, measure, rows
from scripts.bench.views import make_view, views

from gitrepo import GitRepo

SHORT = 100
"""Columns of the table."""


def costs(*walls: float, peak: float = 10) -> list[Cost]:
    return [Cost(wall, wall / 4, peak) for wall in walls]


def nothing() -> Cost:
    return Cost(1, 1, 1)


def group(*bars: Bar) -> Group:
    peer, missing = Contender("PyDriller", nothing), Contender("Perceval", Left("not installed: make .venv/.bench"))
    ours = Contender("ours", nothing, bars)
    return Group("some work", "wall", (Contender("floor", nothing), ours, peer, missing, Contender("start", nothing)))


FOUND = {
    "floor": costs(1.0, 2.0, 4.0),
    "ours": costs(0.5, 0.8, 4.0, peak=150),
    "PyDriller": costs(4.0, 8.0, 8.0),
    "start": costs(0.25, 0.4, 0.5),
}


def judged(bar: Bar, *, real: bool = True) -> tuple[float, bool | None]:
    row = next(row for row in rows(group(bar), FOUND, real) if row.name == "ours")
    return row.judged[0].value, row.judged[0].kept


@pytest.mark.parametrize(
    ("bar", "value", "kept"),
    [
        pytest.param(Bar(0.5, "wall"), 0.5, True, id="at the limit is kept"),
        pytest.param(Bar(0.45, "wall"), 0.5, False, id="above it is missed"),
        pytest.param(Bar(0.5, "cpu"), 0.5, True, id="cpu"),
        pytest.param(Bar(8, "wall", "PyDriller", times=True), 8.0, True, id="so many times faster"),
        pytest.param(Bar(9, "wall", "PyDriller", times=True), 8.0, False, id="not so many times"),
        pytest.param(Bar(0.25, "wall", minus="start"), 0.25 / 0.75, False, id="without what both contain"),
        pytest.param(Bar(150, "MiB"), 150.0, True, id="memory"),
        pytest.param(Bar(149, "MiB"), 150.0, False, id="too much memory"),
    ],
)
def test_a_bar_is_held_to_the_median_of_the_rounds(bar: Bar, value: float, kept: bool) -> None:
    measured, verdict = judged(bar)
    assert measured == pytest.approx(value)
    assert verdict is kept


def test_a_bar_for_real_repositories_is_not_judged_on_generated_ones() -> None:
    assert judged(Bar(0.1, "wall", real_only=True), real=False) == (0.5, None)
    assert judged(Bar(0.1, "wall", real_only=True), real=True) == (0.5, False)


def test_a_ratio_is_taken_within_a_round_and_not_between_medians() -> None:
    found = {row.name: row.ratio for row in rows(group(), FOUND, real=True)}
    assert found["PyDriller"] == 4.0  # 4, 4, 2; the medians would give 4 too
    assert found["ours"] == 0.5  # 0.5, 0.4, 1; the medians would give 0.4


def test_a_peer_that_is_missing_is_a_row_with_the_reason() -> None:
    bar = Bar(3, "wall", "Perceval", times=True)
    found = list(rows(group(bar), FOUND, real=True))
    table = "\n".join(lines(group(bar), found))
    assert "  Perceval" in table
    assert "not installed: make .venv/.bench" in table
    assert [row.judged for row in found if row.name == "ours"] == [()]


def test_the_table_has_a_line_for_each_contender_and_bar_within_its_width() -> None:
    bars = (Bar(0.45, "wall"), Bar(0.45, "cpu", "PyDriller"), Bar(3, "wall", "PyDriller", times=True), Bar(200, "MiB"))
    text = list(lines(group(*bars), list(rows(group(*bars), FOUND, real=True))))
    assert len(text) == 1 + 5 + 3
    assert max(map(len, text)) <= SHORT
    assert [row[64:] for row in text if "Perceval" not in row and row[64:]] == [
        "0.50 ≤ 0.45 MISSED",
        "0.12 ≤ 0.45 cpu of PyDriller ok",
        "PyDriller 8.0 ≥ 3× ok",
        "150 ≤ 200 MiB ok",
    ]


def test_a_contender_that_found_other_commits_is_told_with_its_number() -> None:
    found = {"floor": [Cost(1, 1, 1)], "ours": [Cost(1, 1, 1, 70)], "peer": [Cost(1, 1, 1, 71)]}
    asked = Group("work", "cpu", tuple(Contender(name, nothing) for name in found), commits=70)
    text = list(lines(asked, list(rows(asked, found, real=True))))
    assert [row.endswith("  71 commits") for row in text] == [False, False, False, True]


def test_the_data_is_json_with_every_round_and_every_verdict() -> None:
    asked = group(Bar(0.45, "wall"))
    written = json.loads(json.dumps(data(asked, FOUND, list(rows(asked, FOUND, real=True)))))
    by_name = {one["name"]: one for one in written["contenders"]}
    assert written["floor"] == "floor"
    assert [cost["wall"] for cost in by_name["ours"]["rounds"]] == [0.5, 0.8, 4.0]
    assert by_name["ours"]["bars"][0]["kept"] is False
    assert by_name["Perceval"]["left"].startswith("not installed")
    assert by_name["Perceval"]["ratio"] is None


def test_rounds_are_interleaved_and_prepared_once() -> None:
    seen: list[str] = []

    def told(name: str) -> Contender:
        def run() -> Cost:
            seen.append(name)
            return nothing()

        return Contender(name, run)

    measure(
        Group("work", "cpu", (told("a"), told("b"), Contender("c", Left("no"))), 2, lambda: seen.append("prepared"))
    )
    assert seen == ["prepared", "a", "b", "a", "b"]


def test_costs_of_several_processes_add_up_but_for_their_peaks() -> None:
    assert total([Cost(1, 2, 30, 4), Cost(10, 20, 3, 40)]) == Cost(11, 22, 30, 44)
    assert total([]) == Cost(0, 0, 0, 0)


def test_a_command_that_fails_ends_the_benchmark_with_its_last_words() -> None:
    with pytest.raises(SystemExit, match="not a git command"):
        spend(["git", "no-such-command"])


def test_a_peer_is_looked_for_before_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "find_spec", lambda _: None)
    both = peers.both([Path("x")], ("2026-01-01", "2026-01-02"))
    assert [one.run for one in both] == [Left(peers.NOT_INSTALLED)] * 2


# --- repositories ----------------------------------------------------------------------------------------------------


def times(commits: int) -> list[datetime]:
    return [datetime(2026, 1, 5, tzinfo=UTC) + timedelta(hours=n) for n in range(commits)]


def test_generated_histories_are_the_same_everywhere_and_their_modules_parse() -> None:
    first, again, other = ("".join(generated.stream(random.Random(seed), times(30))) for seed in (0, 0, 1))
    assert first == again != other
    modules = [piece.partition("\n")[2] for piece in first.split("\nM 644 inline ")[1:]]
    for module in modules:
        ast.parse(module.partition("\n")[2].partition("\ncommit ")[0])
    assert len(modules) > 60


def test_commits_are_spread_evenly_over_days_and_repositories(tmp_path: Path) -> None:
    generated.busy_days(tmp_path, "2026-01-05", 4, 2, 24)
    for number in range(2):
        repo = GitRepo(tmp_path / f"bench+repo{number}" / "repo")
        days = repo.text("log", "--date=format:%Y-%m-%d", "--format=%cd").split()
        assert {day: days.count(day) for day in days} == {f"2026-01-0{n}": 3 for n in range(5, 9)}


def test_a_view_reads_as_its_mirror_and_stands_in_for_what_is_missing(tmp_path: Path) -> None:
    mirror = GitRepo.make(tmp_path / "some+one" / "repo", branch="trunk")
    first = mirror.commit("Change", {"a.py": "one\n", "b.py": "two\n"})
    mirror.tag("v1", first)
    mirror.commit("Change", {"a.py": "three\n"})
    mirror.lose(mirror.oid(f"{first}:b.py"))
    before = sorted(path for path in mirror.path.rglob("*"))
    found = views(tmp_path, tmp_path / "views")
    view = GitRepo(found["some/one"], "trunk")
    assert view.text("log", "--format=%H %D") == mirror.text("log", "--format=%H %D")
    assert view.text("log", "-p", "--format=").count("+one") == 1
    view.git("config", "blame.markUnblamableLines", "true")
    assert sorted(path for path in mirror.path.rglob("*")) == before
    assert "blame" not in (mirror.path / "config").read_text(encoding="utf-8")


def test_views_follow_borrowed_objects_and_put_the_longest_history_first(tmp_path: Path) -> None:
    lender = GitRepo.make(tmp_path / "lender")
    lender.commit("Change", {"a.py": "one\n"})
    lender.commit("Change", {"a.py": "two\n"})
    borrower = tmp_path / "b+borrower" / "repo"
    spend(["git", "clone", "--quiet", "--bare", "--shared", str(lender.path), str(borrower)])
    GitRepo.make(tmp_path / "a+short" / "repo").commit("Change", {"a.py": "one\n"})
    assert list(views(tmp_path, tmp_path / "views")) == ["b/borrower", "a/short"]
    assert not (tmp_path / "views" / "b+borrower" / "objects" / "info" / "alternates").exists()
    make_view(borrower, tmp_path / "again")
    assert len(GitRepo(tmp_path / "again").text("rev-list", "HEAD").split()) == 2


def test_names_of_a_group_are_unique_and_bars_name_somebody_of_it() -> None:
    with pytest.raises(AssertionError):
        Group("work", "cpu", (Contender("a", nothing), Contender("a", nothing)))
    with pytest.raises(AssertionError):
        group(Bar(1, "wall", over="nobody"))
    assert isinstance(next(rows(group(), FOUND, real=True)), Row)

"""A commit-graph is a derived file: damaged, it costs speed and a word, never a commit."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from daybreak.collect.git.chain import Chain
from daybreak.collect.git.commit_graph import counted_alike, damaged_graphs
from daybreak.core.git_program import Git
from gitrepo import GitRepo, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Collector


@pytest.fixture
def history(repo: GitRepo) -> GitRepo:
    for day in range(10, 20):
        for hour in (1, 12, 23):
            repo.commit(f"{day} {hour}", {"a": f"{day} {hour}\n"}, at=f"2026-01-{day}T{hour:02}:00:00")
    return repo


def flipped(path: Path, chance: Random) -> None:
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.parametrize("remote", [True, False], ids=["a clone", "a path that is borrowed"])
def test_a_flipped_bit_of_a_graph_costs_no_commit_and_is_told(
    history: GitRepo, collector: Collector, remote: bool
) -> None:
    address = f"file://{history.path}" if remote else str(history.path)
    if not remote:
        history.git("commit-graph", "write", "--reachable")
    expected, chance = collector.collect(address), Random(26)
    place = collector.mirrors / "org+project.git" if remote else history.path
    for _ in range(12):
        graph = next(p for p in (place / "objects" / "info").rglob("*graph*") if p.is_file() and "chain" not in p.name)
        before = graph.read_bytes()
        flipped(graph, chance)
        collector.said.clear()
        assert collector.collect(address).changes == expected.changes
        assert ["damaged" in words for words in collector.said] == [True]
        if not remote:  # ours is made again by itself
            graph.write_bytes(before)


def test_a_graph_whose_checksum_is_right_and_whose_dates_are_not_is_not_believed(
    history: GitRepo, tmp_path: Path
) -> None:
    """Written so by somebody else's git: only the commits themselves tell."""
    git, tip = Git(clean_environment(tmp_path)), history.text("rev-parse", "main")
    rows = git.run("rev-list", "--first-parent", "--timestamp", tip, at=history.path)
    assert counted_alike(git, history.path, Chain(rows), 0, 5)
    first, _, rest = rows.partition(b"\n")
    lying = b"%d" % (int(first.split()[0]) + 86_400) + first[10:] + b"\n" + rest
    assert not counted_alike(git, history.path, Chain(lying), 0, 5)
    assert not counted_alike(git, history.path, Chain(rows.replace(b"\n", b"\n%s\n" % first, 1)), 0, 5)


def test_sound_graphs_are_not_called_damaged(history: GitRepo) -> None:
    history.git("commit-graph", "write", "--reachable", "--split")
    history.commit("one more", {"a": "b\n"})
    history.git("commit-graph", "write", "--reachable", "--split=no-merge")
    assert len(list((history.path / "objects" / "info" / "commit-graphs").glob("*.graph"))) == 2
    assert damaged_graphs(history.path) == []

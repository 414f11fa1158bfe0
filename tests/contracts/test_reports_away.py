"""A report made in other processes is the report made here, byte for byte; also when a node is lost meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from daybreak.cli import main
from daybreak.core.checkpoint import Memory
from daybreak.runs import remote_parts
from daybreak.runs.executors import LocalExecutor
from gitrepo import GitRepo
from ray_nodes import Nodes, alive, eventually

DAYS = ("2026-01-19", "2026-01-20")
REPOS = 12
pytest_plugins = ["ray_fixture"]
pytestmark = pytest.mark.filterwarnings("ignore")
"""Ray's own, see `test_executors`."""


@pytest.fixture(scope="module")
def upstreams(tmp_path_factory: pytest.TempPathFactory) -> list[GitRepo]:
    """Repositories in which a function changes its parameters day by day."""
    folder = tmp_path_factory.mktemp("upstreams")
    made = []
    for number in range(REPOS):
        repo = GitRepo.make(folder / f"repo{number}.git")
        for step in range(6):
            names = ", ".join(f"part{n}" for n in range(6 - step))
            text = f"def run({names}):\n    return {number}\n"
            when = f"2026-01-{18 + step // 2}T{step + 8:02}:00:00"
            repo.commit(f"Change {step} (#{step + 1})", {"engine/core.py": text}, at=when)
        made.append(repo)
    return made


def report(folder: Path, upstreams: list[GitRepo], execute: str = "", days: Sequence[str] = DAYS) -> dict[str, bytes]:
    """The pages of the days, made in a folder."""
    folder.mkdir(exist_ok=True)
    rows = ['timezone = "UTC"\n']
    rows += [f'[[repo]]\nname = "org/{r.path.stem}"\ngit = "{r.path}"\n' for r in upstreams]
    (folder / "daybreak.toml").write_text("".join(rows) + execute, encoding="utf-8")
    for day in days:
        assert main(["run", "--date", day, "--config", str(folder / "daybreak.toml"), "--quiet"]) == 0
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted((folder / "reports").rglob("*.*"))}


@pytest.fixture(scope="module")
def here(upstreams: list[GitRepo], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return report(tmp_path_factory.mktemp("here") / "out", upstreams)


def test_in_processes(upstreams: list[GitRepo], here: dict[str, bytes], tmp_path: Path) -> None:
    assert report(tmp_path / "out", upstreams, "[execute]\nworkers = 2\nprocesses = true\n") == here
    assert any(b"part3" in page for page in here.values()), "there is something to tell"


def test_on_ray_while_a_node_is_killed(
    upstreams: list[GitRepo], here: dict[str, bytes], nodes: Nodes, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill() -> None:
        if eventually(lambda: bool(nodes.held() & set(nodes.of_second()))):
            killed.extend(nodes.held() & set(nodes.of_second()))
            nodes.kill()
        (nodes.bin / "hold").unlink()

    (nodes.bin / "hold").touch()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        config = f'[execute]\nkind = "ray"\naddress = "{nodes.cluster.address}"\nworkers = {REPOS}\n'
        assert report(tmp_path / "out", upstreams, config) == here
    finally:
        killer.join()
        nodes.add()
    assert killed, "a git of the second node was at work when the node went down"
    assert not any(map(alive, killed))


def test_a_long_list_is_read_in_pieces(
    upstreams: list[GitRepo], here: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    whole = remote_parts.read_shard

    def counted(shard: remote_parts.ShardTask) -> object:
        read.append(len(shard.collected.changes))
        return whole(shard)

    monkeypatch.setattr(remote_parts, "SHARD_OVER", 1)
    monkeypatch.setattr(remote_parts, "SHARD", 1)
    monkeypatch.setattr(remote_parts, "read_shard", counted)
    monkeypatch.setattr("daybreak.runs.wiring.executor", lambda settings, git: LocalExecutor(2, git.stop))
    assert report(tmp_path / "out", upstreams, "[execute]\nprocesses = true\n") == here
    assert read == [1] * (REPOS * 2 * len(DAYS))


def test_what_was_reported_long_ago_is_asked_for_when_a_commit_comes_late(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    more = remote_parts.everything

    def counted(memory: Memory, label: str, name: str) -> remote_parts.Remembered:
        asked.append(label)
        return more(memory, label, name)

    monkeypatch.setattr(remote_parts, "everything", counted)
    monkeypatch.setattr("daybreak.runs.wiring.executor", lambda settings, git: LocalExecutor(2, git.stop))
    for day in (17, 18, 19):
        repo.commit(f"Of day {day}", {"a.py": f"x = {day}\n"}, at=f"2026-01-{day}T12:00:00")
    folders = {tmp_path / "here": "", tmp_path / "away": "[execute]\nprocesses = true\n"}
    for folder, execute in folders.items():
        report(folder, [repo], execute, ("2026-01-17", "2026-01-18", "2026-01-19"))
    assert asked == []
    late = repo.commit("Made on the 18th, pushed on the 20th", {"a.py": "x = 0\n"}, at="2026-01-18T23:00:00")
    repo.commit("Of day 20", {"a.py": "x = 20\n"}, at="2026-01-20T12:00:00")
    first, second = (report(folder, [repo], execute, ("2026-01-20",)) for folder, execute in folders.items())
    assert first == second
    assert late.encode() in first["reports/2026-01-20.json"]
    assert asked == ["2026-01-20"]

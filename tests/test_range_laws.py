"""The laws of netting on real repositories: what two ranges say together is what the range over both says."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from analyse.netted import facts
from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import Net
from daybreak.upgrade.range import Job, range_report
from daybreak.upgrade.range.net import compose, mirrored_net
from gitrepo import GitRepo

COMMITS = 9
NAMES = ("alpha", "beta", "gamma", "delta", "omega")


class World:
    """A small engine whose flags, variables and functions come, go and change at random."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.flags = dict.fromkeys(NAMES[:3], 1)
        self.variables = dict.fromkeys(NAMES[1:4], 0)
        self.functions = dict.fromkeys(NAMES[2:], ("x",))

    def step(self) -> None:
        table: dict[str, Any] = self.random.choice((self.flags, self.variables, self.functions))
        name = self.random.choice(NAMES)
        if name not in table:
            table[name] = ("x",) if table is self.functions else 1
        elif self.random.random() < 0.5:
            del table[name]
        elif table is self.functions:
            table[name] = ("x", "y") if table[name] == ("x",) else ("x",)
        else:
            table[name] = 3 - table[name]

    def files(self) -> dict[str, str]:
        flags = [f'    parser.add_argument("--{n}", type=int, default={v})' for n, v in sorted(self.flags.items())]
        variables = [
            f'    "ENGINE_{n.upper()}": lambda: int(os.getenv("ENGINE_{n.upper()}", "{v}")),'
            for n, v in sorted(self.variables.items())
        ]
        bodies = [f"def {n}({', '.join(p)}):\n    return '{n}', {p[0]}\n" for n, p in sorted(self.functions.items())]
        return {
            "engine/server_args.py": "\n".join(["def add_cli_args(parser):", "    parser.allow = 1", *flags, ""]),
            "engine/envs.py": "\n".join(["import os", "", "environment_variables = {", *variables, "}", ""]),
            "engine/__init__.py": "\n\n".join(bodies) or "\n",
        }


@pytest.fixture(params=range(6))
def history(request: pytest.FixtureRequest, repo: GitRepo, tmp_path: Path) -> tuple[list[str], Job]:
    world, shas = World(request.param), []
    for number in range(COMMITS):
        shas.append(repo.commit(f"Step {number} (#{number + 1})", world.files(), at=1_768_000_000 + 3600 * number))
        world.step()
        world.step()
    there = Repo("acme/engine", "https://example.org/acme/engine", str(repo.path))
    return shas, Job(there, tmp_path / "state", dict(os.environ))


@pytest.fixture(autouse=True)
def without_the_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """The laws are those of netting: what the trees of a whole range contradict, those of its parts may bear out."""
    monkeypatch.setattr("daybreak.upgrade.range.unborne", lambda _trees, _start, _end, asked: [False] * len(asked))


def nets(job: Job, start: str, end: str) -> tuple[Net, ...]:
    return range_report(job, f"{start}..{end}", lambda _: None).nets


def test_two_ranges_netted_are_the_range_over_both(history: tuple[list[str], Job]) -> None:
    shas, job = history
    whole = nets(job, shas[0], shas[-1])
    for cut in (2, 4, 6):
        assert facts(compose(nets(job, shas[0], shas[cut]), nets(job, shas[cut], shas[-1]))) == facts(whole)


def test_a_range_to_itself_is_empty_and_the_way_back_is_the_image(history: tuple[list[str], Job]) -> None:
    shas, job = history
    assert nets(job, shas[4], shas[4]) == ()
    assert things(map(mirrored_net, nets(job, shas[1], shas[-1]))) == things(nets(job, shas[-1], shas[1]))


def things(told: Iterable[Net]) -> set[tuple[Any, ...]]:
    """What nets say; without values of what was renamed, which are told under its last name, whichever way one looks."""
    listed = facts(tuple(told))
    renamed = {name for fact in listed if fact[0].endswith("_renamed") for name in fact[2:4]}
    return {fact[:4] for fact in listed if not (fact[0].endswith("_changed") and fact[1] in renamed)}

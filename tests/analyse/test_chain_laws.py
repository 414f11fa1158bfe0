"""Laws of the net: whatever commits, reverts and re-lands follow each other, what is told of them is what the tree has."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from conftest import Collector
from daybreak.core.model.report import Story
from daybreak.judge.stories import TreeFacts, stories
from daybreak.judge.story_outcome import taken_back
from gitrepo import GitRepo
from read.made import read_one

WINDOW = datetime(2026, 1, 19, tzinfo=UTC)
SHORT = range(5)


class Branch:
    """A branch on which features come, go and come again; it knows what it has."""

    def __init__(self, repo: GitRepo, seed: int) -> None:
        self.repo, self.chance = repo, random.Random(seed)
        self.at, self.number = WINDOW - timedelta(days=4), 0
        self.blocks: dict[int, list[str]] = {}
        self.history: dict[int, list[tuple[str, str]]] = {}
        """Feature -> sha and title of each commit that brought it or took it away, the last one last."""
        self.noise = 0
        self._commit("Begin")

    def step(self) -> None:
        choices = [self._add, self._other, self._decoy, self._part, *(self._turn,) * 5]
        self.chance.choice(choices)()

    def _add(self) -> None:
        feature = len(self.history)
        name = f"feature_{feature}"
        self.blocks[feature] = [f"    {name}_step_{n} = compute_{name}(values, {n})" for n in range(6)]
        title = f"Compute {name} of all the values"
        self.history[feature] = [(self._commit(title), title)]

    def _turn(self) -> None:
        """A feature goes, or comes back, in one of the ways in which that is said."""
        if not self.history:
            return self._add()
        feature = self.chance.choice(list(self.history))
        sha, last = self.history[feature][-1]
        first = self.history[feature][0][1]
        lines = [f"    feature_{feature}_step_{n} = compute_feature_{feature}(values, {n})" for n in range(6)]
        here = feature in self.blocks
        if here and len(self.blocks[feature]) < 6:
            return None  # a part of it is gone: nobody reverts that by its name
        title, body = f'Revert "{last}"', f"This reverts commit {sha}."
        if not here and self.chance.random() < 0.5:
            title, body = first, ""
        elif self.chance.random() < 0.5:
            body = ""
        if here:
            del self.blocks[feature]
        else:
            self.blocks[feature] = lines
        self.history[feature].append((self._commit(title, body=body), title))
        return None

    def _other(self) -> None:
        self.noise += 1
        self._commit(f"Tune the noise of {self.noise}")

    def _decoy(self) -> None:
        """A revert of something else that names a feature's number."""
        self.noise += 1
        self._commit(f"Revert the noise that came beside #{self.chance.randint(1, self.number)}")

    def _part(self) -> None:
        """A revert of a small part of a feature, by its title; what is left of it stands."""
        whole = [f for f in self.blocks if len(self.blocks[f]) == 6]
        if whole:
            feature = self.chance.choice(whole)
            self.blocks[feature] = self.blocks[feature][1:]
            self._commit(f'Revert "{self.history[feature][0][1]}"')

    def _commit(self, title: str, body: str = "") -> str:
        self.number += 1
        self.at += timedelta(minutes=self.chance.randint(30, 240))
        lines = ["def values_of(values):", f"    noise = {self.noise}", "    return noise"]
        for feature in sorted(self.blocks):
            lines += [f"def run_feature_{feature}(values):", *self.blocks[feature], "    return values"]
        text = "\n".join(lines) + "\n"
        message = f"{title} (#{self.number})\n\n{body}"
        return self.repo.commit(message, {"engine/core.py": text}, at=self.at.strftime("%Y-%m-%dT%H:%M:%S"))

    @property
    def here(self) -> set[int]:
        return set(self.blocks)


def told(branch: Branch, collector: Collector) -> tuple[Story, ...]:
    found = collector.collect(branch.repo)
    changes = found.changes[::-1]
    readings = {change.sha: read_one(change) for change in changes}
    trees = TreeFacts(found.standing, found.older)
    return stories(changes, readings, found.recent[::-1], trees)


def walk(tmp_path: Path, seed: int) -> tuple[Branch, tuple[Story, ...], set[int]]:
    branch = Branch(GitRepo.make(tmp_path / f"{seed}.git"), seed)
    before: set[int] = set()
    while branch.at < WINDOW + timedelta(hours=19):
        branch.step()
        before = set(branch.here) if branch.at < WINDOW else before
    found = told(branch, Collector(tmp_path / f"state{seed}" / "mirrors"))
    return branch, found, before


def netted(branch: Branch, found: tuple[Story, ...]) -> Iterator[tuple[Story, int]]:
    homes = {sha: feature for feature, steps in branch.history.items() for sha, _ in steps}
    for story in found:
        if story.kind in ("revert", "reland"):
            known = {homes[sha] for sha in story.commits if sha in homes}
            assert len(known) == 1, "a story is of one feature"
            yield story, known.pop()


def check(tmp_path: Path, seed: int) -> int:
    branch, found, before = walk(tmp_path, seed)
    gone = set()
    for story, feature in netted(branch, found):
        stands = feature in branch.here
        assert (story.kind == "reland") == stands, f"seed {seed}, feature {feature}: {story.net['en']}"
        assert story.cancels == (stands == (feature in before)), f"seed {seed}, feature {feature}: {story.net['en']}"
        gone |= set() if stands or story.cancels else {feature}
    assert gone == before - branch.here, f"seed {seed}: all that is gone is told, and nothing else"
    assert len(taken_back(found)) == len(gone)
    return sum(1 for _ in netted(branch, found))


def test_the_net_of_every_chain_is_what_the_tree_has(tmp_path: Path) -> None:
    assert sum(check(tmp_path, seed) for seed in SHORT) >= len(SHORT), "chains were told at all"


@pytest.mark.soak
def test_the_net_of_hundreds_of_chains_is_what_the_tree_has(tmp_path: Path) -> None:
    for seed in range(1000, 1400):
        check(tmp_path, seed)

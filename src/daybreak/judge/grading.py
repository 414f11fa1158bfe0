"""Grades listed commits of one repository: mirror, patches, findings, grade; what `daybreak grade` and `make eval` do.

A grade rests on the commit and its ancestors alone, so neither tags nor branches nor later commits are asked. Commits
are read some at a time, so that memory does not grow with their number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from daybreak.collect.git.chain import explain
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.mirror import Say, open_mirror
from daybreak.core.config import ReaderConfig
from daybreak.core.errors import GitError, RepositoryError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Collected, Repo
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry
from daybreak.findings.reader import RuleReader
from daybreak.judge.reach import EVERYBODY
from daybreak.judge.rules import grade

AT_ONCE = 10
"""More at a time are graded no faster, and who waits hears of them as they are done."""
_NAME = re.compile(r"[0-9a-fA-F]{4,64}")
_NOT_A_NAME = "it is not a commit id (4 to 64 hexadecimal digits)"
_NOT_THERE = "there is no such commit in the repository"
_AMBIGUOUS = "more than one object begins like this; give more digits"


class Job(Struct, frozen=True):
    """Where commits are graded, and for whom."""

    repo: Repo
    state: Path
    """Folder of mirrors and caches."""
    environment: Mapping[str, str]
    wanted: ReaderConfig = EVERYBODY
    offline: bool = False


def _whole(change: Change) -> Change:
    return change


@dataclass(slots=True)
class Grader:
    """Grades commits of one mirror."""

    git: Git
    repo: Repo
    mirror: Path
    reader: RuleReader
    wanted: ReaderConfig = EVERYBODY
    narrow: Callable[[Change], Change] = _whole
    """What of each change is read."""

    def grade(self, names: Sequence[str]) -> Iterator[Entry]:
        """One entry for each name, in that order; what cannot be read says so in its change's `skipped`."""
        for start in range(0, len(names), AT_ONCE):
            yield from self._some(names[start : start + AT_ONCE])

    def _some(self, names: Sequence[str]) -> Iterator[Entry]:
        known = self._resolved(names)
        shas = list(dict.fromkeys(sha for sha, fault in known.values() if not fault))
        changes = {sha: self.narrow(change) for sha, change in self._changes(shas).items()}
        readings = self.reader.read(Collected(self.repo, changes=tuple(changes.values()), mirror=str(self.mirror)))
        for name in names:
            sha, fault = known[name]
            change = _unknown(self.repo.name, name, fault) if fault else changes[sha]
            yield self._entry(change, readings.get(sha) or Reading(sha))

    def _changes(self, shas: Sequence[str]) -> dict[str, Change]:
        """Beside large commits the stream's budget cuts patches; such a commit is read again alone, so that its grade
        does not depend on its neighbours.
        """
        found = {change.sha: change for change in self._history(shas)}
        for sha, change in found.items():
            if len(found) > 1 and any(file.patch_cut for file in change.files):
                found[sha] = self._history([sha])[0]
        return found

    def _history(self, shas: Sequence[str]) -> list[Change]:
        return HistoryReader(self.git, self.mirror, self.repo.name, UTC).read(shas)

    def _entry(self, change: Change, reading: Reading) -> Entry:
        return grade(change, reading, self.wanted)

    def _resolved(self, names: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Name -> (full sha, fault); short names are asked of git, tags and branches are not names here."""
        known = {name: (name, "" if _NAME.fullmatch(name) else _NOT_A_NAME) for name in names}
        asked = [name for name, (_, fault) in known.items() if not fault]
        if not asked:
            return known
        lines = "".join(f"{name}^{{commit}}\n" for name in asked).encode()
        answer = self.git.run("cat-file", "--batch-check", "--buffer", at=self.mirror, stdin=lines).decode()
        for name, row in zip(asked, answer.splitlines(), strict=True):
            words = row.split()
            if words[-1] in ("missing", "ambiguous"):
                known[name] = (name, _AMBIGUOUS if words[-1] == "ambiguous" else _NOT_THERE)
            else:
                known[name] = (words[0], "")
        return known


def grade_commits(job: Job, names: Sequence[str], say: Say) -> Iterator[Entry]:
    """One entry for each name; what is wrong with the repository as a whole is one error in the user's words."""
    git = Git(job.environment)
    try:
        git.take_user_settings(job.state)
        yield from _opened(git, job, say).grade(names)
    except GitError as error:
        known = error if isinstance(error, RepositoryError) else explain(error, job.repo.git, job.repo.branch)
        raise RepositoryError(f"{job.repo.name}: {known.message.rstrip('.')}.", known.tip) from error


def _opened(git: Git, job: Job, say: Say) -> Grader:
    """A grader on the repository's mirror, made or updated unless offline."""
    mirror = open_mirror(git, job.repo, job.state / "mirrors", job.offline, say)
    return Grader(git, job.repo, mirror.path, RuleReader(git, job.state / "cache"), job.wanted)


def _unknown(repo: str, name: str, fault: str) -> Change:
    nobody = datetime.fromtimestamp(0, UTC)
    return Change(repo, name, (), "", nobody, nobody, "", "", skipped=fault)

"""What of a day a target wants to know, by its rules: repositories, grades, events, quiet; nothing is judged anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Action, Commit, Day, RepoDay, Skipped, Touch
from daybreak.deliver.notify.targets import Target
from daybreak.store.interface import Receipt

OF_DAY = ("report", "breaking", "touched")
"""Events that tell of a reported day."""


class News(Struct, frozen=True):
    """The part of a day that a target is told."""

    day: Day
    repos: tuple[RepoDay, ...]
    touches: tuple[Touch, ...]
    breaking: tuple[tuple[RepoDay, Commit], ...]
    actions: tuple[Action, ...]
    """Without those of breaking changes, which carry theirs."""
    high: tuple[tuple[RepoDay, Commit], ...]
    skipped: tuple[Skipped, ...]

    @property
    def nothing(self) -> bool:
        return not (self.touches or self.breaking or self.actions or self.high or self.skipped)


class Due(Struct, frozen=True):
    """A message that is to be planned."""

    event: str
    digest: str
    said: str


def news(target: Target, day: Day) -> News:
    """The day as far as the target's rules reach."""
    repos = tuple(repo for repo in day.repos if _wanted(target, repo.name))
    names = {repo.name for repo in repos}
    levels = {commit.sha: commit.importance.level for repo in repos for commit in repo.changes}
    wanted = set(target.levels) or {"high", "medium", "low"}
    changes = [(repo, commit) for repo in repos for commit in repo.changes if levels[commit.sha] in wanted]
    breaking = tuple(sorted((pair for pair in changes if pair[1].breaking), key=_weight))
    own = {commit.sha for _, commit in breaking}

    def fits(commits: Sequence[str]) -> bool:
        known = {levels[sha] for sha in commits if sha in levels} or {"high"}
        return not own & {*commits} and bool(known & wanted)

    actions = tuple(filter(None, (_left_of(action, fits) for action in day.actions if action.repo in names)))
    told = own | {sha for action in actions for sha in (action.listed[0] if action.listed else action).commits}
    picked = set(target.levels) or {"high"}
    high = [pair for pair in changes if pair[1].sha not in told and pair[1].importance.level in picked]
    touches = tuple(t for t in (day.touches.found if day.touches else ()) if _wanted(target, t.repo))
    skipped = tuple(s for s in day.coverage.skipped if not target.repos or _of(s, day, names))
    return News(day, repos, touches, breaking, actions, tuple(sorted(high, key=_weight)), skipped)


def _left_of(action: Action, fits: Callable[[Sequence[str]], bool]) -> Action | None:
    """What of a line is for a target: other changes of it may be told by themselves, or not wanted."""
    if not action.listed:
        return action if fits(action.commits) else None
    parts = tuple(part for part in action.parts if fits(part.commits))
    commits = tuple(sha for part in parts for sha in part.commits)
    findings = tuple(ident for part in parts for ident in part.findings)
    return replace(action, parts=parts, commits=commits, findings=findings) if parts else None


def due(target: Target, day: Day, told: Iterable[Receipt]) -> Due | None:
    """What is to be sent of the day beside what was planned before: one message, and one more for each new touch."""
    found = news(target, day)
    before = [one for one in told if one.target == target.id and one.event in OF_DAY]
    touches = [touch_id(touch) for touch in found.touches]
    if before:
        known = {line for one in before for line in (one.said or "").splitlines()}
        fresh = [touch for touch in touches if touch not in known]
        return Due("touched", _digest(fresh), "\n".join(fresh)) if fresh and set(target.on) & {*OF_DAY} else None
    said = "\n".join(touches)
    if "report" in target.on:
        return None if target.quiet and found.nothing else Due("report", _digest(touches), said)
    if "breaking" in target.on and (found.breaking or found.touches):
        return Due("breaking", _digest(touches), said)
    return None


def touch_id(touch: Touch) -> str:
    """One finding in one file of yours; lines move when you edit."""
    return " ".join(f"{touch.id} {touch.repo} {touch.path}".split())


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "replace")).hexdigest()[:16] if lines else ""


def _wanted(target: Target, name: str) -> bool:
    return not target.repos or any(fnmatchcase(name.lower(), pattern.lower()) for pattern in target.repos)


def _of(skipped: Skipped, day: Day, names: set[str]) -> bool:
    """Of a repository that the target wants, or of none that is named: that concerns everybody."""
    named = {repo.name for repo in day.repos if repo.name in skipped.what}
    return not named or bool(named & names)


def _weight(pair: tuple[RepoDay, Commit]) -> tuple[float, str, str]:
    return -pair[1].importance.score, pair[0].name, pair[1].sha

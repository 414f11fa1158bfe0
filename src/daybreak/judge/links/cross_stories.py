"""Stories across repositories: a release, who took it, who went back, and what they took instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from daybreak.core.model.changes import Window
from daybreak.core.model.links import Bump, CrossStory, Step, commit_id, release_id
from daybreak.core.model.statements import Text
from daybreak.core.versions import Version, version
from daybreak.core.words import say
from daybreak.core.words.grammar import NOTHING, joined
from daybreak.judge.links.pins import Side, is_sha

_SHOWN = 8
"""Steps that one sentence can bear; the value holds all."""
_FRESH = timedelta(days=30)
"""So long before the first move a release belongs to the story."""
_EARLY = re.compile(r"(?<![a-z])(?:rc|dev|nightly|alpha|beta|a|b)[.\d-]{0,20}$", re.IGNORECASE)


def cross_stories(sides: Sequence[Side], bumps: Sequence[Bump], window: Window) -> Iterator[CrossStory]:
    """One story for each repository whose pin moved in another one in the window, with what came before it.

    A release of the window is part of one too, when it follows a version from which a repository had gone back.
    """
    by_repo = {side.repo: side for side in sides}
    of_window = {entry.change.sha for side in sides for entry in side.entries}
    groups: dict[str, list[Bump]] = {}
    for one in bumps:
        if one.sure:
            groups.setdefault(one.target, []).append(one)
    for target, found in groups.items():
        dated = _dated(by_repo[target], window)
        waiting = _waiting(found, [tag for tag, at in dated.items() if window.holds(at)])
        moves = _of_one_event(found, of_window, waiting)
        steps = _steps(target, moves, dated, {tag for tags in waiting.values() for tag in tags})
        if moves and len(steps) > 1:
            yield _story(target, moves, steps)


def _dated(side: Side, window: Window) -> dict[str, datetime]:
    """Tag -> when it was published, or else made."""
    published = {release.tag: release.created_at for release in side.activity.releases}
    return {tag: at for tag, at in {**side.dated, **published}.items() if at < window.until}


def _waiting(found: Sequence[Bump], fresh: Sequence[str]) -> dict[str, list[str]]:
    """Repository that had gone back -> releases of the window that are newer than the version it left."""
    last = {one.repo: one for one in found}
    out: dict[str, list[str]] = {}
    for repo, one in last.items():
        left = version(one.before)
        newer = [tag for tag in fresh if not is_early(tag) and left is not None and _newer(tag, left)]
        out |= {repo: newer} if one.back and newer else {}
    return out


def is_early(tag: str) -> bool:
    """A candidate or a build of the day, which nobody waits for."""
    return _EARLY.search(tag) is not None


def _newer(tag: str, left: Version) -> bool:
    one = version(tag)
    return one is not None and one > left


def _of_one_event(found: Sequence[Bump], of_window: set[str], waiting: Collection[str]) -> list[Bump]:
    """Moves of the window and those they hang on: of the same taker, or to the same version."""
    now = [one for one in found if one.sha in of_window]
    takers, versions = {one.repo for one in now} | set(waiting), {_plain(one.after) for one in now}
    return [one for one in found if one.repo in takers or _plain(one.after) in versions]


def _plain(value: str) -> object:
    return version(value) or value


def _steps(
    target: str, moves: Sequence[Bump], dated: Mapping[str, datetime], awaited: Collection[str]
) -> tuple[Step, ...]:
    steps = [
        Step("reverted" if one.back else "taken", one.repo, one.at, _shown(one), (commit_id(one.sha), *one.findings))
        for one in {(one.sha, _shown(one), one.back): one for one in reversed(moves)}.values()
    ]
    # What a repository goes back to was released long before; and a tag that was made after a package of that version
    # had been taken does not tell when it came out.
    taken: dict[str, datetime] = {}
    for one in moves:
        if one.release and not one.back:
            taken.setdefault(one.release, one.at)
    start = min((one.at for one in moves), default=None)
    for tag, at in dated.items():
        fresh = start is not None and at >= start - _FRESH
        if fresh and (tag in awaited or (tag in taken and at <= taken[tag])):
            steps.append(Step("released", target, at, tag, (release_id(target, tag),)))
    return tuple(sorted(steps, key=lambda s: (s.at, s.kind != "released", s.repo)))


def _shown(one: Bump) -> str:
    """A commit is told by its tag or not at all: code alone puts shas in."""
    if is_sha(one.after):
        return one.release or ""
    return f">={one.after}" if one.least else one.after


def _story(target: str, moves: Sequence[Bump], steps: tuple[Step, ...]) -> CrossStory:
    commits = tuple(dict.fromkeys(one.sha for one in moves))
    repos = tuple(dict.fromkeys((target, *(one.repo for one in moves))))
    name = f"across-{target.rpartition('/')[2]}-{commits[0][:9]}-{commits[-1][:9]}"
    return CrossStory(id=name, target=target, repos=repos, steps=steps, net=_net(target, steps), commits=commits)


def _net(target: str, steps: Sequence[Step]) -> Text:
    shown = steps[-_SHOWN:]
    earlier = say("judge.across.earlier") if len(steps) > len(shown) else NOTHING
    last: Mapping[str, Step] = {s.repo: s for s in steps if s.kind != "released"}
    ends = [s for s in last.values() if s.version]
    versions = joined((say("judge.across.version", repo=s.repo, version=s.version) for s in ends), "comma")
    return say(
        "judge.across.net",
        target=target,
        earlier=earlier,
        steps=joined(map(_step, shown), "arrow"),
        ends=say("judge.across.ends", versions=versions) if ends else NOTHING,
    )


def _step(step: Step) -> Text:
    if step.kind == "released":
        return say("judge.across.released", version=step.version)
    if step.kind == "reverted" and step.version:
        return say("judge.across.reverted", repo=step.repo, version=step.version)
    if step.kind == "reverted":
        return say("judge.across.reverted_open", repo=step.repo)
    if step.version:
        return say("judge.across.takes", repo=step.repo, version=step.version)
    return say("judge.across.takes_open", repo=step.repo)

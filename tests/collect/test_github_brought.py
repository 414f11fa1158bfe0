"""Which pull request brought a change is asked again while GitHub does not know it yet, and not once it does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daybreak.collect.github.requests import Ask
from github_scene import REPO, TOKEN, Scene, change, day_window, scene, watched

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
KNOWN, FRESH = "a" * 40, "b" * 40


def brought(one: Scene) -> dict[str, int]:
    ask = Ask(watched(REPO), day_window(), [change(REPO, KNOWN), change(REPO, FRESH)])
    (activity,) = one.source(TOKEN).activities([ask])
    return dict(activity.brought)


def asked_for(one: Scene, sha: str, since: int) -> bool:
    return any(sha in str(request) for request in one.github.requests[since:])


def test_on_a_day_that_still_runs_only_what_was_not_known_is_asked_again() -> None:
    with scene(now=NOON + timedelta(hours=1)) as one:
        one.github.add_repo(REPO)
        one.github.add_pull(REPO, "Known", number=3, at=NOON)
        one.github.merge(REPO, 3, at=NOON, sha=KNOWN)
        one.github.add_commit(REPO, "Fresh", sha=FRESH, at=NOON)
        assert brought(one) == {KNOWN: 3}
        one.github.advance(600)
        before = len(one.github.requests)
        one.github.add_pull(REPO, "Fresh", number=4, at=NOON)
        one.github.merge(REPO, 4, at=NOON, sha=FRESH)
        one.github.repo(REPO).commits[FRESH].pulls.append(4)
        assert brought(one) == {KNOWN: 3, FRESH: 4}
        assert asked_for(one, FRESH, before), "GitHub did not know it the first time"
        assert not asked_for(one, KNOWN, before), "GitHub knew it the first time"

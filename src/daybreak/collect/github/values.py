"""From GitHub's forms to our values: what happened in the window, issues, pull requests, releases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from daybreak.collect.github.requests import Ask
from daybreak.collect.github.shapes import (
    End,
    Light,
    LightTag,
    Name,
    RestEvent,
    RestItem,
    RestRelease,
    Turn,
    Whole,
    WholeRelease,
)
from daybreak.core.model.changes import Window
from daybreak.core.model.items import Closer, Happened, Issue, Pull, Release, Review

# --- Turns of a timeline, as values: what closed an issue and whether that stands, what was linked and unlinked by hand ---
# They come with the item itself, so that they cost no request of their own.


_PLACE = re.compile(r"/repos/([^/]{1,100}/[^/]{1,100})/commits/")


def closers(whole: Whole, ask: Ask) -> tuple[Closer, ...]:
    """What closed it, in the order of time, each with when it was opened again after that."""
    turns = _in_order(whole)
    reopened = [at for at, turn in turns if turn.typename == "ReopenedEvent"]
    found = ((at, turn.closer) for at, turn in turns if turn.typename == "ClosedEvent" and turn.closer is not None)
    made = (_closer(end, at, whole, ask, reopened) for at, end in found)
    return tuple(dict.fromkeys(one for one in made if one is not None))


def _closer(end: End, at: datetime, whole: Whole, ask: Ask, reopened: Sequence[datetime]) -> Closer | None:
    number = end.number if end.typename == "PullRequest" else None
    sha = end.oid if end.typename == "Commit" else None
    if end.repository is None or (number is None and sha is None):
        return None
    repo = None if end.repository == whole.repository else end.repository.name_with_owner
    return Closer(_local(at, ask), number, sha, repo, _after(at, reopened, ask))


def by_hand(whole: Whole) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers of the same repository that are linked by hand, and those that were and are no longer."""
    last: dict[int, bool] = {}
    for _, turn in _in_order(whole):
        number = _other(turn, whole) if turn.typename in ("ConnectedEvent", "DisconnectedEvent") else None
        if number is not None:
            last[number] = turn.typename == "ConnectedEvent"
    return tuple(sorted(n for n in last if last[n])), tuple(sorted(n for n in last if not last[n]))


def _other(turn: Turn, whole: Whole) -> int | None:
    """The end that is not the item itself: of an issue a pull request, of a pull request an issue."""
    wanted = "PullRequest" if whole.typename == "Issue" else "Issue"
    ends = (end for end in (turn.subject, turn.source) if end is not None and end.typename == wanted)
    return next((end.number for end in ends if end.repository == whole.repository), None)


def _in_order(whole: Whole) -> list[tuple[datetime, Turn]]:
    found = whole.turns.nodes if whole.turns else []
    # A page that came twice, or in another order, tells the same.
    return sorted(((turn.created_at, turn) for turn in found if turn.created_at), key=lambda x: (x[0], x[1].typename))


def rest_closers(events: Iterable[RestEvent], ask: Ask) -> tuple[Closer, ...]:
    """The same from the events of REST, which name a commit that closed and no pull request."""
    events = sorted(events, key=lambda event: (event.created_at, event.id))
    reopened = [event.created_at for event in events if event.event == "reopened"]
    return tuple(
        Closer(
            _local(event.created_at, ask),
            sha=event.commit_id,
            repo=_elsewhere(event, ask),
            reopened_at=_after(event.created_at, reopened, ask),
        )
        for event in events
        if event.event == "closed" and event.commit_id
    )


def _elsewhere(event: RestEvent, ask: Ask) -> str | None:
    """The commit's repository, where that is another one."""
    found = _PLACE.search((event.commit_url or "")[:400])
    return found[1] if found and found[1].lower() != ask.repo.name.lower() else None


def _after(at: datetime, reopened: Sequence[datetime], ask: Ask) -> datetime | None:
    later = [moment for moment in reopened if moment >= at]
    return _local(min(later), ask) if later else None


def _local(moment: datetime, ask: Ask) -> datetime:
    return moment.astimezone(ask.window.since.tzinfo)


GHOST = "ghost"
"""Whom GitHub shows in the place of a user who is gone."""
_REVIEWS: dict[str | None, Review] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "REVIEW_REQUIRED": "required",
    None: "none",
}
_MERGING = timedelta(seconds=2)
"""A merge closes as well; its two events are this close to each other."""


def happened(light: Light, window: Window) -> tuple[Happened, ...]:
    """What happened to it in the window, in the order of time; of a merged pull request, its closing is no news."""
    merged = light.merged_at
    times: list[tuple[datetime, int, Happened]] = [(light.created_at, 0, "opened")]
    if merged is not None:
        times.append((merged, 2, "merged"))
    closings = [e.created_at for e in light.timeline_items.nodes if e.typename == "ClosedEvent"]
    if light.closed_at is not None:
        closings.append(light.closed_at)
    times += [(at, 2, "closed") for at in set(closings) if merged is None or at < merged - _MERGING]
    times += [(e.created_at, 1, "reopened") for e in light.timeline_items.nodes if e.typename == "ReopenedEvent"]
    inside = [what for at, _, what in sorted(times) if window.holds(at)]
    return tuple(what for number, what in enumerate(inside) if number == 0 or inside[number - 1] != what)


def issue(whole: Whole, light: Light | None, ask: Ask) -> Issue:
    connected, disconnected = by_hand(whole)
    return Issue(
        number=whole.number,
        url=whole.url,
        title=whole.title,
        author=whole.author.name if whole.author else GHOST,
        created_at=local(whole.created_at, ask),
        state="closed" if whole.issue_state == "CLOSED" else "open",
        happened=happened(light, ask.window) if light else (),
        closed_at=local(whole.closed_at, ask) if whole.closed_at else None,
        reason=whole.state_reason.lower() if whole.state_reason and whole.issue_state == "CLOSED" else None,
        labels=_labels(whole.labels.nodes if whole.labels else ()),
        milestone=whole.milestone.title if whole.milestone else None,
        comments=whole.comments.total_count,
        reactions=whole.reactions.total_count,
        body=whole.body,
        pulls=_same_home(whole),
        closers=closers(whole, ask),
        connected=connected,
        disconnected=disconnected,
    )


def pull(whole: Whole, light: Light | None, ask: Ask) -> Pull:
    connected, disconnected = by_hand(whole)
    return Pull(
        number=whole.number,
        url=whole.url,
        title=whole.title,
        author=whole.author.name if whole.author else GHOST,
        created_at=local(whole.created_at, ask),
        state="merged" if whole.pull_state == "MERGED" else "closed" if whole.pull_state == "CLOSED" else "open",
        happened=happened(light, ask.window) if light else (),
        merged_at=local(whole.merged_at, ask) if whole.merged_at else None,
        closed_at=local(whole.closed_at, ask) if whole.closed_at else None,
        merge_sha=whole.merge_commit.oid if whole.merge_commit and whole.merged_at else None,
        draft=whole.is_draft,
        labels=_labels(whole.labels.nodes if whole.labels else ()),
        milestone=whole.milestone.title if whole.milestone else None,
        comments=whole.comments.total_count,
        reactions=whole.reactions.total_count,
        body=whole.body,
        closes=_same_home(whole),
        connected=connected,
        disconnected=disconnected,
        review=_REVIEWS.get(whole.review_decision),
        files=whole.changed_files,
        added=whole.additions,
        deleted=whole.deletions,
    )


def release(whole: WholeRelease | RestRelease, ask: Ask) -> Release:
    return Release(
        tag=whole.tag_name,
        url=whole.url,
        name=whole.name or whole.tag_name,
        author=whole.author.name if whole.author else GHOST,
        created_at=local(whole.published_at or whole.created_at, ask),
        prerelease=whole.is_prerelease,
        body=whole.description or "",
        sha=whole.tag_commit.oid if whole.tag_commit else None,
    )


def bare_tags(tags: Iterable[LightTag], released: set[str], ask: Ask) -> list[Release]:
    """Tags of the window that no release has."""
    found = []
    for tag in tags:
        commit = tag.commit
        if commit is None or commit.committed_date is None or tag.name in released:
            continue
        if ask.window.holds(commit.committed_date):
            url = f"{ask.repo.url}/tree/{tag.name}"
            found.append(Release(tag.name, url, tag.name, "", local(commit.committed_date, ask), sha=commit.oid))
    return found


def rest_issue(item: RestItem, light: Light, ask: Ask, closers: tuple[Closer, ...] = ()) -> Issue:
    return Issue(
        number=item.number,
        url=item.html_url,
        title=item.title,
        author=item.user.login if item.user else GHOST,
        created_at=local(item.created_at, ask),
        state=item.state,
        happened=happened(light, ask.window),
        closed_at=local(item.closed_at, ask) if item.closed_at else None,
        reason=item.state_reason if item.state == "closed" else None,
        labels=_labels(item.labels),
        milestone=item.milestone.title if item.milestone else None,
        comments=item.comments,
        reactions=item.reactions.total_count if item.reactions else 0,
        body=item.body or "",
        closers=closers,
    )


def rest_pull(item: RestItem, light: Light, ask: Ask) -> Pull:
    """Without what only GraphQL tells in a list: its commit, its size, its reviews, the issues it closes."""
    merged, sha = item.merged, item.merge_commit_sha
    return Pull(
        number=item.number,
        url=item.html_url,
        title=item.title,
        author=item.user.login if item.user else GHOST,
        created_at=local(item.created_at, ask),
        state="merged" if merged else item.state,
        happened=happened(light, ask.window),
        merged_at=local(merged, ask) if merged else None,
        closed_at=local(item.closed_at, ask) if item.closed_at else None,
        merge_sha=sha if merged and isinstance(sha, str) else None,
        draft=item.draft,
        labels=_labels(item.labels),
        milestone=item.milestone.title if item.milestone else None,
        comments=item.comments,
        reactions=item.reactions.total_count if item.reactions else 0,
        body=item.body or "",
    )


def local(moment: datetime, ask: Ask) -> datetime:
    """In the window's zone, as the times of changes are."""
    return moment.astimezone(ask.window.since.tzinfo)


def _labels(found: Iterable[Name | str | None]) -> tuple[str, ...]:
    return tuple(sorted({one if isinstance(one, str) else one.name for one in found if one is not None}))


def _same_home(whole: Whole) -> tuple[int, ...]:
    """Linked numbers of the same repository; what the token may not see is of another one."""
    links = whole.linked.nodes if whole.linked else []
    return tuple(sorted({one.number for one in links if one is not None and one.repository == whole.repository}))

"""Turns of a timeline, as values: what closed an issue and whether that stands, what was linked and unlinked by hand.

They come with the item itself, so that they cost no request of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from daybreak.collect.github.requests import Ask
from daybreak.collect.github.shapes import End, RestEvent, Turn, Whole
from daybreak.core.model.items import Closer

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

"""What happened between the repositories of a day: with a forge's items where it was asked, with git alone otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daybreak.core.model.changes import Window
from daybreak.core.model.links import CrossForge
from daybreak.judge.links.across import mentions, removed_but_used, taken
from daybreak.judge.links.cross_stories import cross_stories
from daybreak.judge.links.joins import Numbers
from daybreak.judge.links.pins import Side, bumps


def numbers_of(sides: Sequence[Side]) -> dict[str, Numbers]:
    """What the numbers of each repository are; by lower-case OWNER/NAME, since texts write names as they like."""
    return {side.repo.lower(): Numbers(side.activity, side.changes) for side in sides}


def across(sides: Sequence[Side], numbers: Mapping[str, Numbers], window: Window) -> CrossForge:
    """What happened between the repositories in the window."""
    moved = bumps(sides)
    shas = frozenset(entry.change.sha for side in sides for entry in side.entries)
    named, omitted = mentions(sides, numbers)
    links = (*taken(moved, shas), *removed_but_used(sides), *named)
    stories = tuple(cross_stories(sides, moved, window))
    told = shas.union(sha for story in stories for sha in story.commits)
    return CrossForge(links, tuple(one for one in moved if one.sha in told), stories, omitted)

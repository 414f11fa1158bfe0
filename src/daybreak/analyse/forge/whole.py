"""All that a forge's items say and are joined with: once for each repository, and once for all of them together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daybreak.analyse.forge.across import mentions, removed_but_used, taken
from daybreak.analyse.forge.causes import causes
from daybreak.analyse.forge.coming import coming
from daybreak.analyse.forge.cross_stories import cross_stories
from daybreak.analyse.forge.issue_kinds import read_issues
from daybreak.analyse.forge.joins import Numbers, brought, fixed, held, shipped
from daybreak.analyse.forge.pins import Side, bumps
from daybreak.analyse.forge.pull_texts import read_pull
from daybreak.links import CrossForge, RepoForge
from daybreak.model import Window


def numbers_of(sides: Sequence[Side]) -> dict[str, Numbers]:
    """What the numbers of each repository are; by lower-case OWNER/NAME, since texts write names as they like."""
    return {side.repo.lower(): Numbers(side.activity, side.changes) for side in sides}


def of_repository(side: Side, numbers: Mapping[str, Numbers]) -> RepoForge:
    """Links, readings and what is coming of one repository."""
    mine = numbers[side.repo.lower()]
    changes = [entry.change for entry in side.entries]
    links = [*brought(mine, changes), *fixed(mine, changes, numbers), *shipped(side.entries, side.activity)]
    issues = read_issues(side.activity, links)
    by_number = {issue.number: issue for issue in side.activity.issues}
    tags = dict.fromkeys(side.tags, False) | {release.tag: True for release in side.activity.releases}
    graded = [(by_number[reading.number], reading.kind) for reading in issues]
    links += causes(mine, graded, side.entries, side.earlier, tags)
    told = {number for change in changes if (number := mine.of_change(change)) is not None}
    pulls = [p for p in side.activity.pulls if p.number in told or "merged" in p.happened]
    return RepoForge(
        side.repo,
        tuple(links),
        issues,
        tuple(read_pull(side.repo, pull) for pull in sorted(pulls, key=lambda p: p.number)),
        coming(side.activity),
        held(side.entries, side.activity, side.holds),
    )


def across(sides: Sequence[Side], numbers: Mapping[str, Numbers], window: Window) -> CrossForge:
    """What happened between the repositories in the window."""
    moved = bumps(sides)
    shas = frozenset(entry.change.sha for side in sides for entry in side.entries)
    named, omitted = mentions(sides, numbers)
    links = (*taken(moved, shas), *removed_but_used(sides), *named)
    stories = tuple(cross_stories(sides, moved, window))
    told = shas.union(sha for story in stories for sha in story.commits)
    return CrossForge(links, tuple(one for one in moved if one.sha in told), stories, omitted)

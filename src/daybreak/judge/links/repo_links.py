"""All that a forge's items say of one repository, and what they are joined with."""

from __future__ import annotations

from collections.abc import Mapping

from daybreak.core.model.links import RepoForge
from daybreak.judge.links.causes import causes
from daybreak.judge.links.issue_kinds import read_issues
from daybreak.judge.links.joins import Numbers, brought, fixed, held, shipped
from daybreak.judge.links.open_pulls import coming
from daybreak.judge.links.pins import Side
from daybreak.judge.links.pull_texts import read_pull


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

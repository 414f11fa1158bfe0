"""The forge's half of the reported day: issues, pull requests, releases, and the links between everything.

Bodies are not in it: they are kept with the raw answers, and what a page quotes of them stands here as it is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from daybreak.core.model import day
from daybreak.core.model.changes import Repo
from daybreak.core.model.items import Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    IssueReading,
    Link,
    PullReading,
    ReleaseReading,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import RepoReport
from daybreak.report.day_changes import part_of, skipped_of, statements_of
from daybreak.report.render.addresses import issue_url, release_url
from daybreak.report.render.forge_change import ForgeView
from daybreak.report.render.forge_sections import NOTES_IN_DEPTH, notes_of


def forge_counts(view: ForgeView | None) -> dict[str, int]:
    """How much of the forge is in the report."""
    found = [a for a in view.day.activities if a.repo in view.repos] if view else []
    return {
        "issues": sum(len(a.issues) for a in found),
        "pulls": sum(len(a.pulls) for a in found),
        "releases": sum(len(a.releases) for a in found),
    }


def left_out_of(view: ForgeView | None) -> tuple[day.Skipped, ...]:
    """What nobody was asked for: no fault, and nothing that the next run completes by itself."""
    return skipped_of(one for a in view.day.activities for one in a.left_out) if view else ()


def items_of(view: ForgeView | None, repo: RepoReport) -> dict[str, Any]:
    """Issues, pull requests, releases and links of one repository; nothing when its forge was not asked."""
    name = repo.repo.name
    activity = view.activity(name) if view else None
    reading = view.reading(name) if view else None
    if view is None or activity is None:
        return {}
    kinds = {one.number: one for one in reading.issues} if reading else {}
    coming = {one.number: one.reasons for one in reading.coming} if reading else {}
    held = {one.tag: one for one in reading.releases} if reading else {}
    return {
        "issues": tuple(_issue(view, repo.repo, x, kinds.get(x.number)) for x in activity.issues),
        "pulls": tuple(_pull(view, repo.repo, x, coming.get(x.number, ())) for x in activity.pulls),
        "releases": tuple(
            _release(repo.repo, x, held.get(x.tag) or ReleaseReading(name, x.tag)) for x in activity.releases
        ),
        "links": tuple(link_of(link) for link in reading.links) if reading else (),
    }


def _issue(view: ForgeView, repo: Repo, issue: Issue, reading: IssueReading | None) -> day.Issue:
    own = issue_id(repo.name, issue.number)
    arriving = [link for link in view.arriving.get(own, ()) if link.kind == "fixes"]
    read = {"kind": reading.kind, "components": reading.components, "fixes": reading.fixes} if reading else {}
    return part_of(
        day.Issue,
        issue,
        url=issue_url(repo, issue.number),
        commits=_commits(view, (link.source for link in arriving)),
        causes=tuple(link_of(x) for x in view.leaving.get(own, ()) if x.kind == "caused_by"),
        **read,
    )


def _commits(view: ForgeView, names: Iterable[str]) -> tuple[str, ...]:
    """Shas of changes, and of those that pull requests became."""
    found: list[str] = []
    for name in names:
        brought = [link.target for link in view.leaving.get(name, ()) if link.kind == "brings"]
        found += [name] if name.startswith("commit:") else brought
    return tuple(dict.fromkeys(name.partition(":")[2] for name in found))


def _pull(view: ForgeView, repo: Repo, pull: Pull, coming: Sequence[str]) -> day.Pull:
    own = pull_id(repo.name, pull.number)
    fixes = [link for link in view.leaving.get(own, ()) if link.kind == "fixes"]
    return part_of(
        day.Pull,
        pull,
        url=repo.pull_url(pull.number),
        commits=_commits(view, (own,)),
        closes=tuple(day.Closes(link.target, link.likely) for link in fixes),
        coming=tuple(coming),
        claimed=_claimed(view.readings.get(own)),
    )


def _claimed(reading: PullReading | None) -> day.Claimed | None:
    """The author's own words, which nobody checked."""
    return part_of(day.Claimed, reading, numbers=reading.claims) if reading else None


def _release(repo: Repo, release: Release, held: ReleaseReading) -> day.Release:
    notes = notes_of(release.body, NOTES_IN_DEPTH)
    return part_of(
        day.Release,
        release,
        held,
        url=release_url(repo, release.tag),
        title=release.name,
        state="prerelease" if release.prerelease else "released",
        pulls_omitted=held.omitted,
        cut=held.cut or notes.cut,
        notes=tuple(line for line, _ in notes.lines),
        notes_omitted=notes.omitted,
    )


# --- across ------------------------------------------------------------------------------------------------------


def links_of(view: ForgeView | None) -> tuple[day.Link, ...]:
    """Links between repositories."""
    return tuple(link_of(link) for link in view.crossing()) if view else ()


def link_of(link: Link) -> day.Link:
    """Where a name that is gone is used stands only in links that tell it."""
    return part_of(day.Link, link, places_omitted=link.places_omitted if link.places else None)


def across_of(view: ForgeView) -> day.Across:
    """Pins that moved and stories over several repositories."""
    across = view.day.across
    return day.Across(
        bumps=tuple(_bump(one) for one in across.bumps),
        stories=tuple(part_of(day.CrossStory, one) for one in across.stories),
        statements=statements_of(view.day.statements),
        mentions_omitted=across.omitted,
        earlier=tuple(part_of(day.Earlier, one, committed_at=one.at) for one in view.day.earlier),
    )


def _bump(one: Bump) -> day.Bump:
    release = release_id(one.target, one.release) if one.release else None
    return part_of(day.Bump, one, likely=not one.sure, release=release)

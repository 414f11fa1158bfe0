"""The forge's half of the report as data: issues, pull requests, releases, and the links between everything.

Bodies are not in it: they are kept with the raw answers, and what a page quotes of them stands here as it is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from daybreak.core.model.changes import Repo
from daybreak.core.model.items import Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    Claim,
    CrossStory,
    Earlier,
    Fix,
    IssueReading,
    Link,
    PullReading,
    ReleaseReading,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.report import RepoReport
from daybreak.report.render.addresses import issue_url, release_url
from daybreak.report.render.data_parts import Json, optional_data, skipped_data, statements_data, text_data, texts_data
from daybreak.report.render.forge_notes import NOTES_IN_DEPTH, notes_of
from daybreak.report.render.forge_view import ForgeView


def forge_counts(view: ForgeView | None) -> Json:
    """How much of the forge is in the report."""
    found = [a for a in view.day.activities if a.repo in view.repos] if view else []
    return {
        "issues": sum(len(a.issues) for a in found),
        "pulls": sum(len(a.pulls) for a in found),
        "releases": sum(len(a.releases) for a in found),
    }


def left_out_data(view: ForgeView | None) -> Json:
    """What nobody was asked for: no fault, and nothing that the next run completes by itself."""
    found = [one for a in view.day.activities for one in a.left_out] if view else []
    return {"left_out": skipped_data(found)} if found else {}


def items_data(view: ForgeView | None, repo: RepoReport) -> Json:
    """Issues, pull requests and releases of one repository; empty when its forge was not asked."""
    name = repo.repo.name
    activity = view.activity(name) if view else None
    reading = view.reading(name) if view else None
    if view is None or activity is None:
        return {"issues": [], "pulls": [], "releases": []}
    kinds = {one.number: one for one in reading.issues} if reading else {}
    coming = {one.number: list(one.reasons) for one in reading.coming} if reading else {}
    held = {one.tag: one for one in reading.releases} if reading else {}
    return {
        "issues": [_issue(view, repo.repo, x, kinds.get(x.number)) for x in activity.issues],
        "pulls": [_pull(view, repo.repo, x, coming.get(x.number, [])) for x in activity.pulls],
        "releases": [_release(repo.repo, x, held.get(x.tag) or ReleaseReading(name, x.tag)) for x in activity.releases],
        "links": [link_data(link) for link in reading.links] if reading else [],
    }


def _common(item: Issue | Pull, url: str, commits: list[str]) -> Json:
    return {
        "number": item.number,
        "url": url,
        "title": text_data(item.title),
        "author": text_data(item.author),
        "created_at": item.created_at.isoformat(),
        "state": item.state,
        "labels": [text_data(label) for label in item.labels],
        "commits": commits,
        "happened": list(item.happened),
        "milestone": optional_data(item.milestone),
        "comments": item.comments,
        "reactions": item.reactions,
        "closed_at": item.closed_at.isoformat() if item.closed_at else None,
    }


def _issue(view: ForgeView, repo: Repo, issue: Issue, reading: IssueReading | None) -> Json:
    own = issue_id(repo.name, issue.number)
    arriving = [link for link in view.arriving.get(own, ()) if link.kind == "fixes"]
    return {
        **_common(issue, issue_url(repo, issue.number), _commits(view, (link.source for link in arriving))),
        "reason": optional_data(issue.reason),
        "kind": reading.kind if reading else None,
        "components": [text_data(part) for part in reading.components] if reading else [],
        "fixes": [_fix(fix) for fix in reading.fixes] if reading else [],
        "causes": [link_data(x) for x in view.leaving.get(own, ()) if x.kind == "caused_by"],
    }


def _fix(fix: Fix) -> Json:
    """How it was linked, and that the issue was opened again, only where that is so."""
    more = {name: True for name in ("by_hand", "reopened") if getattr(fix, name)}
    return {"number": fix.number, "state": fix.state, "likely": fix.likely, **more}


def _commits(view: ForgeView, names: Iterable[str]) -> list[str]:
    """Shas of changes, and of those that pull requests became."""
    found: list[str] = []
    for name in names:
        brought = [link.target for link in view.leaving.get(name, ()) if link.kind == "brings"]
        found += [name] if name.startswith("commit:") else brought
    return list(dict.fromkeys(name.partition(":")[2] for name in found))


def _pull(view: ForgeView, repo: Repo, pull: Pull, coming: Sequence[str]) -> Json:
    own = pull_id(repo.name, pull.number)
    fixes = [link for link in view.leaving.get(own, ()) if link.kind == "fixes"]
    return {
        **_common(pull, repo.pull_url(pull.number), _commits(view, (own,))),
        "merged_at": pull.merged_at.isoformat() if pull.merged_at else None,
        "merge_sha": pull.merge_sha,
        "draft": pull.draft,
        "review": pull.review,
        "files": pull.files,
        "added": pull.added,
        "deleted": pull.deleted,
        "closes": [{"issue": text_data(link.target), "likely": link.likely} for link in fixes],
        "coming": list(coming),
        "claimed": _claimed(view.readings.get(own)),
    }


def _claimed(reading: PullReading | None) -> Json | None:
    """The author's own words, which nobody checked."""
    if reading is None:
        return None
    return {
        "why": text_data(reading.why),
        "test_plan": reading.test_plan,
        "numbers": [_claim(claim) for claim in reading.claims],
        "omitted": reading.omitted,
        "cut": reading.cut,
    }


def _claim(claim: Claim) -> Json:
    return {"lines": [text_data(line) for line in claim.lines], "omitted": claim.omitted}


def _release(repo: Repo, release: Release, held: ReleaseReading) -> Json:
    notes = notes_of(release.body, NOTES_IN_DEPTH)
    return {
        "tag": text_data(release.tag),
        "url": release_url(repo, release.tag),
        "title": text_data(release.name),
        "author": text_data(release.author),
        "created_at": release.created_at.isoformat(),
        "state": "prerelease" if release.prerelease else "released",
        "labels": [],
        "commits": list(held.commits),
        "sha": release.sha,
        "pulls": list(held.pulls),
        "pulls_omitted": held.omitted,
        "cut": held.cut or notes.cut,
        "notes": [text_data(line) for line, _ in notes.lines],
        "notes_omitted": notes.omitted,
    }


# --- across ------------------------------------------------------------------------------------------------------


def links_data(view: ForgeView | None) -> list[Json]:
    """Links between repositories."""
    return [link_data(link) for link in view.crossing()] if view else []


def link_data(link: Link) -> Json:
    return {
        "kind": link.kind,
        "from": text_data(link.source),
        "to": text_data(link.target),
        "evidence": [text_data(name) for name in link.evidence],
        "likely": link.likely,
        "why": texts_data(link.why) if link.why is not None else None,
        **_places(link),
    }


def _places(link: Link) -> Json:
    """Where a name that is gone is used; no such field for other links."""
    if not link.places:
        return {}
    places = [{"repo": x.repo, "path": text_data(x.path), "line": x.line} for x in link.places]
    return {"places": places, "places_omitted": link.places_omitted}


def across_data(view: ForgeView | None) -> Json:
    """Pins that moved and stories over several repositories; no such field when no forge was asked."""
    if view is None:
        return {}
    across = view.day.across
    return {
        "across": {
            "bumps": [_bump(one) for one in across.bumps],
            "stories": [_story(one) for one in across.stories],
            "statements": statements_data(view.day.statements),
            "mentions_omitted": across.omitted,
            "earlier": [_earlier(one) for one in view.day.earlier],
        }
    }


def _earlier(one: Earlier) -> Json:
    return {
        "repo": one.repo,
        "sha": one.sha,
        "committed_at": one.at.isoformat(),
        "subject": text_data(one.subject),
        "pr": one.pr,
    }


def _bump(one: Bump) -> Json:
    return {
        "repo": one.repo,
        "sha": one.sha,
        "at": one.at.isoformat(),
        "target": one.target,
        "package": text_data(one.package),
        "before": text_data(one.before),
        "after": text_data(one.after),
        "findings": list(one.findings),
        "likely": not one.sure,
        "least": one.least,
        "back": one.back,
        "release": release_id(one.target, text_data(one.release)) if one.release else None,
        "between": list(one.between),
        "whole": one.whole,
    }


def _story(one: CrossStory) -> Json:
    steps: list[dict[str, Any]] = [
        {
            "kind": step.kind,
            "repo": step.repo,
            "at": step.at.isoformat(),
            "version": text_data(step.version),
            "evidence": [text_data(name) for name in step.evidence],
        }
        for step in one.steps
    ]
    return {
        "id": one.id,
        "target": one.target,
        "repos": list(one.repos),
        "commits": list(one.commits),
        "net": texts_data(one.net),
        "steps": steps,
    }

"""What joins the watched repositories: pins that moved, things of one named in another, names removed that another uses."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct

from daybreak.core.model.changes import Window
from daybreak.core.model.links import Bump, CrossForge, HeadUse, Link, Place, commit_id, issue_id, pull_id, release_id
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.judge.links.cross_stories import cross_stories
from daybreak.judge.links.joins import Numbers
from daybreak.judge.links.pins import Side, bumps, is_sha
from daybreak.judge.links.texts import Reference, mentioned, message, prose_texts

MOST = 300
"""Mentions that are kept of a day."""
_PER_TEXT = 12
_LOOKED_AT = 60
_SUBJECT = 400
_HEX = re.compile(r"(?<![\w/.+-])(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{9,40}(?![\w])")
_SHOWN = 3
"""Places of one name that are given."""


# --- pins --------------------------------------------------------------------------------------------------------


def taken(bumps: Sequence[Bump], shas: frozenset[str]) -> Iterator[Link]:
    """A link for each move of the window to the release or change that it takes, or to the repository."""
    told: set[tuple[str, str]] = set()
    for one in bumps:
        source = commit_id(one.sha)
        home = f"repo:{one.target}"
        target = release_id(one.target, one.release) if one.release else home
        if one.sha not in shas or (source, target) in told:
            continue  # files of one change may have stood on different versions before
        told.add((source, target))
        evidence = tuple(dict.fromkeys((source, *one.findings, home, target)))
        yield Link("takes", source, target, evidence, likely=not one.sure, why=_move(one))


def _move(one: Bump) -> Text:
    if not is_sha(one.before) and not is_sha(one.after):
        return say("judge.link.pin", package=one.package, repo=one.target, before=one.before, after=one.after)
    if one.release:
        return say("judge.link.pin_release", package=one.package, repo=one.target, tag=one.release)
    return say("judge.link.pin_commit", package=one.package, repo=one.target)


# --- mentions ----------------------------------------------------------------------------------------------------


class _Told(Struct, frozen=True):
    """A text of one repository that may name things of another."""

    id: str
    repo: str
    text: str
    also: tuple[str, ...] = ()
    """More evidence: the pull request whose text it is, where it speaks as the change that it became."""


def mentions(sides: Sequence[Side], numbers: Mapping[str, Numbers]) -> tuple[tuple[Link, ...], int]:
    """Pull requests, issues and commits of one repository that a text of another names, and how many were left off.

    `numbers` is by lower-case OWNER/NAME.
    """
    found: dict[tuple[str, str], Link] = {}
    commits = sorted((change.sha, side.repo) for side in sides for change in side.changes)
    omitted = 0
    for text in _texts(sides, numbers):
        named = [*_referred(text, numbers), *_commits(text, commits)]
        omitted += max(0, len(named) - _PER_TEXT)
        for link in named[:_PER_TEXT]:
            found.setdefault((link.source, link.target), link)
    links = tuple(found.values())
    return links[:MOST], omitted + max(0, len(links) - MOST)


def _texts(sides: Sequence[Side], numbers: Mapping[str, Numbers]) -> Iterator[_Told]:
    """What was written in the window; a pull request that became a change speaks as that change."""
    for side in sides:
        known = numbers[side.repo.lower()]
        of_window = {entry.change.sha for entry in side.entries}
        for entry in side.entries:
            change = entry.change
            yield _Told(commit_id(change.sha), side.repo, message(change.subject[:_SUBJECT], change.body))
        for pull in side.activity.pulls:
            change_of = known.by_pull.get(pull.number)
            became = change_of is not None and change_of.sha in of_window
            if became or pull.happened:
                own = pull_id(side.repo, pull.number)
                source = commit_id(change_of.sha) if became and change_of else own
                yield _Told(source, side.repo, pull.body, (own,) if became else ())
        for issue in side.activity.issues:
            if "opened" in issue.happened:
                yield _Told(issue_id(side.repo, issue.number), side.repo, issue.body)


def _referred(told: _Told, numbers: Mapping[str, Numbers]) -> Iterator[Link]:
    for one in mentioned(told.text):
        where = numbers.get(one.repo.lower()) if one.repo else None
        if where is None or where.repo == told.repo:
            continue
        target, known = _target(where, one)
        # An address is no part of a sentence: code alone puts links in.
        why = say("judge.link.mentions", words=one.words) if one.page is None else None
        yield Link("mentions", told.id, target, (told.id, *told.also, *((target,) if known else ())), why=why)


def _target(where: Numbers, one: Reference) -> tuple[str, bool]:
    """What a reference names, and whether we have it; a number of unknown kind names the repository only."""
    if one.sha is not None:
        sha = next((c.sha for c in where.changes if c.sha.startswith(one.sha)), None)
        return (commit_id(sha), True) if sha else (f"repo:{where.repo}", True)
    number = one.number or 0
    issue = where.is_issue(number)
    if issue is None and one.page is None:
        return f"repo:{where.repo}", True
    if issue is True or (issue is None and one.page == "issues"):
        return issue_id(where.repo, number), number in where.issues
    return pull_id(where.repo, number), number in where.pulls


def _commits(told: _Told, commits: Sequence[tuple[str, str]]) -> Iterator[Link]:
    """Bare shas that are a known change of one other repository."""
    found = (m[0] for text in prose_texts(told.text) for m in _HEX.finditer(text))
    for sha in islice(found, _LOOKED_AT):
        at = bisect_left(commits, (sha, ""))
        near = [x for x in commits[at : at + 2] if x[0].startswith(sha)]
        if len(near) == 1 and near[0][1] != told.repo:
            target = commit_id(near[0][0])
            yield Link("mentions", told.id, target, (told.id, *told.also, target))


# --- names -------------------------------------------------------------------------------------------------------


def removed_but_used(sides: Sequence[Side]) -> Iterator[Link]:
    """Names that a change of the window took away and that another repository uses at its head: one link a finding."""
    for side in sides:
        found: dict[tuple[str, str], list[HeadUse]] = {}
        for use in side.uses:
            found.setdefault((use.repo, use.finding), []).append(use)
        for uses in found.values():
            yield _removed(side, sorted(uses, key=lambda use: (not use.sure, _aside(use.path), use.path, use.line)))


def _aside(path: str) -> bool:
    return re.search(r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?|\.[\w-]{1,40})/", path[:400]) is not None


def _removed(side: Side, uses: Sequence[HeadUse]) -> Link:
    first = uses[0]
    sure = any(use.sure for use in uses)
    if sure:
        why = say("judge.link.still_used", repo=first.repo, name=first.name, user=side.repo)
    else:
        why = say("judge.link.maybe_used", repo=first.repo, name=first.name, user=side.repo)
    ids = (first.finding, commit_id(first.sha), f"repo:{first.repo}", f"repo:{side.repo}")
    lines = list(dict.fromkeys(Place(side.repo, use.path, use.line) for use in uses))
    places, more = tuple(lines[:_SHOWN]), max(0, len(lines) - _SHOWN)
    return Link("uses_removed", first.finding, f"repo:{side.repo}", ids, not sure, why, places, more)


# --- What happened between the repositories of a day: with a forge's items where it was asked, with git alone otherwise ---


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

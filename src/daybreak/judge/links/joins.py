"""Changes, their pull requests, the issues that those close, and the releases that ship them.

A number in a subject is a pull request only when the forge does not know it as an issue; what the forge itself says
goes before what texts say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from daybreak.core.model.changes import Change
from daybreak.core.model.items import Activity, Closer, Issue, Pull, Release
from daybreak.core.model.links import Link, ReleaseReading, commit_id, issue_id, pull_id, release_id
from daybreak.core.model.report import Entry
from daybreak.core.words import say
from daybreak.judge.links.texts import MAX_TEXT, Reference, closing, mentioned, message, prose

_SUBJECT = 400
_NAMED = 300
"""Pull requests of a release's notes that are kept; the others are counted."""
_LAST = re.compile(r"\(#([1-9]\d{0,8})\)\s*$")
_MERGE = re.compile(r"Merge pull request #([1-9]\d{0,8})\b")
_QUOTED = re.compile(r"[\"“][^\"“”]{1,390}[\"”]")
_ANY = re.compile(r"\(#([1-9]\d{0,8})\)")


class Numbers:
    """What the numbers of one repository are, as far as is known."""

    def __init__(self, activity: Activity, changes: Iterable[Change] = ()) -> None:
        self.repo = activity.repo
        self.pulls: dict[int, Pull] = {pull.number: pull for pull in activity.pulls}
        self.issues: dict[int, Issue] = {issue.number: issue for issue in activity.issues}
        self.not_pulls = frozenset(activity.not_pulls) | frozenset(self.issues.keys() - self.pulls.keys())
        self.changes = tuple({change.sha: change for change in changes}.values())
        self._by_merge = {pull.merge_sha: pull for pull in activity.pulls if pull.merge_sha and pull.state == "merged"}
        self._brought = dict(activity.brought)
        self.by_sha = {change.sha: change for change in self.changes}
        self.by_pull: dict[int, Change] = {}
        for change in self.changes:
            number = self.of_change(change)
            if number is not None:
                self.by_pull.setdefault(number, change)

    def of_change(self, change: Change) -> int | None:
        """The pull request that brought a change; None when it has none, or carries another thing's number."""
        forge = self._by_merge.get(change.sha) or next(
            (self._by_merge[sha] for sha in change.merged if sha in self._by_merge), None
        )
        if forge is not None:
            return forge.number
        brought = self._brought.get(change.sha)
        if brought is not None and (brought not in self.pulls or self.pulls[brought].state == "merged"):
            return brought
        number = subject_number(change.subject)
        if number is None or number in self.not_pulls:
            return None
        pull = self.pulls.get(number)
        if pull is None:
            return number
        elsewhere = pull.merge_sha != change.sha and pull.merge_sha in self.by_sha
        return None if elsewhere or pull.state == "open" else number

    def known(self, pull: int, issue: int) -> tuple[str, ...]:
        """Evidence for a link between the two: those of them that the forge has shown."""
        ends = [pull_id(self.repo, pull)] if pull in self.pulls else []
        return (*ends, issue_id(self.repo, issue)) if issue in self.issues else tuple(ends)

    def is_issue(self, number: int) -> bool | None:
        """True for an issue, False for a pull request, None when nobody said."""
        if number in self.not_pulls:
            return True
        return False if number in self.pulls or number in self.by_pull else None


def subject_number(subject: str) -> int | None:
    """The number a subject carries as its own: its last `(#N)`, or that of a merge; one in a quoted title is not."""
    text = subject[:_SUBJECT]
    merge = _MERGE.match(text)
    if merge:
        return int(merge[1])
    last = _LAST.search(text)
    if last:
        return int(last[1])
    found = _ANY.findall(_QUOTED.sub(" ", text))
    return int(found[-1]) if found else None


# --- change and pull request -------------------------------------------------------------------------------------


def brought(numbers: Numbers, changes: Iterable[Change]) -> Iterator[Link]:
    """A link from each known pull request to the change that it became."""
    for change in changes:
        number = numbers.of_change(change)
        if number is not None and number in numbers.pulls:
            source, target = pull_id(numbers.repo, number), commit_id(change.sha)
            yield Link("brings", source, target, (source, target))


# --- pull request and issue --------------------------------------------------------------------------------------


class _Told(Struct, frozen=True):
    """A text that may say what it closes."""

    id: str
    own: int | None
    text: str


def fixed(numbers: Numbers, changes: Sequence[Change], others: Mapping[str, Numbers]) -> Iterator[Link]:
    """Links to the issues that pull requests and changes close; `others` is by lower-case OWNER/NAME.

    What a timeline tells goes first, then what the forge has linked; what somebody unlinked by hand, no text links.
    """
    told: set[tuple[str, str]] = set()
    for link in (*_closed(numbers, others), *_by_hand(numbers), *_by_forge(numbers)):
        if (link.source, link.target) not in told:
            told.add((link.source, link.target))
            yield link
    told |= {
        (pull_id(numbers.repo, pull), issue_id(numbers.repo, issue)) for pull, issue in _linked(numbers, "disconnected")
    }
    for link in _by_text(numbers, changes, others):
        if (link.source, link.target) not in told:
            told.add((link.source, link.target))
            yield link


def _closed(numbers: Numbers, others: Mapping[str, Numbers]) -> Iterator[Link]:
    """What closed an issue in the word of its timeline; of a repository that nobody watches, nothing."""
    for issue in numbers.issues.values():
        last = {(closer.repo, closer.number, closer.sha): closer for closer in issue.closers}
        for closer in last.values():
            where = numbers if closer.repo is None else others.get(closer.repo.lower())
            if where is not None:
                source, known = _source(where, closer)
                target = issue_id(numbers.repo, issue.number)
                why = say("judge.link.reopened") if closer.reopened_at else say("judge.link.closed")
                yield Link("fixes", source, target, (source, target) if known else (target,), why=why)


def _source(where: Numbers, closer: Closer) -> tuple[str, bool]:
    """The pull request or commit, and whether it is known here; a commit stands for the pull request that brought it."""
    change = where.by_sha.get(closer.sha or "")
    number = closer.number if change is None else where.of_change(change)
    if number is not None and (change is None or number in where.pulls):
        return pull_id(where.repo, number), number in where.pulls
    return commit_id(closer.sha or ""), change is not None


def _by_hand(numbers: Numbers) -> Iterator[Link]:
    for pull, issue in sorted(_linked(numbers, "connected")):
        source, target = pull_id(numbers.repo, pull), issue_id(numbers.repo, issue)
        yield Link("fixes", source, target, numbers.known(pull, issue), why=say("judge.link.by_hand"))


def _linked(numbers: Numbers, how: Literal["connected", "disconnected"]) -> set[tuple[int, int]]:
    """(pull request, issue): both timelines tell it, and one of them may be all that was asked for."""
    found = {(pull, issue.number) for issue in numbers.issues.values() for pull in getattr(issue, how)}
    return found | {(pull.number, issue) for pull in numbers.pulls.values() for issue in getattr(pull, how)}


def _by_forge(numbers: Numbers) -> Iterator[Link]:
    pairs = [(pull.number, issue) for pull in numbers.pulls.values() for issue in pull.closes]
    pairs += [(pull, issue.number) for issue in numbers.issues.values() for pull in issue.pulls]
    for pull, issue in sorted(set(pairs)):
        source, target = pull_id(numbers.repo, pull), issue_id(numbers.repo, issue)
        yield Link("fixes", source, target, numbers.known(pull, issue))


def _by_text(numbers: Numbers, changes: Sequence[Change], others: Mapping[str, Numbers]) -> Iterator[Link]:
    texts = [_Told(pull_id(numbers.repo, p.number), p.number, p.body) for p in numbers.pulls.values()]
    for change in changes:
        number = numbers.of_change(change)
        known = number is not None and number in numbers.pulls
        source = pull_id(numbers.repo, number) if known and number else commit_id(change.sha)
        subject = _ANY.sub(" ", change.subject[:_SUBJECT])
        texts.append(_Told(source, number, message(subject, change.body)))
    for told in texts:
        for one in closing(told.text):
            link = _closes(numbers, told, one, others)
            if link is not None:
                yield link


def _closes(numbers: Numbers, told: _Told, one: Reference, others: Mapping[str, Numbers]) -> Link | None:
    """One reference as a link; a pull request is not closed by another, and a number of unknown kind is only likely."""
    where = numbers if one.repo is None else others.get(one.repo.lower())
    if where is None or one.number is None or one.page == "pull":
        return None
    if where is numbers and one.number == told.own:
        return None
    issue = where.is_issue(one.number)
    if issue is False:
        return None
    target = issue_id(where.repo, one.number)
    ends = (told.id, target) if one.number in where.issues else (told.id,)
    # An address is no part of a sentence: code alone puts links in.
    words = one.words if one.page is None else one.words.split()[0]
    why = say("judge.link.closing_words", words=words)
    return Link("fixes", told.id, target, ends, likely=issue is None and one.page is None, why=why)


# --- change and release ------------------------------------------------------------------------------------------


def shipped(entries: Sequence[Entry], activity: Activity) -> Iterator[Link]:
    """A link from each change to the first release that holds it."""
    known = {release.tag for release in activity.releases}
    for entry in entries:
        if entry.released:
            source, target = commit_id(entry.change.sha), release_id(activity.repo, entry.released)
            yield Link("shipped_in", source, target, (source, target) if entry.released in known else (source,))


def held(entries: Sequence[Entry], activity: Activity, more: Mapping[str, Sequence[str]]) -> tuple[ReleaseReading, ...]:
    """What each release of the window holds; `more` is tag -> shas that git says are new in it, oldest first."""
    ours: dict[str, list[str]] = {}
    for entry in sorted(entries, key=lambda e: e.change.committed_at):
        if entry.released:
            ours.setdefault(entry.released, []).append(entry.change.sha)
    return tuple(_held(activity.repo, r, more.get(r.tag, ()) or ours.get(r.tag, ())) for r in activity.releases)


def _held(repo: str, release: Release, commits: Sequence[str]) -> ReleaseReading:
    """Its notes name pull requests as `#12` or by address; of another repository they are not its own."""
    numbers = [
        one.number
        for one in mentioned(release.body, most=MAX_TEXT)
        if one.number is not None and one.page != "issues" and (one.repo or repo).lower() == repo.lower()
    ]
    named = tuple(dict.fromkeys(numbers))
    cut = prose(release.body).cut
    return ReleaseReading(repo, release.tag, tuple(commits), named[:_NAMED], max(0, len(named) - _NAMED), cut)

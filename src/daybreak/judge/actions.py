"""What a reader must act on: security, breaks, reverts, changed defaults, repairs, requirements; most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daybreak.core.model.report import Action, Entry, RepoReport
from daybreak.judge import urgency
from daybreak.judge.action_lines import Candidate, lines
from daybreak.judge.action_questions import QUESTIONS, Made
from daybreak.judge.story_outcome import came_and_went

OFFERED = 12
"""A check may drop some of them."""


def actions(repos: Sequence[RepoReport]) -> tuple[Action, ...]:
    """The day's actions; nothing of low importance, nothing that `paths` or `exclude` filtered."""
    return tuple(lines(c for repo in repos for c in _of_repository(repo))[:OFFERED])


def _of_repository(repo: RepoReport) -> Iterator[Candidate]:
    """A story is told once: a change that was taken back asks for nothing but its revert, and when the same window held
    both, for nothing at all.
    """
    undone = {
        sha
        for story in repo.stories
        if story.kind == "revert"
        for sha in (story.commits if came_and_went(story) else story.commits[:-1])
    }
    for entry in repo.entries:
        change = entry.change
        if entry.importance.level == "low" or change.filtered or change.skipped or change.sha in undone:
            continue
        made = asked(repo, entry)
        rank = urgency.rank(entry, made.base, made.proven, made.findings) if made else 0.0
        if made is not None and rank >= (urgency.LEAST_FIX if made.group == "fix" else urgency.LEAST):
            commits = _commits(repo, entry) if entry.kind == "revert" else (change.sha,)
            findings = tuple(f.id for f in made.findings)
            gravity = urgency.gravity(entry, made.base, made.findings) - made.doubt
            words = (made.group, made.item, made.part)
            yield Candidate(rank, gravity, repo.repo.name, commits, made.text, entry, findings, *words)


def asked(repo: RepoReport, entry: Entry) -> Made | None:
    """The most urgent answer to what a change asks for."""
    return max(filter(None, (ask(repo, entry) for ask in QUESTIONS)), key=lambda one: one.base, default=None)


def _commits(repo: RepoReport, entry: Entry) -> tuple[str, ...]:
    """A revert's own commit first, then those of its story that this report holds."""
    story = next((s for s in repo.stories if s.id == entry.story), None)
    others = (s for s in story.commits if s != entry.change.sha and repo.find(s)) if story else ()
    return (entry.change.sha, *others)

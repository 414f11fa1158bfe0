"""Changes of a day as its sentences speak of them: what breaks, what a release needs, what was taken back, and whose they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from daybreak.core.model.day import Action
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words import say
from daybreak.core.words.grammar import alike
from daybreak.judge.change_kinds import is_quiet, is_revert
from daybreak.judge.exposure import shows_fault
from daybreak.judge.headline import quoted_title, short_name
from daybreak.judge.message_refs import quoted_title as reverted_title
from daybreak.judge.reach import aside
from daybreak.judge.story_outcome import taken_back

SHORT_TITLE = 60
TITLE = 90
MOST_TITLES = 2
MOST_SENTENCES = 4


def acted(repos: Sequence[RepoReport], actions: Sequence[Action]) -> list[tuple[Action, Entry]]:
    """Entries of the screen, each with the change that it is about."""
    by_name = {repo.repo.name: repo for repo in repos}
    some = (action for action in actions if action.repo in by_name)
    return [(action, entry) for action in some if (entry := by_name[action.repo].find(action.commits[0])) is not None]


def breaks_users(entry: Entry) -> bool:
    """It breaks existing use of a release on hardware that most have."""
    if not entry.breaking or entry.change.filtered or (entry.exposure is not None and entry.exposure.never):
        return False
    found = aside(entry.change, [f for f in entry.reading.findings if f.breaking])
    return found is None or found.why not in ("elsewhere", "not_yours")


REPAIRS = frozenset({"fix", "security"})


def is_due(entry: Entry) -> bool:
    """A repair whose fault a release has."""
    ours = not entry.change.filtered and entry.kind in REPAIRS
    return ours and shows_fault(entry)


def whose(repos: Sequence[RepoReport], some: Collection[Entry]) -> list[Text]:
    """The repositories of these changes, that of most first."""
    counts = Counter({repo.repo.name: sum(entry in some for entry in repo.entries) for repo in repos})
    return short_names(repos, [name for name, n in counts.most_common() if n])


def short_names(repos: Sequence[RepoReport], some: Iterable[str]) -> list[Text]:
    names = [repo.repo.name for repo in repos]
    return [alike(short_name(name, names)) for name in some]


def undone(where: tuple[str, ...], entries: Sequence[Entry], stories: Sequence[Story]) -> Iterator[Statement]:
    """What was taken back, by its title."""
    by_sha = {entry.change.sha: entry for entry in entries}
    ends = [(story, by_sha.get(story.commits[-1])) for story in taken_back(stories)]
    for story, entry in ends[:MOST_TITLES]:
        if entry is not None and not is_quiet(entry.change, entry.reading):
            known = not is_revert(entry.change.subject) or reverted_title(entry.change)
            title = quoted_title(entry, TITLE)
            text = say("judge.day.undone", title=title) if known else say("judge.day.undone_by", title=title)
            yield Statement("risk", text, (*where, f"story:{story.id}", of_commit(entry)))


def of_commit(entry: Entry) -> str:
    return f"commit:{entry.change.sha}"

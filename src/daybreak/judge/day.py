"""The day in sentences to be read aloud: a repository's day, the day's summary and its conclusion.

What kind of day it was, what runs through it, what to do. Numbers stand in the head of the page, titles in quotation marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from daybreak.core.model.day import Action
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Kind, Statement, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, joined, series
from daybreak.judge.headline import quoted_title, short_name
from daybreak.judge.robots import is_routine
from daybreak.judge.story_outcome import met_by_users, taken_back
from daybreak.judge.work_areas import area_name, area_of, in_order

_GROUPS: dict[str, frozenset[Kind]] = {
    "repairs": frozenset({"fix", "security", "revert"}),
    "features": frozenset({"feature", "perf"}),
    "upkeep": frozenset({"docs", "test", "ci", "build", "dependency", "refactor"}),
}
_UPKEEP = 0.5
"""From this share on upkeep gives the day its name."""
_MORE = 1.25
"""How many times as many there must be for one to be more than the other."""
_FEW = 4
"""Changes of a quiet day."""
_MOST_REPOS = 2
_MOST_AREAS = 3
_LEAST_IN_AREA = 2
_MOST_TITLES = 2
_TITLE = 90
_MOMENT = "%Y-%m-%d %H:%M"
_PARTS = 3
"""Changes of a series that runs through a day."""
_CHANGED = frozenset({"breaks", "default", "rejects", "fork", "build"})
_REPAIRED = ("security", "corrupts", "crash")


def assessment(
    name: str, entries: Sequence[Entry], stories: Sequence[Story], late: Sequence[Entry]
) -> tuple[Statement, ...]:
    """The repository's day: what kind it was, where the work lies, what was taken back, and what no release has yet."""
    where, out = f"repo:{name}", list[Statement]()
    told = [entry for entry in entries if not entry.change.filtered]
    if told:
        out.append(Statement("what", _kind_and_areas(told), (where,)))
    if any(is_routine(entry.change, entry.reading) for entry in entries):
        out.append(Statement("what", say("judge.day.robots"), (where,)))
    out.extend(_broken(name, entries, stories))
    out.extend(_undone((where,), entries, stories))
    release = _unreleased(told)
    if release:
        out.append(Statement("what", say("judge.day.unreleased", tag=release), (where,)))
    if late:
        out.append(Statement("what", say("judge.day.late"), (where,)))
    return tuple(out)


def summary(repos: Sequence[RepoReport]) -> tuple[Statement, ...]:
    """What kind of day it was and in which repositories, where the work lies, and what landed in several parts."""
    told = [entry for repo in repos for entry in repo.entries if not entry.change.filtered]
    if not told:
        return ()
    busiest = [alike(name) for name in _busiest(repos)]
    kind = term("judge.day_kind", _kind(told))
    out = [Statement("what", say("judge.day.kind", kind=kind, repos=series(busiest)), ("window",))]
    areas = _areas(told)
    if areas:
        out.append(Statement("what", say("judge.day.areas", areas=joined(areas, "list")), ("window",)))
    for repo in repos:
        met = [story for story in repo.stories if met_by_users(story, repo)]
        out.extend(_broken(repo.repo.name, repo.entries, met))
    parts = [first for repo in repos for first in _series(repo)][:_MOST_TITLES]
    if parts:
        titles = series([quoted_title(entry, _TITLE) for entry in parts])
        out.append(Statement("what", say("judge.day.series", titles=titles), ("window", *map(_commit, parts))))
    return tuple(out)


def conclusion(repos: Sequence[RepoReport], actions: Sequence[Action]) -> tuple[Statement, ...]:
    """What to do before an upgrade, which repairs to take, what was taken back, and what could not be handled."""
    if not any(repo.entries or repo.skipped for repo in repos):
        return ()
    out = list(_to_do(repos, actions))
    for repo in repos:
        out.extend(_undone((f"repo:{repo.repo.name}",), repo.entries, repo.stories))
    if any(repo.skipped for repo in repos) or any(e.change.skipped for repo in repos for e in repo.entries):
        out.append(Statement("risk", say("judge.day.lost"), ("window",)))
    return tuple(out)


# --- what to do -------------------------------------------------------------------------------------------------------


def _to_do(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    changed, repaired = (_repos_of(repos, actions, tags) for tags in (_CHANGED, _REPAIRED))
    if changed:
        text = say("judge.day.settle", repos=series(changed))
        yield Statement("action", text, ("window",), "compatibility")
    if repaired:
        shown = {action.tag for action in actions}
        kinds = series([term("judge.repairs", tag) for tag in _REPAIRED if tag in shown])
        yield Statement("action", say("judge.day.take", repos=series(repaired), kinds=kinds), ("window",))
    if not changed and not repaired and any(repo.entries for repo in repos):
        yield Statement("what", say("judge.day.nothing_to_do"), ("window",))


def _repos_of(repos: Sequence[RepoReport], actions: Sequence[Action], tags: Collection[str]) -> list[Text]:
    names = [repo.repo.name for repo in repos]
    found = dict.fromkeys(action.repo for action in actions if action.tag in tags)
    return [alike(short_name(name, names)) for name in found]


def _broken(name: str, entries: Sequence[Entry], stories: Sequence[Story]) -> Iterator[Statement]:
    """Since when, and until when, a change of an earlier day was at fault, and what mended it."""
    by_sha = {entry.change.sha: entry for entry in entries}
    for story in stories:
        fix = by_sha.get(story.commits[-1])
        if story.broken is None or story.commits[0] not in story.earlier or fix is None:
            continue
        start, end = (alike(moment.strftime(_MOMENT)) for moment in story.broken)
        repo, title = alike(name.rpartition("/")[2]), quoted_title(fix, _TITLE)
        if fix.kind == "revert":
            text = say("judge.day.broken_reverted", repo=repo, start=start, end=end, title=title)
        else:
            text = say("judge.day.broken", repo=repo, start=start, end=end, title=title)
        yield Statement("risk", text, (f"story:{story.id}", _commit(fix)))


def _undone(where: tuple[str, ...], entries: Sequence[Entry], stories: Sequence[Story]) -> Iterator[Statement]:
    """What was taken back, by its title."""
    by_sha = {entry.change.sha: entry for entry in entries}
    ends = [(story, by_sha.get(story.commits[-1])) for story in taken_back(stories)]
    for story, entry in ends[:_MOST_TITLES]:
        if entry is not None:
            text = say("judge.day.undone", title=quoted_title(entry, _TITLE))
            yield Statement("risk", text, (*where, f"story:{story.id}", _commit(entry)))


# --- what kind of day, and where ----------------------------------------------------------------------------------------


def _kind_and_areas(entries: Sequence[Entry]) -> Text:
    kind, areas = term("judge.repo_kind", _kind(entries)), _areas(entries)
    if areas:
        return say("judge.day.repository_areas", kind=kind, areas=joined(areas, "list"))
    return say("judge.day.repository", kind=kind)


def _kind(entries: Sequence[Entry]) -> str:
    """Whether repairs or new things are more, unless most of it is upkeep; a day of few changes is a quiet one."""
    if len(entries) <= _FEW:
        return "quiet"
    counts = {name: sum(entry.kind in kinds for entry in entries) for name, kinds in _GROUPS.items()}
    repairs, features = counts["repairs"], counts["features"]
    if counts["upkeep"] >= _UPKEEP * len(entries) or not repairs + features:
        return "upkeep"
    if max(repairs, features) < _MORE * min(repairs, features):
        return "mixed"
    return "repairs" if repairs > features else "features"


def _areas(entries: Iterable[Entry]) -> list[Text]:
    """Those in which most happened."""
    counts = Counter(area for entry in entries if (area := area_of(entry)))
    many = [area for area, n in counts.items() if n >= _LEAST_IN_AREA]
    order = {area: at for at, area in enumerate(in_order(many))}
    return [area_name(area) for area in sorted(many, key=lambda area: (-counts[area], order[area]))[:_MOST_AREAS]]


def _busiest(repos: Sequence[RepoReport]) -> list[str]:
    names = [repo.repo.name for repo in repos]
    active = sorted((repo for repo in repos if repo.entries), key=lambda repo: -len(repo.entries))
    return [short_name(repo.repo.name, names) for repo in active[:_MOST_REPOS]]


def _series(repo: RepoReport) -> Iterator[Entry]:
    """The first change of each series of which the window has several."""
    by_sha = {entry.change.sha: entry for entry in repo.entries}
    for story in repo.stories:
        found = [by_sha[sha] for sha in story.commits if sha in by_sha]
        if story.kind == "series" and len(found) >= _PARTS:
            yield found[0]


def _unreleased(entries: Sequence[Entry]) -> str | None:
    """The newest release, where it holds none of the changes."""
    tags = {entry.after for entry in entries}
    return tags.pop() if len(tags) == 1 and not any(entry.released for entry in entries) else None


def _commit(entry: Entry) -> str:
    return f"commit:{entry.change.sha}"

"""The day in sentences to be read aloud: a repository's day and the day's summary.

What kind of day it was, and what runs through it. Numbers stand in the head of the page, titles in quotation marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.day import LEVELS, Action
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Kind, Statement, Text
from daybreak.core.profiles import field
from daybreak.core.words import say, term
from daybreak.core.words.grammar import NOTHING, alike, series
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.paths import area
from daybreak.judge.change_kinds import front, is_kind_word
from daybreak.judge.day_changes import (
    MOST_SENTENCES,
    MOST_TITLES,
    REPAIRS,
    SHORT_TITLE,
    TITLE,
    acted,
    breaks_users,
    is_due,
    of_commit,
    short_names,
    undone,
    whose,
)
from daybreak.judge.headline import quoted_title, short_name
from daybreak.judge.reach import concerns_few, hardware
from daybreak.judge.robots import is_bump, is_routine
from daybreak.judge.story_outcome import met_by_users
from daybreak.judge.work_areas import area_name, area_of

_GROUPS: dict[str, frozenset[Kind]] = {
    "repairs": frozenset({"fix", "security"}),
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
_LEAST_IN_AREA = 3
_MOMENT = "%Y-%m-%d %H:%M"
_PARTS = 3
"""Changes of a series that runs through a day."""
_NAMED = re.compile(
    r"\b(?:[A-Z][A-Za-z]{0,30}[A-Z0-9]|[A-Z][a-z]{2,30}(?=[- ][A-Z]?\d))[A-Za-z0-9]{0,30}(?:[- ]?[A-Z]?\d\w{0,10})?"
)
"""What a title calls by a name: `CuTeDSL`, `DeepSeek V4`, `Kimi K3`."""
_SHORTEST_NAME = 4
_MOST_THREADS = 3
_STRANDS = 2
"""Changes of each repository that have to speak of something for all of them to work on it."""


def assessment(
    name: str, entries: Sequence[Entry], stories: Sequence[Story], late: Sequence[Entry]
) -> tuple[Statement, ...]:
    """The repository's day: what kind it was, where the work lies, what was taken back, and what no release has yet."""
    where, out = f"repo:{name}", list[Statement]()
    told = [entry for entry in entries if not entry.change.filtered]
    if told:
        out.append(Statement("what", _kind_and_areas(told), (where,)))
    if moved := [entry.change for entry in entries if is_routine(entry.change, entry.reading)]:
        out.append(_robots(where, moved, [e.change for e in entries if e.change not in moved and is_bump(e.change)]))
    out.extend(_broken(name, entries, stories))
    out.extend(undone((where,), entries, stories))
    release = _unreleased(told)
    if release:
        out.append(Statement("what", say("judge.day.unreleased", tag=release), (where,)))
    if late:
        out.append(Statement("what", say("judge.day.late"), (where,)))
    return tuple(out)


def _robots(where: str, routine: Sequence[Change], other: Sequence[Change]) -> Statement:
    """What robots moved; that nothing was for security or to a new major version only where no other bump is there."""
    if other:
        return Statement("what", say("judge.day.robots_more"), (where, *(f"commit:{change.sha}" for change in other)))
    checks = all(area(file.path) == "ci" for change in routine for file in change.files)
    return Statement("what", say("judge.day.robots_ci") if checks else say("judge.day.robots"), (where,))


def summary(repos: Sequence[RepoReport], actions: Sequence[Action] = ()) -> tuple[Statement, ...]:
    """What kind of day it was, what stands out, where repairs and new work lie, what several repositories work on and what landed in parts."""
    told = [entry for repo in repos for entry in repo.entries if not entry.change.filtered]
    if not told:
        return ()
    said = _busy(repos, term("judge.day_kind", _kind(told)))
    out = [Statement("what", said, ("window",))]
    out.extend(_outstanding(repos, actions))
    if where := _where(told):
        out.append(Statement("what", where, ("window",)))
    for repo in repos:
        met = [story for story in repo.stories if met_by_users(story, repo)]
        out.extend(_broken(repo.repo.name, repo.entries, met))
    out.extend(_threads(repos))
    parts = [first for repo in repos for first in _series(repo)][:MOST_TITLES]
    if parts:
        titles = series([quoted_title(entry, TITLE) for entry in parts])
        out.append(Statement("what", say("judge.day.series", titles=titles), ("window", *map(of_commit, parts))))
    return tuple(out[:MOST_SENTENCES])


def _outstanding(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """How many changes break existing use, as the head of the page counts them, and how many repairs are of faults that a
    release has, and where; the one that is named breaks on hardware that most have, where there is one, and the repair that
    is named is told with that release where readers find it.
    """
    broken = [e for repo in repos for e in repo.entries if e.breaking and not e.change.filtered]
    broken.sort(key=lambda e: (e.importance.level == "low", not breaks_users(e), LEVELS.index(e.importance.level)))
    silent = {id(e) for action, e in acted(repos, actions) if not _says_release(action, e)}
    mended = [e for repo in repos for e in repo.entries if is_due(e) and id(e) not in silent]
    mended.sort(key=lambda e: LEVELS.index(e.importance.level))
    if broken:
        text = say("judge.day.out_breaks", n=len(broken), repos=series(whose(repos, broken)), title=_called(broken))
        yield Statement("what", text, ("window", of_commit(broken[0])))
    if mended:
        fixes = [e for repo in repos for e in repo.entries if e.kind in REPAIRS and not e.change.filtered]
        every = all(e in mended or (e.exposure is not None and e.exposure.has is False) for e in fixes)
        least, where = NOTHING if every else say("judge.day.at_least"), series(whose(repos, mended))
        text = say("judge.day.out_mends", n=len(mended), title=_called(mended), least=least, repos=where)
        yield Statement("what", text, ("window", of_commit(mended[0])))


def _called(some: Sequence[Entry]) -> Text:
    """The first of them by its title."""
    return quoted_title(some[0], SHORT_TITLE)


def _says_release(action: Action, entry: Entry) -> bool:
    """An entry of the screen names the release that has the fault: one that tells of something else does not."""
    return entry.exposure is not None and any(entry.exposure.release in said for said in action.text.values())


def _broken(name: str, entries: Sequence[Entry], stories: Sequence[Story]) -> Iterator[Statement]:
    """Since when, and until when, a change of an earlier day was at fault, and what mended it."""
    by_sha = {entry.change.sha: entry for entry in entries}
    for story in stories:
        fix = by_sha.get(story.commits[-1])
        if story.broken is None or story.commits[0] not in story.earlier or fix is None:
            continue
        if story.broken_by in ("lines", "ci", "skipped"):  # which show no fault, or one that no user met
            continue
        if fix.importance.level == "low" or concerns_few(fix.change):  # a fault of a corner is none of the branch
            continue
        start, end = (alike(moment.strftime(_MOMENT)) for moment in story.broken)
        repo, title = alike(name.rpartition("/")[2]), quoted_title(fix, TITLE)
        if fix.kind == "revert":
            text = say("judge.day.broken_reverted", repo=repo, start=start, end=end, title=title)
        else:
            text = say("judge.day.broken", repo=repo, start=start, end=end, title=title)
        yield Statement("risk", text, (f"story:{story.id}", of_commit(fix)))


# --- what kind of day, and where ----------------------------------------------------------------------------------------


def _kind_and_areas(entries: Sequence[Entry]) -> Text:
    kind, areas = term("judge.repo_kind", _kind(entries)), _areas(entries)
    if areas:
        return say("judge.day.repository_areas", kind=kind, areas=areas)
    return say("judge.day.repository", kind=kind)


def _kind(entries: Sequence[Entry]) -> str:
    """Whether repairs or new things are more, unless most of it is upkeep; a day of few changes is a quiet one."""
    if len(entries) <= _FEW:
        return "large" if any(map(_is_large, entries)) else "quiet"
    counts = {name: sum(entry.kind in kinds for entry in entries) for name, kinds in _GROUPS.items()}
    repairs, features = counts["repairs"], counts["features"]
    shown = features - sum(entry.kind == "feature" and not _shows_new(entry) for entry in entries)
    if counts["upkeep"] >= _UPKEEP * len(entries) or not repairs + shown:
        return "upkeep"
    if repairs >= _MORE * max(features, 1):
        return "repairs"
    return "features" if shown >= _MORE * max(repairs, 1) else "mixed"


def _shows_new(entry: Entry) -> bool:
    """A finding or its title says that something came: what nothing else is known of is called a feature as well."""
    came = any(kind_of(finding.kind).change in CAME for finding in entry.reading.findings)
    return came or _NEW.search(entry.change.subject[:400]) is not None


_NEW = re.compile(
    r"\b(?:add(?:s|ed|ing)?|support\w{0,3}|enabl\w{1,3}|implement\w{0,3}|introduc\w{1,3}|new|feat(?:ure)?s?)\b",
    re.IGNORECASE,
)


def _is_large(entry: Entry) -> bool:
    """As large as a release that lands at once."""
    return sum(file.added + file.deleted for file in front(entry.change)) >= _LARGE


_LARGE = 5000
"""Changed lines."""


def _where(entries: Sequence[Entry]) -> Text | None:
    """Where repairs lie, and where what is new."""
    fixed, new = (_areas([e for e in entries if e.kind in _GROUPS[name]]) for name in ("repairs", "features"))
    if fixed and new:
        if fixed == new:
            return say("judge.day.where_both", areas=fixed)
        return say("judge.day.where", fixed=fixed, new=new)
    if fixed:
        return say("judge.day.where_fixed", areas=fixed)
    if new:
        return say("judge.day.where_new", areas=new)
    areas = _areas(entries)
    return say("judge.day.where_all", areas=areas) if areas else None


def _threads(repos: Sequence[RepoReport]) -> Iterator[Statement]:
    """What titles of several repositories call by the same name."""
    found: dict[str, dict[str, dict[str, str]]] = {}  # name in plain letters -> repository -> commit -> as written
    for repo in repos:
        own = _letters(repo.repo.name.rpartition("/")[2])
        for entry in (e for e in repo.entries if front(e.change) and not is_routine(e.change, e.reading)):
            for word in {_letters(match): match for match in _NAMED.findall(entry.change.subject[:400])}.items():
                if len(word[0]) >= _SHORTEST_NAME and word[0] != own and not _is_common(word[1]):
                    found.setdefault(word[0], {}).setdefault(repo.repo.name, {})[of_commit(entry)] = word[1]
    wide = [at for at in found.values() if len(at) > 1 and all(len(said) >= _STRANDS for said in at.values())]
    wide.sort(key=lambda at: (-len(at), -sum(map(len, at.values()))))
    named = [at for at in wide if set(wide[0]) <= set(at)][:_MOST_THREADS]
    if named:
        names = [alike(Counter(w for said in at.values() for w in said.values()).most_common(1)[0][0]) for at in named]
        commits = dict.fromkeys(next(iter(said)) for at in named for said in at.values())
        text = say("judge.day.threads", repos=series(short_names(repos, named[0])), names=series(names))
        yield Statement("what", text, ("window", *commits))


def _letters(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _is_common(name: str) -> bool:
    """An abbreviation, a type of numbers (`BF16`), a kind of change, hardware, or what everything is built on."""
    return (
        (name.isupper() and name.isalnum())
        or is_kind_word(name)
        or bool(hardware(name))
        or _letters(name) in {_letters(one) for one in field().built_on}
    )


def _areas(entries: Sequence[Entry]) -> Text | None:
    """What readers call the part in which more than half of these changes lie; of few changes none is said."""
    counts = Counter(map(area_of, entries))
    most = next((name for name, n in counts.most_common(1) if n >= _LEAST_IN_AREA and 2 * n > len(entries)), "")
    return area_name(most) if most else None


def _busy(repos: Sequence[RepoReport], kind: Text) -> Text:
    """What kind of day it was, and where."""
    busiest = [alike(name) for name in _busiest(repos)]
    places = sum(any(not entry.change.filtered for entry in repo.entries) for repo in repos)
    if places < 2:
        return say("judge.day.kind_alone", kind=kind)
    if places > len(busiest):
        return say("judge.day.kind", kind=kind, repos=series(busiest))
    return say("judge.day.kind_all", kind=kind, repos=series(busiest))


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

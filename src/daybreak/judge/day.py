"""The day in sentences to be read aloud: a repository's day, the day's summary and its conclusion.

What kind of day it was, what runs through it, what to do. Numbers stand in the head of the page, titles in quotation marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.day import LEVELS, Action
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Kind, Statement, Text
from daybreak.core.profiles import field
from daybreak.core.words import say, term
from daybreak.core.words.grammar import NOTHING, alike, listing, series
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.paths import area
from daybreak.judge.change_kinds import front, is_kind_word, is_quiet, is_revert
from daybreak.judge.exposure import can_be_picked, shows_fault, spared
from daybreak.judge.headline import quoted_title, short_name
from daybreak.judge.message_refs import quoted_title as reverted_title
from daybreak.judge.phrases import uncounted
from daybreak.judge.reach import aside, concerns_few, hardware
from daybreak.judge.robots import is_bump, is_routine
from daybreak.judge.story_outcome import met_by_users, taken_back
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
_MOST_TITLES = 2
_MOST_SENTENCES = 4
_SHORT_TITLE = 60
_MOST_NAMES = 3
_LONGEST_NAME = 60
_TITLE = 90
_MOMENT = "%Y-%m-%d %H:%M"
_PARTS = 3
"""Changes of a series that runs through a day."""
_CHANGED = frozenset({"rejects", "build"})
_REPAIRED = ("security", "corrupts", "crash")
_HANG = "hang"
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
    out.extend(_undone((where,), entries, stories))
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
    parts = [first for repo in repos for first in _series(repo)][:_MOST_TITLES]
    if parts:
        titles = series([quoted_title(entry, _TITLE) for entry in parts])
        out.append(Statement("what", say("judge.day.series", titles=titles), ("window", *map(_commit, parts))))
    return tuple(out[:_MOST_SENTENCES])


def _outstanding(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """How many changes break existing use, as the head of the page counts them, and how many repairs are of faults that a
    release has, and where; the one that is named breaks on hardware that most have, where there is one, and the repair that
    is named is told with that release where readers find it.
    """
    broken = [e for repo in repos for e in repo.entries if e.breaking and not e.change.filtered]
    broken.sort(key=lambda e: (e.importance.level == "low", not _breaks(e), LEVELS.index(e.importance.level)))
    silent = {id(e) for action, e in _acted(repos, actions) if not _says_release(action, e)}
    mended = [e for repo in repos for e in repo.entries if _is_due(e) and id(e) not in silent]
    mended.sort(key=lambda e: LEVELS.index(e.importance.level))
    if broken:
        text = say("judge.day.out_breaks", n=len(broken), repos=series(_whose(repos, broken)), title=_called(broken))
        yield Statement("what", text, ("window", _commit(broken[0])))
    if mended:
        fixes = [e for repo in repos for e in repo.entries if e.kind in _REPAIRS and not e.change.filtered]
        every = all(e in mended or (e.exposure is not None and e.exposure.has is False) for e in fixes)
        least, where = NOTHING if every else say("judge.day.at_least"), series(_whose(repos, mended))
        text = say("judge.day.out_mends", n=len(mended), title=_called(mended), least=least, repos=where)
        yield Statement("what", text, ("window", _commit(mended[0])))


def _called(some: Sequence[Entry]) -> Text:
    """The first of them by its title."""
    return quoted_title(some[0], _SHORT_TITLE)


def _says_release(action: Action, entry: Entry) -> bool:
    """An entry of the screen names the release that has the fault: one that tells of something else does not."""
    return entry.exposure is not None and any(entry.exposure.release in said for said in action.text.values())


_REPAIRS = frozenset({"fix", "security"})


def _is_due(entry: Entry) -> bool:
    """A repair whose fault a release has."""
    ours = not entry.change.filtered and entry.kind in _REPAIRS
    return ours and shows_fault(entry)


def _whose(repos: Sequence[RepoReport], some: Collection[Entry]) -> list[Text]:
    """The repositories of these changes, that of most first."""
    counts = Counter({repo.repo.name: sum(entry in some for entry in repo.entries) for repo in repos})
    return _short(repos, [name for name, n in counts.most_common() if n])


def conclusion(repos: Sequence[RepoReport], actions: Sequence[Action]) -> tuple[Statement, ...]:
    """What to do before an upgrade, which repairs to take, what was taken back, and what could not be handled."""
    if not any(repo.entries or repo.skipped for repo in repos):
        return ()
    risks: list[Statement] = []
    for repo in repos:
        risks.extend(_undone((f"repo:{repo.repo.name}",), repo.entries, repo.stories))
    risks = risks[:1]
    if any(repo.skipped for repo in repos) or any(e.change.skipped for repo in repos for e in repo.entries):
        risks.append(Statement("risk", say("judge.day.lost"), ("window",)))
    return (*list(_to_do(repos, actions))[: _MOST_SENTENCES - len(risks)], *risks)


# --- what to do -------------------------------------------------------------------------------------------------------


def _to_do(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    first = dict.fromkeys((*(action.repo for action in actions), *(repo.repo.name for repo in repos)))
    broken = {repo.repo.name for repo in repos if any(map(_breaks, repo.entries))}
    settle, found = _short(repos, [name for name in first if name in broken]), _named(repos, actions, "breaks")
    titled = [e for _, e in _acted(repos, [one for one in actions if one.tag == "breaks"]) if _breaks(e)][:1]
    if settle and (found or titled):  # without a name it would say nothing to be done
        names = listing(map(uncounted, found), _MOST_NAMES) if found else quoted_title(titled[0], _SHORT_TITLE)
        text = say("judge.day.settle_names", repos=series(settle), names=names)
        shown = [f"finding:{f.id}" for f in found] or [_commit(titled[0])]
        yield Statement("action", text, ("window", *shown), "compatibility")
    follow = _repos_of(repos, actions, _CHANGED)
    if follow and not (settle and (found or titled)):
        yield Statement("action", say("judge.day.follow", repos=series(follow)), ("window",), "compatibility")
    taken = list(_taken(repos, actions))
    yield from taken
    yield from _altered(repos, actions)
    broke = any(e.breaking and not e.change.filtered for repo in repos for e in repo.entries)  # on whatever hardware
    if broke or taken or any(action.tag for action in actions):
        yield from _waits(repos, actions)
    elif any(repo.entries for repo in repos):
        yield Statement("what", say("judge.day.nothing_to_do"), ("window",))


def _altered(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """Whose default is another, and what plug-ins and forks have to follow."""
    if turned := _acted(repos, [action for action in actions if action.tag == "default"]):
        where, first = series(_repos_of(repos, actions, ("default",))), turned[0][1]
        text = say("judge.day.defaults", repos=where, title=quoted_title(first, _SHORT_TITLE))
        yield Statement("action", text, ("window", _commit(first)), "compatibility")
    if forked := _repos_of(repos, actions, ("fork",)):
        found = _named(repos, actions, "fork")
        text = say("judge.day.forks", repos=series(forked))
        if found:
            names = listing(map(uncounted, found), _MOST_NAMES)
            text = say("judge.day.forks_names", repos=series(forked), names=names)
        yield Statement("action", text, ("window", *(f"finding:{f.id}" for f in found)), "compatibility")


def _taken(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """The repairs to take, the grave ones or else others: of those of which a release has the fault, and on which they apply, the first
    by its title, with the release. Where that is not known of any, the grave ones are to be looked at, and no other.
    """
    grave = [action for action in actions if action.tag in _REPAIRED]
    grave.sort(key=lambda action: any(_ends(entry) for _, entry in _acted(repos, [action])))
    some = grave or [action for action in actions if action.tag == "fix"]
    acted = _acted(repos, some)
    if not acted:
        return
    due = [one for one in acted if _is_due(one[1]) and can_be_picked(one[1])]
    if not due and not grave:
        return
    told, first = due or acted, (due or acted)[0][1]
    title = quoted_title(first, _SHORT_TITLE)
    where = series(_repos_of(repos, [action for action, _ in told], (*_REPAIRED, "fix")))
    if grave:
        shown = {_repaired(action, entry) for action, entry in told}
        kinds = series([term("judge.repairs", kind) for kind in (*_REPAIRED, _HANG) if kind in shown])
        text = say("judge.day.look", repos=where, kinds=kinds, title=title)
        if due:
            text = say("judge.day.take", repos=where, kinds=kinds, title=title)
    else:
        text = say("judge.day.take_other", repos=where, title=title)
    if first.exposure is not None and shows_fault(first):
        text = say("judge.day.have", text=text, tag=first.exposure.release)
    yield Statement("action", text, ("window", _commit(first)))


def _ends(entry: Entry) -> bool:
    """Its title speaks of the end of a run, when all requests were answered."""
    return _AT_EXIT.search(entry.change.subject[:400]) is not None


_AT_EXIT = re.compile(
    r"\b(?:shut-?down|at ?exit|on exit|teardown|tear down|clean-?up|destroy\w{0,3}|interpreter exit)\b", re.IGNORECASE
)


def _waits(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """Where all else that was put right no release has; else that what is not told above waits for an upgrade."""
    above = {(action.repo, sha) for action in actions for sha in action.commits}
    where = [repo for repo in repos if _is_spared(repo, above)]
    below = [
        e
        for repo in repos
        for e in repo.entries
        if e.importance.level != "low" and (repo.repo.name, e.change.sha) not in above
    ]
    due = [e for r in repos for e in r.entries if _is_due(e) and (r.repo.name, e.change.sha) not in above]
    if where:
        fixes = [e for repo in where for e in _fixes_below(repo, above)]
        names = series(_short(repos, [repo.repo.name for repo in where]))
        text = say("judge.day.spared", repos=names, titles=_first_titles(fixes))
        yield Statement("what", text, ("window", *map(_commit, fixes[:_MOST_TITLES])))
    if due:
        text = say("judge.day.rest_due", n=len(due), repos=series(_whose(repos, due)), titles=_first_titles(due))
        yield Statement("what", text, ("window", *map(_commit, due[:_MOST_TITLES])))
    elif below and not where:
        yield Statement("what", say("judge.day.rest"), ("window",))


def _is_spared(repo: RepoReport, above: Container[tuple[str, str]]) -> bool:
    """No release has what was put right here and is not told above; of one that may, nothing is said."""
    fixes = _fixes_below(repo, above)
    return bool(fixes) and all(map(spared, fixes))


def _fixes_below(repo: RepoReport, above: Container[tuple[str, str]]) -> list[Entry]:
    return [e for e in repo.entries if e.kind == "fix" and (repo.repo.name, e.change.sha) not in above]


def _first_titles(some: Sequence[Entry]) -> Text:
    """The first of them by their titles; that there are more is said without a number."""
    return series([quoted_title(entry, _SHORT_TITLE) for entry in some], _MOST_TITLES)


def _acted(repos: Sequence[RepoReport], actions: Sequence[Action]) -> list[tuple[Action, Entry]]:
    """Entries of the screen, each with the change that it is about."""
    by_name = {repo.repo.name: repo for repo in repos}
    some = (action for action in actions if action.repo in by_name)
    return [(action, entry) for action in some if (entry := by_name[action.repo].find(action.commits[0])) is not None]


def _breaks(entry: Entry) -> bool:
    """It breaks existing use of a release on hardware that most have."""
    if not entry.breaking or entry.change.filtered or (entry.exposure is not None and entry.exposure.never):
        return False
    found = aside(entry.change, [f for f in entry.reading.findings if f.breaking])
    return found is None or found.why not in ("elsewhere", "not_yours")


def _named(repos: Sequence[RepoReport], actions: Sequence[Action], tag: str) -> list[Finding]:
    """What the first entries of a tag tell of, one of each."""
    out, breaks = list[Finding](), tag == "breaks"
    for action, entry in _acted(repos, [action for action in actions if action.tag == tag]):
        if not breaks or _breaks(entry):
            short = (f for f in entry.reading.findings if len(f.symbol) <= _LONGEST_NAME)
            # what came with the change nobody uses yet
            own = {f.id: f for f in short if kind_of(f.kind).change != "added" and (f.breaking or not breaks)}
            out.extend([own[name] for name in action.findings if name in own][:1])
    return out[:_MOST_NAMES]


def _repaired(action: Action, entry: Entry) -> str:
    """What a repair repairs: its tag, but that which hung did not crash."""
    hung = any(reason.code == _HANG for reason in entry.importance.reasons)
    return _HANG if hung and action.tag == "crash" else action.tag


def _repos_of(repos: Sequence[RepoReport], actions: Sequence[Action], tags: Collection[str]) -> list[Text]:
    return _short(repos, dict.fromkeys(action.repo for action in actions if action.tag in tags))


def _short(repos: Sequence[RepoReport], some: Iterable[str]) -> list[Text]:
    names = [repo.repo.name for repo in repos]
    return [alike(short_name(name, names)) for name in some]


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
        if entry is not None and not is_quiet(entry.change, entry.reading):
            known = not is_revert(entry.change.subject) or reverted_title(entry.change)
            title = quoted_title(entry, _TITLE)
            text = say("judge.day.undone", title=title) if known else say("judge.day.undone_by", title=title)
            yield Statement("risk", text, (*where, f"story:{story.id}", _commit(entry)))


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
                    found.setdefault(word[0], {}).setdefault(repo.repo.name, {})[_commit(entry)] = word[1]
    wide = [at for at in found.values() if len(at) > 1 and all(len(said) >= _STRANDS for said in at.values())]
    wide.sort(key=lambda at: (-len(at), -sum(map(len, at.values()))))
    named = [at for at in wide if set(wide[0]) <= set(at)][:_MOST_THREADS]
    if named:
        names = [alike(Counter(w for said in at.values() for w in said.values()).most_common(1)[0][0]) for at in named]
        commits = dict.fromkeys(next(iter(said)) for at in named for said in at.values())
        text = say("judge.day.threads", repos=series(_short(repos, named[0])), names=series(names))
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


def _commit(entry: Entry) -> str:
    return f"commit:{entry.change.sha}"

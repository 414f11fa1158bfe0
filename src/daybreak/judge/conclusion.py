"""The conclusion of a day: what to deal with before an upgrade, which repairs to take, what can wait, what was taken back."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterator, Sequence

from daybreak.core.model.day import Action
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, code, listing, series
from daybreak.findings.kinds import kind_of
from daybreak.judge.day_changes import (
    MOST_SENTENCES,
    MOST_TITLES,
    SHORT_TITLE,
    acted,
    breaks_users,
    is_due,
    of_commit,
    short_names,
    undone,
    whose,
)
from daybreak.judge.exposure import can_be_picked, shows_fault, spared
from daybreak.judge.headline import quoted_title
from daybreak.judge.phrases import uncounted

_MOST_NAMES = 3
_LONGEST_NAME = 60
_CHANGED = frozenset({"rejects", "build"})
_REPAIRED = ("security", "corrupts", "crash")
_HANG = "hang"


def conclusion(repos: Sequence[RepoReport], actions: Sequence[Action]) -> tuple[Statement, ...]:
    """What to do before an upgrade, which repairs to take, what was taken back, and what could not be handled."""
    if not any(repo.entries or repo.skipped for repo in repos):
        return ()
    risks: list[Statement] = []
    for repo in repos:
        risks.extend(undone((f"repo:{repo.repo.name}",), repo.entries, repo.stories))
    risks = risks[:1]
    if any(repo.skipped for repo in repos) or any(e.change.skipped for repo in repos for e in repo.entries):
        risks.append(Statement("risk", say("judge.day.lost"), ("window",)))
    return (*list(_to_do(repos, actions))[: MOST_SENTENCES - len(risks)], *risks)


# --- what to do -------------------------------------------------------------------------------------------------------


def _to_do(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    settled = list(_settled(repos, actions))
    yield from settled
    if follow := _repos_of(repos, actions, _CHANGED) if not settled else []:
        yield Statement("action", say("judge.day.follow", repos=series(follow)), ("window",), "compatibility")
    taken = list(_taken(repos, actions))
    yield from taken
    yield from _altered(repos, actions, bool(settled))
    broke = any(e.breaking and not e.change.filtered for repo in repos for e in repo.entries)  # on whatever hardware
    if broke or taken or any(action.tag for action in actions):
        yield from _waits(repos, actions)
    elif any(repo.entries for repo in repos):
        yield Statement("what", say("judge.day.nothing_to_do"), ("window",))


def _settled(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """What breaks, and what is another default beside it, each as the screen has them: by the name that its entry tells of, or else by
    its title. Models that go are one of them.
    """
    met = [(a, e) for a, e in acted(repos, [a for a in actions if a.tag in ("breaks", "default")]) if _is_met(a, e)]
    if not any(action.tag == "breaks" for action, _ in met):
        return  # without a name it would say nothing to be done
    items, models, shown = list[Text](), list[str](), list[str]()
    for action, entry in met:
        found = _found(action, entry)
        if found is not None and kind_of(found.kind).surface == "models":
            models.append(uncounted(found))
            if len(models) > 1:
                shown.append(f"finding:{found.id}")
                continue
        items.append(alike(code(uncounted(found))) if found is not None else quoted_title(entry, SHORT_TITLE))
        shown.append(f"finding:{found.id}" if found is not None else of_commit(entry))
    if len(models) > 1:
        at = items.index(alike(code(models[0])))
        items[at] = say("judge.day.models", names=listing(models, _MOST_NAMES))
    broken = {repo.repo.name for repo in repos if any(map(breaks_users, repo.entries))}
    whose_all = dict.fromkeys((*(action.repo for action in actions), *(repo.repo.name for repo in repos)))
    there = {action.repo for action, _ in met} | broken
    where = series(short_names(repos, [name for name in whose_all if name in there]))
    text = say("judge.day.settle_names", repos=where, names=series(items, _MOST_NAMES))
    yield Statement("action", text, ("window", *dict.fromkeys(shown)), "compatibility")


def _is_met(action: Action, entry: Entry) -> bool:
    """Those who run a release meet it."""
    return breaks_users(entry) if action.tag == "breaks" else entry.exposure is None or not entry.exposure.never


def _altered(repos: Sequence[RepoReport], actions: Sequence[Action], told: bool) -> Iterator[Statement]:
    """Whose default is another, where that is not told already, and what plug-ins and forks have to follow."""
    turned = [] if told else acted(repos, [action for action in actions if action.tag == "default"])
    if turned:
        where, first = series(_repos_of(repos, actions, ("default",))), [entry for _, entry in turned][:_MOST_NAMES]
        text = say("judge.day.defaults", repos=where, title=series([quoted_title(one, SHORT_TITLE) for one in first]))
        yield Statement("action", text, ("window", *map(of_commit, first)), "compatibility")
    if forked := _repos_of(repos, actions, ("fork",)):
        found = [f for a, e in acted(repos, [a for a in actions if a.tag == "fork"]) if (f := _found(a, e))]
        text = say("judge.day.forks", repos=series(forked))
        if found := found[:_MOST_NAMES]:
            names = listing(map(uncounted, found), _MOST_NAMES)
            text = say("judge.day.forks_names", repos=series(forked), names=names)
        yield Statement("action", text, ("window", *(f"finding:{f.id}" for f in found)), "compatibility")


def _taken(repos: Sequence[RepoReport], actions: Sequence[Action]) -> Iterator[Statement]:
    """The repairs to take, the grave ones before others: all of which a release has the fault and on which they apply, by their titles,
    with the release. Where that is not known of any grave one, these are to be looked at.
    """
    grave = [action for action in actions if action.tag in _REPAIRED]
    grave.sort(key=lambda action: any(_ends(entry) for _, entry in acted(repos, [action])))
    first = _due(acted(repos, grave))[:_MOST_NAMES]
    then = _due(acted(repos, [action for action in actions if action.tag == "fix"]))[: _MOST_NAMES - len(first)]
    if shown := first or acted(repos, grave):
        kinds = {_repaired(action, entry) for action, entry in shown}
        of = series([term("judge.repairs", kind) for kind in (*_REPAIRED, _HANG) if kind in kinds])
        named = first or shown[:1]
        title = _titles(named)
        if first and then:
            title, named = say("judge.day.then", first=title, then=_titles(then)), [*first, *then]
        where = _where(repos, [*shown, *(then if first else ())])
        if first:
            text = say("judge.day.take", repos=where, kinds=of, title=title)
        else:
            text = say("judge.day.look", repos=where, kinds=of, title=title)
        yield _with_release(text, named)
    if then and not first:
        yield _with_release(say("judge.day.take_other", repos=_where(repos, then), title=_titles(then)), then)


Acted = Sequence[tuple[Action, Entry]]


def _due(some: Acted) -> list[tuple[Action, Entry]]:
    return [one for one in some if is_due(one[1]) and can_be_picked(one[1])]


def _titles(some: Acted) -> Text:
    return series([quoted_title(entry, SHORT_TITLE) for _, entry in some])


def _where(repos: Sequence[RepoReport], some: Acted) -> Text:
    return series(short_names(repos, dict.fromkeys(action.repo for action, _ in some)))


def _with_release(text: Text, some: Acted) -> Statement:
    """Which releases have what these put right."""
    had = [entry.exposure.release for _, entry in some if entry.exposure is not None and shows_fault(entry)]
    if had and len(some) > 1:
        text = say("judge.day.have_all", text=text, tags=listing(had), n=len(set(had)))
    elif had:
        text = say("judge.day.have", text=text, tag=had[0])
    return Statement("action", text, ("window", *(of_commit(entry) for _, entry in some)))


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
    due = [e for r in repos for e in r.entries if is_due(e) and (r.repo.name, e.change.sha) not in above]
    if where:
        fixes = [e for repo in where for e in _fixes_below(repo, above)]
        names = series(short_names(repos, [repo.repo.name for repo in where]))
        text = say("judge.day.spared", repos=names, titles=_first_titles(fixes))
        yield Statement("what", text, ("window", *map(of_commit, fixes[:MOST_TITLES])))
    if due:
        text = say("judge.day.rest_due", n=len(due), repos=series(whose(repos, due)), titles=_first_titles(due))
        yield Statement("what", text, ("window", *map(of_commit, due[:MOST_TITLES])))
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
    return series([quoted_title(entry, SHORT_TITLE) for entry in some], MOST_TITLES)


def _found(action: Action, entry: Entry) -> Finding | None:
    """What an entry of the screen tells of, by a name that somebody uses: what came with the change nobody uses yet."""
    short = (f for f in entry.reading.findings if len(f.symbol) <= _LONGEST_NAME and kind_of(f.kind).change != "added")
    own = {f.id: f for f in short if f.breaking or action.tag != "breaks"}
    return next((own[name] for name in action.findings if name in own), None)


def _repaired(action: Action, entry: Entry) -> str:
    """What a repair repairs: its tag, but that which hung did not crash."""
    hung = any(reason.code == _HANG for reason in entry.importance.reasons)
    return _HANG if hung and action.tag == "crash" else action.tag


def _repos_of(repos: Sequence[RepoReport], actions: Sequence[Action], tags: Collection[str]) -> list[Text]:
    return short_names(repos, dict.fromkeys(action.repo for action in actions if action.tag in tags))

"""The repository's assessment, and the day's summary and conclusion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from daybreak.core.model.findings import Area, Finding
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Kind, Level, Statement, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import NOTHING, alike, code, joined
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import is_front
from daybreak.judge.message_refs import title
from daybreak.judge.robots import is_routine
from daybreak.judge.story_outcome import taken_back
from daybreak.judge.urgency import concerns_few
from daybreak.judge.vocabulary import is_core

# --- Counts over entries: the numbers that assessments, summaries and conclusions state ---


UNSEEN: frozenset[Area] = frozenset({"ci", "test", "docs"})
"""Areas that reach no user: a change within them is counted, not told."""

LEVELS: tuple[Level, ...] = ("high", "medium", "low")


class Tally(Struct, frozen=True):
    """Numbers of one repository's day, or of all."""

    commits: int
    levels: dict[Level, int]
    kinds: tuple[tuple[Kind, int], ...]
    breaking: int
    unseen: int
    unread: int

    def levels_text(self) -> Text:
        """How many of each level, in words."""
        return say("judge.tally.levels", high=self.levels["high"], medium=self.levels["medium"], low=self.levels["low"])

    def kinds_text(self) -> Text:
        """How many of each kind, in words."""
        return joined((say("judge.tally.kind", kind=term("judge.kind", kind), n=n) for kind, n in self.kinds), "list")


def unseen(entry: Entry) -> bool:
    """Touches nothing but CI, tests, docs and examples."""
    return bool(entry.reading.areas) and set(entry.reading.areas) <= UNSEEN


def tally(entries: Iterable[Entry]) -> Tally:
    """Count some entries."""
    found = list(entries)
    levels = Counter(e.importance.level for e in found)
    kinds = Counter(e.kind for e in found)
    return Tally(
        commits=len(found),
        levels={level: levels[level] for level in LEVELS},
        kinds=tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        breaking=sum(e.breaking for e in found),
        unseen=sum(map(unseen, found)),
        unread=sum(e.change.skipped is not None for e in found),
    )


_SUMMARY_REPOS = 4
_NAMED = 2


def assessment(
    name: str, entries: Sequence[Entry], stories: Sequence[Story], late: Sequence[Entry]
) -> tuple[Statement, ...]:
    """The repository's day in a few sentences: counts, what to handle first, robots' bumps, what was taken back."""
    if not entries and not late:
        return ()
    where = f"repo:{name}"
    out = []
    if entries:
        t = tally(entries)
        text = say("judge.day.counts", n=t.commits, kinds=t.kinds_text(), levels=t.levels_text())
        out.append(Statement("what", text, (where,)))
        out.extend(_first(where, entries, t))
    routine = sum(is_routine(entry.change, entry.reading) for entry in entries)
    if routine:
        out.append(Statement("what", say("judge.day.robots", n=routine), (where,)))
    undone = taken_back(stories)
    if undone:
        text = say("judge.day.undone", n=len(undone))
        out.append(Statement("risk", text, (where, *(f"story:{s.id}" for s in undone))))
    if late:
        text = say("judge.day.late", n=len(late))
        out.append(Statement("what", text, (where,)))
    return tuple(out)


def _first(where: str, entries: Sequence[Entry], t: Tally) -> Iterator[Statement]:
    """What to handle before an upgrade."""
    breaking = sorted((e for e in entries if e.breaking), key=lambda e: -e.importance.score)
    if not breaking:
        return
    first = breaking[0].change
    text = say("judge.day.breaking", n=t.breaking, title=title(first))
    yield Statement("action", text, (where, f"commit:{first.sha}"), "compatibility")


def summary(repos: Sequence[RepoReport]) -> tuple[Statement, ...]:
    """A line per repository with the most to tell, the rest together, then what no user sees."""
    active = [r for r in repos if r.entries]
    ranked = sorted(active, key=lambda r: (-max(e.importance.score for e in r.entries), r.repo.name))
    out = [_line(r) for r in ranked[:_SUMMARY_REPOS]]
    rest = ranked[_SUMMARY_REPOS:]
    if rest:
        count = sum(len(r.entries) for r in rest)
        text = say("judge.day.others", repos=len(rest), n=count)
        out.append(Statement("what", text, ("window", *(f"repo:{r.repo.name}" for r in rest))))
    t = tally(e for r in repos for e in r.entries)
    if t.unseen:
        out.append(Statement("what", say("judge.day.unseen", n=t.unseen), ("window",)))
    return tuple(out)


def _line(repo: RepoReport) -> Statement:
    """Counts of one repository and the one or two changes that its users meet first."""
    t = tally(repo.entries)
    told = [e for e in repo.entries if e.importance.level != "low" and not e.change.filtered]
    top = sorted(told, key=lambda e: (_met_by(e), -e.importance.score, e.change.sha))[:_NAMED]
    titles = joined((alike(code(title(e.change))) for e in top), "semicolon")
    above_all = say("judge.day.above_all", titles=titles) if top else NOTHING
    text = say("judge.day.repo", repo=repo.repo.name, n=t.commits, levels=t.levels_text(), above_all=above_all)
    return Statement("what", text, (f"repo:{repo.repo.name}", *(f"commit:{e.change.sha}" for e in top)))


def _met_by(entry: Entry) -> int:
    """What whoever upgrades meets before what they may try; what concerns the users of one platform last."""
    if concerns_few(entry.change):
        return 2
    return 0 if entry.breaking or any(map(_moves_core, entry.reading.findings)) else 1


_REQUIRED = frozenset({"dependency", "toolchain_required", "python_required"})


def _moves_core(finding: Finding) -> bool:
    """Another version of what a user must install; what only an image is built with is not that."""
    kind = kind_of(finding.kind)
    if kind.family not in _REQUIRED or kind.change != "changed" or not is_front(finding.path):
        return False
    return kind.family != "dependency" or is_core(finding.symbol)


def conclusion(repos: Sequence[RepoReport]) -> tuple[Statement, ...]:
    """The state at the end of the window: breaks, what was taken back, what could not be handled."""
    t = tally(e for r in repos for e in r.entries)
    out = [_breaks(t)] if t.commits else []
    undone = [s for r in repos for s in taken_back(r.stories)]
    if undone:
        text = say("judge.day.reverted", n=len(undone))
        out.append(Statement("risk", text, ("window", *(f"story:{s.id}" for s in undone))))
    lost = sum(len(r.skipped) for r in repos) + t.unread
    if lost:
        out.append(Statement("risk", say("judge.day.lost", n=lost), ("window",)))
    return tuple(out)


def _breaks(t: Tally) -> Statement:
    if t.breaking:
        text = say("judge.day.breaks", n=t.commits, breaking=t.breaking)
        return Statement("action", text, ("window",), "compatibility")
    return Statement("what", say("judge.day.breaks_nothing", n=t.commits), ("window",))

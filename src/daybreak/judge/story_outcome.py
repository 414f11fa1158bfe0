"""What a story says: the state at the end of the window."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Area
from daybreak.core.model.report import RepoReport, Story
from daybreak.core.model.statements import Statement, Text
from daybreak.core.words import say
from daybreak.core.words.grammar import NOTHING, alike, joined, listing
from daybreak.core.words.inline import code
from daybreak.judge.message_refs import title
from daybreak.judge.places import front
from daybreak.judge.reverts import Chain
from daybreak.judge.series import Part

_SHOWN = "%Y-%m-%d %H:%M"
_RUN: frozenset[Area] = frozenset({"code", "api", "kernel"})


def broken_statement(story: Story) -> Statement | None:
    """What the report must say first: a change of an earlier day was at fault until this window mended it."""
    if story.broken is None or story.commits[0] not in story.earlier:
        return None
    start, end = (alike(moment.strftime(_SHOWN)) for moment in story.broken)
    text = say("judge.story.broken", start=start, end=end, net=story.net)
    return Statement("risk", text, (f"story:{story.id}",))


def met_by_users(story: Story, repo: RepoReport) -> bool:
    """What was mended is code that users run: a builder of wheels, a workflow or a test was at fault for nobody else."""
    mended = (entry for sha in story.commits[1:] if (entry := repo.find(sha)) is not None)
    return any(front(entry.change) and set(entry.reading.areas) & _RUN for entry in mended)


def came_and_went(story: Story) -> bool:
    """It landed and was taken back within one report: whoever upgrades over it meets nothing."""
    return story.kind == "revert" and len(story.commits) > 1 and not story.earlier


def _name(change: Change) -> str:
    """Its number, which the line beside it links; its title when it has none."""
    return f"#{change.pr}" if change.pr else title(change)


def _after(first: Change, last: Change) -> Text:
    """How long after: days and hours from two on, minutes below; nothing when the clock ran backwards."""
    minutes = round((last.committed_at - first.committed_at).total_seconds() / 60)
    if minutes < 1:
        return say("judge.story.later")
    if minutes >= 48 * 60:
        return say("judge.story.later_days", n=minutes // 1440)
    if minutes >= 120:
        return say("judge.story.later_hours", n=minutes // 60)
    return say("judge.story.later_minutes", n=minutes)


def of_chain(chain: Chain) -> Text:
    titles, count = listing((title(c) for c in chain.roots), 3), len(chain.roots)
    if chain.stands:
        return say("judge.story.relanded", titles=titles, n=count, back=_name(chain.back_by))
    later = _after(chain.roots[-1], chain.undone_by)
    if chain.opposite:
        return say("judge.story.opposite", titles=titles, n=count, later=later)
    return say("judge.story.undone", titles=titles, n=count, later=later)


def repaired(first: Change, fixes: Sequence[Change], lines: int) -> Text:
    one, two, later = title(first), title(fixes[0]), _after(first, fixes[0])
    names = joined((alike(code(_name(c))) for c in fixes[1:]), "list")
    again = say("judge.story.again", names=names) if fixes[1:] else NOTHING
    if lines:
        return say("judge.story.repaired_lines", first=one, fix=two, later=later, n=lines, again=again)
    return say("judge.story.repaired", first=one, fix=two, later=later, again=again)


def followed(first: Change, later: Sequence[Change]) -> Text:
    titles = listing((title(c) for c in later), 3)
    return say("judge.story.follows", titles=titles, n=len(later), first=title(first))


def of_series(name: str, parts: Sequence[Part], now: Sequence[Part]) -> Text:
    earlier, total = [p for p in parts if p not in now], parts[0].total
    before = say("judge.story.series_before", parts=listing(map(_label, earlier), 8)) if earlier else NOTHING
    whole = total.isdigit() and len(parts) == int(total)
    complete = say("judge.story.series_complete") if whole else NOTHING
    return say("judge.story.series", name=name, parts=listing(map(_label, now), 8), before=before, complete=complete)


def _label(part: Part) -> str:
    if part.sign == "of":
        return f"{part.number}/{part.total}"
    return f"{part.sign} {part.number}" + (f"/{part.total}" if part.total else "")


def of_stack(group: Sequence[Change]) -> Text:
    return say("judge.story.stack", pulls=listing((f"#{c.pr}" for c in group), 8))


def of_rfc(number: int) -> Text:
    return say("judge.story.rfc", rfc=f"RFC #{number}")


def moved(symbol: str, before: str, after: str) -> Text:
    return say("judge.story.moved", name=symbol, before=before, after=after)


def taken(name: str, version: str, count: int) -> Text:
    return say("judge.story.taken", what=f"{name} {version}", n=count)


def picked(first: Change, change: Change) -> Text:
    return say("judge.story.picked", title=title(change), first=_name(first))


def ported(change: Change, source: str) -> Text:
    return say("judge.story.ported", title=title(change), source=source)

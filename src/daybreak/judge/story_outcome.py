"""What a story says: the state at the end of the window."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice, pairwise

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Area
from daybreak.core.model.report import RepoReport, Story
from daybreak.core.model.statements import Text
from daybreak.core.windows import elapsed
from daybreak.core.words import say
from daybreak.core.words.grammar import NOTHING, alike, code, joined, listing
from daybreak.judge.change_kinds import MAX_SUBJECT, bare, front, is_revert, undoes
from daybreak.judge.hazards import hazard
from daybreak.judge.line_ties import LineIndex, inverse, mostly_undone, redone, wholly_undone
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.message_refs import Index, is_fix, lands_again, quoted_title, reverted, title
from daybreak.judge.series import Part

# --- Chains of a change, its revert and its re-land, over days ---


_RECENT = timedelta(days=15)


@dataclass(slots=True)
class Chain:
    """One event: what was taken back, by what, and what brought it back."""

    roots: tuple[Change, ...]
    steps: list[tuple[Change, bool]] = field(default_factory=list)
    """Each later change, and whether the original stands on the branch after it."""

    @property
    def changes(self) -> list[Change]:
        return [*self.roots, *(c for c, _ in self.steps)]

    @property
    def stands(self) -> bool:
        return self.steps[-1][1]

    @property
    def undone_by(self) -> Change:
        """The last change that took it back."""
        return next(c for c, stands in reversed(self.steps) if not stands)

    @property
    def back_by(self) -> Change:
        """The last change that brought it back."""
        return next(c for c, stands in reversed(self.steps) if stands)

    @property
    def landed_by(self) -> Change:
        """What had last brought it before it was taken back for the last time: of what landed again, that landing."""
        return self.changes[self.changes.index(self.undone_by) - 1]

    @property
    def recent(self) -> bool:
        """It was taken back within days: older code that goes was not a fault of main all that time."""
        return elapsed(self.landed_by.committed_at, self.undone_by.committed_at) <= _RECENT

    @property
    def opposite(self) -> bool:
        """Nothing of it is left: each step undoes the one before it line for line."""
        return not self.stands and len(self.roots) == 1 and all(inverse(a, b) for a, b in pairwise(self.changes))

    @property
    def blameless(self) -> bool:
        """It came back line for line: nothing in it was at fault."""
        return self.stands and inverse(self.undone_by, self.back_by)

    def cancels(self, window: Collection[str]) -> bool:
        """What the window's changes leave of it is what was there before them."""
        if self.roots[-1].sha in window:
            return not self.stands
        before = [stands for change, stands in self.steps if change.sha not in window]
        return self.stands == (before[-1] if before else True)


_MOST = 0.5


def chains(index: Index, lines: LineIndex, standing: Mapping[str, float]) -> list[Chain]:
    """All chains among the known changes, oldest first; what messages say counts as far as the lines bear it out, and
    at the end as far as the tree does (`standing`: how much of a revert is there).
    """
    out: list[Chain] = []
    home: dict[str, Chain] = {}
    for change in index.all:
        targets = tuple(t for t in reverted(change, index) if mostly_undone(t, change, lines)) or _opposite(
            change, index
        )
        if targets:
            chain = next((home[t.sha] for t in targets if t.sha in home), None)
            if chain is None:
                chain = Chain(targets)
                out.append(chain)
            # A revert of the revert brings the original back; one of the re-land takes it away.
            chain.steps.append((change, not _stood_at(chain, targets[-1])))
        else:
            chain = next((c for c in out if not c.stands and _lands_again(c, change, index, lines)), None)
            if chain is not None:
                chain.steps.append((change, True))
        if chain is not None:
            home |= {c.sha: chain for c in chain.changes}
    return [chain for chain in out if _settled(chain, standing)]


def _opposite(change: Change, index: Index) -> tuple[Change, ...]:
    """The last change that a revert undoes line for line, whatever its message names; of the window's, any change."""
    before = reversed(index.all[: index.place[change.sha]])
    if is_revert(change.subject):
        return tuple(islice((one for one in before if inverse(one, change)), 1))
    if change.sha not in index.window or is_fix(change):  # what a fix takes away it repairs
        return ()
    return tuple(islice((one for one in before if one.sha in index.window and wholly_undone(one, change)), 1))


def _settled(chain: Chain, standing: Mapping[str, float]) -> bool:
    """Whether the tree bears out what is told; what it does not show to be back counts as gone."""
    share = standing.get(chain.undone_by.sha)
    if share is None:
        return True
    if not chain.stands:
        return share >= _MOST
    while share >= _MOST and chain.stands:
        chain.steps.pop()
    return True


def _stood_at(chain: Chain, target: Change) -> bool:
    return next((stands for c, stands in chain.steps if c.sha == target.sha), True)


def _lands_again(chain: Chain, change: Change, index: Index, lines: LineIndex) -> bool:
    if quoted_title(change):
        return False
    said = lands_again(change, title(chain.roots[0]), chain.changes, index)
    return (said and mostly_undone(chain.undone_by, change, lines)) or redone(chain.undone_by, change, lines)


_RUN: frozenset[Area] = frozenset({"code", "api", "kernel"})


def met_by_users(story: Story, repo: RepoReport) -> bool:
    """What was mended is code that users run: a builder of wheels, a workflow or a test was at fault for nobody else."""
    mended = (entry for sha in story.commits[1:] if (entry := repo.find(sha)) is not None)
    return any(front(entry.change) and set(entry.reading.areas) & _RUN for entry in mended)


def taken_back(stories: Iterable[Story]) -> list[Story]:
    """Those that leave a change reverted which stood before the window."""
    return [story for story in stories if story.kind == "revert" and not story.cancels]


def settled(stories: Iterable[Story]) -> frozenset[str]:
    """Changes that ask for nothing by themselves: all of a story that cancels out, and all but the last of one of which
    only the end counts.
    """
    netted = (story for story in stories if story.kind in ("revert", "reland"))
    return frozenset(sha for story in netted for sha in (story.commits if story.cancels else story.commits[:-1]))


def _name(change: Change) -> str:
    """Its number, which the line beside it links; its title when it has none."""
    return f"#{change.pr}" if change.pr else title(change)


def _after(first: Change, last: Change) -> Text:
    """How long after: days and hours from two on, minutes below; nothing when the clock ran backwards."""
    # By the clock that does not jump: Python subtracts times of one zone as its walls show them.
    minutes = round(elapsed(first.committed_at, last.committed_at).total_seconds() / 60)
    if minutes < 1:
        return say("judge.story.later")
    if minutes >= 48 * 60:
        return say("judge.story.later_days", n=minutes // 1440)
    if minutes >= 120:
        return say("judge.story.later_hours", n=minutes // 60)
    return say("judge.story.later_minutes", n=minutes)


def of_chain(chain: Chain, nothing: bool, lost: tuple[str, str] | None = None, after: Sequence[Change] = ()) -> Text:
    """`nothing`: what the window's changes leave of it is what was there before. `lost`: a name that it called, and the
    change that had taken that away. `after`: changes of the window that came later.
    """
    titles, count = listing((title(c) for c in chain.roots), 3), len(chain.roots)
    if chain.stands:
        return say("judge.story.relanded", titles=titles, n=count, back=_name(chain.back_by))
    later = _after(chain.landed_by, chain.undone_by)
    if nothing and chain.opposite:
        names = joined((alike(code(_name(c))) for c in chain.changes), "list")
        paths = {file.path for file in chain.undone_by.files}
        then = next((c for c in after if any(file.path in paths for file in c.files)), None)
        text = say("judge.story.opposite", titles=titles, n=count, later=later, names=names)
        if then is not None:
            named = alike(code(_name(then)))
            text = say("judge.story.opposite_then", titles=titles, n=count, later=later, names=names, next=named)
    else:
        text = say("judge.story.undone", titles=titles, n=count, later=later)
    if lost:
        return called_lost(text, *lost)
    return unmended(chain.roots, unexplained(chain.undone_by, text))


def called_lost(text: Text, name: str, cause: str) -> Text:
    """Why a revert was due, as the tree shows it: what it takes away called what nobody defines."""
    return say("judge.story.called_lost", text=text, name=name, cause=cause)


def unexplained(revert: Change, text: Text) -> Text:
    """That a revert says nothing of why: nobody is told of a fault then."""
    given = not is_revert(revert.subject) or is_explained(revert)
    return text if given else say("judge.story.unexplained", text=text)


def unmended(roots: Iterable[Change], text: Text) -> Text:
    """Of fixes that are taken back, that they came as such: whether the fault is back, or the fix was one, no diff shows.

    Of a revert that quotes no title nobody knows what came; its own words say only why it goes.
    """
    known = (one for one in roots if not is_revert(one.subject) or quoted_title(one) is not None)
    return say("judge.story.unmended", text=text) if any(map(is_fix, known)) else text


def repaired(first: Change, fixes: Sequence[Change], lines: int, *, left_out: bool = False) -> Text:
    """`left_out`: the tests that fail are skipped, which mends nothing."""
    one, two, later = title(first), title(fixes[0]), _after(first, fixes[0])
    names = joined((alike(code(_name(c))) for c in fixes[1:]), "list")
    again = say("judge.story.again", names=names) if fixes[1:] else NOTHING
    if undoes(fixes[0].subject) and not fixes[1:]:
        return partly_back(first, fixes[0])
    if lines:
        return say("judge.story.repaired_lines", first=one, fix=two, later=later, n=lines, again=again)
    if left_out and not fixes[1:]:
        return say("judge.story.left_out", first=one, fix=two, later=later)
    return say("judge.story.repaired", first=one, fix=two, later=later, again=again)


def followed(first: Change, later: Sequence[Change], words: bool) -> Text:
    """`words`: they only document it."""
    titles = listing((title(c) for c in later), 3)
    if words:
        return say("judge.story.documents", titles=titles, n=len(later), first=title(first))
    return say("judge.story.follows", titles=titles, n=len(later), first=title(first))


def of_series(
    name: str, parts: Sequence[Part], now: Sequence[Part], undone: Sequence[tuple[Part, Change]] = ()
) -> Text:
    """`undone`: parts that a later change of the window takes back a part of."""
    earlier, total = [p for p in parts if p not in now], parts[0].total
    before = say("judge.story.series_before", parts=listing(map(_label, earlier), 8)) if earlier else NOTHING
    whole = total.isdigit() and len(parts) == int(total)
    complete = say("judge.story.series_complete") if whole else NOTHING
    text = say("judge.story.series", name=name, parts=listing(map(_label, now), 8), before=before, complete=complete)
    for part, by in undone:
        text = joined((text, say("judge.story.series_back", title=title(by), part=_label(part))))
    return text


def partly_back(first: Change, later: Change) -> Text:
    return say("judge.story.series_back", title=title(later), part=title(first))


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


# Reasons of reverts: what the message of one says beside what it takes back.
_TAKEN = re.compile(r"[\"'“].{3,300}?(?:[\"'”](?!\w)|…|$)")
"""The title that a revert quotes: it speaks of what came, not of why it goes."""
_FOR_NOW = r"until|pending|temporar\w{2,4}|for now|in favou?r of"
_WHY = re.compile(rf"\b(?:because|due to|since|as it|causes?|caused|to unblock|{_FOR_NOW})\b", re.IGNORECASE)
_BLAMES = re.compile(
    r"\b(?:br(?:eak|oke)\w{0,6}|fail\w{0,5}|errors?|bugs?|wrong\w{0,2}|incorrect\w{0,2}|regress\w{0,4}|faults?|faulty|flaky)\b",
    re.IGNORECASE,
)
_NEUTRAL = re.compile(
    rf"\b(?:{_FOR_NOW}|revert(?:s|ed|ing)?|un-?block\w{{0,3}}|discuss\w{{0,4}}|duplicates?|redundant|superseded|replaced|instead"
    r"|no longer needed|not needed|(?:re-?)?land\w{0,3}|by mistake|accident\w{0,4}|conflict\w{0,3}|too early|wait\w{0,3})\b",
    re.IGNORECASE,
)
"""Reasons that say nothing against what is taken back."""
_PARAGRAPHS = 12


def is_explained(change: Change) -> bool:
    """It says more than what it takes back."""
    own = _own_title(change)
    return bool(_WHY.search(own)) or _names_fault(own) or next(_body(change), None) is not None


def blames(change: Change) -> bool:
    """It says that what it takes back had a fault: by a word for one, or by what happened, told as nothing but that."""
    if _names_fault(_own_title(change)):
        return True
    return any(_names_fault(text) or _NEUTRAL.search(text) is None for text in _body(change))


def _own_title(change: Change) -> str:
    return _TAKEN.sub(" ", bare(change.subject[:MAX_SUBJECT]))


def _body(change: Change) -> Iterator[str]:
    return (quote.text for quote in islice(message_quotes(change.body), _PARAGRAPHS))


def _names_fault(text: str) -> bool:
    return _BLAMES.search(text) is not None or hazard(text, titled=False) is not None

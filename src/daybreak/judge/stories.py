"""Changes that are one event: reverts, re-lands, repairs, series, ports, and a pin that moved more than once.

A link needs a mark that cannot be chance: a sha, a pull request number, a quoted title, or lines that one change
added and the next took away. A change is told in one story only, in the order of `_FINDERS`, and a story has at
least one change of the window: those before it come along with their date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import FaultEvidence, Story
from daybreak.core.windows import elapsed
from daybreak.core.words.grammar import joined
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.kinds import Kind as FindingKind
from daybreak.findings.paths import area
from daybreak.judge import story_outcome
from daybreak.judge.change_kinds import QUIET, grants, is_revert
from daybreak.judge.line_ties import (
    LineIndex,
    began,
    partly_undone,
    shared_lines,
    took_back,
    touches,
)
from daybreak.judge.message_refs import (
    Index,
    Relation,
    blamed,
    blamed_for_tests,
    denies,
    for_users,
    is_fix,
    mends_fault,
    named,
    of_tests,
    skips_tests,
    title,
)
from daybreak.judge.robots import is_bump
from daybreak.judge.series import Part, name_of, rfcs, series, stacks
from daybreak.judge.story_outcome import blames, chains
from daybreak.judge.test_faults import broke_tests

# --- Where a change comes from: another project, another place of the branch, a release that it takes ---


_FROM = re.compile(
    r"\b(?:adapted|ported|taken|borrowed|copied|backported|forked)\s(?:directly\s)?from\s(?:the\s)?[\[(`:]{0,2}"
    r"(?:https?://github\.com/([\w.-]{1,40}/[\w.-]{1,60})(?:/(?:pull/(\d{1,9})|(?:commit|blob|tree)/([0-9a-f]{7,40}))(?![0-9a-f]))?"
    r"|([\w.-]{1,40}/[\w.-]{1,60})(?:#(\d{1,9})|@([0-9a-f]{7,40}))\b)",
    re.IGNORECASE,
)
_PICKED = re.compile(r"\(?cherry[- ]picked from commit ([0-9a-f]{7,40})\b", re.IGNORECASE)
_TAKES = re.compile(
    r"\b(?:bump|release|upgrade|update)s?\s+(?:the\s+)?[`'\"]?([A-Za-z][\w.-]{2,40})[`'\"]?"
    r"(?:\s+(?:version|pin|dependency|package))?(?:\s+from\s+v?[\w.]{1,20})?(?:\s+to)?[\s=]+v?(\d+\.\d+[\w.]{0,20})(?![\w.])",
    re.IGNORECASE,
)
_NO_NAME = frozenset({"version", "the", "release", "pin", "docs", "docker", "python", "image", "threshold"})


def source_of(change: Change, index: Index) -> Change | str | None:
    """The known change that a cherry-pick repeats, or `owner/name#12`, `owner/name@1a2b3c4` of a port."""
    text = f"{title(change)[:400]}\n{change.body[:4000]}"
    picked = _PICKED.search(text)
    if picked is not None:
        return index.prefix(change, picked[1])
    found = _FROM.search(" ".join(text.split()))
    if found is None:
        return None
    where = (found[1] or found[4]).removesuffix(".git")
    number, sha = found[2] or found[5], found[3] or found[6]
    if where.lower() == change.repo.lower() or not (number or sha):
        return None
    return f"{where}#{number}" if number else f"{where}@{sha[:9]}"


def takes(changes: Sequence[Change]) -> dict[tuple[str, str], list[Change]]:
    """Changes by the package and version that their titles say they make or take."""
    out: dict[tuple[str, str], list[Change]] = {}
    for change in changes:
        match = None if is_revert(change.subject) else _TAKES.search(title(change)[:400])
        if match is not None and match[1].lower() not in _NO_NAME:
            name = match[1].lower().replace("_", "-")
            out.setdefault((name, match[2].rstrip(".")), []).append(change)
    return out


_TOGETHER = timedelta(minutes=45)
_SOON = timedelta(days=3)
_TELLING = 3
_NEARLY = 0.9
"""Of a change that does nothing but take lines back: what puts others there rewrites them."""
_AT_ONCE = timedelta(hours=12)
"""Fewer lines than that show what was at fault only when they were taken back within hours."""


class TreeFacts(Struct, frozen=True):
    """What trees say of the changes, see `Collected`."""

    standing: Mapping[str, float] = field(default_factory=dict)
    older: Mapping[str, Collection[str]] = field(default_factory=dict)
    had: Collection[str] = ()
    """Fixes of what the newest release has: younger changes did not bring that."""
    younger: Collection[str] = ()
    causes: Mapping[str, str] = field(default_factory=dict)
    """Fix -> number or sha of the change that brought what it puts right, or took away what it still found called."""
    lost: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Revert -> a name that what it takes away called and nobody defined, and what had taken that away."""


class _Facts(Struct, frozen=True):
    """What the finders look at."""

    changes: Sequence[Change]
    """Of the window, oldest first."""
    index: Index
    lines: LineIndex
    readings: Mapping[str, Reading]
    patched: Sequence[Change]
    """All known changes whose lines can be looked at, without reverts."""
    trees: TreeFacts

    def quiet(self, change: Change) -> bool:
        """It touches nothing but tests, CI, docs and the like; of an earlier change paths tell it."""
        if change.sha not in self.index.window:
            known = len(change.files) == change.files_total > 0
            return known and all(area(file.path) in QUIET for file in change.files)
        reading = self.readings.get(change.sha)
        return reading is None or not reading.areas or set(reading.areas) <= QUIET


Finder = Callable[[_Facts], Iterator[Story]]


UNKNOWN = TreeFacts()


def stories(
    changes: Sequence[Change],
    readings: Mapping[str, Reading],
    recent: Sequence[Change] = (),
    trees: TreeFacts = UNKNOWN,
) -> tuple[Story, ...]:
    """The stories among some changes of one repository; both lists oldest first, `recent` being before the window."""
    index = Index(changes, recent)
    patched = [c for c in index.all if any(f.patch for f in c.files) and not is_revert(c.subject)]
    facts = _Facts(changes, index, LineIndex(trees.older), readings, patched, trees)
    told: set[str] = set()
    out: list[Story] = []
    for finder in _FINDERS:
        for story in finder(facts):
            left = tuple(sha for sha in story.commits if sha not in told)
            whole = len(left) == len(story.commits)
            # A series stays one without the part that another story tells.
            enough = whole or (story.kind == "series" and len(left) > 1)
            if enough and any(sha in index.window for sha in left):
                earlier = {s: index.by_sha[s].committed_at for s in left if s not in index.window}
                out.append(replace(story, commits=left, earlier=earlier))
                told.update(left)
    return tuple(_with_followers(facts, out, told))


# --- reverts and re-lands ----------------------------------------------------------------------------------------


def _reverts(facts: _Facts) -> Iterator[Story]:
    """One story per change that was taken back, with what came after it."""
    for chain in chains(facts.index, facts.lines, facts.trees.standing):
        commits = tuple(c.sha for c in chain.changes)
        kind: Literal["reland", "revert"] = "reland" if chain.stands else "revert"
        nothing = chain.cancels(facts.index.window)
        undone = chain.undone_by
        after = [c for c in facts.changes if facts.index.place[c.sha] > facts.index.place[undone.sha]]
        text = story_outcome.of_chain(chain, nothing, facts.trees.lost.get(undone.sha), after)
        story = Story(f"{kind}-{commits[0][:9]}", kind, commits, text, cancels=nothing)
        told = undone.sha in facts.index.window and not (facts.quiet(undone) or chain.blameless)
        told = told and chain.recent and for_users(chain.roots[0]) and not is_fix(chain.roots[0]) and blames(undone)
        yield replace(story, broken=_span(chain.landed_by, undone), broken_by="reverted") if told else story


def _span(first: Change, last: Change) -> tuple[datetime, datetime] | None:
    return (first.committed_at, last.committed_at) if first.committed_at < last.committed_at else None


# --- repairs -----------------------------------------------------------------------------------------------------


def _repairs(facts: _Facts) -> Iterator[Story]:
    """Changes of the window whose message names an earlier one, or that take back lines which it had added."""
    groups: dict[str, list[_Repair]] = {}
    roots: dict[str, str] = {}
    for change in facts.changes:
        found = _repaired(facts, change)
        if found is not None:
            first, relation, lines, by = found
            root = roots.get(first.sha, first.sha)
            roots[change.sha] = root
            groups.setdefault(root, []).append((change, relation, lines, by))
    for change in facts.changes:
        maker = _made_all(facts, change, groups) if change.sha not in roots else None
        if maker is not None:
            groups[maker].append((change, "repairs", 0, "symbol"))
    for sha, later in groups.items():
        later.sort(key=lambda one: facts.index.place[one[0].sha])
        yield _repair_story(facts.index.by_sha[sha], later, facts)


def _made_all(facts: _Facts, fix: Change, groups: Mapping[str, Sequence[_Repair]]) -> str | None:
    """The change, repaired in this window by others too, that made all files of a fix within days before it."""
    if facts.quiet(fix) or not is_fix(fix) or is_bump(fix):
        return None
    paths = {file.path for file in fix.files if area(file.path) not in QUIET}
    for sha, later in groups.items():
        first = facts.index.by_sha[sha]
        made = {file.path for file in first.files if file.status == "A"}
        soon = first.committed_at < fix.committed_at <= first.committed_at + _SOON
        if paths and paths <= made and soon and any(relation == "repairs" for _, relation, *_ in later):
            return sha
    return None


_FIXES: tuple[Relation, ...] = ("repairs", "mends")
_OF_TESTS: tuple[FaultEvidence, ...] = ("ci", "skipped")
"""What a repair of tests or CI alone says of the change that it names."""
_Repair = tuple[Change, Relation, int, FaultEvidence]
"""A change that is repaired, or repairs; how the two are related, by how many lines, and by what that is known."""


def _repaired(facts: _Facts, change: Change) -> _Repair | None:
    if is_revert(change.subject) or is_bump(change):
        return None
    if facts.quiet(change):
        cause = blamed_for_tests(change, facts.index) or broke_tests(change, _before(facts, change, facts.index.all))
        return (cause, "repairs", 0, "skipped" if skips_tests(change) else "ci") if cause is not None else None
    return _repaired_code(facts, change)


def _repaired_code(facts: _Facts, change: Change) -> _Repair | None:
    by_name = named(change, facts.index)
    if by_name is not None:
        return None if facts.quiet(by_name[0]) else (*by_name, 0, "named")
    if not is_fix(change):
        return None
    before = _before(facts, change, facts.patched)
    if change.sha in facts.trees.had:
        before = [c for c in before if c.sha not in facts.trees.younger]
    bringer = _brought_symbol(before, change)
    if bringer is not None:
        return None if facts.quiet(bringer) else (bringer, "repairs", 0, "symbol")
    best = max(((took_back(c, change, facts.lines), c) for c in before), key=lambda x: x[0], default=(0, change))
    if not best[0]:
        lately = (c for c in before if elapsed(c.committed_at, change.committed_at) <= _SOON)
        starter = began(lately, change)
        first = starter or (None if grants(change.subject) else _cause(facts, change))
        by: FaultEvidence = "symbol" if starter else "blame"
        return (first, "repairs", 0, by) if first is not None and not facts.quiet(first) else None
    known: FaultEvidence = (
        "named" if _speaks_of(change, best[1]) else "symbol" if _works_in(best[1], change) else "lines"
    )
    return (best[1], "repairs", shared_lines(best[1], change), known) if not facts.quiet(best[1]) else None


def _with_followers(facts: _Facts, found: list[Story], told: set[str]) -> list[Story]:
    """With what goes on with new code of the day: in the story of that, or in one of the two."""
    for later in facts.changes:
        out = later.sha in told or is_revert(later.subject) or is_bump(later) or facts.quiet(later)
        takes = any(kind_of(f.kind).change in GONE for f in facts.readings[later.sha].findings) if not out else False
        # what takes names away asks for something itself, unless it mends what came
        first = None if out or (takes and not is_fix(later)) else _gone_on(facts, later)
        if first is None:
            continue
        text, both = story_outcome.followed(first, [later], words=False), (first.sha, later.sha)
        at = next((n for n, story in enumerate(found) if first.sha in story.commits), len(found))
        if at < len(found):
            commits = (*found[at].commits, later.sha)
            found[at] = replace(found[at], commits=commits, net=joined((found[at].net, text)))
        else:
            found.append(Story(f"series-{first.short}", "series", both, text))
        told.update(both)
    return found


def _gone_on(facts: _Facts, later: Change) -> Change | None:
    """The change of the window whose new code it works on, and on no other: all its files came with that, or most of what it
    takes away did. Whose fault it mends, if any, is not said by that.
    """
    paths = {file.path for file in later.files if file.patch and area(file.path) not in QUIET}
    gone = {path: lines for path, lines in facts.lines.unmoved(later)[1].items() if path in paths}
    total = sum(lines.total() for lines in gone.values())
    for first in _before(facts, later, [c for c in facts.patched if c.sha in facts.index.window]):
        near = {file.path: file for file in first.files if file.path in paths}
        made = len(near) == len(paths) and all(file.status == "A" for file in near.values())
        both = [facts.lines.added(first, near[path]) & lines for path, lines in gone.items() if path in near]
        older = frozenset(facts.trees.older.get(first.sha, ()))
        came = sum(n for lines in both for line, n in lines.items() if line not in older)
        if paths and (made or 2 * came >= total >= _TELLING) and not facts.quiet(first):
            return first
    return None


def _before(facts: _Facts, change: Change, every: Sequence[Change]) -> list[Change]:
    """Those before it, newest first, without those that were written together with it."""
    place = facts.index.place
    return [c for c in reversed(every) if place[c.sha] < place[change.sha] and not _same_work(c, change)]


def _speaks_of(change: Change, first: Change) -> bool:
    """Its message has the number or the name of another change."""
    said = f"{change.subject[:400]}\n{change.body[:4000]}"
    own = _OWN.search(first.subject[:400])
    return first.sha[:9] in said or (own is not None and re.search(rf"{own[1]}\b", said) is not None)


_OWN = re.compile(r"\((#\d{1,9})\)\s*$")
"""The number of its pull request, behind a title."""


def _brought_symbol(before: Sequence[Change], fix: Change) -> Change | None:
    """The change of the last days that brought a function or class which the title of a fix names; a method is anybody's:
    each class may have its own.
    """
    head = _defines(fix, r"^\+(?:async\s+)?")
    soon = (c for c in before if elapsed(c.committed_at, fix.committed_at) <= _LATELY)
    return (
        next((c for c in soon if any(f.status != "R" and head.search(f.patch) for f in c.files)), None)
        if head
        else None
    )


def _works_in(first: Change, fix: Change) -> bool:
    """A change works on a function or class that the title of a fix names: where a line is shared, too, that is no chance."""
    head = _defines(fix, r"^(?:@@[^@\n]{1,80}@@ |[-+ ])\s{0,40}(?:async\s+)?")
    return head is not None and any(head.search(file.patch) for file in first.files)


def _defines(fix: Change, begins: str) -> re.Pattern[str] | None:
    """Finds where one of the names in the title of a fix is defined."""
    names = sorted(set(_SYMBOL.findall(title(fix)[:400])))[:_SYMBOLS]
    return re.compile(rf"{begins}(?:def|class|fn|func)\s+(?:{'|'.join(names)})\b", re.MULTILINE) if names else None


_LATELY = timedelta(days=14)
_SYMBOL = re.compile(r"\b(?=\w{8,80}\b)_?[a-z]\w*_\w+|\b(?=\w{8,80}\b)[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+\b")
"""Names that only code has: `slot_of`, `SlotTable`."""
_SYMBOLS = 8


def _cause(facts: _Facts, change: Change) -> Change | None:
    """The known change that trees show to be the cause."""
    name = facts.trees.causes.get(change.sha, "")
    if name.startswith("#"):
        found = facts.index.number(change, int(name[1:]))
    else:
        found = facts.index.prefix(change, name) if name else None
    return found if found is None or not (is_revert(found.subject) or _same_work(found, change)) else None


def _same_work(first: Change, later: Change) -> bool:
    """Pull requests of one author that land together were written together: none of them repairs another."""
    return first.author == later.author and elapsed(first.committed_at, later.committed_at) <= _TOGETHER


def _repair_story(first: Change, later: Sequence[_Repair], facts: _Facts) -> Story:
    every = [one for one in later if one[1] in _FIXES]
    known = [one for one in every if one[3] != "skipped"] or every  # what leaves tests out ends nothing
    fixes, commits = [one[0] for one in known], (first.sha, *(c.sha for c, *_ in later))
    if not fixes:
        words = all(relation == "documents" for _, relation, *_ in later)
        text = story_outcome.followed(first, [c for c, *_ in later], words)
        return Story(f"series-{first.short}", "series", commits, text)
    how, lines, by = known[0][1:]
    # Lines alone prove a fault only soon after, and one line may be chance: the fault may be older than the lines.
    telling = lines >= _TELLING or by == "symbol"
    soon = not lines or elapsed(first.committed_at, fixes[0].committed_at) <= (_SOON if telling else _AT_ONCE)
    told = by in _OF_TESTS or (by == "named" and blamed(fixes[0], first, facts.index))
    if told and by == "named" and is_fix(fixes[0]) and of_tests(fixes[0]):
        by = "ci"
    mends = mends_fault(fixes[0]) and (lines > 0 or told or touches(first, fixes[0], facts.lines))
    at_fault = how == "repairs" and soon and not denies(fixes[0]) and (mends or (told and by in _OF_TESTS))
    broken = _span(first, fixes[-1]) if at_fault else None
    text = story_outcome.repaired(first, fixes, 0 if by == "symbol" else lines, left_out=by == "skipped")
    return Story(
        f"fixup-{first.short}-{fixes[0].short}", "fixup", commits, text, broken, broken_by=by if broken else ""
    )


# --- series ------------------------------------------------------------------------------------------------------


def _series(facts: _Facts) -> Iterator[Story]:
    for parts in series(facts.index.all):
        now = [p for p in parts if p.change.sha in facts.index.window]
        if now:
            ordered = sorted((p.change for p in parts), key=lambda c: facts.index.place[c.sha])
            undone = list(_undone(now, ordered, facts))
            text = story_outcome.of_series(name_of(parts), parts, now, undone)
            commits = dict.fromkeys(c.sha for c in (*ordered, *(by for _, by in undone)))
            yield Story(f"series-{ordered[0].short}", "series", tuple(commits), text)


def _undone(now: Sequence[Part], whole: Sequence[Change], facts: _Facts) -> Iterator[tuple[Part, Change]]:
    """Parts with the later change of the window that takes some of it back; a revert has a story of its own."""
    place, ours = facts.index.place, {change.sha for change in whole}
    others = [
        c for c in facts.index.all if c.sha in facts.index.window and c.sha not in ours and not is_revert(c.subject)
    ]
    for part in now:
        later = (c for c in others if place[c.sha] > place[part.change.sha])
        by = next((c for c in later if partly_undone(part.change, c, facts.lines)), None)
        if by is not None:
            yield part, by


def _partials(facts: _Facts) -> Iterator[Story]:
    """A change of the window that does little else than take lines of an earlier one back, and is neither its revert nor a
    fix; over days the title has to say so, since code that goes later had its time.
    """
    place = facts.index.place
    for later in facts.changes:
        if is_fix(later) or is_bump(later) or facts.quiet(later):
            continue
        known = facts.patched if is_revert(later.subject) else [c for c in facts.patched if c.sha in facts.index.window]
        before = [c for c in reversed(known) if place[c.sha] < place[later.sha] and not _same_work(c, later)]
        first = next((c for c in before if partly_undone(c, later, facts.lines, _NEARLY) and not facts.quiet(c)), None)
        if first is not None:
            text = story_outcome.partly_back(first, later)
            yield Story(f"series-{first.short}-{later.short}", "series", (first.sha, later.sha), text)


def _rfcs(facts: _Facts) -> Iterator[Story]:
    for number, group in rfcs(facts.index.all):
        yield Story(f"series-rfc-{number}", "series", tuple(c.sha for c in group), story_outcome.of_rfc(number))


def _stacks(facts: _Facts) -> Iterator[Story]:
    for group in stacks(facts.changes):
        if not all(facts.quiet(c) for c in group):
            yield Story(
                f"series-{group[0].short}", "series", tuple(c.sha for c in group), story_outcome.of_stack(group)
            )


# --- pins and ports ----------------------------------------------------------------------------------------------


def _is_pin(kind: FindingKind) -> bool:
    return kind.means("dependency", "changed") or kind.means("pin", "changed")


def _bumps(facts: _Facts) -> Iterator[Story]:
    """A pin that moved in several changes: from the first value to the last, once however many files have it."""
    told: set[tuple[str, tuple[str, ...]]] = set()
    moves: dict[tuple[str, str], list[tuple[Change, str, str]]] = {}
    for change in facts.changes:
        for f in facts.readings[change.sha].findings if change.sha in facts.readings else ():
            if _is_pin(kind_of(f.kind)) and f.before and f.after:
                moves.setdefault((f.path, f.symbol), []).append((change, f.before, f.after))
    for (_, symbol), steps in moves.items():
        shas = tuple(dict.fromkeys(c.sha for c, _, _ in steps))
        if len(shas) > 1 and steps[0][1] != steps[-1][2] and (symbol, shas) not in told:
            told.add((symbol, shas))
            yield Story(f"bump-{shas[0][:9]}", "bump", shas, story_outcome.moved(symbol, steps[0][1], steps[-1][2]))


def _releases(facts: _Facts) -> Iterator[Story]:
    """A version that one change makes and another takes: `bump sgl-kernel version to 0.3.21`, twice."""
    for (name, version), group in takes(facts.index.all).items():
        if len(group) > 1:
            yield Story(
                f"bump-{group[0].short}",
                "bump",
                tuple(c.sha for c in group),
                story_outcome.taken(name, version, len(group)),
            )


def _ports(facts: _Facts) -> Iterator[Story]:
    """What a message says was taken from elsewhere, or picked from another place of the branch."""
    for change in facts.changes:
        found = source_of(change, facts.index)
        if isinstance(found, Change):
            yield Story(f"port-{change.short}", "port", (found.sha, change.sha), story_outcome.picked(found, change))
        elif found:
            yield Story(f"port-{change.short}", "port", (change.sha,), story_outcome.ported(change, found))


_FINDERS: tuple[Finder, ...] = (_reverts, _repairs, _series, _bumps, _stacks, _partials, _rfcs, _releases, _ports)

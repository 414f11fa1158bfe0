"""The analyst that needs no model: grades, stories and statements by rules alone."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change, Collected, FileChange, Window
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import (
    MARKS,
    Dimension,
    Importance,
    Kind,
    Level,
    Mark,
    Reason,
    Role,
    Statement,
    Text,
)
from daybreak.core.words import say, term
from daybreak.core.words.grammar import ended, large, listing, sentence
from daybreak.findings.kinds import kind_of as finding_kind
from daybreak.findings.paths import area
from daybreak.judge import announcements, phrases
from daybreak.judge import day as whole_day
from daybreak.judge.breaking import is_of_few, is_own, mark_of, marks
from daybreak.judge.change_kinds import front, is_revert, kind_of
from daybreak.judge.conclusion import conclusion as concluded
from daybreak.judge.effect import only_renames
from daybreak.judge.effect import statements as statements_of
from daybreak.judge.exposure import (
    branch_part,
    exposure_of,
    lost_names,
    released_part,
    repair_missed,
    unaffected,
    weighed,
)
from daybreak.judge.faults import fault
from daybreak.judge.first_screen import asking, candidates, screen_of
from daybreak.judge.gist import gist, shown_at_least
from daybreak.judge.importance import NOTHING, importance, scored_as
from daybreak.judge.interface import Judgement, RepoAnalysis
from daybreak.judge.net_findings import net_readings
from daybreak.judge.reach import EVERYBODY
from daybreak.judge.rejections import without_clearer
from daybreak.judge.repair_lines import confessed, forgotten_field, spared
from daybreak.judge.replacements import replaced
from daybreak.judge.robots import is_bump
from daybreak.judge.sayings import trouble
from daybreak.judge.stories import TreeFacts, stories
from daybreak.judge.story_outcome import settled


class RuleAnalyst:
    """Turns readings into a graded, worded report; the same input gives the same words."""

    def __init__(self, reader: ReaderConfig = EVERYBODY) -> None:
        self._reader = reader

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        del window
        every = {change.sha: change for change in (*collected.changes, *collected.late)}
        readings = {sha: without_clearer(every[sha], one) if sha in every else one for sha, one in readings.items()}
        told = [c for c in (*collected.late[::-1], *collected.changes[::-1]) if not c.filtered]
        had = {sha for sha, found in collected.exposed.items() if found.has}
        causes = {sha: found.cause for sha, found in collected.exposed.items() if found.cause}
        forgot = {sha: cause for sha, (cause, _) in collected.forgotten.items()}
        trees = TreeFacts(
            collected.standing, collected.older, had, collected.younger, {**causes, **forgot}, lost_names(collected)
        )
        found = stories(told, readings, collected.recent[::-1], trees)
        undone, again = settled(found), taken_again(collected.changes)
        of = {sha: story for story in found for sha in story.commits}

        lasting = still_said((*collected.changes, *collected.late))
        ended = net_readings(collected.changes, readings)

        def entry(change: Change) -> Entry:
            made = _entry(change, readings, collected, of, self._reader, lasting.get(change.sha, change), ended)
            gone = change.sha in again or (change.sha in undone and not _does_more(made, of))
            return _netted(made) if gone else made

        entries = announcements.hold(list(map(entry, collected.changes)))
        late = tuple(map(entry, collected.late))
        about = whole_day.assessment(collected.repo.name, entries, found, late)
        return RepoAnalysis(entries, late, found, about)

    def day(self, day: Judgement) -> Judgement:
        repos = day.repos
        found = candidates(repos)
        actions, also = screen_of(found)
        first = actions[:MOST_ACTIONS]
        conclusion, summary = concluded(repos, first), whole_day.summary(repos, first)
        screen = replace(day, actions=actions, also=also, asking=asking(found))
        return replace(screen, summary=summary, conclusion=conclusion)


def _kind(change: Change, reading: Reading) -> Kind:
    """What it claims to be, unless a bump, words or lines show it to be something else."""
    kind = kind_of(change, reading)
    if kind == "fix" and any(finding_kind(one.kind).slot == "parameter_content" for one in reading.findings):
        return "other"  # callers relied on what it did before
    if kind == "fix" and only_renames(change):
        return "refactor"  # a word that was misspelt was nobody's fault
    kind = "dependency" if kind != "security" and is_bump(change) else kind
    kind = "fix" if kind in _CLAIMED and (confessed(change) is not None or spared(change)) else kind
    return "fix" if kind in (*_CLAIMED, "feature") and forgotten_field(change) is not None else kind


def grade(
    change: Change,
    reading: Reading,
    reader: ReaderConfig = EVERYBODY,
    absent: Collection[str] = (),
    lasting: Change | None = None,
    back: Collection[str] = (),
    claims: Change | None = None,
) -> Entry:
    """One change alone: kind, importance, statements; what `daybreak grade` prints. `absent`: names that it takes away
    and that no release had. `lasting`: it without comments that are gone since, for what is quoted. `back`: lines by which it
    goes back to what the newest release has. `claims`: the change whose title says what it does.
    """
    kind = _kind(claims or change, reading)
    ours = branch_part(reading, back)
    had = released_part(ours, absent)
    told = had if had.findings else reading  # what no release had is told only where nothing else is
    said = gist(lasting or change, told)
    shown, rank, whole = marks(change, had), importance(change, had, kind, said, reader), marks(change, ours)
    follow = _followed(change, ours, had) if kind != "revert" else set[Mark]()
    if had != reading and (rank.level == "low" or (not shown and ours != reading and not had.findings)):
        full = importance(change, reading, kind, said, reader)
        why = "as_released" if had == ours else "unreleased"
        lost = not shown and (whole or ours != reading)
        rank = _unreleased(rank, full, why) if full.level == "high" or lost else rank
    if said is None and rank.level != "low":
        said = shown_at_least(change, reading, kind)
    entry = Entry(
        change=change,
        reading=reading,
        kind=kind,
        importance=rank,
        breaking="breaks" in shown,
        statements=statements(change, reading, rank.level, said, had),
        gist=said,
        marks=tuple(mark for mark in MARKS if mark in shown or mark in follow),
        announced=announcements.announcements(change, reading),
    )
    entry = _raised(entry, had)
    return replace(entry, statements=(*entry.statements, *announcements.statements(entry)))


def _followed(change: Change, ours: Reading, had: Reading) -> set[Mark]:
    """Plug-ins and forks follow the branch, where what a revert takes back was met by hardly any of them, and a name that says it is
    private by none before a release has it.
    """
    open_part = replace(ours, findings=tuple(f for f in ours.findings if not is_own(f) or f in had.findings))
    return {mark for mark in marks(change, open_part) if mark == "breaks_internals"}


def _raised(entry: Entry, had: Reading) -> Entry:
    """What is low, and breaks many by its mark or by its author's word, is medium."""
    rank = entry.importance
    many = any(mark_of(f) == "breaks" and not is_of_few(f) for f in had.findings)
    if rank.level == "low" and entry.breaking and many:
        return replace(entry, importance=replace(rank, level="medium", score=scored_as("medium", rank.score)))
    if rank.level == "low" and announcements.doubted(entry) is not None:
        return replace(entry, importance=_shown_as("medium", rank, "announced"))
    return entry


_CLAIMED = frozenset({"perf", "refactor", "other"})
"""Kinds that a title gives to what its own lines may show to be a repair."""


def _entry(
    change: Change,
    readings: Mapping[str, Reading],
    collected: Collected,
    of: Mapping[str, Story],
    reader: ReaderConfig,
    lasting: Change,
    ended: Mapping[str, Reading],
) -> Entry:
    """A change among others: its story tells the rest. `ended`: what is left of it at the end of the window."""
    reading = readings.get(change.sha) or Reading(change.sha)
    story = of.get(change.sha)
    absent, back = collected.absent.get(change.sha, ()), collected.back.get(change.sha, ())
    first = _first_landed(change, story, collected)
    graded = grade(change, reading, reader, absent, lasting, back, first)
    if (left := ended.get(change.sha)) is not None:  # what it did is told, and weighs as much as is left of it
        net = grade(change, left, reader, absent, lasting, back, first)
        graded = replace(graded, marks=net.marks, breaking=net.breaking, importance=net.importance)
    released = collected.released.get(change.sha)
    after = None if released else collected.newest.get(change.sha)
    exposure = exposure_of(graded, story, collected)
    whole = replace(
        graded,
        story=story.id if story else None,
        released=released,
        unmended=repair_missed(change, story, collected),
        after=after,
        exposure=exposure,
    )
    return _of_branch(weighed(whole))


def _of_branch(entry: Entry) -> Entry:
    """A fix of what no release has, and of which nobody says what went wrong, is nothing for users of a release."""
    codes, said = {reason.code for reason in entry.importance.reasons}, entry.gist.quotes if entry.gist else ()
    grave = fault(entry.change, entry.kind, entry.gist) is not None or any(
        q.source != "line" and trouble(q) >= 1 for q in said
    )
    if codes != {"mends"} or grave or entry.marks or not unaffected(entry):
        return entry
    return replace(entry, importance=_shown_as("low", entry.importance, "branch_only"))


def _first_landed(change: Change, story: Story | None, collected: Collected) -> Change | None:
    """What lands again does what it did at first: that its second title speaks of a fix is about the first try."""
    if story is None or story.kind != "reland" or story.commits[-1] != change.sha or is_revert(change.subject):
        return None
    known = (*collected.changes, *collected.late, *collected.recent)
    return next((one for one in known if one.sha == story.commits[0]), None)


def _unreleased(rank: Importance, full: Importance, why: str) -> Importance:
    """What breaks those alone who run the branch is worth knowing, and nothing for users of a release to act on."""
    return _shown_as("medium" if full.level == "high" else "low", rank, why)


def _shown_as(level: Level, rank: Importance, why: str) -> Importance:
    return Importance(level, scored_as(level, rank.score), (_reason(why),))


def _netted(entry: Entry) -> Entry:
    """What was undone within the window is nothing at its end, whatever it did: it hits nobody and asks for nothing. The
    change that undid it was not undone itself.
    """
    why = _reason("revert" if entry.kind == "revert" else "undone")
    return replace(
        entry,
        importance=Importance("low", NOTHING, (why,)),
        breaking=False,
        marks=(),
        statements=tuple(said for said in entry.statements if said.role in ("what", "why")),
        gist=entry.gist if entry.released else Gist(large(why.text), "finding"),
    )


def _does_more(entry: Entry, of: Mapping[str, Story]) -> bool:
    """It takes lines of another change back, and does not say that this is all it does."""
    return (
        entry.kind != "revert"
        and of[entry.change.sha].kind == "revert"
        and entry.change.sha == of[entry.change.sha].commits[-1]
    )


def _reason(code: str) -> Reason:
    return Reason(code, term("judge.reason", code))


# The end of a window: a comment that a later change of it took away again is not quoted, for nobody can read it
# there.
Gone = Mapping[str, set[str]]
"""Path -> comments that later changes took away."""
_COMMENT = re.compile(r"\s{0,200}(?:#|//|/?\*)")
_TELLING = 12
"""Characters of a line that is known again."""


def still_said(newest_first: Iterable[Change]) -> dict[str, Change]:
    """By sha, changes without the comments that did not last; only those that had such."""
    gone, out = defaultdict[str, set[str]](set), dict[str, Change]()
    for change in newest_first:
        if (left := _left(change, gone)) is not None:
            out[change.sha] = left
        came = {line for file in change.files for line in _comments(file, "+")}
        for file in change.files:
            gone[file.old_path or file.path].update(line for line in _comments(file, "-") if line not in came)
    return out


def _left(change: Change, gone: Gone) -> Change | None:
    """The change with an empty line for each such comment, so that all others keep their numbers; None: it has none."""
    files = tuple(_blanked(file, gone[file.path]) if file.path in gone else file for file in change.files)
    return replace(change, files=files) if any(a is not b for a, b in zip(files, change.files, strict=True)) else None


def _blanked(file: FileChange, gone: set[str]) -> FileChange:
    if gone.isdisjoint(_comments(file, "+")):
        return file
    rows = (
        "+" if row[:1] == "+" and _COMMENT.match(row[1:]) and row[1:].strip() in gone else row
        for row in file.patch.split("\n")
    )
    return replace(file, patch="\n".join(rows))


def _comments(file: FileChange, sign: str) -> set[str]:
    rows = (row[1:] for row in file.patch.split("\n") if row[:1] == sign)
    return {text for row in rows if _COMMENT.match(row) and len(text := row.strip()) >= _TELLING}


def taken_again(newest_first: Sequence[Change]) -> frozenset[str]:
    """Changes all of whose statements a later one of the window takes away, file by file, with what stood there before in their place:
    whatever it calls itself, the code is as it was.
    """
    does = [(c.sha, {sign: Counter(_statements(c, sign)) for sign in "+-"}) for c in newest_first if not c.filtered]
    return frozenset(
        sha
        for at, (sha, own) in enumerate(does)
        if own["+"] and any(own["+"] <= later["-"] and own["-"] <= later["+"] for _, later in does[:at])
    )


def _statements(change: Change, sign: str) -> Iterator[tuple[str, str]]:
    return ((file.path, text) for file in front(change) for text in statements_of(file, sign))


# --- statements ----------------------------------------------------------------------------------------------------

# Statements about one change: its findings, or else its one sentence; where there is neither, none: its size is no statement.

_SENTENCES: dict[Level, int] = {"high": 4, "medium": 2, "low": 1}
"""How many findings sentences a change of each level gets."""
_SOURCES = frozenset({"api", "code", "kernel"})


def statements(
    change: Change, reading: Reading, level: Level, gist: Gist | None = None, had: Reading | None = None
) -> tuple[Statement, ...]:
    """What one change does, for the report: a change that says itself what it does is quoted, never measured. `had`: the
    reading without what no release had, of which nobody is advised.
    """
    plain = _special(change)
    if plain is not None:
        return (plain,)
    told = phrases.what(reading.findings, _SENTENCES[level])
    out = [_statement("what", p.text, change, p.findings) for p in told]
    if gist is not None and gist.source != "finding" and (level != "low" or not out):
        out.append(_statement("what", ended(gist.text), change))
    if not out and change.merged:
        out.append(_statement("what", sentence(_counts(change)), change))
    if level == "low":
        return (*out[:1], *_unread(change, reading))
    left = reading.findings if had is None else had.findings
    kept = {f.id for f in left}  # one that a release has with another value is among them
    out.extend(_consequences(change, left, level))
    # that no release had a name which comes with the change says nothing of whom it hits
    never = [
        f
        for f in reading.findings
        if (f.breaking or mark_of(f)) and f.id not in kept and finding_kind(f.kind).change != "added"
    ]
    if never:
        names = listing([f.symbol for f in never], _NEVER)
        out.append(_statement("impact", say("judge.change.never", names=names), change, never, "compatibility"))
    out.extend(_unread(change, reading))
    return tuple(out)


_NEVER = 3


def _special(change: Change) -> Statement | None:
    """Changes of which only their form can be told."""
    if change.skipped is not None:
        return _statement("what", say("judge.change.unread", reason=change.skipped), change)
    if change.empty:
        return _statement("what", say("judge.change.empty"), change)
    if change.filtered:
        return _statement("what", say("judge.change.filtered", counts=_counts(change)), change)
    return None


def _statement(
    role: Role, text: Text, change: Change, findings: Sequence[Finding] = (), dimension: Dimension | None = None
) -> Statement:
    evidence = (f"commit:{change.sha}", *(f"finding:{f.id}" for f in findings))
    return Statement(role, text, evidence, dimension)


def _counts(change: Change) -> Text:
    """Size in words; of a merge also how many commits it brought in."""
    counts = say("judge.change.counts", n=change.files_total, added=change.added, deleted=change.deleted)
    binary = sum(file.binary for file in change.files)
    counts = say("judge.change.with_binary", counts=counts, n=binary) if binary else counts
    return say("judge.change.merge", n=len(change.merged), counts=counts) if change.merged else counts


def _consequences(change: Change, findings: Sequence[Finding], level: Level) -> Iterator[Statement]:
    """Who is affected by what breaks, what the diff shows of the old name, and what to do."""
    groups: dict[tuple[str, phrases.Side | None], list[Finding]] = {}
    for finding in (f for f in findings if f.breaking):
        groups.setdefault((finding.kind, phrases.side(finding)), []).append(finding)
    for group in list(groups.values())[: 2 if level == "high" else 1]:
        who, how, old = phrases.affected(group), phrases.remedy(group), phrases.alias(group)
        how = how and (replaced(change, findings, group) or how)
        if who:
            text = say("judge.change.affected", who=large(who))
            yield _statement("impact", text, change, group, "compatibility")
        if old and level == "high":
            yield _statement("risk", old, change, group, "compatibility")
        if how:
            yield _statement("action", sentence(how), change, group, "compatibility")


def _unread(change: Change, reading: Reading) -> Iterator[Statement]:
    """What of the change was not seen: nothing may be concluded from its absence."""
    if reading.partly:
        yield _statement("risk", say("judge.change.partly", n=reading.partly), change)
    if reading.omitted:
        yield _statement("risk", say("judge.change.omitted"), change)
    cut = sum(f.patch_cut for f in change.files)
    lost = sum(f.skipped is not None for f in change.files)
    beyond = change.files_total - len(change.files)
    unread = [f.path for f in change.files if f.binary and f.status != "D" and area(f.path) in _SOURCES]
    if unread:
        yield _statement("risk", say("judge.change.binary_source", paths=listing(unread, 3)), change)
    if cut:
        yield _statement("risk", say("judge.change.cut", n=cut), change)
    if lost:
        yield _statement("risk", say("judge.change.lost", n=lost), change)
    if beyond > 0:
        yield _statement("risk", say("judge.change.beyond", n=len(change.files)), change)

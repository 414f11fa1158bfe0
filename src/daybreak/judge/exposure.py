"""Exposure of a release: whether it has what a fix puts right, and how a deployment comes by the fix."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Exposure
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Importance, Level, Reason, Text
from daybreak.core.profiles import field, profile_of
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, code, listing, series
from daybreak.findings.diff import hunks
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.paths import effective_with
from daybreak.findings.since_release import altered
from daybreak.judge.change_kinds import bare, front, is_front, puts_back
from daybreak.judge.conditions import hit
from daybreak.judge.effect import alters
from daybreak.judge.faults import as_said, fault, has_symptom
from daybreak.judge.importance import MAX_REASONS, scored_as
from daybreak.judge.model_reading import OF_BRANCH, risks
from daybreak.judge.telling_words import words
from daybreak.judge.work_areas import area_of

_MENDS = frozenset({"fix", "security"})
_LEAF = re.compile(r"\w[\w-]*")
_NEEDS = 2
"""Names that are shown of those that a pick lacks, and paths of those that it leaves out."""


def exposure_of(entry: Entry, story: Story | None, collected: Collected) -> Exposure | None:
    """Who has what a fix puts right: by the lines that it replaces, and where its story names the change at fault, by
    whether the release holds that.
    """
    sha = entry.change.sha
    names, release, there = collected.absent.get(sha, ()), collected.newest.get(sha), collected.back.get(sha, ())
    back = there if entry.kind == "revert" or any(is_back(f, there) for f in entry.reading.findings) else ()
    mends = entry.kind in _MENDS and _claims_fault(entry) and alters(entry.change) and not _only_lists(entry.change)
    found = collected.exposed.get(sha) if mends else None
    if found is None:
        why = lost_names(collected).get(sha) if entry.kind == "revert" else None
        lost, by = why or ("", None)
        never = entry.kind == "revert" and _is_of_branch(story, collected)
        shown = why or ((names or back or never) and release)
        return Exposure(release or "", absent=names, back=back, lost=lost, cause=by, never=never) if shown else None
    if found.has and not has_symptom(entry):
        found = replace(found, unsaid=True)  # that a release has the lines which it replaces shows no fault of them
    found = replace(found, absent=names, back=back)
    cause = story.commits[0] if story is not None and story.kind == "fixup" else None
    if story is not None and cause == sha:
        if story.broken_by in ("ci", "skipped"):  # its tests alone had to be mended
            return found
        # it had to be mended itself: nothing to pick alone, and of the fault no more is said than that its lines are there
        return replace(found, unsaid=found.unsaid or bool(found.has), applies=None)
    return found if cause is None or found.picked else _by_cause(found, cause, entry, collected)


def _claims_fault(entry: Entry) -> bool:
    """It says of something that it was wrong: what is only handled from now on may have been handled elsewhere."""
    return not _HANDLES.match(bare(entry.change.subject)) or fault(entry.change, entry.kind, entry.gist) is not None


_HANDLES = re.compile(
    r"handl(?:e|es|ed|ing)\b(?!.{0,200}(?:\bfix|error|fail|wrong|incorrect|missing|invalid|empty|None\b))",
    re.IGNORECASE,
)


def repair_missed(change: Change, story: Story | None, collected: Collected) -> str:
    """The repair that a change needed, where the release that has the change was cut before it; empty where there is none."""
    released = collected.released.get(change.sha)
    if released is None or story is None or story.kind != "fixup" or story.commits[0] != change.sha:
        return ""
    last = next((one for one in collected.changes if one.sha == story.commits[-1]), None)
    return _name(last) if last is not None and collected.released.get(last.sha) != released else ""


def _is_of_branch(story: Story | None, collected: Collected) -> bool:
    """What was taken back came after the newest release, and so did all that brought it."""
    return story is not None and story.kind == "revert" and set(story.commits) <= set(collected.younger)


def _only_lists(change: Change) -> bool:
    """A file comes, and what stood there only takes it into a table: what is new was nobody's fault before. An import alone may
    be the repair, and so may what is handed on in a call.
    """
    files = front(change)
    new = [file for file in files if file.status == "A"]
    came = {name for file in new for name in (PurePosixPath(file.path).stem, *_CLASSES.findall(file.patch))}
    stood = [hunk for file in files if file.status != "A" for hunk in hunks(file.patch)] if came else []
    lines = [x for hunk in stood for x in hunk.lines if x.sign != " " and x.text.strip()]
    rows = [x.text[:400] for x in lines if not _BRINGS.fullmatch(x.text[:400])]
    tables = (any(x.sign == " " and _ROW.fullmatch(x.text[:400]) for x in hunk.lines) for hunk in stood)
    taken = all(_ROW.fullmatch(row) and not came.isdisjoint(_LEAF.findall(row)) for row in rows)
    return bool(rows) and taken and any(tables) and all(x.sign == "+" for x in lines)


_CLASSES = re.compile(r"^\+class (\w{1,80})", re.MULTILINE)
_BRINGS = re.compile(r"\s*(?:(?:from|import)\s.{1,200}|[\w.]{1,80},|[()])\s*")
_ROW = re.compile(r"\s*[\"'][\w./:-]{1,80}[\"']\s?:\s?[\w.(\"')]{1,120},?\s*")
"""A line of a table, and what brings names into a file."""


def _by_cause(found: Exposure, cause: str, entry: Entry, collected: Collected) -> Exposure:
    """By whether the release holds the change at fault."""
    if found.some and not found.has:  # it lacks what came with that, and has the rest
        return replace(found, has=None)
    if cause not in collected.younger:  # the release holds what broke it
        brought = bool(collected.younger) and found.has is None and not found.doubted
        return replace(found, has=True) if brought else found
    if found.older:  # what is blamed only put it in other words
        return found
    first = next((c for c in (*collected.changes, *collected.late, *collected.recent) if c.sha == cause), None)
    mends = first is not None and _MENDED.match(bare(first.subject)) is not None
    if first is not None and mends and _same_fault(first, entry.change):
        return replace(found, has=found.has or None, cause=_name(first), after_fix=True)
    if (
        first is not None
        and found.has is not False
        and (_MOVED.search(first.subject[:400]) or puts_back(first.subject))
    ):
        return found  # what it only moved or put back may be older than it
    early = found.candidates or _candidates(cause, found, collected)
    return replace(found, has=False, cause=_name(first) if first else cause[:9], candidates=early, after_fix=mends)


def lost_names(collected: Collected) -> dict[str, tuple[str, str]]:
    """Change -> what it still found called though nobody defined it, and how the change is named that took that away."""
    known = {c.sha: c for c in (*collected.changes, *collected.late, *collected.recent)}
    return {
        sha: (name, _name(known[cause]) if cause in known else cause[:9])
        for sha, (cause, name) in collected.forgotten.items()
    }


def _same_fault(first: Change, later: Change) -> bool:
    """Both mend the same, by most words of the shorter title: what the first left of it is older than the first. Titles that
    only share the part of the project are of two faults.
    """
    one, other = words(bare(first.subject)), words(bare(later.subject))
    return len(one & other) >= max(_SHARED, min(len(one), len(other)) / 2)


_MENDED = re.compile(r"(?:bug ?|hot)?fix(?:es|ed)?\b", re.IGNORECASE)
_MOVED = re.compile(r"\brefactor|\bmov(?:e|es|ed|ing)\b|\brenam|\bmigrat|\bsplit|\bclean ?up", re.IGNORECASE)
_SHARED = 3


def _candidates(cause: str, found: Exposure, collected: Collected) -> tuple[str, ...]:
    """The candidate that brought the fault, where the fix came after it."""
    tag = collected.released.get(cause)
    return (tag,) if tag and tag != found.release else ()


def released_part(reading: Reading, absent: Collection[str]) -> Reading:
    """The reading as readers of the newest release meet it: without what takes away or alters names that came after it, or goes
    back to what it has, and with its value in place of one that the branch had for a while.
    """
    left = tuple(_from_release(f) for f in reading.findings if not _is_unreleased(f, absent))
    return reading if left == reading.findings else replace(reading, findings=left)


def _from_release(finding: Finding) -> Finding:
    return replace(finding, before=finding.released, released=None) if finding.released else finding


def branch_part(reading: Reading, back: Collection[str]) -> Reading:
    """The reading without values that a change puts back to what the newest release has: who runs that meets no change."""
    left = tuple(f for f in reading.findings if not is_back(f, back)) if back else reading.findings
    return reading if len(left) == len(reading.findings) else replace(reading, findings=left)


def is_back(finding: Finding, back: Collection[str]) -> bool:
    """One value for another: what goes has its line in the file as it was, and what comes may stand there a second time."""
    turned = finding.before is not None and finding.after is not None and kind_of(finding.kind).change not in GONE
    return turned and f"{finding.path}:{finding.line}" in back


def _is_unreleased(finding: Finding, absent: Collection[str]) -> bool:
    alters = (finding.breaking or kind_of(finding.kind).change != "added") and not finding.inner
    if finding.released is not None and finding.released in ("", finding.after):
        return True
    if not alters or not absent:
        return False
    if kind_of(finding.kind).family == "module":
        return _came_late(finding.before or finding.symbol, absent)
    if kind_of(finding.kind).change == "moved" and _came_late((finding.before or "").rpartition(".")[0], absent):
        return True
    parts = _LEAF.findall(altered(finding))
    leaves = [form for leaf in parts[-2:] for form in (leaf, leaf.replace("-", "_"))]
    forms = (f"{leaves[0]}({leaves[-1]})", f"{parts[0]}.{parts[-1]}", f"{leaves[0]}.{leaves[-1]}") if leaves else ()
    return not set(absent).isdisjoint((*leaves, *forms))


def _came_late(module: str, absent: Collection[str]) -> bool:
    """A path of the tree may have a folder before what is imported."""
    return bool(module) and any(name == module or name.endswith(f".{module}") for name in absent)


def met(entry: Entry) -> Entry:
    """The change as readers of a release meet it; a requirement keeps the versions of its own lines, which anybody can look up."""
    back, absent = (entry.exposure.back, entry.exposure.absent) if entry.exposure is not None else ((), ())
    part = released_part(branch_part(entry.reading, back), absent)
    own = {f.id: f for f in entry.reading.findings if kind_of(f.kind).requires}
    return replace(entry, reading=replace(part, findings=tuple(own.get(f.id, f) for f in part.findings)))


def weighed(entry: Entry) -> Entry:
    """The grade of a fix by what a release has of the fault. Wrong results that it gives do not count for less because one
    model gives them: nobody who runs it is told, but where its client sees them. Whoever runs the model meets any other fault
    of it. What stops or corrupts what much rests on counts in full by its title where a release has it.
    """
    codes = [reason.code for reason in entry.importance.reasons]
    lower = _less(entry, codes[:1]) if entry.importance.level == "high" else ()
    if lower:
        return _regraded(entry, "medium", lower)
    if entry.exposure is None or not entry.exposure.has or entry.exposure.switch:
        return entry
    if "corrupts" in codes and codes[-1] == "one_model" and area_of(entry) not in field().shell:
        return _regraded(entry, "high", entry.importance.reasons[:-1])
    if codes == ["one_model"]:
        return _regraded(entry, "medium", (_reason("mends"),))
    reason = _met_by_many(entry, codes)
    others = tuple(one for one in entry.importance.reasons if reason is None or one.code != reason.code)
    return _regraded(entry, "high", (reason, *others)[:MAX_REASONS]) if reason else entry


def _met_by_many(entry: Entry, codes: Sequence[str]) -> Reason | None:
    """What a fix of what much rests on says went wrong, where nothing lowers it: that a release has it bears out the title."""
    whole = entry.importance.level == "medium" and "mends" in codes and _LOWERING.isdisjoint(codes)
    found = fault(entry.change, entry.kind, entry.gist) if whole else None
    told = found is not None and (found.titled or (found.quote is not None and found.quote.source == "test"))
    if found is None or not (told and found.shown) or area_of(entry) not in (*field().heart, *field().trunk):
        return None
    name = "corrupts" if found.hazard.does == "corrupts" else found.hazard.name
    return Reason(name, as_said(name, found)) if name in _FAULTS else None


def _less(entry: Entry, first: Sequence[str]) -> tuple[Reason, ...]:
    """Why it is no matter of all who run a release: nobody runs it who has not set a variable, or no release has the fault."""
    if is_opt_in(entry) and entry.kind != "security" and not _corrupts_by_flag(entry, first):
        return (*entry.importance.reasons[:2], _reason("opt_in"))
    if unaffected(entry) and not _FAULTS.isdisjoint(first):
        return (_reason("branch_only"),)
    return ()


def _corrupts_by_flag(entry: Entry, first: Sequence[str]) -> bool:
    """Whoever sets a flag runs it in service, and nobody says that results are wrong; a variable tries something out."""
    return first == ["corrupts"] and entry.exposure is not None and entry.exposure.switch.startswith("--")


_FAULTS = frozenset({"corrupts", "crash", "hang"})
_LOWERING = frozenset({"one_model", "few", "not_yours"})


def is_opt_in(entry: Entry) -> bool:
    """The release runs none of it where nobody sets a variable or a flag that is off by default."""
    return entry.exposure is not None and bool(entry.exposure.switch)


def _regraded(entry: Entry, level: Level, reasons: tuple[Reason, ...]) -> Entry:
    return replace(entry, importance=Importance(level, scored_as(level, entry.importance.score), reasons))


def _reason(code: str) -> Reason:
    return Reason(code, term("judge.reason", code))


def unaffected(entry: Entry) -> bool:
    """No release has what it puts right."""
    return entry.exposure is not None and entry.exposure.has is False and not entry.exposure.picked


def spared(entry: Entry) -> bool:
    """Neither a release nor a candidate of the next one has it, nor what came before a fix that it goes on with; of one that has its lines
    and pins other versions, whoever installed those has it.
    """
    found = entry.exposure
    return unaffected(entry) and found is not None and not (found.candidates or found.after_fix or found.pin)


def is_known(found: Exposure | None) -> bool:
    """Whether a release has what was put right, or that it was picked there."""
    told = found is not None and (found.has is not None or found.picked or bool(found.pin) or found.after_fix)
    return told or (found is not None and (found.some or bool(found.option)))


def dated(text: Text, entry: Entry, group: str, *, picks: bool = False) -> Text:
    """In which release the reader meets it, and that this lacks what it was mended by; of a repair, which one has what it puts
    right. `picks`: and whether it applies there, where no advice beside it says so.
    """
    told = _dated(text, entry, group, picks)
    if not (entry.released and entry.unmended):
        return told
    return say("judge.action.unmended", text=told, tag=entry.released, repair=entry.unmended)


def _dated(text: Text, entry: Entry, group: str, picks: bool) -> Text:
    found = entry.exposure if group == "fix" else None
    if found is not None and (found.release == entry.released or (found.unsaid and entry.released)):
        found = None  # the newest one has the fix: nothing more is known
    if found is not None and (found.unsaid or found.some) and not _replaces(entry):  # there is no line to name
        found = replace(found, has=None if found.unsaid else found.has, some=False)
    if found is not None and is_known(found):
        alone = picks and not _ships_apart(entry) and not _narrows(entry)
        told = _exposed(text, found, entry.released, alone)
        turned = _defaults(entry) if alone and found.has and found.applies and not entry.released else []
        told = say("judge.action.brings", text=told, names=listing(turned, _NEEDS)) if turned else told
        package = _package(entry) if picks and found.has and not (entry.released or _is_awaited(entry)) else None
        return say("judge.action.apart", text=told, package=package) if package else told
    if entry.released:
        return say("judge.action.released", text=text, tag=entry.released)
    if found is not None and can_be_picked(entry):
        return say("judge.action.applies", text=text, tag=found.release)
    if group == "fix":  # that a release lacks it would pass for that this has the fault, which is not known
        return text
    return say("judge.action.branch_only", text=text, tag=entry.after) if entry.after else text


def can_be_picked(entry: Entry) -> bool:
    """It merges into the newest release, and takes nothing away that this offers."""
    applies = entry.exposure is not None and entry.exposure.applies is True
    return applies and not _narrows(entry) and not _ships_apart(entry)


def put_back(text: Text, entry: Entry) -> Text:
    """Of what only goes back to what the newest release has, in all its places, that users of it meet no change."""
    found = entry.exposure
    if found is not None and found.never and found.release == entry.after:
        return say("judge.action.never", text=text, tag=found.release)
    if found is None or not found.back or branch_part(entry.reading, found.back).findings:
        return text
    places = (
        [f"{f.path}:{x.new}" for x in h.lines if x.sign == "+"] for f in front(entry.change) for h in hunks(f.patch)
    )
    if any(set(found.back).isdisjoint(place) for place in places):
        return text
    return say("judge.action.back", text=text, tag=found.release)


def beside_break(text: Text, entry: Entry) -> Text:
    """That it also mends what a release has, beside the break that it comes with, where that hits a part alone. Without one the
    lines that the release has may be those of the break, and nothing is said.
    """
    what = hit(entry) if entry.exposure else ""
    if entry.exposure is None or not what:
        return text
    return say("judge.action.mends_on", text=text, tag=entry.exposure.release, what=what)


def beside_fault(text: Text, entry: Entry) -> Text:
    """Of a fault that leads and the break which its repair brings both releases, the fault's first; nothing of the fault where it is
    not known who has it.
    """
    told = dated(text, entry, "fix") if is_known(entry.exposure) else text
    return say("judge.action.break_later", text=told, tag=entry.after) if entry.after else told


def names_release(text: Text, entry: Entry) -> bool:
    """It says itself what the newest release does, or only goes back to that."""
    back = any(reason.code in OF_BRANCH for reason in entry.importance.reasons)
    return back or (entry.after is not None and any(entry.after in said for said in text.values()))


def _exposed(text: Text, found: Exposure, released: str | None, picks: bool) -> Text:
    tag = found.release
    if found.picked:
        return say("judge.action.picked", text=text, tag=tag)
    part = found.has is None and found.some
    if found.has or part:
        if found.unsaid or part:
            told = _standing(text, found, picks)
        else:
            told = _taken(text, found) if found.taken and not released else _affected(text, found, released, picks)
        newest = found.candidates[-1:] if not released else ()
        return say("judge.action.affects_candidate", text=told, tag=newest[0]) if newest else told
    if found.pin or (found.has is None and found.option):
        return _apart(text, found)
    if found.candidates and not found.after_fix:
        return say("judge.action.candidate", text=text, candidate=listing(found.candidates), tag=tag)
    if found.cause:
        return _since(text, found, found.cause)
    return say("judge.action.unaffected", text=text, tag=tag)


def _apart(text: Text, found: Exposure) -> Text:
    """By what a release with the lines has not the fault: the version of a dependency, or an option that came since."""
    if found.pin:
        return say("judge.action.pinned", text=text, tag=found.release, pin=found.pin)
    return say("judge.action.optional", text=text, tag=found.release, option=found.option)


def _since(text: Text, found: Exposure, cause: str) -> Text:
    """What lacks a fix may have what that was for: it is not called spared of what came with the fix."""
    if found.after_fix:
        return say("judge.action.after_fix", text=text, cause=cause, tag=found.release)
    return say("judge.action.since", text=text, cause=cause, tag=found.release)


def _standing(text: Text, found: Exposure, picks: bool) -> Text:
    """What is known where nobody says what went wrong, or the release lacks some of the lines: that the others are there."""
    if not found.has:  # of some of the lines nobody knows whether they are the fault
        return text
    if picks and found.applies is True and not found.without:
        return say("judge.action.stands_applies", text=text, tag=found.release)
    return say("judge.action.stands", text=text, tag=found.release)


def _replaces(entry: Entry) -> bool:
    """It takes a line of the sources away."""
    return any(line.sign == "-" for file in front(entry.change) for hunk in hunks(file.patch) for line in hunk.lines)


def shows_fault(entry: Entry) -> bool:
    """A release has the fault that it puts right, and somebody says what that is."""
    return entry.exposure is not None and entry.exposure.has is True and not entry.exposure.unsaid


def _taken(text: Text, found: Exposure) -> Text:
    """Who of the watched repositories pins a version that has it: they wait for a release, and pick nothing."""
    pins = series([alike(f"{one.repo.rpartition('/')[2]} {code(one.version)}") for one in found.taken])
    return say("judge.action.affects_taken", text=text, tag=found.release, pins=pins)


def _affected(text: Text, found: Exposure, released: str | None, picks: bool) -> Text:
    tag = found.release
    if released:
        return say("judge.action.affects_released", text=text, tag=tag, released=released)
    if not picks or found.applies is None:
        return say("judge.action.affects", text=text, tag=tag)
    if found.applies and found.without:
        return say("judge.action.affects_without", text=text, tag=tag, paths=listing(found.without, _NEEDS))
    if found.applies:
        return say("judge.action.affects_applies", text=text, tag=tag)
    if needs := found.needs or found.foreign:
        names = listing(needs, _NEEDS)
        lacks = say("judge.action.affects_lacks", text=text, tag=tag, names=names)
        return lacks if found.needs else say("judge.action.affects_foreign", text=text, tag=tag, names=names)
    return say("judge.action.affects_moved", text=text, tag=tag)


def _narrows(entry: Entry) -> bool:
    """It takes something away that the release offers, or a model read in its lines what may go wrong by it and no check took that
    sentence away; a check that goes takes nothing away.
    """
    return (
        entry.breaking
        or bool(risks(entry))
        or any(
            f.breaking
            or kind_of(f.kind).effect == "tightened"
            or (kind_of(f.kind).change in GONE and kind_of(f.kind).effect != "relaxed")
            for f in entry.reading.findings
        )
    )


def _defaults(entry: Entry) -> list[str]:
    """Settings whose default is another with it."""
    ours = (f for f in entry.reading.findings if is_front(f.path))
    return [f.symbol for f in ours if kind_of(f.kind).change == "default_changed" and kind_of(f.kind).is_operated]


def _ships_apart(entry: Entry) -> bool:
    """It comes with a package of its own, which whoever picks it has not built."""
    return _is_awaited(entry) or _package(entry) is not None


def _is_awaited(entry: Entry) -> bool:
    """A finding says when it takes effect."""
    return any(finding.effective for finding in entry.reading.findings)


def _package(entry: Entry) -> str | None:
    """The one package with a release of its own that has all of it."""
    found = {effective_with(profile_of(entry.change.repo), file.path) for file in front(entry.change)}
    return found.pop() if len(found) == 1 else None


def _name(change: Change) -> str:
    return f"#{change.pr}" if change.pr else change.short

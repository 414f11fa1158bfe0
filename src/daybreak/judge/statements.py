"""Statements about one change: its findings, or else its one sentence; where there is neither, its size and place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist
from daybreak.core.model.statements import Dimension, Level, Role, Statement, Text
from daybreak.core.words import say
from daybreak.core.words.grammar import MAX_CODE, ended, large, listing, sentence
from daybreak.findings.kinds import kind_of
from daybreak.findings.paths import area, component
from daybreak.judge import phrases
from daybreak.judge.replacements import replaced

_SENTENCES: dict[Level, int] = {"high": 4, "medium": 2, "low": 1}
"""How many findings sentences a change of each level gets."""
_SOURCES = frozenset({"api", "code", "kernel"})


def statements(
    change: Change, reading: Reading, level: Level, gist: Gist | None = None, had: Reading | None = None
) -> tuple[Statement, ...]:
    """What one change does, for the report: a change that says itself what it does is quoted, not measured. `had`: the
    reading without what no release had, of which nobody is advised.
    """
    plain = _special(change)
    if plain is not None:
        return (plain,)
    told = phrases.what(reading.findings, _SENTENCES[level])
    out = [_statement("what", p.text, change, p.findings) for p in told]
    if gist is not None and gist.source != "finding" and (level != "low" or not out):
        out.append(_statement("what", ended(gist.text), change))
    if level == "low":
        return (*(out[:1] or [_place("what", change)]), *_unread(change, reading))
    if not out:
        out.append(_place("what", change))
    left = reading.findings if had is None else had.findings
    out.extend(_consequences(change, left, level))
    # that no release had a name which comes with the change says nothing of whom it hits
    never = [f for f in reading.findings if f.breaking and f not in left and kind_of(f.kind).change != "added"]
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


def _place(role: Role, change: Change) -> Statement:
    """Size and place, which is all there is to say without findings."""
    if (
        change.files_total == 1
        and len(change.files) == 1
        and not change.merged
        and len(change.files[0].path) <= MAX_CODE
    ):
        (file,) = change.files
        if file.binary:
            return _statement(role, say("judge.change.one_binary", path=file.path), change)
        text = say("judge.change.one_file", path=file.path, added=change.added, deleted=change.deleted)
        return _statement(role, text, change)
    counts = _counts(change)
    if parts := _mainly(change):
        counts = say("judge.change.counts_in", counts=counts, parts=listing(parts, _PARTS))
    return _statement(role, sentence(counts), change)


def _mainly(change: Change) -> list[str]:
    """The few folders in which more than half of its files and of its lines lie; of a change spread over more, none."""
    files, lines = Counter[str](), Counter[str]()
    for file in change.files:
        files[component(file.path)] += 1
        lines[component(file.path)] += file.added + file.deleted + 1
    first = [name for name, _ in lines.most_common(_PARTS)]
    most = all(2 * sum(one[name] for name in first) > one.total() for one in (files, lines))
    return first if most else []


_PARTS = 3


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
        yield _statement("risk", say("judge.change.omitted", n=reading.omitted), change)
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

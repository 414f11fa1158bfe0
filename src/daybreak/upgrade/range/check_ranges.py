"""Checks an upgrade report against its own commits: what the range did not do is not told.

A net finding must come from findings that were read in its commits; its words, those of hits and of the summary must
stand in what they rest on. A finding that stands is never lost with its words: the page then tells it plainly.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Grounding, Statement, Text
from daybreak.core.model.upgrade import Hit, Net, Outage, RangeReport
from daybreak.core.text import plain
from daybreak.findings.kinds import CAME, kind_of
from daybreak.judge.as_typed import as_typed
from daybreak.judge.checks.evidence import FactEvidence, repository_evidence
from daybreak.judge.checks.statements import judge, sift, total
from daybreak.upgrade.range import summary_of
from daybreak.upgrade.range.check_range_pages import check_pages

__all__ = ["check_pages", "check_range"]

_Told = tuple[str, str, str | None, str | None, str]
_NetKey = tuple[Finding, tuple[str, ...]]
_WORD = re.compile(r"\w+")
_WHOLE = re.compile(r"[。！？.!?]$")


def check_range(report: RangeReport) -> RangeReport:
    """The same report without what its commits do not bear out; `grounding` counts what was dropped and why."""
    facts = _Facts.of(report)
    reasons: Counter[str] = Counter()
    nets = tuple(_nets(report.nets, facts, reasons))
    hits = None if report.hits is None else tuple(_hits(report, nets, facts, reasons))
    outages = tuple(_outages(report.outages, facts, reasons))
    ignored = _ignored(report, nets, reasons)
    kept = replace(report, nets=nets, hits=hits, outages=outages, ignored=ignored)
    # What was dropped is counted in no sentence either.
    summary, said = _summary(replace(kept, summary=summary_of(kept)) if reasons else kept)
    checked = len(report.nets) + len(report.hits or ()) + len(report.outages) + (report.hits is not None)
    dropped = reasons.total()
    own = Grounding(checked, checked - dropped, dropped, dict(sorted(reasons.items())))
    before = Grounding(report.grounding.dropped, 0, report.grounding.dropped, report.grounding.by_reason)
    return replace(kept, summary=summary, grounding=total((before, own, said)))


class _Facts(Struct, frozen=True):
    """Commits of the range, and what is known of each."""

    entries: Mapping[str, Entry]
    gained: frozenset[str]
    lost: frozenset[str]
    read: Mapping[tuple[str, _Told], bool]
    """(sha, finding) of what the range gains -> whether it breaks."""

    @classmethod
    def of(cls, report: RangeReport) -> _Facts:
        entries = {e.change.sha: e for e in (*report.entries, *report.left_behind)}
        gained = frozenset(report.span.gained)
        read: dict[tuple[str, _Told], bool] = {}
        for sha in gained & entries.keys():
            for finding in entries[sha].reading.findings:
                key = (sha, _told(finding))
                read[key] = read.get(key, False) or finding.breaking
        return cls(entries, gained, frozenset(report.span.lost), read)

    def holds(self, net: Net) -> bool:
        """One commit did it, and it stands there word for word."""
        told, breaks = _told(net.finding), net.finding.breaking
        return any(self.read.get((sha, told)) in (True, breaks) for sha in net.commits)

    def alike(self, net: Net) -> list[tuple[Finding, bool]]:
        """What was read in a net's commits of the same subject, and whether the range takes it back."""
        subject = kind_of(net.finding.kind).family
        known = [self.entries[sha] for sha in net.commits if sha in self.entries]
        found = ((f, e.change.sha not in self.gained) for e in known for f in e.reading.findings)
        return [(f, back) for f, back in found if kind_of(f.kind).family == subject]


# --- nets --------------------------------------------------------------------------------------------------------


def _nets(nets: Iterable[Net], facts: _Facts, reasons: Counter[str]) -> Iterator[Net]:
    for net in nets:
        if fault := _net_fault(net, facts):
            reasons[fault] += 1
            continue
        under = tuple(one for one in net.under if not _net_fault(one, facts))
        kept = net if len(under) == len(net.under) else replace(net, under=under)
        if fault := _words_fault(_words(net), _net_evidence(net, facts)):
            reasons[fault] += 1
            kept = replace(kept, text={}, who=None, how=None)
        yield kept


def _net_fault(net: Net, facts: _Facts) -> str:
    """Why a net is not what its commits did; empty when it is."""
    strange = any(sha not in facts.gained and sha not in facts.lost for sha in net.commits)
    if strange or not any(sha in facts.entries for sha in net.commits):
        return "unknown_net"
    if facts.holds(net) or _is_made(net, facts.alike(net)):
        return ""
    return "finding_not_read"


def _is_made(net: Net, alike: Sequence[tuple[Finding, bool]]) -> bool:
    """Several steps made it (renamed twice), or the range takes a step back: no name or value comes from elsewhere.

    What came or went must have come or gone in one of the steps, a step taken back counting as its opposite.
    """
    wanted = net.finding
    if len(alike) < 2 and not any(back for _, back in alike):
        return False
    named = [(f, back) for f, back in alike if wanted.symbol in (f.symbol, f.before, f.after)]
    if len(net.commits) == len(named) == 1 and named[0][0].kind == wanted.kind and not named[0][1]:
        return False  # nothing else happened to it, so it must stand there word for word
    turns = {_turn(f.kind, back) for f, back in alike}
    if _turn(wanted.kind, False) not in (*turns, ""):
        return False
    if wanted.breaking and not any(back or f.breaking for f, back in alike):
        return False
    known = {word for f, _ in alike for value in _of_finding(f) for word in _WORD.findall(value or "")}
    return all(set(_WORD.findall(value or "")) <= known for value in _of_finding(wanted)[:4])


def _turn(kind: str, back: bool) -> str:
    """`added` or `removed`, and empty for what does neither."""
    change = kind_of(kind).change
    came, went = change in CAME, change == "removed"
    return "" if not came and not went else "added" if came != back else "removed"


def _told(finding: Finding) -> _Told:
    return finding.kind, finding.symbol, finding.before, finding.after, finding.path


def _net_evidence(net: Net, facts: _Facts) -> str:
    """All that the net's own finding says, and those of its commits where several made it."""
    others = [] if facts.holds(net) else [f for f, _ in facts.alike(net)]
    return "\n".join("\n".join(filter(None, _of_finding(f))) for f in (net.finding, *others))


def _of_finding(finding: Finding) -> tuple[str | None, ...]:
    where, typed = finding.alias.where if finding.alias else None, as_typed(finding)
    told = (finding.symbol, finding.before, finding.after, finding.path, finding.effective, finding.default, where)
    return (*told, typed.text if typed else None)


def _words(net: Net) -> list[Text]:
    return [text for text in (net.text, net.who, net.how) if text]


def _words_fault(texts: Iterable[Text], evidence: str) -> str:
    """The first objection to any of the sentences; a part of a sentence is judged as if it ended here."""
    known = {"fact": plain(evidence)}
    for text in texts:
        whole = {x: said if _WHOLE.search(said) else f"{said}." for x, said in text.items()}
        verdict = judge(Statement("what", whole, ("fact",)), known)
        if not verdict.ok:
            return verdict.reason
    return ""


# --- hits --------------------------------------------------------------------------------------------------------


def _key(net: Net) -> _NetKey:
    return net.finding, net.commits


def _all(nets: Iterable[Net]) -> Iterator[Net]:
    """The nets and what stands under them."""
    for net in nets:
        yield net
        yield from _all(net.under)


def _hits(report: RangeReport, nets: Iterable[Net], facts: _Facts, reasons: Counter[str]) -> Iterator[Hit]:
    """Hits of nets that stand; one whose words do not stand is told in the words of its net."""
    standing = {_key(net): net for net in _all(nets)}
    for hit in report.hits or ():
        net = standing.get(_key(hit.net))
        if net is None or hit.repo != report.span.repo.name or not hit.use.path or hit.use.line < 1:
            reasons["unknown_net"] += 1
            continue
        evidence = f"{_net_evidence(net, facts)}\n{_hit_evidence(hit, report)}"
        if fault := _words_fault([t for t in (hit.why, hit.action) if t], evidence):
            reasons[fault] += 1
            said = net.text or dict.fromkeys(hit.why, f"`{net.finding.symbol.replace('`', '')}`.")
            hit = replace(hit, why=said, action=net.how or {})  # noqa: PLW2901  # the place stays, the words go
        yield replace(hit, net=net)


def _hit_evidence(hit: Hit, report: RangeReport) -> str:
    use, span = hit.use, report.span
    parts = [use.name, use.path, f"{use.path}:{use.line}", str(use.line), use.text, use.value, use.program]
    parts += [*use.keywords, None if use.positional is None else str(use.positional), hit.pinned, hit.pin_at]
    parts += [hit.net.since, hit.repo, span.start.name, span.end.name]
    return "\n".join(filter(None, parts))


def _ignored(report: RangeReport, nets: Iterable[Net], reasons: Counter[str]) -> int:
    """Breaking nets that no hit names. One whose hit was dropped is not among them: it is not known to be safe."""
    if report.hits is None:
        return 0
    touched = {_key(hit.net) for hit in report.hits}

    def count(found: Iterable[Net]) -> int:
        return sum(net.finding.breaking and not any(_key(n) in touched for n in _all((net,))) for net in found)

    if report.ignored != count(report.nets):
        reasons["wrong_count"] += 1
    return count(nets)


# --- outages and the summary -------------------------------------------------------------------------------------


def _outages(outages: Iterable[Outage], facts: _Facts, reasons: Counter[str]) -> Iterator[Outage]:
    for outage in outages:
        if _outage_stands(outage, facts):
            yield outage
        else:
            reasons["outage_disagrees"] += 1


def _outage_stands(outage: Outage, facts: _Facts) -> bool:
    """Times are those of the commits where they are known, and the ends lie where the commits say.

    The end holds what the range gains, so a repair among it ends the fault there; a fault among it can be in the start
    only as a copy on a line of its own. Of a fault before and a repair after the range nothing more is known here than
    that both ends lie between them.
    """
    fault = facts.entries.get(outage.fault)
    repair = facts.entries.get(outage.repair or "")
    if fault is None and repair is None and not (outage.holds_start and outage.holds_end):
        return False
    if fault and fault.change.committed_at != outage.start:
        return False
    if repair and (outage.end is None or repair.change.committed_at != outage.end):
        return False
    if outage.end is not None and outage.end < outage.start:
        return False
    if outage.holds_start and outage.fault in facts.gained and not facts.lost:
        return False
    return not (outage.holds_end and outage.repair in facts.gained)


def _summary(report: RangeReport) -> tuple[tuple[Statement, ...], Grounding]:
    """The statements that stand; an end that is named by its sha may be, which no other sha may."""
    names = {f"`{ref.name}`": f"`{side}`" for ref, side in ((report.span.start, "start"), (report.span.end, "end"))}

    def masked(statement: Statement) -> Statement:
        text = dict(statement.text)
        for name, side in names.items():
            text = {language: said.replace(name, side) for language, said in text.items()}
        return replace(statement, text=text)

    pairs = [(s, masked(s)) for s in report.summary]
    kept, grounding = sift([hidden for _, hidden in pairs], _evidence(report))
    return tuple(s for s, hidden in pairs if any(hidden is one for one in kept)), grounding


def _evidence(report: RangeReport) -> FactEvidence:
    """Evidence of the summary: commits, files and findings of the range; the repository's counts are the range's."""
    span = report.span
    repo = RepoReport(span.repo, None, None, report.entries, report.left_behind, in_git=len(span.gained))
    known = repository_evidence(repo)
    name = f"repo:{span.repo.name}"
    more: dict[str, Callable[[], str]] = {
        f"finding:{net.finding.id}": partial(_joined, _of_finding(net.finding)) for net in report.nets
    }
    more[name] = lambda: f"{known[name]}\n{_counts(report)}"
    return known.merged(FactEvidence(more))


def _joined(parts: Iterable[str | None]) -> str:
    return "\n".join(filter(None, parts))


def _counts(report: RangeReport) -> str:
    """The numbers that a summary may state."""
    span, outages = report.span, report.outages
    broken = [net.finding for net in report.nets if net.finding.breaking]
    inner = [one for one in broken if kind_of(one.kind).mark == "internals"]
    inside = sum(o.holds_end for o in outages)
    mended = sum(o.holds_start and not o.holds_end for o in outages)
    parts = [
        span.repo.name,
        "start",
        span.start.name,
        "end",
        span.end.name,
        f"gained {len(span.gained)}",
        f"lost {len(span.lost)}",
    ]
    parts += [f"entries {len(report.entries)}", f"left behind {len(report.left_behind)}", f"nets {len(report.nets)}"]
    parts += [
        f"breaking {len(broken)}",
        *(f"{name} {n}" for name, n in Counter(kind_of(f.kind).surface for f in broken if f not in inner).items()),
        f"breaking for users {len(broken) - len(inner)}",
        f"for forks {len(inner)}",
    ]
    parts += [f"outages {len(outages)}", f"at the end {inside}", f"mended {mended}"]
    parts += [f"between {len(outages) - inside - mended}", f"skipped {len(report.skipped) + len(span.skipped)}"]
    return "\n".join([*parts, f"hits {len(report.hits or ())}", f"ignored {report.ignored}"])

"""The upgrade report between two refs: what breaks first, then what was broken, changed, repaired and added."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from daybreak.core.day_json import encoded, fields_of
from daybreak.core.markdown_page import page_digests
from daybreak.core.model.changes import Skipped
from daybreak.core.model.day import Commit
from daybreak.core.model.report import Entry, Page
from daybreak.core.model.statements import Statement, Text
from daybreak.core.model.upgrade import Hit, Net, Outage, RangeReport, Ref, Span
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, code, ended, joined
from daybreak.core.words.phrases import language_name
from daybreak.findings.kinds import kind_of, surfaces
from daybreak.findings.unread import unread_languages
from daybreak.judge import phrases
from daybreak.judge.day_value import finding_of, statements_of
from daybreak.report.render.change import told_with_links
from daybreak.report.render.escape import text
from daybreak.report.render.sections import skipped_block
from daybreak.store.report_files import RANGES
from daybreak.upgrade import advice_data, use_data
from daybreak.upgrade.range.range_nets import (
    behaviour_section,
    breaking_section,
    faults_apart,
    hits_section,
    judged_section,
    other_section,
)
from daybreak.upgrade.range.range_sections import (
    MARKER,
    RangeEdition,
    Section,
    announced_section,
    appendix,
    as_repo,
    breaking_nets,
    commit_pages,
    commits_section,
    features_section,
    fixes_section,
    judged,
    left_section,
    lines_shown,
    of_internals,
    outages_section,
    performance_section,
    range_editions,
    range_stem,
    reverted,
    shown_name,
    skipped_of,
)

# --- The upgrade report as data, `reports/range/OWNER-NAME-A..B.json`: what other programs read ---


SCHEMA = "daybreak.range/1"
MOSTLY = 0.5
"""A share of sources without a reader, from which on silence says nothing."""


class RangeData:
    """Renders the JSON file of an upgrade report."""

    def pages(self, report: RangeReport, told: Sequence[Page] = ()) -> tuple[Page, ...]:
        """The one file, which knows the pages that were written with it: a range is too long to be made again by `verify`."""
        digests = page_digests((page.path, page.text) for page in told)
        return (Page(f"{RANGES}/{range_stem(report)}.json", encoded(as_range_data(report) | {"pages": digests})),)


def as_range_data(report: RangeReport) -> dict[str, Any]:
    """All of the report; statements about single commits are not part of it, since its pages tell none."""
    span, repo, broken = report.span, as_repo(report), breaking_nets(report)
    return {
        "schema": SCHEMA,
        "repo": {"name": span.repo.name, "url": span.repo.url},
        "start": _ref(span.start),
        "end": _ref(span.end),
        "languages": list(report.languages),
        "tool": {"name": "daybreak", "version": report.tool_version},
        "coverage": {
            "commits_in_git": len(span.gained),
            "commits_reported": len(report.entries),
            "lost_in_git": len(span.lost),
            "left_behind": len(report.left_behind),
            "breaking": len(broken) - of_internals(broken),
            "internals": of_internals(broken),
            "judged": len(judged(report)),
            "skipped": skipped_of(report),
        },
        "summary": statements_of(report.summary),
        "hits": None if report.hits is None else [_hit(hit) for hit in report.hits],
        "ignored": report.ignored,
        "unread": report.unread,
        "unread_languages": unread_languages(e.change for e in report.entries),
        "nets": [net_data(net) for net in report.nets],
        "judged": [e.change.sha for e in judged(report)],
        "reverted": sorted(reverted(report)),
        "had": list(report.had),
        "outages": [_outage(outage) for outage in report.outages],
        "commits": [_commit(span, one) for one in repo.commits],
        "left_behind": [_commit(span, one) for one in repo.late],
        "gained": list(span.gained),
        "lost": list(span.lost),
        "grounding": report.grounding,
    }


def net_data(net: Net) -> dict[str, Any]:
    """One net finding with its words."""
    return {
        **fields_of(finding_of(net.finding)),
        "surface": kind_of(net.finding.kind).surface,
        "commits": list(net.commits),
        "since": net.since,
        "names": list(net.names),
        "under": [net_data(one) for one in net.under],
        "text": net.text,
        "who": net.who,
        "how": net.how,
        "says": net.says,
        "only": list(net.only),
    }


def _ref(ref: Ref) -> dict[str, Any]:
    return {"name": ref.name, "sha": ref.sha, "committed_at": ref.committed_at.isoformat()}


def _commit(span: Span, commit: Commit) -> dict[str, Any]:
    data = fields_of(commit)
    del data["statements"], data["story"], data["hunks"]
    data["released"] = commit.released or span.released.get(commit.sha)
    return data


def _outage(outage: Outage) -> dict[str, Any]:
    return {
        "fault": outage.fault,
        "repair": outage.repair,
        "fault_title": outage.fault_title,
        "repair_title": outage.repair_title,
        "from": outage.start.isoformat(),
        "to": outage.end.isoformat() if outage.end else None,
        "holds_start": outage.holds_start,
        "holds_end": outage.holds_end,
        "repaired_in": outage.repaired_in,
        "repair_says": outage.repair_says,
        "repair_files": list(outage.repair_files),
    }


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "certainty": hit.certainty,
        "use": use_data(hit.use),
        "net": net_data(hit.net),
        **advice_data(hit),
    }


SKIPPED_SHOWN = 5
LINES_SHOWN = 290
"""Of a page before folds: so many are read in one go. What breaks gets all that the rest leaves."""


class RangePages:
    """Renders an upgrade report: a page for each language, and its data."""

    def pages(self, report: RangeReport) -> tuple[Page, ...]:
        """The main edition first, the data last."""
        told = [page for ed in range_editions(report) for page in (range_page(ed), *commit_pages(ed, _title(ed)))]
        return (*told, *RangeData().pages(report, told))


def range_page(ed: RangeEdition) -> Page:
    """`reports/range/OWNER-NAME-A..B.md` of one language."""
    head = [MARKER, f"# {_title(ed)}", _head_line(ed), _links(ed), *_skipped(ed), *_notes(ed), *_summary(ed)]
    end = appendix(ed)
    first, rest = (hits_section(ed), faults_apart(ed)), _after_breaking(ed)
    around = [*head, *end, *(block for section in (*first, *rest) for block in _blocks(section))]
    breaking = breaking_section(ed, LINES_SHOWN - lines_shown(around))
    sections = [s for s in (*first, breaking, *rest) if s.blocks]
    blocks = [*head, _contents(ed, sections), *(block for section in sections for block in _blocks(section)), *end]
    return Page(f"{RANGES}/{ed.file()}", "\n\n".join(filter(None, blocks)) + "\n")


def _blocks(section: Section) -> tuple[str, ...]:
    """With its heading; one without content is left out."""
    return (f'<a id="{section.id}"></a>', f"## {section.name}", *section.blocks) if section.blocks else ()


def _after_breaking(ed: RangeEdition) -> tuple[Section, ...]:
    """In the order a reader needs them."""
    return (
        judged_section(ed),
        announced_section(ed),
        outages_section(ed),
        behaviour_section(ed),
        fixes_section(ed),
        performance_section(ed),
        features_section(ed),
        other_section(ed),
        left_section(ed),
        commits_section(ed),
    )


def _title(ed: RangeEdition) -> str:
    span = ed.upgrade.span
    start, end = (text(shown_name(ref)) for ref in (span.start, span.end))
    return ed.t("range.title", repo=text(span.repo.name), start=start, end=end)


def _head_line(ed: RangeEdition) -> str:
    """Both ends and the counts, in the one form that the check reads."""
    t, report = ed.t, ed.upgrade
    span = report.span
    broken = breaking_nets(report)
    inner = of_internals(broken)
    counted = [
        t("head.commits", reported=len(report.entries), in_git=len(span.gained)),
        t("range.left", n=len(report.left_behind)),
    ]
    parts = [
        t("range.tree_ends" if ed.trees else "range.ends", start=ed.place(span.start), end=ed.place(span.end)),
        *([] if ed.trees else counted),
        t("head.breaking", n=len(broken) - inner) + (t("range.for_forks", n=inner) if inner else ""),
        *([t("range.judged_count", n=len(loose))] if (loose := judged(report)) else []),
        t("head.skipped", n=len(skipped_of(report))),
    ]
    return ("> " + " · ".join(parts)).replace("） ", "）")


def _links(ed: RangeEdition) -> str:
    links = [ed.link(language_name(x), ed.file(x)) for x in ed.others()]
    return " · ".join([*links, ed.link(ed.t("appendix.data"), ed.data_file())])


def _skipped(ed: RangeEdition) -> list[str]:
    """What could not be had stands before everything else; many of them by their number, so that they hide nothing."""
    skipped = skipped_of(ed.upgrade)
    if len(skipped) <= SKIPPED_SHOWN:
        return skipped_block(ed, skipped)
    return [f"> ⚠️ **{ed.t('section.skipped')}**{ed.t('page.colon')}{ed.t('range.skipped_many', n=len(skipped))}"]


def _summary(ed: RangeEdition) -> list[str]:
    """The range in short; a range without content has said all in its note."""
    report = ed.upgrade
    if not (report.entries or report.left_behind or report.nets):
        return []
    return ["\n".join(f"- {told_with_links(ed, (ed.repo,), s)}" for s in statements_of(report.summary))]


def _notes(ed: RangeEdition) -> list[str]:
    """What kind of range this is, where it is not simply a step forward."""
    span = ed.upgrade.span
    names = {"start": ed.name(span.start), "end": ed.name(span.end)}
    if ed.trees:
        return [] if ed.upgrade.entries else [ed.t("range.trees_same", **names)]
    if span.start.sha == span.end.sha:
        return [ed.t("range.same_name" if names["start"] == names["end"] else "range.same", **names)]
    if not span.gained and not ed.upgrade.entries and span.lost:
        return [ed.t("range.back", **names)]
    return []


def _contents(ed: RangeEdition, sections: list[Section]) -> str:
    """Where to find what, with how much of it there is."""
    return " · ".join(f"[{ed.t('stats.item', name=s.name, n=s.count)}](#{s.id})" for s in sections)


# --- The first lines of an upgrade report: how much there is, what breaks and where, and whether an end is at fault ---


SURFACES = tuple(one for one in surfaces() if one != "safe")
"""In the order in which a report shows them."""
_CITED = 8
_SHA = re.compile(r"[0-9a-fA-F]{7,64}")


def range_summary(
    span: Span,
    entries: Sequence[Entry],
    left: Sequence[Entry],
    nets: Sequence[tuple[Net, str]],
    outages: Sequence[Outage],
    skipped: Sequence[Skipped],
) -> tuple[Statement, ...]:
    """Up to five statements; each net comes with the surface it belongs to."""
    where = f"repo:{span.repo.name}"
    if not entries and not left:
        start, end = _ends(span)
        return (Statement("what", say("upgrade.range.nothing", start=start, end=end), (where,)),)
    return (
        *_counts(where, span, entries),
        *_breaks(where, entries, nets),
        *_faults(where, span, outages),
        *_left(where, span, left),
        *_unread(where, skipped),
    )


def _ends(span: Span) -> tuple[Text, Text]:
    """Both ends in words; a sha is no name that a sentence is better for."""
    start, end = span.start.name, span.end.name
    return (
        say("upgrade.range.start") if _SHA.fullmatch(start) else alike(code(start)),
        say("upgrade.range.end") if _SHA.fullmatch(end) else alike(code(end)),
    )


def _counts(where: str, span: Span, entries: Sequence[Entry]) -> Iterator[Statement]:
    if not entries or not span.repo.url:  # the one change between two folders of sources is made up
        return
    start, end = _ends(span)
    levels = Counter(entry.importance.level for entry in entries)
    told = say("judge.tally.levels", high=levels["high"], medium=levels["medium"], low=levels["low"])
    text = say("upgrade.range.counts", start=start, end=end, n=len(entries), levels=told)
    yield Statement("what", text, (where,))


def _breaks(where: str, entries: Sequence[Entry], nets: Sequence[tuple[Net, str]]) -> Iterator[Statement]:
    found = [(net, surface) for net, surface in nets if net.finding.breaking]
    if not found:
        if any(entry.breaking and not any(f.breaking for f in entry.reading.findings) for entry in entries):
            yield Statement("what", say("upgrade.range.apart"), (where,), "compatibility")
        elif entries:
            yield Statement("what", _nothing_seen(entries), (where,), "compatibility")
        return
    inner = of_internals([net for net, _ in found])
    counts = Counter(surface for net, surface in found if not of_internals([net]))
    named = (
        say("upgrade.range.surface", surface=term("upgrade.surface", name), n=counts[name])
        for name in SURFACES
        if counts[name]
    )
    parts = [say("upgrade.range.breaks", n=len(found) - inner, surfaces=joined(named, "list"))] if counts else []
    parts += [say("upgrade.range.breaks_forks", n=inner)] if inner else []
    text = joined(parts)
    cited = tuple(f"finding:{net.finding.id}" for net, _ in found[:_CITED])
    yield Statement("action", text, (where, *cited), "compatibility")


def _nothing_seen(entries: Sequence[Entry]) -> Text:
    """That nothing was seen to break, as far as anything was looked at."""
    unread = unread_languages(entry.change for entry in entries)
    names = joined((alike(one.language) for one in unread), "list")
    if sum(one.share for one in unread) >= MOSTLY:
        return say("upgrade.range.not_known", languages=names)
    return say("upgrade.range.breaks_nothing_read", languages=names) if unread else say("upgrade.range.breaks_nothing")


def _faults(where: str, span: Span, outages: Sequence[Outage]) -> Iterator[Statement]:
    start, end = _ends(span)
    inside = sum(o.holds_end for o in outages)
    if inside:
        yield Statement("risk", say("upgrade.range.at_fault", end=end, n=inside), (where,))
    mended = sum(o.holds_start and not o.holds_end for o in outages)
    if mended:
        yield Statement("impact", say("upgrade.range.repaired", start=start, end=end, n=mended), (where,))
    between = len(outages) - inside - mended
    if between:
        more = "more" if inside or mended else "only"
        yield Statement("what", term("upgrade.range_between", more, n=between), (where,))


def _left(where: str, span: Span, left: Sequence[Entry]) -> Iterator[Statement]:
    if left:
        start, end = _ends(span)
        yield Statement("risk", say("upgrade.range.left", start=start, end=end, n=len(left)), (where,))


def _unread(where: str, skipped: Sequence[Skipped]) -> Iterator[Statement]:
    if skipped:
        yield Statement("risk", say("upgrade.range.lost", n=len(skipped)), (where,))


# --- Sentences of net findings: what holds over a range ---


def worded(net: Net) -> Net:
    """The same net with what it is, who meets it and what to write instead."""
    found = (net.finding,)
    told = phrases.what(found, 1)
    text = told[0].text if told else ended(phrases.plain(net.finding))
    return replace(net, text=text, who=phrases.affected(found), how=phrases.remedy(found))

"""The upgrade report between two refs: what breaks first, then what was broken, changed, repaired and added."""

from __future__ import annotations

from daybreak.core.model.report import Page
from daybreak.core.model.upgrade import RangeReport
from daybreak.core.words.catalogue import language_name
from daybreak.report.render.change import told_with_links
from daybreak.report.render.escape import text
from daybreak.report.render.head import skipped_block
from daybreak.upgrade.range.range_data import RangeData
from daybreak.upgrade.range.range_edition import (
    MARKER,
    RangeEdition,
    breaking_nets,
    judged,
    range_editions,
    shown_name,
    skipped_of,
)
from daybreak.upgrade.range.range_nets import (
    behaviour_section,
    breaking_section,
    hits_section,
    judged_section,
    other_section,
)
from daybreak.upgrade.range.range_sections import (
    Section,
    appendix,
    commit_pages,
    commits_section,
    features_section,
    fixes_section,
    left_section,
    outages_section,
    performance_section,
)

SKIPPED_SHOWN = 5


class RangePages:
    """Renders an upgrade report: a page for each language, and its data."""

    def pages(self, report: RangeReport) -> tuple[Page, ...]:
        """The main edition first, the data last."""
        told = [page for ed in range_editions(report) for page in (range_page(ed), *commit_pages(ed, _title(ed)))]
        return (*told, *RangeData().pages(report))


def range_page(ed: RangeEdition) -> Page:
    """`reports/range/OWNER-NAME-A..B.md` of one language."""
    sections = [s for s in _sections(ed) if s.blocks]
    blocks = [MARKER, f"# {_title(ed)}", _head_line(ed), _links(ed)]
    blocks += _skipped(ed)
    blocks += _notes(ed)
    blocks += _summary(ed)
    blocks += [_contents(ed, sections)]
    for section in sections:
        blocks += [f'<a id="{section.id}"></a>', f"## {section.name}", *section.blocks]
    blocks += appendix(ed)
    return Page(f"reports/range/{ed.file()}", "\n\n".join(filter(None, blocks)) + "\n")


def _sections(ed: RangeEdition) -> tuple[Section, ...]:
    """In the order a reader needs them; those without content are left out."""
    return (
        hits_section(ed),
        breaking_section(ed),
        judged_section(ed),
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
    counted = [
        t("head.commits", reported=len(report.entries), in_git=len(span.gained)),
        t("range.left", n=len(report.left_behind)),
    ]
    parts = [
        t("range.tree_ends" if ed.trees else "range.ends", start=ed.place(span.start), end=ed.place(span.end)),
        *([] if ed.trees else counted),
        t("head.breaking", n=len(breaking_nets(report))),
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
    return ["\n".join(f"- {told_with_links(ed, (ed.repo,), s)}" for s in report.summary)]


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

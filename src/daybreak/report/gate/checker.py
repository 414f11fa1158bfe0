"""All checks together: what comes out of here may be shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from msgspec.structs import replace

from daybreak.core.model.report import MOST_ACTIONS, Entry, Page, RepoReport, Report, Touches
from daybreak.core.model.statements import Grounding
from daybreak.report.gate.evidence import day_evidence, repository_evidence
from daybreak.report.gate.forge import forge_evidence, sifted_late, standing
from daybreak.report.gate.interface import Evidence
from daybreak.report.gate.statements import sift, sift_actions, total

PAGES = "daybreak.report.gate.markdown"
"""Holds `problems(pages, report, existing)`; loaded when pages are checked, not when statements are."""


class AllChecks:
    """Sifts statements against the facts, and pages against the data."""

    def repository(self, repo: RepoReport) -> RepoReport:
        evidence = repository_evidence(repo)
        entries, one = _entries(repo.entries, evidence)
        late, two = _entries(repo.late, evidence)
        assessment, three = sift(repo.assessment, evidence)
        return replace(repo, entries=entries, late=late, assessment=assessment, grounding=total((one, two, three)))

    def day(self, report: Report) -> Report:
        evidence, four = day_evidence(report.repos, report.window), Grounding()
        if report.forge is not None:
            evidence = evidence.merged(forge_evidence(report.forge))
            forge, four = standing(report.forge, evidence)
            repos = tuple(sifted_late(repo, evidence) for repo in report.repos)
            report = replace(report, forge=forge, repos=repos)
        actions, one = sift_actions(report.actions, evidence)
        summary, two = sift(report.summary, evidence)
        conclusion, three = sift(report.conclusion, evidence)
        # What a model said of the day and was dropped before is counted already.
        grounding = total((*(r.grounding for r in report.repos), report.grounding, one, two, three, four))
        return replace(
            report,
            actions=actions[:MOST_ACTIONS],
            summary=summary,
            conclusion=conclusion,
            grounding=grounding,
            touches=_borne_out(report),
        )

    def pages(self, pages: Sequence[Page], report: Report, existing: Callable[[str], bool]) -> tuple[str, ...]:
        found: Sequence[str] = import_module(PAGES).problems(pages, report, existing)
        return tuple(found)


def _borne_out(report: Report) -> Touches | None:
    """Touches whose changes and findings are in the report; of the reader's own file nothing else can be known."""
    if report.touches is None:
        return None
    shas = {(repo.repo.name, entry.change.sha) for repo in report.repos for entry in repo.entries}
    known = {finding.id for entry in report.entries for finding in entry.reading.findings}
    kept = tuple(
        one
        for one in report.touches.found
        if one.commits and all((one.repo, sha) in shas for sha in one.commits) and set(one.findings) <= known
    )
    return replace(report.touches, found=kept)


def _entries(entries: Sequence[Entry], evidence: Evidence) -> tuple[tuple[Entry, ...], Grounding]:
    """The same entries with the statements that stand."""
    out: list[Entry] = []
    parts: list[Grounding] = []
    for entry in entries:
        kept, grounding = sift(entry.statements, evidence)
        out.append(entry if len(kept) == len(entry.statements) else replace(entry, statements=kept))
        parts.append(grounding)
    return tuple(out), total(parts)

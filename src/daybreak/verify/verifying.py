"""A whole report checked: each check in turn, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from daybreak.core.markdown_page import Page
from daybreak.verify.check_input import Items, Study, when
from daybreak.verify.commit_checks import check_people, check_pulls, check_shas, check_titles
from daybreak.verify.context import Known, scene
from daybreak.verify.day_checks import check_days, check_forge
from daybreak.verify.file_checks import check_counts, check_paths, check_snippets, counted
from daybreak.verify.mirror import Mirror
from daybreak.verify.page_checks import check_anchors, check_cuts, check_leaks, check_links
from daybreak.verify.values import Findings, Verified

CHECKS = (
    check_shas,
    check_links,
    check_pulls,
    check_people,
    check_titles,
    check_paths,
    check_counts,
    check_days,
    check_anchors,
    check_snippets,
    check_cuts,
    check_leaks,
    check_forge,
)
"""In the order in which a reader of the output wants them."""
FIRST_WITH_FILES = check_paths


def verify(
    name: str,
    text: str,
    mirrors: Mapping[str, Mirror],
    *,
    day: str | None = None,
    items: Items | None = None,
    there: Callable[[str], bool] | None = None,
) -> Verified:
    """Check one report; `there` tells whether a file beside it exists, by its path from the report's folder."""
    page = Page(name, text)
    known = Known({name: mirror for name, mirror in mirrors.items() if mirror.usable})
    spots = scene(page, known)
    study = Study(page, spots, known, when(page, spots, day), items or Items(), there, Findings())
    for check in CHECKS:
        if check is FIRST_WITH_FILES:
            _read_files(study)
        check(study)
    return _said(study)


def _read_files(study: Study) -> None:
    """Of all commits of which a line gives paths or counts, at once."""
    wanted: dict[str, dict[str, None]] = {}
    for spot in study.prose:
        if "`" in spot.line.text or counted(spot.line.text):
            for commit in spot.commits:
                wanted.setdefault(commit.repo, {})[commit.sha] = None
    for repo, shas_of in wanted.items():
        study.known.mirrors[repo].prepare(shas_of)


def _said(study: Study) -> Verified:
    page, findings, told = study.page, study.findings, study.when
    if page.too_long:
        findings.unknown("whole", "a line is too long to be read", page.too_long)
    return Verified(
        page.name,
        told.label or None,
        told.zone_name,
        told.source,
        dict(findings.held),
        findings.sorted(),
        dict(findings.unchecked),
    )

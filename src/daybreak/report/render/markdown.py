"""The Markdown renderer: for each language the day page and one page for each repository."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.report import Note, Page, Report
from daybreak.report.render.day_page import day_page
from daybreak.report.render.edition import Edition, editions
from daybreak.report.render.notes import with_notes
from daybreak.report.render.repo_page import repo_page


class MarkdownRenderer:
    """`Renderer` for GitHub Markdown."""

    def pages(self, report: Report) -> tuple[Page, ...]:
        """Day page first, then the repositories, in every language."""
        out: list[Page] = []
        for edition in editions(report):
            out.append(_noted(day_page(edition), edition, report.notes))
            for repo in report.repos:
                own = [note for note in report.notes if note.repo.name == repo.repo.name]
                out.append(_noted(repo_page(edition, repo), edition, own, "../"))
        return tuple(out)


def _noted(page: Page, edition: Edition, notes: Sequence[Note], up: str = "") -> Page:
    if not notes:
        return page
    return Page(page.path, with_notes(page.text, notes, edition.language, edition.ending(edition.language), up))

"""The Markdown renderer: for each language the day page and one page for each repository."""

from __future__ import annotations

from daybreak.model import Page, Report
from daybreak.render.day_page import day_page
from daybreak.render.edition import editions
from daybreak.render.repo_page import repo_page


class MarkdownRenderer:
    """`Renderer` for GitHub Markdown."""

    def pages(self, report: Report) -> tuple[Page, ...]:
        """Day page first, then the repositories, in every language."""
        out: list[Page] = []
        for edition in editions(report):
            out.append(day_page(edition))
            out += [repo_page(edition, repo) for repo in report.repos]
        return tuple(out)

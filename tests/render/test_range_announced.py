"""What maintainers announce stands on an upgrade page as their words, beside the breaks that were found."""

from __future__ import annotations

from markdown_it import MarkdownIt
from msgspec.structs import replace

from daybreak.core.model.quotes import Announcement, Quote, State
from daybreak.upgrade.range.check_ranges import check_pages
from daybreak.upgrade.range.range_page import RangePages
from render import range_factory
from render.test_range_pages import HOSTILE, english


def test_what_maintainers_announce_and_no_break_shows_is_quoted_whatever_stands_in_it() -> None:
    def said(text: str, state: State = "not_found", *shown: str) -> Announcement:
        return Announcement("changes", "changelog", Quote("changelog", "CHANGELOG.md", 3, "added", text), state, shown)

    told = (
        said("Credentials are no longer forwarded."),
        said(HOSTILE),
        said("An older release", "elsewhere"),
        said("Swap space is gone", "found", range_factory.REMOVED.id),
    )
    first, *rest = range_factory.entries()
    report = replace(range_factory.report(), entries=(replace(first, announced=told), *rest))
    page = english(report)
    assert "“Credentials are no longer forwarded.” [#101]" in page
    assert "[Announced by its maintainers 2](#announced)" in page
    assert "An older release" not in page, "it is of changes that stand not in this range"
    assert "“Swap space is gone”" not in page, "a break that was found says it"
    assert check_pages(RangePages().pages(report), report) == []
    assert "<img" not in MarkdownIt("commonmark", {"html": False}).render(page)

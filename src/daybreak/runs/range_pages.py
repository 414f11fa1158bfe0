"""An upgrade report as pages that agree with its data, and into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from daybreak.core.errors import CheckError
from daybreak.core.model.report import Page, Receipt
from daybreak.core.model.upgrade import RangeReport
from daybreak.deliver.publish.folder import FolderPublisher
from daybreak.upgrade.range.check_ranges import check_pages, check_range
from daybreak.upgrade.range.range_page import RangePages
from daybreak.upgrade.range.range_sections import breaking_nets, is_trees, range_label, skipped_of

__all__ = ["checked_pages", "counted", "line", "publish", "skipped_of"]


def checked_pages(report: RangeReport) -> tuple[RangeReport, tuple[Page, ...]]:
    """The report without what its commits do not bear out, and its pages: main edition first, data last.

    Pages that contradict the data are never handed on.
    """
    checked = check_range(report)
    pages = RangePages().pages(checked)
    problems = check_pages(pages, checked)
    if problems:
        span = checked.span
        raise CheckError(
            f"The pages of {span.repo.name} {span.start.name}..{span.end.name} contradict the data"
            f" ({len(problems)} places), so they are not published: {problems[0]}",
            "This is a bug in Daybreak: please report it with the two refs.",
        )
    return checked, pages


def publish(pages: Sequence[Page], out: Path) -> Receipt:
    """All of them or none, and never over a file that is not ours."""
    return FolderPublisher(out).publish(pages)


def line(report: RangeReport) -> str:
    """The report in a line; two folders of sources have no commits to count."""
    trees = is_trees(report)
    counts = [f"{len(breaking_nets(report))} breaking"]
    counts += [] if trees else [f"{len(report.left_behind)} left behind"]
    counts.append(f"{len(skipped_of(report))} skipped")
    if report.hits is not None:
        places = counted(report)
        counts.append(f"{places} place{'' if places == 1 else 's'} of yours touched")
    what = "two source trees compared" if trees else f"{len(report.entries)} commits"
    return f"{report.span.repo.name} {range_label(report)}: {what} ({'; '.join(counts)})"


def counted(report: RangeReport) -> int:
    """Places that are touched and that nobody has acknowledged."""
    return sum(hit.acknowledged is None for hit in report.hits or ())

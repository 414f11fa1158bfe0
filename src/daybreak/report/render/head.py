"""The first lines of a page: marker, title, window and counts, links to the other pages; and what was skipped."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import RepoReport
from daybreak.core.words.catalogue import language_name
from daybreak.report.render.counts import Counts
from daybreak.report.render.edition import MARKER, Edition
from daybreak.report.render.escape import text


def day_head(ed: Edition, counts: Counts) -> list[str]:
    return [MARKER, f"# {ed.t('page.title', label=ed.label)}", head_line(ed, counts), _day_links(ed)]


def repo_head(ed: Edition, repo: RepoReport, counts: Counts) -> list[str]:
    title = ed.t("page.repo_title", repo=text(repo.repo.name), label=ed.label)
    return [MARKER, f"# {title}", head_line(ed, counts), _repo_links(ed, repo)]


def head_line(ed: Edition, counts: Counts) -> str:
    """Window and counts, in the one form that other programs read."""
    t, window = ed.t, ed.report.window
    parts = [t("head.window", label=window.label, zone=window.timezone)]
    parts += [t("head.open")] if window.open else []
    parts += [
        t("head.repos", n=counts.repos),
        t("head.commits", reported=counts.reported, in_git=counts.in_git),
        counts.marks,
        t("head.breaking", n=counts.breaking),
        t("head.skipped", n=counts.skipped),
    ]
    parts += [t("head.filtered", n=counts.filtered)] if counts.filtered else []
    parts += [t("head.late", n=counts.late)] if counts.late else []
    line = "> " + " · ".join(parts)
    return line.replace("） · ", "）· ")


def skipped_block(ed: Edition, skipped: Sequence[Skipped]) -> list[str]:
    """What could not be had stands before everything else: a reader must know that the page is not whole."""
    if not skipped:
        return []
    lines = [f"> ⚠️ **{ed.t('section.skipped')}**{ed.t('page.colon')}{ed.t('day.skipped_lead')}", ">"]
    return ["\n".join(lines + [f"> - {skipped_line(ed, item)}" for item in skipped])]


def skipped_line(ed: Edition, item: Skipped) -> str:
    return ed.ended(f"{text(item.what)}{ed.t('page.colon')}{text(item.reason)}")


def _day_links(ed: Edition) -> str:
    links = [f"[{language_name(x)}]({ed.day_file(x)})" for x in ed.others()]
    month = ed.label[:7]
    links += [f"[{ed.t('head.index')}](../README.md)", f"[{ed.t('head.month', month=month)}]({month}.md)"]
    return " · ".join(links)


def _repo_links(ed: Edition, repo: RepoReport) -> str:
    links = [f"[{ed.t('head.day')}](../{ed.day_file()})"]
    links += [f"[{language_name(x)}]({ed.repo_file(repo.repo.name, x)})" for x in ed.others()]
    return " · ".join([*links, f"[{ed.t('head.index')}](../../README.md)"])

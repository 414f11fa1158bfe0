"""The first lines of a page: marker, title, window and counts, links to the other pages; and what was skipped."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Level
from daybreak.core.words.phrases import language_name
from daybreak.report.render.escape import text
from daybreak.report.render.forge_change import MARKER, Edition

# --- The numbers of a page's head, counted from the same values that the page lists ---


MARKS: dict[Level, str] = {"high": "🔴", "medium": "🟡", "low": "🟢"}
LEVELS: tuple[Level, ...] = ("high", "medium", "low")


class Counts(Struct, frozen=True):
    """What a head line says of one or several repositories."""

    repos: int
    reported: int
    known: int
    """Commits that git has in the window, of the repositories that could be asked."""
    unknown: int
    """Repositories that could not be asked."""
    high: int
    medium: int
    low: int
    breaking: int
    filtered: int
    late: int
    skipped: int

    @property
    def in_git(self) -> str:
        """The number git has; "≥" when a repository could not be asked, since then nobody knows it."""
        if not self.unknown:
            return str(self.known)
        return "?" if self.unknown == self.repos else f"≥ {self.known}"

    @property
    def marks(self) -> str:
        return f"🔴 {self.high} 🟡 {self.medium} 🟢 {self.low}"


def count(repos: Sequence[RepoReport]) -> Counts:
    """Count over repositories; filtered commits are reported but have no grade."""
    told = [e for r in repos for e in told_entries(r)]
    levels = [e.importance.level for e in told]
    return Counts(
        repos=len(repos),
        reported=sum(len(r.entries) for r in repos),
        known=sum(r.in_git or 0 for r in repos),
        unknown=sum(r.in_git is None for r in repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(e.breaking for e in told),
        filtered=sum(e.change.filtered for r in repos for e in r.entries),
        late=sum(len(r.late) for r in repos),
        skipped=sum(len(r.skipped) for r in repos),
    )


def told_entries(repo: RepoReport) -> tuple[Entry, ...]:
    """The entries that are told and graded: all but the filtered ones."""
    return tuple(e for e in repo.entries if not e.change.filtered)


def of_level(repo: RepoReport, level: Level) -> tuple[Entry, ...]:
    """Most important first; equals stay newest first."""
    chosen = [e for e in told_entries(repo) if e.importance.level == level]
    return tuple(sorted(chosen, key=lambda e: -e.importance.score))


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

"""Pages of other days that a report changes: the index, the months, and notes on days whose changes it tells to be at fault."""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.core.config import Settings
from daybreak.core.model.report import Note, Page, Report
from daybreak.judge.repo_report import later_notes
from daybreak.report.day import day_of
from daybreak.report.render.index import RECENT, render_index, with_notes
from daybreak.report.render.stored import day_line, day_line_from_json
from daybreak.store.report_files import ReportFiles


def note_pages(memory: ReportFiles, label: str, settings: Settings) -> tuple[Page, ...]:
    """Pages of earlier days that get a note, since the report of `label` tells how long their changes were at fault."""
    repos = settings.repos()
    days: set[str] = set()
    for repo in repos:
        today = memory.day(label, repo.name)
        for span in today.broken if today else ():
            days |= {r.label for r in memory.earlier(label, repo.name) if span.fault in (*r.commits, *r.late)}
    pages: list[Page] = []
    for day in sorted(days):
        notes = [note for repo in repos for note in later_notes(repo, day, memory)]
        for language in settings.languages:
            ending = ".md" if language == settings.languages[0] else f".{language}.md"
            pages += _noted(settings, f"reports/{day}{ending}", notes, language, ending, "")
            for repo in repos:
                own = [note for note in notes if note.repo.name == repo.name]
                path = f"reports/{day}/{repo.name.replace('/', '-')}{ending}"
                pages += _noted(settings, path, own, language, ending, "../") if own else []
    return tuple(pages)


def _noted(settings: Settings, path: str, notes: Sequence[Note], language: str, ending: str, up: str) -> list[Page]:
    try:
        text = (settings.out / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []  # a page that is not there needs no note
    return [Page(path, with_notes(text, notes, language, ending, up))]


def index_pages(memory: ReportFiles, report: Report, settings: Settings) -> tuple[Page, ...]:
    """The index and the archive pages that this report changes; older days are read from what was written of them."""
    labels = sorted({*memory.labels(), report.window.label})
    written = [p.stem for p in (settings.out / "reports").glob("????-??.md")]
    changed = {label for label in labels if label[:7] == report.window.label[:7] or label[:7] not in written}
    shown = sorted(changed | set(labels[-RECENT:]))
    days = [
        day_line(day_of(report))
        if label == report.window.label
        else day_line_from_json(memory.path(label).read_bytes())
        for label in shown
    ]
    return render_index(days, settings.languages[0], labels)

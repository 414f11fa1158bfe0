"""The index of all days, one archive page for each month, and notes on earlier days whose changes a report tells to be at fault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.core.day_json import view
from daybreak.core.markdown_page import LATER
from daybreak.core.model.day import Day, headline
from daybreak.core.model.report import Note, Page
from daybreak.core.text import valid_text
from daybreak.core.words.phrases import Phrases, chosen, language_name, phrases
from daybreak.judge.repo_report import later_notes
from daybreak.report.render.edition import commit_link
from daybreak.report.render.escape import statement
from daybreak.store.report_files import ReportFiles, ending_of

MARKER = "<!-- daybreak.index/1 -->"
RECENT = 7


class DayLine(Struct, frozen=True):
    """What the index and the archive say of one reported day."""

    label: str
    commits: int
    high: int
    medium: int
    low: int
    breaking: int
    skipped: int
    headlines: Mapping[str, str]
    """The day in one line, in each of its languages, the main one first."""
    open: bool = False
    """It was reported before it was over: never the newest while one that is over is there."""

    @property
    def headline(self) -> str:
        """In the main language."""
        return next(iter(self.headlines.values()), "")

    def file(self, language: str) -> str:
        """Its page for readers of a language; the main edition where it has none in that."""
        other = language in self.headlines and language != next(iter(self.headlines))
        return f"{self.label}.{language}.md" if other else f"{self.label}.md"


def index_pages(memory: ReportFiles, day: Day, settings: Settings) -> tuple[Page, ...]:
    """The index and the archive pages that this report changes; older days are read from what was written of them. The page
    of a month that is told as one stays: a run tells it anew.
    """
    labels = sorted({*memory.labels(), day.label})
    folder = settings.out / "reports"
    written = [
        {p.name[:7] for p in folder.glob(f"????-??{ending_of(language, settings.languages)}")}
        for language in settings.languages
    ]
    missing = {label for label in labels if not all(label[:7] in months for months in written)}
    changed = missing | {label for label in labels if label[:7] == day.label[:7]}
    shown = sorted(changed | set(labels[-RECENT:]))
    lines = [
        day_line(day) if label == day.label else day_line_from_json(memory.path(label).read_bytes()) for label in shown
    ]
    pages = render_index(lines, settings.languages, labels, settings.config.title)
    return tuple(
        page
        for page in pages
        if not ((folder / f"{page.path[8:15]}.json").is_file() and (settings.out / page.path).is_file())
    )


class _Desk(NamedTuple):
    """The index in one language."""

    t: Phrases
    languages: Sequence[str]

    @property
    def ending(self) -> str:
        return ending_of(self.t.language, self.languages)

    def others(self, stem: str) -> list[str]:
        """Links to the same page in the other languages."""
        others = [language for language in self.languages if language != self.t.language]
        return [f"[{language_name(one)}]({stem}{ending_of(one, self.languages)})" for one in others]


def render_index(
    days: Sequence[DayLine], languages: Sequence[str], labels: Sequence[str] = (), title: str = ""
) -> tuple[Page, ...]:
    """`README.md`, and `reports/YYYY-MM.md` for each month of which every day is given; `labels` names all reported days.

    The same stands in each further language beside them.
    """
    newest_first = sorted(days, key=lambda d: d.label, reverse=True)
    given = {month: list(group) for month, group in groupby(newest_first, key=lambda d: d.label[:7])}
    months = Counter(label[:7] for label in sorted({*labels, *(d.label for d in days)}, reverse=True))
    pages: list[Page] = []
    for language in languages:
        desk = _Desk(phrases(language, "report"), languages)
        pages.append(_readme(desk, newest_first, months, title))
        pages += [_archive(desk, month, lines) for month, lines in given.items() if len(lines) == months[month]]
    return tuple(pages)


def _readme(desk: _Desk, days: Sequence[DayLine], months: Mapping[str, int], title: str) -> Page:
    t, path = desk.t, f"README{desk.ending}"
    blocks = [MARKER, f"# {statement(title) or t('index.title')}", *desk.others("README"), t("index.lead")]
    if not days:
        return Page(path, "\n\n".join([*blocks, t("index.none")]) + "\n")
    newest = next((day for day in days if not day.open), days[0])
    link = f"[{t('index.newest_link', label=_label(t, newest))}](reports/{newest.file(t.language)})"
    facts = [f"**{link}**", _marks(newest), t("head.breaking", n=newest.breaking), t("head.skipped", n=newest.skipped)]
    blocks += [f"## {t('index.newest')}", " · ".join(facts)]
    line = chosen(newest.headlines, t.language)
    blocks += [f"> {statement(line)}"] if line else []
    blocks += [f"## {t('index.recent')}", _table(t, days[:RECENT], "reports/")]
    rows = [f"- [{t('index.month', month=m, n=n)}](reports/{m}{desk.ending})" for m, n in months.items()]
    return Page(path, "\n\n".join([*blocks, f"## {t('index.archive')}", "\n".join(rows)]) + "\n")


def _archive(desk: _Desk, month: str, days: Sequence[DayLine]) -> Page:
    t = desk.t
    title = f"# {t('index.archive_title', month=month)}"
    back = " · ".join([f"[{t('index.back')}](../README{desk.ending})", *desk.others(month)])
    blocks = [MARKER, title, _table(t, days, ""), back]
    return Page(f"reports/{month}{desk.ending}", "\n\n".join(blocks) + "\n")


def _table(t: Phrases, days: Sequence[DayLine], folder: str) -> str:
    return "\n".join([t("index.header"), "| --- | --- | --- | --- | --- | --- |", *(_row(t, d, folder) for d in days)])


def _row(t: Phrases, day: DayLine, folder: str) -> str:
    link = f"[{_label(t, day)}]({folder}{day.file(t.language)})"
    line = statement(chosen(day.headlines, t.language))
    cells = [link, str(day.commits), _marks(day), str(day.breaking), str(day.skipped), line]
    return f"| {' | '.join(cells)} |"


def _label(t: Phrases, day: DayLine) -> str:
    return t("index.open", label=day.label) if day.open else day.label


def _marks(day: DayLine) -> str:
    return f"🔴 {day.high} 🟡 {day.medium} 🟢 {day.low}"


# --- The line of one day, from its value or from the few fields of its JSON that it needs ---


def day_line(day: Day) -> DayLine:
    """What the index says of this report."""
    changes = [c for repo in day.repos for c in repo.commits if not c.filtered]
    levels = [c.importance.level for c in changes]
    return DayLine(
        label=day.window.label,
        commits=sum(len(repo.commits) for repo in day.repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(c.breaking for c in changes),
        skipped=len(day.coverage.skipped),
        headlines={language: valid_text(headline(day, language)) for language in day.languages},
        open=day.window.open,
    )


def day_line_from_json(data: bytes) -> DayLine:
    """The index line of a stored report; `ValueError` when the bytes are not one."""
    try:
        return day_line(_VIEW(data))
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a daybreak report: {error}") from error


_VIEW = view(
    "window.label",
    "window.open",
    "languages",
    "coverage.skipped",
    "repos.commits.importance.level",
    "repos.commits.breaking",
    "repos.commits.filtered",
    "headline",
    "actions",
    "also",
    "summary.text",
)


# --- Notes that later reports add to a day's pages: from when to when the branch was broken by a change told there ---
# A note goes into the finished page between its head and its body, by the same function whether the page is rendered
# anew or was written days ago: so both ways give the same bytes.


_SHOWN = "%Y-%m-%d %H:%M"


def with_notes(page: str, notes: Sequence[Note], language: str, ending: str, up: str = "") -> str:
    """The page with these notes and no others; `ending` is the edition's, `up` leads to the day pages."""
    lines = [line for line in page.split("\n") if not line.startswith(LATER)]
    head = next((i for i, line in enumerate(lines) if line.startswith("> ")), None)
    if head is None:
        return page
    after = head + 3  # the head, a blank line, the line of links
    if lines[after : after + 2] == ["", ""]:
        del lines[after]  # the blank line that stood before a note
    told = [_note(note, language, ending, up) for note in sorted(notes, key=_order)]
    if told:
        lines[after:after] = ["", *told]
    return "\n".join(lines)


def _order(note: Note) -> tuple[str, str, str]:
    return note.label, note.repo, note.fault


def _note(note: Note, language: str, ending: str, up: str) -> str:
    return LATER + phrases(language, "report")(
        "note.broken",
        report=f"[{note.label}]({up}{note.label}{ending})",
        fault=commit_link(note, note.fault),
        repair=commit_link(note, note.repair),
        start=note.start.strftime(_SHOWN),
        end=note.end.strftime(_SHOWN),
    )


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
                own = [note for note in notes if note.repo == repo.name]
                path = f"reports/{day}/{repo.name.replace('/', '-')}{ending}"
                pages += _noted(settings, path, own, language, ending, "../") if own else []
    return tuple(pages)


def _noted(settings: Settings, path: str, notes: Sequence[Note], language: str, ending: str, up: str) -> list[Page]:
    try:
        text = (settings.out / path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []  # a page that is not there needs no note
    return [Page(path, with_notes(text, notes, language, ending, up))]

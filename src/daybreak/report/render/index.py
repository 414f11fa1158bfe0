"""The index of all days (`README.md`) and one archive page for each month, in the main language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from daybreak.core.model.report import Note, Page
from daybreak.core.words.phrases import Phrases, phrases
from daybreak.report.render.addresses import commit_link
from daybreak.report.render.escape import statement
from daybreak.report.render.interface import DayLine

MARKER = "<!-- daybreak.index/1 -->"
RECENT = 7


def render_index(days: Sequence[DayLine], language: str, labels: Sequence[str] = ()) -> tuple[Page, ...]:
    """`README.md`, and `reports/YYYY-MM.md` for each month of which every day is given; `labels` names all reported days."""
    t = phrases(language, "report")
    newest_first = sorted(days, key=lambda d: d.label, reverse=True)
    given = {month: list(group) for month, group in groupby(newest_first, key=lambda d: d.label[:7])}
    months = Counter(label[:7] for label in sorted({*labels, *(d.label for d in days)}, reverse=True))
    archive = [_archive(t, month, lines) for month, lines in given.items() if len(lines) == months[month]]
    return (_readme(t, newest_first, months), *archive)


def _readme(t: Phrases, days: Sequence[DayLine], months: Mapping[str, int]) -> Page:
    blocks = [MARKER, f"# {t('index.title')}", t("index.lead")]
    if not days:
        return Page("README.md", "\n\n".join([*blocks, t("index.none")]) + "\n")
    newest = days[0]
    link = f"[{t('index.newest_link', label=newest.label)}](reports/{newest.label}.md)"
    facts = [f"**{link}**", _marks(newest), t("head.breaking", n=newest.breaking), t("head.skipped", n=newest.skipped)]
    blocks += [f"## {t('index.newest')}", " · ".join(facts)]
    blocks += [f"> {statement(newest.headline)}"] if newest.headline else []
    blocks += [f"## {t('index.recent')}", _table(t, days[:RECENT], "reports/")]
    rows = [f"- [{t('index.month', month=m, n=n)}](reports/{m}.md)" for m, n in months.items()]
    return Page("README.md", "\n\n".join([*blocks, f"## {t('index.archive')}", "\n".join(rows)]) + "\n")


def _archive(t: Phrases, month: str, days: Sequence[DayLine]) -> Page:
    title = f"# {t('index.archive_title', month=month)}"
    back = f"[{t('index.back')}](../README.md)"
    return Page(f"reports/{month}.md", "\n\n".join([MARKER, title, _table(t, days, ""), back]) + "\n")


def _table(t: Phrases, days: Sequence[DayLine], folder: str) -> str:
    return "\n".join([t("index.header"), "| --- | --- | --- | --- | --- | --- |", *(_row(d, folder) for d in days)])


def _row(day: DayLine, folder: str) -> str:
    link = f"[{day.label}]({folder}{day.label}.md)"
    cells = [link, str(day.commits), _marks(day), str(day.breaking), str(day.skipped), statement(day.headline)]
    return f"| {' | '.join(cells)} |"


def _marks(day: DayLine) -> str:
    return f"🔴 {day.high} 🟡 {day.medium} 🟢 {day.low}"


# --- Notes that later reports add to a day's pages: from when to when the branch was broken by a change told there ---
# A note goes into the finished page between its head and its body, by the same function whether the page is rendered
# anew or was written days ago: so both ways give the same bytes.


MARK = "> 📌 "
_SHOWN = "%Y-%m-%d %H:%M"


def with_notes(page: str, notes: Sequence[Note], language: str, ending: str, up: str = "") -> str:
    """The page with these notes and no others; `ending` is the edition's, `up` leads to the day pages."""
    lines = [line for line in page.split("\n") if not line.startswith(MARK)]
    head = next((i for i, line in enumerate(lines) if line.startswith("> ")), None)
    if head is None:
        return page
    after = head + 3  # the head, a blank line, the line of links
    if lines[after : after + 2] == ["", ""]:
        del lines[after]  # the blank line that stood before a note
    told = [_line(note, language, ending, up) for note in sorted(notes, key=_order)]
    if told:
        lines[after:after] = ["", *told]
    return "\n".join(lines)


def _order(note: Note) -> tuple[str, str, str]:
    return note.label, note.repo.name, note.fault


def _line(note: Note, language: str, ending: str, up: str) -> str:
    return MARK + phrases(language, "report")(
        "note.broken",
        report=f"[{note.label}]({up}{note.label}{ending})",
        fault=commit_link(note.repo, note.fault),
        repair=commit_link(note.repo, note.repair),
        start=note.start.strftime(_SHOWN),
        end=note.end.strftime(_SHOWN),
    )

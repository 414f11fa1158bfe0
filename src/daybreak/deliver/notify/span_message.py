"""Messages of a week or a month: what stands at its end, in the order of its page, at most eight entries of each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from daybreak.core.model.rollup import BY_CHANGE, Line, Rollup, by_change
from daybreak.core.text import clean
from daybreak.core.words.phrases import Phrases, chosen, phrases, table, tag_name
from daybreak.deliver.notify.message import SPARE, Edition, Item, Section, Span, entry, plain, spans
from daybreak.deliver.notify.targets import wants
from daybreak.report.archive.addresses import change_path, rollup_path

PARTS = (("breaks", 8, 4), ("fixes", 5, 3), ("pins", 3, 2), ("releases", 3, 2), ("deprecates", 3, SPARE))
"""Part of a roll-up, its entries in a message, and who gives up entries last."""
SPANS = ("week", "month")
_TITLE = 110


def event_of(label: str) -> str:
    return "week" if "W" in label else "month"


def span_edition(report: Rollup, language: str, link: str, repos: Sequence[str]) -> Edition:
    """The message in one language; `repos`: patterns of what the target wants, none for everything."""
    t = phrases(language, "report.rollup", "notify")
    told = {name: [one for one in _rows(report, name) if wants(repos, one.repo)] for name, _, _ in PARTS}
    commits = sum(one.commits for one in report.repos if wants(repos, one.name))
    busy = sum(bool(one.commits) for one in report.repos if wants(repos, one.name))
    head = t("span_head", n=commits, repos=busy, days=len(report.days), of=report.length, breaks=len(told["breaks"]))
    first = next((plain(spans(chosen(one.text, language), _TITLE)) for one in (*told["breaks"], *told["fixes"])), "")
    title = t("headline" if first else "report", label=report.label, what=first)
    sections = tuple(_sections(report, told, t, link.rstrip("/")))
    whole = f"{link.rstrip('/')}/{rollup_path(language, report.label)}" if link else ""
    to = Span("link", t("link_span"), whole) if whole else None
    return Edition(title, ((Span("text", head),),), sections, to, t.table["more"], language)


def _rows(report: Rollup, name: str) -> Sequence[Line]:
    """One of each change: its gravest."""
    lines: Sequence[Line] = getattr(report, name)
    return [lot[0] for lot in by_change(lines)] if name in BY_CHANGE else lines


def _sections(report: Rollup, told: dict[str, list[Line]], t: Phrases, link: str) -> Iterator[Section]:
    homes = {one.name: one.url for one in report.repos}
    for name, most, keep in PARTS:
        lines = told[name]
        if lines:
            items = tuple(_item(one, t, link, homes.get(one.repo, "")) for one in lines[:most])
            yield Section(t(f"section_{name}"), items, len(lines) - len(items), keep)


def _item(line: Line, t: Phrases, link: str, home: str) -> Item:
    """Tag, repository, what it is, what to do, and where to read on."""
    tag = (Span("strong", tag_name(t.language, line.tag)), Span("text", " · ")) if line.tag else ()
    how = t("how", how=chosen(line.how, t.language)) if line.how else ""
    space = table(t.language, "grammar")["space"] if how else ""
    said = entry(f"{chosen(line.text, t.language) or f'`{clean(line.symbol)}`'}{space}{how}", t.language)
    out = (*tag, Span("strong", clean(line.repo)), Span("text", t("colon")), *said)
    if not line.commits:
        return out
    sha = line.commits[-1]
    place = f"{link}/{change_path(t.language, line.repo, sha)}" if link else f"{home}/commit/{sha}"
    shown = Span("link", f"#{line.pr}" if line.pr else sha[:9], place)
    return (*out, Span("text", " "), shown) if link or home.startswith("https://") else out

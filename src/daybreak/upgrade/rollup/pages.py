"""Pages of a roll-up: its data, and Markdown in each language; and bringing those of stored days up to date."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from daybreak.core.markdown_page import page_digests
from daybreak.core.model.changes import pull_path
from daybreak.core.model.report import Page
from daybreak.core.model.rollup import BY_CHANGE, STORIES, Line, Rollup, SpanRepo, Theme, by_change
from daybreak.core.windows import stretches
from daybreak.core.words.phrases import Phrases, chosen, language_name, phrases
from daybreak.report.archive.addresses import is_label
from daybreak.report.archive.beside import rollup_of
from daybreak.report.archive.interface import Archive
from daybreak.report.render.escape import cell, code, statement, text, url
from daybreak.store.report_files import ROLLUPS, ending_of
from daybreak.upgrade.rollup import digest_of, rollup, span_of, spans_with

MARKER = "<!-- daybreak.rollup/1 -->"
SumUp = Callable[[Rollup], Rollup]
MOST = 20
"""Lines of a section; the data has all of them."""


def pages(report: Rollup, languages: Sequence[str]) -> tuple[Page, ...]:
    """The main language without its name in the file, as daily reports have it; the data last."""
    found = [
        Page(f"{ROLLUPS}/{report.label}{ending_of(language, languages)}", markdown(report, language, languages))
        for language in languages
    ]
    digests = page_digests((page.path, page.text) for page in found)
    data = json.dumps(msgspec.to_builtins(report) | {"pages": digests}, ensure_ascii=False, indent=1)
    return (*found, Page(f"{ROLLUPS}/{report.label}.json", data + "\n"))


def stale(archive: Archive, out: Path) -> list[str]:
    """Weeks and months of reported days whose roll-up is not there or tells of other days."""
    digests = archive.digests()
    labels = dict.fromkeys(span for label in digests if is_label(label) for span in spans_with(label))
    return [label for label in labels if _known(out, label) != digest_of(digests, label)]


def _known(out: Path, label: str) -> str:
    found = rollup_of(out, label) if (out / ROLLUPS / f"{label}.json").is_file() else None
    return found.digest if found else ""


def summed_up(report: Rollup, out: Path, sum_up: SumUp | None) -> Rollup:
    """With what a model said of the same facts when they were published; else it is asked, once the last day is reported."""
    known = rollup_of(out, report.label) if (out / ROLLUPS / f"{report.label}.json").is_file() else None
    if known is not None and known.prose and replace(known, digest=report.digest, prose=None) == report:
        return replace(report, prose=known.prose)
    return report if sum_up is None or report.to_come else sum_up(report)


def fresh_pages(archive: Archive, out: Path, languages: Sequence[str], sum_up: SumUp | None = None) -> Iterator[Page]:
    """All pages of roll-ups that are due; `sum_up` asks a model about the whole of one."""
    for label in stale(archive, out):
        week, month = (label, None) if "W" in label else (None, label)
        yield from pages(summed_up(rollup(archive, *span_of(week, month)), out, sum_up), languages)


# --- Markdown ----------------------------------------------------------------------------------------------------------


def markdown(report: Rollup, language: str, languages: Sequence[str] = ()) -> str:
    """The page, with a final newline; `languages`: those that it is written in, the main one first."""
    t = phrases(language, "report.rollup")
    by_name = {repo.name: repo for repo in report.repos}
    blocks = [MARKER, f"# {t('title', label=report.label, first=report.first, last=report.last)}", _head(report, t)]
    for name, labels in (("missing", report.missing), ("to_come", report.to_come)):
        if labels:
            blocks.append(t(name, days=", ".join(stretches(labels, "–"))))
    blocks += [" ".join(statement(chosen(one.text, language)) for one in lot) for lot in report.paragraphs]
    blocks += [t("by_model", model=text(report.prose.model))] if report.prose and report.paragraphs else []
    sections = (
        ("breaks", report.breaks),
        ("fixes", report.fixes),
        ("deprecates", report.deprecates),
        ("internals", report.internals),
        ("stories", report.stories),
        ("news", report.news),
        ("pins", report.pins),
        ("releases", report.releases),
    )
    for name, lines in sections:
        if lines or name == "breaks":
            lots = by_change(lines) if name in BY_CHANGE else [(line,) for line in lines]
            blocks += [f"## {t(f'section_{name}')} ({len(lots)})", *_listed(lots, t, by_name)]
    blocks += [block for theme in report.themes for block in _theme(theme, t, by_name)]
    blocks += [f"## {t('section_repos')}", _repos(report, t), f"## {t('section_days')}", _days(report, t)]
    back = f"[{phrases(language, 'report')('index.back')}](../README{ending_of(language, languages or (language,))})"
    others = (one for one in languages if one != language)
    editions = [f"[{language_name(one)}]({report.label}{ending_of(one, languages)})" for one in others]
    blocks.append(" · ".join([back, *editions]))
    return "\n\n".join(blocks) + "\n"


def _head(report: Rollup, t: Phrases) -> str:
    undone = sum(repo.undone for repo in report.repos)
    busy = sum(bool(repo.commits) for repo in report.repos)
    stand, told = len(by_change(report.breaks)), sum(day.breaking for day in report.days)
    counts = t("head", n=report.commits, repos=busy, days=len(report.days), of=report.length, breaks=stand, told=told)
    return counts + (t("undone", n=undone) if undone else "")


def _listed(lots: Sequence[Sequence[Line]], t: Phrases, repos: dict[str, SpanRepo]) -> list[str]:
    if not lots:
        return [t("none")]
    shown = ["\n".join(_row(lot, t, repos) for lot in lots[:MOST])]
    return [*shown, t("more", n=len(lots) - MOST)] if len(lots) > MOST else shown


def _row(lot: Sequence[Line], t: Phrases, repos: dict[str, SpanRepo]) -> str:
    """One change; what else it does stands below what is gravest."""
    more = [f"  - {statement(chosen(line.text, t.language))}" for line in lot[1:MOST]]
    return "\n".join([f"- {_line(lot[0], t, repos)}", *more])


def _line(line: Line, t: Phrases, repos: dict[str, SpanRepo]) -> str:
    said = statement(chosen(line.text, t.language)) or text(line.title)
    named = [code(line.symbol)] if line.symbol and not line.text else []
    parts = [" ".join([f"**{text(line.repo.rpartition('/')[2])}**", *named, *([said] if said else [])])]
    parts += [t("prerelease")] if line.kind == "prerelease" else []
    parts += [t("who", who=statement(chosen(line.who, t.language)))] if line.who else []
    parts += [t("how", how=statement(chosen(line.how, t.language)))] if line.how else []
    parts += [t("released", tag=code(line.released))] if line.released else []
    link = _link(line, repos)
    return " ".join([*parts, f"({link})"] if link else parts)


def _link(line: Line, repos: dict[str, SpanRepo]) -> str:
    home = repos.get(line.repo)
    day = f" · [{line.days[-1]}]({line.days[-1]}.md)" if line.days else ""
    if home is None or not line.commits:
        return day.removeprefix(" · ")
    if line.pr:
        return f"[#{line.pr}]({url(f'{home.url}/{pull_path(home.url)}/{line.pr}')}){day}"
    sha = line.commits[0 if line.kind in STORIES else -1]
    return f"[{sha[:9]}]({url(f'{home.url}/commit/{sha}')}){day}"


def _theme(theme: Theme, t: Phrases, repos: dict[str, SpanRepo]) -> list[str]:
    head = f"## {statement(chosen(theme.area, t.language))} ({theme.changes})"
    told = [line for line in theme.lines if line.text]
    rest = len(theme.lines) - len(told)
    lines = "\n".join(f"- {_line(line, t, repos)}" for line in told)
    return [head, lines, *([t("more", n=rest)] if rest else [])]


def _repos(report: Rollup, t: Phrases) -> str:
    head = [t("repo"), t("commits"), t("high"), t("standing"), t("taken_back")]
    rows = [[cell(r.name), *map(str, (r.commits, r.high, r.breaks, r.undone))] for r in report.repos]
    return _table(head, rows)


def _days(report: Rollup, t: Phrases) -> str:
    head = [t("day"), t("commits"), t("breaking"), t("headline")]
    rows = [
        [f"[{d.label}]({d.label}.md)", str(d.commits), str(d.breaking), statement(chosen(d.headline, t.language)).replace("|", "\\|")]
        for d in report.days
    ]  # fmt: skip
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)

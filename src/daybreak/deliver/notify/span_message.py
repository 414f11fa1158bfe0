"""Messages of a week or a month: what stands at its end, in the order of its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from daybreak.core.model.rollup import BY_CHANGE, Line, Rollup, by_change
from daybreak.core.text import clean
from daybreak.core.words.phrases import Phrases, chosen, phrases, table, tag_name
from daybreak.deliver.notify.message import (
    ENTRIES,
    LONGEST,
    SPARE,
    Edition,
    Item,
    Section,
    Span,
    entry,
    limited,
    plain,
    spans,
)
from daybreak.deliver.notify.targets import Target, wants
from daybreak.report.archive.addresses import change_path, rollup_path
from daybreak.report.archive.beside import headline_of, leading, tag_of

PARTS = (("fixes", 4, 3), ("breaks", 3, 3), ("releases", 2, 1), ("pins", 2, 0), ("deprecates", SPARE, 0))
"""Part of a roll-up, who gives up entries last, and the entries that it has whatever else there is to tell."""
SPANS = ("week", "month")
_TITLE = 110


def event_of(label: str) -> str:
    return "week" if "W" in label else "month"


def span_edition(report: Rollup, language: str, link: str, target: Target) -> Edition:
    """The message in one language, by the rules of the target."""
    t, repos = phrases(language, "report.rollup", "notify"), target.repos
    told = {name: [one for one in _rows(report, name) if _is_wanted(one, target)] for name, _, _ in PARTS}
    commits = sum(one.commits for one in report.repos if wants(repos, one.name))
    busy = sum(bool(one.commits) for one in report.repos if wants(repos, one.name))
    stand = sum(wants(repos, one.repo) for one in _rows(report, "breaks"))  # a fact of the span, whatever tags are told
    head = t("span_head", n=commits, repos=busy, days=len(report.days), of=report.length, breaks=stand)
    lead = leading(told["fixes"], told["breaks"])
    first = plain(spans(headline_of(lead, language), _TITLE)) if lead else ""
    title = t("headline" if first else "report", label=report.label, what=first)
    sections = limited(_sections(report, told, t, link.rstrip("/")))
    whole = f"{link.rstrip('/')}/{rollup_path(language, report.label)}"
    links = (Span("link", t("link_span"), whole),) if link else ()
    return Edition(title, ((Span("text", head),),), sections, links, t.table["more"], language)


def _is_wanted(line: Line, target: Target) -> bool:
    tagged = not target.tags or bool({line.tag, tag_of(line)} & set(target.tags))
    return tagged and wants(target.repos, line.repo) and (target.prereleases or line.kind != "prerelease")


def _rows(report: Rollup, name: str) -> Sequence[Line]:
    """One of each change: its gravest."""
    lines: Sequence[Line] = getattr(report, name)
    return [lot[0] for lot in by_change(lines)] if name in BY_CHANGE else lines


def _sections(report: Rollup, told: dict[str, list[Line]], t: Phrases, link: str) -> Iterator[Section]:
    homes = {one.name: one.url for one in report.repos}
    for name, keep, share in PARTS:
        lines, heading = told[name], t(f"section_{name}")
        if name == "releases":
            released, hidden = _released(lines)
            yield Section(heading, released, hidden, keep, share)
            continue
        items = tuple(_item(one, t, link, homes.get(one.repo, "")) for one in lines[:ENTRIES])
        yield Section(heading, items, len(lines) - len(items), keep, share)


def _released(lines: Sequence[Line]) -> tuple[tuple[Item, ...], int]:
    """In one entry as many as it holds, the newest final ones first, and how many it does not name."""
    ranked = sorted(lines, key=lambda one: (one.kind != "prerelease", one.days), reverse=True)
    named = [f"{one.repo.rpartition('/')[2]} {clean(one.symbol)}".replace("`", "'") for one in ranked]
    fitting = sum(used <= LONGEST for used in accumulate(len(one) + len(" · ") for one in named))
    shown = named[: max(fitting, 1)]
    return (spans(" · ".join(shown)),) if shown else (), len(named) - len(shown)


def _item(line: Line, t: Phrases, link: str, home: str) -> Item:
    """Tag, repository, what it is, what to do, and where to read on."""
    tag = (Span("strong", tag_name(t.language, of)), Span("text", " · ")) if (of := tag_of(line)) else ()
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

"""The last gate before an upgrade report goes out: its finished pages against its data.

Like the gate of a day, which it shares its rules for any page with, it knows nothing of the renderer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from functools import lru_cache

import msgspec

from daybreak.core.markdown_page import ticked_in, without_code
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry, Page
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Hit, Net, RangeReport, Ref
from daybreak.core.text import plain, spans
from daybreak.findings.kinds import kind_of
from daybreak.judge.refused import ERROR_WORDS
from daybreak.report.gate import Facts, Read, disagreements

HEAD_LINES = 10
_OURS = frozenset({"git log --first-parent"})
"""Code in our own phrases."""
_SHOWN = 100
"""So much of a long name stands on a page, whoever shortened it."""
_SHORTENED = 60
"""A name that was cut still shows this much."""
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_HEAD = re.compile(r"(\d+) / (\d+) · \D*(\d+) · \D*(\d+)(?:[,，]\D*(\d+))?(?: · \D*(\d+))? · \D*(\d+)$")
_TREES_HEAD = re.compile(r" · \D*(\d+)(?:[,，]\D*(\d+))? · \D*(\d+)$")
"""Of two folders: what breaks and what was not processed; they have no commits to count."""
_DATE = re.compile(r"(?<![\w.-])\d{4}-\d\d-\d\d(?![\w.-])")
_COUNTED = re.compile(r"\[[^\[\]]* (\d+)\]\(#([\w-]+)\)")
_FOLD = re.compile(r"<details><summary>.*?(\d+)\D*</summary>$")
_INLINE = re.compile(r"<details><summary>\D*(\d+)\D*</summary>(.*)</details>$")
_PART = re.compile(r"\.commits-\d+((?:\.\w+)?\.md)$")
_TIMES = re.compile(r" ×(\d+)$")
_ROW = re.compile(r"\| \[[^\]]*\]\(#breaking-\w+\) \| (\d+)(?:[,，]\D*(\d+))? \|")


class _Commit(msgspec.Struct):
    sha: str


class _Data(msgspec.Struct):
    """What is looked at of the data; the rest need not become values."""

    commits: list[_Commit]
    nets: list[msgspec.Raw]


_plain = lru_cache(maxsize=1 << 15)(plain)
"""Pages say the same words many times, and in two languages."""


def check_pages(pages: Sequence[Page], report: RangeReport) -> list[str]:
    """Everything on the pages that the report does not bear out, one sentence each with page and line."""
    known = {page.path for page in pages}
    reads = [Read(page) for page in pages if page.path.endswith(".md")]
    found = disagreements(reads, _facts(report), lambda path: path in known)
    main = [read for read in reads if not _PART.search(read.page.path)]
    if len(main) != len(report.languages):
        found.append(f"{len(main)} pages for {len(report.languages)} languages")
    words, dates = _words(report), _dates(report)
    for read in reads:
        found += _spans(read, words)
        found += _times(read, dates)
        found += _folds(read)
    for read in main:
        parts = [r for r in reads if _PART.sub(r"\1", r.page.path) == read.page.path]
        found += _head(read, report)
        found += _counts(read, report)
        found += _complete(read, report, parts)
    return found + _data(pages, report) + _uncounted(report)


# --- what may be said --------------------------------------------------------------------------------------------


def _told(report: RangeReport) -> tuple[Entry, ...]:
    return (*report.entries, *report.left_behind)


def _shas(report: RangeReport) -> set[str]:
    span = report.span
    out = {e.change.sha for e in _told(report)} | {span.start.sha, span.end.sha}
    out |= {sha for net in report.nets for sha in net.commits}
    return out | {sha for o in report.outages for sha in (o.fault, o.repair) if sha}


def _facts(report: RangeReport) -> Facts:
    repo, told = report.span.repo, _told(report)
    pulls = {e.change.pr for e in told if e.change.pr}
    return Facts({repo.url: repo.name}, {repo.url: _shas(report)}, {repo.url: pulls})


def _words(report: RangeReport) -> frozenset[str]:
    """Every piece of code that a page may show, in the plain form."""
    out: set[str] = set(_OURS)
    for ref in (report.span.start, report.span.end):
        out |= {ref.name, ref.name[:9]}
    out |= {sha[:9] for sha in _shas(report)} | set(report.span.released.values()) | set(report.grounding.by_reason)
    for entry in _told(report):
        out |= {f"#{entry.change.pr}", entry.released or ""}
        out |= {w for r in entry.importance.reasons for w in _quoted(r.text)}
    for net in report.nets:
        out |= set(_of_net(net))
    for hit in report.hits or ():
        out |= set(_of_hit(hit))
    out |= {one.what for one in report.unread} | {one.repaired_in or "" for one in report.outages}
    out |= {w for s in report.summary for w in _quoted(s.text)}
    return frozenset(_plain(form) for word in out for form in _forms(word))


def _forms(word: str) -> tuple[str, ...]:
    """As it is, and without the terminal codes that a page leaves out whole."""
    return (word, _ANSI.sub("", word)) if "\x1b" in word else (word,)


def _quoted(text: Text | None) -> Iterator[str]:
    for said in (text or {}).values():
        yield from spans(said)


def _of_net(net: Net) -> Iterator[str]:
    yield from filter(None, (*_values(net.finding), net.since))
    for text in (net.text, net.who, net.how):
        yield from _quoted(text)


def _values(finding: Finding) -> tuple[str | None, ...]:
    instead = finding.alias.where if finding.alias else None
    return (finding.symbol, finding.before, finding.after, finding.path, instead)


def _of_hit(hit: Hit) -> Iterator[str]:
    yield from _of_net(hit.net)
    yield from filter(None, (f"{hit.use.path}:{hit.use.line}", hit.use.text, hit.pinned, hit.pin_at))
    yield from _quoted(hit.why)
    yield from _quoted(hit.action)


def _dates(report: RangeReport) -> frozenset[str]:
    moments = [e.change.committed_at for e in _told(report)]
    moments += [ref.committed_at for ref in (report.span.start, report.span.end)]
    moments += [m.astimezone(UTC) for o in report.outages for m in (o.start, o.end) if m]
    return frozenset(f"{m:%Y-%m-%d}" for m in moments)


# --- what is said ------------------------------------------------------------------------------------------------


def _head(read: Read, report: RangeReport) -> list[str]:
    """Both ends and the counts stand within the first lines."""
    span = report.span
    pattern = _TREES_HEAD if _is_trees(report) else _HEAD
    for line in read.lines[:HEAD_LINES]:
        if line.raw.startswith("> ") and (counts := pattern.search(line.raw)):
            break
    else:
        return [read.problem(1, f"does not state its range in the first {HEAD_LINES} lines")]
    found = [
        read.problem(line.number, f"does not name {ref.name}")
        for ref in (span.start, span.end)
        if plain(_name(ref)) not in _seen(line.raw)
    ]
    broken, loose = len(_breaking(report)), len(_judged(report))
    skipped = len(dict.fromkeys((*report.skipped, *span.skipped)))
    commits = (len(report.entries), len(span.gained), len(report.left_behind))
    inner = sum(kind_of(net.finding.kind).mark == "internals" for net in _breaking(report))
    broke = (broken - inner, inner)
    real = (*broke, skipped) if _is_trees(report) else (*commits, *broke, loose, skipped)
    if tuple(int(n or 0) for n in counts.groups()) != real:
        said, has = " ".join(n or "0" for n in counts.groups()), " ".join(map(str, real))
        found.append(read.problem(line.number, f"counts {said}, but the data has {has}"))
    return found


def _is_trees(report: RangeReport) -> bool:
    """Two folders of sources: what the range calls a commit is made up, and no page shows it."""
    return not report.span.repo.url


def _name(ref: Ref) -> str:
    return ref.name[:9] if re.fullmatch("[0-9a-f]{12,64}", ref.name) else ref.name


def _breaking(report: RangeReport) -> list[Net]:
    return [net for net in report.nets if net.finding.breaking]


def _judged(report: RangeReport) -> list[Entry]:
    """Breaking without a breaking finding, neither reverted within the range nor in the start already."""
    if _is_trees(report):
        return []
    kinds = {e.change.sha: e.kind for e in report.entries}
    back = {o.fault for o in report.outages if o.repair and kinds.get(o.repair) == "revert"}
    found = [e for e in report.entries if e.breaking and e.change.sha not in back.union(report.had)]
    return [e for e in found if not any(f.breaking for f in e.reading.findings)]


def _spans(read: Read, words: frozenset[str]) -> Iterator[str]:
    """Names, paths, values, tags and shas in code: each is in the data."""
    for line in read.prose:
        for shown in (_plain(one.shown) for one in ticked_in(line.raw)):
            if shown not in words and not _is_begun(shown, words):
                yield read.problem(line.number, f"shows {shown[:60]!r}, which is not in the data")


def _is_begun(shown: str, words: frozenset[str]) -> bool:
    """Whether this is the beginning of a long word, shortened by whoever showed it."""
    start = shown.removesuffix("…")
    return start != shown and len(start) >= _SHORTENED and any(word.startswith(start) for word in words)


def _times(read: Read, dates: frozenset[str]) -> Iterator[str]:
    for line in read.prose:
        if line.raw.startswith(("> ", "- 2", "- Since 2")):
            yield from (
                read.problem(line.number, f"gives the date {day}, which is not in the data")
                for day in _DATE.findall(without_code(line.raw)[:200])[:2]
                if day not in dates
            )


def _counts(read: Read, report: RangeReport) -> Iterator[str]:
    """Counts in the contents and in the table of surfaces."""
    broken = len(_breaking(report))
    held = sum(one.holds_end for one in report.outages)
    real = {
        "faults": held,
        "outages": len(report.outages) - held,
        "left": len(report.left_behind),
        "commits": len(report.entries),
    }
    real["judged"] = len(_judged(report))
    if report.hits is None:
        real["breaking"] = broken
    else:
        real["hits"] = sum(hit.acknowledged is None for hit in report.hits)
    rows = [(line.number, int(row[1]) + int(row[2] or 0)) for line in read.prose if (row := _ROW.match(line.raw))]
    told = sum(n for _, n in rows)
    if rows and (told != broken if report.hits is None else told > broken):
        yield read.problem(rows[0][0], f"has a table of {told} breaking changes, not {broken}")
    for line in read.prose:
        for said, name in _COUNTED.findall(line.raw):
            if name in real and int(said) != real[name]:
                yield read.problem(line.number, f"counts {said} under {name}, but the data has {real[name]}")


def _folds(read: Read) -> Iterator[str]:
    """A fold holds as many items as it says, counted by the items or by what stands below them."""
    said, opened, items, leaves, childless = 0, 0, 0, 0, False
    for line in read.prose:
        if fold := _FOLD.match(line.raw):
            said, opened, items, leaves = int(fold[1]), line.number, 0, 0
        elif line.raw.startswith("</details>"):
            if said not in (items, leaves):
                yield read.problem(opened, f"folds {said} lines, but has {items}")
        elif line.raw.startswith("- "):
            items, leaves, childless = items + 1, leaves + 1, True
        elif line.raw.startswith("  - "):
            names = _INLINE.search(line.raw)
            times = _TIMES.search(line.raw)
            leaves += (int(names[1]) if names else int(times[1]) if times else 1) - childless
            childless = False
            if names and names[2].count("<code>") < int(names[1]):
                yield read.problem(line.number, f"folds {names[1]} names, but shows {names[2].count('<code>')}")


def _complete(read: Read, report: RangeReport, parts: Sequence[Read]) -> Iterator[str]:
    """Every commit is on the page or one that belongs to it, every breaking finding and every hit on the page."""
    repo = report.span.repo
    linked = repo.url.startswith(("http://", "https://"))
    targets = frozenset(link.target for part in parts for line in part.prose for link in line.raw_links)
    text = "\n".join(part.page.text for part in parts)  # nearly all are targets, and text is long
    for entry in () if _is_trees(report) else _told(report):
        wanted = repo.commit_url(entry.change.sha) if linked else entry.change.short
        if wanted not in targets and wanted not in text:
            yield read.problem(1, f"leaves out {entry.change.short} of {repo.name}")
    seen = _seen(read.page.text)
    pieces, letters = frozenset(seen.split("\n")), _letters(read.page.text)
    told = {(h.net.finding, h.net.commits) for h in report.hits or ()}
    for net in _breaking(report):
        names = [plain(form)[:_SHOWN].strip() for x in _values(net.finding)[:3] if x for form in _forms(x)]
        touched = any((n.finding, n.commits) in told for n in (net, *net.under))
        shown = any(name in pieces or name in seen for name in names if name) or _told_by_error(net, letters)
        if not touched and any(names) and not shown:
            yield read.problem(1, f"leaves out the breaking change of {net.finding.symbol[:60]!r}")
    for hit in report.hits or ():
        if not any(plain(form)[:_SHOWN] in seen for form in _forms(f"{hit.use.path}:{hit.use.line}")):
            yield read.problem(1, f"leaves out what touches {hit.use.path}:{hit.use.line}")


def _told_by_error(net: Net, letters: str) -> bool:
    """A check that came may be told by its error alone, whose words are no code: signs that markup escapes do not count."""
    error = ERROR_WORDS.search(net.finding.after or "")
    return error is not None and _letters(error["words"])[:_SHOWN] in letters


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text)


def _seen(text: str) -> str:
    """All code that a reader sees, in the plain form: names and paths stand nowhere else."""
    return "\n".join(_plain(one.shown) for line in text.split("\n") for one in ticked_in(line))


def _data(pages: Iterable[Page], report: RangeReport) -> list[str]:
    """The JSON file is there and holds the same commits and findings."""
    page = next((p for p in pages if p.path.endswith(".json")), None)
    if page is None:
        return ["there is no page with the data"]
    data = msgspec.json.decode(page.text, type=_Data)
    shas = [commit.sha for commit in data.commits]
    same = shas == [e.change.sha for e in report.entries] and len(data.nets) == len(report.nets)
    return [] if same else [f"{page.path}: does not hold the commits and findings of the report"]


def _uncounted(report: RangeReport) -> list[str]:
    """A difference to git's own list needs its explanation."""
    span = report.span
    told, lost = {e.change.sha for e in report.entries}, {e.change.sha for e in report.left_behind}
    found = [f"{sha[:9]} is told, but is no commit of the range" for sha in sorted(told - set(span.gained))]
    found += [f"{sha[:9]} is told as left behind, but is not" for sha in sorted(lost - set(span.lost))]
    missing = set(span.gained) - told
    if missing and not report.skipped and not span.skipped:
        found.append(f"{span.repo.name}: {len(missing)} commits are not told, and nothing is skipped")
    return found

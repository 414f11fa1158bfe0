"""A whole report checked: each check in turn, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from itertools import islice

from daybreak.core.markdown_page import Link, Page, plain
from daybreak.verify.check_input import ANYWHERE, DATE, Item, Items, Study, Values, Written, when
from daybreak.verify.commit_checks import alike, check_people, check_pulls, check_shas, check_titles, within, words_of
from daybreak.verify.context import Known, Sieve, Spot, address, scene
from daybreak.verify.file_checks import check_counts, check_paths, check_snippets, counted
from daybreak.verify.mirror import Commit, Mirror
from daybreak.verify.page_checks import check_anchors, check_cuts, check_leaks, check_links
from daybreak.verify.value_checks import check_values
from daybreak.verify.values import Findings, Verified
from daybreak.verify.written_checks import check_written

# Checks of the day: its commits, their number, and what was collected of issues and pull requests bear the report
# out.
_NONE = re.compile(
    r"无更新|没有更新|暂无更新|无新提交|没有新提交|无提交|没有提交|\bno (?:new )?(?:updates?|commits?|changes)\b",
    re.IGNORECASE,
)
_NONE_IN = Sieve(
    _NONE,
    *("无更新", "没有更新", "无新提交", "没有新提交", "无提交", "没有提交"),
    *("no update", "no commit", "no change", "no new"),
)
_TALLY = re.compile(r"(?:提交|[Cc]ommits)\s*(\d{1,6})\s*/\s*(\d{1,6})(?=\s*·)")
_SHORT = 80
_ASIDE = re.compile(r"(?:branch|head|分支)\W", re.IGNORECASE)


def check_days(study: Study) -> None:
    if study.when.day is None:
        _dated(study)
        number = len({c.sha for spot in study.prose for c in spot.own if not _LISTED.match(spot.line.text)})
        if number:
            study.findings.unknown("day", f"no day: {study.when.source}", number)
        return
    firsts = _inside(study)
    _updates(study, firsts)
    _tally(study)


def _dated(study: Study) -> None:
    """`- 2026-01-31 · … sha`, as pages between two refs list their commits: the day on which it was committed, in any zone."""
    for spot in study.prose:
        m = _LISTED.match(spot.line.text)
        if m and spot.own:
            first = spot.own[0]
            days = [f"{first.times(zone)[0]:%Y-%m-%d}" for zone in ANYWHERE]
            why = f"{first.short} was committed {first.times(UTC)[0]:%Y-%m-%d %H:%M} UTC"
            study.findings.decide(min(days) <= m[1] <= max(days), "day", spot.line.number, m[1], why, m.span(1))


_LISTED = re.compile(r"- (\d{4}-\d\d-\d\d) · ")


def _inside(study: Study) -> dict[str, Commit]:
    """Each commit once, where it is first the subject of a line."""
    seen: dict[str, Commit] = {}
    for spot in study.prose:
        first = spot.own[0] if spot.own else None
        if first is None or first.sha in seen or _mention(study, spot, first):
            continue
        seen[first.sha] = first
        if study.when.holds(first):
            study.findings.true("day")
            continue
        if _begun(study, spot, first):
            study.findings.unknown("day", "a story of the span may have begun before it")
            continue
        zone = study.when.zones()[-1]
        real = first.times(zone)[0].strftime("%Y-%m-%d %H:%M")
        name = study.when.zone_name or "UTC"
        why = f"was committed {real} {name}, the report is of {study.when.label} (day from {study.when.source})"
        named = next((n for n in spot.names), None)
        span = (named.start, named.end) if named else (0, 0)
        study.findings.false("day", spot.line.number, f"{first.repo} {first.short}", why, span)
    return seen


def _mention(study: Study, spot: Spot, commit: Commit) -> bool:
    """An older commit that is told as such: with its own date, among late ones, in advice, beside an issue."""
    if spot.late or spot.advice or spot.issues or _ASIDE.search(spot.line.text[:40]):
        return True
    if _carried(study, spot, commit):
        return True
    if study.when.zone is None or spot.line.table:
        return False
    return bool(set(DATE.findall(spot.line.text)) & study.when.days_of(commit))


def _begun(study: Study, spot: Spot, first: Commit) -> bool:
    """A roll-up's line that leads to a day of its span may tell a story that began before the span."""
    span, told = study.when.span(), DATE.findall(spot.line.text)
    if not study.page.rollup or span is None or first.committed >= span[0]:
        return False
    return any((study.when.day or "") <= day <= (study.when.last or "") for day in told)


def _carried(study: Study, spot: Spot, commit: Commit) -> bool:
    """Brought in by a merge of the day, told as part of it."""
    mirror = study.mirror(commit.repo)
    merges = [c for c in spot.commits if len(c.parents) > 1 and study.when.holds(c)]
    return mirror is not None and any(commit.sha in mirror.brought(merge) for merge in merges)


def _updates(study: Study, listed: dict[str, Commit]) -> None:
    """Against the day and all the time that the report itself tells of: what others had in it, this one could have."""
    span = study.when.span()
    assert span
    times = [c.committed for c in listed.values() if c.sha]
    within = [t for t in times if span[0] - 3 * 86400 <= t < span[1] + 3 * 86400]
    says_none = _NONE_IN.on(study.page)
    low, high = span if study.when.zone else (min([span[0], *within]), max([span[1], *(t + 1 for t in within)]))
    for spot in study.prose:
        if len(spot.line.text) > _SHORT or spot.own or spot.line.table or not says_none(spot.line.text):
            continue
        mirror = study.mirror(spot.repo)
        if mirror is None:
            study.findings.unknown("no update", "no mirror of that repository")
            continue
        found = mirror.between(low, high)
        until = "of that day" if study.when.zone else "of the time the report tells of"
        number = "a commit" if len(found) == 1 else f"{len(found)} commits"
        why = f"{mirror.name} has {number} {until}: {', '.join(c.short for c in found[:3])}"
        study.findings.decide(not found, "no update", spot.line.number, spot.line.text.strip(), why)


def _tally(study: Study) -> None:
    """`commits 8 / 9`: so many told of so many in git, for the repositories that the page has."""
    span = study.when.span()
    if not study.page.ours or not study.when.zone or span is None:
        return
    names = [spot.repo for spot in study.prose if spot.line.heading and spot.repo]
    if not names:
        return
    top = islice((spot for spot in study.spots if spot.line.fence is None), _TOP)
    stated = next(((spot, m) for spot in top if (m := _TALLY.search(spot.line.text))), None)
    if stated is None:
        return
    spot, m = stated
    windows = [mirror.as_of(*span) for name in dict.fromkeys(names) if (mirror := study.mirror(name))]
    every, sure = (set().union(*(one[n] for one in windows)) for n in (0, 1))
    why = f"git has {len(every)}"
    held = len(sure) <= int(m[2]) <= len(every)
    study.findings.decide(held, "count", spot.line.number, m[0], why, m.span())
    told = {c.sha for s in study.prose for c in s.own}
    missing = sorted(sure - told)
    if int(m[1]) == int(m[2]):
        why = f"{len(missing)} commits of the day are not on the page, {next(iter(missing), '')[:9]} among them"
        study.findings.decide(not missing, "count", spot.line.number, m[0], why, m.span())


_TOP = 12


# --- Issues and pull requests of a forge: what was collected of them bears out their kind, title and author ---

_TITLE = re.compile(r"[\s|*:：-]{1,6}([^·|]{10,250}?)(?:\*\*)?\s*(?:$|·|\||\((?:open|closed|draft|merged)|（)")
_BY = re.compile(r"(?:作者|[Aa]uthor)\s*\**\s*[:：]\s*\**\s*@?([\w.\[\]-]{1,60})")


def check_forge(study: Study) -> None:
    for spot in study.prose:
        for link in spot.line.links:
            found = address(link.target)
            number = found.rest.split("/")[0] if found else ""
            if found is None or found.kind not in ("issues", "pull") or not number.isdigit():
                continue
            item = study.items.find(found.base, int(number))
            if item is not None:
                _one(study, spot, link, item, found.kind)
            elif found.kind == "issues":
                study.findings.unknown("item", "not among what was collected")


def _one(study: Study, spot: Spot, link: Link, item: Item, kind: str) -> None:
    line, span = spot.line.number, (link.start, link.end)
    if kind == "issues":
        held = item.kind == "issues"
        study.findings.decide(held, "item", line, link.target, f"#{item.number} is a pull request", span)
    said = _BY.search(spot.line.text)
    if said and item.author and len(spot.line.links) == 1:
        held = said[1].lower() == plain(item.author).lstrip("@").lower()
        study.findings.decide(held, "author", line, said[1], f"#{item.number} is by {item.author}", said.span(1))
    behind = _TITLE.match(spot.line.text[link.end : link.end + 300])
    words = words_of(behind[1]) if behind else []
    if behind and words and alike(words, plain(item.title)):
        why = f"the title of #{item.number} is {item.title[:100]!r}"
        study.findings.decide(within(words, plain(item.title)), "title", line, behind[1][:80], why, span)


CHECKS = (
    check_shas,
    check_links,
    check_pulls,
    check_people,
    check_titles,
    check_paths,
    check_counts,
    check_days,
    check_anchors,
    check_snippets,
    check_cuts,
    check_leaks,
    check_forge,
    check_written,
    check_values,
)
"""In the order in which a reader of the output wants them."""
FIRST_WITH_FILES = check_paths


def verify(
    name: str,
    text: str,
    mirrors: Mapping[str, Mirror],
    *,
    day: str | None = None,
    items: Items | None = None,
    values: Values | None = None,
    there: Callable[[str], bool] | None = None,
    written: Written | None = None,
) -> Verified:
    """Check one report; `there` tells whether a file beside it exists, by its path from the report's folder."""
    page = Page(name, text)
    known = Known({name: mirror for name, mirror in mirrors.items() if mirror.usable})
    spots = scene(page, known)
    study = Study(
        page, spots, known, when(page, spots, day), items or Items(), there, Findings(), values, written or Written()
    )
    for check in CHECKS:
        if check is FIRST_WITH_FILES:
            _read_files(study)
        check(study)
    return _said(study)


def _read_files(study: Study) -> None:
    """Of all commits of which a line gives paths or counts, at once."""
    wanted: dict[str, dict[str, None]] = {}
    for spot in study.prose:
        if "`" in spot.line.text or counted(spot.line.text):
            for commit in spot.commits:
                wanted.setdefault(commit.repo, {})[commit.sha] = None
    for repo, shas_of in wanted.items():
        study.known.mirrors[repo].prepare(shas_of)


def _said(study: Study) -> Verified:
    page, findings, told = study.page, study.findings, study.when
    if page.too_long:
        findings.unknown("whole", "a line is too long to be read", page.too_long)
    return Verified(
        page.name,
        told.label or None,
        told.zone_name,
        told.source,
        dict(findings.held),
        findings.sorted(),
        dict(findings.unchecked),
    )

"""What a range changes, finding by finding: what touches your code, what breaks, what behaves differently, the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import get_args

from daybreak.core.model.day import Commit
from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Certainty, Hit, Net
from daybreak.findings.kinds import ANOTHER_NAME, GONE, FeltPart, kind_of, surfaces
from daybreak.report.render.change import spans_of, subject
from daybreak.report.render.escape import aside, bold, clean, code, statement, text
from daybreak.report.render.sections import details
from daybreak.report.render.unread import unread_point
from daybreak.upgrade.range.range_sections import (
    ENTRIES_SHOWN,
    RangeEdition,
    Section,
    breaking_nets,
    faults_section,
    folded,
    judged,
    lines_shown,
    of_internals,
)

NETS_SHOWN = 12
LINES_LEAST = 60
"""Lines of what breaks that stand before folds even where the rest of a page leaves it less."""
LINES_AROUND = 5
"""Of a surface, for its heading and its fold."""
LINES_EACH = 9
"""Kept for each surface that is still to come."""
FELT_SHOWN = 8
FELT_LINES = 12
"""Lines of defaults, and of deprecations, that stand before folds."""
TOGETHER = (6, 3, 1)
"""How many findings of one change stand as sentences below it, as there is room; the others are named in a fold."""
EXAMPLES = 4
FOLDS_SHOWN = 3
LONGEST_NAME = 80
STEPS_SHOWN = 3
PLACES_QUOTED = 3
UNREAD_SHOWN = 20
CERTAINTIES: tuple[Certainty, ...] = ("certain", "likely", "look")

Group = tuple[Net, ...]


# --- what touches your code --------------------------------------------------------------------------------------


def hits_section(ed: RangeEdition) -> Section:
    """Asked for with a path: certain ones first, then how much of the rest has no use there."""
    t, hits = ed.t, ed.upgrade.hits
    title = t("range.hits")
    if hits is None:
        return Section("hits", title, 0, ())
    open_hits = [h for h in hits if h.acknowledged is None]
    pins = {_pinned(ed, h) for h in hits}
    blocks = [*filter(None, pins)] if len(pins) == 1 else []
    blocks += [] if open_hits else [t("range.hits_none")]
    for certainty in CERTAINTIES:
        items = [_hit_item(ed, same, pin=len(pins) > 1) for same in _same_hits(open_hits, certainty)]
        blocks += [f"### {t(f'range.{certainty}')}", *folded(ed, items, NETS_SHOWN)] if items else []
    if known := [h for h in hits if h.acknowledged is not None]:
        items = [f"{_hit_item(ed, (h,), pin=len(pins) > 1)} · {_accepted(ed, h)}" for h in known]
        blocks.append(details(t("day.details", title=t("range.acknowledged"), n=len(items)), "\n".join(items)))
    blocks += [t("range.ignored", n=ed.upgrade.ignored)] if ed.upgrade.ignored else []
    blocks += _unread(ed)
    return Section("hits", title, len(open_hits), tuple(blocks))


def _unread(ed: RangeEdition) -> list[str]:
    """Files of the reader's that were not compared."""
    files = ed.upgrade.unread
    if not files:
        return []
    what = ed.t("page.list").join(f"{code(one.what)}{ed.note(text(one.reason))}" for one in files[:UNREAD_SHOWN])
    more = ed.t("range.and_more") if len(files) > UNREAD_SHOWN else ""
    return [ed.ended(ed.t("touches.skipped", n=len(files), what=what + more))]


def _same_hits(hits: Sequence[Hit], certainty: Certainty) -> list[tuple[Hit, ...]]:
    """Hits of which the same is to be said, so that a name used in forty places is told once."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for hit in hits:
        if hit.certainty == certainty:
            key = (hit.net.finding.id, hit.net.commits, tuple(hit.why.items()), tuple(hit.action.items()), hit.pinned)
            found.setdefault(key, []).append(hit)
    return [tuple(same) for same in found.values()]


def _hit_item(ed: RangeEdition, same: tuple[Hit, ...], *, pin: bool) -> str:
    """What became of it, what to write, which change; below it every place of yours.

    With `pin` also the version that is pinned: said here only when it is not the same for all.
    """
    first = same[0]
    said = [ed.ended(statement(ed.say(first.why), code))]
    if action := ed.say(first.action):
        said.append(_labelled(ed, "range.instead", statement(action, code)))
    if pin and (version := _pinned(ed, first)):
        said.append(version)
    lines = [f"- {ed.t('page.space').join(said)} {_cause(ed, first.net, always=True)}".rstrip()]
    if len(same) <= PLACES_QUOTED:
        return "\n".join(lines + [f"  - {_place(h)} {code(h.use.text)}".rstrip() for h in same])
    places = ed.t("page.list").join(_place(h) for h in same)
    return "\n".join([*lines, f"  - {ed.t('range.places', n=len(same))}{ed.t('page.colon')}{places}"])


def _pinned(ed: RangeEdition, hit: Hit) -> str:
    """The version that runs now, and where that stands."""
    if not hit.pinned:
        return ""
    at = ed.note(code(hit.pin_at)) if hit.pin_at else ""
    return ed.ended(ed.t("range.pinned", version=code(hit.pinned)) + at)


def _place(hit: Hit) -> str:
    return code(f"{hit.use.path}:{hit.use.line}")


def _accepted(ed: RangeEdition, hit: Hit) -> str:
    return ed.t("range.accepted", why=text(hit.acknowledged or ""))


# --- what breaks -------------------------------------------------------------------------------------------------


def breaking_section(ed: RangeEdition, lines: int) -> Section:
    """By surface, the heaviest changes first; folded when the reader asked for what touches them.

    `lines`: how many the rest of the page leaves it before folds.
    """
    t, report = ed.t, ed.upgrade
    nets = breaking_nets(report)
    if report.hits is not None:
        touched = {(h.net.finding, h.net.commits) for h in report.hits}
        rest = tuple(n for n in nets if not _is_touched(n, touched))
        told = (t("range.untouched_lead"), _overview(ed, rest), *_by_surface(ed, rest, 0)) if rest else ()
        return Section("breaking", t("range.breaking_rest"), len(rest), told)
    if not nets:
        quiet = not report.entries and not report.left_behind and not report.nets
        return Section("breaking", t("range.breaking"), 0, () if quiet else (_none_detected(ed),))
    blocks = [_overview(ed, nets), *_uncounted(ed), *_faults(ed), t("page.space").join(_lead(ed))]
    blocks += _by_surface(ed, nets, max(LINES_LEAST, lines - lines_shown(blocks)))
    return Section("breaking", t("range.breaking"), len(nets), tuple(blocks))


_IMPORTED = frozenset({"module", "function", "class"})


def _uncounted(ed: RangeEdition) -> list[str]:
    """Names of Python that went without being counted as breaking: to who imports one all the same it is gone."""
    gone = sum(
        kind.family in _IMPORTED and kind.change in GONE for kind in (kind_of(n.finding.kind) for n in _rest(ed))
    )
    return [ed.t("range.uncounted", n=gone)] if gone else []


def _faults(ed: RangeEdition) -> list[str]:
    """Below the overview, where what breaks is read first."""
    found = faults_section(ed)
    title = ed.t("day.details", title=found.name, n=found.count)
    return [f'### <a id="faults"></a>{title}', *found.blocks] if found.blocks else []


def faults_apart(ed: RangeEdition) -> Section:
    """The same by themselves, where nothing breaks or the reader asked for what touches them."""
    inside = ed.upgrade.hits is None and breaking_nets(ed.upgrade)
    return Section("faults", "", 0, ()) if inside else faults_section(ed)


def judged_section(ed: RangeEdition) -> Section:
    """Commits that break as a whole, with the reasons."""
    found = sorted((ed.entries[e.change.sha] for e in judged(ed.upgrade)), key=lambda e: -e.importance.score)
    items = [f"- {bold(subject(ed, e))} {ed.refs(e.sha)}{_because(ed, e)}" for e in found]
    blocks = (ed.t("range.judged_lead"), *folded(ed, items, ENTRIES_SHOWN)) if items else ()
    return Section("judged", ed.t("range.judged"), len(items), blocks)


def _because(ed: RangeEdition, commit: Commit) -> str:
    told = [statement(ed.say(r.text), spans_of((commit,))).rstrip("。.") for r in commit.importance.reasons]
    said = ed.t("page.semicolon").join(filter(None, told))
    return " · " + _labelled(ed, "range.because", said) if said else ""


def _none_detected(ed: RangeEdition) -> str:
    return ed.t("page.space").join([ed.t("range.breaking_none"), *unread_point(ed, (ed.repo,))])


def _is_touched(net: Net, touched: Collection[tuple[Finding, tuple[str, ...]]]) -> bool:
    return (net.finding, net.commits) in touched or any(_is_touched(one, touched) for one in net.under)


def _lead(ed: RangeEdition) -> list[str]:
    """What holds for every line below and so is said once."""
    known = ed.end_release
    return [ed.t("range.alias_lead"), *([ed.t("range.since_lead", tag=code(known))] if known else [])]


def _overview(ed: RangeEdition, nets: Sequence[Net]) -> str:
    """One row for each surface: how much breaks there, counted as the head counts, and the weightiest names."""
    rows = [ed.t("range.overview"), "| --- | --- | --- |"]
    for surface, found in _surfaces(nets):
        names = list(dict.fromkeys(_name(n) for n in sorted(found, key=lambda n: -ed.score(n))))
        more = ed.t("range.and_more") if len(names) > EXAMPLES else ""
        shown = ed.t("page.list").join(names[:EXAMPLES]) + more
        inner = of_internals(found)
        count = f"{len(found) - inner}{ed.t('range.for_forks', n=inner) if inner else ''}"
        rows.append(f"| [{ed.t(f'surface.{surface}')}](#breaking-{surface}) | {count} | {shown} |")
    return "\n".join(rows)


def _by_surface(ed: RangeEdition, nets: Sequence[Net], left: int) -> list[str]:
    """Each surface within the lines that are left, of which every one still to come keeps some."""
    blocks: list[str] = []
    parts = [(surface, _groups(ed, found)) for surface, found in _surfaces(nets)]
    listed = _fitting(ed, [groups for _, groups in parts], NETS_SHOWN, left - LINES_AROUND * len(parts))
    for at, ((surface, groups), items) in enumerate(zip(parts, listed, strict=True)):
        sizes = [*map(len, groups)]
        title = ed.t("day.details", title=ed.t(f"surface.{surface}"), n=sum(sizes))
        room = left - LINES_AROUND - LINES_EACH * (len(parts) - at - 1)
        shown = 0 if ed.asked else _before_fold(items, NETS_SHOWN, room)
        blocks += (part := [f'### <a id="breaking-{surface}"></a>{title}', *folded(ed, items, shown, sizes)])
        left -= lines_shown(part)
    return blocks


def _fitting(ed: RangeEdition, parts: Sequence[Sequence[Group]], most: int, lines: int) -> list[list[str]]:
    """The items of each part: all of them say less before any is folded for want of room."""
    for together in TOGETHER:
        listed = [[_item(ed, group, together) for group in groups] for groups in parts]
        if sum(_size(item) for items in listed for item in items[:most]) <= lines:
            break
    return listed


def _before_fold(items: Sequence[str], most: int, lines: int) -> int:
    """As many as fit, and one however long it is."""
    return max(1, sum(size <= lines for size in accumulate(map(_size, items[:most]))))


def _size(item: str) -> int:
    return item.count("\n") + 1


# --- what behaves differently, and the rest ----------------------------------------------------------------------


def behaviour_section(ed: RangeEdition) -> Section:
    """Defaults, deprecations, guards: nothing has to be rewritten, but something may run differently."""
    felt = [
        n for n in ed.upgrade.nets if not n.finding.breaking and kind_of(n.finding.kind).is_felt and not n.finding.inner
    ]
    blocks: list[str] = []
    for part in get_args(FeltPart):
        found = [n for n in felt if kind_of(n.finding.kind).felt_part == part]
        if found:
            blocks.append(f"### {ed.t('day.details', title=ed.t(f'range.{part}'), n=len(found))}")
            groups = _groups(ed, found)
            (items,) = _fitting(ed, [groups], FELT_SHOWN, FELT_LINES)
            shown = 0 if ed.asked or part == "guards" else _before_fold(items, FELT_SHOWN, FELT_LINES)
            blocks += folded(ed, items, shown, [*map(len, groups)])
    return Section("behaviour", ed.t("range.behaviour"), len(felt), tuple(blocks))


def other_section(ed: RangeEdition) -> Section:
    """What came and what changed without breaking: to look things up, so folded, and again by surface."""
    rest = _rest(ed)
    parts = [
        details(ed.t("day.details", title=ed.t(f"surface.{surface}"), n=len(found)), _list(ed, found))
        for surface, found in _surfaces(rest)
    ]
    whole = ed.t("day.details", title=ed.t("range.unfold"), n=len(rest))
    folds = [details(whole, "\n\n".join(parts))] if len(parts) > FOLDS_SHOWN else parts
    blocks = (ed.t("range.other_lead"), *folds) if rest else ()
    return Section("other", ed.t("range.other"), len(rest), blocks)


def _rest(ed: RangeEdition) -> list[Net]:
    rest = [n for n in ed.upgrade.nets if not (n.finding.breaking or kind_of(n.finding.kind).is_felt)]
    return [n for n in rest if kind_of(n.finding.kind).told == "always" and not n.finding.inner]


# --- one net -----------------------------------------------------------------------------------------------------


def _surfaces(nets: Sequence[Net]) -> list[tuple[str, list[Net]]]:
    """The nets of each surface that has some, in the order of the surfaces."""
    by: dict[str, list[Net]] = {surface: [] for surface in surfaces()}
    for net in nets:
        by[kind_of(net.finding.kind).surface].append(net)
    return [(s, found) for s, found in by.items() if found]


def _groups(ed: RangeEdition, nets: Sequence[Net]) -> list[Group]:
    """Nets that the same changes made stand together; heavier changes first. Two folders have no changes to tell."""
    if ed.trees:
        return [(net,) for net in nets]
    found: dict[tuple[str, ...], list[Net]] = {}
    for net in sorted(nets, key=lambda n: -ed.score(n)):
        found.setdefault(net.commits, []).append(net)
    return [tuple(group) for group in found.values()]


def _item(ed: RangeEdition, group: Group, together: int = TOGETHER[0]) -> str:
    """One finding in a line, or one change with its findings below it."""
    if len(group) == 1:
        return f"- {_said(ed, group[0])} {_cause(ed, group[0])}".rstrip()
    last = ed.entries.get(group[0].commits[-1]) if group[0].commits else None
    title = bold(subject(ed, last)) + " " if last else ""
    advice = {_advice(ed, net) for net in group}
    shared = f" · {advice.pop()}" if len(advice) == 1 and "" not in advice else ""
    lines = [f"- {title}{_cause(ed, group[0])}{shared}"]
    told = together if len(group) > together + 1 else len(group)  # a fold for one line saves none
    said = Counter(_said(ed, net, advised=not shared) for net in group[:told])
    lines += [f"  - {one}" + (f" ×{n}" if n > 1 else "") for one, n in said.items()]
    if rest := group[told:]:
        names = ed.t("page.list").join(_apart(net) for net in rest)
        lines.append(f"  - <details><summary>{ed.t('range.further', n=len(rest))}</summary>{names}</details>")
    return "\n".join(lines)


def _list(ed: RangeEdition, nets: Sequence[Net]) -> str:
    return "\n".join(_item(ed, group) for group in _groups(ed, nets))


def _said(ed: RangeEdition, net: Net, *, advised: bool = True) -> str:
    """What it is, with before and after and the fate of the old name, and what to write instead."""
    told = statement(ed.say(net.text), spans_of(ed.changes(net))) or _plainly(ed, net)
    advice = _advice(ed, net) if advised else ""
    return ed.t("page.space").join(filter(None, (ed.ended(told), advice)))


def _plainly(ed: RangeEdition, net: Net) -> str:
    """A net without words: its name, what it was and is, and where."""
    f = net.finding
    values = [x for x in (f.before, f.after) if x]
    steps = [code(x) for x in values if values != [f.symbol]]
    return f"{_name(net)}{ed.t('page.colon')}{' → '.join(steps) or ed.t(f'surface.{kind_of(f.kind).surface}')}{ed.note(code(f.path))}"


def _advice(ed: RangeEdition, net: Net) -> str:
    """What to write instead; who meets it where that is all that can be said."""
    spans, f = spans_of(ed.changes(net)), net.finding
    if net.how and (f.breaking or kind_of(f.kind).is_felt):
        return _labelled(ed, "range.instead", statement(ed.say(net.how), spans))
    if net.who and f.breaking:
        return _labelled(ed, "range.who", statement(ed.say(net.who), spans))
    return ""


def _labelled(ed: RangeEdition, label: str, said: str) -> str:
    """The label and a sentence; where sentences have capitals, part of one begins like a whole one."""
    begun = said[:1].upper() + said[1:] if ed.t("page.space") else said
    return f"{ed.t(label)}{ed.t('page.colon')}{ed.ended(begun)}"


def _cause(ed: RangeEdition, net: Net, *, always: bool = False) -> str:
    """The changes that did it, oldest first, and the release that first holds the last of them."""
    steps = [] if ed.trees else [ed.refs(sha) for sha in net.commits]
    if len(steps) > STEPS_SHOWN:
        steps = [steps[0], ed.t("range.steps", n=len(steps) - 2), steps[-1]]
    return " · ".join([" → ".join(steps), *ed.since(net.since, ed.changes(net), always=always)]).strip(" ·")


def _name(net: Net) -> str:
    name = clean(net.finding.symbol).strip() or clean(net.finding.path)
    return code(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…")


def _apart(net: Net) -> str:
    """A name inside an HTML fold, where Markdown is not read; what it became when that is a name too, or what to use."""
    f, kind = net.finding, kind_of(net.finding.kind)
    if "condition" in kind.traits:
        return aside(f.after or f.before or f.symbol)
    if kind.change == "removed" and f.alias and f.alias.status == "none" and f.alias.where:
        return f"{aside(f.symbol)} → {aside(f.alias.where)}"
    renamed = kind.change in ANOTHER_NAME and f.before and f.after
    return f"{aside(f.before or '')} → {aside(f.after or '')}" if renamed else aside(f.symbol)

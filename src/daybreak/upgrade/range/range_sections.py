"""Parts of an upgrade report that tell changes: broken times, repairs, speed, features, what is left behind, all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.day import SCHEMA, Commit, Coverage, Day, RepoDay, Window
from daybreak.core.model.report import Entry, Page
from daybreak.core.model.upgrade import Net, Outage, RangeReport, Ref
from daybreak.core.text import shortened
from daybreak.core.words.phrases import phrases
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import puts_back
from daybreak.judge.day_value import commit_of
from daybreak.report.render.change import spans_of, subject
from daybreak.report.render.edition import MARKS, Edition, commit_link, refs
from daybreak.report.render.escape import bold, code, statement, text, url
from daybreak.report.render.sections import details, skipped_line
from daybreak.report.render.unread import unread_point
from daybreak.store.report_files import RANGES

# --- One language of one upgrade report: its file names, its refs, and the changes by sha ---


MARKER = "<!-- daybreak.range/1 -->"
LONGEST_NAME = 60
_ANNOUNCED = 400
"""Characters of one announcement; the changelog has the rest."""
_SHA = re.compile(r"[0-9a-f]{12,64}")


class RangeEdition(Edition, frozen=True, kw_only=True):
    """What every part of the page needs to know of the whole; `day` is the range seen as a day of one repository."""

    upgrade: RangeReport
    entries: dict[str, Commit]
    """Gained and left behind, by sha."""
    breaking: frozenset[str]
    """Commits whose break still holds at the end."""
    undone: frozenset[str]
    had: frozenset[str]

    @property
    def asked(self) -> bool:
        """The reader asked for what touches their own code: all else is there to be looked up."""
        return self.upgrade.hits is not None

    @property
    def trees(self) -> bool:
        """Two folders of sources are compared: there are no commits to be told."""
        return is_trees(self.upgrade)

    @property
    def repo(self) -> RepoDay:
        return self.day.repos[0]

    def file(self, language: str = "") -> str:
        return range_stem(self.upgrade) + self.ending(language or self.language)

    def commits_file(self, part: int) -> str:
        return f"{range_stem(self.upgrade)}.commits-{part}{self.ending(self.language)}"

    def data_file(self) -> str:
        return range_stem(self.upgrade) + ".json"

    def link(self, label: str, file: str) -> str:
        return f"[{label}]({url(file)})"

    def name(self, ref: Ref) -> str:
        return code(shown_name(ref))

    def place(self, ref: Ref) -> str:
        """A ref with its commit and date; a folder of sources has neither."""
        if self.trees:
            return self.name(ref)
        facts = [f"{ref.committed_at:%Y-%m-%d}"]
        if ref.sha and shown_name(ref) != ref.sha[:9]:
            facts.insert(0, commit_link(self.repo, ref.sha))
        return self.name(ref) + self.note(*facts)

    def changes(self, net: Net) -> list[Commit]:
        return [self.entries[sha] for sha in net.commits if sha in self.entries]

    def refs(self, sha: str) -> str:
        """Pull request and commit; one that no entry tells by its commit alone. Two folders have neither."""
        if self.trees:
            return ""
        commit = self.entries.get(sha)
        return refs(self.repo, commit) if commit else commit_link(self.repo, sha)

    @property
    def end_release(self) -> str | None:
        """The end's name when it is a release: what names no other release is new in it."""
        name = self.upgrade.span.end.name
        return name if name in self.upgrade.span.released.values() else None

    def since(self, tag: str | None, changes: Sequence[Commit], *, always: bool = False) -> list[str]:
        """First release that holds changes; left unsaid when it is the end itself, which every line would repeat. What one of
        them only puts back was there before: it is in that release, and not since it.
        """
        if tag and any(puts_back(one.subject) for one in changes):
            return [self.t("range.in", tag=code(tag))]
        return [self.t("range.since", tag=code(tag))] if tag and (always or tag != self.end_release) else []

    def score(self, net: Net) -> float:
        """How much the change that decides weighs."""
        entry = self.entries.get(net.commits[-1]) if net.commits else None
        return entry.importance.score if entry else 0.0


def range_editions(report: RangeReport) -> tuple[RangeEdition, ...]:
    """One edition for each language, the main one first."""
    span, repo = report.span, as_repo(report)
    window = Window(span.start.committed_at, span.end.committed_at, "", range_label(report))
    day = Day(schema=SCHEMA, window=window, languages=report.languages, coverage=Coverage(), repos=(repo,))
    entries = {one.sha: one for one in repo.changes}
    breaking = frozenset(sha for net in breaking_nets(report) for sha in net.commits)
    breaking |= {e.change.sha for e in judged(report)}
    undone, had = reverted(report), frozenset(report.had)
    return tuple(
        RangeEdition(
            day, phrases(x, "report"), upgrade=report, entries=entries, breaking=breaking, undone=undone, had=had
        )
        for x in report.languages
    )


def as_repo(report: RangeReport) -> RepoDay:
    """The range seen as a repository's part of a day: what both pages show is then written once."""
    span = report.span
    return RepoDay(
        span.repo.name,
        span.repo.url,
        head=span.end.sha,
        in_git=len(span.gained),
        commits=tuple(commit_of(span.repo, entry) for entry in report.entries),
        late=tuple(commit_of(span.repo, entry) for entry in report.left_behind),
    )


def range_label(report: RangeReport) -> str:
    return f"{report.span.start.name}..{report.span.end.name}"


def range_stem(report: RangeReport) -> str:
    """OWNER-NAME-A..B; a name that no file can have is written with its commit, so that no two share a page."""
    name = re.sub(r"[^\w.-]+", "-", report.span.repo.name)
    return f"{name}-{_file_name(report.span.start)}..{_file_name(report.span.end)}"


def _file_name(ref: Ref) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "-", ref.name)
    if plain == ref.name and len(plain) <= LONGEST_NAME and ".." not in plain:
        return plain
    return f"{plain.replace('..', '-').strip('.-')[:LONGEST_NAME]}-{ref.sha[:9]}".strip("-")


def shown_name(ref: Ref) -> str:
    """A full sha reads no better than its first digits."""
    return ref.name[:9] if _SHA.fullmatch(ref.name) else ref.name


def skipped_of(report: RangeReport) -> tuple[Skipped, ...]:
    """Of the report and of its span, each once."""
    return tuple(dict.fromkeys((*report.skipped, *report.span.skipped)))


def is_trees(report: RangeReport) -> bool:
    """Two folders of sources; only they have no address at all."""
    return not report.span.repo.url


def breaking_nets(report: RangeReport) -> tuple[Net, ...]:
    return tuple(net for net in report.nets if net.finding.breaking)


def of_internals(nets: Sequence[Net]) -> int:
    """How many of them only plug-ins and forks meet: users can set none of it."""
    return sum(kind_of(net.finding.kind).mark == "internals" for net in nets)


def judged(report: RangeReport) -> tuple[Entry, ...]:
    """Changes that break as a whole, though no finding names what, and that the range does not take back itself."""
    if is_trees(report):
        return ()
    undone = reverted(report).union(report.had)
    found = (e for e in report.entries if e.breaking and not any(f.breaking for f in e.reading.findings))
    return tuple(e for e in found if e.change.sha not in undone)


def reverted(report: RangeReport) -> frozenset[str]:
    """Changes that came and went within the range: the end has nothing of them."""
    kinds = {e.change.sha: e.kind for e in report.entries}
    return frozenset(o.fault for o in report.outages if o.fault in kinds and kinds.get(o.repair or "") == "revert")


ENTRIES_SHOWN = 8
OUTAGES_SHOWN = 6
COMMITS_SHOWN = 800
COMMITS_A_PAGE = 1500


class Section(Struct, frozen=True):
    """A part of the page; one without blocks is not shown."""

    id: str
    name: str
    count: int
    blocks: tuple[str, ...]


def lines_shown(blocks: Iterable[str]) -> int:
    """How many lines of a page they take before folds; each block has an empty line after it."""
    return sum(2 if block.startswith("<details>") else block.count("\n") + 2 for block in blocks)


def folded(ed: RangeEdition, items: Sequence[str], shown: int, sizes: Sequence[int] = ()) -> list[str]:
    """The first items as a list, all others in a fold that says how many they are.

    `sizes`: how many each item holds, where a heading counts these and not the items.
    """
    if len(items) <= (shown + 2 if shown else 0):  # a fold for one or two lines hides more than it saves
        return ["\n".join(items)]
    rest = items[shown:]
    title = ed.t(
        "day.details",
        title=ed.t("range.rest" if shown else "range.unfold"),
        n=sum(sizes[shown:]) if sizes else len(rest),
    )
    return [*(["\n".join(items[:shown])] if shown else []), details(title, "\n".join(rest))]


# --- when main was broken ----------------------------------------------------------------------------------------


def faults_section(ed: RangeEdition) -> Section:
    """Faults that the end has and a later change repairs: known before the switch, with where the repair is to be had."""
    items = [f"{_outage(ed, o)}{ed.t('page.space')}{_cure(ed, o)}".rstrip() for o in ed.upgrade.outages if o.holds_end]
    return Section("faults", ed.t("range.faults"), len(items), tuple(folded(ed, items, OUTAGES_SHOWN) if items else ()))


def _cure(ed: RangeEdition, outage: Outage) -> str:
    if outage.repaired_in:
        return ed.t("range.repaired_in", tag=code(outage.repaired_in))
    return ed.t("range.pick") if outage.repair else ""


def outages_section(ed: RangeEdition) -> Section:
    """The other times: those that the start lies in first, for the reader runs them now."""
    found = sorted((o for o in ed.upgrade.outages if not o.holds_end), key=lambda o: not o.holds_start)
    items = [_outage(ed, o) for o in found]
    return Section(
        "outages", ed.t("range.outages"), len(items), tuple(folded(ed, items, OUTAGES_SHOWN) if items else ())
    )


def _outage(ed: RangeEdition, outage: Outage) -> str:
    t, span = ed.t, ed.upgrade.span
    start = _moment(outage.start)
    fault = _titled(ed, outage.fault, outage.fault_title)
    if outage.repair:
        end = _moment(outage.end) if outage.end else "?"
        told = t(
            "range.outage", start=start, end=end, fault=fault, repair=_titled(ed, outage.repair, outage.repair_title)
        )
    else:
        told = t("range.outage_open", start=start, fault=fault)
    where = ("both" if outage.holds_end else "start") if outage.holds_start else "end" if outage.holds_end else "none"
    held = t(f"range.holds_{where}", start=ed.name(span.start), end=ed.name(span.end))
    return f"- {told}{t('page.space')}{held if where == 'none' else bold(held)}"


def _moment(moment: datetime) -> str:
    """A range has no zone of its own, so all of its times are in one that everybody knows."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _titled(ed: RangeEdition, sha: str, title: str) -> str:
    """A commit by its title; one that stands outside the range has no entry, and brings its title along."""
    commit = ed.entries.get(sha)
    told = subject(ed, commit) if commit else text(title)
    return f"{told} {ed.refs(sha)}".strip()


# --- repairs, speed, features ------------------------------------------------------------------------------------


def fixes_section(ed: RangeEdition) -> Section:
    """Security first, then what repairs anything that is not of low importance, heaviest first; small fixes are counted,
    with where they stand, so that nobody takes those listed for all.
    """
    every = [e for e in _standing(ed) if e.kind in ("security", "fix") or _repairs(e)]
    found = [e for e in every if e.kind == "security" or _repairs(e) or e.importance.level != "low"]
    found.sort(key=lambda e: (e.kind != "security", -e.importance.score))
    section, small = _entries(ed, "fixes", found), len(every) - len(found)
    if not small:
        return section
    where = ed.link(ed.t("section.table"), "#commits")
    told = ed.t("range.fixes_small" if found else "range.fixes_only_small", n=small, where=where)
    return replace(section, count=len(every), blocks=(*section.blocks, told))


def _standing(ed: RangeEdition) -> list[Commit]:
    """What the end really has and the start has not: neither filtered nor reverted within the range. Two folders have no
    changes to tell.
    """
    if ed.trees:
        return []
    return [one for one in ed.repo.told if one.sha not in ed.undone | ed.had]


def _repairs(commit: Commit) -> bool:
    return any(r.code.startswith("fixes_") for r in commit.importance.reasons)


def announced_section(ed: RangeEdition) -> Section:
    """What maintainers tell users of and no break shows: their words, for which nothing here vouches."""
    words: dict[str, str] = {}
    shown = {one.id for entry in ed.upgrade.entries for one in entry.reading.findings if one.breaking}
    for entry in ed.upgrade.entries:
        for one in () if entry.change.sha in ed.undone | ed.had else ed.entries[entry.change.sha].announced:
            if one.claim != "deprecates" and one.state != "elsewhere" and shown.isdisjoint(one.findings):
                words.setdefault(one.text, entry.change.sha)
    items = [
        f"- {ed.t('range.says', quote=text(shortened(said, _ANNOUNCED)))} {ed.refs(sha)}" for said, sha in words.items()
    ]
    blocks = (ed.t("range.announced_lead"), *folded(ed, items, ENTRIES_SHOWN)) if items else ()
    return Section("announced", ed.t("range.announced"), len(items), blocks)


def performance_section(ed: RangeEdition) -> Section:
    return _entries(ed, "performance", _of_kind(ed, "perf"))


def features_section(ed: RangeEdition) -> Section:
    return _entries(ed, "features", [e for e in _of_kind(ed, "feature") if e.importance.level != "low"])


def _of_kind(ed: RangeEdition, kind: str) -> list[Commit]:
    found = [e for e in _standing(ed) if e.kind == kind and not _repairs(e)]
    return sorted(found, key=lambda e: -e.importance.score)


def _entries(ed: RangeEdition, name: str, entries: Sequence[Commit]) -> Section:
    items = [_line(ed, e, why=True) for e in entries]
    shown = 0 if ed.asked else ENTRIES_SHOWN
    return Section(name, ed.t(f"range.{name}"), len(items), tuple(folded(ed, items, shown) if items else ()))


def _line(ed: RangeEdition, change: Commit, *, why: bool = False) -> str:
    """One change in one line."""
    parts = [ed.refs(change.sha)]
    if why:
        told = [r for r in change.importance.reasons if r.code.startswith(("fixes_", "says_measured"))]
        parts += [statement(ed.say(r.text), spans_of((change,))).rstrip("。.") for r in told[:1]]
    parts += [f"⚠️ {bold(ed.t('change.breaking'))}"] if change.sha in ed.breaking else []
    parts += [ed.t("range.reverted")] if change.sha in ed.undone else []
    parts += [ed.t("range.had", start=ed.name(ed.upgrade.span.start))] if change.sha in ed.had else []
    parts += [ed.t("change.unread")] if change.skipped else []
    parts += ed.since(change.released or ed.upgrade.span.released.get(change.sha), (change,)) if why else []
    return f"- {MARKS[change.importance.level]} {subject(ed, change)} {' · '.join(parts)}"


# --- what is left behind, and everything -------------------------------------------------------------------------


def left_section(ed: RangeEdition) -> Section:
    """Commits that only the start has."""
    entries = ed.repo.late
    if not entries:
        return Section("left", "", 0, ())
    span = ed.upgrade.span
    lead = ed.t(
        "range.left_lead" if span.gained else "range.left_back", start=ed.name(span.start), end=ed.name(span.end)
    )
    blocks = (lead, *folded(ed, [_line(ed, e) for e in entries], ENTRIES_SHOWN))
    return Section("left", ed.t("range.left_title"), len(entries), blocks)


def commits_section(ed: RangeEdition) -> Section:
    """Every commit gained, newest first, one line each; on pages of their own when they are very many."""
    entries, title = ed.repo.commits, ed.t("section.table")
    if not entries or ed.trees:
        return Section("commits", title, 0, ())
    if len(entries) > COMMITS_SHOWN:
        files = [ed.commits_file(at) for at, _ in enumerate(_parts(ed), start=1)]
        links = ed.t("page.list").join(ed.link(str(at), file) for at, file in enumerate(files, start=1))
        return Section("commits", title, len(entries), (ed.t("range.elsewhere", links=links),))
    lines = "\n".join(_dated(ed, e) for e in entries)
    return Section("commits", title, len(entries), (details(ed.t("day.details", title=title, n=len(entries)), lines),))


def commit_pages(ed: RangeEdition, title: str) -> list[Page]:
    """The commits of a range that is too long for one page: GitHub shows no file beyond half a megabyte."""
    if len(ed.upgrade.entries) <= COMMITS_SHOWN:
        return []
    pages = []
    for at, part in enumerate(_parts(ed), start=1):
        name = ed.t("range.part", title=ed.t("section.table"), at=at, n=len(part))
        blocks = [MARKER, f"# {title}", ed.link(ed.t("range.report"), ed.file()), f"## {name}"]
        blocks.append("\n".join(_dated(ed, e) for e in part))
        pages.append(Page(f"{RANGES}/{ed.commits_file(at)}", "\n\n".join(blocks) + "\n"))
    return pages


def _parts(ed: RangeEdition) -> list[Sequence[Commit]]:
    entries = ed.repo.commits
    return [entries[at : at + COMMITS_A_PAGE] for at in range(0, len(entries), COMMITS_A_PAGE)]


def _dated(ed: RangeEdition, commit: Commit) -> str:
    kind = ed.t("change.filtered") if commit.filtered else ed.t(f"kind.{commit.kind}")
    day = f"{commit.committed_at:%Y-%m-%d} · " if ed.repo.url else ""
    return f"- {day}{kind} · {_line(ed, commit)[2:]}"


# --- how to check ------------------------------------------------------------------------------------------------


def appendix(ed: RangeEdition) -> list[str]:
    """How complete the page is and how its statements were checked; ends with the link to the data."""
    t, report = ed.t, ed.upgrade
    span, grounding = report.span, report.grounding
    counts = t("range.coverage", reported=len(report.entries), in_git=len(span.gained))
    points = [t("range.coverage_trees") if ed.trees else counts]
    points += [t("range.coverage_lost", told=len(report.left_behind), n=len(span.lost))] if span.lost else []
    unread = [e for e in report.entries if not ed.trees and (e.change.skipped or e.reading.skipped)]
    points += [t("range.unread", n=len(unread))] if unread else []
    points += unread_point(ed, (ed.repo,))
    findings = [n.finding for n in report.nets if not n.finding.breaking]
    quiet = sum(f.inner or not (kind_of(f.kind).is_felt or kind_of(f.kind).told == "always") for f in findings)
    points.append(
        t("range.netted", n=len(report.nets)) + (t("page.space") + t("range.quiet", n=quiet) if quiet else "")
    )
    points += [] if ed.trees else [t("range.grades"), t("appendix.code")]
    n = grounding.statements
    told = t("appendix.grounding", n=n, statements=n, kept=grounding.kept, dropped=grounding.dropped)
    points.append(ed.ended(told + _why_dropped(ed)))
    skipped = skipped_of(report)
    points.append(ed.ended(t("appendix.skipped", n=len(skipped))) if skipped else t("appendix.skipped_none"))
    points.append(t("appendix.same", link=ed.link(t("appendix.data"), ed.data_file())))
    blocks = [f"## {t('section.appendix')}", "\n".join(f"- {point}" for point in points)]
    if skipped:
        lines = "\n".join(f"- {skipped_line(ed, s)}" for s in skipped)
        blocks.append(details(t("day.details", title=t("section.skipped"), n=len(skipped)), lines))
    return blocks


def _why_dropped(ed: RangeEdition) -> str:
    reasons = ed.upgrade.grounding.by_reason
    if not reasons:
        return ""
    told = [f"{ed.t.get(f'reason.{name}', code(name))} {n}" for name, n in sorted(reasons.items())]
    return ed.note(ed.t("appendix.reasons") + ed.t("page.colon") + ed.t("page.list").join(told))

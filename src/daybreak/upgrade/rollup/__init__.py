"""Roll-ups of stored days: a week or a month netted over its whole span, from the facts and not from the text."""

from __future__ import annotations

import hashlib
import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from msgspec.structs import replace

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Action, Commit, Day, RepoDay
from daybreak.core.model.findings import Finding
from daybreak.core.model.rollup import BROKEN, TESTS_BROKEN, Line, Rollup, SpanDay, SpanRepo, Theme, by_change
from daybreak.core.model.statements import Text
from daybreak.core.model.upgrade import Net
from daybreak.core.windows import to_make
from daybreak.core.words.brief import advised, undated
from daybreak.core.words.grammar import alike, clause, parted
from daybreak.core.words.phrases import REFERENCE, phrases
from daybreak.findings.kinds import kind_of
from daybreak.judge.breaking import mark_of
from daybreak.judge.day_value import reader_finding
from daybreak.judge.hazards import hazard
from daybreak.judge.value_lists import is_list_of_values, lost_and_new
from daybreak.report.archive.interface import Archive
from daybreak.upgrade.range.net import net
from daybreak.upgrade.range.net_slots import slots
from daybreak.upgrade.range.range_page import worded

_WEEK = re.compile(r"([0-9]{4})-W(0[1-9]|[1-4][0-9]|5[0-3])")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_FAULTS = ("security", "corrupts", "crash")
"""Tags of what a release with the fault gives its users, gravest first."""
_QUOTE, _CLAUSE = re.compile("“([^”]{1,400})”"), re.compile(r"\s+[—–-]+\s+|[;.]\s+")
_OPEN = re.compile(r"\s*[(（][^()（）]*$")
"""A bracket that a clause opens and does not close: its end was taken for that of the sentence."""
_PINS = "dependencies"
"""The surface of what is required and pinned."""
_OF_THEME = 5
"""Changes of an area of work that are told in words; of the others, their titles."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_FORM = "13"
"""Of what is rolled up: another one makes those of before again."""


def span_of(week: str | None, month: str | None) -> tuple[str, date, date]:
    """Label, first and last day; a week begins on Monday, as ISO 8601 has it, and may be named by one of its days."""
    try:
        if week and _DAY.fullmatch(week):
            week = spans_with(week)[0]
        if week and (found := _WEEK.fullmatch(week)):
            first = date.fromisocalendar(int(found[1]), int(found[2]), 1)
            return week, first, first + timedelta(days=6)
        if month and (found := _MONTH.fullmatch(month)):
            first = date(int(found[1]), int(found[2]), 1)
            return month, first, first.replace(day=monthrange(first.year, first.month)[1])
    except (ValueError, OverflowError):
        pass
    tip = "Write --week 2026-W05 or --month 2026-02."
    if week:
        raise UsageError(f"{week} is no week.", f"For the month: --month {week}." if _MONTH.fullmatch(week) else tip)
    if month and _DAY.fullmatch(month):
        tip = f"For the month with this day: --month {month[:7]}."
    raise UsageError(f"{month} is no month.", f"For the week: --week {month}." if _WEEK.fullmatch(month or "") else tip)


def spans_with(label: str) -> tuple[str, str]:
    """The week and the month that a day lies in."""
    year, week, _ = date.fromisoformat(label).isocalendar()
    return f"{year}-W{week:02d}", label[:7]


def spans_ending(label: str) -> list[str]:
    """Those of them whose last day it is."""
    week, month = spans_with(label)
    ends = ((week, span_of(week, None)[2]), (month, span_of(None, month)[2]))
    return [name for name, last in ends if str(last) == label]


def rollup(archive: Archive, label: str, first: date, last: date, today: date | None = None) -> Rollup:
    """What the days of the span come to, whenever it is asked for: of the days without a report those before the newest
    that has one. Raises DaybreakError where none of the span was reported; `today` is for its tip.
    """
    digests = archive.digests()
    wanted = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    there = [one for one in wanted if one in digests]
    if not there:
        raise DaybreakError(f"No day of {label} was reported.", to_make(first, today or first, last))
    read = {one: _read(archive, one) for one in there}
    days = [day for day in read.values() if day is not None]
    missing = tuple(one for one in wanted if read.get(one) is None and one <= max(digests))
    digest = digest_of(digests, label)
    return _rolled(Rollup(label=label, first=str(first), last=str(last), digest=digest, missing=missing), days)


def _read(archive: Archive, label: str) -> Day | None:
    """A day whose report cannot be read is one without a report."""
    try:
        return archive.day(label)
    except DaybreakError:
        return None


def digest_of(digests: Mapping[str, str], label: str) -> str:
    """Changes with the days of the span, and with how many of them are followed by a reported one."""
    _, first, last = span_of(label, None) if "W" in label else span_of(None, label)
    kept = (f"{one}={digest}" for one, digest in digests.items() if str(first) <= one <= str(last))
    told = "\0".join((_FORM, *kept, min(max(digests, default=""), str(last))))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def _rolled(start: Rollup, days: Sequence[Day]) -> Rollup:
    book = _Book(days)
    lines = [line for name in book.repos for line in book.nets(name)]
    return replace(
        start,
        days=tuple(
            SpanDay(day.label, day.coverage.commits_reported, len(_broken_on([day])), day.headline, book.outcome(day))
            for day in days
        ),
        repos=tuple(book.repo(name, lines) for name in book.repos),
        breaks=_marked(lines, "breaks"),
        deprecates=_marked(lines, "deprecates"),
        internals=_marked(lines, "breaks_internals"),
        fixes=tuple(sorted(book.fixes(), key=lambda line: (_FAULTS.index(line.tag), line.days))),
        stories=tuple(book.stories()),
        pins=tuple(line for line in lines if line.kind and kind_of(line.kind).surface == _PINS),
        releases=tuple(book.releases()),
        news=tuple(line for line in lines if line.kind and _is_new(line.kind)),
        themes=tuple(book.themes()),
    )


def _broken_on(days: Iterable[Day]) -> frozenset[str]:
    """Changes that the reports of these days call breaking."""
    return frozenset(one.sha for day in days for _, one in day.changes() if one.breaking and not one.filtered)


def _marked(lines: Iterable[Line], mark: str) -> tuple[Line, ...]:
    """The gravest first; then by repository and name, as they come."""
    return tuple(sorted((line for line in lines if line.tag == mark), key=_gravity))


def _gravity(line: Line) -> int:
    """How few meet it: who sets nothing meets another default; who uses a name, its end; a bare condition says the least."""
    if not line.kind:
        return 2
    kind = kind_of(line.kind)
    if "condition" in kind.traits:
        return 4
    if kind.is_operated:
        return 0 if kind.change == "default_changed" else 1
    return 2 if kind.surface in ("behaviour", "operators", _PINS) else 3


class _Book:
    """The days of a span, looked at by repository."""

    def __init__(self, days: Sequence[Day]) -> None:
        self._days = days
        self.repos = list(dict.fromkeys(repo.name for day in reversed(days) for repo in day.repos))
        self._told = {commit.sha: (day.label, repo, commit) for day in days for repo, commit in day.changes()}
        self._released = {
            (repo.name, number): release.tag
            for day in days
            for repo in day.repos
            for release in repo.releases
            for number in release.pulls
        }
        self._in_release = {
            sha: release.tag
            for day in days
            for repo in day.repos
            for release in repo.releases
            for sha in release.commits
        }
        self._tags = {
            (repo.name, commit.released): label for label, repo, commit in self._told.values() if commit.released
        } | {(repo.name, one.tag): day.label for day in days for repo in day.repos for one in repo.releases}
        """Releases of these days, or with changes of them, with the last day that tells so."""
        self._finals = {
            repo.name: (one.tag, day.label)
            for day in days
            for repo in day.repos
            for one in repo.releases
            if one.state == "released"
        }
        """Of each repository the last release that is none before another, with its day."""
        self._ranks: dict[str, int] = {}
        for day in days:
            for rank, one in enumerate((*day.actions, *day.also)):
                for sha in one.commits:
                    self._ranks[sha] = min(rank, self._ranks.get(sha, rank))
        self._reverts = dict(self._taken_back())
        self._back = set(self._reverts) | set(self._reverts.values())
        self._broken = _broken_on(days)
        self._undone: dict[str, int] = {}

    def _taken_back(self) -> Iterator[tuple[str, str]]:
        """Changes whose revert stands, each with that: a story of a later day that says otherwise comes after it."""
        last = {(repo.name, story.id): story for day in self._days for repo in day.repos for story in repo.stories}
        for story in last.values():
            if story.kind == "revert":
                yield from ((sha, story.commits[-1]) for sha in story.commits[:-1])

    def _parts(self, name: str) -> Iterator[RepoDay]:
        for day in self._days:
            yield from (repo for repo in day.repos if repo.name == name)

    # --- what stands -------------------------------------------------------------------------------------------------

    def nets(self, name: str) -> list[Line]:
        commits = [one for part in self._parts(name) for one in part.changes if not one.filtered]
        unique = list({one.sha: one for one in sorted(commits, key=lambda one: one.committed_at)}.values())
        every = [(one.sha, reader_finding(finding)) for one in unique for finding in one.findings]
        steps = self._left(every)
        found = [each for one in net(steps) if not one.finding.inner for each in _by_commit(one, steps)]
        stand = {(one.finding.kind, one.finding.symbol) for one in found}
        marked = {(finding.kind, finding.symbol) for _, finding in every if mark_of(finding)}
        self._undone[name] = len(marked - stand)
        lines = [self._net(name, one) for one in found if _is_listed(one.finding)]
        lines += [self._whole(name, one) for one in unique if self._is_bare(one)]
        return sorted(lines, key=lambda line: (kind_of(line.kind).surface if line.kind else "", line.symbol))

    def _left(self, steps: Sequence[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
        """Without what a revert took back and no finding of its own tells so: that a bound fell again breaks nobody, and none is told."""
        told = {(sha, slot) for sha, finding in steps for slot in slots(finding)}
        return [
            (sha, finding)
            for sha, finding in steps
            if sha not in self._reverts or any((self._reverts[sha], slot) in told for slot in slots(finding))
        ]

    def _is_bare(self, commit: Commit) -> bool:
        """Whether its day calls it breaking by more than a finding of its own, so that no net tells of it."""
        marked = any(mark_of(reader_finding(finding)) == "breaks" for finding in commit.findings)
        return commit.sha in self._broken and commit.sha not in self._back and not marked

    def _whole(self, name: str, commit: Commit) -> Line:
        text = commit.tells.text if commit.tells else alike(f"`{commit.subject}`")
        return self._placed(Line(repo=name, text=text, tag="breaks"), (commit.sha,))

    def _net(self, name: str, one: Net) -> Line:
        said, finding, tag = worded(one), one.finding, self._tag(one)
        line = Line(
            repo=name,
            text=said.text,
            who=said.who or {},
            how=self._advice(one, tag) or {},
            tag=tag,
            kind=finding.kind,
            symbol=finding.symbol,
            before=finding.before,
            after=finding.after,
        )
        return self._placed(line, self._broke(one.commits) if tag == "breaks" else one.commits)

    def _advice(self, one: Net, tag: str) -> Text | None:
        """As the day of the change gives it: of what broke or is pinned, a day that advises nothing leaves nothing to advise."""
        own = worded(one).how
        day = self._told.get(one.commits[0]) if len(one.commits) == 1 else None
        if day is None:
            return own  # what several changes come to, no day tells
        given = [said for said in day[2].statements if said.role == "action"]
        named = {one.finding.id} | {f.id for f in day[2].findings if f.symbol == one.finding.symbol}
        about = next((said for said in given if any(f"finding:{name}" in said.evidence for name in named)), None)
        if about is not None:
            return clause(about.text)
        return own if given or (tag != "breaks" and not _is_pin(one.finding)) else None

    def _broke(self, shas: Sequence[str]) -> Sequence[str]:
        """Up to the last that broke it: what went on with it later is no break of its own."""
        return shas[: max(at for at, sha in enumerate(shas, 1) if sha in self._broken)]

    def _tag(self, one: Net) -> str:
        """A break is one of a change that its day calls breaking: days and their sum count by the same rule."""
        mark = mark_of(one.finding) or ""
        return "" if mark == "breaks" and self._broken.isdisjoint(one.commits) else mark

    def _placed(self, line: Line, shas: Sequence[str]) -> Line:
        """With the changes it rests on, and what is known of the last of them."""
        told = [self._told[sha] for sha in shas if sha in self._told]
        if not told:
            return replace(line, commits=tuple(shas))
        repo, last = told[-1][1:]
        labels = [label for label, _, _ in told]
        return replace(
            line,
            commits=tuple(shas),
            pr=last.pr.number if last.pr else None,
            title=last.subject,
            days=(min(labels), max(labels)),
            released=self._release_of(repo.name, last),
            rank=min((self._ranks[sha] for sha in shas if sha in self._ranks), default=None),
        )

    def _pull_of(self, sha: str) -> int | None:
        told = self._told.get(sha)
        return told[2].pr.number if told and told[2].pr else None

    def _release_of(self, name: str, commit: Commit) -> str | None:
        by_pull = self._released.get((name, commit.pr.number)) if commit.pr else None
        return commit.released or self._in_release.get(commit.sha) or by_pull

    def repo(self, name: str, lines: Sequence[Line]) -> SpanRepo:
        parts = list(self._parts(name))
        told = [one for part in parts for one in part.told]
        stand = len(by_change(line for line in lines if line.repo == name and line.tag == "breaks"))
        high = sum(one.importance.level == "high" for one in told)
        return SpanRepo(name, parts[-1].url, sum(len(p.commits) for p in parts), high, stand, self._undone[name])

    def fixes(self) -> Iterator[Line]:
        seen: set[str] = set()
        for day in self._days:
            for one in (*day.actions, *day.also, *(one for area in day.worth for one in area.changes)):
                if one.tag in _FAULTS and not self._back & set(one.commits) and not seen & set(one.commits):
                    seen |= set(one.commits)
                    yield self._at_end(self._action(one))

    def _at_end(self, line: Line) -> Line:
        """A fault that is mended in a release needs no pick; what its day says of a release holds until the next one."""
        says = {language: advised(text, language) for language, text in line.text.items()}
        title, rest = parted(says[REFERENCE][0] if REFERENCE in says else "")
        clauses = (
            []
            if hazard(title or line.title)
            else [one for quote in _QUOTE.findall(rest) for one in _CLAUSE.split(quote)]
        )
        effect = next((_OPEN.sub("", one) for one in clauses if hazard(one, titled=False)), "")
        if line.released:
            return replace(line, text={language: what for language, (what, _) in says.items()}, effect=effect)
        newer = any(name == line.repo and label > line.days[-1] for (name, _), label in self._tags.items())
        text = {language: undated(said, language) for language, said in line.text.items()} if newer else line.text
        final = self._finals.get(line.repo, ("", ""))
        if final[1] > line.days[-1]:
            words = {language: phrases(language, "report") for language in text}
            text = {key: words[key]("rollup.newer", text=said, tag=f"`{final[0]}`") for key, said in text.items()}
        return replace(line, text=text, effect=effect)

    def outcome(self, day: Day) -> Text:
        """What became of the change that a day is headed by, where a later day of the span says it."""
        first = set(day.actions[0].commits) if day.actions else set()
        told = [
            story.net
            for later in self._days
            if later.label > day.label
            for repo in later.repos
            for story in repo.stories
            if first & set(story.commits) and (story.kind == "revert" or (story.broken and story.broken.shown))
        ]
        return told[-1] if told else {}

    def _action(self, one: Action) -> Line:
        return self._placed(Line(repo=one.repo, text=one.text, tag=one.tag), one.commits)

    # --- what else is told -------------------------------------------------------------------------------------------

    def stories(self) -> Iterator[Line]:
        """Each with what its last day says of it; one that another tells to its end is not told by itself."""
        found: dict[tuple[str, str], Line] = {}
        last = {(repo.name, one.id): one for day in self._days for repo in day.repos for one in repo.stories}
        for day in self._days:
            for repo in day.repos:
                for story in repo.stories:
                    old = found.get((repo.name, story.id))
                    days = (old.days[0] if old else day.label, day.label)
                    commits = tuple(dict.fromkeys((*(old.commits if old else ()), *story.commits)))
                    fault = story.broken if story.broken and story.broken.shown else None
                    tag = (TESTS_BROKEN if fault.by in ("ci", "skipped") else BROKEN) if fault else ""
                    line = Line(repo=repo.name, text=story.net, tag=tag, kind=story.kind, commits=commits, days=days)
                    span = tuple(f"{at:%m-%d %H:%M}" for at in (fault.start, fault.end)) if fault else ()
                    span = (span[0], "…") if fault and fault.open else span
                    found[repo.name, story.id] = replace(line, symbol=story.id, pr=self._pull_of(commits[0]), span=span)
        told: dict[tuple[str, ...], Line] = {}
        for (name, _), line in found.items():
            story = last[name, line.symbol]
            if not any(of == name and story.goes_on_in(other) for (of, _), other in last.items()):
                key = (name, line.tag, line.commits[0]) if line.tag else (name, line.symbol)
                told[key] = _joined(told[key], line) if key in told else line
        yield from told.values()

    def releases(self) -> Iterator[Line]:
        seen = set()
        for day in self._days:
            for repo in day.repos:
                for one in repo.releases:
                    if (repo.name, one.tag) not in seen:
                        seen.add((repo.name, one.tag))
                        yield Line(
                            repo=repo.name,
                            text={},
                            symbol=one.tag,
                            title="" if one.title == one.tag else one.title,
                            kind="" if one.state == "released" else one.state,
                            days=(day.label, day.label),
                        )

    def themes(self) -> Iterator[Theme]:
        """Areas by how much happened in them; of each its first changes, days in turn."""
        found: dict[str, tuple[dict[str, str], list[Action]]] = {}
        for day in reversed(self._days):
            for area in day.worth:
                kept = [one for one in area.changes if not self._back & set(one.commits)]
                found.setdefault(area.area.get("en", ""), (dict(area.area), []))[1].extend(kept)
        for name, some in sorted(found.values(), key=lambda pair: -len(pair[1])):
            if some:
                lines = [self._action(one) for one in some]
                named = [replace(line, text={}, tag="") for line in lines[_OF_THEME:]]
                yield Theme(name, len(some), (*lines[:_OF_THEME], *named))


def _joined(first: Line, other: Line) -> Line:
    """A fault that two changes had to repair is one: as the repair tells it that ended it, with all of its changes."""
    last = max(first, other, key=lambda line: (line.days[-1], line.span[-1]))
    commits = tuple(dict.fromkeys((*first.commits, *other.commits)))
    return replace(last, commits=commits, days=(min(first.days[0], other.days[0]), max(first.days[-1], other.days[-1])))


def _by_commit(one: Net, steps: Sequence[tuple[str, Finding]]) -> list[Net]:
    """Lists of values that several changes altered, each change with what it took or gave and still stands: a sentence on
    all of them would lay to the last what others did.
    """
    gone, came = lost_and_new(one.finding) if is_list_of_values(one.finding) and len(one.commits) > 1 else ([], [])
    if not (gone or came):
        return [one]
    out = []
    for sha, finding in steps:
        same = (finding.symbol, finding.path) == (one.finding.symbol, one.finding.path)
        if sha in one.commits and same and is_list_of_values(finding):
            lost, new = lost_and_new(finding)
            own = ([x for x in lost if x in gone], [x for x in new if x in came])
            sides = (", ".join(f'"{x}"' for x in side) for side in own)
            before, after = (f"[{side}]" for side in sides)
            told = replace(finding, before=before, after=after, breaking=finding.breaking and bool(own[0]))
            out += [replace(one, finding=told, commits=(sha,))] if any(own) else []
            gone, came = [x for x in gone if x not in own[0]], [x for x in came if x not in own[1]]
    return out if not (gone or came) else [one]


def _is_listed(finding: Finding) -> bool:
    return bool(mark_of(finding)) or _is_pin(finding) or _is_new(finding.kind)


def _is_new(kind: str) -> bool:
    """A model or another thing that can be chosen by its name, or an option."""
    return kind_of(kind).change == "added" and kind_of(kind).surface in ("models", "cli")


def _is_pin(finding: Finding) -> bool:
    return kind_of(finding.kind).surface == _PINS

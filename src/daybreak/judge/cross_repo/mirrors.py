"""Looks into the mirrors of a day's repositories for what joins them: who takes whom, since when, and what they lack.

Git is asked only where the day gives a reason to: a name that went, a pin that moved, a release, an issue with telling
words. What could not be looked at is a `Skipped` of its repository.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from msgspec.structs import replace

from daybreak.collect.git.chain import Chain
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Repo, Skipped, Window
from daybreak.core.model.links import Bump, HeadUse
from daybreak.core.model.report import Entry, RepoReport
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge.cross_repo.earlier_days import MOST_BETWEEN, Past, Reader
from daybreak.judge.cross_repo.names import known_as
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.causes import looked_for
from daybreak.judge.links.cross_stories import is_early
from daybreak.judge.links.pins import Side, bumps, commit_of

Answer = TypeVar("Answer")
RemovedNameUses = Callable[[Git, Sequence[RepoReport], Callable[[str], Opened | None]], "Looked"]
"""Finds where repositories still use what another one took away; given by who wires, since it reads code as `impact` does."""
MISSING = "contents of the days before are missing, so links to them may be missing too"


@dataclass(slots=True)
class Looked:
    """What was found, by repository, and what could not be looked at."""

    uses: dict[str, tuple[HeadUse, ...]] = field(default_factory=dict)
    skipped: dict[str, tuple[Skipped, ...]] = field(default_factory=dict)


class Looking:
    """Looks into the mirrors of one run."""

    def __init__(
        self, git: Git, reader: Reader, opened: Callable[[Repo, str], Opened], removed_name_uses: RemovedNameUses
    ) -> None:
        """`opened` gives the mirror that has a commit, and raises GitError when there is none."""
        self._git, self._reader, self._opened, self._removed_name_uses = git, reader, opened, removed_name_uses

    def into(
        self, reports: Sequence[RepoReport], sides: Sequence[Side], window: Window
    ) -> tuple[list[Side], dict[str, tuple[Skipped, ...]]]:
        """The sides with what the mirrors add to them, and what could not be looked at, by repository."""
        by_name = {report.repo.name: report for report in reports}
        seen = _Seen(self._git, self._reader, self._opened, self._removed_name_uses, by_name, window)
        sides = seen.heads(sides)
        sides = seen.moved(sides)
        return [seen.blamed(side) for side in sides], {name: tuple(found) for name, found in seen.skipped.items()}


class _Seen:
    """One day's look."""

    def __init__(
        self,
        git: Git,
        reader: Reader,
        opened: Callable[[Repo, str], Opened],
        removed_name_uses: RemovedNameUses,
        reports: Mapping[str, RepoReport],
        window: Window,
    ) -> None:
        self._git, self._reader, self._opened, self._reports, self._window = git, reader, opened, reports, window
        self._removed_name_uses = removed_name_uses
        self._mirrors: dict[str, Opened | None] = {}
        self._lines: dict[str, Chain] = {}
        self.skipped: dict[str, list[Skipped]] = {}

    def _mirror(self, repo: str) -> Opened | None:
        if repo not in self._mirrors:
            report = self._reports[repo]
            try:
                self._mirrors[repo] = self._opened(report.repo, report.head) if report.head else None
            except GitError as error:
                self._mirrors[repo] = None
                self._skip(repo, f"its mirror cannot be looked into: {error.message}")
        return self._mirrors[repo]

    def _skip(self, repo: str, reason: str) -> None:
        one = Skipped(f"{repo} beside the others", reason)
        if one not in self.skipped.setdefault(repo, []):
            self.skipped[repo].append(one)

    def _of_past(self, repo: str, ask: Callable[[Past], Answer]) -> Answer | None:
        """What the days before answer; None when they cannot be asked."""
        mirror = self._mirror(repo)
        if mirror is None:
            return None
        past = Past(self._git, mirror, self._reports[repo], self._window, self._reader, self._lines)
        try:
            found = ask(past)
        except GitError as error:
            self._skip(repo, f"the days before could not be read: {error.message}")
            return None
        if past.lost:
            self._skip(repo, MISSING)
        if past.crowded:
            self._skip(repo, f"{past.crowded} moved pins bring more than {MOST_BETWEEN} changes, which are not listed")
        return found

    # --- heads -------------------------------------------------------------------------------------------------------

    def heads(self, sides: Sequence[Side]) -> list[Side]:
        """With the uses of names that others took away."""
        reports = self._reports.values()
        kinds = {f.kind for report in reports for entry in report.entries for f in entry.reading.findings}
        if len(sides) < 2 or not any(kind_of(kind).change in GONE for kind in kinds):
            return list(sides)
        looked = self._removed_name_uses(self._git, list(reports), self._mirror)
        for repo, found in looked.skipped.items():
            self.skipped.setdefault(repo, []).extend(found)
        return [replace(side, uses=looked.uses.get(side.repo, ())) for side in sides]

    # --- pins --------------------------------------------------------------------------------------------------------

    def moved(self, sides: Sequence[Side]) -> list[Side]:
        """With earlier moves of pins that moved in the window or whose target was released in it, and what they bring."""
        moves = bumps(sides)
        targets = {one.target for one in moves} | {side.repo for side in sides if self._released(side)}
        if len(sides) < 2 or not targets:
            return list(sides)
        names = {repo: set(known_as(repo)) for repo in targets}
        with_pins = self._git.side_by_side(lambda side: self._with_pins(side, names), sides)
        moves = bumps(with_pins)
        return [self._with_ends(side, [one for one in moves if one.target == side.repo]) for side in with_pins]

    @staticmethod
    def _released(side: Side) -> bool:
        return any(not is_early(tag) for tag in (*side.holds, *(one.tag for one in side.activity.releases)))

    def _with_pins(self, side: Side, names: Mapping[str, set[str]]) -> Side:
        others = {name for repo, some in names.items() if repo != side.repo for name in some}
        found = self._of_past(side.repo, lambda past: past.pins(others)) if others else None
        return replace(side, earlier=_together(side.earlier, found)) if found else side

    def _with_ends(self, side: Side, moves: Sequence[Bump]) -> Side:
        if not moves:
            return side
        told = {entry.change.sha for report in self._reports.values() for entry in (*report.entries, *report.late)}
        ends = {(commit_of(side, x.before), commit_of(side, x.after)) for x in moves if x.sha in told and not x.back}
        fresh = set(side.holds) | {one.release for one in moves if one.release}

        def ask(past: Past) -> Side:
            found = {(a, b): past.between(a, b) for a, b in ends if a and b}
            spans = {pair: shas for pair, shas in found.items() if shas}
            has = past.has({end for one in moves for end in (one.before, one.after)})
            return replace(side, spans=spans, has=has, dated=past.tagged_at(fresh))

        return self._of_past(side.repo, ask) or side

    # --- issues ------------------------------------------------------------------------------------------------------

    def blamed(self, side: Side) -> Side:
        """With changes of the week before that have words of its new issues."""
        if not side.activity.issues:
            return side
        from daybreak.judge.links.issue_kinds import read_issues

        by_number = {issue.number: issue for issue in side.activity.issues}
        issues = [(by_number[one.number], one.kind) for one in read_issues(side.activity, ())]
        words = looked_for(issues)

        def ask(past: Past) -> Side:
            earlier = _together(side.earlier, past.naming(words))
            return replace(side, earlier=earlier, recent=side.recent or past.recent())

        return (self._of_past(side.repo, ask) if words else None) or side


def _together(known: Sequence[Entry], found: Sequence[Entry]) -> tuple[Entry, ...]:
    """Each change once, oldest first; where it was read twice, as it was read with more files."""
    out: dict[str, Entry] = {}
    for one in (*known, *found):
        before = out.get(one.change.sha)
        if before is None or len(before.change.files) < len(one.change.files):
            out[one.change.sha] = one
    return tuple(sorted(out.values(), key=lambda entry: (entry.change.committed_at, entry.change.sha)))

"""A day joined with what a forge has: across repositories, with what it cost, and with faults that cost it little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from analyse.forge.forged import WINDOW, change, entry, finding, pull, release
from daybreak.collect.github.requests import Ask
from daybreak.core.checkpoint import Asked, Part
from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Collected, Repo, Skipped, Window
from daybreak.core.model.items import Activity
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Entry, RepoReport
from daybreak.judge import forge_join
from daybreak.judge.forge_join import Found, Joining
from daybreak.judge.links.pins import Side
from github_scene import Envelopes

ENGINE, KERNELS = "org/engine", "flashinfer-ai/flashinfer"
LOST = Skipped(f"{ENGINE} on GitHub: issues", "GitHub did not answer")


@dataclass
class Forge:
    """Answers from a list, or fails."""

    found: dict[str, Activity] = field(default_factory=dict)
    fault: Exception | None = None
    cost: int = 3
    requests: int = 0
    asked: list[Sequence[Ask]] = field(default_factory=list)

    def activities(self, asks: Sequence[Ask], force: bool = False) -> list[Activity]:
        self.asked.append(asks)
        self.requests += self.cost
        if self.fault is not None:
            raise self.fault
        return [self.found.get(ask.repo.name, Activity(ask.repo.name)) for ask in asks]


def part(name: str, *entries: Entry) -> Part:
    repo = Repo(name, f"https://github.com/{name}", "")
    return Part(RepoReport(repo, "main", None, entries, in_git=len(entries)), Collected(repo), "")


def join(
    forge: Forge, *parts: Part, answers: Envelopes | None = None, force: bool = False, only: str = ""
) -> tuple[tuple[RepoReport, ...], ForgeDay | None, list[Asked]]:
    told: list[Asked] = []

    def done(_: Window, asked: Asked) -> None:
        told.append(asked)

    made = Joining(forge, answers or Envelopes(), lambda repo: repo.name.startswith(only), done, lambda: WINDOW.until)
    reports, day = made.join(parts, WINDOW, force)
    return reports, day, told


def bump() -> Entry:
    move = finding("dependency_changed", "flashinfer-python", "==0.6.14", "==0.6.15", "pyproject.toml")
    return entry(change("a", "Bump it (#7)", repo=ENGINE, at=60), move)


def test_a_pin_of_one_repository_takes_the_release_of_another() -> None:
    kernels = Activity(KERNELS, releases=(release("v0.6.15"),))
    _, day, _ = join(Forge({KERNELS: kernels}), part(ENGINE, bump()), part(KERNELS))
    assert day is not None
    assert [(link.kind, link.target) for link in day.across.links] == [("takes", f"release:{KERNELS}@v0.6.15")]
    assert [story.repos for story in day.across.stories] == [(KERNELS, ENGINE)]
    assert [one.text["en"].count("0.6.15") > 0 for one in day.statements] == [True]


def test_repositories_that_are_not_asked_about_take_part_with_their_changes() -> None:
    kernels = Activity(KERNELS, releases=(release("v0.6.15"),))
    forge = Forge({KERNELS: kernels})
    (engine, _), day, _ = join(forge, part(ENGINE, bump()), part(KERNELS), only="flash")
    assert [ask.repo.name for ask in forge.asked[0]] == [KERNELS]
    assert day is not None
    assert (day.activity(ENGINE), day.reading(ENGINE)) == (None, None)
    assert len(day.across.stories) == 1
    assert engine == part(ENGINE, bump()).report
    assert join(Forge(), part(ENGINE, bump()), only="nobody")[1:] == (None, [])


def test_a_pull_request_speaks_for_its_change_and_not_for_a_filtered_one() -> None:
    body = "## Motivation\nLarger pages make the cache hit more often for long prompts.\n"
    activity = Activity(ENGINE, pulls=(pull(7, body=body, merge_sha="a" * 40),), not_pulls=(9,))
    told, filtered = bump(), entry(replace(change("b", "Other (#9)", repo=ENGINE), filtered=True, pr=9))
    (report,), _, _ = join(Forge({ENGINE: activity}), part(ENGINE, told, filtered))
    assert [one.change.pr for one in report.entries] == [7, None]
    assert [len(one.statements) for one in report.entries] == [1, 0]


def test_what_could_not_be_had_makes_the_day_lack_something_and_what_was_left_out_does_not() -> None:
    activity = Activity(ENGINE, skipped=(LOST,), left_out=(Skipped("the rest", "no token"),))
    reports, _, told = join(Forge({ENGINE: activity}), part(ENGINE, bump()), part(KERNELS))
    assert [report.skipped for report in reports] == [(LOST,), ()]
    assert [(asked.requests, asked.skipped) for asked in told] == [(3, (LOST,))]


def test_a_day_says_what_its_answers_cost_when_they_were_made() -> None:
    answers = Envelopes()

    def cost(spent: int, force: bool = False) -> int:
        _, day, _ = join(Forge(cost=spent), part(ENGINE), answers=answers, force=force)
        assert day is not None
        return day.requests

    assert [cost(5), cost(0), cost(2), cost(0), cost(4, force=True), cost(0)] == [5, 5, 7, 7, 4, 4]


def test_a_fault_of_ours_costs_what_github_adds_and_not_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    (report, _), day, _ = join(Forge(fault=ValueError("x")), part(ENGINE, bump()), part(KERNELS))
    assert day is not None
    assert [(s.what, s.reason) for s in report.skipped] == [(f"{ENGINE} on GitHub", "could not be asked (ValueError)")]
    assert report.entries[0].change.sha == "a" * 40

    def broken(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(forge_join, "across", broken)
    (report,), day, _ = join(Forge({ENGINE: Activity(ENGINE, skipped=(LOST,))}), part(ENGINE, bump()))
    assert [s.reason for s in report.skipped] == [LOST.reason, "could not be joined with the changes (KeyError)"]
    assert day is not None
    assert day.activities


def test_a_store_that_fails_ends_the_run() -> None:
    with pytest.raises(DaybreakError):
        join(Forge(fault=DaybreakError("The disk is full.")), part(ENGINE, bump()))


# --- what runs between repositories, without a forge -----------------------------------------------------------------


@dataclass
class Mirrors:
    """Adds nothing, or fails."""

    fault: Exception | None = None
    skipped: dict[str, tuple[Skipped, ...]] = field(default_factory=dict)
    asked: int = 0

    def into(self, reports: Sequence[RepoReport], sides: Sequence[Side], window: Window) -> Found:
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        return sides, self.skipped


def alone(mirrors: Mirrors | None = None) -> Joining:
    """Nobody is asked."""
    return Joining(None, Envelopes(), lambda _: False, lambda *_: None, lambda: WINDOW.until, mirrors)


def bumped() -> tuple[Part, Part]:
    move = finding("dependency_changed", "flashinfer-python", "==0.6.14", "==0.6.15", "pyproject.toml")
    taker = part(ENGINE, entry(change("a", "Bump (#3)", repo=ENGINE), move))
    return taker, part(KERNELS)


def test_without_a_forge_a_pin_that_moved_is_told_and_nothing_else() -> None:
    reports, day = alone().join(bumped(), WINDOW, force=False)
    assert day is not None
    assert (day.activities, day.readings, day.requests) == ((), (), 0)
    assert [link.kind for link in day.across.links] == ["takes"]
    assert reports == tuple(one.report for one in bumped())


def test_without_a_forge_and_without_links_there_is_nothing_to_tell() -> None:
    parts = part(ENGINE, entry(change("a", "Tune (#3)", repo=ENGINE))), part(KERNELS)
    assert alone().join(parts, WINDOW, force=False)[1] is None


def test_one_repository_alone_is_not_looked_into() -> None:
    mirrors = Mirrors()
    alone(mirrors).join([part(ENGINE, entry(change("a", "Tune", repo=ENGINE)))], WINDOW, force=False)
    assert mirrors.asked == 0


def test_a_fault_while_looking_into_mirrors_costs_neither_the_day_nor_its_links() -> None:
    reports, day = alone(Mirrors(fault=KeyError("x"))).join(bumped(), WINDOW, force=False)
    assert day is not None
    assert [link.kind for link in day.across.links] == ["takes"]
    assert [(one.what, one.reason) for report in reports for one in report.skipped] == [
        (f"{ENGINE} beside the others", "could not be looked into (KeyError)")
    ]


def test_what_could_not_be_looked_at_is_skipped_of_its_repository() -> None:
    lost = Skipped(f"{KERNELS} at its head", "contents of 3 files are missing")
    reports, _ = alone(Mirrors(skipped={KERNELS: (lost,)})).join(bumped(), WINDOW, force=False)
    assert [report.skipped for report in reports] == [(), (lost,)]


def test_a_full_disk_is_no_fault_of_ours() -> None:
    with pytest.raises(OSError, match="full"):
        alone(Mirrors(fault=OSError("full"))).join(bumped(), WINDOW, force=False)

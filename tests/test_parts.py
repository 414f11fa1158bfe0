"""A repository's part of a day: what decides it, and what comes back of it after an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from msgspec.structs import replace

from daybreak.core.checkpoint import Kept, Part, inputs_of, packed, revived
from daybreak.core.file_cache import Found
from daybreak.core.model.changes import Collected, Skipped
from daybreak.judge.interface import RepoAnalysis
from daybreak.runs.pipeline import Job, Stages, analysed
from render import factory

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybreak.core.model.changes import Change


def collected() -> Collected:
    part = factory.busy()
    changes, late = (tuple(entry.change for entry in some) for some in (part.entries, part.late))
    return Collected(part.repo, "main", part.head, changes, late, in_git=8, mirror="here")


def first(change: Callable[[Change], Change]) -> Callable[[Collected], Collected]:
    return lambda c: replace(c, changes=(change(c.changes[0]), *c.changes[1:]))


DECIDE = {
    "a commit more": lambda c: replace(c, changes=(*c.changes, factory.change(99))),
    "a commit less": lambda c: replace(c, changes=c.changes[1:]),
    "another order": lambda c: replace(c, changes=c.changes[::-1]),
    "a late one that is of the day": lambda c: replace(c, changes=(*c.changes, *c.late), late=()),
    "another head": lambda c: replace(c, head=factory.sha(98)),
    "a release": lambda c: replace(c, released={c.changes[0].sha: "v9"}),
    "a fault": lambda c: replace(c, skipped=(Skipped("acme/engine", "it is away"),)),
    "a commit before the day": lambda c: replace(c, recent=(factory.change(97),)),
    "other paths of the config": lambda c: replace(c, repo=replace(c.repo, paths=("engine/**",))),
    "a commit that cannot be read": first(lambda change: replace(change, skipped="its tree is gone")),
    "a commit that is filtered": first(lambda change: replace(change, filtered=not change.filtered)),
    "a file that cannot be read": first(
        lambda change: replace(
            change, files=(replace(change.files[0], skipped="its content is gone"), *change.files[1:])
        )
    ),
    "a patch that is cut": first(
        lambda change: replace(change, files=(replace(change.files[0], patch_cut=True), *change.files[1:]))
    ),
}


@pytest.mark.parametrize("what", DECIDE)
def test_another_input_has_another_name(what: str) -> None:
    plain = collected()
    assert inputs_of(DECIDE[what](plain), factory.window(), "s") != inputs_of(plain, factory.window(), "s")


def test_other_settings_and_another_window_have_other_names() -> None:
    names = {
        inputs_of(collected(), window, settings)
        for window in (factory.window(), factory.window("2026-01-20"), factory.window(open_=True))
        for settings in ("one", "other")
    }
    assert len(names) == 6


def test_where_the_mirror_is_decides_nothing() -> None:
    moved = replace(collected(), mirror="elsewhere")
    assert inputs_of(moved, factory.window(), "s") == inputs_of(collected(), factory.window(), "s")


def test_a_part_comes_back_as_it_was_and_its_patches_come_from_the_mirror() -> None:
    part = Part(factory.busy(), collected(), "inputs")
    data = packed(part)
    assert data is not None
    assert b'"patch":"@@' not in data, "patches are left to the mirror"
    assert b'"patch":""' in data
    assert revived(Kept("inputs", data), collected()) == factory.busy()


def test_what_another_version_kept_or_what_lacks_a_commit_is_made_again() -> None:
    data = packed(Part(factory.busy(), collected(), "inputs"))
    assert data is not None
    assert revived(Kept("inputs", data), replace(collected(), late=())) is None
    assert revived(Kept("inputs", b'{"repo": 1}'), collected()) is None
    assert revived(Kept("inputs", data[:-20]), collected()) is None


def test_a_part_that_text_cannot_hold_is_not_kept() -> None:
    busy = factory.busy()
    odd = replace(busy.entries[0], change=replace(busy.entries[0].change, author="\udcff"))
    assert packed(Part(replace(busy, entries=(odd,)), collected(), "inputs")) is None


class Judge:
    """Reads, judges and checks without a look, and counts how often it is asked."""

    asked = 0

    def read(self, _: Collected) -> dict[str, Any]:
        return {}

    def repository(self, *given: Any) -> Any:
        if len(given) == 1:
            return given[0]
        self.asked += 1
        return RepoAnalysis((), (), (), ())


def judged_by(judge: Any, folder: Path) -> Stages:
    nobody = cast("Any", None)
    return Stages(nobody, judge, judge, judge, *(nobody,) * 5, judged=lambda _: Found(folder))


@pytest.mark.parametrize(("settings", "what", "times"), [("s", None, 1), ("t", None, 2), ("s", "another head", 2)])
def test_a_part_is_judged_once_as_long_as_nothing_that_decides_it_is_other(
    tmp_path: Path, settings: str, what: str | None, times: int
) -> None:
    judge = Judge()
    stages = judged_by(judge, tmp_path)
    plain = collected()
    again = DECIDE[what](plain) if what else plain
    job = Job(factory.window(), (plain.repo,), ("en",), "0", settings="s")
    first, second = analysed(plain, job, stages, []), analysed(again, replace(job, settings=settings), stages, [])
    assert (judge.asked, second.report.head) == (times, again.head)
    assert times > 1 or first.report == second.report


def test_a_part_that_lacks_something_is_judged_again(tmp_path: Path) -> None:
    judge = Judge()
    stages = judged_by(judge, tmp_path)
    job = Job(factory.window(), (collected().repo,), ("en",), "0")
    for _ in range(2):
        analysed(DECIDE["a fault"](collected()), job, stages, [])
    assert judge.asked == 2

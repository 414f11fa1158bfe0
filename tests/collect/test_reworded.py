"""A release is told as spared only where a change after it brought what a fix takes away anew."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.core.model.changes import Exposure
from gitrepo import GitRepo

CORE = "engine/core.py"
OPEN = "def route(request, size):\n    opened = begin(request)\n"
CLOSE = "    return finish(opened, request)\n"
CHECK = "    if request.target_rank is not None and request.target_rank > size:\n        refuse(opened, request)\n"
RENAMED = CHECK.replace("target_rank", "routed_rank")
FIXED = RENAMED.replace("> size", ">= size")


def found(repo: GitRepo, collector: Collector, *states: str) -> Exposure | None:
    """A release, what the branch did after it, each state a change, and at last the fix of the window."""
    released, *between, fixed = states
    repo.tag("v1.0", repo.commit("Begin", {CORE: released}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    for day, state in enumerate(between, 10):
        repo.commit(f"Go on (#{day})", {CORE: state}, at=f"2026-01-{day}T10:00:00")
    sha = repo.commit("[Bugfix] Fix the last place (#30)", {CORE: fixed}, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed.get(sha)


def whole(*parts: str) -> str:
    return "".join((OPEN, *parts, CLOSE))


def test_a_name_for_another_name_does_not_spare_the_release(repo: GitRepo, collector: Collector) -> None:
    one = found(repo, collector, whole(CHECK), whole(RENAMED), whole(FIXED))
    assert one is not None
    assert one.has is None
    assert one.older


def test_a_condition_that_moved_and_gained_a_part_does_not_spare_the_release(
    repo: GitRepo, collector: Collector
) -> None:
    far = "".join(f"    step_{n}(request)\n" for n in range(8))
    moved = CHECK.replace(" > size:", " > size and not dry_run:")
    fixed = CHECK.replace(" > size:", " > size and opened:")
    one = found(repo, collector, whole(CHECK, far), whole(far, moved), whole(far, fixed))
    assert one is not None
    assert one.has is None


@pytest.mark.parametrize("before", ["", "    count(request)\n"])
def test_a_condition_that_came_anew_spares_the_release(repo: GitRepo, collector: Collector, before: str) -> None:
    one = found(repo, collector, whole(before), whole(RENAMED), whole(FIXED))
    assert one is not None
    assert one.has is False


def test_what_came_after_the_release_and_was_renamed_later_spares_it(repo: GitRepo, collector: Collector) -> None:
    one = found(repo, collector, whole(), whole(CHECK), whole(RENAMED), whole(FIXED))
    assert one is not None
    assert one.has is False


def test_a_change_of_what_the_fix_puts_back_is_the_fault_and_spares_the_release(
    repo: GitRepo, collector: Collector
) -> None:
    right = "    if request.rank >= size:\n        refuse(opened, request)\n"
    wrong, fixed = right.replace("if request", "if opened"), right.replace("size:", "size + 1:")
    one = found(repo, collector, whole(right), whole(wrong), whole(fixed))
    assert one is not None
    assert one.has is False


GUARDED = "    if (\n        request.is_open_to_all\n        and request.has_many_rows\n    ):\n        merge_rows(request, size)\n"
EXTRA = "    if request.is_twofold and size > 4:\n        merge_rows_of_twofold(request, opened)\n"


def test_a_fix_that_also_adds_a_condition_says_nothing_where_the_release_has_what_ran_without_it(
    repo: GitRepo, collector: Collector
) -> None:
    far = "".join(f"    step_{n}(request)\n" for n in range(8))
    fixed = GUARDED.replace("        and request.has", "        and size > 1\n        and request.has")
    one = found(repo, collector, whole(far, GUARDED), whole(EXTRA, far, GUARDED), whole(far, fixed))
    assert one is not None
    assert one.has is None


CALLS = "class Front:\n    def take(self, prompts):\n        checked = self.reader.{}({})\n        return self.run(checked)\n\n\n"
READS = "class Reader:\n    def {}(self, {}):\n        return check({})\n"


@pytest.mark.parametrize(("taken", "has"), [("data", False), ("request", None)])
def test_a_call_of_what_takes_something_else_since_the_release_and_is_handed_the_same_spares_the_release(
    repo: GitRepo, collector: Collector, taken: str, has: bool | None
) -> None:
    released = CALLS.format("parse_request", "prompts") + READS.format("parse_request", "request", "request")
    callee = READS.format("parse_data", taken, taken)
    one = found(
        repo,
        collector,
        released,
        CALLS.format("parse_data", "prompts") + callee,
        CALLS.format("parse_data", 'prompts.get("data")') + callee,
    )
    assert one is not None
    assert one.has is has

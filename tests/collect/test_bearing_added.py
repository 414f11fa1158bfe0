"""Fixes that only add lines, that switch on what was commented out, or whose code moved: what a release has of it decides."""

from __future__ import annotations

import pytest

from collect.test_bearing_shown import CORE, OTHER, Files, exposure
from conftest import Collector
from gitrepo import GitRepo

WARMED = """import os

try:
{}    {}from transport.api import agent as Agent
    {}from transport.api import telemetry
except ImportError:
    Agent = None
"""
SETS = '    if "HOOK_MODE" not in os.environ:\n        os.environ["HOOK_MODE"] = "none"\n\n'
ASKS = "if not running_on_other_hardware():\n        "
ALONE = WARMED.format("", "", "")
ASKED = WARMED.format("", ASKS, "    ")
MENDED = WARMED.format(SETS, ASKS, "    ")


@pytest.mark.parametrize(
    ("released", "has"),
    [(ALONE, None), (ASKED, True), ("def load():\n    return other_transport()\n", False)],
    ids=["in other surroundings", "in the same", "without"],
)
def test_a_fix_that_only_adds_spares_a_release_only_where_what_it_precedes_is_absent(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    found = exposure(repo, collector, {CORE: released}, {CORE: ASKED}, {CORE: MENDED}, "Avoid a memory leak (#7)")
    assert found.has is has


CALLS = "def {name}(rows):\n    marked = mark_of(rows)\n{guard}    {call}\n"
GUARD = "    if not rows:\n        return\n"


@pytest.mark.parametrize(
    ("released", "has"),
    [("storage.flush_all(rows, True)", None), ("storage.keep_all(rows, True)", False)],
    ids=["same call", "another"],
)
def test_a_call_that_a_guard_came_to_is_looked_for_in_the_whole_file(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    was = CALLS.format(name="finish", guard="", call=released).replace("marked = mark_of(rows)", "sort_in_place(rows)")
    before, after = (CALLS.format(name="close", guard=x, call="storage.flush_all(rows)") for x in ("", GUARD))
    found = exposure(repo, collector, {CORE: was}, {CORE: before}, {CORE: after}, "Fix a crash without rows (#7)")
    assert found.has is has


def test_a_line_beside_what_came_that_stood_in_another_file_leaves_it_open(repo: GitRepo, collector: Collector) -> None:
    home = "engine/home.py"
    was = "def finish(queue):\n    queue.sort()\n    storage.flush_all(queue.rows, True)\n"
    before, after = (
        CALLS.format(name="close", guard=x, call="storage.flush_all(queue.rows, True)") for x in ("", GUARD)
    )
    moved: Files = {home: "def finish(queue):\n    close(queue)\n", CORE: before}
    assert exposure(repo, collector, {home: was}, moved, {CORE: after}).has is None


KERNEL = """def kernel(rows):
    begin(rows)
    total = total_of(rows)
    loaded = load_of(rows)
    {}barrier()  # needed by the compiler
    store(rows, loaded)
"""
OFF, ON = (KERNEL.format(mark) for mark in ("# ", ""))


@pytest.mark.parametrize(("released", "has"), [(OFF, True), (ON, None)], ids=["off", "on"])
def test_a_release_has_the_fault_where_it_has_commented_out_what_the_fix_switches_on(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    released = released.replace("begin(rows)", "begin_with_all(rows)")
    title = "Fix #6: Revert commenting out of the barrier (#7)"
    found = exposure(repo, collector, {CORE: released}, {CORE: OFF}, {CORE: ON}, title)
    assert found.has is has


@pytest.mark.parametrize("title", ["Revert the fix of rows (#7)", "[Bugfix] Revert rows (#7)", "fix: revert rows (#7)"])
def test_what_is_only_put_back_is_not_asked_for(repo: GitRepo, collector: Collector, title: str) -> None:
    with pytest.raises(KeyError):
        exposure(repo, collector, {CORE: OFF}, OTHER, {CORE: ON}, title)


STRIDES = """class Forward:
    def call(self, rows):
        new_stride = lambda t: {}
        return new_stride(rows)
"""
SPLIT = (
    "(\n            *(assume(s, divisor=128 // t.width) for s in t.stride[:-1]),\n            t.stride[-1],\n        )"
)
JOINED = "(*(assume(s, divisor=128 // t.width) for s in t.stride[:-1]), t.stride[-1])"


def test_a_line_with_a_star_is_code_and_stands_where_it_is_laid_out_otherwise(
    repo: GitRepo, collector: Collector
) -> None:
    mended = SPLIT.replace("(assume(", "(s if whole(s) else assume(")
    released, before, after = (STRIDES.format(text) for text in (JOINED, SPLIT, mended))
    assert exposure(repo, collector, {CORE: released}, {CORE: before}, {CORE: after}).has is not False


READY = """    def {name}(self):
        ready_requests = timed_out_requests = 0
        for request in self.request_queue:
            ready_requests += self.request_is_ready(request)
            if request.waited > self.longest_wait:
                timed_out_requests = self.count_again(request)
        group = self.{owner}group_of_ranks
        tensor = tensor_of([ready_requests, timed_out_requests])
        all_reduce(tensor, op=MAX, group=group)
        ready_requests_max, timed_out_max = tensor.tolist()
        self.cancel_requests(ready_requests_max, timed_out_max)
        self.request_queue = self.request_queue[ready_requests_max:]
"""


@pytest.mark.parametrize(
    ("released", "has"), [("waited > self.longest_wait", True), ("is_late", None)], ids=["whole", "another condition"]
)
def test_code_that_moved_to_another_file_and_function_took_its_fault_along(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    home, new = "engine/scheduler.py", "engine/manager.py"
    was = f"class Scheduler:\n{READY.format(name='move_ready', owner='')}"
    before = f"class Manager:\n{READY.format(name='get_ready', owner='scheduler.')}"
    after = "class Manager:\n    def get_ready(self):\n        return self.synced(min_of(self.request_queue))\n"
    moved: Files = {home: "class Scheduler:\n    manager = Manager\n", new: before}
    found = exposure(repo, collector, {home: was.replace("waited > self.longest_wait", released)}, moved, {new: after})
    assert found.has is has


@pytest.mark.parametrize(
    ("title", "asked"), [("Define a pluggable layer (Fix ci)", False), ("Define a pluggable layer (Fix copies)", True)]
)
def test_what_only_mends_ci_is_asked_of_no_release(
    repo: GitRepo, collector: Collector, title: str, asked: bool
) -> None:
    repo.tag("v1.0", repo.commit("Begin", {CORE: ASKED}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    sha = repo.commit(title, {CORE: MENDED}, at="2026-01-19T10:00:00")
    assert (sha in collector.collect(repo).exposed) is asked


@pytest.mark.parametrize(("released", "has"), [(".float()", False), ("", True)], ids=["has the cure", "lacks it"])
def test_a_release_that_has_the_cure_has_no_fault_though_the_old_code_is_a_part_of_it(
    repo: GitRepo, collector: Collector, released: str, has: bool
) -> None:
    line = "def step(self, hidden_states):\n    logits = self.compute_logits(hidden_states){}\n    return logits\n"
    found = exposure(
        repo,
        collector,
        {CORE: line.format(released)},
        {CORE: line.format("")},
        {CORE: line.format(".float()")},
        "Fix (#7)",
    )
    assert (found.has is True) is has


WRITES = """class Engine:
    def {head}:
        rows, slots = cache.unbind(1)
        write_rows(rows, slots, self.scales_of_rows)
        self.finish_writing(rows)
"""
WITHIN = """class Engine:
    def forward(self, cache):
        rows, slots = cache.unbind(1)
        if self.kind in (ONLY, BOTH):
            return self.forward_without(rows)
        write_rows(rows, slots, self.scales_of_rows)
        queries = self.queries_of(rows, slots)
        return attention_of(queries, rows, slots)
"""
RETURNS = "(self, cache):\n        if self.kind in (ONLY, BOTH):\n            return\n"


@pytest.mark.parametrize(
    ("released", "has"),
    [
        (WITHIN, False),
        (WRITES.format(head="write_cache(self, cache)"), None),
    ],
    ids=["not there", "of another name"],
)
def test_what_only_guards_a_function_that_came_after_a_release_and_that_the_title_names_spares_it(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    before = WRITES.format(head="do_cache_update(self, cache)")
    after = before.replace("(self, cache):\n", RETURNS)
    title = "[Bugfix] Add missing guard for do_cache_update (#7)"
    found = exposure(repo, collector, {CORE: released}, {CORE: before}, {CORE: after}, title)
    assert (found.has, found.cause) == (has, "#5" if has is False else None)


STATE = """def state_of(rows):
    return State(
        rows=rows,
        ready_event=None,{value}
        layer_of_rows=0,
    )


def move_rows(state):
    state.layer_of_rows += 1
    move_all(state.rows, state.layer_of_rows)
{records}    advance_to_the_next(state)
"""
WAITS = "    if state.consumed_event is not None:\n        state.consumed_event.wait()\n"


@pytest.mark.parametrize(("reads", "has"), [(WAITS, True), ("", None)], ids=["read by the fix", "read by nothing here"])
def test_a_name_that_a_fix_brings_and_reads_itself_leaves_no_doubt_of_what_lacked_it(
    repo: GitRepo, collector: Collector, reads: str, has: bool | None
) -> None:
    was = STATE.format(value="", records="")
    now = STATE.format(value="\n        consumed_event=None,", records=reads)
    assert exposure(repo, collector, {CORE: was}, {"engine/x.py": "x = 1\n"}, {CORE: now}, "Fix a race (#7)").has is has


def test_places_that_only_follow_a_new_name_leave_the_verdict_to_what_goes(repo: GitRepo, collector: Collector) -> None:
    """A fix takes a young entry out of a list, and calls the list otherwise wherever it is read."""
    reads = "from engine.core import {0}\n\n\ndef wraps(layer):\n    return [n for n in layer.names if n not in {0}]\n\n\ndef size_of(layer):\n    return sum(t.size for n, t in layer.items() if n not in {0})\n"
    lists = '{0}: set[str] = {{\n    "expert_mask_of_layer",\n    "expert_global_to_local",\n{1}}}\n'
    old: dict[str, str | None] = {
        CORE: lists.format("SKIP_TENSORS", ""),
        "engine/reads.py": reads.format("SKIP_TENSORS"),
    }
    young: dict[str, str | None] = {CORE: lists.format("SKIP_TENSORS", '    "bias",\n')}
    fixed: dict[str, str | None] = {
        CORE: lists.format("SKIP_LOADED", ""),
        "engine/reads.py": reads.format("SKIP_LOADED"),
    }
    found = exposure(repo, collector, old, young, fixed)
    assert found is not None
    assert found.has is False

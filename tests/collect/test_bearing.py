"""What trees say of a window: who runs the lines that a fix replaces, what stands at the end, what is older than it seems."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.core.model.changes import Exposure
from gitrepo import GitRepo

CORE = "engine/core.py"
HEAD = "def scale(values, factor):\n    total = sum_of(values)\n"
FAULT = f"{HEAD}    return total / factor_of(values)\n"
FIXED = f"{HEAD}    return total / max(1, factor_of(values))\n"
OTHER = f"{HEAD}    return total * inverse_factor(values)\n"


def exposure(
    repo: GitRepo,
    collector: Collector,
    released: dict[str, str | None],
    before: dict[str, str | None],
    fix: dict[str, str | None],
    candidate: dict[str, str | None] | None = None,
) -> Exposure | None:
    """A release, what the branch did after it (perhaps up to a candidate), and a fix of the window."""
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    if candidate is not None:
        repo.tag("v1.1rc1", repo.commit("Go on", candidate, at="2026-01-06T10:00:00"), at="2026-01-06T11:00:00")
    repo.commit("Rewrite", before, at="2026-01-10T10:00:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", fix, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed.get(sha)


def test_a_release_that_has_the_replaced_lines_has_the_bug_and_takes_the_pick(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {CORE: FAULT}, {"engine/x.py": "1\n"}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=True, applies=True)


def test_a_release_without_the_replaced_lines_is_not_affected(repo: GitRepo, collector: Collector) -> None:
    assert exposure(repo, collector, {CORE: OTHER}, {CORE: FAULT}, {CORE: FIXED}) == Exposure("v1.0", has=False)


def test_a_file_that_came_after_the_release_affects_nobody_who_runs_it(repo: GitRepo, collector: Collector) -> None:
    assert exposure(repo, collector, {"engine/x.py": "1\n"}, {CORE: FAULT}, {CORE: FIXED}) == Exposure(
        "v1.0", has=False
    )


def test_lines_that_moved_are_found_where_the_release_has_them(repo: GitRepo, collector: Collector) -> None:
    moved: dict[str, str | None] = {"engine/old_home.py": None, CORE: f"class Scale:\n{FAULT}"}
    found = exposure(repo, collector, {"engine/old_home.py": FAULT}, moved, {CORE: f"class Scale:\n{FIXED}"})
    assert found == Exposure("v1.0", has=True, applies=True)


FOLDER = ("engine/ep/{}.py", "engine/split/ep/{}.py")
BESIDE = "def open_fleet(params):\n    return Fleet(params, connected_to(params.peers))\n"
NEW = "".join(f"def part_{n}(values):\n    return values.other_part_{n}\n\n\n" for n in range(9))


@pytest.mark.parametrize("has", [None, True])
def test_a_file_that_moved_with_its_folder_is_followed_before_a_release_is_spared(
    repo: GitRepo, collector: Collector, has: bool | None
) -> None:
    """What came since beside the fault is no reason to say that the release has nothing of it."""
    old, new = (place.format("handle") for place in FOLDER)
    young = "def wrap(values):\n    return stream_context_of(values, values.stream)\n\n\n" if has is None else ""
    before = {
        old: None,
        new: f"{NEW}{young}{FAULT}",
        FOLDER[0].format("fleet"): None,
        FOLDER[1].format("fleet"): BESIDE,
    }
    found = exposure(repo, collector, {old: FAULT, FOLDER[0].format("fleet"): BESIDE}, before, {new: f"{NEW}{FIXED}"})
    assert found is not None
    assert found.has is has
    assert found.has or found.some


def test_a_line_that_another_class_lost_meanwhile_does_not_show_that_a_release_has_the_fault_of_a_new_class(
    repo: GitRepo, collector: Collector
) -> None:
    line, cured = (
        "        self.kernel = make_kernel_of_layer()\n",
        "        self.kernel = make_kernel_of_layer(Dynamic)\n",
    )
    old, new = (f"class {name}Scheme:\n    def __init__(self):\n" for name in ("Old", "New"))
    home: dict[str, str | None] = {"engine/old.py": f"{old}{cured}", CORE: f"{new}{line}"}
    found = exposure(repo, collector, {"engine/old.py": f"{old}{line}"}, home, {CORE: f"{new}{cured}"})
    assert found is not None
    assert found.has is None


AROUND = "def begin(values):\n    opened(values)\n\n\n"
NEAR = AROUND.replace("opened", "opened_twice")
CHECK = "tests/test_core.py"


@pytest.mark.parametrize(("patterns", "files", "has"), [(1, 60, True), (40, 1, None)])
def test_a_release_is_spared_only_where_all_was_searched(
    repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch, patterns: int, files: int, has: bool | None
) -> None:
    """Of many repairs each is looked for; where more files hold the lines than are read, nothing is said."""
    for module in ("elsewhere", "tree_search"):
        monkeypatch.setattr(f"daybreak.collect.git.{module}.PATTERNS", patterns)
        monkeypatch.setattr(f"daybreak.collect.git.{module}.ELSEWHERE", files)
    longer = "def weigh(rows):\n    return the_longest_line_of_all_that_are_looked_for(rows, rows)\n"
    kept = {"engine/a.py": "    return total / factor_of(values)\n"}
    rest = "".join(f"def other_{n}(values):\n    return values.part_{n}\n\n\n" for n in range(9))
    begun = {CORE: f"{rest}{FAULT}", **kept}
    repo.tag("v1.0", repo.commit("Begin", begun, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    moved = {CORE: rest, "engine/new.py": FAULT, "engine/late.py": longer}
    repo.commit("Rewrite", moved, at="2026-01-10T10:00:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", {"engine/new.py": FIXED}, at="2026-01-19T10:00:00")
    repo.commit(
        "[Bugfix] Fix rows (#8)", {"engine/late.py": longer.replace("rows, rows", "rows")}, at="2026-01-19T11:00:00"
    )
    found = collector.collect(repo).exposed[sha]
    assert found.has is has


def test_a_pick_whose_surroundings_changed_merges_as_git_merges_it(repo: GitRepo, collector: Collector) -> None:
    found = exposure(repo, collector, {CORE: AROUND + FAULT}, {CORE: NEAR + FAULT}, {CORE: NEAR + FIXED})
    assert found == Exposure("v1.0", has=True, applies=True)


def test_a_pick_of_lines_that_both_sides_changed_does_not_merge(repo: GitRepo, collector: Collector) -> None:
    fault, other = FAULT.replace("def scale(", "def scale(self, "), FAULT.replace("sum_of(values)", "sum_of(values, 2)")
    fixed = other.replace("total / factor_of(values)", "total / max(1, factor_of(values))")
    found = exposure(repo, collector, {CORE: fault}, {CORE: other}, {CORE: fixed})
    assert found is not None
    assert not found.applies


@pytest.mark.parametrize("tests", [{}, {CHECK: "def test_scale():\n    assert scale([1], 1) == 7\n"}])
def test_a_pick_whose_test_alone_does_not_merge_applies_without_it(
    repo: GitRepo, collector: Collector, tests: dict[str, str | None]
) -> None:
    was, now = (f"def test_scale():\n    assert scale([1], {n}) == {n}\n" for n in (1, 2))
    found = exposure(repo, collector, {CORE: FAULT, **tests}, {CHECK: was, "x": "1"}, {CORE: FIXED, CHECK: now})
    assert found == Exposure("v1.0", has=True, applies=True, without=(CHECK,))


def test_a_pick_that_takes_away_what_the_release_still_reads_lacks_that_name(
    repo: GitRepo, collector: Collector
) -> None:
    far = "".join(f"    step_{n}(values)\n" for n in range(12))
    was = f"def scale(values, factor):\n    size = len(values)\n{far}    return total_of(values) / factor\n"
    fixed = was.replace("    size = len(values)\n", "").replace("/ factor", "/ max(1, factor)")
    released = was.replace("    step_6(values)\n", "    step_6(values, size)\n")
    found = exposure(repo, collector, {CORE: released}, {CORE: was}, {CORE: fixed})
    assert found == Exposure("v1.0", has=True, needs=("size",))


TWIN = "def mean(values, factor):\n    total = sum_of(values)\n    return total / factor_of(values)\n"


def test_lines_of_a_function_that_came_after_the_release_are_not_those_of_another_one(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: f"{TWIN}\n\n{FAULT}"}, {CORE: f"{TWIN}\n\n{FIXED}"})
    assert found == Exposure("v1.0", has=False)


def test_a_twin_that_has_other_lines_by_now_is_a_twin_all_the_same(repo: GitRepo, collector: Collector) -> None:
    mended = TWIN.replace("total / factor_of(values)", "total / max(1, factor_of(values))")
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: f"{mended}\n\n{FAULT}"}, {CORE: f"{mended}\n\n{FIXED}"})
    assert found is not None
    assert found.has is False


def test_lines_of_a_function_that_has_another_name_now_are_in_the_release(repo: GitRepo, collector: Collector) -> None:
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: FAULT}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=True, applies=True)


def test_a_function_that_is_gone_and_shares_a_line_with_a_new_one_is_not_the_same(
    repo: GitRepo, collector: Collector
) -> None:
    other = "def mean(values, factor):\n    weights = weights_of(values)\n    return total / factor_of(values)\n"
    new = FAULT.replace("    return", "    checked(total, values)\n    limited(total, factor)\n    return")
    fixed = FIXED.replace("    return", "    checked(total, values)\n    limited(total, factor)\n    return")
    assert exposure(repo, collector, {CORE: other}, {CORE: new}, {CORE: fixed}) == Exposure("v1.0", has=False)


def test_a_function_whose_lines_are_more_in_another_one_got_that_name(repo: GitRepo, collector: Collector) -> None:
    lines = "    checked(total, values)\n    limited(total, factor)\n"
    first = TWIN.replace("    return", f"{lines}    return")
    renamed = first.replace("def mean", "def average").replace("/ factor_of(values)", "/ max(1, factor_of(values))")
    new, fixed = f"{renamed}\n\n{FAULT}", f"{renamed}\n\n{FIXED}"
    found = exposure(repo, collector, {CORE: first}, {CORE: new}, {CORE: fixed})
    assert found is not None
    assert found.has is False


def test_a_file_with_the_lines_in_another_function_is_not_where_they_moved_from(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {"engine/twin.py": TWIN}, {CORE: FAULT}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=False)


def test_a_fix_of_two_parts_of_which_the_release_has_one_is_not_told_to_spare_it(
    repo: GitRepo, collector: Collector
) -> None:
    old = "def start(model):\n    if model.is_eagle():\n        model.capture_eagle_layers()\n    model.run(model.inputs)\n"
    younger = "    if model.is_flash():\n        model.capture_flash_layers()\n        model.check_flash_layers()\n"
    both = old.replace("    model.run", f"{younger}    model.run")
    fixed = "def start(model):\n    model.run(model.inputs)\n"
    found = exposure(repo, collector, {CORE: old}, {CORE: both}, {CORE: fixed})
    assert found is not None
    assert found.has is None


CALLS = "def run(rows, meta):\n    scores = score(\n        rows,\n        {0},\n    )\n    {1}(\n        scores,\n        {2},\n    )\n"
CALLS += "    return written(rows[: {3}])\n"


@pytest.mark.parametrize(("callee", "has"), [("pick_best_rows", True), ("pick_any_rows", None)])
def test_a_release_that_passes_the_same_name_to_another_call_has_but_a_part_of_what_is_mended(
    repo: GitRepo, collector: Collector, callee: str, has: bool | None
) -> None:
    meta, lengths = "meta.sequence_lengths", "lengths"
    released, fault = (CALLS.format(meta, name, meta, "meta.tokens") for name in (callee, "pick_best_rows"))
    fixed = CALLS.format(meta, "pick_best_rows", lengths, "len(scores)")
    found = exposure(repo, collector, {CORE: released}, {CORE: fault}, {CORE: fixed})
    assert found is not None
    assert found.has is has


APPLIES = "class Method:\n    def apply(self, layer, x):\n        return self.{}(\n            x,\n            layer.first_weight,\n            layer.second_weight,\n        )\n"


@pytest.mark.parametrize(("called", "has"), [("kernel", False), ("modular", True)])
def test_arguments_are_in_another_file_of_the_release_only_with_the_call_that_they_are_of(
    repo: GitRepo, collector: Collector, called: str, has: bool
) -> None:
    """Each of a family of files hands the same names to a call of its own."""
    was = APPLIES.format("modular")
    fixed = (
        was.replace("            x", "            hidden=x")
        .replace("layer.first", "w1=layer.first")
        .replace("layer.second", "w2=layer.second")
    )
    found = exposure(
        repo, collector, {"engine/twin.py": APPLIES.format(called)}, {"engine/twin.py": None, CORE: was}, {CORE: fixed}
    )
    assert found is not None
    assert found.has is has


SIZED = "class Plan:\n    def __init__(self, budget):\n        self.opened = begin(budget)\n        self.most_tokens = (\n            {}\n        )\n        self.closed = end(budget)\n\n"
USES = "    def ask(self, request):\n        tokens = (\n            self.most_tokens\n            if self.is_paired and request.has_inputs\n            else 0\n        )\n        return self.slots(request, tokens)\n"


@pytest.mark.parametrize(
    ("released", "has"), [(USES, True), (USES.replace("self.most_tokens", "request.all_tokens()"), None)]
)
def test_an_attribute_that_the_release_gives_in_other_words_leaves_the_verdict_to_what_reads_it(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    late = SIZED.format("budget.longest_of_all(budget.kinds)") + USES
    dropped = "        self.most_tokens = (\n            budget.longest_of_all(budget.kinds)\n        )\n"
    asked = "        tokens = 0\n        if self.is_paired and request.has_inputs:\n            tokens = sum_of(request.inputs)\n"
    kept = USES.partition("        tokens")[0] + asked + "        return self.slots(request, tokens)\n"
    fixed = late.replace(dropped, "").replace(USES, kept)
    found = exposure(
        repo, collector, {CORE: SIZED.format("registry.longest(budget)") + released}, {CORE: late}, {CORE: fixed}
    )
    assert found is not None
    assert found.has is has


def test_a_candidate_that_has_the_lines_is_named(repo: GitRepo, collector: Collector) -> None:
    found = exposure(repo, collector, {CORE: OTHER}, {"engine/x.py": "1\n"}, {CORE: FIXED}, candidate={CORE: FAULT})
    assert found == Exposure("v1.0", has=False, candidates=("v1.1rc1",))


def test_a_candidate_after_a_release_that_has_the_fault_has_it_too(repo: GitRepo, collector: Collector) -> None:
    begun: dict[str, str | None] = {"engine/y.py": "1\n"}
    found = exposure(repo, collector, {CORE: FAULT}, {"engine/x.py": "1\n"}, {CORE: FIXED}, candidate=begun)
    assert found == Exposure("v1.0", has=True, candidates=("v1.1rc1",), applies=True)


def test_a_fix_that_only_adds_is_judged_by_what_stood_around_it(repo: GitRepo, collector: Collector) -> None:
    guard = FAULT.replace("    return", "    if not values:\n        return None\n    return")
    assert exposure(repo, collector, {CORE: FAULT}, {"x": "1"}, {CORE: guard}) == Exposure("v1.0", True, applies=True)


SENT = "def send(blocks, peer):\n    total = sum_of(blocks)\n{}    finish(total)\n\n\ndef finish(total):\n    total.free()\n"
WAITING = "    peer.copy_of_blocks(\n        blocks, total, blocking=True\n    )\n"
RACING = "    blocks.copy_to_peer(\n        peer, non_blocking=True\n    )\n"
WAIT = "    peer.wait_for(blocks)\n"


@pytest.mark.parametrize(
    ("title", "released", "has", "cause"),
    [
        ("[Bugfix] Fix race of the copy of blocks to a peer", WAITING, False, "#5"),
        ("[Bugfix] Fix race of the copy of blocks to a peer", RACING, True, None),
        ("[Bugfix] Fix a hang at the end of a run", WAITING, True, None),
    ],
)
def test_a_fix_that_only_adds_is_for_releases_that_have_the_statement_before_it(
    repo: GitRepo, collector: Collector, title: str, released: str, has: bool, cause: str | None
) -> None:
    first = repo.commit("Begin", {CORE: SENT.format(released)}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", first, at="2026-01-05T11:00:00")
    repo.commit("Copy without waiting (#5)", {CORE: SENT.format(RACING)}, at="2026-01-10T10:00:00")
    sha = repo.commit(title, {CORE: SENT.format(RACING + WAIT)}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert found.cause == cause
    assert found.has is has or (has and found.has is None)


def test_a_fix_that_only_adds_to_what_the_release_lacks_affects_nobody(repo: GitRepo, collector: Collector) -> None:
    guard = FAULT.replace("    return", "    if not values:\n        return None\n    return")
    assert exposure(
        repo, collector, {CORE: "unlike = everything(else_here)\n"}, {CORE: FAULT}, {CORE: guard}
    ) == Exposure("v1.0", has=False)


READS = (
    "class Job:\n    size = 0\n\n\ndef can_stop(job):\n    finished = job.size == counted(job)\n    return finished\n"
)


def _asked(condition: str) -> str:
    return READS.replace("    return", f"    if {condition}:\n        finished = False\n    return")


@pytest.mark.parametrize(
    ("adds", "needs"),
    [
        ("job.parts and not job.parts_done", ("parts", "parts_done")),
        ("drained(job)", ("drained",)),
        ("job.size and not all(part.size for part in job.size)", ()),
        ("counted(job, strict_order=True)", ("strict_order",)),
        ("finished and job.owner.limit_of(job)", ()),
        ('str(job.size).strip() == "words that no code has"', ()),
        ("job.library.call_of_a_library()", ()),
    ],
)
def test_a_pick_that_reads_what_the_release_lacks_is_not_one_that_applies(
    repo: GitRepo, collector: Collector, adds: str, needs: tuple[str, ...]
) -> None:
    other = "import os\nclass Owner:\n    def limit_of(self, job):\n        return os.path.isdir(self.owner)\n    owner = 1\n"
    found = exposure(
        repo,
        collector,
        {CORE: READS, "engine/owner.py": other},
        {"engine/parts.py": "class Parts:\n    parts = ()\n    parts_done = drained = strict_order = False\n"},
        {CORE: f"{'from engine.parts import drained' if 'drained' in adds else ''}\n{_asked(adds)}".lstrip()},
    )
    assert found is not None
    assert (found.has, found.applies, found.needs) == (None if needs else True, not needs, needs)


def test_what_a_pick_brings_itself_it_does_not_lack(repo: GitRepo, collector: Collector) -> None:
    fix = _asked("job.late(limit=3) and checked(job)").replace(
        "    size = 0\n", "    size = 0\n\n    def late(self, limit):\n        return limit < self.size\n"
    )
    brought: dict[str, str | None] = {
        CORE: f"from engine.checks import checked\n\n{fix}",
        "engine/checks.py": "def checked(job):\n    return job.size\n",
    }
    found = exposure(repo, collector, {CORE: READS}, {"x": "1"}, brought)
    assert found is not None
    assert (found.applies, found.needs) == (True, ())


GUARDED = "class Plan:\n    def shards(self):\n        return (\n            self.parallel\n            and self.tensor_size > 1\n{}        )\n"
ALSO = "            and self.data_parallel_size > 1\n"


@pytest.mark.parametrize(
    ("released", "broken"), [(GUARDED.format(ALSO), GUARDED.format("")), (GUARDED.format(""), GUARDED.format(ALSO))]
)
def test_a_fix_that_puts_back_what_the_release_has_names_the_change_that_broke_the_branch(
    repo: GitRepo, collector: Collector, released: str, broken: str
) -> None:
    repo.tag("v1.0", repo.commit("Begin", {CORE: released}, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Shard without (#6)", {CORE: broken}, at="2026-01-10T10:00:00")
    sha = repo.commit("Fix accuracy (#7)", {CORE: released}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).exposed.get(sha) == Exposure("v1.0", has=False, cause="#6")


BUFFERED = """def copy(self, logits, meta):
{}        assert buffer.dtype == wanted_dtype
        buffer.copy_(logits[:, : self.vocab_size])
    else:
        logits = logits[:, : self.vocab_size].float()
    return logits
"""
PLAIN, KEYED = (
    "    if meta.buffer is not None:\n",
    "    if buffer is not None and buffer.shape[-1] == self.vocab_size:\n",
)
MENDED = "    if buffer is not None and tuple(buffer.shape) == tuple(logits.shape):\n"
COPIED = (
    BUFFERED.format(MENDED)
    .replace("copy_(logits[:, : self.vocab_size])", "copy_(logits)")
    .replace("logits[:, : self.vocab_size].float()", "logits.float()")
)


def test_a_condition_that_is_younger_than_the_release_is_a_fault_that_the_release_has_not(
    repo: GitRepo, collector: Collector
) -> None:
    first = repo.commit("Begin", {CORE: BUFFERED.format(PLAIN)}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", first, at="2026-01-05T11:00:00")
    repo.commit("Key the buffer (#6)", {CORE: BUFFERED.format(KEYED)}, at="2026-01-10T10:00:00")
    sha = repo.commit("Fix shared buffer (#7)", {CORE: COPIED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).exposed.get(sha) == Exposure("v1.0", has=False, cause="#6")


def test_a_condition_that_only_got_other_names_since_the_release_gives_no_verdict(
    repo: GitRepo, collector: Collector
) -> None:
    renamed = BUFFERED.format(KEYED.replace("buffer", "shared"))
    first = repo.commit("Begin", {CORE: renamed}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", first, at="2026-01-05T11:00:00")
    repo.commit("Rename (#6)", {CORE: BUFFERED.format(KEYED)}, at="2026-01-10T10:00:00")
    sha = repo.commit("Fix shared buffer (#7)", {CORE: COPIED}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.cause) == (None, None)


def test_a_release_that_has_a_part_of_the_fix_does_not_have_the_fix(repo: GitRepo, collector: Collector) -> None:
    keyed = "def plan(self):\n    key = key_of(self.values)\n    if {} key != self.previous_key:\n        launch(key)\n"
    fixed = keyed.format("").replace("key_of(self.values)", "key_of(self.values, self.context_lengths)")
    found = exposure(repo, collector, {CORE: keyed.format("")}, {CORE: keyed.format("self.once and")}, {CORE: fixed})
    assert found is not None
    assert not found.picked
    assert found.cause is None


def test_a_fix_that_was_picked_onto_the_release_is_in_it(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00")
    picked = repo.commit("Pick", {CORE: FIXED}, at="2026-01-19T09:00:00", branch="release", parents=[first])
    repo.tag("v1.0", picked, at="2026-01-19T09:30:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00", branch="main")
    collected = collector.collect(repo)
    assert collected.released == {sha: "v1.0"}
    assert sha not in collected.exposed


@pytest.mark.parametrize("title", ["Refactor scale (#7)", "Add scale (#7)"])
def test_what_no_title_calls_a_repair_is_not_looked_at(repo: GitRepo, collector: Collector, title: str) -> None:
    repo.tag("v1.0", repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00"))
    repo.commit(title, {CORE: FIXED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).exposed == {}


def test_how_much_of_a_revert_stands_at_the_end_is_read_from_the_tree(repo: GitRepo, collector: Collector) -> None:
    repo.commit("Begin", {CORE: OTHER}, at="2026-01-10T10:00:00")
    repo.commit("Divide (#5)", {CORE: FAULT}, at="2026-01-19T10:00:00")
    gone = repo.commit('Revert "Divide" (#6)', {CORE: OTHER}, at="2026-01-19T11:00:00")
    assert collector.collect(repo).standing == {gone: 1.0}
    repo.commit("Divide (#7)", {CORE: FAULT}, at="2026-01-19T12:00:00")
    assert collector.collect(repo).standing == {gone: 0.0}


def test_a_line_that_stood_elsewhere_before_was_not_added(repo: GitRepo, collector: Collector) -> None:
    line = "    return total / factor_of(values)"
    repo.commit("Begin", {"engine/old_home.py": FAULT, CORE: "x = 1\n"}, at="2026-01-05T10:00:00")
    repo.commit("Begin too", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    copy = repo.commit("Copy it (#5)", {CORE: FAULT}, at="2026-01-12T10:00:00")
    repo.commit("Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).older == {copy: (line.strip(),)}


def test_a_line_that_came_lately_and_was_moved_then_was_not_added_by_the_move(
    repo: GitRepo, collector: Collector
) -> None:
    line = "    return total / factor_of(values)"
    repo.commit("Begin", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    repo.commit("Divide (#4)", {"engine/old_home.py": f"{FAULT}{OTHER * 9}"}, at="2026-01-12T10:00:00")
    files: dict[str, str | None] = {"engine/old_home.py": OTHER * 9, CORE: f"{FAULT}z = 1\n"}
    move = repo.commit("Tidy up (#5)", files, at="2026-01-12T11:00:00")
    repo.commit("Fix division by zero (#7)", {CORE: f"{FIXED}z = 1\n"}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).older == {move: (line.strip(),)}

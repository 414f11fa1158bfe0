"""Doubts that a release has a fault although it has the lines: versions of dependencies, and features that came after it."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.collect.git import young_features
from daybreak.collect.git.release_doubts import Need, outside
from daybreak.core.model.changes import Exposure
from gitrepo import GitRepo

CORE = "engine/core.py"
HEAD = "def scale(values, factor):\n    total = sum_of(values)\n"
FAULT = f"{HEAD}    return total / factor_of(values)\n"
FIXED = f"{HEAD}    return total / max(1, factor_of(values))\n"
PINS = "requirements/cuda.txt"


def exposure(
    repo: GitRepo,
    collector: Collector,
    title: str,
    released: dict[str, str | None],
    fix: dict[str, str | None],
    between: tuple[str, dict[str, str | None]] = ("Go on", {"x.py": "1\n"}),
) -> Exposure:
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit(*between, at="2026-01-10T10:00:00")
    sha = repo.commit(title, fix, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed[sha]


# --- versions of dependencies ---


@pytest.mark.parametrize(
    ("said", "pin", "has"),
    [
        ("The division hangs with Kernels >= 0.6.7.", "0.6.6", None),
        ("The division hangs with Kernels >= 0.6.7.", "0.6.7", True),
        ("The division hangs with Kernels >= 0.6.7.", "0.10.0", True),
        ("The division crashes when Kernels >= 0.6.7.", "0.6.6", None),
        ("It fails, which can be removed once Kernels >= 0.6.7 is required.", "0.6.6", True),
        ("It fails, which can be\n    # removed once Kernels >= 0.6.7 is required.", "0.6.6", True),
        ("The division stays until Kernels > 0.6.7.", "0.6.8", None),
        ("Note: kernels 0.6.7 caused a regression of the division.", "0.6.6", None),
        ("Note: kernels 0.6.7 caused a regression of the division.", "0.6.8", True),
        ("Note: Llama 0.6.7 caused a regression of the division.", "0.6.6", True),
    ],
)
def test_a_release_with_the_lines_and_another_version_of_what_they_fail_with_is_told_with_its_pin(
    repo: GitRepo, collector: Collector, said: str, pin: str, has: bool | None
) -> None:
    fixed = FIXED.replace("    return", f"    # {said}\n    return")
    released: dict[str, str | None] = {CORE: FAULT, PINS: f"kernels-python=={pin}\n"}
    found = exposure(repo, collector, "Fix division by zero (#7)", released, {CORE: fixed})
    assert found.has is has
    assert found.pin == (f"kernels-python=={pin}" if has is None else "")


@pytest.mark.parametrize(
    ("said", "has"),
    [
        ("kernels 0.6.7 changed the division", False),
        ("The division hangs with kernels >= 0.6.7", False),
        ("kernels 0.6.7 fixed the crash, so this is for older ones", None),
        ("Before kernels 0.6.7 this call fails", None),
        ("All older than kernels 0.6.7 crash", None),
        ("Until kernels 0.6.7 changes the division", None),
        ("TODO: remove when kernels 0.6.7 is there", None),
        ("The crash is fixed by kernels >= 0.6.7", None),
    ],
)
def test_a_release_below_a_version_is_spared_only_where_that_version_itself_does_the_harm(
    repo: GitRepo, collector: Collector, said: str, has: bool | None
) -> None:
    fixed = FIXED.replace("    return", f"    # {said}.\n    return")
    released: dict[str, str | None] = {CORE: FAULT, PINS: "kernels==0.6.6\n"}
    assert exposure(repo, collector, "Fix division by zero (#7)", released, {CORE: fixed}).has is has


@pytest.mark.parametrize(
    ("title", "row", "has"),
    [
        ("Fix crash with kernels v5 (#7)", "kernels >= 4.56, < 5", False),
        ("Fix crash with kernels v5 (#7)", "kernels >= 4.56", True),
        ("Fix crash with kernels v5 (#7)", "kernels >= 5.1", True),
        ("Fix crash caused by kernels 4.6.0 (#7)", "kernels==4.5.2", False),
        ("Fix crash for kernels 4.6 (#7)", "kernels", True),
        ("Fix crash for Llama 4 (#7)", "kernels==3.0", True),
        ("[Kernels v5] Fix crash (#7)", "kernels<5", False),
        ("Fix crash after kernels 5.1 (#7)", "kernels<5", False),
        ("Fix crash (kernels>=5.1) (#7)", "kernels<5", False),
        ("Pin kernels 5.1 to fix a crash (#7)", "kernels<5", True),
        ("Fix Kernels v5 crash (#7)", "kernels_generator<5", True),
        ("Fix crash of transfomers v5 (#7)", "transformers<5", False),
        ("Fix crash of translators v5 (#7)", "transformers<5", True),
    ],
)
def test_a_fix_whose_title_names_a_version_is_for_releases_that_take_it(
    repo: GitRepo, collector: Collector, title: str, row: str, has: bool | None
) -> None:
    assert exposure(repo, collector, title, {CORE: FAULT, PINS: f"{row}\n"}, {CORE: FIXED}).has is has


def test_a_fix_that_needs_a_version_which_the_release_does_not_take_gives_no_verdict(
    repo: GitRepo, collector: Collector
) -> None:
    fixed = FIXED.replace("    return", "    # Requires Kernels >= 0.6.7.\n    return")
    released: dict[str, str | None] = {CORE: FAULT, PINS: "kernels-python==0.6.6\n"}
    found = exposure(repo, collector, "Fix division by zero (#7)", released, {CORE: fixed})
    assert (found.has, found.pin) == (None, "")


FETCHES = "if on_new_device():\n    from kernels import divide_values\nelse:\n    from own import divide_values\n"
FALLS_BACK = FETCHES.replace(
    "    from kernels import divide_values\n",
    "    try:\n        from kernels import divide_values\n    except ImportError:\n        from own import divide_values\n",
    1,
)


@pytest.mark.parametrize(
    ("row", "rest", "has"),
    [("kernels_python==0.6", FAULT, None), ("other==0.6", FAULT, True), ("kernels_python==0.6", FIXED, True)],
    ids=["required", "not required", "not all of the fix"],
)
def test_a_fix_for_those_who_lack_what_the_release_requires_gives_no_verdict(
    repo: GitRepo, collector: Collector, row: str, rest: str, has: bool | None
) -> None:
    released: dict[str, str | None] = {CORE: FETCHES + FAULT, PINS: f"{row}\n"}
    found = exposure(repo, collector, "Fix import (#7)", released, {CORE: FALLS_BACK + rest})
    assert (found.has, found.applies) == (has, has), "nor is a pick advised"


GATE = "def uses_cache():\n    # Disabling the cache: it keeps pointers\n    return wanted() and not on_processor()\n"


@pytest.mark.parametrize(("gate", "has"), [(GATE, None), (GATE.replace("Disabling the", "Of the"), True)])
def test_a_fix_that_lifts_what_kept_the_release_from_the_fault_gives_no_verdict(
    repo: GitRepo, collector: Collector, gate: str, has: bool | None
) -> None:
    fix: dict[str, str | None] = {CORE: FIXED, "engine/gate.py": "def uses_cache():\n    return wanted()\n"}
    assert exposure(repo, collector, "Fix division (#7)", {CORE: FAULT, "engine/gate.py": gate}, fix).has is has


def test_a_fix_that_moves_the_pin_itself_gives_no_verdict(repo: GitRepo, collector: Collector) -> None:
    fix: dict[str, str | None] = {CORE: FIXED, PINS: "kernels==5.0\n"}
    found = exposure(repo, collector, "Fix crash with kernels v5", {CORE: FAULT, PINS: "kernels==4.0\n"}, fix)
    assert found.has is None


@pytest.mark.parametrize(
    ("row", "sign", "apart"),
    [("<5", ">=", True), ("<=5", ">=", False), ("<=5", ">", True), (">=6", "<", True), ("~=4.2", "<", False)],
)
def test_bounds_that_touch_overlap_where_both_hold_their_end(row: str, sign: str, apart: bool) -> None:
    assert bool(outside(Need("kernels", sign, "5", True), [f"kernels{row}"])) is apart


@pytest.mark.parametrize(
    ("row", "has"), [("kernels >= 4.56, < 5\nkernels_generator\n", None), ("kernels >= 4.56\n", True)]
)
def test_a_docstring_that_names_a_version_is_for_releases_that_take_it(
    repo: GitRepo, collector: Collector, row: str, has: bool | None
) -> None:
    said = '    """In Kernels v5, values are\n    checked twice, so we must pass all of them on."""\n'
    fixed = FIXED.replace("    total", f"{said}    total")
    released: dict[str, str | None] = {CORE: FAULT, PINS: row, "benchmarks/requirements.txt": "kernels >= 4.2\n"}
    assert exposure(repo, collector, "Fix division (#7)", released, {CORE: fixed}).has is has


SHIM = """import os

# kernels-next has a namespace that lacks the older names.
os.environ["KERNELS_OLD"] = "0"
"""


@pytest.mark.parametrize(("released", "has"), [("kernels==1.0\n", None), ("kernels-next==1.0\n", True)])
def test_what_only_adds_and_speaks_of_a_package_that_came_after_the_release_gives_no_verdict(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    before = f"import os\n\n{FAULT}"
    fixed = before.replace("import os\n", SHIM)
    step: tuple[str, dict[str, str | None]] = ("Require it", {PINS: "kernels-next==1.0\n"})
    found = exposure(repo, collector, "Fix names (#7)", {CORE: before, PINS: released}, {CORE: fixed}, step)
    assert found.has is has


def test_what_a_fix_imports_and_asks_for_itself_gives_no_verdict(repo: GitRepo, collector: Collector) -> None:
    before = f"import os\n\n{FAULT}"
    asks = "try:\n    import kernels as _kernels\n    if not hasattr(_kernels, 'scale'):\n        patch()\nexcept ImportError:\n    pass\n"
    fixed = before.replace("import os\n", f"import os\n\n{asks}")
    assert exposure(repo, collector, "Fix names (#7)", {CORE: before}, {CORE: fixed}).has is None


@pytest.mark.parametrize(("command", "has"), [("python3 -m wheel pack out", True), ("mv -- out wheels", None)])
def test_each_command_of_a_script_that_goes_must_stand_in_the_release(
    repo: GitRepo, collector: Collector, command: str, has: bool | None
) -> None:
    rename = "engine/rename.sh"
    old = "rename_folder out wheels\nunpack_wheel --dest out\npython3 -m wheel pack out\n"
    new = old.replace("out wheels", '"out" wheels').replace("python3", "$PYTHON")
    step: tuple[str, dict[str, str | None]] = ("Go on", {rename: old})
    released: dict[str, str | None] = {rename: old.replace("python3 -m wheel pack out", command)}
    assert exposure(repo, collector, "Fix renaming (#7)", released, {rename: new}, step).has is has


# --- features ---


OLDER = "Support logprobs for spec mode (#5)"
FIX = "Fix spec mode + logprob when the limit is set (#7)"


@pytest.mark.parametrize(
    ("between", "title", "has"),
    [
        (OLDER, FIX, None),
        ("Revert support of logprobs for spec mode (#5)", FIX, True),
        ("Support logprobs for beam search (#5)", FIX, True),
        (OLDER, "Fix division by zero (#7)", True),
    ],
)
def test_a_fix_of_what_a_change_of_its_files_brought_after_the_release_gives_no_verdict(
    repo: GitRepo, collector: Collector, between: str, title: str, has: bool | None
) -> None:
    more = "\n\ndef other(values):\n    return values\n"
    step: tuple[str, dict[str, str | None]] = (between, {CORE: FAULT + more})
    assert exposure(repo, collector, title, {CORE: FAULT}, {CORE: FIXED + more}, step).has is has


@pytest.mark.parametrize(("name", "has"), [("draft_window", None), ("sum_of", True), ("not_there_yet", True)])
def test_a_fix_of_a_name_that_the_release_does_not_know_gives_no_verdict(
    repo: GitRepo, collector: Collector, name: str, has: bool | None
) -> None:
    more = "\n\ndef draft_window(values):\n    return values\n"
    step: tuple[str, dict[str, str | None]] = ("Go on", {CORE: FAULT + more})
    found = exposure(repo, collector, f"Fix zero of {name} (#7)", {CORE: FAULT}, {CORE: FIXED + more}, step)
    assert found.has is has


def test_a_name_too_many_to_be_looked_for_gives_no_verdict(
    repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(young_features, "_ASKED", 0)
    step: tuple[str, dict[str, str | None]] = ("Go on", {CORE: f"{FAULT}\n"})
    assert exposure(repo, collector, "Fix zero of sum_of (#7)", {CORE: FAULT}, {CORE: FIXED}, step).has is None


# --- code that moved ---

PARSE = (
    "def parse(text):\n    if is_boolean(text) or is_integral(text):\n        add('%d')\n    else:\n        add(text)\n"
)
INFER = "def infer(text):\n    if is_boolean(text) or is_integral(text):\n        return '%d'\n    return text\n"
VALID = "def valid(text):\n    if is_boolean(text) or is_integral(text):\n        return True\n    return False\n"


@pytest.mark.parametrize(
    ("released", "before", "has"),
    [
        (f"{VALID}\n\n{PARSE}", f"{VALID}\n\ndef parse(text):\n    add(infer(text))\n\n\n{INFER}", True),
        (VALID, f"{VALID}\n\n{INFER}", False),
    ],
)
def test_lines_that_a_new_function_took_over_from_another_one_are_in_the_release(
    repo: GitRepo, collector: Collector, released: str, before: str, has: bool
) -> None:
    fixed = before.replace(INFER, INFER.replace("is_boolean(text) or is_integral(text)", "is_boolean(text)"))
    found = exposure(
        repo, collector, "Fix print of int64 (#7)", {CORE: released}, {CORE: fixed}, ("Go on", {CORE: before})
    )
    assert found.has is has


CALL = "def tune(self):\n    with inference_mode(), autotune(True, cache=str({})):\n        self.dummy_run(size=8)\n"
BEGIN = "def begin(self):\n    prepared(self, 8)\n\n\n"


@pytest.mark.parametrize(("released", "has"), [(CALL.format("cache_path"), None), (BEGIN, False)])
def test_a_line_that_stands_in_the_release_in_other_words_gives_no_verdict(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    before = CALL.format("tuned_cache")
    fixed = before.replace("autotune(", "autotune_without_head(")
    found = exposure(repo, collector, "Fix OOM (#7)", {CORE: released}, {CORE: fixed}, ("Go on", {CORE: before}))
    assert found.has is has


def test_what_a_function_takes_from_now_on_is_not_what_was_at_fault(repo: GitRepo, collector: Collector) -> None:
    head = "def parse(\n    text: str,\n{}):\n    return text\n\n\ndef serve(parser, text):\n    return parser.parse_delta(\n        text=text,\n{}    )\n"
    before, fixed = (head.format(*rows) for rows in (("    finished: bool = False,\n", ""), ("    finished: bool,\n", "        finished=text.ended,\n")))  # fmt: skip
    released = head.format("", "")
    found = exposure(
        repo, collector, "Fix dropped text (#7)", {CORE: released}, {CORE: fixed}, ("Go on", {CORE: before})
    )
    assert found.has is None


@pytest.mark.parametrize(
    ("title", "has", "cause"),
    [
        ("Fix models broken by the new loader (#5) (#7)", False, "#5"),
        ("Fix accuracy drop introduced by #5 (#7)", False, "#5"),
        ("Fix models broken by the new loader (#4) (#7)", True, None),
        ("Fix the loader (issue #5) (#7)", True, None),
        ("Fix models broken by the new loader (#7)", None, None),
        ("Fix imports after the kernel migration (#7)", None, None),
    ],
)
def test_a_fix_whose_title_blames_what_came_after_the_release_says_so(
    repo: GitRepo, collector: Collector, title: str, has: bool | None, cause: str | None
) -> None:
    step: tuple[str, dict[str, str | None]] = ("Rewrite the loader (#5)", {"engine/loader.py": "1\n"})
    found = exposure(repo, collector, title, {CORE: FAULT}, {CORE: FIXED}, step)
    assert (found.has, found.cause) == (has, cause)


@pytest.mark.parametrize(
    ("says", "has", "cause"),
    [
        ("### Culprit: #15\n\nIt waits for what comes late.", False, "#15"),
        ("The hang was caused by https://github.com/daybreak-demo/x/pull/15.", True, None),
        ("Fixes regression of #15.", False, "#15"),
        ("A regression from #15 and caused by #14.", True, None),
        ("Culprit: #14", True, None),
        ("Needs the loader of #15.", True, None),
    ],
)
def test_a_fix_whose_text_names_its_culprit_spares_the_release_that_lacks_it(
    repo: GitRepo, collector: Collector, says: str, has: bool | None, cause: str | None
) -> None:
    """The lines that it replaces stand in the release; what made them a fault does not."""
    step: tuple[str, dict[str, str | None]] = ("Rewrite the loader (#15)", {"engine/loader.py": "1\n"})
    found = exposure(repo, collector, f"Fix the hang of rows (#7)\n\n{says}", {CORE: FAULT}, {CORE: FIXED}, step)
    assert (found.has, found.cause) == (has, cause)


def test_a_fix_that_only_adds_to_a_function_that_was_rewritten_gives_no_verdict(
    repo: GitRepo, collector: Collector
) -> None:
    loop = "def loop(self):\n    while True:\n        batch = self.{}()\n        self.{}(batch)\n"
    released, before = loop.format("next_batch", "forward"), loop.format("plan_of_batches", "run_planned")
    fixed = before.replace("        self.run", "        batch = self.embedded(batch)\n        self.run")
    found = exposure(repo, collector, "Fix embedding (#7)", {CORE: released}, {CORE: fixed}, ("Go on", {CORE: before}))
    assert found.has is None


@pytest.mark.parametrize(("pins", "has"), [("kernels==5.0\n", None), (None, True)])
def test_sources_that_move_along_with_a_pin_are_for_the_version_that_came_with_it(
    repo: GitRepo, collector: Collector, pins: str | None, has: bool | None
) -> None:
    fetch = "FetchContent_Declare(\n    kernels\n    GIT_TAG {}\n)\n"
    released: dict[str, str | None] = {"cmake/kernels.cmake": fetch.format("1" * 40), PINS: "kernels==4.0\n"}
    fix: dict[str, str | None] = {"cmake/kernels.cmake": fetch.format("2" * 40), PINS: pins or "kernels==4.0\n"}
    assert exposure(repo, collector, "Fix upgrade bug (#7)", released, fix).has is has


@pytest.mark.parametrize(("still", "has"), [("", None), ("    backend = self.args.graph.prefill.backend\n", False)])
def test_what_another_object_was_asked_for_before_it_moved_to_a_new_file_gives_no_verdict(
    repo: GitRepo, collector: Collector, still: str, has: bool | None
) -> None:
    runner = "def capture(self):\n    backend = self.args.graph.prefill.backend\n"
    setup = "def setup_graph(runner):\n    backend = runner.args.graph.prefill.backend\n"
    step: dict[str, str | None] = {
        CORE: f"def capture(self):\n{still}    setup_graph(self)\n",
        "engine/setup.py": setup,
    }
    fixed: dict[str, str | None] = {"engine/setup.py": f"{setup}    if too_small(runner):\n        return\n"}
    assert exposure(repo, collector, "Fix capture (#7)", {CORE: runner}, fixed, ("Go on", step)).has is has


def test_lines_that_stood_elsewhere_in_the_file_before_the_fix_do_not_show_that_it_was_picked(
    repo: GitRepo, collector: Collector
) -> None:
    first = "class First:\n    def as_tuple_of_values(self):\n        return self.values_of_first\n"
    second = "class Second:\n    kept_values: tuple\n"
    fixed = f"{first}\n\n{second}\n    def as_tuple_of_values(self):\n        return self.values_of_first\n"
    step: tuple[str, dict[str, str | None]] = ("Go on", {CORE: f"{first}\n\n{second}"})
    assert not exposure(repo, collector, "Fix missing method (#7)", {CORE: first}, {CORE: fixed}, step).picked


@pytest.mark.parametrize(("guard", "has"), [("layer.scatters", None), ("layer.size", True)])
def test_a_fix_that_does_something_only_where_a_name_says_so_that_the_release_lacks_gives_no_verdict(
    repo: GitRepo, collector: Collector, guard: str, has: bool | None
) -> None:
    layer = "class Layer:\n    size = 1\n"
    before = (
        "def forward(layers, states):\n    states = layers[current_step](\n        states\n    )\n    return states\n"
    )
    fixed = before.replace(
        "states = layers[current_step](", "layer = layers[current_step]\n    states = layer("
    ).replace("    return", f"    if {guard}:\n        states = list(states)\n    return")
    step: tuple[str, dict[str, str | None]] = ("Go on", {"engine/layer.py": f"{layer}    scatters = True\n"})
    released: dict[str, str | None] = {CORE: before, "engine/layer.py": layer}
    assert exposure(repo, collector, "Fix full states (#7)", released, {CORE: fixed}, step).has is has


# --- what failed came after the release ---


@pytest.mark.parametrize(
    ("reads", "read_in_release", "more", "spared"),
    [
        ("row_format", False, "", True),
        ("row_format", True, "", False),
        ("other_format", False, "", False),
        ("row_format", False, "        self.start(rows)\n", False),
    ],
    ids=["reader is younger", "reader is released", "nobody reads it", "it does more"],
)
def test_a_fix_that_only_sets_what_nothing_in_the_release_reads_is_for_the_branch_alone(
    repo: GitRepo, collector: Collector, reads: str, read_in_release: bool, more: str, spared: bool
) -> None:
    head = "class Layer(Base):\n    def __init__(self, rows):\n        self.rows = first_of(rows)\n"
    tail = "        self.communicator = Communicator(rows)\n"
    reader: dict[str, str | None] = {
        "engine/base.py": f"class Base:\n    def run(self):\n        return use(self.{reads})\n"
    }
    released: dict[str, str | None] = {CORE: head + tail, **(reader if read_in_release else {})}
    fix: dict[str, str | None] = {CORE: f"{head}        self.row_format = format_of(rows)\n{more}{tail}"}
    between = ("Read formats", {**reader, "x.py": "1\n"})
    found = exposure(repo, collector, "Fix format of rows (#7)", released, fix, between)
    assert (found.has is False) is spared


# --- both sides of a fault ---


BLOCK = "class Block:\n    def __init__(self):\n        self.experts = Experts(\n            size=8,\n{}        )\n\n"
CALLS = "    def run(self, values):\n        logits = self.gate(values)\n        return self.experts(values, logits)\n"
MENDED = (
    "    def run(self, values):\n        if self.experts.is_routed:\n            return self.experts(values, values)\n"
    "        logits = self.gate(values)\n        return self.experts(values, logits)\n"
)


@pytest.mark.parametrize(("late", "has"), [("            gate=self.gate,\n", None), ("", True)])
def test_a_condition_on_an_object_that_is_made_otherwise_since_the_release_leaves_open_who_has_the_fault(
    repo: GitRepo, collector: Collector, late: str, has: bool | None
) -> None:
    released: dict[str, str | None] = {CORE: BLOCK.format("") + CALLS, "engine/experts.py": "is_routed = False\n"}
    between: tuple[str, dict[str, str | None]] = ("Route inside", {CORE: BLOCK.format(late) + CALLS, "x.py": "1\n"})
    fix: dict[str, str | None] = {CORE: BLOCK.format(late) + MENDED}
    assert exposure(repo, collector, "Fix the gate called twice (#7)", released, fix, between).has is has


TAKES = "def rule(values, keep_state):\n    output, state = kernel(values, keep_state)\n    return output, state\n\n"
TOOK = "def rule(values, keep_state):\n    output = kernel(values, keep_state)\n    if keep_state:\n        return output\n    return output, None\n\n"
WARMS = "def warm(values):\n    return rule(\n        values,\n        keep_state={},\n    )\n"


@pytest.mark.parametrize(("released", "has"), [("True", None), ("False", True)])
def test_a_condition_on_an_argument_that_nobody_gave_so_in_the_release_leaves_open_who_has_the_fault(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    before: dict[str, str | None] = {CORE: TAKES + WARMS.format(released)}
    between: tuple[str, dict[str, str | None]] = (
        "Warm up without state",
        {CORE: TAKES + WARMS.format("False"), "x.py": "1\n"},
    )
    fix: dict[str, str | None] = {CORE: TOOK + WARMS.format("False")}
    assert exposure(repo, collector, "Fix the state of the rule (#7)", before, fix, between).has is has


@pytest.mark.parametrize(
    ("title", "said", "cause"),
    [
        (
            "[Core] Avoid count GPU->CPU sync (#5)",
            "The count may be an upper bound when the host avoids a device sync.",
            "#5",
        ),
        ("[Core] Avoid count GPU->CPU sync (#5)", "The count may be zero when the host avoids a device sync.", None),
        (
            "[Core] Support device sync (#5)",
            "The count may be an upper bound when the host supplies a device sync.",
            None,
        ),
        ("[Core] Avoid count GPU->CPU sync (#5)", "The count may be an upper bound because of a device sync.", None),
    ],
)
def test_a_fix_for_a_condition_that_a_later_change_brought_is_of_that_change(
    repo: GitRepo, collector: Collector, title: str, said: str, cause: str | None
) -> None:
    fixed = FIXED.replace("    return", f"    # {said}\n    return")
    bound: dict[str, str | None] = {"engine/batch.py": "count_upper_bound = planned(values)\n"}
    found = exposure(repo, collector, "Fix division by zero (#7)", {CORE: FAULT}, {CORE: fixed}, (title, bound))
    assert (found.has, found.cause) == ((False, cause) if cause else (True, None))

"""Where in a fix its words stand: beside what went, or beside what came along with it."""

from analyse.test_gist import CODE, english
from daybreak.core.model.findings import Finding
from daybreak.core.model.quotes import Gist
from daybreak.judge.gist import gist
from daybreak.judge.refused import refused_option
from daybreak.judge.rules import grade
from read.made import change_of, patch_of, read_one


def told(patches: dict[str, str], subject: str) -> Gist | None:
    change = change_of(patches, subject=subject)
    return gist(change, read_one(change))


REUSES = (
    "    # Only safe with one row: the sampler reorders shared rows each step, which would desync the cached rows.\n"
)
GATE = "    # Layers that share rows carry no indexer weights, so they must reuse the rows and never run the indexer.\n"


def test_of_a_fix_the_comment_beside_what_went_speaks_and_not_the_one_of_what_came_along() -> None:
    steps = "".join(f"    step_{n}()\n" for n in range(20))
    gate = patch_of(
        f"def run():\n    if skip or rows is None:\n        index()\n{steps}",
        f"def run():\n{GATE}    if skip or (last and rows is None):\n        index()\n{steps}",
    )
    option = patch_of(f"def draft():\n{steps}", f"def draft():\n{REUSES}    share = one and wide\n{steps}")
    found = told({CODE: gate, "engine/draft.py": option}, "[Bugfix] Fix shared rows of the layers")
    assert found is not None
    assert "carry no indexer weights" in found.text["en"]
    assert "Only safe" not in found.text["en"]


def test_a_fault_that_a_comment_names_is_told_wherever_it_stands() -> None:
    gate = patch_of("def run():\n    rows = take()\n", "def run():\n    rows = take_all()\n")
    note = "# A smaller table makes the gather of rows go out of bounds.\n"
    found = told({CODE: gate, "engine/draft.py": patch_of("", f"{note}grow(table)\n")}, "[Bugfix] Fix rows of drafts")
    assert found is not None
    assert "out of bounds" in found.text["en"]


def test_a_comment_without_a_word_of_the_title_does_not_stand_for_the_fault_that_it_names() -> None:
    note = "// Treat malformed values as unset so debug knobs never become hard failures.\n"
    sizes = patch_of("int size = clean(read(name));\n", f"{note}int size = clean_or_default(name);\n")
    found = told({"csrc/sizes.cpp": sizes}, "fix: one sided exchange hangs in some cases")
    assert found is None or "malformed" not in found.text["en"]


def test_a_fix_that_only_adds_says_what_it_does_where_its_title_names_the_fault() -> None:
    calls = "".join(f"    send_{n}(room)\n" for n in range(60))
    code = f"def stop(room):\n    # Tell the prefill side that the decode side aborted this request.\n{calls}"
    found = told({CODE: patch_of("", code)}, "[PD] Fix cache corruption on abort by telling the prefill side")
    assert found is not None
    assert "Tell the prefill side that the decode side aborted" in found.text["en"]


def test_a_diff_of_one_import_for_another_is_told_by_both() -> None:
    patch = patch_of("from copy import copy\nimport os\n", "import copy\nimport os\n")
    found = told({CODE: patch}, "fix: import the module for the clone of sampling info")
    assert found is not None
    assert "`from copy import copy` → `import copy`" in found.text["en"]


PASSES = """def clean(graph):
    for node in graph:
{}        graph.erase(node)
"""
SKIP = "        if not keeps_layout(node):\n            logger.debug('not possible')\n            continue\n\n"
TEST = 'def test_clone_with_another_layout(clean):\n    """Clone must be kept when it makes a compact slice."""\n    clean(graph)\n'


def test_what_is_passed_over_and_must_be_kept_by_its_test_is_a_fix_whatever_its_title() -> None:
    files = {CODE: patch_of(PASSES.format(""), PASSES.format(SKIP)), "tests/test_clean.py": patch_of("", TEST)}
    change = change_of(files, subject="Preserve clones of another layout")
    assert grade(change, read_one(change)).kind == "fix"


def test_a_new_case_that_is_passed_over_is_no_fix_where_no_test_says_that_it_must_be_kept() -> None:
    test = TEST.replace("must be kept", "is seen")
    files = {CODE: patch_of(PASSES.format(""), PASSES.format(SKIP)), "tests/test_clean.py": patch_of("", test)}
    change = change_of(files, subject="Preserve clones of another layout")
    assert grade(change, read_one(change)).kind != "fix"


REFUSES = (
    'if self.twin and shares: raise ValueError("--twin-batch is not supported with shared rows: layers lack them.")'
)
GUARD = Finding("a/1", "guard_added", "engine/server_args.py", 2, "check", None, REFUSES)
OPTION = Finding("a/2", "cli_flag_added", "engine/server_args.py", 9, "--twin-batch")


def test_a_check_turns_away_an_option_that_was_there_and_none_that_came_with_it() -> None:
    change = change_of({"engine/server_args.py": patch_of("", "pass\n")}, subject="[Bugfix] Fix shared rows")
    assert refused_option(change, GUARD, [GUARD])
    assert not refused_option(change, GUARD, [GUARD, OPTION])


def test_a_finding_tells_what_lines_and_names_of_code_do_not() -> None:
    was = "def take(x):\n    if x.rows > 8 and is_hopper():\n        return fast(x)\n    return slow(x)\n"
    now = was.replace("is_hopper()", "is_hopper_or_later()")
    many = "".join(f"    step_{n}(x)\n" for n in range(60))
    said = told({CODE: patch_of(was, f"{now}\n\ndef tuned(x):\n{many}")}, "Expand what is taken")
    assert said is not None
    assert said.source == "finding"
    assert "→" in said.text["en"]


def test_a_note_to_reviewers_and_a_list_of_packages_tell_nothing() -> None:
    for note in (
        "# Keep this PR scoped to gathering, since scattering needs pages of its own.",
        "# via pages-of-azure pool",
    ):
        said = told({CODE: patch_of("send(1)\n", f"{note}\nsend(2)\n")}, "Gather pages of azure (#7)")
        assert said is None or "PR" not in said.text["en"], note


def test_of_one_that_asks_and_one_that_is_given_a_value_none_stands_for_the_other() -> None:
    was = "def plan(arch):\n    if arch == 8:\n        a = 1\n    threads = 256 if arch == 9 else 128\n"
    now = "def plan(arch):\n    if arch == 8:\n        a = 1\n    elif arch == 9:\n        threads_of_rows = 256 if one else 128\n"
    said = told({CODE: patch_of(was, now)}, "Make nine work")
    assert said is not None
    assert "`threads = 256 if arch == 9 else 128` → `elif" not in said.text["en"]


def test_of_a_kernel_what_a_parameter_is_compiled_by_is_no_mere_annotation() -> None:
    was = "def kernel(\n    stride: tl.constexpr,\n):\n    run(stride)\n"
    said = told({CODE: patch_of(was, was.replace("tl.constexpr", "tl.int64"))}, "Fix strides of long rows")
    assert said is not None
    assert "`stride: tl.constexpr,` → `stride: tl.int64,`" in said.text["en"]


def test_beside_sources_values_of_a_table_tell_nothing() -> None:
    rows = ",\n".join(f'  "{n}": {{"block": 128}}' for n in range(20))
    files = {
        "engine/configs/h20.json": patch_of("{}\n", f"{{\n{rows}\n}}\n"),
        CODE: patch_of("run(c.stride(1))\n", "run(c.stride(-1))\n"),
    }
    said = told(files, "Tune blocks of rows")
    assert said is not None
    assert "`run(c.stride(1))` → `run(c.stride(-1))`" in said.text["en"]


def test_of_a_large_diff_the_line_is_told_that_changes_alike_at_many_places() -> None:
    uses = [f"n{n} = max(req.kv_len, {n})\n" for n in range(20)]
    others = "slot = Slot(req=req, kv_len=req.kv_len, last=last)\n"
    turned = [line.replace("req.kv_len", "req.kv.kv_len") for line in uses]
    patches = {
        CODE: patch_of(others + "".join(uses), others.replace("kv_len=req.kv_len", "kv=copy(req.kv)") + "".join(turned))
    }
    said = english(patches, subject="Introduce req.kv for the kv fields of a req")
    assert said is not None
    assert "`n0 = max(req.kv_len, 0)` → `n0 = max(req.kv.kv_len, 0)` (and 19 more lines alike)" in said

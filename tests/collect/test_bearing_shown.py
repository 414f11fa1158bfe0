"""A release has a fault, or is spared, by the statements of the fix alone: never by words, namesakes or what came later."""

from __future__ import annotations

from typing import SupportsIndex

import pytest

from conftest import Collector
from daybreak.collect.git.pick_needs import unloaded
from daybreak.collect.git.standing import Text
from daybreak.core.model.changes import Exposure
from gitrepo import GitRepo

CORE = "engine/core.py"
OTHER: dict[str, str | None] = {"engine/x.py": "1\n"}
Files = dict[str, str | None]


def exposure(
    repo: GitRepo, collector: Collector, released: Files, before: Files, fix: Files, title: str = "[Bugfix] Fix it (#7)"
) -> Exposure:
    """A release, what the branch did after it, and a fix of the window."""
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Rewrite the engine (#5)", before, at="2026-01-10T10:00:00")
    sha = repo.commit(title, fix, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed[sha]


PARSED = 'def parsed(output):\n    """Split an output.\n\n{doc}    """\n    if END not in output:\n{note}        return None, output\n'
FIXED = "    if END not in output:\n        return output, None\n    return output.partition(END)\n"


@pytest.mark.parametrize(
    ("doc", "note"),
    [
        ("", ""),
        ("    Without an end of thinking (when it is switched off) all of it is content.\n", ""),
        ("", "        # Without an end nobody thought: all of it is content.\n"),
        ("    Without an end (of thinking) all of it is content.\n", "        # All of it is content here.\n"),
    ],
)
def test_words_beside_a_statement_that_came_after_a_release_do_not_spare_it(
    repo: GitRepo, collector: Collector, doc: str, note: str
) -> None:
    released, before = PARSED.format(doc="", note=""), PARSED.format(doc=doc, note=note)
    fixed = PARSED.format(doc="", note="").partition("    if END")[0] + FIXED
    assert exposure(repo, collector, {CORE: released}, {CORE: before, **OTHER}, {CORE: fixed}).has is True


CHUNK = "def chunked(self, states{parameter}):\n    staged = stage_of(states)\n    shared = self.shared_experts({given})\n    return shared\n"


@pytest.mark.parametrize(("there", "has"), [(",\n    shared_input: object | None,\n", True), ("", None)])
def test_a_function_taken_out_of_another_file_is_the_same_with_all_that_the_fix_takes_away(
    repo: GitRepo, collector: Collector, there: str, has: bool | None
) -> None:
    late = ",\n    shared_input: object | None,\n"
    rest = "".join(f"def other_{n}(self):\n    return self.part_{n}\n\n\n" for n in range(9))
    released = rest + CHUNK.format(parameter=there, given="staged")
    before: Files = {"engine/layer.py": rest, CORE: "class Runner:\n" + CHUNK.format(parameter=late, given="staged")}
    fixed = CHUNK.format(parameter=late.replace("shared_input", "full_input"), given="full_input")
    found = exposure(repo, collector, {"engine/layer.py": released}, before, {CORE: f"class Runner:\n{fixed}"})
    assert found.has is has


MAPPED = (
    "def build(size):\n{note}    projection = {layer}\n    return projection\n\n\nNAMES = names_of(build)\nSIZES = sizes_of(build)\n"
    'PACKED = {{\n    "gate_up_projection": ["gate_projection", "up_projection"],\n{entry}}}\n'
)


@pytest.mark.parametrize(("layer", "has"), [("merged_layer_of(size, size)", True), ("plain_layer_of(size)", None)])
def test_of_lines_that_only_came_and_meet_others_there_nothing_is_known(
    repo: GitRepo, collector: Collector, layer: str, has: bool | None
) -> None:
    late = "merged_layer_of(size, size)"
    released, before = (MAPPED.format(layer=one, note="", entry="") for one in (layer, late))
    entry = '    "in_projection": ["in_projection"],\n'
    fixed = MAPPED.format(layer=late, note="    # it is merged for another model\n", entry=entry)
    assert exposure(repo, collector, {CORE: released}, {CORE: before, **OTHER}, {CORE: fixed}).has is has


@pytest.mark.parametrize(
    ("title", "released", "has"),
    [
        ("[Bugfix] Fix accuracy for GLM-5 (#7)", {}, None),
        ("[Bugfix] Fix accuracy for GLM-5 (#7)", {"docs/models.md": "| glm5 |\n"}, True),
        ("[Bugfix] Fix accuracy (#7)", {}, True),
        ("[Bugfix] Fix accuracy for MLP-7 (#7)", {}, True),
    ],
)
def test_a_model_of_which_the_release_never_speaks_has_no_fault_there(
    repo: GitRepo, collector: Collector, title: str, released: Files, has: bool | None
) -> None:
    core = "def scale(values):\n    return total_of(values) / factor_of(values)\n"
    fixed = core.replace("factor_of(values)", "max(1, factor_of(values))")
    late: Files = {"tests/models.py": 'MODELS = ["zai/GLM-5"]\n'}
    assert exposure(repo, collector, {CORE: core, **released}, late, {CORE: fixed}, title).has is has


DUMP = "def dump(func, flags{takes}):\n    write_dump_of(func, flags)\n\n\ndef build(func, flags, version):\n    dump(func, flags{gives})\n"


@pytest.mark.parametrize(("takes", "has"), [("", False), (", version", True)])
def test_an_argument_that_a_function_of_the_release_does_not_take_is_not_missing_there(
    repo: GitRepo, collector: Collector, takes: str, has: bool
) -> None:
    released = DUMP.format(takes=takes, gives="").replace("flags, version):\n    dump", f"flags{takes}):\n    dump")
    before, fixed = (DUMP.format(takes=", version", gives=gives) for gives in ("", ", version"))
    assert exposure(repo, collector, {CORE: released}, {CORE: before, **OTHER}, {CORE: fixed}).has is has


def test_a_title_that_names_the_change_whose_trouble_it_mends_spares_a_release_without_that(
    repo: GitRepo, collector: Collector
) -> None:
    core = "def scale(values):\n    return total_of(values) / factor_of(values)\n"
    fixed = core.replace("factor_of(values)", "max(1, factor_of(values))")
    title = "[Bugfix] Fix some issues with the engine PR #5 (#7)"
    found = exposure(repo, collector, {CORE: core}, OTHER, {CORE: fixed}, title)
    assert (found.has, found.cause) == (False, "#5")


def test_a_line_that_only_gets_a_brace_spares_no_release_that_writes_it_with_one(
    repo: GitRepo, collector: Collector
) -> None:
    def kernel(taken: str) -> Files:
        return {
            "csrc/kernel.cuh": f"void run(int next) {{\n  while (fetch(next)) {{\n{taken}    store(next);\n  }}\n}}\n"
        }

    released = kernel("    if (last != next) {\n      turn(next);\n    }\n")
    before, fix = (
        "    if (last != next)\n      turn(next);\n",
        "    if (last != next) {\n      turn(next);\n      wait(next);\n    }\n",
    )
    assert exposure(repo, collector, released, kernel(before), kernel(fix)).has is not False


@pytest.mark.parametrize("gone", [True, False])
def test_a_revert_takes_away_calls_of_what_an_earlier_change_took_away(
    repo: GitRepo, collector: Collector, gone: bool
) -> None:
    plain, called = (
        "def load(self):\n    return self\n",
        "def load(self):\n    self.copy_weight_to_linear()\n    return self\n",
    )
    helper = "class Patch:\n    def copy_weight_to_linear(self):\n        return 1\n"
    repo.commit("Begin", {"engine/patch.py": helper, "engine/a.py": plain}, at="2026-01-05T10:00:00")
    repo.commit("Begin too", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    repo.commit("Fix vision (#4)", {"engine/a.py": called}, at="2026-01-11T10:00:00")
    after = "class Patch:\n    size = 1\n" if gone else f"{helper}\n    size = 1\n"
    cause = repo.commit("Rework convolutions (#5)", {"engine/patch.py": after}, at="2026-01-12T10:00:00")
    back = repo.commit('Revert "Fix vision" (#7)', {"engine/a.py": plain}, at="2026-01-19T10:00:00")
    found = {back: (cause, "copy_weight_to_linear")} if gone else {}
    assert collector.collect(repo).forgotten == found


def test_a_statement_that_only_moves_into_a_condition_still_decides(repo: GitRepo, collector: Collector) -> None:
    def run(body: str) -> Files:
        return {CORE: f"def run(rows):\n    for row in rows:\n{body}        count(row)\n"}

    plain, guarded = "        store_result(row)\n", "        if row.ready:\n            store_result(row)\n"
    assert exposure(repo, collector, run(plain), OTHER, run(guarded)).has is True


CHOSEN = "def supports(kind, method):\n    if kind == BLOCK:\n        return method in [\n            First.Method,\n            Shared.Renormalize,\n        ]\n    elif kind == TENSOR:\n        return {}\n"
TENSOR = "method in [\n            Second.Method,\n{}        ]"


@pytest.mark.parametrize(("released", "has"), [("method == Second.Method", False), (TENSOR, True)])
def test_lines_in_another_branch_of_the_condition_are_not_those_of_the_fix(
    repo: GitRepo, collector: Collector, released: str, has: bool
) -> None:
    before, fixed = (CHOSEN.format(TENSOR.format(row)) for row in ("            Shared.Renormalize,\n", ""))
    had = CHOSEN.format(released.format("            Shared.Renormalize,\n"))
    found = exposure(repo, collector, {CORE: had}, {CORE: before, **OTHER}, {CORE: fixed})
    assert found.has is has


def test_what_comes_below_an_empty_line_comes_at_its_own_place(repo: GitRepo, collector: Collector) -> None:
    other = "def other(rows):\n    if rows:\n        return output_of_rows\n\n    condition = len(rows) < 32\n\n\n"
    plain = (
        "def run(rows):\n    with opened(rows):\n        return output_of_rows\n\n{}    condition = len(rows) < 32\n"
    )
    fixed = other + plain.format("    if is_invariant(rows):\n        return None\n\n")
    found = exposure(repo, collector, {CORE: other + plain.format("")}, OTHER, {CORE: fixed})
    assert found.has is True


LISTED = "def supports(method):\n    return method in [\n{}    ]\n"


@pytest.mark.parametrize(("later", "has"), [({}, False), ({"engine/twin.py": None}, True)])
def test_lines_that_another_file_still_has_beside_the_fix_were_not_moved_out_of_it(
    repo: GitRepo, collector: Collector, later: Files, has: bool
) -> None:
    twin = LISTED.format("        First.Method,\n        Shared.Renormalize,\n")
    plain = LISTED.format("        Second.Method,\n")
    before = LISTED.format("        Second.Method,\n        Shared.Renormalize,\n")
    found = exposure(repo, collector, {CORE: plain, "engine/twin.py": twin}, {CORE: before, **later}, {CORE: plain})
    assert found.has is has


def test_lines_that_only_go_deeper_are_as_they_were(repo: GitRepo, collector: Collector) -> None:
    """What the release lacks among them is no part of the fault."""
    lines = [f"self.lengths_{n}.copy_to_device()" for n in range(4)]
    late = [*lines, "built = self.build_metadata(rows, self.slots_of_each_group)"]

    def run(head: str, body: list[str], depth: int) -> Files:
        return {CORE: f"def dummy_run(self, rows):\n{head}" + "".join(f"{' ' * depth}{line}\n" for line in body)}

    found = exposure(
        repo, collector, run("", lines, 4), run("", late, 4), run("    with self.synchronized():\n", late, 8)
    )
    assert found.has is True


TYPED = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from engine.x import Runner\n\n\n"
STEP = "class Steps:\n    def step(self, rows){}:\n        return self.first_of(rows)\n"


@pytest.mark.parametrize(
    ("before", "hint", "needs"),
    [
        ("", " -> Runner", ("Runner",)),
        ("", ' -> "Runner"', ()),
        ("from __future__ import annotations\n", " -> Runner", ()),
        ("Runner = object\n", " -> Runner", ()),
    ],
)
def test_a_pick_whose_heads_read_what_only_type_checkers_import_stops_as_it_is_loaded(
    repo: GitRepo, collector: Collector, before: str, hint: str, needs: tuple[str, ...]
) -> None:
    fixed = before + TYPED + STEP.format(hint).replace("first_of", "second_of")
    found = exposure(repo, collector, {CORE: before + STEP.format("")}, OTHER, {CORE: fixed})
    assert (found.has, found.needs, found.applies) == (True, needs, not needs)


@pytest.mark.parametrize(
    ("what", "lines", "stops"),
    [
        ("a field of a class in a class", "class A:\n    class B:\n        run: Runner\n", ["Runner"]),
        ("a module's own", "run: Runner\n", ["Runner"]),
        ("beside a deep condition", f"if {'a + ' * 800}a:\n    pass\ndef go(run: Runner): ...\n", ["Runner"]),
        (
            "loaded by all others",
            "if not TYPE_CHECKING:\n    from engine.x import Runner\ndef go(run: Runner): ...\n",
            [],
        ),
        (
            "loaded by some others",
            "if TYPE_CHECKING or x:\n    from engine.x import Runner\ndef go(run: Runner): ...\n",
            [],
        ),
        ("of what checkers alone see", "if TYPE_CHECKING:\n    class A:\n        run: Runner\n", []),
        ("of a function in a function", "def outer():\n    def inner(run: Runner): ...\n", []),
        ("perhaps never", "if first:\n    def inner(run: Runner): ...\n", []),
    ],
)
def test_only_types_that_are_evaluated_at_load_stop_a_file(what: str, lines: str, stops: list[str]) -> None:
    assert unloaded({}, {CORE: Text(TYPED + lines)}) == stops, what


@pytest.mark.parametrize(("name", "has"), [("Second", False), ("First", None)])
def test_a_copy_in_a_class_that_the_release_knows_nothing_of_is_not_what_it_was_copied_from(
    repo: GitRepo, collector: Collector, name: str, has: bool | None
) -> None:
    def model(path: str, title: str, prefix: str) -> Files:
        body = (
            f'class {title}:\n    def build(self, prefix):\n        return projected(prefix=f"{{prefix}}.{prefix}")\n'
        )
        return {path: body}

    released = model("engine/first.py", "First", "in_proj_ba")
    late, fixed = (model(CORE, name, prefix) for prefix in ("in_proj_ba", "in_proj_b"))
    assert exposure(repo, collector, released, late, fixed).has is has


RUNNER: Files = {"engine/runner.py": "class Runner:\n    def forward_impl(self, rows):\n        return rows\n"}


@pytest.mark.parametrize(
    ("later", "has"),
    [
        ({"engine/layer.py": "class Layer:\n    runner = Runner()\n", **RUNNER}, False),
        ({"engine/layer.py": "class Layer(Runner):\n    pass\n", **RUNNER}, None),
        ({"engine/layer.py": "class Layer(\n    Runner,\n):\n    pass\n", **RUNNER}, None),
        ({"engine/layer.py": "class Layer:\n    forward_impl = given_of(Runner)\n", **RUNNER}, True),
        (OTHER, True),
    ],
)
def test_a_call_of_what_its_file_had_in_the_release_and_lost_since_was_right_there(
    repo: GitRepo, collector: Collector, later: Files, has: bool | None
) -> None:
    layer = "class Layer:\n    def forward_impl(self, rows):\n        return rows\n"
    called = "def run_experts(self, rows):\n    return self.{}(rows.clone())\n"
    released: Files = {"engine/layer.py": layer, CORE: called.format("forward_impl")}
    found = exposure(repo, collector, released, later, {CORE: called.format("runner.forward")})
    assert found.has is has


GIVES = {"engine/setup.py": "def opened(args):\n    args.decode_size = 4\n    return args\n"}
KEYED = {"engine/setup.py": "def opened(args):\n    return Args(decode_size=4)\n"}


@pytest.mark.parametrize(
    ("later", "has"),
    [({"engine/setup.py": "def opened(args):\n    return args\n"}, False), (OTHER, True), (KEYED, True)],
)
def test_what_reads_an_attribute_that_nothing_gives_since_was_right_in_the_release(
    repo: GitRepo, collector: Collector, later: Files, has: bool
) -> None:
    sent = "def send(self, args):\n    return str({}).encode()\n"
    released: Files = {CORE: sent.format("self.args.decode_size"), **GIVES}
    found = exposure(repo, collector, released, later, {CORE: sent.format("self.attn_tp_size")})
    assert found.has is has


@pytest.mark.parametrize(("later", "applies"), [("max(1, count_of(rows))", None), ("min(1, other_of(rows))", True)])
def test_a_fix_whose_lines_a_later_change_of_the_window_replaces_is_no_pick_alone(
    repo: GitRepo, collector: Collector, later: str, applies: bool | None
) -> None:
    def both(mean: str, least: str) -> Files:
        gap = "".join(f"    step_{n}(rows)\n" for n in range(9))
        return {CORE: f"def mean(rows):\n    mean = {mean}\n{gap}    least = {least}\n    return mean, least\n"}

    was, least = "total_of(rows) / len(rows)", "min(1, count_of(rows))"
    fixed = "total_of(rows) / count_of(rows)"
    repo.tag("v1.0", repo.commit("Begin", both(was, least), at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    sha = repo.commit("[Bugfix] Fix the mean (#7)", both(fixed, least), at="2026-01-19T10:00:00")
    after = both(f"total_of(rows) / {later}", least) if applies is None else both(fixed, later)
    repo.commit("Go on with it (#8)", after, at="2026-01-19T11:00:00")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.applies) == (True, applies)


class Counted(str):
    """A file that says how often it is cut into lines."""

    __slots__ = ("cuts",)
    cuts: int

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        self.cuts = getattr(self, "cuts", 0) + 1
        return super().split(sep, maxsplit)


def test_what_each_of_many_lines_is_under_is_read_once() -> None:
    chain = "".join(f"    elif rows == {n}:\n        return total_of(rows)\n" for n in range(500))
    raw = Counted(f"def step(rows):\n    if rows:\n        return total_of(rows)\n{chain}")
    text = Text(raw)
    heads = [text.heads_of(line) for line in range(1, 1000)]
    assert heads[2] == ("if rows:", "def step(rows):")
    assert heads[4] == ("elif rows == 0:", "if rows:", "def step(rows):")
    assert max(map(len, heads)) == 100, "a chain of conditions may be as long as its file"
    assert raw.cuts < 10


def test_a_method_with_a_docstring_that_goes_stands_in_a_file_that_nobody_touched(
    repo: GitRepo, collector: Collector
) -> None:
    backwards = '    def __reversed__(self):\n        """All of it,\n        the last first."""\n        return iter(self.rows[::-1])\n'
    queue = "class Queue:\n    def put_first(self, rows):\n        self.rows.extendleft(reversed(rows))\n\n"
    fixed = queue.replace("reversed(rows)", "rows")
    assert exposure(repo, collector, {CORE: queue + backwards}, OTHER, {CORE: fixed}).has


ANSWER = "    def answer(self):\n        if self.limits is None:\n            self.limits = Limits()\n        self.limits.json_object = True\n"
ASKED = "    def answer(self):\n        self.limits = limits_of(self.format)\n"
TOOL = "def tool(request):\n    request.limits = Limits()\n    request.limits.json = schema_of(request)\n"
MENDED = "def tool(request):\n    request.limits = Limits(json=schema_of(request))\n"


@pytest.mark.parametrize(("released", "has"), [(ANSWER, True), (ASKED.replace("format", "kind"), None)])
def test_places_of_a_file_that_was_split_off_are_looked_for_beside_those_that_stayed(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    whole, part = "engine/protocol.py", "engine/chat/protocol.py"
    head = "class Request:\n"
    before: Files = {whole: None, part: head + ANSWER}
    fix: Files = {part: head + ASKED, "engine/tools.py": MENDED}
    assert exposure(repo, collector, {whole: head + released, "engine/tools.py": TOOL}, before, fix).has is has

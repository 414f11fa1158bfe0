"""Changed lines of Python: what is a statement over several lines, and what is none."""

import pytest

from analyse.test_gist import CODE, english
from daybreak.judge.arrivals import Scopes
from daybreak.judge.changed_lines import SMALL, changed_lines
from daybreak.judge.gist import gist
from read.made import change_of, patch_of, read_one


def test_a_statement_in_braces_is_one_whether_it_stands_on_one_line_or_on_three() -> None:
    old = "loras = {req.lora for req in self.batch.reqs}\n"
    new = "loras = {\n    req.lora for req in self.batch.reqs if not req.finished()\n}\n"
    said = english({CODE: patch_of(old, new)}, subject="Leave out what has ended")
    assert said is not None
    assert "→ `loras = {req.lora for req in self.batch.reqs if not req.finished()}`" in said


def test_a_value_in_brackets_is_the_same_and_the_condition_that_came_is_told() -> None:
    old = "def run(self, n):\n    mode, batch = self.dispatcher.dispatch(\n        n\n    )\n    return batch\n"
    new = (
        "def run(self, n):\n    if self.graphs:\n        mode, batch = (\n            self.dispatcher.dispatch(n)\n        )\n"
        "    else:\n        mode = NO_GRAPHS\n    return batch\n"
    )
    said = str(english({CODE: patch_of(old, new)}, subject="Fix a crash while graphs are captured"))
    assert "adds `if self.graphs:`" in said
    assert "dispatch(n))" not in said


def test_names_of_an_import_are_neither_added_nor_moved() -> None:
    listed = "from engine.layers.rotation import (\n{0}    rotate,\n{0})\n"
    old = f"{listed.format('')}\n\ndef warm(x):\n    y = x\n"
    new = f"\n\ndef warm(x):\n    {listed.format('    ')}\n    y = x\n"
    assert english({CODE: patch_of(old, new)}, subject="Import the rotation lazily") is None


def test_code_speaks_before_a_line_of_a_docstring_that_changes_alike() -> None:
    old = 'def narrow(names):\n    """Narrow a list.\n\n    ``Layer.mapping`` and is ordered\n    """\n    return Layer.mapping(names)\n'
    said = english({CODE: patch_of(old, old.replace("Layer.mapping", "layer_mapping"))}, subject="Fix the call sites")
    assert said == "Changed lines: `return Layer.mapping(names)` → `return layer_mapping(names)` in `narrow`"


def test_a_line_that_went_in_one_file_is_not_the_one_that_came_in_another() -> None:
    call = "def project(self, x):\n    return bmm(\n        x,\n        {},\n        True,\n    )\n"
    fake = "def register_fake(\n    scale,\n{}    packed,\n):\n    return empty(packed, scale)\n"
    change = {
        "engine/graph.py": patch_of(fake.format(""), fake.format("    weight_scale,\n")),
        "engine/forward.py": patch_of(
            call.format("self.weight_scale"), call.format("self.scales() if self.fp8 else None")
        ),
    }
    said = english(change, subject="Fix arguments") or ""
    assert "`self.weight_scale,` → `weight_scale," not in said


def test_a_line_that_says_the_same_and_more_is_that_line_and_not_a_removal() -> None:
    call = "def project(self, x):\n    return bmm(\n        x,\n        {},\n        True,\n    )\n"
    longer = "self.scale if self.projection_with_rope_is_fp8 else None"
    said = english({CODE: patch_of(call.format("self.scale"), call.format(longer))}, subject="Fix arguments") or ""
    assert "removes" not in said
    hunk = "@@ -9,3 +9,3 @@ class Mixin:\n         x,\n-        self.scale,\n+        self.scale if self.rope_is_fp8 else None,\n         True,\n"
    assert "`self.scale,` → `self.scale if self.rope_is_fp8 else None,`" in str(english({CODE: hunk}, subject="Fix it"))


def test_a_check_that_a_fix_takes_away_is_its_sentence_though_it_holds_words() -> None:
    before = 'def split(a, b):\n    assert a * 2 == b, "tokens are not padded correctly"\n    return a\n'
    change = change_of(
        {"engine/split.py": patch_of(before, "def split(a, b):\n    return a\n")}, subject="[BugFix] Split"
    )
    found = changed_lines(change)
    assert found is not None
    assert "removes `assert a * 2 == b" in found.text["en"]


def test_a_cast_that_goes_is_told_before_what_follows_from_it() -> None:
    before = "bias = correction\nif bias is not None:\n    bias = bias.to(torch.bfloat16)\nrun(bias=bias)\n"
    change = change_of({"engine/moe.py": patch_of(before, "run(bias=correction)\n")}, subject="Fix precision (#7)")
    found = changed_lines(change)
    assert found is not None
    assert ".to(torch.bfloat16)" in found.text["en"]


@pytest.mark.parametrize(("lines", "shown"), [(30, True), (60, False)])
def test_a_small_diff_that_nothing_else_tells_shows_its_best_line(lines: int, shown: bool) -> None:
    new = "".join(f"value_{n} = compute_{n}({n})\n" for n in range(lines))
    change = change_of({"engine/other.py": patch_of("", new)}, subject="[AMD] Follow (#7)")
    assert changed_lines(change) is None
    assert (changed_lines(change, 1, last=SMALL) is not None) is shown


def test_of_a_tool_alone_its_lines_are_shown_where_nothing_else_tells() -> None:
    patch = patch_of("rate = size / latency\n", "rate = size / (latency - first)\n")
    change = change_of({"engine/test/bench_one.py": patch}, subject="Measure (#7)")
    assert gist(change, read_one(change)) is not None


def test_two_strokes_divide_in_python_and_begin_no_comment() -> None:
    old = "def area(h, w, scale):\n    size = (h // scale) * (w // scale)\n\n    rate = shift(\n        size,\n    )\n"
    said = english({CODE: patch_of(old, old.replace("// scale", "// (scale * 2)"))}, subject="Fix what comes out")
    assert said is not None
    assert "`size = (h // scale) * (w // scale)` → `size = (h // (scale * 2)) * (w // (scale * 2))`" in said
    assert "rate" not in said


def test_an_argument_is_shown_with_the_if_and_else_of_its_value() -> None:
    rows = "".join(f"    option_{n}=option_{n},\n" for n in range(12))
    old = f"make(\n{rows}    factor=factor,\n{rows.replace('option', 'other')})\n"
    new = old.replace("    factor=factor,", "    factor=factor\n    if not late\n    else 1.0,")
    said = english({CODE: patch_of(old, new)}, subject="Fix a drop")
    assert said == "Changed lines: `factor=factor,` → `factor=factor if not late else 1.0,`"


def test_the_if_of_a_value_is_never_left_out_between_its_lines_though_it_reads_like_words() -> None:
    rows = "".join(f"    option_{n}=option_{n},\n" for n in range(12))
    old = f"make(\n{rows}    out=held[:, 0]\n    if held is not None\n    else None,\n)\n"
    new = old.replace("held", "self.draft_rows")
    said = english({CODE: patch_of(old, new)}, subject="Fix rows that are not held")
    assert said is not None
    assert "`out=self.draft_rows[:, 0] if self.draft_rows is not None else None,`" in said


def test_lines_with_a_gap_between_them_are_not_shown_as_one() -> None:
    old = "make(\n    out=rows[0]\n    # where the caller has asked for it and is not late\n    else None,\n)\n"
    said = english({CODE: patch_of(old, old.replace("rows", "held"))}, subject="Fix rows that are not held")
    assert "held[0] else" not in (said or "")


def test_a_condition_that_came_is_shown_with_what_follows_from_it() -> None:
    old = "def shape(item):\n    return item\n"
    new = 'def shape(item):\n    if item is None:\n        item = data["sizes"]\n    return item\n'
    said = english({CODE: patch_of(old, new)}, subject="Accept sizes")
    assert said == 'Changed lines: adds `if item is None: item = data["sizes"]` in `shape`'


def test_another_loop_head_is_told_before_lines_in_which_only_names_and_places_differ() -> None:
    old = (
        "for (int d = 0; d < dim; ++d) {\n  sum += to_float(query[d]) * to_float(keys[d]);\n"
        "  top += to_float(query[d]) / to_float(rows[d]);\n}\n"
    )
    new = old.replace("d = 0", "d = lane").replace("query[d]", "held[d - lane]")
    change = change_of({"csrc/demo.cu": patch_of(old, new)}, subject="Sum query and keys by lane")
    found = changed_lines(change, 1)
    assert found is not None
    assert "`for (int d = lane; d < dim; ++d) {`" in found.text["en"]


def test_the_head_of_a_new_function_is_told_behind_what_calls_it() -> None:
    many = "".join(f"    value_{n} = compute_{n}({n})\n" for n in range(12))
    new = f"gate = fused_gate_mul(gate, rows)\n\n\ndef fused_gate_mul(gate, rows):\n{many}    return gate\n"
    change = change_of({"engine/gate.py": patch_of("", new)}, subject="Fuse gate and mul into fused_gate_mul")
    found = changed_lines(change)
    assert found is not None
    assert "adds `gate = fused_gate_mul(gate, rows)`" in found.text["en"]


def test_of_long_lines_that_differ_at_both_ends_the_largest_difference_is_seen() -> None:
    call = "isinstance(self.method, FusedMethodOfTheFirstKind)"
    old = f"self.scale = ({call} or self.uses_the_second_kind_of_method and self.one)\n"
    new = f"self.scale = (({call} and not runs_without_a_fused_sum_at_the_end()) or self.uses_the_second_kind_of_method and self.two)\n"
    said = english({CODE: patch_of(old, new)}, subject="Fix a factor")
    assert said is not None
    assert "and not runs_without_a_fused_sum_at_the_end()" in said


def test_what_stands_below_a_mere_declaration_is_not_in_it() -> None:
    scopes = Scopes("void quant_experts(")
    rows = ["    Tensor const& output,", "    Tensor const& scale);", "#endif", "", "#if defined(ENABLE_SM120)"]
    assert [scopes.at(row) for row in rows][-1] == ""
    body = Scopes("void quant_experts(")
    assert [body.at(row) for row in ("    Tensor const& scale) {", "  run(scale);", "#if defined(X)")][
        -1
    ] == "quant_experts"


def test_a_condition_that_turns_round_inside_a_bracket_is_told_with_what_it_was() -> None:
    old = "if (\n    self.free(running) <= 0\n    and self.chunked_req is not None\n):\n    self.full = True\n"
    said = english({CODE: patch_of(old, old.replace("is not None", "is None"))}, subject="Fix a hang of the scheduler")
    assert said is not None
    assert "`and self.chunked_req is not None` → `and self.chunked_req is None`" in said


def test_what_is_logged_and_a_variable_with_another_name_stand_for_no_fix() -> None:
    old = "def step(self, text):\n    result = self.parse(text)\n    use(result)\n    return result\n"
    new = (
        "def step(self, text):\n    delta = self.parse(text)\n    logger.debug(f'step of delta: {delta}')\n    use(delta)\n"
        "    if delta.is_empty:\n        return None\n    return delta\n"
    )
    said = english({CODE: patch_of(old, new)}, subject="Fix an empty delta of a step")
    assert said is not None
    assert "adds `if delta.is_empty: return None`" in said
    assert "logger" not in said
    assert "result" not in said


@pytest.mark.parametrize(
    ("deep", "head", "block"),
    [
        ("    ", "if request.ended", "runs only under `request.ended` from now on"),
        ("        ", "if request.ended", "no longer runs only under `request.ended`"),
        ("    ", "with request.lock", "stands in an inner block from now on"),
        ("        ", "with request.lock", "stands in an outer block from now on"),
    ],
)
def test_a_statement_in_another_block_is_told_with_the_condition_of_that(deep: str, head: str, block: str) -> None:
    other = {"    ": "        ", "        ": "    "}[deep]
    lines = f"for request in requests:\n    {head}:\n        data = request.data\n{{0}}pooled.append(data)\n"
    said = english({CODE: patch_of(lines.format(deep), lines.format(other))}, subject="Fix what is pooled")
    assert said == f"Changed lines: `pooled.append(data)` {block}"


def test_what_was_done_in_any_case_and_is_now_the_else_of_a_condition_is_told_with_that_condition() -> None:
    old = "def load(scale, shards):\n    scale.fill(0)\n    return scale\n"
    new = (
        "def load(scale, shards):\n    if isinstance(shards, tuple):\n        for shard in shards:\n            scale.fill(shard)\n"
        "    else:\n        scale.fill(0)\n    return scale\n"
    )
    said = english({CODE: patch_of(old, new)}, subject="Fix the load of tuples")
    assert said is not None
    assert "`scale.fill(0)` → `for shard in shards: scale.fill(shard)` where `isinstance(shards, tuple)`" in said


def test_what_still_stands_in_the_else_is_not_replaced_by_something_else_under_the_condition() -> None:
    old = "def stream(reasons, kind, reason):\n    reasons[0] = reason\n    return reasons\n"
    new = (
        "def stream(reasons, kind, reason):\n    if kind == 'abort':\n        code = reason.get('status', 500)\n        send(code)\n"
        "    else:\n        reasons[0] = reason\n    return reasons\n"
    )
    said = english({CODE: patch_of(old, new)}, subject="Return the abort of a stream")
    assert said is not None
    assert "→" not in said
    assert "adds `if kind == 'abort': code = reason.get('status', 500)`" in said


def test_what_one_name_is_given_far_apart_is_no_turn() -> None:
    came = "@@ -20,2 +20,3 @@ class Model:\n     first()\n+            name = remap_scale_name(name, held)\n     second()\n"
    went = "@@ -90,3 +91,2 @@ class Model:\n     third()\n-            name = remapped_scale_name\n     fourth()\n"
    said = english({CODE: came + went}, subject="Fix scales that are not loaded")
    assert said is not None
    assert "→" not in said


@pytest.mark.parametrize(("turned", "told"), [(False, "no longer holds"), (True, "holds")])
def test_of_a_long_list_that_is_told_which_came_into_it_or_went_out_of_it(turned: bool, told: str) -> None:
    rows = {"long": '".k_scale",\n    ".v_scale",\n    ', "short": ""}
    long, short = (
        f'ignored = (\n    ".bias",\n    {row}".weight_scale",\n    ".input_scale_of_all_layers",\n)\n'
        for row in rows.values()
    )
    said = english({CODE: patch_of(short, long) if turned else patch_of(long, short)}, subject="Fix the load of scales")
    assert said is not None
    assert f'`ignored` {told} `".k_scale", ".v_scale"`' in said


def test_a_file_that_names_what_the_title_names_comes_before_one_that_follows() -> None:
    cause = "@@ -5,3 +5,3 @@\n answer = self.reply_format\n-self.limits = Limits()\n+self.limits = limits_of(given)\n"
    other = "@@ -9,2 +9,2 @@\n-if limits.all_are_open():\n+if isinstance(limits, Limits) and limits.all_are_open():\n go()\n"
    said = english({"engine/answers.py": other, "engine/request.py": cause}, subject="Fix crash with a reply_format")
    assert said is not None
    assert said.startswith("Changed lines: `self.limits = Limits()` → `self.limits = limits_of(given)`")


def test_of_a_list_what_the_title_names_tells_more_than_a_line_that_came() -> None:
    went = '@@ -5,6 +5,4 @@\n ignored = (\n     ".bias_of_all",\n-    ".k_scale",\n-    ".v_scale",\n     ".weight_scale",\n     ".input_scale",\n'
    came = (
        '@@ -90,2 +89,4 @@\n first()\n+if "scale" in name:\n+    name = remap_scale_of_cache(name, held)\n second()\n'
    )
    found = changed_lines(change_of({CODE: went + came}, subject="Fix k_scale that is not loaded"), 1)
    assert found is not None
    assert found.text["en"] == 'Changed lines: `ignored` no longer holds `".k_scale", ".v_scale"`'


def test_an_else_that_came_with_its_condition_and_did_nothing_before_is_no_turn() -> None:
    old = "def load(scale, shards):\n    return scale\n"
    new = "def load(scale, shards):\n    if shards:\n        scale.fill(1)\n    else:\n        scale.fill(0)\n    return scale\n"
    said = english({CODE: patch_of(old, new)}, subject="Fill the scale")
    assert said is None or "→" not in said


def test_a_new_name_in_a_line_is_told_with_what_it_holds() -> None:
    old = "def attend(self, key):\n    return call(key, heads=self.heads)\n"
    new = "def attend(self, key):\n    heads = key.shape[1]\n    return call(key, heads=heads)\n"
    said = english({CODE: patch_of(old, new)}, subject="Fix the count")
    assert said is not None
    assert "`return call(key, heads=self.heads)` → `return call(key, heads=heads)`, with `heads = key.shape[1]`" in said


def test_of_a_fix_lines_tell_more_than_a_comment_that_is_gone() -> None:
    old = "# Skip the lock when paused: readers are blocked, so no request can race.\nlock = nullcontext()\n"
    said = english({CODE: patch_of(old, "lock = self.writer_lock\n")}, subject="Fix a race of the paused lock")
    assert said is not None
    assert "`lock = nullcontext()` → `lock = self.writer_lock`" in said


@pytest.mark.parametrize("shared", ["path, revision=revision", "path"])
def test_a_call_that_only_lost_an_argument_is_a_changed_call_and_no_removed_one(shared: str) -> None:
    old = f"def load(path):\n    cls = fetch_class({shared}, trusted=trusted)\n    return cls\n"
    new = f"def load(path):\n    ask_first(trusted, path)\n    cls = fetch_class({shared})\n    return cls\n"
    said = english({CODE: patch_of(old, new)}, subject="Ask before code is fetched")
    assert said is not None
    assert "removes `" not in said
    assert f"`cls = fetch_class({shared}, trusted=trusted)` → `cls = fetch_class({shared})`" in said


def test_a_call_that_moved_within_its_function_and_gained_an_argument_is_one_call() -> None:
    kept = "".join(f"    step_{n} = {n}\n" for n in range(9))
    old = f"def load(path):\n    fill(path, rows)\n{kept}    return path\n"
    new = f"def load(path):\n{kept}    fill(path, rows, late=is_late_when_all_of_it_came(path))\n    return path\n"
    said = english({CODE: patch_of(old, new)}, subject="Fill late")
    assert said is not None
    assert "`fill(path, rows)` → `fill(path, rows, late=is_late_when_all_of_it_came(path))`" in said


def test_a_long_statement_whose_first_line_stays_was_not_removed() -> None:
    rows = "".join(f"            {name}\n" for name in ("first,", "second,", "third,", "fourth,"))
    old = f"ids = pad(\n    rows=[\n        tensor(\n            data=(list(\n{rows}            )),\n        )\n    ],\n)\n"
    new = old.replace("data=(list(", "data=[\n            token for token in (").replace(
        "            )),", "            | more_of_them(first)\n            ) if token is not None\n            ],"
    )
    said = english({CODE: patch_of(old, new)}, subject="Fix the end")
    assert said is None or "removes `ids" not in said


def test_a_condition_whose_part_is_asked_on_a_line_of_its_own_did_not_change() -> None:
    old = "node = node_of(args)\nif node is not None and not envs.BIND.get():\n    bind_to(node)\n"
    new = "if not envs.BIND.get():\n    node = node_of(args)\n    if node is not None:\n        bind_to(node)\n"
    found = changed_lines(change_of({CODE: patch_of(old, new)}, subject="Fix extra calls of node_of"))
    assert found is not None
    assert found.text["en"] == "Changed lines: `node = node_of(args)` runs only under `not envs.BIND.get()` from now on"


def test_a_condition_that_loses_a_part_which_nobody_asks_any_more_is_another() -> None:
    old = "if node is not None and not envs.BIND.get():\n    bind_to(node)\n"
    found = changed_lines(change_of({CODE: patch_of(old, old.replace("node is not None and ", ""))}, subject="Fix it"))
    assert found is not None
    assert "`if not envs.BIND.get()` no longer asks `node is not None`" in found.text["en"]


FLAG = "def warm(\n    rows: int,\n    skip_attn: bool = {},\n):\n{}    return run(rows, skip_attn)\n"
ERROR = '    if skip_attn and not rows:\n        raise ValueError("skip_attn must only be True for the first warm-up of it.")\n'
NOTE = "    # Take the rows of this step as the input of the next step of it\n    rows = rows + 1\n"


@pytest.mark.parametrize("beside", [ERROR, NOTE], ids=["a new error", "a comment"])
def test_in_a_fix_another_default_is_told_before_a_new_error_or_a_comment(beside: str) -> None:
    patch = patch_of(FLAG.format("True", ""), FLAG.format("False", beside))
    change = change_of({CODE: patch}, subject="Fix the warm-up by skip_attn=False")
    found = gist(change, read_one(change))
    assert found is not None
    assert "`skip_attn: bool = True,` → `skip_attn: bool = False,`" in found.text["en"]


def test_in_a_fix_a_comment_that_says_what_went_wrong_is_told_before_a_value() -> None:
    note = "    # The rows were read while another stream wrote them: wrong results of the warm-up\n"
    patch = patch_of(FLAG.format("True", ""), FLAG.format("False", note))
    change = change_of({CODE: patch}, subject="Fix the warm-up rows")
    found = gist(change, read_one(change))
    assert found is not None
    assert found.source == "comment"


def test_a_commit_of_source_and_tests_is_told_by_the_source() -> None:
    checks = (
        'def test_layer():\n    """For one rank alone, the other test of this layer is the one to use instead."""\n'
    )
    patches = {
        CODE: patch_of("ROUTES = (\n    Route.plain,\n    Route.fast,\n)\n", "ROUTES = (\n    Route.plain,\n)\n")
    }
    change = change_of({**patches, "tests/test_layer.py": patch_of("", checks)}, subject="[Refactor][Test] Layer test")
    found = gist(change, read_one(change))
    assert found is not None
    assert "`ROUTES` no longer holds `Route.fast`" in found.text["en"]


def test_a_condition_that_went_is_told_with_what_went_with_it() -> None:
    old = "def check(config):\n    if config.lora is not None:\n        config.mode = NONE\n    return config\n"
    said = english(
        {CODE: patch_of(old, "def check(config):\n    return config\n")}, subject="Support LoRA when compiled"
    )
    assert said == "Changed lines: removes `if config.lora is not None: config.mode = NONE` in `check`"


def test_the_function_of_two_lines_is_named_once() -> None:
    old = "def build(self):\n    heads = self.heads\n    first(heads)\n    groups = self.groups\n    return groups\n"
    new = old.replace("self.heads", "self.local_heads").replace("self.groups", "min(self.groups, 8)")
    said = english({CODE: patch_of(old, new)}, subject="Fix the counts")
    assert said is not None
    assert said.count(" in `build`") == 1


@pytest.mark.parametrize(
    "given",
    [
        "    if wide:\n        heads = key.shape[1]\n",
        "    heads = key.shape[1]\n    step(key)\n    heads = key.shape[2]\n",
    ],
)
def test_what_a_name_holds_is_not_told_where_it_holds_that_only_sometimes(given: str) -> None:
    old = "def attend(self, key):\n    return call(key, heads=self.heads)\n"
    new = f"def attend(self, key):\n{given}    return call(key, heads=heads)\n"
    said = english({CODE: patch_of(old, new)}, subject="Fix the count")
    assert said is not None
    assert ", with `heads" not in said


def test_a_value_that_got_a_condition_is_told_old_and_new_though_its_line_reads_like_words() -> None:
    old = "class Layer:\n    @property\n    def gate(self):\n        return self._gate\n\n    def run(self):\n        return 1\n"
    new = old.replace("return self._gate", "return self._gate if self.use_overlapped else None")
    said = english({CODE: patch_of(old, new)}, subject="Fix some issues")
    assert said is not None
    assert "`return self._gate` → `return self._gate if self.use_overlapped else None`" in said


def test_a_check_that_came_beside_a_repair_is_not_what_was_mended() -> None:
    old = "def run(states, shared):\n    staged = stage(states)\n    out = experts(staged)\n    return out\n"
    new = (
        "def run(states, shared):\n    staged = stage(states)\n    shared = shared if shared is not None else staged\n"
        "    assert separate or self.experts is None\n    out = experts(shared)\n    return out\n"
    )
    found = changed_lines(change_of({CODE: patch_of(old, new)}, subject="Fix chunking"), 1)
    assert found is not None
    assert "assert" not in found.text["en"]


@pytest.mark.parametrize(
    ("path", "line", "remark"),
    [
        ("requirements/gpu.txt", "ray[graph]>=2.48.0", " # Compiled graphs, required for the pipeline in version 1."),
        (
            "requirements.txt",
            "engine @ git+https://example.org/engine#egg=engine",
            "  # for tests of the pipeline only",
        ),
        ("engine/run.py", "limit = steps * 2", "  # as many as the pipeline can hold at any one time"),
        ("csrc/run.cu", "int limit = steps * 2;", "  // as many as the pipeline can hold at any one time"),
    ],
)
def test_a_line_of_which_only_the_remark_behind_it_goes_or_comes_did_not_change(
    path: str, line: str, remark: str
) -> None:
    bare, remarked = f"a = 1\n{line}\nb = 2\n", f"a = 1\n{line}{remark}\nb = 2\n"
    for old, new in ((bare, remarked), (remarked, bare)):
        change = change_of({path: patch_of(old, new)}, subject="Remarks of the pipeline")
        assert changed_lines(change, last=SMALL) is None


def test_a_first_value_is_paired_with_the_first_value_and_not_with_what_changed_it() -> None:
    old = ["-    port = args.port + random.randint(100, 1000)", "-    while taken(port):", "-        port += 42"]
    patch = "\n".join(
        [
            "@@ -1,5 +1,3 @@ def choose(args):",
            " def choose(args):",
            *old,
            "+    port = get_free_port()",
            "     return port",
        ]
    )
    said = str(english({"engine/ports.py": patch}, subject="Use a port of the system"))
    assert "`port = args.port + random.randint(100, 1000)` → `port = get_free_port()`" in said

"""Values that a program writes itself: told where a constant stands for another one, in a setting or in an answer."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

CONFIG, SERVING, INNER = "vllm/config/engine.py", "vllm/entrypoints/openai/serving.py", "vllm/v1/core/loop.py"
SETS = 'def finish(self, backend):\n    if backend == "tier":\n        self.transfer_config.connector = {}\n'
ANSWERS = "def answer(text):\n    return Choice(message=ChatMessage(role='a', content=text if text else {}))\n"
OWN = "class EngineArgs:\n    def settle(self):\n        if self.model:\n            self.backend = {}\n"

UNSET = "class EngineArgs:\n    def _resolve_default_backend(self):\n        if cuda():\n            return {0}\n        return {0}\n"


@pytest.mark.parametrize(
    ("what", "path", "text", "before", "after", "expected"),
    [
        ("another connector", CONFIG, SETS, '"One"', '"Two"', [("connector", '"One"', '"Two"')]),
        ("the same in other quotes", CONFIG, SETS, '"One"', "'One'", []),
        ("what is computed now", CONFIG, SETS, '"One"', "choose(self)", []),
        ("a setting of the class itself", CONFIG, OWN, '"one"', '"two"', [("backend", '"one"', '"two"')]),
        ("what a setting is where nobody sets it", CONFIG, UNSET, '"one"', '"two"', [("backend", '"one"', '"two"')]),
        ("what a setting is where nobody sets it, computed", CONFIG, UNSET, '"one"', "choose()", []),
        ("a state inside", INNER, OWN.replace("EngineArgs", "Loop"), "1", "2", []),
        ("a field of an answer", SERVING, ANSWERS, "None", '""', [("ChatMessage.content", "text if text else None", 'text if text else ""')]),
        ("the same answer", SERVING, ANSWERS, "None", "(None)", []),
    ],
)  # fmt: skip
def test_a_constant_that_a_program_writes(
    what: str, path: str, text: str, before: str, after: str, expected: list[tuple[str, str, str]]
) -> None:
    found = read({path: text.format(before)}, {path: text.format(after)}, project="vllm-project/vllm")
    assert [(f.symbol, f.before, f.after) for f in found if f.kind == "written_changed"] == expected, what


LEVEL = "class ServerArgs:\n    parser: str = 'auto'\n\n    def settle(self):\n        self.check()\n{}\n    def rest(self):\n        pass\n"
STRICT = "        if self.parser == 'two' and not envs.ENGINE_LEVEL.is_set():\n            envs.ENGINE_LEVEL.set(Level.HIGH)\n"


def test_a_variable_that_the_program_sets_for_itself_under_a_condition() -> None:
    path, said = "vllm/engine/server_args.py", "Level.HIGH if self.parser == 'two' and not envs.ENGINE_LEVEL.is_set()"
    sides = ({path: LEVEL.format(STRICT)}, {path: LEVEL.format("")})
    for before, after, kind, values in (
        (*sides, "filled_removed", (said, None)),
        (*sides[::-1], "filled_added", (None, said)),
    ):
        found = [f for f in read(before, after) if f.kind == kind]
        assert [(f.symbol, f.before, f.after) for f in found] == [("ENGINE_LEVEL", *values)]
    measured = LEVEL.format(STRICT.replace("envs.ENGINE_LEVEL.set", "metrics.QUEUE_SIZE.set"))
    assert not [f for f in read(sides[1], {path: measured}) if f.kind == "filled_added"], "no variable"
    declared = {"vllm/engine/environ.py": "ENGINE_LEVEL = Level(0)\n"}
    gone = read(sides[0] | declared, sides[1] | {"vllm/engine/environ.py": "OTHER = 1\n"})
    assert not [f for f in gone if f.kind == "filled_removed"]


ARGS = "class ServerArgs:\n    layout: str = 'auto'\n    io: str = 'x'\n\n    def settle(self):\n        self.check()\n{}\n    def rest(self):\n        pass\n"
FILL = "        if self.layout == 'auto' and self.io == 'kernel' and is_hip():\n            self.layout = 'first'\n"
DEEP = (
    f"        if self.model in [{', '.join(repr(f'FirstOfManyModels{n}') for n in range(8))}]:\n"
    "            if self.io == 'kernel':\n                self.layout = 'first'\n"
)
PART = "        if self.io == 'kernel':\n            self.graph_config.prefill.backend = Backend.OFF\n"
USED = "        if self.io:\n            self.graph_config.prefill.backend = use()\n"
SAID = "'first' if self.layout == 'auto' and self.io == 'kernel' and is_hip()"


@pytest.mark.parametrize("written", ['setattr(self, "layout", {})', 'object.__setattr__(self, "layout", {})'])
def test_a_setting_that_is_written_by_its_name_in_a_text_is_the_same_setting(written: str) -> None:
    path = "vllm/config/args.py"
    plain, named = ARGS.format(FILL), ARGS.format(FILL.replace("self.layout = 'first'", written.format("'first'")))
    assert named != plain
    assert read({path: named}, {path: plain}, project="vllm-project/vllm") == ()
    other = named.replace("'first'", "'last'")
    found = read({path: named}, {path: other}, project="vllm-project/vllm")
    assert [(f.kind, f.symbol, f.before, f.after) for f in found] == [
        ("written_changed", "layout", "'first'", "'last'")
    ]


CHAIN = "        if self.io == 'a':\n            self.check()\n        elif self.io == 'b':\n            self.rest()\n"
ARM = "        elif self.io == 'kernel':\n            if is_hip():\n                self.layout = 'first'\n"
NESTED = "        if self.io is None:\n            if is_hip():\n                self.io = Limits.SMALL_IO\n            else:\n                self.io = usual()\n"


def test_a_value_that_is_forced_breaks_who_chose_another_but_not_for_a_model_that_comes_with_it() -> None:
    forced = "        if self.model in ['OldForCausalLM']:\n            self.layout = 'first'\n"
    path, model = "vllm/config/args.py", "vllm/models/new_one.py"
    found = read({path: ARGS.format("")}, {path: ARGS.format(forced)}, project="vllm-project/vllm")
    assert [(f.symbol, mark_of(f)) for f in found if f.kind == "filled_added"] == [("layout", "breaks")]
    came = {path: ARGS.format(forced.replace("Old", "New")), model: "class NewForCausalLM:\n    pass\n"}
    assert not [f for f in read({path: ARGS.format("")}, came, project="vllm-project/vllm") if f.kind == "filled_added"]
    fresh = ARGS.format("        if self.shards:\n            self.layout = 'first'\n").replace(
        "    io:", "    shards: int = 0\n    io:"
    )
    assert not [f for f in read({path: ARGS.format("")}, {path: fresh}) if f.kind == "filled_added"], "a new setting"


READY = "class HybridConfig:\n    @classmethod\n    def {}(cls, {}):\n        cache_config = vllm_config.cache_config\n{}        cls.check(vllm_config)\n"
OFF = "        if cache_config.scales:\n            cache_config.scales = False\n"


@pytest.mark.parametrize(
    ("path", "name", "given", "told"),
    [
        ("vllm/model_executor/models/config.py", "verify_and_update_config", "vllm_config", True),
        ("vllm/platforms/cuda.py", "apply_platform_defaults", "vllm_config", True),
        ("vllm/platforms/cuda.py", "update_config", "step", False),
        ("vllm/platforms/cuda.py", "forward", "vllm_config", False),
        ("tests/config.py", "verify_and_update_config", "vllm_config", False),
    ],
)
def test_a_function_that_makes_configurations_ready_chooses_what_users_left_out(
    path: str, name: str, given: str, told: bool
) -> None:
    before, after = (
        {path: READY.format(name, given, more).replace("class HybridConfig", "class Hybrid")} for more in ("", OFF)
    )
    found = [f for f in read(before, after, project="vllm-project/vllm") if f.kind == "filled_added"]
    expected = [("scales", "False if cache_config.scales", "breaks")] if told else []
    assert [(f.symbol, f.after, mark_of(f)) for f in found] == expected
    declared = {"vllm/config/cache.py": "class CacheConfig:\n    scales: bool = False\n"}
    known = {"vllm/config/cache.py": "class CacheConfig:\n    other: bool = False\n"}
    assert not [f for f in read(before | known, after | declared) if f.kind == "filled_added"], "it comes with it"


@pytest.mark.parametrize(
    ("asked", "value", "mark"),
    [
        ("self.sequence_parallel and self.tensor_parallel_size == 1", "False", None),
        ("self.sequence_parallel and self.tensor_parallel_size == 16", "False", "breaks"),
        ("self.sequence_parallel and (self.old or self.tensor_parallel_size == 1)", "False", "breaks"),
        ("self.sequence_parallel and self.batch_size == 1", "False", "breaks"),
        ("self.sequence_parallel and self.tensor_parallel_size == 1", "4", "breaks"),
    ],
)
def test_what_is_shared_between_several_does_nothing_where_there_is_one(
    asked: str, value: str, mark: str | None
) -> None:
    path, form = "vllm/config/args.py", ARGS.replace("    io:", "    sequence_parallel: bool = False\n    io:")
    off = form.format(f"        if {asked}:\n            self.sequence_parallel = {value}\n")
    found = read({path: form.format("")}, {path: off}, project="vllm-project/vllm")
    assert [(f.symbol, mark_of(f)) for f in found if f.kind == "filled_added"] == [("sequence_parallel", mark)]
    alone = off.replace("sequence_parallel", "caching")
    found = read(
        {path: form.format("").replace("sequence_parallel", "caching")}, {path: alone}, project="vllm-project/vllm"
    )
    assert [mark_of(f) for f in found if f.kind == "filled_added"] == ["breaks"], "what one alone has as well"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a value on one platform", "", FILL, [("filled_added", "layout", None, SAID)]),
        ("by a name, where nobody sets it", "", NESTED, [("filled_added", "io", None, "Limits.SMALL_IO if self.io is None and is_hip()")]),
        ("in a chain, by its own arm", CHAIN, CHAIN + ARM, [("filled_added", "layout", None, "'first' if self.io == 'kernel' and is_hip()")]),
        ("under many conditions, by the innermost", "", DEEP, [("filled_added", "layout", None, "'first' if … and self.io == 'kernel'")]),
        ("no value on one platform any more", FILL, "", [("filled_removed", "layout", SAID, None)]),
        ("its own value again where nobody set it", "        if self.layout == 'auto':\n            if is_hip():\n                self.layout = 'auto'\n", "", []),
        ("an arm of a chain: the next one is as it was", f"{FILL}        elif is_cuda():\n            self.layout = 'second'\n", "        if is_cuda():\n            self.layout = 'second'\n", [("filled_removed", "layout", SAID, None)]),
        ("the next arm is for another value", f"{FILL}        elif self.io == 'b':\n            self.layout = 'second'\n", "        if self.io == 'b':\n            self.layout = 'second'\n", [("filled_removed", "layout", SAID, None)]),
        ("in the other branch of a condition", FILL, "        if self.io != 'kernel':\n            self.check()\n        else:\n            self.layout = 'first'\n", []),
        ("another setting in its place", FILL, FILL.replace("self.layout = 'first'", "self.layers = 2"), [("filled_replaced", "layout", SAID, "layers = 2")]),
        ("of a part of a configuration, with the part's name", FILL + PART + USED, FILL + USED, [("filled_removed", "prefill.backend", "Backend.OFF if self.io == 'kernel'", None)]),
        ("in other words", FILL, FILL.replace("self.layout == 'auto'", "('auto' == self.layout)"), []),
        ("under another condition", FILL, FILL.replace("is_hip()", "is_npu()"), []),
        ("a value for everybody", "", "        self.layout = 'first'\n", []),
        ("a setting that comes with it", "", FILL.replace("self.layout =", "self.other ="), []),
    ],
)  # fmt: skip
def test_a_value_that_a_setting_gets_under_a_condition(
    what: str, before: str, after: str, expected: list[tuple[str, str, str | None, str | None]]
) -> None:
    path = "python/sglang/srt/server_args.py"
    found = read({path: ARGS.format(before)}, {path: ARGS.format(after)}, project="sgl-project/sglang")
    assert [(f.kind, f.symbol, f.before, f.after) for f in found if f.kind.startswith("filled")] == expected, what


OVER = "        if self.layout == 'small':\n            self.layout = 'wide'\n"
KNOWN = "        if self.layout == 'small':\n            self.check()\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a value that could be chosen", KNOWN, KNOWN + OVER, ["'small'"]),
        ("one more of them", KNOWN + OVER + "        self.rest('tall')\n", KNOWN + OVER.replace("== 'small'", "in ['small', 'tall']") + "        self.rest('tall')\n", ["'tall'"]),
        ("what leaves the choice to the program", KNOWN, KNOWN + OVER.replace("== 'small'", "== 'auto'"), []),
        ("under what another setting says", KNOWN, KNOWN + OVER.replace("self.layout == 'small'", "self.io == 'small'"), []),
        ("what a file of a model says", KNOWN, KNOWN + OVER.replace("self.layout", "hf_config.layout"), []),
        ("as before", KNOWN + OVER, KNOWN + OVER.replace("self.layout == 'small'", "'small' == self.layout"), []),
        ("no longer", KNOWN + OVER, KNOWN, []),
        ("what another setting says from now on", KNOWN, KNOWN + OVER + "            is_small = True\n", []),
    ],
)  # fmt: skip
def test_a_chosen_value_in_whose_place_another_is_set_has_no_effect_any_more(
    what: str, before: str, after: str, expected: list[str]
) -> None:
    found = read({CONFIG: ARGS.format(before)}, {CONFIG: ARGS.format(after)}, project="vllm-project/vllm")
    over = [f for f in found if f.kind == "filled_over"]
    assert [f.before for f in over] == expected, what
    assert all(f.breaking for f in over)


def test_a_value_that_another_function_writes_now_only_moved() -> None:
    path = "python/sglang/srt/server_args.py"
    before = ARGS.format(FILL)
    after = ARGS.format("").replace("    def rest(self):\n        pass\n", f"    def rest(self):\n{FILL}")
    found = read({path: before}, {path: after}, project="sgl-project/sglang")
    assert not [f for f in found if f.kind.startswith("filled")]


def test_a_value_with_a_condition_that_branches_give_now_is_another_choice_and_no_new_one() -> None:
    old = "        if self.layout == 'auto':\n            self.layout = 'small' if is_hip() else 'wide'\n"
    new = (
        "        if self.layout == 'auto':\n            if self.io == 'kernel' and is_hip():\n"
        "                self.layout = 'small'\n            else:\n                self.layout = 'wide'\n"
    )
    found = read({CONFIG: ARGS.format(old)}, {CONFIG: ARGS.format(new)}, project="vllm-project/vllm")
    told = [(f.kind, f.symbol, f.before) for f in found if f.kind.startswith("filled")]
    assert told == [("filled_changed", "layout", "'small' if is_hip() else 'wide'")]


LEAVES = "        if self.layout == '{0}':\n            self.layout = 'small' if {1} else 'wide'\n"


@pytest.mark.parametrize(
    ("was", "left", "asks", "told"),
    [
        ("is_hip()", "auto", "is_hip() and self.io > 1", True),
        ("is_hip()", "auto", "(is_hip())", False),
        ("is_hip()", "old", "is_hip() and self.io > 1", False),
    ],
    ids=["asks for more", "in brackets", "of one value alone"],
)
def test_what_is_asked_before_a_setting_left_to_the_program_gets_its_value(
    was: str, left: str, asks: str, told: bool
) -> None:
    before, after = (ARGS.format(LEAVES.format(left, one)) for one in (was, asks))
    found = read({CONFIG: before}, {CONFIG: after}, project="vllm-project/vllm")
    changed = [(f.symbol, f.breaking) for f in found if f.kind == "filled_changed"]
    assert changed == ([("layout", True)] if told else [])


TASKS = "class Task:\n    name = 'text'\n{}"
SETTLES = "class ServerArgs:\n    offload: bool = True\n\n    def settle(self):\n        self.check()\n{}"
ASKS = "    def is_action(self):\n        return self.name == 'action'\n"


@pytest.mark.parametrize(
    ("was", "condition", "breaks"),
    [
        ("", "self.task.is_action()", False),
        (ASKS, "self.task.is_action()", True),
        ("", "not self.task.is_action()", True),
    ],
)
def test_a_value_that_is_set_for_what_comes_with_it_alone_breaks_nobody(was: str, condition: str, breaks: bool) -> None:
    path, task = "python/sglang/srt/server_args.py", "python/sglang/srt/task.py"
    sets = f"        if {condition}:\n            self.offload = False\n"
    before = {path: SETTLES.format(""), task: TASKS.format(was)}
    after = {path: SETTLES.format(sets), task: TASKS.format(f"    more = 1\n{ASKS}")}
    found = read(before, after, project="sgl-project/sglang")
    assert any(f.kind == "filled_added" and f.breaking for f in found) == breaks


WIDER = """class ServerArgs:
    layout: str = "auto"

    def fill(self):
        if {}:
            self.layout = "paged"
"""


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ('self.kind == "a"', 'self.kind == "a" or self.kind is None', True),
        ('self.kind == "a"', 'self.kind in ("a", "b")', True),
        ('self.kind == "a" or self.kind is None', 'self.kind == "a"', False),
        ('self.kind == "a"', 'self.kind == "b"', False),
        ('self.kind == "a"', 'self.kind == "a" or self.fresh', False),
    ],
    ids=["none as well", "another one as well", "fewer", "others", "a setting that comes with it"],
)
def test_a_value_that_is_written_for_more_is_told_as_one(was: str, now: str, told: bool) -> None:
    path = "engine/config/server_args.py"
    after = (
        WIDER.format(now).replace("    def", "    fresh: bool = False\n\n    def")
        if "fresh" in now
        else WIDER.format(now)
    )
    found = read({path: WIDER.format(was)}, {path: after})
    said = (f"'paged' if {was}", f"'paged' if {now}")
    assert [(f.before, f.after) for f in found if f.kind == "filled_for_more"] == ([said] if told else [])

"""Nobody is told to drop what another thing took the place of, nor to replace what does nothing any more."""

from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding, graded
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias, Finding
from daybreak.judge.action_questions import asked
from daybreak.judge.dropped_branches import kept_value
from daybreak.judge.replacements import replaced
from read.made import patch_of

CONFIG = "engine/config.py"
RUN = "engine/run.py"


def told(change: Change, *found: Finding) -> str:
    """What the one entry of the screen says to do."""
    (line,) = day(graded(report(change, extra=found), {"6": "medium"})).actions
    return line.text["en"].partition("What to do: ")[2]


def gone(of: Change, kind: str, path: str, symbol: str, number: int = 1) -> Finding:
    return finding(
        of, kind, path, symbol, number=number, before=f"{symbol} = 1", breaking=True, alias=Alias("none", None)
    )


def came(of: Change, kind: str, path: str, symbol: str, number: int) -> Finding:
    return finding(of, kind, path, symbol, number=number, after=symbol)


def test_a_parameter_in_whose_place_another_came_is_not_dropped() -> None:
    change = commit(
        "6", "Take a type (#6)", {RUN: patch_of("def f(\n    gate='silu',\n)\n", "def f(\n    gate_type=0,\n)\n")}
    )
    params = [
        gone(change, "parameter_removed", RUN, "f(gate)", 11),
        came(change, "parameter_added", RUN, "f(gate_type)", 12),
        came(change, "parameter_added", RUN, "f(alpha)", 13),
    ]
    assert told(change, *params).startswith("pass `gate_type` instead: see what it takes.")
    other = came(change, "parameter_added", RUN, "g(gate_type)", 12)
    assert told(change, params[0], other).startswith("drop the argument"), "it came elsewhere"
    several = came(change, "parameter_added", RUN, "f(beta)", 12)
    assert told(change, params[0], several, params[2]).startswith("see whether `beta` and `alpha` take its place")


def test_a_method_that_implementers_write_in_place_of_another_is_named_as_what_to_write() -> None:
    body = (
        "class Link:\n    def has_caches(self): ...\n",
        "class Link:\n    def has_item(self): ...\n    def drop_item(self): ...\n",
    )
    change = commit("6", "Ask for one item (#6)", {RUN: patch_of(*body)})
    lost = gone(change, "extension_method_removed", RUN, "Link.has_caches", 11)
    item, drop, other = (
        replace(came(change, "extension_method_added", RUN, name, number), breaking=True)
        for number, name in ((12, "Link.has_item"), (13, "Link.drop_item"), (12, "Store.has_item"))
    )
    found = replaced(change, [lost, item], [lost])
    assert found is not None
    assert found["en"] == "implement `has_item` instead: see what it takes"
    assert replaced(change, [lost, item, drop], [lost]) is None, "nobody knows which it is"
    assert replaced(change, [lost, other], [lost]) is None, "another class asks for it"
    assert told(change, lost).startswith("drop the overrides, or move what they do.")


def test_a_condition_that_asks_for_another_setting_says_what_took_the_place_of_a_flag() -> None:
    ask = "    if room is None and self.args.{}:\n        skip()\n"
    old, new = ask.format("enable_fake_auto"), ask.format('transfer_backend == "fake"')
    other = ask.format("transfer_backend is None")
    for lines, advice in (
        ([new, new], 'where the code asked for it, it asks for `transfer_backend == "fake"` from now on.'),
        ([new, other], "remove the option before upgrading."),
    ):
        files = {f"engine/{n}.py": patch_of(old, line) for n, line in enumerate(lines)}
        flag = patch_of('    p.add_argument("--enable-fake-auto")\n', "")
        change = commit("6", "Refactor the fake backend (#6)", {ARGS: flag, **files})
        assert told(change, gone(change, "cli_flag_removed", ARGS, "--enable-fake-auto")).endswith(advice)


FIELDS = '''class Pool:
    step: int = 1
    bias: float | None = None
    """
    Deprecated: Use mean instead. Will be removed in v0.21.
    """
    scale: float | None = None
    """
    Deprecated: Use sigma instead (note: sigma = 1/scale).
    """
'''


def test_what_the_text_that_goes_names_in_place_of_a_field_is_quoted() -> None:
    change = commit("6", "Drop old fields (#6)", {CONFIG: patch_of(FIELDS, "class Pool:\n    step: int = 1\n")})
    fields = [
        gone(change, "field_removed", CONFIG, f"Pool.{name}", at) for at, name in enumerate(("bias", "scale"), 11)
    ]
    assert told(change, *fields) == "`bias`: “Use mean instead”; `scale`: “Use sigma instead (note: sigma = 1/scale)”."


def test_the_long_text_of_a_field_that_goes_names_the_same_field_of_another_owner() -> None:
    many = "    Space for blocks in the memory of the host, for each of the devices that a server runs on.\n" * 5
    was = (
        f'class Cache:\n    step: int = 1\n    offload: float = Field(default=0)\n    """\n{many}\n'
        '    DEPRECATED: Please use Offload.host.offload instead.\n    """\n'
    )
    change = commit("6", "Drop old fields (#6)", {CONFIG: patch_of(was, "class Cache:\n    step: int = 1\n")})
    field = gone(change, "field_removed", CONFIG, "Cache.offload", 11)
    assert told(change, field) == "“use Offload.host.offload instead”."


def test_a_package_that_goes_is_followed_by_the_import_that_the_change_writes_in_its_place() -> None:
    was = "from engine.flash.cute import (\n    attend as _attend,\n)\n"
    change = commit("6", "Clean up (#6)", {RUN: patch_of(was, "from flash_four.cute import attend as _attend\n")})
    module = gone(change, "module_removed", "engine/flash/cute/__init__.py", "engine.flash.cute")
    assert told(change, module) == "import from `flash_four.cute`."
    much = patch_of("".join(f"x{n} = engine.flash.cute.x{n}\n" for n in range(30_000)), "")
    new = patch_of(was, "from flash_four.cute import attend as _attend\n")
    large = commit("6", "Clean up (#6)", {"engine/flash/cute/a.py": much, RUN: new})
    assert told(large, module) == "import from `flash_four.cute`.", "however much goes with it"
    other = commit("6", "Clean up (#6)", {RUN: patch_of(was, "from flash_four.cute import other\n")})
    assert told(other, module).startswith("remove the imports")


def test_an_argument_that_code_used_is_dropped_only_where_it_is_the_default() -> None:
    was = 'def show(*args, loc=None, end="."):\n    line = args[0] + end\n'
    for after, said in (
        ('def show(*args, loc=None):\n    line = args[0] + "."\n', 'drop the argument where it is `"."`: what other'),
        ("def show(*args, loc=None):\n    line = args[0] + config.end\n", "drop the argument."),
    ):
        change = commit("6", "Show lines (#6)", {RUN: patch_of(was, after)})
        assert told(change, gone(change, "parameter_removed", RUN, "show(end)", 11)).startswith(said)


def test_what_a_text_says_of_another_name_is_not_quoted() -> None:
    was = 'class Pool:\n    bias: float = 0\n    tag = 1\n    """Use mean instead."""\n'
    change = commit("6", "Drop old fields (#6)", {CONFIG: patch_of(was, "class Pool:\n")})
    assert told(change, gone(change, "field_removed", CONFIG, "Pool.bias", 11)).startswith("drop the field")


def test_a_successor_that_goes_with_the_option_is_not_offered_but_what_came_in_its_hunk() -> None:
    option = (
        '    p.add_argument(\n        "--probe",\n        help="[Deprecated] Use ENGINE_PROBE=1 instead.",\n    )\n'
    )
    files = {
        ARGS: patch_of(option, ""),
        "engine/envs.py": patch_of("ENGINE_PROBE = env(0)\n", "ENGINE_CHECKS = env(0)\n"),
    }
    change = commit("6", "One switch (#6)", files)
    found = [
        gone(change, "env_removed", "engine/envs.py", "ENGINE_PROBE", 11),
        came(change, "env_added", "engine/envs.py", "ENGINE_CHECKS", 12),
    ]
    (line,) = day(report(change, extra=tuple(found))).actions
    assert "removes the command line option `--probe`" in line.text["en"], "what stops a start leads"
    assert "What to do: remove it before upgrading, and see whether `ENGINE_CHECKS` takes its place." in line.text["en"]


def test_what_is_deprecated_and_does_nothing_is_deleted_by_the_version_that_its_text_names() -> None:
    now = 'def check(self):\n    warn("`fuse_norm` is deprecated and has no effect; "\n         "it will be removed in v0.23.")\n'
    change = commit("6", "Fuse always (#6)", {CONFIG: patch_of("def check(self):\n", now)})
    old = finding(change, "deprecated", CONFIG, "fuse_norm", number=11, after="fuse_norm")
    assert told(change, old).startswith("delete it: it has no effect since this change, and goes in `v0.23`.")
    plain = commit("6", "Fuse (#6)", {CONFIG: patch_of("def check(self):\n", now.replace(" and has no effect", ""))})
    assert told(plain, finding(plain, "deprecated", CONFIG, "fuse_norm", number=11)).startswith("replace it before")


def test_a_function_that_goes_stands_below_the_field_that_a_request_fails_with() -> None:
    change = commit("6", "Drop profile helpers (#6)", {RUN: patch_of("a()\n", "b()\n")})
    found = [
        gone(change, "function_removed", RUN, "profile_helpers", 11),
        gone(change, "env_removed", RUN, "ENGINE_PROFILE", 12),
        gone(change, "field_removed", CONFIG, "Pool.bias", 13),
    ]
    (line,) = day(report(change, extra=tuple(found))).actions
    assert "Affected: configurations, requests and launch options that use `Pool.bias`" in line.text["en"]
    assert "Gone as well: `profile_helpers` and `ENGINE_PROFILE`." in line.text["en"]


def test_a_function_whose_parameters_stand_in_another_order_is_neither_gone_nor_moved() -> None:
    change = commit("6", "Another order (#6)", {RUN: patch_of("a()\n", "b()\n")})
    order = finding(change, "parameter_moved", RUN, "store", number=11, before="a, b", after="b, a", breaking=True)
    gone_too = gone(change, "function_removed", RUN, "group_modes", 12)
    (line,) = day(
        report(change, extra=(gone(change, "field_removed", CONFIG, "Pool.bias", 13), gone_too, order))
    ).actions
    assert "Gone as well: `group_modes`." in line.text["en"]
    assert "moved" not in line.text["en"].lower()


def test_a_break_of_many_long_names_is_told_by_the_break_also_where_there_is_no_room() -> None:
    files = {
        RUN: patch_of("a()\n", "b()\n"),
        "docs/guide.md": patch_of("a\n", "Run the engine with the new transport.\n"),
    }
    change = commit("6", "Use another transport (#6)", files)
    names = [f"transport_context_of_the_engine_that_is_long_{n}" for n in range(6)]
    found = [gone(change, "operator_removed", RUN, name, at) for at, name in enumerate(names, 11)]
    made = report(change, extra=tuple(found))
    answer = asked(made, made.entries[0])
    assert answer is not None
    assert answer.item is not None
    assert names[0] in answer.item["en"]


CHECKED = "def start(self, checked: bool = True):\n    self.begin_session(self.model)\n"
BRANCH = f"{CHECKED}    if checked:\n        prepare_each_layer(self.model)\n    else:\n        copy_in_kernel_format(self.model)\n"


STORED = "def start(self, reduces: bool = False):\n    self.reduces = reduces\n"


def test_a_value_that_is_only_kept_in_a_field_says_nothing_of_what_the_code_does_without_it() -> None:
    change = commit("6", "Always reduce (#6)", {RUN: patch_of(STORED, "def start(self):\n    self.begin()\n")})
    found = told(change, gone(change, "parameter_removed", RUN, "start(reduces)", 11))
    assert found.startswith("see what the call does without it: the code that it steered is gone")


def test_a_check_for_the_value_off_that_goes_leaves_what_the_value_on_did() -> None:
    was = "def start(quiet: bool = False):\n    if not quiet:\n        logger.info('started the engine')\n    run()\n"
    change = commit("6", "Log once (#6)", {RUN: patch_of(was, "def start():\n    run()\n")})
    found = told(change, gone(change, "parameter_removed", RUN, "start(quiet)", 11))
    assert found.startswith("drop the argument where it is `True`: what other")


def test_an_argument_is_dropped_only_where_the_branch_of_its_other_value_stays() -> None:
    plain = CHECKED.replace("self, checked: bool = True", "self")
    for before, after, said in (
        (BRANCH, f"{plain}    prepare_each_layer(self.model)\n", "drop the argument where it is `True`: what other"),
        (BRANCH, f"{plain}    self.transfer.begin_update()\n", "see what the call does without it"),
        (
            BRANCH,
            f"{plain}    copy_in_kernel_format(self.model)\n",
            "drop the argument where it is `False`: what other",
        ),
        (CHECKED, plain, "drop the argument."),
        (
            BRANCH.replace("= True", "= False"),
            f"{plain}    prepare_each_layer(self.model)\n",
            "drop the argument where it is `True`: what other",
        ),
        (BRANCH.replace(" = True", ""), f"{plain}    begin_update()\n", "see what the call does without it"),
    ):
        change = commit("6", "Move the transfer (#6)", {RUN: patch_of(before, after)})
        assert told(change, gone(change, "parameter_removed", RUN, "start(checked)", 11)).startswith(said), after


def calls(was: str, now: str) -> dict[str, str]:
    """Two places, a test among them, that called one and call the other."""
    lines = "def here(n):\n    if {}(n) < 2:\n        return n\n"
    return {
        path: patch_of(lines.format(was), lines.format(now)) for path in ("engine/pool.py", "tests/engine/test_pool.py")
    }


def removal(own: str, now: str) -> tuple[Change, Finding]:
    made = patch_of("def count(n):\n    return 1\n", own)
    change = commit("6", "Count elsewhere (#6)", {RUN: made, **calls("count", now)})
    return change, gone(change, "function_removed", RUN, "count")


def test_what_the_own_calls_of_a_change_became_takes_the_place_of_a_function() -> None:
    assert told(*removal("", "platform.count")).startswith("use `platform.count` instead")
    made = "def counts(n):\n    return platform.count(n)\n"
    assert told(*removal(made, "platform.count")).startswith("use `platform.count` instead"), "not what it only made"


FETCH = "    fetch(\n        'bmm', target, source, digest\n    )\n"


def test_of_several_steps_that_came_for_one_call_none_takes_its_place() -> None:
    made = "def link(target, source):\n    go()\n\n\ndef verify(target, digest):\n    go()\n"
    head = "def run(target, source, digest, sizes):\n    go()\n"
    for after, said in (
        ("    link(target, source)\n    verify(target, digest)\n", False),
        ("    verify(sizes)\n", False),
        ("    verify(target, source, digest)\n", True),
    ):
        files = {
            "engine/loader.py": patch_of("def fetch(op, target, source, digest):\n    go()\n", made),
            RUN: patch_of(head + FETCH, head + after),
            "engine/all.py": patch_of("from .loader import fetch\n", "from .loader import link, verify\n"),
        }
        change = commit("6", "Fetch once (#6)", files)
        text = told(change, gone(change, "function_removed", "engine/loader.py", "fetch"))
        assert ("use `verify` instead" in text) is said, after


def test_nobody_is_sent_to_a_name_that_only_insiders_use() -> None:
    made = "def _count(n):\n    return 1\n"
    for now in ("_count", "self.count", "platform._count"):
        assert " instead" not in told(*removal(made, now)), now


def test_a_name_that_is_gone_is_not_replaced_by_itself() -> None:
    own = patch_of("def fetch(target, source):\n    go()\n", "go()\n")
    new = patch_of("go()\n", "def fetch(target, source):\n    go()\n")
    for call, said in (
        ("ops.fetch(a, b)", "use `ops.fetch` instead."),
        ("fetch(a, b, False)", "remove the references"),
    ):
        run = patch_of("def run(a, b):\n    fetch(a, b)\n", f"def run(a, b):\n    {call}\n")
        change = commit("6", "Operators (#6)", {"engine/loader.py": own, "engine/ops.py": new, RUN: run})
        assert told(change, gone(change, "function_removed", "engine/loader.py", "fetch")).startswith(said)


HELPED = """class Job:
    step: int = 1
    bf16: bool | None = field(
        metadata={"help": "Whether to use bf16 (mixed) precision instead of 32-bit."},
    )
"""


def test_what_a_field_does_instead_of_something_else_is_no_advice() -> None:
    change = commit("6", "Drop old fields (#6)", {CONFIG: patch_of(HELPED, "class Job:\n    step: int = 1\n")})
    assert told(change, gone(change, "field_removed", CONFIG, "Job.bf16", 11)) == "drop the field before upgrading."
    deprecated = HELPED.replace("Whether to use bf16 (mixed) precision instead", "Deprecated, use dtype instead")
    change = commit("6", "Drop old fields (#6)", {CONFIG: patch_of(deprecated, "class Job:\n    step: int = 1\n")})
    assert told(change, gone(change, "field_removed", CONFIG, "Job.bf16", 11)) == "“use dtype instead”."


def test_a_field_of_another_name_and_another_type_takes_no_place() -> None:
    change = commit("6", "Say the rank (#6)", {CONFIG: patch_of("class Log:\n    clear: bool = True\n", "class Log:\n    rank: int = 0\n")})  # fmt: skip

    def advice(was: str, now: str) -> str:
        name, other = (f"Log.{one.partition(':')[0]}" for one in (was, now))
        lost = finding(change, "field_removed", CONFIG, name, number=11, before=was, breaking=True, alias=Alias("none"))
        return told(change, lost, finding(change, "field_added", CONFIG, other, number=12, after=now))

    assert advice("clear: bool = True", "rank: Optional[int] = None") == "drop the field before upgrading."
    assert advice("clear: bool = True", "wipe: bool | None = None") == "set `wipe` instead: see what it takes."
    assert advice("clear: bool = True", "clear_mode: str = 'no'") == "set `clear_mode` instead: see what it takes."


def test_a_variable_that_goes_with_its_field_leads() -> None:
    change = commit("6", "Log anew (#6)", {CONFIG: patch_of("class Log:\n    clear_all: bool = True\n", "class Log:\n    pass\n")})  # fmt: skip
    field = gone(change, "field_removed", CONFIG, "Log.clear_all", 11)
    for name, first in (("ENGINE_CLEAR_ALL", "ENGINE_CLEAR_ALL"), ("ENGINE_OTHER", "Log.clear_all")):
        read = finding(change, "env_read_removed", CONFIG, name, number=12, before=name, breaking=True)
        (line,) = day(graded(report(change, extra=(field, read)), {"6": "medium"})).actions
        said = line.text["en"]
        assert f"`{first}`" in said.partition("Gone as well")[0]


def test_a_deprecated_method_whose_name_another_class_has_now_is_implemented_there() -> None:
    change = commit("6", "Parse elsewhere (#6)", {RUN: patch_of("a = 1\n", "def get_parser(self): ...\n")})
    old = finding(change, "deprecated", RUN, "Processor._get_parser", number=11, after="Processor._get_parser")
    home, other = (came(change, "extension_method_added", RUN, f"{name}.get_parser", 12) for name in ("Info", "More"))
    assert told(change, old, home) == "implement `Info.get_parser` instead: see what it takes."
    assert replaced(change, [old, home, other], [old]) is None, "which of them is not known"


def test_of_settings_that_go_together_each_is_paired_with_what_is_read_where_it_was() -> None:
    env = patch_of("A_FACTOR = EnvFloat(1.0)\nB_SLOTS = EnvInt(0)\n", "A_STEPS = EnvInt(128)\n")
    steps = patch_of("step = size * envs.A_FACTOR.get()\n", "step = max(1, envs.A_STEPS.get())\n")
    slots = patch_of("slots = envs.B_SLOTS.get()\n", "slots = server_args.extra_slots\n")
    change = commit("6", "Cap (#6)", {"engine/envs.py": env, RUN: steps, "engine/pool.py": slots})
    found = [gone(change, "env_removed", "engine/envs.py", name, n) for n, name in ((11, "A_FACTOR"), (12, "B_SLOTS"))]
    new = [
        came(change, "env_added", "engine/envs.py", "A_STEPS", 13),
        came(change, "cli_flag_added", ARGS, "--extra-slots", 14),
    ]
    (line,) = day(report(change, extra=(*found, *new))).actions
    for pair in ("`A_STEPS` in place of `A_FACTOR`", "`--extra-slots` in place of `B_SLOTS`", "check value and unit"):
        assert pair in line.text["en"]
    alone = commit("6", "Cap (#6)", {"engine/envs.py": env})  # nobody knows for which of the two it came
    found = [gone(alone, "env_removed", "engine/envs.py", name, n) for n, name in ((11, "A_FACTOR"), (12, "B_SLOTS"))]
    (line,) = day(report(alone, extra=(*found, came(alone, "env_added", "engine/envs.py", "A_STEPS", 13)))).actions
    assert "A_STEPS" not in line.text["en"].partition("What to do:")[2]


def test_a_head_that_loses_a_parameter_and_orders_the_others_anew_is_told_by_their_order() -> None:
    change = commit("6", "Pin (#6)", {RUN: patch_of("def copy(a, b, c, pin):\n", "def copy(a, c, b):\n")})
    lost = finding(change, "parameter_removed", RUN, "copy(pin)", number=11, before="pin", breaking=True)
    order = finding(change, "parameter_moved", RUN, "copy", number=12, before="a, b, c", after="a, c, b", breaking=True)
    (line,) = day(report(change, extra=(lost, order))).actions
    assert "What to do: pass arguments by keyword" in line.text["en"]
    assert "`pin` of `copy`" in line.text["en"]


def test_what_the_title_renames_is_to_be_used_under_its_new_name() -> None:
    patch = patch_of("def run(\n    block_scales=None,\n)\n", "def run(\n    cache_sf=None,\n)\n")
    change = commit("6", "Swizzle one scale; rename block_scales to cache_sf (#6)", {RUN: patch})
    assert told(change, gone(change, "parameter_removed", RUN, "run(block_scales)", 11)).startswith("use `cache_sf`")


def test_a_switch_that_became_one_value_of_several_leaves_its_branch_where_it_was() -> None:
    before = "def make(x, fp8_on=False):\n    if fp8_on:\n        x = quantize_rows(x)\n    return x\n"
    after = "def make(x, dtype=Dtype.bf16):\n    if dtype == Dtype.fp8:\n        x = quantize_blocks(x)\n    return x\n"
    other = after.replace("Dtype.fp8", "Dtype.int4")
    for now, value in ((after, None), (other, "False")):
        assert kept_value(commit("6", "Take a type (#6)", {RUN: patch_of(before, now)}), "fp8_on") == value

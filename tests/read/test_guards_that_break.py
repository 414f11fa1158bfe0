"""Guards that break somebody: all that they ask for was chosen, or a limit came that refuses what was given before."""

import pytest

from daybreak.findings import read
from read.test_guards import PATH, inside

SELECTOR = "engine/layers/selector.py"
KNOWN = "envs.ENGINE_INVARIANT, backend.supports_invariance(), current_platform.is_cuda(), has_fast_gemm(), 'trtllm'"
PICK = f"class Selector:\n    def pick(self, config, backend, x):\n        self.a = ({KNOWN})\n{{}}        self.b = 2\n        self.c = 3\n"


@pytest.mark.parametrize(
    ("condition", "breaks"),
    [
        ("envs.ENGINE_INVARIANT and not backend.supports_invariance()", True),
        ("current_platform.is_cuda() and not has_fast_gemm()", True),
        ('config.use_one_sided and config.quant_dtype != "nvfp4"', True),
        ('config.node_count is not None and backend == "trtllm"', True),
        ("backend not in ALLOWED_BACKENDS", True),
        ('backend == "came-with-it"', False),
        ("config.quantization is None", False),
        ("x.max_len > x.cache_len", False),
        ('x.device.type == "cpu" and backend == "trtllm"', False),
        ("config.pp_size != x.shape[0]", False),
    ],
)
def test_a_check_breaks_where_all_that_it_asks_for_was_chosen(condition: str, breaks: bool) -> None:
    """What it asks of values of the moment would have failed a line later, or is nobody's choice."""
    added = f'        if {condition}:\n            raise ValueError("this combination is not there")\n'
    found = read({SELECTOR: PICK.format("")}, {SELECTOR: PICK.format(added)})
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("condition", "breaks"),
    [
        ("self.uses_buffer() and self.no_cache", True),
        ("self.layout == 'wide' and not self.no_cache", True),
        ("self.no_cache and self.loaded(x)", False),
        ("self.no_cache and x.done", False),
    ],
)
def test_settings_that_do_not_go_together_break_who_has_both(condition: str, breaks: bool) -> None:
    body = "class ServerArgs:\n    def handle(self, x):\n        self.a = (self.uses_buffer(), self.no_cache, self.layout == 'wide')\n{}        self.b = 2\n"
    added = f"        if {condition}:\n            raise ValueError('these do not go together')\n"
    path = "python/sglang/srt/server_args.py"
    found = read({path: body.format("")}, {path: body.format(added)}, project="sgl-project/sglang")
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("condition", "says", "breaks"),
    [
        ("pools and not writes and self.runner_type in ('draft', 'generate')", "--runner {self.runner_type}", True),
        ("pools and self.runner == 'draft'", "--runner draft", True),
        ("pools and not self.runner", "--runner", False),
        ("pools and self.mode == 'draft'", "--runner draft", False),
        ("pools or self.runner == 'draft'", "--runner draft", False),
    ],
)
def test_an_option_that_the_error_names_was_taken_with_its_value_beside_what_the_model_is(
    condition: str, says: str, breaks: bool
) -> None:
    body = "class ModelConfig:\n    runner: str = 'auto'\n    mode: str = 'draft'\n\n    def __post_init__(self):\n        pools, writes = look(self)\n{}        self.b = 'generate'\n"
    added = f"        if {condition}:\n            raise ValueError(f'this model does not support `{says}`')\n"
    found = read({PATH: body.format("")}, {PATH: body.format(added)})
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("asked", "breaks"), [("math.isfinite", True), ("self.known", False), ("os.path.exists", False)]
)
def test_what_is_no_number_passed_the_bounds_of_a_setting(asked: str, breaks: bool) -> None:
    body = "class SamplingParams:\n    temperature: float = 1.0\n\n    def verify(self):\n{}        if self.temperature < 0:\n            raise ValueError('it must not be negative')\n"
    added = f"        if not {asked}(self.temperature):\n            raise ValueError('it must be finite')\n"
    found = read(
        {"vllm/sampling_params.py": body.format("")},
        {"vllm/sampling_params.py": body.format(added)},
        project="vllm-project/vllm",
    )
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(("asked", "breaks"), [("enable_buffer", True), ("done_buffer", False)])
def test_a_switch_that_a_constructor_is_handed_was_chosen(asked: str, breaks: bool) -> None:
    body = f"class Pool:\n    def __init__(self, size, {asked}):\n        self.size = size\n{{}}        self.on = {asked}\n"
    added = f"        if envs.ENGINE_V2.get() and not {asked}:\n            raise ValueError('v2 needs the buffer')\n"
    found = read({SELECTOR: body.format("")}, {SELECTOR: body.format(added)})
    assert any(f.breaking for f in found) == breaks


def test_a_check_of_a_value_that_can_be_chosen_from_now_on_breaks_nobody() -> None:
    added = (
        '        if backend == "trtllm" and not has_fast_gemm():\n            raise ValueError("not on this machine")\n'
    )
    choices = "BACKENDS = [\n    'plain',\n{}]\n"
    old, new = choices.format("") + PICK.format(""), choices.format("    'trtllm',\n") + PICK.format(added)
    assert not any(f.breaking for f in read({SELECTOR: old}, {SELECTOR: new}))


def test_a_check_of_an_argument_that_only_a_comment_named_before_breaks_nobody() -> None:
    head = "def run(x, backend{}):\n    if backend == 'xqa':\n{}        return go(\n            x,\n            {},{}\n        )\n"
    check = "        if max_size is not None:\n            raise ValueError('max_size is not there for xqa')\n"
    old, new = head.format("", "", "None", "  # max_size"), head.format(", max_size=None", check, "max_size", "")
    assert not any(f.breaking for f in read({SELECTOR: old}, {SELECTOR: new}))


@pytest.mark.parametrize(("asserted", "breaks"), [("schema", False), ("other", True)])
def test_a_check_for_what_was_asserted_to_be_there_is_the_same_refusal_in_other_words(
    asserted: str, breaks: bool
) -> None:
    head = "class Request(BaseModel):\n    schema: dict | None = None\n\n    def made(self):\n        assert {} is not None\n        return 1\n"
    check = (
        "\n    @model_validator(mode='before')\n    def validate(cls, data):\n        schema = data.get('schema')\n"
        "        if schema is None:\n            raise ValueError('a schema must be given')\n        return data\n"
    )
    found = read({PATH: head.format(asserted)}, {PATH: head.format(asserted) + check})
    assert any(f.breaking for f in found) == breaks


def test_an_assert_breaks_where_settings_are_made_out_and_is_a_note_elsewhere() -> None:
    added = "        assert config.pp_size == 1\n"
    inner = read({SELECTOR: PICK.format("")}, {SELECTOR: PICK.format(added)})
    assert [f.breaking for f in inner if f.kind == "guard_added"] == [False]
    outer = read({PATH: inside("")}, {PATH: inside(added)})
    assert [f.breaking for f in outer if f.kind == "guard_added"] == [True]


@pytest.mark.parametrize(
    ("other", "breaks"), [("self.dp_size", True), ("self.shape[0]", False), ("len(self.files)", False)]
)
def test_two_settings_that_do_not_go_together_break_where_settings_are_made_out(other: str, breaks: bool) -> None:
    added = f"        assert self.tp_size == {other}\n"
    outer = read({PATH: inside("")}, {PATH: inside(added)})
    assert any(f.breaking for f in outer) == breaks


def test_a_way_through_that_asked_for_what_nobody_gave_was_no_way() -> None:
    """`self.on_host` is set nowhere: the branch went and turns nobody away who came through."""

    def chain(start: str, more: str) -> str:
        head = f"class Mask:\n    def __init__(self, config):\n        self.config = config\n{start}\n"
        way = "        if x.device == 'gpu':\n            fill(x)\n"
        return f"{head}    def apply(self, x):\n{way}{more}        else:\n            raise RuntimeError('no such device')\n"

    host = "        elif x.device == 'cpu' and self.on_host:\n            self.on_host(x)\n"
    for start, kinds in (("", []), ("        self.on_host = config.on_host\n", ["guard_narrowed"])):
        found = read({PATH: chain(start, host)}, {PATH: chain(start, "")})
        assert [f.kind for f in found if f.kind.startswith("guard")] == kinds


def test_a_limit_that_came_refuses_what_was_given_before() -> None:
    """Where it is off until somebody sets it, nobody is refused."""
    head = "class SamplingParams:\n    count: int = 1\n{}\n    def verify(self):\n        self.a = 1\n{}        self.b = 2\n"
    path, limit = "engine/sampling_params.py", "    max_count: int = 64\n"
    asked = {"self.count > self.max_count": 1, "self.max_count is not None and self.count > self.max_count": 0}
    for condition, told in asked.items():
        check = f"        if {condition}:\n            raise ValueError('too many')\n"
        found = read({path: head.format("", "")}, {path: head.format(limit, check)})
        assert len([f for f in found if f.kind == "guard_added"]) == told


def test_a_check_of_a_part_of_what_another_turned_away_breaks_nobody() -> None:
    """One check becomes two, and lets more machines in."""
    one = "        if self.backend == 'fast' and not is_sm100():\n            raise ValueError('fast needs sm100')\n"
    wide = "        if self.backend == 'fast' and not (is_sm90() or is_sm100()):\n            raise ValueError('fast needs sm90 or sm100')\n"
    split = "        if self.backend == 'fast' and self.mode == 'prefill' and not is_sm100():\n            raise ValueError('fast prefill needs sm100')\n"
    eased = read({PATH: inside(one)}, {PATH: inside(wide + split)})
    assert not any(f.breaking or f.kind == "guard_added" for f in eased)
    back = read({PATH: inside(wide + split)}, {PATH: inside(one)})
    assert any(f.kind in ("guard_narrowed", "guard_added") for f in back), "the other way round it refuses more"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("32000 < config.vocab_size > 257024", "config.vocab_size <= 32000 or config.vocab_size > 258048", ["if config.vocab_size <= 32000: raise ValueError"]),
        ("config.vocab_size > 257024", "config.vocab_size > 258048", []),
        ("config.vocab_size <= 16 or config.vocab_size > 257024", "config.vocab_size <= 16 or config.vocab_size > 258048", []),
        ("32000 < config.vocab_size > 257024", "x.shape[0] <= 32000 or config.vocab_size > 258048", []),
    ],
    ids=["another bound that comes", "a bound that is raised", "one of two that is raised", "of a value of the moment"],
)  # fmt: skip
def test_a_check_that_is_eased_at_one_end_and_refuses_at_the_other_breaks_whom_it_let_through(
    before: str, after: str, told: list[str]
) -> None:
    check = "        if {}:\n            raise ValueError('the vocabulary does not fit')\n"
    sides = ({SELECTOR: PICK.format(check.format(one))} for one in (before, after))
    assert [f.after for f in read(*sides) if f.kind == "guard_added" and f.breaking] == told


@pytest.mark.parametrize(("words", "breaks"), [("pick_best is only for the fast backend", False), ("only for the fast backend", True)])  # fmt: skip
def test_an_error_that_names_its_own_function_is_for_whoever_calls_that(words: str, breaks: bool) -> None:
    head = "class Engine:\n    def pick_best(self, x):\n{}        return x\n"
    check = f"        if self.backend != Backend.FAST:\n            raise RuntimeError('{words}')\n"
    found = [f for f in read({SELECTOR: head.format("")}, {SELECTOR: head.format(check)}) if f.kind == "guard_added"]
    assert [f.breaking for f in found] == [breaks]


def test_an_arm_of_a_chain_that_stands_alone_now_is_no_tighter_check() -> None:
    head = "class Engine:\n    def __init__(self, config):\n        self.backend = config.backend\n{}        self.size = 1\n"
    arm = "if self.backend == Backend.FAST:\n            if config.block_size != 128:\n                raise ValueError('fast only has blocks of 128')\n"
    chain = f"        if self.backend == Backend.SMALL:\n            self.small = True\n        el{arm}"
    assert not read({SELECTOR: head.format(chain)}, {SELECTOR: head.format(f"        {arm}")})


@pytest.mark.parametrize(("kinds", "told"), [('Literal["default"]', 0), ('Literal["default", "other"]', 1), ("str", 1)])
def test_a_check_of_a_value_that_the_type_lets_nobody_choose_refuses_nobody(kinds: str, told: int) -> None:
    head = 'Option = {}\n\n\nclass BalanceConfig:\n    policy: Option = "default"\n    many: bool = False\n\n{}'
    check = (
        '    @model_validator(mode="after")\n    def _check(self):\n        if self.many and self.policy != "default":\n'
        '            raise ValueError("many of them need the default policy")\n        return self\n'
    )
    path = "engine/config/parallel.py"
    found = read({path: head.format(kinds, "")}, {path: head.format(kinds, check)})
    assert len([f for f in found if f.kind == "guard_added"]) == told


@pytest.mark.parametrize(
    ("kinds", "asked"),
    [
        ('Literal["auto", 1]', "self.policy == 1"),
        ('Literal["x"]\n\n\nclass Other:\n    policy: str', 'self.policy == "y"'),
    ],
)
def test_a_type_with_other_values_than_texts_or_of_two_classes_shuts_nothing_out(kinds: str, asked: str) -> None:
    head = "class BalanceConfig:\n    policy: {}\n    many: bool = False\n\n{}"
    check = (
        f'    @model_validator(mode="after")\n    def _check(self):\n        if self.many and {asked}:\n'
        '            raise ValueError("not together")\n        return self\n'
    )
    before, after = head.format(kinds, 'KNOWN = "y"\n'), head.format(kinds, check + 'KNOWN = "y"\n')
    found = read({"engine/config/parallel.py": before}, {"engine/config/parallel.py": after})
    assert len([f for f in found if f.kind == "guard_added"]) == 1


LOADER = """class Loader:
    def load(self, config, model):
        loaded = model.load(config)
        self.seconds = 1
{}
    def other(self):
        return 1
"""
STRICT = "if {}:\n    missing = wanted(model) - loaded\n    if missing:\n        raise ValueError('weights were not loaded')\n"


def indented(text: str, by: int = 8) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    ("before", "after", "breaks"),
    [
        ("config.quantization is None and loaded is not None", "loaded is not None", True),
        ("loaded is not None", "loaded is not None", False),
        ("self.seconds and loaded is not None", "loaded is not None", False),
        ("loaded is not None", "config.quantization is None and loaded is not None", False),
    ],
    ids=["a choice was asked first", "nothing changed", "a state was asked first", "a choice is asked first now"],
)
def test_a_check_that_no_longer_asks_first_what_was_chosen_breaks_who_chose_it_wherever_it_stands_now(
    before: str, after: str, breaks: bool
) -> None:
    old = LOADER.format(indented(STRICT.format(before)))
    helper = f"\n    def track(self, config, model, loaded):\n{indented(STRICT.format(after))}"
    for new in (
        LOADER.format(indented(STRICT.format(after))),
        LOADER.format(f"        self.track(config, model, loaded)\n{helper}"),
    ):
        found = read({SELECTOR: old}, {SELECTOR: new})
        assert any(f.kind == "guard_narrowed" and f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("eased", "breaks"),
    [("config.group_size > 1 and not config.fast", False), ("config.group_size > 1", True), ("config.other_size > 1 and not config.fast", True)],
    ids=["a wider refusal is eased", "it stays as it is", "one of something else is eased"],
)  # fmt: skip
def test_a_check_of_a_part_of_what_a_refusal_that_is_eased_elsewhere_turned_away_breaks_nobody(
    eased: str, breaks: bool
) -> None:
    """What is opened in part was closed before: the rest stays refused."""
    part = (
        '        if self.group_size != 1 and self.tp_size > 1:\n            raise ValueError("no groups beside this")\n'
    )
    whole = 'def unsupported_by(config):\n    unsupported = []\n    if {}:\n        unsupported.append("groups")\n    return unsupported\n'
    before = eased.partition(" and ")[0]
    sides = ({PATH: inside(check), SELECTOR: whole.format(asked)} for check, asked in (("", before), (part, eased)))
    assert any(f.breaking for f in read(*sides)) == breaks


@pytest.mark.parametrize(("asked", "breaks"), [("count < 1", True), ("size < 1", False)])
def test_a_check_of_how_many_settings_are_given_breaks_who_gave_none(asked: str, breaks: bool) -> None:
    """A size below one nobody gave."""
    body = (
        "class OutputParams:\n    json: str | None = None\n    regex: str | None = None\n\n    def __post_init__(self):\n"
        "        size = self.size\n        count = sum([x is not None for x in [self.json, self.regex]])\n"
        "        if count > 1:\n            raise ValueError('only one kind of constraint')\n{}"
    )
    added = f"        if {asked}:\n            raise ValueError('one kind of constraint must be given')\n"
    found = read({PATH: body.format("")}, {PATH: body.format(added)})
    told = 'if given(OutputParams.json, regex) < 1: raise ValueError("one kind of constraint must be given")'
    expected = [(told, True)] if breaks else []
    assert [(f.after, f.breaking) for f in found if f.kind == "guard_added"] == expected


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("len(self.json) - len(self.regex)", False),
        ("sum([self.json, self.regex])", False),
        ("sum(x.size is not None for x in (self.json, self.regex))", False),
        ("sum(1 for x in (self.json, self.regex) if x is not None)", True),
        ("len([x for x in (self.json, self.regex) if x])", True),
        ("sum(bool(x) for x in (self.json, self.regex))", True),
    ],
)
def test_only_a_count_of_settings_that_are_given_is_told_as_one(made: str, given: bool) -> None:
    body = "class OutputParams:\n    json: str | None = None\n    regex: str | None = None\n\n    def __post_init__(self):\n{}        self.ok = True\n"
    added = f"        count = {made}\n        if count != 0:\n            raise ValueError('lengths differ')\n"
    found = read({PATH: body.format("")}, {PATH: body.format(added)})
    assert any("given(" in (f.after or "") for f in found) == given


OLD_NAMES = 'OLD_NAMES = ["gptq", "hqq"]\n'
SETTINGS = """class ModelConfig:
    quantization: str = ""
{field}
    def _verify(self):
        self.a = 1
        self.quantization = self.quantization.lower()
{check}"""
WARNS_OR_RAISES = """        if self.quantization in OLD_NAMES:
            if self.allow_old:
                logger.warning("%s is old", self.quantization)
            else:
                raise ValueError("%s is old; to go on, set --allow-old", self.quantization)
"""
ASKS_BOTH = """        if self.quantization in OLD_NAMES and not self.allow_old:
            raise ValueError("this one is old; to go on, set --allow-old")
"""
FOR_THE_NEW = """        if self.quantization in OLD_NAMES and self.allow_old:
            raise ValueError("the old ones cannot be allowed")
"""


@pytest.mark.parametrize(("check", "breaks"), [(WARNS_OR_RAISES, True), (ASKS_BOTH, True), (FOR_THE_NEW, False)])
def test_a_new_switch_that_lets_in_who_sets_it_turns_away_all_others(check: str, breaks: bool) -> None:
    path = "engine/config/model.py"
    before = SETTINGS.format(field="", check="")
    after = OLD_NAMES + SETTINGS.format(field="    allow_old: bool = False\n", check=check)
    assert any(f.kind == "guard_added" and f.breaking for f in read({path: before}, {path: after})) == breaks


SENT = "class Input:\n    def check(self, params: {}):\n        self.a = (params.min_tokens, params.bias, self.config.draft_config)\n{}        self.b = 2\n"


@pytest.mark.parametrize(
    ("kind", "condition", "breaks"),
    [
        ("SamplingParams", "self.config.draft_config is not None and (params.min_tokens > 1 or params.bias)", True),
        ("SamplingParams", "self.config.draft_config is not None and params.min_p > _EPS_LEAST", True),
        ("ChatRequest", "params.bias is not None", True),
        ("SamplingParams", "params.min_tokens > 4096", False),
        ("SamplingParams", "params.bias is None", False),
        ("SamplingParams", "params.bias and self.used > 1", False),
        ("Request", "self.config.draft_config is not None and params.bias", False),
    ],
)
def test_what_clients_send_and_a_setting_does_not_go_with_is_refused_to_them(
    kind: str, condition: str, breaks: bool
) -> None:
    """A bound alone mostly names what failed a line later; a bare `Request` is the engine's own."""
    added = f"        if {condition}:\n            raise ValueError('this is not there')\n"
    found = read({SELECTOR: SENT.format(kind, "")}, {SELECTOR: SENT.format(kind, added)})
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("name", "said", "breaks"),
    [
        ("current_config", "logger.warning('no config is set')", True),
        ("_current_config", "logger.warning('no config is set')", False),
        ("current_config", "prepare()", False),
        ("current_config", "logger.warning('no')\n        abort('no')", False),
        ("current_config", "logger.warning('no')\n        if strict:\n            raise ValueError('no')", False),
    ],
)
def test_a_function_that_warned_and_gave_a_value_and_now_raises_breaks_who_imports_it(
    name: str, said: str, breaks: bool
) -> None:
    body = f"def {name}():\n    if _current is None:\n{{}}    return _current\n"
    was = f"        {said}\n        return Config()\n"
    user = f"from engine.layers.selector import {name}\n\nSIZE = {{}}\n"
    now = "        raise AssertionError('no config is set: call it where one is')\n"
    old, new = ({SELECTOR: body.format(one), "engine/user.py": user.format(n)} for n, one in enumerate((was, now)))
    assert any(f.breaking for f in read(old, new)) == breaks


WITH_UVA = PICK.replace("envs.", "is_uva_available(), envs.", 1)


@pytest.mark.parametrize(("folder", "breaks"), [("engine/layers", False), ("engine/other", True)])
def test_a_check_of_the_machine_that_an_assert_of_the_package_made_before_breaks_nobody(
    folder: str, breaks: bool
) -> None:
    added = "        if not is_uva_available():\n            raise RuntimeError('there is no fast one')\n"
    needs = {f"{folder}/buffer.py": "class Buffer:\n    def __init__(self):\n        assert is_uva_available()\n"}
    found = read({SELECTOR: WITH_UVA.format(""), **needs}, {SELECTOR: WITH_UVA.format(added), **needs})
    assert any(f.breaking for f in found) == breaks


@pytest.mark.parametrize(("old", "breaks"), [("residency_strategy", False), ("residency", True), ("--residency", True)])
def test_a_switch_that_comes_is_new_also_where_a_longer_name_held_it(old: str, breaks: bool) -> None:
    body = "class ServerArgs:\n{}    mode: str = 'a'\n    # {}\n\n    def check(self):\n        self.a = self.mode == 'b'\n{}        self.b = 2\n"
    refuses = (
        "        if self.residency is not None and self.mode == 'b':\n            raise ValueError('not in mode b')\n"
    )
    path, field = "python/sglang/srt/server_args.py", "    residency: str | None = None\n"
    found = read(
        {path: body.format("", old, "")}, {path: body.format(field, old, refuses)}, project="sgl-project/sglang"
    )
    assert any(f.kind == "guard_added" and f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("said", "breaks"),
    [
        ('"""Gives the output."""', False),
        ("self.fail('no output here')", False),
        ("self.fail('a', output, 'b')", True),
        ("output = self.last", True),
    ],
)
def test_a_parameter_that_comes_is_new_also_where_a_docstring_or_a_message_has_its_name(
    said: str, breaks: bool
) -> None:
    body = "class Selector:\n    def combine(self, config, x{}):\n        {}\n        self.a = (config.use_one_sided, config.quant_dtype)\n{}        return x\n"
    refuses = '        if output is not None and config.use_one_sided and config.quant_dtype != "nvfp4":\n            raise ValueError("output must be nvfp4")\n'
    found = read({SELECTOR: body.format("", said, "")}, {SELECTOR: body.format(", output=None", said, refuses)})
    assert any(f.kind == "guard_added" and f.breaking for f in found) == breaks


@pytest.mark.parametrize(
    ("condition", "message", "breaks"),
    [
        ("self.overlap and freq > 1", "--overlap is not there for shared layers", True),
        ("self.overlap and freq > 1", "shared layers are not there", False),
        ("not self.overlap and freq > 1", "--overlap is needed for shared layers", False),
        ("self.later and freq > 1", "--later is not there for shared layers", False),
    ],
    ids=["named and set", "not named", "not set", "no option before"],
)
def test_a_refusal_that_names_an_option_breaks_who_has_set_it_whatever_the_model_says(
    condition: str, message: str, breaks: bool
) -> None:
    body = "class ServerArgs:\n    overlap: bool = False\n\n    def handle(self, hf):\n        freq = getattr(hf, 'freq', 1)\n{}        self.b = 2\n"
    added = f"        if {condition}:\n            raise ValueError('{message}')\n"
    path = "python/sglang/srt/server_args.py"
    found = read({path: body.format("")}, {path: body.format(added)}, project="sgl-project/sglang")
    assert [f.breaking for f in found if f.kind == "guard_added"] == [breaks]


@pytest.mark.parametrize(
    ("before", "breaks"),
    [
        ('raise NotImplementedError("this backend is unavailable")', False),
        ('return self.run(x, backend="wide")', False),
        ('return self.run(x, rest.get("backend"))', True),
        ("return self.run(x, backend)", True),
    ],
)
def test_what_a_parameter_may_be_is_nobody_s_break_where_it_comes_with_the_check(before: str, breaks: bool) -> None:
    """Whoever could not give it before is turned away by nothing; a key of what was given, or a name from elsewhere, could be."""
    old = f"class Selector:\n    def pick(self, config, x, **rest):\n        {before}\n"
    check = '        if backend not in ("wide", "narrow"):\n            raise ValueError("backend must be wide or narrow")\n'
    new = f'class Selector:\n    def pick(self, config, x, backend="wide", **rest):\n{check}        {before}\n'
    found = read({SELECTOR: old}, {SELECTOR: new})
    assert any(f.kind == "guard_added" and f.breaking for f in found) == breaks

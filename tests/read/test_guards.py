"""Guards: what comes, goes and changes in functions that were there; new code's own checks are no news."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.guards import facts
from read.behaviour import Told, facts_of, file_of

PATH = "engine/config/model.py"
HEAD = "class ModelConfig:\n    def verify(self, config, tp_size):\n        self.a = 1\n"
TAIL = "        self.b = 2\n        self.c = 3\n        self.d = 4\n"
WHERE = "ModelConfig.verify"


def inside(body: str) -> str:
    return HEAD + body + TAIL


def guard(condition: str, error: str = "ValueError") -> str:
    return f'        if {condition}:\n            raise {error}("no")\n'


def registers(body: str, decorator: str = "        @register_op('run')\n") -> str:
    return f"{decorator}        def run(topk):\n{body}"


CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a raise under an if that comes": (
        "",
        guard("config.head_size > 256"),
        [("guard_added", WHERE, None, "if config.head_size > 256: raise ValueError")],
    ),
    "what ended the program raises now: nobody else is turned away": (
        '        if config.head_size > 256:\n            logger.error("no")\n            sys.exit(1)\n',
        guard("config.head_size > 256"),
        [],
    ),
    "who lacks a key that was taken without asking failed before": (
        '        self.model = config["model"]\n',
        '        has_model = "model" in config\n' + guard("not has_model") + '        self.model = config["model"]\n',
        [],
    ),
    "the same error behind one more question is relaxed": (
        '        if config.fast_mode is None:\n            raise ValueError("Expected a hybrid model, but got unknown.")\n',
        (
            "        if config.fast_mode is None:\n            known = lookup(config)\n            if known is None:\n"
            '                raise ValueError("Expected a hybrid model, but got unknown. Register it first.")\n'
        ),
        [
            (
                "guard_widened",
                WHERE,
                "if config.fast_mode is None: raise ValueError",
                "if config.fast_mode is None and known is None: raise ValueError",
            )
        ],
    ),
    "who lacks a key that nobody took is turned away": (
        "",
        guard('"model" not in config'),
        [("guard_added", WHERE, None, 'if "model" not in config: raise ValueError')],
    ),
    "an assert that tells a type checker one thing more": (
        "        assert tp_size == config.block_size\n",
        "        assert tp_size == config.block_size and self.topology is not None\n",
        [],
    ),
    "an assert on a setting that comes": (
        "",
        '        assert tp_size % config.block_size == 0, "uneven"\n',
        [("guard_added", WHERE, None, "assert tp_size % config.block_size == 0")],
    ),
    "a check in an operator that a maker of a module registers": (
        registers("            self.e = topk\n"),
        registers("            self.e = topk\n            assert topk.dtype == torch.bfloat16\n"),
        [("guard_added", "run", None, "assert topk.dtype == torch.bfloat16")],
    ),
    "a check in an operator that came": (
        "",
        registers("            assert topk.dtype == torch.bfloat16\n"),
        [],
    ),
    "a check in a helper inside that nobody registers": (
        registers("            self.e = topk\n", ""),
        registers("            self.e = topk\n            assert topk.dtype == torch.bfloat16\n", ""),
        [],
    ),
    "a size of nothing is refused, which never ran": ("", guard("config.max_model_len < 1"), []),
    "a count of nothing is refused beside what was": (
        guard("not isinstance(config.num_blocks, int)"),
        guard("not isinstance(config.num_blocks, int) or config.num_blocks <= 0"),
        [],
    ),
    "a size below two is refused": (
        "",
        guard("config.max_model_len < 2"),
        [("guard_added", WHERE, None, "if config.max_model_len < 2: raise ValueError")],
    ),
    "a size below one is refused where minus one meant something": (
        "        if config.max_len == -1:\n            self.a = 3\n",
        "        if config.max_len == -1:\n            self.a = 3\n" + guard("config.max_len < 1"),
        [("guard_added", WHERE, None, "if config.max_len < 1: raise ValueError")],
    ),
    "a mode that is zero is refused": (
        "",
        guard("config.quant_mode == 0"),
        [("guard_added", WHERE, None, "if config.quant_mode == 0: raise ValueError")],
    ),
    "a bound that grows": (
        guard("config.max_len > 8"),
        guard("config.max_len > 16"),
        [
            (
                "guard_widened",
                WHERE,
                "if config.max_len > 8: raise ValueError",
                "if config.max_len > 16: raise ValueError",
            )
        ],
    ),
    "a condition over several lines that gets one more part": (
        '        if (\n            config.a_mode == "x"\n            and config.backend != "y"\n        ):\n            raise ValueError("no")\n',
        '        if (\n            config.a_mode == "x"\n            and config.backend != "y"\n            and not config.eager\n        ):\n            raise ValueError("no")\n',
        [
            (
                "guard_widened",
                WHERE,
                'if config.a_mode == "x" and config.backend != "y": raise ValueError',
                'if config.a_mode == "x" and config.backend != "y" and not config.eager: raise ValueError',
            )
        ],
    ),
    "two conditions, one in the other": (
        "",
        '        if config.enable_lora:\n            if tp_size > 1:\n                raise ValueError("no")\n',
        [("guard_added", WHERE, None, "if config.enable_lora and tp_size > 1: raise ValueError")],
    ),
    "an error answer to a request": (
        "",
        '        if request.n > 1 and request.stream:\n            return self.create_error_response("no")\n',
        [("guard_added", WHERE, None, "if request.n > 1 and request.stream: raise create_error_response")],
    ),
    "an error with a sentence made before": (
        "",
        '        if config.quant_method == "x":\n            msg = f"no {tp_size}"\n            raise NotImplementedError(msg)\n',
        [("guard_added", WHERE, None, 'if config.quant_method == "x": raise NotImplementedError')],
    ),
    "an HTTP error": (
        "",
        guard("request.model is None", "HTTPException"),
        [("guard_added", WHERE, None, "if request.model is None: raise HTTPException")],
    ),
    "a check that now asks for a second condition inside": (
        '        if config.dtype == "e5m2":\n            raise ValueError("e5m2 does not go with checkpoints")\n',
        '        if config.dtype == "e5m2":\n            scheme = find(config)\n            if scheme.static:\n                raise ValueError("e5m2 does not go with checkpoints")\n',
        [
            (
                "guard_widened",
                WHERE,
                'if config.dtype == "e5m2": raise ValueError',
                'if config.dtype == "e5m2" and scheme.static: raise ValueError',
            )
        ],
    ),
    "an assert that becomes an error": (
        '        assert config.layout in ("a", "b")\n',
        guard('config.layout != "a"'),
        [
            (
                "guard_narrowed",
                WHERE,
                'assert config.layout in ("a", "b")',
                'if config.layout != "a": raise ValueError',
            )
        ],
    ),
    "a check at the head of new code": (
        "",
        "        if config.fused:\n            if tp_size > 1:\n                raise ValueError('no')\n            self.use(config)\n",
        [],
    ),
    "the same demand with another error": (
        "        assert tp_size <= config.max_size\n",
        guard("tp_size > config.max_size"),
        [],
    ),
    "a helper that asks for the type": (
        guard("isinstance(config.model, Special)"),
        guard("is_special(config.model)"),
        [],
    ),
    "a check under a condition that was there": (
        "        if config.eager:\n            self.e = 1\n",
        '        if config.eager:\n            if config.block_size > 8:\n                raise ValueError("no")\n            self.e = 1\n',
        [("guard_added", WHERE, None, "if config.eager and config.block_size > 8: raise ValueError")],
    ),
    "a check in the other branch": (
        "        if config.eager:\n            pass\n        else:\n            self.e = 1\n",
        '        if config.eager:\n            pass\n        else:\n            if config.block_size > 8:\n                raise ValueError("no")\n            self.e = 1\n',
        [("guard_added", WHERE, None, "if not config.eager and config.block_size > 8: raise ValueError")],
    ),
    "a check in a loop": (
        "        for one in config.parts:\n            self.e = 1\n",
        '        for one in config.parts:\n            if one.block_size > 8:\n                raise ValueError("no")\n            self.e = 1\n',
        [("guard_added", WHERE, None, "if … and one.block_size > 8: raise ValueError")],
    ),
    "a check behind every other way out": (
        "        if config.backend == 'a':\n            return A()\n        self.e = 1\n",
        "        if config.backend == 'a':\n            return A()\n        if config.quant:\n            raise ValueError('no')\n        self.e = 1\n",
        [("guard_added", WHERE, None, "if … and config.quant: raise ValueError")],
    ),
    "only the message changed": (
        '        if config.x_size > 1:\n            raise ValueError("no")\n',
        '        if config.x_size > 1:\n            raise ValueError("never")\n',
        [],
    ),
    "only the message of an assert changed": (
        '        assert tp_size % config.block_size == 0, "a"\n',
        '        assert tp_size % config.block_size == 0, "b"\n',
        [],
    ),
    "only the line breaks changed": (
        guard('config.dtype in ("a", "b")'),
        "        if config.dtype in (\n            'a',\n            'b',\n        ):\n            raise ValueError(\"no\")\n",
        [],
    ),
    "a line that goes on behind a backslash": (
        guard("config.max_len > 8 and \\\n                config.dtype == 'a'"),
        guard("config.max_len > 9 and config.dtype == 'a'"),
        [
            (
                "guard_widened",
                WHERE,
                "if config.max_len > 8 and config.dtype == 'a': raise ValueError",
                "if config.max_len > 9 and config.dtype == 'a': raise ValueError",
            )
        ],
    ),
    "an assert for the type checker": ("", "        assert config.model is not None\n", []),
    "an isinstance for the type checker": ("", "        assert isinstance(config.model, str)\n", []),
    "an invariant of the author": ("", "        assert len(config.blocks) == 3\n", []),
    "an error of the moment": ("", guard("response.status_code != 200", "RuntimeError"), []),
    "a name reached another way": (guard("config.max_len > 8"), guard("self.config.max_len > 8"), []),
    "none compared as it should be": (guard("config.model == None"), guard("config.model is None"), []),
    "a branch that does not raise": ("", "        if config.head_size > 256:\n            self.a = 5\n", []),
    "words in a docstring": (
        "",
        '        """\n        if config.x > 1:\n            raise ValueError\n        """\n',
        [],
    ),
    "a renamed setting": (guard("config.old_name > 8"), guard("config.fresh_name > 8"), []),
}


@pytest.mark.parametrize("case", CASES)
def test_guards(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of(PATH, inside(before), inside(after), "class ModelConfig:")) == expected


def test_two_checks_whose_errors_say_other_things_are_no_pair() -> None:
    before = '        if config.path is None:\n            raise ValueError(f"Unsupported connector type: {tp_size}")\n'
    asks, says = (
        "if config.path is not None and not config.path:",
        'raise ValueError("The path cannot be an empty string.")',
    )
    found = facts_of(
        facts, file_of(PATH, inside(before), inside(f"        {asks}\n            {says}\n"), "class ModelConfig:")
    )
    assert found == [("guard_added", WHERE, None, f"{asks} {says}")]


def test_what_stood_around_a_check_and_is_asked_beside_it_now_is_told_of_both() -> None:
    says = 'raise ValueError(f"Unsupported connector type: {tp_size}")'
    before = f"        if config.name in KNOWN:\n            self.e = 1\n        else:\n            if config.path is None:\n                {says}\n            self.e = 2\n"
    after = f"        if config.path:\n            self.e = 2\n        elif config.name in KNOWN:\n            self.e = 1\n        else:\n            {says}\n"
    ((kind, _, was, now),) = facts_of(facts, file_of(PATH, inside(before), inside(after), "class ModelConfig:"))
    assert kind == "guard_changed"
    assert all(text is not None and "config.name in KNOWN" in text for text in (was, now)), (was, now)


@pytest.mark.parametrize("case", CASES)
def test_the_way_back_is_the_mirror(case: str) -> None:
    before, after, expected = CASES[case]
    turned = {"guard_added": "guard_removed", "guard_narrowed": "guard_widened", "guard_changed": "guard_changed"}
    turned |= {there: back for back, there in turned.items()}
    back = [(turned[kind], where, now, was) for kind, where, was, now in expected]
    assert facts_of(facts, file_of(PATH, inside(after), inside(before), "class ModelConfig:")) == back


QUIET: dict[str, tuple[str, str]] = {
    "a check behind a setting of the same change": (
        "class ModelConfig:\n    size: int = 1\n\n    def verify(self, config):\n        self.a = 1\n",
        (
            "class ModelConfig:\n    size: int = 1\n    skip_cache: bool = False\n\n    def verify(self, config):\n        self.a = 1\n"
            "        if config.skip_cache and config.dtype == 'fp4':\n            raise ValueError('no')\n"
        ),
    ),
    "a check of a parameter of the same change": (
        "def encode(builder, config):\n    return builder\n",
        "def encode(builder, config, flag_bits=0):\n    assert flag_bits < 1 or config.version >= 13\n    return builder\n",
    ),
    "checks of a new function that leaves where a new switch is off": (
        "class ModelConfig:\n    def __post_init__(self):\n        self.a = 1\n",
        (
            "class ModelConfig:\n    fast_path: bool = False\n\n    def __post_init__(self):\n        self.a = 1\n        self._validate_fast_path()\n\n"
            "    def _validate_fast_path(self):\n        if not self.fast_path:\n            return\n        if self.dtype == 'fp4':\n"
            "            raise ValueError('no')\n"
        ),
    ),
    "a check that moved into what is called": (
        "def load(config, size):\n    if size % config.block_size:\n        raise ValueError('uneven')\n    return run(config)\n",
        (
            "def load(config, size):\n    check(config, size)\n    return run(config)\n\n\n"
            "def check(cfg, count):\n    if count % cfg.block_size:\n        raise ValueError('uneven')\n"
        ),
    ),
    "a check whose value got a name": (
        "class A:\n    def old(self):\n        value = self.max_states\n        if value == 0 or value < -1:\n            raise ValueError('no')\n",
        "class A:\n    def handle(self):\n        if self.max_states == 0 or self.max_states < -1:\n            raise ValueError('no')\n",
    ),
    "a way out in place of a block": (
        "def load(config):\n    if config.quant:\n        if config.block_size > 8:\n            raise ValueError('no')\n        use(config)\n",
        "def load(config):\n    if not config.quant:\n        return\n    if config.block_size > 8:\n        raise ValueError('no')\n    use(config)\n",
    ),
    "one check in two": (
        "def load(config):\n    if config.quant or config.block_size > 8:\n        raise ValueError('no')\n",
        "def load(config):\n    if config.quant:\n        raise ValueError('no')\n    if config.block_size > 8:\n        raise ValueError('no')\n",
    ),
    "a local name that is an attribute's elsewhere": (
        "def load(self, config):\n    for name in config.dtypes:\n        if name not in self.name:\n            raise ValueError('no')\n",
        "def load(self, config):\n    for one in config.dtypes:\n        if one not in self.name:\n            raise ValueError('no')\n",
    ),
    "a text further left than its function, on one line": (
        "class A:\n    def load(self, config):\n        if config.quant:\n            raise ValueError('''no\nquant''')\n",
        "class A:\n    def load(self, config):\n        if config.quant:\n            raise ValueError('no\\nquant')\n",
    ),
    "a wrapper around the same question": (
        "def load(config):\n    if config.dtype not in ('a', 'b'):\n        raise ValueError('no')\n",
        "def load(config):\n    if not known(config):\n        raise ValueError('no')\n\n\ndef known(c):\n    return c.dtype in ('a', 'b')\n",
    ),
}


@pytest.mark.parametrize("case", QUIET)
def test_nobody_is_turned_away_by(case: str) -> None:
    before, after = QUIET[case]
    assert facts_of(facts, file_of(PATH, before, after)) == []


LEAVES = {
    "that returns": "return 1",
    "that raises": "raise KeyError('big')",
}


@pytest.mark.parametrize("around", ["", "    try:\n        run()\n    except OSError:\n", "    if config.eager:\n"])
@pytest.mark.parametrize("leaves", LEAVES)
def test_a_raise_in_an_else_and_behind_a_branch_that_leaves_is_the_same_way_out(leaves: str, around: str) -> None:
    deep = "        " if around else "    "
    asked = f"def load(config):\n{around}{deep}if config.head_size > 256:\n{deep}    {LEAVES[leaves]}\n"
    inside_else = f"{asked}{deep}else:\n{deep}    raise ValueError('no')\n"
    behind = f"{asked}{deep}raise ValueError('no')\n"
    for before, after in ((inside_else, behind), (behind, inside_else)):
        assert facts_of(facts, file_of(PATH, before, after)) == []
    gone = f"{asked}{deep}else:\n{deep}    return 2\n"
    assert [f[0] for f in facts_of(facts, file_of(PATH, inside_else, gone))] == ["guard_removed"]


def test_a_guard_that_moved_and_lets_more_through_is_widened() -> None:
    one = "        assert config.cache_dtype in ['fp8']\n"
    two = "        assert config.cache_dtype in ['fp8', 'bfloat16']\n"
    moved = file_of(PATH, inside(one), HEAD + TAIL + two)
    assert [(kind, was, now) for kind, _, was, now in facts_of(facts, moved)] == [
        ("guard_widened", "assert config.cache_dtype in ['fp8']", "assert config.cache_dtype in ['fp8', 'bfloat16']")
    ]


def test_a_part_of_a_check_that_is_gone_widens_it() -> None:
    old, new = (
        f"        if {c}:\n            raise ValueError('no')\n" for c in ("is_cuda() or is_rocm()", "is_cuda()")
    )
    assert [f[0] for f in facts_of(facts, file_of(PATH, inside(old), inside(new)))] == ["guard_widened"]


def test_a_branch_before_an_else_that_raises_is_one_more_thing_that_passes() -> None:
    first = '        if config.backend == "a":\n            self.e = 1\n'
    more = '        elif config.backend == "b":\n            self.e = 2\n'
    last = '        else:\n            raise ValueError("no")\n'
    was = 'if not (config.backend == "a"): raise ValueError'
    now = 'if not (config.backend == "a") and not (config.backend == "b"): raise ValueError'
    told = facts_of(facts, file_of(PATH, inside(first + last), inside(first + more + last)))
    assert told == [("guard_widened", WHERE, was, now)]
    still = more.replace("self.e = 2", "if not config.url:\n                raise ValueError('not set up')")
    told = facts_of(facts, file_of(PATH, inside(first + last), inside(first + still + last)))
    assert "guard_widened" not in [one[0] for one in told], "what passes here is refused there"


def test_a_check_under_a_condition_that_stays_replaces_the_one_that_stood_there() -> None:
    before = (
        '        if config.is_fp4:\n            if not platform.is_sm(100):\n                raise ValueError("a")\n'
    )
    after = '        if config.is_fp4:\n            if forced() is False or not serves(config):\n                raise ValueError("b")\n'
    bound = "        assert config.block_size <= 64 or {}tp_size > config.num_heads\n"
    old, new = before + bound.format(""), after + bound.format("platform.is_sm(100) or ")
    told = facts_of(facts, file_of(PATH, inside(old), inside(new)))
    assert [(kind, was and was.split()[0], now and now.split()[0]) for kind, _, was, now in told] == [
        ("guard_changed", "if", "if"),
        ("guard_widened", "assert", "assert"),
    ]


def test_a_check_of_a_variable_is_one_of_what_users_give() -> None:
    new = "        if not envs.ENGINE_TRUSTS:\n            raise ValueError(f'no {tp_size}')\n"
    ((kind, _, _, text),) = facts_of(facts, file_of(PATH, inside(""), inside(new)))
    assert (kind, text) == ("guard_added", "if not envs.ENGINE_TRUSTS: raise ValueError")
    said = new.replace("f'no {tp_size}'", "f'set ENGINE_TRUSTS=1 {tp_size}'")
    assert facts_of(facts, file_of(PATH, inside(""), inside(said))), "its own words do not define it"


def test_checks_of_a_new_function_are_part_of_it() -> None:
    new = "def load(config):\n" + guard("config.head_size > 256").replace("        ", "    ", 1) + "    return 1\n"
    assert facts_of(facts, file_of(PATH, "a = 1\n", "a = 1\n\n\n" + new)) == []


def test_a_new_validator_of_a_class_that_was_there_is_a_guard() -> None:
    new = '    @field_validator("mode")\n    def known(cls, mode):\n        if mode not in MODES:\n            raise ValueError("no")\n        return mode\n'
    before = "class Config:\n    x: int = 1\n    mode: str = 'a'\n"
    assert facts_of(facts, file_of(PATH, before, before + "\n" + new)) == [
        ("guard_added", "Config.known", None, "if mode not in MODES: raise ValueError")
    ]


def test_a_check_in_a_new_branch_is_part_of_it() -> None:
    new = "        for layer in config.layers:\n            self.use(layer)\n            if layer.head_size > 1:\n                raise ValueError('no')\n"
    assert facts_of(facts, file_of(PATH, inside(""), inside(new))) == []


def test_a_check_that_moved_to_another_file_is_neither_new_nor_gone() -> None:
    text = guard("config.head_size > 256")
    gone, come = file_of(PATH, inside(text), inside("")), file_of("engine/other.py", inside(""), inside(text))
    assert facts_of(facts, gone, come) == []


def test_nothing_is_called_gone_when_a_part_of_the_diff_is_missing() -> None:
    file = file_of(PATH, inside(guard("config.head_size > 256")), inside(""))
    assert facts_of(facts, file, complete=False) == []


def test_a_name_changed_throughout_is_no_change_of_guards() -> None:
    text = guard('self.mode == "ray"') + "        self.e = 5\n" + guard('self.mode not in ("ray", "http")')
    assert facts_of(facts, file_of(PATH, inside(text), inside(text.replace("mode", "send_mode")))) == []


def test_at_most_three_of_a_kind_in_a_file() -> None:
    text = "".join(guard(f"config.size_{n} > {n}") for n in range(9))
    assert len(facts_of(facts, file_of(PATH, inside(""), inside(text)))) == 3


@pytest.mark.parametrize("path", ["tests/test_a.py", "benchmarks/a.py", "tools/a.py", "examples/a.py"])
def test_tests_and_tools_do_not_count(path: str) -> None:
    assert facts_of(facts, file_of(path, inside(""), inside(guard("config.head_size > 256")))) == []


BITS = [
    "if config.x > 1:",
    "raise ValueError(",
    "assert ",
    "(",
    ")",
    '"',
    "'''",
    "\n",
    "    ",
    "def f(config):",
    "\\",
    ",",
    "#",
    "elif a:",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(BITS) | st.text(max_size=5)), st.lists(st.sampled_from(BITS) | st.text(max_size=5)))
def test_never_raises(first: list[str], second: list[str]) -> None:
    before, after = "".join(first), "".join(second)
    facts_of(facts, file_of(PATH, before, after))
    assert facts_of(facts, file_of(PATH, before, before)) == []

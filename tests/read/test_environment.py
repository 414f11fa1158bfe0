"""Environment variables: tables of before, after and exactly the findings that must come out."""

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings import read as two_states
from daybreak.findings.languages import environment
from read.made import read
from read.made import told as told_findings
from read.offers import Told, facts_of, mirrored, plainly, told
from timing import beside

ENVS = "engine/envs.py"
TABLE = "environment_variables: dict[str, Any] = {{\n{}}}\n"
ROW = '    # a comment, (open\n    "{0}": lambda: bool(\n        int(os.getenv("{0}", "{1}"))\n    ),\n'
CLASS = "class Envs:\n    ENGINE_REST = EnvInt(1)\n"
X = "ENGINE_X_Y"


def row(name: str, default: str = "0") -> str:
    return TABLE.format(ROW.format("ENGINE_REST", 1) + ROW.format(name, default))


OTHER = '    "{0}": lambda: os.environ.get(\n        "{1}", "{2}"\n    ).lower() in ("1", "true"),\n'
KEY, OWN = "ENGINE_HPU_USE_DELAYED", "ENGINE_DELAYED"


def other(key: str = KEY, read: str = OWN, default: str = "0") -> str:
    """A row whose key is not the variable that it reads."""
    return TABLE.format(ROW.format("ENGINE_REST", 1) + OTHER.format(key, read, default))


CASES: dict[str, tuple[str, str, list[Told]]] = {
    "row gone": (row(X), TABLE.format(ROW.format("ENGINE_REST", 1)), [("env_removed", X, X, None, True)]),
    "row of the project's CI gone": (
        row("ENGINE_AMD_CI"),
        TABLE.format(ROW.format("ENGINE_REST", 1)),
        [("env_removed", "ENGINE_AMD_CI", "ENGINE_AMD_CI", None, False)],
    ),
    "row with CI inside a word gone": (
        row("ENGINE_CIPHER"),
        TABLE.format(ROW.format("ENGINE_REST", 1)),
        [("env_removed", "ENGINE_CIPHER", "ENGINE_CIPHER", None, True)],
    ),
    "row new": (TABLE.format(ROW.format("ENGINE_REST", 1)), row(X), [("env_added", X, None, X, False)]),
    "row with another default": (row(X, "0"), row(X, "1"), [("env_default_changed", X, "0", "1", False)]),
    "row with another lambda": (TABLE.format(f'    "{X}": lambda: 1,\n'), TABLE.format(f'    "{X}": lambda: 2,\n'), []),
    "row that a function makes": (TABLE.format(f'    "{X}": get_port,\n'), TABLE.format(""), [("env_removed", X, X, None, True)]),
    "row with choices": (
        TABLE.format(f'    "{X}": env_with_choices("{X}", "a", ["a", "b"]),\n'),
        TABLE.format(f'    "{X}": env_with_choices("{X}", "b", ["a", "b"]),\n'),
        [("env_default_changed", X, "a", "b", False)],
    ),
    "row renamed": (
        row("ENGINE_USE_TRITON_ROPE"),
        row("ENGINE_USE_AITER_TRITON_ROPE"),
        [("env_renamed", "ENGINE_USE_TRITON_ROPE", "ENGINE_USE_TRITON_ROPE", "ENGINE_USE_AITER_TRITON_ROPE", True)],
    ),
    "another row with another name is no rename": (
        row("ENGINE_USE_ROPE"),
        row("ENGINE_KV_SPACE"),
        [
            ("env_added", "ENGINE_KV_SPACE", None, "ENGINE_KV_SPACE", False),
            ("env_removed", "ENGINE_USE_ROPE", "ENGINE_USE_ROPE", None, True),
        ],
    ),
    "a row gone that reads a variable of another name: users set what is read": (
        other(), TABLE.format(ROW.format("ENGINE_REST", 1)), [("env_removed", OWN, OWN, None, True)]
    ),
    "a row new that reads a variable of another name": (
        TABLE.format(ROW.format("ENGINE_REST", 1)), other(), [("env_added", OWN, None, OWN, False)]
    ),
    "a row with another default of the variable it reads": (
        other(default="0"), other(default="1"), [("env_default_changed", OWN, "0", "1", False)]
    ),
    "a row of another key that reads the same variable: users set what they set before": (other(), other("ENGINE_LATE"), []),
    "a row that reads another variable under the same key": (
        other(), other(read="ENGINE_LATE"), [("env_renamed", OWN, OWN, "ENGINE_LATE", True)]
    ),
    "a row that reads its own key at last": (other(), other(read=KEY), [("env_renamed", OWN, OWN, KEY, True)]),
    "a row that reads its own key, and the old variable still": (
        other(),
        TABLE.format(f'    "ENGINE_REST": lambda: os.getenv("ENGINE_REST"),\n    "{KEY}": lambda: os.getenv("{KEY}", os.getenv("{OWN}")),\n'),
        [("env_added", KEY, None, KEY, False)],
    ),
    "a row gone whose variable another row still reads": (
        other(), TABLE.format(ROW.format("ENGINE_REST", 1) + OTHER.format("ENGINE_LATE", OWN, "0")), []
    ),
    "a row gone whose variable is still read elsewhere in the file": (
        other(), TABLE.format(ROW.format("ENGINE_REST", 1)) + f'x = os.environ["{OWN}"]\n', []
    ),
    "a row that reads several: the first is the variable, the others are fallbacks": (
        TABLE.format(f'    "{KEY}": lambda: os.getenv("{OWN}") or os.getenv("ENGINE_LATE"),\n'),
        TABLE.format(""),
        [("env_read_removed", "ENGINE_LATE", "ENGINE_LATE", None, True), ("env_removed", OWN, OWN, None, True)],
    ),
    "a row that reads its key among others: that is the variable": (
        TABLE.format(f'    "{X}": lambda: os.getenv("ENGINE_LATE") or os.getenv("{X}"),\n'),
        TABLE.format(""),
        [("env_read_removed", "ENGINE_LATE", "ENGINE_LATE", None, True), ("env_removed", X, X, None, True)],
    ),
    "a row that asks by a function": (
        TABLE.format(f'    "{KEY}": env_with_choices("{OWN}", "a", ["a", "b"]),\n'), TABLE.format(""), [("env_removed", OWN, OWN, None, True)]
    ),
    "a row that asks whether a variable is there": (
        TABLE.format(f'    "{KEY}": lambda: "{OWN}" in os.environ,\n'), TABLE.format(""), [("env_removed", OWN, OWN, None, True)]
    ),
    "a row that looks at another project's variable does not declare it": (
        other(read="JAX_PLATFORMS"),
        TABLE.format(ROW.format("ENGINE_REST", 1)),
        [],
    ),
    "a row of a table of another name": (
        "KNOBS = {\n" + OTHER.format(KEY, OWN, "0") + "}\n", "KNOBS = {}\n", [("env_removed", OWN, OWN, None, True)]
    ),
    "a row of a table of another name, and a read behind it": (
        f'KNOBS = {{\n    "{X}": lambda: 1}}\ny = os.getenv("{OWN}")\n',
        f'y = os.getenv("{OWN}")\n',
        [("env_removed", X, X, None, True)],
    ),
    "rows in another order": (
        TABLE.format(ROW.format("ENGINE_A_B", 1) + ROW.format("ENGINE_C_D", 1)),
        TABLE.format(ROW.format("ENGINE_C_D", 1) + ROW.format("ENGINE_A_B", 1)),
        [],
    ),
    "rows that are now made in a loop": (
        row("ENGINE_DIT_SECONDARY_FN"),
        TABLE.format(ROW.format("ENGINE_REST", 1)) + 'for s in ("FN",):\n    key = f"ENGINE_DIT_SECONDARY_{s}"\n',
        [],
    ),
    "field gone": (CLASS + f"    {X} = EnvBool(False)\n", CLASS, [("env_removed", X, X, None, True)]),
    "field new": (CLASS, CLASS + f"    {X} = EnvInt(3)\n", [("env_added", X, None, X, False)]),
    "field with another default": (
        CLASS + f"    {X} = EnvFloat(0.03)  # s\n",
        CLASS + f"    {X} = EnvFloat(0.005)\n",
        [("env_default_changed", X, "0.03", "0.005", False)],
    ),
    "field over several lines": (CLASS + f"    {X} = EnvStr(\n        'a'\n    )\n", CLASS + f'    {X} = EnvStr("a")\n', []),
    "field renamed": (
        CLASS + "    ENGINE_OLD_X = EnvBool(True)\n",
        CLASS + "    ENGINE_NEW_X = EnvBool(True)\n",
        [("env_renamed", "ENGINE_OLD_X", "ENGINE_OLD_X", "ENGINE_NEW_X", True)],
    ),
    "field renamed, the old name still taken": (
        CLASS + "    ENGINE_NSA_TOPK = EnvBool(True)\n",
        CLASS + '    ENGINE_DSA_TOPK = EnvBoolWithAlias(\n        True, deprecated_name="ENGINE_NSA_TOPK"\n    )\n',
        [("env_renamed", "ENGINE_NSA_TOPK", "ENGINE_NSA_TOPK", "ENGINE_DSA_TOPK", False)],
    ),
    "the old name is no longer taken": (
        CLASS + '    ENGINE_DSA_TOPK = EnvBoolWithAlias(True, deprecated_name="ENGINE_NSA_TOPK")\n',
        CLASS + "    ENGINE_DSA_TOPK = EnvBool(True)\n",
        [("env_renamed", "ENGINE_NSA_TOPK", "ENGINE_NSA_TOPK", "ENGINE_DSA_TOPK", True)],
    ),
    "forwarded by a table of deprecated names": (
        CLASS + "    ENGINE_GC_LOG = EnvBool(True)\n",
        CLASS + '    ENGINE_LOG_GC = EnvBool(True)\n_OLD = {\n    "ENGINE_GC_LOG": _DeprecatedEnv(replacement="ENGINE_LOG_GC"),\n}\n',
        [("env_renamed", "ENGINE_GC_LOG", "ENGINE_GC_LOG", "ENGINE_LOG_GC", False)],
    ),
    "forwarded by a table of pairs": (
        CLASS + "    ENGINE_QUEUE_MS = EnvInt(-1)\n",
        CLASS + '    ENGINE_WAITING = EnvFloat(-1)\nfor old, new in {"ENGINE_QUEUE_MS": "ENGINE_WAITING"}.items():\n    warn("deprecated")\n',
        [("env_renamed", "ENGINE_QUEUE_MS", "ENGINE_QUEUE_MS", "ENGINE_WAITING", False)],
    ),
    "forwarded by a function": (
        CLASS + "    ENGINE_OLD_X = EnvBool(True)\n",
        CLASS + '    ENGINE_NEW_X = EnvBool(True)\n_print_deprecated_env("ENGINE_NEW_X", "ENGINE_OLD_X")\n',
        [("env_renamed", "ENGINE_OLD_X", "ENGINE_OLD_X", "ENGINE_NEW_X", False)],
    ),
    "a read that a function forwards to a field, in the other order": (
        CLASS + '    ENGINE_REST = 1\nx = os.environ.get("ENGINE_OLD_X", "0")\n',
        CLASS + '    ENGINE_NEW_X = EnvBool(False)\n    ENGINE_REST = 1\n_print_deprecated_env("ENGINE_OLD_X", "ENGINE_NEW_X")\n',
        [("env_renamed", "ENGINE_OLD_X", "ENGINE_OLD_X", "ENGINE_NEW_X", False)],
    ),
    "a field that a function forwards an old name to, and nobody read that": (
        CLASS + "    ENGINE_REST = 1\n",
        CLASS + '    ENGINE_NEW_X = EnvBool(False)\n    ENGINE_REST = 1\n_print_deprecated_env("ENGINE_OLD_X", "ENGINE_NEW_X")\n',
        [("env_added", "ENGINE_NEW_X", None, "ENGINE_NEW_X", False)],
    ),
    "forwarded by its prefix": (
        CLASS + "    ENG_OLD_X = EnvBool(True)\n",
        CLASS + '    ENGINE_OLD_X = EnvBool(True)\nnew = key.replace("ENG_", "ENGINE_")\n',
        [("env_renamed", "ENG_OLD_X", "ENG_OLD_X", "ENGINE_OLD_X", False)],
    ),
    "only warned about": (
        CLASS + f"    {X} = EnvBool(True)\n",
        CLASS + f'_OLD = {{\n    "{X}": _DeprecatedEnv(note="Use --x-y."),\n}}\n',
        [("env_removed", X, X, None, True)],
    ),
    "now read elsewhere in the file": (row(X), TABLE.format(ROW.format("ENGINE_REST", 1)) + f'x = os.environ.get("{X}")\n', []),
    "for the project's own tests": (
        CLASS + "    ENGINE_TEST_RETRACT = EnvBool(True)\n",
        CLASS,
        [("env_removed", "ENGINE_TEST_RETRACT", "ENGINE_TEST_RETRACT", None, False)],
    ),
    "no longer read": (f'x = os.getenv("{X}", "1")\n', "x = 1\n", [("env_read_removed", X, X, None, True)]),
    "read under another prefix, by a function of the project": (
        'x = _env_flag_enabled("TRT_DISABLE_QUANT_FAST_MATH")\n',
        'x = _env_flag_enabled(\n    "ENGINE_DISABLE_QUANT_FAST_MATH"\n)\n',
        [
            (
                "env_renamed",
                "TRT_DISABLE_QUANT_FAST_MATH",
                "TRT_DISABLE_QUANT_FAST_MATH",
                "ENGINE_DISABLE_QUANT_FAST_MATH",
                True,
            )
        ],
    ),
    "a variable of something else is no longer read": (
        'x = os.getenv("NCCL_SHM", "1")\n', "x = 1\n", []
    ),
    "another variable is read": (
        f'x = os.getenv("{X}")\n',
        'x = os.getenv("ENGINE_POOL_SIZE")\n',
        [("env_read_added", "ENGINE_POOL_SIZE", None, "ENGINE_POOL_SIZE", False), ("env_read_removed", X, X, None, True)],
    ),
    "read": ("x = 1\n", f'x = os.environ["{X}"]\n', [("env_read_added", X, None, X, False)]),
    "row with another default behind its else": (
        TABLE.format(f'    "{X}": lambda: (\n        bool(int(os.environ["{X}"]))\n        if "{X}" in os.environ\n        else None\n    ),\n'),
        TABLE.format(f'    "{X}": lambda: (\n        bool(int(os.environ["{X}"]))\n        if "{X}" in os.environ\n        else True\n    ),\n'),
        [("env_default_changed", X, "None", "True", False)],
    ),
    "read with another default": (
        f'x = get_bool_env_var("{X}", "false")\n',
        f'x = get_bool_env_var("{X}", "true")\n',
        [("env_default_changed", X, "false", "true", False)],
    ),
    "a stand-in for a row's read that gave nothing": (
        TABLE.format(f'    "{X}": lambda: (\n        os.getenv("{X}", "").lower() or "12.9"\n    ),\n'),
        TABLE.format(f'    "{X}": lambda: (\n        os.getenv("{X}", "").lower() or "13.0"\n    ),\n'),
        [("env_default_changed", X, "12.9", "13.0", False)],
    ),
    "a stand-in for a read that gave nothing, however that is written": (
        f'x = (\n    os.getenv("{X}", "").lower() or "12.9"\n)\n',
        f'x = (\n    os.getenv("{X}", "").lower() or "13.0"\n)\n',
        [("env_default_changed", X, "12.9", "13.0", False)],
    ),
    "read as a truth now, with another default": (
        f'x = get_bool_env_var("{X}", "0")\n',
        f'x = get_bool_env_var("{X}", True)\n',
        [("env_default_changed", X, "False", "True", False)],
    ),
    "read as a truth now, with the same default": (
        f'x = get_bool_env_var("{X}", "0")\n',
        f'x = get_bool_env_var("{X}", False)\n',
        [],
    ),
    "set, not read": ("x = 1\n", f'os.environ["{X}"] = "1"\nos.setenv("{X}", "1")\n', []),
    "in a comment": (f'# os.getenv("{X}")\n', "x = 1\n", []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_environment(name: str) -> None:
    before, after, expected = CASES[name]
    assert told(facts_of(environment, {ENVS: (before, after)})) == expected


@pytest.mark.parametrize("name", CASES)
def test_a_file_compared_with_itself_gives_nothing(name: str) -> None:
    for text in CASES[name][:2]:
        assert facts_of(environment, {ENVS: (str(text), str(text))}) == []


MODULE = "engine/config/vllm.py"
SETS = 'def fill(self):\n    if self.model and "{0}" not in os.environ and any(\n        a in KNOWN for a in self.names\n    ):\n        os.environ["{0}"] = "1"\n'
FOR_SOME = (
    f'def fill(self):\n    if (\n        self.model_config is not None\n        and "{X}" not in os.environ\n        and any(\n'
    '            a in ("FirstForCausalLM", "SecondForCausalLM")\n            for a in self.model_config.architectures\n'
    f'        )\n    ):\n        os.environ["{X}"] = "1"\n'
)
NOT_YET = "def fill(self):\n    pass\n"
WHEN = "self.model and any(a in KNOWN for a in self.names)"
MANY = f"any(a in ({', '.join(f'{chr(34)}Model{n}ForCausalLM{chr(34)}' for n in range(9))}) for a in names)"
FOR_MANY = f'def run(names):\n    if "{X}" not in os.environ and {MANY}:\n        os.environ["{X}"] = "1"\n'
FAR_BELOW = (
    f'try:\n    if "{X}" not in os.environ:\n        if "library" in sys.modules:\n            warn("{"too late " * 80}")\n'
    f'        else:\n            os.environ["{X}"] = "1"\n    import library\nexcept ImportError:\n    pass\n'
)


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("set where it is not there", NOT_YET, SETS.format(X), [("env_filled", X, None, f"1 if {WHEN}", True)]),
        ("set where it gives None", NOT_YET, f'if os.environ.get("{X}") is None:\n    os.environ["{X}"] = "1"\n', [("env_filled", X, None, "1", True)]),
        ("setdefault", NOT_YET, f'os.environ.setdefault("{X}", "1")\n', [("env_filled", X, None, "1", True)]),
        ("another value", SETS.format(X), SETS.format(X).replace('= "1"', '= "0"'), [("env_filled", X, f"1 if {WHEN}", f"0 if {WHEN}", True)]),
        ("another value of setdefault is told once", f'os.environ.setdefault("{X}", "1")\n', f'os.environ.setdefault("{X}", "2")\n', [("env_default_changed", X, "1", "2", False)]),
        ("set far below the question", NOT_YET, FAR_BELOW, [("env_filled", X, None, "1", True)]),
        ("set where something else holds, too", NOT_YET, f'def run(config):\n    if config.fast and "{X}" not in os.environ:\n        os.environ["{X}"] = "1"\n', [("env_filled", X, None, "1 if config.fast", True)]),
        ("set for a few models, after the question whether there is one", NOT_YET, FOR_SOME, [("env_filled", X, None, '1 if any(a in ("FirstForCausalLM", "SecondForCausalLM") for a in self.model_config.architectures)', True)]),
        ("set below questions", NOT_YET, f'def run(config):\n    if config.size > 1 or config.fast:\n        if on_gpu():\n            os.environ.setdefault("{X}", "1")\n', [("env_filled", X, None, "1 if (config.size > 1 or config.fast) and on_gpu()", True)]),
        ("set for many models, whose list is too long for a sentence", NOT_YET, FOR_MANY, [("env_filled", X, None, f"1 if {MANY[:120]} …", True)]),
        ("set near a question that is over", NOT_YET, f'if "{X}" not in os.environ:\n    log(1)\nos.environ["{X}"] = "1"\n', []),
        ("set whatever users set", NOT_YET, f'os.environ["{X}"] = "1"\n', []),
        ("a variable that comes with it", CLASS, CLASS + f'    {X} = EnvBool(False)\nos.environ.setdefault("{X}", "1")\n', []),
    ],
)  # fmt: skip
def test_a_variable_that_the_program_sets_where_nobody_did_has_another_default(
    what: str, before: str, after: str, expected: list[Told]
) -> None:
    found = facts_of(environment, {MODULE: (before, after)})
    assert [f for f in told(found) if f[0] in ("env_filled", "env_default_changed")] == expected, what


@pytest.mark.parametrize(("default", "told"), [("False", []), ("True", ["env_filled"])])
def test_a_variable_set_under_an_option_that_comes_with_it_has_no_other_default_unless_the_option_is_on(
    default: str, told: list[str]
) -> None:
    asks = f'def make(args):\n    if args.enable_tier:\n        os.environ.setdefault("{X}", "1")\n'
    options = "class ServerArgs:\n    port: int = 1\n"
    before = {MODULE: "def make(args):\n    return 1\n", "engine/server_args.py": options}
    after = {MODULE: f"{asks}    return 1\n", "engine/server_args.py": f"{options}    enable_tier: bool = {default}\n"}
    assert [f.kind for f in two_states(before, after) if f.kind == "env_filled"] == told


@pytest.mark.parametrize("warns", ['_print_deprecated_env("{}")\n', 'warn_removed_env("{}")\n'])
def test_a_variable_is_gone_though_a_line_that_says_so_names_it(warns: str) -> None:
    user = "engine/loop.py"
    before = {ENVS: CLASS + f"    {X} = EnvBool(True)\n", user: f"if envs.{X}.get():\n    go()\n"}
    after = {ENVS: CLASS + warns.format(X), user: "go()\n"}
    found = [f for f in two_states(before, after) if f.symbol == X]
    assert [(f.kind, f.breaking) for f in found] == [("env_removed", True)]


def test_alias_status() -> None:
    before, after, _ = CASES["forwarded by a function"]
    (fact,) = facts_of(environment, {ENVS: (str(before), str(after))})
    assert fact.alias is not None
    assert (fact.alias.status, fact.alias.where) == ("deprecated", "ENGINE_NEW_X")


def test_a_variable_that_moved_to_another_file_is_not_removed() -> None:
    files = {
        ENVS: (row(X), TABLE.format(ROW.format("ENGINE_REST", 1))),
        "engine/environ.py": ("", f"class E:\n    {X} = EnvBool(0)\n"),
    }
    assert facts_of(environment, files) == []


def test_a_variable_that_another_file_reads_now_is_not_removed() -> None:
    files = {
        ENVS: (row(X), TABLE.format(ROW.format("ENGINE_REST", 1))),
        "csrc/x.cu": ("", f'  auto v = std::getenv("{X}");\n'),
    }
    assert facts_of(environment, files) == []


def test_a_variable_whose_name_is_held_before_it_is_read_is_still_read() -> None:
    was = f'import os\nfast = os.getenv("{X}", "0")\n'
    held = f'import os\nname = "{X}"\nif draft:\n    name = "{X}_DRAFT"\nfast = os.getenv(name, "0")\n'
    assert facts_of(environment, {"engine/a.py": (was, held)}) == []
    asked = f"from engine.envs import envs\nfast = envs.{X}.get()\n"
    assert facts_of(environment, {"engine/a.py": (was, asked)}) == []
    base = ("import os\n", f"import os\nfast = envs.{X}.get()\n")
    assert facts_of(environment, {"engine/a.py": (was, "import os\n"), "engine/base.py": base}) == [], "a base does"
    for path, line in {
        "tests/test_a.py": f'monkey.delenv("{X}")',
        "docs/a.md": f'"{X}" is gone',
        "engine/b.py": f'# "{X}" is gone',
    }.items():
        told = facts_of(environment, {"engine/a.py": (was, "import os\n"), path: ("x = 1\n", f"x = 1\n{line}\n")})
        assert [one.kind for one in told] == ["env_read_removed"], path
    gone = facts_of(environment, {"engine/a.py": (was, "import os\nfast = False\n")})
    assert [one.kind for one in gone] == ["env_read_removed"]


def test_a_variable_whose_name_is_made_of_its_beginning_is_still_read() -> None:
    was = "import os\nx = os.getenv('ACME_DUMPER_DIR')\n"
    now = "import os\ndef read(field):\n    return os.getenv('ACME_DUMPER_' + field.upper())\n"
    assert facts_of(environment, {"acme/a.py": (was, now)}) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("csrc/x.cu", f'  auto v = std::getenv("{X}");\n'),
        ("launch/run.sh", f"x=${{{X}:-1}}\n"),
    ],
)
def test_other_languages_read_the_environment_too(path: str, line: str) -> None:
    assert told(facts_of(environment, {path: ("", line)})) == [("env_read_added", X, None, X, False)]


KNOBS = "".join(f'int get{n}() {{ return getIntEnv("TLLM_KNOB_{n}"); }}\n' for n in "ABC")


@pytest.mark.parametrize(("known", "expected"), [(KNOBS, ["env_read_removed"]), ("", [])])
def test_a_variable_that_a_compiled_file_reads_beside_its_like_is_its_own(known: str, expected: list[str]) -> None:
    """By any function that is called after what it reads; another project's own is no business of a file that reads one."""
    line = 'bool once() { return getBoolEnv("TLLM_ONE_BLOCK"); }\n'
    path = "csrc/common/env_utils.cpp"
    found = two_states({path: known + line}, {path: known + "\n"})
    assert [f.kind for f in found] == expected


def test_a_script_that_comes_as_a_whole_is_not_told_variable_by_variable() -> None:
    assert facts_of(environment, {"install/v2/setup.sh": (None, f"x=${{{X}:-1}}\n")}) == []


@pytest.mark.parametrize("path", ["tests/conftest.py", "docs/conf.py", "tools/x.py", ".buildkite/run.sh"])
def test_variables_of_tests_and_tools_are_nobodys_business(path: str) -> None:
    assert facts_of(environment, {path: (f'x = os.getenv("{X}")\n', "")}) == []


def test_hunks_alone_when_there_is_nothing_else() -> None:
    assert told_findings(read(ENVS, f"    {X} = EnvBool(False)\n", "")) == [("env_removed", X, X, None, True)]
    assert told_findings(read(ENVS, f'    "{X}": lambda: 1,\n', "")) == [("env_removed", X, X, None, True)]


fields = st.lists(
    st.tuples(st.sampled_from(["A_ONE", "B_TWO", "C_SIX"]), st.integers(0, 2)), max_size=3, unique_by=lambda f: f[0]
)


@settings(max_examples=100, deadline=None)
@given(fields, fields)
def test_backwards_is_mirrored(old: list[tuple[str, int]], new: list[tuple[str, int]]) -> None:
    sides = [CLASS + "".join(f"    {name} = EnvInt({value})\n" for name, value in one) for one in (old, new)]
    there = facts_of(environment, {ENVS: (sides[0], sides[1])})
    assert mirrored(there) == plainly(facts_of(environment, {ENVS: (sides[1], sides[0])}))


@pytest.mark.parametrize(
    "text", ["environ" * 100_000, "    A_BC = EnvBool(" * 30_000, "environment_variables = {" * 20_000, 'f"A_BC' * 80_000, 'getenv("A_BC",' * 40_000]
)  # fmt: skip
def test_hostile_sizes_are_linear(text: str) -> None:
    started = time.process_time()
    with contextlib.suppress(ValueError):  # counted as a file that is not understood
        environment.surface(ENVS, text)
    assert time.process_time() - started < beside(4)


@pytest.mark.parametrize(
    ("reader", "told"),
    [
        (f'    return envs.{X}.get() or "/tmp/dumps"\n', []),
        (f'    base = envs.{X}.get()\n    if not base:\n        base = "/tmp/dumps"\n    return base\n', []),
        (f'    return envs.{X}.get() or "/var/dumps"\n', ["env_default_changed"]),
        (f'    # it was "/tmp/dumps"\n    return envs.{X}.get()\n', ["env_default_changed"]),
    ],
)
def test_a_default_that_the_readers_put_back_is_the_same(reader: str, told: list[str]) -> None:
    head, plain = "def folder():\n", f"    return envs.{X}.get()\n"
    before = {ENVS: CLASS + f'    {X} = EnvStr("/tmp/dumps")\n', "engine/dumps.py": head + plain}
    after = {ENVS: CLASS + f"    {X} = EnvStr(None)\n", "engine/dumps.py": head + reader}
    assert [f.kind for f in two_states(before, after) if f.kind == "env_default_changed"] == told

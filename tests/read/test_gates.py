"""Paths put behind a new setting: only a setting of the same commit that is off by default, and nothing else changed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings import read
from daybreak.findings.diff import hunks
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.new_gates import facts
from daybreak.findings.paths import area
from read.made import change_of, patch_of

CONFIG, LOADER = "engine/config.py", "engine/loader.py"
OFF = "class Config:\n    skip_remote: bool = False\n"
BARE = "class Config:\n    pass\n"
PLAIN = "def load(c):\n    if c.moe and c.expert_parallel:\n        c.skip()\n"
GATED = "def load(c):\n    if c.moe and c.expert_parallel and c.skip_remote:\n        c.skip()\n"
WRAPPED = "def load(c):\n    if c.skip_remote:\n        if c.moe and c.expert_parallel:\n            c.skip()\n"
BROKEN_UP = "def load(c):\n    if (\n        c.moe\n        and c.expert_parallel\n        and c.skip_remote\n    ):\n        c.skip()\n"

CASES: dict[str, tuple[tuple[str, str], tuple[str, str], list[tuple[str, str]]]] = {
    "one more and": ((BARE, OFF), (PLAIN, GATED), [("gate_added", "skip_remote")]),
    "one more and, over several lines": ((BARE, OFF), (PLAIN, BROKEN_UP), [("gate_added", "skip_remote")]),
    "one more if around what stood there": ((BARE, OFF), (PLAIN, WRAPPED), [("gate_added", "skip_remote")]),
    "taken down again": ((OFF, BARE), (GATED, PLAIN), [("gate_removed", "skip_remote")]),
    "a setting that was there before": ((OFF, OFF), (PLAIN, GATED), []),
    "a setting that is on by default": ((BARE, OFF.replace("False", "True")), (PLAIN, GATED), []),
    "a setting that one class has on": (
        (BARE, OFF + "class Fast(Config):\n    skip_remote: bool = True\n"),
        (PLAIN, GATED),
        [],
    ),
    "a setting that switches off": (
        (BARE, OFF),
        (PLAIN, PLAIN.replace("expert_parallel", "expert_parallel and not c.skip_remote")),
        [],
    ),
    "something new beside what stood there": (
        (BARE, OFF),
        (PLAIN, PLAIN + "    if c.skip_remote:\n        c.more()\n"),
        [],
    ),
    "another condition as well": (
        (BARE, OFF),
        (PLAIN, "def load(c):\n    if c.dense and c.skip_remote:\n        c.skip()\n"),
        [],
    ),
    "a variable of the environment": (
        ("", "SKIP_REMOTE = EnvBool(False)\n"),
        (PLAIN, PLAIN.replace("expert_parallel", "expert_parallel and envs.SKIP_REMOTE")),
        [("gate_added", "SKIP_REMOTE")],
    ),
    "a constant that holds a variable which is off": (
        ("a = 1\n", "a = 1\n_skips = (\n    get_bool_env_var('SKIP_REMOTE', 'False') and is_hip()\n)\n"),
        (PLAIN, PLAIN.replace("expert_parallel", "expert_parallel and _skips")),
        [("gate_added", "SKIP_REMOTE")],
    ),
    "a constant that holds a variable which is on": (
        ("a = 1\n", "a = 1\n_skips = get_bool_env_var('SKIP_REMOTE', 'True')\n"),
        (PLAIN, PLAIN.replace("expert_parallel", "expert_parallel and _skips")),
        [],
    ),
    "one more line of a condition": (
        ("a = 1\n", "a = 1\n_skips = get_bool_env_var('SKIP_REMOTE')\n"),
        (BROKEN_UP.replace("        and c.skip_remote\n", ""), BROKEN_UP.replace("c.skip_remote", "_skips")),
        [("gate_added", "SKIP_REMOTE")],
    ),
    "a key that is on where nobody sets it, over what came": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(extra.get("skip_remote", True))\n'),
        (PLAIN, PLAIN + "    if c.skip_remote:\n        c.more()\n"),
        [("gate_default_changed", "skip_remote")],
    ),
    "a key that is on where nobody sets it, over what was there": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(extra.get("skip_remote", True))\n'),
        (PLAIN, WRAPPED),
        [],
    ),
    "a key that is made a text, and is on whatever it says": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(str(extra.get("skip_remote", "False")))\n'),
        (PLAIN, PLAIN),
        [("gate_stuck", "skip_remote")],
    ),
    "a key that is not known, with a text for who has none": (
        ("a = 1\n", 'a = 1\none = bool(str(extra.get(KEY, "off")))\ntwo = bool(str(getattr(extra, key, "none")))\n'),
        (PLAIN, PLAIN),
        [],
    ),
    "a key that an object is asked for": (
        ("a = 1\n", 'a = 1\ntwo = bool(str(getattr(extra, "skip_remote", "none")))\n'),
        (PLAIN, PLAIN),
        [("gate_stuck", "skip_remote")],
    ),
    "a key that is made a text, and is off whatever it says": (
        ("a = 1\n", 'a = 1\none = not bool(str(extra.get("skip_remote")))\n'),
        (PLAIN, PLAIN),
        [],
    ),
    "a key that is made a text to be compared": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(str(extra.get("skip_remote", "")).lower() in ("1", "true"))\nlast = bool(str(extra.get("last_one")) == "True")\n'),
        (PLAIN, PLAIN),
        [],
    ),
    "a key that is asked whether somebody set it": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(str(extra.get("skip_remote", "")))\n'),
        (PLAIN, PLAIN),
        [],
    ),
    "a key that is off where nobody sets it": (
        ("a = 1\n", 'a = 1\nskip_remote = bool(extra.get("skip_remote", False))\n'),
        (PLAIN, PLAIN + "    if c.skip_remote:\n        c.more()\n"),
        [],
    ),
    "a check of the program's own, for those who look for a fault": (
        ("a = 1\n", 'a = 1\n_checks = os.environ.get("SKIP_REMOTE", "0") == "1"\n'),
        (
            "def load(c):\n    assert c.slot() != -1, (\n        f'no slot: {c}'\n    )\n    c.go()\n",
            "def load(c):\n    if _checks:\n        # slow\n        assert c.slot() != -1, (\n            f'no slot: {c}'\n        )\n    c.go()\n",
        ),
        [],
    ),
    "a switch that leaves out what came": (
        (BARE, OFF.replace("skip_remote", "disable_binding")),
        (PLAIN, PLAIN + "    if not c.disable_binding and c.is_there():\n        c.bind()\n"),
        [("gate_opt_out", "disable_binding")],
    ),
    "a switch that leaves out what came, by its flag": (
        (BARE, OFF.replace("skip_remote", "disable_binding") + '    p.add_argument("--disable-binding", action="store_true")\n'),
        (PLAIN, PLAIN + "    if not c.disable_binding:\n        c.bind()\n"),
        [("gate_opt_out", "--disable-binding")],
    ),
    "a switch that leaves out what was there": (
        (BARE, OFF.replace("skip_remote", "disable_binding")),
        (PLAIN, "def load(c):\n    if not c.disable_binding:\n        if c.moe and c.expert_parallel:\n            c.skip()\n"),
        [],
    ),
    "a switch over words alone": (
        (BARE, OFF.replace("skip_remote", "disable_binding")),
        (PLAIN, PLAIN + "    if not c.disable_binding:\n        logger.info('bound')\n"),
        [],
    ),
    "a state that is no setting": (
        (BARE.replace("Config", "Cache"), OFF.replace("Config", "Cache").replace("skip_remote", "is_started")),
        (PLAIN, PLAIN + "    if not c.is_started:\n        c.start()\n"),
        [],
    ),
    "a setting of a class that came": (
        ("a = 1\n", "a = 1\n" + OFF.replace("skip_remote", "disable_binding")),
        (PLAIN, PLAIN + "    if not c.disable_binding:\n        c.bind()\n"),
        [],
    ),
    "a variable that is on, asked by what holds it": (
        ("if TYPE_CHECKING:\n    A_B: bool = True\n", "if TYPE_CHECKING:\n    A_B: bool = True\n    USE_FAST: bool = True\n"),
        (PLAIN, "def is_fast():\n    return envs.USE_FAST and is_new()\n" + PLAIN + "    if is_fast():\n        c.quantize()\n"),
        [("gate_default_changed", "USE_FAST")],
    ),
    "a setting that is on below one that is off": (
        (BARE, OFF + "    fast: bool = True\n"),
        (PLAIN, PLAIN + "    if c.skip_remote:\n        if c.fast:\n            c.quantize()\n"),
        [],
    ),
    "a setting that is on beside one that is off": (
        (BARE, OFF + "    fast: bool = True\n    disable_cache: bool = False\n"),
        (PLAIN, PLAIN + "    if c.fast and c.skip_remote:\n        c.quantize()\n    if c.skip_remote and not c.disable_cache:\n        c.cache()\n"),
        [],
    ),
    "a setting that is on beside one that was off": (
        (OFF, OFF + "    fast: bool = True\n"),
        (PLAIN, PLAIN + "    if c.fast and c.skip_remote:\n        c.quantize()\n"),
        [],
    ),
    "what came, for a setting that only a derived class has on": (
        (BARE, OFF + "class Fast(Config):\n    skip_remote: bool = True\n"),
        (PLAIN, PLAIN + "    if c.skip_remote:\n        c.quantize()\n"),
        [],
    ),
    "a flag": (
        ("", '    p.add_argument("--skip-remote", action="store_true")\n'),
        (PLAIN, GATED),
        [("gate_added", "skip_remote")],
    ),
}  # fmt: skip


def found(config: tuple[str, str], loader: tuple[str, str], path: str = LOADER) -> list[Fact]:
    patches = {CONFIG: patch_of(*config), path: patch_of(*loader)}
    files = [ReadFile(f, area(f.path), tuple(hunks(f.patch))) for f in change_of(patches).files]
    whole = Whole(files, complete=True)
    return [fact for file in files for fact in facts(file, whole)]


@pytest.mark.parametrize("name", CASES)
def test_gates(name: str) -> None:
    config, loader, expected = CASES[name]
    assert [(fact.kind, fact.symbol) for fact in found(config, loader)] == expected


def test_a_gate_tells_the_condition_before_and_after() -> None:
    (fact,) = found((BARE, OFF), (PLAIN, GATED))
    assert (fact.before, fact.after) == (
        "if c.moe and c.expert_parallel:",
        "if c.moe and c.expert_parallel and c.skip_remote:",
    )
    assert fact.breaking, "whoever sets nothing has lost it"
    (back,) = found((OFF, BARE), (GATED, PLAIN))
    assert (back.before, back.after) == (fact.after, fact.before)


def test_tests_are_no_deployment() -> None:
    assert found((BARE, OFF), (PLAIN, GATED), "tests/test_loader.py") == []


@settings(max_examples=60, deadline=None)
@given(
    st.text(alphabet="ifandoc._:()\n \t#\"'=", max_size=200), st.text(alphabet="ifandoc._:()\n \t#\"'=", max_size=200)
)
def test_whatever_stands_there_it_does_not_raise(before: str, after: str) -> None:
    found((BARE, OFF), (before, after))


WAS, HELD = "fast = is_new and cap() >= 9\n", "fast = is_hopper and os.getenv('%s', '%s') == '1' and cap() >= 9\n"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (WAS, HELD % ("FLA_FAST", "0"), True),
        (WAS, HELD % ("FLA_FAST", "1"), False),
        ("old = os.getenv('FLA_FAST', '0') == '1'\n" + WAS, HELD % ("FLA_FAST", "0"), False),
        ("slow = is_new and cap() >= 9\n", HELD % ("FLA_FAST", "0"), False),
        (
            HELD % ("FLA_FAST", "0") + "x = run(\n    1)\n",
            HELD % ("FLA_FAST", "0") + "if ready:\n    x = run(1)\n",
            False,
        ),
    ],
    ids=["off by default", "on by default", "the variable was there", "another name", "the same condition"],
)
def test_a_new_variable_that_is_off_and_must_be_set_as_well_switches_off_what_was_on(
    before: str, after: str, told: bool
) -> None:
    found = [f for f in read({LOADER: f"import os\n{before}"}, {LOADER: f"import os\n{after}"}) if "gate" in f.kind]
    assert [(f.kind, f.symbol, f.breaking) for f in found] == ([("gate_added", "FLA_FAST", True)] if told else [])

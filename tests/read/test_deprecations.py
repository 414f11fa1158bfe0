"""Deprecations: marks and warnings that come, what they are about and what takes its place."""

import pytest

from daybreak.findings import read as two_states
from daybreak.findings.languages.deprecations import facts
from read.behaviour import Told, facts_of, file_of
from read.made import read, told

HEAD = "class Connector:\n    def start(self, config):\n        self.a = 1\n"
TAIL = "        self.b = 2\n        self.c = 3\n"


def warned(*words: str, call: str = "logger.warning_once") -> str:
    said = "\n".join(f"                {word!r}" for word in words)
    return f"{HEAD}        if config.old:\n            {call}(\n{said}\n            )\n{TAIL}"


CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a value of a setting, with nothing in its place": (
        HEAD + TAIL,
        warned("Using kv_role='kv_both' with the Connector is deprecated ", "and will be removed."),
        [("deprecated", "kv_role='kv_both'", None, "kv_role='kv_both'")],
    ),
    "a value for which each user has another one": (
        HEAD + TAIL,
        warned(
            "Using kv_role='both' is deprecated. Please set kv_role='first' for one and kv_role='second' for the other."
        ),
        [("deprecated", "kv_role='both'", None, "kv_role='both'")],
    ),
    "a variable with another in its place": (
        HEAD + TAIL,
        warned("ENGINE_OLD_TD is deprecated and will be removed. ", "Use ENGINE_TD instead.", call="logger.warning"),
        [("deprecated_for", "ENGINE_OLD_TD", "ENGINE_OLD_TD", "ENGINE_TD")],
    ),
    "a warning in the place of another, beside one that is put in other words": (
        warned("soft_max will be deprecated. ", "Please use use_activation instead."),
        warned("`normalize` is deprecated. ", "Please use `use_activation` instead.")
        + "        if config.soft:\n            logger.warning_once(\n                '`soft_max` is deprecated. Use `use_activation` instead.'\n            )\n",
        [("deprecated_for", "normalize", "normalize", "use_activation")],
    ),
    "another date of what was deprecated": (
        warned("The argument `foo` of run() ", "is deprecated and will be removed in 0.9."),
        warned("The argument `foo` of run() ", "is deprecated and will be removed in 0.10."),
        [],
    ),
    "what is passed to a class says nothing of the class": (
        HEAD + TAIL,
        warned("Passing a dict to `EngineConfig` is deprecated."),
        [],
    ),
    "a member of a class, whose whole name the words have": (
        HEAD + TAIL,
        warned(
            "BaseReader._get_parser is deprecated ", "and will be removed in v2.", "Override `info.parser` instead."
        ),
        [("deprecated", "BaseReader._get_parser", None, "BaseReader._get_parser")],
    ),
    "a class whose name ends a sentence": (
        HEAD + TAIL,
        warned("Deprecated: BaseReader.", "Use `NewReader` instead."),
        [("deprecated_for", "BaseReader", "BaseReader", "NewReader")],
    ),
    "what is given to an option, which stays": (
        HEAD + TAIL,
        warned("Including the scheme in --host ('{host}') is deprecated. Pass just the hostname instead."),
        [("deprecated", "the scheme in --host", None, "the scheme in --host")],
    ),
    "one use of it": (
        HEAD + TAIL,
        warned("Using `struct.scalar` as pointer is deprecated."),
        [("deprecated", "struct.scalar as pointer", None, "struct.scalar as pointer")],
    ),
    "a mark whose text says what it is about": (
        HEAD + TAIL,
        f'{HEAD}{TAIL}    @deprecated("Using `struct.scalar` as pointer is deprecated.")\n    def value(self):\n        pass\n',
        [("deprecated", "struct.scalar as pointer", None, "struct.scalar as pointer")],
    ),
    "a mark whose text says nothing of what it is about": (
        HEAD + TAIL,
        f'{HEAD}{TAIL}    @deprecated("Take the pointer.")\n    def value(self):\n        pass\n',
        [("deprecated", "value", None, "value")],
    ),
    "one value of an option": (
        HEAD + TAIL,
        warned("`--convert only_this` is deprecated and will be removed. Please use --only-this` instead."),
        [("deprecated_for", "--convert only_this", "--convert only_this", "--only-this")],
    ),
    "a value without quotes": (
        HEAD + TAIL,
        warned("device_mode=snapshot is deprecated and is treated as original."),
        [("deprecated", "device_mode=snapshot", None, "device_mode=snapshot")],
    ),
    "a flag with a value": (
        HEAD + TAIL,
        warned("--cache-dtype=fp4 is deprecated. Use --cache-dtype=nvfp4.", call="warnings.warn"),
        [("deprecated_for", "--cache-dtype=fp4", "--cache-dtype=fp4", "--cache-dtype=nvfp4")],
    ),
    "support for something": (
        HEAD + TAIL,
        warned("Support for Transformers v4 is deprecated."),
        [("deprecated", "Transformers v4", None, "Transformers v4")],
    ),
    "a feature, with an option in its place": (
        HEAD + TAIL,
        warned(
            "Batch multitask support is deprecated and will be ", "removed in v2. Specify it via --pool-config.task."
        ),
        [("deprecated_for", "Batch multitask support", "Batch multitask support", "--pool-config.task")],
    ),
    "a feature of which no words say what takes its place": (
        HEAD + TAIL,
        warned("Batch multitask support is deprecated and will be removed in v2."),
        [],
    ),
    "a way to pass something": (
        HEAD + TAIL,
        warned("Passing scale as a float is deprecated and will be removed. Use a tensor.", call="warnings.warn"),
        [("deprecated", "scale as a float", None, "scale as a float")],
    ),
    "words that name nothing": (HEAD + TAIL, warned("This format is deprecated in favor of k_scale."), []),
    "a name that is put in": (HEAD + TAIL, warned("{} is deprecated; use {}"), []),
    "something deprecated is only mentioned": (HEAD + TAIL, warned("Found a deprecated layout for my_layer."), []),
    "other words for the same": (warned("old_name is deprecated."), warned("old_name was deprecated. Bye."), []),
    "a function that moved": (
        warned("old_name is deprecated.") + "\n\ndef other():\n    return 1\n",
        "def other():\n    return 1\n\n\n" + warned("old_name is deprecated."),
        [],
    ),
    "an error and no warning": (HEAD + TAIL, warned("old_name is deprecated.", call="raise ValueError"), []),
}


@pytest.mark.parametrize("case", CASES)
def test_a_warning_names_what_is_deprecated_and_what_takes_its_place(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of("engine/core.py", before, after)) == expected


@pytest.mark.parametrize("path", ["tests/test_a.py", "docs/a.py", ".github/a.py"])
def test_a_warning_of_what_is_not_shipped_is_no_news(path: str) -> None:
    assert facts_of(facts, file_of(path, HEAD + TAIL, warned("old_name is deprecated."))) == []


def test_a_flag_whose_help_and_whose_warning_say_so_is_told_once() -> None:
    before = "def add(parser):\n    parser.add_argument('--old', default=1)\n\n\ndef check(args):\n    run(args)\n"
    after = before.replace("default=1", "default=1, help='Deprecated.'")
    after += "    logger.warning('--old is deprecated, use --new.')\n"
    found = told(read("engine/server_args.py", before, after))
    assert found == [("cli_flag_deprecated", "--old", "--old", "--new", False)]


def test_a_mark_that_moves_with_its_class_to_another_file_is_no_news() -> None:
    rest = "X = 1\n"
    held = "class Rows:\n    @property\n    @deprecated('Use lengths.')\n    def on_host(self):\n        return 1\n"
    moved = file_of("engine/utils.py", rest + held, rest), file_of("engine/backend.py", rest, rest + held)
    assert facts_of(facts, *moved) == []
    assert facts_of(facts, moved[1]) == [("deprecated", "on_host", None, "on_host")]


SHIM = """import warnings

warnings.warn(
    "'engine.old.calls' has been renamed to "
    "'engine.new.calls'. Please update your imports.",
    DeprecationWarning,
)

from engine.new.calls import *
"""


def came(path: str, text: str, more: dict[str, str] | None = None) -> list[Told]:
    found = two_states(
        {"engine/new/calls.py": "x = 1\n"}, {"engine/new/calls.py": "x = 1\n", path: text, **(more or {})}
    )
    return [(f.kind, f.symbol, f.before, f.after) for f in found if f.kind.startswith("deprecated")]


def test_a_module_that_comes_to_keep_an_old_place_deprecates_it() -> None:
    old = "engine.old.calls"
    assert came("engine/old/calls.py", SHIM) == [("deprecated_for", old, old, "engine.new.calls")]
    assert came("engine/late/calls.py", SHIM) == [], "it speaks of another module"
    assert (
        came("engine/old/calls.py", SHIM.replace("\n    ", "\n        ").replace("warnings.warn", "    warnings.warn"))
        == []
    )


def test_of_a_package_that_comes_to_keep_an_old_place_the_package_is_told() -> None:
    package = SHIM.replace("engine.old.calls", "engine.old")
    told_of = came("engine/old/calls.py", SHIM, {"engine/old/__init__.py": package})
    assert [symbol for _, symbol, _, _ in told_of] == ["engine.old"]

"""What upstream says to use in place of a setting that goes."""

from __future__ import annotations

import time

import pytest

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.said_instead import with_successors
from read.behaviour import file_of
from timing import beside

ENVS = "engine/envs.py"
GONE = Fact("env_removed", ENVS, 1, "ENGINE_FAST", "ENGINE_FAST", None, True, Alias("none"))
FLAG = Fact("cli_flag_removed", "engine/args.py", 1, "--fast", "--fast", None, True, Alias("none"))
KEPT = '    "ENGINE_OTHER": lambda: os.getenv("ENGINE_OTHER"),\n'


def said(
    before: str, after: str = "", fact: Fact = GONE, path: str = ENVS, others: tuple[Fact, ...] = ()
) -> str | None:
    whole = Whole([file_of(path, before, after)], complete=True)
    (found,) = [f for f in with_successors({fact, *others}, whole) if f.symbol == fact.symbol]
    assert found.alias is not None
    assert found.alias.status == "none"
    return found.alias.where


ROW = '    "ENGINE_FAST": deprecated(\n        "ENGINE_FAST",\n        "v2",\n        {},\n        lambda: os.getenv("ENGINE_FAST"),\n    ),\n'


@pytest.mark.parametrize(
    ("what", "before", "expected"),
    [
        ("a text beside the name", ROW.format('"Use --backend fast or --linear fast."'), "Use --backend fast or --linear fast"),
        ("a text in two parts", ROW.format('"Use --backend fast with "\n        "--activation mx."'), "Use --backend fast with --activation mx"),
        ("with examples", ROW.format('"Use --backend (e.g. fast, slow)."'), "Use --backend (e.g. fast, slow)"),
        ("a comment above it", '    # Whether to be fast.\n    # Deprecated: use --backend fast\n    # instead. Thanks.\n    "ENGINE_FAST": lambda: os.getenv("ENGINE_FAST"),\n', "use --backend fast instead"),
        ("a warning that names it", 'warn("ENGINE_FAST is deprecated, use ENGINE_SPEED instead.")\n', "use ENGINE_SPEED instead"),
        ("the words of its neighbour", '    # Deprecated: use --other.\n    "ENGINE_SLOW": lambda: os.getenv("ENGINE_SLOW"),\n    # Fast.\n    "ENGINE_FAST": lambda: os.getenv("ENGINE_FAST"),\n', None),
        ("its own name", 'warn("Use ENGINE_FAST=1 to be fast.")\n', None),
        ("nothing is said", '    "ENGINE_FAST": lambda: os.getenv("ENGINE_FAST"),\n', None),
        ("words that name no setting", ROW.format('"Use the new way."'), None),
    ],
)  # fmt: skip
def test_the_deprecation_that_goes_with_a_variable_says_what_to_use(
    what: str, before: str, expected: str | None
) -> None:
    assert said(before + KEPT, KEPT) == expected, what


HELPER = """class Config:
    def _from_env(self, field_name: str, variable: str) -> None:
        if variable in os.environ:
            logger.warning_once(
                {}
            )

    def __post_init__(self) -> None:
        self._from_env("slow", "ENGINE_SLOW")
        self._from_env(
            "fast",
            "ENGINE_FAST",
        )
"""


@pytest.mark.parametrize(
    ("warning", "expected"),
    [
        ('"%s is deprecated. Please use "\n"--speed.%s instead.",\nvariable,\nfield_name,', "use --speed.fast instead"),
        ('f"{variable} is deprecated: use --speed.{field_name} instead."', "use --speed.fast instead"),
        ('"%s is deprecated.", variable', None),
    ],
)
def test_the_warning_of_a_helper_is_told_with_what_it_was_called_with(warning: str, expected: str | None) -> None:
    assert said(HELPER.replace("{}", warning), "class Config:\n    pass\n", path="engine/config.py") == expected


def test_an_option_carries_what_its_help_said() -> None:
    before = 'def add(parser):\n    parser.add_argument("--slow", help="Be slow.")\n    parser.add_argument("--fast", help="Deprecated: use --speed fast instead.")\n'
    after = 'def add(parser):\n    parser.add_argument("--slow", help="Be slow.")\n'
    assert said(before, after, FLAG, "engine/args.py") == "use --speed fast instead"


@pytest.mark.parametrize(
    "text", ["Deprecated. Do not set `--slow` with it.", "Note: set `--slow` where memory is short."]
)
def test_what_must_not_be_set_or_how_it_was_used_is_no_advice(text: str) -> None:
    before = f'parser.add_argument(\n    "--fast",\n    help="Goes ahead. {text}",\n)\n'
    assert said(before, fact=FLAG, path="engine/args.py") is None


def test_what_goes_with_it_takes_nobodys_place() -> None:
    before = ROW.format('"Use ENGINE_SPEED."')
    assert said(before) == "Use ENGINE_SPEED"
    other = Fact("env_removed", ENVS, 2, "ENGINE_SPEED", "ENGINE_SPEED", None, True, Alias("none"))
    assert said(before, others=(other,)) is None


TABLE = 'GONE: dict[str, str] = {\n    "ENGINE_FAST": "fast_mode",\n}\n'
WARNS = 'warn(\n    "%s is ignored. "\n    "Set %r inside transfer.extra_config "\n    "instead.",\n    name,\n    key,\n)\n'


def test_a_table_and_its_warning_say_where_a_variable_moved() -> None:
    assert said(KEPT, TABLE + WARNS) == "Set fast_mode inside transfer.extra_config"
    assert said(KEPT, TABLE) is None, "a table alone does not say where its keys are set"
    assert said(KEPT, WARNS) is None, "a warning alone does not say which key is meant"


FORMAT = Fact("registry_removed", "engine/quant.py", 1, "quantization:gguf", "gguf", None, True, Alias("none"))


def test_a_page_says_into_which_package_a_feature_moved_out() -> None:
    moved = "GGUF support has migrated to OOT [engine-gguf-plugin](https://example.org). Install it first.\n"
    assert said("# GGUF\n", f"# GGUF\n{moved}", FORMAT, "docs/gguf.md") == "engine-gguf-plugin"
    assert said("# GGUF\n", "# GGUF\nGGUF support is gone.\n", FORMAT, "docs/gguf.md") is None
    other = "AWQ support has migrated to [engine-awq-plugin](https://example.org).\n"
    assert said("# GGUF\n", f"# GGUF\n{other}", FORMAT, "docs/gguf.md") is None


OLD = Fact("class_removed", "engine/old.py", 1, "GkdConfig", "class GkdConfig(_GkdConfig):", None, True, Alias("none"))
WARNED = (
    "class GkdConfig(_GkdConfig):\n    def __post_init__(self):\n        warnings.warn(\n"
    '            "The `GkdConfig` is now elsewhere. Please update your imports to "\n'
    '            "`from engine.labs.gkd import {}`. This path will be removed."\n        )\n'
)


@pytest.mark.parametrize(
    ("what", "named", "expected"),
    [
        ("the import of the same name", "GkdConfig", "from engine.labs.gkd import GkdConfig"),
        ("the import of another name", "CpoConfig", None),
    ],
)
def test_the_warning_that_goes_with_a_class_says_where_to_import_it_from(
    what: str, named: str, expected: str | None
) -> None:
    assert said(WARNED.format(named), "", OLD, OLD.path) == expected, what


def test_an_import_that_no_text_speaks_of_is_no_advice() -> None:
    code = "from engine.labs.gkd import GkdConfig\n\n\nclass GkdConfig(GkdConfig):\n    pass\n"
    assert said(code, "", OLD, OLD.path) is None


def test_a_long_name_in_a_warning_costs_little() -> None:
    """Seven seconds for a name of 38 letters, before."""
    helper = f'def _warn_old(old, new):\n    logger.warning("%s goes, use %s instead", {"x" * 70}.value)\n'
    before = f'{helper}_warn_old("ENGINE_FAST", "ENGINE_QUICK")\n'
    start = time.perf_counter()
    said(before)
    assert time.perf_counter() - start < beside(0.5)


FIELD = Fact(
    "field_removed", "engine/config.py", 1, "PoolConfig.scale", "scale: float = 1.0", None, True, Alias("none")
)
DECLARED = "    scale: float = 1.0\n"


@pytest.mark.parametrize(
    ("what", "before", "expected"),
    [
        ("its own text", DECLARED + '    """\n    Deprecated: Use sigma instead (note: sigma = 1/scale).\n    Goes in v2.\n    """\n', "Use sigma instead (note: sigma = 1/scale)"),
        ("a warning that names it", DECLARED + '    size: int = 1\n    warn("`scale` is deprecated. "\n         "Use `sigma` instead.")\n', "Use `sigma` instead"),
        ("the text of its neighbour", DECLARED + '    bias: float = 1.0\n    """Use mean instead."""\n', None),
        ("itself", DECLARED + '    """Use scale instead."""\n', None),
        ("nothing is said", DECLARED + '    """It has no effect."""\n', None),
    ],
)  # fmt: skip
def test_the_deprecation_that_goes_with_a_field_says_what_to_set(what: str, before: str, expected: str | None) -> None:
    kept = "    other: int = 2\n"
    assert said(before + kept, kept, FIELD, FIELD.path) == expected, what


def test_a_field_is_not_replaced_by_another_that_goes_with_it() -> None:
    other = Fact("field_removed", FIELD.path, 2, "PoolConfig.sigma", "sigma: float = 1.0", None, True, Alias("none"))
    assert said(DECLARED + '    """Use sigma instead."""\n', "", FIELD, FIELD.path, (other,)) is None

"""Changes to what users type and dashboards read, made to real sources, each with the finding that must tell it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from laws.mutants import Expected, File, Mutant, other_value, plain, written

# --- what users type -------------------------------------------------------------------------------------------------


def _flag(call: ast.Call) -> str:
    return written(call.args[0])


def flag_removed(file: File) -> Mutant | None:
    call = file.one(file.options())
    if call is None:
        return None
    text = file.cut(
        call, "pass" if file.text.split("\n")[call.lineno - 1].lstrip().startswith(file.source(call)[:10]) else "None"
    )
    return Mutant(text, Expected(("cli_flag_removed",), _flag(call), _flag(call), "", True))


def flag_renamed(file: File) -> Mutant | None:
    found = (c for c in file.options() if any(k.arg == "help" and len(written(k.value)) > 8 for k in c.keywords))
    call = file.one(found)
    if call is None:
        return None
    new = f"--mutant{_flag(call)[1:]}"
    expected = Expected(("cli_flag_renamed",), _flag(call), _flag(call), new, True)
    return Mutant(file.cut(call.args[0], f'"{new}"'), expected)


def flag_renamed_with_alias(file: File) -> Mutant | None:
    call = file.one(file.options())
    if call is None:
        return None
    new = f"--mutant{_flag(call)[1:]}"
    text = file.cut(call.args[0], f'"{new}", "{_flag(call)}"')
    return Mutant(text, Expected(("cli_flag_renamed",), _flag(call), _flag(call), new, False))


def flag_default(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.Call, ast.expr, str]]:
        for call in file.options():
            for keyword in call.keywords:
                if keyword.arg == "default" and (other := other_value(keyword.value)):
                    yield call, keyword.value, other

    if (one := file.one(found())) is None:
        return None
    call, value, other = one
    expected = Expected(("cli_default_changed",), _flag(call), plain(file.source(value)), other)
    return Mutant(file.cut(value, other), expected)


def choices_narrowed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[ast.Call, Any]]:
        for call in file.options():
            for keyword in call.keywords:
                value = keyword.value
                listed = value.elts if isinstance(value, ast.List | ast.Tuple) else []
                if keyword.arg == "choices" and len(listed) > 2 and all(isinstance(e, ast.Constant) for e in listed):
                    yield call, value

    if (one := file.one(found())) is None:
        form = 'def add_mutant_flags(parser):\n    parser.add_argument("--mutant-mode", choices=["a", "b"%s], default="a")\n'
        expected = Expected(("cli_choices_changed",), "--mutant-mode", '"c"', None, True)
        return file.grafted(form % ', "c"', form % "", expected)
    call, value = one
    last = value.elts[-1]
    text = file.spliced(file.end(value.elts[-2]), file.end(last), "")
    return Mutant(text, Expected(("cli_choices_changed",), _flag(call), plain(ast.unparse(last)), None, True))


def variable_not_read(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[str, ast.Call]]:
        every = [
            (str(node.args[0].value), node)
            for node in ast.walk(file.tree)
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
            if ast.unparse(node.func) in ("os.environ.get", "os.getenv")
        ]
        for name, node in every:
            alone = file.text.count(name) == 1
            if alone and name.isupper() and "_" in name[1:] and name[0] != "_" and len(name) > 5:
                yield name, node

    if (one := file.one(found())) is None:
        return None
    name, node = one
    own = f"PKG_{name}"  # one of the package: what is read of others is theirs
    return Mutant(
        file.cut(node, "None"), Expected(("env_read_removed",), own, own, "", None), file.text.replace(name, own)
    )


def guard_flipped(file: File) -> Mutant | None:
    """A check of a setting; checks of a function's own arguments are mostly notes of its author, and not told."""
    signs = file.chance.choice([(">", "<="), ("<", ">="), ("==", "!="), ("!=", "==")])
    form = "def verify_mutant(config):\n    if config.max_len %s 10:\n        raise ValueError(config)\n    return config\n"
    kinds = ("guard_changed", "guard_narrowed", "guard_widened")
    return file.grafted(form % signs[0], form % signs[1], Expected(kinds, "verify_mutant", signs[0], signs[1], None))


def metric_renamed(file: File) -> Mutant | None:
    def found() -> Iterator[tuple[str, ast.Constant]]:
        for node in ast.walk(file.tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and file.text.count(f'"{node.value}"') == 1
            ):
                head, colon, rest = node.value.partition(":")
                if colon and head.isidentifier() and head.islower() and rest.isidentifier() and "_" in rest:
                    yield node.value, node

    if (one := file.one(found())) is None:
        form = 'class MutantMetrics:\n    QUERIES = "engine:%s_queries"\n'
        names = "engine:block_queries", "engine:chunk_queries"
        return file.grafted(form % "block", form % "chunk", Expected(("metric_renamed",), names[0], *names, True))
    name, node = one
    return Mutant(file.cut(node, f'"{name}_mutant"'), Expected(("metric_renamed",), name, name, f"{name}_mutant", True))


def variable_removed(file: File) -> Mutant | None:
    form = 'environment_variables = {\n    "ENGINE_A": lambda: os.getenv("ENGINE_A", "1"),\n%s}\n'
    row = '    "ENGINE_B": lambda: os.getenv("ENGINE_B", "0"),\n'
    if "ENGINE_" in file.text:
        return None
    # nobody reads it, so nobody is hit
    return file.grafted(form % row, form % "", Expected(("env_removed",), "ENGINE_B", "ENGINE_B", "", None))


def variable_default(file: File) -> Mutant | None:
    form = 'environment_variables = {\n    "ENGINE_A": lambda: os.getenv("ENGINE_A", "%s"),\n}\n'
    expected = Expected(("env_default_changed",), "ENGINE_A", "1", "2")
    return file.grafted(form % 1, form % 2, expected)


def message_values(file: File) -> Mutant | None:
    form = 'class MutantEvent(msgspec.Struct, tag=True):\n    medium: str\n\n\nMUTANT_CPU = "CPU"\nMUTANT_%s = "%s"\n'
    expected = Expected(("message_value_changed",), "MUTANT_*", '"CPU", "FS"', '"CPU", "STORAGE"', True)
    return file.grafted(form % ("FS", "FS"), form % ("STORAGE", "STORAGE"), expected)


MUTATIONS: tuple[Callable[[File], Mutant | None], ...] = (
    flag_removed,
    flag_renamed,
    flag_renamed_with_alias,
    flag_default,
    choices_narrowed,
    variable_not_read,
    variable_removed,
    variable_default,
    guard_flipped,
    metric_renamed,
    message_values,
)

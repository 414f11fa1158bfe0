"""Flags `--no-x` that went as flags of their own while a declaration of `--x` takes them: by argparse's own action, by
click, or through a helper of the repository.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from daybreak.core.model.changes import Change
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.still_defined import searched, texts_at
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)
_MOST_READ = 60
_MOST_DEFINING = 9
_ACTION = "BooleanOptionalAction"
Definitions = Callable[[str], Iterable[str]]
"""Name of a function → texts of the files that define it."""


def without_negations(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts without those that call a flag gone which a declaration of the tree still makes."""
    gone = (
        fact for fact in facts if fact.symbol.startswith("--no-") and kind_of(fact.kind).means("cli_flag", "removed")
    )
    asked = {fact: f"--{fact.symbol.removeprefix('--no-')}" for fact in gone}
    places = searched(trees, [change.sha], set(asked.values()), _PYTHON) if asked else {}
    paths = sorted({path for files in (places or {}).values() for path in files})
    texts = texts_at(trees, change.sha, paths) if len(paths) <= _MOST_READ else {}

    def definitions(name: str) -> Iterable[str]:
        held = searched(trees, [change.sha], [f"def {name}("], _PYTHON) or {}
        files = sorted({path for some in held.values() for path in some})
        return texts_at(trees, change.sha, files[:_MOST_DEFINING]).values()

    taken = {fact for fact, flag in asked.items() if any(_negatable(x, flag, definitions) for x in texts.values())}
    return facts - taken


def _negatable(text: str, flag: str, definitions: Definitions) -> bool:
    """Whether a call in the file declares the flag so that its negation is one, too."""
    if flag not in text:
        return False
    calls = [one for one in ast.walk(parsed(text) or ast.Module([], [])) if isinstance(one, ast.Call)]
    declaring = [one for one in calls if any(_is(given, flag) for given in _given(one))]
    if any(_negates(one, flag) for one in declaring):
        return True
    helpers = {_last(one.func) for one in declaring} - {"", "add_argument", "option", "Option"}
    return any(_makes(source, name) for name in sorted(helpers) for source in (text, *definitions(name)))


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def _is(node: ast.expr, flag: str) -> bool:
    """The flag itself, or click's pair of it and its negation."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and flag in node.value.split("/")


def _negates(call: ast.Call, flag: str) -> bool:
    pair = f"{flag}/--no-{flag.removeprefix('--')}"
    told = any(isinstance(one, ast.Constant) and one.value == pair for one in _given(call))
    return told or any(word.arg == "action" and _last(word.value) == _ACTION for word in call.keywords)


def _makes(text: str, name: str) -> bool:
    """Whether a function of that name in the file declares with the action that negates."""
    if _ACTION not in text:
        return False
    nodes = ast.walk(parsed(text) or ast.Module([], []))
    found = (one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == name)
    return any(_last(inner) == _ACTION for one in found for inner in ast.walk(one) if isinstance(inner, ast.expr))


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""

"""Lists that decide: a constant of a module that code tests with `in`, or that is called the default.

`DEFAULT_NEW_RUNNER = frozenset({"A"})` that holds `"B"` as well: whoever runs B and sets nothing meets another program. So
does a list inside a function that says by its name that it decides a default. What the code around the test reads before, and hands back in its place, is the way out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import quiet
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_syntax import called_name, leaves, statements, walk

CALLED_DEFAULT = re.compile(r"_?DEFAULT_[A-Z0-9_]+|[A-Z0-9_]+_DEFAULTS?")
_CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]{2,80}")
_MAKERS = frozenset({"frozenset", "set", "tuple", "list", "dict"})
_VARIABLE = re.compile(
    r"\benvs?\.([A-Z][A-Z0-9_]{2,80})\b|(?:environ(?:\.get)?|getenv)[(\[][\"']([A-Z][A-Z0-9_]{2,80})[\"']"
)
_LONGEST = 60
"""Characters of a text that is a name; a longer one is a message."""
_MOST = 200
"""Elements of a list that is read; a longer one is data."""
_PER_FILE = 12


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Names that came to such lists of a file, or left them."""
    if not quiet(file):
        known = sources(whole)
        holders = (one for one in known.changed(file.path) if not one[2].name or _is_of_default(one[2]))
        yield from islice((fact for one in holders for fact in _compare(*one, known)), _PER_FILE)


def _is_of_default(function: Function) -> bool:
    return "default" in function.short.split("_")


def _compare(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    before, after = dict(lists(old)), dict(lists(new))
    for name in (name for name in after if name in before and set(before[name][1]) != set(after[name][1])):
        every = [new] if new.name else known.functions(pair.file, "+").values()
        asking = [one for one in every if one.name and name in one.coded]
        if not any(_decides_by(name, one) for one in asking) and not CALLED_DEFAULT.fullmatch(name):
            continue
        out = _way_out(asking, known, pair)
        for verb, these, others in (("removed", before, after), ("added", after, before)):
            line, held = these[name]
            for one in held:
                if one not in others[name][1] and not (verb == "added" and known.is_new_value(f"'{one}'")):
                    was, now = (None, one) if verb == "added" else (one, None)
                    told = Alias("none", out) if out else None
                    breaks, holder = bool(new.name) and verb == "added", new.short or name
                    yield Fact(f"listed_{verb}", pair.file.path, line, f"{holder}:{one}", was, now, breaks, told)


def lists(module: Function) -> Iterator[tuple[str, tuple[int, list[str]]]]:
    """Constants of a module, or what a function gives a name, that hold nothing but texts: line and texts of each; of a
    table its keys.
    """
    for node in module.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name) and value is not None and (module.name or _CONSTANT.fullmatch(target.id)):
            held = _held(value)
            texts = [one.value for one in held if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            if 0 < len(texts) == len(held) <= _MOST and all(0 < len(one) <= _LONGEST for one in texts):
                yield target.id, (module.at(node), texts)


def _held(value: ast.expr) -> list[ast.expr | None]:
    if isinstance(value, ast.Call) and called_name(value) in _MAKERS and len(value.args) == 1 and not value.keywords:
        value = value.args[0]
    if isinstance(value, ast.Dict):
        return [*value.keys]
    return [*value.elts] if isinstance(value, ast.Set | ast.Tuple | ast.List) else []


def _decides_by(name: str, function: Function) -> bool:
    """It asks whether something stands in the list, and not only to refuse what does not, or to look up an import."""
    if function.short.startswith("__"):
        return False
    refusing = [
        node.test
        for node in statements(function.body)
        if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)
    ]
    refused = {id(one) for test in refusing for one in ast.walk(test)}
    return any(id(node) not in refused and _tests(name, node) for node in walk(function.body))


def _tests(name: str, node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In | ast.NotIn):
        return False
    return isinstance(node.comparators[0], ast.Name) and node.comparators[0].id == name


def _way_out(asking: list[Function], known: Sources, pair: Pair) -> str | None:
    """The one variable that the asking functions, or those that call them, hand back before they ask."""
    names = {one.short for one in asking}
    callers = [one for one in known.functions(pair.file, "+").values() if one.name and names & one.coded]
    found = {variable for one in callers for variable in _handed_back(one)}
    return found.pop() if len(found) == 1 else None


def _handed_back(function: Function) -> Iterator[str]:
    """Variables that settle the answer of a function where they are set."""
    for node in statements(function.body):
        last = node.body[-1] if isinstance(node, ast.If) and leaves(node.body) else None
        if isinstance(last, ast.Return) and last.value is not None:
            given = function.value(last.value.id) if isinstance(last.value, ast.Name) else last.value
            for match in _VARIABLE.finditer(ast.unparse(given) if given is not None else ""):
                yield match[1] or match[2]

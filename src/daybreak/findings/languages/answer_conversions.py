"""Conversions of what a model wrote, before clients read it: parsers of tool calls and of reasoning that trim or cast it otherwise.

No field comes or goes, and yet the same answer of the model is another text, number or `null` for whoever reads it. Told is a
statement that is as it was but for its trimming, and a function that says by its name that it converts a value and does so by others now.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Def, Function, sources
from daybreak.findings.languages.python_public import read_at_all
from daybreak.findings.languages.python_syntax import called_name, statements

_PARSER = re.compile(r"(?:^|\.)[A-Z]\w*(?:Parser|Detector)$")
"""What engines call the classes that take apart what a model wrote."""
_CLASS = re.compile(r"^class \w*(?:Parser|Detector)\b", re.MULTILINE)
_CONVERTER = re.compile(r"_{0,2}(?:convert|coerce|cast|deserialize)(?:_\w{1,60})?$")
_TRIMS = frozenset({"strip", "lstrip", "rstrip"})
_CASTS = frozenset({"int", "float", "bool", "loads", "literal_eval"})
_HINT = re.compile(rf"^[-+].*\b(?:{'|'.join(sorted(_TRIMS | _CASTS))})\(|^\+[ \t]+(?:el)?if\b", re.MULTILINE)
_OF_VALUES = re.compile(
    r"^_{0,2}(?:parse|convert|coerce|cast|deserialize)(?:_\w{1,40})?_(?:arg(?:ument)?|param(?:eter)?|value)s?(?:_\w+)?$"
)
"""Functions that make a value of what a model wrote for an argument of a tool."""
_OF_TYPE = re.compile(r"type\b|schema|\b(?:anyOf|oneOf|allOf|enum)\b")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Methods of parsers that make something else of the same text."""
    if quiet(file) or not read_at_all(file) or not _HINT.search(file.change.patch):
        return
    known = sources(whole)
    stood = {one.short for one in known.functions(file, "-").values()}
    fresh = frozenset(one.short for one in known.functions(file, "+").values()) - stood
    sides = [one[1:] for one in known.changed(file.path) if _PARSER.search(one[2].name.rpartition(".")[0])]
    found = (fact for one in sides for fact in (*_trimmed(file, *one), *_cast(file, *one, fresh)))
    yield from islice(found, PER_FILE)
    if _CLASS.search(known.text(file, "+")):
        branched = (fact for one in known.changed(file.path) for fact in _branched(file, *one[1:]))
        yield from islice(branched, PER_FILE)


# --- trimming ---


class _Untrimmed(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        trims = isinstance(node.func, ast.Attribute) and node.func.attr in _TRIMS and not (node.args or node.keywords)
        return node.func.value if trims and isinstance(node.func, ast.Attribute) else node


def _trimmed(file: ReadFile, old: Function, new: Function) -> Iterator[Fact]:
    """Statements that keep a value, each once, which differ by their trimming alone."""
    before, after = _kept(old), _kept(new)
    gone, come = before - after, after - before
    plain = {_bare(text): text for text in come}
    for was in gone:
        now = plain.get(_bare(was))
        if now is not None and gone[was] == come[now] == 1 and len(plain) == len(come):
            line = next((new.at(node) for node in statements(new.body) if ast.unparse(node) == now), new.line)
            yield Fact("conversion_changed", file.path, line, new.name, was[:200], now[:200], breaking=True)


def _kept(function: Function) -> Counter[str]:
    return Counter(ast.unparse(node) for node in statements(function.body) if isinstance(node, ast.Assign | ast.Return))


def _bare(statement: str) -> str:
    tree = ast.parse(statement if not statement.startswith("return") else f"def f():\n {statement}")
    return ast.unparse(_Untrimmed().visit(copy.deepcopy(tree)))


# --- casts ---


def _cast(file: ReadFile, old: Function, new: Function, fresh: frozenset[str]) -> Iterator[Fact]:
    """What a function that converts a value did itself, and the other converters that are handed it now; one that came with
    the change took it over as it was.
    """
    own = [node.body for node in _inside(old) if isinstance(node, Def) and _CONVERTER.match(node.name)]
    own = [old.body] if _CONVERTER.match(old.short) else own
    did = {called_name(node) for body in own for one in body for node in ast.walk(one) if isinstance(node, ast.Call)}
    before, after = ({called_name(n) for n in _inside(side) if isinstance(n, ast.Call)} for side in (old, new))
    lost = sorted((did - after) & _CASTS)
    come = sorted(name for name in after - before - fresh if name in _CASTS or _CONVERTER.match(name))
    if lost and come:
        first, second = (", ".join(f"{name}(…)" for name in some) for some in (lost, come))
        yield Fact("conversion_changed", file.path, new.line, new.name, first, second, breaking=True)


# --- questions ---


def _branched(file: ReadFile, old: Function, new: Function) -> Iterator[Fact]:
    """A question for the type of a value that was not asked before, where something else is given or set than for others."""
    if not _OF_VALUES.match(new.short):
        return
    before = {ast.unparse(node.test) for node in statements(old.body) if isinstance(node, ast.If)}
    for node in statements(new.body) if before else ():
        test = ast.unparse(node.test) if isinstance(node, ast.If) else ""
        if isinstance(node, ast.If) and test not in before and _OF_TYPE.search(test) and _settles(node.body[-1], old):
            yield Fact("conversion_added", file.path, new.at(node), new.name, None, test[:200], breaking=True)


def _settles(node: ast.stmt, old: Function) -> bool:
    """It gives a value, or sets a name that the function knew."""
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id in old.bindings for target in node.targets)
    return isinstance(node, ast.Return) and node.value is not None


def _inside(function: Function) -> Iterator[ast.AST]:
    """Every node, those of functions inside as well."""
    return (node for one in function.body for node in ast.walk(one))

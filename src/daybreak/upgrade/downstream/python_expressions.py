"""What each kind of Python expression tells: names and attributes, strings, lists that are commands, conditions."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import pairwise

from daybreak.findings.languages.python_syntax import last_name
from daybreak.upgrade.downstream.commands import Word
from daybreak.upgrade.downstream.nodes import foreign
from daybreak.upgrade.downstream.python_conditions import condition, denial, replaceable
from daybreak.upgrade.downstream.python_literals import (
    behind,
    elements,
    of_comparison,
    of_item,
    of_pair,
    opening,
    summands,
    text_of,
    value_of,
    variable,
)
from daybreak.upgrade.downstream.python_strings import (
    OTHER,
    UNKNOWN,
    is_address_name,
    of_rest,
    of_words,
    program_of,
    see_joined,
    see_route,
    see_string,
)
from daybreak.upgrade.downstream.python_values import (
    EVERYTHING,
    MISSING,
    Check,
    Inherited,
    Instance,
    Many,
    Scope,
    Value,
    followed,
    is_class_name,
    look_up,
)
from daybreak.upgrade.downstream.python_walk import VERSIONS, Handler, Walk

_LISTS = (ast.List, ast.Tuple)
_COMMANDS = (ast.List, ast.Tuple, ast.BinOp)
_LONGEST = 10_000
"""Characters of a piece of a command; more is data."""
_NAMESPACE = re.compile(r"(?:^|_)args$|^namespace$")
"""What holds the options of a command line."""
_TELLING = frozenset(("install", "curl"))
"""Words that make a list a command although it has no flags."""


def name(walk: Walk, node: ast.Name) -> Value:
    value = walk.look_up(node.id)
    starred = walk.stars and isinstance(value, str) and look_up(walk.scope, node.id) is MISSING
    if starred or (value.__class__ is str and node.id in walk.found.wanted.lost):
        walk.refer("attribute", value, node.lineno)
    if "ersion" in node.id or "ERSION" in node.id:
        _ask_version(walk, node.id)
    elif value.__class__ is str and str(value).endswith(VERSIONS):
        walk.tested = True
    return value


def _ask_version(walk: Walk, name: str) -> None:
    lowered = name.lower()
    walk.tested = walk.tested or any(top in lowered for top in walk.words.tops)


def attribute(walk: Walk, node: ast.Attribute) -> Value:
    value = walk.resolve(node)
    if "ersion" in node.attr or "ERSION" in node.attr:
        _ask_version(walk, node.attr)
    if value.__class__ is str or value.__class__ is Inherited:
        walk.refer("attribute", value, node.end_lineno or node.lineno)
    elif value is None:
        walk.wait(node)
    elif value.__class__ is Check:
        walk.tested = True
    theirs = value.__class__ is str and walk.words.watches(str(value))
    if not theirs and node.ctx.__class__ is ast.Load and _has_options(walk, last_name(node.value)):
        walk.found.options.append((node.attr, node.end_lineno or node.lineno))
    return value


def _has_options(walk: Walk, name: str) -> bool:
    return name in walk.found.namespaces or _NAMESPACE.search(name) is not None


def constant(walk: Walk, node: ast.Constant) -> Value:
    if node.value.__class__ is str and id(node) not in walk.done:
        see_string(walk.found, node, node.value)
    return None


def joined(walk: Walk, node: ast.JoinedStr) -> Value:
    if id(node) not in walk.done and not _is_foreign(walk, node):
        see_joined(walk.found, node)
    for one in node.values:
        if isinstance(one, ast.FormattedValue):
            walk.visit(one.value)
    return None


def sequence(walk: Walk, node: ast.List | ast.Tuple | ast.Set) -> Value:
    """A list is a command when it holds flags."""
    if not isinstance(node, ast.Set) and id(node) not in walk.done and _has_flag(node.elts):
        see_words(walk, node, None)
    parts = [walk.visit(one) for one in node.elts]
    alike = isinstance(node, ast.List) and bool(parts) and all(one == parts[0] for one in parts)
    return Many(parts[0]) if alike and walk.is_object(parts[0]) else None


def _has_flag(nodes: Sequence[ast.expr]) -> bool:
    for node in nodes:
        if isinstance(node, ast.JoinedStr) and node.values:
            node = node.values[0]  # noqa: PLW2901  # the part that can start with dashes
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and (text.startswith("--") or text in _TELLING):
            return True
    return False


def see_words(walk: Walk, node: ast.expr, program: str | None) -> None:
    """A command built as a list, each word on the line where it stands."""
    found = walk.found
    if not found.muted:
        words = _words(walk, node)
        told = of_words(words, found.wanted, program)
        found.add_all(told, len(found.lines))


def _words(walk: Walk, node: ast.expr) -> list[Word]:
    return [
        Word(UNKNOWN if text is None else text, getattr(at, "lineno", 1)) for at, text in elements(node, walk.scope)
    ]


def program_behind(walk: Walk, node: ast.expr) -> str | None:
    """The program of the command that a name holds so far."""
    inner = behind(node, walk.scope) if isinstance(node, ast.Name) else None
    if inner is None:
        return None
    if id(inner) not in walk.programs:
        walk.programs[id(inner)] = _program(walk, inner)
    return walk.programs[id(inner)]


def _program(walk: Walk, inner: ast.expr) -> str | None:
    if isinstance(inner, _COMMANDS):
        return program_of(_words(walk, inner), walk.found.wanted)
    text = _opening(inner) if isinstance(inner, ast.JoinedStr) else text_of(inner, walk.scope)
    if text is not None and len(text) < 1000:
        return program_of([Word(word, 1) for word in text.split()], walk.found.wanted)
    return None


def extend(walk: Walk, node: ast.expr, more: ast.expr) -> None:
    """`cmd += […]`, `cmd.extend([…])`, `cmd.append("--x")`: flags of the program that `cmd` starts."""
    if isinstance(more, _LISTS):
        if _has_flag(more.elts):
            walk.done.add(id(more))
            see_words(walk, more, program_behind(walk, node))
    elif isinstance(more, ast.Constant | ast.JoinedStr) and not walk.found.muted:
        text = _opening(more) if isinstance(more, ast.JoinedStr) else text_of(more, walk.scope)
        if text is not None and len(text) < _LONGEST and text.lstrip().startswith("--"):
            program = program_behind(walk, node)
            if program != OTHER:
                walk.found.add_all(of_rest(text, more.lineno, program), more.end_lineno or more.lineno)


def binary(walk: Walk, node: ast.BinOp) -> Value:
    """Lists that are added make one command; a slash after an address is a route."""
    parts = summands(node)
    lists = [one for one in parts if isinstance(one, _LISTS)]
    if any(_has_flag(one.elts) for one in lists):
        walk.done.update(id(one) for one in lists)
        see_words(walk, node, None)
    elif isinstance(parts[0], ast.Name) and program_behind(walk, parts[0]):
        for one in parts[1:]:
            extend(walk, parts[0], one)
    foreign = _is_foreign(walk, parts[0])
    if foreign:
        walk.done.update(id(one) for one in parts)
    for before, one in () if foreign else pairwise(parts):
        text = value_of(one, walk.scope) if not isinstance(one, ast.JoinedStr) else _opening(one)
        if text and text.startswith("/") and (is_address_name(before) or _is_address(before)):
            see_route(walk.found, text, one.lineno)
    for one in parts:
        walk.visit(one)
    return None


def _opening(node: ast.JoinedStr) -> str:
    return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)


def _is_foreign(walk: Walk, node: ast.expr) -> bool:
    """Whether an address starts with a server that is plainly somebody else's."""
    return walk.found.has_address and foreign(opening(node, walk.scope))


def _is_address(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return "://" in _opening(node)
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "://" in node.value


def mapping(walk: Walk, node: ast.Dict) -> Value:
    for key, value in zip(node.keys, node.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            variable(walk, key, key.value, value)
        if walk.found.has_variable and isinstance(value, ast.Constant):
            of_pair(walk, key, value)
        if key is not None:
            walk.visit(key)
        walk.visit(value)
    return None


def subscript(walk: Walk, node: ast.Subscript) -> Value:
    value = walk.visit(node.value)
    muted = walk.found.muted
    if walk.found.has_variable:
        of_item(walk, node)
        walk.found.muted = muted and value != "os.environ"  # a message that tells a variable reads it
    walk.visit(node.slice)
    walk.found.muted = muted
    if isinstance(value, str) and is_class_name(value.rpartition(".")[2]):
        return value
    if isinstance(node.slice, ast.Slice):
        return value if isinstance(value, Many) else None  # a piece of a list is a list
    theirs = isinstance(value, Instance | Inherited | Many) or (isinstance(value, str) and walk.words.watches(value))
    index = node.slice.value if isinstance(node.slice, ast.Constant) else None
    number = str(index) if isinstance(index, int) and 0 <= index < 100 else ""
    if isinstance(value, Instance) and value.path.endswith("()") and theirs:  # it may give something else one day
        walk.refer("attribute", f"{value.path}[{number}]", node.lineno)
    return followed(value, f"[{number}]") if theirs else None


def comparison(walk: Walk, node: ast.Compare) -> Value:
    if walk.found.has_variable:
        of_comparison(walk, node)
    walk.visit(node.left)
    for one in node.comparators:
        walk.visit(one)
    if isinstance(node.ops[0], ast.In | ast.NotIn) and condition(walk, node):
        walk.tested = True
    return None


def conditional(walk: Walk, node: ast.IfExp) -> Value:
    found = walk.found
    before, when = found.guard, found.when
    asked: tuple[str, ...] = ()
    otherwise: tuple[str, ...] = ()
    if tested := walk.test(node.test):
        walk.tested = True
        asked, otherwise = replaceable(condition(walk, node.test)), replaceable(denial(walk, node.test))
    values = []
    for one, holds in ((node.body, asked), (node.orelse, otherwise)):
        found.guard, found.when = before | (EVERYTHING if tested and not holds else 0), when + holds
        values.append(walk.visit(one))
    found.guard, found.when = before, when
    return values[0] if tested and values[0] is not None else _either(values)


def _either(values: Sequence[Value]) -> Value:
    """What one of several is, as far as it is known: nothing, if two of them are different things."""
    known = [one for one in values if one is not None]
    return known[0] if known and all(one == known[0] for one in known) else None


def logical(walk: Walk, node: ast.BoolOp) -> Value:
    """`hasattr(x, "y") and x.y`: what follows a check is guarded by it."""
    found = walk.found
    before, when = found.guard, found.when
    values: list[Value] = []
    for one in node.values:
        tested, walk.tested = walk.tested, False
        values.append(walk.visit(one))
        if walk.tested:
            # What makes up for a name in `not hasattr(x, "y") or x.y` is the answer itself.
            holds = condition(walk, one) if isinstance(node.op, ast.And) else replaceable(denial(walk, one))
            found.guard |= 0 if holds else EVERYTHING
            found.when += holds
        walk.tested = walk.tested or tested
    found.guard, found.when = before, when
    return values[-1] if isinstance(node.op, ast.And) else _either(values)


def anonymous(walk: Walk, node: ast.Lambda) -> Value:
    before, walk.scope = walk.scope, Scope(walk.outer())
    every = node.args
    for default in (*every.defaults, *every.kw_defaults):
        if default is not None:
            walk.visit(default)
    for one in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
        if one is not None:
            walk.scope.names[one.arg] = None
    walk.visit(node.body)
    walk.scope = before
    return None


def passing(walk: Walk, node: ast.Await | ast.Starred | ast.FormattedValue) -> Value:
    return walk.visit(node.value)


def named(walk: Walk, node: ast.NamedExpr) -> Value:
    value = walk.visit(node.value)
    walk.bind(node.target.id, value)
    return value


def nothing(_walk: Walk, _node: ast.AST) -> Value:
    return None


EXPRESSIONS: dict[type[ast.AST], Handler] = {
    ast.Name: name,
    ast.Attribute: attribute,
    ast.Constant: constant,
    ast.JoinedStr: joined,
    ast.List: sequence,
    ast.Tuple: sequence,
    ast.Set: sequence,
    ast.BinOp: binary,
    ast.Dict: mapping,
    ast.Subscript: subscript,
    ast.Compare: comparison,
    ast.IfExp: conditional,
    ast.BoolOp: logical,
    ast.Lambda: anonymous,
    ast.Await: passing,
    ast.Starred: passing,
    ast.FormattedValue: passing,
    ast.NamedExpr: named,
    **dict.fromkeys((ast.Load, ast.Store, ast.Del, ast.Pass, ast.Break, ast.Continue), nothing),
    **dict.fromkeys((ast.Nonlocal, ast.Not, ast.USub, ast.UAdd, ast.Invert), nothing),
}

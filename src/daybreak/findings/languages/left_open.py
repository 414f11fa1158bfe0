"""Defaults that are left open: a setting that is `auto` or None by default now, and what the same change makes of that.

`"cutlass"` that became `"auto"` is `"cudnn" if is_new_chip() else "cutlass"` where a new branch says so: who is not on the
new chip meets what he met before. Where the old code put that in the place of whatever was set, only what is set is another.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact, Whole, destination
from daybreak.findings.languages.python_functions import Function, Sign, sources
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_syntax import expression, statements

_OPEN = ('"auto"', "'auto'", "None")
_LONGEST = 160
_DEEPEST = 4
"""Conditions under one another that still can be read as one value."""


def settled(facts: Iterable[Fact], whole: Whole) -> Iterator[Fact]:
    """Defaults that are left open as the values that they come to; one that comes to what it was is no change."""
    found = [*facts]
    left_open = [f for f in found if kind_of(f.kind).change == "default_changed" and f.after in _OPEN]
    for fact in found:
        if fact not in left_open or fact.before in _OPEN:
            yield fact
            continue
        names = _of_one_setting(fact, left_open)
        was = _value(names, fact.before or "", whole, "-")
        now = _as_written(_value(names, fact.after or "", whole, "+"), whole)
        if was is not None and was == now:  # another mark for what nobody set: `-1` that became None
            yield from _heeded(fact, was)
            continue
        if now is None or not _is_plain(now):
            yield fact
        elif not same_value(now, fact.before):
            yield replace(fact, before=was if was is not None and _is_plain(was) else fact.before, after=now)


def _heeded(fact: Fact, was: str) -> Iterator[Fact]:
    """That a field is as it was set, where the old default and its opposite were one and the same to a condition."""
    by_condition = expression(was, _LONGEST)
    if kind_of(fact.kind).family != "field" or not isinstance(by_condition, ast.IfExp):
        return
    if ast.unparse(by_condition.orelse) == (fact.before or "").replace('"', "'"):
        asked = ast.unparse(by_condition.test).replace("'", '"')
        yield replace(fact, kind="field_heeded", before=asked, after=None)


def _of_one_setting(fact: Fact, left_open: Sequence[Fact]) -> set[str]:
    """The names that a setting has: its own, and that of the one field or option beside it which went the same way."""
    same = [f for f in left_open if (f.path, f.before, f.after) == (fact.path, fact.before, fact.after)]
    alone = len({f.kind for f in same}) == len(same)
    leaves = (f.symbol.rpartition(".")[2].rpartition("(")[2].rstrip(")") for f in (same if alone else [fact]))
    return set(map(destination, leaves))


def _value(names: set[str], unset: str, whole: Whole, sign: Sign) -> str | None:
    """What the branches that only one side of the changed functions has give a setting that nobody set, where they agree."""
    pairs = (pair for some in sources(whole).pairs.values() for pair in some)
    sides = ((pair.new, pair.old) if sign == "+" else (pair.old, pair.new) for pair in pairs)
    given = {
        value
        for own, other in sides
        if own is not None and any(name in own.words for name in names)
        for value in _given(own, names, unset)
        if other is None or value not in _given(other, names, unset)
    }
    return given.pop() if len(given) == 1 else None


def _given(function: Function, names: set[str], unset: str) -> list[str]:
    tests = (node for node in statements(function.body) if isinstance(node, ast.If) and not node.orelse)
    out = list[str]()
    asked = dict[str, str]()
    for node in tests:
        held = _asked(node.test, unset)
        if held is not None and _is_setting(held, function, names):
            value, name = _branch(node.body, ast.unparse(held)), ast.unparse(held)
            if value is not None and len(value) <= _LONGEST and not _is_plain(asked.get(name, "a")):
                asked[name] = value  # of several in a row that ask the same, one that may leave it unset gives way
        else:
            value = _forced(node, names, unset)
            out += [value] if value is not None and len(value) <= _LONGEST else []
    return [*out, *asked.values()]


def _as_written(value: str | None, whole: Whole) -> str | None:
    """The value of a constant that came with the change."""
    if value is None or not value.isidentifier():
        return value
    given = (line.partition("#")[0].partition(" = ") for line in whole.added_lines if line.startswith(f"{value} = "))
    return next((after.strip() for _, _, after in given), value)


def _forced(node: ast.If, names: set[str], unset: str) -> str | None:
    """What a block puts in the place of whatever was set, under a condition beside the question whether it is set at all."""
    puts = [one for one in node.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute)]
    put = next(
        (one for one in puts if isinstance(one.targets[0], ast.Attribute) and one.targets[0].attr in names), None
    )
    if put is None or unset in _OPEN:
        return None
    held = ast.unparse(put.targets[0])
    parts = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And) else [node.test]
    said = [ast.unparse(one) for one in parts]
    asked = [one for one in said if held not in one]
    if not asked or not {*said} - {*asked} <= {f"not {held}", f"{held} is False", f"{held} == {unset}"}:
        return None
    return f"{ast.unparse(put.value)} if {' and '.join(asked)} else {unset}".replace("'", '"')


def _asked(test: ast.expr, unset: str) -> ast.expr | None:
    """What a test asks to be unset."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq | ast.Is):
        return None
    return test.left if ast.unparse(test.comparators[0]) == unset.replace('"', "'") else None


def _is_setting(held: ast.expr, function: Function, names: set[str]) -> bool:
    """The setting itself, or a local name that was given it."""
    values = [held, *function.bindings.get(ast.unparse(held), ())]
    if isinstance(held, ast.Name) and held.id in names and held.id in function.parameters:
        return True
    return any(isinstance(one, ast.Attribute) and one.attr in names for one in values)


def _branch(body: list[ast.stmt], held: str, depth: int = 0) -> str | None:
    """The one value that a block gives it; of two branches, each with its condition."""
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == held:
            return ast.unparse(node.value).replace("'", '"')
        if isinstance(node, ast.If):
            if depth >= _DEEPEST:
                return None
            then, other = (_branch(block, held, depth + 1) for block in (node.body, node.orelse))
            asked = ast.unparse(node.test).replace("'", '"')
            return (
                None if then is None or other is None else then if then == other else f"{then} if {asked} else {other}"
            )
    return None


def _is_plain(value: str) -> bool:
    """A constant, or several by conditions."""
    left = [expression(value, _LONGEST)]
    while left:
        one = left.pop()
        if isinstance(one, ast.IfExp):
            left += one.body, one.orelse
        elif not isinstance(one, ast.Constant):
            return False
    return True

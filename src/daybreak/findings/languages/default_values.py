"""Defaults as the values that users meet: constants of classes, functions that give a value and factories looked through.

A default that a call gives is told by what the call was handed otherwise: `field(default_factory=lambda: Phase(mode=M.A))`
that became `Phase(mode=chosen())` is another `mode`, and `chosen` gives what its one expression says.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.python_functions import Function, Sign, Sources, sources
from daybreak.findings.languages.python_members import default_of
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_public import is_enum
from daybreak.findings.languages.python_syntax import called_name, expression, walk

_LONGEST = 200
_DEEPEST = 3
"""Functions that give what another one gives, one behind the other."""


def looked_up(facts: Iterable[Fact], pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Defaults as the values they stand for; one value under two names is no change."""
    old, new = (_Side(pairs, sources(whole), sign) for sign in ("-", "+"))
    for fact in facts:
        if kind_of(fact.kind).change != "default_changed":
            yield fact
            continue
        was, now = old.value(fact.before), new.value(fact.after)
        if not (same_value(was, now) or _one_member(was, now, new) or _is_unset_either_way(fact, whole)):
            shown = old.value(fact.before, members=False), new.value(fact.after, members=False)
            yield _apart(replace(fact, before=shown[0], after=shown[1]))


class _Side:
    """What names stand for before or after the change."""

    def __init__(self, pairs: Sequence[FilePair], known: Sources, sign: Sign) -> None:
        sides = [(p.file.path, p.old if sign == "-" else p.new) for p in pairs]
        self._fields: Mapping[str, Row] = {row.name: row for _, one in sides for row in one.of("attribute")}
        self._enums = {row.name for _, one in sides for row in one.of("class") if is_enum(row)}
        stems = [PurePosixPath(path).stem for path, _ in sides]
        self._modules = {stem: one for stem, (_, one) in zip(stems, sides, strict=True) if stems.count(stem) == 1}
        self._known, self._sign = known, sign

    def value(self, text: str | None, *, members: bool = True) -> str | None:
        """The value as it is written, with what its names stand for in their place; a member of an enum is itself where it
        is shown, and what it holds where two are compared (`members`).
        """
        tree = _parsed(text)
        if text is None or tree is None or isinstance(tree, ast.Constant | ast.Name):
            return text
        plain = _Plain(self, members).visit(tree)
        found = ast.unparse(plain).replace("'", '"') if "'" not in text else ast.unparse(plain)
        return text if ast.dump(plain) == ast.dump(_parsed(text) or plain) or len(found) > _LONGEST else found

    def field(self, name: str, *, members: bool = True) -> ast.expr | None:
        if not members and name.rpartition(".")[0] in self._enums:
            return None
        row = self._fields.get(name)
        if row is None and (home := self._modules.get(name.partition(".")[0])) is not None:
            row = home.get(("attribute", name.partition(".")[2]))  # `envs.NAME`, which its module declares
        return _parsed(default_of(row)) if row is not None else None

    def given(self, function: str) -> ast.expr | None:
        """What a function without parameters gives, where that is one expression."""
        wrapper = self._known.wrapper(function, self._sign)
        return _parsed(ast.unparse(wrapper.body)) if wrapper is not None and not wrapper.parameters else None


class _Plain(ast.NodeTransformer):
    """Puts values in the place of what stands for them."""

    def __init__(self, side: _Side, members: bool, depth: int = 0) -> None:
        self._side, self._members, self._depth = side, members, depth

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        plain = isinstance(node.value, ast.Name)
        found = self._side.field(ast.unparse(node), members=self._members) if plain else None
        return node if found is None else found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        plain = isinstance(node.func, ast.Name) and not node.args and not node.keywords
        given = self._side.given(node.func.id) if plain and isinstance(node.func, ast.Name) else None
        if given is not None and self._depth < _DEEPEST:
            inner: ast.AST = _Plain(self._side, self._members, self._depth + 1).visit(given)
            return inner
        node.args = [self.visit(one) for one in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return node


def _one_member(was: str | None, now: str | None, side: _Side) -> bool:
    """`Old.MEMBER` for `New.MEMBER`, where `Old = New` stands now: the same choice under the name of its class."""
    first, second = _parsed(was), _parsed(now)
    if not (isinstance(first, ast.Attribute) and isinstance(second, ast.Attribute)) or first.attr != second.attr:
        return False
    old, new = ast.unparse(first.value), ast.unparse(second.value)
    return any(
        isinstance(held, ast.expr) and ast.unparse(held) == other
        for held, other in ((side.field(old), new), (side.field(new), old))
    )


def _is_unset_either_way(fact: Fact, whole: Whole) -> bool:
    """`None` that is `False` now, of a field whose type has no place for `None` any more and which the files of the change ask
    for yes or no alone: it says no as before.
    """
    name, known = fact.symbol.rpartition(".")[2], sources(whole)
    if fact.before != "None" or fact.after != "False" or not re.search(rf"\b{name}: bool = ", known.after):
        return False
    both: tuple[Sign, Sign] = ("-", "+")
    every = (one for file in known.files for sign in both for one in known.functions(file, sign).values())
    asked = [says for one in every if one.name and name in one.words for says in _asked(one, name)]
    return bool(asked) and all(asked)


def _asked(function: Function, name: str) -> Iterator[bool]:
    """Of each place that reads an attribute, whether it only asks for yes or no."""
    found = list(walk(function.body))
    gives = "-> bool:" in function.text
    truths: list[ast.expr | None] = [
        *(one.test for one in found if isinstance(one, ast.If | ast.IfExp | ast.While | ast.Assert)),
        *(one.operand for one in found if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not)),
        *(one.args[0] for one in found if isinstance(one, ast.Call) and called_name(one) == "bool" and one.args),
        *(one.value for one in found if gives and isinstance(one, ast.Return)),
    ]
    asking = set[int]()
    while truths:
        one = truths.pop()
        truths += one.values if isinstance(one, ast.BoolOp) else ()
        asking.add(id(one))
    reads = (one for one in found if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
    yield from (id(one) in asking for one in reads if one.attr == name)


def _parsed(text: str | None) -> ast.expr | None:
    """An expression; None for what is none, or too long to be a default that anybody sets."""
    return expression(text, _LONGEST) if text else None


def _apart(fact: Fact) -> Fact:
    """Of two calls of one maker that differ in one argument by its name: that argument."""
    was, now = _parsed(fact.before), _parsed(fact.after)
    if not (isinstance(was, ast.Call) and isinstance(now, ast.Call)) or ast.dump(was.func) != ast.dump(now.func):
        return fact
    if [*map(ast.dump, was.args)] != [*map(ast.dump, now.args)]:
        return fact
    first, second = ({k.arg: ast.unparse(k.value) for k in call.keywords} for call in (was, now))
    other = [name for name in first if first[name] != second.get(name)]
    if first.keys() != second.keys() or len(other) != 1 or other[0] is None:
        return fact
    before, after = (side[other[0]].replace("'", '"') for side in (first, second))
    return replace(fact, symbol=f"{fact.symbol}.{other[0]}", before=before, after=after)

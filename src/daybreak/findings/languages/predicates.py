"""Predicates of settings: a property or function that says yes or no for whoever sets nothing, and says it for others now.

`use_new_runner`, `is_cache_enabled`, any method of a configuration that gives a bool: nobody reads them as a default, yet
they are one. All ways out of the function are one question; it counts when that is another question in normal form, and
not only by names that the change brings along.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from daybreak.core.text import contrast
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, unwrapped
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Question, both, either
from daybreak.findings.languages.python_functions import Function, Pair, Sign, Sources, sources
from daybreak.findings.languages.python_normal import Scope, Wrapper, question
from daybreak.findings.languages.python_public import holds_settings
from daybreak.findings.languages.python_syntax import statements

_NAMED = re.compile(r"_?(?:use|enable|should)_\w+|_?is_\w+_enabled|_?is_default_\w+")
_CHECKER = re.compile(r"_?(?:validate|verify|check|has|supports?|__)")
"""Says what is so, or refuses it, and chooses nothing."""
_GIVES_BOOL = re.compile(r"\)\s*->\s*bool\s*:")
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"int\(([^\W\d]\w*)\)")
_IS = ("==", "is", "in")
_MOST = 12
"""Ways out of one function that are followed."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Predicates of settings that answer otherwise."""
    if quiet(file) or not file.public:
        return
    pairs = (pair for pair in sources(whole).pairs.get(file.path, ()) if is_predicate(pair))
    found = (fact for pair in pairs if (fact := _compare(pair, sources(whole))) is not None)
    yield from islice(found, PER_FILE)


def is_predicate(pair: Pair) -> bool:
    """On both sides it gives yes or no about what a user sets, or left unset."""
    old, new = pair.old, pair.new
    if old is None or new is None or not new.name or not pair.file.public:
        return False
    asks = _NAMED.fullmatch(new.short) or (holds_settings(pair.file, new.name) and not _CHECKER.match(new.short))
    return bool(asks) and _gives_bool(old) and _gives_bool(new)


def _gives_bool(function: Function) -> bool:
    given = _exits(function)
    if not given or len(given) > _MOST or not _is_followed(function.body):
        return False
    return bool(_GIVES_BOOL.search(function.text[:4000])) or all(map(_asks, given))


def _exits(function: Function) -> list[ast.expr]:
    return [node.value for node in statements(function.body) if isinstance(node, ast.Return) and node.value]


def _is_followed(body: Sequence[ast.stmt]) -> bool:
    """It decides by conditions alone: no way out stands in a loop or beside an error that is caught."""
    others = (node for node in statements(body) if not isinstance(node, ast.If | ast.Return))
    return not any(isinstance(one, ast.Return) for node in others for one in statements([node]))


def _asks(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("any", "all", "bool")
    if isinstance(node, ast.BoolOp):
        return any(map(_asks, node.values))
    plain = isinstance(node, ast.Constant) and isinstance(node.value, bool)
    return plain or isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _compare(pair: Pair, known: Sources) -> Fact | None:
    old, new = pair.old, pair.new
    if old is None or new is None or _is_handed_on(old, new) or _is_handed_on(new, old):
        return None
    for was, now in (*known.readings(pair), _without_attributes(pair, known)):
        first, second = (_for_others(_answer(*one), known) for one in ((old.body, was), (new.body, now)))
        if first == second or _is_of_new_names(first ^ second, known) or {first, second} <= {ALWAYS, NEVER}:
            return None  # what is always the same is told as a flag
    before, after = _told(old, new)
    return Fact("predicate_changed", pair.file.path, new.line, pair.place, before, after) if before != after else None


def _is_handed_on(one: Function, other: Function) -> bool:
    """It asks a function about the very object, and the other side does not: that one may ask the same, and is not read here."""
    given = _exits(one)[-1]
    if len(one.body) > 2 or not isinstance(given, ast.Call) or not isinstance(given.func, ast.Name):
        return False
    return any(ast.unparse(each) == "self" for each in given.args) and given.func.id not in other.words


def _without_attributes(pair: Pair, known: Sources) -> tuple[Scope, Scope]:
    """Wrappers looked through, and attributes of one side alone as what that side gave them: `self.on`, which went, stood
    for it.
    """
    _, _, (was, now), _ = known.readings(pair)
    return _spelt_out(pair, known, "-", was), _spelt_out(pair, known, "+", now)


def _spelt_out(pair: Pair, known: Sources, sign: Sign, scope: Scope) -> Scope:
    own, other = (known.functions(pair.file, one) for one in (sign, "+" if sign == "-" else "-"))
    place = pair.old if sign == "-" else pair.new
    there = f"{place.name.rpartition('.')[0]}." if place is not None else ""
    kept = {name for one in other.values() if one.name.startswith(there) for name, _ in _set_by(one)}
    given: dict[str, list[ast.expr]] = {}
    for one in own.values():
        for name, value in _set_by(one) if there != "." and one.name.startswith(there) else ():
            given.setdefault(name, []).append(_in_full(value, one))
    alone = {name: Wrapper((), some[0]) for name, some in given.items() if len(some) == 1 and name not in kept}
    return scope._replace(wrappers=lambda name: alone.get(name) or scope.wrappers(name), written=None, answers={})


def _set_by(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Attributes of the object that a function gives a value."""
    for node in statements(function.body) if function.mentions(_SETS_OWN) else ():
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self" and isinstance(node, ast.Assign):
            yield target.attr, node.value


_SETS_OWN = re.compile(r"\bself\.\w+ = ")


def _in_full(value: ast.expr, function: Function) -> ast.expr:
    """A value with its local names spelt out; `x and x.y` asks for `x.y`, which whoever has no `x` cannot be asked for."""
    plain: ast.expr = _InFull(function).visit(ast.parse(ast.unparse(value), mode="eval").body)
    return plain


class _InFull(ast.NodeTransformer):
    def __init__(self, function: Function) -> None:
        self._function = function

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        texts = [ast.unparse(one) for one in node.values]
        if isinstance(node.op, ast.And):
            ways = [n for n, text in enumerate(texts) if any(one.startswith(f"{text}.") for one in texts[n + 1 :])]
            node.values = [one for n, one in enumerate(node.values) if n not in ways]
        out: ast.AST = self.generic_visit(node) if len(node.values) > 1 else self.visit(node.values[0])
        return out

    def visit_Name(self, node: ast.Name) -> ast.AST:
        found = self._function.value(node.id)
        return node if found is None else found


def _answer(body: Sequence[ast.stmt], scope: Scope) -> Question:
    """What must be so for a yes."""
    for at, node in enumerate(body):
        if isinstance(node, ast.Return):
            return question(node.value, scope) if node.value is not None else NEVER
        if isinstance(node, ast.If) and any(isinstance(one, ast.Return) for one in statements([node])):
            rest = body[at + 1 :]
            then, other = (_answer(_on(block, rest), scope) for block in (node.body, node.orelse))
            asked = [(True, then), (False, other)]
            return either(both([question(node.test, scope, side), answer]) for side, answer in asked)
    return NEVER


def _on(block: Sequence[ast.stmt], rest: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """A block and what follows it; nothing follows where it leaves."""
    return block if block and isinstance(block[-1], ast.Return | ast.Raise) else [*block, *rest]


def _is_of_new_names(asked: Question, known: Sources) -> bool:
    """Whatever differs asks for something that the change brings: nobody has set it."""
    clauses = ({word for atom in clause for part in atom for word in _WORD.findall(part)} for clause in asked)
    return all(any(known.is_new(word) for word in words) for words in clauses)


def _for_others(asked: Question, known: Sources) -> Question:
    """The answer for all but the values that come with the change."""
    plain = [frozenset(map(_of_flag, clause)) for clause in asked]
    mine = {atom for clause in plain for atom in clause if known.is_new_value(atom.value)}
    left = (clause for clause in plain if not any(atom in mine and atom.sign in _IS for atom in clause))
    return either(frozenset({frozenset(atom for atom in clause if atom not in mine)}) for clause in left)


def _of_flag(atom: Atom) -> Atom:
    """A flag that is asked whether it is no 0 is asked whether it is set, wherever it was made a number."""
    number = _NUMBER.fullmatch(atom.subject)
    asks = atom.sign in ("true", "false")
    return atom._replace(subject=number[1]) if number and asks else atom


def _told(old: Function, new: Function) -> tuple[str, str]:
    """The last way out before and after; where that is the same, with the conditions that only one side has.

    Beside a constant a condition says nothing (`True or x`): there the ways out are told one by one.
    """
    was, now = (one_line(unwrapped(one.source(_exits(one)[-1]))) for one in (old, new))
    if was == now and was in ("True", "False"):
        ways = [_ways_out(one) for one in (old, new)]
        was, now = (f"{_apart(*pair)}else {last}" for pair, last in ((ways, was), (ways[::-1], now)))
    elif was == now:
        was, now = _with_conditions(was, old, new), _with_conditions(now, new, old)
    if was == now:
        was, now = _held(was, old, new), _held(now, new, old)
    return contrast(was, now)


def _ways_out(function: Function) -> list[str]:
    return [f"if {condition}: {given}; " for condition, given in _conditions(function)]


def _apart(own: Sequence[str], other: Sequence[str]) -> str:
    """The ways out that only one side has, with a mark for those beside them; all where only their order differs."""
    if set(own) == set(other):
        return "".join(own)
    marked = ("…; " if way in other else way for way in own)
    return "".join(way for way, _ in groupby(marked))


def _with_conditions(text: str, own: Function, other: Function) -> str:
    known = dict(_conditions(other))
    for condition, given in _conditions(own):
        if known.get(condition) != given:
            said = {"True": f"{text} or {condition}", "False": f"{text} and not ({condition})"}
            text = said.get(given, f"{given} if {condition} else {text}")
    return text


def _held(text: str, own: Function, other: Function) -> str:
    """What its names hold, where that is all that differs: a default that is worked out before the way out."""
    mine, theirs = (_values(one) for one in (own, other))
    names = dict.fromkeys(_WORD.findall(text))
    return "; ".join(mine[name] for name in names if name in mine and mine[name] != theirs.get(name))


def _values(function: Function) -> dict[str, str]:
    """Names that are given a value once."""
    given = [node for node in function.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)]
    named = [(ast.unparse(node.targets[0]), one_line(unwrapped(function.source(node.value)))) for node in given]
    once = [name for name, _ in named]
    return {name: value for name, value in named if once.count(name) == 1}


def _conditions(function: Function) -> list[tuple[str, str]]:
    """The conditions under which it leaves early, each with what it gives then."""
    early = [node for node in statements(function.body) if isinstance(node, ast.If)]
    leaving = ((node, node.body[-1]) for node in early)
    return [
        (one_line(unwrapped(function.source(node.test))), ast.unparse(last.value))
        for node, last in leaving
        if isinstance(last, ast.Return) and last.value is not None
    ]

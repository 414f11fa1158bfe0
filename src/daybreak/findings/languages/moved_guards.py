"""Checks that stand on the other side of a change in another function: they moved, or were there already."""

from __future__ import annotations

import ast
import re

from daybreak.findings.languages.base import Whole
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Question
from daybreak.findings.languages.guard_reading import Guard, guards, raised
from daybreak.findings.languages.python_functions import Function, Pair, Sign, sources
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_syntax import called_name, statements, walk
from daybreak.findings.languages.stricter_guards import WORDY
from daybreak.findings.memory import remembered

_WAY = re.compile(r"\b[^\W\d][\w.]*\b(?!\()")
_HANDED = re.compile(r"\b[^\W\d]\w*(?=[,)])")
_RARE = 2
"""Calls and remainders from which on two checks of one form are one check."""


def reworded(guard: Guard, pair: Pair, whole: Whole, there: Sign) -> bool:
    """The check stands on the other side in another function about other names: `max(A, b) % min(A, b) == 0` is rare."""
    form = _form(guard)
    if form.count("(") + form.count("%") < _RARE:
        return False
    here: Sign = "-" if there == "+" else "+"
    sides = (sources(whole).functions(pair.file, sign).values() for sign in (here, there))
    own, others = (sum(_form(g) == form for one in some for g in guards(one)) for some in sides)
    return others >= max(own, 1)


def _form(guard: Guard) -> str:
    """The condition without the names of its values; those of functions stay."""
    return _WAY.sub("_", guard.condition)


def elsewhere(guard: Guard, pair: Pair, whole: Whole, sign: Sign) -> bool:
    """The same check stands on the other side of the change in another function: it moved, or was there already."""
    own = _anonymous(guard)
    if own is None:
        return False
    known: Question = _standing(whole, sign) if sign == "-" else _standing(whole, sign) | _of_callees(pair, whole)
    if own <= known or (_anonymous(guard, joined=True) or ALWAYS) <= known:
        return True
    return any(_in_its_words(guard, own, one) for one in _worded(whole, sign).get(guard.message, ()))


def _in_its_words(guard: Guard, own: Question, there: Guard) -> bool:
    """The other says the same and asks the same, but for what the one asks around it or leaves for before."""
    mine, other = (len(one.outer) + len(one.before) for one in (guard, there))
    asked = [_handed(one) for one in _anonymous(there) or NEVER]
    return guard.error == there.error and all(
        any(clause & one and len(one - clause) <= mine and len(clause - one) <= other for one in asked)
        for clause in map(_handed, own)
    )


def _handed(clause: frozenset[Atom]) -> frozenset[Atom]:
    """Whatever the values are called that its calls are handed: an attribute here may be a parameter there."""
    return frozenset(one._replace(subject=_HANDED.sub("_", one.subject)) for one in clause)


@remembered(8)
def _worded(whole: Whole, sign: Sign) -> dict[str, list[Guard]]:
    """Words of an error that no two checks have by chance → the guards of all changed functions that say them."""
    out: dict[str, list[Guard]] = {}
    some = (p.new if sign == "+" else p.old for found in sources(whole).pairs.values() for p in found)
    for one in (g for function in some if function is not None for g in guards(function)):
        if len(one.message) >= WORDY:
            out.setdefault(one.message, []).append(one)
    return out


def _anonymous(guard: Guard, *, joined: bool = False) -> Question | None:
    """What a guard turns away, whatever its own names and those of the way to its values are; None when that is nothing.
    `joined`: with the conditions that it stands under, as one `and` would write them.
    """
    found = (guard.full if joined else guard.inner)(guard.function.anonymous)
    if found in (ALWAYS, NEVER):
        return None
    bare = all(atom.subject == "_" and atom.value in ("", "_", "None") for clause in found for atom in clause)
    if bare and not guard.message:
        return None
    # where nothing but its words says which check it is
    words = {Atom(guard.error, "true", guard.message)} if bare else set()
    return frozenset(clause | words for clause in found)


@remembered(8)
def _standing(whole: Whole, sign: Sign) -> Question:
    """What the guards of all changed functions turn away on one side."""
    some = (p.new if sign == "+" else p.old for found in sources(whole).pairs.values() for p in found)
    every = [g for one in some if one is not None for g in guards(one)]
    both = (_anonymous(g, joined=joined) for g in every for joined in ((False, True) if g.outer else (False,)))
    return frozenset(clause for one in both for clause in one or ())


def _of_callees(pair: Pair, whole: Whole) -> Question:
    """What the functions of the same file turn away that the function calls now."""
    body = pair.new.body if pair.new is not None else []
    called = {called_name(n) for n in walk(body) if isinstance(n, ast.Call)}
    known = sources(whole).functions(pair.file, "+").values()
    some = [one for one in known if one.name and one.short in called and one is not pair.new][:40]
    return frozenset(clause for one in some for g in guards(one) for clause in _anonymous(g) or ())


def in_new_code(guard: Guard, other: Function) -> bool:
    """The block or the function around it is part of new code: nothing of that block stood on the other side."""
    new = not guard.function.registered_around(guard.node) <= other.registered.keys()
    if new or not guard.outer:
        return new or (guard.part and not _loops(other, guard))
    node, holds = guard.outer[-1]
    branch = node.body if holds else node.orelse
    if all(isinstance(x, ast.Assert) or (isinstance(x, ast.If) and _refuses_or_talks(x)) for x in branch):
        return False  # one check with two conditions
    heads = {question(n.test) for n in statements(other.body) if isinstance(n, ast.If)}
    asked = question(node.test)
    return asked not in heads and question(node.test, holds=False) not in heads


def _refuses_or_talks(node: ast.If) -> bool:
    """One arm refuses, and the other does nothing but say something."""
    arms = ((node.body, node.orelse), (node.orelse, node.body))
    talks = any(raised(one) and all(isinstance(x, ast.Expr) for x in other) for one, other in arms)
    return talks or raised(node.body) is not None


def _loops(other: Function, guard: Guard) -> bool:
    """The loop around a guard stood there too."""
    own = [n for n in statements(guard.function.body) if isinstance(n, ast.For | ast.AsyncFor | ast.While | ast.Match)]
    around = [n for n in own if any(x is guard.node for x in ast.walk(n))]
    heads = {_head(n) for n in statements(other.body)}
    return all(_head(n) in heads for n in around)


def _head(node: ast.AST) -> str:
    if isinstance(node, ast.For | ast.AsyncFor):
        return ast.unparse(node.iter)
    if isinstance(node, ast.While):
        return ast.unparse(node.test)
    return ast.unparse(node.subject) if isinstance(node, ast.Match) else ""

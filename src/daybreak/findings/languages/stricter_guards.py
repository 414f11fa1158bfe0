"""Checks that turn away, beside what else changed in them, somebody whom they let through before."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.findings.importers import importers
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Atom, Clause, Question, beyond, constant, implies
from daybreak.findings.languages.guard_reading import Guard, guards, raised
from daybreak.findings.languages.guard_words import beside_other, short_text, side_by_side
from daybreak.findings.languages.python_functions import Function, Pair, sources
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_public import holds_settings, importable, private
from daybreak.findings.languages.python_syntax import called_name, runs_itself, statements
from daybreak.findings.languages.refused_choices import is_picked, of_choices
from daybreak.findings.memory import remembered

WORDY = 20
"""Characters of an error's words from which on no other check has them by chance."""


def also_refused(pair: Pair, was: Guard, now: Guard, whole: Whole) -> Iterator[Fact]:
    """What a check that lets others through than before turns away anew, whatever else it asks: a check that came."""
    before, after = (g.full(g.function.scope) for g in (was, now))
    fresh = beyond(after, before)
    plain = all(constant(atom.value) and atom.sign not in ("true", "false") for clause in fresh for atom in clause)
    if not fresh or fresh == after or not plain or now.error == "assert":
        return
    settings = holds_settings(pair.file, now.function.name)
    if of_choices(fresh, sources(whole).text(pair.file, "-"), whole.added_lines, settings):
        text = short_text(f"if {_written(fresh)}: raise {now.error}")
        yield Fact("guard_added", pair.file.path, now.line, now.place(pair), None, text, True)


def _written(asked: Question) -> str:
    return " or ".join(sorted(" and ".join(sorted(" ".join(atom) for atom in clause)) for clause in asked))


def unasked(was: Guard, now: Guard) -> frozenset[Atom]:
    """Choices that a check asked for first and does not now, where that is all that differs: who chose otherwise meets it."""
    if was.error != now.error or was.error == "assert" or len(was.message) < WORDY or was.message != now.message:
        return frozenset()
    first, second = (_parts(g) for g in (was, now))
    dropped = first - second
    return dropped if second < first and all(is_picked(atom.subject) for atom in dropped) else frozenset()


def _parts(guard: Guard) -> frozenset[Atom]:
    """All that must be so for it to refuse, as it is written; nothing where one of several things is enough."""
    asked = [question(guard.node.test), *(question(node.test, holds=holds) for node, holds in guard.outer)]
    alone = [next(iter(one)) for one in asked if len(one) == 1]
    return frozenset[Atom]().union(*alone) if len(alone) == len(asked) and not guard.turned else frozenset()


def was_refused(guard: Guard, pair: Pair, whole: Whole) -> bool:
    """All that it turns away a wider check, which the change eases, turned away before (it opens something in part), or
    failed in other words.
    """
    if _asserted(guard, sources(whole).text(pair.file, "-")):
        return True
    mine = _by_leaves(guard.full(guard.function.scope))
    eased = _eased(whole) if mine not in (NEVER, ALWAYS) else NEVER
    return eased != NEVER and implies(mine, eased)


def _asserted(guard: Guard, old: str) -> bool:
    """What it misses was asserted to be there, somewhere in the file: who lacks it failed before, in other words."""
    missed = re.findall(r"(?<![\w.])([\w.]{1,80}) is None", guard.condition)
    asserts = (rf"\bassert\s(?:[^\n]{{0,200}}[\s(])?{re.escape(name)} is not None" for name in missed)
    return bool(missed) and all(re.search(form, old) for form in asserts)


@remembered(8)
def _eased(whole: Whole) -> Question:
    """What a branch that only refuses asked for, one thing each, and asks more for or no longer stands."""
    found: set[Clause] = set()
    for pair in (one for some in sources(whole).pairs.values() for one in some):
        if pair.old is None or not pair.old.mentions(_REFUSING, "raise", "append"):
            continue
        now = _refusing(pair.new) if pair.new is not None else {}
        for said, asked in _refusing(pair.old).items():
            if len(asked) == 1 and asked != now.get(said) and implies(now.get(said, NEVER), asked):
                found |= asked
    return frozenset(clause for clause in found if len(clause) == 1)


_REFUSING = re.compile(r"\braise\b|\bunsupported\w*\.append\(")


def _refusing(function: Function) -> dict[str, Question]:
    """What is said to whom a branch refuses, by an error or on a list of what is not supported -> what it asks."""
    tests = (node for node in function.body if isinstance(node, ast.If) and len(node.body) == 1)
    said = ((ast.unparse(node.body[0]), node.test) for node in tests)
    return {text: _by_leaves(question(test, function.scope)) for text, test in said if _REFUSING.match(text)}


def _by_leaves(asked: Question) -> Question:
    """With the last name of each way to a value, whoever holds it; a size that is not one is more than one."""
    return frozenset(frozenset(map(_leaf, clause)) for clause in asked)


def _leaf(atom: Atom) -> Atom:
    plain = atom._replace(subject=atom.subject.rpartition(".")[2])
    several = (plain.sign, plain.value) == ("!=", "1") and plain.subject.endswith("_size")
    return plain._replace(sign=">") if several else plain


class _Raise(NamedTuple):
    said: tuple[str, str] | None
    under: frozenset[tuple[Question, bool]]
    ways_out: int
    """How many returns stand before it."""


def raised_anyway(guard: Guard, pair: Pair) -> bool:
    """Its error stood there in its words under fewer conditions or none, behind no more ways out: who meets it met it."""
    if pair.old is None or guard.part or guard.error == "assert" or len(guard.message) < WORDY:
        return False
    around = (*guard.outer, *([(guard.node, not guard.turned)] if isinstance(guard.node, ast.If) else ()))
    under = frozenset((question(node.test), holds) for node, holds in around)
    passed = _returns_before(guard.function, guard.node)
    left = {one[:2] for one in _raises(guard.function)}
    return any(
        one.said == (guard.error, guard.message) and one.under < under and one.ways_out <= passed
        for one in _raises(pair.old)
        if one[:2] not in left
    )


@remembered(512)
def _raises(function: Function) -> list[_Raise]:
    """What it raises outside loops and handlers, with all conditions that say when."""
    out: list[_Raise] = []
    open_blocks: list[tuple[Sequence[ast.stmt], frozenset[tuple[Question, bool]]]] = [(function.body, frozenset())]
    while open_blocks and len(out) < _MOST_RAISED:
        block, under = open_blocks.pop()
        for node in block:
            if isinstance(node, ast.Raise):
                out.append(_Raise(raised([node]), under, _returns_before(function, node)))
            elif isinstance(node, ast.If):
                asked = question(node.test)
                open_blocks += [(node.body, under | {(asked, True)}), (node.orelse, under | {(asked, False)})]
            elif isinstance(node, ast.With):
                open_blocks.append((node.body, under))
    return out


_MOST_RAISED = 200
"""Errors of one function that are looked at."""


def _returns_before(function: Function, node: ast.stmt) -> int:
    return bisect_left(_returns(function), node.lineno)


@remembered(512)
def _returns(function: Function) -> list[int]:
    return sorted(one.lineno for one in statements(function.body) if isinstance(one, ast.Return))


def went_on(guard: Guard, pair: Pair, whole: Whole) -> bool:
    """Under the same condition the function, which others import, only warned and went on or gave a value."""
    before = pair.old or _checked_before(guard.function, pair, whole)
    if before is None or guard.turned or guard.error == "assert" or private(guard.function.name):
        return False
    asked = question(guard.node.test)
    alike = (n for n in statements(before.body) if isinstance(n, ast.If) and question(n.test) == asked)
    return any(_only_warns(node.body) for node in alike) and _is_imported(pair, guard.function.name, whole)


def _checked_before(one: Function, pair: Pair, whole: Whole) -> Function | None:
    """What checked the same field under another name: nobody calls a validator by it."""
    if not runs_itself(one.name, one.decorated):
        return None
    there, owner = sources(whole).functions(pair.file, "-"), one.name.rpartition(".")[0]
    same = (f for name, f in there.items() if name.rpartition(".")[0] == owner and f.decorated == one.decorated)
    return next(same, None)


def _is_imported(pair: Pair, name: str, whole: Whole) -> bool:
    others = (file.change.patch for file in whole.files if file.path != pair.file.path)
    return importable(pair.file) or pair.file.public or name.partition(".")[0] in importers(others)


def _only_warns(body: Sequence[ast.stmt]) -> bool:
    """It warns, and neither raises below nor calls anything else, which might not come back."""
    said = [node for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)]
    return bool(said) and all(_WARNS.match(ast.unparse(n)) for n in said) and all(isinstance(n, _GOES_ON) for n in body)


_GOES_ON = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Pass, ast.Import, ast.ImportFrom)
_WARNS = re.compile(r"(?:\w{1,40}\.)?(?:logger|log|logging|warnings)\.warn\w{0,12}\(")


def moved_stricter(guard: Guard, pair: Pair, whole: Whole) -> Iterator[Fact]:
    """A check that stands, with fewer questions before it, in a function that came and is called in its place."""
    if pair.new is None or len(guard.message) < WORDY:
        return
    known, called = sources(whole), set(_called(pair.new.body))
    there = known.functions(pair.file, "-")
    for name, one in known.functions(pair.file, "+").items():
        if name not in there and one.short in called:
            for now in guards(one):
                if unasked(guard, now):
                    texts = side_by_side(beside_other(guard, now), beside_other(now, guard))
                    yield Fact("guard_narrowed", pair.file.path, now.line, pair.place, *texts, True)


def _called(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Functions that are called whatever holds."""
    values = (node.value for node in body if isinstance(node, ast.Expr | ast.Assign | ast.Return))
    return (called_name(value) for value in values if isinstance(value, ast.Call))

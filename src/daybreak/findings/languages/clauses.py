"""Algebra of questions: clauses, one of which must hold, each of atoms, all of which must.

`not (a or b)`, `not a and not b` and `not (b or a)` all end in one set. What implies what follows from the sets, so a
check that lets more through is told from one that lets less through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

MOST = 48
"""Clauses of one question; more of them stay one atom, as written."""


class Atom(NamedTuple):
    """A question that is not made of others: `x` is true, `x < 3`, `x is None`."""

    subject: str
    sign: str
    value: str = ""

    @property
    def negated(self) -> Atom:
        return self._replace(sign=_NEGATED[self.sign])


Clause = frozenset[Atom]
Question = frozenset[Clause]
ALWAYS: Question = frozenset({frozenset()})
NEVER: Question = frozenset()

_PAIRS = (("==", "!="), ("<", ">="), (">", "<="), ("is", "is not"), ("in", "not in"), ("true", "false"))
_NEGATED = {a: b for one, other in _PAIRS for a, b in ((one, other), (other, one))}


def single(atom: Atom, holds: bool = True) -> Question:
    """The question that one atom asks."""
    return frozenset({frozenset({atom if holds else atom.negated})})


def both(parts: Iterable[Question]) -> Question:
    """All of the questions answered yes."""
    out: Question = ALWAYS
    for part in parts:
        joined = {one | other for one in out for other in part}
        if len(joined) > MOST:
            whole = single(Atom(written(part), "true"))
            joined = {one | other for one in out for other in whole} if len(out) <= MOST else set()
        out = _least(joined)
    return out


def either(parts: Iterable[Question]) -> Question:
    """One of the questions answered yes."""
    found = [*parts]
    merged = {clause for part in found for clause in part}
    if len(merged) > MOST:
        return single(Atom(" | ".join(sorted(written(part) for part in found))[:4000], "true"))
    return _least(merged)


def negation(asked: Question) -> Question:
    """The question answered no."""
    return both(frozenset(frozenset({atom.negated}) for atom in clause) for clause in asked)


def _least(clauses: Iterable[Clause]) -> Question:
    """Without clauses that cannot hold, and without those that another one holds already."""
    able = {_plain(clause) for clause in clauses if not any(atom.negated in clause for atom in clause)}
    for clause in sorted(able, key=len):
        for atom in clause if len(clause) == 1 else ():  # `a or (not a and b)` is `a or b`
            able = {c - {atom.negated} if c != clause else c for c in able}
    return frozenset(c for c in able if not any(other < c for other in able))


def _plain(clause: Clause) -> Clause:
    """`x == 1` says all that `x != 2` could add."""
    fixed = {a.subject for a in clause if a.sign == "==" and constant(a.value)}
    return frozenset(a for a in clause if not (a.sign == "!=" and a.subject in fixed and constant(a.value)))


def constant(text: str) -> bool:
    """A value that is written out: a text, a number, true or false."""
    return text[:1] in "\"'-0123456789" or text in ("True", "False")


def written(asked: Question) -> str:
    """A question as one text, the same for the same question."""
    if asked == ALWAYS:
        return "True"
    texts = sorted(" & ".join(sorted(" ".join(atom) for atom in clause)) for clause in asked)
    return f"<{' | '.join(texts)}>" if texts else "False"


def of_nothing(asked: Question) -> bool:
    """Whatever answers yes has a size or count below one, which nothing ever ran with."""
    return asked != NEVER and all(any(map(_below_one, clause)) for clause in asked)


def _below_one(atom: Atom) -> bool:
    bounds = (atom.sign, atom.value) in {("<", "1"), ("<=", "0"), ("<", "0"), ("==", "0")}
    return bounds and _COUNT.search(atom.subject[-200:]) is not None


_COUNT = re.compile(
    r"(?:^|[._])(?:size|len|length|count|num|number|max|min|width|depth|blocks|seqs|tokens|workers)(?:_\w+)?$"
)


# --- what follows from what ----------------------------------------------------------------------------------------


def implies(one: Question, other: Question) -> bool:
    """Whatever answers the one question yes answers the other yes as well, as far as the form shows it."""
    return all(any(_within(clause, wider) for wider in other) for clause in one)


def beyond(one: Question, other: Question) -> Question:
    """Of the one question what nothing that answers the other yes can answer yes."""
    return frozenset(
        mine
        for mine in one
        if all(any(_follows(atom, own.negated) for own in mine for atom in clause) for clause in other)
    )


def _within(clause: Clause, wider: Clause) -> bool:
    return all(any(_follows(atom, needed) for atom in clause) for needed in wider)


def _follows(atom: Atom, needed: Atom) -> bool:
    if atom == needed or atom.subject != needed.subject:
        return atom == needed
    if atom.sign == "==" and needed.sign == "!=" and constant(atom.value) and constant(needed.value):
        return atom.value != needed.value
    try:
        have, want = float(atom.value), float(needed.value)
    except ValueError:
        return False
    same = have == want and (len(needed.sign) == 2 or atom.sign == needed.sign)  # `x > 3` does not follow from `x >= 3`
    if needed.sign[0] == ">" and atom.sign in (">", ">=", "=="):
        return have > want or same
    return needed.sign[0] == "<" and atom.sign in ("<", "<=", "==") and (have < want or same)

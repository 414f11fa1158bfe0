"""Checks that turn away, beside what else changed in them, somebody whom they let through before."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.clauses import Atom, Question, beyond, constant
from daybreak.findings.languages.guard_reading import Guard, guards
from daybreak.findings.languages.guard_words import beside_other, short_text, side_by_side
from daybreak.findings.languages.python_functions import Pair, sources
from daybreak.findings.languages.python_normal import question
from daybreak.findings.languages.python_public import holds_settings
from daybreak.findings.languages.python_syntax import called_name
from daybreak.findings.languages.refused_choices import is_picked, of_choices

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

"""Orders in which a program tries several implementations: whoever chooses none gets the first that fits, another one from now on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_public import read_at_all
from daybreak.findings.languages.python_syntax import last_name, walk

_ORDERS = re.compile(r"(?:^|_)(?:priorit(?:y|ies|ized)|preferred|preference)(?:_|$)")
_MEMBER = re.compile(r"[A-Z][A-Z0-9_]{2,60}")

Order = tuple[str, ...]


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Functions that say by their name that they give an order, on both sides."""
    if quiet(file) or not read_at_all(file):
        return
    sides = (one[1:] for one in sources(whole).changed(file.path) if _ORDERS.search(one[2].short))
    yield from islice((fact for old, new in sides for fact in _compare(file, old, new)), PER_FILE)


def _compare(file: ReadFile, old: Function, new: Function) -> Iterator[Fact]:
    """Lists that came in the place of one, and begin or go on in another order. What came for a condition of its own beside all that
    stood there alters no default of anybody else.
    """
    before, after = _orders(old), _orders(new)
    gone = [order for order in before if order not in after]
    for order in (one for one in after if len(after[one]) > len(before.get(one, ()))):
        was = max(gone, key=lambda one: len({*one} & {*order}), default=None)
        if was is not None and _differs(was, order):
            texts = ", ".join(was), ", ".join(order)
            yield Fact("listed_default_changed", file.path, after[order][0], new.short, *texts, True)


def _differs(was: Order, now: Order) -> bool:
    """What both have stands in another order, or another one is the first of several that stayed."""
    shared = [one for one in was if one in now]
    if len(shared) < _SEVERAL:
        return False
    return shared != [one for one in now if one in was] or (was[0] != now[0] and was[0] in now)


_SEVERAL = 2


def _orders(function: Function) -> dict[Order, list[int]]:
    """Lists of named members, each with the lines where it stands."""
    out: dict[Order, list[int]] = {}
    for node in walk(function.body):
        if isinstance(node, ast.List):
            names = [last_name(one) for one in node.elts if isinstance(one, ast.Attribute | ast.Name)]
            order = tuple(name for name in names if _MEMBER.fullmatch(name))
            if len(order) >= _SEVERAL and len(order) == len(names):
                out.setdefault(order, []).append(function.at(node))
    return out

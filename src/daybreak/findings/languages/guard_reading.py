"""Guards of one function: each `assert`, and each `if` whose branch does nothing but raise, with the conditions around it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from daybreak.findings.languages.blocks import negation_of, one_line, unwrapped
from daybreak.findings.languages.clauses import ALWAYS, NEVER, Clause, Question, both, implies
from daybreak.findings.languages.python_functions import Def, Function, Pair
from daybreak.findings.languages.python_normal import Scope, question
from daybreak.findings.languages.python_syntax import bodies, leaves, walk
from daybreak.findings.memory import remembered

_ERROR = re.compile(r"[\w.]{0,60}(?:Error|HTTPException|Exception)$")
_TALK = re.compile(r"(?:[\w.]*log(?:ger)?\.\w+\(|warnings\.warn\()")
_HANDLES = re.compile(r"\bexcept\b")
_CHECKS = re.compile(r"\b(?:raise|assert|create_error_response|exit)\b")
_EXIT = re.compile(r"(?:sys\.|os\.)?_?exit\(")
EXIT = "SystemExit"
"""The error of what ends the program: nobody comes through there either, and who ends is told by no other check."""
_MOST = 80
"""Guards of one function that are looked at."""


Under = tuple[tuple[ast.If, bool], ...]


class Guard(NamedTuple):
    """One check of a function, on one side of a change."""

    function: Function
    node: ast.If | ast.Assert
    turned: bool
    """It stands in the `else` of its `if`."""
    error: str
    message: str
    outer: Under
    """The conditions it stands under, outermost first."""
    before: Under
    """Conditions whose branch leaves the function before it is reached."""
    part: bool
    """It stands in a loop or beside other code of a block: it is not asked of everybody."""

    @property
    def behind(self) -> bool:
        """It stands behind its `if`, whose branch leaves: what an `else` would say, and no check that is told by itself."""
        return self.turned and not (isinstance(self.node, ast.If) and self.node.orelse)

    @property
    def condition(self) -> str:
        text = one_line(unwrapped(self.function.source(self.node.test)))
        return negation_of(text) if self.turned else text

    @property
    def branch(self) -> Sequence[ast.stmt]:
        """What is done with what it turns away; nothing for an assert."""
        return () if isinstance(self.node, ast.Assert) else self.node.orelse if self.turned else self.node.body

    @property
    def line(self) -> int:
        return self.function.at(self.node)

    def place(self, pair: Pair) -> str:
        return next(iter(self.function.registered_around(self.node)), pair.place)

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that follows for what it turns away, as text."""
        polarity = isinstance(self.node, ast.If) and not self.turned
        own = self.function.meaning
        return polarity, own(self.node.test), *((holds, own(node.test)) for node, holds in self.outer)

    def inner(self, scope: Scope) -> Question:
        """What it turns away."""
        return question(self.node.test, scope, isinstance(self.node, ast.If) and not self.turned)

    def full(self, scope: Scope) -> Question:
        """The same with the conditions around it."""
        return both([self.inner(scope), *(question(node.test, scope, holds) for node, holds in self.outer)])

    def left(self, scope: Scope) -> Clause:
        """What must be so for the check to be reached at all, and need not be said."""
        asked = [question(node.test, scope, not holds) for node, holds in self.before]
        return frozenset(atom for one in asked if len(one) == 1 for clause in one for atom in clause)


def is_part(guard: Guard, before: Sequence[Guard], scopes: Iterable[tuple[Scope, Scope]]) -> bool:
    """A check that was there turned all of it away, and more."""
    both_sides = ((guard.full(new), was.full(old)) for old, new in scopes for was in before)
    return any(there not in (NEVER, ALWAYS) and implies(own, there) for own, there in both_sides)


def guards(function: Function) -> list[Guard]:
    """All of its guards, in order."""
    return [guard for guard in ways_out(function) if not guard.behind]


@remembered(512)
def ways_out(function: Function) -> list[Guard]:
    """Its guards, and what is raised behind an `if` that leaves: the same way out, written without `else`."""
    out: list[Guard] = []
    if function.mentions(
        _CHECKS, "raise", "assert", "create_error_response", "exit"
    ):  # most functions check nothing, and need not be parsed
        _collect(function, function.body, (), (), False, out)
    return out


def _collect(
    function: Function, body: Sequence[ast.stmt], outer: Under, before: Under, part: bool, out: list[Guard]
) -> None:
    if len(out) >= _MOST or len(outer) > 30:
        return
    for number, node in enumerate(body):
        if isinstance(node, ast.Assert):
            out.append(Guard(function, node, False, "assert", "", outer, before, part))
        elif isinstance(node, ast.If):
            if not node.orelse and leaves(node.body) and (error := raised(body[number + 1 :])):
                out.append(Guard(function, node, True, *error, outer, before, part))
            before = _branches(function, node, outer, before, part, out)
        elif isinstance(node, Def):
            if node.decorator_list:  # what registers it calls it with what users give
                _collect(function, node.body, (), (), False, out)
        else:
            loops = isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.Match)
            for inside in bodies(node):
                _collect(function, inside, outer, before, part or loops, out)


def _branches(function: Function, node: ast.If, outer: Under, before: Under, part: bool, out: list[Guard]) -> Under:
    """The guards of both branches; what is known behind them, since one of them may leave."""
    for branch, holds in ((node.body, True), (node.orelse, False)):
        error = raised(branch)
        if error is not None:
            out.append(Guard(function, node, not holds, *error, outer, before, part))
        elif branch:
            _collect(function, branch, (*outer, (node, holds)), before, part, out)
        if leaves(branch):
            before = (*before, (node, holds))
    return before


def raised(branch: Sequence[ast.stmt]) -> tuple[str, str] | None:
    """The error and its words, of a branch that does nothing but find words for it and raise."""
    said: set[str] = set()
    for node in branch[:3]:
        given = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Return) else None
        if given is not None:
            name = ast.unparse(given.func if isinstance(given, ast.Call) else given)
            answers = isinstance(node, ast.Return) and name.rpartition(".")[2] == "create_error_response"
            raises = isinstance(node, ast.Raise) and _ERROR.match(name)
            used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            return (name.removeprefix("self."), message(node)) if (answers or raises) and said <= used else None
        if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
            said |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Expr) and _EXIT.match(ast.unparse(node)):
            return EXIT, ""
        elif not (isinstance(node, ast.Expr) and _TALK.match(ast.unparse(node))):
            return None
    return None


@remembered(512)
def handled(function: Function) -> Counter[str]:
    """The errors that it raises in place of others, with how many places do so."""
    if not function.mentions(_HANDLES, "except"):
        return Counter()
    found = (raised(node.body) for node in walk(function.body) if isinstance(node, ast.ExceptHandler))
    return Counter(one[0] for one in found if one is not None)


def message(node: ast.AST) -> str:
    """All texts in it, as one."""
    words = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return " ".join("".join(words).split())


def askable(one: Function) -> frozenset[str]:
    """What a function asks for or gives a value, and keys of what it is given: a word of a message, or an argument of a call by
    that name, was given by nobody.
    """
    texts = (n.value for part in one.body for n in ast.walk(part) if isinstance(n, ast.Constant))
    return one.names.union(text for text in texts if isinstance(text, str))

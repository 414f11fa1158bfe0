"""Normal form of Python: one writing for every writing of the same value or question, so that form is never news.

A question becomes its clauses (`clauses`). Nothing is run; what is too large stays as it is written.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from daybreak.findings.languages.clauses import (
    ALWAYS,
    NEVER,
    Atom,
    Question,
    both,
    constant,
    either,
    negation,
    single,
    written,
)
from daybreak.findings.languages.python_syntax import called_name, compared, expression
from daybreak.findings.memory import remembered

_DEEP = 40
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
}
_BARE = frozenset({int, bool, type(None)})
_READS_VARIABLE = re.compile(r"get_\w*env\w*|getenv")
_EMPTY: dict[str, Callable[[], ast.expr]] = {
    "dict": lambda: ast.Dict([], []),
    "list": lambda: ast.List([], ast.Load()),
    "tuple": lambda: ast.Tuple([], ast.Load()),
}


class Scope(NamedTuple):
    """What names stand for where an expression stands."""

    given: Callable[[str], ast.expr | None] = lambda _name: None
    """The value of a name that is given one once, which may stand in its place."""
    hidden: Callable[[str], bool] = lambda _name: False
    """Names of this side alone: another name for the same thing is no difference."""
    local: Callable[[str], bool] = lambda _name: False
    """The same of names that are nobody's attribute."""
    loose: bool = False
    """Where a name is reached from does not count: `self.config.size` is `size`."""
    wrappers: Callable[[str], Wrapper | None] = lambda _name: None
    around: frozenset[str] = frozenset()
    """Names whose value this is a part of."""
    written: Callable[[ast.expr], object] | None = None
    """All that the answer follows from, as text, where that is known: most of a function reads as it did before."""
    bound: int = 0
    """Names that comprehensions and lambdas around it bind."""
    answers: dict[tuple[ast.expr, bool], Question] | None = None
    """What was answered here before: one condition is around many checks."""

    def value(self, name: str) -> ast.expr | None:
        return self.given(name) if name not in self.around else None

    def inside(self, name: str) -> Scope:
        return self._replace(around=self.around | {name})

    def binding(self, names: Sequence[str]) -> Scope:
        """The same inside of what binds names of its own, which have a number in the place of a name."""
        numbers = {name: _numbered(n) for n, name in enumerate(dict.fromkeys(names), self.bound + 1)}
        outer = self.given
        return self._replace(
            given=lambda name: numbers.get(name) or outer(name),
            around=self.around.difference(numbers),
            bound=self.bound + len(numbers),
        )


def _numbered(number: int) -> ast.expr:
    name = ast.Name(f"@{number}", ast.Load())
    name.is_normal = True  # type: ignore[attr-defined]
    return name


class Wrapper(NamedTuple):
    """A function that only hands on one expression."""

    parameters: tuple[str, ...]
    body: ast.expr


def same_value(one: str | None, other: str | None) -> bool:
    """Two texts of code that write one value: brackets, quotes, line breaks, commas and the grouping of digits aside."""
    if one is None or other is None or one == other:
        return one == other
    if _squeezed(one) == _squeezed(other):
        return True
    first, second = expression(one), expression(other)
    return first is not None and second is not None and value(first) == value(second)


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("'", '"')


def value(node: ast.expr, scope: Scope = Scope(), depth: int = 0) -> str:  # noqa: B008  a frozen value
    """The normal form of a value, as text."""
    return _unparsed(_value(node, scope, depth))


def _unparsed(node: ast.expr) -> str:
    """As Python prints it; what code is full of without the printer for whole programs, which takes its time."""
    try:
        return _printed(node) or ast.unparse(node)
    except ValueError:  # a value in the place of its name, which an f-string cannot hold
        return ast.dump(node)


def _printed(node: ast.expr) -> str:
    """Names, what is reached from them, calls and plain constants; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant):
        return repr(node.value) if type(node.value) in _BARE or (type(node.value) is str and not node.kind) else ""
    if isinstance(node, ast.Attribute):
        below = "" if isinstance(node.value, ast.Constant) else _printed(node.value)
        return below and f"{below}.{node.attr}"
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Constant):
        parts = [_printed(node.func), *map(_printed, node.args)]
        named = [(k.arg, _printed(k.value)) for k in node.keywords]
        if not all(parts) or not all(name and text for name, text in named):
            return ""
        return f"{parts[0]}({', '.join((*parts[1:], *(f'{name}={text}' for name, text in named)))})"
    return ""


def _value(node: ast.expr, scope: Scope, depth: int) -> ast.expr:
    if depth > _DEEP or hasattr(node, "is_normal"):
        return node
    if _asks(node):
        return ast.Name(written(_question(node, scope, True, depth + 1)), ast.Load())
    form = _FORMS.get(type(node))
    if form is not None:
        return form(node, scope, depth)
    plain = _folded(_parts(node, scope, depth))
    if isinstance(plain, ast.Set):
        plain.elts.sort(key=_unparsed)
    return plain


def _parts(node: ast.expr, scope: Scope, depth: int) -> ast.expr:
    """The same node of normal parts."""
    fields: dict[str, object] = {}
    for name, part in ast.iter_fields(node):
        if isinstance(part, ast.expr):
            fields[name] = _value(part, scope, depth + 1)
        elif isinstance(part, list):
            fields[name] = [_value(x, scope, depth + 1) if isinstance(x, ast.expr) else x for x in part]
        else:
            fields[name] = part
    made: ast.expr = type(node)(**fields)  # type: ignore[arg-type]
    return made


def _name(node: ast.Name, scope: Scope, depth: int) -> ast.expr:
    given = scope.value(node.id)
    if given is not None:
        return _value(given, scope.inside(node.id), depth + 1)
    return ast.Name("_" if scope.local(node.id) else _called(node.id, scope), ast.Load())


def _called(name: str, scope: Scope) -> str:
    if scope.hidden(name):
        return "_"
    return name.lstrip("_").lower() if scope.loose else name


def _attribute(node: ast.Attribute, scope: Scope, depth: int) -> ast.expr:
    wrapper = scope.wrappers(node.attr)
    if wrapper is not None and len(wrapper.parameters) <= 1:
        return _value(wrapper.body, scope._replace(given=_no_value, wrappers=_no_wrapper), depth + 1)
    if scope.loose and _chain(node.value):
        return ast.Name(_called(node.attr, scope), ast.Load())
    return ast.Attribute(_value(node.value, scope, depth + 1), _called(node.attr, scope), ast.Load())


def _no_wrapper(_name: str) -> Wrapper | None:
    return None


def _no_value(_name: str) -> ast.expr | None:
    return None


def _chain(node: ast.expr) -> bool:
    """Names, attributes and calls without arguments: a way to reach something."""
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Call) and (node.args or node.keywords):
            return False
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(node, ast.Name)


def _call(node: ast.Call, scope: Scope, depth: int) -> ast.expr:
    name = called_name(node)
    plainer = _plainer(node, name, scope.loose)
    if plainer is not None:
        return _value(plainer, scope, depth + 1)
    if scope.loose and _READS_VARIABLE.fullmatch(name) and node.args and isinstance(node.args[0], ast.Constant):
        return ast.Name(str(node.args[0].value).lower(), ast.Load())
    wrapper = _wrapper(node, scope)
    if wrapper is not None:
        return _value(wrapper.body, _within_wrapper(node, wrapper, scope, depth), depth + 1)
    keywords = [ast.keyword(k.arg, _value(k.value, scope, depth + 1)) for k in node.keywords]
    keywords.sort(key=lambda k: k.arg or "~")
    args = [_value(a, scope, depth + 1) for a in node.args]
    if name == "isinstance" and len(args) == 2 and isinstance(args[1], ast.Tuple):
        args[1] = ast.Tuple(sorted(args[1].elts, key=_unparsed), ast.Load())
    return ast.Call(_value(node.func, scope._replace(wrappers=_no_wrapper), depth + 1), args, keywords)


def _plainer(node: ast.Call, name: str, loose: bool) -> ast.expr | None:
    """What stands for the call without one: `getattr(x, "k")` is `x.k`, `dict()` is `{}`, a cast is its value."""
    args, bare = node.args, not node.args and not node.keywords
    key = args[1].value if len(args) == 2 and isinstance(args[1], ast.Constant) else 0
    out: ast.expr | None = None
    if bare and isinstance(node.func, ast.Name) and name in _EMPTY:
        out = _EMPTY[name]()
    elif name == "getattr" and isinstance(key, str) and key.isidentifier():
        out = ast.Attribute(args[0], key, ast.Load())
    elif name == "cast" and len(args) == 2:
        out = args[1]  # for the type checker alone
    elif name == "get" and key is None:
        out = ast.Call(node.func, args[:1], node.keywords)
    elif loose and bare:  # `envs.NAME.get()` reads `NAME`, and a property may have been a method
        out = node.func.value if name == "get" and isinstance(node.func, ast.Attribute) else node.func
    return out


def _wrapper(node: ast.Call, scope: Scope) -> Wrapper | None:
    """The wrapper that is called, where its parameters can be told."""
    found = scope.wrappers(called_name(node))
    given = len(node.args) + len(node.keywords)
    plain = not any(isinstance(a, ast.Starred) for a in node.args)
    return found if found is not None and plain and len(found.parameters) >= given else None


def _within_wrapper(node: ast.Call, wrapper: Wrapper, scope: Scope, depth: int) -> Scope:
    """What the wrapper's parameters stand for in this call."""
    names = wrapper.parameters
    if names[:1] in (("self",), ("cls",)) and len(node.args) + len(node.keywords) < len(names):
        names = names[1:]
    given = {name: _value(arg, scope, depth + 1) for name, arg in zip(names, node.args, strict=False)}
    given |= {k.arg: _value(k.value, scope, depth + 1) for k in node.keywords if k.arg}
    for node_given in given.values():
        node_given.is_normal = True  # type: ignore[attr-defined]  # it is not made normal once more
    return Scope(given.get, scope.hidden, loose=scope.loose, bound=scope.bound)


def _choice(node: ast.IfExp, scope: Scope, depth: int) -> ast.expr:
    asked, other = (_question(node.test, scope, side, depth + 1) for side in (True, False))
    branches = _value(node.body, scope, depth + 1), _value(node.orelse, scope, depth + 1)
    if written(other) < written(asked):
        asked, branches = other, branches[::-1]
    return ast.IfExp(ast.Name(written(asked), ast.Load()), *branches)


def _text(node: ast.JoinedStr, scope: Scope, depth: int) -> ast.expr:
    """A text with nothing put in is a plain text."""
    if all(isinstance(v, ast.Constant) for v in node.values):
        return ast.Constant("".join(str(v.value) for v in node.values if isinstance(v, ast.Constant)))
    return _parts(node, scope, depth)


def _assigned(node: ast.NamedExpr, scope: Scope, depth: int) -> ast.expr:
    return _value(node.value, scope, depth + 1)


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _comprehension(node: Comprehension, scope: Scope, depth: int) -> ast.expr:
    """What it goes over, whatever it calls the one it is at."""
    targets = [n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
    inner = scope.binding(targets)
    generators = [
        ast.comprehension(
            _value(g.target, inner, depth + 1),
            _value(g.iter, inner if n else scope, depth + 1),
            [ast.Name(written(both([_question(x, inner, True, depth + 1) for x in g.ifs])), ast.Load())] * bool(g.ifs),
            g.is_async,
        )
        for n, g in enumerate(node.generators)
    ]
    if isinstance(node, ast.DictComp):
        return ast.DictComp(_value(node.key, inner, depth + 1), _value(node.value, inner, depth + 1), generators)
    return type(node)(_value(node.elt, inner, depth + 1), generators)


def _lambda(node: ast.Lambda, scope: Scope, depth: int) -> ast.expr:
    """What it hands back for its first argument, its second and so on."""
    given = node.args
    inner = scope.binding([x.arg for x in ast.walk(given) if isinstance(x, ast.arg)])

    def numbered(some: Iterable[ast.arg | None]) -> list[ast.arg]:
        return [ast.arg(value(ast.Name(x.arg, ast.Load()), inner)) for x in some if x is not None]

    head = ast.arguments(
        numbered(given.posonlyargs),
        numbered(given.args),
        next(iter(numbered([given.vararg])), None),
        numbered(given.kwonlyargs),
        [None if x is None else _value(x, scope, depth + 1) for x in given.kw_defaults],
        next(iter(numbered([given.kwarg])), None),
        [_value(x, scope, depth + 1) for x in given.defaults],
    )
    return ast.Lambda(head, _value(node.body, inner, depth + 1))


_FORMS: dict[type[ast.expr], Callable[..., ast.expr]] = {
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), _comprehension),
    ast.Lambda: _lambda,
    ast.Name: _name,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.NamedExpr: _assigned,
    ast.IfExp: _choice,
    ast.JoinedStr: _text,
}


def _folded(node: ast.expr) -> ast.expr:
    """Sums and powers of whole numbers as the number they are."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _number(node.operand) is not None:
        return ast.Constant(-(_number(node.operand) or 0))
    if not isinstance(node, ast.BinOp) or (act := _ARITHMETIC.get(type(node.op))) is None:
        return node
    left, right = _number(node.left), _number(node.right)
    if not isinstance(left, int) or not isinstance(right, int):
        return node
    small = abs(left) < 1 << 32 and (0 <= right < 32 if isinstance(node.op, ast.LShift | ast.Pow) else True)
    return ast.Constant(act(left, right)) if small and abs(right) < 1 << 64 else node


def _number(node: ast.expr) -> int | float | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    return None


# --- questions -----------------------------------------------------------------------------------------------------


def _asks(node: ast.expr) -> bool:
    """True or false, whatever its parts are."""
    if isinstance(node, ast.BoolOp):
        return all(map(_asks, node.values))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def question(node: ast.expr, scope: Scope = Scope(), holds: bool = True) -> Question:  # noqa: B008
    """The clauses of which one must hold for the question to be answered yes (`holds`) or no."""
    if scope.answers is None:
        return _answer(node, scope, holds)
    found = scope.answers.get((node, holds))
    if found is None:
        found = scope.answers[node, holds] = _answer(node, scope, holds)
    return found


def _answer(node: ast.expr, scope: Scope, holds: bool) -> Question:
    if scope.written is None:
        return _question(node, scope, holds, 0)
    return _known(_Asked(scope.written(node), node, scope), holds)


class _Asked:
    """A question as it is written; two of one text are one, wherever they stand."""

    __slots__ = ("node", "scope", "text")

    def __init__(self, text: object, node: ast.expr, scope: Scope) -> None:
        self.text, self.node, self.scope = text, node, scope

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.text == other.text


@remembered(2048)
def _known(asked: _Asked, holds: bool) -> Question:
    return _question(asked.node, asked.scope, holds, 0)


def _question(node: ast.expr, scope: Scope, holds: bool, depth: int) -> Question:
    if depth > _DEEP:
        return single(Atom(_unparsed(node)[:2000], "true"), holds)
    if isinstance(node, ast.Name) and (given := scope.value(node.id)) is not None:
        return _question(given, scope.inside(node.id), holds, depth + 1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _question(node.operand, scope, not holds, depth + 1)
    if isinstance(node, ast.Constant):
        return ALWAYS if bool(node.value) == holds else NEVER
    form = _QUESTIONS.get(type(node))
    return form(node, scope, holds, depth) if form else single(Atom(value(node, scope, depth), "true"), holds)


def _joined(node: ast.BoolOp, scope: Scope, holds: bool, depth: int) -> Question:
    parts = [_question(part, scope, holds, depth + 1) for part in node.values]
    return (both if isinstance(node.op, ast.And) == holds else either)(parts)


def _chosen(node: ast.IfExp, scope: Scope, holds: bool, depth: int) -> Question:
    return either(
        both([_question(node.test, scope, side, depth + 1), _question(branch, scope, holds, depth + 1)])
        for side, branch in ((True, node.body), (False, node.orelse))
    )


def _asked(node: ast.Call, scope: Scope, holds: bool, depth: int) -> Question:
    """A call as a question: `bool(x)` asks for `x`, `isinstance` for one type after the other, a wrapper for its body."""
    name = called_name(node)
    if name == "bool" and len(node.args) == 1:
        return _question(node.args[0], scope, holds, depth + 1)
    if name == "isinstance" and len(node.args) == 2 and isinstance(node.args[1], ast.Tuple):
        kinds = [ast.Call(node.func, [node.args[0], kind], []) for kind in node.args[1].elts]
        return (either if holds else both)([_question(kind, scope, holds, depth + 1) for kind in kinds])
    wrapper = _wrapper(node, scope)
    if wrapper is not None:
        return _question(wrapper.body, _within_wrapper(node, wrapper, scope, depth), holds, depth + 1)
    return single(Atom(value(node, scope, depth), "true"), holds)


def _compared(node: ast.Compare, scope: Scope, holds: bool, depth: int) -> Question:
    sides = [node.left, *node.comparators]
    signs = (_SIGNS[compared(op, a, b)] for a, op, b in zip(sides, node.ops, sides[1:], strict=False))
    found = [_pair(a, sign, b, scope, depth) for a, sign, b in zip(sides, signs, sides[1:], strict=False)]
    return both(found) if holds else negation(both(found))


def _reached(node: ast.Attribute, scope: Scope, holds: bool, depth: int) -> Question:
    """A property that hands on a question asks it."""
    wrapper = scope.wrappers(node.attr)
    if wrapper is not None and len(wrapper.parameters) <= 1:
        plain = scope._replace(given=_no_value, wrappers=_no_wrapper)
        return _question(wrapper.body, plain, holds, depth + 1)
    return single(Atom(value(node, scope, depth), "true"), holds)


_QUESTIONS: dict[type[ast.expr], Callable[..., Question]] = {
    ast.Attribute: _reached,
    ast.BoolOp: _joined,
    ast.IfExp: _chosen,
    ast.Compare: _compared,
    ast.Call: _asked,
}


def _pair(left: ast.expr, sign: str, right: ast.expr, scope: Scope, depth: int) -> Question:
    held = (scope.value(right.id) or right) if sign in ("in", "not in") and isinstance(right, ast.Name) else right
    if sign in ("in", "not in") and isinstance(held, ast.List | ast.Tuple | ast.Set) and 0 < len(held.elts) <= 16:
        one, join = ("==", either) if sign == "in" else ("!=", both)
        return join([_pair(left, one, item, scope, depth) for item in held.elts])
    first, second = value(left, scope, depth + 1), value(right, scope, depth + 1)
    if "None" in (first, second) and sign in ("==", "!="):
        sign = "is" if sign == "==" else "is not"
    if sign not in ("in", "not in") and _later(left, first, right, second):
        first, second, sign = second, first, _TURNED.get(sign, sign)
    return single(Atom(first, sign, second))


def _later(left: ast.expr, first: str, right: ast.expr, second: str) -> bool:
    """The second side is the subject: the first is a constant, or comes later in the order of words."""
    fixed = _fixed(left, first), _fixed(right, second)
    return fixed[0] if fixed[0] != fixed[1] else first > second


def _fixed(node: ast.expr, text: str) -> bool:
    return constant(text) or text == "None" or (isinstance(node, ast.Attribute) and node.attr.isupper())

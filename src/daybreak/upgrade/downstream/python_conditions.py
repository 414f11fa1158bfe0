"""Conditions of Python code on what upstream is: its version, and whether it has a name.

A condition is a text that can be asked of a release: a requirement (`vllm>=0.12.0`), a name that is there
(`+vllm.LLM.sleep`; `~vllm.LLM.sleep` where the code has another way without it), a parameter (`+vllm.LLM.sleep(level)`),
one that is not there (`-vllm.LLM.sleep`), or several of which one is not (`!vllm.LLM,vllm.EngineArgs`). Of several parts
one of which holds, each is a part of one text (`vllm==0.8.4 or vllm>=0.10.0 and vllm<0.10.2`). A variable of upstream is on
(`=vllm.envs.VLLM_USE_V1`) or off (`#vllm.envs.VLLM_USE_V1`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from daybreak.core.versions import version
from daybreak.findings.languages.python_syntax import last_name
from daybreak.upgrade.downstream.choices import When, any_of
from daybreak.upgrade.downstream.python_literals import text_of, word_of
from daybreak.upgrade.downstream.python_values import Check, Inherited, Parameters, Returning, Value, member
from daybreak.upgrade.downstream.python_walk import Walk

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_TURNED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_REQUIREMENT = re.compile(r"([A-Za-z][\w.-]{0,100}?)\s?(==|!=|<=|>=|<|>)\s?([^\s,;]{1,100})")
_HELPERS = (
    (re.compile(r"(?:_ge|_gte|at_least|or_equal|min_version|_min|newer_or_same)$"), ">="),
    (re.compile(r"(?:_gt|greater_than|_newer|newer_than)$"), ">"),
    (re.compile(r"(?:_lt|less_than|older_than|below)$"), "<"),
    (re.compile(r"(?:_le|_lte|at_most|max_version)$"), "<="),
    (re.compile(r"(?:_is|_eq|equals?)$"), "=="),
)
"""How functions that ask for a version are called, and what they ask."""
_VERSION_OF = re.compile(r"_*(?:(?:get|current|installed)_)?([a-z0-9]\w{0,60}?)_?version_*")
_DEEPEST = 6


def condition(walk: Walk, node: ast.expr, depth: int = 0) -> When:
    """What of upstream must hold where an expression is true; nothing when that is not known."""
    if depth > _DEEPEST:
        return ()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return denial(walk, node.operand, depth + 1)
    if isinstance(node, ast.BoolOp):
        parts = [condition(walk, value, depth + 1) for value in node.values]
        return any_of(parts) if isinstance(node.op, ast.Or) else tuple(one for part in parts for one in part)
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        pairs = zip(sides, node.ops, node.comparators, strict=False)
        return tuple(one for left, sign, right in pairs for one in _compared(walk, left, sign, right))
    if isinstance(node, ast.Call) and (asked := _asked(walk, node)):
        return asked
    named = node.func if isinstance(node, ast.Call) else node
    value = walk.resolve(named) if isinstance(named, ast.Name | ast.Attribute) else None
    value = value.value if isinstance(value, Returning) else value
    return value.when if isinstance(value, Check) else ()


def answered(walk: Walk, body: Sequence[ast.stmt]) -> Check | None:
    """What a function of yours asks of upstream that does nothing else: `return Version(vllm.__version__) >= Version("1.0")`."""
    last = body[-1].value if isinstance(body[-1], ast.Return) else None
    before = (one for one in body[:-1] if not isinstance(one, ast.Import | ast.ImportFrom))
    plain = all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in before)
    when = condition(walk, last) if plain and isinstance(last, ast.Compare | ast.BoolOp) else ()
    return Check(when) if when else None


def held(walk: Walk, node: ast.expr) -> When:
    """Names of upstream that must be there where `if Name and …` or `if Name is not None` is true: it is None otherwise."""
    found: list[str] = []
    for part in node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else (node,):
        if isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.IsNot) and len(part.ops) == 1:
            part = part.left  # noqa: PLW2901  # nothing is compared with `is not` but None
        value = walk.look_up(part.id) if isinstance(part, ast.Name) else None
        if isinstance(value, str) and walk.words.watches(value) and all(map(str.isidentifier, value.split("."))):
            found.append(f"+{value}")
    return tuple(found)


def switched(walk: Walk, node: ast.expr) -> tuple[When, When]:
    """What holds of an environment variable that upstream offers as a name, where it is on and where it is off."""
    turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    asked = node.operand if isinstance(node, ast.UnaryOp) else node
    value = walk.resolve(asked) if isinstance(asked, ast.Attribute) else None
    last = value.rpartition(".")[2] if isinstance(value, str) and walk.words.watches(value) else ""
    if not last.isupper() or not walk.words.variable.fullmatch(last):
        return (), ()
    return ((f"#{value}",), (f"={value}",)) if turned else ((f"={value}",), (f"#{value}",))


def denial(walk: Walk, node: ast.expr, depth: int = 0) -> When:
    """What of upstream must hold where an expression is false; nothing when that is not known."""
    if depth > _DEEPEST:
        return ()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return condition(walk, node.operand, depth + 1)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return tuple(one for value in node.values for one in denial(walk, value, depth + 1))
    return opposite(condition(walk, node, depth + 1))


def replaceable(when: When) -> When:
    """The same where the code goes another way if a name is not there, or if another release is."""
    return tuple(one if " or " in one else _with_another_way(one) for one in when)


def _with_another_way(one: str) -> str:
    if one[:1] == "+":
        return f"~{one[1:]}"
    # Whoever is made for one release and has a way for all others has lost nothing when it is left: no `==` says so.
    found = _REQUIREMENT.fullmatch(one)
    return f"{found[1]}>={found[3]},<={found[3]}" if found and found[2] == "==" else one


def opposite(when: Sequence[str]) -> When:
    """What holds where the condition does not; nothing when several parts may each be the reason."""
    if len(when) != 1:
        return ()
    (one,) = when
    if " or " in one:
        return tuple(x for part in one.split(" or ") for x in opposite((part,))) if " and " not in one else ()
    if one[:1] in "+-~":
        return (f"{'+' if one[0] == '-' else '-'}{one[1:]}",)
    found = _REQUIREMENT.fullmatch(one)
    return (f"{found[1]}{_OPPOSITE[found[2]]}{found[3]}",) if found else ()


_SIGNED = frozenset(("signature", "getfullargspec", "getargspec", "fields"))
_FIELDS = frozenset(("__dataclass_fields__", "__struct_fields__", "model_fields", "__annotations__"))
_LISTED = frozenset(("parameters", "args", "kwonlyargs", "keys"))
_COPIED = frozenset(("list", "set", "tuple", "frozenset", "dict", "sorted"))


def parameters(walk: Walk, node: ast.expr) -> Parameters | None:
    """What an expression tells of the parameters of something upstream: `list(inspect.signature(X).parameters)`."""
    for _ in range(_DEEPEST):
        if isinstance(node, ast.SetComp | ast.ListComp | ast.GeneratorExp):
            node = node.generators[0].iter  # `{one.name for one in fields(X)}`
        elif isinstance(node, ast.Attribute) and node.attr in _FIELDS:
            return _parameters(walk.resolve(node.value))
        elif isinstance(node, ast.Attribute) and node.attr in _LISTED:
            node = node.value
        elif isinstance(node, ast.Call) and not node.args and isinstance(node.func, ast.Attribute):
            node = node.func
        elif isinstance(node, ast.Call) and len(node.args) == 1 and last_name(node.func) in _COPIED:
            node = node.args[0]
        elif isinstance(node, ast.Call) and len(node.args) == 1 and last_name(node.func) in _SIGNED:
            return _parameters(walk.once(node.args[0]))
        else:
            break
    value = walk.look_up(node.id) if isinstance(node, ast.Name) else None
    return value if isinstance(value, Parameters) else None


def _parameters(value: Value) -> Parameters | None:
    paths = value.paths if isinstance(value, Inherited) else (value,) if isinstance(value, str) else ()
    return Parameters(paths[0].removesuffix(".__init__")) if len(paths) == 1 else None


def _compared(walk: Walk, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> When:
    if isinstance(operator, ast.In | ast.NotIn):
        known, word = parameters(walk, right), word_of(left, walk.scope)
        if known is not None and word and walk.words.watches(known.path):
            return (f"{'+' if isinstance(operator, ast.In) else '-'}{known.path}({word})",)
        listed = right.elts if isinstance(right, ast.List | ast.Tuple | ast.Set) else ()
        found = any_of([_compared(walk, left, ast.Eq(), one) for one in listed])
        return found if isinstance(operator, ast.In) else opposite(found)
    sign = _OPERATORS.get(operator.__class__, "")
    for asked, bound, turn in ((left, right, False), (right, left, True)):
        top = _package(walk, asked)
        release = _release(bound) if top else ""
        if release and sign:
            return (f"{top}{_TURNED[sign] if turn else sign}{release}",)
    return ()


def _package(walk: Walk, node: ast.expr) -> str:
    """The package whose version an expression is; empty for anything else."""
    for _ in range(_DEEPEST):
        if (
            isinstance(node, ast.Subscript)
            or (isinstance(node, ast.Attribute) and node.attr == "release")
            or (isinstance(node, ast.Attribute) and node.attr in ("base_version", "public"))
        ):
            node = node.value
        elif isinstance(node, ast.Call) and len(node.args) == 1 and text_of(node.args[0], walk.scope) is None:
            node = node.args[0]
        else:
            break
    value: Value = None
    if isinstance(node, ast.Call):
        text = text_of(node.args[0], walk.scope) if node.args else None
        called = last_name(node.func)
        value = f"{text.replace('-', '_')}.__version__" if text and "version" in called.lower() else None
    elif isinstance(node, ast.Name | ast.Attribute):
        value = walk.resolve(node)
    path, _, last = value.rpartition(".") if isinstance(value, str) else ("", "", "")
    if last.startswith("__version"):
        return path.partition(".")[0] if walk.words.watches(path) else ""
    # What a function of yours gives or an object of yours holds is known by its name.
    named = _VERSION_OF.fullmatch(last_name(node.func if isinstance(node, ast.Call) else node).lower())
    return named[1] if named and named[1] in walk.words.tops else ""


def _release(node: ast.expr) -> str:
    """A version that is written out: `"0.8.5"`, `Version("0.8.5")`, `(0, 8, 5)`."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        node = node.args[0]
    if isinstance(node, ast.Tuple):
        parts = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
        return ".".join(map(str, parts)) if parts and all(isinstance(one, int) for one in parts) else ""
    text = node.value if isinstance(node, ast.Constant) else None
    return text if isinstance(text, str) and version(text) is not None else ""


def _asked(walk: Walk, node: ast.Call) -> When:
    """`hasattr(x, "y")`, and functions of yours that compare a version."""
    called = last_name(node.func)
    texts = [word_of(one, walk.scope) for one in node.args]
    if called == "hasattr" and len(texts) == 2 and texts[1] and isinstance(node.args[0], ast.Name | ast.Attribute):
        value = member(walk.resolve(node.args[0]), texts[1])
        paths = value.paths if isinstance(value, Inherited) else (value,) if isinstance(value, str) else ()
        return (f"+{paths[0]}",) if len(paths) == 1 and walk.words.watches(paths[0]) else ()
    if "version" not in called.lower() or not texts or texts[-1] is None or len(texts) > 2:
        return ()
    written = _REQUIREMENT.fullmatch(texts[-1])
    if written and len(texts) == 1:
        return (f"{written[1]}{written[2]}{written[3]}",) if walk.words.watches(written[1]) else ()
    named = texts[0] if len(texts) == 2 else next((top for top in sorted(walk.words.tops) if top in called), None)
    sign = next((sign for pattern, sign in _HELPERS if pattern.search(called)), "")
    known = named and walk.words.watches(named) and version(texts[-1]) is not None
    return (f"{named}{sign}{texts[-1]}",) if sign and known else ()

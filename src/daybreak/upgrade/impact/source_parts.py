"""Pieces of a Python file as its text has them: members of a class, marks of a function, what a name is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from daybreak.upgrade.impact.source import Function, Signature, Source, statements_of, tree_of

_RECORDS = frozenset(("dataclass", "dataclasses", "config", "define", "attrs", "pydantic_dataclass"))
Member = tuple[str, ast.AST, Function | None]


def members_of(node: ast.ClassDef) -> Iterator[Member]:
    """What a class defines in its body and what its methods put on `self`, those of the body first."""
    body = [one for one in statements_of(node.body) if not (isinstance(one, ast.AnnAssign) and is_passed_only(one))]
    for one in body:
        if isinstance(one, ast.ClassDef) or (isinstance(one, Function) and not is_overload(one)):
            yield one.name, one, None
        elif isinstance(one, ast.AnnAssign | ast.Assign):
            for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
                if isinstance(target, ast.Name):
                    yield target.id, one, None
                elif isinstance(target, ast.Tuple):
                    yield from ((inner.id, target, None) for inner in target.elts if isinstance(inner, ast.Name))
    methods = [one for one in body if isinstance(one, Function)]
    for method in sorted(methods, key=lambda one: one.name != "__init__"):
        for one in statements_of(method.body):
            yield from set_on(one, method)


def sides_of(node: ast.expr) -> list[ast.expr]:
    """What an expression is made from, as far as its type follows from one of them."""
    if isinstance(node, ast.Attribute | ast.Await | ast.NamedExpr | ast.Subscript):
        return [node.value]
    if isinstance(node, ast.Call):
        return [node.func]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values[:4] if isinstance(node, ast.BoolOp) else []


_ARGS = re.compile(r"\w{0,200}(?:Args|Arguments)")


def options_of(source: Source) -> set[str]:
    """Names under which a file's parsers leave their options: `dest`, the first long flag, fields that become flags."""
    found: set[str] = set()
    for nodes in source.tops.values():
        for node in nodes:
            if isinstance(node, ast.ClassDef) and _ARGS.fullmatch(node.name):
                found |= {
                    one.target.id
                    for one in node.body
                    if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
                }
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and last_part(call.func) == "add_argument":
                    found |= _destination(call)
    return found


def _destination(call: ast.Call) -> set[str]:
    given = next((one.value for one in call.keywords if one.arg == "dest"), None)
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return {given.value}
    flags = [x.value for x in call.args if isinstance(x, ast.Constant) and isinstance(x.value, str)]
    first = next((flag for flag in flags if flag.startswith("--")), None)
    return {first.lstrip("-").replace("-", "_")} if first else set()


_INSTEAD = re.compile(
    r"\b(?:use|favou?r of|replaced by|renamed to|moved to)\s{1,9}[`'\"]{0,3}([A-Za-z_][\w.]{0,200})", re.IGNORECASE
)


def advised_name(text: str) -> str:
    """The full name that a warning gives for an old one; empty for none."""
    found = _INSTEAD.search(" ".join(text.split())[:1000])
    name = found[1].rstrip(".") if found else ""
    return name if "." in name else ""


def advised_field(text: str, owner: str, name: str) -> str:
    """The full name that the text below a deprecated field of a class gives for it; empty for none."""
    nodes = ast.walk(tree_of(text) or ast.Module([], []))
    for node in (one for one in nodes if isinstance(one, ast.ClassDef) and one.name == owner):
        for one, below in pairwise(node.body):
            own = isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == name
            said = below.value if own and isinstance(below, ast.Expr) else None
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                at = said.value.lower().find("deprecated")
                return advised_name(said.value[at:]) if at >= 0 else ""
    return ""


def advised(node: ast.AST, name: str) -> str:
    """The name that a deprecation text gives for another one."""
    for one in ast.walk(node):
        text = one.value if isinstance(one, ast.Constant) and isinstance(one.value, str) else ""
        if "deprecat" in text.lower():
            found = _INSTEAD.search(" ".join(text.split())[:1000])
            last = found[1].rstrip(".").rpartition(".")[2] if found else ""
            if last and last != name and not last.islower():
                return last
    return ""


def set_on(one: ast.stmt, method: Function, holder: str = "self") -> Iterator[Member]:
    """What a statement of a function puts on `self`, or on what another parameter holds."""
    if isinstance(one, ast.AnnAssign | ast.Assign | ast.AugAssign):
        for target in one.targets if isinstance(one, ast.Assign) else [one.target]:
            parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
            for part in parts:
                if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == holder:
                    yield part.attr, one if part is target else part, method


def assigned(within: Function, name: str) -> ast.expr | None:
    """What a local name is given, where that is one expression."""
    found = [
        one.value
        for one in statements_of(within.body)
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
    return found[0] if len(found) == 1 else None


def hands(call: ast.Call, name: str) -> bool:
    """Whether a call passes a `**name` on."""
    return any(x.arg is None and isinstance(x.value, ast.Name) and x.value.id == name for x in call.keywords)


def taken_out(node: Function, name: str) -> set[object]:
    """Keys of `name.pop("key")` and `name.get("key")`."""
    return {
        one.args[0].value
        for one in ast.walk(node)
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in ("pop", "get")
        if isinstance(one.func.value, ast.Name) and one.func.value.id == name
        if one.args and isinstance(one.args[0], ast.Constant)
    }


def parsed(text: str) -> ast.expr | None:
    """An annotation that stands in quotes."""
    try:
        return ast.parse(text[:300], mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def last_part(node: ast.expr) -> str:
    """The last name of a dotted expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def marks(node: Function | ast.ClassDef) -> set[str]:
    """Names of the decorators."""
    heads = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return {last_part(head) for head in heads}


def deprecation(node: ast.AST) -> str:
    """The words with which a function is marked as deprecated."""
    for one in node.decorator_list if isinstance(node, Function) else ():
        if isinstance(one, ast.Call) and last_part(one.func) == "deprecated" and one.args:
            text = one.args[0]
            return text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""
    return ""


def is_property(node: Function) -> bool:
    """Read like an attribute."""
    return any("property" in mark for mark in marks(node))


def is_overload(node: Function) -> bool:
    """Not the definition that is run."""
    return bool(marks(node) & {"overload", "setter"})


def is_record(node: ast.ClassDef) -> bool:
    """A class whose fields make its constructor."""
    return bool(marks(node) & _RECORDS)


def is_generator(node: Function) -> bool:
    """Gives values one by one."""
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(node))


def is_class_level(node: ast.AnnAssign) -> bool:
    """No field of the constructor."""
    base = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
    hidden = isinstance(node.value, ast.Call) and any(
        one.arg == "init" and isinstance(one.value, ast.Constant) and one.value.value is False
        for one in node.value.keywords
    )
    return last_part(base) == "ClassVar" or hidden


def is_passed_only(node: ast.AnnAssign) -> bool:
    """A field of the constructor that no object keeps: whoever reads it gets nothing, or only the default."""
    base = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
    return last_part(base) == "InitVar"


def aliases(node: ast.ClassDef) -> bool:
    """Fields that are passed by another name than they have."""
    return any(
        isinstance(one, ast.AnnAssign) and isinstance(one.value, ast.Call) and any(x.arg == "alias" for x in one.value.keywords)
        for one in node.body
    )  # fmt: skip


def takes_more(nodes: Sequence[ast.ClassDef]) -> bool:
    """A model that takes what it does not know: `model_config = ConfigDict(extra="allow")`."""
    named = (one for node in nodes for one in node.body if isinstance(one, ast.Assign) and len(one.targets) == 1)
    return any(last_part(one.targets[0]) == "model_config" and "allow" in ast.unparse(one.value)[:300] for one in named)


def is_none(node: ast.expr) -> bool:
    """`None` written out."""
    return isinstance(node, ast.Constant) and node.value is None


def record_of(nodes: Sequence[ast.ClassDef], *, partial: bool) -> Signature | None:
    """The constructor that the fields of these classes make, bases first; `partial`: none of them has to be given."""
    places: dict[str, bool] = {}
    for node in nodes:
        for one in node.body:
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and not is_class_level(one):
                places[one.target.id] = one.value is None
    if not places or any(aliases(node) for node in nodes):
        return None
    required = frozenset(name for name, needed in places.items() if needed and not partial)
    return Signature(tuple(places), frozenset(places), required, takes_more(nodes))

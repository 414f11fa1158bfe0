"""What kinds of values an annotation lets in, as far as it is plain: `str | None`, `Optional[list[int]]`, a class."""

from __future__ import annotations

import ast
import re
from typing import Protocol

from daybreak.upgrade.impact.chains import MANY, TABLES, Thing
from daybreak.upgrade.impact.source_parts import last_part, parsed

_PLAIN = frozenset(("str", "int", "float", "bool", "bytes", "None"))
_SETS = frozenset(("set", "Set", "frozenset"))
_WIDE = MANY - _SETS - {"list", "List"}
_VALUE = r"\s*=\s*(None\b|True\b|False\b|[fbr]{0,2}[\"']|\[|\d)"
_KINDS = {"None": "None", "True": "bool", "False": "bool", "[": "list"}


class Files(Protocol):
    """One end of a range."""

    def named(self, path: str, name: str, depth: int = 0) -> Thing | None:
        """What a name means in a file."""

    def line_up(self, thing: Thing) -> tuple[list[Thing], frozenset[str]]:
        """A class with its bases, and the names of those that are not of the project."""


def kinds(files: Files, node: ast.expr | None, path: str) -> frozenset[str] | None:
    """Kinds that an annotation names; None where it may let in more than that."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return kinds(files, parsed(node.value), path)
        return frozenset({"None"}) if node.value is None else None
    if isinstance(node, ast.BinOp):
        return _either(kinds(files, node.left, path), kinds(files, node.right, path))
    if isinstance(node, ast.Subscript):
        return _held(files, node, path)
    return _single(files, node, path) if isinstance(node, ast.Name | ast.Attribute) else None


def _either(*some: frozenset[str] | None) -> frozenset[str] | None:
    found: frozenset[str] = frozenset()
    for one in some:
        if one is None:
            return None
        found |= one
    return found


def _held(files: Files, node: ast.Subscript, path: str) -> frozenset[str] | None:
    name = last_part(node.value)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in ("Optional", "Union"):
        found = _either(*(kinds(files, one, path) for one in inner))
        return found | {"None"} if found is not None and name == "Optional" else found
    if name == "Literal":
        values = [one.value for one in inner if isinstance(one, ast.Constant)]
        named = frozenset(type(one).__name__.replace("NoneType", "None") for one in values)
        return named if len(values) == len(inner) else None
    return _single(files, node.value, path)


def _single(files: Files, node: ast.expr, path: str) -> frozenset[str] | None:
    name = last_part(node)
    if name in _PLAIN:
        return frozenset({name, "int", "bool"} if name in ("int", "float") else {name})
    if name in TABLES or name in _SETS:
        return frozenset({"dict" if name in TABLES else "set"})
    if name in MANY or name in ("tuple", "Tuple"):
        return frozenset({"list", "tuple"}) if name in _WIDE else frozenset({name.lower()})
    thing = files.named(path, name) if isinstance(node, ast.Name) else None
    if thing is None or thing.sort != "class":
        return None
    line, others = files.line_up(thing)
    text = {"str"} if others & {"str", "StrEnum", "enum.StrEnum"} else set()
    return frozenset({".".join(thing.symbol), *text}) if len(line) < 20 else None


def written_kind(text: str, keyword: str) -> str:
    """The kind of a value that is written out behind a keyword; empty for anything else."""
    found = re.search(rf"(?<![\w.]){re.escape(keyword)}{_VALUE}", text)
    return "" if found is None else _KINDS.get(found[1], "int" if found[1].isdigit() else "str")


_COMPARED = r"\s*(?:==|!=|=(?!=)|in\b|not in\b)\s*[\[({]?\s*[\"']"


def beside_text(text: str, attribute: str) -> bool:
    """Whether an attribute is compared with a string that is written out, or set to one."""
    return re.search(rf"\.\s?{re.escape(attribute)}{_COMPARED}", text) is not None


def head(text: str) -> str:
    """The outermost type of an annotation: `dict` of `Dict[str, int]`; with their number for the parts of a tuple."""
    node = parsed(text)
    bare = node.value if isinstance(node, ast.Subscript) else node
    name = last_part(bare) if bare is not None else ""
    if name in ("tuple", "Tuple") and isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        parts = node.slice.elts
        more = bool(parts) and isinstance(parts[-1], ast.Constant) and parts[-1].value is ...
        return "tuple" if more else f"tuple[{len(parts)}]"
    return "list" if name in MANY else "dict" if name in TABLES else name

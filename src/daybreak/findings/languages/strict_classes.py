"""Classes of settings that turn away what they took: a plain dataclass that validates now, a validating one that forbids what it
does not know.

How strict a class is stands in its decorators, in its `model_config`, or in a decorator of the project's own, which is read
where the change has it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import IntEnum

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import quiet
from daybreak.findings.languages.python_functions import Sign, sources
from daybreak.findings.languages.python_public import private
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.memory import remembered

_ASKED = ("dataclass", "ConfigDict", "model_config")
_EXTRA = re.compile(r"\bextra['\"]?\s*[=:]\s*(?:Extra\.|['\"])(\w+)")
_DATACLASS = re.compile(
    r"^[ \t]*from (pydantic\.dataclasses|dataclasses) import [^\n]*\bdataclass\b(?! as)", re.MULTILINE
)


_SETTINGS = re.compile(r"(?:Config|Configs|Args|Arguments|Settings|Options|Params|Parameters|Request)$")
"""Classes that users fill; what others hold is mostly made by the program itself, of the right types."""


class _Level(IntEnum):
    OTHER = 0
    """Nothing is known of it."""
    PLAIN = 1
    CHECKS = 2
    FORBIDS = 3


_KINDS = {
    (_Level.PLAIN, _Level.CHECKS): "values_validated",
    (_Level.PLAIN, _Level.FORBIDS): "values_validated",  # what it did not know a plain one refused already
    (_Level.CHECKS, _Level.FORBIDS): "unknown_refused",
}


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Public classes that are stricter than they were."""
    if quiet(file) or not file.public or not any(word in file.change.patch for word in _ASKED):
        return
    before, after = _levels(file, whole, "-"), _levels(file, whole, "+")
    for name, (level, line) in after.items():
        was = before.get(name, (_Level.OTHER, 0))[0]
        kind = _KINDS.get((was, level))
        if kind and not private(name) and (kind == "unknown_refused" or _SETTINGS.search(name)):
            yield Fact(kind, file.path, line, name, None, None, breaking=True)


def _levels(file: ReadFile, whole: Whole, sign: Sign) -> dict[str, tuple[_Level, int]]:
    text = sources(whole).text(file, sign)
    tree = parsed(text)
    found = (node for node in tree.body if isinstance(node, ast.ClassDef)) if tree else ()
    return {node.name: (_level(node, text, whole, sign), node.lineno) for node in found}


def _level(node: ast.ClassDef, text: str, whole: Whole, sign: Sign) -> _Level:
    known = [_decorated(one, text, whole, sign) for one in node.decorator_list]
    known += [_Level.CHECKS for base in node.bases if ast.unparse(base).rpartition(".")[2] == "BaseModel"]
    level = max(known, default=_Level.OTHER)
    given = (ast.unparse(one) for one in node.body if isinstance(one, ast.Assign | ast.AnnAssign | ast.ClassDef))
    own = next((one for one in given if one.startswith(("model_config", "class Config"))), "")
    return _with_extra(level, own) if level >= _Level.CHECKS else level


def _with_extra(level: _Level, text: str) -> _Level:
    """As strict as the text says, where it speaks of what is not known."""
    extra = _EXTRA.search(text)
    return level if extra is None else _Level.FORBIDS if extra[1] == "forbid" else _Level.CHECKS


def _decorated(node: ast.expr, text: str, whole: Whole, sign: Sign) -> _Level:
    called = node.func if isinstance(node, ast.Call) else node
    name = ast.unparse(called)
    level = _of_dataclass(name, text) or _of_own(name, whole, sign)
    return _with_extra(level, ast.unparse(node)) if level >= _Level.CHECKS else level


def _of_dataclass(name: str, text: str) -> _Level:
    """What a file means by a decorator of that name."""
    if name.endswith("dataclasses.dataclass"):
        return _Level.CHECKS if name.startswith("pydantic") else _Level.PLAIN
    found = _DATACLASS.search(text) if name == "dataclass" else None
    return _Level.OTHER if found is None else _Level.CHECKS if "pydantic" in found[1] else _Level.PLAIN


@remembered(64)
def _of_own(name: str, whole: Whole, sign: Sign) -> _Level:
    """What a decorator of the project makes of a class, where the change has it."""
    known = sources(whole)
    for file in known.files if name.isidentifier() and f"def {name}(" in f"{known.before}{known.after}" else ():
        one = known.functions(file, sign).get(name)
        if one is not None and re.search(r"\bdataclass\(", one.text):
            level = _of_dataclass("dataclass", known.text(file, sign))
            return _with_extra(level, one.text) if level >= _Level.CHECKS else level
    return _Level.OTHER

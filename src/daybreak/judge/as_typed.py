"""A value of before as one types it today: `NAME=0`, `--flag value`, `"field": true` in a request, `field=True`."""

from __future__ import annotations

import ast
import json
import operator
import re
import shlex
from collections.abc import Sequence
from typing import Literal, NamedTuple

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import term
from daybreak.core.words.grammar import listing
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.python_syntax import expression

Where = Literal["set", "start", "send", "pass"]
Value = bool | int | float | str


class Typed(NamedTuple):
    """What is typed, and where."""

    where: Where
    text: str


def kept(findings: Sequence[Finding]) -> Text | None:
    """How the old values of these defaults are kept; None where one of them cannot be typed, or they stand in several places."""
    found = [as_typed(finding) for finding in findings]
    typed = [one for one in found if one is not None]
    if len(typed) != len(found) or len({one.where for one in typed}) != 1:
        return None
    return term("judge.keeps", typed[0].where, typed=listing((one.text for one in typed), _MOST))


def as_typed(finding: Finding) -> Typed | None:
    """What keeps the old default of a setting, a field or a parameter."""
    kind, name = kind_of(finding.kind), _LEAF.findall(finding.symbol)[-1:]
    value = _value((finding.before or "").strip(), bare=kind.family == "env")
    if kind.change != "default_changed" or value in (None, "") or not name or len(str(value)) > _LONGEST:
        return None
    if kind.family == "env":
        return Typed("set", f"{name[0]}={int(value) if isinstance(value, bool) else shlex.quote(str(value))}")
    if kind.family == "cli_flag":
        return _option(finding.symbol, value)
    if kind.family == "request_field" or (kind.family == "field" and _REQUESTS.search(finding.path)):
        return Typed("send", f'"{name[0]}": {_json(value)}')
    written = _json(value) if isinstance(value, str) else value
    return Typed("pass" if kind.surface == "python" else "set", f"{name[0]}={written}")


def _json(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False)


def _option(flag: str, value: Value) -> Typed | None:
    """A switch that was on is typed alone; how one is turned off that is on now, only its parser says."""
    if value is False or not flag.startswith("-"):
        return None
    return Typed("start", flag if value is True else f"{flag} {shlex.quote(str(value))}")


def _value(text: str, *, bare: bool) -> Value | None:
    """What is written there; the default of a variable may stand without quotation marks, and `1.10` is no number."""
    if bare and _PLAIN.fullmatch(text) and text not in ("True", "False", "None"):
        return text
    node = expression(text, _READ)
    try:
        return _number(node) if node is not None else None
    except (ValueError, RecursionError, ArithmeticError, MemoryError):
        return None


def _number(node: ast.expr) -> Value | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, bool | int | float | str) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return -inner if isinstance(inner, int | float) else None
    done = _DOES.get(type(node.op)) if isinstance(node, ast.BinOp) else None
    if done is None or not isinstance(node, ast.BinOp):
        return None
    left, right = _number(node.left), _number(node.right)
    both = isinstance(left, int | float) and isinstance(right, int | float)
    return done(left, right) if both else None


_DOES = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub}
_LEAF = re.compile(r"\w[\w-]*")
_PLAIN = re.compile(r"[\w./:+,=-]{1,60}")
_LONGEST = 40
_READ = 200
_MOST = 3
_REQUESTS = re.compile(r"(?:^|/)(?:entrypoints|openai|serving)/(?:[\w-]+/){0,6}\w*protocol\w*\.py$")
"""Where the fields of what clients send stand, whatever their classes are called."""
